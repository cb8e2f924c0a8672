"""Clues of the token: whether the next line's first word reads as URL or as prose."""

import re

from urlmend.mend.evidence.clues_url import url_ends
from urlmend.mend.evidence.looks import WORDS, is_file
from urlmend.mend.evidence.words import COMMON, begins_like_a_word, has_vowel
from urlmend.mend.line_break import LineBreak

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
_NUMBERING = re.compile(
    r"[(\[]?(?:[0-9]{1,3}(?:\.[0-9]+)*|[ivx]+|[A-Z][0-9]?)[.)\]]+:?\Z|[0-9]{1,2}(?:\.[0-9]{1,2})+\Z|\["
)
_HOST = re.compile(r"(?:www\.[a-z0-9]|[a-z0-9-]+\.(?:com|org|net|edu|gov|io|de|uk|fr|ch)\b)", re.IGNORECASE)
_LAST_HEX = re.compile(r"[0-9a-f]+\Z")
_NEXT_HEX = re.compile(r"(?=[a-f]*[0-9]|[0-9a-f]{1,3}(?![0-9A-Za-z]))[0-9a-f]+(?![g-zG-Z_])")
_SUFFIX_SO_FAR = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
_FIRST_LETTERS = re.compile("[A-Za-z0-9]{1,5}")
_ENCLOSING = frozenset(",()[]{}|\\^'\u2019")
_CLOSING = frozenset(")]}'\"\u2019\u201d")
_LENGTHS = ("0 or 1", "0 or 1", "2 or 3", "2 or 3", "4 to 6", "4 to 6", "4 to 6", "", "", "", "", "")
_HASHES = (12, 40, 64)
_LEAST_HASH = 7


def sides(at: LineBreak) -> str:
    r"""Tell the characters on both sides of the line end.

    >>> sides(first_line_break("http://a.example/b/\nCapital"))
    '/ | capital'
    """
    return f"{url_ends(at)} | {_STARTS.get(at.token[0], 'other')}"


def url_end_and_look(at: LineBreak) -> str:
    r"""Tell what the token looks like, behind a slash, a full stop, a letter or a digit.

    >>> url_end_and_look(first_line_break("http://a.example/b/\nc.html"))
    '/ | file'
    """
    end = url_ends(at)
    if end in {"letter", "digit"}:
        return f"letter or digit | {at.look}"
    return f"{end} | {at.look}" if end in {"/", "."} else ""


def word_shape(at: LineBreak) -> str:
    r"""Tell the capitals of a token that is of letters only.

    >>> word_shape(first_line_break("http://a.example/b\nThen"))
    'name'
    """
    return at.shape if at.shape in WORDS else ""


def common_word(at: LineBreak) -> str:
    r"""Tell a word that is in most texts; behind a hyphen it may be a URL's.

    >>> common_word(first_line_break("http://a.example/b\nfor all"))
    'common'
    """
    return "common" if at.word.lower() in COMMON and at.url[-1] != "-" else ""


def unlike_words(at: LineBreak) -> str:
    r"""Tell a token with letters that no word begins with.

    >>> unlike_words(first_line_break("http://a.example/buil\ndbot"))
    'begins like no word'
    """
    word = at.word
    if len(word) <= 1 or not (word[0].isalpha() and word[1].isalpha()) or not word.isascii():
        return ""
    if not begins_like_a_word(word):
        return "begins like no word"
    return "" if not word.isalpha() or has_vowel(word) else "no vowel"


def inside_token(at: LineBreak) -> str:
    r"""Tell characters that are seldom inside a URL.

    >>> inside_token(first_line_break("http://a.example/b\njane@a.example"))
    '@'
    """
    token = at.token
    if token.isalnum():
        return ""
    if "@" in token:
        return "@"
    if ":" in token[1:-1]:
        return ":"
    return "bracket or comma" if not _ENCLOSING.isdisjoint(at.word) else ""


def numbering(at: LineBreak) -> str:
    r"""Tell the number of a list's item or of a section.

    >>> numbering(first_line_break("http://a.example/b\n2. More"))
    'numbering'
    """
    return "numbering" if _NUMBERING.match(at.token) else ""


def token_ends(at: LineBreak) -> str:
    r"""Tell what the token ends in.

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


def length(at: LineBreak) -> str:
    r"""Tell the length of the token: a long one is no word.

    >>> length(first_line_break("http://a.example/b\nis"))
    '2 or 3'
    """
    size = len(at.word)
    if size < len(_LENGTHS):
        return _LENGTHS[size]
    return "12 to 24" if size < 25 else "25 to 39" if size < 40 else "40 and more"  # noqa: PLR2004 -- said beside


def host_name(at: LineBreak) -> str:
    r"""Tell a host's name at the token's start.

    >>> host_name(first_line_break("http://\nwww.a.example/b"))
    'host'
    """
    return "host" if _HOST.match(at.word) else ""


def suffix_completed(at: LineBreak) -> str:
    r"""Tell a file's suffix that was cut.

    >>> suffix_completed(first_line_break("http://a.example/b.ht\nml"))
    'suffix'
    """
    if "." not in at.url[-6:] or not at.path or not (start := _SUFFIX_SO_FAR.search(at.url, len(at.url) - 6)):
        return ""
    rest = _FIRST_LETTERS.match(at.word)
    whole = rest and len(rest[0]) < 5 and is_file(start[0] + rest[0])  # noqa: PLR2004 -- the longest is .xhtml
    return "suffix" if whole else ""


def hash_digits(at: LineBreak) -> str:
    r"""Tell a hash that was cut, by its length.

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


TOKEN_CLUES = (
    sides,
    url_end_and_look,
    word_shape,
    common_word,
    unlike_words,
    inside_token,
    numbering,
    token_ends,
    length,
    host_name,
    suffix_completed,
    hash_digits,
)
