"""Which clues and guards are asked at a line end: those that the two characters beside it do not rule out."""

from collections.abc import Callable, Iterable
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits, punctuation
from typing import TypeVar

from urlmend.mend.line_break import LineBreak

LETTERS, SMALL, CAPITALS, DIGITS, MARKS = ascii_letters, ascii_lowercase, ascii_uppercase, digits, punctuation

_Asked = TypeVar("_Asked", bound=Callable[[LineBreak], object])


def only_where(*, url_ends: str = "", next_begins: str = "") -> Callable[[_Asked], _Asked]:
    """Say of a clue or guard that it tells nothing but where the URL and the token have one of these characters.

    Characters beyond ASCII rule out nothing.
    """

    def marked(function: _Asked) -> _Asked:
        function.__dict__["only_where"] = url_ends, next_begins
        return function

    return marked


def asked(functions: Iterable[_Asked], last: str, first: str) -> tuple[_Asked, ...]:
    """Return those of *functions* that may tell something between *last*, of the URL, and *first*, of the token."""
    return tuple(function for function in functions if _may_tell(function, last, first))


def _may_tell(function: Callable[[LineBreak], object], last: str, first: str) -> bool:
    limits = function.__dict__.get("only_where", ("", ""))
    return all(
        not limit or there in limit or not there.isascii() for limit, there in zip(limits, (last, first), strict=True)
    )
