"""Guards: rules that decide a line end by themselves, whatever the clues say."""

import re
from collections.abc import Callable
from unicodedata import category

from urlmend.grammar.unwrap import is_over
from urlmend.mend.clues import TOP_LABEL, awaits_item, same_start
from urlmend.mend.line_break import NEARBY, LineBreak, without_quotes
from urlmend.mend.quick_verdict import CERTAIN
from urlmend.mend.words import CLOSERS, COMMON, LEAST_RULE, LONGEST_SUFFIX, completes_suffix, is_file, is_rule
from urlmend.text.line_ends import HYPHENS, SOFT_HYPHEN, end_of_line, last_line
from urlmend.text.patterns import SCHEME, lazy_regex
from urlmend.text.schemes import COMMON_SCHEMES, OPAQUE_NAMES, SCHEMES, either, either_case

_LEAST_WORD = 4


def prose_follows(at: LineBreak) -> bool:
    r"""Return whether the next line begins as prose does, or with a bracket or a rule.

    >>> prose_follows(first_line_break("http://a.example/b\nfor all of them"))
    True
    """
    return at.sure == CERTAIN


# Guards that join

_ONE_LABEL = re.compile(r"[a-z]+://[^/.@:]+\.\Z", re.IGNORECASE)
_SCHEME_ALONE = re.compile(rf"(?:{either_case(either(COMMON_SCHEMES))}:|{SCHEME}:(?=//))(/{{0,2}})\\?\Z")
_TORN = {scheme.name: lazy_regex(scheme.torn) for scheme in SCHEMES if scheme.torn}
_WEB_ARCHIVE = re.compile(r"//(?=[^/]*archive)[^/]*+/(?:web/)?[0-9]{4,14}(?:[a-z]{2}_|\*)?/\Z")
_HOST_START = re.compile(r"[A-Za-z0-9\-]+\.[A-Za-z0-9]")
# Mail programs make `https://exam/` of a mail filter's address whose own host is lost. `ple.org%2Fb` follows.
_FILTERED_HOST = re.compile(r"https?://[^/.@:]+/\Z", re.IGNORECASE)
_FILTERED_REST = re.compile(r"[A-Za-z0-9\-]*\.[A-Za-z0-9.\-]+%2F")
_HOST = re.compile(r"https?://(?![\d.]+\Z)[\w\-]*\.[\w.\-]*\Z", re.IGNORECASE)
_REST_OF_HOST = re.compile(
    rf"(?!www\.|\.fi\Z)[A-Za-z0-9\-]*+(?:\.[A-Za-z0-9\-]++)++(?=/|:[0-9]|[{re.escape(CLOSERS)}]*\Z)"
)


def host_follows(at: LineBreak) -> bool:
    r"""Return whether the host of the URL is missing or incomplete, and the token begins with the rest of it.

    A Message-ID after `news:` counts as a host, and so does the rest of an address after `[mailto:jane-`.

    >>> texts = ("https://\na.example/b", "http://www.\na.example/b", "http://www.exam\nple.org/b", "http://exam\nple.py")
    >>> [host_follows(first_line_break(text)) for text in (*texts, "http://exam/\nple.org%2Fb")]
    [True, True, True, False, True]
    """
    if _WEB_ARCHIVE.search(at.url):
        return _HOST_START.match(at.token.removeprefix("http://").removeprefix("https://")) is not None
    scheme, _, rest = at.url.lower().partition(":")
    if scheme in _TORN and (not rest or (at.around.prefix.endswith("[") and at.token.find("]") > 0)):
        return _TORN[scheme].match(rest + at.token) is not None
    if at.path:
        return _FILTERED_HOST.match(at.url) is not None and _FILTERED_REST.match(at.token) is not None
    if split := _SCHEME_ALONE.match(at.url):
        missing = "//"[len(split[1]) :]
        # In a list of changes, "main.c:" is a file.
        is_host = at.token[-1] != ":" or not is_file(at.word)
        return is_host and at.token.startswith(missing) and _HOST_START.match(at.token, len(missing)) is not None
    more = _REST_OF_HOST.match(at.token)
    if more and TOP_LABEL.search(more[0]) and not is_file(more[0]):
        return _HOST.match(at.url) is not None and not TOP_LABEL.search(at.url)
    return _ONE_LABEL.match(at.url) is not None and at.token[0].isalnum()


