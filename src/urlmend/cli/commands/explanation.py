"""How a URL parses, part by part, and how it was found in a text; or where, and by which rule, it is no URL."""

import re
from collections.abc import Iterable, Iterator

from urlmend.cli.commands.explained import CLASSES, SECTIONS, Explained, explained
from urlmend.grammar import rfc1738
from urlmend.grammar.parser import URLSyntaxError, departures, parse_or_none
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.grammar.unwrap import unwrapped
from urlmend.grammar.urls import (
    URL,
    FileURL,
    FtpURL,
    GopherURL,
    IpURL,
    MailtoURL,
    NewsURL,
    ProsperoURL,
    WaisURL,
)
from urlmend.match import URLMatch
from urlmend.output.annotation.weighed import described
from urlmend.text.line_ends import EOL

_RULES = {
    "gopher_path": "gopherurl",
    "everything": '"*"',
    "article_number": "digits",
    "fieldspecs": "*[ fieldspec ]",
}
"""The RFC's rules for the parts that have another name."""

_WIDEST = 40

_AT_LINE_END = re.compile(rf"[ \t]*{EOL}(?!\s*\Z)")


def explain(text: str, profile: Profile = WEB) -> str:
    """Return, for people to read, how *text* parses under *profile*; for a text that is no URL, why it is none.

    An absent part is `absent`, an empty one `""`. The lines have no newline at the end. Raises nothing.
    """
    return in_words(explained(text, profile))


def in_words(told: Explained, *, heading: bool = False) -> str:
    """Return *told* for people to read, under the URL as its *heading*; so is always what was found in a text."""
    lines = [_shown(told.text), ""] if heading or told.match else []
    if told.match:
        lines += _found(told, told.match)
    lines += _parsed(told, told.url) if told.url else _fault(told)
    return "\n".join(lines)


def _parsed(told: Explained, url: URL) -> Iterator[str]:
    blocks = (
        _table(told, url),
        _columns([*_meaning(url), *_inside(url)]),
        _verdict(url, told.profile),
        _notes(told),
        map(_shown, told.hints),
    )
    yield "\n\n".join(block for block in map("\n".join, blocks) if block)


def _found(told: Explained, match: URLMatch) -> Iterator[str]:
    yield from _columns(
        [
            ("stands as", _shown(match.raw)),
            ("form", match.form),
            ("confidence", f"{match.confidence:.3f}"),
            *(("or", _shown(reading)) for reading in match.readings[1:]),
        ]
    )
    for end in told.ends:
        yield ""
        yield from map(_shown, described(end))
    weighed = told.ends or match.breaks
    if not weighed and match.form in {"bare", "prefix", "schemeless"} and _AT_LINE_END.match(told.behind):
        yield ""
        yield "Ends with its line, at a glance: what follows is no piece of a URL."
    yield ""


def _table(told: Explained, url: URL) -> Iterator[str]:
    section, _ = CLASSES[type(url)]
    yield from _columns(
        [
            ("part", "value", "BNF rule", "section"),
            *(
                (
                    name,
                    _quoted(value),
                    _RULES.get(name, name),
                    "2.1" if name == "scheme" else SECTIONS.get(name, section),
                )
                for name, value in told.parts()
            ),
        ]
    )


