"""Plain URLs, which go the short way, are found as the long way finds them; and triggers as the naive pattern does."""

import importlib.util
import itertools
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cases import CASES
from urlmend import WEB, Profile, Rejected, Scanner, URLMatch
from urlmend.grammar.parser import accepts, departures, parse
from urlmend.match import scheme_host_departures
from urlmend.scan.ordinary import ORDINARY, plain_or_trigger
from urlmend.scan.triggers import MAX_SCHEME_LENGTH, MAY_BE_SPLIT, trigger
from urlmend.text.schemes import OPAQUE_SCHEMES, either_case

ROOT = Path(__file__).parent.parent
SLOW = Profile("WEB", WEB.departures)
"""A profile equal to WEB, but another one: with it every URL goes the long way."""

NAIVE = re.compile(
    ":(?:"
    r"(?P<slashes>//)(?<=[A-Za-z0-9+.\-]://)"
    rf"|(?P<wrapper>(?<={either_case('url')}:))"
    r"|(?P<split>(?<=[A-Za-z0-9]:)/?[ \t]*[\r\n])"
    "|(?P<opaque>"
    + "|".join(
        rf"(?<={scheme.name if scheme.lower_case else either_case(scheme.name)}:){scheme.shape}"
        for scheme in OPAQUE_SCHEMES
    )
    + ")"
    "|(?P<opening>" + "|".join(f"(?<=<{either_case(scheme.name)}:)" for scheme in OPAQUE_SCHEMES) + "))",
    re.ASCII,
)
"""What betrays a URL, written down without a thought of speed."""