def typeset_hyphen(at: LineBreak) -> bool:
    r"""Return whether the URL ends in U+2010 or a soft hyphen, the typesetter's, and the token goes on with a letter.

    >>> typeset_hyphen(first_line_break("http://a.example/pub/sys\u2010\ntem/backup"))
    True
    """
    return at.url[-1] in ("\u2010", SOFT_HYPHEN) and at.token[0].isalpha()


# The name before may be in directories, but not on a host.
_QUERY = re.compile(
    r"[?&](?:amp;)?[\w.\-]+=|%[0-9A-F]{2}|\.[0-9]"
    r"|(?=[\w~%])(?:[^./?&=:@]++/)*+[^/?&=:@]+(?:\?\w+=|\.[spx]?html?#\w)|https?:%2F"
)


def query_follows(at: LineBreak) -> bool:
    r"""Return whether the token begins as no prose does: with a parameter, after a name too, an escape or `.5`.

    Nor does prose begin with a fragment of an HTML file, or with the type of an ftp URL. After the name of a file,
    another name or `.5` may be no part of the URL.

    >>> tokens = ("?c=d", "c?d=e", "%20c", "c.html#d", "?")
    >>> [query_follows(first_line_break(f"http://a.example/b/\n{token}")) for token in tokens]
    [True, True, True, True, False]
    """
    is_open = at.token[0] in "?&%" or not is_file(at.url.rstrip(".,;:"))
    return (is_open and _QUERY.match(at.token) is not None) or (at.url[-1] == ";" and at.token.startswith("type="))


_LETTERS = re.compile(r"[A-Za-z]+(?![\w'\-])")


def suffix_follows(at: LineBreak) -> bool:
    r"""Return whether the token completes the suffix of a file, or the top label of a host.

    >>> suffix_follows(first_line_break("http://a.example/b.ht\nml)"))
    True
    """
    letters = _LETTERS.match(at.token)
    return letters is not None and completes_suffix(at.url[-LONGEST_SUFFIX:], letters[0])


_LIST_ARCHIVE = re.compile(r"//[^/]*\bmsgid\.|//(?:lore|lkml)\.kernel\.org/|/(?:lkml|r|all|mid|msgid)/\Z")
# After a line end, "@" alone may begin a tag as in "@see".
_DOMAIN = re.compile(r"[\w.+=\-]+@[A-Za-z0-9\-]+\.?[A-Za-z0-9]|@[A-Za-z0-9\-]+\.[A-Za-z0-9]")


def message_id_follows(at: LineBreak) -> bool:
    r"""Return whether the last part of a list archive's URL has no `@` yet, and the token brings one.

    >>> message_id_follows(first_line_break("https://a.example/r/2024070312.36534\n5-2-jane@b.example"))
    True
    """
    head, _, part = at.url.rpartition("/")
    is_open = part != "" and "@" not in part and _DOMAIN.match(at.token) is not None
    return is_open and _LIST_ARCHIVE.search(f"{head}/") is not None


# ISO 26324
_DOI = re.compile(r"(?i://(?:dx\.|www\.)?doi\.org/|\Adoi:)10\.[0-9]{4,9}(?:\.[0-9]+)*/(?:\w|\(\w+\)\w)")
_NUMBER_OF_DOI = re.compile(r"[0-9]{4}")
# A year may begin a sentence.
_NUMBER_OF_ITEM = re.compile(r"(?!(?:19|20)[0-9]{2}\Z)[0-9]{3,}")


def item_follows(at: LineBreak) -> bool:
    r"""Return whether the token completes a DOI, which has a suffix after its `/`, or numbers a bug or the like.

    No DOI ends in a full stop: after one, a number of four digits and more goes on.

    >>> urls = ("https://doi.org/10.1103/\nPhysRevE.69", "doi:10.1111/biom.\n12194", "http://a.example/bugs/\n1515")
    >>> [item_follows(first_line_break(url)) for url in urls]
    [True, True, True]
    """
    if _NUMBER_OF_ITEM.fullmatch(at.word) and awaits_item(at.path):
        return True
    is_whole = _DOI.search(at.url) and not (at.url[-1] == "." and _NUMBER_OF_DOI.match(at.token))
    return not is_whole and "@" not in at.token and _DOI.search(at.url + at.word) is not None


