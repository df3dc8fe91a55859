"""Long tables with a row per query and item → y_true and y_scores for every metric."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank._options import attribute, check_choice, name_of, warn
from sklearn_rank.inputs._columns import Ids, common_codes, ids_of, missing_at, sorted_cells
from sklearn_rank.inputs._containers import is_frame, numeric, shape_of, to_numpy
from sklearn_rank.inputs._ids import rows_by_group
from sklearn_rank.inputs._kinds import apart
from sklearn_rank.inputs._marks import marked_pair, places
from sklearn_rank.inputs._qrels import ITEM_ORDERS, UNJUDGED

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    Ints = NDArray[np.integer[Any]]


def from_frames(
    truth: Any,
    predictions: Any,
    *,
    query: Any,
    item: Any,
    relevance: Any = None,
    score: Any = None,
    rank: Any = None,
    item_order: str = "descending",
    unjudged: str = "keep",
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Two tables with a row per query and item as a sparse pair (y_true, y_scores) for every metric.

    Rows are the queries of `truth` in order of first appearance. Column j of a row is the j-th item of its
    predictions in `item_order`, then come its true items that were not predicted, as in `from_qrels`.

    Parameters
    ----------
    truth : DataFrame, pyarrow table or dict of columns
        A row for each relevant or judged item: pandas, polars, pyarrow, or a dict of arrays or lists.
    predictions : DataFrame, pyarrow table or dict of columns
        A row for each item retrieved, in any order. Queries that `truth` does not have are ignored; a query
        that only `truth` has retrieves nothing.
    query : str or list of str
        The column of query ids (users), in both tables; a list for queries that several columns tell apart.
    item : str
        The column of item ids, in both tables.
    relevance : str, default=None
        The column of grades in `truth`; None: every row of `truth` is relevant.
    score : str, default=None
        The column of scores in `predictions`, the higher the better.
    rank : str, default=None
        The column of ranks in `predictions`, 1 is best. Without `score` and `rank` the rows of a query rank as
        they come.
    item_order : {"descending", "ascending", "input"}, default="descending"
        The order of the slots, and so of equal scores with ``ties="first"``: by item id from the highest
        (trec_eval), from the lowest, or as in the table.
    unjudged : {"keep", "drop"}, default="keep"
        "drop" leaves the items that `truth` does not have out of the predictions (condensed lists).

    Returns
    -------
    y_true : sparse array of shape (n_queries, n_slots)
        Grades, or 1 for each row of `truth`; grades of 0 are stored, too.
    y_scores : sparse array of shape (n_queries, n_slots)
        Scores in the slots of the items retrieved.

    Raises
    ------
    TypeError
        If one side is no table, ids are not hashable, or items have no common order.
    ValueError
        If a column is not there or has another length, ids or numbers are missing, a query has an item twice,
        `truth` is empty, both `score` and `rank` are given, or `item_order` or `unjudged` is unknown.

    See Also
    --------
    from_qrels : The same of dictionaries.
    from_lists : The same of lists of ids.

    Notes
    -----
    Ids compare by value: categories by what they stand for, 1 and 1.0 as one id, "1" as another. Where no
    query is on both sides, or ids of the two sides can never be equal, a UserWarning says so. An index of
    pandas plays no part.

    Examples
    --------
    User "u" is recommended b, a, c in this order, and a and c are right: hits at ranks 2 and 3. User "w" has
    no recommendations:

    >>> from sklearn_rank import from_frames, map_at_k
    >>> truth = {"user": ["u", "u", "w"], "item": ["a", "c", "a"]}
    >>> recommended = {"user": ["u", "u", "u"], "item": ["a", "b", "c"], "score": [0.8, 0.9, 0.1]}
    >>> y_true, y_scores = from_frames(truth, recommended, query="user", item="item", score="score")
    >>> map_at_k(y_true, y_scores, average=None)  # (1/2 + 2/3) / 2, 0
    array([0.58333333, 0.        ])
    """
    check_choice("item_order", item_order, ITEM_ORDERS)
    check_choice("unjudged", unjudged, UNJUDGED)
    if score is not None and rank is not None:
        message = f"`score` ({score!r}) and `rank` ({rank!r}) both say what comes first: pass one of them."
        raise ValueError(message)
    names = query if isinstance(query, list) and query else [query]
    left, right = _Table("truth", truth, names, item), _Table("predictions", predictions, names, item)
    if not left.n_rows:
        message = "`truth` must have at least one row, got none."
        raise ValueError(message)
    grades = np.ones(left.n_rows, np.int64) if relevance is None else left.numbers(relevance, "relevance")
    scores = _scores(right, score, rank)
    match = _match(left, right, item_order)
    if not match.anything_found:
        _warn_of_strangers(left, right, match)
    if unjudged == "drop":
        match = _without_unjudged(match)
    if item_order == "input":
        match = _in_order_of_the_table(match)
    counts = np.diff(match.indptr)
    columns = _true_slots(match, counts)
    return marked_pair(
        (grades[match.true_order], columns, match.true_indptr),
        (scores[match.order], places(counts), match.indptr),
        len(counts),
    )


