"""The named departures of deployed URLs from RFC 1738, as data.

Each says what the RFC has, what the web has and why, gives an example, and edits named rules of `grammar.rfc1738`. The
profile `WEB` is RFC 1738 with the departures of this list.
"""

from collections.abc import Mapping
from typing import NamedTuple

from urlmend.grammar.rfc1738 import run


class Edit(NamedTuple):
    """One change of *rule*: every *old* in it becomes *new*. If *old* is empty, the whole rule does.

    It is an error if *old* is not in the rule. If the profile does not have the rule, which another departure defines,
    the edit does nothing.
    """

    rule: str
    old: str
    new: str


class Departure(NamedTuple):
    """One named difference between deployed URLs and RFC 1738, and the edits that make it.

    `rfc1738` says what the RFC has, with the section, and `web` what deployed URLs have and why.
    `sign` is a regular expression found in every URL that needs the departure: a quick test. If it is `certain`, it
    is a proof for http and https URLs without brackets, in which an IPv6 zone has letters of its own.
    `productions` are, by scheme, the rules that URLs are matched against with the departure.
    """

    name: str
    rfc1738: str
    web: str
    example: str
    edits: tuple[Edit, ...]
    sign: str = ""
    certain: bool = False
    productions: Mapping[str, tuple[str, ...]] = {}

    @property
    def narrower(self) -> bool:
        """Whether it refuses something that the RFC's grammar admits, so that no URL needs it and it has no sign."""
        return not self.sign


def number(bits: int) -> str:
    """Return a pattern for a number of *bits*, in decimal, in octal after `0`, or in hexadecimal after `0x`."""
    most = str((1 << bits) - 1)
    ways = [most, f"[1-9][0-9]{{0,{len(most) - 2}}}"]
    for at, digit in enumerate(most):
        least = 0 if at else 1
        if int(digit) > least:
            ways.append(f"{most[:at]}[{least}-{int(digit) - 1}][0-9]{{{len(most) - at - 1}}}")
    octal = f"[0-{(1 << bits % 3) - 1}]?[0-7]{{0,{bits // 3}}}"
    return f"(?:{'|'.join(ways)}|0++{octal}|0[Xx]0*+[0-9A-Fa-f]{{0,{bits // 4}}})"


_HOST_START = "(?://|@|%40)"
# Each stops where another host may start, so that texts of nothing but "@" are not read again and again.
_UNDERSCORE_IN_HOST = rf"{_HOST_START}[^/?#@%_]*+(?:%(?!40)[^/?#@%_]*+)*+_"
_ESCAPE_IN_HOST = rf"{_HOST_START}[^/?#@%]*+%"