# At a line end before a "#", or after it. Names of schemas end in one, and addresses of pages that a script shows.
_FRAGMENT = re.compile(r"html?\n#[A-Za-z]\w*(?:[-./]\w|[0-9]{5})|#\n[A-Za-z]\w*=[^&=]*&")
# In the first column, or with more in its line, it may be a comment, a setting or a channel.
_SECTION = re.compile(r"#[A-Za-z][A-Za-z0-9]*[-./_]\w[^#]*(?<![:=])\Z")
_BEFORE_FRAGMENT = re.compile(r"(?:\.[spx]?html?|/wiki/[^/?#]+)#\Z")


def fragment_follows(at: LineBreak) -> bool:
    r"""Return whether the token begins with the fragment of an HTML file, or is that of a `#` that ends a full line.

    Alone in an indented line, it may be the fragment of any page; after any `#`, it may be parameters.

    >>> ends = (".html\n#sec-2", ".html#\nsection, and", "b?id=2#\nv=onepage&q", ".html#\nfor the")
    >>> [fragment_follows(first_line_break(f"http://a.example/{end}")) for end in ends]
    [True, True, True, False]
    """
    if _BEFORE_FRAGMENT.search(at.url) and not at.around.prefix.endswith("#"):
        return at.token[0].isalpha() and at.word.lower() not in COMMON and at.margin - at.width <= len(at.token)
    if at.next_indent and not at.rest and "#" not in at.url and _SECTION.match(at.token):
        return True
    return _FRAGMENT.search(f"{at.url[-5:]}\n{at.token}") is not None


_IN_BRACKETS = re.compile(r"\((?:[^()\n]|\n(?!\n))*\Z")
# It begins as the rest of a URL may. Not the commit after the repository of a compiler.
_TO_BRACKET = re.compile(r"(?![0-9a-f]{40}\))[#%&+-;=?A-Z_a-z~][^)]*\)")


def continued_line(at: LineBreak) -> bool:
    r"""Return whether a backslash or Gmail's `**` ends the line, with no name or common word after it.

    In parentheses that close in the token, a URL goes on if its end is open. So does any that begins right after the
    bracket, unless the token is a word below a whole word, or a name or number below that of a file. In Markdown, these
    go on too. A quoted URL goes on if the quote closes right after the token, and the line is full or the URL's end
    open; not in `a="..."`, which may have several URLs, nor in a second cell of CSV.

    >>> ends = ("http://a/b0\\\n1.html", "(at http://a/b/\ne) is", '"http://a/b/\nc"', '0,"http://a/b/\nc"')
    >>> [continued_line(first_line_break(text)) for text in ends]
    [True, True, True, False]
    """
    is_open = at.url[-1] in "/-_=&?%*\\"
    if ")" not in at.url and _TO_BRACKET.match(at.token) and _IN_BRACKETS.search(at.around.before[-NEARBY:]):
        is_whole = at.url[-1].isalnum() and at.token[0].isalnum() and (at.word.isalpha() or is_file(at.url))
        begins = at.around.prefix.endswith("(")
        may_go_on = at.path != "" and ((is_open and at.word not in COMMON) or (begins and not is_whole))
        return may_go_on or at.around.prefix.endswith("](")
    if at.next_line.startswith('"', at.next_indent + len(at.token)) and at.around.prefix.endswith('"'):
        return (is_open or not _had_room(at)) and not at.around.prefix.endswith(('="', ',"'))
    is_prose = at.word in COMMON or (at.token[0].isupper() and {"/", "_"}.isdisjoint(at.token))
    is_marked = at.url.endswith("\\") or (at.url.endswith("**") and "**" not in at.own_text)
    return is_marked and not is_prose and at.token[0] != "\\"


# Guards that end


