"""No value is off by a rounding of its own: bounds are kept and reached, and small chances keep their digits."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import comb, prod

import numpy as np
import pytest
from oracles import VARIANTS

import sklearn_rank as sr
from sklearn_rank.metrics._registry import METRICS

TIES = ("average", "first", "best", "worst")
CUTOFFS = (1, 2, 3, 5, 7, 10, 14, 40, None)
BOUNDED = [name for name, metric in METRICS.items() if metric.greatest == 1.0] + ["rbp"]


def variants(name):
    """The options of a metric that change its formula; ERR on a scale where a grade of 1 stops readers."""
    return [{"max_grade": 1}] if name == "err" else VARIANTS.get(name, [{}])


def row_values(name, y_true, y_scores, k, **options):
    metric = METRICS[name]
    if name.startswith("ps"):
        options["propensity"] = 1 / np.linspace(1.1, 7, np.shape(y_true)[1])
    return metric.function(y_true, y_scores, *((k,) if metric.takes_k else ()), average=None, **options)


def bounded_rows(seed):
    """Rows of many lengths of ties, with few and with nearly only relevant items."""
    rng = np.random.default_rng(seed)
    n, m = 2000, 14
    y_true = (rng.random((n, m)) < rng.choice([0.1, 0.5, 0.95], (n, 1))).astype(int)
    y_scores = rng.integers(0, rng.choice([1, 2, 3, 9], (n, 1)), (n, m)).astype(float)
    y_scores[rng.random((n, m)) < 0.05] = -np.inf
    return y_true, y_scores


class TestBounds:
    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("name", BOUNDED)
    def test_never_outside(self, name, ties):
        y_true, y_scores = bounded_rows(3)
        for options in variants(name):
            for k in CUTOFFS if METRICS[name].takes_k else (None,):
                values = row_values(name, y_true, y_scores, k, ties=ties, **options)
                assert values.min() >= 0, (k, options)
                assert values.max() <= 1, (k, options)

    @pytest.mark.parametrize("name", [name for name in BOUNDED if name != "err"])
    def test_long_rows_without_ties(self, name):
        """Sums of hundreds of terms; 1 - p**n of RBP is next to 1."""
        y_true = np.ones((40, 700), int)
        y_true[:, 600:] = np.arange(40)[:, None] % 2
        y_scores = -np.arange(700.0)[None, :].repeat(40, axis=0)
        for options in variants(name) if name != "rbp" else [{"p": p} for p in (0.3, 0.5, 0.8, 0.9)]:
            assert row_values(name, y_true, y_scores, None, **options).max() <= 1

    @pytest.mark.parametrize(("size", "relevant", "k"), [(57, 25, 32), (60, 31, 28)])
    def test_hits_that_are_all_but_certain(self, size, relevant, k):
        """The chance of no hit is below 1e-15."""
        assert sr.hit_rate_at_k([[1] * relevant + [0] * (size - relevant)], [[0] * size], k) <= 1

    def test_grades_that_surely_stop(self):
        """2**60 - 1 of 2**60 is 1 as a double."""
        assert sr.err_at_k([[60] * 30], [[0] * 30], max_grade=60) == 1.0


class TestPerfectRankings:
    """Where no order of the equal scores is better than another, the value is what each of them has: 1."""

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("m", [1, 2, 3, 6, 10, 14, 49, 99, 1000])
    def test_all_relevant(self, m, ties):
        """All items relevant, equal or in pairs, so that any order is perfect down to any depth."""
        y_true = np.ones((2, m), int)
        y_scores = np.array([np.zeros(m), np.arange(m) // 2])
        for k in {1, (m + 1) // 3 or 1, m // 2 + 1, m}:
            for metric in (sr.precision_at_k, sr.hit_rate_at_k, sr.mrr_at_k, sr.ndcg_at_k):
                assert metric(y_true, y_scores, k, ties=ties, average=None).tolist() == [1, 1], (metric, k)
            assert sr.recall_at_k(y_true, y_scores, k, ties=ties, denominator="attainable") == 1
            assert sr.ndcg_at_k(y_true, y_scores, k, ties=ties, gain="exponential") == 1
            for denominator in ("attainable", "k", "hits"):
                assert sr.map_at_k(y_true, y_scores, k, ties=ties, denominator=denominator) == 1, (denominator, k)
        for metric in (sr.precision_at_k, sr.recall_at_k, sr.f1_at_k, sr.map_at_k, sr.ndcg_at_k):
            assert metric(y_true, y_scores, ties=ties) == 1
        assert sr.map_at_k(y_true, y_scores, ties=ties, denominator="relevant") == 1
        assert sr.r_precision(y_true, y_scores, ties=ties) == 1

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("relevant", [1, 2, 5, 13, 49])
    def test_relevant_ones_above_the_others(self, relevant, ties):
        y_true = np.r_[np.ones(relevant, int), np.zeros(50, int)][None, :]
        for levels in (1, 2, 3):
            y_scores = np.r_[2 + np.arange(relevant) % levels, np.zeros(50)][None, :]
            for k in (relevant, relevant + 7, None):
                for metric in (sr.recall_at_k, sr.map_at_k, sr.ndcg_at_k, sr.hit_rate_at_k, sr.mrr_at_k):
                    assert metric(y_true, y_scores, k, ties=ties) == 1, (metric, levels, k)
                for denominator in ("relevant", "hits"):
                    assert sr.map_at_k(y_true, y_scores, k, ties=ties, denominator=denominator) == 1
            assert sr.f1_at_k(y_true, y_scores, relevant, ties=ties) == 1
            assert sr.r_precision(y_true, y_scores, ties=ties) == 1

    @pytest.mark.parametrize(("size", "relevant"), [(10, 1), (10, 9), (11, 2), (12, 5), (13, 10)])
    def test_one_rank_of_a_long_group_within_k(self, size, relevant):
        """The chances of no hit and of one, which rounding keeps from adding up to 1."""
        y_true, y_scores = [[1] + [1] * relevant + [0] * (size - relevant)], [[2] + [1] * size]
        assert sr.map_at_k(y_true, y_scores, 2, denominator="hits") == 1

    @pytest.mark.parametrize("above", [1, 2, 6, 48, 98])
    def test_one_rank_of_a_group_within_k(self, above):
        """Whether the rank k is a hit or not, all hits stand above: sum of precisions / hits is 1 either way."""
        y_true = [[1] * above + [1, 0, 0, 1, 0]]
        y_scores = [[2] * above + [1] * 5]
        assert sr.map_at_k(y_true, y_scores, above + 1, denominator="hits") == 1

    @pytest.mark.parametrize("gain", ["linear", "exponential"])
    @pytest.mark.parametrize("grades", [[0.1], [0.1, 0.7, 1 / 3], [3, 2, 1], [1.1, 1e-3]])
    def test_groups_of_one_grade(self, grades, gain):
        """A mean of three 0.1 that was not 0.1 would leave the value next to 1."""
        for copies in (1, 3, 7, 30):
            y_true = [[*np.repeat(sorted(grades, reverse=True), copies).tolist(), 0, 0]]
            y_scores = [[*np.repeat(np.arange(len(grades), 0, -1), copies).tolist(), 0, 0]]
            for k in (1, 2, 5, 20, None):
                assert sr.ndcg_at_k(y_true, y_scores, k, gain=gain) == 1

    def test_a_hit_that_is_certain(self):
        """Fewer irrelevant items than ranks within k."""
        for m in (6, 10, 49, 1000):
            for relevant in (1, 2, m // 2, m - 1, m):
                y_true, y_scores = [[1] * relevant + [0] * (m - relevant)], [[0] * m]
                for k in (m - relevant + 1, m, m + 1, None):
                    assert sr.hit_rate_at_k(y_true, y_scores, k) == 1

    @pytest.mark.parametrize("name", [name for name in METRICS if name != "judged"])
    def test_nothing_found_is_exactly_zero(self, name):
        y_true, y_scores = [[0, 0, 0, 1, 1]] * 2, [[3.0, 2, 2, 1, 1], [3, 2, 2, -np.inf, -np.inf]]
        for options in variants(name):
            for k in (1, 2, 3) if METRICS[name].takes_k else ():
                assert row_values(name, y_true, y_scores, k, **options).tolist() == [0, 0]


class TestDigits:
    """Chances near 0 and 1 and long groups, against exact fractions."""

    @pytest.mark.parametrize("m", [6, 49, 99, 1000, 100_000])
    def test_one_relevant_item_is_found_with_chance_k_of_m(self, m):
        for k in (1, 2, m // 3, m // 2, m - 1, m):
            assert sr.hit_rate_at_k([[1] + [0] * (m - 1)], [[0] * m], k) == k / m

    @pytest.mark.parametrize(("size", "relevant", "k"), [(3000, 2, 1), (3000, 40, 3), (3000, 900, 70), (50, 49, 1)])
    def test_hit_rate_of_long_groups(self, size, relevant, k):
        exact = 1 - Fraction(comb(size - relevant, k), comb(size, k))
        value = sr.hit_rate_at_k([[1] * relevant + [0] * (size - relevant)], [[0] * size], k)
        assert value == pytest.approx(float(exact), rel=1e-14, abs=0)

    @pytest.mark.parametrize(("size", "relevant", "k"), [(400, 3, 50), (400, 300, 100), (700, 350, 1)])
    def test_hits_of_a_group_that_is_cut(self, size, relevant, k):
        """Denominator "hits", from the chances of each number of hits."""
        exact = Fraction(0)
        for x in range(max(1, k - size + relevant), min(relevant, k) + 1):
            chance = Fraction(comb(relevant, x) * comb(size - relevant, k - x), comb(size, k))
            pair = Fraction(x * (x - 1), k * (k - 1)) if k > 1 else Fraction(0)
            total = sum((Fraction(x, k) + j * pair) / (j + 1) for j in range(k))
            exact += chance * total / x
        value = sr.map_at_k([[1] * relevant + [0] * (size - relevant)], [[0] * size], k, denominator="hits")
        assert value == pytest.approx(float(exact), rel=1e-12, abs=0)


def expected_reciprocal_rank(grades, before, k, max_grade):
    """Of one group of equal scores below `before` irrelevant items, in fractions.

    The chance to pass the first s of t items is the elementary symmetric polynomial of degree s of the chances to
    go on, divided by C(t, s).
    """
    t = len(grades)
    polynomial = [Fraction(1)] + [Fraction(0)] * t
    for n, grade in enumerate(grades, 1):
        go_on = 1 - Fraction(2**grade - 1, 2**max_grade)
        for s in range(n, 0, -1):
            polynomial[s] += go_on * polynomial[s - 1]
    passed = [polynomial[s] / comb(t, s) for s in range(t + 1)]
    last = t if k is None else min(t, k - before)
    return sum((passed[s - 1] - passed[s]) / (before + s) for s in range(1, last + 1))


class TestExpectedReciprocalRank:
    def test_the_fractions_themselves(self):
        """All six orders of grades 2, 1, 0 on a scale up to 2."""
        total = Fraction(0)
        for order in permutations([2, 1, 0]):
            stop = [Fraction(2**grade - 1, 4) for grade in order]
            total += sum(stop[i] * prod(1 - p for p in stop[:i]) / (i + 1) for i in range(3))
        assert expected_reciprocal_rank([2, 1, 0], 0, None, 2) == total / 6

    @pytest.mark.parametrize("max_grade", [1, 4, 40])
    @pytest.mark.parametrize("relevant", [1, 2, 40, 80])
    @pytest.mark.parametrize(("before", "k"), [(0, None), (0, 1), (0, 7), (3, 50), (1000, None)])
    def test_long_groups(self, before, k, relevant, max_grade):
        """Also where what lies beyond some ranks is too small to matter."""
        grades = [1 + i % min(max_grade, 4) for i in range(relevant)] + [0] * (80 - relevant)
        y_true, y_scores = [[0] * before + grades], [list(range(before, 0, -1)) + [0] * 80]
        exact = float(expected_reciprocal_rank(grades, before, k, max_grade))
        assert sr.err_at_k(y_true, y_scores, k, max_grade=max_grade) == pytest.approx(exact, rel=1e-13, abs=0)

    def test_one_grade_in_all_items_of_a_long_group(self):
        """The same as without ties: sum of p (1 - p)^(s - 1) / s."""
        p = Fraction(1, 2**40)
        exact = float(sum(p * (1 - p) ** (s - 1) / s for s in range(1, 301)))
        assert sr.err_at_k([[1] * 300], [[0] * 300], max_grade=40) == pytest.approx(exact, rel=1e-13, abs=0)

    def test_groups_of_many_lengths_beside_each_other(self):
        rng = np.random.default_rng(4)
        lengths = rng.integers(1, 30, 60)
        y_true = [(rng.integers(0, 4, n)).tolist() + [0] * (30 - n) for n in lengths]
        y_scores = [[1.0] * n + [0.0] * (30 - n) for n in lengths]
        exact = [float(expected_reciprocal_rank(row[:n], 0, None, 3)) for row, n in zip(y_true, lengths, strict=True)]
        values = sr.err_at_k(y_true, y_scores, max_grade=3, average=None)
        assert values == pytest.approx(exact, rel=1e-13, abs=0)
