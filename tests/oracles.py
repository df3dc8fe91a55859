"""Every metric again, in plain loops straight from its definition; nothing here is shared with the package.

A metric is a function of a row that stands in order: the grades by rank, the grades of all items of
the row (those never retrieved too) and k. Equal scores are dealt with by going through all orders
that they allow, as far as k sees them. Fractions are exact; logarithms are not, so the DCG family is in
floats. A grade below 0 stands for an item without a judgement. Where a gain or a propensity is given,
`worth` turns the grades into what they gain first, and the metric reads that.
"""

from __future__ import annotations

import math
from fractions import Fraction

NEVER = -math.inf  # the score of an item that was never retrieved


# ---- the metrics: f(grades by rank, grades of the whole row, k, options)


def precision(ranked, row, k):
    return ratio(hits(ranked[:k]), len(ranked) if k is None else k)


def recall(ranked, row, k, denominator="relevant"):
    depth = len(ranked) if k is None else k
    return ratio(hits(ranked[:k]), {"relevant": hits(row), "attainable": min(hits(row), depth)}[denominator])


def f1(ranked, row, k):
    return ratio(2 * hits(ranked[:k]), (len(ranked) if k is None else k) + hits(row))


def hit_rate(ranked, row, k):
    return Fraction(any(grade > 0 for grade in ranked[:k]))


def average_precision(ranked, row, k, denominator="attainable"):
    depth = len(ranked) if k is None else k
    total = Fraction(0)
    for rank, grade in enumerate(ranked[:k], start=1):
        if grade > 0:
            total += Fraction(hits(ranked[:rank]), rank)
    divisors = {"attainable": min(hits(row), depth), "relevant": hits(row), "k": depth, "hits": hits(ranked[:k])}
    return ratio(total, divisors[denominator])


def reciprocal_rank(ranked, row, k):
    for rank, grade in enumerate(ranked[:k], start=1):
        if grade > 0:
            return Fraction(1, rank)
    return Fraction(0)


def dcg(ranked, row, k):
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(ranked[:k], start=1))


def ndcg(ranked, row, k):
    ideal = dcg(sorted(row, reverse=True), row, k)
    return dcg(ranked, row, k) / ideal if ideal else 0.0  # k is 0 where it is a share of nothing


def err(ranked, row, k, max_grade):
    total, arrives = Fraction(0), Fraction(1)
    for rank, grade in enumerate(ranked[:k], 1):
        stops = Fraction(2**grade - 1, 2**max_grade)
        total += arrives * stops / rank
        arrives *= 1 - stops
    return total


def rbp(ranked, row, k, p):
    p = Fraction(p)
    return (1 - p) * sum(p ** (rank - 1) * grade for rank, grade in enumerate(ranked, 1))


def r_precision(ranked, row, k):
    return ratio(hits(ranked[: hits(row)]), hits(row))


def roc_auc(ranked, row, k):
    """None where there is no pair; relevant items that were never retrieved lose against all."""
    irrelevant = len(ranked) - hits(ranked)
    won = sum(below <= 0 for rank, grade in enumerate(ranked) if grade > 0 for below in ranked[rank + 1 :])
    return Fraction(won, hits(row) * irrelevant) if irrelevant else None


def bpref(ranked, row, k):
    n_relevant, n_irrelevant = hits(row), row.count(0)
    total = Fraction(0)
    for rank, grade in enumerate(ranked):
        if grade > 0:
            above = ranked[:rank].count(0)
            total += 1 - Fraction(min(above, n_relevant), min(n_irrelevant, n_relevant)) if above else 1
    return total / n_relevant


def judged(ranked, row, k):
    return ratio(sum(grade >= 0 for grade in ranked[:k]), len(ranked) if k is None else k)


def gained(ranked, row, k):
    best = sum(sorted(row, reverse=True)[:k])
    return Fraction(sum(ranked[:k])) / Fraction(best) if best else Fraction(0)


# Registry name → loop. A metric that lacks here fails test_common.
ORACLES = {
    "bpref": bpref,
    "dcg": dcg,
    "err": err,
    "f1": f1,
    "hit_rate": hit_rate,
    "judged": judged,
    "map": average_precision,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "precision": precision,
    "psndcg": ndcg,
    "psprecision": gained,
    "psrecall": gained,
    "r_precision": r_precision,
    "rbp": rbp,
    "recall": recall,
    "roc_auc": roc_auc,
}