def two_things(at: LineBreak) -> bool:
    r"""Return whether the same URL occurs nearby with a blank between it and the same word.

    >>> two_things(first_line_break("deb http://a.example/b/ stable\nThe line has http://a.example/b/\nstable in it"))
    True
    """
    pair = f"{at.url[len(at.around.implied) :]} {at.token[:_LEAST_WORD]}"
    return pair in at.around.before or at.around.after.find(pair, at.reach) >= 0


_BROWSED = re.compile(r"/?(?:blob|commits?|diff|log|patch|plain|refs|snapshot|tag|tree)?(?:[/?]|\Z)")


def git_repository(at: LineBreak) -> bool:
    r"""Return whether the URL is that of a git repository, and the token does not begin as paths of its pages do.

    >>> tokens = ("for-next", "commit/?id=1e6bdcd")
    >>> [git_repository(first_line_break(f"http://a.example/linux.git/\n{token}")) for token in tokens]
    [True, False]
    """
    return at.path.endswith((".git", ".git/")) and not _BROWSED.match(at.word)


def mail_filter(at: LineBreak) -> bool:
    r"""Return whether the URL is a whole address of a mail filter, and the token is not the encoded rest of one.

    >>> address = "https://b.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.example%2Fb&reserved=0"
    >>> [mail_filter(first_line_break(f"{address}\n{token}")) for token in ("guide.html", "b.example%2F")]
    [True, False]
    """
    return is_over(at.url, at.token)


# After the first comma of `/0,1283,63294,00.html` or `?q=Oak+Ave,+Ohio&c=d`: more of them in one word.
_MORE_VALUES = re.compile(r"(?!.*://|www\.)[\w+%.\-]++(?:,[\w+%\-]|&\w++=)")


def sentence_end(at: LineBreak) -> bool:
    r"""Return whether the URL ends as a sentence: in its only comma, `/.` or `/:`, a dash or a rule.

    Or in an underscore that closes one before the URL. A comma ends nothing if the next word has more of them, or a
    parameter. A backslash at the end is ignored unless a digit follows.

    >>> ends = ("b,", "b,\\", "b/.", "b/:", "b.", "b--")
    >>> [sentence_end(first_line_break(f"see http://a.example/{end}\nrecent")) for end in ends]
    [True, True, True, True, False, True]
    """
    url = at.url if at.token[0].isdigit() else at.url.rstrip("\\")
    if url[-1] == "," and url[-2] != "=":
        return "," not in url[:-1] and not _MORE_VALUES.match(at.word)
    closes = url[-1] == "_" == at.around.prefix[-1:]
    return closes or is_rule(url[-LEAST_RULE:]) or url.endswith(("/.", "/:", "--", "~~"))


_NUMBER = re.compile(r"[ \t>|+]*#[0-9]")
_AFTER_CODE = re.compile(r"\S[ \t]+#+[ \t]|[;,{}][ \t]*//[ \t]")


def comment_over(at: LineBreak) -> bool:
    r"""Return whether the line is part of a comment and the next is code.

    A lone word is not taken for code after a hyphen, or after a full line that is as long as another. Nor is anything
    while the bracket of a target in Markdown is open.

    >>> comment_over(first_line_break("# Learn more at http://a.example/docs\n.b/"))
    True
    """
    is_full = at.width == at.margin and at.around.lengths.count(at.width) > 1
    is_cut = is_full or at.url.endswith((*HYPHENS, SOFT_HYPHEN))
    is_open = at.around.prefix.endswith("](") or (at.joined and at.url[-1] in "&=") or (is_cut and not at.rest)
    if is_open or without_quotes(at.next_line[: at.next_indent], at.around.leader).strip():
        return False
    marks = at.around.leader
    mark = marks[-1].text[0] if marks and marks[-1].kind == "comment" else ""
    # An asterisk is more often a bullet, two hyphens before a URL that ends in one a dash.
    is_comment = mark not in ("", "*") and not mark == at.url[-1] == "-"
    after_code = _AFTER_CODE.search(at.own_text) is not None
    return after_code or (is_comment and _NUMBER.match(at.around.prefix) is None)


_LEAST_MARGIN = 60


