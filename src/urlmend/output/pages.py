"""Pages of annotated text, for terminals and in HTML. `annotate` writes a text to them piece by piece."""

import math
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib import resources
from string import Template
from typing import TextIO

from urlmend.match import Rejected, URLMatch, stretches
from urlmend.output.files import STANDARD_INPUT
from urlmend.output.links import href, hyperlink
from urlmend.output.terminal import PLAIN, Colours, harmless, on_one_line
from urlmend.output.text import url_of
from urlmend.output.weighed import WeighedEnd, about, described
from urlmend.sources import Origin
from urlmend.text.line_ends import LINE_END
from urlmend.text.schemes import LINKED_SCHEMES

LINE_JOINT, JOINT = "\u23ce", "\u2423"
"""The marks of a place where a URL was joined: over a line end, and over blanks."""

SURE = 0.9
"""URLs of less confidence are marked as doubtful. Of the others, at least 97 in 100 are right."""


class _Page:
    """The base of both pages: it writes the heads of texts, and counts. Files have headings if there are *several*.

    With *unwrap*, the address inside a URL is shown too.
    """

    def __init__(self, out: TextIO, *, several: bool = False, unwrap: bool = False) -> None:
        self._out = out
        self._several = several
        self._unwrap = unwrap
        self._message: tuple[object, ...] | None = None
        self._counts: Counter[str] = Counter()

    def begin_text(self, origin: Origin) -> None:
        """Begin the text of *origin*: with a heading if it is one of several, and with the head of a new message."""
        before, self._message = self._message, (origin.source, origin.message, origin.offset)
        head = (("From", origin.author), ("Date", origin.date), ("Subject", origin.subject))
        fields = [(name, on_one_line(value)) for name, value in head if value and self._message != before]
        self._write_head(on_one_line(_heading(origin)), fields)

    def _count(self, match: URLMatch) -> None:
        self._counts["urls"] += 1
        self._counts["mended"] += match.mended
        self._counts["doubtful"] += match.ambiguous or match.confidence < SURE

    @property
    def _summary(self) -> str:
        urls = self._counts["urls"]
        others = [f"{self._counts[kind]} {kind}" for kind in ("mended", "doubtful", "rejected") if self._counts[kind]]
        return ", ".join([f"{urls or 'no'} URL{'s' * (urls != 1)}", *others])

    def _write_head(self, heading: str, fields: list[tuple[str, str]]) -> None:
        raise NotImplementedError


def _heading(origin: Origin) -> str:
    """Return a heading for the text of *origin* in its file; empty if the file is a single text."""
    in_header = origin.header_field is not None
    parts = (
        origin.message is not None and f"message {origin.message}",
        origin.target_uri,
        origin.part if in_header else origin.part and f"part {origin.part}",
        not in_header and origin.content_type,
        origin.attributes and ("relative links, resolved" if origin.resolved else "URLs of its attributes"),
    )
    return ", ".join(part for part in parts if part)


