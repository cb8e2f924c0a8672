"""HTML, JSON and JSON lines, by how they begin."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

WITHIN = 1024
"""How many bytes tell HTML, or that what begins with a bracket is JSON, where its lines do not."""

MAX_FIRST_LINE = 1 << 20
"""How many bytes of a first line are looked at, to see whether it is JSON."""

_HTML = re.compile(
    rb"\s*+(?:<\?xml[^>]{0,200}+\?*>\s*+|<!--(?:[^-]|-(?!->))*+-->\s*+)*+<(?:!doctype\s++html|html|head|body|title|meta)(?=[\s>])",
    re.IGNORECASE,
)
_TAG = re.compile(rb"<(?:!(?:doctype|--)|\?xml)", re.IGNORECASE)
_TAG_NAMES = (b"<!doctype", b"<!--", b"<?xml", b"<html", b"<head", b"<body", b"<title", b"<meta")

# RFC 8259 section 2: how an object or an array begins.
_JSON = re.compile(
    rb"\s*+(?:\[\s*+)*+(?:"
    rb'\{\s*+(?:"(?:[^"\\\n]|\\.)*+"\s*+:|\})'
    rb'|(?<=[\[\s])(?:["\]]|(?:-?\d++(?:\.\d++)?+(?:[eE][+\-]?\d++)?+|true|false|null)\s*+[,\]]))'
)


def markup(head: bytes, *, whole: bool) -> str | None:
    """Return `html`, `json` or `jsonl` for a file that begins with *head*, or is that *whole*, `""` for any other.

    `None` where more is needed to tell. Where the file is whole, what is called JSON lines may be one value.
    """
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        text = head[:WITHIN].decode("utf-16", "ignore").encode()
        if _HTML.match(text):
            return "html"
        return "" if whole or len(head) >= WITHIN // 8 else None
    if not whole and head in {BOM_UTF16_LE[:1], BOM_UTF16_BE[:1]}:
        return None
    start = head[:WITHIN].lstrip()
    if start[:1] == b"<":
        return _html(start, whole=whole or len(head) >= WITHIN)
    if start[:1] in {b"{", b"["}:
        return _json(head, whole=whole)
    return "" if start or whole or len(head) >= WITHIN else None


def _html(start: bytes, *, whole: bool) -> str | None:
    if _HTML.match(start):
        return "html"
    if whole:
        return ""
    lowered = start.lower()
    return None if _TAG.match(start) or any(name.startswith(lowered[: len(name) + 1]) for name in _TAG_NAMES) else ""


def _json(head: bytes, *, whole: bool) -> str | None:
    head = head.lstrip()
    end = head.find(b"\n") + 1
    line = head[:end] if end else head
    if end and _is_json(line):
        rest = head[end:].lstrip()
        if not whole and (not rest or (b"\n" not in rest and len(rest) < WITHIN)):
            return None
        return "jsonl" if not rest or _JSON.match(rest) else ""
    if not (end and _JSON.match(head)) and not whole:
        more = len(head) < WITHIN and b"\n" not in head[end:].lstrip() if end else len(head) < MAX_FIRST_LINE
        if more:
            return None
    return "json" if _JSON.match(head) and not _goes_on(line) else ""


def _goes_on(line: bytes) -> bool:
    """Tell whether something stands behind a whole value: `[1] see there` is no JSON."""
    from json import JSONDecoder  # noqa: PLC0415 -- as below

    try:
        _, end = JSONDecoder().raw_decode(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return bool(line.decode("utf-8", "replace")[end:].strip())


def _is_json(line: bytes) -> bool:
    from urlmend.sources.json import loads  # noqa: PLC0415 -- few files begin so

    try:
        return isinstance(loads(line), (dict, list))
    except ValueError:
        return False
