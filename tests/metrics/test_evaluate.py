"""evaluate: many metrics from one ranking, each equal to its function."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from over_registry import call, needed
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import (
    evaluate,
    from_lists,
    map_at_k,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
)
from sklearn_rank.metrics import _values
from sklearn_rank.metrics._registry import METRICS

# The relevant items have ranks 1 and 3, those of the second row ranks 2 and 4.
Y = [[1, 0, 1, 0], [0, 1, 0, 1]]
S = [[4.0, 3.0, 2.0, 1.0], [4.0, 3.0, 2.0, 1.0]]


def tied_problem(rng, grades=2):
    """Rows full of equal scores, one of them without a relevant item."""
    y_true = rng.integers(0, grades, (30, 12))
    y_true[7] = 0
    return y_true, rng.integers(0, 4, (30, 12)).astype(float)


TEXTS = [f"{name}@{k}" for name, metric in METRICS.items() if metric.takes_k for k in (1, 3, 10, 50)] + sorted(METRICS)


def all_requests(n_columns):
    """Each metric at several depths, with what it needs."""
    return [(text, needed(METRICS[text.partition("@")[0]], n_columns)) for text in TEXTS]


class TestValues:
    def test_by_hand(self):
        found = evaluate(Y, S, ["precision@2", "recall@2", "mrr", "map", "r_precision"])
        assert found == pytest.approx(
            {
                "precision@2": 1 / 2,
                "recall@2": 1 / 2,
                "mrr": (1 + 1 / 2) / 2,
                "map": ((1 + 2 / 3) / 2 + (1 / 2 + 2 / 4) / 2) / 2,
                "r_precision": 1 / 2,
            }
        )

    @pytest.mark.parametrize("ties", ["average", "first", "best", "worst"])
    def test_equals_the_functions(self, ties, rng):
        y_true, y_scores = tied_problem(rng)
        found = evaluate(y_true, y_scores, all_requests(y_true.shape[1]), ties=ties)
        assert list(found) == TEXTS
        for text, value in found.items():
            name, _, k = text.partition("@")
            expected = call(METRICS[name], y_true, y_scores, int(k) if k else None, ties=ties)
            assert value == pytest.approx(expected, rel=1e-14), text

    def test_row_values(self, rng):
        y_true, y_scores = tied_problem(rng)
        found = evaluate(y_true, y_scores, ["map@3", "mrr"], average=None)
        np.testing.assert_allclose(found["map@3"], map_at_k(y_true, y_scores, 3, average=None), rtol=1e-14)
        np.testing.assert_allclose(found["mrr"], mrr_at_k(y_true, y_scores, average=None), rtol=1e-14)
        assert found["map@3"].shape == (30,)

    def test_weights(self):
        found = evaluate(Y, S, ["mrr", "precision@1"], sample_weight=[3, 1])
        assert found == pytest.approx({"mrr": (3 * 1 + 1 / 2) / 4, "precision@1": 3 / 4})

    def test_threads(self, rng):
        y_true, y_scores = tied_problem(rng)
        requests = all_requests(y_true.shape[1])
        assert evaluate(y_true, y_scores, requests, n_jobs=2) == evaluate(y_true, y_scores, requests)

    def test_grades(self, rng):
        # The graded metrics read the grades, the others what the threshold makes of them.
        y_true, y_scores = tied_problem(rng, grades=4)
        found = evaluate(y_true, y_scores, ["ndcg@5", "map@5"], relevance_threshold=2)
        assert found["ndcg@5"] == pytest.approx(ndcg_at_k(y_true, y_scores, 5), rel=1e-14)
        assert found["map@5"] == pytest.approx(map_at_k((y_true >= 2).astype(int), y_scores, 5), rel=1e-14)
        with pytest.raises(ValueError, match="relevance_threshold"):
            evaluate(y_true, y_scores, ["ndcg@5", "map@5"])
        assert evaluate(y_true, y_scores, ["ndcg@5"]) == {"ndcg@5": found["ndcg@5"]}

    def test_class_labels(self):
        found = evaluate(["b", "c"], [[0.2, 0.7, 0.1], [0.5, 0.2, 0.3]], ["hit_rate@1", "mrr"], labels=["a", "b", "c"])
        assert found == pytest.approx({"hit_rate@1": 1 / 2, "mrr": (1 + 1 / 2) / 2})

    def test_groups(self):
        found = evaluate([0, 1, 1, 0], [4, 3, 2, 1], ["mrr", "precision@1"], groups=["p", "q", "p", "q"])
        assert found == pytest.approx({"mrr": (1 / 2 + 1) / 2, "precision@1": 1 / 2})

    def test_sparse_and_frames(self):
        expected = evaluate(Y, S, ["map@3", "mrr"])
        assert evaluate(sparse.csr_matrix(Y), sparse.csr_matrix(S), ["map@3", "mrr"]) == pytest.approx(expected)
        assert evaluate(pd.DataFrame(Y), pd.DataFrame(S), ["map@3", "mrr"]) == pytest.approx(expected)

    def test_lists_of_ids(self):
        y_true, y_scores = from_lists([["a"], ["b", "c"]], [["x", "a"], ["b"]])
        assert evaluate(y_true, y_scores, ["mrr", "recall"]) == pytest.approx({"mrr": 3 / 4, "recall": 3 / 4})

    def test_no_hit_leaves_nan(self):
        with pytest.warns(UndefinedMetricWarning, match="No row has a relevant item"):
            found = evaluate([[0, 0]], [[2, 1]], ["map"], zero_division=np.nan)
        assert np.isnan(found["map"])

    def test_values_are_floats(self):
        assert {type(value) for value in evaluate(Y, S, all_requests(len(S[0]))).values()} == {float}


class TestKeys:
    def test_order_of_requests(self):
        metrics = ["mrr", "map@3", ("map@3", {"ties": "first"}), "map@1", "r_precision"]
        assert list(evaluate(Y, S, metrics)) == ["mrr", "map@3", "map@3(ties=first)", "map@1", "r_precision"]

    def test_options_show(self):
        metrics = [("map@2", {"denominator": "k"}), ("ndcg@2", {"gain": "exponential", "ties": "best"})]
        assert list(evaluate(Y, S, metrics)) == ["map@2(denominator=k)", "ndcg@2(gain=exponential, ties=best)"]

    def test_own_key(self):
        found = evaluate(Y, S, [("map@2", {"denominator": "k"}, "mine"), ("map@2", {}, "usual"), "map@2"])
        assert list(found) == ["mine", "usual", "map@2"]
        assert found["usual"] == found["map@2"] == map_at_k(Y, S, 2)
        assert found["mine"] == map_at_k(Y, S, 2, denominator="k")

    def test_empty_options(self):
        assert list(evaluate(Y, S, [("map@2", {})])) == ["map@2"]

    def test_functions_are_the_whole_ranking(self):
        assert evaluate(Y, S, [map_at_k, r_precision]) == {"map": map_at_k(Y, S), "r_precision": r_precision(Y, S)}

    def test_without_at_the_whole_ranking(self):
        assert evaluate(Y, S, ["recall", "recall@1"]) == {"recall": 1.0, "recall@1": recall_at_k(Y, S, 1)}

    def test_any_iterable(self):
        expected = evaluate(Y, S, ["map@1", "map@2"])
        assert evaluate(Y, S, ("map@1", "map@2")) == expected
        assert evaluate(Y, S, (f"map@{k}" for k in (1, 2))) == expected
        assert evaluate(Y, S, {"map@1": 0, "map@2": 0}.keys()) == expected


class TestOptionsOfARequest:
    def test_ties(self, rng):
        y_true, y_scores = tied_problem(rng)
        found = evaluate(
            y_true, y_scores, ["map@3", ("map@3", {"ties": "best"}), ("map@3", {"ties": "worst"})], ties="first"
        )
        assert found == pytest.approx(
            {
                "map@3": map_at_k(y_true, y_scores, 3, ties="first"),
                "map@3(ties=best)": map_at_k(y_true, y_scores, 3, ties="best"),
                "map@3(ties=worst)": map_at_k(y_true, y_scores, 3, ties="worst"),
            }
        )
        assert len(set(found.values())) == 3

    def test_zero_division(self):
        y_true, y_scores = [[1, 0], [0, 0]], [[2, 1], [2, 1]]
        found = evaluate(y_true, y_scores, ["map", ("map", {"zero_division": 1.0}), ("map", {"zero_division": np.nan})])
        assert found == {"map": 1 / 2, "map(zero_division=1.0)": 1.0, "map(zero_division=nan)": 1.0}

    def test_threshold(self):
        y_true, y_scores = [[1, 3, 2]], [[3, 2, 1]]
        found = evaluate(y_true, y_scores, ["mrr", ("mrr", {"relevance_threshold": 2}), "ndcg"], relevance_threshold=1)
        assert found["mrr"] == 1.0
        assert found["mrr(relevance_threshold=2)"] == 1 / 2
        assert found["ndcg"] == pytest.approx(ndcg_at_k(y_true, y_scores))

    def test_one_ranking_for_all_that_share_it(self, monkeypatch):
        depths = []
        whole = _values.rank_rows

        def counted(*args, **options):
            depths.append(options["depth"])
            return whole(*args, **options)

        monkeypatch.setattr(_values, "rank_rows", counted)
        evaluate(Y, S, ["map@1", "ndcg@3", ("map@2", {"denominator": "k"}), ("map@1", {"zero_division": np.nan})])
        assert depths == [3]
        depths.clear()
        # What is settled after items are placed shares their places; the order of columns does not.
        evaluate(Y, S, ["map@1", ("map@3", {"ties": "worst"}), ("mrr@2", {"relevance_threshold": 1})])
        assert depths == [3]
        depths.clear()
        evaluate(Y, S, ["map@1", ("map@3", {"ties": "first"}), ("mrr", {"ties": "first"})])
        assert depths == [1, None]


class TestErrors:
    @pytest.mark.parametrize(
        ("metrics", "error", "message"),
        [
            (["map@3", "map@3"], ValueError, r"asks for 'map@3' more than once.*\(text, options, key\)"),
            (["map@3", ("ndcg", {}, "map@3")], ValueError, r"asks for 'map@3' more than once"),
            (["nmap@3"], ValueError, r"Unknown metric 'nmap@3': did you mean 'map@3'\? Known are bpref, dcg, err, f1"),
            (["map_at_k@3"], ValueError, r"did you mean 'map@3'"),
            (["r_precision@3"], ValueError, r"r_precision takes no k, got 'r_precision@3'"),
            (["map@0"], ValueError, r"The k of 'map@0' must be an integer of at least 1"),
            (
                ["map@ 3"],
                ValueError,
                r"k of 'map@ 3' must be an integer of at least 1, a percentage below 100% or R, got ' 3'",
            ),
            (["map@٣"], ValueError, r"must be an integer of at least 1"),
            ("map@3", TypeError, r"`metrics` must be a list such as \['map@10', 'mrr'\], got 'map@3'"),
            (map_at_k, TypeError, r"`metrics` must be a list"),
            (None, TypeError, r"`metrics` must be a list such as .*, got None"),
            ([], ValueError, r"`metrics` must name at least one metric, got none"),
            ([3], TypeError, r"`metric` must be a function of sklearn_rank or a text such as 'map@10', got int"),
            ([len], ValueError, r"`metric` must be a metric of sklearn_rank"),
            ([("map@3",)], TypeError, r"A request must be a text, \(text, options\) or \(text, options, key\)"),
            ([("map@3", "denominator", "k")], TypeError, r"A request must be"),
            ([("map@3", {}, 7)], TypeError, r"A request must be"),
            ([("map@3", {}, "key", "more")], TypeError, r"A request must be"),
            (
                [("map@3", {"denominators": "k"})],
                TypeError,
                r"map_at_k has no keyword denominators; it has denominator",
            ),
            ([("ndcg@3", {"relevance_threshold": 1})], TypeError, r"ndcg_at_k has no keyword relevance_threshold"),
            ([("map@3", {"denominator": "R"})], ValueError, r"`denominator` must be one of"),
            ([("map@3", {"ties": "random"})], ValueError, r"`ties` must be one of"),
            ([("map@3", {"zero_division": "warn"})], TypeError, r"`zero_division` must be a finite number or nan"),
            ([("map@3", {"sample_weight": [1]})], TypeError, r"sample_weight cannot differ between the metrics of one"),
            ([("map@3", {"groups": [1], "n_jobs": 2})], TypeError, r"groups, n_jobs cannot differ"),
        ],
        ids=repr,
    )
    def test_requests(self, metrics, error, message):
        with pytest.raises(error, match=message):
            evaluate(Y, S, metrics)

    def test_input_is_checked_as_in_the_functions(self):
        with pytest.raises(ValueError, match=r"`average`='macro' .*map_at_k\(Y\.T, S\.T\)"):
            evaluate(Y, S, ["map"], average="macro")
        with pytest.raises(ValueError, match="`ties` must be one of"):
            evaluate(Y, S, ["map"], ties="random")
        with pytest.raises(ValueError, match="do not match"):
            evaluate(Y, [[1, 2], [2, 1]], ["map"])
        with pytest.raises(ValueError, match="`sample_weight` has 1 entries for 2 rows"):
            evaluate(Y, S, ["map"], sample_weight=[1])

    def test_precision_alone(self):
        assert evaluate(Y, S, ["precision@1"]) == {"precision@1": precision_at_k(Y, S, 1)}
