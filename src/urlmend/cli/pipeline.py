"""The matches in the files that the command reads, in one process or in several."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from urlmend.cli.inputs import Input, Inputs, unreadable
from urlmend.output.terminal import reason
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import SourceError, iter_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urlmend.match import Rejected, URLMatch
    from urlmend.sources.compression import Peeked

LARGE = 64 << 20
"""Unless the number of processes is given, several read files that have more bytes than this together.

An interpreter takes as long to start as to read 12 MB, so that two processes gain nothing below 24 MB. Above this size
they take less than two thirds of the time.
"""

Batches = Iterator[Any]
"""The matches of a file in lists, or their finished lines (`urlmend.parallel.worker.Lines`).

Reading raises `UnreadableError` or `SourceError` where it ends early.
"""

Files = Iterator[tuple[str | None, Batches]]
"""The name of each file, and its matches, which have to be taken before the next file."""


class Pipeline(NamedTuple):
    """What to read, and what to look for.

    With *urls_only*, nobody needs to know where a URL is. With *as_text*, files that are not text are read as well.
    """

    inputs: Inputs
    paths: tuple[str, ...]
    query: Query
    rejected: "Callable[[Rejected], object] | None"
    urls_only: bool
    as_text: bool = False

    @property
    def places(self) -> bool:
        """Whether the places of matches or rejected candidates are needed."""
        return not self.urls_only or self.rejected is not None

    def is_larger(self, size: int) -> bool:
        """Return whether the files have more than *size* bytes together."""
        total = 0
        for file_size in self.inputs.sizes(self.paths, packed=True):
            total += file_size or 0  # a pipe is read by this process anyway
            if total > size:
                return True
        return False

    def in_turn(self, watched: "Callable[[Peeked], Peeked] | None", *, verbose: bool) -> Files:
        """Yield the files, read by this process, by way of *watched* if that is given; if *verbose*, say as what."""
        for file in self.inputs.files(self.paths):
            for member in self._members(file):
                if verbose:
                    self.inputs.say_what(member)
                yield member.name, self._batches(watched(member) if watched else member)

    def with_jobs(
        self,
        jobs: int,
        stack: ExitStack,
        choose: "Callable[[list[URLMatch]], list[URLMatch]] | None" = None,
        lines: "Callable[[Sequence[URLMatch]], str] | None" = None,
    ) -> Files:
        """Yield the files, read by *jobs* processes, which end with *stack*.

        *choose* and *lines*, which run in these processes, are as in `urlmend.parallel.worker.Job`.
        """
        from urlmend.parallel.run import Run  # noqa: PLC0415 -- one process needs none of it
        from urlmend.parallel.worker import Job  # noqa: PLC0415 -- as above

        inputs, paths = self.inputs, self.inputs.names(self.paths)
        job = Job(self.query, choose, lines, places=self.places, as_text=self.as_text)
        run = Run(paths, job, jobs, rejected=self.rejected, warn=inputs.pass_over, advance=inputs.bar.advance)
        for path, files in stack.enter_context(run).files():
            if files is None:
                for name, batches in self._in_this_process(path):
                    yield name, map(job.result, batches)
            else:
                for name, batches in files:
                    yield name, inputs.guarded(name, self._shown(_readable(batches)))

    def _in_this_process(self, path: str | None) -> Files:
        try:
            with self.inputs.opened(path) as file:
                for member in self._members(file):
                    yield member.name, self._batches(member)
        except OSError as error:
            self.inputs.fail(path, reason(error))

    def _members(self, file: Input) -> "Iterator[Peeked]":
        return self.inputs.members(file, self.query.source_name, as_text=self.as_text)

    def _batches(self, file: "Peeked") -> Batches:
        prefilter = ordinary.prefilter(self.query, places=self.places)
        # Guarded here too: what was found before the exception is then given out.
        texts = self.inputs.guarded(file.name, iter_texts(file, self.query.source, prefilter=prefilter))
        return self.inputs.guarded(file.name, match_batches(texts, self.query, self.rejected, places=self.places))

    def _shown(self, batches: Batches) -> Batches:
        """Yield *batches*, and flush the output after each."""
        for batch in batches:
            yield batch
            self.inputs.flush()


def _readable(batches: Batches) -> Batches:
    """Yield *batches* of another process, whose errors are all errors of reading."""
    try:
        yield from batches
    except SourceError:
        raise
    except OSError as error:
        raise unreadable(error) from error


def singly(batches: "Iterable[Iterable[URLMatch]]") -> Batches:
    """Yield the matches of *batches*, each in a list of its own."""
    return ([match] for matches in batches for match in matches)
