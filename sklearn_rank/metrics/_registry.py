"""One row a metric: what evaluate, the scorers, the tests and the reports need to know of it."""

from __future__ import annotations

import difflib
import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn_rank._options import cutoff_of_text, name_of
from sklearn_rank.metrics import _binary, _graded, _judged, _measures, _propensity_metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from sklearn_rank._options import Cutoff
    from sklearn_rank.metrics._measures import Measure


@dataclass(frozen=True)
class Metric:
    """A metric as the registry knows it."""

    function: Callable[..., Any]
    measure: Callable[..., Measure]  # of k and the metric's own options
    graded: bool = False  # reads grades as they are
    greatest: float | None = 1.0  # the upper end of the range, None if there is none
    grows_with_k: bool | None = None  # whether a greater k never lowers it; None without a k
    from_data: str | None = None  # the option whose default is read off the whole y_true
    needs: str | None = None  # the option without a default, one number per column
    judged: bool = False  # tells unjudged items, NaN or below 0, from irrelevant ones
    reached: bool = True  # whether a perfect ranking scores `greatest`

    @property
    def name(self) -> str:
        """The text form without a cutoff: the function's name without `_at_k`."""
        return self.function.__name__.removesuffix("_at_k")

    @property
    def is_ready(self) -> bool:
        """Whether it needs nothing said beside k: no data of its own, no scale."""
        return self.from_data is None and self.needs is None

    @property
    def takes_k(self) -> bool:
        """Whether the function has a parameter `k`."""
        return self.grows_with_k is not None

    @property
    def options(self) -> dict[str, Any]:
        """The function's own keywords with their defaults."""
        parameters = inspect.signature(self.function).parameters
        return {name: p.default for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}


METRICS = {
    metric.name: metric
    for metric in (
        Metric(_judged.bpref, _measures.bpref_measure, judged=True),
        Metric(_graded.dcg_at_k, _measures.dcg_measure, graded=True, greatest=None, grows_with_k=True),
        Metric(
            _graded.err_at_k,
            _measures.err_measure,
            graded=True,
            grows_with_k=True,
            from_data="max_grade",
            reached=False,
        ),
        Metric(_binary.f1_at_k, _measures.f1_measure, grows_with_k=False),
        Metric(_binary.hit_rate_at_k, _measures.hit_rate_measure, grows_with_k=True),
        Metric(_judged.judged_at_k, _measures.judged_measure, grows_with_k=False, judged=True),
        Metric(_binary.map_at_k, _measures.map_measure, grows_with_k=False),
        Metric(_binary.mrr_at_k, _measures.mrr_measure, grows_with_k=True),
        Metric(_graded.ndcg_at_k, _measures.ndcg_measure, graded=True, grows_with_k=False),
        Metric(_binary.precision_at_k, _measures.precision_measure, grows_with_k=False),
        Metric(_propensity_metrics.psndcg_at_k, _measures.psndcg_measure, grows_with_k=False, needs="propensity"),
        Metric(
            _propensity_metrics.psprecision_at_k, _measures.psprecision_measure, grows_with_k=False, needs="propensity"
        ),
        Metric(_propensity_metrics.psrecall_at_k, _measures.psrecall_measure, grows_with_k=False, needs="propensity"),
        Metric(_binary.r_precision, _measures.r_precision_measure),
        Metric(_graded.rbp, _measures.rbp_measure, graded=True, greatest=None),
        Metric(_binary.recall_at_k, _measures.recall_measure, grows_with_k=True),
        Metric(_binary.roc_auc, _measures.roc_auc_measure),
    )
}