class TerminalPage(_Page):
    """Annotated text for a terminal. URLs have *colours*, and hyperlinks where it shows them; otherwise brackets.

    A mark shows where a URL was joined; the removed text follows it. A doubtful URL is followed by its
    confidence in per cent and a question mark, one that wraps an address by an arrow and the address. A rejected
    candidate is struck out.
    """

    def __init__(self, out: TextIO, *, colours: Colours = PLAIN, several: bool = False, unwrap: bool = False) -> None:
        super().__init__(out, several=several, unwrap=unwrap)
        self._in_line = False
        self._colours = colours
        brackets = ("", "", "") if colours.on else ("\u27e6", "\u27e6\u2717", "\u27e7")
        self._open_url, self._open_rejected, self._close = brackets

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name* (`None`: standard input), with its name if there are several."""
        if self._several:
            self._write_heading("\u2550\u2550", on_one_line(name or STANDARD_INPUT))

    def text(self, text: str) -> None:
        """Write *text*, in which nothing was found."""
        if text:
            self._out.write(clean(text))
            self._in_line = not text.endswith(("\n", "\r"))

    def close(self) -> None:
        """Write how many URLs there were."""
        self._write_heading("\u2550\u2550", self._summary)
        self._out.flush()

    def _write_head(self, heading: str, fields: list[tuple[str, str]]) -> None:
        if heading:
            self._write_heading("\u2500\u2500", heading)
        for name, value in fields:
            self._out.write(f"{self._colours.paint('heading', f'   {name}: {value}')}\n")

    def _write_heading(self, rule: str, text: str) -> None:
        line_end = "\n" * self._in_line
        self._out.write(f"{line_end}{self._colours.paint('heading', f'{rule} {text} {rule}')}\n")
        self._in_line = False

    def url(self, match: URLMatch, ends: Iterable[WeighedEnd] = ()) -> None:  # noqa: ARG002 -- for pages with room
        """Write the URL *match* with a mark at each break, its confidence and its target."""
        self._count(match)
        paint = self._colours.paint
        link = url_of(match, unwrap=self._unwrap) if self._colours.links else ""
        shown = "".join(
            paint("joint", (LINE_JOINT if LINE_END.search(text) else JOINT) + clean(text))
            if removed
            else hyperlink(link, paint("url", clean(text)), self._counts["urls"])
            for text, removed in stretches(match)
        )
        doubt = paint("joint", f"?{percent(match.confidence)}") if match.confidence < SURE else ""
        target = match.target if self._unwrap else None
        wraps = f" {paint('joint', _ARROW)} {paint('url', clean(target))}" if target else ""
        self._out.write(f"{self._open_url}{shown}{doubt}{wraps}{self._close}")
        self._in_line = True

    def rejected(self, rejected: Rejected, text: str) -> None:  # noqa: ARG002 -- as above
        """Write *text*, a rejected candidate or the beginning of it."""
        self._counts["rejected"] += 1
        self._out.write(f"{self._open_rejected}{self._colours.paint('rejected', clean(text))}{self._close}")
        self._in_line = True


_ARROW = "\u2192"


class HtmlPage(_Page):
    """Annotated text as one page of HTML called *title* that needs no other file and no network.

    URLs are links. Their form, readings, departures and confidence are shown at the pointer or the keyboard's focus;
    those of mended or doubtful URLs also behind a button, for touch screens. Doubtful ones have a dotted line under
    them. With *unwrap*, a link leads to the address that its URL wraps. The keys n and p go to the next and the
    previous mended or doubtful URL. Nothing in the text becomes markup.
    """

    def __init__(self, out: TextIO, title: str, *, several: bool = False, unwrap: bool = False) -> None:
        super().__init__(out, several=several, unwrap=unwrap)
        self._in_text = False
        self._buttons = 0
        template = resources.files("urlmend.output").joinpath("annotated.html").read_text("utf-8")
        head, self._foot = template.split("<!-- text -->\n")
        script = self._foot.partition("<script>")[2].partition("</script>")[0]
        # A Content-Security-Policy allows this script only, by its hash.
        policy = f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
        out.write(Template(head).substitute(title=escape(on_one_line(title)), script=policy))

    def begin_file(self, name: str | None) -> None:
        """Begin the file called *name* (`None`: standard input), with its name if there are several."""
        self._end_text()
        if self._several:
            self._out.write(f"<h2>{escape(on_one_line(name or STANDARD_INPUT))}</h2>\n")

    def text(self, text: str) -> None:
        """Write *text*, in which nothing was found."""
        self._out.write(escape(clean(text), quote=False))

    def close(self) -> None:
        """Write how many URLs there were, and end the page."""
        self._end_text()
        self._out.write(self._foot.replace("$counts", self._summary))
        self._out.flush()

    def _end_text(self) -> None:
        if self._in_text:
            self._out.write("</pre>\n")
        self._in_text = False

    def _write_head(self, heading: str, fields: list[tuple[str, str]]) -> None:
        self._end_text()
        if heading:
            level = "h3" if self._several else "h2"
            self._out.write(f'<{level} class="text">{escape(heading)}</{level}>\n')
        if fields:
            rows = "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in fields)
            self._out.write(f"<dl>{rows}</dl>\n")
        # Browsers do not show the line feed after <pre>.
        self._out.write("<pre>\n")
        self._in_text = True

    def url(self, match: URLMatch, ends: Iterable[WeighedEnd] = ()) -> None:
        """Write the URL *match* as a link with its details."""
        self._count(match)
        link = url_of(match, unwrap=self._unwrap)
        pieces = [
            f'<i class="{"line" if LINE_END.search(text) else "blank"}">{escape(clean(text))}</i>'
            if removed
            else f"<u>{escape(clean(text))}</u>"
            for text, removed in stretches(match)
        ]
        shown = "".join(pieces) if match.breaks else escape(clean(match.raw))
        kind = "ambiguous" if match.ambiguous else "mended" if match.breaks else "whole"
        kind += " doubtful" * (match.confidence < SURE)
        wraps = "" if link == match.url else f"\nwraps: {link}"
        details = escape(clean(_about(match, ends) + wraps))
        attributes = f'class="{kind}" title="{details}"'
        if link.partition(":")[0].lower() in LINKED_SCHEMES:
            self._out.write(f'<a {attributes} rel="noopener noreferrer" href="{href(link)}">{shown}</a>')
        else:
            self._out.write(f"<b {attributes} tabindex=0>{shown}</b>")
        if kind != "whole":
            self._buttons += 1
            target = f"r{self._buttons}"
            self._out.write(
                f'<button popovertarget={target} aria-label="Readings of this URL">?</button>'
                f"<span popover id={target}>{details}</span>"
            )

    def rejected(self, rejected: Rejected, text: str) -> None:
        """Write *text*, a rejected candidate or the beginning of it, and why it is not a URL."""
        self._counts["rejected"] += 1
        why = str(rejected.error).partition("\n")[0]
        self._out.write(f'<del title="{escape(clean(f"not a URL: {why}"))}">{escape(clean(text), quote=False)}</del>')


Page = TerminalPage | HtmlPage
"""A page of annotated text."""


def _about(match: URLMatch, ends: Iterable[WeighedEnd]) -> str:
    parts = [match.url, *map(": ".join, about(match))]
    if match.ambiguous:
        parts.append("nothing decides between these")
    if match.departures:
        parts.append(f"departures: {', '.join(match.departures)}")
    return "\n".join([*parts, *(line for end in ends for line in described(end))])


def clean(text: str) -> str:
    """Return *text* with line feeds as line ends, and with control characters made visible."""
    return harmless(LINE_END.sub("\n", text))


def percent(confidence: float) -> str:
    """Return *confidence* in per cent, rounded down: only certainty is 100%.

    >>> percent(0.996), percent(0.07), percent(1.0)
    ('99%', '7%', '100%')
    """
    return f"{math.floor(confidence * 100 + 1e-9)}%"
