"""Random texts of two to four fragments, repeated: what the authors of the families did not think of."""

from random import Random
from typing import NamedTuple

TEXT: tuple[str, ...] = (
    *("<URL:", "URL:", "<", ">", "(", ")", "[", "]", "{", "}", "'", '"', "*", "_", "|", "\\", "`"),
    *(
        "http://",
        "https://h.example/x",
        "http://h.example/",
        "ftp://u:p@",
        "mailto:",
        "news:",
        "urn:",
        "data:,",
        "tel:+",
    ),
    *(
        "magnet:?",
        "doi:",
        "cid:",
        "xmpp:",
        "zz-9://",
        "://",
        ":",
        "//",
        "www.",
        "h.example",
        "u@h.example",
        "http://[::1]",
    ),
    *("\n", "\r\n", "\r", "\n\n", "\t", " ", "  ", "\n> ", "\n>> ", "\n| ", "\n# ", "\n * ", "\n 7 ", "> ", "\x0c\n"),
    # What the bounds on the work at line ends just let through.
    *(
        "words " * 4,
        "words " * 16,
        "http://h.example/b/\nc.html",
        "http://h.example/b/\nc/\nd/\ne",
        "b-\nc-\nd-\ne",
        "\\\n",
    ),
    *("[Page 9]\n\x0c\n", "\n-- \n", "-\n", "/\n", "=\n", "=3D", "=20\n", "=2E", "%", "%41", "&amp;", "&lt;", "&gt;"),
    *(".", ",", ";", ";type=", "!", "?", "#", "~", "-", "--", "=", "@", "a", "9", "word", "k" * 50, "\0", "\x0b"),
    *("\u00ad", "\u200b", "\u2028", "\u00a0", "\u3002", "\u3001", "\uff0e", "\ufeff", "\u00fc", "\u65e5", "\u0301"),
)

FIELDS: tuple[str, ...] = (
    *(
        "Subject: ",
        "From: ",
        "To: ",
        "Date: ",
        "Message-ID: <",
        "X-Note: ",
        "List-Help: <",
        "Received: from ",
        "Xref: ",
    ),
    *("Content-Type: ", "Content-Type: text/plain; ", "Content-Type: multipart/mixed; ", "Content-Disposition: a; "),
    *(
        "Content-Transfer-Encoding: ",
        "Content-Length: 99",
        "charset=",
        "charset*=",
        "charset*0=",
        "boundary=b",
        "format=flowed",
    ),
    *("=?utf-8?q?", "=?utf-8?b?", "=?x?q?", "=?", "?=", "?", "=41", "aGk=", "=?\u00e9?q?x?=", "=?utf-8?q?h?= "),
    *("\n", "\n ", "\n\t", "\r\n ", "\n://", "\n\n", " ", ";", ";;", '"', "\\", '\\"', "=", "*", "*1*=", "''", "%41"),
    *(
        "<",
        ">",
        "(",
        ")",
        ",",
        ":",
        "://",
        "http://h.example/",
        "mailto:u@h.example",
        "u@h.example",
        "Sat, 17 Feb 1996",
    ),
    *(
        "10:00:00 +0000",
        "1996-02-17T10:00:00",
        "99999999",
        "a",
        "word ",
        "\u00fc",
        "\0",
        "\nFrom u@h Sat Feb 17 10:00:00 1996\n",
    ),
)

MIME: tuple[str, ...] = (
    *("--b\n", "--b--\n", "\n--b\n", "--b", "--c\n", "-----\n", "\n\n", "\n", "\r\n", "\r", " \n", "> ", ">> a \n"),
    *(
        "Content-Type: text/html\n\n",
        "Content-Type: message/rfc822\n\n",
        "Content-Type: multipart/mixed; boundary=b\n\n",
    ),
    *("Content-Type: text/plain; charset=utf-7\n\n", "Content-Type: text/plain; charset=gb2312\n\n", "Subject: h\n"),
    *(
        "Content-Transfer-Encoding: base64\n\n",
        "Content-Transfer-Encoding: quoted-printable\n\n",
        "aHR0cDovL2guZXhhbXBsZS8K\n",
    ),
    *(
        "=\n",
        "=41",
        "=",
        "= \n",
        "aaaa",
        "AAAA\n",
        "+AGE",
        "+",
        "-",
        "~{",
        "\x1b$B",
        "\x1b(B",
        "\u65e5",
        "\u00fc",
        "\0",
    ),
    *(
        "begin 644 a\n",
        "#86)C\n",
        "`\nend\n",
        "M" + "8" * 60 + "\n",
        "-- \n",
        "- -",
        "-----BEGIN PGP SIGNED MESSAGE-----\n",
    ),
    *(
        "-----BEGIN PGP SIGNATURE-----\n",
        "From u@h Sat Feb 17 10:00:00 1996\n",
        ">From u\n",
        "From: u@h\n",
        "http://h.example/",
    ),
    *(
        "<a href=http://h.example/>",
        "http://h.example/x\n",
        "word ",
        "word \n",
        "k" * 70 + "\n",
        "#! rnews 40\n",
        "://",
    ),
)

