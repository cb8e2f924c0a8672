"""Train the model of line ends, and report how right it is on archives left out of training.

usage: URLMEND_SHARED=DIR python -m benchmarks.weigh [--write] [--folds N]

From the root of a checkout with urlmend[weigh].

The line ends are those of `DIR/gold/seams`, `DIR/gold/wild` and the corpora. Each archive is judged by a model learnt
on the others (--folds 0: one archive left out at a time; N: in N groups), and archives count alike. The report is
printed; with --write it goes to `benchmarks/weights-report.md`, and the model to `src/urlmend/mend/model.py`.

The model consists of boosted trees. They compare numbers, so each text of a clue is replaced with the log-odds of the
line ends where the clue has this text; where these are higher, the sum of the trees is never lower. Line ends that a
guard decides are judged, but the model does not learn from them.
"""

import argparse
import os
from base64 import b64encode
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch
from zlib import compress

import numpy as np
from benchmarks import grams
from benchmarks.known_line_breaks import Known, all_known, archive_of, wild_cases
from benchmarks.wild import judged as judged_case
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut

from urlmend.mend import joining, pieces
from urlmend.mend.clues import CLUES
from urlmend.mend.continuation import THRESHOLD, Verdict, guarded
from urlmend.mend.guards import GUARDS
from urlmend.mend.line_break import LineBreak

_OPTIONS = {
    "max_iter": 300,
    "max_leaf_nodes": 16,
    "learning_rate": 0.08,
    "max_features": 0.6,
    "min_samples_leaf": 40,
    "l2_regularization": 5,
    "random_state": 3,
    "early_stopping": False,
}
_PRIOR = 12
"""How many average line ends are added to those with a text, so that rare texts have little weight."""
_OWN = 0.5
"""Which share of an archive's own line ends does not count in the numbers that it is learnt with.

In an archive that is not known, texts tell less than in those that the numbers are from.
"""
_SMALL = 40
"""Archives with fewer line ends are judged as one."""
_MOST_NATURAL = 20
_SURE = 0.99
_THRESHOLDS = sorted({0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, THRESHOLD, 0.75, 0.8, 0.85, 0.9, 0.95})
_ROOT = Path(__file__).parent.parent
_MODEL = _ROOT / "src/urlmend/mend/model.py"
_REPORT = _ROOT / "benchmarks/weights-report.md"

Tree = Any  # a number, or (place of the clue, limit, tree up to the limit, tree above it)
Array = Any  # numpy's arrays
Value = str | float


class Model(NamedTuple):
    """A base and trees that add up to log-odds.

    `codes` maps the texts of each clue to numbers; any other text counts as `unseen`. `typical` has the median of
    each clue that is a number, and `unseen` for the others.
    """

    codes: list[dict[str, float]]
    unseen: float
    base: float
    trees: list[Tree]
    typical: list[float]

    def p(self, values: Sequence[Value]) -> float:
        """Return the probability at a line end with *values*."""
        numbers = _numbers(self.codes, self.unseen, values)
        total = self.base
        for tree in self.trees:
            while isinstance(tree, tuple):
                place, limit, least, most = tree
                tree = least if numbers[place] <= limit else most  # noqa: PLW2901 -- down the tree
            total += tree
        return float(1 / (1 + np.exp(-total)))


def _numbers(codes: list[dict[str, float]], unseen: float, values: Sequence[Value]) -> list[float]:
    pairs = zip(codes, values, strict=True)
    return [texts.get(value, unseen) if isinstance(value, str) else value for texts, value in pairs]


class Data(NamedTuple):
    """Line ends: what clues say of each, the truth, the archive, and the probability that a guard gives, else NaN."""

    known: list[Known]
    values: list[tuple[Value, ...]]
    goes_on: Array
    archives: Array
    guarded: Array
    grams: "Grams"


class Grams(NamedTuple):
    """The tables of n-grams learnt without each group of archives, and the group of each archive."""

    without: list[grams.Tables[grams.Table]]
    groups: dict[str, int]

    def use(self, archive: str) -> None:
        """Let clues see n-grams that were learnt without *archive*."""
        pieces.known = self.without[self.groups.get(archive, 0)]._asdict()
        pieces.first.cache_clear()


_GROUPS = 8


