"""Files as they come: of a kind that their beginning shows, compressed, in directories; HTML and JSON by themselves."""

import bz2
import gzip
import io
import json
import logging
import lzma
import os
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from messages import CASES
from urlmend import iter_urls
from urlmend.sources import SOURCES, compression, iter_texts
from urlmend.sources import json as json_source
from urlmend.sources.compression import CompressionError, decompressed
from urlmend.sources.directories import files
from urlmend.sources.recognise import TOOLS, not_text, recognise

FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"


def urls(file: Any, source: str = "auto") -> list[str]:
    return [match.url for match in iter_urls(file, source=source)]


# Recognition: the beginning of a file, and what it is

KINDS: tuple[tuple[str, bytes], ...] = (
    ("mbox", FROM + b"From: jane@a.example\n\n"),
    ("mbox", FROM + b"\nno header\n"),
    ("mbox", b"From jane at a.example  Sat Feb  3 10:00:00 1996\nFrom: jane at a.example (Jane)\n"),
    ("mbox", b"From - Sat Feb 17 10:00:00 1996\nX-Mozilla-Status: 0001\n"),
    ("mbox", b"From -\nX-Mozilla-Status: 0001\n\n"),
    ("mbox", b"From jane@a.example\nReceived: from a.example\n"),
    ("mbox", b"From a!b!jane Sat Feb 17 10:00:00 MET 1996 remote from a\n>From jane Sat Feb 17\n"),
    ("mbox", b"\xef\xbb\xbf" + FROM + b"From: jane@a.example\n\n"),
    ("mbox", (FROM + b"From: jane@a.example\n\n").replace(b"\n", b"\r\n")),
    ("text", b"From what I see, it was in 1996\nthat it began.\n"),
    ("text", b"From jane@a.example\nand others.\n"),
    ("text", b"From"),
    ("message", b"Subject: x\n\nbody"),
    ("message", b"Received: from a\n\tby b\nSubject: x\n\n"),
    ("message", b"X-Whatever: x\r\n\r\n"),
    ("message", b"From: a\nTo: b\nDate: c\n"),
    ("message", b"From: a\nTo: b\nDate: c\nwithout an empty line"),
    ("message", b"From: a\nTo: b\nDate: c, and then the file en"),
    ("message", b"\xef\xbb\xbfSubject: x\n\n"),
    ("message", b"Path: a!b\nNewsgroups: c\n\n"),
    ("message", b"Subject: x\n" + b"X-Long: " + b"x" * 3000 + b"\n" + b"From: a\nDate: b\n" + b"X-More: y\n" * 200),
    ("text", b""),
    ("text", b"\n"),
    ("text", b"\nFrom: jane@a.example\n\n"),
    ("text", b"Note: this is prose.\n\nIt goes on.\n"),
    ("text", b"Subject: prose\nthat begins so\n\nIt goes on.\n"),
    ("text", b"http://a.example/\n\nhttp://b.example/\n"),
    ("text", b"\x89PNG\r\n\x1a\n\0\0"),
    ("text", b"word " * 2000),
    ("text", b"word: " + b"x" * 5000),
    ("rnews", b"#! rnews 12\n"),
    ("text", b"#! /bin/sh\n"),
    ("text", b"#! rnew"),
    ("warc", b"WARC/1.0\r\nWARC-Type: warcinfo\r\n"),
    ("text", b"WARC"),
    ("arc", b"filedesc://IA-001102.arc 0 19960923142103 text/plain 76\n"),
    ("text", b"filedesc"),
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


@pytest.mark.parametrize(("name", "head"), KINDS, ids=[repr(head[:40]) for _, head in KINDS])
def test_recognition(name: str, head: bytes) -> None:
    assert recognise(head, whole=True) == name
    told = (recognise(head[:size], whole=False) for size in range(len(head) + 1))
    assert next((kind for kind in told if kind is not None), name) == name


def test_there_is_a_case_for_each_kind() -> None:
    assert {name for name, _ in KINDS} == set(SOURCES) - {"auto", "public-inbox"}


@pytest.mark.parametrize("case", [case for case in CASES.values() if case.source != "text"], ids=lambda case: case.name)
def test_what_is_cut_off_anywhere_is_read(case: Any) -> None:
    whole = urls(io.BytesIO(case.data))
    for size in range(0, len(case.data), 13):
        # What is found in a beginning is of the file's URLs, or was cut.
        found = urls(io.BytesIO(case.data[:size]), case.source)
        assert len(found) <= len(whole) + 1


# Files opened as text


@pytest.mark.parametrize("source", sorted(set(SOURCES) - {"auto", "text", "warc"}))
def test_only_text_is_read_from_a_text_file(source: str) -> None:
    with pytest.raises(TypeError, match="binary"):
        urls(io.StringIO("From: jane@a.example\n\nhttp://a.example/b\n"), source)


def test_a_text_file_is_text() -> None:
    text = "From: jane@a.example\n\nhttp://a.example/ü http://a.example/b\n"
    matches = list(iter_urls(io.StringIO(text)))
    assert [(match.origin.part, text[match.start : match.end]) for match in matches] == [
        (None, "http://a.example/ü"),
        (None, "http://a.example/b"),
    ]


# Compressed files

_RANDOM = Random(1)
TEXT = b"".join(b"%s http://a.example/%d\n" % (_RANDOM.randbytes(100).hex().encode(), number) for number in range(2500))
ALL = [f"http://a.example/{number}" for number in range(2500)]


def zstd(data: bytes) -> bytes:
    module = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    # Without a checksum, what is corrupt may be other data.
    compressed: bytes = module.compress(data, options={module.CompressionParameter.checksum_flag: 1})
    return compressed


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compressed(name: str) -> None:
    compress = COMPRESSORS[name]
    assert urls(io.BytesIO(compress(TEXT))) == ALL
    assert urls(io.BytesIO(compress(b""))) == []
    mbox = FROM + b"From: jane@a.example\n\nhttp://a.example/b\n"
    (match,) = iter_urls(io.BytesIO(compress(mbox)))
    # Places are those in what the file holds.
    assert (mbox[match.start : match.end], match.origin.message) == (b"http://a.example/b", 1)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_several_members_are_one_file(name: str) -> None:
    compress = COMPRESSORS[name]
    assert urls(io.BytesIO(compress(TEXT[:100_001]) + compress(TEXT[100_001:]))) == ALL


class Short:
    """A file that gives one byte a read at first, then so many as are asked for."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)
        self._reads = 0

    def read(self, n: int) -> bytes:
        self._reads += 1
        return self._file.read(1 if self._reads < 50 else n)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compression_is_known_from_single_bytes(name: str) -> None:
    assert urls(Short(COMPRESSORS[name](TEXT))) == ALL


def until_it_breaks(data: bytes) -> tuple[list[str], str]:
    found: list[str] = []
    with pytest.raises(CompressionError) as error:
        found.extend(match.url for match in iter_urls(io.BytesIO(data)))
    assert isinstance(error.value, OSError)
    return found, str(error.value)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_what_a_corrupt_file_held_is_given_out_first(name: str) -> None:
    parts = [bytearray(COMPRESSORS[name](part)) for part in (TEXT[:200_000], TEXT[200_000:])]
    middle = len(parts[1]) // 2
    parts[1][middle : middle + 64] = bytes(64)
    found, message = until_it_breaks(bytes(parts[0] + parts[1]))
    assert message.startswith(f"the {name} data is corrupt, after ")
    held = TEXT[:200_000].count(b"\n")
    assert found[:held] == ALL[:held]


def test_zlib_ng_gives_what_zlib_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of broken data too: as much, and the same error."""
    pytest.importorskip("zlib_ng", reason="urlmend[fast] is not installed")
    rng = Random(1952)
    members = b"".join(gzip.compress(TEXT[start : start + 3000]) for start in range(0, 60_000, 3000))
    files = []
    for data in (members, gzip.compress(TEXT[:60_000])):
        for _ in range(60):
            broken = bytearray(data[: rng.randrange(6, 2 * len(data))])
            for at in rng.sample(range(2, len(broken)), rng.randrange(3)):
                broken[at] = rng.randrange(256)
            files.append(bytes(broken) + rng.choice([b"", b"", bytes(50), b"\x1f\x8b", b"else"]))

    def held(data: bytes) -> tuple[bytes, str]:
        pieces: list[bytes] = []
        try:
            file = decompressed(io.BytesIO(data))
            while piece := file.read(5000):
                pieces.append(piece)
        except CompressionError as error:
            return b"".join(pieces), str(error)
        return b"".join(pieces), ""

    by_zlib_ng = [held(data) for data in files]
    monkeypatch.setattr(compression, "_zlib", lambda: zlib)
    assert by_zlib_ng == [held(data) for data in files]
    assert len({error.partition(",")[0] for _, error in by_zlib_ng}) == len(["", "ends early", "is corrupt"])


@pytest.mark.parametrize("name", COMPRESSORS)
def test_every_truncation_says_so(name: str) -> None:
    data = COMPRESSORS[name](TEXT[:2000])
    for size in range(6, len(data), 7):
        found, message = until_it_breaks(data[:size])
        assert "ends early" in message
        assert found[:-1] == ALL[: max(0, len(found) - 1)]


def test_errors_of_the_file_itself_pass_through() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(100 if self.tell() else size)
            if not data or self.tell() > 1000:
                raise OSError(5, "Input/output error")
            return data[:500]

    with pytest.raises(OSError, match="Input/output error") as error:
        urls(Broken(bz2.compress(os.urandom(5000))))
    assert not isinstance(error.value, CompressionError)


# Directories


def folder(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"From: jane@a.example\n\nhttp://a.example/%s\n" % path.name.encode())
    return root


DIRECTORIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Maildir": (
        ("new/3.host", "cur/1.host:2,S", "cur/2.host:2,", "tmp/4.host", "maildirfolder", "dovecot-uidlist"),
        ("cur/1.host:2,S", "cur/2.host:2,", "new/3.host"),
    ),
    "Maildir with folders": (
        ("cur/1", "new/2", "tmp/3", ".list/cur/1", ".list/new/2", ".list/tmp/3"),
        (".list/cur/1", ".list/new/2", "cur/1", "new/2"),
    ),
    "MH": (("1", "2", "10", "9", ".mh_sequences", "list/3"), ("1", "2", "9", "10", "list/3")),
    "news spool": (
        ("comp/lang/c/100", "comp/lang/c/99", "comp/1", "alt/.overview", "alt/5"),
        ("alt/5", "comp/1", "comp/lang/c/99", "comp/lang/c/100"),
    ),
    "any tree": (("tmp/b", "a.txt", "tmp/a", "A"), ("A", "a.txt", "tmp/a", "tmp/b")),
}


