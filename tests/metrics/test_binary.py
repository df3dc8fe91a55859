"""Binary metrics, a class each: worked examples as fractions, options, edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import (
    evaluate,
    f1_at_k,
    hit_rate_at_k,
    map_at_k,
    mrr_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
    roc_auc,
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

    @pytest.mark.parametrize(("denominator", "divisor"), [("attainable", 2), ("relevant", 2), ("k", 3), ("hits", 1)])
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


class TestRocAuc:
    @pytest.mark.parametrize(
        ("ties", "expected"),
        [
            # Relevant 3 and 1 against irrelevant 3 and 2: a tie and a win, two losses.
            ("average", (1 / 2 + 1) / 4),
            ("first", (1 + 1) / 4),
            ("best", (1 + 1) / 4),
            ("worst", 1 / 4),
        ],
    )
    def test_pairs_won(self, ties, expected):
        assert roc_auc([[1, 0, 0, 1]], [[3, 3, 2, 1]], ties=ties) == exactly(expected)

    def test_relevant_items_never_retrieved_lose_against_all(self):
        # One of two relevant items beats both irrelevant ones.
        assert roc_auc([[1, 0, 0, 1]], [[3.0, 2.0, 1.0, NEVER]]) == exactly(2 / 4)

    def test_irrelevant_items_never_retrieved_do_not_count(self):
        assert roc_auc([[0, 1, 0, 0]], [[3.0, 2.0, 1.0, NEVER]]) == exactly(1 / 2)

    @pytest.mark.parametrize(
        ("y_true", "y_scores"),
        [([[1, 1]], [[2.0, 1.0]]), ([[0, 0]], [[2.0, 1.0]]), ([[1, 0]], [[2.0, NEVER]]), ([[1, 0]], [[NEVER, NEVER]])],
    )
    def test_without_a_pair_it_is_undefined(self, y_true, y_scores):
        assert roc_auc(y_true, y_scores) == 0
        assert roc_auc(y_true, y_scores, zero_division=0.5) == 0.5
        assert np.isnan(roc_auc(y_true, y_scores, zero_division=np.nan, average=None)).all()

    def test_nothing_relevant_retrieved_beside_irrelevant_items(self):
        assert roc_auc([[1, 0]], [[NEVER, 1.0]], zero_division=0.5) == 0

    def test_all_equal_is_a_half(self):
        assert roc_auc([[1, 0, 0, 1, 0]], [[7] * 5]) == 1 / 2

    def test_micro_counts_pairs(self):
        # 1 of 2 pairs, and 3 of 3.
        y_true, y_scores = [[0, 1, 0, 0], [1, 0, 0, 0]], [[3.0, 2.0, 1.0, NEVER], [9.0, 1.0, 2.0, 3.0]]
        assert roc_auc(y_true, y_scores) == exactly((1 / 2 + 1) / 2)
        assert roc_auc(y_true, y_scores, average="micro") == exactly((1 + 3) / (2 + 3))

    def test_groups_weighted_by_impressions(self):
        # Three impressions of the first user, two of the second.
        y_true, y_scores, users = [1, 0, 0, 0, 1], [3, 2, 3, 2, 1], list("aaabb")
        assert roc_auc(y_true, y_scores, groups=users, average=None) == exactly([(1 + 1 / 2) / 2, 0])
        assert roc_auc([[1, 0, 0], [0, 1, 0]], [[3, 2, 3], [2, 1, NEVER]], sample_weight=[3, 2]) == exactly(
            (3 * 3 / 4 + 2 * 0) / 5
        )

    def test_takes_no_k(self, two_rows):
        with pytest.raises(TypeError):
            roc_auc(*two_rows, 2)
        with pytest.raises(ValueError, match="roc_auc takes no k, got 'roc_auc@3'"):
            evaluate(*two_rows, ["roc_auc@3"])
