"""Signatures, and what the software of mailing lists adds below a message, in quotes too (RFC 3676 section 4.3)."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from urlmend.sources.quotes import FIRST, SIGN, stretches
from urlmend.text.patterns import lazy_regex

# The end of a line, and the next one's marks of quotes. Possessive, so that no text makes `re` go back.
_NEXT = r"\r?\n[ \t>|]{0,30}+"
_BLANKS = r"[ \t]{0,30}+"

FOOTERS: Mapping[str, str] = {
    # A rule, and the name of the list, in version 3 with its address, or the address of the list's page.
    "mailman": rf"_{{20,200}}+{_BLANKS}(?:{_NEXT}){{1,3}}+(?:"
    r"[^\r\n]{1,80} mailing list(?:[ \t]+(?:--|[<|])[^\r\n]{1,80})?[ \t]*+\r?$|Full-Disclosure - We believe in it\."
    rf"|(?:[^\r\n]{{0,80}}+{_NEXT}){{0,3}}?(?:[\w -]{{0,30}}:[ \t]*+)?<?https?://[^\s<>]{{1,200}}/listinfo\b)",
    "google": rf"(?:--~[-~]{{0,200}}+{_BLANKS}{_NEXT})?You received this message because you are subscribed to "
    r"(?:a topic in )?(?:the )?Google\s{0,3}Groups?\b",
    "yahoo": r"(?:-{4}[ ~<>-]*+(?:Yahoo!? Groups|eGroups|ONElist) Sponsor\b|Yahoo!? Groups Links[ \t]*+\r?$"
    r"|To unsubscribe from this group, send an (?:empty )?e?-?mail to:|Your use of Yahoo!? Groups is subject to\b"
    r"|Community email addresses:|Post message:[ \t]{1,9}[\w.-]{1,60}@)",
    "listserv": rf"(?:[#_=-]{{20,200}}+{_BLANKS}(?:{_NEXT}){{1,3}}+)?To unsubscribe from the [\w.-]{{1,60}} list[,:]",
    # The later advertisements have nothing in common but their place above the lines of Mailman.
    "sourceforge": rf"(?:-{{20,200}}+{_BLANKS}{_NEXT})?This (?:SF\.?[Nn]et|sf\.net) e?-?mail is sponsored by\b"
    rf"|-{{70,90}}+{_BLANKS}(?:{_NEXT}[^\s_>|][^\r\n]{{0,100}}+){{1,7}}?{_NEXT}_{{40,60}}+{_BLANKS}{_NEXT}"
    rf"[^\r\n]{{1,80}} mailing list{_BLANKS}{_NEXT}[\w.+-]{{1,80}}(?:@| at )lists\.sourceforge\.net\b",
    "topica": r"==\^={20,80}",
    "groups_io": rf"(?:-=){{5,60}}+-?{_BLANKS}{_NEXT}Groups\.io Links:",
    "majordomo": rf'(?:-{{1,200}}+{_BLANKS}{_NEXT})?To unsubscribe from this list: send the line ["\']unsubscribe\b',
    "ezmlm": rf"(?:-{{20,200}}+{_BLANKS}{_NEXT})?To unsubscribe, e?-?mail:[ \t]{{1,9}}"
    r"[\w.+=-]{1,80}-unsubscribe[\w.+=-]{0,80}@",
    "advertisement": rf"_{{50,200}}+{_BLANKS}{_NEXT}(?:[^\r\n]{{1,400}}+{_NEXT}){{0,2}}?"
    r"[^\r\n]{0,200}?(?i:yahoo|hotmail|msn|juno|lycos|windows ?live|virus scan|free\b[^\r\n]{0,30}e-?mail)"
    rf"|-{{3,200}}+{_BLANKS}{_NEXT}(?:This e-?mail (?:message )?(?:has been|is|was) (?:checked|scanned|free)\b"
    r"|Outgoing mail is certified Virus Free\b|No virus found in this )"
    rf"|-{{60,90}}+{_BLANKS}{_NEXT}(?:[^\r\n]{{0,99}}+{_NEXT})?[^\r\n]{{0,99}}?\bONElist\b"
    r"|-{2,40}+={1,4}+ {1,3}(?:Posted|Sent) via |Sent via Deja\.com\b"
    r"|Posted [Vv]ia (?:a free Usenet account\b|[\w.]{1,40}\.\w\w|https?:)"
    rf"[^\r\n]{{0,99}}+(?:{_NEXT}[A-Z* -]{{20,99}}+\r?$){{0,3}}+",
}
"""How the footer begins that the software of each list adds, or the advertisement of a provider or virus scanner.

It goes on to the end of the message; Mailman's and an advertisement, to the next empty line."""

_SIGNS = {
    "_" * 20: "",
    "-=" * 5: "",
    "----": "[ ~<>-]*+(?:[Ye]|ON|=+ +[PS])",
    "--==": "=* [PS]",
    "==^=": "",
    "Post": "(?:ed [Vv]ia| message:)",
    "Sent via D": "",
    "Help support O": "",
    "Community email a": "",
    "To unsubscribe": "",
    "This e": "",
    "Outgoing mail is": "",
    "No virus found": "",
    "This SF": "",
    "This sf": "",
    "You received this message": "",
    "Yahoo": "!? Groups L",
    "Your use of Y": "",
}
FOOTER_STEMS = tuple(_SIGNS)
"""Words to search for first, which is faster: each sign begins with one of them."""
FOOTER_SIGN = "|".join(re.escape(stem) + more for stem, more in _SIGNS.items())
"""What is in the first line of a footer, or in one of the lines after it."""
_STARTS = "".join(re.escape(start) for start in sorted({stem[0] for stem in _SIGNS}))
_REACH = 400
"""A footer begins at most so many characters before a sign that may be below a rule."""

