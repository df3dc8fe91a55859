"""Columns of ids of any table → codes that are equal where the values are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import compress, count
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import name_of
from sklearn_rank.inputs._containers import is_missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIMPLE = {str, int, bytes, bool, datetime, timedelta}  # none of their values stands for a missing id


@dataclass(frozen=True)
class Ids:
    """The ids of a column: integers as they are (`values` None), or the place of each among distinct `values`."""

    codes: NDArray[Any]  # (n,)
    values: list[Any] | None = None

    @property
    def types(self) -> set[type]:
        """Types of the ids as Python values."""
        if self.values is None:
            return {int} if len(self.codes) else set()
        return set(map(type, self.values))


def ids_of(column: Any, where: str) -> Ids:
    """The ids of a column of pandas, polars or pyarrow, of an array or a list; `where` names it in errors."""
    library = type(column).__module__.split(".")[0]
    readers = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_pyarrow, "numpy": _of_array}
    if library in readers:
        return readers[library](column, where)
    if hasattr(column, "__array__"):
        return _of_array(np.asarray(column), where)
    return _of_objects(list(column), where)


def missing_at(column: Any) -> NDArray[np.intp]:
    """The rows in which a column has no value, as far as the container says so itself; NaN is a value of floats."""
    library = type(column).__module__.split(".")[0]
    if library == "pandas":
        return np.flatnonzero(column.isna())
    if library in ("polars", "pyarrow"):
        n_missing = column.null_count() if library == "polars" else column.null_count
        return np.flatnonzero(column.is_null()) if n_missing else np.empty(0, np.intp)
    return np.flatnonzero(np.ma.getmaskarray(column)) if np.ma.is_masked(column) else np.empty(0, np.intp)


# ---- one column


def _refuse_missing(where: str, row: int) -> None:
    message = f"{where} has a missing id in row {row}: each row needs its ids."
    raise ValueError(message)


def _of_array(array: NDArray[Any], where: str) -> Ids:
    if array.ndim != 1:
        message = f"{where} must be 1-D, got shape {array.shape}."
        raise ValueError(message)
    if np.ma.is_masked(array):
        _refuse_missing(where, int(np.ma.getmaskarray(array).argmax()))
    array = np.asarray(array)
    if array.dtype.kind in "biu":
        return Ids(array.view(np.uint8) if array.dtype.kind == "b" else array)
    if array.dtype.kind in "fmM":
        strange = array != array  # noqa: PLR0124  NaN and NaT
        if strange.any():
            _refuse_missing(where, int(strange.argmax()))
        if array.dtype.kind == "f":
            return _of_floats(array)
        distinct, codes = np.unique(array, return_inverse=True)
        return Ids(codes, _times(distinct))
    return _of_objects(array.tolist(), where)


def _of_floats(array: NDArray[np.floating[Any]]) -> Ids:
    """Whole numbers as integers: 1.0 and 1 are one id."""
    if array.dtype.itemsize > 8:
        return _of_objects(array.tolist(), "")
    array = array.astype(np.float64)  # which holds 2**63
    if np.all((np.trunc(array) == array) & (np.abs(array) < 2.0**63)):
        return Ids(array.astype(np.int64))
    distinct, codes = np.unique(array, return_inverse=True)
    return Ids(codes, distinct.tolist())


def _times(distinct: NDArray[Any]) -> list[Any]:
    """Times of any unit as Python's; those that it cannot hold stay NumPy's."""
    rounded = distinct.astype(f"{distinct.dtype.kind}8[us]")
    return [
        plain if exact and isinstance(plain, (datetime, timedelta)) else time
        for plain, exact, time in zip(rounded.tolist(), (rounded == distinct).tolist(), distinct, strict=True)
    ]


def _of_objects(values: list[Any], where: str) -> Ids:
    """Python values, equal as Python has it."""
    types = set(map(type, values))
    if types <= {int, bool} or types == {float}:
        array = np.array(values, None if types else np.int64)
        if array.dtype.kind in "biu" or types == {float}:
            return _of_array(array, where)
    place: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(place.__getitem__, values), np.int32 if len(values) < 2**31 else np.int64, len(values))
    except TypeError:
        row = next(row for row, value in enumerate(values) if not _is_hashable(value))
        message = f"{where} must hold hashable ids, and row {row} has {values[row]!r} ({name_of(values[row])})."
        raise TypeError(message) from None
    distinct = list(place)
    if not types <= SIMPLE:
        for code, value in enumerate(distinct):
            if is_missing(value):
                _refuse_missing(where, int((codes == code).argmax()))
            if type(value) is date:
                distinct[code] = datetime(value.year, value.month, value.day)
    return Ids(codes, distinct)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _of_pandas(column: Any, where: str) -> Ids:
    dtype = column.dtype
    if hasattr(dtype, "categories"):
        codes = np.asarray(column.cat.codes if hasattr(column, "cat") else column.codes)
        if len(codes) and codes.min() < 0:
            _refuse_missing(where, int((codes < 0).argmax()))
        return _taken(dtype.categories, codes, where)
    if dtype == object:
        return _of_objects(column.tolist(), where)
    missing = missing_at(column)
    if len(missing):
        _refuse_missing(where, int(missing[0]))
    plain = getattr(dtype, "numpy_dtype", dtype)
    if getattr(plain, "kind", "O") in "biufmM" and isinstance(plain, np.dtype):
        return _of_array(column.to_numpy(dtype=plain), where)
    if hasattr(dtype, "pyarrow_dtype") or str(getattr(dtype, "storage", "")).startswith("pyarrow"):
        return _of_pyarrow(getattr(column, "array", column).__arrow_array__(), where)
    if hasattr(dtype, "storage") and _factorizes_text():
        codes, distinct = column.factorize()
        return Ids(codes, distinct.tolist())
    return _of_objects(column.tolist(), where)


def _factorizes_text() -> bool:
    """Whether pandas looks at whole strings: before version 3 it stops at a null character."""
    import pandas as pd

    return int(pd.__version__.split(".")[0]) >= 3


def _of_polars(column: Any, where: str) -> Ids:
    import polars as pl

    if column.null_count():
        _refuse_missing(where, int(missing_at(column)[0]))
    dtype = column.dtype
    if dtype in (pl.Categorical, pl.Enum):
        distinct = column.unique()
        place = np.zeros(1 + (distinct.to_physical().max() or 0), np.intp)
        place[distinct.to_physical().to_numpy()] = np.arange(len(distinct))
        return Ids(place[column.to_physical().to_numpy()], distinct.cast(pl.String).to_list())
    if dtype == pl.String:
        distinct = column.unique()
        return Ids(column.cast(pl.Enum(distinct)).to_physical().to_numpy(), distinct.to_list())
    integer = dtype.is_integer() and not str(dtype).endswith("128")  # which NumPy does not have
    if integer or dtype.is_float() or dtype == pl.Boolean or _is_naive(dtype):
        return _of_array(column.to_numpy(), where)
    return _of_objects(column.to_list(), where)


def _is_naive(dtype: Any) -> bool:
    """Whether a type of polars is a time without a time zone, a day or a span."""
    return bool(dtype.is_temporal() and str(dtype) != "Time" and getattr(dtype, "time_zone", None) is None)


def _of_pyarrow(column: Any, where: str) -> Ids:
    import pyarrow as pa

    if column.null_count:
        _refuse_missing(where, int(np.asarray(column.is_null()).argmax()))
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _of_dictionary(column, where)
    if _is_array(kind):
        return _of_array(np.asarray(column), where)
    try:
        chunks = _chunks(column.dictionary_encode())
    except NotImplementedError:  # what pyarrow cannot encode: nested types, views
        return _of_objects(column.to_pylist(), where)
    return Ids(_indices(chunks), chunks[0].dictionary.to_pylist() if chunks else [])


def _is_array(kind: Any) -> bool:
    """Whether NumPy has a type for the values of a type of pyarrow."""
    from pyarrow import types

    known = (types.is_integer, types.is_floating, types.is_boolean, types.is_date)
    return any(test(kind) for test in known) or (types.is_timestamp(kind) and kind.tz is None)


def _of_dictionary(column: Any, where: str) -> Ids:
    chunks = _chunks(column)
    categories: Any = chunks[0].dictionary if chunks else []
    if chunks and not _is_array(categories.type):
        categories = categories.to_pylist()
    return _taken(categories, _indices(chunks), where)


def _chunks(column: Any) -> list[Any]:
    """The parts of a column of a dictionary type, which share one dictionary then."""
    return list(column.unify_dictionaries().chunks) if hasattr(column, "chunks") else [column]


def _indices(chunks: list[Any]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, np.int32), *(np.asarray(chunk.indices) for chunk in chunks)])


def _taken(categories: Any, codes: NDArray[Any], where: str) -> Ids:
    """Ids that are places in `categories`; those that are not used do not matter."""
    used = np.bincount(codes, minlength=len(categories)) > 0
    codes = (np.cumsum(used) - 1)[codes]
    if isinstance(categories, list):
        ids = _of_objects(list(compress(categories, used)), where)
    else:
        ids = ids_of(categories[used] if hasattr(categories, "isna") else categories.filter(used), where)
    return Ids(ids.codes[codes], ids.values)


# ---- two columns


def common_codes(left: Ids, right: Ids, *, ordered: bool) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Codes of both sides, equal where the ids are, and a bound of the codes.

    With `ordered` the codes of the right side grow with its ids, which may be a TypeError.
    """
    if left.values is None and right.values is None:
        found = _common_integers(left.codes, right.codes)
        if found is not None:
            return found
    left, right = _listed(left), _listed(right)
    known = list(dict.fromkeys(right.values or ()))
    if ordered:
        known = sorted(known)
    place: defaultdict[Any, int] = defaultdict(count(len(known)).__next__, zip(known, range(len(known)), strict=True))
    codes = [
        np.fromiter(map(place.__getitem__, ids.values or ()), np.int32, len(ids.values or ()))[ids.codes]
        for ids in (left, right)
    ]
    return codes[0], codes[1], len(place)


