"""Where a bare URL ends: classes of characters, and one forward pass whose result is the last accepted position.

Ordinary characters may be last. Soft ones (`. , ; : ! ? ' * #` and opening brackets) may stand inside, never last. A
closing bracket may be last when it closes one that stands inside; one that closes nothing ends the URL. Everything
else is hard and ends it. Beyond ASCII the classes are those of Unicode UTS #58 (Link_Term), but that its soft ones
end a URL: `。` stands between sentences without a blank.
"""

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any, NamedTuple

from urlmend.text.schemes import SCHEMES, either

SOFT = ".,;:!?'*#"
# An `@` without a host after it ends no login, as in AmigaGuide's "http://a.example@{b}". A soft hyphen is not seen.
_NEVER_LAST = f"{SOFT}([|^@\u00ad"

_ORDINARY = r"A-Za-z0-9\-_~/%=$+@"


def _run(soft: str) -> re.Pattern[str]:
    """Return the pattern of most of a URL: up to its last ordinary character, with *soft* ones and brackets before it.

    It stops at what needs a second look: an `&` that may begin an entity, a comma that may stand before another URL.
    """
    inside = rf"[{_ORDINARY}{soft}]*+(?:[,;](?=[^A-Za-z<])[{_ORDINARY}{soft}]*+)*+"
    comma = r"[,;](?=[0-9\-_~/%=$+@]|[A-Za-z]{1,12}+[^A-Za-z0-9+.\-:])"
    between = rf"[{soft}]+(?=[{_ORDINARY}])|{comma}|&(?=[^glqn])|\({inside}\)|\[{inside}\]"
    return re.compile(rf"[{_ORDINARY}]*+(?:(?:{between})[{_ORDINARY}]*+)*+")


_RUN = _run(".:!?*#'")
_RUN_BEHIND_QUOTE = _run(".:!?*#")
_SOFT_RUN = re.compile(r"[.,;:!?'*#]+")
_CLOSING = str.maketrans("([", ")]")
_OPENING_RUN = re.compile(r"[(\[]+")
_BARS = re.compile(r"[|^]+(?=[A-Za-z0-9%~_\-=|^])")
_ENTITY = re.compile(r"&(?:gt|lt|quot|nbsp);?(?![A-Za-z0-9=])")
_LISTED = either(scheme.name for scheme in SCHEMES if scheme.listed)
_NEXT_URL = re.compile(rf"[,;](?:<?[Uu][Rr][Ll]:)?(?:[A-Za-z][A-Za-z0-9+.\-]{{0,30}}://|{_LISTED}:)")
_BRACES = re.compile(r"\{[!#-.0-;=?-_a-z|~]{0,200}\}")
# "http://a.example/b.html's" is of the sentence, ".../wiki/Levi's" is a name.
_NAME_WITH_S = re.compile(r"(?:[/_+\-]|%20)[A-Z]\w*'s$")
# A host has no brackets, commas, semicolons or quotes; a login before it may.
_HOST_END = re.compile(
    r"""[^/?#(),;'\x00-\x20\x7f<>"`\\]*+(?=[(),;'])(?![^/?#\x00-\x20\x7f<>"`\\]{0,200}@[A-Za-z0-9\[%_])"""
)
_MAILTO = re.compile(
    r"""[^@?,;()\[\]\x00-\x20\x7f<>"`]{1,200}@(?:[A-Za-z0-9._\-]|[^\x00-\x7f])+"""
    r"""(?:,[^@?,;()\[\]\x00-\x20\x7f<>"`:]{1,200}@(?:[A-Za-z0-9._\-]|[^\x00-\x7f])+)*(?P<headers>\?(?=\w|[^\x00-\x7f]))?"""
)


class Extent(NamedTuple):
    """`end` is where the URL ends, `stop` where the pass ended: what lies between was cut from the tail."""

    end: int
    stop: int


