"""HTML and JSON files by themselves, and files that hold no text."""

import io
import json
import logging
import tracemalloc
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urlmend import URLMatch, iter_texts, iter_urls
from urlmend.sources import json as json_source
from urlmend.sources.recognise import TOOLS, not_text, recognise

# Recognition

KINDS: tuple[tuple[str, bytes], ...] = (
    ("html", b"<!DOCTYPE html>\n<p>"),
    ("html", b"\xef\xbb\xbf\n <!-- saved -->\n<HTML lang=en>"),
    ("html", b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'>"),
    ("html", b"<html>\n"),
    ("html", b"<head\n>"),
    ("html", "\ufeff<html><body>".encode("utf-16-le")),
    ("text", b"<html-like> tags\n"),
    ("text", b"<http://a.example/b>\n"),
    ("text", b"<URL:http://a.example/b>\n"),
    ("text", b"<?xml version='1.0'?>\n<feed>http://a.example/</feed>\n" + b" " * 1024),
    ("text", b"<h"),
    ("jsonl", b'{"a": 1}\n{"a": 2}\n'),
    ("jsonl", b'["a"]\n'),
    ("jsonl", b'\xef\xbb\xbf{"a": 1}\n\n{"a": 2}\n'),
    ("json", b'{\n "a": "b"}\n'),
    ("json", b'[{"a": 1},\n{"a": 2}]\n'),
    ("json", b"[1, 2,\n3]\n"),
    ("text", b"[1] http://a.example/\n[2] http://b.example/\n"),
    ("text", b"[1]\nhttp://a.example/\n"),
    ("text", b"[2024-01-01 12:00] http://a.example/\n"),
    ("text", b"[section]\nkey = http://a.example/\n"),
    ("text", b"{curly} http://a.example/\n"),
    ("text", b"[[http://a.example/|wiki]]\n"),
)


@pytest.mark.parametrize(("name", "head"), KINDS, ids=[repr(head[:30]) for _, head in KINDS])
def test_recognition(name: str, head: bytes) -> None:
    assert recognise(head, whole=True) == name
    told = (recognise(head[:size], whole=False) for size in range(len(head) + 1))
    assert next((kind for kind in told if kind is not None), name) == name


# HTML

PAGE = (
    "<html><head>{meta}</head><body><a href='http://a.example/ü?x=1&amp;y=2'>ü</a>\n<p>see http://b.example/ü.</body>"
)


@pytest.mark.parametrize(
    ("meta", "charset"),
    [
        ("", "utf-8"),
        ("", "latin-1"),
        ("", "utf-8-sig"),
        ("", "utf-16"),
        ("<meta charset=iso-8859-1>", "latin-1"),
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta http-equiv=content-type content='text/html; charset=koi8-u'>", "utf-8-sig"),
        ("<meta charset=nobody-knows>", "utf-8"),
    ],
)
def test_html(meta: str, charset: str) -> None:
    data = PAGE.format(meta=meta).encode(charset)
    for source in ("auto", "html"):
        first, second = iter_urls(io.BytesIO(data), source=source)
        assert (first.url, first.origin.attributes) == ("http://a.example/ü?x=1&y=2", True)
        assert (second.url, second.line, second.exact) == ("http://b.example/ü", 2, True)
        assert data[second.start : second.end].decode(charset.removesuffix("-sig").replace("16", "16-le")) == second.url


# JSON

JSON: dict[str, tuple[bytes, list[tuple[str | None, str, bool]]]] = {
    "escapes": (
        b'{"a": "http:\\/\\/a.example\\/b", "c": ["x http://b.example/?a=1\\u0026b=2."]}',
        [("/a", "http://a.example/b", False), ("/c/0", "http://b.example/?a=1&b=2", False)],
    ),
    "keys": (
        b'{"http://k.example/": {"~/": "http://a.example/"}}',
        [
            ("/http:~1~1k.example~1", "http://k.example/", True),
            ("/http:~1~1k.example~1/~0~1", "http://a.example/", True),
        ],
    ),
    "beyond ASCII": ('["é http://a.example/é"]'.encode(), [("/0", "http://a.example/é", True)]),
    "a line end": (b'"http://a.example/torn/\\npath.html"\n', [("", "http://a.example/torn/path.html", False)]),
    "twice": (b'["http://a.example/", "http://a.example/"]', [("/0", "http://a.example/", True)] * 2),
    "half a pair": (b'["\\ud800 http://a.example/"]', [("/0", "http://a.example/", False)]),
    "no JSON": (b'{"a": "http://a.example/"', [(None, "http://a.example/", True)]),
    "a key twice": (
        b'{"a": "http://a.example/", "a": "http://b.example/"}',
        [("/a", "http://a.example/", True), ("/a", "http://b.example/", True)],
    ),
    "a long path": (
        b'{"%s": [[], {"%s": [{}, 1, "http://a.example/"]}]}' % (b"k" * 700, b"l" * 700),
        [(f"/{'k' * 499}…{'l' * 497}/2", "http://a.example/", True)],
    ),
    "nothing": (b"", []),
}


@pytest.mark.parametrize("name", JSON)
def test_json(name: str) -> None:
    data, wanted = JSON[name]
    found = list(iter_urls(io.BytesIO(data), source="json"))
    parts = [part for part, _, _ in wanted]
    if name == "twice":
        parts = ["/0", "/1"]
    assert [(match.origin.part, match.url, match.exact) for match in found] == [
        (part, url, exact) for part, (_, url, exact) in zip(parts, wanted, strict=True)
    ]
    for match in found:
        if match.exact:
            assert data[match.start : match.end].decode() == match.raw
            assert match.column == match.start - data.rfind(b"\n", 0, match.start)


def test_json_lines() -> None:
    data = b'\xef\xbb\xbf{"a":"http://a.example/"}\n\n{"a": http://b.example/\n["http:\\/\\/c.example\\/"]'
    told = [(m.url, m.origin.message, m.origin.part, m.line, m.exact) for m in iter_urls(io.BytesIO(data))]
    assert told == [
        ("http://a.example/", 1, "/a", 1, True),
        ("http://b.example/", 2, None, 3, True),
        ("http://c.example/", 3, "/0", 4, False),
    ]


def test_what_is_too_long_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_source, "MAX_SIZE", 1000)
    long = b'{"a": "%s http://a.example/ http:\\/\\/b.example"}' % (b"x" * 2000)
    for source in ("json", "jsonl"):
        (match,) = iter_urls(io.BytesIO(long + b"\n"), source=source)
        assert (match.url, match.start, match.origin.part) == ("http://a.example/", long.index(b"http:"), None)
        assert "read as text" in match.origin.defects[0]


