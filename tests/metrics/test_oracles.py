"""Against plain loops: every option and cutoff, ties, thresholds, forms of input; micro averages."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles import NEVER, VARIANTS, fitted, micro
from over_registry import (
    NAN,
    TIES,
    call,
    every_metric,
    for_loops,
    judged_only,
    loops,
    measure_of,
    needed,
    those,
    variants,
)
from scipy import sparse

from sklearn_rank.metrics._registry import METRICS

# Every metric with each setting of its own options, and the cutoffs that it takes.
CUTOFFS = (1, 2, 3, 5, 6, 9, None, 0.1, 1 / 3, 0.5, 0.99, "relevant")
CASES = [
    pytest.param(metric, options, k, id=f"{name}-{place}-{k}")
    for name, metric in METRICS.items()
    for place, options in enumerate(variants(metric))
    for k in (CUTOFFS if metric.takes_k else (None,))
]


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-15)


def problem(seed, metric, n_rows=24, n_items=6):
    """Few scores, so that most rows have ties; some items, some rows and whole rows never retrieved or not judged."""
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 4 if metric.graded else 2, (n_rows, n_items)) * rng.integers(0, 2, (n_rows, n_items))
    y_scores = rng.integers(0, [[2], [3], [4], [9]] * (n_rows // 4), (n_rows, n_items)) / 4
    y_scores[rng.random(y_scores.shape) < 0.15] = NEVER
    y_scores[5] = NEVER
    y_scores[6, 2] = math.inf
    y_true[7] = 0
    y_true[8] = 1
    if metric.judged:
        y_true = np.where(rng.random(y_true.shape) < 0.3, NAN, y_true)
        y_true[9] = NAN
    return y_true, y_scores


# Kinds of scores for rows much wider than k.
WIDE = {
    "untied": lambda rng, shape: rng.normal(size=shape),
    "single": lambda rng, shape: rng.normal(size=shape).astype(np.float32),
    "half": lambda rng, shape: rng.normal(size=shape).astype(np.float16),
    "pairs": lambda rng, shape: rng.integers(0, shape[1] // 2, shape) / 8,
    "levels": lambda rng, shape: rng.integers(-4, 5, shape),
    "byte": lambda rng, shape: rng.integers(0, 256, shape).astype(np.uint8),
    "signed byte": lambda rng, shape: rng.integers(-128, 128, shape).astype(np.int8),
    "above 2**53": lambda rng, shape: 2**62 + rng.integers(0, 300, shape),
    "boolean": lambda rng, shape: rng.random(shape) < 0.01,
    "constant": lambda rng, shape: np.zeros(shape),
    "mostly never": lambda rng, shape: np.where(rng.random(shape) < 0.006, rng.integers(0, 3, shape), NEVER),
    "infinite": lambda rng, shape: np.where(rng.random(shape) < 0.01, np.inf, rng.normal(size=shape)),
}


class TestPlainLoops:
    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize(("metric", "options", "k"), CASES)
    def test_small_rows(self, metric, options, k, ties):
        y_true, y_scores = problem(len(str(k)), metric)
        expected = loops(metric, y_true, y_scores, k, ties, **options)
        assert call(metric, y_true, y_scores, k, ties=ties, average=None, **options) == close(expected)

    @pytest.mark.parametrize("ties", TIES)
    @those(lambda metric: "relevance_threshold" in metric.options)
    def test_grades_with_a_threshold(self, metric, ties):
        y_true, y_scores = problem(11, METRICS["dcg"])
        for options in variants(metric):
            expected = loops(metric, y_true >= 2, y_scores, 3, ties, **options)
            values = call(metric, y_true, y_scores, 3, ties=ties, relevance_threshold=2, average=None, **options)
            assert values == close(expected)

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16, np.float32, np.float64, object])
    @those(lambda metric: metric.judged)
    def test_negative_grades_are_unjudged(self, metric, dtype, ties):
        y_true, y_scores = problem(12, METRICS["dcg"])
        grades = np.where(np.random.default_rng(1).random(y_true.shape) < 0.3, -1 - y_true, y_true)
        expected = loops(metric, np.where(grades < 0, -1, grades >= 2), y_scores, 3, ties)
        given = grades.astype(dtype)
        assert call(metric, given, y_scores, 3, ties=ties, relevance_threshold=2, average=None) == close(expected)

    @every_metric
    def test_one_group_of_ten(self, metric):
        y_true = np.array([[1, 0, 0, 1, 0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [1] * 10])
        if metric.needs:  # where each item gains something else the loops go through far more orders
            y_true = y_true[:, -7:]
        y_scores = np.ones(y_true.shape)
        for options in variants(metric):
            for k in (1, 4, 7, 10, None):
                expected = loops(metric, y_true, y_scores, k, **options)
                assert call(metric, y_true, y_scores, k, average=None, **options) == close(expected)

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("kind", WIDE)
    @those(lambda metric: metric.takes_k)
    def test_wide_rows(self, rng, metric, kind, ties):
        """Rows much wider than k, where only a part of the scores needs a close look."""
        y_true = (rng.random((4, 700)) < 0.2).astype(int)
        y_scores = WIDE[kind](rng, y_true.shape)
        for k in (1, 5 if metric.needs is None else 3):  # weights of many sizes have many orders
            for options in variants(metric):
                expected = loops(metric, y_true, y_scores, k, ties, **options)
                assert call(metric, y_true, y_scores, k, ties=ties, average=None, **options) == close(expected)

    @pytest.mark.parametrize("ties", TIES[1:])
    @every_metric
    def test_whole_wide_rows(self, rng, metric, ties):
        y_true = (rng.random((4, 700)) < 0.3).astype(int)
        y_scores = rng.integers(0, 100, y_true.shape)
        for options in variants(metric):
            expected = loops(metric, y_true, y_scores, None, ties, **options)
            assert call(metric, y_true, y_scores, ties=ties, average=None, **options) == close(expected)

    @every_metric
    def test_labels(self, metric):
        """One relevant item a row, named by its class."""
        rng = np.random.default_rng(8)
        labels = np.array(["ant", "bee", "cat", "dog"])
        truth = labels[rng.integers(0, 4, 20)]
        y_scores = rng.integers(0, 3, (20, 4)) / 2
        one_hot = [[int(label == column) for column in labels] for label in truth]
        for options in variants(metric):
            for ties in TIES:
                expected = loops(metric, one_hot, y_scores, 2, ties, **options)
                values = call(metric, truth, y_scores, 2, ties=ties, average=None, labels=labels, **options)
                assert values == close(expected)

    @pytest.mark.parametrize("ties", TIES)
    @those(lambda metric: metric.judged)
    def test_unjudged_items_in_every_form(self, metric, ties):
        y_true, y_scores = problem(13, metric)
        y_true, y_scores = np.delete(y_true, 9, 0), np.delete(y_scores, 9, 0)
        n, m = y_true.shape
        groups = np.repeat(np.arange(n), m)
        retrieved = np.nonzero(y_scores > NEVER)
        scores = sparse.csr_array((y_scores[retrieved], retrieved), shape=y_scores.shape)
        for k in (1, 3, None, 0.5, "relevant"):
            expected = loops(metric, y_true, y_scores, k, ties)
            for pair in (
                (y_true, y_scores),
                (y_true.astype(np.float32), y_scores),
                (judged_only(y_true), y_scores),
                (judged_only(y_true).tocsc(), scores),
                (y_true, scores),
            ):
                assert call(metric, *pair, k, ties=ties, average=None) == close(expected)
            values = call(metric, y_true.ravel(), y_scores.ravel(), k, ties=ties, average=None, groups=groups)
            assert values == close(expected)
            one = call(metric, y_true[4], y_scores[4], k, ties=ties, average=None)
            assert one == close(expected[4:5])

    @those(lambda metric: metric.judged)
    def test_nullable_frames(self, metric):
        pd = pytest.importorskip("pandas")
        y_true, y_scores = problem(14, metric)
        expected = loops(metric, y_true, y_scores, 3)
        frame = pd.DataFrame(y_true)
        boolean = frame.astype("boolean")
        for truth in (frame, frame.astype("Int8"), frame.astype("Float64"), boolean, frame.astype(object)):
            assert call(metric, truth, pd.DataFrame(y_scores), 3, average=None) == close(expected)
        series = pd.Series(y_true.ravel()).astype("Int64")
        groups = np.repeat(np.arange(len(y_true)), y_true.shape[1])
        assert call(metric, series, y_scores.ravel(), 3, groups=groups, average=None) == close(expected)


# ---- micro averages

micro_cases = pytest.mark.parametrize(
    ("metric", "options"),
    [
        pytest.param(metric, options, id=f"{name}-{place}")
        for name, metric in METRICS.items()
        for place, options in enumerate(variants(metric))
        if metric.measure(1, **{**needed(metric, 4), **options}).denominator is not None
    ],
)


class TestMicro:
    """Sum of numerators / sum of denominators, in fractions."""

    @pytest.mark.parametrize("k", [1, 2, 5, 9, None, 0.4, "relevant"])
    @micro_cases
    def test_against_loops(self, metric, options, k):
        if not metric.takes_k:
            k = None
        y_true, y_scores = problem(21, metric)
        weights = np.random.default_rng(3).integers(0, 4, len(y_true)) / 2
        truths, scores = for_loops(y_true), y_scores.tolist()
        for ties in TIES:
            for undefined in (0.0, 0.5, 1.0, NAN):
                for given in (None, weights):
                    expected = micro(
                        metric.name,
                        truths,
                        scores,
                        k,
                        ties,
                        undefined,
                        None if given is None else given.tolist(),
                        **fitted(options, 6),
                    )
                    value = call(
                        metric,
                        y_true,
                        y_scores,
                        k,
                        average="micro",
                        ties=ties,
                        zero_division=undefined,
                        sample_weight=given,
                        **options,
                    )
                    assert type(value) is float
                    assert value == close(float(expected)), (ties, undefined, given is None)

    @micro_cases
    def test_forms_of_input(self, metric, options):
        y_true, y_scores = problem(22, metric)
        retrieved = np.nonzero(y_scores > NEVER)
        scores = sparse.csr_array((y_scores[retrieved], retrieved), shape=y_scores.shape)
        truth = judged_only(y_true) if metric.judged else sparse.csr_array(y_true)
        expected = close(
            float(
                micro(
                    metric.name,
                    for_loops(y_true),
                    y_scores.tolist(),
                    2 if metric.takes_k else None,
                    **fitted(options, 6),
                )
            )
        )
        assert call(metric, truth, scores, 2, average="micro", **options) == expected
        assert call(metric, y_true, y_scores, 2, average="micro", n_jobs=2, **options) == expected
        if metric.needs is None:
            groups = np.repeat(np.arange(24), 6)
            value = call(metric, y_true.ravel(), y_scores.ravel(), 2, average="micro", groups=groups, **options)
            assert value == expected

    @those(lambda metric: metric.name in VARIANTS)
    def test_options_without_a_denominator(self, metric):
        for options in variants(metric):
            if metric.measure(1, **{**needed(metric, 2), **fitted(options, 2)}).denominator is None:
                with pytest.raises(ValueError, match=f"`average`='micro' .*{metric.function.__name__}"):
                    call(metric, [[1, 0]], [[1, 2]], 1, average="micro", **options)

    @those(lambda metric: measure_of(metric).denominator is not None)
    def test_one_row_is_its_own_value(self, metric):
        y_true, y_scores = [[1, 0, 1, 0]], [[3, 3, 2, 1]]
        expected = loops(metric, y_true, y_scores, 3, **fitted(variants(metric)[0], 4))
        value = call(metric, y_true, y_scores, 3, average="micro", **variants(metric)[0])
        assert value == close(expected[0])
