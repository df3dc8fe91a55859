"""What the curves of a display are made of: arguments, levels of chance, repeats, means and bands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sklearn_rank._options import check_count, check_number, name_of
from sklearn_rank.comparison._figures import Figures
from sklearn_rank.comparison._resampling import Draws, check_draws
from sklearn_rank.inputs._containers import numeric, to_numpy
from sklearn_rank.inputs._ids import group_codes
from sklearn_rank.metrics._chance import chance_report
from sklearn_rank.metrics._evaluate import RANKING_OPTIONS, parse_requests
from sklearn_rank.metrics._registry import find_metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sklearn_rank._options import Inputs, Options
    from sklearn_rank.comparison._models import RankedModels
    from sklearn_rank.metrics._evaluate import Request
    from sklearn_rank.metrics._values import RowValues

    Values = NDArray[np.float64]

DEEPEST = 20  # rank of the default curves


def one_for_each(what: str, given: Any, default: list[Any], kind: Any) -> list[Any]:
    """What was given for all curves or for each, or the default."""
    if given is None:
        return default
    each = [given] * (1 if kind is str else len(default)) if isinstance(given, kind) else given
    if not isinstance(each, (list, tuple)) or not all(isinstance(one, kind) for one in each):
        expected = "a text or a list of them" if kind is str else "a dict or a list of them"
        message = f"`{what}` must be {expected}, got {given!r}."
        raise TypeError(message)
    if len(each) != len(default):
        message = f"`{what}` must have an entry for each of the {len(default)} curves, got {len(each)}."
        raise ValueError(message)
    return list(each)


def merged(what: str, look: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of a line with those that were given in place of ours, under matplotlib's short names too."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    try:
        keywords = {**look, **normalize_kwargs(dict(given), Line2D)}
        Line2D([], [], **keywords)
    except (AttributeError, TypeError, ValueError) as error:
        message = f"`{what}` must hold keywords of matplotlib's plot, got {given!r}: {error}"
        raise TypeError(message) from error
    return keywords


def add_legend(ax: Any, own_figure: bool) -> None:
    """A legend that hides no line: beside the axes if it is long and the figure makes room for it."""
    beside = own_figure and len(ax.get_legend_handles_labels()[0]) > 4
    where = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if beside else {}
    ax.legend(fontsize="small", framealpha=0.9, edgecolor="none", **where)


def check_metrics(metric: Any) -> list[str]:
    """Metrics that take a cutoff, without it."""
    names = [metric] if isinstance(metric, str) else as_list(metric)
    if names is None or not all(isinstance(name, str) for name in names) or not names:
        message = f"`metric` must be a text such as 'map' or a list of them, got {metric!r}."
        raise TypeError(message)
    for name in names:
        known, _, named = find_metric(name)
        if named or not known.takes_k:
            message = f"`metric` must be one that takes a cutoff, without it, such as 'map', got {name!r}."
            raise ValueError(message)
    return names


def check_cutoffs(ks: Any, y_scores: Any, groups: Any) -> list[Any]:
    """The cutoffs of the curves, ascending: integers, or shares of what was retrieved."""
    if ks is not None:
        given = as_list(ks)
        if not given:
            message = f"`ks` must be a list of cutoffs such as [1, 3, 10], got {ks!r}."
            raise TypeError(message)
        if all(isinstance(k, (float, np.floating)) for k in given):
            return sorted({check_number("ks", k, "integers or shares between 0 and 1", low=0, high=1) for k in given})
        return sorted({check_count("ks", k) for k in given})
    shape = y_scores.shape if hasattr(y_scores, "shape") else to_numpy(y_scores, "y_scores").shape
    if not shape or 0 in shape:
        message = f"`y_scores` must hold at least one score, got shape {shape}."
        raise ValueError(message)
    longest = shape[1] if len(shape) == 2 else shape[0] if groups is None else DEEPEST
    return list(range(1, min(longest, DEEPEST) + 1))


def cutoff_text(k: Any) -> str:
    """`k` as it stands in the text of a metric: 10, or 5% for 0.05."""
    return f"{(Decimal(repr(float(k))) * 100).normalize():f}%" if isinstance(k, float) else str(k)


def as_list(given: Any) -> list[Any] | None:
    """The entries of anything iterable but text; None for all else."""
    if isinstance(given, (str, bytes)):
        return None
    try:
        return list(given)
    except TypeError:
        return None


def check_text(name: str, value: Any) -> str:
    """A text."""
    if isinstance(value, str):
        return value
    message = f"`{name}` must be a text, got {value!r} ({name_of(value)})."
    raise TypeError(message)


def check_curves(name: str, curves: Any, n_cutoffs: int, names: Any = None) -> dict[str, Values]:
    """A dict of (n_cutoffs,) numbers by the names of the curves."""
    if not isinstance(curves, Mapping) or not curves or not all(isinstance(key, str) for key in curves):
        message = f"`{name}` must be a dict with {n_cutoffs} numbers for each name, got {curves!r} ({name_of(curves)})."
        raise TypeError(message)
    if names is not None and set(curves) != set(names):
        message = f"`{name}` must have the names of the curves {list(names)}, got {list(curves)}."
        raise ValueError(message)
    return {key: check_line(name, curve, n_cutoffs) for key, curve in curves.items()}


def check_bands(intervals: Any, n_cutoffs: int, names: Any) -> dict[str, tuple[Values, Values]]:
    """The lower and upper ends of each curve."""
    if not isinstance(intervals, Mapping):
        message = f"`intervals` must be a dict with the lower and upper ends of each curve, got {name_of(intervals)}."
        raise TypeError(message)
    if not all(isinstance(ends, (tuple, list, np.ndarray)) and len(ends) == 2 for ends in intervals.values()):
        message = f"`intervals` must hold two lists of {n_cutoffs} numbers for each curve, got {intervals!r}."
        raise ValueError(message)
    low, high = (
        check_curves("intervals", {name: ends[i] for name, ends in intervals.items()}, n_cutoffs, names) for i in (0, 1)
    )
    return {name: (low[name], high[name]) for name in names}


def check_line(name: str, numbers: Any, n_cutoffs: int | None = None) -> Values:
    """(n_cutoffs,) numbers."""
    line = numeric(to_numpy(numbers, name), name)
    if line.ndim != 1 or not len(line) or n_cutoffs not in (None, len(line)):
        wanted = "numbers" if n_cutoffs is None else f"{n_cutoffs} numbers"
        message = f"`{name}` must be a list of {wanted}, got shape {line.shape}."
        raise ValueError(message)
    return line


def check_cv_results(cv_results: Any) -> None:
    """Estimators and test rows of cross_validate."""
    if isinstance(cv_results, Mapping) and {"estimator", "indices"} <= set(cv_results):
        return
    message = (
        "`cv_results` needs the estimators and indices: cross_validate(..., return_estimator=True, "
        f"return_indices=True), got {name_of(cv_results)}."
    )
    raise ValueError(message) if isinstance(cv_results, Mapping) else TypeError(message)


def check_methods(estimator: Any, response_method: Any) -> None:
    """An estimator that has one of the methods."""
    methods = [response_method] if isinstance(response_method, str) else as_list(response_method)
    if not methods or not all(isinstance(method, str) for method in methods):
        message = f"`response_method` must be the name of a method or a list of such, got {response_method!r}."
        raise TypeError(message)
    if not any(hasattr(estimator, method) for method in methods):
        message = f"`estimator` has none of the methods of `response_method`, {methods}, got {name_of(estimator)}."
        raise TypeError(message)


def check_n_rows(n_rows: int | None, **tables: Any) -> int:
    """X and y have at least the rows that are asked for; None: as many as the first."""
    for name, table in tables.items():
        if not isinstance(table, (list, tuple)) and not len(getattr(table, "shape", ())):
            message = f"`{name}` must be an array, a frame or a list of rows, got {name_of(table)}."
            raise TypeError(message)
        found = table.shape[0] if hasattr(table, "shape") else len(table)
        n_rows = found if n_rows is None else n_rows
        if found < n_rows:
            message = f"`{name}` must have {n_rows} rows, got {found}."
            raise ValueError(message)
    return n_rows or 0


def split_options(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keywords of evaluate, and those of the metric."""
    shared = {name: value for name, value in options.items() if name in RANKING_OPTIONS}
    return shared, {name: value for name, value in options.items() if name not in shared}


