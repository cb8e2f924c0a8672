"""The reading loop: open, recognise, read texts, match, select. What to do about an error is the caller's choice.

The choice is a `Policy`: `Faults` raises errors after everything that was found before them, as `iter_texts` does, the
command reports them and goes on, a harvest stores them as the source's fault, a worker hands them to the main process.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from urlmend.match import Rejected, URLMatch
from urlmend.query import Query
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.selection import Key, PatternError, Selection
from urlmend.sources import Prefilter, Text, iter_texts, texts_of
from urlmend.sources.compression import PeekableFile
from urlmend.sources.containers import Skipped, members
from urlmend.sources.origin import Readable, source_name

_Found = TypeVar("_Found")


class OutputLines:
    """Finished lines of output: their *text*, and how many *urls* are in it, which `len` returns."""

    def __init__(self, text: str, urls: int) -> None:
        self.text, self._urls = text, urls

    def __len__(self) -> int:
        return self._urls


Matches = list[URLMatch] | OutputLines

OnReject = Callable[[Rejected], object] | None
"""Is called with each rejected candidate, if it is given."""

FileMatches = tuple[str | None, Iterator[Matches]]
"""The name of a file, and its matches or their finished lines: take them before the next file."""


class Job(NamedTuple):
    """What to do with every file: find what *query* asks for.

    Of all matches, or those that *choose* returns, the ones in messages of the *selection* are kept. The result is the
    *lines* of output that are made of them or, without *lines*, the matches themselves; with *rejects*, the rejected
    candidates too. Without *places*, the positions of matches are not needed. With *as_text*, files that are not text
    are read as well. For a database, *row_maker* makes what collects the rows of a file, from its name and the query
    (`urlmend.output.database.rows.RowMaker`), and the bodies of messages have digests. All of it can be pickled.
    """

    query: Query
    selection: Selection = Selection()
    choose: Callable[[list[URLMatch]], list[URLMatch]] | None = None
    lines: Callable[[Sequence[URLMatch]], str] | None = None
    rejects: bool = False
    places: bool = True
    as_text: bool = False
    row_maker: Callable[[str | None, Query], Any] | None = None

    @property
    def prefilter(self) -> Prefilter:
        """The function that sources use to leave out texts without URLs."""
        wanted = ordinary.prefilter(self.query, places=self.places)
        if self.row_maker is None:
            return wanted
        from hashlib import blake2b  # noqa: PLC0415 -- slow to import

        return wanted._replace(new_hash=partial(blake2b, digest_size=16))


class Policy(Protocol):
    """What to do about files that are skipped and errors of reading. Where a method raises, reading ends."""

    def skip(self, skipped: Skipped, /) -> object:
        """Handle a skipped file, or a skipped member of a container."""

    def fail(self, name: str | None, error: Exception, /, *, is_member: bool) -> object:
        """Handle the *error* that ended the file called *name*. Everything before the error was already yielded."""

    def end(self) -> object:
        """Handle the end of a file and of all its members."""


_PACKAGE = os.path.dirname(__file__)


def reason(error: Exception) -> str:
    """Return why *error* was raised: of an `OSError` its message, without its number and its file.

    Of an unforeseen one, it has the type, the message, and the line of the package that raised it.
    """
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    from traceback import extract_tb  # noqa: PLC0415 -- only where something is wrong

    ours = [step for step in extract_tb(error.__traceback__) if step.filename.startswith(_PACKAGE)]
    place = f" (urlmend{ours[-1].filename.removeprefix(_PACKAGE)}:{ours[-1].lineno})" if ours else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}; this is a fault of urlmend"


class FileReader:
    """Reads files as *job* says; *policy* decides about errors.

    *rejected* is called with the rejected candidates of selected messages, *undated* with the keys of messages that
    are left out for want of a date.
    """

    def __init__(
        self,
        job: Job,
        policy: Policy,
        rejected: OnReject = None,
        undated: Callable[[Sequence[Key]], object] | None = None,
    ) -> None:
        self.job = job
        # The scanner must return what is to be counted.
        self.query = replace(job.query, min_confidence=0.0)
        self.unsure = 0
        """How many matches were left out for their confidence."""
        self._policy = policy
        self.rejected = job.selection.rejects(rejected)
        self._undated = undated or job.selection.count
        self._prefilter = job.prefilter

    def files(self, file: Readable) -> Iterator[PeekableFile]:
        """Yield the files in *file*, each to be read before the next: itself, or the members of a container."""
        job = self.job
        inside = members(file, job.query.source_name, self._policy.skip, as_text=job.as_text)
        yield from self.guarded(file, inside)
        self._policy.end()

    def matches(self, file: Any) -> Iterator[Matches]:  # noqa: ANN401 -- a Readable
        """Yield what is found in *file*, one of `files`, in lists or as lines."""
        return self.results(file, self.matched(self.texts(file)))

    def texts(self, file: Any) -> Iterable[Text]:  # noqa: ANN401 -- a Readable
        """Return the texts of *file*, one of `files`. Some in which nothing would be found may be left out."""
        source = self.job.query.source
        return texts_of(file, source, self._prefilter) if isinstance(source, str) else source(file)

    def matched(self, texts: Iterable[Text]) -> Iterator[list[URLMatch]]:
        """Yield lists of all URLs in *texts*. An error of *texts* is raised after the URLs before it."""
        job = self.job
        return match_batches(texts, self.query, self.rejected, places=job.places)

    def found_in(self, file: Any) -> Iterator[list[URLMatch]]:  # noqa: ANN401 -- as in `iter_texts`
        """Yield lists of all URLs in *file*, its members or the files at this path. Errors are raised, not handled."""
        return self.matched(iter_texts(file, self.job.query.source, prefilter=self._prefilter))

    def results(self, file: object, found: Iterable[list[URLMatch]]) -> Iterator[Matches]:
        """Yield what the job makes of each list *found* in *file*, if anything is left."""
        for matches in self.guarded(file, found):
            if matches and (result := self.result(matches)):
                yield result

    def chosen(self, matches: list[URLMatch]) -> list[URLMatch]:
        """Return the *matches* to keep."""
        query, selection, choose, *_ = self.job
        chosen, undated = selection.judged(choose(matches) if choose else matches)
        if undated:
            self._undated(undated)
        if query.min_confidence:
            sure = [match for match in chosen if match.confidence >= query.min_confidence]
            self.unsure += len(chosen) - len(sure)
            chosen = sure
        return chosen

    def result(self, matches: list[URLMatch]) -> Matches:
        """Return the *matches* to keep, or their lines; nothing where none is left."""
        chosen, lines = self.chosen(matches), self.job.lines
        return OutputLines(lines(chosen), len(chosen)) if lines and chosen else chosen

    def guarded(self, file: object, found: Iterable[_Found]) -> Iterator[_Found]:
        """Yield from *found*, the results for *file*. The policy decides about the error at its end."""
        try:
            yield from found
        except PatternError:
            raise
        except Exception as error:  # noqa: BLE001 -- the policy raises what it does not know
            self._policy.fail(source_name(file), error, is_member=getattr(file, "stamp", None) is not None)
