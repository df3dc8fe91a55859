"""What a ranking is to the metrics: where the relevant items of each row stand, and how a metric reads grades."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.intp]

HIGHEST_EXPONENT, HIGHEST_GRADE = 900.0, 1e290  # gains up to these can be added up
NO_LIMIT = np.iinfo(np.int64).max


class Items(NamedTuple):
    """The items of some rows whose relevance is known, as arrays of one length, row by row."""

    row: Indices
    column: Indices  # of the row of scores; -1 if it was never retrieved
    grade: NDArray[Any]
    name: Indices  # column of y_true


class RankedItems(NamedTuple):
    """Where the items of some rows stand: how many items of the row have a greater score, and how many the same.

    `row`, `before`, `n_tied` and `item` describe the items retrieved within the deepest cutoff, ordered by row and
    rank.
    """

    rows: slice | Indices  # of the problem
    n_retrieved: Indices  # (n_rows,), empty if nobody asked for it
    items: Items
    row: Indices
    before: Indices
    n_tied: Indices
    item: Indices  # place among the items

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.stop - self.rows.start if isinstance(self.rows, slice) else len(self.rows)


def join(parts: list[RankedItems]) -> RankedItems:
    """Neighbouring rows as one."""
    if len(parts) == 1:
        return parts[0]
    first_row = np.cumsum([0] + [part.n_rows for part in parts])
    first_item = np.cumsum([0] + [len(part.items.row) for part in parts])
    rows: list[Any] = [part.rows for part in parts]
    whole = slice(rows[0].start, rows[-1].stop) if isinstance(rows[0], slice) else np.concatenate(rows)
    moved = list(zip(parts, first_row.tolist(), first_item.tolist(), strict=False))
    return RankedItems(
        rows=whole,
        n_retrieved=np.concatenate([part.n_retrieved for part in parts]),
        items=Items(
            np.concatenate([part.items.row + row for part, row, _ in moved]),
            *(np.concatenate(arrays) for arrays in list(zip(*(part.items for part in parts), strict=True))[1:]),
        ),
        row=np.concatenate([part.row + row for part, row, _ in moved]),
        before=np.concatenate([part.before for part in parts]),
        n_tied=np.concatenate([part.n_tied for part in parts]),
        item=np.concatenate([part.item + item for part, _, item in moved]),
    )


def keep(mask: Any, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """The entries of arrays of one length where the mask is true; the arrays themselves if it is true everywhere."""
    place = mask.nonzero()[0]
    return tuple(array[place] for array in arrays) if len(place) < len(mask) else arrays


# ---- relevant items in rank order: what kernels read


class TieGroups(NamedTuple):
    """Groups of equal scores that hold a relevant item; arrays of one length, in rank order."""

    start: Indices  # first item of the group among the hits
    row: Indices
    before: Indices  # items of the row with greater scores
    size: Indices
    hits: Indices  # relevant items in the group
    hits_before: Indices  # relevant items of the row in earlier groups
    cutoff: int | Indices  # of the row of each group

    @property
    def inside(self) -> Indices:
        """Ranks of the group that lie within k."""
        return np.minimum(self.size, self.cutoff - self.before)

    @property
    def several(self) -> Indices:
        """Which groups have more than one item."""
        return (self.size > 1).nonzero()[0]


@dataclass(frozen=True)
class RankedGains:
    """The relevant items of some rows with their places in the ranking.

    `row`, `before`, `n_tied` and `gain` describe the items retrieved within k (a group of equal
    scores that straddles k with all its items), ordered by row and rank.
    """

    n_rows: int
    k: int | Indices | None  # of all rows, or of each
    row: Indices
    before: Indices
    n_tied: Indices
    gain: NDArray[Any]
    all_row: Indices  # every relevant item, never retrieved ones too
    all_gain: NDArray[Any]
    n_retrieved: Indices  # (n_rows,) items of the row that were retrieved; empty if nobody asked for it
    deeper: RankedGains | None = None  # what this one was cut from

    @cached_property
    def n_relevant(self) -> Indices:
        """(n_rows,) relevant items of the whole row."""
        if self.deeper is not None:
            return self.deeper.n_relevant
        return np.bincount(self.all_row, minlength=self.n_rows)

    @property
    def cutoff(self) -> int | Indices:
        """K as a number, or one per row, that arrays can be compared with."""
        return NO_LIMIT if self.k is None else min(self.k, NO_LIMIT) if isinstance(self.k, int) else self.k

    @property
    def depth(self) -> int | Indices:
        """How many ranks count: k, or all that the row has."""
        return self.n_retrieved if self.k is None else self.cutoff

    @cached_property
    def groups(self) -> TieGroups:
        """The relevant items by groups of equal scores."""
        n = len(self.row)
        start = np.arange(n)
        row, before, size, hits = self.row, self.before, self.n_tied, np.ones_like(start)
        if n and size.max() > 1:
            new = np.ones(n, dtype=bool)
            new[1:] = (row[1:] != row[:-1]) | (before[1:] != before[:-1])
            start = new.nonzero()[0]
            row, before, size, hits = row[start], before[start], size[start], np.diff(start, append=n)
        per_row = np.bincount(self.row, minlength=self.n_rows)
        row_start = (np.cumsum(per_row) - per_row)[row]
        cutoff = self.cutoff if isinstance(self.cutoff, int) else self.cutoff[row]
        return TieGroups(start, row, before, size, hits, start - row_start, cutoff)

    @cached_property
    def ideal(self) -> tuple[Indices, Indices, NDArray[Any]]:
        """All relevant items in the best order: row, place from 0, gain."""
        if self.deeper is not None:
            return self.deeper.ideal
        order = np.lexsort((-self.all_gain, self.all_row))
        row = self.all_row[order]
        first = np.cumsum(self.n_relevant) - self.n_relevant
        return row, np.arange(len(row)) - first[row], self.all_gain[order]

    def at(self, k: int | Indices | None) -> RankedGains:
        """The same ranking cut at a smaller k, of all rows or of each."""
        if k is None or (isinstance(k, int) and k == self.k):
            return self
        cutoff = k if isinstance(k, int) else k[self.row]
        row, before, n_tied, gain = keep(self.before < cutoff, self.row, self.before, self.n_tied, self.gain)
        # Written out, since dataclasses.replace takes longer than the rest of a small problem's cut.
        return RankedGains(
            self.n_rows, k, row, before, n_tied, gain, self.all_row, self.all_gain, self.n_retrieved, self
        )


class JudgedGroups(NamedTuple):
    """Groups of equal scores that hold a judged item; arrays of one length, in rank order."""

    row: Indices
    before: Indices  # items of the row with greater scores, unjudged ones too
    size: Indices
    hits: Indices  # relevant items in the group
    misses: Indices  # judged irrelevant items in the group
    misses_before: Indices  # those of the row in earlier groups


@dataclass(frozen=True)
class RankedJudgements:
    """The judged items of some rows with their places in the ranking; `judged` has the gain 0 for irrelevant ones."""

    judged: RankedGains

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.judged.n_rows

    @property
    def k(self) -> int | Indices | None:
        """The cutoff."""
        return self.judged.k

    @property
    def n_retrieved(self) -> Indices:
        """(n_rows,) items that were retrieved, unjudged ones too."""
        return self.judged.n_retrieved

    @property
    def depth(self) -> int | Indices:
        """How many ranks count."""
        return self.judged.depth

    @cached_property
    def n_relevant(self) -> Indices:
        """(n_rows,) relevant items of the whole row."""
        return np.bincount(self.judged.all_row[self.judged.all_gain > 0], minlength=self.n_rows)

    @cached_property
    def n_misses(self) -> Indices:
        """(n_rows,) judged irrelevant items of the whole row."""
        return np.bincount(self.judged.all_row[self.judged.all_gain == 0], minlength=self.n_rows)

    @cached_property
    def groups(self) -> JudgedGroups:
        """The judged items by groups of equal scores."""
        groups, gain = self.judged.groups, self.judged.gain
        hits = np.add.reduceat(gain > 0, groups.start, dtype=np.intp) if len(gain) else groups.hits
        first = np.concatenate(([0], np.cumsum(gain == 0)))  # misses ahead of each item, over all rows
        per_row = np.bincount(self.judged.row, minlength=self.n_rows)
        row_start = np.cumsum(per_row) - per_row
        misses_before = first[groups.start] - first[row_start[groups.row]]
        return JudgedGroups(groups.row, groups.before, groups.size, hits, groups.hits - hits, misses_before)

    def at(self, k: int | Indices | None) -> RankedJudgements:
        """The same ranking cut at a smaller k, of all rows or of each."""
        return RankedJudgements(self.judged.at(k))


# ---- how a metric reads grades


@dataclass(frozen=True)
class BinaryView:
    """Items are relevant or not: those of at least the threshold, or without one those of grade 1 beside 0."""

    threshold: float | None = None

    @property
    def reads_zeros(self) -> bool:
        """Whether items of grade 0 can be relevant."""
        return self.threshold is not None and self.threshold <= 0

    def relevant(self, grade: NDArray[Any]) -> NDArray[np.bool_]:
        """Which grades are relevant; an error if they are not binary."""
        if self.threshold is not None:
            return _reaches(grade, self.threshold)
        if grade.dtype == bool:
            return grade
        found = np.asarray(grade != 0)
        other = grade[found & (grade != 1)]
        if other.size:
            message = (
                f"`y_true` must be binary (0/1) for this metric and holds the value {other[0]}; with graded relevance "
                "pass relevance_threshold= (grades from it on count as relevant); class labels need a score for each "
                "class, as predict_proba gives it."
            )
            raise ValueError(message)
        return found

    def gain(self, items: Items, place: Indices) -> NDArray[np.float64]:  # noqa: ARG002
        """1 for each of some relevant items."""
        return np.ones(len(place))


@dataclass(frozen=True)
class GradedView:
    """Items are relevant to a degree: every grade above 0 counts, and none above `highest` can be read."""

    highest: float = HIGHEST_GRADE
    reads_zeros = False

    def relevant(self, grade: NDArray[Any]) -> NDArray[np.bool_]:
        """Which grades are above 0; an error if one cannot be read."""
        if grade.dtype == bool:
            return grade
        # float16 overflows where the limit is compared in it.
        wide = grade.astype(np.float64) if grade.dtype.kind == "f" else grade
        wrong = grade[(wide < 0) | (wide > self.highest)]
        if wrong.size:
            limit = f"grades from 0 to {self.highest:g}"
            if self.highest == HIGHEST_GRADE:
                limit = "finite grades >= 0"
            elif self.highest < HIGHEST_EXPONENT:
                limit += " (`max_grade`)"
            else:
                limit += " (gains 2^grade - 1)"
            kind = "negative " if wrong[0] < 0 else ""
            message = f"`y_true` must hold {limit} for this metric and holds the {kind}value {wrong[0]}."
            raise ValueError(message)
        return np.asarray(grade > 0)

    def gain(self, items: Items, place: Indices) -> NDArray[np.float64]:
        """The grades of some items."""
        return items.grade[place].astype(np.float64)


@dataclass(frozen=True)
class TableView:
    """Items gain what a table says of their grade; those that gain nothing are not relevant."""

    grades: tuple[float, ...]  # ascending
    gains: tuple[float, ...]
    reads_zeros = False

    def relevant(self, grade: NDArray[Any]) -> NDArray[np.bool_]:
        """Which grades gain something; an error if one is not in the table."""
        place = np.minimum(np.searchsorted(self.grades, grade), len(self.grades) - 1)
        unknown = grade[(np.asarray(self.grades)[place] != grade) & (grade != 0)]
        if unknown.size:
            known = ", ".join(f"{known:g}" for known in self.grades)
            message = f"`gain` has no entry for the grade {unknown[0]} of `y_true`; it has {known}."
            raise ValueError(message)
        return np.asarray((grade != 0) & (np.asarray(self.gains)[place] > 0))

    def gain(self, items: Items, place: Indices) -> NDArray[np.float64]:
        """The gains of some items."""
        return np.asarray(self.gains)[np.searchsorted(self.grades, items.grade[place])]


@dataclass(frozen=True, eq=False)
class PropensityView:
    """Items are relevant or not, and a relevant one gains 1 / the propensity of its column."""

    binary: BinaryView
    propensity: NDArray[np.float64]  # (n_items,)

    @property
    def reads_zeros(self) -> bool:
        """Whether items of grade 0 can be relevant."""
        return self.binary.reads_zeros

    def relevant(self, grade: NDArray[Any]) -> NDArray[np.bool_]:
        """As in the binary view."""
        return self.binary.relevant(grade)

    def gain(self, items: Items, place: Indices) -> NDArray[np.float64]:
        """The inverse propensities of some items."""
        return np.asarray(1 / self.propensity[items.name[place]])


@dataclass(frozen=True)
class JudgedView:
    """Items are relevant, judged irrelevant, or unjudged: NaN, or below 0."""

    binary: BinaryView
    reads_zeros = True

    def relevant(self, grade: NDArray[Any]) -> NDArray[np.bool_]:
        """Which items were judged."""
        if grade.dtype.kind not in "fi":
            return np.ones(len(grade), bool)
        return np.asarray(grade >= 0)  # NaN is not

    def gain(self, items: Items, place: Indices) -> NDArray[np.float64]:
        """1 for relevant items, 0 for other judged ones."""
        return self.binary.relevant(items.grade[place]).astype(np.float64)


View = BinaryView | GradedView | TableView | PropensityView | JudgedView


def _reaches(grade: NDArray[Any], threshold: float) -> NDArray[np.bool_]:
    """Which grades are at least the threshold, compared exactly; beside short floats it is rounded to their dtype."""
    if grade.dtype.kind != "f":
        whole = -int(-threshold // 1)  # the least integer that is not below it
        return np.asarray((grade.view(np.uint8) if grade.dtype == bool else grade) >= whole)
    if grade.dtype.itemsize < 8:
        with np.errstate(over="ignore"):
            short = grade.dtype.type(threshold)
        if np.isfinite(short) and (short != 0 or threshold == 0):
            return np.asarray(grade >= short)
        grade = grade.astype(np.float64)
    least = float(threshold)
    if least < threshold:  # an integer above 2**53
        least = float(np.nextafter(least, np.inf))
    return np.asarray(grade >= least)


def view_of(ranked: RankedItems, view: View, ties: str) -> RankedGains | RankedJudgements:
    """The rows as a kind of metrics sees them."""
    items = ranked.items
    if not isinstance(view, JudgedView):
        refuse_unknown(ranked.rows, items)
    relevant = view.relevant(items.grade)
    place = relevant.nonzero()[0]
    all_row, row, before, n_tied, item = items.row, ranked.row, ranked.before, ranked.n_tied, ranked.item
    if len(place) < len(relevant):
        all_row = all_row[place]
        row, before, n_tied, item = keep(relevant[item], row, before, n_tied, item)
    gain, all_gain = view.gain(items, item), view.gain(items, place)
    gains = RankedGains(ranked.n_rows, None, row, before, n_tied, gain, all_row, all_gain, ranked.n_retrieved)
    if ties in ("best", "worst") and np.any(n_tied > 1):
        gains = _settled(gains, ties)
    return RankedJudgements(gains) if isinstance(view, JudgedView) else gains


def refuse_unknown(rows: slice | Indices, items: Items) -> None:
    """Raise if the grade of an item is NaN; `rows` are those of the problem."""
    grade = items.grade
    if grade.dtype.kind == "f" and np.isnan(grade).any():
        row = int(items.row[np.isnan(grade).argmax()])
        row = rows.start + row if isinstance(rows, slice) else rows[row]
        message = (
            f"`y_true` contains NaN, first in row {row}: relevance must be known (0 for not relevant); "
            "bpref and judged_at_k alone read NaN, as unjudged."
        )
        raise ValueError(message)


def _settled(ranked: RankedGains, ties: str) -> RankedGains:
    """Equal scores settled by relevance, "best" or "worst": the same rows without ties."""
    order = np.lexsort((-ranked.gain if ties == "best" else ranked.gain, ranked.before, ranked.row))
    groups = ranked.groups
    within = np.arange(len(order)) - np.repeat(groups.start, groups.hits)
    if ties == "worst":
        within += np.repeat(groups.size - groups.hits, groups.hits)
    # Row and place stay as they are: only the gains of a group change their order.
    return replace(ranked, before=ranked.before + within, n_tied=np.ones_like(ranked.n_tied), gain=ranked.gain[order])
