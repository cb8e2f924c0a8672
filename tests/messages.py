"""The table of messages: a file and all that must be found in it, side by side.

Each line of the result is `part URL word…`, or `number:part URL word…` in a file of several messages. The words are
`quoted`, `signature`, `attributes`, and `encoded` for a match whose place is told as the lines that hold it. A case may
say which defects must be told, by a word of each.
"""

# ruff: noqa: E501, RUF001 -- encoded lines are as long as they are; look-alike characters are what is encoded
# fmt: off

from base64 import b64encode
from binascii import b2a_uu
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True, slots=True)
class Expected:
    """A match that must be found."""

    message: int | None
    part: str | None
    url: str
    quoted: bool = False
    signature: bool = False
    attributes: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """A file and all that must be found in it."""

    name: str
    source: str
    data: bytes
    expected: tuple[Expected, ...]
    defects: tuple[str, ...] = ()
    alone: bool = False
    """The file is no other one with CRLF for LF, or as a message in an mbox or a batch."""


def _expected(line: str, *, numbered: bool) -> Expected:
    where, url, *words = line.split()
    number, colon, part = where.partition(":")
    if not (colon and number.isdigit()):
        number, part = "1", where
    assert set(words) <= {"quoted", "signature", "attributes", "encoded"}, line
    flags = {word: True for word in words if word != "encoded"}
    if not numbered:
        return Expected(None, None, url, exact="encoded" not in words, **flags)
    return Expected(int(number), part, url, exact="encoded" not in words, **flags)


def case(  # noqa: PLR0913 -- what a case has
    name: str, data: str | bytes, result: str, *, source: str = "message", defects: str = "", alone: bool = False
) -> Case:
    """Read a case's *result*, and in its *data* `·` at a line end as a blank there."""
    octets = data if isinstance(data, bytes) else data.replace("·\n", " \n").encode()
    lines = [line for line in result.splitlines() if line.strip()]
    expected = tuple(_expected(line, numbered=source != "text") for line in lines)
    return Case(name, source, octets, expected, tuple(defects.split()), alone)


def base64(text: str | bytes, *, width: int = 76) -> str:
    """Return *text* in base64, in lines of *width*."""
    encoded = b64encode(text.encode() if isinstance(text, str) else text).decode()
    return "".join(f"{encoded[at : at + width]}\n" for at in range(0, len(encoded), width))


def uuencoded(data: bytes) -> str:
    """Return the lines of *data* in uuencode."""
    lines = (b2a_uu(data[at : at + 45]).decode() for at in range(0, len(data), 45))
    return f"begin 644 pages.tar\n{''.join(lines)}`\nend\n"


def nested(depth: int, inside: str) -> str:
    """Return *depth* multiparts in each other and a text in the last one."""
    opening = "".join(f"Content-Type: multipart/mixed; boundary=b{n}x\n\n--b{n}x\n" for n in range(depth))
    return f"{opening}\n{inside}\n" + "".join(f"--b{n}x--\n" for n in reversed(range(depth)))


mbox = partial(case, source="mbox")
text = partial(case, source="text")

# format=flowed (RFC 3676)

FLOWED = (
    case("flowed: a soft break is a blank", """\
From: jane@a.example
Content-Type: text/plain; charset=us-ascii; format=flowed

The pages are under·
http://a.example/b·
and under http://a.example/c·
d.
""", """
1 http://a.example/b
1 http://a.example/c
"""),
    case("flowed with DelSp: a URL is torn", """\
From: jane@a.example
Content-Type: text/plain; charset=us-ascii; format=flowed; delsp=yes

The pages  are under http://a.example/a/long/path/·
to/the/page·
s.html and·
 http://a.example/b.
""", """
1 http://a.example/a/long/path/to/the/pages.html encoded
1 http://a.example/b
"""),
    case("flowed with DelSp: quoted twice", """\
From: jane@a.example
Content-Type: text/plain; format=flowed; DelSp=Yes

>> Look at http://a.example/a/long/pa·
>> th/to/it.html, she·
>> wrote.
> As I said: http://a.example/b/·
c http://a.example/d
""", """
1 http://a.example/a/long/path/to/it.html quoted encoded
1 http://a.example/b/ quoted
1 http://a.example/d
"""),
    case("flowed with DelSp: quoted and stuffed", """\
From: jane@a.example
Content-Type: text/plain; format=flowed; delsp=yes

> > is stuffed: http://a.example/b·
> > c
> Look at http://a.example/a/·
> b.html there.
 From http://a.example/stuf·
 fed on
""", """
1 http://a.example/b quoted
1 http://a.example/a/b.html quoted encoded
1 http://a.example/stuffed encoded
"""),
    case("flowed: a signature's separator is not soft", """\
From: jane@a.example
Content-Type: text/plain; format=flowed; delsp=yes

See http://a.example/b·
--·
http://a.example/c
""", """
1 http://a.example/b
1 http://a.example/c signature
"""),
    case("flowed in base64", """\
From: jane@a.example
Content-Type: text/plain; format=flowed; delsp=yes; charset=utf-8
Content-Transfer-Encoding: base64

""" + base64("Für Dich: http://a.example/pa \r\nth/it und weiter\r\n"), """
1 http://a.example/path/it encoded
"""),
)

