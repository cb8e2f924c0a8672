"""Clues: what each of them sees at a line end.

A clue is a function of a `LineBreak`. It returns one of a few values, each with its own weight in `weights`, or an
empty string if it sees nothing.
"""

import re
from collections.abc import Callable
from string import ascii_letters
from typing import NamedTuple

from urlmend.mend.line_break import NEAR, LineBreak
from urlmend.mend.words import COMMON, ONE_WORD, begins_like_a_word, has_vowel, is_file, looks_generated, shape
from urlmend.text.line_ends import HYPHENS, SOFT_HYPHEN, lines_of

_ENDS = {
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "letter"),
    **dict.fromkeys("0123456789", "digit"),
    **dict.fromkeys((*HYPHENS, SOFT_HYPHEN), "-"),
    **dict.fromkeys("=&?%", "="),
    **dict.fromkeys(",;:!", ","),
    **dict.fromkeys(")]}'\"*", ")"),
    "/": "/",
    ".": ".",
    "_": "_",
}
_STARTS = {
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "small"),
    **dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "capital"),
    **dict.fromkeys("0123456789", "digit"),
    **dict.fromkeys("?&=%", "?"),
    **dict.fromkeys("~_+$@", "~"),
    **dict.fromkeys("([{'\"*|\\\u2018\u201c", "("),
    "/": "/",
    "-": "-",
    ".": ".",
    "#": "#",
}


# The URL so far: whether it waits for more or looks complete


def url_ends(at: LineBreak) -> str:
    r"""Return the class of the URL's last character.

    >>> url_ends(first_line_break("http://a.example/b-\nc"))
    '-'
    """
    return _ENDS.get(at.url[-1], "other")


_TOP_LABEL = re.compile(r"\.(?:com|org|net|edu|gov|mil|int|info|biz|io|ac|co|[a-z]{2})\Z", re.IGNORECASE)


def url_so_far(at: LineBreak) -> str:
    r"""Return the last part of a URL that the text has reached.

    >>> [url_so_far(first_line_break(url + "\nnext")) for url in ("http://www.", "http://a.example/", "http://a.org")]
    ['host, unfinished', 'host and slash', 'host, top label']
    >>> [url_so_far(first_line_break(f"http://a.example/{it}\nnext")) for it in ("b/", "b.html", "b", "b?c=", "b#c")]
    ['directory', 'file', 'path', 'query', 'fragment']
    """
    if not at.path:
        return _host_so_far(at.url)
    path = at.path.rstrip(".,;:!?") or "/"
    if path == "/":
        return "host and slash"
    if "?" in at.path or "#" in path:
        return "query" if "?" in at.path else "fragment"
    if is_file(path):
        return "file"
    if path[-1] != "/":
        return "path"
    last = path.rsplit("/", 2)[-2]
    return "message id and slash" if "@" in last else "file and slash" if "." in last else "directory"


def _host_so_far(url: str) -> str:
    if "?" in url or "#" in url:
        return "query"
    if url[-1] in ".-":
        return "host, unfinished"
    if "." not in url:
        return "host of one label"
    return "host, top label" if _TOP_LABEL.search(url) else "host"


_HEX = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{5,64}\Z")
_LEAST_WORD = 3
_LONGEST_WORD = 20
_LEAST_GENERATED = 12
_LONGEST_STUB = 3
_WHOLE_HASH = 40


def last_segment(at: LineBreak) -> str:
    r"""Return the kind of text after the last `/`, `?`, `=` or `&`.

    >>> [last_segment(first_line_break(f"http://a.example/{it}\nnext")) for it in ("1057", "b/th", "e5f6a7", "a-page")]
    ['number', 'stub', 'hex', 'ends in a common word']
    """
    segment = at.segment
    if segment.isdigit():
        return "number"
    if len(segment) <= _LONGEST_STUB and segment.isalpha():
        return "stub"
    if "@" in segment:
        return "message id"
    return ".git" if segment.endswith(".git") else _end_of_segment(segment)


