"""Figures of rows that come in parts: what is kept of each part, and the mean over all of them."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from sklearn_rank.metrics._averaging import over_rows
from sklearn_rank.metrics._macro import LabelSums, label_sums_of, macro_figure
from sklearn_rank.metrics._values import RowValues, joined, row_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from sklearn_rank.inputs._problem import Problem
    from sklearn_rank.inputs._weights import Weights
    from sklearn_rank.metrics._values import Asked

Part = RowValues | LabelSums


def parts_of(asked: Sequence[Asked], problem: Problem) -> list[Part]:
    """What each figure keeps of some rows: their values, or the sums of each label."""
    by_row = [one for one in asked if one.options.average != "macro"]
    rows = iter(row_values(by_row, problem) if by_row else ())
    return [label_sums_of(one, problem) if one.options.average == "macro" else next(rows) for one in asked]


def figure_of(asked: Asked, parts: Sequence[Part], weights: Weights | None) -> float | NDArray[np.float64]:
    """The mean of all rows, or their values; the sums of labels are weighted already."""
    sums = [part for part in parts if isinstance(part, LabelSums)]
    if sums:
        return macro_figure(asked, reduce(add, sums))
    return over_rows(*joined([part for part in parts if isinstance(part, RowValues)]), weights, asked.options)
