"""Times of reports and comparisons. `make bench`."""

import pytest

from sklearn_rank import compare, evaluate

REPORT = [f"{name}@{k}" for name in ("precision", "recall", "map", "mrr", "ndcg", "hit_rate") for k in (1, 5, 10, 20)]


@pytest.mark.parametrize("n_figures", [1, 24])
def test_report(benchmark, problem, n_figures):
    y_true, y_scores = problem(20_000, 1000, 5)
    benchmark.group = "evaluate 20000x1000"
    benchmark.pedantic(evaluate, (y_true, y_scores, REPORT if n_figures == 24 else ["map@20"]), rounds=3)


def test_compare(benchmark, problem):
    y_true, first = problem(10_000, 100, 5)
    y_scores = {"first": first, "second": first[:, ::-1], "third": -first}
    benchmark.group = "compare 10000x100, 3 models, 4 metrics, 9999 resamples"
    benchmark.pedantic(compare, (y_true, y_scores, ["map@10", "ndcg@10", "mrr", "recall@5"]), rounds=1)