def _end_of_segment(segment: str) -> str:
    if _HEX.match(segment):
        return "whole hash" if len(segment) >= _WHOLE_HASH else "hex"
    if len(segment) >= _LEAST_GENERATED and looks_generated(segment):
        return "made up"
    end = segment[-_LONGEST_WORD:]
    letters = end[len(end.rstrip(ascii_letters)) :]
    return "ends in a common word" if len(letters) >= _LEAST_WORD and letters.lower() in COMMON else ""


_DATA = re.compile("data=0[0-9]%7C")
_LAST_OF_REDIRECTION = re.compile(r"(?:reserved=0|__;!!\S*\$|&e=)\Z")
_LEAST_REDIRECTION = 30


def redirection(at: LineBreak) -> str:
    r"""Return whether an address that a mail filter rewrote has all its parameters.

    >>> redirection(first_line_break("https://urldefense.example/v3/__https://b.example/c__;!!\nIh9Z!x$"))
    'unfinished'
    """
    url = at.url
    wraps = "safelinks.protection" in url or "urldefense." in url or ("data=0" in url and _DATA.search(url))
    if len(url) < _LEAST_REDIRECTION or not wraps:
        return ""
    return "at its end" if _LAST_OF_REDIRECTION.search(url) else "unfinished"


def joined(at: LineBreak) -> str:
    r"""Return whether the URL was joined over an earlier line end."""
    return "joined" if at.joined else ""


# The token: whether it reads as a piece of a URL or as prose


def sides(at: LineBreak) -> str:
    r"""Return the classes of the characters on both sides of the line end.

    >>> sides(first_line_break("http://a.example/b/\nCapital"))
    '/ | capital'
    """
    return f"{url_ends(at)} | {_STARTS.get(at.token[0], 'other')}"


def url_end_and_look(at: LineBreak) -> str:
    r"""Return what the token looks like after a slash, a full stop, a letter or a digit.

    >>> url_end_and_look(first_line_break("http://a.example/b/\nc.html"))
    '/ | file'
    """
    end = url_ends(at)
    if end in {"letter", "digit"}:
        return f"letter or digit | {at.look}"
    return f"{end} | {at.look}" if end in {"/", "."} else ""


def word_shape(at: LineBreak) -> str:
    r"""Return where the capitals are in a token of letters.

    >>> word_shape(first_line_break("http://a.example/b\nThen"))
    'name'
    """
    kind = shape(at.word)
    return kind if kind in ONE_WORD else ""


def common_word(at: LineBreak) -> str:
    r"""Return whether the token is a very common word. After a hyphen it may be the URL's.

    >>> common_word(first_line_break("http://a.example/b\nfor all"))
    'common'
    """
    return "common" if at.word.lower() in COMMON and at.url[-1] != "-" else ""


def unlike_words(at: LineBreak) -> str:
    r"""Return how the token's letters differ from those of words.

    >>> unlike_words(first_line_break("http://a.example/buil\ndbot"))
    'begins like no word'
    """
    word = at.word
    if not word[:2].isalpha() or len(word) == 1 or not word.isascii():
        return ""
    if not begins_like_a_word(word):
        return "begins like no word"
    return "" if not word.isalpha() or has_vowel(word) else "no vowel"


_ENCLOSING = frozenset(",()[]{}|\\^'\u2019")


def inside_token(at: LineBreak) -> str:
    r"""Return a character of the token that is rare in URLs.

    >>> inside_token(first_line_break("http://a.example/b\njane@a.example"))
    '@'
    """
    token = at.token
    if "@" in token:
        return "@"
    if ":" in token[1:-1]:
        return ":"
    return "bracket or comma" if not _ENCLOSING.isdisjoint(at.word) else ""


_NUMBERING = re.compile(
    r"[(\[]?(?:[0-9]{1,3}(?:\.[0-9]+)*|[ivx]+|[A-Z][0-9]?)[.)\]]+:?\Z|[0-9]{1,2}(?:\.[0-9]{1,2})+\Z|\["
)


