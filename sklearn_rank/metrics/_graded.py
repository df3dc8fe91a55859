"""The public metrics of graded relevance, built like those in `_metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from sklearn_rank._options import Inputs, Options
from sklearn_rank.metrics._figures import figure, metric_function
from sklearn_rank.metrics._measures import (
    dcg_measure,
    err_measure,
    ndcg_measure,
    rbp_measure,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank._options import Cutoff
    from sklearn_rank.metrics._figures import BinaryOptions, Gain, GradedOptions


@overload
def dcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples"] = ...,
    gain: Gain = ...,
    **options: Unpack[GradedOptions],
) -> float: ...


@overload
def dcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    gain: Gain = ...,
    **options: Unpack[GradedOptions],
) -> NDArray[np.float64]: ...


@metric_function
def dcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
    *,
    gain: Gain = "linear",
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
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    gain : {"linear", "exponential"}, dict or list, default="linear"
        The grade itself, 2^grade - 1, or a table, {grade: gain} or the gains of the grades 0, 1, 2, ...;
        grade 0 gains 0, and every grade of `y_true` must be in it.
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
        At least 0, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds negative grades,
        `y_scores` holds NaN, ids or labels are missing or unknown, or weights are negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, n_jobs=n_jobs)
    return figure(dcg_measure(k, gain), inputs, options)


@overload
def ndcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples", "micro"] = ...,
    gain: Gain = ...,
    **options: Unpack[GradedOptions],
) -> float: ...


@overload
def ndcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    gain: Gain = ...,
    **options: Unpack[GradedOptions],
) -> NDArray[np.float64]: ...


@metric_function
def ndcg_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
    *,
    gain: Gain = "linear",
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
    gains, items never retrieved included.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Grades >= 0; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    gain : {"linear", "exponential"}, dict or list, default="linear"
        The grade itself, 2^grade - 1, or a table, {grade: gain} or the gains of the grades 0, 1, 2, ...;
        grade 0 gains 0, and every grade of `y_true` must be in it.
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
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds negative grades,
        `y_scores` holds NaN, ids or labels are missing or unknown, or weights are negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

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
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, n_jobs=n_jobs)
    return figure(ndcg_measure(k, gain), inputs, options)


@overload
def err_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples"] = ...,
    max_grade: float | None = ...,
    **options: Unpack[GradedOptions],
) -> float: ...


@overload
def err_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    max_grade: float | None = ...,
    **options: Unpack[GradedOptions],
) -> NDArray[np.float64]: ...


@metric_function
def err_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = None,
    *,
    max_grade: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Expected reciprocal rank at k: where a reader who goes down the list is expected to stop.

    The item at rank i satisfies with the chance R_i = (2^grade - 1) / 2^max_grade, whatever came before.
    A row scores the sum of 1 / i · R_i · (1 - R_1) ... (1 - R_(i-1)) over ranks i up to k.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Grades >= 0; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    k : int, float or "relevant", default=None
        How many ranks count, at least 1 and possibly beyond the row; a fraction of the items that the
        row retrieved, between 0 and 1, rounded up; "relevant" for the R of each row; None for all.
    max_grade : float, default=None
        The highest grade of the scale, up to 900; None for the highest in `y_true`, which makes values of
        different data hard to compare.
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
        If `k` is below 1 or no fraction, shapes do not match or are empty, `y_true` holds negative grades or
        some above `max_grade`, `y_scores` holds NaN, ids or labels are missing or unknown, or weights are
        negative or all zero.
    TypeError
        If `k` or another argument is of a wrong kind.

    See Also
    --------
    ndcg_at_k : Grades discounted by rank alone.
    mrr_at_k : The same for a reader whom any relevant item satisfies.

    Notes
    -----
    A scorer has to be given `max_grade`: the highest grade of a fold differs from fold to fold. The best
    ranking of a row scores less than 1, as no grade satisfies for certain. Rows without a relevant item score
    `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan (2009). Expected reciprocal rank for graded
           relevance. CIKM 2009, 621-630.

    Examples
    --------
    On a scale up to 2, grade 1 stops a reader with the chance 1/4 and grade 2 with 3/4:

    >>> from sklearn_rank import err_at_k
    >>> err_at_k([[1, 2]], [[0.9, 0.5]])  # 1/4 + 1/2 · 3/4 · 3/4
    0.53125

    Equal scores: the mean of that and of the other order, 3/4 + 1/2 · 1/4 · 1/4 = 0.78125:

    >>> err_at_k([[1, 2]], [[1, 1]])
    0.65625

    On a scale up to 4 the chances are 1/16 and 3/16, so 1/16 + 1/2 · 3/16 · 15/16:

    >>> err_at_k([[1, 2]], [[0.9, 0.5]], max_grade=4)
    0.150390625
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, n_jobs=n_jobs)
    return figure(err_measure(k, max_grade), inputs, options)


@overload
def rbp(
    y_true: Any,
    y_scores: Any,
    *,
    average: Literal["samples"] = ...,
    p: float = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def rbp(
    y_true: Any,
    y_scores: Any,
    *,
    average: None,
    p: float = ...,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def rbp(
    y_true: Any,
    y_scores: Any,
    *,
    p: float = 0.8,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float | NDArray[np.float64]:
    """Rank-biased precision: a reader goes on from each rank to the next with persistence p.

    A row scores (1 - p) times the sum of p^(i - 1) · grade over the ranks i of the whole ranking.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Grades >= 0; or class labels beside scores of shape (n_samples, n_classes); or the
        relevance of the rows of one ranking or, with `groups`, of several.
    y_scores : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        The greater, the better. -inf, masked, and not stored in a sparse matrix mean never retrieved.
    p : float, default=0.8
        The persistence, between 0 and 1, both excluded. On average 1 / (1 - p) ranks are read.
    relevance_threshold : float, default=None
        Grades of at least this value count 1, others 0; None: grades count as they are.
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
        Between 0 and the highest grade, the higher the better; nan only with ``zero_division=nan``.

    Raises
    ------
    ValueError
        If `p` is not between 0 and 1, shapes do not match or are empty, `y_true` holds negative grades,
        `y_scores` holds NaN, ids or labels are missing or unknown, or weights are negative or all zero.
    TypeError
        If an argument is of a wrong kind.

    See Also
    --------
    precision_at_k : The reader reads k ranks and stops.
    dcg_at_k : Grades discounted by the logarithm of the rank.

    Notes
    -----
    It takes no `k`: what lies deep counts little, and less the smaller p is. A row of relevant items alone
    falls short of 1 by p^m, the weight of the ranks past its m items. Rows without a relevant item score
    `zero_division`. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] A. Moffat, J. Zobel (2008). Rank-biased precision for measurement of retrieval effectiveness.
           ACM Transactions on Information Systems 27(1), article 2.

    Examples
    --------
    Hits at ranks 1 and 3, so 1/2 · (1 + 1/4):

    >>> from sklearn_rank import rbp
    >>> rbp([[1, 0, 1]], [[0.9, 0.5, 0.1]], p=0.5)
    0.625

    Grades count as they are, 1/2 · (2 + 1/4), or as 0 and 1 with a threshold:

    >>> rbp([[2, 0, 1]], [[0.9, 0.5, 0.1]], p=0.5)
    1.125
    >>> rbp([[2, 0, 1]], [[0.9, 0.5, 0.1]], p=0.5, relevance_threshold=2)
    0.5
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(rbp_measure(p=p), inputs, options)
