"""Intervals and paired tests of weighted means. What is drawn or flipped is a unit: a ranking, or a cluster of them.

Random numbers are used up resample by resample, so that no figure depends on how many are drawn at a time, and each
sample of units starts from the same seed, so that none depends on what else is resampled.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from sklearn_rank._options import check_count, is_integer, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

CELLS = 1 << 21  # random numbers that are held together, which bounds the memory
FEWEST = 8  # resamples worked on together, however many units there are
HALF_WORD = 1 << 16
MANY_UNITS = 1 << 12  # from which on counts are not found draw by draw
SHORT_BY = 4.0  # standard deviations that the sum of Poisson counts stays below n
RESOLUTION = 1e-200  # of weights relative to the largest
ROUNDING = 1e-12  # relative; what differs by less is a tie
EXPANDED_FROM = 25  # units from which on intervals are widened to the quantiles of Student's t
MOST_RESAMPLES = 10**7  # whose means are all kept
MOST_FLIPS = 32  # units whose sign flips can be counted one by one


@dataclass(frozen=True)
class Draws:
    """How many resamples, from which seed, and whether to say how far they are."""

    n_resamples: int
    seed: int
    verbose: bool = False

    def generator(self, purpose: int) -> np.random.Generator:
        """The same stream of random numbers each time, another one for each purpose."""
        return np.random.Generator(np.random.SFC64(np.random.SeedSequence([self.seed, purpose])))

    def blocks(self, n_units: int, what: str) -> Iterator[tuple[int, int]]:
        """(start, stop) of the resamples that are worked on together; with `verbose` a line now and then."""
        began = time.perf_counter()
        step = max(FEWEST, CELLS // n_units)
        lines = 0
        for start in range(0, self.n_resamples, step):
            stop = min(start + step, self.n_resamples)
            yield start, stop
            if self.verbose and 10 * stop // self.n_resamples > lines:
                lines = 10 * stop // self.n_resamples
                seconds = time.perf_counter() - began
                report(f"{what}: {stop} of {self.n_resamples} resamples, {seconds:.1f} s")


def report(text: str) -> None:
    """A line of progress."""
    print(f"[compare] {text}", flush=True)  # noqa: T201  asked for with `verbose`


def check_draws(n_resamples: Any, random_state: Any, verbose: Any = 0) -> Draws:
    """The settings of the resampling."""
    n_resamples = check_count("n_resamples", n_resamples)
    if n_resamples > MOST_RESAMPLES:
        message = f"`n_resamples` must be at most {MOST_RESAMPLES}, got {n_resamples:.3g}."
        raise ValueError(message)
    if not isinstance(verbose, (int, np.integer, np.bool_)):
        message = f"`verbose` must be an integer of at least 0, got {verbose!r} ({name_of(verbose)})."
        raise TypeError(message)
    if verbose < 0:
        message = f"`verbose` must be an integer of at least 0, got {verbose}."
        raise ValueError(message)
    return Draws(n_resamples, seed_of(random_state), bool(verbose))


def seed_of(random_state: Any) -> int:
    """scikit-learn's meaning of `random_state`, and numpy's generators, as a number to start from."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if is_integer(random_state) and random_state >= 0:
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except Exception as error:
        message = (
            "`random_state` must be None, an integer of at least 0, a RandomState or a Generator, got "
            f"{random_state!r}."
        )
        raise (TypeError if isinstance(error, TypeError) else ValueError)(message) from error


def unit_sums(values: Values, units: NDArray[np.intp] | None) -> Values:
    """(n_rankings, n_columns) values added up by unit: (n_units, n_columns)."""
    if units is None:
        return values
    n_units = int(units.max()) + 1
    columns = [np.bincount(units, column, n_units) for column in values.T]
    return np.column_stack(columns) if columns else np.empty((n_units, 0))


# ---- the bootstrap


