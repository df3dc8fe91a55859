"""Pictures. Matplotlib is imported inside plot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank._options import check_count, check_number, name_of
from sklearn_rank.comparison._compare import (
    bootstrap_intervals,
    check_generator,
    check_models,
    keep_counted,
    ranking_weights,
)
from sklearn_rank.estimators._cross_val import respond_to
from sklearn_rank.estimators._response import METHODS
from sklearn_rank.inputs._containers import column_of
from sklearn_rank.metrics._evaluate import RANKING_OPTIONS, constant_problem, evaluate
from sklearn_rank.metrics._registry import find_metric, require_fixed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank.comparison._compare import Comparison

    Values = NDArray[np.float64]

DEEPEST = 20  # rank of the default curves


class RankingCurveDisplay:
    """A metric against its cutoff k, for several metrics or models, with intervals and chance.

    Make it with `from_predictions`, `from_estimator` or `from_cv_results`.

    Parameters
    ----------
    ks : array-like of shape (n_cutoffs,)
        The cutoffs.
    values : dict of {str: ndarray of shape (n_cutoffs,)}
        The values of each curve by its name.
    intervals : dict of {str: (ndarray, ndarray)}, default=None
        Lower and upper ends for each curve; None for no bands.
    chance : dict of {str: ndarray of shape (n_cutoffs,)}, default=None
        The levels of a random ranking by the name of the metric; None for none.
    metric_name : str, default="value"
        The label of the vertical axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn on.
    figure_ : matplotlib Figure
        The figure of it.
    lines_ : list of matplotlib Line2D
        The curves, in the order of `values`.
    bands_ : list of matplotlib collections
        The intervals.
    chance_lines_ : list of matplotlib Line2D
        The levels of chance.

    See Also
    --------
    compare : Intervals and tests at chosen cutoffs.
    expected_random : The level of chance as a number.

    Examples
    --------
    >>> from sklearn_rank import RankingCurveDisplay
    >>> y_true = [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    >>> y_scores = [[0.1, 0.7, 0.2], [0.4, 0.5, 0.1], [0.2, 0.1, 0.7]]
    >>> display = RankingCurveDisplay.from_predictions(y_true, y_scores, "hit_rate")  # doctest: +SKIP
    >>> display.values["hit_rate"].round(2).tolist()  # doctest: +SKIP
    [0.67, 1.0, 1.0]
    """

    def __init__(
        self,
        ks: ArrayLike,
        values: dict[str, Values],
        *,
        intervals: dict[str, tuple[Values, Values]] | None = None,
        chance: dict[str, Values] | None = None,
        metric_name: str = "value",
    ) -> None:
        self.ks = np.asarray(ks)
        self.values = values
        self.intervals = intervals
        self.chance = chance
        self.metric_name = metric_name

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | Sequence[str] | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: dict[str, Any] | None = None,
        curve_kwargs: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
    ) -> RankingCurveDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None: a new figure.
        name : str or sequence of str, default=None
            Labels of the curves in place of their names.
        plot_chance_level : bool, default=True
            Whether to draw the level of chance, if it is known.
        chance_level_kw : dict, default=None
            Keywords of matplotlib's plot for that line.
        curve_kwargs : dict or sequence of dict, default=None
            Keywords of matplotlib's plot, such as `color`: for all curves, or for each.

        Returns
        -------
        RankingCurveDisplay
            Itself, with `ax_` and the artists.
        """
        import matplotlib.pyplot as plt
        from matplotlib.ticker import MaxNLocator

        own_figure = ax is None
        if own_figure:
            _, ax = plt.subplots(layout="constrained")
        labels = list(self.values) if name is None else [name] if isinstance(name, str) else list(name)
        kwargs = curve_kwargs or {}
        each = [dict(kwargs)] * len(self.values) if isinstance(kwargs, Mapping) else [dict(kw) for kw in kwargs]
        for what, given in (("name", labels), ("curve_kwargs", each)):
            if len(given) != len(self.values):
                message = f"`{what}` must have an entry for each of the {len(self.values)} curves, got {len(given)}."
                raise ValueError(message)
        self.lines_, self.bands_, self.chance_lines_ = [], [], []
        few = {"marker": "o", "markersize": 4} if len(self.ks) <= 30 else {}
        for curve, label, options in zip(self.values, labels, each, strict=True):
            line = ax.plot(self.ks, self.values[curve], **{**few, "label": label, **options})[0]
            self.lines_.append(line)
            if self.intervals is not None:
                low, high = self.intervals[curve]
                self.bands_.append(ax.fill_between(self.ks, low, high, color=line.get_color(), alpha=0.18, linewidth=0))
        if plot_chance_level and self.chance is not None:
            styles = ["--", ":", "-.", (0, (1, 3))]
            colors = {curve: line.get_color() for curve, line in zip(self.values, self.lines_, strict=True)}
            for place, (metric, level) in enumerate(self.chance.items()):
                several = len(self.chance) > 1
                look = {
                    "color": colors.get(metric, "0.35") if several else "0.35",
                    "linestyle": "--" if several and metric in colors else styles[place % len(styles)],
                    "linewidth": 1.2,
                    "label": f"chance, {metric}" if several else "chance",
                }
                there = [line for line in ax.lines if line.get_label() == look["label"]]
                if any(np.array_equal(line.get_ydata(), level) for line in there):
                    continue  # of a model that was drawn before
                self.chance_lines_.append(ax.plot(self.ks, level, **{**look, **(chance_level_kw or {})})[0])
        ax.set(xlabel="k", ylabel=self.metric_name)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_ylim(bottom=0)
        if len(ax.get_legend_handles_labels()[0]) > 1:
            _legend(ax, own_figure)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_scores: Any,
        metric: str | Iterable[str] = "map",
        *,
        ks: Iterable[int] | None = None,
        confidence_level: float | None = 0.95,
        n_resamples: int = 999,
        random_state: Any = None,
        sample_weight: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        n_jobs: int | None = None,
        ax: Any = None,
        name: str | Sequence[str] | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: dict[str, Any] | None = None,
        curve_kwargs: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
        **options: Any,
    ) -> RankingCurveDisplay:
        """Draw curves from scores at hand.

        Parameters
        ----------
        y_true : array-like or sparse matrix
            As in the functions.
        y_scores : array-like, sparse matrix or dict of them
            The scores of one model, or of several by their names.
        metric : str or iterable of str, default="map"
            Metrics without a cutoff, "map" or ["precision", "recall"].
        ks : iterable of int, default=None
            The cutoffs; None: 1 to the number of items, at most 20.
        confidence_level : float or None, default=0.95
            Of the bands, by a bootstrap over rankings; None for no bands.
        n_resamples : int, default=999
            Bootstrap samples.
        random_state : int, RandomState or Generator, default=None
            An int makes the bands reproducible.
        sample_weight, labels, groups : array-like, default=None
            As in the functions.
        n_jobs : int, default=None
            Threads over blocks of rows.
        ax, name, plot_chance_level, chance_level_kw, curve_kwargs : object, default=None
            As in `plot`.
        **options
            Keywords of `evaluate` such as `ties` or `zero_division`, or of the metric.

        Returns
        -------
        RankingCurveDisplay
            What was drawn.

        Raises
        ------
        ValueError
            If a metric takes no cutoff, or `evaluate` or `compare` would raise.
        """
        models = {"": y_scores}
        if isinstance(y_scores, Mapping):
            models = {name: y_scores[name] for name in check_models(y_scores)}
        metrics = _check_metrics(metric)
        cutoffs = _check_cutoffs(ks, next(iter(models.values())), groups)
        shared, own = _split_options(options)
        requests = [(f"{m}@{k}", own, f"{m}@{k}") for m in metrics for k in cutoffs]
        given = {"labels": labels, "groups": groups, "n_jobs": n_jobs, **shared}
        reports = [evaluate(y_true, scores, requests, average=None, **given) for scores in models.values()]
        rows = np.array([[report[request[2]] for request in requests] for report in reports])
        rows, weights = _counted(rows, ranking_weights(sample_weight, groups, rows.shape[-1]), confidence_level)
        chance = None
        if plot_chance_level:
            truth, constant, codes = constant_problem(y_true, labels=_named(labels, y_true, models), groups=groups)
            level = evaluate(
                truth, constant, requests, sample_weight=sample_weight, **{**given, "labels": codes, "ties": "average"}
            )
            chance = {m: np.array([level[f"{m}@{k}"] for k in cutoffs]) for m in metrics}
        values, intervals = _curves(
            [_join(model, m if len(metrics) > 1 or not model else "") for model in models for m in metrics],
            rows.reshape(len(models) * len(metrics), len(cutoffs), -1), weights,
            confidence_level, n_resamples, random_state,
        )
        metric_name = f"{metrics[0]}@k" if len(metrics) == 1 else "value"
        display = cls(cutoffs, values, intervals=intervals, chance=chance, metric_name=metric_name)
        return display.plot(
            ax, name=name, plot_chance_level=plot_chance_level, chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        metric: str | Iterable[str] = "map",
        *,
        response_method: str | Sequence[str] = METHODS,
        pos_label: Any = None,
        groups: Any = None,
        name: str | Sequence[str] | None = None,
        **options: Any,
    ) -> RankingCurveDisplay:
        """Draw curves of a fitted estimator.

        Parameters
        ----------
        estimator : estimator object
            Fitted.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The features.
        y : array-like or sparse matrix
            The target.
        metric : str or iterable of str, default="map"
            As in `from_predictions`.
        response_method, pos_label : object, default=None
            As in `make_rank_scorer`.
        groups : array-like, str or int, default=None
            The query ids, or the column of X that holds them.
        name : str or sequence of str, default=None
            Labels of the curves; None: the class of the estimator.
        **options
            Keywords of `from_predictions`.

        Returns
        -------
        RankingCurveDisplay
            What was drawn.
        """
        ids = column_of(X, groups) if isinstance(groups, (str, int, np.integer)) else groups
        rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
        response = respond_to(
            estimator, X, y, rows, response_method=response_method, pos_label=pos_label, grouped=ids is not None,
            labels=options.pop("labels", None),
        )
        if name is None and isinstance(metric, str):
            name = name_of(estimator)
        return cls.from_predictions(
            response.y_true, response.y_scores, metric, labels=response.labels, groups=ids, name=name, **options
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        X: Any,
        y: Any,
        metric: str = "map",
        *,
        ks: Iterable[int] | None = None,
        confidence_level: float | None = 0.95,
        n_resamples: int = 999,
        random_state: Any = None,
        response_method: str | Sequence[str] = METHODS,
        pos_label: Any = None,
        labels: ArrayLike | None = None,
        groups: Any = None,
        n_jobs: int | None = None,
        ax: Any = None,
        name: str | None = None,
        plot_folds: bool = True,
        plot_chance_level: bool = True,
        chance_level_kw: dict[str, Any] | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        **options: Any,
    ) -> RankingCurveDisplay:
        """Draw the curve of cross-validated predictions, and thin ones of the folds.

        Parameters
        ----------
        cv_results : dict
            Of `cross_validate` with ``return_estimator=True, return_indices=True``.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The features that were passed to it.
        y : array-like or sparse matrix
            The target that was passed to it.
        metric : str, default="map"
            A metric without a cutoff.
        ks, confidence_level, n_resamples, random_state, n_jobs : object, default=None
            As in `from_predictions`; the bootstrap is over the rankings of all test folds.
        response_method, pos_label, labels : object, default=None
            As in `make_rank_scorer`.
        groups : array-like, str or int, default=None
            The query ids, or the column of X that holds them.
        ax, name, plot_chance_level, chance_level_kw, curve_kwargs : object, default=None
            As in `plot`.
        plot_folds : bool, default=True
            Whether to draw the mean of each test fold.
        **options
            Keywords of `evaluate` or of the metric.

        Returns
        -------
        RankingCurveDisplay
            What was drawn.

        Raises
        ------
        ValueError
            If `cv_results` lacks the estimators or the indices.
        """
        if "estimator" not in cv_results or "indices" not in cv_results:
            message = (
                "`cv_results` needs the estimators and indices: cross_validate(..., return_estimator=True, "
                "return_indices=True)."
            )
            raise ValueError(message)
        metrics = _check_metrics(metric)
        if len(metrics) > 1:
            message = f"`metric` must be one metric here, got {metrics}."
            raise ValueError(message)
        shared, own = _split_options(options)
        require_fixed(find_metric(metrics[0])[0], own)  # each fold would have its own
        ids = column_of(X, groups) if isinstance(groups, (str, int, np.integer)) else groups
        settings = {
            "response_method": response_method, "pos_label": pos_label, "labels": labels, "grouped": ids is not None
        }
        folds: list[Values] = []
        chances: list[Values] = []
        cutoffs: list[int] = []
        for fitted, rows in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
            response = respond_to(fitted, X, y, rows, **settings)
            its_ids = None if ids is None else np.asarray(ids)[rows]
            cutoffs = cutoffs or _check_cutoffs(ks, response.y_scores, its_ids)
            requests = [(f"{metrics[0]}@{k}", own, f"{metrics[0]}@{k}") for k in cutoffs]
            given = {"average": None, "groups": its_ids, "n_jobs": n_jobs, **shared}
            report = evaluate(response.y_true, response.y_scores, requests, labels=response.labels, **given)
            folds.append(np.array(list(report.values())))
            truth, constant, codes = constant_problem(response.y_true, labels=response.labels, groups=its_ids)
            level = evaluate(truth, constant, requests, labels=codes, **{**given, "ties": "average"})
            chances.append(np.array(list(level.values())))
        every = np.concatenate(folds, axis=1)
        rows_, weights = _counted(every, np.ones(every.shape[1]), confidence_level)
        label = name or name_of(cv_results["estimator"][0])
        values, intervals = _curves([label], rows_[None], weights, confidence_level, n_resamples, random_state)
        chance = {metrics[0]: np.nanmean(np.concatenate(chances, axis=1), axis=1)}
        display = cls(cutoffs, values, intervals=intervals, chance=chance, metric_name=f"{metrics[0]}@k")
        display.plot(
            ax, plot_chance_level=plot_chance_level, chance_level_kw=chance_level_kw, curve_kwargs=curve_kwargs
        )
        if plot_folds:
            color = display.lines_[0].get_color()
            seen = [line.get_label() for line in display.ax_.lines]
            for place, fold in enumerate(folds):
                mean = np.nanmean(fold, axis=1)
                display.ax_.plot(cutoffs, mean, color=color, alpha=0.45, linewidth=0.8, zorder=1,
                                 label="folds" if place == 0 and "folds" not in seen else None)
            _legend(display.ax_, ax is None)
        return display


