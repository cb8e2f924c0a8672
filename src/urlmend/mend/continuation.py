"""Whether a bare URL that ends its line goes on in the next: by evidence, and not by one rule.

Both mistakes are wrong: a torn URL, and a URL with the next line's word glued on. The kinds of evidence are functions
of the line break between the two lines, each with an excerpt that shows the kind of text it was learnt from.
"""

import re

from urlmend.mend.line_break import LineBreak
from urlmend.text.line_ends import EOL
from urlmend.text.schemes import COMMON_SCHEMES, OPAQUE_SCHEMES, either, last_letters

SOFT_HYPHEN = "\u00ad"
HYPHENS = ("-", "\u2010")
_SPLIT_SCHEME = re.compile(rf"(?i:{either(COMMON_SCHEMES)}):(/{{0,2}})")
_HOST_START = re.compile(r"[A-Za-z0-9\-]+\.[A-Za-z0-9]")
# From the last letter of a scheme on: tokens may have thousands of characters, and each is looked at once.
_SCHEME = r"[A-Za-z][0-9+.\-]*+:"
_SCHEME_AND_SLASHES = re.compile(f"{_SCHEME}//")
_SCHEME_AND_AT = re.compile(f"(?>.*?{_SCHEME}).+@", re.DOTALL)
_NAMES = ("url", *(scheme.name for scheme in OPAQUE_SCHEMES if scheme.starts_anew))
_KNOWN_SCHEME = re.compile(
    f":(?<={last_letters(_NAMES)}:)(?:{'|'.join(f'(?<={name}:)' for name in _NAMES)})", re.IGNORECASE
)
_RULE_OR_BULLET = re.compile(r"[-=_*+#~.|/\\]+$|[^\w/?&=%.#]\W|\W$|\(")
_HEADER = re.compile(r"[A-Z][A-Za-z-]*:$")
# Characters that words of prose do not have inside.
_MARKED = re.compile(r"[=?&%_~#]|\w/\w|/$|\w\.[A-Za-z0-9]")
_STRONGLY_MARKED = re.compile(r"[=?&%_~]|\A(?>.*?\w/[\w~]).*[/.0-9]|\A(?>.*?\w[./]\w).*/", re.DOTALL)
_FILE = re.compile(
    r"\.(?:[hjpsx]?html?|php[0-9]?|aspx?|jsp|cgi|cfm|nsf|txt|text|md|rst|tex|pdf|e?ps|dvi|doc|rtf|xls|csv|xml|xsd|dtd"
    r"|rng|json|ya?ml|asn|mib|css|js|jpe?g|gif|png|ico|svg|mp[34g]|wav|avi|zip|tar|t?gz|tgz|bz2|xz|Z|lha|lzh|exe|iso|dmg"
    r"|deb|rpm|jar|[ch]|[ch]pp|py|pl|el|sh|java|patch|diff|conf|readme|guide|faq)$|(?-i:\.[A-Z]{2,4})$",
    re.IGNORECASE,
)
# A piece of a URL: no address, no ASCII art, no URL of its own. What ends in an `@` may be anything behind `/`, `?` or
# `=`; that is looked for once in a segment.
_ENCLOSED = r"\((?=[\w-]+\))"
_UP_TO_AT = r"(?:[^/?#@]*+@)*+"
_SEGMENT = rf"{_UP_TO_AT}(?:[^@\[\]{{}}|\\^#(/?]++|{_ENCLOSED})*+"
_FIRST_SEGMENT = rf"(?:[^@\[\]{{}}|\\^#(/?=]++|{_ENCLOSED})*+(?:={_SEGMENT})?+"
_PIECE = re.compile(
    rf"{_FIRST_SEGMENT}(?:#{_FIRST_SEGMENT}|(?!//)/{_SEGMENT}|\?{_SEGMENT})*+"
    r"(?:(?<=[^\W_])|(?<=[^\W_][-/=&_?])|(?<=\))|(?<=\)/))"
)
# Host names and times of day have dots only; so have file names, which end in a suffix that is known.
_DOTTED = re.compile(r"[\w-]++(?:\.[\w-]++)++")
_LETTER_AND_DIGIT = re.compile(r"(?=.*[0-9]).*[A-Za-z]")
_CAPITALISED_PAIR = re.compile(r"[A-Z]\w*(?:/[A-Z]\w*)+$")
_LIST_NUMBER = re.compile(r"\(?\[?[0-9]{1,3}[.)\]]")
# Slashes of prose: "HTTP/1.1", "and/or".
_NO_PATH = re.compile(r"[A-Z]+/[0-9.]+$|(?:and/or|either/or|s?he/s?he|his/her|him/her|w/o?|n/a|I/O|TCP/IP)\b(?!/)")
# Several words in one, as in "yang-parameters" and "REC-geolocation-API-20161108", but not "Editor-in-Chief".
_COMPOUND = re.compile(r"(?=[^A-Z]+$|.*[0-9])[\w.+]++(?:-[\w.+]++)++-?")
_UNFINISHED_HOST = re.compile(r"[A-Za-z]+://(?P<host>[A-Za-z0-9.\-]+)\.")
_REST_OF_HOST = re.compile(r"[a-z0-9\-]+(?:\.[a-z0-9\-]+)*/\w")


