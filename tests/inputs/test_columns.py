"""Ids of every container compare by value."""

from __future__ import annotations

import datetime
import decimal
import math

import numpy as np
import pytest
from containers import of_arrow, of_pandas_by_arrow, of_polars, series

from sklearn_rank import from_frames, mrr_at_k
from sklearn_rank.inputs._columns import sorted_cells


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0)


def pair(truth, predictions, **options):
    return from_frames(truth, predictions, **{"query": "user", "item": "item", "score": "score", **options})


TEXT = {
    "list": list,
    "fixed width": np.array,
    "object": lambda values: np.array(values, object),
    "StringDType": lambda values: np.array(values, np.dtypes.StringDType()),
    "pandas": series,
    "pandas object": lambda values: series(values, dtype=object),
    "pandas string": lambda values: series(values, dtype="string"),
    "pandas string of Python": lambda values: series(values, dtype="string[python]"),
    "pandas string of pyarrow": lambda values: of_pandas_by_arrow(values, "string[pyarrow]"),
    "pandas category": lambda values: series(values, dtype="category"),
    "pandas Categorical": lambda values: series(values, dtype="category").array,
    "polars": of_polars,
    "polars Categorical": lambda values: of_polars(values, "categorical"),
    "polars Enum": lambda values: of_polars(values, "enum"),
    "pyarrow": of_arrow,
    "large_string": lambda values: of_arrow(values, "large_string"),
    "string_view": lambda values: of_arrow(values, "string_view"),
    "dictionary": lambda values: of_arrow(values, "dictionary"),
    "dictionaries in chunks": lambda values: of_arrow(values, "dictionaries"),
}
NUMBERS = {
    "list": list,
    "int8": lambda values: np.array(values, np.int8),
    "uint64": lambda values: np.array(values, np.uint64),
    "float64": lambda values: np.array(values, float),
    "float16": lambda values: np.array(values, np.float16),
    "longdouble": lambda values: np.array(values, np.longdouble),
    "object": lambda values: np.array(values, object),
    "scalars": lambda values: [np.int32(value) for value in values],
    "Decimal": lambda values: [decimal.Decimal(value) for value in values],
    "pandas": series,
    "Int64": lambda values: series(values, dtype="Int64"),
    "Sparse": lambda values: series(values, dtype="Sparse[int]"),
    "int64[pyarrow]": lambda values: of_pandas_by_arrow(values, "int64[pyarrow]"),
    "pandas category": lambda values: series(values, dtype="category"),
    "polars": of_polars,
    "pyarrow": of_arrow,
    "dictionary": lambda values: of_arrow(values, "dictionary"),
}


def as_items(true_items, items):
    """Reciprocal ranks of two queries with these items, where the second has another one above."""
    truth, predictions = {"user": [1, 2], "item": true_items}, {"user": [2, 2, 1], "item": items, "score": [2, 1, 1]}
    return mrr_at_k(*pair(truth, predictions, item_order="input"), average=None)


def as_queries(true_queries, queries):
    """Reciprocal ranks of the two queries, which find their item first and second."""
    truth = {"user": true_queries, "item": [5, 5]}
    predictions = {"user": queries, "item": [6, 5, 5], "score": [2, 1, 1]}
    return mrr_at_k(*pair(truth, predictions), average=None)


