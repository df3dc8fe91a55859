"""Sparse matrices of any format → canonical CSR, and places in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from sklearn_rank.inputs._containers import numeric

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Entries(NamedTuple):
    """What is stored row by row, named as in SciPy's CSR; of any dtype, also those that SciPy does not have."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.data)


def entries_of_dense(grades: NDArray[Any], *, zeros: bool) -> Entries:
    """The cells of a matrix that are not 0, or all."""
    row, column = np.nonzero(np.ones(grades.shape, bool) if zeros else grades)
    indptr = np.zeros(len(grades) + 1, np.intp)
    np.cumsum(np.bincount(row, minlength=len(grades)), out=indptr[1:])
    return Entries(grades[row, column], column, indptr, grades.shape)


def grades_in_csr(matrix: Any, name: str = "y_true") -> Any:
    """Grades as canonical CSR; entries of a cell that is there twice are added up in a dtype that holds the sum."""
    csr = _to_csr(matrix, name)
    numeric(csr.data, name)
    if csr.has_canonical_format:
        return csr
    wide = {"i": np.int64, "u": np.uint64, "f": np.result_type(csr.dtype, np.float64)}.get(csr.dtype.kind, csr.dtype)
    csr = sparse.csr_array((csr.data.astype(wide), csr.indices.copy(), csr.indptr.copy()), shape=csr.shape)
    csr.sum_duplicates()
    return csr


def scores_in_csr(matrix: Any) -> Any:
    """y_scores as canonical CSR; a cell that is there twice is an error."""
    csr = _to_csr(matrix, "y_scores")
    if csr.has_canonical_format:
        return csr
    csr = sparse.csr_array((csr.data, csr.indices, csr.indptr), shape=csr.shape).copy()
    n_entries = csr.nnz
    csr.sum_duplicates()
    if csr.nnz < n_entries:
        message = (
            "`y_scores` stores a cell more than once; an item has one score. sum_duplicates() of the matrix "
            "adds them up, if that is meant."
        )
        raise ValueError(message)
    return csr


def _to_csr(matrix: Any, name: str) -> Any:
    """The stored entries row by row, cells that are there twice still twice; an error if the matrix is damaged."""
    if len(matrix.shape) != 2:
        message = f"`{name}` must be a matrix, got a sparse array of shape {matrix.shape}."
        raise ValueError(message)
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(matrix, name)
        if matrix.format == "csr":
            return matrix
    if matrix.format == "dia":
        return _from_diagonals(matrix, name)
    try:
        coo = matrix.tocoo()
    except Exception as error:
        raise _damaged(name, str(error)) from error
    parts = [np.asarray(part) for part in (coo.data, coo.row, coo.col)]
    data, row, column = parts
    if any(part.ndim != 1 for part in parts) or not len(data) == len(row) == len(column):
        raise _damaged(name, f"values, rows and columns of shapes {[part.shape for part in parts]}")
    _check_range(row, matrix.shape[0], "row", name)
    _check_range(column, matrix.shape[1], "column", name)
    return _by_row(data, row, column, matrix.shape)


def _from_diagonals(matrix: Any, name: str) -> Any:
    """Every cell on a diagonal is stored; SciPy's own conversion leaves the zeros out."""
    data, offsets = np.asarray(matrix.data), np.asarray(matrix.offsets)
    if data.ndim != 2 or offsets.shape != data.shape[:1]:
        raise _damaged(name, f"{offsets.shape} offsets for diagonals of shape {data.shape}")
    column = np.arange(data.shape[1])[None, :]
    row = column - offsets[:, None]
    stored = (row >= 0) & (row < matrix.shape[0]) & (column < matrix.shape[1])
    return _by_row(data[stored], row[stored], np.broadcast_to(column, row.shape)[stored], matrix.shape)


def _by_row(data: NDArray[Any], row: NDArray[Any], column: NDArray[Any], shape: tuple[int, int]) -> Any:
    """CSR of entries in any order, none of them added up: the columns of CSC whose columns are the rows."""
    order = np.lexsort((column, row))
    indptr = np.zeros(shape[0] + 1, np.intp)
    np.cumsum(np.bincount(row, minlength=shape[0]), out=indptr[1:])
    return sparse.csr_array((data[order], column[order], indptr), shape=shape)


def _check_compressed(matrix: Any, name: str) -> None:
    """What SciPy's own code relies on, without changing the matrix."""
    height, width = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    n_rows, n_columns = matrix.shape[0] // height, matrix.shape[1] // width
    n_major, n_minor = (n_columns, n_rows) if matrix.format == "csc" else (n_rows, n_columns)
    indptr, indices, data = np.asarray(matrix.indptr), np.asarray(matrix.indices), np.asarray(matrix.data)
    if (
        indptr.dtype.kind not in "iu"
        or indptr.shape != (n_major + 1,)
        or indptr[0] != 0
        or np.any(indptr[1:] < indptr[:-1])
    ):
        raise _damaged(name, "its indptr does not rise from 0 over all rows")
    if indices.ndim != 1 or data.shape[1:] != (() if matrix.format != "bsr" else (height, width)):
        raise _damaged(name, f"indices of shape {indices.shape} beside values of shape {data.shape}")
    if not indptr[-1] <= len(indices) == len(data):
        raise _damaged(name, f"{indptr[-1]} entries by indptr, {len(indices)} indices, {len(data)} values")
    _check_range(indices[: indptr[-1]], n_minor, "row" if matrix.format == "csc" else "column", name)


def _check_range(places: NDArray[Any], size: int, what: str, name: str) -> None:
    if places.dtype.kind not in "iu":
        raise _damaged(name, "its indices are no integers")
    if len(places) and (places.min() < 0 or places.max() >= size):
        wrong = int(places[(places < 0) | (places >= size)][0])
        raise _damaged(name, f"it stores {what} {wrong} of {size}")


def _damaged(name: str, what: str) -> ValueError:
    message = f"`{name}` is a damaged sparse matrix: {what}."
    return ValueError(message)


def find_entries(scores: Any, truth: Any) -> NDArray[np.intp]:
    """For each entry of truth its place in the same row of scores, both canonical CSR; -1 if it is not stored there."""
    if scores.nnz == 0:
        return np.full(truth.nnz, -1, np.intp)
    n, m = truth.shape
    known, wanted = scores.indices, truth.indices
    if n * m > np.iinfo(np.int64).max:  # the columns that occur, renumbered
        _, codes = np.unique(np.concatenate((known, wanted)), return_inverse=True)
        known, wanted, m = codes[: len(known)], codes[len(known) :], int(codes.max()) + 1
    row = _rows_of_entries(truth)
    cell = _rows_of_entries(scores) * m + known
    sought = row * m + wanted
    place = np.searchsorted(cell, sought)
    found = cell[np.minimum(place, len(cell) - 1)] == sought
    return np.where(found, place - scores.indptr[row], -1)


def _rows_of_entries(csr: Any) -> NDArray[np.int64]:
    return np.repeat(np.arange(csr.shape[0], dtype=np.int64), np.diff(csr.indptr))
