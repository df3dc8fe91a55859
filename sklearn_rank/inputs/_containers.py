"""Arrays of any container, and rows and columns of tables."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import RAGGED_HINT, SCORER_HINT, attribute, name_of, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def is_frame(x: Any) -> bool:
    """Whether x is a DataFrame (pandas, polars): a table with named columns."""
    return attribute(x, "columns") is not None and attribute(x, "to_numpy") is not None


def column_names(x: Any) -> list[Any] | None:
    """The names of a frame's columns; none if it just counts them."""
    if not is_frame(x) or type(x.columns).__name__ == "RangeIndex":
        return None
    return list(x.columns)


def is_dask(x: Any) -> bool:
    """Whether x is a dask array; without importing dask."""
    return type(x).__module__.startswith("dask.") and hasattr(x, "chunks")


def shape_of(x: Any) -> str:
    return f"{name_of(x)} of shape {x.shape}" if attribute(x, "shape") is not None else name_of(x)


def to_numpy(x: Any, name: str) -> NDArray[Any]:
    """Any dense container as an array, without a copy where it allows that."""
    if isinstance(x, np.ma.MaskedArray):
        return x
    if isinstance(x, np.ndarray):
        return np.asarray(x)
    if sparse.issparse(x):
        message = f"`{name}` must be dense here, got a {name_of(x)}."
        raise TypeError(message)
    if isinstance(x, (str, bytes)) or x is None or np.isscalar(x) or isinstance(x, (dict, set, frozenset)):
        message = f"`{name}` must be an array or a list of rows, got {x!r} ({name_of(x)})."
        raise TypeError(message)
    if attribute(x, "column_names") is not None:
        message = f"`{name}` is a {name_of(x)}, whose columns could not be matched by name: pass .to_pandas()."
        raise TypeError(message)
    if isinstance(x, (list, tuple)):
        return _from_nested(x, name)
    try:
        return _converted(x)
    except Exception as error:
        hint = "An array on another device has to be moved to the CPU first (and detached from a graph)."
        if "bfloat16" in str(attribute(x, "dtype")):
            hint = "NumPy has no bfloat16: pass .float()."
        message = f"`{name}` ({name_of(x)}) does not convert to a numpy array: {error}. {hint}"
        raise TypeError(message) from error


def _converted(x: Any) -> NDArray[Any]:
    if hasattr(x, "dictionary_decode"):  # pyarrow's categories
        x = x.dictionary_decode()
    if is_frame(x):
        return _from_frame(x)
    if hasattr(x, "to_numpy") and not type(x).__module__.startswith("pyarrow"):
        return np.asarray(x.to_numpy())
    if hasattr(x, "__array__") or not hasattr(x, "__dlpack__"):
        return np.asarray(x)
    return np.from_dlpack(x)


def _from_frame(x: Any) -> NDArray[Any]:
    """The values of a frame; integers that floats of other columns would round stay Python integers."""
    whole = np.asarray(x.to_numpy())
    if whole.dtype.kind != "f" or len({str(dtype) for dtype in x.dtypes}) < 2:
        return whole
    columns = [x.iloc[:, place] if hasattr(x, "iloc") else x[:, place] for place in range(whole.shape[1])]
    values = [np.asarray(column.to_numpy()) for column in columns]
    rounded = [
        column.dtype.kind in "iuO" and bool(np.any(np.abs(whole[:, place]) >= 2**53))
        for place, column in enumerate(values)
    ]
    if not any(rounded):
        return whole
    return np.array([column.tolist() for column in values], dtype=object).T


def _from_nested(x: Sequence[Any], name: str) -> NDArray[Any]:
    if any(attribute(part, "ndim") == 2 for part in x):
        message = (
            f"`{name}` is a list of 2-D arrays, one per label, as predict_proba of a multi-output "
            f"classifier returns it; a matrix (n_samples, n_items) is needed. {SCORER_HINT}"
        )
        raise ValueError(message)
    unordered = next((part for part in x if isinstance(part, (set, frozenset, dict))), None)
    if unordered is not None:
        message = (
            f"`{name}` is a list that holds a {name_of(unordered)}: {unordered!r}. A matrix has a column per item "
            "(scikit-learn's MultiLabelBinarizer makes one of sets of labels); from_lists takes lists of ids."
        )
        raise TypeError(message)
    if any(isinstance(part, np.ma.MaskedArray) for part in x):
        return np.ma.stack([np.ma.asarray(part) for part in x]) if _is_rectangle(x, name) else np.ma.asarray(x)
    _is_rectangle(x, name)
    if any("bfloat16" in str(attribute(part, "dtype")) for part in x):
        message = f"`{name}` is a list of bfloat16 tensors, which NumPy does not know: pass .float() of each."
        raise TypeError(message)
    try:
        return _from_values(x)
    except Exception as error:
        message = f"`{name}` does not convert to a numpy array: {error}."
        raise TypeError(message) from error


