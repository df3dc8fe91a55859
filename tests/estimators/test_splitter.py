"""GroupedSplitter: folds of whole groups from a column of X."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    HalvingGridSearchCV,
    LeaveOneGroupOut,
    LeavePGroupsOut,
    StratifiedGroupKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.utils.estimator_checks import (
    check_estimator_cloneable,
    check_estimator_repr,
    check_get_params_invariance,
    check_no_attributes_set_in_init,
    check_set_params,
)

from sklearn_rank import GroupedSplitter, make_rank_scorer

# Rows of the ids b, a, b, c.
BABC = np.array([[2.0, 0.1], [1.0, 0.2], [2.0, 0.3], [3.0, 0.4]])
LEAVE_ONE = [([0, 2, 3], [1]), ([1, 3], [0, 2]), ([0, 1, 2], [3])]  # a, b and c are left out in turn


def folds(cv, X, y=None):
    return [(train.tolist(), test.tolist()) for train, test in cv.split(X, y)]


class TestSplit:
    @pytest.mark.parametrize(
        "make",
        [
            np.asarray,
            np.ndarray.tolist,
            lambda X: pd.DataFrame(X, columns=["qid", "x"], index=[7, 7, 1, 0]),
            sparse.csr_array,
            sparse.coo_array,
        ],
        ids=["array", "list", "frame", "csr", "coo"],
    )
    def test_ids_by_position(self, make):
        for groups in (0, -2):
            assert folds(GroupedSplitter(LeaveOneGroupOut(), groups=groups), make(BABC)) == LEAVE_ONE

    @pytest.mark.parametrize(
        "ids",
        [
            ["b", "a", "b", "c"],
            pd.Categorical(["b", "a", "b", "c"]),
            pd.array([2, 1, 2, 3], dtype="Int64"),
            pd.to_datetime([2, 1, 2, 3]),
        ],
        ids=["text", "categories", "nullable", "dates"],
    )
    def test_ids_by_name_and_of_any_dtype(self, ids):
        frame = pd.DataFrame({"x": [0.0] * 4, "qid": ids})
        before = frame.copy()
        assert folds(GroupedSplitter(LeaveOneGroupOut()), frame) == LEAVE_ONE
        pd.testing.assert_frame_equal(frame, before)

    def test_ids_of_several_types_follow_their_first_appearance(self):
        frame = pd.DataFrame({"qid": pd.Series(["b", 1, "b", 2.5], dtype=object), "x": [0.0] * 4})
        assert folds(GroupedSplitter(LeaveOneGroupOut()), frame) == [LEAVE_ONE[1], LEAVE_ONE[0], LEAVE_ONE[2]]

    def test_polars(self):
        frame = pytest.importorskip("polars").DataFrame({"qid": ["b", "a", "b", "c"], "x": [0.0] * 4})
        assert folds(GroupedSplitter(LeaveOneGroupOut()), frame) == LEAVE_ONE

    @pytest.mark.parametrize(
        "splitter",
        [GroupKFold(3), StratifiedGroupKFold(3), GroupShuffleSplit(4, random_state=0), LeavePGroupsOut(2)],
        ids=lambda splitter: type(splitter).__name__,
    )
    def test_folds_are_those_of_the_splitter_inside(self, splitter, queries):
        X, y, ids = queries
        numbers = np.unique(ids, return_inverse=True)[1]
        table = np.column_stack((X, numbers))
        cv = GroupedSplitter(splitter, groups=3)
        want = [(train.tolist(), test.tolist()) for train, test in splitter.split(X, y, numbers)]
        assert folds(cv, table, y) == want
        assert cv.get_n_splits(table, y) == len(want)

    def test_number_of_folds_without_rows(self):
        assert GroupedSplitter(GroupKFold(4)).get_n_splits() == 4
        with pytest.raises(ValueError, match="groups"):
            GroupedSplitter(LeaveOneGroupOut()).get_n_splits()


class TestHostile:
    @pytest.mark.parametrize(
        ("X", "groups", "error", "message"),
        [
            (
                pd.DataFrame({"a": [1, 2], "b": [1, 2]}),
                "qid",
                ValueError,
                "`groups`='qid' is no column of X; it has 'a', 'b'",
            ),
            (pd.DataFrame([[1, 2]], columns=["qid", "qid"]), "qid", ValueError, "`groups`='qid' is 2 columns of X"),
            (BABC, "qid", ValueError, "`groups`='qid' is the name of a column, but X is a ndarray without names"),
            (BABC, 2, ValueError, "`groups`=2 is no column of X, which has 2"),
            (BABC, -3, ValueError, "`groups`=-3 is no column of X, which has 2"),
            (BABC[:, 0], 0, ValueError, r"`groups`=0 is a column of X, but X has shape \(4,\)"),
            (None, 0, TypeError, "`groups`=0 is a column of X, but X is a NoneType"),
            (BABC, 0.5, TypeError, "`groups` names a column of X"),
            (BABC, True, TypeError, "`groups` names a column of X"),
            (BABC, None, TypeError, "`groups` names a column of X"),
            (BABC, BABC[:, 0], TypeError, "`groups` names a column of X"),
            (np.where(BABC == 1, np.nan, BABC), 0, ValueError, "`groups` contains missing ids .* 1 rows: 1"),
        ],
    )
    def test_columns(self, X, groups, error, message):
        with pytest.raises(error, match=message):
            folds(GroupedSplitter(GroupKFold(2), groups=groups), X)

    @pytest.mark.parametrize("splitter", [5, None, "groups", b"groups", GroupKFold, [([0], [1])]], ids=str)
    def test_splitters(self, splitter):
        cv = GroupedSplitter(splitter, groups=0)
        for call in (lambda: folds(cv, BABC), lambda: cv.get_n_splits(BABC)):
            with pytest.raises(TypeError, match=r"`splitter` must be a cross-validator such as GroupKFold\(5\), got"):
                call()

    def test_groups_twice(self):
        cv = GroupedSplitter(GroupKFold(2), groups=0)
        with pytest.raises(ValueError, match=r"`groups` was given .*, but the ids are column 0 of X: use one of them"):
            cross_val_score(Ridge(), BABC, [0, 1, 2, 3], cv=cv, groups=[1, 2, 1, 3])


class TestEstimator:
    @pytest.mark.parametrize(
        "check",
        [
            check_estimator_cloneable,
            check_estimator_repr,
            check_get_params_invariance,
            check_no_attributes_set_in_init,
            check_set_params,
        ],
    )
    def test_scikit_learns_own_checks_of_parameters(self, check):
        check("GroupedSplitter", GroupedSplitter(GroupKFold(3), groups=2))

    def test_repr_clone_and_pickle(self):
        cv = GroupedSplitter(LeaveOneGroupOut(), groups=0)
        assert repr(cv) == "GroupedSplitter(groups=0, splitter=LeaveOneGroupOut())"
        for twin in (clone(cv), pickle.loads(pickle.dumps(cv))):
            assert folds(twin, BABC) == LEAVE_ONE

    def test_halving_is_told_whether_folds_repeat(self):
        assert not hasattr(GroupedSplitter(LeaveOneGroupOut()), "shuffle")
        cv = GroupedSplitter(GroupShuffleSplit(2, random_state=3))
        assert cv.random_state == 3
        frame = pd.DataFrame(BABC, columns=["qid", "x"])
        search = HalvingGridSearchCV(
            Ridge(), {"alpha": [1, 2]}, cv=GroupedSplitter(GroupShuffleSplit(2)), min_resources=2
        )
        with pytest.raises(ValueError, match="must yield consistent folds"):
            search.fit(frame, [0, 1, 2, 3])


@pytest.fixture
def table(queries):
    """The features and ids as one frame, and grades."""
    X, y, ids = queries
    return pd.DataFrame(X, columns=list("abc")).assign(qid=np.unique(ids, return_inverse=True)[1]), y


SCORER = make_rank_scorer("ndcg@3", groups="qid")
CV = GroupedSplitter(GroupKFold(3))


class TestModelSelection:
    @pytest.mark.parametrize("routing", [False, True])
    def test_searches_equal_those_with_groups(self, table, routing):
        frame, y = table
        numbers = frame["qid"]
        grid = {"alpha": [0.01, 300.0]}
        want = GridSearchCV(Ridge(), grid, scoring=SCORER, cv=GroupKFold(3)).fit(frame, y, groups=numbers)
        with config_context(enable_metadata_routing=routing):
            got = GridSearchCV(Ridge(), grid, scoring=SCORER, cv=CV, n_jobs=2).fit(frame, y)
            predicted = cross_val_predict(Ridge(), frame, y, cv=CV, params={})  # scikit-learn 1.6 trips over None
        np.testing.assert_array_equal(got.cv_results_["mean_test_score"], want.cv_results_["mean_test_score"])
        np.testing.assert_array_equal(predicted, cross_val_predict(Ridge(), frame, y, cv=GroupKFold(3), groups=numbers))

    def test_nested_search_equals_loops(self, table):
        frame, y = table
        ids, alphas, folds = frame["qid"].to_numpy(), (0.01, 300.0), GroupKFold(3)
        search = GridSearchCV(Ridge(), {"alpha": alphas}, scoring=SCORER, cv=CV)
        got = cross_val_score(search, frame, y, scoring=SCORER, cv=CV)

        def score(alpha, train, test):
            return SCORER(Ridge(alpha=alpha).fit(frame.iloc[train], y[train]), frame.iloc[test], y[test])

        want = []
        for train, test in folds.split(frame, y, ids):
            inner = [(train[a], train[b]) for a, b in folds.split(train, y[train], ids[train])]
            best = max(alphas, key=lambda alpha: np.mean([score(alpha, *fold) for fold in inner]))
            want.append(score(best, train, test))
        np.testing.assert_allclose(got, want, rtol=1e-12)

    def test_halving_and_feature_selection_run_on_whole_queries(self, table):
        frame, y = table
        search = HalvingGridSearchCV(
            Ridge(),
            {"alpha": [0.1, 1, 10, 100]},
            scoring=SCORER,
            cv=CV,
            factor=2,
            min_resources=60,
            random_state=0,
            error_score="raise",
        ).fit(frame, y)
        assert search.n_resources_ == [60, 120]
        # RFECV makes an array of the frame before it splits, so that the column has a position only.
        selected = RFECV(Ridge(), cv=GroupedSplitter(GroupKFold(3), groups=3), scoring="r2").fit(frame, y)
        assert len(selected.cv_results_["split2_test_score"]) == 4
