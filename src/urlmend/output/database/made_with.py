"""What a database is made with: the options on which its content depends, as texts."""

from typing import NamedTuple

from urlmend.text.forms import NONE, Forms

_YES, _NO = "yes", "no"


def settings_of(min_confidence: float, forms: Forms) -> dict[str, str]:
    """Return *min_confidence* and *forms* as databases have them."""
    asked = {name: _YES if wanted else _NO for name, wanted in forms._asdict().items()}
    return {"min_confidence": f"{min_confidence:g}", **asked}


def forms_of(made_with: dict[str, str]) -> Forms:
    """Return the forms that a database is *made_with*."""
    return Forms(*(made_with[name] == _YES for name in Forms._fields))


DEFAULTS = {"source": "auto", "profile": "web", "join": "evident", **settings_of(0, NONE)}
"""The options on which the result depends, and their defaults."""


def said(name: str, value: str) -> str:
    """Return the option called *name* with its *value* as people say it: `with --join none`, `without --refang`."""
    option = f"--{name.replace('_', '-')}"
    return f"without {option}" if name in Forms._fields else f"with {option} {value}"


class Options(NamedTuple):
    """The values of options; `None`, and a form not asked for, stand for what the database is made with."""

    source: str | None = None
    profile: str | None = None
    join: str | None = None
    min_confidence: float | None = None
    forms: Forms = NONE
