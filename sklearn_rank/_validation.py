"""Whatever users pass → arrays that the ranking can trust, or an error that says what would do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

RAGGED_HINT = (
    "for rankings of different length use 1-D `y_true` and `y_scores` with `groups=`, "
    "or `from_lists` / `from_qrels` for lists of ids"
)
SCORER_HINT = (
    "As a scorer, use make_rank_scorer or a ready one (map_at_k_scorer, ...): they see the "
    "estimator and put its columns in order, which make_scorer cannot."
)


@dataclass(frozen=True)
class Grades:
    """What is stored of y_true, row by row as in CSR.

    `columns` are positions in the row of scores; -1 stands for an item that was never retrieved.
    """

    indptr: NDArray[Any]  # (n_rows + 1,)
    columns: NDArray[Any]  # (n_stored,)
    values: NDArray[Any]  # (n_stored,)


@dataclass(frozen=True)
class Problem:
    """Scores and grades that belong together, checked, in one of two shapes.

    Dense: `scores` is (n_rows, n_items) and `indptr` None. Ragged: `scores` is flat and row i owns
    scores[indptr[i]:indptr[i + 1]].
    """

    scores: NDArray[Any]
    grades: NDArray[Any] | Grades  # an array has the shape of dense scores
    indptr: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None  # (n_rows,)
    complete: bool = False  # whether the grades hold every cell, zeros too

    @property
    def n_rows(self) -> int:
        """Number of rankings."""
        return len(self.scores) if self.indptr is None else len(self.indptr) - 1

    @property
    def highest_grade(self) -> float:
        """The highest grade of all rows; 0 if there is none above. NaN is not looked for here."""
        values = self.grades.values if isinstance(self.grades, Grades) else self.grades
        return float(np.fmax.reduce(values, axis=None, initial=0))


# ---- options


def check_k(k: Any) -> int | None:
    """`k` as a Python integer of at least 1, or None."""
    if k is None:
        return None
    if isinstance(k, (int, np.integer)) and not isinstance(k, bool):
        if k >= 1:
            return min(int(k), 10**300)  # a float holds it
        message = f"`k` must be an integer of at least 1 or None, got {k}."
        raise ValueError(message)
    several = isinstance(k, (list, tuple, np.ndarray))
    hint = "; for several cutoffs in one go use evaluate or rank_scorers" if several else ""
    message = f"`k` must be an integer of at least 1 or None, got {k!r} ({type(k).__name__}){hint}."
    raise TypeError(message)


def check_count(name: str, value: Any) -> int:
    """`value` as a Python integer of at least 1."""
    try:
        return check_k(value) or check_k(0) or 0  # None is no count
    except (TypeError, ValueError) as error:
        message = f"`{name}` must be an integer of at least 1, got {value!r}."
        raise type(error)(message) from None


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """`value` if it is one of the choices."""
    if isinstance(value, str) and value in choices:
        return value
    expected = ", ".join(repr(choice) for choice in choices)
    message = f"`{name}` must be one of {expected}, got {value!r}."
    raise ValueError(message)


def check_average(average: Any, metric: str) -> None:
    """`average` is "samples" or None."""
    if average is None or (isinstance(average, str) and average == "samples"):
        return
    hint = f"; {metric}(Y.T, S.T) ranks the samples of each label" if average == "macro" else ""
    message = f"`average` must be 'samples' or None, got {average!r}{hint}."
    raise ValueError(message)


def check_number(name: str, value: Any, expected: str, *, low: float = -np.inf, high: float = np.inf) -> float:
    """`value` as a float strictly between the limits; nan where the text of `expected` says so."""
    if not isinstance(value, Real):
        message = f"`{name}` must be {expected}, got {value!r} ({type(value).__name__})."
        raise TypeError(message)
    number = float(value)
    if low < number < high or (np.isnan(number) and "nan" in expected):
        return number
    message = f"`{name}` must be {expected}, got {value!r}."
    raise ValueError(message)


# ---- containers → arrays


def is_frame(x: Any) -> bool:
    """Whether x is a DataFrame (pandas, polars): a table with named columns."""
    return hasattr(x, "columns") and hasattr(x, "to_numpy")


def is_dask(x: Any) -> bool:
    """Whether x is a dask array; without importing dask."""
    return type(x).__module__.startswith("dask.") and hasattr(x, "chunks")


def _shape_of(x: Any) -> str:
    return f"{name_of(x)} of shape {x.shape}" if hasattr(x, "shape") else name_of(x)


def name_of(x: Any) -> str:
    """The type of x in a message."""
    return type(x).__name__


def to_numpy(x: Any, name: str) -> NDArray[Any]:
    """Any dense container as an array, without a copy where it allows that."""
    if isinstance(x, np.ma.MaskedArray):
        return x
    if isinstance(x, np.ndarray):
        return np.asarray(x)
    if isinstance(x, (str, bytes)) or x is None or np.isscalar(x) or isinstance(x, (dict, set, frozenset)):
        message = f"`{name}` must be an array or a list of rows, got {x!r} ({name_of(x)})."
        raise TypeError(message)
    if hasattr(x, "column_names"):
        message = f"`{name}` is a {name_of(x)}, whose columns could not be matched by name: pass .to_pandas()."
        raise TypeError(message)
    if hasattr(x, "to_numpy"):
        return np.asarray(x.to_numpy())
    if isinstance(x, (list, tuple)):
        return _from_nested(x, name)
    try:
        return np.asarray(x) if hasattr(x, "__array__") or not hasattr(x, "__dlpack__") else np.from_dlpack(x)
    except Exception as error:
        message = (
            f"`{name}` ({name_of(x)}) does not convert to a numpy array: {error}. An array on another "
            "device has to be moved to the CPU first (and detached from a graph)."
        )
        raise TypeError(message) from error


def _from_nested(x: Sequence[Any], name: str) -> NDArray[Any]:
    if any(getattr(part, "ndim", 0) == 2 for part in x):
        message = (
            f"`{name}` is a list of 2-D arrays, one per label, as predict_proba of a multi-output "
            f"classifier returns it; a matrix (n_samples, n_items) is needed. {SCORER_HINT}"
        )
        raise ValueError(message)
    if any(isinstance(part, np.ma.MaskedArray) for part in x):
        return np.ma.stack(x)
    lengths = {len(row) if hasattr(row, "__len__") and not isinstance(row, (str, bytes)) else None for row in x}
    if len(lengths) > 1:
        found = " and ".join("a single value" if n is None else str(n) for n in sorted(lengths, key=str)[:2])
        message = f"The rows of `{name}` differ in length ({found}): {RAGGED_HINT}."
        raise ValueError(message)
    try:
        out = np.asarray(x)
    except (ValueError, OverflowError):
        return np.asarray(x, dtype=object)
    if out.dtype.kind == "f" and out.size and not np.abs(out).max() < 2**53:
        return np.asarray(x, dtype=object)  # integers among them may not survive as floats
    if out.ndim == 1 and out.dtype.kind in "US" and not all(isinstance(value, (str, bytes)) for value in x):
        return np.asarray(x, dtype=object)  # numpy would turn 1 and nan beside text into text
    return out


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
    flat = x.ravel().tolist()
    for value in flat:
        if isinstance(value, (str, bytes)):
            message = f"`{name}` must be numeric and holds {value!r}."
            raise ValueError(message)  # noqa: TRY004  a wrong value in an array of the right kind
    # Missing values of frames (None, pandas.NA) become NaN, which is refused where it matters.
    values = [value if isinstance(value, (Real, np.bool_)) else _missing_or_fail(value, name) for value in flat]
    out = np.asarray(values) if values else np.empty(0)
    if out.dtype.kind == "f" and all(isinstance(value, Integral) and 0 <= int(value) < 2**64 for value in values):
        return np.asarray(values, dtype=np.uint64).reshape(x.shape)
    if out.dtype.kind not in "biuf":
        out = np.asarray(values, dtype=np.float64)
    if out.dtype.kind == "f" and any(isinstance(value, Integral) and abs(int(value)) > 2**53 for value in flat):
        message = f"`{name}` mixes fractions with integers above 2**53, which no float type holds exactly."
        raise ValueError(message)
    return out.reshape(x.shape)


def _missing_or_fail(value: Any, name: str) -> float:
    if value is None or is_missing(value):
        return np.nan
    message = f"`{name}` must be numeric and holds {value!r} ({name_of(value)})."
    raise ValueError(message)


def is_missing(value: Any) -> bool:
    """Whether a value stands for a missing one: None, NaN, NaT, pandas.NA."""
    if value is None:
        return True
    try:
        return not bool(value == value)  # noqa: PLR0124  NaN and NaT differ from themselves
    except TypeError:  # pandas.NA has no truth value
        return True
    except ValueError:  # an array has several
        return False


def _unmasked(x: NDArray[Any], name: str) -> NDArray[Any]:
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


def _array(x: Any, name: str) -> NDArray[Any]:
    return _unmasked(to_numpy(x, name), name)


def _shape_error(y_true: Any, y_scores: Any) -> ValueError:
    message = (
        f"`y_true` and `y_scores` do not match: {_shape_of(y_true)} and {_shape_of(y_scores)}. Wanted are two "
        "matrices of one shape (n_samples, n_items), class labels (n_samples,) beside scores "
        f"(n_samples, n_classes), or two vectors of one length. {SCORER_HINT}"
    )
    return ValueError(message)


# ---- inputs


def check_problem(
    y_true: Any,
    y_scores: Any,
    *,
    labels: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> Problem:
    """All that users pass as data → Problem."""
    if is_frame(y_true) and is_frame(y_scores):
        y_scores = _align_columns(y_true, y_scores)
    if sparse.issparse(y_scores):
        problem = _sparse_problem(y_true, y_scores, labels, groups)
    else:
        names = list(y_scores.columns) if is_frame(y_scores) else None
        scores = numeric(_array(y_scores, "y_scores"), "y_scores")
        if sparse.issparse(y_true):
            truth, n_dims = y_true, len(y_true.shape)
        else:
            truth = to_numpy(y_true, "y_true")
            n_dims = truth.ndim
        if (n_dims, scores.ndim) == (1, 2) and not sparse.issparse(y_true):
            problem = _label_problem(truth, scores, labels, groups, names)
        elif (n_dims, scores.ndim) == (1, 1) and not sparse.issparse(y_true):
            return _vector_problem(truth, scores, labels, groups, sample_weight)
        elif n_dims == scores.ndim == 2:
            problem = _matrix_problem(truth, scores, labels, groups)
        else:
            raise _shape_error(truth, scores)
    if sample_weight is None:
        return problem
    weights = check_weights(sample_weight, problem.n_rows)
    return replace(problem, weights=weights)


def _align_columns(y_true: Any, y_scores: Any) -> Any:
    """The columns of y_scores in the order of y_true."""
    wanted, found = list(y_true.columns), list(y_scores.columns)
    if wanted == found:
        return y_scores
    lacking = [name for name in wanted if name not in found]
    extra = [name for name in found if name not in wanted]
    if lacking or extra or len(wanted) != len(found):
        message = (
            f"The columns of `y_true` and `y_scores` must carry the same names: {lacking or 'none'} only in `y_true`, "
            f"{extra or 'none'} only in `y_scores`; to match by position pass arrays (.to_numpy())."
        )
        raise ValueError(message)
    if len(set(wanted)) != len(wanted):
        message = "The columns of `y_true` and `y_scores` repeat names and cannot be aligned; pass arrays."
        raise ValueError(message)
    return y_scores[wanted]


def _refuse(y_true: Any, labels: Any, groups: Any) -> None:
    """`labels` and `groups` mean nothing beside a matrix."""
    for name, value in (("labels", labels), ("groups", groups)):
        if value is not None:
            message = (
                f"`{name}` does not go with a matrix `y_true` of shape {y_true.shape}, where each row is one "
                "ranking: `labels` names the classes of 1-D labels, `groups` the rankings of 1-D relevance."
            )
            raise ValueError(message)


def _check_not_empty(shape: tuple[int, ...]) -> None:
    for size, what in zip(shape, ("row", "column"), strict=False):
        if size == 0:
            message = f"At least one {what} is required, got `y_true` and `y_scores` of shape {shape}."
            raise ValueError(message)


def _matrix_problem(y_true: Any, scores: NDArray[Any], labels: Any, groups: Any) -> Problem:
    _refuse(y_true, labels, groups)
    if y_true.shape != scores.shape:
        raise _shape_error(y_true, scores)
    _check_not_empty(scores.shape)
    if sparse.issparse(y_true):
        return Problem(scores, _stored_grades(y_true))
    return Problem(scores, numeric(_unmasked(y_true, "y_true"), "y_true"), complete=True)


def _stored_grades(y_true: Any) -> Grades:
    """Any sparse format as CSR; entries that are there twice have been added up."""
    csr = _canonical(y_true)
    return Grades(csr.indptr, csr.indices, numeric(csr.data, "y_true"))


def _canonical(matrix: Any) -> Any:
    """CSR without repeated entries; never the caller's own arrays changed."""
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is matrix or np.shares_memory(csr.data, matrix.data) else csr
        csr.sum_duplicates()
    return csr


