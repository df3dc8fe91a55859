"""The public metrics: functions of y_true and y_scores. They rank, score rows, average; nothing else."""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack, cast, overload

from sklearn_rank import _kernels
from sklearn_rank._averaging import over_rows
from sklearn_rank._ranking import Measure, measure_rows
from sklearn_rank._validation import check_average, check_choice, check_k, check_number, check_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Ties = Literal["average", "first", "best", "worst"]
Metric = TypeVar("Metric", bound="Callable[..., Any]")
TIES = ("average", "first", "best", "worst")


class _GradedOptions(TypedDict, total=False):
    """The keywords that all metrics share, for the type checker."""

    ties: Ties
    zero_division: float
    sample_weight: ArrayLike | None
    labels: ArrayLike | None
    groups: ArrayLike | None
    n_jobs: int | None


class _Options(_GradedOptions, total=False):
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
    metric: str = "map_at_k",
) -> list[float | NDArray[np.float64]]:
    """Check the input, rank it once, and give each measure's mean or row values."""
    check_average(average, metric)
    zero_division, relevance_threshold = check_ranking_options(ties, zero_division, relevance_threshold)
    problem = check_problem(y_true, y_scores, labels=labels, groups=groups, sample_weight=sample_weight)
    if relevance_threshold is not None and relevance_threshold <= 0 and not problem.complete:
        message = (
            f"`relevance_threshold` must be above 0 for a sparse `y_true` or class labels, got {relevance_threshold:g}: "
            "cells that are not stored have grade 0 and would all be relevant."
        )
        raise ValueError(message)
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


def _metric(function: Metric) -> Metric:
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


def _score(measure: Measure, metric: str, y_true: Any, y_scores: Any, **options: Any) -> float | NDArray[np.float64]:
    """One measure: what the public functions do once their own options are checked."""
    return score_measures([measure], y_true, y_scores, metric=metric, **options)[0]


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


def dcg_measure(k: int | None, gain: str = "linear") -> Measure:
    """DCG at k."""
    check_choice("gain", gain, ("linear", "exponential"))
    return Measure(partial(_kernels.dcg, gain=gain), check_k(k), graded=True, exponential=gain == "exponential")


def ndcg_measure(k: int | None, gain: str = "linear") -> Measure:
    """NDCG at k."""
    check_choice("gain", gain, ("linear", "exponential"))
    return Measure(partial(_kernels.ndcg, gain=gain), check_k(k), graded=True, exponential=gain == "exponential")


def r_precision_measure(k: None = None) -> Measure:
    """R-precision."""
    return Measure(_kernels.r_precision, k)


# ---- the functions


@overload
def precision_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    **options: Unpack[_Options],
) -> float: ...

@overload
def precision_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    **options: Unpack[_Options],
) -> NDArray[np.float64]: ...

