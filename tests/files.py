"""Files that tests read: pipes, zips and tars, web archives, and public-inbox repositories, which git itself makes."""

import bz2
import gzip
import io
import lzma
import os
import shutil
import subprocess
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import pytest


class Pipe:
    """A file with only `read(n)`; its reads return at most as many bytes as the *sizes*, one after the other.

    At its end it may be read once: a terminal would ask for another Ctrl-D.
    """

    ended = False

    def __init__(self, data: bytes, *sizes: int) -> None:
        self.file = io.BytesIO(data)
        self._sizes = cycle(sizes or (1 << 20,))

    def read(self, size: int, /) -> bytes:
        assert size > 0
        assert not self.ended
        data = self.file.read(min(size, next(self._sizes)))
        self.ended = not data
        return data


class Endless:
    """A file of *before*, and then of *block* again and again to about *size* bytes."""

    def __init__(self, before: bytes, block: bytes, size: int) -> None:
        self._left, self._block, self._size = before, block, size

    def read(self, size: int, /) -> bytes:
        while len(self._left) < size and self._size > 0:
            many = self._block * (size // len(self._block) + 1)
            self._left += many
            self._size -= len(many)
        data, self._left = self._left[:size], self._left[size:]
        return data


@contextmanager
def memory_below(limit: int) -> Iterator[list[int]]:
    """Fail if what is allocated inside comes to more than *limit* bytes at any time; the list gets the most."""
    peak: list[int] = []
    tracemalloc.start()
    try:
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1])
        assert peak[0] < limit
    finally:
        tracemalloc.stop()


# Zips and tars

Files = Mapping[str, bytes]

MBOX = (
    b"From jane@a.example Sat Feb 17 10:00:00 1996\nFrom: jane@a.example\nMessage-ID: <1@a.example>\n\n"
    b"See <URL:http://www-\na.example/b> and http://mbox.example/\n\n"
)
TEXT = b"(http://text.example/a_(b)), http://text.example/torn/\npath/to/it.html and prose\n"
FILES: Files = {
    "a.txt": TEXT,
    "lists/a.mbox": MBOX,
    "spool/17": b"Path: a!b\nNewsgroups: comp.a\nSubject: x\n\nhttp://news.example/\n",
    "a.html": b"<!DOCTYPE html>\n<meta charset=utf-8><a href='http://html.example/?a=1&amp;b=2'>x</a>",
    "a.jsonl": b'{"text": "http:\\/\\/json.example\\/a?b=1\\u0026c"}\n{"text": "none"}\n',
    "a.ics": b"BEGIN:VCALENDAR\r\nURL:http://ics.exa\r\n mple/a\r\n",
    "feed": b"<rss version='2.0'><item><link>http://rss.example/?a=1&amp;amp;b</link></item></rss>\n",
    "1.emlx": b"57        \nFrom: jane@a.example\nTo: x\nDate: y\n\nhttp://emlx.example/\n",
    "../../etc/passwd": b"http://up.example/\n",
}
URLS = [
    "http://text.example/a_(b)",
    "http://text.example/torn/path/to/it.html",
    "http://www-a.example/b",
    "http://mbox.example/",
    "http://news.example/",
    "http://html.example/?a=1&b=2",
    "http://json.example/a?b=1&c",
    "http://ics.example/a",
    "http://rss.example/?a=1&amp;b",
    "http://emlx.example/",
    "http://up.example/",
]


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return out.getvalue()