def _label_problem(
    y_true: NDArray[Any], scores: NDArray[Any], labels: Any, groups: Any, names: list[Any] | None
) -> Problem:
    if groups is not None:
        message = (
            f"`groups` does not go with class labels and `y_scores` of shape {scores.shape}, where each row is one "
            "ranking; with groups, `y_scores` has one score a row."
        )
        raise ValueError(message)
    if len(y_true) != len(scores):
        raise _shape_error(y_true, scores)
    _check_not_empty(scores.shape)
    codes = label_codes(y_true, labels, scores.shape[1], names)
    n = len(codes)
    return Problem(scores, Grades(np.arange(n + 1), codes, np.ones(n, np.int8)))


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


def _vector_problem(
    y_true: NDArray[Any], scores: NDArray[Any], labels: Any, groups: Any, sample_weight: Any
) -> Problem:
    """One ranking, or one for each group; rows of a group anywhere."""
    if labels is not None:
        message = (
            "`labels` names the columns of `y_scores`, which needs shape (n_samples, n_classes), "
            f"got {scores.shape}."
        )
        raise ValueError(message)
    if len(y_true) != len(scores):
        raise _shape_error(y_true, scores)
    _check_not_empty(scores.shape)
    grades = numeric(_unmasked(y_true, "y_true"), "y_true")
    n = len(scores)
    if _has_nan(scores):
        where = f"in row {np.isnan(scores).argmax()}"
        raise nan_error(where)
    indptr = np.array([0, n])
    order = None
    if groups is not None:
        codes, n_groups = group_codes(groups, n)
        if np.any(codes[1:] < codes[:-1]):
            order = np.argsort(codes, kind="stable")
            codes, grades, scores = codes[order], grades[order], scores[order]
        indptr = np.zeros(n_groups + 1, np.intp)
        np.cumsum(np.bincount(codes, minlength=n_groups), out=indptr[1:])
    columns = np.arange(n) - np.repeat(indptr[:-1], np.diff(indptr))
    weights = None
    if sample_weight is not None:
        row_weights = check_weights(sample_weight, n)
        row_weights = row_weights if order is None else row_weights[order]
        weights = np.add.reduceat(row_weights, indptr[:-1]) / np.diff(indptr)
    return Problem(scores, Grades(indptr, columns, grades), indptr, weights, complete=True)


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