def _grams(shared: Path) -> Grams:
    archives = grams.read(shared)
    order = sorted(archives, key=lambda name: (-len(archives[name].urls), name))
    counts = [grams.added([grams.count(archives[name]) for name in order[n::_GROUPS]]) for n in range(_GROUPS)]
    without = [grams.learn([one for one in counts if one is not left_out]) for left_out in counts]
    return Grams(without, {name: n % _GROUPS for n, name in enumerate(order)})


def load(shared: Path) -> Data:
    """Return all line ends of known truth."""
    known = list(all_known(shared))
    verdicts = [guarded(one.at) for one in known]
    of_others = _grams(shared)
    values = []
    for one in known:
        of_others.use(one.archive)
        values.append(tuple(clue(one.at) for clue in CLUES))
    sizes = Counter(one.archive for one in known)
    return Data(
        known,
        values,
        np.array([one.goes_on for one in known]),
        np.array([one.archive if sizes[one.archive] >= _SMALL else "small" for one in known]),
        np.array([verdict.p if verdict else np.nan for verdict in verdicts]),
        of_others,
    )


def learn(data: Data, rows: Array) -> Model:
    """Return the model learnt on *rows* that no guard decides; archives count by the square root of their size."""
    sizes = Counter(data.archives[rows].tolist())
    rows = np.array([row for row in rows if np.isnan(data.guarded[row])])
    archives, truth = data.archives[rows], data.goes_on[rows]
    weights = np.array([data.known[row].weight / sizes[data.archives[row]] ** 0.5 for row in rows])
    share = float((weights * truth).sum() / weights.sum())
    average = np.array([1 - share, share])
    prior = _PRIOR * weights.mean() * average
    unseen = _log_odds(average)
    of_all = _sums([data.values[row] for row in rows], truth, weights)
    codes = _codes(of_all, prior)
    numbers = np.empty((len(rows), len(CLUES)))
    for archive in set(archives.tolist()):
        own = archives == archive
        values = [data.values[row] for row in rows[own]]
        of_own = _sums(values, truth[own], weights[own])
        own_codes = _codes({text: of_all[text] - _OWN * own_sums for text, own_sums in of_own.items()}, prior)
        numbers[own] = [_numbers(own_codes, unseen, of_one) for of_one in values]
    # The more often line ends with a text go on, the likelier is one: trees that say otherwise have learnt by heart.
    boosted = HistGradientBoostingClassifier(**_OPTIONS, monotonic_cst=[int(bool(of_clue)) for of_clue in codes])
    boosted.fit(numbers, truth, sample_weight=weights / weights.mean())
    typical = [unseen if of_clue else number for of_clue, number in zip(codes, np.median(numbers, axis=0), strict=True)]
    base = round(float(boosted._baseline_prediction.ravel()[0]), 3)  # noqa: SLF001 -- there is no public name
    trees = [_tree(one[0].nodes, 0) for one in boosted._predictors]  # noqa: SLF001 -- as above
    return Model(codes, unseen, base, trees, [float(number) for number in typical])


_Sums = Mapping[tuple[int, str], Array]
"""Of the line ends where the clue at a place has a text, the weights of those where the URL ends, and of the others."""


def _sums(values: Iterable[tuple[Value, ...]], truth: Array, weights: Array) -> _Sums:
    sums: dict[tuple[int, str], Array] = defaultdict(lambda: np.zeros(2))
    for of_one, goes_on, weight in zip(values, truth, weights, strict=True):
        for place, value in enumerate(of_one):
            if isinstance(value, str):
                sums[place, value][int(goes_on)] += weight
    return sums


def _codes(sums: _Sums, prior: Array) -> list[dict[str, float]]:
    """Return for each text of a clue its log-odds, drawn towards the *prior*."""
    codes: list[dict[str, float]] = [{} for _ in CLUES]
    for (place, text), its_sums in sorted(sums.items()):
        codes[place][text] = _log_odds(its_sums + prior)
    return codes


def _log_odds(sums: Array) -> float:
    return round(float(np.log(sums[1] / sums[0])), 2)


def _tree(nodes: Any, number: int) -> Tree:  # noqa: ANN401 -- numpy's records
    node = nodes[number]
    if node["is_leaf"]:
        return round(float(node["value"]), 3)
    least, most = _tree(nodes, int(node["left"])), _tree(nodes, int(node["right"]))
    return int(node["feature_idx"]), round(float(node["num_threshold"]), 3), least, most


class Judged(NamedTuple):
    """The probability of each line end by a model learnt on other archives, and the model of each archive."""

    p: Array
    models: dict[str, Model]