DEPARTURES: tuple[Departure, ...] = (
    Departure(
        name="mailto-headers",
        rfc1738="has an encoded RFC 822 address after mailto: and nothing more (3.5)",
        web="has addresses, header fields after ?, or both (RFC 6068 2)",
        example="mailto:jane@a.example?subject=hi",
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
        rfc1738="allows any xchar after mailto: and leaves the rest to RFC 822 (3.5, 5)",
        web="needs mail addresses with a host, such as jane@a.example, separated by commas (RFC 6068 2)",
        example="mailto:jane",
        edits=(
            Edit("encoded822addr", "", "<addr_spec>(?:,<addr_spec>)*"),
            Edit("addr_spec", "", r"(?:<atom>(?:\.<atom>)*@|<encoded_atom>(?:\.<encoded_atom>)*%40)<host>"),
            Edit("atom", "", run("<atext>", least=1)),
            # The local part of such an address has no other %40, or it would be unclear where the host starts.
            Edit("encoded_atom", "", run("<atext>", least=1, escape="<no_encoded_at>")),
            Edit("no_encoded_at", "", "%(?:[0-35-9A-Fa-f]<hex>|4[1-9A-Fa-f])"),
            Edit("atext", "", r"[<alpha><digit>!$&'*+\-/=_]"),
        ),
    ),
    Departure(
        name="https",
        rfc1738="has no https: such a URL is an otherurl (5)",
        web="uses http's syntax under another scheme (RFC 2818, RFC 9110 4.2.2)",
        example="https://a.example/",
        edits=(Edit("httpurl", "(?i:http)", "(?i:https?)"),),
        sign=r"^(?i:https)",
        certain=True,
        productions={"https": ("httpurl",)},
    ),
    Departure(
        name="fragment",
        rfc1738='excludes "#", which delimits a fragment identifier (2.2)',
        web="includes the fragment in the URL (RFC 3986 3.5); the appendix also puts it inside the wrapper",
        example="http://a.example/#top",
        # Addresses of rooms of Matrix have another one: "https://matrix.to/#/#b:a.example".
        edits=(Edit("fragment", "", run("<unreserved>;?:@&=", escape="<escape>|/#?")),),
        sign="#",
        certain=True,
    ),
    Departure(
        name="tilde",
        rfc1738='calls "~" unsafe: gateways are known to modify it (2.2)',
        web="uses it for home directories; RFC 3986 2.3 made it unreserved",
        example="http://a.example/~jane/",
        edits=(Edit("unreserved", "<extra>", "<extra>~"), Edit("atext", "=_", "=_~")),
        sign="~",
        certain=True,
    ),
    Departure(
        name="unsafe",
        rfc1738="calls { } | ^ [ ] unsafe: they must be encoded (2.2)",
        web="leaves them unencoded in path, query and fragment (WHATWG URL 4.3 only warns)",
        example="http://a.example/list?id[]=1",
        edits=(
            Edit("atext", "=_", "=_{}|^"),
            Edit("hsegment", ";:@&=", r";:@&={}|^\[\]"),
            Edit("search", ";:@&=", r";:@&={}|^\[\]"),
            Edit("fragment", ";?:@&=", r";?:@&={}|^\[\]"),
            # No bar, which browsers take for the drive of a file.
            Edit("fsegment", "?:@&=", r"?:@&=\[\]"),
            Edit("selector", "<reserved>", r"<reserved>\[\]"),
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
        edits=(Edit("search", ";:@&=", ";:@&=/?"),),
        sign=r"^[^#?]*\?[^#]*[/?]",
        certain=True,
    ),
    Departure(
        name="query-without-path",
        rfc1738='has a search part only after "/" hpath (3.3, 5)',
        web="allows one directly after the host (RFC 3986 3.3, path-empty)",
        example="http://a.example?q=1",
        edits=(Edit("httpurl", r"(?:/<hpath>(?:\?<search>)?)?", r"(?:/<hpath>)?(?:\?<search>)?"),),
        sign=r"^[^/]*//[^/]*\?",
    ),
    Departure(
        name="userinfo",
        rfc1738="allows no user name or password in http (3.3)",
        web="allows them (RFC 3986 3.2.1), and browsers still read them",
        example="http://jane@a.example/",
        # Not login, whose user may contain "?": here that starts the query (RFC 3986 3.2).
        edits=(
            Edit(
                "httpurl",
                "<hostport>",
                f"(?:(?P<user>{run('<unreserved>;&=')})(?::(?P<password>{run('<unreserved>;&=')}))?@)?<hostport>",
            ),
        ),
        sign="^[^/]*//[^/?#]*@",
        certain=True,
    ),
    Departure(
        name="empty-port",
        rfc1738="requires digits after the colon of a port (3.1, 5)",
        web='allows an empty port (RFC 3986 3.2.3: "port = *DIGIT")',
        example="ftp://a.example:/pub/",
        edits=(Edit("port", "<digits>", "<digits>?"),),
        sign=r"//[^/]*:(?:$|[/?#])",
    ),
    Departure(
        name="port-range",
        rfc1738="sets no bound on a port's digits (5)",
        web="limits a port to 16 bits (RFC 9293 3.1; WHATWG URL 4.4 fails above 65535)",
        example="http://a.example:99999/",
        edits=(
            Edit("port", "<digits>", "<tcp_port>"),
            Edit("tcp_port", "", "0*(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4})"),
        ),
    ),
    Departure(
        name="ipv4-range",
        rfc1738="sets no bound on the digit groups of a host number (5)",
        web="limits each to 8 bits (RFC 3986 3.2.2; WHATWG URL 3.5 fails above 255)",
        example="http://300.1.1.1/",
        edits=(
            Edit("hostnumber", r"<digits>\.<digits>\.<digits>\.<digits>", r"(?:<octet>\.){3}<octet>"),
            Edit("octet", "", "0*(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})"),
        ),
    ),
    Departure(
        name="number-host",
        rfc1738="has names and four decimal numbers (3.1, 5)",
        web="reads one to four numbers, each decimal, octal after 0 or hexadecimal after 0x (WHATWG URL 3.5)",
        example="http://3232235521/",
        edits=(
            Edit("httpurl", "<hostport>", "<host:web_host>(?::<port>)?"),
            Edit("web_host", "", "(?:<host>|<host_in_numbers>)"),
            Edit(
                "host_in_numbers",
                "",
                r"(?:(?:<bits8>\.){3}<bits8>|(?:<bits8>\.){2}<bits16>|<bits8>\.<bits24>|<bits32>)",
            ),
            *(Edit(f"bits{bits}", "", number(bits)) for bits in (8, 16, 24, 32)),
        ),
        sign=r"(?://|@)[0-9][0-9.]*(?:[Xx][0-9A-Fa-f.Xx]*)?(?:$|[:/?#])",
    ),
    Departure(
        name="underscore-host",
        rfc1738="has letters, digits and inner hyphens in host names (3.1)",
        web='has "_" in labels too (RFC 3986 3.2.2, reg-name; in use in the DNS, RFC 8552)',
        example="http://big_blue.a.example/",
        edits=(Edit("alphadigit", "<digit>", "<digit>_"),),
        sign=_UNDERSCORE_IN_HOST,
    ),
    Departure(
        name="root-dot",
        rfc1738="ends a host name with its top label (3.1)",
        web="allows the root's empty label after it (RFC 3986 3.2.2)",
        example="http://a.example./",
        edits=(Edit("hostname", "<toplabel>", r"<toplabel>\.?"),),
        sign=r"\.(?:$|[:/?#,])",
    ),
    Departure(
        name="escaped-host",
        rfc1738="has no escapes in host names (3.1)",
        web="allows them (RFC 3986 3.2.2, reg-name); seen where spam hides its host",
        example="http://%77ww.a.example/",
        edits=(
            Edit("alphadigits", "", run("<alphadigit>", least=1)),
            Edit("toplabel", "<alpha>", "(?:<alpha>|<escape>)"),
        ),
        sign=_ESCAPE_IN_HOST,
    ),
    Departure(
        name="ipv6",
        rfc1738="has names and IPv4 addresses only (3.1)",
        web="has IPv6 addresses in brackets (RFC 3986 3.2.2), with a zone after %25 (RFC 6874)",
        example="http://[2001:db8::1]:8080/",
        edits=(
            Edit("host", "<hostnumber>", r"<hostnumber>|\[<ipv6address><zone>?\]"),
            Edit("zone", "", "%25" + run(r"A-Za-z0-9._~\-", least=1)),
            Edit("h16", "", "[0-9A-Fa-f]{1,4}"),
            Edit("ls32", "", "(?:<h16>:<h16>|<ipv4address>)"),
            Edit("ipv4address", "", r"<dec_octet>\.<dec_octet>\.<dec_octet>\.<dec_octet>"),
            Edit("dec_octet", "", "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"),
            Edit(
                "ipv6address",
                "",
                "(?:(?:(?:<h16>:){6}|::(?:<h16>:){5}|<h16>?::(?:<h16>:){4}"
                "|(?:(?:<h16>:){0,1}<h16>)?::(?:<h16>:){3}|(?:(?:<h16>:){0,2}<h16>)?::(?:<h16>:){2}"
                "|(?:(?:<h16>:){0,3}<h16>)?::<h16>:|(?:(?:<h16>:){0,4}<h16>)?::)<ls32>"
                "|(?:(?:<h16>:){0,5}<h16>)?::<h16>|(?:(?:<h16>:){0,6}<h16>)?::)",
            ),
        ),
        sign=r"\[",
    ),
    Departure(
        name="iri",
        rfc1738="writes URLs in US-ASCII (2.2)",
        web="writes other letters unencoded: IRIs (RFC 3987 2.2), IDNA hosts (RFC 5890)",
        example="http://bücher.example/",
        edits=(
            Edit("unreserved", "<alpha>", "<alpha><ucschar>"),
            Edit("alphadigit", "<alpha>", "<alpha><ucschar>"),
            Edit("toplabel", "<alpha>", "[<alpha><ucschar>]"),
            Edit("atext", "<alpha>", "<alpha><ucschar>"),
            Edit(
                "ucschar",
                "",
                f"[{''.join(f'{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}' for plane in range(1, 14))}"
                "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U000e1000-\U000efffd]",
            ),
        ),
        sign=r"[^\x00-\x7f]",
        certain=True,
    ),
    Departure(
        name="message-id",
        rfc1738="requires the characters of a Message-ID that are not uchar to be encoded (3.6)",
        web="has many clients that write the Message-ID unencoded (RFC 5536 3.1.3), above all a bare %",
        example="news:Xn%n7.6750$ym@a.example",
        # As a bare % is allowed, an escape is just its characters.
        edits=(Edit("article", "", "[<unreserved>;/?:&=%#^{|}`]++@<host>"),),
        sign="[%#^{|}`]",
    ),
    Departure(
        name="news-server",
        rfc1738="has no server in a news URL (3.6)",
        web="allows one, before a group or article or alone (RFC 5538 3)",
        example="news://news.a.example/comp.lang.c",
        edits=(Edit("newsurl_server", "", "(?i:news)://<hostport>(?:/<grouppart>?)?"),),
        sign="//",
        productions={"news": ("newsurl", "newsurl_server")},
    ),
    Departure(
        name="file-without-host",
        rfc1738='has "//" and a host, which may be empty, in a file URL (3.10)',
        web='allows "//" to be omitted together with the host (RFC 8089 appendix B)',
        example="file:/etc/motd",
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
        rfc1738='allows a scheme to start with a digit, "+", "-" or "." (5)',
        web="requires a letter first (RFC 3986 3.1)",
        example="12:30",
        edits=(Edit("scheme", "(?i:", "(?i:<lowalpha>)(?i:"), Edit("scheme", "++", "*+")),
    ),
    Departure(
        name="something-named",
        rfc1738="allows an empty part after the scheme (5)",
        web="requires more than slashes after the scheme: a URL must name something",
        example="x-editor://",
        edits=(Edit("schemepart", "|(?:[", "|/*+(?:[<unreserved>;?:@&=]|<escape>)(?:["),),
    ),
)
"""The departures of the profile WEB, in the order in which their edits are made."""
