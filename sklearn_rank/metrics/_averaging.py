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
    if weights is None:
        return float(values[counts].mean())
    weights = weights[counts] / weights.max()  # the scale of the weights cannot overflow a sum
    return float(np.dot(values[counts], weights) / weights.sum())


def warn_undefined() -> None:
    """Say that no row is left to take a mean of."""
    warn(
        "No row has a relevant item, and zero_division=nan leaves such rows out: the score is nan.",
        UndefinedMetricWarning,
    )