# Quoted-printable (RFC 2045 section 6.7)

QUOTED_PRINTABLE = (
    case("a soft break inside a URL", """\
From: jane@a.example
Content-Transfer-Encoding: quoted-printable

See http://a.example/a/long/pa=
th/to/it and http://a.example/plain
and http://a.example/plain/too in its own line.
""", """
1 http://a.example/a/long/path/to/it encoded
1 http://a.example/plain encoded
1 http://a.example/plain/too encoded
"""),
    case("a soft break with blanks behind it", """\
From: jane@a.example
Content-Transfer-Encoding: Quoted-Printable

See <http://a.example/a/long/pa=  \t
th/to/it> and http://a.example/b=·
=
c
""", """
1 http://a.example/a/long/path/to/it encoded
1 http://a.example/bc encoded
"""),
    case("escapes", """\
From: jane@a.example
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

F=FCr http://a.example/?a=3Db&c=3dd=20und http://a.example/b=2E
http://a.example/?a=xy
> http://a.example/?a=3D=
b
""", """
1 http://a.example/?a=b&c=d encoded
1 http://a.example/b encoded
1 http://a.example/?a=xy encoded
1 http://a.example/?a=b quoted encoded
"""),
    case("quoted-printable that is none", """\
From: jane@a.example
Content-Transfer-Encoding: quoted-printable

http://a.example/?a=b&c=zz is no escape,
nor is http://a.example/b=
""", """
1 http://a.example/?a=b&c=zz encoded
1 http://a.example/b encoded
""", alone=True),
)

# Base64 (RFC 2045 section 6.8)

BASE64 = (
    case("base64 in UTF-8", f"""\
From: jane@a.example
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

{base64("Für Dich: http://a.example/für/dich – und <http://a.example/b>.")}""", """
1 http://a.example/für/dich encoded
1 http://a.example/b encoded
"""),
    case("lines of odd length", f"""\
From: jane@a.example
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

{base64("Für Dich: http://a.example/für/dich – und <http://a.example/b>.", width=13)}""", """
1 http://a.example/für/dich encoded
1 http://a.example/b encoded
"""),
    case("padding is missing", f"""\
From: jane@a.example
Content-Type: text/plain
Content-Transfer-Encoding: base64

{base64("see http://a.example/bc").rstrip("=" + chr(10))}
""", """
1 http://a.example/bc encoded
"""),
    case("a list's footer behind it", f"""\
From: jane@a.example
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

{base64("see http://a.example/bc")}
_______________________________________________
the list: http://lists.a.example/listinfo
""", """
1 http://a.example/bc encoded
1 http://lists.a.example/listinfo
""", defects="base64"),
    case("a list's footer behind it, without padding", f"""\
From: jane@a.example
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

{base64("see http://a.example/bcd")}
_______________________________________________
the list: http://lists.a.example/listinfo
""", """
1 http://a.example/bcd encoded
1 http://lists.a.example/listinfo
""", defects="base64"),
    case("base64 that is none", """\
From: jane@a.example
Content-Type: text/plain
Content-Transfer-Encoding: base64

Dear all, the pages are at http://a.example/b now.
""", """
1 http://a.example/b
""", defects="base64"),
    case("UTF-16 in base64", """\
From: jane@a.example
Content-Type: text/plain; charset=utf-16
Content-Transfer-Encoding: base64

""" + base64("Für Dich: http://a.example/b und\n<http://a.example/c>".encode("utf-16"), width=60), """
1 http://a.example/b encoded
1 http://a.example/c encoded
"""),
    case("UTF-16LE in base64", """\
From: jane@a.example
Content-Type: text/plain; charset=UTF-16LE
Content-Transfer-Encoding: base64

""" + base64("Für Dich: http://a.example/b und\n<http://a.example/c>".encode("utf-16-le"), width=58), """
1 http://a.example/b encoded
1 http://a.example/c encoded
"""),
)

