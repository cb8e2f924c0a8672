"""The table of scanner cases: text and result side by side, grouped by the rule they hold.

`⟦` and `⟧` mark where a URL stands in the text, without its wrapper; they are taken out before the text is scanned. What
follows the text is, for each mark in turn, the URL it must give where that is not the marked text itself, or a tuple of
all its readings, the URL first. `form` has one word a mark, or one for all. `rejects` are the candidates that must be
refused, joined. `options` are those that the text is scanned with. A case with a `bug` is one that the code does not hold yet: its tests must fail.
"""

# ruff: noqa: E501, RUF001 -- a case is one line; the look-alike characters are what is tested
# fmt: off

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

OPEN, CLOSE = "⟦", "⟧"
_MARKED = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")


@dataclass(frozen=True, slots=True)
class Expected:
    """A match that must be found: `start` and `end` count characters."""

    form: str
    start: int
    end: int
    readings: tuple[str, ...]

    @property
    def url(self) -> str:
        return self.readings[0]


@dataclass(frozen=True, slots=True)
class Case:
    """A text and all that must be found in it."""

    name: str
    text: str
    expected: tuple[Expected, ...]
    rejects: tuple[str, ...] = ()
    bug: str = ""
    options: tuple[str, ...] = ()

    @property
    def asked(self) -> dict[str, Any]:
        """The options as keyword arguments."""
        return dict.fromkeys(self.options, True)


def case(  # noqa: PLR0913 -- each is given by name
    name: str,
    marked: str,
    *results: str | tuple[str, ...],
    form: str = "bare",
    rejects: tuple[str, ...] = (),
    bug: str = "",
    options: tuple[str, ...] = (),
) -> Case:
    """Read the marks of *marked*."""
    found = list(_MARKED.finditer(marked))
    forms = form.split() if " " in form else [form] * len(found)
    expected = []
    for number, (mark, its_form) in enumerate(zip(found, forms, strict=True)):
        start = mark.start() - 2 * number
        result = results[number] if results else mark[1]
        readings = result if isinstance(result, tuple) else (result,)
        expected.append(Expected(its_form, start, start + len(mark[1]), readings))
    assert len(results) in (0, len(found)), name
    return Case(name, marked.replace(OPEN, "").replace(CLOSE, ""), tuple(expected), rejects, bug, options)


bare = partial(case, form="bare")
wrapper = partial(case, form="wrapper")
angle = partial(case, form="angle")
prefix = partial(case, form="prefix")
refang = partial(case, form="defanged", options=("refang",))


def implied(scheme: str, name: str, marked: str, *results: str | tuple[str, ...], **more: Any) -> Case:
    """Read the marks of *marked*: the URL of each is the marked text behind *scheme*."""
    return case(name, marked, *(results or [scheme + text for text in _MARKED.findall(marked)]), **more)


schemeless = partial(implied, "http://", form="schemeless", options=("schemeless",))
address = partial(implied, "mailto:", form="address", options=("addresses",))
both = partial(case, options=("schemeless", "addresses"))

A = "http://a.example/"
LONG_PATH = "archive/of/the/pages/that/were/kept/under/b/"

# 1.1 Wrapper

WRAPPER = (
    wrapper("plain", "see <URL:⟦http://a.example/b⟧>."),
    wrapper("lower case", "<url:⟦HTTP://a.example/⟧>"),
    wrapper("mixed case", "<uRl:⟦http://a.example/⟧>"),
    wrapper("a blank after the colon", "<URL: ⟦http://a.example/b⟧>"),
    wrapper("blanks and a tab after the colon", "<URL: \t ⟦http://a.example/b⟧>"),
    wrapper("a blank before the bracket", "<URL:⟦http://a.example/b⟧ >"),
    wrapper("blanks inside", "<URL:⟦http://a.example/b  c\td⟧>", "http://a.example/bcd"),
    wrapper("a blank inside the scheme", "<URL:⟦ht tp://a.example/⟧>", "http://a.example/"),
    wrapper("a blank after the scheme", "<URL:⟦http: //a.example/⟧>", "http://a.example/"),
    wrapper("a blank inside the host", "<URL:⟦http://www. a.example/⟧>", "http://www.a.example/"),
    wrapper("any scheme", "<URL:⟦x-editor:open/12⟧>"),
    wrapper("a fragment belongs to it", "<URL:⟦http://a.example/b.html#top⟧>"),
    wrapper("news:*", "<URL:⟦news:*⟧>"),
    wrapper("mailto", "<URL:⟦mailto:jane@a.example⟧>"),
    wrapper("cid", "<URL:⟦cid:12@a.example⟧>"),
    wrapper("soft characters may be last", "<URL:⟦http://a.example/b.,;!*'⟧>"),
    wrapper("unbalanced brackets stay", "<URL:⟦http://a.example/b)⟧>"),
    wrapper("white space of any kind at its edges", "<URL:\u00a0⟦http://a.example/b⟧\u3000> <URL:\u2003\x1d⟦p:p⟧\x85> <URL:\u200b⟦http://a.example/b⟧\ufeff\u00ad>"),
    wrapper("white space of any kind inside", "<URL:⟦http://a.example/b\u00a0c\u3000d\u2003e⟧>", "http://a.example/bcde"),
    wrapper("white space of any kind before URL:", "<\u00a0URL:⟦http://a.example/b⟧>"),
    wrapper("letters whose second octet is a blank's", "<URL:⟦http://a.example/ą⟧> <URL:⟦http://a.example/à/Å⟧> <URL:⟦http://a.example/ą⟧>"),
    wrapper("glued to a word", "see<URL:⟦http://a.example/b⟧>and go"),
    wrapper("in brackets", "(<URL:⟦http://a.example/b⟧>)"),
    wrapper("in angles", "<<URL:⟦http://a.example/b⟧>>"),
    wrapper("in quotes", '"<URL:⟦http://a.example/b⟧>"'),
    wrapper("one after the other", "<URL:⟦http://a.example/b⟧><URL:⟦ftp://a.example/c⟧>"),
    wrapper("beyond ASCII", "<URL:⟦http://bücher.example/straße⟧>"),
    wrapper("text beyond ASCII before it", "Ελλάδα 見 😀 <URL:⟦http://a.example/b⟧> ü <URL:⟦http://a.example/c⟧>"),
    wrapper("at the start and at the end", "<URL:⟦http://a.example/b⟧>\n<URL:⟦http://a.example/c⟧>"),
)

# 1.1, 2.5, 2.6 Wrapper over line ends

WRAPPER_BROKEN = (
    wrapper("broken once", "see <URL:⟦http://a.example/b\nc⟧>.", "http://a.example/bc"),
    wrapper("broken twice", "<URL:⟦http://a.example/b\nc\nd⟧>", "http://a.example/bcd"),
    wrapper("indented", "   <URL:⟦http://a.example/b\n      c⟧>", "http://a.example/bc"),
    wrapper("blanks at the line's end", "<URL:⟦http://a.example/b  \n\tc⟧>", "http://a.example/bc"),
    wrapper("CRLF", "<URL:⟦http://a.example/b\r\nc⟧>", "http://a.example/bc"),
    wrapper("bare CR", "<URL:⟦http://a.example/b\rc⟧>", "http://a.example/bc"),
    wrapper("CR, LF and CRLF", "\r\n\n\r<URL:⟦http://a.example/b\rc\nd\r\ne⟧>\r", "http://a.example/bcde"),
    wrapper("right after the colon", "<URL:\n⟦http://a.example/b⟧>"),
    wrapper("right after the colon, indented", "  <URL: \n  ⟦http://a.example/b⟧>"),
    wrapper("right before the bracket", "<URL:⟦http://a.example/b⟧\n>"),
    wrapper("right after and right before", "<URL:\n ⟦http://a.example/b⟧\n >"),
    wrapper("inside the scheme", "<URL:⟦ht\ntp://a.example/b⟧>", "http://a.example/b"),
    wrapper("after the scheme", "<URL:⟦http\n://a.example/b⟧>", "http://a.example/b"),
    wrapper("after the scheme's colon", "<URL:⟦http:\n//a.example/b⟧>", "http://a.example/b"),
    wrapper("between the slashes", "<URL:⟦http:/\n/a.example/b⟧>", "http://a.example/b"),
    wrapper("after the slashes", "<URL:⟦http://\na.example/b⟧>", "http://a.example/b"),
    wrapper("inside the host", "<URL:⟦http://www.a.\nexample/b⟧>", "http://www.a.example/b"),
    wrapper("inside an escape", "<URL:⟦http://a.example/%2\n0b⟧>", "http://a.example/%20b"),
    wrapper("a slash starts the next line", "<URL:⟦http://a.example\n/b⟧>", "http://a.example/b"),
    wrapper("before a parameter", "<URL:⟦ftp://a.example/pub/b;\n  type=d⟧>", "ftp://a.example/pub/b;type=d"),
    wrapper("a mailto", "<URL:⟦mailto:jane@\na.example⟧>", "mailto:jane@a.example"),
    wrapper("any scheme", "<URL:⟦x-editor:open/\n12⟧>", "x-editor:open/12"),
    wrapper("a no-break space at the line's end", "<URL:⟦http://a.example/b\u00a0\n\u00a0c⟧>", "http://a.example/bc"),
    wrapper("no-break spaces in lines of their own", "<URL:\n\u00a0\n⟦http://a.example/b⟧\n\u00a0>"),
    wrapper("beyond ASCII", "<URL:⟦http://a.example/grü\n  ße⟧>", "http://a.example/grüße"),
)

# 1.2 Angle

