"""Wrapping addresses: mail filters and redirects of sites put their own address around another one.

The table WRAPPINGS has the known kinds. Nothing is looked up on the network, and nothing is guessed.
"""

import re
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from urlmend.grammar.parser import parse_or_none
from urlmend.text.limits import MAX_HOST
from urlmend.text.patterns import lazy_regex
from urlmend.text.schemes import either
from urlmend.text.suffixes import host_of

if TYPE_CHECKING:
    from urlmend.grammar.urls import URL

MAX_NESTED = 8
"""How many wrapping addresses may be nested. Mail that passed three filters has three."""

# How an inner address is written: each decoder returns the address, or `None` if a part of it is lost.
Decoder = Callable[[str], str | None]

_ESCAPED = lazy_regex("(?:[^%]|%[0-9A-Fa-f]{2})*")
_PROOFPOINT_2 = lazy_regex("(?:[^-]|-[0-9A-Fa-f]{2})*")
_TO_ESCAPES = str.maketrans("-_", "%/")


def _unquoted(value: str) -> str | None:
    """Decode percent-encoding; return `None` for half an escape or octets that are not UTF-8."""
    from urllib.parse import unquote_to_bytes  # noqa: PLC0415 -- slow to import, and scanning decodes nothing

    if _ESCAPED.fullmatch(value):
        with suppress(UnicodeDecodeError):
            return unquote_to_bytes(value).decode()
    return None


def _proofpoint_2(value: str) -> str | None:
    """Decode version 2 of Proofpoint: `-2D` for a hyphen, `_` for a slash, `&amp;` for `&`."""
    if not _PROOFPOINT_2.fullmatch(value):
        return None
    address = _unquoted(value.translate(_TO_ESCAPES))
    return address and address.replace("&amp;", "&")


# `*` replaces one character; `**` and a letter replace two or more, as many as the letter's place in _RUNS says.
_REPLACED = lazy_regex(r"\*(?:\*(.))?", re.DOTALL)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_RUNS = {letter: length for length, letter in enumerate(_LETTERS, 2)}
_ONE_SLASH = lazy_regex(r"\A([a-z0-9+.-]+:/)(?=[^/])")


def _proofpoint_3(value: str) -> str | None:
    """Decode version 3 of Proofpoint, `ADDRESS__;CHARACTERS!...$`, where Base64 has the replaced characters.

    Mail programs write one slash for the two after the scheme.
    """
    written, mark, rest = value.partition("__;")
    characters, end, _ = rest.partition("!")
    replaced = _base64(characters) if characters else ""
    address = _unquoted(written)
    if not (mark and end) or replaced is None or address is None:
        return None
    at = 0

    def put_back(token: re.Match[str]) -> str:
        nonlocal at
        start, at = at, at + (_RUNS.get(token[1], len(replaced) + 1) if token[1] else 1)
        return replaced[start:at]

    whole = _REPLACED.sub(put_back, _ONE_SLASH.sub(r"\1/", address))
    return whole if at == len(replaced) else None


_BASE64URL = str.maketrans("-_", "+/")


def _base64(value: str) -> str | None:
    """Decode UTF-8 in Base64 (RFC 4648), in either alphabet, padded or not."""
    octets = value.rstrip("=").translate(_BASE64URL).encode("ascii", "replace")
    with suppress(ValueError):
        return b64decode(octets + b"=" * (-len(octets) % 4), validate=True).decode()
    return None


def _unquoted_base64(value: str) -> str | None:
    text = _unquoted(value)
    return text and _base64(text)


