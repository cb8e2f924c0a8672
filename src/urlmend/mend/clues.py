"""Clues: what each of them sees at a line end.

A clue is a function of a `LineBreak`. It returns a number, or one of a few texts; an empty text if it sees nothing.
`model` weighs them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from urlmend.mend import pieces
from urlmend.mend.line_break import NEARBY, LineBreak, without_quotes
from urlmend.mend.words import CLOSERS, is_file, look
from urlmend.text.line_ends import EOL, HYPHENS, SOFT_HYPHEN, first_of
from urlmend.text.schemes import COMMON_SCHEMES, either

# A scale ends here: what is longer or more than this says nothing new.
_LONGEST_WORD = 60
_LONGEST_LINE = 160
_LONGEST_URL = 120
_MOST_LINES = 8
_MOST_QUOTES = 4

_HEX_DIGITS = "0123456789abcdef"
_HEX = re.compile(r"[0-9a-f]+\Z")
TOP_LABEL = re.compile(
    r"\.(?:com|org|net|edu|gov|mil|int|info|biz|io|dev|local|localdomain|lan|home|name|me|[a-z]{2})\Z", re.IGNORECASE
)

# The URL so far


def open_end(at: LineBreak) -> str:
    r"""Return the character at the URL's end after which more usually follows.

    >>> [open_end(first_line_break(f"http://a.example/{end}\nword")) for end in ("e=", "e%2", "e/", "e")]
    ['=', 'half an escape', '/', '']
    """
    if at.url[-2:-1] == "%":
        return "half an escape"
    last = "-" if at.url[-1] == SOFT_HYPHEN else _last(at)
    return last if last in "/?=&#%-_+~\\" else ""


def _last(at: LineBreak) -> str:
    """Return the last visible character of the URL; `&amp;` is an `&`."""
    return "&" if at.url.endswith("&amp;") else at.url.rstrip(SOFT_HYPHEN)[-1]


_ITEMS = frozenset(
    """
    issue issues pull pulls pr bug bugs ticket tickets merge_requests commit commits id archives archive msg message
    messages post posts status thread threads topic topics item items node question questions a q p rfc std draft r s c
    changeset build builds job jobs release releases
    """.split()
)
_HASHES = frozenset((32, 40, 64))
_WHOLE_HASHES = _HASHES | {12}
_SHORT_HASHES = frozenset((7, 8, 10, 11, 12, 13, 16))
_LEAST_HASH = 6
_SHORT = 3


def awaits_item(text: str) -> bool:
    """Return whether *text*, a URL or path, ends in a directory of numbered items: `/bugs/`."""
    return text.endswith("/") and text[:-1].rpartition("/")[2].lower() in _ITEMS


def both_pieces(at: LineBreak) -> str:
    r"""Return what the last piece of the URL so far looks like, after the mark before it, and what the next word does.

    >>> paths = ("issues/57", "c/1e6bdcd", "m@b.org", "d.git", "e.c#L12", "f.html", "g/", "h?i=")
    >>> [both_pieces(first_line_break(f"http://a.example/{path}\n8")).partition(", then ")[0] for path in paths]
    ['/item number', '/hash, short', '@dot', '/dot', '#letters_and_digits, short', '/file', '/', '=']
    >>> both_pieces(first_line_break("http://a.example/c/1e6bdcd\nThere"))
    '/hash, short, then word, name'
    """
    return f"{_last_piece(at)}, then {at.kind}"


def _last_piece(at: LineBreak) -> str:
    path = at.path.rstrip(".,;:!?")
    if not path:
        return "host" if TOP_LABEL.search(at.url) else ""
    start = max(map(path.rfind, "/?=&#@"))
    mark, piece = path[start], path[start + 1 :]
    above = path[:start].rpartition("/")[2]
    if not piece and mark == "/":
        return "message id/" if "@" in above else "dot/" if "." in above else "/"
    kind = look(piece) if piece else ""
    if kind == "number":
        kind = "item number" if above.lower() in _ITEMS else f"number after {look(above)}"
    elif kind == "hex":
        size = len(piece)
        kind = f"hash, {'whole' if size in _HASHES else 'short' if size in _SHORT_HASHES else 'odd'}"
    elif piece and len(piece) <= _SHORT:
        kind = f"{kind}, short"
    return f"{mark}{kind}"


def url_length(at: LineBreak) -> float:
    """Return the length of the URL so far, in characters, at most 120."""
    return float(min(len(at.url), _LONGEST_URL))


# The token


def _class(character: str) -> str:
    """Return the kind of a letter or digit; any other *character* as it is."""
    if character.isdigit():
        return "a digit"
    return character if not character.isalpha() else "a capital" if character.isupper() else "a small letter"


def sides(at: LineBreak) -> str:
    r"""Return the characters on both sides of the line end; for letters and digits, only their kind.

    >>> sides(first_line_break("http://a.example/b/\nCapital"))
    '/, then a capital'
    """
    return f"{_class(_last(at))}, then {_class(at.token[0])}"


def next_word_ends(at: LineBreak) -> str:
    r"""Return the mark after the next word, and whether that is a word or a number.

    >>> [next_word_ends(first_line_break(f"http://a.example/b\n{it} c")) for it in ("there.", "2003", "c/d,", "c)")]
    ['word, then .', 'number', 'other, then ,', 'word, then )']
    """
    word = at.word
    kind = "word" if word.isalpha() else "number" if word.isdigit() else "other"
    mark = at.token[len(word) :][:1]
    return f"{kind}, then {mark}" if mark else kind


_FRAGMENT = re.compile(r"#[A-Za-z][\w.\-:]+\Z|#L?[0-9]+\Z")
_HOST = re.compile(
    r"(?:www|ftp|gopher|web|lists?|mail|git|svn|cvs)\.[a-z0-9\-]+\.|[a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.(?:com|org|net|edu|gov"
    r"|mil|info|io|dev|nl|de|uk|fr|ch|at|fi|se|no|au|jp|it|es|ca|us|eu|be|dk|pl|ru|cz)(?=[/:]|\Z)",
    re.IGNORECASE,
)
_CALL = re.compile(r"[A-Za-z_][\w.:>\-]*\(")
_LEAST_ENCODED = 24
# In base64, letters of both cases and digits alternate.
_CASE_CHANGES = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")


def next_word_is(at: LineBreak) -> str:
    r"""Return the kind of the token if it looks like something else, or like a part that a URL has only once.

    >>> tokens = ("www.c.example.org", "/etc/fstab", "#sec-2", "1e6bdcdac")
    >>> [next_word_is(first_line_break(f"http://a.example/b\n{token}")) for token in tokens]
    ['host', 'path from the root', 'fragment', 'hash']
    """
    word, last = at.word, at.url[-1]
    first = word[:1]
    kind = ""
    if first == "#":
        kind = "fragment" if "#" not in at.url and _FRAGMENT.match(word) else "# other"
    elif first == "/":
        kind = "path after a slash" if last == "/" else "path from the root"
    elif first and first in "([{":
        kind = "bracket"
    elif not word.isascii():
        kind = "file beyond ASCII" if is_file(word) else "not ASCII"
    elif "." in word and last not in ".=&?%" and _HOST.match(word):
        # In the URLs of list archives, a Message-ID ends with a host.
        kind = "host of an address" if "@" in at.segment or "%40" in at.segment else "host"
    elif "(" in word and _CALL.match(word):
        kind = "call"
    elif not _HEX.match(word) and len(_CASE_CHANGES.findall(word)) * 6 >= max(len(word), _LEAST_ENCODED):
        kind = "encoded"
    elif word.isalnum():
        kind = _hash(at, word)
    else:
        kind = "@" if "@" in word.partition("/")[0] else "colon" if ":" in word[1:-1] else ""
    return kind


def _hash(at: LineBreak, word: str) -> str:
    if len(word) <= _LEAST_HASH or not _HEX.match(word) or word.isalpha() or word.isdigit():
        return ""
    segment, url = at.segment, at.url
    before = segment[len(segment.rstrip(_HEX_DIGITS)) :]
    if len(before) >= _LEAST_HASH - 1 and not before.isalpha():
        return "hash completed" if len(before) + len(word) in _WHOLE_HASHES else "hash continued"
    if len(word) not in _WHOLE_HASHES:
        return "hash"
    return "hash of an item" if url[-1] == "=" or awaits_item(url) else "hash, whole"


def url_end(at: LineBreak) -> float:
    r"""Return how likely a URL ends after the last characters of this one, as log-odds.

    >>> [url_end(first_line_break(f"http://a.example/{path}\nnext")) for path in ("b.html", "view?id=")]
    [1.0, -6.0]
    """
    return pieces.end(at.path.rstrip(SOFT_HYPHEN) or "/")


def across(at: LineBreak) -> float:
    r"""Return how much more often the token's first character follows the URL's last ones than it follows others.

    >>> [across(first_line_break(f"http://a.example/b.ht\n{token}")) for token in ("ml", "and")]
    [3.5, -4.5]
    """
    return pieces.across(at.path.rstrip(SOFT_HYPHEN) or "/", at.token[0])


def first_word(at: LineBreak) -> float:
    r"""Return how much likelier the token begins a piece of a URL than a line of prose, as log-odds.

    >>> [first_word(first_line_break(f"http://a.example/b\n{it}")) > 0 for it in ("index.html", "together")]
    [True, False]
    """
    return round(4 * pieces.first(at.word or at.token)) / 4


def next_word_length(at: LineBreak) -> float:
    """Return the length of the next word in characters, without the punctuation after it, at most 60."""
    return float(min(len(at.word), _LONGEST_WORD))


# The line of the URL and what follows the token

# The end of a line before one that begins with a URL.
_URL_LINE = re.compile(rf"[ \t]*+{EOL}[ \t>|]*+{either(COMMON_SCHEMES)}://")


def alone(at: LineBreak) -> str:
    r"""Return whether the URL or the token has a line of its own, and whether a URL begins the line after that.

    >>> [alone(first_line_break(it)) for it in ("http://a.example/b\nc", "see http://a.example/b\nc for all")]
    ['URL alone, next word alone', 'after text']
    """
    place = "joined" if at.joined else "after text" if at.own_text.strip() else "URL alone"
    if at.rest:
        return place
    return f"{place}, next word alone{' before a URL' * bool(_URL_LINE.match(at.around.after, at.token_end))}"


def width(at: LineBreak) -> float:
    """Return the length of the line that ends, in characters, at most 160."""
    return float(min(at.width, _LONGEST_LINE))


_BULLET = re.compile(r"(?:[-*+o\u2022\xb7\u2013\u2014#]|\(?\[?[0-9]{1,3}[.)\]:]*|\(?[a-zA-Z][.)])(?=[ \t])")
_LABEL = re.compile(r"[\w'./\-]+(?: [\w'./\-]+){0,3}[ \t]*:(?=[ \t]|\Z)")
_GLUED_LABELS = re.compile(r"([A-Za-z][\w.;=\-]*:)\n([A-Za-z][\w.\-]*:)(?!//)\S")
_ASSIGNMENT = re.compile(r"(?:[#;]+[ \t]*)?(?:export[ \t]+)?[\w.:\-\[\]]+[ \t]*[+:?]?=")
_SEPARATOR = re.compile(r"([|~]{1,3}|::|;;)[ \t]*\Z")
# A gap between columns, not the two blanks after a sentence.
_COLUMN = re.compile(r"[^\s.!?:] {2}|\S(?: {3}|\t)")


@lru_cache(maxsize=1)  # a guard asks first
def same_start(at: LineBreak) -> str:
    r"""Return how the next line starts as this one does: a list, a table, labels, assignments, a mark or a word.

    >>> pairs = ("* ", "* next"), ("d   ", "c/d   e"), ("Web: ", "Fax: 2"), ("a = ", "b = c"), ("@see ", "@next")
    >>> [same_start(first_line_break(f"{own}http://a.example/b\n{line}")) for own, line in pairs]
    ['bullets', 'columns', 'labels', 'assignments', 'same mark']
    """
    own, text = at.own_text, without_quotes(at.next_line, at.around.leader)
    in_shell = at.url[-1] == "\\" and at.url[-2].isalnum() and at.next_indent > at.indent and not at.around.leader
    is_cut = at.url.endswith((*HYPHENS, SOFT_HYPHEN, ".")) or (not at.path and at.token[0] == "/")
    if in_shell or (_COMMAND.search(own) and not is_cut):
        return "a command's argument"
    if _ASSIGNMENT.match(own) and _ASSIGNMENT.match(text):
        # "href=" and the next parameter of the query are not two assignments, nor are "id=" and a value in Base64.
        own_end = "?&=" if "=" not in at.word.rstrip("=") else "?&"
        is_parameter = at.url[-1] in own_end or ("?" in at.url and "&" in at.word)
        is_one = "=" in at.word and "://" not in at.word and is_parameter
        return "" if is_one else "assignments"
    # `CHARSET:TRUE` below `FILE:http://a.example/`, but not `Talk:b` below `see:http://a.example/`.
    labels = _GLUED_LABELS.match(f"{own}\n{text}") if own.endswith(":") and open_end(at) in ("", "/") else None
    if labels and (labels[1].isupper(), labels[1].islower()) == (labels[2].isupper(), labels[2].islower()):
        return "assignments"
    bullet, other = _BULLET.match(own), _BULLET.match(text)
    if other and (bullet or not other[0].isalnum()):
        same = bullet and (bullet[0][0] == other[0][0] or (bullet[0][0].isdigit() and other[0][0].isdigit()))
        return "bullets" if same else "other bullet"
    same_row = _same_row(at, own, text) if own.strip() and text.strip() else ""
    return same_row or ("own bullet" if bullet else "own label" if _LABEL.match(own) else "")


def _same_row(at: LineBreak, own: str, text: str) -> str:
    separator = _SEPARATOR.search(own)
    is_record = own[-1] in ",;" and (own + at.url).count(own[-1]) == text.count(own[-1]) > 1
    if is_record or (separator and separator[1] in text) or (own.endswith(("  ", "\t")) and _COLUMN.search(text)):
        return "columns, URLs" if is_record or "://" in at.rest else "columns"
    if _LABEL.match(text):
        return "labels" if _LABEL.match(own) else "label below"
    is_same = own.split(None, 1)[0] == text.split(None, 1)[0] or (own[0] == text[0] and not own[0].isalnum())
    return "same mark" if is_same else ""


# What is called with a URL and more, as pip is. A request of roff takes one line.
_COMMAND = re.compile(
    r"(?:\b(?:deb|deb-src|checkout|co|clone|pull|push)|--[a-z\-]{0,20}index-url|\.UR)[ \t]+"
    r"(?:-{1,2}[a-z][a-z\-=]*[ \t]+(?:[0-9]+[ \t]+)?){0,4}(?:\[[^\[\]\r\n]{1,100}\][ \t]+)?[\"']?\Z"
)


_CLOSERS_OF = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "\u27e8": "\u27e9", "\u201c": "\u201d", "\xab": "\xbb"}


def bracket(at: LineBreak) -> str:
    r"""Return where the bracket closes that opens right before the URL, or earlier in its line.

    >>> texts = ("(http://a.example/b/\nc) for you", "(http://a.example/b/\nc for you)", "(see http://a.example/b).\nc")
    >>> [bracket(first_line_break(text)) for text in texts]
    ['in the token', 'later', 'in the URL']
    """
    if at.url.count(")") > at.url.count("("):
        return "in the URL"
    own = at.own_text
    closer = _CLOSERS_OF.get(at.around.prefix[-1:])
    if closer is None and own.count("(") > own.count(")") and at.token.count(")") > at.token.count("("):
        return "in the token"
    return "" if closer is None else "in the token" if closer in at.token else "later"


def quote_depth(at: LineBreak) -> float:
    """Return the number of quote marks that the line starts with, at most 4."""
    return float(min(sum(mark.kind == "quote" for mark in at.around.leader), _MOST_QUOTES))


# The lines around

# The host and the path of a URL, and the line end after it.
_URL = re.compile(r"""://([^\s<>"`/]*)/([^\s<>"`]*)[ \t]?([\r\n]?)""")


