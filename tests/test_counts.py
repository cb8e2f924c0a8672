"""Counts of links: the command, the library, the views and the report agree, however an archive is stored and read."""

import io
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from commands import ask, run
from files import added, made
from in_this_process import in_this_process
from urlmend import count, find_urls, iter_urls
from urlmend.output.counts import KEYS, Counting

HTML = (
    "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nhttp://both.example/\n--b\n"
    'Content-Type: text/html\n\n<a href="http://both.example/">http://both.example/</a> <a href="http://html.example/">x</a>\n'
    "--b--"
)
ATTACHED = (
    "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://outer.example/\n--b\n"
    "Content-Type: message/rfc822\n\nFrom: c@c.example\n{}\nhttp://outer.example/ http://inner.example/\n--b--"
)
# sender, Message-ID, month, other fields and body
LETTERS = (
    ("a", "1", "Jan", "\nhttp://a.example/ http://a.example/\n> http://a.example/"),
    ("b", "2", "Feb", f"List-Archive: <http://list.example/>\n{HTML}"),
    ("a", "1", "Jan", "\nhttp://a.example/ and a footer: http://list.example/"),
    ("a via list", "1", "Jan", "Subject: [list] http://subject.example/\n\nhttp://a.example/"),
    ("mallory", "1", "Mar", "\nhttp://a.example/ with another date, http://a.example./"),
    ("c", "3", "Feb", ATTACHED.format("")),
    ("c", "3", "Feb", ATTACHED.format("")),
    ("c", "", "Feb", ATTACHED.format("")),
    ("c", "", "Feb", ATTACHED.format("Message-ID: <1@a.example>\nDate: Wed, 07 Jan 2004 10:06:12 -0300\n")),
    ("d", "", "Dec", "\n<http://torn.exam\nple/>\n-- \nhttp://signature.example/"),
    ("d", "", "Dec", "\n<http://torn.exam\nple/>\n-- \nhttp://signature.example/"),
)
DATE = "Date: Wed, 07 Jan 2004 10:06:12 -0300\n"
# What header fields may have: each message is one of its own, or forges another one.
HOSTILE = (
    f"From: Jane\n\t Doe <j@a.example>\nMessage-ID: <1@a.example>\n{DATE}\nhttp://a.example/",
    f"From: Jane  Doe <j@a.example>\nMessage-ID:\n <2@a.example>\n{DATE}\nhttp://a.example/ http://A.example/b\\c",
    f"From: =?utf-8?q?Jane=09_?= =?utf-8?q?Doe?= <j@a.example>\nMessage-ID: <3@a.example>\n{DATE}\nhttp://a.example/",
    f"From: =?utf-8?q?J=0Aane=00?= =?x?q?y?= <j@a.example>\nMessage-ID: <4@a.example>\n{DATE}\nhttp://a.example/",
    f"From: - \nMessage-ID: <5@a.example>\n{DATE}Newsgroups: a.b , -,,a.b, c\td\n\nhttp://a.example/",
    f"From: one@a.example\nFrom: two@a.example\nMessage-ID: <6@a.example>\nMessage-ID: <5@a.example>\n{DATE}\nftp://b.example/",
    f"From: forged@a.example\nMessage-ID: <5@a.example>\n{DATE}Newsgroups: e.f\n\nhttp://a.example/ http://c.example/",
    "From: forged@a.example\nMessage-ID: <5@a.example>\nDate: Wed, 07 Jan 2004 13:06:12 +0000\n\nhttp://a.example/",
    "From: forged@a.example\nMessage-ID: <5@a.example>\nDate: Thu, 08 Jan 2004\n\nhttp://a.example/",
    "From: none@a.example\nMessage-ID: <7@a.example>\n\nhttp://a.example/",
    "From: none@a.example\nMessage-ID: <7@a.example>\nDate: \n\nhttp://a.example/",
    "From:\nMessage-ID: <>\nDate: Wed, 31 Feb 2004 10:06:12\n\nhttp://a.example/ <http://a.exam\nple/>",
    "Message-ID: no brackets\nDate: Fri, 31 Dec 9999 23:59:59 -2300\n\nhttp://a.example/ gopher://c.example/",
    f"From: {'x' * 3000} <x@a.example>\nMessage-ID: <{'y' * 5000}>\n{DATE}\nhttp://a.example/",
    f"From: {'x' * 3000} <x@a.example>\nMessage-ID: <{'y' * 5000}>\n{DATE}\nhttp://a.example/",
    f"From: g@a.example\nNewsgroups: {','.join(f'a.{number}' for number in range(150))}\n{DATE}\nhttp://a.example/",
    f"From: \u00e9 \u00a0e@a.example\nSubject: =?utf-8?q?http:/?=\n =?utf-8?q?/s.example/?=\n{DATE}\nhttp://a.example/",
)
# key, then how many links have each of its values
EXPECTED: dict[str, dict[str | None, int]] = {
    "host": {
        "a.example": 3, "both.example": 1, "html.example": 1, "inner.example": 3, "list.example": 1,
        "outer.example": 6, "signature.example": 2, "subject.example": 1, "torn.example": 2,
    },
    "month": {"2004-01": 5, "2004-02": 5, "2004-03": 2, "2004-12": 4, None: 4},
}  # fmt: skip


