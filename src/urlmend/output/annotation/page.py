"""Annotated text: for a terminal, or as a page of HTML with links."""

import math
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, TextIO

from urlmend.output.annotation.weighed import described
from urlmend.output.colours import PLAIN, Colours
from urlmend.output.counted import Counted
from urlmend.output.display import CONTROLS, harmless, on_one_line
from urlmend.output.layout import STANDARD_INPUT
from urlmend.output.marks import stretches
from urlmend.text.line_ends import LINE_END

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch
    from urlmend.output.annotation.weighed import WeighedEnd
    from urlmend.sources import Origin

LINE_JOINT, JOINT = "\u23ce", "\u2423"
"""The marks of a place where a URL was joined: over a line end, and over blanks."""

SURE = 0.9
"""A URL of less confidence is marked as doubtful: of those at and above it, at least 97 in 100 are right."""

LINKED = frozenset(
    "http https ftp ftps sftp gopher gemini mailto news nntp telnet irc ircs tel sip xmpp magnet".split()
)
"""The schemes that become links. A click on another one might run code out of a mail (javascript, data)."""


def heading(origin: "Origin") -> str:
    """Return a line that says which text of its file *origin* is; it is empty where the file is one text."""
    parts = []
    in_header = "header:" in (origin.part or "")
    if origin.message is not None:
        parts.append(f"message {origin.message}")
    if origin.target_uri is not None:
        parts.append(origin.target_uri)
    if origin.part is not None:
        parts.append(origin.part if in_header else f"part {origin.part}")
    if origin.content_type is not None and not in_header:
        parts.append(origin.content_type)
    if origin.attributes:
        parts.append("URLs of its attributes")
    if origin.signature:
        parts.append("signature")
    return ", ".join(parts)


def _clean(text: str) -> str:
    return harmless(LINE_END.sub("\n", text))


def page_for(
    out: TextIO, kind: str, paths: tuple[str, ...], colours: Colours, *, unwrap: bool = False
) -> "TerminalPage | HtmlPage":
    """Return the page of *kind*, `text` or `html`, for the files at *paths*; with *unwrap*, it tells the targets."""
    several = len(paths) > 1
    if kind == "html":
        first = STANDARD_INPUT if paths[0] == "-" else paths[0]
        title = f"{first} and {len(paths) - 1} more" if several else first
        return HtmlPage(out, title, several=several, unwrap=unwrap)
    return TerminalPage(out, colours=colours, several=several, unwrap=unwrap)


