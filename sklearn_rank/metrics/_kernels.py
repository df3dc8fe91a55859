"""Ranked relevant items → one value a row. Kernels neither check nor warn.

A kernel reads `RankedGains`: for each relevant item that was retrieved, how many items of its row
have a greater score (`before`) and how many have the same one (`n_tied`, itself included). Items
that share a score are exchangeable, so what is averaged over all their orders has a closed form;
docs/conventions.md derives each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

CELLS = 1 << 16  # of padded groups that are worked on together, which bounds the memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sklearn_rank.ranking._gains import RankedGains, TieGroups

    Values = NDArray[Any]


class JudgedGroups(Protocol):
    """Groups of equal scores that hold a judged item; arrays of one length, in rank order."""

    row: NDArray[np.intp]
    before: NDArray[np.intp]  # items of the row with greater scores, unjudged ones too
    size: NDArray[np.intp]
    hits: NDArray[np.intp]  # relevant items in the group
    misses: NDArray[np.intp]  # judged irrelevant items in the group
    misses_before: NDArray[np.intp]  # those of the row in earlier groups


class RankedJudgements(Protocol):
    """The judged items of some rows with their places in the ranking."""

    n_rows: int
    k: int | NDArray[np.intp] | None
    n_retrieved: NDArray[np.intp]  # (n_rows,)

    @property
    def n_relevant(self) -> NDArray[np.intp]:
        """(n_rows,) relevant items of the whole row."""

    @property
    def n_misses(self) -> NDArray[np.intp]:
        """(n_rows,) judged irrelevant items of the whole row."""

    @property
    def depth(self) -> int | NDArray[np.intp]:
        """How many ranks count."""

    @property
    def groups(self) -> JudgedGroups:
        """The judged items by groups of equal scores."""


def precision(ranked: RankedGains) -> Values:
    """Hits in the top k / k."""
    return _ratio(_expected_hits(ranked, ranked.depth), ranks(ranked))


def recall(ranked: RankedGains, denominator: str) -> Values:
    """Hits in the top k / relevant items, or / those that fit into the top k."""
    return _ratio(_expected_hits(ranked, ranked.depth), relevant_items(ranked, denominator))


def f1(ranked: RankedGains) -> Values:
    """2 hits / (k + R)."""
    return _ratio(2 * _expected_hits(ranked, ranked.depth), ranks_and_relevant_items(ranked))


def r_precision(ranked: RankedGains) -> Values:
    """Hits in the top R / R."""
    return _ratio(_expected_hits(ranked, ranked.n_relevant), ranked.n_relevant)


def roc_auc(ranked: RankedGains) -> Values:
    """The share of pairs of a relevant item and an irrelevant one retrieved where the relevant one is above."""
    groups = ranked.groups
    irrelevant, above = _irrelevant(ranked)[groups.row], groups.before - groups.hits_before
    # Pairs are counted twice, so that a tie, half a pair won, is an integer.
    won = groups.hits * (2 * (irrelevant - above) - (groups.size - groups.hits))
    of = 2.0 * pairs(ranked)
    return np.asarray(np.where(of > 0, _ratio(np.bincount(groups.row, won, ranked.n_rows), of), np.nan))


def bpref(ranked: RankedJudgements) -> Values:
    """1 / R times the sum over relevant items of 1 - min(N above, R) / min(N, R), of N judged irrelevant items."""
    groups = ranked.groups
    limit = ranked.n_relevant[groups.row]
    least = np.minimum(ranked.n_misses[groups.row], limit)
    # How many of the m irrelevant items of a group stand above a relevant one is uniform on 0 to m: `lost` is the sum
    # of min(above + j, R) over j, of which the first `free` + 1 lie below R.
    m = groups.misses
    above = np.minimum(groups.misses_before, limit)
    free = np.minimum(limit - above, m)
    lost = (free + 1) * above + free * (free + 1) // 2 + (m - free) * limit
    most = (m + 1) * least
    kept = np.where(most > 0, (most - lost) / np.maximum(most, 1), 1.0)  # nothing is lost without irrelevant items
    return _ratio(np.bincount(groups.row, groups.hits * kept, ranked.n_rows), ranked.n_relevant)


def judged(ranked: RankedJudgements) -> Values:
    """Judged items in the top k / k."""
    groups = ranked.groups
    return _ratio(_expected_count(ranked, groups.hits + groups.misses, ranked.depth), ranks(ranked))


def gained(ranked: RankedGains) -> Values:
    """The gains in the top k / the greatest that k items of the row can bring."""
    groups = ranked.groups
    # Certain gains are added up from the greatest on, then the ranks left to chance, as in the best order: so the two
    # sums are the same where no order could be better.
    certain = groups.inside == groups.size
    items = np.repeat(certain, groups.hits)
    row, gain = ranked.row[items], ranked.gain[items]
    order = np.lexsort((-gain, row))
    cut = (~certain).nonzero()[0]
    count = groups.inside[cut]
    row = np.concatenate([row[order], np.repeat(groups.row[cut], count)])
    gain = np.concatenate([gain[order], np.repeat(_mean_gain(ranked, "linear")[cut], count)])
    return np.minimum(_ratio(np.bincount(row, gain, ranked.n_rows), best_gain(ranked)), 1.0)  # rounding of the sums


def hit_rate(ranked: RankedGains) -> Values:
    """1 if any of the top k is relevant."""
    groups = ranked.groups
    out = np.zeros(ranked.n_rows)
    first = (groups.hits_before == 0).nonzero()[0]
    out[groups.row[first]] = 1.0
    size, hits, inside = groups.size[first], groups.hits[first], groups.inside[first]
    # Only where the irrelevant items fill all ranks of the group within k, the hit is left to chance.
    open_ = (inside <= size - hits).nonzero()[0]
    if open_.size:
        # That c ranks hold none of r items is as likely as that r ranks hold none of c, so the fewer are gone through.
        fewer, more = np.minimum(hits, inside)[open_], np.maximum(hits, inside)[open_]
        chance = _row_sums(_chances_of_first(size[open_], more, fewer))
        out[groups.row[first[open_]]] = np.minimum(chance, 1.0)  # rounding of a chance next to 1
    return out


def reciprocal_rank(ranked: RankedGains) -> Values:
    """1 / rank of the first relevant item."""
    groups = ranked.groups
    out = np.zeros(ranked.n_rows)
    first = (groups.hits_before == 0).nonzero()[0]
    out[groups.row[first]] = 1 / (groups.before[first] + 1.0)
    first = first[groups.size[first] > 1]
    if first.size:
        size, hits = groups.size[first], groups.hits[first]
        chance = _chances_of_first(size, hits, np.minimum(groups.inside[first], size - hits + 1))
        rank = groups.before[first][:, None] + np.arange(1.0, chance.shape[1] + 1)
        out[groups.row[first]] = _row_sums(chance / rank)
    return out


def average_precision(ranked: RankedGains, denominator: str) -> Values:
    """The sum of precision@i over relevant ranks i / a divisor."""
    groups = ranked.groups
    # With one item in the group this is its precision, (hits before + 1) / rank.
    sums = (groups.hits_before + 1) / (groups.before + 1.0)
    several = groups.several
    if several.size:
        # Expected h_i and h_i · h_j of two ranks of a group with r relevant of t: r/t, r(r-1) / t(t-1). Where
        # all above are relevant, each numerator is its own rank, and the sum exactly the number of ranks.
        size, hits = groups.size[several], groups.hits[several]
        owner, rank = _expand(groups.before[several], groups.inside[several])
        step = (hits - 1) / (size - 1)
        numerator = (groups.hits_before[several] + 1)[owner] + (rank - groups.before[several][owner] - 1) * step[owner]
        sums[several] = hits / size * np.bincount(owner, numerator / rank, len(several))
    if denominator == "hits":
        return _average_precision_of_hits(ranked, sums)
    total = np.bincount(groups.row, sums, ranked.n_rows)
    return np.minimum(
        _ratio(total, relevant_items(ranked, denominator)), 1.0
    )  # rounding of a long sum; no order is above 1


def dcg(ranked: RankedGains, gain: str) -> Values:
    """The sum of gain / log2(rank + 1)."""
    groups = ranked.groups
    row, mean, rank = groups.row, _mean_gain(ranked, gain), groups.before + 1
    if groups.several.size:
        # McSherry and Najork (2008): each rank of a group has the mean gain of the group. The ranks are added up
        # one by one as those of the ideal order, so that the two sums of a perfect ranking are the same.
        owner, rank = _expand(groups.before, groups.inside)
        row, mean = row[owner], mean[owner]
    return np.bincount(row, mean * _discount(rank), ranked.n_rows)


def ndcg(ranked: RankedGains, gain: str) -> Values:
    """DCG / the DCG of all relevant items in the best order, cut at k."""
    # Grades next to each other may round to a value above that of their best order.
    return np.minimum(_ratio(dcg(ranked, gain), ideal_dcg(ranked, gain)), 1.0)


def expected_reciprocal_rank(ranked: RankedGains, max_grade: float) -> Values:
    """The sum over ranks i of 1 / i times the chance that a reader who goes down the list stops there."""
    groups = ranked.groups
    stop = _gain(ranked.gain, "exponential") * 2.0**-max_grade
    go_on = np.multiply.reduceat(1 - stop, groups.start) if len(groups.row) else np.empty(0)
    value = stop[groups.start] / (groups.before + 1.0)
    if groups.several.size:
        value[groups.several] = _stops_in_ties(stop, groups)
    terms = _products_before(groups.row, go_on, ranked.n_rows) * value
    return np.minimum(np.bincount(groups.row, terms, ranked.n_rows), 1.0)  # rounding of a reader who surely stops


def rank_biased_precision(ranked: RankedGains, p: float) -> Values:
    """(1 - p) times the sum of p^(i - 1) times the gain at rank i."""
    groups = ranked.groups
    # The t ranks after b weigh (1 - p) (p^b + ... + p^(b + t - 1)) = p^b (1 - p^t).
    weight = p ** groups.before.astype(float) * -np.expm1(groups.size * np.log(p))
    value = np.bincount(groups.row, _mean_gain(ranked, "linear") * weight, ranked.n_rows)
    if (value > 0.999 * ranked.gain.min(initial=np.inf)).any():  # rounding of weights whose sum is next to 1
        first = (groups.hits_before == 0).nonzero()[0]
        row = groups.row[first]
        value[row] = np.minimum(value[row], np.maximum.reduceat(ranked.gain, groups.start[first]))
    return np.asarray(value)


# ---- (n_rows,) denominators: what a row weighs in a micro average, and what kernels divide by


def ranks(ranked: RankedGains | RankedJudgements) -> Values:
    """K, however great, or the items retrieved."""
    k = ranked.n_retrieved if ranked.k is None else ranked.k
    return np.broadcast_to(np.asarray(k, np.float64), (ranked.n_rows,))


def relevant_items(ranked: RankedGains | RankedJudgements, denominator: str = "relevant") -> Values:
    """R, or with "attainable" as many of them as fit into the top k, or with "k" the ranks."""
    if denominator == "k":
        return ranks(ranked)
    return np.minimum(ranked.n_relevant, ranked.depth) if denominator == "attainable" else ranked.n_relevant


def ranks_and_relevant_items(ranked: RankedGains) -> Values:
    """K + R."""
    return np.asarray(ranks(ranked) + ranked.n_relevant)


def pairs(ranked: RankedGains) -> Values:
    """Pairs of a relevant item and an irrelevant one that was retrieved."""
    return ranked.n_relevant * _irrelevant(ranked)


def ideal_dcg(ranked: RankedGains, gain: str = "linear") -> Values:
    """The DCG of all relevant items in the best order, cut at k."""
    row, place, grade = _ideal(ranked)
    return np.bincount(row, _gain(grade, gain) * _discount(place + 1), ranked.n_rows)


def best_gain(ranked: RankedGains) -> Values:
    """The sum of the k greatest gains of the row."""
    row, _, gain = _ideal(ranked)
    return np.bincount(row, gain, ranked.n_rows)


def best_gain_per_rank(ranked: RankedGains) -> Values:
    """The greatest sum of gains in the top k, / k."""
    return _ratio(best_gain(ranked), ranks(ranked))


def best_gain_per_relevant_item(ranked: RankedGains) -> Values:
    """The greatest sum of gains in the top k, / R."""
    return _ratio(best_gain(ranked), ranked.n_relevant)


def ideal_dcg_of_hits(ranked: RankedGains) -> Values:
    """The ideal DCG of the gains, / that of as many hits that gain 1."""
    row, place, _ = _ideal(ranked)
    return _ratio(ideal_dcg(ranked), np.bincount(row, _discount(place + 1), ranked.n_rows))


# ---- parts


def _ratio(numerator: Values, denominator: Any) -> Values:
    """The quotient; 0 where nothing was retrieved."""
    return np.asarray(np.where(denominator == 0, 0.0, numerator / np.where(denominator == 0, 1.0, denominator)))


def _row_sums(terms: Values) -> Values:
    """Sums of rows in their own order, which zeros at the end (padding to the longest row) do not change."""
    return np.asarray(terms.cumsum(axis=1)[:, -1])


def _irrelevant(ranked: RankedGains) -> NDArray[np.intp]:
    """(n_rows,) irrelevant items that were retrieved, where no rank is cut off."""
    return np.asarray(ranked.n_retrieved - np.bincount(ranked.row, minlength=ranked.n_rows))


def _ideal(ranked: RankedGains) -> tuple[NDArray[np.intp], NDArray[np.intp], Values]:
    """Row, place from 0 and gain of the items that the best order has in its top k."""
    row, place, gain = ranked.ideal
    counts = place < (ranked.cutoff[row] if isinstance(ranked.cutoff, np.ndarray) else ranked.cutoff)
    return row[counts], place[counts], gain[counts]


def _gain(grade: NDArray[Any], gain: str) -> Values:
    if gain == "linear":
        return grade.astype(np.float64)
    return np.asarray(np.where(grade < 0.5, np.expm1(grade * np.log(2)), np.exp2(grade) - 1))


def _mean_gain(ranked: RankedGains, gain: str) -> Values:
    """What each rank of a group is worth on average."""
    groups = ranked.groups
    if not len(groups.row):
        return np.empty(0)
    worth = _gain(ranked.gain, gain)
    mean = np.add.reduceat(worth, groups.start) / groups.size
    full = groups.several[groups.hits[groups.several] == groups.size[groups.several]]
    if full.size:  # the mean of equal gains is this gain, not next to it
        least, greatest = (extreme.reduceat(worth, groups.start)[full] for extreme in (np.minimum, np.maximum))
        mean[full] = np.clip(mean[full], least, greatest)
    return np.asarray(mean)


def _discount(rank: NDArray[Any]) -> Values:
    return np.asarray(1 / np.log2(rank + 1.0))


def _expand(before: NDArray[Any], count: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The `count` ranks that follow `before`, one group after the other: (group, rank from 1)."""
    owner = np.repeat(np.arange(len(count)), count)
    first = np.cumsum(count) - count
    return owner, np.arange(len(owner)) - (first - before)[owner] + 1


