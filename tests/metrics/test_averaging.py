"""The mean of row values: within their range, exact where they agree, for weights of any size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._options import Options
from sklearn_rank.inputs._weights import Weights
from sklearn_rank.metrics._averaging import over_labels, over_rows

LEAST, GREATEST = 5e-324, 1e308


def mean(values, weights=None, zero_division=0.0):
    weights = None if weights is None else Weights.of(np.array(weights, float))
    return over_rows(np.array(values, float), None, weights, Options(zero_division=zero_division))


class TestEqualValues:
    @pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 0.7, 1.0, 1e-320, 1e308])
    @pytest.mark.parametrize("n", [1, 3, 7, 10, 49, 1001])
    def test_their_mean_is_their_value(self, value, n):
        assert mean([value] * n) == value
        rng = np.random.default_rng(n)
        assert mean([value] * n, rng.random(n) + 0.01) == value
        assert mean([value] * n, 10.0 ** rng.uniform(-323, 308, n)) == value

    @pytest.mark.parametrize("weights", [[LEAST] * 3, [GREATEST] * 3, [LEAST, 1, GREATEST], [0, LEAST, 0]])
    def test_ones(self, weights):
        assert mean([1, 1, 1], weights) == 1


class TestRange:
    def test_between_the_least_and_the_greatest(self):
        rng = np.random.default_rng(0)
        for n in (2, 3, 10, 50):
            values = 1 - rng.integers(0, 2, (200, n)) * 2.0**-53
            for row in values:
                for weights in (None, rng.random(n) + 1e-3):
                    assert row.min() <= mean(row, weights) <= row.max()

    def test_values_whose_sum_overflows(self):
        assert mean([1.5e308, 0.5e308]) == 1e308
        assert mean([1.5e308, 0.5e308], [1, 3]) == pytest.approx(0.75e308, rel=1e-15)
        assert mean([-1.5e308, -0.5e308, 0.0]) == pytest.approx(-2 / 3 * 1e308, rel=1e-15)


class TestWeights:
    @pytest.mark.parametrize("scale", [LEAST * 8, 1e-300, 1.0, 1e300, GREATEST / 4])
    def test_the_scale_does_not_matter(self, scale):
        weights = np.array([1, 3, 2]) * scale
        shares = [Fraction(weight) for weight in weights.tolist()]
        expected = (shares[0] + shares[1] / 2 + shares[2] / 4) / sum(shares)
        assert mean([1, 1 / 2, 1 / 4], weights) == pytest.approx(float(expected), rel=1e-15)

    def test_the_sum_does_not_overflow(self):
        assert mean([1, 0, 1, 0], [GREATEST] * 4) == 1 / 2

    def test_a_light_row_is_not_lost(self):
        """The least double is the share of a row that weighs so little; the second products are below all doubles."""
        assert mean([0, 1], [1, LEAST]) == LEAST
        assert mean([1e-200, 0], [1e-200, 1e-200]) == pytest.approx(1e-200 / 2, rel=1e-15)

    @pytest.mark.parametrize("weight", [0, LEAST, 1e23, GREATEST])
    def test_of_a_row_left_out_changes_nothing(self, weight):
        """(1 + 1.9 / 2) / 2.9 = 19.5/29."""
        expected = mean([1, 1 / 2], [1e-23, 1.9e-23])
        assert expected == pytest.approx(19.5 / 29, rel=1e-15)
        assert mean([np.nan, 1, 1 / 2], [weight, 1e-23, 1.9e-23], np.nan) == expected

    def test_zero_leaves_a_row_out(self):
        assert mean([np.nan, 0.25, 0.5], [0, 1, 1], zero_division=7.0) == (0.25 + 0.5) / 2


class TestUndefinedRows:
    def test_they_count_as_zero_division(self):
        assert mean([np.nan, 0.5], zero_division=1.0) == 0.75
        assert over_rows(np.array([np.nan, 0.5]), None, None, Options(zero_division=0.25, average=None)).tolist() == [
            0.25,
            0.5,
        ]

    def test_nothing_is_left(self):
        with pytest.warns(UndefinedMetricWarning, match="zero_division=nan"):
            assert np.isnan(mean([np.nan, np.nan], zero_division=np.nan))


def micro(values, denominators, weights=None, zero_division=0.0):
    weights = None if weights is None else Weights.of(np.array(weights, float))
    options = Options(average="micro", zero_division=zero_division)
    return over_rows(np.array(values, float), np.array(denominators, float), weights, options)


class TestMicro:
    """Sum of weight · numerator / sum of weight · denominator."""

    def test_rows_weigh_as_their_denominators(self):
        assert micro([1 / 2, 1, 0], [2, 1, 5]) == (1 + 1 + 0) / 8
        assert micro([1 / 2, 1, 0], [2, 1, 5], [2, 1, 0]) == (2 * 1 + 1) / (2 * 2 + 1)

    def test_an_undefined_row_brings_zero_division_times_its_denominator(self):
        assert micro([np.nan, 1 / 2], [10, 2], zero_division=1.0) == (10 + 1) / 12
        assert micro([np.nan, 1 / 2], [0, 2], zero_division=1.0) == 1 / 2
        assert micro([np.nan, 1 / 2], [10, 2], zero_division=np.nan) == 1 / 2

    def test_a_row_without_a_denominator_is_no_bound(self):
        """The first value weighs nothing, so that the mean may lie beyond it."""
        assert micro([0.9, 0.1, 0.1, 0.1], [0, 3, 7, 9]) == 0.1

    def test_no_denominator_at_all(self):
        assert micro([np.nan, np.nan], [0, 0], zero_division=0.25) == 0.25
        assert micro([0.0, np.nan], [0, 0], [3, 1]) == 0.0
        with pytest.warns(UndefinedMetricWarning, match="zero_division=nan"):
            assert np.isnan(micro([0.0, np.nan], [0, 0], zero_division=np.nan))

    @pytest.mark.parametrize("weights", [[LEAST] * 3, [GREATEST] * 3, [LEAST, 1, GREATEST]])
    def test_ones_whatever_the_weights(self, weights):
        assert micro([1, 1, 1], [1e300, 3, 7], weights) == 1

    def test_products_beyond_the_range_of_doubles(self):
        assert micro([1, 0], [1e300, 1e300], [GREATEST, GREATEST]) == 1 / 2
        assert micro([1, 0], [1e-300, 1e-300], [1e-300, 3e-300]) == pytest.approx(1 / 4, rel=1e-15)


class TestOverLabels:
    def test_the_mean_of_the_quotients(self):
        numerators, denominators = np.array([1.0, 0.5, 0.0]), np.array([2.0, 0.5, 3.0])
        assert over_labels(numerators, denominators, 0.0) == (1 / 2 + 1 + 0) / 3

    def test_a_label_without_a_denominator(self):
        numerators, denominators = np.array([1.0, 0.0]), np.array([2.0, 0.0])
        assert over_labels(numerators, denominators, 0.0) == (1 / 2 + 0) / 2
        assert over_labels(numerators, denominators, 1.0) == (1 / 2 + 1) / 2
        assert over_labels(numerators, denominators, np.nan) == 1 / 2
        with pytest.warns(UndefinedMetricWarning, match="No label has a denominator"):
            assert np.isnan(over_labels(np.zeros(2), np.zeros(2), np.nan))
