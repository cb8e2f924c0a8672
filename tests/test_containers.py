"""Zip and tar files: what is in them is found as in the files themselves, and what is hostile costs little."""

import gzip
import io
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from files import FILES, MBOX, ROADS, TEXT, URLS, tarred, zipped
from urlmend import SourceError, URLMatch, iter_urls
from urlmend.output.database.database import Database
from urlmend.output.database.harvest import Listener, harvest
from urlmend.sources import containers, tar


class Pipe:
    """A file of which only `read(n)` is asked; it gives little at a time."""

    def __init__(self, data: bytes, most: int = 1 << 20) -> None:
        self._file = io.BytesIO(data)
        self._most = most

    def read(self, n: int, /) -> bytes:
        return self._file.read(min(n, self._most))


def found(match: URLMatch) -> tuple[Any, ...]:
    origin = match.origin
    return match.url, match.start, match.end, match.line, match.column, match.readings, origin.message, origin.part


def read(file: Any) -> tuple[list[str], str]:
    """Return the URLs in *file* with the names of their members, and what is raised at the end."""
    urls: list[str] = []
    try:
        urls.extend(f"{match.origin.source} {match.url}" for match in iter_urls(file))
    except SourceError as error:
        return urls, str(error)
    return urls, ""


# The same by every road


@pytest.mark.parametrize("road", ROADS)
def test_the_same_by_every_road(road: str, tmp_path: Path) -> None:
    packed = ROADS[road](FILES)
    path = tmp_path / "archive"
    path.write_bytes(packed)
    alone = [found(match) for data in FILES.values() for match in iter_urls(io.BytesIO(data))]
    assert [url for url, *_ in alone] == URLS
    for file in (io.BytesIO(packed), Pipe(packed), Pipe(packed, 7), path):
        assert [found(match) for match in iter_urls(file)] == alone
    with path.open("rb") as opened:
        assert [found(match) for match in iter_urls(opened)] == alone


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([TEXT, MBOX, *FILES.values()]), st.integers(1, 400)), max_size=4))
def test_any_files_by_every_road(samples: list[tuple[bytes, int]]) -> None:
    files = {f"{number}": data[:size] for number, (data, size) in enumerate(samples)}
    alone = [found(match) for data in files.values() for match in iter_urls(io.BytesIO(data))]
    for road in ("zip", "tgz", "zip in tar"):
        assert [found(match) for match in iter_urls(io.BytesIO(ROADS[road](files)))] == alone


def test_members_have_names(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"in.tar": tarred({"x/a b.txt": b"http://a.example/"})}))
    (match,) = iter_urls(path)
    assert match.origin.source == f"{path}!in.tar!x/a b.txt"
    (match,) = iter_urls(io.BytesIO(path.read_bytes()))
    assert match.origin.source == "-!in.tar!x/a b.txt"


def test_each_member_is_a_stream_of_its_own() -> None:
    # The URL that stands whole in another file decides nothing.
    files = {"a": b"http://a.example/b-c", "b": b"<URL:http://a.example/b-\nc> <URL:http://a.example/bc>"}
    alone = [match.readings for data in files.values() for match in iter_urls(io.BytesIO(data))]
    assert [match.readings for match in iter_urls(io.BytesIO(zipped(files)))] == alone


def test_the_first_is_out_before_the_rest_is_read() -> None:
    pipe = Pipe(tarred({str(number): b"http://a.example/%d\n" % number + b"x" * 3000 for number in range(1000)}), 4096)
    assert next(iter_urls(pipe)).url == "http://a.example/0"
    assert pipe.read(1)


# What is broken


def flipped(data: bytes, what: bytes, by: bytes) -> bytes:
    assert data.count(what) >= 1
    return data.replace(what, by, 1)


