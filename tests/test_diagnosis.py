"""A refused text is told with the rule and the place where it fails, and `parse` raises nothing else for any text.

The default run tries a tenth of the random texts, and the tests marked `slow` try them all. `URLMEND_FUZZ` in the
environment says how many all are (20 000 where it is not set).
"""

import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
import regex

import bnf
from urlmend.grammar import rfc1738
from urlmend.grammar.diagnosis import _Automaton, _closure, _State, locate
from urlmend.grammar.parser import URLSyntaxError, diagnose, parse, parse_or_none, production_template
from urlmend.grammar.profiles import PROFILES, RFC1738, WEB, Profile
from urlmend.grammar.urls import URL

# Where a label of a host goes on, both label rules are open: each of these names tells the place.
LABEL = {"domainlabel", "toplabel", "hostname", "host"}

# RFC 1738: text, rule, place.
LITERAL: tuple[tuple[str, str | set[str], int], ...] = (
    ("", "scheme", 0),
    ("a", "scheme", 1),
    (":", "scheme", 0),
    ("://", "scheme", 0),
    ("ht tp:", "scheme", 2),
    ("a_b:c", "scheme", 1),
    ("http", "httpurl", 4),
    ("http:", "httpurl", 5),
    ("http:/a", "httpurl", 6),
    ("http://", "host", 7),
    ("http://-a.com", "host", 7),
    ("http://foo.com/~user", "httpurl", 15),
    ("http://foo.com/a~user", "hsegment", 16),
    ("http://foo-.com", LABEL, 11),
    ("http://foo-.com/", LABEL, 11),
    ("http://a..b", "hostname", 9),
    ("http://1.2.3", LABEL | {"hostnumber"}, 12),
    ("http://1.2.3.4.5", LABEL, 16),
    ("http://a_b", LABEL, 8),
    ("http://u@a/", LABEL, 8),
    ("http://a?b", LABEL, 8),
    ("http://a:/", "port", 9),
    ("http://a:80x", "port", 11),
    ("http://a/%zz", "escape", 10),
    ("http://a/%4", "escape", 11),
    ("http://a/%", "escape", 10),
    ("http://a/b?c?d", "search", 12),
    ("http://a/b?c/d", "search", 12),
    ("http://a/#b", "httpurl", 9),
    ("http://a/b\n", "hsegment", 10),
    ("http://a/b\x00c", "hsegment", 10),
    ("http://b\xfccher.example/", LABEL, 8),
    ("HTTP://a/b~", "hsegment", 10),
    ("ftp://a/b;type=Z", "ftptype", 15),
    ("ftp://a/b;type=", "ftptype", 15),
    ("ftp://a/b;type=AA", "url", 16),
    ("ftp://a/b;typ=a", "ftpurl", 13),
    ("ftp://u:p:q@h/", "password", 9),
    ("ftp://u@v@h/", LABEL, 9),
    ("file:/a", "fileurl", 6),
    ("file://a", LABEL, 8),
    ("file://a:80/", LABEL, 8),
    ("gopher:a", "gopherurl", 7),
    ("gopher://a/~", "gtype", 11),
    ("gopher://a/0~", "selector", 12),
    ("mailto:", "encoded822addr", 7),
    ("mailto:a b", "encoded822addr", 8),
    ("news:", "grouppart", 5),
    ("news:1", "article", 6),
    ("news:**", "article", 7),
    ("news:a@", "host", 7),
    ("news:a@b@c", LABEL, 8),
    ("nntp://h", LABEL | {"nntpurl"}, 8),
    ("nntp://h/", "group", 9),
    ("nntp://h/1", "group", 9),
    ("nntp://h/a/b", {"nntpurl", "digits", "article_number"}, 11),
    ("telnet://h/a", "url", 11),
    ("wais://h/a/b", "wtype", 12),
    ("wais://h/a/b/c/d", "wpath", 14),
    ("wais://h/a;", "database", 10),
    ("prospero://h/a;b", "fieldname", 16),
    ("prospero://h/a;b=c=d", "fieldvalue", 18),
    ("prospero://h/a;b=c/d", "fieldvalue", 18),
    ("x:a b", "schemepart", 3),
    ("x:%g", "escape", 3),
    ("x:~", "schemepart", 2),
)

