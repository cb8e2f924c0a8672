"use strict";

// The numbers of a bar, where the pointer rests on it. They stand in the table below each chart, too.
const tip = document.getElementById("tip");
for (const chart of document.querySelectorAll(".chart")) {
  chart.addEventListener("pointerover", (event) => {
    const bar = event.target.closest("[aria-label]");
    tip.hidden = !bar || bar === chart;
    if (tip.hidden) return;
    const { left, right, top } = bar.getBoundingClientRect();
    tip.textContent = bar.getAttribute("aria-label");
    const middle = (left + right - tip.offsetWidth) / 2;
    tip.style.left = `${Math.max(4, Math.min(middle, document.documentElement.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(4, top - tip.offsetHeight - 6)}px`;
  });
  chart.addEventListener("pointerleave", () => { tip.hidden = true; });
}

const table = document.getElementById("urls");
if (table) {
  const STEP = 100;
  const [URL_, LINK, HOST, LINKS, TIMES, BROKEN, FIRST, LAST, SUBJECT, MESSAGES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const { hosts, rows } = JSON.parse(document.getElementById("rows").textContent);
  const texts = new Map(rows.map((row) => [row, `${row[URL_]} ${row[SUBJECT] ?? ""}`.toLowerCase()]));
  const search = document.getElementById("search");
  const status = document.getElementById("status");
  const more = document.getElementById("more");
  let found = rows;
  let shown = 0;

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const message = ([date, author, subject, before, raw, after, place, link]) => {
    const head = element("span", `${date ?? ""} `, "quiet");
    if (author) head.append(element("bdi", author), " ");
    const title = element("bdi", subject ?? (link ? place : ""));
    const text = element("pre", before);
    text.append(element("mark", raw), after);
    const item = document.createElement("li");
    item.append(head, title, text, element("span", place, "quiet"));
    if (link) {
      const anchor = document.createElement("a");
      anchor.href = link;
      anchor.rel = "noopener noreferrer";
      title.replaceWith(anchor);
      anchor.append(title);
    }
    return item;
  };

  const messages = (row) => {
    const subject = row[SUBJECT] && element("bdi", row[SUBJECT], "subject");
    const listed = row[MESSAGES];
    if (!listed.length) return subject ?? "";
    const summary = document.createElement("summary");
    summary.append(subject ?? listed[0][6]);
    const list = element("ol", "", "messages");
    list.append(...listed.map(message));
    const details = document.createElement("details");
    details.append(summary, list);
    return details;
  };

  const drawn = (row) => {
    const line = document.createElement("tr");
    const cell = document.createElement("td");
    const url = element(row[LINK] ? "a" : "span", row[URL_], "url");
    if (row[LINK]) {
      url.href = row[URL_];
      url.rel = "nofollow ugc noopener noreferrer";
    }
    cell.append(url, messages(row));
    line.append(cell);
    for (const column of [LINKS, TIMES, BROKEN]) {
      line.append(element("td", row[column].toLocaleString("en"), "number"));
    }
    for (const column of [FIRST, LAST]) line.append(element("td", row[column] ?? "", "date"));
    return line;
  };

  const showMore = () => {
    const next = found.slice(shown, shown + STEP);
    table.tBodies[0].append(...next.map(drawn));
    shown += next.length;
    more.hidden = shown === found.length;
    const of = found.length === rows.length ? "" : ` that match, of ${rows.length.toLocaleString("en")} listed here`;
    status.textContent = `${shown.toLocaleString("en")} of ${found.length.toLocaleString("en")} URLs${of}`;
  };

  // "host:a.example" is the whole host, any other word a part of the URL or subject.
  const matches = (row, word) =>
    word.startsWith("host:") ? hosts[row[HOST]] === word.slice("host:".length) : texts.get(row).includes(word);

  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    found = rows.filter((row) => words.every((word) => matches(row, word)));
    shown = 0;
    table.tBodies[0].replaceChildren();
    showMore();
  };

  const sort = (heading) => {
    const column = Number(heading.dataset.column);
    const descending = heading.ariaSort ? heading.ariaSort === "ascending" : column >= LINKS && column <= BROKEN;
    const sign = descending ? -1 : 1;
    // What has no date comes last either way.
    const compare = (a, b) => (a === null) - (b === null) || sign * ((a > b) - (a < b));
    rows.sort((a, b) => compare(a[column], b[column]));
    for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
    heading.ariaSort = descending ? "descending" : "ascending";
    show();
  };

  document.querySelector(".search").hidden = false;
  search.addEventListener("input", show);
  more.addEventListener("click", showMore);
  for (const heading of table.tHead.rows[0].cells) {
    heading.firstElementChild.addEventListener("click", () => sort(heading));
  }
  for (const host of document.querySelectorAll("[data-host]")) {
    // The link itself leads to the table.
    host.addEventListener("click", () => {
      search.value = `host:${host.dataset.host}`;
      show();
    });
  }
  show();
}
