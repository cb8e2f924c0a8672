"""Learn the weights of the clues anew, and tell how well they do on text kept out of training.

usage: URLMEND_SHARED=DIR python -m benchmarks.weigh [--write], from the root of a checkout with urlmend[weigh]

Prints the report; with --write it goes to benchmarks/weights-report.md, and the table to `mend/weights.py`.
A value of a clue is kept where most folds of a cross-validation by document choose it (L1) and enough line ends show
it; what is kept is weighed once more (L2). Line ends that a guard decides are not trained on.
"""

import argparse
import os
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.known_line_breaks import Known, from_corpora, from_seams
from benchmarks.weights_report import Judged, report
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from urlmend.mend.clues import CLUES
from urlmend.mend.continuation import guarded

FOLDS = 8
LEAST_FOLDS = 6
LEAST_SEEN = 8
LEAST_DOCUMENTS = 3
L1 = 4.0
"""The inverse strength of the penalty that chooses."""
L2 = 1.0
"""The inverse strength of the penalty that weighs."""
_NOTHING = 0.05
_ROOT = Path(__file__).parent.parent
_TABLE = _ROOT / "src/urlmend/mend/weights.py"
_REPORT = _ROOT / "benchmarks/weights-report.md"

Value = tuple[str, str]


class Data(NamedTuple):
    """Line ends as numbers: a row for each, a column for each value of a clue."""

    known: list[Known]
    values: list[Value]
    shown: Any  # whether the value is shown at the line end
    goes_on: Any
    kinds: Any
    documents: Any
    importance: Any
    guard: list[str | None]
    guarded: Any  # the probability that a guard tells, NaN where none does


def load(shared: Path) -> Data:
    """Return all line ends of known truth."""
    known = [*from_seams(shared), *from_corpora(shared)]
    told = [[(clue.name, value) for clue in CLUES if (value := clue.value(one.at))] for one in known]
    verdicts = [guarded(one.at) for one in known]
    seen: Counter[Value] = Counter()
    documents: dict[Value, set[str]] = {}
    for one, of_one, verdict in zip(known, told, verdicts, strict=True):
        if verdict is None:
            seen.update(of_one)
            for shown_value in of_one:
                documents.setdefault(shown_value, set()).add(one.document)
    order = {clue.name: number for number, clue in enumerate(CLUES)}
    values = sorted(
        (it for it, times in seen.items() if times >= LEAST_SEEN and len(documents[it]) >= LEAST_DOCUMENTS),
        key=lambda value: (order[value[0]], value[1]),
    )
    column = {value: number for number, value in enumerate(values)}
    shown = np.zeros((len(known), len(values)))
    for row, of_one in enumerate(told):
        for shown_value in of_one:
            if shown_value in column:
                shown[row, column[shown_value]] = 1
    kinds = np.array([one.kind for one in known])
    counts = Counter(kinds.tolist())
    # By square root: rarer kinds count more, but not so much that chance rules.
    importance = np.array([one.weight * (len(known) / len(counts) / counts[one.kind]) ** 0.5 for one in known])
    return Data(
        known,
        values,
        shown,
        np.array([one.goes_on for one in known]),
        kinds,
        np.array([one.document for one in known]),
        importance / importance.mean(),
        [verdict.guard if verdict else None for verdict in verdicts],
        np.array([verdict.p if verdict else np.nan for verdict in verdicts]),
    )


def choose(data: Data, rows: Any) -> Any:  # noqa: ANN401 -- numpy's arrays
    """Return the columns that L1 does not set to nothing."""
    model = LogisticRegression(l1_ratio=1.0, C=L1, solver="liblinear", max_iter=300, random_state=1)
    model.fit(data.shown[rows], data.goes_on[rows], sample_weight=data.importance[rows])
    return np.flatnonzero(np.abs(model.coef_[0]) > _NOTHING)


def continues(data: Data, rows: Any, columns: Any) -> Any:  # noqa: ANN401 -- numpy's arrays
    """Return the model of *columns* learnt on *rows*."""
    model = LogisticRegression(C=L2, solver="newton-cholesky", max_iter=100)
    return model.fit(data.shown[rows][:, columns], data.goes_on[rows], sample_weight=data.importance[rows])


