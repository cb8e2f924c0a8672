"""What `urlmend explain` says: texts and the whole answers."""

import json

import pytest
from click.testing import CliRunner, Result

from urlmend.cli import main
from urlmend.cli.explain import explained, in_words
from urlmend.grammar.departures import DEPARTURES, Departure
from urlmend.grammar.profiles import RFC1738, WEB, Profile
from urlmend.mend.continuation import THRESHOLD


def explain(text: str, profile: Profile = WEB) -> str:
    return in_words(explained(text, profile), heading=False)


mailto_headers = next(departure for departure in DEPARTURES if departure.name == "mailto-headers")

# text, profile, answer
URLS = (
    (
        "http://jane:@a.example:/~j/?x=/1#f",
        WEB,
        """\
part      value        BNF rule  section
scheme    "http"       scheme    2.1
user      "jane"       user      3.1
password  ""           password  3.1
host      "a.example"  host      3.1
port      ""           port      3.1
hpath     "~j/"        hpath     3.3
search    "x=/1"       search    3.3
fragment  "f"          fragment  RFC 3986 3.5

connects to  port 80, the default

Not RFC 1738, by 5 departures:
  fragment
    RFC 1738 excludes "#", which delimits a fragment identifier (2.2);
    the web includes the fragment in the URL (RFC 3986 3.5); the appendix also puts it inside the wrapper.
  tilde
    RFC 1738 calls "~" unsafe: gateways are known to modify it (2.2);
    the web uses it for home directories; RFC 3986 2.3 made it unreserved.
  query-delimiters
    RFC 1738 has no "/" or "?" in a search part (3.3, 5);
    the web allows both (RFC 3986 3.4).
  userinfo
    RFC 1738 allows no user name or password in http (3.3);
    the web allows them (RFC 3986 3.2.1), and browsers still read them.
  empty-port
    RFC 1738 requires digits after the colon of a port (3.1, 5);
    the web allows an empty port (RFC 3986 3.2.3: "port = *DIGIT").

Normal form: http://jane:@a.example/~j/?x=/1#f""",
    ),
    (
        "ftp://@h/%2Fetc//motd;type=a",
        RFC1738,
        """\
part      value           BNF rule  section
scheme    "ftp"           scheme    2.1
user      ""              user      3.1
password  absent          password  3.1
host      "h"             host      3.1
port      absent          port      3.1
fpath     "%2Fetc//motd"  fpath     3.2
ftptype   "a"             ftptype   3.2

command      CWD /etc
command      CWD
command      TYPE a
command      RETR motd
connects to  port 21, the default

Conforms to RFC 1738.""",
    ),
    (
        "gopher://h:7070/7/x%20y%09two%20words%09+",
        RFC1738,
        """\
part         value                        BNF rule   section
scheme       "gopher"                     scheme     2.1
host         "h"                          host       3.1
port         "7070"                       port       3.1
gopher_path  "7/x%20y%09two%20words%09+"  gopherurl  3.4

type         "7"
selector     "/x y"
search       "two words"
gopher+      "+"
connects to  port 7070

Conforms to RFC 1738.""",
    ),
    (
        "gopher://h",
        RFC1738,
        """\
part         value     BNF rule   section
scheme       "gopher"  scheme     2.1
host         "h"       host       3.1
port         absent    port       3.1
gopher_path  absent    gopherurl  3.4

type         "1", the default
selector     ""
search       absent
gopher+      absent
connects to  port 70, the default

Conforms to RFC 1738.""",
    ),
    (
        "mailto:jane@a.example?subject=a%0Ab&to=",
        WEB,
        f"""\
part            value                BNF rule        section
scheme          "mailto"             scheme          2.1
encoded822addr  "jane@a.example"     encoded822addr  3.5
headers         "subject=a%0Ab&to="  headers         RFC 6068 2
fragment        absent               fragment        RFC 3986 3.5

address  "jane@a.example"
header   subject: a\\nb
header   to:

Not RFC 1738, by 1 departure:
  mailto-headers
    RFC 1738 {mailto_headers.rfc1738};
    the web {mailto_headers.web}.

Security, encoded-delimiter: holds an encoded LF, which can end a command of the protocol""",
    ),
    (
        "mailto:jane",
        RFC1738,
        """\
part            value     BNF rule        section
scheme          "mailto"  scheme          2.1
encoded822addr  "jane"    encoded822addr  3.5

address  "jane", which is not an addr-spec of RFC 822

Conforms to RFC 1738.""",
    ),
    (
        "news:1%20a@b.example",
        RFC1738,
        """\
part        value              BNF rule  section
scheme      "news"             scheme    2.1
everything  absent             "*"       3.6
group       absent             group     3.6
article     "1%20a@b.example"  article   3.6

Message-ID  <1 a@b.example>, which is not a Message-ID of RFC 1036

Conforms to RFC 1738.""",
    ),
    (
        "news:*",
        RFC1738,
        """\
part        value   BNF rule  section
scheme      "news"  scheme    2.1
everything  "*"     "*"       3.6
group       absent  group     3.6
article     absent  article   3.6

groups  all that there are

Conforms to RFC 1738.""",
    ),
    (
        "nntp://h/comp.lang.c/12",
        RFC1738,
        """\
part            value          BNF rule  section
scheme          "nntp"         scheme    2.1
host            "h"            host      3.1
port            absent         port      3.1
group           "comp.lang.c"  group     3.7
article_number  "12"           digits    3.7

connects to  port 119, the default

Conforms to RFC 1738.""",
    ),
    (
        "wais://h/db?q",
        RFC1738,
        """\
part      value   BNF rule  section
scheme    "wais"  scheme    2.1
host      "h"     host      3.1
port      absent  port      3.1
database  "db"    database  3.9
search    "q"     search    3.9
wtype     absent  wtype     3.9
wpath     absent  wpath     3.9

form         waisindex
connects to  port 210, the default

Conforms to RFC 1738.""",
    ),
    (
        "TELNET://h/",
        RFC1738,
        """\
part      value     BNF rule  section
scheme    "TELNET"  scheme    2.1
user      absent    user      3.1
password  absent    password  3.1
host      "h"       host      3.1
port      absent    port      3.1

connects to  port 23, the default

Conforms to RFC 1738.

Normal form: telnet://h/""",
    ),
    (
        "file:///etc/motd",
        RFC1738,
        """\
part    value       BNF rule  section
scheme  "file"      scheme    2.1
host    absent      host      3.1
fpath   "etc/motd"  fpath     3.10

file on  this machine

Conforms to RFC 1738.""",
    ),
    (
        "prospero://h//pros/name;a=1;b%20c=",
        RFC1738,
        """\
part        value          BNF rule        section
scheme      "prospero"     scheme          2.1
host        "h"            host            3.1
port        absent         port            3.1
ppath       "/pros/name"   ppath           3.11
fieldspecs  ";a=1;b%20c="  *[ fieldspec ]  3.11

hsoname      "/pros/name"
field        a = 1
field        b c =
connects to  port 1525, the default

Conforms to RFC 1738.""",
    ),
    (
        "doi:10.1000/182",
        RFC1738,
        """\
part        value          BNF rule    section
scheme      "doi"          scheme      2.1
schemepart  "10.1000/182"  schemepart  2.1
user        absent         user        3.1
password    absent         password    3.1
host        absent         host        3.1
port        absent         port        3.1
urlpath     absent         urlpath     2.1

Conforms to RFC 1738.""",
    ),
    (
        "http://h/a-path-of-more-characters-than-a-column-takes",
        RFC1738,
        """\
part    value   BNF rule  section
scheme  "http"  scheme    2.1
host    "h"     host      3.1
port    absent  port      3.1
hpath   "a-path-of-more-characters-than-a-column-takes"  hpath     3.3
search  absent  search    3.3

connects to  port 80, the default

Conforms to RFC 1738.""",
    ),
)


