"""Why a text is no URL, in plain words, for the mistakes that people make; and what would make it one."""

import re
from collections.abc import Iterator

from urlmend.extract import find_urls
from urlmend.grammar.errors import URLSyntaxError
from urlmend.grammar.parser import accepts
from urlmend.grammar.profiles import Profile
from urlmend.grammar.rfc1738 import RULES, expand
from urlmend.text import defanged
from urlmend.text.forms import IMPLIED

_HEAD = re.compile(r"(?P<scheme>[^:/?#\[]*)(?P<colon>:?)(?P<slashes>/{0,2})")
# As people read it: the host ends before a port, the login at the last "@".
_AUTHORITY = re.compile(r"(?:[^/?#]*@)?(?P<host>\[[^\]/?#]*\]?|[^/?#:]*)(?::(?P<port>[^/?#]*))?")
_HOST_AND_PORT = re.compile(r"[^\s:/?#@]+\.[^\s:/?#@]+:[0-9]+(?:[/?#]|$)")
_DOTTED = re.compile(r"[^\s:/?#@]+\.[^\s:/?#@]+")

# What is written as it is. Where one of these cannot stand, an escape seldom helps.
_UNRESERVED_OR_RESERVED = re.compile(expand("[<unreserved><reserved>]", RULES))

_IN_NO_HOST = re.compile(r"""[!"$&'()*+,;<=>^`{|}~]""")

_MAX_PORT = 65535
_OCTET = 256
_GROUPS = 4
_LONGEST_NUMBER = 20
"""Numbers of more digits are not shown whole."""


def plain_reason(error: URLSyntaxError, profile: Profile) -> str | None:
    """Return in one line why the text of *error* is no URL under *profile*; `None` where the error says it all."""
    text, pos = error.text, error.pos
    head = _HEAD.match(text)
    if error.rule == "length" or head is None:
        return None
    if defanged.changes(text):
        return "it is defanged"
    if not text:
        return "there is nothing"
    names = {departure.name for departure in profile.departures}
    if not (head["scheme"] and head["colon"]):
        return f"there is no scheme: a URL begins with one, such as {IMPLIED['schemeless']}"
    if head["slashes"] == "//" and (authority := _AUTHORITY.match(text, head.end())) and pos <= authority.end():
        if text[pos : pos + 1].isspace():
            return "no host or port has a blank in it"
        if reason := _of_host(authority["host"], names) or _of_port(authority["port"], names):
            return reason
    if error.expected == '"/"' and set(text[head.end("colon") : pos]) <= {"/"}:
        return f"two slashes follow {head['scheme']}:"
    return _by_narrower(text, profile) or _of_character(error)


def hints(text: str, profile: Profile, *, is_url: bool) -> Iterator[str]:
    """Yield what would make *text* a URL, or another one: a scheme before it, or an option."""
    if changes := defanged.changes(text):
        if accepts(meant := defanged.refanged(text, changes), profile):
            yield f"It is defanged: --refang reads it as {meant}"
        return
    if is_url:
        if _HOST_AND_PORT.match(text) and accepts(f"http://{text}", profile):
            yield "If it begins with a host: put http:// before it."
        return
    if "://" in text:
        return
    inside = []
    for options in (("schemeless",), ("addresses",), ("schemeless", "refang"), ("addresses", "refang")):
        asked = " ".join(f"--{option}" for option in options)
        for match in find_urls(text, profile=profile, **dict.fromkeys(options, True)):
            if match.raw != text:
                inside.append((match.url, f"With {asked} there is a URL in it: {match.url}"))
                continue
            if match.form in IMPLIED:
                yield f"Put {IMPLIED[match.form]} before it; {asked} finds it in text."
            else:
                yield f"It is defanged: {asked} reads it as {match.url}"
            return
    if _DOTTED.match(text) and accepts(f"http://{text}", profile):
        yield "Put http:// before it."
    else:
        # One option may do what two do together.
        yield from dict(reversed(inside)).values()


def _of_host(host: str, names: set[str]) -> str | None:
    if host.startswith("["):
        if not host.endswith("]"):
            return "the bracket that begins the host is not closed"
        return f"{host} holds no IPv6 address" if "ipv6" in names else None
    if not host:
        return "there is no host"
    if other := _IN_NO_HOST.search(host):
        return f"{other[0]} stands in no host"
    if ".." in host:
        return "the host has two dots in a row"
    if host.startswith("."):
        return "the host begins with a dot"
    labels = host.removesuffix(".").split(".")
    for label in labels:
        if label.startswith("-") or label.endswith("-"):
            return f"the label {label!r} of the host {'begins' if label.startswith('-') else 'ends'} with a hyphen"
    if all(label.isascii() and label.isdigit() for label in labels):
        return _of_numbers(labels, names)
    top = labels[-1]
    if top.isascii() and top[0].isdigit() and top.isalnum():
        return f"the last label of the host, {top!r}, begins with a digit"
    return None


def _of_numbers(groups: list[str], names: set[str]) -> str | None:
    if len(groups) > _GROUPS:
        return f"a host of numbers has {_GROUPS} groups, not {len(groups)}"
    name = "ipv4-range" if len(groups) == _GROUPS else "number-host"
    limits = [_OCTET - 1] * (len(groups) - 1) + [_OCTET ** (_GROUPS + 1 - len(groups)) - 1]
    for group, most in zip(groups, limits, strict=True):
        if name in names and _is_more(group, most):
            return _more(group, most, name)
    return None


def _of_port(port: str | None, names: set[str]) -> str | None:
    if port and not (port.isascii() and port.isdigit()):
        return f"the port {port!r} is no number"
    if port and "port-range" in names and _is_more(port, _MAX_PORT):
        return _more(port, _MAX_PORT, "port-range")
    return None


def _is_more(digits: str, most: int) -> bool:
    """Tell whether *digits* are more than *most*. Any number of them is possible."""
    digits, limit = digits.lstrip("0"), str(most)
    return (len(digits), digits) > (len(limit), limit)


def _more(digits: str, most: int, departure: str) -> str:
    shown = digits if len(digits) <= _LONGEST_NUMBER else f"{digits[:_LONGEST_NUMBER]}..."
    return f"{shown} is more than {most} ({departure})"


def _blank_at(text: str, pos: int) -> str | None:
    if text[pos : pos + 1].isspace():
        return f"no URL has a blank in it: it is written {_escaped(text[pos])}"
    return None


def _by_narrower(text: str, profile: Profile) -> str | None:
    """Return by which departure of *profile* the text is no URL, where it would be one without."""
    for departure in profile.departures:
        if departure.narrower and accepts(text, profile.without(departure.name)):
            return f"the web {departure.web} ({departure.name})"
    return None


def _of_character(error: URLSyntaxError) -> str | None:
    text, pos = error.text, error.pos
    if pos and "%" in text[max(0, pos - 2) : pos] and error.rule in {"escape", "no_encoded_at"}:
        return "two hexadecimal digits follow a %: the character itself is written %25"
    if pos >= len(text) or ":" not in text[:pos] or _UNRESERVED_OR_RESERVED.match(character := text[pos]):
        return None
    if reason := _blank_at(text, pos):
        return reason
    if character == "\\":
        return "a URL has slashes, no backslashes"
    if "\ud800" <= character <= "\udfff":
        return "a byte that is no UTF-8 stands in no URL"
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return f"{shown} cannot stand here: it is written {_escaped(character)}"


def _escaped(character: str) -> str:
    return "".join(f"%{octet:02X}" for octet in character.encode())
