"""A departure as a value: one named difference between deployed URLs and RFC 1738, and the edits that make it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of *rule*: *old* becomes *new* wherever it stands in it. With an empty *old*, the rule becomes *new*.

    An *old* that does not stand in the rule is an error. An edit of a rule that the profile lacks does nothing: only
    another departure makes that rule.
    """

    rule: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Departure:
    """One named difference between deployed URLs and RFC 1738.

    `rfc1738` says what the RFC has, with the section, `web` what deployed URLs have and why.
    `seen` is the evidence: it counts the URLs in 107 MB of mail, news and documents that need the departure, or that a
    narrower one refuses (benchmarks/count_departures.py).
    `sign` is a regular expression that is found in every URL that needs the departure: a quick test, not a proof.
    `productions` are the rules that the URLs of a scheme are tried against with the departure.
    A `narrower` departure refuses something that the RFC's grammar admits, so no URL ever needs it.
    """

    name: str
    rfc1738: str
    web: str
    example: str
    edits: tuple[Edit, ...]
    seen: int = 0
    sign: str = ""
    productions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    narrower: bool = False


def number(bits: int) -> str:
    """Return the pattern of a number of so many *bits*: decimal, octal behind `0`, or hexadecimal behind `0x`."""
    most = str((1 << bits) - 1)
    ways = [most, f"[1-9][0-9]{{0,{len(most) - 2}}}"]
    for at, digit in enumerate(most):
        least = 0 if at else 1
        if int(digit) > least:
            ways.append(f"{most[:at]}[{least}-{int(digit) - 1}][0-9]{{{len(most) - at - 1}}}")
    octal = f"[0-{(1 << bits % 3) - 1}]?[0-7]{{0,{bits // 3}}}"
    return f"(?:{'|'.join(ways)}|0+{octal}|0[Xx]0*[0-9A-Fa-f]{{0,{bits // 4}}})"


def table(departures: Iterable[Departure]) -> str:
    """Return *departures* as a Markdown table, as it stands in docs/explanation/profiles.md."""
    rows = ["| departure | RFC 1738 | the web | example | seen |", "|---|---|---|---|---|"]
    for departure in departures:
        name = f"{departure.name} (*narrower*)" if departure.narrower else departure.name
        cells = (name, departure.rfc1738, departure.web, f"`{departure.example}`", str(departure.seen))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)
