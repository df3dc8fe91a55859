"""Dask arrays: the values of the functions in memory, whatever the chunks; the same on two worker processes."""

from __future__ import annotations

import inspect
from functools import partial

import numpy as np
import pytest
from over_registry import measure_of, needed
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import (
    compare,
    evaluate,
    f1_at_k,
    map_at_k,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
)
from sklearn_rank.metrics._registry import METRICS

pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import dask
import dask.array as da

from sklearn_rank.metrics import _dask, _values

ROWS, ITEMS = 11, 9
# Chunks of y_true and of y_scores.
CHUNKS = {
    "one chunk": ((11, 9), (11, 9)),
    "single rows": ((1, 9), (1, 9)),
    "uneven rows": (((4, 1, 6), 9), ((2, 8, 1), 9)),
    "columns": ((4, (4, 4, 1)), (4, (1, 6, 2))),
    "an empty chunk": (((5, 0, 6), 9), ((0, 5, 6, 0), 9)),
}
SHARED = set(inspect.signature(evaluate).parameters)
REQUESTS = [
    "map@3",
    "map",
    "precision@5",
    "ndcg@4",
    "mrr",
    "rbp",
    "r_precision",
    ("err@5", {"max_grade": 1}),
    ("map@3", {"denominator": "k"}),
]


def asked(function, y_true, y_scores, *, compute, **options):
    """A metric by way of evaluate, which alone can put off the computation."""
    if isinstance(function, partial):
        function, options = function.func, {**function.keywords, **options}
    metric = next(metric for metric in METRICS.values() if metric.function is function)
    own = {name: options.pop(name) for name in list(options) if name not in SHARED}
    text = f"{metric.name}@{own.pop('k')}" if own.get("k") else metric.name
    return evaluate(y_true, y_scores, [(text, own, "figure")], compute=compute, **options)["figure"]


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


def rows_with_ties(rng):
    """Relevance, scores with ties, weights with zeros; the last row has nothing relevant."""
    y_true = (rng.random((ROWS, ITEMS)) < 0.3).astype(int)
    y_true[-1] = 0
    y_scores = rng.integers(0, 6, (ROWS, ITEMS)) / 4
    y_scores[rng.random(y_scores.shape) < 0.1] = -np.inf
    weights = rng.random(ROWS)
    weights[:4] = 0
    return y_true, y_scores, weights


def five_queries(rng):
    """Relevance, scores, weights and ids of five queries of 3, 1, 7, 4 and 5 rows; their chunks."""
    sizes = [3, 1, 7, 4, 5]
    ids = np.repeat(["q7", "q1", "q3", "q9", "q2"], sizes)
    n = len(ids)
    return (rng.random(n) < 0.5).astype(int), rng.integers(0, 4, n) / 2, rng.random(n), ids, ((4, 11, 5),)


@pytest.fixture
def problem(rng):
    return rows_with_ties(rng)


@pytest.fixture
def queries(rng):
    return five_queries(rng)


def refuse(block, *_):
    message = "a chunk was computed"
    raise AssertionError(message)


def never(*arrays, chunks):
    """Arrays that cannot be computed."""
    return [
        da.from_array(array, chunks=chunks).map_blocks(refuse, dtype=array.dtype, meta=np.empty((0,) * array.ndim))
        for array in arrays
    ]


def calls(monkeypatch, module, name):
    """The arguments of each call of a function of a module."""
    seen = []
    function = getattr(module, name)

    def counted(*args, **options):
        seen.append(args)
        return function(*args, **options)

    monkeypatch.setattr(module, name, counted)
    return seen


class TestCompare:
    def test_row_values_of_dask_arrays(self, problem):
        y_true, y_scores, weights = problem
        models = {"a": y_scores, "b": y_scores[:, ::-1]}
        lazy = {name: da.from_array(scores, chunks=(5, 4)) for name, scores in models.items()}
        options = {"metrics": ["map@3", "rbp"], "sample_weight": weights, "n_resamples": 99, "random_state": 0}
        assert str(compare(da.from_array(y_true, chunks=4), lazy, **options)) == str(compare(y_true, models, **options))


