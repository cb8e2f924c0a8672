"""Checks that hold for every text, for the property tests and the fuzzers; each raises if it fails."""

import io
import pickle
import random
import re
from collections.abc import Iterable, Sequence
from html import unescape
from itertools import pairwise
from typing import Any

from urlmend import (
    RFC1738,
    WEB,
    Profile,
    Rejected,
    Scanner,
    URLMatch,
    URLSyntaxError,
    find_urls,
    iter_urls,
    linkify,
    normal_form,
    parse,
)
from urlmend.grammar.parser import parse_or_none
from urlmend.query import JOINS, Join
from urlmend.text.limits import LOOKAHEAD, LOOKBACK
from urlmend.text.schemes import KNOWN_SCHEMES, LINKED_SCHEMES

_LINE_END = re.compile(r"\r\n|\r|\n")
_DIAGNOSED = 300
"""Rejected texts up to this size are diagnosed; benchmarks/test_parse.py measures the cost for longer ones."""

ON_REQUEST = ("schemeless", "address", "defanged", "resolved")
"""The forms whose URL is not what is in the text."""

Result = tuple[list[URLMatch], list[Rejected]]


def scan(pieces: Sequence[bytes | str], join: Join = "evident", **options: Any) -> Result:
    """Feed *pieces*; the matches are those of all feeds and of the close."""
    rejected: list[Rejected] = []
    scanner = Scanner(join=join, rejected=rejected.append, **options)
    matches = [match for piece in pieces for match in scanner.feed(piece)]
    return matches + scanner.close(), rejected


def naive_place(text: str, start: int) -> tuple[int, int]:
    """Return line and column of *start* by looking at all the text before it."""
    ends = [match.end() for match in _LINE_END.finditer(text) if match.end() <= start]
    return len(ends) + 1, start - (ends[-1] if ends else 0) + 1


def put_back(match: URLMatch, *, without_removed: bool = False) -> str:
    """Return the URL without what was inserted at its breaks, and with the text that was removed there put back."""
    raw = match.url
    for item in reversed(match.breaks):
        raw = raw[: item.at] + item.removed * (not without_removed) + raw[item.at + len(item.inserted) :]
    return raw


def _hyphens(text: str) -> str:
    """Return *text* with the typographic hyphen, which is read as the one of URLs at a line end, as that."""
    return text.replace("\u2010", "-")


def check_linkify(text: str, matches: Sequence[URLMatch]) -> None:
    """Of HTML with links, the text is unchanged, and nothing is markup but the links."""
    html = linkify(text, matches)
    assert unescape(re.sub('</?a(?: href="[^"<>]*")?>', "", html)) == text
    schemes = {link.partition(":")[0].lower() for link in re.findall('<a href="([^"]*)">', html)}
    assert schemes <= LINKED_SCHEMES


def check_offsets(data: str | bytes, result: Result) -> None:
    """Offsets are those of `raw`, lines and columns are those of a naive count, and no two matches overlap."""
    text = data if isinstance(data, str) else data.decode("latin-1")
    matches, rejected = result
    found: list[URLMatch | Rejected] = [*matches, *rejected]
    for one in found:
        piece = data[one.start : one.end]
        assert (piece if isinstance(piece, str) else piece.decode(errors="replace")) == one.raw
        assert (one.line, one.column) == naive_place(text, one.start)
    for match in matches:
        pieces = [data[start:end] for start, end in match.segments]
        written = "".join(one if isinstance(one, str) else one.decode(errors="replace") for one in pieces)
        assert all(pieces), match.segments
        assert match.form == "defanged" or len(written.split()) == 1, written
        assert match.form in ON_REQUEST or _hyphens(written) == _hyphens(put_back(match, without_removed=True))
    if isinstance(data, str):
        check_linkify(data, matches)
    for first, second in pairwise(matches):
        assert first.end <= second.start, (first, second)


def check_matches(matches: Sequence[URLMatch]) -> None:
    """The parser accepts the URL and the readings of a match, and its fields agree with each other."""
    for match in matches:
        assert match.url == str(match) == match.readings[0]
        assert parse(match.url, match.profile) == match.parts
        assert len(set(match.readings)) == len(match.readings)
        assert all(str(parse(reading, match.profile)) == reading for reading in match.readings)
        assert match.form in ON_REQUEST or _hyphens(put_back(match)) == _hyphens(match.raw)


def ask_everything(result: Result) -> None:
    """Every attribute of a match or rejected candidate has a value, and each can be pickled."""
    for one in [*result[0], *result[1]]:
        assert repr(one)
        for name in dir(one):
            if not name.startswith("_"):
                getattr(one, name)
    for match in result[0]:
        assert match.as_dict(unwrap=True)["url"] == match.url
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(result, protocol)) == result  # noqa: S301 -- its own


def check_rejected(rejected: Sequence[Rejected]) -> None:
    """A rejected candidate is not a URL, and its error is at a place in it."""
    for one in rejected:
        if len(one.text) <= _DIAGNOSED:
            assert one.rule == one.error.rule
            assert 0 <= one.pos == one.error.pos <= len(one.text)
            assert one.error.text == one.text


