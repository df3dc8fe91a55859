"""Rare input, one test each: what is left when the other files are done."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_rank import (
    GroupedRanker,
    evaluate,
    from_qrels,
    make_rank_scorer,
    map_at_k,
    map_at_k_scorer,
    mapk,
    mrr_at_k,
    mrr_at_k_scorer,
    ndcg_at_k,
)
from sklearn_rank.inputs._containers import without_column

X = np.arange(8.0)[:, None]
Y = np.eye(3, dtype=int)[np.arange(8) % 3]


def test_an_unhashable_prediction_far_down_is_named():
    with pytest.raises(TypeError, match="row 149 of `predicted` holds a list"):
        mapk([["a"]] * 150, [["a"]] * 149 + [[["a"]]])


def test_frames_for_each_label_are_read_where_scikit_learn_cannot():
    class Frames(KNeighborsClassifier):
        def predict_proba(self, X):
            return [pd.DataFrame(part) for part in super().predict_proba(X)]

    folds = [(np.arange(6), np.array([6, 7]))]
    scoring = {"map": map_at_k_scorer, "mrr": mrr_at_k_scorer}
    frames, arrays = (cross_validate(m(3), X, Y, cv=folds, scoring=scoring) for m in (Frames, KNeighborsClassifier))
    assert frames["test_map"] == arrays["test_map"]
    assert frames["test_mrr"] == arrays["test_mrr"]


def test_a_sparse_y_whose_zeros_are_the_positive_label():
    model = DecisionTreeClassifier(random_state=0).fit(X, Y)
    # The tree knows its training rows: the two labels that a row lacks come first.
    assert make_rank_scorer("map@2", pos_label=0)(model, X, sparse.csr_array(Y)) == 1


def test_a_list_of_arrays_without_classes_is_refused():
    class Bare:
        def predict_proba(self, X):
            return [np.ones((len(X), 2))] * 3

    with pytest.raises(ValueError, match="predict_proba of Bare returned a list of 3 arrays"):
        map_at_k_scorer(Bare(), X, Y)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[1, [2]], [3, 4]], r"`y_scores` must be numeric and holds \[2\] \(list\)"),
        (np.array([[2**70, 1]], dtype=object), "integers above 2\\*\\*53"),
    ],
)
def test_objects_that_are_no_numbers(scores, message):
    with pytest.raises(ValueError, match=message):
        map_at_k(np.ones(np.shape(scores)[:2], int) if isinstance(scores, np.ndarray) else [[1, 0], [0, 1]], scores)


def test_arrays_as_group_ids():
    ids = np.empty(2, dtype=object)
    ids[0], ids[1] = np.array([1, 2]), np.array([1, 2])
    with pytest.raises(TypeError, match="`groups` must hold hashable ids"):
        mrr_at_k([1, 0], [2, 1], groups=ids)


def test_three_dimensions_beside_sparse_scores():
    with pytest.raises(ValueError, match=r"shape \(1, 1, 1\) and .*\(1, 1\)"):
        map_at_k(np.ones((1, 1, 1)), sparse.csr_array([[1.0]]))


def test_a_ranker_without_tags():
    class NoTags:
        def get_params(self, deep=True):
            return {}

        def fit(self, X, y, group_id=None):
            return self

        def predict(self, X):
            return X[:, 0]

    tags = GroupedRanker(NoTags()).__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags == BaseEstimator().__sklearn_tags__().input_tags


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        ("map@10", TypeError, r"`metrics` must be a list such as \['map@10', 'mrr'\]"),
        ([], ValueError, "`metrics` must name at least one metric"),
        (["mrr", "mrr"], ValueError, "asks for 'mrr' more than once"),
        ([("mrr",)], TypeError, r"\(text, options\) or \(text, options, key\), got \('mrr',\)"),
        ([("mrr", {"groups": "qid"})], TypeError, "groups cannot differ between the metrics"),
        ([("mrr", {"denominator": "k"})], TypeError, "mrr_at_k has no keyword denominator; it has"),
        ([("map", {"denominator": "n"})], ValueError, "`denominator` must be one of 'attainable'"),
        (["ndgc@10"], ValueError, r"Unknown metric 'ndgc@10': did you mean 'ndcg@10'\? Known are bpref, dcg, err"),
        (["map@x"], ValueError, "The k of 'map@x' must be an integer"),
        (["r_precision@3"], ValueError, "r_precision takes no k"),
        ([3], TypeError, "`metric` must be a function of sklearn_rank or a text"),
        ([max], ValueError, "`metric` must be a metric of sklearn_rank"),
    ],
)
def test_reports_that_cannot_be_made(metrics, error, message):
    with pytest.raises(error, match=message):
        evaluate([[1, 0]], [[2, 1]], metrics)


def test_reports_with_options_and_keys_of_their_own():
    # The tie of a hit and a miss is worth 3/4 in the mean and 1 at best; the second row is empty.
    y_true, y_scores = [[1, 0], [0, 0]], [[1, 1], [2, 1]]
    report = evaluate(
        y_true,
        y_scores,
        [mrr_at_k, ("mrr", {"ties": "best"}), ("mrr@1", {"zero_division": np.nan}, "first hit"), "precision@1"],
        zero_division=1,
    )
    assert report == {"mrr": (3 / 4 + 1) / 2, "mrr(ties=best)": 1.0, "first hit": 1 / 2, "precision@1": (1 / 2 + 1) / 2}


def test_an_error_of_the_ids_themselves_is_passed_on():
    class Stubborn:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            message = "does not compare"
            raise TypeError(message)

    with pytest.raises(TypeError, match="does not compare"):
        mapk([[1]] * 101, [[1]] * 100 + [[Stubborn()]])


class TestLabelsOfEstimators:
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_a_fold_with_one_class_asks_the_estimator_nothing(self):
        model = MLPClassifier().fit(X, np.zeros(8, int))
        # Class 0 is all that there is to rank; class 1 was never seen.
        assert make_rank_scorer("hit_rate@1")(model, X[:2], np.array([0, 1])) == 1 / 2

    def test_a_score_for_each_pair_of_classes_is_refused(self):
        y = np.arange(9) % 3
        model = make_pipeline(SVC(decision_function_shape="ovo")).fit(np.arange(9.0)[:, None], y)
        with pytest.raises(ValueError, match="SVC gives a score for each pair of classes"):
            map_at_k_scorer(model, np.arange(9.0)[:, None], y)

    def test_stacking_of_several_labels_is_refused(self):
        tree = DecisionTreeClassifier(random_state=0)
        model = StackingClassifier([("tree", tree)], final_estimator=tree, cv=2).fit(X, Y)
        with pytest.raises(ValueError, match="StackingClassifier returns the probability that a label is absent"):
            map_at_k_scorer(model, X, Y)
        assert 0 <= make_rank_scorer("map@2", response_method="predict")(model, X, Y) <= 1

    def test_label_codes_other_than_0_and_1_need_a_positive_one(self):
        model = DecisionTreeClassifier(random_state=0).fit(X, Y + 1)
        with pytest.raises(ValueError, match=r"`y_true` has the classes \[1, 2\]|`pos_label`"):
            make_rank_scorer("map@2", pos_label=7)(model, X, Y + 1)
        for truth in (Y + 1, (Y + 1).astype(object)):
            assert make_rank_scorer("map@2", pos_label=2)(model, X, truth) == 1
            # With 1 for relevant, the two labels that a row lacks come first.
            assert make_rank_scorer("map@2", pos_label=1)(model, X, truth) == 1
            with pytest.raises(ValueError, match=r"has the classes \[1, 2\]: name the positive one with `pos_label`"):
                make_rank_scorer("map@2")(model, X, truth)

    def test_label_codes_without_a_1_name_no_positive_one(self):
        for truth in (2 * Y, (2 * Y).astype(object)):
            model = DecisionTreeClassifier(random_state=0).fit(X, 2 * Y)
            with pytest.raises(ValueError, match=r"has the classes \[0, 2\]: name the positive one with `pos_label`"):
                map_at_k_scorer(model, X, truth)

    def test_an_unfitted_classifier_says_so(self):
        with pytest.raises(NotFittedError):
            map_at_k_scorer(KNeighborsClassifier(), X, np.arange(8) % 2)

    def test_classes_as_a_plain_list(self):
        class Listed:
            def __init__(self):
                self.classes_ = ["a", "b", "c"]

            def predict_proba(self, X):
                return np.tile([0.2, 0.5, 0.3], (len(X), 1))

        assert mrr_at_k_scorer(Listed(), X[:2], np.array(["b", "c"])) == (1 + 1 / 2) / 2


class TestContainers:
    def test_numbered_columns_of_a_frame_are_no_class_names(self):
        scores = pd.DataFrame([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])
        with pytest.raises(ValueError, match="3 columns but `y_true` holds 2 labels"):
            mrr_at_k([1, 2], scores)

    def test_a_list_of_masked_rows_keeps_its_masks(self):
        row = np.ma.array([0.9, 0.5], mask=[True, False])
        # Item 0 is never retrieved, so that item 1 has rank 1.
        assert mrr_at_k([[1, 0], [0, 1]], [row, row]) == 1 / 2

    def test_large_integers_in_lists_stay_apart(self):
        # As floats the three scores would tie.
        assert mrr_at_k([[0, 1, 0]], [[2**63, 2**63 + 1, 2**63 - 1]]) == 1
        assert mrr_at_k([1, 0, 0], [1, 2, 3], groups=[2**63, 2**63 + 1, -5]) == 1 / 3

    def test_large_scores_of_a_run_stay_apart(self):
        run = {"q": {"a": 1700000000000000001, "b": 1700000000000000002}}
        assert mrr_at_k(*from_qrels({"q": {"a": 1}}, run)) == 1 / 2

    def test_masked_weights_are_refused(self):
        with pytest.raises(ValueError, match="`sample_weight` must not be masked"):
            map_at_k([[1, 0]], [[2, 1]], sample_weight=np.ma.array([1.0], mask=[True]))

    def test_an_arrow_table_is_refused(self):
        arrow = pytest.importorskip("pyarrow")
        with pytest.raises(TypeError, match=r"`y_scores` is a Table, whose columns .* \.to_pandas\(\)"):
            map_at_k([[1, 0]], arrow.table({"a": [1.0], "b": [0.5]}))

    @pytest.mark.parametrize("rows", [{("a",)}, pd.DataFrame({"a": [1]})], ids=["set", "frame"])
    def test_rows_without_an_order_are_refused(self, rows):
        with pytest.raises(TypeError, match="`actual` must be a list with a list of ids"):
            mapk(rows, [["a"]])

    def test_a_frame_in_fit_and_an_array_in_predict(self):
        frame = pd.DataFrame({"x": [1.0, 2.0], "qid": [1, 1]})
        with pytest.raises(ValueError, match="is the name of a column, but X is a ndarray"):
            without_column(frame.to_numpy(), "qid")

    def test_no_run_at_all(self):
        assert mrr_at_k(*from_qrels({"q": {"a": 1}}, {})) == 0


class TestExtremeGrades:
    @pytest.mark.parametrize("gain", ["linear", "exponential"])
    @pytest.mark.parametrize("grade", [1e-17, 1e-300, 1.0, 900.0])
    def test_a_perfect_ranking_is_1(self, gain, grade):
        assert ndcg_at_k([[grade, 0, grade]], [[3, 1, 2]], gain=gain) == 1

    def test_grades_that_cannot_be_added_up_are_refused(self):
        with pytest.raises(ValueError, match="finite grades >= 0"):
            ndcg_at_k([[1e308] * 3], [[3, 2, 1]])

    def test_k_beyond_every_float(self):
        assert mrr_at_k([[0, 1]], [[2, 1]], 10**400) == 1 / 2