def judge(data: Data, folds: int) -> Judged:
    """Judge each archive by a model learnt on the others."""
    p = np.array(data.guarded)
    models = {}
    split = GroupKFold(folds) if folds else LeaveOneGroupOut()
    for train, test in split.split(p, groups=data.archives):
        model = learn(data, train)
        models.update(dict.fromkeys(data.archives[test].tolist(), model))
        for row in test:
            if np.isnan(data.guarded[row]):
                p[row] = model.p(data.values[row])
    return Judged(p, models)


class Whole(NamedTuple):
    """A place of `gold/wild`: its set, and what was found there by a model learnt on other archives.

    `is_right` tells whether the URL is right to the last character, `joined` and `torn` whether it was joined, and
    whether it is torn in the text. `confidence` is what was told.
    """

    drawn: str
    is_right: bool
    joined: bool
    torn: bool
    confidence: float


def whole_urls(data: Data, judged: Judged, shared: Path) -> Iterator[Whole]:
    """Yield what is found at each line end of `gold/wild`, its archive left out of training."""
    for folder, kind, case in wild_cases(shared):
        archive = archive_of(case["archive"])
        model = judged.models.get(archive) or judged.models["small"]
        data.grams.use(archive)

        def continues(at: LineBreak, model: Model = model) -> Verdict:
            return guarded(at) or Verdict(model.p([clue(at) for clue in CLUES]))

        with patch.object(joining, "continues", continues):
            is_right, match = judged_case(case)
        if is_right is not None:
            torn = bool(case["want"]) and not any(url in case["text"] for url in case["want"] + case["alt"])
            joined = match is not None and bool(match.breaks)
            yield Whole(f"{folder} {kind}", is_right, joined, torn, match.confidence if match else 1.0)


# The report


class Score(NamedTuple):
    """Precision and recall of the joins."""

    precision: float
    recall: float

    def __str__(self) -> str:
        return f"{self.precision:.3f} / {self.recall:.3f}"


def score(p: Array, goes_on: Array, weights: Array, threshold: float = THRESHOLD) -> Score:
    """Return how right joins at *threshold* are."""
    joined = p >= threshold
    right = float((weights * (joined & goes_on)).sum())
    return Score(
        right / max(float((weights * joined).sum()), 1e-9), right / max(float((weights * goes_on).sum()), 1e-9)
    )


def log_loss(p: Array, goes_on: Array, weights: Array) -> float:
    """Return the mean of the logarithmic loss."""
    likely = np.clip(np.where(goes_on, p, 1 - p), 1e-4, 1)
    return float(-(weights * np.log(likely)).sum() / weights.sum())


EDGES = (0, 0.02, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01)


def bins(p: Array, goes_on: Array, weights: Array) -> Iterator[tuple[float, int, float, float, float]]:
    """Yield of each bin its edge, its line ends, the mean of p, the share that goes on, and its weight."""
    for low, high in pairwise(EDGES):
        rows = (p >= low) & (p < high) & (weights > 0)
        if rows.any():
            weight = float(weights[rows].sum())
            mean, share = ((weights[rows] * of[rows]).sum() / weight for of in (p, goes_on))
            yield low, int(rows.sum()), float(mean), float(share), weight


def calibration_error(p: Array, goes_on: Array, weights: Array) -> float:
    """Return the expected calibration error."""
    return sum(weight * abs(mean - share) for _, _, mean, share, weight in bins(p, goes_on, weights)) / float(
        weights.sum()
    )


def wilson(right: int, count: int) -> tuple[float, float]:
    """Return the 95 % range of a share (Wilson)."""
    z = 1.96
    share, spread = right / count, z * z / count
    middle, reach = share + spread / 2, z * (share * (1 - share) / count + spread / count / 4) ** 0.5
    return (middle - reach) / (1 + spread), (middle + reach) / (1 + spread)


def _share(right: int, count: int) -> str:
    low, high = wilson(right, count) if count else (0.0, 1.0)
    return f"{right} of {count} ({low:.3f} to {high:.3f})"