def _had_room(at: LineBreak) -> bool:
    """Return whether the token would have fitted into the line that ends."""
    return at.margin < _LEAST_MARGIN or at.margin - at.width > len(at.token)


# What follows the first word in a row of a table, after a wide gap, or of a diffstat.
_COLUMN = re.compile(r"(?: {5,}| *\t[ \t]*)\S|[ \t]+\|[ \t]+(?:[0-9]+[ \t]+[-+]|Bin[ \t])")
# In a shell or in settings. URLs have such names only after a "?".
_SETTING = re.compile(r"[A-Za-z]\w*(?:_\w*=|=[$`\"'(])")
_ROWS = frozenset(("a command's argument", "assignments", "columns, URLs"))


# And what follows a number of a line, as in "main.c:57:" or "main.c-58-" of grep.
_VARIES = re.compile("[:-][0-9]++[:-].*|(?<=[0-9]:).*|[0-9A-Fa-f]")
# ISO 8601
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:?[0-9]{2})?")


def _stamp(word: str) -> str:
    """Return *word* with `0` for each digit, hexadecimal too, if it has a decimal one."""
    return _VARIES.sub("0", word) if any(map(str.isdigit, word)) else word


def _same_stamp(at: LineBreak) -> bool:
    """Return whether both lines begin with the same word, or with a time, number or hash of the same shape.

    So does the next entry of a log with a whole time, whatever the URL's own line begins with.
    """
    if _TIME.fullmatch(at.token) and at.rest and at.url[-1] != "=":
        return True
    # A line number that does not increase is not part of the leader. A name may be the rest of a URL that has it: alone
    # in the next line of a table, or after a hyphen.
    lines = () if at.joined else (at.own_text, at.around.prefix[at.indent :])
    words = ["".join(line.split(None, 1)[:1]) for line in lines]
    is_entry = at.rest and at.url[-1] != "-"
    return any(_stamp(word) == _stamp(at.token) and (is_entry or word != at.token) for word in words)


def _is_title(at: LineBreak) -> bool:
    """Return whether the next line is the title of another URL, in a list of titles with a URL indented below each."""
    prefix, title = at.around.prefix, at.next_line[: at.next_indent]
    if at.joined or not (prefix.startswith(title) and prefix[len(title) :].isspace()):
        return False
    above = last_line(at.around.before[: -len(prefix) - 1])
    _, below = end_of_line(at.around.after, at.text_start)
    is_list = at.around.after.startswith(prefix, below) and _URL_START.match(at.around.after, below + len(prefix))
    return bool(is_list) and above.startswith(title) and above[len(title) : len(title) + 1].strip() != ""


_BAR = re.compile(r"[ \t]\|[ \t]")
# The rest of a torn URL would be all of its cell.
_CELL = re.compile(r"[^|\s][^|]*[ \t]\|[ \t]")


def _marks_comment(at: LineBreak) -> bool:
    """Return whether the mark that both lines start with is a comment's: `#`, or `*` after `/*`."""
    before = at.around.before[-NEARBY:]
    opened = before.rfind("/*")
    return at.own_text.startswith("#") or (opened > before.rfind("*/") and not before[:opened][-1:].strip())


def row(at: LineBreak) -> bool:
    r"""Return whether the next line is a row of the same table or log, a row of a diffstat, a setting or a title.

    In a table a wide gap follows the first word. It does in a filled line, too, so a URL that ends in a hyphen may go
    on. After `@@` a diff may show only part of a line, so no URL goes on below it.

    >>> cells = "Jane | http://a.example/b/\nmail/finger jane | Web"
    >>> log = "2004-05-03T10:13:30Z GET http://a.example/?q=\n2004-05-03T10:14:31Z got 200"
    >>> texts = ("a = http://a.example/b\nc = d", "# See http://a.example/b/\n# SOME_OPTION=yes", cells, log)
    >>> [row(first_line_break(text)) for text in (*texts, "up: http://a.example/\n8-ball.pl      says it")]
    [True, True, True, True, True]
    """
    alike = same_start(at)
    is_cell = _BAR.search(at.own_text) and _CELL.match(at.rest)
    if alike in _ROWS or is_cell or at.own_text.startswith("@@ -") or _same_stamp(at):
        return True
    if at.url[-1] in "?&;=\\-" or "%" in at.url[-2:]:
        return False
    setting = _SETTING.match(at.next_line, at.next_indent)
    # What a full line broke may be a name, such as "bJamI_5nfJM=", but hardly one in capitals.
    is_listed = alike == "bullets" and not _marks_comment(at)
    column = at.token[0].isalnum() and _COLUMN.match(at.next_line, at.next_indent + len(at.token))
    is_other = setting or is_listed or _is_title(at)
    return bool(column or (setting and setting[0].isupper()) or (is_other and _had_room(at)))


