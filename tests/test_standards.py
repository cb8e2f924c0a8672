"""The texts of standards: copies of RFC 1738, the test of link detection in Unicode UTS #58, and its properties.

They need `URLMEND_SHARED`, the folder with seeds/, corpora/ and conformance/. The example of the RFC's appendix is in
data/find.toml.
"""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import regex

from urlmend import Rejected, URLMatch, find_urls, iter_urls

SHARED = os.environ.get("URLMEND_SHARED", "")
pytestmark = pytest.mark.skipif(not SHARED, reason="URLMEND_SHARED is not set")

# RFC 1738 in six copies

FORMS: Mapping[str, Mapping[str, int]] = {
    "rfc1738.txt": {"wrapper": 30},
    "rfc1738-line-numbered.txt": {"wrapper": 30},
    "rfc1738-chinese.txt": {"wrapper": 29, "prefix": 1},  # the translation lost one wrapper's brackets
    "rfc1738-markdown-mangled.txt": {"wrapper": 3, "prefix": 1, "bare": 1},  # "[URL:u](u)" names its URL twice
    "rfc1738-section-3.1.txt": {"wrapper": 3},
    "rfc1738-bnf.txt": {},  # a grammar has no URL in it
}
"""How many matches of each form each copy has."""

WRAPPED = (Path(__file__).parent / "data" / "rfc1738-urls.txt").read_text("ascii").splitlines()
"""Every wrapped URL of the RFC, in order; `*` is before those that a line end tears."""


@cache
def found(name: str) -> tuple[list[URLMatch], list[Rejected]]:
    rejected: list[Rejected] = []
    with Path(SHARED, "seeds", name).open("rb") as file:
        return list(iter_urls(file, rejected=rejected.append)), rejected


@pytest.mark.parametrize("name", FORMS)
def test_the_count_of_each_form_in_a_copy(name: str) -> None:
    matches, rejected = found(name)
    assert Counter(match.form for match in matches) == FORMS[name]
    assert rejected == []
    data = Path(SHARED, "seeds", name).read_bytes()
    for match in matches:
        assert data[match.start : match.end].decode() == match.raw
        assert data.count(b"\n", 0, match.start) == match.line - 1


@pytest.mark.parametrize("name", ["rfc1738.txt", "rfc1738-line-numbered.txt", "rfc1738-chinese.txt"])
def test_every_wrapped_url_comes_out_whole(name: str) -> None:
    matches, _ = found(name)
    torn = ["*" * bool(match.breaks and "chinese" not in name) + match.url for match in matches]
    assert torn == [url.lstrip("*") if "chinese" in name else url for url in WRAPPED]
    assert all(match.readings == (match.url,) for match in matches)


def test_mangled_copies_give_the_urls_left_in_them() -> None:
    assert [match.url for match in found("rfc1738-section-3.1.txt")[0]] == WRAPPED[1:4]
    assert [match.url for match in found("rfc1738-markdown-mangled.txt")[0]] == [WRAPPED[0], WRAPPED[0], *WRAPPED[1:4]]


# The test of link detection in Unicode UTS #58: links that have a scheme, and on request all

_LINK = re.compile("⸠([^⸡]*)⸡")
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*://|mailto:)", re.IGNORECASE)

DIFFERENCES: Mapping[str, tuple[str, ...]] = {
    # How the line starts, and what is found instead.
    # userinfo is deprecated, not forbidden: WEB has it, under the departure `userinfo`.
    "http://john.smith@example.com ": ("http://john.smith@example.com",),
    "http://john.smith@example.com/foo/bar": ("http://john.smith@example.com/foo/bar",),
    # A user name is not a host, so it may have two dots (RFC 1738 section 5, user).
    "http://john..smith@example.com ": ("http://john..smith@example.com",),
    "http://john..smith@example.com/foo/bar": ("http://john..smith@example.com/foo/bar",),
    # A double quote ends a URL (SPEC 1.5): HTML and prose put URLs between two of them.
    'https://nap.wikipedia.org/wiki/Wikipedia:Lista_d"e_vvoce': ("https://nap.wikipedia.org/wiki/Wikipedia:Lista_d",),
}
"""Every deliberate difference."""

