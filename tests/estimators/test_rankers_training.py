"""GroupedRanker: weights, eval sets and queries held out, and the three gradient boosting rankers where they load."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, GroupKFold, HalvingGridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_rank import GroupedRanker, GroupedSplitter, make_rank_scorer, rank_scorers


class Keeps(BaseEstimator):
    """Takes ids and nothing else."""

    def fit(self, X, y, qid=None):
        return self


class Booster(BaseEstimator):
    """Takes what LightGBM takes, and keeps it."""

    def fit(
        self,
        X,
        y,
        group=None,
        sample_weight=None,
        eval_set=None,
        eval_group=None,
        eval_sample_weight=None,
        init_score=None,
        eval_init_score=None,
        feature_name=None,
        note=None,
    ):
        self.given_ = {name: value for name, value in locals().items() if name != "self"}
        return self

    def predict(self, X):
        return np.zeros(X.shape[0])


class NewerBooster(BaseEstimator):
    """Takes what LightGBM takes from 4.7 on, and keeps it."""

    def fit(self, X, y, group=None, eval_set=None, eval_X=None, eval_y=None, eval_group=None):
        self.given_ = {"eval_X": eval_X, "eval_y": eval_y, "eval_group": eval_group}
        return self


class WantsIds(BaseEstimator):
    """Takes what XGBoost takes, and keeps it."""

    def fit(self, X, y, qid=None, sample_weight=None, eval_set=None, eval_qid=None, sample_weight_eval_set=None):
        self.given_ = {name: value for name, value in locals().items() if name != "self"}
        return self


class WantsGroupWeights(BaseEstimator):
    """Takes what CatBoost takes, and keeps it."""

    def fit(self, X, y, group_id=None, group_weight=None):
        self.given_ = {"group_id": group_id, "group_weight": group_weight}
        return self


# Queries b, a, b, a: sorted, the rows stand in the order 0, 2, 1, 3.
FOUR = np.array([[1.0], [2.0], [3.0], [4.0]])
BABA = ["b", "a", "b", "a"]


class TestNames:
    def test_of_sets_by_columns(self):
        ranker = GroupedRanker(NewerBooster())
        ranker.fit(FOUR, [0, 1, 2, 3], BABA, eval_set=[(FOUR[:3], [1, 2, 3])], eval_groups=[BABA[:3]])
        given = ranker.ranker_.given_
        assert given["eval_X"][0].ravel().tolist() == [1, 3, 2]
        assert np.asarray(given["eval_y"][0]).tolist() == [1, 3, 2]
        assert np.asarray(given["eval_group"][0]).tolist() == [2, 1]


class TestWeights:
    def test_a_weight_per_row_per_query_or_of_its_query_per_row(self):
        # Query b weighs (1 + 3) / 2, query a (2 + 6) / 2.
        weights = [1.0, 2.0, 3.0, 6.0]
        for ranker, name, want in (
            (Booster(), "sample_weight", [1, 3, 2, 6]),
            (WantsIds(), "sample_weight", [2, 4]),
            (WantsGroupWeights(), "group_weight", [2, 2, 4, 4]),
        ):
            model = GroupedRanker(ranker).fit(
                FOUR, [0, 1, 2, 3], BABA, sample_weight=pd.Series(weights, index=[7, 7, 1, 0])
            )
            assert model.ranker_.given_[name].tolist() == want
            assert GroupedRanker(ranker).fit(FOUR, [0, 1, 2, 3], BABA).ranker_.given_[name] is None

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([1, 2, 3], "3 entries for 4 rows"),
            ([1, -1, 1, 1], "negative"),
            ([0] * 4, "sums to zero"),
            ("abcd", "got 'abcd'"),
        ],
    )
    def test_weights_that_are_none(self, weights, message):
        with pytest.raises((TypeError, ValueError), match=f"`sample_weight`.*{message}"):
            GroupedRanker(Booster()).fit(FOUR, [0, 1, 2, 3], BABA, sample_weight=weights)

    def test_a_ranker_that_takes_none(self):
        with pytest.raises(
            TypeError, match="`sample_weight` cannot be handed over: the fit of Keeps takes no sample_weight"
        ):
            GroupedRanker(Keeps()).fit(FOUR, [0, 1, 2, 3], BABA, sample_weight=np.ones(4))


class TestEvalSets:
    def test_rows_are_sorted_and_groups_handed_over(self):
        for eval_set, ids in (
            ((FOUR, [3, 2, 1, 0]), BABA),
            ((FOUR, [3, 2, 1, 0]), [BABA]),
            ([(FOUR, [3, 2, 1, 0])], BABA),
            ([(FOUR, [3, 2, 1, 0])], np.array(BABA)),
            ([(FOUR, [3, 2, 1, 0])], [np.array(BABA)]),
        ):
            given = (
                GroupedRanker(Booster())
                .fit(FOUR, [0, 1, 2, 3], BABA, eval_set=eval_set, eval_groups=ids)
                .ranker_.given_
            )
            ((X, y),) = given["eval_set"]
            assert X.ravel().tolist() == [1, 3, 2, 4]
            assert y.tolist() == [3, 1, 2, 0]
            assert [sizes.tolist() for sizes in given["eval_group"]] == [[2, 2]]
            assert given["eval_sample_weight"] is None

    def test_two_sets_and_a_column_of_ids(self):
        first, second = np.array([[5, 1.0], [6, 2.0], [5, 3.0]]), np.array([[5, 4.0]])
        for sets in ([(first, [0, 1, 2]), (second, [3])], ((first, [0, 1, 2]), (second, [3]))):
            given = GroupedRanker(WantsIds(), groups=0).fit(first, [0, 1, 2], eval_set=sets).ranker_.given_
            assert [X.ravel().tolist() for X, _ in given["eval_set"]] == [[1, 3, 2], [4]]
            assert [codes.tolist() for codes in given["eval_qid"]] == [[0, 0, 1], [0]]

    def test_weights_of_eval_sets_are_one_per_row(self):
        ask = {"eval_set": (FOUR, [3, 2, 1, 0]), "eval_groups": BABA}
        for weights in ([1.0, 2, 3, 6], [[1.0, 2, 3, 6]], [np.array([1.0, 2, 3, 6])]):
            given = (
                GroupedRanker(Booster()).fit(FOUR, [0, 1, 2, 3], BABA, **ask, eval_sample_weight=weights).ranker_.given_
            )
            assert [part.tolist() for part in given["eval_sample_weight"]] == [[1, 3, 2, 6]]
        model = GroupedRanker(WantsIds()).fit(FOUR, [0, 1, 2, 3], BABA, **ask, sample_weight_eval_set=[[1.0, 2, 3, 6]])
        assert [part.tolist() for part in model.ranker_.given_["sample_weight_eval_set"]] == [[2, 4]]
        with pytest.raises(
            ValueError, match=r"`eval_sample_weight` has a weight per row of each eval set: .*3 entries"
        ):
            GroupedRanker(Booster()).fit(FOUR, [0, 1, 2, 3], BABA, **ask, eval_sample_weight=[[1, 2, 3]])

    def test_other_keywords_follow_the_rows(self):
        given = (
            GroupedRanker(Booster())
            .fit(
                FOUR,
                [0, 1, 2, 3],
                BABA,
                eval_set=[(FOUR[:3], [1, 2, 3])],
                eval_groups=[BABA[:3]],
                note="four",
                init_score=[10, 20, 30, 40],
                eval_init_score=[np.array([1, 2, 3])],
                feature_name=["a", "b", "c", "d"],
            )
            .ranker_.given_
        )
        assert given["init_score"] == [10, 30, 20, 40]
        assert [part.tolist() for part in given["eval_init_score"]] == [[1, 3, 2]]
        assert given["feature_name"] == ["a", "b", "c", "d"]  # one per column
        assert given["note"] == "four"

    @pytest.mark.parametrize(
        ("ask", "error", "message"),
        [
            ({"eval_set": [(FOUR, [0] * 4)]}, ValueError, "`eval_set` needs its query ids: pass `eval_groups`"),
            ({"eval_groups": [BABA]}, ValueError, "`eval_groups` was given without `eval_set`"),
            ({"eval_set": FOUR, "eval_groups": BABA}, TypeError, r"`eval_set` must be a tuple \(X, y\).*got a ndarray"),
            ({"eval_set": [], "eval_groups": BABA}, TypeError, "`eval_set` must be a tuple.* list of nothing"),
            ({"eval_set": [FOUR, [0] * 4], "eval_groups": BABA}, TypeError, "`eval_set`.* list of ndarray, list"),
            ({"eval_set": (FOUR, [0] * 3), "eval_groups": BABA}, ValueError, "`eval_set`.*inconsistent numbers"),
            ({"eval_set": (FOUR, [0] * 4), "eval_groups": BABA[:3]}, ValueError, "`eval_groups`.*it has 3 entries"),
            ({"eval_set": (FOUR, [0] * 4), "eval_groups": 3}, TypeError, "`eval_groups`.*got 3"),
            (
                {"eval_set": (FOUR, [0] * 4), "eval_groups": [BABA, BABA]},
                ValueError,
                "`eval_groups`.* 1 eval sets, got 2",
            ),
            ({"eval_set": [(FOUR, [0] * 4)] * 2, "eval_groups": np.ones(4)}, ValueError, "`eval_groups`.* 2 eval sets"),
            ({"eval_set": (np.eye(4), [0] * 4), "eval_groups": BABA}, ValueError, "`eval_set`.*X has 4 features"),
            (
                {"eval_set": (FOUR, [0] * 4), "eval_groups": ["a", None, "a", "a"]},
                ValueError,
                "`eval_groups`.*missing ids",
            ),
            ({"qid": BABA}, TypeError, "`qid` of the ranker's fit is filled in here: pass `groups`"),
            ({"eval_group": [[4]]}, TypeError, "`eval_group` of the ranker's fit .* pass `eval_groups`"),
            ({"pairs": [[0, 1]]}, TypeError, "`pairs` .* count rows"),
            ({"nott": 1}, TypeError, "nott"),
        ],
    )
    def test_what_is_refused(self, ask, error, message):
        with pytest.raises(error, match=message):
            GroupedRanker(Booster()).fit(FOUR, [0, 1, 2, 3], BABA, **ask)

    def test_ids_twice_and_a_ranker_without_eval_sets(self):
        table = np.array([[5, 1.0], [6, 2.0]])
        with pytest.raises(ValueError, match="`eval_groups` was given, but the ids are column 0"):
            GroupedRanker(Booster(), groups=0).fit(table, [0, 1], eval_set=(table, [0, 1]), eval_groups=[5, 6])
        with pytest.raises(
            TypeError, match=r"`eval_set or validation_fraction` cannot be handed over.*Keeps takes no eval_set"
        ):
            GroupedRanker(Keeps(), groups=0).fit(table, [0, 1], eval_set=(table, [0, 1]))

    def test_a_pipeline_transforms_them_as_rows_to_predict(self):
        # Mean 2.5 of the training rows; the eval rows do not shift it. The keyword of the scaler follows the rows.
        inside = make_pipeline(make_pipeline(StandardScaler(with_std=False), FunctionTransformer()), Booster())
        model = GroupedRanker(inside).fit(
            FOUR,
            [0, 1, 2, 3],
            BABA,
            eval_set=(FOUR + 10, [0, 1, 2, 3]),
            eval_groups=BABA,
            booster__note="kept",
            booster__init_score=[1, 2, 3, 4],
            pipeline__standardscaler__sample_weight=[1.0, 1.0, 1.0, 1.0],
        )
        given = model.ranker_[-1].given_
        assert given["X"].ravel().tolist() == [-1.5, 0.5, -0.5, 1.5]
        assert given["eval_set"][0][0].ravel().tolist() == [8.5, 10.5, 9.5, 11.5]
        assert (given["note"], given["init_score"]) == ("kept", [1, 3, 2, 4])
        assert model.ranker_[0][0].mean_.tolist() == [2.5]
        assert model.predict(FOUR).tolist() == [0] * 4
        with pytest.raises(TypeError, match="`booster__group` of the ranker's fit is filled in here"):
            GroupedRanker(inside).fit(FOUR, [0, 1, 2, 3], BABA, booster__group=[2, 2])

    def test_a_pipeline_with_a_memory_or_one_step(self, tmp_path):
        # With a memory a pipeline fits clones of its steps.
        for steps, memory in (((StandardScaler(), StandardScaler()), str(tmp_path)), ((), None)):
            model = GroupedRanker(make_pipeline(*steps, Booster(), memory=memory)).fit(FOUR, [0, 1, 2, 3], BABA)
            assert model.predict(FOUR).tolist() == [0] * 4


class TestValidationFraction:
    def fit(self, n_queries, share, state=0, **ask):
        """What the ranker is given of two rows a query, numbered in the column, first all first rows."""
        X, ids = np.arange(2.0 * n_queries)[:, None], np.tile(np.arange(n_queries), 2)
        model = GroupedRanker(Booster(), validation_fraction=share, random_state=state)
        return model.fit(X, np.arange(2 * n_queries), ids, **ask).ranker_.given_

    @pytest.mark.parametrize(
        ("n_queries", "share", "held"),
        [(10, 0.25, 3), (8, 0.25, 2), (100, 0.07, 7), (3, 0.01, 1), (30, np.float32(0.5), 15)],
    )
    def test_whole_queries_rounded_up(self, n_queries, share, held):
        # 0.07 of 100 is 7, although as floats 0.07 * 100 is 7.000000000000001.
        given = self.fit(n_queries, share)
        ((X, y),) = given["eval_set"]
        rows, held_rows = given["X"].ravel().astype(int), X.ravel().astype(int)
        assert sorted([*rows, *held_rows]) == list(range(2 * n_queries))
        assert len(set(held_rows % n_queries)) == held
        assert not set(held_rows % n_queries) & set(rows % n_queries)
        for part, grades, sizes in ((rows, given["y"], given["group"]), (held_rows, y, given["eval_group"][0])):
            assert (part[1::2] - part[::2] == n_queries).all()
            assert grades.tolist() == part.tolist()
            assert sizes.tolist() == [2] * (len(part) // 2)

    def test_random_state_decides_which(self):
        chosen = [self.fit(20, 0.2, state)["eval_set"][0][0].ravel().tolist() for state in (0, 0, 1)]
        assert chosen[0] == chosen[1] != chosen[2]
        assert self.fit(20, 0.2, np.random.RandomState(0))["eval_set"][0][0].ravel().tolist() == chosen[0]

    def test_weights_go_with_their_rows(self):
        given = self.fit(10, 0.3, sample_weight=np.arange(1.0, 21))
        assert given["sample_weight"].tolist() == (given["X"].ravel() + 1).tolist()
        assert given["eval_sample_weight"][0].tolist() == (given["eval_set"][0][0].ravel() + 1).tolist()

    @pytest.mark.parametrize("share", [0, 1, 1.0, 1.5, -0.1, "some", True, np.nan, [0.2], np.array([0.2])], ids=repr)
    def test_shares_that_are_none(self, share):
        with pytest.raises((TypeError, ValueError), match="`validation_fraction` must be a number between 0 and 1"):
            self.fit(5, share)

    def test_what_contradicts_it(self):
        with pytest.raises(ValueError, match=r"`validation_fraction`.*`eval_set` was given"):
            self.fit(5, 0.2, eval_set=(FOUR, [0] * 4), eval_groups=BABA)
        with pytest.raises(
            ValueError, match=r"`validation_fraction`=0.6 of 2 queries, rounded up, leaves none to train on"
        ):
            self.fit(2, 0.6)
        with pytest.raises(ValueError, match="`validation_fraction` holds rows out, and init_score"):
            self.fit(5, 0.2, init_score=np.ones(10))
        with pytest.raises(ValueError, match="`random_state` must be an integer, a RandomState or None, got 'x'"):
            self.fit(5, 0.2, state="x")


def xgboost(optional, n=8, **options):
    return optional("xgboost").XGBRanker(n_estimators=n, n_jobs=1, random_state=0, **options)


def lightgbm(optional, n=8, **options):
    settings = {"n_jobs": 1, "random_state": 0, "min_child_samples": 2, "verbose": -1}
    return optional("lightgbm").LGBMRanker(n_estimators=n, **settings, **options)


def catboost(optional, n=8, **options):
    settings = {"thread_count": 1, "random_seed": 0, "verbose": False, "allow_writing_files": False}
    return optional("catboost").CatBoostRanker(iterations=n, **settings, **options)


DEPTH = {xgboost: "max_depth", lightgbm: "max_depth", catboost: "depth"}
BOOSTERS = pytest.mark.parametrize("make", DEPTH, ids=lambda make: make.__name__)
# What the three packages and their use of others warn about is their affair; ours still fail the test.
QUIET = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@BOOSTERS
@QUIET
class TestBoosting:
    def test_grid_search_by_column_and_by_routing(self, make, queries, optional):
        ranker, depth = make(optional), DEPTH[make]
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        grid, folds = {f"ranker__{depth}": [1, 3]}, GroupKFold(2)
        by_column = GridSearchCV(
            GroupedRanker(ranker, groups="qid"),
            grid,
            scoring=make_rank_scorer("ndcg@3", groups="qid"),
            cv=folds,
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

    def test_pipeline_nested_and_several_metrics(self, make, queries, optional):
        ranker, depth = make(optional), DEPTH[make]
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        inside = make_pipeline(StandardScaler().set_output(transform="pandas"), ranker)
        model = GroupedRanker(inside, groups="qid")
        scoring = rank_scorers(["ndcg@3", "map@3"], groups="qid", relevance_threshold=1)
        # The inner folds need no ids: the rows of a query may be split between them here.
        search = GridSearchCV(
            model,
            {f"ranker__{type(ranker).__name__.lower()}__{depth}": [1, 2]},
            cv=2,
            scoring=scoring,
            refit="map@3",
            error_score="raise",
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


def in_query_order(X, y, ids):
    """Rows sorted by query, queries in order of first appearance, and the size of each."""
    queries = list(dict.fromkeys(ids.tolist()))
    order = np.concatenate([np.flatnonzero(ids == query) for query in queries])
    return X[order], y[order], [int((ids == query).sum()) for query in queries]


@BOOSTERS
@QUIET
class TestBoostingByHand:
    """Against the bare ranker on sorted rows, called as its own documentation says."""

    def test_weights_of_queries(self, make, queries, optional):
        X, y, ids = queries
        weights = np.random.default_rng(1).uniform(0.2, 4, len(y))
        Xs, ys, sizes = in_query_order(X, y, ids)
        order = in_query_order(np.arange(len(y)), y, ids)[0]
        means = [weights[ids == query].mean() for query in dict.fromkeys(ids.tolist())]
        codes = np.repeat(np.arange(len(sizes)), sizes)
        own = {
            xgboost: {"qid": codes, "sample_weight": means},
            lightgbm: {"group": sizes, "sample_weight": weights[order]},
            catboost: {"group_id": codes, "group_weight": np.repeat(means, sizes)},
        }[make]
        want = make(optional).fit(Xs, ys, **own).predict(X)
        got = GroupedRanker(make(optional)).fit(X, y, ids, sample_weight=weights)
        np.testing.assert_allclose(got.predict(X), want, rtol=1e-6)
        assert not np.allclose(GroupedRanker(make(optional)).fit(X, y, ids).predict(X), want, rtol=1e-3)

    def test_early_stopping(self, make, optional):
        rng = np.random.default_rng(3)
        ids = rng.permutation(np.repeat(np.arange(60), 6))
        X = rng.standard_normal((360, 4))
        y = np.digitize(X @ [1.0, 0.7, 0.5, -0.5] + 0.7 * rng.standard_normal(360), [0, 1, 2])
        train = ids < 40
        (Xa, ya, sizes), (Xb, yb, eval_sizes) = (
            in_query_order(X[part], y[part], ids[part]) for part in (train, ~train)
        )
        codes, eval_codes = (np.repeat(np.arange(len(part)), part) for part in (sizes, eval_sizes))
        options = {
            xgboost: {"early_stopping_rounds": 5, "learning_rate": 0.05, "eval_metric": "ndcg@3"},
            lightgbm: {"early_stopping_round": 5, "learning_rate": 0.5},
            catboost: {"early_stopping_rounds": 5, "eval_metric": "NDCG:top=3"},
        }[make]
        own = {
            xgboost: lambda: {"qid": codes, "eval_set": [(Xb, yb)], "eval_qid": [eval_codes]},
            lightgbm: lambda: {"group": sizes, "eval_set": [(Xb, yb)], "eval_group": [eval_sizes]},
            catboost: lambda: {"group_id": codes, "eval_set": optional("catboost").Pool(Xb, yb, group_id=eval_codes)},
        }[make]
        bare = make(optional, n=60, **options)
        bare.fit(Xa, ya, **own())
        best = bare.best_iteration if make is xgboost else bare.best_iteration_
        assert 0 < best < 55
        ranker = make(optional, n=60, **options)
        model = GroupedRanker(ranker).fit(
            X[train], y[train], ids[train], eval_set=(X[~train], y[~train]), eval_groups=ids[~train]
        )
        assert model.best_iteration_ == best
        np.testing.assert_allclose(model.predict(X), bare.predict(X), rtol=1e-6)
        held = GroupedRanker(ranker, validation_fraction=0.3, random_state=0).fit(X, y, ids)
        assert 0 <= held.best_iteration_ < 60

    def test_search_that_stops_early_without_routing(self, make, queries, optional):
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        rounds = "early_stopping_round" if make is lightgbm else "early_stopping_rounds"
        n = "iterations" if make is catboost else "n_estimators"
        model = GroupedRanker(
            make(optional, n=60, **{rounds: 3}), groups="qid", validation_fraction=0.3, random_state=0
        )
        scoring = make_rank_scorer("ndcg@3", groups="qid")
        cv = GroupedSplitter(GroupKFold(2))
        grid = GridSearchCV(model, {f"ranker__{DEPTH[make]}": [1, 3]}, scoring=scoring, cv=cv, error_score="raise")
        scores = cross_val_score(grid, frame, y, scoring=scoring, cv=cv, error_score="raise")
        for score, (train, test) in zip(scores, GroupKFold(2).split(X, y, ids), strict=True):
            fitted = clone(grid).fit(frame.iloc[train], y[train])
            assert fitted.best_estimator_.best_iteration_ < 59
            assert score == pytest.approx(scoring(fitted.best_estimator_, frame.iloc[test], y[test]), rel=1e-12)
        halving = HalvingGridSearchCV(
            GroupedRanker(make(optional), groups="qid"),
            {f"ranker__{DEPTH[make]}": [1, 2, 3]},
            scoring=scoring,
            cv=cv,
            resource=f"ranker__{n}",
            min_resources=2,
            max_resources=6,
            factor=3,
            error_score="raise",
        ).fit(frame, y)
        assert halving.n_resources_ == [2, 6]
        assert np.isfinite(halving.cv_results_["mean_test_score"]).all()


@QUIET
class TestAttributes:
    def test_importances_and_columns(self, queries, optional):
        X, y, ids = queries
        frame = pd.DataFrame(X, columns=list("abc")).assign(qid=ids)
        for make in (xgboost, lightgbm):
            model = GroupedRanker(make(optional), groups="qid")
            assert not hasattr(model, "feature_importances_")
            model.fit(frame, y)
            np.testing.assert_array_equal(model.feature_importances_, model.ranker_.feature_importances_)
            assert model.n_features_in_ == 4
            assert model.feature_names_in_.tolist() == ["a", "b", "c", "qid"]
            with pytest.raises(AttributeError, match="has no best_iteration_"):  # nothing to stop by
                model.best_iteration_  # noqa: B018

    def test_those_of_the_end_of_a_pipeline(self, queries, optional):
        X, y, ids = queries
        model = GroupedRanker(make_pipeline(StandardScaler(), lightgbm(optional))).fit(X, y, ids)
        np.testing.assert_array_equal(model.feature_importances_, model.ranker_[-1].feature_importances_)

    def test_none_where_the_ranker_has_none(self):
        model = GroupedRanker(Booster()).fit(FOUR, [0, 1, 2, 3], BABA)
        for name in ("feature_importances_", "best_iteration_", "feature_names_in_"):
            assert not hasattr(model, name)
        assert model.n_features_in_ == 1


@QUIET
def test_text_for_catboost_and_categories_for_lightgbm(queries, optional):
    X, y, ids = queries
    color = np.random.default_rng(0).choice(["red", "green", "blue"], len(y))
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(qid=ids, color=color)
    order = in_query_order(np.arange(len(y)), y, ids)[0]
    for make, kinds in ((catboost, {"cat_features": ["color"]}), (lightgbm, {})):
        table = frame if make is catboost else frame.assign(color=pd.Categorical(color))
        inside = table.drop(columns="qid")
        sizes = in_query_order(X, y, ids)[2]
        own = {"group_id": np.repeat(np.arange(20), sizes)} if make is catboost else {"group": sizes}
        want = make(optional).fit(inside.iloc[order], y[order], **own, **kinds).predict(inside)
        model = GroupedRanker(make(optional), groups="qid").fit(table, y, **kinds, eval_set=(table, y))
        np.testing.assert_allclose(
            GroupedRanker(make(optional), groups="qid").fit(table, y, **kinds).predict(table), want, rtol=1e-6
        )
        assert model.best_iteration_ >= 0 if make is catboost else not hasattr(model, "best_iteration_")
    # The rows to stop by have to be told, too; a list would not survive clone.
    ranker = catboost(optional, cat_features=("color",))
    assert GroupedRanker(ranker, groups="qid").fit(frame, y, eval_set=(frame, y)).best_iteration_ >= 0
