"""What all figures share: their options, their data, checks of single values, and the texts of errors."""

from __future__ import annotations

import re
import sys
import warnings
from dataclasses import astuple, dataclass
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    Cutoff = float | Literal["relevant"] | None  # an int is one of the floats
    from types import FrameType

RAGGED_HINT = (
    "for rankings of different length use 1-D `y_true` and `y_scores` with `groups=`, "
    "or `from_lists` / `from_qrels` for lists of ids"
)
SCORER_HINT = (
    "As a scorer, use make_rank_scorer or a ready one (map_at_k_scorer, ...): they see the "
    "estimator and put its columns in order, which make_scorer cannot."
)
TIES = ("average", "first", "best", "worst")
AVERAGES = ("samples", "micro", "macro")
PACKAGE = str(Path(__file__).parent)
# Between a user's line and this package; a warning about their data names that line.
BETWEEN = ("sklearn", "joblib", "dask", "distributed", "threading", "concurrent")


@dataclass(frozen=True, eq=False)
class Options:
    """How a figure is made of its rows; checked when it is made."""

    ties: str = "average"
    zero_division: float = 0.0
    average: str | None = "samples"
    relevance_threshold: float | None = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_choice("ties", self.ties, TIES)
        zero_division = check_number("zero_division", self.zero_division, "a finite number or nan")
        object.__setattr__(self, "zero_division", zero_division)
        check_average(self.average)
        given: Any = self.relevance_threshold
        if given is not None:
            threshold = check_number("relevance_threshold", given, "a finite number or None")
            if isinstance(given, Integral):  # beyond 2**53 a float is another number
                threshold = int(given)
            object.__setattr__(self, "relevance_threshold", threshold)
        check_n_jobs(self.n_jobs)

    def __reduce__(self) -> tuple[Any, ...]:
        return Options, astuple(self)

    def __eq__(self, other: object) -> bool:
        return frozen(astuple(self)) == frozen(astuple(other)) if isinstance(other, Options) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozen(astuple(self)))


@dataclass(frozen=True, eq=False)
class Inputs:
    """The data of a figure, as users pass them."""

    y_true: Any
    y_scores: Any
    sample_weight: Any = None
    labels: Any = None
    groups: Any = None


def name_of(x: Any) -> str:
    """The type of x in a message."""
    return type(x).__name__


def shown(x: Any) -> str:
    """What was found, in a message; a damaged matrix fails when it is printed."""
    try:
        return f"{x!r} ({name_of(x)})"
    except Exception:  # noqa: BLE001  whatever the object raises
        return f"an object of the type {name_of(x)}"


def attribute(x: Any, name: str, default: Any = None) -> Any:
    """An attribute of anything; an object that fails when it is asked does not have it."""
    try:
        return getattr(x, name, default)
    except Exception:  # noqa: BLE001  whatever the object raises
        return default