class TestIds:
    """Ids compare by value, whatever holds them."""

    @pytest.mark.parametrize("left", TEXT)
    @pytest.mark.parametrize("right", ["list", "pandas", "polars Categorical", "dictionaries in chunks"])
    def test_text(self, left, right):
        true_ids, ids = TEXT[left](["a", "b"]), TEXT[right](["b", "b", "a"])
        assert as_queries(true_ids, ids) == exactly([1, 1 / 2])
        assert as_queries(TEXT[right](["a", "b"]), TEXT[left](["b", "b", "a"])) == exactly([1, 1 / 2])
        assert as_items(TEXT[left](["a", "b"]), TEXT[right](["a", "b", "a"])) == exactly([1, 1 / 2])
        assert as_items(TEXT[right](["a", "b"]), TEXT[left](["a", "b", "a"])) == exactly([1, 1 / 2])

    @pytest.mark.parametrize("left", NUMBERS)
    @pytest.mark.parametrize("right", ["list", "float64", "uint64", "pandas category"])
    def test_numbers(self, left, right):
        true_ids, ids = NUMBERS[left]([7, 9]), NUMBERS[right]([9, 9, 7])
        assert as_queries(true_ids, ids) == exactly([1, 1 / 2])
        assert as_items(NUMBERS[right]([7, 9]), NUMBERS[left]([7, 9, 7])) == exactly([1, 1 / 2])

    def test_large_integers_stay_apart(self):
        big = 2**53
        for dtype in (np.int64, np.uint64):
            true_ids, ids = np.array([big, big + 1]), np.array([big + 1, big + 1, big], dtype)
            assert as_queries(true_ids, ids) == exactly([1, 1 / 2])
        true_ids, ids = np.array([-1, 5]), np.array([2**64 - 1, 5, 5], np.uint64)  # -1 modulo 2**64
        assert as_items(true_ids, ids) == exactly([0, 1 / 2])
        true_ids, ids = np.array([3, 2**63], np.uint64), np.array([2**63 + 1, 2**63, 3], np.uint64)
        assert as_items(true_ids, ids) == exactly([1, 1 / 2])
        assert as_items([2**70, 2], [1, 2, 2**70]) == exactly([1, 1 / 2])

    def test_integers_far_apart(self):
        far = [-(2**62), 2**62]
        assert as_items(far, [0, *far[::-1]]) == exactly([1, 1 / 2])

    def test_many_possible_cells(self):
        # 2**16 queries times 2**16 items, which 32 bits do not tell apart:.
        truth = {"user": [0, 2**16 - 1], "item": [5, 2**16 - 1]}
        predictions = {"user": [2**16 - 1, 0, 0], "item": [5, 0, 5], "score": [1, 2, 1]}
        assert mrr_at_k(*pair(truth, predictions), average=None) == exactly([1 / 2, 0])

    def test_negative_integers_of_long_ranges(self):
        low = -(2**40)
        assert as_items([low, low + 2], np.array([low + 1, low + 2, low])) == exactly([1, 1 / 2])

    def test_fractions(self):
        assert as_queries([1.5, 2.0], np.array([2.0, 2.0, 1.5], np.float32)) == exactly([1, 1 / 2])
        assert as_queries([1.5, 2], [2, 2, 1.5]) == exactly([1, 1 / 2])
        assert as_queries([1.5, math.inf], [math.inf, math.inf, 1.5]) == exactly([1, 1 / 2])

    def test_truth_values(self):
        assert as_queries(np.array([True, False]), [0, 0, 1]) == exactly([1, 1 / 2])
        assert as_queries(of_arrow([True, False]), [False, False, True]) == exactly([1, 1 / 2])
        assert as_queries(of_polars([True, False]), [False, False, True]) == exactly([1, 1 / 2])

    def test_text_that_numpy_and_pandas_merge(self):
        for make in ("list", "object", "pandas object", "pandas string of Python", "pandas", "polars", "pyarrow"):
            assert as_items(TEXT["list"](["a", "a\0"]), TEXT[make](["a", "a\0", "a\0"])) == exactly([0, 1 / 2]), make

    def test_tuples(self):
        pairs = [("x", 1), ("x", 2)]
        assert as_queries(pairs, [pairs[1], pairs[1], pairs[0]]) == exactly([1, 1 / 2])
        assert as_items(series(pairs), series([pairs[0], pairs[1], pairs[0]])) == exactly([1, 1 / 2])

    @pytest.mark.parametrize(
        "left",
        [
            list,
            lambda days: np.array(days, "M8[D]"),
            lambda days: np.array(days, "M8[ns]"),
            lambda days: series(np.array(days, "M8[s]")),
            of_polars,
            of_arrow,
            lambda days: [datetime.datetime(day.year, day.month, day.day) for day in days],
            lambda days: of_polars([datetime.datetime(day.year, day.month, day.day) for day in days]),
        ],
        ids=["days", "M8[D]", "M8[ns]", "pandas", "polars", "pyarrow", "datetime", "polars datetime"],
    )
    def test_days(self, left):
        days = [datetime.date(2026, 5, 1), datetime.date(2026, 5, 2)]
        assert as_queries(left(days), [days[1], days[1], days[0]]) == exactly([1, 1 / 2])
        assert as_queries(left(days), np.array([days[1], days[1], days[0]], "M8[us]")) == exactly([1, 1 / 2])

    def test_times_that_python_cannot_hold(self):
        times = np.array(["2026-05-01T00:00:00.000000001", "2026-05-01T00:00:00.000000002"], "M8[ns]")
        assert as_queries(times, times[[1, 1, 0]]) == exactly([1, 1 / 2])

    def test_times_with_a_zone(self):
        utc = [datetime.datetime(2026, 5, day, tzinfo=datetime.UTC) for day in (1, 2)]
        shuffled = [utc[1], utc[1], utc[0]]
        for make in (series, of_polars, of_arrow):
            assert as_queries(make(utc), shuffled) == exactly([1, 1 / 2])
            assert as_queries(utc, make(shuffled)) == exactly([1, 1 / 2])

    def test_times_of_the_day_and_spans(self):
        times = [datetime.time(5), datetime.time(6)]
        assert as_queries(of_polars(times), [times[1], times[1], times[0]]) == exactly([1, 1 / 2])
        assert as_queries(of_arrow(times), [times[1], times[1], times[0]]) == exactly([1, 1 / 2])
        spans = [datetime.timedelta(5), datetime.timedelta(6)]
        assert as_queries(np.array(spans), [spans[1], spans[1], spans[0]]) == exactly([1, 1 / 2])
        assert as_queries(of_polars(spans), [spans[1], spans[1], spans[0]]) == exactly([1, 1 / 2])

    def test_other_types_of_the_libraries(self):
        pd = pytest.importorskip("pandas")
        periods = pd.period_range("2026", periods=2, freq="M")
        assert as_queries(periods, pd.Series(periods[[1, 1, 0]])) == exactly([1, 1 / 2])
        assert as_queries(pd.Index(["a", "b"]), ["b", "b", "a"]) == exactly([1, 1 / 2])
        prices = [decimal.Decimal("1.5"), decimal.Decimal("2.5")]
        assert as_queries(of_polars(prices), [2.5, 2.5, 1.5]) == exactly([1, 1 / 2])
        assert as_queries(of_arrow(prices), [2.5, 2.5, 1.5]) == exactly([1, 1 / 2])

    def test_what_has_an_array(self):
        class Tensor:
            def __init__(self, values):
                self.values = np.array(values)

            def __len__(self):
                return len(self.values)

            def __array__(self, dtype=None, copy=None):
                return self.values

        assert as_queries(Tensor([7, 9]), Tensor([9, 9, 7])) == exactly([1, 1 / 2])
        with pytest.raises(ValueError, match=r"`query`: column 'user' of `truth` must be 1-D, got shape \(2, 1\)"):
            as_queries(Tensor([[7], [9]]), [9, 9, 7])

    def test_integers_of_128_bits(self):
        polars = pytest.importorskip("polars", exc_type=ImportError)
        ids = polars.Series([2**100, 7], dtype=polars.Int128)
        assert as_queries(ids, [7, 7, 2**100]) == exactly([1, 1 / 2])

    def test_categories_that_are_not_used(self):
        pd = pytest.importorskip("pandas")
        true_items = pd.Categorical(["a", "b"], categories=["z", "b", 5, "a"])  # have no common order
        items = pd.Categorical(["c", "b", "a"], categories=[5, "b", "a", "c"])
        truth, predictions = (
            {"user": [1, 2], "item": true_items},
            {"user": [2, 2, 1], "item": items, "score": [2, 1, 1]},
        )
        assert mrr_at_k(*pair(truth, predictions), average=None) == exactly([1, 1 / 2])

    def test_a_dictionary_of_pyarrow_with_a_missing_value(self):
        pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)
        values = pyarrow.array(["a", None])
        unused = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 0]), values)
        assert pair({"user": unused, "item": [1, 2]}, {"user": ["a"], "item": [1], "score": [1]})[0].shape == (1, 2)
        used = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1]), values)
        with pytest.raises(ValueError, match="`query`: column 'user' of `truth` has a missing id in row 1"):
            pair({"user": used, "item": [1, 2]}, {"user": ["a"], "item": [1], "score": [1]})

    def test_an_empty_dictionary_of_pyarrow(self):
        pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)
        nothing = pyarrow.chunked_array([], pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))
        _, y_scores = pair({"user": ["u"], "item": ["a"]}, {"user": nothing, "item": nothing, "score": []})
        assert y_scores.nnz == 0
        _, y_scores = pair(
            {"user": ["u"], "item": ["a"]},
            {"user": pyarrow.chunked_array([], pyarrow.string()), "item": nothing, "score": []},
        )
        assert y_scores.nnz == 0

    def test_counting_sorts(self):
        rows, columns = np.array([1, 0, 1, 0]), np.array([2, 1, 0, 1])
        order, indptr = sorted_cells(rows, columns, 3, 3)
        assert order.tolist() == [1, 3, 2, 0]
        assert indptr.tolist() == [0, 2, 4, 4]
