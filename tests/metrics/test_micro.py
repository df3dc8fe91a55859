"""Micro averages wherever figures are made: functions, reports, accumulators, dask; worked examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from over_registry import NAN, call, measure_of, those
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import (
    RankingAccumulator,
    evaluate,
    f1_at_k,
    map_at_k,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
)

MICRO = {"average": "micro"}
NEVER = -np.inf
# Hits at ranks 1 and 3 of R = 2; at rank 2 of R = 3; no relevant item.
Y = [[1, 0, 1, 0], [0, 1, 1, 1], [0, 0, 0, 0]]
S = [[4.0, 3.0, 2.0, 1.0], [4.0, 3.0, NEVER, NEVER], [4.0, 3.0, 2.0, 1.0]]

undefined_at_times = those(lambda metric: measure_of(metric).denominator and not measure_of(metric).always_defined)


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0, nan_ok=True)


class TestFunctions:
    @pytest.mark.parametrize(
        ("metric", "k", "options", "expected"),
        [
            (precision_at_k, 3, {}, (2 + 1) / (3 + 3 + 3)),
            (precision_at_k, None, {}, (2 + 1) / (4 + 2 + 4)),
            (precision_at_k, 0.5, {}, (1 + 0) / (2 + 1 + 2)),
            (precision_at_k, "relevant", {}, (1 + 1) / (2 + 3 + 0)),
            (recall_at_k, 3, {}, (2 + 1) / (2 + 3 + 0)),
            (recall_at_k, 2, {"denominator": "attainable"}, (1 + 1) / (2 + 2 + 0)),
            (f1_at_k, 3, {}, 2 * (2 + 1) / (3 + 2 + 3 + 3 + 3 + 0)),
            (map_at_k, 3, {"denominator": "relevant"}, (1 + 2 / 3 + 1 / 2) / (2 + 3 + 0)),
            (map_at_k, 2, {}, (1 + 1 / 2) / (2 + 2 + 0)),
            (map_at_k, 3, {"denominator": "k"}, (1 + 2 / 3 + 1 / 2) / (3 + 3 + 3)),
            (ndcg_at_k, 2, {}, (1 + 1 / math.log2(3)) / (2 * (1 + 1 / math.log2(3)))),
        ],
    )
    def test_numerators_over_denominators(self, metric, k, options, expected):
        assert metric(Y, S, k, average="micro", **options) == exactly(expected)

    def test_r_precision(self):
        assert r_precision(Y, S, average="micro") == exactly((1 + 1) / (2 + 3))

    def test_a_row_of_r_zero_brings_zero_division_times_its_denominator(self):
        assert precision_at_k(Y, S, 3, average="micro", zero_division=1.0) == exactly((2 + 1 + 3) / 9)
        assert precision_at_k(Y, S, 3, average="micro", zero_division=NAN) == exactly((2 + 1) / 6)
        assert recall_at_k(Y, S, 3, average="micro", zero_division=1.0) == exactly(3 / 5)  # 0 of it

    def test_weights_multiply_both(self):
        value = precision_at_k(Y, S, 3, average="micro", sample_weight=[1, 2, 0.5])
        assert value == exactly((2 + 2 * 1) / (3 + 6 + 1.5))
        assert recall_at_k(Y, S, 3, average="micro", sample_weight=[1, 2, 7]) == exactly((2 + 2 * 1) / (2 + 2 * 3))

    def test_a_group_weighs_the_mean_of_its_rows(self):
        value = recall_at_k(
            [1, 0, 1, 1], [2, 1, 1, 2], 1, groups=list("aabb"), sample_weight=[1, 3, 1, 0], average="micro"
        )
        assert value == exactly((2 * 1 + 0.5 * 1) / (2 * 1 + 0.5 * 2))

    @undefined_at_times
    def test_no_denominator_at_all(self, metric):
        empty = [[0, 0, 0]], [[3, 2, 1]]
        assert call(metric, *empty, 1, average="micro", zero_division=0.5) == 0.5
        with pytest.warns(UndefinedMetricWarning, match="No row has a relevant item"):
            assert np.isnan(call(metric, *empty, 1, average="micro", zero_division=NAN))


class TestReports:
    def test_a_request_of_its_own(self):
        found = evaluate(Y, S, ["recall@3", ("recall@3", MICRO), ("precision@3", MICRO, "pooled")])
        assert found == exactly({"recall@3": (1 + 1 / 3) / 3, "recall@3(average=micro)": 3 / 5, "pooled": 3 / 9})

    def test_for_all(self):
        found = evaluate(Y, S, ["recall@3", "f1@3", ("precision@3", {"average": "samples"})], average="micro")
        assert found == exactly(
            {"recall@3": 3 / 5, "f1@3": 6 / 14, "precision@3(average=samples)": (2 / 3 + 1 / 3) / 3}
        )

    def test_row_values_beside_means(self):
        found = evaluate(Y, S, [("recall@3", {"average": None}), ("recall@3", MICRO)])
        assert found["recall@3(average=None)"] == exactly([1, 1 / 3, 0])
        assert found["recall@3(average=micro)"] == exactly(3 / 5)

    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            (("mrr", MICRO), "weighs rows by their denominators, and mrr_at_k has none"),
            (("hit_rate@1", MICRO), "hit_rate_at_k has none"),
            (("dcg", MICRO), "dcg_at_k has none"),
            (("rbp", MICRO), "rbp has none"),
            (("err", {**MICRO, "max_grade": 1}), "err_at_k has none"),
            (("map", {**MICRO, "denominator": "hits"}), "map_at_k with denominator='hits' has none"),
            (("recall", {"average": "mean"}), "`average` must be 'samples', 'micro', 'macro' or None"),
        ],
        ids=repr,
    )
    def test_errors(self, request_, message):
        with pytest.raises(ValueError, match=message):
            evaluate(Y, S, [request_])
        with pytest.raises(ValueError, match=message):
            RankingAccumulator([request_])

    def test_refused_for_all_where_one_has_none(self):
        with pytest.raises(ValueError, match="mrr_at_k has none"):
            evaluate(Y, S, ["recall", "mrr"], average="micro")


REQUESTS = [
    ("precision@2", MICRO),
    ("recall@R", MICRO),
    ("f1@50%", MICRO),
    ("map@3", {**MICRO, "denominator": "relevant"}),
    ("ndcg@3", MICRO),
    ("r_precision", MICRO),
    ("roc_auc", MICRO),
    ("bpref", MICRO),
    ("judged@2", MICRO),
    "recall@2",
    ("psprecision@2", {"propensity": [1, 1 / 2, 1 / 4, 1 / 8]}),
    ("psndcg@2", {"propensity": [1, 1 / 2, 1 / 4, 1 / 8]}),
    ("psrecall@2", {"propensity": [1, 1 / 2, 1 / 4, 1 / 8], "average": "samples"}),
]


@pytest.fixture
def data(rng):
    y_true = (rng.random((60, 4)) < rng.random((60, 1))).astype(int)
    y_scores = rng.integers(0, 4, (60, 4)).astype(float)
    y_scores[rng.random((60, 4)) < 0.1] = NEVER
    return y_true, y_scores, rng.random(60) * 10.0 ** rng.integers(-3, 4, 60)


class TestParts:
    @pytest.mark.parametrize("zero_division", [0.0, 0.5, NAN])
    def test_accumulators_give_what_the_whole_gives(self, data, rng, zero_division):
        y_true, y_scores, weights = data
        expected = evaluate(y_true, y_scores, REQUESTS, sample_weight=weights, zero_division=zero_division)
        found = set()
        for _ in range(3):
            parts = np.array_split(rng.permutation(60), rng.integers(2, 9))
            accumulators = [RankingAccumulator(REQUESTS, zero_division=zero_division) for _ in parts]
            for accumulator, part in zip(accumulators, parts, strict=True):
                accumulator.update(y_true[part], y_scores[part], sample_weight=weights[part])
            for other in accumulators[1:]:
                accumulators[0].merge(other)
            result = accumulators[0].result()
            assert result == pytest.approx(expected, rel=1e-13)
            found.add(tuple(result.values()))
        assert len(found) == 1  # sums are exact, whatever the parts

    def test_parts_without_a_denominator(self):
        accumulator = RankingAccumulator([("recall@2", MICRO)], zero_division=0.5)
        accumulator.update([[0, 0]], [[2, 1]])
        assert accumulator.result() == {"recall@2(average=micro)": 0.5}
        accumulator.update([[1, 0], [1, 1]], [[2, 1], [2, 1]])
        assert accumulator.result() == {"recall@2(average=micro)": 1}

    def test_dask(self, data):
        pytest.importorskip("dask.array", exc_type=ImportError)
        import dask.array as da

        y_true, y_scores, weights = data
        expected = evaluate(y_true, y_scores, REQUESTS, sample_weight=weights)
        chunked = da.from_array(y_true, chunks=(17, 4)), da.from_array(y_scores, chunks=(13, 2))
        assert evaluate(*chunked, REQUESTS, sample_weight=weights) == pytest.approx(expected, rel=1e-13)
        lazy = evaluate(*chunked, REQUESTS, sample_weight=da.from_array(weights, chunks=20), compute=False)
        assert {key: value.compute() for key, value in lazy.items()} == pytest.approx(expected, rel=1e-13)
        assert recall_at_k(*chunked, 2, average="micro") == exactly(recall_at_k(y_true, y_scores, 2, average="micro"))
