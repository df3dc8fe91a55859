"""Rows of a problem, some at a time: blocks that stay in the processor's cache and bound the memory, on threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend

from sklearn_rank.inputs._problem import Grades, nan_error
from sklearn_rank.ranking._gains import Items, join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from sklearn_rank.inputs._problem import Problem
    from sklearn_rank.ranking._gains import Indices, RankedItems

    Rows = slice | Indices

Result = TypeVar("Result")

BLOCK_CELLS = 3 << 18  # scores that are worked on together, so that they stay in the cache
SMALL_BLOCK = 1 << 18  # scores that are copied, so that the passes after the first find them near
BLOCK_ITEMS = 1 << 16  # relevant items whose places are held together, which bounds the memory
CHECKED_CELLS = 1 << 16  # grades that are compared with 0 at a time, from a nearer cache
TASKS_PER_THREAD = 4  # so that none waits long for the last
TASKS = 16  # whose results are added up in one order, whatever the threads


class ScoredRows(NamedTuple):
    """A matrix of scores, some rows of a problem, and the items in it that a metric may count."""

    rows: Rows  # of the problem
    scores: NDArray[Any]  # (n_rows, width)
    lengths: Indices | None  # (n_rows,) of ragged rows; what lies beyond is padding
    items: Items

    def refuse_nan(self, shown: NDArray[Any]) -> None:
        """Raise if there is a NaN; `shown` are scores or maxima, which would show it."""
        if shown.dtype.kind != "f" or not shown.size or not np.isnan(shown.max()):
            return
        row, column = np.argwhere(np.isnan(self.scores))[0]
        first = self.rows.start if isinstance(self.rows, slice) else 0  # ragged scores were checked as one line
        where = f"at row {first + row}, column {column}"
        raise nan_error(where)


def lowest(dtype: np.dtype[Any]) -> Any:
    """What pads a row: the least value of the dtype."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def for_all_rows(
    problem: Problem,
    place: Callable[[ScoredRows], RankedItems],
    use: Callable[[RankedItems], None],
    *,
    zeros: bool,
    n_jobs: int | None,
) -> None:
    """Place the items of each row, and use them many rows at a time; with zeros the items of grade 0, too."""
    blocks = list(_blocks(problem))
    n_threads = _count_threads(n_jobs) if len(blocks) > 1 else 1
    most = BLOCK_ITEMS // n_threads

    def work(blocks: Sequence[Rows]) -> None:
        pending: list[RankedItems] = []
        n_pending = 0
        for rows in blocks:
            for part in _parts(_scored_rows(problem, rows, zeros=zeros), most):
                pending.append(place(part))
                n_pending += len(part.items.row)
                if n_pending > most:
                    use(join(pending))
                    pending, n_pending = [], 0
        if pending:
            use(join(pending))

    n_tasks = 1 if n_threads == 1 else TASKS_PER_THREAD * n_threads
    _in_order(work, blocks, n_tasks, n_threads)


def over_blocks(
    problem: Problem, use: Callable[[Iterator[ScoredRows]], Result], *, zeros: bool = False, n_jobs: int | None = None
) -> list[Result]:
    """The results of runs of small blocks, in order; how many blocks make a result hangs on the data alone."""

    def work(blocks: Sequence[Rows]) -> Result:
        return use(_scored_rows(problem, rows, zeros=zeros) for rows in blocks)

    return _in_order(work, list(_blocks(problem, SMALL_BLOCK)), TASKS, _count_threads(n_jobs))


def _in_order(
    work: Callable[[Sequence[Rows]], Result], blocks: Sequence[Rows], n_tasks: int, n_threads: int
) -> list[Result]:
    """What `work` makes of about `n_tasks` runs of blocks."""
    step = max(1, len(blocks) // n_tasks)
    tasks = [blocks[start : start + step] for start in range(0, len(blocks), step)]
    if n_threads == 1 or len(tasks) == 1:
        return [work(task) for task in tasks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, tasks))


def _count_threads(n_jobs: int | None) -> int:
    """scikit-learn's meaning of `n_jobs`; one thread where joblib runs this in parallel already."""
    backend, of_context = get_active_backend()
    n_jobs = of_context if n_jobs is None else n_jobs
    return 1 if backend.nesting_level or n_jobs is None else int(effective_n_jobs(n_jobs))


