"""JSON (RFC 8259) and JSON Lines (https://jsonlines.org): each string is a text of its own."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from operator import methodcaller

from urlmend.sources.body import Decoded, joined, text_of, without_escapes
from urlmend.sources.charsets import CharsetStep
from urlmend.sources.compression import PeekableFile
from urlmend.sources.header import PLAIN
from urlmend.sources.origin import Origin, Prefilter, Span, Text
from urlmend.sources.places import Lines, Shifted, SourceMap, Step, Within, within
from urlmend.sources.reader import NAMED_VALUE, Reader

MAX_SIZE = 1 << 22
"""How many bytes of JSON are read as one value: a longer document, or line, is read as text."""

MAX_VALUES = 1 << 24
"""How many bytes the values of one document may take, about; one with more is read as text."""

MAX_SEQUENCE = 100_000
"""How many values after each other are read: each takes as long as a line. A document with more is read as text."""

MAX_PATH = 1000
"""The longest path of a string, in characters: the middle of a longer one is left out and marked with `…`."""

_TYPE = "application/json"
# What begins a page or a part of one. Markdown may begin so, too, but does not end in a tag.
_HTML = re.compile(
    r"\s*+<(?:!doctype\s++html|html|head|body|article|section|div|p|h[1-6]|blockquote|pre|table|[ou]l|dl|figure|center"
    r"|hr|br|img|a|span|font|strong|em|[biu])(?=[\s/>])",
    re.IGNORECASE,
)
_Bound = Callable[[Iterable[Decoded]], Iterable[Decoded]]
_LONGEST_CHARACTER = 4  # bytes of UTF-8
_LAST_CHARACTER = re.compile(rb"[\xc0-\xff][\x80-\xbf]*\Z")
_LONGEST_NAME = 1024  # with the blanks around it, in bytes
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_HIDES = re.compile(rb"[\\\0]")  # an escape, or UTF-16

# What Python takes for an empty list, a dictionary with a key, and any other value, in bytes.
_LIST, _DICTIONARY, _VALUE = 56, 184, 32


def texts(file: PeekableFile, wanted: Prefilter | None = None) -> Iterator[Text]:
    """Yield the strings of the JSON in *file*, keys too, or only those in which something *wanted* is found.

    `Origin.part` is the path of a string's keys, a JSON pointer (RFC 6901): `/posts/0/body`. A key has that of its
    value. In JSON Lines, `Origin.message` is the number of the value, from 1, and `offset` where its line begins. A
    document or line that is not JSON, or longer than MAX_SIZE, is read as text.
    """
    in_lines = file.recognised == "jsonl"
    number = wrong = first_wrong = 0
    faults: dict[str, None] = {}
    file.beginning(_LONGEST_NAME)  # the first read returns as much, however the file arrives
    reader = Reader(file)
    pieces = _pieces(reader, in_lines=in_lines)
    for value, is_end in pieces:
        if not value.data.strip():
            continue
        number += 1
        message, offset = (number, value.offset) if in_lines else (None, None)
        fault = _fault(value.data)
        if not fault:
            origin_at = partial(Origin, file.name, message, offset=offset, defects=file.defects)
            yield from _texts(value, origin_at, wanted, file.markup)
            continue
        wrong += 1
        first_wrong = first_wrong or value.line
        if in_lines:
            fault = fault.partition(":")[0]
        faults[fault] = None
        if is_end and not _HIDES.search(value.data) and _found(value.data, wanted) == []:
            continue
        origin = Origin(file.name, message, offset=offset, defects=[f"read as text: {fault}"])
        # With a byte order mark it may be in UTF-16.
        about = PLAIN._replace(type=_TYPE, charset="utf-8", encoding="binary")
        places = SourceMap()
        for text, some, steps in without_escapes(text_of(_whole(value, pieces, is_end=is_end), about, {})):
            places.add(len(text), some, steps)
            yield Text(text, origin, places=places)
    if wrong:
        others = f" and {wrong - 1} more are" if wrong > 1 else " is"
        reason = f"{f'line {first_wrong}{others} ' if in_lines else ''}read as text: {' or '.join(faults)}"
        file.defects[reason] = None
        file.report(reason)


def _pieces(reader: Reader, *, in_lines: bool) -> Iterator[tuple[Lines, bool]]:
    """Yield the lines of *reader*, or all of it, in pieces of MAX_SIZE, and whether a line, or all, ends with each."""
    reader.begin()
    if named := NAMED_VALUE.match(reader.data, reader.pos):
        reader.lines_to(named.end())
    while reader.pos < len(reader.data) or not reader.ended:
        longest = reader.pos + MAX_SIZE + _LONGEST_CHARACTER
        end = reader.data.find(b"\n", reader.pos, longest) + 1 if in_lines else 0
        if not end and len(reader.data) > longest:
            # However a long line arrives, it is cut at the same places, and not within a character.
            last = _LAST_CHARACTER.search(reader.data, longest - _LONGEST_CHARACTER + 1, longest)
            yield reader.lines_to(last.start() if last else longest), False
        elif end or reader.ended:
            yield reader.lines_to(end or len(reader.data)), True
        else:
            reader.read()


def _whole(line: Lines, pieces: Iterator[tuple[Lines, bool]], *, is_end: bool) -> Iterator[Lines]:
    """Yield *line*, and what the next *pieces* have of it unless it *is_end*."""
    yield line
    for more, ends in pieces if not is_end else ():
        yield more
        if ends:
            return


def body(
    pieces: Iterator[Decoded], origin: Origin, wanted: Prefilter | None, bound: _Bound
) -> tuple[Iterator[Text], Iterator[Decoded]]:
    """Return the strings of the JSON in *pieces*; if it cannot be read, no strings and the *pieces* without escapes."""
    held: list[Decoded] = []
    size = 0
    while size <= MAX_SIZE and (more := next(pieces, None)):
        held.append(more)
        size += len(more.text)
    if not held:
        return iter(()), iter(())
    whole = joined(held)
    data = whole.text.encode("utf-8", "surrogatepass")
    fault = _fault(data)
    if fault:
        origin.add_defect(f"read as text: {fault}")
        return iter(()), without_escapes(chain(held, pieces))

    def origin_at(_: str) -> Origin:
        return origin.replace()

    if data == whole.lines.data:
        return _texts(whole.lines, origin_at, wanted, bound), iter(())
    decoded = _texts(Lines(data, 0, 1), origin_at, wanted, bound)
    # A generator expression is a list in the compiled build.
    return map(methodcaller("_replace", places=within(whole.lines, len(data))), decoded), iter(())


DECODER = json.JSONDecoder(parse_int=str)
"""Reads numbers of any length. It is made once: making it takes longer than reading a small document."""


def _fault(data: bytes) -> str:
    """Return why *data* cannot be read as JSON, one value or several after each other; `""` if it can."""
    if len(data) > MAX_SIZE:
        return f"longer than {MAX_SIZE} bytes"
    size = data.count(b"[") * _LIST + data.count(b"{") * _DICTIONARY + data.count(b",") * _VALUE + len(data)
    if size > MAX_VALUES:
        return f"its values take more than {MAX_VALUES} bytes"
    try:
        text, end, values = data.decode(), 0, 0
        while begin := _NOT_BLANK.search(text, end):
            values += 1
            if values > MAX_SEQUENCE:
                return f"more than {MAX_SEQUENCE} values after each other"
            end = DECODER.raw_decode(text, begin.start())[1]
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    return ""


def _texts(value: Lines, origin: Callable[[str], Origin], wanted: Prefilter | None, bound: _Bound) -> Iterator[Text]:
    """Yield the strings of the JSON *value*; *origin* returns the origin of the string at a path.

    *bound* is `PeekableFile.markup`, for those that are HTML.
    """
    data = value.data
    found = _found(data, wanted)
    if found == [] and b"\\" not in data:
        return
    left = [*reversed(found or ())]
    for (start, end), path, step in _strings(data):
        literal = data[start:end]
        has_escapes = b"\\" in literal
        if found is not None and not has_escapes:
            while left and left[-1][1] <= start:
                left.pop()
            if not left or left[-1][0] >= end:
                continue
        text = _string(literal)
        is_html = _HTML.match(text) is not None and text.rstrip().endswith(">")
        spans = list(wanted.search_text(text, 0)) if wanted and not is_html else None
        if start == end or spans == []:
            continue
        steps: tuple[Step, ...] = (Shifted(start),)
        if has_escapes:
            steps = (Within(start, end),)
        elif not text.isascii():
            steps += (CharsetStep(literal, text, "utf-8"),)
        made = origin(_path(data, path, step))
        if is_html:
            from urlmend.sources.html import Document  # noqa: PLC0415 -- few documents have HTML

            pieces = bound([Decoded(text, value, steps)])
            yield from Document(made, wanted, wanted and wanted.base).texts(pieces)
            continue
        places = SourceMap()
        places.add(len(text), value, steps)
        yield Text(text, made, places=places, whole=True, spans=spans)


def _found(data: bytes, wanted: Prefilter | None) -> list[Span] | None:
    """Return the spans of what is *wanted* in *data*, where it has no escapes; `None` if all is, as relative links."""
    return list(wanted.search(data)) if wanted and wanted.base is None else None


_TOKEN = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"(\s*+:)?+|[\[\]{},]', re.DOTALL)
_COMMA, _ARRAY, _OPENING = b","[0], b"["[0], b"[{"

_Step = int | Span
"""Where a value is in the array or object around it: its number, from 0, or the span of its key in the document."""


def _strings(data: bytes) -> Iterator[tuple[Span, str, _Step | None]]:
    """Yield where each string of valid JSON is, without its quotes, the path around it, and its step from there."""
    path = ""
    step: _Step | None = None
    around: list[tuple[str, _Step | None]] = []
    for token in _TOKEN.finditer(data):
        if group := token.lastindex:
            if group > 1:
                step = token.span(1)
            yield token.span(1), path, step
            continue
        sign = data[token.start()]
        if sign == _COMMA:
            if type(step) is int:
                step += 1
        elif sign in _OPENING:
            around.append((path, step))
            path = _path(data, path, step)
            step = 0 if sign == _ARRAY else None
        else:
            path, step = around.pop()


def _string(literal: bytes) -> str:
    text = literal.decode()
    return str(DECODER.raw_decode(f'"{text}"')[0]) if "\\" in text else text


def _path(data: bytes, path: str, step: _Step | None) -> str:
    """Return the path of the value that is one *step* below *path*."""
    if step is None:
        return path
    name = str(step) if isinstance(step, int) else _string(data[step[0] : step[1]])
    path = f"{path}/{name.replace('~', '~0').replace('/', '~1')}"
    return path if len(path) <= MAX_PATH else f"{path[: MAX_PATH // 2]}…{path[1 - MAX_PATH // 2 :]}"