HTML: tuple[str, ...] = (
    *(
        "<p>",
        "<div>",
        "<b>",
        "<i a=1>",
        "<font size=1>",
        "<a href=http://h.example/>",
        "<a ",
        "<img src=",
        "<table>",
        "<tr>",
    ),
    *(
        "<td>",
        "<ul>",
        "<li>",
        "<dl>",
        "<dd>",
        "<select>",
        "<option>",
        "<optgroup>",
        "<svg>",
        "<math>",
        "<template>",
        "<pre>",
    ),
    *(
        "<script>",
        "<style>",
        "<title>",
        "<textarea>",
        "<plaintext>",
        "<iframe>",
        "<form>",
        "<button>",
        "<h1>",
        "<nobr>",
        "<zz>",
    ),
    *(
        "</p>",
        "</div>",
        "</b>",
        "</a>",
        "</table>",
        "</zz>",
        "</script>",
        "</svg>",
        "</x></y>",
        "</",
        "<",
        ">",
        "<!--",
        "-->",
    ),
    *(
        "<!",
        "<?",
        "<![CDATA[",
        "]]>",
        "<p",
        " a=",
        '="',
        "='",
        '"',
        "'",
        "=",
        "/",
        " a1",
        " href=",
        " srcset='",
        " 1x,",
        ",,",
    ),
    *(
        "&amp;",
        "&#98;",
        "&#x62",
        "&",
        "&aaaaaaaa",
        "&lt;",
        "http://h.example/",
        "http://h.example/&#98;",
        "://",
        "word ",
        "\n",
    ),
    *(
        "<meta http-equiv=refresh content='0;url=",
        "<base href='http://h.example/'>",
        " ",
        "k" * 40,
        "\0",
        "\u00fc",
        "<br>",
        "<hr>",
    ),
)

_TYPES = (
    "text/plain",
    "text/plain; charset=utf-8",
    "text/plain; charset=iso-8859-1",
    "text/plain; charset=utf-7",
    "text/plain; charset=utf-16",
    "text/plain; charset=iso-2022-jp",
    "text/plain; charset=gb18030",
    "text/plain; charset=zz",
    "text/plain; format=flowed; delsp=yes",
    "text/html; charset=utf-8",
    "multipart/mixed; boundary=b",
    "multipart/digest; boundary=b",
    "message/rfc822",
)
_ENCODINGS = ("7bit", "8bit", "base64", "quoted-printable", "zz")
_FROM = "From u@h.example Sat Feb 17 10:00:00 1996\n"
_HEAD = "From: u@h.example\nTo: v@h.example\nDate: Sat, 17 Feb 1996 10:00:00 +0000\nMessage-ID: <1@h.example>\n"
_END = "\n\nhttp://h.example/end\n"


class Composition(NamedTuple):
    """A text: *unit* repeated between *before* and *after*; *kind* names the kind of its fragments."""

    kind: str
    before: str
    unit: str
    after: str
    encoding: str

    def text(self, size: int) -> bytes:
        """Return the text in about *size* bytes."""
        count = max(1, size // max(1, len(self.unit.encode(self.encoding, "replace"))))
        return (self.before + self.unit * count + self.after).encode(self.encoding, "replace")

    @classmethod
    def of(cls, seed: str, number: int) -> "Composition":
        """Return the *number*th composition of *seed*."""
        random = Random(f"{seed} {number}")
        kind = random.choice(("text", "fields", "MIME", "HTML"))
        fragments = {"text": TEXT, "fields": FIELDS, "MIME": MIME, "HTML": HTML}[kind]
        unit = "".join(random.choice(fragments) for _ in range(random.choice((2, 2, 3, 3, 4))))
        if random.random() < 0.3:
            unit += random.choice(fragments) * random.choice((3, 20, 150))
        encoding = random.choice(("utf-8", "utf-8", "latin-1"))
        before, after = {"text": _around_text, "fields": _around_fields, "MIME": _around_mime, "HTML": _around_html}[
            kind
        ](random)
        return cls(kind, before, unit, after, encoding)


def _around_text(random: Random) -> tuple[str, str]:
    before = random.choice(
        ("", "", "<URL:", "http://h.example/x", "<http://h.example/", "> ", "ftp://h.example", "(http://h")
    )
    return before, random.choice(("", ">", "\n\n", ")", " ", "!"))


def _around_fields(random: Random) -> tuple[str, str]:
    envelope = random.choice(("", _FROM))
    before = random.choice(("", "Subject: ", "Content-Type: text/plain; ", "X-Note: ", "Date: ", "Message-ID: "))
    part = "Content-Type: multipart/mixed; boundary=b\n\n--b\n" if random.random() < 0.2 else ""
    return envelope + _HEAD + part + before, random.choice((_END, '"' + _END, "?=" + _END, "\n"))


def _around_mime(random: Random) -> tuple[str, str]:
    fields = f"Content-Type: {random.choice(_TYPES)}\nContent-Transfer-Encoding: {random.choice(_ENCODINGS)}\n"
    return random.choice(("", _FROM)) + _HEAD + fields + "\n" + random.choice(("", "--b\n\n", "+", "a")), _END


def _around_html(random: Random) -> tuple[str, str]:
    before = random.choice(
        ("", "<p>http://h.example/x ", "<a ", "<table>", "<div><p>", "<!--", "<select>", "<svg>", "<pre>")
    )
    return _HEAD + "Content-Type: text/html\n\nhttp://h.example/ " + before, random.choice(
        ("", ">", "-->", "<p>http://h.example/end")
    )
