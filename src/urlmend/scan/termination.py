"""Where a bare URL ends: classes of characters, and one forward pass whose result is the last accepted position.

Ordinary characters may be last. Soft ones (`. , ; : ! ? ' * #` and opening brackets) may be inside but not last, except
the `#` of an empty fragment and a `*` that is the value of a query. A closing bracket may be last if it closes one
inside; one that closes nothing ends the URL, and so does a second `#` after a host. Everything else is hard and ends
it. Beyond ASCII the classes are those of Unicode UTS #58 (Link_Term), except that its soft characters end a URL: `。`
is between sentences without a blank, and a particle of Korean or Japanese after ASCII ends one. The authority has its
own rules, in `authority`.
"""

import re
import unicodedata
from functools import cache

from urlmend.mend.readings import OPERATOR
from urlmend.mend.words import LEAST_RULE, RULED, is_rule
from urlmend.scan import authority
from urlmend.text import schemes
from urlmend.text.line_ends import EOL
from urlmend.text.patterns import lazy_regex, lazy_unicode_regex
from urlmend.text.schemes import COMMON_SCHEMES, SCHEMES, either, either_case

SOFT = ".,;:!?'*#"
# An `@` without a host after it ends no login, as in AmigaGuide's "http://a.example@{b}". A soft hyphen is not seen.
NEVER_LAST = f"{SOFT}([|^@\u00ad"

ENTITIES = r"gt|lt|quot|nbsp|(?:apos|[lr][sd]quo|[lr]aquo|hellip|#0{0,5}3[49]|#[xX]0{0,5}2[27])(?=;(?![\w=/%\-]))"
"""Entities of HTML that end a URL in text.

The first four may lack their semicolon. The others need it, and end the URL only if no more of it follows.
"""

_ORDINARY = r"A-Za-z0-9\-_~/%=$+@"


# Most of a URL: ordinary characters, and soft ones that none of the steps below looks at.
_RUN = lazy_regex(rf"(?:[.:!?*#]*+[{_ORDINARY}]++)++")


def _usual(letter: str, also_hard: str = "") -> re.Pattern[str]:
    """Return a pattern for most URLs, from their colon to what ends them: in ASCII and others that match *letter*."""
    stretch = rf"(?:[.:!?]*+(?:[{_ORDINARY}]++|{letter}))++"
    # A top label with letters of both kinds ends before those beyond ASCII.
    host = rf"(?:(?:\.(?![A-Za-z0-9\-_%]++{letter}))?+(?:[A-Za-z0-9\-_%]++|{letter}))++(?<=[A-Za-z0-9]|[^\x00-\x7f])"
    last = r"(?<=[A-Za-z0-9/]|[^\x00-\x7f])"
    # No login, no drive, no marks that may be in pairs, no escapes, which may make more of what follows part of the
    # URL. Any letter after a port makes it a broken one.
    return lazy_regex(
        rf"(?<!{either_case('mailto')}:)(?<!{either_case('file')}:)(?:(?!//|#)|//(?![^@/?#\x00-\x20]{{0,800}}@)"
        rf"(?:{host}(?::[0-9]++)?+(?![.!~=$+@]|{letter})|(?=[:!?~/=$+@])))"
        rf"(?:(?:{stretch})?+(?:#{stretch})?+{last}(?=[\x00-\x20\x7f<>\"`)\]}}]|\Z{also_hard})|(?<=[A-Za-z0-9])(?=[(,;'])"
        rf"|(?:(?=/){stretch.replace('!?', '!')})?+{last}(?=[|^]))(?![\"']{OPERATOR}[ \t]*[\r\n])"
    )


