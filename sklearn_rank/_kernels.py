"""Ranked relevant items → one value a row. Kernels neither check nor warn.

A kernel reads `RankedGains`: for each relevant item that was retrieved, how many items of its row
have a greater score (`before`) and how many have the same one (`tied`, itself included). Items
that share a score are exchangeable, so what is averaged over all their orders has a closed form;
docs/conventions.md derives each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from sklearn_rank._ranking import RankedGains

    Values = NDArray[Any]
    Kernel = Callable[[RankedGains], Values]


def precision(ranked: RankedGains) -> Values:
    """Hits in the top k / k."""
    return _ratio(_expected_hits(ranked, ranked.depth), ranked.n_retrieved if ranked.k is None else float(ranked.k))


def recall(ranked: RankedGains, denominator: str) -> Values:
    """Hits in the top k / relevant items, or / those that fit into the top k."""
    return _ratio(_expected_hits(ranked, ranked.depth), _attainable(ranked, denominator))


def f1(ranked: RankedGains) -> Values:
    """2 hits / (k + R)."""
    k = ranked.n_retrieved if ranked.k is None else float(ranked.k)
    return _ratio(2 * _expected_hits(ranked, ranked.depth), k + ranked.n_relevant)


def r_precision(ranked: RankedGains) -> Values:
    """Hits in the top R / R."""
    return _ratio(_expected_hits(ranked, ranked.n_relevant), ranked.n_relevant)


def hit_rate(ranked: RankedGains) -> Values:
    """1 if any of the top k is relevant."""
    return _first_hit(ranked, lambda rank: np.ones(rank.shape))


def reciprocal_rank(ranked: RankedGains) -> Values:
    """1 / rank of the first relevant item."""
    return _first_hit(ranked, lambda rank: 1 / rank)


def average_precision(ranked: RankedGains, denominator: str) -> Values:
    """The sum of precision@i over relevant ranks i / a divisor."""
    groups = ranked.groups
    # With one item in the group this is its precision, (hits before + 1) / rank.
    sums = (groups.hits_before + 1) / (groups.before + 1.0)
    tied = groups.tied
    if tied.size:
        # Expected h_i and h_i · h_j of two ranks of a group with r relevant of t: r/t, r(r-1) / t(t-1).
        share = groups.hits[tied] / groups.size[tied]
        both = share * (groups.hits[tied] - 1) / (groups.size[tied] - 1)
        constant, slope = _precision_sums(groups.before[tied], groups.inside[tied])
        sums[tied] = share * (groups.hits_before[tied] + 1) * constant + both * slope
    if denominator == "hits":
        return _average_precision_of_hits(ranked, sums)
    total = np.bincount(groups.row, sums, ranked.n_rows)
    return _ratio(total, float(ranked.k) if denominator == "k" and ranked.k is not None
                  else ranked.n_retrieved if denominator == "k" else _attainable(ranked, denominator))


def dcg(ranked: RankedGains, gain: str) -> Values:
    """The sum of gain / log2(rank + 1)."""
    groups = ranked.groups
    mean = np.add.reduceat(_gain(ranked.gain, gain), groups.start) / groups.size if len(groups.row) else np.empty(0)
    discount = _discount(groups.before + 1)
    tied = groups.tied
    if tied.size:
            # McSherry and Najork (2008): each rank of a group has the mean gain of the group.
        owner, rank = _expand(groups.before[tied], groups.inside[tied])
        discount[tied] = np.bincount(owner, _discount(rank), len(tied))
    return np.bincount(groups.row, mean * discount, ranked.n_rows)


def ndcg(ranked: RankedGains, gain: str) -> Values:
    """DCG / the DCG of all relevant items in the best order, cut at k."""
    row, place, grade = ranked.ideal
    counts = place < ranked.cutoff
    ideal = np.bincount(row[counts], _gain(grade[counts], gain) * _discount(place[counts] + 1), ranked.n_rows)
    # Rounding must not lift a perfect ranking above 1.
    return np.minimum(_ratio(dcg(ranked, gain), ideal), 1.0)


# ---- parts


def _ratio(numerator: Values, denominator: Any) -> Values:
    """The quotient; 0 where nothing was retrieved."""
    return np.asarray(np.where(denominator == 0, 0.0, numerator / np.where(denominator == 0, 1.0, denominator)))


def _attainable(ranked: RankedGains, denominator: str) -> NDArray[Any]:
    return np.minimum(ranked.n_relevant, ranked.depth) if denominator == "attainable" else ranked.n_relevant


def _gain(grade: NDArray[Any], gain: str) -> Values:
    if gain == "linear":
        return grade.astype(np.float64)
    return np.asarray(np.where(grade < 0.5, np.expm1(grade * np.log(2)), np.exp2(grade) - 1))


def _discount(rank: NDArray[Any]) -> Values:
    return np.asarray(1 / np.log2(rank + 1.0))


def _expand(before: NDArray[Any], count: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The `count` ranks that follow `before`, one group after the other: (group, rank from 1)."""
    owner = np.repeat(np.arange(len(count)), count)
    first = np.cumsum(count) - count
    return owner, np.arange(len(owner)) - (first - before)[owner] + 1


