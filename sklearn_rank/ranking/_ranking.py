"""Where every ranking is made: order, ties and cut-off. The only module that sorts scores.

A metric asks of a ranking only where the relevant items stand, so the scores are not put into
order as such: for each relevant item it is found how many items of its row have a greater score
(`before`) and how many the same one (`tied`). Rows are worked on in blocks that stay in the
processor's cache and bound the memory.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend

from sklearn_rank.inputs._problem import Grades, Problem, nan_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

BLOCK_CELLS = 3 << 18  # scores that are worked on together, so that they stay in the cache
FEW_CELLS = 1 << 16  # scores that are looked at twice, from a nearer cache
MANY_ITEMS = 1 << 16  # relevant items whose places are held together, which bounds the memory
GREATEST_EXPONENT, GREATEST_GRADE = 900.0, 1e290  # gains up to these can be added up
NO_LIMIT = np.iinfo(np.int64).max
WIDE = 512


class TieGroups(NamedTuple):
    """Groups of equal scores that hold a relevant item; arrays of one length, in rank order."""

    start: NDArray[np.intp]  # first item of the group among the hits
    row: NDArray[np.intp]
    before: NDArray[np.intp]  # items of the row with greater scores
    size: NDArray[np.intp]
    hits: NDArray[np.intp]  # relevant items in the group
    hits_before: NDArray[np.intp]  # relevant items of the row in earlier groups
    cutoff: int

    @property
    def inside(self) -> NDArray[np.intp]:
        """Ranks of the group that lie within k."""
        return np.minimum(self.size, self.cutoff - self.before)

    @property
    def tied(self) -> NDArray[np.intp]:
        """Which groups have more than one item."""
        return (self.size > 1).nonzero()[0]


@dataclass(frozen=True)
class RankedGains:
    """The relevant items of some rows with their places in the ranking.

    `row`, `before`, `tied` and `gain` describe the items retrieved within k (a group of equal
    scores that straddles k with all its items), ordered by row and rank.
    """

    n_rows: int
    k: int | None
    row: NDArray[np.intp]
    before: NDArray[np.intp]
    tied: NDArray[np.intp]
    gain: NDArray[Any]
    all_row: NDArray[np.intp]  # every relevant item, never retrieved ones too
    all_gain: NDArray[Any]
    n_retrieved: NDArray[np.intp]  # (n_rows,) items of the row that were retrieved; kept for k=None only
    deeper: RankedGains | None = None  # what this one was cut from

    @cached_property
    def n_relevant(self) -> NDArray[np.intp]:
        """(n_rows,) relevant items of the whole row."""
        if self.deeper is not None:
            return self.deeper.n_relevant
        return np.bincount(self.all_row, minlength=self.n_rows)

    @property
    def cutoff(self) -> int:
        """K as a number that arrays can be compared with."""
        return NO_LIMIT if self.k is None else min(self.k, NO_LIMIT)

    @property
    def depth(self) -> int | NDArray[np.intp]:
        """How many ranks count: k, or all that the row has."""
        return self.n_retrieved if self.k is None else self.cutoff

    @cached_property
    def groups(self) -> TieGroups:
        """The relevant items by groups of equal scores."""
        n = len(self.row)
        start = np.arange(n)
        row, before, size, hits = self.row, self.before, self.tied, np.ones_like(start)
        if n and size.max() > 1:
            new = np.ones(n, dtype=bool)
            new[1:] = (row[1:] != row[:-1]) | (before[1:] != before[:-1])
            start = new.nonzero()[0]
            row, before, size, hits = row[start], before[start], size[start], np.diff(start, append=n)
        per_row = np.bincount(self.row, minlength=self.n_rows)
        row_start = (np.cumsum(per_row) - per_row)[row]
        return TieGroups(start, row, before, size, hits, start - row_start, self.cutoff)

    @cached_property
    def ideal(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
        """All relevant items in the best order: row, place from 0, gain."""
        if self.deeper is not None:
            return self.deeper.ideal
        order = np.lexsort((-self.all_gain, self.all_row))
        row = self.all_row[order]
        first = np.cumsum(self.n_relevant) - self.n_relevant
        return row, np.arange(len(row)) - first[row], self.all_gain[order]

    def at(self, k: int | None) -> RankedGains:
        """The same ranking cut at a smaller k."""
        if k == self.k:
            return self
        row, before, tied, gain = _keep(
            self.before < (NO_LIMIT if k is None else k), self.row, self.before, self.tied, self.gain
        )
        return replace(self, k=k, row=row, before=before, tied=tied, gain=gain, deeper=self)


class Measure(NamedTuple):
    """A kernel and what it wants to see."""

    kernel: Callable[[RankedGains], NDArray[np.float64]]
    k: int | None
    graded: bool = False  # reads the grades
    thresholded: bool = False  # but not where there is a threshold
    greatest: float = GREATEST_GRADE  # that it can read
    of_highest: Callable[[float], Measure] | None = None  # what to use once the highest grade is known


class _Block(NamedTuple):
    """Some rows of a problem: a matrix of scores and the graded items that stand in it."""

    rows: slice | NDArray[np.intp]  # of the problem
    scores: NDArray[Any]  # (n_rows, width)
    lengths: NDArray[np.intp] | None  # (n_rows,) of ragged rows; what lies beyond is padding
    row: NDArray[np.intp]  # of the block, ascending
    column: NDArray[np.intp]  # -1: never retrieved
    grade: NDArray[Any]


class _Places(NamedTuple):
    """Where the graded items of some rows stand."""

    rows: slice | NDArray[np.intp]  # of the problem
    n_retrieved: NDArray[np.intp]  # (n_rows,) for k=None
    item_row: NDArray[np.intp]  # all graded items
    item_grade: NDArray[Any]
    row: NDArray[np.intp]  # those retrieved within k, ordered by row and rank
    before: NDArray[np.intp]
    tied: NDArray[np.intp]
    grade: NDArray[Any]

    @property
    def n_rows(self) -> int:
        return self.rows.stop - self.rows.start if isinstance(self.rows, slice) else len(self.rows)


class _View(NamedTuple):
    """How a kind of metrics reads grades."""

    graded: bool
    threshold: float | None
    greatest: float


def measure_rows(
    problem: Problem,
    measures: Sequence[Measure],
    *,
    ties: str,
    relevance_threshold: float | None,
    n_jobs: int | None,
) -> list[NDArray[np.float64]]:
    """Rank each row once, at the deepest k; one array of row values a measure, nan where R = 0."""
    values = [np.empty(problem.n_rows) for _ in measures]
    depths = [measure.k for measure in measures]
    k = None if None in depths else max(depth for depth in depths if depth is not None)
    greatest = min(measure.greatest for measure in measures)
    reads = [m.graded and not (m.thresholded and relevance_threshold is not None) for m in measures]
    views = [_View(graded, relevance_threshold, greatest) for graded in dict.fromkeys(reads)]
    n_threads = _count_threads(n_jobs)
    most = MANY_ITEMS // n_threads

    def apply(places: _Places) -> None:
        ranked = {view.graded: _ranked(places, k, ties, view) for view in views}
        for out, measure, graded in zip(values, measures, reads, strict=True):
            gains = ranked[graded]
            out[places.rows] = np.where(gains.n_relevant > 0, measure.kernel(gains.at(measure.k)), np.nan)

    def work(blocks: Sequence[slice | NDArray[np.intp]]) -> None:
        pending: list[_Places] = []
        whole = (_block(problem, rows, relevance_threshold) for rows in blocks)
        for block in chain.from_iterable(_parts(block, most) for block in whole):
            pending.append(_locate(block, k, ties))
            if sum(len(places.item_row) for places in pending) > most:
                apply(_joined(pending))
                pending = []
        if pending:
            apply(_joined(pending))

    units = _units(problem, k, n_threads)
    if n_threads == 1 or len(units) == 1:
        for unit in units:
            work(unit)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(work, units))
    return values


def _count_threads(n_jobs: int | None) -> int:
    """scikit-learn's meaning of `n_jobs`; one thread where joblib runs this in parallel already."""
    backend, of_context = get_active_backend()
    n_jobs = of_context if n_jobs is None else n_jobs
    return 1 if backend.nesting_level or n_jobs is None else int(effective_n_jobs(n_jobs))