# Metric → its denominator: f(ranks or items retrieved without a k, grades of the whole row, k, options).
DENOMINATORS = {
    "bpref": lambda depth, row, k: hits(row),
    "f1": lambda depth, row, k: depth + hits(row),
    "judged": lambda depth, row, k: depth,
    "map": lambda depth, row, k, denominator="attainable": divisor(denominator, depth, row),
    "ndcg": lambda depth, row, k: dcg(sorted(row, reverse=True), row, k),
    "precision": lambda depth, row, k: depth,
    "psndcg": lambda depth, row, k: ratio(
        Fraction(dcg(sorted(row, reverse=True), row, k)), Fraction(dcg([1] * hits(row), row, k))
    ),
    "psprecision": lambda depth, row, k: ratio(Fraction(sum(sorted(row, reverse=True)[:k])), depth),
    "psrecall": lambda depth, row, k: ratio(Fraction(sum(sorted(row, reverse=True)[:k])), hits(row)),
    "r_precision": lambda depth, row, k: hits(row),
    "recall": lambda depth, row, k, denominator="relevant": divisor(denominator, depth, row),
    "roc_auc": lambda depth, row, k: hits(row) * depth,
}

# Propensities of as many columns as a test may have; `fitted` cuts them to the columns of a problem.
STEEP = [[1, 1 / 2, 1 / 8, 1 / 4][column % 4] for column in range(2000)]
FLAT = [1 / (2 + column % 3) for column in range(2000)]
TABLES = [{0: 0, 1: 3, 2: 1, 3: 7}, [0, 0, 2, 5]]  # a greater grade may gain less, or nothing

# Registry name → the options to go through, where a metric has its own.
VARIANTS = {
    "dcg": [{"gain": gain} for gain in ("linear", "exponential", *TABLES)],
    "err": [{"max_grade": 3}, {"max_grade": 5}],
    "map": [{"denominator": name} for name in ("attainable", "relevant", "k", "hits")],
    "ndcg": [{"gain": gain} for gain in ("linear", "exponential", *TABLES)],
    "psndcg": [{"propensity": STEEP}, {"propensity": FLAT}],
    "psprecision": [{"propensity": STEEP}, {"propensity": FLAT}],
    "psrecall": [{"propensity": STEEP}, {"propensity": FLAT}],
    "rbp": [{"p": 0.8}, {"p": 0.5}],
    "recall": [{"denominator": "relevant"}, {"denominator": "attainable"}],
}


def fitted(options, columns):
    """Options whose propensities are those of the columns: a number of them, or their places."""
    columns = range(columns) if isinstance(columns, int) else columns
    given = options.get("propensity")
    return options if given is None else {**options, "propensity": [given[column] for column in columns]}


# ---- one row, many rows


def row_value(name, truth, scores, k=None, ties="average", undefined=0.0, **options):
    """The value of one row, `undefined` where nothing is relevant; grades > 0 count as relevant."""
    truth, options = worth(truth, **options)
    if name != "judged" and not any(grade > 0 for grade in truth):
        return undefined
    k = cutoff(k, truth, scores)
    depth = len(truth) if k is None else k
    total = Fraction(0)
    for chance, order in orders(truth, scores, ties, depth):
        value = ORACLES[name](order, list(truth), k, **options)
        if value is None:
            return undefined
        total += chance * value
    return total


def row_values(name, truths, scores, k=None, ties="average", undefined=0.0, **options):
    """`row_value` of each row, as floats."""
    return [
        float(row_value(name, truth, row, k, ties, undefined, **options))
        for truth, row in zip(truths, scores, strict=True)
    ]


def micro(name, truths, scores, k=None, ties="average", undefined=0.0, weights=None, **options):
    """Sum of numerators / sum of denominators; a row without a value brings `undefined` times its denominator."""
    total, of = 0, 0
    for truth, row, weight in zip(truths, scores, weights or [1] * len(truths), strict=True):
        value = row_value(name, truth, row, k, ties, undefined, **options)
        gains, left = worth(truth, **options)
        if weight == 0 or math.isnan(value):
            continue
        cut = cutoff(k, gains, row)
        depth = n_retrieved(row) if cut is None else cut
        if name == "roc_auc":  # pairs are of irrelevant items that were retrieved
            depth = sum(grade <= 0 for grade, score in zip(truth, row, strict=True) if score != NEVER)
        denominator = DENOMINATORS[name](depth, list(gains), cut, **left)
        total += Fraction(weight) * Fraction(value) * Fraction(denominator)
        of += Fraction(weight) * Fraction(denominator)
    return total / of if of else undefined


