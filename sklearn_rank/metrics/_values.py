"""Inputs → one value per row for each measure, from one ranking."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank.inputs._problem import check_problem
from sklearn_rank.ranking import rank_rows
from sklearn_rank.ranking._gains import PropensityView, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sklearn_rank._options import Cutoff, Inputs, Options
    from sklearn_rank.inputs._problem import Problem
    from sklearn_rank.metrics._measures import Measure
    from sklearn_rank.ranking._gains import RankedItems, View

    Values = NDArray[np.float64]


class Asked(NamedTuple):
    """A measure, and the options of its figure."""

    measure: Measure
    options: Options

    @property
    def view(self) -> View:
        """How the figure reads grades."""
        return self.measure.view(self.options.relevance_threshold)


class RowValues(NamedTuple):
    """One figure before its mean is taken."""

    values: Values  # (n_rows,), nan where undefined
    denominators: Values | None  # (n_rows,) for a micro average


def problem_for(asked: Sequence[Asked], inputs: Inputs) -> Problem:
    """The inputs as arrays, with the grades that the figures read."""
    problem = check_problem(inputs, zeros=any(one.view.reads_zeros for one in asked))
    check_fit(asked, problem)
    return problem


def row_values(asked: Sequence[Asked], problem: Problem) -> list[RowValues]:
    """The row values of each figure."""
    asked, rows = prepare(asked, problem)
    # With "first" places differ; the other ties are settled after items are placed.
    for first in (False, True):
        places = [place for place, one in enumerate(asked) if (one.options.ties == "first") is first]
        if places:
            _rank([asked[place] for place in places], [rows[place] for place in places], problem, first=first)
    return rows


def prepare(asked: Sequence[Asked], problem: Problem) -> tuple[list[Asked], list[RowValues]]:
    """The measures that fit the problem, and room for the row values of each."""
    asked = [_of_problem(one, problem) for one in asked]
    n = problem.n_rows
    rows = [RowValues(np.empty(n), np.empty(n) if one.options.average == "micro" else None) for one in asked]
    return asked, rows


def joined(parts: Sequence[RowValues]) -> RowValues:
    """The rows of several parts as one."""
    if len(parts) == 1:
        return parts[0]
    values, denominators = zip(*parts, strict=True)
    return RowValues(np.concatenate(values), None if denominators[0] is None else np.concatenate(denominators))


def check_fit(asked: Sequence[Asked], problem: Problem) -> None:
    """Options that do not fit the data are errors."""
    for one in asked:
        _check_fit(one, problem)


def _check_fit(asked: Asked, problem: Problem) -> None:
    threshold, view = asked.options.relevance_threshold, asked.view
    if threshold is not None and threshold <= 0 and not problem.complete:
        message = (
            f"`relevance_threshold` must be above 0 for a sparse `y_true` or class labels, got {threshold:g}: "
            "cells that are not stored have grade 0 and would all be relevant."
        )
        raise ValueError(message)
    if isinstance(view, PropensityView) and len(view.propensity) != problem.n_items:
        found = "these rows have no columns that are items (1-D relevance, lists, runs or tables)"
        if problem.n_items is not None:
            found = f"there are {problem.n_items} columns"
        message = f"`propensity` holds one number per column of `y_scores`: it has {len(view.propensity)}, but {found}."
        raise ValueError(message)


def _of_problem(asked: Asked, problem: Problem) -> Asked:
    """The measure that fits the highest grade, where it is not given."""
    if asked.measure.of_highest is None:
        return asked
    return asked._replace(measure=asked.measure.of_highest(problem.highest_grade))


def _rank(asked: Sequence[Asked], rows: Sequence[RowValues], problem: Problem, *, first: bool) -> None:
    """Rank each row once, at the deepest k, and let each kernel fill its values."""
    cutoffs = [one.measure.k for one in asked]
    rank_rows(
        problem,
        partial(fill, asked, rows),
        depth=deepest(cutoffs, problem.width),
        first=first,
        zeros=any(one.view.reads_zeros for one in asked),
        count_retrieved=any(k is None or isinstance(k, float) for k in cutoffs),
        n_jobs=asked[0].options.n_jobs,
    )


def fill(asked: Sequence[Asked], rows: Sequence[RowValues], items: RankedItems) -> None:
    """Let each kernel fill the values of some rows, whose items are read and cut once for all that share it."""
    seen: dict[Any, Any] = {}
    for one, row in zip(asked, rows, strict=True):
        k, read = one.measure.k, (one.view, one.options.ties)
        ranked = seen.get((read, k))
        if ranked is None:
            whole = seen.get(read)
            if whole is None:
                whole = seen[read] = view_of(items, *read)
            ranked = seen[read, k] = whole.at(cutoff_of_rows(k, whole.n_retrieved, whole.n_relevant))
        values = one.measure.kernel(ranked)
        row.values[items.rows] = values if one.measure.always_defined else _defined(values, ranked.n_relevant)
        if row.denominators is not None and one.measure.denominator is not None:
            row.denominators[items.rows] = one.measure.denominator(ranked)


def _defined(values: Values, n_relevant: NDArray[np.intp]) -> Values:
    return np.where(n_relevant > 0, values, np.nan)


# ---- cutoffs


def deepest(cutoffs: Sequence[Cutoff], width: int) -> int | None:
    """The cutoff that all are within, in rows of the width; None for the whole ranking."""
    if any(k is None or k == "relevant" for k in cutoffs):
        return None
    return max(_share(k, width) if isinstance(k, float) else k for k in cutoffs if k is not None and k != "relevant")


def cutoff_of_rows(k: Cutoff, n_retrieved: NDArray[np.intp], n_relevant: NDArray[np.intp]) -> Any:
    """A cutoff as one number or None for all rows, or as one per row."""
    if k == "relevant":
        return n_relevant
    if not isinstance(k, float):
        return k
    found, place = np.unique(n_retrieved, return_inverse=True)
    return np.array([_share(k, n) for n in found.tolist()], np.intp)[place]


def _share(k: float, n: int) -> int:
    """The fraction of n items, rounded up; worked out on the decimal that is shown, 0.1 of 30 being 3."""
    return -int(-Fraction(Decimal(str(k))) * n // 1)
