"""Classes, grades and binary targets: how y is read, and which method of the estimator is asked."""

from __future__ import annotations

import numpy as np
import pytest
from estimator_problems import CONSTANT_LABEL, LINE, LINE_Y, Answers, hit_rate_scorer_at, ragged_problem
from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    KFold,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor

from sklearn_rank import (
    make_rank_scorer,
    map_at_k,
    map_at_k_scorer,
    mrr_at_k_scorer,
    ndcg_at_k,
    precision_at_k_scorer,
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
