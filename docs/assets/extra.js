// What the theme leaves out for readers without a mouse or a screen: the search has a name, and wide tables can be
// scrolled by the keyboard. And its copy button copies of a session the commands only.

// A command goes on after a backslash at the end of its line, and within quotation marks.
const commands = (session) => {
  const shell = session.startsWith("$ ")
  const prompt = shell ? /^\$ / : /^(>>>|\.\.\.)( |$)/
  const kept = []
  let quotes = 0
  let goesOn = false
  for (const line of session.split("\n")) {
    if (!goesOn && !prompt.test(line)) continue
    if (!goesOn) quotes = 0
    kept.push(goesOn ? line : line.replace(prompt, ""))
    quotes += line.split("'").length - 1
    goesOn = shell && (line.endsWith("\\") || quotes % 2 === 1)
  }
  return kept.join("\n")
}

document$.subscribe(() => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search")
  for (const code of document.querySelectorAll(".highlight code")) {
    // The theme's button takes this attribute where there is one.
    if (/^(\$|>>>) /.test(code.textContent)) code.dataset.copy = commands(code.textContent)
  }
  const reach = () => {
    for (const area of document.querySelectorAll(".md-typeset__scrollwrap, .highlight pre > code, .highlight pre")) {
      if (area.scrollWidth > area.clientWidth) area.tabIndex = 0
    }
  }
  requestAnimationFrame(reach)
  addEventListener("resize", reach)
})
