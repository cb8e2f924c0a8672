"""`urlmend explain`: how URLs parse and where they were found in a text, or why a text is no URL."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import click

from urlmend.cli import options
from urlmend.cli.command import FOUND, NONE
from urlmend.cli.reasons import hints, plain_reason
from urlmend.extract import find_urls
from urlmend.grammar import rfc1738
from urlmend.grammar.normalize import normal_form
from urlmend.grammar.parser import URLSyntaxError, accepts, departures, parse, parse_or_none, productions
from urlmend.grammar.profiles import PROFILES, RFC1738, WEB, Profile
from urlmend.grammar.security import SecurityWarning
from urlmend.grammar.unwrap import unwrap, unwrapped
from urlmend.grammar.urls import (
    URL,
    FileURL,
    FtpURL,
    GopherURL,
    HttpURL,
    IpURL,
    MailtoURL,
    NewsURL,
    NntpURL,
    OtherURL,
    ProsperoURL,
    TelnetURL,
    WaisURL,
)
from urlmend.match import DECIMALS, Rejected, URLMatch, security_notes
from urlmend.output.files import standard_output
from urlmend.output.tables import JsonlFormat
from urlmend.output.weighed import WeighedEnd, described, weighed_ends
from urlmend.text import defanged
from urlmend.text.forms import NONE as SCHEMES_ONLY
from urlmend.text.forms import Forms
from urlmend.text.limits import LOOKAHEAD, LOOKBACK
from urlmend.text.line_ends import EOL, LINE_END

_LOGIN = ("user", "password", "host", "port")
CLASSES: dict[type[URL], tuple[str, tuple[str, ...]]] = {
    HttpURL: ("3.3", (*_LOGIN, "hpath", "search")),
    FtpURL: ("3.2", (*_LOGIN, "fpath", "ftptype")),
    FileURL: ("3.10", ("host", "fpath")),
    GopherURL: ("3.4", ("host", "port", "gopher_path")),
    MailtoURL: ("3.5", ("encoded822addr", "headers")),
    NewsURL: ("3.6", ("host", "port", "everything", "group", "article")),
    NntpURL: ("3.7", ("host", "port", "group", "article_number")),
    TelnetURL: ("3.8", _LOGIN),
    WaisURL: ("3.9", ("host", "port", "database", "search", "wtype", "wpath")),
    ProsperoURL: ("3.11", ("host", "port", "ppath", "fieldspecs")),
    OtherURL: ("2.1", ("schemepart", *_LOGIN, "urlpath")),
}
"""The section of RFC 1738 on each class, and the parts of its URLs as they stand from left to right."""

SECTIONS = dict.fromkeys(_LOGIN, "3.1") | {"fragment": "RFC 3986 3.5", "headers": "RFC 6068 2"}
"""The sections on the parts that have another one than their class."""


class Explained(NamedTuple):
    """A *text* and its `url`, or the `error` that forbids one; where it was found in a text, its `match` and line ends.

    `reason` says the error in plain words. `behind` is the text behind the match.
    """

    text: str
    profile: Profile
    url: URL | None
    error: URLSyntaxError | None = None
    reason: str | None = None
    hints: tuple[str, ...] = ()
    match: URLMatch | None = None
    ends: tuple[WeighedEnd, ...] = ()
    behind: str = ""

    @property
    def warnings(self) -> tuple[SecurityWarning, ...]:
        """The security notes on the URL."""
        return security_notes(self.text, self.profile) if self.url else ()

    @property
    def normal_form(self) -> str | None:
        """The URL in normal form (RFC 3986 section 6)."""
        return str(normal_form(self.url, self.profile)) if self.url else None

    def parts(self) -> Iterator[tuple[str, str | None]]:
        """Yield the names of the URL's parts and what they are, from left to right; `None` where a part is absent.

        A class has fields for every profile. A part that this profile does not know is left out.
        """
        url = self.url
        if url is None:
            return
        scheme = url.scheme if url.scheme in self.profile.productions else ""
        compiled = productions(scheme, self.profile, ascii_only=True)
        known = {name for pattern, _ in compiled for name in pattern.groupindex} | {"schemepart"}
        yield "scheme", url.text.partition(":")[0]
        yield from ((name, getattr(url, name)) for name in (*CLASSES[type(url)][1], "fragment") if name in known)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, in one order. What is absent is `None`, never missing."""
        url, error, match = self.url, self.error, self.match
        return {
            "url": self.text,
            "valid": url is not None,
            "rule": error.rule if error else None,
            "pos": error.pos if error else None,
            "expected": error.expected if error else None,
            "reason": self.reason,
            "hints": list(self.hints),
            "class": type(url).__name__ if url else None,
            "parts": dict(self.parts()) if url else None,
            "departures": list(departures(url, self.profile)) if url else None,
            "warnings": [note._asdict() for note in self.warnings] if url else None,
            "normal_form": self.normal_form,
            "target": unwrap(url) if url else None,
            "raw": match.raw if match else None,
            "form": match.form if match else None,
            "confidence": round(match.confidence, DECIMALS) if match else None,
            "readings": list(match.readings) if match else None,
            "line_ends": [_line_end(end) for end in self.ends] if match else None,
        }


