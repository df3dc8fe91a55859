"""Small inputs, and calls that fail, for the tests of bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import map_at_k

Y = [[1, 0, 0], [0, 1, 1]]
S = [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
LABELS = ["a", "b", "c"]
CLASSES = (["a", "b", "c"], np.eye(3))
RANKING = ([0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0])


def frame(values, columns):
    return pd.DataFrame(values, columns=list(columns))


def bad(error, message, *args, metric=map_at_k, name=None, **options):
    """A call that fails with this error and a message that matches."""
    return pytest.param(metric, args, options, error, message, id=name or message)
