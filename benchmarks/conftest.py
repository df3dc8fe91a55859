"""One maker of problems for all benchmarks."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest


@pytest.fixture(scope="session")
def problem() -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """Relevance and scores of a model better than chance; `levels` rounds the scores, so that they tie."""

    def make(rows: int, items: int, relevant: int, levels: int | None = None, dtype: type = np.float64):
        rng = np.random.default_rng(0)
        y_true = rng.random((rows, items)) < relevant / items
        y_scores = (rng.standard_normal((rows, items)) + y_true).astype(dtype)
        if levels is not None:
            y_scores = np.round(y_scores * levels) / levels
        return y_true, y_scores

    return make


@pytest.fixture(scope="session")
def peak() -> Callable[..., int]:
    """Peak of extra memory of a call in bytes."""

    def measure(function, *args):
        tracemalloc.start()
        function(*args)
        out = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return out

    return measure
