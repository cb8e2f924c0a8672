"""Why a text is no URL, in plain words, for the mistakes that people make; and what would make it one."""

import re
from collections.abc import Iterator

from urlmend.extract import find_urls
from urlmend.grammar.parser import URLSyntaxError, accepts
from urlmend.grammar.profiles import Profile
from urlmend.grammar.rfc1738 import RULES, expand
from urlmend.text import defanged
from urlmend.text.forms import Forms
from urlmend.text.schemes import IMPLIED

_HEAD = re.compile(r"(?P<scheme>[^:/?#\[]*)(?P<colon>:)(?P<slashes>/{0,2})")
# As people read it: the host ends before a port, the login at the last "@".
_AUTHORITY = re.compile(r"(?:[^/?#]*@)?(?P<host>\[[^\]/?#]*\]?|[^/?#:]*)(?::(?P<port>[^/?#]*))?")
_HOST_AND_PORT = re.compile(r"[^\s:/?#@]+\.[^\s:/?#@]+:[0-9]+(?:[/?#]|$)")
_DOTTED = re.compile(r"[^\s:/?#@]+\.[^\s:/?#@]+")

# What is written as it is. Where one of these cannot stand, an escape seldom helps.
_UNRESERVED_OR_RESERVED = re.compile(expand("[<unreserved><reserved>]", RULES))

_HOST_MISTAKES = tuple(
    (re.compile(mistake), said)
    for mistake, said in (
        ("^$", "there is no host"),
        (r"""[!"$&'()*+,;<=>^`{|}~]""", "{} stands in no host"),
        (r"\.\.", "the host has two dots in a row"),
        (r"^\.", "the host begins with a dot"),
        (r"(?<![^.])-[^.]*+", "the label {!r} of the host begins with a hyphen"),
        (r"(?<![^.])[^.]++(?<=-)", "the label {!r} of the host ends with a hyphen"),
    )
)
_NUMBERS = re.compile(r"[0-9]++(?:\.[0-9]++)*+")
_DIGIT_IN_TOPLABEL = re.compile(r"\.([0-9][A-Za-z0-9]*+)\.?$")

_ASKED = (
    Forms(schemeless=True),
    Forms(addresses=True),
    Forms(schemeless=True, refang=True),
    Forms(addresses=True, refang=True),
)

_MAX_PORT = 65535
_OCTET = 256
_GROUPS = 4
_LONGEST_NUMBER = 20
"""Numbers of more digits are not shown whole."""


def plain_reason(error: URLSyntaxError, profile: Profile) -> str | None:
    """Return in one line why the text of *error* is no URL under *profile*; `None` where the error says it all."""
    return None if error.rule == "length" else next(_reasons(error, profile), None)


def _reasons(error: URLSyntaxError, profile: Profile) -> Iterator[str]:
    text, pos = error.text, error.pos
    if not text:
        yield "there is nothing"
    if defanged.changes(text):
        yield "it is defanged"
    head = _HEAD.match(text)
    if head is None or not head["scheme"]:
        yield f"there is no scheme: a URL begins with one, such as {IMPLIED['schemeless']}"
        return
    if head["slashes"] == "//" and (authority := _AUTHORITY.match(text, head.end())) and pos <= authority.end():
        if text[pos : pos + 1].isspace():
            yield "no host or port has a blank in it"
        names = {departure.name for departure in profile.departures}
        yield from _of_host(authority["host"], names)
        yield from _of_port(authority["port"], names)
    if error.expected == '"/"' and set(text[head.end("colon") : pos]) <= {"/"}:
        yield f"two slashes follow {head['scheme']}:"
    for departure in profile.departures:
        if departure.narrower and accepts(text, profile.without(departure.name)):
            yield f"the web {departure.web} ({departure.name})"
    yield from _of_character(error)


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
    yield from _found_on_request(text, profile)


def _found_on_request(text: str, profile: Profile) -> Iterator[str]:
    inside: dict[str, str] = {}
    for forms in _ASKED:
        asked = " ".join(f"--{option}" for option, is_asked in forms._asdict().items() if is_asked)
        for match in find_urls(text, profile=profile, **forms._asdict()):
            if match.raw == text and match.form in IMPLIED:
                yield f"Put {IMPLIED[match.form]} before it; {asked} finds it in text."
                return
            if match.raw == text:
                yield f"It is defanged: {asked} reads it as {match.url}"
                return
            # One option may do what two do together.
            inside.setdefault(match.url, f"With {asked} there is a URL in it: {match.url}")
    if _DOTTED.match(text) and accepts(f"http://{text}", profile):
        yield "Put http:// before it."
    else:
        yield from inside.values()


def _of_host(host: str, names: set[str]) -> Iterator[str]:
    if not host.startswith("["):
        yield from (said.format(found[0]) for mistake, said in _HOST_MISTAKES if (found := mistake.search(host)))
    elif not host.endswith("]"):
        yield "the bracket that begins the host is not closed"
    elif "ipv6" in names:
        yield f"{host} holds no IPv6 address"
    if _NUMBERS.fullmatch(host):
        yield from _of_numbers(host.split("."), names)
    elif found := _DIGIT_IN_TOPLABEL.search(host):
        yield f"the last label of the host, {found[1]!r}, begins with a digit"


def _of_numbers(groups: list[str], names: set[str]) -> Iterator[str]:
    if len(groups) > _GROUPS:
        yield f"a host of numbers has {_GROUPS} groups, not {len(groups)}"
        return
    name = "ipv4-range" if len(groups) == _GROUPS else "number-host"
    limits = [_OCTET - 1] * (len(groups) - 1) + [_OCTET ** (_GROUPS + 1 - len(groups)) - 1]
    for group, most in zip(groups, limits, strict=True):
        if name in names and _is_more(group, most):
            yield _more(group, most, name)


def _of_port(port: str | None, names: set[str]) -> Iterator[str]:
    if port and not (port.isascii() and port.isdigit()):
        yield f"the port {port!r} is no number"
    elif port and "port-range" in names and _is_more(port, _MAX_PORT):
        yield _more(port, _MAX_PORT, "port-range")


def _is_more(digits: str, most: int) -> bool:
    """Tell whether *digits* are more than *most*. Any number of them is possible."""
    digits, limit = digits.lstrip("0"), str(most)
    return (len(digits), digits) > (len(limit), limit)


def _more(digits: str, most: int, departure: str) -> str:
    shown = digits if len(digits) <= _LONGEST_NUMBER else f"{digits[:_LONGEST_NUMBER]}..."
    return f"{shown} is more than {most} ({departure})"


def _of_character(error: URLSyntaxError) -> Iterator[str]:
    text, pos = error.text, error.pos
    if error.rule in {"escape", "no_encoded_at"}:
        yield "two hexadecimal digits follow a %: the character itself is written %25"
        return
    if pos == len(text) or _UNRESERVED_OR_RESERVED.match(character := text[pos]):
        return
    if character.isspace():
        yield f"no URL has a blank in it: it is written {_escaped(character)}"
    elif character == "\\":
        yield "a URL has slashes, no backslashes"
    elif "\ud800" <= character <= "\udfff":
        yield "a byte that is no UTF-8 stands in no URL"
    else:
        shown = character if character.isprintable() else f"U+{ord(character):04X}"
        yield f"{shown} cannot stand here: it is written {_escaped(character)}"


def _escaped(character: str) -> str:
    return "".join(f"%{octet:02X}" for octet in character.encode())
