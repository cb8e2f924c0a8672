"""Clues: what each of them sees at a line end.

A clue is a function of a `LineBreak`. It returns a number, or one of a few texts; an empty text if it sees nothing. The
near ones look at the URL, the token and its line, the far ones at the lines around. `model` weighs them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from urlmend.mend import pieces
from urlmend.mend.line_break import NEARBY, LineBreak, without_quotes
from urlmend.mend.nearby import contains
from urlmend.mend.words import CLOSERS, COMMON, is_file
from urlmend.text.line_ends import EOL, SOFT_HYPHEN, first_of

# A scale ends here: what is longer or more than this says nothing new.
_LONGEST_WORD = 60
_LONGEST_LINE = 160
_MOST_QUOTES = 4

_HEX_DIGITS = "0123456789abcdef"
_HEX = re.compile(r"[0-9a-f]+\Z")
_TOP_LABEL = re.compile(
    r"\.(?:com|org|net|edu|gov|mil|int|info|biz|io|dev|local|localdomain|lan|home|name|me|[a-z]{2})\Z", re.IGNORECASE
)
# Near: the URL so far


_KINDS = {"path to a file": "file", "marked": "path", "slash": "path", "slash first": "path", "hyphen": "words"}


def open_end(at: LineBreak) -> str:
    r"""Return the character at the URL's end after which more usually follows, and what follows some of them.

    >>> ends = ("e=", "e%2", "e/", "e/", "e_", "e")
    >>> tokens = ("word", "word", "07/part2.tar", "6QXJ4V2/", "word", "word")
    >>> [open_end(first_line_break(f"http://a.example/{end}\n{token}")) for end, token in zip(ends, tokens)]
    ['=, then word', 'half an escape', '/, then file', '/, then path, digits', '_', '']
    """
    url = at.url
    if url[-2:-1] == "%":
        return "half an escape"
    last = "-" if url[-1] == SOFT_HYPHEN else url[-1]
    if last not in "/?=&#":
        return last if last in "%-_+~\\" else ""
    kind = _KINDS.get(at.kind, at.kind.split(",")[0])
    mixed = kind == "path" and any(map(str.isdigit, at.word))
    return f"{last}, then {kind}{', digits' if mixed else ''}"


_ITEMS = frozenset(
    """
    issue issues pull pulls pr bug bugs ticket tickets merge_requests commit commits id archives archive msg message
    messages post posts status thread threads topic topics item items node question questions a q p rfc std draft r s c
    changeset build builds job jobs release releases
    """.split()
)
_LINE_NUMBER = re.compile(
    r"(?:L[0-9]+(?:-L?[0-9]+)?|[Ll]ine-?[0-9]+|[lnc][0-9]+|comment-?[0-9]+|issuecomment-[0-9]+|discussion_r[0-9]+"
    r"|msg[0-9]+)\Z"
)
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+\Z", re.IGNORECASE)
_HASHES = frozenset((32, 40, 64))
_WHOLE_HASHES = _HASHES | {12}
_SHORT_HASHES = frozenset((7, 8, 10, 11, 12, 13, 16))
_LEAST_HASH = 6
_SHORT_FILE = 12
_SHORT_LETTERS = 3
_COUNTRY = len(".de")


def complete(at: LineBreak) -> str:
    r"""Return the form of a complete address that the URL so far has.

    >>> paths = ("issues/57", "c/1e6bdcd", "m@b.org", "d.git", "e.c#L12", "f.html", "g/", "h")
    >>> [complete(first_line_break(f"http://a.example/{path}\nnext")) for path in paths]
    ['item number', 'hash, short', 'message id', '.git', 'line or comment', 'file, short', '', 'letters, short']
    """
    path = at.path.rstrip(".,;:!?")
    if not path:
        top_label = _TOP_LABEL.search(at.url)
        return "" if top_label is None else "host" if len(top_label[0]) > _COUNTRY else "host, two letters last"
    if path == "/":
        return ""
    if "#" in path:
        return _fragment(path[path.rfind("#") + 1 :])
    if "@" in path and (message_id := _message_id(path)):
        return message_id
    segment = at.segment.rstrip(".,;:!?")
    before = path[: len(path) - len(segment)]
    if not segment:
        above = before[:-1].rsplit("/", 1)[-1] if before[-1] == "/" else ""
        return ".git" if above.endswith(".git") else "directory with a dot" if "." in above else ""
    return _segment(segment, before)


def _fragment(fragment: str) -> str:
    if _LINE_NUMBER.match(fragment):
        return "line or comment"
    return "# alone" if not fragment else "fragment of one word" if fragment.isalpha() else "fragment"


def _message_id(path: str) -> str:
    local, _, host = path.rpartition("@")
    if local[-1:] == "/" or "/" in host[:-1]:
        return ""
    if host[-1:] == "/":
        return "message id and slash"
    whole = "." in host and _TOP_LABEL.search(host)
    return "message id" if whole else "message id, torn host" if host else "message id, no host"


def _segment(segment: str, before: str) -> str:
    """Return the form of the last *segment* of a path that begins with *before*."""
    if segment.isdigit():
        return _number(before)
    if _HEX.match(segment) and not segment.isalpha():
        size = len(segment)
        kind = "whole" if size in _HASHES else "short" if size in _SHORT_HASHES else "odd"
        return f"hash, {kind}" if size >= _LEAST_HASH else ""
    if _VERSION.match(segment):
        return "version"
    if is_file(segment):
        return "file, short" if len(segment) <= _SHORT_FILE else "file"
    return _words(segment, before)


def _words(segment: str, before: str) -> str:
    if segment.endswith(".git"):
        return ".git"
    if before[-1] != "/":
        kind = "value, word" if segment.isalpha() else "value"
        return kind if before[-1] == "=" else "name of a value"
    if "." in segment[1:]:
        return "dot in the segment"
    if not segment.isalpha():
        return ""
    short = len(segment) <= _SHORT_LETTERS
    return "common word" if segment.lower() in COMMON else "letters, short" if short else "letters"


def _number(before: str) -> str:
    if before[-1] != "/":
        return "value, number"
    above = before[:-1].rsplit("/", 1)[-1]
    if above.lower() in _ITEMS:
        return "item number"
    return "number after a number" if above.isdigit() else "number after a word" if above.isalpha() else "number"


# Near: the token


_ENDS = {
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "a letter"),
    **dict.fromkeys("0123456789", "a digit"),
    **dict.fromkeys("=&?%", "="),
    **dict.fromkeys(",;:!", ","),
    **dict.fromkeys(")]}'\"*", ")"),
    **{mark: mark for mark in "-/._#"},
    SOFT_HYPHEN: "-",
}
_STARTS = {
    **dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "a capital"),
    **dict.fromkeys("0123456789", "a digit"),
    **dict.fromkeys("?&=%", "?"),
    **dict.fromkeys("~_+$@", "~"),
    **dict.fromkeys("([{'\"*|\u2018\u201c", "("),
    **{mark: mark for mark in "/-.#"},
}


def sides(at: LineBreak) -> str:
    r"""Return the classes of the characters on both sides of the line end.

    >>> sides(first_line_break("http://a.example/b/\nCapital"))
    '/, then a capital'
    """
    last, first = at.url[-1], at.token[0]
    starts = "a small letter" if first.islower() else _STARTS.get(first, "other")
    return f"{_ENDS.get(last, 'other')}, then {starts}"


def next_word(at: LineBreak) -> str:
    r"""Return the kind of the next word, with the capitals of a plain word.

    >>> [next_word(first_line_break(f"http://a.example/b\n{it} c")) for it in ("There", "2003", "c/d.html,", "RFC")]
    ['word, name', 'number', 'path to a file', 'word, capitals']
    """
    return at.kind


def next_word_ends(at: LineBreak) -> str:
    r"""Return the mark that ends the next word. A full stop after a plain word says little.

    >>> [next_word_ends(first_line_break(f"http://a.example/b\n{it} c")) for it in ("there.", "2003", "c/d,", "c)")]
    ['word, then .', 'number', 'other, then ,', 'word, then )']
    """
    token, word = at.token, at.word
    kind = "word" if word.isalpha() else "number" if word.isdigit() else "other"
    if len(token) == len(word):
        return kind if word[-1:].isalnum() else f"{kind}, then a mark"
    mark = token[len(word)]
    return f"{kind}, then {mark if mark in '.:,' else ')'}"


_DIRECTIVE = re.compile(r"#(?:include|define|if|ifdef|ifndef|endif|else|pragma|undef|elif|error|import)\Z")
_FRAGMENT = re.compile(r"#[A-Za-z][\w.\-:]+\Z|#L?[0-9]+\Z")
_HOST = re.compile(
    r"(?:www|ftp|gopher|web|lists?|mail|git|svn|cvs)\.[a-z0-9\-]+\.|[a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.(?:com|org|net|edu|gov"
    r"|mil|info|io|dev|nl|de|uk|fr|ch|at|fi|se|no|au|jp|it|es|ca|us|eu|be|dk|pl|ru|cz)(?=[/:]|\Z)",
    re.IGNORECASE,
)


_CALL = re.compile(r"[A-Za-z_][\w.:>\-]*\(")
_LEAST_ENCODED = 24
_BASE64 = re.compile(rf"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])[A-Za-z0-9+/]{{{_LEAST_ENCODED},}}=*\Z")
_CASE_CHANGES = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")


def _is_encoded(word: str) -> bool:
    """Return whether *word* looks like base64: letters of both cases and digits take turns."""
    return _BASE64.match(word) is not None and len(_CASE_CHANGES.findall(word)) * 6 >= len(word)


def next_word_is(at: LineBreak) -> str:
    r"""Return the kind of the token, if it is not part of the URL or is a part that a URL has only once.

    >>> tokens = ("www.c.example.org", "/etc/fstab", "#include", "#sec-2", "1e6bdcdac")
    >>> [next_word_is(first_line_break(f"http://a.example/b\n{token}")) for token in tokens]
    ['host', 'path from the root', 'directive', 'fragment', 'hash']
    """
    word, last = at.word, at.url[-1]
    first = word[:1]
    kind = ""
    if first == "#":
        fragment = "#" not in at.url and _FRAGMENT.match(word)
        kind = "directive" if _DIRECTIVE.match(word) else "fragment" if fragment else "# other"
    elif first == "/":
        kind = "path after a slash" if last == "/" else "file from the root" if is_file(word) else "path from the root"
    elif first and first in "([{":
        kind = "bracket"
    elif not word.isascii():
        kind = "file beyond ASCII" if is_file(word) else "not ASCII"
    elif "." in word and last not in ".=&?%" and _HOST.match(word):
        # In the URLs of list archives, a Message-ID ends with a host.
        of_path = "host of an address" if "@" in at.segment or "%40" in at.segment else "host"
        kind = "host after a mark" if last in "/-" else of_path if at.path else "host after a host"
        kind += ", path" if "/" in word else ""
    elif "(" in word and _CALL.match(word):
        kind = "call"
    elif len(word) >= _LEAST_ENCODED and _is_encoded(word):
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
    awaited = url[-1] == "=" or (url[-1] == "/" and url[:-1].rsplit("/", 1)[-1].lower() in _ITEMS)
    return "hash of an item" if awaited else "hash, whole"


def url_end(at: LineBreak) -> float:
    r"""Return how likely a URL ends after the last characters of this one, as log-odds.

    >>> [url_end(first_line_break(f"http://a.example/{path}\nnext")) for path in ("b.html", "view?id=")]
    [1.0, -6.0]
    """
    return pieces.end(at.path.rstrip(SOFT_HYPHEN) or "/")


def across(at: LineBreak) -> float:
    r"""Return how much likelier the token's first character comes after the URL's last ones than after others.

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
    """Return the length of the token in characters."""
    return float(min(len(at.word), _LONGEST_WORD))


