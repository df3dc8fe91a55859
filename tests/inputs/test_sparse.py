"""Sparse matrices: damaged ones, cells stored twice, stored zeros, shapes beyond 64 bits."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import map_at_k, mrr_at_k, recall_at_k
from sklearn_rank.inputs._sparse import find_entries

ROWS = np.array([[1.0, 0, 1], [0, 1, 0]])
DENSE = [[1, 0, 0], [0, 1, 0]]


def damaged(form, part, values):
    matrix = sparse.csr_array(ROWS).asformat(form)
    setattr(matrix, part, np.array(values))
    return matrix


def moved(row, column):
    """COO whose first entry stands elsewhere."""
    matrix = sparse.coo_array(ROWS)
    matrix.coords = (np.array(row), np.array(column))
    return matrix


DAMAGED = {
    "a column that is not there": (damaged("csr", "indices", [0, 5, 1]), "it stores column 5 of 3"),
    "a column below 0": (damaged("csr", "indices", [0, -1, 1]), "it stores column -1 of 3"),
    "a row of CSC": (damaged("csc", "indices", [0, 7, 0]), "it stores row 7 of 2"),
    "a block of BSR": (damaged("bsr", "indices", [0, 4, 1]), "it stores column 4 of"),
    "indptr falls": (damaged("csr", "indptr", [0, 3, 2]), "its indptr does not rise"),
    "indptr is short": (damaged("csr", "indptr", [0, 3]), "its indptr does not rise"),
    "indptr does not begin with 0": (damaged("csr", "indptr", [1, 2, 3]), "its indptr does not rise"),
    "indptr of fractions": (damaged("csr", "indptr", [0.0, 2.0, 3.0]), "its indptr does not rise"),
    "indptr ends beyond": (damaged("csr", "indptr", [0, 2, 9]), "9 entries by indptr, 3 indices, 3 values"),
    "fewer values than indices": (damaged("csr", "data", [1.0]), "3 entries by indptr, 3 indices, 1 values"),
    "values of two dimensions": (damaged("csr", "data", [[1.0], [1.0], [1.0]]), "beside values of shape"),
    "indices of fractions": (damaged("csr", "indices", [0.0, 1.0, 1.0]), "its indices are no integers"),
    "offsets of DIA": (damaged("dia", "offsets", [0]), "offsets for diagonals of shape"),
    "a row of COO": (moved([0, 0, 9], [0, 2, 1]), "it stores row 9 of 2"),
    "a column of COO": (moved([0, 0, 1], [0, -2, 1]), "it stores column -2 of 3"),
    "fewer values than rows of COO": (moved([0, 0], [0, 2]), "values, rows and columns of shapes"),
}


class TestDamage:
    @pytest.mark.parametrize("kind", DAMAGED)
    def test_is_said_of_the_argument(self, kind):
        matrix, message = DAMAGED[kind]
        with pytest.raises(ValueError, match=f"`y_scores` is a damaged sparse matrix: .*{message}"):
            mrr_at_k(DENSE, matrix)
        with pytest.raises(ValueError, match=f"`y_true` is a damaged sparse matrix: .*{message}"):
            mrr_at_k(matrix, np.array(DENSE, float))

    def test_a_format_that_cannot_be_read(self):
        matrix = sparse.lil_array(ROWS)
        matrix.rows = None
        with pytest.raises(ValueError, match=r"`y_scores` is a damaged sparse matrix"):
            mrr_at_k(DENSE, matrix)

    def test_one_dimension(self):
        if not hasattr(sparse.coo_array([1.0, 0]), "coords"):
            pytest.skip("sparse arrays of one dimension came with SciPy 1.13")
        with pytest.raises(ValueError, match=r"`y_scores` must be a matrix|do not match"):
            mrr_at_k([[1, 0]], sparse.coo_array(np.array([1.0, 2.0])))


class TestCellsStoredTwice:
    @pytest.mark.parametrize("dtype", ["u1", "i1", "i8"])
    def test_grades_are_added_up_without_wrapping(self, dtype):
        values = np.array([100, 100, 100], dtype)
        y_true = sparse.csr_array((values, np.array([0, 0, 0]), np.array([0, 3])), shape=(1, 2))
        with pytest.raises(ValueError, match=r"`y_true` must be binary .* holds the value 300"):
            map_at_k(y_true, [[2, 1]])

    def test_scores_are_refused(self):
        y_scores = sparse.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
        with pytest.raises(ValueError, match=r"`y_scores` stores a cell more than once"):
            map_at_k([[1, 0]], y_scores)


class TestStoredZeros:
    @pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia"])
    def test_are_retrieved(self, form):
        # The diagonal is stored: item 0 of row 0 with 0, item 1 of row 1 with 2.
        diagonal = sparse.dia_array((np.array([[0.0, 2.0]]), [0]), shape=(2, 2))
        cells = (np.array([0.0, 2.0]), (np.array([0, 1]), np.array([0, 1])))
        y_scores = diagonal if form == "dia" else sparse.coo_array(cells, shape=(2, 2)).asformat(form)
        assert recall_at_k([[1, 0], [0, 1]], y_scores, average=None).tolist() == [1, 1]


class TestFinding:
    def test_shapes_whose_cells_do_not_count_in_64_bits(self):
        def stored(*indices):
            return SimpleNamespace(
                nnz=3, indices=np.array(indices), indptr=np.array([0, 2, 3]), shape=(2, 2**63)
            )  # two rows of so many columns have more cells than an integer counts

        assert find_entries(stored(5, 2**61, 7), stored(2**61, 2**61 + 1, 7)).tolist() == [1, -1, 0]

    def test_nothing_is_stored(self):
        y_scores = sparse.csr_array((2, 3))
        assert mrr_at_k(DENSE, y_scores) == 0

    def test_short_floats_beside_sparse_scores(self):
        # 0.25 < 0.5, both stored; dense grades of a dtype that SciPy does not have.
        y_scores = sparse.csr_array(np.array([[0.5, 0.25]]))
        for dtype in ("f2", ">i8", ">f4"):
            assert mrr_at_k(np.array([[0, 1]], dtype), y_scores) == 1 / 2
