"""Steps of reading mail agree with slow and obvious twins of theirs."""

import email
import quopri
import re
from base64 import encodebytes
from binascii import b2a_uu
from collections.abc import Callable, Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from urlmend.sources import Origin
from urlmend.sources.body import Decoded, text_of
from urlmend.sources.header import PLAIN, Content, Header, content
from urlmend.sources.html import IN_LINE, KEEPING_SPACE, NOT_SHOWN, visible
from urlmend.sources.places import Lines, Places
from urlmend.sources.prose import _Flow, prose

# Flowed text (RFC 3676 section 4)

LINE = st.text(alphabet="> -ab", max_size=5) | st.sampled_from(
    ["-- ", "> -- ", " -- ", ">> a ", "> > b ", " > c ", "d "]
)
LINES = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n"])), max_size=12)


def flowed(lines: list[tuple[str, str]], *, delsp: bool) -> str:
    """Join lines word by word as the RFC says it; where a paragraph begins, its quote marks stay."""
    paragraphs = ""
    open_depth = None
    for line, end in lines:
        content = line.lstrip(">")  # 4.5: "count and remove the quote marks"
        depth = len(line) - len(content)
        marks = line[:depth]
        if content.startswith(" "):  # 4.4: "If the line starts with a space, remove it"
            content, marks = content[1:], marks + " " * bool(depth)
        is_separator = content == "-- "  # 4.3: "fixed, and not part of a paragraph"
        if open_depth is not None and open_depth == depth and not is_separator:
            paragraphs += content
        else:
            if open_depth is not None:
                paragraphs += "\n"  # 4.5: what changes the depth ends the paragraph
            paragraphs += marks + content
        is_flowed = content.endswith(" ") and not is_separator  # 4.1
        if not is_flowed:
            paragraphs += end
        elif delsp:
            paragraphs = paragraphs[:-1]
        open_depth = depth if is_flowed else None
    return paragraphs


def without_blanks_at_ends(text: str) -> str:
    return re.sub(r" *\r?\n", "\n", text).rstrip(" ")


@settings(deadline=None, derandomize=True)
@given(lines=LINES, cut=st.integers(0, 12), delsp=st.booleans())
def test_flowed_lines_are_joined_as_the_rfc_says(lines: list[tuple[str, str]], cut: int, delsp: bool) -> None:
    flow = _Flow(delsp=delsp)
    result = ""
    for part in (lines[:cut], lines[cut:]):
        text = "".join(map("".join, part))
        joined, step = flow.join(text)
        result += joined
        for index, character in enumerate(joined):
            start, end, _ = step.to_source(index, index + 1)
            # A line end that had been taken out of the piece before is put in.
            assert text[start:end] == character or (index == 0 and character == "\n")
    assert without_blanks_at_ends(result) == without_blanks_at_ends(flowed(lines, delsp=delsp))


@settings(deadline=None, derandomize=True)
@given(lines=LINES, delsp=st.booleans(), ends=st.tuples(st.integers(0, 60), st.integers(1, 30)))
def test_what_is_exact_stands_there(lines: list[tuple[str, str]], delsp: bool, ends: tuple[int, int]) -> None:
    text = "".join(map("".join, lines))
    joined, step = _Flow(delsp=delsp).join(text)
    first, stop = ends[0], min(sum(ends), len(joined))
    if first < stop:
        start, end, exact = step.to_source(first, stop)
        assert exact == (text[start:end] == joined[first:stop] and end - start == stop - first)


# Places: encoded, and looked for

WORDS = st.lists(
    st.sampled_from(["", "a", "ü", "日本", "=3D", "=", ".", "From", "é\r", " ", "\t", "long " * 20]), max_size=8
)
TOKEN = "http://a.example/b"
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "8bit": bytes,
    "quoted-printable": quopri.encodestring,
    "base64": encodebytes,
}


