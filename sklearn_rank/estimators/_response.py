"""A fitted estimator and a fold → y_true and y_scores whose columns match.

Estimators disagree about what they return for several labels, and a training fold that lacks a
label or a class changes its shape. Only `estimator.classes_` tells what a column means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.multiclass import _ConstantPredictor  # private: nothing else tells a constant label of OneVsRestClassifier
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._options import check_flag, frozen, name_of, shown
from sklearn_rank.inputs._containers import is_missing, numeric, to_numpy
from sklearn_rank.inputs._kinds import apart
from sklearn_rank.inputs._sparse import grades_in_csr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    MethodCaller = Callable[..., Any]

METHODS = ("predict_proba", "decision_function", "predict")
PAIRS = ({0, 1}, {-1, 1})  # whose 1 is the positive label without a word; True and False are 1 and 0


class Response(NamedTuple):
    """What a metric is called with."""

    y_true: Any
    y_scores: Any
    labels: NDArray[Any] | None = None
    classes: Any = None  # (n_classes,) of the columns of class scores; a last column for others may follow


class Reading(NamedTuple):
    """How the answers of an estimator and y are read."""

    response_method: str | tuple[str, ...] = METHODS
    pos_label: Any = None
    labels: NDArray[Any] | None = None
    one_ranking: bool = False

    @classmethod
    def of(cls, response_method: Any, pos_label: Any, labels: Any, one_ranking: bool = False) -> Reading:
        """The same from what users pass, checked."""
        _check_methods(response_method)
        _check_pos_label(pos_label)
        named = None if labels is None else _check_labels(labels)
        if pos_label is not None and labels is not None:
            message = "`pos_label` means nothing beside `labels`, which make a row's own class the relevant one."
            raise ValueError(message)
        methods = response_method if isinstance(response_method, str) else tuple(response_method)
        return cls(methods, pos_label, named, check_flag("one_ranking", one_ranking))

    @property
    def settings(self) -> tuple[Any, ...]:
        """Equal, and with an equal hash, for equal readings."""
        return tuple(map(frozen, self))


class _Call(NamedTuple):
    """An estimator, the method that gives its scores, and a way to share the call with other scorers."""

    estimator: Any
    method: str
    X: Any
    classes: Any
    shared: MethodCaller | None

    def direct(self) -> Any:
        """The method's own answer."""
        return _answer(getattr(self.estimator, self.method)(self.X))

    def handed(self) -> Any:
        """scikit-learn's answer, computed once for all scorers of a dict; where it changes nothing we need."""
        if self.shared is None or not hasattr(self.estimator, "__sklearn_tags__"):
            return self.direct()
        try:
            return _answer(self.shared(self.estimator, self.method, self.X))
        except Exception:  # noqa: BLE001  it cannot read every answer, a list of frames for one; ours may be fine
            return self.direct()


def _check_methods(response_method: Any) -> None:
    names = (response_method,) if isinstance(response_method, str) else response_method
    known = ", ".join(map(repr, METHODS))
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        message = f"`response_method` must be one or several of {known}, got {response_method!r}."
        raise TypeError(message)
    if not names or not set(names) <= set(METHODS):
        message = f"`response_method` must be one or several of {known}, got {response_method!r}."
        raise ValueError(message)


def _check_pos_label(pos_label: Any) -> None:
    if pos_label is not None and not np.isscalar(pos_label):
        message = f"`pos_label` must be one label, got {pos_label!r}."
        raise TypeError(message)
    if pos_label is not None and is_missing(pos_label):
        message = f"`pos_label` must be one label, got {pos_label!r}, which means a missing one."
        raise ValueError(message)