LEFTS = (
    "",
    " ",
    "<",
    "(",
    '"',
    "'",
    "_",
    "x",
    ".",
    ":",
    "URL:",
    "<URL:",
    "&lt;",
    "é",
    "[a](",
    "> ",
    "12. ",
    "<\n",
    "*",
)
URLS = (
    *(
        "http://a.example",
        "https://a.example/",
        "http://a.example/b",
        "http://a.example:80/b",
        "http://a.example:99999/",
    ),
    *("http://1.2.3.4/b", "http://a..example/b", "http://-a.example/", "http://a.example./b", "http://a-.example/"),
    *(
        "http://a.example/b-",
        "http://a.example/b_",
        "http://a.example/b~",
        "http://a.example/b@",
        "http://a.example/b=",
    ),
    *("http://a.example/b/", "http://a.example/b?c=d&e=f", "http://a.example/b?c=3D", "http://a.example/&lt;b"),
    *(
        "http://a.example/%41",
        "http://a.example/%4",
        "http://a.example/b#c",
        "http://a.example/b#c#d",
        "HTTP://a.example/b",
    ),
    *(
        "http://jane@a.example/b",
        "http://a.example/b'c",
        "http://a.example/b(c)",
        "http://a.example/b,c",
        "http://b/c:d",
    ),
    *(
        "http://a.example/b?",
        "http://a.example/#",
        "http://www",
        "http://www.",
        "http://a.example?b",
        "http://a_b.example/",
    ),
    *(
        "http://a.example/bé",
        "http://é.example/",
        "http://a.example/b|c",
        "http://a.example/b--",
        "ftp://a.example/b",
        "ftp://a.example/b;type=a",
        "ftp://a.example",
        "ftp://x?y@a.example/",
    ),
    *(
        "http://a.example/b.html",
        "http://a.example/b&amp;c=d",
        "http://a.example/http://b.example/c",
        "http://a.example/+",
    ),
    *(
        "http://a.example/0,16,b;c=d?e,f;g",
        "http://a.example/b,http://c.example/",
        "http://a.example,b@c.example/",
        "http://a.example:80;b",
        "http://a.example,",
        "ftp://a.example/b;c",
        f"ftp://a.example/{'b' * 300};c",
        "ftp://a.example/b,c",
    ),
    *(
        "http://1.2.3.256/",
        "http://01.2.3.4/",
        "http://1.2.3.4.5/",
        "https://255.0.0.1:80",
        "git://a.example/b.git",
        "imaps://a.example/b;c",
        "svn://a.example",
    ),
    *(
        "mailto:jane@a.example",
        "mailto:jane.doe@a-b.example",
        "mailto:jane@a.example:80",
        "mailto:a@b.example,c@d.example",
        "mailto:jane@a.example?subject=b",
        "mailto:.jane@a.example",
        "Mailto:jane@a.example",
    ),
    *(
        "news:comp.lang.c",
        "news:comp.lang.c++",
        "news:a@b.example",
        "news:a..b",
        "news:a@b.example:80",
        "sip:jane@a.example",
        "sips:jane@a.example;transport=tcp",
        "sip:jane@a.example:5060",
        "sip:a.example",
        "sips:a.example:80",
        "mailto:jane@a.example?subject=b%20c&d=e,f;g",
    ),
    *(
        "urn:ietf:rfc:1738",
        "urn:a-b:c/d?e#f",
        "urn:ab:c:",
        "urn:ab:%zz",
        "urn:ab:c-",
        "urn:a:b",
    ),
    *("http://", "https://", "ftp://", "sftp://", "+http://", "http:///"),
)
TAILS = (
    "",
    ".",
    ",",
    "?",
    ")",
    "]",
    ">",
    '"',
    "'",
    "'s",
    "...",
    ".)",
    ",;",
    "&gt;",
    "<br>",
    "*",
    "é",
    "\x00",
    "}",
    "\f",
    "`",
    "\\",
    ",http://b.example",
    ".;ftp://b.example/",
    ",URL:http://b.example",
    "<",
    "Ã",
    "ÿ",
)
NEXTS = (
    *(
        "",
        " ",
        " and so",
        "\n",
        " \n",
        "\nand so",
        "\nword.",
        "\nand\n",
        "\n\nand so",
        "\n\n\n[Page 3]\n\f\nRFC 1\n\nb.html c",
    ),
    *(
        "\nb/c.html d",
        "\nb.html",
        "\n> b/c.html d",
        "\n> word on",
        "\n>\n",
        "\n12. b/c.html",
        "\n13. word on",
        "\ndnl b/c.html",
    ),
    *(
        "\n-----\nb",
        "\n--\nb",
        "\n-- \nb",
        "\n-b.html",
        "\nhttp://b.example/c d",
        "\n  [Page 2]\n\f\nRFC 2\n\nb/c.html d",
    ),
    *(
        "\r\nword on",
        "\r\n\r\nword",
        "\rword on",
        "\n#b",
        "\n?b=c",
        "\n/b/c",
        "\n=b",
        "\ncan't be",
        "\ntwenty-one of",
        "\nb_c d",
    ),
    *(
        "\n(see b) c",
        "\n| b/c.html",
        "\n|b",
        "\n* b/c.html",
        "\n// b/c.html",
        "\nURL: b",
        "\nfinal.\n\n",
        "\nDate: b",
        "\nA/B c",
        "\nmailto:jane@b.example c",
        "\nurn:ab:c",
        "\nsip: b",
    ),
    *(
        "\n<b",
        '\n"b/c.html"',
        "\n12. <b",
        "\n\x00b",
        "\r\r[Page 3]\n\f\nRFC 1\n\nb.html c",
        "\rb.html c",
        "\r> word",
        "\r\rword",
    ),
    *(
        "\n+ b",
        "\n+1 707",
        "\n+b.html",
        "\n- b",
        "\n-b",
        "\n__/ b",
        "\n=b c",
        "\n~/ b",
        "\n[12] b",
        "\n[b/c.html",
        "\n(b/c",
    ),
    *("\njane@b.example c", "\n3@b.example/c", "\nb=c@d.example", "\nit's b", "\nnice. b", "\nnice.\n\n", "\nb. \n"),
    *(" \t\n  b/c.html d", f"{' ' * 90}\nb/c.html", "\ntype=d>", "\n> >> word b", "\nb?c d", "\nJD> word on"),
    *(
        f"\n\nMaas   [Page {number}]\n\f\nMemo 12   1996\n\n{rest}"
        for number in ("7", "iv-2")
        for rest in (
            "http://b.example/c",
            "   and so",
            "final.",
            "final. b",
            "b/c.html d",
            "-----\n",
            "(b",
            "[Page 8]\n",
            "",
        )
    ),
    *(
        "\n\n[page 7]\n\f\nhttp://b.example\n\n",
        "\n\n\n [Page 7] \n\f\n\fMemo\n \nhttp://b.example\n",
        "\n\n[Page 7]\n\f\nMemo\nb c\n\nhttp://b.example\n",
        "\n\n[Page 7]\n\n \nhttp://b.example\n\nb/c.html d",
        "\r\n\r\n[Page 7]\r\n\f\r\nMemo\r\n\r\nhttp://b.example\r\n",
        "\n\n[Page 7] b\n\f\nMemo\n\nhttp://b.example",
        "\n> \n> [Page 7]\n> \n> Memo\n> \n> http://b.example",
    ),
    *("\nhttp://", "\nb.example/c", "\n> b.example", "\n//b.example", "\nb-c.example", "\nb> c.example"),
)
SAMPLE = int(os.environ.get("URLMEND_PLAIN_SAMPLE", "1500"))
"""How many of the 40 000 surroundings are tried with each left side; 0 is all of them, some two minutes."""


def scan(data: str | bytes, profile: Profile) -> tuple[list[URLMatch], list[Rejected]]:
    rejected: list[Rejected] = []
    scanner = Scanner(profile=profile, rejected=rejected.append)
    return scanner.feed(data) + scanner.close(), rejected


