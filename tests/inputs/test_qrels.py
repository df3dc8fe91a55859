"""Dictionaries of judgements and runs, and what marks a pair."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from fractions import Fraction
from io import BytesIO

import joblib
import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import from_lists, from_qrels, mrr_at_k, ndcg_at_k, recall_at_k
from sklearn_rank.inputs._marks import belong_together
from sklearn_rank.inputs._qrels import is_qrels, pairs_of_runs


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0)


def joblib_round_trip(x):
    file = BytesIO()
    joblib.dump(x, file)
    file.seek(0)
    return joblib.load(file)


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

    @pytest.mark.parametrize("value", [None, math.nan, np.float32("nan"), np.array(np.nan), 10**400, -(2**1024)])
    @pytest.mark.parametrize("others", [1, 1.0])
    def test_missing_and_endless_numbers_are_shown(self, value, others):
        good, bad = {"a": {"c": others}, "q": {"e": others}}, {"a": {"c": others}, "q": {"d7": others, "d8": value}}
        with pytest.raises(ValueError, match=r"Grades .* `qrels` has .* for item 'd8' of query 'q'"):
            from_qrels(bad, good)
        with pytest.raises(ValueError, match=r"Scores .* `run` has .* for item 'd8' of query 'q'"):
            from_qrels(good, bad)

    def test_a_missing_value_of_pandas(self):
        pd = pytest.importorskip("pandas")
        with pytest.raises(ValueError, match="`run` has <NA> for item 'd' of query 'q'"):
            from_qrels({"q": {"d": 1}}, {"q": {"d": pd.NA}})

    def test_numbers_of_every_kind(self):
        # Truth values, numpy's, fractions, and arrays without a dimension: a 0, b 1/2, c 2, d 3.
        run = {"q": {"a": False, "b": np.array(0.5), "c": np.float32(2), "d": Fraction(3)}, "r": {"a": 1.0}}
        _, y_scores = from_qrels({"q": {"a": np.bool_(True)}, "r": {"a": 1}}, run, "ascending")
        assert y_scores.toarray().tolist() == [[0, 0.5, 2, 3], [1, 0, 0, 0]]

    def test_large_integers_stay_apart(self):
        run = {"q": {"a": 2**53, "b": 2**53 + 1}}
        assert mrr_at_k(*from_qrels({"q": {"b": 1}}, run)) == 1
        run["q"] |= {"c": 2**63}  # fits uint64 only
        assert mrr_at_k(*from_qrels({"q": {"b": 1}}, run)) == exactly(1 / 2)
        with pytest.raises(ValueError, match="`run` mixes fractions with integers above"):
            from_qrels({"q": {"b": 1}}, {"q": {"b": 2**53 + 1, "c": 0.5}})

    def test_sets_as_items(self):
        # < says of sets what is a part of what, so that nothing can be looked up by halves.
        a, b, both = frozenset("a"), frozenset("b"), frozenset("ab")
        run = {"q": {b: 3.0, both: 2.0, a: 1.0}}
        for item, rank in ((b, 1), (both, 2), (a, 3)):
            assert mrr_at_k(*from_qrels({"q": {item: 1}}, run)) == exactly(1 / rank)

    def test_dictionaries_stay_as_they_are(self):
        qrels, run = {"q": {"b": 1, "a": 1}}, {"q": {"c": 1.0, "a": 2.0}}
        from_qrels(qrels, run)
        assert list(qrels["q"]) == ["b", "a"]
        assert list(run["q"]) == ["c", "a"]

    def test_condensed_lists(self):
        # x is not judged: a, c in place of x, a, c.
        qrels, run = {"q": {"a": 1, "c": 0}}, {"q": {"x": 3, "a": 2, "c": 1}}
        assert mrr_at_k(*from_qrels(qrels, run)) == exactly(1 / 2)
        assert mrr_at_k(*from_qrels(qrels, run, unjudged="drop")) == 1
        y_true, y_scores = from_qrels(qrels, run, unjudged="drop")
        assert (y_true.nnz, y_scores.nnz) == (2, 2)
        with pytest.raises(ValueError, match="`unjudged` must be one of 'keep', 'drop', got 'skip'"):
            from_qrels(qrels, run, unjudged="skip")

    def test_judged_zeros_are_stored(self):
        y_true, _ = from_qrels({"q": {"a": 0, "b": 0, "c": 1}}, {"q": {"c": 1.0, "a": 2.0}})
        assert y_true.nnz == 3


class TestStrangers:
    """Queries or items that can never be equal."""

    def test_queries_of_another_type(self):
        with pytest.warns(UserWarning, match=r"share no type of query id \(str against int\)"):
            from_qrels({"1": {"a": 1}}, {1: {"a": 1.0}})

    def test_no_query_in_common(self):
        with pytest.warns(UserWarning, match="no query in common .*'q1' against 'Q1'"):
            from_qrels({"q1": {"a": 1}}, {"Q1": {"a": 1.0}})

    def test_items_of_another_type(self):
        with pytest.warns(UserWarning, match=r"share no type of item id \(int against str\)"):
            from_qrels({"q": {7: 1}, "r": {8: 1}}, {"q": {"7": 1.0}})

    def test_the_line_of_the_caller(self):
        with pytest.warns(UserWarning, match="query") as caught:
            from_qrels({"q1": {"a": 1}}, {"Q1": {"a": 1.0}})
        assert caught[0].filename == __file__

    @pytest.mark.parametrize(
        ("qrels", "run"),
        [
            ({"q": {"a": 1}}, {}),
            ({"q": {"a": 1}}, {"q": {}}),
            ({"q": {"a": 1}}, {"q": {"b": 1.0}}),
            ({"q": {}}, {"q": {1: 1.0}}),
            ({1: {2: 1}}, {1.0: {np.int64(3): 1.0}}),
            ({"q": {"a": 1}, 1: {7: 1}}, {1: {"a": 1.0}, "q": {"a": 2.0}}),
        ],
    )
    def test_nothing_found_is_no_reason_to_warn(self, qrels, run):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            from_qrels(qrels, run)


class TestForComparisons:
    def test_what_is_a_dictionary_of_judgements(self):
        assert is_qrels({"q": {"a": 1}, "r": {}})
        assert not is_qrels({"model": np.ones((1, 2))})
        assert not is_qrels({})
        assert not is_qrels([{"a": 1}])

    def test_pairs_of_runs(self):
        y_true, y_scores = pairs_of_runs({"q": {"b": 1}}, {"one": {"q": {"a": 2.0, "b": 1.0}}, "two": {}})
        assert y_true["one"].toarray().tolist() == [[1, 0]]
        assert y_scores["one"].toarray().tolist() == [[1, 2]]
        assert (y_true["two"].nnz, y_scores["two"].nnz) == (1, 0)

    def test_an_error_names_the_model(self):
        with pytest.raises(TypeError, match=r"`run` must be a dictionary, got list.*Model 'two'"):
            pairs_of_runs({"q": {"b": 1}}, {"one": {}, "two": []})


class TestMarks:
    """What one call returned belongs together; a mark that is lost says nothing."""

    qrels, run = {"p": {"a": 1}, "q": {"b": 1}}, {"p": {"a": 1.0}, "q": {"b": 2.0, "a": 1.0}}

    def test_one_call_and_two(self):
        for make in (lambda: from_qrels(self.qrels, self.run), lambda: from_lists([["a"]], [["a", "b"]])):
            (y1, s1), (y2, s2) = make(), make()
            assert belong_together(y1, s1) is True
            assert belong_together(y1, s2) is False
            assert belong_together(y2, s1) is False

    @pytest.mark.parametrize(
        "again",
        [copy.copy, copy.deepcopy, lambda x: x.copy(), lambda x: pickle.loads(pickle.dumps(x)), joblib_round_trip],
        ids=["copy", "deepcopy", "own copy", "pickle", "joblib"],
    )
    def test_copies_and_pickles_raise_no_false_alarm(self, again):
        y_true, y_scores = from_qrels(self.qrels, self.run)
        assert belong_together(again(y_true), y_scores) is not False
        assert belong_together(y_true, again(y_scores)) is not False
        assert again(y_true).toarray().tolist() == y_true.toarray().tolist()

    @pytest.mark.parametrize(
        "derive",
        [
            lambda x: x[[1, 0]],
            lambda x: x[:1],
            lambda x: x * 2,
            lambda x: x.tocsc(),
            lambda x: x.T.tocsr(),
            abs,
            lambda x: x.astype(np.float32),
            lambda x: x > 0,
            sparse.csr_array,
            sparse.csr_matrix,
            lambda x: sparse.vstack([x, x]).tocsr(),
            lambda x: x.toarray(),
            lambda x: x.tocoo(),
        ],
        ids=[
            "rows",
            "slice",
            "product",
            "csc",
            "transposed",
            "abs",
            "float32",
            "comparison",
            "csr_array",
            "csr_matrix",
            "stacked",
            "dense",
            "coo",
        ],
    )
    def test_what_is_computed_from_them_is_not_marked(self, derive):
        (y1, s1), (y2, s2) = from_qrels(self.qrels, self.run), from_qrels(self.qrels, self.run)
        assert belong_together(derive(y1), s2) is None
        assert belong_together(y2, derive(s1)) is None
