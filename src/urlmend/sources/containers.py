"""Zip and tar files, compressed or not: each member is a file of its own, and recognised from its content.

A small file may hold any number of members and expand to any size, so there are bounds on how much of it is read. Names
of members are only displayed. Nothing is opened or written under them.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from urlmend.sources.compression import CHUNK_SIZE, PeekableFile, decompressed
from urlmend.sources.origin import Readable, SourceError
from urlmend.sources.recognise import CONTAINERS, PASSED_OVER, WITHOUT_TEXT, advice, kind_of

if TYPE_CHECKING:
    from urlmend.sources.archives import Member

_Item = TypeVar("_Item")

MAX_ARCHIVE_DEPTH = 2
"""How deep containers are read in each other: `spool.tar` in `backup.zip`. Archives nest no deeper; bombs do."""

MAX_FAULTS = 20
"""How many unreadable members of an outermost container are named; the others are only counted."""


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
    `unread` is its media type, or `passed` the type of a record that never has text for readers, or of a part of mail.
    """

    name: str | None
    reason: str
    is_fault: bool = True
    is_binary: bool = False
    unread: str = ""
    passed: str = ""


Warn = Callable[[Skipped], object]


def remark(warn: Warn, name: str | None, reason: str, *, is_fault: bool = False, **counted: Any) -> None:  # noqa: ANN401 -- fields of Skipped
    """Call *warn* for something about the file called *name*."""
    warn(Skipped(name, reason, is_fault=is_fault, **counted))


class Faults:
    """The policy that raises errors (`urlmend.reading.Policy`): those of members as one, at the end of the container.

    Other skipped files are logged.
    """

    def __init__(self) -> None:
        self._first = ""
        self._count = 0

    def skip(self, skipped: Skipped) -> None:
        """Keep *skipped* for the end if it is a fault, else log it."""
        if skipped.is_fault:
            self.add(skipped.name, skipped.reason)
        elif not (skipped.unread or skipped.passed):
            import logging  # noqa: PLC0415 -- seldom

            logging.getLogger("urlmend").warning("%s", _with_name(skipped.name, skipped.reason))

    def fail(self, name: str | None, error: Exception, *, is_member: bool) -> None:
        """Raise *error*, or keep it for the end if only a member of a container is broken."""
        if not is_member or not isinstance(error, SourceError):
            raise error
        self.add(name, str(error))

    def add(self, name: str | None, reason: str) -> None:
        """Keep the fault of the file called *name* for the end."""
        self._first = self._first or _with_name(name, reason)
        self._count += 1

    def end(self) -> None:
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
    reader = MemberReader(source, warn, as_text=as_text)
    yield from reader.files(decompressed(file), 0)
    if reader.faults > MAX_FAULTS:
        warn(Skipped(file.name, f"{reader.faults - MAX_FAULTS} more members cannot be read"))


class MemberReader:
    """Reads one outermost file or its members. The arguments are those of `members`."""

    def __init__(self, source: str, warn: Warn, *, as_text: bool) -> None:
        self._kind_of = partial(kind_of, source=source, as_text=as_text)
        self._warn_of_all = warn
        self._skips_binary = source == "auto" and not as_text
        self.faults = 0

    def _warn(self, name: str | None, reason: str) -> None:
        self.faults += 1
        if self.faults <= MAX_FAULTS:
            self._warn_of_all(Skipped(name, reason))

    def files(self, file: PeekableFile, depth: int) -> Iterator[PeekableFile]:
        """Yield *file*, or its members, at a *depth* from 0."""
        if depth:
            file.beginning(CHUNK_SIZE)  # most members are no longer, and one without URLs is then done
        file.report = partial(remark, self._warn_of_all, file.name)
        kind = file.recognised = self._kind_of(file)
        if kind in CONTAINERS and depth == MAX_ARCHIVE_DEPTH:
            self._warn(file.name, f"is not read: it is more than {MAX_ARCHIVE_DEPTH} archives deep")
        elif kind in CONTAINERS:
            yield from self._members(file, kind, depth)
        elif kind in WITHOUT_TEXT:
            file.report(advice(kind), is_binary=True)
        else:
            yield file

    def _members(self, file: PeekableFile, kind: str, depth: int) -> Iterator[PeekableFile]:
        """Yield the files in *file*, which is a container of this *kind*. A broken member is skipped."""
        from urlmend.sources.archives import tar_members  # noqa: PLC0415 -- few files are one

        expansion = file.expansion
        try:
            outer = "-" if file.name is None else file.name
            for member in self._zip(file, depth) if kind == "zip" else tar_members(file):
                if PASSED_OVER.fullmatch(member.name):
                    continue
                called = f"{outer}!{member.name}"
                try:
                    inner = PeekableFile(_counted(member.pieces, expansion.out), called, member.stamp, expansion)
                    yield from self.files(decompressed(inner, expansion.out), depth + 1)
                except SourceError as error:
                    self._warn(called, str(error))
                if expansion.used > expansion.free:
                    return
        except SourceError as error:
            self._warn(file.name, str(error))

    def _zip(self, file: PeekableFile, depth: int) -> Iterator["Member"]:
        from urlmend.sources.archives import opened_zip  # noqa: PLC0415 -- few files are one

        with opened_zip(file, in_place=not depth) as opened:
            if not depth and not file.compression:
                file.expansion.packed = lambda: opened.size
            if opened.kind and self._skips_binary:
                file.report(advice(opened.kind), is_binary=True)
            else:
                yield from opened.members()


def _counted(pieces: Iterable[bytes], out: Callable[[int], object]) -> Iterator[bytes]:
    for piece in pieces:
        out(len(piece))
        yield piece
