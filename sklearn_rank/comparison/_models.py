"""Several models of the same rankings, in all the forms they may be passed in → the row values of each."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from sklearn_rank._options import Inputs, name_of
from sklearn_rank.comparison._resampling import RESOLUTION
from sklearn_rank.inputs._containers import ids_in_array, is_dask
from sklearn_rank.inputs._ids import group_codes
from sklearn_rank.inputs._marks import belong_together
from sklearn_rank.inputs._problem import Grades, Problem, check_problem
from sklearn_rank.inputs._qrels import is_qrels, pairs_of_runs
from sklearn_rank.inputs._weights import Weights, check_weights
from sklearn_rank.metrics._evaluate import report
from sklearn_rank.metrics._figures import check_average_of
from sklearn_rank.metrics._values import RowValues, problem_for, row_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from sklearn_rank._options import Options
    from sklearn_rank.metrics._evaluate import Request
    from sklearn_rank.metrics._values import Asked

    Values = NDArray[np.float64]


class Model(NamedTuple):
    """One model's scores and the relevance of the same items."""

    name: str
    y_true: Any
    y_scores: Any


@dataclass(frozen=True)
class RankedModels:
    """The row values of some models and how much each ranking counts."""

    names: list[str]
    keys: list[str]
    values: Values  # (n_metrics, n_models, n_rankings), nan where undefined
    weights: Weights | None = None  # (n_rankings,)
    clusters: NDArray[np.intp] | None = None  # (n_rankings,)
    # By metric (n_models, n_rankings) of those that are pooled: what each row counts for beside its weight.
    denominators: dict[int, Values] = field(default_factory=dict)
    _samples: dict[tuple[bytes, bytes], Sample] = field(default_factory=dict, repr=False)

    @property
    def n_rankings(self) -> int:
        """Rankings, undefined ones and those of zero weight included."""
        return int(self.values.shape[-1])

    def sample(self, metric: int, models: Sequence[int]) -> Sample:
        """The rankings for which one metric is defined for all of the models; one object for one set of them."""
        defined = ~np.isnan(self.values[metric][list(models)]).any(axis=0)
        denominators = self._denominators(metric, models)
        key = defined.tobytes(), b"" if denominators is None else denominators.tobytes()
        if key not in self._samples:
            self._samples[key] = Sample.of(self, defined, denominators)
        return self._samples[key]

    def samples(self, pairs: Sequence[Sequence[int]] = ()) -> list[Sample]:
        """Those of all figures of single models and pairs."""
        alone = [(model,) for model in range(len(self.names))]
        return [self.sample(metric, models) for metric in range(len(self.keys)) for models in [*alone, *pairs]]

    def _denominators(self, metric: int, models: Sequence[int]) -> Values | None:
        """Those of the rows, which have to be the same for two models whose pooled values are compared."""
        if metric not in self.denominators:
            return None
        found = self.denominators[metric][list(models)]
        other = np.flatnonzero((found != found[0]).any(axis=0))
        if len(other):
            one, two = (self.names[model] for model in models)
            message = (
                f"The micro average of {self.keys[metric]!r} has no paired difference between {one!r} and {two!r}: "
                "their "
                f"rows count for different denominators, first row {other[0]}. Give `k` as an integer, or compare "
                "average='samples'."
            )
            raise ValueError(message)
        return np.asarray(found[0])


@dataclass(frozen=True, eq=False)
class Sample:
    """Rankings that count, and the units in which they are resampled."""

    kept: NDArray[np.intp]  # (n,) places among all rankings
    weights: Values  # (n,)
    units: NDArray[np.intp] | None  # (n,) from 0 on without a gap; None: each ranking is one

    @classmethod
    def of(cls, models: RankedModels, defined: NDArray[np.bool_], denominators: Values | None = None) -> Sample:
        """Those that are defined and have a weight."""
        weights = models.weights if models.weights is not None else Weights.of(np.ones(models.n_rankings))
        if denominators is not None:
            weights = weights.times(denominators)
        kept = np.flatnonzero(defined)
        scaled = weights.where(defined).scaled()
        # A weight that the largest one swallows counts for nothing, as in any sum of floats.
        counts = scaled > RESOLUTION
        kept, scaled = kept[counts], scaled[counts]
        if len(scaled) and (scaled == scaled[0]).all():
            scaled = np.ones(len(scaled))
        units = None
        if models.clusters is not None:
            units = np.unique(models.clusters[kept], return_inverse=True)[1]
        return cls(kept, scaled, units)

    @property
    def n_units(self) -> int:
        """How many there are to resample."""
        if self.units is None:
            return len(self.kept)
        return int(self.units.max()) + 1 if len(self.units) else 0

    def check_resampling(self, n_rankings: int) -> None:
        """Two units are the least from which spread can be told."""
        if len(self.kept) < 2:
            message = (
                f"Resampling needs at least two rankings that count, got {len(self.kept)} of {n_rankings}. With 1-D "
                "`y_true` and `y_scores`, `groups` tells the rankings apart; a `sample_weight` of 0 leaves one "
                "out; a curve needs no bands with confidence_level=None."
            )
            raise ValueError(message)
        if self.n_units < 2:
            message = "`clusters` must tell at least two clusters apart, got one that holds all rankings that count."
            raise ValueError(message)


