"""Whether the same URLs are found by every road: a file, a pipe, archives of files, git, one process and several.

usage: URLMEND_SHARED=DIR python -m benchmarks.roads [--every N] [--jobs N] [--spark] [PATH…]

From the root of a checkout. All files of the corpora (or below PATH…) are packed as a directory, a zip, a tar, a tgz
and a zip in a tar, and those that are one message each as a public-inbox. Each is read by the library as a file and as
a pipe, by the command with `-j 1` and `-j N` (whole records, and URLs alone), and with `--spark` on Spark in small
ranges. Each file read by itself says what has to be found: every field of every record, in order. Where a road finds
something else the first records are printed. Exit status 1 then. `--every 20` takes every 20th file.
"""

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.containers import Pipe
from benchmarks.inbox import commits

from urlmend import URLMatch, iter_urls
from urlmend.output.tables import JsonlFormat
from urlmend.sources.compression import PeekableFile
from urlmend.sources.directories import files
from urlmend.sources.recognise import kind_of

SHOWN = 3
"""How many files are reported for each road that finds something else in them."""

URL_ONLY = "url"
"""The one field of what is printed without `--format`."""

Record = dict[str, object]
Found = Iterable[tuple[str, list[Record]]]
"""The name of each file in which something is found, with its records but for the source."""


class Packed(NamedTuple):
    """An archive of files: its path, and the *names* of its files by the part of `source` after the path."""

    path: Path
    names: dict[str, str]


def records(text: str) -> Iterator[Record]:
    """Yield the records in *text*, JSON lines."""
    return map(json.loads, filter(None, text.split("\n")))


def by_library(read: Callable[[], Iterable[URLMatch]]) -> Iterator[Record]:
    """Yield the records of the matches that *read* returns; print the error that ends them."""
    out = io.StringIO()
    lines = JsonlFormat().lines
    try:
        for match in read():
            out.write(lines([match]))
    except OSError as error:
        print(f"  {error}")
    return records(out.getvalue())


def by_pipes(packed: Packed) -> Iterator[Record]:
    """Yield the records of the files of a directory, each a pipe."""
    for name, path in packed.names.items():
        with Path(path).open("rb") as file:
            for record in by_library(partial(iter_urls, Pipe(file))):
                yield {**record, "source": f"{packed.path}{name}"}


