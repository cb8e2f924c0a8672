"""`urlmend explain`: how URLs parse and where they were found in a text, or why a text is not a URL."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import click

from urlmend.cli import options
from urlmend.cli.command import FOUND, NONE
from urlmend.extract import find_urls
from urlmend.facts import facts_of
from urlmend.grammar import rfc1738, urls
from urlmend.grammar.diagnosis import URLSyntaxError, marked
from urlmend.grammar.normalize import normal_form
from urlmend.grammar.parser import accepts, departures, parse, parse_or_none, production, rules_for
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.grammar.unwrap import unwrap, unwrapped
from urlmend.grammar.urls import URL
from urlmend.match import Rejected, URLMatch
from urlmend.output.files import STANDARD_INPUT, standard_stream, utf8
from urlmend.output.tables import JsonlFormat
from urlmend.output.weighed import WeighedEnd, about, described, weighed_ends
from urlmend.output.window import Window
from urlmend.query import Query
from urlmend.record import DECIMALS
from urlmend.scan.delimiters import BARE_FORMS
from urlmend.scanner import match_batches
from urlmend.sources import Origin, Text
from urlmend.text import defanged
from urlmend.text.line_ends import EOL, LINE_END
from urlmend.text.schemes import IMPLIED

_LOGIN = ("user", "password", "host", "port")
_PARTS: dict[type[URL], tuple[str, tuple[str, ...]]] = {
    urls.HttpURL: ("3.3", (*_LOGIN, "hpath", "search")),
    urls.FtpURL: ("3.2", (*_LOGIN, "fpath", "ftptype")),
    urls.FileURL: ("3.10", ("host", "fpath")),
    urls.GopherURL: ("3.4", ("host", "port", "gopher_path")),
    urls.MailtoURL: ("3.5", ("encoded822addr", "headers")),
    urls.NewsURL: ("3.6", ("host", "port", "everything", "group", "article")),
    urls.NntpURL: ("3.7", ("host", "port", "group", "article_number")),
    urls.TelnetURL: ("3.8", _LOGIN),
    urls.WaisURL: ("3.9", ("host", "port", "database", "search", "wtype", "wpath")),
    urls.ProsperoURL: ("3.11", ("host", "port", "ppath", "fieldspecs")),
    urls.OtherURL: ("2.1", ("schemepart", *_LOGIN, "urlpath")),
}
"""For each class, its section of RFC 1738, and the parts of its URLs from left to right."""

_SECTIONS = dict.fromkeys(_LOGIN, "3.1") | {"scheme": "2.1", "fragment": "RFC 3986 3.5", "headers": "RFC 6068 2"}
"""The sections for parts that are not described in the section of their class."""

_RULES = {
    "gopher_path": "gopherurl",
    "everything": '"*"',
    "article_number": "digits",
    "fieldspecs": "*[ fieldspec ]",
}
"""The RFC's rules for parts that are not named after them."""

_WIDEST = 40
_AT_LINE_END = re.compile(rf"[ \t]*{EOL}(?!\s*\Z)")


# Why a text is not a URL, for the mistakes that people make; and what would make it one

_HEAD = re.compile(r"(?P<scheme>[^:/?#\[]+):(?P<slashes>/{0,2})")
# A reader takes the last "@" for the end of the login.
_AUTHORITY = re.compile(r"(?:[^/?#]*@)?(?P<hostport>[^/?#]*)")
_HOST = re.compile(r"[^\s:/?#@.]++\.[^\s:/?#@]++(?::[0-9]+)?(?:[/?#]|$)")

_CHARACTERS = (
    ("scheme  ", "a scheme cannot contain a space"),
    ("scheme .", "a scheme cannot contain {}"),
    ("(?:escape|no_encoded_at) ", "two hexadecimal digits must follow a %: write %25 for the character itself"),
    # An escape seldom helps where one of these is not allowed: they are written as they are.
    (rfc1738.expand(r"\w+ (?:[<unreserved><reserved>]|$)", rfc1738.RULES), ""),
    (r"(?:domainlabel|tcp_port) \s", "a host or port cannot contain a space"),
    (r"\w+ \s", "a URL cannot contain a space: write {escape}"),
    (r"\w+ \\", "a URL has slashes, not backslashes"),
    (r"\w+ [\ud800-\udfff]", "a URL cannot contain a byte that is not UTF-8"),
    ("", "{} is not allowed here: write {escape}"),
)
"""What to say of a character at which a rule fails: patterns for the rule and the character, and words for both."""