DEPLOYED: tuple[tuple[str, str | set[str], int], ...] = (
    ("http://a/%zz", "escape", 10),
    ("http://a/b c", "hsegment", 10),
    ("http://a/b\\", "hsegment", 10),
    ("http://a/#b#c", "fragment", 11),
    ("http://[::g]/", {"ipv6address", "ipv6", "host"}, 10),
    ("http://[1:2]/", {"ipv6address", "ipv6", "host"}, 11),
    ("http://[1::2::3]/", {"ipv6address", "ipv6", "host"}, 13),
    ("http://[::1%en0]", "zone", 12),
    ("http://a.example/\ue000", "httpurl", 17),
    ("https://a/b`", "hsegment", 11),
    ("ftp://a/b;type=Z", "ftptype", 15),
    ("ftp://a:65536/", {"login", "ftpurl", "password"}, 13),
    ("mailto:a", "atom", 8),
    ("mailto:a@", "host", 9),
    ("mailto:a@b?", "headers", 11),
    ("mailto:a..b@c", "addr_spec", 9),
    ("mailto:a%40", "atom", 11),
    ("mailto:a%4", "escape", 10),
    ("news:1", "article", 6),
    ("news://h/1", "article", 10),
    ("12:30", "scheme", 0),
    ("x:", "schemepart", 2),
    ("x:a b", "schemepart", 3),
    # The grammar takes these, and IDNA refuses the label.
    ("http://a.b\xfc_.example/", "domainlabel", 10),
    ("http://\u202e.example/", "domainlabel", 7),
    ("x://a.\u202eb.example/", "domainlabel", 6),
)

# WEB: URLs of every scheme, to be mutated.
WEB_URLS = (
    "http://a.example",
    "http://j:p@a-b.example:8080/~j/x;y?q=/?#f",
    "https://a_b.example.?q={1}|[2]#a/b",
    "https://[2001:db8::7:8]:443/x",
    "http://[::ffff:192.0.2.33]/",
    "http://[1:2:3:4:5:6:7:8]#x",
    "http://[fe80::1%25en0]:/",
    "http://255.1.09.0/a%20b",
    "http://b\xfccher.example/\u4e2d\u6587?\xe9#\U00020000",
    "ftp://u:p@a.example/b//c;type=i",
    "ftp://[::1]/~x#y",
    "file:///etc/motd",
    "file:/etc/motd",
    "file://a.example/c:/d",
    "gopher://a.example:70/00/b%09c%09+",
    "mailto:j.k+l@a.example,m%40n@b.example?subject=a%20b&cc=c@d#e",
    "mailto:?to=a@b",
    "mailto:\xe9@b\xfc.example",
    "news:*",
    "news:comp.lang.c++",
    "news:a$b%2F/c@d.example",
    "news://a.example:119/b.c",
    "nntp://a.example/b.c/12",
    "telnet://u:p@a.example:23/",
    "wais://a.example/b?c/d",
    "wais://a.example/b/c/d~",
    "prospero://a.example:1525//b/c;d=e;f=g",
    "x-y.z+1://u:p@[::1]:65535/a",
    "urn:isbn:0-395-36341-1",
    "x:/a",
)

SEED = 1738
FUZZ = int(os.environ.get("URLMEND_FUZZ", "20000"))


