"""Each source: what it reads as texts, their origins and places, however it is cut, broken or packed."""

import base64
import bz2
import gzip
import io
import json
import logging
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from functools import partial, reduce
from itertools import product
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from commands import ask, children, is_running, run, wait_until
from files import (
    ADDRESS,
    FILES,
    ROADS,
    TEXT,
    URLS,
    Change,
    Pipe,
    added,
    arc,
    commits,
    deleted,
    git,
    http,
    made,
    memory_below,
    tarred,
    warc,
    zipped,
)
from harvests import fresh, harvested, rows
from sample import some
from test_mail import BODIES
from urlmend import SourceError, URLMatch, iter_texts, iter_urls
from urlmend.output.database.harvest import Listener, harvest
from urlmend.query import Query
from urlmend.scanner import match_batches
from urlmend.sources import SOURCES, archives, compression, json as json_source
from urlmend.sources.compression import CompressionError, PeekableFile, decompressed
from urlmend.sources.directories import files
from urlmend.sources.recognise import TOOLS, not_text, recognise

FROM = b"From jane@a.example Sat Feb 17 10:00:00 1996\n"


def urls(file: Any, source: str = "auto") -> list[str]:
    return [match.url for match in iter_urls(file, source=source)]


def until_error(file: Any, source: str = "auto") -> tuple[list[URLMatch], str]:
    """Return the matches in *file*, and what is raised at the end of them."""
    matches: list[URLMatch] = []
    try:
        matches.extend(iter_urls(file, source=source))
    except (SourceError, CompressionError) as error:
        return matches, str(error)
    return matches, ""


# Recognition: the beginning of a file, and what it is

