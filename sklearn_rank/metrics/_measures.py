"""What is asked of a ranking: a kernel with its options checked, a cutoff, and a view of the grades."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._options import check_choice, check_k, check_number, name_of
from sklearn_rank.inputs._containers import numeric, to_numpy
from sklearn_rank.metrics import _kernels
from sklearn_rank.ranking._gains import (
    HIGHEST_EXPONENT,
    HIGHEST_GRADE,
    BinaryView,
    GradedView,
    JudgedView,
    PropensityView,
    TableView,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from sklearn_rank._options import Cutoff

    Kernel = Callable[[Any], NDArray[Any]]


@lru_cache(maxsize=64)
def binary_view(threshold: float | None) -> View:
    """The binary view at a threshold; one object for each, which a small problem need not make several times."""
    return BinaryView(threshold)


class Measure(NamedTuple):
    """A kernel and what it wants to see."""

    name: str  # of the public function
    kernel: Kernel
    k: Cutoff
    view: Callable[[float | None], View] = binary_view  # of a relevance threshold
    denominator: Kernel | None = None  # what rows weigh in a micro average; None where there is none
    per_label: bool = False  # whether it has an average over labels
    always_defined: bool = False  # also for rows without a relevant item
    average: str = "samples"  # unless another is asked for
    of_highest: Callable[[float], Measure] | None = None  # what to use once the highest grade is known


def precision_measure(k: Cutoff) -> Measure:
    """Precision at k."""
    return Measure("precision_at_k", _kernels.precision, check_k(k), denominator=_kernels.ranks, per_label=True)


def recall_measure(k: Cutoff, denominator: str = "relevant") -> Measure:
    """Recall at k."""
    check_choice("denominator", denominator, ("relevant", "attainable"))
    kernel, weight = (partial(f, denominator=denominator) for f in (_kernels.recall, _kernels.relevant_items))
    return Measure("recall_at_k", kernel, check_k(k), denominator=weight, per_label=denominator == "relevant")


def f1_measure(k: Cutoff) -> Measure:
    """F1 at k."""
    weight = _kernels.ranks_and_relevant_items
    return Measure("f1_at_k", _kernels.f1, check_k(k), denominator=weight, per_label=True)


def hit_rate_measure(k: Cutoff) -> Measure:
    """Hit rate at k."""
    return Measure("hit_rate_at_k", _kernels.hit_rate, check_k(k))


def map_measure(k: Cutoff, denominator: str = "attainable") -> Measure:
    """Average precision at k."""
    check_choice("denominator", denominator, ("attainable", "relevant", "k", "hits"))
    kernel = partial(_kernels.average_precision, denominator=denominator)
    weight = None if denominator == "hits" else partial(_kernels.relevant_items, denominator=denominator)
    return Measure("map_at_k", kernel, check_k(k), denominator=weight)


def mrr_measure(k: Cutoff) -> Measure:
    """Reciprocal rank at k."""
    return Measure("mrr_at_k", _kernels.reciprocal_rank, check_k(k))


def r_precision_measure(k: None = None) -> Measure:
    """R-precision."""
    return Measure("r_precision", _kernels.r_precision, k, denominator=_kernels.relevant_items)


def roc_auc_measure(k: None = None) -> Measure:
    """Area under the ROC curve."""
    return Measure("roc_auc", _kernels.roc_auc, k, denominator=_kernels.pairs)


# ---- graded


def dcg_measure(k: Cutoff, gain: Any = "linear") -> Measure:
    """DCG at k."""
    form, view = _check_gain(gain)
    return Measure("dcg_at_k", partial(_kernels.dcg, gain=form), check_k(k), view)


def ndcg_measure(k: Cutoff, gain: Any = "linear") -> Measure:
    """NDCG at k."""
    form, view = _check_gain(gain)
    kernel, weight = (partial(f, gain=form) for f in (_kernels.ndcg, _kernels.ideal_dcg))
    return Measure("ndcg_at_k", kernel, check_k(k), view, denominator=weight)


def _check_gain(gain: Any) -> tuple[str, Callable[[float | None], View]]:
    """The form of a gain for kernels, and the view of its grades."""
    if isinstance(gain, str) or not isinstance(gain, (Mapping, list, tuple, np.ndarray)):
        expected = "'linear', 'exponential', a dict {grade: gain} or a list of the gains of the grades 0, 1, 2, ..."
        if isinstance(gain, str) and gain in ("linear", "exponential"):
            highest = HIGHEST_EXPONENT if gain == "exponential" else HIGHEST_GRADE
            return gain, partial(_fixed_view, view=GradedView(highest))
        message = f"`gain` must be {expected}, got {gain!r} ({name_of(gain)})."
        raise (ValueError if isinstance(gain, str) else TypeError)(message)
    listed = np.atleast_1d(gain).tolist() if isinstance(gain, np.ndarray) else gain
    table = dict(gain) if isinstance(gain, Mapping) else dict(enumerate(listed))
    if not table:
        message = f"`gain` must have an entry for each grade, got {gain!r}."
        raise ValueError(message)
    for grade, value in table.items():
        for what, number in (("a grade", grade), ("the gain of a grade", value)):
            if not _is_gain(number):
                message = f"`gain` must hold finite numbers >= 0, and {what} is {number!r}."
                raise ValueError(message)
    if table.get(0, 0) != 0:
        message = f"`gain` must give the grade 0 the gain 0, got {table[0]!r}: irrelevant items gain nothing."
        raise ValueError(message)
    grades = tuple(sorted(map(float, table)))
    gains = {float(grade): float(value) for grade, value in table.items()}
    return "linear", partial(_fixed_view, view=TableView(grades, tuple(gains[grade] for grade in grades)))


def _is_gain(number: Any) -> bool:
    """Whether it is a number that a gain or a grade may be."""
    try:
        return 0 <= check_number("gain", number, "a number") <= HIGHEST_GRADE
    except (TypeError, ValueError):
        return False


def _fixed_view(threshold: float | None, view: View) -> View:  # noqa: ARG001  graded metrics read grades
    return view


def err_measure(k: Cutoff, max_grade: float | None = None) -> Measure:
    """Expected reciprocal rank at k."""
    if max_grade is not None:
        expected = f"a number above 0 and up to {HIGHEST_EXPONENT:g}, or None"
        max_grade = check_number("max_grade", max_grade, expected, low=0, high=np.nextafter(HIGHEST_EXPONENT, np.inf))
        return _err(check_k(k), max_grade)
    return _err(check_k(k), HIGHEST_EXPONENT)._replace(of_highest=partial(_err, check_k(k)))


def _err(k: Cutoff, max_grade: float) -> Measure:
    max_grade = min(max_grade, HIGHEST_EXPONENT)
    kernel = partial(_kernels.expected_reciprocal_rank, max_grade=max_grade)
    return Measure("err_at_k", kernel, k, partial(_fixed_view, view=GradedView(max_grade)))


def rbp_measure(k: None = None, p: float = 0.8) -> Measure:
    """Rank-biased precision."""
    p = check_number("p", p, "a number between 0 and 1", low=0, high=1)
    return Measure("rbp", partial(_kernels.rank_biased_precision, p=p), k, _graded_or_binary)


def _graded_or_binary(threshold: float | None) -> View:
    return GradedView() if threshold is None else BinaryView(threshold)


# ---- judged items


def bpref_measure(k: None = None) -> Measure:
    """Binary preference."""
    return Measure("bpref", _kernels.bpref, k, _judged_view, denominator=_kernels.relevant_items)


def judged_measure(k: Cutoff) -> Measure:
    """Judged items at k."""
    kernel, weight = _kernels.judged, _kernels.ranks
    return Measure("judged_at_k", kernel, check_k(k), _judged_view, denominator=weight, always_defined=True)


def _judged_view(threshold: float | None) -> View:
    return JudgedView(BinaryView(threshold))


# ---- propensities


def psprecision_measure(k: Cutoff, propensity: Any = None) -> Measure:
    """Propensity-scored precision at k."""
    return _propensity_measure("psprecision_at_k", _kernels.gained, _kernels.best_gain_per_rank, k, propensity)


def psrecall_measure(k: Cutoff, propensity: Any = None) -> Measure:
    """Propensity-scored recall at k."""
    return _propensity_measure("psrecall_at_k", _kernels.gained, _kernels.best_gain_per_relevant_item, k, propensity)


def psndcg_measure(k: Cutoff, propensity: Any = None) -> Measure:
    """Propensity-scored nDCG at k."""
    kernel = partial(_kernels.ndcg, gain="linear")
    return _propensity_measure("psndcg_at_k", kernel, _kernels.ideal_dcg_of_hits, k, propensity)


def _propensity_measure(name: str, kernel: Kernel, weight: Kernel, k: Cutoff, propensity: Any) -> Measure:
    view = partial(_propensity_view, propensity=check_propensity(propensity))
    return Measure(name, kernel, check_k(k), view, denominator=weight, average="micro")


def check_propensity(propensity: Any) -> NDArray[np.float64]:
    """(n_items,) numbers above 0 and up to 1."""
    if propensity is None:
        message = (
            "`propensity` is required: one number per column, as label_propensities makes them of training labels."
        )
        raise TypeError(message)
    values = np.asarray(numeric(to_numpy(propensity, "propensity"), "propensity"), dtype=np.float64)
    if values.ndim != 1 or not values.size:
        message = f"`propensity` must hold one number per column, (n_items,), got shape {values.shape}."
        raise ValueError(message)
    wrong = values[~((values > 0) & (values <= 1))]
    if wrong.size:
        message = f"`propensity` must hold probabilities above 0 and up to 1, got {wrong[0]:g}."
        raise ValueError(message)
    return values


def _propensity_view(threshold: float | None, propensity: NDArray[np.float64]) -> View:
    return PropensityView(BinaryView(threshold), propensity)