_REPLY = re.compile(r"\b[245][0-9]{2}[- ][245]\.[0-9]{1,3}\.[0-9]{1,3}\s+\Z")


def server_reply(at: LineBreak) -> bool:
    r"""Return whether the URL follows the codes of a mail server's reply, which is folded at blanks.

    >>> server_reply(first_line_break("550 5.1.1 http://a.example/?p=1\n41si5422799iwn.27"))
    True
    """
    return not at.joined and _REPLY.search(at.around.before[-20:]) is not None


_URL_START = re.compile(f"{SCHEME}://")
# An opaque URL, or one that the text's end cuts short or that has a single slash.
_OPAQUE_START = re.compile(rf"{either((*OPAQUE_NAMES, 'url'))}:|{either(COMMON_SCHEMES)}:/?(?!/)", re.IGNORECASE)
_URL_INSIDE = re.compile(f"[=/?&]{either(COMMON_SCHEMES)}://", re.IGNORECASE)
# The value of a parameter, and the next one: another URL has a "?" before it.
_VALUE = re.compile(r"[^&?]*+&(?:amp;)?[\w.\-]+=")


def other_url(at: LineBreak) -> bool:
    r"""Return whether the token has another URL, except inside a path or query, as in web archives.

    >>> texts = ("http://a.example/b\nhttp://c.example/", "http://a.example/b?c=\nurn:d:e&f=g")
    >>> [other_url(first_line_break(text)) for text in texts]
    [True, False]
    """
    token = at.token
    if at.url[-1] == "=" and "?" in at.url and _VALUE.match(token):
        return False
    if _URL_START.match(token) or _OPAQUE_START.match(token):
        return True
    inside = _URL_INSIDE.search(token)
    is_part = inside and (inside[0][0] in "/?" or "?" in at.url + token[: inside.start()])
    return "://" in token and not is_part


_NAME = r"(?:[A-Za-z0-9\-]+\.)+[A-Za-z]{2,}"
_HOST_NAME = re.compile(rf"(?:(?:https?\.)?//|(?:www|ftp|gopher)\d?\.){_NAME}(?![\w\-])")
# Of mail, or of a file as ssh writes it: "jane@host:/dir", "a.example:/dir".
_ADDRESS = re.compile(
    rf"[A-Za-z][A-Za-z._+\-]*@(?:{_NAME}(?:[{re.escape(CLOSERS)}]*|\W{{2,}})\Z|[A-Za-z][\w.\-]*:[~/A-Za-z])"
    rf"|{_NAME}:/(?!/)"
)


def other_address(at: LineBreak) -> bool:
    r"""Return whether the token is `//host`, a host named `www`, a mail address or the `host:/path` of a file.

    Or a path from the root, after a slash. If the path has a digit, an address may be the rest of a Message-ID.

    >>> tokens = ("www.c.example/d", "//c.example/d", "/d", "jane@c.example", "c.example:/d")
    >>> [other_address(first_line_break(f"http://a.example/b/\n{token}")) for token in tokens]
    [True, True, True, True, True]
    """
    path = at.path
    if not path or path.endswith("//") or not (at.url[-1] == "/" or at.url[-1].isalnum()):
        return False
    if _HOST_NAME.match(at.token) or at.url[-1] == "/" == at.token[0]:
        return True
    return _ADDRESS.match(at.token) is not None and not any(ch == "@" or ch.isdigit() for ch in path)


