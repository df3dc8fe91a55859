"""Where every ranking is made: order, ties and cut-off. The only module that sorts scores.

A metric asks of a ranking only where the relevant items stand, so the scores are not put into
order as such: for each relevant item it is found how many items of its row have a greater score
(`before`) and how many the same one (`tied`). Rows are worked on in blocks that stay in the
processor's cache and bound the memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._validation import Grades, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

BLOCK_BYTES = 1 << 21
NO_LIMIT = np.iinfo(np.int64).max


class TieGroups(NamedTuple):
    """Groups of equal scores that hold a relevant item; arrays of one length, in rank order."""

    start: NDArray[np.intp]  # first item of the group among the hits
    row: NDArray[np.intp]
    before: NDArray[np.intp]  # items of the row with greater scores
    size: NDArray[np.intp]
    hits: NDArray[np.intp]  # relevant items in the group
    hits_before: NDArray[np.intp]  # relevant items of the row in earlier groups
    inside: NDArray[np.intp]  # ranks of the group that lie within k


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

    @cached_property
    def n_relevant(self) -> NDArray[np.intp]:
        """(n_rows,) relevant items of the whole row."""
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
        new = np.ones(n, dtype=bool)
        new[1:] = (self.row[1:] != self.row[:-1]) | (self.before[1:] != self.before[:-1])
        start = np.flatnonzero(new)
        row, before, size = self.row[start], self.before[start], self.tied[start]
        hits = np.diff(start, append=n)
        row_start = np.searchsorted(self.row, row)
        return TieGroups(start, row, before, size, hits, start - row_start, np.minimum(size, self.cutoff - before))

    @cached_property
    def ideal(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
        """All relevant items in the best order: row, place from 0, grade."""
        order = np.lexsort((-self.all_gain, self.all_row))
        row = self.all_row[order]
        first = np.cumsum(self.n_relevant) - self.n_relevant
        return row, np.arange(len(row)) - first[row], self.all_gain[order]

    def at(self, k: int | None) -> RankedGains:
        """The same ranking cut at a smaller k."""
        if k == self.k:
            return self
        keep = self.before < (NO_LIMIT if k is None else k)
        return replace(self, k=k, row=self.row[keep], before=self.before[keep], tied=self.tied[keep],
                       gain=self.gain[keep])


class Measure(NamedTuple):
    """A kernel and what it wants to see."""

    kernel: Callable[[RankedGains], NDArray[np.float64]]
    k: int | None
    graded: bool = False
    exponential: bool = False  # gains 2^grade - 1, which end at grade 1023


class _Block(NamedTuple):
    """Some rows of a problem: a matrix of scores and the graded items that stand in it."""

    rows: slice | NDArray[np.intp]  # of the problem
    scores: NDArray[Any]  # (n_rows, width)
    lengths: NDArray[np.intp] | None  # (n_rows,) of ragged rows; what lies beyond is padding
    row: NDArray[np.intp]  # of the block, ascending
    column: NDArray[np.intp]  # -1: never retrieved
    grade: NDArray[Any]


class _Places(NamedTuple):
    """Where graded items stand, ordered by row and rank."""

    row: NDArray[np.intp]
    before: NDArray[np.intp]
    tied: NDArray[np.intp]
    grade: NDArray[Any]


def measure_rows(
    problem: Problem,
    measures: Sequence[Measure],
    *,
    ties: str,
    relevance_threshold: float | None,
    n_jobs: int | None,  # noqa: ARG001
) -> list[NDArray[np.float64]]:
    """Rank each row once, at the deepest k; one array of row values a measure, nan where R = 0."""
    values = [np.empty(problem.n_rows) for _ in measures]
    depths = [measure.k for measure in measures]
    k = None if None in depths else max(depth for depth in depths if depth is not None)
    greatest = 1023.0 if any(measure.exponential for measure in measures) else np.finfo(float).max
    views = {m.graded: _View(m.graded, relevance_threshold, greatest) for m in measures}

    def work(block: _Block) -> None:
        places, n_retrieved = _locate(block, k, ties)
        ranked = {graded: _ranked(block, places, n_retrieved, k, ties, view) for graded, view in views.items()}
        for out, measure in zip(values, measures, strict=True):
            gains = ranked[measure.graded]
            out[block.rows] = np.where(gains.n_relevant > 0, measure.kernel(gains.at(measure.k)), np.nan)

    for block in _blocks(problem, relevance_threshold):
        work(block)
    return values


# ---- blocks of rows


def _blocks(problem: Problem, threshold: float | None) -> Iterator[_Block]:
    if problem.indptr is None:
        yield from _dense_blocks(problem, threshold)
    elif isinstance(problem.grades, Grades):
        yield from _ragged_blocks(problem.scores, problem.indptr, problem.grades)


def _dense_blocks(problem: Problem, threshold: float | None) -> Iterator[_Block]:
    n, m = problem.scores.shape
    step = _rows_in_block(m, problem.scores.itemsize)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        if isinstance(problem.grades, Grades):
            row, column, grade = _stored(problem.grades, rows)
        else:
            row, column, grade = _nonzero(problem.grades[rows], threshold)
        yield _Block(rows, _comparable(problem.scores[rows]), None, row, column, grade)


def _rows_in_block(width: int, itemsize: int) -> int:
    return max(1, BLOCK_BYTES // max(1, width * itemsize))


def _comparable(scores: NDArray[Any]) -> NDArray[Any]:
    """A C-ordered block of a dtype that compares and sorts fast; no value changes."""
    if scores.dtype == np.float16:
        return scores.astype(np.float32, order="C")
    if scores.dtype == bool:
        scores = scores.view(np.uint8)
    return np.ascontiguousarray(scores, dtype=scores.dtype.newbyteorder("="))


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


def _ragged_blocks(scores: NDArray[Any], indptr: NDArray[Any], grades: Grades) -> Iterator[_Block]:
    """Rows of about the same length share a padded matrix, so padding at most doubles them."""
    length = np.diff(indptr)
    bucket: NDArray[np.int8] = np.ceil(np.log2(np.maximum(length, 1))).astype(np.int8)
    order = np.argsort(bucket, kind="stable")
    for level in np.unique(bucket):
        members = order[np.searchsorted(bucket[order], level) : np.searchsorted(bucket[order], level, side="right")]
        step = _rows_in_block(1 << int(level), max(scores.itemsize, np.dtype(np.intp).itemsize))
        for start in range(0, len(members), step):
            yield _ragged_block(scores, indptr, grades, members[start : start + step])


def _ragged_block(scores: NDArray[Any], indptr: NDArray[Any], grades: Grades, rows: NDArray[np.intp]) -> _Block:
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


def _locate(block: _Block, k: int | None, ties: str) -> tuple[_Places, NDArray[np.intp]]:
    """The places of all graded items that were retrieved within k; (n_rows,) items retrieved, for k=None.

    Which way is taken depends on the shape alone. Few items are counted against their rows. For
    many, rows much wider than k are first narrowed to the scores that can be among the k best;
    other rows are sorted and searched.
    """
    scores = block.scores
    n, m = scores.shape
    row, column, grade = block.row, block.column, block.grade
    if len(column) and column.min() < 0:
        there = np.flatnonzero(column >= 0)
        row, column, grade = row[there], column[there], grade[there]
    value = scores.ravel().take(row * m + column)
    n_retrieved = np.empty(0, np.intp)
    if k is None:
        n_retrieved = np.full(n, m) if block.lengths is None else block.lengths
        if scores.dtype.kind == "f":
            n_retrieved = np.count_nonzero(scores > -np.inf, axis=1)
    if scores.dtype.kind == "f" and len(value) and value.min() == -np.inf:
        row, column, grade, value = _keep(value > -np.inf, row, column, grade, value)
    if k is not None and m >= 8 * k and m >= 64 and len(row) > n:
        maxima, least = _bound(scores, k)
        _refuse_nan(block, maxima)
        row, column, grade, value = _keep(value >= least[row], row, column, grade, value)
        before, tied = _count(*_contenders(scores, maxima, least, row), value)
    else:
        _refuse_nan(block, scores)
        before, tied = _count(scores, row, value)
    if block.lengths is not None:  # integers cannot be padded below their least value
        tied = np.minimum(tied, block.lengths[row] - before)
    if k is not None:
        row, column, grade, before, tied = _keep(before < k, row, column, grade, before, tied)
    if ties == "first":
        several = np.flatnonzero(tied > 1)
        if several.size:
            before[several] = _stable_places(scores, row[several], column[several])
            tied = np.ones_like(tied)
    order = np.argsort(row * (m + 1) + before)
    return _Places(row[order], before[order], tied[order], grade[order]), n_retrieved


def _keep(mask: Any, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    place = np.flatnonzero(mask)
    return tuple(array[place] for array in arrays) if len(place) < len(mask) else arrays


def _refuse_nan(block: _Block, shown: NDArray[Any]) -> None:
    """`shown` are the scores or maxima that would show a NaN."""
    if shown.dtype.kind != "f" or not shown.size or not np.isnan(shown.max()):
        return
    bad = np.argwhere(np.isnan(block.scores))
    row = bad[0, 0] + block.rows.start if isinstance(block.rows, slice) else block.rows[bad[0, 0]]
    message = (
        f"`y_scores` contains NaN ({len(bad)} in this part of the rows, first at row {row}, column {bad[0, 1]}): "
        "rankings need a number for each item; -inf means never retrieved."
    )
    raise ValueError(message)


def _bound(scores: NDArray[Any], k: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Maxima of chunks of each row, and a bound that is at most the row's k-th greatest score.

    The k-th greatest of any k or more maxima of disjoint chunks is such a bound, as k chunks reach it.
    """
    maxima = _fold(scores, max(4 * k, -(-scores.shape[1] // 8)))
    coarse = _fold(maxima, max(4 * k, -(-maxima.shape[1] // 4)))
    last = coarse.shape[1] - k
    return maxima, np.partition(coarse, last, axis=1)[:, last]


def _fold(scores: NDArray[Any], width: int) -> NDArray[Any]:
    """Chunk j holds the columns j, j + width, j + 2 width, ... (n_rows, width) maxima; NaN stays NaN."""
    m = scores.shape[1]
    if width >= m:
        return scores
    if 2 * width > m:
        maxima: NDArray[Any] = scores[:, :width].copy()
        np.maximum(maxima[:, : m - width], scores[:, width:], out=maxima[:, : m - width])
        return maxima
    maxima = np.maximum(scores[:, :width], scores[:, width : 2 * width])
    for start in range(2 * width, m, width):
        part = scores[:, start : start + width]
        np.maximum(maxima[:, : part.shape[1]], part, out=maxima[:, : part.shape[1]])
    return maxima


def _contenders(
    scores: NDArray[Any], maxima: NDArray[Any], least: NDArray[Any], row: NDArray[np.intp]
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """A narrow matrix with the scores >= `least` of the rows asked for, and `row` as its rows."""
    asked = np.zeros(len(scores), dtype=bool)
    asked[row] = True
    rows = np.flatnonzero(asked)
    least = least[rows]
    width, m = maxima.shape[1], scores.shape[1]
    place = np.flatnonzero(maxima[rows] >= least[:, None])
    local = place // width
    column = (place - local * width)[:, None] + np.arange(0, m, width)
    inside = column < m
    values = scores.ravel().take((rows * m)[local][:, None] + np.where(inside, column, 0))
    hit = np.flatnonzero((values >= least[local][:, None]) & inside)
    local = local[hit // column.shape[1]]
    count = np.bincount(local, minlength=len(rows))
    narrow = np.full((len(rows), count.max(initial=1)), _lowest(scores.dtype), dtype=scores.dtype)
    narrow[local, np.arange(len(local)) - (np.cumsum(count) - count)[local]] = values.ravel()[hit]
    return narrow, (np.cumsum(asked) - 1)[row]


def _count(scores: NDArray[Any], row: NDArray[np.intp], value: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """For each item the scores of its row that are greater, and those that are equal."""
    n, m = scores.shape
    if len(row) <= 4 * n:
        rivals = scores if len(row) == n and (row == np.arange(n)).all() else scores[row]
        return _true_in(rivals > value[:, None]), _true_in(rivals == value[:, None])
    ordered = np.sort(scores, axis=1).ravel()
    less = _search(ordered, m, row, value, np.less)
    not_greater = _search(ordered, m, row, value, np.less_equal)
    return m - not_greater, not_greater - less


def _true_in(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many are true in each row; short integers add up faster."""
    short = np.uint16 if mask.shape[1] < 1 << 16 else np.intp
    return np.asarray(mask.view(np.uint8).sum(axis=1, dtype=short), dtype=np.intp)


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


class _View(NamedTuple):
    """How a kind of metrics reads grades."""

    graded: bool
    threshold: float | None
    greatest: float


def _ranked(
    block: _Block,
    places: _Places,
    n_retrieved: NDArray[np.intp],
    k: int | None,
    ties: str,
    view: _View,
) -> RankedGains:
    """The block as graded or as binary metrics see it."""
    keep = _relevant(block, block.grade, view)
    all_row, all_gain = block.row[keep], block.grade[keep]
    row, before, tied, gain = places
    keep = _relevant(block, gain, view)
    if not keep.all():
        row, before, tied, gain = row[keep], before[keep], tied[keep], gain[keep]
    if view.graded:
        gain, all_gain = gain.astype(np.float64), all_gain.astype(np.float64)
    else:
        gain, all_gain = np.ones(len(row)), np.ones(len(all_row))
    if ties in ("best", "worst") and np.any(tied > 1):
        order = np.lexsort((-gain if ties == "best" else gain, before, row))
        row, before, tied, gain = row[order], before[order], tied[order], gain[order]
        groups = RankedGains(len(block.scores), None, row, before, tied, gain, all_row, all_gain, n_retrieved).groups
        within = np.arange(len(row)) - np.repeat(groups.start, groups.hits)
        if ties == "worst":
            within += np.repeat(groups.size - groups.hits, groups.hits)
        before, tied = before + within, np.ones_like(tied)
    return RankedGains(len(block.scores), None, row, before, tied, gain, all_row, all_gain, n_retrieved).at(k)


def _relevant(block: _Block, grade: NDArray[Any], view: _View) -> NDArray[np.bool_]:
    """Which items are relevant; grades that the metric cannot read are errors."""
    if grade.dtype.kind == "f" and np.isnan(grade).any():
        row = int(block.row[np.flatnonzero(np.isnan(block.grade))[0]])
        row = row + block.rows.start if isinstance(block.rows, slice) else int(block.rows[row])
        message = f"`y_true` contains NaN, first in row {row}: relevance must be known (0 for not relevant)."
        raise ValueError(message)
    if view.graded:
        wrong = grade[(grade < 0) | (grade > view.greatest)]
        if wrong.size:
            limit = "finite grades >= 0" if view.greatest > 1023 else "grades from 0 to 1023 (gains 2^grade - 1)"
            message = f"`y_true` must hold {limit} for this metric and holds the value {wrong[0]}."
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
