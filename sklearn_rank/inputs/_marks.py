"""Pairs (y_true, y_scores) of slots, marked as belonging together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from scipy import sparse

from sklearn_rank._options import attribute

if TYPE_CHECKING:
    from numpy.typing import NDArray

# An attribute of the instance: pickles and copies of the whole object keep it, whatever SciPy computes from it
# (slices, sums, other formats) is a new object without one. So two marks that differ are of two calls.
MARK = "_sklearn_rank_call"


def marked_pair(
    truth: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    scores: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    n_rows: int,
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Two triples (values, columns, indptr) as CSR arrays of one shape, columns in order, with one mark."""
    n_columns = 1 + max((int(columns.max()) for _, columns, _ in (truth, scores) if len(columns)), default=0)
    y_true, y_scores = (sparse.csr_array(parts, shape=(n_rows, n_columns)) for parts in (truth, scores))
    y_true.sort_indices()
    call = uuid4().hex
    for matrix in (y_true, y_scores):
        setattr(matrix, MARK, call)
    return y_true, y_scores


def belong_together(y_true: Any, y_scores: Any) -> bool | None:
    """Whether both are what one call returned; None where a mark is missing and nobody can tell."""
    left, right = attribute(y_true, MARK), attribute(y_scores, MARK)
    return None if left is None or right is None else bool(left == right)


def is_of_slots(matrix: Any) -> bool:
    """Whether the columns of a matrix are known to be slots of each row, not items."""
    return hasattr(matrix, MARK)


def places(counts: NDArray[Any]) -> NDArray[Any]:
    """0, 1, ..., count - 1 for each count, one after the other: the columns of rows that are filled from the left."""
    total = int(counts.sum())
    dtype = np.int32 if total < 2**31 else np.int64
    starts = np.cumsum(counts) - counts
    return np.asarray(np.arange(total, dtype=dtype) - np.repeat(starts.astype(dtype), counts))


def row_pointers(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The indptr of rows that hold so many entries."""
    return np.concatenate(([0], np.cumsum(counts)))
