"""A class a metric: worked examples as fractions, options, edges. The last class has numbers from articles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import (
    apk,
    dcg_at_k,
    err_at_k,
    evaluate,
    f1_at_k,
    from_lists,
    hit_rate_at_k,
    map_at_k,
    mapk,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    rbp,
    recall_at_k,
)

NEVER = -np.inf


def exactly(value):
    """Equal but for the rounding of a few operations."""
    return pytest.approx(value, rel=1e-13, abs=0, nan_ok=True)


def log2(x):
    return math.log2(x)


class TestPrecision:
    @pytest.mark.parametrize(("k", "expected"), [(1, 1 / 2), (2, 2 / 4), (3, 2 / 6), (4, 3 / 8), (None, 3 / 8)])
    def test_hits_over_k(self, two_rows, k, expected):
        assert precision_at_k(*two_rows, k) == exactly(expected)

    def test_k_past_the_row_still_divides_by_k(self, two_rows):
        assert precision_at_k(*two_rows, 10, average=None) == exactly([2 / 10, 1 / 10])

    def test_whole_ranking_divides_by_what_was_retrieved(self):
        # Three of four items are retrieved; the hit that is not counts nowhere.
        assert precision_at_k([[1, 0, 0, 1]], [[3.0, 2.0, 1.0, NEVER]]) == exactly(1 / 3)

    def test_k_divides_although_fewer_were_retrieved(self):
        assert precision_at_k([[1, 0, 0, 1]], [[3.0, NEVER, NEVER, NEVER]], 2) == exactly(1 / 2)

    def test_nothing_retrieved(self):
        assert precision_at_k([[1, 0]], [[NEVER, NEVER]]) == 0
        assert precision_at_k([[1, 0]], [[NEVER, NEVER]], 2) == 0

    @pytest.mark.parametrize(
        ("ties", "expected"),
        [
            ("average", (1 + 2 * 2 / 4) / 3),  # two ranks of a group in which 2 of 4 are hits
            ("first", (1 + 0 + 1) / 3),  # columns 1 and 2
            ("best", 3 / 3),
            ("worst", 1 / 3),
        ],
    )
    def test_ties_across_the_cutoff(self, straddling, ties, expected):
        assert precision_at_k(*straddling, 3, ties=ties) == exactly(expected)

    def test_a_row_without_a_relevant_item_is_worth_zero_division(self, with_empty):
        assert precision_at_k(*with_empty, 2, average=None, zero_division=0.25) == exactly([1 / 2, 1 / 4])


class TestRecall:
    @pytest.mark.parametrize(("k", "expected"), [(1, 1 / 4), (2, 3 / 4), (3, 3 / 4), (4, 1), (None, 1)])
    def test_hits_over_relevant(self, two_rows, k, expected):
        assert recall_at_k(*two_rows, k) == exactly(expected)

    def test_attainable_divides_by_what_fits_into_k(self, two_rows):
        # At k=1 both rows have room for one hit: 1/1 and 0/1.
        assert recall_at_k(*two_rows, 1, denominator="attainable") == exactly(1 / 2)
        assert recall_at_k(*two_rows, 1, denominator="relevant") == exactly((1 / 2 + 0) / 2)

    def test_items_never_retrieved_count_as_relevant(self):
        assert recall_at_k([[1, 0, 1, 1]], [[3.0, 2.0, 1.0, NEVER]]) == exactly(2 / 3)

    def test_attainable_of_the_whole_ranking_is_what_was_retrieved(self):
        # R = 3, but only two items were retrieved.
        y_true, y_scores = [[1, 0, 1, 1]], [[3.0, 2.0, NEVER, NEVER]]
        assert recall_at_k(y_true, y_scores, denominator="attainable") == exactly(1 / 2)
        assert recall_at_k(y_true, y_scores, denominator="relevant") == exactly(1 / 3)

    def test_nothing_retrieved(self):
        assert recall_at_k([[1, 0]], [[NEVER, NEVER]], denominator="attainable") == 0

    @pytest.mark.parametrize(
        ("ties", "expected"), [("average", (1 + 2 * 2 / 4) / 3), ("first", 2 / 3), ("best", 3 / 3), ("worst", 1 / 3)]
    )
    def test_ties_across_the_cutoff(self, straddling, ties, expected):
        assert recall_at_k(*straddling, 3, ties=ties) == exactly(expected)

    def test_unknown_denominator_names_the_known_ones(self, two_rows):
        with pytest.raises(ValueError, match="`denominator` must be one of 'relevant', 'attainable', got 'k'"):
            recall_at_k(*two_rows, denominator="k")


class TestF1:
    def test_two_hits_over_k_and_relevant(self, two_rows):
        # One hit each at k=2: 2 / (2 + 2) and 2 / (2 + 1).
        assert f1_at_k(*two_rows, 2, average=None) == exactly([2 / 4, 2 / 3])

    def test_is_the_harmonic_mean_of_precision_and_recall(self, two_rows):
        p, r = precision_at_k(*two_rows, 3, average=None), recall_at_k(*two_rows, 3, average=None)
        assert f1_at_k(*two_rows, 3, average=None) == exactly(2 * p * r / (p + r))

    def test_whole_ranking_takes_k_from_what_was_retrieved(self):
        # One hit among two retrieved items, R = 2.
        assert f1_at_k([[1, 0, 1]], [[2.0, 1.0, NEVER]]) == exactly(2 * 1 / (2 + 2))

    def test_k_past_the_row(self, two_rows):
        assert f1_at_k(*two_rows, 6, average=None) == exactly([4 / (6 + 2), 2 / (6 + 1)])

    def test_nothing_retrieved(self):
        assert f1_at_k([[1, 0]], [[NEVER, NEVER]]) == 0

    def test_ties_average_the_hits(self, straddling):
        assert f1_at_k(*straddling, 3) == exactly(2 * (1 + 2 * 2 / 4) / (3 + 3))


class TestHitRate:
    @pytest.mark.parametrize(("k", "expected"), [(1, 1 / 2), (2, 1), (None, 1)])
    def test_any_hit(self, two_rows, k, expected):
        assert hit_rate_at_k(*two_rows, k) == expected

    @pytest.mark.parametrize(("k", "expected"), [(1, 1 / 5), (2, 2 / 5), (4, 4 / 5), (5, 1), (9, 1)])
    def test_one_item_among_five_equal_scores(self, five_tied, k, expected):
        assert hit_rate_at_k(*five_tied, k) == exactly(expected)

    def test_two_items_among_equal_scores(self):
        # 1 - the chance that none of two ranks holds one: 1 - (3/5)(2/4).
        assert hit_rate_at_k([[1, 0, 1, 0, 0]], [[7, 7, 7, 7, 7]], 2) == exactly(1 - 3 / 5 * 2 / 4)

    @pytest.mark.parametrize(("ties", "expected"), [("first", 0), ("best", 1), ("worst", 0)])
    def test_fixed_orders_of_ties(self, five_tied, ties, expected):
        assert hit_rate_at_k(*five_tied, 2, ties=ties) == expected

    def test_first_counts_from_the_lower_column(self, five_tied):
        assert hit_rate_at_k(*five_tied, 3, ties="first") == 1

    def test_one_label_a_row_is_top_k_accuracy(self):
        # The labels stand at ranks 1, 2 and 3.
        scores = [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.5, 0.4, 0.1]]
        assert hit_rate_at_k(["a", "b", "c"], scores, 2) == exactly(2 / 3)

    def test_never_retrieved_is_no_hit(self):
        assert hit_rate_at_k([[1, 0]], [[NEVER, 1.0]]) == 0


class TestMap:
    @pytest.mark.parametrize(
        ("denominator", "expected"),
        [
            # The rows sum to 1 (a hit at rank 1) and 1/2 (a hit at rank 2), with R = 2 and R = 1.
            ("attainable", (1 / 2 + 1 / 2 / 1) / 2),
            ("relevant", (1 / 2 + 1 / 2 / 1) / 2),
            ("k", (1 / 2 + 1 / 2 / 2) / 2),
            ("hits", (1 / 1 + 1 / 2 / 1) / 2),
        ],
    )
    def test_denominators_at_two(self, two_rows, denominator, expected):
        assert map_at_k(*two_rows, 2, denominator=denominator) == exactly(expected)

    @pytest.mark.parametrize(
        ("denominator", "expected"), [("attainable", 1 / 1), ("relevant", 1 / 3), ("k", 1 / 1), ("hits", 1 / 1)]
    )
    def test_more_relevant_than_k(self, denominator, expected):
        assert map_at_k([[1, 1, 1]], [[3, 2, 1]], 1, denominator=denominator) == exactly(expected)

    @pytest.mark.parametrize(
        ("denominator", "divisor"), [("attainable", 2), ("relevant", 2), ("k", 3), ("hits", 1)]
    )
    def test_each_divisor_differs(self, denominator, divisor):
        # Ranks 2 and 4 are hits, and k = 3 sees the first: 1/2 over min(2, 3), R = 2, k = 3, 1 hit.
        value = map_at_k([[0, 1, 0, 1]], [[4, 3, 2, 1]], 3, denominator=denominator)
        assert value == exactly(1 / 2 / divisor)

    def test_whole_ranking(self, two_rows):
        assert map_at_k(*two_rows) == exactly(((1 / 1 + 2 / 4) / 2 + 1 / 2) / 2)

    def test_whole_ranking_over_what_was_retrieved(self):
        # Two of four items retrieved, the hit at rank 1; R = 3.
        y_true, y_scores = [[1, 0, 1, 1]], [[2.0, 1.0, NEVER, NEVER]]
        assert map_at_k(y_true, y_scores, denominator="k") == exactly(1 / 2)
        assert map_at_k(y_true, y_scores, denominator="attainable") == exactly(1 / 2)
        assert map_at_k(y_true, y_scores, denominator="relevant") == exactly(1 / 3)
        assert map_at_k(y_true, y_scores, denominator="hits") == exactly(1 / 1)

    @pytest.mark.parametrize("denominator", ["attainable", "relevant", "k", "hits"])
    def test_nothing_retrieved(self, denominator):
        assert map_at_k([[1, 0]], [[NEVER, NEVER]], denominator=denominator) == 0

    def test_hits_without_a_hit(self):
        assert map_at_k([[0, 1]], [[2, 1]], 1, denominator="hits") == 0

    @pytest.mark.parametrize(
        ("k", "denominator", "expected"),
        [
            # Ranks 2 to 5 have h_i = 1/2 and, two of them, h_i h_j = (2/4)(1/3) = 1/6. Rank i adds
            # (2 · 1/2 + (i - 2) · 1/6) / i to the 1 of rank 1.
            (2, "relevant", (1 + 1 / 2) / 3),
            (2, "attainable", (1 + 1 / 2) / 2),
            (3, "relevant", (1 + 1 / 2 + (1 + 1 / 6) / 3) / 3),
            (4, "relevant", (1 + 1 / 2 + (1 + 1 / 6) / 3 + (1 + 2 / 6) / 4) / 3),
            (4, "k", (1 + 1 / 2 + (1 + 1 / 6) / 3 + (1 + 2 / 6) / 4) / 4),
            (None, "relevant", (1 + 1 / 2 + (1 + 1 / 6) / 3 + (1 + 2 / 6) / 4 + (1 + 3 / 6) / 5) / 3),
            # Ranks 2 and 3 hold 0, 1, 2 of the two hits with chances 1/6, 4/6, 1/6, and AP is then
            # 1, ((1 + 2/2) / 2 + (1 + 2/3) / 2) / 2, 1.
            (3, "hits", 1 / 6 + 4 / 6 * (1 + 5 / 6) / 2 + 1 / 6),
        ],
    )
    def test_ties_across_the_cutoff(self, straddling, k, denominator, expected):
        assert map_at_k(*straddling, k, denominator=denominator) == exactly(expected)

    @pytest.mark.parametrize(
        ("ties", "expected"),
        [
            ("first", (1 + 2 / 3 + 3 / 4) / 3),  # order 1 0 1 1 0
            ("best", 1),  # 1 1 1 0 0
            ("worst", (1 + 2 / 4 + 3 / 5) / 3),  # 1 0 0 1 1
        ],
    )
    def test_fixed_orders_of_ties(self, straddling, ties, expected):
        assert map_at_k(*straddling, ties=ties) == exactly(expected)

    def test_ties_ahead_of_a_hit_and_behind_one(self):
        # Ranks 1 and 2 share a score and one hit, rank 3 is a hit: (1 or 1/2) + 2/3, over 2.
        assert map_at_k([[0, 1, 1]], [[5, 5, 1]]) == exactly(((1 + 1 / 2) / 2 + 2 / 3) / 2)

    def test_huge_group_of_ties_does_not_overflow(self):
        # One hit among n: the mean of 1/i over the ranks, over one hit if it is within k.
        n, k = 5000, 100
        y_true = np.zeros((1, n), int)
        y_true[0, 17] = 1
        harmonic = math.fsum(1 / i for i in range(1, k + 1))
        for denominator, divisor in (("attainable", 1), ("relevant", 1), ("k", k), ("hits", 1)):
            value = map_at_k(y_true, np.zeros((1, n)), k, denominator=denominator)
            assert value == pytest.approx(harmonic / n / divisor, rel=1e-12)

    def test_half_of_a_huge_group_is_relevant(self):
        # Every rank has h = 1/2, every two ranks (1/2) (r-1)/(n-1).
        n, k = 4000, 50
        y_true = np.arange(n)[None] % 2
        both = 1 / 2 * (n / 2 - 1) / (n - 1)
        expected = math.fsum((1 / 2 + (i - 1) * both) / i for i in range(1, k + 1)) / k
        assert map_at_k(y_true, np.ones((1, n)), k) == pytest.approx(expected, rel=1e-12)

    def test_a_huge_straddling_group_over_its_hits(self):
        # k = 2 of n with half relevant; the top two hold 0, 1 or 2 hits.
        n, r = 3000, 1500
        y_true = (np.arange(n) < r).astype(int)[None]
        one, two = 2 * r * (n - r) / (n * (n - 1)), r * (r - 1) / (n * (n - 1))
        expected = one * (1 + 1 / 2) / 2 + two
        assert map_at_k(y_true, np.ones((1, n)), 2, denominator="hits") == pytest.approx(expected, rel=1e-11)

    def test_unknown_denominator_names_the_known_ones(self, two_rows):
        with pytest.raises(ValueError, match=r"`denominator` must be one of 'attainable', .*'hits', got 'R'"):
            map_at_k(*two_rows, denominator="R")


class TestMrr:
    @pytest.mark.parametrize(("k", "expected"), [(1, 1 / 2), (2, (1 + 1 / 2) / 2), (None, (1 + 1 / 2) / 2)])
    def test_first_relevant_rank(self, two_rows, k, expected):
        assert mrr_at_k(*two_rows, k) == exactly(expected)

    def test_five_equal_scores(self, five_tied):
        assert mrr_at_k(*five_tied) == exactly((1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5)

    @pytest.mark.parametrize(("ties", "expected"), [("first", 1 / 3), ("best", 1), ("worst", 1 / 5)])
    def test_fixed_orders_of_ties(self, five_tied, ties, expected):
        assert mrr_at_k(*five_tied, ties=ties) == exactly(expected)

    def test_group_across_the_cutoff(self, five_tied):
        assert mrr_at_k(*five_tied, 2) == exactly((1 + 1 / 2) / 5)

    def test_two_relevant_among_equals(self):
        # The first of 2 hits among 4: rank 1 with 2/4, rank 2 with (2/4)(2/3), rank 3 with (2/4)(1/3).
        expected = 2 / 4 + 2 / 4 * 2 / 3 / 2 + 2 / 4 * 1 / 3 / 3
        assert mrr_at_k([[1, 0, 1, 0]], [[2, 2, 2, 2]]) == exactly(expected)

    def test_equals_behind_a_hit_do_not_matter(self, straddling):
        assert mrr_at_k(*straddling) == 1

    def test_equals_behind_a_miss(self):
        # Rank 1 is no hit, ranks 2 and 3 share one.
        assert mrr_at_k([[0, 1, 0]], [[9, 4, 4]]) == exactly((1 / 2 + 1 / 3) / 2)

    def test_a_group_with_hundreds_of_hits(self):
        # P(first hit at i) = prod_{j<i-1} (n-r-j)/(n-j) · r/(n-i+1), in a plain loop.
        n, r = 900, 300
        none_so_far, expected = 1.0, 0.0
        for i in range(1, n - r + 2):
            expected += none_so_far * r / (n - i + 1) / i
            none_so_far *= (n - r - i + 1) / (n - i + 1)
        y_true = (np.arange(n) % 3 == 1).astype(int)[None]
        assert mrr_at_k(y_true, np.zeros((1, n))) == pytest.approx(expected, rel=1e-12)


class TestDcg:
    def test_linear_gain(self):
        # Grades 1, 3, 2 by rank.
        expected = 1 / log2(2) + 3 / log2(3) + 2 / log2(4)
        assert dcg_at_k([[3, 2, 1]], [[2, 1, 3]]) == exactly(expected)

    def test_exponential_gain(self):
        expected = 1 / log2(2) + 7 / log2(3) + 3 / log2(4)
        assert dcg_at_k([[3, 2, 1]], [[2, 1, 3]], gain="exponential") == exactly(expected)

    def test_cutoff(self):
        assert dcg_at_k([[3, 2, 1]], [[2, 1, 3]], 2) == exactly(1 + 3 / log2(3))

    def test_fractional_grades(self):
        assert dcg_at_k([[0.5, 0.25]], [[1, 2]]) == exactly(0.25 + 0.5 / log2(3))
        assert dcg_at_k([[0.5]], [[1]], gain="exponential") == exactly(math.sqrt(2) - 1)

    def test_each_rank_of_a_group_has_its_mean_gain(self):
        # Grades 3 and 0 share ranks 2 and 3; McSherry and Najork.
        expected = 1 + 3 / 2 * (1 / log2(3) + 1 / log2(4))
        assert dcg_at_k([[1, 3, 0]], [[9, 5, 5]]) == exactly(expected)
        assert dcg_at_k([[1, 3, 0]], [[9, 5, 5]], 2) == exactly(1 + 3 / 2 / log2(3))

    def test_the_mean_is_of_gains_not_of_grades(self):
        expected = (7 + 0) / 2 * (1 + 1 / log2(3))
        assert dcg_at_k([[3, 0]], [[5, 5]], gain="exponential") == exactly(expected)

    @pytest.mark.parametrize(
        ("ties", "order"), [("first", [1, 3, 2]), ("best", [3, 2, 1]), ("worst", [1, 2, 3])]
    )
    def test_fixed_orders_of_ties(self, ties, order):
        expected = order[0] + order[1] / log2(3) + order[2] / log2(4)
        assert dcg_at_k([[1, 3, 2]], [[5, 5, 5]], ties=ties) == exactly(expected)

    def test_a_row_without_gain_is_worth_zero_division(self, with_empty):
        assert dcg_at_k(*with_empty, average=None, zero_division=7.0) == exactly([1 / log2(3), 7.0])

    def test_takes_no_relevance_threshold(self, two_rows):
        with pytest.raises(TypeError, match="relevance_threshold"):
            dcg_at_k(*two_rows, relevance_threshold=1)

    def test_unknown_gain_names_the_known_ones(self, two_rows):
        with pytest.raises(ValueError, match="`gain` must be one of 'linear', 'exponential', got 'exp'"):
            dcg_at_k(*two_rows, gain="exp")

    def test_grades_too_great_for_the_exponential_gain_say_so(self):
        assert dcg_at_k([[1024]], [[1]]) == exactly(1024)
        with pytest.raises(ValueError, match="1024"):
            dcg_at_k([[1024]], [[1]], gain="exponential")


class TestErr:
    def test_a_reader_who_goes_down_the_list(self):
        # On a scale up to 2: chances to stop 3/4, 0, 1/4 by rank.
        assert err_at_k([[2, 0, 1]], [[3, 2, 1]]) == exactly(3 / 4 + 1 / 4 * 1 / 4 / 3)
        assert err_at_k([[2, 0, 1]], [[3, 2, 1]], 2) == exactly(3 / 4)
        assert err_at_k([[0, 1, 2]], [[3, 2, 1]]) == exactly(1 / 4 / 2 + 3 / 4 * 3 / 4 / 3)

    def test_the_scale(self):
        assert err_at_k([[2, 0, 1]], [[3, 2, 1]], max_grade=4) == exactly(3 / 16 + 13 / 16 * 1 / 16 / 3)
        # None is the highest grade of all rows.
        assert err_at_k([[1, 0], [0, 2]], [[2, 1], [2, 1]], average=None) == exactly([1 / 4, 3 / 4 / 2])
        assert err_at_k([[1, 0], [0, 1]], [[2, 1], [2, 1]], average=None) == exactly([1 / 2, 1 / 2 / 2])
        assert err_at_k(sparse.csr_array([[0, 2]]), [[2, 1]]) == exactly(3 / 4 / 2)
        assert err_at_k([0.5, 0], [2, 1]) == exactly((2**0.5 - 1) / 2**0.5)

    def test_ties(self):
        # Grades 2, 1 and 0 in six orders: 3/4 first or 1/4 first, then what is left.
        orders = [(3, 1, 0), (3, 0, 1), (1, 3, 0), (1, 0, 3), (0, 3, 1), (0, 1, 3)]
        values = []
        for order in orders:
            stops = [part / 4 for part in order]
            values.append(stops[0] + (1 - stops[0]) * (stops[1] / 2 + (1 - stops[1]) * stops[2] / 3))
        assert err_at_k([[2, 1, 0]], [[5, 5, 5]]) == exactly(sum(values) / 6)
        cut = [order[0] / 4 + (1 - order[0] / 4) * order[1] / 4 / 2 for order in orders]
        assert err_at_k([[2, 1, 0]], [[5, 5, 5]], 2) == exactly(sum(cut) / 6)

    def test_groups_of_ties_in_turn(self):
        # Passed for certain or not at all: grade 0 stops nobody, and the first group stops with 1/2 at rank 1 or 2.
        value = err_at_k([[1, 0, 1, 1]], [[5, 5, 3, 3]])
        assert value == exactly((1 / 2 + 1 / 4) / 2 + 1 / 2 * (1 / 2 / 3 + 1 / 2 * 1 / 2 / 4))

    def test_small_chances_lose_no_digits(self):
        # One of 400 stops with 2^-40 at a rank between 1 and 400.
        y_true = np.zeros((1, 400))
        y_true[0, 7] = 1
        expected = 2.0**-40 * sum(1 / rank for rank in range(1, 401)) / 400
        assert err_at_k(y_true, np.ones((1, 400)), max_grade=40) == pytest.approx(expected, rel=1e-13)

    def test_one_long_row(self):
        n = 5000
        stops = 1 / 2**10
        expected = sum(stops * (1 - stops) ** i / (i + 1) for i in range(n))
        assert err_at_k(np.ones(n), np.arange(n), max_grade=10) == pytest.approx(expected, rel=1e-12)
        # All tied: any order is the same.
        assert err_at_k(np.ones(n), np.zeros(n), 800, max_grade=10) == pytest.approx(
            sum(stops * (1 - stops) ** i / (i + 1) for i in range(800)), rel=1e-12
        )

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"max_grade": 2}, ValueError, r"`y_true` must hold grades from 0 to 2 \(`max_grade`\).* holds the value 3"),
            ({"max_grade": 0}, ValueError, r"`max_grade` must be a number above 0 and up to 900, or None, got 0"),
            ({"max_grade": 901}, ValueError, r"`max_grade` must be .* got 901"),
            ({"max_grade": "4"}, TypeError, r"`max_grade` must be .* got '4' \(str\)"),
        ],
    )
    def test_errors(self, options, error, message):
        with pytest.raises(error, match=message):
            err_at_k([[3, 0]], [[2, 1]], **options)

    def test_grades_that_are_none(self):
        with pytest.raises(ValueError, match=r"grades from 0 to 900 \(gains"):
            err_at_k([[901, 0]], [[2, 1]])
        with pytest.raises(ValueError, match=r"negative value -1"):
            err_at_k([[-1, 0]], [[2, 1]])
        with pytest.raises(ValueError, match=r"`y_true` contains NaN"):
            err_at_k([[np.nan, 1]], [[2, 1]])
        assert err_at_k([[0, 0]], [[2, 1]]) == 0


class TestRbp:
    def test_weights_of_ranks(self):
        assert rbp([[1, 0, 1]], [[3, 2, 1]]) == exactly(0.2 * (1 + 0.8**2))
        assert rbp([[1, 0, 1]], [[3, 2, 1]], p=0.5) == exactly(0.5 * (1 + 0.25))

    def test_grades_and_threshold(self):
        assert rbp([[2, 0, 3]], [[3, 2, 1]], p=0.5) == exactly(0.5 * (2 + 3 / 4))
        assert rbp([[2, 0, 3]], [[3, 2, 1]], p=0.5, relevance_threshold=3) == exactly(0.5 / 4)
        assert rbp([[-1, 2]], [[3, 2]], p=0.5, relevance_threshold=1) == exactly(0.5 / 2)
        with pytest.raises(ValueError, match="negative value -1"):
            rbp([[-1, 2]], [[3, 2]])

    def test_beside_metrics_that_read_grades_otherwise(self):
        report = evaluate([[2, 0, 1]], [[3, 2, 1]], [("rbp", {"p": 0.5}), "ndcg", "mrr"], relevance_threshold=2)
        assert report["rbp(p=0.5)"] == 1 / 2
        assert report["ndcg"] == exactly((2 + 1 / 2) / (2 + 1 / log2(3)))
        assert report["mrr"] == 1

    def test_ties(self):
        # Two hits among four: each rank is one with chance 1/2.
        assert rbp([[1, 1, 0, 0]], [[5, 5, 5, 5]], p=0.5) == exactly(0.5 * (1 + 0.5 + 0.25 + 0.125) / 2)
        assert rbp([[1, 3, 0]], [[9, 5, 5]], p=0.5) == exactly(0.5 * (1 + 3 / 2 * (0.5 + 0.25)))

    @pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, np.nan, True, "0.5"])
    def test_persistence(self, p):
        with pytest.raises((ValueError, TypeError), match="`p` must be a number between 0 and 1, got"):
            rbp([[1]], [[1]], p=p)


class TestNdcg:
    def test_over_the_ideal_order(self):
        dcg = 1 + 3 / log2(3) + 2 / log2(4)
        ideal = 3 + 2 / log2(3) + 1 / log2(4)
        assert ndcg_at_k([[3, 2, 1]], [[2, 1, 3]]) == exactly(dcg / ideal)

    def test_the_ideal_order_is_cut_at_k(self):
        assert ndcg_at_k([[3, 2, 1]], [[2, 1, 3]], 2) == exactly((1 + 3 / log2(3)) / (3 + 2 / log2(3)))

    def test_the_ideal_order_holds_items_never_retrieved(self):
        assert ndcg_at_k([[1, 3]], [[1.0, NEVER]]) == exactly(1 / (3 + 1 / log2(3)))
        assert ndcg_at_k([[1, 3]], [[1.0, NEVER]], 1) == exactly(1 / 3)

    def test_exponential_gain(self):
        assert ndcg_at_k([[1, 2]], [[2, 1]], gain="exponential") == exactly((1 + 3 / log2(3)) / (3 + 1 / log2(3)))

    @pytest.mark.parametrize("k", [1, 2, 3, None])
    def test_a_perfect_ranking_is_one_and_not_more(self, k):
        value = ndcg_at_k([[0.3, 0.7, 0.1]], [[2, 3, 1]], k)
        assert value == exactly(1)
        assert value <= 1

    def test_ties(self):
        mean = (1 + 0) / 2
        assert ndcg_at_k([[1, 0, 0]], [[5, 5, 1]]) == exactly(mean * (1 + 1 / log2(3)))
        assert ndcg_at_k([[1, 0, 0]], [[5, 5, 1]], 1) == exactly(mean)

    def test_nothing_retrieved(self):
        assert ndcg_at_k([[1, 0]], [[NEVER, NEVER]]) == 0


class TestRPrecision:
    def test_hits_in_the_top_r(self, two_rows):
        # R = 2 with a hit at rank 1, R = 1 with none.
        assert r_precision(*two_rows, average=None) == exactly([1 / 2, 0])

    def test_items_never_retrieved_deepen_the_cut(self):
        # R = 3 looks at three ranks, though the third hit was never retrieved.
        assert r_precision([[1, 0, 1, 1]], [[3.0, 2.0, 1.0, NEVER]]) == exactly(2 / 3)

    def test_fewer_retrieved_than_relevant(self):
        assert r_precision([[1, 1, 1]], [[1.0, NEVER, NEVER]]) == exactly(1 / 3)

    @pytest.mark.parametrize(
        ("ties", "expected"), [("average", (1 + 2 * 2 / 4) / 3), ("first", 2 / 3), ("best", 3 / 3), ("worst", 1 / 3)]
    )
    def test_ties_across_the_cut(self, straddling, ties, expected):
        assert r_precision(*straddling, ties=ties) == exactly(expected)

    def test_takes_no_k(self, two_rows):
        with pytest.raises(TypeError, match="k"):
            r_precision(*two_rows, k=2)


class TestRelevanceThreshold:
    def test_grades_from_it_on_count(self):
        # Grades 1, 3, 2 by rank; from 2 on, ranks 2 and 3 are hits.
        y_true, y_scores = [[3, 2, 1]], [[2, 1, 3]]
        assert map_at_k(y_true, y_scores, relevance_threshold=2) == exactly((1 / 2 + 2 / 3) / 2)
        assert recall_at_k(y_true, y_scores, 2, relevance_threshold=2) == exactly(1 / 2)
        assert recall_at_k(y_true, y_scores, 2, relevance_threshold=1) == exactly(2 / 3)

    def test_a_threshold_that_zeros_reach_makes_all_relevant(self):
        assert precision_at_k([[0, 0, 0]], [[3, 2, 1]], 2, relevance_threshold=0) == 1
        assert recall_at_k([[0, -1, 0]], [[3, 2, 1]], 1, relevance_threshold=0) == exactly(1 / 2)

    def test_grades_without_it_are_an_error_that_names_it(self):
        with pytest.raises(ValueError, match=r"binary.*relevance_threshold"):
            map_at_k([[2, 0, 1]], [[3, 2, 1]])

    def test_best_and_worst_sort_by_relevance_not_by_grade(self):
        # From 2 on two of four equals are hits; the greater grade brings nothing.
        y_true, y_scores = [[0, 2, 1, 3]], [[5, 5, 5, 5]]
        assert map_at_k(y_true, y_scores, relevance_threshold=2, ties="best") == 1
        assert map_at_k(y_true, y_scores, relevance_threshold=2, ties="worst") == exactly((1 / 3 + 2 / 4) / 2)


class TestScores:
    def test_plus_infinity_ranks_first(self):
        assert mrr_at_k([[0, 1, 0]], [[1e308, np.inf, 0.0]]) == 1

    def test_two_infinities_tie(self):
        assert mrr_at_k([[0, 1, 0]], [[np.inf, np.inf, 0.0]]) == exactly((1 + 1 / 2) / 2)

    def test_masked_cells_are_never_retrieved(self):
        scores = np.ma.masked_array([[9, 2, 1]], mask=[[True, False, False]])
        assert mrr_at_k([[0, 1, 0]], scores) == 1
        assert recall_at_k([[1, 1, 0]], scores) == exactly(1 / 2)

    def test_the_lowest_integer_is_a_score_like_any_other(self):
        scores = np.array([[-128, 127, -127]], dtype=np.int8)
        assert mrr_at_k([[1, 0, 0]], scores) == exactly(1 / 3)
        assert precision_at_k([[1, 0, 0]], scores) == exactly(1 / 3)

    def test_unsigned_integers_are_not_negated(self):
        assert mrr_at_k([[0, 1, 0]], np.array([[0, 255, 1]], dtype=np.uint8)) == 1

    def test_integers_above_two_to_the_53_stay_apart(self):
        assert mrr_at_k([[0, 1]], np.array([[2**60, 2**60 + 1]])) == 1
        assert mrr_at_k([[1, 0]], np.array([[2**60, 2**60 + 1]])) == exactly(1 / 2)

    def test_doubles_one_step_apart_do_not_tie(self):
        assert mrr_at_k([[0, 1]], [[1.0, np.nextafter(1.0, 2)]]) == 1

    def test_signed_zeros_tie(self):
        assert mrr_at_k([[1, 0]], [[0.0, -0.0]]) == exactly((1 + 1 / 2) / 2)

    @pytest.mark.parametrize("k", [None, 1])
    def test_nan_is_an_error_that_says_where(self, k):
        with pytest.raises(ValueError, match=r"NaN.*row 1, column 2"):
            map_at_k([[1, 0, 0], [1, 0, 0]], [[3, 2, 1], [3, 2, np.nan]], k)


class TestLabels:
    scores = ((0.1, 0.7, 0.2), (0.6, 0.3, 0.1))

    def test_columns_are_the_sorted_labels(self):
        # "b" stands at rank 1; "c" at rank 3.
        assert mrr_at_k(["b", "c", "a"], [*self.scores, (1.0, 0.5, 0.2)]) == exactly((1 + 1 / 3 + 1) / 3)

    def test_labels_name_the_columns_in_any_order(self):
        # Columns c, a, b: "b" of row 1 at rank 2, "c" of row 2 at rank 1.
        assert mrr_at_k(["b", "c"], self.scores, labels=["c", "a", "b"]) == exactly((1 / 2 + 1) / 2)

    def test_another_column_count_names_labels(self):
        with pytest.raises(ValueError, match="`labels=`"):
            mrr_at_k(["b", "c"], self.scores)

    def test_unknown_labels_are_an_error_that_shows_them(self):
        with pytest.raises(ValueError, match=r"\['z'\]"):
            mrr_at_k(["b", "z"], self.scores, labels=["a", "b", "c"])

    def test_numbers_and_booleans_are_labels(self):
        assert mrr_at_k([20, 10, 30], [[0.4, 0.6, 0.2]] * 3) == exactly((1 + 1 / 2 + 1 / 3) / 3)
        found = mrr_at_k([True, False], [[0.4, 0.6], [0.4, 0.6]], labels=[False, True])
        assert found == exactly((1 + 1 / 2) / 2)

    @pytest.mark.parametrize("y_true", [[0, 1, 1, 0], ["no", "yes", "yes", "no"], [True, False, True, True], [1, 1, 1, 1]])
    def test_two_values_beside_two_columns_can_be_read_in_two_ways(self, y_true):
        y_scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.7, 0.3]])
        with pytest.raises(ValueError, match=r"`y_scores\[:, 1\]`.*`labels=`"):
            mrr_at_k(y_true, y_scores)


class TestGroups:
    def test_one_vector_is_one_ranking(self):
        assert mrr_at_k([0, 1, 0], [0.9, 0.5, 0.1]) == exactly(1 / 2)

    def test_rows_of_a_group_anywhere_values_in_order_of_first_appearance(self):
        # Group "z": items 0, 2, 4 with the hit at rank 3; group "a": items 1, 3 with the hit at rank 1.
        y_true, y_scores, groups = [1, 1, 0, 0, 0], [1, 5, 2, 4, 3], ["z", "a", "z", "a", "z"]
        assert mrr_at_k(y_true, y_scores, groups=groups, average=None) == exactly([1 / 3, 1])

    def test_first_is_the_earlier_row(self):
        y_true, y_scores, groups = [0, 1, 1, 0], [2, 7, 2, 7], [1, 0, 1, 0]
        assert mrr_at_k(y_true, y_scores, groups=groups, ties="first", average=None) == exactly([1 / 2, 1])

    def test_a_group_weighs_the_mean_of_its_rows(self):
        # Weights (1 + 3) / 2 = 2 for the group with value 1, and 6 for that with 1/2.
        value = mrr_at_k([1, 0, 1, 0], [2, 1, 1, 2], groups=[0, 0, 1, 1], sample_weight=[1, 3, 5, 7])
        assert value == exactly((2 * 1 + 6 * 1 / 2) / 8)

    def test_the_weight_of_a_group_does_not_grow_with_its_length(self):
        # Both groups weigh 2; their values are 1 and 1/3.
        value = mrr_at_k([1, 0, 0, 1], [1, 3, 2, 1], groups=[0, 1, 1, 1], sample_weight=[2, 1, 2, 3])
        assert value == exactly((1 + 1 / 3) / 2)

    def test_weights_stay_with_their_rows_when_groups_are_mixed(self):
        # "a" has rows 0 and 2 with weights 1 and 3, its hit at rank 1; "b" 5 and 7, its hit at rank 2.
        value = mrr_at_k([1, 0, 0, 1], [2, 2, 1, 1], groups=list("abab"), sample_weight=[1, 5, 3, 7])
        assert value == exactly((2 * 1 + 6 * 1 / 2) / 8)

    def test_groups_of_different_length(self):
        # A hit alone; one at rank 2 of two; one at rank 3 of four.
        y_true = [1, 0, 1, 0, 0, 1, 0]
        y_scores = [1, 2, 1, 4, 3, 2, 1]
        groups = [7, 8, 8, 9, 9, 9, 9]
        assert mrr_at_k(y_true, y_scores, groups=groups) == exactly((1 + 1 / 2 + 1 / 3) / 3)
        assert precision_at_k(y_true, y_scores, groups=groups, average=None) == exactly([1, 1 / 2, 1 / 4])


class TestSparse:
    def test_only_stored_scores_are_retrieved_zeros_included(self):
        # Row 1 stores 0.0 for the hit and -1 for another; the second hit is not stored.
        y_scores = sparse.csr_array(([0.0, -1.0], ([0, 0], [1, 3])), shape=(1, 4))
        y_true = sparse.csr_array([[0, 1, 1, 0]])
        assert mrr_at_k(y_true, y_scores) == 1
        assert recall_at_k(y_true, y_scores) == exactly(1 / 2)
        assert precision_at_k(y_true, y_scores) == exactly(1 / 2)

    def test_sparse_truth_beside_dense_scores(self):
        assert map_at_k(sparse.coo_array([[1, 0, 1]]), [[3, 2, 1]]) == exactly((1 + 2 / 3) / 2)

    def test_dense_truth_beside_sparse_scores(self):
        assert recall_at_k([[1, 0, 1]], sparse.csr_array([[3, 2, 0]])) == exactly(1 / 2)

    def test_a_row_that_stores_nothing_has_no_hits(self):
        y_scores = sparse.csr_array([[0, 0], [1, 2]])
        assert mrr_at_k([[1, 0], [0, 1]], y_scores, average=None) == exactly([0, 1])


class TestFrames:
    def test_columns_of_two_frames_meet_by_name(self):
        pd = pytest.importorskip("pandas")
        y_true = pd.DataFrame({"a": [1, 0], "b": [0, 1]}, index=[5, 3])
        y_scores = pd.DataFrame({"b": [0.2, 0.9], "a": [0.8, 0.1]}, index=[3, 5])
        assert mrr_at_k(y_true, y_scores) == 1  # by position it would be 1/2
        assert mrr_at_k(y_true.to_numpy(), y_scores) == exactly(1 / 2)

    def test_other_names_are_an_error(self):
        pd = pytest.importorskip("pandas")
        with pytest.raises(ValueError, match="same names"):
            mrr_at_k(pd.DataFrame({"a": [1], "b": [0]}), pd.DataFrame({"a": [1], "c": [0]}))

    def test_a_frame_of_scores_names_the_classes(self):
        pd = pytest.importorskip("pandas")
        y_scores = pd.DataFrame([[0.7, 0.2, 0.1]], columns=["c", "a", "b"])
        assert mrr_at_k(["c"], y_scores) == 1


class TestSeeds:
    """Numbers that articles and notebooks give."""

    def test_kaggle_map_of_ten(self):
        relevance = [1, 0, 1, 0, 0, 1, 0, 0, 1, 1]
        assert map_at_k([relevance], [range(10, 0, -1)], 10) == exactly(28 / 45)

    def test_kaggle_apk_of_ten(self):
        actual = ["r1", "r3", "r6", "r9", "r10"]
        predicted = [f"r{i}" for i in range(1, 11)]
        assert apk(actual, predicted, k=10) == exactly(28 / 45)
        assert mapk([actual], [predicted], k=10) == exactly(28 / 45)

    @pytest.mark.parametrize(
        ("relevance", "expected"), [([1, 0, 0, 0, 0, 1, 1], 37 / 21 / 7), ([1, 1, 1, 0, 0, 0, 0], 3 / 7)]
    )
    def test_kaggle_eight_relevant_at_seven(self, relevance, expected):
        # Five of the eight are not in the list.
        y_true = [relevance + [1] * 5]
        y_scores = [[7, 6, 5, 4, 3, 2, 1] + [NEVER] * 5]
        assert map_at_k(y_true, y_scores, 7) == exactly(expected)

    @pytest.mark.parametrize(
        ("relevance", "expected"), [([1, 0, 0, 0, 0, 1, 1], 37 / 21 / 7), ([1, 1, 1, 0, 0, 0, 0], 3 / 7)]
    )
    def test_kaggle_apk_eight_relevant_at_seven(self, relevance, expected):
        predicted = list(range(7))
        actual = [i for i in predicted if relevance[i]] + [100, 101, 102, 103, 104]
        assert apk(actual, predicted, k=7) == exactly(expected)
        assert mapk([actual, actual], [predicted, predicted], k=7) == exactly(expected)

    map_article = (
        # Scores of items 0 to 3, by query.
        [[1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0]],
        [[0.8, 0.6, 0.4, 0.2], [0.5, 0.3, 0.7, 0.9], [0.8, 0.7, 0.9, 0.1]],
    )

    @pytest.mark.parametrize("denominator", ["attainable", "relevant", "hits"])
    def test_map_article(self, denominator):
        values = map_at_k(*self.map_article, average=None, denominator=denominator)
        assert values == exactly([5 / 6, 1, 7 / 12])
        assert map_at_k(*self.map_article, denominator=denominator) == exactly(29 / 36)

    def test_map_article_by_groups(self):
        # The pairs as the article lists them, best first.
        items = [0, 1, 2, 3, 3, 2, 0, 1, 2, 0, 1, 3]
        y_scores = [0.8, 0.6, 0.4, 0.2, 0.9, 0.7, 0.5, 0.3, 0.9, 0.8, 0.7, 0.1]
        queries = np.repeat(["q1", "q2", "q3"], 4)
        y_true = [self.map_article[0][row // 4][item] for row, item in enumerate(items)]
        assert map_at_k(y_true, y_scores, groups=queries) == exactly(29 / 36)

    speed_notebook = (1, 1, 1, 3 / 4, 19 / 25, 139 / 180, 139 / 210, 139 / 240, 139 / 270, 157 / 300, 157 / 330,
                      349 / 720)

    @pytest.mark.parametrize(("k", "expected"), list(enumerate(speed_notebook, start=1)))
    def test_speed_notebook(self, k, expected):
        actual, predicted = list("abcdefhijklm"), list("afcgbkonxlqi")
        assert apk(actual, predicted, k) == exactly(expected)
        y_true, y_scores = from_lists([actual], [predicted])
        assert map_at_k(y_true, y_scores, k) == exactly(expected)
        assert map_at_k(y_true, y_scores, k, denominator="k") == exactly(expected)

    precision_article = ([[0, 1, 0, 0, 1]], [[5, 4, 3, 2, 1]])  # [A, B, C, D, E] with relevant B, E

    def test_precision_article(self):
        assert precision_at_k(*self.precision_article, 3) == exactly(1 / 3)

    def test_precision_article_average_precision(self):
        assert map_at_k(*self.precision_article, 5, denominator="hits") == exactly(0.45)

    def test_precision_article_mean(self):
        # 0.70 is (1/1 + 2/5) / 2: hits at A and E.
        y_true = [[0, 1, 0, 0, 1], [1, 0, 0, 0, 1]]
        y_scores = [[5, 4, 3, 2, 1]] * 2
        assert map_at_k(y_true, y_scores, 5, denominator="hits", average=None) == exactly([0.45, 0.70])
        assert map_at_k(y_true, y_scores, 5, denominator="hits") == exactly(0.575)

    @pytest.mark.parametrize("denominator", ["attainable", "relevant", "k", "hits"])
    def test_precision_article_without_a_relevant_item(self, denominator):
        assert map_at_k([[0, 0, 0]], [[3, 2, 1]], 3, denominator=denominator) == 0
        assert precision_at_k([[0, 0, 0]], [[3, 2, 1]], 3) == 0

    japanese_article = ([[0, 0, 1, 1], [0, 0, 0, 0]], [[0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.5, 0.1]])

    def test_japanese_article_map(self):
        assert map_at_k(*self.japanese_article, k=None) == exactly(5 / 12)

    def test_japanese_article_mrr(self):
        assert mrr_at_k(*self.japanese_article, k=None) == exactly(1 / 2)

    def test_japanese_article_mrr_at_three(self):
        y_true = [[0, 0, 1, 1], [0, 0, 0, 1]]
        y_scores = [[0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.5, 0.9]]
        assert mrr_at_k(y_true, y_scores, k=3) == 1

    def test_japanese_article_k_by_position(self):
        # At k=1 the second hit of row 1 is out of sight.
        assert map_at_k(*self.japanese_article, 1, denominator="relevant") == exactly(1 / 2 / 2)
        assert map_at_k(*self.japanese_article, 3) == exactly(5 / 12)
