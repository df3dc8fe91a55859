"""Graded metrics, a class each: worked examples, gains by table, scales."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import (
    dcg_at_k,
    err_at_k,
    evaluate,
    ndcg_at_k,
    rbp,
)

NEVER = -np.inf


def exactly(value):
    """Equal but for the rounding of a few operations."""
    return pytest.approx(value, rel=1e-13, abs=0, nan_ok=True)


def log2(x):
    return math.log2(x)


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

    @pytest.mark.parametrize(("ties", "order"), [("first", [1, 3, 2]), ("best", [3, 2, 1]), ("worst", [1, 2, 3])])
    def test_fixed_orders_of_ties(self, ties, order):
        expected = order[0] + order[1] / log2(3) + order[2] / log2(4)
        assert dcg_at_k([[1, 3, 2]], [[5, 5, 5]], ties=ties) == exactly(expected)

    def test_a_row_without_gain_is_worth_zero_division(self, with_empty):
        assert dcg_at_k(*with_empty, average=None, zero_division=7.0) == exactly([1 / log2(3), 7.0])

    def test_takes_no_relevance_threshold(self, two_rows):
        with pytest.raises(TypeError, match="relevance_threshold"):
            dcg_at_k(*two_rows, relevance_threshold=1)

    def test_unknown_gain_names_the_known_ones(self, two_rows):
        with pytest.raises(
            ValueError, match=r"`gain` must be 'linear', 'exponential', a dict .* or a list .*, got 'exp'"
        ):
            dcg_at_k(*two_rows, gain="exp")

    def test_grades_too_great_for_the_exponential_gain_say_so(self):
        assert dcg_at_k([[1024]], [[1]]) == exactly(1024)
        with pytest.raises(ValueError, match="1024"):
            dcg_at_k([[1024]], [[1]], gain="exponential")


class TestGainTables:
    @pytest.mark.parametrize(
        "gain",
        [{0: 0, 1: 1, 2: 3}, {2: 3, 1: 1}, {2.0: 3, 1.0: 1.0}, [0, 1, 3], (0, 1, 3), np.array([0, 1, 3])],
        ids=repr,
    )
    def test_positions_are_grades(self, gain):
        # Grades 1, 2, 0 by rank.
        value = 1 + 3 / log2(3)
        assert dcg_at_k([[2, 1, 0]], [[2, 3, 1]], gain=gain) == exactly(value)
        assert ndcg_at_k([[2, 1, 0]], [[2, 3, 1]], gain=gain) == exactly(value / (3 + 1 / log2(3)))

    def test_grades_that_are_no_integers(self):
        assert dcg_at_k([[0.5, 0.25]], [[1, 2]], gain={0.25: 3, 0.5: 7}) == exactly(3 + 7 / log2(3))

    def test_a_greater_grade_may_gain_less(self):
        # The ideal order goes by gains: grade 1 first.
        table = {0: 0, 1: 5, 2: 2}
        assert ndcg_at_k([[1, 2]], [[2, 1]], gain=table) == 1
        assert ndcg_at_k([[1, 2]], [[1, 2]], gain=table) == exactly((2 + 5 / log2(3)) / (5 + 2 / log2(3)))

    def test_best_and_worst_go_by_gains(self):
        table, tied = {0: 0, 1: 5, 2: 2}, ([[2, 1]], [[1, 1]])
        assert dcg_at_k(*tied, gain=table, ties="best") == exactly(5 + 2 / log2(3))
        assert dcg_at_k(*tied, gain=table, ties="worst") == exactly(2 + 5 / log2(3))
        assert dcg_at_k(*tied, gain=table) == exactly((5 + 2) / 2 * (1 + 1 / log2(3)))

    def test_a_row_whose_gains_are_all_zero_is_empty(self):
        y_true, y_scores = [[1, 0], [2, 1]], [[2, 1], [2, 1]]
        for metric, first in ((dcg_at_k, 3), (ndcg_at_k, 1)):
            values = metric(y_true, y_scores, gain=[0, 0, 3], zero_division=0.25, average=None)
            assert values == exactly([0.25, first])

    @pytest.mark.parametrize("metric", [dcg_at_k, ndcg_at_k])
    @pytest.mark.parametrize("to", [np.array, lambda y: np.array(y, np.int8), sparse.csr_array])
    def test_an_unknown_grade_is_named(self, metric, to):
        with pytest.raises(ValueError, match=r"`gain` has no entry for the grade 3 of `y_true`; it has 0, 1, 2"):
            metric(to([[3, 1]]), [[2, 1]], gain=[0, 1, 3])
        with pytest.raises(ValueError, match=r"`gain` has no entry for the grade 2.5 of `y_true`; it has 1, 2"):
            metric([[2.5, 1]], [[2, 1]], gain={1: 1, 2: 3})

    def test_unknown_wherever_it_stands(self):
        """Past the cutoff, never retrieved, and in a row of no weight."""
        for y_scores, options in (([[2, 1]], {"k": 1}), ([[2, NEVER]], {}), ([[2, 1]] * 2, {"sample_weight": [0, 1]})):
            y_true = [[1, 9], [1, 0]][: len(y_scores)]
            with pytest.raises(ValueError, match="no entry for the grade 9"):
                ndcg_at_k(y_true, y_scores, gain=[0, 1], **options)

    @pytest.mark.parametrize(
        ("gain", "message"),
        [
            ({0: 1, 1: 2}, "`gain` must give the grade 0 the gain 0, got 1"),
            ([1, 2], "`gain` must give the grade 0 the gain 0, got 1"),
            ({}, "`gain` must have an entry for each grade"),
            ([], "`gain` must have an entry for each grade"),
            ({1: -1}, "the gain of a grade is -1"),
            ({-1: 1}, "a grade is -1"),
            ({1: float("nan")}, "the gain of a grade is nan"),
            ({1: np.inf}, "the gain of a grade is inf"),
            ({1: True}, "the gain of a grade is True"),
            ({"1": 1}, "a grade is '1'"),
            ({1: "1"}, "the gain of a grade is '1'"),
            ([0, None], "the gain of a grade is None"),
            ("squared", "`gain` must be 'linear', 'exponential', a dict {grade: gain} or a list"),
            (2, r"`gain` must be 'linear', .*, got 2 \(int\)"),
            (len, "`gain` must be 'linear'"),
        ],
        ids=repr,
    )
    @pytest.mark.parametrize("metric", [dcg_at_k, ndcg_at_k])
    def test_errors(self, metric, gain, message):
        with pytest.raises((ValueError, TypeError), match=message):
            metric([[1, 0]], [[2, 1]], gain=gain)
        with pytest.raises((ValueError, TypeError), match=message):
            evaluate([[1, 0]], [[2, 1]], [(metric, {"gain": gain})])

    def test_a_request_shows_its_table(self):
        found = evaluate(
            [[2, 1, 0]], [[2, 3, 1]], ["ndcg@1", ("ndcg@1", {"gain": {1: 1, 2: 3}}), ("dcg@1", {"gain": [0, 4, 9]})]
        )
        assert found == exactly({"ndcg@1": 1 / 2, "ndcg@1(gain={1: 1, 2: 3})": 1 / 3, "dcg@1(gain=[0, 4, 9])": 4.0})


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
            (
                {"max_grade": 2},
                ValueError,
                r"`y_true` must hold grades from 0 to 2 \(`max_grade`\).* holds the value 3",
            ),
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
