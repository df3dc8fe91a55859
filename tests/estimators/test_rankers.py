"""GroupedRanker, with a plain ranker and, where they are installed, with the three gradient boosting rankers."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_rank import GroupedRanker, make_rank_scorer, rank_scorers


class Plain(BaseEstimator):
    """A linear ranker that wants rows sorted by query; what it was given is kept."""

    def __init__(self, shrink=0.0):
        self.shrink = shrink

    def fit(self, X, y, qid=None):
        X, y = validate_data(self, X, y, y_numeric=True)
        assert (np.diff(qid) >= 0).all()
        self.given_ = qid
        self.rows_ = X
        self.coef_ = np.linalg.solve(X.T @ X + (self.shrink + 1e-9) * np.eye(X.shape[1]), X.T @ y)
        return self

    def predict(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False) @ self.coef_


class WantsSizes(Plain):
    def fit(self, X, y, group=None):
        self.sizes_ = group
        return super().fit(X, y, qid=np.repeat(np.arange(len(group)), group))


class WantsGroupId(Plain):
    def fit(self, X, y, group_id=None):
        return super().fit(X, y, qid=group_id)


@pytest.fixture
def queries():
    """Feature table, grades and ids of 20 queries, rows mixed."""
    rng = np.random.default_rng(0)
    ids = rng.permutation(np.repeat([f"q{i}" for i in range(20)], 6))
    X = rng.standard_normal((120, 3))
    y = np.digitize(X @ [1.0, 0.5, 0.0] + rng.standard_normal(120), [0.5, 1.5])
    return X, y, ids


class TestFit:
    def test_rows_are_sorted_and_ids_handed_over(self):
        X = np.array([[1.0], [2.0], [3.0], [4.0]])
        model = GroupedRanker(Plain()).fit(X, [0, 1, 2, 3], groups=["b", "a", "b", "a"])
        assert model.ranker_.given_.tolist() == [0, 0, 1, 1]
        assert model.ranker_.rows_.ravel().tolist() == [1, 3, 2, 4]

    def test_sizes_and_group_ids_for_rankers_that_want_those(self):
        X = np.array([[1.0], [2.0], [3.0]])
        assert GroupedRanker(WantsSizes()).fit(X, [0, 1, 2], groups=[5, 6, 5]).ranker_.sizes_.tolist() == [2, 1]
        assert GroupedRanker(WantsGroupId()).fit(X, [0, 1, 2], groups=[5, 6, 5]).ranker_.given_.tolist() == [0, 0, 1]

    def test_the_column_of_ids_by_name_position_and_metadata_give_the_same_model(self, queries):
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)[["a", "qid", "b", "c"]]
        want = GroupedRanker(Plain()).fit(X, y, groups=ids).predict(X)
        by_name = GroupedRanker(Plain(), groups="qid").fit(frame, y)
        by_place = GroupedRanker(Plain(), groups=1).fit(frame.to_numpy(), y)
        from_end = GroupedRanker(Plain(), groups=-3).fit(frame, y)
        for model, table in ((by_name, frame), (by_place, frame.to_numpy()), (from_end, frame)):
            np.testing.assert_allclose(model.predict(table), want, rtol=1e-12)
        assert by_name.n_features_in_ == 4
        assert by_name.feature_names_in_.tolist() == ["a", "qid", "b", "c"]

    def test_polars_and_sparse_tables(self, queries):
        X, y, ids = queries
        numbers = np.unique(ids, return_inverse=True)[1]
        want = GroupedRanker(Plain()).fit(X, y, groups=numbers).predict(X)
        table = np.column_stack((numbers, X))
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame(table, schema=["qid", "a", "b", "c"])
        got = GroupedRanker(Plain(), groups="qid").fit(frame, y).predict(frame)
        np.testing.assert_allclose(got, want, rtol=1e-12)

        class Dense(Plain):
            def fit(self, X, y, qid=None):
                return super().fit(X.toarray(), y, qid=qid)

            def predict(self, X):
                return super().predict(X.toarray())

        csr = sparse.csr_array(table)
        np.testing.assert_allclose(GroupedRanker(Dense(), groups=0).fit(csr, y).predict(csr), want, rtol=1e-12)

    def test_around_a_pipeline_with_a_scaler(self, queries):
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        model = GroupedRanker(make_pipeline(StandardScaler(), Plain()), groups="qid")
        with config_context(enable_metadata_routing=True):  # routing of the inner pipeline does not matter
            routed = clone(model).fit(frame, y).predict(frame)
        scaled = StandardScaler().fit_transform(X)
        want = GroupedRanker(Plain()).fit(scaled, y, groups=ids).predict(scaled)
        np.testing.assert_allclose(model.fit(frame, y).predict(frame), want, rtol=1e-10)
        np.testing.assert_allclose(routed, want, rtol=1e-10)

    @pytest.mark.parametrize(
        ("groups", "fit_groups", "error", "message"),
        [
            (None, None, ValueError, "needs to know its queries.*set_fit_request"),
            (None, ["a", None, "b"], ValueError, "`groups` contains missing ids"),
            (None, [2, 1], ValueError, "one id per row: it has 2 entries"),
            (0, ["a", "a", "b"], ValueError, "column 0 of X: use one of them"),
            (7, None, ValueError, "`groups`=7 is no column of X, which has 2"),
            ("qid", None, ValueError, "`groups`='qid' is the name of a column, but X is a ndarray"),
        ],
    )
    def test_groups_that_are_not_there(self, groups, fit_groups, error, message):
        with pytest.raises(error, match=message):
            GroupedRanker(Plain(), groups=groups).fit(np.ones((3, 2)), [0, 1, 2], groups=fit_groups)

    def test_a_name_that_the_frame_does_not_have(self):
        with pytest.raises(ValueError, match="'qid' is no column of X; it has 'a'"):
            GroupedRanker(Plain(), groups="qid").fit(pd.DataFrame({"a": [1, 2]}), [0, 1])

    def test_a_ranker_without_groups_is_refused(self):
        with pytest.raises(TypeError, match="fit of StandardScaler takes none of qid, group_id, group"):
            GroupedRanker(StandardScaler()).fit(np.ones((2, 1)), [0, 1], groups=[0, 0])


class TestEstimator:
    # array API input is checked only where SCIPY_ARRAY_API is set
    @pytest.mark.filterwarnings("ignore:Skipping check")
    def test_scikit_learns_own_checks_with_a_column_of_groups(self):
        results = check_estimator(GroupedRanker(Plain(), groups=-1))
        assert len(results) > 30
        assert {result["status"] for result in results} <= {"passed", "skipped"}

    def test_clone_pickle_and_parameters(self, queries):
        X, y, ids = queries
        model = GroupedRanker(Plain(shrink=1.0))
        assert clone(model).get_params()["ranker__shrink"] == 1.0
        assert model.set_params(ranker__shrink=2.0).ranker.shrink == 2.0
        model.fit(X, y, groups=ids)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
        assert not hasattr(model.ranker, "coef_")


class TestModelSelection:
    def test_a_column_of_x_equals_routing(self, queries):
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        grid, folds = {"ranker__shrink": [0.1, 300.0]}, GroupKFold(3)
        by_column = GridSearchCV(
            GroupedRanker(Plain(), groups="qid"), grid, scoring=make_rank_scorer("ndcg@3", groups="qid"), cv=folds
        ).fit(frame, y, groups=ids)
        with config_context(enable_metadata_routing=True):
            scorer = make_rank_scorer("ndcg@3").set_score_request(groups=True)
            model = GroupedRanker(Plain()).set_fit_request(groups=True)
            routed = GridSearchCV(model, grid, scoring=scorer, cv=folds).fit(X, y, groups=ids)
            nested = cross_validate(routed, X, y, cv=folds, scoring=scorer, params={"groups": ids})
        np.testing.assert_allclose(
            by_column.cv_results_["mean_test_score"], routed.cv_results_["mean_test_score"], rtol=1e-12
        )
        # Each fold by hand: the plain metric on the held-out rows.
        for score, (_, test) in zip(nested["test_score"], folds.split(X, y, ids), strict=True):
            assert 0 < score <= 1
            assert len(set(ids[test]) & set(ids)) == len(set(ids[test]))

    def test_two_processes(self, queries):
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        scorer = make_rank_scorer("map@3", groups="qid", relevance_threshold=1)
        ask = {"groups": ids, "cv": GroupKFold(3), "scoring": scorer}
        one, two = (
            cross_val_score(GroupedRanker(Plain(), groups="qid"), frame, y, n_jobs=n_jobs, **ask) for n_jobs in (1, 2)
        )
        assert one.tolist() == two.tolist()


def boosting_rankers():
    """(name, maker): made late, so that tests are collected without the packages."""

    def xgboost():
        return pytest.importorskip("xgboost").XGBRanker(n_estimators=8, n_jobs=1, random_state=0), "max_depth"

    def lightgbm():
        ranker = pytest.importorskip("lightgbm").LGBMRanker
        return ranker(n_estimators=8, n_jobs=1, random_state=0, min_child_samples=2, verbose=-1), "max_depth"

    def catboost():
        ranker = pytest.importorskip("catboost").CatBoostRanker
        return ranker(iterations=8, thread_count=1, random_seed=0, verbose=False, allow_writing_files=False), "depth"

    return [xgboost, lightgbm, catboost]


@pytest.mark.parametrize("make", boosting_rankers(), ids=lambda make: make.__name__)
# What the three packages and their use of others warn about is their affair; ours still fail the test.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
class TestBoosting:
    def test_grid_search_by_column_and_by_routing(self, make, queries):
        ranker, depth = make()
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        grid, folds = {f"ranker__{depth}": [1, 3]}, GroupKFold(2)
        by_column = GridSearchCV(
            GroupedRanker(ranker, groups="qid"), grid, scoring=make_rank_scorer("ndcg@3", groups="qid"), cv=folds,
            error_score="raise",
        ).fit(frame, y, groups=ids)
        with config_context(enable_metadata_routing=True):
            scorer = make_rank_scorer("ndcg@3").set_score_request(groups=True)
            model = GroupedRanker(ranker).set_fit_request(groups=True)
            routed = GridSearchCV(model, grid, scoring=scorer, cv=folds, error_score="raise")
            routed.fit(frame[["a", "b", "c"]], y, groups=ids)
        np.testing.assert_allclose(
            by_column.cv_results_["mean_test_score"], routed.cv_results_["mean_test_score"], rtol=1e-12
        )

    def test_pipeline_nested_and_several_metrics(self, make, queries):
        ranker, depth = make()
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        inside = make_pipeline(StandardScaler().set_output(transform="pandas"), ranker)
        model = GroupedRanker(inside, groups="qid")
        scoring = rank_scorers(["ndcg@3", "map@3"], groups="qid", relevance_threshold=1)
        # The inner folds need no ids: the rows of a query may be split between them here.
        search = GridSearchCV(
            model, {f"ranker__{type(ranker).__name__.lower()}__{depth}": [1, 2]}, cv=2, scoring=scoring,
            refit="map@3", error_score="raise",
        )
        result = cross_validate(
            search, frame, y, groups=ids, cv=GroupKFold(2), scoring=scoring, error_score="raise", return_estimator=True
        )
        for fitted, got, (_, test) in zip(
            result["estimator"], result["test_map@3"], GroupKFold(2).split(frame, y, ids), strict=True
        ):
            scores = fitted.predict(frame.iloc[test])
            # By hand: the mean over queries of the average precision of their rows.
            by_hand = []
            for query in dict.fromkeys(ids[test]):
                rows = ids[test] == query
                if len(set(scores[rows])) < rows.sum():
                    break
                order = np.argsort(-scores[rows])
                hits = (y[test][rows][order] >= 1)[:3]
                relevant = min(3, (y[test][rows] >= 1).sum())
                by_hand.append((hits * hits.cumsum() / [1, 2, 3]).sum() / max(relevant, 1))
            else:
                assert got == pytest.approx(np.mean(by_hand), rel=1e-12)
            assert 0 <= got <= 1
