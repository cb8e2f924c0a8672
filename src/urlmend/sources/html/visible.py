"""The visible text of HTML, as the parser's tree has it."""

import re
from typing import TYPE_CHECKING

from urlmend.sources.html.pieces import RENAMED

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

NOT_SHOWN = frozenset(["script", "style", "template", "title", "-comment", None])
IN_LINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr o:p output q ruby s samp "
    "small span strike strong sub sup time tt u var wbr".split()
) | {RENAMED}
# Void elements (HTML Standard 13.1.2) that end any SVG and MathML around them (13.2.6.5): nothing is in one.
_EMPTY = frozenset(["br", "embed", "hr", "img", "meta"])
KEEPING_SPACE = frozenset(["pre", "textarea", "listing", "xmp", "plaintext"])

_SPACE = "\t\n\r\f"
_BLANKS = re.compile("  +")

_END = "\0"
_LINE_END = _END * 2
"""`_END` stands behind each piece of text, and twice for a line end: no text has it, and white space stays apart."""


def visible(root: "LexborNode") -> str:
    """Return what a reader of the document sees, in its order."""
    shown: list[str] = []
    run: list[str] = []  # what is behind that, with all its white space
    keeping = 0
    # Each element that is open, whether it is a block, and whether it keeps space. Documents nest as deep as they like.
    opened: list[tuple[LexborNode, bool, bool]] = []
    node: LexborNode | None = root
    while node is not None:
        tag = node.tag
        child = None
        if tag == "-text":
            text = node.text_content or ""
            if keeping:
                shown += _collapsed(run), text
                run.clear()
            elif text:
                run += text, _END
        elif tag in _EMPTY:
            run.append(_LINE_END * 2)
        elif tag not in NOT_SHOWN:
            block = tag not in IN_LINE
            keeps = tag in KEEPING_SPACE
            child = node.first_child
            if block:
                run.append(_LINE_END * (1 + (child is None)))
            if child is not None:
                keeping += keeps
                opened.append((node, block, keeps))
        following = node.next if child is None and opened else child
        while following is None and opened:
            node, block, keeps = opened.pop()
            run.append(_LINE_END * block)
            keeping -= keeps
            following = node.next if opened else None
        node = following
    return "".join([*shown, _collapsed(run)])


def _collapsed(run: list[str]) -> str:
    """Return the pieces of text in *run* with one blank for each stretch of white space in them."""
    text = "".join(run)
    for space in _SPACE:
        text = text.replace(space, " ")
    return _BLANKS.sub(" ", text).replace(_LINE_END, "\n").replace(_END, "")