@pytest.mark.parametrize("name", DIRECTORIES)
def test_directory(name: str, tmp_path: Path) -> None:
    names, order = DIRECTORIES[name]
    root = folder(tmp_path, *names)
    assert [str(Path(path).relative_to(root)) for path in files(str(root))] == list(order)
    matches = list(iter_urls(root))
    assert [match.origin.source for match in matches] == [str(root / one) for one in order]
    assert [match.origin.part for match in matches] == ["1"] * len(order)


def test_a_path_is_a_file_s(tmp_path: Path) -> None:
    folder(tmp_path, "a")
    (match,) = iter_urls(tmp_path / "a")
    assert (match.url, match.origin.source) == ("http://a.example/a", str(tmp_path / "a"))
    assert [text.origin.part for text in iter_texts(tmp_path / "a", "message")] == ["1"]


def test_links_and_pipes(tmp_path: Path) -> None:
    root = folder(tmp_path, "a/b")
    (root / "link").symlink_to(root / "a", target_is_directory=True)
    (root / "a" / "up").symlink_to(root, target_is_directory=True)
    (root / "file").symlink_to(root / "a" / "b")
    os.mkfifo(root / "pipe")
    assert [str(Path(path).relative_to(root)) for path in files(str(root))] == ["a/b", "file"]


def test_what_is_missing_is_an_error_of_the_reader(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError):
        list(iter_urls(missing))
    assert list(files(str(missing))) == [str(missing)]


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

    wanted = [url for text in strings(value) for url in urls(io.StringIO(text))]
    for ascii_only in (True, False):
        data = json.dumps(value, ensure_ascii=ascii_only).encode()
        assert urls(io.BytesIO(data), "json") == wanted
        assert urls(io.BytesIO(data + b"\n"), "jsonl") == wanted


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
