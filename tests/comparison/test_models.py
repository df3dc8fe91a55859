"""What may be compared: forms of relevance and scores, rows of the same queries, clusters, weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank import compare, from_lists, from_qrels


def values(comparison):
    return [row.value for row in comparison.rows]


class TestTheSameQueries:
    Y = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0]])
    S = np.tile([4.0, 3.0, 2.0, 1.0], (4, 1))

    def both(self, first, second, **options):
        scores = {"a": self.S, "b": self.S} if np.ndim(first) > 1 or sparse.issparse(first) else options.pop("scores")
        return compare({"a": first, "b": second}, scores, ["mrr"], n_resamples=9, **options)

    def test_other_numbers_of_relevant_items(self):
        with pytest.raises(
            ValueError, match=r"model 'b' has other queries.*row 0 has the relevant grades \[1, 1, 1\] in t"
        ):
            self.both(self.Y, self.Y[::-1])
        with pytest.raises(ValueError, match="row 1 has the relevant grades"):
            self.both(sparse.csr_array(self.Y), self.Y[[0, 2, 1, 3]])

    def test_other_grades(self):
        graded = self.Y.copy()
        graded[3, 1] = 2
        with pytest.raises(
            ValueError, match=r"row 3 has the relevant grades \[1, 1, 2\] in the one, \[1, 1, 1\] in the"
        ):
            self.both(self.Y, graded, relevance_threshold=1)

    def test_other_classes(self):
        scores = {name: np.eye(3) for name in "ab"}
        with pytest.raises(ValueError, match="row 1"):
            self.both(["x", "y", "z"], ["x", "z", "y"], scores=scores)
        assert self.both(["x", "y", "z"], np.array(["x", "y", "z"]), scores=scores).n_rankings == 3

    def test_other_queries_of_groups(self):
        scores = {name: np.arange(5.0) for name in "ab"}
        groups = [1, 1, 2, 2, 2]
        with pytest.raises(ValueError, match=r"row 0 has the relevant grades \[\] in the one, \[1\] in the other"):
            self.both([0, 1, 0, 0, 1], [0, 0, 1, 0, 1], groups=groups, scores=scores)
        # Items of a query may stand in another order.
        assert self.both([0, 1, 1, 0, 1], [1, 0, 0, 1, 1], groups=groups, scores=scores).n_rankings == 2

    def test_items_may_have_another_order(self):
        order = [2, 0, 3, 1]
        result = compare(
            {"a": self.Y, "b": self.Y[:, order]}, {"a": self.S, "b": self.S[:, order]}, ["mrr"], n_resamples=9
        )
        assert values(result) == [7 / 8, 7 / 8]  # reciprocal ranks 1, 1, 1/2, 1

    def test_rows_of_lists(self):
        actual, predicted = [["a"], ["b", "c"]], [["a"], ["b", "x"]]
        one, two = from_lists(actual, predicted), from_lists(actual[::-1], predicted[::-1])
        with pytest.raises(ValueError, match="row 0"):
            compare({"a": one[0], "b": two[0]}, {"a": one[1], "b": two[1]}, ["recall@2"])

    def test_zeros_and_negative_grades_are_no_relevant_items(self):
        judged = sparse.csr_array((np.array([1.0, 0.0, -1.0, 1.0]), ([0, 0, 1, 1], [0, 1, 0, 1])), shape=(2, 3))
        plain = np.array([[0, 0, 1.0], [1.0, 0, 0]])
        scores = {"a": np.ones((2, 3)), "b": np.ones((2, 3))}
        result = compare({"a": judged, "b": plain}, scores, ["mrr"], relevance_threshold=1, n_resamples=9)
        assert values(result) == [11 / 18, 11 / 18]  # (1 + 1/2 + 1/3) / 3

    def test_errors_name_the_model(self):
        with pytest.raises(ValueError, match=r"do not match.*\(Model 'b'\.\)"):
            compare({"a": self.Y, "b": self.Y}, {"a": self.S, "b": self.S[:, :2]}, ["mrr"])


MARKS_QRELS = {"q": {"a": 1}, "r": {"a": 1}}
MARKS_RUN = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}}


class TestMarks:
    """What from_lists and from_qrels return belongs together, and says so."""

    def test_relevance_of_another_run(self):
        y1, s1 = from_qrels(MARKS_QRELS, MARKS_RUN)
        _, s2 = from_qrels(MARKS_QRELS, {query: {"A": 2.0, "a": 1.0} for query in "qr"})
        with pytest.raises(
            ValueError, match=r"`y_true` belongs to other scores than those of model 'five'.*dict of y_true"
        ):
            compare(y1, {"one": s1, "five": s2}, ["mrr"])
        with pytest.raises(
            ValueError, match=r"`y_true` belongs to other scores than those of model 'one'.*one call gave"
        ):
            compare(y1, {"one": s2}, ["mrr"])

    def test_no_mark_no_verdict(self):
        y1, s1 = from_qrels(MARKS_QRELS, MARKS_RUN)
        assert values(compare(y1.toarray(), {"a": s1}, ["mrr"], n_resamples=9)) == [1.0]


class TestQrelsAndRuns:
    def test_are_taken_as_they_are(self):
        qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d2": 2}, "q3": {"d9": 1}}
        first = {"q2": {"d1": 3.0, "d2": 2.0}, "q1": {"d2": 8.0, "d1": 7.0}, "q7": {"d1": 1.0}}
        second = {"q1": {"d1": 0.9}, "q2": {"d2": 0.5}, "q3": {"d1": 0.3}}
        result = compare(qrels, {"a": first, "b": second}, ["mrr"], relevance_threshold=1, n_resamples=99)
        assert values(result) == pytest.approx([(1 / 2 + 1 / 2 + 0) / 3, (1 + 1 + 0) / 3], rel=1e-15)
        assert result.n_rankings == 3

    def test_errors_name_the_model(self):
        with pytest.raises(TypeError, match=r"run.*\(Model 'a'\.\)"):
            compare({"q": {"d": 1}}, {"a": [[1, 2]]}, ["mrr"])

    def test_dicts_that_are_neither(self):
        for wrong in ({}, {"q": 3}):
            with pytest.raises(ValueError, match="`y_true` and `y_scores` must name the same models"):
                compare(wrong, {"a": [[1, 2]] * 2}, ["mrr"])


WEIGHTS_Y = [[0, 0], [1, 0], [0, 1], [1, 0]]
WEIGHTS_SCORES = {"a": [[2, 1]] * 4, "b": [[1, 2]] * 4}


class TestWeights:
    def test_of_rankings_that_do_not_count(self):
        # Three count, with weights 1, 2, 3: (1 + 2/2 + 3) / 6 and (1/2 + 2 + 3/2) / 6.
        for weights in ([1e210, 1, 2, 3], [1e300, 1e-300, 2e-300, 3e-300], [0, 1, 2, 3]):
            result = compare(
                WEIGHTS_Y, WEIGHTS_SCORES, ["mrr"], zero_division=np.nan, sample_weight=weights, n_resamples=99
            )
            assert values(result) == pytest.approx([5 / 6, 4 / 6], rel=1e-14)
            assert [row.n_rankings for row in result.rows] == [3, 3]

    def test_of_groups_that_do_not_count(self):
        groups = np.repeat([5, 3, 9, 1], 2)
        flat = {name: np.ravel(scores) for name, scores in WEIGHTS_SCORES.items()}
        weights = np.repeat([1e300, 1e-20, 2e-20, 3e-20], 2) * [1, 1, 0.5, 1.5, 1, 1, 2, 0]
        result = compare(
            np.ravel(WEIGHTS_Y),
            flat,
            ["mrr"],
            zero_division=np.nan,
            groups=groups,
            sample_weight=weights,
            n_resamples=9,
        )
        assert values(result) == pytest.approx([5 / 6, 4 / 6], rel=1e-14)

    def test_undefined_under_one_metric_only(self):
        y_true = np.array([[2, 0], [1, 0], [2, 0]])
        scores = {"one": [[2, 1], [2, 1], [1, 2]]}
        hard = ("mrr", {"relevance_threshold": 2}, "hard")
        result = compare(y_true, scores, ["dcg", hard], zero_division=np.nan, n_resamples=9)
        assert values(result) == pytest.approx([(2 + 1 + 2 / np.log2(3)) / 3, (1 + 1 / 2) / 2], rel=1e-14)
        assert [row.n_rankings for row in result.rows] == [3, 2]
        assert result.n_rankings == 3


CLUSTERS_Y = [[1, 0]] * 6
CLUSTERS_SCORES = {"a": [[2, 1]] * 6, "b": [[1, 2]] * 6}


class TestClusters:
    @pytest.mark.parametrize(
        "ids",
        [
            [7, 7, 1, 1, 9, 9],
            ["u", "u", "v", "v", "w", "w"],
            [("u", 1), ("u", 1), ("u", 2), ("u", 2), ("v", 1), ("v", 1)],
            np.array([0.5, 0.5, 1.5, 1.5, 2.5, 2.5]),
            pd.Series(["u", "u", "v", "v", "w", "w"], index=[3, 3, 1, 0, 0, 9], dtype="category"),
        ],
        ids=["numbers", "texts", "tuples", "array", "categories"],
    )
    def test_ids_of_any_kind(self, ids):
        row = compare(CLUSTERS_Y, CLUSTERS_SCORES, ["mrr"], clusters=ids).rows[1]
        assert row.p_value == 2 / 2**3

    def test_of_groups_stand_in_order_of_first_appearance(self):
        groups = ["z", "z", "a", "a", "m", "m"]
        flat = {"a": [2, 1, 2, 1, 1, 2], "b": [2, 1, 1, 2, 1, 2]}
        # Reciprocal ranks of z, a, m: 1, 1, 1/2 and 1, 1/2, 1/2; only a differs.
        for clusters, p_value in (([0, 0, 1], 1.0), ([0, 1, 1], 1.0)):
            result = compare([1, 0] * 3, flat, ["mrr"], groups=groups, clusters=clusters, n_resamples=99)
            assert result.rows[1].p_value == p_value
            assert result.n_clusters == 2

    def test_rankings_left_out_leave_their_cluster(self):
        weights = [1, 1, 1, 1, 0, 0]
        result = compare(CLUSTERS_Y, CLUSTERS_SCORES, ["mrr"], clusters=[1, 1, 2, 2, 3, 3], sample_weight=weights)
        assert (result.rows[1].p_value, result.n_clusters, result.n_rankings) == (2 / 2**2, 2, 4)
        with pytest.raises(
            ValueError, match="`clusters` must tell at least two clusters apart, got one that holds all"
        ):
            compare(CLUSTERS_Y, CLUSTERS_SCORES, ["mrr"], clusters=[1, 1, 1, 1, 3, 3], sample_weight=weights)

    @pytest.mark.parametrize(
        ("ids", "error", "message"),
        [
            ([1, 2], ValueError, "`clusters` needs one id for each of the 6 rankings, got 2 entries"),
            (np.ones((6, 2)), ValueError, r"`clusters` needs one id for each of the 6 rankings, got shape \(6, 2\)"),
            ([1, 1, 2, None, 2, 2], ValueError, r"`clusters` contains missing ids \(None or NaN\) in 1 rows: 3"),
            ([1.0, 1, 2, np.nan, 2, 2], ValueError, r"`clusters` contains missing ids"),
            ([7] * 6, ValueError, "`clusters` must tell at least two clusters apart, got 1 for 6 rankings"),
            ("abcdef", TypeError, "`clusters` must be an array or a list"),
            ([[1], [2], [3], [4], [5], {6}], (TypeError, ValueError), "`clusters`"),
        ],
    )
    def test_errors(self, ids, error, message):
        with pytest.raises(error, match=message):
            compare(CLUSTERS_Y, CLUSTERS_SCORES, ["mrr"], clusters=ids)
