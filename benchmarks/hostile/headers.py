"""Files whose headers have wrong numbers: whatever they say, nothing is raised but `SourceError`.

usage: python -m benchmarks.hostile.headers [--count 20000] [--seed a] [--first 0], from the root of a checkout

Tars, zips, JSON, web archives, batches of news and mboxes of a few URLs, and one time in a hundred a git repository,
with numbers and lengths that are negative, huge, zero or none. Each file is made of the seed and its number alone. Exit
status 1 where there is a finding; each is printed with its number, and `--count 1 --first NUMBER` shows it again.
"""

import argparse
import io
import json
import logging
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import traceback
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from os import devnull, environ
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from urlmend import SourceError, iter_urls

FILES = {
    "a.txt": b"http://a.example/b\n",
    f"{'c' * 60}/{'c' * 60}": b"http://c.example/d\n",
    "e": bytes(600) + b"http://e.example/\n",
}
TEXT = (b"-1", b"-9223372036854775809", b"18446744073709551616", b"9" * 5000, b"inf", b"-nan", b"1e309", b"0x7f", b"")
"""The replacements of a number that is written in digits."""

GIT = 0.01
"""How many of the files are git repositories: each takes a dozen processes."""


def in_binary(size: int, random: Random) -> bytes:
    """Return *size* bytes: a negative or huge number, zero, or any."""
    ends = [bytes([first]) + bytes([last]) * (size - 1) for first, last in ((255, 255), (128, 0), (127, 255), (0, 0))]
    return random.choice([*ends, random.randbytes(size), ends[2][::-1]])


def with_other_digits(data: bytes, random: Random) -> bytes:
    """Return *data* with other numbers in place of some that are written in digits."""
    for _ in range(random.randint(1, 3)):
        if found := list(re.finditer(rb"-?\d+", data)):
            start, end = random.choice(found).span()
            data = data[:start] + random.choice(TEXT) + data[end:]
    return data


# Tars: the fields of a header (POSIX.1-2017 pax), and where GNU says whether the map of a sparse file goes on

TAR_FIELDS = ((100, 8), (108, 8), (116, 8), (124, 12), (136, 12), (148, 8), (156, 1), (329, 8), (386, 24), (482, 1))


def of_tar(random: Random) -> bytes:
    """Return a tar with wrong numbers; most of its checksums are right."""
    out = io.BytesIO()
    form = random.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), random.choice((0, 1.5))
            tar.addfile(info, io.BytesIO(data))
    octets = bytearray(out.getvalue())
    headers = [at for at in range(0, len(octets), 512) if octets[at + 257 : at + 262] == b"ustar"]
    for _ in range(random.randint(1, 3)):
        at = random.choice(headers)
        start, size = random.choice(TAR_FIELDS)
        if octets[at + 156] == ord("x") and random.random() < 0.5:
            records = with_other_digits(bytes(octets[at + 512 : at + 1024]), random)
            octets[at + 512 : at + 1024] = records[:512].ljust(512, b"\0")
            continue
        text = random.choice(TEXT)[:size].ljust(size, b"\0")
        octets[at + start : at + start + size] = random.choice((text, in_binary(size, random)))
    for at in headers:
        if random.random() < 0.9:
            octets[at + 148 : at + 156] = b" " * 8
            octets[at + 148 : at + 156] = b"%06o\0 " % sum(octets[at : at + 512])
    return bytes(octets)


# Zips: the records of APPNOTE 4.3 and their lengths

ZIP_RECORDS = {b"PK\3\4": 30, b"PK\1\2": 46, b"PK\5\6": 22, b"PK\6\6": 56, b"PK\6\7": 20, b"\1\0": 24}


def of_zip(random: Random) -> bytes:
    """Return a zip with wrong numbers, some of them in the fields of 64 bits."""
    out = io.BytesIO()
    wide = random.random() < 0.5
    with zipfile.ZipFile(out, "w", random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as packed:
        for name, data in FILES.items():
            with packed.open(zipfile.ZipInfo(name), "w", force_zip64=wide) as file:
                file.write(data)
    octets = bytearray(out.getvalue())
    if wide:
        end = octets.rindex(b"PK\5\6")
        count, size, offset = struct.unpack_from("<H2L", octets, end + 10)
        record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, offset)
        octets[end:end] = record + struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    records = [(found.start(), ZIP_RECORDS[found[0]]) for found in re.finditer(b"|".join(ZIP_RECORDS), bytes(octets))]
    for _ in range(random.randint(1, 3)):
        at, length = random.choice(records)
        size = random.choice((2, 4, 8))
        start = at + random.randrange(2, length - 1, 2)
        octets[start : start + size] = in_binary(size, random)
    return bytes(octets)


# What is written in digits


