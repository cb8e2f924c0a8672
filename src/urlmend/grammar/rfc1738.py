"""The grammar of RFC 1738, section 5, "BNF for specific URL schemes".

`_GRAMMAR` has each rule once, in the RFC's order: on the left the RFC's own lines, word for word (a test compares them
with the RFC), on the right the regular expression for them. `<rule>` in a pattern refers to another rule, by a name in
which `_` replaces other signs; inside a class it means the characters of that rule's class. So a profile that changes
one rule changes every place that uses it (`grammar.profiles`). A name without `=` is a piece of the rule before it.

The only captures written here are the explicit `(?P<...>)`; the others follow from the fields of the URL classes
(`grammar.parser`). No pattern has an anchor. A repetition is possessive (`*+`, `++`) where nothing that can follow it
begins with a repeated character.

Where the BNF leaves a choice, or the prose of section 3 differs, a comment above the rule says what was chosen.
"""

import re
from collections.abc import Mapping
from functools import cache


def run(characters: str, *, least: int = 0, escape: str = "<escape>") -> str:
    """Return a pattern for *least* (0 or 1) or more of *characters*, the inside of a class, and of *escape*.

    The RFC writes such a run as `*[ uchar | ... ]` or `1*[ uchar | ... ]`, where `uchar` is `unreserved | escape`. `re`
    repeats a class much faster than an alternation. No class here contains the `%` of an escape.
    """
    return f"(?:[{characters}]++|{escape}){'++' if least else '*+'}"