STORED = zipped({"a": b"http://a.example/", "b": b"http://b.example/"}, zipfile.ZIP_STORED)
TARRED = tarred({"a": b"http://a.example/", "b": b"http://b.example/"}, tarfile.USTAR_FORMAT)
ENCRYPTED = STORED[: (at := STORED.index(b"PK\1\2") + 8)] + b"\1" + STORED[at + 1 :]
UNKNOWN = STORED[: (at := STORED.index(b"PK\1\2") + 10)] + b"\x09" + STORED[at + 1 :]
BROKEN: dict[str, tuple[bytes, list[str], str]] = {
    "checksum": (
        flipped(STORED, b"http://a.e", b"http://A.e"),
        ["-!a http://A.example/", "-!b http://b.example/"],
        r"-!a: is corrupt: it has 17 bytes with checksum \w+, not 17 bytes with checksum \w+",
    ),
    "encrypted": (ENCRYPTED, ["-!b http://b.example/"], "-!a: is encrypted"),
    "unknown method": (UNKNOWN, ["-!b http://b.example/"], r"-!a: is compressed by a method that is not known \(9\)"),
    "no directory": (STORED[:-30], [], "the zip data ends early, or is corrupt: it has no directory"),
    "half a zip": (STORED[: len(STORED) // 2], [], "the zip data ends early.*"),
    "gz in zip": (
        zipped({"a.gz": gzip.compress(b"http://a.example/ " + b"word " * 9)[:-9], "b": b"http://b.example/"}),
        ["-!a.gz http://a.example/", "-!b http://b.example/"],
        "-!a.gz: the gzip data ends early.*",
    ),
    "tar cut in a member": (
        TARRED[:1540],
        ["-!a http://a.example/"],
        "-!b: the tar data ends early, 13 bytes before its end.*",
    ),
    "tar cut in a header": (TARRED[:1100], ["-!a http://a.example/"], "the tar data is broken after member 1.*"),
    "tar with a broken header": (
        TARRED[:1024] + b"x" * 512 + TARRED[1536:],
        ["-!a http://a.example/"],
        "the tar data is broken after member 1.*",
    ),
    "too deep": (zipped({"a": zipped({"b": zipped({"c": b"http://c.example/"})})}), [], "-!a!b: is not read: .*"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_told_and_the_rest_read(name: str) -> None:
    data, urls, told = BROKEN[name]
    got, error = read(Pipe(data))
    assert got == urls
    assert re.fullmatch(told, error)


@pytest.mark.parametrize("size", range(0, 2600, 97))
def test_a_container_cut_anywhere(size: int) -> None:
    for data in (TARRED[:size], STORED[:size], gzip.compress(TARRED)[:size]):
        urls, _ = read(Pipe(data))
        for url in urls:
            assert "-!a http://a.example/".startswith(url) or "-!b http://b.example/".startswith(url)


# What is hostile


def test_links_and_devices_are_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE) * 10):
            info = tarfile.TarInfo(f"../{number}")
            info.type, info.linkname = kind, "/etc/passwd" if number else "../0"
            made.addfile(info)
        info = tarfile.TarInfo("/etc/shadow")
        info.size = 17
        made.addfile(info, io.BytesIO(b"http://a.example/"))
    assert read(Pipe(out.getvalue())) == (["-!/etc/shadow http://a.example/"], "")
    assert "40 links, devices or files with holes in it are skipped" in caplog.text


def overlapping() -> bytes:
    """Return a zip whose members are all the same data."""
    data = STORED
    start = data.index(b"PK\1\2")
    end = data.index(b"PK\5\6")
    entry = data[start : data.index(b"PK\1\2", start + 1)]
    count = 300
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entry) * count, start, 0)
    assert end > start
    return data[:start] + entry * count + tail


MOST = 2000


def lying(count: int, real: int) -> bytes:
    """Return a zip with *real* empty members whose end tells of *count*."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("a", b"")
    data = out.getvalue()
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    entry = data[start:end]
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count & 0xFFFF, count & 0xFFFF, len(entry) * real, start, 0)
    return data[:start] + entry * real + tail


def long_name() -> bytes:
    """Return a tar with a name that says it has 8 GB."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 33
    return tarred({"a": b"http://a.example/"})[:1024] + info.tobuf(tarfile.GNU_FORMAT) + b"n" * (1 << 22)


