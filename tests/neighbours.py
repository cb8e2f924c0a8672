"""Ordinary URLs and what may be around them: before them, after them and in the next line.

What is near an ordinary URL decides whether it is one. The tables are crossed, and some characters are changed.
"""

# fmt: off

from collections.abc import Iterator
from random import Random

URLS = (
    *"""
http://a.example https://a.example/ http://a.example/b http://a.example:80/b http://a.example:99999/ http://1.2.3.4/b
http://a..example/b http://-a.example/ http://a.example./b http://a-.example/ http://a.example/b- http://a.example/b_
http://a.example/b~ http://a.example/b@ http://a.example/b= http://a.example/b/ http://a.example/b?c=d&e=f
http://a.example/b?c=3D http://a.example/&lt;b http://a.example/%41 http://a.example/%4 http://a.example/b#c
http://a.example/b#c#d HTTP://a.example/b http://jane@a.example/b http://a.example/b'c http://a.example/b(c)
http://a.example/b,c http://b/c:d http://a.example/b? http://a.example/# http://www http://www. http://a.example?b
http://a_b.example/ http://a.example/bé http://é.example/ http://a.example/b|c http://a.example/b-- ftp://a.example/b
ftp://a.example/b;type=a ftp://a.example ftp://x?y@a.example/ http://a.example/b.html http://a.example/b&amp;c=d
http://a.example/http://b.example/c http://a.example/+ http://a.example/0,16,b;c=d?e,f;g
http://a.example/b,http://c.example/ http://a.example,b@c.example/ http://a.example:80;b http://a.example,
ftp://a.example/b;c ftp://a.example/b,c http://1.2.3.256/ http://01.2.3.4/ http://1.2.3.4.5/ https://255.0.0.1:80
git://a.example/b.git imaps://a.example/b;c svn://a.example mailto:jane@a.example mailto:jane.doe@a-b.example
mailto:jane@a.example:80 mailto:a@b.example,c@d.example mailto:jane@a.example?subject=b mailto:.jane@a.example
Mailto:jane@a.example news:comp.lang.c news:comp.lang.c++ news:a@b.example news:a..b news:a@b.example:80
sip:jane@a.example sips:jane@a.example;transport=tcp sip:jane@a.example:5060 sip:a.example sips:a.example:80
doi:10.1000/182 doi:10.1000/b-/c. doi:10.10/b doi:10.1000.1/b doi:10.1000/b--c_ news:a.b- news:a.b--c news:a-b.c+
urn:isbn:0451450523 urn:a-b:c-d_e.f urn:ab:c.:d urn:ab:c--d urn:ab::c
mailto:jane@a.example?subject=b%20c&d=e,f;g urn:ietf:rfc:1738 urn:a-b:c/d?e#f urn:ab:c: urn:ab:%zz urn:ab:c- urn:a:b
http:// https:// ftp:// sftp:// +http:// http:/// HTTPS://a.example/b' GIT://a.example/b.git git+ssh://a.example/b
xhttp://a.example/b a.http://a.example/b ttps://a.example/b telnet://a.example:23/ telnet://a.example/b/c snews://a.example/b
gopher://a.example/b wais://a.example/b/c/d hxxp://a.example/b http://a.example/b'. http://a.example/b'c' http://a.example'
""".split(),
    "mailto:jane at a.example", "mailto:jane.doe at a-b.example.", "mailto:jane at localhost", "mailto:+ at a.1",
    "mailto:a at b at c.example", "mailto:jane at a.example?subject=b", "mailto:jane  at a.example",
    f"ftp://a.example/{'b' * 300};c",
)
LEFTS = (
    "", " ", "<", "(", '"', "'", "_", "x", ".", ":", "URL:", "<URL:", "&lt;", "é", "[a](", "> ", "12. ", "<\n",
    "*", ">> ", "JD> ", "| ", "# ", "[1] ", "\f\n", "URL: ", "<URL: ", "{", "`", "&#60;", "=", "a@", "\u200b",
)
TAILS = (
    "", ".", ",", "?", "!", ":", ")", "]", ">", '"', "'", "'s", "...", ".)", ",;", "&gt;", "<br>", "*", "é", "\x00",
    "}",
    "\f", "`", "\\", ",http://b.example", ".;ftp://b.example/", ",URL:http://b.example", "<", "Ã", "ÿ", "&nbsp;",
    "&amp;b", "&amp;lt;", "=3D", "=", "=20", "]]", "))", "]:", "»", "\u201d", "\u3002", "|b", "^", "{b}", "#", "/)",
    "\u00ad", "-",
)
NEXTS = (
    "", " ", " and so", "\n", " \n", "\nand so", "\nword.", "\nand\n", "\n\nand so",
    "\n\n\n[Page 3]\n\f\nRFC 1\n\nb.html c", "\nb/c.html d", "\nb.html", "\n> b/c.html d", "\n> word on", "\n>\n",
    "\n12. b/c.html", "\n13. word on", "\ndnl b/c.html", "\n-----\nb", "\n--\nb", "\n-- \nb", "\n-b.html",
    "\nhttp://b.example/c d", "\n  [Page 2]\n\f\nRFC 2\n\nb/c.html d", "\r\nword on", "\r\n\r\nword", "\rword on",
    "\n#b", "\n?b=c", "\n/b/c", "\n=b", "\ncan't be", "\ntwenty-one of", "\nb_c d", "\n(see b) c", "\n| b/c.html",
    "\n|b", "\n* b/c.html", "\n// b/c.html", "\nURL: b", "\nfinal.\n\n", "\nDate: b", "\nA/B c",
    "\nmailto:jane@b.example c", "\nurn:ab:c", "\nsip: b", "\n<b", '\n"b/c.html"', "\n12. <b", "\n\x00b",
    "\r\r[Page 3]\n\f\nRFC 1\n\nb.html c", "\rb.html c", "\r> word", "\r\rword", "\n+ b", "\n+1 707", "\n+b.html",
    "\n- b", "\n-b", "\n__/ b", "\n=b c", "\n~/ b", "\n[12] b", "\n[b/c.html", "\n(b/c", "\njane@b.example c",
    "\n3@b.example/c", "\nb=c@d.example", "\nit's b", "\nnice. b", "\nnice.\n\n", "\nb. \n", " \t\n  b/c.html d",
    "                                                                                          \nb/c.html",
    "\ntype=d>", "\n> >> word b", "\nb?c d", "\nJD> word on",
    *(
        f"\n\nMaas   [Page {page}]\n\f\nMemo 12   1996\n\n{after}"
        for page in ("7", "iv-2")
        for after in (
            "http://b.example/c", "   and so", "final.", "final. b", "b/c.html d", "-----\n", "(b", "[Page 8]\n", "",
        )
    ),
    "\n\n[page 7]\n\f\nhttp://b.example\n\n", "\n\n\n [Page 7] \n\f\n\fMemo\n \nhttp://b.example\n",
    "\n\n[Page 7]\n\f\nMemo\nb c\n\nhttp://b.example\n", "\n\n[Page 7]\n\n \nhttp://b.example\n\nb/c.html d",
    "\r\n\r\n[Page 7]\r\n\f\r\nMemo\r\n\r\nhttp://b.example\r\n", "\n\n[Page 7] b\n\f\nMemo\n\nhttp://b.example",
    "\n> \n> [Page 7]\n> \n> Memo\n> \n> http://b.example", "\nhttp://", "\nb.example/c", "\n> b.example",
    "\n//b.example", "\nb-c.example", "\nb> c.example",
)
# fmt: on
CHANGED = " \t\n\r\f\v\"'()<>[]{}.,;:!?*-_~/#%&=@+$|\\^`0aZ\x00\x7f\x85\xa0\xad\xe9\u200b\u3002"
"""What is put into a text, or in place of a character of it."""

