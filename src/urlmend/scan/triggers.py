"""What betrays a URL: the colon that the scanner looks for first, and what must stand on both sides of it."""

import re
from functools import cache

MAX_SCHEME_LENGTH = 40
"""The longest scheme name; the longest registered one has 36 characters."""


def _up_to_at(most: int, *, but: str = "") -> str:
    """Return what matches up to an `@` after at most *most* characters: no white space, `<>"` or backquotes, nor *but*.

    First it looks whether there is one at all. Without a class among them, `re` finds the exceptions in a table, in
    half the time that it takes to go through a list; a table up to the last character is slow to make.
    """
    before = rf'[^\t-\r "<>@`{but}]'
    return rf"(?=[^@]{{1,{most}}}+@){before}{{1,{most}}}+@"


# What a known opaque scheme needs on its right to be a URL in running text, so that `12:30` and `std::map` are none.
# Beyond ASCII they ask for nothing, as the text may be a view of bytes: where the URL ends, the shape must be there.
_OPAQUE_SHAPES = {
    "mailto": rf"""(?:{_up_to_at(200, but="?")}[^\s<>"`]|\?[\w-]+=)""",  # RFC 6068
    "news": rf"""(?:{_up_to_at(250, but="/")}[A-Za-z0-9\[]|[A-Za-z][\w+\-]*+\.[\w+\-]|\*(?=[\s>]))""",  # RFC 5538
    "urn": r"[A-Za-z0-9][A-Za-z0-9\-]{1,31}:[A-Za-z0-9(%+_.\-]",  # RFC 8141
    "doi": r"10\.[0-9]{3,9}(?:\.[0-9]+)*/",
    "tel": r"\+[0-9(.\-]{6}",  # RFC 3966
    "sip": rf"(?:{_up_to_at(200)}[A-Za-z0-9\[]|[a-z0-9\-]+\.[a-z])",  # RFC 3261
    "sips": rf"(?:{_up_to_at(200)}[A-Za-z0-9\[]|[a-z0-9\-]+\.[a-z])",
    "mid": rf"{_up_to_at(250)}[A-Za-z0-9]",  # RFC 2392
    "cid": rf"{_up_to_at(250)}[A-Za-z0-9]",
    "xmpp": rf"{_up_to_at(200)}[A-Za-z0-9]",  # RFC 5122
    "magnet": r"\?[a-z.0-9]+=",
    "data": r"(?:[\w.+\-]+/[\w.+\-]+)?(?:;[\w=.\-]+)*,[^\s,]",  # RFC 2397
    "file": r"/[A-Za-z0-9~.%_]",  # RFC 8089
}
# In running text these are written in lower case; "Tel: +49" is a label.
_LOWER_CASE_ONLY = frozenset({"tel", "data", "mid", "cid", "file", "sip", "sips"})

KNOWN_SCHEMES = frozenset(
    "http https ftp ftps sftp tftp gopher mailto news nntp snews telnet tn3270 wais file prospero shttp imap imaps pop "
    "pops ldap ldaps nfs afs smb ssh git svn cvs hg bzr rsync rtsp rtmp mms irc ircs ws wss sip sips xmpp jabber urn "
    "doi tel cid mid data magnet webcal dict finger z39.50r z39.50s acap vemmi rlogin coap coaps redis mysql postgres "
    "postgresql mongodb jdbc s3 gs hdfs ipfs about view-source chrome-extension".split()
)
_SCHEME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-"


def _either_case(word: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in word)


# Behind the colon and the character that follows it.
_THERE = ":."


def _opaque(scheme: str, shape: str) -> str:
    name = scheme if scheme in _LOWER_CASE_ONLY else _either_case(scheme)
    return rf"(?<={name}:(?={shape}).)"


def _opening() -> str:
    """Return what finds `<mailto:` and the like: first a `<` near, then in the right place, then the names."""
    names: dict[int, list[str]] = {}
    for scheme in _OPAQUE_SHAPES:
        names.setdefault(len(scheme), []).append(_either_case(scheme))
    openings = (f"(?<=<{'.' * size}{_THERE})(?<=(?:{'|'.join(some)}){_THERE})" for size, some in names.items())
    return f"(?<!{'[^<]' * (max(names) + 1)}{_THERE})(?:{'|'.join(openings)})"


# The last two letters of every opaque scheme, and of "url": most words before a colon end in others.
_LAST_LETTERS = "".join(
    f"[{''.join(sorted({either for name in (*_OPAQUE_SHAPES, 'url') for either in (name[at], name[at].upper())}))}]"
    for at in (-2, -1)
)