def _check_labels(labels: Any) -> NDArray[Any]:
    """The classes as an array without a dimension too many, none of them missing or there twice."""
    if isinstance(labels, (str, bytes, dict, set, frozenset)):
        message = f"`labels` must be a list of all classes, got {shown(labels)}."
        raise TypeError(message)
    out = to_numpy(labels, "labels")
    if out.ndim != 1:
        message = f"`labels` must be a list of all classes, got {shown(labels)}."
        raise TypeError(message)
    named = out.tolist()
    if not named or any(is_missing(label) for label in named):
        message = f"`labels` must name the classes, got {labels!r}."
        raise ValueError(message)
    try:
        repeats = len(set(named)) < len(named)
    except Exception as error:
        message = f"`labels` must name the classes by what can be hashed, got {labels!r}."
        raise TypeError(message) from error
    if repeats:
        repeated = next(label for label in named if named.count(label) > 1)
        message = f"`labels` repeats {repeated!r}."
        raise ValueError(message)
    return out


def respond(
    estimator: Any,
    X: Any,
    y: Any,
    reading: Reading,
    *,
    grouped: bool = False,
    shared: MethodCaller | None = None,
    whole: Any = None,
) -> Response:
    """Scores of X in the columns of y.

    How y is to be read, `whole` decides where y is only a batch of it.
    """
    classes = getattr(estimator, "classes_", None)
    if isinstance(classes, list) and any(np.ndim(part) == 0 for part in classes):
        classes = np.asarray(classes)
    call = _Call(estimator, _first_method(estimator, reading.response_method), X, classes, shared)
    one_column = reading.one_ranking if classes is None else not isinstance(classes, list)
    y = _target(y, one_column=one_column)
    whole = y if whole is None else _target(whole, one_column=one_column)
    if y.ndim == 2:
        _refuse_readings(y, reading)
        return _matrix(call, y, whole, reading.pos_label)
    if y.ndim != 1:
        message = f"`y` must be 1-D or a matrix of labels, got shape {y.shape}."
        raise ValueError(message)
    if call.classes is None:
        return _vector(call, y, whole, reading, grouped=grouped)
    if isinstance(call.classes, list):
        message = f"`y` is 1-D but {name_of(estimator)} was fitted on {len(call.classes)} outputs."
        raise ValueError(message)  # noqa: TRY004  the shape is wrong, not the kind
    return _class_labels(call, y, whole, reading, grouped=grouped)


def _class_labels(call: _Call, y: NDArray[Any], whole: NDArray[Any], reading: Reading, *, grouped: bool) -> Response:
    """One ranking of the samples where there are two classes, else a row per sample."""
    if name_of(call.estimator) == "_IdentityClassifier":
        message = (
            "RidgeClassifierCV with cv=None hands the scorer the column of the greatest target instead of y, which of "
            "two classes or several labels is another target: pass cv=5 or another splitter."
        )
        raise ValueError(message)
    classes, found = np.asarray(call.classes), _distinct(whole)
    _check_kinds(found, classes.tolist(), f"`y` holds labels that {name_of(call.estimator)} was not fitted on")
    two = len(classes) == 2 and set(found) <= set(classes.tolist())
    if reading.labels is None and two:
        return _binary(call, y, classes, reading.pos_label)
    rows = f"{name_of(call.estimator)} has {len(classes)} classes" + (
        "" if len(classes) != 2 else " and `y` others, too"
    )
    if grouped or reading.one_ranking:
        message = (
            f"`{'groups' if grouped else 'one_ranking'}` needs one score a row, and {rows}: use a ranker, a regressor "
            "or a binary classifier."
        )
        raise ValueError(message)
    if reading.pos_label is not None:
        message = (
            f"`pos_label`={reading.pos_label!r} is for two classes or a label matrix, and {rows}: the class of "
            "each row "
            "is its relevant item."
        )
        raise ValueError(message)
    return _multiclass(call, y, classes, reading.labels)


def _target(y: Any, *, one_column: bool) -> Any:
    """The target as an array or a sparse matrix; a column as a vector where the estimator has one target."""
    y = grades_in_csr(y, "y") if sparse.issparse(y) else to_numpy(y, "y")
    if one_column and y.ndim == 2 and y.shape[1] == 1:
        return (y.toarray() if sparse.issparse(y) else y)[:, 0]
    return y


def _refuse_readings(y: Any, reading: Reading) -> None:
    for name, value in (("labels", reading.labels), ("one_ranking", reading.one_ranking or None)):
        if value is not None:
            message = f"`{name}` does not go with a matrix `y` of shape {y.shape}, where each row is one ranking."
            raise ValueError(message)


