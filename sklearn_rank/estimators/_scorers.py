"""Scorers: metrics that are called with an estimator and put its columns in order themselves."""

from __future__ import annotations

import copy
from dataclasses import fields
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics._scorer import _BaseScorer  # private: what a dict of scorers asks to share one prediction
from sklearn.utils import gen_batches
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rank._options import Options, check_count, check_k
from sklearn_rank.estimators._response import METHODS, respond
from sklearn_rank.inputs._containers import column_of, rows_of
from sklearn_rank.inputs._weights import Weights, check_weights
from sklearn_rank.metrics import _binary, _graded, _judged
from sklearn_rank.metrics._averaging import over_rows
from sklearn_rank.metrics._evaluate import evaluate, parse_requests
from sklearn_rank.metrics._registry import check_options, find_metric, require_fixed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

ROUTED = ("sample_weight", "groups")


class _DefaultK(int):
    """The k=10 that nobody asked for, which a text with its own k overrides."""


DEFAULT_K = _DefaultK(10)


class _RankScorer(_BaseScorer):  # type: ignore[misc]  # scikit-learn has no types
    """Called as scorer(estimator, X, y); made by make_rank_scorer and rank_scorers."""

    def __init__(
        self,
        metric: Any,
        args: tuple[Any, ...],
        options: dict[str, Any],
        text: str,
        *,
        response_method: str | Sequence[str],
        pos_label: Any,
        labels: Any,
        groups: Any,
        batch_size: int | None,
    ) -> None:
        super().__init__(metric, 1, options, response_method)
        self._args = args
        self._text = text
        self._pos_label = pos_label
        self._labels = labels
        _check_groups(groups)
        self._groups = groups
        self._batch_size = None if batch_size is None else check_count("batch_size", batch_size)
        # What a scorer asks for is declared here, on every version of scikit-learn alike.
        self._metadata_request = MetadataRequest(owner=text)
        for name in ROUTED if groups is None else ROUTED[:1]:
            self._metadata_request.score.add_request(param=name, alias=None)

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
        if self._groups is not None:
            if groups is not None:
                message = f"{self} takes its groups from X and was given `groups` by routing, too: use one of them."
                raise ValueError(message)
            groups = column_of(X, self._groups)
        options = dict(self._kwargs)
        if self._batch_size is not None and groups is None:
            return self._in_batches(estimator, X, y_true, sample_weight, options)
        response = respond(
            estimator, X, y_true, response_method=self._response_method, pos_label=self._pos_label,
            labels=self._labels, grouped=groups is not None, shared=method_caller,
        )
        return self._score_func(
            response.y_true, response.y_scores, *self._args, labels=response.labels, groups=groups,
            sample_weight=sample_weight, **options,
        )

    def _in_batches(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any, options: dict[str, Any]) -> Any:
        """Predict and rank some rows at a time; the mean is taken once, over all."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        parts: list[Any] = []
        for batch in gen_batches(n, self._batch_size):
            response = respond(
                estimator, rows_of(X, batch), rows_of(y_true, batch), response_method=self._response_method,
                pos_label=self._pos_label, labels=self._labels, whole=y_true,
            )
            if np.ndim(response.y_scores) == 1:  # one ranking of all rows: only its scores are collected
                parts.append((response.y_true, response.y_scores))
            else:
                values = self._score_func(response.y_true, response.y_scores, *self._args, labels=response.labels,
                                          average=None, **options)
                parts.append(values)
        if isinstance(parts[0], tuple):
            y_joined, scores = (np.concatenate(side) for side in zip(*parts, strict=True))
            return self._score_func(y_joined, scores, *self._args, sample_weight=sample_weight, **options)
        weights = None if sample_weight is None else Weights.of(check_weights(sample_weight, n))

        def mean(arrays: Iterable[NDArray[np.float64]]) -> Any:
            return over_rows(np.concatenate(list(arrays)), None, weights, Options(zero_division=np.nan))

        if isinstance(parts[0], dict):
            return {key: mean(part[key] for part in parts) for key in parts[0]}
        return mean(parts)


def make_rank_scorer(
    metric: Any,
    k: Any = DEFAULT_K,
    *,
    response_method: str | Sequence[str] = METHODS,
    pos_label: Any = None,
    labels: Any = None,
    groups: Any = None,
    batch_size: int | None = None,
    **options: Any,
) -> _RankScorer:
    """A scorer that sees the estimator and so has the right columns on every fold.

    Parameters
    ----------
    metric : callable or str
        A function of this package or its text form: "map", "map@5", "ndcg@10", "r_precision".
    k : int or None, default=10
        The cutoff of a metric whose text names none; None for the whole ranking.
    response_method : str or sequence of str, default=("predict_proba", "decision_function", "predict")
        The first of these methods that the estimator has gives the scores.
    pos_label : object, default=None
        The label that means relevant, where that is not 1 or True.
    labels : array-like, default=None
        All classes of 1-D class labels. Given, a row per sample is scored whatever the fold holds.
    groups : str or int, default=None
        The column of X with the query ids, by name or position. The estimator still gets X whole.
        The other way is metadata routing: ``scorer.set_score_request(groups=True)``.
    batch_size : int, default=None
        How many rows to predict and rank at a time; None for all.
    **options
        Keywords of the metric, such as `ties` or `zero_division`.

    Returns
    -------
    scorer : callable
        Called as ``scorer(estimator, X, y)``; for every tool of scikit-learn that takes `scoring`.

    Raises
    ------
    ValueError
        If the metric is unknown or `k` contradicts it.
    TypeError
        If a keyword is none of the metric's.

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
    _check_scorer_options(options)
    explicit = k is not DEFAULT_K
    if not known.takes_k:
        if explicit and k is not None:
            message = f"{known.name} takes no k, got k={k!r}."
            raise ValueError(message)
        args: tuple[Any, ...] = ()
    elif named:
        if explicit and k != k_of_text:
            message = f"`metric`={metric!r} names its own k, got k={k!r} beside it."
            raise ValueError(message)
        args = (k_of_text,)
    else:
        args = (check_k(None if k is None else k + 0 if isinstance(k, int) else k),)
    own = {name: value for name, value in options.items() if name in signature(known.measure).parameters}
    known.measure(*args, **own)  # wrong values fail here, not at the first fold
    require_fixed(known, options)
    text = f"{known.name}@{args[0]}" if args and args[0] is not None else known.name
    shown = {"k": None} if args == (None,) else {}
    settings = {"response_method": response_method, "pos_label": pos_label, "labels": labels, "groups": groups,
                "batch_size": batch_size}
    return _RankScorer(known.function, args, options, _text("make_rank_scorer", text, shown, settings, options),
                       **settings)