def urls_nearby(at: LineBreak) -> str:
    r"""Return whether URLs of the same host are nearby, and whether they have the form of this one.

    >>> urls_nearby(first_line_break("http://a.example/57 and http://a.example/58\nnext"))
    'same form'
    """
    own_host, _, path = at.url.partition("://")[2].partition("/")
    text = f"{at.around.before[-NEARBY:]}\n{first_of(at.around.after[at.reach :], NEARBY)}"
    if f"://{own_host}/" not in text:
        return ""
    own, found = path.rstrip(CLOSERS), set()
    for host, other, line_end in set(_URL.findall(text)):
        short = other.rstrip(CLOSERS)
        if host != own_host:
            continue
        if short == own:
            found.add("the same" if line_end else "the same, inside a line")
        elif short.startswith(own) and not line_end:
            found.add("longer elsewhere")
        else:
            found.add("same form" if _form(short) == _form(own) else "same host")
    order = ("longer elsewhere", "the same, inside a line", "same form", "the same", "same host")
    return next((likeness for likeness in order if likeness in found), "")


def _form(path: str) -> tuple[int, str, int]:
    """Return how many slashes *path* has, what follows the last looks like, and how long that is if it is an id."""
    last = path.rpartition("/")[2]
    kind = look(last)
    return path.count("/"), kind, len(last) if kind in ("number", "hex") else 0