def frozen(value: Any) -> Any:
    """Options of any kind as something that compares and hashes by what it holds."""
    if isinstance(value, dict):
        return tuple((frozen(key), frozen(value[key])) for key in sorted(value, key=repr))
    if isinstance(value, (list, tuple)):
        return tuple(map(frozen, value))
    if isinstance(value, np.ndarray):
        return frozen(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    return "nan" if isinstance(value, float) and np.isnan(value) else value


# ---- checks of single values


def is_integer(value: Any) -> bool:
    """Whether a value is an integer of Python or NumPy; truth values and durations are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def check_flag(name: str, value: Any) -> bool:
    """`value` as a truth value."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    message = f"`{name}` must be True or False, got {value!r} ({name_of(value)})."
    raise TypeError(message)


def check_k(k: Any) -> Cutoff:
    """`k` as a Python integer of at least 1, a fraction between 0 and 1, "relevant" or None."""
    expected = "an integer of at least 1, a fraction between 0 and 1, 'relevant' or None"
    if k is None:
        return None
    if isinstance(k, str) and k == "relevant":
        return "relevant"
    if is_integer(k):
        if k >= 1:
            return min(int(k), 10**300)  # a float holds it
    elif isinstance(k, (float, np.floating)):
        if 0 < k < 1:
            return float(str(k))  # the decimal that is shown, of short floats, too
    else:
        several = isinstance(k, (list, tuple, np.ndarray))
        hint = "; for several cutoffs in one go use evaluate or rank_scorers" if several else ""
        message = f"`k` must be {expected}, got {k!r} ({name_of(k)}){hint}."
        raise TypeError(message)
    kind = "" if is_integer(k) else f" ({name_of(k)})"
    message = f"`k` must be {expected}, got {k}{kind}."
    raise ValueError(message)


def check_count(name: str, value: Any) -> int:
    """`value` as a Python integer of at least 1."""
    if is_integer(value) and value >= 1:
        return int(value)
    message = f"`{name}` must be an integer of at least 1, got {value!r}."
    raise (ValueError if is_integer(value) else TypeError)(message)


def cutoff_text(k: Cutoff) -> str:
    """A cutoff as it stands behind the @ of a text."""
    if k == "relevant":
        return "R"
    return f"{(Decimal(str(k)) * 100).normalize():f}%" if isinstance(k, float) else str(k)


def cutoff_of_text(text: str) -> Cutoff:
    """What stands behind the @: an integer, a percentage or R; ValueError if it is none."""
    if text == "R":
        return "relevant"
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?%", text) and 0 < Decimal(text[:-1]) < 100:
        return float(Decimal(text[:-1]) / 100)
    if re.fullmatch(r"[0-9]+", text) and text.strip("0"):
        return check_k(int(text[:400]))
    message = f"an integer of at least 1, a percentage below 100% or R, got {text!r}"
    raise ValueError(message)


def check_n_jobs(n_jobs: Any) -> None:
    """`n_jobs` is None or an integer other than 0, as joblib understands it."""
    if n_jobs is None:
        return
    kind = TypeError
    if is_integer(n_jobs):
        if n_jobs != 0:
            return
        kind = ValueError  # type: ignore[assignment]
    message = f"`n_jobs` must be an integer other than 0 (-1 for all cores) or None, got {n_jobs!r}."
    raise kind(message)


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """`value` if it is one of the choices."""
    if isinstance(value, str) and value in choices:
        return value
    expected = ", ".join(repr(choice) for choice in choices)
    message = f"`{name}` must be one of {expected}, got {value!r}."
    raise ValueError(message)


def check_average(average: Any) -> None:
    """`average` is one of its words or None."""
    if average is None or (isinstance(average, str) and average in AVERAGES):
        return
    message = f"`average` must be {', '.join(map(repr, AVERAGES))} or None, got {average!r}."
    raise ValueError(message)


def check_number(name: str, value: Any, expected: str, *, low: float = -np.inf, high: float = np.inf) -> float:
    """`value` as a float strictly between the limits; nan where the text of `expected` says so."""
    if isinstance(value, (bool, np.bool_, np.timedelta64)) or not isinstance(value, Real):
        message = f"`{name}` must be {expected}, got {value!r} ({name_of(value)})."
        raise TypeError(message)
    try:
        number = float(value)
    except OverflowError:
        message = f"`{name}` must be {expected}, got a number beyond the range of floats."
        raise ValueError(message) from None
    if low < number < high or (np.isnan(number) and "nan" in expected):
        return number
    message = f"`{name}` must be {expected}, got {value!r}."
    raise ValueError(message)


# ---- warnings


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package, be it through scikit-learn, joblib or dask."""
    level, nearest = 2, 0
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "").split(".")[0]
        if not frame.f_code.co_filename.startswith(PACKAGE):
            nearest = nearest or level
            if module not in BETWEEN:
                break
        level += 1
        frame = frame.f_back
    else:
        level = nearest
    warnings.warn(message, category, stacklevel=level)