# Near: the line of the URL and what follows the token


def alone(at: LineBreak) -> str:
    r"""Return whether the URL or the token has a line of its own.

    >>> [alone(first_line_break(it)) for it in ("http://a.example/b\nc", "see http://a.example/b\nc for all")]
    ['URL alone, next word alone', 'after text']
    """
    place = "joined" if at.joined else "after text" if at.own_text.strip() else "URL alone"
    return place if at.rest else f"{place}, next word alone"


# Up to a mark after which a URL may be broken.
_FIRST_PIECE = re.compile(r"[/\-_.=&?#%,]?[^/\-_.=&?#%,]*[/\-_.=&?#%,]*")
_USUAL_WIDTHS = 60, 72
_WIDEST_MAIL = 80


def room(at: LineBreak) -> str:
    r"""Return whether the line had room for the token, or for its first piece, up to the usual widths.

    >>> room(first_line_break("see http://a.example/b\nc"))
    'for the word in 60'
    """
    end = at.width + len(at.token)
    if end <= _USUAL_WIDTHS[1] and at.width <= _WIDEST_MAIL:
        return "for the word in 60" if end < _USUAL_WIDTHS[0] else "for the word in 72"
    if at.width > _WIDEST_MAIL:
        return "over 80"
    piece = _FIRST_PIECE.match(at.token)
    end = at.width + (piece.end() if piece else 0)
    return next((f"for a piece in {limit}" for limit in (66, 72, 80) if end <= limit), "none in 80")


