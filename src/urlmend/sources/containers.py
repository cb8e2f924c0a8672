"""Zip and tar files, compressed or not: each member is a file of its own, and recognised from its content.

A small file may hold any number of members and expand to any size, so there are bounds on how much of it is read. Names
of members are only displayed. Nothing is opened or written under them.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from urlmend.sources.compression import Expansion, PeekableFile, Pieces, decompressed
from urlmend.sources.origin import Readable, SourceError
from urlmend.sources.recognise import CONTAINERS, WITHOUT_TEXT, advice, kind_of

if TYPE_CHECKING:
    from urlmend.sources.archives import Member

_Item = TypeVar("_Item")

MAX_DEPTH = 2
"""How deep containers are read in each other: `spool.tar` in `backup.zip`. Archives nest no deeper; bombs do."""

MAX_FAULTS = 20
"""How many members of an outermost container are named that cannot be read; the others are only counted."""


def member_name(container: str | None, member: str) -> str:
    """Return the name of *member* in the file called *container*: `archive.zip!member`; `-` stands for no name."""
    return f"{'-' if container is None else container}!{member}"


# How much is read


def batches(items: Iterable[_Item], size: int, size_of: Callable[[_Item], int]) -> Iterator[list[_Item]]:
    """Yield *items* in batches of at least *size*, except for the last one.

    A `SourceError` that ends the items is raised after them.
    """
    batch: list[_Item] = []
    held = 0
    try:
        for item in items:
            batch.append(item)
            held += size_of(item)
            if held >= size:
                yield batch
                batch, held = [], 0
    except SourceError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


# What is not read


class Skipped(NamedTuple):
    """The name of a file that is not read, and the reason, which is a fault unless the file is in order.

    `is_binary` is true if the file is in order but not text. If it is not a file but a record of a web archive,
    `unread` is its media type, or `passed` the type of a record that never has text for readers.
    """

    name: str | None
    reason: str
    is_fault: bool = True
    is_binary: bool = False
    unread: str = ""
    passed: str = ""


Warn = Callable[[Skipped], object]


class Faults:
    """Collects the faults of members into one error; logs anything else that is skipped."""

    def __init__(self) -> None:
        self._first = ""
        self._count = 0

    def warn(self, skipped: Skipped) -> None:
        """Add *skipped* if it is a fault, else log it."""
        if skipped.is_fault:
            self.add(skipped.name, skipped.reason)
        elif not (skipped.unread or skipped.passed):
            import logging  # noqa: PLC0415 -- seldom

            logging.getLogger("urlmend").warning("%s", _with_name(skipped.name, skipped.reason))

    def add(self, name: str | None, reason: str) -> None:
        """Add the fault of the file called *name*."""
        self._first = self._first or _with_name(name, reason)
        self._count += 1

    def close(self) -> None:
        """Raise the error of all faults, if there are any."""
        if self._count:
            more = f", and {self._count - 1} more like it" if self._count > 1 else ""
            raise SourceError(self._first + more)


def _with_name(name: str | None, reason: str) -> str:
    return reason if name is None else f"{name}: {reason}"


# What is read


def members(fileobj: Readable, source: str, warn: Warn, *, as_text: bool = False) -> Iterator[PeekableFile]:
    """Yield the files in *fileobj*, each to be read before the next: itself, or the members of a container.

    *source* is as in `iter_texts`. Each file is decompressed, and knows which source reads it. *warn* is called for
    members that are broken or encrypted, and with the source `auto`, unless *as_text*, for files without text. Errors
    of reading, and those of the outermost file's compression, pass through.
    """
    file = fileobj if isinstance(fileobj, PeekableFile) else PeekableFile(fileobj)
    if file.recognised:
        yield file
        return
    faults = 0

    def warn_of_few(skipped: Skipped) -> None:
        nonlocal faults
        faults += skipped.is_fault
        if not skipped.is_fault or faults <= MAX_FAULTS:
            warn(skipped)

    outermost = decompressed(file)
    yield from MemberReader(source, warn_of_few, outermost.expansion, as_text=as_text).files(outermost, 0)
    if faults > MAX_FAULTS:
        warn(Skipped(file.name, f"{faults - MAX_FAULTS} more members of it cannot be read"))


class MemberReader:
    """Reads one outermost file or its members; *expansion* counts what comes out. Other arguments: see `members`."""

    def __init__(self, source: str, warn: Warn, expansion: Expansion, *, as_text: bool) -> None:
        self._kind_of = partial(kind_of, source=source, as_text=as_text)
        self._of_text = "text" if source == "auto" else source
        self._warn = warn
        self._expansion = expansion
        self._skips_binary = source == "auto" and not as_text

    def files(self, file: PeekableFile, depth: int) -> Iterator[PeekableFile]:
        """Yield *file*, or its members, at a *depth* from 0."""
        file = decompressed(file, self._expansion) if depth else file
        kind = file.recognised = self._of_text if file.is_text else file.decide(self._kind_of)
        if kind in CONTAINERS and depth == MAX_DEPTH:
            self._warn(Skipped(file.name, f"is not read: archives are read {MAX_DEPTH} deep in each other"))
        elif kind in CONTAINERS:
            from urlmend.sources.archives import tar_members  # noqa: PLC0415 -- few files are one

            found = self._zip(file, depth) if kind == "zip" else tar_members(file, self._expansion.out)
            yield from self._members(file.name, found, depth)
        elif kind in WITHOUT_TEXT:
            self._skip(file.name, kind)
        else:
            file.report = lambda reason, **counted: self._warn(Skipped(file.name, reason, is_fault=False, **counted))
            yield file

    def _zip(self, file: PeekableFile, depth: int) -> Iterator["Member"]:
        from urlmend.sources.archives import opened_zip  # noqa: PLC0415 -- few files are one

        with opened_zip(file, self._expansion.out, in_place=not depth) as opened:
            if not depth and not file.compression:
                self._expansion.packed = lambda: opened.size
            if opened.kind and self._skips_binary:
                self._skip(file.name, opened.kind)
            else:
                yield from opened.members()

    def _members(self, name: str | None, found: Iterable["Member"], depth: int) -> Iterator[PeekableFile]:
        """Yield the files in *found*, the members of the container called *name*. A broken member is skipped."""
        try:
            for member in found:
                called = member_name(name, member.name)
                try:
                    file = PeekableFile(Pieces(member.pieces), called, member.stamp, self._expansion)
                    yield from self.files(file, depth + 1)
                except SourceError as error:
                    self._warn(Skipped(called, str(error)))
                if self._expansion.passed:
                    return
        except SourceError as error:
            self._warn(Skipped(name, str(error)))

    def _skip(self, name: str | None, kind: str) -> None:
        self._warn(Skipped(name, advice(kind), is_fault=False, is_binary=True))