_GRAMMAR: Mapping[str, str] = {
    'genericurl     = scheme ":" schemepart': r"<scheme>:<schemepart>",
    "url            = httpurl | ftpurl | newsurl |\n"
    "                 nntpurl | telneturl | gopherurl |\n"
    "                 waisurl | mailtourl | fileurl |\n"
    "                 prosperourl | otherurl": (
        r"(?:<httpurl>|<ftpurl>|<newsurl>|<nntpurl>|<telneturl>|<gopherurl>"
        r"|<waisurl>|<mailtourl>|<fileurl>|<prosperourl>|<otherurl>)"
    ),
    # Read literally this admits `http:anything`. The RFC's comment says "new schemes follow the general syntax", so the
    # parser uses it for schemes without a rule of their own only, and `http://` alone is not a URL.
    "otherurl       = genericurl": r"<genericurl>",
    # "the scheme is in lower case; interpreters should use case-ignore" (also section 2.1): either case is accepted.
    'scheme         = 1*[ lowalpha | digit | "+" | "-" | "." ]': r"(?i:[<lowalpha><digit>+.\-])++",
    # Every ip-schemepart is a *xchar too; it is tried first because it has parts.
    "schemepart     = *xchar | ip-schemepart": rf"(?:<ip_schemepart>|{run('<unreserved><reserved>')})",
    # Section 3.1: the common syntax of IP-based protocols.
    'ip-schemepart  = "//" login [ "/" urlpath ]': r"//<login>(?:/<urlpath>)?",
    # An empty user name or password differs from an absent one (3.1), so `user` and `password` may be empty.
    'login          = [ user [ ":" password ] "@" ] hostport': r"(?:<user>(?::<password>)?@)?<hostport>",
    'hostport       = host [ ":" port ]': r"<host>(?::<port>)?",
    "host           = hostname | hostnumber": r"(?:<hostname>|<hostnumber>)",
    'hostname       = *[ domainlabel "." ] toplabel': r"(?:<domainlabel>\.)*<toplabel>",
    'domainlabel    = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit': r"<alphadigits>(?:-++<alphadigits>)*+",
    'toplabel       = alpha | alpha *[ alphadigit | "-" ] alphadigit': r"<alpha><alphadigits>?+(?:-++<alphadigits>)*+",
    "alphadigit     = alpha | digit": r"[<alpha><digit>]",
    # A piece of domainlabel and toplabel that never backtracks: nothing that may follow a label is part of one.
    "alphadigits": r"<alphadigit>++",
    # Section 3.1 says "a set of four decimal digit groups" and sets no range.
    'hostnumber     = digits "." digits "." digits "." digits': r"<digits>\.<digits>\.<digits>\.<digits>",
    "port           = digits": r"<digits>",
    'user           = *[ uchar | ";" | "?" | "&" | "=" ]': run("<unreserved>;?&="),
    'password       = *[ uchar | ";" | "?" | "&" | "=" ]': run("<unreserved>;?&="),
    "urlpath        = *xchar": run("<unreserved><reserved>"),
    # Section 3.2: FTP.
    'ftpurl         = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]': (
        r"(?i:ftp)://<login>(?:/<fpath>(?:;type=<ftptype>)?)?"
    ),
    'fpath          = fsegment *[ "/" fsegment ]': r"<fsegment>(?:/<fsegment>)*",
    'fsegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]': run("<unreserved>?:@&="),
    'ftptype        = "A" | "I" | "D" | "a" | "i" | "d"': r"[AIDaid]",
    # Section 3.10: files.
    # The rule `host` takes "localhost" too; FileURL.is_local tells them apart.
    'fileurl        = "file://" [ host | "localhost" ] "/" fpath': r"(?i:file)://(?:<host>)?/<fpath>",
    # Section 3.3: HTTP.
    'httpurl        = "http://" hostport [ "/" hpath [ "?" search ]]': (
        r"(?i:http)://<hostport>(?:/<hpath>(?:\?<search>)?)?"
    ),
    'hpath          = hsegment *[ "/" hsegment ]': r"<hsegment>(?:/<hsegment>)*",
    'hsegment       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]': run("<unreserved>;:@&="),
    'search         = *[ uchar | ";" | ":" | "@" | "&" | "=" ]': run("<unreserved>;:@&="),
    # Section 3.4: Gopher.
    # The bare / means "/". selector is *xchar and takes every "%09", so the two inner brackets add no string, and it
    # would take cubic time to try them. Only GopherURL splits at "%09" (3.4.2, 3.4.3).
    'gopherurl      = "gopher://" hostport [ / [ gtype [ selector\n'
    '                 [ "%09" search [ "%09" gopher+_string ] ] ] ] ]': r"(?i:gopher)://<hostport>(?:/<gopher_path>)?",
    "gopher_path": r"(?:<gtype><selector>)?",
    "gtype          = xchar": r"<xchar>",
    "selector       = *xchar": run("<unreserved><reserved>"),
    "gopher+_string = *xchar": run("<unreserved><reserved>"),
    # Section 3.5: mailto.
    'mailtourl      = "mailto:" encoded822addr': r"(?i:mailto):<encoded822addr>",
    # "further defined in RFC822": MailtoURL decodes it and checks it against RFC 822 section 6.1.
    "encoded822addr = 1*xchar": run("<unreserved><reserved>", least=1),
    # Section 3.6: news.
    'newsurl        = "news:" grouppart': r"(?i:news):<grouppart>",
    'grouppart      = "*" | group | article': r"(?:(?P<everything>\*)|<article>|<group>)",
    'group          = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]': r"<alpha>[<alpha><digit>\-.+_]*+",
    'article        = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host': (
        run("<unreserved>;/?:&=", least=1) + "@<host>"
    ),
    # Section 3.7: NNTP.
    'nntpurl        = "nntp://" hostport "/" group [ "/" digits ]': (
        r"(?i:nntp)://<hostport>/<group>(?:/(?P<article_number><digits>))?"
    ),
    # Section 3.8: Telnet.
    'telneturl      = "telnet://" login [ "/" ]': r"(?i:telnet)://<login>/?",
    # Section 3.9: WAIS.
    "waisurl        = waisdatabase | waisindex | waisdoc": r"(?:<waisdatabase>|<waisindex>|<waisdoc>)",
    'waisdatabase   = "wais://" hostport "/" database': r"(?i:wais)://<hostport>/<database>",
    'waisindex      = "wais://" hostport "/" database "?" search': r"(?i:wais)://<hostport>/<database>\?<search>",
    'waisdoc        = "wais://" hostport "/" database "/" wtype "/" wpath': (
        r"(?i:wais)://<hostport>/<database>/<wtype>/<wpath>"
    ),
    "database       = *uchar": run("<unreserved>"),
    "wtype          = *uchar": run("<unreserved>"),
    "wpath          = *uchar": run("<unreserved>"),
    # Section 3.11: Prospero.
    'prosperourl    = "prospero://" hostport "/" ppath *[ fieldspec ]': (
        r"(?i:prospero)://<hostport>/<ppath>(?P<fieldspecs>(?:<fieldspec>)*)"
    ),
    'ppath          = psegment *[ "/" psegment ]': r"<psegment>(?:/<psegment>)*",
    'psegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]': run("<unreserved>?:@&="),
    'fieldspec      = ";" fieldname "=" fieldvalue': r";<fieldname>=<fieldvalue>",
    'fieldname      = *[ uchar | "?" | ":" | "@" | "&" ]': run("<unreserved>?:@&"),
    'fieldvalue     = *[ uchar | "?" | ":" | "@" | "&" ]': run("<unreserved>?:@&"),
    # Characters (section 2.2).
    'lowalpha       = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" |\n'
    '                 "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" |\n'
    '                 "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" |\n'
    '                 "y" | "z"': r"[a-z]",
    'hialpha        = "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" |\n'
    '                 "J" | "K" | "L" | "M" | "N" | "O" | "P" | "Q" | "R" |\n'
    '                 "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z"': r"[A-Z]",
    "alpha          = lowalpha | hialpha": r"[<lowalpha><hialpha>]",
    'digit          = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" |\n                 "8" | "9"': r"[0-9]",
    'safe           = "$" | "-" | "_" | "." | "+"': r"[$\-_.+]",
    'extra          = "!" | "*" | "\'" | "(" | ")" | ","': r"[!*'(),]",
    'national       = "{" | "}" | "|" | "\\" | "^" | "~" | "[" | "]" | "`"': r"[{}|\\^~\[\]`]",
    'punctuation    = "<" | ">" | "#" | "%" | <">': r'[<>#%"]',
    'reserved       = ";" | "/" | "?" | ":" | "@" | "&" | "="': r"[;/?:@&=]",
    'hex            = digit | "A" | "B" | "C" | "D" | "E" | "F" |\n'
    '                 "a" | "b" | "c" | "d" | "e" | "f"': r"[<digit>A-Fa-f]",
    'escape         = "%" hex hex': r"%<hex>{2}",
    "unreserved     = alpha | digit | safe | extra": r"[<alpha><digit><safe><extra>]",
    "uchar          = unreserved | escape": r"(?:<unreserved>|<escape>)",
    "xchar          = unreserved | reserved | escape": r"(?:[<unreserved><reserved>]|<escape>)",
    "digits         = 1*digit": r"<digit>++",
}

