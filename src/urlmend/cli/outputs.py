"""The files that a command writes: never one that it reads, and none replaces another file before it is complete."""

import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING, TextIO, TypeVar

from urlmend.cli.command import Failure, complain
from urlmend.output.files import STANDARD_INPUT, Destination, Identity, identity, status_of

if TYPE_CHECKING:
    from urlmend.output.database.database import DatabaseWriter

ALSO_OUTPUT = "input file is also the output"
"""The message of grep."""
UNFINISHED = "is not read: the unfinished output of another run"


Made = TypeVar("Made", Destination, "DatabaseWriter")
"""A file that is being written, and is abandoned if it is not finished."""


class Outputs(ExitStack):
    """The open streams, and the files that options name. Leaving the context abandons the files that are not finished.

    It is also the stack of whatever else has to be closed before them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._streams: list[TextIO] = []
        self._unfinished: list[Destination | DatabaseWriter] = []
        self._objections: dict[Identity | None, str] = {}

    def use(self, stream: TextIO) -> TextIO:
        """Add the open *stream*, and return it."""
        self._streams.append(stream)
        self._objections[identity(stream)] = ALSO_OUTPUT
        return stream

    def open(self, name: str) -> TextIO:
        """Open the file called *name* for writing. Raise `Failure` if that fails."""
        destination = self.made(lambda: Destination(name), name)
        self._streams.append(destination.stream)
        # One that leads nowhere, or whose run has just ended, has no identity.
        self._objections |= dict.fromkeys(map(identity, destination.other_parts), UNFINISHED)
        self._objections[destination.part] = ""
        return destination.stream

    def made(self, make: Callable[[], Made], name: str | None = None) -> Made:
        """Return the file that *make* returns. Raise `Failure`, with its *name*, if that fails."""
        try:
            unfinished = make()
        except OSError as error:
            raise Failure(error, name) from error
        self._unfinished.append(unfinished)
        self.callback(self._abandon, unfinished)
        return unfinished

    def check(self, names: Iterable[str | None], *, named: bool = True) -> None:
        """Raise `Failure` if an output would replace another one, or a file in *names* (`None`: standard input).

        It also may not replace a file if no input is *named* and standard input is a terminal or `/dev/null`. Whoever
        gives `-o FILE` to grep means the file to be read.
        """
        places = [output.place for output in self._unfinished if output.place is not None]
        for place in places:
            if places.count(place) > 1:
                raise Failure(OSError("is named for two outputs"), place)
        taken = {output.identity for output in self._unfinished} - {None}
        replaced = [output.place for output in self._unfinished if output.identity and output.place]
        status = status_of(sys.stdin)
        is_device = sys.stdin is None or (status is not None and stat.S_ISCHR(status.st_mode))
        if replaced and not named and is_device:
            raise Failure(OSError("exists: to replace it, give a PATH to read, or - for standard input"), replaced[0])
        for name in names if taken else ():
            if identity(sys.stdin if name is None else name) in taken:
                raise Failure(OSError(ALSO_OUTPUT), STANDARD_INPUT if name is None else name)

    def objection(self, name: str | None) -> str | None:
        """Return why the file called *name* (`None`: standard input) cannot be read; `None` if it can.

        The reason is empty for a part, which the user did not name.
        """
        known = identity(sys.stdin if name is None else name)
        return None if known is None else self._objections.get(known)

    def flush(self) -> None:
        """Flush all streams."""
        for stream in self._streams:
            stream.flush()

    def finish(self, *, empty: bool = True) -> None:
        """Move the files to their places; empty ones only if *empty* is true."""
        for unfinished in self._unfinished:
            if isinstance(unfinished, Destination):
                unfinished.finish(empty=empty)

    def _abandon(self, unfinished: "Destination | DatabaseWriter") -> None:
        if (message := unfinished.abandon()) is not None:
            complain(message)