def bomb() -> bytes:
    return zipped({"a": b"http://a.example/\n", "bomb": b"\0" * (1 << 24), "b": b"http://b.example/"})


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "overlapping members": (overlapping, "-!a: is corrupt: it overlaps.*, and 20 more like it"),
    "too many members": (lambda: lying(MOST + 10, MOST + 10), r"lists more than \d+ members.*"),
    "too many members, and few told": (lambda: lying(1, MOST + 10), r"lists more than \d+ members.*"),
    "a long name": (long_name, "the tar data is broken.*its headers have more than 1048576 bytes"),
    "a directory that is not there": (
        lambda: STORED[:-22] + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, 1 << 20, 0, 0),
        "the zip data is broken: it has no directory at byte 0, and none of 1048576 bytes at its end",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_costs_little(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("urlmend.sources.zip.MAX_LISTED", MOST)
    make, told = HOSTILE[name]
    data = make()
    tracemalloc.start()
    try:
        _, error = read(Pipe(data))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert re.fullmatch(told, error)
    assert peak < 16_000_000 + len(data)
    assert not list(tmp_path.iterdir())


def test_a_bomb_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "FREE", 1 << 20)
    told = "expands to more than 250 times its size: the rest is not read"
    urls, error = read(Pipe(bomb()))
    assert urls == ["-!a http://a.example/"]
    assert error == f"-!bomb: {told}"
    urls, error = read(Pipe(gzip.compress(tarred({"a": b"http://a.example/\n", "bomb": b"\0" * (1 << 24)}))))
    assert urls == ["-!a http://a.example/"]
    assert error == f"-!bomb: {told}"
    inner = zipped({"bomb": b"\0" * (1 << 24)})
    urls, error = read(Pipe(zipped({"in.zip": inner, "b": b"http://b.example/"})))
    assert urls == []
    assert error == f"-!in.zip!bomb: {told}"


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
WRONG_NUMBERS: dict[str, bytes] = {
    "a size below 0": header("n", (2**96 - 1).to_bytes(12, "big")),
    "a size far below 0": header("n", (2**96 - 1024).to_bytes(12, "big")),
    "a size that no file has": header("n", (2**95 + 2**80).to_bytes(12, "big")),
    "a size of 2^90": header("n", (2**95 + 2**90).to_bytes(12, "big")),
    "a size that is none": header("n", b"size 9 bytes"),
    **{
        f"pax {record.decode()}": member("pax", b"%d %b\n" % (len(record) + 4, record), b"x") + member("n", b"data")
        for record in (b"mtime=+inf", b"mtime=-inf", b"mtime=nan00", b"size=-5000", b"size=99999999999999999999")
    },
    "pax without lengths": member("pax", b"0 a=b\n0 a=b\n", b"x") + member("n", b"data"),
    "a long name's size below 0": header("L", (2**96 - 1).to_bytes(12, "big"), b"L") + member("n", b"data"),
}


@pytest.mark.parametrize("name", WRONG_NUMBERS)
def test_a_wrong_number_costs_a_tar_one_member(name: str, tmp_path: Path) -> None:
    data = GOOD + WRONG_NUMBERS[name] + GOOD + bytes(1024)
    told = "-!n: is broken: its header has a wrong number"
    assert read(Pipe(data)) == (["-!a http://a.example/"] * 2, told)
    path = tmp_path / "a.tar"
    path.write_bytes(data)
    assert len(read(path)[0]) == 2
    long = Pipe(data + bytes(1 << 25), 1 << 16)
    tracemalloc.start()
    read(long)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 23


@pytest.mark.parametrize("shift", [30, -30])
def test_a_directory_that_is_not_where_its_end_says(shift: int) -> None:
    data = bytearray(STORED)
    place = data.index(b"PK\5\6") + 16
    struct.pack_into("<L", data, place, struct.unpack_from("<L", data, place)[0] + shift)
    assert read(Pipe(bytes(data))) == (["-!a http://a.example/", "-!b http://b.example/"], "")


