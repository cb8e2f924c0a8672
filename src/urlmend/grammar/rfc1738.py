"""RFC 1738 section 5, "BNF for specific URL schemes": one constant a rule, under the RFC's name and in its order.

Each constant is a regular expression. `<rule>` in it stands for another rule of this module; inside a class it stands
for the characters of that rule's class. So each rule is written once, and a profile that changes one rule changes every
place that uses it (`grammar.profiles`). The line above a constant is the RFC's own, word for word; a test compares it
with the RFC. `-` and `+` in names become `_`; `gopher+_string` is called `gopher_plus`. The only captures written here
are the explicit `(?P<...>)`; the others follow from the fields of the URL classes (`urlmend.grammar.parser`). No
pattern carries an anchor. A possessive `*+` or `++` stands where nothing that follows can begin with what is repeated.

Where the BNF leaves a choice, or section 3's prose says otherwise, the note beside the rule says what was chosen.
"""

import re
from collections.abc import Collection, Mapping


def run(characters: str, *, least: int = 0, escape: str = "<escape>") -> str:
    """Return the pattern of a run of *escape* and of *characters*, the inside of a class; *least* is 0 or 1.

    The RFC writes it `*[ uchar | ... ]` or `1*[ uchar | ... ]`, and `uchar` is `unreserved | escape`. `re` is slow with
    an alternation that is repeated, and quick with a class that is. No class here holds the `%` of an escape.
    """
    rest = f"[{characters}]*+(?:{escape}[{characters}]*+)*+"
    return f"(?:[{characters}]|{escape}){rest}" if least else rest


# genericurl     = scheme ":" schemepart
genericurl = r"<scheme>:<schemepart>"

# url            = httpurl | ftpurl | newsurl |
#                  nntpurl | telneturl | gopherurl |
#                  waisurl | mailtourl | fileurl |
#                  prosperourl | otherurl
url = (
    r"(?:<httpurl>|<ftpurl>|<newsurl>|<nntpurl>|<telneturl>|<gopherurl>"
    r"|<waisurl>|<mailtourl>|<fileurl>|<prosperourl>|<otherurl>)"
)

# otherurl       = genericurl
# Read literally this admits `http:anything` too. The RFC's comment says "new schemes follow the general syntax", so
# the parser takes it for schemes without a production of their own, and `http://` alone is no URL.
otherurl = r"<genericurl>"

# scheme         = 1*[ lowalpha | digit | "+" | "-" | "." ]
# "the scheme is in lower case; interpreters should use case-ignore" (and section 2.1): both cases are read.
scheme = r"(?i:[<lowalpha><digit>+.\-])++"
# schemepart     = *xchar | ip-schemepart
# Every ip-schemepart is a *xchar as well: it is tried first, for its parts.
schemepart = rf"(?:<ip_schemepart>|{run('<unreserved><reserved>')})"

# ip-schemepart  = "//" login [ "/" urlpath ]
ip_schemepart = r"//<login>(?:/<urlpath>)?"
# login          = [ user [ ":" password ] "@" ] hostport
# Section 3.1: an empty user name or password differs from none at all; `user` and `password` may be empty here.
login = r"(?:<user>(?::<password>)?@)?<hostport>"
# hostport       = host [ ":" port ]
hostport = r"<host>(?::<port>)?"
# host           = hostname | hostnumber
host = r"(?:<hostname>|<hostnumber>)"
# hostname       = *[ domainlabel "." ] toplabel
hostname = r"(?:<domainlabel>\.)*<toplabel>"
# domainlabel    = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
domainlabel = r"<alphadigits>(?:-++<alphadigits>)*+"
# toplabel       = alpha | alpha *[ alphadigit | "-" ] alphadigit
toplabel = r"<alpha><alphadigits>?+(?:-++<alphadigits>)*+"
# alphadigit     = alpha | digit
alphadigit = r"[<alpha><digit>]"
# A piece of the two rules above, which it spares any way back: no label is followed by what is in one.
alphadigits = r"<alphadigit>++"
# hostnumber     = digits "." digits "." digits "." digits
# Section 3.1 calls it "a set of four decimal digit groups" and sets no range; nor does the rule.
hostnumber = r"<digits>\.<digits>\.<digits>\.<digits>"
# port           = digits
port = r"<digits>"
# user           = *[ uchar | ";" | "?" | "&" | "=" ]
user = run("<unreserved>;?&=")
# password       = *[ uchar | ";" | "?" | "&" | "=" ]
password = run("<unreserved>;?&=")
# urlpath        = *xchar
urlpath = run("<unreserved><reserved>")

