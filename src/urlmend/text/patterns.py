"""Patterns that are compiled when they are first used: a run needs few of them, and compiling all takes 30 ms."""

import re
from typing import Any, AnyStr, cast


class _Pattern:
    """A pattern of `re`, whose methods are asked for one by one."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- a method, which is an attribute from now on
        method = self.__dict__[name] = getattr(re.compile(self.pattern, self._flags), name)
        return method


def lazy_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return *pattern* as `re.compile` does, but compiled when it is first used."""
    return cast("re.Pattern[AnyStr]", _Pattern(pattern, flags))
