"""Kinds of ids that can be equal, and the warning where two sides share none."""

from __future__ import annotations

import sys
import warnings
from datetime import date
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PACKAGE = str(Path(__file__).parent.parent / "_")[:-1]  # with the separator at its end


def kinds_of(types: Iterable[type]) -> dict[type, str]:
    """Kinds of ids, all numbers, all text, all days or one type, each with the name of a type."""
    kinds: dict[type, str] = {}
    for type_ in set(types) - {type(None)}:
        kinds[next((kind for kind in (Number, str, date) if issubclass(type_, kind)), type_)] = type_.__name__
    return kinds


def apart(left: Iterable[type], right: Iterable[type]) -> str:
    """As in "int against str" where ids of these types can never be equal; "" where they can, or there are none."""
    kinds = kinds_of(left), kinds_of(right)
    if not all(kinds) or not kinds[0].keys().isdisjoint(kinds[1]):
        return ""
    return " against ".join(", ".join(sorted(side.values())) for side in kinds)


def warn_caller(message: str) -> None:
    """Warn with the line outside of the package that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
