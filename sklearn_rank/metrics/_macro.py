"""Averages over labels: what scikit-learn says of the indicator matrix of each row's top k."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from sklearn_rank.metrics._averaging import over_labels
from sklearn_rank.metrics._values import cutoff_of_rows
from sklearn_rank.ranking._gains import BinaryView, keep, refuse_unknown
from sklearn_rank.ranking._places import count_items
from sklearn_rank.ranking._rows import over_blocks
from sklearn_rank.ranking._top import find_members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sklearn_rank._options import Cutoff
    from sklearn_rank.inputs._problem import Problem
    from sklearn_rank.metrics._values import Asked
    from sklearn_rank.ranking._gains import Indices, View
    from sklearn_rank.ranking._rows import ScoredRows

    Values = NDArray[np.float64]

BAND = 512  # binary digits of the weights that are added up as they are: their sums neither overflow nor vanish
HITS, PREDICTED, RELEVANT = range(3)


@dataclass(frozen=True)
class LabelSums:
    """Weighted counts of the rows that have a label in their top k, as a relevant item, and both.

    Band b holds (3, n_labels) sums, hits, predicted and relevant, of the weights from 2**(512 b) to 2**(512 (b + 1)) in
    units of 2**(512 b): a label that light rows alone predict has its ratio, whatever the other rows weigh.
    """

    bands: dict[int, Values]

    def __add__(self, other: LabelSums) -> LabelSums:
        """The sums over the rows of both."""
        mine, theirs = self.bands, other.bands
        both = {band: mine[band] + theirs[band] for band in mine.keys() & theirs.keys()}
        return LabelSums({**mine, **theirs, **both})

    def ratio(self, numerator: list[int], denominator: list[int]) -> tuple[Values, Values]:
        """(n_labels,) sums of some of the counts in units of each label: two that can be divided by each other."""
        bands = sorted(self.bands)
        above = [self.bands[band][numerator].sum(axis=0) for band in bands]
        below = [self.bands[band][denominator].sum(axis=0) for band in bands]
        top = np.full(below[0].shape, bands[0])
        for band, part in zip(bands, below, strict=True):
            top[part > 0] = band
        scale = [BAND * np.minimum(band - top, 0) for band in bands]
        left, right = (sum(map(np.ldexp, parts, scale), np.zeros(top.shape)) for parts in (above, below))
        return left, right


def label_sums_of(asked: Asked, problem: Problem) -> LabelSums:
    """The sums of each label that a figure needs."""
    options = asked.options
    view = BinaryView(options.relevance_threshold)
    return label_sums(problem, asked.measure.k, view, options.ties, options.n_jobs)


def macro_figure(asked: Asked, sums: LabelSums) -> float:
    """Precision, recall or F1 as the mean over labels."""
    return macro(sums, asked.measure.name.removesuffix("_at_k"), asked.options.zero_division)


def macro(sums: LabelSums, kind: str, zero_division: float) -> float:
    """The mean over labels of "precision", "recall" or "f1"."""
    numerator, denominator = {
        "precision": ([HITS], [PREDICTED]),
        "recall": ([HITS], [RELEVANT]),
        "f1": ([HITS, HITS], [PREDICTED, RELEVANT]),
    }[kind]
    return over_labels(*sums.ratio(numerator, denominator), zero_division)


def label_sums(problem: Problem, k: Cutoff, view: View, ties: str, n_jobs: int | None) -> LabelSums:
    """The sums of each label over all rows."""
    if problem.n_items is None:
        message = (
            "`average`='macro' needs columns that are the same items in every row; 1-D `y_true` beside 1-D `y_scores` "
            "and what from_lists, from_qrels and from_frames make have none: pass matrices with a column per item."
        )
        raise ValueError(message)
    use = partial(_add_up, problem, k, view, ties)
    return reduce(add, over_blocks(problem, use, zeros=view.reads_zeros, n_jobs=n_jobs))


def _add_up(problem: Problem, k: Cutoff, view: View, ties: str, blocks: Iterator[ScoredRows]) -> LabelSums:
    bands: dict[int, Values] = {}
    for block in blocks:
        n, items = len(block.scores), block.items
        refuse_unknown(block.rows, items)
        relevant = view.relevant(items.grade)
        relevant_row, relevant_label = keep(relevant, items.row, items.name)
        n_retrieved = count_items(block) if isinstance(k, float) else np.empty(0, np.intp)
        cutoff = cutoff_of_rows(k, n_retrieved, np.bincount(relevant_row, minlength=n))
        found = find_members(block, relevant, cutoff, ties)
        label = problem.true_columns(block.rows, found.row, found.column)
        for band, weight in _bands(problem, block.rows):
            sums = bands.setdefault(band, np.zeros((3, problem.n_items or 0)))
            chance = found.chance if weight is None else found.chance * weight[found.row]
            _count(sums[HITS], label[found.relevant], chance[found.relevant])
            _count(sums[PREDICTED], label, chance)
            _count(sums[RELEVANT], relevant_label, None if weight is None else weight[relevant_row])
    return LabelSums(bands)


def _bands(problem: Problem, rows: slice | Indices) -> Iterator[tuple[int, Values | None]]:
    """The bands that the weights of some rows lie in, each with (n_rows,) weights in its units, 0 in other bands."""
    if problem.weights is None:
        yield 0, None
        return
    mantissa, exponent = (part[rows] for part in problem.weights)
    bands = exponent // BAND
    for band in np.unique(bands).tolist():
        here = bands == band
        yield band, np.ldexp(np.where(here, mantissa, 0), np.where(here, exponent - BAND * band, 0))


def _count(sums: Values, label: Indices, weight: Values | None) -> None:
    """Add the weights to the sums of their labels; where labels are many, without a pass over all of them."""
    if 4 * len(label) < len(sums):
        np.add.at(sums, label, 1 if weight is None else weight)
    else:
        sums += np.bincount(label, weight, len(sums))
