"""URLs that are found on request: host names without a scheme, mail addresses, and both when defanged.

Precision comes first. A name that is part of an address, a path or another URL is not a host. Without `www` and without
a path it must be in prose, under a top label that is not a file suffix or a word of code. Defanged names need no
prose: their marks show that a host was meant.
"""

import re
from functools import lru_cache

from urlmend.query import Query
from urlmend.scan import termination
from urlmend.scan.delimiters import Candidate, Delimiters, View
from urlmend.scan.termination import CLOSING, ENTITIES, End
from urlmend.text import suffixes
from urlmend.text.defanged import LETTER, MARK_IN_NAME
from urlmend.text.limits import MAX_HOST
from urlmend.text.line_ends import LINE_END, last_line
from urlmend.text.patterns import HOST_LETTERS, label, lazy_unicode_regex
from urlmend.text.schemes import either

MAX_LOCAL = 64
"""The longest local part of an address, in bytes (RFC 5321 section 4.5.3.1.1)."""

_LABEL = label(HOST_LETTERS)
_NAME_PATTERN = rf"{_LABEL}(?:\.{_LABEL})++"
_NAME = lazy_unicode_regex(_NAME_PATTERN)

# Triggers: the full stop of a host name, the "@" of an address, the "at" that hides one, the first character of a mark

# The label is the last one. Whether it is a top label, which no short pattern says, is checked later.
_LAST_LABEL = r"(?:[A-Za-z]{2,24}|[Xx][Nn]--[A-Za-z0-9\-]+)(?![A-Za-z0-9\-_@]|\.[A-Za-z0-9])"


def triggers(*, schemeless: bool, addresses: bool) -> str:
    """Return the pattern of the triggers of hosts and addresses, as alternatives; empty if neither is looked for.

    It finds the full stop before the last label of a name, and the first one of a `www` host.
    """
    branches = []
    if schemeless:
        www = r"(?<=[Ww]{3}\.)(?<![A-Za-z0-9\-@.]....)"
        beyond = r"[A-Za-z0-9\-]{0,62}+[^\x00-\x7f]"
        branches.append(rf"\.(?={LETTER})(?:{www}|(?<={LETTER}\.)(?={_LAST_LABEL}|{beyond}))")
    if addresses:
        branches.append(rf"@(?<=[^\x00- \"(),:;<>@\[\\\]`\x7f]@)(?={LETTER})")
        branches.append(r"a(?<=[^\x00- ][ \t]a)(?=t[ \t]+[A-Za-z0-9\-]+\.[A-Za-z0-9])")
    if branches:
        branches.append(MARK_IN_NAME)
    return "|".join(branches)


# Candidates


def candidate(delimiters: Delimiters, trigger: int, query: Query) -> Candidate | None:
    """Return the host or address around *trigger*, a match of `triggers`, if it is one.

    Raises `NeedsMoreText`.
    """
    view = delimiters.view
    text = view.text
    mark = text[trigger]
    if mark == "@":
        address = _address(view, trigger)
    elif mark == "a":
        address = _hidden_address(view, trigger)
    else:
        host = _host(view, trigger) if query.schemeless else None
        return host and delimiters.bare("schemeless", host[0], _end(delimiters, host))
    if address is None or not query.addresses:
        return None
    start, end = address
    return Candidate(view, "address", start, end, end)


def inside(delimiters: Delimiters, start: int, end: int, query: Query) -> Candidate | None:
    """Return the host or address with which the wrapped text from *start* to *end* begins, if it is one.

    Hosts and addresses are not mended: of several lines, the first one would be another URL.
    """
    view = delimiters.view
    if LINE_END.search(view.text, start, end) or not (found := _BEGINS.match(view.decoded(view.text[start:end]))):
        return None
    before_trigger = found["local"] or found[0].rpartition(".")[0]
    return candidate(delimiters, start + len(view.encoded(before_trigger)), query)


# UTS #58 pairs brackets within one part of a URL: a segment, a query's name or value, a fragment's directive.
_CLOSES = re.compile(r"[)\]]")
_BRACKET_OR_PART = re.compile(r"[()\[\]/?#=&]|:~:")


