"""Ids and labels → codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import SCORER_HINT, name_of
from sklearn_rank.inputs._containers import ids_in_array, is_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray


def label_codes(y_true: NDArray[Any], labels: Any, n_columns: int, names: list[Any] | None = None) -> NDArray[np.intp]:
    """The column of each row's label."""
    found, codes = class_codes(y_true, "y_true")
    if labels is None and names is not None and set(found) <= set(names):
        labels = names  # a frame says itself which column stands for which class
    if labels is None:
        if n_columns == 2 and len(found) <= 2:
            message = (
                "Labels of two values `y_true` beside `y_scores` of two columns can be read in two ways: for one "
                "ranking of the samples pass `y_scores[:, 1]`, for a ranking of the two classes per sample pass "
                "`labels=` with the class of each column."
            )
            raise ValueError(message)
        if len(found) != n_columns:
            message = (
                f"`y_scores` has {n_columns} columns but `y_true` holds {len(found)} labels: pass `labels=` to name "
                f"the column of each class. {SCORER_HINT}"
            )
            raise ValueError(message)
        return codes
    columns = distinct_labels(labels)
    if len(columns) != n_columns:
        message = f"`labels` has {len(columns)} entries for {n_columns} columns of `y_scores`."
        raise ValueError(message)
    place = {label: column for column, label in enumerate(columns)}
    unknown = [label for label in found if label not in place]
    if unknown:
        message = f"`y_true` holds labels that are not in `labels`: {unknown}."
        raise ValueError(message)
    return np.array([place[label] for label in found], dtype=np.intp)[codes]


def class_codes(labels: NDArray[Any], name: str) -> tuple[list[Any], NDArray[np.intp]]:
    """The sorted classes of 1-D labels, none of them missing, and the place of each label among them."""
    if np.ma.is_masked(labels):
        message = f"`{name}` must not be masked."
        raise ValueError(message)
    found, codes = _unique_codes(_plain_labels(labels, name), name)
    if found and is_missing(found[-1]):
        row = int(np.flatnonzero(codes == len(found) - 1)[0])
        message = f"`{name}` has a missing label, first at row {row}."
        raise ValueError(message)
    return found, codes


def distinct_labels(labels: Any) -> list[Any]:
    """The label of each column, as Python values."""
    array = ids_in_array(labels, "labels")
    if array.ndim != 1 or not array.size:
        message = f"`labels` must be a list of the classes of the columns, got shape {array.shape}."
        raise ValueError(message)
    columns: list[Any] = np.asarray(array).tolist()
    try:
        repeated = len(set(columns)) < len(columns)
    except TypeError as error:
        message = f"`labels` must hold hashable labels: {error}."
        raise TypeError(message) from error
    if repeated:
        message = f"`labels` repeats {next(label for label in columns if columns.count(label) > 1)!r}."
        raise ValueError(message)
    return columns


def _plain_labels(labels: NDArray[Any], name: str) -> NDArray[Any]:
    labels = np.asarray(labels)
    if labels.ndim != 1:
        message = f"`{name}` must hold class labels (n_samples,), got shape {labels.shape}."
        raise ValueError(message)
    return labels


def _unique_codes(values: NDArray[Any], name: str) -> tuple[list[Any], NDArray[np.intp]]:
    """The sorted distinct values, missing ones last, and the place of each value among them."""
    if values.dtype.kind in "iu" and values.size and int(values.max()) - int(values.min()) < 4 * values.size:
        # Small integers need no sort.
        low = values.min()
        offset = (values - low).astype(np.intp) if values.dtype.kind == "u" else values.astype(np.intp) - int(low)
        occurs = np.bincount(offset) > 0
        return [place + int(low) for place in np.flatnonzero(occurs).tolist()], (np.cumsum(occurs) - 1)[offset]
    if values.dtype.kind != "O":
        found, codes = np.unique(values, return_inverse=True)
        return found.tolist(), codes
    place: dict[Any, int] = {}
    try:
        codes = np.array(
            [place.setdefault(None if is_missing(value) else value, len(place)) for value in values.tolist()], np.intp
        )
    except TypeError as error:
        message = f"`{name}` must hold hashable labels: {error}."
        raise TypeError(message) from error
    known = [value for value in place if value is not None]
    try:
        known.sort()
    except TypeError as error:
        kinds = sorted({name_of(value) for value in known})
        message = f"`{name}` mixes labels of types {kinds}, which have no common order; pass labels of one type."
        raise TypeError(message) from error
    order = known + [None] * (None in place)
    new_place = np.empty(len(order), np.intp)
    new_place[[place[value] for value in order]] = np.arange(len(order))
    return order, new_place[codes]


def group_codes(groups: Any, n_rows: int) -> tuple[NDArray[np.intp], int]:
    """Ids → (codes in order of first appearance, number of groups)."""
    ids = ids_in_array(groups, "groups")
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
        return _object_codes(ids.tolist())
    if ids.dtype.kind in "fcmM":
        _refuse_missing_ids(np.flatnonzero(ids != ids).tolist())  # noqa: PLR0124
    # Ids mostly stand in runs: what is looked up is one id per run, not one per row.
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    if ids.dtype.kind in "US" and len(starts) > n_rows // 4:
        return _object_codes(ids.tolist())  # a dictionary is faster than a sort of text
    _, first, run_codes = np.unique(ids[starts], return_index=True, return_inverse=True)
    if len(first) < len(starts) or np.any(first[1:] < first[:-1]):
        rank = np.empty(len(first), np.intp)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first))
        run_codes = rank[run_codes]
    return np.repeat(run_codes, np.diff(np.append(starts, n_rows))), len(first)


def _object_codes(ids: list[Any]) -> tuple[NDArray[np.intp], int]:
    try:
        place = {value: code for code, value in enumerate(dict.fromkeys(ids))}  # both passes run in C
        codes = np.fromiter(map(place.__getitem__, ids), np.intp, len(ids))
    except TypeError as error:
        message = f"`groups` must hold hashable ids: {error}."
        raise TypeError(message) from error
    missing = {code for value, code in place.items() if type(value) not in (str, int) and is_missing(value)}
    _refuse_missing_ids([row for row, code in enumerate(codes.tolist()) if code in missing] if missing else [])
    return codes, len(place)


def rows_by_group(codes: NDArray[np.intp], n_groups: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n_rows,) the rows group by group, in their order, and (n_groups + 1,) where each group starts."""
    n = len(codes)
    by_group = sparse.csr_array((np.arange(n), codes, np.arange(n + 1)), shape=(n, n_groups)).tocsc()  # a counting sort
    return by_group.data, by_group.indptr


def group_means(codes: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n_groups,) means of the values of each group, whose codes are from 0 on without a gap."""
    return np.asarray(np.bincount(codes, values) / np.bincount(codes))


def _refuse_missing_ids(rows: list[int]) -> None:
    if rows:
        shown = ", ".join(str(row) for row in rows[:5]) + (", ..." if len(rows) > 5 else "")
        message = f"`groups` contains missing ids (None or NaN) in {len(rows)} rows: {shown}."
        raise ValueError(message)
