"""Patterns that are compiled when they are first used: a run needs few of them, and compiling all takes 30 ms."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    import re


class _Pattern:
    """A pattern of `re` or `regex`, whose methods are asked for one by one."""

    def __init__(self, pattern: str | bytes, flags: int, engine: str) -> None:
        self.pattern = pattern
        self._flags = flags
        self._engine = engine

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- a method, which is an attribute from now on
        compiled = import_module(self._engine).compile(self.pattern, self._flags)
        method = self.__dict__[name] = getattr(compiled, name)
        return method


def lazy_regex(pattern: AnyStr, flags: int = 0) -> "re.Pattern[AnyStr]":
    """Return *pattern* as `re.compile` does, but compiled when it is first used."""
    return cast("re.Pattern[AnyStr]", _Pattern(pattern, flags, "re"))


def lazy_unicode_regex(pattern: str) -> "re.Pattern[str]":
    """Return *pattern*, with properties and set operations of Unicode, compiled by `regex` when it is first used."""
    return cast("re.Pattern[str]", _Pattern(f"(?V1){pattern}", 0, "regex"))