ANGLE = (
    angle("plain", "see <⟦http://a.example/b⟧>."),
    angle("any scheme with slashes", "<⟦x-foo://a.example/b⟧>"),
    angle("a known opaque one", "<⟦mailto:jane@a.example⟧>"),
    angle("another known opaque one", "<⟦urn:ietf:rfc:1738⟧>"),
    angle("white space of any kind at its edges", "<\u00a0⟦http://a.example/b⟧\u3000> <\u200b⟦http://a.example/b⟧\ufeff> <\n\u00a0⟦http://a.example/b⟧>"),
    bare("a no-break space in the middle of a line", "<⟦http://a.example/b⟧\u00a0c>"),
    angle("fragment", "<⟦http://a.example/b#top⟧>"),
    angle("soft characters may be last", "<⟦http://a.example/b.⟧>"),
    angle("blanks next to the brackets", "< ⟦http://a.example/b⟧ >"),
    angle("a break after the bracket", "<\n⟦http://a.example/b⟧>"),
    angle("a break before the bracket", "<⟦http://a.example/b⟧\n>"),
    angle("broken", "<⟦http://a.example/b\nc⟧>", "http://a.example/bc"),
    angle("broken with blanks around", "<⟦http://a.example/b  \n   c/d⟧>", "http://a.example/bc/d"),
    angle("broken twice", "<⟦http://a.example/b/\nc/\nd⟧>", "http://a.example/b/c/d"),
    angle("an opaque one broken", "<⟦urn:example:memo:\n  12⟧>", "urn:example:memo:12"),
    angle("an opaque one broken early", "<⟦urn:example:\n  memo:12⟧>", "urn:example:memo:12"),
    angle("broken inside the host", "<⟦http://www.\na.example/⟧>", "http://www.a.example/"),
    angle("broken after the scheme", "<⟦http:\n//a.example/b⟧>", "http://a.example/b"),
    angle("broken after the slashes", "<⟦https://\na.example/b⟧>", "https://a.example/b"),
    angle("broken inside the scheme", "<⟦ht\ntp://a.example/b⟧>", "http://a.example/b"),
    angle("a mailto broken after the @", "<⟦mailto:jane@\na.example⟧>", "mailto:jane@a.example"),
    angle("a newsgroup broken after a dot", "<⟦news:comp.\nlang.c⟧>", "news:comp.lang.c"),
    angle("an opaque one broken right after its colon", "<⟦mailto:\njane@a.example⟧>", "mailto:jane@a.example"),
    angle("of a name", "Jane <⟦mailto:jane@a.example⟧>, Ann <⟦mailto:ann@a.example⟧>"),
    bare("no known opaque one", "<foo:bar> and <std::map> and <12:30>"),
    bare("no URL", "<jane@a.example> <b> <br/> <!-- x --> <stdio.h>"),
    bare("a blank in the middle of a line", "x < ⟦http://a.example/foo⟧ is cool > 3"),
    bare("a blank in the middle, no blank first", "<⟦http://a.example/foo⟧ is cool>"),
    bare("a blank in the middle of the second line", "<⟦http://a.example/foo⟧\nis cool>"),
    bare("HTML", '<a href="⟦http://a.example/b⟧">text</a>'),
    bare("HTML without quotes", "<a href=⟦http://a.example/b⟧>text</a>"),
    bare("HTML text", "<b>⟦http://a.example/b⟧</b>"),
    bare("a bracket after the URL only", "⟦http://a.example/b⟧> and <c>"),
    angle("a lone bracket before", "1 < 2 and <⟦http://a.example/b⟧>"),
)

# 2.7 What archives hide, and blanks behind the scheme

HIDDEN = (
    angle("an address", "Jane <⟦mailto:jane at a.example⟧> wrote", "mailto:jane@a.example"),
    angle("a host without a dot", "<⟦mailto:jane at localhost⟧>", "mailto:jane@localhost"),
    angle("headers behind it", "<⟦mailto:jane at a.example?subject=b⟧>", "mailto:jane@a.example?subject=b"),
    angle("a login", "<⟦ftp://user at host/⟧> <⟦https://jane:b at a.example:80/c⟧>", "ftp://user@host/", "https://jane:b@a.example:80/c"),
    angle("a Message-ID", "<⟦news:12.3 at a.example⟧> <⟦http://a.example/msg/12.3 at b.example⟧>", "news:12.3@a.example", "http://a.example/msg/12.3@b.example"),
    wrapper("in a wrapper", "<URL:⟦mailto:jane at a.example⟧>", "mailto:jane@a.example"),
    bare("in square brackets", "From: Jane [⟦mailto:jane at a.example⟧]", "mailto:jane@a.example"),
    bare("in running text", "write to ⟦mailto:jane at a.example⟧, or\n⟦mailto:ann at b.example⟧\nat noon", "mailto:jane@a.example", "mailto:ann@b.example"),
    bare("prose", "<⟦http://a.example⟧ at noon> <⟦http://a.example/b⟧ at c> <mailto:jane at the office> mailto:jane at noon ⟦http://jane⟧ at a.example"),
    angle("blanks behind the scheme", "<⟦mailto: jane@a.example⟧> <⟦http: //a.example/b⟧> <⟦ftp://  a.example/b⟧>", "mailto:jane@a.example", "http://a.example/b", "ftp://a.example/b"),
    angle("blanks, and a hidden address", "<⟦mailto: jane at a.example⟧>", "mailto:jane@a.example"),
    bare("blanks, and prose", "<mailto: see below> <http: the scheme> <http:// b c>"),
)

# 1.3 Prefix

PREFIX = (
    prefix("plain", "see URL:⟦http://a.example/b⟧."),
    prefix("lower case", "url:⟦http://a.example/b⟧"),
    prefix("in brackets", "(URL:⟦http://a.example/b⟧)"),
    prefix("opaque", "URL:⟦mailto:jane@a.example⟧, URL:⟦news:comp.lang.c⟧"),
    prefix("two", "URL:⟦http://a.example/b⟧,URL:⟦http://a.example/c⟧"),
    case("Markdown", "[URL:⟦http://a.example/b⟧](⟦http://a.example/b⟧)", form="prefix bare"),
    bare("a blank after the colon", "URL: ⟦http://a.example/b⟧"),
    prefix("after a letter beyond ASCII", "見URL:⟦http://a.example/b⟧ éURL:⟦http://a.example/b⟧"),
    bare("a word that ends in url", "CURL:⟦http://a.example/b⟧"),
    bare("alone", "URL: and URL:x and url:"),
)

# 1.4 Bare: where it begins

BARE_START = (
    bare("plain", "see ⟦http://a.example/b⟧ now"),
    bare("the whole text", "⟦http://a.example/b⟧"),
    bare("upper case", "⟦HTTP://A.EXAMPLE/B⟧"),
    bare("any scheme", "⟦x-foo://a.example/b⟧ ⟦a1.b+c-d://a.example⟧"),
    bare("a plus in the scheme", "⟦svn+ssh://a.example/b⟧"),
    bare("glued to a sentence", "Ltd.⟦https://a.example/b⟧"),
    bare("glued to a word", "page⟦https://a.example/b⟧"),
    bare("glued by a hyphen", "here-⟦http://a.example/b⟧"),
    bare("after a digit", "1⟦http://a.example/b⟧"),
    bare("after an underscore", "x_⟦http://a.example/b⟧"),
    bare("after a letter beyond ASCII", "見⟦http://a.example/b⟧"),
    bare("after an equals sign", "url=⟦http://a.example/b⟧"),
    bare("after a colon", "link:⟦http://a.example/b⟧"),
    bare("mailto in prose", "write to mailto: or ⟦mailto:jane@a.example⟧, please"),
    bare("mailto with headers", "⟦mailto:jane@a.example?subject=hi&body=x⟧."),
    bare("news", "in ⟦news:comp.lang.c⟧."),
    bare("news article", "⟦news:1234.5@a.example⟧"),
    bare("urn", "⟦urn:isbn:0-395-36341-1⟧."),
    bare("doi", "⟦doi:10.1000/182⟧."),
    bare("tel", "⟦tel:+49-30-123456⟧."),
    bare("sip", "⟦sip:jane@a.example⟧,"),
    bare("mid and cid", "⟦mid:12.3@a.example⟧ ⟦cid:12.3@a.example⟧"),
    bare("magnet", "⟦magnet:?xt=urn:sha1:ABCDEF⟧"),
    bare("xmpp", "⟦xmpp:jane@a.example⟧"),
    bare("data", "⟦data:text/plain,hello⟧"),
    bare("beyond ASCII, with every second octet", "⟦mailto:voilà@a.example⟧ ⟦xmpp:ją@a.example⟧ ⟦sip:Ša@a.example⟧ ⟦mid:įÅ@a.example⟧"),
    bare("nothing but a shape beyond the end", "news:e\u200b@p news:e\u3000@p news:e”@p mid:a\u00a0@b urn:ab:” tel:+12345. data:,\u00a0x"),
    bare("file without slashes", "⟦file:/etc/motd⟧"),
    bare("all ten schemes", " ".join(f"⟦{url}⟧" for url in (
        "ftp://a.example/b;type=i", "http://a.example:80/b?c", "gopher://a.example/00/x%09search%09+", "mailto:j@a.example",
        "news:a.b", "nntp://a.example/a.b/12", "telnet://j@a.example:23/", "wais://a.example/b?c", "file:///b", "prospero://a.example//pros/name;v=1",
    ))),
    bare("a URL inside the query", "⟦http://a.example/go?to=http://b.example/c⟧"),
    bare("a URL inside the path", "⟦http://a.example/2001/http://b.example/c⟧ x"),
    bare("userinfo", "⟦ftp://jane:secret@a.example/b⟧"),
    bare("IPv4 and a port", "⟦http://127.0.0.1:8080/b⟧"),
    bare("IPv6", "⟦http://[2001:db8::1]:80/b⟧."),
    bare("an IDN host", "⟦http://bücher.example/⟧"),
)