# What trec_eval, ir_measures, ranx, torchmetrics and recommender libraries say, in lower case.
OTHER_NAMES = {
    **dict.fromkeys(("ap", "average_precision", "mean_average_precision", "apk", "mapk", "lrap", "mean_ap"), "map"),
    **dict.fromkeys(
        ("rr", "recip_rank", "reciprocal_rank", "mean_reciprocal_rank", "mean_recip_rank", "mrr_score"), "mrr"
    ),
    **dict.fromkeys(
        ("success", "hit", "hits", "hr", "hitrate", "hit_ratio", "hitratio", "top_k_accuracy", "accuracy"), "hit_rate"
    ),
    **dict.fromkeys(("p", "prec", "set_p"), "precision"),
    **dict.fromkeys(("r", "rec", "sensitivity", "set_recall"), "recall"),
    **dict.fromkeys(("f", "f_1", "f_measure", "set_f"), "f1"),
    **dict.fromkeys(("rprec", "r_prec", "rprecision"), "r_precision"),
    **dict.fromkeys(("normalized_dcg", "normalised_dcg", "normalized_discounted_cumulative_gain", "n_dcg"), "ndcg"),
    **dict.fromkeys(("discounted_cumulative_gain", "dcg_gain"), "dcg"),
    **dict.fromkeys(("expected_reciprocal_rank", "err_ia"), "err"),
    **dict.fromkeys(("rank_biased_precision",), "rbp"),
    **dict.fromkeys(("auc", "roc", "auroc", "gauc", "roc_auc_score"), "roc_auc"),
    **dict.fromkeys(("binary_preference",), "bpref"),
    **dict.fromkeys(("psp", "ps_precision"), "psprecision"),
    **dict.fromkeys(("psn", "ps_ndcg", "psdcg"), "psndcg"),
}


def find_metric(metric: Any) -> tuple[Metric, Cutoff, bool]:
    """A function or a text such as "map@10" → (metric, k, whether the text names k)."""
    if callable(metric):
        for known in METRICS.values():
            if known.function is metric:
                return known, None, False
        message = f"`metric` must be a metric of sklearn_rank or its text form such as 'map@10', got {metric!r}."
        raise ValueError(message)
    if not isinstance(metric, str):
        message = f"`metric` must be a function of sklearn_rank or a text such as 'map@10', got {name_of(metric)}."
        raise TypeError(message)
    name, at, cutoff = metric.partition("@")
    if name not in METRICS:
        message = (
            f"Unknown metric {metric!r}{_suggestion(metric)} Known are {', '.join(sorted(METRICS))}, "
            "those with a cutoff as in 'map@10'."
        )
        raise ValueError(message)
    if not at:
        return METRICS[name], None, False
    if not METRICS[name].takes_k:
        message = f"{name} takes no k, got {metric!r}."
        raise ValueError(message)
    try:
        return METRICS[name], cutoff_of_text(cutoff), True
    except ValueError as error:
        message = f"The k of {metric!r} must be {error}."
        raise ValueError(message) from None


def _suggestion(metric: str) -> str:
    """What another library's name is called here, or the nearest of our names if one is near."""
    plain = re.sub(r"[\s\-]+", "_", metric.strip().lower())
    found = re.fullmatch(r"(.*?)(?:_at_k|_score|_cut)*(?:_?@_?|_at_|_)?(\d*)", plain)
    name, cutoff = found.groups() if found else (plain, "")
    near = difflib.get_close_matches(name, METRICS, n=1, cutoff=0.65)
    known = name if name in METRICS else OTHER_NAMES.get(name, near[0] if near else None)
    if known is None:
        return "."
    if cutoff and METRICS[known].takes_k:
        known += f"@{cutoff}"
    return f": did you mean {known!r}?"


def check_options(metric: Metric, options: dict[str, Any]) -> None:
    """Refuse keywords that the metric does not have."""
    known = metric.options
    unknown = [name if isinstance(name, str) else repr(name) for name in options if name not in known]
    if unknown:
        message = f"{metric.function.__name__} has no keyword {', '.join(unknown)}; it has {', '.join(known)}."
        raise TypeError(message)


def require_fixed(metric: Metric, options: dict[str, Any]) -> None:
    """Parts of the data are comparable only if no option is read off each part."""
    if metric.from_data is not None and options.get(metric.from_data) is None:
        message = (
            f"{metric.name} needs `{metric.from_data}` here: the default is read off y_true, so that folds or "
            f"batches would not compare. Pass {metric.from_data}=4, or the highest grade of your scale; in a list of "
            f"metrics as ({metric.name!r}, {{{metric.from_data!r}: 4}})."
        )
        raise ValueError(message)