@_metric
def precision_at_k(
    y_true: Any,
    y_scores: Any,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Precision at k: the share of relevant items among the first k.

    A row scores the number of its relevant items with rank at most k, divided by k, also when the row
    has fewer than k items.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, default=None
        How many ranks count, at least 1 and possibly beyond the row; None for all.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Between 0 and 1, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1, shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights
        are negative or all zero.
    TypeError
        If `k` is no integer or another argument is of a wrong kind.

    See Also
    --------
    recall_at_k : Divides by the relevant items instead of k.
    r_precision : Cuts each row at its own number of relevant items.

    Notes
    -----
    k=None divides by the number of items that the row retrieved (scores above -inf). Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008). Introduction to Information Retrieval,
           section 8.4. Cambridge University Press.

    Examples
    --------
    The first row has hits at ranks 1 and 4, the second at rank 2, so that two ranks hold one hit each:

    >>> from sklearn_rank import precision_at_k
    >>> y_true = [[1, 0, 0, 1], [0, 1, 0, 0]]
    >>> y_scores = [[0.9, 0.6, 0.5, 0.1], [0.8, 0.7, 0.2, 0.1]]
    >>> precision_at_k(y_true, y_scores, 2)
    0.5

    With all scores equal, each of the first two ranks holds a relevant item with chance 2/4 and 1/4,
    so (2/4 + 1/4) / 2 = 0.375:

    >>> precision_at_k(y_true, [[1, 1, 1, 1], [1, 1, 1, 1]], 2)
    0.375
    """
    measure = precision_measure(k)
    return _score(measure, "precision_at_k", y_true, y_scores, relevance_threshold=relevance_threshold, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)


@overload
def recall_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    denominator: Literal["relevant", "attainable"] = ..., **options: Unpack[_Options],
) -> float: ...

@overload
def recall_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    denominator: Literal["relevant", "attainable"] = ..., **options: Unpack[_Options],
) -> NDArray[np.float64]: ...

@_metric
def recall_at_k(
    y_true: Any,
    y_scores: Any,
    k: int | None = None,
    *,
    denominator: str = "relevant",
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Recall at k: the share of the relevant items that stand among the first k.

    A row scores the number of its relevant items with rank at most k, divided by the number R of
    relevant items in the whole row, items never retrieved included.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, default=None
        How many ranks count, at least 1 and possibly beyond the row; None for all.
    denominator : {"relevant", "attainable"}, default="relevant"
        Divide by the R relevant items of the row, or by min(R, k), so that 1 can be reached.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Between 0 and 1, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1, shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights
        are negative or all zero.
    TypeError
        If `k` is no integer or another argument is of a wrong kind.

    See Also
    --------
    precision_at_k : Divides by k.
    hit_rate_at_k : Asks for any relevant item.

    Notes
    -----
    With one relevant item a row this is `hit_rate_at_k`. Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008). Introduction to Information Retrieval,
           section 8.4. Cambridge University Press.

    Examples
    --------
    One of the two relevant items is among the first three:

    >>> from sklearn_rank import recall_at_k
    >>> recall_at_k([[1, 0, 0, 1]], [[0.9, 0.6, 0.5, 0.1]], 3)
    0.5

    At k=1 no more than one of two can be found; "attainable" divides by that:

    >>> recall_at_k([[1, 0, 0, 1]], [[0.9, 0.6, 0.5, 0.1]], 1)
    0.5
    >>> recall_at_k([[1, 0, 0, 1]], [[0.9, 0.6, 0.5, 0.1]], 1, denominator="attainable")
    1.0
    """
    measure = recall_measure(k, denominator)
    return _score(measure, "recall_at_k", y_true, y_scores, relevance_threshold=relevance_threshold, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)


@overload
def f1_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    **options: Unpack[_Options],
) -> float: ...

@overload
def f1_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    **options: Unpack[_Options],
) -> NDArray[np.float64]: ...

@_metric
def f1_at_k(
    y_true: Any,
    y_scores: Any,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """F1 at k: the harmonic mean of precision and recall at k.

    A row with R relevant items scores 2 · hits / (k + R), hits being its relevant items with rank at
    most k.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, default=None
        How many ranks count, at least 1 and possibly beyond the row; None for all.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Between 0 and 1, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1, shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights
        are negative or all zero.
    TypeError
        If `k` is no integer or another argument is of a wrong kind.

    See Also
    --------
    precision_at_k : One half of it.
    recall_at_k : The other half.

    Notes
    -----
    k=None puts the number of items retrieved in the place of k. Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] C. J. van Rijsbergen (1979). Information Retrieval, 2nd edition, chapter 7. Butterworths.

    Examples
    --------
    Two ranks, two relevant items, one hit, so 2 · 1 / (2 + 2):

    >>> from sklearn_rank import f1_at_k
    >>> f1_at_k([[1, 0, 0, 1]], [[0.9, 0.6, 0.5, 0.1]], 2)
    0.5
    """
    measure = f1_measure(k)
    return _score(measure, "f1_at_k", y_true, y_scores, relevance_threshold=relevance_threshold, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)


@overload
def hit_rate_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    **options: Unpack[_Options],
) -> float: ...

