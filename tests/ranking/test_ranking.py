"""Ranking: order, ties and cut-off of many rows at once, seen through metrics that show ranks.

With one relevant item a row, 1 / MRR is its rank, and the DCG of grades shows the order of all items.
"""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config

from sklearn_rank import dcg_at_k, evaluate, map_at_k, mrr_at_k, ndcg_at_k, precision_at_k, recall_at_k, roc_auc
from sklearn_rank.ranking import _places, _rows

TIES = ("average", "first", "best", "worst")


def ranks(y_scores, column, ties):
    """The ranks from 1 of one column, as MRR tells them."""
    y_true = np.zeros(np.shape(y_scores), int)
    y_true[:, column] = 1
    return 1 / mrr_at_k(y_true, y_scores, ties=ties, average=None)


def same(values):
    return pytest.approx(values, rel=1e-12, abs=1e-15)


class TestOrder:
    @pytest.mark.parametrize("n_items", [3, 63, 64, 65, 257, 1000])
    def test_first_is_a_stable_sort(self, rng, n_items):
        y_scores = rng.integers(0, max(2, n_items // 5), (7, n_items))
        order = np.argsort(-y_scores, axis=1, kind="stable")
        for column in (0, n_items // 2, n_items - 1):
            expected = np.argwhere(order == column)[:, 1] + 1
            assert ranks(y_scores, column, "first") == same(expected)

    @pytest.mark.parametrize("n_items", [3, 64, 1000])
    def test_best_and_worst_count_what_is_greater_and_not_less(self, rng, n_items):
        y_scores = rng.integers(0, max(2, n_items // 5), (7, n_items))
        mine = y_scores[:, [1]]
        assert ranks(y_scores, 1, "best") == same((y_scores > mine).sum(axis=1) + 1)
        assert ranks(y_scores, 1, "worst") == same((y_scores >= mine).sum(axis=1))

    @pytest.mark.parametrize("n_items", [5, 300])
    def test_average_of_one_item_is_the_mean_of_its_ranks(self, rng, n_items):
        y_scores = rng.integers(0, max(2, n_items // 5), (7, n_items))
        y_true = np.zeros(y_scores.shape, int)
        y_true[:, 2] = 1
        greater, not_less = (y_scores > y_scores[:, [2]]).sum(axis=1), (y_scores >= y_scores[:, [2]]).sum(axis=1)
        expected = [np.mean(1 / np.arange(low + 1, high + 1)) for low, high in zip(greater, not_less, strict=True)]
        assert mrr_at_k(y_true, y_scores, average=None) == same(expected)

    def test_grades_show_the_whole_order(self, rng):
        # No two orders of these grades have the same DCG.
        y_true = np.array([1, 2, 4, 8, 16])
        for _ in range(20):
            y_scores = rng.permutation(5)
            gains = y_true[np.argsort(-y_scores)]
            assert dcg_at_k([y_true], [y_scores]) == same(np.sum(gains / np.log2(np.arange(2, 7))))

    def test_extreme_floats(self):
        tiny, huge = np.nextafter(0, 1), np.finfo(float).max
        y_scores = [[-huge, tiny, -tiny, huge, 0.0, np.inf]]
        assert [ranks(y_scores, column, "average")[0] for column in range(6)] == same([6, 3, 5, 2, 4, 1])

    @pytest.mark.parametrize(
        "dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
    )
    @pytest.mark.parametrize("n_items", [4, 900])
    def test_the_ends_of_integers(self, dtype, n_items):
        limits = np.iinfo(dtype)
        y_scores = np.full((3, n_items), limits.min + 1, dtype=dtype)
        y_scores[:, 1], y_scores[:, 2], y_scores[:, 3] = limits.max, limits.min, limits.max - 1
        y_true = np.zeros(y_scores.shape, int)
        for column, rank in ((1, 1), (3, 2), (2, n_items)):
            assert ranks(y_scores, column, "average") == same(np.full(3, rank))
        y_true[:, 1:4] = 1
        # Hits at ranks 1 and 2; the third is last.
        assert map_at_k(y_true, y_scores, 3) == same(2 / 3)

    @pytest.mark.parametrize("dtype", [np.int64, np.uint64])
    @pytest.mark.parametrize("n_items", [4, 900])
    def test_neighbours_above_two_to_the_53(self, dtype, n_items):
        y_scores = np.zeros((2, n_items), dtype=dtype)
        y_scores[:, :4] = np.array([2**62 + 1, 2**62, 2**62 + 3, 2**62 + 2], dtype=dtype)
        for column, rank in enumerate((3, 4, 1, 2)):
            assert ranks(y_scores, column, "average") == same([rank, rank])


class TestManyRows:
    """More than one block of rows, so that each row must keep its own values."""

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("k", [1, 10, None])
    def test_values_stay_with_their_rows(self, rng, ties, k):
        y_true = rng.random((300, 2000)) < 0.02
        y_scores = rng.integers(0, 900, y_true.shape).astype(float)
        values = map_at_k(y_true, y_scores, k, ties=ties, average=None)
        for row in (0, 1, 130, 131, 132, 263, 298, 299):
            assert values[row] == same(map_at_k(y_true[[row]], y_scores[[row]], k, ties=ties))

    def test_narrow_rows(self, rng):
        y_true, y_scores = rng.integers(0, 2, (150_000, 3)), rng.integers(0, 3, (150_000, 3))
        values = ndcg_at_k(y_true, y_scores, 2, average=None)
        # All there is to tell rows apart are three grades and three scores.
        seen = np.unique(np.hstack([y_true, y_scores]), axis=0, return_index=True)[1]
        for row in seen[::7]:
            equal = ((y_true == y_true[row]) & (y_scores == y_scores[row])).all(axis=1)
            expected = ndcg_at_k(y_true[[row]], y_scores[[row]], 2)
            assert values[equal] == same(np.full(equal.sum(), expected))

    def test_labels(self, rng):
        y_true, y_scores = rng.integers(0, 50, 9000), rng.random((9000, 50))
        expected = (y_scores > y_scores[np.arange(9000), y_true][:, None]).sum(axis=1) + 1
        assert mrr_at_k(y_true, y_scores, average=None) == same(1 / expected)

    def test_groups_of_every_length(self, rng):
        lengths = rng.permutation(np.concatenate([np.arange(1, 130), [700, 3000]]))
        groups = np.repeat(np.arange(len(lengths)), lengths)
        y_scores = rng.integers(0, 40, len(groups))
        y_true = rng.integers(0, 2, len(groups))
        for k in (2, None):
            values = map_at_k(y_true, y_scores, k, groups=groups, average=None)
            for group in range(0, len(lengths), 5):
                mine = groups == group
                assert values[group] == same(map_at_k([y_true[mine]], [y_scores[mine]], k))

    def test_nan_names_the_row_of_the_whole_input(self, rng):
        y_true, y_scores = rng.integers(0, 2, (400, 2000)), rng.random((400, 2000))
        y_scores[391, 17] = np.nan
        for k in (5, None):
            with pytest.raises(ValueError, match="row 391, column 17"):
                precision_at_k(y_true, y_scores, k)

    def test_nan_names_the_row_of_the_input_with_groups(self):
        y_scores = [3, 2, 1, np.nan, 5, 4]
        with pytest.raises(ValueError, match="NaN"):
            precision_at_k([1, 0, 1, 0, 1, 0], y_scores, groups=[0, 0, 1, 1, 1, 1])


class TestCutoff:
    """What equals the k-th score, and what is near it, in rows much wider than k."""

    @pytest.mark.parametrize("k", [1, 2, 9, 10])
    @pytest.mark.parametrize("n_tied", [2, 20, 2000])
    def test_a_group_across_the_cutoff(self, rng, k, n_tied):
        """k - 1 irrelevant items stand ahead; rank k goes to one of the group, of which half is relevant."""
        columns = rng.permutation(3000)
        y_true, y_scores = np.zeros((2, 3000), int), rng.random((2, 3000))
        y_scores[:, columns[: k - 1]] = 3.0
        group = columns[k - 1 : k - 1 + n_tied]
        y_scores[:, group] = 2.0
        y_true[:, group[::2]] = 1
        assert precision_at_k(y_true, y_scores, k) == same(1 / 2 / k)
        assert precision_at_k(y_true, y_scores, k, ties="best") == same(1 / k)
        assert precision_at_k(y_true, y_scores, k, ties="worst") == 0
        first = min(group) in group[::2]
        assert precision_at_k(y_true, y_scores, k, ties="first") == same(first / k)

    def test_masses_of_equal_scores(self, rng):
        """As forests and nearest neighbours give them: five different values."""
        y_true, y_scores = rng.random((5, 4000)) < 0.1, rng.integers(0, 5, (5, 4000)) / 5
        top = y_scores == y_scores.max(axis=1, keepdims=True)
        share = (y_true & top).sum(axis=1) / top.sum(axis=1)
        assert precision_at_k(y_true, y_scores, 7, average=None) == same(share)
        assert recall_at_k(y_true, y_scores, 7, average=None) == same(7 * share / y_true.sum(axis=1))

    @pytest.mark.parametrize("n_retrieved", [0, 1, 4, 5, 6])
    def test_fewer_retrieved_than_k(self, n_retrieved):
        y_true, y_scores = np.ones((2, 1000), int), np.full((2, 1000), -np.inf)
        y_scores[:, 500 : 500 + n_retrieved] = 1.0
        assert precision_at_k(y_true, y_scores, 5) == same(min(n_retrieved, 5) / 5)

    @pytest.mark.parametrize("n_infinite", [1, 3, 400])
    def test_plus_infinity(self, n_infinite):
        y_true, y_scores = np.zeros((2, 1000), int), np.zeros((2, 1000))
        y_scores[:, :n_infinite] = np.inf
        y_true[:, 0] = 1
        assert precision_at_k(y_true, y_scores, 2) == same(min(1, 2 / n_infinite) / 2)
        assert mrr_at_k(y_true, y_scores, 1) == same(1 / n_infinite)


# (rows, items, relevant a row, k) of the ways in which places are found, and a function that only that way calls
ROUTES = {
    "counted along the long axis": ((30, 20, 2, 5), "by_columns"),
    "counted": ((30, 70, 1, 5), "by_rows"),
    "sorted": ((30, 70, 30, None), "by_sorting"),
    "chunks": ((30, 999, 3, 5), "_count_in_chunks"),
    "long chunks": ((6, 9001, 3, 3), "_count_in_chunks"),
    "contenders": ((30, 999, 700, 5), "_contenders"),
}
DTYPES = [np.float64, np.float32, np.float16, np.uint8, np.int64]
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every other column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "backwards": lambda a: a[:, ::-1].copy()[:, ::-1],
}


class TestRoutes:
    """Whichever way finds the places, they are those of a stable sort of everything."""

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("kind", ["tied", "untied", "masked", "infinite"])
    @pytest.mark.parametrize("route", ROUTES)
    def test_equal_to_a_stable_sort(self, rng, monkeypatch, route, kind, dtype, layout):
        (n, m, relevant, k), function = ROUTES[route]
        y_true = rng.random((n, m)) < relevant / m
        y_scores = (
            rng.integers(0, 30, (n, m)) if kind == "tied" else rng.permuted(np.tile(np.arange(m), (n, 1)), axis=1)
        )
        y_scores = np.where(y_true, y_scores * 2, y_scores)
        y_scores = (y_scores % 256 if dtype == np.uint8 else y_scores % 2048).astype(dtype)
        if kind in ("masked", "infinite"):
            if np.dtype(dtype).kind != "f":
                y_scores[rng.random((n, m)) < 0.3] = 0 if kind == "masked" else np.iinfo(dtype).max
            else:
                y_scores[rng.random((n, m)) < 0.3] = -np.inf if kind == "masked" else np.inf
        called = []
        original = getattr(_places, function)
        monkeypatch.setattr(_places, function, lambda *args: called.append(1) or original(*args))
        given = LAYOUTS[layout](y_scores)
        before = given.copy()
        for ties in TIES:
            assert row_values(y_true, given, k, ties) == same(by_stable_sort(y_true, y_scores, k, ties))
        assert called
        assert (given == before).all()


class TestTheRecipeThatEverybodyKnows:
    """An argsort of each row, its first k, and the cumulative sum of hits over the ranks, whichever way is taken."""

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int16])
    @pytest.mark.parametrize("kind", ["untied", "tied"])
    @pytest.mark.parametrize("route", ROUTES)
    def test_average_precision_and_reciprocal_rank(self, rng, monkeypatch, route, kind, dtype, layout):
        y_true, y_scores, k, called = self.problem(rng, monkeypatch, route, kind, dtype)
        hits = self.hits(y_true, y_scores)
        n_relevant = y_true.sum(axis=1)
        for ties in TIES if kind == "untied" else ("first",):
            given = LAYOUTS[layout](y_scores), k
            of_row = np.full(len(hits), k or y_true.shape[1])
            expected = self.by_recipe(hits, of_row, np.minimum(n_relevant, of_row))
            assert map_at_k(y_true, *given, ties=ties, average=None) == same(expected)
            assert mrr_at_k(y_true, *given, ties=ties, average=None) == same(self.first_hit(hits, of_row))
            seen = (np.cumsum(hits, axis=1)[np.arange(len(hits)), of_row - 1]) / of_row
            assert precision_at_k(y_true, *given, ties=ties, average=None) == same(seen)
        assert called

    @pytest.mark.parametrize("kind", ["untied", "tied"])
    @pytest.mark.parametrize("route", ROUTES)
    def test_a_cutoff_of_each_row(self, rng, monkeypatch, route, kind):
        y_true, y_scores, k, _ = self.problem(rng, monkeypatch, route, kind, np.float64)
        n, m = y_true.shape
        y_scores[rng.random((n, m)) < rng.random((n, 1)) / 2] = -np.inf  # so that rows retrieve different numbers
        retrieved = y_scores > -np.inf
        hits = self.hits(y_true, y_scores)
        n_relevant = y_true.sum(axis=1)
        share = (k or 40) / (m + 1) if (k or 40) < m else 0.5
        cutoffs = {"relevant": n_relevant, share: np.ceil(share * retrieved.sum(axis=1)).astype(int)}
        for cutoff, of_row in cutoffs.items():
            expected = self.by_recipe(hits, of_row, np.minimum(n_relevant, of_row))
            assert map_at_k(y_true, y_scores, cutoff, ties="first", average=None) == same(expected)
            assert mrr_at_k(y_true, y_scores, cutoff, ties="first", average=None) == same(self.first_hit(hits, of_row))
            report = evaluate(y_true, y_scores, [("map", {}), "mrr@3"], ties="first", average=None)
            whole = np.full(n, m)
            assert report["map"] == same(self.by_recipe(hits, whole, np.minimum(n_relevant, retrieved.sum(axis=1))))
            assert report["mrr@3"] == same(self.first_hit(hits, np.full(n, 3)))

    @pytest.mark.parametrize("kind", ["untied", "tied"])
    @pytest.mark.parametrize("route", ROUTES)
    def test_area_under_the_curve_is_a_sum_of_ranks(self, rng, monkeypatch, route, kind):
        y_true, y_scores, _, _ = self.problem(rng, monkeypatch, route, kind, np.float64)
        y_true[:, :2] = False, True
        hits = self.hits(y_true, y_scores)
        n_relevant, m = hits.sum(axis=1), hits.shape[1]
        # Of the irrelevant items those below a hit are m - rank less the hits below it.
        below = (hits * (m - np.arange(1, m + 1))).sum(axis=1) - n_relevant * (n_relevant - 1) / 2
        expected = below / (n_relevant * (m - n_relevant))
        assert roc_auc(y_true, y_scores, ties="first", average=None) == same(expected)

    @staticmethod
    def problem(rng, monkeypatch, route, kind, dtype):
        """Rows for a route, and a list that holds something once it was taken."""
        (n, m, relevant, k), function = ROUTES[route]
        y_true = rng.random((n, m)) < relevant / m
        y_scores = (
            rng.integers(0, 30, (n, m)) if kind == "tied" else rng.permuted(np.tile(np.arange(m), (n, 1)), axis=1)
        )
        called = []
        original = getattr(_places, function)
        monkeypatch.setattr(_places, function, lambda *args: called.append(1) or original(*args))
        return y_true, y_scores.astype(dtype), k, called

    @staticmethod
    def hits(y_true, y_scores):
        """Hits by rank, the lower column first among equals; what was never retrieved is no hit."""
        order = np.argsort(-y_scores.astype(float), axis=1, kind="stable")
        retrieved = y_scores.astype(float) > -np.inf
        return np.take_along_axis(y_true & retrieved, order, axis=1)

    @staticmethod
    def by_recipe(hits, cutoffs, divisors):
        ranks = np.arange(1, hits.shape[1] + 1)
        precision = np.cumsum(hits, axis=1) / ranks
        total = (precision * hits * (ranks <= cutoffs[:, None])).sum(axis=1)
        return np.divide(total, divisors, out=np.zeros(len(hits)), where=divisors > 0)

    @staticmethod
    def first_hit(hits, cutoffs):
        first = hits.argmax(axis=1)
        return np.where(hits.any(axis=1) & (first < cutoffs), 1 / (first + 1), 0)


def row_values(y_true, y_scores, k, ties):
    """Row values that depend on the place of every relevant item within k."""
    return dcg_at_k(y_true, y_scores, k, ties=ties, average=None)


def by_stable_sort(y_true, y_scores, k, ties):
    """The same from one stable sort of all scores of each row."""
    out = []
    for relevant, scores in zip(y_true, y_scores.astype(float), strict=True):
        first = {"best": ~relevant, "worst": relevant}.get(ties, np.zeros(len(scores), bool))
        order = np.lexsort((np.arange(len(scores)), first, -scores))
        order = order[scores[order] > -np.inf]
        gains = relevant[order].astype(float)
        if ties == "average":
            _, group = np.unique(-scores[order], return_inverse=True)
            gains = (np.bincount(group, gains) / np.bincount(group))[group] if len(group) else gains
        gains = gains[:k]
        out.append((gains / np.log2(np.arange(2, len(gains) + 2))).sum())
    return np.array(out)


class TestThreads:
    """scikit-learn's meaning of n_jobs, seen by the number of threads that are started."""

    @pytest.fixture
    def threads(self, monkeypatch):
        started = []

        class Pool(ThreadPoolExecutor):
            def __init__(self, n):
                started.append(n)
                super().__init__(n)

        monkeypatch.setattr(_rows, "ThreadPoolExecutor", Pool)
        return started

    def score(self, n_jobs=None):
        rng = np.random.default_rng(0)
        return map_at_k(rng.random((3000, 900)) < 0.01, rng.random((3000, 900)), 5, n_jobs=n_jobs)

    def test_one_by_default(self, threads):
        expected = self.score()
        assert threads == []
        assert self.score(2) == expected
        assert threads == [2]

    def test_a_joblib_context_says_otherwise(self, threads):
        with parallel_config("threading", n_jobs=2):
            self.score()
        assert threads == [2]

    @pytest.mark.parametrize("n_jobs", [None, 2, -1])
    def test_never_more_inside_parallel_work(self, threads, n_jobs):
        Parallel(n_jobs=2, backend="threading")(delayed(self.score)(n_jobs) for _ in range(2))
        assert threads == []

    def test_not_for_one_block(self, threads):
        assert map_at_k([[0, 1]], [[1, 2]], n_jobs=2) == 1
        assert threads == []


class TestMemory:
    """Blocks bound the memory whatever the density, the dtype and the ties."""

    @pytest.mark.parametrize("n_jobs", [1, 2])
    @pytest.mark.parametrize("dtype", [np.float64, np.uint8])
    @pytest.mark.parametrize("density", [0.01, 1.0])
    def test_peak(self, rng, density, dtype, n_jobs):
        n, m = 10_000, 500
        y_true = rng.random((n, m)) <= density
        y_scores = rng.integers(0, 255, (n, m)).astype(dtype)
        report = ["ndcg@5", "map", ("map@10", {"denominator": "hits"}), "mrr", "r_precision", "f1@3"]
        tracemalloc.start()
        evaluate(y_true, y_scores, report, n_jobs=n_jobs)
        for ties in ("first", "best"):
            ndcg_at_k(y_true, y_scores, ties=ties, n_jobs=n_jobs)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 64e6 + 64 * n

    def test_a_memory_mapped_file(self, rng, tmp_path):
        n, m = 20_000, 1000
        path = tmp_path / "scores"
        y_scores = np.memmap(path, dtype=np.float32, mode="w+", shape=(n, m))
        y_scores[:] = rng.random((n, m), dtype=np.float32)
        y_scores.flush()
        y_true = np.zeros((n, m), dtype=bool)
        y_true[:, 7] = True
        y_scores = np.memmap(path, dtype=np.float32, mode="r", shape=(n, m))
        tracemalloc.start()
        value = mrr_at_k(y_true, y_scores, 10)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 64e6
        rank = (y_scores > y_scores[:, [7]]).sum(axis=1) + 1
        assert value == same(np.where(rank <= 10, 1 / rank, 0).mean())
