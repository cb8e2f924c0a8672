"""Which of the URLs found are wanted: by scheme, by host, by where they stand, each once."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from fnmatch import translate
from typing import TYPE_CHECKING, NamedTuple

from urlmend.match import confident
from urlmend.output.counts import Counted, Tally, host_of

if TYPE_CHECKING:
    from urlmend.match import URLMatch


class Criteria(NamedTuple):
    """What a match must be to be wanted.

    `schemes` are names, `hosts` patterns such as `*.example.org`. Of each that is given, one must fit, whatever the
    case. Without `quoted` and `signature`, URLs in quoted lines and signatures are left out. With `unique`, a URL is
    wanted where it comes first; `counted` says which are the same. Its confidence is at least
    `min_confidence`.
    """

    schemes: Collection[str] = ()
    hosts: Collection[str] = ()
    quoted: bool = True
    signature: bool = True
    unique: bool = False
    min_confidence: float = 0.0
    counted: Counted = Counted()


class Selection:
    """Says which matches are wanted: those that meet all *criteria*. `unsure` counts those of too little confidence."""

    def __init__(self, criteria: Criteria) -> None:
        schemes, hosts, quoted, signature, unique, self._min_confidence, counted = criteria
        self.unsure = 0
        self._seen = Tally()
        self._tests: list[Callable[[URLMatch], bool]] = []
        if schemes:
            names = {scheme.lower().rstrip(":/") for scheme in schemes}
            self._tests.append(lambda match: match.url.partition(":")[0].lower() in names)
        if hosts:
            fits = _host_pattern(hosts)
            self._tests.append(lambda match: fits(host_of(match.parts)) is not None)
        if not quoted:
            self._tests.append(lambda match: not match.quoted)
        if not signature:
            self._tests.append(lambda match: not match.origin.signature)
        if unique:
            # The last test: a URL that is not wanted anyway does not count as the first one.
            self._tests.append(lambda match: self._seen.add(counted.key(match)))

    def wanted(self, lists: "Iterable[list[URLMatch]]") -> "Iterator[list[URLMatch]]":
        """Yield those matches in *lists* that are wanted; no list is empty."""
        tests = self._tests
        for found in lists:
            matches = confident(found, self._min_confidence)
            self.unsure += len(found) - len(matches)
            if wanted := [match for match in matches if all(test(match) for test in tests)] if tests else matches:
                yield wanted

    def close(self) -> None:
        """Forget which URLs were there."""
        self._seen.close()


def _host_pattern(patterns: Collection[str]) -> Callable[[str], re.Match[str] | None]:
    # An IPv6 address stands in brackets, which a pattern reads as a set.
    either = (form for pattern in patterns for form in (translate(pattern.lower()), re.escape(pattern.lower()) + r"\Z"))
    return re.compile("|".join(either)).match