def _holds_other_url(token: str) -> bool:
    return ":" in token and (
        _SCHEME_AND_SLASHES.search(token) is not None
        or ("@" in token and _SCHEME_AND_AT.match(token) is not None)
        or _KNOWN_SCHEME.search(token) is not None
    )


# What may be a page break's footer, behind a line end: what follows it is looked at as the next line would be.
_NO_FOOTER = rf"(?!(?:[ \t]*{EOL})*+[^\r\n\[]*+(?:\[(?![Pp])[^\r\n\[]*+)*+\[)"
_PROSE = r"[A-Za-z]+(?:[,;:!?]*[ \t\r\n]|\.[ \t]+[^ \t\r\n])"
# A bracket, a quote, a bullet, a rule line, an address, another URL. "-- " may be a leader.
_NO_PIECE = (
    r"[(\[<\"`]|[-=_~+](?:[-=_~+]{2,})?[ \t\r\n]|[-~+][!-/:-@\[-^`{-~](?:[!-~]|[ \t]*[\r\n])"
    r"|[A-Za-z]{2,12}://|[A-Za-z0-9][A-Za-z0-9.+\-]{0,80}@[A-Za-z0-9]"
)
# No line end, or one and a line that is blank or begins with a word of prose, behind marks that may be a leader. Behind
# a slash or a full stop, the last word of a line, with a full stop, may be the URL's.
_ENDS = re.compile(
    rf"\Z|[^ \t\r\n]|[ \t]+[^ \t\r\n]"
    rf"|(?<=[A-Za-z0-9])[ \t]*{EOL}{_NO_FOOTER}[ \t>|:#;*]*(?!dnl[ \t])(?:[A-Za-z]+[.,;:!?]*[ \t\r\n]|[\r\n])"
    rf"|(?<=[/.])[ \t]*{EOL}{_NO_FOOTER}[ \t>|]*(?!dnl[ \t])(?:{_PROSE}|[\r\n])"
    rf"|(?<=[A-Za-z0-9/.])[ \t]*{EOL}{_NO_FOOTER}[ \t>|]*(?:{_NO_PIECE})"
)


def ends_here(view: str, stop: int, limit: int) -> bool:
    """Tell at a glance that a URL which stops at *stop* in *view* does not go on before *limit*; mostly a word follows.

    Where it says so, `continues` would say no. Where it does not, nothing is told.
    """
    return _ENDS.match(view, stop, limit) is not None


def continues(line_break: LineBreak) -> bool:
    """Tell whether the URL on the left of *line_break* goes on behind it."""
    if split := _SPLIT_SCHEME.fullmatch(line_break.text):
        return goes_on_after_scheme(line_break, split[1])
    token = line_break.token
    if _holds_other_url(token) or _RULE_OR_BULLET.match(token) or _NO_PATH.match(token):
        return False
    if line_break.text.endswith((*HYPHENS, SOFT_HYPHEN)):
        return goes_on_after_hyphen(line_break)
    in_list = _LIST_NUMBER.fullmatch(token) or (line_break.listed and not line_break.full)
    if in_list or (_HEADER.match(token) and line_break.rest):
        return False
    if line_break.text[-1] == "/":
        return goes_on_after_slash(line_break)
    return starts_inside(line_break) or goes_on_after_delimiter(line_break) or breaks_at_margin(line_break)


