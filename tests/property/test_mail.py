"""The text of mail and its places, compared with slow twins that follow the RFCs and the standard library."""

import io
import quopri
import re
from base64 import encodebytes
from binascii import b2a_uu
from collections.abc import Callable, Iterator

from hypothesis import given, settings, strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from files import Pipe
from urlmend import iter_texts, iter_urls
from urlmend.sources.places import Place

quickly = settings(deadline=None, derandomize=True, max_examples=30)


def read(data: bytes, source: str = "message", *, size: int = 1 << 20) -> str:
    return "".join(str(text.data) for text in iter_texts(Pipe(data, size), source) if not text.origin.attributes)


def characters(data: bytes) -> Iterator[tuple[str, Place]]:
    """Yield the decoded characters of a message, and the place of each."""
    places, start = None, 0
    for text in iter_texts(io.BytesIO(data), "message"):
        assert text.places is not None
        start = start if text.places is places else 0
        places = text.places
        for at, character in enumerate(str(text.data), start):
            yield character, places.locate(at, at + 1)
        start += len(text.data)


# Flowed text (RFC 3676 section 4)

LINE = st.text(alphabet="> -ab", max_size=5) | st.sampled_from(
    ["-- ", "> -- ", " -- ", ">> a ", "> > b ", " > c ", "d "]
)
LINES = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n"])), max_size=12)


def flowed(lines: list[tuple[str, str]]) -> str:
    """Join lines word by word as the RFC says it; where a paragraph begins, its quote marks and stuffing stay."""
    paragraphs = ""
    open_depth = None
    for line, end in lines:
        content = line.lstrip(">")  # 4.5: "count and remove the quote marks"
        depth = len(line) - len(content)
        marks = line[:depth]
        if content.startswith(" "):  # 4.4: "If the line starts with a space, remove it"
            content, marks = content[1:], marks + " "
        is_separator = content == "-- "  # 4.3: "fixed, and not part of a paragraph"
        if open_depth is not None and open_depth == depth and not is_separator:
            paragraphs += content
        else:
            if open_depth is not None:
                paragraphs += "\n"  # 4.5: what changes the depth ends the paragraph
            paragraphs += marks + content
        is_flowed = content.endswith(" ") and not is_separator  # 4.1
        paragraphs = paragraphs[:-1] if is_flowed else paragraphs + end  # DelSp
        open_depth = depth if is_flowed else None
    return paragraphs


def without_blanks_at_ends(text: str) -> str:
    return re.sub(r" *\r?\n", "\n", text).rstrip(" ")


@quickly
@given(lines=LINES, size=st.integers(1, 90))
def test_flowed_lines_are_joined_as_the_rfc_says(lines: list[tuple[str, str]], size: int) -> None:
    header = "Content-Type: text/plain; format=flowed; delsp=yes\n\n"
    data = (header + "".join(map("".join, lines))).encode()
    joined = read(data, size=size)
    assert without_blanks_at_ends(joined) == without_blanks_at_ends(flowed(lines))
    for character, place in characters(data):
        # A line end that was removed is put in again where the next line does not go on.
        assert (place.exact and data[place.start : place.end].decode() == character) or character == "\n"


# SourceMap: encoded, and looked for

WORDS = st.lists(
    st.sampled_from(["", "a", "ü", "日本", "=3D", "=", ".", "From", "é\r", " ", "\t", "long " * 20]), max_size=8
)
TOKEN = "http://a.example/b"
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "8bit": bytes,
    "quoted-printable": quopri.encodestring,
    "base64": encodebytes,
}


@quickly
@given(
    before=st.lists(WORDS, max_size=6),
    after=st.lists(WORDS, max_size=3),
    charset=st.sampled_from(["utf-8", "latin-1", "iso-2022-jp", "cp932", "utf-16-le"]),
    encoding=st.sampled_from(["8bit", "quoted-printable", "base64"]),
    size=st.integers(1, 200),
)
def test_places_are_where_an_encoder_put_them(
    before: list[list[str]], after: list[list[str]], charset: str, encoding: str, size: int
) -> None:
    text = "\n".join([*map(" ".join, before), TOKEN, *map(" ".join, after)]) + "\n"
    octets = text.encode(charset, "ignore")
    header = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n".encode()
    data = header + ENCODERS[encoding](octets)
    if charset == "utf-16-le" and encoding != "base64":
        return
    assert read(data, size=size).replace("\r", "") == octets.decode(charset).replace("\r", "")
    (match,) = iter_urls(Pipe(data, size), source="message")
    assert match.line == 1 + len(re.findall(rb"\r\n|\r|\n", data[: match.start]))
    place = data[match.start : match.end]
    if encoding == "8bit":
        assert (match.exact, place) == (True, TOKEN.encode())
    elif encoding == "quoted-printable":
        assert (match.exact, place.rstrip(b"\r")) == (False, TOKEN.encode())  # in its own line
    else:
        token = TOKEN.encode(charset)
        start = octets.index(token)
        # Three octets are four characters, and a line has 76 of these.
        first, last = start * 4 // 3 // 76, ((start + len(token) - 1) * 4 // 3 + 1) // 76
        assert place.splitlines() == data[len(header) :].splitlines()[first : last + 1]


