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

from sklearn_rank._options import name_of
from sklearn_rank.inputs._containers import is_missing, to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    MethodCaller = Callable[..., Any]

METHODS = ("predict_proba", "decision_function", "predict")


class Response(NamedTuple):
    """What a metric is called with."""

    y_true: Any
    y_scores: NDArray[Any]
    labels: NDArray[Any] | None = None
    classes: Any = None  # (n_classes,) of the columns of class scores; a last column for others may follow


class _Call(NamedTuple):
    """An estimator, the method that gives its scores, and a way to share the call with other scorers."""

    estimator: Any
    method: str
    X: Any
    classes: Any
    shared: MethodCaller | None

    def direct(self) -> Any:
        """The method's own answer."""
        return _dense(getattr(self.estimator, self.method)(self.X))

    def handed(self) -> Any:
        """scikit-learn's answer, computed once for all scorers of a dict; where it changes nothing we need."""
        if self.shared is None or not hasattr(self.estimator, "__sklearn_tags__"):
            return self.direct()
        try:
            return _dense(self.shared(self.estimator, self.method, self.X))
        except Exception:  # noqa: BLE001  it cannot read every answer, a list of frames for one; ours may be fine
            return self.direct()


def respond(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    response_method: str | Sequence[str] = METHODS,
    pos_label: Any = None,
    labels: Any = None,
    grouped: bool = False,
    shared: MethodCaller | None = None,
    whole: Any = None,
) -> Response:
    """Scores of X in the columns of y.

    How y is to be read, `whole` decides where y is only a batch of it.
    """
    classes_ = getattr(estimator, "classes_", None)
    if classes_ is None and hasattr(estimator, "predict_proba") and hasattr(estimator, "__sklearn_tags__"):
        check_is_fitted(estimator)
    if isinstance(classes_, list) and any(np.ndim(part) == 0 for part in classes_):
        classes_ = np.asarray(classes_)
    call = _Call(estimator, _first_method(estimator, response_method), X, classes_, shared)
    if not sparse.issparse(y):
        y = to_numpy(y, "y")
    whole = y if whole is None else whole if sparse.issparse(whole) else to_numpy(whole, "y")
    if y.ndim == 2:
        return _matrix(call, y, whole, pos_label)
    if y.ndim != 1:
        message = f"`y` must be 1-D or a matrix of labels, got shape {y.shape}."
        raise ValueError(message)
    if call.classes is None:
        return _vector(call, y, grouped)
    if isinstance(call.classes, list):
        message = f"`y` is 1-D but {name_of(estimator)} was fitted on {len(call.classes)} outputs."
        raise ValueError(message)  # noqa: TRY004  the shape is wrong, not the kind
    classes = np.asarray(call.classes)
    if labels is None and len(classes) == 2 and (grouped or set(_distinct(whole)) <= set(classes.tolist())):
        return _binary(call, y, classes, pos_label)
    if grouped:
        message = (
            f"`groups` needs one score a row, and {name_of(estimator)} gives one for each of {len(classes)} classes: "
            "use a ranker, a regressor or a binary classifier."
        )
        raise ValueError(message)
    return _multiclass(call, y, classes, labels)


def _first_method(estimator: Any, response_method: str | Sequence[str]) -> str:
    names = (response_method,) if isinstance(response_method, str) else tuple(response_method)
    for name in names:
        if hasattr(estimator, name):
            return name
    message = f"{name_of(estimator)} has none of the methods {', '.join(names)}."
    raise AttributeError(message)


def _dense(raw: Any) -> Any:
    """An answer as an array, or as a list of arrays; frames by position."""
    if isinstance(raw, list) and any(getattr(part, "ndim", 1) == 2 for part in raw):
        return [_dense(part) for part in raw]
    return raw.toarray() if sparse.issparse(raw) else to_numpy(raw, "y_scores")


def _distinct(y: NDArray[Any]) -> list[Any]:
    found = list(dict.fromkeys(y.tolist()))
    if any(is_missing(label) for label in found):
        message = "`y` has missing labels."
        raise ValueError(message)
    return found


