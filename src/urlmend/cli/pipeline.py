"""The URLs of the files that the command reads, in lists: one file after the other, or with several processes."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from urlmend.cli.inputs import Inputs, unreadable
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import iter_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlmend.match import Rejected, URLMatch
    from urlmend.sources.compression import Peeked


LARGE = 32 << 20
"""More bytes than this are read by several processes unless told otherwise: about half a second of work for one."""

Lists = Iterator[Any]
Files = Iterator[tuple[str | None, Lists]]
"""Each name with its file's matches, to be taken before the next. Those in a list are certain at once.

The lists of a file raise `OSError`: `UnreadableError` or `SourceError` where reading ends early.
"""


class Pipeline(NamedTuple):
    """The way from files to matches: which files, and what is asked of them.

    *urls_only* is as in `worker.Asked`. With *as_text*, files that are no text are read all the same.
    """

    inputs: Inputs
    paths: tuple[str, ...]
    query: Query
    rejected: "Callable[[Rejected], object] | None"
    urls_only: bool
    as_text: bool = False

    def in_turn(self, watched: "Callable[[Peeked], Peeked] | None", *, verbose: bool) -> Files:
        """Yield the files, read by this process, by way of *watched* if that is given; if *verbose*, say as what."""
        for file in self.inputs.files(self.paths):
            for member in self.inputs.members(file, self.query.source_name, as_text=self.as_text):
                if verbose:
                    self.inputs.say_what(member)
                yield member.name, self.inputs.guarded(member.name, self._lists(watched(member) if watched else member))

    def is_large(self) -> bool:
        """Tell whether the files are worth several processes: whether they are larger than LARGE together."""
        total = 0
        for size in self.inputs.sizes(self.paths, packed=True):
            total += size or 0  # a pipe is read by this process anyway
            if total > LARGE:
                return True
        return False

    def with_jobs(self, jobs: int, stack: ExitStack) -> Files:
        """Yield the files, read by *jobs* processes, which end with *stack*."""
        from urlmend.parallel.run import Reading, Run  # noqa: PLC0415 -- one process needs none of it

        inputs = self.inputs
        reading = Reading(
            inputs.opened,
            self.query,
            self.rejected,
            self.urls_only,
            unreadable,
            advance=inputs.bar.advance,
            members=partial(inputs.members, as_text=self.as_text),
            tell=inputs.pass_over,
            as_text=self.as_text,
        )
        run = Run(inputs.names(self.paths), reading, jobs)
        for name, lists in stack.enter_context(run).files():
            yield name, inputs.guarded(name, self._shown(lists))

    def _lists(self, file: "Peeked") -> Lists:
        places = not self.urls_only or self.rejected is not None
        prefilter = ordinary.prefilter(self.query, places=places)
        # Guarded here too: what was found before the exception is then given out.
        texts = self.inputs.guarded(file.name, iter_texts(file, self.query.source, prefilter=prefilter))
        yield from match_batches(texts, self.query, self.rejected, places=places)

    def _shown(self, lists: Lists) -> Lists:
        """Yield *lists*. What was written of one is flushed before another is waited for."""
        for matches in lists:
            yield matches
            self.inputs.flush()


def singly(lists: "Iterable[Iterable[URLMatch]]") -> Lists:
    """Return the matches of *lists*, each in a list of its own."""
    return ([match] for matches in lists for match in matches)