@pytest.mark.parametrize(("text", "profile", "answer"), URLS, ids=[text for text, _, _ in URLS])
def test_a_url(text: str, profile: Profile, answer: str) -> None:
    assert explain(text, profile) == answer


ANY_LETTER = (
    'a letter, a digit, "!", "$", "%", "&", "\'", "(", ")", "*", "+", ",", "-", ".", "/", ":", ";", "=", "?", "@", "_"'
)

# text, profile, answer
FAULTS = (
    (
        "http://a.example/~jane",
        RFC1738,
        f"""\
~ is not allowed here: write %7E

httpurl: unexpected '~' at 17, expected {ANY_LETTER} or the end
  http://a.example/~jane
                   ^

RFC 1738 section 5:
  httpurl        = "http://" hostport [ "/" hpath [ "?" search ]]
Under WEB it is a URL, by tilde.""",
    ),
    (
        "12:30",
        WEB,
        """\
the web requires a letter first (RFC 3986 3.1) (scheme-letter)

scheme: unexpected '1' at 0, expected a letter
  12:30
  ^

RFC 1738 section 5:
  scheme         = 1*[ lowalpha | digit | "+" | "-" | "." ]
WEB changes this rule: scheme-letter.
Under RFC1738 it is a URL.""",
    ),
    (
        "nntp://h/group/x",
        RFC1738,
        """\
nntpurl: unexpected 'x' at 15, expected a digit
  nntp://h/group/x
                 ^

RFC 1738 section 5:
  nntpurl        = "nntp://" hostport "/" group [ "/" digits ]""",
    ),
    (
        "http://h:65536/",
        Profile("narrow", tuple(d for d in DEPARTURES if d.name == "port-range")),
        """\
65536 is more than 65535 (port-range)

tcp_port: unexpected '6' at 13, expected "/", "0", "1", "2", "3", "4", "5" or the end
  http://h:65536/
               ^

RFC 1738 has no rule tcp_port: narrow has it for port-range.
Under RFC1738 it is a URL.""",
    ),
)


