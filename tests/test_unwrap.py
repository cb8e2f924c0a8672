"""Addresses inside wrapping ones: each rule with examples, what has lost a part, and no guesses."""

import re
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urlmend import find_urls, parse, unwrap
from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.unwrap import MAX_NESTED, RULES, unwrapped

INSIDE = "https://a.example/b-c_d/?e=f%20g&h=1#i"
SAFE = "https://eur01.safelinks.protection.outlook.com/?url="
DATA = (
    "&data=05%7C02%7Cjane%40a.example%7Cbb86%7C0d4d%7C0%7C0%7C638921646989298013%7CUnknown%7CTWF%3D%7C0%7C%7C%7C"
    "&sdata=P%2BwKn7%3D&reserved=0"
)


def escaped(text: str) -> str:
    return quote(text, safe="")


def mandrill(url: str) -> str:
    inner = '{"u":1,"v":1,"url":"' + url.replace("/", "\\\\/").replace("\\\\", "\\") + '","id":"2"}'
    outer = '{"s":"x","v":1,"p":"' + inner.replace("\\", "\\\\").replace('"', '\\"') + '"}'
    return b64encode(outer.encode()).decode().rstrip("=")


# the rule, the wrapping address, and the one inside
WRAPPED = (
    ("Outlook SafeLinks", SAFE + escaped(INSIDE) + DATA, INSIDE),
    ("Outlook SafeLinks", SAFE + escaped(INSIDE) + DATA.replace("&", "&amp;"), INSIDE),
    (
        "Outlook SafeLinks",
        "https://gcc02.safelinks.protection.outlook.com/?url=http%3a%2f%2fa.example%2f&sdata=x",
        "http://a.example/",
    ),
    (
        "Outlook SafeLinks",
        "https://nam01.safelinks.protection.outlook.com/ap/w-59584e83/?url=http%3A%2F%2Fa.example%2F" + DATA,
        "http://a.example/",
    ),
    (
        "Outlook SafeLinks",
        "https://usg02.safelinks.protection.office365.us/?url=https%3A%2F%2Fa.example%2F%C3%BC" + DATA,
        "https://a.example/ü",
    ),
    (
        "Teams SafeLinks",
        "https://statics.teams.cdn.office.net/evergreen-assets/safelinks/1/atp-safelinks.html?url=https%3A%2F%2Fa.example%2Fb&locale=en-us&dest=https%3A%2F%2Fteams.example",
        "https://a.example/b",
    ),
    (
        "Proofpoint URL Defense 1",
        "https://urldefense.proofpoint.com/v1/url?u=http://a.example/b&k=oIvRg1%2BdGAgOoM1BIlLLqw%3D%3D%0A&r=x&m=y&s=z",
        "http://a.example/b",
    ),
    (
        "Proofpoint URL Defense 1",
        "https://urldefense.proofpoint.com/v1/url?u=http%3A//a.example/b%3Fc%3Dd&k=x",
        "http://a.example/b?c=d",
    ),
    (
        "Proofpoint URL Defense 2",
        "https://urldefense.proofpoint.com/v2/url?u=https-3A__a.example_b-2Dc-5Fd_-3Fe-3Df-2520g-26h-3D1-23i&d=DwMGaQ&c=x&r=y&m=z&s=s&e=",
        INSIDE,
    ),
    (
        "Proofpoint URL Defense 2",
        "https://urldefense.proofpoint.com/v2/url?u=http-3A__a.example_-3Fb-26amp-3Bc&amp;d=DwMGaQ",
        "http://a.example/?b&c",
    ),
    (
        "Proofpoint URL Defense 3",
        "https://urldefense.com/v3/__https://a.example/mailman/listinfo/r-help__;!!IhKztkE!ZOgMEg6niCyC5$",
        "https://a.example/mailman/listinfo/r-help",
    ),
    (
        "Proofpoint URL Defense 3",
        "https://urldefense.com/v3/__https:/a.example/b?c=d__;!!KIFmr_I!G8N2$",
        "https://a.example/b?c=d",
    ),
    (
        "Proofpoint URL Defense 3",
        "https://urldefense.us/v3/__https://a.example/b*20c*d__;JSM!!IhKztkE!ZOg$",
        "https://a.example/b%20c#d",
    ),
    (
        "Proofpoint URL Defense 3",
        "https://urldefense.com/v3/__https://a.example/**Bb/*?c__;w7zDtsOkKg!!IhKztkE!ZOg$",
        "https://a.example/üöäb/*?c",
    ),
    (
        "Barracuda",
        "https://linkprotect.cudasvc.com/url?a=https%3a%2f%2fa.example%2fb&c=E,1,PuPIg-XW&typo=1",
        "https://a.example/b",
    ),
    (
        "Trend Micro",
        "https://ca-1801.trendmicro.com/wis/clicktime/v1/query?url=https%3a%2f%2fa.example%2fb&umid=1&auth=2",
        "https://a.example/b",
    ),
    (
        "Sophos",
        "https://eu-central-1.protection.sophos.com/?d=a.example&u=aHR0cHM6Ly9hLmV4YW1wbGUvYg==&i=NjJk&t=OGE0&h=0d5a&s=AVNP",
        "https://a.example/b",
    ),
    (
        "Sophos",
        "https://us-west-2.protection.sophos.com?d=a.example&u=aHR0cHM6Ly9hLmV4YW1wbGUvYg%3D%3D&p=m&i=NjJk",
        "https://a.example/b",
    ),
    (
        "FireEye",
        "https://protect2.fireeye.com/v1/url?k=31323334&q=1&e=a-b&u=https%3A%2F%2Fa.example%2Fb",
        "https://a.example/b",
    ),
    ("Cisco", "https://secure-web.cisco.com/1abC_d-e/https%3A%2F%2Fa.example%2Fb%3Fc%3Dd", "https://a.example/b?c=d"),
    ("Symantec", "https://clicktime.symantec.com/3Abc?u=https%3A%2F%2Fa.example%2Fb", "https://a.example/b"),
    ("Libraesva", "https://urlsand.esvalabs.com/?u=https%3A%2F%2Fa.example%2Fb&e=1&h=2&f=n&p=y", "https://a.example/b"),
    (
        "Mandrill",
        "https://mandrillapp.com/track/click/30012345/a.example?p=" + mandrill("https://a.example/b"),
        "https://a.example/b",
    ),
    (
        "Amazon SES",
        "https://abc.r.us-east-1.awstrack.me/L0/https:%2F%2Fa.example%2Fb/1/0100018/Xy=375",
        "https://a.example/b",
    ),
    (
        "Azure",
        "https://emails.azure.microsoft.com/redirect/?destination=https%3A%2F%2Fa.example%2Fb&p=x",
        "https://a.example/b",
    ),
    ("Google", "https://www.google.com/url?q=https://a.example/b&sa=D&ust=1&usg=AOv", "https://a.example/b"),
    ("Google", "http://www.google.co.uk/url?sa=t&rct=j&url=https%3A%2F%2Fa.example%2Fb&ei=1", "https://a.example/b"),
    ("Google AMP", "https://www.google.com/amp/s/a.example/b?c=d", "https://a.example/b?c=d"),
    ("Google AMP", "https://www.google.de/amp/a.example/b", "http://a.example/b"),
    ("AMP cache", "https://a-example.cdn.ampproject.org/c/s/a.example/b", "https://a.example/b"),
    ("YouTube", "https://www.youtube.com/redirect?event=d&q=https%3A%2F%2Fa.example%2Fb&v=1", "https://a.example/b"),
    (
        "LinkedIn",
        "https://www.linkedin.com/redir/redirect?url=https%3A%2F%2Fa.example%2Fb&urlhash=x&trk=y",
        "https://a.example/b",
    ),
    ("LinkedIn", "https://www.linkedin.com/safety/go?url=https%3A%2F%2Fa.example%2Fb&trk=y", "https://a.example/b"),
    (
        "Facebook",
        "https://l.facebook.com/l.php?u=https%3A%2F%2Fa.example%2Fb%3Ffbclid%3Dx&h=AT0",
        "https://a.example/b?fbclid=x",
    ),
    ("Instagram", "https://l.instagram.com/?u=https%3A%2F%2Fa.example%2Fb&e=AT0", "https://a.example/b"),
    ("WhatsApp", "https://l.wl.co/l?u=https%3A%2F%2Fa.example%2Fb", "https://a.example/b"),
    ("Slack", "https://slack-redir.net/link?url=https%3A%2F%2Fa.example%2Fb&v=3", "https://a.example/b"),
    ("Steam", "https://steamcommunity.com/linkfilter/?url=https://a.example/b", "https://a.example/b"),
    ("Steam", "https://steamcommunity.com/linkfilter/?u=https%3A%2F%2Fa.example%2Fb", "https://a.example/b"),
    ("VK", "https://vk.com/away.php?to=https%3A%2F%2Fa.example%2Fb&cc_key=", "https://a.example/b"),
    (
        "Reddit",
        "https://out.reddit.com/t3_a?url=https%3A%2F%2Fa.example%2Fb&token=AQ&app_name=web",
        "https://a.example/b",
    ),
    ("Tumblr", "https://t.umblr.com/redirect?z=https%3A%2F%2Fa.example%2Fb&t=x", "https://a.example/b"),
    ("DuckDuckGo", "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fb&rut=1", "https://a.example/b"),
)