LINE_ENDS = ("\n", "\r\n", "\r")
QUOTES = ("> ", ">> ", "| ", "    ", ";; ", "# ")
PAGE_BREAKS = ("\n\n\n[Page 3]\n\f\nRFC 1\n\n", "\n\n  Jane   Memo   [Page iv-2]\n\f\n\nMemo  A  1996\n\n\n", "\f")


def texts(random: Random) -> Iterator[str]:
    """Yield, without end, a URL of the tables between neighbours from the tables."""
    while True:
        text = random.choice(LEFTS) + random.choice(URLS) + random.choice(TAILS) + random.choice(NEXTS)
        yield changed(random, in_lines(random, text))


def rows(random: Random) -> Iterator[str]:
    """Yield, without end, a text with many URLs and their neighbours."""
    several = texts(random)
    while True:
        yield random.choice(("", " ", "\n", "\n\n")).join(next(several) for _ in range(random.randrange(2, 30)))


def in_lines(random: Random, text: str) -> str:
    """Return *text* with its lines quoted, parted by pages, or ended otherwise; mostly as it is."""
    if random.random() < 0.2:
        quote = random.choice(QUOTES)
        text = quote + text.replace("\n", f"\n{quote}")
    if random.random() < 0.1:
        text = text.replace("\n", random.choice(PAGE_BREAKS), 1)
    if random.random() < 0.5:
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", random.choice(LINE_ENDS))
    return text


def changed(random: Random, text: str) -> str:
    """Return *text* with up to two characters put in, taken out or replaced."""
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(("", random.choice(CHANGED))) + text[at + random.randrange(2) :]
    return text
