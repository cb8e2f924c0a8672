"""Where a bare URL ends: classes of characters, and one forward pass whose result is the last accepted position.

Ordinary characters may be last. Soft ones (`. , ; : ! ? ' * #` and opening brackets) may stand inside, never last. A
closing bracket may be last when it closes one that stands inside; one that closes nothing ends the URL. Everything
else is hard and ends it. Beyond ASCII the classes are those of Unicode UTS #58 (Link_Term), but that its soft ones
end a URL: `。` stands between sentences without a blank.
"""

import re
import unicodedata
from functools import cache
from typing import Any, NamedTuple

SOFT = ".,;:!?'*#"
# A login with no host after it, as in AmigaGuide's "http://a.example@{b}", is none. A soft hyphen is not seen.
_NEVER_LAST = f"{SOFT}([|^@\u00ad"

# Ordinary in ASCII; "&" is looked at for entities.
_ORDINARY = re.compile(r"[A-Za-z0-9\-_~/%=$+@]*")
_SOFT_RUN = re.compile(r"[.,;:!?'*#]+")
_ENTITY = re.compile(r"&(?:gt|lt|quot|nbsp);?(?![A-Za-z0-9=])")
_NEXT_URL = re.compile(r"[,;](?:<?[Uu][Rr][Ll]:)?(?:[A-Za-z][A-Za-z0-9+.\-]{0,30}://|(?:mailto|news|urn):)")
_BRACES = re.compile(r"""\{[^\x00-\x20\x7f-\U0010ffff<>"`{}/]{0,200}\}""")
_URL_CHARACTER = re.compile(r"[A-Za-z0-9%~_\-=|^]")
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
    end = pos = first = colon + 1
    query = False
    if text[start:colon].lower() == "mailto":
        match = _MAILTO.match(text, pos, limit)
        if match and match[0].isascii():
            pos = match.end()
            if not match["headers"]:
                return Extent(_without_tail(text, first, pos, before), pos)
            query = True
        elif match and not match["headers"]:
            limit = match.end()
    elif text.startswith("//", pos) and (match := _HOST_END.match(text, pos + 2, limit)):
        # What ends a URL in its path may stand before that.
        limit = match.end()
    stack: list[str] = []
    while True:
        ordinary = _ORDINARY.match(text, pos, limit)
        if ordinary and ordinary.end() > pos:
            end = pos = ordinary.end()
        if pos >= limit:
            break
        character = text[pos]
        if character in SOFT:
            # Of a run of them only the last can stand before another URL.
            run = _SOFT_RUN.match(text, pos, limit)
            if run and run.end() - pos > 1 and before != "'":
                query = query or "?" in run[0]
                pos = run.end() - 1
                character = text[pos]
            if character == before == "'" or (character in ",;" and _NEXT_URL.match(text, pos)):
                break
            query = query or character == "?"
        elif character in "([":
            stack.append(character)
        elif character in ")]":
            if not _closes(stack, character):
                break
            end = pos + 1
        elif character == "&":
            if _ENTITY.match(text, pos):
                break
            end = pos + 1
        elif character == "{":
            # "@{" opens a command in AmigaGuide.
            braces = _BRACES.match(text, pos) if text[pos - 1] != "@" else None
            if not braces:
                break
            end = pos = braces.end()
            continue
        elif character in "|^":
            if not (query and _URL_CHARACTER.match(text, pos + 1)):
                break
        elif character.isascii() or ascii_only:
            break
        elif letters := _beyond_ascii()["ordinary"].match(text, pos, limit):
            end = pos = letters.end()
            continue
        elif _beyond_ascii()["open"].match(text, pos):
            stack.append(character)
        elif _beyond_ascii()["close"].match(text, pos) and _closes(stack, character):
            end = pos + 1
        else:
            break
        pos += 1
    return Extent(_without_tail(text, first, end, before), pos)


def _closes(stack: list[str], character: str) -> bool:
    """Pop the bracket that *character* closes, if it is the innermost open one (UTS #58, LinkBracket.txt)."""
    if not stack or character != _closing(stack[-1]):
        return False
    stack.pop()
    return True


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
    while end > start and (
        text[end - 1] in _NEVER_LAST
        or (text[end - 1] > "\x7f" and _beyond_ascii()["open"].match(text, end - 1) is not None)
    ):
        end -= 1
    return end


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