ON_REQUEST = {
    **DIFFERENCES,
    # An ideographic full stop ends a URL (SPEC 1.5): sentences have no blank after it.
    "Lorem ipsum \u666e\u904d\u9002\u7528\u6d4b\u8bd5\u3002": (),
}
"""The same with `schemeless` and `addresses`."""


class Line(NamedTuple):
    text: str
    links: tuple[str, ...]
    with_scheme: tuple[str, ...]


def lines() -> list[Line]:
    found = []
    for line in Path(SHARED, "conformance", "uts58", "LinkDetectionTest.txt").read_text("utf-8").split("\n"):
        if line and not line.startswith("#"):
            links = tuple(_LINK.findall(line))
            found.append(Line(re.sub("[⸠⸡]", "", line), links, tuple(filter(_SCHEME.match, links))))
    return found


def check(text: str | bytes, line: Line, links: tuple[str, ...], different: Mapping[str, tuple[str, ...]]) -> bool:
    """Check what is found in *text*; return whether it is one of the differences."""
    on_request = different is ON_REQUEST
    found = tuple(match.raw for match in find_urls(text, schemeless=on_request, addresses=on_request))
    expected = next((found for start, found in different.items() if f"{line.text} ".startswith(start)), None)
    assert found == (links if expected is None else expected), line
    assert expected != links, f"no difference any more: {line}"
    return expected is not None


@pytest.mark.parametrize("binary", [False, True], ids=["str", "bytes"])
def test_every_line_of_uts_58_comes_out_as_marked(binary: bool) -> None:
    every = lines()
    # A link without a scheme is not a URL, and one inside it would be.
    applicable = [line for line in every if line.with_scheme or not line.links]
    assert len(every) > 300
    assert len(applicable) > 200
    texts = {line: line.text.encode() if binary else line.text for line in every}
    assert sum(check(texts[line], line, line.with_scheme, DIFFERENCES) for line in applicable) == len(DIFFERENCES)
    assert sum(check(texts[line], line, line.links, ON_REQUEST) for line in every) == len(ON_REQUEST)
    others = [line for line in every if line.links and not line.with_scheme]
    assert len(others) > 50
    assert [line for line in others if find_urls(texts[line])] == []


# Where a link ends by the properties of Unicode UTS #58


def properties(name: str) -> Iterator[tuple[range, str]]:
    """Read a file of Unicode properties: the code points of a line, and their value."""
    for line in Path(SHARED, "conformance", "uts58", name).read_text("utf-8").splitlines():
        fields = line.partition("#")[0].split(";")
        if len(fields) == 2:
            low, _, high = fields[0].strip().partition("..")
            yield range(int(low, 16), int(high or low, 16) + 1), fields[1].strip()


def end_after(text: str) -> int:
    """Return how many characters of *text*, which follows a URL, belong to it."""
    return len(find_urls(f"http://a.example/{text}")[0].raw) - len("http://a.example/")


def read_as(character: str) -> str:
    """Return the Link_Term that *character* is treated as; `Hard` too for what ends the URL by itself."""
    if end_after(character) == 1:
        return "Include"
    return "Open" if end_after(character + "b") == 2 else "Hard"


_CONTROLS = frozenset([0x061C, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])

