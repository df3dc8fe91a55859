"""Figures of docs/scale.md: `python benchmarks/scale.py [--most 1e9]`.

Seconds of each route from 10^6 scores on, the floor (one pass over the scores), the cost of a part in an accumulator
and of a chunk in dask, and what follows for 10^12 scores.
"""

import argparse
import time
from functools import partial

import numpy as np
from scipy import sparse

from sklearn_rank import RankingAccumulator, evaluate, map_at_k

ITEMS = 10_000
ROUTES = {"k=10": (10, 1), "k=100": (100, 1), "whole ranking": (None, 1), "k=10, 2 threads": (10, 2)}


def fastest(run, repeats=3):
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def data(rows):
    """float32 scores and five relevant items a row; random bits are drawn once and repeated."""
    rng = np.random.default_rng(0)
    block = rng.random((min(rows, 1000), ITEMS), dtype=np.float32)
    y_scores = np.empty((rows, ITEMS), np.float32)
    for start in range(0, rows, len(block)):
        part = y_scores[start : start + len(block)]
        part[:] = np.roll(block, start, axis=1)[: len(part)]
    columns = np.sort(rng.integers(0, ITEMS // 5, (rows, 5)) + np.arange(5) * (ITEMS // 5), axis=1)
    indptr = np.arange(rows + 1) * 5
    return sparse.csr_array((np.ones(5 * rows, np.int8), columns.ravel(), indptr), shape=(rows, ITEMS)), y_scores


def routes(most):
    print("| scores | one pass | " + " | ".join(ROUTES) + " |\n|---|---|" + "---|" * len(ROUTES))
    for size in (size for size in (1e6, 1e7, 1e8, 1e9) if size <= most):
        y_true, y_scores = data(int(size) // ITEMS)
        repeats = 3 if size < 1e9 else 2
        times = [fastest(partial(np.max, y_scores, axis=1), repeats)]
        for k, n_jobs in ROUTES.values():
            times.append(fastest(partial(map_at_k, y_true, y_scores, k, n_jobs=n_jobs), repeats))
        print(f"| {size:.0e} | " + " | ".join(f"{t:.3g} s, {t / size * 1e9:.2f} ns" for t in times) + " |", flush=True)


def parts():
    """What a part costs beside its scores."""
    y_true, y_scores = data(1)
    accumulator = RankingAccumulator(["map@10"])
    print(f"\na part in an accumulator: {fastest(lambda: accumulator.update(y_true, y_scores), 20) * 1e3:.2f} ms")
    y_true, y_scores = np.array([[0, 1], [1, 0]] * 1000), np.array([[2.0, 1.0], [2.0, 1.0]] * 1000)
    whole = fastest(lambda: evaluate(y_true, y_scores, ["map@10"]), 20)
    try:
        import dask
        import dask.array as da
    except ImportError:
        return
    with dask.config.set(scheduler="synchronous"):
        for chunks in (100, 1000):
            size = len(y_true) // chunks
            lazy = da.from_array(y_true, (size, 2)), da.from_array(y_scores, (size, 2))
            took = fastest(partial(evaluate, *lazy, ["map@10"]))
            print(
                f"a chunk in dask, {chunks} chunks in one process: {(took - whole) / chunks * 1e3:.2f} ms", flush=True
            )
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster):
        for chunks in (100, 1000):
            size = len(y_true) // chunks
            lazy = da.from_array(y_true, (size, 2)), da.from_array(y_scores, (size, 2))
            took = fastest(partial(evaluate, *lazy, ["map@10"]))
            print(f"a chunk on a cluster, {chunks} chunks on two workers: {took / chunks * 1e3:.2f} ms", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=float, default=1e9)
    routes(parser.parse_args().most)
    parts()