_BY_NAME = {re.sub("[^a-z0-9]+", "_", bnf.partition(" ")[0]): bnf for bnf in _GRAMMAR}

RULES: Mapping[str, str] = {name: _GRAMMAR[bnf] for name, bnf in _BY_NAME.items()}
"""The pattern of each rule, by the rule's name."""

BNF: Mapping[str, str] = _BY_NAME | {"alphadigits": _BY_NAME["alphadigit"], "gopher_path": _BY_NAME["gopherurl"]}
"""The RFC's own lines for each rule, by the rule's name; for a piece of a rule, the lines for that rule."""

PRODUCTIONS: Mapping[str, tuple[str, ...]] = {
    **{scheme: (f"{scheme}url",) for scheme in "ftp file http gopher mailto news nntp telnet prospero".split()},
    "wais": ("waisdatabase", "waisindex", "waisdoc"),
}
"""The rules for the URLs of each scheme, in the order in which they are tried; `otherurl` is for all other schemes."""

PARTS = frozenset(
    "host port user password fpath ftptype hpath search gopher_path encoded822addr headers group article database "
    "wtype wpath ppath urlpath fragment".split()
)
"""The rules whose text is a part of a URL; some are of `grammar.departures`."""

# `<field:rule>` captures a rule as that field.
_REFERENCE = re.compile(r"(?<!\?P)<(?:(?P<field>\w+):)?(?P<rule>\w+)>")
_CLASS = re.compile(r"\[(?:\\.|[^\]\\])+\]")
_CLASS_OR_REFERENCE = re.compile(rf"(?P<class>{_CLASS.pattern})|{_REFERENCE.pattern}")


def references(template: str) -> set[str]:
    """Return the names of the rules that *template* refers to."""
    return {reference["rule"] for reference in _REFERENCE.finditer(template)}


def expand(template: str, rules: Mapping[str, str], fields: frozenset[str] = frozenset()) -> str:
    """Replace each `<rule>` in *template* by that rule's pattern, itself expanded.

    A rule whose name or field is in *fields* becomes a capture of that name; nothing inside it is captured. A reference
    inside a class must be to a class, and is replaced by the characters between its brackets.
    """

    @cache
    def expanded(template: str, fields: frozenset[str]) -> str:
        def pattern(found: re.Match[str]) -> str:
            if found["class"]:
                return _REFERENCE.sub(lambda within: expanded(rules[within["rule"]], frozenset())[1:-1], found["class"])
            rule = found["rule"]
            if (field := found["field"] or rule) in fields:
                return f"(?P<{field}>{expanded(rules[rule], frozenset())})"
            inside = expanded(rules[rule], fields)
            # `re` takes as long to compile a group as ten characters.
            is_sequence = "|" not in inside and not template.startswith(("*", "+", "?", "{"), found.end())
            return inside if is_sequence or _CLASS.fullmatch(inside) else f"(?:{inside})"

        return _CLASS_OR_REFERENCE.sub(pattern, template)

    return expanded(template, fields)
