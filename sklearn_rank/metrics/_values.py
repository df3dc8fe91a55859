"""Inputs → one value per row for each measure, from one ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sklearn_rank.inputs._problem import check_problem
from sklearn_rank.ranking import rank_rows
from sklearn_rank.ranking._gains import view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sklearn_rank._options import Inputs, Options
    from sklearn_rank.inputs._problem import Problem
    from sklearn_rank.inputs._weights import Weights
    from sklearn_rank.metrics._measures import Measure
    from sklearn_rank.ranking._gains import RankedGains, RankedItems

    Values = NDArray[np.float64]


class Asked(NamedTuple):
    """A measure, and the options of its figure."""

    measure: Measure
    options: Options


def row_values(asked: Sequence[Asked], inputs: Inputs) -> tuple[list[Values], Weights | None]:
    """(n_rows,) values of each figure, nan where R = 0, and the weights of the rows."""
    problem = check_problem(inputs)
    asked = [_of_problem(one, problem) for one in asked]
    values = [np.empty(problem.n_rows) for _ in asked]
    # With "first" places differ; the other ties are settled after items are placed.
    for first in (False, True):
        places = [place for place, one in enumerate(asked) if (one.options.ties == "first") is first]
        if places:
            _rank([asked[place] for place in places], [values[place] for place in places], problem, first=first)
    return values, problem.weights


def _of_problem(asked: Asked, problem: Problem) -> Asked:
    """The measure that fits the grades; an error if its threshold does not."""
    threshold = asked.options.relevance_threshold
    if threshold is not None and threshold <= 0 and not problem.complete:
        message = (
            f"`relevance_threshold` must be above 0 for a sparse `y_true` or class labels, got {threshold:g}: "
            "cells that are not stored have grade 0 and would all be relevant."
        )
        raise ValueError(message)
    if asked.measure.of_highest is not None:
        return asked._replace(measure=asked.measure.of_highest(problem.highest_grade))
    return asked


def _rank(asked: Sequence[Asked], values: Sequence[Values], problem: Problem, *, first: bool) -> None:
    """Rank each row once, at the deepest k, and let each kernel fill its values."""
    views = [one.measure.view(one.options.relevance_threshold) for one in asked]
    depths = [one.measure.k for one in asked]
    depth = None if None in depths else max(depth for depth in depths if depth is not None)

    def use(items: RankedItems) -> None:
        seen: dict[object, RankedGains] = {}
        for one, view, out in zip(asked, views, values, strict=True):
            ties, k = one.options.ties, one.measure.k
            if (view, ties) not in seen:
                seen[view, ties] = view_of(items, view, ties)
            if (view, ties, k) not in seen:
                seen[view, ties, k] = seen[view, ties].at(k)
            gains = seen[view, ties, k]
            out[items.rows] = np.where(gains.n_relevant > 0, one.measure.kernel(gains), np.nan)

    zeros = any(view.reads_zeros for view in views)
    rank_rows(problem, use, depth=depth, first=first, zeros=zeros, n_jobs=asked[0].options.n_jobs)