def _meaning(url: URL) -> Iterator[tuple[str, str]]:
    """Yield the meaning of the parts by the section on the scheme: names, and decoded values."""
    match url:
        case FtpURL():
            yield from (("command", f"{verb} {_shown(name)}".rstrip()) for verb, name in url.commands())
        case GopherURL():
            yield "type", _quoted(url.gtype) + ("" if url.gopher_path else ", the default")
            yield "selector", _decoded(url, "selector")
            yield "search", _decoded(url, "search")
            yield "gopher+", _decoded(url, "gopher_plus")
        case MailtoURL():
            verdict = "" if url.is_addr_spec else ", which is no addr-spec of RFC 822"
            yield "address", _quoted(url.addr_spec) + verdict if url.encoded822addr else "absent"
            yield from (("header", f"{_shown(name)}: {_shown(value)}".rstrip()) for name, value in url.header_fields)
        case NewsURL(article=str()):
            verdict = "" if url.is_message_id else ", which is no Message-ID of RFC 1036"
            yield "Message-ID", _shown(url.message_id or "") + verdict
        case NewsURL(everything=str()):
            yield "groups", "all that there are"
        case WaisURL():
            form = "waisdoc" if url.wtype is not None else "waisindex" if url.search is not None else "waisdatabase"
            yield "form", form
        case FileURL():
            yield "file on", "this machine" if url.is_local else _shown(url.host or "")
        case ProsperoURL():
            yield "hsoname", _quoted(url.hsoname)
            yield from (("field", f"{_shown(name)} = {_shown(value)}".rstrip()) for name, value in url.fields)
    if isinstance(url, IpURL) and url.host is not None and url.port_number is not None:
        yield "connects to", f"port {url.port_number}" + ("" if url.port else ", the default")


def _inside(url: URL) -> Iterator[tuple[str, str]]:
    inside = unwrapped(url)
    if inside.target is not None:
        yield "wraps", _shown(inside.target)
    elif inside.lost is not None:
        yield "wraps", f"what is not known: an address of {inside.lost} that has lost a part"


def _verdict(url: URL, profile: Profile) -> Iterator[str]:
    names = departures(url, profile)
    if not names:
        yield "Conforms to RFC 1738."
        return
    yield f"Not RFC 1738, by {len(names)} departure{'s' if len(names) > 1 else ''}:"
    for departure in profile.departures:
        if departure.name in names:
            yield f"  {departure.name}"
            yield f"    RFC 1738 {departure.rfc1738};"
            yield f"    the web {departure.web}."


def _notes(told: Explained) -> Iterator[str]:
    if told.normal_form != told.text:
        yield f"Normal form: {_shown(told.normal_form or '')}"
    yield from (f"Security, {_shown(str(note))}" for note in told.warnings)


def _fault(told: Explained) -> Iterator[str]:
    if told.reason:
        yield _shown(told.reason)
    if told.error:
        yield from ("",) if told.reason else ()
        yield from _of_grammar(told.error, told.profile)
    yield from map(_shown, told.hints)


def _of_grammar(error: URLSyntaxError, profile: Profile) -> Iterator[str]:
    yield str(error)
    yield ""
    rule = error.rule
    changed_by = [d.name for d in profile.departures if any(edit.rule == rule for edit in d.edits)]
    if bnf := rfc1738.BNF.get(rule):
        yield "RFC 1738 section 5:"
        yield from (f"  {line}" for line in bnf.splitlines())
        if changed_by:
            yield f"{profile.name} changes this rule: {', '.join(changed_by)}."
    elif changed_by:
        yield f"RFC 1738 has no rule {rule}: {profile.name} has it for {', '.join(changed_by)}."
    for other in (WEB, RFC1738):
        if other != profile and (url := parse_or_none(error.text, other)) is not None:
            by = ", ".join(departures(url, other))
            yield f"Under {other.name} it is a URL{', by ' if by else ''}{by}."


def _decoded(url: URL, part: str) -> str:
    return _quoted(url.decoded(part))


def _quoted(value: str | None) -> str:
    # No URL has a quotation mark in it, so that no value looks like the word.
    return "absent" if value is None else f'"{_shown(value)}"'


def _shown(value: str) -> str:
    """Write characters that do not print, such as line ends and writing directions, as escapes."""
    return "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in value)


def _columns(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield *rows* as lines with aligned columns. A very long value moves the columns of its own row only."""
    rows = list(rows)
    widths = [
        max((len(cell) for cell in column if len(cell) <= _WIDEST), default=0) for column in zip(*rows, strict=True)
    ]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
