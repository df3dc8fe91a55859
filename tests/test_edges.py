"""Rare input, one test each: what is left when the other files are done."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_rank import (
    GroupedRanker,
    evaluate,
    make_rank_scorer,
    map_at_k,
    map_at_k_scorer,
    mapk,
    mrr_at_k,
    mrr_at_k_scorer,
)

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
        (["ndgc@10"], ValueError, r"Unknown metric 'ndgc@10': did you mean 'ndcg'\? Known are dcg, f1"),
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
