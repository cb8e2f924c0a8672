"""How right urlmend is at places in archives not seen in development, and how far its confidence can be trusted.

Part of `benchmarks/accuracy.py`. The cases are those of `DIR/gold/wild`: each is one place in a real text, with what
ought to be found there (the README there tells how they were drawn).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from urlmend import URLMatch, find_urls

Finder = Callable[[str], list[str]]
KINDS = ("joins", "missed", "extents", "uncovered", "rejects", "wrapped")
SURE = 0.9
_BINS = 10


def cases(shared: Path, kind: str) -> list[dict[str, Any]]:
    """Return the cases of *kind*."""
    lines = (shared / "gold/wild" / f"{kind}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def at_place(case: Mapping[str, Any]) -> URLMatch | None:
    """Return the first URL that urlmend finds at the place of *case*."""
    start, end = (len(case["before"]) + offset for offset in case["focus"])
    matches = find_urls(case["before"] + case["text"] + case["after"])
    return next((match for match in matches if match.start < max(end, start + 1) and match.end > start), None)


def judged(case: Mapping[str, Any]) -> tuple[bool | None, URLMatch | None]:
    """Return whether what is found is right, and what it is; `None` where the case does not count."""
    match = at_place(case)
    if match is None:
        return not case["want"] or bool(case["optional"]), match
    if match.url in case["want"] or match.url in case["alt"]:
        return True, match
    return None if case["optional"] and not case["want"] else False, match


def places_table(shared: Path, finders: Mapping[str, Finder]) -> None:
    """Print the share of places found right: urlmend at all, each finder at those where a URL is wanted."""
    print("\n### wild: places in archives not seen in development\n")
    print("| finder | " + " | ".join(KINDS) + " |")
    print("|" + "---|" * (1 + len(KINDS)))
    shares = []
    for kind in KINDS:
        counted = [right for right, _ in map(judged, cases(shared, kind)) if right is not None]
        shares.append(f"{sum(counted)}/{len(counted)}")
    print("| urlmend | " + " | ".join(shares) + " |")
    wanted = {kind: [case for case in cases(shared, kind) if case["want"]] for kind in KINDS}
    for name, finder in finders.items():
        row = []
        for some in wanted.values():
            right = sum(bool({*case["want"], *case["alt"]} & set(finder(_text(case)))) for case in some)
            row.append(f"{right}/{len(some)}" if some else "-")
        print(f"| {name}, where a URL is wanted | " + " | ".join(row) + " |")


def _text(case: Mapping[str, Any]) -> str:
    return str(case["before"] + case["text"] + case["after"])


def calibration_table(shared: Path, dev: Iterator[tuple[float, bool]]) -> None:
    """Print how often the URLs of each confidence are right, of the wild line ends and of *dev*."""
    told = [*dev, *_line_ends(shared)]
    sure = [right for confidence, right in told if confidence >= SURE]
    print(f"\n### confidence of {len(told)} bare URLs at line ends, wild and dev\n")
    print("| confidence | URLs | mean | right |")
    print("|---|---|---|---|")
    error = 0.0
    for tenth in range(_BINS):
        inside = [one for one in told if tenth == min(int(one[0] * _BINS), _BINS - 1)]
        if inside:
            mean = sum(confidence for confidence, _ in inside) / len(inside)
            right = sum(right for _, right in inside) / len(inside)
            error += abs(mean - right) * len(inside) / len(told)
            print(f"| {tenth / _BINS:.1f} | {len(inside)} | {mean:.3f} | {right:.3f} |")
    share = sum(sure) / len(sure) if sure else 0.0
    print(f"\nOf {len(sure)} with {SURE} and more {share:.3f} are right; expected calibration error {error:.3f}.")


def _line_ends(shared: Path) -> Iterator[tuple[float, bool]]:
    for kind in ("joins", "missed"):
        for right, match in map(judged, cases(shared, kind)):
            if right is not None and match is not None:
                yield match.confidence, right
