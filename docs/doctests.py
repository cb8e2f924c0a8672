"""Shows the examples in docstrings as code: an extension of Griffe, which reads the docstrings for the site."""

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Doctests(griffe.Extension):  # type: ignore[misc]
    """Puts a fence around each example."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:  # noqa: ANN401 -- Griffe's
        """Change the docstring of *obj*."""
        if obj.docstring and ">>> " in obj.docstring.value and "```" not in obj.docstring.value:
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
