"""What a piece of text is by its characters alone: a word of prose, a number, a piece of a URL."""

import re

from urlmend.text.patterns import lazy_regex

CLOSERS = ".,;:!?)]}'\"*>\u2019\u201d\u00bb\u2026\u27e9\u055d\u060c\u061b\u061f\u06d4\u0964\u0965\u1362\u1363"
"""Characters that may follow a URL or a word without being part of it."""

RULED = "-_=+~"
LEAST_RULE = 8
"""How many of these characters in a row make a rule. A mailing list adds one below a mail, on the last line itself if
that has no line end."""


def is_rule(text: str) -> bool:
    """Return whether *text*, of at most LEAST_RULE characters, is a rule or the end of one.

    >>> [is_rule(text) for text in ("--------", "=======", "a-------")]
    [True, False, False]
    """
    return len(text) == LEAST_RULE and not text.strip(RULED)


COMMON = frozenset(
    """
    a about above across after all also although am an and any are as at back based be because been before being below
    between both but by can cf click contact copy could did do does each either else email even every few first
    following for format free from full get had has have he hello help her here hi his home how however i if in info
    information into is it its just know last like list lists made mail mailing make many may me more most much must my
    name need new next no nor not note now of off on once one only or other our out over own page please project read
    regards same see send sent she should show since site so some still such support thanks than that the their them
    then there these they think this those though through thus time to too two under until unsubscribe up us use used
    user users using very via visit was way we web well were what when where which while who whose why will with within
    without work would wrote yes yet you your
    al auf con da dans das de del den der des di die ein eine el en est et il im ist la las le les los mit na nicht non
    oder par para per por pour que sie sono sur un una und une vom von was zu zum zur
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    """.split()
)
"""The commonest words of mail and news, with the days and the months."""

_SUFFIXES = frozenset(
    """
    htm html hhtm hhtml jhtm jhtml phtm phtml shtm shtml xhtm xhtml php php0 php1 php2 php3 php4 php5 php6 php7 php8
    php9 asp aspx jsp cgi cfm nsf dll txt text md rst tex bib pdf ps eps dvi doc docx odt rtf xls xlsx csv ppt pptx xml
    xsd dtd rng rss rdf json yml yaml asn mib css js jpg jpeg gif png ico svg mp3 mp4 mpg mpeg mov wav avi zip tar gz
    tgz bz2 xz z lha lzh hqx bin exe iso img dmg deb rpm jar c h cc cpp hpp go rs py pl el sh r java patch diff conf log
    readme guide faq mbox asc sig
    """.split()
)
LONGEST_SUFFIX = max(map(len, _SUFFIXES))
_MORE_ENDS = frozenset("com edu git gov net org".split())
_CAPITALS = lazy_regex("[A-Z]{2,4}")

_SHAPE = lazy_regex(
    r"""(?:
    (?P<small>[a-z']++) | (?P<name>[A-Z][a-z']++) | (?P<capitals>[A-Z]{2,}+) | (?P<camel>[A-Za-z]++)
    | (?P<number>[0-9]++(?:\.[0-9]++)*+|[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}|[0-9]{1,2}(?::[0-9]{2}){1,2}
        |[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4})
    | (?P<hex>(?=[a-f]*[0-9])[0-9a-f]{5,})
    | (?P<letters_and_digits>[A-Za-z0-9]++)
    | (?P<words>[A-Za-z][^\W\d_]*+(?:-[^\W\d_]++)++) | (?P<pair>[A-Z]\w*+(?:/[A-Z]\w*+)++)
    )\Z""",
    re.VERBOSE,
)
_ONE_WORD = frozenset(("small", "name", "capitals", "camel"))


_MARK = lazy_regex("[=?&%_~]")
_PATH = lazy_regex(r"(?>.*?\w/[\w~]).*[/.0-9]|(?>.*?\w[./]\w).*/", re.DOTALL)


def look(word: str) -> str:
    """Return what *word* looks like: a word, a number, a file, or another piece of a URL.

    >>> [look(text) for text in ("is", "Then", "RFC", "GitHub", "Editor-in-Chief", "Linux/UNIX", "5498", "9f86d08")]
    ['word, small', 'word, name', 'word, capitals', 'word, camel', 'words', 'pair', 'number', 'hex']
    >>> [look(text) for text in ("b.html", "c/d?e=f", "a/b", "/a")]
    ['file', 'marked', 'slash', 'slash first']
    """
    if match := _SHAPE.match(word):
        kind = str(match.lastgroup)
        return f"word, {kind}" if kind in _ONE_WORD else kind
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
    """Return whether *text* ends in the suffix of a file name.

    >>> [is_file(text) for text in ("a/b.html", "b.html/", "html", ".PDF", "b.xyz")]
    [True, False, False, True, False]
    """
    _, dot, suffix = text.rpartition(".")
    return dot != "" and (suffix.lower() in _SUFFIXES or _CAPITALS.fullmatch(suffix) is not None)


def completes_suffix(end: str, word: str) -> bool:
    """Return whether *word* completes the suffix, or the top label, that a URL with this *end* has begun.

    At all 100 known line ends where one does, the URL goes on.

    >>> [completes_suffix(end, word) for end, word in (("b.ht", "ml"), ("e.or", "g"), ("b.js", "on"), ("b.c", "C"))]
    [True, True, False, False]
    """
    _, dot, begun = end.rpartition(".")
    whole = begun + word
    ending = whole.lower() if whole.isupper() else whole
    is_known = ending in _SUFFIXES or ending in _MORE_ENDS
    return dot != "" and is_known and begun.isalpha() and word.isalpha() and word.lower() not in COMMON