_FOUR = r"(?:[0-9]+\.){3}[0-9]+(?::|$)"
_OCTET, _TCP_PORT = (rfc1738.expand(rule, WEB.rules) for rule in ("<octet>", "<tcp_port>"))
_MISTAKES = (
    (r"(?::|$)", "", "there is no host"),
    (r"""[^:\[]*?([!"$&'()*+,;<=>^`{|}~])""", "", "a host cannot contain {}"),
    (r"[^:\[]*?(\.\.)", "", "the host has two dots in a row"),
    (r"\.", "", "the host begins with a dot"),
    (r"(?:[^:\[]*\.)?(-[^.:]*)", "", "the label '{}' of the host begins with a hyphen"),
    (r"(?:[^:\[]*\.)?([^.:\[]*-)(?:[.:]|$)", "", "the label '{}' of the host ends with a hyphen"),
    (r"(?:\[.*\]|[^:\[]*):(?![0-9]*$)(.*)", "", "the port '{}' is not a number"),
    (rf"(?:\[.*\]|[^:\[]*):(?!{_TCP_PORT}$)0*([0-9]+)$", "port-range", "{:.20} is more than 65535"),
    (r"\[[^\]]*$", "", "the bracket that begins the host is not closed"),
    (r"(\[.*\])", "ipv6", "{} is not an IPv6 address"),
    (r"(?:[0-9]+\.){4}[0-9.]+(?::|$)", "", "an IPv4 address has four numbers, not more"),
    (rf"(?={_FOUR})(?:{_OCTET}\.)*+(?!{_OCTET}(?:[.:]|$))0*([0-9]+)", "ipv4-range", "{:.20} is more than 255"),
    (r"[0-9]+(?:\.[0-9]+){0,2}(?::|$)", "number-host", "a number of the host is too large"),
    (rf"(?!{_FOUR})[^:\[]*\.([0-9]\w*)\.?(?::|$)", "", "the last label '{}' begins with a digit"),
)
"""What is wrong with a host and port that match a pattern, some of it under profiles with a certain departure only.

The fault is where the group of the pattern begins, or at the start if it has none.
"""


class Reason(NamedTuple):
    """Why a text is not a URL, in one line, and the index in the text of the character that is at fault."""

    words: str
    pos: int


def _reasons(error: URLSyntaxError, profile: Profile) -> Iterator[Reason]:
    text, pos = error.text, error.pos
    if not text:
        yield Reason("the text is empty", pos)
    if defanged.edits_of(text):
        yield Reason("it is defanged", pos)
    head = _HEAD.match(text)
    if head is None:
        yield Reason(f"there is no scheme: a URL begins with one, such as {IMPLIED['schemeless']}", pos)
        return
    authority = _AUTHORITY.match(text, head.end()) if head["slashes"] == "//" else None
    if authority and head.end() <= pos <= authority.end():
        yield from _of_authority(authority, pos, profile)
    if error.expected == '"/"' and set(text[head.end("scheme") + 1 : pos]) <= {"/"}:
        yield Reason(f"two slashes must follow {head['scheme']}:", pos)
    for departure in profile.departures:
        if departure.narrower and accepts(text, profile.without(departure.name)):
            yield Reason(f"the web {departure.web} ({departure.name})", pos)
    if words := _of_character(error):
        yield Reason(words, pos)


def _of_authority(authority: re.Match[str], pos: int, profile: Profile) -> Iterator[Reason]:
    hostport = authority["hostport"]
    if accepts(f"http://{hostport}", profile):
        return
    known = {"", *(departure.name for departure in profile.departures)}
    for pattern, departure, mistake in _MISTAKES:
        if departure in known and (found := re.match(pattern, hostport)):
            words = mistake.format(*found.groups()) + (f" ({departure})" if departure else "")
            # The grammar fails only after a host or port that could be a login, as in `user:password@host`.
            at = authority.start("hostport") + found.start(found.re.groups) if pos == authority.end() else pos
            yield Reason(words, at)


def _of_character(error: URLSyntaxError) -> str:
    """Return what is wrong with the character where *error* is; empty if that would add nothing."""
    character = error.text[error.pos : error.pos + 1]
    place = f"{error.rule} {character}"
    words = next(words for pattern, words in _CHARACTERS if re.match(pattern, place, re.DOTALL))
    escape = "".join(f"%{octet:02X}" for octet in character.encode(errors="replace"))
    return words.format(character if character.isprintable() else f"U+{ord(character):04X}", escape=escape)


