"""Averages over labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn_rank.inputs._problem import Problem
    from sklearn_rank.metrics._values import Asked


def macro_figure(asked: Asked, problem: Problem) -> float:
    raise NotImplementedError
