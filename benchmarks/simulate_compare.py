"""Coverage of compare's intervals, size and power: `python benchmarks/simulate_compare.py [--repeats 2000]`.

Rankings are drawn from a pool of 200,000, whose means are the truth. Models a and b of the pool are equally good, c is
better. Rows see the same noise in part, so that models agree in part. In clusters (1 to 9 rankings, as many of each
size) the quality of each model varies from cluster to cluster, so that rankings of one are not independent.
"""

import argparse

import numpy as np
from scipy import stats

from sklearn_rank import evaluate
from sklearn_rank.comparison._resampling import (
    Draws,
    bootstrap_means,
    interval_levels,
    sign_flip_test,
    t_test,
    unit_sums,
)

POOL, ITEMS, RELEVANT = 200_000, 30, 3
METRICS = ["ndcg@10", "mrr", "recall@10", "hit_rate@5"]
QUALITY = {"a": 0.8, "b": 0.8, "c": 1.0}
LEVEL = 0.95


def pool_of_rankings(rng, clusters):
    """Row values {metric: {model: (POOL,)}}; `clusters` are codes or None."""
    y_true = rng.random((POOL, ITEMS)) < RELEVANT / ITEMS
    y_true[np.arange(POOL), rng.integers(0, ITEMS, POOL)] = True
    shared = rng.standard_normal((POOL, ITEMS), np.float32)
    reports = {}
    for name, bonus in QUALITY.items():
        quality = np.full(POOL, bonus)
        if clusters is not None:
            quality += 0.5 * rng.standard_normal(clusters.max() + 1)[clusters]
        scores = shared + rng.standard_normal((POOL, ITEMS), np.float32) + quality[:, None] * y_true
        reports[name] = evaluate(y_true, scores, METRICS, average=None)
    return {metric: {name: report[metric] for name, report in reports.items()} for metric in METRICS}


def intervals(sums, weights, seed, n_resamples):
    """{method: ends} of the mean of (n_units,) sums."""
    n = len(sums)
    mean = sums.sum() / weights.sum()
    apart = sums - weights * mean
    if not apart.any():
        return dict.fromkeys(("percentile", "BCa", "studentised", "taken"), (mean, mean))
    columns = np.column_stack([sums, sums**2, sums * weights, weights**2])
    draws = bootstrap_means(columns, weights, Draws(n_resamples, seed))
    means, squares, crossed, weight_squares = draws.T
    tail = (1 - LEVEL) / 2
    found = {"percentile": np.quantile(means, (tail, 1 - tail))}
    found["taken"] = np.quantile(means, interval_levels(LEVEL, n))
    share = np.clip(((means < mean).mean() + (means <= mean).mean()) / 2, 1e-3, 1 - 1e-3)
    bias, acceleration = stats.norm.ppf(share), (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    z = bias + stats.norm.ppf((tail, 1 - tail))
    found["BCa"] = np.quantile(means, stats.norm.cdf(bias + z / (1 - acceleration * z)))
    # The sums of squares are ratios to the resampled weight, which cancels but for one factor.
    spread = np.sqrt(np.clip(squares - 2 * means * crossed + means**2 * weight_squares, 0, None) / weights.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        studentised = np.where(spread > 1e-9, (means - mean) / spread, np.sign(means - mean) * np.inf)
    low, high = np.quantile(np.nan_to_num(studentised, nan=0.0), (tail, 1 - tail), method="nearest")
    error = np.sqrt((apart**2).sum()) / weights.sum()
    found["studentised"] = mean - high * error, mean - low * error
    return found


def samples(rng, pool_clusters, n, repeats):
    """(rankings, codes) of data sets of n rankings, or of n clusters."""
    for _ in range(repeats):
        if pool_clusters is None:
            yield rng.integers(0, POOL, n), None
        else:
            members, starts = pool_clusters
            drawn = rng.integers(0, len(starts) - 1, n)
            lengths = starts[drawn + 1] - starts[drawn]
            codes = np.repeat(np.arange(n), lengths)
            yield (
                members[np.repeat(starts[drawn] - (np.cumsum(lengths) - lengths), lengths) + np.arange(len(codes))],
                codes,
            )


def line(rng, pool, pool_clusters, n, options):
    """Coverage of the values of a and the differences of c, size for b and power for c, all beside a."""
    truth = {name: _truth(pool[name], pool_clusters) for name in QUALITY}
    covered = {what: {} for what in ("value", "difference")}
    p_values = {test: {"b": [], "c": []} for test in ("sign-flip", "t")}
    for repeat, (rows, codes) in enumerate(samples(rng, pool_clusters, n, options.repeats)):
        values = {name: pool[name][rows] for name in QUALITY}
        weights = np.ones(len(rows)) if codes is None else np.bincount(codes).astype(float)
        columns = np.column_stack([values["a"], values["c"] - values["a"], values["b"] - values["a"]])
        sums = unit_sums(columns, codes)
        draws = Draws(options.resamples, repeat)
        for what, column, right in (("value", 0, truth["a"]), ("difference", 1, truth["c"] - truth["a"])):
            for method, (low, high) in intervals(sums[:, column], weights, repeat, options.resamples).items():
                covered[what].setdefault(method, []).append(low - 1e-12 <= right <= high + 1e-12)
        for test, found in (("sign-flip", sign_flip_test(sums[:, 1:], draws)), ("t", t_test(sums[:, 1:], weights))):
            p_values[test]["c"].append(found[0])
            p_values[test]["b"].append(found[1])
    cells = [
        f"{np.mean(covered[what][method]):.3f}"
        for what in covered
        for method in ("percentile", "BCa", "studentised", "taken")
    ]
    cells += [f"{np.mean(np.array(p_values[test]['b']) <= 0.05):.3f}" for test in p_values]
    return cells + [f"{np.mean(np.array(p_values[test]['c']) <= 0.05):.2f}" for test in p_values]


def _truth(values, pool_clusters):
    """The limit of the mean over drawn clusters: each as likely, with all its rankings."""
    if pool_clusters is None:
        return values.mean()
    members, starts = pool_clusters
    return np.add.reduceat(values[members], starts[:-1]).sum() / len(members)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2000, help="data sets a line")
    parser.add_argument("--resamples", type=int, default=999)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{options.repeats} data sets a line, {options.resamples} resamples, {LEVEL:.0%} intervals, tests at 5%")
    heads = [
        f"{what}: {method}"
        for what in ("value", "difference")
        for method in ("percentile", "BCa", "studentised", "taken")
    ]
    for clusters, numbers in ((None, (10, 25, 50, 100, 200)), (True, (10, 25, 50, 100))):
        unit = "rankings" if clusters is None else "clusters"
        codes = None
        pool_clusters = None
        if clusters:
            sizes = np.resize(np.arange(1, 10), POOL // 5 - POOL // 45)
            codes = np.repeat(np.arange(len(sizes)), sizes)[:POOL]
            codes = np.concatenate([codes, np.arange(POOL - len(codes)) + codes.max() + 1])
            starts = np.concatenate(([0], np.flatnonzero(np.diff(codes)) + 1, [POOL]))
            pool_clusters = np.arange(POOL), starts
        pool = pool_of_rankings(rng, codes)
        print(
            f"\n| metric | {unit} | "
            + " | ".join(heads)
            + " | size: sign-flip | size: t | power: sign-flip | power: t |"
        )
        print("|---" * (6 + len(heads)) + "|")
        for metric in METRICS:
            for n in numbers:
                cells = line(rng, pool[metric], pool_clusters, n, options)
                print(f"| {metric} | {n} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
