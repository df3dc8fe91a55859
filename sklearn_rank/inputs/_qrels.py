"""Dictionaries of judgements and runs → y_true and y_scores for every metric."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import check_choice, name_of, warn
from sklearn_rank.inputs._containers import is_missing, numeric
from sklearn_rank.inputs._kinds import apart
from sklearn_rank.inputs._marks import marked_pair, places, row_pointers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

ITEM_ORDERS = ("descending", "ascending", "input")
UNJUDGED = ("keep", "drop")


def from_qrels(
    qrels: Mapping[Any, Mapping[Any, float]],
    run: Mapping[Any, Mapping[Any, float]],
    item_order: str = "descending",
    *,
    unjudged: str = "keep",
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Judgements and a run as a sparse pair (y_true, y_scores) for every metric.

    Rows are the queries of `qrels` in its order. Column j of a row is the j-th item of its run in
    `item_order`, then come its judged items that were not retrieved.

    Parameters
    ----------
    qrels : dict of {query: {item: grade}}
        The judgements. A negative grade means judged not relevant: `relevance_threshold` reads it so,
        graded metrics refuse it.
    run : dict of {query: {item: score}}
        The scores. Queries that `qrels` does not have are ignored; a query that only `qrels` has
        retrieves nothing.
    item_order : {"descending", "ascending", "input"}, default="descending"
        The order of the slots, and so of equal scores with ``ties="first"``: by item id from the
        highest (trec_eval), from the lowest, or as in the dictionary.
    unjudged : {"keep", "drop"}, default="keep"
        "drop" leaves the items that `qrels` does not judge out of the run, so that those below move up
        (condensed lists).

    Returns
    -------
    y_true : sparse array of shape (n_queries, n_slots)
        Grades; those of 0 are stored, too.
    y_scores : sparse array of shape (n_queries, n_slots)
        Scores in the slots of the items retrieved.

    Raises
    ------
    TypeError
        If `qrels` or `run` are no dictionaries of dictionaries of numbers, or item ids have no common
        order.
    ValueError
        If `qrels` is empty, a grade or a score is missing (None, NaN), or `item_order` or `unjudged`
        is unknown.

    See Also
    --------
    from_frames : Tables with a row per query and item.
    from_lists : Lists of ids.
    read_qrels : Judgements of a TREC file.
    read_run : The run of a TREC file.

    Notes
    -----
    Where the two sides have no query in common, or item ids of types that are never equal (1 and "1"),
    a UserWarning says so.

    Examples
    --------
    The relevant document shares its score with another; trec_eval puts "d2" first, as it is the
    greater id:

    >>> from sklearn_rank import from_qrels, mrr_at_k
    >>> y_true, y_scores = from_qrels({"q": {"d1": 1}}, {"q": {"d1": 2.5, "d2": 2.5}})
    >>> mrr_at_k(y_true, y_scores, ties="first")
    0.5
    >>> mrr_at_k(y_true, y_scores)
    0.75

    Nobody has judged "d2"; without it "d1" comes first:

    >>> mrr_at_k(*from_qrels({"q": {"d1": 1}}, {"q": {"d1": 2.5, "d2": 2.5}}, unjudged="drop"))
    1.0
    """
    check_choice("item_order", item_order, ITEM_ORDERS)
    check_choice("unjudged", unjudged, UNJUDGED)
    _check_mapping("qrels", qrels)
    _check_mapping("run", run)
    if not qrels:
        message = "`qrels` must hold at least one query, got none."
        raise ValueError(message)
    truth, scores = _Values("qrels"), _Values("run")
    columns: list[int] = []
    n_hits = 0
    for query, grades in qrels.items():
        retrieved = run.get(query, {})
        _check_mapping(f"qrels[{query!r}]", grades)
        _check_mapping(f"run[{query!r}]", retrieved)
        if unjudged == "drop":
            retrieved = {item: score for item, score in retrieved.items() if item in grades}
        items = _ordered(query, retrieved, item_order)
        slots = _slots(grades, retrieved, items, item_order)
        n_hits += sum(slot < len(items) for slot in slots)
        columns += slots
        truth.add(query, grades, grades)
        scores.add(query, retrieved, items)
    if not n_hits:
        _warn_of_strangers(qrels, run)
    counts = scores.counts()
    return marked_pair(
        (truth.array(), np.array(columns, np.intp), row_pointers(truth.counts())),
        (scores.array(), places(counts), row_pointers(counts)),
        len(qrels),
    )


def is_qrels(x: Any) -> bool:
    """Whether x is {query: {item: number}}, judgements or a run, and no dict of arrays by model."""
    if sparse.issparse(x):  # one of SciPy's formats is a dict
        return False
    return isinstance(x, Mapping) and bool(x) and all(isinstance(row, Mapping) for row in x.values())


