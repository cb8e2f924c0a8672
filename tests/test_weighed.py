"""What is shown of weighed line ends is what decided: by `explain`, and in annotated text."""

import io
from collections.abc import Iterable, Sequence
from functools import partial
from math import prod

import pytest

from cases import CASES
from commands import run
from sample import SMALL
from urlmend import URLMatch, find_urls
from urlmend.cli import annotate
from urlmend.mend.continuation import THRESHOLD
from urlmend.mend.joining import SOFT_BREAK
from urlmend.mend.quick_verdict import CERTAIN
from urlmend.output.pages import TerminalPage
from urlmend.output.weighed import WeighedEnd
from urlmend.query import Query
from urlmend.resolver import HYPHEN_DROPPED
from urlmend.selection import Selection

explain = partial(run, "explain")


TORN = "The list of all of them is at http://www.a.example/archive/1995/\ngopher-faq.html, for those who ask."


def test_a_text_is_explained() -> None:
    """Which line ends are weighed; texts in which a guard decides are in data/transcripts/explain.txt."""
    wanted = [
        "http://www.a.example/archive/1995/gopher-faq.html",
        "written as  http://www.a.example/archive/1995/\\ngopher-faq.html",
        "removed     line end only",
        "or          http://www.a.example/archive/1995/",
        "http://www.a.example/archive/1995/ ⏎ gopher-faq.html,",
        'hpath     "archive/1995/gopher-faq.html"  hpath     3.3',
    ]
    for result in (explain(TORN), explain("-", stdin=TORN), explain("-", stdin=f"{TORN}\n")):
        shown = iter(result.stdout.splitlines())
        assert [line for line in wanted if line in shown] == wanted


# What decided


class Recording(TerminalPage):
    """A page that keeps the URLs and their line ends."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.urls: list[tuple[URLMatch, Sequence[WeighedEnd]]] = []

    def url(self, match: URLMatch, ends: Iterable[WeighedEnd] = ()) -> None:
        self.urls.append((match, [*ends]))


def weighed(data: bytes, source: str) -> list[tuple[URLMatch, Sequence[WeighedEnd]]]:
    page = Recording()
    for _ in annotate.annotate(io.BytesIO(data), page, Query(source), Selection()):
        pass
    return page.urls


def probability(ends: Sequence[WeighedEnd]) -> float:
    return prod(end.verdict.p if end.verdict.goes_on else 1 - end.verdict.p for end in ends)


@pytest.mark.slow
def test_shown_line_ends_determine_the_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotate, "HELD", 4_000)  # so that there are cuts
    files = [path.read_bytes() for path in SMALL]
    texts = [(b"\n\n".join(files), "text"), *((data, "auto") for data in files)]
    texts += [(case.text.encode(), "text") for case in CASES.values()]
    found = [one for data, source in texts for one in weighed(data, source)]
    # In brackets it is the hyphen that may be in doubt.
    bare = [(match, ends) for match, ends in found if match.form in {"bare", "prefix"}]
    for match, ends in bare:
        if not ends:
            assert match.confidence in {1, CERTAIN} or 0 <= SOFT_BREAK - match.confidence < 0.004, match.url
            continue
        # A hyphen that was dropped is in doubt too.
        dropped = match.ambiguous and len(match.readings[0]) < len(match.readings[1])
        wanted = probability(ends) * (HYPHEN_DROPPED if dropped else 1)
        assert match.confidence == pytest.approx(wanted, abs=5e-4), match.url
    assert sum(match.confidence < 1 for match, _ in found) > 100


def test_the_heaviest_clues_come_first() -> None:
    text = f"see http://a.example/b/c/{'d' * 32}\nlinux/index of what"
    (match,) = find_urls(text)
    ((same, (end,)),) = weighed(text.encode(), "text")
    assert (same.url, same.confidence) == (match.url, match.confidence)
    assert end.verdict.goes_on == match.mended == (end.verdict.p >= THRESHOLD)
    weights = [abs(one.weight) for one in end.clues]
    assert len(weights) > 1
    assert weights == sorted(weights, reverse=True)