_PGP = "-----BEGIN PGP SIGNATURE-----"
# One search, which takes little longer than one for any of them. Most lines begin with another character. Groups are
# empty: with something in them they would take longer.
_MARK = lazy_regex(
    rf"\n[ \t>|]*+(?=[{_STARTS}{FIRST}])(?:(?:-- ?(?=\r?\n)|{_PGP})(?P<signature>)|-{{70}}|(?:{FOOTER_SIGN})"
    rf"(?:(?<=[A-Za-z])(?P<below>))?|(?<=\n)(?:{SIGN})(?P<quote>))"
)
SIGNATURE, FOOTER, QUOTE, _BELOW = "signature", "footer", "quote", "below"


def first_marks(text: str) -> dict[str, int]:
    """Return where in *text*, which begins with a line end, the first SIGNATURE, FOOTER or QUOTE may begin."""
    found: dict[str, int] = {}
    for mark in _MARK.finditer(text):
        found.setdefault(mark.lastgroup or FOOTER, mark.start())
    if _BELOW in found:
        found[FOOTER] = max(0, min(found.get(FOOTER, len(text)), found.pop(_BELOW) - _REACH))
    return found


# Many programs strip the blank of `-- `: then few lines follow, and the text or a footer's rule.
_LAST_LINES = r"(?!\n[a-z]+:)(?:\n[^\r\n]{0,120}\r*){1,8}?(?:\s*\Z|\n(?:_{20}|-{20}))"
# Most lines begin with another character. A signature may begin with a rule, a footer with one of "#" or "=".
_BEGIN = lazy_regex(
    rf"\n(?=[{_STARTS}#= \t>|])(?=[ \t>|]*+[{_STARTS}#=])"
    rf"(?P<quote>(?:[ \t]?[>|]){{1,8}}+[ \t]{{0,20}}+|[ \t]?)(?=[{_STARTS}#=])"
    rf"(?:(?:(?<=[\n>|])|(?<=[>|] ))-- \r?$(?:\n-++[ \t]*+\r?$)?|(?<=\n)--\r?$(?={_LAST_LINES})|{_PGP}|"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in FOOTERS.items())
    + ")",
    re.MULTILINE,
)
"""What begins a signature or a footer."""


def is_footer(text: str) -> bool:
    """Return whether *text* begins with a footer that the software of a list adds."""
    begun = _BEGIN.match(f"\n{text}")
    return begun is not None and begun.lastgroup in FOOTERS


_PARAGRAPH = lazy_regex(r"[^\n]*+(?:\n(?![ \t]*\r?$)[^\n]*+)*+\s*+", re.MULTILINE)
_LONGEST = 2000
"""A list's own footer begins at most so many characters before the end of the message."""


def own_footer(text: str, marks: Mapping[str, int]) -> int:
    """Return where the list's own footer begins in *text*, the end of a message with these *marks*; else its end.

    No text follows it, as lists add their footers last; below that of a quoted message there is more of the quote.
    """
    size = len(text)
    own, end = size, 0
    for begun in _BEGIN.finditer(text, max(marks.get(FOOTER, size), size - _LONGEST)):
        if begun.lastgroup in FOOTERS and not (begun["advertisement"] or begun["quote"].strip()):
            if end <= begun.start():
                own = begun.start() + 1
            paragraph = _PARAGRAPH.match(text, begun.end()) if begun.lastgroup == "mailman" else None
            end = max(end, paragraph.end() if paragraph else size)
    return size if end < size else own


# A signature is the end, but for the parts of a digest (RFC 1153) and "Original Message". Many draw boxes: "-----+".
_GOES_ON = r"-----(?!-*+[+|])|--__--|>"
_END = lazy_regex(rf"\n(?:{_GOES_ON})")
_END_OF_PARAGRAPH = lazy_regex(rf"\n(?:{_GOES_ON}|[ \t]*\r?$)", re.MULTILINE)


def signatures(
    text: str, start: int, stop: int, marks: Mapping[str, int], *, inside: bool
) -> Iterator[tuple[int, int, bool]]:
    """Return the stretches of *text* from *start* to *stop* outside and inside of signatures.

    *start* follows a line end, and the text before was *inside* of one or not. *marks* are those of *text*.
    """
    first = min(marks.get(SIGNATURE, stop), marks.get(FOOTER, stop))
    return stretches(text, start, stop, _BEGIN, _end_of, inside=inside, first=first)


def _end_of(mark: re.Match[str] | None) -> re.Pattern[str]:
    """Return what ends the signature or footer that *mark* begins: in a quote, the end of that quote."""
    return _end_in(mark["quote"], is_paragraph=mark.lastgroup in {"mailman", "advertisement"}) if mark else _END


@lru_cache(maxsize=1024)
def _end_in(quote: str, *, is_paragraph: bool) -> re.Pattern[str]:
    marks = "[ \t]*".join(map(re.escape, re.sub(r"\s", "", quote)))
    if not marks:
        return _END_OF_PARAGRAPH if is_paragraph else _END
    inside = rf"[ \t]*{marks}(?![ \t]*[>|])" + r"(?![ \t]*\r?$)" * is_paragraph
    return re.compile(rf"\n(?!{inside})", re.MULTILINE)