# 1.4 and 8: what is no URL

NO_URL = (
    bare("colons", "12:30 and std::map, Subject:x, Note:this, a:b, C:\\dir, ratio 3:1, key: value"),
    bare("a scheme alone", "http: and http:// and ftp:, https:/ or :// or mailto: news: urn:"),
    bare("a scheme alone at the line's end", "we support http:\nand ftp://\nmore"),
    bare("no scheme", "www.a.example a.example/b //a.example/b jane@a.example"),
    bare("a blank inside the scheme", "http ://a.example http : //a.example"),
    bare("unknown opaque schemes", "foo:bar foo:/bar about:blank javascript:void(0) Tel:+49 30"),
    bare("a path in a search list", "PATH=/a:/b:/c"),
    bare("nothing", ""),
    bare("line ends", "\n\r\n\r"),
    bare("a colon", ":"),
    bare("digits before the slashes", "12://34"),
    bare("an unknown scheme glued to a digit or word", "1abc://x.example x_abc://x.example éabc://x.example 見abc://x.example <1abc://x.example>"),
    bare("an unknown scheme with signs before it", "-⟦abc://x.example⟧ 1.⟦abc://x.example⟧ _⟦abc://x.example⟧_ “⟦abc://x.example⟧” 見 ⟦abc://x.example⟧"),
)

# 1.5 End of a bare URL: soft characters

SOFT = (
    *(bare(f"{mark} last", f"⟦http://a.example/b⟧{mark}") for mark in ".,;:!?'*"),
    *(bare(f"{mark} before a blank", f"⟦http://a.example/b⟧{mark} c") for mark in ".,;:!?'*"),
    *(bare(f"{mark} inside", f"⟦http://a.example/b{mark}c⟧ d") for mark in ".,;:!'*"),
    bare("question mark inside", "⟦http://a.example/b?c⟧ d"),
    bare("several", "⟦http://a.example/b⟧...!?,;"),
    bare("dots inside", "⟦http://a.example/b...c⟧..."),
    bare("after the host", "⟦http://a.example⟧. ⟦http://a.example⟧, ⟦http://a.example⟧: ⟦http://a.example:80⟧."),
    bare("after the slash", "⟦http://a.example/⟧."),
    bare("a colon before the last slash", "⟦http://a.example/b:/⟧ c"),
    bare("the possessive of a path", "⟦http://a.example/b.html's⟧ page, ⟦http://a.example/'s⟧ and ⟦http://a.example/wiki/Levi's⟧."),
    bare("the possessive of a host", "⟦http://a.example⟧'s, ⟦https://a.example:80⟧'s and ⟦mailto:jane@a.example⟧'s"),
    bare("an empty fragment", '⟦http://a.example/ns#⟧ "⟦http://a.example/ns#⟧" (⟦http://a.example#⟧). ⟦urn:example:ns#⟧,'),
    bare("no empty fragment", "#⟦http://a.example/b⟧# ⟦http://a.example/b⟧### ⟦http://a.example/b#c⟧# http://#"),
    bare("a value of a query", "⟦http://a.example/?state=*⟧, ⟦http://a.example/?b=*&state=*⟧ *⟦http://a.example/?state=⟧* **⟦http://a.example/?b=⟧**"),
    bare("an apostrophe inside", "⟦http://a.example/it's/b⟧"),
    bare("a comma inside", "⟦http://a.example/a,b,c⟧, and"),
    bare("a comma before a scheme", "⟦http://a.example/b⟧,⟦http://a.example/c⟧"),
    bare("a semicolon before a scheme", "⟦http://a.example/b⟧;⟦ftp://a.example/c⟧"),
    bare("a comma before mailto", "⟦http://a.example/b⟧,⟦mailto:jane@a.example⟧"),
    bare("a semicolon inside", "⟦ftp://a.example/b;type=a⟧; c"),
    bare("a quoted one", "'⟦http://a.example/b⟧' or '⟦http://a.example/it⟧'s'"),
    bare("emphasis", "*⟦http://a.example/b⟧* _⟦http://a.example/b⟧_ **⟦http://a.example/b⟧**"),
    bare("an underscore inside and last", "⟦http://a.example/b_c_⟧ d"),
    bare("a tilde, a hyphen, an equals sign last", "⟦http://a.example/~⟧ ⟦http://a.example/b-⟧ ⟦http://a.example/?b=⟧"),
)

# 1.5 Brackets

BRACKETS = (
    bare("a Wikipedia title", "⟦https://w.example/wiki/Bracket_(typography)⟧."),
    bare("a Wikipedia title in brackets", "(⟦https://w.example/wiki/Bracket_(typography)⟧)"),
    bare("in brackets", "(⟦http://a.example/b⟧)"),
    bare("in brackets, then a full stop", "(see ⟦http://a.example/b⟧). ⟦http://a.example/c⟧.)"),
    bare("an excess one ends it", "⟦http://a.example/b⟧)c ⟦http://a.example/b⟧]c"),
    bare("nested", "⟦http://a.example/a(b(c)d)e⟧) f"),
    bare("square ones in a query", "⟦http://a.example/b?c[]=1&d[e]=2⟧]"),
    bare("open ones are soft", "⟦http://a.example/⟧(((( ⟦http://a.example/⟧[ ⟦http://a.example/b⟧( c"),
    bare("an open one inside", "⟦http://a.example/a(b⟧ c)"),
    bare("crossed ones", "⟦http://a.example/a(b⟧]c)"),
    bare("square ones around", "[⟦http://a.example/b⟧]"),
    bare("Markdown", "[text](⟦http://a.example/b⟧) and [x](⟦http://a.example/b_(c)⟧)."),
    bare("a Markdown image", '![x](⟦http://a.example/b.png⟧ "title")'),
    bare("a Markdown reference", "[1]: ⟦http://a.example/b⟧"),
    bare("a URL as Markdown text", "[⟦http://a.example/b⟧](⟦http://a.example/b⟧)"),
    bare("a wiki link", "[⟦http://a.example/b⟧ title]"),
    bare("braces around", "{⟦http://a.example/b⟧} \\href{⟦http://a.example/b⟧}{text}"),
    bare("balanced braces inside", "⟦http://a.example/{id}/b⟧ c"),
    bare("after the host", "(⟦http://a.example⟧) (⟦http://a.example⟧), [⟦http://a.example⟧]"),
)

# 1.5 Hard characters, entities

HARD = (
    bare("double quotes", '"⟦http://a.example/b⟧" "⟦http://a.example/b⟧."'),
    bare("backticks", "`⟦http://a.example/b⟧`"),
    bare("angles", "⟦http://a.example/b⟧<br> x>⟦http://a.example/b⟧<"),
    bare("a bracket at the end", "⟦http://a.example/b⟧>."),
    bare("a backslash", "⟦http://a.example/b⟧\\n"),
    bare("a bar", "|⟦http://a.example/b⟧|⟦http://a.example/c⟧|"),
    bare("a caret", "⟦http://a.example/b⟧^2"),
    bare("controls", "⟦http://a.example/b⟧\x00c ⟦http://a.example/b⟧\x1b[0m ⟦http://a.example/b⟧\x7f"),
    bare("tab, form feed, vertical tab", "⟦http://a.example/b⟧\t⟦http://a.example/c⟧\f⟦http://a.example/d⟧\v"),
    bare("after the host", '"⟦http://a.example⟧", `⟦http://a.example⟧`, ⟦http://a.example⟧|, ⟦http://a.example⟧\\, ⟦http://a.example⟧}, {⟦http://a.example⟧},'),
    bare("JSON", '{"url":"⟦http://a.example/b⟧","n":1}'),
    bare("&gt; &lt; &quot;", "⟦http://a.example/b⟧&gt; &quot;⟦http://a.example/b⟧&quot; ⟦http://a.example/b⟧&lt;br"),
    bare("&gt; &lt; &quot; after the host", "⟦http://a.example⟧&gt; x, &quot;⟦http://a.example⟧&quot;, ⟦http://a.example⟧&lt;br&gt; (⟦http://a.example⟧&nbsp;)"),
    bare("&amp; stays", "⟦http://a.example/b?c=1&amp;d=2⟧"),
    bare("a parameter called gt", "⟦http://a.example/b?c=1&gt=2⟧"),
    bare("an ampersand", "⟦http://a.example/b?c&d⟧ & e"),
    bare("percent signs", "⟦http://a.example/b%20c%C3%A9⟧"),
    bare("plus, dollar, at", "⟦http://a.example/b+$@c⟧"),
    bare("fragments", "⟦http://a.example/b#c/d?e⟧ ⟦http://a.example#c⟧"),
)

# 1.5 The end of a host