def _layers(estimator: Any) -> Iterator[Any]:
    """The estimator, and what answers inside it: what a search chose, a pipeline ends in, a selector or wrapper fitted.

    By name, where a type is needed: importing sklearn.ensemble would cost every user 0.05 s.
    """
    while estimator is not None:
        yield estimator
        kinds = _kinds(estimator)
        if "FrozenEstimator" in kinds:
            estimator = estimator.estimator
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        elif "BaggingClassifier" in kinds:  # whose `estimator_` is not fitted
            estimator = next(iter(getattr(estimator, "estimators_", ())), None)
        else:
            inner = [
                "best_estimator_",
                "final_estimator_",
                *(() if hasattr(estimator, "estimators_") else ["estimator_"]),
            ]
            estimator = next((getattr(estimator, name) for name in inner if hasattr(estimator, name)), None)


def _kinds(estimator: Any) -> set[str]:
    return {kind.__name__ for kind in type(estimator).__mro__}


def _first_method(estimator: Any, response_method: str | Sequence[str]) -> str:
    names = (response_method,) if isinstance(response_method, str) else tuple(response_method)
    for name in names:
        if hasattr(estimator, name) and (name == "predict" or _parts_have(estimator, name)):
            return name
    message = f"{name_of(estimator)} has none of the methods {', '.join(names)}."
    raise AttributeError(message)


def _parts_have(estimator: Any, method: str) -> bool:
    """Whether all parts of one-vs-rest have a method: scikit-learn asks the first, which a constant label answers."""
    return all(hasattr(part, method) for part in _one_vs_rest_parts(estimator))


def _one_vs_rest_parts(estimator: Any) -> Sequence[Any]:
    return next(
        (
            layer.estimators_
            for layer in _layers(estimator)
            if "OneVsRestClassifier" in _kinds(layer) and hasattr(layer, "estimators_")
        ),
        (),
    )


def _answer(raw: Any) -> Any:
    """An answer as an array, a sparse matrix, or a list of arrays; frames by position."""
    if isinstance(raw, list) and any(getattr(part, "ndim", 1) == 2 for part in raw):
        return [dense(_answer(part)) for part in raw]
    return sparse.csr_array(raw) if sparse.issparse(raw) else to_numpy(raw, "y_scores")


def dense(scores: Any) -> Any:
    """Scores as an array; what a sparse matrix does not store was never retrieved."""
    if not sparse.issparse(scores):
        return scores
    stored = scores.tocoo()
    dtype = stored.dtype if stored.dtype.kind == "f" else np.float64
    out = np.full(stored.shape, -np.inf, dtype)
    out[stored.coords] = stored.data
    return out


def _distinct(y: NDArray[Any]) -> list[Any]:
    found = list(dict.fromkeys(y.tolist()))
    if any(is_missing(label) for label in found):
        message = "`y` has missing labels."
        raise ValueError(message)
    return found


def _check_kinds(found: list[Any], known: list[Any], what: str) -> None:
    """Text never equals a number, so that all rows would be misses."""
    kinds = apart(map(type, found), map(type, known))
    if kinds:
        message = f"{what}: {found[:3]} against {known[:3]} ({kinds}); give both the same type."
        raise ValueError(message)


# ---- one ranking of the samples, or one for each group


def _vector(call: _Call, y: NDArray[Any], whole: NDArray[Any], reading: Reading, *, grouped: bool) -> Response:
    if not grouped and not reading.one_ranking:
        call.direct()  # an estimator that is not fitted says so
        message = (
            f"{name_of(call.estimator)} gives one score a row, and without groups all rows would be ranked as one "
            "list. Pass the query ids as `groups`: by metadata routing, scorer.set_score_request(groups=True) and "
            "params={'groups': ids}; or as a column of X, make_rank_scorer(..., groups='qid') by name or groups=3 by "
            "position. If they are one list, say so: make_rank_scorer(..., one_ranking=True)."
        )
        raise ValueError(message)
    if reading.labels is not None:
        message = f"`labels` names classes, and {name_of(call.estimator)} has none."
        raise ValueError(message)
    scores = _one_column(call, call.handed() if call.method == "predict" else call.direct())
    y_true, _, turned = _relevance(y, whole, reading.pos_label, None)
    return Response(y_true, -_signed(scores) if turned else scores)


