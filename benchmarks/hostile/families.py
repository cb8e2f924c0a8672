"""Texts that are meant to make a URL finder slow, greedy or wrong: README.md says what each family defeats.

A family makes texts of any size in pieces and knows how many URLs are in each. Nothing is random but what is seeded.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice
from random import Random
from typing import NamedTuple

from urlmend.text.limits import MAX_URL_LENGTH, MAX_WRAPPER_SPAN

PIECE = 1 << 15
"""How many bytes a piece of small units has, about."""

DEEP = 10_000
"""How deep, or how many lines long, the things are that real text has two or three of."""

URL = b"http://a.example/b"


class Piece(NamedTuple):
    """A stretch of a text, and how many URLs must be found that start in it."""

    data: bytes
    urls: int


class Family(NamedTuple):
    """A kind of hostile text: `pieces` makes one of a size; `times` is how many times as long it is to be.

    Where `any_number` is true, how many URLs are found is nobody's business: only that it does not depend on the cuts.
    """

    pieces: Callable[[int], Iterator[Piece]]
    times: int = 1
    any_number: bool = False


def rain(unit: bytes, urls: int = 0) -> Callable[[int], Iterator[Piece]]:
    """Return a family's pieces: *unit* repeated, with the number of URLs in each."""

    def pieces(size: int) -> Iterator[Piece]:
        number = max(1, PIECE // len(unit))
        piece = Piece(unit * number, urls * number)
        for _ in range(0, size - len(piece.data), len(piece.data)):
            yield piece
        rest = max(1, (size % len(piece.data)) // len(unit))
        yield Piece(unit * rest, urls * rest)

    return pieces


def after(start: bytes, unit: bytes, urls: int, *, length: int, end: bytes = b" ") -> Callable[[int], Iterator[Piece]]:
    """Return a family's pieces: *start*, *unit* repeated for *length* bytes, and *end*; with *urls* in each."""
    return rain(start + unit * ((length - len(start)) // len(unit)) + end, urls)


def _words(random: Random, size: int) -> bytes:
    words = b"a letter of the old library has 12:30 std::map Note: that < is > (or) --".split()
    return b" ".join(random.choices(words, k=size // 5))


def one_line(size: int) -> Iterator[Piece]:
    """Yield words with a URL here and there, and never a line end."""
    random = Random("one line")
    words = _words(random, PIECE)
    for number in range(max(1, size // PIECE)):
        yield Piece(b"%s http://a.example/%d " % (words, number), 1)


def url_lines(size: int) -> Iterator[Piece]:
    """Yield URLs that are all different, one a line: what is remembered of the stream must not grow with it."""
    numbers, made = count(), 0
    while made < size:
        data = b"".join(b"http://host-%d.example/%d.html\n" % (number, number) for number in islice(numbers, 500))
        made += len(data)
        yield Piece(data, 500)


def bytes_of_any_kind(size: int) -> Iterator[Piece]:
    """Yield what a compressed file looks like, with nothing in it that ends in a colon."""
    random = Random("bytes")
    for _ in range(0, size, PIECE):
        yield Piece(random.randbytes(PIECE).replace(b":", b";"), 0)


LONGEST = MAX_URL_LENGTH - 5000
"""Within the longest URL, and no divisor of a block: a dozen URLs meet the cuts between blocks in all manners."""

FAMILIES: Mapping[str, Family] = {
    # Searches from each opening for a closing that never comes
    "<URL: rain": Family(rain(b"<URL:")),
    "<URL: rain with URLs": Family(rain(b"<URL:http://a.example/b ", 1)),
    "<URL: rain, a line each": Family(rain(b"<URL:http://a.example\n", 1)),
    "< rain": Family(rain(b"<")),
    "&lt; rain": Family(rain(b"&lt;")),
    "<http:// rain": Family(rain(b"<http://")),
    "<a://b rain, a line each": Family(rain(b"<a://b\n", 1)),
    "( rain": Family(rain(b"(")),
    "( rain in a URL": Family(after(URL, b"(", 1, length=LONGEST)),
    "() rain in a URL": Family(after(URL, b"()", 1, length=LONGEST)),
    "quotes rain": Family(rain(b"'\"")),
    "' rain in a URL": Family(after(URL, b"'", 1, length=LONGEST)),
    # Searches from each trigger, to the left for a scheme and to the right for a shape
    ": rain": Family(rain(b":")),
    "a:b: rain": Family(rain(b"a:b:")),
    "http:// rain": Family(rain(b"http://"), any_number=True),
    "z://^ rain": Family(rain(b"z://^")),
    "z.://] rain": Family(rain(b"z.://]")),
    "http:// rain, a line each": Family(rain(b"http://\n")),
    "mailto: rain": Family(rain(b"mailto:")),
    "news: rain": Family(rain(b"news:")),
    "cid: rain": Family(rain(b"cid:")),
    "letters before a colon": Family(rain(b"a" * DEEP + b": ")),
    # Patterns that can match one text in many ways
    "com.com. rain": Family(rain(b"com.com.")),
    "com.com. in a host": Family(after(b"http://", b"com.", 1, length=LONGEST)),
    "zeros in a host": Family(rain(b"http://255.1.1" + b"0" * 3000 + b"a "), any_number=True),
    "a-a-a-!": Family(after(b"http://", b"a-", 1, length=LONGEST, end=b"! ")),
    "a.a.a.!": Family(after(b"http://", b"a.", 1, length=LONGEST, end=b"! ")),
    "%%%% rain": Family(rain(b"%")),
    "%%%% in a URL": Family(after(URL, b"%", 0, length=LONGEST)),
    "@ rain in a URL": Family(after(b"ftp://", b"a:b@", 0, length=LONGEST)),
    "@ rain in a path": Family(after(URL, b"@a", 1, length=LONGEST)),
    "%40 rain in a path": Family(after(URL, b"%40", 1, length=LONGEST)),
    "commas after a URL": Family(after(URL, b",", 1, length=LONGEST)),
    "dashes and dots after a URL": Family(after(URL, b".--", 1, length=LONGEST)),
    "# far behind URLs": Family(after(b"", b"http://a.b/c|", 0, length=LONGEST, end=b"#"), any_number=True),
    "dots after a URL": Family(after(URL, b".", 1, length=LONGEST)),
    "mailto: with many addresses": Family(after(b"mailto:a@b.example", b",a@b.example", 1, length=LONGEST)),
    # Lines: each end is a riddle
    "hyphen at every line end": Family(after(URL, b"-\nb", 1, length=DEEP, end=b"\n\n")),
    "hyphen at every line end, wrapped": Family(after(b"<URL:" + URL, b"-\nb", 1, length=MAX_WRAPPER_SPAN, end=b">\n")),
    "slash at every line end": Family(rain(URL + b"/\n", 1)),
    "wrapper over 10 000 lines": Family(rain(b"<URL:" + URL + b"\nb" * DEEP + b">\n", 1)),
    "wrapper over all lines that it may": Family(after(b"<URL:" + URL, b"\nb", 1, length=MAX_WRAPPER_SPAN, end=b">\n")),
    "leaders 10 000 deep": Family(rain((b"> " * DEEP + URL + b"\n") * 2, 2)),
    "leaders in a wrapper": Family(after(b"> <URL:" + URL, b"\n> b", 1, length=MAX_WRAPPER_SPAN, end=b">\n")),
    "comment marks in a wrapper": Family(after(b"# <URL:" + URL, b"\n# b", 1, length=MAX_WRAPPER_SPAN, end=b">\n")),
    "soft hyphens in a wrapper": Family(after(b"<URL:" + URL, b"\xc2\xad", 1, length=MAX_WRAPPER_SPAN, end=b"b>\n")),
    "blanks in a wrapper": Family(after(b"<URL:" + URL, b" ", 1, length=MAX_WRAPPER_SPAN, end=b"b>\n")),
    "soft breaks": Family(rain(b"=\n")),
    "soft breaks in a URL": Family(after(URL + b"?q=3D", b"b=\n", 1, length=DEEP, end=b"\n\n")),
    "a word behind tiny URLs": Family(rain(b"http://a.b/c.\nd ", 1)),
    "torn schemes": Family(rain(b"http:\n//a.b\n"), any_number=True),
    "a hyphen behind tiny hosts": Family(rain(b"http://a.b-\n"), any_number=True),
    "a word behind a URL": Family(after(URL + b"/\n", b"x", 1, length=DEEP // 3, end=b"\n\n")),
    "a:a: behind a URL": Family(after(URL + b"/\n", b"a:", 1, length=DEEP // 3, end=b"\n\n")),
    "a.a. behind a URL": Family(after(URL + b"/\n", b"a.", 1, length=DEEP // 3, end=b"[\n\n")),
    "=a@ behind a URL": Family(after(URL + b"/\n", b"=a@", 1, length=DEEP // 3, end=b"[\n\n")),
    "hyphens before a URL": Family(rain(b"-" * 1000 + b" http://a.example/b\nc\n", 1)),
    "archives in a URL": Family(after(b"http://a.example//", b"archive", 1, length=LONGEST, end=b"\nb/c\n")),
    "[Page in a wrapper": Family(after(b"<URL:" + URL + b"[Page", b"\n ", 1, length=MAX_WRAPPER_SPAN, end=b"b>\n")),
    "hidden addresses": Family(after(b"<news:a at ", b"a.", 0, length=MAX_WRAPPER_SPAN - 99, end=b"\n@>")),
    "page furniture": Family(rain(URL + b"/\n\nMaas          [Page 7]\n\x0c\nMemo 12          1996\n\n", 1)),
    "[Page rain": Family(rain(URL + b"/\n" + b"[Page " * 600 + b"\n", 1)),
    "form feeds": Family(rain(b"\x0c\n")),
    "blank lines": Family(rain(URL + b"/" + b" \n" * DEEP, 1)),
    r"\r only": Family(rain(URL + b"\r", 1)),
    # Octets
    "NULs": Family(rain(b"\x00")),
    "NULs after URLs": Family(rain(URL + b"\x00", 1)),
    "invalid UTF-8": Family(rain(b"\xff\xc3")),
    "invalid UTF-8 after URLs": Family(rain(URL + b"\xff\xc3", 1)),
    "letters beyond ASCII in URLs": Family(after(URL, "é".encode(), 1, length=LONGEST)),
    "brackets beyond ASCII in URLs": Family(after(URL, "\uff08\uff09".encode(), 1, length=LONGEST)),
    "bytes of any kind": Family(bytes_of_any_kind),
    # What is defanged
    "[.] rain": Family(rain(b"[.]")),
    "[.]a in a host": Family(after(b"hxxp://a", b"[.]a", 0, length=LONGEST)),
    "[.] in a host": Family(after(b"hxxp://a", b"[.]", 0, length=LONGEST)),
    "( dot )a in a host": Family(after(b"http://a", b"( dot )a", 0, length=LONGEST)),
    "[at]a in a host": Family(after(b"http://a", b"[at]a", 0, length=LONGEST)),
    r"\.a in a host": Family(after(b"http://a", rb"\.a", 0, length=LONGEST)),
    "hxxp[:]// rain": Family(rain(b"hxxp[:]//"), any_number=True),
    "hxxp[://]a[.]b rain": Family(rain(b"hxxp[://]a[.]b "), any_number=True),
    # Size alone
    "one line of 100 MB": Family(one_line, times=50),
    "one word": Family(rain(b"a"), times=10),
    "a URL too long": Family(rain(b"http://a.example/" + b"b" * 10 * MAX_URL_LENGTH + b" ")),
    "URLs with no blanks between": Family(rain(b'http://a.example/b"', 1)),
    "URLs with commas between": Family(rain(b"http://a.example/b,", 1)),
    "wrappers with no blanks between": Family(rain(b"<URL:http://a.example/b>", 1)),
    "URLs with nothing between": Family(rain(URL), any_number=True),
    "URLs in each other": Family(after(b" ", b"=http://a.b/", 0, length=60_000, end=b"*\n"), any_number=True),
    "URNs in each other": Family(after(b" ", b":urn:ab", 0, length=60_000, end=b"*\n"), any_number=True),
    "lines of dots below URLs": Family(rain(URL + b"\n" + b"." * 2000 + b"x more\n", 1)),
    "addresses of a mail filter": Family(
        rain(b"https://urldefense.com/v3/" + b"!" * 2000 + b"x\nmore\n"), any_number=True
    ),
    "URLs with number signs between": Family(rain(b"http://[::1]#"), any_number=True),
    "number signs that end URLs": Family(rain(b"ftp://a@b.example#}>"), any_number=True),
    "URLs, one a line": Family(url_lines),
    "ambiguous URLs": Family(rain(b"<URL:http://a.example/b-\nc>\n", 1)),
}
"""The families by name."""

ON_REQUEST: Mapping[str, Family] = {
    **{
        f"{unit.strip()} rain": Family(rain(unit.encode()), any_number=True)
        for unit in (
            "com.",
            "a.",
            "www.",
            "x.com.",
            "a@",
            "@",
            "a@a.",
            "a-",
            "a.com/",
            "www.a.com",
            "a.com=",
            "é.",
            "a[.]",
        )
    },
    "hosts": Family(rain(b"a.com ", 1)),
    "hosts with paths": Family(rain(b"www.a.example/b ", 1)),
    "addresses": Family(rain(b"a@a.example ", 1)),
    "a at a.b rain": Family(rain(b"a at a.b "), any_number=True),
    "hosts beyond ASCII": Family(rain("www.é.com ".encode(), 1)),
}
"""Those for hosts without a scheme and for addresses."""


class Stream:
    """A file that generates its text while it is read, so that the text is never in memory."""

    def __init__(self, pieces: Iterator[Piece]) -> None:
        self._pieces = pieces
        self._left = b""

    def read(self, n: int) -> bytes:
        """Return the next *n* bytes."""
        parts, size = [self._left], len(self._left)
        while size < n and (piece := next(self._pieces, None)):
            parts.append(piece.data)
            size += len(piece.data)
        data = b"".join(parts)
        self._left = data[n:]
        return data[:n]
