"""Line ends for which we know whether the URL before them goes on: from the shared seams and the corpora."""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from urlmend import iter_texts
from urlmend.mend import clues, readings
from urlmend.mend.joining import evident
from urlmend.mend.line_break import LineBreak, Surroundings, without_closers
from urlmend.mend.words import CLOSERS, look
from urlmend.text import leaders

_OVER_CAP = 0.33
_MADE = 0.5
_LINE_END = re.compile(r"[ \t]*(?:\r\n|\r|\n)")
_MOST_LINES = 40
_CONTEXT = 4096

# One archive goes by several names.
_SAME = {
    "tw-": "twisted",
    "twisted": "twisted",
    "cypherpunks": "cypherpunks",
    "amiga-docs": "amiga-docs",
    "amigapl": "amiga-docs",
    "amiga-mags": "amiga-mags",
    "linux-man": "linux-man",
    "linux-api": "linux-api",
    "cobol": "cobol",
    "usrp": "usrp",
    "imagej": "imagej",
    "rlists": "r-lists",
    "r-lists": "r-lists",
    "pycommit": "python-committers",
    "commits": "commits",
    "linux-alpha": "alpha",
    "curl-source": "commits",
    "docs-deb": "deb",
    "docs-emacs": "emacs",
    "texlive": "texlive",
    "gnus": "gnus",
}


class Known(NamedTuple):
    """A line end, whether its URL goes on, its archive and its document.

    `weight` is its weight in training. `natural` is the number of line ends in its archive that it represents, 0 if it
    was not drawn at random. `drawn` is `made` for a text made from others, `hard` for a line end picked because it is
    hard to judge, otherwise empty. `how` says how the truth is known.
    """

    at: LineBreak
    goes_on: bool
    archive: str
    document: str
    weight: float = 1.0
    natural: float = 0.0
    drawn: str = ""
    how: str = ""

    @property
    def read(self) -> bool:
        """Whether the truth was read by eye, the least certain of all."""
        return self.how == "read"


def all_known(shared: Path) -> Iterator[Known]:
    """Yield all line ends of known truth: those of the seams, of the wild cases and of the corpora.

    Labels that are wrong are corrected by the list of CORRECTED. Line ends of no URL are left out, and those that are
    evident and never weighed.
    """
    rows = map(json.loads, CORRECTED.read_text("utf-8").splitlines())
    corrected = {(row["document"], row["url"], row["next_word"]): row["goes_on"] for row in rows}
    for one in chain(from_seams(shared), from_wild(shared), from_corpora(shared)):
        around = one.at.around
        if ":" not in one.at.url or evident(around):
            continue
        goes_on = corrected.get((one.document, one.at.url[-_TAIL:], one.at.token), one.goes_on)
        if goes_on is not None:
            yield one._replace(goes_on=goes_on)


def archive_of(name: str) -> str:
    """Return the one name of the archive that is called *name* somewhere."""
    return next((same for part, same in _SAME.items() if part in name), name)