def _joined(parts: list[_Places]) -> _Places:
    """Neighbouring rows in one."""
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0] + [part.n_rows for part in parts])
    rows: list[Any] = [part.rows for part in parts]
    first, last = rows[0], rows[-1]
    whole = slice(first.start, last.stop) if isinstance(first, slice) and isinstance(last, slice) else np.hstack(rows)
    shifted = [
        part._replace(item_row=part.item_row + offset, row=part.row + offset)
        for part, offset in zip(parts, offsets, strict=False)
    ]
    return _Places(whole, *(np.concatenate(arrays) for arrays in list(zip(*shifted, strict=True))[1:]))


# ---- blocks of rows


def _row_blocks(problem: Problem) -> Iterator[slice | NDArray[np.intp]]:
    """Rows to work on together. Of ragged rows those of about the same length, so padding at most doubles them."""
    if problem.indptr is None:
        n, m = problem.scores.shape
        step = _rows_in_block(m)
        for start in range(0, n, step):
            yield slice(start, min(start + step, n))
        return
    bucket: NDArray[np.int8] = np.ceil(np.log2(np.maximum(np.diff(problem.indptr), 1))).astype(np.int8)
    order = np.argsort(bucket, kind="stable")
    bounds = np.searchsorted(bucket[order], np.arange(bucket.max() + 2))
    for level in np.flatnonzero(np.diff(bounds)):
        step = _rows_in_block(1 << int(level))
        for start in range(bounds[level], bounds[level + 1], step):
            yield order[start : min(start + step, bounds[level + 1])]


