"""The departures in hosts and ports, which nearly all schemes share."""

from urlmend.grammar.departure import Departure, Edit
from urlmend.grammar.rfc1738 import run

HOST_DEPARTURES: tuple[Departure, ...] = (
    Departure(
        name="empty-port",
        rfc1738="wants digits after the colon of a port (3.1, 5)",
        web='lets the port be empty (RFC 3986 3.2.3: "port = *DIGIT")',
        example="ftp://a.example:/pub/",
        seen=20,
        edits=(Edit("port", "<digits>", "<digits>?"),),
        sign=r"//[^/]*:(?:$|[/?#])",
    ),
    Departure(
        name="port-range",
        rfc1738="sets no bound on a port's digits (5)",
        web="has 16 bits for a port (RFC 9293 3.1; WHATWG URL 4.4 fails above 65535)",
        example="http://a.example:99999/",
        seen=0,
        edits=(
            Edit("port", "<digits>", "<tcp_port>"),
            Edit("tcp_port", "", "0*(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4})"),
        ),
        narrower=True,
    ),
    Departure(
        name="ipv4-range",
        rfc1738="sets no bound on the digit groups of a host number (5)",
        web="has 8 bits for each (RFC 3986 3.2.2; WHATWG URL 3.5 fails above 255)",
        example="http://300.1.1.1/",
        seen=0,
        edits=(
            Edit("hostnumber", r"<digits>\.<digits>\.<digits>\.<digits>", r"<octet>\.<octet>\.<octet>\.<octet>"),
            Edit("octet", "", "0*(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"),
        ),
        narrower=True,
    ),
    Departure(
        name="underscore-host",
        rfc1738="has letters, digits and inner hyphens in host names (3.1)",
        web='has "_" in labels too (RFC 3986 3.2.2, reg-name; in use in the DNS, RFC 8552)',
        example="http://big_blue.a.example/",
        seen=22,
        edits=(Edit("alphadigit", "<digit>", "<digit>_"),),
        sign="_",
    ),
    Departure(
        name="root-dot",
        rfc1738="ends a host name with its top label (3.1)",
        web="lets the root's empty label follow (RFC 3986 3.2.2)",
        example="http://a.example./",
        seen=2,
        edits=(Edit("hostname", "<toplabel>", r"<toplabel>\.?"),),
        sign=r"\.(?:$|[:/?#,])",
    ),
    Departure(
        name="escaped-host",
        rfc1738="has no escapes in host names (3.1)",
        web="allows them (RFC 3986 3.2.2, reg-name); seen where spam hides its host",
        example="http://%77ww.a.example/",
        seen=13,
        edits=(
            Edit("alphadigits", "", run("<alphadigit>", least=1)),
            Edit("toplabel", "<alpha>", "(?:<alpha>|<escape>)"),
        ),
        sign="%",
    ),
    Departure(
        name="ipv6",
        rfc1738="knows names and IPv4 numbers (3.1)",
        web="writes IPv6 addresses in brackets (RFC 3986 3.2.2), a zone after %25 (RFC 6874)",
        example="http://[2001:db8::1]:8080/",
        seen=0,
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
                "(?:(?:(?:<h16>:){6}"
                "|::(?:<h16>:){5}"
                "|<h16>?::(?:<h16>:){4}"
                "|(?:(?:<h16>:){0,1}<h16>)?::(?:<h16>:){3}"
                "|(?:(?:<h16>:){0,2}<h16>)?::(?:<h16>:){2}"
                "|(?:(?:<h16>:){0,3}<h16>)?::<h16>:"
                "|(?:(?:<h16>:){0,4}<h16>)?::)<ls32>"
                "|(?:(?:<h16>:){0,5}<h16>)?::<h16>"
                "|(?:(?:<h16>:){0,6}<h16>)?::)",
            ),
        ),
        sign=r"\[",
    ),
)
"""In the order in which the edits are made."""