def requests_of(
    metrics: list[str], cutoffs: list[Any], options: dict[str, Any]
) -> tuple[list[Request], dict[str, Any]]:
    """The requests of all points, metric by metric, and those of the options that all metrics have."""
    shared, own = split_options(options)
    texts = [f"{metric}@{cutoff_text(k)}" for metric in metrics for k in cutoffs]
    return parse_requests([(text, own, text) for text in texts]), shared


def chance_levels(requests: list[Request], inputs: Inputs, options: Options) -> Values:
    """(n_requests,) or with average=None (n_requests, n_rankings) values of random rankings of what was retrieved."""
    return np.array(list(chance_report(requests, inputs, replace(options, ties="average")).values()))


def levels_by_name(levels: list[Values], names: list[str], metrics: list[str]) -> dict[str, Values]:
    """By metric, or by curve where the models did not retrieve as many items."""
    shaped = [level.reshape(len(metrics), -1) for level in levels]
    if all(np.array_equal(level, shaped[0], equal_nan=True) for level in shaped):
        return dict(zip(metrics, shaped[0], strict=True))
    return dict(zip(names, np.concatenate(shaped), strict=True))


def joined_name(model: str, metric: str) -> str:
    """Model, metric or both, whichever tell the curves apart."""
    return ", ".join(part for part in (model, metric) if part)