USUAL = _usual("(?!)")
"""The end of most URLs, in ASCII."""
USUAL_IN_TEXT = _usual(r"(?![\xd7\xf7\u0149])[\u00c0-\u027f\u0400-\u047f]", r"|[\u3000-\u3002]")
"""As USUAL, with letters of Latin and Cyrillic, and before the full stop and comma of Chinese and Japanese."""
USUAL_IN_OCTETS = _usual(r"(?!\xc3[\x97\xb7]|\xc5\x89)[\xc3-\xc9\xd0\xd1][\x80-\xbf]", r"|\xe3\x80[\x80-\x82]")
"""The same in UTF-8, one character a byte."""
SOFT_RUN = lazy_regex(f"[{SOFT}]+")
_WITH_TWIN = frozenset("',;")
_OVER = r"""(?:[\x00-\x20\x7f<>"`\\)\]}]|\Z)"""
_FRAGMENT_REACH = 2048  # in a line without blanks, what follows would be searched for each URL
# After a number sign, up to the next with more of the URL after it. The search ends at a blank or a quote, as any URL
# does. Few URLs have a number sign right before a bracket that closes. A room of Matrix has one: "#/#room:a.example".
_SECOND_NUMBER_SIGN = lazy_regex(
    rf"""(?:[^#\x00-\x20<>"`]++|#(?=[{SOFT}]*+{_OVER})|(?<=/)#(?=[\w.\-]{{1,99}}+:\w)){{0,32}}+#"""
)
CLOSING = {"(": ")", "[": "]"}
# A tag of BBCode, or the text of a link in AsciiDoc that opens a window or has a blank in one of its first lines.
_WORD = r"[^\[\]<>\s]"
_MARK_UP = lazy_regex(
    r"\[(?:/(?i:url|img|quote|color|size|center|[biu])\]"
    rf"|[^\[\]<>\s^]{{1,80}}+(?:\^(?:,{_WORD}{{0,80}}+)?|(?<=,window=_blank))\]"
    rf"|{_WORD}{{0,60}}+(?:{EOL}{_WORD}{{0,60}}+)?[ \t\xa0]"
    r"(?:[^\[\]<>:]|:(?!//)|(?<==http):|(?<==https):){0,160}+\](?!=))"
)
# Such a text without a blank, where it is not a parameter: with a letter first, and nothing of the URL after it.
_LINK_TEXT = lazy_regex(
    rf"""(?:(?<=[A-Za-z0-9])|(?<=[^/]/))\[(?:(?=[A-Za-z'"*_`@#]){_WORD}{{1,80}}+(?:{EOL}{_WORD}{{1,80}}+)?+)?\](?=[.,;:!?']{{0,9}}+{_OVER})"""
)
_BARS = lazy_regex(r"[|^]+(?=[A-Za-z0-9%~_\-=|^])")
_ENTITY = lazy_regex(rf"&(?:{ENTITIES});?(?![A-Za-z0-9=])")
_LISTED = either(scheme.name for scheme in SCHEMES if scheme.listed)
# A bar may be part of a query, as in encoded text: only a common scheme after it, or its label, is another URL.
NEXT_URL = lazy_regex(
    rf"[,;](?:<?[Uu][Rr][Ll]:)?(?:[A-Za-z][A-Za-z0-9+.\-]{{0,30}}://|{_LISTED}:)"
    rf"|\|(?:\w{{1,40}}: )?{either(COMMON_SCHEMES)}://"
)
# Right after letters beyond ASCII, which then are no part of the URL before them.
_OTHER_URL = lazy_regex(f"{either(COMMON_SCHEMES)}://")
# A tag of Jira is no part of a URL.
_BRACES = lazy_regex(r"\{(?!(?:noformat|quote|code|color|panel|[*_])\})[!#-.0-;=?-\[\]-_a-z|~]{0,200}\}")
# What only browsers take for the drive of a file: the URL is refused, not cut before the mark.
_DRIVE = lazy_regex(r"(?i:file:///|file://localhost/)[A-Za-z](?:\||:\\)")
_DOMAIN = r"(?:[A-Za-z0-9._\-]|[^\x00-\x7f])+"
_MAILTO = lazy_regex(
    rf"""[^@?,;()\[\]\x00-\x20\x7f<>"`]{{1,200}}@{_DOMAIN}"""
    rf"""(?:,[^@?,;()\[\]\x00-\x20\x7f<>"`:]{{1,200}}@{_DOMAIN})*(?P<headers>\?(?=\w|[^\x00-\x7f]))?"""
)
_HIDDEN = lazy_regex(rf"{schemes.HIDDEN_ADDRESS}(?P<headers>\?(?=\w))?")