def test_a_wrong_entry_costs_a_zip_one_member() -> None:
    second = STORED.index(b"PK\1\2", STORED.index(b"PK\1\2") + 1)
    nameless = STORED[:second] + STORED[second : second + 46] + b"\0" + STORED[second + 47 :]
    assert read(Pipe(nameless)) == (["-!a http://a.example/"], "-!: has no name")
    outside = bytearray(STORED)
    struct.pack_into("<L", outside, second + 42, 1 << 30)
    urls, told = read(Pipe(bytes(outside)))
    assert urls == ["-!a http://a.example/"]
    assert told.startswith("-!b: is corrupt: it overlaps with what follows, or is outside of the zip")
    cut = STORED[:second] + b"PK\0\0" + STORED[second + 4 :]
    assert read(Pipe(cut)) == (
        ["-!a http://a.example/"],
        "the zip data is broken: its directory ends early, after 1 members",
    )


def test_no_member_of_a_tar_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tar, "MAX_MEMBERS", 800)
    data = tarred(dict.fromkeys(map(str, range(1000)), b""), tarfile.USTAR_FORMAT)
    tracemalloc.start()
    _, error = read(Pipe(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert error == "has more than 800 members: the rest is not read"
    assert peak < 1_000_000


def test_no_more_faults_are_told_than_are_read() -> None:
    broken = zipped(dict.fromkeys(map(str, range(100)), b"\x1f\x8b nothing"))
    told: list[containers.Skipped] = []
    assert list(containers.members(Pipe(broken), "auto", told.append)) == []
    assert len(told) == containers.MAX_FAULTS + 1
    assert told[-1].reason == "80 more members of it cannot be read"


# The harvest


def test_a_member_is_the_unit_of_a_harvest(tmp_path: Path) -> None:
    database, archive = str(tmp_path / "links.db"), tmp_path / "archive"
    archive.mkdir()
    packed = archive / "a.zip"
    packed.write_bytes(zipped({"a": b"http://a.example/", "b": b"http://b.example/", "x": b"%PDF-1.4"}))

    def again() -> dict[str, int]:
        return dict(harvest([str(archive)], database, Listener()))

    def stored() -> list[str]:
        with closing(sqlite3.connect(database)) as db:
            found = db.execute(
                "SELECT s.name, u.url FROM occurrence o JOIN source s ON s.id = o.source JOIN url u ON u.id = o.url"
            )
            return sorted(f"{name.removeprefix(str(archive))} {url}" for name, url in found)

    assert again() == {"new": 3, "URLs": 2}
    assert again() == {"unchanged": 1}
    assert stored() == ["/a.zip!a http://a.example/", "/a.zip!b http://b.example/"]
    packed.write_bytes(zipped({"a": b"http://a.example/", "b": b"http://b.example/2", "c": b"http://c.example/"}))
    assert again() == {"changed": 2, "unchanged": 1, "new": 1, "URLs": 2}
    packed.write_bytes(zipped({"c": b"http://c.example/"}))
    assert again() == {"changed": 1, "unchanged": 1, "gone": 2}
    assert stored() == ["/a.zip!c http://c.example/"]
    packed.write_bytes(packed.read_bytes()[:-5])
    assert again()["failed"] == 1
    assert stored() == ["/a.zip!c http://c.example/"]
    packed.unlink()
    (archive / "other").write_bytes(b"")
    assert again() == {"new": 1, "gone": 2, "URLs": 0}
    assert stored() == []


@pytest.mark.parametrize("become", [MBOX, TEXT, b"", tarred({"b": TEXT})])
@pytest.mark.parametrize("name", ["a.zip", "ä", os.fsdecode(b"\xff")])
def test_what_is_a_container_no_more_has_no_members(name: str, become: bytes, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    neighbour = zipped({"x": TEXT})
    for called, data in ((name, zipped({"a": TEXT, "ä": TEXT})), (f"{name}x", neighbour), (f"{name} ", neighbour)):
        (archive / called).write_bytes(data)
    databases = [str(tmp_path / "links.db"), str(tmp_path / "fresh.db")]
    harvest([str(archive)], databases[0], Listener())
    (archive / name).write_bytes(become)
    stored = []
    for database in databases:
        harvest([str(archive)], database, Listener())
        with closing(sqlite3.connect(database)) as db:
            stored.append(db.execute("SELECT source, url, line FROM record ORDER BY 1, 2, 3").fetchall())
    assert stored[0] == stored[1]


def test_two_members_of_one_name_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar_file:
        for data in (b"http://a.example/", b"http://b.example/"):
            info = tarfile.TarInfo("a")
            info.size = len(data)
            tar_file.addfile(info, io.BytesIO(data))
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(Listener, "passed_over", lambda _, *passed: told.append(passed))
    assert harvest([str(path)], str(tmp_path / "links.db"), Listener())["URLs"] == 1
    assert told == [(f"{path}!a", "is in its container twice: the first one is stored")]


def test_changed_files_are_not_looked_for_among_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive, database = tmp_path / "archive", str(tmp_path / "links.db")
    archive.mkdir()
    for number in range(9):
        (archive / str(number)).write_bytes(TEXT)
    harvest([str(archive)], database, Listener())
    for number in range(9):
        (archive / str(number)).write_bytes(TEXT + b".")
    asked: list[Database] = []
    every = Database.sources

    def sources(self: Database) -> Iterator[tuple[int, str]]:
        asked.append(self)
        return every(self)

    monkeypatch.setattr(Database, "sources", sources)
    assert harvest([str(archive)], database, Listener())["changed"] == 9
    assert len(asked) <= 1  # for those that are gone


# The command


def run(*args: str, data: bytes = b"", cwd: Path) -> tuple[int, list[str], list[str]]:
    command = [sys.executable, "-m", "urlmend", *args]
    done = subprocess.run(command, input=data, capture_output=True, cwd=cwd, check=False)  # noqa: S603
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode().splitlines()


def test_members_are_named_where_they_are_told_apart(tmp_path: Path) -> None:
    data = zipped({"a": b"http://a.example/ http://b.example/", "b": b"http://c.example/"})
    (tmp_path / "a.zip").write_bytes(data)
    assert run("-c", "a.zip", cwd=tmp_path)[1] == ["a.zip!a:2", "a.zip!b:1"]
    assert run("-c", "-j", "2", "a.zip", cwd=tmp_path)[1] == ["a.zip!a:2", "a.zip!b:1"]
    assert run("-c", data=data, cwd=tmp_path)[1] == ["-!a:2", "-!b:1"]
    assert run("-c", "-h", "a.zip", cwd=tmp_path)[1] == ["2", "1"]
    assert run("-c", data=gzip.compress(b"http://a.example/"), cwd=tmp_path)[1] == ["1"]
    assert [line for line in run("annotate", "a.zip", cwd=tmp_path)[1] if "═" in line][:-1] == [
        "══ a.zip!a ══",
        "══ a.zip!b ══",
    ]
    assert "<h2>a.zip!b</h2>" in run("annotate", "--format", "html", "a.zip", cwd=tmp_path)[1]


def test_the_command_reads_members_as_files(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({**FILES, "x.pdf": b"%PDF-1.4\nhttp://pdf.example/\n"}))
    (tmp_path / "broken.zip").write_bytes(ENCRYPTED)
    status, out, errors = run("-c", "a.zip", cwd=tmp_path)
    assert (status, sum(int(line.rpartition(":")[2]) for line in out)) == (0, len(URLS))
    assert errors == ["urlmend: a.zip!x.pdf: skipped: PDF; try pdftotext FILE - | urlmend"]
    assert run("-a", "a.zip", cwd=tmp_path)[1:] == ([*URLS, "http://pdf.example/"], [])
    status, out, errors = run("-H", "broken.zip", cwd=tmp_path)
    assert (status, out) == (2, ["broken.zip!b:http://b.example/"])
    assert errors == ["urlmend: broken.zip!a: is encrypted"]
    assert run("-q", data=(tmp_path / "a.zip").read_bytes(), cwd=tmp_path) == (0, [], [])
    for jobs in ("1", "2"):
        assert run("-r", "-H", "-j", jobs, ".", cwd=tmp_path)[1] == [
            *(f"./a.zip!{(match.origin.source or '')[2:]}:{match.url}" for match in iter_urls(Pipe(zipped(FILES)))),
            "./broken.zip!b:http://b.example/",
        ]