def tarred(files: Files, form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as made:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
    return out.getvalue()


def each(pack: Callable[[bytes], bytes], files: Files, ending: str) -> Files:
    return {name + ending: pack(data) for name, data in files.items()}


ROADS: Mapping[str, Callable[[Files], bytes]] = {
    "zip": zipped,
    "zip stored": lambda files: zipped(files, zipfile.ZIP_STORED),
    "zip bzip2": lambda files: zipped(files, zipfile.ZIP_BZIP2),
    "zip lzma": lambda files: zipped(files, zipfile.ZIP_LZMA),
    "gz in zip": lambda files: zipped(each(gzip.compress, files, ".gz")),
    "tar": tarred,
    "tar ustar": lambda files: tarred(files, tarfile.USTAR_FORMAT),
    "tar gnu": lambda files: tarred(files, tarfile.GNU_FORMAT),
    "tgz": lambda files: gzip.compress(tarred(files)),
    "tar.bz2": lambda files: bz2.compress(tarred(files)),
    "tar.xz": lambda files: lzma.compress(tarred(files)),
    "xz in tar": lambda files: tarred(each(lzma.compress, files, ".xz")),
    "tgz in zip": lambda files: zipped({"in.tgz": gzip.compress(tarred(files))}),
    "zip in tar": lambda files: tarred({"in.zip": zipped(files)}),
    "zip in zip": lambda files: zipped({"in.zip": zipped(files)}),
}


# Web archives

ADDRESS = "http://www.example.org/page"


def warc(kind: str, content_type: str, content: bytes, number: int = 1) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {ADDRESS}\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n"
        f"WARC-Record-ID: <urn:uuid:{number}>\r\nContent-Type: {content_type}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"


def http(content_type: str, content: bytes, *more: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", f"Content-Type: {content_type}", *more, "", ""]).encode() + content


def arc(content: bytes, content_type: str = "text/html") -> bytes:
    version = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
    head = b"filedesc://x.arc 0.0.0.0 20060102030405 text/plain %d\n" % len(version) + version + b"\n"
    address = f"{ADDRESS} 192.0.2.1 20060102030405 {content_type} {len(content)}\n".encode()
    return head + address + content + b"\n"


# Public-inbox repositories

GIT = ("git", "-c", "core.fsync=none", "-c", "init.defaultBranch=master")


def git(repository: Path | str, *arguments: str, given: bytes | None = None) -> bytes:
    """Run git on *repository*, apart from the machine's own settings; return what it prints."""
    apart = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    command = [*GIT, f"--git-dir={repository}", *arguments]
    done = subprocess.run(command, input=given, check=True, capture_output=True, env=os.environ | apart)  # noqa: S603
    return done.stdout


Change = tuple[str, bytes | None]
"""A path and its content from now on; `None` where it is deleted."""


def made(path: Path, commits: Iterable[Iterable[Change]], *, branch: str = "master") -> Path:
    """Make a repository at *path*, if there is none, and add *commits* to it; skip the test where git is missing."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    if not path.exists():
        subprocess.run([*GIT, "init", "-q", "--bare", "--template=", f"--initial-branch={branch}", path], check=True)  # noqa: S603
    stream = bytearray(b"feature done\n")
    known = subprocess.run([*GIT, f"--git-dir={path}", "rev-parse", "-q", "--verify", branch], capture_output=True)  # noqa: PLW1510, S603
    first = b"from refs/heads/%b^0\n" % branch.encode() if known.returncode == 0 else b""
    for number, changes in enumerate(commits):
        stream += b"commit refs/heads/%b\ncommitter a <a@a> %d +0000\ndata 0\n" % (branch.encode(), 10**9 + number)
        stream += first
        first = b""
        for name, data in changes:
            if data is None:
                stream += b"D %b\n" % name.encode()
            else:
                stream += b"M 100644 inline %b\ndata %d\n%b\n" % (name.encode(), len(data), data)
    stream += b"done\n"
    git(path, "fast-import", "--quiet", "--force", given=bytes(stream))
    return path


def added(message: bytes) -> list[Change]:
    """Return what a commit of version 2 does that brings *message*."""
    return [("d", None), ("m", message)]


def deleted(message: bytes) -> list[Change]:
    """Return what a commit of version 2 does that deletes *message*."""
    return [("m", None), ("d", message)]


def commits(path: Path) -> list[str]:
    """Return the names of the commits of the repository at *path*, the oldest first."""
    return git(path, "rev-list", "--reverse", "HEAD").decode().split()