# ---- what is passed in


def check_models(y_true: Any, y_scores: Any) -> list[Model]:
    """A dict of scores by model beside one relevance for all, a dict of them, or qrels for runs."""
    if not isinstance(y_scores, Mapping) or not y_scores:
        message = f"`y_scores` must be a dict with the scores of each model by its name, got {name_of(y_scores)}."
        raise TypeError(message)
    if not all(isinstance(name, str) for name in y_scores):
        message = f"The names of models in `y_scores` must be text, got {list(y_scores)}."
        raise TypeError(message)
    if is_qrels(y_true):
        y_true, y_scores = pairs_of_runs(y_true, y_scores)
    if sparse.issparse(y_true) or not isinstance(y_true, Mapping):  # one of SciPy's formats is a dict
        return [_checked_mark(Model(name, y_true, scores), len(y_scores)) for name, scores in y_scores.items()]
    if set(y_true) != set(y_scores):
        message = f"`y_true` and `y_scores` must name the same models, got {list(y_true)} and {list(y_scores)}."
        raise ValueError(message)
    return [_checked_mark(Model(name, y_true[name], scores), len(y_scores)) for name, scores in y_scores.items()]


def _checked_mark(model: Model, n_models: int) -> Model:
    """Refuse the columns of one call of from_lists or from_qrels beside those of another."""
    if belong_together(model.y_true, model.y_scores) is False:
        remedy = "pass a dict of y_true by model, too: {name: y_true}" if n_models > 1 else "pass what one call gave"
        message = (
            f"`y_true` belongs to other scores than those of model {model.name!r}: each call of from_lists, from_qrels "
            f"or from_frames numbers the items of its rows in its own way; {remedy}."
        )
        raise ValueError(message)
    return model


def check_clusters(clusters: Any, n_rankings: int) -> NDArray[np.intp] | None:
    """(n_rankings,) codes of the ids of clusters."""
    if clusters is None:
        return None
    try:
        ids = ids_in_array(clusters, "clusters")
        if ids.shape != (n_rankings,):
            shape = f"{len(ids)} entries" if ids.ndim == 1 else f"shape {ids.shape}"
            message = f"`clusters` needs one id for each of the {n_rankings} rankings, got {shape}."
            raise ValueError(message)
        codes, n_clusters = group_codes(ids, n_rankings)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("`groups`", "`clusters`")) from error
    if n_clusters < 2:
        message = f"`clusters` must tell at least two clusters apart, got {n_clusters} for {n_rankings} rankings."
        raise ValueError(message)
    return codes


# ---- row values


def rank_models(
    models: list[Model], requests: list[Request], data: Inputs, options: Options, clusters: Any = None
) -> RankedModels:
    """Rank each model once; `data` are the weights, labels and groups of all."""
    _check_same_queries(models, data)
    rows = [rows_of_model(model, requests, data, options) for model in models]
    counts = [len(of_model[0].values) for of_model in rows]
    if len(set(counts)) > 1:
        message = f"The models must rank the same rows, got {counts} rankings."
        raise ValueError(message)
    return RankedModels(
        [model.name for model in models],
        [request.key for request in requests],
        np.array([[row.values for row in of_metric] for of_metric in zip(*rows, strict=True)]),
        _weights_of_rankings(data, counts[0]),
        check_clusters(clusters, counts[0]),
        denominators_of([list(of_metric) for of_metric in zip(*rows, strict=True)]),
    )


def rows_of_model(model: Model, requests: list[Request], data: Inputs, options: Options) -> list[RowValues]:
    """The row values of each request, and denominators where its average is micro; an error says of which model."""
    inputs = replace(data, y_true=model.y_true, y_scores=model.y_scores, sample_weight=None)
    asked = [request.asked(options) for request in requests]
    with naming(model.name):
        _check_averages(requests, asked, inputs)
        if is_dask(inputs.y_true) or is_dask(inputs.y_scores):
            found = report(requests, inputs, replace(options, average=None))
            return [RowValues(found[request.key], None) for request in requests]
        rows = row_values(asked, problem_for(asked, inputs))
    return [
        row._replace(values=np.where(np.isnan(row.values), one.options.zero_division, row.values))
        for row, one in zip(rows, asked, strict=True)
    ]