_BULLET = re.compile(r"(?:[-*+o\u2022\xb7\u2013\u2014#~=>]|\(?\[?[0-9]{1,3}[.)\]:]*|\(?[a-zA-Z][.)])(?=[ \t])")
_LABEL = re.compile(r"[\w'./\-]+(?: [\w'./\-]+){0,3}[ \t]*:(?=[ \t]|\Z)")
_ASSIGNMENT = re.compile(r"[\w.:\-\[\]]+[ \t]*[+:?]?=")


_SEPARATOR = re.compile(r"([|~]{1,3}|::|;;)[ \t]*\Z")
# A gap between columns, not the two blanks after a sentence.
_COLUMN = re.compile(r"[^\s.!?:] {2}|\S(?: {3}|\t)")


@lru_cache(maxsize=1)  # a guard asks first
def same_start(at: LineBreak) -> str:
    r"""Return how the next line starts as its neighbours do: a list, a table, labels, assignments, a common prefix.

    >>> pairs = ("* ", "* next"), ("d   ", "c/d   e"), ("Web: ", "Fax: 2"), ("a = ", "b = c"), ("bug1 ", "bug2")
    >>> [same_start(first_line_break(f"{own}http://a.example/b\n{line}")) for own, line in pairs]
    ['bullets', 'columns', 'labels', 'assignments', 'numbered']
    """
    own = at.own_text
    text = without_quotes(at.next_line) if own.strip() else ""
    if not text:
        return _like_the_line_after(at)
    bullet = _BULLET.match(own)
    if bullet and (other := _BULLET.match(text)):
        same = bullet[0][0] == other[0][0] or (bullet[0][0].isdigit() and other[0][0].isdigit())
        return "bullets" if same else "other bullets"
    separator = _SEPARATOR.search(own)
    if (separator and separator[1] in text) or (own.endswith(("  ", "\t")) and _COLUMN.search(text)):
        return "columns, URLs" if "://" in at.rest else "columns"
    label = ":" in own and _LABEL.match(own)
    if ":" in text and _LABEL.match(text):
        return "labels" if label else "label below"
    if _COMMAND.search(own):
        return "a command's argument"
    found = _same_word(at, own, text) or _like_the_line_after(at)
    return found or ("own bullet" if bullet else "own label" if label else "")