@overload
def hit_rate_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    **options: Unpack[_Options],
) -> NDArray[np.float64]: ...

@_metric
def hit_rate_at_k(
    y_true: Any,
    y_scores: Any,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Hit rate at k: the share of rows with a relevant item among the first k.

    A row scores 1 if any of its relevant items has rank at most k, else 0. TREC calls it success; with
    one true class a row it is top-k accuracy.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, default=None
        How many ranks count, at least 1 and possibly beyond the row; None for all.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Between 0 and 1, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1, shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights
        are negative or all zero.
    TypeError
        If `k` is no integer or another argument is of a wrong kind.

    See Also
    --------
    mrr_at_k : Asks at which rank the first relevant item stands.

    Notes
    -----
    With equal scores it is the chance that a random order of them brings a relevant item into the
    first k ranks. Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] N. Craswell (2009). Success at n. In: Encyclopedia of Database Systems. Springer.

    Examples
    --------
    Class 2 of the first row has rank 1, class 0 of the second has rank 3:

    >>> from sklearn_rank import hit_rate_at_k
    >>> y_scores = [[0.2, 0.3, 0.5], [0.1, 0.7, 0.2]]
    >>> hit_rate_at_k([2, 0], y_scores, 2, labels=[0, 1, 2])
    0.5
    """
    measure = hit_rate_measure(k)
    return _score(measure, "hit_rate_at_k", y_true, y_scores, relevance_threshold=relevance_threshold, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)


@overload
def map_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    denominator: Literal["attainable", "relevant", "k", "hits"] = ..., **options: Unpack[_Options],
) -> float: ...

@overload
def map_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    denominator: Literal["attainable", "relevant", "k", "hits"] = ..., **options: Unpack[_Options],
) -> NDArray[np.float64]: ...

@_metric
def map_at_k(
    y_true: Any,
    y_scores: Any,
    k: int | None = None,
    *,
    denominator: str = "attainable",
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Mean average precision at k.

    A row scores the sum of precision@i over all ranks i <= k that hold a relevant item, divided by
    `denominator`; R is the number of relevant items in the whole row.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, default=None
        How many ranks count, at least 1 and possibly beyond the row; None for all.
    denominator : {"attainable", "relevant", "k", "hits"}, default="attainable"
        Divide by min(R, k) (Kaggle, ml_metrics, Spark), by R (trec_eval, ranx), by k, or by the
        relevant items found among the first k (torchmetrics).
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Between 0 and 1, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1, shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights
        are negative or all zero.
    TypeError
        If `k` is no integer or another argument is of a wrong kind.

    See Also
    --------
    mrr_at_k : Looks at the first relevant item only.
    ndcg_at_k : Takes graded relevance.
    mapk : Takes lists of ids.

    Notes
    -----
    With one relevant item a row this is `mrr_at_k`, except for denominator "k". k=None divides by the
    number of items retrieved wherever k is a divisor. A row with R > 0 that has no hit is 0. Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees (2000). Evaluating evaluation measure stability. SIGIR 2000, 33-40.
    .. [2] F. McSherry, M. Najork (2008). Computing information retrieval performance measures
           efficiently in the presence of tied scores. ECIR 2008, 414-421.

    Examples
    --------
    The first row has hits at ranks 1 and 4, the second at rank 2:

    >>> from sklearn_rank import map_at_k
    >>> y_true = [[1, 0, 0, 1], [0, 1, 0, 0]]
    >>> y_scores = [[0.9, 0.6, 0.5, 0.1], [0.8, 0.7, 0.2, 0.1]]

    so the rows score (1/1 + 2/4) / 2 = 0.75 and (1/2) / 1 = 0.5:

    >>> map_at_k(y_true, y_scores)
    0.625

    Cut at k=2, the first row scores (1/1) / min(2, 2) = 0.5:

    >>> map_at_k(y_true, y_scores, 2)
    0.5

    Dividing by the one hit that the first two ranks hold instead, it scores 1:

    >>> map_at_k(y_true, y_scores, 2, denominator="hits")
    0.75
    """
    measure = map_measure(k, denominator)
    return _score(measure, "map_at_k", y_true, y_scores, relevance_threshold=relevance_threshold, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)


