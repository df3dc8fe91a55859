"""Every metric again, in plain loops straight from its definition; nothing here is shared with the package.

A metric is a function of a row that stands in order: the grades by rank, the grades of all items of
the row (those never retrieved too) and k. Equal scores are dealt with by going through all orders
that they allow, as far as k sees them. Fractions are exact; logarithms are not, so the DCG pair is in
floats.
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


def dcg(ranked, row, k, gain="linear"):
    worth = {"linear": lambda grade: grade, "exponential": lambda grade: 2**grade - 1}[gain]
    return math.fsum(worth(grade) / math.log2(rank + 1) for rank, grade in enumerate(ranked[:k], start=1))


def ndcg(ranked, row, k, gain="linear"):
    return dcg(ranked, row, k, gain) / dcg(sorted(row, reverse=True), row, k, gain)


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


# Registry name → loop. A metric that lacks here fails test_common.
ORACLES = {
    "dcg": dcg,
    "err": err,
    "f1": f1,
    "hit_rate": hit_rate,
    "map": average_precision,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "precision": precision,
    "r_precision": r_precision,
    "rbp": rbp,
    "recall": recall,
}

# Registry name → the options to go through, where a metric has its own.
VARIANTS = {
    "dcg": [{"gain": "linear"}, {"gain": "exponential"}],
    "err": [{"max_grade": 3}, {"max_grade": 5}],
    "map": [{"denominator": name} for name in ("attainable", "relevant", "k", "hits")],
    "ndcg": [{"gain": "linear"}, {"gain": "exponential"}],
    "rbp": [{"p": 0.8}, {"p": 0.5}],
    "recall": [{"denominator": "relevant"}, {"denominator": "attainable"}],
}


# ---- one row, many rows


def row_value(name, truth, scores, k=None, ties="average", undefined=0.0, **options):
    """The value of one row, `undefined` where nothing is relevant; grades > 0 count as relevant."""
    if not any(grade > 0 for grade in truth):
        return undefined
    depth = len(truth) if k is None else k
    return sum(
        chance * ORACLES[name](order, list(truth), k, **options) for chance, order in orders(truth, scores, ties, depth)
    )


def row_values(name, truths, scores, k=None, ties="average", undefined=0.0, **options):
    """`row_value` of each row, as floats."""
    return [
        float(row_value(name, truth, row, k, ties, undefined, **options))
        for truth, row in zip(truths, scores, strict=True)
    ]


# ---- parts


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