# ftpurl         = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
ftpurl = r"(?i:ftp)://<login>(?:/<fpath>(?:;type=<ftptype>)?)?"
# fpath          = fsegment *[ "/" fsegment ]
fpath = r"<fsegment>(?:/<fsegment>)*"
# fsegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
fsegment = run("<unreserved>?:@&=")
# ftptype        = "A" | "I" | "D" | "a" | "i" | "d"
ftptype = r"[AIDaid]"

# fileurl        = "file://" [ host | "localhost" ] "/" fpath
# "localhost" is a host as the rule stands; the URL class tells the two apart.
fileurl = r"(?i:file)://(?:<host>)?/<fpath>"

# httpurl        = "http://" hostport [ "/" hpath [ "?" search ]]
httpurl = r"(?i:http)://<hostport>(?:/<hpath>(?:\?<search>)?)?"
# hpath          = hsegment *[ "/" hsegment ]
hpath = r"<hsegment>(?:/<hsegment>)*"
# hsegment       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
hsegment = run("<unreserved>;:@&=")
# search         = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
search = run("<unreserved>;:@&=")

# gopherurl      = "gopher://" hostport [ / [ gtype [ selector
#                  [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
# The bare / is "/". selector is *xchar and so takes every "%09" with it: the two inner brackets add no string, and
# trying them all would cost cubic time. That "%09" separates (3.4.2, 3.4.3) is applied in one place, GopherURL.
gopherurl = r"(?i:gopher)://<hostport>(?:/<gopher_path>)?"
gopher_path = r"(?:<gtype><selector>)?"
# gtype          = xchar
gtype = r"<xchar>"
# selector       = *xchar
selector = run("<unreserved><reserved>")
# gopher+_string = *xchar
gopher_plus = run("<unreserved><reserved>")

# mailtourl      = "mailto:" encoded822addr
mailtourl = r"(?i:mailto):<encoded822addr>"
# encoded822addr = 1*xchar
# "further defined in RFC822": MailtoURL.addr_spec decodes it and checks it against RFC 822 section 6.1.
encoded822addr = run("<unreserved><reserved>", least=1)

# newsurl        = "news:" grouppart
newsurl = r"(?i:news):<grouppart>"
# grouppart      = "*" | group | article
grouppart = r"(?:(?P<everything>\*)|<article>|<group>)"
# group          = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
group = r"<alpha>[<alpha><digit>\-.+_]*+"
# article        = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
article = run("<unreserved>;/?:&=", least=1) + "@<host>"

# nntpurl        = "nntp://" hostport "/" group [ "/" digits ]
nntpurl = r"(?i:nntp)://<hostport>/<group>(?:/(?P<article_number><digits>))?"

# telneturl      = "telnet://" login [ "/" ]
telneturl = r"(?i:telnet)://<login>/?"

# waisurl        = waisdatabase | waisindex | waisdoc
waisurl = r"(?:<waisdatabase>|<waisindex>|<waisdoc>)"
# waisdatabase   = "wais://" hostport "/" database
waisdatabase = r"(?i:wais)://<hostport>/<database>"
# waisindex      = "wais://" hostport "/" database "?" search
waisindex = r"(?i:wais)://<hostport>/<database>\?<search>"
# waisdoc        = "wais://" hostport "/" database "/" wtype "/" wpath
waisdoc = r"(?i:wais)://<hostport>/<database>/<wtype>/<wpath>"
# database       = *uchar
database = run("<unreserved>")
# wtype          = *uchar
wtype = run("<unreserved>")
# wpath          = *uchar
wpath = run("<unreserved>")

# prosperourl    = "prospero://" hostport "/" ppath *[ fieldspec ]
prosperourl = r"(?i:prospero)://<hostport>/<ppath>(?P<fieldspecs>(?:<fieldspec>)*)"
# ppath          = psegment *[ "/" psegment ]
ppath = r"<psegment>(?:/<psegment>)*"
# psegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
psegment = run("<unreserved>?:@&=")
# fieldspec      = ";" fieldname "=" fieldvalue
fieldspec = r";<fieldname>=<fieldvalue>"
# fieldname      = *[ uchar | "?" | ":" | "@" | "&" ]
fieldname = run("<unreserved>?:@&")
# fieldvalue     = *[ uchar | "?" | ":" | "@" | "&" ]
fieldvalue = run("<unreserved>?:@&")