@pytest.mark.parametrize(("text", "profile", "answer"), FAULTS, ids=[text for text, _, _ in FAULTS])
def test_no_url(text: str, profile: Profile, answer: str) -> None:
    assert explain(text, profile) == answer


@pytest.mark.parametrize("departure", DEPARTURES, ids=[departure.name for departure in DEPARTURES])
def test_every_departure_is_told(departure: Departure) -> None:
    answer = explain(departure.example)
    if departure.narrower:
        assert answer.endswith("\nUnder RFC1738 it is a URL.")
    else:
        assert f"\n  {departure.name}\n    RFC 1738 {departure.rfc1738};\n    the web {departure.web}." in answer


def test_what_does_not_print_is_escaped() -> None:
    assert '"a\\u202eb"' in explain("http://h/a\u202eb")
    assert "\u202e" not in explain("http://h/a\u202eb")


@pytest.mark.parametrize("text", ["", "\n", "\ud800", "http://\ud800/", "x" * 100_000, "http://xn--a/", "\0:\0"])
def test_nothing_is_raised(text: str) -> None:
    assert explain(text)
    assert explain(text, RFC1738)


NO_SCHEME = "there is no scheme: a URL begins with one, such as http://"

# text, profile, the plain reason
REASONS = (
    ("", WEB, "the text is empty"),
    ("a.example/b", WEB, NO_SCHEME),
    ("see this", WEB, NO_SCHEME),
    ("://a.example", WEB, NO_SCHEME),
    ("http:/a.example", WEB, "two slashes must follow http:"),
    ("http:", WEB, "two slashes must follow http:"),
    ("http://", WEB, "there is no host"),
    ("http:///b", WEB, "there is no host"),
    ("http://:80/", WEB, "there is no host"),
    ("http://300.1.2.3/", WEB, "300 is more than 255 (ipv4-range)"),
    ("ftp://1.2.3.256", WEB, "256 is more than 255 (ipv4-range)"),
    ("http://1.256.3/", WEB, "a number of the host is too large (number-host)"),
    ("http://4294967296/", WEB, "a number of the host is too large (number-host)"),
    (f"http://{'9' * 9000}/", WEB, "a number of the host is too large (number-host)"),
    ("http://1.2.3.4.5/", WEB, "an IPv4 address has four numbers, not more"),
    ("http://a.example:65536/", WEB, "65536 is more than 65535 (port-range)"),
    ("http://jane@300.1.2.3:65536/", WEB, "65536 is more than 65535 (port-range)"),
    ("http://a.example:8o/", WEB, "the port '8o' is not a number"),
    ("http://a..example/", WEB, "the host has two dots in a row"),
    ("http://ü..example/", WEB, "the host has two dots in a row"),
    ("http://.a.example/", WEB, "the host begins with a dot"),
    ("http://-a.example/", WEB, "the label '-a' of the host begins with a hyphen"),
    ("https://www-.a.example/", WEB, "the label 'www-' of the host ends with a hyphen"),
    ("http://a.1b/", WEB, "the last label '1b' begins with a digit"),
    ("http://a!.example/", WEB, "a host cannot contain !"),
    ("http://a b.example/", WEB, "a host or port cannot contain a space"),
    ("http://[::1/", WEB, "the bracket that begins the host is not closed"),
    ("http://[g::1]/", WEB, "[g::1] is not an IPv6 address (ipv6)"),
    ("http://a.example/b c", WEB, "a URL cannot contain a space: write %20"),
    ("news:a b", RFC1738, "a URL cannot contain a space: write %20"),
    ("http://a.example/\u3000", RFC1738, "a URL cannot contain a space: write %E3%80%80"),
    ("http://a.example/100%", WEB, "two hexadecimal digits must follow a %: write %25 for the character itself"),
    ("http://a.example/100%/", WEB, "two hexadecimal digits must follow a %: write %25 for the character itself"),
    ("http://a.example/%4x", WEB, "two hexadecimal digits must follow a %: write %25 for the character itself"),
    ("http://a.example\\b", WEB, "a URL has slashes, not backslashes"),
    ("http://a.example/#b#c", WEB, "# is not allowed here: write %23"),
    ("http://a.example/\x07", WEB, "U+0007 is not allowed here: write %07"),
    ("http://a.example/\udcff", WEB, "a URL cannot contain a byte that is not UTF-8"),
    ("http://a.example/ü", RFC1738, "ü is not allowed here: write %C3%BC"),
    ("http://a[.]example/", WEB, "it is defanged"),
    ("nntp://h/group/x", RFC1738, None),
    ("http://300.1.2.3:0x/", RFC1738, "the port '0x' is not a number"),
)


