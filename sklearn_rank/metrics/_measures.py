"""What the public metrics have in common: options checked, input ranked once, rows scored, the mean taken."""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, cast

import numpy as np

from sklearn_rank._options import check_average, check_choice, check_k, check_number
from sklearn_rank.inputs._containers import is_dask
from sklearn_rank.inputs._problem import check_problem
from sklearn_rank.metrics import _kernels
from sklearn_rank.metrics._averaging import over_rows
from sklearn_rank.ranking._ranking import GREATEST_EXPONENT, GREATEST_GRADE, Measure, measure_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

Ties = Literal["average", "first", "best", "worst"]
Metric = TypeVar("Metric", bound="Callable[..., Any]")
TIES = ("average", "first", "best", "worst")


class GradedOptions(TypedDict, total=False):
    """The keywords that all metrics share, for the type checker."""

    ties: Ties
    zero_division: float
    sample_weight: ArrayLike | None
    labels: ArrayLike | None
    groups: ArrayLike | None
    n_jobs: int | None
    compute: bool


class BinaryOptions(GradedOptions, total=False):
    """And those of the binary metrics."""

    relevance_threshold: float | None


def score_measures(
    measures: Sequence[Measure],
    y_true: Any,
    y_scores: Any,
    *,
    relevance_threshold: float | None = None,
    ties: str,
    zero_division: float,
    average: str | None,
    sample_weight: Any,
    labels: Any,
    groups: Any,
    n_jobs: int | None,
    compute: bool = True,
    metric: str = "map_at_k",
) -> list[Any]:
    """Check the input, rank it once, and give each measure's mean or row values."""
    check_average(average, metric)
    zero_division, relevance_threshold = check_ranking_options(ties, zero_division, relevance_threshold)
    if is_dask(y_true) or is_dask(y_scores):
        from sklearn_rank.metrics._dask import score_chunks

        return score_chunks(
            measures, y_true, y_scores, relevance_threshold=relevance_threshold, ties=ties,
            zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels, groups=groups,
            n_jobs=n_jobs, compute=compute,
        )
    if not compute:
        message = "`compute=False` is for dask arrays; what is in memory is computed at once."
        raise ValueError(message)
    problem = check_problem(y_true, y_scores, labels=labels, groups=groups, sample_weight=sample_weight)
    if relevance_threshold is not None and relevance_threshold <= 0 and not problem.complete:
        message = (
            f"`relevance_threshold` must be above 0 for a sparse `y_true` or class labels, got {relevance_threshold:g}: "
            "cells that are not stored have grade 0 and would all be relevant."
        )
        raise ValueError(message)
    if any(measure.of_highest for measure in measures):
        highest = problem.highest_grade
        measures = [measure.of_highest(highest) if measure.of_highest else measure for measure in measures]
    values = measure_rows(problem, measures, ties=ties, relevance_threshold=relevance_threshold, n_jobs=n_jobs)
    return [over_rows(row_values, problem.weights, average, zero_division) for row_values in values]


def check_ranking_options(
    ties: Any, zero_division: Any, relevance_threshold: Any
) -> tuple[float, float | None]:
    """Options that all metrics share; the numbers as floats."""
    check_choice("ties", ties, TIES)
    zero_division = check_number("zero_division", zero_division, "a finite number or nan")
    if relevance_threshold is not None:
        relevance_threshold = check_number("relevance_threshold", relevance_threshold, "a finite number or None")
    return zero_division, relevance_threshold


def metric_function(function: Metric) -> Metric:
    """Called with an estimator, as scoring=map_at_k does it, a metric names its scorer."""

    @wraps(function)
    def metric(*args: Any, **options: Any) -> Any:
        if args and hasattr(args[0], "fit") and not isinstance(args[0], type):
            name = function.__name__
            message = (
                f"{name} is a metric and was called with an estimator: pass scoring={name}_scorer instead of "
                f"scoring={name}, or make_rank_scorer({name}, ...) for other options."
            )
            raise TypeError(message)
        return function(*args, **options)

    return cast("Metric", metric)


def score(measure: Measure, metric: str, y_true: Any, y_scores: Any, **options: Any) -> float | NDArray[np.float64]:
    """One measure: what the public functions do once their own options are checked."""
    value: float | NDArray[np.float64] = score_measures([measure], y_true, y_scores, metric=metric, **options)[0]
    return value


# ---- what evaluate and the functions rank for: kernels with their options checked


def precision_measure(k: int | None) -> Measure:
    """Precision at k."""
    return Measure(_kernels.precision, check_k(k))


def recall_measure(k: int | None, denominator: str = "relevant") -> Measure:
    """Recall at k."""
    check_choice("denominator", denominator, ("relevant", "attainable"))
    return Measure(partial(_kernels.recall, denominator=denominator), check_k(k))


def f1_measure(k: int | None) -> Measure:
    """F1 at k."""
    return Measure(_kernels.f1, check_k(k))


def hit_rate_measure(k: int | None) -> Measure:
    """Hit rate at k."""
    return Measure(_kernels.hit_rate, check_k(k))


def map_measure(k: int | None, denominator: str = "attainable") -> Measure:
    """Average precision at k."""
    check_choice("denominator", denominator, ("attainable", "relevant", "k", "hits"))
    return Measure(partial(_kernels.average_precision, denominator=denominator), check_k(k))


def mrr_measure(k: int | None) -> Measure:
    """Reciprocal rank at k."""
    return Measure(_kernels.reciprocal_rank, check_k(k))


def _greatest(gain: str) -> float:
    return GREATEST_EXPONENT if gain == "exponential" else GREATEST_GRADE


def dcg_measure(k: int | None, gain: str = "linear") -> Measure:
    """DCG at k."""
    check_choice("gain", gain, ("linear", "exponential"))
    return Measure(partial(_kernels.dcg, gain=gain), check_k(k), graded=True, greatest=_greatest(gain))


def ndcg_measure(k: int | None, gain: str = "linear") -> Measure:
    """NDCG at k."""
    check_choice("gain", gain, ("linear", "exponential"))
    return Measure(partial(_kernels.ndcg, gain=gain), check_k(k), graded=True, greatest=_greatest(gain))


def err_measure(k: int | None, max_grade: float | None = None) -> Measure:
    """Expected reciprocal rank at k."""
    if max_grade is not None:
        expected = f"a number above 0 and up to {GREATEST_EXPONENT:g}, or None"
        max_grade = check_number("max_grade", max_grade, expected, low=0, high=np.nextafter(GREATEST_EXPONENT, np.inf))
        return _err(check_k(k), max_grade)
    return _err(check_k(k), GREATEST_EXPONENT)._replace(of_highest=partial(_err, check_k(k)))


def _err(k: int | None, max_grade: float) -> Measure:
    max_grade = min(max_grade, GREATEST_EXPONENT)
    kernel = partial(_kernels.expected_reciprocal_rank, max_grade=max_grade)
    return Measure(kernel, k, graded=True, greatest=max_grade)


def rbp_measure(k: None = None, p: float = 0.8) -> Measure:
    """Rank-biased precision."""
    p = check_number("p", p, "a number between 0 and 1", low=0, high=1)
    return Measure(partial(_kernels.rank_biased_precision, p=p), k, graded=True, thresholded=True)


def r_precision_measure(k: None = None) -> Measure:
    """R-precision."""
    return Measure(_kernels.r_precision, k)