# Charsets

CHARSETS = (
    case("ISO-2022-JP", b"From: jane@a.example\nContent-Type: text/plain; charset=iso-2022-jp\n\n"
         + "日本語 http://a.example/b 日本\n<http://a.example/c>。\n".encode("iso-2022-jp"), """
1 http://a.example/b
1 http://a.example/c
"""),
    case("Shift JIS", b"From: jane@a.example\nContent-Type: text/plain; charset=shift_jis\n\n"
         + "日本語①http://a.example/b。日本\n".encode("cp932"), """
1 http://a.example/b
"""),
    case("GB 2312 that is more", b"From: jane@a.example\nContent-Type: text/plain; charset=gb2312\n\n"
         + "鎔基：http://a.example/b。\n".encode("gb18030"), """
1 http://a.example/b
"""),
    case("UTF-8 in 8 bits", """\
From: jane@a.example
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: 8bit

Für Dich: http://a.example/für/dich, und
„http://a.example/b“.
""", """
1 http://a.example/für/dich
1 http://a.example/b
"""),
    case("8 bits in 7, in Latin-1", b"From: jane@a.example\nContent-Transfer-Encoding: 7bit\n\n"
         + "Für Dich: http://a.example/b – oh\n".encode("cp1252"), """
1 http://a.example/b
""", defects="8-bit"),
    case("8 bits in 7, in UTF-8", """\
From: jane@a.example
Content-Type: text/plain; charset=us-ascii
Content-Transfer-Encoding: 7bit

Für Dich: http://a.example/für/dich oh
""", """
1 http://a.example/für/dich
""", defects="ascii"),
    case("not the charset that it says", b"From: jane@a.example\nContent-Type: text/plain; charset=utf-8\n\n"
         + "Für Dich: http://a.example/b oh\n".encode("latin-1"), """
1 http://a.example/b
""", defects="utf-8"),
    case("unknown charset", """\
From: jane@a.example
Content-Type: text/plain; charset=x-unknown

Für Dich: http://a.example/für/dich oh
""", """
1 http://a.example/für/dich
""", defects="x-unknown"),
    case("a charset that is none", """\
From: jane@a.example
Content-Type: text/plain; charset=base64

Für Dich: http://a.example/für/dich oh
""", """
1 http://a.example/für/dich
""", defects="base64"),
    case("unknown transfer encoding", """\
From: jane@a.example
Content-Transfer-Encoding: x-zip

see http://a.example/?a=3Db
""", """
1 http://a.example/?a=3Db
""", defects="x-zip"),
    case("UTF-8 with a byte order mark", BOM_UTF8 + b"""\
From: jane@a.example
Subject: see http://a.example/a

http://a.example/b
""", """
header:Subject http://a.example/a
1 http://a.example/b
""", alone=True),
    case("NULs", b"From: jane@a.example\n\nsee http://a.example/b\0c http://a.example/d\0\n\0\0http://a.example/e\n", """
1 http://a.example/b
1 http://a.example/d
1 http://a.example/e
"""),
    case("bare CRs", b"From: jane@a.example\nX-URL: http://a.example/a\n\nsee\r<http://a.example/b\rc>\rand\rhttp://a.example/d\r\r\nx http://a.example/e\n", """
header:X-URL http://a.example/a
1 http://a.example/bc
1 http://a.example/d
1 http://a.example/e
"""),
    case("CR CR LF everywhere", b"From: jane@a.example\r\r\nSubject: x\r\r\n\r\r\nsee http://a.example/b\r\r\nx http://a.example/d\r\r\n", """
1 http://a.example/b
1 http://a.example/d
"""),
)