def plot_comparison(comparison: Comparison, ax: Any = None) -> Any:
    """Values and intervals of a comparison, a panel for each metric."""
    import matplotlib.pyplot as plt

    metrics = list(dict.fromkeys(row.metric for row in comparison.rows))
    if ax is None:
        _, ax = plt.subplots(
            1, len(metrics), sharey=True, layout="constrained", squeeze=False,
            figsize=(2 + 2.4 * len(metrics), 1.2 + 0.4 * len(comparison.rows) / len(metrics)),
        )
    axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(axes) != len(metrics):
        message = f"`ax` must have one Axes for each of the {len(metrics)} metrics, got {len(axes)}."
        raise ValueError(message)
    for panel, metric in zip(axes, metrics, strict=True):
        rows = [row for row in comparison.rows if row.metric == metric]
        for place, row in enumerate(rows):
            color = "0.35" if row.model == comparison.baseline else "C0"
            panel.plot([row.low, row.high], [place, place], color=color, linewidth=2, solid_capstyle="butt")
            panel.plot([row.value], [place], "o", color=color, markersize=6)
        panel.set(title=metric, yticks=range(len(rows)), yticklabels=[row.model for row in rows])
        panel.set_ylim(len(rows) - 0.5, -0.5)
        panel.grid(axis="x", alpha=0.3)
        panel.locator_params(axis="x", nbins=4)
    axes[0].figure.supxlabel(f"value with {comparison.confidence_level * 100:g}% interval", fontsize="medium")
    return axes