# What is called with a URL and more.
_COMMAND = re.compile(r"\b(?:deb|deb-src|checkout|co|clone|pull|push)[ \t]+(?:\[[^\[\]\r\n]{1,100}\][ \t]+)?[\"']?\Z")
_COMMON_START = re.compile(rf"(\S{{2,12}}?[^A-Za-z\s])[^\r\n]*+{EOL}[ \t>|]*+\1")


def _like_the_line_after(at: LineBreak) -> str:
    return "as the line after" if _COMMON_START.match(at.around.after, at.text_start) else ""


_SHORTEST_NAME = 3


def _same_word(at: LineBreak, own: str, text: str) -> str:
    # "href=" and the next parameter of the query are no two assignments.
    in_query = at.url[-1] in "?&=" or ("?" in at.url and "&" in at.token)
    if not in_query and _ASSIGNMENT.match(own) and _ASSIGNMENT.match(text):
        return "assignments"
    if own[0] != text[0]:
        return ""
    if not own[0].isalnum():
        return "same mark"
    first, other = own.split(None, 1)[0], text.split(None, 1)[0]
    if len(first) < _SHORTEST_NAME or pieces.normal(first) != pieces.normal(other):
        return ""
    if first == other:
        return "same word"
    return "" if first[0].isdigit() else "numbered"  # a line number, or a name with one


