"""On real mail and news: the parts and texts are those of the standard library's `email`, and no plain URL is missed.

Every tenth message is compared, or all of them if URLMEND_ALL_MAIL is set.
"""

import email
import io
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from email.message import Message
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from urlmend import iter_urls
from urlmend.grammar.parser import parse_or_none
from urlmend.sources import Origin, Text, documents, html, iter_texts, mail

SHARED = os.environ.get("URLMEND_SHARED", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SHARED, reason="URLMEND_SHARED is not set: the folder with corpora/"),
]
CORPORA = Path(SHARED) / "corpora"
EVERY = 1 if "URLMEND_ALL_MAIL" in os.environ else 10

_SAME_BOUNDARY = "nested multiparts with the same boundary: email gives the innermost text to the outermost part"
JUSTIFIED: Mapping[str, str] = {
    "mail/eml/mimekit/feedback-report.txt": "a byte order mark before the header: email takes the message for text",
    "mail/eml/mikel-mail/rfc2822-example13.eml": "blanks before colons (RFC 2822): email takes the header for text",
    "mail/eml/spamassassin/spam-1/00313.fab744bfd5a128fca39b69df9811c086.eml": (
        "a list's footer after base64: email gives the base64 itself, urlmend the text and the footer"
    ),
    "mail/eml/spamassassin/spam-1/00500.85b72f09f6778a085dc8b6821965a76f.eml": "gb2312: email reads no gb18030 in it",
    "mail/mbox/mimekit-content-length.mbox.txt:17": (
        "a line `>From ` before a nested message's header: email takes that header, and a picture in it, for text"
    ),
    "mail/mbox/mimekit-simple.mbox.txt:2": _SAME_BOUNDARY,
    "mail/mbox/mimekit-simple.mbox.txt:3": _SAME_BOUNDARY,
}
"""The messages that are read otherwise than by `email`, and why."""

UNLIKE_ANY: Mapping[str, str] = {
    "http://thinkgeek.com/sf_______________________________________________webmake-talk": (
        "a list's footer after base64: email glues its lines together"
    ),
}
"""URLs that are not found, with a reason of their own."""


class Found(NamedTuple):
    """A message of the corpora: its file and number, and its bytes."""

    name: str
    data: bytes


@cache
def messages() -> list[Found]:
    """Return the messages to compare."""
    found = []
    for folder in ("mail/eml", "news/spool"):
        paths = sorted(path for path in (CORPORA / folder).rglob("*") if path.is_file())
        found += [Found(str(path.relative_to(CORPORA)), path.read_bytes()) for path in paths[::EVERY]]
    number = 0
    for folder in ("mail/mbox", "news/mbox"):
        for path in sorted((CORPORA / folder).iterdir()):
            data = path.read_bytes()
            begins = {text.origin.message: text.origin.offset for text in iter_texts(io.BytesIO(data), "mbox")}
            begins[max((one for one in begins if one), default=0) + 1] = len(data)
            for (message, begin), (after, end) in pairwise(begins.items()):
                number += 1
                if number % EVERY == 0 and message is not None and after == message + 1:
                    found.append(Found(f"{path.relative_to(CORPORA)}:{message}", data[begin:end]))
    return found


# As the standard library reads it


def decoded(part: Message) -> str:
    octets = part.get_payload(decode=True)
    assert isinstance(octets, bytes)
    for charset in (part.get_content_charset(), "utf-8"):
        try:
            return octets.decode(charset or "utf-8")
        except (LookupError, ValueError):
            continue
    # What is not UTF-8 is Latin-1, each byte for itself.
    text = octets.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda found: chr(ord(found[0]) - 0xDC00), text)


def standard_parts(message: Message, path: tuple[int, ...] = (), *, own: bool = True) -> Iterator[tuple[str, str, str]]:
    """Yield path, type and text of the message's texts, the paths as in RFC 3501 section 6.4.5."""
    kind = message.get_content_type()
    body = (*path, 1) if own else path
    payload = message.get_payload()
    if not message.is_multipart():
        if message.get_content_maintype() == "text":
            yield ".".join(map(str, body)), kind, decoded(message)
    elif kind == "message/rfc822":
        yield from standard_parts(payload[0], body)  # type: ignore[arg-type, index]
    elif not kind.startswith("message/"):
        for number, part in enumerate(payload, 1):
            yield from standard_parts(part, (*path, number), own=False)