class TerminalPage:
    """Writes text to *out* with its URLs in *colours*; without those, in brackets.

    A mark stands where a URL was joined, and behind it what was removed; behind a doubtful URL stands its confidence in
    per cent and a question mark, and with *unwrap*, behind an arrow, the address that a URL wraps. A rejected candidate
    is struck out.
    """

    def __init__(self, out: TextIO, *, colours: Colours = PLAIN, several: bool = False, unwrap: bool = False) -> None:
        self._out = out
        self._unwrap = unwrap
        self._several = several
        self._in_line = False
        self._colours = colours
        brackets = ("\u27e6", "\u27e6\u2717", "\u27e7") if colours is PLAIN else ("", "", "")
        self._begin_url, self._begin_rejected, self._close = brackets

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name*."""
        if self._several:
            self._heading("\u2550\u2550", name or STANDARD_INPUT)

    def begin_text(self, origin: "Origin") -> None:
        """Begin the text of *origin*, with a heading where it is one of several."""
        parts = heading(origin)
        if parts:
            self._heading("\u2500\u2500", parts)

    def _heading(self, rule: str, text: str) -> None:
        colours = self._colours
        line = "\n" * self._in_line
        self._out.write(f"{line}{colours.heading}{rule} {on_one_line(text)} {rule}{colours.end}\n")
        self._in_line = False

    def text(self, text: str) -> None:
        """Write *text*."""
        if text:
            self._out.write(_clean(text))
            self._in_line = not text.endswith(("\n", "\r"))

    def url(self, match: "URLMatch", ends: "Sequence[WeighedEnd]" = ()) -> None:  # noqa: ARG002 -- no room for them
        """Write the URL *match* as it stands."""
        colours = self._colours
        shown = "".join(
            f"{colours.joint}{mark}{_clean(text)}{colours.end}" if mark else f"{colours.url}{_clean(text)}{colours.end}"
            for text, mark in _marked(match)
        )
        doubt = f"{colours.joint}?{percent(match.confidence)}{colours.end}" if match.confidence < SURE else ""
        target = match.target if self._unwrap else None
        wraps = f" {colours.joint}\u2192{colours.end} {colours.url}{_clean(target)}{colours.end}" if target else ""
        self._out.write(f"{self._begin_url}{shown}{doubt}{wraps}{self._close}")
        self._in_line = True

    def rejected(self, rejected: "Rejected", text: str) -> None:  # noqa: ARG002 -- a page of HTML says why
        """Write *text*, which is no URL."""
        self._out.write(f"{self._begin_rejected}{self._colours.rejected}{_clean(text)}{self._colours.end}{self._close}")
        self._in_line = True

    def close(self) -> None:
        """End the last line."""
        self._out.write("\n" * self._in_line)
        self._out.flush()


class HtmlPage:
    """Writes text to *out* as one page of HTML that needs nothing else: no script, no network.

    URLs are links. Their form, readings, departures and confidence show where the pointer or the keyboard's focus
    rests; a doubtful one has a dotted line under it. With *unwrap*, a link leads to the address that its URL wraps.
    Nothing in the text becomes markup.
    """

    def __init__(self, out: TextIO, title: str, *, several: bool = False, unwrap: bool = False) -> None:
        self._out = out
        self._counted = Counted(unwrap)
        self._several = several
        self._open = False  # a <pre> is
        out.write(_HEAD.format(title=escape(on_one_line(title))))

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
            self._out.write(f"<h3>{escape(on_one_line(parts))}</h3>\n")
        # The line feed behind <pre> is not shown.
        self._out.write("<pre>\n")
        self._open = True

    def _end_text(self) -> None:
        if self._open:
            self._out.write("</pre>\n")
        self._open = False

    def text(self, text: str) -> None:
        """Write *text*."""
        self._out.write(escape(_clean(text), quote=False))

    def url(self, match: "URLMatch", ends: "Sequence[WeighedEnd]" = ()) -> None:
        """Write the URL *match*, as a link if a click on it is harmless; *ends* are told where the pointer rests."""
        stretches = [
            f'<i class="{"line" if mark == LINE_JOINT else "blank"}">{escape(_clean(text))}</i>'
            if mark
            else f"<u>{escape(_clean(text))}</u>"
            for text, mark in _marked(match)
        ]
        shown = "".join(stretches) if match.breaks else escape(_clean(match.raw))
        kind = "ambiguous" if match.ambiguous else "mended" if match.breaks else "whole"
        kind += " doubtful" * (match.confidence < SURE)
        link = self._counted.text(match)
        told = _about(match, ends) if link == match.url else f"{_about(match, ends)}\nwraps: {link}"
        about = f'class="{kind}" title="{escape(_clean(told))}"'
        if link.partition(":")[0].lower() in LINKED:
            url = escape(CONTROLS.sub(_percent_encoded, link))
            self._out.write(f'<a {about} rel="noopener noreferrer" href="{url}">{shown}</a>')
        else:
            self._out.write(f"<b {about}>{shown}</b>")

    def rejected(self, rejected: "Rejected", text: str) -> None:
        """Write *text*, and why it is no URL."""
        why = str(rejected.error).partition("\n")[0]
        self._out.write(f'<del title="{escape(_clean(f"no URL: {why}"))}">{escape(_clean(text), quote=False)}</del>')

    def close(self) -> None:
        """End the page."""
        self._end_text()
        self._out.write("</main>\n</body>\n</html>\n")
        self._out.flush()


def _marked(match: "URLMatch") -> Iterator[tuple[str, str]]:
    """Yield the stretches of *match*, each with the mark of what was removed; the URL's own stretches have none."""
    for text, removed in stretches(match):
        yield text, (LINE_JOINT if LINE_END.search(text) else JOINT) if removed else ""


def percent(confidence: float) -> str:
    """Return *confidence* in per cent, rounded down: what is not certain is not called so.

    >>> percent(0.996), percent(0.07), percent(1.0)
    ('99%', '7%', '100%')
    """
    return f"{math.floor(confidence * 100 + 1e-9)}%"


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
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 0; background: Canvas; color: CanvasText; }}
main, header {{ width: min(60rem, 100% - 2rem); margin: 0 auto; }}
header {{ border-bottom: 1px solid; padding-block: 1rem; }}
h1 {{ font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.1rem; margin: 1.5rem 0 0; overflow-wrap: anywhere; }}
h3 {{ font-size: .85rem; font-weight: normal; opacity: .75; margin: 1.5rem 0 0; border-top: 1px dotted; }}
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
Point at one, or go there with the Tab key, to see its readings and its confidence.</p>
</header>
<main>
"""
