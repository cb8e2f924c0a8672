"""The record: `URLMatch.as_dict` keeps to the table of fields, in every format."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urlmend import find_urls, iter_urls
from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.security import may_warn, warnings
from urlmend.output.record import FIELDS, NAMES

SAMPLES = Path(__file__).parent.parent / "corpora" / "samples"
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "strings": list, "breaks": list}


def test_the_names_and_types_are_those_of_the_table() -> None:
    records = [match.as_dict() for match in iter_urls(SAMPLES)]
    for record in records:
        assert tuple(record) == NAMES
        for field in FIELDS:
            value = record[field.name]
            assert field.absent if value is None else type(value) is TYPES[field.type]
    assert json.loads(json.dumps(records)) == records
    assert len(records) > 1200


# the text; the names of the notes on its URL
NOTES: tuple[tuple[str, list[str]], ...] = (
    ("http://a.example/b", []),
    ("http://jane:secret@a.example/", ["password"]),
    ("ftp://a.example:25/", ["reserved-port"]),
    ("http://3232235521/", ["number-host"]),
    ("http://a.example/%0d", ["encoded-delimiter"]),
    ("http://www.a.example:pw@b.example:22/", ["reserved-port", "password", "host-in-login"]),
    ("http://xn--pple-43d.example/", ["confusable-host"]),
)


@pytest.mark.parametrize(("text", "names"), NOTES)
def test_warnings_are_the_names_of_the_notes(text: str, names: list[str]) -> None:
    (match,) = find_urls(text)
    assert match.as_dict()["warnings"] == names == [warning.name for warning in match.warnings]


PIECES = [
    "http:",
    "//",
    "a.example",
    "1",
    "0x7f.1",
    "xn--pple-43d",
    ".",
    ":",
    "80",
    "@",
    "/",
    "%0d",
    "%",
    "?",
    "é",
    "\u0430",
    "a",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map(lambda pieces: "http://" + "".join(pieces)))
def test_where_nothing_may_be_noted_nothing_is(text: str) -> None:
    url = parse_or_none(text)
    assert url is None or may_warn(text) or not warnings(url)