def means_of_defined(rows: list[RowValues]) -> Values:
    """(n_cutoffs,) means of the rankings where each cutoff is defined; micro averages weigh them."""
    means = np.full(len(rows), np.nan)
    for place, (values, denominators) in enumerate(rows):
        weights = np.where(np.isnan(values), 0.0, 1.0 if denominators is None else denominators)
        if weights.any():
            means[place] = np.where(weights > 0, values, 0.0) @ weights / weights.sum()
    return means


def items_of_rankings(items: NDArray[np.intp], groups: Any, n_rankings: int) -> tuple[Any, Any]:
    """(ranking, item) pairs: which rows of the data, or queries, the rankings of a fold are about."""
    if groups is not None:
        return group_codes(groups, len(groups))[0], items
    return np.arange(len(items)) if n_rankings == len(items) else np.zeros(len(items), np.intp), items


def connected_rankings(owners: list[tuple[Any, Any]]) -> NDArray[np.intp] | None:
    """(n_rankings,) clusters of rankings that share an item; None where none do: folds without repeats."""
    counts = [int(ranking.max()) + 1 for ranking, _ in owners]
    n = sum(counts)
    offsets = np.cumsum([0, *counts[:-1]])
    ranking = np.concatenate([own + offset for (own, _), offset in zip(owners, offsets, strict=True)])
    item = np.concatenate([items for _, items in owners])
    size = n + int(item.max()) + 1
    graph = sparse.coo_array((np.ones(len(item), np.int8), (ranking, n + item)), shape=(size, size))
    clusters = connected_components(graph, directed=False)[1][:n]
    return clusters if len(np.unique(clusters)) < n else None


def check_interval(confidence_level: Any, n_resamples: Any, random_state: Any) -> Draws:
    """The settings of the bands."""
    if confidence_level is not None:
        check_number("confidence_level", confidence_level, "a number between 0 and 1, or None", low=0, high=1)
    return check_draws(n_resamples, random_state)


def curves_of(
    names: list[str], ranked: RankedModels, n_cutoffs: int, confidence_level: float | None, draws: Draws
) -> tuple[dict[str, Values], dict[str, tuple[Values, Values]] | None]:
    """Means and intervals by name, model by model and metric by metric; no intervals around a single ranking."""
    if any(sample.n_units < 2 for sample in ranked.samples()):
        confidence_level = None
    figures = Figures(ranked, [], confidence_level, draws)
    found = np.array(
        [
            [figures.interval(metric, (model,)) for metric in range(len(ranked.keys))]
            for model in range(len(ranked.names))
        ]
    ).reshape(len(names), n_cutoffs, 3)
    values = dict(zip(names, found[..., 0], strict=True))
    if confidence_level is None:
        return values, None
    return values, {name: (curve[:, 1], curve[:, 2]) for name, curve in zip(names, found, strict=True)}
