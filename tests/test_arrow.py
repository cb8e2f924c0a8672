"""URLs of record batches: the same as those of each row's text by itself."""

import json
import pickle
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from cases import CASES
from urlmend import RFC1738, WEB, Rejected, URLMatch, find_urls, iter_urls
from urlmend.extract import Join
from urlmend.writers.jsonl import FIELDS, escaped, record

pa: Any = pytest.importorskip("pyarrow")

from urlmend.arrow import SCHEMA, extract_batches, schema_for  # noqa: E402 -- skipped without pyarrow

SAMPLES = Path(__file__).parents[1] / "corpora" / "samples"
TEXTS = [case.text for case in CASES.values()]
OTHERS = ("target", "record", "rejected", "rule", "pos")


def batch(texts: Iterable[Any], type: Any = None) -> Any:  # noqa: A002 -- Arrow's type
    texts = list(texts)
    return pa.record_batch({"id": pa.array(range(len(texts)), pa.int32()), "text": pa.array(texts, type)})


def rows(batches: Iterable[Any]) -> list[dict[str, Any]]:
    return [row for found in batches for row in found.to_pylist()]


def expected(matches: Iterable[tuple[int, URLMatch]]) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            **json.loads(escaped(json.dumps(record(match)))),
            "target": match.origin.target,
            "record": match.origin.record,
            "rejected": None,
            "rule": None,
            "pos": None,
        }
        for number, match in matches
    ]


def in_each(texts: Iterable[Any], **options: Any) -> Iterator[tuple[int, URLMatch]]:
    """The slow way: each text by itself."""
    for number, text in enumerate(texts):
        for match in find_urls(text, **options) if text else ():
            yield number, match


def test_the_schema_is_the_record_s_and_more() -> None:
    assert tuple(SCHEMA.names) == (*FIELDS, *OTHERS)
    assert schema_for(pa.schema([("a", pa.int8()), ("b", pa.binary())]), ("b", "a")).names == ["b", "a", *SCHEMA.names]


@pytest.mark.parametrize("join", ["wrapped", "evident", "none"])
def test_rows_are_those_of_each_text(join: Join) -> None:
    found = rows(extract_batches([batch(TEXTS)], join=join))
    assert found == expected(in_each(TEXTS, join=join))
    assert len(found) > 400


STRINGS = ["string", "large_string", "string_view"]
BINARIES = ["binary", "large_binary", "binary_view"]


@pytest.mark.parametrize("name", STRINGS + BINARIES)
@pytest.mark.parametrize("encoded", [False, True])
def test_types_of_texts(name: str, encoded: bool) -> None:
    texts = TEXTS if name in STRINGS else [text.encode() for text in TEXTS]
    given = batch(texts, getattr(pa, name)())
    if encoded and not name.endswith("view"):  # there are no dictionaries of views
        given = given.set_column(1, "text", given.column("text").dictionary_encode())
    found = list(extract_batches([given], keep=("id", "text")))
    assert all(made.schema.equals(schema_for(given.schema, ("id", "text"))) for made in found)
    assert rows(found) == [{"id": row["id"], "text": texts[row["id"]], **row} for row in expected(in_each(texts))]


def test_rejects_have_rows_of_their_own() -> None:
    (found,) = extract_batches([batch(["", "http://a.example:x/"])], rejects=True)
    assert found.to_pylist() == [
        {
            **dict.fromkeys(SCHEMA.names),
            "readings": [],
            "breaks": [],
            "departures": [],
            **dict.fromkeys(["raw", "rejected"], "http://a.example:x/"),
            "id": 1,
            "start": 0,
            "end": 19,
            "line": 1,
            "column": 1,
            "form": "bare",
            "ambiguous": False,
            "trimmed": "",
            "rule": "httpurl",
            "pos": 18,
        }
    ]


def test_rejects_are_those_of_each_text() -> None:
    refused: list[tuple[int, Rejected]] = []
    for number, text in enumerate(TEXTS):
        find_urls(text, profile=RFC1738, rejected=partial(lambda *told: refused.append(told), number))
    found = rows(extract_batches([batch(TEXTS)], profile=RFC1738, rejects=True))
    assert [row for row in found if row["rule"] is None] == expected(in_each(TEXTS, profile=RFC1738))
    assert [
        (row["id"], row["rejected"], row["rule"], row["pos"], row["start"], row["end"], row["raw"])
        for row in found
        if row["url"] is None
    ] == [(number, one.text, one.rule, one.pos, one.start, one.end, one.raw) for number, one in refused]
    assert len(refused) > 20


@pytest.mark.parametrize("source", ["auto", "mbox", "message", "text"])
def test_a_row_may_be_a_file(source: str) -> None:
    files = [path.read_bytes() for path in sorted(SAMPLES.rglob("*")) if path.is_file()]
    matches = [
        (number, match) for number, data in enumerate(files) for match in iter_urls(BytesIO(data), source=source)
    ]
    assert rows(extract_batches([batch(files)], source=source)) == expected(matches)
    assert len(matches) > 1000


NONE: list[list[str | None]] = [[], [None, None], ["", None], ["no URL: none"]]


@pytest.mark.parametrize("texts", NONE)
def test_of_nothing_there_is_no_batch(texts: list[str | None]) -> None:
    assert list(extract_batches([batch(texts, pa.string())])) == []
    assert list(extract_batches([batch([None] * len(texts), pa.null())])) == []


def test_batches_may_be_slices() -> None:
    whole = batch([None, *TEXTS, ""])
    cut = [whole.slice(start, 7) for start in range(0, whole.num_rows, 7)]
    assert rows(extract_batches(cut)) == rows(extract_batches([whole]))


@pytest.mark.parametrize("limits", [{"max_rows": 1}, {"max_rows": 7}, {"max_bytes": 1}, {"max_bytes": 2000}])
def test_batches_are_bounded(limits: dict[str, Any]) -> None:
    bounded = partial(extract_batches, [batch(TEXTS)], keep=("id", "text"), profile=RFC1738, rejects=True)
    found = list(bounded(**limits))
    assert max(made.num_rows for made in found) <= min(limits.get("max_rows", 15), limits.get("max_bytes", 2000))
    whole = rows(bounded())
    assert sorted(rows(found), key=str) == sorted(whole, key=str)


def test_pickling() -> None:
    extract = partial(extract_batches, profile=WEB.without("iri"), join="none", rejects=True)
    again = pickle.loads(pickle.dumps(extract))  # noqa: S301 -- written here
    assert rows(again([batch(TEXTS)])) == rows(extract([batch(TEXTS)]))


WRONG = [
    ({"source": "mail"}, ValueError, "source must be one of"),
    ({"join": "all"}, ValueError, "join must be one of wrapped"),
    ({"max_rows": 0}, ValueError, "max_rows must be at least 1"),
    ({"text": "body"}, ValueError, "no one column 'body' among id, text"),
    ({"keep": ["key"]}, ValueError, "no one column 'key' among id, text"),
    ({"text": "id"}, TypeError, "'id' holds int32, and not strings or bytes"),
    ({"source": "mbox"}, TypeError, "'text' holds string, but 'mbox' is read from bytes"),
]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_what_is_wrong_is_told(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        list(extract_batches([batch(["http://a.example/"])], **options))


def test_a_kept_column_has_a_name_of_its_own() -> None:
    with pytest.raises(ValueError, match="'url' cannot be kept"):
        schema_for(pa.schema([("url", pa.string())]), ["url"])
