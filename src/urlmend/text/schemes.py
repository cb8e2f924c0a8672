"""The table of schemes: one row for each, from which every list and pattern of schemes is made.

Only rules about one scheme, such as where a `mailto:` URL ends, are elsewhere, and the grammar of RFC 1738.
"""

from collections.abc import Iterable
from typing import NamedTuple

from urlmend.text.patterns import SCHEME, lazy_regex

IMPLIED = {"schemeless": "http://", "address": "mailto:"}
"""What is put before the text of a match of these forms, which have no scheme."""

HIDDEN_AT = r"[ \t]+at[ \t]+"
"""A pattern for the ` at ` by which archives hide addresses from robots: `jane at a.example`."""

_DOTTED = r"[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)+"

HIDDEN_ADDRESS = rf"""[^@?,;()\[\]\x00-\x20\x7f<>"`]{{1,200}}{HIDDEN_AT}{_DOTTED}"""
"""A pattern for a hidden address after `mailto:`."""

_HIDDEN = lazy_regex(
    rf"(?:(?i:mailto):[^\s@]+{HIDDEN_AT}[A-Za-z0-9]|{SCHEME}:"
    rf"(?://[^\s/?#@.]+{HIDDEN_AT}[A-Za-z0-9\[]|[^\s@]+{HIDDEN_AT}[A-Za-z0-9\-]++\.[A-Za-z0-9\-]))[^\s@]*"
)


def is_hidden(text: str) -> bool:
    """Return whether *text* is a URL with one hidden `@`: in its address, its login or its Message-ID."""
    return _HIDDEN.fullmatch(text) is not None


def _up_to_at(most: int, *, but: str = "") -> str:
    """Return a pattern for an `@` after at most *most* characters: no white space, `<>"`, backquotes or *but*.

    A look-ahead first finds whether there is an `@` at all. The class is negated and has no other class inside: `re`
    then looks characters up in a table, which takes half the time of a list.
    """
    before = rf'[^\t-\r "<>@`{but}]'
    return rf"(?=[^@]{{1,{most}}}+@){before}{{1,{most}}}+@"


_URN = r"[A-Za-z0-9][A-Za-z0-9\-]{1,31}:[A-Za-z0-9(%+_.\-]"
_DOI = r"10\.[0-9]{3,9}(?:\.[0-9]+)*/"


class Scheme(NamedTuple):
    """One scheme.

    `shape` is a pattern: what must follow the colon of an opaque scheme to make a URL in running text, so that `12:30`
    and `std::map` are not URLs. It is empty for a hierarchical scheme, which `//` follows. A shape needs no character
    beyond ASCII, as the text may be a view of bytes, and is complete where the URL ends.

    An opaque scheme is recognised after `<` in any letter case. In running text, a scheme that is `lower_case` is
    recognised in lower case only: "Tel: +49" is a label. A comma or semicolon before a `listed` one ends a URL. The
    fast path knows URLs of an `ordinary` one that have one of the named shapes.

    A `common` scheme is recognised with little around it: before a line end, and with a word glued to its left. A
    defanged scheme `stands_for` another one. `torn` is a pattern of what follows in an opaque URL that is torn right
    after its colon or, if it has an `@` and is in square brackets as in Outlook's replies, anywhere. Pages and
    terminals link a `linked` one: a click on another might run code out of a mail.
    """

    name: str
    shape: str = ""
    lower_case: bool = False
    listed: bool = False
    ordinary: str = ""
    common: bool = False
    stands_for: str = ""
    torn: str = ""
    linked: bool = False


_HIERARCHICAL = (
    "tftp snews tn3270 wais prospero shttp imap imaps pop pops ldap ldaps nfs afs smb ssh git svn cvs hg bzr rsync "
    "rtsp rtmp mms ws wss jabber webcal dict finger z39.50r z39.50s acap vemmi rlogin coap coaps redis mysql postgres "
    "postgresql mongodb jdbc s3 gs hdfs ipfs about view-source chrome-extension"
)

