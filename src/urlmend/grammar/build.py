"""Building a URL from its parts: what must be encoded is encoded (RFC 1738 section 2.2)."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from urlmend.grammar import rfc1738
from urlmend.grammar.parser import parse
from urlmend.grammar.profiles import RFC1738, WEB
from urlmend.grammar.urls import URL

# How the parts of a URL stand together; a group in brackets is left out where none of its parts is given.
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
# Parts that have no encoded form: they are the URL's characters or they are wrong.
_VERBATIM = frozenset({"host", "port", "group", "everything", "article_number", "ftptype"})

Part = str | Sequence[str] | Mapping[str, str] | None


def build(scheme: str, **parts: Part) -> URL:
    """Build the URL of *scheme* whose fields, decoded, are *parts*, named as in the URL classes.

    Each character that the part's rule in RFC 1738 does not admit is encoded, as UTF-8; a path may be given as a
    sequence of segments, and a `/` in one is then encoded too; `fieldspecs` and `headers` are given as a mapping.
    `None` is an absent part. Raises `URLSyntaxError` where
    no encoding makes a URL of the parts (a host with a blank), `TypeError` for a part that the scheme has not or
    that needs another (a password without a user).

    >>> str(build("ftp", host="a.example", fpath=("pub", "R/V Alva"), ftptype="i"))
    'ftp://a.example/pub/R%2FV%20Alva;type=i'
    """
    form = "".join(_FORMS.get(scheme.lower(), _OTHER))
    given = {name: value for name, value in parts.items() if value is not None}
    form = _without_absent(form, given)
    if unplaced := given.keys() - set(_NAME.findall(form)) - {"fragment"}:
        message = f"{scheme} URLs have no {', '.join(sorted(unplaced))}, or not without another part"
        raise TypeError(message)
    if "fragment" in given:
        form += "#{fragment}"
    encoded = {name: _encoded(name, value) for name, value in given.items()}
    return parse(f"{scheme}:" + _NAME.sub(lambda name: encoded.get(name[1], ""), form), WEB)


_NAME = re.compile(r"\{(\w+)\}")
_INNERMOST = re.compile(r"\[([^\[\]]*)\]")


def _without_absent(form: str, parts: Collection[str]) -> str:
    """Take the brackets out of *form*, with what is in them where it needs a part that is not among *parts*."""
    while group := _INNERMOST.search(form):
        kept = group[1] if all(name in parts for name in _NAME.findall(group[1])) else ""
        form = form[: group.start()] + kept + form[group.end() :]
    return form


def _encoded(name: str, value: str | Sequence[str] | Mapping[str, str]) -> str:
    if isinstance(value, Mapping):
        first, between, rule = (";", ";", "fieldname") if name == "fieldspecs" else ("", "&", "uchar")
        pairs = (f"{_escaped(field, _safe(rule))}={_escaped(text, _safe(rule))}" for field, text in value.items())
        return first + between.join(pairs)
    if not isinstance(value, str):
        return "/".join(_escaped(segment, _safe(name) - {"/"}) for segment in value)
    if name in _VERBATIM:
        return value
    if name == "article":
        local, _, domain = value.rpartition("@")
        return f"{_escaped(local, _safe('user') | {'/', ':'})}@{domain}"
    return _escaped(value, _safe(name))


def _escaped(text: str, safe: frozenset[str]) -> str:
    return "".join(
        character if character in safe else "".join(f"%{octet:02X}" for octet in character.encode())
        for character in text
    )


@cache
def _safe(rule: str) -> frozenset[str]:
    """Return the ASCII characters that *rule* admits as they are, in RFC 1738 if it has the rule."""
    rules = RFC1738.rules if rule in RFC1738.rules else WEB.rules
    pattern = re.compile(rfc1738.expand(f"<{rule}>", rules))
    return frozenset(character for character in map(chr, range(128)) if pattern.fullmatch(character))