def _end(delimiters: Delimiters, host: tuple[int, int, bool]) -> End:
    """Return the end of the URL that begins with *host*, a result of `_host`."""
    start, host_end, alone = host
    text = delimiters.view.text
    if alone:
        tail = termination.SOFT_RUN.match(text, host_end)
        return host_end, tail.end() if tail else host_end
    end, stop = delimiters.end_of_bare(start, start - 1, host_end)
    crossing = _crossing(text, host_end, end) if _CLOSES.search(text, host_end, end) else -1
    if crossing < 0:
        return end, stop
    kept = text[host_end:crossing].rstrip(termination.NEVER_LAST)
    return host_end + len(kept), crossing


def _crossing(text: str, start: int, end: int) -> int:
    """Return the index of a closing bracket without an opening one in the same part of the URL; -1 if there is none."""
    open_ones: list[str] = []
    for mark in _BRACKET_OR_PART.finditer(text, start, end):
        if mark[0] in CLOSING:
            open_ones.append(CLOSING[mark[0]])
        elif mark[0] not in ")]":
            open_ones.clear()
        elif not open_ones or open_ones.pop() != mark[0]:
            return mark.start()
    return -1


# Hosts

# `(?r)` reads from the right.
_NAME_LEFT = lazy_unicode_regex(rf"(?r)[{HOST_LETTERS}\-.]*+")
# These scripts have no blanks between words.
_GLUED_LEFT = lazy_unicode_regex(r"(?r)[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}](?=[A-Za-z0-9])")
_ASCII_LABEL = re.compile(label("A-Za-z0-9"))
_SENTENCE = re.compile("[A-Z][a-z]+")
_PORT = r"[0-9]{1,5}(?![A-Za-z0-9_@\-])"
_PATH = r"(?=/|[?#](?a:[^\s\"'<>()\[\].,;:!?#*]))"
# After a host: a port, or the start of a path, a query or a fragment; what no host alone has.
_AFTER_HOST = re.compile(
    rf"(?P<rest>:{_PORT}|{_PATH})"
    rf"|(?P<glued>[-_@]|[:;](?a:\S)|[=(\[\\$%]|!(?:[A-Za-z0-9_]|[^\x00-\x7f])|&(?!(?:{ENTITIES}|amp);))"
)


def _host(view: View, dot: int) -> tuple[int, int, bool] | None:
    """Return the host around the full stop at *dot*, if a reader would follow it.

    The result is where it starts, where it ends with its port, and whether it is alone, with no path or the like.
    """
    text = view.text
    if text[dot] != ".":
        return None
    run = _NAME_LEFT.match(view.decoded(text[max(0, dot - MAX_HOST - 1) : dot]))
    left = run[0] if run else ""
    if not left.isascii() and (glued := _GLUED_LEFT.search(left)):
        left = left[glued.end() :]
    left = left.rpartition("...")[2].lstrip("-")
    found = _NAME.match(left + view.decoded(text[dot : dot + MAX_HOST]))
    if found is None or not len(left) < found.end() <= MAX_HOST:
        return None
    name = found[0]
    # The last full stop is the trigger, except after "www" and in defanged names.
    if "." in name[len(left) + 1 :] and not (view.step or text[dot - 3 : dot].lower() == "www"):
        return None
    before_top, _, top = name.rpartition(".")
    if not top.isascii() and top.lower() not in suffixes.top_labels():
        # A top label does not mix ASCII with what is glued to it.
        in_ascii = _ASCII_LABEL.match(top)
        if in_ascii is None:
            return None
        name = f"{before_top}.{in_ascii[0]}"
    elif len(before_top) > len(left) and _SENTENCE.fullmatch(top) and suffixes.public_suffix(before_top):
        name = before_top
    start = dot - len(view.encoded(left))
    end = start + len(view.encoded(name))
    after = _AFTER_HOST.match(text, end)
    follows = after.lastgroup if after else None
    if after and follows == "rest":
        end = after.end()
    is_wanted = _is_meant if view.step else _is_wanted
    return (start, end, follows != "rest") if is_wanted(view, start, end, name, follows) else None


