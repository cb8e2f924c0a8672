"""The selection of messages by their date, author, subject and newsgroups."""

import errno
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any, TypeVar

from urlmend.match import Rejected, URLMatch
from urlmend.sources import Origin, Text
from urlmend.text.patterns import lazy_regex

LONGEST_FIELD = 4096
"""How many characters of an author, a subject or the newsgroups are searched."""

MOST_SECONDS = 1.0
"""How much CPU time a regular expression may take to search them."""

Key = tuple[str | None, int | None, str]
"""Identifies a message: the name of its file, its number in the file, and its part if it is attached to that."""

Found = TypeVar("Found", bound=URLMatch | Rejected | Text)


class PatternError(OSError):
    """A regular expression takes too long; `filename` is the name of its condition."""


class Selection:
    r"""The messages to take URLs from. A condition that is `None` or empty is met by every message.

    *since* and *until*, both included, are a year, month, day or ISO time (in UTC if it has no offset) to compare with
    `Origin.sent`. *author*, *subject* and *newsgroup* are found anywhere in the field, in upper or lower case; between
    slashes, they are regular expressions. With *since* or *until*, messages without a readable date are left out, and
    so is text that does not belong to a message; `undated` counts those in which URLs were found.

    Raises `ValueError` for any other date and for a wrong regular expression. `admits`, and reading files with a
    selection, raise `PatternError`, an `OSError`, if a regular expression takes too long.

    >>> import io
    >>> from urlmend import Selection, iter_urls
    >>> mail = b"From: Jane <jane@a.example>\nDate: Mon, 7 Jul 2003 10:06:12 -0300\n\nSee http://a.example/b\n"
    >>> def urls(**conditions):
    ...     return [match.url for match in iter_urls(io.BytesIO(mail), selection=Selection(**conditions))]
    >>> urls(since="2003", until="2003-07"), urls(until="2003-07-07T13:00"), urls(author="/^jane/", subject="tapes")
    (['http://a.example/b'], [], [])
    >>> selection = Selection(since="2003")
    >>> (match,) = iter_urls(io.StringIO("http://a.example/c"))
    >>> selection.admits(match.origin), selection.chosen([match]), selection.undated, selection.conditions["since"]
    (None, [], 1, '2003')

    In several processes, each has its own copy: `judged` returns what `count` adds up. `rejects` is for the other
    results.

    >>> found, undated = selection.judged([match])
    >>> selection.count(undated)
    >>> _ = iter_urls(io.BytesIO(mail), rejected=selection.rejects(print))
    """

    def __init__(
        self,
        since: str | None = None,
        until: str | None = None,
        author: str | None = None,
        subject: str | None = None,
        newsgroup: str | None = None,
    ) -> None:
        texts = {"author": author or "", "subject": subject or "", "newsgroup": newsgroup or ""}
        self.conditions = {"since": since or "", "until": until or "", **texts}
        for name, condition in self.conditions.items():
            if not isinstance(condition, str):
                raise TypeError(f"{name} must be a str, not {type(condition).__name__}")
        self._tests = [(name, _test(name, wanted)) for name, wanted in texts.items() if wanted]
        self._period = _period(since, until) if since or until else None
        self.undated = 0
        self._last_undated: set[Key] = set()  # of one message: itself, and those attached to it

    def __bool__(self) -> bool:
        return bool(self._tests or self._period)

    def admits(self, message: Origin) -> bool | None:
        """Return whether *message* meets the conditions; `None` if only its date is missing or unreadable.

        Of an origin, it has `sent`, `author`, `subject` and `newsgroups`.
        """
        for name, test in self._tests:
            text = "\n".join(message.newsgroups) if name == "newsgroup" else getattr(message, name)
            if not text or not test(text[:LONGEST_FIELD]):
                return False
        if self._period is None:
            return True
        first, last = self._period
        sent = message.sent
        return None if sent is None else first <= sent <= last

    def judged(self, found: list[Found]) -> tuple[list[Found], list[Key]]:
        """Return what was *found* in messages that meet the conditions, and the keys of those without a date."""
        if not found or not self:
            return found, []
        chosen: list[Found] = []
        undated: list[Key] = []
        origin = admitted = None
        for one in found:
            if one.origin is not origin:
                origin = one.origin
                admitted = self.admits(origin)
                if admitted is None:
                    within = origin.header and origin.header.within
                    undated.append((origin.source, origin.message, within[1] if within else ""))
            if admitted:
                chosen.append(one)
        return chosen, undated

    def chosen(self, found: list[Found]) -> list[Found]:
        """Return what was *found* in messages that meet the conditions, and count those without a date."""
        chosen, undated = self.judged(found)
        if undated:
            self.count(undated)
        return chosen

    def count(self, undated: Iterable[Key]) -> None:
        """Add the messages with these keys to `undated`. A key that comes again in the same message counts once."""
        for key in undated:
            if key[:2] != next(iter(self._last_undated), key)[:2]:
                self._last_undated.clear()
            self.undated += key not in self._last_undated
            self._last_undated.add(key)

    def rejects(self, rejected: Callable[[Rejected], object] | None) -> Callable[[Rejected], object] | None:
        """Return a function that calls *rejected* for the candidates in messages that meet the conditions."""
        if rejected is None or not self:
            return rejected
        return lambda candidate: self.admits(candidate.origin) and rejected(candidate)


