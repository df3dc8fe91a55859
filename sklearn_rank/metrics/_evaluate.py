"""Many metrics and depths from one ranking."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._options import Inputs, Options, check_flag, frozen
from sklearn_rank.metrics._figures import check_average_of, figures
from sklearn_rank.metrics._registry import Metric, check_options, find_metric
from sklearn_rank.metrics._values import Asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike

    from sklearn_rank._options import Cutoff


# Keywords that a request may set for itself although they belong to all metrics.
RANKING_OPTIONS = ("ties", "relevance_threshold", "zero_division", "average")


class Request(NamedTuple):
    """One figure of a report."""

    key: str
    metric: Metric
    k: Cutoff
    options: dict[str, Any]

    @property
    def settings(self) -> tuple[Any, ...]:
        """What makes the figure: equal, and with an equal hash, for equal requests."""
        return self.key, self.metric.name, self.k, frozen(self.options)

    def asked(self, options: Options) -> Asked:
        """The measure, with what the request says otherwise than the whole report."""
        own = {name: value for name, value in self.options.items() if name not in RANKING_OPTIONS}
        other = {name: value for name, value in self.options.items() if name in RANKING_OPTIONS}
        measure = self.metric.measure(self.k, **own)
        if options.average == "samples":  # which nobody need have asked for
            other = {"average": measure.average, **other}
        return Asked(measure, replace(options, **other))


def report(requests: Sequence[Request], inputs: Inputs, options: Options, *, compute: bool = True) -> dict[str, Any]:
    """Several figures from one ranking, by their keys."""
    values = figures([request.asked(options) for request in requests], inputs, compute=compute)
    return dict(zip([request.key for request in requests], values, strict=True))


def evaluate(
    y_true: Any,
    y_scores: Any,
    metrics: Iterable[Any],
    *,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    average: str | None = "samples",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    compute: bool = True,
) -> dict[str, Any]:
    """Several metrics at several depths from one ranking.

    The rows are ranked once, at the deepest cutoff asked for; each figure equals that of its function.

    Parameters
    ----------
    y_true : array-like or sparse matrix
        As in the functions.
    y_scores : array-like or sparse matrix
        As in the functions.
    metrics : iterable of str or tuple
        Texts such as "map@10", "ndcg@5", "mrr" (the whole ranking) or "r_precision"; or (text, options)
        with keywords of that metric, reported as "map@10(denominator=k)"; or (text, options, key).
    relevance_threshold : float, default=None
        Grades of at least this value count as relevant for the binary metrics; graded ones read the
        grades.
    ties : {"average", "first", "best", "worst"}, default="average"
        As in the functions.
    zero_division : float, default=0.0
        As in the functions.
    average : {"samples", "micro", "macro"} or None, default="samples"
        As in the functions; None gives arrays of row values. A request may have its own. Propensity-scored metrics
        take "micro" where nothing else is asked for.
    sample_weight, labels, groups : array-like, default=None
        As in the functions.
    n_jobs : int, default=None
        Threads over blocks of rows.
    compute : bool, default=True
        With dask arrays, False returns lazy results.

    Returns
    -------
    dict of {str: float or ndarray}
        One figure for each request, in its order.

    Raises
    ------
    ValueError
        If a metric is unknown, a key comes twice, or the functions would raise.
    TypeError
        If a request is of a wrong kind or names a keyword that its metric does not have.

    See Also
    --------
    rank_scorers : The same inside cross-validation.

    Examples
    --------
    The relevant items have ranks 1 and 3:

    >>> from sklearn_rank import evaluate
    >>> evaluate([[1, 0, 1]], [[0.9, 0.5, 0.1]], ["precision@2", "mrr", ("map@2", {"denominator": "k"})])
    {'precision@2': 0.5, 'mrr': 1.0, 'map@2(denominator=k)': 0.5}
    """
    inputs = Inputs(y_true, y_scores, sample_weight, labels, groups)
    options = Options(ties, zero_division, average, relevance_threshold, n_jobs)
    return report(parse_requests(metrics), inputs, options, compute=check_flag("compute", compute))


def parse_requests(metrics: Any) -> list[Request]:
    """The requests of a report; texts, functions and tuples."""
    try:
        asked = None if isinstance(metrics, (str, bytes)) or callable(metrics) else list(metrics)
    except Exception:  # noqa: BLE001  what cannot be listed is no list, whatever it says itself
        asked = None
    if asked is None:
        message = f"`metrics` must be a list such as ['map@10', 'mrr'], got {metrics!r}."
        raise TypeError(message)
    requests = [_parse_request(metric) for metric in asked]
    if not requests:
        message = "`metrics` must name at least one metric, got none."
        raise ValueError(message)
    keys = [request.key for request in requests]
    repeated = next((key for key in keys if keys.count(key) > 1), None)
    if repeated is not None:
        message = f"`metrics` asks for {repeated!r} more than once; give one a key of its own: (text, options, key)."
        raise ValueError(message)
    return requests


def _parse_request(metric: Any) -> Request:
    options: dict[str, Any] = {}
    key = None
    if isinstance(metric, tuple):
        if len(metric) not in (2, 3) or not isinstance(metric[1], dict) or not isinstance(metric[-1], (dict, str)):
            message = f"A request must be a text, (text, options) or (text, options, key), got {metric!r}."
            raise TypeError(message)
        key = metric[2] if len(metric) == 3 else None
        metric, options = metric[:2]
    known, k, _ = find_metric(metric)
    check_options(known, options)
    foreign = sorted(set(options) & {"sample_weight", "labels", "groups", "n_jobs", "compute"})
    if foreign:
        message = f"{', '.join(foreign)} cannot differ between the metrics of one report; pass it beside `metrics`."
        raise TypeError(message)
    if key is None:
        key = metric if isinstance(metric, str) else known.name
        if options:
            shown = [f"{name}={value}" for name, value in options.items() if np.ndim(value) == 0 or name == "gain"]
            key += f"({', '.join(shown)})" if shown else ""
    request = Request(key, known, k, dict(options))
    check_average_of(request.asked(Options()))  # its options are checked here, not at the first fold
    return request