_ON_REQUEST = ("refang", "addresses", "schemeless", "addresses refang", "schemeless refang")
"""The options that find more, the fewest first."""


def _hints(text: str, profile: Profile, *, is_url: bool) -> Iterator[str]:
    """Yield hints on how *text* would be a URL, or another one: with an option, or with a scheme before it."""
    if not is_url and os.path.isfile(text):
        yield "It is a file: for the URLs in it, leave out the word explain."
    if defanged.edits_of(text) or not (is_url or "://" in text):
        for names in _ON_REQUEST:
            given: Any = dict.fromkeys(names.split(), True)
            found = find_urls(text, profile=profile, **given)
            if more := [match for match in found if match.form in {"defanged", *IMPLIED}]:
                with_them = f"With --{names.replace(' ', ' --')}"
                for match in more:
                    inside = "it is" if match.raw == text else "there is a URL in it:"
                    yield f"{with_them} {inside} {match.url}"
                return
    if _HOST.match(text) and accepts(f"http://{text}", profile):
        yield f"{'If it begins with a host, put' if is_url else 'Put'} http:// before it."


@dataclass(frozen=True)
class Explanation:
    """The explanation of a text: its URL, or the error that says why it is not one.

    If it was found in another text, `match` and `ends` say how, and `ends_line` whether the text goes on below it.
    """

    text: str
    profile: Profile
    url: URL | None = None
    error: URLSyntaxError | None = None
    match: URLMatch | None = None
    ends: Sequence[WeighedEnd] = ()
    ends_line: bool = False

    @property
    def reason(self) -> Reason | None:
        """Why the text is not a URL, in plain words; `None` if it is one, or if the error says it all."""
        if self.error is None:
            return None if self.url else Reason("There is no URL in this text.", 0)
        return None if self.error.rule == "length" else next(_reasons(self.error, self.profile), None)

    @property
    def hints(self) -> list[str]:
        """What would make the text a URL, or another one."""
        return [] if self.match else list(_hints(self.text, self.profile, is_url=self.url is not None))

    def parts(self, url: URL) -> Iterator[tuple[str, str | None]]:
        """Yield the parts of *url* that the profile knows, from left to right; `None` for an absent one."""
        patterns = [production(rule, self.profile) for rule in rules_for(url.text, self.profile)]
        known = {name for pattern in patterns for name in pattern.groupindex} | {"schemepart"}
        yield "scheme", url.text.partition(":")[0]
        yield from ((name, getattr(url, name)) for name in (*_PARTS[type(url)][1], "fragment") if name in known)

    def as_dict(self) -> dict[str, Any]:
        """Return the record for `--json`. The value of an absent key is `None`."""
        url, error, match = self.url, self.error, self.match
        return {
            "url": self.text,
            "valid": url is not None,
            **{name: getattr(error, name, None) for name in ("rule", "pos", "expected")},
            "reason": self.reason and self.reason.words,
            "hints": self.hints,
            "class": type(url).__name__ if url else None,
            "parts": dict(self.parts(url)) if url else None,
            "departures": list(departures(url.text, self.profile)) if url else None,
            "warnings": [note._asdict() for note in facts_of(url.text, self.profile).warnings] if url else None,
            "normal_form": str(normal_form(url, self.profile)) if url else None,
            "target": unwrap(url) if url else None,
            **{name: getattr(match, name, None) for name in ("raw", "form", "confidence")},
            "readings": list(match.readings) if match else None,
            "line_ends": [_line_end(end) for end in self.ends] if match else None,
        }


def explained(text: str, profile: Profile) -> Explanation:
    """Return the explanation of *text*, which should be a URL and nothing else."""
    try:
        return Explanation(text, profile, parse(text, profile))
    except URLSyntaxError as error:
        return Explanation(text, profile, error=error)


def explained_text(text: str, query: Query) -> list[Explanation]:
    """Return the explanations of the URLs and rejected candidates in *text*, or of *text* itself if it has none."""
    rejected: list[Rejected] = []
    batches = match_batches([Text(text, Origin())], query, rejected.append)
    found = [(match.start, _found(match, text)) for matches in batches for match in matches]
    found += [(each.start, Explanation(each.error.text, query.profile, error=each.error)) for each in rejected]
    return [one for _, one in sorted(found, key=lambda placed: placed[0])] or [Explanation(text, query.profile)]


