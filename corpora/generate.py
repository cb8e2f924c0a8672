"""Writes mail, news and documents of any size in which every URL is known.

    python corpora/generate.py mail --size 1MB --seed 7 -o out.mbox --truth out.jsonl

The same kind, seed and options give the same bytes, and a longer run begins with the shorter one.
Memory does not grow with the size.  All is ASCII, so that bytes and characters count alike.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

SINCE = datetime(1995, 1, 1, tzinfo=UTC)  # the date of messages: of the first, and the minutes between two
EVERY = 97
WIDTH = 72  # columns of prose
PAGE = 52  # lines of a document's page before its footer
TORN_PAGE = 40  # in the middle of a URL a page may end this early: such pages are wanted, and rare
TORN_ROOM = 24  # columns that must be free for the beginning of a URL that is going to be torn

MARKS = ("", "", "", "> ", "> ", ">> ", "> > ", ">>>> ", "| ", "JD> ")  # leaders in mail and news
COMMENTS = ("# ", ";; ", "// ", " * ", "> ", "| ", "      ", "number")  # leaders in documents
BULLETS = ("- ", "* ", "o  ", "{}. ", "[{}] ")
FORMS = ("wrapper",) * 7 + ("angle",) * 4 + ("prefix",) * 2 + ("bare",) * 7
BRACKETS = {"wrapper": ("<URL:", ">"), "angle": ("<", ">"), "prefix": ("URL:", ""), "bare": ("", "")}
FOLLOWERS = ("",) * 8 + ("\n",) * 6 + (".",) * 5 + (",",) * 4 + (")", ")", ").", "),", "'s")
DECOYS = ("12:30", "std::map", "Note: the", "Subject:x", "3:1", "<URL:>", "<ana@example.org>")
NAMES = ("Ana Brook", "Joris Maas", "Nils Ahlgren", "Mira Solberg", "Lea Winter", "Jonas Dahl")
HEADER = "Memo 12               Keeping Links Whole on Paper              March 1996"
FOOTER = "Solberg & Maas          Informational                         [Page {}]"
WORDS: list[str] = re.findall(
    r"\w+",
    """
    after again all almost and another answer archive are before begin between book box came can careful catalogue
    copy could day desk early every few first for good group hall has have house index is know last later letter
    library line list little long look machine many meeting member more most never new next not note number of old
    on once only open order other our page paper part people place plain press printed proof question quiet reader
    reel room same second see server shelf should small some still story table tape text that the their then there
    these they thing this three time to two under until very was week well when where which will winter
    """,
)

# The URLs, as a grammar.  They follow the BNF of RFC 1738, but for `#fragment`, `~` and the schemes that it does
# not name.  Every hyphen stands between letters and digits, so that each may be dropped.
RULES: dict[str, tuple[str, ...]] = {
    "http": (
        *("//{host}", "//{host}/", "//{host}:8000/", "//{host}/~ana/{path}", "//{host}/{leaf}#{name}"),
        *("//{host}/{path}?q={name}&n={number}", "//{host}/{path}", "//{host}/{path}", "//{host}/{path}"),
    ),
    "ftp": ("//{host}/{leaf}", "//{host}/{leaf};type=i", "//ana:secret@{host}/{leaf}", "//ftp@{host}/{leaf};type=a"),
    "gopher": ("//{host}", "//{host}/1/{path}", "//{host}:70/0/{path}", "//{host}/7/{path}%09{name}"),
    "mailto": ("{name}@{host}", "{name}.{name}@{host}"),
    "news": ("{group}", "{number}.{name}@{host}"),
    "nntp": ("//{host}/{group}/{number}", "//{host}:119/{group}/{number}"),
    "telnet": ("//{host}", "//{host}/", "//guest@{host}:2323/"),
    "wais": ("//{host}/{name}", "//{host}:210/{name}?{name}", "//{host}/{name}/TEXT/{name}"),
    "file": ("///{path}", "//localhost/{path}", "//{host}/{path}"),
    "prospero": ("//{host}//{leaf}", "//{host}:1525//{leaf};kind=text"),
    "urn": ("ietf:rfc:{number}", "example:{name}:{name}", "isbn:0-395-36341-1"),
    "svn+ssh": ("//{host}/{path}", "//anon@{host}/{path}"),
    "host": (
        "{name}.example",
        "www.{name}.example",
        "{name}.example.com",
        "ftp.{name}.example.org",
        "{name}.example.net",
    ),
    "group": ("alt.example.{name}",),
    "path": ("{leaf}", "{leaf}", "{leaf}/"),
    "leaf": (
        *("{name}", "{name}.html", "{name}.tar.gz", "{name}%20{word}", "{name}_({name})"),
        *("{name}/{leaf}", "{name}/{leaf}", "{name}/{leaf}", "{word}/{leaf}", "{number}/{leaf}"),
    ),
    "name": ("{word}", "{word}", "{word}-{word}", "{word}-{word}-{word}", "{word}-{number}"),
}
RULES["https"] = RULES["http"]
SCHEMES: tuple[str, ...] = ("http",) * 5 + ("https",) * 5 + ("ftp",) * 2
SCHEMES += ("gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero", "urn", "svn+ssh")


@dataclass(frozen=True, slots=True)
class Truth:
    """One URL of the text, and where it stands.

    `raw` is the URL as written, with its breaks and leaders, from byte `start` to before `end`.
    `readings` are the ways to join it that are valid: of a line that ends in a hyphen the one that
    keeps it comes first, and of a bare URL the unjoined first line comes last.  `url` is the one
    among them that was meant.
    """

    url: str
    form: str  # "wrapper", "angle", "prefix" or "bare"
    start: int
    end: int
    raw: str
    readings: tuple[str, ...]
    broken: bool
    hyphen: str  # at a break: "none", "kept" (the URL's own) or "inserted" (by a typesetter)
    leader: str  # what the line starts with that the URL starts in
    scheme: str


@dataclass(frozen=True, slots=True)
class Link:
    """A URL that is still to be laid out, and what touches it on either side."""

    url: str
    form: str
    before: str = ""
    after: str = ""  # a line feed: the line ends here
    torn: bool = False


Word = str | Link


class Talk:
    """Makes sentences, and the URLs in them."""

    def __init__(
        self, rng: random.Random, density: float, bare_breaks: bool, since: datetime = SINCE, every: int = EVERY
    ) -> None:
        self.rng, self.density, self.bare_breaks = rng, density, bare_breaks
        self.since, self.every = since, every

    def expand(self, symbol: str) -> str:
        """Writes out one of the symbol's rules."""
        if symbol == "word":
            return self.rng.choice(WORDS)
        if symbol == "number":
            return str(self.rng.randrange(1, 99999))
        return re.sub(r"\{([^}]+)\}", lambda match: self.expand(match[1]), self.rng.choice(RULES[symbol]))

    def link(self, form: str = "", follower: str | None = None) -> Link:
        """A link of any scheme, in any form unless one is asked for."""
        form = form or self.rng.choice(FORMS)
        scheme = self.rng.choice(SCHEMES)
        after = self.rng.choice(FOLLOWERS) if follower is None else follower
        torn = form in ("wrapper", "angle") and self.rng.random() < 0.55
        if form == "bare" and self.bare_breaks and scheme not in ("nntp", "wais"):  # half of these is no URL
            torn = self.rng.random() < 0.5
        url = f"{scheme}:{self.expand(scheme)}"
        # A possessive glued to a path would be part of the URL; glued to a host it is none.
        if after == "'s" and form not in ("wrapper", "angle") and re.search("://[^/?#]*[/?#]|^file:", url):
            after = ""
        return Link(url, form, "(" if after.startswith(")") else "", after, torn)

    def sentence(self) -> list[Word]:
        """A sentence; a URL in it is never followed by a decoy, which would be a riddle."""
        words: list[Word] = [self.rng.choice(WORDS) for _ in range(self.rng.randrange(5, 15))]
        words[0] = str(words[0]).capitalize()
        words[-1] = f"{words[-1]}."
        middle = self.rng.randrange(2, len(words))
        if self.rng.random() < 0.06:
            words[middle - 1] = self.rng.choice(DECOYS)
        if self.rng.random() < self.density:
            link = self.link()
            words.insert(middle, link)
            if link.after.endswith("."):
                del words[middle + 1 :]
        return words

    def prose(self) -> list[Word]:
        return [word for _ in range(self.rng.randrange(1, 6)) for word in self.sentence()]

    def title(self) -> str:
        return " ".join(self.rng.choice(WORDS) for _ in range(4)).capitalize()


