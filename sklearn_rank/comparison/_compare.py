"""Models side by side: values, intervals and paired tests from the row values of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import bootstrap
from sklearn.utils import check_random_state

from sklearn_rank._options import check_count, check_number, name_of
from sklearn_rank.inputs._ids import group_codes, group_means
from sklearn_rank.inputs._weights import check_weights
from sklearn_rank.metrics._evaluate import evaluate, parse_requests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]

CELLS = 1 << 21  # random numbers that are drawn at a time, which bounds the memory
RESOLUTION = 1e-200  # of weights relative to the largest
ROUNDING = 1e-12  # relative; what differs by less is a tie


class ComparedModel(NamedTuple):
    """One model under one metric."""

    model: str
    metric: str
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    p_value: float
    p_adjusted: float
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Comparison:
    """What `compare` found. Print it, or take `rows`, `to_frame()` or `plot()`.

    Parameters
    ----------
    rows : list of ComparedModel
        One for each model and metric, metric by metric: `model`, `metric`, `value`, `low`, `high`, `difference`,
        `difference_low`, `difference_high`, `p_value`, `p_adjusted`, `wins`, `ties`, `losses`.
    baseline : str
        The model that the others are compared with.
    confidence_level : float
        Of the intervals.
    n_resamples : int
        Bootstrap samples and sampled sign flips.
    n_rankings : int
        Rankings (rows or groups) that count: those of zero weight and undefined ones are left out.

    See Also
    --------
    compare : Makes it.

    Examples
    --------
    >>> from sklearn_rank import compare
    >>> result = compare([[0, 1]] * 6, {"a": [[2, 1]] * 6, "b": [[1, 2]] * 6}, ["mrr"], random_state=0)
    >>> result.rows[1].difference, result.rows[1].p_value
    (0.5, 0.03125)
    """

    rows: list[ComparedModel]
    baseline: str
    confidence_level: float
    n_resamples: int
    n_rankings: int

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each model and metric."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=list(ComparedModel._fields))

    def plot(self, *, ax: Any = None) -> Any:
        """Draw values and intervals, a panel for each metric.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, default=None
            One for each metric; None: a new figure.

        Returns
        -------
        ndarray of matplotlib Axes
            One for each metric.
        """
        from sklearn_rank.comparison._display import plot_comparison

        return plot_comparison(self, ax)

    def __str__(self) -> str:
        table = self._table()
        widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
        lines = [
            "  ".join(
                cell.ljust(width) if column < 2 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in table
        ]
        return "\n".join([self._caption(), "", *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self._table()
        rows = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
        rows += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body]
        return f"<table><caption>{escape(self._caption())}</caption>{''.join(rows)}</table>"

    def _caption(self) -> str:
        return (
            f"{self.n_rankings} rankings, baseline {self.baseline}, {self.confidence_level * 100:g}% intervals, "
            f"{self.n_resamples} resamples"
        )

    def _table(self) -> list[list[str]]:
        """Cells as text, the head first."""
        lines = [["metric", "model", "value", "interval", "difference", "interval", "p", "p (Holm)", "won/tied/lost"]]
        for row in self.rows:
            line = [row.metric, row.model, f"{row.value:.4f}", f"[{row.low:.4f}, {row.high:.4f}]"]
            if row.model == self.baseline:
                line += ["-"] * 5
            else:
                line += [
                    f"{row.difference:+.4f}",
                    f"[{row.difference_low:+.4f}, {row.difference_high:+.4f}]",
                    f"{row.p_value:.2g}",
                    f"{row.p_adjusted:.2g}",
                    f"{row.wins}/{row.ties}/{row.losses}",
                ]
            lines.append(line)
        return lines


def compare(
    y_true: Any,
    y_scores: Mapping[str, Any],
    metrics: Iterable[Any],
    *,
    baseline: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Values, intervals and paired tests of several models under several metrics.

    Each model is ranked once. The rankings (rows, or whole groups) are then resampled: a percentile
    bootstrap gives the intervals of each value and of each difference to the baseline on the same
    rankings, and a paired sign-flip test the p-value of each difference: were the two models equal,
    each ranking's difference could as well have the other sign [1]_.

    Parameters
    ----------
    y_true : array-like, sparse matrix or dict of them
        As in the functions. A dict with the names of `y_scores` gives each model its own columns for the same
        rows: what `from_lists` and `from_qrels` make of two models has different columns.
    y_scores : dict of {str: array-like or sparse matrix}
        The scores of each model.
    metrics : iterable of str or tuple
        As in `evaluate`.
    baseline : str, default=None
        The model that the others are compared with; None: the first.
    confidence_level : float, default=0.95
        Of the intervals, between 0 and 1.
    n_resamples : int, default=9999
        Bootstrap samples, and sign flips where not all of them can be counted.
    random_state : int, RandomState or Generator, default=None
        An int makes the result reproducible.
    relevance_threshold : float, default=None
        As in `evaluate`.
    ties : {"average", "first", "best", "worst"}, default="average"
        As in `evaluate`.
    zero_division : float, default=0.0
        As in `evaluate`; nan leaves rankings without a relevant item out.
    sample_weight, labels, groups : array-like, default=None
        As in `evaluate`.
    n_jobs : int, default=None
        Threads over blocks of rows.

    Returns
    -------
    Comparison
        Values are the higher the better. The baseline has nan for its own differences and p-values.

    Raises
    ------
    ValueError
        If fewer than two rankings count, the baseline is none of the models, an option is out of range,
        or `evaluate` would raise.
    TypeError
        If `y_scores` is no dict of names.

    See Also
    --------
    evaluate : The values alone.
    out_of_fold_scores : Scores of a model by cross-validation.

    Notes
    -----
    The p-value is two-sided. It is exact where all 2^n sign flips of the n rankings that differ are no
    more than `n_resamples`; else it is (count + 1) / (n_resamples + 1) of sampled ones [2]_. `p_adjusted`
    is Holm's over all models and metrics. docs/conventions.md reports coverage and size by simulation.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan, B. Carterette (2007). A comparison of statistical significance tests
           for information retrieval evaluation. CIKM 2007, 623-632.
    .. [2] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. Statistical
           Applications in Genetics and Molecular Biology 9(1), article 39.

    Examples
    --------
    Model b finds the relevant item first in all six rows, a in none. Of 2^6 sign flips two are as extreme:

    >>> from sklearn_rank import compare
    >>> y_true = [[0, 1]] * 6
    >>> result = compare(y_true, {"a": [[2, 1]] * 6, "b": [[1, 2]] * 6}, ["mrr"], random_state=0)
    >>> print(result)
    6 rankings, baseline a, 95% intervals, 9999 resamples
    <BLANKLINE>
    metric  model   value          interval  difference            interval      p  p (Holm)  won/tied/lost
    mrr     a      0.5000  [0.5000, 0.5000]           -                   -      -         -              -
    mrr     b      1.0000  [1.0000, 1.0000]     +0.5000  [+0.5000, +0.5000]  0.031     0.031          6/0/0
    """
    names = check_models(y_scores)
    baseline = names[0] if baseline is None else baseline
    if baseline not in names:
        message = f"`baseline` must be one of the models {names}, got {baseline!r}."
        raise ValueError(message)
    confidence_level = check_number("confidence_level", confidence_level, "a number between 0 and 1", low=0, high=1)
    n_resamples = check_count("n_resamples", n_resamples)
    random = check_generator(random_state)
    metrics = list(metrics) if not isinstance(metrics, (str, bytes)) and hasattr(metrics, "__iter__") else metrics
    keys = [request.key for request in parse_requests(metrics)]
    options = {
        "relevance_threshold": relevance_threshold, "ties": ties, "zero_division": zero_division, "average": None,
        "labels": labels, "groups": groups, "n_jobs": n_jobs,
    }
    reports = [_report(name, _truth_of(name, y_true, names), y_scores[name], metrics, options) for name in names]
    if len({len(report[keys[0]]) for report in reports}) > 1:
        message = f"The models must rank the same rows, got {[len(report[keys[0]]) for report in reports]} rankings."
        raise ValueError(message)
    values = np.array([[report[key] for report in reports] for key in keys])  # (n_metrics, n_models, n_rankings)
    values, weights = keep_counted(values, ranking_weights(sample_weight, groups, values.shape[-1]))
    differences = values - values[:, [names.index(baseline)]]
    scale = np.maximum(np.abs(values), np.abs(values[:, [names.index(baseline)]]))
    differences[np.abs(differences) <= ROUNDING * scale] = 0.0
    both = np.concatenate((values, differences), axis=1)  # (n_metrics, 2 n_models, n_rankings)
    low, high = bootstrap_intervals(both, weights, confidence_level, n_resamples, random)
    mean = both @ weights / weights.sum()
    others = [place for place, name in enumerate(names) if name != baseline]
    p_values = np.full(values.shape[:2], np.nan)
    p_values[:, others] = sign_flip_test(differences[:, others] * weights, n_resamples, random)
    p_adjusted = np.full(values.shape[:2], np.nan)
    p_adjusted[:, others] = holm(p_values[:, others])
    rows = []
    for metric, key in enumerate(keys):
        for model, name in enumerate(names):
            there, apart = (metric, model), (metric, model + len(names))
            signs = np.sign(differences[there])
            numbers = [mean[there], low[there], high[there], mean[apart], low[apart], high[apart]]
            if name == baseline:
                numbers[3:] = [np.nan] * 3
            numbers += [p_values[there], p_adjusted[there]]
            counts = [int((signs == sign).sum()) for sign in (1, 0, -1)]
            rows.append(ComparedModel(name, key, *map(float, numbers), *counts))  # type: ignore[arg-type]
    return Comparison(rows, baseline, confidence_level, n_resamples, values.shape[-1])


