"""Averages over labels: against scikit-learn on indicator matrices, and against fractions where scores are equal."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import f1_score, precision_score, recall_score

from sklearn_rank import from_lists, precision_at_k, recall_at_k
from sklearn_rank._options import Inputs
from sklearn_rank.inputs._problem import check_problem
from sklearn_rank.metrics._macro import label_sums, macro
from sklearn_rank.ranking._gains import BinaryView

NEVER = -np.inf
TIES = ("average", "first", "best", "worst")
SKLEARN = {"precision": precision_score, "recall": recall_score, "f1": f1_score}


def sums_of(y_true, y_scores, k, ties="average", weights=None, n_jobs=None, threshold=None):
    view = BinaryView(threshold)
    problem = check_problem(Inputs(y_true, y_scores, weights), zeros=view.reads_zeros)
    return label_sums(problem, k, view, ties, n_jobs)


def figures_of(*args, undefined=0.0, **options):
    sums = sums_of(*args, **options)
    return {kind: macro(sums, kind, undefined) for kind in SKLEARN}


def indicators(scores, cutoffs):
    """1 where an item stands within the cutoff of its row, by a stable sort."""
    place = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
    return ((place < np.asarray(cutoffs)[:, None]) & (scores > NEVER)).astype(int)


def chances(truth, scores, k, ties):
    """The share of the orders in which each item is within k, from all orders of the columns that scores allow."""
    shown = [column for column, score in enumerate(scores) if score != NEVER]
    place = {
        "average": lambda column: 0,
        "first": lambda column: column,
        "best": lambda column: (not truth[column], column),
        "worst": lambda column: (truth[column], column),
    }[ties]

    def key(column):
        return -scores[column], place(column)

    orders = [order for order in permutations(shown) if list(order) == sorted(order, key=key)]
    inside = [sum(column in order[:k] for order in orders) for column in range(len(scores))]
    return [Fraction(count, len(orders)) for count in inside]


def by_enumeration(y_true, y_scores, k, ties, weights):
    """Precision, recall and F1 as fractions; labels without a denominator are 0."""
    tables = [chances(truth, row, k, ties) for truth, row in zip(y_true, y_scores, strict=True)]
    out = {kind: Fraction(0) for kind in SKLEARN}
    n_labels = len(y_true[0])
    for label in range(n_labels):
        parts = zip(weights, tables, y_true, strict=True)
        rows = [(weight, table[label], truth[label]) for weight, table, truth in parts]
        both = sum(weight * chance * truth for weight, chance, truth in rows)
        predicted = sum(weight * chance for weight, chance, _ in rows)
        relevant = sum(weight * truth for weight, _, truth in rows)
        for kind, above, below in (
            ("precision", both, predicted),
            ("recall", both, relevant),
            ("f1", 2 * both, predicted + relevant),
        ):
            out[kind] += Fraction(above) / below / n_labels if below else 0
    return out


class TestAgainstScikitLearn:
    @pytest.mark.parametrize("k", [1, 3, 11, None])
    @pytest.mark.parametrize("undefined", [0.0, 1.0, np.nan])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_one_cutoff(self, rng, k, undefined, weighted):
        y_true = (rng.random((30, 11)) < 0.2).astype(int)
        y_true[:4] = 0
        y_true[:, 5] = 0  # never relevant
        scores = rng.permutation(30 * 11).reshape(30, 11).astype(float)
        scores[rng.random(scores.shape) < 0.2] = NEVER
        scores[:, 7] = NEVER  # never predicted
        weights = rng.random(30) * (rng.random(30) < 0.8) if weighted else None
        top = indicators(scores, np.full(30, k or 11))
        got = figures_of(y_true, scores, k, weights=weights, undefined=undefined)
        for kind, function in SKLEARN.items():
            expected = function(y_true, top, average="macro", zero_division=undefined, sample_weight=weights)
            assert got[kind] == pytest.approx(expected, rel=1e-13)

    def test_r_of_each_row(self, rng):
        y_true = (rng.random((40, 9)) < 0.3).astype(int)
        y_true[3] = 0
        scores = rng.random((40, 9))
        top = indicators(scores, y_true.sum(axis=1))
        for kind, got in figures_of(y_true, scores, "relevant").items():
            assert got == pytest.approx(SKLEARN[kind](y_true, top, average="macro", zero_division=0), rel=1e-13)

    def test_share_of_what_was_retrieved(self, rng):
        y_true = (rng.random((40, 10)) < 0.3).astype(int)
        scores = np.where(rng.random((40, 10)) < 0.5, NEVER, rng.random((40, 10)))
        retrieved = (scores > NEVER).sum(axis=1).tolist()
        top = indicators(scores, [math.ceil(Fraction(3, 10) * n) for n in retrieved])
        for kind, got in figures_of(y_true, scores, 0.3).items():
            assert got == pytest.approx(SKLEARN[kind](y_true, top, average="macro", zero_division=0), rel=1e-13)

    @pytest.mark.parametrize("m", [70, 200, 900])
    @pytest.mark.parametrize("k", [2, 30])
    def test_wide_rows(self, rng, m, k):
        y_true = (rng.random((50, m)) < 0.1).astype(int)
        scores = rng.random((50, m)).astype(np.float32)
        top = indicators(scores, np.full(50, k))
        for ties in TIES:
            for kind, got in figures_of(y_true, scores, k, ties).items():
                assert got == pytest.approx(SKLEARN[kind](y_true, top, average="macro", zero_division=0), rel=1e-13)

    @pytest.mark.parametrize("dtype", [np.int16, np.uint8, np.float64])
    def test_equal_scores_by_lower_column(self, rng, dtype):
        y_true = (rng.random((60, 100)) < 0.1).astype(int)
        scores = rng.integers(0, 5, (60, 100)).astype(dtype)
        top = indicators(scores.astype(float), np.full(60, 4))
        for kind, got in figures_of(y_true, scores, 4, "first").items():
            assert got == pytest.approx(SKLEARN[kind](y_true, top, average="macro", zero_division=0), rel=1e-13)

    def test_class_labels(self, rng):
        labels = rng.integers(0, 6, 80)
        labels[:6] = range(6)
        scores = rng.random((80, 6))
        top = indicators(scores, np.full(80, 2))
        for kind, got in figures_of(labels, scores, 2).items():
            expected = SKLEARN[kind](labels[:, None] == range(6), top, average="macro")
            assert got == pytest.approx(expected, rel=1e-13)


class TestEqualScores:
    def test_worked_by_hand(self):
        # The first row has label 0 in its top 2 and labels 1 to 3 share the other place; the second has 1 and 0 there.
        y_true = [[1, 1, 0, 0], [0, 1, 0, 0]]
        scores = [[9.0, 5.0, 5.0, 5.0], [3.0, 4.0, 1.0, 2.0]]
        third = Fraction(1, 3)
        got = figures_of(y_true, scores, 2)
        # Predicted 2, 4/3, 1/3, 1/3; relevant 1, 2, 0, 0; hits 1, 4/3, 0, 0.
        assert got["precision"] == pytest.approx((Fraction(1, 2) + 1) / 4)
        assert got["recall"] == pytest.approx((1 + (1 + third) / 2) / 4)
        assert got["f1"] == pytest.approx((Fraction(2, 3) + 2 * (1 + third) / (3 + third)) / 4)

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("form", [np.asarray, "sparse", "int"])
    def test_all_orders(self, rng, ties, form):
        for trial in range(25):
            n, m = int(rng.integers(1, 5)), int(rng.integers(1, 6))
            y_true = rng.integers(0, 2, (n, m))
            scores = rng.integers(-1, 2, (n, m)).astype(float)
            if form != "int":
                scores[rng.random((n, m)) < 0.3] = NEVER
            weights = rng.integers(0, 4, n)
            weights[0] = 1
            k = int(rng.integers(1, m + 2))
            expected = by_enumeration(y_true.tolist(), scores.tolist(), k, ties, weights.tolist())
            given = scores.astype(np.int8) if form == "int" else scores
            if form == "sparse":
                row, column = np.nonzero(scores > NEVER)
                given = sparse.csr_array((scores[row, column], (row, column)), shape=scores.shape)
                y_given = sparse.csc_array(y_true) if trial % 2 else y_true
            else:
                y_given = y_true
            got = figures_of(y_given, given, k, ties, weights=weights)
            for kind, value in expected.items():
                assert got[kind] == pytest.approx(float(value), rel=1e-13, abs=1e-15)

    @pytest.mark.parametrize("ties", TIES)
    def test_wide_rows_are_what_narrow_ones_are(self, rng, ties):
        # 300 columns that were never retrieved change neither hits nor predictions, but lead to another route.
        y_true = (rng.random((20, 12)) < 0.4).astype(int)
        scores = rng.integers(0, 3, (20, 12)).astype(float)
        wide_true = np.hstack([y_true, np.zeros((20, 300), int)])
        wide_scores = np.hstack([scores, np.full((20, 300), NEVER)])
        narrow, wide = (
            figures_of(*pair, 5, ties, undefined=np.nan) for pair in ((y_true, scores), (wide_true, wide_scores))
        )
        assert wide == pytest.approx(narrow, rel=1e-13)

    @pytest.mark.parametrize("dtype", [bool, np.int8])
    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
    def test_rows_of_the_least_value(self, dtype, form):
        # Every one of 90 columns stands in the top 3 with chance 1/30; those of the label 0 hit.
        scores = np.full((2, 90), 0 if dtype is bool else -128, dtype)
        if form is sparse.csr_array:
            scores = form((scores.ravel(), np.tile(np.arange(90), 2), [0, 90, 180]), shape=(2, 90))
        y_true = np.zeros((2, 90), int)
        y_true[:, 0] = 1
        assert figures_of(y_true, scores, 3)["precision"] == pytest.approx(1 / 90)
        assert figures_of(y_true, scores, 3)["recall"] == pytest.approx(1 / 30 / 90)


class TestOptions:
    def test_thresholds_of_grades(self):
        y_true, scores = [[0, 2, 1], [3, 0, 0]], [[3, 2, 1], [3, 2, 1]]
        # From 2 on: labels 0 and 1 are relevant once each; predicted 2, 2, 0.
        assert figures_of(y_true, scores, 2, threshold=2)["precision"] == pytest.approx((1 / 2 + 1 / 2) / 3)
        # From 0 on all are relevant.
        assert figures_of(y_true, scores, 2, threshold=0)["recall"] == pytest.approx((1 + 1 + 0) / 3)
        assert figures_of(y_true, scores, 2, threshold=0)["precision"] == pytest.approx((1 + 1 + 0) / 3)

    def test_threads_change_nothing(self, rng):
        y_true = rng.random((4000, 300)) < 0.05
        scores = rng.integers(0, 20, (4000, 300))
        weights = rng.random(4000)
        one, two = (figures_of(y_true, scores, 7, weights=weights, n_jobs=n_jobs) for n_jobs in (1, 2))
        assert one == two

    def test_sums_of_parts(self, rng):
        y_true = (rng.random((30, 8)) < 0.3).astype(int)
        scores = rng.random((30, 8))
        parts = sums_of(y_true[:10], scores[:10], 3) + sums_of(y_true[10:], scores[10:], 3)
        whole = sums_of(y_true, scores, 3)
        for kind in SKLEARN:
            assert macro(parts, kind, 0.0) == macro(whole, kind, 0.0)

    def test_nothing_left_warns(self):
        sums = sums_of([[0, 0]], [[NEVER, NEVER]], 1)
        with pytest.warns(UndefinedMetricWarning, match="No label has a denominator"):
            assert math.isnan(macro(sums, "recall", np.nan))

    def test_nothing_stored(self):
        empty = sparse.csr_array((2, 3))
        assert figures_of(sparse.csr_array([[1, 0, 0], [0, 0, 0]]), empty, 2) == {"precision": 0, "recall": 0, "f1": 0}

    def test_public_functions(self):
        y_true, scores = [[1, 0], [1, 1]], [[2, 1], [1, 2]]
        # Label 0: predicted 1, relevant 2, hit 1; label 1: predicted 1, relevant 1, hit 1.
        assert precision_at_k(y_true, scores, 1, average="macro") == 1.0
        assert recall_at_k(y_true, scores, 1, average="macro") == (1 / 2 + 1) / 2


class TestWeights:
    def test_labels_of_light_rows_keep_their_ratio(self):
        # The first row, of almost no weight, alone names labels 0 and 1, of which 0 is right.
        y_true, scores = [[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [NEVER, NEVER, 1.0]]
        got = figures_of(y_true, scores, 2, weights=[1e-320, 1e300])
        assert got == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})

    def test_a_heavy_row_outweighs_a_light_one(self):
        y_true, scores = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
        # Label 0 is right in the first row alone.
        assert figures_of(y_true, scores, 1, weights=[1e300, 1e-300])["precision"] == pytest.approx(1 / 2)
        assert figures_of(y_true, scores, 1, weights=[1e-300, 1e300])["precision"] == 0.0

    def test_weights_near_the_limits_do_not_overflow(self):
        y_true, scores = [[1, 0], [1, 0], [0, 1]], [[2, 1]] * 3
        for size in (1.7e308, 5e-324):
            assert figures_of(y_true, scores, 1, weights=3 * [size])["precision"] == pytest.approx((2 / 3 + 0) / 2)

    def test_scale_does_not_matter(self, rng):
        y_true, scores, weights = rng.integers(0, 2, (20, 5)), rng.integers(0, 3, (20, 5)), rng.random(20)
        expected = figures_of(y_true, scores, 2, weights=weights)
        for power in (-900, -511, 300, 512, 1000):
            assert figures_of(y_true, scores, 2, weights=weights * 2.0**power) == pytest.approx(expected, rel=1e-13)

    def test_sums_of_parts_of_other_weights(self):
        y_true, scores = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
        parts = [sums_of(y_true[i : i + 1], scores[i : i + 1], 1, weights=[w]) for i, w in enumerate((1e-300, 1e300))]
        assert macro(parts[0] + parts[1], "precision", 0.0) == 0.0
        assert macro(parts[0] + parts[1], "recall", 0.0) == 1 / 2


class TestRefused:
    @pytest.mark.parametrize("groups", [None, [1, 1, 2]])
    def test_one_dimension(self, groups):
        with pytest.raises(ValueError, match=r"`average`='macro' needs columns that are the same items"):
            precision_at_k([1, 0, 1], [3.0, 2.0, 1.0], 1, groups=groups, average="macro")

    def test_lists(self):
        with pytest.raises(ValueError, match=r"`average`='macro' needs columns .*from_lists"):
            recall_at_k(*from_lists([["a"], ["b"]], [["a"], ["a"]]), 1, average="macro")

    def test_unknown_relevance(self):
        with pytest.raises(ValueError, match=r"`y_true` contains NaN, first in row 1"):
            precision_at_k([[1, 0], [0, np.nan]], [[1, 2], [1, 2]], 1, average="macro")

    def test_grades(self):
        with pytest.raises(ValueError, match=r"`y_true` must be binary"):
            precision_at_k([[1, 2]], [[1, 2]], 1, average="macro")

    def test_nan_scores(self):
        with pytest.raises(ValueError, match=r"`y_scores` contains NaN, first at row 0, column 1"):
            precision_at_k([[1, 0]], [[1, np.nan]], 1, average="macro")


class TestCutoffsBeyondTheRow:
    def test_beyond_integers(self):
        """Every item stands in the top k; each column is right once of two rows: (1 / 2 + 1 / 2) / 2."""
        assert precision_at_k([[1, 0], [0, 1]], [[1, 2], [2, 1]], 10**20, average="macro") == (1 / 2 + 1 / 2) / 2