def sizes(whole: int) -> list[object]:
    """The sizes of a fuzz test: a tenth, and, where slow tests run, the whole."""
    return [max(whole // 10, 1), pytest.param(whole, marks=pytest.mark.slow)]


LENGTH = 30_000
REPEATS = 20
WAYS = 10_000
CHARACTERS = "a1.-_/:@%?#;=&~([ \x00\xfc\u4e2d\ud800"
RUNS = (
    "a.",
    "a-",
    "1.",
    "a@",
    "a:",
    "%41",
    "//",
    "/a",
    ";a=b",
    "a/1",
    "::",
    "1:",
    "?a",
    "#a",
    ",a@b",
    "http://",
    "\xfc.",
)
STARTS = (
    "",
    *("ftp://", "file://", "file:", "http://", "https://", "gopher://h/", "mailto:", "news:", "news://", "nntp://"),
    *(
        "telnet://",
        "wais://h/",
        "prospero://h/",
        "x://",
        "x:",
        "http://a",
        "http://a:",
        "http://a@",
        "http://[",
        "http://a/?",
    ),
    *("http://a/#", "mailto:a@", "mailto:a@b?", "news:a@", "nntp://h/a", "wais://h/a?", "prospero://h/a;", "ftp://h/"),
)


def check(error: URLSyntaxError, text: str, profile: Profile) -> None:
    """Check what *error* promises for every text: its rule, its place, and its caret under the place."""
    assert error.text == text
    assert error.rule in profile.rules
    assert 0 <= error.pos <= len(text)
    # Split as a terminal would see it: nothing of the text may break the lines.
    head, shown, caret = str(error).splitlines()
    assert head.startswith(f"{error.rule}: unexpected ")
    assert f" at {error.pos}" in head
    column = caret.index("^")
    assert caret == " " * column + "^"
    start = error.pos - (column - 2)
    assert start == max(0, error.pos - 60)
    expected = text[start : error.pos + 20]
    assert shown == "  " + "".join(ch if ch.isprintable() else "\ufffd" for ch in expected)


def refused(text: str, profile: Profile) -> URLSyntaxError | None:
    """The error for *text*, checked; `None` where it is a URL. Nothing else comes out of `parse`."""
    try:
        url = parse(text, profile)
    except URLSyntaxError as error:
        check(error, text, profile)
        assert parse_or_none(text, profile) is None
        return error
    assert isinstance(url, URL)
    assert str(url) == text
    return None


# Tables


@pytest.mark.parametrize(("text", "rule", "pos"), LITERAL, ids=[ascii(row[0]) for row in LITERAL])
def test_rule_and_place_under_rfc_1738(text: str, rule: str | set[str], pos: int) -> None:
    error = refused(text, RFC1738)
    assert error is not None
    assert error.pos == pos == bnf.viable(text)
    assert error.rule in ({rule} if isinstance(rule, str) else rule)


@pytest.mark.parametrize(("text", "rule", "pos"), DEPLOYED, ids=[ascii(row[0]) for row in DEPLOYED])
def test_rule_and_place_on_the_web(text: str, rule: str | set[str], pos: int) -> None:
    error = refused(text, WEB)
    assert error is not None
    assert error.pos == pos
    assert error.rule in ({rule} if isinstance(rule, str) else rule)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("http://a/b c", ["hsegment: unexpected ' ' at 10, expected ", "  http://a/b c", "            ^"]),
        ("x", ["scheme: unexpected end at 1, expected ", "  x", "   ^"]),
        ("", ["scheme: unexpected end at 0, expected ", "  ", "  ^"]),
        ("x:\n\t\u2028", ["schemepart: unexpected '\\n' at 2, expected ", "  x:\ufffd\ufffd\ufffd", "    ^"]),
        ("x:a\ud800", ["schemepart: unexpected '\\ud800' at 3, expected ", "  x:a\ufffd", "     ^"]),
        (
            f"x:{'a' * 98} {'b' * 100}",
            ["schemepart: unexpected ' ' at 100, expected ", f"  {'a' * 60} {'b' * 19}", f"  {' ' * 60}^"],
        ),
    ],
)
def test_the_caret_stands_under_the_place(text: str, lines: list[str]) -> None:
    head, *rest = str(diagnose(text, RFC1738)).split("\n")
    assert head.startswith(lines[0])
    assert rest == lines[1:]


def test_what_could_have_stood_there_is_told() -> None:
    assert diagnose("ftp://a/b;type=Z", RFC1738).expected == '"A", "D", "I", "a", "d" or "i"'
    assert diagnose("nntp://h/1", RFC1738).expected == "a letter"
    assert diagnose("http://a:", RFC1738).expected == "a digit"
    assert diagnose("telnet://a/b", RFC1738).expected == "the end"
    assert "IDNA" in diagnose("http://\u202e.example/").expected


# RFC 1738: exactly where the BNF ends


@pytest.mark.parametrize("size", sizes(3000))
@pytest.mark.parametrize("rule", [*bnf.SCHEMES, "otherurl"])
def test_the_place_is_where_the_bnf_ends(rule: str, size: int) -> None:
    random = Random(f"{SEED} {rule}")
    faults: set[str] = set()
    while len(faults) < size:
        text = bnf.mutated(bnf.generate(rule, random), random)
        if not bnf.accepts("url", text):
            faults.add(text)
    wrong = []
    for text in sorted(faults, key=ascii):
        error = refused(text, RFC1738)
        if error is None or error.pos != bnf.viable(text):
            wrong.append((text, error and error.pos, bnf.viable(text)))
    assert wrong == []


@pytest.mark.parametrize("rule", [*bnf.SCHEMES, "otherurl"])
def test_a_url_cut_short_is_told_at_its_end_or_is_a_url(rule: str) -> None:
    random = Random(f"{SEED} {rule} cut")
    texts = [bnf.generate(rule, random) for _ in range(100)]
    for text in sorted({whole[:at] for whole in texts for at in range(len(whole))}):
        error = refused(text, RFC1738)
        assert (error is None) == bnf.accepts("url", text), text
        assert error is None or error.pos == len(text), text


# WEB: the same by `regex`, which can tell whether a match could go on