def pairs_of_runs(qrels: Any, runs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """{model: y_true} and {model: y_scores} of judgements and {model: run}; an error says of which model."""
    y_true, y_scores = {}, {}
    for name, run in runs.items():
        try:
            y_true[name], y_scores[name] = from_qrels(qrels, run)
        except (TypeError, ValueError) as error:
            message = f"{error} (Model {name!r}.)"
            raise type(error)(message) from error
    return y_true, y_scores


# ---- parts


class _Values:
    """The numbers of one side, added query by query."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.rows: list[tuple[Any, Mapping[Any, Any]]] = []
        self.parts: list[NDArray[np.float64] | list[Any]] = []  # arrays where all are Python floats

    def add(self, query: Any, row: Mapping[Any, Any], items: Iterable[Any]) -> None:
        """The values of a row in the order of `items`."""
        values = map(row.__getitem__, items)
        floats = set(map(type, row.values())) == {float}
        self.parts.append(np.fromiter(values, float, len(row)) if floats else list(values))
        self.rows.append((query, row))

    def counts(self) -> NDArray[np.intp]:
        return np.fromiter(map(len, self.parts), np.intp, len(self.parts))

    def array(self) -> NDArray[Any]:
        """All values; integers stay integers."""
        filled = [part for part in self.parts if len(part)]
        if all(isinstance(part, np.ndarray) for part in filled):
            values: NDArray[Any] = np.concatenate([np.empty(0), *filled])
        else:
            values = self._mixed(list(chain.from_iterable(filled)))
        if values.dtype.kind == "f" and np.isnan(values).any():
            self._refuse()
        return values

    def _mixed(self, flat: list[Any]) -> NDArray[Any]:
        types = set(map(type, flat))
        if types <= {int, bool}:
            values = np.array(flat)
            if values.dtype.kind in "biu":
                return values
        flat = [_plain(value) for value in flat]
        if not all(map(_is_number, flat)):
            self._refuse()
        return numeric(np.fromiter(flat, object, len(flat)), self.side)

    def _refuse(self) -> None:
        """Show the first value that is no number."""
        query, item, value = next(
            (query, item, value)
            for query, row in self.rows
            for item, value in row.items()
            if not _is_number(_plain(value))
        )
        what = {"qrels": "Grades", "run": "Scores"}[self.side]
        where = f"`{self.side}` has {value!r:.50} for item {item!r} of query {query!r}"
        if is_missing(_plain(value)) or isinstance(_plain(value), Real):
            message = f"{what} must be numbers that a float can hold, and none may be missing: {where}."
            raise ValueError(message)
        message = f"{what} must be numbers: {where} ({name_of(value)})."
        raise TypeError(message)


def _is_number(value: Any) -> bool:
    """Whether a value is a real number, not missing and not beyond floats."""
    if not isinstance(value, (Real, np.bool_)):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:
        return False


def _plain(value: Any) -> Any:
    """A number taken out of an array or a tensor without a dimension."""
    if isinstance(value, np.generic) or getattr(value, "ndim", None) != 0:
        return value
    return value.item()


def _check_mapping(name: str, value: Any) -> None:
    if type(value) is not dict and not isinstance(value, Mapping):
        message = f"`{name}` must be a dictionary, got {name_of(value)}: wanted is {{query: {{item: number}}}}."
        raise TypeError(message)


def _ordered(query: Any, row: Mapping[Any, Any], item_order: str) -> list[Any]:
    """The items of a row in the order of their slots."""
    if item_order == "input":
        return list(row)
    try:
        items = sorted(row)
    except TypeError as error:
        message = f"The items of query {query!r} in `run` have no common order ({error}); use item_order='input'."
        raise TypeError(message) from error
    if item_order == "descending":
        items.reverse()
    return items


def _slots(grades: Mapping[Any, Any], row: Mapping[Any, Any], items: list[Any], item_order: str) -> list[int]:
    """The slot of each judged item: its place among the items retrieved, or the next one after them."""
    if item_order == "input":
        place = dict(zip(items, range(len(items)), strict=True))
        return [place.setdefault(item, len(place)) for item in grades]
    # A dict of all slots costs more than looking for the few that are judged among sorted ids.
    ascending = items[::-1] if item_order == "descending" else items
    last = len(items) - 1
    slots, free = [], len(items)
    for item in grades:
        if item not in row:
            slots.append(free)
            free += 1
            continue
        slot = bisect_left(ascending, item)
        if slot > last or ascending[slot] != item:  # ids such as sets have < but no order
            slot = ascending.index(item)
        slots.append(last - slot if item_order == "descending" else slot)
    return slots


def _warn_of_strangers(qrels: Mapping[Any, Any], run: Mapping[Any, Any]) -> None:
    """Nothing was found: warn where no query is on both sides, or no two items can be equal."""
    common = [query for query in qrels if query in run]
    if not common:
        types = apart(map(type, qrels), map(type, run))
        if types:
            warn(f"`qrels` and `run` share no type of query id ({types}), so nothing can match: convert one of them.")
        elif run:
            warn(
                f"`qrels` and `run` have no query in common (first {next(iter(qrels))!r} against "
                f"{next(iter(run))!r}), so nothing is retrieved."
            )
        return
    types = apart(*(set(map(type, chain.from_iterable(side[query] for query in common))) for side in (qrels, run)))
    if types:
        warn(f"`qrels` and `run` share no type of item id ({types}), so nothing can match: convert one of them.")
