"""The URLs of the files that the command reads, in lists: one file after the other, or with several processes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from urlmend.cli.inputs import Input, Inputs, opened, unreadable
from urlmend.grammar.profiles import Profile
from urlmend.output import ReadingWriter
from urlmend.resolver import Join, Settings
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import iter_texts
from urlmend.sources.compression import Peeked

if TYPE_CHECKING:
    from urlmend.match import Rejected, URLMatch
    from urlmend.output import Writer


class Asked(TypedDict):
    """What is asked of every file."""

    source: str
    profile: Profile
    join: Join
    rejected: "Callable[[Rejected], object] | None"


Lists = Iterator[list["URLMatch"]]
Files = Iterator[tuple[str | None, Lists]]
"""Each name with its file's matches, to be taken before the next; those in a list are certain at once."""


def in_turn(  # noqa: PLR0913 -- what is asked, and how
    inputs: Inputs, paths: tuple[str, ...], asked: Asked, writer: "Writer", *, verbose: bool, urls_only: bool
) -> Files:
    """Yield the files at *paths*, read here, and by *writer* where it reads; where *verbose*, tell as what.

    *urls_only* is as in `Settings`.
    """
    places = not urls_only or asked["rejected"] is not None
    for file in inputs.files(paths):
        text = inputs.recognised(file, asked["source"]) if verbose else file
        yield (
            file.name,
            singly([writer.urls(text, **asked)])
            if isinstance(writer, ReadingWriter)
            else _lists(text, places=places, **asked),
        )


def _lists(  # noqa: PLR0913 -- as above
    file: Input | Peeked,
    *,
    places: bool,
    source: str,
    profile: Profile,
    join: Join,
    rejected: "Callable[[Rejected], object] | None",
) -> Lists:
    texts = iter_texts(file, source, prefilter=ordinary.prefilter(places=places))
    return match_batches(texts, Settings(profile, join, rejected))


def with_jobs(  # noqa: PLR0913 -- what is asked, and how
    jobs: int, stack: ExitStack, inputs: Inputs, paths: tuple[str, ...], asked: Asked, *, urls_only: bool
) -> Files:
    """Yield the files at *paths*, read by *jobs* processes, which end with *stack*; *urls_only* is as in `Settings`."""
    from urlmend.parallel.run import Reading, Run  # noqa: PLC0415 -- one process needs none of it

    names = inputs.names(paths)
    open_here = partial(opened, before=inputs.flush)
    settings = Settings(asked["profile"], asked["join"], asked["rejected"])
    run = Run(names, Reading(open_here, asked["source"], settings, urls_only, unreadable), jobs)
    for name, lists in stack.enter_context(run).files():
        yield name, _shown(lists, inputs)


def _shown(lists: Lists, inputs: Inputs) -> Lists:
    """Yield *lists*; before another is waited for, what was written of the last one is shown."""
    for matches in lists:
        yield matches
        inputs.flush()


def singly(lists: "Iterable[Iterable[URLMatch]]") -> Lists:
    """Return the matches of *lists*, each in a list of its own."""
    return ([match] for matches in lists for match in matches)
