"""Curves of metrics against their cutoff. Matplotlib is imported when something is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank._options import Inputs, Options, check_flag, name_of
from sklearn_rank.comparison._curves import (
    add_legend,
    chance_levels,
    check_bands,
    check_curves,
    check_cutoffs,
    check_cv_results,
    check_interval,
    check_line,
    check_methods,
    check_metrics,
    check_n_rows,
    check_text,
    connected_rankings,
    curves_of,
    items_of_rankings,
    joined_name,
    levels_by_name,
    means_of_defined,
    merged,
    one_for_each,
    requests_of,
    split_options,
)
from sklearn_rank.comparison._models import (
    Model,
    RankedModels,
    check_models,
    denominators_of,
    rank_models,
    rows_of_model,
)
from sklearn_rank.comparison._plots import pyplot
from sklearn_rank.estimators._cross_val import respond_to
from sklearn_rank.estimators._response import METHODS
from sklearn_rank.inputs._containers import column_of
from sklearn_rank.inputs._ids import group_codes
from sklearn_rank.metrics._registry import find_metric, require_fixed
from sklearn_rank.metrics._values import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank.metrics._values import RowValues

    Values = NDArray[np.float64]


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
    name : str or sequence of str, default=None
        Labels of the curves in place of their names.

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
        name: str | Sequence[str] | None = None,
    ) -> None:
        self.ks = check_line("ks", ks)
        n = len(self.ks)
        self.values = check_curves("values", values, n)
        self.intervals = None if intervals is None else check_bands(intervals, n, self.values)
        self.chance = None if chance is None else check_curves("chance", chance, n)
        self.metric_name = check_text("metric_name", metric_name)
        one_for_each("name", name, list(self.values), str)
        self.name = name

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | Sequence[str] | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: dict[str, Any] | None = None,
        curve_kwargs: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
        despine: bool = False,
    ) -> RankingCurveDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None: a new figure.
        name : str or sequence of str, default=None
            Labels of the curves in place of their names; None: the `name` that the display was made with.
        plot_chance_level : bool, default=True
            Whether to draw the level of chance, if it is known.
        chance_level_kw : dict, default=None
            Keywords of matplotlib's plot for that line.
        curve_kwargs : dict or sequence of dict, default=None
            Keywords of matplotlib's plot, such as `color` or `lw`: for all curves, or for each.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        RankingCurveDisplay
            Itself, with `ax_` and the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        plt = pyplot()
        plot_chance_level, despine = check_flag("plot_chance_level", plot_chance_level), check_flag("despine", despine)
        if ax is not None and not isinstance(ax, plt.Axes):
            message = f"`ax` must be matplotlib Axes or None, got {name_of(ax)}."
            raise TypeError(message)
        own_figure = ax is None
        if own_figure:
            _, ax = plt.subplots(layout="constrained")
        chosen = self.name if name is None else name
        labels = one_for_each("name", chosen, list(self.values), str)
        looks = one_for_each("curve_kwargs", curve_kwargs, [{}] * len(self.values), Mapping)
        self.lines_: list[Any] = []
        self.bands_: list[Any] = []
        self.chance_lines_: list[Any] = []
        few = {"marker": "o", "markersize": 4} if len(self.ks) <= 30 else {}
        for curve, label, look in zip(self.values, labels, looks, strict=True):
            line = ax.plot(self.ks, self.values[curve], **merged("curve_kwargs", {**few, "label": label}, look))[0]
            self.lines_.append(line)
            if self.intervals is not None:
                low, high = self.intervals[curve]
                self.bands_.append(ax.fill_between(self.ks, low, high, color=line.get_color(), alpha=0.18, linewidth=0))
        if plot_chance_level and self.chance is not None:
            self._plot_chance(ax, self.chance, chance_level_kw)
        self._label_axes(ax)
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
        if len(ax.get_legend_handles_labels()[0]) > 1 or chosen is not None:
            add_legend(ax, own_figure)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _plot_chance(self, ax: Any, chance: dict[str, Values], chance_level_kw: dict[str, Any] | None) -> None:
        """A dashed line for each level, in the colour of its curve where there are several."""
        styles = ["--", ":", "-.", (0, (1, 3))]
        colors = {curve: line.get_color() for curve, line in zip(self.values, self.lines_, strict=True)}
        several = len(chance) > 1
        for place, (curve, level) in enumerate(chance.items()):
            look = {
                "color": colors.get(curve, "0.35") if several else "0.35",
                "linestyle": "--" if several and curve in colors else styles[place % len(styles)],
                "linewidth": 1.2,
                "label": f"chance, {curve}" if several else "chance",
            }
            there = [line for line in ax.lines if line.get_label() == look["label"]]
            if any(np.array_equal(line.get_ydata(), level) for line in there):
                continue  # of a model that was drawn before
            given = one_for_each("chance_level_kw", chance_level_kw, [{}], Mapping)[0]
            self.chance_lines_.append(ax.plot(self.ks, level, **merged("chance_level_kw", look, given))[0])

    def _label_axes(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator, PercentFormatter

        ax.set(xlabel="k", ylabel=self.metric_name)
        if self.ks.dtype.kind == "f":  # shares of what was retrieved
            ax.set_xlabel("k, share of the items retrieved")
            ax.xaxis.set_major_formatter(PercentFormatter(1))
        else:
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_ylim(bottom=0)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_scores: Any,
        metric: str | Iterable[str] = "map",
        *,
        ks: Iterable[float] | None = None,
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
        despine: bool = False,
        **options: Any,
    ) -> RankingCurveDisplay:
        """Draw curves from scores at hand.

        Parameters
        ----------
        y_true : array-like, sparse matrix, dict of them or qrels
            As in the functions; beside several models also as in `compare`.
        y_scores : array-like, sparse matrix or dict of them
            The scores of one model, or of several by their names.
        metric : str or iterable of str, default="map"
            Metrics without a cutoff, "map" or ["precision", "recall"].
        ks : iterable of int or of float, default=None
            The cutoffs, or shares between 0 and 1 of the items that each row retrieved; None: 1 to the number of
            items, at most 20.
        confidence_level : float or None, default=0.95
            Of the bands, by a bootstrap over rankings; None for no bands. A single ranking has none.
        n_resamples : int, default=999
            Bootstrap samples.
        random_state : int, RandomState or Generator, default=None
            An int makes the bands reproducible.
        sample_weight, labels, groups : array-like, default=None
            As in the functions.
        n_jobs : int, default=None
            Threads over blocks of rows.
        ax, name, plot_chance_level, chance_level_kw, curve_kwargs, despine : object, default=None
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
        models = check_models(y_true, y_scores) if isinstance(y_scores, Mapping) else [Model("", y_true, y_scores)]
        plot_chance_level = check_flag("plot_chance_level", plot_chance_level)
        metrics = check_metrics(metric)
        cutoffs = check_cutoffs(ks, models[0].y_scores, groups)
        draws = check_interval(confidence_level, n_resamples, random_state)
        requests, shared = requests_of(metrics, cutoffs, options)
        data = Inputs(None, None, sample_weight, labels, groups)
        settings = Options(n_jobs=n_jobs, **shared)
        ranked = rank_models(models, requests, data, settings)
        names = [
            joined_name(model.name, m if len(metrics) > 1 or not model.name else "")
            for model in models
            for m in metrics
        ]
        values, intervals = curves_of(names, ranked, len(cutoffs), confidence_level, draws)
        chance = None
        if plot_chance_level:
            levels = [
                chance_levels(requests, replace(data, y_true=model.y_true, y_scores=model.y_scores), settings)
                for model in models
            ]
            chance = levels_by_name(levels, names, metrics)
        metric_name = f"{metrics[0]}@k" if len(metrics) == 1 else "value"
        display = cls(cutoffs, values, intervals=intervals, chance=chance, metric_name=metric_name, name=name)
        return display.plot(
            ax,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
            despine=despine,
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
        check_methods(estimator, response_method)
        rows = np.arange(check_n_rows(None, X=X, y=y))
        ids = column_of(X, groups) if isinstance(groups, (str, int, np.integer)) else groups
        response = respond_to(
            estimator,
            X,
            y,
            rows,
            response_method=response_method,
            pos_label=pos_label,
            grouped=ids is not None,
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
        ks: Iterable[float] | None = None,
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
        despine: bool = False,
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
        ax, name, plot_chance_level, chance_level_kw, curve_kwargs, despine : object, default=None
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
        check_cv_results(cv_results)
        plot_folds = check_flag("plot_folds", plot_folds)
        test_rows = [np.asarray(rows) for rows in cv_results["indices"]["test"]]
        n_rows = check_n_rows(1 + max(int(rows.max()) for rows in test_rows), X=X, y=y)
        for fitted in cv_results["estimator"]:
            check_methods(fitted, response_method)
        metrics = check_metrics(metric)
        if len(metrics) > 1:
            message = f"`metric` must be one metric here, got {metrics}."
            raise ValueError(message)
        shared, own = split_options(options)
        require_fixed(find_metric(metrics[0])[0], own)  # each fold would have its own
        settings = Options(n_jobs=n_jobs, **shared)
        ids = column_of(X, groups) if isinstance(groups, (str, int, np.integer)) else groups
        asking = {
            "response_method": response_method,
            "pos_label": pos_label,
            "labels": labels,
            "grouped": ids is not None,
        }
        draws = check_interval(confidence_level, n_resamples, random_state)
        folds: list[list[RowValues]] = []
        chances: list[Values] = []
        owners: list[tuple[Any, Any]] = []
        cutoffs: list[Any] = []
        queries = None if ids is None else group_codes(ids, max(n_rows, check_n_rows(None, X=X)))[0]
        for fitted, rows in zip(cv_results["estimator"], test_rows, strict=True):
            response = respond_to(fitted, X, y, rows, **asking)
            its_ids = None if queries is None else queries[rows]
            cutoffs = cutoffs or check_cutoffs(ks, response.y_scores, its_ids)
            requests, _ = requests_of(metrics, cutoffs, options)
            inputs = Inputs(response.y_true, response.y_scores, labels=response.labels, groups=its_ids)
            folds.append(rows_of_model(Model("", response.y_true, response.y_scores), requests, inputs, settings))
            chances.append(chance_levels(requests, inputs, replace(settings, average=None)))
            owners.append(items_of_rankings(rows if its_ids is None else its_ids, its_ids, len(folds[-1][0].values)))
        every = [joined(of_cutoff) for of_cutoff in zip(*folds, strict=True)]
        label = check_text("name", name_of(cv_results["estimator"][0]) if name is None else name)
        ranked = RankedModels(
            [label],
            [f"{k}" for k in cutoffs],
            np.array([[row.values] for row in every]),
            clusters=connected_rankings(owners),
            denominators=denominators_of([[row] for row in every]),
        )
        values, intervals = curves_of([label], ranked, len(cutoffs), confidence_level, draws)
        levels = np.concatenate(chances, axis=1)
        chance = {
            metrics[0]: means_of_defined([row._replace(values=level) for row, level in zip(every, levels, strict=True)])
        }
        display = cls(cutoffs, values, intervals=intervals, chance=chance, metric_name=f"{metrics[0]}@k")
        display.plot(
            ax,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            curve_kwargs=curve_kwargs,
            despine=despine,
        )
        if plot_folds:
            color = display.lines_[0].get_color()
            seen = [line.get_label() for line in display.ax_.lines]
            for place, fold in enumerate(folds):
                mean = means_of_defined(fold)
                display.ax_.plot(
                    cutoffs,
                    mean,
                    color=color,
                    alpha=0.45,
                    linewidth=0.8,
                    zorder=1,
                    label="folds" if place == 0 and "folds" not in seen else None,
                )
            add_legend(display.ax_, ax is None)
        return display
