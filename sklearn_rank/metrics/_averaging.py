"""Row values → one number. The only place that knows what an undefined row is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._options import warn

if TYPE_CHECKING:
    from numpy.typing import NDArray


def over_rows(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    average: str | None,
    zero_division: float,
) -> float | NDArray[np.float64]:
    """The weighted mean of (n_rows,) values, nan where undefined, or the values themselves."""
    values = np.where(np.isnan(values), zero_division, values)
    if average is None:
        return values
    counts = ~np.isnan(values)
    if weights is not None:
        counts &= weights > 0
    if not counts.any():
        warn_undefined()
        return float("nan")
    return _mean(values[counts], None if weights is None else weights[counts])


def warn_undefined() -> None:
    """Say that no row is left to take a mean of."""
    warn(
        "No row has a relevant item, and zero_division=nan leaves such rows out: the score is nan.",
        UndefinedMetricWarning,
    )


def _mean(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """The mean of (n,) finite values with positive weights, which never lies outside of them.

    Without that bound, the rounding of the sum would lift the mean of equal values off their value.
    """
    least, greatest = float(values.min()), float(values.max())
    if weights is None and max(-least, greatest) < 1e290:
        mean = float(values.mean())
    else:
        mean = _quotient_of_sums(values, np.ones(1) if weights is None else weights)
    return min(max(mean, least), greatest)


def _quotient_of_sums(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Sum of weight · value / sum of weights, of whatever size they are: nothing overflows, nothing vanishes."""
    value, of_value = np.frexp(values)
    weight, of_weight = np.frexp(np.broadcast_to(weights, values.shape))
    total, of_total = _scaled_sum(value * weight, of_value + of_weight)
    divisor, of_divisor = _scaled_sum(weight, of_weight)
    return float(np.ldexp(total / divisor, of_total - of_divisor))


def _scaled_sum(numbers: NDArray[np.float64], exponents: NDArray[np.int32]) -> tuple[float, int]:
    """The sum of numbers · 2**exponents as one such pair; what is lost is 2**-1000 of the greatest term."""
    there = numbers != 0
    greatest = int(exponents[there].max()) if there.any() else 0
    return float(np.ldexp(numbers, np.where(there, exponents - greatest, 0)).sum()), greatest