@settings(deadline=None, derandomize=True)
@given(
    before=st.lists(WORDS, max_size=6),
    after=st.lists(WORDS, max_size=3),
    charset=st.sampled_from(["utf-8", "latin-1", "iso-2022-jp", "cp932", "utf-16-le"]),
    encoding=st.sampled_from(["8bit", "quoted-printable", "base64"]),
    size=st.integers(1, 4),
)
def test_places_are_where_an_encoder_put_them(
    before: list[list[str]], after: list[list[str]], charset: str, encoding: str, size: int
) -> None:
    text = "\n".join([*map(" ".join, before), TOKEN, *map(" ".join, after)]) + "\n"
    octets = text.encode(charset, "ignore")
    data = ENCODERS[encoding](octets)
    if charset == "utf-16-le" and encoding != "base64":
        return
    places = Places()
    read = ""
    about = PLAIN._replace(encoding=encoding, charset=charset)
    for decoded in text_of(in_pieces(data, size), about, {}):
        places.add(len(decoded.text), decoded.lines, decoded.steps)
        read += decoded.text
    assert read.replace("\r", "") == octets.decode(charset).replace("\r", "")
    place = places.locate(read.index(TOKEN), read.index(TOKEN) + len(TOKEN))
    assert place.line == line_at(data, place.start)
    stretch = data[place.start : place.end]
    if encoding == "8bit":
        assert (place.exact, stretch) == (True, TOKEN.encode())
    elif encoding == "quoted-printable":
        assert (place.exact, stretch.rstrip(b"\r")) == (False, TOKEN.encode())  # in its own line
    else:
        token = TOKEN.encode(charset)
        start = octets.index(token)
        # Three octets are four characters, and a line has 76 of these.
        first, last = start * 4 // 3 // 76, ((start + len(token) - 1) * 4 // 3 + 1) // 76
        assert stretch.splitlines() == data.splitlines()[first : last + 1]


@settings(deadline=None, derandomize=True)
@given(
    data=st.lists(st.sampled_from([b"a ", b"=3D", b"=\n", b"\n", b"\r\n", b"\r", b"b" * 9, b"\xc3\xa9"]), max_size=40),
    asked=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=9),
    size=st.integers(1, 4),
    encoding=st.sampled_from(["8bit", "quoted-printable"]),
)
def test_places_are_the_same_in_whatever_order_they_are_asked_for(
    data: list[bytes], asked: list[tuple[int, int]], size: int, encoding: str
) -> None:
    def located(part: list[tuple[int, int]]) -> list[object]:
        places = Places()
        text = 0
        about = PLAIN._replace(encoding=encoding, charset="utf-8")
        for decoded in text_of(in_pieces(b"".join(data) + b"\n", size), about, {}):
            places.add(len(decoded.text), decoded.lines, decoded.steps)
            text += len(decoded.text)
        return [places.locate(start, start + length) for start, length in part if start + length <= text]

    assert located(asked) == [place for one in asked for place in located([one])]


def line_at(data: bytes, place: int) -> int:
    return 1 + len(re.findall(rb"\r\n|\r|\n", data[:place]))


def in_pieces(data: bytes, size: int) -> Iterator[Lines]:
    """Yield the lines of *data*, so many at a time."""
    lines = data.splitlines(keepends=True) if b"\r" not in data else [line + b"\n" for line in data.split(b"\n")[:-1]]
    offset = 0
    for number in range(0, len(lines), size):
        piece = b"".join(lines[number : number + size])
        yield Lines(piece, offset, line_at(data, offset))
        offset += len(piece)


# Content fields: the common ones are read as the library reads them

BLANK = st.sampled_from(["", " ", "\t", "\n ", "\r\n\t"])
TYPES = st.sampled_from(
    ["text/plain", "Text/HTML", "multipart/mixed", "text", "a/b/c", "text /x", "", "é/x", "(c)text/x"]
)
NAMES = st.sampled_from(["charset", "Boundary", "format", "delsp", "name*", "charset*0", "", "x y"])
VALUES = st.sampled_from(
    [
        "utf-8",
        "UTF-8",
        "=_a=b",
        "flowed",
        "Yes",
        "",
        " ",
        "<a>",
        "a;b",
        'a\\"b',
        "'a'",
        "(c)",
        "a b ",
        "us-ascii''a",
        ":",
    ]
)
PARAMETERS = st.tuples(BLANK, NAMES, st.sampled_from(["=", "= ", "", " ="]), VALUES, st.booleans(), BLANK)


@settings(deadline=None, derandomize=True, max_examples=400)
@given(
    media_type=st.none() | st.tuples(BLANK, TYPES, BLANK, st.lists(PARAMETERS, max_size=3)),
    encoding=st.none() | st.sampled_from(["base64", " Quoted-Printable ", "", "8bit (c)", "7bit\n ", "é"]),
    default=st.sampled_from(["text/plain", "message/rfc822"]),
)
def test_common_content_fields_are_read_as_the_library_reads_them(
    media_type: tuple[str, str, str, list[tuple[str, str, str, str, bool, str]]] | None,
    encoding: str | None,
    default: str,
) -> None:
    fields = ["", "" if encoding is None else f"Content-Transfer-Encoding:{encoding}"]
    if media_type is not None:
        before, name, behind, parameters = media_type
        fields[0] = f"Content-Type:{before}{name}{behind}"
        for left, key, equals, value, quoted, right in parameters:
            written = f'"{value}"' if quoted else value
            fields[0] += f";{left}{key}{equals}{written}{right}"
    header = "\n".join([*(field.rstrip("\r\n") for field in fields if field), ""]).encode()
    assert content(Header(header), default, {}) == by_the_library(header, default)


