"""Whether every field of every match and reject is as another revision of urlmend has it, over all corpora.

usage: python -m benchmarks.identity [--against REV] [--sample MB] [--ways NAME,…] [--skip FIELD,…] [PATH…]

From the root of a checkout. Without a path the texts are `corpora/samples`, generated mail, news and documents, the
case tables of `tests/`, and the corpora of the folder that URLMEND_SHARED names. Each file is read in every way of
`WAYS`, by this tree and by the other, in two processes that use the public API only. Their digests are compared by file
and way; where they differ, the first matches that do are printed side by side. Exit status 1 where anything differs.
`--sample 5` takes 5 MB, spread evenly over the folders: the same 5 MB each time. REV may also be a checkout's folder.
`--skip ambiguous,confidence,places` leaves out fields of matches, records and rejects; `places` are all five of them.
Files of PARTED bytes and more are also read by 2 and by 7 processes, in parts that are small enough for all of them to
have work. All ways over all corpora take about an hour on two processors, `--ways auto,text --sample 5` some minutes.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from io import BytesIO, StringIO
from itertools import cycle, product, zip_longest
from os import environ
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
REFERENCE = "ad3c7c7"
"""The commit of 0.3.0."""

CHUNKS = (1, 2, 3, 7, 61, 997, 4093, 16411)
DIGEST, RECORDS = "digest", "records"
SHOWN = 3
PARTED = 100_000
"""From how many bytes on files are read by several processes; smaller ones would mostly measure how these start."""

PLACES = ("start", "end", "line", "column", "exact")
LONGEST_DIAGNOSED = 600
"""The rule and place of what is rejected are worked out for texts up to this size: it takes long for longer ones."""


class File(NamedTuple):
    """A file to read: its first *limit* bytes, or all of it if that is 0."""

    path: str
    limit: int


# What runs under each tree. Its values have the types of another revision, so `Any` stands for them.
# ruff: noqa: ANN401, PLC0415 -- and only those processes import urlmend

Result = tuple[Iterable[Any], list[Any]]


def _iterated(read: Callable[[bytes], Any], **options: Any) -> Callable[[bytes], Result]:
    def result(data: bytes) -> Result:
        from urlmend import iter_urls

        rejected: list[Any] = []
        return list(iter_urls(read(data), rejected=rejected.append, **options)), rejected

    return result


def _found(text: Callable[[bytes], bytes | str], *, strict: bool = False, **options: Any) -> Callable[[bytes], Result]:
    def result(data: bytes) -> Result:
        from urlmend import RFC1738, WEB, find_urls

        rejected: list[Any] = []
        profile = RFC1738 if strict else WEB
        return find_urls(text(data), rejected=rejected.append, profile=profile, **options), rejected

    return result


def _fed(text: Callable[[bytes], Any]) -> Callable[[bytes], Result]:
    def result(data: bytes) -> Result:
        from urlmend import Scanner

        rejected: list[Any] = []
        scanner, rest, matches, at = Scanner(rejected=rejected.append), text(data), [], 0
        sizes = cycle(CHUNKS)
        while at < len(rest):
            size = next(sizes)
            matches += scanner.feed(rest[at : at + size])
            at += size
        return matches + scanner.close(), rejected

    return result


def _parallel(jobs: int) -> Callable[[bytes], Result]:
    """Return the way of reading a file by its path with so many processes, whatever its size."""

    def result(data: bytes) -> Result:
        from importlib import import_module

        from urlmend import iter_urls

        # Where the sizes are that say what is worth several processes, in one revision or another.
        for name in ("urlmend.parallel", "urlmend.parallel.splits", "urlmend.parallel.tasks"):
            try:
                module = import_module(name)
            except ModuleNotFoundError:
                continue
            for size, value in (("LEAST_SIZE", PARTED), ("SPLIT_SIZE", len(data) // (2 * jobs))):
                if hasattr(module, size):
                    setattr(module, size, value)
        rejected: list[Any] = []
        with TemporaryDirectory() as folder:
            path = Path(folder, "file")
            path.write_bytes(data)
            matches = list(iter_urls(path, rejected=rejected.append, jobs=jobs))
        for one in (*matches, *rejected):
            one.origin.source = None  # the folder has another name each time
        return matches, rejected

    return result


def _octets(data: bytes) -> bytes:
    return data


def _str(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _with_line_ends(line_end: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", line_end)


WAYS: Mapping[str, Callable[[bytes], Result]] = {
    "auto": _iterated(BytesIO),
    "text": _iterated(BytesIO, source="text"),
    "jobs=2": _parallel(2),
    "jobs=7": _parallel(7),
    "text-str": _iterated(lambda data: StringIO(_str(data), newline=""), source="text"),
    "bytes": _found(_octets),
    "str": _found(_str),
    "bytes-chunks": _fed(_octets),
    "str-chunks": _fed(_str),
    "LF": _found(_with_line_ends(b"\n")),
    "CRLF": _found(_with_line_ends(b"\r\n")),
    "CR": _found(_with_line_ends(b"\r")),
    "RFC1738": _found(_octets, strict=True),
    "join=wrapped": _found(_octets, join="wrapped"),
    "join=none": _found(_octets, join="none"),
    "refang": _found(_octets, refang=True),
    "on-request": _found(_str, schemeless=True, addresses=True, refang=True),
}
"""How a file is read: from its bytes to matches and rejects."""

ORIGIN = (
    *(
        "source",
        "message",
        "part",
        "offset",
        "part_offset",
        "content_type",
        "charset",
        "encoding",
        "message_id",
        "date",
    ),
    *("author", "subject", "newsgroups", "defects", "attributes", "target_uri", "record"),
)


def _broken(match: Any) -> object:
    # Later revisions have more fields of a break than these three.
    return [(one.at, one.removed, one.hyphen) for one in match.breaks]


def _signature(match: Any) -> object:
    return match.signature if hasattr(match, "signature") else match.origin.signature


_PLAIN = (
    *("url", "start", "end", "raw", "line", "column", "form", "readings", "trimmed", "ambiguous", "mended", "quoted"),
    *("departures", "exact", "more_readings", "left", "confidence"),
)
MATCH: Mapping[str, Callable[[Any], object]] = {
    **{name: lambda match, name=name: getattr(match, name) for name in _PLAIN},  # type: ignore[misc]
    "breaks": _broken,
    "signature": _signature,
    "profile": lambda match: match.profile.name,
    "scheme": lambda match: match.parts.scheme,
    "host": lambda match: match.parts.host,
    "parts": lambda match: repr(match.parts),
}
REJECT = ("text", "raw", "start", "end", "line", "column", "form", "exact")


def record(match: Any, skipped: Sequence[str]) -> dict[str, Any]:
    """Return `as_dict` of *match* but for the fields *skipped*."""
    return {name: value for name, value in match.as_dict(unwrap=True).items() if name not in skipped}


def fields() -> list[str]:
    """Return the fields of `MATCH` that a match has in this process's urlmend."""
    from urlmend import find_urls

    (match,) = find_urls("http://a.example/")

    def has(of: Callable[[Any], object]) -> bool:
        try:
            of(match)
        except AttributeError:
            return False
        return True

    return [name for name, of in MATCH.items() if has(of)]