def _is_rectangle(x: Sequence[Any], name: str) -> bool:
    """Whether a list holds rows of one length, not values; a mixture is an error."""
    lengths = {_length(row) for row in x}
    if len(lengths) > 1:
        found = " and ".join("a single value" if n is None else str(n) for n in sorted(lengths, key=str)[:2])
        message = f"The rows of `{name}` differ in length ({found}): {RAGGED_HINT}."
        raise ValueError(message)
    return lengths != {None}


def _length(row: Any) -> int | None:
    if isinstance(row, (str, bytes)) or attribute(row, "ndim") == 0:
        return None
    try:
        return len(row)
    except Exception:  # noqa: BLE001  what does not tell its length is a value
        return None


def _from_values(x: Sequence[Any]) -> NDArray[Any]:
    """A list as numpy takes it, or of Python objects where numpy would change a value."""
    try:
        out = np.asarray(x)
    except (ValueError, OverflowError, TypeError):
        return np.asarray(x, dtype=object)
    sizes = np.abs(out, where=np.isfinite(out), out=np.zeros_like(out)) if out.dtype.kind == "f" else out[:0]
    if out.dtype.kind == "f" and float(sizes.max(initial=0)) >= 2**53:  # which float16 does not know
        return np.asarray(x, dtype=object)  # integers among them may not survive as floats
    if out.ndim == 1 and out.dtype.kind in "US" and not _is_plain_text(x):
        return np.asarray(x, dtype=object)
    return out


def _is_plain_text(x: Sequence[Any]) -> bool:
    """Whether numpy keeps the values apart: it turns 1, nan and b"a" beside text into text, and cuts final nulls."""
    kinds = set(map(type, x))
    null: Any = "\0" if kinds == {str} else b"\0"
    return kinds in ({str}, {bytes}) and not any(value.endswith(null) for value in x)


def ids_in_array(x: Any, name: str) -> NDArray[Any]:
    """Ids as a 1-D array that keeps each apart from the others as Python does; tuples are ids, too."""
    if isinstance(x, (list, tuple)) and any(isinstance(value, tuple) for value in x):
        out = np.empty(len(x), object)
        out[:] = [value.item() if isinstance(value, np.generic) else value for value in x]
        return out
    return to_numpy(x, name)


def numeric(x: NDArray[Any], name: str) -> NDArray[Any]:
    """The array with a bool, integer or real dtype; integers stay integers."""
    if x.dtype.kind == "O":
        x = _from_objects(x, name)
    if x.dtype.kind in "biuf":
        return x
    found = repr(x.ravel()[0].item()) if x.size and x.dtype.kind in "SU" else f"dtype {x.dtype}"
    message = f"`{name}` must be numeric, got {found}."
    raise ValueError(message)