def explained(text: str, profile: Profile = WEB) -> Explained:
    """Return what there is to say of *text*, which should be a URL and nothing else. Raises nothing."""
    try:
        url = parse(text, profile)
    except URLSyntaxError as error:
        return _refused(text, error, profile)
    return Explained(text, profile, url, hints=tuple(hints(text, profile, is_url=True)))


def explained_text(text: str, profile: Profile = WEB, forms: Forms = SCHEMES_ONLY) -> list[Explained]:
    """Return what there is to say of each URL in *text*, and of each candidate that is none, as they stand in it.

    Where there is neither, that is said of the text, without an error.
    """
    rejected: list[Rejected] = []
    matches = find_urls(text, profile=profile, rejected=rejected.append, **forms._asdict())
    found = [(match.start, _found(match, text)) for match in matches]
    found += [(each.start, _refused(each.text, each.error, profile)) for each in rejected]
    if not found:
        none = Explained(text, profile, None, reason="There is no URL in this text.")
        return [none._replace(hints=tuple(hints(text, profile, is_url=False)))]
    return [one for _, one in sorted(found, key=lambda placed: placed[0])]


def _refused(text: str, error: URLSyntaxError, profile: Profile) -> Explained:
    reason = plain_reason(error, profile)
    return Explained(text, profile, None, error, reason, tuple(hints(text, profile, is_url=False)))


def _found(match: URLMatch, text: str) -> Explained:
    stop = match.end + len(match.trimmed)
    before = text[max(0, match.start - LOOKBACK) : match.start]
    ends = weighed_ends(match, before, text[match.start : stop + LOOKAHEAD])
    return Explained(
        match.url, match.profile, match.parts, match=match, ends=tuple(ends), behind=text[stop : stop + LOOKAHEAD]
    )


def _line_end(end: WeighedEnd) -> dict[str, Any]:
    return {
        "url": end.url,
        "token": end.token,
        "goes_on": end.verdict.goes_on,
        "p": round(end.verdict.p, DECIMALS),
        "guard": end.verdict.guard,
        "clues": [clue._asdict() | {"weight": round(clue.weight, DECIMALS)} for clue in end.clues],
    }


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
        lines += _finding(told, told.match)
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


def _finding(told: Explained, match: URLMatch) -> Iterator[str]:
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


@click.command("explain")
@options.profile
@options.forms
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each URL.")
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.pass_context
def command(ctx: click.Context, *, profile: str, forms: Forms, as_json: bool, urls: tuple[str, ...]) -> None:
    """Show how each URL parses: its parts, what they mean, and by what it departs from RFC 1738; or its first fault.

    A URL with a line end in it is a text, of which each URL is shown, and what decided whether it goes on in the next
    line. So is what is no URL, where --schemeless, --addresses or --refang is given. Without URL, or for -, standard
    input is read. Exit status: 0 where all are URLs, 1 where one is none.
    """
    if not urls and sys.stdin is not None and sys.stdin.isatty():
        message = "give a URL, or - for standard input."
        raise click.UsageError(message)
    judge = PROFILES[profile]
    every: list[Explained] = []
    for url in urls or ("-",):
        octets = sys.stdin.buffer.read() if url == "-" else os.fsencode(url)
        text = octets.decode(errors="surrogateescape")  # UTF-8, whatever the locale says
        trimmed = text.strip()
        as_others = accepts(trimmed, judge) and not (forms.refang and defanged.changes(trimmed))
        in_text = LINE_END.search(text.rstrip()) or (any(forms) and not as_others)
        if in_text:
            every += explained_text(text, judge, forms)
        else:
            every.append(explained(trimmed if url == "-" else text, judge))
    out = standard_output()
    if as_json:
        row = JsonlFormat(visible=out.isatty()).row
        out.writelines(row(one.as_dict()) for one in every)
    else:
        out.write("\n\n\n".join(in_words(one, heading=len(every) > 1) for one in every) + "\n")
    out.flush()
    ctx.exit(FOUND if all(one.url for one in every) else NONE)
