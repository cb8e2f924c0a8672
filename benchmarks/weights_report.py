"""The report on the weights of the clues: precision, recall and calibration, by kind of source and by threshold."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from benchmarks.known_line_breaks import MAIL_KINDS
from sklearn.metrics import roc_auc_score

from urlmend.mend.continuation import THRESHOLD

_BINS = 10
_SURE = 0.9
_CURVE = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_MADE = "made"


class Judged(NamedTuple):
    """The truth of each line end, its kind of source, the guard that decided, and probabilities learnt elsewhere."""

    goes_on: Any
    kinds: Any
    guard: list[str | None]
    p: Any  # learnt on other documents
    left_out: Any  # learnt on other kinds
    thirds: list[tuple[str, int, Any]]


class Score(NamedTuple):
    """Precision, recall and F1 of joining."""

    precision: float
    recall: float
    f1: float

    def __str__(self) -> str:
        return f"{self.precision:.3f} / {self.recall:.3f} / {self.f1:.3f}"


def score(goes_on: Any, p: Any, threshold: float) -> Score:  # noqa: ANN401 -- numpy's arrays
    """Return how right joining at *threshold* is."""
    joined = p >= threshold
    right = int((joined & goes_on).sum())
    precision = right / max(1, int(joined.sum()))
    recall = right / max(1, int(goes_on.sum()))
    return Score(precision, recall, 2 * precision * recall / max(1e-9, precision + recall))


def calibration_error(goes_on: Any, p: Any) -> float:  # noqa: ANN401 -- numpy's arrays
    """Return the expected calibration error over ten bins of equal width."""
    bins = np.minimum((p * _BINS).astype(int), _BINS - 1)
    return float(
        sum(
            (bins == number).mean() * abs(goes_on[bins == number].mean() - p[bins == number].mean())
            for number in set(bins.tolist())
        )
    )


def report(judged: Judged, values: int, documents: int) -> str:
    """Return the report, in Markdown."""
    found = judged.kinds != _MADE
    goes_on, kinds, p = judged.goes_on[found], judged.kinds[found], judged.p[found]
    left_out = judged.left_out[found]
    mail = np.isin(kinds, MAIL_KINDS)
    lines = [
        "# How well line ends are weighed",
        "",
        "Written by `python -m benchmarks.weigh --write`, with the table `src/urlmend/mend/weights.py`.",
        "",
        f"{len(goes_on)} line ends of known truth in {documents} documents; {int(goes_on.sum())} go on.",
        f"{values} values of clues. Probabilities are learnt on other documents (eight folds), or on other kinds of",
        "sources. P / R / F1: of the joins the share that is right, of the URLs that go on the share joined, and both.",
        "",
        f"| kind | line ends, go on | at .5 | at {THRESHOLD} | AUC | ECE | kind left out, at .5 | at {THRESHOLD} |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, rows in (
        ("all", kinds != ""),
        ("mail kinds", mail),
        *((k, kinds == k) for k in sorted(set(kinds.tolist()))),
    ):
        truth, of_kind, without = goes_on[rows], p[rows], left_out[rows]
        lines.append(
            f"| {name} | {len(truth)}, {int(truth.sum())} "
            f"| {score(truth, of_kind, 0.5)} | {score(truth, of_kind, THRESHOLD)} "
            f"| {roc_auc_score(truth, of_kind):.4f} | {calibration_error(truth, of_kind):.4f} "
            f"| {score(truth, without, 0.5)} | {score(truth, without, THRESHOLD)} |"
        )
    return "\n".join(
        (
            *lines,
            *_by_threshold(goes_on, p, mail),
            *_calibration(goes_on, p),
            *_thirds(judged, found, mail),
            *_guards(judged),
        )
    )


def _by_threshold(goes_on: Any, p: Any, mail: Any) -> list[str]:  # noqa: ANN401 -- numpy's arrays
    lines = ["", "## By threshold", "", "| threshold | all: P / R / F1 | mail kinds |", "|---|---|---|"]
    return lines + [f"| {t} | {score(goes_on, p, t)} | {score(goes_on[mail], p[mail], t)} |" for t in _CURVE]


def _calibration(goes_on: Any, p: Any) -> list[str]:  # noqa: ANN401 -- numpy's arrays
    confidence = np.where(p >= THRESHOLD, p, 1 - p)
    right = (p >= THRESHOLD) == goes_on
    sure = confidence >= _SURE
    lines = [
        "",
        "## Calibration",
        "",
        f"Of the {int(sure.sum())} line ends with a confidence of {_SURE} and more {right[sure].mean():.4f} are right.",
        "",
        "| p | line ends | mean p | share that goes on |",
        "|---|---|---|---|",
    ]
    bins = np.minimum((p * _BINS).astype(int), _BINS - 1)
    for number in range(_BINS):
        rows = bins == number
        if rows.any():
            lines.append(
                f"| {number / _BINS:.1f} | {int(rows.sum())} | {p[rows].mean():.3f} | {goes_on[rows].mean():.3f} |"
            )
    return lines


def _thirds(judged: Judged, found: Any, mail: Any) -> list[str]:  # noqa: ANN401 -- numpy's arrays
    lines = ["", "## What each third of the clues gives", "", "At .5, the heaviest first.", ""]
    lines += ["| clues | values | all: P / R / F1 | mail kinds |", "|---|---|---|---|"]
    goes_on = judged.goes_on[found]
    for label, values, p in judged.thirds:
        lines.append(
            f"| {label} | {values} | {score(goes_on, p[found], 0.5)} | {score(goes_on[mail], p[found][mail], 0.5)} |"
        )
    return lines


def _guards(judged: Judged) -> list[str]:
    decided = Counter(
        (guard, bool(goes_on)) for guard, goes_on in zip(judged.guard, judged.goes_on, strict=True) if guard
    )
    lines = ["", "## Guards", "", "| guard | line ends that go on | that end |", "|---|---|---|"]
    return lines + [f"| {g} | {decided[g, True]} | {decided[g, False]} |" for g in sorted({g for g, _ in decided})]