def _legend(ax: Any, own_figure: bool) -> None:
    """A legend that hides no line: beside the axes if it is long and the figure makes room for it."""
    beside = own_figure and len(ax.get_legend_handles_labels()[0]) > 4
    where = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if beside else {}
    ax.legend(fontsize="small", framealpha=0.9, edgecolor="none", **where)


def _check_metrics(metric: Any) -> list[str]:
    names = [metric] if isinstance(metric, str) or not hasattr(metric, "__iter__") else list(metric)
    if not all(isinstance(name, str) for name in names) or not names:
        message = f"`metric` must be a text such as 'map' or a list of them, got {metric!r}."
        raise TypeError(message)
    for name in names:
        known, _, named = find_metric(name)
        if named or not known.takes_k:
            message = f"`metric` must be one that takes a cutoff, without it, such as 'map', got {name!r}."
            raise ValueError(message)
    return names


def _check_cutoffs(ks: Any, y_scores: Any, groups: Any) -> list[int]:
    """The cutoffs of the curves, ascending."""
    if ks is not None:
        ks = list(ks) if hasattr(ks, "__iter__") and not isinstance(ks, str) else ks
        if not isinstance(ks, list) or not ks:
            message = f"`ks` must be a list of cutoffs such as [1, 3, 10], got {ks!r}."
            raise TypeError(message)
        return sorted({check_count("ks", k) for k in ks})
    shape = np.shape(y_scores) if not hasattr(y_scores, "shape") else y_scores.shape
    longest = shape[1] if len(shape) == 2 else shape[0] if groups is None else DEEPEST
    return list(range(1, min(longest, DEEPEST) + 1))


