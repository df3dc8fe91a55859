"""Times of scorers beside the prediction that they need. `make bench`."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.neighbors import KNeighborsClassifier

from sklearn_rank import make_rank_scorer, map_at_k, rank_scorers


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 20))
    Y = (X @ rng.normal(size=(20, 50)) > 8).astype(int)
    return Ridge().fit(X, Y), X, Y


@pytest.mark.parametrize("which", ["predict alone", "make_scorer", "one scorer", "in batches", "six metrics"])
def test_scorers(benchmark, fitted, which):
    model, X, Y = fitted
    report = [f"{name}@10" for name in ("map", "ndcg", "mrr", "precision", "recall", "hit_rate")]
    run = {
        "predict alone": lambda: model.predict(X),
        "make_scorer": lambda: make_scorer(map_at_k, k=10)(model, X, Y),
        "one scorer": lambda: make_rank_scorer("map@10")(model, X, Y),
        "in batches": lambda: make_rank_scorer("map@10", batch_size=500)(model, X, Y),
        "six metrics": lambda: rank_scorers(report)(model, X, Y),
    }[which]
    benchmark.group = "scorers of Ridge, 5000x50"
    benchmark(run)


def test_nearest_neighbours(benchmark, fitted):
    _, X, Y = fitted
    model = KNeighborsClassifier(5).fit(X[:1000], Y[:1000])
    benchmark.group = "scorer of k-NN, 1000x50"
    benchmark.pedantic(make_rank_scorer("map@10"), (model, X[1000:2000], Y[1000:2000]), rounds=3)
