"""A torn URL in brackets tells how it was mended only when it is asked, and nobody sees the difference."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from urlmend import WEB, Profile, URLMatch, find_urls
from urlmend.grammar.parser import accepts
from urlmend.match import Ambiguous, Mended
from urlmend.scan.torn import stable

EAGER = Profile("WEB", WEB.departures)
"""A profile equal to WEB, but another one: with it every reading is made and parsed at once."""

SHORT = "> <URL:http://a.example/b-\n> c/d\n> e>"
LONG = "<URL:http://a.example/b" + "-\nb" * 40 + ">"

ASKED: dict[str, Callable[[URLMatch], object]] = {
    "equality": lambda match: match,
    "repr": repr,
    "hash": hash,
    "pickle": lambda match: pickle.loads(pickle.dumps(match)),  # noqa: S301 -- our own
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "replace": lambda match: replace(match, line=7),
    "readings": lambda match: (match.readings, match.breaks, match.undecided),
    "breaks": lambda match: (match.breaks, match.undecided, match.readings),
    "undecided": lambda match: (match.undecided, match.parts, match.more_readings),
    "ambiguous": lambda match: (match.ambiguous, match.mended, match.ambiguous),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("text", [SHORT, LONG, SHORT.replace("-", "")])
def test_whatever_is_asked_first_is_told(text: str, asked: Callable[[URLMatch], object]) -> None:
    (match,) = find_urls(text)
    (eager,) = find_urls(text, profile=EAGER)
    assert isinstance(match, Mended)
    assert not isinstance(eager, Ambiguous)
    assert asked(match) == asked(eager)
    assert match == eager
    assert type(match) is URLMatch


def test_other_attributes_are_missed_as_elsewhere() -> None:
    (match,) = find_urls(SHORT)
    with pytest.raises(AttributeError, match="nothing"):
        match.nothing  # type: ignore[attr-defined]  # noqa: B018 -- it raises


PIECES = (
    *("b", "b-", "-", "--", "c/", "/", "?", "=", "=3", "D", "&", "gt", ",", ";", "%41", "%4", "1", "#", "~", "@"),
    *("type=a", ".", ":80", "(", "\u2010", "\u00ad", "é", "[Page", "\x00"),
)
GAPS = ("\n", "-\n", "- \n  ", "\n> ", "-\n> ", "\r\n", "-\r\n> ", "-\r", "\n\n", " ", "\n# ", "-\n# ", "\n> > ", "- ")
STARTS = (
    "http://a.example/",
    "ftp://a.example/",
    "https://a-b.example/",
    "http://a",
    "http://a-",
    "mailto:a@b",
    "http:",
)


def test_torn_urls_come_out_as_they_do_when_all_readings_are_parsed() -> None:
    random = Random(1738)
    kinds: list[type] = []
    for _ in range(6000):
        left = random.choice(("", "> ", "# ", "> > ", "12. ", "see "))
        pieces = (random.choice((*PIECES, *GAPS, *GAPS)) for _ in range(random.randrange(1, 9)))
        text = f"{left}{random.choice(('<URL:', '<', '<URL: '))}{random.choice(STARTS)}{''.join(pieces)}b> c"
        lazy, eager = find_urls(text), find_urls(text, profile=EAGER)
        kinds += map(type, lazy)
        assert lazy == eager, text
    assert kinds.count(Ambiguous) > 200
    assert kinds.count(Mended) > 100


def test_a_stable_url_is_one_whatever_hyphens_are_taken_out() -> None:
    random = Random(1738)
    tried = 0
    for _ in range(4000):
        host, pieces = random.choice(STARTS[:3]), random.choices(PIECES, k=random.randrange(12))
        kept = host + "-".join(pieces)
        if (match := stable().fullmatch(kept)) is None:
            continue
        tried += 1
        behind = kept[match.end(1) :]
        dropped = "".join(character for character in behind if character != "-" or random.random() < 0.5)
        assert accepts(kept), kept
        assert accepts(match[1] + dropped), dropped
    assert tried > 300
