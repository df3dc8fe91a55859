"""RankingAccumulator: micro and macro averages, intervals, counts and settings."""

from __future__ import annotations

import pickle
from functools import reduce

import numpy as np
import pytest
from test_accumulate import graded

from sklearn_rank import RankingAccumulator, evaluate


class TestAverages:
    """Micro and macro averages of parts are those of all rows."""

    REQUESTS = (
        ("recall@3", {"average": "micro"}, "recall"),
        ("ndcg@3", {"average": "micro"}, "ndcg"),
        ("precision@2", {"average": "macro"}, "precision"),
        ("f1@50%", {"average": "macro"}, "f1"),
        "map@R",
    )

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("zero_division", [0.0, 0.5, np.nan])
    def test_parts(self, weighted, zero_division, rng):
        y_true, y_scores, weights = graded(rng)
        weights = weights if weighted else np.ones(len(y_true))
        options = {"relevance_threshold": 1, "zero_division": zero_division}
        parts = [
            RankingAccumulator(self.REQUESTS, **options).update(y_true[rows], y_scores[rows], weights[rows])
            for rows in (slice(0, 13), slice(13, 14), slice(14, 60))
        ]
        expected = evaluate(y_true, y_scores, self.REQUESTS, sample_weight=weights, **options)
        assert reduce(RankingAccumulator.merge, parts).result() == pytest.approx(expected, rel=1e-12, nan_ok=True)

    def test_no_row_has_a_denominator(self):
        request = [("recall@3", {"average": "micro"}, "recall")]
        assert RankingAccumulator(request, zero_division=0.25).update([[0, 0]], [[2, 1]]).result() == {"recall": 0.25}


class TestIntervals:
    def test_of_a_mean(self, rng):
        y_true, y_scores, _ = graded(rng)
        accumulator = RankingAccumulator(["mrr", ("mrr", {"average": "macro"}, "never")][:1], relevance_threshold=1)
        for rows in (slice(0, 20), slice(20, 60)):
            accumulator.update(y_true[rows], y_scores[rows])
        values = evaluate(y_true, y_scores, ["mrr"], relevance_threshold=1, average=None)["mrr"]
        error = values.std(ddof=1) / np.sqrt(60)
        low, high = accumulator.normal_intervals(0.95)["mrr"]
        assert (low, high) == pytest.approx(
            (values.mean() - 1.959964 * error, values.mean() + 1.959964 * error), rel=1e-6
        )

    def test_weights(self):
        # Values 1 and 1/2 with weights 3 and 1: mean 7/8; (3/8)^2 + (3/8)^2 over 4^2, times 2 / 1.
        accumulator = RankingAccumulator(["mrr"]).update([[1, 0], [1, 0]], [[2, 1], [1, 2]], [3, 1])
        half = 1.959963984540054 * (2 * 2 * (3 / 8) ** 2 / 16) ** 0.5
        assert accumulator.normal_intervals()["mrr"] == pytest.approx((7 / 8 - half, 7 / 8 + half))

    def test_nothing_to_tell_spread_from(self):
        accumulator = RankingAccumulator(["mrr", ("recall@1", {"average": "macro"}, "macro")])
        accumulator.update([[1, 0]], [[2, 1]])
        assert all(np.isnan(ends).all() for ends in accumulator.normal_intervals().values())

    @pytest.mark.parametrize("level", [0, 1, 1.5, np.nan])
    def test_levels(self, level):
        with pytest.raises(ValueError, match="`confidence_level` must be a number between 0 and 1"):
            RankingAccumulator(["mrr"]).normal_intervals(level)


class TestSettings:
    def test_counts(self):
        accumulator = RankingAccumulator(["mrr", ("recall@1", {"average": "macro"}, "macro")], zero_division=np.nan)
        accumulator.update([[1, 0], [0, 0], [0, 1]], [[2, 1]] * 3, [1, 1, 0])
        assert accumulator.n_rankings_ == 3
        assert accumulator.counts_ == {"mrr": 1, "macro": 3}

    def test_equality(self):
        def make(**options):
            return RankingAccumulator(["mrr"], zero_division=np.nan, **options)

        one, other = make().update([[1, 0]], [[2, 1]]), make().update([[1, 0]], [[2, 1]])
        assert one == other == pickle.loads(pickle.dumps(one))
        assert hash(one) == hash(other) == hash(make())
        assert one != make()
        assert one != make(ties="worst").update([[1, 0]], [[2, 1]])
        assert one != "mrr"

    def test_ids_of_two_parts(self):
        users, days = ["a", "a", "a", "b"], [1, 1, 2, 1]
        accumulator = RankingAccumulator(["mrr"]).update(
            [0, 1, 1, 1], [2, 1, 5, 6], groups=list(zip(users, days, strict=True))
        )
        assert accumulator.n_rankings_ == 3
        assert accumulator.result()["mrr"] == (1 / 2 + 1 + 1) / 3
        with pytest.raises(ValueError, match=r"`groups` holds \('a', 2\)"):
            accumulator.update([1], [1], groups=[("a", 2)])
