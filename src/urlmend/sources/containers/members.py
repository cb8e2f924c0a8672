"""The files in a file: itself, or the members of a container, and of those in it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from urlmend.sources.compression import Peeked, decompressed
from urlmend.sources.containers.bounds import MAX_DEPTH, Expansion
from urlmend.sources.origin import SourceError
from urlmend.sources.recognise import source_of
from urlmend.sources.recognise.container import container
from urlmend.sources.recognise.not_text import advice, not_text

if TYPE_CHECKING:
    from urlmend.sources.containers.tar import TarRange
    from urlmend.sources.containers.zip_directory import Entry, ZipFile

MAX_TOLD = 20
"""How many members of an outermost container are told that cannot be read; of the others, how many there are."""


class PassedOver(NamedTuple):
    """What is not read of the file called *name*, and why. Unless it is a *fault*, that is as it should be.

    Where it stands for members that are not named, *more* is how many they are.
    """

    name: str | None
    reason: str
    fault: bool = True
    more: int = 0


Tell = Callable[[PassedOver], object]


class Telling:
    """Tells *tell* what is passed over of the outermost container called *name*: of the faults, MAX_TOLD by name."""

    def __init__(self, name: str | None, tell: Tell) -> None:
        self._name = name
        self._tell = tell
        self._faults = 0

    def __call__(self, passed: PassedOver) -> None:
        """Take what is passed over, in order."""
        if not passed.fault:
            self._tell(passed)
            return
        self._faults += passed.more or 1
        if self._faults <= MAX_TOLD:
            self._tell(passed)

    def end(self) -> None:
        """Tell how many faults were not told."""
        if (more := self._faults - MAX_TOLD) > 0:
            self._tell(PassedOver(self._name, f"{more} more members of it cannot be read", more=more))


def _said(name: str | None, reason: str) -> str:
    return reason if name is None else f"{name}: {reason}"


class Faults:
    """Takes what is told of members where nobody else does: faults are raised at the end, the rest is logged."""

    def __init__(self) -> None:
        self._first = ""
        self._count = 0

    def tell(self, passed: PassedOver) -> None:
        """Take note of what is passed over."""
        if passed.fault:
            self.add(passed.name, passed.reason)
        else:
            import logging  # noqa: PLC0415 -- seldom

            logging.getLogger("urlmend").warning("%s", _said(passed.name, passed.reason))

    def add(self, name: str | None, reason: str) -> None:
        """Take note of the fault of the file called *name*."""
        self._first = self._first or _said(name, reason)
        self._count += 1

    @property
    def error(self) -> SourceError | None:
        """The error of all faults, if there were any."""
        more = f", and {self._count - 1} more like it" if self._count > 1 else ""
        return SourceError(self._first + more) if self._count else None

    def close(self) -> None:
        """Raise `SourceError` where there was a fault."""
        if self.error is not None:
            raise self.error


def members(fileobj: Any, source: str, tell: Tell, *, as_text: bool = False) -> Iterator[Peeked]:  # noqa: ANN401 -- any object with read(n)
    """Yield the files in *fileobj*, each to be read before the next: itself, or the members of a container.

    *source* is as in `iter_texts`. Each file is decompressed, and knows what it is read as. What is passed over is told
    to *tell*: members that are broken or encrypted, and for the source `auto` what is no text, unless *as_text*. Errors
    of reading, and those of the outermost file's compression, pass through.
    """
    file = fileobj if type(fileobj) is Peeked else Peeked(fileobj)
    if file.recognised:
        yield file
        return
    telling = Telling(file.name, tell)
    yield from Walk(source, telling, Expansion(file), as_text=as_text).files(file, 0)
    telling.end()


class Walk:
    """A walk over one outermost file; what it passes over is told to *tell*, and what comes out counted by *expansion*.

    The rest is as in `members`.
    """

    def __init__(self, source: str, tell: Tell, expansion: Expansion, *, as_text: bool) -> None:
        self._source = source
        self._tell = tell
        self._as_text = as_text
        self._expansion = expansion

    def files(self, file: Peeked, depth: int) -> Iterator[Peeked]:
        """Yield *file*, or its members, at a *depth* from 0."""
        stamp = file.stamp
        file = decompressed(file, self._expansion.out) if depth else decompressed(file)
        kind = "" if file.is_text else _known(container, file)
        if not kind:
            yield from self._file(file, stamp)
        elif depth == MAX_DEPTH:
            self._fail(file.name, f"is not read: archives are read {MAX_DEPTH} deep in each other")
        else:
            opened = self._zip(file, depth) if kind == "zip" else self._tar(file, None, depth)
            yield from self._in_container(file.name, opened)

    def _in_container(self, name: str | None, opened: Iterator[Peeked]) -> Iterator[Peeked]:
        """Yield the files *opened* in the container called *name*, and tell what is wrong with that."""
        try:
            yield from opened
        except SourceError as error:
            self._fail(name, str(error))

    def _fail(self, name: str | None, reason: str) -> None:
        self._tell(PassedOver(name, reason))

    def _file(self, file: Peeked, stamp: tuple[int, int] | None) -> Iterator[Peeked]:
        file.stamp = stamp
        if self._source == "auto" and not file.is_text and not self._as_text and (what := _known(not_text, file)):
            self._tell(PassedOver(file.name, advice(what), fault=False))
            return
        file.recognised = source_of(file) if self._source == "auto" else self._source
        file.tell_of = lambda reason: self._tell(PassedOver(file.name, reason, fault=False))
        yield file

    def tar(self, file: Any, part: "TarRange") -> Iterator[Peeked]:  # noqa: ANN401 -- of which read(n) is asked
        """Yield the files in the *part* of the outermost tar *file*, which stands at the start of that."""
        return self._in_container(file.name, self._tar(file, part, 0))

    def _tar(self, file: Any, part: "TarRange | None", depth: int) -> Iterator[Peeked]:  # noqa: ANN401 -- as above
        from urlmend.sources.containers import tar  # noqa: PLC0415 -- few files are one

        def tell(reason: str) -> None:
            self._tell(PassedOver(file.name, reason, fault=False))

        for member in tar.members(file, self._expansion, tell, part or tar.WHOLE):
            yield from self._member(member, depth)
            if self._expansion.passed:
                return

    def _zip(self, file: Peeked, depth: int) -> Iterator[Peeked]:
        from urlmend.sources.containers import zip as zip_file  # noqa: PLC0415 -- few files are one
        from urlmend.sources.containers import zip_directory  # noqa: PLC0415 -- as above

        with zip_file.seekable(file, self._expansion, outermost=not depth) as seekable:
            infos = zip_directory.listed(seekable)
            kind = None if self._as_text or self._source != "auto" else zip_directory.kind_of(infos)
            if kind:
                self._tell(PassedOver(file.name, advice(kind), fault=False))
                return
            yield from self.entries(file.name, seekable, zip_directory.entries(seekable, infos), depth)

    def entries(self, name: str | None, file: "ZipFile", found: "list[Entry]", depth: int = 0) -> Iterator[Peeked]:
        """Yield the files in those members of the zip *file*, called *name*, that its directory has as *found*."""
        from urlmend.sources.containers import zip as zip_file  # noqa: PLC0415 -- as above

        for member in zip_file.members(name, file, found, self._expansion, self._fail):
            yield from self._member(member, depth)
            if self._expansion.passed:
                return

    def _member(self, member: Any, depth: int) -> Iterator[Peeked]:  # noqa: ANN401 -- of any container
        """Yield the files in *member*. What is wrong with it does not end the container."""
        try:
            opened = Peeked(member)
            opened.stamp = member.stamp
            yield from self.files(opened, depth + 1)
        except SourceError as error:
            self._fail(member.name, str(error))


def _known(decide: Callable[..., str | None], file: Peeked) -> str:
    """Return what *decide* says of how *file* begins, once that is enough."""
    while (answer := decide(file.head, whole=file.ended)) is None:
        file.more()
    return answer