class TestValues:
    def test_worked_example(self, two_rows):
        y_true, y_scores = two_rows
        lazy = da.from_array(np.array(y_scores), chunks=(1, 2))
        assert map_at_k(y_true, lazy) == ((1 / 1 + 2 / 4) / 2 + (1 / 2) / 1) / 2
        assert mrr_at_k(y_true, lazy, average=None).tolist() == [1, 1 / 2]

    def test_worked_example_with_groups(self):
        # Query "b" has its hit at rank 2 of 2, query "a" at rank 1 of 2.
        y_true, y_scores = da.from_array([0, 1, 0, 1], chunks=2), da.from_array([3.0, 2.0, 1.0, 2.0], chunks=2)
        assert mrr_at_k(y_true, y_scores, groups=["b", "b", "a", "a"]) == (1 / 2 + 1) / 2
        assert mrr_at_k(y_true, y_scores, groups=["b", "b", "a", "a"], average=None).tolist() == [1 / 2, 1]

    @pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
    @pytest.mark.parametrize("name", sorted(METRICS))
    def test_every_metric(self, name, chunks, problem):
        y_true, y_scores, weights = problem
        metric = partial(METRICS[name].function, **needed(METRICS[name], ITEMS))
        lazy = da.from_array(y_true, chunks=chunks[0]), da.from_array(y_scores, chunks=chunks[1])
        for options in ({}, {"average": None}, {"sample_weight": weights}, {"k": 3} if METRICS[name].takes_k else {}):
            expected = metric(y_true, y_scores, **options)
            found = metric(*lazy, **options)
            assert type(found) is type(expected)
            close(found, expected)
            close(asked(metric, *lazy, compute=False, **options).compute(), expected)

    @pytest.mark.parametrize("ties", ["average", "first", "best", "worst"])
    @pytest.mark.parametrize("name", sorted(METRICS))
    def test_ties(self, name, ties, problem):
        y_true, y_scores, _ = problem
        metric = partial(METRICS[name].function, **needed(METRICS[name], ITEMS))
        lazy = da.from_array(y_true, chunks=(6, 4)), da.from_array(y_scores, chunks=(5, 9))
        close(metric(*lazy, ties=ties, average=None), metric(y_true, y_scores, ties=ties, average=None))

    @pytest.mark.parametrize("name", sorted(name for name, metric in METRICS.items() if measure_of(metric).denominator))
    def test_micro_averages(self, name, problem):
        y_true, y_scores, weights = problem
        metric = partial(METRICS[name].function, **needed(METRICS[name], ITEMS), average="micro")
        lazy = da.from_array(y_true, chunks=(6, 4)), da.from_array(y_scores, chunks=(5, 9))
        for options in ({}, {"sample_weight": weights}, {"zero_division": np.nan}):
            expected = metric(y_true, y_scores, **options)
            close(metric(*lazy, **options), expected)
            close(asked(metric, *lazy, compute=False, **options).compute(), expected)

    @pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
    @pytest.mark.parametrize("metric", [precision_at_k, recall_at_k, f1_at_k])
    def test_macro_averages(self, metric, chunks, problem):
        y_true, y_scores, weights = problem
        lazy = da.from_array(y_true, chunks=chunks[0]), da.from_array(y_scores, chunks=chunks[1])
        for options in ({}, {"sample_weight": weights, "k": 0.5}, {"zero_division": np.nan, "k": "relevant"}):
            expected = metric(y_true, y_scores, average="macro", **options)
            close(metric(*lazy, average="macro", **options), expected)
            requests = ["map@2", (f"{metric.__name__.removesuffix('_at_k')}@2", {"average": "macro"}, "macro"), "mrr"]
            found, later = evaluate(*lazy, requests), evaluate(*lazy, requests, compute=False)
            for key, value in evaluate(y_true, y_scores, requests).items():
                close(found[key], value)
                close(later[key].compute(), value)

    def test_macro_averages_of_labels(self, rng):
        y_true, y_scores = rng.integers(0, 4, 14), rng.random((14, 4))
        lazy = da.from_array(y_true, chunks=3), da.from_array(y_scores, chunks=(5, 2))
        expected = recall_at_k(y_true, y_scores, 2, average="macro", labels=[2, 0, 1, 3])
        close(recall_at_k(*lazy, 2, average="macro", labels=[2, 0, 1, 3]), expected)

    @pytest.mark.parametrize("zero_division", [0.0, 0.5, np.nan])
    def test_zero_division(self, zero_division, problem):
        y_true, y_scores, weights = problem
        lazy = da.from_array(y_true, chunks=4), da.from_array(y_scores, chunks=4)
        for options in ({}, {"average": None}, {"sample_weight": weights}):
            expected = map_at_k(y_true, y_scores, zero_division=zero_division, **options)
            close(map_at_k(*lazy, zero_division=zero_division, **options), expected)
            close(asked(map_at_k, *lazy, zero_division=zero_division, compute=False, **options).compute(), expected)

    def test_nothing_defined(self):
        y_true, y_scores = da.zeros((4, 3), chunks=2, dtype=int), da.ones((4, 3), chunks=2)
        with pytest.warns(UndefinedMetricWarning, match="No row has a relevant item"):
            assert np.isnan(map_at_k(y_true, y_scores, zero_division=np.nan))

    def test_grades(self, rng):
        # The highest grade is in one chunk alone, and ERR needs it in all.
        y_true, y_scores = rng.integers(0, 3, (12, 5)), rng.random((12, 5))
        y_true[7, 2] = 4
        lazy = da.from_array(y_true, chunks=(3, 2)), da.from_array(y_scores, chunks=(4, 5))
        for name in ("ndcg", "dcg", "err", "rbp"):
            close(METRICS[name].function(*lazy), METRICS[name].function(y_true, y_scores))
        close(map_at_k(*lazy, 3, relevance_threshold=2), map_at_k(y_true, y_scores, 3, relevance_threshold=2))
        close(METRICS["err"].function(lazy[0], y_scores), METRICS["err"].function(y_true, y_scores))

    @pytest.mark.parametrize("name", sorted(name for name, metric in METRICS.items() if metric.needs is None))
    def test_groups(self, name, queries):
        y_true, y_scores, weights, ids, chunks = queries
        metric = METRICS[name].function
        lazy = da.from_array(y_true, chunks=7), da.from_array(y_scores, chunks=chunks)
        objects = ids.astype(object)
        for groups in (ids, da.from_array(ids, chunks=6), objects, da.from_array(objects, chunks=9)):
            for options in ({}, {"average": None}, {"sample_weight": weights}):
                expected = metric(y_true, y_scores, groups=ids, **options)
                close(metric(*lazy, groups=groups, **options), expected)
                close(asked(metric, *lazy, groups=groups, compute=False, **options).compute(), expected)

    def test_rows_of_a_group_anywhere_in_a_chunk(self, queries, rng):
        y_true, y_scores, weights, ids, chunks = queries
        order = np.concatenate([rng.permutation(np.arange(*ends)) for ends in ((0, 4), (4, 15), (15, 20))])
        y_true, y_scores, weights, ids = (array[order] for array in (y_true, y_scores, weights, ids))
        expected = ndcg_at_k(y_true, y_scores, groups=ids, average=None)
        close(ndcg_at_k(y_true, da.from_array(y_scores, chunks=chunks), groups=ids, average=None), expected)
        expected = ndcg_at_k(y_true, y_scores, groups=ids, sample_weight=weights)
        lazy = da.from_array(y_scores, chunks=chunks)
        close(ndcg_at_k(y_true, lazy, groups=ids, sample_weight=da.from_array(weights, chunks=3)), expected)

    def test_an_empty_chunk_has_no_group(self, queries):
        y_true, y_scores, weights, ids, _ = queries
        lazy = da.from_array(y_scores, chunks=((4, 0, 16),))
        expected = map_at_k(y_true, y_scores, groups=ids, sample_weight=weights)
        close(map_at_k(y_true, lazy, groups=ids, sample_weight=weights), expected)
        close(METRICS["err"].function(y_true, lazy, groups=ids), METRICS["err"].function(y_true, y_scores, groups=ids))

    def test_one_ranking_is_not_cut(self, queries):
        y_true, y_scores, weights, _, _ = queries
        lazy = da.from_array(y_true, chunks=3), da.from_array(y_scores, chunks=4)
        close(map_at_k(*lazy), map_at_k(y_true, y_scores))
        close(map_at_k(*lazy, average=None), map_at_k(y_true, y_scores, average=None))
        with pytest.warns(UserWarning, match="`sample_weight` changes nothing"):
            assert map_at_k(*lazy, sample_weight=weights) == pytest.approx(map_at_k(y_true, y_scores), abs=1e-12)

    @pytest.mark.parametrize("dtype", [int, str, object])
    def test_labels(self, dtype, rng):
        y_true, y_scores = rng.permutation(np.repeat([10, 20, 30], [8, 5, 1])).astype(dtype), rng.random((14, 3))
        lazy = da.from_array(y_scores, chunks=(5, 2))
        expected = mrr_at_k(y_true, y_scores, average=None)
        # In memory the whole of y_true tells the classes; a chunk lacks some.
        close(mrr_at_k(y_true, lazy, average=None), expected)
        for labels in (np.array([20, 10, 30]).astype(dtype), np.array([10, 20, 30]).astype(dtype).tolist()):
            expected = mrr_at_k(y_true, y_scores, labels=labels, average=None)
            for truth in (y_true, da.from_array(y_true, chunks=4)):
                close(mrr_at_k(truth, lazy, labels=labels, average=None), expected)
            close(mrr_at_k(da.from_array(y_true, chunks=4), y_scores, labels=labels, average=None), expected)
        close(METRICS["err"].function(y_true, lazy), METRICS["err"].function(y_true, y_scores))

    def test_weights_may_be_zero_in_a_chunk(self, problem):
        y_true, y_scores, weights = problem
        lazy = da.from_array(y_true, chunks=(2, 9)), da.from_array(y_scores, chunks=(2, 9))
        expected = map_at_k(y_true, y_scores, sample_weight=weights)
        for given in (weights, weights.tolist(), da.from_array(weights, chunks=5)):
            close(map_at_k(*lazy, sample_weight=given), expected)

    def test_groups_of_weight_zero(self, queries):
        y_true, y_scores, weights, ids, chunks = queries
        weights = np.where(np.isin(ids, ["q7", "q1"]), 0, weights)  # the whole first chunk
        expected = map_at_k(y_true, y_scores, groups=ids, sample_weight=weights)
        lazy = da.from_array(y_scores, chunks=chunks)
        close(map_at_k(y_true, lazy, groups=ids, sample_weight=da.from_array(weights, chunks=20)), expected)


