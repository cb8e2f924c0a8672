"""Extensions of Griffe, which reads the package for the site: they show examples as code, and options as parameters."""

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


class Options(griffe.Extension):  # type: ignore[misc]
    """Shows the options of a search in signatures as parameters with their defaults, as `help` does."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:  # noqa: ANN401 -- as above
        """Change the signatures in *pkg*."""
        for function, known in (("iter_urls", "FileOptions"), ("find_urls", "TextOptions")):
            parameters = pkg["extract"][function].parameters
            del parameters["options"]
            options = pkg["query"][known].all_members
            for name, field in pkg["query.Query"].attributes.items():
                if name in options:
                    kind, shown = griffe.ParameterKind.keyword_only, options[name].annotation
                    parameters.add(griffe.Parameter(name, annotation=shown, kind=kind, default=field.value))
