"""What tests over the registry share: metrics with the options they need, and truths of the kind they read."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import STEEP, VARIANTS, fitted, row_value, row_values
from scipy import sparse

from sklearn_rank.metrics._registry import METRICS

TIES = ("average", "first", "best", "worst")
SHARED = {
    "average",
    "groups",
    "labels",
    "n_jobs",
    "relevance_threshold",
    "sample_weight",
    "ties",
    "zero_division",
}
NAN = float("nan")


def those(condition):
    """The metrics of which something is true, one test each."""
    return pytest.mark.parametrize(
        "metric", [pytest.param(metric, id=name) for name, metric in METRICS.items() if condition(metric)]
    )


every_metric = those(lambda metric: True)
metrics_with_k = those(lambda metric: metric.takes_k)
binary_metrics = those(lambda metric: not metric.graded)
metrics_of_any_form = those(lambda metric: metric.needs is None)  # propensities belong to columns


def name_of(metric):
    """The public name."""
    return metric.function.__name__


def only_graded(metric):
    """Whether grades always count as they are; a metric with a threshold may take them, too."""
    return "relevance_threshold" not in metric.options


def variants(metric):
    """Each setting of a metric's own options."""
    return VARIANTS.get(metric.name, [{}])


def needed(metric, n_columns):
    """What the metric needs beside the data."""
    return {} if metric.needs is None else fitted({metric.needs: STEEP}, n_columns)


def call(metric, y_true, y_scores, k=None, **options):
    """The public function with what it needs; a k only where it takes one."""
    columns = max(1, np.shape(y_scores)[1]) if np.ndim(y_scores) == 2 or sparse.issparse(y_scores) else 1
    options = {**needed(metric, columns), **fitted(options, columns)}
    return metric.function(y_true, y_scores, *((k,) if metric.takes_k else ()), **options)


def score(metric, y_true, y_scores, k=None, **options):
    """The mean of the rows' values unless asked otherwise, whatever the metric's own default is."""
    return call(metric, y_true, y_scores, k, **{"average": "samples", **options})


def measure_of(metric, k=None, n_columns=4):
    """What the metric asks of a ranking."""
    return metric.measure(k, **needed(metric, n_columns))


def judged_only(y_true):
    """A sparse truth that stores what was judged; NaN is not stored."""
    y_true = np.asarray(y_true)
    row, column = np.nonzero(~np.isnan(y_true.astype(float)))
    return sparse.coo_array((y_true[row, column], (row, column)), shape=y_true.shape)


def for_loops(y_true):
    """Rows as the loops read them: lists, unjudged items below 0."""
    return np.where(np.isnan(np.asarray(y_true, float)), -1, y_true).tolist()


def loops(metric, y_true, y_scores, k=None, ties="average", **options):
    """The row values by plain loops."""
    y_scores = np.asarray(y_scores).tolist()
    options = {**needed(metric, len(y_scores[0])), **fitted(options, len(y_scores[0]))}
    return row_values(metric.name, for_loops(y_true), y_scores, k if metric.takes_k else None, ties, **options)


def undefined(metric, y_true, y_scores, **options):
    """(n_rows,) whether a row is worth `zero_division`, by the definition."""
    y_scores = np.asarray(y_scores).tolist()
    options = fitted(options, len(y_scores[0]))
    rows = zip(for_loops(y_true), y_scores, strict=True)
    return np.array([row_value(metric.name, truth, row, 1, "first", None, **options) is None for truth, row in rows])