# Header fields

HEADERS = (
    case("RFC 2047: Q and B", """\
From: =?iso-8859-1?Q?J=FCrgen?= <j@a.example>
Subject: =?utf-8?Q?F=C3=BCr_http=3A//a.example/b?=
X-Note: see =?utf-8?B?RsO8ciBodHRwOi8vYS5leGFtcGxlL2Mgb2g=?=

http://a.example/d
""", """
header:Subject http://a.example/b encoded
header:X-Note http://a.example/c encoded
1 http://a.example/d
"""),
    case("RFC 2047: a URL in two encoded words", """\
From: jane@a.example
Subject: =?utf-8?Q?F=C3=BCr_http=3A//a.example/lo?=
 =?utf-8?Q?ng?= and
 more

-
""", """
header:Subject http://a.example/long encoded
"""),
    case("a field that is 8-bit", """\
From: jane@a.example
Subject: Für http://a.example/b

-
""", """
header:Subject http://a.example/b encoded
"""),
    case("folded List-* fields", """\
From: jane@a.example
List-Help: <mailto:list-request@a.example?subject=help>
List-Unsubscribe: <http://lists.a.example/options/
 list>,
\t<mailto:list-request@a.example?
\tsubject=unsubscribe>
List-Archive: <http://lists.a.example/archive>
Archived-At: <http://lists.a.example/archive/1>
Content-Location: http://a.example/page.html
X-URL: http://a.example/home

-
""", """
header:List-Help mailto:list-request@a.example?subject=help
header:List-Unsubscribe http://lists.a.example/options/list
header:List-Unsubscribe mailto:list-request@a.example?subject=unsubscribe
header:List-Archive http://lists.a.example/archive
header:Archived-At http://lists.a.example/archive/1
header:Content-Location http://a.example/page.html
header:X-URL http://a.example/home
"""),
    case("no URL spans two fields, or header and body", """\
From: jane@a.example
Subject: <URL:http://a.example/
X-Note: b> http://a.example/c-
X-More: http://a.example/d/

e and <http://a.example/f
""", """
header:Subject http://a.example/
header:X-Note http://a.example/c-
header:X-More http://a.example/d/
1 http://a.example/f
"""),
    case("names and traces are no URLs", """\
Path: news:a!b
Message-ID: <news:1@a.example>
References: <news:2@a.example>
From: jane@a.example
Received: from http://a.example/

-
""", ""),
    case("no empty line after the header", """\
From: jane@a.example
Date: Sat, 17 Feb 1996 10:00:00 +0100
Subject: x
see http://a.example/b
and http://a.example/c
""", """
1 http://a.example/b
1 http://a.example/c
""", defects="header"),
    case("nothing but a header", """\
From: jane@a.example
Date: Sat, 17 Feb 1996 10:00:00 +0100
Subject: see http://a.example/b""", """
header:Subject http://a.example/b
"""),
)

# HTML

_HTML = "From: jane@a.example\nContent-Type: text/html; charset=utf-8\n"

