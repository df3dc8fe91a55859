"""Scorers: right columns on every fold, and every tool of scikit-learn that takes `scoring`."""

from __future__ import annotations

import copy
import pickle
import re
from contextlib import contextmanager
from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  makes the halving searches importable
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import check_scoring, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sklearn_rank
from sklearn_rank import (
    err_at_k,
    hit_rate_at_k,
    make_rank_scorer,
    map_at_k,
    map_at_k_scorer,
    mrr_at_k,
    mrr_at_k_scorer,
    ndcg_at_k,
    ndcg_at_k_scorer,
    precision_at_k_scorer,
    r_precision_scorer,
    rank_scorers,
    rbp_scorer,
)
from sklearn_rank.metrics._registry import METRICS

CONSTANT_LABEL = "ignore:Label (not )?. is present in all training examples:UserWarning"
COLUMN_VECTOR = "ignore:A column-vector y was passed:sklearn.exceptions.DataConversionWarning"

# On a line: label 1 is on in no training row, label 3 in all of them.
LINE = np.array([[0.0], [1.0], [2.0]])
LINE_Y = np.array([[1, 0, 0, 1], [0, 0, 1, 1], [1, 0, 1, 1]])


def ragged_problem(n_train=24, n=40):
    """X, Y and a training fold in which label 1 is never on and label 3 always."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, 5)) + rng.normal(size=(n, 5)) > 0.3).astype(int)
    Y[:n_train, 1] = 0
    Y[:n_train, 3] = 1
    return X, Y, slice(n_train), slice(n_train, n)


def hand_aligned(model, X):
    """The probability that each label is 1, read off `classes_` one label at a time."""
    columns = []
    for probabilities, classes in zip(model.predict_proba(X), model.classes_, strict=True):
        column = np.zeros(len(X))
        for j, label in enumerate(classes):
            if label == 1:
                column = probabilities[:, j]
        columns.append(column)
    return np.transpose(columns)


class Answers(BaseEstimator):
    """A fitted estimator that gives fixed answers: Answers(predict_proba=..., classes_=...)."""

    def __init__(self, **answers):
        for name, answer in answers.items():
            setattr(self, name, answer if name.endswith("_") else lambda X, answer=answer: answer)


class FirstColumn(RegressorMixin, BaseEstimator):
    """A ranker that reads its scores from the first column of X, and wants X whole."""

    def __init__(self, n_columns=2):
        self.n_columns = n_columns

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def predict(self, X):
        if X.shape[1] != self.n_columns:
            message = f"X has {X.shape[1]} columns"
            raise AssertionError(message)
        if sparse.issparse(X):
            X = X.toarray()
        return np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)[:, 0].astype(float)


class TestRaggedFolds:
    def test_by_hand(self):
        # One neighbour answers [1, 0, 0, 1] for [1, 1, 0, 0]: label 0 has rank 1 or 2, label 1 has 3 or 4, so
        # AP = ((1 + 1/2) / 2 + (2/3 + 2/4) / 2) / 2 = 2/3. It answers [0, 0, 1, 1] for that: AP = 1.
        model = KNeighborsClassifier(n_neighbors=1).fit(LINE, LINE_Y)
        score = map_at_k_scorer(model, LINE[:2], np.array([[1, 1, 0, 0], [0, 0, 1, 1]]))
        assert score == pytest.approx((2 / 3 + 1) / 2)

    def test_absent_label_is_last_but_retrieved(self):
        model = DummyClassifier().fit(LINE, LINE_Y)  # answers [2/3, 0, 2/3, 1]
        only_the_absent_one = np.array([[0, 1, 0, 0]])
        assert mrr_at_k_scorer(model, LINE[:1], only_the_absent_one) == pytest.approx(1 / 4)

    def test_constant_label_is_first(self):
        model = DummyClassifier().fit(LINE, LINE_Y)
        assert mrr_at_k_scorer(model, LINE[:1], np.array([[0, 0, 0, 1]])) == 1.0

    @pytest.mark.parametrize(
        "model",
        [
            KNeighborsClassifier(3),
            RandomForestClassifier(5, random_state=0),
            ExtraTreesClassifier(5, random_state=0),
            DecisionTreeClassifier(random_state=0),
            DummyClassifier(),
            MultiOutputClassifier(DecisionTreeClassifier(max_depth=2, random_state=0)),
            MultiOutputClassifier(KNeighborsClassifier(4)),
        ],
        ids=lambda model: re.sub(r"\W+", "_", str(model)),
    )
    def test_equals_a_hand_aligned_matrix(self, model):
        X, Y, train, test = ragged_problem()
        model = clone(model).fit(X[train], Y[train])
        aligned = hand_aligned(model, X[test])
        assert (aligned[:, 1] == 0).all()
        assert (aligned[:, 3] == 1).all()
        expected = map_at_k(Y[test], aligned, 10)
        assert 0 < expected < 1
        assert map_at_k_scorer(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)
        pipeline = make_pipeline(FunctionTransformer(), model).fit(X[train], Y[train])
        assert map_at_k_scorer(pipeline, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)

    def test_inside_a_search(self):
        X, Y, train, test = ragged_problem()
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3]}, scoring=map_at_k_scorer, cv=2)
        search.fit(X[train], Y[train])
        expected = map_at_k(Y[test], hand_aligned(search, X[test]), 10)
        assert search.score(X[test], Y[test]) == pytest.approx(expected, rel=1e-14)

    def test_frames(self):
        X, Y, train, test = ragged_problem()
        names = [f"tag{j}" for j in range(Y.shape[1])]
        X, Y = pd.DataFrame(X).add_prefix("x"), pd.DataFrame(Y, columns=names)
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        expected = map_at_k(Y[test].to_numpy(), hand_aligned(model, X[test]), 10)
        assert map_at_k_scorer(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)

    def test_boolean_targets(self):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train].astype(bool))
        expected = map_at_k(Y[test], hand_aligned(model, X[test]), 10)
        assert map_at_k_scorer(model, X[test], Y[test].astype(bool)) == pytest.approx(expected, rel=1e-14)

    @pytest.mark.filterwarnings(CONSTANT_LABEL)
    def test_sparse_targets(self):
        X, Y, train, test = ragged_problem()
        model = OneVsRestClassifier(LogisticRegression()).fit(X[train], sparse.csr_matrix(Y[train]))
        expected = map_at_k(Y[test], model.predict_proba(X[test]), 10)
        assert map_at_k_scorer(model, X[test], sparse.csr_matrix(Y[test])) == pytest.approx(expected, rel=1e-14)

    def test_list_of_frames_is_matched_by_position(self):
        parts = [pd.DataFrame([[0.8, 0.2], [0.1, 0.9]], index=[7, 3]), pd.DataFrame([[1.0], [1.0]], index=[7, 3])]
        model = Answers(predict_proba=parts, classes_=[np.array([0, 1]), np.array([0])])
        # [0.2, 0] and [0.9, 0]: the second label is on, behind the first.
        assert mrr_at_k_scorer(model, np.zeros((2, 1)), np.array([[0, 1], [0, 1]])) == 1 / 2

    def test_list_of_frames_beside_another_scorer(self):
        parts = [pd.DataFrame([[0.8, 0.2], [0.1, 0.9]]), pd.DataFrame([[0.9, 0.1], [1.0, 0.0]])]
        model = Answers(predict_proba=parts, classes_=[np.array([0, 1])] * 2)
        scorers = check_scoring(scoring={"mrr": mrr_at_k_scorer, "hit": hit_rate_scorer_at(1)})
        assert scorers(model, np.zeros((2, 1)), np.array([[0, 1], [1, 0]])) == {"mrr": 3 / 4, "hit": 1 / 2}

    def test_list_of_decision_values(self):
        model = Answers(decision_function=[np.array([[2.0]]), np.array([[1.0]])], classes_=[np.array(["a", "b"])] * 2)
        for pos_label, reciprocal_rank in (("b", 1.0), ("a", 1 / 2)):
            scorer = make_rank_scorer("mrr@10", pos_label=pos_label)
            other = "ab".replace(pos_label, "")
            assert scorer(model, np.zeros((1, 1)), np.array([[pos_label, other]])) == reciprocal_rank

    def test_list_of_another_length_than_classes(self):
        model = Answers(predict_proba=[np.eye(2)], classes_=[np.array([0, 1])] * 2)
        with pytest.raises(
            ValueError, match=r"returned a list of 1 arrays; wanted is a list with an array for each label"
        ):
            map_at_k_scorer(model, np.zeros((2, 1)), np.eye(2, dtype=int))

    def test_sparse_targets_of_which_zero_counts(self):
        model = KNeighborsClassifier(1).fit(LINE, LINE_Y)
        truth = np.array([[0, 0, 1, 1], [1, 1, 0, 0]])
        # What is 0 is relevant, and [1, 0, 0, 1] and [0, 0, 1, 1] are turned round; as in the case by hand.
        scorer = make_rank_scorer("map@10", pos_label=0)
        # First row: [0, 1, 1, 0] for [1, 1, 0, 0]: the hits have rank 1 or 2, and 3 or 4. Second: [1, 1, 0, 0] for
        # [0, 0, 1, 1]: 3 and 4.
        expected = ((3 / 4 + 7 / 12) / 2 + (1 / 3 + 2 / 4) / 2) / 2
        assert scorer(model, LINE[:2], truth) == pytest.approx(expected)
        assert scorer(model, LINE[:2], sparse.csr_array(truth)) == pytest.approx(expected)

    def test_graded_targets_of_a_classifier_are_refused(self):
        Y = np.array([[0, 2], [1, 1], [2, 0]])
        model = KNeighborsClassifier(1).fit(LINE, Y)
        with pytest.raises(ValueError, match=r"multiclass-multioutput: one of its columns has the classes \[0, 1, 2\]"):
            map_at_k_scorer(model, LINE, Y)

    def test_vector_beside_a_model_of_several_labels(self):
        model = KNeighborsClassifier(1).fit(LINE, LINE_Y)
        with pytest.raises(ValueError, match=r"`y` is 1-D but KNeighborsClassifier was fitted on 4 outputs"):
            map_at_k_scorer(model, LINE, np.array([0, 1, 1]))

    def test_other_number_of_labels(self):
        model = KNeighborsClassifier(1).fit(LINE, LINE_Y)
        with pytest.raises(ValueError, match=r"predict_proba of KNeighborsClassifier returned .*\(3, 3\)"):
            map_at_k_scorer(model, LINE, LINE_Y[:, :3])

    def test_three_dimensions(self):
        model = KNeighborsClassifier(1).fit(LINE, LINE_Y)
        with pytest.raises(ValueError, match=r"`y` must be 1-D or a matrix of labels, got shape \(1, 3, 4\)"):
            map_at_k_scorer(model, LINE, LINE_Y[None])


@pytest.mark.filterwarnings(CONSTANT_LABEL)
class TestOneVsRest:
    """A label without two values in training has no classifier: 0.0 or its like stands in its column."""

    @staticmethod
    def beyond(scores):
        """Column 1 below all others, column 3 above."""
        scores = scores.copy()
        varying = scores[:, [0, 2, 4]]
        scores[:, 1], scores[:, 3] = varying.min() - 1, varying.max() + 1
        return scores

    def test_decision_values(self):
        X, Y, train, test = ragged_problem()
        model = OneVsRestClassifier(LinearSVC()).fit(X[train], Y[train])
        raw = model.decision_function(X[test])
        expected = map_at_k(Y[test], self.beyond(raw), 10)
        assert expected != pytest.approx(map_at_k(Y[test], raw, 10), rel=1e-3)  # the fault is there
        assert map_at_k_scorer(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)

    def test_absent_label_is_last_but_retrieved(self):
        X, Y, train, test = ragged_problem()
        model = OneVsRestClassifier(LinearSVC()).fit(X[train], Y[train])
        only_absent = np.tile([0, 1, 0, 0, 0], (16, 1))
        assert mrr_at_k_scorer(model, X[test], only_absent) == pytest.approx(1 / 5)
        only_constant = np.tile([0, 0, 0, 1, 0], (16, 1))
        assert mrr_at_k_scorer(model, X[test], only_constant) == 1.0

    def test_pipeline_and_search(self):
        X, Y, train, test = ragged_problem()
        ovr = OneVsRestClassifier(LinearSVC())
        pipeline = make_pipeline(StandardScaler(), ovr).fit(X[train], Y[train])
        expected = map_at_k(Y[test], self.beyond(pipeline.decision_function(X[test])), 10)
        assert map_at_k_scorer(pipeline, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)

        grid = {"onevsrestclassifier__estimator__C": [0.1, 1.0]}
        search = GridSearchCV(make_pipeline(StandardScaler(), ovr), grid, scoring=map_at_k_scorer, cv=3)
        search.fit(X[train], Y[train])
        expected = map_at_k(Y[test], self.beyond(search.decision_function(X[test])), 10)
        assert search.score(X[test], Y[test]) == pytest.approx(expected, rel=1e-14)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        for model in (pipeline, search):
            assert mrr_at_k_scorer(model, X[test], np.tile([0, 1, 0, 0, 0], (16, 1))) == pytest.approx(1 / 5)

    def test_probabilities(self):
        X, Y, train, test = ragged_problem()
        model = OneVsRestClassifier(LogisticRegression()).fit(X[train], Y[train])
        scores = model.predict_proba(X[test])
        assert (scores[:, [1, 3]] == [0, 1]).all()
        expected = map_at_k(Y[test], scores, 10)
        assert map_at_k_scorer(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)

    def test_pos_label_zero_turns_everything_round(self):
        X, Y, train, test = ragged_problem()
        model = OneVsRestClassifier(LinearSVC()).fit(X[train], Y[train])
        scores = -model.decision_function(X[test])
        varying = scores[:, [0, 2, 4]]
        scores[:, 1], scores[:, 3] = varying.max() + 1, varying.min() - 1
        scorer = make_rank_scorer("map@10", pos_label=0)
        assert scorer(model, X[test], Y[test]) == pytest.approx(map_at_k(1 - Y[test], scores, 10), rel=1e-14)

    def test_all_labels_constant(self):
        Y = np.tile([1, 0], (3, 1))
        model = OneVsRestClassifier(LinearSVC()).fit(LINE, Y)
        assert mrr_at_k_scorer(model, LINE[:1], np.array([[1, 0]])) == 1.0
        assert mrr_at_k_scorer(model, LINE[:1], np.array([[0, 1]])) == 1 / 2

    def test_works_in_cross_val_score(self):
        X, Y, _, _ = ragged_problem()
        model = OneVsRestClassifier(LinearSVC())
        expected = []
        for train, test in KFold(2).split(X):
            fitted = clone(model).fit(X[train], Y[train])
            scores = fitted.decision_function(X[test])
            varying = [j for j in range(5) if 0 < Y[train, j].mean() < 1]
            low, high = scores[:, varying].min() - 1, scores[:, varying].max() + 1
            for j in range(5):
                if j not in varying:
                    scores[:, j] = high if Y[train[0], j] else low
            expected.append(map_at_k(Y[test], scores, 10))
        found = cross_val_score(model, X, Y, scoring=map_at_k_scorer, cv=KFold(2))
        np.testing.assert_allclose(found, expected, rtol=1e-14)


class TestTwoLabels:
    """Exactly two labels, of which scikit-learn hands over the last column alone."""

    @pytest.mark.parametrize(
        "model",
        [
            OneVsRestClassifier(LogisticRegression()),
            OneVsRestClassifier(LinearSVC()),
            MLPClassifier((3,), solver="lbfgs", random_state=0, max_iter=3000),
            KNeighborsClassifier(3),
        ],
        ids=["ovr_proba", "ovr_decision", "mlp", "knn"],
    )
    def test_both_columns_count(self, model):
        X, Y, _, _ = ragged_problem(0)
        Y = Y[:, :2]
        model.fit(X, Y)
        if isinstance(model, KNeighborsClassifier):
            scores = hand_aligned(model, X)
        else:
            scores = getattr(model, "predict_proba" if hasattr(model, "predict_proba") else "decision_function")(X)
        assert scores.shape == Y.shape
        expected = map_at_k(Y, scores, 1)
        assert 0 < expected < 1
        assert make_rank_scorer("map@1")(model, X, Y) == pytest.approx(expected, rel=1e-14)

    @pytest.mark.filterwarnings(CONSTANT_LABEL)
    def test_one_of_the_two_absent(self):
        X, Y, _, _ = ragged_problem(0)
        Y = Y[:, :2].copy()
        Y[:, 1] = 0
        model = OneVsRestClassifier(LinearSVC()).fit(X, Y)
        assert mrr_at_k_scorer(model, X, np.tile([0, 1], (len(X), 1))) == 1 / 2


class TestOneColumn:
    """Y of shape (n, 1) is a row per sample, so that every metric is 1 where Y is 1."""

    @pytest.mark.filterwarnings(COLUMN_VECTOR)
    @pytest.mark.parametrize(
        "model",
        [
            KNeighborsClassifier(3),
            LogisticRegression(),
            LinearSVC(),
            RidgeClassifier(),
            LinearRegression(),
            DecisionTreeRegressor(),
            DummyClassifier(),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_rows_stay_rows(self, model):
        X, Y, _, _ = ragged_problem(0)
        Y = Y[:, :1]
        model.fit(X, Y)
        assert 0 < Y.mean() < 1
        assert map_at_k_scorer(model, X, Y) == pytest.approx(Y.mean())

    @pytest.mark.filterwarnings(COLUMN_VECTOR)
    def test_constant_in_training(self):
        model = KNeighborsClassifier(1).fit(LINE, np.zeros((3, 1), int))
        assert map_at_k_scorer(model, LINE, np.array([[1], [0], [1]])) == pytest.approx(2 / 3)


class TestWords:
    """Labels that are not numbers."""

    WORDS = np.where(LINE_Y == 1, "buy", "skip")

    def test_pos_label_is_needed(self):
        model = KNeighborsClassifier(1).fit(LINE, self.WORDS)
        with pytest.raises(
            ValueError, match=r"has the classes \['buy', 'skip'\]: name the positive one with `pos_label`"
        ):
            map_at_k_scorer(model, LINE, self.WORDS)

    @pytest.mark.parametrize(
        "model",
        [
            KNeighborsClassifier(1),
            DecisionTreeClassifier(random_state=0),
            MultiOutputClassifier(KNeighborsClassifier(1)),
        ],
        ids=["knn", "tree", "multi"],
    )
    def test_matrix(self, model):
        # "buy" comes first in the alphabet, so the last column is the negative one. As in the numeric case by hand.
        model.fit(LINE, self.WORDS)
        scorer = make_rank_scorer("map@10", pos_label="buy")
        truth = np.array([["buy", "buy", "skip", "skip"], ["skip", "skip", "buy", "buy"]])
        assert scorer(model, LINE[:2], truth) == pytest.approx((2 / 3 + 1) / 2)

    def test_object_matrix(self):
        model = KNeighborsClassifier(1).fit(LINE, self.WORDS.astype(object))
        truth = np.array([["buy", "buy", "skip", "skip"]], dtype=object)
        assert make_rank_scorer("map@10", pos_label="buy")(model, LINE[:1], truth) == pytest.approx(2 / 3)

    def test_fold_without_the_positive_label(self):
        model = KNeighborsClassifier(1).fit(LINE, self.WORDS)
        truth = np.full((3, 4), "skip")
        assert make_rank_scorer("map@10", pos_label="buy")(model, LINE, truth) == 0.0

    def test_predicted_words(self):
        model = KNeighborsClassifier(1).fit(LINE, self.WORDS)
        truth = np.array([["buy", "buy", "skip", "skip"], ["skip", "skip", "buy", "buy"]])
        scorer = make_rank_scorer("map@10", pos_label="buy", response_method="predict")
        assert scorer(model, LINE[:2], truth) == pytest.approx((2 / 3 + 1) / 2)

    def test_multiclass_needs_no_pos_label(self):
        model = KNeighborsClassifier(1).fit(LINE, ["b", "a", "c"])
        # The last row's class has rank 2 or 3 beside the predicted "c".
        assert mrr_at_k_scorer(model, LINE, np.array(["b", "a", "a"])) == pytest.approx(
            (1 + 1 + (1 / 2 + 1 / 3) / 2) / 3
        )


class TestMulticlass:
    def test_class_unknown_to_the_training_fold_is_a_miss(self):
        # As many classes on both sides: {0, 1, 2} was learnt, {0, 1, 3} is asked for.
        model = KNeighborsClassifier(1).fit(LINE, [0, 1, 2])
        truth = np.array([0, 1, 3])
        assert make_rank_scorer("map@3")(model, LINE, truth) == pytest.approx(2 / 3)
        assert make_rank_scorer("recall", k=None)(model, LINE, truth) == pytest.approx(2 / 3)
        assert make_rank_scorer("map@3", labels=[0, 1, 2, 3])(model, LINE, truth) == pytest.approx(2 / 3)

    def test_columns_follow_the_estimator(self):
        # The test fold holds {1, 2} of the classes {0, 1, 2}; its own sorted labels would be columns 0 and 1.
        model = KNeighborsClassifier(1).fit(LINE, [0, 1, 2])
        assert hit_rate_scorer_at(1)(model, LINE[1:], np.array([1, 2])) == 1.0

    @pytest.mark.parametrize(
        "model",
        [LogisticRegression(), LinearSVC(), RidgeClassifier(), SVC(), GaussianNB()],
        ids=lambda model: type(model).__name__,
    )
    def test_hit_rate_at_one_is_accuracy(self, model, rng):
        X = rng.normal(size=(40, 3))
        y = np.digitize(X[:, 0] + rng.normal(size=40), [-1, 0, 1]) * 10
        model.fit(X, y)
        accuracy = (model.predict(X) == y).mean()
        assert 0.3 < accuracy < 1
        assert hit_rate_scorer_at(1)(model, X, y) == pytest.approx(accuracy)
        predicted = make_rank_scorer("hit_rate@1", response_method="predict")
        assert predicted(model, X, y) == pytest.approx(accuracy)

    def test_two_classes_in_training_three_in_the_fold(self):
        model = KNeighborsClassifier(1).fit(LINE, [0, 1, 1])
        # A row per sample, since y holds a class that the training fold never saw: right, right, miss.
        assert make_rank_scorer("map@3")(model, LINE, np.array([0, 1, 2])) == pytest.approx(2 / 3)

    def test_labels_make_two_classes_a_row_per_sample(self):
        model = KNeighborsClassifier(1).fit(LINE, [0, 1, 1])
        truth = np.array([0, 1, 0])
        scorer = make_rank_scorer("hit_rate@1", labels=[0, 1, 2])
        assert scorer(model, LINE, truth) == pytest.approx(2 / 3)
        # Without labels= the samples are one ranking, whose first has score 1: label 1 or, tied with it, label 0.
        assert hit_rate_scorer_at(1)(model, LINE, truth) == pytest.approx(1 / 2)

    @pytest.mark.parametrize(
        "model", [LinearSVC(), LogisticRegression(), RidgeClassifier()], ids=lambda model: type(model).__name__
    )
    @pytest.mark.parametrize("method", ["decision_function", "predict"])
    def test_labels_with_one_decision_value(self, model, method):
        X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
        model.fit(X, [0, 0, 1, 1])
        scorer = make_rank_scorer("hit_rate@1", labels=[0, 1], response_method=method)
        assert scorer(model, X, np.array([0, 1, 1, 1])) == pytest.approx(3 / 4)

    def test_one_class_in_training(self):
        model = DummyClassifier().fit(LINE, ["a", "a", "a"])
        assert make_rank_scorer("map@3")(model, LINE, np.array(["a", "b", "a"])) == pytest.approx(2 / 3)

    def test_one_class_in_training_with_a_decision_value(self):
        model = Answers(decision_function=np.array([-1.0, -1.0]), classes_=np.array(["a"]))
        assert make_rank_scorer("map@3")(model, LINE[:2], np.array(["a", "b"])) == 1 / 2

    def test_labels_must_hold_all(self):
        model = KNeighborsClassifier(1).fit(LINE, [0, 1, 2])
        with pytest.raises(ValueError, match=r"`y` holds classes that are not in `labels`: \[3\]"):
            make_rank_scorer("map@3", labels=[0, 1, 2])(model, LINE, np.array([0, 1, 3]))
        with pytest.raises(
            ValueError, match=r"KNeighborsClassifier was fitted on classes that are not in `labels`: \[2\]"
        ):
            make_rank_scorer("map@3", labels=[0, 1])(model, LINE, np.array([0, 1, 1]))

    def test_missing_label(self):
        model = KNeighborsClassifier(1).fit(LINE, ["a", "b", "c"])
        with pytest.raises(ValueError, match=r"`y` has missing labels"):
            map_at_k_scorer(model, LINE, np.array(["a", None, "c"], dtype=object))

    def test_wrong_number_of_columns(self):
        model = Answers(predict_proba=np.ones((3, 2)), classes_=np.array([0, 1, 2]))
        with pytest.raises(ValueError, match=r"predict_proba of Answers returned shape \(3, 2\).*one column for each"):
            map_at_k_scorer(model, LINE, np.array([0, 1, 2]))

    @pytest.mark.parametrize("n_classes", [3, 4])
    def test_scores_of_pairs_of_classes(self, n_classes):
        # Three classes make three pairs, so that the shape does not show it.
        y = np.tile(np.arange(n_classes), 5)
        X = np.arange(len(y), dtype=float).reshape(-1, 1)
        model = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo")).fit(X, y)
        with pytest.raises(
            ValueError, match=r"SVC gives a score for each pair of classes.*decision_function_shape='ovr'"
        ):
            map_at_k_scorer(model, X, y)

    def test_probabilities_for_classes_in_their_order(self):
        probabilities = np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]])
        model = Answers(predict_proba=probabilities, classes_=np.array(["c", "a", "b"]))
        model.__class__ = type("AnswersClassifier", (ClassifierMixin, Answers), {})
        # "b" has the third column, "c" the first.
        assert mrr_at_k_scorer(model, np.zeros((2, 1)), np.array(["b", "c"])) == pytest.approx((1 / 3 + 1) / 2)

    def test_folds_that_lack_classes(self):
        X = np.repeat([[0.0], [1.0], [2.0], [3.0]], 3, axis=0)
        y = np.repeat(["a", "b", "c", "d"], 3)
        scores = cross_val_score(KNeighborsClassifier(1), X, y, scoring=map_at_k_scorer, cv=KFold(4))
        np.testing.assert_array_equal(scores, np.zeros(4))  # each fold's class is one that training never saw
        scores = cross_val_score(KNeighborsClassifier(1), X, y, scoring=map_at_k_scorer, cv=KFold(2))
        np.testing.assert_array_equal(scores, np.zeros(2))


def hit_rate_scorer_at(k):
    return make_rank_scorer(hit_rate_at_k, k)


class TestRegressors:
    def test_matrix_targets(self):
        X, Y, train, test = ragged_problem()
        for model in (Ridge(), DecisionTreeRegressor(max_depth=2), KNeighborsRegressor(3)):
            model.fit(X[train], Y[train])
            expected = map_at_k(Y[test], model.predict(X[test]), 10)
            assert map_at_k_scorer(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)

    def test_scores_beyond_zero_and_one(self):
        model = Answers(predict=np.array([[-3.0, 7.5, 0.0]]))
        assert mrr_at_k_scorer(model, np.zeros((1, 1)), np.array([[0, 0, 1]])) == 1 / 2

    def test_grades(self, rng):
        X = rng.normal(size=(20, 2))
        Y = rng.integers(0, 4, (20, 5))
        model = LinearRegression().fit(X, Y)
        expected = ndcg_at_k(Y, model.predict(X), 3)
        assert make_rank_scorer("ndcg@3")(model, X, Y) == pytest.approx(expected, rel=1e-14)
        expected = ndcg_at_k(Y, model.predict(X), gain="exponential")
        assert make_rank_scorer(ndcg_at_k, None, gain="exponential")(model, X, Y) == pytest.approx(expected, rel=1e-14)

    def test_threshold(self, rng):
        X = rng.normal(size=(20, 2))
        Y = rng.integers(0, 4, (20, 5))
        model = LinearRegression().fit(X, Y)
        expected = map_at_k((Y >= 2).astype(int), model.predict(X), 10)
        scorer = make_rank_scorer("map@10", relevance_threshold=2)
        assert scorer(model, X, Y) == pytest.approx(expected, rel=1e-14)

    def test_wrong_shape(self):
        model = Answers(predict=np.zeros(3))
        with pytest.raises(ValueError, match=r"predict of Answers returned shape \(3, 1\); wanted is \(3, 2\)"):
            map_at_k_scorer(model, np.zeros((3, 1)), np.array([[0, 1]] * 3))


class TestOtherMultilabelEstimators:
    @pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
    def test_classifier_chain(self, order):
        X, Y, _, _ = ragged_problem(0)
        Y = Y[:, :3]
        chain = ClassifierChain(LogisticRegression(), order=order).fit(X, Y)
        expected = map_at_k(Y, chain.predict_proba(X), 2)
        assert make_rank_scorer("map@2")(chain, X, Y) == pytest.approx(expected, rel=1e-14)
        # Its columns are the labels, whatever the order in which they were learnt.
        assert expected > map_at_k(Y, chain.predict_proba(X)[:, [1, 2, 0]], 2)

    @pytest.mark.filterwarnings(CONSTANT_LABEL)
    def test_chain_that_met_a_constant_label(self):
        X, Y, train, test = ragged_problem()
        chain = ClassifierChain(OneVsRestClassifier(LogisticRegression())).fit(X[train], Y[train])
        assert 0 < map_at_k_scorer(chain, X[test], Y[test]) < 1

    def test_classifiers_that_only_predict(self):
        # The labels are scores with ties: [1, 0, 0, 1] as in the first case by hand.
        model = MultiOutputClassifier(RidgeClassifier()).fit(LINE, LINE_Y[:, [0, 2]])
        assert not hasattr(model, "predict_proba")
        assert not hasattr(model, "decision_function")
        predicted = model.predict(LINE)
        expected = map_at_k(LINE_Y[:, [0, 2]], predicted, 10)
        assert map_at_k_scorer(model, LINE, LINE_Y[:, [0, 2]]) == pytest.approx(expected)

    def test_predict_on_request(self):
        model = KNeighborsClassifier(1).fit(LINE, LINE_Y)
        scorer = make_rank_scorer("map@10", response_method="predict")
        assert scorer(model, LINE[:1], np.array([[1, 1, 0, 0]])) == pytest.approx(2 / 3)

    def test_scores_go_before_labels(self):
        probabilities = [np.array([[0.6, 0.4]]), np.array([[0.9, 0.1]])]
        classes = [np.array([0, 1])] * 2
        model = Answers(predict_proba=probabilities, predict=np.array([[0, 1]]), classes_=classes)
        assert mrr_at_k_scorer(model, np.zeros((1, 1)), np.array([[1, 0]])) == 1.0

    def test_own_order_of_methods(self):
        model = Answers(predict=np.array([[0.1, 0.9]]), decision_function=np.array([[0.9, 0.1]]))
        truth = np.array([[1, 0]])
        assert mrr_at_k_scorer(model, np.zeros((1, 1)), truth) == 1.0
        by_predict = make_rank_scorer("mrr@10", response_method=["predict", "decision_function"])
        assert by_predict(model, np.zeros((1, 1)), truth) == 1 / 2

    def test_no_method(self):
        with pytest.raises(
            AttributeError, match="Answers has none of the methods predict_proba, decision_function, predict"
        ):
            map_at_k_scorer(Answers(), LINE, LINE_Y)


class TestBinary:
    """Binary 1-D y: the samples of the fold are one ranking."""

    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    Y_TRAIN = np.array([0, 0, 0, 1, 1])
    TRUTH = np.array([1, 0, 0, 1, 0])  # by descending score: 0 1 0 0 1

    @pytest.mark.parametrize(
        "model", [LogisticRegression(), LinearSVC(), GaussianNB()], ids=lambda model: type(model).__name__
    )
    def test_share_of_right_leads(self, model):
        model.fit(self.X, self.Y_TRAIN)
        assert make_rank_scorer("precision@2")(model, self.X, self.TRUTH) == 1 / 2
        assert make_rank_scorer("precision@3")(model, self.X, self.TRUTH) == pytest.approx(1 / 3)
        assert map_at_k_scorer(model, self.X, self.TRUTH) == pytest.approx((1 / 2 + 2 / 5) / 2)

    @pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
    def test_methods(self, method):
        model = LogisticRegression().fit(self.X, self.Y_TRAIN)
        scorer = make_rank_scorer("map@10", response_method=method)
        assert scorer(model, self.X, self.TRUTH) == pytest.approx((1 / 2 + 2 / 5) / 2)

    def test_predicted_labels_are_scores_with_ties(self):
        model = LogisticRegression().fit(self.X, self.Y_TRAIN)
        assert model.predict(self.X).tolist() == [0, 0, 0, 1, 1]
        # One hit on ranks 1 and 2, the other on ranks 3 to 5.
        scorer = make_rank_scorer("mrr@10", response_method="predict")
        assert scorer(model, self.X, self.TRUTH) == pytest.approx((1 + 1 / 2) / 2)

    @pytest.mark.parametrize("method", ["predict_proba", "decision_function", "predict"])
    def test_pos_label_may_be_the_first_class(self, method):
        words = np.where(self.Y_TRAIN == 1, "b", "a")
        model = LogisticRegression().fit(self.X, words)
        truth = np.array(["a", "b", "a", "b", "b"])
        scorer = make_rank_scorer("precision@1", pos_label="a", response_method=method)
        # Ascending: a b a b b; by labels the first three are tied, two of them "a".
        assert scorer(model, self.X, truth) == pytest.approx(2 / 3 if method == "predict" else 1.0)
        other = make_rank_scorer("precision@2", pos_label="b", response_method=method)
        assert other(model, self.X, truth) == 1.0

    def test_pos_label_zero(self):
        model = LogisticRegression().fit(self.X, self.Y_TRAIN)
        # Ascending, what is 0: 0 1 1 0 1.
        assert make_rank_scorer("mrr@10", pos_label=0)(model, self.X, self.TRUTH) == 1 / 2

    def test_words_without_pos_label(self):
        model = LogisticRegression().fit(self.X, np.where(self.Y_TRAIN == 1, "b", "a"))
        with pytest.raises(
            ValueError, match=r"`y` has the classes \['a', 'b'\]: name the positive one with `pos_label`"
        ):
            precision_at_k_scorer(model, self.X, np.array(["a", "b", "a", "b", "b"]))

    def test_unknown_pos_label(self):
        model = LogisticRegression().fit(self.X, self.Y_TRAIN)
        with pytest.raises(ValueError, match=r"`pos_label`=2 is none of the classes \[0, 1\]"):
            make_rank_scorer("map@10", pos_label=2)(model, self.X, self.TRUTH)

    @pytest.mark.parametrize("classes", [(False, True), (-1, 1)])
    def test_other_pairs_of_classes(self, classes):
        model = LogisticRegression().fit(self.X, np.array(classes)[self.Y_TRAIN])
        assert make_rank_scorer("map@10")(model, self.X, np.array(classes)[self.TRUTH]) == pytest.approx(9 / 20)

    def test_fold_of_one_class(self):
        model = LogisticRegression().fit(self.X, self.Y_TRAIN)
        assert make_rank_scorer("precision@2")(model, self.X, np.ones(5, int)) == 1.0
        assert make_rank_scorer("precision@2")(model, self.X, np.zeros(5, int)) == 0.0

    def test_groups(self):
        model = LogisticRegression().fit(self.X, self.Y_TRAIN)
        # Group p holds scores 0 and 1 with the hit below, group q scores 2, 3, 4 with the hit in the middle.
        value = mrr_at_k_scorer(model, self.X, self.TRUTH, groups=["p", "p", "q", "q", "q"])
        assert value == 1 / 2
        with pytest.raises(ValueError, match=r"`groups` needs one score a row, and .* 3 classes: use a ranker"):
            mrr_at_k_scorer(KNeighborsClassifier(1).fit(LINE, [0, 1, 2]), LINE, np.array([0, 1, 2]), groups=[1, 1, 2])

    def test_cross_val_score(self):
        X = np.tile(self.X, (4, 1))
        y = np.tile(self.Y_TRAIN, 4)
        scores = cross_val_score(LogisticRegression(), X, y, scoring=make_rank_scorer("precision@4"), cv=2)
        np.testing.assert_array_equal(scores, [1.0, 1.0])


def queries():
    """Scores, grades and query ids of three queries whose rows are mixed: reciprocal ranks 1/4, 1 and 1/2."""
    scores = np.array([9, 5, 8, 4, 7, 3, 6, 2, 1], dtype=float)
    query = np.array([10, 20, 10, 30, 10, 20, 10, 30, 30])
    relevant = np.array([0, 1, 0, 0, 0, 0, 1, 1, 0])
    return scores, query, relevant


RECIPROCAL_RANKS = (1 / 4 + 1 + 1 / 2) / 3


class TestGroups:
    def test_refusal_says_how(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query))
        for model in (FirstColumn().fit(X), LinearRegression().fit(X, y)):
            name = type(model).__name__
            with pytest.raises(ValueError, match=f"^{name} gives one score a row, and without groups") as caught:
                mrr_at_k_scorer(model, X, y)
            for way in ("set_score_request(groups=True)", "params={'groups': ids}", "groups='qid'", "groups=3"):
                assert way in str(caught.value)

    def test_refusal_reaches_the_user_of_cross_val_score(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query))
        with pytest.warns(UserWarning, match=r"Scoring failed[\s\S]*set_score_request\(groups=True\)"):
            found = cross_val_score(FirstColumn(), X, y, scoring=mrr_at_k_scorer, cv=KFold(2))
        assert np.isnan(found).all()

    def test_given_by_hand(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query))
        assert mrr_at_k_scorer(FirstColumn(), X, y, groups=query) == pytest.approx(RECIPROCAL_RANKS)

    @pytest.mark.parametrize("column", ["qid", 1, -1, np.int64(0) + 1], ids=repr)
    def test_pandas(self, column):
        scores, query, y = queries()
        X = pd.DataFrame({"score": scores, "qid": [f"q{q}" for q in query]}, index=np.arange(9)[::-1])
        scorer = make_rank_scorer("mrr@10", groups=column)
        assert scorer(FirstColumn(), X, pd.Series(y)) == pytest.approx(RECIPROCAL_RANKS)

    @pytest.mark.parametrize("column", ["qid", 1])
    def test_polars(self, column):
        pl = pytest.importorskip("polars")
        scores, query, y = queries()
        X = pl.DataFrame({"score": scores, "qid": [f"q{q}" for q in query]})
        scorer = make_rank_scorer("mrr@10", groups=column)
        assert scorer(FirstColumn(), X, pl.Series(y)) == pytest.approx(RECIPROCAL_RANKS)

    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csc_array], ids=lambda c: c.__name__)
    @pytest.mark.parametrize("position", [1, -1])
    def test_position(self, container, position):
        scores, query, y = queries()
        X = container(np.column_stack((scores, query)))
        scorer = make_rank_scorer("mrr@10", groups=position)
        assert scorer(FirstColumn(), X, y) == pytest.approx(RECIPROCAL_RANKS)

    def test_position_in_a_list(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query)).tolist()
        model = LinearRegression().fit(X, scores)  # learns the first column
        assert make_rank_scorer("mrr@10", groups=1)(model, X, list(y)) == pytest.approx(RECIPROCAL_RANKS)

    def test_column_errors(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query))
        with pytest.raises(ValueError, match=r"`groups`=2 is no column of X, which has 2"):
            make_rank_scorer("mrr@10", groups=2)(FirstColumn(), X, y)
        with pytest.raises(
            ValueError, match=r"`groups`='qid' is the name of a column, but X is a ndarray without names"
        ):
            make_rank_scorer("mrr@10", groups="qid")(FirstColumn(), X, y)
        with pytest.raises(ValueError, match=r"`groups`='qid' is no column of X; it has 'a', 'b'"):
            make_rank_scorer("mrr@10", groups="qid")(FirstColumn(), pd.DataFrame(X, columns=["a", "b"]), y)

    def test_column_and_routing_together(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query))
        with pytest.raises(ValueError, match=r"takes its groups from X and was given `groups` by routing, too"):
            make_rank_scorer("mrr@10", groups=1)(FirstColumn(), X, y, groups=query)

    def test_by_routing(self):
        scores, query, y = queries()
        X, y = np.tile(np.column_stack((scores, query)), (2, 1)), np.tile(y, 2)
        ids = np.concatenate((query, query + 1))
        X[:, 1] = 0  # the ids come from outside alone
        folds = [(np.arange(9, 18), np.arange(9)), (np.arange(9), np.arange(9, 18))]
        with config_context(enable_metadata_routing=True):
            scorer = mrr_at_k_scorer.set_score_request(groups=True)
            found = cross_val_score(FirstColumn(), X, y, scoring=scorer, cv=folds, params={"groups": ids})
            np.testing.assert_allclose(found, [RECIPROCAL_RANKS] * 2)
            found = cross_val_score(FirstColumn(), X, y, scoring=scorer, cv=GroupKFold(6), params={"groups": ids})
            assert sorted(found) == pytest.approx([1 / 4, 1 / 4, 1 / 2, 1 / 2, 1, 1])
            aliased = mrr_at_k_scorer.set_score_request(groups="query")
            found = cross_val_score(FirstColumn(), X, y, scoring=aliased, cv=folds, params={"query": ids})
            np.testing.assert_allclose(found, [RECIPROCAL_RANKS] * 2)

    def test_column_needs_no_routing(self):
        scores, query, y = queries()
        X = pd.DataFrame({"score": scores, "qid": query})
        folds = [(np.arange(9), np.arange(9))]
        for routing in (False, True):
            with config_context(enable_metadata_routing=routing):
                scorer = make_rank_scorer("mrr@10", groups="qid")
                found = cross_val_score(FirstColumn(), X, y, scoring=scorer, cv=folds, params={})
            assert found == pytest.approx([RECIPROCAL_RANKS])

    def test_rank_scorers(self):
        scores, query, y = queries()
        X = pd.DataFrame({"score": scores, "qid": query})
        found = rank_scorers(["mrr@10", "precision@1"], groups="qid")(FirstColumn(), X, y)
        assert found == pytest.approx({"mrr@10": RECIPROCAL_RANKS, "precision@1": 1 / 3})

    def test_weights_go_with_the_rows(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query))
        weight = np.where(query == 10, 2.0, np.where(query == 20, 1.0, 0.0))
        value = make_rank_scorer("mrr@10", groups=1)(FirstColumn(), X, y, sample_weight=weight)
        assert value == pytest.approx((2 * 1 / 4 + 1 * 1) / 3)

    def test_response_of_wrong_shape(self):
        with pytest.raises(ValueError, match=r"predict of Answers returned shape \(3, 2\); wanted is \(n_samples,\)"):
            mrr_at_k_scorer(Answers(predict=np.zeros((3, 2))), LINE, np.array([0, 1, 0]), groups=[1, 1, 1])

    def test_one_column_is_one_score_a_row(self):
        model = Answers(predict=np.array([[3.0], [2.0], [1.0]]))
        assert mrr_at_k_scorer(model, LINE, np.array([0, 1, 0]), groups=[1, 1, 1]) == 1 / 2


class Bare:
    """No BaseEstimator, no tags."""

    classes_ = np.array([0, 1, 2])

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.tile([0.5, 0.3, 0.2], (len(X), 1))


class TestEstimatorsWithoutTags:
    TRUTH = np.array([0, 1, 2])

    def test_alone(self):
        assert mrr_at_k_scorer(Bare(), LINE, self.TRUTH) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)

    def test_in_a_dict(self):
        scorers = check_scoring(scoring={"mrr": mrr_at_k_scorer, "hit": hit_rate_scorer_at(2)})
        assert scorers(Bare(), LINE, self.TRUTH) == pytest.approx({"mrr": 11 / 18, "hit": 2 / 3})

    def test_ranker(self):
        class BareRanker:
            def predict(self, X):
                return X[:, 0]

        assert mrr_at_k_scorer(BareRanker(), LINE, np.array([1, 0, 0]), groups=[5, 5, 5]) == pytest.approx(1 / 3)


class TestRouting:
    def test_request_makes_a_copy(self):
        def requests(scorer):
            return dict(scorer.get_metadata_routing().score.requests)

        with config_context(enable_metadata_routing=True):
            before = requests(map_at_k_scorer)
            assert before == {"groups": None, "sample_weight": None}
            changed = map_at_k_scorer.set_score_request(sample_weight=True)
            assert changed is not map_at_k_scorer
            assert type(changed) is type(map_at_k_scorer)
            assert requests(changed) == {"groups": None, "sample_weight": True}
            again = changed.set_score_request(groups="qid")
            assert requests(again) == {"groups": "qid", "sample_weight": True}
            assert requests(changed) == {"groups": None, "sample_weight": True}
            assert requests(map_at_k_scorer) == before
            taken_back = again.set_score_request(sample_weight=False)
            assert requests(taken_back) == {"groups": "qid", "sample_weight": False}
        assert changed.__dict__ != {}
        assert make_rank_scorer("map@3", groups="qid").get_metadata_routing().score.requests == {"sample_weight": None}

    def test_unknown_request(self):
        with config_context(enable_metadata_routing=True):
            with pytest.raises(TypeError, match=r"can be given sample_weight, groups by metadata routing, not qid"):
                map_at_k_scorer.set_score_request(qid=True)
            with pytest.raises(TypeError, match=r"can be given sample_weight by metadata routing, not groups"):
                make_rank_scorer("map@3", groups="qid").set_score_request(groups=True)

    def test_request_with_routing_off_is_scikit_learns_error(self):
        with pytest.raises(RuntimeError, match="only available when metadata routing is enabled"):
            map_at_k_scorer.set_score_request(sample_weight=True)

    def test_weights(self):
        X, Y, _, _ = ragged_problem()
        weight = np.linspace(0, 1, len(X))
        model = KNeighborsClassifier(3)
        expected = []
        for train, test in KFold(3).split(X):
            fitted = clone(model).fit(X[train], Y[train])
            expected.append(map_at_k(Y[test], hand_aligned(fitted, X[test]), 10, sample_weight=weight[test]))
        with config_context(enable_metadata_routing=True):
            scorer = map_at_k_scorer.set_score_request(sample_weight=True)
            found = cross_val_score(model, X, Y, scoring=scorer, cv=KFold(3), params={"sample_weight": weight})
            np.testing.assert_allclose(found, expected)
            search = GridSearchCV(model, {"n_neighbors": [3]}, scoring=scorer, cv=KFold(3))
            search.fit(X, Y, sample_weight=weight)
            assert search.best_score_ == pytest.approx(np.mean(expected))
            both = rank_scorers(["map@10", "mrr@10"]).set_score_request(sample_weight=True)
            found = cross_validate(model, X, Y, scoring=both, cv=KFold(3), params={"sample_weight": weight})
            np.testing.assert_allclose(found["test_map@10"], expected)

    def test_unrequested_metadata_is_scikit_learns_error(self):
        X, Y, _, _ = ragged_problem()
        with (
            config_context(enable_metadata_routing=True),
            pytest.raises(UnsetMetadataPassedError, match="sample_weight"),
        ):
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=map_at_k_scorer, params={"sample_weight": X[:, 0]})

    def test_refused_metadata_is_not_given(self):
        X, Y, _, _ = ragged_problem()
        weight = np.linspace(1, 9, len(X))
        expected = []
        for train, test in KFold(3).split(X):
            fitted = Ridge().fit(X[train], Y[train], sample_weight=weight[train])
            expected.append(map_at_k(Y[test], fitted.predict(X[test]), 10))
        with config_context(enable_metadata_routing=True):
            model = Ridge().set_fit_request(sample_weight=True)
            scorer = map_at_k_scorer.set_score_request(sample_weight=False)
            found = cross_val_score(model, X, Y, scoring=scorer, cv=KFold(3), params={"sample_weight": weight})
        np.testing.assert_allclose(found, expected)

    def test_groups_through_a_search(self):
        scores, query, y = queries()
        X, y, ids = np.tile(np.column_stack((scores, query)), (2, 1)), np.tile(y, 2), np.concatenate((query, query + 1))
        with config_context(enable_metadata_routing=True):
            scorer = mrr_at_k_scorer.set_score_request(groups=True)
            search = GridSearchCV(FirstColumn(), {"n_columns": [2]}, scoring=scorer, cv=GroupKFold(2))
            found = cross_val_score(search, X, y, scoring=scorer, cv=GroupKFold(6), params={"groups": ids})
        assert sorted(found) == pytest.approx([1 / 4, 1 / 4, 1 / 2, 1 / 2, 1, 1])


def refused(error, message, make, *args, **options):
    """A call that fails, named by its arguments."""
    return pytest.param(partial(make, *args, **options), error, message, id=f"{make.__name__}{args}{options or ''}")


class TestMaking:
    @pytest.mark.parametrize(
        ("make", "error", "message"),
        [
            refused(ValueError, r"`metric`='map@5' names its own k, got k=3", make_rank_scorer, "map@5", k=3),
            refused(ValueError, r"`metric`='map@5' names its own k, got k=None", make_rank_scorer, "map@5", k=None),
            refused(ValueError, r"r_precision takes no k, got k=10", make_rank_scorer, "r_precision", k=10),
            refused(ValueError, r"r_precision takes no k, got k=3", make_rank_scorer, sklearn_rank.r_precision, 3),
            refused(ValueError, r"r_precision takes no k, got 'r_precision@3'", make_rank_scorer, "r_precision@3"),
            refused(ValueError, r"`k` must be an integer of at least 1 or None, got 0", make_rank_scorer, "map", k=0),
            refused(TypeError, r"`k` must be an integer .* got 2\.0 \(float\)", make_rank_scorer, "map", k=2.0),
            refused(ValueError, r"`k` must be an integer of at least 1", make_rank_scorer, "map@0"),
            refused(ValueError, r"k of 'map@x' must be an integer of at least 1, got 'x'", make_rank_scorer, "map@x"),
            refused(ValueError, r"k of 'map@' must be an integer of at least 1, got ''", make_rank_scorer, "map@"),
            refused(ValueError, r"k of 'map@-1' must be an integer of at least 1", make_rank_scorer, "map@-1"),
            refused(ValueError, r"Unknown metric 'ncdg@10': did you mean 'ndcg'\?", make_rank_scorer, "ncdg@10"),
            refused(
                ValueError, r"did you mean 'map'\? Known are dcg, err, f1, hit_rate, map, mrr", make_rank_scorer, "map_at_k"
            ),
            refused(ValueError, r"did you mean 'ndcg'", make_rank_scorer, "NDCG@10"),
            refused(
                ValueError,
                r"`metric` must be a metric of sklearn_rank .*<built-in function len>",
                make_rank_scorer,
                len,
            ),
            refused(
                TypeError, r"`metric` must be a function of sklearn_rank or a text .* got int", make_rank_scorer, 10
            ),
            refused(TypeError, r"map_at_k has no keyword tie; it has .*ties", make_rank_scorer, "map@5", tie="first"),
            refused(TypeError, r"map_at_k has no keyword gain", make_rank_scorer, "map@5", gain="linear"),
            refused(
                TypeError, r"ndcg_at_k has no keyword relevance", make_rank_scorer, "ndcg@5", relevance_threshold=1
            ),
            refused(ValueError, r"`average` can only be 'samples'", make_rank_scorer, "map@5", average=None),
            refused(
                ValueError, r"`ties` must be one of 'average', .*'random'", make_rank_scorer, "map@5", ties="random"
            ),
            refused(ValueError, r"`denominator` must be one of .*got 'K'", make_rank_scorer, "map@5", denominator="K"),
            refused(ValueError, r"`gain` must be one of .*got 'log'", make_rank_scorer, "ndcg@5", gain="log"),
            refused(
                TypeError, r"`zero_division` must be a finite number", make_rank_scorer, "map@5", zero_division="warn"
            ),
            refused(
                TypeError, r"`relevance_threshold` must be a finite", make_rank_scorer, "map@5", relevance_threshold="2"
            ),
            refused(
                TypeError, r"`sample_weight` reaches a scorer by metadata", make_rank_scorer, "map@5", sample_weight=[1]
            ),
            refused(
                ValueError, r"`batch_size` must be an integer of at least 1", make_rank_scorer, "map@5", batch_size=0
            ),
            refused(
                TypeError, r"`batch_size` must be an integer .* got 2\.5", make_rank_scorer, "map@5", batch_size=2.5
            ),
            refused(TypeError, r"`groups`", make_rank_scorer, "map@5", groups=[1, 1, 2]),
            refused(TypeError, r"`compute` is for the functions", make_rank_scorer, "map@5", compute=False),
            refused(ValueError, r"asks for 'map@5' more than once", rank_scorers, ["map@5", "map@5"]),
            refused(TypeError, r"`metrics` must be a list such as .* got 'map@5'", rank_scorers, "map@5"),
            refused(ValueError, r"`metrics` must name at least one metric", rank_scorers, []),
            refused(ValueError, r"Unknown metric 'foo'", rank_scorers, ["map@5", "foo"]),
            refused(TypeError, r"\('map@10', \{'denominator': 'k'\}\)", rank_scorers, ["map@5"], denominator="k"),
            refused(ValueError, r"`average` can only be 'samples'", rank_scorers, ["map@5"], average=None),
            refused(ValueError, r"`ties` must be one of", rank_scorers, ["map@5"], ties="random"),
        ],
    )
    def test_fails_at_once(self, make, error, message):
        with pytest.raises(error, match=message):
            make()

    def test_message_lists_all_metrics(self):
        with pytest.raises(ValueError, match="Unknown metric 'foo'") as caught:
            make_rank_scorer("foo")
        for name in METRICS:
            assert name in str(caught.value)

    def test_equal_k_beside_the_text(self):
        assert repr(make_rank_scorer("map@5", k=5)) == repr(make_rank_scorer("map@5"))

    def test_err_needs_its_scale(self):
        with pytest.raises(ValueError, match=r"err needs `max_grade` here: .* Pass max_grade=4, .* as \('err', \{'max_grade': 4\}\)"):
            make_rank_scorer("err@5")
        with pytest.raises(ValueError, match=r"err needs `max_grade` here"):
            rank_scorers(["map@5", "err@5"])
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(5).fit(X[train], Y[train])
        expected = err_at_k(Y[test], hand_aligned(model, X[test]), 5, max_grade=3)
        assert make_rank_scorer("err@5", max_grade=3)(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)
        both = rank_scorers([("err@5", {"max_grade": 3}), "rbp"])(model, X[test], Y[test])
        assert both["err@5(max_grade=3)"] == pytest.approx(expected, rel=1e-14)
        assert both["rbp"] == pytest.approx(rbp_scorer(model, X[test], Y[test]), rel=1e-14)

    def test_average_samples_is_what_it_does(self):
        assert repr(make_rank_scorer("map@5", average="samples")) == repr(make_rank_scorer("map@5"))

    @pytest.mark.parametrize("name", sorted(name for name, metric in METRICS.items() if metric.from_data is None))
    def test_ready_scorers_have_k_10(self, name):
        X, Y, train, test = ragged_problem()
        Y = np.hstack((Y, 1 - Y, Y[:, ::-1]))  # 15 labels, so that the tenth rank cuts
        model = KNeighborsClassifier(5).fit(X[train], Y[train])
        metric = METRICS[name]
        scorer = getattr(sklearn_rank, f"{metric.function.__name__}_scorer")
        k = (10,) if metric.takes_k else ()
        expected = metric.function(Y[test], hand_aligned(model, X[test]), *k)
        assert scorer(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)
        for made in (make_rank_scorer(name), make_rank_scorer(metric.function)):
            assert made(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)
        if metric.takes_k:
            whole = metric.function(Y[test], hand_aligned(model, X[test]))
            assert make_rank_scorer(name, None)(model, X[test], Y[test]) == pytest.approx(whole, rel=1e-14)

    @pytest.mark.parametrize(
        "options", [{"ties": "first"}, {"ties": "best"}, {"zero_division": 1.0}, {"denominator": "k"}, {"n_jobs": 2}]
    )
    def test_options_reach_the_metric(self, options):
        X, Y, train, test = ragged_problem()
        Y[-1] = 0
        model = KNeighborsClassifier(2).fit(X[train], Y[train])
        expected = map_at_k(Y[test], hand_aligned(model, X[test]), 2, **options)
        plain = map_at_k(Y[test], hand_aligned(model, X[test]), 2)
        assert (expected == plain) == ("n_jobs" in options)
        assert make_rank_scorer("map@2", **options)(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)


REPRESENTATIONS = {
    "make_rank_scorer('map@10')": map_at_k_scorer,
    "make_rank_scorer('r_precision')": r_precision_scorer,
    "make_rank_scorer('map', k=None)": make_rank_scorer(map_at_k, k=None),
    "make_rank_scorer('ndcg@3', groups='qid', gain='exponential')": make_rank_scorer(
        "ndcg@3", gain="exponential", groups="qid"
    ),
    "make_rank_scorer('map@5', response_method='predict', pos_label='buy', ties='first')": make_rank_scorer(
        "map", 5, ties="first", pos_label="buy", response_method="predict"
    ),
    "rank_scorers(['map@10', 'mrr'])": rank_scorers(("map@10", "mrr")),
}


class TestAsAnObject:
    @pytest.mark.parametrize("text", REPRESENTATIONS)
    def test_repr_makes_it_again(self, text):
        assert repr(REPRESENTATIONS[text]) == text
        again = eval(text, {"make_rank_scorer": make_rank_scorer, "rank_scorers": rank_scorers})
        assert repr(again) == text

    def test_repr_with_requests_of_their_own(self):
        scorer = rank_scorers([("map@10", {"denominator": "k"}), ("map@10", {}, "usual")], ties="first")
        assert repr(scorer).startswith("rank_scorers([")
        assert repr(scorer).endswith("], ties='first')")
        for shown in ("map@10", "denominator", "usual"):
            assert shown in repr(scorer)

    @pytest.mark.parametrize(
        "copied",
        [lambda s: pickle.loads(pickle.dumps(s)), copy.deepcopy, copy.copy],
        ids=["pickle", "deepcopy", "copy"],
    )
    @pytest.mark.parametrize(
        "scorer",
        [map_at_k_scorer, make_rank_scorer("map@1", ties="worst"), rank_scorers(["map@10", "mrr@10"])],
        ids=repr,
    )
    def test_copies(self, copied, scorer):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        twin = copied(scorer)
        assert twin is not scorer
        assert repr(twin) == repr(scorer)
        assert twin(model, X[test], Y[test]) == scorer(model, X[test], Y[test])

    def test_copies_keep_their_requests(self):
        with config_context(enable_metadata_routing=True):
            scorer = map_at_k_scorer.set_score_request(groups="qid", sample_weight=True)
            for twin in (pickle.loads(pickle.dumps(scorer)), copy.deepcopy(scorer)):
                assert twin.get_metadata_routing().score.requests == {"groups": "qid", "sample_weight": True}

    def test_clone_of_a_search(self):
        scorer = make_rank_scorer("map@3", ties="first")
        search = clone(GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]}, scoring=scorer))
        assert repr(search.scoring) == repr(scorer)
        assert "map@3" in repr(search)

    def test_metrics_given_by_a_generator(self):
        scorer = rank_scorers(f"map@{k}" for k in (1, 2))
        model = KNeighborsClassifier(1).fit(LINE, LINE_Y)
        assert list(scorer(model, LINE, LINE_Y)) == list(scorer(model, LINE, LINE_Y)) == ["map@1", "map@2"]

    def test_data_are_not_written_to(self, read_only):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        expected = map_at_k_scorer(model, X[test], Y[test])
        assert map_at_k_scorer(model, read_only(X[test]), read_only(Y[test])) == expected


@pytest.mark.filterwarnings(CONSTANT_LABEL)
class TestBatches:
    @pytest.mark.parametrize("batch_size", [1, 3, 16, 100])
    @pytest.mark.parametrize(
        "model",
        [KNeighborsClassifier(3), Ridge(), OneVsRestClassifier(LogisticRegression())],
        ids=lambda model: type(model).__name__,
    )
    def test_label_matrix(self, batch_size, model):
        X, Y, train, test = ragged_problem()
        model.fit(X[train], Y[train])
        for options in ({}, {"zero_division": np.nan}, {"ties": "first", "denominator": "k"}):
            whole = make_rank_scorer("map@2", **options)(model, X[test], Y[test])
            parts = make_rank_scorer("map@2", batch_size=batch_size, **options)(model, X[test], Y[test])
            assert parts == pytest.approx(whole, rel=1e-13)

    def test_decision_values_of_constant_labels(self):
        X, Y, train, test = ragged_problem()
        model = OneVsRestClassifier(LinearSVC()).fit(X[train], Y[train])
        batched = make_rank_scorer("map@10", batch_size=5)
        assert batched(model, X[test], Y[test]) == pytest.approx(map_at_k_scorer(model, X[test], Y[test]), rel=1e-13)

    def test_weights(self):
        X, Y, train, test = ragged_problem()
        weight = np.linspace(0, 3, 16)
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        whole = map_at_k_scorer(model, X[test], Y[test], sample_weight=weight)
        parts = make_rank_scorer("map@10", batch_size=5)(model, X[test], Y[test], sample_weight=weight)
        assert parts == pytest.approx(whole, rel=1e-13)

    def test_several_metrics(self):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        whole = rank_scorers(["map@2", "mrr"])(model, X[test], Y[test])
        parts = rank_scorers(["map@2", "mrr"], batch_size=5)(model, X[test], Y[test])
        assert parts == pytest.approx(whole, rel=1e-13)
        assert list(parts) == list(whole)

    def test_one_ranking(self, rng):
        X = rng.normal(size=(30, 2))
        y = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
        model = LogisticRegression().fit(X, y)
        for k in (3, 30):
            whole = make_rank_scorer("map", k)(model, X, y)
            assert make_rank_scorer("map", k, batch_size=7)(model, X, y) == pytest.approx(whole, rel=1e-13)
        whole = rank_scorers(["map@3", "precision@5"])(model, X, y)
        assert rank_scorers(["map@3", "precision@5"], batch_size=7)(model, X, y) == pytest.approx(whole, rel=1e-13)

    def test_one_ranking_with_weights(self, rng):
        """One ranking has one weight, so the weights of its rows change nothing."""
        X = rng.normal(size=(30, 2))
        y = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
        model = LogisticRegression().fit(X, y)
        weight = rng.random(30) + 0.5
        whole = make_rank_scorer("map@7")(model, X, y, sample_weight=weight)
        assert whole == pytest.approx(make_rank_scorer("map@7")(model, X, y))
        assert make_rank_scorer("map@7", batch_size=4)(model, X, y, sample_weight=weight) == pytest.approx(whole)

    @pytest.mark.parametrize("truth", [[0, 1, 0, 1, 2, 2], [2, 2, 0, 1, 0, 1]])
    def test_batches_that_lack_the_class_that_decides(self, truth):
        """The first or last batch alone looks like a binary problem; the fold is not one."""
        X = np.arange(6.0).reshape(-1, 1)
        model = KNeighborsClassifier(1).fit(X, [0, 1, 0, 1, 0, 1])
        truth = np.array(truth)
        whole = make_rank_scorer("map@2")(model, X, truth)
        assert whole == pytest.approx(
            np.mean([0.0 if value == 2 else 1.0 if value == place % 2 else 0.5 for place, value in enumerate(truth)])
        )
        assert make_rank_scorer("map@2", batch_size=2)(model, X, truth) == pytest.approx(whole)

    def test_batches_of_one_class(self):
        X = np.arange(6.0).reshape(-1, 1)
        model = KNeighborsClassifier(1).fit(X, [0, 0, 0, 1, 1, 1])
        truth = np.array([0, 1, 0, 0, 1, 1])
        whole = make_rank_scorer("map@3")(model, X, truth)
        assert make_rank_scorer("map@3", batch_size=1)(model, X, truth) == pytest.approx(whole)

    def test_words_absent_from_a_batch(self):
        words = np.array([["buy", "skip"], ["skip", "buy"], ["skip", "skip"]])
        model = KNeighborsClassifier(1).fit(LINE, words)
        whole = make_rank_scorer("map@2", pos_label="buy")(model, LINE, words)
        assert whole == pytest.approx(2 / 3)
        assert make_rank_scorer("map@2", pos_label="buy", batch_size=1)(model, LINE, words) == pytest.approx(whole)

    def test_grades_in_batches(self, rng):
        X = rng.normal(size=(20, 2))
        Y = rng.integers(0, 4, (20, 5))
        model = LinearRegression().fit(X, Y)
        expected = make_rank_scorer("ndcg@3")(model, X, Y)
        assert make_rank_scorer("ndcg@3", batch_size=6)(model, X, Y) == pytest.approx(expected, rel=1e-13)

    def test_containers(self):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        expected = map_at_k_scorer(model, X[test], Y[test])
        batched = make_rank_scorer("map@10", batch_size=5)
        for container in (np.asarray, np.ndarray.tolist, pd.DataFrame):
            found = batched(model, container(X[test]), container(Y[test]))
            assert found == pytest.approx(expected, rel=1e-13)
        sparse_model = KNeighborsClassifier(3).fit(sparse.csr_matrix(X[train]), Y[train])
        found = batched(sparse_model, sparse.coo_matrix(X[test]), sparse.coo_matrix(Y[test]))
        assert found == pytest.approx(expected, rel=1e-13)

    def test_predictions_come_in_batches(self):
        sizes = []

        class Recording(Ridge):
            def predict(self, X):
                sizes.append(len(X))
                return super().predict(X)

        X, Y, train, test = ragged_problem()
        model = Recording().fit(X[train], Y[train])
        make_rank_scorer("map@10", batch_size=7)(model, X[test], Y[test])
        assert sizes == [7, 7, 2]

    def test_groups_are_ranked_whole(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query))
        scorer = make_rank_scorer("mrr@10", groups=1, batch_size=2)
        assert scorer(FirstColumn(), X, y) == pytest.approx(RECIPROCAL_RANKS)


@pytest.fixture
def counting():
    """A function that makes an estimator which notes the calls of its methods in a list that its clones share."""

    def made(base, *args):
        calls = []

        def noted(method):
            def call(self, X):
                calls.append(method)
                return getattr(base, method)(self, X)

            call.__name__ = method
            return call

        methods = {method: noted(method) for method in ("predict_proba", "predict") if hasattr(base, method)}
        kind = type(f"Counting{base.__name__}", (base,), {"calls": calls, "__init__": base.__init__, **methods})
        return kind(*args)

    return made


class TestSharedPredictions:
    MULTICLASS = (np.tile(LINE, (4, 1)), np.tile([0, 1, 2], 4))

    def test_multiclass(self, counting):
        X, y = self.MULTICLASS
        model = counting(KNeighborsClassifier, 2)
        scoring = {"map": map_at_k_scorer, "mrr": mrr_at_k_scorer, "loss": "neg_log_loss", "auc": "roc_auc_ovr"}
        cross_validate(model, X, y, scoring=scoring, cv=2)
        assert model.calls == ["predict_proba"] * 2

    def test_multiclass_with_labels(self, counting):
        X, y = self.MULTICLASS
        model = counting(KNeighborsClassifier, 2)
        scoring = {"map": map_at_k_scorer, "accuracy": "accuracy", "f1": "f1_macro"}
        cross_validate(model, X, y, scoring=scoring, cv=2)
        assert sorted(model.calls) == ["predict"] * 2 + ["predict_proba"] * 2

    def test_binary(self, counting):
        X, y = self.MULTICLASS
        model = counting(KNeighborsClassifier, 2)
        scoring = {"map": map_at_k_scorer, "at_2": make_rank_scorer("precision@2"), "auc": "roc_auc"}
        cross_validate(model, X, (y > 0).astype(int), scoring=scoring, cv=2)
        assert model.calls == ["predict_proba"] * 2

    def test_label_matrix(self, counting):
        X, Y = np.tile(LINE, (4, 1)), np.tile([[1, 0], [0, 1], [1, 1]], (4, 1))
        model = counting(KNeighborsClassifier, 2)
        scoring = {"map": map_at_k_scorer, "mrr": mrr_at_k_scorer, "auc": "roc_auc"}
        cross_validate(model, X, Y, scoring=scoring, cv=2)
        assert model.calls == ["predict_proba"] * 2

    def test_regressor(self, counting):
        X, Y = np.tile(LINE, (4, 1)), np.tile([[1, 0], [0, 1], [1, 1]], (4, 1))
        model = counting(Ridge)
        scoring = {"map": map_at_k_scorer, "ndcg": ndcg_at_k_scorer, "r2": "r2"}
        cross_validate(model, X, Y, scoring=scoring, cv=2)
        assert model.calls == ["predict"] * 2

    def test_values_are_those_of_single_scorers(self):
        X, Y, _, _ = ragged_problem()
        model = KNeighborsClassifier(3)
        together = cross_validate(model, X, Y, scoring={"map": map_at_k_scorer, "mrr": mrr_at_k_scorer}, cv=KFold(3))
        for name, scorer in (("map", map_at_k_scorer), ("mrr", mrr_at_k_scorer)):
            alone = cross_val_score(model, X, Y, scoring=scorer, cv=KFold(3))
            np.testing.assert_array_equal(together[f"test_{name}"], alone)

    def test_two_labels_beside_scikit_learns_scorers(self):
        X, Y, _, _ = ragged_problem(0)
        Y = Y[:, :2]
        model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
        scorers = check_scoring(scoring={"map": make_rank_scorer("map@1"), "accuracy": make_scorer(subset_accuracy)})
        assert scorers(model, X, Y)["map"] == pytest.approx(map_at_k(Y, model.predict_proba(X), 1))


def subset_accuracy(y_true, y_pred):
    return float((y_true == y_pred).all(axis=1).mean())


class TestRankScorers:
    def test_one_prediction_a_fold(self, counting):
        X, Y, _, _ = ragged_problem()
        model = counting(KNeighborsClassifier, 3)
        found = cross_validate(
            model, X, Y, scoring=rank_scorers(["map@10", "mrr", "ndcg@3", "r_precision"]), cv=KFold(3)
        )
        assert model.calls == ["predict_proba"] * 3
        assert {key for key in found if key.startswith("test_")} == {
            "test_map@10",
            "test_mrr",
            "test_ndcg@3",
            "test_r_precision",
        }

    def test_values(self):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        scores = hand_aligned(model, X[test])
        found = rank_scorers(["map@2", "mrr", ("map@2", {"denominator": "k"}, "by k")], ties="first")(
            model, X[test], Y[test]
        )
        assert found == pytest.approx(
            {
                "map@2": map_at_k(Y[test], scores, 2, ties="first"),
                "mrr": mrr_at_k(Y[test], scores, ties="first"),
                "by k": map_at_k(Y[test], scores, 2, ties="first", denominator="k"),
            }
        )

    def test_refit(self):
        X, Y, _, _ = ragged_problem()
        search = GridSearchCV(
            KNeighborsClassifier(),
            {"n_neighbors": [1, 7]},
            scoring=rank_scorers(["map@10", "mrr@10"]),
            refit="map@10",
            cv=KFold(3),
        ).fit(X, Y)
        means = search.cv_results_["mean_test_map@10"]
        assert search.best_score_ == means.max() > means.min()
        assert search.best_params_ == {"n_neighbors": [1, 7][int(np.argmax(means))]}
        alone = cross_val_score(search.best_estimator_, X, Y, scoring=mrr_at_k_scorer, cv=KFold(3)).mean()
        assert search.cv_results_["mean_test_mrr@10"][search.best_index_] == pytest.approx(alone)

    def test_refit_true_is_scikit_learns_error(self):
        X, Y, _, _ = ragged_problem()
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]}, scoring=rank_scorers(["map@10"]), cv=3)
        with pytest.raises(
            ValueError, match="For multi-metric scoring, the parameter refit must be set to a scorer key"
        ):
            search.fit(X, Y)

    def test_cross_val_score_wants_one_number(self):
        X, Y, _, _ = ragged_problem()
        with pytest.raises(ValueError, match=r"scoring must return a number, got \{'map@10': .*dict"):
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=rank_scorers(["map@10"]))

    def test_permutation_importance(self):
        X, Y, _, _ = ragged_problem(0)
        model = KNeighborsClassifier(3).fit(X, Y)
        found = permutation_importance(
            model, X, Y, scoring=rank_scorers(["map@10", "mrr@10"]), n_repeats=2, random_state=0
        )
        alone = permutation_importance(model, X, Y, scoring=map_at_k_scorer, n_repeats=2, random_state=0)
        np.testing.assert_array_equal(found["map@10"].importances, alone.importances)


class TestMessages:
    """Called with the wrong thing, the first line says the right thing."""

    @pytest.mark.parametrize("metric", [metric.function for metric in METRICS.values()], ids=lambda f: f.__name__)
    def test_metric_as_scoring(self, metric):
        X, Y, _, _ = ragged_problem()
        with pytest.raises((TypeError, ValueError)) as caught:
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=metric, error_score="raise")
        assert f"scoring={metric.__name__}_scorer" in str(caught.value).splitlines()[0]

    def test_metric_as_scoring_under_the_default_error_score(self):
        X, Y, _, _ = ragged_problem()
        with pytest.warns(UserWarning, match="Scoring failed") as caught:
            scores = cross_val_score(KNeighborsClassifier(), X, Y, scoring=map_at_k)
        assert np.isnan(scores).all()
        error = next(line for line in str(caught[0].message).splitlines() if line.startswith("TypeError"))
        assert "scoring=map_at_k_scorer" in error

    def test_plain_make_scorer_on_a_ragged_fold(self):
        X, Y, train, test = ragged_problem()
        folds = [(np.arange(40)[train], np.arange(40)[test])]
        plain = make_scorer(map_at_k, response_method="predict_proba")
        with pytest.raises(ValueError, match=r"^`y_scores` is a list of 2-D arrays.*make_rank_scorer"):
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=plain, cv=folds, error_score="raise")
        with pytest.warns(UserWarning, match=r"Scoring failed[\s\S]*make_rank_scorer"):
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=plain, cv=folds)

    def test_plain_make_scorer_on_two_labels(self):
        X, Y, _, _ = ragged_problem(0)
        plain = make_scorer(map_at_k, response_method="predict_proba")
        model = OneVsRestClassifier(LogisticRegression()).fit(X, Y[:, :2])
        with pytest.raises(
            ValueError, match=r"^`y_true` and `y_scores` do not match.*\(40, 2\).*\(40,\).*make_rank_scorer"
        ):
            plain(model, X, Y[:, :2])

    def test_plain_make_scorer_on_a_fold_that_lacks_a_class(self):
        model = KNeighborsClassifier(1).fit(LINE, [0, 1, 2])
        plain = make_scorer(map_at_k, response_method="predict_proba")
        with pytest.raises(ValueError, match=r"`y_scores` has 3 columns but `y_true` holds 2 labels.*make_rank_scorer"):
            plain(model, LINE[:2], [0, 1])

    def test_plain_make_scorer_works_on_a_right_matrix(self):
        X, Y, _, _ = ragged_problem(0)
        plain = make_scorer(map_at_k, response_method="predict")
        expected = map_at_k_scorer(Ridge().fit(X, Y), X, Y)
        assert make_rank_scorer("map", None)(Ridge().fit(X, Y), X, Y) == plain(Ridge().fit(X, Y), X, Y) == expected


# ---- the tools that take scoring=


def tool_problem():
    """36 rows, 5 labels; the fourth is always on in the last two folds of three, the fifth is on once."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(36, 3))
    Y = (X @ rng.normal(size=(3, 5)) + 0.5 * rng.normal(size=(36, 5)) > 0.2).astype(int)
    Y[:, 3] = 1
    Y[:4, 3] = 0
    Y[:, 4] = 0
    Y[5, 4] = 1
    return X, Y


