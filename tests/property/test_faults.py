"""Random texts under all profiles: the place of the fault, departures, and nothing raised but `URLSyntaxError`.

`URLMEND_FUZZ` in the environment says how many random texts the tests marked `slow` try (2,000 if it is not set).
"""

import json
import os
import re
import subprocess
import sys
from functools import cache
from itertools import product
from random import Random

import pytest
import regex
from hypothesis import given, settings, strategies as st

import bnf
from test_parse import FORMS, TABLES, WIDER
from urlmend import RFC1738, WEB, find_urls, parse, unwrap
from urlmend.facts import facts_of
from urlmend.grammar import rfc1738
from urlmend.grammar.diagnosis import URLSyntaxError
from urlmend.grammar.parser import departures, parse_or_none, production_template
from urlmend.grammar.security import warnings

SEED = 3986
FUZZ = int(os.environ.get("URLMEND_FUZZ", "2000"))
WEB_URLS: list[str] = list(TABLES["parts"]["web"])


def sizes(whole: int) -> list[object]:
    """A twentieth, and, where slow tests run, the whole."""
    return [whole // 20, pytest.param(whole, marks=pytest.mark.slow)]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def refused(text: str) -> list[URLSyntaxError]:
    """The errors for *text* under the profiles that refuse it, each with its place, and its caret under the place."""
    errors = []
    for profile in (RFC1738, WEB):
        url = parse_or_none(text, profile)
        if url is not None:
            assert str(parse(text, profile)) == text
            continue
        with pytest.raises(URLSyntaxError) as caught:
            parse(text, profile)
        error = caught.value
        assert error.text == text
        assert error.rule in profile.rules
        assert 0 <= error.pos <= len(text)
        # Split as a terminal would see it: nothing of the text may break the lines.
        head, shown, caret = str(error).splitlines()
        assert head.startswith(f"{error.rule}: unexpected ")
        start = max(0, error.pos - 60)
        assert shown[2:] == "".join(ch if ch.isprintable() else "\ufffd" for ch in text[start : error.pos + 20])
        assert caret == f"{' ' * (error.pos - start + 2)}^"
        errors.append(error)
    return errors


# The place of a fault under WEB, by `regex`, which knows whether a match could continue


@cache
def partial(rule: str) -> regex.Pattern[str]:
    return regex.compile(rfc1738.expand(production_template(rule, WEB), WEB.rules), regex.ASCII | regex.DOTALL)


def candidates(text: str) -> list[regex.Pattern[str]]:
    """The patterns of the URLs that *text* may become."""
    scheme, colon, _ = text.partition(":")
    if colon:
        return [partial(rule) for rule in WEB.productions.get(scheme.lower(), ("otherurl",))]
    return [partial(rule) for rule in ("otherurl", *(rule for row in WEB.productions.values() for rule in row))]


def continues(prefix: str) -> bool:
    """Return whether some URL of WEB starts with *prefix*."""
    return any(pattern.fullmatch(prefix, partial=True) for pattern in candidates(prefix))


def farthest(text: str) -> int:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if continues(text[:middle]) else (low, middle - 1)
    return low


@pytest.mark.parametrize("size", sizes(2000))
def test_a_fault_on_the_web_is_where_no_match_continues(size: int) -> None:
    random = Random(SEED)
    wrong, judged = [], 0
    for _ in range(size):
        text = bnf.mutated(random.choice(WEB_URLS), random)
        if random.random() < 0.3:
            text = bnf.mutated(text or "x", random)
        # The grammar takes the whole of a text that only IDNA refuses.
        if parse_or_none(text) is None and not any(pattern.fullmatch(text) for pattern in candidates(text)):
            judged += 1
            error = refused(text)[-1]
            if error.pos != farthest(text):
                wrong.append((text, error.pos))
    assert wrong == []
    assert judged > size // 10


# Departures, worked out without signs


@pytest.mark.slow
def test_quick_signs_miss_no_departure() -> None:
    random = Random(SEED)
    names = set[str]()
    without = {each.name: WEB.without(each.name) for each in WIDER}
    for _ in range(3000):
        text = random.choice(list(TABLES["departures"]))
        for _ in range(random.randrange(3)):
            text = bnf.mutated(text or "x", random)
        url = parse_or_none(text)
        if url is not None:
            slowly = tuple(name for name, profile in without.items() if parse_or_none(text, profile) != url)
            expected = () if parse_or_none(text, RFC1738) == url else slowly
            assert departures(text) == expected, text
            names.update(expected)
    assert names >= {departure.name for departure in WIDER} - {"iri"}


# Nothing else is raised

STARTS = (*FORMS, "", "file:", "https://", "mailto:", "mailto:a@", "mailto:a@b?", "news:", "news://", "news:a@", "x:")
STARTS += ("http://a", "http://a:", "http://a@", "http://[", "http://a/?", "http://a/#", "gopher://h/", "ftp://h/")
STARTS += ("nntp://h/a", "wais://h/", "wais://h/a?", "prospero://h/", "prospero://h/a;")
# Characters that IDNA judges: joiners, right-to-left letters, marks, digits, dots.
HOST_PIECES = [
    *"a1-_.l\xfc\xdf\u0131\u0130\u200d\u200c\u0301\u05d0\u0660\u06f0\u30fb\xb7\u0375\u05f3\u3002\uff0e\u2024"
]
HOST_PIECES += ["xn--", "%61", *"\u00ad\u0f0b\ufb01\u1e9e\u2260\U0001f600"]


def random_text(random: Random) -> str:
    match random.randrange(5):
        case 0:
            return random.choice(STARTS) + random.randbytes(random.randrange(40)).decode("latin-1")
        case 1:
            return random.choice(STARTS) + "".join(chr(int(0x110000 ** random.random())) for _ in range(20))
        case 2:
            return random.choice(STARTS) + "".join(random.choices("ab1.:/@%?#;=&[]_-~,+*", k=random.randrange(20)))
        case 3:
            host = "".join(
                random.choices([*HOST_PIECES, chr(random.randrange(0xA0, 0x30000))], k=random.randrange(1, 9))
            )
            return f"{random.choice(('http', 'ftp', 'x', 'news'))}://{host}{random.choice(('', '/', ':80', '/a.b'))}"
        case _:
            text = random.choice((*WEB_URLS, bnf.generate(random.choice(list(bnf.SCHEMES)), random)))
            for _ in range(random.randrange(6)):
                text = bnf.mutated(text or "x", random)
            return text


@pytest.mark.parametrize("size", sizes(FUZZ))
def test_parse_returns_or_raises_one_error_for_any_text(size: int) -> None:
    random = Random(SEED)
    faults = sum(len(refused(random_text(random))) for _ in range(size))
    assert size // 2 < faults < size * 2


RUNS = (*"a1.-_/:@%?#;=&~([ \x00\xfc\u4e2d\ud800", "a.", "a-", "1.", "a@", "a:", "%41", "//", "/a", ";a=b", "a/1")
RUNS += ("::", "1:", "?a", "#a", ",a@b", "http://", "\xfc.")


@pytest.mark.slow
def test_long_runs_of_anything_take_linear_time() -> None:
    """In quadratic time, some of these would take minutes, and the test ends after two."""
    for start, run in product(STARTS, RUNS):
        refused(start + run * (4000 // len(run)))


@pytest.mark.slow
def test_the_same_text_has_the_same_error_in_every_process() -> None:
    """Rules are counted over many runs, so the choice among equals must not depend on where objects are in memory."""
    program = (
        "import sys, json\n"
        "junk = [object() for _ in range(int(sys.argv[1]))][::3]\n"
        "from urlmend.grammar.parser import diagnose\n"
        "print([(e.rule, e.pos, e.expected) for text in json.load(sys.stdin) for e in [diagnose(text)]])\n"
    )
    texts = json.dumps([text for table in TABLES["faults"].values() for text in table if parse_or_none(text) is None])
    said = {
        subprocess.run(  # noqa: S603 -- this very Python
            [sys.executable, "-c", program, size], input=texts, env=environment(), text=True, check=True,
            capture_output=True, timeout=60,
        ).stdout
        for size in ("0", "77777")
    }  # fmt: skip
    assert len(said) == 1
    assert len(said.pop()) > len(texts)


NOTED = (*"http: // a.example 1 0x7f.1 xn--pple-43d . : 80 8080 @ / %0d %7c % ?".split(), "\u0430")


@settings(deadline=None)
@given(st.sampled_from(("http", "ftp", "news", "mailto", "git")), st.lists(st.sampled_from(NOTED), max_size=8))
def test_quick_looks_agree_with_the_grammar(scheme: str, pieces: list[str]) -> None:
    text = f"{scheme}://{''.join(pieces)}"
    url = parse_or_none(text)
    assert url is None or (facts_of(text).host == url.host and facts_of(text).warnings == (*warnings(url),))


OUTER = [outer for table in TABLES["wrapped"].values() for outer in table]
BITS = (*"% %2 %ff & &amp; = ? # * **z __; ! - -3 url=".split(), "\n", "\xe9", "\ud800")


@settings(deadline=None)
@given(st.sampled_from(OUTER), st.lists(st.tuples(st.integers(0, 300), st.integers(0, 9), st.sampled_from(BITS))))
def test_unwrapping_anything_gives_a_url_or_none(text: str, changes: list[tuple[int, int, str]]) -> None:
    for start, size, piece in changes:
        text = text[:start] + piece + text[start + size :]
    found = unwrap(text)
    assert found is None or parse_or_none(found) is not None
    for match in find_urls(text):
        assert match.target is None or re.match("(?i:https?|ftp)://", match.target)