HTML = (
    case("attributes and text", _HTML + """
<html><head><title>http://a.example/title</title>
<base href="http://a.example/base/"><link rel=stylesheet href='http://a.example/css'>
<meta http-equiv="refresh" content="5; URL=http://a.example/refresh">
<meta name="x" content="http://a.example/meta">
<style>p { background: url(http://a.example/style) }</style>
<script>location = "http://a.example/script"</script></head>
<!-- http://a.example/comment -->
<body background="http://a.example/bg"><p>See <a href="http://a.example/b?x=1&amp;y=2">http://a.example/b?x=1&amp;y=2</a>
and <a href="/relative">http://a.example/relative</a>,
<a href="javascript:go('http://a.example/js')">here</a>.
<img src=http://a.example/img.png alt="http://a.example/alt">
<img srcset="http://a.example/1x.png 1x, http://a.example/2x.png 2x">
</body></html>
""", """
1 http://a.example/base/ attributes
1 http://a.example/css attributes
1 http://a.example/refresh attributes
1 http://a.example/bg attributes
1 http://a.example/b?x=1&y=2 attributes encoded
1 http://a.example/img.png attributes
1 http://a.example/1x.png attributes
1 http://a.example/2x.png attributes
1 http://a.example/b?x=1&y=2 encoded
1 http://a.example/relative
"""),
    case("entities", _HTML + """
<a href="http&#58;//a.example/a">x</a> http&#x3a;//a.example/b http:&#47;&#47;a.example/c
&lt;http://a.example/d&gt; &quot;http://a.example/e&quot; http://a.example/f&nbsp;g http://a.example/?h=&eacute;
http://a.example/i?a=1&b=2
""", """
1 http://a.example/a attributes encoded
1 http://a.example/b encoded
1 http://a.example/c encoded
1 http://a.example/d
1 http://a.example/e
1 http://a.example/f
1 http://a.example/?h=é encoded
1 http://a.example/i?a=1&b=2
"""),
    case("lines and blocks", _HTML + """
<p>http://a.example/a/<br>b and http://a.example/lo<wbr>ng and http://a.example/<b>b</b>old<i>er</i>
<p>http://a.example/c/</p><p>d</p>
<table><tr><td>http://a.example/e/<td>f</table>
<pre>
http://a.example/g
   <a>http://a.example/h</a>
</pre>http://a.example/i/
j
""", """
1 http://a.example/a/
1 http://a.example/long encoded
1 http://a.example/bolder encoded
1 http://a.example/c/
1 http://a.example/e/
1 http://a.example/g
1 http://a.example/h
1 http://a.example/i/
"""),
    case("HTML in quoted-printable", _HTML + """Content-Transfer-Encoding: quoted-printable

<a href=3D"http://a.example/a/long/pa=
th">http://a.example/t=65xt</a>
<p>http://a.example/plain</p>
""", """
1 http://a.example/a/long/path attributes encoded
1 http://a.example/text encoded
1 http://a.example/plain encoded
"""),
    case("HTML in base64", _HTML + f"""Content-Transfer-Encoding: base64

{base64('<p>Für <a href="http://a.example/a">http://a.example/b</a>')}""", """
1 http://a.example/a attributes encoded
1 http://a.example/b encoded
"""),
    case("HTML in UTF-16 and base64", f"""\
From: jane@a.example
Content-Type: text/html; charset=utf-16
Content-Transfer-Encoding: base64

{base64('<p>Für <a href="http://a.example/a">http://a.example/b</a>'.encode("utf-16"))}""", """
1 http://a.example/a attributes encoded
1 http://a.example/b encoded
"""),
    case("the same URL several times", _HTML + """
<a href="http://a.example/a">one</a>
<a href="http://a.example/a">two</a> http://a.example/a
""", """
1 http://a.example/a attributes
1 http://a.example/a attributes
1 http://a.example/a
"""),
    case("blanks and line ends in attributes", _HTML + """
<a href="
  http://a.example/a
">one</a>
<a href="http://a.example/long/
path">two</a> <a href="http://a.example/with blank">three</a>
<img src=http://a.example/quote"> <a href='http://a.example/"quoted"'>four</a>
""", """
1 http://a.example/a attributes
1 http://a.example/long/path attributes encoded
1 http://a.example/with attributes
1 http://a.example/quote attributes
1 http://a.example/ attributes
"""),
)

# Parts (RFC 2046)

_MIXED = """\
From: jane@a.example
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_b"

"""

