"""The weights of rankings, of whatever size: as mantissa · 2**exponent no sum overflows and no mean vanishes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._options import warn
from sklearn_rank.inputs._containers import numeric, to_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Weights(NamedTuple):
    """One weight per ranking; arrays of one length."""

    mantissa: NDArray[np.float64]  # 0, or at least 1/2 and below 1
    exponent: NDArray[np.int32]

    @classmethod
    def of(cls, weights: NDArray[np.float64]) -> Weights:
        """The weights that are given."""
        return cls(*np.frexp(weights))

    @classmethod
    def of_groups(cls, weights: NDArray[np.float64], codes: NDArray[np.intp], n_groups: int) -> Weights:
        """(n_groups,) means of the weights of the rows of each group."""
        mantissa, exponent = np.frexp(weights)
        top = np.full(n_groups, np.iinfo(np.int32).min, np.int32)
        np.maximum.at(top, codes[mantissa > 0], exponent[mantissa > 0])
        top[top == np.iinfo(np.int32).min] = 0
        sums = np.bincount(codes, np.ldexp(mantissa, exponent - top[codes]), n_groups)
        mean, shift = np.frexp(sums / np.bincount(codes, minlength=n_groups))
        return cls(mean, shift + top)

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Which rankings weigh anything."""
        return self.mantissa > 0

    def where(self, mask: NDArray[np.bool_] | slice) -> Weights:
        """Those of some rankings."""
        return Weights(self.mantissa[mask], self.exponent[mask])

    def times(self, factors: NDArray[np.float64]) -> Weights:
        """Each weight times its factor."""
        return self.product(Weights.of(factors))

    def product(self, other: Weights) -> Weights:
        """The products of both, one by one."""
        mantissa, shift = np.frexp(self.mantissa * other.mantissa)
        return Weights(mantissa, self.exponent + other.exponent + shift)

    def scaled(self) -> NDArray[np.float64]:
        """Floats in the same proportions, the greatest between 1/2 and 1; what is 2**-1000 of it becomes 0."""
        return np.asarray(np.ldexp(self.mantissa, self.exponent - self.top))

    @property
    def top(self) -> int:
        """The exponent of the greatest."""
        return int(self.exponent[self.positive].max(initial=np.iinfo(np.int32).min)) if self.positive.any() else 0


def check_weights(sample_weight: Any, n_rows: int, *, groups: bool = False) -> NDArray[np.float64]:
    """One weight per row: finite, not negative, not all zero."""
    weights = to_numpy(sample_weight, "sample_weight")
    if np.ma.is_masked(weights):
        message = "`sample_weight` must not be masked; zero removes a row."
        raise ValueError(message)
    weights = np.asarray(numeric(weights, "sample_weight"), dtype=np.float64)
    if weights.shape != (n_rows,):
        found = f"{len(weights)} entries" if weights.ndim == 1 else f"shape {weights.shape}"
        hint = "; beside `groups`, too, each row has its own, and a group weighs the mean of its rows" if groups else ""
        message = f"`sample_weight` has {found} for {n_rows} rows{hint}."
        raise ValueError(message)
    if not np.isfinite(weights).all():
        message = "`sample_weight` must be finite."
        raise ValueError(message)
    if (weights < 0).any():
        message = f"`sample_weight` holds negative values, first {weights[weights < 0][0]:g}."
        raise ValueError(message)
    if not weights.any():
        message = "`sample_weight` sums to zero: at least one row needs a positive weight."
        raise ValueError(message)
    return weights


def warn_of_one_ranking() -> None:
    """Weights of the rows of a single ranking have nothing to weigh."""
    warn("`sample_weight` changes nothing: all rows are one ranking, whose value is its own mean.")
