"""Clues, guards and the model of line ends: what is decided, and what explains it."""

from math import exp

import pytest

from urlmend.mend import model
from urlmend.mend.clues import CLUES
from urlmend.mend.continuation import SUREST, continues, contributions, log_odds
from urlmend.mend.line_break import first_line_break
from urlmend.mend.quick_verdict import CERTAIN

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
    names = [clue.__name__ for clue in CLUES]
    assert names == list(model.TYPICAL) == list(model.LEAVES)
    assert set(names) == {*model.TEXTS, *model.LIMITS}
    assert not model.TEXTS.keys() & model.LIMITS.keys()


@pytest.mark.parametrize("text", TEXTS)
def test_contributions_add_up(text: str) -> None:
    at = first_line_break(text)
    verdict = continues(at)
    if verdict.guard:
        assert verdict.p in {CERTAIN, 1 - CERTAIN}
        return
    parts = list(contributions(at))
    silent = [leaves[model.TYPICAL[name]] for name, leaves in model.LEAVES.items()]
    total = log_odds(silent) + sum(one.weight for one in parts)
    assert verdict.p == pytest.approx(min(max(1 - SUREST, 1 / (1 + exp(-total))), SUREST))