HOST = (
    bare("mark-up glued to it", "{link ⟦http://a.example⟧}⟦http://a.example⟧{end}{p}"),
    bare("what quoted-printable leaves", "⟦http://a.example⟧=20\n<a href=3D⟦http://a.example⟧=22>"),
    bare("equals signs", "⟦http://a.example⟧== ⟦http://a.example⟧=\n ⟦http://a.example:80⟧=b"),
    bare("a variable", "⟦http://a.example:8080⟧$1 ⟦http://a.example⟧$"),
    bare("an ellipsis of full stops", "⟦https://a.example⟧...Click it. ⟦https://a.example⟧...."),
    bare("signs", "⟦http://a.example⟧+b ⟦http://a.example⟧~b/ ⟦http://a.example⟧**b** ⟦http://a.example⟧&b"),
    bare("an object, a full-width bar, an emoji", "⟦http://a.example⟧\ufffc ⟦http://a.example/b.html⟧\ufffc ⟦http://a.example⟧｜c ⟦http://a.example⟧😀"),
    bare("the next URL", "⟦http://a.example⟧=⟦http://b.example/⟧ ⟦http://a.example⟧{⟦http://b.example/⟧}"),
    bare("other letters glued to its top label", "⟦http://a.example⟧いま ⟦http://a.example⟧いま/b ⟦http://www.a.example⟧Â b"),
    bare("labels of other letters", "⟦http://aいま.example/b⟧ ⟦http://a.いま/b⟧ ⟦http://いま/b⟧ ⟦http://bücher/b⟧ ⟦http://उदाहरण.परीक्षा/⟧"),
    bare("a login goes on", "⟦http://jane+b=c:d$e@a.example/f⟧ ⟦ftp://jane~b*c@a.example⟧{end}"),
    bare("what is broken stays refused", "http://a*b.example/ http://a.{b}.example/ http://a.%s/ http://a&#46;example", rejects=("http://a*b.example/", "http://a.{b}.example/", "http://a.%s/", "http://a&#46;example")),
    bare("a broken port stays refused", "http://a.example:8o/ http://a.example:b", rejects=("http://a.example:8o/", "http://a.example:b")),
)

# 1.5 Beyond ASCII

BEYOND_ASCII = (
    bare("a soft hyphen, as in brackets", "⟦http://a.ex\u00adample/b\u00ad\u00adc⟧\u00ad d", "http://a.example/bc"),
    bare("a soft hyphen in a mail address", "⟦mailto:ja\u00adne@a.example⟧\u00ad, x", "mailto:jane@a.example"),
    bare("a soft hyphen last", "⟦http://a.example⟧\u00ad ⟦http://a.example/b⟧.\u00ad. ⟦http://a.example⟧\u00ad's"),
    bare("nothing but soft hyphens", "http://\u00ad mailto:\u00ad@\u00ad"),
    bare("letters", "⟦http://a.example/straße/Ελλάδα/東京⟧ x"),
    bare("an emoji", "⟦http://a.example/😀⟧ x"),
    bare("ideographic full stop", "見⟦http://a.example/b⟧。次"),
    bare("full-width comma", "⟦http://a.example/東⟧，次"),
    bare("ideographic comma", "⟦http://a.example/b⟧、⟦http://a.example/c⟧"),
    bare("full-width brackets", "（⟦http://a.example/b⟧）"),
    bare("corner brackets", "「⟦http://a.example/b⟧」。"),
    bare("lenticular brackets inside", "⟦http://a.example/【b】⟧ c"),
    bare("curly double quotes", "“⟦http://a.example/b⟧”"),
    bare("curly single quotes", "‘⟦http://a.example/b⟧’"),
    bare("guillemets", "«⟦http://a.example/b⟧»"),
    bare("after the host", "“⟦http://a.example⟧”, ‘⟦http://a.example⟧’; (“⟦http://a.example⟧”) «⟦http://a.example⟧», 見⟦http://a.example⟧。), （⟦http://a.example⟧）, 「⟦http://a.example⟧」;"),
    bare("an ellipsis after the host", "(⟦http://a.example⟧…) ⟦http://a.example⟧…, x"),
    bare("a zero-width space after the host", "⟦http://a.example⟧\u200b, ⟦http://a.example⟧\u00a0, x"),
    bare("after a mail address", "“⟦mailto:jane@a.example⟧”, «⟦mailto:jane@a.example⟧» ⟦mailto:jane@a.example⟧…"),
    bare("an ellipsis", "⟦http://a.example/b⟧…"),
    bare("a no-break space", "⟦http://a.example/b⟧\u00a0c"),
    bare("an ideographic space", "⟦http://a.example/b⟧\u3000c"),
    bare("a zero-width space", "⟦http://a.example/b⟧\u200bc"),
    bare("a byte order mark", "⟦http://a.example/b⟧\ufeffc"),
    bare("bidi controls", "\u202a⟦http://a.example/b⟧\u202c ⟦http://a.example/b⟧\u2066"),
    bare("a line separator", "⟦http://a.example/b⟧\u2028c"),
    bare("next line", "⟦http://a.example/b⟧\u0085c"),
    bare("a private character", "⟦http://a.example/b⟧\ue000"),
    bare("an em dash inside", "⟦http://a.example/b—c⟧ d"),
    bare("soft after a letter", "⟦http://a.example/é⟧. ⟦http://a.example/é⟧)"),
    bare("Arabic", "⟦http://a.example/مرحبا⟧؟"),
)

# 1.6 Unclosed wrappers

UNCLOSED = (
    bare("a blank line", "<URL:⟦http://a.example/b⟧ and so on\n\nSee x > y"),
    bare("a blank line right after the URL", "<URL:⟦http://a.example/b⟧\n\nSee x > y"),
    bare("a blank line with blanks", "<URL:⟦http://a.example/b⟧\n \t \nSee>"),
    bare("a blank line that is quoted", "> <URL:⟦http://a.example/b⟧\n>\n> See x> y"),
    case("another bracket", "<URL:⟦http://a.example/b⟧ and <URL:⟦http://a.example/c⟧>", form="bare wrapper"),
    case("another angle", "<URL:⟦http://a.example/b⟧ <⟦http://a.example/c⟧>", form="bare angle"),
    bare("the end of the text", "<URL:⟦http://a.example/b⟧"),
    bare("the end of the text in the next line", "<URL:⟦http://a.example/b⟧\nand more"),
    bare(
        "past the longest span",
        "<URL:⟦http://a.example/b⟧ " + "x" * 9000 + ">",
        rejects=(f"{'http://a.example/b ':x<8192}",),
    ),
    bare("an unclosed angle", "<⟦http://a.example/b⟧\n\nc>"),
    bare("an unclosed angle at the end", "<⟦http://a.example/b⟧"),
    case("what follows is found", "<URL:⟦http://a.example/b⟧ x\n\n<URL:⟦http://a.example/c\nd⟧> ⟦http://a.example/e⟧", "http://a.example/b", "http://a.example/cd", "http://a.example/e", form="bare wrapper bare"),
)

# 2.5 What real wrappers hold

ODD_WRAPPERS = (
    bare("nothing", "<URL:> and <URL: > and <URL:\n>", rejects=("", "", "")),
    bare("dots", "<URL:...>", rejects=("...",)),
    bare("no scheme", "<URL:a.example/b>", rejects=("a.example/b",)),
    bare("two URLs", "<URL:⟦ftp://a.example/a.ps⟧ or\nb.ascii>"),
    bare("two whole URLs", "<URL:⟦ftp://a.example/a.ps⟧ or\n⟦ftp://a.example/b.txt⟧>"),
    bare("two URLs, a letter whose second octet is a blank's", "<URL:⟦http://a.example/ą⟧ or\nb>"),
    bare("two URLs with and", "<URL:⟦ftp://a.example/a.ps⟧ and ⟦ftp://a.example/b.txt⟧>"),
    bare("no URL in it", "<URL:http://a..example/>", rejects=("http://a..example/",)),
)

# 2.2 Leaders

LEADERS: Mapping[str, tuple[str, str, str]] = {
    "none": ("", "", ""),
    "blanks": ("    ", "    ", "    "),
    "a tab": ("\t", "\t", "\t"),
    "> ": ("> ", "> ", "> "),
    ">": (">", ">", ">"),
    ">> ": (">> ", ">> ", ">> "),
    "> > ": ("> > ", "> > ", "> > "),
    ">>> > ": (">>> > ", ">>> > ", ">>> > "),
    "| ": ("| ", "| ", "| "),
    ": ": (": ", ": ", ": "),
    "JD> ": ("JD> ", "JD> ", "JD> "),
    "jd>> ": ("jd>> ", "jd>> ", "jd>> "),
    "> JD> ": ("> JD> ", "> JD> ", "> JD> "),
    "# ": ("# ", "# ", "# "),
    "## ": ("## ", "## ", "## "),
    "// ": ("// ", "// ", "// "),
    "/// ": ("/// ", "/// ", "/// "),
    " * ": (" * ", " * ", " * "),
    "/* ": ("/* ", " * ", " * "),
    "/** ": ("/** ", " * ", " * "),
    "; ": ("; ", "; ", "; "),
    ";; ": (";; ", ";; ", ";; "),
    ";;; then ;; ": (";;; ", ";; ", ";; "),
    "-- ": ("-- ", "-- ", "-- "),
    "% ": ("% ", "% ", "% "),
    "%% ": ("%% ", "%% ", "%% "),
    "dnl ": ("dnl ", "dnl ", "dnl "),
    '.\\" ': ('.\\" ', '.\\" ', '.\\" '),
    "line numbers": ("1222.  ", "1223.  ", "1224.  "),
    "line numbers over a power of ten": ("   99.  ", "  100.  ", "  101.  "),
    "line numbers with a colon": ("8: ", "9: ", "10: "),
    "line numbers with blanks": ("  8  ", "  9  ", " 10  "),
    "quoted line numbers": ("> 7. ", "> 8. ", "> 9. "),
    "quoted comment": ("> # ", "> # ", "> # "),
}
"""What the first, second and third line start with."""