def predict(data: Data, train: Any, test: Any, columns: Any = None) -> Any:  # noqa: ANN401 -- numpy's arrays
    """Return the probabilities of *test* by what is learnt on *train*, and by the guards."""
    free = np.isnan(data.guarded)
    train = train[free[train]]
    columns = choose(data, train) if columns is None else columns
    learnt = continues(data, train, columns).predict_proba(data.shown[test][:, columns])[:, 1]
    return np.where(free[test], learnt, data.guarded[test])


def cross_validate(data: Data, columns: Any = None) -> Any:  # noqa: ANN401 -- numpy's arrays
    """Return the probability of each line end, learnt on the other documents."""
    p = np.zeros(len(data.known))
    for train, test in GroupKFold(FOLDS).split(data.shown, groups=data.documents):
        p[test] = predict(data, train, test, columns)
    return p


def kinds_left_out(data: Data) -> Any:  # noqa: ANN401 -- numpy's arrays
    """Return the probability of each line end, learnt on the other kinds of sources."""
    p = np.zeros(len(data.known))
    for kind in set(data.kinds.tolist()):
        test = np.flatnonzero(data.kinds == kind)
        p[test] = predict(data, np.flatnonzero(data.kinds != kind), test)
    return p


def thirds(data: Data, columns: Any, weights: Any) -> list[tuple[str, int, Any]]:  # noqa: ANN401 -- numpy's arrays
    """Return what the heaviest third of the clues gives, and what two thirds and all of them do."""
    heft: Counter[str] = Counter()
    for column, weight in zip(columns, weights, strict=True):
        heft[data.values[column][0]] += abs(weight) * data.shown[:, column].std()
    names = [name for name, _ in heft.most_common()]
    parts = []
    for label, count in (("a third", len(names) // 3), ("two thirds", 2 * len(names) // 3), ("all", len(names))):
        some = [column for column in columns if data.values[column][0] in names[:count]]
        parts.append((f"{label}: {', '.join(names[:count])}", len(some), cross_validate(data, some)))
    return parts


def table(data: Data, columns: Any, model: Any) -> str:  # noqa: ANN401 -- numpy's arrays
    """Return the module of the weights."""
    free = np.isnan(data.guarded)
    lines = []
    for column, weight in zip(columns, model.coef_[0], strict=True):
        clue, value = data.values[column]
        rows = free & (data.shown[:, column] == 1)
        goes_on, documents = int(data.goes_on[rows].sum()), len(set(data.documents[rows].tolist()))
        quote = "'" if '"' in value else '"'
        lines.append(f'    ("{clue}", {quote}{value}{quote}, {weight:.2f}, {int(rows.sum())}, {goes_on}, {documents}),')
    return "\n".join(
        (
            '"""The weights of the clues. Generated by `python -m benchmarks.weigh --write`: do not edit."""',
            "",
            f"INTERCEPT = {model.intercept_[0]:.2f}",
            "",
            "# clue, value, weight, line ends that show it, how many of them go on, documents",
            "WEIGHTS: tuple[tuple[str, str, float, int, int, int], ...] = (",
            *lines,
            ")",
            "",
        )
    )


def main() -> None:
    """Learn, judge, print, and with --write write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table and the report")
    options = parser.parse_args()
    data = load(Path(os.environ["URLMEND_SHARED"]))
    free = np.flatnonzero(np.isnan(data.guarded))
    chosen: Counter[int] = Counter()
    for train, _ in GroupKFold(FOLDS).split(data.shown, groups=data.documents):
        chosen.update(choose(data, np.intersect1d(train, free)).tolist())
    columns = np.array(sorted(column for column, folds in chosen.items() if folds >= LEAST_FOLDS))
    model = continues(data, free, columns)
    judged = Judged(
        data.goes_on,
        data.kinds,
        data.guard,
        cross_validate(data),
        kinds_left_out(data),
        thirds(data, columns, model.coef_[0]),
    )
    text = report(judged, len(columns), len(set(data.documents.tolist())))
    print(text)
    if options.write:
        _TABLE.write_text(table(data, columns, model), encoding="utf8")
        _REPORT.write_text(text + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