def test_what_nests_deep_is_no_error() -> None:
    for data in (b"[" * 100_000, b'{"a":' * 5000 + b'"http://a.example/"' + b"}" * 5000):
        assert len(list(iter_urls(io.BytesIO(data)))) == data.count(b"http:")


@pytest.mark.parametrize("nested", [1, 200])
def test_long_paths_cost_no_more_than_their_length(nested: int) -> None:
    key = b"k" * (400_000 // nested)
    strings = b",".join([b'"http://a.example/"'] * 2000)
    data = b'{"%b":' % key * nested + b"[" + strings + b"]" + b"}" * nested
    tracemalloc.start()
    longest = max(len(match.origin.part or "") for match in iter_urls(io.BytesIO(data)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert longest <= json_source.MAX_PATH + len("/1999")
    assert peak < 10 * len(data)


def urls(matches: Iterable[URLMatch]) -> list[str]:
    return [match.url for match in matches]


@settings(max_examples=30, deadline=None)
@given(
    st.recursive(
        st.sampled_from(["http://a.example/é", "x", 'http://b.example/"q', "\n http://c.example/", 7]), st.lists
    )
)
def test_every_string_is_found(value: Any) -> None:
    def strings(value: Any) -> list[str]:
        return (
            [value]
            if isinstance(value, str)
            else [s for v in value for s in strings(v)]
            if isinstance(value, list)
            else []
        )

    wanted = [url for text in strings(value) for url in urls(iter_urls(io.StringIO(text)))]
    for ascii_only in (True, False):
        data = json.dumps(value, ensure_ascii=ascii_only).encode()
        assert urls(iter_urls(io.BytesIO(data), source="json")) == wanted
        assert urls(iter_urls(io.BytesIO(data + b"\n"), source="jsonl")) == wanted


# What is no text

NO_TEXT: tuple[tuple[str, bytes], ...] = (
    ("PDF", b"%PDF-1.7\n1 0 obj\n"),
    ("PNG image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ("JPEG image", b"\xff\xd8\xff\xe0\0\x10JFIF\0"),
    ("GIF image", b"GIF89a\1\0\1\0"),
    ("sound", b"ID3\3\0\0\0\0"),
    ("sound", b"RIFF\x24\0\0\0WAVEfmt "),
    ("film", b"\0\0\0\x20ftypisom"),
    ("ELF program", b"\x7fELF\2\1\1\0"),
    ("Windows program", b"MZ\x90\0\3\0\0\0"),
    ("older Office file", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0"),
    ("SQLite database", b"SQLite format 3\0\x10\0"),
    ("binary data", bytes(range(256)) * 2),
    ("", b"GIF89a is an image format: http://a.example/\n"),
    ("", b"MZ and BM are initials\n"),
    ("", "Übergrößenträger http://a.example/\n".encode("latin-1") * 20),
    ("", "\ufeffhttp://a.example/\n".encode("utf-16") * 30),
    ("", "http://a.example/\n".encode("utf-16-be") * 30),
    ("", b"http://a.example/\0http://b.example/\0" * 20),
    ("", b"\0" * 600),
    ("", b""),
)


@pytest.mark.parametrize(("kind", "data"), NO_TEXT, ids=[repr(data[:16]) for _, data in NO_TEXT])
def test_what_is_no_text(kind: str, data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    assert not_text(data, whole=True) == kind
    told = (not_text(data[:size], whole=False) for size in range(len(data) + 1))
    assert next((answer for answer in told if answer is not None), kind) == kind
    with caplog.at_level(logging.WARNING, "urlmend"):
        texts = list(iter_texts(io.BytesIO(data)))
    assert [record.getMessage() for record in caplog.records] == (
        [f"skipped: {kind}" + (f"; try {TOOLS[kind]}" if kind in TOOLS else "")] if kind else []
    )
    assert not (kind and texts)
    assert data in {b"", b"\xff\xfe"} or list(iter_texts(io.BytesIO(data), "text"))


@pytest.mark.parametrize(
    ("bad", "told"), [(1, "line 3 is read as text: "), (4, "line 3 and 3 more are read as text: ")]
)
def test_lines_that_are_no_json_are_told_once(bad: int, told: str, caplog: pytest.LogCaptureFixture) -> None:
    data = b'{"a": 1}\n{"a": 2}\n' + b"{http://a.example/\n" * bad
    with caplog.at_level(logging.WARNING, "urlmend"):
        assert len(list(iter_urls(io.BytesIO(data)))) == bad
    (record,) = caplog.records
    assert record.getMessage() == f"{told}not JSON, or longer than {json_source.MAX_SIZE} bytes"


def test_an_mbox_with_nuls_stays_one() -> None:
    data = b"From jane@a.example Sat Feb 17 10:00:00 1996\nFrom: a\n\n\0\1\2\3\0 http://a.example/\n" + b"\0\1" * 500
    (match,) = iter_urls(io.BytesIO(data))
    assert match.origin.message == 1
