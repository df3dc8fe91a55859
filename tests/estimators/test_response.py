"""Label matrices: right columns on every fold, whatever the estimator returns."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from estimator_problems import (
    COLUMN_VECTOR,
    CONSTANT_LABEL,
    LINE,
    LINE_Y,
    Answers,
    hand_aligned,
    hit_rate_scorer_at,
    ragged_problem,
)
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklearn_rank import (
    make_rank_scorer,
    map_at_k,
    map_at_k_scorer,
    mrr_at_k_scorer,
)


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
            map_at_k_scorer(model, LINE[:1], LINE_Y[None])


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
    """Y of shape (n, 1) is what the estimator took it for: a vector where `classes_` is one array, else a matrix."""

    @pytest.mark.filterwarnings(COLUMN_VECTOR)
    @pytest.mark.parametrize(
        "model",
        [KNeighborsClassifier(3), LogisticRegression(), LinearSVC(), RidgeClassifier(), DummyClassifier()],
        ids=lambda model: type(model).__name__,
    )
    @pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, sparse.csr_array], ids=lambda c: c.__name__)
    def test_one_target_is_one_ranking(self, model, container):
        X, Y, _, _ = ragged_problem(0)
        y = Y[:, 0]
        model.fit(X, y)
        method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
        scores = getattr(model, method)(X)
        expected = map_at_k(y, scores[:, 1] if scores.ndim == 2 else scores, 10)
        assert map_at_k_scorer(model, X, container(y[:, None])) == pytest.approx(expected, rel=1e-14)

    @pytest.mark.parametrize(
        "model",
        [LinearRegression(), DecisionTreeRegressor(), MultiOutputClassifier(LogisticRegression())],
        ids=lambda model: type(model).__name__,
    )
    def test_a_matrix_has_a_row_per_sample(self, model):
        # The only label of a row is in front, so that the metric is 1 where Y is 1.
        X, Y, _, _ = ragged_problem(0)
        Y = Y[:, :1]
        model.fit(X, Y)
        assert 0 < Y.mean() < 1
        assert map_at_k_scorer(model, X, Y) == pytest.approx(Y.mean())


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