def _truth_of(name: str, y_true: Any, names: list[str]) -> Any:
    """The relevance in the columns of one model."""
    if not isinstance(y_true, Mapping):
        return y_true
    if set(y_true) != set(names):
        message = f"`y_true` and `y_scores` must name the same models, got {list(y_true)} and {names}."
        raise ValueError(message)
    return y_true[name]


def _report(name: str, y_true: Any, y_scores: Any, metrics: Any, options: dict[str, Any]) -> dict[str, Values]:
    """The row values of a model; an error says of which."""
    try:
        return evaluate(y_true, y_scores, metrics, **options)
    except (TypeError, ValueError) as error:
        message = f"{error} (Model {name!r}.)"
        raise type(error)(message) from error


def check_models(y_scores: Any) -> list[str]:
    """The names of a dict of models."""
    if not isinstance(y_scores, Mapping) or not y_scores:
        message = f"`y_scores` must be a dict with the scores of each model by its name, got {name_of(y_scores)}."
        raise TypeError(message)
    if not all(isinstance(name, str) for name in y_scores):
        message = f"The names of models in `y_scores` must be text, got {list(y_scores)}."
        raise TypeError(message)
    return list(y_scores)


def check_generator(random_state: Any) -> np.random.Generator:
    """scikit-learn's meaning of `random_state`, and numpy's generators."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None or isinstance(random_state, (int, np.integer)):
        return np.random.default_rng(random_state)
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def ranking_weights(sample_weight: Any, groups: Any, n_rankings: int) -> Values:
    """(n_rankings,) weights; a group weighs the mean of its rows."""
    if sample_weight is None:
        return np.ones(n_rankings)
    if groups is None:
        return check_weights(sample_weight, n_rankings)
    n_rows = len(groups)
    codes, _ = group_codes(groups, n_rows)
    weights = check_weights(sample_weight, n_rows)
    largest = weights.max()  # the scale of the weights cannot overflow a sum
    return group_means(codes, weights / largest)


def keep_counted(values: Values, weights: Values) -> tuple[Values, Values]:
    """(..., n_rankings) values and (n_rankings,) weights of the rankings that count."""
    weights = weights / weights.max()
    # A weight that the largest one swallows counts for nothing, as in any sum of floats.
    counts = (weights > RESOLUTION) & ~np.isnan(values).any(axis=tuple(range(values.ndim - 1)))
    if counts.sum() < 2:
        message = (
            f"Resampling needs at least two rankings that count, got {counts.sum()} of {len(counts)}. With 1-D "
            "`y_true` and `y_scores`, `groups` tells the rankings apart; a curve needs no bands with "
            "confidence_level=None."
        )
        raise ValueError(message)
    return values[..., counts], weights[counts]


def bootstrap_intervals(
    values: Values, weights: Values, confidence_level: float, n_resamples: int, random: np.random.Generator
) -> tuple[Values, Values]:
    """Percentile intervals of the weighted means of (..., n_rankings) values."""
    n = len(weights)
    weighted = np.vstack((values.reshape(-1, n) * weights, weights)).T

    def means(drawn: NDArray[np.intp], axis: int) -> Values:  # noqa: ARG001  scipy passes -1
        drawn = np.atleast_2d(drawn)
        # How often each ranking was drawn is all that a mean needs.
        counts = np.bincount((drawn + n * np.arange(len(drawn))[:, None]).ravel(), minlength=drawn.size)
        sums = counts.reshape(-1, n).astype(float) @ weighted
        return np.asarray((sums[:, :-1] / sums[:, -1:]).T)

    result = bootstrap(
        (np.arange(n),), means, vectorized=True, axis=-1, method="percentile", confidence_level=confidence_level,
        n_resamples=n_resamples, batch=max(1, CELLS // n), random_state=random,
    )
    low, high = result.confidence_interval
    return low.reshape(values.shape[:-1]), high.reshape(values.shape[:-1])


def sign_flip_test(differences: Values, n_resamples: int, random: np.random.Generator) -> Values:
    """Two-sided p-values of (..., n_rankings) weighted differences, each ranking's sign being a coin toss."""
    shape = differences.shape[:-1]
    flat = differences.reshape(-1, differences.shape[-1])
    observed = np.abs(flat.sum(axis=1)) - ROUNDING * np.abs(flat).sum(axis=1)
    p_values = np.ones(len(flat))
    sampled = []
    for place, row in enumerate(flat):
        different = row[row != 0]
        if len(different) < 32 and 2 ** len(different) <= n_resamples:
            signs = 1.0 - 2.0 * ((np.arange(2 ** len(different))[:, None] >> np.arange(len(different))) & 1)
            p_values[place] = np.mean(np.abs(signs @ different) >= observed[place])
        else:
            sampled.append(place)
    if sampled:
        as_extreme = np.zeros(len(sampled))
        for signs in _random_signs(n_resamples, flat.shape[1], random):
            as_extreme += (np.abs(signs @ flat[sampled].T) >= observed[sampled]).sum(axis=0)
        p_values[sampled] = (as_extreme + 1) / (n_resamples + 1)
    return p_values.reshape(shape)


def _random_signs(n_resamples: int, n: int, random: np.random.Generator) -> Iterator[Values]:
    """In total (n_resamples, n) of 1.0 and -1.0, a bit each."""
    step = max(1, CELLS // n)
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        bits = np.unpackbits(np.frombuffer(random.bytes(-(-rows * n // 8)), np.uint8), count=rows * n)
        yield 1.0 - 2.0 * bits.reshape(rows, n).astype(np.float64)


def holm(p_values: Values) -> Values:
    """Holm's adjustment of all p-values together [S. Holm (1979). Scandinavian Journal of Statistics 6(2), 65-70]."""
    flat = p_values.ravel()
    order = np.argsort(flat, kind="stable")
    adjusted = np.empty_like(flat)
    adjusted[order] = np.minimum(np.maximum.accumulate(flat[order] * np.arange(len(flat), 0, -1)), 1.0)
    return adjusted.reshape(p_values.shape)