# What precedes a part of something else; an underscore may be that of an emphasis.
_PART_OF = frozenset("@/\\.%~$&!")
_PART_OF_ALONE = _PART_OF | frozenset("=:+#-*?^_")
_PART_OF_OTHER = re.compile(r"://\S*(?:[ \t]at[ \t]+)?\Z|:[^\s:]*:\Z|[^\W_]_\Z")
_AFTER_WWW = re.compile(r"[-_!]\w|[@\\]")
_CALL = re.compile(r"\w\([\"']?\Z")
_DEEP = re.compile(r"(?::[0-9]+)?(?:/[\w~%\-.]+/\w|[\w~%\-./]*\?\w+=)")
_OTHER_HOST = re.compile(r"/((?:[A-Za-z0-9\-]+\.)+[A-Za-z]+)(?![\w/?#\-]|\.\w)")
_LINE_REACH = 200


def _before(view: View, start: int, reach: int = _LINE_REACH) -> str:
    """Return the text before *start* in its line, at most *reach* characters, which are up to four bytes each."""
    return last_line(view.decoded(view.text[max(0, start - 4 * reach) : start])[-reach:])


def _after(view: View, end: int) -> str:
    """Return the text after *end*, at most _LINE_REACH characters."""
    return view.decoded(view.text[end : end + 4 * _LINE_REACH])[:_LINE_REACH]


def _is_wanted(view: View, start: int, end: int, name: str, follows: str | None) -> bool:
    """Return whether a reader would follow the host *name*; *follows* is the group of `_AFTER_HOST` that follows it."""
    kind = _kind(name)
    before = view.text[start - 1 : start] or " "
    alone = follows != "rest"
    if not kind or before in _PART_OF:
        return False
    if alone and kind != "www" and (kind != "alone" or follows or before in _PART_OF_ALONE):
        return False
    left, right = _before(view, start), _after(view, end)
    is_part = (before in ":_" or "://" in left) and _PART_OF_OTHER.search(left)
    is_argument = alone and before in "('\"" and _CALL.search(left[-3:])
    if is_part or is_argument:
        return False
    if kind == "www":
        return not _AFTER_WWW.match(right)
    if alone:
        return _is_in_prose(left, right)
    # "a.example/b.example" are two hosts; a file or a word may have a path too, but not a deep one.
    other = _OTHER_HOST.match(right)
    two = other is not None and suffixes.public_suffix(other[1]) != ""
    return not two and (kind != "ambiguous" or _DEEP.match(right) is not None)


def _is_meant(view: View, start: int, end: int, name: str, follows: str | None) -> bool:
    """Return whether a reader would follow the defanged *name*; unlike other names, it needs no prose around it."""
    top = name.rpartition(".")[2].lower()
    following = view.text[end : end + 1]
    # With backslashes, a name alone may also be a pattern.
    is_pattern = "\\" in view.written(start, end) and (following == "\\" or top in suffixes.NOT_ALONE)
    is_host = follows == "rest" or not (is_pattern or following in ("@", "_", "-"))
    is_known = top in suffixes.RESERVED or suffixes.public_suffix(name) != ""
    return is_host and is_known and view.text[start - 1 : start] not in _PART_OF


# Packages are named the other way round; newsgroups are not hosts.
_ROOTS = frozenset(
    "com org net edu gov java javax sun self this sys os app win window document node e event request config".split()
)
_NEWSGROUPS = frozenset("alt comp rec sci soc misc talk humanities clari bit gnu".split())


@lru_cache(maxsize=4096)
def _kind(name: str) -> str:
    """Return the kind of *name*: `www`, `alone` (a host in prose), `with_path` or `ambiguous`; `""` if it is none.

    `with_path` is a name that a package, a newsgroup or two sentences without a blank may have too, `ambiguous` one
    under a suffix that is also a word or a file ending.
    """
    lower = name.lower()
    if lower.startswith("www.") and "." in lower[4:]:
        return "www"
    suffix = suffixes.public_suffix(name)
    if not suffix:
        return ""
    if suffix in suffixes.NOT_ALONE:
        return "ambiguous"
    first, _, rest = lower.partition(".")
    top_at = name.rindex(".") + 1
    top = name[top_at:].lower()
    common = top in ("com", "org", "net")
    is_package = first in _ROOTS or (first in _NEWSGROUPS and not (common and rest == top))
    are_sentences = _SENTENCE.fullmatch(name, top_at) and not (common and name[0].isupper())
    is_file = lower == "command.com" or not (common or top_at > len("x."))
    return "with_path" if is_package or are_sentences or is_file else "alone"


