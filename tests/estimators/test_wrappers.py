"""Estimators inside estimators, targets of other kinds, scorers that compare: right, or refused with the reason."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from estimator_problems import CONSTANT_LABEL, LINE, Answers
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, RFECV, SequentialFeatureSelector
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, KFold, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from sklearn_rank import make_rank_scorer, map_at_k, map_at_k_scorer, out_of_fold_scores, precision_at_k, rank_scorers

X = np.column_stack((np.arange(12.0) % 6, np.arange(12.0) % 5))
THREE = np.repeat(["a", "b", "c"], 4)
TWO = (np.arange(12) % 6 > 2).astype(int)
PAIRWISE = SVC(kernel="linear", decision_function_shape="ovo")


class TestPairwiseScores:
    """One score for each pair of classes looks like one for each class, whatever stands around the SVC."""

    @pytest.mark.parametrize(
        "model",
        [
            RFE(PAIRWISE, n_features_to_select=1),
            RFECV(PAIRWISE, cv=2),
            FrozenEstimator(PAIRWISE),
            BaggingClassifier(PAIRWISE, 2, random_state=0),
            GridSearchCV(PAIRWISE, {"C": [1.0]}, cv=2),
            make_pipeline(SequentialFeatureSelector(LinearSVC(), n_features_to_select=1, cv=2), PAIRWISE),
            FrozenEstimator(GridSearchCV(RFE(PAIRWISE, n_features_to_select=1), {"step": [1]}, cv=2)),
            StackingClassifier([("lr", LogisticRegression())], final_estimator=PAIRWISE, cv=2),
        ],
        ids=repr,
    )
    def test_refused(self, model):
        fitted = model.estimator.fit(X, THREE) if isinstance(model, FrozenEstimator) else model
        model = FrozenEstimator(fitted) if isinstance(model, FrozenEstimator) else model.fit(X, THREE)
        with pytest.raises(ValueError, match="decision_function_shape='ovo'"):
            make_rank_scorer("hit_rate@1", response_method="decision_function")(model, X, THREE)

    def test_calibrated_probabilities_are_fine(self):
        model = CalibratedClassifierCV(PAIRWISE, cv=2).fit(X, THREE)
        expected = map_at_k(THREE, model.predict_proba(X), 2, labels=model.classes_)
        assert make_rank_scorer("map@2")(model, X, THREE) == pytest.approx(expected)


class TestBinaryWrappers:
    @pytest.mark.parametrize(
        "model",
        [
            RFE(LogisticRegression(), n_features_to_select=1),
            CalibratedClassifierCV(LogisticRegression(), cv=2),
            FixedThresholdClassifier(LogisticRegression(), threshold=0.4),
            TunedThresholdClassifierCV(LogisticRegression(), cv=2),
            GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {}, cv=2),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_one_ranking(self, model):
        model.fit(X, TWO)
        expected = precision_at_k(TWO, model.predict_proba(X)[:, 1], 4)
        assert make_rank_scorer("precision@4")(model, X, TWO) == pytest.approx(expected)

    def test_regressor(self):
        model = TransformedTargetRegressor(Ridge()).fit(X, TWO)
        expected = precision_at_k(TWO, model.predict(X), 4)
        assert make_rank_scorer("precision@4", one_ranking=True)(model, X, TWO) == pytest.approx(expected)
        with pytest.raises(ValueError, match="one_ranking"):
            make_rank_scorer("precision@4")(model, X, TWO)


class TestMethods:
    @pytest.mark.filterwarnings(CONSTANT_LABEL)
    @pytest.mark.parametrize(
        "wrap",
        [lambda m: m, FrozenEstimator, lambda m: make_pipeline(StandardScaler(), m)],
        ids=["bare", "frozen", "pipeline"],
    )
    def test_first_label_is_constant(self, wrap):
        # Without a fitted part label 0 has no score of its own: it is last.
        Y = np.array([[0, 1, 0], [0, 0, 1]] * 6)
        model = OneVsRestClassifier(LinearSVC())
        model = wrap(model.fit(X, Y)) if wrap is FrozenEstimator else wrap(model).fit(X, Y)
        scores = model.decision_function(X)
        scores[:, 0] = scores.min() - 1
        assert map_at_k_scorer(model, X, Y) == pytest.approx(map_at_k(Y, scores, 10))
        with pytest.raises(AttributeError, match="has none of the methods predict_proba"):
            make_rank_scorer("map", response_method="predict_proba")(model, X, Y)

    @pytest.mark.parametrize(
        "model",
        [LinearSVC(), LogisticRegression(), Ridge(), OneVsRestClassifier(LinearSVC()), GridSearchCV(Ridge(), {})],
        ids=repr,
    )
    @pytest.mark.parametrize("y", [THREE, TWO, np.eye(12, 3, dtype=int)], ids=["classes", "binary", "matrix"])
    def test_not_fitted(self, model, y):
        with pytest.raises(NotFittedError):
            map_at_k_scorer(model, X, y)

    def test_stacked_labels(self):
        Y = np.eye(3, dtype=int)[np.arange(12) % 3]
        part = MultiOutputClassifier(LogisticRegression())
        stack = StackingClassifier([("lr", part)], final_estimator=part, cv=2)
        with pytest.raises(NotFittedError):
            map_at_k_scorer(stack, X, Y)
        for model in (stack.fit(X, Y), FrozenEstimator(stack)):
            with pytest.raises(ValueError, match="StackingClassifier returns the probability that a label is absent"):
                map_at_k_scorer(model, X, Y)


class TestTargets:
    Y = np.array([[0, 1, 0], [1, 0, 1]] * 6)

    @pytest.mark.parametrize("model", [OneVsRestClassifier(LogisticRegression()), LinearRegression()], ids=repr)
    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
    def test_minus_one_and_one(self, model, container):
        expected = map_at_k_scorer(clone(model).fit(X, self.Y), X, self.Y)
        codes = 2 * self.Y - 1
        assert map_at_k_scorer(model.fit(X, codes), X, container(codes)) == pytest.approx(expected)

    def test_other_pairs_need_pos_label(self):
        model = LogisticRegression().fit(X, TWO + 1)
        with pytest.raises(ValueError, match="`pos_label`"):
            make_rank_scorer("precision@4")(model, X, TWO + 1)
        expected = precision_at_k(TWO, model.predict_proba(X)[:, 1], 4)
        assert make_rank_scorer("precision@4", pos_label=2)(model, X, TWO + 1) == pytest.approx(expected)
        ovr = OneVsRestClassifier(LogisticRegression()).fit(X, self.Y + 1)
        with pytest.raises(ValueError, match="`pos_label`"):
            map_at_k_scorer(ovr, X, self.Y + 1)

    def test_pos_label_of_a_regressor_turns_its_scores(self):
        model = LinearRegression().fit(X, self.Y)
        expected = map_at_k(1 - self.Y, -model.predict(X), 10)
        assert make_rank_scorer("map@10", pos_label=0)(model, X, self.Y) == pytest.approx(expected)
        with pytest.raises(ValueError, match="tells two labels apart"):
            make_rank_scorer("map@10", pos_label=0)(model, X, self.Y * [1, 2, 1])
        with pytest.raises(ValueError, match="use 0 and 1"):
            make_rank_scorer("map@10", pos_label="y")(model, X, np.where(self.Y == 1, "y", "n"))

    def test_pos_label_beside_classes(self):
        model = LogisticRegression().fit(X, THREE)
        with pytest.raises(ValueError, match="`pos_label`='a' is for two classes"):
            make_rank_scorer("map@3", pos_label="a")(model, X, THREE)

    def test_text_against_numbers(self):
        model = LogisticRegression().fit(X, TWO)
        with pytest.raises(ValueError, match="give both the same type"):
            make_rank_scorer("map@3")(model, X, TWO.astype(str))

    @pytest.mark.parametrize("batch_size", [None, 5])
    def test_rows_lost(self, batch_size):
        model = LogisticRegression().fit(X, THREE)
        with pytest.raises(ValueError, match="`X` and `y` must have as many rows, got 10 and 12"):
            make_rank_scorer("map@3", batch_size=batch_size)(model, X[:-2], THREE)

    def test_readings_beside_a_matrix(self):
        model = LinearRegression().fit(X, self.Y)
        for options in ({"labels": [0, 1]}, {"one_ranking": True}):
            with pytest.raises(ValueError, match="does not go with a matrix `y`"):
                make_rank_scorer("map@3", **options)(model, X, self.Y)
        with pytest.raises(ValueError, match="`labels` names classes, and Ridge has none"):
            make_rank_scorer("map@3", labels=[0, 1])(Ridge().fit(X, TWO), X, TWO, groups=X[:, 0])

    def test_one_ranking_beside_classes_and_groups(self):
        scorer = make_rank_scorer("map@3", one_ranking=True)
        with pytest.raises(ValueError, match="`one_ranking` needs one score a row"):
            scorer(LogisticRegression().fit(X, THREE), X, THREE)
        with pytest.raises(ValueError, match="`one_ranking`, and was given `groups`"):
            scorer(Ridge().fit(X, TWO), X, TWO, groups=X[:, 0])


class TestSparsePredictions:
    """What is not stored was never retrieved."""

    def test_matrix(self):
        answer = sparse.csr_array(np.array([[-1.0, -2, 0, 0]] * 2))
        Y = np.array([[1, 0, 0, 0], [0, 1, 1, 0]])
        # Item 0 leads; in the second row item 1 has rank 2 and item 2 none: recall 1/2.
        assert make_rank_scorer("recall@2")(Answers(predict=answer), LINE[:2], Y) == (1 + 1 / 2) / 2
        # Turned round, 2 leads 1; what is relevant then, 1, 2, 3 and 0, 3, is retrieved once each.
        turned = make_rank_scorer("recall@1", pos_label=0)
        assert turned(Answers(predict=answer), LINE[:2], Y) == (1 / 3 + 0) / 2

    def test_predicted_labels(self):
        answer = sparse.csr_array(np.array([[1, 0], [0, 1]]))
        model = Answers(predict=answer, classes_=np.array([0, 1, 2]))
        assert make_rank_scorer("recall@2")(model, LINE[:2], np.array([[1, 1], [1, 0]])) == (1 / 2 + 0) / 2

    def test_classes(self):
        answer = sparse.csr_array(np.array([[0.5, 0.3, 0.0], [0.0, 0.0, 0.7]]))
        model = Answers(predict_proba=answer, classes_=np.array(["a", "b", "c"]))
        # Rank 2, and never retrieved; a class of no training row is a miss.
        scorer = make_rank_scorer("mrr@3")
        assert scorer(model, LINE[:2], np.array(["b", "a"])) == (1 / 2 + 0) / 2
        assert scorer(model, LINE[:2], np.array(["a", "d"])) == (1 + 0) / 2

    def test_binary(self):
        answer = sparse.csr_array(np.array([[0.5, 0.5], [0.3, 0.0], [0.2, 0.8]]))
        model = Answers(predict_proba=answer, classes_=np.array([0, 1]))
        assert make_rank_scorer("recall@3")(model, LINE, np.array([1, 1, 0])) == 1 / 2

    def test_out_of_fold(self):
        Y = TestTargets.Y
        model = OneVsRestClassifier(LogisticRegression())
        with config_context(enable_metadata_routing=True):
            found = out_of_fold_scores(model, X, sparse.csr_array(Y), cv=KFold(2), params={})
        np.testing.assert_allclose(found, out_of_fold_scores(model, X, Y, cv=KFold(2)))


def same(scorer):
    return pickle.loads(pickle.dumps(scorer)), copy.deepcopy(scorer), clone(scorer, safe=False)


class TestEquality:
    def test_equal(self):
        made = [
            lambda: make_rank_scorer("map@5", zero_division=np.nan, response_method=["predict"]),
            lambda: make_rank_scorer("map@5", labels=np.array(["a", "b"])),
            lambda: make_rank_scorer("map@5", one_ranking=True, batch_size=3),
            lambda: rank_scorers(["map@5", ("mrr", {"ties": "worst"})], groups="qid"),
        ]
        for make in made:
            for twin in (make(), *same(make())):
                assert twin == make()
                assert hash(twin) == hash(make())
        assert make_rank_scorer("map", 10) == map_at_k_scorer

    def test_different(self):
        with config_context(enable_metadata_routing=True):
            routed = make_rank_scorer("map@5").set_score_request(sample_weight=True)
        others = [
            make_rank_scorer("map@4"),
            make_rank_scorer("mrr@5"),
            make_rank_scorer("map@5", ties="worst"),
            make_rank_scorer("map@5", denominator="k"),
            make_rank_scorer("map@5", pos_label=1),
            make_rank_scorer("map@5", labels=[0, 1]),
            make_rank_scorer("map@5", groups=0),
            make_rank_scorer("map@5", batch_size=2),
            make_rank_scorer("map@5", one_ranking=True),
            make_rank_scorer("map@5", response_method="predict"),
            rank_scorers(["map@5"]),
            routed,
        ]
        assert make_rank_scorer("map@5") not in others
        assert len({make_rank_scorer("map@5"), *others}) == len(others) + 1
        assert make_rank_scorer("map@5") != "map@5"

    def test_names(self):
        assert make_rank_scorer("map@5").__name__ == "map@5"
        assert rank_scorers(["map@5", "mrr"]).__name__ == "rank_scorers(map@5, mrr)"


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("response_method", 3, TypeError),
        ("response_method", ["predict", 3], TypeError),
        ("response_method", "predict_prob", ValueError),
        ("response_method", [], ValueError),
        ("labels", "abc", TypeError),
        ("labels", 3, TypeError),
        ("labels", {"a", "b"}, TypeError),
        ("labels", [], ValueError),
        ("labels", ["a", None], ValueError),
        ("labels", ["a", "a"], ValueError),
        ("pos_label", [1], TypeError),
        ("pos_label", np.nan, ValueError),
        ("groups", True, TypeError),
        ("batch_size", "3", TypeError),
        ("n_jobs", 0, ValueError),
        ("n_jobs", "2", TypeError),
        ("average", np.array(["samples"]), ValueError),
        ("average", None, ValueError),
        ("one_ranking", 1, TypeError),
    ],
)
def test_fails_when_made(name, value, error):
    for make in (lambda **options: make_rank_scorer("map@3", **options), lambda **o: rank_scorers(["map@3"], **o)):
        with pytest.raises(error, match=f"`{name}`"):
            make(**{name: value})


@pytest.mark.parametrize(
    "options",
    [{"one_ranking": True, "groups": 0}, {"one_ranking": True, "labels": [0, 1]}, {"labels": [0, 1], "pos_label": 1}],
)
def test_settings_that_contradict_each_other(options):
    with pytest.raises(ValueError, match=f"`{next(iter(options))}`"):
        make_rank_scorer("map@3", **options)