LEADER_WRAPPERS = tuple(
    wrapper(f"{name!r} wrapper", f"{one}Text.\n{one}see <URL:⟦http://a.example/b\n{two}c/\n{three}d⟧> here\n", "http://a.example/bc/d")
    if "number" not in name
    else wrapper(f"{name!r} wrapper", f"{one}see <URL:⟦http://a.example/b\n{two}c/\n{three}d⟧> here\n", "http://a.example/bc/d")
    for name, (one, two, three) in LEADERS.items()
)
LEADER_ANGLES = tuple(
    angle(f"{name!r} angle", f"{one}see <⟦http://a.example/b\n{two}c/\n{three}d⟧> here\n", "http://a.example/bc/d")
    for name, (one, two, three) in LEADERS.items()
)
LEADER_OPENERS = tuple(
    wrapper(
        f"{name!r} break after URL:",
        f"{one}see <URL:\n{two}⟦http://a.example/b/\n{three}c⟧> here\n",
        "http://a.example/b/c",
    )
    for name, (one, two, three) in LEADERS.items()
)
LEADER_HYPHENS = tuple(
    wrapper(f"{name!r} hyphen", f"{one}see <URL:⟦http://a.example/b-\n{two}c⟧> here\n", ("http://a.example/b-c", "http://a.example/bc"))
    for name, (one, two, three) in LEADERS.items()
)
# A full line: where a list's marks could lead the lines as well, a short one does not go on.
LEADER_BARE = tuple(
    bare(
        f"{name!r} bare",
        f"{one}see the pages that were kept for us under ⟦http://a.example/archive/of/b/\n{two}c/d.html⟧ here\n",
        ("http://a.example/archive/of/b/c/d.html", "http://a.example/archive/of/b/"),
    )
    for name, (one, two, three) in LEADERS.items()
)
LEADER_PROSE = tuple(
    bare(f"{name!r} prose follows", f"{one}see ⟦http://a.example/b/⟧\n{two}and more\n")
    for name, (one, two, three) in LEADERS.items()
)

LEADERS_ODD = (
    wrapper("the leader's bracket is not the wrapper's", "> <URL:⟦http://a.example/b\n> c⟧>", "http://a.example/bc"),
    wrapper("the wrapper's bracket stands alone after the leader", "> <URL:⟦http://a.example/b⟧\n> >"),
    wrapper("a bracket at the line's start closes", "x <URL:⟦http://a.example/b⟧\n> c"),
    wrapper("one mark lost", ">> <URL:⟦http://a.example/b\n> c⟧>", "http://a.example/bc"),
    wrapper("all marks lost", "> <URL:⟦http://a.example/b\nc⟧>", "http://a.example/bc"),
    wrapper("another width of blanks", "> <URL:⟦http://a.example/b\n>     c⟧>", "http://a.example/bc"),
    wrapper("a blank less", "> > <URL:⟦http://a.example/b\n>> c⟧>", "http://a.example/bc"),
    wrapper("a mark is no leader where the first line has none", "<URL:⟦http://a.example/b\n# c⟧>", "http://a.example/b#c"),
    wrapper("slashes belong where the first line has none", "<URL:⟦http:\n//a.example/b⟧>", "http://a.example/b"),
    wrapper("slashes belong under another leader", "# <URL:⟦http:\n# //a.example/b⟧>", "http://a.example/b"),
    wrapper("a number that does not count up belongs", "1. see <URL:⟦http://a.example/b/\n1/c⟧>", "http://a.example/b/1/c"),
    wrapper("a number that is the text belongs", "1. see <URL:⟦http://a.example/b/\n   5⟧>", "http://a.example/b/5"),
    bare("a URL right after a line number", f"  8  ⟦{A}{LONG_PATH}\n  9  c.html⟧ d", (f"{A}{LONG_PATH}c.html", f"{A}{LONG_PATH}")),
    wrapper("line numbers go on after a page break", "  17.  <URL:⟦http://a.example/b\n  23.  c⟧>", "http://a.example/bc"),
    wrapper("a bullet is no leader of the next line", "* see <URL:⟦http://a.example/b\n  c⟧>", "http://a.example/bc"),
    wrapper("a reference number is no leader", "[1] see <URL:⟦http://a.example/b\n    c⟧>", "http://a.example/bc"),
)

# 2.3 Page furniture

_PAGE = "\n\n\nSolberg & Maas         Informational                   [Page 7]\n\f\nMemo 12            Keeping Links Whole            March 1996\n\n\n"
_PAGE_FF = "\n\nSolberg & Maas                                   [Page 7]\n\fMemo 12            Keeping Links Whole            March 1996\n\n"
_PAGE_SHORT = "\n\nSolberg & Maas             [Page 7]\n\f\nMemo 12       Links       March 1996\n\n"
_PAGE_ROMAN = "\n\nSolberg             [Page iv]\n\f\nMemo 12       Links       March 1996\n\n"


def _numbered(text: str, first: int = 1) -> str:
    return "".join(f"{number:5d}.  {line}\n" for number, line in enumerate(text.split("\n"), first))


FURNITURE = (
    wrapper("a page break", f"   see <URL:⟦http://a.example/b/{_PAGE}   c.html⟧> and", "http://a.example/b/c.html"),
    wrapper("the form feed before the header", f"   <URL:⟦http://a.example/b/{_PAGE_FF}   c.html⟧>", "http://a.example/b/c.html"),
    wrapper("few blank lines", f"<URL:⟦http://a.example/b{_PAGE_SHORT}c⟧>", "http://a.example/bc"),
    wrapper("a Roman page number", f"<URL:⟦http://a.example/b{_PAGE_ROMAN}c⟧>", "http://a.example/bc"),
    wrapper("right after URL:", f"   <URL:{_PAGE}   ⟦http://a.example/b⟧>"),
    wrapper("right before the bracket", f"   <URL:⟦http://a.example/b⟧{_PAGE}   >"),
    wrapper("after a hyphen", f"<URL:⟦http://a.example/b-{_PAGE}c⟧>", ("http://a.example/b-c", "http://a.example/bc")),
    wrapper("a break before and after", f"<URL:⟦http://a.example/\n  b/{_PAGE}  c/\n  d⟧>", "http://a.example/b/c/d"),
    angle("in an angle", f"   <⟦http://a.example/b/{_PAGE}   c.html⟧>", "http://a.example/b/c.html"),
    wrapper("no header line", "<URL:⟦http://a.example/b/\n\nMaas      [Page 7]\n\f\n   c.html⟧>", "http://a.example/b/c.html"),
    wrapper("with line numbers", _numbered(f"   <URL:⟦http://a.example/b/{_PAGE}   c.html⟧>", 90), "http://a.example/b/c.html"),
    wrapper("commented", "# <URL:⟦http://a.example/b/" + _PAGE.replace("\n", "\n# ") + "c.html⟧>", "http://a.example/b/c.html"),
    wrapper("quoted", "> <URL:⟦http://a.example/b/" + _PAGE.replace("\n", "\n> ") + "c.html⟧>", "http://a.example/b/c.html"),
    wrapper("CRLF", f"<URL:⟦http://a.example/b/{_PAGE}c⟧>".replace("\n", "\r\n"), "http://a.example/b/c"),
    bare("blank lines without a page break", "<URL:⟦http://a.example/b/⟧\n\n\nMemo 12\n\n   c.html>"),
)

# 2.4 The hyphen


def _readings(count: int) -> tuple[str, ...]:
    """All readings of `a-⏎b-⏎c…` with *count* breaks of which four at most are in doubt, fewest and last hyphens dropped first."""
    free = min(count, 4)
    choices = sorted(range(1 << free), key=lambda bits: (bits.bit_count(), tuple(bits >> n & 1 for n in range(free))))
    dropped = [{n for n in range(free) if bits >> n & 1} for bits in choices]
    return tuple(
        A + "".join(chr(97 + n) + ("" if n in drop else "-") for n in range(count)) + chr(97 + count) for drop in dropped
    )


HYPHEN = (
    wrapper("one: both readings, the hyphen kept first", "<URL:⟦http://a.example/b-\nc⟧>", ("http://a.example/b-c", "http://a.example/bc")),
    wrapper("two", "<URL:⟦http://a.example/b-\nc-\nd⟧>", ("http://a.example/b-c-d", "http://a.example/b-cd", "http://a.example/bc-d", "http://a.example/bcd")),
    wrapper("in the host", "<URL:⟦http://www.exam-\nple.example/⟧>", ("http://www.exam-ple.example/", "http://www.example.example/")),
    wrapper("the grammar rules the hyphen out", "<URL:⟦http://www-\n.a.example/⟧>", "http://www.a.example/"),
    wrapper("the grammar rules it out before a slash", "<URL:⟦http://a.exam-\nple-\n/b⟧>", ("http://a.exam-ple/b", "http://a.example/b")),
    wrapper("the grammar rules it out in a port", "<URL:⟦http://a.example:80-\n80/b⟧>", "http://a.example:8080/b"),
    wrapper("the grammar needs the reading that keeps it", "<URL:⟦http://a.example/%-\n20⟧>", "http://a.example/%20"),
    wrapper("a blank after the hyphen", "<URL:⟦http://a.example/b- \n c⟧>", ("http://a.example/b-c", "http://a.example/bc")),
    wrapper("a hyphen starts the next line", "<URL:⟦http://a.example/b\n-c⟧>", "http://a.example/b-c"),
    wrapper("a hyphen inside the line", "<URL:⟦http://a.example/b-c\nd⟧>", "http://a.example/b-cd"),
    wrapper("a hyphen and a blank inside the line", "<URL:⟦http://a.example/b- c⟧>", "http://a.example/b-c"),
    wrapper("a hyphen before the bracket's line", "<URL:⟦http://a.example/b-⟧\n>"),
    wrapper("two hyphens at the line's end", "<URL:⟦http://a.example/b--\nc⟧>", ("http://a.example/b--c", "http://a.example/b-c")),
    wrapper("CRLF", "<URL:⟦http://a.example/b-\r\nc⟧>", ("http://a.example/b-c", "http://a.example/bc")),
    wrapper("quoted", "> <URL:⟦http://a.example/b-\n> c⟧>", ("http://a.example/b-c", "http://a.example/bc")),
    angle("in an angle", "<⟦http://a.example/b-\nc⟧>", ("http://a.example/b-c", "http://a.example/bc")),
    wrapper("soft hyphen", "<URL:⟦http://a.example/b\u00ad\nc⟧>", "http://a.example/bc"),
    wrapper("soft hyphen inside the line", "<URL:⟦http://a.example/b\u00adc⟧>", "http://a.example/bc"),
    wrapper("U+2010", "<URL:⟦http://a.example/b\u2010\nc⟧>", ("http://a.example/b-c", "http://a.example/bc")),
    wrapper("a hyphen and a U+2010", "<URL:⟦http://a.example/b-\nc\u2010\nd⟧>", ("http://a.example/b-c-d", "http://a.example/b-cd", "http://a.example/bc-d", "http://a.example/bcd")),
    *(
        wrapper(f"{count} hyphens, {min(2**count, 16)} readings", "<URL:⟦http://a.example/" + "-\n".join("abcdef"[: count + 1]) + "⟧>", _readings(count))
        for count in range(1, 6)
    ),
)