def _sparse_problem(y_true: Any, y_scores: Any, labels: Any, groups: Any) -> Problem:
    """Only stored scores are retrieved; the rows stay as long as what they store."""
    if not sparse.issparse(y_true):
        truth = to_numpy(y_true, "y_true")
        if truth.ndim != 2 or len(y_scores.shape) != 2:
            if truth.ndim == 1 and len(y_scores.shape) == 2:
                message = (
                    f"`y_true` of shape {truth.shape} beside sparse `y_scores`: pass class labels with dense scores, "
                    "or a (sparse) matrix `y_true`."
                )
                raise ValueError(message)
            raise _shape_error(truth, y_scores)
        truth = numeric(_unmasked(truth, "y_true"), "y_true")
        _refuse(truth, labels, groups)
        y_true = sparse.csr_array(truth)
    else:
        _refuse(y_true, labels, groups)
    if y_true.shape != y_scores.shape or len(y_true.shape) != 2:
        raise _shape_error(y_true, y_scores)
    _check_not_empty(y_true.shape)
    scores = y_scores.tocsr()
    if not scores.has_canonical_format:
        scores = _canonical(scores)
    if (y_scores.format != "dia" and scores.nnz < y_scores.nnz) or _repeats(y_scores):
        message = (
            "`y_scores` stores a cell more than once; an item has one score. sum_duplicates() of the matrix "
            "adds them up, if that is meant."
        )
        raise ValueError(message)
    data = numeric(scores.data, "y_scores")
    if _has_nan(data):
        place = np.isnan(data).argmax()
        row = np.searchsorted(scores.indptr, place, side="right") - 1
        where = f"at row {row}, column {scores.indices[place]}"
        raise nan_error(where)
    truth = _canonical(y_true)
    columns = _find(scores, truth)
    grades = Grades(truth.indptr, columns, numeric(truth.data, "y_true"))
    return Problem(data, grades, scores.indptr)


