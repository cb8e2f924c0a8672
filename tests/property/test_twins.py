"""Fast ways against slow and obvious ones: what they find is the same.

Some of the fast ways are not public, because their public results hide which way was taken.
"""

# ruff: noqa: RUF001 -- the look-alike characters are what is tested

import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from corpora.generate import generate

from cases import CASES
from invariants import LONG_WAY
from neighbours import LEFTS, NEXTS, TAILS, URLS, in_lines, rows, texts
from sample import some
from urlmend import WEB, Rejected, find_urls
from urlmend.query import JOINS, Join
from urlmend.scan import termination
from urlmend.scan.ordinary import _ordinary_or_trigger
from urlmend.scan.triggers import BEFORE_BRACKET, MAX_SCHEME_LENGTH, MAY_BE_SPLIT, trigger
from urlmend.text import engine, leaders, page_breaks
from urlmend.text.schemes import COMMON_SCHEMES, OPAQUE_SCHEMES, either_case

CORPORA = Path(os.environ.get("URLMEND_SHARED", "/nonexistent"), "corpora")
KINDS = ("mail", "news", "docs")
SIZES = [40_000, pytest.param(300_000, marks=pytest.mark.slow)]


@cache
def generated(kind: str, size: int) -> bytes:
    return b"".join(block for block, _ in generate(kind, size, 7, bare_breaks=True))


# URLs that are recognised by their shape


def check(data: str | bytes, join: Join = "evident") -> int:
    """Compare *data* with what is found if no URL is recognised by its shape; return how many URLs there are."""
    results: list[Any] = []
    for profile in (WEB, LONG_WAY):
        rejected: list[Rejected] = []
        found = find_urls(data, join=join, rejected=rejected.append, profile=profile)
        asked = [(match, match.parts, match.quoted, match.departures) for match in found]
        results.append((asked, rejected))
    assert results[0] == results[1], data
    return len(results[0][0])


def check_all(text: str) -> int:
    """Check *text* as text, as its octets, and as octets that are not UTF-8, with much text after them."""
    return check(text) + check(text.encode()) + check(text.encode("latin-1", "replace") + b" " * 5000)


@pytest.mark.slow
def test_cases() -> None:
    for case in CASES.values():
        check(f"x {case.text}\n")
        for variant in case.variants()[::2]:
            check(variant.text.encode())


@pytest.mark.parametrize("left", some(LEFTS))
@pytest.mark.parametrize("each", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_neighbours(left: str, each: int) -> None:
    """Each left side comes before every URL, with tails and next lines drawn at random."""
    random = Random(left)
    found = sum(
        check(in_lines(random, f"{left}{url}{random.choice(TAILS)}{random.choice(NEXTS)}"))
        for url in URLS
        for _ in range(each)
    )
    assert found > len(URLS) * each // 2


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
def test_changed_neighbours(seed: int) -> None:
    many = 1000 if seed else 150
    assert sum(check_all(text) for text in islice(texts(Random(seed)), many)) > many


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
def test_rows(seed: int) -> None:
    assert sum(check_all(text) for text in islice(rows(Random(seed)), 50 if seed else 8)) > 150


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_generated_corpora(kind: str, size: int) -> None:
    data = generated(kind, size)
    assert check(data) > 40
    for join in JOINS:
        check(data.replace(b"\n", b"\r\n"), join)


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.is_dir(), reason="URLMEND_SHARED is not set: the folder with corpora/")
def test_real_corpora() -> None:
    found = 0
    for path in sorted(path for path in CORPORA.rglob("*") if path.is_file()):
        data = path.read_bytes()
        found += check(data)
    assert found > 50_000


# PCRE2 and `re`: with URLMEND_ENGINE=pcre2 the tests of scanning use it for every text, which .ci/run does too