@quickly
@given(
    body=st.lists(st.sampled_from([b"a ", b"=3D", b"=\n", b"\n", b"\r\n", b"\r", b"b" * 9, b"\xc3\xa9"]), max_size=40),
    asked=st.lists(st.integers(0, 60), max_size=9),
)
def test_places_are_the_same_in_whatever_order_they_are_asked_for(body: list[bytes], asked: list[int]) -> None:
    header = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    data = header + b"".join(body) + b"\n"
    expected = [place for _, place in characters(data)]
    for text in iter_texts(io.BytesIO(data), "message"):
        for at in asked:
            if text.places is not None and at < len(text.data):
                assert text.places.locate(at, at + 1) == expected[at]


# The visible text of HTML

MARKUP = st.lists(
    st.sampled_from(
        "a|b |  |\n|\t\r\n |&nbsp;|&#0;|&ampc|<br>|<img src=x>|<hr/>|<p>|</p>|<b>|</b>|<x-f>|</x-f>|<pre>"
        "|</pre>|<pre>\n\n|<textarea> \n|</textarea>|<ul><li>|</ul>|<script> s\n</script>|<title>t </title>|<!-- c -->"
        "|<!-->|<!x>|<?pi x>|</ x>|<|<i a='>' b=\">\" c=>|<noscript> <p>n|</noscript>"
        "|<iframe> <b></iframe>|<plaintext>".split("|")
    ),
    max_size=24,
)


def shown(node: LexborNode) -> str:
    """Return what a reader sees, element by element."""
    if node.tag == "-text":
        return node.text_content or ""
    if node.tag in {"script", "style", "title", "-comment", None}:
        return ""
    return "".join(map(shown, node.iter(include_text=True)))


@quickly
@given(markup=MARKUP, size=st.integers(1, 90))
def test_visible_text_is_that_of_the_tree(markup: list[str], size: int) -> None:
    data = "".join(["://", *markup])  # a page without a sign of a URL is left out
    root = LexborHTMLParser(data).root
    assert root is not None
    assert "".join(read(data.encode(), "html", size=size).split()) == "".join(shown(root).split())


# What is put between URLs and texts in HTML: tags and comments that have the same URL, and text that is not shown
BETWEEN = (
    "<p>|<br>|</b>|<i>| x |&amp;|\n|\r\n|<title>http://a.example/0</title>|<script>'<a href=//a.example/1>'</script>"
    "|<!-- > http://a.example/2 -->|<img name='http://a.example/1'>|<p class='> http://a.example/2'>|<? http://a.example/0>"
    "|http://a.example/1x |<wbr>|<style>a {b: http://a.example/0}</style>|http://a.<b>example</b>/2 |<pre>"
)


@quickly
@given(pieces=st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.sampled_from(BETWEEN.split("|"))), max_size=12))
def test_each_url_in_html_has_the_place_it_was_read_from(pieces: list[tuple[int, bool, str]]) -> None:
    data = ""
    expected: dict[bool, list[int]] = {True: [], False: []}
    for number, in_attribute, between in pieces:
        data += "<a href='" * in_attribute + " " * (not in_attribute)
        expected[in_attribute].append(len(data))
        data += f"http://a.example/{number}" + ("'></a>" if in_attribute else " ") + between
    matches = list(iter_urls(Pipe(data.encode(), 7), source="html"))
    for in_attribute, places in expected.items():
        found = [match.start for match in matches if match.exact and match.origin.attributes == in_attribute]
        assert [start for start in found if not data.startswith("1x", start + len("http://a.example/"))] == places
    for match in matches:
        assert match.raw in data[match.start : match.end] or not match.exact
        assert match.line == 1 + data.count("\n", 0, match.start)


# uuencode

PROSE = st.sampled_from(
    ["words and more words", "begin 644 reading", "end", "M", "", "`", "begin 644 a", "> begin 600 b"]
)


@quickly
@given(
    data=st.binary(min_size=1, max_size=300),
    before=st.lists(PROSE, max_size=3),
    after=st.lists(st.sampled_from(["words and more words", "", "end", "begin 644 reading"]), max_size=3),
    backtick=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n"]),
    size=st.integers(1, 400),
)
def test_uuencoded_data_is_not_text(  # noqa: PLR0913, PLR0917 -- what a text is made of
    data: bytes, before: list[str], after: list[str], backtick: bool, line_end: str, size: int
) -> None:
    encoded = [b2a_uu(data[at : at + 45], backtick=backtick).decode()[:-1] for at in range(0, len(data), 45)]
    block = ["begin 644 a b.tar", *encoded, "`" if backtick else " ", "end"]
    message = line_end.join(["Subject: x", "", *before, "one URL", *block, "another URL", *after, ""])
    expected = "".join(f"{line}\n" for line in [*before, "one URL", "another URL", *after])
    assert read(message.encode(), size=size).replace("\r", "") == expected
