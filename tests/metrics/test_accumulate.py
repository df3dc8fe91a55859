"""RankingAccumulator: parts in any order, merged in any way, give the figures of evaluate on the whole."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from over_registry import needed
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import RankingAccumulator, evaluate, map_at_k
from sklearn_rank.inputs._weights import Weights
from sklearn_rank.metrics._accumulate import BLOCK, exact_sum
from sklearn_rank.metrics._registry import METRICS

GRADES, ITEMS = 4, 12
ALL = [
    (text, {**({metric.from_data: GRADES - 1} if metric.from_data else {}), **needed(metric, ITEMS)}, text)
    for name, metric in sorted(METRICS.items())
    for text in ((f"{name}@1", f"{name}@3", f"{name}@50", name) if metric.takes_k else (name,))
]
ALL += [("map@3", {"denominator": "hits"}, "hits@3"), ("map@5", {"denominator": "hits"}, "hits@5")]
TIES = ["average", "first", "best", "worst"]


def graded(rng, n=60, m=ITEMS):
    """Rows full of equal scores, some without a relevant item, one with masked items; weights, two of them zero."""
    y_true = rng.integers(0, GRADES, (n, m)) * (rng.random((n, m)) < 0.3)
    y_true[7] = 0
    y_scores = rng.integers(0, 5, (n, m)) / 7
    y_scores[3, ::2] = -np.inf
    weights = rng.random(n) * 10.0 ** rng.integers(-3, 4, n)
    weights[[5, 7]] = 0
    return y_true, y_scores, weights


def cuts(rng, n, parts):
    """Slices of 0 to n, some of them empty."""
    bounds = [0, *sorted(rng.integers(0, n + 1, parts - 1).tolist()), n]
    return [slice(*pair) for pair in pairwise(bounds)]


def tree(accumulators, rng):
    """Two at random are merged until one is left."""
    accumulators = list(accumulators)
    while len(accumulators) > 1:
        first, second = rng.permutation(len(accumulators))[:2]
        accumulators[first].merge(accumulators[second])
        del accumulators[second]
    return accumulators[0]


def state(accumulator):
    """All that an accumulator knows."""
    return copy.deepcopy({k: v for k, v in vars(accumulator).items() if k not in ("_labels", "_lock")})


class TestEqualsEvaluate:
    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("zero_division", [0.0, 0.5, np.nan])
    def test_all_metrics(self, ties, weighted, zero_division, rng):
        y_true, y_scores, weights = graded(rng)
        options = {"ties": ties, "zero_division": zero_division, "relevance_threshold": 1}
        expected = evaluate(y_true, y_scores, ALL, sample_weight=weights if weighted else None, **options)
        accumulator = RankingAccumulator(ALL, **options)
        for rows in cuts(rng, len(y_true), 9):
            accumulator.update(y_true[rows], y_scores[rows], weights[rows] if weighted else None)
        found = accumulator.result()
        assert list(found) == list(expected)
        assert all(type(value) is float for value in found.values())
        assert found == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_groups(self, weighted, rng):
        groups = np.repeat(rng.permutation(20), rng.integers(1, 9, 20))
        y_true = rng.integers(0, 2, len(groups))
        y_scores = rng.integers(0, 5, len(groups))
        weights = rng.random(len(groups)) if weighted else None
        expected = evaluate(y_true, y_scores, ["map", "ndcg@3", "precision@2"], groups=groups, sample_weight=weights)
        accumulator = RankingAccumulator(["map", "ndcg@3", "precision@2"])
        for start in range(0, 20, 3):
            rows = rng.permutation(np.flatnonzero((groups >= start) & (groups < start + 3)))
            accumulator.update(
                y_true[rows], y_scores[rows], weights if weights is None else weights[rows], groups[rows]
            )
        assert accumulator.result() == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("names", [list(range(6)), list("fedcba")])
    def test_class_labels(self, names, rng):
        y_true = np.array(names)[rng.integers(0, 6, 50)]
        y_scores = rng.integers(0, 4, (50, 6))
        accumulator = RankingAccumulator(["map@3", "hit_rate@2"], labels=names)
        for row in range(50):  # a part holds one of six classes
            accumulator.update(y_true[[row]], y_scores[[row]])
        expected = evaluate(y_true, y_scores, ["map@3", "hit_rate@2"], labels=names)
        assert accumulator.result() == pytest.approx(expected, rel=1e-12)

    def test_all_kinds_of_matrices(self, rng):
        y_true, y_scores, weights = graded(rng, m=4)
        options = {"relevance_threshold": 1}
        expected = evaluate(y_true, y_scores, ["map", "dcg"], sample_weight=weights, **options)
        names = list("abcd")
        kinds = [
            lambda y, s: (y, s),
            lambda y, s: (y.tolist(), s.tolist()),
            lambda y, s: (sparse.csr_array(y), s),
            lambda y, s: (sparse.coo_matrix(y), np.asfortranarray(s)),
            lambda y, s: (pd.DataFrame(y, columns=names), pd.DataFrame(s, columns=names)[names[::-1]]),
            lambda y, s: (y, np.ma.masked_array(np.where(np.isinf(s), 0, s), np.isinf(s))),
        ]
        accumulator = RankingAccumulator(["map", "dcg"], **options, n_jobs=2)
        for i, kind in enumerate(kinds):
            part = slice(10 * i, 10 * i + 10)
            accumulator.update(*kind(y_true[part], y_scores[part]), pd.Series(weights[part], index=range(10, 0, -1)))
        assert accumulator.result() == pytest.approx(expected, rel=1e-12)

    def test_sparse_scores(self, rng):
        y_true = sparse.csr_array(rng.random((30, 20)) < 0.2)
        y_scores = sparse.csr_array(rng.random((30, 20)) * (rng.random((30, 20)) < 0.4))
        accumulator = RankingAccumulator(["map", "precision@5"])
        for rows in cuts(rng, 30, 4):
            accumulator.update(y_true[rows], y_scores[rows])
        assert accumulator.result() == pytest.approx(evaluate(y_true, y_scores, ["map", "precision@5"]), rel=1e-12)

    def test_one_vector_is_one_ranking(self):
        accumulator = RankingAccumulator(["mrr", "precision@1"])
        accumulator.update([0, 1], [2, 1]).update(pd.Series([1, 0, 0]), [3, 2, 1], sample_weight=[2, 3, 4])
        # Reciprocal ranks 1/2 and 1 with the weights 1 and (2 + 3 + 4) / 3.
        assert accumulator.result() == {"mrr": (1 / 2 + 3) / 4, "precision@1": 3 / 4}

    def test_rows_may_have_another_length_in_each_part(self):
        accumulator = RankingAccumulator(["mrr"]).update([[0, 1]], [[2, 1]]).update([[1, 0, 0]], [[3, 2, 1]])
        assert accumulator.result() == {"mrr": (1 / 2 + 1) / 2}

    def test_options_of_requests(self, rng):
        y_true, y_scores, _ = graded(rng)
        metrics = [
            "ndcg@5",
            ("map@5", {"ties": "worst", "relevance_threshold": np.float32(2)}),
            ("map@5", {"zero_division": np.nan, "denominator": "k"}, "own key"),
            (map_at_k, {"zero_division": 1}),
            map_at_k,
        ]
        accumulator = RankingAccumulator(iter(metrics), ties="best", relevance_threshold=1)
        other = pickle.loads(pickle.dumps(accumulator))
        accumulator.update(y_true[:20], y_scores[:20]).merge(other.update(y_true[20:], y_scores[20:]))
        expected = evaluate(y_true, y_scores, metrics, ties="best", relevance_threshold=1)
        assert list(accumulator.result()) == list(expected)
        assert accumulator.result() == pytest.approx(expected, rel=1e-12)

    def test_a_request_that_is_changed_later(self):
        options = {"denominator": "k"}
        accumulator = RankingAccumulator([("map@2", options)])
        options["denominator"] = "relevant"
        assert accumulator.update([[1, 0]], [[2, 1]]).result() == {"map@2(denominator=k)": 1 / 2}

    def test_labels_that_are_changed_later(self):
        labels = np.array([0, 1])
        accumulator = RankingAccumulator(["mrr"], labels=labels)
        labels[:] = 7
        assert accumulator.update([1], [[2, 1]]).result() == {"mrr": 1 / 2}


class TestSameBits:
    @pytest.mark.parametrize("ties", TIES)
    def test_any_parts_order_and_tree(self, ties, rng):
        y_true, y_scores, weights = graded(rng)

        def make():
            return RankingAccumulator(ALL, ties=ties, zero_division=np.nan, relevance_threshold=1)

        expected = make().update(y_true, y_scores, weights).result()
        for parts in (2, 5, 60):
            order = rng.permutation(len(y_true))
            slices = [order[rows] for rows in cuts(rng, len(order), parts)]
            one = make()
            for rows in slices:
                one.update(y_true[rows], y_scores[rows], weights[rows])
            assert one.result() == expected
            many = [make().update(y_true[rows], y_scores[rows], weights[rows]) for rows in slices]
            assert reduce(RankingAccumulator.merge, copy.deepcopy(many)).result() == expected
            assert tree([pickle.loads(pickle.dumps(part)) for part in many], rng).result() == expected

    @given(st.lists(st.tuples(st.floats(0, 1e308), st.sampled_from([1, 2, 3])), min_size=1, max_size=12), st.randoms())
    @settings(max_examples=60, deadline=None)
    def test_nearest_double_of_the_exact_mean(self, rows, random):
        weights = [weight for weight, _ in rows]
        if not any(weights):
            return
        accumulator = RankingAccumulator(["mrr"])
        random.shuffle(rows)
        for weight, rank in rows:
            accumulator.update([np.arange(1, 4) == rank], [[3, 2, 1]], [weight])
        exact = sum(Fraction(weight) * Fraction(1 / rank) for weight, rank in rows) / sum(map(Fraction, weights))
        assert accumulator.result() == {"mrr": float(exact)}

    def test_weights_of_all_sizes(self):
        hit, miss = [[1, 0]], [[0, 1]]
        scores = [[2.0, 1.0]]
        parts = [(hit, 1e300), (miss, 1e300), (hit, 1e-300), (hit, 1.0), (hit, 5e-324), (miss, 1e308)]
        expected = sum(Fraction(w) for y, w in parts if y is hit) / sum(Fraction(w) for _, w in parts)
        for order in (parts, parts[::-1], parts[3:] + parts[:3]):
            accumulator = RankingAccumulator(["precision@1"])
            for y_true, weight in order:
                accumulator.update(y_true, scores, [weight])
            assert accumulator.result() == {"precision@1": float(expected)}

    def test_what_a_sum_of_doubles_loses(self):
        # DCG of grades 1e16, 1 and -1e16 (by zero_division): summed as doubles, the 1 is gone or not, as the order is.
        metrics = [("dcg@1", {"zero_division": -1e16})]
        parts = [[[1e16]], [[1]], [[0]]]
        for order in ([0, 1, 2], [0, 2, 1], [1, 0, 2]):
            accumulator = RankingAccumulator(metrics)
            for i in order:
                accumulator.update(parts[i], [[1]])
            assert list(accumulator.result().values()) == [1 / 3]

    def test_products_beyond_the_doubles(self):
        accumulator = RankingAccumulator(["dcg@1"])
        accumulator.update([[1e200], [3e200]], [[1], [1]], [1e300, 1e300])
        assert accumulator.result() == {"dcg@1": float((Fraction(1e200) + Fraction(3e200)) / 2)}
        accumulator = RankingAccumulator(["dcg@1"]).update([[1e-200], [3e-200]], [[1], [1]], [1e-300, 1e-300])
        assert accumulator.result() == {"dcg@1": float((Fraction(1e-200) + Fraction(3e-200)) / 2)}

    def test_with_and_without_weights(self):
        accumulator = RankingAccumulator(["mrr"]).update([[0, 1]], [[2, 1]]).update([[1, 0]], [[2, 1]], [3])
        assert accumulator.result() == {"mrr": (1 / 2 + 3) / 4}


class TestExactSum:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_equals_fractions(self, weighted, rng):
        for n in (0, 1, 2, 50):
            values = np.ldexp(rng.standard_normal(n), rng.integers(-1074, 1020, n))
            weights = np.ldexp(rng.random(n), rng.integers(-1074, 1020, n)) if weighted else np.ones(n)
            expected = sum(Fraction(a) * Fraction(b) for a, b in zip(values.tolist(), weights.tolist(), strict=True))
            assert exact_sum(values, Weights.of(weights) if weighted else None) == expected

    def test_extremes(self):
        greatest, least = np.finfo(float).max, 5e-324
        assert exact_sum(np.array([greatest, least, 0.0, -greatest, -0.0])) == Fraction(least)
        values = np.array([greatest, least, 1 - 2**-53, 0.0])
        assert exact_sum(values, Weights.of(values)) == sum(Fraction(v) ** 2 for v in values.tolist())

    @pytest.mark.parametrize("weighted", [False, True])
    def test_many(self, weighted):
        n = 3 * BLOCK + 5
        values = np.full(n, 1 - 2**-53)  # all 53 bits set
        weights = np.full(n, 3 - 2**-51)
        expected = n * Fraction(1 - 2**-53) * (Fraction(3 - 2**-51) if weighted else 1)
        assert exact_sum(values, Weights.of(weights) if weighted else None) == expected


class TestState:
    def test_pickles_and_copies_between_updates(self, rng):
        y_true, y_scores, _ = graded(rng)
        accumulator = RankingAccumulator(["map@3", "rbp"], relevance_threshold=1, labels=["a", "b"])
        whole = RankingAccumulator(["map@3", "rbp"], relevance_threshold=1).update(y_true, y_scores)
        accumulator = RankingAccumulator(["map@3", "rbp"], relevance_threshold=1)
        for rows in cuts(rng, len(y_true), 6):
            accumulator = pickle.loads(pickle.dumps(accumulator)).update(y_true[rows], y_scores[rows])
            twin = copy.deepcopy(accumulator)
            twin.update([[1, 0]], [[2, 1]])
        assert accumulator.result() == whole.result()
        assert twin.result() != whole.result()

    def test_size_does_not_grow(self, rng):
        accumulator = RankingAccumulator(["map@3", "mrr", "ndcg@3"])
        sizes = []
        for _ in range(40):
            accumulator.update(rng.integers(0, 2, (50, 8)), rng.random((50, 8)), rng.random(50))
            sizes.append(len(pickle.dumps(accumulator)))
        assert max(sizes) < 1500

    def test_merge_leaves_the_other_and_returns_self(self):
        one = RankingAccumulator(["mrr"]).update([1, 0], [1, 2], groups=["a", "a"])
        other = RankingAccumulator(["mrr"], n_jobs=2).update([1, 0], [2, 1], groups=["b", "b"])
        before = state(other)
        assert one.merge(other) is one
        assert state(other) == before
        one.update([1, 0], [2, 1], groups=["c", "c"])
        assert state(other) == before
        assert one.result() == {"mrr": (1 / 2 + 1 + 1) / 3}

    def test_merge_with_one_that_is_empty(self):
        one = RankingAccumulator(["mrr"], zero_division=np.nan)
        other = RankingAccumulator(["mrr"], zero_division=float("nan")).update([[0, 1]], [[2, 1]])
        assert one.merge(other).merge(RankingAccumulator(["mrr"], zero_division=np.nan)).result() == {"mrr": 1 / 2}

    def test_result_can_be_asked_for_in_between(self):
        accumulator = RankingAccumulator(["mrr"]).update([[0, 1]], [[2, 1]])
        assert accumulator.result() == accumulator.result() == {"mrr": 1 / 2}
        assert accumulator.update([[1, 0]], [[2, 1]]).result() == {"mrr": 3 / 4}

    def test_reset(self):
        accumulator = RankingAccumulator(["mrr"]).update([0, 1], [2, 1], groups=[1, 1])
        assert accumulator.reset() is accumulator
        with pytest.raises(ValueError, match="At least one row"):
            accumulator.result()
        assert accumulator.update([1, 0], [2, 1], groups=[1, 1]).result() == {"mrr": 1.0}

    def test_repr(self):
        accumulator = RankingAccumulator(["map@10", ("mrr", {"ties": "best"})])
        assert repr(accumulator) == "RankingAccumulator(['map@10', 'mrr(ties=best)']) with 0 rankings"
        accumulator = RankingAccumulator(["mrr"], ties="first", zero_division=np.nan, labels=["a", "b"])
        assert repr(accumulator.update(["b"], [[1, 2]])) == (
            "RankingAccumulator(['mrr'], ties='first', zero_division=nan, labels=['a', 'b']) with 1 ranking"
        )

    @pytest.mark.parametrize(
        ("part", "match"),
        [
            (([[1, 0]], [[np.nan, 1]]), "NaN"),
            (([[1, 0]], [[2, 1]], [-1]), "negative"),
            (([1, 0, 1, 0], [2, 1, 2, 1], [1, 1, 1, -1], ["b", "b", "c", "c"]), "negative"),
            (([1, 0, 1, 0], [2, 1, 2, 1], None, ["b", "b", "a", "a"]), "holds 'a'"),
        ],
    )
    def test_a_failed_update_changes_nothing(self, part, match):
        accumulator = RankingAccumulator(["mrr", "ndcg"]).update([0, 1], [2, 1], groups=["a", "a"])
        before = state(accumulator)
        with pytest.raises(ValueError, match=match):
            accumulator.update(*part)
        assert state(accumulator) == before
        accumulator.update([0, 1], [2, 1], groups=["b", "b"])  # its id was not taken for seen

    def test_a_failed_merge_changes_nothing(self):
        one = RankingAccumulator(["mrr"]).update([0, 1], [2, 1], groups=["a", "a"])
        other = RankingAccumulator(["mrr"]).update([0, 1, 1], [2, 1, 1], groups=["b", "b", "a"])
        before = state(one)
        with pytest.raises(ValueError, match="`groups` holds 'a', of which rows were taken in before"):
            one.merge(other)
        assert state(one) == before

    def test_input_is_not_written_to(self, read_only):
        part = [read_only([0, 1, 1]), read_only([1.0, 2.0, 2.0]), read_only([1.0, 0.0, 2.0]), read_only([1, 2, 1])]
        RankingAccumulator(["mrr"]).update(*part)


class TestGroups:
    @pytest.mark.parametrize(
        ("first", "again"),
        [
            ([1, 2], [3, 1.0]),
            ([1, 2], np.array([2, 5], np.uint8)),
            ([1, 2], np.array([2, "x"], object)),
            ([1.0, 2.5], pd.Series([7.5, 2.5])),
            (["a", "b"], np.array(["b", "c"], object)),
            (np.array(["2024-01-01", "2024-01-02"], "M8[ns]"), np.array(["2024-01-05", "2024-01-02"], "M8[ns]")),
            (pd.Series([(1, 2), (3, 4)]), pd.Series([(5, 6), (1, 2)])),
        ],
    )
    def test_a_query_that_comes_again(self, first, again):
        accumulator = RankingAccumulator(["mrr"]).update([0, 1], [2, 1], groups=first)
        with pytest.raises(ValueError, match=r"`groups` holds .* all rows of a ranking must come in one update"):
            accumulator.update([0, 1], [2, 1], groups=again)

    def test_ids_that_differ(self):
        accumulator = RankingAccumulator(["mrr"])
        for ids in ([1], ["1"], [b"1"], [1.5], [0], np.array([1], "M8[ns]"), [""]):
            accumulator.update([1], [1], groups=ids)
        assert repr(accumulator).endswith("with 7 rankings")

    def test_rows_without_groups_beside_those_with(self):
        accumulator = RankingAccumulator(["mrr"]).update([0, 1], [2, 1]).update([1, 1], [2, 1], groups=[1, 2])
        assert accumulator.update([0, 1], [2, 1]).result() == {"mrr": (1 / 2 + 1 + 1 + 1 / 2) / 4}

    def test_weights_whose_sum_is_beyond_the_floats(self):
        accumulator = RankingAccumulator(["mrr"]).update([1, 0], [2, 1], [1.7e308, 1.7e308], groups=[1, 1])
        accumulator.update([0, 1], [2, 1], [1.7e308, 1.7e308], groups=[2, 2])
        assert accumulator.result()["mrr"] == (1 + 1 / 2) / 2


class TestNothingToScore:
    @pytest.mark.parametrize(
        "part",
        [
            ([], []),
            (np.empty((0, 3)), np.empty((0, 3))),
            (sparse.csr_array((0, 3)), sparse.csr_array((0, 3))),
            (pd.DataFrame({"a": []}), pd.DataFrame({"a": []})),
            ([], np.empty((0, 3)), [], None),
            ([], [], [], []),
        ],
    )
    def test_empty_parts(self, part):
        accumulator = RankingAccumulator(["mrr"])
        assert accumulator.update(*part) is accumulator
        with pytest.raises(ValueError, match="At least one row is required"):
            accumulator.result()
        accumulator.update([[0, 1]], [[2, 1]]).update(*part)
        assert accumulator.result() == {"mrr": 1 / 2}

    def test_zero_weights(self):
        accumulator = RankingAccumulator(["mrr"]).update([[0, 1]], [[2, 1]], [0])
        accumulator.update([1, 1], [2, 1], np.array([0, 0], object), groups=[1, 1])
        with pytest.raises(ValueError, match="sums to zero"):
            accumulator.result()
        with pytest.raises(ValueError, match="sums to zero"):
            accumulator.merge(RankingAccumulator(["mrr"])).result()
        assert accumulator.update([[1, 0], [0, 1]], [[2, 1], [2, 1]], [2, 0]).result() == {"mrr": 1.0}

    def test_a_group_of_zero_weight_is_seen(self):
        accumulator = RankingAccumulator(["mrr"]).update([1], [2], [0], groups=["q"])
        with pytest.raises(ValueError, match="'q'"):
            accumulator.update([1], [2], [1], groups=["q"])

    def test_nothing_relevant(self):
        metrics = ["mrr", ("map", {"zero_division": 0.25})]
        accumulator = RankingAccumulator(metrics, zero_division=np.nan).update([[0, 0]], [[2, 1]])
        with pytest.warns(UndefinedMetricWarning, match="No row has a relevant item") as caught:
            found = accumulator.result()
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert np.isnan(found["mrr"])
        assert found["map(zero_division=0.25)"] == 0.25
        accumulator.update([[0, 1], [0, 0]], [[2, 1], [2, 1]])
        assert accumulator.result() == {"mrr": 1 / 2, "map(zero_division=0.25)": (0.25 + 1 / 2 + 0.25) / 3}

    def test_undefined_rows_of_zero_weight(self):
        accumulator = RankingAccumulator(["mrr"], zero_division=np.nan)
        accumulator.update([[0, 0], [0, 1], [1, 0]], [[2, 1]] * 3, [0, 1, 0])
        assert accumulator.result() == {"mrr": 1 / 2}


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "options", "error", "match"),
        [
            (["mop"], {}, ValueError, "Unknown metric"),
            ("map", {}, TypeError, "`metrics` must be a list"),
            ([], {}, ValueError, "at least one metric"),
            (["mrr", "mrr"], {}, ValueError, "more than once"),
            ([("map", {"denominator": "n"})], {}, ValueError, "`denominator`"),
            ([("map", {"ties": "any"})], {}, ValueError, "`ties`"),
            ([("map", {"zero_division": "0"})], {}, TypeError, "`zero_division`"),
            ([("map", {"groups": [1]})], {}, TypeError, "cannot differ"),
            (["err@3"], {}, ValueError, "err needs `max_grade`"),
            ([("err", {"max_grade": None})], {}, ValueError, "err needs `max_grade`"),
            (["mrr"], {"ties": "any"}, ValueError, "`ties`"),
            (["mrr"], {"relevance_threshold": "1"}, TypeError, "`relevance_threshold`"),
            (["mrr"], {"zero_division": np.inf}, ValueError, "`zero_division`"),
            (["mrr"], {"n_jobs": 0}, ValueError, "n_jobs"),
            (["mrr"], {"labels": []}, ValueError, r"`labels` must be a list .* got shape \(0,\)"),
            (["mrr"], {"labels": [[1, 2]]}, ValueError, r"got shape \(1, 2\)"),
            (["mrr"], {"labels": "ab"}, TypeError, "`labels`"),
            (["mrr"], {"labels": [1, 2, 1]}, ValueError, "`labels` repeats 1"),
        ],
    )
    def test_when_it_is_made(self, arguments, options, error, match):
        with pytest.raises(error, match=match):
            RankingAccumulator(arguments, **options)

    @pytest.mark.parametrize(
        ("part", "error", "match"),
        [
            (([0, 1], [[2, 1], [2, 1]]), ValueError, r"labels=\[...\]"),
            (([0], [[2, 1]]), ValueError, r"labels=\[...\]"),
            (([0, 1], [[2, 1], [2, 1]], None, [1, 2]), ValueError, "`groups` does not go with class labels"),
            (([[0, 1]], [[2, 1]], None, [1]), ValueError, "`groups` does not go with a matrix"),
            (([[0, 2]], [[2, 1]]), ValueError, "relevance_threshold"),
            (([[0, 1]], [[2, 1, 0]]), ValueError, "do not match"),
            (([], [3]), ValueError, "do not match"),
            (([[]], [[]]), ValueError, "At least one column"),
            (([0, 1], [2, 1], [1]), ValueError, "1 entries for 2 rows"),
            (([[0, 1]], [[2, 1]], [0, 0]), ValueError, "2 entries for 1 rows"),
            (([[0, 1]], [[2, 1]], [np.nan]), ValueError, "finite"),
            (([[0, 1]], [[2, 1]], ["a"]), ValueError, "`sample_weight` must be numeric"),
            (([[0, 1]], [[2, 1]], np.ma.masked_array([1.0], [True])), ValueError, "masked"),
            (([0, 1], [2, 1], None, [1]), ValueError, "one id per row"),
            (([0, 1], [2, 1], None, [1, None]), ValueError, "missing ids"),
            (("ab", [2, 1]), TypeError, "`y_true`"),
            ((None, [2, 1]), TypeError, "`y_true`"),
        ],
    )
    def test_of_parts(self, part, error, match):
        with pytest.raises(error, match=match):
            RankingAccumulator(["mrr"]).update(*part)

    def test_labels_beside_a_matrix(self):
        with pytest.raises(ValueError, match="`labels` does not go with a matrix"):
            RankingAccumulator(["mrr"], labels=[0, 1]).update([[0, 1]], [[2, 1]])

    def test_an_unknown_label(self):
        with pytest.raises(ValueError, match="not in `labels`"):
            RankingAccumulator(["mrr"], labels=[0, 1]).update([2], [[2, 1]])

    def test_a_grade_above_the_greatest(self):
        with pytest.raises(ValueError, match="grade"):
            RankingAccumulator([("err", {"max_grade": 2})]).update([[3, 0]], [[2, 1]])

    @pytest.mark.parametrize("place", range(4))
    def test_dask(self, place):
        lazy = type("Array", (), {"__module__": "dask.array.core", "chunks": ()})()
        part = [[0, 1], [2, 1], [1, 1], [1, 1]]
        part[place] = lazy
        with pytest.raises(TypeError, match=r"`\w+` is a dask array"):
            RankingAccumulator(["mrr"]).update(*part)

    @pytest.mark.parametrize(
        ("metrics", "options", "match"),
        [
            (["map"], {}, "`metrics` is"),
            (["mrr@3"], {}, "`metrics` is"),
            ([("mrr", {}, "key")], {}, "`metrics` is"),
            (["mrr"], {"ties": "first"}, "`ties` is 'average' here and 'first'"),
            (["mrr"], {"zero_division": np.nan}, "`zero_division` is 0.0 here and nan"),
            (["mrr"], {"relevance_threshold": 2}, "`relevance_threshold` is None here and 2"),
            (["mrr"], {"labels": [0, 1]}, r"`labels` is None here and \[0, 1\]"),
        ],
    )
    def test_of_merges(self, metrics, options, match):
        with pytest.raises(ValueError, match=match):
            RankingAccumulator(["mrr"]).merge(RankingAccumulator(metrics, **options))

    def test_merge_with_something_else(self):
        with pytest.raises(TypeError, match="`other` must be a RankingAccumulator, got dict"):
            RankingAccumulator(["mrr"]).merge({"mrr": 1.0})


def test_the_example():
    root = Path(__file__).parents[2]
    command = [sys.executable, root / "examples" / "batches.py", "--rows", "530", "--items", "300", "--batch", "100"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, timeout=60)
    assert done.stderr == ""
    in_parts, whole = re.search(r"MAP@10 in batches (0\.\d{12}), as a whole (0\.\d{12})\n$", done.stdout).groups()
    assert abs(float(in_parts) - float(whole)) < 2e-12
    assert 0.3 < float(whole) < 1
