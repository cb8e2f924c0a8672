"""Schemes: what holds for every row of the table of schemes, and for a new one that somebody adds to it."""

import io
import os
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

import pytest

import urlmend
from urlmend import find_urls, iter_urls, linkify
from urlmend.text.schemes import CODE_SCHEMES, OPAQUE_NAMES, SCHEMES, Scheme

EXAMPLES = {
    "nntp": "nntp://a.example/b.c/1",
    "mailto": "mailto:jane@a.example",
    "news": "news:comp.lang.c",
    "urn": "urn:isbn:0451450523",
    "doi": "doi:10.1000/182",
    "tel": "tel:+49-30-123456",
    "sip": "sip:jane@a.example",
    "sips": "sips:jane@a.example",
    "mid": "mid:960830.1639@a.example",
    "cid": "cid:960830.1639@a.example",
    "xmpp": "xmpp:jane@a.example",
    "magnet": "magnet:?xt=urn:btih:c12fe1c0",
    "data": "data:text/plain,b",
    "file": "file:/b/c",
    "opaque2": "opaque2:u/jane:a.example",
}
"""A URL of each scheme whose URLs are not a host alone, and of one that is added."""

ADDED = """
    Scheme("gemini2"),
    Scheme("linked2", linked=True),
    Scheme("opaque2", r"[ur]/[^\\s]", linked=True),
"""
"""Rows that somebody adds to the table."""

EVERY_PLACE_KNOWS_WHAT_WAS_ADDED = """
from test_schemes import SCHEMES, test_every_place_knows_every_scheme as check
names = [scheme.name for scheme in SCHEMES if scheme.name.endswith("2") and not check(scheme)]
print(*names)
"""

LINES = ("http://a.example/b", "http://a.example/a/path/that/is/long/and/fills/the/line/of/the/text/as/it/seems/to")


def example(scheme: Scheme) -> str:
    return EXAMPLES[scheme.name] if scheme.shape else EXAMPLES.get(scheme.name, f"{scheme.name}://a.example/")


def found(text: str) -> list[str]:
    return [match.url for match in find_urls(text)]


def read(text: str, source: str) -> list[str]:
    return [match.url for match in iter_urls(io.BytesIO(text.encode()), source=source)]


@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if not scheme.stands_for], ids=lambda one: one.name)
def test_every_place_knows_every_scheme(scheme: Scheme) -> None:
    url = example(scheme)
    for text in ("see {} for", "see <{}> for", "see <URL:{}> for", "({}), and", "see URL:{}\nfor", "{}"):
        assert found(text.format(url)) == [url]
    for first in LINES:
        assert found(f"{first}\n{url}\n") == [first, url]
        assert [match.readings for match in find_urls(f"{first}\n{url}\n")] == [(first,), (url,)]
    assert found(f"http://a.example/b,{url}") == ["http://a.example/b", url] or not (scheme.listed or not scheme.shape)
    for name in ("Subject", "X-Home"):
        assert read(f"From: a@a.example\n{name}: see {url} for\n\nhello\n", "mbox") == [url]
    assert read(f'<p><a href="{escape(url)}">here</a>', "html") == [url] * (scheme.name not in CODE_SCHEMES)
    assert read(f"<p>see &lt;{escape(url)}> for", "html") == [url]
    item = f"<item><description>see &lt;{escape(url)}&gt; for</description></item>"
    assert read(f'<?xml version="1.0"?><rss><channel>{item}</channel></rss>', "feed") == [url]
    assert linkify(f"see {url} for").count("<a ") == scheme.linked


@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if scheme.stands_for], ids=lambda one: one.name)
def test_a_defanged_scheme_means_another(scheme: Scheme) -> None:
    (match,) = find_urls(f"see {scheme.name}://a.example/b for", refang=True)
    assert match.url == f"{scheme.stands_for}://a.example/b"


def test_opaque_schemes_need_their_shape() -> None:
    assert found(" ".join(f"{name}: {name}:: {name}:)" for name in OPAQUE_NAMES)) == []


def test_a_row_is_all_that_a_scheme_needs(tmp_path: Path) -> None:
    package = Path(urlmend.__path__[0])
    shutil.copytree(package, tmp_path / "urlmend", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    table = tmp_path / "urlmend" / "text" / "schemes.py"
    rows = table.read_text("utf-8")
    end = ')\n"""All known schemes."""'
    assert end in rows
    table.write_text(rows.replace(end, ADDED + end), "utf-8")
    command = [sys.executable, "-c", EVERY_PLACE_KNOWS_WHAT_WAS_ADDED]
    env = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parent}"}
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603 -- this very file
    assert (run.stdout, run.stderr) == ("gemini2 linked2 opaque2\n", "")
