"""How likely labels are recorded, after Jain et al. (2016)."""

from math import log

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import label_propensities

# Eight rows; labels 0 to 2 are carried by 8, 1 and 0 of them.
Y = np.array([[1, 1, 0]] + 7 * [[1, 0, 0]])


def propensity(count, n_rows, a=0.55, b=1.5):
    """The equation, in the form of the paper."""
    return 1 / (1 + (log(n_rows) - 1) * (b + 1) ** a * (count + b) ** -a)


class TestLabelPropensities:
    def test_worked_by_hand(self):
        # C = 2 (ln 8 - 1) with a = b = 1; the label that nobody carries has odds of C.
        c = 2 * (log(8) - 1)
        np.testing.assert_allclose(label_propensities(Y, a=1, b=1), [9 / (9 + c), 2 / (2 + c), 1 / (1 + c)], rtol=1e-15)

    @pytest.mark.parametrize("options", [{}, {"a": 0.5, "b": 0.4}, {"a": 0.6, "b": 2.6}])
    def test_formula(self, options):
        expected = [propensity(count, 8, **options) for count in (8, 1, 0)]
        np.testing.assert_allclose(label_propensities(Y, **options), expected, rtol=1e-14)

    def test_exponent_of_zero_makes_all_labels_alike(self):
        np.testing.assert_allclose(label_propensities(Y, a=0), 3 * [1 / log(8)], rtol=1e-15)

    def test_options_by_position(self):
        assert label_propensities(Y, 0.5, 0.4).tolist() == label_propensities(Y, b=0.4, a=0.5).tolist()

    def test_steep_exponents_do_not_overflow(self):
        assert label_propensities(Y, a=1e300, b=1).tolist() == [1.0, 1 / log(8), 0.0]

    @pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, object])
    def test_dtypes(self, dtype):
        expected = [propensity(count, 8) for count in (8, 1, 0)]
        np.testing.assert_allclose(label_propensities(Y.astype(dtype)), expected, rtol=1e-14)

    def test_containers(self):
        pd = pytest.importorskip("pandas")
        expected = label_propensities(Y).tolist()
        stored_zeros = sparse.csr_array((Y.ravel(), (np.repeat(range(8), 3), np.tile(range(3), 8))), shape=(8, 3))
        for given in (Y.tolist(), pd.DataFrame(Y), sparse.csc_matrix(Y), sparse.coo_array(Y), stored_zeros):
            assert label_propensities(given).tolist() == expected

    def test_class_labels_in_sorted_order(self):
        y = ["owl", "cat", "owl", "dog", "owl"]
        expected = [propensity(count, 5) for count in (1, 1, 3)]
        for given in (y, np.array(y, object)):
            np.testing.assert_allclose(label_propensities(given), expected, rtol=1e-14)

    def test_class_labels_are_what_their_indicators_are(self):
        y = np.array([7, 7, -2, 7, 10**12])
        assert label_propensities(y).tolist() == label_propensities(y[:, None] == [-2, 7, 10**12]).tolist()


class TestRefused:
    @pytest.mark.parametrize(
        ("y", "kind", "shown"),
        [
            (Y[:2], ValueError, "three rows.*N = 2"),
            (["a"], ValueError, "three rows.*N = 1"),
            ([], ValueError, "three rows.*N = 0"),
            (np.zeros((3, 0)), ValueError, "at least one column"),
            (sparse.csr_array((3, 0)), ValueError, "at least one column"),
            (Y * 2, ValueError, "holds the value 2"),
            (sparse.csr_array(Y * 2), ValueError, "holds the value 2"),
            (np.where(Y, np.nan, 0), ValueError, "holds the value nan"),
            (np.zeros((3, 3, 3)), ValueError, r"shape \(3, 3, 3\)"),
            (["a", None, "b"], ValueError, "missing label, first at row 1"),
            ([0.5, np.nan, 1.0], ValueError, "missing label, first at row 1"),
            (np.ma.masked_array(Y, Y == 0), ValueError, "masked"),
            (np.ma.masked_array([1, 2, 3], [0, 0, 1]), ValueError, "masked"),
            (np.array([1, "a", None], object), TypeError, "mixes labels|missing"),
            (np.array([["a", "b"]] * 3), ValueError, "must be numeric"),
            (None, TypeError, "must be an array"),
            ([{"a"}, {"b"}, {"a"}], TypeError, "set"),
        ],
    )
    def test_labels(self, y, kind, shown):
        with pytest.raises(kind, match=rf"`y` .*({shown})"):
            label_propensities(y)

    @pytest.mark.parametrize("a", [-0.1, np.inf, np.nan, "0.5", None, True, 10**400])
    def test_exponent(self, a):
        with pytest.raises((TypeError, ValueError), match="`a` must be a finite number of at least 0, got"):
            label_propensities(Y, a)

    @pytest.mark.parametrize("b", [0, -1.5, np.inf, np.nan, "1.5", None, [1.5]])
    def test_offset(self, b):
        with pytest.raises((TypeError, ValueError), match="`b` must be a finite number above 0, got"):
            label_propensities(Y, b=b)
