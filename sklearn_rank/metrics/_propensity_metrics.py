"""The public metrics that weigh hits by the propensities of their items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from sklearn_rank._options import Inputs, Options
from sklearn_rank.metrics._figures import figure, metric_function
from sklearn_rank.metrics._measures import psndcg_measure, psprecision_measure, psrecall_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank._options import Cutoff
    from sklearn_rank.metrics._figures import BinaryOptions


@overload
def psprecision_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    propensity: ArrayLike,
    average: Literal["samples", "micro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def psprecision_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    propensity: ArrayLike,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def psprecision_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
    *,
    propensity: ArrayLike,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "micro",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Propensity-scored precision at k: hits of rarely recorded items count more.

    A row adds up 1 / p over its hits with rank at most k, p being the propensity of the item, divides by k, and then
    by the best value that its relevant items allow.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    propensity : array-like of shape (n_items,)
        The chance that the relevance of an item is known, above 0 and up to 1, one per column or, beside `labels`,
        per class; `label_propensities` makes them.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : {"samples", "micro"} or None, default="micro"
        The weighted mean over rows, the same with rows weighing as their denominators, too, or None
        for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight per row; with `groups` a group weighs the mean of its rows. Zero removes a row.
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
        If `k` is below 1 or no fraction, `propensity` does not fit the columns or holds no probabilities,
        shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights are
        negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

    See Also
    --------
    label_propensities : The propensities from training labels.
    precision_at_k : All items count alike.

    Notes
    -----
    ``average="micro"``, the default as in the literature, divides the sum of all rows by the sum of their best values;
    "samples" is the mean of the rows' own quotients. Propensities belong to columns: `groups`, lists, runs and tables
    are refused. Rows without a relevant item score `zero_division`, and weigh nothing in a micro average.
    docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma (2016). Extreme multi-label loss functions for recommendation,
           tagging, ranking and other missing label applications. KDD 2016, 935-944.

    Examples
    --------
    The hit of the frequent item counts 1, the missed one would have counted 4, and two items fit:

    >>> from sklearn_rank import psprecision_at_k
    >>> psprecision_at_k([[1, 1, 0]], [[3, 1, 2]], 2, propensity=[1, 0.25, 1])  # (1 / 2) / ((1 + 4) / 2)
    0.2
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(psprecision_measure(k, propensity), inputs, options)


@overload
def psrecall_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    propensity: ArrayLike,
    average: Literal["samples", "micro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def psrecall_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    propensity: ArrayLike,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def psrecall_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
    *,
    propensity: ArrayLike,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "micro",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Propensity-scored recall at k: the share of what the relevant items weigh that stands in the top k.

    A row adds up 1 / p over its hits with rank at most k, p being the propensity of the item, divides by its number R
    of relevant items, and then by the best value that k ranks allow.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    propensity : array-like of shape (n_items,)
        The chance that the relevance of an item is known, above 0 and up to 1, one per column or, beside `labels`,
        per class; `label_propensities` makes them.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : {"samples", "micro"} or None, default="micro"
        The weighted mean over rows, the same with rows weighing as their denominators, too, or None
        for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight per row; with `groups` a group weighs the mean of its rows. Zero removes a row.
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
        If `k` is below 1 or no fraction, `propensity` does not fit the columns or holds no probabilities,
        shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights are
        negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

    See Also
    --------
    psprecision_at_k : The same of one row; in the micro average rows weigh otherwise.
    recall_at_k : All items count alike.

    Notes
    -----
    ``average="micro"``, the default as in the literature, divides the sum of all rows by the sum of their best values;
    "samples" is the mean of the rows' own quotients. Propensities belong to columns: `groups`, lists, runs and tables
    are refused. Rows without a relevant item score `zero_division`, and weigh nothing in a micro average.
    docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma (2016). Extreme multi-label loss functions for recommendation,
           tagging, ranking and other missing label applications. KDD 2016, 935-944.

    Examples
    --------
    The hit of the frequent item counts 1, the missed one would have counted 4:

    >>> from sklearn_rank import psrecall_at_k
    >>> psrecall_at_k([[1, 1, 0]], [[3, 1, 2]], 2, propensity=[1, 0.25, 1])  # (1 / 2) / ((1 + 4) / 2)
    0.2
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(psrecall_measure(k, propensity), inputs, options)


@overload
def psndcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    propensity: ArrayLike,
    average: Literal["samples", "micro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def psndcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    propensity: ArrayLike,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def psndcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
    *,
    propensity: ArrayLike,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "micro",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Propensity-scored nDCG at k: discounted hits count more, the less often their item is known.

    A row adds up 1 / (p · log2(i + 1)) over its hits with rank i <= k, p being the propensity of the item, divides by
    the DCG of min(R, k) hits, and then by the best value that its relevant items allow.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    propensity : array-like of shape (n_items,)
        The chance that the relevance of an item is known, above 0 and up to 1, one per column or, beside `labels`,
        per class; `label_propensities` makes them.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : {"samples", "micro"} or None, default="micro"
        The weighted mean over rows, the same with rows weighing as their denominators, too, or None
        for the array of row values.
    sample_weight : array-like of shape (n_samples,), default=None
        One weight per row; with `groups` a group weighs the mean of its rows. Zero removes a row.
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
        If `k` is below 1 or no fraction, `propensity` does not fit the columns or holds no probabilities,
        shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights are
        negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

    See Also
    --------
    psprecision_at_k : Without a discount.
    ndcg_at_k : All items count alike.

    Notes
    -----
    ``average="micro"``, the default as in the literature, divides the sum of all rows by the sum of their best values;
    "samples" is the mean of the rows' own quotients. Propensities belong to columns: `groups`, lists, runs and tables
    are refused. Rows without a relevant item score `zero_division`, and weigh nothing in a micro average.
    docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma (2016). Extreme multi-label loss functions for recommendation,
           tagging, ranking and other missing label applications. KDD 2016, 935-944.

    Examples
    --------
    The relevant items weigh 1 and 4. In the best order it would be 4 + 1 / log2(3), here it is 1 + 0:

    >>> from sklearn_rank import psndcg_at_k
    >>> round(psndcg_at_k([[1, 1, 0]], [[3, 1, 2]], 2, propensity=[1, 0.25, 1]), 6)
    0.215939
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(psndcg_measure(k, propensity), inputs, options)