def _scores(predictions: _Table, score: Any, rank: Any) -> NDArray[Any]:
    """(n,) scores, the higher the better."""
    if score is not None:
        return predictions.numbers(score, "score")
    if rank is None:
        return np.arange(predictions.n_rows, 0, -1)
    ranks = predictions.numbers(rank, "rank")
    if ranks.dtype.kind == "f":
        return -ranks
    if len(ranks) and not -(2**63) < int(ranks.min()) <= int(ranks.max()) < 2**63:
        message = f"`rank`: column {rank!r} of `predictions` must hold ranks from 1 on, got numbers beyond 2**63."
        raise ValueError(message)
    return -ranks.astype(np.int64)


# ---- tables


class _Table:
    """One side: its ids, its other columns by name, and its rows in messages."""

    def __init__(self, side: str, table: Any, query: list[Any], item: Any) -> None:
        self.side, self.table, self.id_names = side, table, [*query, item]
        if isinstance(table, Mapping) or attribute(table, "column_names") is not None:
            self.names = list(table if isinstance(table, Mapping) else table.column_names)
        elif any(attribute(table, name) is not None for name in ("iloc", "get_column")) and is_frame(table):
            self.names = list(table.columns)
        else:
            hint = "; collect() makes one of it" if attribute(table, "collect") else ""
            message = (
                f"`{side}` must be a table of pandas, polars or pyarrow, or a dict of columns, got "
                f"{name_of(table)}{hint}."
            )
            raise TypeError(message)
        self.n_rows = -1
        self.query = [ids_of(self.column(name, "query"), self.where(name, "query")) for name in query]
        self.item = ids_of(self.column(item, "item"), self.where(item, "item"))

    def where(self, name: Any, argument: str) -> str:
        """How messages name a column."""
        return f"`{argument}`: column {name!r} of `{self.side}`"

    def column(self, name: Any, argument: str) -> Any:
        """A column in the container that the table has; all are of one length."""
        try:
            known = hash(name) is not None and name in self.names
        except Exception as error:
            message = f"`{argument}` must be the name of a column, got {name!r}."
            raise TypeError(message) from error
        if not known or self.names.count(name) > 1:
            what = "stands more than once" if known else "is not there"
            message = f"{self.where(name, argument)} {what}; it has {', '.join(map(repr, self.names))}."
            raise ValueError(message)
        fetch = next((method for method in ("get_column", "column") if hasattr(self.table, method)), "__getitem__")
        column = self.table[name] if isinstance(self.table, Mapping) else getattr(self.table, fetch)(name)
        no_list = isinstance(column, (str, bytes, Mapping, AbstractSet)) or not hasattr(column, "__len__")
        if no_list or getattr(column, "ndim", 1) != 1:
            message = f"{self.where(name, argument)} must be a 1-D array or a list, got {shape_of(column)}."
            raise TypeError(message)
        if self.n_rows not in (-1, len(column)):
            message = (
                f"{self.where(name, argument)} has {len(column)} rows, but column {self.id_names[0]!r} has "
                f"{self.n_rows}."
            )
            raise ValueError(message)
        self.n_rows = len(column)
        return column

    def numbers(self, name: Any, argument: str) -> NDArray[Any]:
        """(n,) numbers of a column, none of them missing."""
        column = self.column(name, argument)
        where = self.where(name, argument)
        missing = missing_at(column)
        if not len(missing):
            plain = getattr(getattr(column, "dtype", None), "numpy_dtype", None)
            array = column.to_numpy(dtype=plain) if plain is not None else to_numpy(column, f"{self.side}[{name!r}]")
            values = numeric(np.ma.getdata(array), f"{self.side}[{name!r}]")
            missing = np.flatnonzero(np.isnan(values)) if values.dtype.kind == "f" else missing
        if len(missing):
            message = f"{where} has no number in row {missing[0]} ({self.shown(missing[0])})."
            raise ValueError(message)
        return values

    def shown(self, row: int) -> str:
        """The ids of a row for a message."""
        found = []
        for name in self.id_names:
            column = self.column(name, "query")
            value = column.iloc[row] if hasattr(column, "iloc") else column[int(row)]
            found.append(f"{name}={value.as_py() if hasattr(value, 'as_py') else value!r}")
        return ", ".join(found)

    def refuse_repeats(self, keys: Ints, order: Ints) -> None:
        """`keys` of cells in ascending order, of the rows `order`."""
        same = keys[1:] == keys[:-1]
        if same.any():
            first = int(same.argmax())
            message = (
                f"`{self.side}` has an item of a query twice: {self.shown(order[first])} in rows {order[first]} and "
                f"{order[first + 1]}."
            )
            raise ValueError(message)


