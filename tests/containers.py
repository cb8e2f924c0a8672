"""Made zip and tar files."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping

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