def letters() -> list[bytes]:
    made_of = []
    for number, (sender, identity, month, rest) in enumerate(LETTERS):
        head = f"From: {sender}@a.example\nDate: Wed, 07 {month} 2004 10:06:12 -0300\n"
        named = f"Message-ID: <{identity}@a.example>\n" if identity else f"X-Number: {number}\n"
        made_of.append(f"{head}{named}{rest}\n".encode())
    return made_of


def archive(root: Path, kind: str, letters: list[bytes]) -> Path:
    """Make an archive with the *letters*: an mbox, a Maildir or a public-inbox."""
    path = root / kind
    root.mkdir()
    if kind == "mbox":
        path.write_bytes(b"".join(b"From a@a Wed Jan  7 10:06:12 2004\n%b\n" % one for one in letters))
    elif kind == "Maildir":
        for name in ("cur", "new", "tmp"):
            (path / name).mkdir(parents=True)
        for number, letter in enumerate(letters):
            (path / "cur" / f"{number:02}:2,S").write_bytes(letter)
    else:
        made(path / "0.git", map(added, letters))
    return path


def command(*args: str | Path) -> str:
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def counted(key: str, path: Path, *options: str) -> dict[str | None, int]:
    lines = command("--count-by", key, "--format", "tsv", "-r", *options, path).splitlines()
    assert lines[0] == f"{key}\t{'occurrences' if '--occurrences' in options else 'links'}"
    rows = (line.split("\t") for line in lines[1:])
    return {value or None: int(number) for value, number in rows}


LINKS = "SELECT {}, count(DISTINCT link) FROM counted_occurrence GROUP BY 1"
EACH = "SELECT value, count(DISTINCT link) FROM counted_occurrence LEFT JOIN json_each({}) GROUP BY 1"
SQL = {
    "host": "SELECT host, links FROM by_host",
    "url": "SELECT url, count(DISTINCT link) FROM counted_occurrence GROUP BY key",
    "year": LINKS.format("substr(month, 1, 4)"),
    "departure": EACH.format("departures"),
    "newsgroup": EACH.format("""'["' || replace(newsgroups, ',', '","') || '"]'"""),
    "page": LINKS.format("target_uri"),
    **{key: LINKS.format(key) for key in ("domain", "scheme", "form", "month", "author", "part")},
}


@pytest.mark.parametrize("kind", ["mbox", "Maildir", "public-inbox"])
@pytest.mark.parametrize("expected", [EXPECTED, {}], ids=["copies", "hostile fields"])
def test_the_numbers_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, expected: dict[str, dict[str | None, int]]
) -> None:
    written = letters() if expected else [f"{letter}\n".encode() for letter in HOSTILE]
    path = archive(tmp_path / "archive", kind, written)
    database, in_steps = tmp_path / "links.db", tmp_path / "steps.db"
    command("harvest", "-q", path, "-o", database)
    grown = archive(tmp_path / "grown", kind, written)
    last = {"mbox": grown, "Maildir": grown / "cur/10:2,S"}.get(kind)
    if last is not None:  # in two steps: first without the last message
        whole = last.read_bytes()
        last.write_bytes(whole[: whole.rindex(b"From a@a")] if kind == "mbox" else b"")
        command("harvest", "-q", grown, "-o", in_steps)
        last.write_bytes(whole)
    command("harvest", "-q", grown, "-o", in_steps)
    assert kind == "Maildir" or command("-l", path) == f"{path}\n"
    assert SQL.keys() == KEYS.keys()
    matches = [*iter_urls(path)]
    found = {key: count(matches, key) for key in SQL}
    for key, query in SQL.items():
        assert expected.get(key, found[key]) == found[key], key
        assert dict(ask(database, query)) == dict(ask(in_steps, query)) == found[key], key
    for key in SQL if kind == "mbox" else ("host", "month", "newsgroup", "part"):
        assert counted(key, path) == found[key]
    in_this_process(monkeypatch, 300)
    for key in ("host", "newsgroup"):
        assert counted(key, path, "-j", "2") == found[key]


