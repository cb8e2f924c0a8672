"""What a harvest stores of a source, and when that is committed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import chain

from urlmend.output.database.made_with import query_of
from urlmend.output.database.sqlite import Database, State
from urlmend.output.database.tally import LEFT_OUT
from urlmend.output.listener import Listener
from urlmend.scan import ordinary
from urlmend.scanner import match_batches
from urlmend.sources import SourceError, Text, iter_texts
from urlmend.sources.compression import Peeked
from urlmend.sources.containers import Skipped, members

BATCH_ROWS = 10_000
"""How many occurrences are committed at a time: those of whole files, or of messages of a long mbox."""

BATCH_BYTES = 1 << 23
"""How many bytes are read between two commits, and one file or message more: a kill costs no more than these."""


class Storing:
    """Stores in *database* what is found in sources, and tells *listener*."""

    def __init__(self, database: Database, listener: Listener) -> None:
        self.tally: Counter[str] = Counter()
        self._listener = listener
        self._database = database
        self._source = database.made_with["source"]
        query = query_of(database.made_with)
        self._min_confidence = query.min_confidence
        # Matches below the least confidence are counted, so the scanner gives them out.
        self._query = replace(query, min_confidence=0.0)
        self._prefilter = ordinary.prefilter(self._query)
        self._met: set[int] = set()  # the sources that are there
        self._rows = self._bytes = 0  # since the last commit

    def _fail(self, name: str, why: str) -> None:
        self.tally["failed"] += 1
        self._listener.failed(name, why)

    def _end(self, what: str) -> None:
        """End the reading of a source that is *what*."""
        self._database.end()
        self.tally[what] += 1
        if self._is_batch():
            self._database.commit()
            self._rows = self._bytes = 0

    def _is_batch(self) -> bool:
        """Tell whether so much was read that it is to be committed."""
        return self._rows >= BATCH_ROWS or self._bytes >= BATCH_BYTES

    def _go_on(self, source: int, state: State) -> None:
        """Commit what is read of *source*, and go on with it."""
        self._database.save(source, state)
        self._database.go_on()
        self._rows = self._bytes = 0

    def _add(self, source: int, texts: Iterable[Text]) -> None:
        found = 0
        try:
            reject = partial(self._database.reject, source)
            for match in chain.from_iterable(match_batches(texts, self._query, reject)):
                if match.confidence < self._min_confidence:
                    self.tally[LEFT_OUT] += 1
                    continue
                self._database.add(source, match)
                self._listener.note_urls(1)
                found += 1
        finally:
            self._rows += found
            self.tally["URLs"] += found

    def _read_files(self, stream: Peeked, source: int, state: State, *, known: bool) -> None:
        """Store what is in *stream*, and save its *state*; the members of a container are sources of their own.

        Members that have not changed are not read again, and those that are no more are forgotten, of a container that
        is *known*, unless it is broken.
        """
        name = str(stream.name)
        faults: list[str] = []

        def tell(passed: Skipped) -> None:
            if passed.is_fault:
                faults.append(f"{passed.name}: {passed.reason}")
                self._fail(passed.name or name, passed.reason)
            else:
                self._listener.passed_over(passed.name or name, passed.reason)

        try:
            for member in members(stream, self._source, tell):
                if member.stamp is None:
                    self._add(source, iter_texts(member, self._source, prefilter=self._prefilter))
                else:
                    self._read_member(member, *member.stamp)
                    if self._is_batch():
                        self._go_on(source, state._replace(complete=False))
        except SourceError as error:
            # What it holds before the break is kept. It is not read again before it has changed.
            faults.append(str(error))
            self._fail(name, str(error))
        if known and not faults:
            self._forget_members(name)
        self._database.save(source, state._replace(fault=faults[0] if faults else None))
        self._bytes += state.size

    def _read_member(self, member: Peeked, size: int, mark: int) -> None:
        name = str(member.name)
        known = self._database.known(name)
        if known is not None:
            source, state = known
            if source in self._met:
                self._listener.passed_over(name, "stands there twice: the first one is stored")
                return
            self._met.add(source)
            if state.complete and (state.size, state.mtime) == (size, mark):
                self.tally["unchanged"] += 1
                return
            self._database.drop(source)
        else:
            source = self._database.new(name)
            self._met.add(source)
        what = "new" if known is None else "changed"
        self._listener.found(name, what)
        self._database.read_from(name)
        state = State(size, mark)
        try:
            self._add(source, iter_texts(member, self._source, prefilter=self._prefilter))
        except SourceError as error:
            state = state._replace(fault=str(error))
            self._fail(name, str(error))
        self._database.save(source, state)
        self._bytes += size
        self.tally[what] += 1

    def _forget_members(self, container: str) -> None:
        """Take out the members of *container* that were not met, now that it is read."""
        for source, name in self._database.members(container):
            if source not in self._met:
                self._listener.found(name, "gone")
                self.tally["gone"] += 1
                self._database.forget(source)
                self._met.add(source)
