"""The named ways in which deployed URLs depart from RFC 1738, as data.

Each says what the RFC has and what the web does and why, gives an example, and edits named rules of `grammar.rfc1738`.
The profile `WEB` is this list and nothing else.
"""

from urlmend.grammar.departure import Departure, Edit
from urlmend.grammar.host_departures import HOST_DEPARTURES
from urlmend.grammar.rfc1738 import run

DEPARTURES: tuple[Departure, ...] = (
    Departure(
        name="mailto-headers",
        rfc1738="has an encoded RFC 822 address after mailto: and nothing more (3.5)",
        web="has addresses, header fields after ?, or both (RFC 6068 2)",
        example="mailto:jane@a.example?subject=hi",
        seen=2281,
        edits=(
            Edit("encoded822addr", "<reserved>", ";/:@&="),
            Edit("mailtourl", "<encoded822addr>", r"<encoded822addr>(?:\?<headers>)?"),
            Edit("mailtourl_headers", "", r"(?i:mailto):\?<headers>"),
            Edit("headers", "", run("<unreserved>;/?:@&=", least=1)),
        ),
        sign=r"\?",
        productions={"mailto": ("mailtourl", "mailtourl_headers")},
    ),
    Departure(
        name="mailto-address",
        rfc1738="takes any xchar after mailto:, and leaves the rest to RFC 822 (3.5, 5)",
        web="has addresses with an @ and a host, separated by commas (RFC 6068 2)",
        example="mailto:jane",
        seen=24,
        edits=(
            Edit("encoded822addr", "", "<addr_spec>(?:,<addr_spec>)*"),
            Edit("addr_spec", "", r"<atom>(?:\.<atom>)*@<host>"),
            Edit("atom", "", run(r"<alpha><digit>!$&'*+\-/=_", least=1)),
        ),
        narrower=True,
    ),
    Departure(
        name="https",
        rfc1738="knows no https; the scheme is an otherurl (5)",
        web="is http's syntax under another scheme (RFC 2818, RFC 9110 4.2.2)",
        example="https://a.example/",
        seen=5756,
        edits=(Edit("httpurl", "(?i:http)", "(?i:https?)"),),
        sign=r"^(?i:https)",
        productions={"https": ("httpurl",)},
    ),
    Departure(
        name="fragment",
        rfc1738='keeps "#" out of URLs: it delimits them from a fragment identifier (2.2)',
        web="writes the fragment with the URL (RFC 3986 3.5); the appendix puts it inside the wrapper too",
        example="http://a.example/#top",
        seen=802,
        edits=(Edit("fragment", "", run("<unreserved>;/?:@&=")),),
        sign="#",
    ),
    Departure(
        name="tilde",
        rfc1738='calls "~" unsafe: gateways are known to modify it (2.2)',
        web="uses it for home directories; RFC 3986 2.3 made it unreserved",
        example="http://a.example/~jane/",
        seen=1453,
        edits=(Edit("unreserved", "<extra>", "<extra>~"), Edit("atom", "=_", "=_~")),
        sign="~",
    ),
    Departure(
        name="unsafe",
        rfc1738="calls { } | ^ [ ] unsafe: they must be encoded (2.2)",
        web="leaves them as they are in path, query and fragment (WHATWG URL 4.3 warns and goes on)",
        example="http://a.example/list?id[]=1",
        seen=32,
        edits=(
            Edit("atom", "=_", "=_{}|^"),
            Edit("hsegment", ";:@&=", r";:@&={}|^\[\]"),
            Edit("search", ";:@&=", r";:@&={}|^\[\]"),
            Edit("fragment", ";/?:@&=", r";/?:@&={}|^\[\]"),
            Edit("urlpath", "<reserved>", r"<reserved>{}|^\[\]"),
            Edit("schemepart", "<reserved>", r"<reserved>{}|^\[\]"),
        ),
        sign=r"[{}|^\[\]]",
    ),
    Departure(
        name="query-delimiters",
        rfc1738='has no "/" or "?" in a search part (3.3, 5)',
        web="allows both (RFC 3986 3.4)",
        example="http://a.example/go?to=/b/c",
        seen=240,
        edits=(Edit("search", ";:@&=", ";:@&=/?"),),
        sign=r"\?.*[/?]",
    ),
    Departure(
        name="query-without-path",
        rfc1738='has a search part only after "/" hpath (3.3, 5)',
        web="lets it follow the host (RFC 3986 3.3, path-empty)",
        example="http://a.example?q=1",
        seen=14,
        edits=(Edit("httpurl", r"(?:/<hpath>(?:\?<search>)?)?", r"(?:/<hpath>)?(?:\?<search>)?"),),
        sign=r"^[^/]*//[^/]*\?",
    ),
    Departure(
        name="userinfo",
        rfc1738="allows no user name or password in http (3.3)",
        web="allows them (RFC 3986 3.2.1), and browsers still read them",
        example="http://jane@a.example/",
        seen=6,
        # Not login, whose user may hold a "?": that begins the query here (RFC 3986 3.2).
        edits=(
            Edit(
                "httpurl",
                "<hostport>",
                f"(?:(?P<user>{run('<unreserved>;&=')})(?::(?P<password>{run('<unreserved>;&=')}))?@)?<hostport>",
            ),
        ),
        sign="@",
    ),
    *HOST_DEPARTURES,
    Departure(
        name="iri",
        rfc1738="is written in US-ASCII (2.2)",
        web="shows other letters as they are: IRIs (RFC 3987 2.2), IDNA hosts (RFC 5890)",
        example="http://bücher.example/",
        seen=9,
        edits=(
            Edit("unreserved", "<alpha>", "<alpha><ucschar>"),
            Edit("alphadigit", "<alpha>", "<alpha><ucschar>"),
            Edit("toplabel", "<alpha>", "[<alpha><ucschar>]"),
            Edit("atom", "<alpha>", "<alpha><ucschar>"),
            Edit(
                "ucschar",
                "",
                "[\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
                + "".join(f"{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 14))
                + f"{chr(0xE1000)}-{chr(0xEFFFD)}]",
            ),
        ),
        sign=r"[^\x00-\x7f]",
    ),
    Departure(
        name="message-id",
        rfc1738="wants the characters of a Message-ID encoded that are not uchar (3.6)",
        web="is full of clients that write the Message-ID as it is (RFC 5536 3.1.3), a bare % above all",
        example="news:Xn%n7.6750$ym@a.example",
        seen=16,
        # With a bare % an escape is no more than its characters.
        edits=(Edit("article", "", "[<unreserved>;/?:&=%#^{|}`]++@<host>"),),
        sign="[%#^{|}`]",
    ),
    Departure(
        name="news-server",
        rfc1738="has no server in a news URL (3.6)",
        web="allows one before the group or article (RFC 5538 3)",
        example="news://news.a.example/comp.lang.c",
        seen=2,
        edits=(Edit("newsurl_server", "", "(?i:news)://<hostport>/<grouppart>"),),
        sign="//",
        productions={"news": ("newsurl", "newsurl_server")},
    ),
    Departure(
        name="file-without-host",
        rfc1738='has "//" and a host, which may be empty, in a file URL (3.10)',
        web='lets "//" be left out with the host (RFC 8089 appendix B)',
        example="file:/etc/motd",
        seen=3,
        edits=(
            Edit(
                "fileurl_local",
                "",
                f"(?i:file):/(?P<fpath>{run('<unreserved>?:@&=', least=1)}(?:/<fsegment>)*)?",
            ),
        ),
        sign="^[^/]*:/(?!/)",
        productions={"file": ("fileurl", "fileurl_local")},
    ),
    Departure(
        name="scheme-letter",
        rfc1738='lets a scheme begin with a digit, "+", "-" or "." (5)',
        web="has a letter first (RFC 3986 3.1)",
        example="12:30",
        seen=0,
        edits=(Edit("scheme", "(?i:", "(?i:<lowalpha>)(?i:"), Edit("scheme", "++", "*+")),
        narrower=True,
    ),
    Departure(
        name="something-named",
        rfc1738="lets the part after the scheme be empty (5)",
        web="names something: more than slashes must follow the scheme",
        example="x-editor://",
        seen=0,
        edits=(Edit("schemepart", "|[", "|/*+(?:[<unreserved>;?:@&=]|<escape>)["),),
        narrower=True,
    ),
)
"""Every departure of the profile WEB, in the order in which the edits are made."""


def table() -> str:
    """Return the departures as a Markdown table, as it stands in the README."""
    rows = ["| departure | RFC 1738 | the web | example | seen |", "|---|---|---|---|---|"]
    for departure in DEPARTURES:
        name = f"{departure.name} (*narrower*)" if departure.narrower else departure.name
        cells = (name, departure.rfc1738, departure.web, f"`{departure.example}`", str(departure.seen))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)