# ---- one ranking of the samples, or one for each group


def _vector(call: _Call, y: NDArray[Any], grouped: bool) -> Response:
    if not grouped:
        message = (
            f"{name_of(call.estimator)} gives one score a row, and without groups all rows would be ranked as one "
            "list. Pass the query ids as `groups`: by metadata routing, scorer.set_score_request(groups=True) and "
            "params={'groups': ids}; or as a column of X, make_rank_scorer(..., groups='qid') by name or groups=3 by "
            "position."
        )
        raise ValueError(message)
    scores = call.handed() if call.method == "predict" else call.direct()
    return Response(y, _one_column(call, scores))


def _one_column(call: _Call, scores: Any) -> NDArray[Any]:
    if isinstance(scores, np.ndarray) and scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if not isinstance(scores, np.ndarray) or scores.ndim != 1:
        raise _shape_error(call, scores, "(n_samples,)")
    return scores


def _binary(call: _Call, y: NDArray[Any], classes: NDArray[Any], pos_label: Any) -> Response:
    positive = _positive("y", classes.tolist(), pos_label)
    last = positive == classes.tolist()[-1]
    scores = call.handed() if last else call.direct()
    if call.method == "predict":
        scores = (scores == positive).astype(np.int8)
    elif getattr(scores, "ndim", 0) == 2 and scores.shape[1] == 2:
        scores = scores[:, 1 if last else 0]
    else:
        scores = _one_column(call, scores)
        scores = scores if last else _opposite(call, scores)
    return Response((y == positive).astype(np.int8), scores)


def _opposite(call: _Call, scores: NDArray[Any]) -> NDArray[Any]:
    """Scores of the other class of two."""
    return 1 - scores if call.method == "predict_proba" else -scores


def _positive(name: str, classes: list[Any], pos_label: Any) -> Any:
    """The label that means relevant."""
    if pos_label is not None:
        if pos_label in classes:
            return pos_label
        message = f"`pos_label`={pos_label!r} is none of the classes {classes}."
        raise ValueError(message)
    if not any(isinstance(label, str) for label in classes) and 1 in classes:
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
    if scores.shape != (len(y), n_classes):
        raise _shape_error(call, scores, f"({len(y)}, {n_classes}), one column for each of its classes")
    if (codes == n_classes).any():
        # A class that the training fold never saw is never retrieved, so that its rows are misses.
        unseen = np.full((len(y), 1), -np.inf, dtype=scores.dtype if scores.dtype.kind == "f" else np.float64)
        scores = np.hstack((scores, unseen))
    return Response(codes, scores, np.arange(scores.shape[1]), classes)


def _class_scores(call: _Call, classes: NDArray[Any], n: int) -> NDArray[Any]:
    if len(classes) == 1:  # nothing to rank: what estimators make of one class differs, and is not asked for
        return np.zeros((n, 1))
    if call.method == "predict":
        predicted = call.handed() if len(classes) > 2 else call.direct()
        return np.asarray(predicted.reshape(-1, 1) == classes[None, :]).astype(np.int8)
    if len(classes) > 2:
        if call.method == "decision_function" and getattr(_final(call.estimator), "decision_function_shape", "") == "ovo":
            message = (
                f"{name_of(_final(call.estimator))} gives a score for each pair of classes "
                "(decision_function_shape='ovo'), not for each class: use decision_function_shape='ovr'."
            )
            raise ValueError(message)
        return np.asarray(call.handed())
    scores = call.direct()
    if scores.ndim == 1:  # decision_function of two classes
        scores = np.column_stack((_opposite(call, scores), scores))
    return np.asarray(scores)


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
    # By its name: importing sklearn.ensemble would cost every user 0.05 s.
    kinds = {kind.__name__ for kind in type(_final(call.estimator)).__mro__}
    if call.method == "predict_proba" and "StackingClassifier" in kinds:
        message = (
            "StackingClassifier returns the probability that a label is absent for several labels, or fails: use "
            "response_method='predict', or stack inside OneVsRestClassifier."
        )
        raise ValueError(message)
    y_true, positive = _relevance(call, y, whole, pos_label)
    scores = call.handed() if _hands_over(per_label, call.classes, positive) else call.direct()
    if call.method == "predict":
        scores = scores.reshape(-1, 1) if getattr(scores, "ndim", 0) == 1 else scores
        if call.classes is not None and isinstance(scores, np.ndarray):
            scores = (scores == positive).astype(np.int8)
    else:
        scores = _label_scores(call, scores, n_labels, positive)
    if getattr(scores, "shape", None) != (n, n_labels):
        raise _shape_error(call, scores, f"{(n, n_labels)}, one column for each label of `y`")
    return Response(y_true, scores)


