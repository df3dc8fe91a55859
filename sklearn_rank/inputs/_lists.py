"""Lists of ids, qrels and runs → y_true and y_scores for every metric."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import check_choice, check_k, name_of
from sklearn_rank.inputs._containers import is_frame, is_missing, numeric

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIMPLE = {str, int, bytes, bool}  # hashable, and none of their values stands for a missing id


def apk(actual: Iterable[Any], predicted: Iterable[Any], k: int | None = 10) -> float:
    """Average precision at k of one list of ids.

    The sum of precision@i over the ranks i <= k of `predicted` that hold an id of `actual`, divided by
    min(number of ids in `actual`, k). The values are those of ml_metrics.

    Parameters
    ----------
    actual : iterable of hashable ids
        The relevant ids, in any order. Repeats count in the divisor; missing ids (None, NaN) do not.
    predicted : sequence of hashable ids
        The predicted ids, best first. A repeated id counts once but takes up its rank; a missing one
        takes up a rank and is never a hit.
    k : int or None, default=10
        How many predictions count; None for all.

    Returns
    -------
    float
        Between 0 and 1; 0 if `actual` is empty.

    Raises
    ------
    TypeError
        If one of the lists is a string, `predicted` has no order (a set, a dict), or ids are not
        hashable.
    ValueError
        If `k` is below 1.

    See Also
    --------
    mapk : The mean over many lists.
    from_lists : Lists of ids for every metric.

    References
    ----------
    .. [1] B. Hamner. ml_metrics 0.1.4, average_precision.

    Examples
    --------
    Hits at ranks 1 and 3, three relevant ids, so (1/1 + 2/3) / 3:

    >>> from sklearn_rank import apk
    >>> round(apk(["a", "b", "c"], ["a", "x", "b"]), 6)
    0.555556
    """
    return _mean_average_precision([actual], [predicted], k)


def mapk(actual: Iterable[Iterable[Any]], predicted: Iterable[Iterable[Any]], k: int | None = 10) -> float:
    """Mean average precision at k of lists of ids: the mean of `apk`.

    Parameters
    ----------
    actual : iterable of iterables of hashable ids
        The relevant ids of each row.
    predicted : iterable of sequences of hashable ids
        The predicted ids of each row, best first.
    k : int or None, default=10
        How many predictions count; None for all.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    TypeError
        If a row is a string, a row of `predicted` has no order, or ids are not hashable.
    ValueError
        If `actual` and `predicted` have different lengths or none, or `k` is below 1.

    See Also
    --------
    apk : One row.
    from_lists : Lists of ids for every metric.

    References
    ----------
    .. [1] B. Hamner. ml_metrics 0.1.4, average_precision.

    Examples
    --------
    The rows score 1 and (1/2) / 1:

    >>> from sklearn_rank import mapk
    >>> mapk([["a"], ["b"]], [["a", "x"], ["x", "b"]])
    0.75
    """
    return _mean_average_precision(actual, predicted, k)


def _mean_average_precision(actual: Any, predicted: Any, k: int | None) -> float:
    """The recurrence in plain Python: with lists of a dozen ids arrays would cost more than they save."""
    k = check_k(k)
    truths, guesses = _rows(actual, predicted)
    total = 0.0
    try:
        for truth, guess in zip(truths, guesses, strict=True):
            relevant = set(truth)
            hits = rank = 0
            value = 0.0
            for item in guess if k is None else guess[:k]:
                rank += 1  # noqa: SIM113  faster than enumerate here
                if item in relevant:
                    relevant.remove(item)  # its repetitions are no hits
                    hits += 1
                    value += hits / rank
            if hits:
                n, depth = len(truth), len(guess) if k is None else k
                total += value / (n if n < depth else depth)  # noqa: FURB136  a call of min costs more
    except TypeError:
        _refuse_unhashable("predicted", guesses)
        raise
    return total / len(truths)


def from_lists(
    actual: Iterable[Iterable[Any]], predicted: Iterable[Iterable[Any]]
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Lists of ids as a sparse pair (y_true, y_scores) for every metric.

    Column j of a row is the j-th prediction of that row, then come its relevant ids that were not
    predicted: columns are slots, not items, so nothing grows with the number of items.

    Parameters
    ----------
    actual : iterable of iterables of hashable ids
        The relevant ids of each row, in any order; a repeated id counts once, a missing one (None,
        NaN) not at all.
    predicted : iterable of sequences of hashable ids
        The predicted ids of each row, best first. A repeated id keeps its slot and earns nothing; so
        does a missing one.

    Returns
    -------
    y_true : sparse array of shape (n_rows, n_slots)
        1 where the slot holds a relevant id.
    y_scores : sparse array of shape (n_rows, n_slots)
        Falling scores in the slots of the predictions; nothing elsewhere: not retrieved.

    Raises
    ------
    TypeError
        If a row is a string, a row of `predicted` has no order, or ids are not hashable.
    ValueError
        If `actual` and `predicted` have different lengths or none.

    See Also
    --------
    from_qrels : Dictionaries of grades and scores, as trec_eval takes them.
    mapk : MAP of lists in one call.

    Examples
    --------
    One of two relevant ids comes second:

    >>> from sklearn_rank import from_lists, mrr_at_k, recall_at_k
    >>> y_true, y_scores = from_lists([["a", "b"]], [["x", "a", "y"]])
    >>> mrr_at_k(y_true, y_scores), recall_at_k(y_true, y_scores)
    (0.5, 0.5)
    """
    truth, scores = _Slots(), _Slots()
    truths, all_guesses = _rows(actual, predicted)
    _refuse_unhashable("predicted", all_guesses)
    for relevant_ids, guesses in zip(truths, all_guesses, strict=True):
        missed = set(relevant_ids)
        hits = []
        for place, item in enumerate(guesses):
            if item in missed:
                missed.remove(item)  # its repetitions are no hits
                hits.append(place)
        n = len(guesses)
        hits += range(n, n + len(missed))
        truth.add(hits, [1] * len(hits))
        scores.add(range(n), range(n, 0, -1))
    return _pair(truth, scores)