def _signed(scores: Any) -> Any:
    """Scores that can be negated."""
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)


def _one_column(call: _Call, scores: Any) -> NDArray[Any]:
    scores = dense(scores)
    if isinstance(scores, np.ndarray) and scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if not isinstance(scores, np.ndarray) or scores.ndim != 1:
        raise _shape_error(call, scores, "(n_samples,)")
    return scores


def _binary(call: _Call, y: NDArray[Any], classes: NDArray[Any], pos_label: Any) -> Response:
    positive = _positive("y", classes.tolist(), pos_label)
    last = positive == classes.tolist()[-1]
    scores = dense(call.handed() if last else call.direct())
    if call.method == "predict":
        scores = (scores == positive).astype(np.int8)
    elif getattr(scores, "ndim", 0) == 2 and scores.shape[1] == 2:
        scores = scores[:, 1 if last else 0]
    else:
        scores = _one_column(call, scores)
        scores = scores if last else _opposite(call, scores)
    return Response((y == positive).astype(np.int8), scores)


def _opposite(call: _Call, scores: Any) -> Any:
    """Scores of the other class of two; what was never retrieved stays so."""
    if sparse.issparse(scores):
        return sparse.csr_array((_opposite(call, scores.data), scores.indices, scores.indptr), scores.shape)
    turned = 1 - scores if call.method == "predict_proba" else -_signed(scores)
    return np.where(np.isneginf(scores), scores, turned) if scores.dtype.kind == "f" else turned


def _positive(name: str, classes: list[Any], pos_label: Any) -> Any:
    """The label that means relevant."""
    if pos_label is not None:
        if pos_label in classes:
            return pos_label
        message = f"`pos_label`={pos_label!r} is none of the classes {classes}."
        raise ValueError(message)
    if 1 in classes and any(set(classes) <= pair for pair in PAIRS):
        return 1
    message = f"`{name}` has the classes {classes}: name the positive one with `pos_label`."
    raise ValueError(message)


# ---- a row per sample, a column per class


def _multiclass(call: _Call, y: NDArray[Any], classes: NDArray[Any], labels: Any) -> Response:
    place = {label: column for column, label in enumerate(classes.tolist())}
    found = _distinct(y)
    if labels is not None:
        named = set(to_numpy(labels, "labels").tolist())
        for what, given in (("`y` holds", found), (f"{name_of(call.estimator)} was fitted on", place)):
            unknown = [label for label in given if label not in named]
            if unknown:
                message = f"{what} classes that are not in `labels`: {unknown}."
                raise ValueError(message)
    n_classes = len(place)
    codes = np.array([place.get(label, n_classes) for label in y.tolist()], dtype=np.intp)
    scores = _class_scores(call, classes, len(y))
    if getattr(scores, "shape", None) != (len(y), n_classes):
        raise _shape_error(call, scores, f"({len(y)}, {n_classes}), one column for each of its classes")
    if sparse.issparse(scores):  # which goes with a matrix, not with class labels
        cells = (np.ones(len(y), np.int8), (np.arange(len(y)), codes))
        y_true = sparse.csr_array(cells, (len(y), n_classes + 1))
        return Response(y_true, sparse.hstack((scores, sparse.csr_array((len(y), 1))), "csr"), None, classes)
    if (codes == n_classes).any():
        # A class that the training fold never saw is never retrieved, so that its rows are misses.
        unseen = np.full((len(y), 1), -np.inf, dtype=scores.dtype if scores.dtype.kind == "f" else np.float64)
        scores = np.hstack((scores, unseen))
    return Response(codes, scores, np.arange(scores.shape[1]), classes)