def _of_whole_urls(found: Sequence[Whole]) -> Iterator[str]:
    yield "\nWhole URLs at the line ends of `gold/wild`: right to the last character, and the range of 95 % (Wilson).\n"
    yield "| drawn as | joined | torn, found whole | all |"
    yield "|---|---|---|---|"
    for drawn in (*sorted({one.drawn for one in found}), "all"):
        some = [one for one in found if drawn in (one.drawn, "all")]
        joined, torn = [one for one in some if one.joined], [one for one in some if one.torn]
        shares = (_share(sum(one.is_right for one in these), len(these)) for these in (joined, torn, some))
        yield f"| {drawn} | {' | '.join(shares)} |"
    sure = [one for one in found if one.joined and one.confidence >= _SURE]
    share = _share(sum(one.is_right for one in sure), len(sure))
    yield f"\nOf the joined URLs with a confidence of {_SURE} and more, {share} are right."


def _curve(data: Data, p: Array, weights: dict[str, Array]) -> Iterator[str]:
    yield "\nWrong line ends by threshold, in 1/10,000: glued, torn and both.\n"
    yield f"| threshold | {' | '.join(weights)} |"
    yield "|---:|" + "---|" * len(weights)
    for threshold in _THRESHOLDS:
        cells = []
        for of_each in weights.values():
            glued, torn = (
                10000 * float((of_each * wrong).sum() / of_each.sum())
                for wrong in ((p >= threshold) & ~data.goes_on, (p < threshold) & data.goes_on)
            )
            cells.append(f"{glued:.1f} + {torn:.1f} = {glued + torn:.1f}")
        yield f"| {threshold} | {' | '.join(cells)} |"


def _of_guards(data: Data) -> Iterator[str]:
    yield "\n| guard | decides | wrong |"
    yield "|---|---:|---:|"
    decided = [(verdict, one) for one in data.known if one.drawn != "made" and (verdict := guarded(one.at))]
    for guard in GUARDS:
        right = [verdict.goes_on == one.goes_on for verdict, one in decided if verdict.guard == guard.__name__]
        yield f"| {guard.__name__.replace('_', ' ')} | {len(right)} | {right.count(False)} |"


def report(data: Data, judged: Judged, found: Sequence[Whole]) -> Iterator[str]:
    """Yield the lines of the report, in Markdown."""
    known, goes_on, p = data.known, data.goes_on, judged.p
    made = np.array([one.drawn == "made" for one in known])
    read = np.array([one.read for one in known])
    sizes = Counter(data.archives[~made].tolist())
    alike = np.array([1 / max(sizes[archive], _SMALL) for archive in data.archives]) * ~made
    natural = _in_each_archive(data, np.minimum([one.natural for one in known], _MOST_NATURAL))
    hard = alike * np.array([one.drawn == "hard" for one in known])
    free = np.isnan(data.guarded)
    yield "# How well line ends are weighed"
    yield "\nWritten by `python -m benchmarks.weigh --write`. Each archive is judged by a model learnt on the others,"
    yield "and archives count alike. P is the share of the joins that are right, R the share of the torn URLs that are"
    yield "joined."
    yield f"\n{(~made).sum()} line ends of {len(sizes)} archives; {(goes_on & ~made).sum()} go on."
    yield f"{(free & ~made).sum()} are weighed, guards decide the rest. {made.sum()} more, made from other texts, are"
    yield "learnt from and not judged."
    yield f"\n| line ends | number | P / R at .5 | at {THRESHOLD} | at .9 | log loss | calibration error, weighed |"
    yield "|---|---:|---|---|---|---:|---:|"
    for name, weights in (
        ("all", alike),
        ("all, truth not read by eye", alike * ~read),
        ("drawn at random", natural),
        ("drawn at random, truth not read by eye", natural * ~read),
        ("hard ones", hard),
    ):
        scores = " | ".join(str(score(p, goes_on, weights, threshold)) for threshold in (0.5, THRESHOLD, 0.9))
        error = calibration_error(p, goes_on, weights * free)
        loss = log_loss(p, goes_on, weights)
        yield f"| {name} | {(weights > 0).sum()} | {scores} | {loss:.4f} | {error:.4f} |"
    low, high = _bootstrap(data, p, alike)
    yield f"\nOf resampled sets of archives, 95 % have P from {low[0]:.3f} to {high[0]:.3f} and R from {low[1]:.3f}"
    yield f"to {high[1]:.3f} over all line ends at {THRESHOLD}."
    yield from _of_whole_urls(found)
    yield from _curve(data, p, {"all": alike, "drawn at random": natural, "hard ones": hard})
    yield "\n| p from | line ends | mean p | share that goes on |"
    yield "|---:|---:|---:|---:|"
    for edge, count, mean, share, _ in bins(p, goes_on, alike * free):
        yield f"| {edge} | {count} | {mean:.3f} | {share:.3f} |"
    yield from _of_guards(data)
    yield "\nWorst archive first, by precision; the range is Wilson's, 95 %.\n"
    yield "| archive | line ends | go on | joined | right | P | range | R |"
    yield "|---|---:|---:|---:|---:|---:|---|---:|"
    yield from _by_archive(data, p, ~made)


