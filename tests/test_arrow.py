"""URLs of record batches: the same as those of each row's text alone."""

import bz2
import gzip
import json
import lzma
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from cases import CASES
from files import ADDRESS, warc
from sample import SAMPLES, SMALL, some
from urlmend import RFC1738, WEB, Profile, Rejected, Selection, URLMatch, find_urls, iter_urls
from urlmend.record import NAMES, encodable

pa: Any = pytest.importorskip("pyarrow")

from urlmend.arrow import SCHEMA, extract_batches, schema_for  # noqa: E402 -- skipped without pyarrow

TEXTS = [case.text for case in CASES.values()][::3]


def batch(texts: Iterable[Any], type: Any = None) -> Any:  # noqa: A002 -- Arrow's type
    texts = list(texts)
    return pa.record_batch({"id": pa.array(range(len(texts)), pa.int32()), "text": pa.array(texts, type)})


def rows(batches: Iterable[Any]) -> list[dict[str, Any]]:
    return [row for found in batches for row in found.to_pylist()]


def expected(matches: Iterable[tuple[int, URLMatch]]) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            **json.loads(encodable(json.dumps(match.as_dict()))),
            "target_uri": match.origin.target_uri,
            "record": match.origin.record,
            "sent": match.origin.sent,
            **dict.fromkeys(("rejected", "rule", "pos")),
        }
        for number, match in matches
    ]


def in_each(texts: Iterable[Any], **options: Any) -> Iterator[tuple[int, URLMatch]]:
    """The slow way: one text at a time."""
    for number, text in enumerate(texts):
        for match in find_urls(text, **options) if text else ():
            yield number, match


def test_the_schema_begins_with_the_record() -> None:
    assert tuple(SCHEMA.names) == (*NAMES, "target_uri", "record", "sent", "rejected", "rule", "pos")
    assert schema_for(pa.schema([("a", pa.int8()), ("b", pa.binary())]), ("b", "a")).names == ["b", "a", *SCHEMA.names]


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"join": "wrapped"}, marks=pytest.mark.slow),
        pytest.param({"schemeless": True, "addresses": True, "refang": True}, marks=pytest.mark.slow),
    ],
)
def test_rows_are_those_of_each_text(options: Any) -> None:
    found = rows(extract_batches([batch(TEXTS)], **options))
    assert found == expected(in_each(TEXTS, **options))
    assert len(found) > 130


STRINGS = ["string", "large_string", "string_view"]
BINARIES = ["binary", "large_binary", "binary_view"]


@pytest.mark.parametrize("name", some(STRINGS + BINARIES, 2))
@pytest.mark.parametrize("encoded", [False, True])
def test_types_of_texts(name: str, encoded: bool) -> None:
    some = TEXTS[::8]
    texts = some if name in STRINGS else [text.encode() for text in some]
    given = batch(texts, getattr(pa, name)())
    if encoded and not name.endswith("view"):  # there are no dictionaries of views
        given = given.set_column(1, "text", given.column("text").dictionary_encode())
    found = list(extract_batches([given], keep=("id", "text")))
    assert all(made.schema.equals(schema_for(given.schema, ("id", "text"))) for made in found)
    assert rows(found) == [{"id": row["id"], "text": texts[row["id"]], **row} for row in expected(in_each(texts))]


KEPT = (
    pa.array(["a", "b" * 20_000, "c"], pa.string_view()),
    pa.array([["a"], [], None], pa.list_(pa.string_view())),
    pa.array([{"x": "a"}, None, {}], pa.struct([("x", pa.string_view())])),
    pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]),
    pa.array(["a", "b", "a"]).dictionary_encode(),
)


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: str(kept.type))
def test_types_of_columns_that_are_kept(kept: Any) -> None:
    given = batch([TEXT, "", TEXT * 2]).append_column("kept", kept)
    (found,) = extract_batches([given], keep=["kept"], max_bytes=20_000)
    assert found.column("kept").to_pylist() == [kept[row].as_py() for row in (0, 2, 2)]


def test_rejects_have_rows_of_their_own() -> None:
    (found,) = extract_batches([batch(["", "http://a.example:x/"])], rejects=True)
    place = {"start": 0, "end": 19, "line": 1, "column": 1, "form": "bare", "exact": True}
    flags = {"ambiguous": False, "signature": False, "trimmed": "", "rule": "httpurl", "pos": 18, "id": 1}
    lists: dict[str, list[Any]] = {name: [] for name in ("readings", "breaks", "departures", "warnings")}
    texts = dict.fromkeys(["raw", "rejected"], "http://a.example:x/")
    absent = dict.fromkeys(("url", "scheme", "host", "confidence", "quoted", "source", "sent", "target", "domain"))
    (row,) = found.to_pylist()
    assert row == row | lists | texts | place | flags | absent