def check(data: str | bytes) -> int:
    """Compare the two ways and return how many URLs were found."""
    quick, slow = scan(data, WEB), scan(data, SLOW)
    assert quick == slow, data
    assert [match.parts for match in quick[0]] == [match.parts for match in slow[0]]
    assert [match.quoted for match in quick[0]] == [match.quoted for match in slow[0]]
    return len(quick[0])


def generated() -> Iterator[bytes]:
    path = ROOT / "corpora" / "generate.py"
    spec = importlib.util.spec_from_file_location("corpora_generate", path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for kind in ("mail", "news", "docs"):
        yield b"".join(block for block, _ in module.generate(kind, 300_000, 7, bare_breaks=True))


def real() -> list[Path]:
    shared = os.environ.get("URLMEND_SHARED")
    return sorted(path for path in Path(shared, "corpora").rglob("*") if path.is_file()) if shared else []


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_cases_come_out_the_same(case: Any) -> None:
    check(case.text)
    check(case.text.encode())
    check(f"x {case.text}\n")


@pytest.mark.parametrize("left", LEFTS)
def test_every_url_in_every_surrounding_comes_out_the_same(left: str) -> None:
    everything = list(itertools.product(URLS, TAILS, NEXTS))
    some = random.Random(left).sample(everything, SAMPLE or len(everything))
    texts = [f"{left}{url}{tail}{rest}" for url, tail, rest in some]
    assert sum(map(check, texts)) > len(some) // 2
    for text in texts[::10]:
        # Octets that are no UTF-8, with as much text behind them as the quick way asks for.
        check(text.encode("latin-1") + b" " * 5000)


def test_urls_in_rows_come_out_the_same() -> None:
    rng = random.Random(1738)
    for _ in range(300):
        pieces = (rng.choice(part) for _ in range(40) for part in (LEFTS, URLS, TAILS, NEXTS))
        text = "".join(pieces)
        check(text)
        check(text.encode())


def test_generated_corpora_come_out_the_same() -> None:
    for data in generated():
        assert check(data) > 300


@pytest.mark.skipif(not real(), reason="URLMEND_SHARED is not set")
def test_real_corpora_come_out_the_same() -> None:
    found = 0
    for path in real():
        data = path.read_bytes()
        found += check(data) + check(data.decode("latin-1"))
    assert found > 50_000


def test_most_urls_of_mail_are_plain() -> None:
    (mail, *_) = generated()
    kinds = [match.lastgroup for match in plain_or_trigger(octets=True).finditer(mail.decode("latin-1"))]
    assert kinds.count("plain") > 200


@pytest.mark.parametrize(
    "text", [*(case.text for case in CASES.values()), *(data.decode("latin-1") for data in generated())]
)
def test_triggers_are_those_of_the_naive_pattern(text: str) -> None:
    places = {match.start(): match for match in NAIVE.finditer(text)}
    kinds = {at: str(match.lastgroup) for at, match in places.items()}
    matches = list(trigger().finditer(text))
    found = {match.start(): str(match.lastgroup) for match in matches}
    hidden = {at for match in matches if match.lastgroup == "wrapper_filled" for at in range(*match.span())}
    missing = {at: kind for at, kind in kinds.items() if at not in found}
    for at in missing:
        before = text[max(0, at - MAX_SCHEME_LENGTH) : at]
        # The scanner looks inside where the wrapper is none.
        if at in hidden:
            continue
        if kinds[at] == "wrapper":
            assert re.match("[^<>]*<|:$", text[at:])
            continue
        assert kinds[at] == "split"
        assert not MAY_BE_SPLIT.search(before) or before.endswith(("wrote", "writes"))
    for at, kind in found.items():
        assert kind.partition("_")[0] in (kinds[at], "opening")


HOSTS = ("a.example", "1.2.3.4", "a_b.example", "a.example.", "jane@A", "xn--a.b-c1")
PORTS = ("", ":", ":80", ":65535")
PATHS = ("", "/~b/c;d=e:f@g&h", "/%41!*'(),$-_.+", "/b|c")
SEARCHES = ("", "?", "?b=c;d", "?b/c", "?b?~", "?b[]")
FRAGMENTS = ("", "#", "#~", "#b/c", "#b?")


@pytest.mark.parametrize("scheme", ["http", "https", "ftp", "Http"])
def test_an_outline_is_what_parsing_tells(scheme: str) -> None:
    told = 0
    for parts in itertools.product(HOSTS, PORTS, PATHS, SEARCHES, FRAGMENTS):
        text = f"{scheme}://{''.join(parts)}"
        if accepts(text):
            url = parse(text)
            assert scheme_host_departures(text, WEB) == (url.scheme, url.host, departures(url)), text
            told += ORDINARY.fullmatch(text) is not None
    assert (told > 100) == (scheme in {"http", "https"})
