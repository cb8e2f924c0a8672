"""What is found does not depend on how the input is cut (SPEC 4.1).

`URLMEND_CHUNKINGS` is the number of random chunkings of the 1 MB text, 20 if it is not set. The tests of a release run
10 000. Where not all cuts are tried by default, those that are marked slow are.
"""

import importlib.util
import io
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from cases import CASES, Case
from line_ends import variants
from urlmend import Rejected, Scanner, URLMatch, iter_urls

CHUNKINGS = int(os.environ.get("URLMEND_CHUNKINGS", "20"))
CUTS = 4
"""How many two-way cuts of each case are tried by default."""

SIZE = 1_000_000
LONGEST_CHUNK = 200_000
GENERATOR = Path(__file__).parent.parent / "corpora" / "generate.py"
WORDS = b"a letter of the old library has 12:30 std::map Note: that < is > Subject:x (or) -- >".split()

Result = tuple[list[URLMatch], list[Rejected]]


def scan(pieces: Sequence[bytes | str], **asked: Any) -> Result:
    """Feed *pieces*; the matches are those of all feeds and of the close."""
    rejected: list[Rejected] = []
    scanner = Scanner(rejected=rejected.append, **asked)
    matches = [match for piece in pieces for match in scanner.feed(piece)]
    return matches + scanner.close(), rejected


def cuts(case: Case) -> Iterator[int]:
    """Every place in a case; in the filling of a long one, which is the same all over, every 61st."""
    near = [place for one in case.expected for place in (one.start, one.end)] or [0]
    for cut in range(1, len(case.text)):
        if len(case.text) < 1000 or cut % 61 == 0 or min(abs(cut - place) for place in near) < 100:
            yield cut


def generated(kind: str, size: int, seed: int) -> list[bytes]:
    spec = importlib.util.spec_from_file_location("corpora_generate", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [block for block, _ in module.generate(kind, size, seed, bare_breaks=True)]


@cache
def megabyte() -> tuple[bytes, Result]:
    """All cases and 70 kB of each generated kind, scattered over prose; and what is in it."""
    rng = random.Random(1738)
    blocks = [case.text.encode() for case in CASES.values()]
    blocks += [block for kind in ("mail", "news", "docs") for block in generated(kind, 70_000, 1738)]
    missing = SIZE - sum(map(len, blocks))
    while missing > 0:
        words = rng.choices(WORDS, k=rng.randrange(50, 400))
        blocks.append(b"".join(word + rng.choice((b" ", b" ", b" ", b" ", b"\n")) for word in words))
        missing -= len(blocks[-1])
    rng.shuffle(blocks)
    text = b"\n\n".join(blocks)
    return text, scan([text])


def check_random_chunkings(numbers: range) -> None:
    text, expected = megabyte()
    for number in numbers:
        rng = random.Random(number)
        longest = int(2 ** rng.uniform(12, 18)) if number % 10 else 500
        places = [0]
        while places[-1] < len(text):
            places.append(places[-1] + rng.randint(1, min(longest, LONGEST_CHUNK)))
        found = scan([text[start:end] for start, end in pairwise(places)])
        assert found == expected, f"chunking {number}"


def check_cuts(case: Case, cuts: Iterable[int], *, binary: bool) -> None:
    """Compare *case* in one piece with one character at a time, and with two pieces at each of *cuts*."""
    data: Any = case.text.encode() if binary else case.text
    expected = scan([data], **case.asked)
    assert scan([data[n : n + 1] for n in range(len(data))], **case.asked) == expected
    for cut in cuts:
        place = len(case.text[:cut].encode()) if binary else cut
        assert scan([data[:place], data[place:]], **case.asked) == expected, (data[:place], data[place:])


def some(cuts: Iterable[int], case: Case) -> list[int]:
    every = list(cuts)
    return random.Random(case.text).sample(every, min(len(every), CUTS))


@pytest.mark.parametrize("name", CASES)
def test_one_character_at_a_time_and_some_two_way_cuts(name: str) -> None:
    case = CASES[name]
    for variant, binary in product((case, *variants(case)), (False, True)):
        check_cuts(variant, some(cuts(variant), variant), binary=binary)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_two_way_cut(name: str) -> None:
    case = CASES[name]
    for variant, binary in product((case, *variants(case)), (False, True)):
        check_cuts(variant, cuts(variant), binary=binary)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.text.isascii()])
def test_every_cut_inside_a_character(name: str) -> None:
    data, asked = CASES[name].text.encode(), CASES[name].asked
    expected = scan([data], **asked)
    for place in range(1, len(data)):
        assert scan([data[:place], data[place:]], **asked) == expected, data[:place]


def test_empty_pieces_change_nothing() -> None:
    text, expected = "see <URL:http://a.example/b>", scan(["see <URL:http://a.example/b>"])
    assert scan([piece for character in text for piece in ("", character, "")]) == expected
    assert scan([]) == scan([""]) == ([], [])


def test_two_random_chunkings_of_a_megabyte() -> None:
    assert len(megabyte()[0]) >= SIZE
    assert len(megabyte()[1][0]) > 1200
    check_random_chunkings(range(2))


@pytest.mark.slow
def test_random_chunkings_of_a_megabyte() -> None:
    check_random_chunkings(range(2, CHUNKINGS))


@pytest.mark.slow
def test_a_megabyte_one_byte_at_a_time() -> None:
    text, expected = megabyte()
    assert scan([text[n : n + 1] for n in range(len(text))]) == expected


def test_binary_and_text_files_of_the_same_ascii_text_give_the_same() -> None:
    text = megabyte()[0].decode("ascii", "replace").replace("\ufffd", "?")
    results: list[Result] = []
    for file in (io.BytesIO(text.encode("ascii")), io.StringIO(text, newline="")):
        rejected: list[Rejected] = []
        results.append((list(iter_urls(file, source="text", rejected=rejected.append)), rejected))
    assert results[0] == results[1]
    assert len(results[0][0]) > 1200


@pytest.mark.parametrize("line_end", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_lines_are_counted_wherever_their_ends_are_cut(line_end: str) -> None:
    lines = f"x{line_end}" * 1500
    text = f"{lines}http://a.example/b {lines}"
    for cut in (*range(1, 20), *range(20, len(text) - 20, 97), *range(len(text) - 20, len(text))):
        (match,) = scan([text[:cut], text[cut:]])[0]
        assert (match.line, match.column) == (1501, 1), cut