def _expected_hits(ranked: RankedGains, depth: int | NDArray[Any]) -> Values:
    """Each relevant item counts with the chance that it stands within the depth of its row."""
    return _expected_count(ranked, ranked.groups.hits, depth)


def _expected_count(
    ranked: RankedGains | RankedJudgements, items: NDArray[np.intp], depth: int | NDArray[Any]
) -> Values:
    """Of the given number of items of each group those that stand within the depth of their row."""
    groups = ranked.groups
    if np.ndim(depth):
        depth = np.asarray(depth)[groups.row]
    share = items * np.clip(depth - groups.before, 0, groups.size) / groups.size
    return np.bincount(groups.row, share, ranked.n_rows)


def _chances_of_first(size: NDArray[np.intp], marked: NDArray[np.intp], count: NDArray[np.intp]) -> Values:
    """(n, count.max()) chances that the first of the marked items of a group stands at its i-th rank, i up to count.

    The first i ranks hold none with chance prod_{j<i} (t - r - j) / (t - j).
    """
    t, r = size[:, None].astype(float), marked[:, None]
    i = np.arange(count.max())
    none_so_far = np.ones((len(t), len(i)))
    np.cumprod(np.clip(t - r - i[:-1], 0, None) / np.maximum(t - i[:-1], 1), axis=1, out=none_so_far[:, 1:])
    chance = none_so_far * r / np.maximum(t - i, 1)
    chance[i >= count[:, None]] = 0
    return np.asarray(chance)


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
        before, inside, above = groups.before[at], groups.inside[at], groups.hits_before[at]
        owner, rank = _expand(before, inside)
        # The sums where of two ranks never both and where always both are hits; step leads from one to the other.
        alone = np.bincount(owner, (above + 1)[owner] / rank, len(at))
        all_hits = np.bincount(owner, (rank - (before - above)[owner]) / rank, len(at))
        x, weight = _hypergeometric(*(a[at].astype(float) for a in (groups.size, groups.hits, groups.inside)))
        c, h = inside[:, None], above[:, None]
        step = np.maximum(x - 1, 0) / np.maximum(c - 1, 1)
        inner = x / c * (alone[:, None] * (1 - step) + all_hits[:, None] * step)
        value = np.minimum(_ratio(certain[groups.row[at]][:, None] + inner, h + x), 1.0)
        out[groups.row[at]] = _row_sums(weight * value) / _row_sums(weight)
    return np.minimum(out, 1.0)