def _rows(shared: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the rows of `gold/seams` and `gold/seams/wide`, each with its file."""
    folder = shared / "gold/seams"
    for path in sorted([*folder.glob("*.jsonl"), *folder.glob("wide/*.jsonl")]):
        with path.open(encoding="utf8") as lines:
            for row in map(json.loads, lines):
                if not row.get("partial"):
                    yield path, row


def _is_made(path: Path, row: dict[str, Any]) -> bool:
    return bool(row["src"].startswith("refill")) or path.stem in {"made", "man-pages-hyphenated"}


def from_seams(shared: Path) -> Iterator[Known]:
    """Yield the line ends of `gold/seams` and `gold/seams/wide` (their READMEs say where the truth is from)."""
    for path, row in _rows(shared):
        wide, made = path.parent.name == "wide", _is_made(path, row)
        if made and not wide:
            continue
        at = _line_break(row)
        if not at.token:
            continue
        natural = float(row.get("weight", 1)) if row.get("drawn") == "random" else 0.0
        yield Known(
            at,
            bool(row["y"]),
            archive_of(row.get("arch") or path.stem),
            str(row["doc"]),
            _MADE if made else _OVER_CAP if row.get("over_cap") else 1.0,
            natural,
            "made" if made else "hard" if wide and not natural else "",
            row.get("how", ""),
        )


def from_wild(shared: Path) -> Iterator[Known]:
    """Yield the line ends of `gold/wild`, all sets; the truth is the URL wanted there."""
    for _, _, case in wild_cases(shared):
        wanted = case["want"] + case["alt"]
        for at, goes_on in _of_case(case, wanted) if wanted else ():
            yield Known(at, goes_on, archive_of(case["archive"]), case["path"], how="wild")


def wild_cases(shared: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the set, the kind and the case of each line end of `gold/wild`."""
    folder = shared / "gold/wild"
    for path in sorted(folder.rglob("*.jsonl")):
        if path.stem in ("joins", "missed"):
            with path.open(encoding="utf8") as lines:
                for case in map(json.loads, lines):
                    yield path.parent.relative_to(folder).as_posix(), path.stem, case


def _of_case(case: dict[str, Any], wanted: list[str]) -> Iterator[tuple[LineBreak, bool]]:
    text = case["before"] + case["text"] + case["after"]
    start, end = (len(case["before"]) + offset for offset in case["focus"])
    found = (
        match for match in _AT_LINE_END.finditer(text) if match.start() < max(end, start + 1) and match.end() >= start
    )
    match = next(found, None)
    if match is not None:
        yield from _walk(_Place(text, match.start(), match[0]), wanted)


class _OfRow(LineBreak):
    """A line end of a row, which has its indent."""

    indent = 0


def _line_break(row: dict[str, Any]) -> LineBreak:
    """Return the line end of a row; the row itself has what its text does not show."""
    seam = row["s"]
    has_text = "before" in row
    if has_text:
        before, so_far, after = row["before"], row.get("torn") or row["raw"], row["after"]
    else:
        above = "" if seam["joined"] else f"{seam['prev_line']}\n"
        before, so_far = above + seam["prefix"], seam["text"]
        next_indent = " " * seam["indent_next"]
        below = "" if seam["ends_block"] else f"{next_indent}{seam['after_next']}\n"
        following = f"{seam['token']} {seam['rest']}".rstrip()
        after = f"\n{next_indent}{following}\n{below}"
    if seam["joined"] and not has_text:
        # Where it was broken before is not known: all but its first character is in the last line.
        run, more = so_far[:1], f"\n{' ' * seam['indent_own']}{so_far[1:]}"
    else:
        line_end = _LINE_END.search(so_far)
        cut = line_end.start() if line_end else len(so_far)
        run, more = so_far[:cut], so_far[cut:]
    around = Surroundings(before, run, more + after)
    at = _OfRow(around, seam["text"], len(more), seam["width"])
    around.prefix = seam["prefix"]
    at.joined = seam["joined"]
    at.token = seam["token"]
    at.word = without_closers(seam["token"])
    at.kind = look(at.word)
    at.rest = seam["rest"]
    at.indent = seam["indent_own"]
    at.next_indent = seam["indent_next"]
    if not has_text:
        at.next_line = next_indent + following
    return at


_URL = r"""(?<![A-Za-z0-9+.\-=/])(?:https?|ftp)://[^\s<>"`]{6,600}"""
_WITHIN_LINE = re.compile(rf"""{_URL}(?=[<>"]|[ \t]+\S)""")
_BEFORE_BLANK = re.compile(rf"{_URL}(?=[ \t]*(?:\r?\n[ \t>|]*\r?\n|\Z))")
_AT_LINE_END = re.compile(rf"{_URL}(?=[ \t]*[\r\n])")
_BRACKETED = re.compile(r"""<(?:URL:)?((?:https?|ftp)://[^<>"`]{4,700}?)>""", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t>|]*\r?\n")
_CLOSED_AT_LINE_END = re.compile(r"[.,;:)]*[ \t]*\r?\n")
_RUN = re.compile(r"""[^\s<>"`]*""")
_JUDGED = (
    "gold/dev.windows.jsonl",
    "gold/rfc.windows.jsonl",
    *(f"gold/wild/{kind}.jsonl" for kind in ("joins", "missed")),
)
_TAIL = 30
CORRECTED = Path(__file__).with_name("corrected-labels.jsonl")
"""Labels that were read where a model learnt on other archives disagreed, and are wrong: `null` for no URL at all."""

_MOST_OF_A_TEXT = 12
_MOST_STEPS = 8


class _Place(NamedTuple):
    """A URL that ends its line: where it starts in `text`, and its truth if that is known."""

    text: str
    start: int
    run: str
    truth: str | None = None

    def around(self) -> Surroundings:
        """Return the text around the URL."""
        start, stop = self.start, self.start + len(self.run)
        return Surroundings(self.text[max(0, start - _CONTEXT) : start], self.run, self.text[stop : stop + _CONTEXT])


def from_corpora(shared: Path) -> Iterator[Known]:
    """Yield line ends of the mail, news and documents in the corpora, where other places show the whole URL.

    Those are places in the middle of a line or before a blank one, and brackets around the URL, which are removed.
    Texts that serve to judge urlmend are left out. More line ends are made of URLs before long words.
    """
    texts = list(_texts(shared / "corpora"))
    whole = Counter(url for _, text in texts for url in whole_urls(text))
    ordered = sorted(whole)
    judged = _judged_tails(shared)
    seen: set[tuple[str, str]] = set()
    alone = []
    for document, text in texts:
        of_text = 0
        for place in _places(text):
            if of_text == _MOST_OF_A_TEXT or place.run[-_TAIL:] in judged:
                continue
            truth = place.truth or _truth(place.around(), whole, ordered)
            for at, goes_on in _walk(place, [truth]) if truth else ():
                key = at.url[-_TAIL:], at.token
                if key not in seen:
                    seen.add(key)
                    of_text += 1
                    one = Known(at, goes_on, _archive_of_corpora(document), document)
                    yield one
                    if not (goes_on or at.joined or at.own_text.strip()):
                        alone.append(one)
    yield from _before_long_words(alone, [lines for _, text in texts for lines in _lines_of_a_long_word(text)])


def whole_urls(text: str) -> Iterator[str]:
    """Yield the URLs of *text* within a line, before a blank line and in brackets: none of them is torn."""
    for pattern in (_WITHIN_LINE, _BEFORE_BLANK):
        yield from (match[0].rstrip(CLOSERS) for match in pattern.finditer(text))
    yield from (match[1] for match in _BRACKETED.finditer(text) if not re.search(r"\s", match[1]))


def _archive_of_corpora(document: str) -> str:
    return archive_of(re.sub(r"^(\w+)/([\w-]+)/.*", r"\1-\2", document))


def texts_of_corpora(shared: Path) -> Iterator[tuple[str, str]]:
    """Yield each text of the corpora, after the name of its archive."""
    for document, text in _texts(shared / "corpora"):
        yield _archive_of_corpora(document), text


def texts_of_seams(shared: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the name of the archive, the text around and the whole URL of each row of the seams, if it is known."""
    for path, row in _rows(shared):
        if "before" in row:
            text = row["before"] + (row.get("torn") or row["raw"]) + row["after"]
        else:
            seam = row["s"]
            text = (
                f"{seam['prev_line']}\n{seam['prefix']}{seam['text']}\n{seam['token']} {seam['rest']}\n"
                f"{seam['after_next']}\n"
            )
        if not _is_made(path, row):
            yield archive_of(row.get("arch") or path.stem), text, row.get("url", "").rstrip(CLOSERS)


_WORDS_AFTER_EACH = 4
_NO_PIECES = frozenset(("call", "encoded", "hash", "hash, whole"))
_LONG_WORD = re.compile(r"""\n[ \t>|]*(?P<word>[!#-;=?-_a-~]{16,120})[ \t]*(?P<more>(?:\n[^\n]*){2})""")


def _lines_of_a_long_word(text: str) -> Iterator[str]:
    """Yield lines of *text* that begin with one long word, a line by itself that is no piece of a URL."""
    for match in islice(_LONG_WORD.finditer(text), _MOST_OF_A_TEXT):
        line_before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if "://" not in line_before + match["word"]:
            yield match["word"] + match["more"]


def _before_long_words(alone: list[Known], words: list[str]) -> Iterator[Known]:
    """Yield line ends made of URLs *alone* in their lines, each before a few of *words* that are no piece of a URL.

    Real text has few of these, of many kinds: calls in code, keys, signatures, hashes.
    """
    chance = Random(1)
    for one in alone * _WORDS_AFTER_EACH:
        around, prefix = one.at.around, one.at.around.prefix
        lines = "".join(f"\n{prefix}{line}" for line in chance.choice(words).split("\n"))
        made = Surroundings(around.before, around.run, lines + around.after, around.leader)
        at = LineBreak(made, around.run, 0, one.at.width)
        if clues.next_word_is(at) in _NO_PIECES:
            yield one._replace(at=at, weight=_MADE, drawn="made", how="long word")


def _texts(corpora: Path) -> Iterator[tuple[str, str]]:
    """Yield each text with the name of its document; RFCs are among the seams."""
    for folder in ("mail", "news", "docs"):
        for path in sorted((corpora / folder).rglob("*")):
            if not path.is_file() or "rfc" in path.relative_to(corpora).parts:
                continue
            texts: dict[tuple[int | None, str | None], list[str]] = {}
            with path.open("rb") as file:
                for text in iter_texts(file):
                    origin = text.origin
                    if (origin.part or "").startswith("header") or "html" in (origin.content_type or ""):
                        continue
                    data = text.data if isinstance(text.data, str) else bytes(text.data).decode("utf8", "replace")
                    texts.setdefault((origin.message, origin.part), []).append(data)
            for (message, _), pieces in texts.items():
                yield f"{path.relative_to(corpora)}#{message}", "".join(pieces)


def _judged_tails(shared: Path) -> set[str]:
    """Return the last characters of the URLs at line ends in what judges."""
    tails: set[str] = set()
    for name in _JUDGED:
        with (shared / name).open(encoding="utf8") as lines:
            for case in map(json.loads, lines):
                text = case.get("before", "") + case["text"] + case.get("after", "")
                tails.update(match[0][-_TAIL:] for match in _AT_LINE_END.finditer(text))
    return tails


def _places(text: str) -> Iterator[_Place]:
    for match in _AT_LINE_END.finditer(text):
        yield _Place(text, match.start(), match[0])
    for match in _BRACKETED.finditer(text):
        inside = match[1]
        at_line_end = "\n" in inside or _CLOSED_AT_LINE_END.match(text, match.end())
        if not at_line_end or _BLANK_LINE.search(inside):
            continue
        parts = readings.wrapped(inside, leaders.leader_at(text, match.start(), of_others=False)).parts
        if len(parts) > inside.count("\n") + 1:
            continue  # a blank within a line
        without = text[: match.start()] + inside + text[match.end() :]
        run = _RUN.match(without, match.start())
        yield _Place(without, match.start(), run[0] if run else "", "".join(parts))


def _walk(place: _Place, truths: list[str]) -> Iterator[tuple[LineBreak, bool]]:
    """Yield the line ends of the URL at *place* that one of its *truths* decides."""
    around, run = place.around(), place.run
    url, reach, width = run, 0, len(around.prefix) + len(run)
    for _ in range(_MOST_LINES):
        if not _LINE_END.match(around.after, reach):
            return
        at = LineBreak(around, url, reach, width)
        if not at.token:
            return
        more = [truth[len(url) :] for truth in truths if truth.startswith(url) and len(truth) > len(url)]
        if any(left.startswith(at.token) or at.token.startswith(left) for left in more):
            yield at, True
        elif any(url.startswith(truth) and not url[len(truth) :].strip(CLOSERS) for truth in truths) and not more:
            yield at, False
            return
        else:
            return
        url, reach = url + at.token, at.token_end
        width = at.next_indent + len(at.token)


def _truth(around: Surroundings, whole: Counter[str], ordered: list[str]) -> str | None:
    """Return the whole URL, which occurs elsewhere; `None` if it does not, or if several do that begin like it."""
    short = around.run.rstrip(CLOSERS)
    first = LineBreak(around, around.run, 0, len(around.prefix) + len(around.run))
    at, chain = first, around.run
    for _ in range(_MOST_STEPS):
        chain += at.token
        if not at.token or at.rest:
            break
        at = LineBreak(around, chain, at.token_end, at.next_indent + len(at.token))
    longer = [
        url
        for url in _starting_with(ordered, short)
        if chain.startswith(url) and len(url) > len(around.run) + 2 and len(url) >= len(around.run + first.word) - 1
    ]
    if longer:
        return None if short in whole else max(longer, key=len)
    goes_on_so = any(True for _ in _starting_with(ordered, around.run + first.token[:2]))
    return short if short in whole and not goes_on_so else None


def _starting_with(ordered: list[str], start: str) -> Iterator[str]:
    for index in range(bisect_left(ordered, start), len(ordered)):
        if not ordered[index].startswith(start):
            return
        if len(ordered[index]) > len(start):
            yield ordered[index]