def by_the_library(header: bytes, default: str) -> Content:
    message = email.message_from_bytes(header)
    message.set_default_type(default)
    charset, boundary = (message.get_param(name) for name in ("charset", "boundary"))
    if isinstance(charset, tuple):
        charset = charset[2]
    return Content(
        type=message.get_content_type(),
        charset=charset.lower() if charset and charset.isascii() else None,
        encoding=str(message.get("Content-Transfer-Encoding", "7bit")).strip().lower(),
        boundary=None if boundary is None else str(boundary).rstrip().encode(),
        flowed=str(message.get_param("format", "")).lower() == "flowed",
        delsp=str(message.get_param("delsp", "")).lower() == "yes",
    )


# The visible text of HTML

MARKUP = st.lists(
    st.sampled_from(
        "a|b |  |\n|\t\r\n |&nbsp;|&#0;|<br>|<img src=x>|<hr/>|<p>|</p>|<b>|</b>|<x-f>|</x-f>|<pre>|</pre>|<pre>\n\n"
        "|<textarea> \n|</textarea>|<table>|<tr><td>|</table>|<script> s\n</script>|<title>t </title>|<!-- c -->"
        "|<svg><title>u|</svg>|<math><mi>|<template>|</template>|<?pi x>|<select><option>|<noscript> <p>n|</noscript>"
        "|<plaintext>".split("|")
    ),
    max_size=24,
)


def shown(node: LexborNode, *, keeping: bool = False) -> str:
    """Return what a reader sees, element by element."""
    if node.tag == "-text":
        text = node.text_content or ""
        return text if keeping else re.sub(r"[ \t\n\r\f]+", " ", text)
    if node.tag in NOT_SHOWN:
        return ""
    keeps = keeping or node.tag in KEEPING_SPACE
    inside = "".join(shown(child, keeping=keeps) for child in node.iter(include_text=True))
    return inside if node.tag in IN_LINE else f"\n{inside}\n"


@settings(deadline=None, derandomize=True)
@given(markup=MARKUP)
def test_what_html_shows_is_in_the_order_of_its_elements(markup: list[str]) -> None:
    root = LexborHTMLParser("".join(markup)).root
    assert root is not None
    assert visible(root) == shown(root)


# uuencode

PROSE = st.sampled_from(
    ["words and more words", "begin 644 reading", "end", "M", "", "`", "begin 644 a", "> begin 600 b"]
)


@settings(deadline=None, derandomize=True)
@given(
    data=st.binary(min_size=1, max_size=300),
    before=st.lists(PROSE, max_size=3),
    after=st.lists(st.sampled_from(["words and more words", "", "end", "begin 644 reading"]), max_size=3),
    backtick=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n"]),
    ended=st.booleans(),
)
def test_uuencoded_data_is_no_text(  # noqa: PLR0913, PLR0917 -- what a text is made of
    data: bytes, before: list[str], after: list[str], backtick: bool, line_end: str, ended: bool
) -> None:
    encoded = [b2a_uu(data[at : at + 45], backtick=backtick).decode()[:-1] for at in range(0, len(data), 45)]
    block = ["begin 644 a b.tar", *encoded, "`" if backtick else " ", "end"]
    around = [*before, "one URL", *block, "another URL", *after]
    text = line_end.join(around) + line_end
    cut = len(text) // 2 if ended else len(text)
    cut = text.rfind("\n", 0, cut) + 1
    pieces = [Decoded(part, Lines(part.encode(), 0, 1)) for part in (text[:cut], text[cut:]) if part]
    left = [str(one.data) for one in prose(pieces, PLAIN, Origin())]
    expected = "".join(f"{line}\n" for line in [*before, "one URL", "another URL", *after])
    read = "".join(left).replace("\r", "")
    if cut == len(text) or len(data) >= 45:
        # Its first line is read as text where the data come in another piece.
        assert read.replace("begin 644 a b.tar\n", "") == expected
    else:
        # A line that is not full says too little, where the text is cut behind it.
        assert len(read) - len(expected) in range(sum(map(len, block)) + len(block) + 1)