def _split_options(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keywords of evaluate, and those of the metric."""
    shared = {name: value for name, value in options.items() if name in RANKING_OPTIONS}
    return shared, {name: value for name, value in options.items() if name not in shared}


def _named(labels: Any, y_true: Any, models: dict[str, Any]) -> Any:
    """The classes of 1-D labels, where the scores tell that y_true holds such."""
    shape = getattr(next(iter(models.values())), "shape", None) or np.shape(next(iter(models.values())))
    if labels is None and len(shape) == 2 and not hasattr(y_true, "tocsr") and np.ndim(y_true) == 1:
        return np.unique(np.asarray(y_true))
    return labels


def _join(model: str, metric: str) -> str:
    return ", ".join(part for part in (model, metric) if part)


def _counted(rows: Values, weights: Values, confidence_level: float | None) -> tuple[Values, Values]:
    """(..., n_rankings) values and weights of what counts; one ranking is enough where there are no bands."""
    if confidence_level is None:
        counts = (weights > 0) & ~np.isnan(rows).any(axis=tuple(range(rows.ndim - 1)))
        return rows[..., counts], weights[counts]
    return keep_counted(rows, weights)


def _curves(
    names: list[str],
    rows: Values,
    weights: Values,
    confidence_level: float | None,
    n_resamples: int,
    random_state: Any,
) -> tuple[dict[str, Values], dict[str, tuple[Values, Values]] | None]:
    """Means and intervals by name of (n_curves, n_cutoffs, n_rankings) values."""
    values = dict(zip(names, rows @ weights / weights.sum(), strict=True))
    if confidence_level is None:
        return values, None
    level = check_number("confidence_level", confidence_level, "a number between 0 and 1, or None", low=0, high=1)
    n_resamples = check_count("n_resamples", n_resamples)
    low, high = bootstrap_intervals(rows, weights, level, n_resamples, check_generator(random_state))
    return values, dict(zip(names, zip(low, high, strict=True), strict=True))