class Sheet:
    """Lays words out on lines and pages, and notes where each URL came to stand."""

    def __init__(self, rng: random.Random, paged: bool) -> None:
        self.rng, self.paged = rng, paged
        self.at = self.column = self.row = self.number = 0
        self.page = 1
        self.leader = self.indent = ""
        self.parts: list[str] = []
        self.truths: list[Truth] = []

    def take(self) -> tuple[bytes, list[Truth]]:
        """Hands over what was written since the last time."""
        block = "".join(self.parts).encode("ascii"), self.truths
        self.parts, self.truths = [], []
        return block

    def put(self, text: str) -> None:
        self.parts.append(text)
        self.at += len(text)
        self.column += len(text)

    def mark(self) -> str:
        return f"{self.number:5d}.  " if self.leader == "number" else self.leader

    def end_line(self, torn: bool = False) -> None:
        self.put("\n")
        self.row += 1
        if self.paged and not self.leader.strip() and self.row >= (TORN_PAGE if torn else PAGE):
            self.put(f"\n\n\n{FOOTER.format(self.page)}\n\f\n{HEADER}\n\n\n")
            self.page, self.row = self.page + 1, 0
        self.column = 0

    def turn(self, torn: bool = False) -> None:
        """Goes on in the next line."""
        self.end_line(torn)
        self.number += 1
        self.put(self.mark() + self.indent)

    def lines(self, *lines: str) -> None:
        for line in lines:
            self.put(line)
            self.end_line()

    def paragraph(self, words: Sequence[Word], leader: str = "", bullet: str = "") -> None:
        """Fills lines that all start with `leader`; the bullet's width indents all but the first."""
        self.leader, self.indent = leader, " " * len(bullet)
        self.number = self.rng.randrange(1, 2000)
        self.put(self.mark() + bullet)
        fresh, full = True, False
        for word in words:
            if isinstance(word, str):
                size = len(word)
            else:
                size = TORN_ROOM if word.torn else len(word.before + word.url + word.after) + 6
            if full or (not fresh and self.column + 1 + size > WIDTH):
                self.turn()
            elif not fresh:
                self.put(" ")
            if isinstance(word, str):
                self.put(word)
            else:
                self.link(word)
            fresh, full = False, isinstance(word, Link) and word.after == "\n"
        self.end_line()
        self.leader = self.indent = ""

    def cuts(self, link: Link) -> tuple[list[int], int]:
        """Where to break a URL, and the one break, or 0, that gets a hyphen which is not the URL's."""
        rng, url, room = self.rng, link.url, WIDTH - self.column
        if not link.torn or (link.form == "bare" and len(url) <= room):
            return [], 0
        if link.form == "bare":  # in the path, after what invites a break, before what is no prose
            spots = [m.end() for m in re.finditer(r"[/-](?=\w*[/.\d])", url) if url.count("/", 0, m.end()) > 2]
            return [spot for spot in spots if spot <= room][-1:] or spots[:1], 0
        colon = url.index(":") + 1
        least = 1 if link.form == "wrapper" else colon  # an angle is known by its scheme
        spots = [rng.randrange(least, len(url)) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        if least <= room < len(url) and rng.random() < 0.6:
            spots[0] = room
        style = rng.random()
        if style < 0.12:  # not near a parameter, nor in a number: there a hyphen is never valid
            letters = re.finditer(r"(?<=[a-z])(?=[a-z])", url.partition(";")[0])
            inserted = rng.choice([m.start() for m in letters if m.start() > colon])
            return sorted({inserted, *(s for s in spots if url[s - 1] != "-")}), inserted
        hyphens = [m.end() for m in re.finditer("-", url) if m.end() >= least]
        if style < 0.4 and hyphens:
            spots.insert(0, rng.choice(hyphens))
        kept = [spot for spot in spots if url[spot - 1] == "-"][:1]  # two readings will do
        return sorted({s for s in spots if url[s - 1] != "-" or s in kept}), 0

    def link(self, link: Link) -> None:
        """Writes a link and notes the truth about it."""
        rng, url = self.rng, link.url
        opener, closer = BRACKETS[link.form]
        self.put(link.before + opener)
        if link.form == "wrapper":
            closer = rng.choice((">",) * 19 + (" >",))
            if rng.random() < 0.1:
                self.turn(torn=True)
            else:
                self.put(rng.choice(("",) * 19 + (" ",)))
        spots, inserted = self.cuts(link)
        leader, start, written = self.mark(), self.at, len(self.parts)
        hyphen, readings = "inserted" if inserted else "none", [url]
        for low, high in zip([0, *spots], [*spots, len(url)], strict=True):
            self.put(url[low:high])
            if high == inserted:
                self.put("-")
                readings.insert(0, f"{url[:high]}-{url[high:]}")
            elif high in spots and url[high - 1] == "-":
                hyphen = "kept"
                readings.append(url[: high - 1] + url[high:])
            if high in spots:
                self.put(rng.choice(("",) * 19 + (" ",)) if closer else "")
                self.turn(torn=True)
        if link.form == "bare" and spots:
            readings.append(url[: spots[0]])
        raw, scheme = "".join(self.parts[written:]), url.partition(":")[0]
        where = (start, self.at, raw)
        truth = Truth(url, link.form, *where, tuple(readings), bool(spots), hyphen, leader, scheme)
        self.truths.append(truth)
        self.put(closer + link.after.strip("\n"))


def write_list(sheet: Sheet, talk: Talk, leader: str) -> None:
    """A list whose items end in a URL or are one."""
    bullet = talk.rng.choice(BULLETS)
    for number in range(1, talk.rng.randrange(3, 7)):
        words: list[Word] = [*talk.title().split()[: talk.rng.randrange(5)]]
        sheet.paragraph([*words, talk.link(follower="")], leader, bullet.format(number))


def write_message(sheet: Sheet, talk: Talk, number: int, *, news: bool = False) -> None:
    """One message of an mbox; an article is one too, with the headers of news."""
    rng, name = talk.rng, talk.rng.choice(NAMES)
    sender = f"{name.split()[0].lower()}@{name.split()[1].lower()}.example"
    when = talk.since + timedelta(minutes=talk.every * number % 15_000_000)
    sheet.lines(f"From {sender} {when.ctime()}", f"From: {name} <{sender}>")
    sheet.lines(f"Date: {format_datetime(when)}", f"Message-ID: <{number}.{sender}>")
    sheet.lines(f"Subject: {rng.choice(('', 'Re: '))}{talk.title()}")
    if news:
        sheet.lines(f"Newsgroups: {talk.expand('group')}", "Path: news.example.net!not-for-mail")
        sheet.lines(f"Xref: news.example.net alt.example.tapes:{number}")
    else:
        sheet.lines("To: oldlinks@lists.example.org")
        sheet.paragraph([talk.link("angle", "")], bullet="List-Archive: ")
    sheet.lines("")
    for _ in range(rng.randrange(2, 8)):
        leader = rng.choice(MARKS)
        if leader and rng.random() < 0.3:
            sheet.lines(f"{rng.choice(NAMES)} wrote:")
        if rng.random() < 0.2:
            write_list(sheet, talk, leader)
        else:
            sheet.paragraph(talk.prose(), leader)
        sheet.lines("")
    if rng.random() < 0.7:
        sheet.lines("-- ", name)
        sheet.paragraph([talk.link("bare", "")])
        sheet.lines(*[f"{talk.title()}."][: rng.randrange(2)], "")


def write_article(sheet: Sheet, talk: Talk, number: int) -> None:
    write_message(sheet, talk, number, news=True)


def write_section(sheet: Sheet, talk: Talk, number: int) -> None:
    """One section of a document whose pages go on from section to section."""
    sheet.lines(f"{number}.  {talk.title()}", "")
    for _ in range(talk.rng.randrange(2, 8)):
        style = talk.rng.random()
        if style < 0.2:
            write_list(sheet, talk, "   ")
        else:
            sheet.paragraph(talk.prose(), "   " if style < 0.7 else talk.rng.choice(COMMENTS))
        sheet.lines("")


WRITERS = {"mail": write_message, "news": write_article, "docs": write_section}


def generate(  # noqa: PLR0913 -- one argument an option
    kind: str,
    size: int,
    seed: int = 0,
    *,
    density: float = 0.3,
    bare_breaks: bool = False,
    since: datetime = SINCE,
    every: int = EVERY,
) -> Iterator[tuple[bytes, list[Truth]]]:
    """Yields blocks until there are `size` bytes: messages, articles or sections of a document.

    The offsets of the truths count from the first byte of the first block.  `density` is the share
    of sentences that carry a URL, and `bare_breaks` lets bare URLs go on in the next line.  A
    message is written `every` so many minutes, from `since` on.
    """
    if kind not in WRITERS:
        message = f"kind must be one of {', '.join(WRITERS)}, not {kind!r}"
        raise ValueError(message)
    rng = random.Random(f"{kind} {seed}")
    sheet, talk = Sheet(rng, kind == "docs"), Talk(rng, density, bare_breaks, since, every)
    number = 0
    while sheet.at < size:
        number += 1
        WRITERS[kind](sheet, talk, number)
        yield sheet.take()


def parse_size(text: str) -> int:
    """Reads `1MB`, `200kB`, `1.5G` or a plain number of bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)b?\s*", text, re.IGNORECASE)
    if not match:
        message = f"not a size: {text!r}"
        raise argparse.ArgumentTypeError(message)
    return int(float(match[1]) * 1000 ** " kmgt".index(match[2].lower() or " "))


def parse_date(text: str) -> datetime:
    """Reads `2003-07-01`, in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write text in which every URL is known.")
    parser.add_argument("kind", choices=WRITERS)
    parser.add_argument("--size", type=parse_size, default=1_000_000, help="such as 1MB (default)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--density", type=float, default=0.3, help="share of sentences with a URL")
    parser.add_argument("--bare-breaks", action="store_true", help="break bare URLs as well")
    parser.add_argument("--since", metavar="DATE", type=parse_date, default=SINCE, help="of the messages' dates")
    parser.add_argument("--every", metavar="MINUTES", type=int, default=EVERY, help="between two messages")
    parser.add_argument("-o", "--output", metavar="FILE", help="the text; default: standard output")
    parser.add_argument("--truth", metavar="FILE", help="the URLs, one JSON object a line")
    args = parser.parse_args()
    with ExitStack() as stack:
        output = stack.enter_context(Path(args.output).open("wb")) if args.output else sys.stdout.buffer
        truth = stack.enter_context(Path(args.truth).open("w", encoding="ascii")) if args.truth else None
        for block, truths in generate(
            args.kind,
            args.size,
            args.seed,
            density=args.density,
            bare_breaks=args.bare_breaks,
            since=args.since,
            every=args.every,
        ):
            output.write(block)
            if truth:
                truth.writelines(json.dumps(asdict(item)) + "\n" for item in truths)


if __name__ == "__main__":
    main()