def _may_be_split(there: str) -> str:
    """Return what in running text a line end may follow; an angle makes it plain for any, and stands near.

    "Jane wrote:" is the commonest line with a colon at its end.
    """
    return (
        rf"(?<=[A-Za-z0-9]{there})(?:(?<![ \r\n]wrote{there})(?<![ \r\n]writes{there})"
        rf"(?<![^<]{{{MAX_SCHEME_LENGTH}}}{there})|(?<=[TtFf][Tt][Pp]{there})|(?<=[Tt][Pp][Ss]{there}))"
    )


# One whose inside holds another "<" was never closed.
_WRAPPER = rf"(?<={_either_case('url')}:(?![^<>&]{{0,100}}<).)"
_LINE_END = r"[ \t]*[\r\n]"

# By what stands behind the colon, so that "Date: " and "12:30" cost few looks. Each branch begins with a class, which
# `re` looks up before it enters the branch; what is behind the colon is then looked at from behind.
SLASHES = r"(?<=[A-Za-z0-9+.\-]://)(?P<slashes>)"
OTHERS = (
    rf"[ \t](?:{_WRAPPER}(?P<wrapper>)|{_opening()}(?P<opening>)"
    rf"|[ \t\r\n]{_may_be_split(':..')}(?:(?<=[\r\n])|{_LINE_END})(?P<split>))"
    rf"|[\r\n](?:{_WRAPPER}(?P<wrapper_end>)|{_opening()}(?P<opening_end>)|{_may_be_split(_THERE)}(?P<split_end>))"
    rf"|/(?={_LINE_END})(?<=[A-Za-z0-9]:/)(?P<split_slash>)"
    # The scheme behind it is passed over: a search for what it betrays would be in vain.
    rf"|[^ \t\r\n](?<={_LAST_LETTERS}{_THERE})"
    rf"(?:{_WRAPPER}(?P<wrapper_filled>)(?:(?<=[Hh])[Tt][Tt][Pp][Ss]?://)?+|(?<!{_either_case('url')}:.)"
    f"(?:(?:{'|'.join(_opaque(scheme, shape) for scheme, shape in _OPAQUE_SHAPES.items())})(?P<opaque>)"
    f"|{_opening()}(?P<opening_filled>)))"
)


@cache
def trigger() -> re.Pattern[str]:
    """Return what finds the colons that betray URLs; its groups tell what stands there."""
    return re.compile(f":(?://{SLASHES}|{OTHERS})", re.DOTALL | re.ASCII)


LINE_END_BEHIND_COLON = re.compile(rf"(?<=[A-Za-z0-9]):/?{_LINE_END}")
# Schemes that a line end may follow in running text; an angle makes it plain for any.
MAY_BE_SPLIT = re.compile(r"<|(?:https?|ftp)\Z", re.IGNORECASE)
_GLUED = re.compile(r"(?<!\+)(?:https?|ftp)$")
SPLIT_SCHEMES = frozenset({"http", "https", "ftp"})
TRIGGER_REACH = 320


def may_hold_urls(text: bytes | str) -> bool:
    """Tell whether scanning *text* could find anything."""
    return trigger().search(text.decode("latin-1") if isinstance(text, bytes) else text) is not None


def kind(view: str, colon: int, stop: int) -> str:
    """Return what sort of trigger goes from *colon* to *stop*: the name of a group of `trigger`."""
    if stop > colon + 2 and view[colon + 1] == "/":
        return "slashes"
    match = trigger().match(view, colon)
    return (match and match.lastgroup) or ""


def has_shape(view: str, colon: int, end: int) -> bool:
    """Tell whether the opaque URL with the scheme's colon at *colon* has its scheme's shape where it ends at *end*."""
    match = trigger().match(view, colon, end)
    return match is not None and match["opaque"] is not None


def scheme_start(view: str, colon: int, *, opaque: bool) -> int:
    """Return where the scheme that ends at *colon* starts, -1 if there is none: `Ltd.https:` has it at `https`.

    An *opaque* one, with no `//` after it, must be known or stand behind a `<`.
    """
    reach = view[max(0, colon - MAX_SCHEME_LENGTH) : colon]
    scheme = reach[len(reach.rstrip(_SCHEME_CHARACTERS)) :].lstrip("0123456789+.-")
    name = scheme.lower()
    if name not in KNOWN_SCHEMES:
        for known in name.replace("-", ".").split(".")[::-1]:
            if known in KNOWN_SCHEMES and name.endswith(known):
                return colon - len(known)
        # Text glued to the scheme, as in "pagehttps://": no scheme in use ends in another but with a "+".
        glued = _GLUED.search(name)
        if glued:
            return colon - len(glued[0])
        if opaque and view[colon - len(scheme) - 1 : colon - len(scheme)] != "<":
            return -1
    return colon - len(scheme) if scheme else -1
