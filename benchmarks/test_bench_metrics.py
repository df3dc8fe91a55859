"""Times of the metrics on every kind of input. `make bench`; no time decides a test."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import label_ranking_average_precision_score, ndcg_score

from sklearn_rank import map_at_k, mapk, ndcg_at_k
from sklearn_rank.metrics._registry import METRICS

SIZES = {"300x20": (300, 20, 3), "20000x1000": (20_000, 1000, 5), "2000x10000": (2000, 10_000, 20)}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ties", ["untied", "tied"])
def test_map_at_10(benchmark, problem, peak, size, ties):
    y_true, y_scores = problem(*SIZES[size], levels=4 if ties == "tied" else None)
    benchmark.group = f"MAP@10 {size} {ties}"
    benchmark.extra_info["memory of the input"] = peak(map_at_k, y_true, y_scores, 10) / (
        y_true.nbytes + y_scores.nbytes
    )
    assert 0 < benchmark(map_at_k, y_true, y_scores, 10) < 1


@pytest.mark.parametrize("name", METRICS)
def test_each_metric(benchmark, problem, name):
    y_true, y_scores = problem(5000, 500, 10)
    benchmark.group = "each metric, 5000x500, whole ranking"
    assert benchmark.pedantic(METRICS[name].function, (y_true, y_scores), rounds=3) > 0


@pytest.mark.parametrize("which", ["sklearn_rank", "scikit-learn"])
@pytest.mark.parametrize("metric", ["nDCG", "MAP"])
def test_against_scikit_learn(benchmark, problem, metric, which):
    y_true, y_scores = problem(5000, 500, 10)
    benchmark.group = f"{metric} 5000x500, whole ranking"
    ours, theirs = {"nDCG": (ndcg_at_k, ndcg_score), "MAP": (map_at_k, label_ranking_average_precision_score)}[metric]
    benchmark.pedantic(ours if which == "sklearn_rank" else theirs, (y_true, y_scores), rounds=3)
    if metric == "nDCG":
        assert ours(y_true, y_scores) == pytest.approx(theirs(y_true, y_scores), rel=1e-12)


@pytest.mark.parametrize("form", ["dense", "sparse", "groups", "labels", "lists"])
def test_each_input(benchmark, problem, form):
    y_true, y_scores = problem(5000, 100, 3)
    benchmark.group = "MAP@10 5000x100 by input"
    if form == "dense":
        benchmark(map_at_k, y_true, y_scores, 10)
    elif form == "sparse":
        benchmark(map_at_k, sparse.csr_array(y_true), sparse.csr_array(y_scores), 10)
    elif form == "groups":
        ids = np.repeat(np.arange(5000), 100)
        benchmark(lambda: map_at_k(y_true.ravel(), y_scores.ravel(), 10, groups=ids))
    elif form == "labels":
        benchmark(lambda: map_at_k(y_scores.argmin(axis=1), y_scores, 10, labels=np.arange(100)))
    else:
        actual = [np.flatnonzero(row).tolist() for row in y_true]
        predicted = np.argsort(-y_scores, axis=1)[:, :10].tolist()
        benchmark(mapk, actual, predicted, 10)
