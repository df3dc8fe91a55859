"""Pictures of a comparison. Matplotlib is imported when something is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sklearn_rank.comparison._comparison import Comparison

ALPHA = 0.05  # of the stars


def pyplot() -> Any:
    """Matplotlib's pyplot, or how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        message = "Pictures need matplotlib: pip install 'sklearn-rank[plot]'."
        raise ImportError(message) from error
    return plt


def plot_values(comparison: Comparison, ax: Any = None) -> Any:
    """Values and intervals, a panel for each metric."""
    metrics, n_models = comparison.metrics, len(comparison.models)
    axes = _panels(ax, len(metrics), (2 + 2.4 * len(metrics), 1.2 + 0.4 * n_models), sharey=True)
    for panel, metric in zip(axes, metrics, strict=True):
        rows = [row for row in comparison.rows if row.metric == metric]
        for place, row in enumerate(rows):
            color = "0.35" if row.other is None else "C0"
            panel.plot([row.low, row.high], [place, place], color=color, linewidth=2, solid_capstyle="butt")
            panel.plot([row.value], [place], "o", color=color, markersize=6)
        panel.set(title=metric, yticks=range(len(rows)), yticklabels=[row.model for row in rows])
        panel.set_ylim(len(rows) - 0.5, -0.5)
        panel.grid(axis="x", alpha=0.3)
        panel.locator_params(axis="x", nbins=4)
    axes[0].figure.supxlabel(f"value with {comparison.confidence_level * 100:g}% interval", fontsize="medium")
    return axes


def plot_pairs(comparison: Comparison, ax: Any = None) -> Any:
    """A map of the differences for each metric: the model of the row minus that of the column."""
    metrics, models = comparison.metrics, comparison.models
    n = len(models)
    side = 1.4 + 0.52 * n
    axes = _panels(ax, len(metrics), (1.0 + side * len(metrics), side + 0.4), sharey=True)
    place = {model: i for i, model in enumerate(models)}
    for panel, metric in zip(axes, metrics, strict=True):
        rows = [row for row in comparison.rows if row.metric == metric]
        for model, value in {row.model: row.value for row in rows}.items():
            panel.text(place[model], place[model], f"{value:.3f}", ha="center", va="center", fontsize=7.5, color="0.35")
        differences = np.full((n, n), np.nan)
        for row in rows:
            if row.other is None:
                continue
            at = place[row.model]
            star = "*" if row.p_adjusted < ALPHA else ""
            for i, j, difference in ((at, place[row.other], row.difference), (place[row.other], at, -row.difference)):
                differences[i, j] = difference
                panel.text(j, i, _signed(difference) + star, ha="center", va="center", fontsize=7.5)
        greatest = np.abs(differences[~np.isnan(differences)]).max(initial=0.0) or 1.0
        # Twice as far as needed: text stays readable on the pale half of the colours.
        panel.imshow(differences, cmap="RdBu", vmin=-2 * greatest, vmax=2 * greatest)
        panel.set_xticks(range(n), models, rotation=45, ha="right", rotation_mode="anchor")
        panel.set_yticks(range(n), models)
        panel.set_title(metric)
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
    note = f"row minus column, * if adjusted p < {ALPHA}; values on the diagonal"
    axes[0].figure.supxlabel(note, fontsize="small")
    return axes


def _signed(difference: float) -> str:
    """+.012: the leading zero says nothing."""
    text = f"{difference:+.3f}"
    return text[0] + text[2:] if text[1:3] == "0." else text


def _panels(ax: Any, n: int, figsize: tuple[float, float], *, sharey: bool) -> Any:
    """(n,) Axes of a new figure, or those that were passed."""
    plt = pyplot()
    if ax is None:
        _, ax = plt.subplots(1, n, sharey=sharey, layout="constrained", squeeze=False, figsize=figsize)
    axes = np.array(list(ax) if isinstance(ax, (list, tuple)) else ax, dtype=object, ndmin=1).ravel()
    if not all(isinstance(panel, plt.Axes) for panel in axes):
        message = f"`ax` must be matplotlib Axes or a list of them, got {ax!r}."
        raise TypeError(message)
    if len(axes) != n:
        message = f"`ax` must have one Axes for each of the {n} metrics, got {len(axes)}."
        raise ValueError(message)
    return axes
