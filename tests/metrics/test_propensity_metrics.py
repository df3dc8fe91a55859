"""Propensity-scored metrics: worked examples, averages, and which propensities fit which data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import evaluate, from_lists, from_qrels, psndcg_at_k, psprecision_at_k, psrecall_at_k

ALL = [psprecision_at_k, psrecall_at_k, psndcg_at_k]
# The items weigh 1, 2, 4 and 8.
P = [1, 1 / 2, 1 / 4, 1 / 8]
NEVER = -np.inf


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0, nan_ok=True)


def log2(x):
    return math.log2(x)


# Row 0: by rank the items 0, 1, 2, 3, of which 0 and 3 are relevant. Row 1: item 1 is relevant, on rank 2.
Y = [[1, 0, 0, 1], [0, 1, 0, 0]]
S = [[4, 3, 2, 1], [4, 3, 2, 1]]


class TestPsprecision:
    def test_weights_of_hits_over_the_greatest(self):
        # One hit of weight 1 where 8 + 1 were possible; 2 of 2.
        assert psprecision_at_k(Y, S, 2, propensity=P, average=None) == exactly([1 / 9, 1])
        assert psprecision_at_k(Y, S, 1, propensity=P, average=None) == exactly([1 / 8, 0])

    def test_micro_is_the_default(self):
        # (1 + 2) / 2 over (9 + 2) / 2.
        assert psprecision_at_k(Y, S, 2, propensity=P) == exactly((1 + 2) / (9 + 2))
        assert psprecision_at_k(Y, S, 2, propensity=P, average="samples") == exactly((1 / 9 + 1) / 2)

    def test_micro_of_whole_rankings_divides_by_what_was_retrieved(self):
        # 1 of 9 over four ranks, 2 of 2 over two.
        scores = [[4.0, 3.0, NEVER, NEVER], [4.0, 3.0, 2.0, 1.0]]
        assert psprecision_at_k(Y, scores, propensity=P) == exactly((1 / 2 + 2 / 4) / (9 / 2 + 2 / 4))

    def test_equal_propensities_leave_hits_over_attainable(self):
        assert psprecision_at_k(Y, S, 2, propensity=[1 / 3] * 4, average=None) == exactly([1 / 2, 1])


class TestPsrecall:
    def test_weights_of_hits_over_the_greatest(self):
        assert psrecall_at_k(Y, S, 2, propensity=P, average=None) == exactly([1 / 9, 1])

    def test_micro_divides_by_r(self):
        # 1 of 9 over R = 2, 2 of 2 over R = 1.
        assert psrecall_at_k(Y, S, 2, propensity=P) == exactly((1 / 2 + 2) / (9 / 2 + 2))

    def test_items_never_retrieved_are_among_the_best(self):
        assert psrecall_at_k([[1, 0, 0, 1]], [[4.0, 3.0, 2.0, NEVER]], 2, propensity=P) == exactly(1 / 9)


class TestPsndcg:
    def test_over_the_best_order(self):
        # Row 0 at k = 4: 1 + 8 / log2(5) of 8 + 1 / log2(3).
        first = (1 + 8 / log2(5)) / (8 + 1 / log2(3))
        assert psndcg_at_k(Y, S, 4, propensity=P, average=None) == exactly([first, (2 / log2(3)) / 2])

    def test_micro_divides_by_the_dcg_of_as_many_ones(self):
        ones = 1 + 1 / log2(3)
        numerator = (1 + 8 / log2(5)) / ones + 2 / log2(3)
        assert psndcg_at_k(Y, S, 4, propensity=P) == exactly(numerator / ((8 + 1 / log2(3)) / ones + 2))


class TestShared:
    @pytest.mark.parametrize("metric", ALL)
    def test_ties(self, metric):
        # One rank for the items of weight 1 and 8, both relevant: (1 + 8) / 2 of 8.
        tied = [[1, 0, 0, 1]], [[5, 1, 1, 5]]
        assert metric(*tied, 1, propensity=P) == exactly(9 / 16)
        assert metric(*tied, 1, propensity=P, ties="first") == exactly(1 / 8)
        assert metric(*tied, 1, propensity=P, ties="best") == 1
        assert metric(*tied, 1, propensity=P, ties="worst") == exactly(1 / 8)

    @pytest.mark.parametrize("metric", ALL)
    def test_rows_without_a_relevant_item(self, metric):
        y_true, y_scores = [[1, 0, 0, 0], [0, 0, 0, 0]], [[1, 4, 3, 2], [4, 3, 2, 1]]
        assert metric(y_true, y_scores, 4, propensity=P, average=None, zero_division=0.5)[1] == 0.5
        whole = metric(y_true, y_scores, 4, propensity=P)
        assert metric(y_true, y_scores, 4, propensity=P, zero_division=0.5) == whole  # which weigh nothing
        assert metric([[0, 0, 0, 0]], [[4, 3, 2, 1]], 4, propensity=P, zero_division=0.5) == 0.5

    @pytest.mark.parametrize("metric", ALL)
    def test_relevant_but_nothing_retrieved(self, metric):
        for k in (2, None, 0.5, "relevant"):
            assert metric([[1, 0]], [[NEVER, NEVER]], k, propensity=P[:2], average=None).tolist() == [0]
            assert metric([[1, 0]], [[NEVER, NEVER]], k, propensity=P[:2]) == 0

    @pytest.mark.parametrize("metric", ALL)
    def test_classes_beside_labels(self, metric):
        y_true, y_scores = ["b", "a"], [[0.9, 0.1], [0.8, 0.2]]
        # Rows weigh 2 and 1; the second has its hit at the top.
        assert metric(y_true, y_scores, 1, labels=["a", "b"], propensity=[1, 1 / 2]) == exactly(1 / 3)
        assert metric(y_true, y_scores, 1, labels=["b", "a"], propensity=[1, 1 / 2]) == exactly(1 / 3)

    @pytest.mark.parametrize("metric", ALL)
    @pytest.mark.parametrize(
        "to",
        [list, tuple, np.array, lambda p: np.array(p, np.float32), lambda p: np.array(p, object)],
        ids=["list", "tuple", "array", "float32", "object"],
    )
    def test_containers(self, metric, to):
        expected = metric(Y, S, 3, propensity=P)
        assert metric(Y, S, 3, propensity=to(P)) == expected
        assert metric(sparse.csr_array(Y), sparse.csr_array(S), 3, propensity=to(P)) == expected

    @pytest.mark.parametrize("metric", ALL)
    def test_a_series_by_position(self, metric):
        pd = pytest.importorskip("pandas")
        assert metric(Y, S, 3, propensity=pd.Series(P, index=[3, 2, 1, 0])) == metric(Y, S, 3, propensity=P)


class TestErrors:
    @pytest.mark.parametrize("metric", ALL)
    @pytest.mark.parametrize(
        ("propensity", "error", "message"),
        [
            (
                [1.0],
                ValueError,
                "`propensity` holds one number per column of `y_scores`: it has 1, but there are 4 columns",
            ),
            ([1.0] * 5, ValueError, "it has 5, but there are 4 columns"),
            ([], ValueError, r"`propensity` must hold one number per column, \(n_items,\), got shape \(0,\)"),
            ([P], ValueError, r"`propensity` must hold one number per column, \(n_items,\), got shape \(1, 4\)"),
            (0.5, (ValueError, TypeError), "`propensity` must"),
            ([0, 1, 1, 1], ValueError, "`propensity` must hold probabilities above 0 and up to 1, got 0"),
            ([1, 1.5, 1, 1], ValueError, "above 0 and up to 1, got 1.5"),
            ([1, -1, 1, 1], ValueError, "above 0 and up to 1, got -1"),
            ([1, np.nan, 1, 1], ValueError, "`propensity` .*(nan|NaN)"),
            (list("abcd"), (ValueError, TypeError), "`propensity` must be numeric"),
            (None, TypeError, "`propensity` is required"),
        ],
        ids=repr,
    )
    def test_propensities(self, metric, propensity, error, message):
        with pytest.raises(error, match=message):
            metric(Y, S, 2, propensity=propensity)
        with pytest.raises(error, match=message):
            evaluate(Y, S, [(metric, {"propensity": propensity})])

    @pytest.mark.parametrize("metric", ALL)
    def test_columns_that_are_no_items(self, metric):
        refused = r"`propensity` holds one number per column of `y_scores`: it has 2, but these rows have no columns"
        with pytest.raises(ValueError, match=refused):
            metric([1, 0, 1, 0], [4, 3, 2, 1], groups=[0, 0, 1, 1], propensity=P[:2])
        with pytest.raises(ValueError, match=refused):
            metric([1, 0], [2, 1], propensity=P[:2])
        with pytest.raises(ValueError, match=refused):
            metric(*from_lists([["a"], ["b"]], [["a", "b"], ["b", "a"]]), propensity=P[:2])
        with pytest.raises(ValueError, match=refused):
            metric(*from_qrels({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}), propensity=P[:2])

    def test_a_request_without_propensities(self):
        with pytest.raises(TypeError, match="`propensity` is required"):
            evaluate(Y, S, ["psndcg@5"])


class TestReports:
    def test_keys_hold_no_arrays(self):
        options = {"propensity": np.array(P), "average": "samples"}
        found = evaluate(Y, S, [("psndcg@2", {"propensity": np.array(P)}), ("psprecision@2", options), "precision@2"])
        assert list(found) == ["psndcg@2", "psprecision@2(average=samples)", "precision@2"]

    @pytest.mark.parametrize("metric", ALL)
    def test_micro_unless_something_else_is_asked_for(self, metric):
        text = metric.__name__.removesuffix("_at_k") + "@2"
        own, mean = metric(Y, S, 2, propensity=P), metric(Y, S, 2, propensity=P, average="samples")
        assert own != mean
        request = text, {"propensity": P}
        assert evaluate(Y, S, [request]) == {text: own}
        assert evaluate(Y, S, [(text, {"propensity": P, "average": "samples"}, "mean")]) == {"mean": mean}
        rows = evaluate(Y, S, [request], average=None)[text]
        assert rows.tolist() == metric(Y, S, 2, propensity=P, average=None).tolist()
        assert evaluate(Y, S, [request, "recall@2"], average="micro")[text] == own
