"""The figures of this package in the form that boosting libraries log and stop by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank._options import check_choice, check_flag, check_k, cutoff_text, is_integer
from sklearn_rank.estimators._scorers import make_rank_scorer
from sklearn_rank.inputs._containers import is_missing, to_numpy
from sklearn_rank.metrics._registry import check_options, find_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

SET_BY_THE_LIBRARY = {
    "average": "the library wants one number",
    "groups": "the library hands the groups over, where it has any",
    "sample_weight": "the library hands the weights over, where it has any",
    "compute": "the library wants one number",
}


def make_eval_metric(
    metric: Any,
    k: Any = 10,
    *,
    library: str,
    labels: ArrayLike | None = None,
    one_ranking: bool = False,
    **options: Any,
) -> Any:
    """A metric that a boosting library logs at each iteration and stops early by.

    It is passed to the estimators that LightGBM, XGBoost and CatBoost have for scikit-learn. A row of scores for each
    sample is a ranking of its own; one score per sample is a ranking of each group that the library hands over,
    else of all rows.

    Parameters
    ----------
    metric : callable or str
        A function of this package or its text form: "map", "map@5", "ndcg@10", "r_precision".
    k : int, float, "relevant" or None, default=10
        The cutoff of a metric whose text names none; None for the whole ranking.
    library : {"lightgbm", "xgboost", "catboost"}
        LightGBM gets a function of (y_true, y_pred, weight, group), for `eval_metric` of `fit`; XGBoost and
        CatBoost something for `eval_metric` of the estimator: a function whose figure goes down, 1 - value,
        and an object with the methods that CatBoost asks for.
    labels : array-like of shape (n_classes,), default=None
        The class that each column of the scores stands for; None for the codes 0 to n_classes - 1, which is
        what the three libraries hand over.
    one_ranking : bool, default=False
        Whether all rows are one ranking. CatBoost needs it for one score per sample, since it hands no groups
        over. Rows of scores, and groups that LightGBM hands over, are then an error.
    **options
        Keywords of the metric, such as `ties`, `zero_division` or `relevance_threshold`.

    Returns
    -------
    eval_metric : callable or object
        In the form of the library. It pickles, and ``copy.deepcopy`` returns it itself.

    Raises
    ------
    ValueError
        If the library or the metric is unknown, `k` contradicts the metric, or an option has a wrong value.
    TypeError
        If a keyword is none of the metric's or is handed over by the library.

    See Also
    --------
    GroupedRanker : Rankers that stop early inside a search.
    make_rank_scorer : The same figure of a fitted estimator.

    Notes
    -----
    LightGBM logs its own metric beside this one and stops by whichever fails first, unless the estimator
    has ``metric="None"``. XGBoost minimises what it does not know, hence 1 - value, whose name is
    "1-map@3"; its ranker calls the function query by query and takes the mean itself, in which queries
    weigh as many as they have rows and one of a single row counts 1, as a miss does here: that is the
    metric of this package only for queries of one size. XGBoost stops by the last of its metrics;
    ``disable_default_eval_metric=True`` leaves its own away. CatBoost takes a metric for several labels
    only from a subclass of its MultiTargetCustomMetric.

    Examples
    --------
    The classes 1 and 0 have ranks 1 and 2, so the mean of their reciprocal ranks is (1 + 1/2) / 2:

    >>> from sklearn_rank import make_eval_metric
    >>> metric = make_eval_metric("mrr@3", library="lightgbm")
    >>> metric([1, 0], [[0.2, 0.5, 0.3], [0.4, 0.6, 0.0]], None, None)
    ('mrr@3', 0.75, True)
    >>> make_eval_metric("mrr@3", library="xgboost")([1, 0], [[0.2, 0.5, 0.3], [0.4, 0.6, 0.0]])
    0.25
    """
    check_choice("library", library, LIBRARIES)
    known, k_of_text, named = find_metric(metric)
    for name, reason in SET_BY_THE_LIBRARY.items():
        if name in options:
            message = f"`{name}` is no option of an eval metric: {reason}."
            raise TypeError(message)
    check_options(known, options)
    one_ranking = check_flag("one_ranking", one_ranking)
    if labels is not None:
        _check_labels(labels)
    # The scorer of the same figure refuses wrong values. The default k gives way to a text with its own.
    make_rank_scorer(metric, *([] if is_integer(k) and k == 10 else [k]), **options)
    k = k_of_text if named or not known.takes_k else check_k(k)
    text = metric if named else known.name if k is None else f"{known.name}@{cutoff_text(k)}"
    made_of = (metric, k, library, labels, one_ranking, options)
    args = () if not known.takes_k else (k,)
    kind = LIBRARIES[library]
    if library == "catboost":
        kind = type(text, (kind,), {})  # CatBoost logs a metric by the name of its class
    return kind(known.function, args, options, text, labels=labels, one_ranking=one_ranking, made_of=made_of)


def _check_labels(labels: Any) -> None:
    """One label per column: 1-D, none missing, none twice."""
    columns = to_numpy(labels, "labels")
    values = columns.tolist() if columns.ndim == 1 else []
    try:
        distinct = len(set(values))
    except TypeError:  # labels that do not hash
        distinct = 0
    if not values or distinct < len(values) or any(map(is_missing, values)):
        message = f"`labels` must be 1-D with a different label for each column of the scores, got {labels!r}."
        raise ValueError(message)


class _EvalMetric:
    """A figure of what a library hands over."""

    def __init__(
        self,
        function: Any,
        args: tuple[Any, ...],
        options: dict[str, Any],
        name: str,
        *,
        labels: Any,
        one_ranking: bool,
        made_of: tuple[Any, ...],
    ) -> None:
        self._function = function
        self._args = args
        self._options = options
        self._name = name
        self._labels = labels
        self._one_ranking = one_ranking
        self._made_of = made_of

    def __repr__(self) -> str:
        _, _, library, labels, one_ranking, options = self._made_of
        settings = {"labels": labels, "one_ranking": one_ranking or None}
        shown = {"library": library, **{key: value for key, value in settings.items() if value is not None}, **options}
        return (
            f"make_eval_metric({', '.join([repr(self._name), *(f'{key}={value!r}' for key, value in shown.items())])})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, self._made_of

    def __deepcopy__(self, memo: dict[int, Any]) -> _EvalMetric:
        # CatBoost copies its parameters, and scikit-learn's clone wants the objects that it passed.
        return self

    def _value(self, y_true: Any, y_scores: Any, weights: Any = None, sizes: Any = None) -> float:
        """The metric of (n,) codes or (n, m) relevance against (n, m) scores, or of (n,) against (n,)."""
        y_true, y_scores = np.asarray(y_true), np.asarray(y_scores)
        labels, groups = self._labels, None
        if y_scores.ndim == 2:
            if self._one_ranking:
                message = f"`one_ranking` means one score per row, and there are {y_scores.shape[1]} scores per row."
                raise ValueError(message)
            if labels is None and y_true.ndim == 1:
                labels = np.arange(y_scores.shape[1])
        elif sizes is not None:
            if self._one_ranking:
                message = "`one_ranking` means that all rows are one ranking, and the library hands groups over."
                raise ValueError(message)
            groups = np.repeat(np.arange(len(sizes)), sizes)
        else:
            weights = None  # on one ranking they can change nothing
        value: float = self._function(
            y_true, y_scores, *self._args, labels=labels, groups=groups, sample_weight=weights, **self._options
        )
        return value


class _LightGBMMetric(_EvalMetric):
    def __call__(self, y_true: Any, y_pred: Any, weight: Any, group: Any) -> tuple[str, float, bool]:
        """(name, value, whether a higher one is better), as LightGBM asks for it."""
        return self._name, self._value(y_true, y_pred, weight, group), True


class _XGBoostMetric(_EvalMetric):
    @property
    def __name__(self) -> str:
        """The name in XGBoost's log; it must not begin like a metric that XGBoost maximises."""
        return f"1-{self._name}"

    def __call__(self, y_true: Any, y_score: Any, sample_weight: Any = None) -> float:
        """1 - value: XGBoost minimises what it does not know."""
        return 1 - self._value(y_true, y_score, sample_weight)


