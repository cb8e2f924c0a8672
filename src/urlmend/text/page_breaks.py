"""Page breaks in RFCs, Internet-Drafts and their like: footer, form feed, header, and the blank lines around them."""

import re

from urlmend.text.line_ends import EOL

# As in "Author  Informational  [Page 22]".
_FOOTER = r"\[Page\s+[0-9ivxlc]+(?:-[0-9]+)?\]"
_FOOTER_LINE = re.compile(rf"{_FOOTER}\s*$", re.IGNORECASE)

MAY_HOLD = re.compile(r"\[page", re.IGNORECASE)
"""What every text with a page break in it holds."""

PAGE_BREAK = re.compile(
    rf"(?:[ \t]*{EOL})*[^\r\n]*{_FOOTER}[ \t]*{EOL}(?:[ \t\f]*{EOL})*\f?[^\r\n]+{EOL}(?:[ \t]*{EOL})+", re.IGNORECASE
)
"""A page break between two lines of running text. It has a header, as nothing else tells that the text goes on."""

# Inside brackets the URL goes on beyond doubt, and the header may be missing: one letter a line, b for a blank line,
# f for a footer, t for text.
_FURNITURE = re.compile("b*fb*(?:[ft]b+)?")


def without_furniture(lines: list[str]) -> list[int]:
    """Return the numbers of those *lines*, from 0, that are no page furniture. They come without leader and blanks.

    >>> without_furniture(["a", "", "Maas  [Page 7]", "", "Memo 12  March 1996", "", "b"])
    [0, 6]
    """
    kinds = "".join("b" if not line else "f" if _FOOTER_LINE.search(line) else "t" for line in lines)
    kept = set(range(len(lines)))
    for furniture in _FURNITURE.finditer(kinds):
        kept.difference_update(range(*furniture.span()))
    return sorted(kept)