def _class_scores(call: _Call, classes: NDArray[Any], n: int) -> Any:
    if len(classes) == 1:  # nothing to rank: what estimators make of one class differs, and is not asked for
        return np.zeros((n, 1))
    if call.method == "predict":
        predicted = dense(call.handed() if len(classes) > 2 else call.direct())
        return np.asarray(predicted.reshape(-1, 1) == classes[None, :]).astype(np.int8)
    if len(classes) > 2:
        pairs = [layer for layer in _layers(call.estimator) if getattr(layer, "decision_function_shape", "") == "ovo"]
        if call.method == "decision_function" and pairs:
            message = (
                f"{name_of(pairs[-1])} gives a score for each pair of classes "
                "(decision_function_shape='ovo'), not for each class: use decision_function_shape='ovr'."
            )
            raise ValueError(message)
        return call.handed()
    scores = call.direct()
    if scores.ndim == 1:  # decision_function of two classes
        scores = np.column_stack((_opposite(call, scores), scores))
    return scores


# ---- a row per sample, a column per label


def _matrix(call: _Call, y: Any, whole: Any, pos_label: Any) -> Response:
    n, n_labels = y.shape
    per_label = call.classes if isinstance(call.classes, list) else None
    if per_label is not None and any(len(classes) > 2 for classes in per_label):
        wrong = next(np.asarray(classes).tolist() for classes in per_label if len(classes) > 2)
        message = (
            f"`y` is multiclass-multioutput: one of its columns has the classes {wrong}. Rankings need a label to be "
            "relevant or not; score the columns one by one, or use a regressor for grades."
        )
        raise ValueError(message)
    stacked = any("StackingClassifier" in _kinds(layer) for layer in _layers(call.estimator))
    if call.method == "predict_proba" and stacked:
        check_is_fitted(call.estimator)
        message = (
            "StackingClassifier returns the probability that a label is absent for several labels, or fails: use "
            "response_method='predict', or stack inside OneVsRestClassifier."
        )
        raise ValueError(message)
    y_true, positive, turned = _relevance(y, whole, pos_label, call.classes)
    scores = call.handed() if not turned and _hands_over(per_label, call.classes, positive) else call.direct()
    if call.method == "predict":
        scores = scores.reshape(-1, 1) if getattr(scores, "ndim", 0) == 1 else scores
        if call.classes is not None:
            scores = _predicted(scores, positive)
        elif turned:
            scores = _opposite(call, scores)
    else:
        scores = _label_scores(call, scores, n_labels, positive, turned=turned)
    if getattr(scores, "shape", None) != (n, n_labels):
        raise _shape_error(call, scores, f"{(n, n_labels)}, one column for each label of `y`")
    return Response(y_true, scores)


def _predicted(scores: Any, positive: Any) -> Any:
    """1 where the positive label was predicted; of a sparse prediction only what is stored."""
    if sparse.issparse(scores):
        return sparse.csr_array(
            ((scores.data == positive).astype(np.int8), scores.indices, scores.indptr), scores.shape
        )
    return (scores == positive).astype(np.int8) if isinstance(scores, np.ndarray) else scores


def _relevance(y: Any, whole: Any, pos_label: Any, classes: Any) -> tuple[Any, Any, bool]:
    """What is relevant, the label that means so, and whether it is the lower of two, whose scores are the other's."""
    if sparse.issparse(y):
        full = y.nnz == np.prod(y.shape) and whole.nnz == np.prod(whole.shape)
        if pos_label in (None, 1) and not (full and (whole.data < 0).any()):
            return y, 1, False
        y, whole = y.toarray(), whole.toarray()
    # One array of classes beside a matrix names labels, and says nothing about their values.
    trained = {value for part in classes for value in np.asarray(part).tolist()} if isinstance(classes, list) else set()
    if pos_label is None and _plain(whole, trained, classifier=classes is not None):
        return y, 1, False
    found = set(_distinct(whole.ravel()))
    _check_kinds(list(found), list(trained), "`y` holds labels that the estimator was not fitted on")
    known = sorted(found | trained, key=lambda value: (isinstance(value, str), value))
    known = [-1, 1] if known == [-1] else [0, 1] if known == [1] else known
    positive = _positive("y_true", known, pos_label)
    if len(known) > 2:
        message = f"`pos_label`={pos_label!r} tells two labels apart, and `y` has {len(known)}: {known[:5]}."
        raise ValueError(message)
    if classes is None and isinstance(positive, str):
        message = (
            f"`pos_label`={positive!r}: an estimator without `classes_` does not tell which label its scores stand "
            "for; use 0 and 1."
        )
        raise ValueError(message)
    return np.asarray(y == positive).astype(np.int8), positive, positive != known[-1]


