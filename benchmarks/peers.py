"""Side by side with other ways to the same number, in one run: `python benchmarks/peers.py [NAME ...]`.

The repeats of all contestants are interleaved, so that a busy machine hits all alike; the minimum
counts. Prints the table of README.md. Packages that are not installed are left out
(`pip install -e '.[peers]'` has them all).
"""

import importlib.metadata
import importlib.util
import platform
import sys
import time
from datetime import date

import numpy as np
from scipy import sparse
from sklearn.metrics import label_ranking_average_precision_score, ndcg_score, top_k_accuracy_score

from sklearn_rank import evaluate, map_at_k, mapk, ndcg_at_k

FIGURES = [f"{m}@{k}" for m in ("precision", "recall", "map", "mrr", "ndcg", "hit_rate") for k in (1, 5, 10, 20)]


def race(contestants, seconds=6.0, repeats=7):
    """Minimum seconds of each."""
    best = dict.fromkeys(contestants, np.inf)
    until = time.perf_counter() + seconds
    for repeat in range(repeats):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
        if repeat and time.perf_counter() > until:
            break
    return best


def problem(rows, items, relevant, dtype=np.float64):
    rng = np.random.default_rng(0)
    y_true = rng.random((rows, items)) < relevant / items
    return y_true, (rng.standard_normal((rows, items)) + y_true).astype(dtype)


def average_precision(hits, n_relevant):
    """MAP@k of (n, k) hits in rank order."""
    k = hits.shape[1]
    return np.mean((hits.cumsum(axis=1) * hits / np.arange(1, k + 1)).sum(axis=1) / np.clip(n_relevant, 1, k))


def by_argsort(y_true, y_scores, k):
    best = np.argsort(-y_scores, axis=1)[:, :k]
    return average_precision(np.take_along_axis(y_true, best, axis=1), y_true.sum(axis=1))


def by_argpartition(y_true, y_scores, k):
    best = np.argpartition(y_scores, -k, axis=1)[:, -k:]
    order = np.argsort(-np.take_along_axis(y_scores, best, axis=1), axis=1)
    return average_precision(
        np.take_along_axis(y_true, np.take_along_axis(best, order, axis=1), axis=1), y_true.sum(axis=1)
    )


def by_torch(y_true, y_scores, k, threads):
    import torch

    torch.set_num_threads(threads)
    best = torch.topk(torch.from_numpy(y_scores), k, dim=1).indices
    return average_precision(torch.gather(torch.from_numpy(y_true), 1, best).numpy(), y_true.sum(axis=1))


def by_rank_of_the_label(labels, y_scores, k):
    rank = 1 + (y_scores > y_scores[np.arange(len(labels)), labels][:, None]).sum(axis=1)
    return np.where(rank <= k, 1 / rank, 0).mean()


def by_sets(actual, predicted, k):
    total = 0.0
    for wanted, found in zip(map(set, actual), predicted, strict=True):
        hits, score, seen = 0, 0.0, set()
        for rank, item in enumerate(found[:k], 1):
            if item in wanted and item not in seen:
                seen.add(item)
                hits += 1
                score += hits / rank
        total += score / min(len(wanted), k) if wanted else 0.0
    return total / len(actual)


def by_rows(y_true, y_scores, k):
    """A loop over the rows of sparse matrices."""
    total = 0.0
    for row in range(y_true.shape[0]):
        stored = slice(y_scores.indptr[row], y_scores.indptr[row + 1])
        best = y_scores.indices[stored][np.argsort(-y_scores.data[stored])[:k]]
        relevant = y_true.indices[y_true.indptr[row] : y_true.indptr[row + 1]]
        total += average_precision(np.isin(best, relevant)[None, :], np.array([len(relevant)]))
    return total / y_true.shape[0]


def dense(title, rows, items, relevant, k, dtype=np.float64, others=(), **limits):
    y_true, y_scores = problem(rows, items, relevant, dtype)
    contestants = {"sklearn_rank": lambda: map_at_k(y_true, y_scores, k)}
    if "argsort" in others:
        contestants["argsort and cumsum"] = lambda: by_argsort(y_true, y_scores, k)
    else:
        contestants["argpartition and cumsum"] = lambda: by_argpartition(y_true, y_scores, k)
    if "ndcg_score" in others:
        contestants["`ndcg_score`"] = lambda: ndcg_score(y_true, y_scores, k=k, ignore_ties=True)
    if "threads" in others:
        contestants["sklearn_rank, n_jobs=2"] = lambda: map_at_k(y_true, y_scores, k, n_jobs=2)
        if importlib.util.find_spec("torch"):
            contestants["torch.topk and cumsum, 2 threads"] = lambda: by_torch(y_true, y_scores, k, 2)
    return title, contestants, limits


def small():
    return dense("MAP@10, 300 x 20", 300, 20, 3, 10, others=("argsort", "ndcg_score"), repeats=300)


def medium():
    return dense("MAP@10, 20000 x 1000", 20_000, 1000, 5, 10, others=("threads",))


def wide():
    return dense("MAP@10, 4000 x 10000, float32", 4000, 10_000, 5, 10, np.float32)


def deep():
    return dense("MAP@100, 2000 x 10000", 2000, 10_000, 20, 100)


def labels():
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 100, 200_000)
    y_scores = rng.standard_normal((200_000, 100))
    y_scores[np.arange(200_000), y_true] += 1.5
    return (
        "MAP@3 of labels, 200000 x 100",
        {
            "sklearn_rank": lambda: map_at_k(y_true, y_scores, 3),
            "comparing with the label's score": lambda: by_rank_of_the_label(y_true, y_scores, 3),
            "`top_k_accuracy_score`": lambda: top_k_accuracy_score(y_true, y_scores, k=3),
        },
        {},
    )