class _CatBoostMetric(_EvalMetric):
    def is_max_optimal(self) -> bool:
        """Whether a higher value is better."""
        return True

    def evaluate(self, approxes: Sequence[Any], target: Any, weight: Any) -> tuple[float, float]:
        """(value times weight, weight) of a container of scores for each column."""
        y_true, columns = np.asarray(target), len(approxes)
        if columns == 1 and not self._one_ranking:
            message = (
                "CatBoost hands one score per row and no groups over, so that a ranker cannot be judged query by query "
                "here: use its own metrics (NDCG:top=10, MAP:top=10), or make_eval_metric(..., one_ranking=True) if "
                "all "
                "rows are one ranking."
            )
            raise ValueError(message)
        if columns == 1:
            return self._value(y_true, np.asarray(approxes[0])), 1.0
        if y_true.ndim == 2:
            y_true = y_true.T
        total = float(len(y_true) if weight is None else np.sum(weight))
        return self._value(y_true, np.column_stack(approxes), weight) * total, total

    def get_final_error(self, error: float, weight: float) -> float:
        """The value of all parts."""
        return error / weight

    # What calls this package is nothing that CatBoost could compile with numba.
    evaluate.no_jit = get_final_error.no_jit = is_max_optimal.no_jit = True  # type: ignore[attr-defined]


LIBRARIES: dict[str, type[Any]] = {"lightgbm": _LightGBMMetric, "xgboost": _XGBoostMetric, "catboost": _CatBoostMetric}


def _remake(metric: Any, k: Any, library: str, labels: Any, one_ranking: bool, options: dict[str, Any]) -> Any:
    """What a pickle of an eval metric calls."""
    return make_eval_metric(metric, k, library=library, labels=labels, one_ranking=one_ranking, **options)