# ---- both together


@dataclass(frozen=True)
class _Match:
    """Cells (row of a query, item) of both sides in order, and which are the same.

    Rows are those of queries in the truth; the predictions of other queries are left out.
    """

    order: Ints  # (n_kept,) the predictions, row by row in the order of their slots
    indptr: Ints  # (n_queries + 1,) where the rows begin in it
    true_order: Ints  # (n_true,) the rows of the truth, query by query
    true_indptr: Ints  # (n_queries + 1,)
    place: Ints  # (n_true,) of each of them the place in `order`; -1 if it was not retrieved

    @property
    def anything_found(self) -> bool:
        return bool((self.place >= 0).any())


def _match(truth: _Table, predictions: _Table, item_order: str) -> _Match:
    true_rows, rows, n_queries, n_rows = _rows(truth, predictions)
    try:
        true_items, items, n_items = common_codes(truth.item, predictions.item, ordered=item_order != "input")
    except TypeError as error:
        message = (
            f"The items of `predictions`, column {predictions.id_names[-1]!r}, have no common order ({error}); use "
            "item_order='input'."
        )
        raise TypeError(message) from error
    if item_order == "descending":
        true_items, items = n_items - 1 - true_items, n_items - 1 - items
    order, indptr = sorted_cells(rows, items, n_rows, n_items)
    true_order, true_indptr = sorted_cells(true_rows, true_items, n_queries, n_items)
    keys, true_keys = (
        _keys(rows, items, n_rows, n_items)[order],
        _keys(true_rows, true_items, n_rows, n_items)[true_order],
    )
    truth.refuse_repeats(true_keys, true_order)
    predictions.refuse_repeats(keys, order)
    place = np.searchsorted(keys, true_keys)
    there = place < len(keys)
    there[there] = keys[place[there]] == true_keys[there]
    place[~there] = -1
    return _Match(order[: indptr[n_queries]], indptr[: n_queries + 1], true_order, true_indptr, place)


def _keys(rows: Ints, items: Ints, n_rows: int, n_items: int) -> Ints:
    """A number for each cell, growing by row and item."""
    if n_rows * n_items < 2**31:
        return np.asarray(rows.astype(np.int32) * np.int32(n_items) + items)
    return np.asarray(rows.astype(np.int64) * n_items + items)