def _in_each_archive(data: Data, weights: Array) -> Array:
    """Return *weights*, so that those of each archive add up to 1."""
    sums: Counter[str] = Counter()
    for archive, weight in zip(data.archives, weights, strict=True):
        sums[archive] += weight
    return np.array(
        [weight / sums[archive] if weight else 0.0 for archive, weight in zip(data.archives, weights, strict=True)]
    )


def _bootstrap(data: Data, p: Array, weights: Array) -> Array:
    chance = np.random.default_rng(1)
    joined, goes_on = p >= THRESHOLD, data.goes_on
    archives = sorted(set(data.archives[weights > 0].tolist()))
    sums = np.array(
        [
            [(weights * of)[data.archives == archive].sum() for of in (joined & goes_on, joined, goes_on)]
            for archive in archives
        ]
    )
    drawn = sums[chance.integers(0, len(archives), (500, len(archives)))].sum(axis=1)
    return np.percentile(np.stack([drawn[:, 0] / drawn[:, 1], drawn[:, 0] / drawn[:, 2]], axis=1), [2.5, 97.5], axis=0)


def _by_archive(data: Data, p: Array, judged: Array) -> Iterator[str]:
    rows = []
    for archive in set(data.archives[judged].tolist()):
        some = judged & (data.archives == archive)
        joined, goes_on = (p >= THRESHOLD) & some, data.goes_on & some
        right = int((joined & goes_on).sum())
        counts = int(some.sum()), int(goes_on.sum()), int(joined.sum()), right
        rows.append((right / joined.sum() if joined.any() else 2.0, archive, counts))
    for precision, archive, (size, goes_on, joined, right) in sorted(rows):
        if joined:
            low, high = wilson(right, joined)
            shares = f"{precision:.3f} | {low:.3f} to {high:.3f} | {right / goes_on if goes_on else 1:.3f}"
        else:
            shares = " | | "
        yield f"| {archive} | {size} | {goes_on} | {joined} | {right} | {shares} |"


def disagreements(data: Data, judged: Judged, count: int) -> Iterator[str]:
    """Yield the *count* line ends at which a model learnt on other archives is surest that the label is wrong."""
    wrong = np.where(data.goes_on, 1 - judged.p, judged.p) * np.isnan(data.guarded)
    for row in np.argsort(-wrong)[:count]:
        one = data.known[row]
        at = one.at
        yield f"p {judged.p[row]:.3f}, {'goes on' if one.goes_on else 'ends'}, {one.archive} {one.document}, {one.how}"
        above = at.around.before.splitlines()[-2:-1]
        below = at.around.after[at.token_end :].splitlines()[1:2]
        for line in (*above, at.last_line, at.next_line, *below):
            yield f"    {line!r}"


# The module


def module(model: Model) -> str:
    """Return the source of the module of *model*."""
    names = [clue.__name__ for clue in CLUES]
    bits = _Bits()
    base, planes = bits.planes(model)
    limits = {name: bits.limits(place) for place, name in enumerate(names)}
    texts = {
        name: {text: bisect_left(limits[name], code) for text, code in codes.items()}
        for name, codes in zip(names, model.codes, strict=True)
        if codes
    }
    lines = [
        '"""What clues are worth. Generated by `python -m benchmarks.weigh --write`: do not edit.',
        "",
        "Each leaf of a tree is a bit. A clue rules out some of the leaves, and all clues together leave one of each",
        "tree. The log-odds are the sum of the weights of these leaves.",
        '"""',
        "",
        "from base64 import b64decode",
        "from zlib import decompress",
        "",
        "# For each text of a clue, the index in LEAVES.",
        "TEXTS: dict[str, dict[str, int]] = {",
        *(f"    {name!r}: {indexes!r}," for name, indexes in texts.items()),
        "}",
        "",
        "# For each clue that is a number, the limits between its ranges. The index of a range is that in LEAVES.",
        "LIMITS: dict[str, tuple[float, ...]] = {",
        *(f"    {name!r}: {limits[name]!r}," for name in names if name not in texts),
        "}",
        "",
        "# For each clue, the index in LEAVES of what it mostly says, and of texts that are not in TEXTS.",
        "TYPICAL: dict[str, int] = {",
        *(
            f"    {name!r}: {bisect_left(limits[name], number)},"
            for name, number in zip(names, model.typical, strict=True)
        ),
        "}",
        "",
        "",
        "def _numbers(packed: str) -> tuple[int, ...]:",
        "    data = decompress(b64decode(packed))",
        f"    return tuple(int.from_bytes(data[at : at + {bits.bytes}]) for at in range(0, len(data), {bits.bytes}))",
        "",
        "",
        "# For each clue, the leaves that are left by its texts or ranges.",
        "LEAVES: dict[str, tuple[int, ...]] = {",
    ]
    for place, name in enumerate(names):
        lines += [f"    {name!r}: {_listed(bits.left(place), bits.bytes)},"]
    lines += [
        "}",
        "",
        "# Log-odds in thousandths: the base, and for each power of two the leaves that have it in their weight.",
        f"BASE = {base}",
        f"PLANES: tuple[int, ...] = {_listed(planes, bits.bytes)}",
    ]
    return "\n".join(lines) + "\n"