# A letter of a script that mostly has no blanks between words and URLs.
_UNSPACED = lazy_unicode_regex(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}]")
# What Korean and Japanese glue to a URL as to any word: a particle, in Japanese with the rest of the sentence. Almost
# no word begins with the first, the mark of an object, or with the second, "is at". Nothing of these scripts and of
# those of Thailand, Laos and Cambodia belongs to the name of a file after its ending.
_LETTER = r"[^\x00-\x7f\W]"
_PARTICLE = lazy_regex(
    r"(?:(?<=\.html)|(?<=\.(?:htm|php|asp|pdf|jpg|png|gif|zip)))[\u0e01-\u0eff\u1780-\u17ff\u3041-\u9fff\uac00-\ud7a3]"
    r"|(?<![=#])(?:を|にある|에있는"
    rf"|(?:に|で|が|は|も|と|の|へ|や|から|まで|より){_LETTER}{{0,80}}?(?:[でま](?:す|した)|ません|(?:くだ|下)さい)(?!{_LETTER})"
    rf"|(?<!/wiki/)(?:に|で|へ|から){_LETTER}{{0,80}}+[ \t]*+{EOL}[ \t>|]*+{_LETTER}"  # the sentence goes on
    r"|(?:(?:에서|에|으로)는?|에게|까지|부터|처럼|보다|이?라는|입니다|[를을로의은는이가와과도])"
    r"(?=[.,;:!?)\]]*(?:\s|\Z)))"
)
# UTS #58 Link_Term=Hard, and its Soft, which end a URL here. Also zero-width and bidi controls, except ZWNJ and ZWJ,
# which shape letters; the ellipsis that marks a shortened URL; the lines of boxes; wide angles; specials, which replace
# embedded objects in mail; and tags. No URL contains specials or tags (RFC 3987, ucschar).
_HARD = (
    r"\p{White_Space}\p{Cc}\p{Cn}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Deprecated}"
    r"\p{Terminal_Punctuation}\p{Sentence_Terminal}\p{Pi}\p{Pf}\u275B-\u2760"
    r"\u2E00\u2E01\u2E06-\u2E08\u2E0B\U0001F676-\U0001F678"
    r"\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u2026\u2500-\u257F\uFF1C\uFF1E\uFFF0-\uFFFF"
    r"\U000E0000-\U000E0FFF"
)
_VERTICAL = r"\u201A\u201E\u2E42\u301D-\u301F\uFD3E\uFD3F\uFE17\uFE18\uFE35-\uFE44\uFE47\uFE48"
_ORDINARY_BEYOND_ASCII = lazy_unicode_regex(rf"[[^\x00-\x7F]--[{_HARD}]--[[\p{{Ps}}\p{{Pe}}]--[{_VERTICAL}]]]+")
_OPENING_BEYOND_ASCII = lazy_unicode_regex(rf"[\p{{Ps}}--[{_HARD}{_VERTICAL}]]")


End = tuple[int, int]
"""The end of a URL, and where the pass stopped: the text between the two was cut from its tail."""


def end_of(text: str, colon: int, before: str, *, ascii_only: bool = False, host_end: int = 0) -> End:
    """Return the end of the bare URL that *text* begins with, and where it stops: at the latest where *text* ends.

    All places are in characters, from 0. *colon* is the place of the colon after the scheme; for a URL without a
    scheme, it is -1, and *host_end* is where its host and port end. *before* is the character before the URL: after a
    `'`, `,`, `;` or `|`, the next one ends the URL; after a letter of a script without blanks, the next such letter
    does; and after `_`, `*` or `#`, the URL does not end with that character. With *ascii_only*, any character beyond
    ASCII ends the URL. The time is linear.
    """
    limit, stop, scheme = len(text), 0, text[: max(0, colon)].lower()
    drive = _DRIVE.match(text) if scheme == "file" else None
    first = pos = drive.end() if drive else colon + 1
    if host_end:
        pos = host_end
    elif scheme == "mailto":
        match = _MAILTO.match(text, first) or _HIDDEN.match(text, first)
        if match and match[0].isascii():
            pos = match.end()
            if not match["headers"]:
                return _without_tail(text, before, first, pos, is_opaque=True), pos
        elif match and not match["headers"]:
            limit = match.end()
    elif text.startswith("//", first):
        pos = host = first + 2
        limit, stop = authority.last_part(text, host, ascii_only=ascii_only) or (limit, 0)
        # Without a scheme a second "#" is escaped, as in UTS #58, and in an opaque URL it may be part of a Message-ID.
        number_sign = text.find("#", host, limit)
        last = min(limit, number_sign + _FRAGMENT_REACH)
        if number_sign >= 0 and (second := _SECOND_NUMBER_SIGN.match(text, number_sign + 1, last)):
            limit = second.end() - 1
            pos = min(pos, limit)
    is_opaque = not (host_end or text.startswith("/", first))
    if match := _RUN.match(text, pos, limit):
        pos = match.end()
    following = text[pos] if pos < limit else " "
    if following.isascii() and following not in _STEPS:
        return _without_tail(text, before, first, pos, is_opaque=is_opaque), max(pos, stop)
    forward = _Pass(text, before, first, limit, pos, ascii_only=ascii_only)
    forward.run()
    return _without_tail(text, before, forward.kept, forward.end, is_opaque=is_opaque), max(forward.pos, stop)


