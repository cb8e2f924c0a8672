"""Why a text is not a URL, in plain words, for the mistakes that people make; and what would make it one."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from urlmend.extract import find_urls
from urlmend.grammar.diagnosis import URLSyntaxError
from urlmend.grammar.parser import accepts
from urlmend.grammar.profiles import Profile
from urlmend.grammar.rfc1738 import RULES, expand
from urlmend.text import defanged
from urlmend.text.schemes import IMPLIED

_HEAD = re.compile(r"(?P<scheme>[^:/?#\[]+):(?P<slashes>/{0,2})")
# A reader takes the last "@" for the end of the login.
_AUTHORITY = re.compile(r"(?:[^/?#]*@)?(?P<hostport>[^/?#]*)")
_HOST = re.compile(r"[^\s:/?#@]+\.[^\s:/?#@]+(?::[0-9]+)?(?:[/?#]|$)")

_CHARACTERS = tuple(
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in (
        ("scheme  ", "a scheme cannot contain a space"),
        ("scheme .", "a scheme cannot contain {}"),
        ("(?:escape|no_encoded_at) ", "two hexadecimal digits must follow a %: write %25 for the character itself"),
        # An escape seldom helps where one of these is not allowed: they are written as they are.
        (expand(r"\w+ (?:[<unreserved><reserved>]|$)", RULES), ""),
        (r"(?:domainlabel|tcp_port) \s", "a host or port cannot contain a space"),
        (r"\w+ \s", "a URL cannot contain a space: write {escape}"),
        (r"\w+ \\", "a URL has slashes, not backslashes"),
        (r"\w+ [\ud800-\udfff]", "a URL cannot contain a byte that is not UTF-8"),
        ("", "{} is not allowed here: write {escape}"),
    )
)
"""What to say of a character at which a rule fails: patterns for the rule and the character, and words for both."""

_FOUR = r"(?:[0-9]+\.){3}[0-9]+(?::|$)"
_OVER_255 = "(25[6-9]|2[6-9][0-9]|[3-9][0-9]{2}|[1-9][0-9]{3,})(?:[.:]|$)"
_OVER_65535 = "(6553[6-9]|655[4-9][0-9]|65[6-9][0-9]{2}|6[6-9][0-9]{3}|[7-9][0-9]{4}|[1-9][0-9]{5,})$"
_MISTAKES = tuple(
    (re.compile(pattern), departure, reason)
    for pattern, departure, reason in (
        (r"(?::|$)", "", "there is no host"),
        (r"""[^:\[]*?([!"$&'()*+,;<=>^`{|}~])""", "", "a host cannot contain {}"),
        (r"[^:\[]*?(\.\.)", "", "the host has two dots in a row"),
        (r"\.", "", "the host begins with a dot"),
        (r"(?:[^:\[]*\.)?(-[^.:]*)", "", "the label '{}' of the host begins with a hyphen"),
        (r"(?:[^:\[]*\.)?([^.:\[]*-)(?:[.:]|$)", "", "the label '{}' of the host ends with a hyphen"),
        (r"(?:\[.*\]|[^:\[]*):(?![0-9]*$)(.*)", "", "the port '{}' is not a number"),
        (rf"(?:\[.*\]|[^:\[]*):0*{_OVER_65535}", "port-range", "{:.20} is more than 65535"),
        (r"\[[^\]]*$", "", "the bracket that begins the host is not closed"),
        (r"(\[.*\])", "ipv6", "{} is not an IPv6 address"),
        (r"(?:[0-9]+\.){4}[0-9.]+(?::|$)", "", "an IPv4 address has four numbers, not more"),
        (rf"(?={_FOUR})(?:[0-9]+\.)*?0*{_OVER_255}", "ipv4-range", "{:.20} is more than 255"),
        (r"[0-9]+(?:\.[0-9]+){0,2}(?::|$)", "number-host", "a number of the host is too large"),
        (rf"(?!{_FOUR})[^:\[]*\.([0-9]\w*)\.?(?::|$)", "", "the last label '{}' begins with a digit"),
    )
)
"""What is wrong with a host and port that match a pattern, some of it under profiles with a certain departure only.

The fault is where the group of the pattern begins, or at the start if it has none.
"""


