"""The best items of each row: order, equal scores, containers, refusals."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import top_k

NEVER = -np.inf


def by_python(scores, k):
    """Sort the columns of each row as Python does, which keeps equal ones in order."""
    rows = []
    for row in scores.tolist():
        shown = [column for column, score in enumerate(row) if score != NEVER]
        best = sorted(shown, key=lambda column: row[column], reverse=True)[:k]
        rows.append(best + [-1] * (k - len(best)))
    return rows


class TestOrder:
    def test_equal_scores_by_lower_column(self):
        assert top_k([[0.1, 0.9, 0.9, 0.5], [3, 1, 2, 0]], 3).tolist() == [[1, 2, 3], [0, 2, 1]]

    def test_signed_zeros_are_equal(self):
        assert top_k([[-0.0, 0.0, -1.0]], 2).tolist() == [[0, 1]]

    def test_infinite_scores(self):
        assert top_k([[0.0, np.inf, NEVER, np.inf]], 4).tolist() == [[1, 3, 0, -1]]

    def test_positions_are_plain_integers(self):
        assert top_k([[1.0, 2.0]], np.int64(1)).dtype == np.intp

    # Narrow rows, rows cut where the k-th score is found, and rows narrowed by the maxima of chunks (full and not).
    @pytest.mark.parametrize("m", [1, 7, 63, 64, 90, 300, 701, 1024])
    @pytest.mark.parametrize("k", [1, 3, 10, 40, 1100])
    def test_against_sorted(self, rng, m, k):
        for scores in (
            rng.random((9, m)),
            rng.integers(0, 3, (9, m)),
            rng.integers(-128, -126, (9, m)).astype(np.int8),
            rng.integers(0, 2, (9, m)).astype(bool),
            rng.random((9, m)).astype(np.float16),
            np.where(rng.random((9, m)) < 0.9, NEVER, rng.integers(0, 3, (9, m))),
        ):
            expected = by_python(scores, k)
            assert top_k(scores, k).tolist() == expected
            assert top_k(np.asfortranarray(scores), k).tolist() == expected

    @pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16])
    @pytest.mark.parametrize("m", [90, 300])
    def test_rows_of_the_least_value(self, dtype, m):
        least = 0 if dtype is bool else np.iinfo(dtype).min
        scores = np.full((3, m), least, dtype)
        scores[1, -1] += 1
        assert top_k(scores, 3).tolist() == [[0, 1, 2], [m - 1, 0, 1], [0, 1, 2]]
        stored = sparse.csr_array((scores.ravel(), np.tile(np.arange(m), 3), [0, m, 2 * m, 3 * m - 5]), shape=(3, m))
        assert top_k(stored, 3).tolist() == [[0, 1, 2], [m - 1, 0, 1], [0, 1, 2]]

    def test_many_blocks(self, rng):
        scores = rng.integers(0, 50, (3000, 200)).astype(np.float32)
        expected = np.argsort(-scores, axis=1, kind="stable")[:, :4]
        np.testing.assert_array_equal(top_k(scores, 4), expected)

    def test_integers_that_floats_would_merge(self):
        high = 2**63
        assert top_k(np.array([[high, high + 1, high - 1]], np.uint64), 3).tolist() == [[1, 0, 2]]


class TestContainers:
    def test_list_frame_and_other_byte_order(self):
        scores = [[0.2, 0.5, 0.3]]
        pd = pytest.importorskip("pandas")
        for given in (scores, pd.DataFrame(scores, columns=["a", "b", "c"]), np.array(scores, dtype=">f8")):
            assert top_k(given, 2).tolist() == [[1, 2]]

    def test_input_is_not_written_to(self, rng):
        scores = rng.random((5, 200))
        scores.flags.writeable = False
        assert top_k(scores, 3).shape == (5, 3)

    def test_masked_cells_were_never_retrieved(self):
        scores = np.ma.masked_array([[3.0, 2.0, 1.0]], [[True, False, False]])
        assert top_k(scores, 3).tolist() == [[1, 2, -1]]

    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    def test_sparse_rows_hold_what_was_retrieved(self, form):
        stored = ([2.0, 1.0, 0.0, -1.0], ([0, 0, 1, 1], [1, 2, 2, 0]))
        scores = sparse.coo_array(stored, shape=(3, 4)).asformat(form)
        assert top_k(scores, 2).tolist() == [[1, 2], [2, 0], [-1, -1]]

    def test_sparse_integers_below_zero(self):
        least = np.iinfo(np.int8).min
        scores = sparse.csr_array((np.array([least, 3, least], np.int8), [5, 70, 2], [0, 2, 3]), shape=(2, 90))
        assert top_k(scores, 3).tolist() == [[70, 5, -1], [2, -1, -1]]

    def test_long_sparse_rows(self, rng):
        dense = rng.integers(1, 5, (6, 900))
        dense[rng.random(dense.shape) < 0.3] = 0
        expected = by_python(np.where(dense == 0, NEVER, dense), 5)
        assert top_k(sparse.csr_matrix(dense), 5).tolist() == expected

    def test_nothing_stored(self):
        assert top_k(sparse.csr_array((2, 5)), 2).tolist() == [[-1, -1], [-1, -1]]


class TestLabels:
    def test_names_of_columns(self):
        got = top_k([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]], 2, labels=["cat", "dog", "owl"])
        assert got.tolist() == [["dog", "owl"], ["cat", "owl"]]
        assert got.dtype.kind == "U"

    def test_none_where_fewer_were_retrieved(self):
        got = top_k([[NEVER, 2.0, 1.0], [3.0, 2.0, 1.0]], 3, labels=[10, 20, 30])
        assert got.tolist() == [[20, 30, None], [10, 20, 30]]
        assert got.dtype == object

    def test_integers_stay_integers(self):
        assert top_k([[1, 2]], 1, labels=np.array([7, 8], np.int16)).dtype == np.int16

    def test_tuples_and_days(self):
        assert top_k([[1, 2]], 1, labels=[("a", 1), ("b", 2)]).tolist() == [[("b", 2)]]
        days = np.array(["2024-01-01", "2024-01-02"], "datetime64[ns]")
        assert top_k([[1, 2]], 3, labels=days).tolist() == [[days[1], days[0], None]]

    @pytest.mark.parametrize(
        ("labels", "kind", "shown"),
        [
            (["a"], ValueError, "1 entries for 2 columns"),
            (["a", "a"], ValueError, "repeats 'a'"),
            ("ab", TypeError, "'ab'"),
            ([["a", "b"]], ValueError, "shape"),
            (np.ma.masked_array([1, 2], [False, True]), ValueError, "masked"),
            (["a", None], ValueError, "missing"),
            ([1.0, np.nan], ValueError, "missing"),
            ([{}, []], TypeError, "dict"),
        ],
    )
    def test_refused(self, labels, kind, shown):
        with pytest.raises(kind, match=rf"`labels`.*{shown}"):
            top_k([[1, 2]], 1, labels=labels)


class TestRefused:
    @pytest.mark.parametrize("form", [np.array, sparse.csr_array])
    def test_nan(self, form):
        with pytest.raises(ValueError, match=r"`y_scores` contains NaN, first at row 1, column 2"):
            top_k(form([[1.0, 2.0, 3.0], [1.0, 2.0, np.nan]]), 1)

    @pytest.mark.parametrize("m", [90, 1000])
    @pytest.mark.parametrize("k", [1, 20])
    def test_nan_in_wide_rows(self, rng, m, k):
        scores = rng.random((4, m))
        scores[3, m // 2] = np.nan
        with pytest.raises(ValueError, match=f"first at row 3, column {m // 2}"):
            top_k(scores, k)

    @pytest.mark.parametrize("k", [True, 2.0, 0.5, "2", None, [1], 0, -1])
    def test_k(self, k):
        with pytest.raises((TypeError, ValueError), match=r"`k` must be an integer of at least 1, got ") as error:
            top_k([[1.0, 2.0]], k)
        assert repr(k) in str(error.value)

    @pytest.mark.parametrize("k", [2**33, 10**14, 10**40])
    def test_k_beyond_memory(self, k):
        with pytest.raises(ValueError, match=rf"`k` must be an integer that 1 rows have memory for, got {k};"):
            top_k([[1.0, 2.0]], k)

    def test_rows_beyond_memory(self):
        scores = sparse.csr_array((2, 2**40))
        with pytest.raises(ValueError, match=r"`k` must be an integer that 2 rows have memory for"):
            top_k(scores, 2**61)

    def test_columns_beyond_memory(self):
        with pytest.raises(ValueError, match=r"`k` must be an integer that 2 rows have memory for"):
            top_k(sparse.csr_array((2, 2**50)), 2**53)

    @pytest.mark.parametrize("scores", [[1.0, 2.0], np.zeros((2, 2, 2)), np.float64(3)])
    def test_other_shapes(self, scores):
        with pytest.raises((ValueError, TypeError), match=r"`y_scores` must be"):
            top_k(scores, 1)

    def test_one_ranking_says_what_would_do(self):
        with pytest.raises(ValueError, match=r"for one ranking pass \[y_scores\]"):
            top_k([0.1, 0.2], 1)

    @pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
    def test_empty(self, shape):
        for scores in (np.zeros(shape), sparse.csr_array(shape)):
            with pytest.raises(ValueError, match=r"`y_scores` needs at least one row and one column"):
                top_k(scores, 1)

    def test_text(self):
        with pytest.raises(ValueError, match=r"`y_scores` must be numeric"):
            top_k([["a", "b"]], 1)
