"""Metrics of data that come in parts: exact sums, which any order of parts and any tree of merges leave the same."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from operator import add
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse, stats

from sklearn_rank._options import Inputs, Options, check_number, frozen, name_of
from sklearn_rank.inputs._containers import ids_in_array, is_dask, is_frame, numeric, to_numpy
from sklearn_rank.inputs._ids import distinct_labels, group_codes
from sklearn_rank.inputs._weights import Weights, check_weights
from sklearn_rank.metrics._averaging import warn_undefined
from sklearn_rank.metrics._evaluate import parse_requests
from sklearn_rank.metrics._macro import LabelSums, macro_figure
from sklearn_rank.metrics._parts import Part, parts_of
from sklearn_rank.metrics._registry import require_fixed
from sklearn_rank.metrics._values import problem_for

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank.metrics._values import Asked


# Numbers that are split and added up together: it bounds the memory, and sums of integers below 2**27 stay exact in
# floating point as long as there are no more than 2**26 of them.
BLOCK = 1 << 16


class Sums(NamedTuple):
    """What is known of the rankings that count, with values v and weights w: no sum is rounded."""

    value: Fraction = Fraction(0)  # of w v
    weight: Fraction = Fraction(0)  # of w
    squares: Fraction = Fraction(0)  # of (w v)^2
    crossed: Fraction = Fraction(0)  # of w^2 v
    squared: Fraction = Fraction(0)  # of w^2
    n: int = 0


class RankingAccumulator:
    """Ranking metrics of data that come in parts: batches of a loop, files, tasks of a cluster.

    Each ranking of a part is scored as `evaluate` does it. Kept are, for each metric, the sum of weight
    times row value and the sum of weights over the rankings that count, both without any rounding; the
    result is their quotient. So neither the size of the parts nor their order nor the way in which
    accumulators are merged changes the result, not even in its last bit. A ranking has to come whole in
    one `update`.

    Parameters
    ----------
    metrics : iterable of str or tuple
        As in `evaluate`: texts such as "map@10", (text, options) or (text, options, key).
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant for the binary metrics.
    ties : {"average", "first", "best", "worst"}, default="average"
        As in `evaluate`.
    zero_division : float, default=0.0
        The value of a ranking without any relevant item; nan leaves such rankings out of the mean.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of scores. Needed where `y_true` is 1-D class labels, since a part may
        lack classes.
    n_jobs : int, default=None
        Threads over blocks of rows, inside each `update`.

    Raises
    ------
    ValueError
        If a metric is unknown, a key comes twice, an option has a wrong value, or an option that is
        otherwise read off the whole `y_true` is not given (`max_grade` of "err").
    TypeError
        If a request or an option is of a wrong kind.

    See Also
    --------
    evaluate : The same for data at hand, with the same figures.

    Notes
    -----
    With row values v and weights w as doubles, the result is the double nearest to the quotient of the
    exact sum of w·v and the exact sum of w: relative error at most 2**-53 (absolute 2**-1075 below the
    normal doubles), for any number of rankings and any weights; nothing overflows or underflows on the
    way. `evaluate` rounds its sums, so the two may differ by a few units of the last place. Row values are
    rounded before they are summed up, as is the weight of a group, the mean of those of its rows; both
    depend on their ranking alone.

    The state of a metric is five fractions, some thirty bytes each, a few hundred where weights span all
    exponents; of a macro average three sums per label. With groups, their ids are remembered beside it, one
    Python object each, to find queries that are split. Accumulators pickle and copy with their state.

    Examples
    --------
    The relevant items have ranks 1 and 3 in the first part, rank 2 in the second, so that the mean
    reciprocal rank is (1/1 + 1/2) / 2:

    >>> from sklearn_rank import RankingAccumulator
    >>> accumulator = RankingAccumulator(["precision@2", "mrr"])
    >>> accumulator.update([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    RankingAccumulator(['precision@2', 'mrr']) with 1 ranking
    >>> other = RankingAccumulator(["precision@2", "mrr"]).update([[0, 1, 0]], [[0.9, 0.5, 0.1]])
    >>> accumulator.merge(other).result()
    {'precision@2': 0.5, 'mrr': 0.75}

    A third ranking, of weight 2 and without a hit at rank 1 or 2, makes it (1 + 1/2 + 2 · 1/3) / 4:

    >>> accumulator.update([0, 0, 1], [0.9, 0.5, 0.1], sample_weight=[2, 2, 2], groups=["q", "q", "q"]).result()
    {'precision@2': 0.25, 'mrr': 0.541666...}
    """

    def __init__(
        self,
        metrics: Iterable[Any],
        *,
        relevance_threshold: float | None = None,
        ties: str = "average",
        zero_division: float = 0.0,
        labels: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._options = Options(ties, zero_division, "samples", relevance_threshold, n_jobs)
        self._requests = parse_requests(metrics)
        for request in self._requests:
            require_fixed(request.metric, request.options)
        self._labels = None if labels is None else distinct_labels(labels)
        self._lock = Lock()
        self.reset()

    def update(
        self,
        y_true: Any,
        y_scores: Any,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Take in whole rankings; after an error the state is as before.

        Parameters
        ----------
        y_true : array-like or sparse matrix of shape (n_samples, n_items) or array-like of shape (n_samples,)
            As in `evaluate`. 1-D relevance without `groups` is one ranking. No rows change nothing.
        y_scores : array-like or sparse matrix of shape (n_samples, n_items) or array-like of shape (n_samples,)
            As in `evaluate`.
        sample_weight : array-like of shape (n_samples,), default=None
            One weight per row, 1 where None; with `groups` a group weighs the mean of its rows. All may be
            zero here.
        groups : array-like of shape (n_samples,), default=None
            The id of each row's ranking beside 1-D relevance. Ids compare as Python values: 1, 1.0 and
            numpy's 1 are one id, "1" is another. Tuples are ids, too: ``list(zip(users, days))`` keeps one user's
            days apart.

        Returns
        -------
        self : RankingAccumulator
            This object.

        Raises
        ------
        ValueError
            If `evaluate` would raise for the part, a group has come in an earlier update, or `y_true` is
            class labels and the accumulator has no `labels`.
        TypeError
            If `evaluate` would raise it, or something is a dask array.
        """
        for name, value in (
            ("y_true", y_true),
            ("y_scores", y_scores),
            ("sample_weight", sample_weight),
            ("groups", groups),
        ):
            if is_dask(value):
                message = (
                    f"`{name}` is a dask array, which evaluate takes whole; for an accumulator .compute() each part."
                )
                raise TypeError(message)
        y_true, y_scores = _array(y_true, "y_true"), _array(y_scores, "y_scores")
        if y_true.shape[:1] == y_scores.shape[:1] == (0,):
            return self
        n_dims = len(y_true.shape), len(y_scores.shape)
        if n_dims == (1, 2) and self._labels is None and groups is None:
            message = (
                f"1-D `y_true` beside `y_scores` of shape {y_scores.shape} is class labels, and a part may lack "
                "classes: RankingAccumulator(..., labels=[...]) has to name the class of each column."
            )
            raise ValueError(message)
        inputs = Inputs(y_true, y_scores, labels=self._labels, groups=groups)
        asked = [request.asked(self._options) for request in self._requests]
        problem = problem_for(asked, inputs)
        codes = np.zeros(len(y_true), np.intp) if n_dims == (1, 1) else None  # one ranking
        ids: list[Any] = []
        if groups is not None:
            codes, n_groups = group_codes(groups, len(y_true))
            ids = _first_of_each(ids_in_array(groups, "groups"), codes, n_groups)
        weights = None if sample_weight is None else _ranking_weights(sample_weight, y_true.shape[0], codes)
        problem = replace(problem, weights=weights)
        n_rankings = problem.n_rows
        sums = {
            request.key: _sums(part, weights, one.options.zero_division)
            for request, one, part in zip(self._requests, asked, parts_of(asked, problem), strict=True)
        }
        self._add(sums, n_rankings, n_rankings if weights is None else int(np.count_nonzero(weights.positive)), ids)
        return self

    def merge(self, other: RankingAccumulator) -> Self:
        """Take in all that another accumulator has seen; that one stays as it is.

        Parameters
        ----------
        other : RankingAccumulator
            One with the same metrics and options; `n_jobs` may differ.

        Returns
        -------
        self : RankingAccumulator
            This object, so that ``functools.reduce(RankingAccumulator.merge, accumulators)`` merges many.

        Raises
        ------
        ValueError
            If metrics or options differ, or both have seen rows of one group.
        TypeError
            If `other` is no accumulator.
        """
        if not isinstance(other, RankingAccumulator):
            message = f"`other` must be a RankingAccumulator, got {name_of(other)}."  # type: ignore[unreachable]
            raise TypeError(message)
        for (name, mine), theirs in zip(self._settings.items(), other._settings.values(), strict=True):
            if frozen(mine) != frozen(theirs):
                message = f"Accumulators to merge must agree, but `{name}` is {mine!r} here and {theirs!r} in `other`."
                raise ValueError(message)
        with other._lock:
            taken = dict(other._sums), other._n_rankings, other._n_weighted, list(other._ids)
        self._add(*taken)
        return self

    def result(self) -> dict[str, float]:
        """The metrics of all that has been taken in.

        Returns
        -------
        dict of {str: float}
            One figure for each request, in its order; nan, with an UndefinedMetricWarning, where
            `zero_division` is nan and no ranking has a relevant item.

        Raises
        ------
        ValueError
            If there was no ranking, or none with a positive weight.
        """
        if not self._n_rankings:
            message = "At least one row is required, and `update` has got none."
            raise ValueError(message)
        if not self._n_weighted:
            message = "`sample_weight` sums to zero: at least one row needs a positive weight."
            raise ValueError(message)
        asked = [request.asked(self._options) for request in self._requests]
        return {key: _figure(one, sums) for one, (key, sums) in zip(asked, self._sums.items(), strict=True)}

    def normal_intervals(self, confidence_level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Intervals of the metrics by the normal approximation, from sums of squares.

        They need no resampling and no row values, and are right for many rankings; `compare` resamples few ones.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Of the intervals, between 0 and 1.

        Returns
        -------
        dict of {str: (float, float)}
            The mean less and plus so many standard errors, for each request; nan where fewer than two rankings count,
            and for averages over labels.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1.
        TypeError
            If `confidence_level` is no number.

        Examples
        --------
        Values 1 and 0 have the mean 1/2 and the standard error 1/2, of which 0.674 make an interval of 50 %:

        >>> from sklearn_rank import RankingAccumulator
        >>> accumulator = RankingAccumulator(["hit_rate@1"]).update([[1, 0], [1, 0]], [[2, 1], [1, 2]])
        >>> low, high = accumulator.normal_intervals(0.5)["hit_rate@1"]
        >>> round(low, 3), round(high, 3)
        (0.163, 0.837)
        """
        level = check_number("confidence_level", confidence_level, "a number between 0 and 1", low=0, high=1)
        z = float(stats.norm.ppf((1 + level) / 2))
        return {key: _interval(sums, z) for key, sums in self._sums.items()}

    @property
    def n_rankings_(self) -> int:
        """Rankings that were taken in."""
        return self._n_rankings

    @property
    def counts_(self) -> dict[str, int]:
        """Rankings that count, by request: without those of zero weight and undefined ones; all for sums of labels."""
        return {key: self._n_rankings if isinstance(sums, LabelSums) else sums.n for key, sums in self._sums.items()}

    def reset(self) -> Self:
        """Forget all that has been taken in, ids too.

        Returns
        -------
        self : RankingAccumulator
            This object.
        """
        self._sums: dict[str, Sums | LabelSums] = {request.key: Sums() for request in self._requests}
        self._n_rankings = 0
        self._n_weighted = 0  # those with a positive weight
        self._ids: set[Any] = set()
        return self

    def __repr__(self) -> str:
        changed = {name: value for name, value in self._settings.items() if value != _DEFAULTS.get(name)}
        del changed["metrics"]
        shown = [repr([request.key for request in self._requests])]
        shown += [f"{name}={value!r}" for name, value in changed.items()]
        plural = "" if self._n_rankings == 1 else "s"
        return f"RankingAccumulator({', '.join(shown)}) with {self._n_rankings} ranking{plural}"

    def __eq__(self, other: object) -> bool:
        """Whether both have the same settings and have seen the same."""
        if not isinstance(other, RankingAccumulator):
            return NotImplemented
        return hash(self) == hash(other) and self._seen == other._seen

    def __hash__(self) -> int:
        return hash(frozen(self._settings))

    @property
    def _seen(self) -> tuple[Any, ...]:
        sums = {key: repr(sums) if isinstance(sums, LabelSums) else sums for key, sums in self._sums.items()}
        return sums, self._n_rankings, self._n_weighted, self._ids

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())

    @property
    def _settings(self) -> dict[str, Any]:
        """What accumulators that are merged must agree in."""
        return {
            "metrics": [request.settings for request in self._requests],
            "relevance_threshold": self._options.relevance_threshold,
            "ties": self._options.ties,
            "zero_division": self._options.zero_division,
            "labels": self._labels,
        }

    def _add(self, sums: dict[str, Sums | LabelSums], n_rankings: int, n_weighted: int, ids: Iterable[Any]) -> None:
        """The only place where something is taken in, when nothing but a query that was split can fail."""
        with self._lock:
            split = next((group for group in ids if group in self._ids), None)
            if split is not None:
                message = (
                    f"`groups` holds {split!r}, of which rows were taken in before: all rows of a ranking must come "
                    "in one update."
                )
                raise ValueError(message)
            self._ids.update(ids)
            self._sums = {key: _plus(so_far, sums[key]) for key, so_far in self._sums.items()}
            self._n_rankings += n_rankings
            self._n_weighted += n_weighted


_DEFAULTS = {"ties": "average", "zero_division": 0.0}


def _array(x: Any, name: str) -> Any:
    """An array, so that its shape can be seen; sparse matrices and frames, which have one, as they are."""
    return x if sparse.issparse(x) or is_frame(x) else to_numpy(x, name)


def _first_of_each(ids: NDArray[Any], codes: NDArray[np.intp], n_groups: int) -> list[Any]:
    """The ids of (n,) rows without repetition, as Python values; dates as what numpy takes for one."""
    first = np.empty(n_groups, np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return list(ids[first]) if ids.dtype.kind in "mM" else ids[first].tolist()


def _ranking_weights(sample_weight: Any, n_rows: int, codes: NDArray[np.intp] | None) -> Weights:
    """One weight per ranking; with the codes of groups the mean of the rows of each. All may be zero."""
    weights = to_numpy(sample_weight, "sample_weight")
    if np.ma.is_masked(weights) or weights.shape != (n_rows,) or np.any(numeric(weights, "sample_weight")):
        weights = check_weights(weights, n_rows, groups=codes is not None)
    else:
        weights = np.zeros(n_rows)
    return Weights.of(weights) if codes is None else Weights.of_groups(weights, codes, int(codes.max()) + 1)


# ---- exact sums


def _figure(asked: Asked, sums: Sums | LabelSums) -> float:
    """The mean that the sums make."""
    if isinstance(sums, LabelSums):
        return macro_figure(asked, sums)
    if sums.weight:
        return float(sums.value / sums.weight)
    if asked.options.average == "micro" and not np.isnan(asked.options.zero_division):  # no row has a denominator
        return asked.options.zero_division
    warn_undefined()
    return float("nan")


def _interval(sums: Sums | LabelSums, z: float) -> tuple[float, float]:
    """The weighted mean and z standard errors on either side, linearised as a quotient of two sums."""
    if isinstance(sums, LabelSums) or sums.n < 2:
        return float("nan"), float("nan")
    mean = sums.value / sums.weight
    spread = sums.squares - 2 * mean * sums.crossed + mean**2 * sums.squared  # of w^2 (v - mean)^2
    variance = spread / sums.weight**2 * Fraction(sums.n, sums.n - 1)
    half = z * float(max(variance, Fraction(0))) ** 0.5
    return float(mean) - half, float(mean) + half


def _plus(one: Sums | LabelSums, other: Sums | LabelSums) -> Sums | LabelSums:
    """Both together; what has seen nothing has plain sums, whatever is added up later."""
    if isinstance(one, LabelSums) or isinstance(other, LabelSums):
        both = [sums for sums in (one, other) if isinstance(sums, LabelSums)]
        return both[0] if len(both) == 1 else both[0] + both[1]
    return Sums(*map(add, one, other))


def _sums(part: Part, weights: Weights | None, zero_division: float) -> Sums | LabelSums:
    """The exact sums over the (n_rows,) that count; zero weights add nothing."""
    if isinstance(part, LabelSums):
        return part
    values = np.where(np.isnan(part.values), zero_division, part.values)
    if part.denominators is not None:
        weights = Weights.of(part.denominators) if weights is None else weights.times(part.denominators)
    counts = ~np.isnan(values) if weights is None else ~np.isnan(values) & weights.positive
    values, n = values[counts], int(np.count_nonzero(counts))
    if weights is None:
        value = exact_sum(values)
        return Sums(value, Fraction(n), exact_sum(values, Weights.of(values)), value, Fraction(n), n)
    weights = weights.where(counts)
    squared, ones = weights.product(weights), np.ones(n)
    return Sums(
        exact_sum(values, weights),
        exact_sum(ones, weights),
        exact_sum(values, squared.times(values)),
        exact_sum(values, squared),
        exact_sum(ones, squared),
        n,
    )


def exact_sum(values: NDArray[np.float64], weights: Weights | None = None) -> Fraction:
    """The sum of (n,) finite values, each times its weight, without any rounding.

    Each number is m · 2**e with 1/2 <= abs(m) < 1. A product of two such m is p + r with doubles p and
    r, so that weights come down to two numbers in the place of one.
    """
    total = Fraction(0)
    for start in range(0, len(values), BLOCK):
        mantissa, exponent = np.frexp(values[start : start + BLOCK])
        if weights is None:
            total += _sum_scaled(mantissa, exponent)
            continue
        exponent = exponent + weights.exponent[start : start + BLOCK]
        product, rest = _exact_product(mantissa, weights.mantissa[start : start + BLOCK])
        total += _sum_scaled(product, exponent) + _sum_scaled(rest, exponent)
    return total


def _sum_scaled(numbers: NDArray[np.float64], exponent: NDArray[np.int32]) -> Fraction:
    """The exact sum of numbers · 2**exponent, of (n,) doubles with n <= BLOCK.

    Each becomes an integer of 53 bits times a power of two, cut into integers of 26 and 27 bits. Those
    of one power are added up as floating point, which is exact for so few and so small integers; what
    remains is one Python integer for each power.
    """
    mantissa, shift = np.frexp(numbers)
    exponent = exponent + shift
    lowest = int(exponent.min())
    scaled = mantissa * 2.0**26
    high = np.trunc(scaled)
    low = (scaled - high) * 2.0**27
    power = exponent - lowest
    high_sums, low_sums = np.bincount(power, high), np.bincount(power, low)
    total = 0
    for place in np.flatnonzero((high_sums != 0) | (low_sums != 0)).tolist():
        total += ((int(high_sums[place]) << 27) + int(low_sums[place])) << place
    return Fraction(total) * Fraction(2) ** (lowest - 53)


def _exact_product(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(p, r) with a · b = p + r exactly and p the rounded product, for numbers of about 1 (Dekker, 1971)."""
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A number as the sum of two of 26 bits, whose products are exact (Veltkamp's split)."""
    scaled = a * (2.0**27 + 1)
    high = scaled - (scaled - a)
    return high, a - high