# lowalpha       = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" |
#                  "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p" |
#                  "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" |
#                  "y" | "z"
lowalpha = r"[a-z]"
# hialpha        = "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" |
#                  "J" | "K" | "L" | "M" | "N" | "O" | "P" | "Q" | "R" |
#                  "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z"
hialpha = r"[A-Z]"
# alpha          = lowalpha | hialpha
alpha = r"[<lowalpha><hialpha>]"
# digit          = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" |
#                  "8" | "9"
digit = r"[0-9]"
# safe           = "$" | "-" | "_" | "." | "+"
safe = r"[$\-_.+]"
# extra          = "!" | "*" | "'" | "(" | ")" | ","
extra = r"[!*'(),]"
# national       = "{" | "}" | "|" | "\" | "^" | "~" | "[" | "]" | "`"
national = r"[{}|\\^~\[\]`]"
# punctuation    = "<" | ">" | "#" | "%" | <">
punctuation = r'[<>#%"]'

# reserved       = ";" | "/" | "?" | ":" | "@" | "&" | "="
reserved = r"[;/?:@&=]"
# hex            = digit | "A" | "B" | "C" | "D" | "E" | "F" |
#                  "a" | "b" | "c" | "d" | "e" | "f"
hex = r"[<digit>A-Fa-f]"  # noqa: A001 -- the RFC's name
# escape         = "%" hex hex
escape = r"%<hex><hex>"

# unreserved     = alpha | digit | safe | extra
unreserved = r"[<alpha><digit><safe><extra>]"
# uchar          = unreserved | escape
uchar = r"(?:<unreserved>|<escape>)"
# xchar          = unreserved | reserved | escape
xchar = r"(?:[<unreserved><reserved>]|<escape>)"
# digits         = 1*digit
digits = r"<digit>++"

RULES: Mapping[str, str] = {
    name: value for name, value in globals().items() if isinstance(value, str) and not name.startswith("_")
}
"""Every rule of this module by name."""

PRODUCTIONS: Mapping[str, tuple[str, ...]] = {
    "ftp": ("ftpurl",),
    "file": ("fileurl",),
    "http": ("httpurl",),
    "gopher": ("gopherurl",),
    "mailto": ("mailtourl",),
    "news": ("newsurl",),
    "nntp": ("nntpurl",),
    "telnet": ("telneturl",),
    "wais": ("waisdatabase", "waisindex", "waisdoc"),
    "prospero": ("prosperourl",),
}
"""The rules that the URLs of a scheme are tried against, in turn. Every other scheme's URLs are an `otherurl`."""

# `<field:rule>` is a rule that is captured as that field.
_REFERENCE = re.compile(r"(?<!\?P)<(?:(?P<field>\w+):)?(?P<rule>\w+)>")
_CLASS_OR_REFERENCE = re.compile(rf"(?P<class>\[(?:\\.|[^\]\\])+\])|{_REFERENCE.pattern}")


def references(template: str) -> set[str]:
    """Return the names of the rules that *template* refers to."""
    return {reference["rule"] for reference in _REFERENCE.finditer(template)}


def expand(template: str, rules: Mapping[str, str], fields: Collection[str] = ()) -> str:
    """Replace each `<rule>` in *template* by that rule's pattern, itself expanded.

    A rule named in *fields*, or with a field named there, becomes a capture of that name; what lies inside it is not
    captured again. Inside a class, where the rule must be a class too, it is replaced by what that class has between
    its brackets.
    """

    def pattern(found: re.Match[str]) -> str:
        if found["class"]:
            return _REFERENCE.sub(lambda reference: expand(rules[reference["rule"]], rules)[1:-1], found["class"])
        rule = found["rule"]
        field = found["field"] or rule
        if field in fields:
            return f"(?P<{field}>{expand(rules[rule], rules)})"
        return f"(?:{expand(rules[rule], rules, fields)})"

    return _CLASS_OR_REFERENCE.sub(pattern, template)
