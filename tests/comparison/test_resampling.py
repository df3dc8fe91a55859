"""Sign flips, t-tests, bootstrap intervals and corrections, against enumeration, SciPy and plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.comparison import _resampling
from sklearn_rank.comparison._resampling import (
    Draws,
    adjusted,
    bootstrap_means,
    effect_size,
    interval_levels,
    seed_of,
    sign_flip_test,
    t_test,
    unit_sums,
)


class TestSignFlips:
    @pytest.mark.parametrize("n", [3, 8, 12])
    def test_exact_ones_are_those_of_scipy(self, rng, n):
        difference = rng.normal(0.3, 1, n)
        expected = stats.permutation_test((difference,), np.sum, permutation_type="samples", n_resamples=np.inf).pvalue
        assert sign_flip_test(difference[:, None], Draws(9999, 0)) == pytest.approx(expected, rel=1e-12)

    def test_sampled_ones_come_near_all(self, rng):
        difference = rng.normal(0.4, 1, (13, 1))
        exact = sign_flip_test(difference, Draws(2**13, 0))[0]
        sampled = sign_flip_test(difference, Draws(2**13 - 1, 0))[0]
        assert sampled != exact
        assert sampled == pytest.approx(exact, abs=4 * np.sqrt(exact / 2**13))

    def test_units_that_do_not_differ_change_nothing(self):
        padded = np.concatenate(([0.5, -0.2, 0.4], np.zeros(50)))[:, None]
        assert sign_flip_test(padded, Draws(99, 0)) == 2 / 8 + 2 / 8  # |0.7| of 1.1, 0.7, 0.3, 0.1 twice each

    def test_rounding_is_no_difference(self):
        # 0.1 + 0.2 and 0.3 are one sum, whatever their last bit says.
        assert sign_flip_test(np.array([[0.1], [0.2], [-0.3]]), Draws(99, 0)) == 1

    def test_sums_that_are_equal_count_as_extreme(self):
        # 40 differences of 1 and 60 of -1: |sum| >= 20 of 100 coin tosses has the chance 0.0569 [binomial].
        sums = np.repeat([1.0, -1.0], [40, 60])[:, None] / 3
        expected = 2 * stats.binom.cdf(40, 100, 0.5)
        assert sign_flip_test(sums, Draws(40_000, 1))[0] == pytest.approx(expected, abs=4 * np.sqrt(0.057 / 40_000))
        assert 2 * stats.binom.cdf(39, 100, 0.5) < expected - 0.02  # what leaving them out would give

    def test_single_precision_decides_nothing(self, rng):
        sums = rng.choice([-1.0, 1.0, 1 + 1e-9], (300, 2)) * [1, 1e-3]
        draws = Draws(2000, 5)
        bits = np.frombuffer(draws.generator(2).bytes(2000 * 40), np.uint8).reshape(2000, 40)
        signs = 1 - 2.0 * np.unpackbits(bits, axis=1, count=300)
        observed = np.abs(sums.sum(axis=0)) - 1e-12 * np.abs(sums).sum(axis=0)
        expected = ((np.abs(signs @ sums) >= observed).sum(axis=0) + 1) / 2001
        assert sign_flip_test(sums, draws).tolist() == expected.tolist()


class TestTTest:
    def test_is_that_of_scipy(self, rng):
        values = rng.normal(0.2, 1, (25, 3))
        expected = stats.ttest_1samp(values, 0).pvalue
        assert t_test(values, np.ones(25)) == pytest.approx(expected, rel=1e-12)

    def test_without_variance(self):
        values = np.array([[0.0, 0.1, 1.0], [0.0, 0.1, 1.0], [0.0, 0.1, -2.0]])
        assert t_test(values, np.ones(3)).tolist() == [1.0, 0.0, 1.0]

    def test_weights_and_clusters(self):
        # Units of weight 2 and 1 with sums 2 · 1 and 1 · 4: mean 2, residuals 2 - 4 = -2 and 4 - 2 = 2,
        # se^2 = 2 (4 + 4) / 9, t = 2 / (4 / 3) = 3/2 with one degree of freedom: p = 1 - 2 arctan(3/2) / pi.
        assert t_test(np.array([[2.0], [4.0]]), np.array([2.0, 1.0])) == pytest.approx(1 - 2 * np.arctan(1.5) / np.pi)

    @pytest.mark.parametrize(
        ("differences", "weights", "expected"),
        [
            ([1.0, 2.0, 3.0], [1, 1, 1], 2.0),  # mean 2, standard deviation 1
            ([1.0, 2.0, 3.0], [7, 7, 7], 2.0),
            ([0.0, 3.0], [2, 1], 1 / np.sqrt(2 * (2 * 1 + 4) / 3)),  # mean 1, squares 1 and 4 weighed 2 and 1
            ([0.0, 0.0], [1, 1], 0.0),
            ([0.3, 0.1 + 0.2], [1, 1], np.inf),
            ([-0.5, -0.5], [1, 3], -np.inf),
        ],
    )
    def test_effect(self, differences, weights, expected):
        assert effect_size(np.array(differences), np.array(weights, float)) == pytest.approx(expected, rel=1e-12)


class TestBootstrap:
    @pytest.mark.parametrize("n", [2, 7, 100, 4095, 4096, 5000, 70_000])
    def test_each_sample_has_as_many_units(self, n):
        for counts in _resampling._drawn(n, Draws(40, 0)):
            assert (counts.sum(axis=1) == n).all()
            assert counts.shape[1] == n

    @pytest.mark.parametrize("short_by", [4.0, 0.0])  # 0: half of the sums are too great and are cut
    def test_counts_of_many_units_are_multinomial(self, monkeypatch, short_by):
        monkeypatch.setattr(_resampling, "SHORT_BY", short_by)
        n = 4096
        counts = np.concatenate(list(_resampling._drawn(n, Draws(3000, 3))))
        assert (counts.sum(axis=1) == n).all()
        # Means 1, variances 1 - 1/n, sums of halves binomial.
        assert counts.mean(axis=0) == pytest.approx(1, abs=5.5 / np.sqrt(3000))
        assert counts.var(axis=0).mean() == pytest.approx(1 - 1 / n, abs=0.003)
        half = counts[:, ::2].sum(axis=1)
        assert half.mean() == pytest.approx(n / 2, abs=5 * np.sqrt(n / 4 / 3000))
        assert half.var() == pytest.approx(n / 4, rel=0.15)
        shares = np.bincount(counts.astype(int).ravel(), minlength=9)[:9] / counts.size
        assert shares == pytest.approx(stats.binom.pmf(np.arange(9), n, 1 / n), abs=4e-4)

    @pytest.mark.parametrize("n", [9, 5000])
    def test_no_figure_depends_on_the_size_of_blocks(self, rng, monkeypatch, n):
        sums = rng.integers(-8, 9, (n, 3)).astype(float)
        found = []
        for cells in (1, 11 * n, 1 << 21):
            monkeypatch.setattr(_resampling, "CELLS", cells)
            monkeypatch.setattr(_resampling, "FEWEST", 3)
            draws = Draws(97, 4)
            found.append((bootstrap_means(sums, np.ones(n), draws), sign_flip_test(sums, draws)))
        for means, p_values in found[1:]:
            assert (means == found[0][0]).all()
            assert (p_values == found[0][1]).all()

    def test_interval_of_a_mean(self, rng):
        values = rng.normal(2, 1, (400, 1))
        low, high = np.quantile(bootstrap_means(values, np.ones(400), Draws(4999, 0)), interval_levels(0.95, 400))
        half = stats.t.ppf(0.975, 399) * values.std(ddof=1) / np.sqrt(400)
        assert low == pytest.approx(values.mean() - half, abs=0.01)
        assert high == pytest.approx(values.mean() + half, abs=0.01)

    def test_a_unit_of_weight_3_is_not_three_units(self):
        values, weights = np.array([[0.0], [1.0]]), np.array([3.0, 1.0])
        means = bootstrap_means(weights[:, None] * values, weights, Draws(999, 0))
        assert np.unique(means).tolist() == [0, 1 / 4, 1]

    def test_levels(self):
        assert interval_levels(0.9, 24) == pytest.approx((0.05, 0.95))
        # 1.710882 is the 0.95 quantile of Student's t with 24 degrees of freedom [table].
        low, high = interval_levels(0.9, 25)
        assert low == pytest.approx(stats.norm.sf(1.710882 * np.sqrt(25 / 24)), rel=1e-5)
        assert high == 1 - low
        assert interval_levels(0.95, 10**6)[0] == pytest.approx(0.025, abs=1e-6)

    def test_sums_of_units(self):
        sums = unit_sums(np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]]), np.array([1, 0, 1]))
        assert sums.tolist() == [[2, 20], [5, 50]]


class TestSeeds:
    @pytest.mark.parametrize("kind", [int, np.int64, np.random.default_rng, np.random.RandomState])
    def test_the_same_again(self, kind):
        assert seed_of(kind(3)) == seed_of(kind(3))
        assert seed_of(kind(3)) != seed_of(kind(4))

    def test_none_is_another_each_time(self):
        assert seed_of(None) != seed_of(None)

    @pytest.mark.parametrize("wrong", [-1, "3", 1.5, [1]])
    def test_errors(self, wrong):
        with pytest.raises((ValueError, TypeError), match="`random_state` must be None, an integer of at least 0"):
            seed_of(wrong)


class TestCorrections:
    P = np.array([0.03, 0.01, 0.5, 0.02])

    @pytest.mark.parametrize(
        ("correction", "expected"),
        [
            # Sorted .01 · 4, .02 · 3, .03 · 2, .5 · 1; never less than the one before.
            ("holm", [0.06, 0.04, 0.5, 0.06]),
            ("bonferroni", [0.12, 0.04, 1.0, 0.08]),
            # .01 · 4/1, .02 · 4/2, .03 · 4/3, .5 · 4/4; never more than the one after.
            ("fdr_bh", [0.04, 0.04, 0.5, 0.04]),
            (None, [0.03, 0.01, 0.5, 0.02]),
        ],
    )
    def test_by_hand(self, correction, expected):
        assert adjusted(self.P, correction) == pytest.approx(np.array(expected), rel=1e-12)

    def test_no_test_at_all(self):
        for correction in ("holm", "bonferroni", "fdr_bh", None):
            assert adjusted(np.empty(0), correction).tolist() == []