def numbering(at: LineBreak) -> str:
    r"""Return whether the token is the number of a list item or a section.

    >>> numbering(first_line_break("http://a.example/b\n2. More"))
    'numbering'
    """
    return "numbering" if _NUMBERING.match(at.token) else ""


_CLOSING = frozenset(")]}'\"\u2019\u201d")


def token_ends(at: LineBreak) -> str:
    r"""Return the class of the token's last character.

    >>> token_ends(first_line_break("http://a.example/b\nSubject: more"))
    'label'
    """
    token, word = at.token, at.word
    if token[-1] == ":":
        return "label" if at.rest else ":"
    if len(token) == len(word):
        return word[-1] if word[-1] in "/-" else ""
    if not _CLOSING.isdisjoint(token[len(word) :]):
        return "closing"
    return "." if token[len(word)] == "." else ","


_LENGTHS = ((1, "0 or 1"), (3, "2 or 3"), (6, "4 to 6"), (11, ""), (24, "12 to 24"), (39, "25 to 39"))


def length(at: LineBreak) -> str:
    r"""Return the length of the token. A long token is not a word.

    >>> length(first_line_break("http://a.example/b\nis"))
    '2 or 3'
    """
    size = len(at.word)
    return next((value for longest, value in _LENGTHS if size <= longest), "40 and more")


_HOST = re.compile(r"(?:www\.[a-z0-9]|[a-z0-9-]+\.(?:com|org|net|edu|gov|io|de|uk|fr|ch)\b)", re.IGNORECASE)


def host_name(at: LineBreak) -> str:
    r"""Return whether the token starts with a host name.

    >>> host_name(first_line_break("http://\nwww.a.example/b"))
    'host'
    """
    return "host" if _HOST.match(at.word) else ""


_SUFFIX_SO_FAR = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
_FIRST_LETTERS = re.compile("[A-Za-z0-9]{1,5}")
_LONGEST_SUFFIX = 4


def suffix_completed(at: LineBreak) -> str:
    r"""Return whether the token completes the suffix of a file name.

    >>> suffix_completed(first_line_break("http://a.example/b.ht\nml"))
    'suffix'
    """
    if not at.path or not (start := _SUFFIX_SO_FAR.search(at.url, len(at.url) - 6)):
        return ""
    rest = _FIRST_LETTERS.match(at.word)
    whole = rest and len(rest[0]) <= _LONGEST_SUFFIX and is_file(start[0] + rest[0])
    return "suffix" if whole else ""


_LAST_HEX = re.compile(r"[0-9a-f]+\Z")
_NEXT_HEX = re.compile(r"(?=[a-f]*[0-9]|[0-9a-f]{1,3}(?![0-9A-Za-z]))[0-9a-f]+(?![g-zG-Z_])")
_HASHES = (12, 40, 64)
_LEAST_HASH = 7


def hash_digits(at: LineBreak) -> str:
    r"""Return whether the token completes a hash, by its length.

    >>> hash_digits(first_line_break("http://a.example/969ea0bced7048a922efd4999fde95\n1e6bdcdac0"))
    'completed'
    """
    digits = _LAST_HEX.search(at.segment)
    size = len(digits[0]) if digits else 0
    if digits is None or size < _LEAST_HASH or digits[0].isalpha():
        return ""
    if size in _HASHES[1:]:
        return "whole"
    more = _NEXT_HEX.match(at.word)
    if more is None:
        return "not continued"
    return "completed" if size + len(more[0]) in _HASHES else "continued"


# The lines: whether the line is full, and what surrounds the two

_CUSTOMARY = range(72, 81)
_HARD_CUT = 76
_NARROW = 50
_RAGGED = 3


def width(at: LineBreak) -> str:
    r"""Return the width of the line that ends. Mail programs break lines at 72 to 80 characters, Google Groups at 76.

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
        kind = "over 80" if at.lines.second >= size - _RAGGED else "over 80, longer than all others"
    else:
        return ""
    return f"{kind}, quoted" if at.depth else kind


_LOOKS = {
    "word": "word",
    "words": "words",
    "number": "number",
    "hex": "letters and digits",
    "letters_and_digits": "letters and digits",
}


def room_and_look(at: LineBreak) -> str:
    r"""Return what the token looks like, and whether the line had room for it.

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


