"""Where a bare URL ends: a table, a slow and obvious twin, and the classes of Unicode UTS #58."""

# ruff: noqa: RUF001 -- the look-alike characters are what is tested

import os
import random
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import regex

from urlmend.scan import termination
from urlmend.scan.termination import BareStart

A = "http://a.example/"

TABLE = (
    # the URL, what is cut from its tail, what the pass does not look at
    ("http://a.example/b", "", " c"),
    ("http://a.example/b", ".", " c"),
    ("http://a.example/b", "...,;:!?'*", " c"),
    ("http://a.example/b", "(", " c"),
    ("http://a.example/b", "([(", " c"),
    ("http://a.example/b", "(@", " c"),
    ("http://a.example/b's", "", " c"),
    ("http://a.example/b's's", ".", " c"),
    ("http://a.example/'s", "", " c"),
    ("http://a.example", "", "'s c"),
    ("http://a.example:80", "", "'s c"),
    ("news:comp.lang.c", "'s", " c"),
    ("http://a.example/b#", "", " c"),
    ("http://a.example/b#", ".", " c"),
    ("http://a.example/b#", "", '" c'),
    ("http://a.example#", "", " c"),
    ("http://a.example/b?c#", "", " d"),
    ("http://a.example/b", "##", " c"),
    ("http://a.example/b#c", "#", " d"),
    ("http://a.example/b", ".#", " d"),
    ("http://a.example/b?c=*", "", " d"),
    ("http://a.example/b?c=*&d=*", ".", " e"),
    ("http://a.example/b?c=", "**", " d"),
    ("http://a.example/b?c", "*", " d"),
    ("http://a.example/b=", "*", " d"),
    ("http://a.example", "{end}", " c"),
    ("http://a.example", "{p}", "Next"),
    ("http://a.example:80", "{p}", " c"),
    ("http://a.example", "==", " c"),
    ("http://a.example", "=20", " c"),
    ("http://a.example", "=", "b"),
    ("http://a.example", "$", " c"),
    ("http://a.example", "$1", ""),
    ("http://a.example", "**", "b"),
    ("http://a.example", "+", "b"),
    ("http://a.example", "...", "Click here"),
    ("http://a.example", "", "\ufffc"),
    ("http://a.example/b", "", "\ufffc"),
    ("http://a.example", "", "｜c"),
    ("http://a.example", "", "😀"),
    ("http://a.example", "", "いま"),
    ("http://a.example", "", "いま/b"),
    ("http://a.いま.example", "", " c"),
    ("http://a.いま", "", " c"),
    ("http://いま/b", "", " c"),
    ("http://aいま/b", "", " c"),
    ("http://jane*b@a.example", "{end}", ""),
    ("http://jane@a.example", "", "(b)"),
    ("http://a.example:8o/", "", " b"),
    # Nothing is cut off what goes on as a host.
    ("http://a*b.example/", "", " c"),
    ("http://a=2Eexample=2Eorg", "", " c"),
    ("http://a.{b}.example/", "", " c"),
    ("http://a.example", "", ",b@ c"),
    ("http://a.example/b", "（@", " c"),
    ("http://a.example/b['s", "", " c"),
    ("http://a.example/b", "", ")c"),
    ("http://a.example/b", "", "]c"),
    ("http://a.example/b(c)", "", ")"),
    ("http://a.example/b(c[d]e)", ".", ""),
    ("http://a.example/b(c", "", "]d)"),
    ("http://a.example/b", "", "<c"),
    ("http://a.example/b", "", ">c"),
    ("http://a.example/b", "", '"c'),
    ("http://a.example/b", "", "`c"),
    ("http://a.example/b", "", "\\c"),
    ("http://a.example/b", "", "|c"),
    ("http://a.example/b", "", "^c"),
    ("http://a.example/b", "", "{c"),
    ("http://a.example/b", "", "}c"),
    ("http://a.example/{b}c", "", " d"),
    ("http://a.example/b?c|d^e", "", " f"),
    ("http://a.example/b?c", "", "| d"),
    ("http://a.example/b", "", "&gt;c"),
    ("http://a.example/b", "", "&lt;c"),
    ("http://a.example/b", "", "&quot;c"),
    ("http://a.example/b&amp;c", "", ""),
    ("http://a.example/b?c&gt=d", "", ""),
    ("http://a.example/b", "", ",http://c"),
    ("http://a.example/b", "", ";mailto:c"),
    ("http://a.example/b,c", ",", ""),
    ("http://a.example/b", "", "\x00c"),
    ("http://a.example/b", "", "\tc"),
    ("http://a.example/b", "", "\r\nc"),
    ("http://a.example/b", "", "。c"),
    ("http://a.example/b", "", "，c"),
    ("http://a.example/b", "", "”c"),
    ("http://a.example/b", "", "…"),
    ("http://a.example/b", "", "\u00a0"),
    ("http://a.example/b", "", "\u200bc"),
    ("http://a.example/é", "", " c"),
    ("http://a.example/b【c】", "", "】"),
    ("http://a.example", "", ""),
    ("http://a.example", ".", ""),
    ("http://a.example", "", ", c"),
    ("http://a.example", "", ") c"),
    ("http://a.example", "", "&gt; c"),
    ("http://a.example", "", "&lt;br&gt;"),
    ("http://a.example", "", "”, c"),
    ("http://a.example", "", "…) c"),
    ("http://a.example", "", "|, c"),
    ("http://a.example", "", "。),"),
    ("http://a.example", "", "\u200b,"),
    ("http://a.example", ".", "», c"),
    ("http://bücher.example", "", ", c"),
    ("http://jane,b@a.example/", "", "”, c"),
    ("http://[::1]", "", ", c"),
    ("http://a.example/", "", "{b”c}"),
    ("mailto:jane@a.example", "", "”, c"),
    ("mailto:jane@a.example", ".", "» c"),
    ("mailto:jane@bücher.example", "", ", c"),
    ("mailto:jane@a.example?subject=b", "", "” c"),
    ("mailto:jane@a.example?ü=b", "", " c"),
    ("mailto:jane@a.example", ".", " c"),
    ("mailto:jane@a.example", "", ",c"),
    ("mailto:jane@a.example,ann@a.example", "", ", c"),
    ("mailto:jane@a.example?subject=b", ".", ""),
    ("urn:a:b", ":", ""),
)