@pytest.mark.parametrize(("text", "profile", "reason"), REASONS)
def test_the_reason_is_plain(text: str, profile: Profile, reason: str | None) -> None:
    assert explained(text, profile).reason == reason


# text, what would make it a URL
HINTS: tuple[tuple[str, list[str]], ...] = (
    ("a.example/b", ["Put http:// before it."]),
    ("a.com/b", ["Put http:// before it; --schemeless finds it in text."]),
    ("www.a.example", ["Put http:// before it; --schemeless finds it in text."]),
    ("www.x", ["Put http:// before it."]),
    ("jane@a.example", ["Put mailto: before it; --addresses finds it in text."]),
    ("a.example:80/b", ["If it begins with a host: put http:// before it."]),
    ("hxxp://a.example", ["It is defanged: --refang reads it as http://a.example"]),
    ("http://a[.]example/b", ["It is defanged: --refang reads it as http://a.example/b"]),
    ("evil[.]com/b", ["It is defanged: --schemeless --refang reads it as http://evil.com/b"]),
    ("see www.a.com now", ["With --schemeless there is a URL in it: http://www.a.com"]),
    ("http://a b.com/", []),
    ("foo", []),
    ("http://a.example/", []),
    ("urn:a.b:c", []),
)


@pytest.mark.parametrize(("text", "said"), HINTS)
def test_what_would_make_it_one(text: str, said: list[str]) -> None:
    assert list(explained(text, WEB).hints) == said
    assert [line for line in explain(text).splitlines() if line in said] == said