def macro(name, truths, scores, k=None, ties="average", undefined=0.0, weights=None):
    """Precision, recall or F1 of each label over all rows, from the chances to stand in a top k; their mean."""
    values = []
    for label in range(len(truths[0])):
        both = predicted = relevant = Fraction(0)
        for truth, row, weight in zip(truths, scores, weights or [1] * len(truths), strict=True):
            share = Fraction(weight) * membership(truth, row, label, cutoff(k, truth, row), ties)
            predicted += share
            relevant += Fraction(weight) * (truth[label] > 0)
            both += share * (truth[label] > 0)
        numerator, denominator = {
            "precision": (both, predicted),
            "recall": (both, relevant),
            "f1": (2 * both, predicted + relevant),
        }[name]
        values.append(numerator / denominator if denominator else undefined)
    values = [Fraction(value) for value in values if not math.isnan(value)]
    return sum(values) / len(values) if values else math.nan


# ---- parts


def worth(truth, gain="linear", propensity=None, **options):
    """What the grades of a row gain, and the options that are left."""
    if propensity is not None:
        return [1 / Fraction(p) if grade > 0 else 0 for grade, p in zip(truth, propensity, strict=True)], options
    if gain == "exponential":
        return [2**grade - 1 for grade in truth], options
    return (truth if gain == "linear" else [gain[grade] for grade in truth]), options


def cutoff(k, truth, scores):
    """How many ranks of the row count: k, a share of what was retrieved, or R."""
    if k == "relevant":
        return hits(truth)
    if isinstance(k, float):
        return math.ceil(Fraction(repr(k)) * n_retrieved(scores))
    return k


def n_retrieved(scores):
    return sum(score != NEVER for score in scores)


def divisor(denominator, depth, row):
    return {"attainable": min(hits(row), depth), "relevant": hits(row), "k": depth}[denominator]


def membership(truth, scores, label, k, ties):
    """The chance that an item stands in the top k of its row."""
    if scores[label] == NEVER:
        return Fraction(0)
    depth = n_retrieved(scores) if k is None else k
    place = {
        "average": lambda column: 0,
        "first": lambda column: column,
        "best": lambda column: (-truth[column], column),
        "worst": lambda column: (truth[column], column),
    }[ties]
    others = [column for column in range(len(truth)) if column != label and scores[column] != NEVER]
    above = sum((-scores[c], place(c)) < (-scores[label], place(label)) for c in others)
    equal = sum((scores[c], place(c)) == (scores[label], place(label)) for c in others) + 1
    return Fraction(min(max(depth - above, 0), equal), equal)


def orders(truth, scores, ties, depth):
    """The grades by rank, down to `depth`, in each order that the scores allow, and the chance of each."""
    retrieved = [column for column, score in enumerate(scores) if score != NEVER]
    if ties != "average":
        place = {
            "first": lambda column: column,
            "best": lambda column: -truth[column],
            "worst": lambda column: truth[column],
        }[ties]
        return [(1, [truth[column] for column in sorted(retrieved, key=lambda c: (-scores[c], place(c)))])]
    out = [(Fraction(1), [])]
    for score in sorted({scores[column] for column in retrieved}, reverse=True):
        room = depth - len(out[0][1])
        if not room:
            break
        group = arrangements([truth[column] for column in retrieved if scores[column] == score], room)
        out = [(chance * share, before + after) for chance, before in out for share, after in group]
    return out


def arrangements(grades, length):
    """The different sequences of up to `length` of some grades, drawn one after the other, and their chances."""
    if not grades or not length:
        return [(Fraction(1), [])]
    out = []
    for grade in sorted(set(grades)):
        rest = list(grades)
        rest.remove(grade)
        share = Fraction(grades.count(grade), len(grades))
        out += [(share * chance, [grade, *after]) for chance, after in arrangements(rest, length - 1)]
    return out


def hits(grades):
    count = 0
    for grade in grades:
        count += grade > 0
    return count


def ratio(numerator, denominator):
    """The quotient; 0 where nothing was retrieved, or no hit divides."""
    return Fraction(numerator, denominator) if denominator else Fraction(0)
