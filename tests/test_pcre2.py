"""PCRE2 (`urlmend[fast]`) finds what `re` finds, and where it gives up `re` goes on.

With URLMEND_ENGINE=pcre2 the tests of scanning use it for every text, which .ci/run does too.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora.generate import generate

from cases import CASES
from neighbours import LEFTS, NEXTS, TAILS, URLS
from urlmend import find_urls
from urlmend.scan import ordinary
from urlmend.scan.ordinary import _ordinary_or_trigger
from urlmend.scan.triggers import trigger

pytest.importorskip("pcre2", reason="urlmend[fast] is not installed")
if ordinary._ENGINE == "re":  # noqa: SLF001 -- asked not to
    pytest.skip("URLMEND_ENGINE=re", allow_module_level=True)

PATTERNS = {
    "ordinary": _ordinary_or_trigger(schemeless=False, addresses=False, octets=True),
    "on request": _ordinary_or_trigger(schemeless=True, addresses=True, octets=True),
    "triggers": trigger(),
}
SAMPLE = Path(__file__).parents[1] / "corpora/samples/list.mbox"


@pytest.fixture(autouse=True)
def _of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordinary, "LEAST_FOR_PCRE2", 0)


def texts() -> Iterator[bytes]:
    rng = random.Random(1738)
    yield from (case.text.encode() for case in CASES.values())
    for kind in ("mail", "news", "docs"):
        yield b"".join(block for block, _ in generate(kind, 300_000, 7, bare_breaks=True))
    yield SAMPLE.read_bytes()
    for _ in range(3000):
        pieces = (rng.choice(part) for _ in range(rng.randint(1, 9)) for part in (LEFTS, URLS, TAILS, NEXTS))
        yield "".join(pieces).encode("utf-8" if rng.random() < 0.9 else "latin-1", "replace")
    for _ in range(300):
        yield rng.randbytes(2000) + b"://" + rng.randbytes(50)


@pytest.mark.parametrize("name", PATTERNS)
def test_matches_are_those_of_re(name: str) -> None:
    pattern, compared = PATTERNS[name], 0
    for octets in texts():
        found = ordinary._search_by_pcre2(pattern, octets)  # noqa: SLF001 -- the one of the two engines
        if found is not None:
            compared += 1
            assert list(found) == [match.span() for match in pattern.finditer(octets.decode("latin-1"))], octets
    assert compared > 3000


@pytest.mark.parametrize(
    ("text", "used"),
    [
        (b"x http://a.example/b x", True),
        (b"x http://a.example/\xff x", True),
        (b"x http://a.example/\xff\xfe\xc0\xc1 x", False),  # what matches may be marked with
        (b"x http://a.example/%s x" % (b"%20" * 100_000), False),  # its stack is full
    ],
)
def test_where_it_gives_up_re_goes_on(text: bytes, used: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (ordinary._search_by_pcre2(PATTERNS["ordinary"], text) is not None) == used  # noqa: SLF001 -- as above
    found = find_urls(text)
    monkeypatch.setattr(ordinary, "_search_by_pcre2", lambda *_: None)
    assert found == find_urls(text)