# 2.6 Soft line breaks of quoted-printable that was never decoded


def _full(line: str) -> str:
    """Return *line* behind so much text that it has 76 characters, as the marks are taken out."""
    return f"{'See the pages that were kept under all of these addresses: ':x>{76 - len(line.replace(OPEN, ''))}}{line}"


_SIGNS = "Caf=\n=20\n<a href=3D1>\n"

SOFT_BREAKS = (
    bare("a line of 76 characters", _full("⟦http://a.example/b=") + "\nc.html⟧ and", ("http://a.example/bc.html", "http://a.example/b=")),
    bare("in the host", _full("⟦http://a.exa=") + "\nmple/b⟧ and", ("http://a.example/b", "http://a.exa")),
    bare("after the slashes", _full("⟦http://=") + "\na.example⟧\n--", "http://a.example"),
    bare("twice", _full("⟦http://a.example/b=") + "\n" + "c" * 75 + "=\nd⟧ e", ("http://a.example/b" + "c" * 75 + "d", "http://a.example/b=")),
    bare("quoted", _full("> ⟦http://a.example/b=") .replace("See the", "> e the", 1) + "\n> c⟧ d", ("http://a.example/bc", "http://a.example/b=")),
    bare("signs of it nearby", f"{_SIGNS}⟦http://a.example/b=\nc.html⟧ and", ("http://a.example/bc.html", "http://a.example/b=")),
    bare("a shorter line", "see ⟦http://a.example/b?c=⟧\nThe next"),
    bare("a rule line is no sign", "=====\n======\n⟦http://a.example/b?c=⟧\nThe next\n======\n"),
    bare("a rule behind the URL", _full("⟦http://a.example/b?======⟧") + "\nThe next"),
    bare("lines that are all as wide", _full("⟦http://a.example/b?c=") + "\n" + "d/" * 38 + "⟧\nThe next", ("http://a.example/b?c=" + "d/" * 38, "http://a.example/b?c=")),
    angle("in an angle", _full("<⟦http://a.exam=") + "\nple/b⟧>", "http://a.example/b"),
    angle("in an angle, twice", _full("<⟦http://a.exam=") + "\n" + "ple/" + "b" * 71 + "=\nc⟧>", "http://a.example/" + "b" * 71 + "c"),
    angle("in an angle, quoted", f"> {_SIGNS}> <⟦mailto:jane@a.exam=\n> ple⟧>", "mailto:jane@a.example"),
    angle("in an angle, a parameter's equals sign", "<⟦http://a.example/?b=\nc⟧>", "http://a.example/?b=c"),
    angle("in an angle, where others stand plain", f"{_SIGNS}<⟦http://a.example/?b=x&c=\nd⟧>", "http://a.example/?b=x&c=d"),
    angle("in an angle, lines that are all as wide", _full("<⟦http://a.example/b?c=") + "\n" + "d/" * 38 + "\ne⟧>", "http://a.example/b?c=" + "d/" * 38 + "e"),
    wrapper("in a wrapper", _full("<URL:⟦http://a.example/b=") + "\nc⟧>", "http://a.example/bc"),
    wrapper("in a wrapper, then blanks", f"{_SIGNS}<URL:⟦http://a.example/b= \nc⟧>", "http://a.example/bc"),
)

# 2.1, 2.4, 2.6 Bare URLs over line ends: for now the simple rule

BARE_JOINED = (
    bare("after a slash", "see ⟦http://a.example/b/\nc.html⟧ here", ("http://a.example/b/c.html", "http://a.example/b/")),
    bare("after a slash, then a full stop", "⟦http://a.example/b/\nc.html⟧.", ("http://a.example/b/c.html", "http://a.example/b/")),
    bare("after a slash, in brackets", "(⟦http://a.example/b/\nc/d⟧)", ("http://a.example/b/c/d", "http://a.example/b/")),
    bare("twice", "⟦http://a.example/b/\nc/d/\ne.html⟧ f", ("http://a.example/b/c/d/e.html", "http://a.example/b/")),
    bare("after a hyphen", "⟦http://a.example/a/path/that/is/long/and/fills/the/line/b-\nc.html⟧ d", ("http://a.example/a/path/that/is/long/and/fills/the/line/b-c.html", "http://a.example/a/path/that/is/long/and/fills/the/line/bc.html", "http://a.example/a/path/that/is/long/and/fills/the/line/b-")),
    bare("after a U+2010", "⟦http://a.example/a/path/that/is/long/and/fills/the/line/b\u2010\nc.html⟧ d", ("http://a.example/a/path/that/is/long/and/fills/the/line/b-c.html", "http://a.example/a/path/that/is/long/and/fills/the/line/bc.html", "http://a.example/a/path/that/is/long/and/fills/the/line/b\u2010")),
    prefix("prefix", "URL:⟦http://a.example/b/\nc.html⟧", ("http://a.example/b/c.html", "http://a.example/b/")),
    bare("indented", "  ⟦http://a.example/b/\n  c.html⟧", ("http://a.example/b/c.html", "http://a.example/b/")),
    bare("CRLF", "⟦http://a.example/b/\r\nc.html⟧", ("http://a.example/b/c.html", "http://a.example/b/")),
    bare("after the scheme", "⟦http:\n//a.example/b⟧ c", "http://a.example/b"),
    bare("after the slashes", "⟦https://\na.example⟧ c", "https://a.example"),
    bare("after the slashes, quoted", "> ⟦https://\n> a.example/b⟧ c", "https://a.example/b"),
    bare("between the slashes", "⟦ftp:/\n/a.example/b⟧ c", "ftp://a.example/b"),
    bare("after a soft hyphen", "⟦http://a.exam\u00adple/a/path/that/is/long/and/fills/the/line/b\u00ad\nc\u00ad.html⟧\u00ad d", ("http://a.example/a/path/that/is/long/and/fills/the/line/bc.html", "http://a.example/a/path/that/is/long/and/fills/the/line/b")),
    bare("a letter whose second octet is a soft hyphen's", "⟦http://a.example/b-\njardí⟧\nand", ("http://a.example/b-jardí", "http://a.example/bjardí", "http://a.example/b-")),
    bare("a letter beyond ASCII first", "⟦http://a.example/a/path/that/is/long/and/fills/the/line/b-\nétape.html⟧ c", ("http://a.example/a/path/that/is/long/and/fills/the/line/b-étape.html", "http://a.example/a/path/that/is/long/and/fills/the/line/bétape.html", "http://a.example/a/path/that/is/long/and/fills/the/line/b-")),
    bare("then a no-break space", "⟦http://a.example/a/path/that/is/long/and/fills/the/line/b/\nc.html⟧\u00a0d", ("http://a.example/a/path/that/is/long/and/fills/the/line/b/c.html", "http://a.example/a/path/that/is/long/and/fills/the/line/b/")),
    bare("then a curly quote", "“⟦http://a.example/a/path/that/is/long/and/fills/the/line/b/\nc.html⟧”, d", ("http://a.example/a/path/that/is/long/and/fills/the/line/b/c.html", "http://a.example/a/path/that/is/long/and/fills/the/line/b/")),
    bare("two in a row", "⟦http://a.example/b/\nc.html⟧ and ⟦http://a.example/d/\ne.html⟧", ("http://a.example/b/c.html", "http://a.example/b/"), ("http://a.example/d/e.html", "http://a.example/d/")),
)