class TestContainers:
    @pytest.mark.parametrize("kind", ["array", "list", "frame", "csr", "csc", "coo", "memmap", "masked"])
    def test_the_other_one_in_memory(self, kind, problem, tmp_path):
        y_true, y_scores, _ = problem

        def held(array):
            if kind == "frame":
                return pytest.importorskip("pandas").DataFrame(array, index=np.arange(ROWS)[::-1])
            if kind == "memmap":
                out = np.memmap(tmp_path / array.dtype.name, dtype=array.dtype, mode="w+", shape=array.shape)
                out[:] = array
                return out
            if kind in ("csr", "csc", "coo"):
                return getattr(sparse, f"{kind}_array")(np.where(np.isfinite(array), array, 0))
            return {"array": np.asarray, "list": np.ndarray.tolist, "masked": np.ma.masked_invalid}[kind](array)

        expected = map_at_k(y_true, y_scores, average=None)
        close(map_at_k(held(y_true), da.from_array(y_scores, chunks=(5, 4)), average=None), expected)
        expected = map_at_k(held(y_true), held(y_scores), average=None)
        close(map_at_k(da.from_array(y_true, chunks=(5, 4)), held(y_scores), average=None), expected)

    @pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, np.ma.masked_less])
    def test_chunks_of_other_kinds(self, kind, problem):
        y_true, y_scores, _ = problem
        y_scores = np.maximum(y_scores, 0)
        held = (lambda array: np.ma.masked_less(array, 0.5)) if kind is np.ma.masked_less else kind
        expected = map_at_k(y_true, held(y_scores), average=None)
        lazy = da.from_array(y_scores, chunks=(5, 9)).map_blocks(held, dtype=float, meta=np.empty((0, 0)))
        close(map_at_k(da.from_array(y_true, chunks=(6, 3)), lazy, average=None), expected)
        if kind is not np.ma.masked_less:
            lazy_truth = da.from_array(y_true, chunks=(5, 9)).map_blocks(kind, dtype=int, meta=np.empty((0, 0)))
            close(map_at_k(lazy_truth, lazy, average=None), expected)
            close(METRICS["err"].function(lazy_truth, y_scores), METRICS["err"].function(y_true, y_scores))

    def test_sparse_scores_in_memory_are_checked_as_they_are(self, problem):
        y_true, _, _ = problem
        twice = sparse.coo_array((np.ones(2), ([0, 0], [1, 1])), shape=y_true.shape)
        with pytest.raises(ValueError, match="stores a cell more than once"):
            map_at_k(da.from_array(y_true), twice)

    def test_float32_is_not_widened(self, monkeypatch):
        seen = calls(monkeypatch, _dask, "row_values")
        map_at_k(np.eye(4, dtype=int), da.ones((4, 4), chunks=2, dtype=np.float32))
        assert {problem.scores.dtype for _, problem in seen} == {np.dtype(np.float32)}


