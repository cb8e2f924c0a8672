"""Clues of the lines: whether the line is full, and what stands around the two."""

import re

from urlmend.mend.evidence.words import COMMON
from urlmend.mend.line_break import NEAR, LineBreak
from urlmend.text.line_ends import lines_of

_WORD = re.compile(r"[A-Za-z']+(?=[\s.,;:!?)]|\Z)")
_URL_LINE = re.compile(r"[ \t>|]*(?:[-*]|[(\[]?[0-9]+[\]).:]+)?[ \t]*(?:https?|ftp)://")
_ITEM_LINE = re.compile(r"[\[*\u2022]|-[ \t]|[0-9]+[.)]")
_LOOKS = {
    "word": "word",
    "words": "words",
    "number": "number",
    "hex": "letters and digits",
    "letters_and_digits": "letters and digits",
}
_CUSTOMARY = range(72, 81)
_HARD_CUT = 76
_NARROW = 50
_DEEP = 4
_FULL = 2
_RAGGED = 3
_SAME_START = 5
_STUB_LINE = 12


def width(at: LineBreak) -> str:
    r"""Tell the width of the line that ends; mailers break lines at 72 to 80 characters, Google Groups at 76.

    >>> width(first_line_break("http://a.example/b\nand"))
    'under 50'
    """
    size = at.width
    if size == _HARD_CUT:
        kind = "76"
    elif size in _CUSTOMARY:
        kind = "72 to 80"
    elif size < _NARROW:
        kind = "under 50"
    elif size > _CUSTOMARY[-1]:
        kind = "over 80" if at.second >= size - _RAGGED else "over 80, longer than all others"
    else:
        return ""
    return f"{kind}, quoted" if at.depth else kind


def room_and_look(at: LineBreak) -> str:
    r"""Tell whether the token would have fitted into the line, and what it looks like.

    >>> room_and_look(first_line_break(f"http://a.example/{'b' * 60}\nc/d/e/f\n{'x' * 77}\nEnd"))
    'mark, no room for a piece'
    """
    room, size = at.room, len(at.token)
    if room > size:
        space = "room" if room <= size + 10 else "much room"
    else:
        space = "no room for a piece" if room <= at.piece else "no room"
    look = "mark" if at.url[-1] == "-" else _LOOKS.get(at.look, "mark")
    return f"{look}, {space}"


def behind_and_look(at: LineBreak) -> str:
    r"""Tell what follows the token in its line, and what the token looks like.

    >>> behind_and_look(first_line_break("http://a.example/b\nhouse of a friend"))
    'word, common word behind'
    """
    look = at.look if at.look in {"word", "words", "number"} and at.url[-1] != "-" else "mark"
    return f"{look}, {_behind(at)}"


def _behind(at: LineBreak) -> str:
    rest = at.rest
    if not rest:
        return "last of its block" if at.ends_block else "alone"
    if match := _WORD.match(rest):
        if match[0].lower() in COMMON:
            return "common word behind"
        return "URL in its line" if "://" in rest else "word behind" if rest[0].islower() else "Word behind"
    if "://" in rest:
        return "URL in its line"
    return "mark behind" if not rest[0].isalpha() else "piece behind"


def full_line(at: LineBreak) -> str:
    r"""Tell whether a line that is as long as lines get nearby is so among others."""
    if at.room > _FULL:
        return ""
    return "others as long" if at.second >= at.width + at.room - 1 else "alone as long" if at.second < at.width else ""


def as_long_as_those_beside(at: LineBreak) -> str:
    r"""Tell whether the line is as long as the one above and the two below."""
    if at.width <= _NARROW:
        return ""
    longest = at.longest_beside
    return "as long" if longest and at.width >= longest - 1 else ""


def url_fills_line(at: LineBreak) -> str:
    r"""Tell a full line that has nothing but the URL."""
    fills = at.room <= _FULL and at.width > _NARROW + 10 and not at.around.prefix.strip("> |")
    return "fills it" if fills else ""


def indent(at: LineBreak) -> str:
    r"""Tell where the next line starts, beside this one.

    >>> indent(first_line_break("   http://a.example/b\nand"))
    'less'
    """
    own, following = at.indent, at.next_indent
    if own != following:
        return "less" if following < own else "more"
    return "the same, deep" if own >= _DEEP else ""


def both_alone(at: LineBreak) -> str:
    r"""Tell a URL that starts its line, before a token that has a line of its own.

    >>> both_alone(first_line_break("http://a.example/b/\nc.html\n"))
    'both alone'
    """
    return "both alone" if not at.rest and not at.joined and at.around.starts_line else ""


def quoted(at: LineBreak) -> str:
    r"""Tell quoted text: it was broken anew.

    >>> quoted(first_line_break("> http://a.example/b/\n> c.html\n"))
    'quoted'
    """
    return "quoted" if at.depth else ""


def columns(at: LineBreak) -> str:
    r"""Tell wide gaps in the next line: a table, a list or a signature in columns.

    >>> columns(first_line_break("http://a.example/b/\nFax: 2      Phone: 1"))
    'wide gap'
    """
    text = at.next_line[at.next_indent :].strip()
    return "wide gap" if "   " in text or "\t" in text else ""


def url_above(at: LineBreak) -> str:
    r"""Tell a line above that has a URL too.

    >>> url_above(first_line_break("http://a.example/a.\nhttp://a.example/b\nand"[20:]))
    ''
    """
    return "URL above" if not at.joined and "://" in at.around.previous else ""


def line_below(at: LineBreak) -> str:
    r"""Tell whether the line after the next starts with a URL, or as a list's item.

    >>> line_below(first_line_break("http://a.example/b\nSecond page:\nhttp://a.example/c"))
    'URL'
    """
    if "://" in at.below and _URL_LINE.match(at.below):
        return "URL"
    return "item" if _ITEM_LINE.match(at.below) else ""


def like_a_line_above(at: LineBreak) -> str:
    r"""Tell a next line that starts like one above: a table, a log, a list.

    >>> like_a_line_above(first_line_break("Downloading b\nGET http://a.example/b\nDownloading c"))
    'like a line above'
    """
    start, near = at.token[:_SAME_START], at.around.before[-NEAR:]
    if len(start) < _SAME_START or start not in near:
        return ""
    like = any(line.lstrip("> \t").startswith(start) for line in lines_of(near)[:-1])
    return "like a line above" if like else ""


def stub_line(at: LineBreak) -> str:
    r"""Tell a joined URL whose last line is short: what was left over when a quoted line was broken anew."""
    return "stub" if at.joined and len(at.last_line.strip("> \t|")) <= _STUB_LINE else ""


def bracket_closes(at: LineBreak) -> str:
    r"""Tell a bracket that opened before the URL and closes behind the token.

    >>> bracket_closes(first_line_break("it is there (http://a.example/b/\nc) for you"))
    'closes'
    """
    prefix = at.around.prefix
    if ")" not in at.token or prefix.count("(") <= prefix.count(")") or not at.token.rstrip(".,;:").endswith(")"):
        return ""
    return "closes" if at.word.count("(") <= at.word.count(")") else ""


LINE_CLUES = (
    width,
    room_and_look,
    behind_and_look,
    full_line,
    as_long_as_those_beside,
    url_fills_line,
    indent,
    both_alone,
    quoted,
    columns,
    url_above,
    line_below,
    like_a_line_above,
    stub_line,
    bracket_closes,
)
