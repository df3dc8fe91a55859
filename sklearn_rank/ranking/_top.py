"""The best items of each row themselves, and the chances of items to be among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._options import check_count
from sklearn_rank.inputs._containers import ids_in_array, is_missing
from sklearn_rank.inputs._ids import distinct_labels
from sklearn_rank.inputs._problem import scores_alone
from sklearn_rank.ranking._gains import keep
from sklearn_rank.ranking._places import WIDE_CUTOFF, WIDE_ROW, bound_by_chunks, chunks_that_reach, count_items
from sklearn_rank.ranking._rows import lowest, over_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank.inputs._problem import Problem
    from sklearn_rank.ranking._gains import Indices
    from sklearn_rank.ranking._rows import ScoredRows


MOST_PADDED = 1 << 28  # positions; far more than there are columns is a mistake, which would fill the memory


class Contenders(NamedTuple):
    """The retrieved items of some rows that may be among the k best, and with them all that equal the k-th.

    They stand at the right end of each line, from the last column to the first, so that a stable ascending sort, read
    backwards, has the lower column first among equals. What lies to the left of them is padding.
    """

    scores: NDArray[Any]  # (n_rows, width)
    columns: Indices  # (n_rows, width)
    lengths: Indices  # (n_rows,)

    @property
    def retrieved(self) -> NDArray[np.bool_]:
        """(n_rows, width) whether an item stands there that was retrieved."""
        if self.scores.dtype.kind == "f":
            return np.asarray(self.scores > -np.inf)
        width = self.scores.shape[1]
        return np.asarray(np.arange(width) >= width - self.lengths[:, None])


def contenders(block: ScoredRows, k: int) -> Contenders:
    """The items that may be among the k best of each row."""
    scores = block.scores
    n, m = scores.shape
    if m < WIDE_ROW or m < WIDE_CUTOFF * k:
        block.refuse_nan(scores)
        if m < WIDE_ROW or 2 * k > m:
            columns = np.broadcast_to(np.arange(m)[::-1], (n, m))
            return Contenders(scores[:, ::-1], columns, count_items(block))
        least = np.partition(scores, m - k, axis=1)[:, m - k]
        place = (scores >= least[:, None]).ravel().nonzero()[0]
        row = place // m
        column = place - row * m
        value = scores[row, column]
    else:
        if block.lengths is None:
            # One pass in the order of memory; the next ones find the scores in the cache.
            block = block._replace(scores=scores.copy())
        maxima, least = bound_by_chunks(block, k)
        row, chunk, values = chunks_that_reach(block.scores, maxima, np.arange(n), least)
        hit = (values >= least[row]).ravel().nonzero()[0]
        step = hit // len(row)
        place = hit - step * len(row)
        # Steps come first and chunks within them, so that in the order of rows the columns of each row rise.
        order = np.argsort(row[place].astype(np.min_scalar_type(n)), kind="stable")  # a radix sort
        column = (chunk[place] + step * maxima.shape[1])[order]
        row, value = row[place][order], values.ravel()[hit[order]]
    return _lined_up(block, row, column, value)


def _lined_up(block: ScoredRows, row: Indices, column: Indices, value: NDArray[Any]) -> Contenders:
    """Items in the order of rows and columns as lines; padding and what was never retrieved is left out."""
    n = len(block.scores)
    if value.min(initial=0) <= (least := lowest(value.dtype)):
        length = np.full(n, block.scores.shape[1]) if block.lengths is None else block.lengths
        real = column < length[row]
        if value.dtype.kind == "f":
            real &= value > least
        row, column, value = row[real], column[real], value[real]
    count = np.bincount(row, minlength=n)
    width = max(1, int(count.max()))
    place = row * width + (width - 1) - (np.arange(len(row)) - (np.cumsum(count) - count)[row])
    scores = np.full((n, width), lowest(value.dtype), value.dtype)
    columns = np.zeros((n, width), np.intp)
    scores.ravel()[place] = value
    columns.ravel()[place] = column
    return Contenders(scores, columns, count)


def best_columns(block: ScoredRows, k: int) -> Indices:
    """(n_rows, up to k) columns of the best items, in order; -1 where no more were retrieved."""
    found = contenders(block, min(k, block.scores.shape[1]))
    order = np.argsort(found.scores, axis=1, kind="stable")[:, : -k - 1 : -1]
    columns = np.take_along_axis(found.columns, order, axis=1)
    columns[np.arange(order.shape[1]) >= found.lengths[:, None]] = -1
    return columns


def top_k(y_scores: Any, k: int, *, labels: ArrayLike | None = None) -> NDArray[Any]:
    """The k best items of each row, in order.

    Row i holds the items of row i of `y_scores` from the greatest score down to the k-th; of equal scores the lower
    column comes first. Those are the items that the metrics at k see with ``ties="first"``: what a submission needs.

    Parameters
    ----------
    y_scores : array-like or sparse matrix of shape (n_samples, n_items)
        Scores; -inf and masked cells were never retrieved, and of a sparse matrix stored entries alone were.
    k : int
        How many items to name per row; more than there are columns is allowed.
    labels : array-like of shape (n_items,), default=None
        The item or class of each column; without it, the columns of a frame, too, are named by position.

    Returns
    -------
    ndarray of shape (n_samples, k)
        Positions of columns from 0, or with `labels` the labels of the columns. Where a row retrieved fewer than
        k items, it ends in -1, or with `labels` in None (which makes it an array of objects).

    Raises
    ------
    ValueError
        If `y_scores` is not a matrix with a row and a column at least, is not numeric or contains NaN; if `k` is
        below 1 or asks for more than fits into memory; if `labels` does not name each column once, or holds a
        missing value.
    TypeError
        If `k` is no integer, `y_scores` no array, or a label is not hashable.

    See Also
    --------
    precision_at_k : How many of these items are relevant.
    from_lists : Turns lists of ids into something that the metrics take.

    Notes
    -----
    Nothing is sorted but the few items of a row that can be among the k best; threads come with
    ``joblib.parallel_config``.

    Examples
    --------
    >>> from sklearn_rank import top_k
    >>> y_scores = [[0.2, 0.5, 0.3], [0.6, 0.1, 0.6]]
    >>> top_k(y_scores, 2)
    array([[1, 2],
           [0, 2]])
    >>> [" ".join(row) for row in top_k(y_scores, 2, labels=["cat", "dog", "owl"])]
    ['dog owl', 'cat owl']

    Two items of three were retrieved:

    >>> top_k([[0.2, float("-inf"), 0.3]], 3)
    array([[ 2,  0, -1]])
    """
    k = check_count("k", k)
    problem = scores_alone(y_scores)
    names = None if labels is None else _names(labels, problem.n_items)
    best = _all_rows(problem, k)
    if names is None:
        return best
    found = best >= 0
    if found.all():
        return names[best]
    out = np.full(best.shape, None, dtype=object)
    out[found] = names[best[found]] if names.dtype.kind not in "mM" else list(names[best[found]])
    return out


def _names(labels: Any, n_items: int | None) -> NDArray[Any]:
    """The label of each column, in the dtype that it came in."""
    names = ids_in_array(labels, "labels")
    if np.ma.is_masked(names) or any(map(is_missing, np.asarray(names).ravel().tolist())):
        message = "`labels` must not be masked or hold missing values: None marks places that nothing fills."
        raise ValueError(message)
    n_labels = len(distinct_labels(labels))
    if n_labels != n_items:
        message = f"`labels` has {n_labels} entries for {n_items} columns of `y_scores`."
        raise ValueError(message)
    return np.asarray(names)


def _all_rows(problem: Problem, k: int) -> Indices:
    """(n_rows, k) columns of the best items; those of ragged rows are looked up in what the rows store."""
    n, m = problem.n_rows, problem.n_items or 0
    absurd = k > 16 * m and n * k > MOST_PADDED
    try:
        best = np.full((n, 0 if absurd else k), -1, np.intp)
    except (ValueError, MemoryError):
        absurd = True
    if absurd:
        message = f"`k` must be an integer that {n} rows have memory for, got {k}; the rows have {m} columns."
        raise ValueError(message)

    def use(blocks: Iterator[ScoredRows]) -> None:
        for block in blocks:
            found = best_columns(block, k)
            if problem.indptr is not None:
                row, place = (found >= 0).nonzero()
                found[row, place] = problem.true_columns(block.rows, row, found[row, place])
            best[block.rows, : found.shape[1]] = found

    over_blocks(problem, use)
    return best


# ---- chances to be among the best


class Members(NamedTuple):
    """Items that are among the k best of their row in some order of equal scores; arrays of one length, row by row."""

    row: Indices
    column: Indices  # of the row of scores
    chance: NDArray[np.float64]  # the share of these orders
    relevant: NDArray[np.bool_]


def find_members(block: ScoredRows, relevant: NDArray[np.bool_], cutoff: int | Indices | None, ties: str) -> Members:
    """The members of each row's top k, one k or one per row; `relevant` tells which items of the block are."""
    n, m = block.scores.shape
    cutoff = min(cutoff, m) if isinstance(cutoff, int) else cutoff  # a k beyond the row may be beyond int64, too
    found = contenders(block, m if cutoff is None else min(m, max(1, int(np.max(cutoff)))))
    hits = np.zeros((n, m), bool)
    hits[keep(relevant & (block.items.column >= 0), block.items.row, block.items.column)] = True
    inside, chance = found.retrieved, np.ones(n)
    equal = np.zeros_like(inside)
    room = found.lengths if cutoff is None else np.minimum(cutoff, found.lengths)
    if (room < found.lengths).any():
        width = inside.shape[1]
        last = np.take_along_axis(np.sort(found.scores, axis=1), width - np.maximum(room, 1)[:, None], axis=1)
        equal = inside & (found.scores == last)
        inside &= found.scores > last
        free, n_equal = room - np.count_nonzero(inside, axis=1), np.count_nonzero(equal, axis=1)
        if ties == "average":
            np.divide(free, n_equal, out=chance, where=n_equal > 0)
        else:
            split = (n_equal > free).nonzero()[0]
            preferred = np.take_along_axis(hits[split], found.columns[split], axis=1)
            preferred = np.zeros_like(preferred) if ties == "first" else preferred == (ties == "best")
            equal[split] = _seated(equal[split], preferred, free[split])
        inside |= equal
    row, place = inside.nonzero()
    column = found.columns[row, place]
    return Members(row, column, np.where(equal[row, place], chance[row], 1.0), hits[row, column])


def _seated(equal: NDArray[np.bool_], preferred: NDArray[np.bool_], free: Indices) -> NDArray[np.bool_]:
    """As many equal ones per row as are free: those preferred first, then by lower column, from right to left."""
    first, second = equal & preferred, equal & ~preferred
    of_first, of_second = (np.cumsum(mask[:, ::-1], axis=1)[:, ::-1] for mask in (first, second))
    left = free - np.count_nonzero(first, axis=1)
    return np.asarray(first & (of_first <= free[:, None]) | second & (of_second <= left[:, None]))