def _listed(numbers: Iterable[int], size: int) -> str:
    """Return the call that gives *numbers* of *size* bytes, packed: neighbours have most of their bits in common."""
    packed = b64encode(compress(b"".join(number.to_bytes(size) for number in numbers), 9)).decode()
    lines = (f'\n    "{packed[at : at + _LINE]}"' for at in range(0, len(packed), _LINE))
    return f"_numbers({''.join(lines)}\n)"


_LINE = 110


class _Bits:
    """The leaves of trees as bits, and what the values of the clues leave of them."""

    def __init__(self) -> None:
        self._size = 0
        self._splits: dict[int, list[tuple[float, int, int]]] = defaultdict(list)

    @property
    def bytes(self) -> int:
        """How many bytes all leaves take."""
        return -(-self._size // 8)

    def planes(self, model: Model) -> tuple[int, list[int]]:
        """Add the trees of *model*. Return its base, and the leaves with each power of two in their weight."""
        weights: dict[int, int] = {}
        for tree in model.trees:
            self._add(tree, weights)
        # Every tree has one leaf that counts: what makes all weights positive comes off the base.
        least = min(weights.values())
        planes = [
            sum(leaf for leaf, weight in weights.items() if weight - least & power)
            for power in (1 << n for n in range((max(weights.values()) - least).bit_length()))
        ]
        return round(model.base * 1000) + least * len(model.trees), planes

    def _add(self, tree: Tree, weights: dict[int, int]) -> int:
        """Return the leaves of *tree* after noting the weight of each, in thousandths."""
        if not isinstance(tree, tuple):
            leaf = 1 << self._size
            self._size += 1
            weights[leaf] = round(tree * 1000)
            return leaf
        place, limit, least, most = tree
        low, high = self._add(least, weights), self._add(most, weights)
        self._splits[place].append((limit, low, high))
        return low | high

    def limits(self, place: int) -> tuple[float, ...]:
        """Return the limits between the ranges of the clue at *place*."""
        return tuple(sorted({limit for limit, _, _ in self._splits[place]}))

    def left(self, place: int) -> Iterator[int]:
        """Yield the leaves that each range of the clue at *place* leaves."""
        for at in (*self.limits(place), float("inf")):
            ruled_out = 0
            for limit, low, high in self._splits[place]:
                ruled_out |= high if at <= limit else low
            yield (1 << self._size) - 1 & ~ruled_out


def main() -> None:
    """Learn, judge, print, and with --write write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the model and the report")
    parser.add_argument(
        "--folds", type=int, default=0, help="groups of archives left out together [0: one archive each]"
    )
    parser.add_argument("--disagreements", type=int, default=0, metavar="N", help="print N labels that look wrong")
    options = parser.parse_args()
    shared = Path(os.environ["URLMEND_SHARED"])
    data = load(shared)
    if options.write:
        _MODEL.write_text(module(learn(data, np.arange(len(data.known)))), encoding="utf8")
    judged = judge(data, options.folds)
    found = list(whole_urls(data, judged, shared))
    text = "\n".join(report(data, judged, found))
    print(text)
    print(*disagreements(data, judged, options.disagreements), sep="\n")
    if options.write:
        _REPORT.write_text(text + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
