"""What the public metrics have in common: rows ranked and scored, the mean taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, cast

from sklearn_rank._options import attribute
from sklearn_rank.inputs._containers import is_dask
from sklearn_rank.metrics._dask import chunked_figures
from sklearn_rank.metrics._parts import figure_of, parts_of
from sklearn_rank.metrics._values import Asked, problem_for

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from sklearn_rank._options import Inputs, Options
    from sklearn_rank.metrics._measures import Measure

Ties = Literal["average", "first", "best", "worst"]
Gain = Literal["linear", "exponential"] | Mapping[float, float] | Sequence[float]
Function = TypeVar("Function", bound="Callable[..., Any]")


class GradedOptions(TypedDict, total=False):
    """The keywords that all metrics share, for the type checker."""

    ties: Ties
    zero_division: float
    sample_weight: ArrayLike | None
    labels: ArrayLike | None
    groups: ArrayLike | None
    n_jobs: int | None


class BinaryOptions(GradedOptions, total=False):
    """And those of the binary metrics."""

    relevance_threshold: float | None


def figures(asked: Sequence[Asked], inputs: Inputs, *, compute: bool = True) -> list[Any]:
    """Each figure's mean or row values, from one ranking; lazy ones of dask arrays with compute=False."""
    for one in asked:
        check_average_of(one)
    if is_dask(inputs.y_true) or is_dask(inputs.y_scores):
        return chunked_figures(asked, inputs, compute=compute)
    if not compute:
        message = "`compute=False` is for dask arrays; what is in memory is computed at once."
        raise ValueError(message)
    problem = problem_for(asked, inputs)
    parts = parts_of(asked, problem)
    return [figure_of(one, [part], problem.weights) for one, part in zip(asked, parts, strict=True)]


def check_average_of(asked: Asked) -> None:
    """Whether the measure has the average that is asked for."""
    measure, average = asked
    if average.average == "micro" and measure.denominator is None:
        what = "with denominator='hits' " if measure.name == "map_at_k" else ""
        message = f"`average`='micro' weighs rows by their denominators, and {measure.name} {what}has none."
        raise ValueError(message)
    if average.average == "macro" and not measure.per_label:
        message = (
            f"`average`='macro' is the mean over labels of precision, recall and F1, which {measure.name} here has "
            "not; map_at_k(Y.T, S.T) ranks the samples of each label."
        )
        raise ValueError(message)


def figure(measure: Measure, inputs: Inputs, options: Options) -> float | NDArray[np.float64]:
    """One figure: what a public function returns."""
    value: float | NDArray[np.float64] = figures([Asked(measure, options)], inputs)[0]
    return value


def metric_function(function: Function) -> Function:
    """Called with an estimator, as scoring=map_at_k does it, a metric names its scorer."""

    @wraps(function)
    def metric(*args: Any, **options: Any) -> Any:
        if args and attribute(args[0], "fit") is not None and not isinstance(args[0], type):
            name = function.__name__
            message = (
                f"{name} is a metric and was called with an estimator: pass scoring={name}_scorer instead of "
                f"scoring={name}, or make_rank_scorer({name}, ...) for other options."
            )
            raise TypeError(message)
        return function(*args, **options)

    return cast("Function", metric)