def _found(match: URLMatch, text: str) -> Explanation:
    ends_line = _AT_LINE_END.match(text, match.end + len(match.trimmed)) is not None
    ends = tuple(weighed_ends(match, Window(text)))
    return Explanation(match.url, match.profile, match.parts, match=match, ends=ends, ends_line=ends_line)


def _line_end(end: WeighedEnd) -> dict[str, Any]:
    clues = [clue._asdict() | {"weight": round(clue.weight, DECIMALS)} for clue in end.clues]
    verdict = {"goes_on": end.verdict.goes_on, "p": round(end.verdict.p, DECIMALS), "guard": end.verdict.guard}
    return {"url": end.url, "token": end.token, **verdict, "clues": clues}


# In words


def in_words(one: Explanation, *, heading: bool) -> str:
    """Return *one* in words, with a *heading* if asked for, and always if it was found in another text.

    An absent part is `absent`, an empty one `""`. There is no newline at the end.
    """
    blocks = []
    if heading or one.match:
        blocks.append([one.text])
    if one.match:
        blocks += _finding(one, one.match)
    blocks += _parsed(one, one.url) if one.url else _fault(one)
    return "\n\n".join("\n".join(map(_shown, block)) for block in blocks if block)


def _finding(one: Explanation, match: URLMatch) -> Iterator[list[str]]:
    yield _columns([("written as", match.raw), *about(match)])
    for end in one.ends:
        yield list(described(end))
    weighed = one.ends or match.breaks
    if one.ends_line and not weighed and match.form in BARE_FORMS:
        yield ["The URL ends with its line: the next line does not look like the rest of it."]


def _parsed(one: Explanation, url: URL) -> Iterator[list[str]]:
    section, _ = _PARTS[type(url)]
    rows = [
        (name, _quoted(value), _RULES.get(name, name), _SECTIONS.get(name, section)) for name, value in one.parts(url)
    ]
    yield list(_conformance(url, one.profile))
    normal = str(normal_form(url, one.profile))
    notes = [f"Normal form: {normal}"] if normal != url.text else []
    yield notes + [f"Security note, {note!s}" for note in facts_of(url.text, one.profile).warnings]
    yield one.hints
    yield _columns([("part", "value", "BNF rule", "section"), *rows])
    yield _columns([*_meaning(url), *_inside(url)])


def _meaning(url: URL) -> Iterator[tuple[str, str]]:
    """Yield the meaning of the parts by the section on the scheme: names and decoded values."""
    match url:
        case urls.FtpURL():
            yield from (("command", f"{verb} {name}") for verb, name in url.commands())
        case urls.GopherURL():
            yield "type", _quoted(url.gtype) + ("" if url.gopher_path else ", the default")
            yield "selector", _quoted(url.decoded("selector"))
            yield "search", _quoted(url.decoded("search"))
            yield "gopher+", _quoted(url.decoded("gopher_plus"))
        case urls.MailtoURL():
            fault = "" if url.is_addr_spec else ", which is not an addr-spec of RFC 822"
            yield "address", _quoted(url.addr_spec) + fault if url.encoded822addr else "absent"
            yield from (("header", f"{name}: {value}") for name, value in url.header_fields)
        case urls.NewsURL(article=str()):
            fault = "" if url.is_message_id else ", which is not a Message-ID of RFC 1036"
            yield "Message-ID", (url.message_id or "") + fault
        case urls.NewsURL(everything=str()):
            yield "groups", "all that there are"
        case urls.WaisURL():
            form = "waisdoc" if url.wtype is not None else "waisindex" if url.search is not None else "waisdatabase"
            yield "form", form
        case urls.FileURL():
            yield "file on", "this machine" if url.is_local else url.host or ""
        case urls.ProsperoURL():
            yield "hsoname", _quoted(url.hsoname)
            yield from (("field", f"{name} = {value}") for name, value in url.fields)
    if isinstance(url, urls.IpURL) and url.host is not None and url.port_number is not None:
        yield "connects to", f"port {url.port_number}" + ("" if url.port else ", the default")


def _inside(url: URL) -> Iterator[tuple[str, str]]:
    inside = unwrapped(url)
    if inside.target is not None:
        yield "wraps", inside.target
    elif inside.lost is not None:
        yield "wraps", f"an unknown address: this redirect of {inside.lost} is incomplete"


