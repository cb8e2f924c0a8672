"""RFC 1738's appendix, "Recommendations for URLs in Context": its own example, as it stands and as it travels."""

import re

import pytest

from urlmend import RFC1738, WEB, Profile, find_urls

EXAMPLE = """\
      Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
      type=d> but you can probably pick it up from <URL:ftp://ds.in
      ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.
      net/instructions/overview.html#WARNING>.
"""
URLS = [
    "ftp://info.cern.ch/pub/www/doc;type=d",
    "ftp://ds.internic.net/rfc",
    "http://ds.internic.net/instructions/overview.html#WARNING",
]
PAGE_BREAK = """


Berners-Lee, Masinter & McCahill                               [Page 22]
\f
RFC 1738            Uniform Resource Locators (URL)        December 1994


"""


def led(leader: str) -> str:
    return re.sub("^ *", leader, EXAMPLE, flags=re.MULTILINE)


def numbered(text: str, first: int) -> str:
    return "".join(f"{number:5d}.  {line}\n" for number, line in enumerate(text.splitlines(), first))


def paged(line: int) -> str:
    """Split the example after its first *line* lines by a page break."""
    lines = EXAMPLE.splitlines(keepends=True)
    return "".join(lines[:line]) + PAGE_BREAK.removeprefix("\n") + "".join(lines[line:])


TEXTS = {
    "as it stands": EXAMPLE,
    "CRLF": EXAMPLE.replace("\n", "\r\n"),
    "CR": EXAMPLE.replace("\n", "\r"),
    "blanks at the line ends": EXAMPLE.replace("\n", "  \n"),
    "not indented": led(""),
    "by a tab": led("\t"),
    "quoted with >": led("> "),
    "quoted with > and no blank": led(">"),
    "quoted with >>": led(">> "),
    "quoted with > >": led("> > "),
    "quoted with |": led("| "),
    "quoted with initials": led("JD> "),
    "quoted, indented": EXAMPLE.replace("      ", ">       "),
    "comment ;;": led(";; "),
    "comment #": led("# "),
    "comment //": led("// "),
    "comment *": led(" * "),
    "comment --": led("-- "),
    "comment %": led("% "),
    "comment dnl": led("dnl "),
    "line numbers": numbered(EXAMPLE, 1222),
    "line numbers over a power of ten": numbered(EXAMPLE, 98),
    "page break in the first URL": paged(1),
    "page break in the second URL": paged(2),
    "page break in the third URL": paged(3),
    "page break, CRLF": paged(2).replace("\n", "\r\n"),
    "page break, line numbers": numbered(paged(2), 1222),
    "page break, quoted": re.sub("^", "> ", paged(2), flags=re.MULTILINE),
}


@pytest.mark.parametrize("profile", [WEB, RFC1738], ids=lambda profile: profile.name)
@pytest.mark.parametrize("name", TEXTS)
def test_the_three_urls_come_out_whole(name: str, profile: Profile) -> None:
    text = TEXTS[name]
    # A fragment is no part of an RFC 1738 URL, though the appendix has one in its wrapper.
    expected = URLS if profile is WEB else URLS[:2]
    for data in (text, text.encode("ascii")):
        matches = find_urls(data, profile=profile)
        assert [match.url for match in matches] == expected
        for match in matches:
            assert match.form == "wrapper"
            assert data[match.start : match.end] in (match.raw, match.raw.encode("ascii"))
            assert len(match.breaks) == 1
            assert match.readings == (match.url,)
            assert not match.ambiguous
