"""What is larger than memory may be is scored in parts."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from sklearn_rank import make_rank_scorer, rank_scorers


@pytest.fixture(scope="module")
def wide():
    """A linear model of 20,000 labels and 100,000 rows with two labels each: 16 GB of float64 scores, 8 of float32."""
    rng = np.random.default_rng(0)
    n, m = 100_000, 20_000
    model = Ridge(fit_intercept=False)
    model.coef_ = rng.standard_normal((m, 8), dtype=np.float32)
    model.intercept_ = 0.0
    model.n_features_in_ = 8
    columns = rng.integers(0, m, (n, 2))
    columns[:, 1] = (columns[:, 0] + 1 + columns[:, 1] % (m - 1)) % m
    Y = sparse.csr_array(
        (np.ones(2 * n, np.int8), np.sort(columns, axis=1).ravel(), np.arange(n + 1) * 2), shape=(n, m)
    )
    # The first label is what the features point at.
    X = model.coef_[Y.indices[::2]] + 0.5 * rng.standard_normal((n, 8), dtype=np.float32)
    return model, X, Y


class TestBatches:
    def test_peak_memory_is_that_of_a_batch(self, wide):
        model, X, Y = wide
        scorer = rank_scorers(["map@10", "hit_rate@1"], batch_size=1000)
        tracemalloc.start()
        values = scorer(model, X, Y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        batch = 1000 * 20_000 * 4
        assert peak < 3 * batch + 64e6
        assert peak < 1e9
        assert 0 < values["hit_rate@1"] < values["map@10"] * 2 < 2

    def test_the_value_does_not_depend_on_the_batch(self, wide):
        model, X, Y = wide
        some = slice(0, 3000)
        values = [
            make_rank_scorer("map@10", batch_size=batch_size)(model, X[some], Y[some])
            for batch_size in (None, 999, 3000, 10**9)
        ]
        # Products of matrices of another height may differ in the last bit.
        assert values == pytest.approx([values[0]] * 4, rel=1e-6)
