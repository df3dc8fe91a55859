"""Ids and labels → codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank._options import SCORER_HINT, name_of
from sklearn_rank.inputs._containers import is_missing, to_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray


def label_codes(
    y_true: NDArray[Any], labels: Any, n_columns: int, names: list[Any] | None = None
) -> NDArray[np.intp]:
    """The column of each row's label."""
    if np.ma.is_masked(y_true):
        message = "`y_true` must not be masked."
        raise ValueError(message)
    y_true = _plain_labels(y_true)
    found, codes = _unique_codes(y_true)
    if found and is_missing(found[-1]):
        row = int(np.flatnonzero(codes == len(found) - 1)[0])
        message = f"`y_true` has a missing label, first at row {row}."
        raise ValueError(message)
    if labels is None and names is not None and names != list(range(n_columns)) and set(found) <= set(names):
        labels = names  # a frame says itself which column stands for which class
    if labels is None:
        if len(found) != n_columns:
            message = (
                f"`y_scores` has {n_columns} columns but `y_true` holds {len(found)} labels: pass `labels=` to name "
                f"the column of each class. {SCORER_HINT}"
            )
            raise ValueError(message)
        return codes
    columns = _plain_labels(to_numpy(labels, "labels")).tolist()
    if len(columns) != n_columns:
        message = f"`labels` has {len(columns)} entries for {n_columns} columns of `y_scores`."
        raise ValueError(message)
    place = {label: column for column, label in enumerate(columns)}
    if len(place) != len(columns):
        message = f"`labels` repeats {next(label for label in columns if columns.count(label) > 1)!r}."
        raise ValueError(message)
    unknown = [label for label in found if label not in place]
    if unknown:
        message = f"`y_true` holds labels that are not in `labels`: {unknown}."
        raise ValueError(message)
    return np.array([place[label] for label in found], dtype=np.intp)[codes]


def _plain_labels(labels: NDArray[Any]) -> NDArray[Any]:
    labels = np.asarray(labels)
    if labels.ndim != 1:
        message = f"Class labels must be 1-D, got shape {labels.shape}."
        raise ValueError(message)
    return labels


def _unique_codes(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """The sorted distinct values, missing ones last, and the place of each value among them."""
    if values.dtype.kind in "iu" and values.size and int(values.max()) - int(low := values.min()) < 4 * values.size:
        # Small integers need no sort.
        offset = (values - low).astype(np.intp) if values.dtype.kind == "u" else values.astype(np.intp) - low
        there = np.bincount(offset) > 0
        return (np.flatnonzero(there) + low).tolist(), (np.cumsum(there) - 1)[offset]
    if values.dtype.kind != "O":
        found, codes = np.unique(values, return_inverse=True)
        return found.tolist(), codes
    place: dict[Any, int] = {}
    codes = np.array(
        [place.setdefault(None if is_missing(value) else value, len(place)) for value in values.tolist()], np.intp
    )
    known = [value for value in place if value is not None]
    try:
        known.sort()
    except TypeError as error:
        kinds = sorted({name_of(value) for value in known})
        message = f"`y_true` mixes labels of types {kinds}, which have no common order; pass labels of one type."
        raise TypeError(message) from error
    order = known + [None] * (None in place)
    new_place = np.empty(len(order), np.intp)
    new_place[[place[value] for value in order]] = np.arange(len(order))
    return order, new_place[codes]


def group_codes(groups: Any, n_rows: int) -> tuple[NDArray[np.intp], int]:
    """Ids → (codes in order of first appearance, number of groups)."""
    ids = to_numpy(groups, "groups")
    if ids.shape != (n_rows,):
        shape = f"{len(ids)} entries" if ids.ndim == 1 else f"shape {ids.shape}"
        hint = ""
        if ids.ndim == 1 and ids.dtype.kind in "iu" and ids.sum() == n_rows:
            hint = "; these look like group sizes: np.repeat(np.arange(len(sizes)), sizes) makes ids of them"
        message = f"`groups` needs one id per row: it has {shape} but `y_true` has {n_rows}{hint}."
        raise ValueError(message)
    if isinstance(ids, np.ma.MaskedArray):
        plain = ids.data.astype(object)
        plain[np.ma.getmaskarray(ids)] = None
        ids = plain
    if ids.dtype.kind in "OV":
        ids_list = ids.tolist()
        missing = [row for row, value in enumerate(ids_list) if is_missing(value)]
        _refuse_missing_ids(missing)
        place: dict[Any, int] = {}
        try:
            codes = np.fromiter((place.setdefault(value, len(place)) for value in ids_list), np.intp, n_rows)
        except TypeError as error:
            message = f"`groups` must hold hashable ids: {error}."
            raise TypeError(message) from error
        return codes, len(place)
    if ids.dtype.kind in "fcmM":
        _refuse_missing_ids(np.flatnonzero(ids != ids).tolist())  # noqa: PLR0124
    # Ids mostly stand in runs: what is sorted is one id a run, not one a row.
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    _, first, run_codes = np.unique(ids[starts], return_index=True, return_inverse=True)
    if len(first) < len(starts) or np.any(first[1:] < first[:-1]):
        rank = np.empty(len(first), np.intp)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first))
        run_codes = rank[run_codes]
    return np.repeat(run_codes, np.diff(np.append(starts, n_rows))), len(first)


def group_means(codes: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n_groups,) means of the values of each group, whose codes are from 0 on without a gap."""
    return np.asarray(np.bincount(codes, values) / np.bincount(codes))


def _refuse_missing_ids(rows: list[int]) -> None:
    if rows:
        shown = ", ".join(str(row) for row in rows[:5]) + (", ..." if len(rows) > 5 else "")
        message = f"`groups` contains missing ids (None or NaN) in {len(rows)} rows: {shown}."
        raise ValueError(message)