def rank_scorers(
    metrics: Iterable[Any],
    *,
    response_method: str | Sequence[str] = METHODS,
    pos_label: Any = None,
    labels: Any = None,
    groups: Any = None,
    batch_size: int | None = None,
    **options: Any,
) -> _RankScorer:
    """One scorer for several metrics: one prediction and one ranking a fold, and a dict of figures.

    Parameters
    ----------
    metrics : iterable of str or tuple
        As in `evaluate`: "map@10", "mrr", ("map@10", {"denominator": "k"}), ...
    response_method : str or sequence of str, default=("predict_proba", "decision_function", "predict")
        As in `make_rank_scorer`.
    pos_label, labels, groups, batch_size : object, default=None
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
    metrics = list(metrics) if not isinstance(metrics, (str, bytes)) and hasattr(metrics, "__iter__") else metrics
    requests = parse_requests(metrics)
    for request in requests:
        require_fixed(request.metric, request.options)
    keys = [request.key for request in requests]
    shared = {"ties", "zero_division", "relevance_threshold", "n_jobs", "average", "sample_weight"}
    unknown = sorted(set(options) - shared)
    if unknown:
        message = (
            f"{', '.join(unknown)}: rank_scorers takes the keywords that all metrics share; those of one metric go "
            "into its request, as in ('map@10', {'denominator': 'k'})."
        )
        raise TypeError(message)
    _check_scorer_options(options)
    settings = {"response_method": response_method, "pos_label": pos_label, "labels": labels, "groups": groups,
                "batch_size": batch_size}
    return _RankScorer(evaluate, (metrics,), options, _text("rank_scorers", keys, {}, settings, options), **settings)


def _check_scorer_options(options: dict[str, Any]) -> None:
    if options.pop("average", "samples") != "samples":
        message = "A scorer returns a mean: `average` can only be 'samples'."
        raise ValueError(message)
    if "sample_weight" in options:
        message = "`sample_weight` reaches a scorer by metadata routing: scorer.set_score_request(sample_weight=True)."
        raise TypeError(message)
    given = {name: value for name, value in options.items() if name in {field.name for field in fields(Options)}}
    Options(**given)


def _check_groups(groups: Any) -> None:
    if groups is not None and (isinstance(groups, bool) or not isinstance(groups, (str, int, np.integer))):
        message = (
            f"`groups` of a scorer names a column of X, by name or position, got {groups!r}; the ids themselves reach "
            "it by metadata routing: scorer.set_score_request(groups=True)."
        )
        raise TypeError(message)


def _text(name: str, metric: Any, shown: dict[str, Any], settings: dict[str, Any], options: dict[str, Any]) -> str:
    """The call that makes the scorer."""
    changed = {key: value for key, value in settings.items() if value is not None and value is not METHODS}
    arguments = [repr(metric), *(f"{key}={value!r}" for key, value in {**shown, **changed, **options}.items())]
    return f"{name}({', '.join(arguments)})"


dcg_at_k_scorer = make_rank_scorer(_graded.dcg_at_k)
f1_at_k_scorer = make_rank_scorer(_binary.f1_at_k)
hit_rate_at_k_scorer = make_rank_scorer(_binary.hit_rate_at_k)
map_at_k_scorer = make_rank_scorer(_binary.map_at_k)
mrr_at_k_scorer = make_rank_scorer(_binary.mrr_at_k)
ndcg_at_k_scorer = make_rank_scorer(_graded.ndcg_at_k)
precision_at_k_scorer = make_rank_scorer(_binary.precision_at_k)
r_precision_scorer = make_rank_scorer(_binary.r_precision)
rbp_scorer = make_rank_scorer(_graded.rbp)
recall_at_k_scorer = make_rank_scorer(_binary.recall_at_k)
roc_auc_scorer = make_rank_scorer(_binary.roc_auc)
bpref_scorer = make_rank_scorer(_judged.bpref)
judged_at_k_scorer = make_rank_scorer(_judged.judged_at_k)