_CLOSES_WITHIN = 160
_CLOSES = {"\u27e8": "\u27e9", "(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "\u201c": "\u201d", "\xab": "\xbb"}


def bracket(at: LineBreak) -> str:
    r"""Return where a bracket closes that was opened right before the URL.

    >>> bracket(first_line_break("it is there (http://a.example/b/\nc) for you"))
    'after the next word'
    """
    opens = at.around.prefix[-1:]
    closes = _CLOSES.get(opens)
    if closes is None:
        return ""
    same = opens == closes
    if at.url.count(closes) > (0 if same else at.url.count(opens)):
        return "closed before"
    if at.token.count(closes) > (0 if same else at.token.count(opens)):
        return "after the next word" if at.token.rstrip(".,;:!?")[-1:] == closes else "in the next word"
    return "later" if closes in first_of(at.around.after[at.token_end :], _CLOSES_WITHIN) else "never"


_QUOTES = re.compile(r"(?:[ \t]{0,3}[>|])+")


def quote_depth(at: LineBreak) -> float:
    """Return the number of quote marks that the line starts with."""
    quotes = _QUOTES.match(at.last_line)
    return float(min(quotes[0].count(">") + quotes[0].count("|"), _MOST_QUOTES)) if quotes else 0.0


# Far: the lines around

# Starts at the "://": `re` finds a pattern that begins with literal text several times as fast.
_AFTER_SCHEME = re.compile(r"""://(?<=(?:ttp|tps|ftp)://)[^\s<>"`]+""")
_LINE_ENDS = ("\n", "\r")


def urls_nearby(at: LineBreak) -> str:
    r"""Return whether URLs of the same host are nearby, and whether they have the form of this one.

    >>> urls_nearby(first_line_break("http://a.example/57 and http://a.example/58\nnext"))
    'same form'
    """
    url = at.url
    colon = url.find("://")
    slash = url.find("/", colon + 3)
    host = url[colon + 3 : slash]
    texts = at.around.before[-NEARBY:], first_of(at.around.after[at.reach :], NEARBY)
    if "://" not in url[:slash] or (host not in texts[0] and host not in texts[1]):
        return ""
    whole = url[len(at.around.implied) :] + at.word
    if len(at.word) >= _SHORTEST_NAME and any(contains(text, whole) for text in texts):
        return "the whole, inside a line"
    short = url.rstrip(CLOSERS)
    own, found, seen = _form(short), "", {short}
    for text in texts:
        for match in _AFTER_SCHEME.finditer(text):
            if host not in match[0]:
                continue
            other = text[max(0, match.start() - colon) : match.end()].rstrip(CLOSERS)
            torn = text[match.end() : match.end() + 2].lstrip(" ").startswith(_LINE_ENDS)
            if not torn and other == short:
                return "the same, inside a line"
            if not torn and len(other) > len(short) + 1 and other.startswith(short):
                return "longer elsewhere"
            if other not in seen:
                found = _likeness(own, _form(other), found)
                seen.add(other)
            elif other == short:
                found = found or "the same"
    return found


class _Form(NamedTuple):
    """The form of a URL: its host, the number of parts between slashes, and the kind and length of the last one."""

    host: str
    parts: int
    kind: str
    size: int


def _form(url: str) -> _Form:
    parts = url.split("://", 1)[1].split("/")
    last = parts[-1]
    is_hash = len(last) > _LEAST_HASH and _HEX.match(last)
    kind = "number" if last.isdigit() else "hash" if is_hash else "file" if is_file(last) else "other" if last else ""
    return _Form(parts[0].lower(), len(parts), kind, len(last))


def _likeness(own: _Form, other: _Form, found: str) -> str:
    if own.host != other.host:
        return found
    if own[1:3] == other[1:3]:
        margin = {"number": 1, "hash": 0}.get(own.kind, _LONGEST_LINE)
        if abs(own.size - other.size) <= margin:
            return "same form"
    return found or ("deeper" if other.parts > own.parts else "same host")


_DEEP = 4


def indent(at: LineBreak) -> str:
    r"""Return whether the next line is indented more or less than this one.

    >>> indent(first_line_break("   http://a.example/b\nand"))
    'less'
    """
    own, following = at.indent, at.next_indent
    return "less" if following < own else "more" if following > own else "the same, deep" if own >= _DEEP else ""


def space_left(at: LineBreak) -> float:
    """Return by how many characters the line is shorter than the longest usual line nearby."""
    return min(at.margin - at.width, _LONGEST_WORD)


def lines_as_long(at: LineBreak) -> float:
    """Return the number of lines nearby that are about as long, at most 8."""
    lengths = at.around.lengths
    return min(bisect_right(lengths, at.width + 1) - bisect_left(lengths, at.width - 4), 8)


Value = str | float


class Clue(NamedTuple):
    """A clue: the function that looks at a line end, and what it looks at, for users."""

    value: Callable[[LineBreak], Value]
    meaning: str

    @property
    def name(self) -> str:
        """The name of the clue, as in `model`."""
        return self.value.__name__


NEAR = (
    Clue(open_end, "a character at the URL's end after which more usually follows, and what follows it"),
    Clue(complete, "whether the URL so far looks complete: an item number, a hash, a Message-ID, a file"),
    Clue(sides, "the characters on both sides of the line end"),
    Clue(next_word, "what the next word looks like"),
    Clue(next_word_ends, "the mark that ends the next word"),
    Clue(next_word_is, "whether the token is something of its own: a host, a hash, a path from the root"),
    Clue(url_end, "how often URLs end after the last characters of this one"),
    Clue(across, "how often the characters on both sides follow each other in URLs"),
    Clue(first_word, "how much likelier the token begins a piece of a URL than a line of prose"),
    Clue(next_word_length, "the length of the token"),
    Clue(alone, "whether the URL or the token has a line of its own"),
    Clue(room, "whether the line had room for the token"),
    Clue(same_start, "whether the next line starts as the URL's own line or the line after it does"),
    Clue(bracket, "where a bracket closes that was opened right before the URL"),
    Clue(quote_depth, "the number of quote marks"),
)
"""The clues of the first stage. If they decide, the lines around are not examined."""

FAR = (
    Clue(urls_nearby, "other URLs of the host nearby, and whether they have the form of this one"),
    Clue(indent, "whether the next line is indented more or less than this one"),
    Clue(space_left, "by how many characters the line is shorter than the longest usual line nearby"),
    Clue(lines_as_long, "the number of lines nearby that are about as long"),
)
"""The clues of the lines around."""