def by_command(path: Path, *options: str) -> Iterator[Record]:
    """Yield the records of the command with *options*."""
    command = [sys.executable, "-m", "urlmend", "-r", *options, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # noqa: S603 -- ours
    text = done.stdout.decode("utf-8", "surrogateescape")
    return records(text) if "jsonl" in options else ({URL_ONLY: line} for line in text.split("\n") if line)


def by_file(found: Iterable[Record], packed: Packed) -> Found:
    """Yield the records *found* in *packed* by the file that they are of."""
    root = str(packed.path)
    for called, its_records in groupby(found, key=lambda record: str(record.pop("source", ""))):
        # A pipe has no name.
        source = called.removeprefix("-" if called.startswith("-!") else root)
        yield packed.names.get(source, source), list(its_records)


def pack(paths: list[str], folder: Path) -> Iterator[Packed]:
    """Yield the files at *paths* packed each way."""
    names = {f"f/{number}": path for number, path in enumerate(paths)}
    directory = folder / "directory"
    (directory / "f").mkdir(parents=True)
    inner = folder / "in.zip"
    with (
        tarfile.open(folder / "a.tar", "w") as plain,
        tarfile.open(folder / "a.tgz", "w:gz", compresslevel=1) as compressed,
        zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped,
        zipfile.ZipFile(inner, "w") as stored,
    ):
        for name, path in names.items():
            shutil.copyfile(path, directory / name)
            for file in (plain, compressed):
                file.add(directory / name, name)
            for archive in (zipped, stored):
                archive.write(directory / name, name)
    with tarfile.open(folder / "zip.tar", "w") as nested:
        nested.add(inner, "in.zip")
    yield Packed(directory, {f"/{name}": path for name, path in names.items()})
    for archive_name in ("a.zip", "a.tar", "a.tgz"):
        yield Packed(folder / archive_name, {f"!{name}": path for name, path in names.items()})
    yield Packed(folder / "zip.tar", {f"!in.zip!{name}": path for name, path in names.items()})


def pack_messages(paths: list[str], folder: Path) -> Packed:
    """Return the messages at *paths* as a public-inbox."""
    repository = folder / "list.git"
    git = ["git", f"--git-dir={repository}"]
    subprocess.run([*git, "init", "-q", "--bare", "--initial-branch=master"], check=True)  # noqa: S603 -- ours
    stream = b"".join(commits([Path(path).read_bytes() for path in paths], []))
    subprocess.run([*git, "fast-import", "--quiet", "--force"], input=stream, check=True)  # noqa: S603 -- as above
    listed = subprocess.run([*git, "rev-list", "--reverse", "master"], check=True, capture_output=True, text=True)  # noqa: S603 -- as above
    return Packed(repository, {f"!{name}": path for name, path in zip(listed.stdout.split(), paths, strict=True)})


def is_message(path: str) -> bool:
    """Return whether the file at *path* is read as one message."""
    with Path(path).open("rb") as file:
        return kind_of(PeekableFile(file)) == "message"


def differences(found: Found, expected: Found) -> Iterator[str]:
    """Yield what differs, a file each."""
    actual = list(found)
    wanted = {name: its_records for name, its_records in expected if its_records}
    if [name for name, _ in actual] != list(wanted):
        missing = [name for name in wanted if name not in dict(actual)]
        yield f"other files, or in another order: {len(actual)} and {len(wanted)}; not there: {missing[:SHOWN]}"
    for name, its_records in actual:
        if its_records != wanted.get(name):
            pairs = zip(its_records, wanted.get(name, []), strict=False)
            first = next((pair for pair in pairs if pair[0] != pair[1]), None)
            where = [key for key in first[0] if first[0][key] != first[1].get(key)] if first else "their number"
            yield f"{name}: {where}: {first}"


def urls_alone(expected: Found) -> Found:
    """Yield *expected* as the command prints it without further options."""
    yield "", [{URL_ONLY: record["url"]} for _, its_records in expected for record in its_records]


def on_spark(packed: Packed) -> Iterator[Record]:
    """Yield the records of Spark, in many tasks, in the order of one process."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 -- where it is asked for

    from urlmend.spark import read_mail  # noqa: PLC0415 -- as above

    os.environ.update(SPARK_LOCAL_IP="127.0.0.1")
    settings: dict[str, Any] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    order = {f"{packed.path}{name}": number for number, name in enumerate(packed.names)}
    rows = read_mail(spark, str(packed.path), range_size=1 << 20).toArrow().to_pylist()
    yield from sorted(rows, key=lambda row: (order[row["source"]], row["message"] or 0))


def roads(packed: Packed, jobs: str, *, spark: bool) -> Iterator[tuple[str, Callable[[], Iterator[Record]], str]]:
    """Yield the name of each road that reads *packed*, what reads it, and what is compared: all, or URLs alone."""
    path = packed.path
    yield "library", partial(by_library, lambda: iter_urls(path)), "all"
    yield f"library, jobs={jobs}", partial(by_library, lambda: iter_urls(path, jobs=int(jobs))), "all"
    if path.is_file():
        yield "library, a pipe", partial(by_library, lambda: iter_urls(Pipe(path.open("rb")))), "all"
    elif packed.names:
        yield "library, pipes", partial(by_pipes, packed), "all"
    for number in ("1", jobs):
        yield f"-j {number} --format jsonl", partial(by_command, path, "-j", number, "--format", "jsonl"), "all"
        yield f"-j {number}", partial(by_command, path, "-j", number), "urls"
    if spark:
        yield "Spark", partial(on_spark, packed), "url and place"


def compared(found: Iterator[Record], packed: Packed, expected: Found, how: str) -> Iterator[str]:
    """Yield what differs between what is *found* in *packed* and what is *expected*."""
    if how == "urls":
        return differences([("", list(found))], urls_alone(expected))
    if how == "all":
        return differences(by_file(found, packed), expected)
    fields = ("source", "message", "part", "start", "end", "line", "url", "readings", "confidence")
    key = lambda record: [str(record.get(field)) for field in fields[1:]]  # noqa: E731 -- an order
    rows = ({field: record[field] for field in fields} for record in found)
    short = ((name, sorted(({f: r[f] for f in fields[1:]} for r in its), key=key)) for name, its in expected)
    return differences(((name, sorted(its, key=key)) for name, its in by_file(rows, packed)), short)


def main() -> int:
    """Compare all roads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth file [1]")
    parser.add_argument("--jobs", default="2", help="so many processes [2]")
    parser.add_argument("--spark", action="store_true", help="on Spark too (urlmend[spark] and Java)")
    options = parser.parse_args()
    shared = os.environ.get("URLMEND_SHARED")
    if not (options.paths or shared):
        sys.exit("URLMEND_SHARED is not set: it names the folder with the real corpora")
    below = options.paths or [str(Path(str(shared), "corpora"))]
    paths = [path for given in below for path in files(given)][:: options.every]
    expected = {path: list(by_library(partial(iter_urls, Path(path)))) for path in paths}
    for its_records in expected.values():
        for record in its_records:
            del record["source"]
    print(f"{len(paths)} files, {sum(map(len, expected.values()))} URLs", flush=True)
    failed = 0
    with TemporaryDirectory() as folder:
        messages = list({Path(path).read_bytes(): path for path in paths if is_message(path)}.values())
        inboxes = [pack_messages(messages, Path(folder))] if messages else []
        for packed in (*pack(paths, Path(folder)), *inboxes):
            wanted = [(path, expected[path]) for path in packed.names.values()]
            for name, read, how in roads(packed, options.jobs, spark=options.spark):
                begun = perf_counter()
                wrong = list(compared(read(), packed, wanted, how))
                failed += bool(wrong)
                seconds = f"{perf_counter() - begun:6.1f} s"
                print(f"{packed.path.name:10} {name:22} {seconds}  {f'{len(wrong)} differ' if wrong else 'the same'}")
                print("".join(f"    {one[:600]}\n" for one in wrong[:SHOWN]), end="", flush=True)
    print("all the same" if not failed else f"{failed} roads differ")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
