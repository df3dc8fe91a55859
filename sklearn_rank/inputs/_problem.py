"""Whatever users pass → a Problem that the ranking can trust, or an error that says what would do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import SCORER_HINT
from sklearn_rank.inputs._containers import array, column_names, is_frame, numeric, shape_of, to_numpy, unmasked
from sklearn_rank.inputs._ids import group_codes, label_codes, rows_by_group
from sklearn_rank.inputs._marks import is_of_slots
from sklearn_rank.inputs._sparse import entries_of_dense, find_entries, grades_in_csr, scores_in_csr
from sklearn_rank.inputs._weights import Weights, check_weights, warn_of_one_ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sklearn_rank._options import Inputs


@dataclass(frozen=True)
class Grades:
    """What is stored of y_true, row by row as in CSR.

    `columns` are positions in the row of scores; -1 stands for an item that was never retrieved.
    """

    indptr: NDArray[Any]  # (n_rows + 1,)
    columns: NDArray[Any]  # (n_stored,)
    values: NDArray[Any]  # (n_stored,)
    names: NDArray[Any]  # (n_stored,) columns of y_true


@dataclass(frozen=True)
class Problem:
    """Scores and grades that belong together, checked, in one of two shapes.

    Dense: `scores` is (n_rows, n_items) and `indptr` None. Ragged: `scores` is flat and row i owns
    scores[indptr[i]:indptr[i + 1]], for which `indices` holds the columns of the matrix it comes from, if any.
    """

    scores: NDArray[Any]
    grades: NDArray[Any] | Grades  # an array has the shape of dense scores
    indptr: NDArray[Any] | None = None
    weights: Weights | None = None
    complete: bool = False  # whether the grades hold every cell, zeros too
    n_items: int | None = None  # columns that are the same items in each row; None if there are none
    indices: NDArray[Any] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rankings."""
        return len(self.scores) if self.indptr is None else len(self.indptr) - 1

    def true_columns(
        self, rows: slice | NDArray[np.intp], row: NDArray[np.intp], column: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """The columns of the matrix for cells of such rows of scores."""
        if self.indptr is None or self.indices is None:
            return column
        return np.asarray(self.indices[self.indptr[rows][row] + column])

    @property
    def width(self) -> int:
        """Items of the longest ranking."""
        return self.scores.shape[1] if self.indptr is None else int(np.diff(self.indptr).max())

    @property
    def highest_grade(self) -> float:
        """The highest grade of all rows; 0 if there is none above. NaN is not looked for here."""
        values = self.grades.values if isinstance(self.grades, Grades) else self.grades
        return float(np.fmax.reduce(values, axis=None, initial=0))


def _shape_error(y_true: Any, y_scores: Any) -> ValueError:
    message = (
        f"`y_true` and `y_scores` do not match: {shape_of(y_true)} and {shape_of(y_scores)}. Wanted are two "
        "matrices of one shape (n_samples, n_items), class labels (n_samples,) beside scores "
        f"(n_samples, n_classes), or two vectors of one length. {SCORER_HINT}"
    )
    return ValueError(message)


# ---- inputs


def check_problem(inputs: Inputs, *, zeros: bool = False) -> Problem:
    """All that users pass as data → Problem; with zeros its grades hold those that are 0, too, where they are known."""
    y_true, y_scores, labels, groups = inputs.y_true, inputs.y_scores, inputs.labels, inputs.groups
    if is_frame(y_true) and is_frame(y_scores):
        y_scores = _align_columns(y_true, y_scores)
    if sparse.issparse(y_scores):
        problem = _sparse_problem(y_true, y_scores, labels, groups, zeros=zeros)
    else:
        names = column_names(y_scores)
        scores = numeric(array(y_scores, "y_scores"), "y_scores")
        if sparse.issparse(y_true):
            truth, n_dims = y_true, len(y_true.shape)
        else:
            truth = to_numpy(y_true, "y_true")
            n_dims = truth.ndim
        if (n_dims, scores.ndim) == (1, 2) and not sparse.issparse(y_true):
            problem = _label_problem(truth, scores, labels, groups, names, zeros=zeros)
        elif (n_dims, scores.ndim) == (1, 1) and not sparse.issparse(y_true):
            return _vector_problem(truth, scores, labels, groups, inputs.sample_weight)
        elif n_dims == scores.ndim == 2:
            problem = _matrix_problem(truth, scores, labels, groups)
        else:
            raise _shape_error(truth, scores)
    if inputs.sample_weight is None:
        return problem
    return replace(problem, weights=Weights.of(check_weights(inputs.sample_weight, problem.n_rows)))


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
    places = [found.index(name) for name in wanted]  # by position, since a list of truth values would be a mask
    return y_scores.iloc[:, places] if hasattr(y_scores, "iloc") else y_scores[:, places]


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
        csr = grades_in_csr(y_true)
        grades = Grades(csr.indptr, csr.indices, csr.data, csr.indices)
        return Problem(scores, grades, n_items=scores.shape[1])
    return Problem(scores, numeric(unmasked(y_true, "y_true"), "y_true"), complete=True, n_items=scores.shape[1])


def _label_problem(
    y_true: NDArray[Any], scores: NDArray[Any], labels: Any, groups: Any, names: list[Any] | None, *, zeros: bool
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
    n, m = scores.shape
    if zeros:  # a class that is not a row's own is known to be irrelevant
        return Problem(scores, codes[:, None] == np.arange(m), complete=True, n_items=m)
    return Problem(scores, Grades(np.arange(n + 1), codes, np.ones(n, np.int8), codes), n_items=m)


def _vector_problem(
    y_true: NDArray[Any], scores: NDArray[Any], labels: Any, groups: Any, sample_weight: Any
) -> Problem:
    """One ranking, or one for each group; rows of a group anywhere."""
    if labels is not None:
        message = (
            f"`labels` names the columns of `y_scores`, which needs shape (n_samples, n_classes), got {scores.shape}."
        )
        raise ValueError(message)
    if len(y_true) != len(scores):
        raise _shape_error(y_true, scores)
    _check_not_empty(scores.shape)
    grades = numeric(unmasked(y_true, "y_true"), "y_true")
    n = len(scores)
    if _has_nan(scores):
        where = f"in row {np.isnan(scores).argmax()}"
        raise nan_error(where)
    codes, n_groups = (np.zeros(n, np.intp), 1) if groups is None else group_codes(groups, n)
    order, indptr = None, np.array([0, n])
    if np.any(codes[1:] < codes[:-1]):
        order, indptr = rows_by_group(codes, n_groups)
        grades, scores = grades[order], scores[order]
    elif n_groups > 1:
        indptr = np.zeros(n_groups + 1, np.intp)
        np.cumsum(np.bincount(codes, minlength=n_groups), out=indptr[1:])
    columns = np.arange(n) - np.repeat(indptr[:-1], np.diff(indptr))
    weights = None
    if sample_weight is not None:
        row_weights = check_weights(sample_weight, n, groups=groups is not None)
        if groups is None:
            warn_of_one_ranking()
        weights = Weights.of_groups(row_weights, codes, n_groups)
    return Problem(scores, Grades(indptr, columns, grades, columns), indptr, weights, complete=True)


def _sparse_problem(y_true: Any, y_scores: Any, labels: Any, groups: Any, *, zeros: bool) -> Problem:
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
        y_true = numeric(unmasked(truth, "y_true"), "y_true")
    _refuse(y_true, labels, groups)
    if y_true.shape != y_scores.shape or len(y_true.shape) != 2:
        raise _shape_error(y_true, y_scores)
    _check_not_empty(y_true.shape)
    scores = scores_in_csr(y_scores)
    dense = not sparse.issparse(y_true)
    stored: Any = entries_of_dense(y_true, zeros=zeros) if dense else grades_in_csr(y_true)
    data = _stored_scores(scores)
    grades = Grades(stored.indptr, find_entries(scores, stored), stored.data, stored.indices)
    n_items = None if is_of_slots(y_true) or is_of_slots(y_scores) else scores.shape[1]
    return Problem(data, grades, scores.indptr, complete=dense and zeros, n_items=n_items, indices=scores.indices)


def _stored_scores(csr: Any) -> NDArray[Any]:
    """The values of canonical CSR."""
    data = numeric(csr.data, "y_scores")
    if _has_nan(data):
        place = np.isnan(data).argmax()
        row = np.searchsorted(csr.indptr, place, side="right") - 1
        where = f"at row {row}, column {csr.indices[place]}"
        raise nan_error(where)
    return data


def scores_alone(y_scores: Any) -> Problem:
    """A matrix of scores as a problem without grades."""
    is_sparse = sparse.issparse(y_scores)
    scores: Any = y_scores if is_sparse else numeric(array(y_scores, "y_scores"), "y_scores")
    if len(scores.shape) != 2:
        message = (
            f"`y_scores` must be a matrix (n_samples, n_items), got shape {scores.shape}: for one ranking pass "
            "[y_scores], a matrix of one row."
        )
        raise ValueError(message)
    if 0 in scores.shape:
        message = f"`y_scores` needs at least one row and one column, got shape {scores.shape}."
        raise ValueError(message)
    n, m = scores.shape
    none = np.zeros(0, np.intp)
    no_grades = Grades(np.zeros(n + 1, np.intp), none, none, none)
    if not is_sparse:
        return Problem(scores, no_grades, n_items=m)
    csr = scores_in_csr(scores)
    return Problem(_stored_scores(csr), no_grades, csr.indptr, n_items=m, indices=csr.indices)


def _has_nan(scores: NDArray[Any]) -> bool:
    """Whether a NaN is among the scores: the maximum is one then."""
    return bool(scores.dtype.kind == "f" and scores.size and np.isnan(scores.max()))


def nan_error(where: str) -> ValueError:
    """Scores that cannot be ranked."""
    message = (
        f"`y_scores` contains NaN, first {where}: rankings need a number for each item; -inf means never retrieved."
    )
    return ValueError(message)