def of_json(random: Random) -> bytes:
    """Return a JSON document or lines of JSON with wrong numbers, brackets and escapes."""
    value = {"1": [10, -2.5e3, {"url": "http:\\u002f/a.example/\n"}], "2": "http://b.example/", "3": [[[]], 1e5]}
    lines = [json.dumps(value, indent=random.choice((None, 1)))] * random.randint(1, 3)
    data = with_other_digits("\n".join(lines).encode(), random)
    depth = random.choice((0, 0, 0, 1, 100, 100_000))
    return b"[" * depth + data + b"]" * random.choice((depth, 0))


def of_lengths(random: Random) -> bytes:
    """Return a web archive, a batch of news or an mbox with wrong lengths and dates."""
    body = b"From: a@a.example\nContent-Length: 30\nDate: Sat, 17 Feb 1996 10:00:00 +0100\n\nhttp://a.example/b\n\n"
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset*0=utf-8\r\n\r\n<a href=http://a.example/>"
    warc = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
    arc = b"filedesc://a 0.0.0.0 20060102030405 text/plain 0\n\nhttp://a.example/ 1.1.1.1 20060102030405 x %d\n%b\n"
    whole = random.choice(
        (
            b"#! rnews %d\n%b" % (len(body), body),
            b"From x@y Sat Feb 17 10:00:00 1996\n" + body,
            warc % (len(page), page),
            arc % (len(page), page),
        )
    )
    return with_other_digits(whole * random.randint(1, 3), random)


MAKERS: Mapping[str, Callable[[Random], bytes]] = {"tar": of_tar, "zip": of_zip, "json": of_json, "lengths": of_lengths}


# Git repositories


def repository(folder: Path) -> Path:
    """Make a public-inbox with messages in a pack and in files of their own."""
    inbox = folder / "a.git"
    names = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    apart = environ | names | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": devnull}

    def git(*arguments: str, given: bytes = b"") -> str:
        command = ["git", f"--git-dir={inbox}", *arguments]
        done = subprocess.run(command, input=given, check=True, capture_output=True, env=apart, timeout=60)  # noqa: S603
        return done.stdout.decode().strip()

    git("init", "-q", "--bare")
    commit: list[str] = []
    for number in range(6):
        blob = git("hash-object", "-w", "--stdin", given=b"Subject: %d\n\nhttp://a.example/%d\n" % (number, number))
        tree = git("mktree", given=f"100644 blob {blob}\tm\n".encode())
        commit = ["-p", git("commit-tree", "-m", "x", *commit, tree)]
        git("update-ref", "HEAD", commit[1])
        if number == 3:
            git("gc", "-q")
    return inbox


def harm(inbox: Path, random: Random) -> None:
    """Put wrong numbers into a file of *inbox*: an object, a pack, its index, or a reference."""
    path = random.choice(sorted(path for path in inbox.rglob("*") if path.is_file() and "hooks" not in path.parts))
    data = path.read_bytes()
    path.chmod(0o644)
    if len(path.parent.name) == 2:
        path.write_bytes(zlib.compress(with_other_digits(zlib.decompress(data), random)))
    elif path.suffix in {".pack", ".idx", ".rev", ".bitmap"} or path.name == "commit-graph":
        at, size = random.randrange(len(data)) & ~3, random.choice((4, 8))
        path.write_bytes(data[:at] + in_binary(size, random) + data[at + size :])
    else:
        path.write_bytes(with_other_digits(data, random))


# The fuzzer


def findings(seed: str, numbers: range) -> Iterator[tuple[int, str, str]]:
    """Yield the number, the kind and the exception of each file with which one is raised."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        inbox = repository(folder) if shutil.which("git") else None
        for number in numbers:
            random = Random(f"{seed} {number}")
            kind = random.choice(list(MAKERS))
            try:
                if inbox and random.random() < GIT:
                    kind = "git"
                    copy = shutil.copytree(inbox, folder / f"{number}.git")
                    harm(copy, random)
                    read(copy)
                    shutil.rmtree(copy)
                else:
                    read(io.BytesIO(MAKERS[kind](random)))
            except Exception:  # noqa: BLE001 -- whatever is raised is a finding
                yield number, kind, traceback.format_exc(limit=-4)


def read(file: io.BytesIO | Path) -> None:
    """Read *file* with all that is on request, and ask for every field of what is found."""
    try:
        for match in iter_urls(file, schemeless=True, addresses=True, refang=True):
            match.as_dict(unwrap=True)
            repr(match.origin)
    except SourceError as error:
        str(error)


def main() -> int:
    """Print the findings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    parser.add_argument("--seed", default="a")
    options = parser.parse_args()
    logging.disable()  # what is skipped is no finding
    count = 0
    for number, kind, fault in findings(options.seed, range(options.first, options.first + options.count)):
        count += 1
        print(f"file {number}, {kind}: {fault}", flush=True)
    print(f"{options.count} files, {count} findings")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
