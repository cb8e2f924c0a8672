"""A report of a large harvest is one file of moderate size."""

from pathlib import Path

import pytest

from commands import run

MAIL = """\
From a@a.example Mon Jul  7 10:06:12 2003
Date: Mon, 07 Jul {year} 10:06:12 +0000
Subject: What the list thinks of tools that find links in old mail, and of the links {number}

see {urls}
"""
PAGE = "http://www.host{}.example/a/path/that/is/longer/than/most/and/leads/through/several/folders/to/page{}.html"


@pytest.mark.slow
def test_two_thousand_hosts_and_many_occurrences(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    pytest.importorskip("jinja2")
    pages = [PAGE.format(number % 2_000, number) for number in range(10_001)]
    letters = [
        MAIL.format(year=1994 + number % 30, number=number, urls="\n".join(pages[number * 5 :][:6]))
        for number in range(2_000)
    ]
    (tmp_path / "list.mbox").write_text("\n".join(letters))
    assert run("harvest", "-q", tmp_path / "list.mbox", "-o", tmp_path / "links.db").exit_code == 0
    result = run("report", tmp_path / "links.db", "-o", tmp_path / "report.html")
    assert (result.exit_code, result.output) == (0, "")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "12,000 links" in text
    assert "of 2,000 hosts" in text
    assert 2_000_000 < len(text.encode()) < 3_000_000
