"""How time grows with rows and with items: `python benchmarks/growth.py` prints the curves of README.md."""

import time

import numpy as np

from sklearn_rank import map_at_k

SIZES = (1, 2.5, 6.3, 15.8, 39.8, 100)  # six points over a range of 100


def seconds(rows, items, k):
    rng = np.random.default_rng(0)
    y_true = rng.random((rows, items), dtype=np.float32) < 5 / items
    y_scores = rng.random((rows, items), dtype=np.float32)
    best = np.inf
    for _ in range(7):
        start = time.perf_counter()
        map_at_k(y_true, y_scores, k)
        best = min(best, time.perf_counter() - start)
    return best


def curve(what, shapes, k):
    print(f"\n| {what} | scores | ms | ns a score |\n|---|---|---|---|")
    for size, (rows, items) in shapes:
        took = seconds(rows, items, k)
        print(f"| {size} | {rows * items:.2g} | {took * 1e3:.3g} | {took / rows / items * 1e9:.2f} |", flush=True)


if __name__ == "__main__":
    for k in (10, None):
        title = f"k={k}"
        curve(f"rows, 1000 items, {title}", [(n, (n, 1000)) for n in (round(1000 * size) for size in SIZES)], k)
        curve(f"items, 1000 rows, {title}", [(m, (1000, m)) for m in (round(500 * size) for size in SIZES)], k)
