"""What a metric costs beside another one, in CPU time of one thread: `python benchmarks/ratios.py`."""

import time

import numpy as np
from sklearn.metrics import roc_auc_score

from sklearn_rank import map_at_k, ndcg_at_k, precision_at_k, psndcg_at_k, roc_auc, top_k

REPEATS = 7


def race(ours, others):
    """Milliseconds of each, the minimum over repeats."""
    calls = [ours, *others]
    best = [np.inf] * len(calls)
    for call in calls:
        call()
    for _ in range(REPEATS):
        for place, call in enumerate(calls):
            start = time.process_time()
            call()
            best[place] = min(best[place], time.process_time() - start)
    return [1000 * seconds for seconds in best]


def line(work, ours, **others):
    """A row of the table for each of the others."""
    mine, *theirs = race(ours, others.values())
    for name, milliseconds in zip(others, theirs, strict=True):
        print(f"| {work} | {mine:.3g} ms | {name}, {milliseconds:.3g} ms | {mine / milliseconds:.2g} |")


def main():
    rng = np.random.default_rng(0)
    print("| work | sklearn_rank | other | ratio |\n|---|---|---|---|")
    y = rng.random((10_000, 100)) < 0.05
    y[:, 0] = True
    s = rng.random(y.shape, np.float32)
    flat, scores, groups = y.ravel(), s.ravel(), np.repeat(np.arange(len(y)), 100)
    line(
        "`roc_auc`, 10000 queries of 100 documents",
        lambda: roc_auc(flat, scores, groups=groups),
        **{
            "loop over `roc_auc_score`, 500 queries": lambda: [roc_auc_score(y[i], s[i]) for i in range(500)],
            "`map_at_k`": lambda: map_at_k(flat, scores, groups=groups),
        },
    )
    y, s = rng.random((20_000, 1000)) < 0.005, rng.random((20_000, 1000))
    propensity = rng.uniform(0.1, 1, 1000)
    precision = {"`precision_at_k`": lambda: precision_at_k(y, s, 10)}
    size = "20000 x 1000, k=10"
    line(f'`precision_at_k`, `average="micro"`, {size}', lambda: precision_at_k(y, s, 10, average="micro"), **precision)
    line(f'`precision_at_k`, `average="macro"`, {size}', lambda: precision_at_k(y, s, 10, average="macro"), **precision)
    line(
        f"`psndcg_at_k`, {size}",
        lambda: psndcg_at_k(y, s, 10, propensity=propensity),
        **{"`ndcg_at_k`": lambda: ndcg_at_k(y, s, 10)},
    )
    line(f"`top_k`, {size}", lambda: top_k(s, 10), argpartition=lambda: np.argpartition(s, -10, axis=1))


if __name__ == "__main__":
    main()