SCHEMES = (
    *(Scheme(name, common=True, linked=True) for name in ("http", "https", "ftp")),
    *(Scheme(name, linked=True) for name in "ftps sftp gopher gemini nntp telnet irc ircs".split()),
    *map(Scheme, _HIERARCHICAL.split()),
    Scheme("hxxp", stands_for="http"),
    Scheme("hxxps", stands_for="https"),
    Scheme("fxp", stands_for="ftp"),
    Scheme("fxps", stands_for="ftps"),
    Scheme(
        "mailto",  # RFC 6068
        rf"""(?:{_up_to_at(200, but="?")}[^\s<>"`]|[\w.+=%\-]{{1,200}}%40[\w%]|\?[\w-]+=|{HIDDEN_ADDRESS})""",
        listed=True,
        ordinary="address?headers",
        torn=rf"[\w.+=\-]{{0,100}}@{_DOTTED}",
        linked=True,
    ),
    Scheme(
        "news",  # RFC 5538
        rf"""(?:{_up_to_at(250, but="/")}[A-Za-z0-9\[]|[A-Za-z][\w+\-]*+\.[\w+\-]|\*(?=[\s>]))""",
        listed=True,
        ordinary="address group",
        # A digit tells a Message-ID from an address.
        torn=rf"""(?=[^\s@]{{0,100}}[0-9])[^\s@<>"`]{{1,200}}@{_DOTTED}""",
        linked=True,
    ),
    Scheme("urn", _URN, listed=True, ordinary="names", torn=_URN),  # RFC 8141
    Scheme("doi", _DOI, ordinary="number", torn=rf"{_DOI}\w"),
    Scheme("tel", r"\+[0-9(.%\-]{6}", lower_case=True, linked=True),  # RFC 3966
    Scheme("sip", rf"(?:{_up_to_at(200)}[A-Za-z0-9\[]|[a-z0-9\-]+\.[a-z])", lower_case=True, linked=True),  # RFC 3261
    Scheme("sips", rf"(?:{_up_to_at(200)}[A-Za-z0-9\[]|[a-z0-9\-]+\.[a-z])", lower_case=True),
    Scheme("mid", rf"{_up_to_at(250)}[A-Za-z0-9]", lower_case=True),  # RFC 2392
    Scheme("cid", rf"{_up_to_at(250)}[A-Za-z0-9]", lower_case=True),
    Scheme("xmpp", rf"{_up_to_at(200)}[A-Za-z0-9]", linked=True),  # RFC 5122
    Scheme("magnet", r"\?[a-z.0-9]+=", linked=True),
    Scheme("data", r"(?:[\w.+\-]+/[\w.+\-]+)?(?:;[\w=.\-]+)*,[^\s,]", lower_case=True),  # RFC 2397
    Scheme("file", r"/[A-Za-z0-9~.%_]", lower_case=True),  # RFC 8089
)
"""All known schemes."""

KNOWN_SCHEMES = frozenset(scheme.name for scheme in SCHEMES)
OPAQUE_SCHEMES = tuple(scheme for scheme in SCHEMES if scheme.shape)
OPAQUE_NAMES = tuple(scheme.name for scheme in OPAQUE_SCHEMES)
COMMON_SCHEMES = tuple(scheme.name for scheme in SCHEMES if scheme.common)
LINKED_SCHEMES = frozenset(scheme.name for scheme in SCHEMES if scheme.linked)
CODE_SCHEMES = frozenset(["javascript", "vbscript", "data"])
"""Schemes that hold a script or a page, not its address: never links, and not looked for in attributes."""


def either_case(word: str) -> str:
    """Return a pattern for *word* in any letter case.

    >>> either_case("urn")
    '(?i:urn)'
    """
    return f"(?i:{word})"


def last_letters(names: Iterable[str]) -> str:
    """Return a pattern for the last two letters of any of *names*, in any letter case: most words have others.

    >>> last_letters(("urn", "sip"))
    '(?=(?i:[ir][np]))(?i:(?:ip|rn))'
    """
    endings = sorted({name[-2:] for name in names})
    first, last = ("".join(sorted(set(letters))) for letters in zip(*endings, strict=True))
    return f"(?=(?i:[{first}][{last}])){either_case(either(endings))}"


def either(names: Iterable[str]) -> str:
    """Return a pattern for any of *names*."""
    return f"(?:{'|'.join(names)})"