# "=20" is the last blank of a line in quoted-printable, "=E2=80=A2" a bullet, "\end" TeX and ".PP" roff.
_ORNAMENT = re.compile(
    r"(?!=\Z)[\W_]+\Z|[-=~*#]{3,}|=(?:20\Z|[89A-F][0-9A-F]=)|[A-Z]+/[0-9][0-9.]*(?:\Z|\[)|\\[A-Za-z]|-D[a-z.]+="
    r"|[A-Za-z]:[\\/](?!/)"
    r"|\.(?:[A-Z][A-Za-z]|P|br|fi|ft|hy|nf|sp)\Z"
)

_HERE_DOCUMENT = re.compile(r"<<[-~]?[\"'\\]?(\w+)")


def ornament(at: LineBreak) -> bool:
    r"""Return whether the token is a rule, a bullet, a blank of quoted-printable, a protocol, an option, TeX or roff.

    So are `./`, `../` and a drive of Windows, and the word that ends a here-document.

    >>> tokens = ("=-=-=-r-help", "./configure", ".fi", "\u2022c", "C:/d", "=2")
    >>> [ornament(first_line_break(f"http://a.example/b\n{token}")) for token in tokens]
    [True, True, True, True, True, False]
    """
    token = at.token
    if token[0] == "/" and not token[1:].rstrip(CLOSERS):  # the last slash of the URL, if it has none
        return at.url[-1] == "/"
    if token.startswith(("./", "../")) or (not token[0].isascii() and category(token[0])[0] in "PS"):
        return at.url[-1] not in "=&"  # the value of a parameter may begin so
    return _ORNAMENT.match(token) is not None or (not at.rest and token in _HERE_DOCUMENT.findall(at.around.before))


_JOIN, _END = CERTAIN, 1 - CERTAIN

GUARDS: dict[Callable[[LineBreak], bool], tuple[float, str]] = {
    message_id_follows: (_JOIN, "the rest of a Message-ID, in the URL of a list archive that has no `@` yet"),
    prose_follows: (_END, "a line that begins like prose, or with a bracket or a rule"),
    suffix_follows: (_JOIN, "the rest of a file's suffix, or of a top label: `.ht⏎ml`, `.or⏎g`"),
    comment_over: (_END, "a line that is not a comment, after one that is"),
    host_follows: (_JOIN, "`https://⏎a.example/b` or `http://a.exam⏎ple.org/b`: there is no whole host yet"),
    typeset_hyphen: (_JOIN, "a typesetter's hyphen, U+2010 or a soft hyphen, and a letter"),
    query_follows: (_JOIN, "`?name=`, `&name=`, `%20`, `.5`, `b?c=d`, `b.html#c`, or `type=` after `;`"),
    two_things: (_END, "the same URL nearby, with a blank before the same word"),
    git_repository: (_END, "the address of a git repository, and a branch or a word, not a page of it"),
    mail_filter: (_END, "the whole address of a mail filter, and nothing that may be encoded in it"),
    sentence_end: (_END, "a URL's only comma, a full stop or colon after a slash, a dash, a rule, a closing `_`"),
    row: (
        _END,
        "a row like the URL's, a command's next argument, a row of a diff, diffstat, log or table, a setting, a title",
    ),
    server_reply: (_END, "the codes of a mail server's reply before the URL"),
    other_url: (_END, "another URL, unless it is inside a path or query, as in web archives"),
    other_address: (
        _END,
        "a host `www` or `ftp`, `//host`, `/` after `/`; after a path without digits `jane@host` or `host:/file`",
    ),
    ornament: (_END, "a rule, a bullet, a blank of quoted-printable, a protocol, `-Dname=`, `./`, `C:/`, TeX or roff"),
    item_follows: (_JOIN, "the rest of a DOI, or the number of a bug, a ticket or the like"),
    fragment_follows: (_JOIN, "the name of a section after `#`; after a URL's `#`, that of a wiki, or parameters"),
    continued_line: (_JOIN, "a backslash or `**` at the line's end, or the rest of a URL in parentheses or quotes"),
}
"""All guards in order, each with the probability that the URL goes on where it holds, and what it sees, for users.

The first that holds decides."""