def _blocks(problem: Problem, cells: int = BLOCK_CELLS) -> Iterator[Rows]:
    """Rows to work on together. Of ragged rows those of about the same length, so padding at most doubles them."""
    if problem.indptr is None:
        n, m = problem.scores.shape
        step = max(1, cells // m)
        for start in range(0, n, step):
            yield slice(start, min(start + step, n))
        return
    bucket: NDArray[np.int8] = np.ceil(np.log2(np.maximum(np.diff(problem.indptr), 1))).astype(np.int8)
    order = np.argsort(bucket, kind="stable")
    bounds = np.searchsorted(bucket[order], np.arange(bucket.max() + 2))
    for level in np.flatnonzero(np.diff(bounds)):
        step = max(1, cells >> int(level))
        for start in range(bounds[level], bounds[level + 1], step):
            yield order[start : min(start + step, bounds[level + 1])]


def _parts(block: ScoredRows, most: int) -> Iterator[ScoredRows]:
    """The block, or parts of it as long as it has too many items."""
    n = len(block.scores)
    if n == 1 or len(block.items.row) <= most:
        yield block
        return
    half = n // 2
    cut = np.searchsorted(block.items.row, half)
    for part, items, first in ((slice(0, half), slice(0, cut), 0), (slice(half, n), slice(cut, None), half)):
        rows = block.rows
        rows = slice(rows.start + part.start, rows.start + part.stop) if isinstance(rows, slice) else rows[part]
        lengths = None if block.lengths is None else block.lengths[part]
        row, *others = (array[items] for array in block.items)
        yield from _parts(ScoredRows(rows, block.scores[part], lengths, Items(row - first, *others)), most)


# ---- one block


def _scored_rows(problem: Problem, rows: Rows, *, zeros: bool) -> ScoredRows:
    if not isinstance(rows, slice):
        return _ragged_rows(problem, rows)
    grades = problem.grades
    items = _stored_items(grades, rows) if isinstance(grades, Grades) else _dense_items(grades[rows], zeros=zeros)
    return ScoredRows(rows, _comparable(problem.scores[rows]), None, items)


def _comparable(scores: NDArray[Any]) -> NDArray[Any]:
    """The scores in a dtype that compares and sorts fast; no value changes, and no copy where that is given."""
    if scores.dtype == np.float16:
        return scores.astype(np.float32)
    if scores.dtype == bool:
        return scores.view(np.uint8)
    return scores.astype(scores.dtype.newbyteorder("="), copy=False)


def _dense_items(grades: NDArray[Any], *, zeros: bool) -> Items:
    """The cells that are not 0 (NaN is none), or all."""
    n, m = grades.shape
    place = np.arange(n * m) if zeros else np.flatnonzero(_not_zero(grades))
    row = place // m
    column = place - row * m
    grade = grades.ravel().take(place) if grades.flags.c_contiguous else grades[row, column]
    return Items(row, column, grade, column)


def _not_zero(grades: NDArray[Any]) -> NDArray[np.bool_]:
    if grades.dtype == bool:
        return grades
    n, m = grades.shape
    flags = np.empty((n, m), bool)
    step = max(1, CHECKED_CELLS // m)
    for start in range(0, n, step):
        np.not_equal(grades[start : start + step], 0, out=flags[start : start + step])
    return flags


def _stored_items(grades: Grades, rows: slice) -> Items:
    start, stop = grades.indptr[rows.start], grades.indptr[rows.stop]
    counts = np.diff(grades.indptr[rows.start : rows.stop + 1])
    row = np.repeat(np.arange(len(counts)), counts)
    return Items(row, grades.columns[start:stop], grades.values[start:stop], grades.names[start:stop])


def _ragged_rows(problem: Any, rows: Indices) -> ScoredRows:
    scores, indptr, grades = problem.scores, problem.indptr, problem.grades
    first, count = grades.indptr[rows], grades.indptr[rows + 1] - grades.indptr[rows]
    row = np.repeat(np.arange(len(rows)), count)
    item = np.arange(len(row)) + (first - (np.cumsum(count) - count))[row]
    lengths = np.asarray(indptr[rows + 1] - indptr[rows], np.intp)
    cell = indptr[rows][:, None] + np.arange(lengths.max())
    padding = np.arange(lengths.max()) >= lengths[:, None]
    cell[padding] = 0
    matrix = _comparable(scores[cell]) if len(scores) else np.zeros(cell.shape)
    matrix[padding] = lowest(matrix.dtype)
    items = Items(row, grades.columns[item], grades.values[item], grades.names[item])
    return ScoredRows(rows, matrix, lengths, items)