class Reason(NamedTuple):
    """Why a text is not a URL, in one line, and the index in the text of the character that is at fault."""

    words: str
    pos: int


def reason(error: URLSyntaxError, profile: Profile) -> Reason | None:
    """Return why the text of *error* is not a URL under *profile*; `None` if the error says it all."""
    return None if error.rule == "length" else next(_reasons(error, profile), None)


def _reasons(error: URLSyntaxError, profile: Profile) -> Iterator[Reason]:
    text, pos = error.text, error.pos
    if not text:
        yield Reason("the text is empty", pos)
    if defanged.edits_of(text):
        yield Reason("it is defanged", pos)
    head = _HEAD.match(text)
    if head is None:
        yield Reason(f"there is no scheme: a URL begins with one, such as {IMPLIED['schemeless']}", pos)
        return
    authority = _AUTHORITY.match(text, head.end()) if head["slashes"] == "//" else None
    if authority and head.end() <= pos <= authority.end():
        yield from _of_authority(authority, pos, profile)
    if error.expected == '"/"' and set(text[head.end("scheme") + 1 : pos]) <= {"/"}:
        yield Reason(f"two slashes must follow {head['scheme']}:", pos)
    for departure in profile.departures:
        if departure.narrower and accepts(text, profile.without(departure.name)):
            yield Reason(f"the web {departure.web} ({departure.name})", pos)
    if words := _of_character(error):
        yield Reason(words, pos)


def _of_authority(authority: re.Match[str], pos: int, profile: Profile) -> Iterator[Reason]:
    hostport = authority["hostport"]
    if accepts(f"http://{hostport}", profile):
        return
    departures = {"", *(departure.name for departure in profile.departures)}
    for pattern, departure, mistake in _MISTAKES:
        if departure in departures and (found := pattern.match(hostport)):
            words = mistake.format(*found.groups()) + (f" ({departure})" if departure else "")
            # The grammar fails only after a host or port that could be a login, as in `user:password@host`.
            at = authority.start("hostport") + found.start(pattern.groups) if pos == authority.end() else pos
            yield Reason(words, at)


def _of_character(error: URLSyntaxError) -> str:
    """Return what is wrong with the character at which *error* is; empty where that says nothing more."""
    character = error.text[error.pos : error.pos + 1]
    words = next(words for pattern, words in _CHARACTERS if pattern.match(f"{error.rule} {character}"))
    escape = "".join(f"%{octet:02X}" for octet in character.encode(errors="replace"))
    return words.format(character if character.isprintable() else f"U+{ord(character):04X}", escape=escape)


_ON_REQUEST = ("refang", "addresses", "schemeless", "addresses refang", "schemeless refang")
"""The options that find more, the fewest first."""


def hints(text: str, profile: Profile, *, is_url: bool) -> Iterator[str]:
    """Yield what would make *text* a URL, or another one: an option, or a scheme before it."""
    if defanged.edits_of(text) or not (is_url or "://" in text):
        for options in _ON_REQUEST:
            given: Any = dict.fromkeys(options.split(), True)
            found = find_urls(text, profile=profile, **given)
            if more := [match for match in found if match.form in {"defanged", *IMPLIED}]:
                with_them = f"With --{options.replace(' ', ' --')}"
                for match in more:
                    inside = "it is" if match.raw == text else "there is a URL in it:"
                    yield f"{with_them} {inside} {match.url}"
                return
    if _HOST.match(text) and accepts(f"http://{text}", profile):
        yield f"{'If it begins with a host: put' if is_url else 'Put'} http:// before it."