def run(*args: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["explain", *args], input=stdin)


A, B = "http://a.example/", "http://300.1.2.3/"


def test_several_have_their_headings() -> None:
    both = f"{A}\n\n{explain(A)}\n\n\n{B}\n\n{explain(B)}\n"
    result = run(A, B)
    assert (result.stdout, result.stderr, result.exit_code) == (both, "", 1)
    assert run(A, A).exit_code == 0
    assert run(A, "-", stdin=f"{B}\n").stdout == both


def test_without_an_argument_it_reads_standard_input() -> None:
    assert run(stdin=f"{A}\n").stdout == explain(A) + "\n"
    listed = run(stdin=f"{B}\n\n{A}\n")
    assert [line for line in listed.stdout.splitlines() if line in {A, B}] == [B, A]
    assert listed.exit_code == 1


def test_a_defanged_url_is_refanged_on_request() -> None:
    result = run("--refang", "hxxp://a[.]example/b")
    assert result.stdout.startswith("http://a.example/b\n\nwritten as  hxxp://a[.]example/b\nform        defanged\n")
    assert result.stdout.endswith(explain("http://a.example/b") + "\n")
    assert result.exit_code == 0


def test_json_has_every_key() -> None:
    result = run("--json", "HTTP://jane:x@a.example/", B, "<http://a.example/b-\nc>", "http://a.example/b/\nc.html so")
    url, fault, angle, bare = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 1
    assert list(url) == list(fault) == list(angle) == list(bare)
    parts = {"scheme": "HTTP", "user": "jane", "password": "x", "host": "a.example", "port": None}
    assert url == dict.fromkeys(url) | {
        "url": "HTTP://jane:x@a.example/",
        "valid": True,
        "hints": [],
        "class": "HttpURL",
        "parts": {**parts, "hpath": "", "search": None, "fragment": None},
        "departures": ["userinfo"],
        "warnings": [{"name": "password", "text": "holds a password in clear text"}],
        "normal_form": "http://jane:x@a.example/",
    }
    told = {
        "valid": False,
        "rule": "domainlabel",
        "pos": 16,
        "reason": "300 is more than 255 (ipv4-range)",
        "hints": [],
    }
    assert fault == dict.fromkeys(url) | told | {"url": B, "expected": fault["expected"]}
    assert (angle["url"], angle["raw"], angle["line_ends"]) == ("http://a.example/b-c", "http://a.example/b-\nc", [])
    (end,) = bare["line_ends"]
    assert list(end) == ["url", "token", "goes_on", "p", "guard", "clues"]
    assert (end["url"], end["token"], end["goes_on"]) == ("http://a.example/b/", "c.html", end["p"] >= THRESHOLD)
    assert {frozenset(clue) for clue in end["clues"]} == {frozenset({"clue", "value", "weight"})}


def test_json_tells_the_target() -> None:
    wrapping = "https://www.google.com/url?q=https%3A%2F%2Fa.example%2Fb&sa=D"
    assert json.loads(run("--json", wrapping).stdout)["target"] == "https://a.example/b"


def test_the_command_prints_it() -> None:
    result = CliRunner().invoke(main, ["explain", "--profile", "rfc1738", "news:*"])
    assert (result.stdout, result.stderr, result.exit_code) == (explain("news:*", RFC1738) + "\n", "", 0)
    result = CliRunner().invoke(main, ["explain", "http://a.example/ b"])
    assert (result.stdout, result.stderr, result.exit_code) == (explain("http://a.example/ b") + "\n", "", 1)