def test_a_message_without_a_date_has_that_of_its_from_line(tmp_path: Path) -> None:
    path, database = tmp_path / "list.mbox", tmp_path / "links.db"
    letter = "From a@a {} 10:06:12 2004\nMessage-ID: <1@a.example>\n\nhttp://a.example/\n\n"
    # Otherwise a copy would put the message into another month.
    path.write_text("".join(map(letter.format, ("Wed Jan  7", "Sat Feb  7", "Wed Jan  7"))))
    assert counted("month", path) == {"2004-01": 1, "2004-02": 1}
    assert counted("url", path) == {"http://a.example/": 2}
    command("harvest", "-q", path, "-o", database)
    assert dict(ask(database, SQL["month"])) == {"2004-01": 1, "2004-02": 1}
    assert ask(database, "SELECT max(sent) FROM record") == [("2004-02-07T10:06:12Z",)]


def test_the_report_has_the_same_numbers(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    from urlmend.report.facts import gather  # noqa: PLC0415 -- an extra

    path, database = archive(tmp_path / "archive", "mbox", letters()), tmp_path / "links.db"
    command("harvest", "-q", path, "-o", database)
    for counting, options in (
        (Counting(), ()),
        (Counting(occurrences=True), ("--occurrences",)),
        (Counting(header_fields=True, copies=True), ("--header-fields", "--copies")),
        (Counting(header_fields=False), ("--no-header-fields",)),
        (Counting(no_signature=True, no_quoted=True), ("--no-signature", "--no-quoted")),
    ):
        with closing(sqlite3.connect(database)) as db:
            facts = gather(db, date(2020, 1, 1), counting)
        hosts = counted("host", path, *options)
        assert {host["name"]: host["links"] for host in facts.hosts} == hosts
        months = {month["period"]: month["links"] for month in facts.months}
        assert months | {None: facts.totals["undated"]} == counted("month", path, *options)
        assert facts.totals["links"] == sum(hosts.values())


def test_the_library_counts_any_matches() -> None:
    letter = b"Subject: x\n\nhttp://a.example/ http://a.example/ http://A.example\n"
    pages = [b"<!DOCTYPE html><a href='http://a.example/'>http://a.example/</a>"] * 2
    matches = [match for data in (letter, letter, *pages) for match in iter_urls(io.BytesIO(data))]
    # Files without names are different ones.
    assert count(matches) == {"http://a.example/": 4, "http://A.example": 2}
    assert count(matches, normalize=True) == {"http://a.example/": 4}
    assert count(matches, ["scheme", "author"]) == {("http", None): 6}
    assert count(matches, occurrences=True) == {"http://a.example/": 8, "http://A.example": 2}
    assert count(find_urls("http://a.example/ " * 3), "host") == {"a.example": 3}
    with pytest.raises(ValueError, match=r"by must be one of url, host, .*, not 'hots'"):
        count(matches, "hots")


def test_header_fields_are_left_out_of_every_output(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_text("From: a\nSubject: http://subject.example/\nX-URL: http://x.example/\n\nhttp://body.example/\n")
    found = [match.host for match in iter_urls(path, header_fields=False)]
    assert found == ["subject.example", "body.example"]  # what the command prints is in data/transcripts
    command("harvest", "-q", "--no-header-fields", path, "-o", tmp_path / "links.db")
    assert dict(ask(tmp_path / "links.db", "SELECT host, 1 FROM url")).keys() == {*found}


def test_values_may_have_tabs_and_line_ends() -> None:
    matches = iter_urls(io.BytesIO(rb'{"a\tb\n": "http://a.example/"}'))
    assert count(matches, ["part", "host"]) == {("/a\tb\n", "a.example"): 1}