AROUND = "Some words of a text, in lines that are as long as those of most texts\n" * (LOOKAHEAD // 64)
"""So much text that what is before it is decided, and what is after it is scanned when it is fed."""


def check_cuts(data: Any, cuts: Iterable[int], **options: Any) -> None:
    """What is found does not depend on where the text is cut, nor on what is decided before more comes."""
    around: Any = AROUND if isinstance(data, str) else AROUND.encode()
    whole = around + data + around[-1:] + around
    expected = scan([whole], **options)
    for cut in cuts:
        for at in (len(around) + cut, len(around) + cut + LOOKAHEAD):
            assert scan([whole[:at], whole[at:]], **options) == expected, (data[:cut], data[cut:], at)


def check_line_ends(data: bytes, source: str = "text") -> None:
    """With CRLF for each LF, *data* gives the same results, but for offsets."""
    assert _without_offsets(data.replace(b"\n", b"\r\n"), source) == _without_offsets(data, source)


def _without_offsets(data: bytes, source: str) -> list[object]:
    def fields(match: URLMatch) -> object:
        row = match.as_dict()
        for name in ("start", "end", "exact", "column"):
            del row[name]
        return (row, match.left, match.right, match.undecided)

    rejected: list[Rejected] = []
    matches = iter_urls(io.BytesIO(data), source=source, rejected=rejected.append)
    found = [*map(fields, matches), *((one.text, one.raw, one.form, one.line, one.rule) for one in rejected)]
    return [repr(one).replace("\\r\\n", "\\n") for one in found]


def check_same_in_bytes(text: str) -> None:
    """Bytes give the same results as the text, with places in bytes; texts longer than LOOKBACK are left out."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > LOOKBACK:
        return
    places = [len(text[:at].encode("utf-8", "surrogatepass")) for at in range(len(text) + 1)]
    expected = [(match.form, match.readings, match.raw, places[match.start]) for match in find_urls(text)]
    assert [(match.form, match.readings, match.raw, match.start) for match in find_urls(data)] == expected


def check_found_again(matches: Sequence[URLMatch]) -> None:
    """A URL that was found is found again in a wrapper, and a bare one also on a line of its own."""
    for match in matches:
        again = find_urls(f"see <URL:{match.url}>.")
        assert [(one.form, one.url) for one in again] == [("wrapper", match.url)]
    bare = [match.url for match in matches if match.form in ("bare", "prefix") and _is_known(match.url)]
    for url in bare:
        assert [one.url for one in find_urls(f"{url}\n")] == [url]
    for between in ("\n\n", "\r\n\r\n"):
        assert [one.url for one in find_urls(between.join(bare))] == bare


def _is_known(url: str) -> bool:
    """Return whether *url* is found alone in its line: after a `<`, any scheme will do, and a last `=` may be soft."""
    scheme, _, rest = url.partition(":")
    return not url.endswith("=") and (rest.startswith("//") or scheme.lower() in KNOWN_SCHEMES)


LONG_WAY = Profile("WEB", WEB.departures)
"""A profile equal to WEB, but another object: with it no URL is recognised by its shape."""


def check_ways(text: str | bytes, join: Join) -> None:
    """A URL that is recognised by its shape gives the same match as one that is joined and parsed."""
    assert find_urls(text, join=join) == find_urls(text, join=join, profile=LONG_WAY)


def check_scan(data: bytes) -> None:
    """Check all of the above, for *data* as bytes and as text."""
    cuts = random.Random(data).choices(range(len(data) + 1), k=5)
    texts: tuple[str | bytes, ...] = (data, data.decode("utf-8", "replace"))
    for text in texts:
        result = scan([text])
        ask_everything(result)
        check_offsets(text, result)
        check_matches(result[0])
        check_rejected(result[1])
        check_cuts(text, cuts)
        check_found_again(result[0])
        for join in JOINS:
            check_offsets(text, scan([text], join))
            check_ways(text, join)
    if data.isascii():
        assert scan([data]) == scan([data.decode()])
    check_same_in_bytes(data.decode("utf-8", "replace"))


def check_parse(text: str) -> None:
    """A text parses to a URL that is written as the same text, or is refused with the place of its first error."""
    for profile in (RFC1738, WEB):
        fault = None
        try:
            url = parse(text, profile)
        except URLSyntaxError as error:
            fault = error
        if fault:
            assert 0 <= fault.pos <= len(text)
            assert fault.rule
            assert str(fault)
            continue
        assert str(url) == text
        assert parse(text, profile) == url
        assert hash(parse(text, profile)) == hash(url)


def check_normal_form(text: str) -> None:
    """The normal form of a URL is a URL, and its own normal form."""
    for profile in (RFC1738, WEB):
        url = parse_or_none(text, profile)
        if url is not None:
            normal = normal_form(url, profile)
            assert normal_form(normal, profile) == normal
