"""How addresses are written inside others: from what stands there to the address, or `None` where a part is lost."""

import re
from base64 import b64decode
from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase, digits

Decoder = Callable[[str], str | None]

_ESCAPE = "%[0-9A-Fa-f]{2}"
_ESCAPED = re.compile(f"(?:[^%]|{_ESCAPE})*")
_PROOFPOINT_2 = re.compile("(?:[^-]|-[0-9A-Fa-f]{2})*")
_TO_ESCAPES = str.maketrans("-_", "%/")


def escaped(value: str) -> str | None:
    """Decode percent-encoding. Half an escape, or octets that are no UTF-8, are a loss."""
    from urllib.parse import unquote_to_bytes  # noqa: PLC0415 -- slow to import; scanning decodes nothing

    if not _ESCAPED.fullmatch(value):
        return None
    try:
        return unquote_to_bytes(value).decode()
    except UnicodeDecodeError:
        return None


def proofpoint_2(value: str) -> str | None:
    """Decode what Proofpoint's version 2 writes: `-2D` for a hyphen, `_` for a slash, `&amp;` for `&`."""
    if not _PROOFPOINT_2.fullmatch(value):
        return None
    address = escaped(value.translate(_TO_ESCAPES))
    return address and address.replace("&amp;", "&")


# A star stands for a character that was taken out; two and a letter, for as many as the letter counts, from two.
_TAKEN_OUT = re.compile(r"\*(?:\*(.))?", re.DOTALL)
_RUNS = {letter: length for length, letter in enumerate(ascii_uppercase + ascii_lowercase + digits + "-_", 2)}
_ONE_SLASH = re.compile(r"\A([a-z0-9+.-]+:/)(?=[^/])")


def proofpoint_3(value: str) -> str | None:
    """Decode what Proofpoint's version 3 writes: `ADDRESS__;CHARACTERS!...$`, and the characters taken out in Base64.

    Mail programs make one slash of the two behind the scheme.
    """
    written, mark, rest = value.partition("__;")
    characters, end, _ = rest.partition("!")
    taken = base64(characters) if characters else ""
    address = escaped(written)
    if not (mark and end) or taken is None or address is None:
        return None
    at = 0

    def put_back(token: re.Match[str]) -> str:
        nonlocal at
        start, at = at, at + (_RUNS.get(token[1], len(taken) + 1) if token[1] else 1)
        return taken[start:at]

    whole = _TAKEN_OUT.sub(put_back, _ONE_SLASH.sub(r"\1/", address))
    return whole if at == len(taken) else None


_BASE64URL = str.maketrans("-_", "+/")


def base64(value: str) -> str | None:
    """Decode Base64 (RFC 4648), in either alphabet, with its padding or without; the octets are UTF-8."""
    octets = value.rstrip("=").translate(_BASE64URL).encode("ascii", "replace")
    try:
        return b64decode(octets + b"=" * (-len(octets) % 4), validate=True).decode()
    except ValueError:
        return None


def escaped_base64(value: str) -> str | None:
    """Decode Base64 in percent-encoding."""
    text = escaped(value)
    return text and base64(text)


def mandrill(value: str) -> str | None:
    """Decode Mandrill's JSON in Base64: the member `p` is JSON again, and has the address as `url`."""
    import json  # noqa: PLC0415 -- few need it

    text = base64(value)
    try:
        address = json.loads(json.loads(text or "")["p"])["url"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return address if isinstance(address, str) else None


def amp(value: str) -> str:
    """Put the scheme back that AMP writes as `s/` for https, and leaves out for http."""
    return f"https://{value[2:]}" if value.startswith("s/") else f"http://{value}"