def _relevance(call: _Call, y: Any, whole: Any, pos_label: Any) -> tuple[Any, Any]:
    """The matrix of relevance and the label that means relevant."""
    if sparse.issparse(y):
        if pos_label is None or pos_label == 1:
            return y, 1
        y, whole = y.toarray(), whole.toarray()
    trained = call.classes if isinstance(call.classes, list) else [call.classes] if y.shape[1] == 1 else []
    trained = [classes for classes in trained if classes is not None]
    coded = any(value not in (0, 1) for classes in trained for value in np.asarray(classes).tolist())
    text = whole.dtype.kind not in "biufO" or (whole.dtype.kind == "O" and any(isinstance(v, str) for v in whole.flat))
    if pos_label is None and not coded and not text:
        return y, 1
    known = set(whole.ravel().tolist()).union(*(np.asarray(classes).tolist() for classes in trained))
    positive = _positive("y_true", sorted(known, key=str), pos_label)
    return np.asarray(y == positive), positive


def _hands_over(per_label: list[Any] | None, classes: Any, positive: Any) -> bool:
    """Whether scikit-learn's own answer for a label matrix is the estimator's, or right."""
    if classes is None:
        return True
    if per_label is None:
        return len(classes) > 2 and bool(positive == 1)
    return all(len(c) == 2 and c[0] == 0 and c[1] == 1 for c in per_label) and bool(positive == 1)


def _label_scores(call: _Call, scores: Any, n_labels: int, positive: Any) -> Any:
    classes = call.classes
    if classes is not None and not isinstance(classes, list) and n_labels == 1 and len(classes) <= 2:
        classes, scores = [classes], [scores]
    if isinstance(scores, list):
        if classes is None or len(classes) != len(scores):
            raise _shape_error(call, scores, "a list with an array for each label, as classes_ has")
        columns = [_column(call, part, list(c), positive) for part, c in zip(scores, classes, strict=True)]
        constant = [int(c[0] == positive) if len(c) == 1 else -1 for c in classes]
        scores = np.column_stack(columns)
    else:
        if classes is not None and positive == 0:
            scores = _opposite(call, scores)
        constant = _constant_labels(call.estimator)
        if positive == 0:
            constant = [1 - value if value >= 0 else value for value in constant]
    if call.method != "predict_proba" and len(constant) == n_labels and max(constant) >= 0:
        scores = _beyond(scores, np.array(constant))
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
    parts = getattr(_final(estimator), "estimators_", ())
    return [int(np.ravel(p.y_)[0] != 0) if isinstance(p, _ConstantPredictor) else -1 for p in parts]


def _final(estimator: Any) -> Any:
    """What a search chose, or a pipeline ends in."""
    while hasattr(estimator, "best_estimator_") or hasattr(estimator, "steps"):
        estimator = estimator.best_estimator_ if hasattr(estimator, "best_estimator_") else estimator.steps[-1][1]
    return estimator


def _beyond(scores: NDArray[Any], constant: NDArray[Any]) -> NDArray[Any]:
    """Labels that no training row had below all finite scores, those that every row had above."""
    scores = scores.astype(np.float64)
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