def _listed(ids: Ids) -> Ids:
    """Integers as Python's, too."""
    if ids.values is not None:
        return ids
    distinct, codes = np.unique(ids.codes, return_inverse=True)
    return Ids(codes, distinct.tolist())


def _common_integers(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], int] | None:
    """Codes in the order of the integers; None where no integer type holds both sides."""
    filled = [side for side in (left, right) if len(side)]
    low = min((int(side.min()) for side in filled), default=0)
    high = max((int(side.max()) for side in filled), default=0)
    n_codes = high - low + 1
    if n_codes <= max(4 * (len(left) + len(right)), 2**16):
        return _above(left, low, n_codes), _above(right, low, n_codes), n_codes
    if high >= 2**64 or (low < 0 and high >= 2**63):
        return None
    dtype = np.uint64 if high >= 2**63 else np.int64
    distinct, codes = np.unique(np.concatenate((left.astype(dtype), right.astype(dtype))), return_inverse=True)
    return codes[: len(left)], codes[len(left) :], len(distinct)


def _above(side: NDArray[Any], low: int, n_codes: int) -> NDArray[Any]:
    """The difference side - low, which is below `n_codes`."""
    dtype = np.int32 if n_codes < 2**31 else np.int64
    if side.dtype.kind == "u" and low >= 0:
        return np.asarray(side - side.dtype.type(low)).astype(dtype)
    if -(2**31) <= low <= low + n_codes <= 2**31:
        return np.asarray(side.astype(np.int32) - np.int32(low))
    return (side.astype(np.int64) - low).astype(dtype)


def sorted_cells(
    rows: NDArray[Any], columns: NDArray[Any], n_rows: int, n_columns: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(n,) the cells row by row, in a row by column, and (n_rows + 1,) where each row starts.

    Two counting sorts, by column and then by row: a matrix with one entry per row, turned on its side, has its
    entries in the order of their columns.
    """
    n = len(rows)
    every = np.arange(n + 1, dtype=np.int32 if n < 2**31 else np.int64)
    by_column = sparse.csr_array((rows, columns, every), shape=(n, n_columns)).tocsc()
    by_row = sparse.csr_array((by_column.indices, by_column.data, every), shape=(n, n_rows)).tocsc()
    return by_row.data, by_row.indptr
