"""The same numbers whatever form the data come in: frames, other array types, sparse, groups, batches."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from over_registry import call, variants
from scipy import sparse

from sklearn_rank import evaluate, from_lists, from_qrels, map_at_k, mapk, mrr_at_k, ndcg_at_k, precision_at_k
from sklearn_rank.metrics._registry import METRICS

Y = [[1, 0, 0, 1], [0, 1, 0, 0]]
S = [[0.9, 0.6, 0.5, 0.1], [0.8, 0.7, 0.2, 0.1]]
AP = [(1 + 2 / 4) / 2, 1 / 2]


def frames(values, dtype=None):
    """The values as DataFrames of several libraries and dtypes."""
    names = list("abcd")
    frame = pd.DataFrame(values, columns=names)
    yield frame.convert_dtypes()
    yield frame.set_index(np.array([7, 3]))
    yield pd.DataFrame(values, columns=names, dtype=object)
    polars = pytest.importorskip("polars")
    yield polars.DataFrame(np.asarray(values, dtype=float), schema=names, orient="row")
    pytest.importorskip("pyarrow")
    yield frame.convert_dtypes(dtype_backend="pyarrow")


class TestFrames:
    def test_frames_of_any_dtype_give_the_values_of_arrays(self):
        for y, s in zip(frames(Y), frames(S), strict=True):
            assert_allclose(map_at_k(y, s, average=None), AP, rtol=1e-15)

    def test_columns_are_matched_by_name(self):
        for y, s in zip(frames(Y), frames(S), strict=True):
            assert_allclose(map_at_k(y, s[["d", "b", "a", "c"]], average=None), AP, rtol=1e-15)

    def test_columns_of_other_names_are_an_error(self):
        y = pd.DataFrame(Y, columns=list("abcd"))
        with pytest.raises(ValueError, match=r"\['d'\] only in `y_true`, \['e'\] only in `y_scores`"):
            map_at_k(y, pd.DataFrame(S, columns=list("abce")))

    def test_a_missing_score_in_a_nullable_frame_is_nan(self):
        scores = pd.DataFrame(S).convert_dtypes()
        scores.iloc[1, 2] = pd.NA
        with pytest.raises(ValueError, match=r"`y_scores` contains NaN.* row 1, column 2"):
            map_at_k(Y, scores)

    def test_a_missing_relevance_in_a_nullable_frame_is_an_error(self):
        truth = pd.DataFrame(Y).convert_dtypes()
        truth.iloc[1, 2] = pd.NA
        with pytest.raises(ValueError, match="`y_true` contains NaN, first in row 1"):
            map_at_k(truth, S)

    def test_column_names_of_a_frame_of_scores_name_the_classes(self):
        # Columns c, a, b: class "a" ranks first in row 0, class "b" second in row 1.
        scores = pd.DataFrame([[0.1, 0.7, 0.2], [0.6, 0.1, 0.3]], columns=list("cab"))
        assert mrr_at_k(["a", "b"], scores) == (1 + 1 / 2) / 2

    @pytest.mark.parametrize("dtype", ["category", "string", object])
    def test_labels_of_any_pandas_dtype(self, dtype):
        labels = pd.Series(["a", "c", "b"], index=[5, 1, 9]).astype(dtype)
        scores = [[0.5, 0.3, 0.2], [0.5, 0.3, 0.2], [0.5, 0.3, 0.2]]
        assert mrr_at_k(labels, scores) == pytest.approx((1 + 1 / 3 + 1 / 2) / 3, rel=1e-15)

    def test_series_for_every_one_dimensional_argument(self):
        y, s = pd.Series([0, 1, 1, 0]).convert_dtypes(), pd.Series([0.9, 0.8, 0.4, 0.3])
        ids = pd.Series(["a", "b", "a", "b"], dtype="category")
        # Query a scores 1/2 with weight (1 + 3) / 2, query b scores 1 with weight (2 + 0) / 2.
        weights = pd.Series([1, 2, 3, 0]).convert_dtypes()
        assert mrr_at_k(y, s, groups=ids, sample_weight=weights) == pytest.approx((2 * 1 / 2 + 1 * 1) / 3, rel=1e-15)

    def test_polars_series(self):
        polars = pytest.importorskip("polars")
        y, s, ids = (polars.Series(v) for v in ([0, 1, 1, 0], [0.9, 0.8, 0.4, 0.3], ["a", "b", "a", "b"]))
        assert mrr_at_k(y, s, groups=ids) == 0.75

    def test_a_missing_group_in_a_nullable_series_is_an_error(self):
        ids = pd.Series([1, None, 2], dtype="Int64")
        with pytest.raises(ValueError, match=r"`groups` contains missing ids .* 1 rows: 1"):
            mrr_at_k([1, 0, 1], [3, 2, 1], groups=ids)


class OnDevice:
    """An array that cannot be read from the CPU."""

    shape = (2, 4)
    ndim = 2

    def __array__(self, dtype=None, copy=None):
        message = "can't convert device tensor to numpy"
        raise TypeError(message)


class OnlyDlpack:
    """An array that only speaks DLPack, as array-api-strict does."""

    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class TestOtherArrays:
    def test_an_array_on_another_device_says_to_move_it(self):
        with pytest.raises(TypeError, match=r"`y_scores` \(OnDevice\) .* moved to the CPU"):
            map_at_k(Y, OnDevice())

    def test_arrays_that_speak_dlpack(self):
        assert_allclose(map_at_k(OnlyDlpack(Y), OnlyDlpack(S), average=None), AP, rtol=1e-15)

    def test_array_api_strict(self):
        xp = pytest.importorskip("array_api_strict")
        assert_allclose(map_at_k(xp.asarray(Y), xp.asarray(S), average=None), AP, rtol=1e-15)

    def test_torch(self):
        torch = pytest.importorskip("torch")
        assert_allclose(map_at_k(torch.tensor(Y), torch.tensor(S, dtype=torch.float64), average=None), AP, rtol=1e-15)
        with pytest.raises(TypeError, match=r"`y_scores` .*detached"):
            map_at_k(Y, torch.tensor(S, requires_grad=True))


class TestGroups:
    @pytest.mark.parametrize(
        "ids",
        [
            ["b", "a", "b", "c", "a"],
            [2.5, 1.0, 2.5, 7.0, 1.0],
            [(1, 2), (0, 1), (1, 2), (3, 3), (0, 1)],
            np.array(["2026-02-01", "2026-01-01", "2026-02-01", "2026-03-01", "2026-01-01"], dtype="datetime64[D]"),
            [True, 0, 1, "x", False],
        ],
        ids=["text", "floats", "tuples", "dates", "mixed"],
    )
    def test_row_values_come_in_order_of_first_appearance(self, ids):
        if isinstance(ids[0], tuple):
            ids = pd.Series(ids)
        # The groups are rows 0 and 2 (hit at rank 2), rows 1 and 4 (hit at rank 1), row 3 (no hit).
        values = mrr_at_k([0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5], groups=ids, average=None)
        assert values.tolist() == [1 / 2, 1, 0]

    def test_nan_among_texts_is_missing(self):
        with pytest.raises(ValueError, match=r"missing ids .* 2 rows: 1, 2"):
            mrr_at_k([1, 0, 1], [3, 2, 1], groups=["a", np.nan, None])

    def test_memory_is_linear_in_the_rows_whatever_the_longest_query(self):
        # One query of 100,000 rows and 100,000 of one row: padded to the longest they would take 80 GB.
        n = 100_000
        rng = np.random.default_rng(0)
        ids = np.concatenate([np.zeros(n, int), np.arange(1, n + 1)])
        y, s = rng.integers(0, 2, 2 * n), rng.random(2 * n)
        tracemalloc.start()
        value = precision_at_k(y, s, 1, groups=ids)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # Each single row scores its own relevance.
        assert value == pytest.approx((y[n:].sum() + y[:n][s[:n].argmax()]) / (n + 1), rel=1e-12)
        assert peak < 200 * 2 * n + 64 * 2**20

    def test_all_of_one_long_query_tied(self):
        # With all scores equal each rank is a hit with chance r / t, so precision@10 is that.
        n = 50_000
        assert precision_at_k(np.arange(n) < n // 4, np.zeros(n), 10) == 1 / 4


class TestSparse:
    @pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
    @pytest.mark.parametrize("kind", [sparse.coo_array, sparse.coo_matrix])
    def test_every_format_of_y_true_and_scores(self, form, kind):
        y, s = kind(np.array(Y)).asformat(form), kind(np.array(S)).asformat(form)
        assert_allclose(map_at_k(y, S, average=None), AP, rtol=1e-15)
        assert_allclose(map_at_k(y, s, average=None), AP, rtol=1e-15)

    def test_only_stored_scores_are_retrieved_explicit_zeros_included(self):
        y = np.array([[1, 1, 0, 1]])
        s = sparse.coo_array(([0.0, -1.0, 0.5], ([0, 0, 0], [0, 1, 2])), shape=(1, 4))
        # Ranks: column 2, column 0, column 1; column 3 is never retrieved: (1/2 + 2/3) / 3.
        assert map_at_k(y, s) == pytest.approx((1 / 2 + 2 / 3) / 3, rel=1e-15)

    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    def test_a_cell_of_scores_stored_twice_is_an_error(self, form):
        twice = sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(1, 3))
        if form != "coo":
            indices = [1, 1] if form == "csr" else [0, 0]
            indptr = [0, 2] if form == "csr" else [0, 0, 2, 2]
            twice = getattr(sparse, f"{form}_array")(([1.0, 2.0], indices, indptr), shape=(1, 3))
        with pytest.raises(ValueError, match="`y_scores` stores a cell more than once"):
            map_at_k([[0, 1, 0]], twice)
        assert twice.nnz == 2

    def test_nothing_is_made_dense(self):
        # As a matrix 100 billion cells; 20 stored entries a row in both.
        n, m, stored = 200_000, 500_000, 20
        rng = np.random.default_rng(0)
        indptr = np.arange(0, n * stored + 1, stored)
        columns = rng.integers(0, m // stored, (n, stored)) + np.arange(0, m, m // stored)
        scores = sparse.csr_array((rng.random(n * stored), columns.ravel(), indptr), shape=(n, m))
        truth = sparse.csr_array((np.ones(n * stored, np.int8), columns.ravel(), indptr), shape=(n, m))
        entries = scores.data.nbytes + scores.indices.nbytes
        tracemalloc.start()
        value = map_at_k(truth, scores, 10)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert value == pytest.approx(1, rel=1e-12)  # what is stored is relevant
        assert peak < 4 * entries


class TestBlocks:
    """Rows are worked on in blocks; the value must not depend on where these end or who works on them."""

    def test_threads_give_the_same_bits(self):
        rng = np.random.default_rng(0)
        s = np.round(rng.random((3000, 900)), 2)
        y = rng.random(s.shape) < 0.02
        for name, metric in METRICS.items():
            for options in variants(metric):
                k = 10 if options.get("denominator") == "hits" else None
                one, two = (call(metric, y, s, k, n_jobs=n_jobs, average=None, **options) for n_jobs in (1, 2))
                assert one.tobytes() == two.tobytes(), (name, options)

    def test_what_else_is_there_changes_no_bit(self):
        rng = np.random.default_rng(2)
        s = rng.integers(0, 12, (400, 200)) / 7
        y = rng.random(s.shape) < rng.random((400, 1)) / 2
        for name, metric in METRICS.items():
            for options in variants(metric):
                whole = call(metric, y, s, 20, average=None, **options)
                for row in range(0, 400, 23):
                    alone = call(metric, y[[row]], s[[row]], 20, average=None, **options)
                    assert alone.tobytes() == whole[[row]].tobytes(), (name, options, row)

    def test_peak_memory_is_bounded(self):
        n, m = 20_000, 500
        rng = np.random.default_rng(0)
        s = rng.random((n, m), dtype=np.float32)
        y = rng.random((n, m), dtype=np.float32) < 0.5
        for metric in (map_at_k, ndcg_at_k):
            for k in (10, None):
                tracemalloc.start()
                metric(y, s, k)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                assert peak < 64 * 2**20 + 64 * n, (metric.__name__, k, peak)

    def test_evaluate_joins_blocks(self):
        rng = np.random.default_rng(1)
        s = rng.random((2000, 700))
        y = rng.integers(0, 3, s.shape) * (rng.random(s.shape) < 0.01)
        report = evaluate(y, s, ["ndcg@5", "map@5", "mrr@1"], relevance_threshold=2)
        assert report == {
            "ndcg@5": ndcg_at_k(y, s, 5),
            "map@5": map_at_k(y >= 2, s, 5),
            "mrr@1": mrr_at_k(y >= 2, s, 1),
        }


class TestListsAndRuns:
    def test_lists_qrels_and_mapk_agree(self):
        actual, predicted = [["a", "b"], ["c"]], [["b", "x", "a"], ["y", "c"]]
        qrels = {i: dict.fromkeys(ids, 1) for i, ids in enumerate(actual)}
        run = {i: {item: -place for place, item in enumerate(ids)} for i, ids in enumerate(predicted)}
        want = ((1 + 2 / 3) / 2 + 1 / 2) / 2
        assert mapk(actual, predicted) == pytest.approx(want, rel=1e-15)
        assert map_at_k(*from_lists(actual, predicted), 10) == pytest.approx(want, rel=1e-15)
        assert map_at_k(*from_qrels(qrels, run), 10) == pytest.approx(want, rel=1e-15)
