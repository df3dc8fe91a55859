"""Row values of models → means, differences and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sklearn_rank.comparison._resampling import ROUNDING, bootstrap_means, interval_levels, unit_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sklearn_rank.comparison._models import RankedModels, Sample
    from sklearn_rank.comparison._resampling import Draws

    Values = NDArray[np.float64]
    Pair = tuple[int, int]  # places of a model and of the one that it is compared with


class Figures:
    """Values and differences with their intervals, each from the rankings that count for it; nan without a level."""

    def __init__(self, ranked: RankedModels, pairs: list[Pair], confidence_level: float | None, draws: Draws) -> None:
        self.ranked, self.pairs, self.draws = ranked, pairs, draws
        self._sample_of: dict[tuple[int, tuple[int, ...]], Sample] = {}
        self._columns: dict[Sample, dict[tuple[int, int], None]] = {}  # (metric, model), in order
        for metric in range(len(ranked.keys)):
            for models in [(model,) for model in range(len(ranked.names))] + pairs:
                sample = ranked.sample(metric, models)
                self._sample_of[metric, models] = sample
                self._columns.setdefault(sample, {}).update(((metric, model), None) for model in models)
        self._intervals: dict[tuple[int, tuple[int, ...]], tuple[float, float, float]] = {}
        for sample in self.samples:
            self._add_intervals(sample, confidence_level)

    @property
    def samples(self) -> list[Sample]:
        """The different sets of rankings that count."""
        return list(self._columns)

    def sample(self, metric: int, models: tuple[int, ...]) -> Sample:
        """The rankings that count for a figure."""
        return self._sample_of[metric, models]

    def interval(self, metric: int, models: tuple[int, ...]) -> tuple[float, float, float]:
        """A value or difference and the ends of its interval."""
        return self._intervals[metric, models]

    def differences(self, metric: int, pair: Pair) -> Values:
        """The differences of the rankings that count for both; what is rounding is 0."""
        one, two = self.ranked.values[metric][list(pair)][:, self.sample(metric, pair).kept]
        difference = one - two
        difference[np.abs(difference) <= ROUNDING * np.maximum(np.abs(one), np.abs(two))] = 0.0
        return np.asarray(difference)

    def _add_intervals(self, sample: Sample, confidence_level: float | None) -> None:
        """All figures of one sample from the same draws."""
        columns = list(self._columns[sample])
        place = {column: i for i, column in enumerate(columns)}
        values = np.column_stack([self.ranked.values[metric, model, sample.kept] for metric, model in columns])
        weights = sample.weights
        mean = weights @ values / weights.sum() if len(weights) else np.full(len(columns), np.nan)
        values -= mean  # so that what is constant stays so
        values[np.abs(values) <= ROUNDING * np.abs(mean)] = 0.0
        sums = unit_sums(weights[:, None] * values, sample.units)
        unit_weights = unit_sums(weights[:, None], sample.units)[:, 0]
        means, levels = np.full((1, len(columns)), np.nan), (0.0, 1.0)
        if confidence_level is not None:
            means = bootstrap_means(sums, unit_weights, self.draws)
            levels = interval_levels(confidence_level, sample.n_units)
        for (metric, models), its in self._sample_of.items():
            if its is not sample:
                continue
            drawn = means[:, place[metric, models[0]]]
            center = mean[place[metric, models[0]]]
            if len(models) == 2:
                drawn = drawn - means[:, place[metric, models[1]]]
                differences = self.differences(metric, models)
                center = (weights * differences).sum() / weights.sum()
                if not differences.any():
                    drawn = np.zeros(1)
            low, high = np.quantile(drawn, levels)
            self._intervals[metric, models] = float(center), float(center + low), float(center + high)
