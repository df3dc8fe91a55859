"""Metrics that tell unjudged items from irrelevant ones: worked examples, ties, forms of input, what others say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import bpref, evaluate, from_qrels, judged_at_k, map_at_k, precision_at_k

NAN, NEVER = np.nan, -np.inf


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0, nan_ok=True)


class TestBpref:
    def test_judged_irrelevant_items_above(self):
        # By rank: irrelevant, relevant, unjudged, relevant, irrelevant, irrelevant; R = 2, N = 3, one is above both.
        y_true, y_scores = [[0, 1, NAN, 1, 0, 0]], [[6, 5, 4, 3, 2, 1]]
        assert bpref(y_true, y_scores) == exactly(((1 - 1 / 2) + (1 - 1 / 2)) / 2)

    def test_more_than_r_above_count_as_r(self):
        # R = 1 and three above: 1 - min(3, 1) / min(3, 1).
        assert bpref([[0, 0, 0, 1]], [[4, 3, 2, 1]]) == 0

    def test_fewer_irrelevant_than_relevant(self):
        # R = 3, N = 1: below the irrelevant one a relevant item is worth 1 - 1/1.
        assert bpref([[1, 0, 1, 1]], [[4, 3, 2, 1]]) == exactly((1 + 0 + 0) / 3)

    def test_without_irrelevant_ones_each_retrieved_item_is_worth_one(self):
        assert bpref([[1, NAN, 1]], [[1, 3, 2]]) == 1
        assert bpref([[1, NAN, 1]], [[1.0, 3.0, NEVER]]) == exactly(1 / 2)

    def test_irrelevant_items_never_retrieved_count_in_n(self):
        # R = 2, N = 2: 1 - 1/2 for each of two relevant items below one irrelevant item.
        assert bpref([[0, 1, 1, 0]], [[3.0, 2.0, 1.0, NEVER]]) == exactly(1 / 2)

    def test_unjudged_items_change_nothing(self):
        expected = bpref([[0, 1, 0, 1]], [[4, 3, 2, 1]])
        assert bpref([[NAN, 0, NAN, 1, 0, 1]], [[9, 4, 3.5, 3, 2, 1]]) == expected == exactly((1 / 2 + 0) / 2)

    @pytest.mark.parametrize(
        ("ties", "expected"),
        [
            # Equal: irrelevant, relevant, irrelevant; R = 1, N = 2. None above in 1 of 3 orders.
            ("average", 1 / 3),
            ("first", 0),
            ("best", 1),
            ("worst", 0),
        ],
    )
    def test_ties(self, ties, expected):
        assert bpref([[0, 1, 0]], [[5, 5, 5]], ties=ties) == exactly(expected)

    def test_ties_are_uniform_over_what_stands_above(self):
        # R = 2; the relevant item among two irrelevant ones has 0, 1 or 2 above, the other one all: (1 + 1/2 + 0) / 3.
        assert bpref([[0, 1, 0, 1]], [[5, 5, 5, 1]]) == exactly((1 + 1 / 2 + 0) / 3 / 2)

    def test_micro_weighs_rows_by_their_relevant_items(self):
        y_true, y_scores = [[0, 1, 0], [1, 1, 0]], [[3, 2, 1], [3, 2, 1]]
        assert bpref(y_true, y_scores, average=None) == exactly([0, 1])
        assert bpref(y_true, y_scores, average="micro") == exactly((1 * 0 + 2 * 1) / 3)

    def test_takes_no_k(self):
        with pytest.raises(ValueError, match="bpref takes no k, got 'bpref@3'"):
            evaluate([[1, 0]], [[1, 2]], ["bpref@3"])


class TestJudged:
    @pytest.mark.parametrize(("k", "expected"), [(1, 1), (2, 1 / 2), (3, 2 / 3), (4, 3 / 4), (8, 3 / 8), (None, 3 / 4)])
    def test_judged_items_over_k(self, k, expected):
        assert judged_at_k([[1, NAN, 0, 0]], [[4, 3, 2, 1]], k) == exactly(expected)

    def test_whole_ranking_divides_by_what_was_retrieved(self):
        assert judged_at_k([[1, NAN, 0, 0]], [[4.0, 3.0, 2.0, NEVER]]) == exactly(2 / 3)

    def test_nothing_retrieved(self):
        assert judged_at_k([[1, 0]], [[NEVER, NEVER]], zero_division=0.5) == 0

    def test_never_undefined(self):
        assert judged_at_k([[0, NAN], [NAN, NAN]], [[2, 1], [2, 1]], 2, zero_division=NAN, average=None).tolist() == [
            1 / 2,
            0,
        ]

    def test_r_of_each_row(self):
        # R = 2 and R = 0.
        values = judged_at_k([[1, NAN, 1], [0, 0, 0]], [[3, 2, 1], [3, 2, 1]], "relevant", average=None)
        assert values == exactly([1 / 2, 0])

    @pytest.mark.parametrize(
        ("ties", "expected"), [("average", 2 * 2 / 3 / 2), ("first", 1 / 2), ("best", 1), ("worst", 1 / 2)]
    )
    def test_ties(self, ties, expected):
        # Two of three equals are judged; two ranks count.
        assert judged_at_k([[NAN, 0, 1]], [[5, 5, 5]], 2, ties=ties) == exactly(expected)

    def test_micro_weighs_rows_by_their_cutoffs(self):
        y_true, y_scores = [[1, NAN, 0], [NAN, NAN, 1]], [[3.0, 2.0, 1.0], [3.0, NEVER, NEVER]]
        assert judged_at_k(y_true, y_scores, average="micro") == exactly((2 + 0) / (3 + 1))
        assert judged_at_k(y_true, y_scores, 2, average="micro") == exactly((1 + 0) / (2 + 2))


class TestUnjudged:
    """What counts as unjudged, and who reads it."""

    @pytest.mark.parametrize(
        ("y_true", "options"),
        [
            ([[1, NAN, 0, 1]], {}),
            ([[1, None, 0, 1]], {}),
            (np.array([[1, NAN, 0, 1]], np.float16), {}),
            (np.array([[1, -1, 0, 1]], np.int8), {}),
            ([[1, -2, 0, 1]], {}),
            ([[3, -2, 1, 2]], {"relevance_threshold": 2}),
            (sparse.csr_array(([1, 0, 1], ([0, 0, 0], [0, 2, 3])), shape=(1, 4)), {}),
            (sparse.coo_array(([1.0, NAN, 0, 1], ([0, 0, 0, 0], [0, 1, 2, 3])), shape=(1, 4)), {}),
        ],
        ids=["nan", "None", "float16", "int8", "negative", "negative beside a threshold", "not stored", "nan stored"],
    )
    def test_forms(self, y_true, options):
        y_scores = [[1, 4, 3, 2]]  # by rank: unjudged, irrelevant, relevant, relevant; R = 2, N = 1
        assert bpref(y_true, y_scores, **options) == 0
        assert judged_at_k(y_true, y_scores, 2, **options) == 1 / 2

    def test_one_ranking_and_groups(self):
        y_true, y_scores, groups = [NAN, 1, 0, 1, NAN, 0], [3, 2, 1, 1, 2, 3], list("aaabbb")
        assert judged_at_k(y_true, y_scores, 1, groups=groups, average=None).tolist() == [0, 1]
        assert bpref(y_true, y_scores, groups=groups, average=None).tolist() == [1, 0]
        assert judged_at_k(y_true[:3], y_scores[:3], 3) == 2 / 3

    def test_all_cells_of_class_labels_are_judged(self):
        labels = ["a", "b"]
        assert judged_at_k(labels, [[2, 1], [2, 1]], 2, labels=labels) == 1
        assert bpref(labels, [[2, 1], [2, 1]], labels=labels, average=None).tolist() == [1, 0]

    def test_judgements_of_a_collection(self):
        # trec_eval: d4 was not judged, d5 judged below 0, which is unjudged, too.
        qrels = {"q": {"d1": 1, "d2": 0, "d3": 1, "d5": -1}}
        pair = from_qrels(qrels, {"q": {"d4": 9.0, "d2": 8.0, "d1": 7.0, "d5": 6.0}})
        assert judged_at_k(*pair, 4) == 2 / 4
        assert bpref(*pair) == exactly(((1 - 1 / 1) + 0) / 2)
        assert bpref(*from_qrels({"q": {"d1": 1, "d2": 0}}, {"q": {"d4": 9.0, "d1": 7.0, "d2": 1.0}})) == 1

    @pytest.mark.parametrize("metrics", [["map", "bpref"], ["judged@1", "precision@1"]])
    def test_in_one_report_others_still_refuse_it(self, metrics):
        with pytest.raises(ValueError, match="bpref and judged_at_k alone read NaN"):
            evaluate([[1.0, NAN]], [[2, 1]], metrics)
        with pytest.raises(ValueError, match=r"negative|-1|binary"):
            evaluate([[1, -1]], [[2, 1]], metrics)

    def test_a_report_of_both_kinds(self):
        y_true, y_scores = sparse.csr_array([[1, 0, 0, 1]]), [[1, 4, 3, 2]]
        found = evaluate(y_true, y_scores, ["judged@2", "bpref", "map", "precision@3"])
        # Nothing but the relevant items was judged: they have ranks 3 and 4.
        assert found == exactly({"judged@2": 0, "bpref": 1, "map": (1 / 3 + 2 / 4) / 2, "precision@3": 1 / 3})
        assert found["map"] == map_at_k(y_true, y_scores)
        assert found["precision@3"] == precision_at_k(y_true, y_scores, 3)

    def test_grades_want_a_threshold(self):
        for metric in (bpref, judged_at_k):
            with pytest.raises(ValueError, match=r"`y_true` must be binary.*relevance_threshold"):
                metric([[2.0, NAN]], [[2, 1]])