def _precision_sums(before: NDArray[Any], count: NDArray[Any]) -> tuple[Values, Values]:
    """Over the `count` ranks i after `before`: the sums of 1 / i and of (i - before - 1) / i."""
    owner, rank = _expand(before, count)
    return (
        np.bincount(owner, 1 / rank, len(count)),
        np.bincount(owner, (rank - before[owner] - 1) / rank, len(count)),
    )


def _expected_hits(ranked: RankedGains, depth: int | NDArray[Any]) -> Values:
    """Each relevant item counts with the chance that it stands within the depth of its row."""
    groups = ranked.groups
    if np.ndim(depth):
        depth = np.asarray(depth)[groups.row]
    share = groups.hits * np.clip(depth - groups.before, 0, groups.size) / groups.size
    return np.bincount(groups.row, share, ranked.n_rows)


def _first_hit(ranked: RankedGains, value: Callable[[Any], Values]) -> Values:
    """The expected value of the rank of the first relevant item; 0 past k."""
    groups = ranked.groups
    out = np.zeros(ranked.n_rows)
    first = (groups.hits_before == 0).nonzero()[0]
    out[groups.row[first]] = value(groups.before[first] + 1.0)
    first = first[groups.size[first] > 1]
    if first.size:
        size, hits, before = (a[first, None].astype(float) for a in (groups.size, groups.hits, groups.before))
        # The group's first i ranks hold no relevant item with chance prod_{j<i} (t - r - j) / (t - j).
        inside = np.minimum(groups.inside[first], groups.size[first] - groups.hits[first] + 1)
        i = np.arange(inside.max())
        none_so_far = np.ones((len(first), len(i)))
        np.cumprod(np.clip(size - hits - i[:-1], 0, None) / np.maximum(size - i[:-1], 1), axis=1, out=none_so_far[:, 1:])
        chance = none_so_far * hits / np.maximum(size - i, 1)
        chance[i >= inside[:, None]] = 0
        out[groups.row[first]] = np.einsum("ij,ij->i", chance, value(before + i + 1))
    return out


def _average_precision_of_hits(ranked: RankedGains, sums: Values) -> Values:
    """`sums` are the groups' expected sums of precisions; the divisor is the hits in the top k.

    Only a group that straddles k leaves that number to chance. It has x of its r relevant items
    among its first c ranks with a hypergeometric chance; given x, the order within is again
    uniform, with x in the place of r and c in that of t.
    """
    groups = ranked.groups
    straddles = groups.inside < groups.size
    whole = ~straddles
    certain = np.bincount(groups.row[whole], sums[whole], ranked.n_rows)
    hits = np.bincount(groups.row[whole], groups.hits[whole], ranked.n_rows)
    out = _ratio(certain, hits)
    at = straddles.nonzero()[0]
    if at.size:
        size, r, c, h = (a[at].astype(float) for a in (groups.size, groups.hits, groups.inside, groups.hits_before))
        constant, slope = _precision_sums(groups.before[at], groups.inside[at])
        x, chance = _hypergeometric(size, r, c)
        share = x / c[:, None]
        both = share * (x - 1) / np.maximum(c - 1, 1)[:, None]
        inner = share * ((h + 1) * constant)[:, None] + both * slope[:, None]
        total = certain[groups.row[at]][:, None] + inner
        out[groups.row[at]] = (chance * _ratio(total, h[:, None] + x)).sum(axis=1)
    return out


def _hypergeometric(size: Values, r: Values, c: Values) -> tuple[Values, Values]:
    """Numbers x of relevant items among the first c of a group, and their chances, by row."""
    low = np.maximum(0, r + c - size)
    high = np.minimum(r, c)
    x = low[:, None] + np.arange(int((high - low).max()) + 1)
    # C(r, x) C(t - r, c - x) from x to x + 1, as logarithms so that nothing overflows.
    prior = x[:, :-1]
    up = np.clip((r[:, None] - prior) * (c[:, None] - prior), 1, None)
    down = (prior + 1) * np.clip((size - r - c)[:, None] + prior + 1, 1, None)
    log_weight = np.zeros(x.shape)
    np.cumsum(np.log(up / down), axis=1, out=log_weight[:, 1:])
    log_weight[x > high[:, None]] = -np.inf
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    x = np.minimum(x, high[:, None])
    return x, weight / weight.sum(axis=1, keepdims=True)
