"""Lists of ids, qrels and runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import (
    apk,
    dcg_at_k,
    from_lists,
    from_qrels,
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
        "container", [list, tuple, iter, set, frozenset, dict.fromkeys, lambda ids: (i for i in ids), np.array]
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
    @pytest.mark.parametrize("ids", ["abc", b"bytes", 3, None])
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

    @pytest.mark.parametrize("function", [mapk, from_lists])
    def test_outer_lists_of_different_length(self, function):
        with pytest.raises(ValueError, match="`actual` has 2 rows and `predicted` 1"):
            function([["a"], ["b"]], [["a"]])

    @pytest.mark.parametrize("function", [mapk, from_lists])
    def test_no_rows(self, function):
        with pytest.raises(ValueError, match="at least one row"):
            function([], [])

    @pytest.mark.parametrize("function", [mapk, from_lists])
    @pytest.mark.parametrize("rows", ["abc", {"a": ["b"]}, 3, None])
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


class TestFromQrels:
    qrels = {"q2": {"d1": 1, "d2": 0, "d9": 2}, "q1": {"d1": 1}}  # noqa: RUF012
    run = {"q1": {"d3": 0.5, "d1": 0.4}, "q2": {"d1": 3.0, "d4": 9.0, "d2": 5.0}}  # noqa: RUF012

    def test_rows_are_the_queries_of_qrels_in_its_order(self):
        # q2 ranks d4, d2, d1; q1 ranks d3, d1.
        pair = from_qrels(self.qrels, self.run)
        assert mrr_at_k(*pair, relevance_threshold=1, average=None) == exactly([1 / 3, 1 / 2])

    def test_relevant_items_never_retrieved_count(self):
        pair = from_qrels(self.qrels, self.run)
        assert recall_at_k(*pair, relevance_threshold=1, average=None) == exactly([1 / 2, 1])

    def test_graded_metrics_read_the_grades(self):
        # The grade 1 at rank 3; ideal 2, 1. Grade 1 at rank 2; ideal 1.
        expected = [1 / 2 / (2 + 1 / math.log2(3)), 1 / math.log2(3)]
        assert ndcg_at_k(*from_qrels(self.qrels, self.run), average=None) == exactly(expected)

    def test_a_query_without_results_has_no_hits(self):
        pair = from_qrels({"a": {"d": 1}, "b": {"d": 1}}, {"b": {"d": 1.0}})
        assert mrr_at_k(*pair, average=None) == exactly([0, 1])
        pair = from_qrels({"a": {"d": 1}, "b": {"d": 1}}, {"a": {}, "b": {"d": 1.0}})
        assert recall_at_k(*pair, average=None) == exactly([0, 1])

    def test_a_query_only_in_the_run_is_ignored(self):
        pair = from_qrels({"a": {"d": 1}}, {"b": {"x": 1.0}, "a": {"d": 1.0}})
        assert mrr_at_k(*pair, average=None) == exactly([1])

    def test_a_query_without_judgments_is_a_row_without_relevant_items(self):
        pair = from_qrels({"a": {}, "b": {"d": 1}}, {"a": {"d": 1.0}, "b": {"d": 1.0}})
        assert mrr_at_k(*pair, zero_division=0.5, average=None) == exactly([0.5, 1])

    @pytest.mark.parametrize(
        ("item_order", "order"),
        [("descending", ["d9", "d5", "d10"]), ("ascending", ["d10", "d5", "d9"]), ("input", ["d5", "d10", "d9"])],
    )
    def test_equal_scores_follow_the_item_order(self, item_order, order):
        # Ids compare as text: from the highest, "d9" before "d10".
        run = {"q": {"d5": 1.0, "d10": 1.0, "d9": 1.0}}
        for place, item in enumerate(order, start=1):
            pair = from_qrels({"q": {item: 1}}, run, item_order=item_order)
            assert mrr_at_k(*pair, ties="first") == exactly(1 / place)

    def test_ties_average_by_default(self):
        pair = from_qrels({"q": {"a": 1}}, {"q": {"a": 2.5, "b": 2.5}})
        assert mrr_at_k(*pair) == exactly((1 + 1 / 2) / 2)

    def test_ids_of_numbers(self):
        pair = from_qrels({7: {10: 1}}, {7: {9: 1.0, 10: 1.0}})
        assert mrr_at_k(*pair, ties="first") == 1

    def test_a_negative_grade_is_judged_not_relevant(self):
        pair = from_qrels({"q": {"a": -1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}})
        assert mrr_at_k(*pair, relevance_threshold=1) == exactly(1 / 2)
        with pytest.raises(ValueError, match=r"grades >= 0 .*-1"):
            ndcg_at_k(*pair)

    def test_grades_above_one_need_a_threshold(self):
        with pytest.raises(ValueError, match="relevance_threshold"):
            mrr_at_k(*from_qrels(self.qrels, self.run))

    def test_a_score_of_zero_or_below_is_retrieved(self):
        pair = from_qrels({"q": {"a": 1}}, {"q": {"a": 0.0, "b": -1.0}})
        assert mrr_at_k(*pair) == 1

    def test_the_pair_is_sparse_and_of_one_shape(self):
        y_true, y_scores = from_qrels(self.qrels, self.run)
        assert sparse.issparse(y_true)
        assert y_true.shape == y_scores.shape == (2, 4)

    def test_unknown_item_order_names_the_known_ones(self):
        with pytest.raises(ValueError, match="`item_order` must be one of 'descending', 'ascending', 'input'"):
            from_qrels(self.qrels, self.run, "random")

    def test_no_queries(self):
        with pytest.raises(ValueError, match="`qrels` must hold at least one query"):
            from_qrels({}, {})

    def test_what_is_no_dictionary(self):
        with pytest.raises(TypeError, match="`qrels` must be a dictionary, got list"):
            from_qrels([], self.run)
        with pytest.raises(TypeError, match="`run` must be a dictionary, got list"):
            from_qrels(self.qrels, [])
        with pytest.raises(TypeError, match=r"`qrels\['q'\]` must be a dictionary, got list"):
            from_qrels({"q": ["d1"]}, {})
        with pytest.raises(TypeError, match=r"`run\['q'\]` must be a dictionary, got list"):
            from_qrels({"q": {"d1": 1}}, {"q": ["d1"]})

    def test_items_without_a_common_order_name_the_input_order(self):
        run = {"q": {"a": 1.0, 2: 1.0}}
        with pytest.raises(TypeError, match=r"no common order .*item_order='input'"):
            from_qrels({"q": {2: 1}}, run)
        assert mrr_at_k(*from_qrels({"q": {2: 1}}, run, "input"), ties="first") == exactly(1 / 2)

    @pytest.mark.parametrize(("grade", "score"), [("high", 1.0), (1, "high"), (1, [1.0]), ([1], 1.0)])
    def test_what_is_no_number(self, grade, score):
        with pytest.raises(TypeError, match="must be numbers"):
            from_qrels({"q": {"d": grade}}, {"q": {"d": score}})

    def test_missing_grades_and_scores_are_errors_of_the_metric(self):
        with pytest.raises(ValueError, match="`y_true` contains NaN"):
            mrr_at_k(*from_qrels({"q": {"d": None}}, {"q": {"d": 1.0}}))
        with pytest.raises(ValueError, match="`y_scores` contains NaN"):
            mrr_at_k(*from_qrels({"q": {"d": 1}}, {"q": {"d": float("nan")}}))

    def test_dictionaries_stay_as_they_are(self):
        qrels, run = {"q": {"b": 1, "a": 1}}, {"q": {"c": 1.0, "a": 2.0}}
        from_qrels(qrels, run)
        assert list(qrels["q"]) == ["b", "a"]
        assert list(run["q"]) == ["c", "a"]
