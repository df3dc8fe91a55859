"""The public metrics that tell unjudged items from irrelevant ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from sklearn_rank._options import Inputs, Options
from sklearn_rank.metrics._figures import figure, metric_function
from sklearn_rank.metrics._measures import bpref_measure, judged_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank._options import Cutoff
    from sklearn_rank.metrics._figures import BinaryOptions


@overload
def bpref(
    y_true: Any,
    y_scores: Any,
    *,
    average: Literal["samples", "micro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def bpref(
    y_true: Any,
    y_scores: Any,
    *,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def bpref(
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
    """Binary preference: how few judged irrelevant items stand above the relevant ones.

    A row scores 1/R times the sum over its retrieved relevant items of 1 - min(n, R) / min(N, R), where n judged
    irrelevant items stand above the item and N are judged irrelevant in the whole row; 1 where n is 0.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1, and NaN for items that nobody judged; what a sparse matrix does not store is unjudged,
        too, and so are negative grades. Or class labels beside scores of shape (n_samples, n_classes); or the
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
    judged_at_k : How much of the top was judged at all.
    map_at_k : Knows relevant and irrelevant items only: it refuses NaN.

    Notes
    -----
    It takes no `k`. Unjudged items take a rank and count for nothing. Rows without a relevant item score
    `zero_division`. The values are those of trec_eval. docs/conventions.md has the closed forms for ties.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees (2004). Retrieval evaluation with incomplete information.
           SIGIR 2004, 25-32.

    Examples
    --------
    One of two judged irrelevant items stands above the second relevant one, the unjudged item does not matter:
    (1 + (1 - 1/2)) / 2

    >>> from sklearn_rank import bpref
    >>> nan = float("nan")
    >>> bpref([[1, nan, 0, 1, 0]], [[5, 4, 3, 2, 1]])
    0.75
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(bpref_measure(), inputs, options)


@overload
def judged_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: Literal["samples", "micro"] = ...,
    **options: Unpack[BinaryOptions],
) -> float: ...


@overload
def judged_at_k(
    y_true: Any,
    y_scores: Any,
    k: Cutoff = ...,
    *,
    average: None,
    **options: Unpack[BinaryOptions],
) -> NDArray[np.float64]: ...


@metric_function
def judged_at_k(
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
    """Judged at k: the share of the first k items that somebody judged.

    A row scores the number of its items with rank at most k that are judged, relevant or not, divided by k.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, 0 or 1, and NaN for items that nobody judged; what a sparse matrix does not store is unjudged,
        too, and so are negative grades. Or class labels beside scores of shape (n_samples, n_classes); or the
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
        Between 0 and 1, the higher the better.

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
    bpref : Leaves unjudged items out.
    precision_at_k : Knows relevant and irrelevant items only: it refuses NaN.

    Notes
    -----
    It is defined for every row, with or without relevant items, so that `zero_division` changes nothing. With
    `ties` "best" judged items come first among equals, with "worst" last. docs/conventions.md has the closed forms
    for ties.

    References
    ----------
    .. [1] ir_measures, Judged (S. MacAvaney, C. Macdonald, I. Ounis, 2022. Streamlining evaluation with
           ir-measures. ECIR 2022).

    Examples
    --------
    The second item was not judged:

    >>> from sklearn_rank import judged_at_k
    >>> judged_at_k([[1, float("nan"), 0, 1]], [[4, 3, 2, 1]], 2)
    0.5
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return figure(judged_measure(k), inputs, options)
