"""Where items stand among the scores of their rows. The only module that compares scores.

A metric asks of a ranking only where the relevant items stand, so the scores are not put into order as such: for
each of these items the scores of its row that are greater (`before`) and equal (`n_tied`) are counted. The result is
that of the recipe that everybody knows, an argsort of each row, read off at the relevant items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank.ranking._gains import RankedItems, keep
from sklearn_rank.ranking._rows import lowest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from sklearn_rank.ranking._gains import Indices
    from sklearn_rank.ranking._rows import ScoredRows

# Measured limits between the routes.
WIDE_ROW = 64  # columns; below, numpy adds up faster along the rows of a block than along its columns
WIDE_CUTOFF = 8  # times the cutoff; rows at least this wide are first narrowed to what can be within it
FEW_ITEMS = 4  # per row; more are cheaper to look up in a sorted row than to count one by one
FEW_CONTESTED = 3  # per row; more items that may be within the cutoff are cheaper to count in a narrow copy
LONG_CHUNK = 512  # columns; from here on one maximum over a reshaped row is faster than many over slices
NEAR_CELLS = 1 << 16  # scores that are looked at twice, from a nearer cache


class Asked(NamedTuple):
    """Items whose places are wanted, as arrays of one length, row by row."""

    row: Indices
    item: Indices  # place among the items of the block
    value: NDArray[Any]  # its score

    def where(self, mask: Any) -> Asked:
        """Those for which the mask is true."""
        return Asked(*keep(mask, *self))


Counted = tuple[Asked, "Indices", "Indices"]  # those that may be within the cutoff, with `before` and `n_tied`


def place_items(block: ScoredRows, depth: int | None, *, first: bool, count_retrieved: bool) -> RankedItems:
    """The places of the items that were retrieved within the depth; with `first` the lower column wins a tie."""
    scores = block.scores
    m = scores.shape[1]
    asked = _retrieved(block)
    asked, before, n_tied = choose_route(block, len(asked.row), depth)(block, asked, depth)
    if scores.dtype.kind != "f":  # padding shares the least value with items
        n_tied = np.minimum(n_tied, (m if block.lengths is None else block.lengths[asked.row]) - before)
    row, item = asked.row, asked.item
    if depth is not None:
        row, item, before, n_tied = keep(before < depth, row, item, before, n_tied)
    if first:
        several = (n_tied > 1).nonzero()[0]
        if several.size:
            before[several] = _stable_places(scores, row[several], block.items.column[item[several]])
            n_tied = np.ones_like(n_tied)
    key = row * (m + 1) + before
    if (key[1:] < key[:-1]).any():
        order = np.argsort(key, kind="stable")  # rows are in order already, which this uses
        row, item, before, n_tied = row[order], item[order], before[order], n_tied[order]
    n_retrieved = count_items(block) if count_retrieved else np.empty(0, np.intp)
    return RankedItems(block.rows, n_retrieved, block.items, row, before, n_tied, item)


def choose_route(block: ScoredRows, n_items: int, depth: int | None) -> Callable[..., Counted]:
    """The fastest way to the places, by the shape alone."""
    n, m = block.scores.shape
    wide, few = m >= WIDE_ROW, n_items <= FEW_ITEMS * n
    if wide and depth is not None and m >= WIDE_CUTOFF * depth and n_items > n:
        return by_chunks
    if wide and few:
        return by_rows
    return by_columns if few else by_sorting


def _retrieved(block: ScoredRows) -> Asked:
    scores, items = block.scores, block.items
    row, column, item = items.row, items.column, np.arange(len(items.row))
    if len(column) and column.min() < 0:
        row, column, item = keep(column >= 0, row, column, item)
    m = scores.shape[1]
    value = scores.ravel().take(row * m + column) if scores.flags.c_contiguous else scores[row, column]
    asked = Asked(row, item, value)
    if scores.dtype.kind == "f" and len(value) and value.min() == -np.inf:
        return asked.where(value > -np.inf)
    return asked


def count_items(block: ScoredRows) -> Indices:
    if block.scores.dtype.kind == "f":
        return np.asarray(np.count_nonzero(block.scores > -np.inf, axis=1))
    return np.full(len(block.scores), block.scores.shape[1]) if block.lengths is None else block.lengths


# ---- routes: (block, asked, depth) -> those that may be within the depth, before, n_tied


def by_rows(block: ScoredRows, asked: Asked, depth: int | None) -> Counted:
    """Compare each item with its whole row, a few at a time; equal ones are counted where they matter."""
    scores, row, value = block.scores, asked.row, asked.value
    n, m = scores.shape
    before, n_tied = np.empty(len(row), np.intp), np.ones(len(row), np.intp)
    one_per_row = len(row) == n and (row == np.arange(n)).all()
    if not one_per_row:
        block.refuse_nan(scores)
    step = max(1, NEAR_CELLS // m)
    for part in (slice(start, start + step) for start in range(0, len(row), step)):
        rivals = scores[part] if one_per_row else scores.take(row[part], axis=0)
        mine = value[part, None]
        before[part] = _count_true(rivals > mine, 1)
        if one_per_row:
            block.refuse_nan(rivals)
        inside = slice(None) if depth is None else (before[part] < depth).nonzero()[0]
        n_tied[part][inside] = _count_true(rivals[inside] == mine[inside], 1)
    return asked, before, n_tied


def by_columns(block: ScoredRows, asked: Asked, depth: int | None) -> Counted:  # noqa: ARG001
    """Compare each item with its row, laid out so that numpy adds up along the long axis."""
    block.refuse_nan(block.scores)
    rivals = np.ascontiguousarray(block.scores.T).take(asked.row, axis=1)
    return asked, _count_true(rivals > asked.value, 0), _count_true(rivals == asked.value, 0)


def by_sorting(block: ScoredRows, asked: Asked, depth: int | None) -> Counted:  # noqa: ARG001
    """Sort each row and look the items up."""
    block.refuse_nan(block.scores)
    in_order = block.scores.copy(order="C")
    in_order.sort(axis=1)
    m = in_order.shape[1]
    less = _binary_search(in_order.ravel(), m, asked, np.less)
    not_greater = _binary_search(in_order.ravel(), m, asked, np.less_equal)
    return asked, m - not_greater, not_greater - less


def by_chunks(block: ScoredRows, asked: Asked, depth: int | None) -> Counted:
    """Narrow rows much wider than the depth to the chunks of columns whose maximum reaches an item."""
    scores = block.scores
    n, m = scores.shape
    k = m if depth is None else depth
    maxima, least = bound_by_chunks(block, k)
    asked = asked.where(asked.value >= least[asked.row])
    if len(asked.row) <= FEW_CONTESTED * n:
        return asked, *_count_in_chunks(scores, maxima, asked)
    narrow = block._replace(scores=_contenders(scores, maxima, least, asked.row))
    return choose_route(narrow, len(asked.row), None)(narrow, asked, None)


# ---- parts of routes


def bound_by_chunks(block: ScoredRows, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Maxima of chunks of columns, and (n_rows,) bounds that the k-th greatest score of each row reaches."""
    m = block.scores.shape[1]
    maxima = _chunk_maxima(block.scores, max(4 * k, -(-m // 8)))
    coarse = _chunk_maxima(maxima, max(4 * k, -(-maxima.shape[1] // 4)))
    block.refuse_nan(coarse)
    # k of these maxima of disjoint chunks reach the k-th greatest of them, so it is at most the k-th greatest score.
    last = coarse.shape[1] - k
    return maxima, np.partition(coarse, last, axis=1)[:, last]


def _count_true(mask: NDArray[np.bool_], axis: int) -> Indices:
    """How many are true along an axis; short integers add up faster."""
    length = mask.shape[axis]
    bits = mask.view(np.uint8)
    if axis == 1 and length < 256:
        return np.asarray(np.einsum("ij->i", bits), dtype=np.intp)
    short = np.uint8 if length < 256 else np.uint16 if length < 1 << 16 else np.intp
    return np.asarray(bits.sum(axis=axis, dtype=short), dtype=np.intp)


def _binary_search(ordered: NDArray[Any], m: int, asked: Asked, compare: Callable[..., NDArray[np.bool_]]) -> Indices:
    """For each item how many entries of its sorted row, of length m, compare with it."""
    first = asked.row * m
    low, high = np.zeros_like(asked.row), np.full_like(asked.row, m)
    for _ in range(m.bit_length()):
        middle = (low + high) >> 1
        goes_on = compare(ordered[first + np.minimum(middle, m - 1)], asked.value) & (low < high)
        low = np.where(goes_on, middle + 1, low)
        high = np.where(goes_on, high, middle)
    return low


def _chunk_maxima(scores: NDArray[Any], width: int) -> NDArray[Any]:
    """(n_rows, width) maxima; chunk j holds the columns j, j + width, j + 2 width, ..., and NaN stays NaN."""
    n, m = scores.shape
    if width >= m:
        return scores
    whole = m // width * width
    if width >= LONG_CHUNK and whole > width and scores.flags.c_contiguous:
        maxima: NDArray[Any] = scores[:, :whole].reshape(n, -1, width).max(axis=1)
    else:  # faster for short chunks, and in any memory layout
        maxima = scores[:, :width].copy(order="K")
        for start in range(width, whole, width):
            np.maximum(maxima, scores[:, start : start + width], out=maxima)
    np.maximum(maxima[:, : m - whole], scores[:, whole:], out=maxima[:, : m - whole])
    return np.ascontiguousarray(maxima)


def chunks_that_reach(
    scores: NDArray[Any], maxima: NDArray[Any], row: Indices, value: NDArray[Any]
) -> tuple[Indices, Indices, NDArray[Any]]:
    """Chunks of row[i] with a score >= value[i]: (n_chunks,) the i and the chunk, (chunk size, n_chunks) the scores.

    What lies beyond the row is the least value of the dtype.
    """
    m, width = scores.shape[1], maxima.shape[1]
    place = (maxima.take(row, axis=0) >= value[:, None]).ravel().nonzero()[0]
    owner = place // width
    column = place - owner * width
    steps = np.arange(0, m, width)[:, None]
    if scores.flags.c_contiguous:
        values = scores.ravel().take(column + (row * m)[owner] + steps, mode="clip")
    else:
        values = scores[row[owner], np.minimum(column + steps, m - 1)]
    if m % width:
        values[-1, column >= m % width] = lowest(scores.dtype)
    return owner, column, values


def _count_in_chunks(scores: NDArray[Any], maxima: NDArray[Any], asked: Asked) -> tuple[Indices, Indices]:
    """For each item the scores of its row that are greater, and those that are equal."""
    n_items = len(asked.row)
    owner, _, rivals = chunks_that_reach(scores, maxima, asked.row, asked.value)
    own = asked.value[owner]
    start = np.searchsorted(owner, np.arange(n_items))  # an item's own chunk reaches it, so each has one
    before = np.add.reduceat(_count_true(rivals > own, 0), start) if n_items else np.empty(0, np.intp)
    equal = rivals == own
    if np.count_nonzero(equal) == n_items:  # each item with itself
        return before, np.ones_like(before)
    return before, np.add.reduceat(_count_true(equal, 0), start)


def _contenders(scores: NDArray[Any], maxima: NDArray[Any], least: NDArray[Any], row: Indices) -> NDArray[Any]:
    """A narrow matrix with the scores >= `least` of each row that is asked for; padded with the least value."""
    n = len(scores)
    wanted = np.bincount(row, minlength=n).nonzero()[0]
    owner, _, values = chunks_that_reach(scores, maxima, wanted, least[wanted])
    local = wanted[owner]
    values = np.ascontiguousarray(values.T)
    hit = (values >= least[local][:, None]).ravel().nonzero()[0]
    local = local[hit // values.shape[1]]
    count = np.bincount(local, minlength=n)
    narrow = np.full((n, count.max(initial=1)), lowest(scores.dtype), dtype=scores.dtype)
    narrow[local, np.arange(len(local)) - (np.cumsum(count) - count)[local]] = values.ravel()[hit]
    return narrow


def _stable_places(scores: NDArray[Any], row: Indices, column: Indices) -> Indices:
    """Places from 0 with the lower column first among equals."""
    rows, local = np.unique(row, return_inverse=True)
    # Nothing is negated: ascending from right to left, read backwards, is descending from left to right.
    order = (scores.shape[1] - 1 - np.argsort(scores[rows, ::-1], axis=1, kind="stable"))[:, ::-1]
    place: Indices = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(scores.shape[1])[None, :], axis=1)
    return np.asarray(place[local, column])
