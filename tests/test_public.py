"""Every public name has an example in its docstring; and the library is at home in Python."""

import dataclasses
import doctest
import inspect
import os
import re
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

import urlmend
from urlmend import Origin, URLMatch, find_urls, iter_urls, parse
from urlmend.api import PUBLIC_NAMES
from urlmend.query import FileOptions, Query

PARSER = doctest.DocTestParser()
OBJECTS = [(name, getattr(urlmend, name)) for name in PUBLIC_NAMES]
CALLABLE = [(name, value) for name, value in OBJECTS if callable(value)]


def source(docstring: str | None) -> str:
    return "".join(example.source for example in PARSER.get_examples(docstring or ""))


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that *kind* itself defines."""
    for name, value in vars(kind).items():
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
            yield name, value


@pytest.mark.parametrize(("name", "value"), CALLABLE, ids=[name for name, _ in CALLABLE])
def test_every_public_name_has_an_example(name: str, value: Any) -> None:
    examples = source(value.__doc__)
    assert examples, f"{name} has no example"
    if isinstance(value, type):
        # A member has an example of its own, or is used in that of its class.
        for member, attribute in members(value):
            used = re.search(rf"\.{member}\b|\"{member}\"", examples)
            assert used or source(attribute.__doc__), f"{name}.{member} has no example"


# Values


def test_a_match_is_shown_in_a_line() -> None:
    (match,) = find_urls("\n <mailto:j@a.example>")
    assert repr([match]) == "[<URLMatch 'mailto:j@a.example' angle 2:3 confidence=1.0>]"


# the URL; its path, query and hostname
COMPONENTS = (
    ("http://A.example", "", None, "a.example"),
    ("http://a.example./", "/", None, "a.example"),
    ("http://a.example?", "", "", "a.example"),
    ("http://a.example/b?c=d?e#f?g", "/b", "c=d?e", "a.example"),
    ("http://[::1]:80/b", "/b", None, "::1"),
    ("ftp://a?b:c@a.example/d;type=i", "/d;type=i", None, "a.example"),
    ("mailto:j@a.example?subject=b", "j@a.example", "subject=b", None),
    ("news:a.b", "a.b", None, None),
    ("news://a.example/", "/", None, "a.example"),
    ("nntp://a.example/a.b/1", "/a.b/1", None, "a.example"),
    ("file:///etc/motd", "/etc/motd", None, None),
    ("gopher://a.example/1/b%09c", "/1/b%09c", None, "a.example"),
    ("telnet://j:p@a.example/", "/", None, "a.example"),
    ("wais://a.example/b?c", "/b", "c", "a.example"),
    ("prospero://a.example/b;c=d", "/b;c=d", None, "a.example"),
    ("magnet:?xt=urn:btih:a", "", "xt=urn:btih:a", None),
    ("urn:isbn:0", "isbn:0", None, None),
    ("irc://a.example/b", "/b", None, "a.example"),
)


@pytest.mark.parametrize(("text", "path", "query", "hostname"), COMPONENTS)
def test_every_url_has_the_components_of_rfc_3986(
    text: str, path: str, query: str | None, hostname: str | None
) -> None:
    url = parse(text)
    assert (url.path, url.query, url.hostname) == (path, query, hostname)


# the date of an origin; its moment in UTC
DATES = (
    ("2003-07-07T10:06:12-03:00", "2003-07-07T13:06:12+00:00"),
    ("2003-07-07T10:06:12-00:00", "2003-07-07T10:06:12+00:00"),
    ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05+00:00"),
    ("2003-07-07", None),
    ("some day", None),
    (None, None),
)


@pytest.mark.parametrize(("date", "moment"), DATES)
def test_the_date_of_an_origin(date: str | None, moment: str | None) -> None:
    found = Origin(date=date).datetime
    assert (found and found.astimezone(UTC).isoformat()) == moment


def test_help_shows_every_option() -> None:
    assert {*FileOptions.__annotations__, "unwrap"} == {field.name for field in dataclasses.fields(Query)}
    shown = inspect.signature(iter_urls).parameters
    assert (shown["join"].default, shown["header_fields"].default, *shown)[:3] == ("evident", True, "fileobj")


# Paths


class Named:
    """A path of another library."""

    def __init__(self, name: str | bytes) -> None:
        self.name = name

    def __fspath__(self) -> Any:
        return self.name


@pytest.mark.parametrize("jobs", [1, 2])
def test_any_path_is_taken(tmp_path: Path, jobs: int) -> None:
    (tmp_path / "a").write_text("http://a.example/")
    for path in (tmp_path / "a", Named(str(tmp_path / "a")), Named(os.fsencode(tmp_path / "a"))):
        assert [match.url for match in iter_urls(path, jobs=jobs)] == ["http://a.example/"]


# Tables


def test_a_match_is_a_dataclass() -> None:
    (match,) = find_urls("http://a.example/b")
    assert dataclasses.asdict(match)["url"] == dataclasses.replace(match, line=2).url == "http://a.example/b"
    assert isinstance(dataclasses.replace(match, line=2), URLMatch)