with_pcre2 = pytest.mark.skipif(
    find_spec("pcre2") is None or os.environ.get("URLMEND_ENGINE") == "re", reason="urlmend[fast] is not installed"
)
PATTERNS = {
    "ordinary": _ordinary_or_trigger(schemeless=False, addresses=False),
    "on request": _ordinary_or_trigger(schemeless=True, addresses=True),
    "triggers": trigger(),
}


def octets(size: int) -> Iterator[bytes]:
    rng = Random(1738)
    yield from (case.text.encode() for case in CASES.values())
    yield from (generated(kind, size) for kind in KINDS)
    for _ in range(size // 100):
        pieces = (rng.choice(part) for _ in range(rng.randint(1, 9)) for part in (LEFTS, URLS, TAILS, NEXTS))
        yield "".join(pieces).encode("utf-8" if rng.random() < 0.9 else "latin-1", "replace")
    for _ in range(size // 1000):
        yield rng.randbytes(2000) + b"://" + rng.randbytes(50)


@with_pcre2
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PATTERNS)
def test_pcre2_matches_what_re_matches(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LEAST_FOR_PCRE2", 0)
    pattern, compared = PATTERNS[name], 0
    for data in octets(size):
        found = engine._search_by_pcre2(pattern, data)  # noqa: SLF001 -- one of the two engines
        if found is not None:
            compared += 1
            assert list(found) == [match.span() for match in pattern.finditer(data.decode("latin-1"))], data
    assert compared > len(CASES)


@with_pcre2
@pytest.mark.parametrize(
    ("text", "used"),
    [
        (b"x http://a.example/b x", True),
        (b"x http://a.example/\xff\xfe\xc0\xc1 x", True),
        (b"x http://a.example/%s x" % (b"%20" * 100_000), False),  # its stack is full
    ],
)
def test_re_takes_over_where_pcre2_gives_up(text: bytes, used: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LEAST_FOR_PCRE2", 0)
    assert (engine._search_by_pcre2(PATTERNS["ordinary"], text) is not None) == used  # noqa: SLF001 -- as above
    found = find_urls(text)
    monkeypatch.setattr(engine, "_search_by_pcre2", lambda *_: None)
    assert found == find_urls(text)


# Triggers: what shows that a URL may be there

NAIVE = re.compile(
    ":(?:"
    r"(?P<slashes>//)(?<=[A-Za-z0-9+.\-]://)"
    r"|(?P<defanged>(?<=[A-Za-z0-9]\[:)(?://\]|\](?:/|\[/\]|\[//\]))|(?<=[A-Za-z0-9]:)(?:\[//\]|(?:/|\[/\])\[/\]|\[/\]/))"
    rf"|(?P<wrapper>(?<={either_case('url')}:))"
    r"|(?P<split>(?<=[A-Za-z0-9]:)/?[ \t]*[\r\n])"
    "|(?P<opaque>"
    + "|".join(
        rf"(?<={scheme.name if scheme.lower_case else either_case(scheme.name)}:){scheme.shape}"
        for scheme in OPAQUE_SCHEMES
    )
    + ")"
    "|(?P<opening>"
    + "|".join(f"(?<=<{either_case(scheme.name)}:)" for scheme in OPAQUE_SCHEMES)
    + "|"
    + "|".join(rf"(?<=<{either_case(name)}:)(?=[ \t])" for name in COMMON_SCHEMES)
    + "))",
    re.ASCII,
)
"""What shows that a URL may be there, written down without a thought of speed."""


@pytest.mark.parametrize("size", SIZES)
def test_triggers_are_those_of_the_naive_pattern(size: int) -> None:
    for text in (*(case.text for case in CASES.values()), *(generated(kind, size).decode() for kind in KINDS)):
        check_triggers(text)


def check_triggers(text: str) -> None:
    places = {match.start(): match for match in NAIVE.finditer(text)}
    kinds = {at: str(match.lastgroup) for at, match in places.items()}
    matches = list(trigger().finditer(text))
    found = {match.start(): str(match.lastgroup) for match in matches}
    hidden = {at for match in matches if match.lastgroup == "wrapper_filled" for at in range(*match.span())}
    missing = {at: kind for at, kind in kinds.items() if at not in found}
    for at in missing:
        before = text[max(0, at - MAX_SCHEME_LENGTH) : at]
        # If it turns out not to be a wrapper, the scanner searches its contents.
        if at in hidden:
            continue
        if kinds[at] == "wrapper":
            assert re.match("[^<>]*<|:$", text[at:]) or "<" not in text[max(0, at - 3 - BEFORE_BRACKET) : at - 3]
            continue
        assert kinds[at] == "split"
        assert not MAY_BE_SPLIT.search(before) or before.endswith(("wrote", "writes"))
    for at, kind in found.items():
        assert kind.partition("_")[0] in (kinds[at], "opening")


# Where a bare URL ends (SPEC 1.5), one character at a time

A = "http://a.example/"
ALPHABET = (
    *"aabL10",
    *"/?#=&%~_-+$@",
    *".,;:!?'*",
    *"()[]{}",
    *'|^\\<>"` \n\x00',
    *("é", "東", "。", "”", "…", "（", "）", "【", "】", "\u200b", "\u00a0"),
    *"'s Levi's .html &gt; &amp; &gt= ,http:// ;mailto: %20 {a} (a) @{ =* ?b=*".split(),
)
"""What the random strings are made of."""

_HARD = frozenset('<>"`\\} \n\x00。”…\u200b\u00a0')
_SOFT = frozenset(".,;:!?'*#")
_PAIRS = {")": "(", "]": "[", "）": "（", "】": "【"}
_ENTITIES = ("&gt", "&lt", "&quot", "&nbsp")


def twin(url: str, before: str) -> int:
    """Return where *url*, of which only the scheme is sure, ends: SPEC 1.5, one character at a time."""
    first = accepted = kept = url.index(":") + 1
    opened: list[str] = []
    query = False
    pos = first
    while pos < len(url) and not _ends(url, pos, before, opened, query=query):
        character = url[pos]
        if accepted == pos and _belongs(url, pos, before, query=query):
            accepted = kept = pos + 1
        pos = url.index("}", pos) + 1 if character == "{" else pos + 1
        query = query or character == "?"
        if character in _PAIRS.values():
            opened.append(character)
        elif character in _PAIRS:
            opened.pop()
        if character not in _SOFT and character not in _PAIRS.values() and character not in "|^":
            accepted = pos
    return _less_its_tail(url[kept:accepted], before) + kept


def _belongs(url: str, pos: int, before: str, *, query: bool) -> bool:
    """Return whether the soft character at *pos* may be last: an empty fragment, or a value of a query."""
    character = url[pos]
    after = url[pos + 1 :]
    # Before an "@" that ends no login, and before the second mark of an emphasis, it is not last.
    at_or_twin = ("@", "_" if before == "_" else "@")
    next_hard = after.lstrip(".:!?*'")
    if "#" not in url[: pos + 1] and next_hard.startswith("#"):
        next_hard = next_hard[1:].lstrip(".:!?*'")
    if before == character or after.startswith(character) or next_hard.startswith(at_or_twin):
        return False
    return (character == "#" and "#" not in url[:pos]) or (character == "*" and url[pos - 1] == "=" and query)


def _ends(  # noqa: PLR0911 -- one answer a class
    url: str, pos: int, before: str, opened: list[str], *, query: bool
) -> bool:
    """Return whether the character at *pos* ends the URL."""
    character, rest = url[pos], url[pos:]
    if character in _HARD:
        return True
    if rest.startswith("[]") and url[pos - 1] == "/" != url[pos - 2]:
        return True
    if character in _PAIRS:
        return not opened or opened[-1] != _PAIRS[character]
    if character == "#":
        return "#" in url[:pos]
    if character == "'":
        return before == "'"
    if character in ",;":
        return rest[1:].startswith(("http://", "mailto:"))
    if character == "&":
        # A parameter may be called "gt".
        after = [rest[len(entity) :] for entity in _ENTITIES if rest.startswith(entity)]
        return any(not tail or not (tail[0] == "=" or (tail[0].isascii() and tail[0].isalnum())) for tail in after)
    if character == "{":
        # Balanced: ASCII, no hard character, brace or slash between. "@{" is a command of AmigaGuide.
        inside, brace, _ = rest[1:].partition("}")
        return not brace or url[pos - 1] == "@" or any(one in '<>"`{/ \n\x00' or not one.isascii() for one in inside)
    if character in "|^":
        # As the corpora have them: in a query, before a character of a URL.
        return not query or not (rest[1:] and (rest[1] in "%~_-=|^" or (rest[1].isascii() and rest[1].isalnum())))
    return False


def _less_its_tail(text: str, before: str) -> int:
    """Return the length of *text* without soft characters, dashes, an empty login and emphasis at its end."""
    text = _less_dashes(text)
    if before == "_" and text.endswith(("_", "_'s")):
        text = _less_dashes(text[: text.rindex("_")])
    return len(text)


def _less_dashes(text: str) -> str:
    text = text.rstrip("".join((*_SOFT, *_PAIRS.values(), "@|^")))
    return _less_dashes(text[:-2]) if text.endswith("--") and not text.endswith("---") else text


@pytest.mark.parametrize("strings", [3000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_a_bare_url_ends_where_the_slow_twin_says(strings: int) -> None:
    rng = Random(58)
    lengths = Counter[int]()
    for _ in range(strings):
        text = A + "".join(rng.choices(ALPHABET, k=rng.randrange(1, 12)))
        before = rng.choice(("", "", "(", "'", "_", "#", "*"))
        end = termination.end_of(text, 0, 4, len(text), before).end
        assert end == twin(text, before), (text, before)
        lengths[end - len(A)] += 1
    assert len(lengths) > 10  # it is not always the same that ends them


# The text of lines between leaders and page breaks (SPEC 2.2, 2.3)

BITS = [
    "http://a.example/b",
    "b",
    "b c",
    *"\xad\u200b \t\f\x85\n\r",
    "\r\n",
    "\n\n",
    "\n \n",
    "-\n> b",
    "Maas [Page 7]\n",
]
BITS += [
    f"\n{mark} " for mark in (">", ">>", "> >", "|", "#", "//", "/*", " *", ";;", "%", "--", "dnl", "JD>", "12.", ":")
]
BITS += ["\n**/ b", "\n--b", "\n>>>>> b", "\nMemo 12  March 1996\n", ">", "#"]


def naive_lines(span: str, before: str) -> list[str]:
    """Return the visible text of each line of *span*, line by line and slowly."""
    first, *others = re.split(r"\r\r\n|\r\n|\r|\n", span)
    marks = leaders.leader(before)
    texts = [first, *(line[leaders.leader_end(line, marks) :] for line in others)]
    return [re.sub(rf"^[{leaders.UNSEEN}]+|[{leaders.UNSEEN}]+$", "", text) for text in texts]


@pytest.mark.parametrize("before", ["", "> ", ">> ", "> | ", "# ", "/* ", "JD> ", "12. ", ": ", "> # "])
def test_lines_are_read_between_their_leaders(before: str) -> None:
    marks = leaders.leader(before)
    random = Random(before)
    for _ in range(300):
        span = "".join(random.choices(BITS, k=random.randrange(12)))
        texts = naive_lines(span, before)
        kept = [texts[number] for number in page_breaks.without_furniture(texts)]
        expected = "\n".join(kept).strip("\n").split("\n")
        found = leaders.pieces(span, marks)
        assert (found is None) == ("" in expected != [""]), span
        if found:
            assert [span[start:end] for start, end in found] == expected, span
