"""Coverage of compare's intervals and size and power of its test: `python benchmarks/simulate_compare.py`.

Rankings are drawn from one model of relevance and scores, so that the true value is known from a very
large sample. Two models of the same quality should get p-values that are uniform; a better one should be found.
"""

import numpy as np
from scipy.stats import kstest

from sklearn_rank import compare, ndcg_at_k
from sklearn_rank.comparison._compare import sign_flip_test

ITEMS, RELEVANT, K = 30, 3, 10


def rankings(rng, n, quality):
    """Relevance and the scores of two models; `quality` is what relevance adds to each."""
    y_true = rng.random((n, ITEMS)) < RELEVANT / ITEMS
    y_true[np.arange(n), rng.integers(0, ITEMS, n)] = True
    shared = rng.standard_normal((n, ITEMS))  # models see the same data, so they agree in part
    return y_true, {
        name: shared + rng.standard_normal((n, ITEMS)) + bonus * y_true
        for name, bonus in zip("ab", quality, strict=True)
    }


def main(repeats=1000, n_resamples=999):
    rng = np.random.default_rng(0)
    truth = {bonus: ndcg_at_k(*large(rng, bonus), K) for bonus in (0.8, 1.0)}
    print(f"nDCG@{K} of {ITEMS} items, {n_resamples} resamples, {repeats} repeats, 4000 for equal models")
    print("| rankings | coverage of values | of differences | p <= 0.05, equal models | p uniform (KS p-value) | p <= 0.05, planted |")
    print("|---|---|---|---|---|---|")
    for n in (10, 25, 50, 200):
        covered, covered_difference, planted = [], [], []
        for _ in range(repeats):
            options = {"n_resamples": n_resamples, "random_state": rng}
            a, b = compare(*rankings(rng, n, (0.8, 0.8)), [f"ndcg@{K}"], **options).rows
            covered.append(a.low <= truth[0.8] <= a.high)
            covered_difference.append(b.difference_low <= 0 <= b.difference_high)
            b = compare(*rankings(rng, n, (0.8, 1.0)), [f"ndcg@{K}"], **options).rows[1]
            planted.append(b.p_value)
        equal = p_values_of_equal_models(rng, n, n_resamples)
        print(
            f"| {n} | {np.mean(covered):.3f} | {np.mean(covered_difference):.3f} | {np.mean(equal <= 0.05):.3f} | "
            f"{kstest(equal, 'uniform').pvalue:.2f} | {np.mean(np.array(planted) <= 0.05):.2f} |",
            flush=True,
        )


def p_values_of_equal_models(rng, n, n_resamples, repeats=4000):
    """The test alone on many data sets of n rankings."""
    y_true, y_scores = rankings(rng, n * repeats, (0.8, 0.8))
    a, b = (ndcg_at_k(y_true, scores, K, average=None).reshape(repeats, n) for scores in y_scores.values())
    return np.array([sign_flip_test(row[None], n_resamples, rng)[0] for row in b - a])


def large(rng, bonus):
    y_true, y_scores = rankings(rng, 400_000, (bonus, bonus))
    return y_true, y_scores["a"]


if __name__ == "__main__":
    main()