_DEEP = 4


def indent(at: LineBreak) -> str:
    r"""Return whether the next line is indented more or less than this one.

    >>> indent(first_line_break("   http://a.example/b\nand"))
    'less'
    """
    own, following = at.indent, at.next_indent
    return "less" if following < own else "more" if following > own else "the same, deep" if own >= _DEEP else ""


def space_left(at: LineBreak) -> float:
    """Return by how many characters the line is shorter than the longest usual line nearby, at most 60."""
    return min(at.margin - at.width, _LONGEST_WORD)


def lines_as_long(at: LineBreak) -> float:
    """Return the number of lines nearby that are about as long, at most 8."""
    lengths = at.around.lengths
    return min(bisect_right(lengths, at.width + 1) - bisect_left(lengths, at.width - 4), _MOST_LINES)


def longer_lines(at: LineBreak) -> float:
    """Return the number of lines nearby that are longer by more than a character, at most 8."""
    lengths = at.around.lengths
    return min(len(lengths) - bisect_right(lengths, at.width + 1), _MOST_LINES)


CLUES: dict[Callable[[LineBreak], Any], str] = {
    open_end: "a last character after which URLs usually go on",
    both_pieces: "the mark before the last piece of the URL, and what that piece and the next word look like",
    sides: "the characters on both sides of the line end",
    next_word_ends: "the mark that ends the next word",
    next_word_is: "whether the next word is complete in itself: a host, a hash, a path from the root",
    url_end: "how often URLs end after the last characters of this one",
    url_length: "the length of the URL so far",
    across: "how often the characters on both sides follow each other in URLs",
    first_word: "how much likelier the next word begins a piece of a URL than a line of prose",
    next_word_length: "the length of the next word",
    alone: "whether the URL or the next word has a line of its own",
    width: "the length of the line that ends",
    same_start: "whether the next line starts like the URL's line, or like the line below the next",
    bracket: "where the bracket right before the URL closes",
    quote_depth: "the number of quote marks",
    urls_nearby: "whether other URLs of the host are nearby, and look like this one",
    indent: "whether the next line is indented more or less than this one",
    space_left: "how many characters shorter the line is than the longest usual line nearby",
    lines_as_long: "the number of lines nearby that are about as long",
    longer_lines: "the number of lines nearby that are longer",
}
"""All clues, each with what it looks at, for users; `model` has what each is worth."""
