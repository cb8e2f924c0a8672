"""The table of addresses that wrap others: filters of mail, and redirects of sites. Rules are data; see `Rule`."""

import re
from functools import lru_cache
from typing import NamedTuple

from urlmend.grammar.wrapping.decoders import (
    Decoder,
    amp,
    escaped,
    escaped_base64,
    mandrill,
    proofpoint_2,
    proofpoint_3,
)


class Rule(NamedTuple):
    """Where one kind of wrapping address holds the address inside.

    `hosts` and `path` are patterns of the whole host name, in lower case, and of the path's beginning. The address is
    the value of the first of `parameters` that is there; without them, it is what `inside` finds, in its first group,
    in the path and query. `decode` makes the address of it. One of the parameters `behind` follows the address where
    nothing is lost; without such, the address is taken for whole. `why` is where this was seen, or is described.
    """

    name: str
    hosts: re.Pattern[str]
    path: re.Pattern[str]
    parameters: tuple[str, ...]
    decode: Decoder
    behind: tuple[str, ...]
    inside: re.Pattern[str] | None
    why: str


def _rule(  # noqa: PLR0913 -- the columns of the table
    name: str,
    hosts: str,
    path: str,
    parameters: str,
    why: str,
    *,
    decode: Decoder = escaped,
    behind: str = "",
    inside: str = "",
) -> Rule:
    found = re.compile(inside, re.DOTALL) if inside else None
    patterns = re.compile(hosts), re.compile(path)
    return Rule(name, *patterns, tuple(parameters.split()), decode, tuple(behind.split()), found, why)


SAFELINKS = "Outlook SafeLinks"

