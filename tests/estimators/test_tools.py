"""Scorers in the tools of scikit-learn that take `scoring`."""

from __future__ import annotations

from contextlib import contextmanager

import joblib
import numpy as np
import pandas as pd
import pytest
from estimator_problems import hand_aligned
from sklearn import config_context
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  makes the halving searches importable
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sklearn_rank
from sklearn_rank import (
    make_rank_scorer,
    map_at_k,
    map_at_k_scorer,
    mrr_at_k_scorer,
    rank_scorers,
)

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
