"""Triggers are where the naive pattern finds them."""

import re

import pytest
from corpora.generate import generate

from cases import CASES
from urlmend.scan.triggers import MAX_SCHEME_LENGTH, MAY_BE_SPLIT, trigger
from urlmend.text.schemes import COMMON_SCHEMES, OPAQUE_SCHEMES, either_case

NAIVE = re.compile(
    ":(?:"
    r"(?P<slashes>//)(?<=[A-Za-z0-9+.\-]://)"
    r"|(?P<defanged>(?<=[A-Za-z0-9]\[:)(?://\]|\](?:/|\[/\]|\[//\]))|(?<=[A-Za-z0-9]:)(?:\[//\]|(?:/|\[/\])\[/\]|\[/\]/))"
    rf"|(?P<wrapper>(?<={either_case('url')}:))"
    r"|(?P<split>(?<=[A-Za-z0-9]:)/?[ \t]*[\r\n])"
    "|(?P<opaque>"
    + "|".join(
        rf"(?<={scheme.name if scheme.lower_case else either_case(scheme.name)}:){scheme.shape}"
        for scheme in OPAQUE_SCHEMES
    )
    + ")"
    "|(?P<opening>"
    + "|".join(f"(?<=<{either_case(scheme.name)}:)" for scheme in OPAQUE_SCHEMES)
    + "|"
    + "|".join(rf"(?<=<{either_case(name)}:)(?=[ \t])" for name in COMMON_SCHEMES)
    + "))",
    re.ASCII,
)
"""What shows that a URL may be there, written down without a thought of speed."""


def generated(kind: str) -> str:
    return b"".join(block for block, _ in generate(kind, 300_000, 7, bare_breaks=True)).decode("latin-1")


@pytest.mark.parametrize("text", [*(case.text for case in CASES.values()), *map(generated, ("mail", "news", "docs"))])
def test_triggers_are_those_of_the_naive_pattern(text: str) -> None:
    places = {match.start(): match for match in NAIVE.finditer(text)}
    kinds = {at: str(match.lastgroup) for at, match in places.items()}
    matches = list(trigger().finditer(text))
    found = {match.start(): str(match.lastgroup) for match in matches}
    hidden = {at for match in matches if match.lastgroup == "wrapper_filled" for at in range(*match.span())}
    missing = {at: kind for at, kind in kinds.items() if at not in found}
    for at in missing:
        before = text[max(0, at - MAX_SCHEME_LENGTH) : at]
        # The scanner looks inside where the wrapper is none.
        if at in hidden:
            continue
        if kinds[at] == "wrapper":
            assert re.match("[^<>]*<|:$", text[at:])
            continue
        assert kinds[at] == "split"
        assert not MAY_BE_SPLIT.search(before) or before.endswith(("wrote", "writes"))
    for at, kind in found.items():
        assert kind.partition("_")[0] in (kinds[at], "opening")