PARTS = (
    case("multipart/alternative", """\
From: jane@a.example
Content-Type: multipart/alternative; boundary=xx

This is a message in MIME; see http://a.example/mime
--xx
Content-Type: text/plain

http://a.example/b
--xx
Content-Type: text/html

<a href="http://a.example/b">here</a>
--xx--
http://a.example/behind
""", """
1 http://a.example/b
2 http://a.example/b attributes
"""),
    case("attachments", _MIXED + f"""\
--=_b

http://a.example/a/
--=_b
Content-Type: text/x-diff; name=a.diff
Content-Disposition: attachment; filename=a.diff
Content-Location: http://a.example/a.diff

+ b http://a.example/b
--=_b
Content-Type: image/png
Content-Transfer-Encoding: base64

{base64("http://a.example/image")}--=_b
Content-Type: application/octet-stream

http://a.example/octets
--=_b
Content-Type: application/xhtml+xml

<p>http://a.example/xhtml</p>
--=_b--
""", """
1 http://a.example/a/
2.header:Content-Location http://a.example/a.diff
2 http://a.example/b
5 http://a.example/xhtml
"""),
    case("a URL does not span two parts", _MIXED + """\
--=_b

<URL:http://a.example/a
--=_b

path/to/b> <http://a.example/c/
--=_b--
d>
""", """
1 http://a.example/a
2 http://a.example/c/
"""),
    case("a digest in a list's message", _MIXED + """\
--=_b

Today: http://a.example/topics
--=_b
Content-Type: multipart/digest; boundary="==d"

--==d

From: one@a.example
Subject: http://a.example/subject

http://a.example/one
--==d
Content-Type: message/rfc822

From: two@a.example
Content-Type: multipart/mixed; boundary=inner

--inner

http://a.example/two
--inner--
--==d
Content-Type: text/plain

http://a.example/three
--==d--
--=_b

http://a.example/footer
--=_b--
""", """
1 http://a.example/topics
2.1.header:Subject http://a.example/subject
2.1.1 http://a.example/one
2.2.1 http://a.example/two
2.3 http://a.example/three
3 http://a.example/footer
"""),
    case("message/rfc822 in message/rfc822", """\
From: jane@a.example
Content-Type: message/rfc822

From: one@a.example
Content-Type: message/rfc822

From: two@a.example
X-URL: http://a.example/a

http://a.example/b
""", """
1.1.header:X-URL http://a.example/a
1.1.1 http://a.example/b
"""),
    case("message/rfc822 in base64", """\
From: jane@a.example
Content-Type: message/rfc822
Content-Transfer-Encoding: base64

""" + base64("From: two@a.example\nX-URL: http://a.example/a\n\nhttp://a.example/b\n"), """
1 http://a.example/a encoded
1 http://a.example/b encoded
""", defects="base64"),
    case("nested to the limit", nested(32, "http://a.example/b"),
         f"{'.'.join(['1'] * 32)} http://a.example/b"),
    case("nested deeper than the limit", nested(34, "http://a.example/b"),
         f"{'.'.join(['1'] * 32)} http://a.example/b", defects="deeper"),
    case("a boundary that never comes", """\
From: jane@a.example
Content-Type: multipart/mixed; boundary=none

http://a.example/b
--other
http://a.example/c
""", """
1 http://a.example/b
1 http://a.example/c
""", defects="delimiter"),
    case("a multipart that names no boundary", """\
From: jane@a.example
Content-Type: multipart/mixed

http://a.example/b
""", """
1 http://a.example/b
""", defects="boundary"),
    case("never closed", _MIXED + """\
--=_b

http://a.example/a
--=_b
Content-Type: text/html

<p>http://a.example/b
""", """
1 http://a.example/a
2 http://a.example/b
"""),
    case("an inner multipart never closed", _MIXED + """\
--=_b
Content-Type: multipart/alternative; boundary=alt

--alt

http://a.example/a
--=_b

http://a.example/b
--=_b--
""", """
1.1 http://a.example/a
2 http://a.example/b
"""),
    case("boundaries that begin alike", _MIXED + """\
--=_b
Content-Type: multipart/mixed; boundary="=_b_1"

--=_b_1
Content-Type: multipart/mixed; boundary="=_b_"

--=_b_

http://a.example/a
--=_b_--
--=_b_1

http://a.example/b
--=_bx is none, nor is --=_b
 --=_b
--=_b_1--
--=_b

http://a.example/c
--=_b--
""", """
1.1.1 http://a.example/a
1.2 http://a.example/b
2 http://a.example/c
"""),
    case("the same boundary again, nested", _MIXED + """\
--=_b
Content-Type: multipart/mixed; boundary="=_b"

--=_b

http://a.example/a
--=_b--
--=_b

http://a.example/b
--=_b--
""", """
1.1 http://a.example/a
2 http://a.example/b
"""),
    case("an empty part, a part without a header, blanks behind a delimiter", _MIXED + """\
--=_b
--=_b··
http://a.example/a

http://a.example/b
--=_b  \t
Content-Type: text/plain

http://a.example/c
--=_b--··
""".replace("··\n", "  \n"), """
2.header:http http://a.example/a
2 http://a.example/b
3 http://a.example/c
"""),
)

# What lines of text are besides text

