"""Checked scores and grades → where the relevant items stand; the only place that puts scores in order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sklearn_rank.ranking._places import place_items
from sklearn_rank.ranking._rows import for_all_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from sklearn_rank.inputs._problem import Problem
    from sklearn_rank.ranking._gains import RankedItems


def rank_rows(
    problem: Problem,
    use: Callable[[RankedItems], None],
    *,
    depth: int | None,
    first: bool,
    zeros: bool,
    count_retrieved: bool,
    n_jobs: int | None,
) -> None:
    """Hand over the places of the items of all rows, many rows at a time, that stand within the depth."""
    place = partial(place_items, depth=depth, first=first, count_retrieved=count_retrieved)
    for_all_rows(problem, place, use, zeros=zeros, n_jobs=n_jobs)
