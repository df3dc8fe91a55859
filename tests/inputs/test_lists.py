"""Lists of ids."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import (
    apk,
    dcg_at_k,
    from_lists,
    hit_rate_at_k,
    map_at_k,
    mapk,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
)


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0)


def by_mapk(actual, predicted, k=10):
    return mapk(actual, predicted, k)


def by_apk(actual, predicted, k=10):
    """The mean of apk over the rows."""
    values = [apk(truth, guess, k) for truth, guess in zip(actual, predicted, strict=True)]
    return math.fsum(values) / len(values)


def by_matrices(actual, predicted, k=10):
    return map_at_k(*from_lists(actual, predicted), k)


each_way = pytest.mark.parametrize("of_lists", [by_mapk, by_apk, by_matrices])


class TestIdLists:
    """What apk, mapk and from_lists have in common."""

    @each_way
    def test_hits_at_their_ranks(self, of_lists):
        # Row 1: ranks 1 and 3 of three ids; row 2: rank 2 of one.
        value = of_lists([["a", "b", "c"], ["x"]], [["a", "q", "b"], ["y", "x"]])
        assert value == exactly(((1 + 2 / 3) / 3 + 1 / 2) / 2)

    @each_way
    def test_cut_at_k(self, of_lists):
        # k = 2 sees rank 1 and divides by min(3, 2).
        assert of_lists([["a", "b", "c"]], [["a", "q", "b"]], 2) == exactly(1 / 2)

    @each_way
    def test_the_default_is_ten(self, of_lists):
        assert of_lists([[11]], [list(range(1, 12))]) == 0
        assert of_lists([[10]], [list(range(1, 12))]) == exactly(1 / 10)

    @each_way
    def test_whole_list(self, of_lists):
        assert of_lists([[12]], [list(range(1, 13))], None) == exactly(1 / 12)

    @each_way
    def test_a_repeated_prediction_counts_once_and_takes_its_rank(self, of_lists):
        # a, a, b: hits at ranks 1 and 3.
        assert of_lists([["a", "b"]], [["a", "a", "b"]]) == exactly((1 + 2 / 3) / 2)

    @each_way
    def test_a_repeated_miss_takes_its_rank(self, of_lists):
        assert of_lists([["b"]], [["x", "x", "b"]]) == exactly(1 / 3)

    @each_way
    @pytest.mark.parametrize("missing", [None, float("nan"), np.datetime64("NaT", "s")], ids=["None", "NaN", "NaT"])
    def test_a_missing_prediction_keeps_its_slot_and_never_hits(self, of_lists, missing):
        assert of_lists([["a"]], [[missing, "a"]]) == exactly(1 / 2)
        assert of_lists([["a", missing]], [[missing, "a"]]) == exactly(1 / 2)

    @each_way
    def test_a_missing_id_of_pandas(self, of_lists):
        pd = pytest.importorskip("pandas")
        assert of_lists([["a", pd.NA]], [[pd.NA, "a"]]) == exactly(1 / 2)

    @each_way
    def test_nothing_relevant(self, of_lists):
        assert of_lists([[], ["a"]], [["a"], ["a"]]) == exactly((0 + 1) / 2)

    @each_way
    def test_nothing_predicted(self, of_lists):
        assert of_lists([["b"], ["a"]], [[], ["a"]]) == exactly((0 + 1) / 2)

    @each_way
    def test_nothing_at_all(self, of_lists):
        assert of_lists([[], []], [[], []]) == 0

    @each_way
    @pytest.mark.parametrize(
        "container",
        [
            list,
            tuple,
            iter,
            set,
            frozenset,
            lambda ids: dict.fromkeys(ids).keys(),
            lambda ids: (i for i in ids),
            np.array,
        ],
        ids=["list", "tuple", "iter", "set", "frozenset", "keys", "generator", "array"],
    )
    def test_containers_of_true_ids(self, of_lists, container):
        assert of_lists([container(["a", "b"])], [["x", "b"]]) == exactly(1 / 2 / 2)

    @each_way
    @pytest.mark.parametrize("container", [list, tuple, iter, np.array, lambda ids: (i for i in ids)])
    def test_containers_of_predictions(self, of_lists, container):
        assert of_lists([["a", "b"]], [container(["x", "b"])]) == exactly(1 / 2 / 2)

    @each_way
    def test_series(self, of_lists):
        pd = pytest.importorskip("pandas")
        actual = pd.Series([["a", "b"], ["c"]], index=[4, 2])
        predicted = pd.Series([pd.Series(["x", "b"]), pd.Series(["c"], index=[9])], index=[0, 1])
        assert of_lists(actual, predicted) == exactly((1 / 2 / 2 + 1) / 2)

    def test_a_generator_of_rows(self):
        rows = [["a"], ["b"]]
        assert mapk((row for row in rows), (row for row in rows)) == 1
        assert mrr_at_k(*from_lists((row for row in rows), (row for row in rows))) == 1

    @each_way
    def test_a_matrix_of_ids(self, of_lists):
        assert of_lists(np.array([[1, 2], [3, 4]]), np.array([[9, 1], [3, 4]])) == exactly((1 / 2 / 2 + 1) / 2)

    @pytest.mark.parametrize("of_lists", [by_mapk, by_matrices])
    def test_rows_that_are_arrays(self, of_lists):
        # Repeated, missed and missing ids as in lists: hits at 2 and 3 of two ids, at 1 of one, none.
        actual = [np.array([7, 8]), np.array([9]), np.array([1])]
        predicted = [np.array([5, 8, 7]), np.array([9, 9]), np.array([], int)]
        assert of_lists(actual, predicted) == exactly(((1 / 2 + 2 / 3) / 2 + 1) / 3)
        assert of_lists([row.astype(float) for row in actual], predicted) == exactly(((1 / 2 + 2 / 3) / 2 + 1) / 3)
        assert of_lists([np.array([1.0, np.nan])], [np.array([np.nan, 1.0])]) == exactly(1 / 2)
        assert of_lists(actual[:2], [row.tolist() for row in predicted[:2]]) == exactly(((1 / 2 + 2 / 3) / 2 + 1) / 2)

    def test_arrays_of_no_common_type_warn(self):
        with pytest.warns(UserWarning, match=r"share no type of id \(int against str\)"):
            assert mapk([np.array([1, 2])], [np.array(["1", "2"])]) == 0

    @pytest.mark.parametrize("of_lists", [by_mapk, by_matrices])
    def test_masked_ids_are_missing(self, of_lists):
        predicted = np.ma.masked_array([[1, 2]], mask=[[True, False]])
        assert of_lists(np.array([[1, 2]]), predicted) == exactly(1 / 2 / 2)

    @pytest.mark.parametrize("of_lists", [by_mapk, by_matrices])
    def test_lists_of_pyarrow_and_polars(self, of_lists):
        pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)
        polars = pytest.importorskip("polars", exc_type=ImportError)
        assert of_lists(polars.Series([[1, 2]]), pyarrow.array([[3, 1]])) == exactly(1 / 2 / 2)
        assert of_lists([pyarrow.array([1, 2])], pyarrow.chunked_array([[[3, 1]]])) == exactly(1 / 2 / 2)

    @each_way
    def test_ids_compare_as_python_values(self, of_lists):
        assert of_lists([[1]], [[1.0]]) == 1
        assert of_lists([[1]], [[np.int64(1)]]) == 1
        assert of_lists([[np.float32(1)]], [[1]]) == 1
        assert of_lists([np.array([1, 2], dtype=np.uint8)], [[2, 1]]) == 1
        assert of_lists([[("a", 1)]], [[("b", 1), ("a", 1)]]) == exactly(1 / 2)

    @pytest.mark.parametrize("of_lists", [by_mapk, by_matrices])
    def test_text_is_no_number(self, of_lists):
        # The second row holds text on both sides, so that the types do meet.
        assert of_lists([[1], ["a"]], [["1"], ["a"]]) == exactly((0 + 1) / 2)

    @each_way
    def test_ids_of_no_common_type_warn(self, of_lists):
        with pytest.warns(UserWarning, match=r"share no type of id \(int against str\)"):
            assert of_lists([[1, 2]], [["1", "2"]]) == 0

    @pytest.mark.parametrize("of_lists", [by_mapk, by_matrices])
    def test_types_that_meet_in_a_late_row_do_not_warn(self, of_lists):
        actual = [[1]] * 200 + [["a"]]
        assert of_lists(actual, [["1"]] * 200 + [["a"]]) == exactly(1 / 201)

    @each_way
    def test_no_warning_where_one_side_is_empty(self, of_lists):
        assert of_lists([[1]], [[]]) == 0
        assert of_lists([[]], [["a"]]) == 0

    def test_warning_points_at_the_call(self):
        for call in (lambda: apk([1], ["1"]), lambda: mapk([[1]], [["1"]]), lambda: from_lists([[1]], [["1"]])):
            with pytest.warns(UserWarning, match="share no type") as caught:
                call()
            assert caught[0].filename == __file__

    @each_way
    @pytest.mark.parametrize("ids", [{"a", "b"}, frozenset("ab"), {"a": 1}, {"a": 1}.keys()])
    def test_predictions_without_order_are_refused(self, of_lists, ids):
        with pytest.raises(TypeError, match=r"Row 0 of `predicted` .* no order"):
            of_lists([["a"]], [ids])

    @each_way
    @pytest.mark.parametrize("ids", ["abc", b"bytes", bytearray(b"b"), memoryview(b"b"), 3, None, np.array(3)])
    def test_rows_that_are_no_lists_of_ids_are_refused(self, of_lists, ids):
        with pytest.raises(TypeError, match="Each row of `predicted` must be a list of ids"):
            of_lists([["a"]], [ids])
        with pytest.raises(TypeError, match="Each row of `actual` must be a list of ids"):
            of_lists([ids], [["a"]])

    @each_way
    @pytest.mark.parametrize("unhashable", [["a"], {"a"}, {"a": 1}])
    def test_unhashable_ids_are_refused(self, of_lists, unhashable):
        name = type(unhashable).__name__
        with pytest.raises(TypeError, match=rf"Ids must be hashable, and row 0 of `predicted` holds a {name}"):
            of_lists([["a"]], [["b", unhashable]])
        with pytest.raises(TypeError, match=rf"Ids must be hashable, and row 0 of `actual` holds a {name}"):
            of_lists([["a", unhashable]], [["b"]])

    @pytest.mark.parametrize("of_lists", [by_mapk, by_matrices])
    def test_unhashable_ids_of_late_rows_and_of_arrays(self, of_lists):
        with pytest.raises(TypeError, match="row 100 of `predicted` holds a list"):
            of_lists([["a"]] * 101, [["a"]] * 100 + [[["a"]]])
        with pytest.raises(TypeError, match="row 0 of `actual` holds a list"):
            of_lists([np.array([[1, 2]])], [np.array([1])])
        with pytest.raises(TypeError, match="row 0 of `predicted` holds a list"):
            of_lists([np.array([1])], [np.array([[1, 2]])])
        with pytest.raises(TypeError, match=r"Each row of `predicted` must be a list of ids.*row 0"):
            of_lists([np.array([1])], [np.array(1)])

    def test_ids_that_cannot_be_compared(self):
        class Strange:
            def __hash__(self):
                return 1

            def __eq__(self, other):
                if self is other:
                    return True
                message = "these ids do not compare"
                raise TypeError(message)

        for function in (mapk, from_lists):
            with pytest.raises(TypeError, match="these ids do not compare"):
                function([[1]], [[2, Strange()]])

    @pytest.mark.parametrize("function", [mapk, from_lists])
    def test_outer_lists_of_different_length(self, function):
        with pytest.raises(ValueError, match="`actual` has 2 rows and `predicted` 1"):
            function([["a"], ["b"]], [["a"]])

    @pytest.mark.parametrize("function", [mapk, from_lists])
    def test_no_rows(self, function):
        with pytest.raises(ValueError, match="at least one row"):
            function([], [])

    @each_way
    def test_a_dictionary_as_a_row_is_refused(self, of_lists):
        # Grades would be lost: the 0 says that "b" is not relevant.
        with pytest.raises(TypeError, match=r"Row 0 of `actual` is a dict, whose values would be lost.*from_qrels"):
            of_lists([{"a": 1, "b": 0}], [["b"]])

    @each_way
    def test_a_table_as_a_row_is_refused(self, of_lists):
        pd = pytest.importorskip("pandas")
        with pytest.raises(TypeError, match="Each row of `actual` must be a list of ids"):
            of_lists([pd.DataFrame({"a": ["a"]})], [["a"]])

    @pytest.mark.parametrize("function", [mapk, from_lists])
    @pytest.mark.parametrize("rows", ["abc", bytearray(b"abc"), {"a": ["b"]}, {3}, 3, None, np.array(3), len, list])
    def test_outer_containers_that_hold_no_rows(self, function, rows):
        with pytest.raises(TypeError, match="`actual` must be a list with a list of ids for each row"):
            function(rows, [["a"]])
        with pytest.raises(TypeError, match="`predicted` must be a list with a list of ids for each row"):
            function([["a"]], rows)

    @pytest.mark.parametrize("function", [mapk, from_lists])
    def test_flat_lists_are_refused(self, function):
        with pytest.raises(TypeError, match="Each row of `actual` must be a list of ids"):
            function(["a", "b"], ["a", "b"])

    @pytest.mark.parametrize("call", [apk, lambda a, p, k: mapk([a], [p], k)])
    @pytest.mark.parametrize(
        ("k", "error"), [(0, ValueError), (-1, ValueError), (2.0, TypeError), (True, TypeError), ("3", TypeError)]
    )
    def test_a_wrong_k_is_shown(self, call, k, error):
        with pytest.raises(error, match=rf"`k` must be an integer of at least 1 or None, got '?{k}"):
            call(["a"], ["a"], k)

    def test_k_of_numpy(self):
        assert apk(["a"], ["b", "a"], np.int32(2)) == exactly(1 / 2)


class TestApk:
    """Where apk and mapk part from a matrix: the divisor counts repeated true ids."""

    def test_a_repeated_true_id_counts_in_the_divisor(self):
        assert apk(["a", "a", "b"], ["a", "b"]) == exactly((1 + 2 / 2) / 3)
        assert mapk([["a", "a", "b"]], [["a", "b"]]) == exactly((1 + 2 / 2) / 3)

    def test_a_missing_true_id_does_not_count(self):
        assert apk(["a", None, None], ["a"]) == 1
        assert apk(["a", float("nan")], ["a"]) == 1

    def test_true_ids_that_are_all_missing(self):
        assert apk([None], ["a"]) == 0

    def test_returns_a_python_float(self):
        assert type(apk(["a"], ["a"])) is float
        assert type(mapk([["a"]], [["a"]])) is float

    def test_k_past_the_list(self):
        # min(2 ids, k = 10), also though one prediction was made.
        assert apk(["a", "b"], ["a"], 10) == exactly(1 / 2)

    def test_whole_list_divides_by_what_was_predicted(self):
        assert apk(["a", "b"], ["a"], None) == 1

    def test_inputs_stay_as_they_are(self):
        actual, predicted = [["a", "b"], {"c"}], [["b", "b", None], ("c",)]
        mapk(actual, predicted)
        from_lists(actual, predicted)
        assert actual == [["a", "b"], {"c"}]
        assert predicted == [["b", "b", None], ("c",)]


class TestFromLists:
    def test_columns_are_slots_of_their_own_row(self):
        y_true, y_scores = from_lists([["a", "b"], ["c"]], [["x", "a", "y"], ["c"]])
        # Row 1: three predictions and "b", which was not predicted.
        assert y_true.toarray().tolist() == [[0, 1, 0, 1], [1, 0, 0, 0]]
        assert np.diff(y_scores.indptr).tolist() == [3, 1]
        assert y_scores[[0], :3].toarray().ravel().argsort().tolist() == [2, 1, 0]

    def test_nothing_grows_with_the_number_of_items(self):
        rows = [[f"item {row}"] for row in range(500)]
        y_true, y_scores = from_lists(rows, rows)
        assert y_true.shape == y_scores.shape
        assert y_true.shape[0] == 500
        assert y_true.shape[1] < 5

    def test_a_repeated_true_id_counts_once(self):
        assert recall_at_k(*from_lists([["a", "a", "b"]], [["a"]])) == exactly(1 / 2)

    def test_a_repeated_prediction_earns_nothing_but_fills_its_rank(self):
        pair = from_lists([["a"]], [["a", "a", "x"]])
        assert precision_at_k(*pair, 2) == exactly(1 / 2)
        assert precision_at_k(*pair) == exactly(1 / 3)

    def test_every_metric_reads_it(self):
        # Hits at ranks 2 and 3; a third relevant id is not predicted.
        pair = from_lists([["a", "b", "c"]], [["x", "a", "b"]])
        assert precision_at_k(*pair, 2) == exactly(1 / 2)
        assert recall_at_k(*pair) == exactly(2 / 3)
        assert hit_rate_at_k(*pair, 1) == 0
        assert mrr_at_k(*pair) == exactly(1 / 2)
        assert r_precision(*pair) == exactly(2 / 3)
        assert dcg_at_k(*pair) == exactly(1 / math.log2(3) + 1 / 2)
        assert ndcg_at_k(*pair) == exactly((1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2))

    def test_true_ids_that_are_all_missing_leave_a_row_without_relevant_items(self):
        assert mrr_at_k(*from_lists([[None], ["a"]], [["a"], ["a"]]), zero_division=0.5) == exactly(3 / 4)

    def test_there_are_no_ties(self):
        pair = from_lists([[1, 5]], [[4, 5, 3, 1]])
        for ties in ("average", "first", "best", "worst"):
            assert map_at_k(*pair, ties=ties) == exactly((1 / 2 + 2 / 4) / 2)
