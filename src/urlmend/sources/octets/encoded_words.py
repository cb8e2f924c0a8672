"""The bodies of header fields as text: unfolded, with their encoded words (RFC 2047) decoded."""

import re
from email.header import decode_header

from urlmend.sources.octets.charsets import codec_of

MAX_DECODED = 1 << 16
"""How many characters of a field are decoded; what follows is shown as it stands."""

_AT_A_TIME = 4096  # characters of a field that the library is given: its time grows with their square
_WORDS_AT_A_TIME = 32

_FOLD = re.compile(rb"\r?\n")
_OPENING = re.compile(r"=\?")
_WORD_END = "?="


def decoded(body: bytes) -> str:
    """Return the field body *body* unfolded, its encoded words (RFC 2047) and its raw bytes decoded."""
    body = _FOLD.sub(b"", body)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    if "=?" not in text:
        return text.strip()
    if len(text) <= _AT_A_TIME and text.count("=?") <= _WORDS_AT_A_TIME:
        return _decoded_words(text).strip()
    return _decoded_by_pieces(text).strip()


def _decoded_by_pieces(text: str) -> str:
    """Decode *text* in pieces that end at a blank, if there is one; between two encoded words no blank is shown."""
    parts: list[str] = []
    start = 0
    stop = min(len(text), MAX_DECODED)
    openings = [match.start() for match in _OPENING.finditer(text, 0, stop)]
    passed = 0
    while start < stop:
        while passed < len(openings) and openings[passed] < start:
            passed += 1
        limit = min(stop, start + _AT_A_TIME)
        if passed + _WORDS_AT_A_TIME < len(openings):
            limit = min(limit, openings[passed + _WORDS_AT_A_TIME])
        end = limit if limit == stop else max(text.rfind(" ", start, limit), text.rfind("\t", start, limit)) + 1
        end = end if end > start else limit
        piece = text[start:end]
        between = piece.rstrip().endswith(_WORD_END) and text[end : end + 2].startswith("=?")
        parts.append(_decoded_words(piece))
        if piece[-1:].isspace() and not between:
            parts.append(" ")
        start = end
    return "".join([*parts, text[stop:]])


def _decoded_words(text: str) -> str:
    """Return *text* with its encoded words decoded; what is broken is shown as it stands.

    The library tells the words. It is not asked to decode them, because it looks up any name of a charset.
    """
    try:
        chunks = decode_header(text)
    except Exception:  # noqa: BLE001 -- whatever broken words make the library raise
        return text
    parts: list[str] = []
    was_word = False
    last = ""  # the part before
    for octets, charset in chunks:
        if isinstance(octets, str):
            return text
        codec = "ascii" if charset is None else codec_of(charset)
        if codec is None:
            return text
        try:
            part = octets.decode(codec)
        except UnicodeError:
            return text
        is_word = codec != "ascii"
        if parts and _needs_blank(last, part, was_word=was_word, is_word=is_word):
            parts.append(" ")
        parts.append(part)
        was_word, last = is_word, part
    return "".join(parts)


def _needs_blank(last: str, part: str, *, was_word: bool, is_word: bool) -> bool:
    """Tell whether a blank stands between *last* and *part*, of which either may be an encoded word.

    Between two words there is none, beside one of them there is one, if none of these is there (RFC 2047 section 5).
    """
    if was_word == is_word:
        return not is_word
    beside = part[:1] if was_word else last[-1:]
    return not (beside.isspace() or (beside != "" and beside in "()\\"))
