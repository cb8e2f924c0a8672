"""Building a URL from its parts, encoded where necessary (RFC 1738 section 2.2)."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from urlmend.grammar import rfc1738
from urlmend.grammar.parser import parse
from urlmend.grammar.profiles import RFC1738, WEB
from urlmend.grammar.urls import URL

# How the parts of a URL are put together. A group in brackets is left out unless all its parts are given.
_LOGIN = ("//", "[{user}[:{password}]@]", "{host}[:{port}]")
_FORMS: Mapping[str, Sequence[str]] = {
    "http": (*_LOGIN, "[/{hpath}]", "[?{search}]"),
    "https": (*_LOGIN, "[/{hpath}]", "[?{search}]"),
    "ftp": (*_LOGIN, "[/{fpath}]", "[;type={ftptype}]"),
    "gopher": (*_LOGIN, "[/{gopher_path}]"),
    "mailto": ("[{encoded822addr}]", "[?{headers}]"),
    "news": ("[//{host}[:{port}]/]", "[{everything}]", "[{group}]", "[{article}]"),
    "nntp": (*_LOGIN, "/{group}", "[/{article_number}]"),
    "telnet": (*_LOGIN, "/"),
    "wais": (*_LOGIN, "/{database}", "[?{search}]", "[/{wtype}/{wpath}]"),
    "file": ("//[{host}]", "/{fpath}"),
    "prospero": (*_LOGIN, "/{ppath}", "[{fieldspecs}]"),
}
_OTHER = (*_LOGIN, "[/{urlpath}]")
# Parts that cannot be encoded: a character that their rule does not allow is an error.
_VERBATIM = frozenset({"host", "port", "group", "everything", "article_number", "ftptype"})
_PAIRS = frozenset({"fieldspecs", "headers"})

Part = str | Sequence[str] | Mapping[str, str] | None


def build(scheme: str, **parts: Part) -> URL:
    """Build the URL of *scheme* whose decoded fields are *parts*, named as in the URL classes.

    A character that the part's rule in RFC 1738 does not allow is encoded as UTF-8. A path may also be a sequence of
    segments, in which `/` is encoded too; `fieldspecs` and `headers` may be mappings. `None` is an absent part.

    Raises `URLSyntaxError` if the parts cannot make a URL (a host with a blank), and `TypeError` for a part that the
    scheme does not have, that needs another one (a password without a user), or that is not text.

    >>> str(build("ftp", host="a.example", fpath=("pub", "R/V Alva"), ftptype="i"))
    'ftp://a.example/pub/R%2FV%20Alva;type=i'
    """
    if not isinstance(scheme, str):
        raise TypeError(f"the scheme is a str, not {type(scheme).__name__}")
    form = "".join(_FORMS.get(scheme.lower(), _OTHER))
    given = {name: value for name, value in parts.items() if value is not None}
    form = _without_absent(form, given)
    if unplaced := given.keys() - set(_NAME.findall(form)) - {"fragment"}:
        raise TypeError(f"{scheme} URLs have no part {', '.join(sorted(unplaced))}, or only together with another")
    if "fragment" in given:
        form += "#{fragment}"
    encoded = {name: _encoded(name, value) for name, value in given.items()}
    return parse(f"{scheme}:" + _NAME.sub(lambda name: encoded.get(name[1], ""), form), WEB)


_NAME = re.compile(r"\{(\w+)\}")
_INNERMOST = re.compile(r"\[([^\[\]]*)\]")


def _without_absent(form: str, parts: Collection[str]) -> str:
    """Remove the brackets from *form*, and with them each group that needs a part other than *parts*."""
    while group := _INNERMOST.search(form):
        kept = group[1] if all(name in parts for name in _NAME.findall(group[1])) else ""
        form = form[: group.start()] + kept + form[group.end() :]
    return form


def _encoded(name: str, value: object) -> str:
    if name in _PAIRS and isinstance(value, Mapping):
        first, between, rule = (";", ";", "fieldname") if name == "fieldspecs" else ("", "&", "uchar")
        safe = _safe(rule)
        pairs = (f"{_escaped(name, field, safe)}={_escaped(name, text, safe)}" for field, text in value.items())
        return first + between.join(pairs)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes) and name not in _VERBATIM | _PAIRS:
        return "/".join(_escaped(name, segment, _safe(name) - {"/"}) for segment in value)
    if name in _VERBATIM:
        return _text(name, value)
    if name == "article":
        local, _, domain = _text(name, value).rpartition("@")
        return f"{_escaped(name, local, _safe('user') | {'/', ':'})}@{domain}"
    return _escaped(name, value, _safe(name))


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is given as str, not {type(value).__name__}")
    return value


def _escaped(name: str, value: object, safe: frozenset[str]) -> str:
    return "".join(character if character in safe else _escape(character) for character in _text(name, value))


def _escape(character: str) -> str:
    # A lone surrogate has no octets; it stays, and the grammar refuses it.
    octets = character.encode(errors="ignore")
    return "".join(f"%{octet:02X}" for octet in octets) or character


@cache
def _safe(rule: str) -> frozenset[str]:
    """Return the ASCII characters that *rule* allows unencoded: the rule of RFC 1738, or else of WEB."""
    rules = RFC1738.rules if rule in RFC1738.rules else WEB.rules
    pattern = re.compile(rfc1738.expand(f"<{rule}>", rules))
    return frozenset(character for character in map(chr, range(128)) if pattern.fullmatch(character))