FOLDS = KFold(3)
NOTHING: dict = {}  # with routing on, scikit-learn 1.6 stumbles over params=None


def value(model, X, Y, train, test):
    """MAP@10 of a model fitted on `train`, from a matrix aligned by hand."""
    fitted = clone(model).fit(X[train], Y[train])
    scores = hand_aligned(fitted, X[test]) if hasattr(fitted, "predict_proba") else fitted.predict(X[test])
    return map_at_k(Y[test], scores, 10)


def values(model, X, Y, folds=FOLDS):
    return [value(model, X, Y, train, test) for train, test in folds.split(X)]


@pytest.fixture(params=[False, True], ids=["routing_off", "routing_on"])
def routing(request):
    """Metadata routing off and on."""
    with config_context(enable_metadata_routing=request.param):
        yield request.param


@contextmanager
def backend_of(n_jobs):
    """Threads, whose start costs nothing, for two workers."""
    if n_jobs == 1:
        yield
    else:
        with joblib.parallel_config("threading"):
            yield


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("n_jobs", [1, 2])
class TestTools:
    NEIGHBOURS = KNeighborsClassifier(3)
    TREE = DecisionTreeClassifier(max_depth=3, random_state=0)

    def test_cross_val_score(self, n_jobs):
        X, Y = tool_problem()
        with backend_of(n_jobs):
            found = cross_val_score(
                self.NEIGHBOURS, X, Y, scoring=map_at_k_scorer, cv=FOLDS, n_jobs=n_jobs, params=NOTHING
            )
        np.testing.assert_allclose(found, values(self.NEIGHBOURS, X, Y))

    def test_cross_validate(self, n_jobs):
        X, Y = tool_problem()
        scoring = {"map": map_at_k_scorer, "mrr": mrr_at_k_scorer}
        with backend_of(n_jobs):
            found = cross_validate(
                self.TREE, X, Y, scoring=scoring, cv=FOLDS, n_jobs=n_jobs, params=NOTHING, return_train_score=True
            )
        np.testing.assert_allclose(found["test_map"], values(self.TREE, X, Y))
        np.testing.assert_allclose(
            found["train_map"], [value(self.TREE, X, Y, train, train) for train, _ in FOLDS.split(X)]
        )
        assert np.isfinite(found["test_mrr"]).all()

    def test_grid_search(self, n_jobs):
        X, Y = tool_problem()
        search = GridSearchCV(
            KNeighborsClassifier(), {"n_neighbors": [1, 3, 9]}, scoring=map_at_k_scorer, cv=FOLDS, n_jobs=n_jobs
        )
        with backend_of(n_jobs):
            search.fit(X, Y)
        expected = [np.mean(values(KNeighborsClassifier(n), X, Y)) for n in (1, 3, 9)]
        np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)
        assert search.best_params_["n_neighbors"] == (1, 3, 9)[int(np.argmax(expected))]

    def test_randomized_search(self, n_jobs):
        X, Y = tool_problem()
        search = RandomizedSearchCV(
            self.TREE,
            {"max_depth": [1, 2, 3, 4]},
            n_iter=2,
            scoring=map_at_k_scorer,
            cv=FOLDS,
            n_jobs=n_jobs,
            random_state=0,
        )
        with backend_of(n_jobs):
            search.fit(X, Y)
        expected = [
            np.mean(values(clone(self.TREE).set_params(**params), X, Y)) for params in search.cv_results_["params"]
        ]
        np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)

    @pytest.mark.parametrize("kind", [HalvingGridSearchCV, HalvingRandomSearchCV], ids=lambda kind: kind.__name__)
    def test_halving_searches(self, n_jobs, kind):
        X, Y = tool_problem()
        options = {} if kind is HalvingGridSearchCV else {"n_candidates": 4}
        search = kind(
            KNeighborsClassifier(),
            {"n_neighbors": [1, 2, 3, 4]},
            scoring=map_at_k_scorer,
            cv=FOLDS,
            factor=2,
            min_resources=18,
            n_jobs=n_jobs,
            random_state=0,
            **options,
        )
        with backend_of(n_jobs):
            search.fit(X, Y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        results = search.cv_results_
        # The last round has all rows, so that its figures are those of the whole folds.
        last = np.flatnonzero(results["n_resources"] == len(X))
        assert len(last) == 2
        expected = [np.mean(values(KNeighborsClassifier(**results["params"][i]), X, Y)) for i in last]
        np.testing.assert_allclose(results["mean_test_score"][last], expected)

    def test_recursive_elimination(self, n_jobs):
        X, Y = tool_problem()
        X = np.column_stack((X, np.zeros(len(X))))
        selector = RFECV(self.TREE, scoring=map_at_k_scorer, cv=FOLDS, n_jobs=n_jobs)
        with backend_of(n_jobs):
            selector.fit(X, Y)
        means = selector.cv_results_["mean_test_score"]
        assert np.isfinite(means).all()
        assert means[-1] == pytest.approx(np.mean(values(self.TREE, X, Y)))
        assert selector.n_features_ == np.argmax(means) + 1

    def test_sequential_selection(self, n_jobs):
        X, Y = tool_problem()
        selector = SequentialFeatureSelector(
            self.NEIGHBOURS, n_features_to_select=1, scoring=map_at_k_scorer, cv=FOLDS, n_jobs=n_jobs
        )
        with backend_of(n_jobs):
            selector.fit(X, Y)
        alone = [np.mean(values(self.NEIGHBOURS, X[:, [j]], Y)) for j in range(3)]
        assert selector.get_support().tolist() == [j == np.argmax(alone) for j in range(3)]

    def test_permutation_importance(self, n_jobs):
        X, Y = tool_problem()
        X = np.column_stack((X, np.ones(len(X))))
        model = clone(self.NEIGHBOURS).fit(X[:24], Y[:24])
        with backend_of(n_jobs):
            found = permutation_importance(
                model, X[24:], Y[24:], scoring=map_at_k_scorer, n_repeats=3, n_jobs=n_jobs, random_state=0
            )
        assert found.importances_mean[:3].max() > 0.02
        np.testing.assert_array_equal(found.importances[3], np.zeros(3))

    def test_learning_curve(self, n_jobs):
        X, Y = tool_problem()
        with backend_of(n_jobs):
            sizes, _, found = learning_curve(
                self.NEIGHBOURS, X, Y, train_sizes=[5, 24], scoring=map_at_k_scorer, cv=FOLDS, n_jobs=n_jobs
            )
        assert sizes.tolist() == [5, 24]
        for row, size in zip(found, sizes, strict=True):
            expected = [value(self.NEIGHBOURS, X, Y, train[:size], test) for train, test in FOLDS.split(X)]
            np.testing.assert_allclose(row, expected)

    def test_validation_curve(self, n_jobs):
        X, Y = tool_problem()
        with backend_of(n_jobs):
            _, found = validation_curve(
                KNeighborsClassifier(),
                X,
                Y,
                param_name="n_neighbors",
                param_range=[1, 5],
                scoring=map_at_k_scorer,
                cv=FOLDS,
                n_jobs=n_jobs,
            )
        np.testing.assert_allclose(found, [values(KNeighborsClassifier(n), X, Y) for n in (1, 5)])

    def test_nested(self, n_jobs):
        X, Y = tool_problem()
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, scoring=map_at_k_scorer, cv=FOLDS)
        with backend_of(n_jobs):
            found = cross_val_score(search, X, Y, scoring=map_at_k_scorer, cv=FOLDS, n_jobs=n_jobs, params=NOTHING)
        expected = []
        for train, test in FOLDS.split(X):
            inner = [np.mean(values(KNeighborsClassifier(n), X[train], Y[train])) for n in (1, 5)]
            best = (1, 5)[int(np.argmax(inner))]
            expected.append(value(KNeighborsClassifier(best), X, Y, train, test))
        np.testing.assert_allclose(found, expected)

    def test_pipeline_of_frames(self, n_jobs):
        X, Y = tool_problem()
        pipeline = make_pipeline(StandardScaler(), self.NEIGHBOURS).set_output(transform="pandas")
        frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(36)[::-1])
        targets = pd.DataFrame(Y, index=frame.index)
        with backend_of(n_jobs):
            found = cross_val_score(
                pipeline, frame, targets, scoring=map_at_k_scorer, cv=FOLDS, n_jobs=n_jobs, params=NOTHING
            )
        np.testing.assert_allclose(found, values(make_pipeline(StandardScaler(), self.NEIGHBOURS), X, Y))

    def test_classes_and_one_ranking(self, n_jobs):
        X, Y = tool_problem()
        y = np.repeat([2, 0, 1], 12)  # each fold's class is unknown to its training fold
        with backend_of(n_jobs):
            found = cross_val_score(
                self.NEIGHBOURS, X, y, scoring=map_at_k_scorer, cv=FOLDS, n_jobs=n_jobs, params=NOTHING
            )
        np.testing.assert_array_equal(found, np.zeros(3))
        leads = Y[:, 0]
        with backend_of(n_jobs):
            found = cross_val_score(
                self.NEIGHBOURS,
                X,
                leads,
                scoring=make_rank_scorer("precision@4"),
                cv=FOLDS,
                n_jobs=n_jobs,
                params=NOTHING,
            )
        expected = []
        for train, test in FOLDS.split(X):
            scores = clone(self.NEIGHBOURS).fit(X[train], leads[train]).predict_proba(X[test])[:, 1]
            expected.append(sklearn_rank.precision_at_k(leads[test], scores, 4))
        np.testing.assert_allclose(found, expected)


