"""What holds for every metric of the registry, whatever the input: invariances, bounds, forms of input."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import fitted, worth
from over_registry import TIES, call, for_loops, judged_only, loops, measure_of, undefined, variants
from scipy import sparse

from sklearn_rank.metrics._registry import METRICS

settings.register_profile("sklearn_rank", max_examples=20, deadline=None, derandomize=True)
settings.load_profile("sklearn_rank")

NEVER = -np.inf
SCORES = (NEVER, -2.0, -0.0, 0.0, 0.5, 3.0, np.inf)  # all of them exact in float16
SPARSE = (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.lil_array, sparse.bsr_array, sparse.csr_matrix)

every_metric = pytest.mark.parametrize("name", METRICS)
metrics_of_any_form = pytest.mark.parametrize(
    "name", [name for name, metric in METRICS.items() if metric.needs is None]
)
metrics_with_k = pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.takes_k])


class Problem:
    """Some rows and a way to score them; `with_` gives the values of a changed problem."""

    def __init__(self, name, y_true, y_scores, k, options):
        self.metric, self.y_true, self.y_scores, self.k, self.options = METRICS[name], y_true, y_scores, k, options

    def __repr__(self):
        return f"{self.metric.name}(\n{self.y_true!r},\n{self.y_scores!r}, k={self.k}, {self.options})"

    @property
    def values(self):
        return self.with_()

    @property
    def own_options(self):
        return fitted({name: value for name, value in self.options.items() if name != "ties"}, self.y_true.shape[1])

    @property
    def undefined(self):
        """(n_rows,) which rows are worth `zero_division`."""
        return undefined(self.metric, self.y_true, self.y_scores, **self.own_options)

    @property
    def sparse_truth(self):
        """What a sparse matrix stores: the relevant items, or all that were judged."""
        return judged_only(self.y_true) if self.metric.judged else sparse.coo_array(self.y_true)

    def with_(self, y_true=None, y_scores=None, *, columns=None, average=None, **changes):
        """The values of a changed problem; `columns` are those that its propensities belong to."""
        options = {"k": self.k, **self.options, **changes}
        y_true = self.y_true if y_true is None else y_true
        y_scores = self.y_scores if y_scores is None else y_scores
        if columns is not None:
            options = fitted(options, columns)
        return call(self.metric, y_true, y_scores, options.pop("k"), average=average, **options)

    def ideal(self, y_true):
        """Scores that put the items of each row in the best order."""
        options = {name: value for name, value in self.options.items() if name != "ties"}
        rows = for_loops(y_true)
        return np.array([worth(row, **fitted(options, len(row)))[0] for row in rows], float)


def integers(shape, end):
    """Arrays of integers from 0 up to `end`; drawing bytes at once is what makes it fast."""
    size = math.prod(shape)
    return st.binary(min_size=size, max_size=size).map(
        lambda drawn: (np.frombuffer(drawn, np.uint8) % end).astype(np.int64).reshape(shape)
    )


@st.composite
def problems(draw, name, scores=SCORES, ties=TIES, shape=None, labels=False):
    shape = shape or draw(st.tuples(st.integers(1, 4), st.integers(1, 6)))
    metric = METRICS[name]
    y_true = draw(integers(shape, 4 if metric.graded else 2))
    if metric.judged and not labels:
        y_true = np.where(draw(integers(shape, 3)) == 0, np.nan, y_true)
    if labels:
        y_true = np.eye(shape[1], dtype=int)[draw(integers(shape[:1], shape[1]))]
    y_scores = np.array(scores)[draw(integers(shape, len(scores)))]
    k = draw(st.one_of(st.none(), st.integers(1, 8), st.sampled_from([0.1, 1 / 3, 0.5, 0.9, "relevant"])))
    options = {**draw(st.sampled_from(variants(metric))), "ties": draw(st.sampled_from(ties))}
    return Problem(name, y_true, y_scores, k, options)


def same(values):
    return pytest.approx(values, rel=1e-12, abs=1e-12)


def shuffled(n, seed):
    return np.random.default_rng(seed).permutation(n)


seeds = st.integers(0, 1000)


class TestInvariance:
    @every_metric
    @given(data=st.data(), seed=seeds)
    def test_order_of_rows(self, name, data, seed):
        problem = data.draw(problems(name))
        order = shuffled(len(problem.y_true), seed)
        assert (problem.with_(problem.y_true[order], problem.y_scores[order]) == problem.values[order]).all()

    @every_metric
    @given(data=st.data(), seed=seeds)
    def test_order_of_items(self, name, data, seed):
        """Ties included, unless the column itself decides them."""
        problem = data.draw(problems(name, ties=("average", "best", "worst")))
        order = shuffled(problem.y_true.shape[1], seed)
        changed = problem.with_(problem.y_true[:, order], problem.y_scores[:, order], columns=order)
        assert changed == same(problem.values)

    @every_metric
    @given(data=st.data(), seed=seeds)
    def test_order_of_items_without_ties(self, name, data, seed):
        problem = data.draw(problems(name))
        n, m = problem.y_true.shape
        y_scores = np.array([shuffled(m, seed + row) for row in range(n)])
        order = shuffled(m, seed)
        expected = problem.with_(y_scores=y_scores)
        assert problem.with_(problem.y_true[:, order], y_scores[:, order], columns=order) == same(expected)

    @every_metric
    @given(data=st.data())
    def test_the_column_decides_only_with_first(self, name, data):
        """With `first` the lower column wins: raising it above its equals changes nothing."""
        problem = data.draw(problems(name, scores=(0.0, 1.0, 2.0), ties=("first",)))
        m = problem.y_true.shape[1]
        assert problem.with_(y_scores=problem.y_scores - np.arange(m) / m) == same(problem.values)

    @every_metric
    @pytest.mark.parametrize(
        "values",
        [
            pytest.param((NEVER, -1e308, 5e-324, 5e-324, 1.0, 1e300, np.inf), id="extreme"),
            pytest.param((NEVER, 1.0, 1 + 2**-52, 1 + 2**-52, 1 + 2**-51, 1 + 2**-50, 1 + 2**-49), id="close"),
        ],
    )
    @given(data=st.data())
    def test_growing_transform_of_scores(self, name, values, data):
        problem = data.draw(problems(name))
        table = dict(zip(SCORES, values, strict=True))
        grown = np.vectorize(table.__getitem__, otypes=[float])(problem.y_scores)
        assert (problem.with_(y_scores=grown) == problem.values).all()

    @every_metric
    @settings(max_examples=10)
    @given(data=st.data())
    def test_scores_of_any_dtype(self, name, data):
        problem = data.draw(problems(name, scores=(0.0, 1.0, 2.0, 127.0)))
        for dtype in (np.int8, np.uint8, np.int64, np.uint64, np.float16, np.float32, ">f8", ">i4"):
            assert (problem.with_(y_scores=problem.y_scores.astype(dtype)) == problem.values).all()

    @every_metric
    @given(data=st.data())
    def test_a_row_does_not_look_at_the_others(self, name, data):
        problem = data.draw(problems(name))
        alone = [problem.with_(problem.y_true[[row]], problem.y_scores[[row]])[0] for row in range(len(problem.y_true))]
        assert (problem.values == alone).all()

    @every_metric
    @settings(max_examples=10)
    @given(data=st.data(), n_jobs=st.sampled_from([1, 2, -1]))
    def test_threads(self, name, data, n_jobs):
        problem = data.draw(problems(name))
        assert (problem.with_(n_jobs=n_jobs) == problem.values).all()


class TestMean:
    @every_metric
    @given(data=st.data())
    def test_score_is_the_mean_of_the_row_values(self, name, data):
        problem = data.draw(problems(name))
        assert problem.with_(average="samples") == same(math.fsum(problem.values) / len(problem.y_true))

    @every_metric
    @given(data=st.data())
    def test_weighted_mean(self, name, data):
        problem = data.draw(problems(name))
        n = len(problem.y_true)
        weights = data.draw(st.lists(st.floats(0.125, 8), min_size=n, max_size=n))
        expected = math.fsum(w * v for w, v in zip(weights, problem.values, strict=True)) / math.fsum(weights)
        assert problem.with_(sample_weight=weights, average="samples") == same(expected)
        assert (problem.with_(sample_weight=weights) == problem.values).all()

    @every_metric
    @given(data=st.data())
    def test_a_weight_is_a_repetition(self, name, data):
        problem = data.draw(problems(name))
        n = len(problem.y_true)
        counts = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
        repeated = [np.repeat(array, counts, axis=0) for array in (problem.y_true, problem.y_scores)]
        expected = problem.with_(*repeated, average="samples")
        assert problem.with_(sample_weight=counts, average="samples") == same(expected)

    @every_metric
    @given(data=st.data())
    def test_a_zero_weight_removes_the_row_from_the_mean(self, name, data):
        problem = data.draw(problems(name, shape=(3, 4)))
        expected = problem.with_(problem.y_true[1:], problem.y_scores[1:], average="samples")
        assert problem.with_(sample_weight=[0, 2, 2], average="samples") == same(expected)

    @every_metric
    @given(data=st.data())
    def test_the_scale_of_weights_does_not_matter(self, name, data):
        problem = data.draw(problems(name, shape=(3, 4)))
        expected = problem.with_(sample_weight=[1, 2, 4], average="samples")
        for scale in (1e-308, 1e-20, 2e307):
            assert problem.with_(sample_weight=np.array([1, 2, 4]) * scale, average="samples") == same(expected)

    @every_metric
    @given(data=st.data(), zero_division=st.sampled_from([0.0, 0.5, 1.0, -3.0, np.nan]))
    def test_rows_without_a_relevant_item(self, name, data, zero_division):
        problem = data.draw(problems(name))
        empty = problem.undefined
        values = problem.with_(zero_division=zero_division)
        assert np.array_equal(values[empty], np.full(empty.sum(), zero_division), equal_nan=True)
        assert (values[~empty] == problem.values[~empty]).all()
        if np.isnan(zero_division) and not empty.all():
            mean = problem.with_(zero_division=zero_division, average="samples")
            assert mean == same(math.fsum(values[~empty]) / (~empty).sum())


class TestRange:
    @every_metric
    @given(data=st.data())
    def test_bounds(self, name, data):
        problem = data.draw(problems(name))
        assert (problem.values >= 0).all()
        if problem.metric.greatest is not None:
            assert (problem.values <= problem.metric.greatest).all()

    @every_metric
    @given(data=st.data())
    def test_nothing_beats_the_perfect_ranking(self, name, data):
        problem = data.draw(problems(name, scores=SCORES[1:]))
        assert (problem.with_(y_scores=problem.ideal(problem.y_true)) >= problem.values - 1e-12).all()

    @every_metric
    @given(data=st.data())
    def test_the_perfect_ranking_reaches_the_top(self, name, data):
        """Cut where the divisor is what can be reached: one rank, or as many as there are relevant items."""
        n_relevant = data.draw(st.integers(1, 5))
        metric = METRICS[name]
        grades = st.integers(2, 3) if metric.graded else st.just(1)  # which gain something in every table
        row = [*data.draw(st.lists(grades, min_size=n_relevant, max_size=n_relevant)), 0, 0]
        problem = data.draw(problems(name))
        scores = problem.ideal([row])
        value = problem.with_([row], scores, k=n_relevant)
        if metric.greatest is not None and metric.reached:
            assert value == same(metric.greatest)
        else:  # how much is reached depends on the grades
            assert value == same(loops(metric, [row], scores, n_relevant, **problem.own_options))

    @every_metric
    @given(data=st.data())
    def test_any_order_of_ties_lies_between_worst_and_best(self, name, data):
        problem = data.draw(problems(name))
        if measure_of(METRICS[name]).denominator and not METRICS[name].measure(1, **problem.own_options).denominator:
            return  # the divisor hangs on the order, so that a hit on a late rank can lower the mean
        worst, best = problem.with_(ties="worst"), problem.with_(ties="best")
        for ties in ("average", "first"):
            value = problem.with_(ties=ties)
            assert (worst - 1e-12 <= value).all()
            assert (value <= best + 1e-12).all()

    @every_metric
    @given(data=st.data(), seed=seeds)
    def test_without_ties_all_rules_agree(self, name, data, seed):
        problem = data.draw(problems(name))
        n, m = problem.y_true.shape
        y_scores = np.array([shuffled(m, seed + row) for row in range(n)])
        expected = problem.with_(y_scores=y_scores, ties="average")
        for ties in TIES[1:]:
            assert problem.with_(y_scores=y_scores, ties=ties) == same(expected)


class TestCutoff:
    @pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.grows_with_k])
    @given(data=st.data())
    def test_growth(self, name, data):
        problem = data.draw(problems(name))
        if problem.options.get("denominator") == "attainable":
            problem.options["denominator"] = "relevant"  # the registry speaks of the defaults
        values = [problem.with_(k=k) for k in range(1, 8)]
        assert (np.diff(values, axis=0) >= -1e-12).all()

    @metrics_with_k
    @given(data=st.data())
    def test_k_past_the_row_sees_ranks_that_nothing_takes(self, name, data):
        """Columns of irrelevant items behind all others, or never retrieved, change nothing for a k."""
        problem = data.draw(problems(name))
        k = problem.k or 7
        if not isinstance(k, int):
            return  # such a cutoff counts what was retrieved
        behind = np.zeros((len(problem.y_true), 8))
        y_true = np.hstack([problem.y_true, behind + (np.nan if problem.metric.judged else 0)])
        for score in (-5.0, NEVER):
            y_scores = np.hstack([problem.y_scores, behind + score])
            assert problem.with_(y_true, y_scores, k=k) == same(problem.with_(k=k))

    @metrics_with_k
    @given(data=st.data())
    def test_the_whole_ranking_is_k_at_what_was_retrieved(self, name, data):
        problem = data.draw(problems(name, shape=(1, 5)))
        n_retrieved = int((problem.y_scores > NEVER).sum())
        if n_retrieved < (problem.y_true > 0).sum() and (problem.metric.graded or problem.metric.needs):
            return  # k divides nothing there: the best order of the whole row is not cut
        if n_retrieved:
            assert problem.with_(k=None) == same(problem.with_(k=n_retrieved))
        elif not problem.undefined.any():
            assert problem.with_(k=None) == 0

    @metrics_with_k
    @given(data=st.data())
    def test_a_cutoff_of_each_row_is_the_k_of_that_row(self, name, data):
        problem = data.draw(problems(name))
        for k in (0.1, 1 / 3, 0.5, 0.99, "relevant"):
            values = problem.with_(k=k)
            for row, (truth, scores) in enumerate(zip(problem.y_true, problem.y_scores, strict=True)):
                n_retrieved, gains = np.count_nonzero(scores > NEVER), for_loops(problem.ideal([truth]))[0]
                n_relevant = sum(gain > 0 for gain in gains)
                of_row = n_relevant if k == "relevant" else math.ceil(Fraction(repr(k)) * n_retrieved)
                if of_row:
                    assert values[[row]] == same(problem.with_([truth], [scores], k=of_row))
                elif not problem.undefined[row]:
                    assert values[row] == 0  # nothing was retrieved

    @metrics_with_k
    @given(data=st.data())
    def test_a_huge_k(self, name, data):
        problem = data.draw(problems(name))
        for k in (2**62, 10**30):
            assert np.isfinite(problem.with_(k=k)).all()

    @metrics_with_k
    @given(data=st.data(), seed=seeds, kind=st.sampled_from(["float64", "float32", "float16", "int16", "uint8"]))
    def test_wide_rows_are_ranked_like_narrow_ones(self, name, data, seed, kind):
        """Hundreds of items behind all others, anywhere between them, take a faster way to the same values."""
        low = 0.0 if kind == "uint8" else -4.0
        scores = tuple(low + step for step in (1, 2, 3)) + ((NEVER, np.inf) if kind.startswith("float") else ())
        problem = data.draw(problems(name, scores=scores))
        problem.k = k = problem.k if isinstance(problem.k, int) else 3
        n, m = problem.y_true.shape
        rng = np.random.default_rng(seed)
        width = 64 * k + 100
        columns = np.sort(rng.choice(width, m, replace=False))
        y_true = np.full((n, width), np.nan) if problem.metric.judged else np.zeros((n, width), int)
        y_scores = np.full((n, width), low)
        owners = np.zeros(width, int)  # whose propensity a column has
        owners[columns] = np.arange(m)
        y_true[:, columns], y_scores[:, columns] = problem.y_true, problem.y_scores
        for behind in (low, rng.integers(-9, 1, width) + low):  # tied with each other; some so
            if kind != "uint8" or np.ndim(behind) == 0:
                filler = np.setdiff1d(np.arange(width), columns)
                y_scores[:, filler] = np.broadcast_to(behind, width)[filler]
            values = problem.with_(y_true, y_scores.astype(kind), columns=owners)
            assert values == same(problem.with_(y_scores=problem.y_scores.astype(kind)))

    @metrics_with_k
    @given(data=st.data(), seed=seeds)
    def test_wide_rows_full_of_relevant_items(self, name, data, seed):
        """The relevant items behind the narrow part count in R, as if they had never been retrieved."""
        problem = data.draw(problems(name, scores=(1.0, 2.0, 3.0), shape=(3, 6)))
        problem.k = k = min(problem.k, 6) if isinstance(problem.k, int) else 3
        rng = np.random.default_rng(seed)
        behind = rng.integers(0, 2, (3, 64 * k))
        wide_true = np.hstack([problem.y_true, behind])
        wide_scores = np.hstack([problem.y_scores, rng.integers(-9, 1, (3, 64 * k))])
        unseen = wide_scores.copy()
        unseen[:, 6:] = NEVER
        order = np.flatnonzero((wide_true != 0).any(axis=0) | (np.arange(wide_true.shape[1]) < 6))
        expected = problem.with_(wide_true[:, order], unseen[:, order], columns=order)
        assert problem.with_(wide_true, wide_scores) == same(expected)
