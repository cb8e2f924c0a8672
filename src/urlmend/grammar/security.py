"""Security notes on a URL: RFC 1738 section 6, and later advice.

A note is advice about a well-formed URL: nothing here refuses one.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote

from urlmend.grammar.unwrap import unwrapped
from urlmend.grammar.urls import URL, HttpURL, IpURL, LoginURL, MailtoURL

RESERVED_PORTS = range(1024)
"""The ports that section 6 calls reserved: well-known services use them."""

_BIDI_CONTROL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class SecurityWarning(NamedTuple):
    """A security note: its name, and what it says about this URL."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


def warnings(url: URL) -> Iterator[SecurityWarning]:
    """Yield the security notes on *url*, none for most.

    - `reserved-port`: a port in the reserved range that is not the scheme's default (RFC 1738 section 6)
    - `encoded-delimiter`: an encoded CR, LF or NUL, which can smuggle commands into a protocol (RFC 1738 section 6)
    - `password`: a password in clear text (RFC 1738 section 6)
    - `host-in-login`: a user name that looks like a host (RFC 3986 section 7.6)
    - `bidi`: controls of the writing direction (RFC 3987 section 8)
    - `number-host`: a host that browsers read as a different number (RFC 3986 section 7.4)
    - `confusable-host`: a host label that mixes scripts (UTS #39 section 5)
    - `lost-target`: a wrapping address that contains only part of its target
    """
    if isinstance(url, IpURL) and (port := url.port_number) in RESERVED_PORTS and url.standard_port not in (None, port):
        yield SecurityWarning("reserved-port", f"port {url.port} is reserved and not the default of {url.scheme}")
    octets = url.decoded_octets("text") or b""
    for octet, name in ((b"\r", "CR"), (b"\n", "LF"), (b"\0", "NUL")):
        if octet in octets:
            text = f"holds an encoded {name}, which can end a command of the protocol"
            yield SecurityWarning("encoded-delimiter", text)
    if isinstance(url, LoginURL) and url.password:
        yield SecurityWarning("password", "holds a password in clear text")
    if isinstance(url, LoginURL) and "." in (url.decoded("user") or "").strip("."):
        text = f"{url.user!r} before the @ looks like a host; the host is {url.host!r}"
        yield SecurityWarning("host-in-login", text)
    if _BIDI_CONTROL.search(url.decoded("text") or ""):
        yield SecurityWarning("bidi", "holds characters that change the direction of text")
    yield from _host_warnings(url)
    if lost := unwrapped(url).lost:
        yield SecurityWarning("lost-target", f"is an incomplete redirect of {lost}: its target is unknown")


def _host_warnings(url: URL) -> Iterator[SecurityWarning]:
    address = as_browsers_read(url.host or "") if isinstance(url, HttpURL) else None
    if address is not None and address != url.host:
        yield SecurityWarning("number-host", f"browsers read the host {url.host!r} as {address}")
    host = url.addr_spec.rpartition("@")[2] if isinstance(url, MailtoURL) else url.host or ""
    for label in _unicode_labels(host):
        scripts = _scripts(label)
        if len(scripts) > 1:
            yield SecurityWarning("confusable-host", f"the label {label!r} mixes {' and '.join(sorted(scripts))}")


def _unicode_labels(host: str) -> Iterator[str]:
    """Yield the labels of *host* that have letters beyond ASCII, those with `xn--` decoded."""
    for label in host.split("."):
        if label[:4].lower() == "xn--":
            import idna  # noqa: PLC0415 -- its tables are large, and few hosts need them

            with suppress(idna.IDNAError):
                yield idna.ulabel(label)
        elif not label.isascii():
            yield label


def _scripts(label: str) -> frozenset[str]:
    """Return the scripts of the letters in *label*; none if they belong together (UTS #39 section 5.1)."""
    import regex  # noqa: PLC0415

    scripts = {script for script in _SCRIPTS if regex.search(rf"\p{{Script={script}}}", label)}
    for together in _WRITTEN_TOGETHER:
        if scripts <= together:
            return frozenset()
    return frozenset(scripts)


_SCRIPTS = (
    "Arabic Armenian Bengali Cherokee Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew "
    "Hiragana Bopomofo Kannada Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Oriya Sinhala Tamil Telugu Thaana "
    "Thai Tibetan"
).split()
_WRITTEN_TOGETHER = (
    {"Latin", "Han", "Hiragana", "Katakana"},
    {"Latin", "Han", "Bopomofo"},
    {"Latin", "Han", "Hangul"},
)

_HEXADECIMAL_WITHOUT_DIGITS = re.compile(r"\b0[xX](?![^.])")


def as_browsers_read(host: str) -> str | None:
    """Return the IPv4 address that browsers read in *host* (WHATWG URL 3.5); `None` if it is not a number.

    >>> as_browsers_read("0xc0.0250.1"), as_browsers_read("%30xc0a80001")
    ('192.168.0.1', '192.168.0.1')
    """
    from socket import inet_aton, inet_ntoa  # noqa: PLC0415 -- slow to import, and few hosts need it

    with suppress(OSError, ValueError):  # a NUL
        shown = unicodedata.normalize("NFKC", unquote(host))
        return inet_ntoa(inet_aton(_HEXADECIMAL_WITHOUT_DIGITS.sub("0", shown)))
    return None