PROSE = (
    case("signed by PGP", """\
From: jane@a.example

http://a.example/a
-----BEGIN PGP SIGNED MESSAGE-----

- -- http://a.example/b
<http://a.example/c
- -d>
- - http://a.example/e/
- --·
http://a.example/f
-----BEGIN PGP SIGNATURE-----
Version: 2.6

iQCVAwUBMQ
-----END PGP SIGNATURE-----
""", """
1 http://a.example/a
1 http://a.example/b
1 http://a.example/c-d encoded
1 http://a.example/e/
1 http://a.example/f signature
"""),
    case("uuencode", f"""\
From: jane@a.example

http://a.example/a/
{uuencoded(b"http://a.example/inside " * 40)}b http://a.example/b
{uuencoded(b"http://a.example/inside")}http://a.example/c
begin 644 reading here,
it is http://a.example/d
begin 644 x
M
http://a.example/e
""", """
1 http://a.example/a/
1 http://a.example/b
1 http://a.example/c
1 http://a.example/d
1 http://a.example/e
"""),
    case("signature", """\
From: jane@a.example

http://a.example/a/
--·
Jane -- http://a.example/jane
""", """
1 http://a.example/a/
1 http://a.example/jane signature
"""),
    case("what is no signature", """\
From: jane@a.example

--
http://a.example/a
 --·
http://a.example/b
---·
http://a.example/c
""", """
1 http://a.example/a
1 http://a.example/b
1 http://a.example/c
"""),
    case("quoted", """\
From: jane@a.example

> <URL:http://a.example/a/
> b>
>> http://a.example/c
| http://a.example/d
JD> http://a.example/e
http://a.example/f > http://a.example/g
""", """
1 http://a.example/a/b quoted
1 http://a.example/c quoted
1 http://a.example/d quoted
1 http://a.example/e quoted
1 http://a.example/f
1 http://a.example/g
"""),
)

# Files of several messages

_WITH_FROM = """\
http://a.example/a
From joe@a.example Sat Feb 17 11:00:00 1996
Subject: http://a.example/quoted/whole

http://a.example/b
"""

MBOX = (
    mbox("mboxo", """\
From jane@a.example Sat Feb 17 10:00:00 1996
From: jane@a.example

>From http://a.example/a/
>>From http://a.example/b
<URL:http://a.example/
>From here/c>

From joe@a.example Sat Feb 17 11:00:00 1996
From: joe@a.example
Subject: http://a.example/s

http://a.example/c
From what I see: http://a.example/d
""", """
1:1 http://a.example/a/
1:1 http://a.example/b quoted
1:1 http://a.example/Fromhere/c encoded
2:header:Subject http://a.example/s
2:1 http://a.example/c
2:1 http://a.example/d
"""),
    mbox("mboxcl2: the length is right", f"""\
From jane@a.example Sat Feb 17 10:00:00 1996
From: jane@a.example
Content-Length: {len(_WITH_FROM)}

{_WITH_FROM}
From joe@a.example Sat Feb 17 11:00:00 1996
From: joe@a.example
Content-Length: 19

http://a.example/c
""", """
1:1 http://a.example/a
1:1 http://a.example/quoted/whole
1:1 http://a.example/b
2:1 http://a.example/c
""", alone=True),
    mbox("mboxcl2: the length is wrong", """\
From jane@a.example Sat Feb 17 10:00:00 1996
From: jane@a.example
Content-Length: 30

http://a.example/a

From joe@a.example Sat Feb 17 11:00:00 1996
From: joe@a.example
Content-Length: 100000

http://a.example/b

From joe@a.example Sat Feb 17 11:00:00 1996
From: joe@a.example
Content-Length: 3

http://a.example/c
""", """
1:1 http://a.example/a
2:1 http://a.example/b
3:1 http://a.example/c
""", alone=True),
    mbox("pipermail's text", """\
From jane at a.example  Sat Feb  3 10:00:00 1996
From: jane at a.example (Jane)
Date: Sat, 3 Feb 1996 10:00:00 +0100
Subject: [list] http://a.example/s

http://a.example/a/
From joe at a.example  Sat Feb 17 11:00:00 1996
From: joe at a.example (Joe)

b http://a.example/b
""", """
1:header:Subject http://a.example/s
1:1 http://a.example/a/
2:1 http://a.example/b
"""),
    mbox("Netscape's", """\
From -
X-Mozilla-Status: 0001
From: jane@a.example

http://a.example/a
From - this is a sentence.
From -
From: joe@a.example

http://a.example/b
""", """
1:1 http://a.example/a
2:1 http://a.example/b
"""),
    mbox("Netscape's, with dates", """\
From - Sat Feb 17 10:00:00 1996
From: jane@a.example

http://a.example/a

From - Sat Feb 17 10:00:00 1996
From: joe@a.example

http://a.example/b
""", """
1:1 http://a.example/a
2:1 http://a.example/b
"""),
    mbox("a multipart that the next message cuts off", """\
From jane@a.example Sat Feb 17 10:00:00 1996
From: jane@a.example
Content-Type: multipart/mixed; boundary=xx

--xx

http://a.example/a/
From joe@a.example Sat Feb 17 11:00:00 1996
From: joe@a.example

--xx
http://a.example/b
--xx--
""", """
1:1 http://a.example/a/
2:1 http://a.example/b
"""),
    mbox("an encoded part in the first message", f"""\
From jane@a.example Sat Feb 17 10:00:00 1996
From: jane@a.example
Content-Transfer-Encoding: base64

{base64("see http://a.example/a")}
From joe@a.example Sat Feb 17 11:00:00 1996
From: joe@a.example

> http://a.example/b
--·
http://a.example/c
From joe@a.example Sat Feb 17 11:00:00 1996
From: joe@a.example

http://a.example/d
""", """
1:1 http://a.example/a encoded
2:1 http://a.example/b quoted
2:1 http://a.example/c signature
3:1 http://a.example/d
"""),
)