def test_rejects_are_those_of_each_text() -> None:
    refused: list[tuple[int, Rejected]] = []
    for number, text in enumerate(TEXTS):
        find_urls(text, profile=RFC1738, rejected=partial(lambda *one: refused.append(one), number))
    found = rows(extract_batches([batch(TEXTS)], profile=RFC1738, rejects=True))
    assert [row for row in found if row["rule"] is None] == expected(in_each(TEXTS, profile=RFC1738))
    assert [
        (row["id"], row["rejected"], row["rule"], row["pos"], row["start"], row["end"], row["raw"])
        for row in found
        if row["url"] is None
    ] == [(number, one.text, one.rule, one.pos, one.start, one.end, one.raw) for number, one in refused]
    assert len(refused) > 20


def test_a_selection_chooses_messages_and_counts_those_without_a_date() -> None:
    body = "\n\nhttp://a.example/ http://a.example:x/\n"
    heads = ("Date: 7 Jul 2003 10:00 +0000", "Date: 7 Jul 2004 10:00 +0000", "Date: never")
    selection = Selection(since="2004")
    digest = "Content-Type: multipart/digest; boundary=b\n\n" + f"--b\n\nDate: never{body}" * 2
    mail = batch([text.encode() for text in (*(f"{head}{body}" for head in heads), digest)])
    found = rows(extract_batches([mail], source="message", selection=selection, rejects=True))
    assert [(row["id"], row["url"] or row["rejected"]) for row in found] == [
        (1, "http://a.example/"),
        (1, "http://a.example:x/"),
    ]
    assert selection.undated == 3


@pytest.mark.parametrize(
    ("source", "paths"),
    [pytest.param("auto", SAMPLES, marks=pytest.mark.slow), ("mbox", SMALL), ("message", SMALL), ("text", SMALL)],
)
def test_a_row_may_be_a_file(source: str, paths: list[Path]) -> None:
    files = [path.read_bytes() for path in paths]
    matches = [
        (number, match) for number, data in enumerate(files) for match in iter_urls(BytesIO(data), source=source)
    ]
    assert rows(extract_batches([batch(files)], source=source)) == expected(matches)
    assert len(matches) > (1000 if paths is SAMPLES else 100)