def _check_averages(requests: list[Request], asked: list[Asked], inputs: Inputs) -> None:
    """What is resampled are rows, so that a figure has to be a mean of them."""
    for request, one in zip(requests, asked, strict=True):
        check_average_of(one)
        if one.options.average == "macro":
            message = f"`average`='macro' is a mean over labels, and {request.key!r} is compared row by row."
            raise ValueError(message)
        if one.options.average == "micro" and (is_dask(inputs.y_true) or is_dask(inputs.y_scores)):
            message = "`average`='micro' is not compared for dask arrays: compute() them first."
            raise ValueError(message)


def denominators_of(rows: list[list[RowValues]]) -> dict[int, Values]:
    """By metric (n_models, n_rankings), of (n_metrics, n_models) micro averages."""
    return {
        metric: np.array([row.denominators for row in of_metric])
        for metric, of_metric in enumerate(rows)
        if of_metric[0].denominators is not None
    }


@contextmanager
def naming(model: str) -> Iterator[None]:
    """Errors say of which model they are, where models have names."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not model:
            raise
        message = f"{error} (Model {model!r}.)"
        raise type(error)(message) from error


def _weights_of_rankings(data: Inputs, n_rankings: int) -> Weights | None:
    """(n_rankings,) weights; a group weighs the mean of its rows."""
    if data.sample_weight is None:
        return None
    if data.groups is None:
        return Weights.of(check_weights(data.sample_weight, n_rankings))
    n_rows = len(ids_in_array(data.groups, "groups"))
    codes, n_groups = group_codes(data.groups, n_rows)
    return Weights.of_groups(check_weights(data.sample_weight, n_rows, groups=True), codes, n_groups)


def _check_same_queries(models: list[Model], data: Inputs) -> None:
    """Rows that stand for the same query have the same grades, whatever the columns are."""
    first = models[0]
    others = [model for model in models[1:] if model.y_true is not first.y_true]
    if not others:
        return
    expected = _grades_by_row(first, data)
    for model in others:
        found = _grades_by_row(model, data)
        row = _first_difference(expected, found)
        if row is not None:
            message = (
                f"`y_true` of model {model.name!r} has other queries than that of {first.name!r}: row {row} has the "
                f"relevant grades {_shown(found, row)} in the one, {_shown(expected, row)} in the other. Row i must be "
                "the same query in all of them."
            )
            raise ValueError(message)


class _GradesByRow(NamedTuple):
    """The positive grades of each row in ascending order, and class labels where there are such."""

    indptr: NDArray[np.intp]
    grades: NDArray[Any]


def _grades_by_row(model: Model, data: Inputs) -> _GradesByRow:
    with naming(model.name):
        problem = check_problem(replace(data, y_true=model.y_true, y_scores=model.y_scores, sample_weight=None))
    row, grade = _stored_grades(problem)
    if problem.indptr is None and getattr(model.y_true, "ndim", np.ndim(model.y_true)) == 1:
        # Class labels: the class itself has to agree, and columns stand for the same ones.
        grade = problem.grades.columns  # type: ignore[union-attr]
    else:
        positive = grade > 0
        row, grade = row[positive], grade[positive]
    order = np.lexsort((grade, row))
    counts = np.bincount(row, minlength=problem.n_rows)
    return _GradesByRow(np.concatenate(([0], np.cumsum(counts))), grade[order])


def _stored_grades(problem: Problem) -> tuple[NDArray[np.intp], NDArray[Any]]:
    grades = problem.grades
    if isinstance(grades, Grades):
        return np.repeat(np.arange(len(grades.indptr) - 1), np.diff(grades.indptr)), grades.values
    row, column = np.nonzero(grades)
    return row, grades[row, column]


def _first_difference(one: _GradesByRow, two: _GradesByRow) -> int | None:
    """The first row that differs; None too where the numbers of rows differ, which is said elsewhere."""
    if len(one.indptr) != len(two.indptr):
        return None
    counts = np.flatnonzero(np.diff(one.indptr) != np.diff(two.indptr))
    end = one.indptr[counts[0]] if len(counts) else len(one.grades)
    wrong = np.flatnonzero(one.grades[:end] != two.grades[:end])
    if len(wrong):
        return int(np.searchsorted(one.indptr, wrong[0], side="right")) - 1
    return int(counts[0]) if len(counts) else None


def _shown(rows: _GradesByRow, row: int) -> list[Any]:
    return list(rows.grades[rows.indptr[row] : rows.indptr[row + 1]].tolist()[:8])
