// What the theme leaves out for readers without a mouse or a screen: the search has a name, and wide tables can be
// scrolled by the keyboard.
document$.subscribe(() => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search")
  const reach = () => {
    for (const area of document.querySelectorAll(".md-typeset__scrollwrap, .highlight pre > code, .highlight pre")) {
      if (area.scrollWidth > area.clientWidth) area.tabIndex = 0
    }
  }
  requestAnimationFrame(reach)
  addEventListener("resize", reach)
})
