"""The public metrics of graded relevance, built like those in `_metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from sklearn_rank._measures import (
    dcg_measure,
    metric_function,
    ndcg_measure,
    score,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank._measures import GradedOptions


@overload
def dcg_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    gain: Literal["linear", "exponential"] = ..., **options: Unpack[GradedOptions],
) -> float: ...

@overload
def dcg_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    gain: Literal["linear", "exponential"] = ..., **options: Unpack[GradedOptions],
) -> NDArray[np.float64]: ...

@metric_function
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
    compute: bool = True,
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
    compute : bool, default=True
        With dask arrays, False returns the result as a lazy one.

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
    return score(measure, "dcg_at_k", y_true, y_scores, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs, compute=compute)


@overload
def ndcg_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: Literal["samples"] = ...,
    gain: Literal["linear", "exponential"] = ..., **options: Unpack[GradedOptions],
) -> float: ...

@overload
def ndcg_at_k(
    y_true: Any, y_scores: Any, k: int | None = ..., *, average: None,
    gain: Literal["linear", "exponential"] = ..., **options: Unpack[GradedOptions],
) -> NDArray[np.float64]: ...

@metric_function
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
    compute: bool = True,
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
    compute : bool, default=True
        With dask arrays, False returns the result as a lazy one.

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
    return score(measure, "ndcg_at_k", y_true, y_scores, ties=ties,
                  zero_division=zero_division, average=average, sample_weight=sample_weight, labels=labels,
                  groups=groups, n_jobs=n_jobs, compute=compute)
