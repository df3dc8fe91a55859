"""expected_random: the mean over all random rankings."""

from __future__ import annotations

import math
import tracemalloc
from itertools import permutations

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import evaluate, expected_random
from sklearn_rank.metrics._registry import METRICS


def options_of(name, max_grade, n_items):
    """What the metric needs to be told."""
    if name == "err":
        return {"max_grade": max_grade}
    return {"propensity": np.linspace(0.2, 0.9, n_items)} if name.startswith("ps") else {}


class TestExpectedRandom:
    @pytest.mark.parametrize("name", METRICS)
    def test_is_the_value_of_constant_scores(self, rng, name):
        y_true = rng.integers(0, 4 if METRICS[name].graded else 2, (20, 7))
        options = options_of(name, 3, 7)
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
            (
                [[0, 1]],
                "map",
                {"n_items": 1},
                ValueError,
                r"`n_items` must be at least the 2 columns of `y_true`, got 1",
            ),
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

    @pytest.mark.parametrize(
        ("metric", "expected"),
        [
            ("recall@1", 1e-8),
            ("precision", 1e-8),
            ("hit_rate@3", 3e-8),
            ("mrr@3", (1 + 1 / 2 + 1 / 3) * 1e-8),
            ("map@2", (1 + 1 / 2) * 1e-8),
            ("ndcg@2", (1 + 1 / math.log2(3)) * 1e-8),
            ("rbp", 1e-8 * (1 - 0.8**10**8)),
        ],
    )
    def test_memory_does_not_grow_with_the_items(self, metric, expected):
        tracemalloc.start()
        value = expected_random([[0, 1, 0]], metric, n_items=10**8)
        by_label = expected_random(["a", "b"], metric, n_items=10**8)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert value == by_label == pytest.approx(expected, rel=1e-12)
        assert peak < 1e6

    def test_no_score_matrix_is_made(self):
        y_true = sparse.csr_array((np.ones(2000), (np.arange(2000), np.arange(2000))), shape=(2000, 50_000))
        tracemalloc.start()
        value = expected_random(y_true, "hit_rate@10")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert value == pytest.approx(10 / 50_000, rel=1e-12)
        assert peak < 64e6  # a matrix of float32 has 400 MB


class TestOfWhatIsRetrieved:
    """Items at -inf, masked or not stored take no part; relevant ones among them are never found."""

    Y = np.array([[1, 0, 1, 0, 1], [0, 1, 0, 0, 0], [0, 0, 2, 1, 0]])
    KEPT = np.array([[1, 1, 0, 1, 1], [0, 0, 1, 1, 0], [1, 1, 1, 1, 1]], bool)

    @pytest.mark.parametrize("name", METRICS)
    def test_is_the_mean_over_all_orders(self, name):
        y_true = self.Y if METRICS[name].graded else np.minimum(self.Y, 1)
        options = options_of(name, 2, 5)
        scores = np.where(self.KEPT, np.arange(5.0), -np.inf)
        for k in (1, 3, None) if METRICS[name].takes_k else (None,):
            text = name if k is None else f"{name}@{k}"
            expected = []
            for truth, kept in zip(y_true, self.KEPT, strict=True):
                orders = np.full((math.factorial(kept.sum()), 5), -np.inf)
                orders[:, kept] = list(permutations(range(kept.sum())))
                report = evaluate(np.tile(truth, (len(orders), 1)), orders, [(text, options, "it")])
                expected.append(report["it"])
            values = expected_random(y_true, text, y_scores=scores, average=None, **options)
            assert values == pytest.approx(np.array(expected), rel=1e-12)

    def test_containers_of_one_mask(self):
        y_true = np.minimum(self.Y, 1)
        scores = np.where(self.KEPT, 0.5, -np.inf)
        expected = expected_random(y_true, "mrr@2", y_scores=scores)
        # 2 relevant of 4 candidates: 2/4 + 2/4 · 2/3 · 1/2; none of 2; 2 of 5: 2/5 + 3/5 · 2/4 · 1/2.
        assert expected == pytest.approx((2 / 4 + 1 / 6 + 0 + 2 / 5 + 3 / 20) / 3, rel=1e-15)
        stored = sparse.coo_array((np.zeros(self.KEPT.sum()), np.nonzero(self.KEPT)), shape=self.KEPT.shape)
        groups = np.repeat([7, 3, 5], 5)
        for truth, given, more in (
            (y_true, np.ma.masked_array(np.ones((3, 5)), ~self.KEPT), {}),
            (y_true, stored, {}),
            (sparse.csc_array(y_true), stored, {}),
            (sparse.csc_array(y_true), scores.astype(np.float32), {}),
            (y_true.ravel(), scores.ravel(), {"groups": groups}),
            (y_true[:, ::-1], np.asfortranarray(scores[:, ::-1]), {}),
        ):
            assert expected_random(truth, "mrr@2", y_scores=given, **more) == pytest.approx(expected, rel=1e-15)

    def test_whole_numbers_retrieve_all(self):
        assert expected_random([[0, 1, 0]], "recall@1", y_scores=[[3, 2, 1]]) == pytest.approx(1 / 3, rel=1e-15)

    def test_class_labels(self):
        scores = [[0.1, 0.2, -np.inf], [3, 2, 1]]
        value = expected_random(["b", "a"], "hit_rate@1", labels=["a", "b", "c"], y_scores=scores)
        assert value == pytest.approx((1 / 2 + 1 / 3) / 2, rel=1e-15)

    def test_rows_of_all_lengths_are_worked_on_in_blocks(self, rng, monkeypatch):
        monkeypatch.setattr("sklearn_rank.metrics._chance.BLOCK_CELLS", 16)
        lengths = rng.integers(1, 40, 30)
        groups = np.repeat(np.arange(30), lengths)
        y_true = np.concatenate([np.arange(length) == 0 for length in lengths]).astype(int)
        values = expected_random(y_true, "recall@3", groups=groups, average=None)
        assert values == pytest.approx(np.minimum(3 / lengths, 1), rel=1e-13)
        matrix = np.where(np.arange(40) < lengths[:, None], 0.0, -np.inf)
        truth = np.tile(np.arange(40) == 0, (30, 1))
        assert expected_random(truth, "recall@3", y_scores=matrix, average=None) == pytest.approx(values, rel=1e-13)

    def test_errors(self):
        with pytest.raises(ValueError, match=r"`y_scores` contains NaN, first at row 1, column 0"):
            expected_random([[0, 1]] * 2, "map", y_scores=[[1, 2], [np.nan, 1]])
        with pytest.raises(ValueError, match=r"`n_items` says how many items a row ranks, which `y_scores` tells"):
            expected_random([[0, 1]], "map", y_scores=[[1, 2]], n_items=3)
        with pytest.raises(ValueError, match=r"`relevance_threshold` must be above 0 for a sparse `y_true`"):
            expected_random([[0, 1]], "map", relevance_threshold=0, n_items=3)
        with pytest.raises(ValueError, match=r"`y_true` and `y_scores` do not match"):
            expected_random([[0, 1]], "map", y_scores=[[1, 2, 3]])
