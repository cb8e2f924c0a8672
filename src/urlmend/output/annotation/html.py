"""Annotated text as a page of HTML."""

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, TextIO

from urlmend.output.annotation.heading import Counts, Message, fields, heading, message_of
from urlmend.output.annotation.marked import LINE_JOINT, SURE, clean, marked, percent
from urlmend.output.annotation.weighed import described
from urlmend.output.files import STANDARD_INPUT
from urlmend.output.terminal import CONTROLS, on_one_line
from urlmend.output.text import url_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlmend.match import Rejected, URLMatch
    from urlmend.output.annotation.weighed import WeighedEnd
    from urlmend.sources import Origin

LINKED = frozenset(
    "http https ftp ftps sftp gopher gemini mailto news nntp telnet irc ircs tel sip xmpp magnet".split()
)
"""The schemes that become links. A click on another one might run code out of a mail (javascript, data)."""


class HtmlPage:
    """Writes text to *out* as one page of HTML that needs nothing else, and no network.

    URLs are links. Their form, readings, departures and confidence show where the pointer or the keyboard's focus
    rests, those of a mended or doubtful one also behind a button, which fingers reach; a doubtful one has a dotted line
    under it. With *unwrap*, a link leads to the address that its URL wraps.

    The keys n and p go to the next and the previous such one. Nothing in the text becomes markup.
    """

    def __init__(self, out: TextIO, title: str, *, several: bool = False, unwrap: bool = False) -> None:
        self._out = out
        self._unwrap = unwrap
        self._several = several
        self._open = False  # a <pre> is
        self._counts = Counts()
        self._message: Message | None = None
        self._buttons = 0
        out.write(_HEAD.format(title=escape(on_one_line(title)), script=_hash(_SCRIPT)))

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name*."""
        self._end_text()
        if self._several:
            self._out.write(f"<h2>{escape(on_one_line(name or STANDARD_INPUT))}</h2>\n")

    def begin_text(self, origin: "Origin") -> None:
        """Begin the text of *origin*, with a heading where it is one of several."""
        self._end_text()
        parts = heading(origin)
        if parts:
            level = "h3" if self._several else "h2"
            self._out.write(f'<{level} class="text">{escape(on_one_line(parts))}</{level}>\n')
        begun, self._message = self._message, message_of(origin)
        if self._message != begun and (told := fields(origin)):
            rows = "".join(f"<dt>{name}</dt><dd>{escape(on_one_line(value))}</dd>" for name, value in told)
            self._out.write(f"<dl>{rows}</dl>\n")
        # The line feed behind <pre> is not shown.
        self._out.write("<pre>\n")
        self._open = True

    def _end_text(self) -> None:
        if self._open:
            self._out.write("</pre>\n")
        self._open = False

    def text(self, text: str) -> None:
        """Write *text*."""
        self._out.write(escape(clean(text), quote=False))

    def url(self, match: "URLMatch", ends: "Sequence[WeighedEnd]" = ()) -> None:
        """Write the URL *match*, as a link if a click on it is harmless; *ends* are told where the pointer rests."""
        self._counts.url(match)
        link = url_of(match, unwrap=self._unwrap)
        stretches = [
            f'<i class="{"line" if mark == LINE_JOINT else "blank"}">{escape(clean(text))}</i>'
            if mark
            else f"<u>{escape(clean(text))}</u>"
            for text, mark in marked(match)
        ]
        shown = "".join(stretches) if match.breaks else escape(clean(match.raw))
        kind = "ambiguous" if match.ambiguous else "mended" if match.breaks else "whole"
        kind += " doubtful" * (match.confidence < SURE)
        told = _about(match, ends) if link == match.url else f"{_about(match, ends)}\nwraps: {link}"
        said = escape(clean(told))
        about = f'class="{kind}" title="{said}"'
        if link.partition(":")[0].lower() in LINKED:
            url = escape(CONTROLS.sub(_percent_encoded, link))
            self._out.write(f'<a {about} rel="noopener noreferrer" href="{url}">{shown}</a>')
        else:
            self._out.write(f"<b {about} tabindex=0>{shown}</b>")
        if kind != "whole":
            self._buttons += 1
            target = f"r{self._buttons}"
            self._out.write(
                f'<button popovertarget={target} aria-label="Readings of this URL">?</button>'
                f"<span popover id={target}>{said}</span>"
            )

    def rejected(self, rejected: "Rejected", text: str) -> None:
        """Write *text*, and why it is no URL."""
        self._counts.rejected()
        why = str(rejected.error).partition("\n")[0]
        self._out.write(f'<del title="{escape(clean(f"no URL: {why}"))}">{escape(clean(text), quote=False)}</del>')

    def close(self) -> None:
        """End the page."""
        self._end_text()
        self._out.write(f"</main>\n<footer><p>{self._counts}</p></footer>\n{_SCRIPT}</body>\n</html>\n")
        self._out.flush()


_SCRIPT = """\
<script>
const doubts = [...document.querySelectorAll("main .mended, main .ambiguous, main .doubtful")];
let at = -1;
addEventListener("keydown", event => {
  const step = { n: 1, p: -1 }[event.key];
  if (!step || !doubts.length || event.ctrlKey || event.altKey || event.metaKey) return;
  at = (at + step + doubts.length) % doubts.length;
  doubts[at].scrollIntoView({ block: "center" });
  doubts[at].focus({ preventScroll: true, focusVisible: true });
});
</script>
"""


def _hash(script: str) -> str:
    """Return what a Content-Security-Policy calls *script*: only that one may run."""
    body = script.removeprefix("<script>").rpartition("</script>")[0]
    return f"'sha256-{b64encode(sha256(body.encode()).digest()).decode()}'"


def _percent_encoded(control: re.Match[str]) -> str:
    """Write a character as browsers do when they follow a link."""
    return "".join(f"%{octet:02X}" for octet in control[0].encode(errors="replace"))


def _about(match: "URLMatch", ends: "Sequence[WeighedEnd]") -> str:
    parts = [match.url, f"form: {match.form}"]
    if match.departures:
        parts.append(f"departures: {', '.join(match.departures)}")
    parts += [f"or: {reading}" for reading in match.readings[1:]]
    if match.ambiguous:
        parts.append("nothing decides between these")
    if match.confidence < 1:
        parts.append(f"confidence: {percent(match.confidence)}")
    parts += [line for end in ends for line in described(end)]
    return "\n".join(parts)


_HEAD = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src {script}">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 0; background: Canvas; color: CanvasText; }}
main, header, footer {{ width: min(60rem, 100% - 2rem); margin: 0 auto; }}
header {{ border-bottom: 1px solid; padding-block: 1rem; }}
h1 {{ font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.1rem; margin: 1.5rem 0 0; overflow-wrap: anywhere; }}
footer {{ border-top: 1px solid; }}
dl {{ display: grid; grid-template-columns: auto 1fr; gap: 0 1ch; font-size: .85rem; margin: .25rem 0 0; }}
dd {{ margin: 0; overflow-wrap: anywhere; }}
button {{ font: inherit; line-height: 1.2; min-width: 1.5rem; min-height: 1.5rem; margin-inline: .2rem; padding: 0;
  user-select: none; }}
[popover] {{ white-space: pre-wrap; overflow-wrap: anywhere; max-width: min(50rem, 100% - 2rem); padding: .5rem 1rem; }}
.text {{ font-size: .85rem; font-weight: normal; opacity: .75; margin: 1.5rem 0 0; border-top: 1px dotted; }}
pre {{ font: 14px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0; }}
@media (max-width: 40rem) {{ pre {{ font-size: 12px; }} }}
a, b, u {{ font-weight: normal; border-radius: 3px; text-decoration: underline; }}
a, b {{ background: rgb(40 120 220 / 14%); }}
.mended, .ambiguous {{ background: none; text-decoration: none; }}
.mended u {{ background: rgb(40 170 80 / 22%); }}
.ambiguous u {{ background: light-dark(rgb(240 180 0 / 30%), rgb(240 180 0 / 15%)); }}
.doubtful {{ border-bottom: 2px dotted light-dark(#c22, #f66); }}
i {{ font-style: normal; color: light-dark(#666, #aaa); }}
i::before {{ font-weight: bold; color: light-dark(#c22, #f66); }}
i.line::before {{ content: "\u23ce"; }}
i.blank::before {{ content: "\u2423"; }}
del {{ background: rgb(200 0 0 / 12%); text-decoration: line-through; }}
a[title]:focus-visible::after {{
  content: attr(title); position: fixed; inset: auto 1rem 1rem; padding: .5rem 1rem; white-space: pre-wrap;
  background: Canvas; color: CanvasText; border: 2px solid; border-radius: 6px;
}}
</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p><a>URL</a> \u00b7 <a class="mended"><u>mended</u><i class="line"></i></a> where it was joined \u00b7
<a class="ambiguous"><u>ambiguous</u></a> \u00b7 <a class="doubtful">doubtful</a> \u00b7 <del>no URL</del>.
Point at one, go there with the Tab key, or touch its <kbd>?</kbd> to see its readings and its confidence.
The keys <kbd>n</kbd> and <kbd>p</kbd> go to the next and the previous one that was mended or is doubtful.</p>
</header>
<main>
"""