def extent(  # noqa: C901, PLR0912, PLR0913, PLR0915 -- one pass with one branch a class
    text: str, start: int, colon: int, limit: int, *, before: str = "", ascii_only: bool = False
) -> Extent:
    """Return the extent of the bare URL at *start* in *text* up to *limit*, whose scheme ends at *colon*.

    All count in characters. *before* is the character on its left: a `'` there makes `'` hard, a `_` takes its twin off
    the end. Looks at each character a bounded number of times. `stop` is *limit* where the text goes on unended.
    """
    end = pos = first = asked = colon + 1
    query = False
    if text[start:colon].lower() == "mailto":
        match = _MAILTO.match(text, pos, limit)
        if match and match[0].isascii():
            pos = match.end()
            if not match["headers"]:
                return Extent(_without_tail(text, first, pos, before), pos)
        elif match and not match["headers"]:
            limit = match.end()
    elif text.startswith("//", pos) and (match := _HOST_END.match(text, pos + 2, limit)):
        # What ends a URL in its path may stand before that.
        limit = match.end()
    run = _RUN_BEHIND_QUOTE if before == "'" else _RUN
    stack: list[str] = []  # the brackets that close those that are open
    while True:
        if (match := run.match(text, pos, limit)) and match.end() > pos:
            end = pos = match.end()
        if pos >= limit:
            break
        character = text[pos]
        if character in SOFT:
            # Of a run of them only the last can stand before another URL.
            if before != "'" and (match := _SOFT_RUN.match(text, pos, limit)):
                pos = match.end() - 1
                character = text[pos]
            if character == before == "'" or (character in ",;" and _NEXT_URL.match(text, pos)):
                break
        elif character in "([" and (match := _OPENING_RUN.match(text, pos, limit)):
            stack += match[0].translate(_CLOSING)
            pos = match.end()
            continue
        elif character == "&":
            if _ENTITY.match(text, pos):
                break
            end = pos + 1
        elif character == "{":
            # "@{" opens a command in AmigaGuide.
            braces = _BRACES.match(text, pos) if text[pos - 1] != "@" else None
            if not braces:
                break
            query = query or "?" in text[asked:pos]
            end = pos = asked = braces.end()
            continue
        elif character in "|^":
            query = query or "?" in text[asked:pos]
            match = _BARS.match(text, pos) if query else None
            if not match:
                break
            pos = min(match.end(), limit)
            continue
        else:
            before_brackets = pos
            while pos < limit:
                character = text[pos]
                if stack and character == stack[-1]:
                    stack.pop()
                    end = pos + 1
                elif character.isascii() or ascii_only or _kind(character) != "open":
                    break
                else:
                    stack.append(_closing(character))
                pos += 1
            if pos > before_brackets:
                continue
            if character.isascii() or ascii_only or _kind(character) != "ordinary":
                break
            match = _beyond_ascii()["ordinary"].match(text, pos, limit)
            end = pos = match.end()
            continue
        pos += 1
    return Extent(_without_tail(text, first, end, before), pos)


@cache
def _closing(bracket: str) -> str:
    """Return the bracket that closes *bracket*: one or two code points on, but for two pairs that are crossed."""
    if bracket in _CROSSED:
        return _CROSSED[bracket]
    following = chr(ord(bracket) + 1)
    return following if unicodedata.category(following) == "Pe" else chr(ord(bracket) + 2)


_CROSSED = {"\u298d": "\u2990", "\u298f": "\u298e"}


def _without_tail(text: str, start: int, end: int, before: str) -> int:
    end = _without_soft(text, start, end)
    if before == "_" and text[end - 1] == "_":
        end = _without_soft(text, start, end - 1)
    while text.endswith("'s", start, end) and not _NAME_WITH_S.search(text[max(start, end - 80) : end]):
        end = _without_soft(text, start, end - 2)
    return end


def _without_soft(text: str, start: int, end: int) -> int:
    while end > start and (text[end - 1] in _NEVER_LAST or (text[end - 1] > "\x7f" and _kind(text[end - 1]) == "open")):
        end -= 1
    return end


@lru_cache(maxsize=1024)
def _kind(character: str) -> str | None:
    """Return the class of *character*, beyond ASCII; `None` for a hard one."""
    return next((kind for kind, pattern in _beyond_ascii().items() if pattern.fullmatch(character)), None)


@cache
def _beyond_ascii() -> dict[str, Any]:
    """Return the classes beyond ASCII by Unicode property; most text needs none of them, nor `regex`."""
    import regex  # noqa: PLC0415

    # UTS #58 Link_Term=Hard; its Soft, which end a URL here; zero-width and bidi controls (ZWNJ and ZWJ shape
    # letters and stay); the ellipsis with which texts cut URLs short.
    hard = (
        r"\p{White_Space}\p{Cc}\p{Cn}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Deprecated}"
        r"\p{Terminal_Punctuation}\p{Sentence_Terminal}\p{Pi}\p{Pf}\u275B-\u2760"
        r"\u2E00\u2E01\u2E06-\u2E08\u2E0B\U0001F676-\U0001F678"
        r"\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u2026"
    )
    vertical = r"\u201A\u201E\u2E42\u301D-\u301F\uFD3E\uFD3F\uFE17\uFE18\uFE35-\uFE44\uFE47\uFE48"
    flags = regex.VERSION1
    return {
        "ordinary": regex.compile(rf"[[^\x00-\x7F]--[{hard}]--[[\p{{Ps}}\p{{Pe}}]--[{vertical}]]]+", flags),
        "open": regex.compile(rf"[\p{{Ps}}--[{hard}{vertical}]]", flags),
        "close": regex.compile(rf"[\p{{Pe}}--[{hard}{vertical}]]", flags),
    }