@cache
def partials(rule: str) -> regex.Pattern[str]:
    return regex.compile(rfc1738.expand(production_template(rule, WEB), WEB.rules), regex.ASCII | regex.DOTALL)


def candidates(text: str) -> list[regex.Pattern[str]]:
    """The patterns of the URLs that *text* may become."""
    scheme, colon, _ = text.partition(":")
    if colon:
        return [partials(rule) for rule in WEB.productions.get(scheme.lower(), ("otherurl",))]
    return [partials(rule) for rule in ("otherurl", *(rule for row in WEB.productions.values() for rule in row))]


def taken(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in candidates(text))


def continues(prefix: str) -> bool:
    """Tell whether some URL of WEB starts with *prefix*."""
    return any(pattern.fullmatch(prefix, partial=True) for pattern in candidates(prefix))


def farthest(text: str) -> int:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if continues(text[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def test_the_other_judge_tells_what_goes_on() -> None:
    assert [
        text for text in ("", "h", "http:", "http://", "x", "x:", "mailto:?", "http://[1") if not continues(text)
    ] == []
    assert [text for text in (":", "1", "http:x", "http://a b", "http://[:1", "x: ") if continues(text)] == []
    assert [farthest(text) for text in WEB_URLS] == [len(text) for text in WEB_URLS]


@pytest.mark.parametrize("size", sizes(150))
@pytest.mark.parametrize("url", WEB_URLS, ids=ascii)
def test_the_place_on_the_web_is_where_no_match_goes_on(url: str, size: int) -> None:
    assert parse_or_none(url) is not None
    random = Random(f"{SEED} {url}")
    faults: set[str] = set()
    while len(faults) < size:
        text = bnf.mutated(url, random)
        if random.random() < 0.3:
            text = bnf.mutated(text or "x", random)
        faults.add(text)
    wrong, judged = [], 0
    for text in sorted(faults, key=ascii):
        error = refused(text, WEB)
        # The grammar takes the whole of a text that only IDNA refuses.
        if error is None or taken(text):
            continue
        judged += 1
        if error.expected.startswith("an IDNA") or error.pos != farthest(text):
            wrong.append((text, error.pos, farthest(text)))
    assert wrong == []
    assert judged > size // 10


# Nothing else is raised


def soup(random: Random) -> str:
    return random.randbytes(random.randrange(40)).decode("latin-1")


def unicode_soup(random: Random) -> str:
    return "".join(chr(int(0x110000 ** random.random())) for _ in range(random.randrange(20)))


def start_and_soup(random: Random) -> str:
    return random.choice(STARTS) + random.choice((soup, unicode_soup))(random)


def ascii_soup(random: Random) -> str:
    return random.choice(STARTS) + "".join(random.choices("ab1.:/@%?#;=&[]_-~,+*", k=random.randrange(20)))


def mutated_literal(random: Random) -> str:
    return bnf.mutated(bnf.generate(random.choice((*bnf.SCHEMES, "otherurl")), random), random)


def mutated_web(random: Random) -> str:
    text = random.choice(WEB_URLS)
    for _ in range(random.randrange(1, 6)):
        text = bnf.mutated(text or "x", random)
    return text


def strange_host(random: Random) -> str:
    """A host of characters that IDNA judges: joiners, right-to-left letters, marks, digits, dots, `xn--`."""
    pieces: tuple[str, ...] = (
        "a",
        "1",
        "-",
        "_",
        ".",
        "xn--",
        "%61",
        "\xfc",
        "\xdf",
        "\u0131",
        "\u0130",
        "\u200d",
        "\u200c",
        "\u0301",
    )
    pieces += ("\u05d0", "\u0660", "\u06f0", "\u30fb", "\xb7", "l", "\u0375", "\u05f3", "\u3002", "\uff0e", "\u2024")
    pieces += ("\u00ad", "\u0f0b", "\ufb01", "\u1e9e", "\u2260", "\U0001f600", chr(random.randrange(0xA0, 0x30000)))
    host = "".join(random.choices(pieces, k=random.randrange(1, 9)))
    return f"{random.choice(('http', 'ftp', 'x', 'news'))}://{host}{random.choice(('', '/', ':80', '/a.b'))}"


KINDS = (soup, unicode_soup, start_and_soup, ascii_soup, mutated_literal, mutated_web, strange_host)


@pytest.mark.parametrize("size", sizes(FUZZ))
def test_parse_returns_or_raises_one_error_whatever_the_text(size: int, capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(SEED)
    assert len(KINDS) <= size
    read = dict.fromkeys(KINDS, 0)
    for at in range(size):
        kind = KINDS[at % len(KINDS)]
        text = kind(random)
        for profile in PROFILES.values():
            read[kind] += refused(text, profile) is None
    with capsys.disabled():
        print(f"\n{size} texts under {len(PROFILES)} profiles: {sum(read.values())} URLs, all others URLSyntaxError")
    assert size < 1000 or min(read[kind] for kind in (ascii_soup, mutated_literal, mutated_web, strange_host)) > 0


FAMILIES = tuple((start, run) for start in STARTS for run in (*CHARACTERS, *RUNS))


def ways(text: str, profile: Profile) -> int:
    """Return at most how many ways through a scheme's rules were open at once on the way through *text*.

    What `re` tries one after the other when a text is refused: it must not double with every few characters.
    """
    rules = profile.productions.get(text.partition(":")[0].lower(), ("otherurl",))
    counts, most = dict.fromkeys(machine(rules, profile).start, 1), 0
    for character in text:
        after: dict[_State, int] = {}
        for state, count in counts.items():
            for to in successors(state, character):
                after[to] = after.get(to, 0) + count
        counts, most = after, max(most, sum(after.values()))
    return most


@cache
def machine(rules: tuple[str, ...], profile: Profile) -> _Automaton:
    return _Automaton(tuple(production_template(rule, profile) for rule in rules), tuple(profile.rules.items()))


@cache
def successors(state: _State, character: str) -> tuple[_State, ...]:
    """The states that take a character, after *state* has taken *character*."""
    if state.to is None or state.takes is None or not state.takes.fullmatch(character):
        return ()
    return tuple(to for to in _closure([state.to]) if to.takes is not None)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_ways_through_a_text_do_not_multiply(profile: Profile) -> None:
    many = {(start, run): most for start, run in FAMILIES if (most := ways(start + run * REPEATS, profile)) > WAYS}
    assert many == {}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_long_runs_of_anything_come_to_an_end(profile: Profile) -> None:
    """Quadratic work would take minutes on some of these: the test shows that there is none by ending."""
    ends = {True: 0, False: 0}
    for start, run in FAMILIES:
        length = LENGTH if len(run) == 1 and start.endswith(("//", ":")) else LENGTH // 10
        # A text that fails the test above would never end.
        if ways(start + run * REPEATS, profile) <= WAYS:
            ends[refused(start + run * (length // len(run)), profile) is None] += 1
    assert min(ends.values()) > 100


class Counted(str):
    """A text that counts how many of its characters were looked at one by one."""

    __slots__ = ("looks",)
    looks: int

    def __iter__(self) -> Iterator[str]:
        self.looks = 0
        for character in str.__iter__(self):
            self.looks += 1
            yield character


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_fault_is_found_in_one_look_at_each_character_before_it(profile: Profile) -> None:
    for scheme, rules in (*profile.productions.items(), ("x", ("otherurl",))):
        text = Counted(f"{scheme}:{'//a.' * 500} {'a' * 1000}")
        fault = locate(text, tuple(production_template(rule, profile) for rule in rules), profile.rules)
        assert fault is not None
        assert text.looks == fault.pos + 1


# The error as a value


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_errors_pickle(protocol: int) -> None:
    for text in ("http://foo-.com", "x:\ud800", ""):
        error = diagnose(text)
        for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):  # noqa: S301 -- its own
            assert isinstance(again, URLSyntaxError)
            assert (again.rule, again.text, again.pos, again.expected) == (
                error.rule,
                error.text,
                error.pos,
                error.expected,
            )
            assert str(again) == str(error)


def test_an_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"^ftptype: unexpected 'Z' at 15"):
        parse("ftp://a/b;type=Z")


def test_the_same_text_has_the_same_error_in_every_process() -> None:
    """Rules are counted over many runs, so the choice among equals must not depend on where objects lie in memory."""
    texts = [row[0] for row in (*LITERAL, *DEPLOYED)]
    program = (
        "import sys, json\n"
        "junk = [object() for _ in range(int(sys.argv[1]))][::3]\n"
        "from urlmend.grammar.parser import diagnose, parse_or_none\n"
        "from urlmend.grammar.profiles import PROFILES\n"
        "print([(e.rule, e.pos, e.expected) for t in json.load(sys.stdin) for p in PROFILES.values()\n"
        "       if parse_or_none(t, p) is None for e in [diagnose(t, p)]])\n"
    )

    said = {
        subprocess.run(  # noqa: S603 -- this very Python
            [sys.executable, "-c", program, str(size)],
            input=json.dumps(texts),
            capture_output=True,
            check=True,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ).stdout
        for size in (0, 1000, 77777)
    }
    assert len(said) == 1
    assert len(said.pop()) > len(texts)
