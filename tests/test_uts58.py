"""Unicode UTS #58's own test of link detection: for the links that have a scheme, and on request for all."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from urlmend import find_urls

SHARED = os.environ.get("URLMEND_SHARED", "")
pytestmark = pytest.mark.skipif(not SHARED, reason="URLMEND_SHARED is not set: the folder with conformance/uts58/")

_LINK = re.compile("⸠([^⸡]*)⸡")
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*://|mailto:)", re.IGNORECASE)

DIFFERENCES: Mapping[str, tuple[str, str]] = {
    # how the line begins: the reason, and what is found instead
    "http://john.smith@example.com ": (
        "userinfo is deprecated, not forbidden: WEB reads it, under the departure `userinfo`",
        "http://john.smith@example.com",
    ),
    "http://john.smith@example.com/foo/bar": (
        "userinfo is deprecated, not forbidden: WEB reads it, under the departure `userinfo`",
        "http://john.smith@example.com/foo/bar",
    ),
    "http://john..smith@example.com ": (
        "a user name is no host: two dots are fine in it (RFC 1738 section 5, user)",
        "http://john..smith@example.com",
    ),
    "http://john..smith@example.com/foo/bar": (
        "a user name is no host: two dots are fine in it (RFC 1738 section 5, user)",
        "http://john..smith@example.com/foo/bar",
    ),
    'https://nap.wikipedia.org/wiki/Wikipedia:Lista_d"e_vvoce': (
        "a double quote ends a URL (SPEC 1.5): HTML and prose put URLs between two of them",
        "https://nap.wikipedia.org/wiki/Wikipedia:Lista_d",
    ),
}
"""Every deliberate difference."""


ON_REQUEST: Mapping[str, tuple[str, str]] = {
    **DIFFERENCES,
    "Lorem ipsum \u666e\u904d\u9002\u7528\u6d4b\u8bd5\u3002": (
        "an ideographic full stop ends a URL (SPEC 1.5): it stands between sentences without a blank",
        "",
    ),
}
"""The same where hosts without a scheme and addresses are asked for."""


class Line(NamedTuple):
    number: int
    text: str
    links: tuple[str, ...]
    """Those that have a scheme."""
    every_link: tuple[str, ...]
    without_scheme: int


def lines() -> list[Line]:
    path = Path(SHARED, "conformance", "uts58", "LinkDetectionTest.txt")
    return [
        Line(
            number,
            re.sub("[⸠⸡]", "", line),
            tuple(link for link in _LINK.findall(line) if _SCHEME.match(link)),
            tuple(_LINK.findall(line)),
            sum(not _SCHEME.match(link) for link in _LINK.findall(line)),
        )
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if line and not line.startswith("#")
    ]


def listed(line: Line, differences: Mapping[str, tuple[str, str]] = DIFFERENCES) -> tuple[str, str] | None:
    return next((found for start, found in differences.items() if f"{line.text} ".startswith(start)), None)


@pytest.mark.parametrize("binary", [False, True], ids=["str", "bytes"])
def test_every_applicable_line_comes_out_as_marked(binary: bool, capsys: pytest.CaptureFixture[str]) -> None:
    every = lines()
    # Out of scope: lines all whose links lack a scheme; such a link is no URL, and a URL inside it would be one.
    applicable = [line for line in every if line.links or not line.without_scheme]
    assert len(every) > 300
    assert len(applicable) > 200
    passes, failed, differing = 0, [], []
    for line in applicable:
        found = tuple(match.raw for match in find_urls(line.text.encode() if binary else line.text))
        difference = listed(line)
        if difference:
            assert found == (difference[1],), line
            assert found != line.links, f"no difference any more: {line}"
            differing.append(difference[0])
        elif found == line.links:
            passes += 1
        else:
            failed.append((line, found))
    with capsys.disabled():
        print(f"\nUTS #58 LinkDetectionTest: {len(every)} lines, {len(applicable)} applicable,", end=" ")
        print(f"{passes} passes, {len(differing)} listed differences:")
        for reason in dict.fromkeys(differing):
            print(f"  {differing.count(reason)}  {reason}")
    assert failed == []
    assert len(differing) == len(DIFFERENCES)


def test_links_without_a_scheme_are_out_of_scope() -> None:
    others = [line for line in lines() if line.without_scheme and not line.links]
    assert len(others) > 50
    for line in others:
        assert find_urls(line.text) == [], line


@pytest.mark.parametrize("binary", [False, True], ids=["str", "bytes"])
def test_on_request_every_line_comes_out_as_marked(binary: bool) -> None:
    differing = 0
    for line in lines():
        text = line.text.encode() if binary else line.text
        found = tuple(match.raw for match in find_urls(text, schemeless=True, addresses=True))
        if difference := listed(line, ON_REQUEST):
            assert found == tuple(filter(None, (difference[1],))), line
            assert found != line.every_link, f"no difference any more: {line}"
            differing += 1
        else:
            assert found == line.every_link, line
    assert differing == len(ON_REQUEST) == 6
