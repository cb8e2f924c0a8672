"""The report: its counts, compared with a slow twin and known results; and databases that are broken or empty."""

import base64
import hashlib
import json
import os
import re
import sqlite3
import sys
from collections import defaultdict
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from selectolax.lexbor import LexborHTMLParser

from commands import Started, run
from sample import some
from urlmend.text.line_ends import LINE_END

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")

from urlmend.report import charts, facts
from urlmend.report.facts import Facts

ARCHIVE = Path(__file__).parents[1] / "corpora" / "samples" / "archive"
TODAY = date(2020, 5, 17)


def message(when: str, *lines: str, subject: str = "S", head: str = "") -> str:
    stamp = "From a@a.example Mon Jul  7 10:06:12 2003"
    return "\n".join([stamp, f"Date: {when}", "From: A <a@a.example>", f"Subject: {subject}{head}", "", *lines, "", ""])


def mail(month: str, *lines: str, **more: str) -> str:
    return message(f"Mon, 07 {month} 10:06:12 -0300", *lines, **more)


@pytest.fixture
def drawn() -> None:
    """Have the charts drawn, which takes most of the time: only where a test looks at them."""


@pytest.fixture(autouse=True)
def _few_charts_are_drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(charts, "drawn", lambda _: dict.fromkeys(charts.WIDTHS, "<svg></svg>"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "links.db"


def harvested(database: Path, *messages: str, text: str | None = None) -> Path:
    root = database.parent / "archive"
    root.mkdir(exist_ok=True)
    if messages:
        (root / "list.mbox").write_text("".join(messages))
    if text is not None:
        (root / "text").write_text(text)
    assert run("harvest", "-q", root, "-o", database).exit_code == 0
    return database


def facts_of(database: Path, today: date = TODAY) -> Facts:
    with closing(sqlite3.connect(database)) as db:
        return facts.gather(db, today)


# What is counted

JUL = "http://a.example/1"
# the messages, the options, the text of the page
COUNTED: tuple[tuple[list[str], str, Any], ...] = (
    ([mail("Jul 2003", JUL), mail("Sep 2003", JUL, JUL)], "months", [("2003-07", 1, 0), ("2003-09", 1, 0)]),
    ([mail("Jul 2003", JUL), mail("Jul 2004", "<http://a.example/\nb>")], "months", [
        ("2003-07", 1, 0),
        ("2004-07", 1, 1),
    ]),
    ([mail("Jul 1999", JUL), mail("Jul 2004", JUL)], "schemes", [("1999", "http", 1), ("2004", "http", 1)]),
    # In UTC, and by the `From ` line if there is no date.
    ([message("Thu, 31 Jul 2003 23:00:00 -0300", JUL), message("never", JUL)], "months", [
        ("2003-07", 1, 0),
        ("2003-08", 1, 0),
    ]),
    # Before there was a Web, and after today.
    ([mail("Jul 1970", JUL), mail("Jun 2040", JUL), mail("May 2020", JUL)], "months", [("2020-05", 1, 0)]),
    ([mail("Jul 2003", JUL, "news:a.b ftp://a.example/")], "schemes", [
        ("2003-07", "ftp", 1),
        ("2003-07", "http", 1),
        ("2003-07", "news", 1),
    ]),
    ([mail("Jul 2003", *(f"{name}://a.example/" for name in "abcdefg"))], "schemes", [
        *(("2003-07", name, 1) for name in "abcde"),
        ("2003-07", "others", 2),
    ]),
    # A host is counted once for each message and URL.
    ([
        mail("Jul 2003", JUL, JUL, "http://b.example/", head="\nList-Archive: <http://list.example/>"),
        mail("Jul 2003", JUL, "-- ", "http://sig.example/ http://b.example/"),
    ], "hosts", [("a.example", 2, 1), ("b.example", 2, 1), ("sig.example", 1, 1)]),
)  # fmt: skip


@pytest.mark.parametrize(("messages", "asked", "expected"), COUNTED)
def test_counts(database: Path, messages: list[str], asked: str, expected: object) -> None:
    rows = getattr(facts_of(harvested(database, *messages)), asked)
    assert [tuple(value for name, value in row.items() if name != "messages") for row in rows] == expected


def test_totals(database: Path) -> None:
    found = facts_of(
        harvested(
            database,
            mail("Jul 1970", JUL),
            mail("Jul 2003", JUL, "<http://b.example/\nx> <URL:http://b.example/ y> <URL:http://a..exam\nple/>"),
            message("never", JUL),
            text=f"{JUL} news:a.b",
        )
    )
    counts = {"sources": 2, "linked_sources": 2, "unfinished": 0, "messages": 3, "copies": 0, "links": 7, "urls": 4}
    more = {"stored": 1, "occurrences": 7, "hosts": 2, "broken": 1, "undated": 2, "misdated": 1}
    assert found.totals == counts | more | {"first": "2003-07", "last": "2003-07"}


def test_the_most_shared_urls(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(facts.LIMITS, "most_urls", 2)
    found = facts_of(
        harvested(
            database,
            mail("Jul 2003", "http://often.example/ " * 5, subject="later"),
            mail("Jul 2001", JUL, subject="first"),
            mail("Jul 2040", JUL, "http://once.example/", subject="never"),
        )
    )
    assert [tuple(shared.values())[:7] for shared in found.urls] == [
        (JUL, "a.example", 2, 2, 0, "2001-07-07", "2001-07-07"),
        ("http://often.example/", "often.example", 1, 5, 0, "2003-07-07", "2003-07-07"),
    ]
    assert [[message["subject"] for message in shared["messages"]] for shared in found.urls] == [
        ["first", "never"],
        ["later"],
    ]
    assert found.totals["urls"] == 3


@pytest.mark.slow
def test_counts_are_those_of_a_slow_twin(database: Path) -> None:
    assert run("harvest", "-q", ARCHIVE, "-o", database).exit_code == 0
    found = facts_of(database, date(2026, 1, 1))
    with closing(sqlite3.connect(database)) as db:
        db.row_factory = sqlite3.Row
        records = db.execute("SELECT * FROM record").fetchall()
    records = [one for one in records if "header:" not in one["part"] or one["part"].endswith("header:Subject")]
    broken = [any(LINE_END.search(b["removed"]) for b in json.loads(record["breaks"])) for record in records]
    links: dict[tuple[str, Any], set[tuple[Any, ...]]] = defaultdict(set)
    for record, over_lines in zip(records, broken, strict=True):
        link = (record["source"], record["message"], record["message_id"], record["url"])
        links["host", record["host"]].add(link)
        links["month", record["date"][:7]].add(link)
        links["torn", record["date"][:7]] |= {link} if over_lines else set()
    assert len(records) > 50
    assert found.totals["occurrences"] == len(records)
    assert [tuple(row.values()) for row in found.months] == [
        (month, len(found_then), len(links["torn", month]))
        for (kind, month), found_then in sorted(links.items(), key=str)
        if kind == "month"
    ]
    for host in found.hosts:
        assert host["links"] == len(links["host", host["name"]])
    assert {shared["url"] for shared in found.urls} == {record["url"] for record in records}


# The page

RUN = "<script>document.title = 'run'</script>"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "report.html"


def written(database: Path, page: Path, *options: str) -> LexborHTMLParser:
    result = run("report", database, "-o", page, *options)
    assert (result.exit_code, result.output) == (0, "")
    return LexborHTMLParser(page.read_text("utf-8"))


def table(tree: LexborHTMLParser) -> Any:
    return json.loads(tree.css("#rows")[0].text())


@pytest.mark.usefixtures("drawn")
def test_text_of_a_message_is_never_markup(database: Path, page: Path) -> None:
    lines = (
        f"{RUN}<http://www.a-\nb.example/>{RUN}",
        "<URL:javascript:alert(1)> http://a..example/'onclick='",
        "https://a.example/</script>",
    )
    harvested(database, mail("Jul 2003", *lines, subject=f"</script>{RUN}"))
    tree = written(database, page)
    assert tree.css_matches("script")
    kinds = [script.attributes.get("type") for script in tree.css("script")]
    assert kinds == ["application/json", None]
    assert RUN not in page.read_text("utf-8")
    assert [(row[0], row[1], row[8]) for row in table(tree)["rows"]] == [
        ("http://www.a-b.example/", 1, f"</script>{RUN}"),
        ("https://a.example/", 1, f"</script>{RUN}"),
        ("javascript:alert(1)", 0, f"</script>{RUN}"),
    ]
    assert [link.attributes["href"] for link in tree.css("#urls a")] == [
        "http://www.a-b.example/",
        "https://a.example/",
    ]


def test_only_its_own_script_may_run(database: Path, page: Path) -> None:
    tree = written(harvested(database, mail("Jul 2003", JUL)), page)
    (policy,) = tree.css("meta[http-equiv=Content-Security-Policy]")
    said = policy.attributes["content"] or ""
    assert said.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    assert "unsafe-eval" not in said
    (digest,) = re.findall("sha256-([^']+)", said)
    assert digest == base64.b64encode(hashlib.sha256(tree.css("script")[-1].text().encode()).digest()).decode()
    assert not tree.css("link, img, iframe, script[src]")
    assert "@import" not in tree.css("style")[0].text()


# what is in the archive, what the page says
SAID: tuple[tuple[list[str], str], ...] = (
    ([], "There are no URLs in this database."),
    ([mail("Jul 2003", head=f"\nX-URL: {JUL}")], "None of the URLs in this database, of 1 file, counts here."),
    ([mail("Jul 1970", JUL)], "No URL is in a message with a believable date"),
    ([mail("Jul 2003", JUL)], "1 link to 1 URL on 1 host in 1 file, in 2003-07; 1 message has one or more."),
    ([message("never", JUL).replace(" 7 ", " 37 "), mail("Jul 2003", JUL)], "1 link has no date"),
)


@pytest.mark.parametrize(("messages", "says"), some(SAID))
def test_sentences_of_the_page(database: Path, page: Path, messages: list[str], says: str) -> None:
    body = written(harvested(database, *messages), page).body
    assert body is not None
    assert says in re.sub(r"\s+", " ", body.text())


def test_the_options_of_the_harvest_are_shown(database: Path, page: Path) -> None:
    harvested(database, mail("Jul 2003", JUL))
    _sqlite(
        database,
        "INSERT OR REPLACE INTO setting VALUES ('command', 'harvest'), ('profile', '<b>')",
        "UPDATE source SET fault = 'ends early'",
    )
    footer = written(database, page).css("footer")[0].text()
    assert ", with --profile <b>." in footer
    assert "harvest" not in footer
    assert "1 file could not be read to the end" in footer


@pytest.mark.parametrize(
    ("options", "urls", "said"),
    [
        (("--until", "2003"), {"b"}, "urlmend: 2 messages or files left out: no readable date\n"),
        (("--since", "2003-07-08", "--subject", "/^r/"), {"d"}, ""),
    ],
)
def test_a_report_on_selected_messages_equals_one_on_a_harvest_of_them(
    database: Path, page: Path, options: tuple[str, ...], urls: set[str], said: str
) -> None:
    wrapped = "https://www.google.com/url?q=http://d.example/&x=1"
    twice, head = ("http://f.example/", "http://f..example/"), "\nMessage-ID: <f@a.example>"
    old = [mail("Jul 2003", JUL, "http://a..example/"), message("never", "http://b.example/")]
    new = [mail("Jul 2004", "http://c.example/"), mail("Aug 2004", wrapped, "http://b..example/", subject="Reels")]
    old.append(mail("Aug 2003", *twice, head=head))
    new.append(mail("Aug 2004", "Again:", *twice, subject="Reels", head=head))
    harvested(database, *old, *new, message("never", "http://e.example/").replace("Mon Jul  7", "today"), text=JUL)
    other = database.with_name("other.db")
    assert run("harvest", "-q", database.with_name("archive"), "-o", other, *options).exit_code == 0
    whole, part = run("report", database, "-o", page, "--title", "T", "--unwrap", *options), page.read_text("utf-8")
    assert (whole.exit_code, whole.stderr) == (0, said)
    assert set(re.findall(r"([b-e])\.example", part)) == urls
    assert run("report", other, "-o", page, "--title", "T", "--unwrap").exit_code == 0
    assert page.read_text("utf-8") == part


@pytest.mark.usefixtures("drawn")
def test_every_chart_has_its_numbers_as_a_table(database: Path, page: Path) -> None:
    tree = written(harvested(database, mail("Jul 2003", "<http://a.example/\nb>")), page)
    figures = tree.css("figure")
    assert len(figures) == 2
    for figure in figures:
        assert "2003-07" in figure.css("details table tbody")[0].text()
        assert "table below" in (figure.css("[role=img]")[0].attributes["aria-label"] or "")
        assert [len(part.css("svg [aria-label^='2003-07']")) for part in figure.css("[role=img] > div")] == [1, 1, 1]


@pytest.mark.slow
@pytest.mark.usefixtures("drawn")
def test_one_spike_does_not_flatten_the_other_months(database: Path, page: Path) -> None:
    mails = [mail(f"{month} 2003", *[f"{JUL}{n}" for n in range(3)]) for month in "Jan Feb Mar Apr May Jun".split()]
    tree = written(harvested(database, *mails, mail("Jul 2003", *[f"{JUL}{n}" for n in range(100)])), page)
    (caption,) = [caption.text() for caption in tree.css("#months figcaption")]
    assert "Heights are square roots" in caption
    heights = [
        float(re.findall(r"v([0-9.]+)h", bar.attributes["d"] or "")[0])
        for bar in tree.css("#months .wide [aria-label]")
    ]
    assert len(heights) == 7
    assert min(heights) == pytest.approx(max(heights) * (3 / 100) ** 0.5, rel=0.05)


def test_many_sources_are_grouped_by_folder(database: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    letter = mail("Jul 2003", JUL, JUL, head="\nMessage-ID: <1@a.example>")
    (database.parent / "archive").mkdir()
    (database.parent / "archive" / "copy").write_text(letter)
    harvested(database, letter, text=JUL)

    def listed() -> list[list[str]]:
        return [[cell.text() for cell in row.css("th, td")] for row in written(database, page).css(".sources tbody tr")]

    assert listed() == [["copy", "1"], ["list.mbox", "1"], ["text", "1"]]
    lede = written(database, page, "--occurrences").css(".lede")[0].text()
    assert lede.startswith("5 occurrences of 1 URL on 1 host in 3 files")
    assert lede.endswith("1 copy of a message is counted too.")
    assert written(database, page, "--copies").css(".lede")[0].text().startswith("3 links to 1 URL")
    assert str(database.parent) not in page.read_text("utf-8")
    monkeypatch.setitem(facts.LIMITS, "most_sources", 1)
    assert listed() == [["./", "3", "2"]]  # the link in the copy of the message is the same


# the names of two files in the database, and as they are shown
NAMES = (
    (("/home/jane/mail/a/list.mbox", "/home/jane/mail/b/list.mbox"), ["a/list.mbox", "b/list.mbox"]),
    (("/home/jane/mail/a.zip", "/home/jane/mail/a.zip!b/c"), ["a.zip", "a.zip!b/c"]),
    (("/home/jane/mail/list.mbox", "/srv/lists/list.mbox"), ["\u2026/mail/list.mbox", "\u2026/lists/list.mbox"]),
    (("list.mbox", "/srv/lists/list.mbox"), ["list.mbox", "\u2026/lists/list.mbox"]),
)


@pytest.mark.skipif(os.sep != "/", reason="names of POSIX")
@pytest.mark.parametrize(("names", "shown"), NAMES)
def test_names_of_files_do_not_show_where_they_are_on_the_machine(
    database: Path, names: tuple[str, str], shown: list[str]
) -> None:
    harvested(database, mail("Jul 2003", JUL, f"{JUL}0"), text=JUL)
    with closing(sqlite3.connect(database)) as db:
        for number, name in enumerate(names, 1):
            db.execute("UPDATE source SET name = ? WHERE id = ?", (name, number))
        db.commit()
    assert [row["source"] for row in facts_of(database).sources] == shown


def test_the_page_has_contents_and_a_title(database: Path, page: Path) -> None:
    doubtful = "see http://a.example/some/path\nword on <http://www.a-\nb.example/> http://www.{a,b}"
    tree = written(harvested(database, mail("Jul 2003", doubtful)), page, "--title", "Lists & <b>")
    linked = [link.attributes["href"] for link in tree.css("nav a")]
    assert linked == [f"#{section.attributes['id']}" for section in tree.css("section")]
    assert len(linked) == 5
    assert (tree.css("title")[0].text(), tree.css("h1")[0].text()) == ("Lists & <b>", "Lists & <b>")


def test_links_are_nofollow_and_can_be_left_out(database: Path, page: Path) -> None:
    harvested(database, mail("Jul 2003", JUL))
    links = written(database, page).css("#urls a")
    assert [link.attributes["rel"] for link in links] == ["nofollow ugc noopener noreferrer"]
    tree = written(database, page, "--no-links")
    assert tree.css("#urls a") == []
    assert [(row[0], row[1]) for row in table(tree)["rows"]] == [(JUL, 0)]


ARCHIVE_URL = "https://archive.example/{message_id}?{message_id_hash}"
# the field of the message, the path of its link, what else the page shows of it; the hash is an example of Mailman's
LINKS = (
    (
        "Message-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>",
        "87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp?JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP",
        "",
    ),
    ("Message-ID: <a/b?c=d&e#%41@b.example>", "a%2Fb%3Fc%3Dd%26e%23%2541@b.example", ""),
    ("Message-ID: <\"'onclick='&\u202e@b.example>", "%22%27onclick%3D%27%26%E2%80%AE@b.example", ""),
    ("Message-ID: <..>", None, ""),
    ("X: ", None, ""),
    (f"Message-ID: <{'i' * 10_000}@b.example>", None, ""),
    (f"Message-ID: <i@b.example>\nSubject: {RUN}\u202e\x1b[2J", "i@b.example", f"{RUN}\\u202e\u241b[2J"),
    (f"Message-ID: <i@b.example>\nFrom: {RUN}", "i@b.example", RUN),
    (f"Message-ID: <i@b.example>\nSubject: {'long ' * 2_000_000}", "i@b.example", "long long"),
)


@pytest.mark.parametrize(("head", "link", "shown"), some(LINKS))
def test_urls_and_hosts_lead_to_their_messages(
    database: Path, page: Path, head: str, link: str | None, shown: str
) -> None:
    text = f"{head}\n\n\u00fc see {JUL}, or \u00fc {RUN}\n> <http://a.exam\n> ple/2>.\n"
    harvested(database, f"From a@a.example Mon Jul  7 10:06:12 2003\n{text}")
    tree = written(database, page, "--message-url", ARCHIVE_URL)
    url = tree.css("#urls .messages a")[0].attributes["href"] if link else None
    assert (url or "https://archive.example/None").startswith(f"https://archive.example/{link}")
    assert RUN not in page.read_text("utf-8")
    assert page.stat().st_size < 100_000
    told = {row[0]: row[9] for row in table(tree)["rows"]}
    assert [[*one[3:7], one[7]] for one in told[JUL]] == [
        ["\u00fc see ", JUL, f", or \u00fc {RUN}", f"list.mbox, line {head.count(chr(10)) + 4}", url]
    ]
    for where in ("#hosts", "#urls"):
        listed = tree.css(f"{where} .messages li")
        assert f"\u00fc see {JUL}, or" in "".join(one.css("pre")[0].text() for one in listed)
        assert all(shown in one.text() for one in listed)
        assert {one.attributes["href"] for one in tree.css(f"{where} .messages a")} == ({url} if link else set())
    assert "> <http://a.exam\n> ple/2>." in tree.css("#urls")[0].text()


NO_TEMPLATES = (
    *("", "{message_id}", "javascript:{message_id}", "data:text/html,{message_id}", "ftp://a.example/{message_id}"),
    *("https://{message_id}", "https://a.{message_id}/", "https://a.example", "https://a.example/{message_id"),
    *("https://a b/{message_id}", "https://a.example/{{message_id}}", "https://a.example/\n{message_id}"),
)


@pytest.mark.parametrize(
    "template", [*NO_TEMPLATES, "https://a.example/{message}", "https://a.example/{message_id}{0}"]
)
def test_templates_that_lead_nowhere(database: Path, page: Path, template: str) -> None:
    result = run("report", harvested(database, mail("Jul 2003", JUL)), "-o", page, "--message-url", template)
    says = "an http or https URL with a field after its host" if template in NO_TEMPLATES else "choose from message_id"
    assert (result.exit_code, result.output.count("\n"), page.exists()) == (2, 1, False)
    assert says in result.output


def test_messages_leave_the_page_small(database: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.report.page.MESSAGES_SIZE", 2450)
    harvested(database, *(mail("Jul 2003", f"{JUL} {JUL}{n}", "-- ", "http://b.example/") for n in range(7)))
    tree = written(database, page)
    # Of the host first; those that have it in their signature come last, and none twice.
    assert [len(row[9]) for row in table(tree)["rows"]] == [5, 1, 1, 1, 1, 0, 0, 0, 0]
    assert len(tree.css("#hosts .messages li")) == 10
    assert "those of 4 hosts and URLs are left out" in tree.css("#all")[0].text()


def test_long_urls_leave_the_page_small(database: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlmend.report.page.ROWS_SIZE", 5000)
    tree = written(harvested(database, mail("Jul 2003", *(f"{JUL}{n}{'/&' * 300}." for n in range(9)))), page)
    # An & is six bytes in the page.
    assert len(table(tree)["rows"]) == 2
    assert "The 2 of 9 that are shared most" in tree.css("#all")[0].text()


# What cannot be read or written


def _sqlite(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return path


@pytest.mark.parametrize(("octets", "says"), [(None, "No such file or directory"), (b"", "is empty")])
def test_no_database(database: Path, page: Path, octets: bytes | None, says: str) -> None:
    """Others are in test_database.py: a harvest says the same of them."""
    if octets is not None:
        database.write_bytes(octets)
    result = run("report", database, "-o", page)
    assert (result.exit_code, result.output) == (2, f"urlmend: {database}: {says}\n")
    assert not page.exists()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE message SET author = 5, subject = x'00ff', message_id = x'ff'",
        "UPDATE occurrence SET readings = '[1,2,null]'",
        "UPDATE occurrence SET readings = 'not json'",
    ],
)
def test_values_of_a_wrong_type_do_not_count(database: Path, page: Path, change: str) -> None:
    harvested(database, mail("Jul 2003", "<URL:http://a.example/b-\nc> http://a.example/x-\ny z"))
    assert "2 links" in written(_sqlite(database, change), page).css(".lede")[0].text()


def test_the_page_cannot_be_written(database: Path, tmp_path: Path) -> None:
    harvested(database, text="no URL")
    for output, says in (
        (tmp_path, "Is a directory"),
        (tmp_path / "none" / "report.html", "No such file or directory"),
        (database, "is an SQLite database, which only harvest writes to"),
    ):
        result = run("report", database, "-o", output)
        assert (result.exit_code, result.output) == (2, f"urlmend: {output}: {says}\n")
    with Started("report", database, "-o", "-") as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait(60)) == (b"", 141)
    assert facts_of(database).totals["sources"] == 1


def test_without_the_extra(database: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith("urlmend.report")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    result = run("report", database, "-o", page)
    assert result.exit_code == 2
    assert "report needs vl_convert: pip install 'urlmend[report]'." in result.output


def test_a_directory_that_is_read_only(database: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harvested(database, mail("Jul 2003", JUL))
    page = page.parent / "pages" / page.name
    page.parent.mkdir()
    folder = sorted(database.parent.iterdir())
    monkeypatch.setattr("os.access", lambda path, *_: str(path) == str(page.parent))
    opened = Mock(wraps=sqlite3.connect)
    monkeypatch.setattr(sqlite3, "connect", opened)
    assert "1 link" in written(database, page).css(".lede")[0].text()
    assert [call.args for call in opened.call_args_list] == [(f"file:{database}?immutable=1",)]
    page.unlink()
    assert sorted(database.parent.iterdir()) == folder


def test_it_is_read_while_it_is_written_and_left_as_it_is(database: Path, page: Path) -> None:
    harvested(database, mail("Jul 2003", JUL))
    before = (database.read_bytes(), sorted(database.parent.iterdir()))
    written(database, page)
    page.unlink()
    assert (database.read_bytes(), sorted(database.parent.iterdir())) == before
    with closing(sqlite3.connect(database)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM occurrence")
        assert "1 link" in written(database, page).css(".lede")[0].text()
        other.rollback()