_WORD = re.compile(r"[A-Za-z']+(?=[\s.,;:!?)]|\Z)")


def behind_and_look(at: LineBreak) -> str:
    r"""Return what the token looks like, and what follows it in its line.

    >>> behind_and_look(first_line_break("http://a.example/b\nhouse of a friend"))
    'word, common word behind'
    """
    look = at.look if at.look in {"word", "words", "number"} and at.url[-1] != "-" else "mark"
    return f"{look}, {_after_token(at)}"


def _after_token(at: LineBreak) -> str:
    rest = at.rest
    if not rest:
        return "last of its block" if at.lines.ends_block else "alone"
    match = _WORD.match(rest)
    if match and match[0].lower() in COMMON:
        return "common word behind"
    if "://" in rest:
        return "URL in its line"
    if match:
        return "word behind" if rest[0].islower() else "Word behind"
    return "mark behind" if not rest[0].isalpha() else "piece behind"


_FULL = 2


def full_line(at: LineBreak) -> str:
    r"""Return whether other lines are as long as a line that is as long as any nearby."""
    if at.room > _FULL:
        return ""
    second = at.lines.second
    return "others as long" if second >= at.width + at.room - 1 else "alone as long" if second < at.width else ""


def as_long_as_those_beside(at: LineBreak) -> str:
    r"""Return whether the line is as long as the line above and the two below."""
    if at.width <= _NARROW:
        return ""
    longest = at.longest_beside
    return "as long" if longest and at.width >= longest - 1 else ""


def url_fills_line(at: LineBreak) -> str:
    r"""Return whether the URL fills a whole line."""
    fills = at.room <= _FULL and at.width > _NARROW + 10 and not at.around.prefix.strip("> |")
    return "fills it" if fills else ""


_DEEP = 4


def indent(at: LineBreak) -> str:
    r"""Return how far the next line is indented in comparison with this one.

    >>> indent(first_line_break("   http://a.example/b\nand"))
    'less'
    """
    own, following = at.indent, at.next_indent
    if own != following:
        return "less" if following < own else "more"
    return "the same, deep" if own >= _DEEP else ""


def both_alone(at: LineBreak) -> str:
    r"""Return whether the URL starts its line and the token is alone in the next.

    >>> both_alone(first_line_break("http://a.example/b/\nc.html\n"))
    'both alone'
    """
    return "both alone" if not at.rest and not at.joined and at.around.starts_line else ""


def quoted(at: LineBreak) -> str:
    r"""Return whether the line is quoted. Quoted text has been rewrapped.

    >>> quoted(first_line_break("> http://a.example/b/\n> c.html\n"))
    'quoted'
    """
    return "quoted" if at.depth else ""


def columns(at: LineBreak) -> str:
    r"""Return whether the next line has wide gaps, as tables and signatures have.

    >>> columns(first_line_break("http://a.example/b/\nFax: 2      Phone: 1"))
    'wide gap'
    """
    text = at.next_line[at.next_indent :].strip()
    return "wide gap" if "   " in text or "\t" in text else ""


def url_above(at: LineBreak) -> str:
    r"""Return whether the line above has a URL too.

    >>> url_above(first_line_break("http://a.example/a.\nhttp://a.example/b\nand"[20:]))
    ''
    """
    return "URL above" if not at.joined and "://" in at.lines.previous else ""


_URL_LINE = re.compile(r"[ \t>|]*(?:[-*]|[(\[]?[0-9]+[\]).:]+)?[ \t]*(?:https?|ftp)://")
_ITEM_LINE = re.compile(r"[\[*\u2022]|-[ \t]|[0-9]+[.)]")


def line_below(at: LineBreak) -> str:
    r"""Return whether the line after the next one starts with a URL or as a list item.

    >>> line_below(first_line_break("http://a.example/b\nSecond page:\nhttp://a.example/c"))
    'URL'
    """
    if "://" in at.lines.below and _URL_LINE.match(at.lines.below):
        return "URL"
    return "item" if _ITEM_LINE.match(at.lines.below) else ""


