"""evaluate: many metrics from one ranking, each equal to its function."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import (
    evaluate,
    expected_random,
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


ALL = [f"{name}@{k}" for name, metric in METRICS.items() if metric.takes_k for k in (1, 3, 10, 50)] + sorted(METRICS)


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
        found = evaluate(y_true, y_scores, ALL, ties=ties)
        assert list(found) == ALL
        for text, value in found.items():
            name, _, k = text.partition("@")
            options = {"k": int(k)} if k else {}
            expected = METRICS[name].function(y_true, y_scores, ties=ties, **options)
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
        assert evaluate(y_true, y_scores, ALL, n_jobs=2) == evaluate(y_true, y_scores, ALL)

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
        assert {type(value) for value in evaluate(Y, S, ALL).values()} == {float}


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
            (["nmap@3"], ValueError, r"Unknown metric 'nmap@3': did you mean 'map@3'\? Known are dcg, err, f1"),
            (["map_at_k@3"], ValueError, r"did you mean 'map@3'"),
            (["r_precision@3"], ValueError, r"r_precision takes no k, got 'r_precision@3'"),
            (["map@0"], ValueError, r"The k of 'map@0' must be an integer of at least 1"),
            (["map@ 3"], ValueError, r"k of 'map@ 3' must be an integer of at least 1, got ' 3'"),
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
            ([("map@3", {"average": None})], TypeError, r"average cannot differ between the metrics of one report"),
            ([("map@3", {"groups": [1], "n_jobs": 2})], TypeError, r"groups, n_jobs cannot differ"),
        ],
        ids=repr,
    )
    def test_requests(self, metrics, error, message):
        with pytest.raises(error, match=message):
            evaluate(Y, S, metrics)

    def test_input_is_checked_as_in_the_functions(self):
        with pytest.raises(ValueError, match=r"'macro'; map_at_k\(Y\.T, S\.T\)"):
            evaluate(Y, S, ["map"], average="macro")
        with pytest.raises(ValueError, match="`ties` must be one of"):
            evaluate(Y, S, ["map"], ties="random")
        with pytest.raises(ValueError, match="do not match"):
            evaluate(Y, [[1, 2], [2, 1]], ["map"])
        with pytest.raises(ValueError, match="`sample_weight` has 1 entries for 2 rows"):
            evaluate(Y, S, ["map"], sample_weight=[1])

    def test_precision_alone(self):
        assert evaluate(Y, S, ["precision@1"]) == {"precision@1": precision_at_k(Y, S, 1)}


class TestExpectedRandom:
    @pytest.mark.parametrize("name", METRICS)
    def test_is_the_value_of_constant_scores(self, rng, name):
        y_true = rng.integers(0, 4 if METRICS[name].graded else 2, (20, 7))
        options = {"max_grade": 3} if name == "err" else {}
        constant = np.zeros(y_true.shape)
        for k in (2, None) if METRICS[name].takes_k else (None,):
            text = name if k is None else f"{name}@{k}"
            (expected,) = evaluate(y_true, constant, [(text, options)]).values()
            assert expected_random(y_true, text, **options) == pytest.approx(expected, rel=1e-13)
            if k is not None:
                assert expected_random(y_true, METRICS[name].function, k=k, **options) == pytest.approx(expected)

    def test_by_hand(self):
        assert expected_random([[1, 0, 0, 0]], "precision@3") == 1 / 4
        assert expected_random([[1, 1, 0, 0]], "hit_rate@2") == pytest.approx(1 - 2 / 4 * 1 / 3, rel=1e-15)

    def test_sparse_and_more_items(self):
        y_true = sparse.csr_array([[0, 1, 0], [1, 0, 1]])
        assert expected_random(y_true, "recall@1") == pytest.approx(1 / 3, rel=1e-15)
        assert expected_random(y_true, "recall@1", n_items=100) == pytest.approx(1 / 100, rel=1e-13)
        assert y_true.shape == (2, 3)
        assert expected_random([[0, 1, 0]], "recall@1", n_items=50) == pytest.approx(1 / 50, rel=1e-13)
        assert expected_random([[0, 1, 0]], "recall@1", n_items=3) == pytest.approx(1 / 3, rel=1e-13)

    def test_class_labels_and_vectors(self):
        harmonic = (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
        assert expected_random(["a", "b"], "mrr", n_items=4) == pytest.approx(harmonic, rel=1e-15)
        assert expected_random(["a", "b"], "mrr", labels=["b", "x", "y", "a"]) == pytest.approx(harmonic, rel=1e-15)
        assert expected_random([0, 1, 0, 0], "mrr") == pytest.approx(harmonic, rel=1e-15)
        values = expected_random([0, 1, 1, 0], "precision@1", groups=[1, 1, 1, 2], average=None)
        assert values.tolist() == pytest.approx([2 / 3, 0])

    def test_options(self):
        weights = [3, 1]
        y_true = [[1, 0, 0, 0], [0, 0, 0, 0]]
        assert expected_random(y_true, "precision@1", sample_weight=weights) == 3 / 16
        assert expected_random(y_true, "precision@1", zero_division=np.nan) == 1 / 4

    @pytest.mark.parametrize(
        ("y_true", "metric", "options", "error", "message"),
        [
            ([[0, 1]], "map", {"ties": "first"}, TypeError, r"`ties` does not go with a random ranking"),
            ([[0, 1]], "map@2", {"k": 3}, ValueError, r"'map@2' names its own k, got k=3"),
            ([[0, 1]], "rbp", {"k": 3}, ValueError, r"rbp takes no k, got k=3"),
            ([[0, 1]], "map", {"gain": 1}, TypeError, r"map_at_k has no keyword gain"),
            ([[0, 1]], "map", {"n_items": 1}, ValueError, r"`n_items` must be at least the 2 columns of `y_true`, got 1"),
            ([[0, 1]], "map", {"n_items": 0}, ValueError, r"`n_items` must be an integer of at least 1, got 0"),
            (["a", "b"], "map", {"n_items": 1}, ValueError, r"at least the 2 classes of `y_true`, got 1"),
            ([0, 1], "map", {"n_items": 3, "labels": [0, 1]}, ValueError, r"`n_items` says how many items a row ranks"),
            ([[0, 1]], "map", {"labels": [0, 1]}, ValueError, r"`labels` does not go with a matrix `y_true`"),
            ([1.0, np.nan], "map", {"n_items": 4}, ValueError, r"`y_true` has a missing label"),
            (["a", None], "map", {"n_items": 4}, ValueError, r"`y_true` has a missing label"),
            ([[0, np.nan]], "map", {"n_items": 4}, ValueError, r"`y_true` contains NaN"),
            (["a", "b"], "map", {}, ValueError, r"`y_true` must be numeric, got 'a'"),
        ],
    )
    def test_errors(self, y_true, metric, options, error, message):
        with pytest.raises(error, match=message):
            expected_random(y_true, metric, **options)

    def test_no_score_matrix_is_made(self):
        y_true = sparse.csr_array((np.ones(2000), (np.arange(2000), np.arange(2000))), shape=(2000, 50_000))
        tracemalloc.start()
        value = expected_random(y_true, "hit_rate@10")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert value == pytest.approx(10 / 50_000, rel=1e-12)
        assert peak < 64e6  # a matrix of float32 has 400 MB