def _has_nan(scores: NDArray[Any]) -> bool:
    """Whether a NaN is among the scores: the maximum is one then."""
    return bool(scores.dtype.kind == "f" and scores.size and np.isnan(scores.max()))


def nan_error(where: str) -> ValueError:
    """Scores that cannot be ranked."""
    message = (
        f"`y_scores` contains NaN, first {where}: rankings need a number for each item; -inf means never retrieved."
    )
    return ValueError(message)


def _repeats(matrix: Any) -> bool:
    """Whether CSR or CSC hold a cell twice (COO shows it in its count)."""
    if matrix.format not in ("csr", "csc") or matrix.has_canonical_format:
        return False
    twin = matrix.copy()
    twin.sum_duplicates()
    return bool(twin.nnz < matrix.nnz)


def _find(scores: Any, truth: Any) -> NDArray[np.intp]:
    """For each entry of truth its place in the same row of scores, -1 if it is not stored there."""
    row = np.repeat(np.arange(truth.shape[0]), np.diff(truth.indptr))
    low = scores.indptr[row].astype(np.intp)
    stop = scores.indptr[row + 1].astype(np.intp)
    high = stop.copy()
    wanted = truth.indices
    if scores.nnz == 0:
        return np.full(len(wanted), -1, np.intp)
    for _ in range(int(np.diff(scores.indptr).max()).bit_length()):
        middle = (low + high) >> 1
        less = (scores.indices[np.minimum(middle, scores.nnz - 1)] < wanted) & (low < high)
        low = np.where(less, middle + 1, low)
        high = np.where(less, high, middle)
    there = (low < stop) & (scores.indices[np.minimum(low, scores.nnz - 1)] == wanted)
    return np.where(there, low - scores.indptr[row], -1)


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """One weight a row: finite, not negative, not all zero."""
    weights = to_numpy(sample_weight, "sample_weight")
    if np.ma.is_masked(weights):
        message = "`sample_weight` must not be masked; zero removes a row."
        raise ValueError(message)
    weights = np.asarray(numeric(weights, "sample_weight"), dtype=np.float64)
    if weights.shape != (n_rows,):
        found = f"{len(weights)} entries" if weights.ndim == 1 else f"shape {weights.shape}"
        message = f"`sample_weight` has {found} for {n_rows} rows."
        raise ValueError(message)
    if not np.isfinite(weights).all():
        message = "`sample_weight` must be finite."
        raise ValueError(message)
    if (weights < 0).any():
        message = f"`sample_weight` holds negative values, first {weights[weights < 0][0]:g}."
        raise ValueError(message)
    if not weights.any():
        message = "`sample_weight` sums to zero: at least one row needs a positive weight."
        raise ValueError(message)
    return weights