def _batch(*articles: str) -> bytes:
    return b"".join(b"#! rnews %d\n" % len(article.encode()) + article.encode() for article in articles)


RNEWS = (
    case("a batch", _batch(
        "Path: a!b\nNewsgroups: comp.infosystems.www\nFrom: jane@a.example\n\n<URL:http://a.example/a\n",
        "Path: a!c\nFrom: joe@a.example\nX-URL: http://a.example/b\n\n> #! rnews 7\n#! rnews 12\nhttp://a.example/ü\n",
        "Path: a!d\n\nhttp://a.example/d",
    ), """
1:1 http://a.example/a
2:header:X-URL http://a.example/b
2:1 http://a.example/ü
3:1 http://a.example/d
""", source="rnews", alone=True),
)

# Texts

TEXT = (
    text("UTF-16 with a byte order mark", BOM_UTF16_LE + "Für Dich:\nhttp://a.example/für\n> http://a.example/b\n".encode("utf-16-le"), """
- http://a.example/für
- http://a.example/b quoted
""", alone=True),
    text("big-endian UTF-16 with a byte order mark", BOM_UTF16_BE + "Für Dich:\nhttp://a.example/für\nhttp://a.example/b\n".encode("utf-16-be"), """
- http://a.example/für
- http://a.example/b
""", alone=True),
    text("UTF-16 without a byte order mark", "For you all:\n\n  http://a.example/b 😀 and\nhttp://a.example/c\n".encode("utf-16-le"), """
- http://a.example/b
- http://a.example/c
""", alone=True),
    text("big-endian UTF-16 without a byte order mark", "For you all:\n\n  http://a.example/b 😀 and\nhttp://a.example/c\n".encode("utf-16-be"), """
- http://a.example/b
- http://a.example/c
""", alone=True),
    text("UTF-8 with a byte order mark", BOM_UTF8 + "http://a.example/für\n<http://a.example/\nb>\n".encode(), """
- http://a.example/für
- http://a.example/b
"""),
    text("prose", "Subject: http://a.example/a\nand more\n\nFrom here: http://a.example/b/\nc http://a.example/d\n", """
- http://a.example/a
- http://a.example/b/
- http://a.example/d
"""),
)

CASES: Mapping[str, Case] = {
    f"{group}: {one.name}": one
    for group, cases in {
        "flowed": FLOWED, "qp": QUOTED_PRINTABLE, "base64": BASE64, "charset": CHARSETS, "header": HEADERS,
        "html": HTML, "parts": PARTS, "prose": PROSE, "mbox": MBOX, "rnews": RNEWS, "text": TEXT,
    }.items()
    for one in cases
}