class _Pass:
    """The pass through a URL. `end` is the last accepted position; no soft character before `kept` is cut off."""

    def __init__(  # noqa: PLR0913 -- as in `end_of`
        self, text: str, before: str, first: int, limit: int, pos: int, *, ascii_only: bool
    ) -> None:
        self._text = text
        self._before = before
        self._unicode = not ascii_only
        self._unspaced = before > "\x7f" and _UNSPACED.match(before) is not None
        self._first = first
        self._limit = limit
        self._ascii = True  # so far
        self._query = self._first  # up to here no `?` was seen; -1 after one
        self._fragment = False  # whether a `#` was seen
        self._stack: list[str] = []  # the brackets that close those that are open
        self._pairs: dict[str, tuple[int, bool]] = {}  # up to where quotes and asterisks were counted, and whether odd
        self.kept = self._first
        self.end = self.pos = pos

    def run(self) -> None:
        """Go on to what ends the URL."""
        text, limit = self._text, self._limit
        while self.pos < limit and _STEPS.get(text[self.pos], _Pass.rest)(self):
            if match := _RUN.match(text, self.pos, limit):
                self.end = self.pos = match.end()

    def soft(self) -> bool:
        """Pass soft characters, unless another URL follows them."""
        text = self._text
        if text[self.pos] in "#*'" and self._belongs(text[self.pos]):
            self.pos += 1
            self.end = self.kept = self.pos
            return True
        # Only the last of several can be before another URL, but any can be the twin of the character before this one.
        if match := SOFT_RUN.match(text, self.pos, self._limit):
            if self._before in _WITH_TWIN and (twin := text.find(self._before, self.pos, match.end())) >= 0:
                self.pos = twin
                return False
            self.pos = match.end() - 1
        if text[self.pos] in ",;" and NEXT_URL.match(text, self.pos):
            return False
        self.pos += 1
        return True

    def _belongs(self, character: str) -> bool:
        """Return whether the soft *character* may be last here.

        It may be the `#` of an empty fragment, a `*` that is a value, or a mark that closes a pair inside the URL.
        """
        text, pos = self._text, self.pos
        if character == self._before or text.startswith(character, pos + 1) or self.end != pos:
            return False
        if character == "#":
            seen, self._fragment = self._fragment, True
            return not seen and "#" not in text[self._first : pos] and text[self._first : pos] != "//"
        since, is_open = self._pairs.get(character, (self._first, False))
        is_open ^= text.count(character, since, pos) % 2 == 1
        self._pairs[character] = pos, is_open
        if is_open and character == "'":  # an apostrophe, as in "O'Brien", opens nothing
            return not text[text.rindex("'", self._first, pos) - 1].isalpha()
        return is_open or (character == "*" and text[pos - 1] == "=" and self._in_query())

    def _in_query(self) -> bool:
        if self._query >= 0:
            self._query = -1 if "?" in self._text[self._query : self.pos] else self.pos
        return self._query < 0

    def opening(self) -> bool:
        """Pass an opening bracket, unless mark-up begins with it."""
        text, pos = self._text, self.pos
        if _MARK_UP.match(text, pos) or (_LINK_TEXT.match(text, pos) and not self._has_parameter()):
            return False
        self._stack.append(CLOSING[text[pos]])
        self.pos += 1
        return True

    def _has_parameter(self) -> bool:
        """Return whether a query, or a parameter such as the fragment "#egg=name[extra]", is open at `pos`."""
        return self._in_query() or "=" in self._text[max(self._first, self.pos - 80) : self.pos]

    def ampersand(self) -> bool:
        """Pass an `&` that does not begin an entity."""
        if _ENTITY.match(self._text, self.pos):
            return False
        self.pos += 1
        self.end = self.pos
        return True

    def brace(self) -> bool:
        """Pass balanced braces."""
        # "@{" opens a command in AmigaGuide.
        braces = _BRACES.match(self._text, self.pos) if self._text[self.pos - 1] != "@" else None
        if braces is None:
            return False
        query = self._in_query()
        self.end = self.pos = braces.end()
        self._query = -1 if query else self.pos
        return True

    def bar(self) -> bool:
        """Pass bars and carets in a query, unless another URL follows them."""
        match = _BARS.match(self._text, self.pos) if self._before != "|" and self._in_query() else None
        if match is None or NEXT_URL.match(self._text, match.end() - 1):
            return False
        self.pos = min(match.end(), self._limit)
        return True

    def rest(self) -> bool:
        """Pass a closing bracket that closes one, an opening one beyond ASCII, or letters beyond ASCII."""
        character = self._text[self.pos]
        if self._stack and character == self._stack[-1]:
            self._stack.pop()
            self.end = self.pos + 1
        elif character.isascii() or not self._unicode or (self._unspaced and _UNSPACED.match(character)):
            return False  # most URLs end so: `regex`, which loads slowly, is not asked
        elif self._ascii and not self._stack and _PARTICLE.match(self._text, self.pos, self._limit):
            return False
        elif letters := _ORDINARY_BEYOND_ASCII.match(self._text, self.pos, self._limit):
            if _OTHER_URL.match(self._text, letters.end()):
                return False
            self.end = self.pos = letters.end()
            self._ascii = False
            return True
        elif _opens(character):
            self._stack.append(_closing(character))
        else:
            return False
        self.pos += 1
        return True


