"""Scorers: metrics that are called with an estimator and put its columns in order themselves."""

from __future__ import annotations

import copy
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics._scorer import _BaseScorer  # private: what a dict of scorers asks to share one prediction
from sklearn.utils import gen_batches
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rank._options import Inputs, Options, attribute, check_count, check_k, cutoff_text, frozen, shown
from sklearn_rank.estimators._response import METHODS, Reading, respond
from sklearn_rank.inputs._containers import column_of, rows_of, to_numpy
from sklearn_rank.inputs._weights import Weights, check_weights
from sklearn_rank.metrics import _binary, _graded, _judged
from sklearn_rank.metrics._evaluate import Request, parse_requests, report
from sklearn_rank.metrics._figures import check_average_of
from sklearn_rank.metrics._parts import Part, figure_of, parts_of
from sklearn_rank.metrics._registry import check_options, find_metric, require_fixed
from sklearn_rank.metrics._values import problem_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

ROUTED = ("sample_weight", "groups")


class _DefaultK(int):
    """The k=10 that nobody asked for, which a text with its own k overrides."""


DEFAULT_K = _DefaultK(10)


class _Parts:
    """A scorer without its estimator: what others find as `_score_func`, to be called with `_kwargs`.

    `LogisticRegressionCV` and `TunedThresholdClassifierCV` take scorers apart, and so do tools for reports. They know
    neither the estimator nor what else the scorer was made of: where that decides, `reason` says so.
    """

    def __init__(self, metric: Any, name: str, reason: str | None) -> None:
        self.metric = metric
        self.__name__ = name
        self.reason = reason

    def __call__(
        self, y_true: Any, y_scores: Any, *, sample_weight: Any = None, groups: Any = None, **options: Any
    ) -> Any:
        """The scorer's figure of scores whose columns are in order, of predicted labels, or of one score a row."""
        if self.reason is not None:
            message = f"A scorer with {self.reason} cannot be taken apart: call it as scorer(estimator, X, y)."
            raise ValueError(message)
        if len(getattr(y_true, "shape", ())) != 2:
            y_true = to_numpy(y_true, "y_true")
        if y_true.ndim == 1 and groups is None:
            y_true, y_scores = _one_ranking(y_true, y_scores)
        return self.metric(y_true, y_scores, sample_weight=sample_weight, groups=groups, **options)


def _one_ranking(y_true: NDArray[Any], y_scores: Any) -> tuple[NDArray[Any], Any]:
    """1-D y as a scorer reads it, beside one score a row or those of two classes; several classes as they are."""
    shape = np.shape(y_scores)
    if len(shape) != 1 and shape[1:] != (2,):
        return y_true, y_scores
    codes = set(y_true.tolist())
    if not (codes <= {0, 1} or codes <= {-1, 1}):
        message = (
            f"`y_true` has the labels {sorted(codes, key=str)[:5]}, and without the estimator only 1 of 0 and 1 or of "
            "-1 and 1 is known to be the positive one: call the scorer as scorer(estimator, X, y)."
        )
        raise ValueError(message)
    return (y_true == 1).astype(np.int8), to_numpy(y_scores, "y_scores")[:, 1] if len(shape) == 2 else y_scores