def from_qrels(
    qrels: Mapping[Any, Mapping[Any, float]],
    run: Mapping[Any, Mapping[Any, float]],
    item_order: str = "descending",
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

    Returns
    -------
    y_true : sparse array of shape (n_queries, n_slots)
        Grades.
    y_scores : sparse array of shape (n_queries, n_slots)
        Scores in the slots of the items retrieved.

    Raises
    ------
    TypeError
        If `qrels` or `run` are no dictionaries of dictionaries, or item ids have no common order.
    ValueError
        If `qrels` is empty or `item_order` unknown.

    See Also
    --------
    from_lists : Lists of ids.

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
    """
    check_choice("item_order", item_order, ("descending", "ascending", "input"))
    _check_mapping("qrels", qrels)
    _check_mapping("run", run)
    if not qrels:
        message = "`qrels` must hold at least one query, got none."
        raise ValueError(message)
    truth, scores = _Slots(), _Slots()
    for query, grades in qrels.items():
        retrieved = run.get(query, {})
        _check_mapping(f"qrels[{query!r}]", grades)
        _check_mapping(f"run[{query!r}]", retrieved)
        items = list(retrieved)
        if item_order != "input":
            try:
                items.sort(reverse=item_order == "descending")
            except TypeError as error:
                message = f"The items of query {query!r} have no common order ({error}); use item_order='input'."
                raise TypeError(message) from error
        slot = {item: place for place, item in enumerate(items)}
        truth.add([slot.setdefault(item, len(slot)) for item in grades], grades.values())
        scores.add(range(len(items)), [retrieved[item] for item in items])
    return _pair(truth, scores)


# ---- parts


class _Slots:
    """The rows of a CSR array, added one after the other."""

    def __init__(self) -> None:
        self.indptr = [0]
        self.columns: list[int] = []
        self.values: list[Any] = []

    def add(self, columns: Iterable[int], values: Iterable[Any]) -> None:
        self.columns += columns
        self.values += values
        self.indptr.append(len(self.columns))

    def array(self, n_columns: int) -> sparse.csr_array:
        try:
            plain = np.fromiter(self.values, object, len(self.values))  # integers stay integers
            values: NDArray[Any] = numeric(plain, "grades and scores") if self.values else np.empty(0)
        except (ValueError, OverflowError) as error:
            message = f"Grades and scores must be numbers: {error}"
            raise TypeError(message) from error
        shape = (len(self.indptr) - 1, n_columns)
        out = sparse.csr_array((values, np.array(self.columns, np.intp), np.array(self.indptr, np.intp)), shape=shape)
        out.sort_indices()
        return out


def _pair(truth: _Slots, scores: _Slots) -> tuple[sparse.csr_array, sparse.csr_array]:
    n_columns = 1 + max([0, *truth.columns, *scores.columns])
    return truth.array(n_columns), scores.array(n_columns)


def _check_mapping(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        message = f"`{name}` must be a dictionary, got {name_of(value)}: wanted is {{query: {{item: number}}}}."
        raise TypeError(message)


def _rows(actual: Any, predicted: Any) -> tuple[list[list[Any]], list[list[Any]]]:
    """Both sides as lists of lists of hashable ids, `actual` without missing ones; warns if no types meet."""
    truths, guesses = _outer("actual", actual), _outer("predicted", predicted)
    if len(truths) != len(guesses):
        message = f"`actual` has {len(truths)} rows and `predicted` {len(guesses)}: one row of ids each is needed."
        raise ValueError(message)
    if not truths:
        message = "`actual` and `predicted` must have at least one row, got none."
        raise ValueError(message)
    types = set(map(type, chain.from_iterable(truths)))
    if not types <= SIMPLE:
        _refuse_unhashable("actual", truths)
        truths = [_known(row) for row in truths]
    _check_types(types, guesses)
    return truths, guesses


def _check_types(types: set[type], guesses: list[list[Any]]) -> None:
    """Refuse unhashable predictions; warn if none is of a kind that occurs among the true ids."""
    known = _kinds(types)
    some_types = set(map(type, chain.from_iterable(guesses[:100])))  # mostly enough
    if not some_types <= SIMPLE:
        _refuse_unhashable("predicted", guesses)
    some = _kinds(some_types)
    if not known or not known.keys().isdisjoint(some):
        return
    guessed = _kinds(set(map(type, chain.from_iterable(guesses))))
    if guessed and known.keys().isdisjoint(guessed):
        left, right = (", ".join(sorted(kinds.values())) for kinds in (known, guessed))
        message = (
            f"`actual` and `predicted` share no type of id ({left} against {right}), so nothing can match: "
            "convert one of them."
        )
        warnings.warn(message, UserWarning, stacklevel=5)


def _kinds(types: set[type]) -> dict[type, str]:
    """Kinds of ids that can be equal, all numbers, all text or one type, each with the name of a type."""
    kinds: dict[type, str] = {}
    for type_ in types - {type(None)}:
        kinds[next((kind for kind in (Number, str) if issubclass(type_, kind)), type_)] = type_.__name__
    return kinds


def _outer(name: str, rows: Any) -> list[list[Any]]:
    unordered = isinstance(rows, (str, bytes, Mapping, AbstractSet)) or is_frame(rows)
    if unordered or not isinstance(rows, Iterable):
        message = f"`{name}` must be a list with a list of ids for each row, got {name_of(rows)}."
        raise TypeError(message)
    return [ids if type(ids) is list else _inner(name, ids, row) for row, ids in enumerate(rows)]


def _inner(name: str, ids: Any, row: int) -> list[Any]:
    """One row of any container as a list."""
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        message = (
            f"Each row of `{name}` must be a list of ids, not a string or a single id: row {row} is {ids!r} "
            f"({name_of(ids)})."
        )
        raise TypeError(message)
    if name == "predicted" and isinstance(ids, (AbstractSet, Mapping)):
        message = (
            f"Row {row} of `predicted` is a {name_of(ids)}, which has no order; a list, best id first, is needed."
        )
        raise TypeError(message)
    return list(ids.tolist() if hasattr(ids, "tolist") else ids)


def _refuse_unhashable(name: str, rows: list[list[Any]]) -> None:
    for row, ids in enumerate(rows):
        for item in ids:
            try:
                hash(item)
            except TypeError:
                message = f"Ids must be hashable, and row {row} of `{name}` holds a {name_of(item)}: {item!r}."
                raise TypeError(message) from None


def _known(ids: list[Any]) -> list[Any]:
    """The ids that are not missing."""
    return [item for item in ids if not is_missing(item)]
