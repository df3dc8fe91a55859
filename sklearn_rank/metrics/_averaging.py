"""Row values → one number. The only place that knows what an undefined row is worth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._options import warn
from sklearn_rank.inputs._weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sklearn_rank._options import Options


def over_rows(
    values: NDArray[np.float64], denominators: NDArray[np.float64] | None, weights: Weights | None, options: Options
) -> float | NDArray[np.float64]:
    """The weighted mean of (n_rows,) values, nan where undefined, or the values themselves.

    In a micro average rows weigh as their denominators, too.
    """
    if denominators is not None:
        weights = Weights.of(denominators) if weights is None else weights.times(denominators)
    values = np.where(np.isnan(values), options.zero_division, values)
    if options.average is None:
        return values
    if weights is None and not math.isnan(options.zero_division):  # every row counts
        return mean(values, None)
    counts = ~np.isnan(values)
    if weights is not None:
        counts &= weights.positive
    if not counts.any():
        if options.average == "micro" and not np.isnan(options.zero_division):  # no row has a denominator
            return options.zero_division
        warn_undefined()
        return float("nan")
    return mean(values[counts], None if weights is None else weights.where(counts))


def over_labels(numerators: NDArray[np.float64], denominators: NDArray[np.float64], zero_division: float) -> float:
    """The mean over labels of numerator / denominator; `zero_division` for a label without a denominator."""
    values = np.full(len(numerators), zero_division)
    np.divide(numerators, denominators, out=values, where=denominators > 0)
    values = values[~np.isnan(values)]
    if not values.size:
        warn_undefined("label", "a denominator")
        return float("nan")
    return mean(values, None)


def warn_undefined(unit: str = "row", lacking: str = "a relevant item") -> None:
    """Say that nothing is left to take a mean of."""
    warn(
        f"No {unit} has {lacking}, and zero_division=nan leaves such {unit}s out: the score is nan.",
        UndefinedMetricWarning,
    )


def mean(values: NDArray[np.float64], weights: Weights | None) -> float:
    """The mean of (n,) finite values with positive weights, which never lies outside of them.

    Without that bound, the rounding of the sum would lift the mean of equal values off their value.
    """
    if weights is None:
        with np.errstate(over="ignore"):
            found = float(values.mean())
        # Rounding moves a mean out of the range only where it is next to all values, the first one, too.
        if abs(found) < 1e290 and abs(found - float(values[0])) > len(values) * 1e-14 * abs(found):
            return found
    least, greatest = float(values.min()), float(values.max())
    if weights is not None or max(-least, greatest) >= 1e290:
        found = _quotient_of_sums(values, weights)
    return min(max(found, least), greatest)


def _quotient_of_sums(values: NDArray[np.float64], weights: Weights | None) -> float:
    """Sum of weight · value / sum of weights, of whatever size they are: nothing overflows, nothing vanishes."""
    value, of_value = np.frexp(values)
    weight, of_weight = (np.ones(len(values)), np.zeros(len(values), np.int32)) if weights is None else weights
    total, of_total = _scaled_sum(value * weight, of_value + of_weight)
    divisor, of_divisor = _scaled_sum(weight, of_weight)
    return float(np.ldexp(total / divisor, of_total - of_divisor))


def _scaled_sum(numbers: NDArray[np.float64], exponents: NDArray[np.int32]) -> tuple[float, int]:
    """The sum of numbers · 2**exponents as one such pair; what is lost is 2**-1000 of the greatest term."""
    counts = numbers != 0
    greatest = int(exponents[counts].max()) if counts.any() else 0
    return float(np.ldexp(numbers, np.where(counts, exponents - greatest, 0)).sum()), greatest