def _hypergeometric(size: Values, r: Values, c: Values) -> tuple[Values, Values]:
    """Numbers x of relevant items among the first c of a group, and in proportion their chances, by row."""
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
    return np.minimum(x, high[:, None]), np.exp(log_weight - log_weight.max(axis=1, keepdims=True))


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
    """For each group of equal scores the expected sum of 1 / rank times the chance to stop there and not before.

    With L_s the chance to stop within s ranks of the group, L_s - L_(s-1) times 1 / (b + s) is summed up by parts:
    L_s / ((b + s) (b + s + 1)) and, at the last rank, L_c / (b + c). All terms are positive.
    """
    several = groups.several
    before, size, hits = groups.before[several], groups.size[several], groups.hits[several]
    n_ranks = _ranks_that_matter(np.add.reduceat(stop, groups.start)[several] / size, groups.inside[several])
    out = np.empty(len(several))
    level = np.ceil(np.log2(n_ranks)).astype(np.intp)  # groups of about the same length are padded to one
    for width in range(level.max() + 1):
        of_level = (level == width).nonzero()[0]
        of_level = of_level[np.argsort(-hits[of_level], kind="stable")]
        step = max(1, CELLS >> width)
        for at in (of_level[start : start + step] for start in range(0, len(of_level), step)):
            stopped = _chances_to_stop(stop, groups.start[several[at]], size[at], hits[at], 1 << width)
            s, last = np.arange(1, (1 << width) + 1), n_ranks[at][:, None]
            rank = (before[at][:, None] + s).astype(float)
            weight = np.where(s < last, 1 / (rank * (rank + 1)), np.where(s == last, 1 / rank, 0))
            out[at] = _row_sums(stopped * weight)
    return out