def _conformance(url: URL, profile: Profile) -> Iterator[str]:
    names = departures(url.text, profile)
    if not names:
        yield "Conforms to RFC 1738."
        return
    yield f"Departs from RFC 1738 in {len(names)} way{'s' if len(names) > 1 else ''}:"
    for departure in profile.departures:
        if departure.name in names:
            yield f"  {departure.name}"
            yield f"    RFC 1738 {departure.rfc1738};"
            yield f"    the web {departure.web}."


def _fault(one: Explanation) -> Iterator[list[str]]:
    error, reason = one.error, one.reason
    words = [reason.words] if reason else []
    if error is None or not error.text:
        yield words + one.hints
        return
    if reason and reason.pos != error.pos:
        # The grammar goes on after the mistake: in `host:8o/` it waits for the "@" after a password.
        yield [*words, *marked(error.text, reason.pos)]
        yield [*_elsewhere(error, one.profile), *one.hints]
    else:
        yield words
        yield str(error).split("\n")
        yield [*_rule(error, one.profile), *_elsewhere(error, one.profile), *one.hints]


def _rule(error: URLSyntaxError, profile: Profile) -> Iterator[str]:
    """Yield the rule that failed."""
    rule = error.rule
    changed_by = ", ".join(d.name for d in profile.departures if any(edit.rule == rule for edit in d.edits))
    if bnf := rfc1738.BNF.get(rule):
        yield "RFC 1738 section 5:"
        yield from (f"  {line}" for line in bnf.splitlines())
        if changed_by:
            yield f"{profile.name} changes this rule: {changed_by}."
    elif changed_by:
        yield f"RFC 1738 has no rule {rule}: {profile.name} adds it for {changed_by}."


def _elsewhere(error: URLSyntaxError, profile: Profile) -> Iterator[str]:
    """Yield the other profiles under which the text is a URL."""
    for other in (WEB, RFC1738):
        if other != profile and (url := parse_or_none(error.text, other)) is not None:
            by = ", ".join(departures(url.text, other))
            yield f"Under {other.name} it is a URL{by and f' ({by})'}."


def _quoted(value: str | None) -> str:
    # A URL has no quotation marks, so no value looks like the word.
    return "absent" if value is None else f'"{value}"'


def _shown(value: str) -> str:
    """Return *value* with escapes for characters that do not print, such as line ends and writing directions."""
    return "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in value)


def _columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return *rows* as lines with aligned columns. A very long value moves the columns of its own row only."""
    rows = [tuple(map(_shown, row)) for row in rows]
    widths = [
        max((len(cell) for cell in column if len(cell) <= _WIDEST), default=0) for column in zip(*rows, strict=True)
    ]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


@click.command("explain")
@options.query("profile", "schemeless", "addresses", "refang")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each URL, one a line.")
@click.argument("texts", metavar="[URL]...", nargs=-1)
@click.pass_context
def command(ctx: click.Context, *, query: Query, as_json: bool, texts: tuple[str, ...]) -> None:
    """Show the parts of each URL and where it departs from RFC 1738, or why it is not a URL.

    A text with line ends is searched for URLs: each is shown with what decided whether it goes on in the next line.
    With --schemeless, --addresses or --refang, any text that is not a URL is searched. Without URL, or with -, standard
    input is read. Exit status: 0 if all are URLs, 1 if one is not.
    """
    if not texts and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("give a URL, or - for standard input.")
    on_request = query.schemeless or query.addresses or query.refang
    every: list[Explanation] = []
    for url in texts or ("-",):
        octets = standard_stream(sys.stdin, STANDARD_INPUT).buffer.read() if url == "-" else os.fsencode(url)
        text = octets.decode(errors="surrogateescape")  # UTF-8, whatever the locale says
        trimmed = text.strip()
        is_url = accepts(trimmed, query.profile) and not (query.refang and defanged.edits_of(trimmed))
        if LINE_END.search(text.rstrip()) or (on_request and not is_url):
            every += explained_text(text, query)
        else:
            every.append(explained(trimmed if url == "-" else text, query.profile))
    out = utf8(sys.stdout)
    if as_json:
        row = JsonlFormat(visible=out.isatty()).row
        out.writelines(row(one.as_dict()) for one in every)
    else:
        out.write("\n\n\n".join(in_words(one, heading=len(every) > 1) for one in every) + "\n")
    out.flush()
    ctx.exit(FOUND if all(one.url for one in every) else NONE)