def _rows(truth: _Table, predictions: _Table) -> tuple[Ints, Ints, int, int]:
    """Rows of both sides, the number of queries in the truth, and of all; the former come first, as they appear."""
    true_codes, codes, n_codes = common_codes(truth.query[0], predictions.query[0], ordered=False)
    for left, right in zip(truth.query[1:], predictions.query[1:], strict=True):
        more_true, more, n_more = common_codes(left, right, ordered=False)
        pairs = (Ids(old.astype(np.int64) * n_more + new) for old, new in ((true_codes, more_true), (codes, more)))
        true_codes, codes, n_codes = common_codes(*pairs, ordered=False)
    n_true = len(true_codes)
    first = np.full(n_codes, n_true)
    first[true_codes[::-1]] = np.arange(n_true - 1, -1, -1)  # of equal codes the last one written stays
    starts = first[true_codes] == np.arange(n_true)
    n_queries = int(starts.sum())
    row = np.empty(n_codes, np.int32 if n_codes < 2**31 else np.int64)
    row[first == n_true] = np.arange(n_queries, n_codes)
    row[true_codes[starts]] = np.arange(n_queries)
    return row[true_codes], row[codes], n_queries, n_codes


def _without_unjudged(match: _Match) -> _Match:
    judged = np.zeros(len(match.order), bool)
    judged[match.place[match.place >= 0]] = True
    before = np.concatenate(([0], np.cumsum(judged)))  # judged ones before each place
    place = np.where(match.place >= 0, before[match.place], -1)
    return replace(match, order=match.order[judged], indptr=before[match.indptr], place=place)


def _in_order_of_the_table(match: _Match) -> _Match:
    """Slots by the rows of the predictions, not by item."""
    row = np.repeat(np.arange(len(match.indptr) - 1), np.diff(match.indptr))
    back = np.full(1 + match.order.max(initial=-1), -1)
    back[match.order] = np.arange(len(match.order))
    by_table = back[back >= 0]
    by_row, _ = rows_by_group(row[by_table], len(match.indptr) - 1)
    moved = by_table[by_row]
    new_place = np.empty_like(moved)
    new_place[moved] = np.arange(len(moved))
    place = match.place.copy()
    place[place >= 0] = new_place[place[place >= 0]]
    return replace(match, order=match.order[moved], place=place)


def _true_slots(match: _Match, counts: Ints) -> Ints:
    """(n_true,) the slot of each row of the truth, in the order of `true_order`."""
    row = np.repeat(np.arange(len(counts)), np.diff(match.true_indptr))
    slots = match.place - match.indptr[row]
    missed = np.zeros(len(row), bool)
    missed[match.true_order] = match.place < 0  # in the order of the truth
    back = np.empty(len(row), np.intp)
    back[match.true_order] = np.arange(len(row))
    left = back[np.flatnonzero(missed)]
    by_row, indptr = rows_by_group(row[left], len(counts))
    left = left[by_row]
    slots[left] = counts[row[left]] + places(np.diff(indptr))
    return slots


def _warn_of_strangers(truth: _Table, predictions: _Table, match: _Match) -> None:
    """Nothing was found: warn where no query is on both sides, or ids can never be equal."""
    if not predictions.n_rows:
        return
    strange_queries = not len(match.order)
    pairs = zip(truth.query, predictions.query, strict=True) if strange_queries else [(truth.item, predictions.item)]
    names = truth.id_names[:-1] if strange_queries else truth.id_names[-1:]
    for name, (left, right) in zip(names, pairs, strict=True):
        types = apart(left.types, right.types)
        if types:
            warn(
                f"Column {name!r} has no type of id in common in `truth` and `predictions` ({types}), so nothing can "
                "match: convert one of them."
            )
            return
    if strange_queries:
        warn(f"`truth` and `predictions` have no query in common (column {', '.join(map(repr, names))}).")
