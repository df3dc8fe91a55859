"""Ranking: order, ties and cut-off of many rows at once, seen through metrics that show ranks.

With one relevant item a row, 1 / MRR is its rank, and the DCG of grades shows the order of all items.
"""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_rank import dcg_at_k, map_at_k, mrr_at_k, ndcg_at_k, precision_at_k, recall_at_k

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

    @pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
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
