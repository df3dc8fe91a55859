"""Dask arrays: row values are computed chunk by chunk where the chunks are.

A task a chunk of rows ranks them once for all measures. What leaves it is one value a row and
measure; ids of groups and weights are brought together beside them, one a ranking. Dask is
imported inside the functions, so that this module imports without it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import numpy as np
from scipy import sparse

from sklearn_rank._options import Inputs
from sklearn_rank.inputs._containers import ids_in_array, is_dask, rows_of, to_numpy
from sklearn_rank.inputs._ids import group_codes, label_codes
from sklearn_rank.inputs._problem import check_problem, nan_error
from sklearn_rank.inputs._sparse import grades_in_csr, scores_in_csr
from sklearn_rank.inputs._weights import Weights, check_weights, warn_of_one_ranking
from sklearn_rank.metrics._averaging import over_rows
from sklearn_rank.metrics._macro import LabelSums, label_sums_of
from sklearn_rank.metrics._parts import figure_of
from sklearn_rank.metrics._values import Asked, RowValues, problem_for, row_values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from sklearn_rank._options import Options


class _Chunks(NamedTuple):
    """The input as dask arrays, all cut into the same chunks of rows; columns in one chunk."""

    y_true: Any  # (n_rows, n_items), or (n_rows,) of labels or of relevance
    y_scores: Any  # (n_rows, n_items) or (n_rows,)
    labels: Any  # (n_items,) in memory, or None
    groups: Any  # (n_rows,) or None
    weights: Any  # (n_rows,) or None


def chunked_figures(asked: Sequence[Asked], inputs: Inputs, *, compute: bool) -> list[Any]:
    """A mean or array of row values for each figure; dask arrays of them with compute=False."""
    import dask
    import dask.array as da

    chunks = _cut_alike(inputs)
    by_row = [one for one in asked if one.options.average != "macro"]
    values: Any = _row_values(chunks, by_row) if by_row else None
    sums = [_label_sums(chunks, one) for one in asked if one.options.average == "macro"]
    ids, weights = _of_rankings(chunks)
    if compute:
        values, sums, ids, weights = dask.compute(values, sums, ids, weights)
        weights = _judge(ids, weights)
        figures = _in_order(asked, values, sums)
        return [_figure(one, columns, weights) for one, columns in zip(asked, figures, strict=True)]
    weights = dask.delayed(_judge)(ids, weights)
    judged = dask.delayed(_is_judged)(weights)
    gathered = None if values is None else dask.delayed(values)  # once for all means
    means = _in_order(asked, gathered, sums)
    lazy = []
    for place, (one, columns) in enumerate(zip(asked, means, strict=True)):
        if one.options.average is None:
            fill = partial(_fill, options=one.options)
            lazy.append(
                _in_order(asked, values, sums)[place][0].map_blocks(fill, judged, dtype=float, meta=np.empty(0))
            )
        else:
            lazy.append(da.from_delayed(dask.delayed(_figure)(one, columns, weights), shape=(), dtype=float))
    return lazy


def _in_order(asked: Sequence[Asked], values: Any, sums: Sequence[Any]) -> list[tuple[Any, ...]]:
    """What each figure is made of: a column of row values, one of denominators for micro, or sums of labels."""
    column, of_labels, out = 0, iter(sums), []
    for one in asked:
        if one.options.average == "macro":
            out.append((next(of_labels),))
            continue
        n_columns = 1 + (one.options.average == "micro")
        out.append(tuple(values[:, column + place] for place in range(n_columns)))
        column += n_columns
    return out


def _figure(asked: Asked, columns: tuple[Any, ...], weights: Weights | None) -> Any:
    if asked.options.average == "macro":
        return figure_of(asked, columns[0].ravel().tolist(), weights)
    values, denominators = columns if len(columns) == 2 else (columns[0], None)
    return figure_of(asked, [RowValues(values, denominators)], weights)


# ---- the input, cut alike


def _cut_alike(inputs: Inputs) -> _Chunks:
    """All that is wrong with shapes is said here, before anything is computed."""
    y_true, y_scores = _container(inputs.y_true, "y_true"), _container(inputs.y_scores, "y_scores")
    labels, groups = inputs.labels, inputs.groups
    if not _fit(y_true, y_scores, labels, groups):
        # The same shapes raise the same error in memory.
        shapes = np.broadcast_to(0, y_true.shape), np.broadcast_to(0.0, y_scores.shape)
        check_problem(Inputs(*shapes, labels=labels, groups=groups))
    n_rows = y_true.shape[0]
    rows = (y_scores if is_dask(y_scores) else y_true).chunks[0]
    if y_true.ndim < y_scores.ndim:
        y_true, labels = _with_labels(y_true, labels, y_scores.shape[1])
    elif y_true.ndim == 1 and groups is None:
        rows, groups = (n_rows,), np.zeros(n_rows, np.int8)  # one ranking cannot be cut
        if inputs.sample_weight is not None:
            warn_of_one_ranking()
    groups = _one_per_row(groups, "groups", n_rows, group_codes)
    weights = _one_per_row(inputs.sample_weight, "sample_weight", n_rows, check_weights)
    return _Chunks(_cut(y_true, rows), _cut(y_scores, rows), labels, _cut(groups, rows), _cut(weights, rows))


def _container(x: Any, name: str) -> Any:
    """A dask array of known shape, a sparse matrix or a numpy array."""
    if is_dask(x):
        if any(np.isnan(size) for sizes in x.chunks for size in sizes):
            message = f"`{name}` has chunks of unknown size: call {name}.compute_chunk_sizes() first."
            raise ValueError(message)
        return x
    if not sparse.issparse(x):
        return to_numpy(x, name)
    return scores_in_csr(x) if name == "y_scores" else grades_in_csr(x)


def _fit(y_true: Any, y_scores: Any, labels: Any, groups: Any) -> bool:
    """Whether the shapes are one of those that the functions take."""
    if 0 in y_true.shape or 0 in y_scores.shape or y_true.shape[:1] != y_scores.shape[:1]:
        return False
    if y_true.ndim == 1:
        return bool((y_scores.ndim == 1 and labels is None) or (y_scores.ndim == 2 and groups is None))
    return bool(y_true.ndim == 2 and y_true.shape == y_scores.shape and labels is None and groups is None)


def _with_labels(y_true: Any, labels: Any, n_columns: int) -> tuple[Any, Any]:
    """Class labels (n_rows,) and the label of each column; labels in memory as columns."""
    if not is_dask(y_true):
        return label_codes(y_true, labels, n_columns), np.arange(n_columns)
    if labels is None:
        message = (
            "`labels` is required beside class labels in a dask array: a chunk may lack classes. Pass the label of "
            "each column of `y_scores`."
        )
        raise ValueError(message)
    label_codes(np.empty(0), labels, n_columns)  # as many as columns, none twice
    return y_true, to_numpy(labels, "labels")


def _one_per_row(x: Any, name: str, n_rows: int, check: Callable[[Any, int], Any]) -> Any:
    """Groups or weights (n_rows,): checked if they are in memory; of a dask array the shape alone."""
    if x is None:
        return None
    x = _container(x, name) if is_dask(x) else ids_in_array(x, name) if name == "groups" else to_numpy(x, name)
    if not is_dask(x):
        check(x, n_rows)
    elif x.shape != (n_rows,):
        check(np.broadcast_to(1, x.shape), n_rows)
    return x


def _cut(x: Any, rows: tuple[int, ...]) -> Any:
    """A dask array with these chunks of rows; columns in one chunk."""
    import dask.array as da

    if x is None:
        return None
    if is_dask(x):
        return x.rechunk({0: rows} if x.ndim == 1 else {0: rows, 1: -1})
    # Each task gets its own rows and nothing else, whatever kind of container they are in.
    stops = np.cumsum(rows).tolist()
    parts = [rows_of(x, slice(stop - size, stop)) for size, stop in zip(rows, stops, strict=True)]
    name = f"rows-{uuid4().hex}"  # a hash of the values would take longer than to rank them
    graph = {(name, place, *[0] * (x.ndim - 1)): part for place, part in enumerate(parts)}
    return da.Array(graph, name, (rows, *((size,) for size in x.shape[1:])), dtype=x.dtype)


# ---- what is computed of each chunk


def _row_values(chunks: _Chunks, asked: Sequence[Asked]) -> Any:
    """(n_rankings, n_columns) row values, nan where undefined, and denominators: one task per chunk of rows."""
    import dask.array as da

    y_true, y_scores, labels, groups, _ = chunks
    n_columns = _count_columns(asked)
    sizes = y_scores.chunks[0]
    starts = da.from_array(np.cumsum(sizes) - sizes, chunks=1)
    highest: Any = 0.0
    if any(one.measure.of_highest for one in asked):
        highest = 1.0 if labels is not None else _highest_grade(y_true)
    score = partial(_score_chunk, asked=_in_one_thread(asked), labels=labels)
    # A letter an axis: of chunks of rows (i), of columns on entry and of measures on leaving (j).
    arguments = [
        *(y_true, "ij"[: y_true.ndim]),
        *(y_scores, "ij"[: y_scores.ndim]),
        *(groups, None if groups is None else "i"),
        *(highest, "" if is_dask(highest) else None),
        *(starts, "i"),
    ]
    leaving = {"i": sizes if groups is None else _unknown(sizes), "j": (n_columns,)}
    new_axes = {"j": n_columns} if y_scores.ndim == 1 else None
    return da.blockwise(
        score,
        "ij",
        *arguments,
        new_axes=new_axes,
        adjust_chunks=leaving,
        align_arrays=False,
        dtype=float,
        meta=np.empty((0, 0)),
    )


def _score_chunk(
    y_true: Any,
    y_scores: Any,
    groups: Any,
    highest: Any,
    start: NDArray[np.intp],
    *,
    asked: list[Asked],
    labels: Any,
) -> NDArray[np.float64]:
    """(n_rankings, n_columns) row values of one chunk, whose first row is row start[0] of the input."""
    if y_scores.shape[0] == 0:
        return np.empty((0, _count_columns(asked)))
    asked = [
        one._replace(measure=one.measure.of_highest(float(highest))) if one.measure.of_highest else one for one in asked
    ]
    if groups is not None:
        groups, _ = group_codes(groups, len(groups))
    try:
        problem = problem_for(asked, Inputs(y_true, y_scores, labels=labels, groups=groups))
        rows = row_values(asked, problem)
    except ValueError as error:
        raise _in_the_input(error, y_scores, int(start[0])) from error
    return np.stack([column for pair in rows for column in pair if column is not None], axis=1)


def _count_columns(asked: Sequence[Asked]) -> int:
    return sum(1 + (one.options.average == "micro") for one in asked)


def _label_sums(chunks: _Chunks, asked: Asked) -> Any:
    """(n_chunks, 1) the sums of each label: one task per chunk of rows."""
    import dask.array as da

    y_true, y_scores, labels, _, weights = chunks
    (asked,) = _in_one_thread([asked])
    arguments = [
        *(y_true, "ij"[: y_true.ndim]),
        *(y_scores, "ij"[: y_scores.ndim]),
        *(weights, None if weights is None else "i"),
    ]
    leaving = {"i": (1,) * y_scores.numblocks[0], "j": (1,)}
    add_up = partial(_sums_of_chunk, asked=asked, labels=labels)
    return da.blockwise(
        add_up,
        "ij",
        *arguments,
        new_axes={"j": 1} if y_scores.ndim == 1 else None,
        adjust_chunks=leaving,
        align_arrays=False,
        dtype=object,
        meta=np.empty((0, 0), object),
    )


def _sums_of_chunk(y_true: Any, y_scores: Any, weights: Any, *, asked: Asked, labels: Any) -> NDArray[Any]:
    """(1, 1) the sums of the rows of a chunk."""
    out = np.empty((1, 1), object)
    out[0, 0] = LabelSums({})
    if y_scores.shape[0]:
        problem = problem_for([asked], Inputs(y_true, y_scores, labels=labels))
        weights = None if weights is None else Weights.of(np.asarray(weights, float))
        out[0, 0] = label_sums_of(asked, replace(problem, weights=weights))
    return out


def _in_one_thread(asked: Sequence[Asked]) -> list[Asked]:
    """The tasks are what runs in parallel."""
    return [one._replace(options=replace(one.options, n_jobs=1)) for one in asked]


def _in_the_input(error: ValueError, y_scores: Any, start: int) -> ValueError:
    """The error of a chunk, with the place of a NaN as the whole input counts it."""
    if isinstance(y_scores, np.ndarray) and y_scores.dtype.kind == "f" and np.isnan(y_scores).any():
        row, *column = np.argwhere(np.isnan(y_scores))[0]
        where = f"at row {start + row}" + "".join(f", column {place}" for place in column)
        return nan_error(where)
    stop = start + y_scores.shape[0]
    message = f"{error} (In the chunk of rows {start} to {stop - 1}; rows are counted from its first.)"
    return ValueError(message)


def _highest_grade(y_true: Any) -> Any:
    """The highest grade of all chunks as a 0-d dask array."""
    one_a_chunk = ((1,) * y_true.numblocks[0], *((1,) for _ in y_true.shape[1:]))
    return y_true.map_blocks(_highest_of, chunks=one_a_chunk, dtype=float, meta=np.empty((0,) * y_true.ndim)).max()


def _highest_of(y_true: Any) -> NDArray[np.float64]:
    """The highest grade of a chunk as an array of one cell."""
    highest = 0.0
    if y_true.shape[0]:
        highest = check_problem(Inputs(y_true, np.broadcast_to(0.0, y_true.shape))).highest_grade
    return np.full((1,) * y_true.ndim, highest)


def _of_rankings(chunks: _Chunks) -> tuple[Any, Any]:
    """(n_rankings,) the id and the weight of each ranking; None where there are none."""
    import dask.array as da

    groups, weights = chunks.groups, chunks.weights
    if groups is None:
        return None, weights
    sizes = (_unknown(groups.chunks[0]),)
    ids = groups.map_blocks(_first_ids, chunks=sizes, dtype=groups.dtype, meta=np.empty(0, groups.dtype))
    if weights is not None:
        pairs = (*sizes, (2,))
        weights = da.map_blocks(
            _group_weights, groups, weights, chunks=pairs, new_axis=1, dtype=float, meta=np.empty((0, 0))
        )
    return ids, weights


def _unknown(sizes: tuple[int, ...]) -> tuple[float, ...]:
    """As many chunks, whose sizes are known once they are computed: a value a group."""
    return (np.nan,) * len(sizes)


def _first_ids(groups: NDArray[Any]) -> NDArray[Any]:
    """The ids of a chunk in order of first appearance."""
    if not len(groups):
        return groups
    codes, _ = group_codes(groups, len(groups))
    _, first = np.unique(codes, return_index=True)
    return groups[first]


def _group_weights(groups: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float64]:
    """(n_groups, 2) the mean weight of each group of a chunk; they may all be zero here."""
    if not len(groups):
        return np.empty((0, 2))
    codes, n_groups = group_codes(groups, len(groups))
    if np.any(weights):
        weights = check_weights(weights, len(groups))
    return np.column_stack(Weights.of_groups(weights, codes, n_groups))


# ---- what is known once all chunks are


def _judge(ids: NDArray[Any] | None, weights: NDArray[Any] | None) -> Weights | None:
    """The weights of the rankings; an error if a group lies in two chunks or the weights are none."""
    if ids is not None:
        codes, n_groups = group_codes(ids, len(ids))
        if n_groups < len(ids):
            split = ids[np.bincount(codes)[codes] > 1].tolist()[0]
            message = (
                f"The rows of group {split!r} lie in more than one chunk: rechunk `y_scores` so that all rows of a "
                "group lie in the same chunk, or into one chunk with y_scores.rechunk(-1)."
            )
            raise ValueError(message)
    if weights is None:
        return None
    if ids is None:
        return Weights.of(check_weights(weights, len(weights)))
    mantissa = check_weights(weights[:, 0], len(weights))
    return Weights(mantissa, weights[:, 1].astype(np.int32))


def _is_judged(weights: Weights | None) -> bool:  # noqa: ARG001  waited for, not needed
    """What row values wait for, which do not need the weights themselves."""
    return True


def _fill(values: NDArray[np.float64], judged: bool, *, options: Options) -> Any:  # noqa: ARG001
    """Row values of a chunk with undefined ones filled in."""
    return over_rows(values, None, None, options)