def lists():
    rng = np.random.default_rng(2)
    predicted = [[f"item{i}" for i in row] for row in rng.permuted(np.tile(np.arange(60), (50_000, 1)), axis=1)[:, :12]]
    actual = [[f"item{i}" for i in rng.choice(60, rng.integers(1, 15), replace=False)] for _ in range(50_000)]
    contestants = {
        "sklearn_rank": lambda: mapk(actual, predicted, 12),
        "loop with Python sets": lambda: by_sets(actual, predicted, 12),
    }
    if importlib.util.find_spec("pytrec_eval"):
        import pytrec_eval

        qrels = {str(i): dict.fromkeys(ids, 1) for i, ids in enumerate(actual)}
        run = {str(i): {item: -float(rank) for rank, item in enumerate(ids)} for i, ids in enumerate(predicted)}
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map_cut.12"})
        contestants["pytrec_eval, dicts ready"] = lambda: evaluator.evaluate(run)
    return "`mapk`, 50000 lists of 12 strings", contestants, {"repeats": 3}


def grouped(metric="MAP"):
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(10_000), rng.integers(20, 180, 10_000))
    grades = rng.choice(5, len(groups), p=[0.6, 0.2, 0.1, 0.06, 0.04]).astype(float)
    y_scores = rng.standard_normal(len(groups)) + grades / 2
    y_true, ours, theirs = {
        "MAP": ((grades > 0).astype(float), map_at_k, "MAP:top=10"),
        "nDCG": (grades, ndcg_at_k, "NDCG:top=10;type=Base"),
    }[metric]
    contestants = {"sklearn_rank": lambda: ours(y_true, y_scores, 10, groups=groups)}
    if importlib.util.find_spec("catboost"):
        from catboost.utils import eval_metric

        contestants["CatBoost `eval_metric`"] = lambda: eval_metric(
            y_true, y_scores, theirs, group_id=groups, thread_count=1
        )
    return f"{metric}@10, {len(groups)} documents in 10000 queries", contestants, {}


def grouped_ndcg():
    return grouped("nDCG")


def sparse_scores():
    rng = np.random.default_rng(4)

    def csr(stored, values):
        columns = np.sort(rng.integers(0, 100_000, (50_000, stored)), axis=1).ravel()
        matrix = sparse.csr_array((values, columns, np.arange(50_001) * stored), shape=(50_000, 100_000))
        matrix.sum_duplicates()
        return matrix

    y_true, y_scores = csr(8, np.ones(400_000)), csr(100, rng.random(5_000_000) + 0.1)
    y_true.data[:] = 1
    return (
        "MAP@5, sparse, 50000 x 100000, 100 scores a row",
        {
            "sklearn_rank": lambda: map_at_k(y_true, y_scores, 5),
            "loop over rows": lambda: by_rows(y_true, y_scores, 5),
        },
        {"repeats": 3},
    )


def whole_map():
    y_true, y_scores = problem(5000, 500, 10)
    return (
        "MAP, 5000 x 500, whole ranking",
        {
            "sklearn_rank": lambda: map_at_k(y_true, y_scores),
            "`label_ranking_average_precision_score`": lambda: label_ranking_average_precision_score(y_true, y_scores),
        },
        {},
    )


def whole_ndcg():
    y_true, y_scores = problem(5000, 500, 10)
    return (
        "nDCG, 5000 x 500, whole ranking",
        {
            "sklearn_rank": lambda: ndcg_at_k(y_true, y_scores),
            "`ndcg_score`, ties averaged": lambda: ndcg_score(y_true, y_scores),
            "`ndcg_score`, ignore_ties=True": lambda: ndcg_score(y_true, y_scores, ignore_ties=True),
        },
        {},
    )


def report():
    y_true, y_scores = problem(20_000, 1000, 5)
    return (
        "24 figures, 20000 x 1000",
        {
            "sklearn_rank": lambda: evaluate(y_true, y_scores, FIGURES),
            "MAP@20 alone": lambda: map_at_k(y_true, y_scores, 20),
        },
        {},
    )


def ties():
    rng = np.random.default_rng(5)
    y_scores = np.round(rng.random((20_000, 200)) * 20) / 20
    y_true = rng.random(y_scores.shape) < 0.05
    return (
        "MAP@10, 20000 x 200, 21 different scores",
        {
            "sklearn_rank": lambda: map_at_k(y_true, y_scores, 10),
            "argpartition, whose order is arbitrary": lambda: by_argpartition(y_true, y_scores, 10),
        },
        {},
    )


WORK = {
    f.__name__: f
    for f in (
        small,
        medium,
        wide,
        deep,
        labels,
        lists,
        grouped,
        grouped_ndcg,
        sparse_scores,
        whole_map,
        whole_ndcg,
        report,
        ties,
    )
}


def main(names):
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("numpy", "scikit-learn", "catboost", "torch", "pytrec-eval-terrier")
        if importlib.util.find_spec({"scikit-learn": "sklearn", "pytrec-eval-terrier": "pytrec_eval"}.get(name, name))
    )
    print(f"{date.today()}, {platform.machine()}, Python {platform.python_version()}, {versions}\n")
    print("| work | sklearn_rank | other | ratio |\n|---|---|---|---|")
    for name in names or WORK:
        title, contestants, limits = WORK[name]()
        best = race(contestants, **limits)
        for other, seconds in best.items():
            if other.startswith("sklearn_rank"):
                continue
            ours = best["sklearn_rank, n_jobs=2" if "2 threads" in other else "sklearn_rank"]
            print(
                f"| {title} | {ours * 1e3:.3g} ms | {other}, {seconds * 1e3:.3g} ms | {ours / seconds:.2g} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