def _from_objects(x: NDArray[Any], name: str) -> NDArray[Any]:
    # Missing values of frames (None, pandas.NA) become NaN, which is refused where it matters.
    values = [value if isinstance(value, (Real, np.bool_)) else _number_in(value, name) for value in x.ravel().tolist()]
    try:
        out = np.asarray(values) if values else np.empty(0)
        if out.dtype.kind == "f" and all(isinstance(value, Integral) and 0 <= int(value) < 2**64 for value in values):
            return np.asarray(values, dtype=np.uint64).reshape(x.shape)
        if out.dtype.kind not in "biuf":
            out = np.asarray(values, dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        message = f"`{name}` holds a value that is no number within the range of floats: {error}."
        raise ValueError(message) from error
    if out.dtype.kind == "f" and any(isinstance(value, Integral) and abs(int(value)) > 2**53 for value in values):
        message = f"`{name}` mixes fractions with integers above 2**53, which no float type holds exactly."
        raise ValueError(message)
    return out.reshape(x.shape)


def _number_in(value: Any, name: str) -> Any:
    """A number that stands in an array without a dimension; NaN for a missing value."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biuf":
        return value.item()
    if value is None or (not isinstance(value, (str, bytes)) and is_missing(value)):
        return np.nan
    kind = "" if isinstance(value, (str, bytes)) else f" ({name_of(value)})"
    message = f"`{name}` must be numeric and holds {value!r}{kind}."
    raise ValueError(message)


def is_missing(value: Any) -> bool:
    """Whether a value stands for a missing one: None, NaN, NaT, pandas.NA."""
    if value is None:
        return True
    try:
        return not bool(value == value)  # noqa: PLR0124  NaN and NaT differ from themselves
    except TypeError:  # pandas.NA has no truth value
        return True
    except Exception:  # noqa: BLE001  an array has several; an object that fails to compare is there
        return False


def unmasked(x: NDArray[Any], name: str) -> NDArray[Any]:
    """A masked array of scores with -inf where it is masked: never retrieved."""
    if not isinstance(x, np.ma.MaskedArray):
        return x
    if not np.ma.is_masked(x):
        return numeric(x.data, name)
    if name == "y_true":
        message = "`y_true` must not be masked: mask the scores of items that were not retrieved."
        raise ValueError(message)
    data = numeric(x.data, name)
    if data.dtype.kind != "f":
        shown = data[~np.ma.getmaskarray(x)]
        if shown.size and max(abs(int(shown.max())), abs(int(shown.min()))) > 2**53:
            message = f"`{name}` holds masked integers above 2**53, which floats do not keep apart; use ranks instead."
            raise ValueError(message)
        data = data.astype(np.float64)
    return np.where(np.ma.getmaskarray(x), data.dtype.type(-np.inf), data)


def array(x: Any, name: str) -> NDArray[Any]:
    return unmasked(to_numpy(x, name), name)


# ---- tables of features


def rows_of(table: Any, rows: slice | NDArray[np.intp]) -> Any:
    """Rows of an array, a frame, a sparse matrix or a list."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    if isinstance(table, (list, tuple)) and not isinstance(rows, slice):
        return [table[row] for row in rows]
    return table.tocsr()[rows] if hasattr(table, "tocsr") else table[rows]


def check_column(column: Any) -> None:
    """`groups` as the name or the position of a column of X."""
    if isinstance(column, bool) or not isinstance(column, (str, int, np.integer)):
        message = (
            f"`groups` names a column of X, by name (str) or position (int), got {shown(column)}; ids "
            "themselves are not given here."
        )
        raise TypeError(message)


def column_of(X: Any, column: Any) -> NDArray[Any]:
    """A column of X by position, or of a frame by name."""
    check_column(column)
    if not hasattr(X, "shape") and not isinstance(X, (list, tuple)):
        message = f"`groups`={column!r} is a column of X, but X is a {name_of(X)}; pass a table of two dimensions."
        raise TypeError(message)
    if not isinstance(column, str):
        _check_position(X, column)
        if is_frame(X):
            return to_numpy(X.iloc[:, column] if hasattr(X, "iloc") else X[X.columns[column]], "groups")
        if hasattr(X, "tocsr"):
            return np.asarray(X.tocsc()[:, [column]].toarray()).ravel()
        return np.asarray(X[:, column] if hasattr(X, "shape") else [row[column] for row in X])
    if not is_frame(X):
        message = (
            f"`groups`={column!r} is the name of a column, but X is a {name_of(X)} without names; give its position."
        )
        raise ValueError(message)
    names = list(X.columns)
    if names.count(column) != 1:
        many = f"{names.count(column)} columns" if column in names else "no column"
        message = f"`groups`={column!r} is {many} of X; it has {', '.join(map(repr, names))}."
        raise ValueError(message)
    return to_numpy(X[column], "groups")


def _check_position(X: Any, column: int) -> None:
    shape = X.shape if hasattr(X, "shape") else np.shape(X[:1])
    if len(shape) != 2:
        message = f"`groups`={column} is a column of X, but X has shape {shape}; pass a table of two dimensions."
        raise ValueError(message)
    if not -shape[1] <= column < shape[1]:
        message = f"`groups`={column} is no column of X, which has {shape[1]}."
        raise ValueError(message)


def without_column(X: Any, column: Any) -> Any:
    """X without a column that `column_of` finds."""
    if is_frame(X):
        names = list(X.columns)
        at = column % len(names) if isinstance(column, (int, np.integer)) else names.index(column)
        others = [place for place in range(len(names)) if place != at]
        return X.iloc[:, others] if hasattr(X, "iloc") else X[:, others]
    if isinstance(column, str):
        column_of(X, column)  # which says that X has no names
    keep = np.delete(np.arange(X.shape[1]), column)
    return X.tocsc()[:, keep].tocsr() if hasattr(X, "tocsc") else X[:, keep]