def goes_on_after_scheme(line_break: LineBreak, slashes: str) -> bool:
    """`https:⏎//a.example/b` and `https://⏎a.example/b`: a scheme alone is no URL; a host must follow."""
    missing = "//"[len(slashes) :]
    return line_break.token.startswith(missing) and _HOST_START.match(line_break.token, len(missing)) is not None


def goes_on_after_hyphen(line_break: LineBreak) -> bool:
    """`http://a.example/info-⏎war.html`: no URL of a sentence ends in a hyphen, but a dash or a rule does."""
    return not line_break.text.endswith(("--", "/-")) and line_break.token[0].isalnum()


def goes_on_after_slash(line_break: LineBreak) -> bool:
    """`http://a.example/drafts/⏎draft-5.txt`: here typesetters break first, and here URLs end in prose too.

    The token must look like a piece of a URL. A compound with hyphens (`xml-registry`) or a last word (`final.`) is not
    enough alone: it must not have fitted into the line before.
    """
    word = line_break.word
    if not _PIECE.fullmatch(word) or _CAPITALISED_PAIR.match(word):
        return False
    if _DOTTED.fullmatch(word):
        return _FILE.search(word) is not None or (line_break.full and _LETTER_AND_DIGIT.match(word) is not None)
    if word[0] == "#":
        return line_break.full
    if _MARKED.search(word):
        return True
    if _COMPOUND.fullmatch(word) or _LETTER_AND_DIGIT.match(word):
        return line_break.full or line_break.joined
    is_last = line_break.ends_block and not line_break.rest and line_break.token.endswith(".") and word.isalnum()
    return is_last and line_break.full and line_break.text.count("/") > _SLASHES_OF_A_PATH


# "http://host/" has three; a path that goes on has a directory.
_SLASHES_OF_A_PATH = 3


_LEAST_PIECE = 3


def starts_inside(line_break: LineBreak) -> bool:
    """`http://a.example/wash⏎/news.shtml`, `...networking⏎-faq.part1.html`: no sentence starts like that."""
    token = line_break.token
    if token[0] == "/":
        return token[1:2].isalnum() and len(line_break.word) >= _LEAST_PIECE and line_break.text[-1].isalnum()
    if token[0] in "?&=%":
        return token[1:2].isalnum() and len(line_break.word) >= _LEAST_PIECE
    if token[0] == "-":
        return (
            token[1:2].isalpha()
            and (_STRONGLY_MARKED.search(line_break.word) or _FILE.search(line_break.word)) is not None
        )
    return token[0] == "." and _FILE.fullmatch(line_break.word) is not None and not _FILE.search(line_break.text)


def goes_on_after_delimiter(line_break: LineBreak) -> bool:
    """`http://a.example/?b=1&⏎c=2`, `http://www.⏎a.example/b`, `doc;⏎type=d`: what stops there waits for more."""
    if host := _UNFINISHED_HOST.fullmatch(line_break.text):
        rest = _HOST_START if host["host"].lower() == "www" else _REST_OF_HOST
        return rest.match(line_break.token) is not None
    if line_break.text.endswith(";"):
        return line_break.text.lower().startswith("ftp:") and re.fullmatch("type=[AIDaid]", line_break.word) is not None
    if line_break.text[-1] not in "&=?%_" or "?" not in line_break.text:
        return False
    return _MARKED.search(line_break.word) is not None and line_break.full


def breaks_at_margin(line_break: LineBreak) -> bool:
    """`http://a.example/proceedings/HTTPLat⏎ency.html`: a program cut the line at the margin, in mid-word."""
    if not line_break.at_margin or _FILE.search(line_break.text) or not _PIECE.fullmatch(line_break.word):
        return False
    marked = _STRONGLY_MARKED.search(line_break.word) or _FILE.search(line_break.word)
    return marked is not None and not _CAPITALISED_PAIR.match(line_break.word)