ALPHABET = (
    *"aabL10",
    *"/?#=&%~_-+$@",
    *".,;:!?'*",
    *"()[]{}",
    *'|^\\<>"` \n\x00',
    *("é", "東", "。", "”", "…", "（", "）", "【", "】", "\u200b", "\u00a0"),
    *(
        "'s",
        "Levi's",
        ".html",
        "&gt;",
        "&amp;",
        "&gt=",
        ",http://",
        ";mailto:",
        "%20",
        "{a}",
        "(a)",
        "@{",
        "#",
        "=*",
        "?b=*",
    ),
)
"""What the random strings are made of."""

STRINGS = 50_000

HARD = frozenset('<>"`\\} \n\x00。”…\u200b\u00a0')
SOFT = frozenset(".,;:!?'*#")
PAIRS = {")": "(", "]": "[", "）": "（", "】": "【"}
ENTITIES = ("&gt", "&lt", "&quot", "&nbsp")


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
        if character in PAIRS.values():
            opened.append(character)
        elif character in PAIRS:
            opened.pop()
        if character not in SOFT and character not in PAIRS.values() and character not in "|^":
            accepted = pos
    return _less_its_tail(url[kept:accepted], before) + kept


def _belongs(url: str, pos: int, before: str, *, query: bool) -> bool:
    """Tell whether the soft character at *pos* may be last: an empty fragment, or a value of a query."""
    character = url[pos]
    behind = url[pos + 1 :]
    # What stands before an "@" that ends no login, or before an emphasis's twin, is not last.
    at_or_twin = ("@", "_" if before == "_" else "@")
    if before == character or behind.startswith(character) or behind.lstrip(".:!?*#'").startswith(at_or_twin):
        return False
    return (character == "#" and "#" not in url[:pos]) or (character == "*" and url[pos - 1] == "=" and query)