@pytest.mark.parametrize(("rule", "wrapping", "inside"), WRAPPED)
def test_the_address_inside(rule: str, wrapping: str, inside: str) -> None:
    assert rule in {one.name for one in RULES}
    assert unwrap(wrapping) == unwrap(parse(wrapping)) == inside
    (match,) = find_urls(f"<{wrapping}>")
    assert match.target == inside
    assert match.as_dict()["target"] is None
    assert match.as_dict(unwrap=True)["target"] == inside
    assert "lost-target" not in match.warning_names


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in RULES} == {name for name, _, _ in WRAPPED}


# wrapping addresses that have lost a part, or have one that cannot be
LOST = (
    "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Flore.k",
    "https://eur01.safelinks.protection.outlook.com/",
    SAFE + "https%3A%2F%252Fa.example" + DATA,
    SAFE + "3Dhttps%3A%2F%2Fa.example" + DATA,
    SAFE + "javascript%3Aalert(1)" + DATA,
    SAFE + "https%3A%2F%2Fa.example%2F%E4" + DATA,
    SAFE + "a.example" + DATA,
    "https://st/at.a.example%2Fmailman%2Flistinfo%2Fr-help" + DATA,
    SAFE + escaped("https://st/at.a.example%2Fmailman" + DATA) + DATA,
    SAFE + escaped("https://urldefense.com/v3/__https://a.ex") + DATA,
    "https://urldefense.proofpoint.com/v1/url?u=http://a.example/b",
    "https://urldefense.proofpoint.com/v2/url?u=https-3A__github.com_openb",
    "https://urldefense.proofpoint.com/v2/url?u=https-3A__a.example_b-2&d=D",
    "https://urldefense.com/v3/__https://gith",
    "https://urldefense.com/v3/__https://a.example/b*c__;!!x!y$",
    "https://urldefense.com/v3/__https://a.example/bc__;Iw!!x!y$",
    "https://urldefense.com/v3/__https://a.example/b*c__;I!!x!y$",
    "https://urldefense.com/v3/__https://a.example/b*",
    "https://eu-central-1.protection.sophos.com/?d=a.example&u=aHR0cHM6Ly9hLmV4YW1wb&i=N",
    "https://mandrillapp.com/track/click/30012345/a.example?p=eyJzIjoieCIsInYiOjEsInAi",
    "https://abc.r.us-east-1.awstrack.me/L0/https:%2F%2Fa.example%2Fb",
    # The second parameter may be of either address.
    "https://www.google.com/url?q=https://a.example/?b=c&d=e",
)


