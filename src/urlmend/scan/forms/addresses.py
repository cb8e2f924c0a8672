"""Mail addresses in running text, and those that archives hide: `jane at a.example`."""

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from urlmend.scan.view import as_view, decoded
from urlmend.text import suffixes
from urlmend.text.line_ends import last_line

if TYPE_CHECKING:
    import regex

MAX_LOCAL = 64
"""The longest part before the `@`, in bytes (RFC 5321 section 4.5.3.1.1)."""

MAX_DOMAIN = 253
"""The longest part behind it, in characters (RFC 1035 section 2.3.4)."""

CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+-~&'"
LOCAL = re.compile(r"[A-Za-z0-9_+~](?:[A-Za-z0-9_%+\-~&']|\.(?!\.))*(?<=[A-Za-z0-9_%+\-~])")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?+"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})++")
_BEYOND_BEHIND = re.compile(r"[A-Za-z0-9.\-]{0,253}[^\x00-\x7f]")
# An address goes on with no letter, and with no path on a host, as `scp` writes one.
_BEHIND = re.compile(r"[A-Za-z0-9@\\]|-[A-Za-z0-9]|:[A-Za-z~/]|[(\[]")
_PART_OF = frozenset("@/\\.:=!%$#")
# Names for documentation and tests (RFC 2606), and those of networks before there were domains.
_OTHER_TOPS = frozenset("example invalid test arpa uucp bitnet csnet decnet".split())

# What only machines write: a Message-ID.
_MESSAGE_ID_BEFORE = re.compile(
    r"(?:^|[>|\s])(?:message-?id|references|in-reply-to|supersedes|article|news|mid|cid|content-id|xref|id)[:\s]\s*"
    r"(?:<[^<>\s]*>\s*)*<?\Z",
    re.IGNORECASE,
)
_MADE_BY_MACHINE = re.compile(
    r"(?=(?:[^0-9]*[0-9]){6})(?=.*[A-Za-z.$%])|[$]|(?:[^.]*\.){4}|[A-Za-z0-9]{24}|\.fsf\Z|\A(?:Pine|local)\.", re.DOTALL
)
_LONG_NAME = 20
"""Few people's names for mail have more characters."""

_HIDDEN = re.compile(rf"at[ \t]+({_DOMAIN.pattern})")
_HIDDEN_LOCAL = re.compile(rf"{LOCAL.pattern}[ \t]+\Z")
_FROM_LIKE = re.compile(
    r"^[>|\s]*(?:From |(?:From|To|Cc|Bcc|Sender|Reply-To|Mail-Followup-To|Resent-From|Resent-To|Author|Committer"
    r"|[A-Z][a-z]+(?:-[a-z]+)*-by|De|Von|An|Da)[ \t]*:)"
)
_WROTE_BEHIND = re.compile(
    r"[>)\]]?[ \t]*(?:\([^()\r\n]{1,80}\)[ \t]*)?(?:\r?\n[>| \t]*)?"
    r"(?:wrote|writes|said|schrieb|skrev|scrisse|schreef|escribió|a écrit)\b"
)


class Address(NamedTuple):
    """An address in a view, from `start` to `end`."""

    start: int
    end: int


def find(view: str, at: int, *, binary: bool) -> Address | None:
    """Return the address around the `@` at *at* in *view*, if it is one."""
    left = view[max(0, at - MAX_LOCAL - 1) : at]
    start = at - len(left) + len(left.rstrip(CHARACTERS))
    if (start and view[start - 1] > "\x7f") or _BEYOND_BEHIND.match(view, at + 1):
        return _beyond_ascii(view, at, binary=binary)
    start += view[start] == "'"
    domain = _DOMAIN.match(view, at + 1, at + 1 + MAX_DOMAIN)
    if domain is None or at - start > MAX_LOCAL or not LOCAL.fullmatch(view, start, at):
        return None
    return _address(view, Address(start, domain.end()), view[start:at], domain[0])


def _address(view: str, found: Address, local: str, domain: str) -> Address | None:
    start, end = found
    before = view[start - 1 : start] if start else ""
    if before and before in _PART_OF and not (before in ":=" and view[start - 2 : start - 1] not in ":/"):
        return None
    top = domain.rpartition(".")[2].lower()
    if top not in _OTHER_TOPS and top not in suffixes.top_labels():
        return None
    if _BEHIND.match(view, end) or _is_message_id(view, found, local):
        return None
    return found


def _is_message_id(view: str, found: Address, local: str) -> bool:
    start, end = found
    if _MESSAGE_ID_BEFORE.search(last_line(view[max(0, start - 200) : start])):
        return True
    in_angle = view.startswith("<", start - 1) and view.startswith(">", end)
    return _MADE_BY_MACHINE.search(local) is not None and (in_angle or len(local) > _LONG_NAME)


def find_hidden(view: str, at: int) -> Address | None:
    """Return the address hidden by the word `at` that stands at *at* in *view*, where what is around makes it plain."""
    hidden = _HIDDEN.match(view, at)
    line = last_line(view[max(0, at - 400) : at])
    local = _HIDDEN_LOCAL.search(line)
    if hidden is None or local is None:
        return None
    start, end = at - len(line) + local.start(), hidden.end()
    before = line[: local.start()]
    top = hidden[1].rpartition(".")[2].lower()
    if (
        before[-1:] in _PART_OF
        or before[-1:].isalnum()
        or (top not in _OTHER_TOPS and top not in suffixes.top_labels())
    ):
        return None
    if _BEHIND.match(view, end):
        return None
    in_brackets = before.endswith(("<", "[")) and view.startswith((">", "]"), end)
    plain = in_brackets or _FROM_LIKE.search(before) or _WROTE_BEHIND.match(view, end)
    return Address(start, end) if plain else None


@cache
def _beyond() -> "dict[str, regex.Pattern[str]]":
    import regex  # noqa: PLC0415 -- few texts need it

    letters = r"\p{L}\p{M}\p{N}\u00b7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u200c\u200d\u30fb"
    return {
        "local": regex.compile(rf"(?r)[{letters}_%+\-~&'.]++"),
        "domain": regex.compile(
            rf"[{letters}](?:[{letters}\-]*[{letters}])?(?:\.[{letters}](?:[{letters}\-]*[{letters}])?)+"
        ),
    }


def _beyond_ascii(view: str, at: int, *, binary: bool) -> Address | None:
    left, right = view[max(0, at - 4 * MAX_LOCAL) : at], view[at + 1 : at + 1 + MAX_DOMAIN]
    if binary:
        left, right = decoded(left), decoded(right)
    local, domain = _beyond()["local"].match(left), _beyond()["domain"].match(right)
    if local is None or domain is None or ".." in local[0] or "." in (local[0][0], local[0][-1]):
        return None
    sizes = [len(as_view(part)) if binary else len(part) for part in (local[0], domain[0])]
    return _address(view, Address(at - sizes[0], at + 1 + sizes[1]), local[0], domain[0])
