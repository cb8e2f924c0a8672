"""What stands around a broken URL: its lines, whatever the text is cut into."""

import random
from collections.abc import Iterator
from itertools import chain

import pytest

from urlmend.output.database.surroundings import AROUND, HELD, Surroundings
from urlmend.resolver import Settings
from urlmend.scanner import match_batches
from urlmend.sources import Origin, Text

LONG = "word " * 100

CASES: tuple[tuple[str, list[tuple[str, str]]], ...] = (
    ("see <URL:http://a.exam\nple/>.\nnext", [("see <URL:", ">.")]),
    ("above\r\nsee <URL:http://a.exam\r\nple/>.\r\nnext", [("see <URL:", ">.")]),
    ("<http://a-\nb.example/>", [("<", ">")]),
    ("http://whole.example/ and\n> so <http://a-\n> b.example/> on", [("> so <", "> on")]),
    (f"{LONG}<URL:http://a.exam\nple/>{LONG}", [(f"{LONG}<URL:"[-AROUND:], f">{LONG}"[:AROUND])]),
    ("http://whole.example/", []),
    ("é <URL:http://a.exam\nple/> ü\n", [("é <URL:", "> ü")]),
    (
        "<http://a-\nb.example/> x <http://c-\nd.example/>",
        [("<", "> x <http://c-"), ("b.example/> x <", ">")],
    ),
)
"""A text, and what stands before and behind each broken URL in it."""


def around(*texts: Text) -> list[tuple[str, str]]:
    seen = Surroundings()
    batches = match_batches(seen.texts(texts), Settings(), seen)
    told = [seen.around(match) for match in chain.from_iterable(batches)]
    return [pair for pair in told if pair is not None]


def pieces(data: str | bytes, sizes: Iterator[int], origin: Origin, offset: int = 0) -> Iterator[Text]:
    start = 0
    while start < len(data):
        stop = start + next(sizes)
        yield Text(data[start:stop], origin, offset + start)
        start = stop


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_lines_it_stands_in(text: str, expected: list[tuple[str, str]]) -> None:
    for data in (text, text.encode()):
        assert around(Text(data, Origin(), whole=True)) == expected
        for size in (1, 7, 64):
            assert around(*pieces(data, iter(lambda size=size: size, None), Origin(), 1000)) == expected  # type: ignore[misc]


def test_of_many_texts_each_has_its_own() -> None:
    texts = [piece for text, _ in CASES for piece in pieces(text, iter(lambda: 16, None), Origin())]
    assert around(*texts) == [pair for _, expected in CASES for pair in expected]


def test_a_character_that_is_cut_is_left_out() -> None:
    text = f"{'é' * AROUND}x<http://a-\nb.example/>x{'é' * AROUND}".encode()
    assert around(Text(text, Origin())) == [(f"{'é' * (AROUND // 2 - 1)}x<", f">x{'é' * (AROUND // 2 - 1)}")]


def test_much_text_is_not_held() -> None:
    """Of a long text only the latest is: and that is enough."""
    rng = random.Random(7)
    part = f"{LONG}\n{LONG}\n see <http://host-\nname.example/> there\n"
    text = part * (5 * HELD // len(part))
    seen = Surroundings()
    found = 0
    most = 0
    texts = seen.texts(pieces(text, iter(lambda: rng.randrange(1, 9000), None), Origin()))
    for match in chain.from_iterable(match_batches(texts, Settings(), seen)):
        assert seen.around(match) == (" see <", "> there")
        found += 1
        most = max(most, sum(len(data) for held in seen._held for _, data in held._pieces))  # noqa: SLF001 -- what is held
    assert found == 5 * HELD // len(part)
    assert most < 2 * HELD
