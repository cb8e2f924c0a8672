"""Pickles of 0.2.0 still load."""

import io
import json
import pickle
import subprocess
import sys
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from urlmend import Profile, Rejected, URLMatch, URLSyntaxError, iter_urls, parse

OLD: dict[str, list[tuple[str, str]]] = json.loads((Path(__file__).parent / "data/pickles-0.2.0.json").read_text())
"""What was pickled by 0.2.0, by kind: the text that it was made from, and the pickle in base64."""


def cases(kind: str) -> list[Any]:
    return [pytest.param(text, b64decode(pickled), id=text[:40]) for text, pickled in OLD[kind]]


def found(mail: str) -> list[object]:
    """The matches and rejected candidates in *mail*."""
    rejected: list[Rejected] = []
    return [*iter_urls(io.BytesIO(mail.encode()), source="message", rejected=rejected.append), *rejected]


@pytest.mark.parametrize(("text", "pickled"), cases("urls"))
def test_a_url(text: str, pickled: bytes) -> None:
    url = pickle.loads(pickled)  # noqa: S301 -- our own
    assert (type(url), url) == (type(parse(text)), parse(text))


@pytest.mark.parametrize(("text", "pickled"), cases("errors"))
def test_an_error(text: str, pickled: bytes) -> None:
    with pytest.raises(URLSyntaxError) as caught:
        parse(text)
    assert repr(pickle.loads(pickled)) == repr(caught.value)  # noqa: S301 -- our own


@pytest.mark.parametrize(("name", "pickled"), cases("profiles"))
def test_a_profile(name: str, pickled: bytes) -> None:
    profile = pickle.loads(pickled)  # noqa: S301 -- our own
    assert isinstance(profile, Profile)
    assert profile.name == name


@pytest.mark.parametrize(("mail", "pickled"), cases("matches"))
def test_matches_and_rejected_candidates(mail: str, pickled: bytes) -> None:
    for old, new in zip(pickle.loads(pickled), found(mail), strict=True):  # noqa: S301 -- our own
        assert old == (replace(new, right="") if isinstance(new, URLMatch) else new)


@pytest.mark.slow
def test_nothing_needs_to_be_imported_before() -> None:
    """Pickle imports by the names in the pickle alone."""
    command = [sys.executable, "-c", "import pickle, sys; pickle.load(sys.stdin.buffer)"]
    for kind in OLD.values():
        subprocess.run(command, input=b64decode(kind[0][1]), check=True, timeout=60)  # noqa: S603 -- this Python