class _Fault(NamedTuple):
    rule: str
    pos: int


def records(result: Result, names: Sequence[str], skipped: Sequence[str]) -> Iterator[str]:
    """Yield all matches and then all rejects of *result* as JSON, with *names* and other fields but those *skipped*."""
    matches, rejected = result
    origins: dict[int, tuple[Any, str]] = {}
    faults: dict[str, _Fault] = {}

    def origin(of: Any) -> str:
        if id(of) not in origins:
            origins[id(of)] = of, json.dumps([getattr(of, name) for name in ORIGIN], default=list)
        return origins[id(of)][1]

    def fault(one: Any) -> _Fault:
        if len(one.text) > LONGEST_DIAGNOSED or len(one.raw) > LONGEST_DIAGNOSED:
            return _Fault("", 0)
        if one.text not in faults:
            error = one.error
            faults[one.text] = _Fault(error.rule, error.pos)
        return faults[one.text]

    chosen = [MATCH[name] for name in names]
    for match in matches:
        about = origin(match.origin), record(match, skipped)
        yield json.dumps([*(of(match) for of in chosen), *about], default=list)
    for one in rejected:
        values = (None if name in skipped else getattr(one, name) for name in REJECT)
        yield json.dumps([*values, *fault(one), origin(one.origin)])


