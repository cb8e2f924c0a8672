"""Page breaks in RFCs, Internet-Drafts and the like: footer, form feed, header, and the blank lines around them."""

import re

from urlmend.text.line_ends import EOL
from urlmend.text.patterns import lazy_regex

# As in "Author  Informational  [Page 22]".
_FOOTER = r"\[Page\s+[0-9ivxlc]+(?:-[0-9]+)?\]"
_FOOTER_LINE = lazy_regex(rf"{_FOOTER}\s*$", re.IGNORECASE)

MAY_HOLD = lazy_regex(r"\[(?i:page)")
"""A pattern found in every text that has a page break."""

PAGE_BREAK = lazy_regex(
    rf"(?:[ \t]*{EOL})*[^\r\n]*{_FOOTER}[ \t]*{EOL}(?:[ \t\f]*{EOL})*\f?[^\r\n]+{EOL}(?:[ \t]*{EOL})+", re.IGNORECASE
)
"""A page break between two lines of running text. It needs a header: nothing else shows that the text continues."""

# Inside brackets the URL certainly continues, so the header may be missing. One letter for each line: b for a blank
# line, f for a footer, t for text.
_FURNITURE = lazy_regex("(?:(?<!b)b+)?fb*(?:[ft]b+)?")


def without_furniture(lines: list[str]) -> list[int]:
    """Return the indexes of *lines*, without leaders and surrounding blanks, that are not part of a page break.

    >>> without_furniture(["a", "", "Maas  [Page 7]", "", "Memo 12  March 1996", "", "b"])
    [0, 6]
    """
    kinds = "".join("b" if not line else "f" if _FOOTER_LINE.search(line) else "t" for line in lines)
    kept = set(range(len(lines)))
    for furniture in _FURNITURE.finditer(kinds):
        kept.difference_update(range(*furniture.span()))
    return sorted(kept)
