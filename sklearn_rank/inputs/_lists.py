"""Lists of ids → y_true and y_scores for every metric, and MAP@k at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import attribute, check_count, name_of, warn
from sklearn_rank.inputs._containers import is_frame, is_missing
from sklearn_rank.inputs._kinds import apart
from sklearn_rank.inputs._marks import marked_pair, places, row_pointers

if TYPE_CHECKING:
    from collections.abc import Iterator


SIMPLE = {str, int, bytes, bool}  # hashable, and none of their values stands for a missing id
PLAIN = set("biuUS")  # kinds of arrays, likewise


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
        If one of the lists is a string or a dict, `predicted` has no order (a set), or ids are not
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
        If a row is a string or a dict, a row of `predicted` has no order, or ids are not hashable.
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
    k = _depth(k)
    truths, guesses = _rows(actual, predicted)
    total = 0.0
    try:
        for truth, guess in zip(_as_lists(truths), _as_lists(guesses), strict=True):
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
        _refuse_unhashable("actual", truths)
        _refuse_unhashable("predicted", guesses)
        raise
    return total / len(truths)


def _depth(k: Any) -> int | None:
    """`k` as an integer of at least 1, or None."""
    try:
        return None if k is None else check_count("k", k)
    except (TypeError, ValueError) as error:
        message = f"`k` must be an integer of at least 1 or None, got {k!r} ({name_of(k)})."
        raise type(error)(message) from None


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
        If a row is a string or a dict, a row of `predicted` has no order, or ids are not hashable.
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
    truths, all_guesses = _rows(actual, predicted)
    slots: list[int] = []
    n_relevant: list[int] = []
    try:
        for relevant, guesses in zip(_as_lists(truths), _as_lists(all_guesses), strict=True):
            missed = set(relevant)
            n_relevant.append(len(missed))
            for place, item in enumerate(guesses):
                if item in missed:
                    missed.remove(item)  # its repetitions are no hits
                    slots.append(place)
            slots += range(len(guesses), len(guesses) + len(missed))
    except TypeError:
        _refuse_unhashable("actual", truths)
        _refuse_unhashable("predicted", all_guesses)
        raise
    n_guesses = np.fromiter(map(len, all_guesses), np.intp, len(all_guesses))
    columns = places(n_guesses)
    return marked_pair(
        (np.ones(len(slots), np.int64), np.array(slots, np.intp), row_pointers(np.array(n_relevant))),
        (np.repeat(n_guesses, n_guesses) - columns, columns, row_pointers(n_guesses)),
        len(truths),
    )


# ---- parts

Row = Any  # a list, or an array of ids of which none is missing


def _rows(actual: Any, predicted: Any) -> tuple[list[Row], list[Row]]:
    """Both sides as rows of hashable ids, `actual` without missing ones; warns if no types meet."""
    truths, guesses = _outer("actual", actual), _outer("predicted", predicted)
    if len(truths) != len(guesses):
        message = f"`actual` has {len(truths)} rows and `predicted` {len(guesses)}: one row of ids each is needed."
        raise ValueError(message)
    if not truths:
        message = "`actual` and `predicted` must have at least one row, got none."
        raise ValueError(message)
    types = _types(truths)
    if not types <= SIMPLE:
        _refuse_unhashable("actual", truths)
        truths = [_known(row) for row in truths]
    _check_types(types, truths, guesses)
    return truths, guesses


def _as_lists(rows: list[Row]) -> Iterator[list[Any]]:
    """The rows as lists. Lists made one at a time stay in the cache, all at once they do not."""
    if rows and isinstance(rows[0], np.ndarray):
        return map(np.ndarray.tolist, rows)
    return iter(rows)


def _types(rows: list[Row]) -> set[type]:
    """The types of the ids, as Python values."""
    if rows and isinstance(rows[0], np.ndarray):
        return {type(dtype.type().item()) for dtype in {row.dtype for row in rows}}
    return set(map(type, chain.from_iterable(rows)))


def _check_types(types: set[type], truths: list[Row], guesses: list[Row]) -> None:
    """Refuse unhashable predictions; warn if none is of a kind that occurs among the true ids."""
    some = _types(guesses[:100])  # mostly enough
    if not some <= SIMPLE:
        _refuse_unhashable("predicted", guesses)
    if apart(types, some) or not some:
        found = apart(types, _types(guesses))
        if found:
            _refuse_unhashable("actual", truths)
            _refuse_unhashable("predicted", guesses)
            warn(f"`actual` and `predicted` share no type of id ({found}), so nothing can match: convert one of them.")


def _outer(name: str, rows: Any) -> list[Row]:
    no_list = isinstance(rows, (str, bytes, bytearray, Mapping, AbstractSet)) or sparse.issparse(rows) or is_frame(rows)
    try:
        found = None if no_list else list(rows.to_pylist() if attribute(rows, "to_pylist") else rows)
    except Exception:  # noqa: BLE001  what cannot be listed is no list, whatever it says itself
        found = None
    if found is None:
        message = f"`{name}` must be a list with a list of ids for each row, got {name_of(rows)}."
        raise TypeError(message)
    kinds = set(map(type, found))
    if kinds == {list} or (kinds == {np.ndarray} and {dtype.kind for dtype in {row.dtype for row in found}} <= PLAIN):
        return found
    return [ids if type(ids) is list else _inner(name, ids, row) for row, ids in enumerate(found)]


def _inner(name: str, ids: Any, row: int) -> list[Any]:
    """One row of any container as a list."""
    if isinstance(ids, Mapping) or (name == "predicted" and isinstance(ids, AbstractSet)):
        reason = "which has no order" if name == "predicted" else "whose values would be lost"
        message = (
            f"Row {row} of `{name}` is a {name_of(ids)}, {reason}; a list of ids is needed"
            f"{', best id first' if name == 'predicted' else ''}. from_qrels takes dictionaries."
        )
        raise TypeError(message)
    if sparse.issparse(ids):  # which may be damaged: nothing of it is shown
        message = f"Each row of `{name}` must be a list of ids: row {row} is a {name_of(ids)}."
        raise TypeError(message)
    method = next((method for method in ("tolist", "to_pylist", "as_py") if attribute(ids, method)), None)
    try:
        if isinstance(ids, (str, bytes, bytearray, memoryview)) or is_frame(ids):
            raise TypeError
        return list(getattr(ids, method)() if method else ids)
    except Exception:  # noqa: BLE001  what cannot be listed is no list, whatever it says itself
        message = (
            f"Each row of `{name}` must be a list of ids, not a string or a single id: row {row} is {ids!r} "
            f"({name_of(ids)})."
        )
        raise TypeError(message) from None


def _refuse_unhashable(name: str, rows: list[Row]) -> None:
    """Show the first id that is not hashable, or the first array that is no list of ids."""
    for row, ids in enumerate(rows):
        if isinstance(ids, np.ndarray) and ids.ndim == 1:
            continue
        for item in _inner(name, ids, row):
            try:
                hash(item)
            except Exception:  # noqa: BLE001  whatever it raises, it is no id
                message = f"Ids must be hashable, and row {row} of `{name}` holds a {name_of(item)}: {item!r}."
                raise TypeError(message) from None


def _known(ids: list[Any]) -> list[Any]:
    """The ids that are not missing."""
    return [item for item in ids if not is_missing(item)]
