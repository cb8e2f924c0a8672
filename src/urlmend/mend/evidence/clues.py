"""All clues, in the order in which they are shown."""

from collections.abc import Callable

from urlmend.mend.evidence.clues_lines import LINE_CLUES
from urlmend.mend.evidence.clues_token import TOKEN_CLUES
from urlmend.mend.evidence.clues_url import URL_CLUES
from urlmend.mend.line_break import LineBreak

Clue = Callable[[LineBreak], str]

CLUES: tuple[Clue, ...] = (*URL_CLUES, *TOKEN_CLUES, *LINE_CLUES)