BARE_UNJOINED = (
    bare("a word follows", "⟦http://a.example/b/⟧\nThe next sentence"),
    bare("a word follows, no slash", "⟦http://a.example/b⟧\nand more"),
    bare("a word and a full stop follow", "⟦http://a.example/b/⟧\nthere."),
    bare("a full stop ends it", "⟦http://a.example/b/⟧.\nc/d.html"),
    bare("a blank line follows", "⟦http://a.example/b/⟧\n\nc.html"),
    bare("a URL follows", "⟦http://a.example/b/⟧\n⟦http://a.example/c⟧"),
    bare("a mailto follows", "⟦http://a.example/b/⟧\n⟦mailto:jane@a.example⟧"),
    case("a prefix follows", "⟦http://a.example/b/⟧\nURL:⟦http://a.example/c⟧", form="bare prefix"),
    case("a wrapper follows", "⟦http://a.example/b/⟧\n<URL:⟦http://a.example/c⟧>", form="bare wrapper"),
    bare("a hyphen and a word in the same line", "⟦http://a.example/b-⟧ c\nd"),
    bare("a rule line after a slash", "⟦http://a.example/b/⟧\n-----\nc"),
    bare("a rule line after a hyphen", "⟦http://a.example/b-⟧\n------\nc"),
    bare("a rule line that is quoted", "> ⟦http://a.example/b/⟧\n>=====\n> c"),
    bare("a rule line of equals signs", "⟦http://a.example/b/⟧\n=====\n"),
    bare("a rule line of underscores", "⟦http://a.example/b-⟧\n_____\n"),
    bare("a bullet -", "- ⟦http://a.example/b/⟧\n- c/d.html"),
    bare("a bullet *", "* ⟦http://a.example/b/⟧\n* c/d.html"),
    bare("a numbered item", "1. ⟦http://a.example/b/⟧\n2. c/d.html"),
    bare("a bullet o", "o ⟦http://a.example/b/⟧\no c/d.html"),
    bare("a bullet after a hyphen", "⟦http://a.example/b-⟧\n- c"),
    *(bare(f"{mark} after a hyphen", f"⟦http://a.example/b-⟧\n{mark}c x") for mark in "•“°–…»"),
    *(bare(f"{mark} after a hyphen, then a blank", f"⟦http://a.example/b-⟧\n{mark} c") for mark in "•“°–…»"),
    bare("a dash after a joined line", "⟦http://a.example/b-\nc-⟧\n– d", ("http://a.example/b-c-", "http://a.example/bc-", "http://a.example/b-")),
    bare("a word, then no-break spaces", "⟦http://a.example/b/⟧\ntoo\u00a0\u00a0&nbspbad&it's;too;late\n"),
    bare("a rule line as the URL's own end", "⟦http://a.example/b---⟧\nc.html"),
    bare("a signature", "⟦http://a.example/b/⟧\n-- \nJane"),
    bare("the text ends", "⟦http://a.example/b/⟧\n"),
    bare("a closing bracket", "(⟦http://a.example/b/⟧)\nc/d.html"),
    bare("in quotes", '"⟦http://a.example/b/⟧"\nc/d.html'),
)

# 3.1 and 8: refused, never a valid prefix of itself

REFUSED = (
    bare("an escape that is none", "http://a.example/%zz b", rejects=("http://a.example/%zz",)),
    bare("an IPv6 literal never closed", "http://[::1/ b", rejects=("http://[::1/",)),
    bare("a port that is none", "http://a.example:port/ b", rejects=("http://a.example:port/",)),
    bare("a port out of range", "http://a.example:99999/ b", rejects=("http://a.example:99999/",)),
    bare("two dots in the host", "http://a..example/ b", rejects=("http://a..example/",)),
    bare("a hyphen before the host", "http://-a.example/ b", rejects=("http://-a.example/",)),
    wrapper("a refused one swallows nothing", "http://a..example/ <URL:⟦http://a.example/b⟧>", rejects=("http://a..example/",)),
    bare("http://http://http://", "⟦http://http://http://⟧ b"),
)

# 8: what users have been bitten by elsewhere, where it is not above

BITTEN = (
    bare("com.com.com.", "com.com.com. " + "com." * 300 + " ⟦http://a.example/b⟧"),
    bare("((((", "(" * 300 + "⟦http://a.example/b⟧" + ")" * 300),
    bare("a long line", "a-" * 3000 + " ⟦http://a.example/b⟧ " + "a.a" * 3000),
    bare("a long URL", "⟦http://a.example/" + "b/" * 3000 + "⟧ c"),
    bare("closing brackets and quotes", "⟦http://a.example/b⟧). ⟦http://a.example/b⟧> \"⟦http://a.example/b⟧\" '⟦http://a.example/b⟧' ⟦http://a.example/b⟧…"),
    bare("percent-decoding changes nothing", "⟦http://a.example/%41%2F%2f%7E⟧"),
    wrapper("a quoted wrapper", "> see <URL:⟦http://a.example/b/\n> c.html⟧> now", "http://a.example/b/c.html"),
    wrapper("a blank after URL:", "<URL: ⟦http://a.example/b⟧>"),
    bare("every kind in one text", "⟦http://a.example/1⟧\n\n⟦ftp://a.example/2⟧ ⟦mailto:j@a.example⟧"),
)

# 9: defanged URLs, refused and refanged

DEFANGED = (
    *(bare(name, f"see {text} b", rejects=(text,)) for name, text in (
        ("hxxp", "hxxp://a.example/b"),
        ("hXXps", "hXXps://a.example"),
        ("fxp", "fxp://a.example/pub/b"),
        ("[.]", "http://a[.]example/b"),
        ("(.)", "https://a(.)example"),
        ("{.}", "ftp://a{.}example/b"),
        ("[dot]", "http://a[dot]example/b"),
        ("( DOT )", "http://a( DOT )example/b"),
        ("a backslash", "http://a\\.example/b"),
        ("[:]//", "http[:]//a.example/b"),
        ("[://]", "hxxps[://]a[.]example/b"),
        (":[/][/]", "http:[/][/]a.example/b"),
        ("[at]", "ftp://jane[at]a.example/b"),
        ("a port", "http://a[.]example:8080/b"),
        ("not in a path alone", "hxxp://a.example/b[.]c"),
    )),
    angle("in an angle", "<hxxp://a[.]example/b\nc>", rejects=("hxxp://a[.]example/bc",)),
    wrapper("in a wrapper", "<URL:http://a[.]example/b>", rejects=("http://a[.]example/b",)),
    bare("a path is not defanged", "⟦http://a.example/b(dot)c⟧ ⟦http://a.example/b[.]c⟧"),
    bare("an IPv6 address is not", "⟦http://[2001:db8::1]/⟧"),
    bare("a footnote is not", "http://a.example[1] b", rejects=("http://a.example[1]",)),
    bare("a backslash at the end is not", "⟦http://a.example⟧\\ b ⟦http://b.example⟧\\. c"),
    bare("without a scheme it is no candidate", "a[.]example/b jane[at]a.example"),
)

REFANGED = (
    refang("hxxp", "see ⟦hxxp://a.example/b⟧.", "http://a.example/b"),
    refang("hXXps", "(⟦hXXps://a.example⟧)", "https://a.example"),
    refang("fxp", "⟦fxp://a.example/pub/b⟧", "ftp://a.example/pub/b"),
    refang("every bracket", "⟦http://a[.]b(.)c{.}example/b⟧", "http://a.b.c.example/b"),
    refang("every dot", "⟦http://a[dot]b( DOT )c[ . ]example/b⟧", "http://a.b.c.example/b"),
    refang("a backslash", "⟦hxxp://a\\.b\\.example/b⟧\\.c", "http://a.b.example/b"),
    refang("[:]//", "⟦hxxp[:]//a.example/b⟧", "http://a.example/b"),
    refang("[://]", "⟦hxxp[://]a[.]example/b⟧", "http://a.example/b"),
    refang("[:][/][/]", "⟦https[:][/][/]a[.]example/b⟧ ⟦https:[//]a.example⟧ ⟦https:/[/]a.example⟧", "https://a.example/b", "https://a.example", "https://a.example"),
    refang("[at]", "⟦ftp://jane[at]a[.]example/b⟧", "ftp://jane@a.example/b"),
    refang("ports", "⟦hxxp://a[.]example:8080/b⟧ ⟦hxxp://a[.]example[:]8080/b⟧", "http://a.example:8080/b", "http://a.example:8080/b"),
    refang("a number with a scheme", "⟦hxxp://192[.]0[.]2[.]1/b⟧", "http://192.0.2.1/b"),
    refang("a path stays", "⟦hxxp://a[.]example/b[.]c?d(dot)e⟧", "http://a.example/b[.]c?d(dot)e"),
    refang("beyond ASCII", "⟦hxxp://b\u00fccher[.]example/\u00fc⟧ ⟦hxxp://a[.]b\u00fccher[.]example/⟧", "http://b\u00fccher.example/\u00fc", "http://a.b\u00fccher.example/"),
    refang("in an angle", "<⟦hxxp://a[.]example/b\nc⟧>", "http://a.example/bc"),
    refang("torn in its host", "<URL:⟦hxxp://a[.]exam\n  ple/b⟧>", "http://a.example/b"),
    refang("quoted", "> <URL:⟦hxxp://a[.]example/b\n> c⟧>", "http://a.example/bc"),
    refang("a hyphen", "<⟦hxxp://a-\nb[.]example/⟧>", ("http://a-b.example/", "http://ab.example/")),
    refang("glued mark-up", "⟦fxp://a[.]example/b⟧{p}", "ftp://a.example/b"),
    refang("over a line end", "The page is ⟦hxxps://a[.]example/archive/of/the/pages/that/were/kept/under/b/c-\nd.html⟧ now", ("https://a.example/archive/of/the/pages/that/were/kept/under/b/c-d.html", "https://a.example/archive/of/the/pages/that/were/kept/under/b/cd.html", "https://a.example/archive/of/the/pages/that/were/kept/under/b/c-")),
    refang("others stay as they are", "⟦http://a.example/b⟧ ⟦hxxp://a.example/b⟧", "http://a.example/b", "http://a.example/b", form="bare defanged"),
    refang("what is no URL refanged", "hxxp://a[.]-example/ b", rejects=("http://a.-example/",)),
)

# 9: hosts without a scheme

