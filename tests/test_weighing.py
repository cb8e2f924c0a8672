"""The weighing is pinned: how sure it is at line ends, to two digits. `python tests/test_weighing.py` writes them anew.

The default test has line ends in the style of real ones: each URL with each next line, in narrow and in wide text. A
slow one has real line ends, of which only the figures are kept here.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from urlmend import find_urls

PINNED = Path(__file__).with_name("data") / "weighed.txt"
SEAMS = Path(os.environ.get("URLMEND_SHARED", "/nonexistent"), "gold", "seams")

URLS = {
    "a path": "http://www.a.example/docs/library",
    "a slash": "http://www.a.example/docs/",
    "a hyphen": "http://www.a.example/docs/user-",
    "a dot": "http://www.a.example/docs/user.",
    "a value": "https://a.example/show.cgi?item=",
    "a file": "ftp://ftp.a.example/pub/docs/readme.txt",
    "a host": "http://lists.a.example",
    "a long path": "http://www.a.example/archive/2003/06/msg00417/attach",
}
NEXTS = {
    "prose": "which has all of the details that you asked for",
    "a rare word": "gnus and other readers show them in a thread",
    "a name": "Jane said that it was there the other day",
    "a piece": "guide/chapter-two.html",
    "a piece, prose": "guide/chapter.html and the pages that follow",
    "a suffix": "html",
    "digits": "20030617.txt",
    "a word alone": "library",
    "a parameter": "42&sort=date",
    "indented prose": "      and some more of the same text, set apart",
}
WIDTHS = (38, 50, 60, 72)
WORDS = "so the list of what they said on that day is long and it may be found again in the old letters of ours".split()
WHOLE = "http://www.a.example/docs/library.html"


def lines(width: int, count: int) -> str:
    """Return *count* lines of words, which are up to *width* wide."""
    words = WORDS * (count * 4)
    made = []
    for _ in range(count):
        line = words.pop()
        while len(line) + 1 + len(words[-1]) <= width:
            line += " " + words.pop()
        made.append(line)
    return "\n".join(made)


def shown(text: str, at: int) -> str:
    """Return how the URL at *at* in *text* is found: `+` if it is joined, `-` if not, and its confidence."""
    match = next((match for match in find_urls(text) if match.start == at), None)
    return f"{'+' if match.mended else '-'}{match.confidence:.2f}" if match else "none"


def line_end(url: str, after: str, width: int) -> str:
    """Return how *url* is found at the end of its line, filled up to *width*, before the line *after*."""
    before = f"{lines(width, 4)}\n{lines(max(8, width - len(url) - 1), 1)} "
    return shown(f"{before}{url}\n{after}\n{lines(width, 4)}\n", len(before))


def unbroken_nearby(distance: int, size: int = 8) -> str:
    """Return how a URL is found that is also unbroken, *distance* characters after its second part of *size*."""
    before = f"{lines(60, 3)}\nsee "
    apart = lines(60, 9)[:distance]
    return shown(f"{before}{WHOLE[:-size]}\n{WHOLE[-size:]} {apart} {WHOLE} too\n", len(before))


def crowded(count: int) -> str:
    """Return how a URL is found that has *count* others before it."""
    before = "so a://b\n" * count + "see it in "
    return shown(f"{before}{URLS['a path']}\nguide/chapter.html for more\n{lines(60, 9)}\n", len(before))


def exactly(width: int, after: str = "xmms plays all of them", above: str = "") -> str:
    """Return how a URL is found in a line of this *width* before a word that is not in the list of words."""
    url = URLS["a slash"]
    before = f"{above or lines(60, 3)}\n{' '.join(WORDS)[: width - len(url) - 1]} "
    return shown(f"{before}{url}\n{after}\n{lines(60, 3)}\n", len(before))


def after_wide_lines(distance: int) -> str:
    """Return how a URL is found in narrow lines, *distance* characters after wide ones."""
    return exactly(59, above=f"{lines(80, 4)}\n{lines(59, 30)[:distance]}")


def styled() -> Iterator[str]:
    for end, url in URLS.items():
        for width in WIDTHS:
            yield f"{end}, {width}: " + " ".join(line_end(url, after, width) for after in NEXTS.values())
    yield "unbroken nearby: " + " ".join(unbroken_nearby(distance) for distance in range(230, 330, 10))
    yield "pieces: " + " ".join(unbroken_nearby(100, size) for size in range(1, 9))
    yield "widths: " + " ".join(exactly(width) for width in (*range(48, 64), *range(80, 92)))
    yield "crowds: " + " ".join(crowded(count) for count in range(24, 40))
    yield "lines before: " + " ".join(after_wide_lines(distance) for distance in range(600, 880, 20))
    yield "words: " + " ".join(exactly(59, "xanthippe"[:size]) for size in range(1, 10))


def real() -> Iterator[str]:
    """Yield how two hundred line ends of mailing lists are found, ten in a line."""
    with (SEAMS / "lists.jsonl").open(encoding="utf-8") as file:
        seams = [seam for seam in map(json.loads, file) if "torn" in seam][::9]
    found = [shown(seam["before"] + seam["torn"] + seam["after"], len(seam["before"])) for seam in seams[:200]]
    for at in range(0, len(found), 10):
        yield f"real, {at}: " + " ".join(found[at : at + 10])


def pinned(*, is_real: bool) -> list[str]:
    return [line for line in PINNED.read_text("utf-8").splitlines() if line.startswith("real") == is_real]


@pytest.mark.parametrize(
    ("find", "is_real"),
    [
        (styled, False),
        pytest.param(
            real,
            True,
            marks=[pytest.mark.slow, pytest.mark.skipif(not SEAMS.is_dir(), reason="URLMEND_SHARED is not set")],
        ),
    ],
)
def test_line_ends_are_weighed_as_before(find: Callable[[], Iterator[str]], is_real: bool) -> None:
    assert list(find()) == pinned(is_real=is_real)


if __name__ == "__main__":
    kept = real() if SEAMS.is_dir() else pinned(is_real=True)
    PINNED.write_text("\n".join([*styled(), *kept]) + "\n", "utf-8")
