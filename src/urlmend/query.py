"""What to look for in a text: one value from the command line down to the scanner."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from inspect import Parameter, signature
from typing import Any, Literal, TypedDict

from urlmend.grammar.parser import parse_or_none
from urlmend.grammar.profiles import WEB, Profile, profile_of
from urlmend.sources import Text, check_source

Join = Literal["wrapped", "evident", "none"]
JOINS: tuple[Join, ...] = ("wrapped", "evident", "none")


class TextOptions(TypedDict, total=False):
    """The options of a search in a text, by keyword: fields of `Query`. A profile may be given by its name."""

    profile: Profile | str
    join: Join
    min_confidence: float
    schemeless: bool
    addresses: bool
    refang: bool


class FileOptions(TextOptions, total=False):
    """The options of a search in files."""

    source: str | Callable[[Any], Iterable[Text]]
    resolve: bool
    base: str | None
    header_fields: bool


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for in a text, and how to read it.

    `source` is a key of `urlmend.sources.SOURCES` or a function from a file object to `Text` pieces. `profile` is the
    grammar that accepts or rejects a candidate, or its name. `join` says which URLs are mended: those in wrappers
    and angles (`wrapped`), bare ones too where the evidence says that they go on in the next line (`evident`), or none
    (`none`). Matches with a confidence below `min_confidence` are left out. `schemeless`, `addresses` and `refang` look
    for host names without a scheme, mail addresses and defanged URLs too. `unwrap` fills the field `target` of records.
    `resolve` also finds relative links in HTML, and resolves them (RFC 3986 section 5) against the page's `<base>`, or
    its address in a web archive or a Content-Location field; `base` implies `resolve`, and is the address of HTML
    files. Without `header_fields`, those of messages are not searched, except the subject.

    Raises `ValueError` for an unknown source, profile or join, a base that is not http(s), and a confidence outside 0
    to 1.
    """

    source: str | Callable[[Any], Iterable[Text]] = "auto"
    profile: Profile = WEB
    join: Join = "evident"
    min_confidence: float = 0.0
    schemeless: bool = False
    addresses: bool = False
    refang: bool = False
    unwrap: bool = False
    resolve: bool = False
    base: str | None = None
    header_fields: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "profile", profile_of(self.profile))
        if self.join not in JOINS:
            raise ValueError(f"join must be one of {', '.join(JOINS)}, not {self.join!r}")
        base = self.base and parse_or_none(self.base)
        if self.base is not None and not (base and base.scheme in {"http", "https"}):
            raise ValueError(f"base must be an http or https URL, not {self.base!r}")
        if not 0 <= self.min_confidence <= 1:
            raise ValueError(f"min_confidence must be from 0 to 1, not {self.min_confidence}")
        check_source(self.source)

    @property
    def source_name(self) -> str:
        """The name of the source. Raises `TypeError` for a function, which cannot be sent to other processes."""
        if not isinstance(self.source, str):
            raise TypeError("source must be the name of a source: other processes open it")
        return self.source

    @property
    def ascii_only(self) -> bool:
        """Whether a bare URL ends at the first character beyond ASCII."""
        return "ucschar" not in self.profile.rules

    @property
    def on_request(self) -> bool:
        """Whether to look for URLs that have no scheme."""
        return self.schemeless or self.addresses


def query_of(options: Mapping[str, Any], known: type, **defaults: Any) -> Query:  # noqa: ANN401 -- fields
    """Return the query for *options*. Raises what `Query` raises, and `TypeError` for one that is not in *known*."""
    if unknown := options.keys() - known.__annotations__.keys():
        raise TypeError(f"unknown option {min(unknown)!r}: choose from {', '.join(known.__annotations__)}")
    return Query(**{**defaults, **options})


def shows(known: type, function: Callable[..., Any]) -> None:
    """Make `help` and `inspect.signature` show the options *known* that *function* takes, with their defaults."""
    shown = signature(function)
    own = [each for each in shown.parameters.values() if each.kind != Parameter.VAR_KEYWORD]
    kinds = known.__annotations__
    options = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=kinds[each.name])
        for each in fields(Query)
        if each.name in kinds
    ]
    function.__signature__ = shown.replace(parameters=own + options)  # type: ignore[attr-defined]
