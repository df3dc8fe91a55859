"""GroupedRanker around plain rankers: ids, columns, hostile arguments, model selection."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_rank import GroupedRanker, make_rank_scorer


class Plain(BaseEstimator):
    """A linear ranker that wants rows sorted by query; what it was given is kept."""

    def __init__(self, shrink=0.0):
        self.shrink = shrink

    def fit(self, X, y, qid=None, sample_weight=None):
        X, y = validate_data(self, X, y, y_numeric=True)
        assert (np.diff(qid) >= 0).all()
        self.given_ = qid
        self.rows_ = X
        weighted = X if sample_weight is None else X * sample_weight[qid, None]
        self.coef_ = np.linalg.solve(weighted.T @ X + (self.shrink + 1e-9) * np.eye(X.shape[1]), weighted.T @ y)
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


class Keeps(BaseEstimator):
    """Keeps the table and the ids that it was given."""

    def fit(self, X, y, qid=None):
        self.given_ = (X, y, qid)
        return self

    def predict(self, X):
        self.asked_ = X
        return np.zeros(X.shape[0])


class TestColumns:
    """Columns reach the ranker in the dtype they have; what follows the ids is their order."""

    def test_frames_keep_every_dtype(self):
        frame = pd.DataFrame(
            {
                "qid": ["b", "a", "b"],
                "text": ["u", "v", "w"],
                "kind": pd.Categorical(["x", "y", "x"], categories=["y", "x", "z"]),
                "count": pd.array([1, None, 3], dtype="Int64"),
                "flag": pd.array([True, None, False], dtype="boolean"),
                "small": np.array([1, 2, 3], np.float32),
                "day": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"]),
            }
        )
        want = frame.drop(columns="qid")
        for groups in ("qid", 0, -7):
            ranker = GroupedRanker(Keeps(), groups=groups).fit(frame, [0, 1, 2]).ranker_
            pd.testing.assert_frame_equal(ranker.given_[0], want.iloc[[0, 2, 1]])
            assert ranker.given_[1].tolist() == [0, 2, 1]
        model = GroupedRanker(Keeps(), groups="qid").fit(frame, [0, 1, 2])
        model.predict(frame)
        pd.testing.assert_frame_equal(model.ranker_.asked_, want)

    @pytest.mark.parametrize(
        "ids", [pd.Categorical(["b", "a", "b"]), pd.array([2, 1, 2], dtype="Int64"), pd.to_datetime([2, 1, 2])], ids=str
    )
    def test_ids_of_any_dtype(self, ids):
        frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "qid": ids})
        assert GroupedRanker(Keeps(), groups="qid").fit(frame, [0, 1, 2]).ranker_.given_[2].tolist() == [0, 0, 1]

    def test_polars_keeps_every_dtype(self):
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"qid": ["b", "a", "b"], "n": [1, None, 3], "text": ["u", "v", "w"]}).with_columns(
            kind=polars.Series(["x", "y", "x"], dtype=polars.Categorical)
        )
        given = GroupedRanker(Keeps(), groups="qid").fit(frame, [0, 1, 2]).ranker_.given_[0]
        assert given.equals(frame[[0, 2, 1]].drop("qid"))
        assert given.schema == frame.drop("qid").schema

    @pytest.mark.parametrize("container", [np.array, list, tuple], ids=["array", "list", "tuple"])
    def test_text_and_numbers_in_one_table_stay_what_they_are(self, container):
        rows = [[7, "red", 0.1], [8, "green", 5], [7, "red", 2]]
        table = np.array(rows, dtype=object) if container is np.array else container(rows)
        model = GroupedRanker(Keeps(), groups=0).fit(table, [0, 1, 2])
        assert model.ranker_.given_[0].tolist() == [["red", 0.1], ["red", 2], ["green", 5]]
        model.predict(table)
        assert model.ranker_.asked_.tolist() == [["red", 0.1], ["green", 5], ["red", 2]]

    def test_text_through_an_encoder(self):
        # Two columns of the encoder and the number; least squares finds 1 for red, 2 for green and nothing for the
        # number, so that the predictions are the grades.
        table = np.array([[q, color, v] for q in range(3) for color, v in (("red", 0.1), ("green", 0.5))], dtype=object)
        encoder = make_column_transformer((OneHotEncoder(), [0]), remainder="passthrough")
        model = GroupedRanker(make_pipeline(encoder, Plain()), groups=0).fit(table, np.tile([1, 2], 3))
        np.testing.assert_allclose(model.predict(table[[1, 0]]), [2, 1], rtol=1e-6)

    @pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dia"])
    @pytest.mark.parametrize("dtype", [np.float32, np.int8, bool])
    def test_sparse_tables_keep_dtype_and_values(self, kind, dtype):
        dense = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]], dtype=dtype)
        table = sparse.csr_array(dense).asformat(kind)
        for groups, ids, columns in ((0, None, [1, 2]), (None, ["b", "a", "b"], [0, 1, 2])):
            given = GroupedRanker(Keeps(), groups=groups).fit(table, [0, 1, 2], ids).ranker_.given_[0]
            assert given.dtype == dtype
            np.testing.assert_array_equal(given.toarray(), dense[[0, 2, 1]][:, columns])

    def test_arrow_is_refused_with_the_way_out(self):
        arrow = pytest.importorskip("pyarrow")
        with pytest.raises(TypeError, match=r"`X` is a Table.*pass \.to_pandas\(\)"):
            GroupedRanker(Keeps(), groups="qid").fit(arrow.table({"qid": [1, 2], "x": [1, 2]}), [0, 1])


class TestHostile:
    """Whatever is passed, the error is of a plain kind and names the argument."""

    @pytest.mark.parametrize(
        "groups", [np.array([1, 2]), ["qid"], True, 1.0, {"qid": 1}, b"qid", ("qid",), {"qid"}, object()], ids=repr
    )
    @pytest.mark.parametrize(
        "make", [np.asarray, lambda X: pd.DataFrame(X, columns=["qid", "a"])], ids=["array", "frame"]
    )
    def test_a_column_that_is_none(self, groups, make):
        X = make([[1.0, 2.0], [2.0, 1.0]])
        with pytest.raises(TypeError, match=r"`groups` names a column of X, by name \(str\) or position \(int\), got"):
            GroupedRanker(Plain(), groups=groups).fit(X, [0, 1])

    @pytest.mark.parametrize(
        "groups", ["ab", 3, {1, 2}, {1: 2}, np.eye(2), [[1], [2]], [[1, 2], [1]], iter([1, 2])], ids=str
    )
    def test_ids_that_are_none(self, groups):
        with pytest.raises((TypeError, ValueError), match="`groups`"):
            GroupedRanker(Plain()).fit(np.eye(2), [0, 1], groups=groups)

    @pytest.mark.parametrize(
        ("X", "message"),
        [
            (None, "`X` must be an array"),
            (3, "`X` must be an array"),
            ("ab", "`X` must be an array"),
            ({"qid": [1, 2]}, "`X` must be an array"),
            ([[1, 2], [1]], r"rows of `X` differ in length \(1 and 2\)"),
            ([1, 2], "Expected 2D array"),
        ],
    )
    def test_tables_that_are_none(self, X, message):
        with pytest.raises((TypeError, ValueError), match=message):
            GroupedRanker(Plain(), groups=0).fit(X, [0, 1])

    @pytest.mark.parametrize("y", ["ab", None, 3, {1, 2}, np.eye(2), [0, 1, 2]], ids=str)
    def test_grades_that_are_none(self, y):
        named = "y is None" if y is None else "`y`"
        with pytest.raises((TypeError, ValueError), match=named):
            GroupedRanker(Plain(), groups=0).fit(np.eye(2), y)

    @pytest.mark.parametrize("ranker", ["xgb", None, 3, Plain], ids=str)
    def test_rankers_that_are_none(self, ranker):
        with pytest.raises(TypeError, match="`ranker` must be an estimator such as LGBMRanker"):
            GroupedRanker(ranker, groups=0).fit(np.eye(2), [0, 1])

    def test_a_name_that_two_columns_have(self):
        frame = pd.DataFrame(np.eye(3), columns=["qid", "a", "qid"])
        with pytest.raises(ValueError, match=r"'qid' (is 2 columns|2 times)"):
            GroupedRanker(Plain(), groups="qid").fit(frame, [0, 1, 2])


class TestEstimator:
    # array API input is checked only where SCIPY_ARRAY_API is set
    @pytest.mark.filterwarnings("ignore:Skipping check")
    def test_scikit_learns_own_checks_with_a_column_of_groups(self):
        results = check_estimator(GroupedRanker(Plain(shrink=0.1), groups=-1))
        assert len(results) > 30
        assert {result["status"] for result in results} <= {"passed", "skipped"}

    def test_tags_are_those_of_the_ranker(self):
        assert get_tags(GroupedRanker(HistGradientBoostingRegressor())).input_tags.allow_nan
        assert not get_tags(GroupedRanker(object())).input_tags.allow_nan

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