RULES = (
    # Filters of mail: the first four are in mail archives by the thousand.
    _rule(
        SAFELINKS,
        r"[a-z0-9-]+\.safelinks\.protection\.(?:outlook\.com|office365\.us|partner\.outlook\.cn)",
        "",
        "url",
        "https://learn.microsoft.com/en-us/defender-office-365/safe-links-about",
        behind="data sdata reserved",
    ),
    _rule(
        "Teams SafeLinks",
        r"statics\.teams\.cdn\.office\.net",
        "/evergreen-assets/safelinks/",
        "url",
        "links in Microsoft Teams",
        behind="locale dest pc",
    ),
    _rule(
        "Proofpoint URL Defense 1",
        r"urldefense\.proofpoint\.com",
        "/v1/url",
        "u",
        "https://help.proofpoint.com, URL Defense decoder",
        behind="k r m s",
    ),
    _rule(
        "Proofpoint URL Defense 2",
        r"urldefense\.proofpoint\.com",
        "/v2/url",
        "u",
        "https://help.proofpoint.com, URL Defense decoder",
        decode=proofpoint_2,
        behind="d c r m s e",
    ),
    _rule(
        "Proofpoint URL Defense 3",
        r"urldefense\.(?:com|us|proofpoint\.com)",
        "/v3/",
        "",
        "https://help.proofpoint.com, URL Defense decoder",
        decode=proofpoint_3,
        inside="/v3/__(.*)",
    ),
    _rule(
        "Barracuda",
        r"linkprotect\.cudasvc\.com",
        "/",
        "a",
        "https://campus.barracuda.com, Link Protection",
        behind="c typo ancr_add",
    ),
    _rule(
        "Trend Micro",
        r"[a-z0-9.-]+\.trendmicro\.(?:com|eu)",
        r"/wis/clicktime/v\d+/query",
        "url",
        "https://docs.trendmicro.com, Click-Time Protection",
        behind="umid auth",
    ),
    _rule(
        "Sophos",
        r"[a-z0-9.-]+\.protection\.sophos\.com",
        "/",
        "u",
        "https://community.sophos.com/sophos-email/f/discussions/148123",
        decode=escaped_base64,
        behind="i p t h s l",
    ),
    _rule("FireEye", r"protect\d*\.fireeye\.com", "/(?:v1/)?url", "u", "the address is the last parameter"),
    _rule(
        "Cisco",
        r"secure-web\.cisco\.com",
        "/",
        "",
        "https://www.cisco.com, Outbreak Filters",
        inside=r"/[^/?]+/(https?%3A%2F%2F[^/?]+)\Z",
    ),
    _rule(
        "Symantec", r"clicktime\.symantec\.com", "/", "u", "https://techdocs.broadcom.com, Click-time URL Protection"
    ),
    _rule("Libraesva", r"urlsand\.esvalabs\.com", "/", "u", "https://docs.libraesva.com", behind="e h f p"),
    # Trackers of newsletters that carry the address.
    _rule(
        "Mandrill",
        r"mandrillapp\.com",
        "/track/click/",
        "p",
        "Mailchimp's transactional mail",
        decode=mandrill,
    ),
    _rule(
        "Amazon SES",
        r"[a-z0-9.-]+\.awstrack\.me",
        "/L0/",
        "",
        "https://docs.aws.amazon.com/ses, open and click tracking",
        inside=r"/L0/([^/?]+)/\d/[^/?]+/[^/?]+\Z",
    ),
    _rule("Azure", r"emails\.azure\.microsoft\.com", "/redirect/", "destination", "mail of Microsoft Azure"),
    # Redirects of sites.
    _rule("Google", r"(?:www\.)?google\.(?:com?\.)?[a-z]{2,3}", r"/url\Z", "q url", "results, Docs, Gmail and Groups"),
    _rule(
        "Google AMP",
        r"(?:www\.)?google\.(?:com?\.)?[a-z]{2,3}",
        "/amp/",
        "",
        "https://developers.google.com/amp/cache",
        decode=amp,
        inside=r"/amp/(.+)",
    ),
    _rule(
        "AMP cache",
        r"[a-z0-9-]+\.cdn\.ampproject\.org",
        "/[civ]/",
        "",
        "https://developers.google.com/amp/cache/overview",
        decode=amp,
        inside="/[civ]/(.+)",
    ),
    _rule("YouTube", r"(?:www\.|m\.)?youtube\.com", r"/redirect\Z", "q", "descriptions of videos"),
    _rule(
        "LinkedIn",
        r"(?:[a-z]+\.)?linkedin\.com",
        "/(?:redir/(?:redirect|general-malware-page)|safety/go|slink)",
        "url",
        "posts and messages",
    ),
    _rule("Facebook", r"(?:l|lm|m|www)\.facebook\.com", r"/l\.php\Z", "u", "posts and messages"),
    _rule("Instagram", r"l\.instagram\.com", "/", "u", "profiles and messages"),
    _rule("WhatsApp", r"l\.wl\.co", "/l", "u", "messages of businesses"),
    _rule("Slack", r"slack-redir\.net", r"/link\Z", "url", "messages"),
    _rule("Steam", r"steamcommunity\.com", r"/linkfilter/?\Z", "u url", "profiles and chat"),
    _rule("VK", r"(?:m\.)?vk\.(?:com|ru)", r"/away(?:\.php)?\Z", "to", "posts and messages"),
    _rule("Reddit", r"out\.reddit\.com", "/", "url", "posts", behind="token app_name"),
    _rule("Tumblr", r"t\.umblr\.com", r"/redirect\Z", "z", "posts", behind="t b"),
    _rule("DuckDuckGo", r"(?:www\.)?duckduckgo\.com", r"/l/?\Z", "uddg", "results"),
)
"""The rules, the first that fits an address decides."""

_SAFELINKS_DATA = re.compile(r"&(?:amp;)?data=\d\d%7C\d\d%7C")


def is_mangled(text: str) -> bool:
    """Tell whether the URL *text* ends as SafeLinks do. On another host, such a one has lost its beginning.

    So stands in archives: `https://st/at.a.example%2Fb&data=05%7C02%7C...&sdata=...`.
    """
    data = _SAFELINKS_DATA.search(text)
    return data is not None and text.find("sdata=", data.end()) > 0


@lru_cache(maxsize=4096)
def rules_of(host: str | None) -> tuple[Rule, ...]:
    """Return the rules for addresses on *host*, none for most. A text has the same hosts again and again."""
    name = (host or "").lower().rstrip(".")
    return tuple(rule for rule in RULES if rule.hosts.fullmatch(name))
