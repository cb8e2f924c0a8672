"""The triggers of what is found on request: the full stop of a host, the `@` of an address, the `at` that hides one."""

from collections.abc import Iterable
from typing import Any

from urlmend.scan.forms.defanged import TRIGGER
from urlmend.text.schemes import either_case
from urlmend.text.suffixes import top_labels

_BEYOND = r"[^\x00-\x7f]"
# A letter, a digit, or anything beyond ASCII.
_WORD = r"[^\x00-/:-@\[-`{-\x7f]"
# The label is the last one.
_NO_MORE = r"(?![A-Za-z0-9\-_@]|\.[A-Za-z0-9])"

_LONGEST = 40
"""Of hosts up to this size, in characters, one look on the left tells that they are an address's: most in mail are."""

_NOT_BEHIND_AT = "".join(rf"(?<!@[A-Za-z0-9.\-]{{{size}}}\.)" for size in range(1, _LONGEST))
_NOT_HIDDEN = "".join(rf"(?<![ \t]at[ \t][A-Za-z0-9.\-]{{{size}}}\.)" for size in range(1, _LONGEST))


def pattern(*, schemeless: bool, addresses: bool) -> str:
    """Return the pattern of the triggers of hosts and addresses, as alternatives; empty if neither is looked for.

    It finds the full stop before a host's top label, and the first one of a `www` host. Whether a label beyond ASCII is
    a top label is asked later.
    """
    branches = []
    if schemeless:
        www = r"(?<=[Ww]{3}\.)(?<![A-Za-z0-9\-@.]....)"
        top = rf"{_any_of(top for top in top_labels() if top.isascii())}{_NO_MORE}|(?=[A-Za-z0-9\-]{{0,62}}+{_BEYOND})"
        branches.append(
            rf"\.(?={_WORD})(?:{www}|(?<={_WORD}\.)(?={top}){_NOT_BEHIND_AT}(?:(?=[A-Za-z0-9\-]++[/?#:])|{_NOT_HIDDEN}))"
        )
    if addresses:
        branches.append(rf"@(?<=[^\x00- \"(),:;<>@\[\\\]`\x7f]@)(?={_WORD})")
        branches.append(r"a(?<=[^\x00- ][ \t]a)(?=t[ \t]+[A-Za-z0-9\-]+\.[A-Za-z0-9])")
    if branches:
        branches.append(TRIGGER)
    return "|".join(branches)


def _any_of(words: Iterable[str]) -> str:
    """Return the pattern of any of *words* in any letter case, the longest: each character is looked at once."""
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for character in word:
            node = node.setdefault(character, {})
        node[""] = {}
    return _branches(tree)


def _branches(node: dict[str, Any]) -> str:
    last = "".join(letter + letter.upper() for letter, more in node.items() if letter and list(more) == [""])
    branches = [either_case(letter) + _branches(more) for letter, more in node.items() if letter and list(more) != [""]]
    branches += [f"[{last}]"] * bool(last)
    return f"(?:{'|'.join(branches)}){'?+' if '' in node else ''}"
