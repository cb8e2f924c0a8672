"""Clues, guards and weights of line ends: the excerpts, and that table, clues and sum belong together."""

from math import exp

import pytest

from urlmend.mend.clues import CLUES
from urlmend.mend.continuation import THRESHOLD, continues, contributions
from urlmend.mend.guards import CERTAIN
from urlmend.mend.line_break import first_line_break
from urlmend.mend.weights import INTERCEPT, WEIGHTS

GOES_ON = [
    "see http://a.example/drafts/\ndraft-5.txt for all",
    "http://a.example/info-\nwar.html\n",
    "http://www.\na.example/b is it",
    "> http://a.example/vfs-\n> backends/_decorator.py\n",
]
ENDS = [
    "see http://a.example/\nIt is there.\n",
    "http://a.example/b\nThe next sentence follows.\n",
    "2011-05-23: first    http://a.example/\n2011-05-25: second   http://b.example/\n",
    "http://a.example/b/\nhttp://a.example/c/\n",
    "http://a.example/m-1@b.example/\nv6: add a test\n",
]


@pytest.mark.parametrize("text", GOES_ON)
def test_goes_on(text: str) -> None:
    assert continues(first_line_break(text)).goes_on


@pytest.mark.parametrize("text", ENDS)
def test_ends(text: str) -> None:
    assert not continues(first_line_break(text)).goes_on


def test_every_clue_has_weights_and_every_weight_a_clue() -> None:
    assert {clue for clue, *_ in WEIGHTS} == {clue.name for clue in CLUES}


def test_no_value_is_weighed_twice() -> None:
    assert len({(clue, value) for clue, value, *_ in WEIGHTS}) == len(WEIGHTS)


@pytest.mark.parametrize("text", [*GOES_ON, *ENDS])
def test_contributions_add_up(text: str) -> None:
    at = first_line_break(text)
    verdict = continues(at)
    if verdict.guard:
        assert verdict.p in {CERTAIN, 1 - CERTAIN}
    else:
        total = INTERCEPT + sum(one.weight for one in contributions(at))
        assert verdict.p == pytest.approx(1 / (1 + exp(-total)))


def test_guards_are_sure() -> None:
    assert 1 - CERTAIN < 1 - THRESHOLD < THRESHOLD < CERTAIN