@overload
def mrr_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    **options: Unpack[_Options],
) -> float: ...

@overload
def mrr_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    **options: Unpack[_Options],
) -> NDArray[np.float64]: ...

@_metric
def mrr_at_k(
    y_true: Any,
    y_scores: Any,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Mean reciprocal rank at k.

    A row scores 1 / rank of its first relevant item, or 0 if that rank is past k.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, default=None
        How many ranks count, at least 1 and possibly beyond the row; None for all.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Between 0 and 1, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1, shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights
        are negative or all zero.
    TypeError
        If `k` is no integer or another argument is of a wrong kind.

    See Also
    --------
    map_at_k : Counts all relevant items.
    hit_rate_at_k : Does not ask for the rank.

    Notes
    -----
    With five equal scores and one relevant item every rank from 1 to 5 is as likely, so the row scores
    (1 + 1/2 + 1/3 + 1/4 + 1/5) / 5 = 0.4567. Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] E. M. Voorhees (1999). The TREC-8 question answering track report. TREC 1999, 77-82.

    Examples
    --------
    The first relevant items have ranks 1 and 2:

    >>> from sklearn_rank import mrr_at_k
    >>> y_true = [[1, 0, 0, 1], [0, 1, 0, 0]]
    >>> y_scores = [[0.9, 0.6, 0.5, 0.1], [0.8, 0.7, 0.2, 0.1]]
    >>> mrr_at_k(y_true, y_scores)
    0.75

    Two queries in one table, their rows mixed; in "a" the relevant document comes second:

    >>> mrr_at_k([0, 1, 1, 0], [0.9, 0.8, 0.4, 0.3], groups=["a", "b", "a", "b"])
    0.75
    """
    measure = mrr_measure(k)
    return _score(measure, "mrr_at_k", y_true, y_scores, relevance_threshold=relevance_threshold, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)


@overload
def dcg_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    gain: Literal["linear", "exponential"] = ..., **options: Unpack[_GradedOptions],
) -> float: ...

@overload
def dcg_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    gain: Literal["linear", "exponential"] = ..., **options: Unpack[_GradedOptions],
) -> NDArray[np.float64]: ...

@_metric
def dcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: int | None = None,
    *,
    gain: str = "linear",
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Discounted cumulative gain at k.

    A row scores the sum of gain(grade) / log2(rank + 1) over its items with rank at most k.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Grades >= 0; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, default=None
        How many ranks count, at least 1 and possibly beyond the row; None for all.
    gain : {"linear", "exponential"}, default="linear"
        The grade itself, or 2^grade - 1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        At least 0, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1, shapes do not match or are empty, `y_true` holds negative grades, `y_scores` holds
        NaN, ids or labels are missing or unknown, or weights are negative or all zero.
    TypeError
        If `k` is no integer or another argument is of a wrong kind.

    See Also
    --------
    ndcg_at_k : The same between 0 and 1.

    Notes
    -----
    Not bounded by 1 and larger for rows with more relevant items; `ndcg_at_k` divides by the best
    value that the row can have. Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002). Cumulated gain-based evaluation of IR techniques. ACM
           Transactions on Information Systems 20(4), 422-446.
    .. [2] F. McSherry, M. Najork (2008). Computing information retrieval performance measures
           efficiently in the presence of tied scores. ECIR 2008, 414-421.

    Examples
    --------
    Grade 3 at rank 1 and grade 1 at rank 3, so 3 / log2(2) + 1 / log2(4) = 3.5:

    >>> from sklearn_rank import dcg_at_k
    >>> dcg_at_k([[3, 0, 1]], [[0.9, 0.5, 0.1]])
    3.5

    The gain 2^grade - 1 makes that 7 / 1 + 1 / 2:

    >>> dcg_at_k([[3, 0, 1]], [[0.9, 0.5, 0.1]], gain="exponential")
    7.5
    """
    measure = dcg_measure(k, gain)
    return _score(measure, "dcg_at_k", y_true, y_scores, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)


