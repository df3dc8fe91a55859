"""Kinds of ids that can be equal, and whether two sides share one."""

from __future__ import annotations

from datetime import date
from numbers import Number
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


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