def _work() -> None:
    """Answer the requests on standard input, one JSON list per line: a file, its limit, a way, and the options."""
    names = fields()
    print(json.dumps(names), flush=True)
    names, skipped = json.loads(sys.stdin.readline())
    read, data = None, b""
    for line in sys.stdin:
        path, limit, way, wanted = json.loads(line)
        if read != (path, limit):
            data = Path(path).read_bytes()
            data, read = data[: limit or len(data)], (path, limit)
        lines = list(records(WAYS[way](data), names, skipped))
        digest = blake2b("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
        print(json.dumps(lines if wanted == RECORDS else [digest, len(lines)]), flush=True)


# The comparison


class Tree:
    """A process that reads files with the urlmend of one tree."""

    def __init__(self, name: str, source: Path) -> None:
        self.name = name
        environment = {**environ, "PYTHONPATH": str(source), "PYTHONIOENCODING": "utf-8:surrogatepass"}
        self._process = subprocess.Popen(  # noqa: S603 -- this very file
            [sys.executable, "-P", __file__, "--work"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.fields: list[str] = self.answer()

    def ask(self, *request: object) -> None:
        """Send *request*, of which `answer` gives the result."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        """Return the result of the request that has waited longest."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name}: the process ended with status {self._process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def differing(ours: Sequence[str], theirs: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield what is to be printed of the first records that differ."""
    shown = 0
    for number, (mine, other) in enumerate(zip_longest(ours, theirs)):
        if mine == other:
            continue
        shown += 1
        if shown > SHOWN:
            yield "    …"
            return
        lists = [json.loads(one) if one else [] for one in (mine, other)]
        sizes = {len(one) for one in lists}
        if sizes == {len(names) + 2} or sizes == {len(REJECT) + 3}:
            labels = (*names, "origin", "as_dict") if len(names) + 2 in sizes else (*REJECT, "rule", "pos", "origin")
            yield f"    record {number}, {lists[0][0]!r}:"
            for label, left, right in zip(labels, *lists, strict=True):
                if label == "as_dict":
                    other_keys = [key for key in left if left[key] != right.get(key)]
                    if other_keys:
                        yield f"        as_dict: {', '.join(other_keys)}"
                elif left != right:
                    yield f"        {label}: {left!r}\n        {' ' * len(label)}  {right!r} there"
        else:
            yield f"    record {number}: {mine}\n        there: {other}"


def generated(folder: Path) -> None:
    """Write the texts of the repository that are not files: generated corpora, and the cases of the tests."""
    from benchmarks.haystacks import encoded_mail
    from corpora.generate import generate

    sys.path.append(str(ROOT / "tests"))
    import cases
    import messages

    for kind in ("mail", "news", "docs"):
        for seed in range(3):
            blocks = generate(kind, 200_000, seed, density=(0.1, 0.4, 1.0)[seed], bare_breaks=seed != 1)
            (folder / f"{kind}-{seed}").write_bytes(b"".join(block for block, _ in blocks))
    (folder / "encoded-mail").write_bytes(encoded_mail().data[:200_000])
    for number, text in enumerate(cases.CASES.values()):
        (folder / f"case-{number}").write_text(text.text, "utf-8", newline="")
    for number, message in enumerate(messages.CASES.values()):
        (folder / f"message-{number}").write_bytes(message.data)


def spread(paths: Iterable[Path], size: int) -> Iterator[File]:
    """Yield files of *size* bytes together, the same share of each folder; large files only in part."""
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)
    share = size // len(folders)
    for folder, inside in folders.items():
        left = share
        Random(folder.name).shuffle(inside)
        for path in inside:
            if left <= 0:
                break
            limit = min(path.stat().st_size, max(share // 2, 1000), left)
            yield File(str(path), limit)
            left -= limit


def files(paths: Iterable[Path]) -> list[Path]:
    """Return the files of *paths* and of the folders among them, in order."""
    found = [[path] if path.is_file() else sorted(path.rglob("*")) for path in paths]
    return [path for inside in found for path in inside if path.is_file()]


def compare(
    trees: tuple[Tree, Tree], chosen: Sequence[File], ways: Sequence[str], names: Sequence[str], skipped: Sequence[str]
) -> int:
    """Print the files that come out otherwise, and return in how many readings."""
    faults = records_read = 0
    for tree in trees:
        tree.ask(names, skipped)
    for file in chosen:
        is_parted = (file.limit or Path(file.path).stat().st_size) >= PARTED
        its_ways = [way for way in ways if is_parted or not way.startswith("jobs=")]
        for way, tree in product(its_ways, trees):
            tree.ask(*file, way, DIGEST)
        answers = [tuple(tree.answer() for tree in trees) for _ in its_ways]
        for way, (mine, other) in zip(its_ways, answers, strict=True):
            records_read += mine[1]
            if mine == other:
                continue
            faults += 1
            print(f"{file.path}, {way}: {mine[1]} here, {other[1]} in {trees[1].name}")
            for tree in trees:
                tree.ask(*file, way, RECORDS)
            ours, theirs = (tree.answer() for tree in trees)
            print(*differing(ours, theirs, names), sep="\n", flush=True)
    print(f"{len(chosen)} files in {len(ways)} ways, {records_read} matches and rejects, {faults} readings differ")
    return faults


def main() -> int:
    """Compare, and say what differs."""
    from benchmarks.environment import sources_of

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="*", metavar="PATH", help="files and folders to read")
    parser.add_argument("--against", default=REFERENCE, metavar="REV", help=f"the revision (default: {REFERENCE})")
    parser.add_argument("--sample", type=float, metavar="MB", help="read so many MB of all")
    parser.add_argument("--ways", default=",".join(WAYS), help="how to read (default: %(default)s)")
    parser.add_argument("--skip", default="", metavar="FIELD,…", help="fields that may differ")
    options = parser.parse_args()
    with TemporaryDirectory() as folder, sources_of(options.against) as source:
        paths = options.paths
        if not paths:
            generated(Path(folder))
            shared = environ.get("URLMEND_SHARED")
            paths = [Path(folder), ROOT / "corpora/samples", *([Path(shared, "corpora")] if shared else [])]
        found = files(paths)
        if options.sample:
            # All that is small and made to be difficult is read in any case.
            always = [path for path in found if path.parent == Path(folder) and path.name.startswith(("case", "mess"))]
            rest = [path for path in found if path not in set(always)]
            chosen = [*(File(str(path), 0) for path in always), *spread(rest, int(options.sample * 1e6))]
        else:
            chosen = [File(str(path), 0) for path in found]
        trees = Tree("this tree", ROOT / "src"), Tree(options.against, source)
        skipped = [name for one in options.skip.split(",") for name in (PLACES if one == "places" else (one,))]
        names = [name for name in MATCH if name not in skipped and all(name in tree.fields for tree in trees)]
        if left_out := [name for name in MATCH if name not in names]:
            print("not compared:", *left_out)
        try:
            return 1 if compare(trees, chosen, options.ways.split(","), names, skipped) else 0
        finally:
            for tree in trees:
                tree.close()


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        _work()
    else:
        sys.exit(main())
