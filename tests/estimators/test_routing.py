"""Query ids and weights: as columns of X, by hand, by metadata routing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from estimator_problems import (
    LINE,
    RECIPROCAL_RANKS,
    Answers,
    FirstColumn,
    hand_aligned,
    hit_rate_scorer_at,
    queries,
    ragged_problem,
)
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier

from sklearn_rank import (
    make_rank_scorer,
    map_at_k,
    map_at_k_scorer,
    mrr_at_k_scorer,
    rank_scorers,
)


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
