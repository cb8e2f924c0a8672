"""What a piece of text looks like by its characters alone: a word of prose, a number, a piece of a URL."""

import re

CLOSERS = ".,;:!?)]}'\"*>\u2019\u201d\u00bb\u2026"
"""What may stand behind a URL or a word and not belong to it."""

_SUFFIXES = frozenset(
    """
    htm html hhtm hhtml jhtm jhtml phtm phtml shtm shtml xhtm xhtml php php0 php1 php2 php3 php4 php5 php6 php7 php8
    php9 asp aspx jsp cgi cfm nsf dll txt text md rst tex bib pdf ps eps dvi doc docx odt rtf xls xlsx csv ppt pptx xml
    xsd dtd rng rss rdf json yml yaml asn mib css js jpg jpeg gif png ico svg mp3 mp4 mpg mpeg mov wav avi zip tar gz
    tgz bz2 xz z lha lzh hqx bin exe iso img dmg deb rpm jar c h cc cpp hpp go rs py pl el sh r java patch diff conf log
    readme guide faq mbox asc sig
    """.split()
)
"""The suffixes of file names, in small letters."""

_CAPITALS = re.compile("[A-Z]{2,4}")

_SHAPE = re.compile(
    r"""(?:
    (?P<small>[a-z']+) | (?P<name>[A-Z][a-z']+) | (?P<capitals>[A-Z]{2,}) | (?P<camel>[A-Za-z]+)
    | (?P<number>[0-9]+(?:\.[0-9]+)*|[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}|[0-9]{1,2}(?::[0-9]{2}){1,2}
        |[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4})
    | (?P<hex>(?=[a-f]*[0-9])[0-9a-f]{5,})
    | (?P<letters_and_digits>[A-Za-z0-9]+)
    | (?P<words>[A-Za-z][^\W\d_]*(?:-[^\W\d_]+)+|[A-Z]\w*(?:/[A-Z]\w*)+)
    )\Z""",
    re.VERBOSE,
)
WORDS = frozenset(("small", "name", "capitals", "camel"))
"""The shapes of one word."""

_MARK = re.compile("[=?&%_~]")
_PATH = re.compile(r"(?>.*?\w/[\w~]).*[/.0-9]|(?>.*?\w[./]\w).*/", re.DOTALL)


def shape(word: str) -> str:
    """Return what *word*, a token without the sentence's punctuation, is by its letters and digits; empty for no word.

    >>> [shape(text) for text in ("is", "Then", "RFC", "GitHub", "Editor-in-Chief", "5498", "9f86d08", "b.html")]
    ['small', 'name', 'capitals', 'camel', 'words', 'number', 'hex', '']
    """
    match = _SHAPE.match(word)
    return str(match.lastgroup) if match else ""


def other_look(word: str) -> str:
    """Return what *word*, which has no `shape`, looks like.

    >>> [other_look(text) for text in ("b.html", "c/d?e=f", "a/b", "/a")]
    ['file', 'marked', 'slash', 'slash first']
    """
    if not word.isascii():
        return "not ASCII"
    if is_file(word):
        return "path to a file" if "/" in word else "file"
    if _MARK.search(word) or ("/" in word and _PATH.match(word)):
        return "marked"
    if word[:1] == "/":
        return "slash first"
    inside = word[1:]
    return "slash" if "/" in inside else "dot" if "." in inside else "hyphen" if "-" in inside else "other"


def is_file(text: str) -> bool:
    """Tell whether *text* ends in the suffix of a file name.

    >>> [is_file(text) for text in ("a/b.html", "b.html/", "html", ".PDF", "b.xyz")]
    [True, False, False, True, False]
    """
    _, dot, suffix = text.rpartition(".")
    return dot != "" and (suffix.lower() in _SUFFIXES or _CAPITALS.fullmatch(suffix) is not None)


def has_all_kinds(text: str) -> bool:
    """Tell whether *text* has digits, small letters and capitals, as what a program made up has."""
    return bool(_DIGIT.search(text)) and text.upper() != text and text.lower() != text


_DIGIT = re.compile("[0-9]")
