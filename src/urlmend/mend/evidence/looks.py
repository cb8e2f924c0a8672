"""What a piece of text looks like by its characters alone: a word of prose, a number, a piece of a URL."""

import re

CLOSERS = ".,;:!?)]}'\"*>\u2019\u201d\u00bb\u2026"
"""What may stand behind a URL or a word and not belong to it."""

_FILE = re.compile(
    r"\.(?:[hjpsx]?html?|php[0-9]?|aspx?|jsp|cgi|cfm|nsf|dll|txt|text|md|rst|tex|bib|pdf|e?ps|dvi|docx?|odt|rtf|xlsx?|csv"
    r"|pptx?|xml|xsd|dtd|rng|rss|rdf|json|ya?ml|asn|mib|css|js|jpe?g|gif|png|ico|svg|mp[34g]|mpe?g|mov|wav|avi|zip|tar"
    r"|t?gz|tgz|bz2|xz|Z|lha|lzh|hqx|bin|exe|iso|img|dmg|deb|rpm|jar|[ch]|cc|[ch]pp|go|rs|py|pl|el|sh|R|java|patch|diff"
    r"|conf|log|readme|guide|faq|mbox|asc|sig)|(?-i:\.[A-Z]{2,4})",
    re.IGNORECASE,
)
"""The suffix of a file name, from its dot to its end."""

_SHAPE = re.compile(
    r"""(?:
    (?P<word>[a-z']+|[A-Z][a-z']+|[A-Z]{2,}|[A-Za-z]+)
    | (?P<number>[0-9]+(?:\.[0-9]+)*|[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}|[0-9]{1,2}(?::[0-9]{2}){1,2}
        |[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4})
    | (?P<hex>(?=[a-f]*[0-9])[0-9a-f]{5,})
    | (?P<letters_and_digits>[A-Za-z0-9]+)
    | (?P<words>[A-Za-z][^\W\d_]*(?:-[^\W\d_]+)+|[A-Z]\w*(?:/[A-Z]\w*)+)
    )\Z""",
    re.VERBOSE,
)
_STRONGLY_MARKED = re.compile(r"[=?&%_~]|\A(?>.*?\w/[\w~]).*[/.0-9]|\A(?>.*?\w[./]\w).*/", re.DOTALL)


def token_look(token: str, word: str) -> str:
    """Return what *token* looks like; *word* is the token without the sentence's punctuation.

    >>> [token_look(text, text) for text in ("is", "Editor-in-Chief", "5498", "9f86d08", "b.html", "c/d?e=f", "a/b")]
    ['word', 'words', 'number', 'hex', 'file', 'marked', 'slash']
    """
    if shape := _SHAPE.match(word):
        return str(shape.lastgroup)
    if not word.isascii():
        return "not ASCII"
    if is_file(word):
        return "path to a file" if "/" in word else "file"
    if _STRONGLY_MARKED.search(word):
        return "marked"
    inside = word[1:]
    if token[0] == "/":
        return "slash first"
    return "slash" if "/" in inside else "dot" if "." in inside else "hyphen" if "-" in inside else "other"


def is_file(text: str) -> bool:
    """Tell whether *text* ends in the suffix of a file name.

    >>> [is_file(text) for text in ("a/b.html", "b.html/", "html", ".PDF", "b.xyz")]
    [True, False, False, True, False]
    """
    dot = text.rfind(".")
    return dot >= 0 and _FILE.fullmatch(text, dot) is not None


def has_all_kinds(text: str) -> bool:
    """Tell whether *text* has digits, small letters and capitals, as what a program made up has."""
    return bool(_DIGIT.search(text)) and text.upper() != text and text.lower() != text


_DIGIT = re.compile("[0-9]")