class TestProcesses:
    """Worker processes get the scorer by pickle."""

    def test_label_matrix(self):
        X, Y = tool_problem()
        found = cross_val_score(KNeighborsClassifier(3), X, Y, scoring=map_at_k_scorer, cv=FOLDS, n_jobs=2)
        np.testing.assert_allclose(found, values(KNeighborsClassifier(3), X, Y))

    def test_search_by_several_metrics(self):
        X, Y = tool_problem()
        search = GridSearchCV(
            KNeighborsClassifier(),
            {"n_neighbors": [1, 3]},
            scoring=rank_scorers(["map@10", "mrr@10"]),
            refit="map@10",
            cv=FOLDS,
            n_jobs=2,
        ).fit(X, Y)
        expected = [np.mean(values(KNeighborsClassifier(n), X, Y)) for n in (1, 3)]
        np.testing.assert_allclose(search.cv_results_["mean_test_map@10"], expected)

    def test_routed_weights(self):
        X, Y = tool_problem()
        weight = np.linspace(1, 2, len(X))
        expected = []
        for train, test in FOLDS.split(X):
            fitted = KNeighborsClassifier(3).fit(X[train], Y[train])
            expected.append(map_at_k(Y[test], hand_aligned(fitted, X[test]), 10, sample_weight=weight[test]))
        with config_context(enable_metadata_routing=True):
            scorer = map_at_k_scorer.set_score_request(sample_weight=True)
            found = cross_val_score(
                KNeighborsClassifier(3), X, Y, scoring=scorer, cv=FOLDS, n_jobs=2, params={"sample_weight": weight}
            )
        np.testing.assert_allclose(found, expected)
