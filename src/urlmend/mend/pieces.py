"""What pieces of URLs look like: n-grams of whole URLs, and of words that begin a line of prose.

A value is the log-odds of the longest known n-gram that ends a text. `grams` has the n-grams.
"""

from collections.abc import Mapping
from functools import lru_cache

from urlmend.mend import grams
from urlmend.mend.words import COMMON

LONGEST_GRAM = 5
_LONGEST_PIECE = 14
_DIGITS = str.maketrans("123456789", "000000000")


def _table(by_value: Mapping[float, str]) -> Mapping[str, float]:
    return {gram: value for value, listed in by_value.items() for gram in listed.split(" ")}


known = {
    name: _table(by_value)
    for name, by_value in (("first", grams.FIRST), ("end", grams.END), ("across", grams.ACROSS), ("words", grams.WORDS))
}
"""The n-grams of first words of lines, of ends of URLs and across line ends, with their log-odds, and whole words."""


def normal(text: str) -> str:
    """Return *text* as the n-grams are written: in lower case, with 0 for every digit."""
    return text.lower().translate(_DIGITS)


def of_piece(text: str) -> str:
    """Return what n-grams see of *text*, a piece of a URL or a word."""
    return f"^{text}$" if len(text) <= _LONGEST_PIECE else f"^{text[:_LONGEST_PIECE]}"


@lru_cache(maxsize=4096)
def first(word: str) -> float:
    """Return how much likelier *word* begins a piece of a URL than a line of prose, by the mean of its characters."""
    text = of_piece(normal(word))
    total, get = 0.0, known["first"].get
    for end in range(2, len(text) + 1):
        start = end - LONGEST_GRAM if end > LONGEST_GRAM else 0
        # The loop is written out, as it runs for each character.
        while (value := get(text[start:end])) is None and start < end:
            start += 1
        total += value or 0.0
    return total / len(text)


def end(path: str) -> float:
    """Return how likely a URL ends after *path*."""
    return _longest(known["end"], normal(f"^{path}"[1 - LONGEST_GRAM :]))


def across(path: str, following: str) -> float:
    """Return how much likelier the character *following* comes after *path* than it begins any piece."""
    return _longest(known["across"], normal(f"{path[2 - LONGEST_GRAM :]}{following}"))


def is_word(letters: str) -> bool:
    """Return whether *letters*, in lower case, are a common word of mail, or one that many URLs have."""
    return letters in known["words"] or letters in COMMON


def _longest(table: Mapping[str, float], text: str) -> float:
    """Return the value of the longest n-gram that ends *text*, 0 if none is known."""
    while text:
        value = table.get(text)
        if value is not None:
            return value
        text = text[1:]
    return 0.0