KINDS: tuple[tuple[str, bytes], ...] = (
    ("mbox", FROM + b"From: jane@a.example\n\n"),
    ("mbox", b"From http://a.example/feed Sat Feb 17 10:00:00 1996\n\nno header\n"),
    ("mbox", b"From jane at a.example  Sat Feb  3 10:00:00 1996\nFrom: jane at a.example (Jane)\n"),
    ("mbox", b"From - Sat Feb 17 10:00:00 1996\nX-Mozilla-Status: 0001\n"),
    ("mbox", b"From -\nX-Mozilla-Status: 0001\n\n"),
    ("mbox", b"From -4532784616138246064\nX-Google-Language: ENGLISH,ASCII-7-bit\n"),
    ("mbox", b"From jane@a.example\nReceived: from a.example\n"),
    ("mbox", b"From a!b!jane Sat Feb 17 10:00:00 MET 1996 remote from a\n>From jane Sat Feb 17\n"),
    ("mbox", b"\xef\xbb\xbf" + FROM + b"From: jane@a.example\n\n"),
    ("mbox", b"\n\r\n" + FROM + b"From: jane@a.example\n\n"),
    ("mbox", (FROM + b"From: jane@a.example\n\n").replace(b"\n", b"\r\n")),
    ("text", b"From what I see, it was in 1996\nthat it began.\n"),
    ("text", b"From jane@a.example\nand others.\n"),
    ("text", b"From http://a.example/ of 5 March 2001\nTitle: A page\n"),
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
    ("message", b"\n\r\nFrom: jane@a.example\n\n"),
    ("message", b">From jane@a.example Sat Feb 17 10:00:00 1996\nFrom: jane@a.example\n\n"),
    ("text", b"\n>From what I see, it was in 1996\n\n"),
    ("text", b"Note: this is prose.\n\nIt goes on.\n"),
    ("text", b"Subject: prose\nthat begins so\n\nIt goes on.\n"),
    ("text", b"http://a.example/\n\nhttp://b.example/\n"),
    ("text", b"\x89PNG\r\n\x1a\n\0\0"),
    ("text", b"word " * 2000),
    ("text", b"word: " + b"x" * 5000),
    ("rnews", b"#! rnews 12\n"),
    ("folder", b"\1\1\1\1\r\nFrom: a\r\n"),
    ("folder", b"BABYL OPTIONS:\nVersion: 5\n\x1f\f\n1,,\nFrom: a\n\n*** EOOH ***\n"),
    ("folder", b"Article 60 of comp.sys.amiga.announce:\nPath: a!b\n\n"),
    ("text", b"Article 60 of the law:\nPath: a!b\n\n"),
    ("text", b"Article 60 of law:\nIt begins: thus\n\n"),
    ("text", b"#! /bin/sh\n"),
    ("text", b"#! rnew"),
    ("warc", b"WARC/1.0\r\nWARC-Type: warcinfo\r\n"),
    ("text", b"WARC"),
    ("arc", b"filedesc://IA-001102.arc 0 19960923142103 text/plain 76\n"),
    ("text", b"filedesc"),
    ("html", b"<!DOCTYPE html>\n<p>"),
    ("html", b"\xef\xbb\xbf\n <!-- saved -->\n<HTML lang=en>"),
    ("html", b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'>"),
    ("html", b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"),
    ("html", b"<head\n>"),
    ("html", "\ufeff<html><body>".encode("utf-16-le")),
    ("text", b"<html-like> tags\n"),
    ("text", b"<http://a.example/b>\n"),
    ("text", b"<URL:http://a.example/b>\n"),
    ("xml", b"<?xml version='1.0'?>\n<feeds>http://a.example/</feeds>\n" + b" " * 1024),
    ("feed", b"<?xml version='1.0'?>\n<?xml-stylesheet href='a'?>\n<feed xmlns='http://www.w3.org/2005/Atom'>"),
    ("feed", b"<!DOCTYPE rss PUBLIC '-//Netscape//DTD RSS 0.91//EN' 'http://a.example/rss.dtd'>\n<rss version='0.91'>"),
    ("feed", b"<!-- x --><rdf:RDF\nxmlns='http://purl.org/rss/1.0/'>"),
    ("feed", b"<r:rss xmlns:r='http://backend.userland.com/rss2'>"),
    ("feed", "\ufeff<rss version='2.0'>".encode("utf-16-be")),
    ("xml", b"<!-- a --><mediawiki version='0.10'\n xmlns:a='http://x.example/'>"),
    ("xml", b"<!DOCTYPE article PUBLIC '-//OASIS//DTD DocBook V4.1//EN'>\n<article>"),
    ("html", b"<?xml version='1.0'?>\n<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://x.example/'>\n<svg>"),
    ("text", b"<mediawiki>\n<a xmlns='http://x.example/'>"),
    ("icalendar", b"\xef\xbb\xbfBEGIN:VCALENDAR\r\nVERSION:2.0\r\n"),
    ("icalendar", b"BEGIN:VEVENT\n"),
    ("icalendar", b"BEGIN:VCARD\n"),
    ("emlx", b"1234      \nFrom: a\nSubject: b\n\nbody"),
    ("emlx", b"1234\r\nFrom: a\nSubject: b\nTo: c\n"),
    ("text", b"1234\nThat is a number.\n"),
    ("text", b"1996\nFrom a@b Sat Feb 17 10:00:00 1996\nFrom: a\n\n"),
    ("text", b"1234  "),
    ("text", b"<h"),
    ("jsonl", b'{"a": 1}\n{"a": 2}\n'),
    ("jsonl", b'{"a": ' + b"1" * 5000 + b'}\n{"a": 2}\n'),
    ("jsonl", b'["a"]\n'),
    ("jsonl", b'\xef\xbb\xbf{"a": 1}\n\n{"a": 2}\n'),
    ("json", b'{\n "a": "b"}\n'),
    ("json", b'[{"a": 1},\n{"a": 2}]\n'),
    ("json", b"[1, 2,\n3]\n"),
    ("json", b'\xef\xbb\xbfwindow.YTD.tweets.part0 = [\n{"a": 1} ]\n'),
    ("text", b'a.b = {"c": "http://a.example/"};\na.d = 1\n'),
    ("text", b"[1] http://a.example/\n[2] http://b.example/\n"),
    ("text", b"[1]\nhttp://a.example/\n"),
    ("text", b"  [[1] << ] [[2] < ]\n"),
    ("text", b"[2024-01-01 12:00] http://a.example/\n"),
    ("text", b"[section]\nkey = http://a.example/\n"),
    ("text", b"{curly} http://a.example/\n"),
    ("text", b"[[http://a.example/|wiki]]\n"),
)


@pytest.mark.parametrize(("name", "head"), KINDS, ids=[repr(head[:40]) for _, head in KINDS])
def test_recognition(name: str, head: bytes) -> None:
    """What `auto` takes a file for, in itself: the texts do not always show it."""
    for file in (io.BytesIO(head), Pipe(head, 1)):
        assert recognise(PeekableFile(file).beginning) == name


# Files opened as text


@pytest.mark.parametrize(("name", "head"), KINDS, ids=[repr(head[:40]) for _, head in KINDS])
def test_a_text_file_of_another_kind_is_reported(name: str, head: bytes, caplog: pytest.LogCaptureFixture) -> None:
    if b"\0" in head:
        name = "text"  # UTF-16 was decoded where the file was opened
    text = io.StringIO(head.decode("utf-8", "replace"))
    with caplog.at_level(logging.WARNING, "urlmend"):
        assert "".join(str(piece.data) for piece in iter_texts(text)) == text.getvalue()
    told = f"is read as plain text, not as {name}: open it in binary mode"
    assert caplog.messages == ([] if name == "text" else [told])


def test_text_that_may_be_mail_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    header = b"From: jane@a.example\nContent-Transfer-Encoding: Base64\n\n"
    with caplog.at_level(logging.WARNING, "urlmend"):
        for file in (
            b"2 M1e C4a2b0000\nN                  8a\n" + header,
            header.decode().encode("utf-16"),
            header,
            header.replace(b"\n", b"\n "),
        ):
            urls(io.BytesIO(file))
    assert (
        caplog.messages
        == ["is read as text, but may be mail in a form that is not known: no body in it is decoded"] * 2
    )


@pytest.mark.parametrize("source", sorted(set(SOURCES) - {"auto", "text", "warc"}))
def test_only_text_is_read_from_a_text_file(source: str) -> None:
    with pytest.raises(TypeError, match="binary"):
        urls(io.StringIO("From: jane@a.example\n\nhttp://a.example/b\n"), source)


def test_overstruck_text_is_read_as_it_is_printed() -> None:
    bold = "".join(f"{character}\b{character}" for character in "http://a.example/é")
    data = f"\n{bold} _\bh_\bt_\bt\bt_\bp://b.example/ http://c.example/\r\n".encode()
    matches = list(iter_urls(io.BytesIO(data)))
    assert [match.url for match in matches] == ["http://a.example/é", "http://b.example/", "http://c.example/"]
    assert [match.line for match in matches] == [2, 2, 2]
    assert [match.exact for match in matches] == [False, False, True]
    assert data[matches[2].start : matches[2].end] == b"http://c.example/"


def test_a_text_file_is_text() -> None:
    text = "From: jane@a.example\n\nhttp://a.example/ü http://a.example/b\n"
    found = [(match.origin.part, text[match.start : match.end]) for match in iter_urls(io.StringIO(text))]
    assert found == [(None, "http://a.example/ü"), (None, "http://a.example/b")]


# Compressed files

RANDOM = Random(1)
LINES = b"".join(b"http://a.example/%d %s\n" % (number, RANDOM.randbytes(100).hex().encode()) for number in range(600))
ALL = [f"http://a.example/{number}" for number in range(600)]


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
    packed = compress(LINES)
    in_two_members = compress(LINES[:60_001]) + compress(LINES[60_001:])
    for file in (io.BytesIO(packed), io.BytesIO(in_two_members), Pipe(packed, *[1] * 50, *[1 << 20] * 9)):
        assert urls(file) == ALL
    assert urls(io.BytesIO(compress(b""))) == []
    mbox = FROM + b"From: jane@a.example\n\nhttp://a.example/b\n"
    (match,) = iter_urls(io.BytesIO(compress(mbox)))
    assert (mbox[match.start : match.end], match.origin.message) == (b"http://a.example/b", 1)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_what_comes_before_a_corrupt_part_is_reported(name: str) -> None:
    cut = LINES.index(b"\n", 60_000) + 1
    parts = [bytearray(COMPRESSORS[name](part)) for part in (LINES[:cut], LINES[cut:])]
    middle = len(parts[1]) // 2
    parts[1][middle : middle + 64] = bytes(64)
    found, message = until_error(io.BytesIO(parts[0] + parts[1]))
    assert message.startswith(f"the {name} data is corrupt, after ")
    _, message = until_error(io.BytesIO(bytes(parts[0]) + COMPRESSORS["bzip2" if name == "xz" else "xz"](LINES)))
    assert message.endswith(" decompressed bytes; something else follows, which is skipped")
    held = LINES.count(b"\n", 0, cut)
    assert [match.url for match in found[:held]] == ALL[:held]
    parts[0][-5 if name == "gzip" else -1] ^= 1
    found, message = until_error(io.BytesIO(parts[0]))
    assert message.startswith(f"the {name} data is corrupt, after ")
    assert len(found) == held or name in {"bzip2", "xz"}


def test_zlib_ng_gives_what_zlib_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of broken data too: as much, and the same error."""
    pytest.importorskip("zlib_ng", reason="urlmend[fast] is not installed")
    rng = Random(1952)
    members = b"".join(gzip.compress(LINES[start : start + 3000]) for start in range(0, 60_000, 3000))
    files = []
    for data in (members, gzip.compress(LINES[:60_000])):
        for _ in range(60):
            broken = bytearray(data[: rng.randrange(6, 2 * len(data))])
            for at in rng.sample(range(2, len(broken)), rng.randrange(3)):
                broken[at] = rng.randrange(256)
            files.append(bytes(broken) + rng.choice([b"", b"", bytes(50), b"\x1f\x8b", b"else"]))

    def held(data: bytes) -> tuple[bytes, str]:
        pieces: list[bytes] = []
        try:
            file = decompressed(PeekableFile(io.BytesIO(data)))
            while piece := file.read(5000):
                pieces.append(piece)
        except CompressionError as error:
            return b"".join(pieces), str(error)
        return b"".join(pieces), ""

    by_zlib_ng = [held(data) for data in files]
    monkeypatch.setattr(compression, "_zlib", lambda: zlib)
    assert by_zlib_ng == [held(data) for data in files]
    assert len({error.partition(",")[0] for _, error in by_zlib_ng}) == len(["", "ends early", "corrupt", "followed"])


@pytest.mark.parametrize("name", COMPRESSORS)
def test_every_truncation_is_reported(name: str) -> None:
    data = COMPRESSORS[name](LINES[:2000])
    for size in range(6, len(data), 23):
        found, message = until_error(io.BytesIO(data[:size]))
        assert "ends early" in message
        assert [match.url for match in found[:-1]] == ALL[: max(0, len(found) - 1)]


def test_a_file_that_has_no_data_yet_is_no_end() -> None:
    class NonBlocking(Pipe):
        def read(self, size: int, /) -> bytes:
            return super().read(size) or None  # type: ignore[return-value]

    found = iter_urls(NonBlocking(b"See http://a.example/1 and http://a.example/2 here\n"))
    assert next(found).url == "http://a.example/1"
    with pytest.raises(BlockingIOError):
        list(found)


# Directories


def folder(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"From: jane@a.example\n\nhttp://a.example/%s\n" % path.name.encode())
    return root


DIRECTORIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Maildir": (
        ("new/3.host", "cur/1.host:2,S", "cur/2.host:2,", "tmp/1285849512.4.host", "tmp/b.txt"),
        ("cur/1.host:2,S", "cur/2.host:2,", "new/3.host", "tmp/b.txt"),
    ),
    "Maildir with folders": (
        ("cur/1", "new/2", "tmp/new.1285849512.R3.host", "dovecot-uidlist", ".list/cur/1", ".list/dovecot.index.log"),
        (".list/cur/1", "cur/1", "new/2"),
    ),
    "MH": (("1", "2", "10", "9", ",11", ".x.index.ids", ".mh_sequences", "list/3"), ("1", "2", "9", "10", "list/3")),
    "news spool": (
        ("comp/lang/c/100", "comp/lang/c/99", "comp/1", "alt/.overview", "alt/5"),
        ("alt/5", "comp/1", "comp/lang/c/99", "comp/lang/c/100"),
    ),
    "any tree": (
        ("tmp/b", "a.txt", "tmp/a", "A", "Inbox.msf", "dovecot-uid.txt", "dovecot.index.txt", "x.msf/subscriptions"),
        ("A", "a.txt", "dovecot-uid.txt", "dovecot.index.txt", "tmp/a", "tmp/b", "x.msf/subscriptions"),
    ),
}


@pytest.mark.parametrize("name", DIRECTORIES)
def test_directory(name: str, tmp_path: Path) -> None:
    names, order = DIRECTORIES[name]
    root = folder(tmp_path, *names)
    assert [str(Path(path).relative_to(root)) for path in files(str(root))] == list(order)
    matches = list(iter_urls(root))
    assert [match.origin.source for match in matches] == [str(root / one) for one in order]
    assert [match.origin.part for match in matches] == ["1"] * len(order)
    members = {one: (root / one).read_bytes() for one in names}
    for packed in (zipped(members), tarred(members)):
        found = {str(match.origin.source).partition("!")[2] for match in iter_urls(io.BytesIO(packed))}
        assert found == set(order)


def test_a_missing_file(tmp_path: Path) -> None:
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
        ("<!-- č ઊ -->", "utf-16"),
        ("<meta charset=iso-8859-1>", "latin-1"),
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta http-equiv=content-type content='text/html; charset=koi8-u'>", "utf-8-sig"),
        ("<meta charset=nobody-knows>", "utf-8"),
    ],
)
def test_html(meta: str, charset: str) -> None:
    for source, line_end in product(("auto", "html", "feed"), ("\n", "\r\n")):
        data = PAGE.format(meta=meta).replace("\n", line_end).encode(charset)
        first, second = iter_urls(io.BytesIO(data), source=source)
        assert (first.url, first.origin.attributes) == ("http://a.example/ü?x=1&y=2", True)
        assert (second.url, second.line, second.exact) == ("http://b.example/ü", 2, True)
        assert data[second.start : second.end].decode(charset.removesuffix("-sig").replace("16", "16-le")) == second.url


@pytest.mark.parametrize("header", [b"", b"From: jane@b.example\nContent-Type: text/html\n\n"])
def test_html_in_which_nothing_but_forms_on_request_stands(header: bytes) -> None:
    data = header + b"<html><p>www.example.com/b or jane@<b>example.com</b>"
    found = iter_urls(io.BytesIO(data), schemeless=True, addresses=True)
    assert [match.url for match in found] == ["http://www.example.com/b", "mailto:jane@example.com"]
    assert urls(io.BytesIO(data)) == []


@pytest.mark.parametrize(
    ("tag", "wanted"),
    [
        ("<img src=http://a.example/1 srcset='http://a.example/1 1x, http://a.example/2 2x'>", "12"),
        ("<video src=http://a.example/1 poster=http://a.example/2>", "12"),
        ("<a itemid=http://a.example/1 itemtype='http://a.example/2 http://a.example/3'>", "123"),
        ("<svg><a href=http://a.example/1 xlink:href=http://a.example/1><textarea>http://a.example/2", "12"),
        ("<style>/* jane <a@a.example> */ @import 'http://a.example/1'; </style>", "1"),
        ("<svg><style><a href='http://a.example/1'> @import 'http://a.example/2'; </style>", "12"),
        ("<a href=http://a.example/1></a><a href=http://a.example/1>", "11"),
        # 13.2.5.32: a sign of equality begins a name where none is before it.
        ('<a href=http://a.example/1 = "><b cite=http://a.example/2>', "12"),
        ("<a href='http://a.example/1'='><b cite='http://a.example/2'>", "12"),
    ],
)
def test_each_element_yields_its_urls_once(tag: str, wanted: str) -> None:
    assert "".join(url[-1] for url in urls(io.BytesIO(tag.encode()), "html")) == wanted


def test_a_long_base_does_not_multiply_a_page() -> None:
    page = b"<base href=http://a.example/%b>" % (b"b/" * 3000) + b"<a href=c>" * 3000
    found = list(iter_urls(io.BytesIO(page), source="html", resolve=True))
    assert 0 < sum(len(match.url) for match in found) < 20 * len(page)
    assert "the address of the page is too long for its relative links" in found[-1].origin.defects


PAGE_WITH_LINKS = (
    "{base}<a href='b.html'>b</a> <img src=\"../i.png\" srcset='//c.example/1 1x, ?q=1&amp;r 2x'>\n"
    "<a href=/d%20e/f g>x</a><a href=#top></a><a href=mailto:jane@a.example></a><a href='javascript:x'></a>"
    "<a href=''></a><a href='b.html'></a>\n"
    "http://shown.example/ <a href=http://[></a>"
)
WRITTEN = ["b.html", "../i.png", "//c.example/1", "?q=1&r", "/d%20e/f", "b.html"]
RESOLVED = ["/p/b.html", "/i.png", "//c.example/1", "/p/q?q=1&r", "/d%20e/f", "/p/b.html"]
AT_A = [f"http:{path}" if path.startswith("//") else f"http://a.example{path}" for path in RESOLVED]
BASES: dict[str, tuple[str, str | None, list[str]]] = {
    "given": ("", "http://a.example/p/q", AT_A),
    "of the page": ("<base target=x><base href=' http://a.example/p/q'>", "http://no.example/", AT_A),
    "the first one": ("<base href=http://a.example/p/q><base href=http://no.example/>", None, AT_A),
    "relative": ("<base href=../p/q>", "http://a.example/x/", AT_A),
    "no http": ("<base href='file:///p/'>", "http://a.example/p/q", AT_A),
    "none": ("", None, []),
}


@pytest.mark.parametrize("name", BASES)
def test_relative_links_are_resolved_on_request(name: str) -> None:
    element, base, wanted = BASES[name]
    data = PAGE_WITH_LINKS.format(base=element).encode()
    found = list(iter_urls(io.BytesIO(data), source="html", resolve=True, base=base))
    resolved = [match for match in found if match.form == "resolved"]
    assert [match.url for match in resolved] == wanted
    assert [match.raw for match in resolved] == WRITTEN[: len(wanted)]
    for match in resolved:
        assert match.origin.resolved
        assert match.origin.attributes
        assert not match.exact
        assert match.line == (2 if "/d%20e" in match.url or match is resolved[-1] else 1)
    others = [match.url for match in found if match.form != "resolved"]
    assert others == [match.url for match in iter_urls(io.BytesIO(data), source="html")]


# A page, and the URLs of its attributes, style sheets and scripts, with how the page has each, if otherwise
LINKS: dict[str, list[tuple[str, str | None]]] = {
    "<a href='https://x.example/a b c.html'>": [("https://x.example/a%20b%20c.html", "https://x.example/a b c.html")],
    "<a href='http:\\\\x.example\\a|b?\\|'>": [("http://x.example/a%7Cb?%5C|", "http:\\\\x.example\\a|b?\\|")],
    "<a href='http://x.example/a &amp; b'>": [("http://x.example/a%20&%20b", "http://x.example/a & b")],
    "<a href='ftp:\\\\y@|@x.example/a b'>": [("ftp://y%40%7C@x.example/a%20b", "ftp:\\\\y@|@x.example/a b")],
    "<a href='http:-x!.example/\x01a'>": [("http://%2Dx%21.example/%01a", "http:-x!.example/\x01a")],
    "<SVG><style><p><a href=http&#58;//x.example/a>": [("http://x.example/a", None)],
    "<a href='mailto:a%40b.example?Subject=x'>": [("mailto:a%40b.example?Subject=x", None)],
    "<a href='mailto: a@b.example, c@b.example?Subject=x y'>": [
        ("mailto:a@b.example,%20c@b.example?Subject=x%20y", "mailto: a@b.example, c@b.example?Subject=x y")
    ],
    "<a href='mailto:b@x.example (B)'><a href='mailto:c@x.example?a=#1 #2 b'><a href='news://a.example/x y'>": [
        (url, None) for url in ("mailto:b@x.example", "mailto:c@x.example?a=#1", "news://a.example/x")
    ],
    "<a href='tel:+1 555 123'>": [("tel:+1%20555%20123", "tel:+1 555 123")],
    "<a href='file:///C|\\a b'>": [("file:///C:/a%20b", "file:///C|\\a b")],
    "<meta property=og:url content=http://x.example/a><meta name=author content=http://x.example>"
    "<meta name='twitter:url' content='http://x.example/b'><meta property='og:image:url' content=http://x.example/c>": [
        (f"http://x.example/{letter}", None) for letter in "abc"
    ],
    "<a href=' \x01ht&NewLine;tp:/&Tab;/x.example/\ta '>": [("http://x.example/a", "ht\ntp:/\t/x.example/\ta")],
    "<a href='http:/\\/x.example/100%'>": [("http://x.example/100%25", "http:/\\/x.example/100%")],
    "<a onclick=\"open('http://x.example/a')\" title='See http://x.example/b.' href='java\tscript:\"http://x.example/c\"'>"
    "<!-- http://x.example --><iframe srcdoc=\"<a href='http://x.example/d'>\"></iframe>"
    '<!--[if mso]><v:rect href="http://x.example/e"><![endif]-->': [
        (f"http://x.example/{letter}", None) for letter in "abcde"
    ],
    "<p style=\"a: url('http://x.example/a b'), url(cid:a@b)\">": [("http://x.example/a%20b", "http://x.example/a b")],
    "<style>@import'http://x.example/a'; b {c: URL( http://x.example/b )} d {e: url(f)}</style>": [
        (f"http://x.example/{letter}", None) for letter in "ab"
    ],
    "<script>a = 'http://x.example/a'; go(\"mailto:a@b.example\") // '//x.example' www.x.example</script>": [
        ("http://x.example/a", None),
        ("mailto:a@b.example", None),
    ],
    '<script type="application/ld+json">{"a": "https:\\/\\u002Fx.example\\/a?b\\u0026c"}</script>': [
        ("https://x.example/a?b&c", "https:\\/\\u002Fx.example\\/a?b\\u0026c")
    ],
    "<link rel=canonical href=http://x.example/k><meta http-equiv=refresh content='0;url=http://x.example/l'>"
    "<a ping='http://x.example/a http://x.example/b' cite=http://x.example/c longdesc=http://x.example/d>"
    "<object data=http://x.example/e><button formaction=http://x.example/f><video poster=http://x.example/g>"
    "<img src=http://x.example/h srcset='http://x.example/h 1x, http://x.example/i 2x'>": [
        (f"http://x.example/{letter}", None) for letter in "klabcdefghi"
    ],
}


@pytest.mark.parametrize("page", LINKS)
def test_links_are_read_as_browsers_read_them(page: str) -> None:
    data = f"<p>\n{page}".encode()
    found = list(iter_urls(io.BytesIO(data), source="html"))
    assert [(match.url, match.raw) for match in found] == [(url, raw or url) for url, raw in LINKS[page]]
    for match in found:
        assert (match.breaks, match.line, match.origin.attributes) == ((), 2, True)
        assert match.exact == ("&" not in page)
        assert not match.exact or data[match.start : match.end].decode() == match.raw


@pytest.mark.parametrize("base", ["", "a.example", "ftp://a.example/", "http://a b/", "http://[/"])
def test_a_base_is_an_http_url(base: str) -> None:
    with pytest.raises(ValueError, match="base must be an http or https URL, not"):
        iter_urls(io.BytesIO(b""), base=base)


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
    "twice": (
        b'["http://a.example/", "http://a.example/"]',
        [("/0", "http://a.example/", True), ("/1", "http://a.example/", True)],
    ),
    "half a pair": (b'["\\ud800 http://a.example/", 1%05000d]' % 0, [("/0", "http://a.example/", False)]),
    "cut": (
        b'{"a": "http://a.example/", "b": "http:\\/\\/b.example\\/?a\\u0026b',
        [(None, "http://a.example/", True), (None, "http://b.example/?a&b", False)],
    ),
    "several values": (
        b'{"a": "http:\\/\\/a.example"}\n ["http://b.example"]"http://c.example"',
        [("/a", "http://a.example", False), ("/0", "http://b.example", True), ("", "http://c.example", True)],
    ),
    "HTML": (
        b"""["<p>\xc3\xa9 <a href='http://a.example/b'>http://c.example/?a&amp;b</a></p>", "\\n\\u003cDIV\\u003e\\ud800http://d.example/?a&amp;b<br>\\n"]""",
        [
            ("/0", "http://a.example/b", True),
            ("/0", "http://c.example/?a&b", False),
            ("/1", "http://d.example/?a&b", False),
        ],
    ),
    "text like HTML": (
        b'["<p> <http://a.example/b>!", "<http://a.example/?a&amp;b>", "<p-q> <http://c.example/>"]',
        [
            ("/0", "http://a.example/b", True),
            ("/1", "http://a.example/?a&amp;b", True),
            ("/2", "http://c.example/", True),
        ],
    ),
    "half a pair in UTF-8": (b'["\xed\xa0\x80 http://a.example/"]', [(None, "http://a.example/", True)]),
    "a key twice": (
        b'{"a": "http://a.example/", "a": "http://b.example/"}',
        [("/a", "http://a.example/", True), ("/a", "http://b.example/", True)],
    ),
    "a long path": (
        b'{"%s": [[], {"%s": [{}, 1, "http://a.example/"]}]}' % (b"k" * 700, b"l" * 700),
        [(f"/{'k' * 499}…{'l' * 497}/2", "http://a.example/", True)],
    ),
    "many values": (b'""' * 100_000 + b'"http://a.example/"', [(None, "http://a.example/", True)]),
    "a value with a name": (b'a.b0 = [{"c":\n"http:\\/\\/a.example\\/"}]', [("/0/c", "http://a.example/", False)]),
    "nothing": (b"", []),
}


@pytest.mark.parametrize("name", JSON)
def test_json(name: str) -> None:
    data, wanted = JSON[name]
    marked = [match.column for match in iter_urls(io.BytesIO(BOM_UTF8 + data), source="json")]
    found = list(iter_urls(io.BytesIO(data), source="json"))
    assert [match.column for match in found] == marked
    assert [(match.origin.part, match.url, match.exact) for match in found] == wanted
    for match in found:
        if match.exact:
            assert data[match.start : match.end].decode() == match.raw
            assert match.column == match.start - data.rfind(b"\n", 0, match.start)


def test_json_lines() -> None:
    data = b'\xef\xbb\xbf{"a":"http://a.example/"}\n\n{"a": http://b.example/\n["http:\\/\\/c.example\\/"]'
    found = [(m.url, m.origin.message, m.origin.part, m.line, m.exact) for m in iter_urls(io.BytesIO(data))]
    assert found == [
        ("http://a.example/", 1, "/a", 1, True),
        ("http://b.example/", 2, None, 3, True),
        ("http://c.example/", 3, "/0", 4, False),
    ]


def test_what_is_too_long_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_source, "MAX_SIZE", 1000)
    for source, size in (("json", 2000), *(("jsonl", size) for size in range(970, 980))):  # cut within the URL
        long = b'{"a": "%s http://a.example/\xc3\xa9\xc3\xa9/ http:\\/\\/b.example%s"}' % (b"x" * size, b"/" * 99)
        match, other = iter_urls(io.BytesIO(long + b"\n"), source=source)
        assert (other.url, other.exact) == ("http://b.example" + "/" * 99, False)
        assert (match.url, match.start, match.origin.part) == ("http://a.example/éé/", long.index(b"http:"), None)
        assert "read as text" in match.origin.defects[0]


def test_deep_nesting_is_no_error() -> None:
    for data in (b"[" * 100_000, b'{"a":' * 5000 + b'"http://a.example/"' + b"}" * 5000):
        assert len(list(iter_urls(io.BytesIO(data)))) == data.count(b"http:")


LONG_PATHS: dict[str, tuple[bytes, int]] = {
    "many below a long key": (b'{"%b":[%b]}' % (b"k" * 40_000, b",".join([b'"http://a.b/"'] * 1000)), 1000),
    "many numbers below a long key": (b'{"%b":[%b"http://a.b/"]}' % (b"k" * 240_000, b"0," * 60_000), 1),
    "long keys in each other": (
        b"".join(b'{"%d%b":' % (number, b"k" * 4000) for number in range(300)) + b'"http://a.b/"' + b"}" * 300,
        1,
    ),
}


@pytest.mark.parametrize("name", some(LONG_PATHS))
def test_long_paths_cost_no_more_than_their_length(name: str) -> None:
    data, count = LONG_PATHS[name]
    with memory_below(10 * len(data) + (1 << 20)):
        lengths = [len(match.origin.part or "") for match in iter_urls(io.BytesIO(data), source="json")]
    assert len(lengths) == count
    assert max(lengths) <= json_source.MAX_PATH + len("/9999")


@settings(max_examples=20, deadline=None)
@given(
    st.recursive(
        st.sampled_from(["http://a.example/é", "x", 'http://b.example/"q', "\n http://c.example/", 7]), st.lists
    )
)
def test_every_string_is_found(value: Any) -> None:
    def strings(value: Any) -> list[str]:
        if isinstance(value, list):
            return [one for item in value for one in strings(item)]
        return [value] if isinstance(value, str) else []

    wanted = [url for text in strings(value) for url in urls(io.StringIO(text))]
    for ascii_only in (True, False):
        data = json.dumps(value, ensure_ascii=ascii_only).encode()
        assert urls(io.BytesIO(data), "json") == wanted
        assert urls(io.BytesIO(data + b"\n"), "jsonl") == wanted


def test_lines_of_calendars_are_unfolded_where_blocks_end() -> None:
    data = b"BEGIN:VCARD\r\n" + b"URL:http://a.example/\r\n b\r\n" * 10_500
    assert set(urls(io.BytesIO(data))) == {"http://a.example/b"}


# What is not text

NOT_TEXT: tuple[tuple[str, bytes], ...] = (
    ("PDF", b"%PDF-1.7\n1 0 obj\n"),
    ("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ("film", b"FLV\1\5\0\0\0\t"),
    ("image", b"GIF89a\1\0\1\0"),
    ("sound", b"ID3\3\0\0\0\0"),
    ("sound", b"RIFF\x24\0\0\0WAVEfmt "),
    ("film", b"\0\0\0\x20ftypisom"),
    ("ELF program", b"\x7fELF\2\1\1\0"),
    ("Windows program", b"MZ\x90\0\3\0\0\0"),
    ("Outlook message or older Office file", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0"),
    ("Outlook mailbox", b"!BDN\0\0\0\0SM"),
    ("UTF-32 text", "\ufeffhttp://a.example/\n".encode("utf-32-be")),
    ("UTF-32 text", "<html>".encode("utf-32-le")),
    ("SQLite database", b"SQLite format 3\0\x10\0"),
    ("compiled Python", b"\xcb\r\r\n\0\0\0\0"),
    ("binary data", bytes(range(256)) * 2),
    ("binary data", b"\x89HDF\r\n\x1a\n" + bytes(range(32)) * 16),
    ("file compressed twice", gzip.compress(gzip.compress(b"http://a.example/", mtime=0), mtime=0)),
    ("", b"GIF89a is an image format: http://a.example/\n"),
    ("", b"MZ and BM are initials\n"),
    ("", "Übergrößenträger http://a.example/\n".encode("latin-1") * 20),
    ("", "\ufeffhttp://a.example/\n".encode("utf-16") * 30),
    ("", "http://a.example/\n".encode("utf-16-be") * 30),
    ("", "\ufeffЩЖЮЩЖЮЩЖ http://a.example/\n".encode("utf-16-le") * 30),
    ("", b"http://a.example/\0http://b.example/\0" * 20),
    ("", b"\0" * 600),
    ("", b""),
)


@pytest.mark.parametrize(("kind", "data"), NOT_TEXT, ids=[repr(data[:16]) for _, data in NOT_TEXT])
def test_what_is_not_text(kind: str, data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    for file in (io.BytesIO(data), Pipe(data, 1)):
        assert not_text(PeekableFile(file)) == kind
    with caplog.at_level(logging.WARNING, "urlmend"):
        texts = list(iter_texts(io.BytesIO(data)))
    assert [record.getMessage() for record in caplog.records] == (
        [f"skipped: {kind}" + (f"; try {TOOLS[kind]}" if kind in TOOLS else "")] if kind else []
    )
    assert not (kind and texts)
    assert data in {b"", b"\xff\xfe"} or list(iter_texts(io.BytesIO(data), "text"))


@pytest.mark.parametrize(
    ("bad", "warning"), [(1, "line 3 is read as text: "), (4, "line 3 and 3 more are read as text: ")]
)
def test_lines_that_are_not_json_are_reported_once(bad: int, warning: str, caplog: pytest.LogCaptureFixture) -> None:
    data = b'{"a": 1}\n{"a": 2}\n' + b"{http://a.example/\n" * bad
    with caplog.at_level(logging.WARNING, "urlmend"):
        assert len(list(iter_urls(io.BytesIO(data)))) == bad
    (record,) = caplog.records
    assert record.getMessage() == f"{warning}not JSON"


def test_an_mbox_with_nuls_stays_one() -> None:
    data = b"From jane@a.example Sat Feb 17 10:00:00 1996\nFrom: a\n\n\0\1\2\3\0 http://a.example/\n" + b"\0\1" * 500
    (match,) = iter_urls(io.BytesIO(data))
    assert match.origin.message == 1


# Web archives

WEB_PAGE = "<p>Grüße von <a href='http://a.example/?x=1&amp;y=2'>hier</a>, siehe http://b.example/"
FEED = (
    b"<rss><channel><item><description>&lt;a href='http://a.example/?b&amp;amp;c'></description></item></channel></rss>"
)
INFORMATION = warc("warcinfo", "application/warc-fields", b"software: see http://no.example/\r\n")
WEB_TEXT = b"See http://a.example/1\nand <URL:http://a.example/\n  2>.\n"


def response(media_type: str, body: bytes, *fields: str, number: int = 1) -> bytes:
    """Return the record of a WARC with the answer of a server."""
    return warc("response", "application/http", http(media_type, body, *fields), number)


WEB = {
    "wet": (INFORMATION + warc("conversion", "text/plain", WEB_TEXT), ["http://a.example/1", "http://a.example/2"]),
    "response": (
        INFORMATION + warc("response", "application/http; msgtype=response", http("text/html", WEB_PAGE.encode())),
        ["http://a.example/?x=1&y=2", "http://b.example/"],
    ),
    "charset of the header": (
        response("text/html; charset=iso-8859-1", "http://ü.example/".encode("latin-1")),
        ["http://ü.example/"],
    ),
    "charset of the page": (
        response("text/html", b"<meta charset='koi8-r'>http://a.example/\xc1"),
        ["http://a.example/а"],  # noqa: RUF001 -- a Cyrillic letter
    ),
    "UTF-32": (response("text/html; charset=utf-32", "http://a.example/".encode("utf-32")), ["http://a.example/"]),
    "resource": (warc("resource", "text/plain", WEB_TEXT), ["http://a.example/1", "http://a.example/2"]),
    "no text": (response("image/png", b"http://no.example/"), []),
    "decoded before": (response("text/html", b"http://a.example/", "Content-Encoding: gzip"), ["http://a.example/"]),
    "a feed, sent as HTML": (response("text/html", FEED.replace(b":", b"&amp;#58;")), ["http://a.example/?b&c"]),
    "a feed, sent as one": (warc("resource", "application/rss+xml", b"\n" + FEED[5:]), ["http://a.example/?b&c"]),
    "a feed, compressed": (
        response("text/xml", gzip.compress(FEED), "Content-Encoding: gzip"),
        ["http://a.example/?b&c"],
    ),
    "a sitemap": (
        response(
            "application/xml",
            b"<a xmlns='http://x.example/'><loc>http://a.example/?b</loc><c><![CDATA[http://b.example/]]></c></a>",
        ),
        ["http://a.example/?b", "http://b.example/"],
    ),
    "SVG": (
        response(
            "image/svg+xml",
            b"<?xml version='1.0'?>\n<svg><script/><a xlink:href='http://a.example/'/><image href='http://b.example/'/></svg>",
        ),
        ["http://a.example/", "http://b.example/"],
    ),
    "JSON": (
        response("application/ld+json", '{"ü": ["http://a.example/", "<p>http:\\/\\/b.example?a&amp;b</p>"]}'.encode()),
        ["http://a.example/", "http://b.example?a&b"],
    ),
    "JSON, compressed": (
        response("application/json", gzip.compress(b'["http://a.example/\\u0041"]'), "Content-Encoding: gzip"),
        ["http://a.example/A"],
    ),
    "no JSON": (response("application/json", b"callback({a: 'http://a.example/'})"), ["http://a.example/"]),
    "JSON Lines": (
        response("application/jsonl", b'["http\\u003a\\/\\/a.example"]\n["http:\\n//b.example"]'),
        ["http://a.example", "http://b.example"],
    ),
    "a script": (response("text/javascript", b"a = 'http:\\/\\/a.example/?b\\u0026c'"), ["http://a.example/?b&c"]),
    "a style sheet": (response("text/css", b"a {b: url(http://a.example/)}"), ["http://a.example/"]),
    "a vCard": (response("text/vcard", b"\nURL;QUOTED-PRINTABLE:http=3A//a.example/\n"), ["http://a.example/"]),
    "links of a header": (
        response(
            "image/png",
            b"http://no.example/",
            "Location: http://a.example/b c?d",
            "Via: 1.1 http://no.example/",
            "Content-Location: /b",
            "Link: <http://b.example/>; rel=next, </c>,<http://c.example/>",
            "refresh: 5;URL='http://d.example/'c'",
        ),
        ["http://a.example/b%20c?d", "http://b.example/", "http://c.example/", "http://d.example/"],
    ),
    "metadata of a crawler": (
        warc(
            "metadata",
            "application/warc-fields",
            b"via: http://a.example/\r\nhopsFromSeed: L\r\noutlink: http://b.example/ L a/@href\r\n",
        ),
        ["http://a.example/", "http://b.example/"],
    ),
    "request": (warc("request", "application/http", b"GET / HTTP/1.1\r\nReferer: http://no.example/\r\n\r\n"), []),
    "HTML without a type": (
        warc("response", "application/http", b"HTTP/1.0 200 OK\r\n\r\n<html><a href=http://a.example/?b=1&amp;c=2>"),
        ["http://a.example/?b=1&c=2"],
    ),
    "nothing in it": (warc("conversion", "text/plain", b""), []),
    "arc": (arc(http("text/html", WEB_PAGE.encode())), ["http://a.example/?x=1&y=2", "http://b.example/"]),
    "arc, text": (arc(http("text/plain", WEB_TEXT), "text/plain"), ["http://a.example/1", "http://a.example/2"]),
    "arc, no text": (arc(http("image/gif", b"http://no.example/"), "image/gif"), []),
}


@pytest.mark.parametrize("size", [1 << 20, 100, 7])
@pytest.mark.parametrize("name", WEB)
def test_records_of_web_archives(name: str, size: int) -> None:
    data, urls = WEB[name]
    matches = list(iter_urls(Pipe(data, size)))
    assert [match.url for match in matches] == urls
    for match in matches:
        assert match.origin.target_uri == ADDRESS
        assert match.origin.date in {"2024-01-02T03:04:05Z", "2006-01-02T03:04:05Z"}
        record = data[match.origin.offset :]
        assert record.startswith((b"WARC/1.0", ADDRESS.encode()))
        assert record.index(ADDRESS.encode()) < 100
        assert match.line == data.count(b"\n", 0, match.start) + 1
        assert match.origin.record in {"urn:uuid:1", None}
        assert match.exact or b"text/plain" not in record[:300]
        if match.exact:
            assert data[match.start : match.end].decode(match.origin.charset or "utf-8", "replace") == match.raw


def test_links_of_responses_are_resolved_and_records_have_their_type() -> None:
    head = http("text/html", b"<a href=c>", "Location: /b", "Link: <../d>; rel=next")
    found = list(
        iter_urls(io.BytesIO(warc("response", "application/http", head)), resolve=True, base="http://no.example/")
    )
    assert [match.url for match in found] == [f"http://www.example.org/{name}" for name in "bdc"]
    assert [match.raw for match in found] == ["/b", "../d", "c"]
    assert {(match.origin.record_type, match.origin.record_date) for match in found} == {
        ("response", "2024-01-02T03:04:05Z")
    }
    assert "record_type='response', record_date='2024-01-02T03:04:05Z'" in repr(found[0].origin)


def test_records_that_are_not_read_are_counted(tmp_path: Path) -> None:
    records = [warc("request", "application/http", b"GET / HTTP/1.1\r\n\r\n"), warc("revisit", "application/http", b"")]
    records += [warc("continuation", "text/plain", b"http://c.example/"), warc("Resource", "a/a", b"http://c.example/")]
    types = ("image/gif", "application/pdf", "image/gif", "text/plain")
    records += [response(name, b"http://a.example/") for name in types]
    records.append(warc("response", "application/http", b"ICY 200 OK\r\n\r\nhttp://b.example/"))
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(records * 3))
    for jobs in ("1", "2"):
        result = run("-j", jobs, str(path))
        assert (
            result.stderr
            == "urlmend: records not read: 3 a/a, 3 application/http, 3 application/pdf, 3 continuation, 6 image/gif\n"
        )
        assert (result.stdout, result.exit_code) == ("http://a.example/\n" * 3, 0)
    told = run("-v", str(path)).stderr
    for reason in (
        "3 is not read: its type is 'continuation'",
        "5 is not read: image/gif",
        "9 is not read: it has no HTTP header",
    ):
        assert f"urlmend: {path}: record {reason}\n" in told
    assert told.endswith("records passed over: 3 request, 3 revisit\n")
    path.write_bytes(b"From a@b Sat Feb 17 10:00:00 1996\nContent-Type: image/gif\n\nGIF89a\n")
    for command in (["-v"], ["harvest", "-v", "-o", str(tmp_path / "links.db")]):
        assert "records passed over: 1 image/gif\n" in run(*command, str(path)).stderr


# Three windows, which are too many together.
TAGS = b"http://a.example/ <br>\n" + (b"words\n" * 41_000 + b"<p>\n" * 3500) * 3


@pytest.mark.parametrize("media_type", ["text/html", "application/rss+xml"])
def test_what_comes_out_of_a_body_is_bounded(
    media_type: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "FREE_TAGS", 4000)
    body = reduce(lambda data, _: gzip.compress(data), range(3), TAGS + b"<p>\n" * 60_000)
    data = response(media_type, body, "Content-Encoding: gzip, gzip, gzip")
    data += response("text/plain", b"http://b.example/" + b" " * 60_000)
    for size in (1000, 1 << 20):
        assert urls(Pipe(data, size), "warc") == ["http://a.example/", "http://b.example/"]
    (told,) = set(caplog.messages)
    assert told.startswith("record 1 is too large when decompressed: only")


PART = FROM + b"Content-Type: text/html\n"
PAGES = {
    "html": b"<html>" + TAGS,
    "feed": b"<rss><item><description>" + TAGS,
    "escaped tags in a feed": b"<rss><item><description>" + TAGS.replace(b"<", b"&lt;"),
    "mail": PART + b"\n" + TAGS,
    "mail in base64": PART + b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(TAGS),
}


@pytest.mark.parametrize("name", PAGES)
def test_html_that_comes_out_of_compression_is_bounded(
    name: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "FREE_TAGS", 4000)
    page = PAGES[name]
    for data in (gzip.compress(page), zipped({"a": page, "b": b"<html>http://a.example/"})):
        assert set(urls(io.BytesIO(data), "auto")) == {"http://a.example/"}
        assert "HTML is too large when decompressed: only" in caplog.text
        caplog.clear()
    assert urls(io.BytesIO(page), "auto") == ["http://a.example/"]
    assert not caplog.text


def brotli(data: bytes) -> bytes:
    module = pytest.importorskip("brotli", reason="urlmend[warc] is not installed")
    compressed: bytes = module.compress(data, quality=5)
    return compressed


def chunked(data: bytes) -> bytes:
    pieces = (data[at : at + 1000] for at in range(0, len(data), 1000))
    return b"".join(b"%x;a=b\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data, wbits=-15)


# The fields, and what is done with a body in their order.
CODINGS: dict[str, tuple[tuple[str, ...], tuple[Callable[[bytes], bytes], ...]]] = {
    "gzip": (("Content-Encoding: gzip",), (gzip.compress,)),
    "x-gzip": (("content-encoding: X-GZIP",), (gzip.compress,)),
    "deflate": (("Content-Encoding: deflate",), (zlib.compress,)),
    "deflate without a header": (("Content-Encoding: deflate",), (raw_deflate,)),
    "br": (("Content-Encoding: br",), (brotli,)),
    "zstd": (("Content-Encoding: zstd",), (zstd,)),
    "chunked": (("Transfer-Encoding: chunked",), (chunked,)),
    "not chunked any more": (("Transfer-Encoding: chunked",), ()),
    "stacked": (("Content-Encoding: identity, br, zstd", "Content-Encoding: gzip"), (brotli, zstd, gzip.compress)),
    "all": (("Content-Encoding: deflate, gzip", "Transfer-Encoding: chunked"), (zlib.compress, gzip.compress, chunked)),
}
ENCODED_PAGE = (WEB_PAGE + "".join(f"<p>{number:x} words" for number in range(12_000)) + " http://c.example/").encode()
URLS_OF_PAGE = ["http://a.example/?x=1&y=2", "http://b.example/", "http://c.example/"]


def encoded_record(name: str, cut: int = 0, number: int = 1) -> bytes:
    fields, steps = CODINGS[name]
    body = reduce(lambda data, step: step(data), steps, ENCODED_PAGE)
    return response("text/html", body[: len(body) - cut], *fields, number=number)


@pytest.mark.parametrize("name", some(CODINGS))
def test_bodies_of_web_archives_are_decoded(name: str) -> None:
    data = INFORMATION + encoded_record(name) + encoded_record(name, number=2)
    for size in (1 << 20, 777):
        matches = list(iter_urls(Pipe(data, size)))
        assert sorted(match.url for match in matches) == sorted(URLS_OF_PAGE * 2)
        for match in matches:
            assert match.origin.offset is not None
            record = data.index(b"\r\n\r\n", data.index(b"HTTP/", match.origin.offset)) + 4
            assert match.origin.part_offset == record <= match.end <= len(data)
            assert match.exact or match.line == len(re.findall(b"\r\n?|\n", data[:record])) + 1


@pytest.mark.parametrize("name", some(name for name in CODINGS if name != "not chunked any more"))
def test_bodies_that_are_cut_short_are_reported(name: str) -> None:
    whole = encoded_record("gzip", number=9)
    found, message = until_error(io.BytesIO(INFORMATION + encoded_record(name, cut=20) * 3 + whole))
    assert "record 2: " in message
    assert message.endswith(", and 2 more like it")
    assert [match.url for match in found if match.origin.record == "urn:uuid:9"] == URLS_OF_PAGE
    read = [match.url for match in found if match.origin.message == 3]
    assert read[:2] == ([] if name == "stacked" else URLS_OF_PAGE[:2])  # a block of zstd is decoded as a whole
    assert not read or any("cannot be decoded" in defect for defect in found[0].origin.defects)


@pytest.mark.parametrize(
    ("coding", "body", "reason"),
    [
        ("gzip", b"\x1f\x8b" + b"x" * 100, "the gzip data is corrupt"),
        ("br", b"\xff" * 100, "the br data is corrupt"),
        ("compress", b"\x1f\x9d" + b"x" * 100, "the unknown Content-Encoding 'compress',"),
        (", ".join(["gzip"] * 1000), b"x", "is encoded more than 4 times"),
        ("gzip", gzip.compress(b"\0" * (1 << 22)), "expands to more than 250 times its size"),
    ],
)
def test_bodies_that_cannot_be_decoded_are_reported(
    coding: str, body: bytes, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if coding == "br":
        brotli(b"")
    monkeypatch.setattr(compression, "FREE", 1 << 20)
    record = response("text/html", body, f"Content-Encoding: {coding}")
    found, message = until_error(io.BytesIO(INFORMATION + record + encoded_record("gzip")))
    assert [match.url for match in found] == URLS_OF_PAGE
    assert message.startswith("record 2: ")
    assert reason in message


def test_the_bodies_of_all_records_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "FREE", 1 << 20)
    bomb = response("text/plain", gzip.compress(b"http://a.example/ " + b"\0" * 900_000), "Content-Encoding: gzip")
    found, message = until_error(io.BytesIO(bomb * 3 + encoded_record("gzip")))
    assert [match.url for match in found][-3:] == URLS_OF_PAGE
    assert message == "record 2: expands to more than 250 times its size: the rest is not read, and 1 more like it"


def test_brotli_that_is_not_installed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    data = INFORMATION + encoded_record("br") + encoded_record("gzip")
    monkeypatch.setitem(sys.modules, "brotli", None)
    found, message = until_error(io.BytesIO(data))
    assert [match.url for match in found] == URLS_OF_PAGE
    assert message == "record 2: has the Content-Encoding br, which needs the extra urlmend[warc]"


def test_records_compressed_one_by_one() -> None:
    records = [warc("conversion", "text/plain", b"http://a.example/%d\n" % number, number) for number in range(3)]
    data = b"".join(map(gzip.compress, [INFORMATION, *records]))
    matches = list(iter_urls(io.BytesIO(data)))
    assert [match.url for match in matches] == [f"http://a.example/{number}" for number in range(3)]
    assert [match.origin.message for match in matches] == [2, 3, 4]


CONTENTS = [*BODIES, "no sign of one", "a\rb\n-- \nhttp://a.example/1", "http=3A//a.example/1 +AGg-ttp://a.example/2"]
CONTENTS += [
    "http://a.example/1-\n2 and\n  <URL:http://a.example/\n  3>\n-- \nhttp://a.example/1-2",
    "\ufeffhttp://a.example/1",
]
TYPES = ["text/plain", "text/plain; charset=latin-1", "text/plain; charset=utf-7", "text/plain; charset=utf-16-le"]


@pytest.mark.parametrize("content_type", TYPES)
@pytest.mark.parametrize("line_end", some(["\n", "\r\n", "\r"]))
def test_texts_that_are_left_out_have_no_urls(content_type: str, line_end: str) -> None:
    """Texts that were not searched for URLs are the slow twin."""
    records = [
        content.replace("\n", line_end).encode(charset)
        for content in CONTENTS
        for charset in ("utf-8", "latin-1", "utf-16-le")
        if charset != "latin-1" or "\ufeff" not in content
    ]
    articles = [f"Content-Type: {content_type}\n\n".encode() + record for record in records]
    files = {
        "warc": b"".join(warc("conversion", content_type, record) for record in records),
        "arc": b"".join(arc(http(content_type, record), "text/plain") for record in records),
        "rnews": b"".join(b"#! rnews %d\n%b" % (len(article), article) for article in articles),
    }
    for source, data in files.items():
        found = list(iter_urls(io.BytesIO(data), source=source))
        twins = [match for some in match_batches(iter_texts(io.BytesIO(data), source), Query()) for match in some]
        assert found
        for match, twin in zip(found, twins, strict=True):
            assert (match.as_dict(), match.left, match.origin) == (twin.as_dict(), twin.left, twin.origin)


@pytest.mark.parametrize("source", ["arc", "public-inbox", "rnews", "warc"])
@pytest.mark.parametrize("data", [TEXT, bytes(range(256)), zipped({"a": TEXT}), tarred({"a": TEXT})])
def test_another_kind_of_file_than_the_source_reads_is_an_error(source: str, data: bytes) -> None:
    found, message = until_error(io.BytesIO(data), source)
    assert not found
    assert re.search("begins at byte 0 or later|at byte 0: no record begins|not a public-inbox", message)


CUT_OFF = r"the header of record 3 does not end|the \w{3,4} data ends early, (in|after) record \d"


@pytest.mark.parametrize(
    ("name", "size"), [*(("wet", size) for size in (5, 11, 40, -6)), ("arc, text", -6), ("wet", 0)]
)
def test_a_record_that_is_cut_off_or_broken(name: str, size: int) -> None:
    data, urls = WEB[name]
    found, message = until_error(io.BytesIO(data + (data[:size] or b"no record at all\r\n" + data)))
    assert [match.url for match in found[:2]] == urls
    assert re.fullmatch(CUT_OFF if size else r"the WARC data is broken after record 2, at byte \d+: .*", message)


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_lines_after_a_record_that_ends_within_a_line_end(size: int) -> None:
    request = warc("request", "text/plain", b"GET").replace(b"Length: 3", b"Length: 4")
    data = request + response("text/html", b"<a href=http://a.example/b>")
    (match,) = iter_urls(Pipe(data, size), source="warc")
    assert match.line == data.count(b"\n", 0, match.start) + 1


# Zip and tar files


fields = attrgetter(*"url start end line column readings origin.message origin.part origin.subject".split())


def read(file: Any) -> tuple[list[str], str]:
    """Return the URLs in *file* with the names of their members, and what is raised at the end."""
    matches, error = until_error(file)
    return [f"{match.origin.source} {match.url}" for match in matches], error


@pytest.mark.parametrize("road", ROADS)
def test_members_are_read_as_files(road: str, tmp_path: Path) -> None:
    packed = ROADS[road](FILES)
    path = tmp_path / "archive"
    path.write_bytes(packed)
    alone = [fields(match) for data in FILES.values() for match in iter_urls(io.BytesIO(data))]
    assert [url for url, *_ in alone] == URLS
    with path.open("rb") as opened:
        for file in (io.BytesIO(packed), Pipe(packed), Pipe(packed, 7), path, opened):
            assert [fields(match) for match in iter_urls(file)] == alone


def fields_of(file: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    with suppress(SourceError):  # the length in the batch is that of no line end
        found.extend(fields(match) for match in iter_urls(file))
    return found


@pytest.mark.parametrize("start", ["<?xml version='1.0'?><r>", "<!doctype html>"])
def test_utf_16_has_the_same_places_however_it_arrives(start: str) -> None:
    data = f"\ufeff{start}{'<p>http:&#x2f;/a.example/b c' * 7_000}{'x' * 90_000}".encode("utf-16-le")
    found = fields_of(Pipe(data))
    assert len(found) == 7_000
    assert fields_of(Pipe(data, 5000)) == found


def test_line_ends_do_not_matter_in_any_source() -> None:
    encoded = base64.encodebytes(b"<p>Some words. " * 20 + b"<a href=http://html.example/>")
    of_mail = b"Subject: on\n two lines\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n"
    of_lines = {
        **{name: data for name, data in FILES.items() if not name.endswith(".emlx")},
        "a.emlx": FILES["1.emlx"].replace(b"57", b"70"),
        "rnews": b"#! rnews 1\nPath: a\n\nhttp://rnews.example/\n",
        "json": b'{\n"a": "http://json.example/"}\n',
        "warc": warc("conversion", "text/plain", b"http://warc.example/").replace(b"\r\n", b"\n"),
        "arc": arc(http("text/plain", b"http://arc.example/"), "text/plain") + b" " * 20,
        "base64": FROM + b"From: jane@a.example\n" + of_mail + encoded,
        "a message in base64": b"From: jane@a.example\n" + of_mail + encoded,
    }
    for name, data in of_lines.items():
        lines = re.sub(rb"(?<=rnews )1", b"40", data).replace(b"\r\n", b"\n")
        found = fields_of(Pipe(lines))
        assert found, name
        in_crlf = fields_of(Pipe(lines.replace(b"\n", b"\r\n")))
        assert [(url, *rest) for url, _, _, *rest in in_crlf] == [(url, *rest) for url, _, _, *rest in found], name
        if name not in {"warc", "arc"}:  # programs write them
            for size in (1, 1000):
                assert fields_of(Pipe(lines.replace(b"\n", b"\r"), size)) == found, (name, size)


def test_empty_lines_before_a_message_are_none() -> None:
    message = b"From: jane@a.example\n\nhttp://a.example/\n\n"
    for size in (1000, 1 << 20):
        for source, data, numbers in (("mbox", 2 * (FROM + message), [1, 2]), ("message", message, [1])):
            found = iter_urls(Pipe(b"\n" * 70_000 + data, size), source=source)
            assert [match.origin.message for match in found if match.origin.author] == numbers


def test_long_names_and_wide_numbers_in_a_tar() -> None:
    name = "d/" * 150 + "é"
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        (match,) = iter_urls(io.BytesIO(tarred({name: b"http://a.example/"}, form)))
        assert match.origin.source == f"-!{name}"
    record = b"11 size=17\n"
    wide = member("x", record, b"x") + header("a", 0) + b"http://a.example/" + bytes(512 - 17)
    assert read(Pipe(wide + GOOD + bytes(1024))) == ([IN_A] * 2, "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
def test_a_file_may_become_something_else_while_its_folder_is_read(tmp_path: Path) -> None:
    archive, other = folder(tmp_path / "archive", "a", "b"), folder(tmp_path / "other", "x")
    made: dict[str, Callable[[Path], object]] = {
        "a pipe": os.mkfifo,
        "a link to a folder": lambda path: path.symlink_to(other),
        "a link to itself": lambda path: path.symlink_to(path),
        "nothing": lambda _: None,
    }
    for name, make in made.items():
        (archive / "b").unlink(missing_ok=True)
        (archive / "b").touch()
        found = iter_urls(archive)
        assert next(found).url == "http://a.example/a"
        (archive / "b").unlink()
        make(archive / "b")
        with pytest.raises(OSError, match="b") if name != "a pipe" else nullcontext():
            assert not list(found)
    (other / "a link to itself").symlink_to("a link to itself")
    done = run("-r", str(other))
    assert (done.stdout, done.exit_code) == ("http://a.example/x\n", 2)


# Broken ones


IN_A, IN_B = "-!a http://a.example/", "-!b http://b.example/"
STORED = zipped({"a": b"http://a.example/", "b": b"http://b.example/"}, zipfile.ZIP_STORED)
GZ = gzip.compress(b"http://a.example/ " + b"word " * 9)
IN_GZ = zipped({"a": GZ}, zipfile.ZIP_STORED)
TARRED = tarred({"a": b"http://a.example/", "b": b"http://b.example/"}, tarfile.USTAR_FORMAT)
SECOND_MEMBER = STORED.rindex(b"PK\3\4")
FIRST = STORED.index(b"PK\1\2")
SECOND = STORED.index(b"PK\1\2", FIRST + 1)
END = STORED.index(b"PK\5\6")


def patched(at: int, octets: bytes) -> bytes:
    """Return a zip that has other *octets* at a place."""
    return STORED[:at] + octets + STORED[at + len(octets) :]


def zip64() -> bytes:
    """Return a zip whose end record and first entry have their numbers in fields of 64 bits (APPNOTE 4.3.14, 4.5.3)."""
    first = STORED[FIRST:SECOND]
    wide = struct.pack("<2H3Q", 1, 24, 17, 17, 0)
    first = first[:20] + b"\xff" * 8 + first[28:30] + b"\x1c\0" + first[32:42] + b"\xff" * 4 + first[46:] + wide
    entries = first + STORED[SECOND:END]
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 2, 2, len(entries), FIRST)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, FIRST + len(entries), 1)
    return STORED[:FIRST] + entries + end + locator + b"PK\5\6" + bytes(4) + b"\xff" * 12 + bytes(2)


BROKEN: dict[str, tuple[bytes, list[str], str]] = {
    "checksum": (STORED.replace(b"http://a.e", b"http://A.e"), ["-!a http://A.example/", IN_B], "-!a: is corrupt"),
    "checksum of a member without URLs": (
        zipped({"a": b"no URL here", "b": b"http://b.example/"}, zipfile.ZIP_STORED).replace(b"no URL h", b"no URL t"),
        [IN_B],
        "-!a: is corrupt",
    ),
    "encrypted": (patched(FIRST + 8, b"\1"), [IN_B], "-!a: is encrypted"),
    "unknown method": (patched(FIRST + 10, b"\x09"), [IN_B], "-!a: is compressed by an unknown method"),
    "outside": (patched(SECOND + 42, b"\0\0\0\x40"), [IN_A], "-!b: is corrupt"),
    "no name": (patched(SECOND + 46, b"\0"), [IN_A, "-! http://b.example/"], ""),
    "a name that is not UTF-8": (
        patched(FIRST + 9, b"\x08")[: FIRST + 46] + b"\xff" + STORED[FIRST + 47 :],
        [],
        "zip -FF",
    ),
    "a version that is not known": (patched(FIRST + 6, b"\xff\xff"), [], "zip -FF"),
    "an entry swallows the next": (patched(FIRST + 32, b"%c" % (END - SECOND)), [IN_A], "inside another one"),
    "the first of the directory is damaged": (
        STORED[:SECOND_MEMBER]
        + b"else"
        + STORED[SECOND_MEMBER + 4 : FIRST]
        + STORED[SECOND:END]
        + STORED[FIRST:SECOND]
        + STORED[END:],
        [IN_A],
        "-!b: is corrupt: the zip has no member",
    ),
    "directory of the wrong size": (patched(END + 12, bytes(4)), [], "omits its first member"),
    "a program, and a directory of no size": (b"MZ" + patched(END + 8, bytes(8)), [], "omits its first member"),
    "directory at a lower offset": (patched(END + 16, struct.pack("<L", FIRST - 30)), [IN_A, IN_B], ""),
    "directory at a higher offset": (patched(END + 16, struct.pack("<L", FIRST + 30)), [IN_A, IN_B], ""),
    "directory too short": (
        patched(END + 12, struct.pack("<L", END - SECOND)),
        ["-!b http://a.example/"],
        "-!b: is corrupt",
    ),
    "bytes before the zip": (b"PK00" + STORED, [IN_A, IN_B], ""),
    "two zips": (zipped({"c": b"x"}) + STORED, [IN_A, IN_B], "its directory omits its first member"),
    "a program that unpacks itself": (b"MZ" + bytes(300_000) + STORED, [IN_A, IN_B], ""),
    "a zip with a line that runs it": (b"#!/usr/bin/env python3\n" + STORED, [IN_A, IN_B], ""),
    "zip64": (zip64(), [IN_A, IN_B], ""),
    "no members": (zipped({}), [], ""),
    "an end record in the comment": (patched(-2, b"\x16") + b"PK\5\6" + bytes(18), [], "omits its first member"),
    "no directory": (STORED[:-30], [], "zip -FF"),
    "half a zip": (STORED[: len(STORED) // 2], [], "zip -FF"),
    "gz in zip": (zipped({"a": GZ[:-9], "b": b"http://b.example/"}), [IN_A, IN_B], "-!a: the gzip data ends early"),
    "gz in zip, checksum": (IN_GZ.replace(struct.pack("<L", zlib.crc32(GZ)), b"else"), [IN_A], "-!a: is corrupt"),
    "tar cut in a member": (TARRED[:1540], [IN_A], "-!b: the tar data ends early: 13 bytes are missing"),
    "tar cut in a header": (TARRED[:1100], [IN_A], "after member 1"),
    "tar cut after a member": (TARRED[:2048], [IN_A, IN_B], "no end mark"),
    "tar with a broken header": (TARRED[:1024] + b"x" * 512 + TARRED[1536:], [IN_A], "after member 1"),
    "tar after a tar": (TARRED + TARRED, [IN_A, IN_B], "tar -i"),
    "too deep": (zipped({"a": zipped({"b": zipped({"c": b"http://c.example/"})})}), [], "-!a!b: is not read"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_reported_and_the_rest_read(name: str, tmp_path: Path) -> None:
    data, urls, expected = BROKEN[name]
    path = tmp_path / "-"
    path.write_bytes(data)
    for file in (Pipe(data), Pipe(data, 1), io.BytesIO(data), path):
        got, error = read(file)
        assert [url.replace(str(path), "-") for url in got] == urls
        assert expected in error.replace(str(path), "-")
        assert bool(expected) == bool(error)


# Hostile ones


def test_links_and_devices_are_passed_over_and_files_with_holes_reported() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE) * 10):
            info = tarfile.TarInfo(f"../{number}")
            info.type, info.linkname = kind, "/etc/passwd" if number else "../0"
            made.addfile(info)
        for name, kind in (("holes", tarfile.GNUTYPE_SPARSE), ("/etc/shadow", tarfile.REGTYPE), ("other", b"Z")):
            info = tarfile.TarInfo(name)
            info.type, info.size = kind, 17
            made.addfile(info, io.BytesIO(b"http://a.example/"))
    told = "-!holes: is a file with holes in it, which is not read"
    found = [f"-!{name} http://a.example/" for name in ("/etc/shadow", "other")]
    assert read(Pipe(out.getvalue())) == (found, told)


def overlapping() -> bytes:
    """Return a zip whose members are all the same data."""
    start = STORED.index(b"PK\1\2")
    entry = STORED[start : STORED.index(b"PK\1\2", start + 1)]
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 300, 300, len(entry) * 300, start, 0)
    return STORED[:start] + entry * 300 + tail


MOST = 2000


def lying(count: int, real: int) -> bytes:
    """Return a zip with *real* empty members whose end says *count*."""
    data = zipped({"a": b""})
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    entry = data[start:end]
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count & 0xFFFF, count & 0xFFFF, len(entry) * real, start, 0)
    return data[:start] + entry * real + tail


def long_name() -> bytes:
    """Return a tar with a name that says it has 8 GB."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 33
    return tarred({"a": b"http://a.example/"})[:1024] + info.tobuf(tarfile.GNU_FORMAT) + b"n" * (1 << 22)


def header(name: str, size: bytes | int, kind: bytes = b"0") -> bytes:
    """Return a tar's header, whose size may be any bytes."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size if isinstance(size, int) else 0
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    if isinstance(size, bytes):
        block[124:136] = size
    block[148:156] = b"%06o\0 " % (sum(block) - sum(block[148:156]) + 8 * 32)
    return bytes(block)


def member(name: str, data: bytes, kind: bytes = b"0") -> bytes:
    return header(name, len(data), kind) + data + bytes(-len(data) % 512)


GOOD = member("a", b"http://a.example/")
HOLES = bytearray(header("holes", 0, b"S"))
HOLES[482] = 1
HOLES[148:156] = b"%06o\0 " % (sum(HOLES) - sum(HOLES[148:156]) + 8 * 32)


def bomb() -> bytes:
    return zipped({"a": b"http://a.example/\n", "bomb": b"\0" * (1 << 23), "b": b"http://b.example/"})


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "overlapping members": (overlapping, "-!a: is corrupt: it overlaps.*, and 20 more like it"),
    "too many members": (lambda: lying(MOST + 10, MOST + 10), "lists more than"),
    "too many members, and a smaller count": (lambda: lying(1, MOST + 10), "lists more than"),
    "a long name": (long_name, "its headers have more than 1048576 bytes"),
    "many headers for one member": (
        lambda: GOOD + member("x", b"9 a=bcde\n", b"x") * 2000,
        "its headers have more",
    ),
    "a map of holes without end": (lambda: GOOD + HOLES + b"\1" * 512 * 4000, "its headers have more"),
    "pax records in each other": (lambda: GOOD + member("x", b"2 " * 9000, b"x") + GOOD, "wrong number"),
    "a directory that is not there": (lambda: b"PK\3\4" + lying(2, 0), "omits its first member"),
    "many faults": (lambda: zipped(dict.fromkeys(map(str, range(40)), b"\x1f\x8b x")), "and 20 more like it$"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_costs_little(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(archives, "MAX_LISTED", MOST)
    make, expected = HOSTILE[name]
    data = make()
    with memory_below(16_000_000 + len(data)):
        _, error = read(Pipe(data))
    assert re.search(expected, error)
    assert not list(tmp_path.iterdir())


def test_a_bomb_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "FREE", 1 << 20)
    error = "expands to more than 250 times its size: the rest is not read"
    for packed in (bomb(), gzip.compress(tarred({"a": b"http://a.example/\n", "bomb": b"\0" * (1 << 23)}))):
        assert read(Pipe(packed)) == (["-!a http://a.example/"], f"-!bomb: {error}")
    in_another = zipped({"in.zip": zipped({"bomb": b"\0" * (1 << 23)}), "b": b"http://b.example/"})
    assert read(Pipe(in_another)) == ([], f"-!in.zip!bomb: {error}")


WRONG_NUMBERS: dict[str, bytes] = {
    "a size below 0": header("n", (2**96 - 1).to_bytes(12, "big")),
    "a size far below 0": header("n", (2**96 - 1024).to_bytes(12, "big")),
    "a size that no file has": header("n", (2**95 + 2**80).to_bytes(12, "big")),
    "a size of 2^90": header("n", (2**95 + 2**90).to_bytes(12, "big")),
    "a size that is none": header("n", b"size 9 bytes"),
    **{
        f"pax {record.decode()}": member("pax", b"%d %b\n" % (len(record) + 4, record), b"x") + member("n", b"data")
        for record in (b"size=-5000", b"size=99999999999999999999")
    },
    "pax without lengths": member("pax", b"0 a=b\n0 a=b\n", b"x") + member("n", b"data"),
    "a long name's size below 0": header("L", (2**96 - 1).to_bytes(12, "big"), b"L") + member("n", b"data"),
}


@pytest.mark.parametrize("name", WRONG_NUMBERS)
def test_a_wrong_number_costs_a_tar_one_member(name: str, tmp_path: Path) -> None:
    data = GOOD + WRONG_NUMBERS[name] + GOOD + bytes(1024)
    error = "-!n: is broken: its header has a wrong number"
    assert read(Pipe(data)) == (["-!a http://a.example/"] * 2, error)
    path = tmp_path / "a.tar"
    path.write_bytes(data)
    assert len(read(path)[0]) == 2
    long = Pipe(data + bytes(1 << 25), 1 << 16)
    with memory_below(1 << 23):
        read(long)


def test_other_wrong_numbers_do_not_matter_in_a_tar() -> None:
    wrong = bytearray(GOOD)
    wrong[100:108], wrong[136:148] = b"rw-r--r-", b"Feb 17, 1996"
    wrong[148:156] = b"%06o\0 " % (sum(wrong[:148]) + sum(wrong[156:512]) + 8 * 32)
    assert read(Pipe(GOOD + bytes(wrong) + GOOD + bytes(1024))) == ([IN_A] * 3, "")


def test_no_member_of_a_tar_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 800)
    data = tarred(dict.fromkeys(map(str, range(1000)), b""), tarfile.USTAR_FORMAT)
    with memory_below(1_000_000):
        _, error = read(Pipe(data))
    assert error == "has more than 800 members: the rest is not read"


# Public-inbox repositories


def letter(number: int, body: str = "") -> bytes:
    text = body or f"See http://a.example/{number}."
    return f"From: jane@a.example\nMessage-ID: <{number}@a.example>\nSubject: {number}\n\n{text}\n".encode()


def place(number: int) -> str:
    """A path of version 1, as that of a hash."""
    return f"{number:02x}/{number:038x}"


A, B, C, D = (letter(number) for number in range(4))
HTTP = "http://a.example/"

HISTORIES: dict[str, tuple[list[list[Change]], str]] = {
    "v2": ([added(A), added(B), added(C)], "0 1 2"),
    "v2, one deleted": ([added(A), added(B), deleted(A), added(C)], "1 2"),
    "v2, the last deleted": ([added(A), added(B), deleted(B)], "0"),
    "v2, deleted and sent again": ([added(A), deleted(A), added(B), added(A)], "1 0"),
    "v2, sent twice, deleted once": ([added(A), added(B), added(A), deleted(A)], "1"),
    "v2, deleted and nothing else": ([deleted(A)], ""),
    "v2, purged": ([added(A), [("m", None)], added(B)], "0 1"),
    "v2, an empty one": ([added(b""), added(A)], "0"),
    "v1": ([[(place(1), A)], [(place(2), B)], [(place(3), C)]], "0 1 2"),
    "v1, one removed": ([[(place(1), A)], [(place(2), B)], [(place(1), None)]], "1"),
    "v1, one replaced": ([[(place(1), A)], [(place(2), B)], [(place(1), C)]], "1 2"),
    "v1, a hash for two": (
        [[(place(1), A)], [(place(1), None), (f"{place(1)}/{1:040x}", A), (f"{place(1)}/{2:040x}", B)]],
        "0 1",
    ),
    "v1, several in a commit": ([[(place(1), A), (place(2), B)], [(place(3), C)]], "0 1 2"),
    "what is no message": ([[("README", b"http://b.example/"), ("m", A)], [("m/m", B), ("m", None)]], "0"),
}


def numbers(matches: Iterable[URLMatch]) -> str:
    return " ".join(match.url.removeprefix(HTTP) for match in matches)


@pytest.mark.parametrize("name", some(HISTORIES))
def test_messages_of_an_inbox(name: str, tmp_path: Path) -> None:
    history, expected = HISTORIES[name]
    inbox = made(tmp_path / "list.git", history)
    matches = list(iter_urls(inbox, source="public-inbox"))
    assert numbers(matches) == expected
    known = commits(inbox)
    for match in matches:
        repository, _, commit = (match.origin.source or "").rpartition("!")
        assert (repository, match.origin.message) == (str(inbox), 1)
        assert commit in known
        assert any(message[match.start : match.end].decode() == match.url for message in (A, B, C))


def epochs(folder: Path) -> Path:
    made(folder / "0.git", [added(A), added(B)])
    made(folder / "1.git", [added(C), deleted(A)])
    made(folder / "10.git", [added(D), deleted(C)])
    return folder


def test_epochs_are_read_in_order_and_delete_in_earlier_ones(tmp_path: Path) -> None:
    inbox = epochs(tmp_path / "list" / "git").parent
    subprocess.run(["git", "init", "-q", "--bare", inbox / "all.git"], check=True)  # noqa: S603, S607
    (inbox / "msgmap.sqlite3").write_text("http://b.example/")
    for path in (inbox, inbox / "git"):
        found = list(iter_urls(path))
        assert numbers(found) == "1 3"
        below = "git/" if path == inbox else ""
        assert [(match.origin.source or "").split("!")[0] for match in found] == [
            f"{path}/{below}0.git",
            f"{path}/{below}10.git",
        ]
    # An epoch that is read alone is read without the later ones.
    assert numbers(iter_urls(inbox / "git" / "0.git")) == "0 1"


def test_repositories_are_recognised(tmp_path: Path) -> None:
    made(tmp_path / "v1.git", [[(place(1), A)]])
    made(tmp_path / "v2.git", [added(A)])
    epochs(tmp_path / "v2" / "git")
    made(tmp_path / "code.git", [[("README", A), ("m", B)]])
    for name, source in (("clone", "v2.git"), ("clone1", "v1.git"), ("checkout", "code.git")):
        subprocess.run(["git", "clone", "-q", tmp_path / source, tmp_path / name], check=True)  # noqa: S603, S607
    (tmp_path / "plain" / "git").mkdir(parents=True)
    (tmp_path / "plain" / "git" / "HEAD").touch()
    found = {str(Path(path).relative_to(tmp_path)) for path in files(str(tmp_path))}
    assert {path for path in found if (tmp_path / path).is_dir()} == {"v1.git", "v2.git", "v2", "clone", "clone1"}
    assert {"plain/git/HEAD", "checkout/README", "code.git/HEAD"} <= found
    assert numbers(iter_urls(tmp_path / "clone")) == "0"
    assert numbers(iter_urls(tmp_path / "clone1")) == "0"
    # As what else it is read, it is a directory.
    assert str(tmp_path / "v2.git" / "HEAD") in set(files(str(tmp_path / "v2.git"), source="text"))


def test_a_message_larger_than_what_is_read_at_once(tmp_path: Path) -> None:
    long = letter(1, "words and words\n" * 40_000 + "http://a.example/end")
    inbox = made(tmp_path / "list.git", [added(long), added(A)])
    assert numbers(iter_urls(inbox)) == "end 0"
    (first, _) = iter_urls(inbox)
    assert long[first.start : first.end] == b"http://a.example/end"


CONFIG = """
[core]
    repositoryformatversion = 1
    fsmonitor = touch {0}
    sshCommand = touch {0}
    hooksPath = {0}
    pager = touch {0}
    alternateRefsCommand = touch {0}
[extensions]
    partialClone = origin
[remote "origin"]
    url = .
    promisor = true
    uploadpack = touch {0}; git-upload-pack
[gpg]
    program = touch {0}
[log]
    showSignature = true
[diff]
    external = touch {0}
"""
"""What makes git run programs; with a message that is missing, `git cat-file` runs that of `uploadpack`."""


def test_nothing_of_the_repository_is_run_and_nothing_written(tmp_path: Path) -> None:
    inbox, ran = made(tmp_path / "list.git", [added(A), added(B)]), tmp_path / "ran"
    with (inbox / "config").open("a") as config:
        config.write(CONFIG.format(ran))
    broken(inbox, "a message is missing", "HEAD:m")
    before = {path: path.stat().st_mtime_ns for path in inbox.rglob("*")}
    with pytest.raises(SourceError, match="git has no object"):
        list(iter_urls(inbox))
    assert {path: path.stat().st_mtime_ns for path in inbox.rglob("*")} == before
    assert not ran.exists()
    (inbox / "config").write_text("[core\n")
    with pytest.raises(SourceError, match="git has no object"):
        list(iter_urls(inbox))
    with (inbox / "config").open("w") as config:
        config.write(CONFIG.format(ran))
    # It would have been.
    subprocess.run(["git", f"--git-dir={inbox}", "cat-file", "-e", "HEAD:m"], check=False, capture_output=True)  # noqa: S603, S607
    assert ran.exists()


def test_alternates_in_a_circle(tmp_path: Path) -> None:
    inboxes = [made(tmp_path / f"{number}.git", [added(A)]) for number in range(2)]
    for inbox, other in zip(inboxes, reversed(inboxes), strict=True):
        (inbox / "objects" / "info" / "alternates").write_text(f"{other}/objects\n{inbox}/objects\n../objects\n")
    assert numbers(iter_urls(inboxes[0])) == "0"


def test_context_is_that_of_the_message(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A), added(letter(1, "before\nhttp://a.example/1\nafter"))])
    done = run("-n", "-h", "-C", "1", str(inbox))
    assert done.stdout == ("4-\n5:See http://a.example/0.\n--\n5-before\n6:http://a.example/1\n7-after\n")


def test_git_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    (tmp_path / "more").write_text("http://a.example/more")
    monkeypatch.setenv("PATH", "/nonexistent")
    done = run("-r", str(tmp_path))
    assert (done.stdout, done.exit_code) == ("http://a.example/more\n", 2)
    assert done.stderr == f"urlmend: {inbox}: reading a public-inbox needs git, which is not installed\n"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells of children in files")
def test_git_ends_with_the_reader(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(letter(number, "http://a.example/ " * 9000)) for number in range(20)])
    others = {*children(os.getpid())}
    urls = iter_urls(inbox)
    next(urls)
    assert {*children(os.getpid())} - others
    urls.close()  # type: ignore[attr-defined]
    assert not {*children(os.getpid())} - others


def empty_trees(inbox: Path) -> None:
    """Add a commit whose tree has 256 entries on each of six levels, and no file: git lists nothing for hours."""
    tree = git(inbox, "mktree", given=b"").decode().strip()
    for _ in range(6):
        entries = "".join(f"040000 tree {tree}\t{number:02x}\n" for number in range(256))
        tree = git(inbox, "mktree", given=entries.encode()).decode().strip()
    commit_on(inbox, tree)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells of children in files")
@pytest.mark.parametrize("hostile", [False, True])
def test_git_ends_when_its_parent_is_killed(hostile: bool, tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(letter(number, "http://a.example/ " * 9000)) for number in range(20)])
    if hostile:
        empty_trees(inbox)
    code = "import sys; from pathlib import Path; from urlmend import iter_urls; found = iter_urls(Path(sys.argv[1]));"
    command = [sys.executable, "-c", f"{code} print(next(found), flush=True); sys.stdin.read()", str(inbox)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:  # noqa: S603
        if not hostile:
            assert running.stdout is not None
            assert running.stdout.readline()
        wait_until(lambda: children(running.pid))
        left = children(running.pid)
        running.kill()
    wait_until(lambda: not any(map(is_running, left)))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the time of another process")
def test_trees_without_files_end(tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    empty_trees(inbox)
    found, error = until_error(inbox)
    assert numbers(found) == "0"
    assert "takes too long" in error


def test_other_formats_of_repositories(tmp_path: Path) -> None:
    source = made(tmp_path / "list.git", [added(A), added(B)])
    with_sha256 = tmp_path / "256.git"
    git(tmp_path, "init", "--bare", "-q", "--object-format=sha256", str(with_sha256))
    git(with_sha256, "fast-import", "--quiet", given=git(source, "fast-export", "HEAD"))
    assert numbers(list(iter_urls(with_sha256))) == "0 1"
    with_reftable = tmp_path / "reftable.git"
    shutil.copytree(source, with_reftable)
    (with_reftable / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (with_reftable / "reftable").mkdir()
    (with_reftable / "reftable" / "tables.list").write_text("missing.ref\n")
    with pytest.raises(SourceError, match=r"git .*ref"):
        list(iter_urls(with_reftable))


def broken(inbox: Path, what: str, message: str = "HEAD~1:m") -> None:
    if what == "no objects":
        shutil.rmtree(inbox / "objects")
        (inbox / "objects").mkdir()
    elif what == "a reference to nothing":
        (inbox / "refs" / "heads" / "master").write_text("1" * 40 + "\n")
    elif what == "a message is missing":
        blob = git(inbox, "rev-parse", message).decode().strip()
        (inbox / "objects" / blob[:2] / blob[2:]).unlink()
    elif what == "a commit is missing":
        commit = git(inbox, "rev-parse", "HEAD~1").decode().strip()
        (inbox / "objects" / commit[:2] / commit[2:]).unlink()
    elif what == "a message is corrupt":
        blob = git(inbox, "rev-parse", "HEAD~1:m").decode().strip()
        path = inbox / "objects" / blob[:2] / blob[2:]
        path.chmod(0o644)
        path.write_bytes(b"no zlib")


@pytest.mark.parametrize(
    ("what", "read"),
    [
        ("no objects", ""),
        ("a reference to nothing", ""),
        ("a message is missing", "0 2"),
        ("a commit is missing", ""),
        ("a message is corrupt", None),
    ],
)
def test_a_broken_repository_is_reported(what: str, read: str | None, tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A), added(B), added(C)])
    broken(inbox, what)
    found, error = until_error(inbox)
    assert "git" in error
    assert "\n" not in error
    if read is not None:
        assert numbers(found) == read


def tree_bomb(inbox: Path, levels: int) -> None:
    """Add a commit whose tree has 256 entries on each of *levels*, all of them the same."""
    entry = f"100644 blob {git(inbox, 'hash-object', '-w', '--stdin', given=A).decode().strip()}"
    for _ in range(levels):
        tree = git(inbox, "mktree", given="".join(f"{entry}\t{n:02x}\n" for n in range(256)).encode()).decode().strip()
        entry = f"040000 tree {tree}"
    commit_on(inbox, tree)


def commit_on(inbox: Path, tree: str) -> None:
    author = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    command = ["git", f"--git-dir={inbox}", "commit-tree", "-m", "x", "-p", "HEAD", tree]
    done = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **author})  # noqa: S603
    git(inbox, "update-ref", "HEAD", done.stdout.decode().strip())


MEASURED = """
import re, resource, sys
from urlmend.sources import SourceError
from urlmend import iter_urls
from pathlib import Path
try:
    for match in iter_urls(Path(sys.argv[1]), source="public-inbox"):
        print(match.url)
except SourceError as error:
    print(error)
# The kernel counts what the parent of a new process had as the memory of that process: VmHWM leaves it out.
own = re.search(r"VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text())[1]
print(max(int(own), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""


def long_path(inbox: Path) -> None:
    """Add a commit whose tree has a name of 20 MB."""
    blob = git(inbox, "hash-object", "-w", "--stdin", given=B).decode().strip()
    tree = git(inbox, "mktree", given=f"100644 blob {blob}\t{'n' * 20_000_000}\n".encode())
    commit_on(inbox, tree.decode().strip())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of another process")
@pytest.mark.parametrize(
    ("add", "reason"),
    [
        (long_path, "has a path of more than 4096 bytes in git"),
        (partial(tree_bomb, levels=5), "git needs more than 128 MiB of memory for a tree: the rest is not read"),
    ],
)
def test_hostile_trees_take_little_memory(add: Callable[[Path], None], reason: str, tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    add(inbox)
    command = [sys.executable, "-c", MEASURED, str(inbox)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)  # noqa: S603
    url, error, peak = done.stdout.splitlines()
    assert (url, error) == (f"{HTTP}0", reason)
    assert int(peak) < 200_000


@pytest.mark.slow
def test_trees_that_are_used_again_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    tree_bomb(inbox, 2)
    found, error = until_error(inbox, "public-inbox")
    assert "more changes than a repository of its size" in error
    assert 1000 < len(found) < 10_000
    monkeypatch.setattr(compression, "FREE", 1000)
    large = made(tmp_path / "large.git", [added(letter(n % 2, "word " * 20_000)) for n in range(10)])
    assert "expands to more than 250 times its size" in until_error(large, "public-inbox")[1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
@pytest.mark.parametrize(
    "name", ["HEAD", "config", "packed-refs", "refs/heads/x", "objects/info/alternates", "objects/00/0"]
)
def test_what_is_no_regular_file_is_not_opened(name: str, tmp_path: Path) -> None:
    inbox = made(tmp_path / "list.git", [added(A)])
    (inbox / name).unlink(missing_ok=True)
    (inbox / name).parent.mkdir(exist_ok=True)
    os.mkfifo(inbox / name)
    with pytest.raises(SourceError, match="is not a regular file"):
        list(iter_urls(inbox, source="public-inbox"))


# The harvest


STEPS: dict[str, tuple[list[list[Change]], list[list[Change]], str, str]] = {
    "nothing": ([added(A)], [], "unchanged", "0"),
    "new ones": ([added(A)], [added(B), added(C)], "grown", "0 1 2"),
    "a deleted one": ([added(A), added(B)], [deleted(A), added(C)], "grown", "1 2"),
    "only a deletion": ([added(A), added(B)], [deleted(A)], "grown", "1"),
    "deleted and sent again": ([added(A), added(B)], [deleted(A), added(A)], "grown", "1 0"),
    "v1, removed": ([[(place(1), A)], [(place(2), B)]], [[(place(1), None)]], "grown", "1"),
    "v1, one of two of a commit": ([[(place(1), A), (place(2), B)]], [[(place(1), None)]], "changed", "1"),
}


@pytest.mark.parametrize("name", some(STEPS))
def test_a_harvest_reads_what_is_new(name: str, tmp_path: Path) -> None:
    before, after, expected, left = STEPS[name]
    inbox, database = made(tmp_path / "list.git", before), tmp_path / "links.db"
    harvested(database, inbox)
    if after:
        made(inbox, after)
    assert f"1 {expected}" in harvested(database, inbox)
    assert " ".join(url.removeprefix(HTTP) for (url,) in ask(database, "SELECT url FROM record")) == left
    assert rows(database) == fresh(tmp_path, inbox)


def test_a_harvest_of_what_was_rewritten(tmp_path: Path) -> None:
    inbox, database = made(tmp_path / "list.git", [added(A), added(B), added(C)]), tmp_path / "links.db"
    harvested(database, inbox)
    git(inbox, "update-ref", "refs/heads/master", "HEAD~1")
    made(inbox, [added(D)])
    assert "1 changed" in harvested(database, inbox)
    assert ask(database, "SELECT url FROM record") == [(f"{HTTP}{number}",) for number in (0, 1, 3)]


def test_a_harvest_of_epochs(tmp_path: Path) -> None:
    inbox, database = tmp_path / "list", tmp_path / "links.db"
    (inbox / "git").mkdir(parents=True)
    made(inbox / "git" / "0.git", [added(A), added(B)])
    harvested(database, inbox)
    made(inbox / "git" / "1.git", [added(C), deleted(A)])
    assert "1 grown" in harvested(database, inbox)
    assert rows(database) == fresh(tmp_path, inbox)
    found = ask(database, "SELECT url, source FROM record")
    assert [(url, source.rpartition("!")[0]) for url, source in found] == [
        (f"{HTTP}{number}", f"{inbox}/git/{number - 1}.git") for number in (1, 2)
    ]


def test_a_harvest_that_is_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.output.database.database.BATCH", 2)
    monkeypatch.setattr("urlmend.parallel.splits.MESSAGES", 2)
    inbox = made(tmp_path / "list.git", [added(letter(number)) for number in range(9)])
    found: list[int] = []

    def interrupt(count: int) -> None:
        found.append(count)
        if sum(found) == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        harvest([str(inbox)], str(tmp_path / "links.db"), Listener(note_urls=interrupt))
    assert "1 resumed" in harvested(tmp_path / "links.db", inbox)
    assert rows(tmp_path / "links.db") == fresh(tmp_path, inbox)


# Members in the output of the command


def command(*args: str, data: bytes = b"") -> tuple[int, list[str], list[str]]:
    done = run(*args, stdin=data)
    return done.exit_code, done.stdout.splitlines(), done.stderr.splitlines()


def test_members_are_named_where_several_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = zipped({"a": b"http://a.example/ http://b.example/", "b": b"http://c.example/"})
    Path("a.zip").write_bytes(data)
    assert command("-c", "a.zip")[1] == ["a.zip!a:2", "a.zip!b:1"]
    assert command("-c", data=data)[1] == ["-!a:2", "-!b:1"]
    assert command("-c", "-h", "a.zip")[1] == ["2", "1"]
    assert command("-c", data=gzip.compress(b"http://a.example/"))[1] == ["1"]
    headings = [line for line in command("annotate", "a.zip")[1] if "═" in line]
    assert headings[:2] == ["══ a.zip!a ══", "══ a.zip!b ══"]
    assert "<h2>a.zip!b</h2>" in command("annotate", "--format", "html", "a.zip")[1]


def test_the_command_reads_members_as_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.zip").write_bytes(zipped({**FILES, "x.pdf": b"%PDF-1.4\nhttp://pdf.example/\n"}))
    Path("broken.zip").write_bytes(BROKEN["encrypted"][0])
    status, out, errors = command("-c", "a.zip")
    assert (status, sum(int(line.rpartition(":")[2]) for line in out)) == (0, len(URLS))
    assert errors == ["urlmend: a.zip!x.pdf: skipped: PDF; try pdftotext FILE - | urlmend"]
    assert command("-a", "a.zip")[1:] == ([*URLS, "http://pdf.example/"], [])
    status, out, errors = command("-H", "broken.zip")
    assert (status, out) == (2, ["broken.zip!b:http://b.example/"])
    assert errors == ["urlmend: broken.zip!a: is encrypted"]
    assert command("-q", data=Path("a.zip").read_bytes()) == (0, [], [])
    assert command("-r", "-H", ".")[1] == [
        *(f"./a.zip!{(match.origin.source or '')[2:]}:{match.url}" for match in iter_urls(Pipe(zipped(FILES)))),
        "./broken.zip!b:http://b.example/",
    ]