@pytest.mark.parametrize("text", LOST)
def test_what_has_lost_a_part_says_so_and_gives_nothing(text: str) -> None:
    (match,) = find_urls(f"<{text}>")
    assert match.target is None
    assert "lost-target" in match.as_dict(unwrap=True)["warnings"]
    assert any(note.name == "lost-target" and "has lost a part" in note.text for note in match.warnings)


NOT_WRAPPING = (
    "http://a.example/?url=https%3A%2F%2Fb.example%2F&data=1&sdata=2",
    "https://safelinks.protection.outlook.com.a.example/?url=https%3A%2F%2Fb.example%2F&data=1",
    "https://www.google.com/search?q=https%3A%2F%2Fb.example%2F",
    "https://www.google.a.example/url?q=https%3A%2F%2Fb.example%2F",
    "https://www.facebook.com/share?u=https%3A%2F%2Fb.example%2F",
    "ftp://www.google.com/url?q=https%3A%2F%2Fb.example%2F",
    "no URL",
    "",
)


@pytest.mark.parametrize("text", NOT_WRAPPING)
def test_what_wraps_nothing(text: str) -> None:
    assert unwrapped(text) == (None, None)


def test_nested_ones_are_followed_to_a_bound() -> None:
    url = INSIDE
    for depth in range(1, MAX_NESTED + 3):
        url = SAFE + escaped(url) + "&data=1"
        assert unwrapped(url) == ((INSIDE, None) if depth <= MAX_NESTED else (None, "Outlook SafeLinks"))


def test_a_torn_one_is_mended_first() -> None:
    wrapping = SAFE + escaped(INSIDE) + DATA
    torn = "\n".join(wrapping[at : at + 70] for at in range(0, len(wrapping), 70))
    (match,) = find_urls(f"<{torn}>")
    assert match.target == INSIDE


SURE = [(wrapping, inside) for name, wrapping, inside in WRAPPED if next(r for r in RULES if r.name == name).following]
SURE += [
    (wrapping, inside)
    for name, wrapping, inside in WRAPPED
    if name in ("Proofpoint URL Defense 3", "Mandrill", "Amazon SES")
]


def test_what_is_cut_off_anywhere_gives_the_address_or_nothing() -> None:
    for wrapping, inside in SURE:
        for end in range(len(wrapping)):
            assert unwrap(wrapping[:end]) in (None, inside), wrapping[:end]


PIECES = st.sampled_from(
    [
        "%",
        "%2",
        "%ff",
        "&",
        "&amp;",
        "=",
        "?",
        "#",
        "*",
        "**z",
        "__;",
        "!",
        "-",
        "-3",
        "\n",
        "é",
        "\ud800",
        "url=",
        "u=",
        "/",
    ]
)


@settings(deadline=None)
@given(st.sampled_from(WRAPPED), st.lists(st.tuples(st.integers(0, 300), st.integers(0, 9), PIECES), max_size=4))
def test_whatever_is_done_to_it_nothing_raises(case: tuple[str, str, str], changes: list[tuple[int, int, str]]) -> None:
    text = case[1]
    for start, size, piece in changes:
        text = text[:start] + piece + text[start + size :]
    found = unwrap(text)
    assert found is None or parse_or_none(found) is not None
    for match in find_urls(text):
        assert match.target is None or re.match("(?i:https?|ftp)://", match.target)