def _period(since: str | None, until: str | None) -> tuple[datetime, datetime]:
    """Return the first and the last moment from *since* to *until*."""
    first = _moments("since", since)[0] if since else datetime.min.replace(tzinfo=UTC)
    last = _moments("until", until)[1] if until else datetime.max.replace(tzinfo=UTC)
    if first > last:
        raise ValueError(f"since {since} is later than the last day wanted, {until}")
    return first, last


_DATE = lazy_regex(r"([0-9]{4})(?:-([0-9]{2}))?(?:-([0-9]{2}))?")
_TIME = lazy_regex(r"[0-9-]{8,10}[T ].*")


def _moments(name: str, text: str) -> tuple[datetime, datetime]:
    """Return the first and the last moment of the year, month, day or time *text*; *name* is the condition."""
    from calendar import monthrange  # noqa: PLC0415 -- few ask for dates

    try:
        if date := _DATE.fullmatch(text):
            year, month, day = date.groups()
            first = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
            last_month = int(month or 12)
            last_day = int(day or monthrange(first.year, last_month)[1])
            return first, datetime(first.year, last_month, last_day, 23, 59, 59, 999_999, UTC)
        if _TIME.fullmatch(text):
            time = datetime.fromisoformat(text)
            time = time if time.tzinfo else time.replace(tzinfo=UTC)
            return time, time
    except ValueError:
        if date:
            raise ValueError(f"{name}: there is no such date: {text}") from None
    raise ValueError(f"{name} must be like 2005, 2005-12, 2005-12-24 or 2005-12-24T18:00, not {text!r}")


def _test(name: str, wanted: str) -> Callable[[str], bool]:
    """Return the test for the condition *name*: that a text contains *wanted*, or matches the expression in it."""
    if len(wanted) <= len("//") or not (wanted.startswith("/") and wanted.endswith("/")):
        return partial(_contains, wanted.casefold())
    import regex  # noqa: PLC0415 -- few ask for it

    try:
        pattern = regex.compile(wanted[1:-1], regex.IGNORECASE | regex.MULTILINE)
    except (regex.error, RecursionError) as error:
        message = f"{name} is not a valid regular expression: {error}; without the slashes it is searched as plain text"
        raise ValueError(message) from error
    return partial(_matches, pattern, name)


def _contains(wanted: str, text: str) -> bool:
    return wanted in text.casefold()


@lru_cache(maxsize=1024)
def _matches(pattern: Any, name: str, text: str) -> bool:  # noqa: ANN401 -- a pattern of the package regex
    try:
        return pattern.search(text, timeout=MOST_SECONDS) is not None
    except TimeoutError as error:
        message = f"the regular expression takes too long: /{pattern.pattern}/ backtracks too much in {text[:60]!r}"
        raise PatternError(errno.ETIMEDOUT, message, name) from error
