"""What is asked of a ranking: a kernel with its options checked, a cutoff, and a view of the grades."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._options import check_choice, check_k, check_number
from sklearn_rank.metrics import _kernels
from sklearn_rank.ranking._gains import HIGHEST_EXPONENT, HIGHEST_GRADE, BinaryView, GradedView, RankedGains, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Measure(NamedTuple):
    """A kernel and what it wants to see."""

    kernel: Callable[[RankedGains], NDArray[Any]]
    k: int | None
    view: Callable[[float | None], View] = BinaryView  # of a relevance threshold
    of_highest: Callable[[float], Measure] | None = None  # what to use once the highest grade is known


def precision_measure(k: int | None) -> Measure:
    """Precision at k."""
    return Measure(_kernels.precision, check_k(k))


def recall_measure(k: int | None, denominator: str = "relevant") -> Measure:
    """Recall at k."""
    check_choice("denominator", denominator, ("relevant", "attainable"))
    return Measure(partial(_kernels.recall, denominator=denominator), check_k(k))


def f1_measure(k: int | None) -> Measure:
    """F1 at k."""
    return Measure(_kernels.f1, check_k(k))


def hit_rate_measure(k: int | None) -> Measure:
    """Hit rate at k."""
    return Measure(_kernels.hit_rate, check_k(k))


def map_measure(k: int | None, denominator: str = "attainable") -> Measure:
    """Average precision at k."""
    check_choice("denominator", denominator, ("attainable", "relevant", "k", "hits"))
    return Measure(partial(_kernels.average_precision, denominator=denominator), check_k(k))


def mrr_measure(k: int | None) -> Measure:
    """Reciprocal rank at k."""
    return Measure(_kernels.reciprocal_rank, check_k(k))


def dcg_measure(k: int | None, gain: str = "linear") -> Measure:
    """DCG at k."""
    check_choice("gain", gain, ("linear", "exponential"))
    return Measure(partial(_kernels.dcg, gain=gain), check_k(k), _graded(gain))


def ndcg_measure(k: int | None, gain: str = "linear") -> Measure:
    """NDCG at k."""
    check_choice("gain", gain, ("linear", "exponential"))
    return Measure(partial(_kernels.ndcg, gain=gain), check_k(k), _graded(gain))


def _graded(gain: str) -> Callable[[float | None], View]:
    highest = HIGHEST_EXPONENT if gain == "exponential" else HIGHEST_GRADE
    return partial(_graded_view, highest=highest)


def _graded_view(threshold: float | None, highest: float) -> View:  # noqa: ARG001  graded metrics read grades
    return GradedView(highest)


def err_measure(k: int | None, max_grade: float | None = None) -> Measure:
    """Expected reciprocal rank at k."""
    if max_grade is not None:
        expected = f"a number above 0 and up to {HIGHEST_EXPONENT:g}, or None"
        max_grade = check_number("max_grade", max_grade, expected, low=0, high=np.nextafter(HIGHEST_EXPONENT, np.inf))
        return _err(check_k(k), max_grade)
    return _err(check_k(k), HIGHEST_EXPONENT)._replace(of_highest=partial(_err, check_k(k)))


def _err(k: int | None, max_grade: float) -> Measure:
    max_grade = min(max_grade, HIGHEST_EXPONENT)
    kernel = partial(_kernels.expected_reciprocal_rank, max_grade=max_grade)
    return Measure(kernel, k, partial(_graded_view, highest=max_grade))


def rbp_measure(k: None = None, p: float = 0.8) -> Measure:
    """Rank-biased precision."""
    p = check_number("p", p, "a number between 0 and 1", low=0, high=1)
    return Measure(partial(_kernels.rank_biased_precision, p=p), k, _graded_or_binary)


def _graded_or_binary(threshold: float | None) -> View:
    return GradedView() if threshold is None else BinaryView(threshold)


def r_precision_measure(k: None = None) -> Measure:
    """R-precision."""
    return Measure(_kernels.r_precision, k)
