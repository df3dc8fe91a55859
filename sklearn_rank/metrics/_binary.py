"""The public metrics of binary relevance: functions of y_true and y_scores that rank, score rows, average."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from sklearn_rank._options import Inputs, Options
from sklearn_rank.metrics._figures import figure, metric_function
from sklearn_rank.metrics._measures import (
    f1_measure,
    hit_rate_measure,
    map_measure,
    mrr_measure,
    precision_measure,
    r_precision_measure,
    recall_measure,
    roc_auc_measure,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank._options import Cutoff
    from sklearn_rank.metrics._figures import BinaryOptions


@overload
def precision_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples", "micro", "macro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def precision_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def precision_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
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
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : {"samples", "micro", "macro"} or None, default="samples"
        The weighted mean over rows, the same with rows weighing as their denominators, too, the mean
        over labels (columns), or None for the array of row values.
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
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds other values than 0
        and 1 without `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or
        weights are negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(precision_measure(k), inputs, options)


@overload
def recall_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples", "micro", "macro"] = ...,
    denominator: Literal["relevant", "attainable"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def recall_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    denominator: Literal["relevant", "attainable"] = ...,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def recall_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
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
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    denominator : {"relevant", "attainable"}, default="relevant"
        Divide by the R relevant items of the row, or by min(R, k), so that 1 can be reached.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : {"samples", "micro", "macro"} or None, default="samples"
        The weighted mean over rows, the same with rows weighing as their denominators, too, the mean
        over labels (columns), or None for the array of row values.
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
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds other values than 0
        and 1 without `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or
        weights are negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

    See Also
    --------
    precision_at_k : Divides by k.
    hit_rate_at_k : Asks for any relevant item.

    Notes
    -----
    With one relevant item per row this is `hit_rate_at_k`. Rows without
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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(recall_measure(k, denominator), inputs, options)


@overload
def f1_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples", "micro", "macro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def f1_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def f1_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
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
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant. Without it `y_true` must be 0/1.
    ties : {"average", "first", "best", "worst"}, default="average"
        What equal scores are worth: the exact mean over all their orders, lower column first
        (earlier row with `groups`), relevant items first, or relevant items last.
    zero_division : float, default=0.0
        The value of a row without any relevant item; nan leaves such rows out of the mean.
    average : {"samples", "micro", "macro"} or None, default="samples"
        The weighted mean over rows, the same with rows weighing as their denominators, too, the mean
        over labels (columns), or None for the array of row values.
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
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds other values than 0
        and 1 without `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or
        weights are negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

    See Also
    --------
    precision_at_k : One half of it.
    recall_at_k : The other half.

    Notes
    -----
    k=None puts the number of items retrieved in place of k. Rows without
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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(f1_measure(k), inputs, options)


@overload
def hit_rate_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def hit_rate_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def hit_rate_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
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
    one true class per row it is top-k accuracy.

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
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds other values than 0
        and 1 without `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or
        weights are negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(hit_rate_measure(k), inputs, options)


@overload
def map_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples", "micro"] = ...,
    denominator: Literal["attainable", "relevant", "k", "hits"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def map_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    denominator: Literal["attainable", "relevant", "k", "hits"] = ...,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def map_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
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
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
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
    average : {"samples", "micro"} or None, default="samples"
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
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds other values than 0
        and 1 without `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or
        weights are negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

    See Also
    --------
    mrr_at_k : Looks at the first relevant item only.
    ndcg_at_k : Takes graded relevance.
    mapk : Takes lists of ids.

    Notes
    -----
    With one relevant item per row this is `mrr_at_k`, except for denominator "k". k=None divides by the
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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(map_measure(k, denominator), inputs, options)


@overload
def mrr_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def mrr_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def mrr_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
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
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
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
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds other values than 0
        and 1 without `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or
        weights are negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(mrr_measure(k), inputs, options)


@overload
def r_precision(
    y_true: Any,
    y_scores: Any,
    *,
    average: Literal["samples", "micro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def r_precision(
    y_true: Any,
    y_scores: Any,
    *,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
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
    average : {"samples", "micro"} or None, default="samples"
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
        If shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights are
        negative or all zero.
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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(r_precision_measure(), inputs, options)


@overload
def roc_auc(
    y_true: Any,
    y_scores: Any,
    *,
    average: Literal["samples", "micro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def roc_auc(
    y_true: Any,
    y_scores: Any,
    *,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def roc_auc(
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
    """Area under the ROC curve of each row: the chance that a relevant item outranks an irrelevant one.

    A row scores the share of pairs of a relevant and an irrelevant item in which the relevant one has the greater
    score; a tie counts half. Irrelevant items count if they were retrieved; relevant ones that never were lose
    against all of them.

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
    average : {"samples", "micro"} or None, default="samples"
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
        If shapes do not match or are empty, `y_true` holds other values than 0 and 1 without
        `relevance_threshold`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights are
        negative or all zero.
    TypeError
        If an argument is of a wrong kind.

    See Also
    --------
    map_at_k : Weighs the top of the ranking more.
    sklearn.metrics.roc_auc_score : One ranking of all samples, or one per label.

    Notes
    -----
    It takes no `k`. Rows without a relevant item, or without an irrelevant one that was retrieved, score
    `zero_division`. With ``average="micro"`` rows weigh as their pairs: the share of all pairs. "GAUC" by users is
    ``zero_division=nan``, by impressions the same with their number as `sample_weight`. docs/conventions.md has the
    closed forms for ties.

    References
    ----------
    .. [1] J. A. Hanley, B. J. McNeil (1982). The meaning and use of the area under a receiver operating
           characteristic (ROC) curve. Radiology 143(1), 29-36.

    Examples
    --------
    Of the 2 · 2 pairs the first relevant item wins both, the second one:

    >>> from sklearn_rank import roc_auc
    >>> roc_auc([[1, 0, 1, 0]], [[0.9, 0.6, 0.5, 0.1]])
    0.75

    A tie counts half, so (1 + 1/2) / 2:

    >>> roc_auc([[1, 0, 0]], [[0.5, 0.5, 0.1]])
    0.75
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(roc_auc_measure(), inputs, options)