def _block(problem: Any, rows: slice | NDArray[np.intp], threshold: float | None) -> _Block:
    if not isinstance(rows, slice):
        return _ragged_block(problem, rows)
    stored = isinstance(problem.grades, Grades)
    found = _stored(problem.grades, rows) if stored else _nonzero(problem.grades[rows], threshold)
    return _Block(rows, _comparable(problem.scores[rows]), None, *found)


def _units(problem: Problem, k: int | None, n_threads: int) -> list[list[slice | NDArray[np.intp]]]:
    """Blocks by the handful: kernels work on the items within k, much less than a block where k is small."""
    blocks = list(_row_blocks(problem))
    width = 1 if k is None or problem.indptr is not None else max(1, min(8, problem.scores.shape[1] // (8 * k)))
    if n_threads > 1:
        width = max(1, min(width, len(blocks) // (4 * n_threads)))
    return [blocks[start : start + width] for start in range(0, len(blocks), width)]


def _parts(block: _Block, most: int) -> Iterator[_Block]:
    """The block, or its halves as long as they have too many relevant items."""
    n = len(block.scores)
    if n == 1 or len(block.row) <= most:
        yield block
        return
    half = n // 2
    cut = np.searchsorted(block.row, half)
    for part, items, first in ((slice(0, half), slice(0, cut), 0), (slice(half, n), slice(cut, None), half)):
        rows = block.rows
        rows = slice(rows.start + part.start, rows.start + part.stop) if isinstance(rows, slice) else rows[part]
        lengths = None if block.lengths is None else block.lengths[part]
        yield from _parts(
            _Block(rows, block.scores[part], lengths, block.row[items] - first, block.column[items], block.grade[items]),
            most,
        )


def _rows_in_block(width: int) -> int:
    return max(1, BLOCK_CELLS // max(1, width))


def _comparable(scores: NDArray[Any]) -> NDArray[Any]:
    """The block in a dtype that compares and sorts fast; no value changes, and no copy where that is given."""
    if scores.dtype == np.float16:
        return scores.astype(np.float32)
    if scores.dtype == bool:
        return scores.view(np.uint8)
    return scores.astype(scores.dtype.newbyteorder("="), copy=False)


def _nonzero(grades: NDArray[Any], threshold: float | None) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    flat = np.ascontiguousarray(grades).ravel()
    zeros_count = threshold is not None and threshold <= 0
    place = np.flatnonzero(~(flat < threshold) if zeros_count else flat)  # with nan, which is refused later
    row = place // grades.shape[1]
    return row, place - row * grades.shape[1], flat[place]


def _stored(grades: Grades, rows: slice) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    start, stop = grades.indptr[rows.start], grades.indptr[rows.stop]
    counts = np.diff(grades.indptr[rows.start : rows.stop + 1])
    row = np.repeat(np.arange(len(counts)), counts)
    return row, grades.columns[start:stop], grades.values[start:stop]


def _ragged_block(problem: Any, rows: NDArray[np.intp]) -> _Block:
    scores, indptr, grades = problem.scores, problem.indptr, problem.grades
    first, count = grades.indptr[rows], grades.indptr[rows + 1] - grades.indptr[rows]
    row = np.repeat(np.arange(len(rows)), count)
    item = np.arange(len(row)) + (first - (np.cumsum(count) - count))[row]
    lengths = np.asarray(indptr[rows + 1] - indptr[rows], np.intp)
    at = indptr[rows][:, None] + np.arange(lengths.max())
    padding = np.arange(lengths.max()) >= lengths[:, None]
    at[padding] = 0
    matrix = _comparable(scores[at]) if len(scores) else np.zeros(at.shape)
    matrix[padding] = _lowest(matrix.dtype)
    return _Block(rows, matrix, lengths, row, grades.columns[item], grades.values[item])


def _lowest(dtype: np.dtype[Any]) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


# ---- places of items


def _locate(block: _Block, k: int | None, ties: str) -> _Places:
    """The places of all graded items that were retrieved within k.

    Which way is taken depends on the shape alone. Few items are counted against their rows. For
    many, rows much wider than k are first narrowed to the scores that can be among the k best;
    other rows are sorted and searched.
    """
    scores = block.scores
    n, m = scores.shape
    row, column, grade = block.row, block.column, block.grade
    if len(column) and column.min() < 0:
        there = (column >= 0).nonzero()[0]
        row, column, grade = row[there], column[there], grade[there]
    value = scores.ravel().take(row * m + column) if scores.flags.c_contiguous else scores[row, column]
    n_retrieved = np.empty(0, np.intp)
    if k is None:
        n_retrieved = np.full(n, m) if block.lengths is None else block.lengths
        if scores.dtype.kind == "f":
            n_retrieved = np.count_nonzero(scores > -np.inf, axis=1)
    if scores.dtype.kind == "f" and len(value) and value.min() == -np.inf:
        row, column, grade, value = _keep(value > -np.inf, row, column, grade, value)
    if k is not None and m >= 8 * k and m >= 64 and len(row) > n:
        maxima, coarse, least = _bound(scores, k)
        _refuse_nan(block, coarse)
        row, column, grade, value = _keep(value >= least[row], row, column, grade, value)
        if len(row) <= 3 * n:
            before, tied = _count_in_chunks(scores, maxima, row, value)
        else:
            before, tied = _count(_contenders(scores, maxima, least, row), row, value)
    elif m >= 64 and len(row) <= 4 * n:
        before, tied = _count_in_rows(block, row, value, k)
    else:
        _refuse_nan(block, scores)
        before, tied = _count(scores, row, value)
    if scores.dtype.kind != "f":  # cannot be padded below their least value
        tied = np.minimum(tied, (m if block.lengths is None else block.lengths[row]) - before)
    if k is not None:
        row, column, grade, before, tied = _keep(before < k, row, column, grade, before, tied)
    if ties == "first":
        several = (tied > 1).nonzero()[0]
        if several.size:
            before[several] = _stable_places(scores, row[several], column[several])
            tied = np.ones_like(tied)
    key = row * (m + 1) + before
    if (key[1:] < key[:-1]).any():
        order = np.argsort(key, kind="stable")  # rows are in order already, which this uses
        row, before, tied, grade = row[order], before[order], tied[order], grade[order]
    return _Places(block.rows, n_retrieved, block.row, block.grade, row, before, tied, grade)


def _keep(mask: Any, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    place = mask.nonzero()[0]
    return tuple(array[place] for array in arrays) if len(place) < len(mask) else arrays


def _refuse_nan(block: _Block, shown: NDArray[Any]) -> None:
    """`shown` are the scores or maxima that would show a NaN."""
    if shown.dtype.kind != "f" or not shown.size or not np.isnan(shown.max()):
        return
    row, column = np.argwhere(np.isnan(block.scores))[0]
    first = block.rows.start if isinstance(block.rows, slice) else 0  # ragged scores were checked as one line
    where = f"at row {first + row}, column {column}"
    raise nan_error(where)


def _bound(scores: NDArray[Any], k: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Maxima of chunks of each row, maxima of those, and a bound that is at most the row's k-th greatest score.

    The k-th greatest of any k or more maxima of disjoint chunks is such a bound, as k chunks reach it.
    """
    maxima = _fold(scores, max(4 * k, -(-scores.shape[1] // 8)))
    coarse = _fold(maxima, max(4 * k, -(-maxima.shape[1] // 4)))
    last = coarse.shape[1] - k
    return maxima, coarse, np.partition(coarse, last, axis=1)[:, last]


def _fold(scores: NDArray[Any], width: int) -> NDArray[Any]:
    """Chunk j holds the columns j, j + width, j + 2 width, ... (n_rows, width) maxima; NaN stays NaN."""
    n, m = scores.shape
    if width >= m:
        return scores
    whole = m // width * width
    if width >= WIDE and whole > width and scores.flags.c_contiguous:
        maxima: NDArray[Any] = scores[:, :whole].reshape(n, -1, width).max(axis=1)
    else:  # faster for short chunks, and in any memory layout
        maxima = scores[:, :width].copy(order="K")
        for start in range(width, whole, width):
            np.maximum(maxima, scores[:, start : start + width], out=maxima)
    np.maximum(maxima[:, : m - whole], scores[:, whole:], out=maxima[:, : m - whole])
    return np.ascontiguousarray(maxima)


def _reaching(
    scores: NDArray[Any], maxima: NDArray[Any], row: NDArray[np.intp], value: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Chunks of row[i] with a score >= value[i]: (n_chunks,) the i of each and (chunk size, n_chunks) its scores.

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
        values[-1, column >= m % width] = _lowest(scores.dtype)
    return owner, values


def _count_in_chunks(
    scores: NDArray[Any], maxima: NDArray[Any], row: NDArray[np.intp], value: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each item the scores of its row that are greater, and those that are equal."""
    owner, rivals = _reaching(scores, maxima, row, value)
    own = value[owner]
    start = np.searchsorted(owner, np.arange(len(row)))  # an item's own chunk reaches it, so each has one
    before = np.add.reduceat(_true_in(rivals > own, 0), start) if len(row) else np.empty(0, np.intp)
    equal = rivals == own
    if np.count_nonzero(equal) == len(row):  # each item with itself
        return before, np.ones_like(before)
    return before, np.add.reduceat(_true_in(equal, 0), start)


def _contenders(
    scores: NDArray[Any], maxima: NDArray[Any], least: NDArray[Any], row: NDArray[np.intp]
) -> NDArray[Any]:
    """A narrow matrix with the scores >= `least` of each row that is asked for; padded with the least value."""
    n = len(scores)
    asked = np.bincount(row, minlength=n).nonzero()[0]
    owner, values = _reaching(scores, maxima, asked, least[asked])
    local = asked[owner]
    values = np.ascontiguousarray(values.T)
    hit = (values >= least[local][:, None]).ravel().nonzero()[0]
    local = local[hit // values.shape[1]]
    count = np.bincount(local, minlength=n)
    narrow = np.full((n, count.max(initial=1)), _lowest(scores.dtype), dtype=scores.dtype)
    narrow[local, np.arange(len(local)) - (np.cumsum(count) - count)[local]] = values.ravel()[hit]
    return narrow


def _count_in_rows(
    block: _Block, row: NDArray[np.intp], value: NDArray[Any], k: int | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each item the scores of its row that are greater, and those that are equal where it is within k."""
    n, m = block.scores.shape
    before, tied = np.empty(len(row), np.intp), np.ones(len(row), np.intp)
    each_row_once = len(row) == n and (row == np.arange(n)).all()
    if not each_row_once:
        _refuse_nan(block, block.scores)
    step = max(1, FEW_CELLS // m)
    for part in (slice(start, start + step) for start in range(0, len(row), step)):
        rivals = block.scores[part] if each_row_once else block.scores.take(row[part], axis=0)
        mine = value[part, None]
        before[part] = _true_in(rivals > mine, 1)
        if each_row_once:
            _refuse_nan(block, rivals)
        inside = slice(None) if k is None else (before[part] < k).nonzero()[0]
        tied[part][inside] = _true_in(rivals[inside] == mine[inside], 1)
    return before, tied


def _count(
    scores: NDArray[Any], row: NDArray[np.intp], value: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each item the scores of its row that are greater, and those that are equal."""
    n, m = scores.shape
    if m < 64 and len(row) <= 4 * n:  # along the long axis numpy adds up faster
        rivals = np.ascontiguousarray(scores.T).take(row, axis=1)
        return _true_in(rivals > value, 0), _true_in(rivals == value, 0)
    in_order = scores.copy(order="C")
    in_order.sort(axis=1)
    ordered = in_order.ravel()
    less = _search(ordered, m, row, value, np.less)
    not_greater = _search(ordered, m, row, value, np.less_equal)
    return m - not_greater, not_greater - less


def _true_in(mask: NDArray[np.bool_], axis: int) -> NDArray[np.intp]:
    """How many are true along an axis; short integers add up faster."""
    length = mask.shape[axis]
    bits = mask.view(np.uint8)
    if axis == 1 and length < 256:
        return np.asarray(np.einsum("ij->i", bits), dtype=np.intp)
    short = np.uint8 if length < 256 else np.uint16 if length < 1 << 16 else np.intp
    return np.asarray(bits.sum(axis=axis, dtype=short), dtype=np.intp)


def _search(
    ordered: NDArray[Any], m: int, row: NDArray[np.intp], value: NDArray[Any], compare: Callable[..., NDArray[np.bool_]]
) -> NDArray[np.intp]:
    """Binary search of each value in its sorted row of length m: how many entries compare."""
    first = row * m
    low, high = np.zeros_like(row), np.full_like(row, m)
    for _ in range(m.bit_length()):
        middle = (low + high) >> 1
        goes_on = compare(ordered[first + np.minimum(middle, m - 1)], value) & (low < high)
        low = np.where(goes_on, middle + 1, low)
        high = np.where(goes_on, high, middle)
    return low


def _stable_places(scores: NDArray[Any], row: NDArray[np.intp], column: NDArray[np.intp]) -> NDArray[np.intp]:
    """Places from 0 with the lower column first among equals."""
    rows, local = np.unique(row, return_inverse=True)
    # Nothing is negated: ascending from right to left, read backwards, is descending from left to right.
    order = (scores.shape[1] - 1 - np.argsort(scores[rows, ::-1], axis=1, kind="stable"))[:, ::-1]
    place: NDArray[np.intp] = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(scores.shape[1])[None, :], axis=1)
    return np.asarray(place[local, column])


# ---- relevance


def _ranked(places: _Places, k: int | None, ties: str, view: _View) -> RankedGains:
    """The rows as graded or as binary metrics see them."""
    all_row, all_gain = _keep(_relevant(places, places.item_grade, view), places.item_row, places.item_grade)
    row, before, tied, gain = _keep(
        _relevant(places, places.grade, view), places.row, places.before, places.tied, places.grade
    )
    if view.graded:
        gain, all_gain = gain.astype(np.float64), all_gain.astype(np.float64)
    else:
        gain, all_gain = np.ones(len(row)), np.ones(len(all_row))
    ranked = RankedGains(places.n_rows, None, row, before, tied, gain, all_row, all_gain, places.n_retrieved)
    if ties in ("best", "worst") and np.any(tied > 1):
        ranked = _relevant_first_or_last(ranked, ties)
    # Whether a group of equal scores straddles k is known only now.
    return ranked.at(k)


def _relevant_first_or_last(ranked: RankedGains, ties: str) -> RankedGains:
    """Equal scores settled by relevance: the same rows without ties."""
    order = np.lexsort((-ranked.gain if ties == "best" else ranked.gain, ranked.before, ranked.row))
    groups = ranked.groups
    within = np.arange(len(order)) - np.repeat(groups.start, groups.hits)
    if ties == "worst":
        within += np.repeat(groups.size - groups.hits, groups.hits)
    # Row and place stay as they are: only the gains of a group change their order.
    return replace(ranked, before=ranked.before + within, tied=np.ones_like(ranked.tied), gain=ranked.gain[order])


def _relevant(places: _Places, grade: NDArray[Any], view: _View) -> NDArray[np.bool_]:
    """Which items are relevant; grades that the metric cannot read are errors."""
    if grade.dtype == bool and view.threshold is None:
        return grade
    if grade.dtype.kind == "f" and np.isnan(grade).any():
        row = places.item_row[np.flatnonzero(np.isnan(places.item_grade))[0]]
        row = row + places.rows.start if isinstance(places.rows, slice) else places.rows[row]
        message = f"`y_true` contains NaN, first in row {row}: relevance must be known (0 for not relevant)."
        raise ValueError(message)
    if view.graded:
        wrong = grade[(grade < 0) | (grade > view.greatest)]
        if wrong.size:
            limit = f"grades from 0 to {view.greatest:g}"
            if view.greatest == GREATEST_GRADE:
                limit = "finite grades >= 0"
            elif view.greatest < GREATEST_EXPONENT:
                limit += " (`max_grade`)"
            else:
                limit += " (gains 2^grade - 1)"
            kind = "negative " if wrong[0] < 0 else ""
            message = f"`y_true` must hold {limit} for this metric and holds the {kind}value {wrong[0]}."
            raise ValueError(message)
        return np.asarray(grade > 0)
    if view.threshold is not None:
        return np.asarray(grade >= view.threshold)
    keep = np.asarray(grade != 0)
    wrong = grade[keep & (grade != 1)]
    if wrong.size:
        message = (
            f"`y_true` must be binary (0/1) for this metric and holds the value {wrong[0]}; with graded relevance "
            "pass relevance_threshold= (grades from it on count as relevant)."
        )
        raise ValueError(message)
    return keep