# The host of a hidden address: "jane at a.example"; but "is available at a.example".
_AT = ("at", "at>", "at)", "at]")
_AFTER_AT = re.compile(r"\S\s*(?:[ \t]at|<at>|\(at\)|\[at\])[ \t]+\Z", re.IGNORECASE)
_AFTER_PLACE = re.compile(
    r"\b(?:available|archived?|found|hosted|located|look|page|posted|site|us|is|are|be|was|here|online|more|it|them)"
    r"[ \t]+at[ \t]+\Z",
    re.IGNORECASE,
)
_LOG_REACH = 80
# The start of a line of a log, a header or code.
_FIELDS = either(
    "received path xref nntp-posting-host message-id references in-reply-to return-path authentication-results "
    "newsgroups delivered-to list-id host address name server reporting-mta remote-mta".split()
)
_LOG_START = re.compile(
    r"[^\w]*(?:\[?[0-9]{1,2}[:.][0-9]{2}[:.][0-9]{2}\b|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]"
    r"|[A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} )"
    rf"|[>|\s]*(?:(?:[Xx]-[\w\-]+|(?ai:{_FIELDS}))\s*:"
    r"|(?:import|package|using|include|def|class|return|@)\b|from\s+\S+\s+import\b|(?:[$#%]|>>>)\s)"
    r"|\s*(?:[+\-]{3}|diff)\s"
)
# What a log or code has near a host. Each branch begins with a character that is rare in prose, not with a class, and
# then checks the text on its left: `re` skips to the few characters with which any branch begins.
_LOG_WORDS = "|".join(
    rf"{word[0]}(?<!\w.){word[1:]}\b"
    for word in (*"SMTP ESMTP ESMTPS ESMTPSA EHLO HELO Postfix CNAME".split(), r"IN\s+(?:A|NS|MX|PTR)")
)
_LOG_FIELDS = "|".join(f"(?<={name}=)" for name in "relay host client server helo domain status".split())
_IP_NUMBERS = "|".join(rf"{digit}(?<![\w.].)[0-9]{{0,2}}(?:\.[0-9]{{1,3}}){{3}}(?![\w.])" for digit in "0123456789")
_LOG_OR_CODE = re.compile(
    rf"{_IP_NUMBERS}|{_LOG_WORDS}|=(?:{_LOG_FIELDS}|(?<=[!=+]=)|>)|!(?<=\w!)[\w\-]"
    r"|;\s*\Z|\{\s*\Z|\}\s*\Z|\((?<=\w\()\)|:(?<=::)|>(?<=->)|\\n"
    r"|u(?<=\btracerou)te\b|k(?<=\bnslook)up\b|v(?<=\bresolv)\.conf\b|f(?<=\bself)\."
)


def _is_in_prose(left: str, right: str) -> bool:
    words = left.rstrip(" \t")
    if words != left and words.lower().endswith(_AT) and _AFTER_AT.search(left) and not _AFTER_PLACE.search(left):
        return False
    line = right[:_LOG_REACH].partition("\n")[0].partition("\r")[0]
    return not (_LOG_START.match(left) or _LOG_OR_CODE.search(left[-_LOG_REACH:]) or _LOG_OR_CODE.search(line))


# Addresses, and those that archives hide: `jane at a.example`

_LOCAL = rf"[{HOST_LETTERS}_+~](?:[{HOST_LETTERS}_%+\-~&']|\.(?!\.))*(?<=[{HOST_LETTERS}_%+\-~])"
_LOCAL_LEFT = lazy_unicode_regex(rf"(?r)[{HOST_LETTERS}_%+\-~&'.]*+")
_WHOLE_LOCAL = lazy_unicode_regex(_LOCAL)
# What cannot follow an address: a letter, a path on a host, as `scp` writes one.
_AFTER_ADDRESS = re.compile(r"[A-Za-z0-9@\\]|-[A-Za-z0-9]|:[A-Za-z~/]|[(\[]")
_BEFORE_ADDRESS = frozenset("@/\\.:=!%$#")
# Names for documentation and tests, and those of networks before there were domains.
_OTHER_TOPS = suffixes.RESERVED | frozenset("arpa uucp bitnet csnet decnet".split())