class TestEvaluate:
    def test_values(self, problem):
        y_true, y_scores, weights = problem
        lazy = da.from_array(y_true, chunks=(6, 4)), da.from_array(y_scores, chunks=(5, 5))
        for options in ({}, {"average": None}, {"sample_weight": weights}, {"ties": "worst"}):
            expected = evaluate(y_true, y_scores, REQUESTS, **options)
            found = evaluate(*lazy, REQUESTS, **options)
            assert list(found) == list(expected)
            later = evaluate(*lazy, REQUESTS, compute=False, **options)
            for key, value in expected.items():
                close(found[key], value)
                close(later[key].compute(), value)

    @pytest.mark.parametrize("compute", [True, False])
    @pytest.mark.parametrize("average", ["samples", None])
    def test_one_ranking_a_chunk(self, average, compute, problem, monkeypatch):
        y_true, y_scores, _ = problem
        seen = calls(monkeypatch, _values, "rank_rows")
        lazy = da.from_array(y_true, chunks=(5, 9)), da.from_array(y_scores, chunks=(5, 4))
        found = evaluate(*lazy, REQUESTS, average=average, compute=compute)
        assert len(seen) == (3 if compute else 0)
        dask.compute(found)
        assert len(seen) == 3

    def test_own_ranking_options(self, problem):
        y_true, y_scores, _ = problem
        requests = ["map@3", ("map@3", {"ties": "best"})]
        found = evaluate(y_true, da.from_array(y_scores, chunks=5), requests)
        assert found == pytest.approx(evaluate(y_true, y_scores, requests), abs=1e-12)


