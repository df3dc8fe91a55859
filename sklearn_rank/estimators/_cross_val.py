"""Cross-validated scores in the shape of y, for every function, comparison and display."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import check_cv, cross_validate
from sklearn.utils import get_tags

from sklearn_rank._options import check_n_jobs
from sklearn_rank.estimators._response import METHODS, Reading, Response, dense, respond
from sklearn_rank.estimators._scorers import check_rows
from sklearn_rank.inputs._containers import ids_in_array, rows_of, to_numpy
from sklearn_rank.inputs._sparse import grades_in_csr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def out_of_fold_scores(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: ArrayLike | None = None,
    response_method: str | Sequence[str] = METHODS,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """Scores of each row by a model that was fitted without its fold, in columns that match y.

    Parameters
    ----------
    estimator : estimator object
        Cloned and fitted once for each fold.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        The features.
    y : array-like or sparse matrix of shape (n_samples,) or (n_samples, n_labels)
        The target: class labels, a label matrix, or relevance for rankers and regressors.
    cv : int, cross-validation generator or iterable, default=None
        As in scikit-learn. Each row has to be in exactly one test fold.
    groups : array-like of shape (n_samples,), default=None
        Group labels for the splitter. With metadata routing on they go into `params`.
    response_method : str or sequence of str, default=("predict_proba", "decision_function", "predict")
        As in `make_rank_scorer`.
    pos_label : object, default=None
        As in `make_rank_scorer`.
    labels : array-like of shape (n_classes,), default=None
        The classes that the columns stand for; None: the sorted classes of `y`.
    params : dict, default=None
        Passed to `fit`, the splitter and so on, as in `cross_validate`.
    n_jobs : int, default=None
        Processes over folds, with scikit-learn's meaning.

    Returns
    -------
    ndarray of shape (n_samples, n_labels), (n_samples, n_classes) or (n_samples,)
        A column for each label of a label matrix or each class; one number a row where a scorer ranks
        samples: rankers, regressors, and classifiers of two classes unless `labels` is given.

    Raises
    ------
    ValueError
        If the test folds are no partition of the rows, or a scorer would raise.

    See Also
    --------
    make_rank_scorer : Scores of each fold, turned into one number.
    compare : Tests models on such scores.

    Notes
    -----
    Folds are treated as by the scorers: a label that no training row had ranks below the others of its row,
    one that every row had above; a class that a training fold never saw has -inf, which is never retrieved.
    Scores of different folds come from different models: metrics of a row are not affected, a ranking of
    samples over all folds is.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_rank import evaluate, out_of_fold_scores
    >>> X, y = load_digits(return_X_y=True)
    >>> y_scores = out_of_fold_scores(GaussianNB(), X, y, cv=3)
    >>> y_scores.shape
    (1797, 10)
    >>> round(evaluate(y, y_scores, ["map@3"])["map@3"], 2)
    0.87
    """
    settings = {"response_method": response_method, "pos_label": pos_label, "labels": labels}
    Reading.of(**settings)  # wrong values fail here, not after the first fold
    check_n_jobs(n_jobs)
    y = _checked_target(y)
    check_rows(X, y)
    n = y.shape[0] if hasattr(y, "shape") else len(y)
    if groups is not None:
        _check_groups(groups, n)
    model, target = estimator, y
    if sparse.issparse(y):
        cv = check_cv(cv, y, classifier=is_classifier(estimator))
        model, target = _OfRows(estimator, y), np.arange(n)
    results = cross_validate(
        model,
        X,
        target,
        cv=cv,
        groups=groups,
        params=params,
        n_jobs=n_jobs,
        scoring=_nothing,
        error_score="raise",
        return_estimator=True,
        return_indices=True,
    )
    folds = results["indices"]["test"]
    times = np.bincount(np.concatenate(folds), minlength=n)
    if (times != 1).any():
        row = int((times != 1).argmax())
        message = f"`cv` must put each row into exactly one test fold; row {row} is in {times[row]}."
        raise ValueError(message)
    models = [fitted.fitted_ if isinstance(fitted, _OfRows) else fitted for fitted in results["estimator"]]
    responses = Parallel(n_jobs=n_jobs)(
        # One score a row is fine here: what it is a ranking of is said when it is scored.
        delayed(respond_to)(fitted, X, y, fold, grouped=getattr(fitted, "classes_", None) is None, **settings)
        for fitted, fold in zip(models, folds, strict=True)
    )
    return _joined([one._replace(y_scores=dense(one.y_scores)) for one in responses], folds, y, labels, n)


def _checked_target(y: Any) -> Any:
    """Y as lists, arrays, frames and sparse matrices that a splitter takes rows of."""
    if sparse.issparse(y):
        return grades_in_csr(y, "y")
    array = to_numpy(y, "y")
    if not array.ndim:
        message = f"`y` must have an entry or a row per row of `X`, got {y!r}."
        raise ValueError(message)
    return y if isinstance(y, (list, tuple)) or hasattr(y, "iloc") else array


def _check_groups(groups: Any, n: int) -> None:
    """One group label per row."""
    shape = ids_in_array(groups, "groups").shape
    if shape[:1] != (n,):
        message = f"`groups` must have one entry for each of {n} rows, got shape {shape}."
        raise ValueError(message)


def respond_to(
    fitted: Any, X: Any, y: Any, rows: NDArray[np.intp], *, grouped: bool = False, **settings: Any
) -> Response:
    """The answer of a fitted estimator to some rows of X and y."""
    return respond(fitted, rows_of(X, rows), rows_of(y, rows), Reading.of(**settings), grouped=grouped, whole=y)


class _OfRows(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Fits an estimator on rows of a sparse y, given their numbers: cross_validate takes no sparse y."""

    def __init__(self, estimator: Any, y: Any) -> None:
        self.estimator = estimator
        self.y = y

    def fit(self, X: Any, y: NDArray[np.intp], **params: Any) -> _OfRows:
        """Fit a copy of the estimator on the rows y."""
        self.fitted_ = clone(self.estimator).fit(X, self.y[y], **params)
        return self

    def get_metadata_routing(self) -> Any:
        """What the estimator asks for."""
        return self.estimator.get_metadata_routing()

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


def _nothing(estimator: Any, X: Any, y: Any) -> float:  # noqa: ARG001
    """For cross_validate, which wants a scorer: scores are asked for later."""
    return 0.0


def _joined(responses: list[Response], folds: list[NDArray[np.intp]], y: Any, labels: Any, n: int) -> NDArray[Any]:
    """The scores of all folds in the order of the rows; classes by name."""
    dtype = np.result_type(*(response.y_scores for response in responses))
    if len({(response.classes is None, response.y_scores.ndim) for response in responses}) > 1:
        message = (
            "`y` has two classes and one number a row would be wanted, but a training fold holds one class only: use "
            "folds that keep both (StratifiedKFold), or pass `labels` for a column a class."
        )
        raise ValueError(message)
    if all(response.classes is None for response in responses):
        out = np.empty((n, *responses[0].y_scores.shape[1:]), dtype)
        for response, fold in zip(responses, folds, strict=True):
            out[fold] = response.y_scores
        return out
    named = np.unique(to_numpy(y, "y")).tolist() if labels is None else to_numpy(labels, "labels").tolist()
    place = {label: column for column, label in enumerate(named)}
    out = np.full((n, len(named)), -np.inf, dtype if dtype.kind == "f" else np.float64)
    for response, fold in zip(responses, folds, strict=True):
        columns = np.array([place[label] for label in response.classes.tolist()], np.intp)
        out[np.ix_(fold, columns)] = response.y_scores[:, : len(columns)]
    return out
