"""An expanded pattern, written so that `re` is quick with it: the same strings and captures, at a third of the time.

The rules of the BNF are alternations of alternations of classes of characters, and repetitions of these. `re` tries the
branches of an alternation one after the other for each character; a class it looks up, and a repeated class it runs.
"""

import re

_CLASS = r"\[(?!\^)(?:[^\]\\]|\\.)+\]"
_ITEM = rf"(?:{_CLASS}|\\.|[^()\[\]\\|])"
_ITEM_OR_BAR = re.compile(rf"{_ITEM}|\|")
_ALTERNATIVES = rf"{_ITEM}+(?:\|{_ITEM}+)*"
# A class is matched first: what looks like a group in one is none.
_GROUP = re.compile(rf"{_CLASS}|\\.|\(\?:(?P<inside>{_ALTERNATIVES})\)(?:(?P<times>[*+])(?![*+?]))?")
_ALTERNATIVE_GROUP = re.compile(rf"{_CLASS}|\\.|(?P<left>\(\?i?:|\|)\(\?:(?P<inside>{_ALTERNATIVES})\)(?=[|)])")
_ESCAPE = re.compile(rf"%(?:{_CLASS})+")
# "(alphadigit|-)* alphadigit" in the BNF of a label, as it comes out of the steps below.
_REST_OF_LABEL = re.compile(
    rf"\(\?:(?:\(\?:)?\[(?P<one>(?:[^\]\\]|\\.)+)\\-\]\*(?:\(\?:(?P<escape>%{_CLASS}{_CLASS})\[(?P=one)\\-\]\*\)\*\))?"
    r"(?:\[(?P=one)\]|\(\?:\[(?P=one)\]\|(?P=escape)\))\)\?"
)
# A run and its escapes in a login: what follows is ":" or "@".
_LOGIN = re.compile(
    rf"(?P<name>\(\?P<(?:user|password)>)\(\?:(?P<one>{_CLASS})\*\(\?:(?P<escape>%{_CLASS}{_CLASS})(?P=one)\*\)\*\)"
)
_ONE_CHARACTER = re.compile(rf"{_CLASS}|\\[^\w]|[A-Za-z0-9_~@/;:&=-]")


def unrolled(pattern: str) -> str:
    """Return a pattern that matches and captures what *pattern* does, with the same choices in the same order."""
    before = ""
    while pattern != before:
        before = pattern
        pattern = _ALTERNATIVE_GROUP.sub(_without_group, pattern)
        pattern = _GROUP.sub(_quick_group, pattern)
    return _LOGIN.sub(_quick_login, _REST_OF_LABEL.sub(_quick_rest_of_label, pattern))


def _quick_rest_of_label(rest: re.Match[str]) -> str:
    """Return what never goes back in *rest*: no label is followed by what is in one."""
    one = f"[{rest['one']}]"
    run, any_one = f"{one}*+", one
    if escape := rest["escape"]:
        run, any_one = f"{run}(?:{escape}{one}*+)*+", f"(?:{one}|{escape})"
    return f"{run}(?:-++{any_one}{run})*+"


def _quick_login(login: re.Match[str]) -> str:
    """Return what never goes back in *login*, if it holds none of what follows it."""
    name, one, escape = login.groups()
    return login[0] if re.search(one, ":@%") else f"{name}{one}*+(?:{escape}{one}*+)*+"


def _without_group(group: re.Match[str]) -> str:
    """Take the brackets off a group that is an alternative."""
    return group[0] if group["inside"] is None else group["left"] + group["inside"]


def _quick_group(group: re.Match[str]) -> str:
    if group["inside"] is None:
        return group[0]
    alternatives = _split(group["inside"])
    single = [item for item in alternatives if _ONE_CHARACTER.fullmatch(item)]
    longer = [item for item in alternatives if item not in single]
    if not single:
        return group[0]
    one = f"[{''.join(map(_inside_class, single))}]"
    times = group["times"] or ""
    if not longer:
        return one + times
    # Only where the first character tells them apart may the order change: of what is longer the BNF repeats escapes.
    if not all(map(_ESCAPE.fullmatch, longer)) or (longer and re.match(one, "%")):
        return group[0]
    rest = "|".join(longer)
    if not times:
        return f"(?:{one}|{rest})"
    rest = rest if len(longer) == 1 else f"(?:{rest})"
    run = f"{one}*(?:{rest}{one}*)*"
    return f"(?:{run})" if times == "*" else f"(?:(?:{one}|{rest}){run})"


def _split(inside: str) -> list[str]:
    alternatives = [""]
    for item in _ITEM_OR_BAR.findall(inside):
        if item == "|":
            alternatives.append("")
        else:
            alternatives[-1] += item
    return alternatives


def _inside_class(item: str) -> str:
    """Return what stands for the character or class *item* inside a larger class: a hyphen at its edge is no range."""
    inside = item[1:-1] if item[0] == "[" else item
    if inside[0] == "-":
        inside = "\\" + inside
    elif inside[-1] == "-" and inside[-2:-1] != "\\":
        inside = inside[:-1] + "\\-"
    return inside