def _ends(  # noqa: PLR0911 -- one answer a class
    url: str, pos: int, before: str, opened: list[str], *, query: bool
) -> bool:
    """Tell whether the character at *pos* ends the URL."""
    character, rest = url[pos], url[pos:]
    if character in HARD:
        return True
    if character in PAIRS:
        return not opened or opened[-1] != PAIRS[character]
    if character == "'":
        return before == "'"
    if character in ",;":
        return rest[1:].startswith(("http://", "mailto:"))
    if character == "&":
        after = [
            rest[len(entity) :] for entity in ENTITIES if rest.startswith(entity)
        ]  # a parameter may be called "gt"
        return any(not tail or not (tail[0] == "=" or (tail[0].isascii() and tail[0].isalnum())) for tail in after)
    if character == "{":  # balanced: ASCII, no hard character, brace or slash between; no command of AmigaGuide, "@{"
        inside, brace, _ = rest[1:].partition("}")
        return not brace or url[pos - 1] == "@" or any(one in '<>"`{/ \n\x00' or not one.isascii() for one in inside)
    if character in "|^":  # as the corpora have them: in a query, before a character of a URL
        return not query or not (rest[1:] and (rest[1] in "%~_-=|^" or (rest[1].isascii() and rest[1].isalnum())))
    return False


def _less_its_tail(text: str, before: str) -> int:
    """Return the length of *text* without soft characters, an empty login and emphasis at its end."""
    never_last = "".join((*SOFT, *PAIRS.values(), "@|^"))
    text = text.rstrip(never_last)
    if before == "_" and text.endswith(("_", "_'s")):
        text = text[: text.rindex("_")].rstrip(never_last)
    return len(text)


@pytest.mark.parametrize(("url", "tail", "rest"), TABLE)
def test_extent(url: str, tail: str, rest: str) -> None:
    for left in ("", "see "):
        text = left + url + tail + rest
        extent = termination.end_of(text, BareStart(len(left), text.index(":")), len(text))
        assert text[len(left) : extent.end] == url
        assert text[extent.end : extent.stop] == tail


def test_what_stands_before_matters_for_quotes_and_emphasis() -> None:
    def end(text: str, before: str) -> str:
        return text[: termination.end_of(text, BareStart(0, text.index(":"), before), len(text)).end]

    assert end("http://a.example/it's'", "") == "http://a.example/it's"
    assert end("http://a.example/it'x'", "") == "http://a.example/it'x"
    assert end("http://a.example/it'x'", "'") == "http://a.example/it"
    assert end("http://a.example/it_ ", "") == "http://a.example/it_"
    assert end("http://a.example/it_ ", "_") == "http://a.example/it"
    assert end("http://a.example/it_'s ", "_") == "http://a.example/it"
    assert end("http://a.example/it# ", "#") == "http://a.example/it"
    assert end("http://a.example/?it=* ", "*") == "http://a.example/?it="


def test_the_strict_profile_ends_at_the_first_character_beyond_ascii() -> None:
    text = "http://a.example/bé/c"
    assert termination.end_of(text, BareStart(0, 4, ascii_only=True), len(text)).end == len("http://a.example/b")
    assert termination.end_of(text, BareStart(0, 4), len(text)).end == len(text)


def test_the_pass_says_where_the_text_goes_on_unended() -> None:
    assert termination.end_of("http://a.example/b...", BareStart(0, 4), 21) == (18, 21)


def test_the_twin_agrees() -> None:
    rng = random.Random(58)
    lengths = Counter[int]()
    for _ in range(STRINGS):
        text = A + "".join(rng.choices(ALPHABET, k=rng.randrange(1, 12)))
        before = rng.choice(("", "", "(", "'", "_", "#", "*"))
        end = termination.end_of(text, BareStart(0, 4, before), len(text)).end
        assert end == twin(text, before), (text, before)
        lengths[end - len(A)] += 1
    assert len(lengths) > 12  # it is not always the same that ends them


# Unicode UTS #58

