"""The level of chance: what a metric gives in the mean over all random rankings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import Inputs, Options, check_count
from sklearn_rank.inputs._containers import to_numpy
from sklearn_rank.inputs._ids import label_codes
from sklearn_rank.inputs._problem import Grades, Problem, check_problem, nan_error
from sklearn_rank.metrics._averaging import over_rows
from sklearn_rank.metrics._evaluate import Request
from sklearn_rank.metrics._figures import check_average_of
from sklearn_rank.metrics._registry import check_options, find_metric
from sklearn_rank.metrics._values import check_fit, deepest, fill, prepare
from sklearn_rank.ranking._gains import Items, RankedItems
from sklearn_rank.ranking._rows import BLOCK_CELLS, _dense_items

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]

# Keywords that are not the measure's own.
SHARED = ("relevance_threshold", "zero_division", "average", "n_jobs")
MOST_ITEMS = 2**53  # which floats still count one by one


def expected_random(
    y_true: Any,
    metric: Any,
    *,
    n_items: int | None = None,
    y_scores: Any = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **options: Any,
) -> Any:
    """The exact value that a metric has in the mean over all random rankings: the level of chance.

    That is the value of constant scores, whose ties are averaged; no score matrix is made, so memory follows the
    relevant items and not the number of items.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n_samples, n_items) or array-like of shape (n_samples,)
        Relevance, as in the functions; with `labels` or `n_items` beside a vector, class labels.
    metric : str or callable
        A text such as "map@10" or a function of this package.
    n_items : int, default=None
        How many items each row ranks, where `y_true` does not show it: the number of classes beside
        class labels, or items beyond the columns of a matrix, which are not relevant.
    y_scores : array-like or sparse matrix, default=None
        Scores of which only the mask is read: each row shuffles the items that it retrieved, those above -inf
        (of a sparse matrix: those stored). Relevant items that were not retrieved are never found.
    labels : array-like of shape (n_classes,), default=None
        All classes, beside class labels.
    groups : array-like of shape (n_samples,), default=None
        The id of each row's ranking beside 1-D relevance.
    **options
        Keywords of the metric, `k` among them; not `ties`.

    Returns
    -------
    float or ndarray of shape (n_rankings,)
        In the range of the metric; an array with ``average=None``.

    Raises
    ------
    ValueError
        If `n_items` is less than what `y_true` shows or stands beside `labels`, `groups` or `y_scores`, `k`
        contradicts the metric's text, or the metric would raise.
    TypeError
        If a keyword is none of the metric's.

    See Also
    --------
    RankingCurveDisplay : Draws this level beside the curves.

    Examples
    --------
    One relevant item of four stands at each rank with chance 1/4, so (1 + 1/2) / 4 within two ranks:

    >>> from sklearn_rank import expected_random
    >>> expected_random([[0, 1, 0, 0]], "mrr@2")
    0.375

    The same for class labels, of which there are four:

    >>> expected_random(["b", "a"], "mrr@2", labels=["a", "b", "c", "d"])
    0.375

    A model that masks the first two items has two candidates left, so that chance is (1 + 1/2) / 2:

    >>> expected_random([[0, 0, 0, 1]], "mrr", y_scores=[[float("-inf"), float("-inf"), 0.2, 0.1]])
    0.75
    """
    known, k, named = find_metric(metric)
    asked = options.pop("k", k)
    check_options(known, options)
    if "ties" in options:
        message = "`ties` does not go with a random ranking, which is the mean over all orders."
        raise TypeError(message)
    if named and asked != k:
        message = f"`metric`={metric!r} names its own k, got k={asked!r} beside it."
        raise ValueError(message)
    if asked is not None and not known.takes_k:
        message = f"{known.name} takes no k, got k={asked!r}."
        raise ValueError(message)
    shared = {name: options.pop(name) for name in SHARED if name in options}
    inputs = Inputs(y_true, y_scores, options.pop("sample_weight", None), labels, groups)
    request = Request("value", known, asked, options)
    return chance_report([request], inputs, Options(**shared), n_items=n_items)["value"]


# ---- what a random ranking shuffles


@dataclass(frozen=True)
class Candidates:
    """The grades of a problem, and of how many retrieved items each row is a random ranking."""

    problem: Problem
    n_retrieved: NDArray[np.intp]  # (n_rows,)


def check_candidates(inputs: Inputs, n_items: Any = None, *, zeros: bool = False) -> Candidates:
    """The candidates of each row: all its items, `n_items`, or those that the scores retrieve."""
    if n_items is not None:
        return _of_n_items(inputs, check_count("n_items", n_items), zeros=zeros)
    if inputs.y_scores is None:
        y_true = inputs.y_true if sparse.issparse(inputs.y_true) else to_numpy(inputs.y_true, "y_true")
        classes = inputs.labels is not None and y_true.ndim == 1
        shape = (len(y_true), max(1, to_numpy(inputs.labels, "labels").size)) if classes else y_true.shape
        inputs = replace(inputs, y_true=y_true, y_scores=np.broadcast_to(np.float32(0), shape))
    problem = check_problem(inputs, zeros=zeros)
    return Candidates(problem, _count_retrieved(problem))


def _of_n_items(inputs: Inputs, n_items: int, *, zeros: bool) -> Candidates:
    """Rows of `n_items` items, whatever `y_true` shows of them."""
    for name in ("labels", "groups", "y_scores"):
        if getattr(inputs, name) is not None:
            message = f"`n_items` says how many items a row ranks, which `{name}` tells by itself; pass one of the two."
            raise ValueError(message)
    if n_items > MOST_ITEMS:
        message = f"`n_items` must be at most 2**53, got {n_items:.3g}."
        raise ValueError(message)
    y_true, what = inputs.y_true, "columns"
    if not sparse.issparse(y_true):
        y_true = to_numpy(y_true, "y_true")
    shape = y_true.shape
    if len(shape) == 1:
        what = "classes"
        classes = list(dict.fromkeys(y_true.tolist()))
        y_true = label_codes(y_true, classes, len(classes))
        shape = (*shape, len(classes))
    scores = np.broadcast_to(np.float32(0), shape)
    labels = np.arange(shape[1]) if what == "classes" else None
    problem = check_problem(replace(inputs, y_true=y_true, y_scores=scores, labels=labels), zeros=zeros)
    if n_items < shape[1]:
        message = f"`n_items` must be at least the {shape[1]} {what} of `y_true`, got {n_items}."
        raise ValueError(message)
    # Items beyond the columns have no grade of their own, like cells that a sparse matrix does not store.
    complete = problem.complete and n_items == shape[1]
    return Candidates(replace(problem, complete=complete), np.full(shape[0], n_items))


def _count_retrieved(problem: Problem) -> NDArray[np.intp]:
    """(n_rows,) items above -inf."""
    scores = problem.scores
    if problem.indptr is not None:
        before = np.concatenate(([0], np.cumsum(scores > -np.inf)))
        return np.asarray(np.diff(before[problem.indptr]), np.intp)
    n, m = scores.shape
    counts = np.full(n, m)
    if scores.dtype.kind != "f" or scores.strides == (0, 0):
        return counts
    step = max(1, BLOCK_CELLS // m)
    for start in range(0, n, step):
        part = scores[start : start + step]
        if np.isnan(part.max()):
            row, column = np.argwhere(np.isnan(part))[0]
            where = f"at row {start + row}, column {column}"
            raise nan_error(where)
        counts[start : start + step] = np.count_nonzero(part > -np.inf, axis=1)
    return counts


# ---- figures


def chance_report(
    requests: Sequence[Request], inputs: Inputs, options: Options, *, n_items: Any = None
) -> dict[str, Any]:
    """Several figures of random rankings, by their keys; the scores of the inputs say what is shuffled, or None."""
    asked = [request.asked(options) for request in requests]
    for one in asked:
        check_average_of(one)
    zeros = any(one.view.reads_zeros for one in asked)
    candidates = check_candidates(inputs, n_items, zeros=zeros)
    problem = candidates.problem
    check_fit(asked, problem)
    asked, values = prepare(asked, problem)
    depth = deepest([one.measure.k for one in asked], int(candidates.n_retrieved.max()))
    for rows in _row_blocks(candidates, depth):
        fill(asked, values, _tied_items(candidates, rows, zeros=zeros))
    found = [over_rows(*of_figure, problem.weights, one.options) for of_figure, one in zip(values, asked, strict=True)]
    return dict(zip([request.key for request in requests], found, strict=True))


def _row_blocks(candidates: Candidates, depth: int | None) -> Iterator[NDArray[np.intp]]:
    """Rows of about the same number of ranks (or of dense grades), so many that their cells are bounded."""
    grades = candidates.problem.grades
    width = candidates.n_retrieved if depth is None else np.minimum(candidates.n_retrieved, min(depth, MOST_ITEMS))
    width = np.maximum(width, np.diff(grades.indptr) if isinstance(grades, Grades) else grades.shape[1])
    level = np.ceil(np.log2(np.maximum(width, 1))).astype(np.int8)
    for size in np.unique(level):
        rows = np.flatnonzero(level == size)
        step = max(1, BLOCK_CELLS >> int(size))
        for start in range(0, len(rows), step):
            yield rows[start : start + step]


def _tied_items(candidates: Candidates, rows: NDArray[np.intp], *, zeros: bool) -> RankedItems:
    """Where the items of the rows stand: each shares one score with all that were retrieved."""
    problem = candidates.problem
    grades, scores, indptr = problem.grades, problem.scores, problem.indptr
    if isinstance(grades, Grades):
        first, count = grades.indptr[rows], grades.indptr[rows + 1] - grades.indptr[rows]
        row = np.repeat(np.arange(len(rows)), count)
        place = np.arange(len(row)) + (first - (np.cumsum(count) - count))[row]
        items = Items(row, grades.columns[place], grades.values[place], grades.names[place])
    else:
        items = _dense_items(grades[rows], zeros=zeros)
    retrieved = items.column >= 0
    if scores.dtype.kind == "f":
        own, column = rows[items.row[retrieved]], items.column[retrieved]
        retrieved[retrieved] = (scores[own, column] if indptr is None else scores[indptr[own] + column]) > -np.inf
    item = np.flatnonzero(retrieved)
    row, n_retrieved = items.row[item], candidates.n_retrieved[rows]
    return RankedItems(rows, n_retrieved, items, row, np.zeros_like(row), n_retrieved[row], item)
