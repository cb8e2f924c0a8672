"""How many files were what in a run of the harvest."""

from collections import Counter

SHOWN = ("new", "grown", "unchanged")
TALLY = (*SHOWN, "resumed", "changed", "gone", "failed")
"""What a file may be: `resumed` is one in which a run was killed, `changed` one that has not only grown."""

LEFT_OUT = "left out"
"""Under this a tally has how many URLs were left out for their confidence."""


def summary(tally: Counter[str]) -> str:
    """Return *tally* as a line for people."""
    parts = [f"{tally[what]} {what}" for what in TALLY if what in SHOWN or tally[what]]
    return f"files: {', '.join(parts)}; {tally['URLs']} URLs read"