SHARED = os.environ.get("URLMEND_SHARED", "")
needs_data = pytest.mark.skipif(not SHARED, reason="URLMEND_SHARED is not set: the folder with conformance/uts58/")


def properties(name: str) -> Iterator[tuple[range, str]]:
    """Read a file of Unicode properties: the code points of a line, and their value."""
    for line in Path(SHARED, "conformance", "uts58", name).read_text("utf-8").splitlines():
        fields = line.partition("#")[0].split(";")
        if len(fields) == 2:
            low, _, high = fields[0].strip().partition("..")
            yield range(int(low, 16), int(high or low, 16) + 1), fields[1].strip()


def end_after(text: str) -> int:
    """Return how many characters of *text* stand in the URL that it ends."""
    return termination.end_of(A + text, BareStart(0, 4), len(A + text)).end - len(A)


def read_as(character: str) -> str:
    """Return the Link_Term that *character* is treated as; `Hard` too for what ends the URL by itself."""
    if end_after(character) == 1:
        return "Include"
    return "Open" if end_after(character + "b") == 2 else "Hard"


_CONTROLS = frozenset([0x061C, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])

DIFFERENCES: Mapping[str, Callable[[int, str, str], bool]] = {
    "zero-width and bidi controls end a URL (SPEC 1.5), as they hide what it is": lambda code, term, read: (
        code in _CONTROLS and (term, read) == ("Include", "Hard")
    ),
    "a soft hyphen is not seen (SPEC 2.4): it may stand inside, and is dropped": lambda code, term, read: (
        code == 0xAD and (term, read) == ("Include", "Open")
    ),
    "an ellipsis is how texts cut URLs short, it is no part of one": lambda code, term, read: (
        code == 0x2026 and (term, read) == ("Include", "Hard")
    ),
    "specials and tags stand in no URL (RFC 3987, ucschar)": lambda code, term, read: (
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


@needs_data
def test_characters_beyond_ascii_are_read_by_their_link_term(capsys: pytest.CaptureFixture[str]) -> None:
    terms = {code: term for codes, term in properties("LinkTerm.txt") for code in codes if code > 0x7F}
    assert len(terms) > 150_000
    compared = 0
    differing = Counter[str]()
    unlisted = []
    for code in range(0x80, 0x110000):
        # Of what is Hard because nobody listed it, every 97th will do; of what is assigned, each.
        if code not in terms and code % 97 and unicodedata.category(chr(code)) in ("Cn", "Co", "Cs"):
            continue
        compared += 1
        term = terms.get(code, "Hard")
        read = read_as(chr(code))
        if read == {"Soft": "Hard", "Close": "Hard"}.get(term, term):
            continue
        reason = next((reason for reason, holds in DIFFERENCES.items() if holds(code, term, read)), None)
        if reason is None:
            unlisted.append((f"{code:04X}", term, read))
        else:
            differing[reason] += 1
    with capsys.disabled():
        print(f"\nUTS #58 Link_Term: {compared} code points compared, {differing.total()} differ:")
        for reason, count in differing.items():
            print(f"  {count:4}  {reason}")
    assert unlisted == []


@needs_data
def test_brackets_pair_as_in_link_bracket() -> None:
    pairs = {int(opening, 16): codes[0] for codes, opening in properties("LinkBracket.txt")}
    assert len(pairs) > 60
    del pairs[ord("<")]  # the wrapper's own bracket, hard in a bare URL
    for opening, closing in pairs.items():
        assert end_after(f"{chr(opening)}b{chr(closing)}") == 3, f"{opening:04X}"
        assert end_after(f"{chr(closing)}b") == 0, f"{closing:04X}"
        assert end_after(f"b{chr(opening)}") == 1, f"{opening:04X}"


@needs_data
def test_brackets_of_different_pairs_do_not_pair() -> None:
    pairs = {int(opening, 16): codes[0] for codes, opening in properties("LinkBracket.txt")}
    assert [
        (chr(opening), chr(closing))
        for opening in pairs
        for closing in pairs.values()
        if chr(opening) not in "<{" and closing != pairs[opening] and end_after(f"{chr(opening)}b{chr(closing)}c") != 2
    ] == []