def _ranks_that_matter(stop: Values, inside: NDArray[np.intp]) -> NDArray[np.intp]:
    """After how many of the `inside` ranks of a group the rest adds less than 1e-18 of what the first adds.

    The chance to pass s items is at most the s-th power of that to pass one (Maclaurin's inequality).
    """
    with np.errstate(divide="ignore"):
        enough = np.log(1e-18 * stop) / np.log1p(-np.minimum(stop, 1))
    return np.clip(np.ceil(enough), 1, inside).astype(np.intp)


def _chances_to_stop(
    stop: Values, start: NDArray[np.intp], size: NDArray[np.intp], hits: NDArray[np.intp], width: int
) -> Values:
    """(n_groups, width) chances to stop within s items of a group in random order; groups by falling hits.

    Items are put into the group one by one, irrelevant ones first. The n-th, with the chance p to stop, stands
    among the first s of n items with chance s / n, and then only s - 1 of the others do:

        L_s ← (s / n) · (p + (1 - p) · L_(s-1)) + (1 - s / n) · L_s.
    """
    s = np.arange(1.0, width + 1)
    stopped = np.zeros((len(start), width + 1))
    n_groups = np.searchsorted(-hits, -np.arange(hits[0]))
    irrelevant = (size - hits)[:, None]
    for item, count in enumerate(n_groups.tolist()):
        p = stop[start[:count] + item][:, None]
        n = irrelevant[:count] + (item + 1.0)
        change = stopped[:count, :-1] * (1 - p)
        change += p
        within = stopped[:count, 1:]
        change -= within
        change *= np.minimum(s, n) / n
        within += change
    return stopped[:, 1:]