@cache
def standard(found: Found) -> list[tuple[str, str, str]]:
    return list(standard_parts(email.message_from_bytes(found.data)))


# As urlmend does


def as_decoded(pieces: Iterable[Any], origin: Origin) -> Iterator[Text]:
    """Stand in for what is done with decoded text."""
    for text, *_ in pieces:
        yield Text(text, origin)


@pytest.fixture
def only_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (mail, documents):
        monkeypatch.setattr(module, "prose", lambda pieces, _about, origin, *_: as_decoded(pieces, origin))
    read = lambda origin, *_: SimpleNamespace(texts=lambda pieces: as_decoded(pieces, origin))  # noqa: E731
    monkeypatch.setattr(html, "Document", read)


def bare(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.usefixtures("only_decoding")
def test_parts_and_texts_are_as_in_the_standard_library() -> None:
    compared = 0
    differing: dict[str, object] = {}
    for found in messages():
        compared += 1
        ours: dict[str, str] = {}
        for text in iter_texts(io.BytesIO(found.data), "message"):
            kind = text.origin.content_type or ""
            part = text.origin.part or ""
            if "header:" not in part and kind.startswith("text/"):
                ours[part] = ours.get(part, "") + (text.data if isinstance(text.data, str) else text.data.decode())
        wanted = {part: bare(text) for part, _, text in standard(found) if bare(text)}
        got = {part: bare(text) for part, text in ours.items() if bare(text)}
        if wanted != got:
            differing[found.name] = [
                (part, wanted.get(part, "")[:300], got.get(part, "")[:300])
                for part in sorted({*wanted, *got})
                if wanted.get(part) != got.get(part)
            ]
    print(f"{compared} messages, {len(differing)} differ")
    assert compared > 20_000 // EVERY
    assert {name: what for name, what in differing.items() if name not in JUSTIFIED} == {}
    assert EVERY > 1 or differing.keys() == JUSTIFIED.keys()


# Plain URLs

PLAIN = re.compile(r"(?:https?|ftp)://[^\s<>\"]+", re.IGNORECASE)
TRAILING = ".,;:!?'\")]}>*"


def why_missed(url: str, ours: set[str]) -> str:
    """Return why the plain pattern's *url* is not among *ours*; empty if there is no reason."""
    if url in UNLIKE_ANY:
        return UNLIKE_ANY[url]
    if parse_or_none(url) is None:
        return "no URL"
    if any(url.startswith(one) and (url[len(one)] in ENDING or RULE.fullmatch(url, len(one))) for one in ours):
        return "what follows is no part of it"
    if any(f"={url}" in one for one in ours):
        return "the second half of one that was torn"
    if url[-1] == "=" and any(one.startswith(url[:-1]) for one in ours):
        return "the first line of one that has a soft line break"
    return ""


ENDING = ")]}'*,;`|\\^"
"""What ends a URL: a bracket that opens nothing, a comma before the next URL, what is unsafe in it."""
RULE = re.compile(r"[-_=+~]{8,}")


def test_every_plain_url_is_found() -> None:
    wanted = 0
    reasons: Counter[str] = Counter()
    missed: list[tuple[str, str]] = []
    for found in messages():
        texts = [text for _, kind, text in standard(found) if kind == "text/plain"]
        urls = {match[0].rstrip(TRAILING) for text in texts for match in PLAIN.finditer(text)}
        ours = {match.url for match in iter_urls(io.BytesIO(found.data), source="message")}
        wanted += len(urls)
        for url in urls - ours:
            if not any(one.startswith(url) for one in ours):
                reason = why_missed(url, ours)
                reasons[reason] += 1
                missed += [] if reason else [(found.name, url)]
    print(f"{wanted} URLs; missed with a reason: {dict(reasons)}")
    assert wanted > 15_000 // EVERY
    assert missed == []