def _mandrill(value: str) -> str | None:
    """Decode Mandrill's JSON in Base64: its member `p` is JSON again, with the address as `url`."""
    import json  # noqa: PLC0415 -- rarely needed

    text = _base64(value)
    try:
        address = json.loads(json.loads(text or "")["p"])["url"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return address if isinstance(address, str) else None


def _amp(value: str) -> str:
    """Restore the scheme, which AMP writes as `s/` for https and omits for http."""
    return f"https://{value[2:]}" if value.startswith("s/") else f"http://{value}"


class Wrapping(NamedTuple):
    """Where wrapping addresses of one kind have the inner address.

    `hosts` is a pattern of the whole host name in lower case, `path` one of the start of the path. The inner address,
    which `decode` decodes, is the value of the first of `parameters` that is present; or, without parameters, the group
    of `path`, which is then a pattern of the path and query. If `following` is not empty, one of its parameters follows
    a complete address. If `last` is not empty, it is a pattern of what every whole address ends with.
    """

    name: str
    hosts: str
    path: str
    parameters: str = ""
    following: str = ""
    decode: Decoder = _unquoted
    last: str = ""


SAFELINKS = "Outlook SafeLinks"

WRAPPINGS = (
    # Mail filters; the first four are common in mail archives.
    Wrapping(
        SAFELINKS,
        r"[A-Za-z0-9-]++\.safelinks\.protection\.(?:outlook\.com|office365\.us|partner\.outlook\.cn)",
        "",
        "url",
        "data sdata reserved",
        last="[&;]reserved=0",
    ),
    Wrapping(
        "Teams SafeLinks", r"statics\.teams\.cdn\.office\.net", "/evergreen-assets/safelinks/", "url", "locale dest pc"
    ),
    Wrapping("Proofpoint URL Defense 1", r"urldefense\.proofpoint\.com", "/v1/url", "u", "k r m s"),
    Wrapping(
        "Proofpoint URL Defense 2",
        r"urldefense\.proofpoint\.com",
        "/v2/url",
        "u",
        "d c r m s e",
        _proofpoint_2,
        "[&;]e=",
    ),
    Wrapping(
        "Proofpoint URL Defense 3",
        r"urldefense\.(?:com|us|proofpoint\.com)",
        "/v3/(?:__(.*))?",
        decode=_proofpoint_3,
        last=r"![^!]*\$",
    ),
    Wrapping("Barracuda", r"linkprotect\.cudasvc\.com", "/", "a", "c typo ancr_add"),
    Wrapping("Trend Micro", r"[a-z0-9.-]+\.trendmicro\.(?:com|eu)", r"/wis/clicktime/v\d+/query", "url", "umid auth"),
    Wrapping("Sophos", r"[a-z0-9.-]+\.protection\.sophos\.com", "/", "u", "i p t h s l", _unquoted_base64),
    Wrapping("FireEye", r"protect\d*\.fireeye\.com", "/(?:v1/)?url", "u"),
    Wrapping("Cisco", r"secure-web\.cisco\.com", r"/(?:[^/?]+/(https?%3A%2F%2F[^/?]+)\Z)?"),
    Wrapping("Symantec", r"clicktime\.symantec\.com", "/", "u"),
    Wrapping("Outlook on the web", r"(?:exch[a-z]*|(?:web)?mail|outlook|owa)\d*\..*", r"/owa/redir\.aspx\Z", "URL"),
    Wrapping("Libraesva", r"urlsand\.esvalabs\.com", "/", "u", "e h f p"),
    # Newsletter trackers that contain the address.
    Wrapping("Mandrill", r"mandrillapp\.com", "/track/click/", "p", decode=_mandrill),
    Wrapping("Amazon SES", r"[a-z0-9.-]+\.awstrack\.me", r"/L0/(?:([^/?]+)/\d/[^/?]+/[^/?]+\Z)?"),
    Wrapping("Azure", r"emails\.azure\.microsoft\.com", "/redirect/", "destination"),
    Wrapping("Mailtrack", r"mailtrack\.io", "/trace/link/", "url", "userId signature"),
    # Redirects of sites.
    Wrapping("Google", r"(?:www\.)?google\.(?:com?\.)?[a-z]{2,3}", r"/url\Z", "q url"),
    Wrapping("Google AMP", r"(?:www\.)?google\.(?:com?\.)?[a-z]{2,3}", "/amp/(.+)?", decode=_amp),
    Wrapping("AMP cache", r"[a-z0-9-]+\.cdn\.ampproject\.org", "/[civ]/(.+)?", decode=_amp),
    Wrapping("YouTube", r"(?:www\.|m\.)?youtube\.com", r"/redirect\Z", "q"),
    Wrapping(
        "LinkedIn", r"(?:[a-z]+\.)?linkedin\.com", "/(?:redir/(?:redirect|general-malware-page)|safety/go|slink)", "url"
    ),
    Wrapping("Facebook", r"(?:l|lm|m|www)\.facebook\.com", r"/l\.php\Z", "u"),
    Wrapping("Instagram", r"l\.instagram\.com", "/", "u"),
    Wrapping("WhatsApp", r"l\.wl\.co", "/l", "u"),
    Wrapping("Slack", r"slack-redir\.net", r"/link\Z", "url"),
    Wrapping("Steam", r"steamcommunity\.com", r"/linkfilter/?\Z", "u url"),
    Wrapping("VK", r"(?:m\.)?vk\.(?:com|ru)", r"/away(?:\.php)?\Z", "to"),
    Wrapping("Reddit", r"out\.reddit\.com", "/", "url", "token app_name"),
    Wrapping("Tumblr", r"t\.umblr\.com", r"/redirect\Z", "z", "t b"),
    Wrapping("DuckDuckGo", r"(?:[a-z]+\.)?duckduckgo\.com", r"/l/?\Z", "uddg"),
    Wrapping("Bing", r"(?:www\.)?bing\.com", r"/ck/a\Z", "u", decode=lambda value: _base64(value[2:])),
    Wrapping(
        "Yahoo Search", r"(?:[a-z]+\.)*(?:r\.search|rds?)\.yahoo\.com", r"/(?:.*?/RU=|[^*]*\*\*)(.+?)(?:/RK=.*)?\Z"
    ),
    Wrapping("Yahoo", r"(?:[a-z]+\.)*rds?\.yahoo\.com", r"/[^*]*\*(.+)", decode=str),
    Wrapping("Zhihu", r"link\.(?:zhihu\.com|csdn\.net|juejin\.cn)", "/", "target"),
)
"""The known kinds of wrapping addresses; the first that fits an address applies."""

_HOSTS = lazy_regex("|".join(kind.hosts for kind in WRAPPINGS))

_SCHEMES = ("http", "https", "ftp")
"""The schemes of inner addresses. An address with any other scheme is mangled."""

_AMPERSAND = lazy_regex("&(?:amp;)?")
_SAFELINKS_DATA = lazy_regex(r"&(?:amp;)?data=\d\d%7C\d\d%7C")


def wrappings_on(host: str | None) -> tuple[Wrapping, ...]:
    """Return the kinds of wrapping addresses on *host*, none for most hosts."""
    name = host_of(host)
    return _wrappings_on(name) if len(name) <= MAX_HOST else ()


@lru_cache(maxsize=4096)
def _wrappings_on(host: str) -> tuple[Wrapping, ...]:
    """Return the kinds on *host*, with a cache: the same hosts occur in a text again and again."""
    return tuple(kind for kind in WRAPPINGS if re.fullmatch(kind.hosts, host)) if _HOSTS.fullmatch(host) else ()


FILTERS = either(kind.hosts for kind in WRAPPINGS if kind.last)
"""A pattern for the hosts of mail filters that `is_whole` knows by their names."""
_FILTERED = lazy_regex(rf"https?://({FILTERS})(/[^?]{{0,9}})", re.IGNORECASE)
# The link in the banner that Proofpoint puts above a mail.
_BANNER = lazy_regex(r"https://[a-z0-9-]+\.proofpoint\.com/EWT/v1/[^!]+![^!]+\$\Z", re.IGNORECASE)


LAST_CHARACTERS = "".join(kind.last[-1:] for kind in WRAPPINGS)
"""The last characters of whole addresses, as `Wrapping.last` has them."""


def is_whole(text: str) -> bool | None:
    """Return whether the address *text* of a mail filter has its last parameter; `None` for any other address.

    >>> is_whole("https://a.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.ex")
    False
    """
    filtered = _FILTERED.match(text)
    if filtered and (last := _last(*filtered.groups())):
        return last.search(text) is not None
    is_last = _is_mangled(text) if text.endswith("reserved=0") else _BANNER.match(text)
    return True if is_last else None


_IS_ENCODED = lazy_regex("[%*][0-9A-F]{2}")


@lru_cache(maxsize=256)
def _last(host: str, path: str) -> re.Pattern[str] | None:
    """Return a pattern of how whole addresses on *host* end whose path begins with *path*."""
    lasts = [kind.last for kind in wrappings_on(host) if kind.last and re.match(kind.path, path)]
    return re.compile(rf"{lasts[0]}\Z") if lasts else None


def may_be_rest(text: str) -> bool:
    """Return whether *text*, after the whole address of a mail filter and white space, may be the rest of the address.

    The rest is encoded. If the URL was torn before it was filtered, the filter put its address around the first part
    alone, and the rest of the URL follows as it is.

    >>> may_be_rest("b-2Fc&d=e"), may_be_rest("b%2Fc"), may_be_rest("b/c")
    (False, True, False)
    """
    return _IS_ENCODED.search(text) is not None


def is_over(address: str, following: str) -> bool:
    """Return whether *address* is a whole address of a mail filter, and what is *following* cannot be its rest.

    >>> address = "https://a.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.example%2Fb&reserved=0"
    >>> is_over(address, "guide.html"), is_over(address, "b.example%2F")
    (True, False)
    """
    return address[-1] in LAST_CHARACTERS and is_whole(address) is True and not may_be_rest(following)


class Unwrapped(NamedTuple):
    """What a wrapping address contains: the `target`, or the name of its kind if it has `lost` a part.

    Both are `None` if the address wraps nothing.
    """

    target: str | None = None
    lost: str | None = None


def unwrap(url: "URL | str") -> str | None:
    """Return the address that *url*, a URL or its text, wraps; `None` if it wraps none or has lost a part of it.

    Mail filters (Outlook SafeLinks, Proofpoint, ...) and redirects of sites (Google, Facebook, ...) put their own
    address around another one. Up to MAX_NESTED of them are unwrapped. Never uses the network, and never raises.

    >>> unwrap("https://www.google.com/url?q=https%3A%2F%2Fa.example%2Fb&sa=D")
    'https://a.example/b'
    >>> unwrap("https://a.example/b") is None
    True
    """
    return unwrapped(url).target


def unwrapped(url: "URL | str", nested: int = MAX_NESTED) -> Unwrapped:
    """Return what *url* wraps, as `unwrap` does, or what kind of address has lost a part; at most *nested* deep."""
    outer = parse_or_none(url) if isinstance(url, str) else url
    if outer is None:
        return Unwrapped()
    for kind in wrappings_on(outer.host) if outer.scheme in ("http", "https") else ():
        path, query = outer.path or "/", outer.query
        if not kind.parameters and query is not None:
            path += f"?{query}"
        if match := re.match(kind.path, path, re.DOTALL):
            value = _parameter(query or "", kind) if kind.parameters else match[1]
            inner = _inner(value, kind) if nested and value is not None else None
            if inner is None:
                return Unwrapped(lost=kind.name)
            inside = unwrapped(inner, nested - 1)
            return Unwrapped(inner.text) if inside == Unwrapped() else inside
    return Unwrapped(lost=SAFELINKS if _is_mangled(outer.text) else None)


def _is_mangled(text: str) -> bool:
    """Return whether *text* ends like a SafeLinks address.

    On another host, such an address has lost its start: `https://st/at.a.example%2Fb&data=05%7C02%7C...&sdata=...`.
    """
    data = _SAFELINKS_DATA.search(text)
    return data is not None and text.find("sdata=", data.end()) > 0


def _inner(value: str, kind: Wrapping) -> "URL | None":
    """Return the URL that *value* decodes to; `None` if it has lost a part."""
    address = kind.decode(value)
    inner = None if address is None else parse_or_none(address)
    return inner if inner is not None and inner.scheme in _SCHEMES and inner.host else None


def _parameter(query: str, kind: Wrapping) -> str | None:
    """Return the parameter of *query* that has the inner address; `None` if *kind* finds none, or a part is lost."""
    pairs = [pair.partition("=") for pair in _AMPERSAND.split(query)]
    names = [name for name, _, _ in pairs]
    for parameter in kind.parameters.split():
        if parameter in names:
            at = names.index(parameter)
            value, after = pairs[at][2], names[at + 1 :]
            following = kind.following.split()
            # The parameters after an address that is not encoded and has a query may belong to the address.
            is_ambiguous = "://" in value and "?" in value and after[:1] and after[0] not in following
            is_cut = following and not set(after).intersection(following)
            return None if is_ambiguous or is_cut else value
    return None