class _RankScorer(_BaseScorer):  # type: ignore[misc]  # scikit-learn has no types
    """Called as scorer(estimator, X, y); made by make_rank_scorer and rank_scorers."""

    def __init__(
        self,
        requests: Sequence[Request],
        options: Options,
        reading: Reading,
        *,
        several: bool,
        groups: Any,
        batch_size: int | None,
        parts: tuple[_Parts, dict[str, Any]],
        text: str,
    ) -> None:
        super().__init__(parts[0], 1, parts[1], reading.response_method)
        self._requests = tuple(requests)
        self._options = options
        self._reading = reading
        self._several = several
        self._groups = groups
        self._batch_size = batch_size
        self._text = text
        keys = [request.key for request in requests]
        self.__name__ = f"rank_scorers({', '.join(keys)})" if several else keys[0]
        # What a scorer asks for is declared here, on every version of scikit-learn alike.
        self._metadata_request = MetadataRequest(owner=text)
        for name in ROUTED if groups is None else ROUTED[:1]:
            self._metadata_request.score.add_request(param=name, alias=None)

    @property
    def _made_of(self) -> tuple[Any, ...]:
        """Equal for scorers that do the same."""
        requests = tuple(request.settings for request in self._requests)
        routed = frozen(self._metadata_request.score.requests)
        return requests, self._options, self._several, self._reading.settings, self._groups, self._batch_size, routed

    def __eq__(self, other: object) -> bool:
        return self._made_of == other._made_of if isinstance(other, _RankScorer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._made_of)

    def __repr__(self) -> str:
        return self._text

    def __call__(self, estimator: Any, X: Any, y_true: Any, *, sample_weight: Any = None, groups: Any = None) -> Any:
        """The metric of a fitted estimator on X and y_true."""
        return self._score(None, estimator, X, y_true, sample_weight=sample_weight, groups=groups)

    def set_score_request(self, **kwargs: Any) -> _RankScorer:
        """A copy of the scorer that asks metadata routing for `sample_weight` or `groups`.

        The scorer itself stays as it is: ``scorer = map_at_k_scorer.set_score_request(groups=True)``.
        """
        known = list(self._metadata_request.score.requests)
        unknown = sorted(set(kwargs) - set(known))
        if unknown:
            message = f"{self} can be given {', '.join(known)} by metadata routing, not {', '.join(unknown)}."
            raise TypeError(message)
        twin = copy.copy(self)
        super(_RankScorer, twin).set_score_request(**kwargs)
        for name in known:
            if name not in kwargs:
                alias = self._metadata_request.score.requests[name]
                twin._metadata_request.score.add_request(param=name, alias=alias)
        return twin

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, groups: Any = None
    ) -> Any:
        check_rows(X, y_true)
        if groups is not None and self._reading.one_ranking:
            message = f"{self} ranks all rows as one list, by `one_ranking`, and was given `groups`: use one of them."
            raise ValueError(message)
        if self._groups is not None:
            if groups is not None:
                message = f"{self} takes its groups from X and was given `groups` by routing, too: use one of them."
                raise ValueError(message)
            groups = column_of(X, self._groups)
        if self._batch_size is not None and groups is None:
            figures = self._in_batches(estimator, X, y_true, sample_weight)
        else:
            response = respond(estimator, X, y_true, self._reading, grouped=groups is not None, shared=method_caller)
            figures = self._figures(Inputs(*response[:2], sample_weight, response.labels, groups), self._options)
        return figures if self._several else figures[self._requests[0].key]

    def _figures(self, inputs: Inputs, options: Options) -> dict[str, Any]:
        return report(self._requests, inputs, options)

    def _in_batches(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any) -> dict[str, Any]:
        """Predict and rank some rows at a time; the mean is taken once, over all."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        asked = [request.asked(self._options) for request in self._requests]
        vectors: list[Any] = []
        parts: list[list[Part]] = []
        weights = None if sample_weight is None else Weights.of(check_weights(sample_weight, n))
        for batch in gen_batches(n, self._batch_size):
            response = respond(estimator, rows_of(X, batch), rows_of(y_true, batch), self._reading, whole=y_true)
            if np.ndim(response.y_scores) == 1:  # one ranking of all rows: only its scores are collected
                vectors.append(response[:2])
            else:
                problem = problem_for(asked, Inputs(*response[:2], None, response.labels))
                parts.append(parts_of(asked, replace(problem, weights=weights and weights.where(batch))))
        if vectors:
            y_joined, scores = (np.concatenate(side) for side in zip(*vectors, strict=True))
            return self._figures(Inputs(y_joined, scores, sample_weight), self._options)
        return {
            request.key: figure_of(one, rows, weights)
            for request, one, *rows in zip(self._requests, asked, *parts, strict=True)
        }


def check_rows(X: Any, y: Any) -> None:
    """As many rows in X as in y, where both tell how many they have."""
    shapes = [(len(side),) if isinstance(side, (list, tuple)) else attribute(side, "shape") for side in (X, y)]
    n_rows = [shape[0] if isinstance(shape, tuple) and shape else None for shape in shapes]
    if None not in n_rows and n_rows[0] != n_rows[1]:
        message = f"`X` and `y` must have as many rows, got {n_rows[0]} and {n_rows[1]}."
        raise ValueError(message)


def make_rank_scorer(
    metric: Any,
    k: Any = DEFAULT_K,
    *,
    response_method: str | Sequence[str] = METHODS,
    pos_label: Any = None,
    labels: Any = None,
    groups: Any = None,
    batch_size: int | None = None,
    one_ranking: bool = False,
    **options: Any,
) -> _RankScorer:
    """A scorer that sees the estimator and so has the right columns on every fold.

    Parameters
    ----------
    metric : callable or str
        A function of this package or its text form: "map", "map@5", "ndcg@10", "r_precision".
    k : int, float, "relevant" or None, default=10
        The cutoff of a metric whose text names none; None for the whole ranking.
    response_method : str or sequence of str, default=("predict_proba", "decision_function", "predict")
        The first of these methods that the estimator has gives the scores.
    pos_label : object, default=None
        The label that means relevant, where that is not 1 of {0, 1} or {-1, 1}, or True.
    labels : array-like, default=None
        All classes of 1-D class labels. Given, a row per sample is scored whatever the fold holds.
    groups : str or int, default=None
        The column of X with the query ids, by name or position. The estimator still gets X whole.
        The other way is metadata routing: ``scorer.set_score_request(groups=True)``.
    batch_size : int, default=None
        How many rows to predict and rank at a time; None for all.
    one_ranking : bool, default=False
        Whether all rows of a fold are one list, as those of a binary classifier are: for a regressor that ranks
        leads, or a detector of anomalies, whose `decision_function` is high for what is normal
        (``pos_label=-1`` asks for the others).
    **options
        Keywords of the metric, such as `ties` or `zero_division`.

    Returns
    -------
    scorer : callable
        Called as ``scorer(estimator, X, y)``; for every tool of scikit-learn that takes `scoring`.

    Raises
    ------
    ValueError
        If the metric is unknown, `k` contradicts it, a keyword has a wrong value, or two of them contradict each
        other.
    TypeError
        If a keyword is none of the metric's or of a wrong kind.

    See Also
    --------
    rank_scorers : Several metrics from one prediction and one ranking.

    Notes
    -----
    A label that no training row had ranks below the others, one that every training row had above
    them. A class that the training fold never saw is a miss. A binary 1-D y makes the samples of the
    fold one ranking; any other 1-D y of a classifier has a row per sample.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_rank import make_rank_scorer
    >>> X, y = load_digits(return_X_y=True)
    >>> cross_val_score(GaussianNB(), X, y, scoring=make_rank_scorer("map@3"), cv=3).round(2)
    array([0.89, 0.87, 0.86])
    """
    known, k_of_text, named = find_metric(metric)
    check_options(known, options)
    explicit = k is not DEFAULT_K
    if not known.takes_k:
        if explicit and k is not None:
            message = f"{known.name} takes no k, got k={k!r}."
            raise ValueError(message)
        k = None
    elif named:
        if explicit and check_k(k) != k_of_text:
            message = f"`metric`={metric!r} names its own k, got k={k!r} beside it."
            raise ValueError(message)
        k = k_of_text
    else:
        k = check_k(k)
    shared, own = _split(options)
    require_fixed(known, own)
    if "average" in options:  # also the one that is the default of all metrics, but not of each
        own["average"] = options["average"]
    key = known.name if k is None else f"{known.name}@{cutoff_text(k)}"
    request = Request(key, known, k, own)
    check_average_of(request.asked(shared))  # wrong values fail here, not at the first fold
    settings = {
        "response_method": response_method,
        "pos_label": pos_label,
        "labels": labels,
        "groups": groups,
        "batch_size": batch_size,
        "one_ranking": one_ranking,
    }
    _check_settings(**settings)
    shown = {"k": None} if known.takes_k and k is None else {}
    text = _text("make_rank_scorer", key, shown, settings, options)
    kwargs = {**({"k": k} if known.takes_k else {}), **options}
    return _made([request], shared, settings, text, known.function, kwargs)


def rank_scorers(
    metrics: Iterable[Any],
    *,
    response_method: str | Sequence[str] = METHODS,
    pos_label: Any = None,
    labels: Any = None,
    groups: Any = None,
    batch_size: int | None = None,
    one_ranking: bool = False,
    **options: Any,
) -> _RankScorer:
    """One scorer for several metrics: one prediction and one ranking a fold, and a dict of figures.

    Parameters
    ----------
    metrics : iterable of str or tuple
        As in `evaluate`: "map@10", "mrr", ("map@10", {"denominator": "k"}), ...
    response_method : str or sequence of str, default=("predict_proba", "decision_function", "predict")
        As in `make_rank_scorer`.
    pos_label, labels, groups, batch_size, one_ranking : object
        As in `make_rank_scorer`.
    **options
        Keywords that all metrics share, such as `ties` or `zero_division`.

    Returns
    -------
    scorer : callable
        For ``cross_validate(..., scoring=scorer)``, where results are ``"test_map@10"``, and for searches
        with ``refit="map@10"``. Tools that need one number, `cross_val_score` among them, refuse a dict.

    Raises
    ------
    ValueError
        If a metric is unknown or asked for twice.
    TypeError
        If a keyword is unknown.

    See Also
    --------
    evaluate : The same for scores at hand.
    make_rank_scorer : One metric.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_rank import rank_scorers
    >>> X, y = load_digits(return_X_y=True)
    >>> results = cross_validate(GaussianNB(), X, y, scoring=rank_scorers(["map@3", "hit_rate@1"]), cv=3)
    >>> results["test_map@3"].round(2)
    array([0.89, 0.87, 0.86])
    """
    requests = parse_requests(metrics)
    for request in requests:
        require_fixed(request.metric, request.options)
    shared, own = _split(options)
    for request in requests:
        check_average_of(request.asked(shared))
    if own:
        message = (
            f"{', '.join(sorted(own))}: rank_scorers takes the keywords that all metrics share; those of one metric go "
            "into its request, as in ('map@10', {'denominator': 'k'})."
        )
        raise TypeError(message)
    settings = {
        "response_method": response_method,
        "pos_label": pos_label,
        "labels": labels,
        "groups": groups,
        "batch_size": batch_size,
        "one_ranking": one_ranking,
    }
    _check_settings(**settings)
    text = _text("rank_scorers", [request.key for request in requests], {}, settings, options)
    return _made(requests, shared, settings, text, None, options)


def _made(
    requests: Sequence[Request],
    options: Options,
    settings: dict[str, Any],
    text: str,
    metric: Any,
    kwargs: dict[str, Any],
) -> _RankScorer:
    """The scorer of checked settings; `metric` is None for one of several figures."""
    settings = dict(settings)
    groups, batch_size = settings.pop("groups"), settings.pop("batch_size")
    telling = {"`pos_label`": settings["pos_label"], "`labels`": settings["labels"], "`groups`": groups}
    reasons = [name for name, value in telling.items() if value is not None]
    reasons += ["`one_ranking`"] if settings["one_ranking"] else []
    reasons += ["several metrics"] if metric is None else []
    name = "rank_scorers" if metric is None else metric.__name__
    parts = _Parts(metric, name, reasons[0] if reasons else None)
    return _RankScorer(
        requests,
        options,
        Reading.of(**settings),
        several=metric is None,
        groups=groups,
        batch_size=None if batch_size is None else check_count("batch_size", batch_size),
        parts=(parts, kwargs),
        text=text,
    )


def _split(options: dict[str, Any]) -> tuple[Options, dict[str, Any]]:
    """The options that all metrics share, and those of one; what a scorer cannot be made with is refused."""
    if "average" in options and options["average"] is None:
        message = "A scorer returns a mean: `average` can only be 'samples' or another mean, got None."
        raise ValueError(message)
    for name in ("labels", "groups", "sample_weight"):
        if name in options:
            message = f"`{name}` reaches a scorer by metadata routing: scorer.set_score_request({name}=True)."
            raise TypeError(message)
    names = {field.name for field in fields(Options)}
    own = {name: value for name, value in options.items() if name not in names}
    return Options(**{name: value for name, value in options.items() if name in names}), own


def _check_settings(
    *, response_method: Any, pos_label: Any, labels: Any, groups: Any, batch_size: Any, one_ranking: Any
) -> None:
    """What a scorer is made with besides its metric fails here, not at the first fold."""
    Reading.of(response_method, pos_label, labels, one_ranking)
    _check_groups(groups)
    if batch_size is not None:
        check_count("batch_size", batch_size)
    readings = {"one_ranking": one_ranking or None, "groups": groups, "labels": labels}
    given = [f"`{name}`" for name, value in readings.items() if value is not None]
    if len(given) > 1:
        message = (
            f"{' and '.join(given)} read the rows in different ways, as one list, a list for each group or a list for "
            "each row: use one of them."
        )
        raise ValueError(message)


def _check_groups(groups: Any) -> None:
    if groups is not None and (isinstance(groups, bool) or not isinstance(groups, (str, int, np.integer))):
        message = (
            f"`groups` of a scorer names a column of X, by name or position, got {shown(groups)}; the ids themselves "
            "reach it by metadata routing: scorer.set_score_request(groups=True)."
        )
        raise TypeError(message)


def _text(name: str, metric: Any, shown: dict[str, Any], settings: dict[str, Any], options: dict[str, Any]) -> str:
    """The call that makes the scorer."""
    changed = {
        key: value for key, value in settings.items() if not (value is None or value is False or value is METHODS)
    }
    options = {key: value for key, value in options.items() if key != "average" or value is not Options.average}
    arguments = [repr(metric), *(f"{key}={value!r}" for key, value in {**shown, **changed, **options}.items())]
    return f"{name}({', '.join(arguments)})"


bpref_scorer = make_rank_scorer(_judged.bpref)
dcg_at_k_scorer = make_rank_scorer(_graded.dcg_at_k)
f1_at_k_scorer = make_rank_scorer(_binary.f1_at_k)
hit_rate_at_k_scorer = make_rank_scorer(_binary.hit_rate_at_k)
judged_at_k_scorer = make_rank_scorer(_judged.judged_at_k)
map_at_k_scorer = make_rank_scorer(_binary.map_at_k)
mrr_at_k_scorer = make_rank_scorer(_binary.mrr_at_k)
ndcg_at_k_scorer = make_rank_scorer(_graded.ndcg_at_k)
precision_at_k_scorer = make_rank_scorer(_binary.precision_at_k)
r_precision_scorer = make_rank_scorer(_binary.r_precision)
rbp_scorer = make_rank_scorer(_graded.rbp)
recall_at_k_scorer = make_rank_scorer(_binary.recall_at_k)
roc_auc_scorer = make_rank_scorer(_binary.roc_auc)
