"""Ranked relevant items → one value a row. Kernels neither check nor warn.

A kernel reads `RankedGains`: for each relevant item that was retrieved, how many items of its row
have a greater score (`before`) and how many have the same one (`tied`, itself included). Items
that share a score are exchangeable, so what is averaged over all their orders has a closed form;
docs/conventions.md derives each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

CELLS = 1 << 16  # of padded groups that are worked on together, which bounds the memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from sklearn_rank.ranking._gains import RankedGains, TieGroups

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
    mean = _mean_gain(ranked, gain)
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


def expected_reciprocal_rank(ranked: RankedGains, max_grade: float) -> Values:
    """The sum over ranks i of 1 / i times the chance that a reader who goes down the list stops there."""
    groups = ranked.groups
    stop = _gain(ranked.gain, "exponential") * 2.0**-max_grade
    go_on = np.multiply.reduceat(1 - stop, groups.start) if len(groups.row) else np.empty(0)
    value = stop[groups.start] / (groups.before + 1.0)
    if groups.tied.size:
        value[groups.tied] = _stops_in_ties(stop, groups)
    return np.bincount(groups.row, _products_before(groups.row, go_on, ranked.n_rows) * value, ranked.n_rows)


def rank_biased_precision(ranked: RankedGains, p: float) -> Values:
    """(1 - p) times the sum of p^(i - 1) times the gain at rank i."""
    groups = ranked.groups
    # The t ranks after b weigh (1 - p) (p^b + ... + p^(b + t - 1)) = p^b (1 - p^t).
    weight = p**groups.before.astype(float) * -np.expm1(groups.size * np.log(p))
    return np.bincount(groups.row, _mean_gain(ranked, "linear") * weight, ranked.n_rows)


# ---- parts


def _ratio(numerator: Values, denominator: Any) -> Values:
    """The quotient; 0 where nothing was retrieved."""
    return np.asarray(np.where(denominator == 0, 0.0, numerator / np.where(denominator == 0, 1.0, denominator)))


def _row_sums(terms: Values) -> Values:
    """Sums of rows in their own order, which zeros at the end (padding to the longest row) do not change."""
    return np.asarray(terms.cumsum(axis=1)[:, -1])


def _attainable(ranked: RankedGains, denominator: str) -> NDArray[Any]:
    return np.minimum(ranked.n_relevant, ranked.depth) if denominator == "attainable" else ranked.n_relevant


def _gain(grade: NDArray[Any], gain: str) -> Values:
    if gain == "linear":
        return grade.astype(np.float64)
    return np.asarray(np.where(grade < 0.5, np.expm1(grade * np.log(2)), np.exp2(grade) - 1))


def _mean_gain(ranked: RankedGains, gain: str) -> Values:
    """What each rank of a group is worth on average."""
    groups = ranked.groups
    return np.add.reduceat(_gain(ranked.gain, gain), groups.start) / groups.size if len(groups.row) else np.empty(0)


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
        out[groups.row[first]] = _row_sums(chance * value(before + i + 1))
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
        out[groups.row[at]] = _row_sums(chance * _ratio(total, h[:, None] + x))
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
    return x, weight / _row_sums(weight)[:, None]


def _products_before(row: NDArray[np.intp], factor: Values, n_rows: int) -> Values:
    """For each entry the product of the earlier factors of its row."""
    count = np.bincount(row, minlength=n_rows)
    first = np.cumsum(count) - count
    out = np.ones(len(row))
    longest = count.max(initial=0)
    if longest > (count > 1).sum():  # a few long rows, one after the other
        for start, stop in zip(first[count > 1], (first + count)[count > 1], strict=True):
            np.cumprod(factor[start : stop - 1], out=out[start + 1 : stop])
    else:  # many short ones, all by one step
        for place in range(1, longest):
            at = first[count > place] + place
            out[at] = out[at - 1] * factor[at - 1]
    return out


def _stops_in_ties(stop: Values, groups: TieGroups) -> Values:
    """For each group of equal scores the expected sum of 1 / rank times the chance to stop there and not before."""
    tied = groups.tied
    inside = groups.inside[tied]
    out = np.empty(len(tied))
    level = np.ceil(np.log2(inside)).astype(np.intp)  # groups of about the same length are padded to one
    for width in range(level.max() + 1):
        of_level = (level == width).nonzero()[0]
        step = max(1, CELLS >> width)
        for at in (of_level[start : start + step] for start in range(0, len(of_level), step)):
            group = tied[at]
            chance = _chances_to_stop(stop, groups.start[group], groups.size[group], groups.hits[group], 1 << width)
            rank = groups.before[group][:, None] + np.arange(1.0, (1 << width) + 1)
            chance[np.arange(1 << width) >= inside[at][:, None]] = 0
            out[at] = _row_sums(chance / rank)
    return out


def _chances_to_stop(
    stop: Values, start: NDArray[np.intp], size: NDArray[np.intp], hits: NDArray[np.intp], width: int
) -> Values:
    """(n_groups, width) chances to stop at the s-th item of a group in random order, having passed those before.

    Items are put into the group one by one, irrelevant ones first. With A_s the chance to pass s of n
    items and D_s that to stop at the s-th, an item with the chance p to stop stands at place s, before
    or after it with the chances 1 / n, (s - 1) / n, (n - s) / n, so that

        n D_s = p A_(s-1) + (s - 1) (1 - p) D_(s-1) + (n - s) D_s,   n A_s = s (1 - p) A_(s-1) + (n - s) A_s.

    The A_s are elementary symmetric polynomials of the 1 - p over binomial coefficients.
    """
    s = np.arange(1.0, width + 1)
    passed = np.ones((len(start), width + 1))
    stopped = np.zeros((len(start), width + 1))
    for item in range(hits.max()):
        at = (hits > item).nonzero()[0]
        p = stop[start[at] + item][:, None]
        n = (size - hits)[at][:, None] + item + 1.0
        after, exists = np.clip(n - s, 0, None), s <= n
        a, d = passed[at], stopped[at]
        stopped[at, 1:] = exists * (p * a[:, :-1] + (s - 1) * (1 - p) * d[:, :-1] + after * d[:, 1:]) / n
        passed[at, 1:] = exists * (s * (1 - p) * a[:, :-1] + after * a[:, 1:]) / n
    return stopped[:, 1:]