def _plain(whole: NDArray[Any], trained: set[Any], *, classifier: bool) -> bool:
    """Whether y is 0/1, or grades, as it stands."""
    if whole.dtype.kind not in "biuf" and not (
        whole.dtype.kind == "O" and not any(isinstance(v, str) for v in whole.flat)
    ):
        return False
    if not trained <= {0, 1}:
        return False
    if not whole.size or whole.dtype.kind == "b":
        return True
    whole = numeric(whole, "y")
    low, high = whole.min(), whole.max()
    if low < 0:
        return not bool(np.isin(whole, (-1, 1)).all())
    return not (classifier and high > 1) or len(np.unique(whole)) != 2


def _hands_over(per_label: list[Any] | None, classes: Any, positive: Any) -> bool:
    """Whether scikit-learn's own answer for a label matrix is the estimator's, or right."""
    if classes is None:
        return True
    if per_label is None:
        return len(classes) > 2 and bool(positive == 1)
    return all(len(c) == 2 and c[0] == 0 and c[1] == 1 for c in per_label) and bool(positive == 1)


def _label_scores(call: _Call, scores: Any, n_labels: int, positive: Any, *, turned: bool) -> Any:
    classes = call.classes
    if isinstance(scores, list):
        if classes is None or len(classes) != len(scores):
            raise _shape_error(call, scores, "a list with an array for each label, as classes_ has")
        columns = [_column(call, part, list(c), positive) for part, c in zip(scores, classes, strict=True)]
        constant = [int(c[0] == positive) if len(c) == 1 else -1 for c in classes]
        scores = np.column_stack(columns)
    else:
        scores = _opposite(call, scores) if turned else scores
        constant = _constant_labels(call.estimator)
        if turned:
            constant = [1 - value if value >= 0 else value for value in constant]
    if len(constant) == n_labels and max(constant) >= 0:
        scores = _beyond(scores, np.array(constant), probabilities=call.method == "predict_proba")
    return scores


def _column(call: _Call, scores: NDArray[Any], classes: list[Any], positive: Any) -> NDArray[Any]:
    """The scores of the positive class of one label."""
    if scores.ndim == 2 and scores.shape[1] == len(classes):
        if positive in classes:
            return np.asarray(scores[:, classes.index(positive)])
        return np.zeros(len(scores))  # no training row had it
    column = _one_column(call, scores)
    return _opposite(call, column) if classes[-1] != positive else column


def _constant_labels(estimator: Any) -> list[int]:
    """For each label of a one-vs-rest classifier 0 if no training row had it, 1 if all had, else -1."""
    parts = _one_vs_rest_parts(estimator)
    return [int(np.ravel(p.y_)[0] > 0) if isinstance(p, _ConstantPredictor) else -1 for p in parts]


def _beyond(scores: NDArray[Any], constant: NDArray[Any], *, probabilities: bool) -> NDArray[Any]:
    """Labels that no training row had below all finite scores, those that every row had above."""
    scores = scores.astype(np.float64)
    if probabilities:
        scores[:, constant == 0], scores[:, constant == 1] = 0, 1
        return scores
    others = scores[:, constant < 0]
    finite = others[np.isfinite(others)]
    largest = np.finfo(np.float64).max
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    scores[:, constant == 0] = max(-largest, min(low - 1, np.nextafter(low, -np.inf)))
    scores[:, constant == 1] = min(largest, max(high + 1, np.nextafter(high, np.inf)))
    return scores


def _shape_error(call: _Call, scores: Any, wanted: str) -> ValueError:
    found = f"a list of {len(scores)} arrays" if isinstance(scores, list) else f"shape {getattr(scores, 'shape', None)}"
    message = f"{call.method} of {name_of(call.estimator)} returned {found}; wanted is {wanted}."
    return ValueError(message)