class TestLazy:
    @pytest.mark.parametrize("average", ["samples", None])
    def test_nothing_is_computed(self, average, problem):
        y_true, y_scores, weights = never(*problem[:2], chunks=(5, 4)) + never(problem[2], chunks=5)
        for name, metric in METRICS.items():
            options = {"average": average, "sample_weight": weights, **needed(metric, ITEMS)}
            later = asked(metric.function, y_true, y_scores, compute=False, **options)
            assert isinstance(later, da.Array), name
            assert later.shape == (() if average else (ROWS,))
            assert later.dtype == float
        with pytest.raises(AssertionError, match="a chunk was computed"):
            later.compute()

    def test_nor_with_groups_or_labels(self, queries, rng):
        y_true, y_scores, weights, _, _ = queries
        groups, y_true, y_scores, weights = never(y_true, y_true, y_scores, weights, chunks=5)
        asked(map_at_k, y_true, y_scores, compute=False)
        rows = asked(map_at_k, y_true, y_scores, groups=groups, sample_weight=weights, compute=False, average=None)
        assert rows.ndim == 1
        matrix = never(rng.random((20, 2)), chunks=(5, 1))[0]
        asked(map_at_k, y_true, matrix, labels=[0, 1], compute=False)

    def test_row_values_keep_the_chunks(self, problem):
        y_true, y_scores, _ = problem
        later = asked(map_at_k, y_true, da.from_array(y_scores, chunks=(5, 4)), average=None, compute=False)
        assert later.chunks == ((5, 5, 1),)
        close(later[5:8].compute(), map_at_k(y_true[5:8], y_scores[5:8], average=None))

    def test_only_row_values_are_gathered(self, monkeypatch):
        gathered = []
        compute = dask.compute

        def watched(*args, **options):
            gathered.extend(compute(*args, **options))
            return gathered

        monkeypatch.setattr(dask, "compute", watched)
        y_true, y_scores = da.ones((60, 500), chunks=(20, 100), dtype=int), da.ones((60, 500), chunks=(20, 500))
        evaluate(y_true, y_scores, ["map", "mrr"], sample_weight=da.ones(60, chunks=7))
        values, sums, ids, weights = gathered
        assert (values.nbytes, sums, ids, weights.nbytes) == (60 * 2 * 8, [], None, 60 * 8)

    def test_only_row_values_leave_their_task(self):
        y_true, y_scores = da.ones((60, 500), chunks=(20, 500), dtype=int), da.ones((60, 500), chunks=(20, 500))
        sizes = []

        class Watch(dask.callbacks.Callback):
            def _posttask(self, key, value, dsk, state, worker_id):
                sizes.append(getattr(value, "nbytes", 0))

        with Watch(), dask.config.set(scheduler="synchronous"):
            map_at_k(y_true, y_scores)
        # The chunks are made, ranked and dropped inside one task.
        assert max(sizes) <= 60 * 8

    def test_in_memory_there_is_nothing_to_put_off(self):
        with pytest.raises(ValueError, match="`compute=False` is for dask arrays"):
            asked(map_at_k, [[0, 1]], [[1.0, 2.0]], compute=False)

    def test_inputs_are_left_as_they_are(self, problem):
        y_true, y_scores, _ = problem
        before = y_true.copy(), y_scores.copy()
        map_at_k(da.from_array(y_true, chunks=5), da.from_array(y_scores, chunks=5))
        assert np.array_equal(y_true, before[0])
        assert np.array_equal(y_scores, before[1])


