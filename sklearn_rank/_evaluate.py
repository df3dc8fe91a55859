"""Many metrics and depths from one ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._measures import score_measures
from sklearn_rank._registry import Metric, check_options, find_metric
from sklearn_rank._validation import check_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from sklearn_rank._ranking import Measure

# Keywords that a request may set for itself although they belong to all metrics.
RANKING_OPTIONS = ("ties", "relevance_threshold", "zero_division")


class Request(NamedTuple):
    """One figure of a report."""

    key: str
    metric: Metric
    k: int | None
    options: dict[str, Any]

    @property
    def measure(self) -> Measure:
        """What to rank for."""
        own = {name: value for name, value in self.options.items() if name not in RANKING_OPTIONS}
        return self.metric.measure(self.k, **own)


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
    average : "samples" or None, default="samples"
        The weighted means over rows, or None for arrays of row values.
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
    shared = {"ties": ties, "relevance_threshold": relevance_threshold, "zero_division": zero_division}
    requests = parse_requests(metrics)
    out: dict[str, Any] = dict.fromkeys(request.key for request in requests)
    while requests:
        # All that can share one ranking; mostly that is everything.
        options = _ranking_options(requests[0], shared)
        together = [request for request in requests if _ranking_options(request, shared) == options]
        requests = [request for request in requests if _ranking_options(request, shared) != options]
        values = score_measures(
            [request.measure for request in together], y_true, y_scores, average=average, sample_weight=sample_weight,
            labels=labels, groups=groups, n_jobs=n_jobs, compute=compute, metric="evaluate", **options,
        )
        out.update((request.key, value) for request, value in zip(together, values, strict=True))
    return out


def _ranking_options(request: Request, shared: dict[str, Any]) -> dict[str, Any]:
    options = {name: request.options.get(name, value) for name, value in shared.items()}
    options["zero_division"] = check_number("zero_division", options["zero_division"], "a finite number or nan")
    if np.isnan(options["zero_division"]):  # one object: two nan would not be equal and not share a ranking
        options["zero_division"] = np.nan
    return options


def parse_requests(metrics: Any) -> list[Request]:
    """The requests of a report; texts, functions and tuples."""
    if isinstance(metrics, (str, bytes)) or callable(metrics) or not hasattr(metrics, "__iter__"):
        message = f"`metrics` must be a list such as ['map@10', 'mrr'], got {metrics!r}."
        raise TypeError(message)
    requests = [_parse_request(metric) for metric in metrics]
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
    foreign = sorted(set(options) & {"average", "sample_weight", "labels", "groups", "n_jobs", "compute"})
    if foreign:
        message = f"{', '.join(foreign)} cannot differ between the metrics of one report; pass it beside `metrics`."
        raise TypeError(message)
    if key is None:
        key = metric if isinstance(metric, str) else known.name
        if options:
            key += f"({', '.join(f'{name}={value}' for name, value in options.items())})"
    request = Request(key, known, k, dict(options))
    request.measure  # noqa: B018  its options are checked here, not at the first fold
    return request