_SAME_START = 5


def like_a_line_above(at: LineBreak) -> str:
    r"""Return whether the next line starts as a line above does, as in tables, logs and lists.

    >>> like_a_line_above(first_line_break("Downloading b\nGET http://a.example/b\nDownloading c"))
    'like a line above'
    """
    start, near = at.token[:_SAME_START], at.around.before[-NEAR:]
    if len(start) < _SAME_START or start not in near:
        return ""
    like = any(line.lstrip("> \t").startswith(start) for line in lines_of(near)[:-1])
    return "like a line above" if like else ""


_STUB_LINE = 12


def stub_line(at: LineBreak) -> str:
    r"""Return whether the last line of a joined URL is short, as a rest of a rewrapped line is."""
    return "stub" if at.joined and len(at.last_line.strip("> \t|")) <= _STUB_LINE else ""


def bracket_closes(at: LineBreak) -> str:
    r"""Return whether the token closes a bracket that was opened before the URL.

    >>> bracket_closes(first_line_break("it is there (http://a.example/b/\nc) for you"))
    'closes'
    """
    prefix = at.around.prefix
    if not at.token.rstrip(".,;:").endswith(")") or prefix.count("(") <= prefix.count(")"):
        return ""
    return "closes" if at.word.count("(") <= at.word.count(")") else ""


class Clue(NamedTuple):
    """A clue: the function that looks at a line end, and what it looks at, for users."""

    value: Callable[[LineBreak], str]
    meaning: str

    @property
    def name(self) -> str:
        """The name of the clue, as in `weights`."""
        return self.value.__name__


CLUES = (
    Clue(url_ends, "the last character of the URL so far"),
    Clue(url_so_far, "how far the URL has come"),
    Clue(last_segment, "what follows the last `/`, `?`, `=` or `&`"),
    Clue(redirection, "whether an address that a mail filter rewrote has all its parameters"),
    Clue(joined, "whether the URL was joined over an earlier line end"),
    Clue(sides, "the characters on both sides of the line end"),
    Clue(url_end_and_look, "what the token looks like after a slash, a full stop, a letter or a digit"),
    Clue(word_shape, "the capitals of a token that has only letters"),
    Clue(common_word, "a very common word; after a hyphen it may be part of the URL"),
    Clue(unlike_words, "letters that no word begins with"),
    Clue(inside_token, "characters that are rare in URLs"),
    Clue(numbering, "the number of a list item or a section"),
    Clue(token_ends, "the last character of the token"),
    Clue(length, "the length of the token; a long one is not a word"),
    Clue(host_name, "a host name at the start of the token"),
    Clue(suffix_completed, "the rest of a file name's suffix"),
    Clue(hash_digits, "the rest of a hash, by its length"),
    Clue(width, "the width of the line; mail programs break lines at 72 to 80 characters, Google Groups at 76"),
    Clue(room_and_look, "whether the line had room for the token, and what the token looks like"),
    Clue(behind_and_look, "what follows the token in its line, and what the token looks like"),
    Clue(full_line, "whether a line as long as any nearby is one of several"),
    Clue(as_long_as_those_beside, "whether the line is as long as the line above and the two below"),
    Clue(url_fills_line, "a full line that has nothing but the URL"),
    Clue(indent, "whether the next line is indented more or less than this one"),
    Clue(both_alone, "a URL that starts its line, before a token alone in the next"),
    Clue(quoted, "quoted text, which mail programs rewrap"),
    Clue(columns, "wide gaps in the next line, as in tables and signatures"),
    Clue(url_above, "a URL in the line above"),
    Clue(line_below, "whether the line after the next one starts with a URL or as a list item"),
    Clue(like_a_line_above, "a next line that starts as one above does: a table, a log, a list"),
    Clue(stub_line, "a joined URL with a short last line, left over where a quoted line was rewrapped"),
    Clue(bracket_closes, "a bracket opened before the URL and closed by the token"),
)
"""All clues, in the order in which they are shown."""
