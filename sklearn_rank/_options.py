"""What all figures share: checks of single values, and the texts of errors."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

RAGGED_HINT = (
    "for rankings of different length use 1-D `y_true` and `y_scores` with `groups=`, "
    "or `from_lists` / `from_qrels` for lists of ids"
)
SCORER_HINT = (
    "As a scorer, use make_rank_scorer or a ready one (map_at_k_scorer, ...): they see the "
    "estimator and put its columns in order, which make_scorer cannot."
)


def name_of(x: Any) -> str:
    """The type of x in a message."""
    return type(x).__name__


def check_k(k: Any) -> int | None:
    """`k` as a Python integer of at least 1, or None."""
    if k is None:
        return None
    if isinstance(k, (int, np.integer)) and not isinstance(k, bool):
        if k >= 1:
            return min(int(k), 10**300)  # a float holds it
        message = f"`k` must be an integer of at least 1 or None, got {k}."
        raise ValueError(message)
    several = isinstance(k, (list, tuple, np.ndarray))
    hint = "; for several cutoffs in one go use evaluate or rank_scorers" if several else ""
    message = f"`k` must be an integer of at least 1 or None, got {k!r} ({type(k).__name__}){hint}."
    raise TypeError(message)


def check_count(name: str, value: Any) -> int:
    """`value` as a Python integer of at least 1."""
    try:
        return check_k(value) or check_k(0) or 0  # None is no count
    except (TypeError, ValueError) as error:
        message = f"`{name}` must be an integer of at least 1, got {value!r}."
        raise type(error)(message) from None


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """`value` if it is one of the choices."""
    if isinstance(value, str) and value in choices:
        return value
    expected = ", ".join(repr(choice) for choice in choices)
    message = f"`{name}` must be one of {expected}, got {value!r}."
    raise ValueError(message)


def check_average(average: Any, metric: str) -> None:
    """`average` is "samples" or None."""
    if average is None or (isinstance(average, str) and average == "samples"):
        return
    hint = f"; {metric}(Y.T, S.T) ranks the samples of each label" if average == "macro" else ""
    message = f"`average` must be 'samples' or None, got {average!r}{hint}."
    raise ValueError(message)


def check_number(name: str, value: Any, expected: str, *, low: float = -np.inf, high: float = np.inf) -> float:
    """`value` as a float strictly between the limits; nan where the text of `expected` says so."""
    if not isinstance(value, Real):
        message = f"`{name}` must be {expected}, got {value!r} ({type(value).__name__})."
        raise TypeError(message)
    number = float(value)
    if low < number < high or (np.isnan(number) and "nan" in expected):
        return number
    message = f"`{name}` must be {expected}, got {value!r}."
    raise ValueError(message)