@overload
def ndcg_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    gain: Literal["linear", "exponential"] = ..., **options: Unpack[_GradedOptions],
) -> float: ...

@overload
def ndcg_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    gain: Literal["linear", "exponential"] = ..., **options: Unpack[_GradedOptions],
) -> NDArray[np.float64]: ...

@_metric
def ndcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: int | None = None,
    *,
    gain: str = "linear",
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Normalised discounted cumulative gain at k.

    A row scores its DCG at k divided by the DCG at k of all its relevant items in the order of their
    grades, items never retrieved included.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Grades >= 0; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, default=None
        How many ranks count, at least 1 and possibly beyond the row; None for all.
    gain : {"linear", "exponential"}, default="linear"
        The grade itself, or 2^grade - 1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Between 0 and 1, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1, shapes do not match or are empty, `y_true` holds negative grades, `y_scores` holds
        NaN, ids or labels are missing or unknown, or weights are negative or all zero.
    TypeError
        If `k` is no integer or another argument is of a wrong kind.

    See Also
    --------
    dcg_at_k : The value before division.
    sklearn.metrics.ndcg_score : Agrees with the linear gain; it takes dense matrices only.

    Notes
    -----
    The ideal order holds the items of the whole row, whether retrieved or not. Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen (2002). Cumulated gain-based evaluation of IR techniques. ACM
           Transactions on Information Systems 20(4), 422-446.
    .. [2] F. McSherry, M. Najork (2008). Computing information retrieval performance measures
           efficiently in the presence of tied scores. ECIR 2008, 414-421.

    Examples
    --------
    DCG 3 / 1 + 1 / 2 = 3.5 against 3 / 1 + 1 / log2(3) = 3.6309 of the best order:

    >>> from sklearn_rank import ndcg_at_k
    >>> round(ndcg_at_k([[3, 0, 1]], [[0.9, 0.5, 0.1]]), 6)
    0.96394
    """
    measure = ndcg_measure(k, gain)
    return _score(measure, "ndcg_at_k", y_true, y_scores, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)


@overload
def r_precision(
    y_true: Any, y_scores: Any, *, average: Literal["samples"] = ...,
    **options: Unpack[_Options],
) -> float: ...

@overload
def r_precision(
    y_true: Any, y_scores: Any, *, average: None,
    **options: Unpack[_Options],
) -> NDArray[np.float64]: ...

@_metric
def r_precision(
    y_true: Any,
    y_scores: Any,
    *,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """R-precision: precision at R, the row's own number of relevant items.

    A row with R relevant items scores the number of them with rank at most R, divided by R.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : "samples" or None, default="samples"
        The weighted mean over rows, or None for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight a row; with `groups` a group weighs the mean of its rows. Zero removes a row.
    labels : array-like of shape (n_classes,), default=None
        The class of each column beside 1-D labels; None: the sorted labels of `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance; rows of a group may stand anywhere.
    n_jobs : int, default=None
        Threads over blocks of rows, with scikit-learn's meaning. The value does not depend on it.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        Between 0 and 1, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights
        are negative or all zero.
    TypeError
        If an argument is of a wrong kind.

    See Also
    --------
    precision_at_k : Cuts all rows at one k.

    Notes
    -----
    At this depth precision and recall are equal, so it is the break-even point of the two. It takes
    no `k`. Rows without
    a relevant item score `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008). Introduction to Information Retrieval,
           section 8.4. Cambridge University Press.

    Examples
    --------
    Two relevant items, one of them among the first two ranks:

    >>> from sklearn_rank import r_precision
    >>> r_precision([[1, 0, 0, 1]], [[0.9, 0.6, 0.5, 0.1]])
    0.5
    """
    measure = r_precision_measure()
    return _score(measure, "r_precision", y_true, y_scores, relevance_threshold=relevance_threshold, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs)
