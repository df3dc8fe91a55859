"""What the arguments of all metrics may be: thresholds, scores, labels, groups, sparse matrices, frames."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import (
    map_at_k,
    mrr_at_k,
    precision_at_k,
    recall_at_k,
)

NEVER = -np.inf


def exactly(value):
    """Equal but for the rounding of a few operations."""
    return pytest.approx(value, rel=1e-13, abs=0, nan_ok=True)


def log2(x):
    return math.log2(x)


class TestRelevanceThreshold:
    def test_grades_from_it_on_count(self):
        # Grades 1, 3, 2 by rank; from 2 on, ranks 2 and 3 are hits.
        y_true, y_scores = [[3, 2, 1]], [[2, 1, 3]]
        assert map_at_k(y_true, y_scores, relevance_threshold=2) == exactly((1 / 2 + 2 / 3) / 2)
        assert recall_at_k(y_true, y_scores, 2, relevance_threshold=2) == exactly(1 / 2)
        assert recall_at_k(y_true, y_scores, 2, relevance_threshold=1) == exactly(2 / 3)

    def test_a_threshold_that_zeros_reach_makes_all_relevant(self):
        assert precision_at_k([[0, 0, 0]], [[3, 2, 1]], 2, relevance_threshold=0) == 1
        assert recall_at_k([[0, -1, 0]], [[3, 2, 1]], 1, relevance_threshold=0) == exactly(1 / 2)

    def test_grades_without_it_are_an_error_that_names_it(self):
        with pytest.raises(ValueError, match=r"binary.*relevance_threshold"):
            map_at_k([[2, 0, 1]], [[3, 2, 1]])

    def test_best_and_worst_sort_by_relevance_not_by_grade(self):
        # From 2 on two of four equals are hits; the greater grade brings nothing.
        y_true, y_scores = [[0, 2, 1, 3]], [[5, 5, 5, 5]]
        assert map_at_k(y_true, y_scores, relevance_threshold=2, ties="best") == 1
        assert map_at_k(y_true, y_scores, relevance_threshold=2, ties="worst") == exactly((1 / 3 + 2 / 4) / 2)


class TestScores:
    def test_plus_infinity_ranks_first(self):
        assert mrr_at_k([[0, 1, 0]], [[1e308, np.inf, 0.0]]) == 1

    def test_two_infinities_tie(self):
        assert mrr_at_k([[0, 1, 0]], [[np.inf, np.inf, 0.0]]) == exactly((1 + 1 / 2) / 2)

    def test_masked_cells_are_never_retrieved(self):
        scores = np.ma.masked_array([[9, 2, 1]], mask=[[True, False, False]])
        assert mrr_at_k([[0, 1, 0]], scores) == 1
        assert recall_at_k([[1, 1, 0]], scores) == exactly(1 / 2)

    def test_the_lowest_integer_is_a_score_like_any_other(self):
        scores = np.array([[-128, 127, -127]], dtype=np.int8)
        assert mrr_at_k([[1, 0, 0]], scores) == exactly(1 / 3)
        assert precision_at_k([[1, 0, 0]], scores) == exactly(1 / 3)

    def test_unsigned_integers_are_not_negated(self):
        assert mrr_at_k([[0, 1, 0]], np.array([[0, 255, 1]], dtype=np.uint8)) == 1

    def test_integers_above_two_to_the_53_stay_apart(self):
        assert mrr_at_k([[0, 1]], np.array([[2**60, 2**60 + 1]])) == 1
        assert mrr_at_k([[1, 0]], np.array([[2**60, 2**60 + 1]])) == exactly(1 / 2)

    def test_doubles_one_step_apart_do_not_tie(self):
        assert mrr_at_k([[0, 1]], [[1.0, np.nextafter(1.0, 2)]]) == 1

    def test_signed_zeros_tie(self):
        assert mrr_at_k([[1, 0]], [[0.0, -0.0]]) == exactly((1 + 1 / 2) / 2)

    @pytest.mark.parametrize("k", [None, 1])
    def test_nan_is_an_error_that_says_where(self, k):
        with pytest.raises(ValueError, match=r"NaN.*row 1, column 2"):
            map_at_k([[1, 0, 0], [1, 0, 0]], [[3, 2, 1], [3, 2, np.nan]], k)


class TestLabels:
    scores = ((0.1, 0.7, 0.2), (0.6, 0.3, 0.1))

    def test_columns_are_the_sorted_labels(self):
        # "b" stands at rank 1; "c" at rank 3.
        assert mrr_at_k(["b", "c", "a"], [*self.scores, (1.0, 0.5, 0.2)]) == exactly((1 + 1 / 3 + 1) / 3)

    def test_labels_name_the_columns_in_any_order(self):
        # Columns c, a, b: "b" of row 1 at rank 2, "c" of row 2 at rank 1.
        assert mrr_at_k(["b", "c"], self.scores, labels=["c", "a", "b"]) == exactly((1 / 2 + 1) / 2)

    def test_another_column_count_names_labels(self):
        with pytest.raises(ValueError, match="`labels=`"):
            mrr_at_k(["b", "c"], self.scores)

    def test_unknown_labels_are_an_error_that_shows_them(self):
        with pytest.raises(ValueError, match=r"\['z'\]"):
            mrr_at_k(["b", "z"], self.scores, labels=["a", "b", "c"])

    def test_numbers_and_booleans_are_labels(self):
        assert mrr_at_k([20, 10, 30], [[0.4, 0.6, 0.2]] * 3) == exactly((1 + 1 / 2 + 1 / 3) / 3)
        found = mrr_at_k([True, False], [[0.4, 0.6], [0.4, 0.6]], labels=[False, True])
        assert found == exactly((1 + 1 / 2) / 2)

    @pytest.mark.parametrize(
        "y_true", [[0, 1, 1, 0], ["no", "yes", "yes", "no"], [True, False, True, True], [1, 1, 1, 1]]
    )
    def test_two_values_beside_two_columns_can_be_read_in_two_ways(self, y_true):
        y_scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.7, 0.3]])
        with pytest.raises(ValueError, match=r"`y_scores\[:, 1\]`.*`labels=`"):
            mrr_at_k(y_true, y_scores)


class TestGroups:
    def test_one_vector_is_one_ranking(self):
        assert mrr_at_k([0, 1, 0], [0.9, 0.5, 0.1]) == exactly(1 / 2)

    def test_rows_of_a_group_anywhere_values_in_order_of_first_appearance(self):
        # Group "z": items 0, 2, 4 with the hit at rank 3; group "a": items 1, 3 with the hit at rank 1.
        y_true, y_scores, groups = [1, 1, 0, 0, 0], [1, 5, 2, 4, 3], ["z", "a", "z", "a", "z"]
        assert mrr_at_k(y_true, y_scores, groups=groups, average=None) == exactly([1 / 3, 1])

    def test_first_is_the_earlier_row(self):
        y_true, y_scores, groups = [0, 1, 1, 0], [2, 7, 2, 7], [1, 0, 1, 0]
        assert mrr_at_k(y_true, y_scores, groups=groups, ties="first", average=None) == exactly([1 / 2, 1])

    def test_a_group_weighs_the_mean_of_its_rows(self):
        # Weights (1 + 3) / 2 = 2 for the group with value 1, and 6 for that with 1/2.
        value = mrr_at_k([1, 0, 1, 0], [2, 1, 1, 2], groups=[0, 0, 1, 1], sample_weight=[1, 3, 5, 7])
        assert value == exactly((2 * 1 + 6 * 1 / 2) / 8)

    def test_the_weight_of_a_group_does_not_grow_with_its_length(self):
        # Both groups weigh 2; their values are 1 and 1/3.
        value = mrr_at_k([1, 0, 0, 1], [1, 3, 2, 1], groups=[0, 1, 1, 1], sample_weight=[2, 1, 2, 3])
        assert value == exactly((1 + 1 / 3) / 2)

    def test_weights_stay_with_their_rows_when_groups_are_mixed(self):
        # "a" has rows 0 and 2 with weights 1 and 3, its hit at rank 1; "b" 5 and 7, its hit at rank 2.
        value = mrr_at_k([1, 0, 0, 1], [2, 2, 1, 1], groups=list("abab"), sample_weight=[1, 5, 3, 7])
        assert value == exactly((2 * 1 + 6 * 1 / 2) / 8)

    def test_groups_of_different_length(self):
        # A hit alone; one at rank 2 of two; one at rank 3 of four.
        y_true = [1, 0, 1, 0, 0, 1, 0]
        y_scores = [1, 2, 1, 4, 3, 2, 1]
        groups = [7, 8, 8, 9, 9, 9, 9]
        assert mrr_at_k(y_true, y_scores, groups=groups) == exactly((1 + 1 / 2 + 1 / 3) / 3)
        assert precision_at_k(y_true, y_scores, groups=groups, average=None) == exactly([1, 1 / 2, 1 / 4])


class TestSparse:
    def test_only_stored_scores_are_retrieved_zeros_included(self):
        # Row 1 stores 0.0 for the hit and -1 for another; the second hit is not stored.
        y_scores = sparse.csr_array(([0.0, -1.0], ([0, 0], [1, 3])), shape=(1, 4))
        y_true = sparse.csr_array([[0, 1, 1, 0]])
        assert mrr_at_k(y_true, y_scores) == 1
        assert recall_at_k(y_true, y_scores) == exactly(1 / 2)
        assert precision_at_k(y_true, y_scores) == exactly(1 / 2)

    def test_sparse_truth_beside_dense_scores(self):
        assert map_at_k(sparse.coo_array([[1, 0, 1]]), [[3, 2, 1]]) == exactly((1 + 2 / 3) / 2)

    def test_dense_truth_beside_sparse_scores(self):
        assert recall_at_k([[1, 0, 1]], sparse.csr_array([[3, 2, 0]])) == exactly(1 / 2)

    def test_a_row_that_stores_nothing_has_no_hits(self):
        y_scores = sparse.csr_array([[0, 0], [1, 2]])
        assert mrr_at_k([[1, 0], [0, 1]], y_scores, average=None) == exactly([0, 1])


class TestFrames:
    def test_columns_of_two_frames_meet_by_name(self):
        pd = pytest.importorskip("pandas")
        y_true = pd.DataFrame({"a": [1, 0], "b": [0, 1]}, index=[5, 3])
        y_scores = pd.DataFrame({"b": [0.2, 0.9], "a": [0.8, 0.1]}, index=[3, 5])
        assert mrr_at_k(y_true, y_scores) == 1  # by position it would be 1/2
        assert mrr_at_k(y_true.to_numpy(), y_scores) == exactly(1 / 2)

    def test_other_names_are_an_error(self):
        pd = pytest.importorskip("pandas")
        with pytest.raises(ValueError, match="same names"):
            mrr_at_k(pd.DataFrame({"a": [1], "b": [0]}), pd.DataFrame({"a": [1], "c": [0]}))

    def test_a_frame_of_scores_names_the_classes(self):
        pd = pytest.importorskip("pandas")
        y_scores = pd.DataFrame([[0.7, 0.2, 0.1]], columns=["c", "a", "b"])
        assert mrr_at_k(["c"], y_scores) == 1
