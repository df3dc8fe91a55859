"""Out-of-fold scores: the columns of the scorers, for whole data sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, cross_val_predict, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from sklearn_rank import make_rank_scorer, map_at_k, out_of_fold_scores


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 5))
    Y = (X @ rng.normal(size=(5, 4)) > 0.4).astype(int)
    return X, Y


class TestLabels:
    def test_folds_have_the_scores_of_their_models(self, data):
        X, Y = data
        model, cv = KNeighborsClassifier(3), KFold(3)
        y_scores = out_of_fold_scores(model, X, Y, cv=cv)
        assert y_scores.shape == Y.shape
        for train, test in cv.split(X):
            fitted = model.fit(X[train], Y[train])
            expected = np.column_stack([part[:, 1] for part in fitted.predict_proba(X[test])])
            assert (y_scores[test] == expected).all()
        # The mean over rows is that of the scorer over folds of one size.
        scorer = make_rank_scorer("map@3")
        by_fold = cross_validate(model, X, Y, cv=cv, scoring=scorer)["test_score"]
        assert map_at_k(Y, y_scores, 3) == pytest.approx(by_fold.mean(), rel=1e-12)

    @pytest.mark.filterwarnings("ignore:Label not 2 is present in all training examples")  # which is the case at hand
    def test_a_label_that_one_training_fold_lacks(self, data):
        X, Y = data
        Y[:, 2] = 0
        Y[:20, 2] = 1  # all in the first test fold
        y_scores = out_of_fold_scores(KNeighborsClassifier(3), X, Y, cv=KFold(3))
        assert (y_scores[:20, 2] == 0).all()
        decisions = out_of_fold_scores(OneVsRestClassifier(LinearSVC()), X, Y, cv=KFold(3))
        assert (decisions[:20, 2] < decisions[:20, [0, 1, 3]].min()).all()
        assert np.isfinite(decisions).all()

    @pytest.mark.parametrize("form", ["frame", "sparse", "list"])
    def test_forms(self, data, form):
        X, Y = data
        expected = out_of_fold_scores(KNeighborsClassifier(3), X, Y, cv=3)
        X_, Y_ = {
            "frame": (pd.DataFrame(X, index=range(5, 65)), pd.DataFrame(Y)),
            "sparse": (sparse.csr_array(X), Y),
            "list": (X.tolist(), Y.tolist()),
        }[form]
        assert out_of_fold_scores(KNeighborsClassifier(3), X_, Y_, cv=3) == pytest.approx(expected, abs=1e-12)

    def test_processes(self, data):
        X, Y = data
        model = RandomForestClassifier(5, random_state=0)
        assert (out_of_fold_scores(model, X, Y, cv=3, n_jobs=2) == out_of_fold_scores(model, X, Y, cv=3)).all()


class TestClasses:
    def test_columns_are_the_sorted_classes(self, data):
        X, _ = data
        y = np.array(["c", "a", "b"])[np.arange(60) % 3]
        expected = cross_val_predict(LogisticRegression(), X, y, cv=3, method="predict_proba")
        assert out_of_fold_scores(LogisticRegression(), X, y, cv=3) == pytest.approx(expected, rel=1e-12)
        turned = out_of_fold_scores(LogisticRegression(), X, y, cv=3, labels=["b", "c", "a"])
        assert turned == pytest.approx(expected[:, [1, 2, 0]], rel=1e-12)

    def test_a_class_that_a_training_fold_never_saw_is_not_retrieved(self, data):
        X, _ = data
        y = np.arange(60) % 3
        y[:20] = 7  # the first test fold alone
        y_scores = out_of_fold_scores(LogisticRegression(), X, y, cv=KFold(3))
        assert y_scores.shape == (60, 4)
        assert (y_scores[:20, 3] == -np.inf).all()
        assert np.isfinite(y_scores[:20, :3]).all()
        assert map_at_k(y[:20], y_scores[:20], labels=[0, 1, 2, 7]) == 0

    def test_two_classes_give_one_number_a_row(self, data):
        X, Y = data
        y_scores = out_of_fold_scores(LogisticRegression(), X, Y[:, 0], cv=3)
        expected = cross_val_predict(LogisticRegression(), X, Y[:, 0], cv=3, method="predict_proba")
        assert y_scores == pytest.approx(expected[:, 1], rel=1e-12)
        two = out_of_fold_scores(LogisticRegression(), X, Y[:, 0], cv=3, labels=[0, 1])
        assert two == pytest.approx(expected, rel=1e-12)

    def test_two_classes_of_which_a_training_fold_has_one(self):
        X, y = np.arange(60.0)[:, None], np.r_[np.zeros(20, int), np.tile([0, 1], 10), np.zeros(20, int)]
        with pytest.raises(ValueError, match=r"a training fold holds one class only.*StratifiedKFold"):
            out_of_fold_scores(KNeighborsClassifier(3), X, y, cv=KFold(3))
        y_scores = out_of_fold_scores(KNeighborsClassifier(3), X, y, cv=KFold(3), labels=[0, 1])
        assert (y_scores[20:40, 1] == -np.inf).all()

    def test_repeated_labels(self, data):
        X, _ = data
        with pytest.raises(ValueError, match="`labels` repeats 2"):
            out_of_fold_scores(KNeighborsClassifier(3), X, np.arange(60) % 3, cv=3, labels=[0, 1, 2, 2])

    def test_positive_label(self, data):
        X, Y = data
        y = np.where(Y[:, 0], "yes", "no")
        yes = out_of_fold_scores(LogisticRegression(), X, y, cv=3, pos_label="yes")
        no = out_of_fold_scores(LogisticRegression(), X, y, cv=3, pos_label="no")
        assert yes == pytest.approx(1 - no, rel=1e-12)

    def test_response_method(self, data):
        X, Y = data
        expected = cross_val_predict(LogisticRegression(), X, Y[:, 0], cv=3, method="decision_function")
        got = out_of_fold_scores(LogisticRegression(), X, Y[:, 0], cv=3, response_method="decision_function")
        assert got == pytest.approx(expected, rel=1e-12)


class TestRest:
    def test_regressors_and_groups_of_the_splitter(self, data):
        X, Y = data
        groups = np.repeat(np.arange(10), 6)
        expected = cross_val_predict(Ridge(), X, Y[:, 0], groups=groups, cv=GroupKFold(5))
        got = out_of_fold_scores(Ridge(), X, Y[:, 0], groups=groups, cv=GroupKFold(5))
        assert got == pytest.approx(expected, rel=1e-12)
        assert 0 < map_at_k(Y[:, 0], got, groups=groups) <= 1

    def test_folds_have_to_be_a_partition(self, data):
        X, Y = data
        with pytest.raises(ValueError, match=r"`cv` must put each row into exactly one test fold; row \d+ is in [02]"):
            out_of_fold_scores(KNeighborsClassifier(3), X, Y, cv=ShuffleSplit(2, random_state=0))

    def test_what_fails_in_fit_is_raised(self, data):
        X, Y = data
        with pytest.raises(ValueError, match="n_neighbors"):
            out_of_fold_scores(KNeighborsClassifier(-1), X, Y, cv=3)


class TestWrongArguments:
    """What make_rank_scorer refuses is refused here in the same words, before anything is fitted."""

    @pytest.mark.parametrize(
        "pos_label", [np.array([0, 1]), np.zeros((0, 0)), pd.DataFrame(), pd.Series([1]), [1]], ids=repr
    )
    def test_pos_label(self, data, pos_label):
        for call in (self.scores, make_rank_scorer):
            with pytest.raises(TypeError, match="`pos_label` must be one label"):
                call(*(data if call == self.scores else ["map"]), pos_label=pos_label)

    @pytest.mark.parametrize("response_method", [1j, 5, (), b"a", ["a", "b"], np.array([1, 0])], ids=repr)
    def test_response_method(self, data, response_method):
        for call in (self.scores, make_rank_scorer):
            with pytest.raises((TypeError, ValueError), match="`response_method` must be one or several of"):
                call(*(data if call == self.scores else ["map"]), response_method=response_method)

    @pytest.mark.parametrize("y", [-1, {}, len, np.array(1), object()], ids=repr)
    def test_y(self, data, y):
        with pytest.raises((TypeError, ValueError), match="`y`"):
            self.scores(data[0], y)

    def test_damaged_y(self, data):
        y = sparse.csr_array(data[1])
        y.indptr = y.indptr[:-3]
        with pytest.raises(ValueError, match="`y`"):
            self.scores(data[0], y)

    def test_lengths(self, data):
        X, Y = data
        with pytest.raises(ValueError, match="`X` and `y` must have as many rows, got 60 and 59"):
            self.scores(X, Y[1:])
        with pytest.raises(ValueError, match=r"`groups` must have one entry for each of 60 rows, got shape \(3,\)"):
            self.scores(X, Y, groups=[1, 2, 3])

    def test_n_jobs(self, data):
        with pytest.raises(TypeError, match="`n_jobs`"):
            self.scores(*data, n_jobs=np.timedelta64(1, "s"))

    def test_containers_of_y(self, data):
        """Whatever holds y, the folds and their models are the same."""
        X, Y = data
        expected = self.scores(X, Y[:, 0].tolist())
        with_an_array = type("WithAnArray", (), {"__array__": lambda self, dtype=None, copy=None: Y[:, 0]})()
        for y in (Y[:, 0], pd.Series(Y[:, 0]), with_an_array):
            assert (self.scores(X, y) == expected).all()

    @staticmethod
    def scores(X, y, **options):
        return out_of_fold_scores(KNeighborsClassifier(3), X, y, cv=KFold(3), **options)


class TestTargetsOfScorers:
    def test_damaged(self, data):
        X, Y = data
        model = KNeighborsClassifier(3).fit(X, Y)
        y = sparse.coo_array(Y)
        y.data = y.data[1:]
        with pytest.raises(ValueError, match="`y`"):
            make_rank_scorer("map@3")(model, X, y)

    def test_missing(self, data):
        X, Y = data
        model = KNeighborsClassifier(3).fit(X, Y)
        y = pd.DataFrame(Y).astype(object)
        y.iloc[1, 2] = pd.NA
        with pytest.raises(ValueError, match="`y_true` contains NaN"):
            make_rank_scorer("map@3")(model, X, y)

    def test_shape_that_is_a_method(self, data):
        X, Y = data
        odd = type("Odd", (), {"shape": lambda self: None})()
        with pytest.raises((TypeError, ValueError), match="`y`"):
            make_rank_scorer("map@3")(KNeighborsClassifier(3).fit(X, Y), X, odd)
