"""The forms of URLs that are looked for on request, beside those that have a scheme."""

from typing import NamedTuple


class Forms(NamedTuple):
    """What is asked for: host names without a scheme, mail addresses, and defanged URLs."""

    schemeless: bool = False
    addresses: bool = False
    refang: bool = False


NONE = Forms()
"""Nothing is asked for."""