def bootstrap_means(sums: Values, weights: Values, draws: Draws) -> Values:
    """(n_resamples, n_columns) ratios of (n_units, n_columns) sums and weights, resampled unit by unit."""
    n = len(sums)
    means = np.empty((draws.n_resamples, sums.shape[1]))
    constant = bool((weights == weights[0]).all())
    for (start, stop), counts in zip(draws.blocks(n, "bootstrap"), _drawn(n, draws), strict=True):
        means[start:stop] = counts @ sums / (n * weights[0] if constant else (counts @ weights)[:, None])
    return means


def _drawn(n: int, draws: Draws) -> Iterator[Values]:
    """(n_rows, n) how often each of n units was drawn, in blocks."""
    random = draws.generator(0)
    poisson = _Poisson(n, draws) if n >= MANY_UNITS else None
    for start, stop in Draws(draws.n_resamples, draws.seed).blocks(n, ""):
        rows = stop - start
        if poisson is not None:
            yield poisson.made_up_to_n(rows)
            continue
        place = random.integers(0, n, (rows, n))
        place += n * np.arange(rows)[:, None]
        yield np.bincount(place.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


class _Poisson:
    """Multinomial counts of n draws from n units, without drawing n times.

    Independent Poisson counts are multinomial given their sum, and units that are drawn to make up for what it lacks of
    n, or taken away from those drawn, leave them so.
    """

    def __init__(self, n: int, draws: Draws) -> None:
        self.n = n
        # A stream for each purpose, so that none depends on how many rows are drawn at a time.
        self.numbers, self.rest, self.last = (draws.generator(purpose) for purpose in (0, 3, 1))
        chances = stats.poisson.pmf(np.arange(30), 1 - SHORT_BY / np.sqrt(n)) * HALF_WORD
        # Of the 2^16 numbers as many stand for a count as its chance has whole ones; the few that are left stand for
        # what is left of the chances.
        whole = np.floor(chances)
        self.thresholds = np.cumsum(whole[whole > 0]).astype(np.uint16)
        self.left = np.cumsum(chances - whole) / (chances - whole).sum()

    def made_up_to_n(self, rows: int) -> Values:
        """(n_rows, n) counts."""
        n = self.n
        words = self.numbers.integers(0, 1 << 64, (rows, -(-n // 4)), np.uint64)
        numbers = words.view(np.uint16)[:, :n]
        counts, reached = np.zeros((rows, n), np.uint8), np.empty((rows, n), bool)
        for threshold in self.thresholds:
            np.greater_equal(numbers, threshold, out=reached)
            counts += reached.view(np.uint8)
        flat = counts.ravel()
        rest = np.flatnonzero(flat == len(self.thresholds))
        flat[rest] = np.searchsorted(self.left, self.rest.random(len(rest)), side="right")
        out = counts.astype(np.float64)
        for counted, lacking in zip(out, n - out.sum(axis=1), strict=True):
            if lacking >= 0:
                np.add.at(counted, self.last.integers(0, n, int(lacking)), 1.0)
            else:
                drawn = np.repeat(np.arange(n), counted.astype(np.intp))
                np.subtract.at(counted, self.last.choice(drawn, int(-lacking), replace=False), 1.0)
        return out


def interval_levels(confidence_level: float, n_units: int) -> tuple[float, float]:
    """The quantiles of the bootstrap means that are the ends of the interval.

    Means of n drawn units vary by (n - 1) / n less than means of n units do, and an interval has to allow for that
    the variance is estimated. From 25 units on the quantiles make up for both [T. C. Hesterberg (2015). What teachers
    should know about the bootstrap. The American Statistician 69(4), 371-386, section 3.2]; of fewer units there are
    too few different samples for quantiles that far out.
    """
    tail = (1 - confidence_level) / 2
    if n_units >= EXPANDED_FROM:
        tail = stats.norm.cdf(np.sqrt(n_units / (n_units - 1)) * stats.t.ppf(tail, n_units - 1))
    return float(tail), float(1 - tail)


# ---- tests


def sign_flip_test(sums: Values, draws: Draws) -> Values:
    """Two-sided p-values of (n_units, n_columns) weighted differences, each unit's sign being a coin toss."""
    observed, total = np.abs(sums.sum(axis=0)), np.abs(sums).sum(axis=0)
    observed -= ROUNDING * total
    p_values = np.ones(sums.shape[1])
    sampled = []
    for column, values in enumerate(sums.T):
        different = values[values != 0]
        if len(different) < MOST_FLIPS and 2 ** len(different) <= draws.n_resamples:
            signs = 1.0 - 2.0 * ((np.arange(2 ** len(different))[:, None] >> np.arange(len(different))) & 1)
            p_values[column] = np.mean(np.abs(signs @ different) >= observed[column])
        else:
            sampled.append(column)
    if sampled:
        as_extreme = _count_as_extreme(sums[:, sampled], observed[sampled], draws)
        p_values[sampled] = (as_extreme + 1) / (draws.n_resamples + 1)
    return p_values


def _count_as_extreme(sums: Values, observed: Values, draws: Draws) -> Values:
    """How many random sign flips have a sum of at least the observed size.

    Single precision settles all but the sums that come near it; those are added up again in double precision.
    """
    n = len(sums)
    scale = np.sqrt((sums**2).sum(axis=0))
    short, total = (sums / scale).astype(np.float32), sums.sum(axis=0)
    near = 1e-4 * scale + 1e-5 * np.abs(total)
    random = draws.generator(2)
    n_bytes = -(-n // 64) * 8  # whole 64 bits a row, so that each row starts with a fresh number
    counts = np.zeros(sums.shape[1])
    for start, stop in draws.blocks(n, "sign flips"):
        raw = np.frombuffer(random.bytes((stop - start) * n_bytes), np.uint8).reshape(-1, n_bytes)
        bits = np.unpackbits(raw, axis=1, count=n)
        size = np.abs(total - 2 * scale * (bits.astype(np.float32) @ short))
        borderline = np.abs(size - observed) <= near
        rows, columns = borderline.any(axis=1), borderline.any(axis=0)
        if rows.any():
            signs = 1.0 - 2.0 * bits[rows]
            size[np.ix_(rows, columns)] = np.abs(signs @ sums[:, columns])
        counts += (size >= observed).sum(axis=0)
    return counts


def t_test(sums: Values, weights: Values) -> Values:
    """Two-sided p-values of (n_units, n_columns) weighted differences, weights (n_units,) of the units.

    se^2 = G / (G - 1) sum over units of (sum of w (d - mean))^2 / (sum of w)^2, with G - 1 degrees of freedom.
    """
    n = len(sums)
    mean = sums.sum(axis=0) / weights.sum()
    apart = sums - weights[:, None] * mean
    apart[np.abs(apart) <= ROUNDING * np.abs(weights[:, None] * mean)] = 0.0
    error = np.sqrt(n / (n - 1) * (apart**2).sum(axis=0)) / weights.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = 2 * stats.t.sf(np.abs(mean) / error, n - 1)
    return np.where(mean == 0, 1.0, p_values)


def effect_size(differences: Values, weights: Values) -> float:
    """The weighted mean of (n_rankings,) differences over their standard deviation."""
    n = len(differences)
    mean = (weights * differences).sum() / weights.sum()
    apart = differences - mean
    if np.abs(apart).max() <= ROUNDING * np.abs(differences).max():
        return float(np.sign(mean) * np.inf) if mean else 0.0
    return float(mean / np.sqrt(n / (n - 1) * (weights * apart**2).sum() / weights.sum()))


# ---- many tests at once


def adjusted(p_values: Values, correction: str | None) -> Values:
    """(n_tests,) p-values adjusted for all tests together.

    Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70; Benjamini and Hochberg (1995), Journal of the Royal
    Statistical Society B 57(1), 289-300.
    """
    n = len(p_values)
    if correction is None:
        return p_values
    if correction == "bonferroni":
        return np.asarray(np.minimum(n * p_values, 1.0))
    order = np.argsort(p_values, kind="stable")
    out = np.empty(n)
    if correction == "holm":
        out[order] = np.maximum.accumulate(p_values[order] * np.arange(n, 0, -1))
    else:
        order = order[::-1]
        out[order] = np.minimum.accumulate(p_values[order] * n / np.arange(n, 0, -1))
    return np.minimum(out, 1.0)
