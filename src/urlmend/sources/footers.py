"""Signatures, and what the software of mailing lists adds below a message, in quotes too (RFC 3676 section 4.3)."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

# The end of a line, and the next one's marks of quotes. Possessive, so that no text makes `re` go back.
_NEXT = r"\r?\n[ \t>|]*+"

FOOTERS: Mapping[str, str] = {
    # A rule, and the name of the list, in version 3 with its address, or the address of the list's page.
    "mailman": rf"_{{20,}}+[ \t]*+(?:{_NEXT}){{1,3}}+(?:"
    r"[^\r\n]{1,80} mailing list(?:[ \t]+(?:--|[<|])[^\r\n]{1,80})?[ \t]*+\r?$"
    rf"|(?:[^\r\n]{{0,80}}+{_NEXT}){{0,3}}?(?:[\w -]{{0,30}}:[ \t]*+)?<?https?://[^\s<>]{{1,200}}/listinfo\b)",
    "google": rf"(?:--~[-~]*+[ \t]*+{_NEXT})?You received this message because you are subscribed to (?:the )?Google\s"
    r"{0,3}Groups?\b",
    "yahoo": r"(?:-{4}[ ~<>-]*+(?:Yahoo! Groups|eGroups) Sponsor\b|Yahoo! Groups Links[ \t]*+\r?$"
    r"|To unsubscribe from this group, send an (?:empty )?e?-?mail to:|Your use of Yahoo! Groups is subject to\b)",
    "listserv": rf"(?:[#_=-]{{20,}}+[ \t]*+(?:{_NEXT}){{1,3}}+)?To unsubscribe from the [\w.-]{{1,60}} list[,:]",
    "sourceforge": rf"(?:-{{20,}}+[ \t]*+{_NEXT})?This (?:SF\.?[Nn]et|sf\.net) e?-?mail is sponsored by\b",
    "majordomo": rf'(?:-{{1,80}}+[ \t]*+{_NEXT})?To unsubscribe from this list: send the line ["\']unsubscribe\b',
    "ezmlm": rf"(?:-{{20,}}+[ \t]*+{_NEXT})?To unsubscribe, e?-?mail:[ \t]{{1,9}}"
    r"[\w.+=-]{1,80}-unsubscribe[\w.+=-]{0,80}@",
}
"""How what each list's software adds begins. It goes on to the end of the message, Mailman's to the next empty line."""


@cache
def _begin(*, footers: bool, signed: bool) -> re.Pattern[str]:
    """Return what begins a signature, in text *signed* with PGP, which escapes its line, or without; or a footer."""
    signature = rf"{r'(?:- )?' if signed else ''}-- \r?$"
    if not footers:
        return re.compile(rf"\n(?P<quote>){signature}", re.MULTILINE)
    kinds = "|".join(f"(?P<{name}>{pattern})" for name, pattern in FOOTERS.items())
    # Most lines begin with another character.
    quote = r"(?=[ \t>|\-_#=TY])(?P<quote>(?:[ \t]?[>|]){0,8}+[ \t]?)(?=[\-_#=TY])"
    # As `may_have_footer` asks for it, so that no other text decides.
    return re.compile(rf"\n{quote}(?:(?:(?<=[\n>|])|(?<=[>|] )){signature}|{kinds})", re.MULTILINE)


# A signature is the end, but for the parts of a digest (RFC 1153) and "Original Message".
_END = re.compile(r"\n(?:-----|--__--|>)")
_END_OF_MAILMAN = re.compile(r"\n(?:-----|--__--|>|[ \t]*\r?$)", re.MULTILINE)


def may_have_footer(text: str) -> bool:
    """Return whether *text* may have the footer of a list, or a signature in a quote."""
    # Every text is asked: `any` takes longer, and most texts that quote nothing have no such mark.
    return (
        "mailing list" in text
        or "/listinfo" in text
        or "ubscribe" in text
        or "Groups" in text
        or "sponsored by" in text
        or (">" in text and ("> -- " in text or ">-- " in text))
        or ("|" in text and ("| -- " in text or "|-- " in text))
    )


def signatures(  # noqa: PLR0913 -- each is a fact of the text
    text: str, pos: int, stop: int, *, inside: bool, signed: bool = False, footers: bool | None = None
) -> Iterator[tuple[int, int, bool]]:
    """Yield the stretches of *text* from *pos*, the start of a line, to *stop* outside and inside of signatures.

    The text before was *inside* of one or not. *footers* is what `may_have_footer` returns, if that is known.
    """
    if footers is None:
        footers = may_have_footer(text[pos:stop])
    # The patterns begin with the end of the line before.
    shift = 0 if pos and text[pos - 1] == "\n" else 1
    if shift:
        text, shift = f"\n{text[pos:stop]}", pos - 1
        pos, stop = 1, len(text)
    begin = _begin(footers=footers, signed=signed)
    end, searched = _END, pos - 1
    while pos < stop:
        mark = (end if inside else begin).search(text, searched, stop)
        at = mark.start() + 1 if mark else stop
        if pos < at:
            yield pos + shift, at + shift, inside
        if mark and not inside:
            end, searched = _end_of(mark["quote"], is_mailman=mark.lastgroup == "mailman"), mark.end()
        else:
            searched = at - 1
        inside, pos = not inside, at


@lru_cache(maxsize=1024)
def _end_of(quote: str, *, is_mailman: bool) -> re.Pattern[str]:
    """Return what ends a signature or footer: in a *quote*, which its marks begin, the end of that quote."""
    marks = "[ \t]*".join(map(re.escape, re.sub(r"\s", "", quote)))
    if not marks:
        return _END_OF_MAILMAN if is_mailman else _END
    inside = rf"[ \t]*{marks}(?![ \t]*[>|])" + r"(?![ \t]*\r?$)" * is_mailman
    return re.compile(rf"\n(?!{inside})", re.MULTILINE)