TEXT = "see http://a.example/b\n"
FILES = {
    "UTF-8 with a mark": TEXT.encode("utf-8-sig"),
    "overstruck": b"N\bNAME\nhttp://a.exa\bample/b\n",
    "UTF-16 with a mark": TEXT.encode("utf-16"),
    "UTF-16": (TEXT * 9).encode("utf-16-le"),
    "UTF-16, the other way": (TEXT * 9).encode("utf-16-be"),
    "Latin-1": b"\xfcber " + TEXT.encode(),
    "gzip": gzip.compress(TEXT.encode()),
    "bzip2": bz2.compress(TEXT.encode()),
    "xz": lzma.compress(TEXT.encode()),
    "pzstd": b"\x50\x2a\x4d\x18\x04\0\0\0size" + pa.compress(TEXT.encode(), codec="zstd", asbytes=True),
    "one byte": b"h",
    "like bzip2": b"BZhou: " + TEXT.encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_bytes_are_read_as_a_text_file_is(name: str) -> None:
    matches = [(0, match) for match in iter_urls(BytesIO(FILES[name]), source="text")]
    assert rows(extract_batches([batch([FILES[name]])])) == expected(matches)
    assert bool(matches) == (name != "one byte")


def test_a_row_that_ends_early_gives_its_urls_and_a_reject() -> None:
    file = gzip.compress(TEXT.encode() + random.Random(1738).randbytes(100_000))[:90_000]
    texts = [b"http://a.example/", file, b"http://b.example/"]
    found = rows(extract_batches([batch(texts)], rejects=True))
    urls = ["http://a.example/", "http://a.example/b", "http://b.example/"]
    assert [(row["id"], row["url"]) for row in found if row["rule"] is None] == list(enumerate(urls))
    (fault,) = (row for row in found if row["rule"] == "source")
    assert fault["id"] == 1
    assert "ends early" in fault["rejected"]
    assert [row["url"] for row in rows(extract_batches([batch(texts)]))] == urls


def test_records_of_a_web_archive_have_their_address() -> None:
    record = warc("conversion", "text/plain", TEXT.encode())
    (found,) = rows(extract_batches([batch([record])], source="auto"))
    place = record.index(b"http://a.example/b")
    assert (found["url"], found["target_uri"], found["record"], found["message"], found["start"]) == (
        *("http://a.example/b", ADDRESS, "urn:uuid:1", 1),
        place,
    )


@pytest.mark.parametrize("kind", [str, str.encode])
def test_a_long_row_comes_in_bounded_batches(kind: Callable[[str], str | bytes]) -> None:
    text = kind("".join(f"http://a.example/{n} http://b.example:x/ {'prose ' * 5_000}\n" for n in range(50)))
    refused: list[Rejected] = []
    starts = [match.start for match in find_urls(text, rejected=refused.append)]
    found = list(extract_batches([batch([text])], rejects=True, max_rows=20))
    assert max(made.num_rows for made in found) == 20
    assert not [each for made in found for each in SCHEMA if not each.nullable and made[each.name].null_count]
    assert [row for made in found for row in made["start"].to_pylist() if made["url"].null_count == 0] == starts
    assert sum(made.num_rows for made in found) == len(starts) + len(refused) == 100


@pytest.mark.parametrize("texts", [[], [None, None], ["", None], ["no URL: none"]])
def test_rows_without_urls_give_no_batch(texts: list[str | None]) -> None:
    assert list(extract_batches([batch(texts, pa.string())])) == []
    assert list(extract_batches([batch([None] * len(texts), pa.null())])) == []


@pytest.mark.slow
def test_batches_may_be_slices() -> None:
    whole = batch([None, *TEXTS, ""])
    cut = [whole.slice(start, 7) for start in range(0, whole.num_rows, 7)]
    assert rows(extract_batches(cut)) == rows(extract_batches([whole]))


@pytest.mark.parametrize("limits", some([{"max_rows": 1}, {"max_rows": 7}, {"max_bytes": 1}, {"max_bytes": 2000}]))
def test_batches_are_bounded(limits: dict[str, Any]) -> None:
    bounded = partial(extract_batches, [batch(TEXTS[::4])], keep=("id", "text"), profile=RFC1738, rejects=True)
    found = list(bounded(**limits))
    assert max(made.num_rows for made in found) <= min(limits.get("max_rows", 15), limits.get("max_bytes", 2000))
    assert sorted(rows(found), key=str) == sorted(rows(bounded()), key=str)


@pytest.mark.slow
@pytest.mark.parametrize("profile", [RFC1738, WEB.without("iri")])
def test_the_function_can_be_pickled(profile: Profile) -> None:
    extract = partial(extract_batches, keep=["id"], profile=profile, join="none", rejects=True)
    given = batch(TEXTS[::20])
    code = (
        "import pickle, sys; extract, batch = pickle.loads(sys.stdin.buffer.read());"
        " sys.stdout.buffer.write(pickle.dumps(list(extract([batch]))))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=pickle.dumps((extract, given)), capture_output=True, check=True, timeout=60)  # noqa: S603
    assert pickle.loads(done.stdout) == list(extract([given]))  # noqa: S301 -- written here
    assert pickle.loads(pickle.dumps(profile)) == profile  # noqa: S301 -- written here


GIVEN = [batch(["http://a.example/"])]
WRONG: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    (GIVEN, {"source": "mail"}, ValueError, "source must be one of"),
    (GIVEN, {"join": "all"}, ValueError, "join must be one of wrapped"),
    (GIVEN, {"max_rows": 0}, ValueError, "max_rows must be at least 1"),
    (GIVEN, {"max_bytes": 0}, ValueError, "max_bytes must be at least 1"),
    (GIVEN, {"profile": 1}, TypeError, "profile must be a Profile"),
    (GIVEN, {"profile": "html"}, ValueError, "profile must be one of web, rfc1738, not 'html'"),
    (GIVEN, {"reject": True}, TypeError, "unknown option 'reject': choose from profile, join"),
    (GIVEN, {"text": 1}, TypeError, "text must be the name of a column, not 1"),
    (GIVEN, {"keep": "id"}, TypeError, "keep must be a list of names of columns, not the string 'id'"),
    (GIVEN, {"text": "body"}, ValueError, "no column or more than one is called 'body'; the columns are id, text"),
    (GIVEN, {"keep": ["key"]}, ValueError, "no column or more than one is called 'key'"),
    (GIVEN, {"text": "id"}, TypeError, "'id' holds int32, not strings or bytes"),
    (GIVEN, {"source": "mbox"}, TypeError, "'text' holds string, but 'mbox' is read from bytes"),
    (GIVEN[0], {}, TypeError, "an iterable of record batches, not one RecordBatch"),
    ("http://a.example/", {}, TypeError, "an iterable of record batches, not one str"),
    (None, {}, TypeError, "not iterable"),
    ([pa.Table.from_batches(GIVEN)], {}, TypeError, "pyarrow.RecordBatch objects, not Table"),
]


@pytest.mark.parametrize(("batches", "options", "error", "message"), WRONG)
def test_invalid_arguments_raise(batches: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        list(extract_batches(batches, **options))


def test_a_kept_column_has_a_name_of_its_own() -> None:
    with pytest.raises(ValueError, match="'url' cannot be kept"):
        schema_for(pa.schema([("url", pa.string())]), ["url"])
