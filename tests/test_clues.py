"""Clues, guards and the model of line ends: what is decided, and what explains it."""

from inspect import signature
from math import exp

import pytest

from urlmend.mend import model
from urlmend.mend.clues import FAR, NEAR
from urlmend.mend.continuation import continues, contributions
from urlmend.mend.glance import CERTAIN
from urlmend.mend.line_break import first_line_break

TEXTS = [
    "The list of all of them is at http://www.a.example/archive/1995/\ngopher-faq.html, for those",
    "http://a.example/info-\nwar.html\n",
    "http://www.\na.example/b is it",
    "> http://a.example/vfs-\n> backends/_decorator.py\n",
    "see http://a.example/\nIt is there.\n",
    "http://a.example/b\nThe next sentence follows.\n",
    "2011-05-23: first    http://a.example/\n2011-05-25: second   http://b.example/\n",
    "http://a.example/b/\nhttp://a.example/c/\n",
    "http://a.example/m-1@b.example/\nv6: add a test\n",
]


def test_the_model_knows_every_clue() -> None:
    names = [clue.name for clue in (*NEAR, *FAR)]
    assert set(names) == {*model.CODES, *model.TYPICAL}
    assert not model.CODES.keys() & model.TYPICAL.keys()
    assert list(signature(model.near).parameters) == names[: len(NEAR)]
    assert list(signature(model.all_clues).parameters) == names


@pytest.mark.parametrize("text", TEXTS)
def test_contributions_add_up(text: str) -> None:
    at = first_line_break(text)
    verdict = continues(at)
    if verdict.guard:
        assert verdict.p in {CERTAIN, 1 - CERTAIN}
        return
    parts = list(contributions(at))
    clues = [*NEAR, *FAR] if any(one.clue in {clue.name for clue in FAR} for one in parts) else NEAR
    silent = [model.TYPICAL.get(clue.name, model.UNSEEN) for clue in clues]
    base = model.all_clues(*silent) if len(clues) > len(NEAR) else model.near(*silent)
    total = base + sum(one.weight for one in parts)
    assert verdict.p == pytest.approx(1 / (1 + exp(-total)))