SCHEMELESS = (
    schemeless("www", "see ⟦www.a.example⟧. And"),
    schemeless("www, any letters", "(⟦WWW.A.Example⟧)"),
    schemeless("a path", "see ⟦www.a.example/b_(c)⟧, or ⟦a.com/b?c=d#e⟧"),
    schemeless("a port", "⟦www.a.example:8080/b⟧ ⟦a.com:80⟧"),
    schemeless("a host alone", "see ⟦a-b.com⟧, ⟦ab.co.uk⟧ and ⟦ab.de⟧!"),
    schemeless("in brackets and quotes", '<⟦www.a.com/b⟧> "⟦www.a.com⟧" (⟦a.org⟧) [⟦www.a.com/b⟧](⟦www.a.com/b⟧)'),
    schemeless("behind a word", "Web:⟦www.a.example/b⟧ URL:⟦www.a.example⟧"),
    schemeless("emphasis", "_⟦www.a.com⟧_ *⟦www.a.com/b⟧* #⟦www.a.com⟧#"),
    schemeless("the next sentence", "see ⟦www.a.com⟧.Then"),
    schemeless("a possessive", "⟦ab.com⟧'s and ⟦www.a.com⟧'s"),
    schemeless("beyond ASCII", "⟦bücher.de/übung⟧ ⟦www.ünïcode.org⟧ ⟦foo.香港⟧ ⟦ab.xn--j6w193g⟧"),
    schemeless("glued beyond ASCII", "请看⟦www.a.com/b⟧。和⟦ab.com⟧以"),
    schemeless("a file ending with a path", "⟦docs.rs/serde/latest⟧ ⟦ab.com.pl⟧"),
    schemeless("brackets pair within one part (UTS #58)", "⟦ab.com/c(d/e⟧)f"),
    schemeless("one number sign (RFC 3986)", "⟦ab.com/c#d#e⟧", "http://ab.com/c#d%23e"),
    schemeless("files", "setup.py file.name README.md node.js run.sh a.zip libc.so main.rs Makefile.in command.com"),
    schemeless("abbreviations and numbers", "e.g. i.e. 12.30 U.S. a.m. Ph.D. et.al 1.2.3.4 v1.in"),
    schemeless("packages and newsgroups", "org.apache.commons.io com.foo.net java.net sci.space rec.games.video"),
    schemeless("code", "self.name os.name reactor.run() foo.id = x; window.open(a) obj.data connect('ab.com')"),
    schemeless("a log", "Received: from mx.ab.com (mx.ab.com [192.0.2.1])\n12:30:01 ab.com up\nrelay=mx.ab.com"),
    schemeless("a header", "Path: news.ab.com!mx.ab.com!jane\nX-Host: ab.com"),
    schemeless("two sentences", "the end.It was.So what.Then"),
    schemeless("suffixes alone", "co.uk www. com gov.uk"),
    schemeless("a part of an address", "jane@ab.com jane at ab.com <jane at ab.com> jane<at> ab.com"),
    schemeless("a part of a path", "/usr/lib/ab.com c:\\ab.com a/www.ab.com"),
    schemeless("a copy's source", "jane@ab.com:/b ab.com:b"),
    schemeless("two hosts", "ab.com/cd.com"),
    schemeless("no host", ".ab.com a..com -.com a-.com _a.com a_b.com"),
    bare("a part of another URL", "⟦http://a.example/www.b.com/c.com⟧ ⟦http://a.example/?b=www.c.com⟧", options=("schemeless",)),
    bare("beside another URL", "⟦http://a.example/b⟧ ⟦www.c.com⟧", A + "b", "http://www.c.com", form="bare schemeless", options=("schemeless",)),
    schemeless("at the end of a line", "see ⟦www.a.example⟧\nfor more, and ⟦www.a.example/b/⟧\nThen"),
    schemeless(
        "joined",
        "It is at ⟦www.a.example/archive/of/the/pages/that/were/kept/under/\nb/c/d.html⟧ and\nmore there.\n",
        ("http://www.a.example/archive/of/the/pages/that/were/kept/under/b/c/d.html",
         "http://www.a.example/archive/of/the/pages/that/were/kept/under/"),
    ),
)

# 9: mail addresses

ADDRESSES = (
    address("plain", "write to ⟦jane@a.example⟧, or <⟦jane.doe+b@a-b.co.uk⟧>."),
    address("beside words", "mail:⟦jane@a.com⟧ 'jane' '⟦jane@a.com⟧' (⟦o'hara@a.com⟧)"),
    address("beyond ASCII", "⟦jürgen@a.example⟧ ⟦jane@bücher.de⟧ ⟦アルベルト.x@example.com⟧"),
    address("before a path or port", "⟦jane@a.com⟧/b ⟦jane@a.com⟧:80"),
    address("not one", "@a.com .jane@a.com jane.@a.com ja..ne@a.com jane@a jane@a.1 icon@2x.png a@b@c.com"),
    address("a copy's source", "git@a.com:b/c.git jane@a.com:/b"),
    address("a Message-ID", "Message-ID: <b@a.example>\nIn article <12345@a.example>, Jane\n<20010203.AA1234@a.example>"),
    address("hidden in a header", "From: ⟦jane at a.example⟧ (Jane Doe)\n> To: ⟦j.doe at a.example⟧", "mailto:jane@a.example", "mailto:j.doe@a.example"),
    address("hidden in brackets", "<⟦jane at a.example⟧>", "mailto:jane@a.example"),
    address("hidden before words", "⟦jane at a.example⟧ wrote:", "mailto:jane@a.example"),
    address("no hidden one", "meet jane at a.example today, look at www.a.example"),
    bare("a part of a URL", "⟦http://jane@a.example/b@c.com⟧ ⟦mailto:jane@a.example⟧", options=("addresses",)),
    both("with hosts", "⟦jane@a.com⟧ ⟦www.a.com⟧", "mailto:jane@a.com", "http://www.a.com", form="address schemeless"),
)

REFANGED_WITHOUT_SCHEME = tuple(
    replace(one, options=("refang", "schemeless", "addresses"))
    for one in (
        refang("a host alone", "the host ⟦bad[.]example[.]com⟧ resolved", "http://bad.example.com"),
        refang("a host with a path", "⟦bad(dot)example(dot)org/path/x⟧ and ⟦bad\\.example\\.com/x⟧.", "http://bad.example.org/path/x", "http://bad.example.com/x"),
        refang("some dots only", "⟦evil.co[.]uk/x⟧ ⟦www.evil.co[.]uk⟧ ⟦www[.]bad.com⟧", "http://evil.co.uk/x", "http://www.evil.co.uk", "http://www.bad.com"),
        refang("a file ending", "⟦bad[.]zip⟧", "http://bad.zip"),
        refang("ports", "⟦a[.]example:8080/b⟧ ⟦a[.]example[:]80⟧", "http://a.example:8080/b", "http://a.example:80"),
        refang("addresses", "⟦jane[at]a[.]example⟧, ⟦jane@a[.]com⟧; ⟦jane(at)a(dot)example⟧. mailto:⟦jane[at]bad.com⟧", "mailto:jane@a.example", "mailto:jane@a.com", "mailto:jane@a.example", "mailto:jane@bad.com"),
        refang("mailto", "⟦mailto:jane@bad[.]com?subject=x⟧", "mailto:jane@bad.com?subject=x"),
        refang("in an angle", "<⟦a[.]example/b⟧>", "http://a.example/b"),
        refang("over a line end", "⟦a[.]example/archive/of/the/pages/that/were/kept/under/the/name/of/b/\nc.html⟧ x", ("http://a.example/archive/of/the/pages/that/were/kept/under/the/name/of/b/c.html", "http://a.example/archive/of/the/pages/that/were/kept/under/the/name/of/b/")),
        refang("a number alone is none", "192[.]0[.]2[.]17 is 1[.]2[.]3[.]4/x"),
        refang("patterns and code are none", "^[a-z][.][0-9]+$ f(x)[.] list[dot] as re.compile(r'foo\\.bar\\.baz\\(') arr[i][.5] = x[.]y C:\\.config\\.cache"),
        refang("prose is none", "He said (dot) and (at) noon, e.g[.] this, i.e[.] that, version 2[.]10[.]4"),
    )
)

TABLES: Mapping[str, tuple[Case, ...]] = {
    "1.1 wrapper": WRAPPER,
    "1.1 broken": WRAPPER_BROKEN,
    "1.2 angle": ANGLE,
    "1.3 prefix": PREFIX,
    "1.4 bare": BARE_START,
    "1.4 no URL": NO_URL,
    "1.5 soft": SOFT,
    "1.5 brackets": BRACKETS,
    "1.5 hard": HARD,
    "1.5 the end of a host": HOST,
    "1.5 beyond ASCII": BEYOND_ASCII,
    "1.6 unclosed": UNCLOSED,
    "2.1 joined": BARE_JOINED,
    "2.1 not joined": BARE_UNJOINED,
    "2.2 wrapper": LEADER_WRAPPERS,
    "2.2 angle": LEADER_ANGLES,
    "2.2 after URL:": LEADER_OPENERS,
    "2.2 hyphen": LEADER_HYPHENS,
    "2.2 bare": LEADER_BARE,
    "2.2 prose": LEADER_PROSE,
    "2.2 odd": LEADERS_ODD,
    "2.3 furniture": FURNITURE,
    "2.4 hyphen": HYPHEN,
    "2.5 odd wrappers": ODD_WRAPPERS,
    "2.6 soft breaks": SOFT_BREAKS,
    "2.7 hidden": HIDDEN,
    "3.1 refused": REFUSED,
    "8 bitten": BITTEN,
    "9 defanged": DEFANGED,
    "9 refanged": REFANGED,
    "9 refanged without a scheme": REFANGED_WITHOUT_SCHEME,
    "9 schemeless": SCHEMELESS,
    "9 addresses": ADDRESSES,
}

CASES: Mapping[str, Case] = {f"{table}: {one.name}": one for table, cases in TABLES.items() for one in cases}
"""Every case by its name."""

assert len(CASES) == sum(map(len, TABLES.values())), "two cases of a table have the same name"
