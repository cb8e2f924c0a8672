"""What to look for in a text: one value from the command line down to the scanner."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from urlmend.grammar.profiles import WEB, Profile
from urlmend.sources import Text, check_source

Join = Literal["wrapped", "evident", "none"]
JOINS: tuple[Join, ...] = ("wrapped", "evident", "none")


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for in a text, and how to read it.

    `source` is a key of `urlmend.sources.SOURCES` or a function from a file object to `Text` pieces. `profile` is the
    grammar that accepts or rejects a candidate. `join` says which URLs are mended: those in wrappers and angles
    (`wrapped`), bare ones too where the evidence says that they go on in the next line (`evident`), or none (`none`).
    Matches with a confidence below `min_confidence` are left out. `schemeless`, `addresses` and `refang` look for
    host names without a scheme, mail addresses and defanged URLs too. `unwrap` fills the field `target` of records.
    `resolve` also finds relative links in HTML, and resolves them (RFC 3986 section 5) against the page's `<base>`, or
    its address in a web archive or a Content-Location field; `base` does so too, and is the address of HTML files.
    Without `header_fields`, those of messages are not searched, except the subject.

    Raises `ValueError` for an unknown source or join, a base that is not http(s), and a confidence outside 0 to 1.
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
        if self.join not in JOINS:
            raise ValueError(f"join must be one of {', '.join(JOINS)}, not {self.join!r}")
        if self.base is not None and not self.base.lower().startswith(("http://", "https://")):
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
    def on_request(self) -> bool:
        """Whether to look for URLs that have no scheme."""
        return self.schemeless or self.addresses