_STEPS = {
    **dict.fromkeys(SOFT, _Pass.soft),
    **dict.fromkeys("([", _Pass.opening),
    **dict.fromkeys("|^", _Pass.bar),
    "&": _Pass.ampersand,
    "{": _Pass.brace,
}


@cache
def _closing(bracket: str) -> str:
    """Return the bracket that closes *bracket*: one or two code points later, except in two pairs of Unicode."""
    if bracket in _CROSSED:
        return _CROSSED[bracket]
    following = chr(ord(bracket) + 1)
    return following if unicodedata.category(following) == "Pe" else chr(ord(bracket) + 2)


_CROSSED = {"\u298d": "\u2990", "\u298f": "\u298e"}


def _without_tail(text: str, before: str, kept: int, end: int, *, is_opaque: bool) -> int:
    """Move *end* back over soft characters and the closing mark of an emphasis, to *kept* at most. Paths keep `'s`."""
    if text[end - 1].isalnum() and text[end - 1] != "s":
        return end
    end = _without_soft(text, kept, end)
    while before in ("_", "+") and text.endswith((before, f"{before}'s"), kept, end):
        end = _without_soft(text, kept, text.rindex(before, kept, end))
    while is_opaque and text.endswith("'s", kept, end):
        end = _without_soft(text, kept, end - 2)
    return end


def _without_soft(text: str, kept: int, end: int) -> int:
    while True:
        while end > kept and (text[end - 1] in NEVER_LAST or _opens(text[end - 1])):
            end -= 1
        # Of 50,000 whole URLs in mail and news none ends in two hyphens, which are a dash, in a rule, or in "~~", with
        # which Markdown strikes text out.
        if text.endswith(("--", "~~"), kept, end) and text[end - 3] != text[end - 1]:
            end -= len("--")
        elif is_rule(text[max(kept, end - LEAST_RULE) : end]):
            end -= LEAST_RULE
            while end > kept and text[end - 1] in RULED:
                end -= 1
        else:
            return end


def _opens(character: str) -> bool:
    """Return whether *character* is an opening bracket beyond ASCII."""
    return character > "\x7f" and _OPENING_BEYOND_ASCII.match(character) is not None
