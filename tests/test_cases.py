"""Every case of the table, found in a string, in bytes, and in files that give one character at a time."""

import io
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from cases import CASES, Case
from line_ends import variants
from urlmend import Rejected, URLMatch, find_urls, iter_urls

Result = tuple[list[URLMatch], list[Rejected]]


class OneByOne:
    """A file that gives one byte or character at a read, and has no other method."""

    def __init__(self, data: str | bytes) -> None:
        self._file: Any = io.StringIO(data, newline="") if isinstance(data, str) else io.BytesIO(data)

    def read(self, n: int) -> bytes | str:
        assert n > 0
        data: bytes | str = self._file.read(1)
        return data


def whole(data: str | bytes, **asked: Any) -> Result:
    rejected: list[Rejected] = []
    return find_urls(data, rejected=rejected.append, **asked), rejected


def one_by_one(data: str | bytes, **asked: Any) -> Result:
    rejected: list[Rejected] = []
    return list(iter_urls(OneByOne(data), source="text", rejected=rejected.append, **asked)), rejected


WAYS: dict[str, Callable[[Case], tuple[str | bytes, Result]]] = {
    "str": lambda case: (case.text, whole(case.text, **case.asked)),
    "bytes": lambda case: (case.text.encode(), whole(case.text.encode(), **case.asked)),
    "text file": lambda case: (case.text, one_by_one(case.text, **case.asked)),
    "binary file": lambda case: (case.text.encode(), one_by_one(case.text.encode(), **case.asked)),
}

ON_REQUEST = ("schemeless", "address", "defanged")
"""The forms whose URL is not what stands in the text."""


def params() -> list[Any]:
    """Return every case; those that must fail are marked."""
    return [
        pytest.param(case, id=name, marks=[pytest.mark.xfail(strict=True, reason=case.bug)] if case.bug else [])
        for name, case in CASES.items()
    ]


def place(data: str | bytes, start: int) -> tuple[int, int]:
    """Count lines and columns one character at a time."""
    text = data if isinstance(data, str) else data.decode("latin-1")
    line, column = 1, 1
    for index in range(start):
        ends = text[index] == "\n" or (text[index] == "\r" and text[index + 1 : index + 2] != "\n")
        line, column = (line + 1, 1) if ends else (line, column + 1)
    return line, column


def put_back(match: URLMatch) -> str:
    """Put what was taken out back into the URL."""
    raw = match.url
    for item in reversed(match.breaks):
        raw = raw[: item.at] + item.removed + raw[item.at + len(item.inserted) :]
    return raw


def as_hyphens(text: str) -> str:
    return text.replace("\u2010", "-")


def check(case: Case, way: str) -> None:
    data, (matches, rejected) = WAYS[way](case)
    sizes = [len(case.text[:n].encode()) if isinstance(data, bytes) else n for n in range(len(case.text) + 1)]

    assert [(match.form, match.start, match.end, match.readings) for match in matches] == [
        (expected.form, sizes[expected.start], sizes[expected.end], expected.readings) for expected in case.expected
    ]
    assert tuple(one.text for one in rejected) == case.rejects

    for match in matches:
        raw = data[match.start : match.end]
        assert (raw.decode() if isinstance(raw, bytes) else raw) == match.raw
        assert (match.line, match.column) == place(data, match.start)
        assert match.readings[0] == match.url == str(match) == str(match.parts)
        assert match.form in ON_REQUEST or as_hyphens(put_back(match)) == as_hyphens(match.raw)
        after = data[match.end :]
        assert (after.decode() if isinstance(after, bytes) else after).startswith(match.trimmed)
        assert not (match.trimmed and match.form in ("wrapper", "angle"))
    for one in rejected:
        raw = data[one.start : one.end]
        assert (raw.decode() if isinstance(raw, bytes) else raw) == one.raw
        assert (one.line, one.column) == place(data, one.start)


@pytest.mark.parametrize("case", params())
def test_case_under_every_line_end(case: Case) -> None:
    for variant, way in product((case, *variants(case)), WAYS):
        check(variant, way)


@pytest.mark.parametrize("case", [param for param in params() if not param.values[0].bug])
def test_less_is_joined_on_request(case: Case) -> None:
    for match in find_urls(case.text, join="none", **case.asked):
        assert match.breaks == ()
        assert match.form in ON_REQUEST or match.url == match.raw
        assert len(match.readings) == 1
    expected = {(one.form, one.readings) for one in case.expected if one.form in ("wrapper", "angle")}
    found = find_urls(case.text, join="wrapped", **case.asked)
    assert {(match.form, match.readings) for match in found if match.form in ("wrapper", "angle")} == expected
    assert all(match.url == match.raw for match in found if match.form in ("bare", "prefix"))