# ---- tables of features


def rows_of(table: Any, rows: slice | NDArray[np.intp]) -> Any:
    """Rows of an array, a frame, a sparse matrix or a list."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    if isinstance(table, (list, tuple)) and not isinstance(rows, slice):
        return [table[row] for row in rows]
    return table.tocsr()[rows] if hasattr(table, "tocsr") else table[rows]


def column_of(X: Any, column: Any) -> NDArray[Any]:
    """A column of X by position, or of a frame by name."""
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
        n_columns = X.shape[1] if hasattr(X, "shape") else len(X[0])
        if not -n_columns <= column < n_columns:
            message = f"`groups`={column} is no column of X, which has {n_columns}."
            raise ValueError(message)
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
    if column not in list(X.columns):
        message = f"`groups`={column!r} is no column of X; it has {', '.join(map(repr, X.columns))}."
        raise ValueError(message)
    return to_numpy(X[column], "groups")


def without_column(X: Any, column: Any) -> Any:
    """X without a column that `column_of` finds."""
    if is_frame(X):
        names = list(X.columns)
        at = column % len(names) if isinstance(column, (int, np.integer)) else names.index(column)
        keep = [place for place in range(len(names)) if place != at]
        return X.iloc[:, keep] if hasattr(X, "iloc") else X[:, keep]
    if not isinstance(column, (int, np.integer)):
        column_of(X, column)  # which says that X has no names
    X = X.tocsc() if hasattr(X, "tocsc") else to_numpy(X, "X")
    return X[:, np.delete(np.arange(X.shape[1]), column)]
