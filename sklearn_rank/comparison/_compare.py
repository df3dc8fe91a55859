"""Models side by side: values, intervals and paired tests from the row values of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank._options import Inputs, Options, check_choice, check_number
from sklearn_rank.comparison._comparison import CORRECTIONS, ComparedModel, Comparison
from sklearn_rank.comparison._figures import Figures
from sklearn_rank.comparison._models import check_models, rank_models
from sklearn_rank.comparison._resampling import (
    adjusted,
    check_draws,
    effect_size,
    report,
    sign_flip_test,
    t_test,
    unit_sums,
)
from sklearn_rank.metrics._evaluate import parse_requests

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike

    from sklearn_rank.comparison._figures import Pair


def compare(
    y_true: Any,
    y_scores: Mapping[str, Any],
    metrics: Iterable[Any],
    *,
    baseline: str | None = None,
    pairs: str = "baseline",
    test: str = "sign-flip",
    correction: str | None = "holm",
    clusters: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
    relevance_threshold: float | None = None,
    ties: str = "average",
    zero_division: float = 0.0,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Comparison:
    """Values, intervals and paired tests of several models under several metrics.

    Each model is ranked once. The rankings (rows, or whole groups) are then resampled: a bootstrap gives the
    intervals of each value and of each difference on the same rankings, and a paired sign-flip test the p-value of
    each difference: were the two models equal, each ranking's difference could as well have the other sign [1]_.

    Parameters
    ----------
    y_true : array-like, sparse matrix, dict of them or qrels
        As in the functions. A dict with the names of `y_scores` gives each model its own columns for the same
        rows: what `from_lists` and `from_qrels` make of two models has different columns. Judgements
        ``{query: {item: grade}}`` stand beside runs.
    y_scores : dict of {str: array-like, sparse matrix or run}
        The scores of each model; beside qrels its run ``{query: {item: score}}``.
    metrics : iterable of str or tuple
        As in `evaluate`. A request with ``{"average": "micro"}`` weighs rows by their denominators, in values,
        intervals and tests.
    baseline : str, default=None
        The model that the others are compared with; None: the first. Not beside ``pairs="all"``.
    pairs : {"baseline", "all"}, default="baseline"
        Whether the models are compared with the baseline, or every two.
    test : {"sign-flip", "t"}, default="sign-flip"
        The paired sign-flip test, or the paired t-test.
    correction : {"holm", "bonferroni", "fdr_bh"} or None, default="holm"
        How `p_adjusted` allows for all pairs and metrics of the call: Holm's and Bonferroni's corrections bound the
        chance of any false finding, Benjamini and Hochberg's the expected share of them.
    clusters : array-like of shape (n_rankings,), default=None
        An id for each ranking, with `groups` in order of first appearance: users of a household, repeats of a fold.
        Rankings of one cluster are not independent, so clusters are resampled and flipped whole.
    confidence_level : float, default=0.95
        Of the intervals, between 0 and 1.
    n_resamples : int, default=9999
        Bootstrap samples, and sign flips where not all of them can be counted.
    random_state : int, RandomState or Generator, default=None
        An int makes the result reproducible.
    relevance_threshold : float, default=None
        As in `evaluate`.
    ties : {"average", "first", "best", "worst"}, default="average"
        As in `evaluate`.
    zero_division : float, default=0.0
        As in `evaluate`; nan leaves rankings without a relevant item out.
    sample_weight, labels, groups : array-like, default=None
        As in `evaluate`.
    n_jobs : int, default=None
        Threads over blocks of rows.
    verbose : int, default=0
        1 prints how far the resampling is.

    Returns
    -------
    Comparison
        The higher a value, the better. A model that stands alone (the baseline; with ``pairs="all"`` the first)
        has nan for differences, effect and p-values.

    Raises
    ------
    ValueError
        If fewer than two rankings or clusters count, models have other queries in their rows, the baseline is none of
        the models, an option is out of range, or `evaluate` would raise.
    TypeError
        If `y_scores` is no dict of names.

    See Also
    --------
    evaluate : The values alone.
    out_of_fold_scores : Scores of a model by cross-validation.

    Notes
    -----
    The p-value is two-sided. It is exact where all 2^n sign flips of the n rankings (or clusters) that differ are no
    more than `n_resamples`; else it is (count + 1) / (n_resamples + 1) of sampled ones [2]_. The t-test has the
    standard error of a weighted mean of clusters and a degree of freedom less than there are.

    `effect` is the weighted mean of the differences over their standard deviation (with n - 1): 0 if nothing differs,
    infinite for a constant difference.

    Intervals are the quantiles of the bootstrap means; from 25 rankings (or clusters) on they are widened to what
    Student's t asks of so many [3]_. docs/conventions.md reports coverage and size by simulation.

    Each figure is drawn by itself: it does not depend on the metrics and models that stand beside it, nor on `n_jobs`.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan, B. Carterette (2007). A comparison of statistical significance tests
           for information retrieval evaluation. CIKM 2007, 623-632.
    .. [2] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. Statistical
           Applications in Genetics and Molecular Biology 9(1), article 39.
    .. [3] T. C. Hesterberg (2015). What teachers should know about the bootstrap. The American Statistician 69(4),
           371-386.

    Examples
    --------
    Model b finds the relevant item first in all six rows, a in none. Of 2^6 sign flips two are as extreme:

    >>> from sklearn_rank import compare
    >>> y_true = [[0, 1]] * 6
    >>> result = compare(y_true, {"a": [[2, 1]] * 6, "b": [[1, 2]] * 6}, ["mrr"], random_state=0)
    >>> print(result)
    6 rankings, baseline a, 95% intervals, 9999 resamples
    <BLANKLINE>
    metric  model   value          interval  difference            interval  effect      p  p (Holm)  won/tied/lost
    mrr     a      0.5000  [0.5000, 0.5000]           -                   -       -      -         -              -
    mrr     b      1.0000  [1.0000, 1.0000]     +0.5000  [+0.5000, +0.5000]    +inf  0.031     0.031          6/0/0
    """
    models = check_models(y_true, y_scores)
    names = [model.name for model in models]
    first, compared = _check_pairs(names, baseline, pairs)
    check_choice("test", test, ("sign-flip", "t"))
    if correction is not None:
        check_choice("correction", correction, [name for name in CORRECTIONS if name])
    confidence_level = check_number("confidence_level", confidence_level, "a number between 0 and 1", low=0, high=1)
    draws = check_draws(n_resamples, random_state, verbose)
    requests = parse_requests(metrics)
    data = Inputs(None, None, sample_weight, labels, groups)
    options = Options(ties, zero_division, "samples", relevance_threshold, n_jobs)
    ranked = rank_models(models, requests, data, options, clusters)
    if draws.verbose:
        report(f"ranked {len(names)} models of {ranked.n_rankings} rankings under {len(ranked.keys)} metrics")
    for sample in ranked.samples(compared):
        sample.check_resampling(ranked.n_rankings)
    figures = Figures(ranked, compared, confidence_level, draws)
    rows = _rows(figures, first, test, correction)
    n_clusters = None if ranked.clusters is None else max(sample.n_units for sample in figures.samples)
    n_rankings = max(row.n_rankings for row in rows)
    return Comparison(
        rows,
        None if pairs == "all" else names[first],
        confidence_level,
        draws.n_resamples,
        n_rankings,
        test,
        correction,
        n_clusters,
    )


def _check_pairs(names: list[str], baseline: Any, pairs: Any) -> tuple[int, list[Pair]]:
    """The place of the model that stands alone first, and who is compared with whom."""
    check_choice("pairs", pairs, ("baseline", "all"))
    if pairs == "all":
        if baseline is not None:
            message = f"`baseline` has no meaning beside pairs='all', where every two are compared, got {baseline!r}."
            raise ValueError(message)
        return 0, [(later, earlier) for later in range(len(names)) for earlier in range(later)]
    if baseline is not None and (not isinstance(baseline, str) or baseline not in names):
        message = f"`baseline` must be one of the models {names}, got {baseline!r}."
        raise ValueError(message) if isinstance(baseline, str) else TypeError(message)
    first = 0 if baseline is None else names.index(baseline)
    return first, [(place, first) for place in range(len(names)) if place != first]


def _rows(figures: Figures, first: int, test: str, correction: str | None) -> list[ComparedModel]:
    """The rows of a comparison, metric by metric, model by model."""
    ranked, pairs = figures.ranked, figures.pairs
    p_values = _p_values(figures, test)
    p_adjusted = dict(zip(p_values, adjusted(np.array(list(p_values.values())), correction).tolist(), strict=True))
    nan = float("nan")
    rows = []
    for metric, key in enumerate(ranked.keys):
        for model, name in enumerate(ranked.names):
            value, low, high = figures.interval(metric, (model,))
            if model == first:
                n = len(figures.sample(metric, (model,)).kept)
                rows.append(ComparedModel(name, None, key, value, low, high, nan, nan, nan, nan, nan, nan, 0, n, 0, n))
            for pair in (pair for pair in pairs if pair[0] == model):
                difference, difference_low, difference_high = figures.interval(metric, pair)
                sample, differences = figures.sample(metric, pair), figures.differences(metric, pair)
                wins, ties, losses = (int((np.sign(differences) == sign).sum()) for sign in (1, 0, -1))
                rows.append(
                    ComparedModel(
                        name,
                        ranked.names[pair[1]],
                        key,
                        value,
                        low,
                        high,
                        difference,
                        difference_low,
                        difference_high,
                        effect_size(differences, sample.weights),
                        p_values[metric, pair],
                        p_adjusted[metric, pair],
                        wins,
                        ties,
                        losses,
                        len(sample.kept),
                    )
                )
    return rows


def _p_values(figures: Figures, test: str) -> dict[tuple[int, Pair], float]:
    """By metric and pair, in the order of the rows."""
    found: dict[tuple[int, Pair], float] = {
        (metric, pair): float("nan") for metric in range(len(figures.ranked.keys)) for pair in figures.pairs
    }
    for sample in figures.samples:
        tests = [at for at in found if figures.sample(*at) is sample]
        if not tests:
            continue
        weights = sample.weights
        differences = np.column_stack([figures.differences(*at) for at in tests])
        sums = unit_sums(weights[:, None] * differences, sample.units)
        if test == "t":
            values = t_test(sums, unit_sums(weights[:, None], sample.units)[:, 0])
        else:
            values = sign_flip_test(sums, figures.draws)
        found.update(zip(tests, values.tolist(), strict=True))
    return found