TERM_DIFFERENCES: Mapping[str, Callable[[int, str, str], bool]] = {
    "zero-width and bidi controls end a URL (SPEC 1.5), as they hide what it is": lambda code, term, read: (
        code in _CONTROLS and (term, read) == ("Include", "Hard")
    ),
    "Korean and Japanese glue particles to URLs": lambda code, *_: chr(code) in "를을에로의은는이가와과도を",
    "a soft hyphen is not seen (SPEC 2.4): it may be inside, and is dropped": lambda code, term, read: (
        code == 0xAD and (term, read) == ("Include", "Open")
    ),
    "an ellipsis shows that a text cut a URL short; it is not part of one": lambda code, term, read: (
        code == 0x2026 and (term, read) == ("Include", "Hard")
    ),
    "lines of boxes are drawn around a URL": lambda code, term, read: (
        0x2500 <= code <= 0x257F and (term, read) == ("Include", "Hard")
    ),
    "wide angles enclose a URL in Japanese text as < and > do": lambda code, term, read: (
        code in {0xFF1C, 0xFF1E} and (term, read) == ("Include", "Hard")
    ),
    "specials and tags are in no URL (RFC 3987, ucschar)": lambda code, term, read: (
        (0xFFF0 <= code <= 0xFFFF or 0xE0000 <= code <= 0xE0FFF) and (term, read) == ("Include", "Hard")
    ),
    "assigned or not: the regex module and the data are of different versions of Unicode": lambda code, term, read: (
        "Cn" in (unicodedata.category(chr(code)), "Cn" if regex.match(r"\p{Cn}", chr(code)) else "")
        and {term, read} == {"Hard", "Include"}
    ),
    "quotation marks of critical editions and ornaments: never seen": lambda code, term, read: (
        code in {0x2E00, 0x2E01, 0x2E06, 0x2E07, 0x2E08, 0x2E0B, 0x1F676, 0x1F677, 0x1F678}
        and (term, read) == ("Soft", "Include")
    ),
}
"""Every deliberate difference by its reason. One more is everywhere: what is Soft beyond ASCII ends a URL here."""


@pytest.mark.parametrize(("below", "every"), [(0x2070, 997), pytest.param(0x110000, 97, marks=pytest.mark.slow)])
def test_characters_beyond_ascii_are_read_by_their_link_term(below: int, every: int) -> None:
    """Try the characters below *below*, of letters without case each ninth, and of all there are one in *every*."""
    terms = {code: term for codes, term in properties("LinkTerm.txt") for code in codes if code > 0x7F}
    assert len(terms) > 150_000
    found = set()
    kinds = ((code, unicodedata.category(chr(code))) for code in range(0x80, below))
    assigned = (code for code, kind in kinds if kind not in ("Cn", "Co", "Cs") and (kind != "Lo" or code % 9 == 0))
    for code in (*assigned, *range(0x80, 0x110000, every), ord("로"), 0x2502, 0xFF1C):
        term = terms.get(code, "Hard")
        read = read_as(chr(code))
        if read != {"Soft": "Hard", "Close": "Hard"}.get(term, term):
            reasons = [reason for reason, holds in TERM_DIFFERENCES.items() if holds(code, term, read)]
            assert reasons, (f"{code:04X}", term, read)
            found.update(reasons)
    assert len(found) >= len(TERM_DIFFERENCES) - 2


def test_brackets_pair_as_in_link_bracket() -> None:
    pairs = {int(opening, 16): codes[0] for codes, opening in properties("LinkBracket.txt")}
    assert len(pairs) > 60
    del pairs[ord("<")]  # the wrapper's own bracket, hard in a bare URL
    for opening, closing in pairs.items():
        # A letter in square brackets may be the text of a link in AsciiDoc.
        assert end_after(f"{chr(opening)}1{chr(closing)}") == 3, f"{opening:04X}"
        assert end_after(f"{chr(closing)}b") == 0, f"{closing:04X}"
        assert end_after(f"b{chr(opening)}") == 1, f"{opening:04X}"


def test_brackets_of_different_pairs_do_not_pair() -> None:
    pairs = {int(opening, 16): codes[0] for codes, opening in properties("LinkBracket.txt")}
    assert [
        (chr(opening), chr(closing))
        for opening in pairs
        for closing in [*pairs.values()][::7]
        if chr(opening) not in "<{" and closing != pairs[opening] and end_after(f"{chr(opening)}b{chr(closing)}c") != 2
    ] == []
