"""Confidences made up for tests: a URL with `/p50` in it has a confidence of .50, and all others are certain."""

import re
from collections.abc import Iterable, Iterator

import pytest

from urlmend import URLMatch
from urlmend.resolver import Resolver
from urlmend.scan.candidates import Candidate
from urlmend.scanner import StreamScanner

_DOUBT = re.compile(r"/p([0-9]{2})")


def confidence(url: str) -> float:
    """Return the made-up confidence of *url*."""
    match = _DOUBT.search(url)
    return int(match[1]) / 100 if match else 1.0


def make_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all matches found with their made-up confidences, in this process; nothing behind the scanner is changed."""
    resolve, resolved = StreamScanner._resolved, Resolver.match  # noqa: SLF001 -- where matches are made

    def doubted(match: URLMatch) -> URLMatch:
        match.confidence = confidence(match.url)
        return match

    def resolve_doubting(scanner: StreamScanner, found: Iterable[Candidate | URLMatch]) -> list[URLMatch]:
        def told() -> Iterator[Candidate | URLMatch]:
            for one in found:
                yield doubted(one) if isinstance(one, URLMatch) else one

        return resolve(scanner, told())

    def match_doubting(resolver: Resolver, candidate: Candidate) -> URLMatch | None:
        match = resolved(resolver, candidate)
        return match and doubted(match)

    monkeypatch.setattr(StreamScanner, "_resolved", resolve_doubting)
    monkeypatch.setattr(Resolver, "match", match_doubting)