def _local(left: str) -> str:
    """Return the local part of an address that *left* ends with, empty if there is none."""
    run = _LOCAL_LEFT.match(left)
    local = run[0].removeprefix("'") if run else ""
    is_valid = _WHOLE_LOCAL.fullmatch(local) and len(local.encode(errors="surrogateescape")) <= MAX_LOCAL
    return local if is_valid else ""


def _address(view: View, at: int) -> tuple[int, int] | None:
    """Return the span of the address around the `@` at *at*, if it is one."""
    text = view.text
    local = _local(view.decoded(text[max(0, at - 4 * MAX_LOCAL) : at]))
    domain = _NAME.match(view.decoded(text[at + 1 : at + 1 + MAX_HOST]))
    if not local or domain is None:
        return None
    start, end = at - len(view.encoded(local)), at + 1 + len(view.encoded(domain[0]))
    before = text[start - 1 : start] if start else ""
    if before and before in _BEFORE_ADDRESS and not (before in ":=" and text[start - 2 : start - 1] not in ":/"):
        return None
    if not _has_top_label(domain[0]) or _AFTER_ADDRESS.match(text, end) or _is_message_id(view, start, end, local):
        return None
    return start, end


def _has_top_label(domain: str) -> bool:
    top = domain.rpartition(".")[2].lower()
    return top in _OTHER_TOPS or top in suffixes.top_labels()


# Only machines write Message-IDs.
_MESSAGE_ID_BEFORE = re.compile(
    r"(?:^|[>|\s])(?:message-?id|references|in-reply-to|supersedes|article|news|mid|cid|content-id|xref|id)[:\s]\s*"
    r"(?:<[^<>\s]*>\s*)*<?\Z",
    re.IGNORECASE,
)
_MADE_BY_MACHINE = re.compile(
    r"(?=(?:[^0-9]*[0-9]){6})(?=.*[A-Za-z.$%])|[$]|(?:[^.]*\.){4}|[A-Za-z0-9]{24}|\.fsf\Z|\A(?:Pine|local)\.", re.DOTALL
)
# Few people have a longer name for mail.
_LONG_NAME = 20


def _is_message_id(view: View, start: int, end: int, local: str) -> bool:
    text = view.text
    if _MESSAGE_ID_BEFORE.search(_before(view, start)):
        return True
    in_angle = text[max(0, start - 1) : start] == "<" and text.startswith(">", end)
    return (in_angle or len(local) > _LONG_NAME) and _MADE_BY_MACHINE.search(local) is not None


_BEGINS = lazy_unicode_regex(rf"(?:(?P<local>{_LOCAL})@)?{_NAME_PATTERN}(?!:(?![0-9]))")
_HIDDEN = lazy_unicode_regex(rf"at[ \t]+({_NAME_PATTERN})")
_HIDDEN_REACH = 400
_FROM_LIKE = re.compile(
    r"^[>|\s]*(?:From |(?:From|To|Cc|Bcc|Sender|Reply-To|Mail-Followup-To|Resent-From|Resent-To|Author|Committer"
    r"|[A-Z][a-z]+(?:-[a-z]+)*-by|De|Von|An|Da)[ \t]*:)"
)
_BEFORE_WROTE = re.compile(
    r"[>)\]]?[ \t]*(?:\([^()\r\n]{1,80}\)[ \t]*)?(?:\r?\n[>| \t]*)?"
    r"(?:wrote|writes|said|schrieb|skrev|scrisse|schreef|escribió|a écrit)\b"
)


def _hidden_address(view: View, at: int) -> tuple[int, int] | None:
    """Return the span of `jane at a.example` around the word at *at*, if the text around it shows an address."""
    text = view.text
    hidden = _HIDDEN.match(text, at)
    line = _before(view, at, _HIDDEN_REACH)
    left = line.rstrip(" \t")
    local = _local(left)
    if hidden is None or not local:
        return None
    before = left.removesuffix(local)
    start, end = at - len(view.encoded(line[len(before) :])), hidden.end()
    if before[-1:] in _BEFORE_ADDRESS or before[-1:].isalnum() or not _has_top_label(hidden[1]):
        return None
    if _AFTER_ADDRESS.match(text, end):
        return None
    in_brackets = before.endswith(("<", "[")) and text.startswith((">", "]"), end)
    shown = in_brackets or _FROM_LIKE.search(before) or _BEFORE_WROTE.match(_after(view, end))
    return (start, end) if shown else None