def arrays(*shapes, chunks=2):
    return never(*(np.ones(shape) for shape in shapes), chunks=chunks)


class TestErrors:
    """Shapes are judged before anything is computed; values where they are, as in memory."""

    @pytest.mark.parametrize(
        ("shapes", "options", "message"),
        [
            (((4, 3), (5, 3)), {}, r"`y_true` and `y_scores` do not match: .*\(4, 3\) and .*\(5, 3\)"),
            (((4, 3), (4, 2)), {}, "do not match"),
            (((4,), (5,)), {}, "do not match"),
            (((4,), (5, 3)), {}, "do not match"),
            (((4, 3), (4,)), {}, "do not match"),
            (((4, 3, 2), (4, 3, 2)), {}, "do not match"),
            (((), ()), {}, "do not match"),
            (((0, 3), (0, 3)), {}, "At least one row is required"),
            (((3, 0), (3, 0)), {}, "At least one column is required"),
            (((0,), (0,)), {}, "At least one row is required"),
            (((4, 3), (4, 3)), {"labels": [1, 2, 3]}, "`labels` does not go with a matrix"),
            (((4, 3), (4, 3)), {"groups": [1, 1, 2, 2]}, "`groups` does not go with a matrix"),
            (((4,), (4, 3)), {"groups": [1, 1, 2, 2]}, "`groups` does not go with class labels"),
            (((4,), (4,)), {"labels": [0, 1]}, "`labels` names the columns"),
            (((4,), (4, 3)), {}, "`labels` is required beside class labels in a dask array"),
            (((4,), (4, 3)), {"labels": [1, 2]}, "`labels` has 2 entries for 3 columns"),
            (((4,), (4, 3)), {"labels": [1, 2, 1]}, "`labels` repeats 1"),
            (((4,), (4,)), {"groups": [1, 1, 2]}, "`groups` needs one id per row: it has 3 entries"),
            (((4,), (4,)), {"groups": [3, 1]}, "these look like group sizes"),
            (((4,), (4,)), {"groups": ["a", None, "a", "b"]}, "missing ids .* in 1 rows: 1"),
            (((4,), (4,)), {"groups": da.ones(3)}, "`groups` needs one id per row: it has 3 entries"),
            (((4,), (4,)), {"groups": da.ones((4, 1))}, r"`groups` needs one id per row: it has shape \(4, 1\)"),
            (((4, 3), (4, 3)), {"sample_weight": [1, 2]}, "`sample_weight` has 2 entries for 4 rows"),
            (((4, 3), (4, 3)), {"sample_weight": da.ones(5)}, "`sample_weight` has 5 entries for 4 rows"),
            (((4, 3), (4, 3)), {"sample_weight": [0, 0, 0, 0]}, "`sample_weight` sums to zero"),
            (((4, 3), (4, 3)), {"sample_weight": [0, -1, 0, 0]}, "`sample_weight` holds negative values"),
            (((4, 3), (4, 3)), {"ties": "last"}, "`ties` must be one of"),
        ],
    )
    def test_before_anything_is_computed(self, shapes, options, message):
        with pytest.raises(ValueError, match=message):
            asked(map_at_k, *arrays(*shapes), compute=False, **options)

    def test_messages_are_those_in_memory(self):
        y_true, y_scores = np.ones((4, 3)), np.ones((5, 3))
        with pytest.raises(ValueError, match="do not match") as in_memory:
            map_at_k(y_true, y_scores)
        with pytest.raises(ValueError, match="do not match") as in_chunks:
            map_at_k(da.from_array(y_true), da.from_array(y_scores))
        assert str(in_chunks.value) == str(in_memory.value)

    @pytest.mark.parametrize("place", ["y_true", "y_scores", "groups", "sample_weight"])
    def test_unknown_chunks(self, place):
        known = da.arange(6, chunks=3) % 2
        given = dict.fromkeys(("y_true", "y_scores", "groups", "sample_weight"), known)
        given[place] = known[known >= 0]
        with pytest.raises(ValueError, match=rf"`{place}` has chunks of unknown size: call .*compute_chunk_sizes\(\)"):
            map_at_k(**given)

    @pytest.mark.parametrize("average", ["samples", None])
    @pytest.mark.parametrize("compute", [True, False])
    def test_split_query(self, compute, average, queries):
        y_true, y_scores, _, ids, _ = queries
        for groups in (ids, da.from_array(ids, chunks=4)):
            with pytest.raises(ValueError, match="group 'q3' lie in more than one chunk: rechunk"):
                dask.compute(
                    asked(
                        map_at_k,
                        y_true,
                        da.from_array(y_scores, chunks=((4, 2, 14),)),
                        groups=groups,
                        average=average,
                        compute=compute,
                    )
                )

    @pytest.mark.parametrize("compute", [True, False])
    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([0, 0, 0, 0], "sums to zero"),
            ([0, 0, -1, 3], "holds negative values, first -1"),
            ([0, 0, np.nan, 0], "must be finite"),
            ([0, 0, np.inf, 0], "must be finite"),
        ],
    )
    def test_weights(self, weights, message, compute):
        weights = da.from_array(np.array(weights, float), chunks=2)
        y_true, y_scores = da.ones((4, 2), chunks=2, dtype=int), da.ones((4, 2), chunks=2)
        for average in ("samples", None):
            with pytest.raises(ValueError, match=f"`sample_weight` {message}"):
                dask.compute(asked(map_at_k, y_true, y_scores, sample_weight=weights, average=average, compute=compute))
            with pytest.raises(ValueError, match=f"`sample_weight` {message}"):
                dask.compute(
                    asked(
                        map_at_k,
                        y_true[:, 0],
                        y_scores[:, 0],
                        groups=[1, 1, 2, 2],
                        sample_weight=weights,
                        average=average,
                        compute=compute,
                    )
                )

    def test_nan_is_named_by_its_row_in_the_whole(self):
        y_scores = np.ones((12, 3))
        y_scores[8, 1] = np.nan
        with pytest.raises(ValueError, match="`y_scores` contains NaN, first at row 8, column 1"):
            map_at_k(np.ones((12, 3), int), da.from_array(y_scores, chunks=(5, 2)))
        with pytest.raises(ValueError, match="`y_scores` contains NaN, first at row 8:"):
            map_at_k(np.ones(12, int), da.from_array(y_scores[:, 1], chunks=6), groups=np.arange(12))

    def test_other_values_by_their_chunk(self):
        y_true = np.ones((12, 3))
        y_true[8, 1] = 2
        with pytest.raises(ValueError, match=r"must be binary .*In the chunk of rows 5 to 9"):
            map_at_k(da.from_array(y_true, chunks=(5, 2)), np.ones((12, 3)))
        y_true[8, 1] = np.nan
        with pytest.raises(ValueError, match=r"first in row 3: .*In the chunk of rows 5 to 9; rows are counted from"):
            map_at_k(da.from_array(y_true, chunks=(5, 2)), np.ones((12, 3)))

    def test_unknown_label(self):
        y_true = da.from_array(["a", "b", "c", "d"], chunks=2)
        with pytest.raises(ValueError, match=r"labels that are not in `labels`: \['d'\]"):
            map_at_k(y_true, np.ones((4, 3)), labels=["a", "b", "c"])
        with pytest.raises(ValueError, match=r"labels that are not in `labels`: \['d'\]"):
            asked(map_at_k, list("abcd"), da.ones((4, 3), chunks=2), labels=["a", "b", "c"], compute=False)

    def test_missing_ids(self):
        ids = da.from_array(np.array(["a", None, "b", "b"], dtype=object), chunks=2)
        with pytest.raises(ValueError, match="`groups` contains missing ids"):
            map_at_k(np.ones(4, int), da.ones(4, chunks=2), groups=ids)

    def test_kinds(self):
        y_true = da.from_array(np.array([[1, "x"]], dtype=object), chunks=1)
        with pytest.raises(ValueError, match="`y_true` must be numeric"):
            map_at_k(y_true, np.ones((1, 2)))
        with pytest.raises(TypeError, match="`y_true` must be an array"):
            map_at_k("text", da.ones((1, 2)))
