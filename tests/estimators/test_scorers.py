"""Scorers as objects: how they are made, compared, batched, shared, and what they say."""

from __future__ import annotations

import copy
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from estimator_problems import (
    CONSTANT_LABEL,
    LINE,
    LINE_Y,
    RECIPROCAL_RANKS,
    FirstColumn,
    hand_aligned,
    queries,
    ragged_problem,
)
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import check_scoring, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import sklearn_rank
from sklearn_rank import (
    err_at_k,
    make_rank_scorer,
    map_at_k,
    map_at_k_scorer,
    mrr_at_k,
    mrr_at_k_scorer,
    ndcg_at_k_scorer,
    r_precision_scorer,
    rank_scorers,
    rbp_scorer,
)
from sklearn_rank.metrics._registry import METRICS


def refused(error, message, make, *args, **options):
    """A call that fails, named by its arguments."""
    return pytest.param(partial(make, *args, **options), error, message, id=f"{make.__name__}{args}{options or ''}")


class TestMaking:
    @pytest.mark.parametrize(
        ("make", "error", "message"),
        [
            refused(ValueError, r"`metric`='map@5' names its own k, got k=3", make_rank_scorer, "map@5", k=3),
            refused(ValueError, r"`metric`='map@5' names its own k, got k=None", make_rank_scorer, "map@5", k=None),
            refused(ValueError, r"r_precision takes no k, got k=10", make_rank_scorer, "r_precision", k=10),
            refused(ValueError, r"r_precision takes no k, got k=3", make_rank_scorer, sklearn_rank.r_precision, 3),
            refused(ValueError, r"r_precision takes no k, got 'r_precision@3'", make_rank_scorer, "r_precision@3"),
            refused(
                ValueError, r"`k` must be an integer of at least 1, .* or None, got 0", make_rank_scorer, "map", k=0
            ),
            refused(ValueError, r"`k` must be an integer .* got 2\.0 \(float\)", make_rank_scorer, "map", k=2.0),
            refused(ValueError, r"k of 'map@0' must be an integer of at least 1", make_rank_scorer, "map@0"),
            refused(ValueError, r"k of 'map@x' must be an integer of at least 1, .*got 'x'", make_rank_scorer, "map@x"),
            refused(ValueError, r"k of 'map@' must be an integer of at least 1, .*got ''", make_rank_scorer, "map@"),
            refused(ValueError, r"k of 'map@-1' must be an integer of at least 1", make_rank_scorer, "map@-1"),
            refused(ValueError, r"Unknown metric 'ncdg@10': did you mean 'ndcg@10'\?", make_rank_scorer, "ncdg@10"),
            refused(ValueError, r"did you mean 'map'\? Known are bpref, dcg, err", make_rank_scorer, "map_at_k"),
            refused(ValueError, r"did you mean 'ndcg@10'", make_rank_scorer, "NDCG@10"),
            refused(
                ValueError,
                r"`metric` must be a metric of sklearn_rank .*<built-in function len>",
                make_rank_scorer,
                len,
            ),
            refused(
                TypeError, r"`metric` must be a function of sklearn_rank or a text .* got int", make_rank_scorer, 10
            ),
            refused(TypeError, r"map_at_k has no keyword tie; it has .*ties", make_rank_scorer, "map@5", tie="first"),
            refused(TypeError, r"map_at_k has no keyword gain", make_rank_scorer, "map@5", gain="linear"),
            refused(
                TypeError, r"ndcg_at_k has no keyword relevance", make_rank_scorer, "ndcg@5", relevance_threshold=1
            ),
            refused(ValueError, r"`average` can only be 'samples'", make_rank_scorer, "map@5", average=None),
            refused(
                ValueError, r"`ties` must be one of 'average', .*'random'", make_rank_scorer, "map@5", ties="random"
            ),
            refused(ValueError, r"`denominator` must be one of .*got 'K'", make_rank_scorer, "map@5", denominator="K"),
            refused(ValueError, r"`gain` must be 'linear', .*got 'log'", make_rank_scorer, "ndcg@5", gain="log"),
            refused(
                TypeError, r"`zero_division` must be a finite number", make_rank_scorer, "map@5", zero_division="warn"
            ),
            refused(
                TypeError, r"`relevance_threshold` must be a finite", make_rank_scorer, "map@5", relevance_threshold="2"
            ),
            refused(
                TypeError, r"`sample_weight` reaches a scorer by metadata", make_rank_scorer, "map@5", sample_weight=[1]
            ),
            refused(
                ValueError, r"`batch_size` must be an integer of at least 1", make_rank_scorer, "map@5", batch_size=0
            ),
            refused(
                TypeError, r"`batch_size` must be an integer .* got 2\.5", make_rank_scorer, "map@5", batch_size=2.5
            ),
            refused(TypeError, r"`groups`", make_rank_scorer, "map@5", groups=[1, 1, 2]),
            refused(TypeError, r"no keyword compute", make_rank_scorer, "map@5", compute=False),
            refused(ValueError, r"asks for 'map@5' more than once", rank_scorers, ["map@5", "map@5"]),
            refused(TypeError, r"`metrics` must be a list such as .* got 'map@5'", rank_scorers, "map@5"),
            refused(ValueError, r"`metrics` must name at least one metric", rank_scorers, []),
            refused(ValueError, r"Unknown metric 'foo'", rank_scorers, ["map@5", "foo"]),
            refused(TypeError, r"\('map@10', \{'denominator': 'k'\}\)", rank_scorers, ["map@5"], denominator="k"),
            refused(ValueError, r"`average` can only be 'samples'", rank_scorers, ["map@5"], average=None),
            refused(ValueError, r"`ties` must be one of", rank_scorers, ["map@5"], ties="random"),
        ],
    )
    def test_fails_at_once(self, make, error, message):
        with pytest.raises(error, match=message):
            make()

    def test_message_lists_all_metrics(self):
        with pytest.raises(ValueError, match="Unknown metric 'foo'") as caught:
            make_rank_scorer("foo")
        for name in METRICS:
            assert name in str(caught.value)

    def test_equal_k_beside_the_text(self):
        assert repr(make_rank_scorer("map@5", k=5)) == repr(make_rank_scorer("map@5"))

    def test_err_needs_its_scale(self):
        with pytest.raises(
            ValueError, match=r"err needs `max_grade` here: .* Pass max_grade=4, .* as \('err', \{'max_grade': 4\}\)"
        ):
            make_rank_scorer("err@5")
        with pytest.raises(ValueError, match=r"err needs `max_grade` here"):
            rank_scorers(["map@5", "err@5"])
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(5).fit(X[train], Y[train])
        expected = err_at_k(Y[test], hand_aligned(model, X[test]), 5, max_grade=3)
        assert make_rank_scorer("err@5", max_grade=3)(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)
        both = rank_scorers([("err@5", {"max_grade": 3}), "rbp"])(model, X[test], Y[test])
        assert both["err@5(max_grade=3)"] == pytest.approx(expected, rel=1e-14)
        assert both["rbp"] == pytest.approx(rbp_scorer(model, X[test], Y[test]), rel=1e-14)

    def test_average_samples_is_what_it_does(self):
        assert repr(make_rank_scorer("map@5", average="samples")) == repr(make_rank_scorer("map@5"))

    @pytest.mark.parametrize("name", sorted(name for name, metric in METRICS.items() if metric.is_ready))
    def test_ready_scorers_have_k_10(self, name):
        X, Y, train, test = ragged_problem()
        Y = np.hstack((Y, 1 - Y, Y[:, ::-1]))  # 15 labels, so that the tenth rank cuts
        model = KNeighborsClassifier(5).fit(X[train], Y[train])
        metric = METRICS[name]
        scorer = getattr(sklearn_rank, f"{metric.function.__name__}_scorer")
        k = (10,) if metric.takes_k else ()
        expected = metric.function(Y[test], hand_aligned(model, X[test]), *k)
        assert scorer(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)
        for made in (make_rank_scorer(name), make_rank_scorer(metric.function)):
            assert made(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)
        if metric.takes_k:
            whole = metric.function(Y[test], hand_aligned(model, X[test]))
            assert make_rank_scorer(name, None)(model, X[test], Y[test]) == pytest.approx(whole, rel=1e-14)

    @pytest.mark.parametrize(
        "options", [{"ties": "first"}, {"ties": "best"}, {"zero_division": 1.0}, {"denominator": "k"}, {"n_jobs": 2}]
    )
    def test_options_reach_the_metric(self, options):
        X, Y, train, test = ragged_problem()
        Y[-1] = 0
        model = KNeighborsClassifier(2).fit(X[train], Y[train])
        expected = map_at_k(Y[test], hand_aligned(model, X[test]), 2, **options)
        plain = map_at_k(Y[test], hand_aligned(model, X[test]), 2)
        assert (expected == plain) == ("n_jobs" in options)
        assert make_rank_scorer("map@2", **options)(model, X[test], Y[test]) == pytest.approx(expected, rel=1e-14)


REPRESENTATIONS = {
    "make_rank_scorer('map@10')": map_at_k_scorer,
    "make_rank_scorer('r_precision')": r_precision_scorer,
    "make_rank_scorer('map', k=None)": make_rank_scorer(map_at_k, k=None),
    "make_rank_scorer('ndcg@3', groups='qid', gain='exponential')": make_rank_scorer(
        "ndcg@3", gain="exponential", groups="qid"
    ),
    "make_rank_scorer('map@5', response_method='predict', pos_label='buy', ties='first')": make_rank_scorer(
        "map", 5, ties="first", pos_label="buy", response_method="predict"
    ),
    "rank_scorers(['map@10', 'mrr'])": rank_scorers(("map@10", "mrr")),
}


class TestAsAnObject:
    @pytest.mark.parametrize("text", REPRESENTATIONS)
    def test_repr_makes_it_again(self, text):
        assert repr(REPRESENTATIONS[text]) == text
        again = eval(text, {"make_rank_scorer": make_rank_scorer, "rank_scorers": rank_scorers})
        assert repr(again) == text

    def test_repr_with_requests_of_their_own(self):
        scorer = rank_scorers([("map@10", {"denominator": "k"}), ("map@10", {}, "usual")], ties="first")
        assert repr(scorer).startswith("rank_scorers([")
        assert repr(scorer).endswith("], ties='first')")
        for shown in ("map@10", "denominator", "usual"):
            assert shown in repr(scorer)

    @pytest.mark.parametrize(
        "copied",
        [lambda s: pickle.loads(pickle.dumps(s)), copy.deepcopy, copy.copy],
        ids=["pickle", "deepcopy", "copy"],
    )
    @pytest.mark.parametrize(
        "scorer",
        [map_at_k_scorer, make_rank_scorer("map@1", ties="worst"), rank_scorers(["map@10", "mrr@10"])],
        ids=repr,
    )
    def test_copies(self, copied, scorer):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        twin = copied(scorer)
        assert twin is not scorer
        assert repr(twin) == repr(scorer)
        assert twin(model, X[test], Y[test]) == scorer(model, X[test], Y[test])

    def test_copies_keep_their_requests(self):
        with config_context(enable_metadata_routing=True):
            scorer = map_at_k_scorer.set_score_request(groups="qid", sample_weight=True)
            for twin in (pickle.loads(pickle.dumps(scorer)), copy.deepcopy(scorer)):
                assert twin.get_metadata_routing().score.requests == {"groups": "qid", "sample_weight": True}

    def test_clone_of_a_search(self):
        scorer = make_rank_scorer("map@3", ties="first")
        search = clone(GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]}, scoring=scorer))
        assert repr(search.scoring) == repr(scorer)
        assert "map@3" in repr(search)

    def test_metrics_given_by_a_generator(self):
        scorer = rank_scorers(f"map@{k}" for k in (1, 2))
        model = KNeighborsClassifier(1).fit(LINE, LINE_Y)
        assert list(scorer(model, LINE, LINE_Y)) == list(scorer(model, LINE, LINE_Y)) == ["map@1", "map@2"]

    def test_data_are_not_written_to(self, read_only):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        expected = map_at_k_scorer(model, X[test], Y[test])
        assert map_at_k_scorer(model, read_only(X[test]), read_only(Y[test])) == expected


@pytest.mark.filterwarnings(CONSTANT_LABEL)
class TestBatches:
    @pytest.mark.parametrize("batch_size", [1, 3, 16, 100])
    @pytest.mark.parametrize(
        "model",
        [KNeighborsClassifier(3), Ridge(), OneVsRestClassifier(LogisticRegression())],
        ids=lambda model: type(model).__name__,
    )
    def test_label_matrix(self, batch_size, model):
        X, Y, train, test = ragged_problem()
        model.fit(X[train], Y[train])
        for options in ({}, {"zero_division": np.nan}, {"ties": "first", "denominator": "k"}):
            whole = make_rank_scorer("map@2", **options)(model, X[test], Y[test])
            parts = make_rank_scorer("map@2", batch_size=batch_size, **options)(model, X[test], Y[test])
            assert parts == pytest.approx(whole, rel=1e-13)

    def test_decision_values_of_constant_labels(self):
        X, Y, train, test = ragged_problem()
        model = OneVsRestClassifier(LinearSVC()).fit(X[train], Y[train])
        batched = make_rank_scorer("map@10", batch_size=5)
        assert batched(model, X[test], Y[test]) == pytest.approx(map_at_k_scorer(model, X[test], Y[test]), rel=1e-13)

    def test_weights(self):
        X, Y, train, test = ragged_problem()
        weight = np.linspace(0, 3, 16)
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        whole = map_at_k_scorer(model, X[test], Y[test], sample_weight=weight)
        parts = make_rank_scorer("map@10", batch_size=5)(model, X[test], Y[test], sample_weight=weight)
        assert parts == pytest.approx(whole, rel=1e-13)

    def test_several_metrics(self):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        whole = rank_scorers(["map@2", "mrr"])(model, X[test], Y[test])
        parts = rank_scorers(["map@2", "mrr"], batch_size=5)(model, X[test], Y[test])
        assert parts == pytest.approx(whole, rel=1e-13)
        assert list(parts) == list(whole)

    def test_one_ranking(self, rng):
        X = rng.normal(size=(30, 2))
        y = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
        model = LogisticRegression().fit(X, y)
        for k in (3, 30):
            whole = make_rank_scorer("map", k)(model, X, y)
            assert make_rank_scorer("map", k, batch_size=7)(model, X, y) == pytest.approx(whole, rel=1e-13)
        whole = rank_scorers(["map@3", "precision@5"])(model, X, y)
        assert rank_scorers(["map@3", "precision@5"], batch_size=7)(model, X, y) == pytest.approx(whole, rel=1e-13)

    def test_one_ranking_with_weights(self, rng):
        """One ranking has one weight, so the weights of its rows change nothing."""
        X = rng.normal(size=(30, 2))
        y = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
        model = LogisticRegression().fit(X, y)
        weight = rng.random(30) + 0.5
        expected = make_rank_scorer("map@7")(model, X, y)
        for scorer in (make_rank_scorer("map@7"), make_rank_scorer("map@7", batch_size=4)):
            with pytest.warns(UserWarning, match="`sample_weight` changes nothing"):
                assert scorer(model, X, y, sample_weight=weight) == pytest.approx(expected)

    @pytest.mark.parametrize("truth", [[0, 1, 0, 1, 2, 2], [2, 2, 0, 1, 0, 1]])
    def test_batches_that_lack_the_class_that_decides(self, truth):
        """The first or last batch alone looks like a binary problem; the fold is not one."""
        X = np.arange(6.0).reshape(-1, 1)
        model = KNeighborsClassifier(1).fit(X, [0, 1, 0, 1, 0, 1])
        truth = np.array(truth)
        whole = make_rank_scorer("map@2")(model, X, truth)
        assert whole == pytest.approx(
            np.mean([0.0 if value == 2 else 1.0 if value == place % 2 else 0.5 for place, value in enumerate(truth)])
        )
        assert make_rank_scorer("map@2", batch_size=2)(model, X, truth) == pytest.approx(whole)

    def test_batches_of_one_class(self):
        X = np.arange(6.0).reshape(-1, 1)
        model = KNeighborsClassifier(1).fit(X, [0, 0, 0, 1, 1, 1])
        truth = np.array([0, 1, 0, 0, 1, 1])
        whole = make_rank_scorer("map@3")(model, X, truth)
        assert make_rank_scorer("map@3", batch_size=1)(model, X, truth) == pytest.approx(whole)

    def test_words_absent_from_a_batch(self):
        words = np.array([["buy", "skip"], ["skip", "buy"], ["skip", "skip"]])
        model = KNeighborsClassifier(1).fit(LINE, words)
        whole = make_rank_scorer("map@2", pos_label="buy")(model, LINE, words)
        assert whole == pytest.approx(2 / 3)
        assert make_rank_scorer("map@2", pos_label="buy", batch_size=1)(model, LINE, words) == pytest.approx(whole)

    def test_grades_in_batches(self, rng):
        X = rng.normal(size=(20, 2))
        Y = rng.integers(0, 4, (20, 5))
        model = LinearRegression().fit(X, Y)
        expected = make_rank_scorer("ndcg@3")(model, X, Y)
        assert make_rank_scorer("ndcg@3", batch_size=6)(model, X, Y) == pytest.approx(expected, rel=1e-13)

    def test_containers(self):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        expected = map_at_k_scorer(model, X[test], Y[test])
        batched = make_rank_scorer("map@10", batch_size=5)
        for container in (np.asarray, np.ndarray.tolist, pd.DataFrame):
            found = batched(model, container(X[test]), container(Y[test]))
            assert found == pytest.approx(expected, rel=1e-13)
        sparse_model = KNeighborsClassifier(3).fit(sparse.csr_matrix(X[train]), Y[train])
        found = batched(sparse_model, sparse.coo_matrix(X[test]), sparse.coo_matrix(Y[test]))
        assert found == pytest.approx(expected, rel=1e-13)

    def test_predictions_come_in_batches(self):
        sizes = []

        class Recording(Ridge):
            def predict(self, X):
                sizes.append(len(X))
                return super().predict(X)

        X, Y, train, test = ragged_problem()
        model = Recording().fit(X[train], Y[train])
        make_rank_scorer("map@10", batch_size=7)(model, X[test], Y[test])
        assert sizes == [7, 7, 2]

    def test_groups_are_ranked_whole(self):
        scores, query, y = queries()
        X = np.column_stack((scores, query))
        scorer = make_rank_scorer("mrr@10", groups=1, batch_size=2)
        assert scorer(FirstColumn(), X, y) == pytest.approx(RECIPROCAL_RANKS)


@pytest.fixture
def counting():
    """A function that makes an estimator which notes the calls of its methods in a list that its clones share."""

    def made(base, *args):
        calls = []

        def noted(method):
            def call(self, X):
                calls.append(method)
                return getattr(base, method)(self, X)

            call.__name__ = method
            return call

        methods = {method: noted(method) for method in ("predict_proba", "predict") if hasattr(base, method)}
        kind = type(f"Counting{base.__name__}", (base,), {"calls": calls, "__init__": base.__init__, **methods})
        return kind(*args)

    return made


class TestSharedPredictions:
    MULTICLASS = (np.tile(LINE, (4, 1)), np.tile([0, 1, 2], 4))

    def test_multiclass(self, counting):
        X, y = self.MULTICLASS
        model = counting(KNeighborsClassifier, 2)
        scoring = {"map": map_at_k_scorer, "mrr": mrr_at_k_scorer, "loss": "neg_log_loss", "auc": "roc_auc_ovr"}
        cross_validate(model, X, y, scoring=scoring, cv=2)
        assert model.calls == ["predict_proba"] * 2

    def test_multiclass_with_labels(self, counting):
        X, y = self.MULTICLASS
        model = counting(KNeighborsClassifier, 2)
        scoring = {"map": map_at_k_scorer, "accuracy": "accuracy", "f1": "f1_macro"}
        cross_validate(model, X, y, scoring=scoring, cv=2)
        assert sorted(model.calls) == ["predict"] * 2 + ["predict_proba"] * 2

    def test_binary(self, counting):
        X, y = self.MULTICLASS
        model = counting(KNeighborsClassifier, 2)
        scoring = {"map": map_at_k_scorer, "at_2": make_rank_scorer("precision@2"), "auc": "roc_auc"}
        cross_validate(model, X, (y > 0).astype(int), scoring=scoring, cv=2)
        assert model.calls == ["predict_proba"] * 2

    def test_label_matrix(self, counting):
        X, Y = np.tile(LINE, (4, 1)), np.tile([[1, 0], [0, 1], [1, 1]], (4, 1))
        model = counting(KNeighborsClassifier, 2)
        scoring = {"map": map_at_k_scorer, "mrr": mrr_at_k_scorer, "auc": "roc_auc"}
        cross_validate(model, X, Y, scoring=scoring, cv=2)
        assert model.calls == ["predict_proba"] * 2

    def test_regressor(self, counting):
        X, Y = np.tile(LINE, (4, 1)), np.tile([[1, 0], [0, 1], [1, 1]], (4, 1))
        model = counting(Ridge)
        scoring = {"map": map_at_k_scorer, "ndcg": ndcg_at_k_scorer, "r2": "r2"}
        cross_validate(model, X, Y, scoring=scoring, cv=2)
        assert model.calls == ["predict"] * 2

    def test_values_are_those_of_single_scorers(self):
        X, Y, _, _ = ragged_problem()
        model = KNeighborsClassifier(3)
        together = cross_validate(model, X, Y, scoring={"map": map_at_k_scorer, "mrr": mrr_at_k_scorer}, cv=KFold(3))
        for name, scorer in (("map", map_at_k_scorer), ("mrr", mrr_at_k_scorer)):
            alone = cross_val_score(model, X, Y, scoring=scorer, cv=KFold(3))
            np.testing.assert_array_equal(together[f"test_{name}"], alone)

    def test_two_labels_beside_scikit_learns_scorers(self):
        X, Y, _, _ = ragged_problem(0)
        Y = Y[:, :2]
        model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
        scorers = check_scoring(scoring={"map": make_rank_scorer("map@1"), "accuracy": make_scorer(subset_accuracy)})
        assert scorers(model, X, Y)["map"] == pytest.approx(map_at_k(Y, model.predict_proba(X), 1))


def subset_accuracy(y_true, y_pred):
    return float((y_true == y_pred).all(axis=1).mean())


class TestRankScorers:
    def test_one_prediction_a_fold(self, counting):
        X, Y, _, _ = ragged_problem()
        model = counting(KNeighborsClassifier, 3)
        found = cross_validate(
            model, X, Y, scoring=rank_scorers(["map@10", "mrr", "ndcg@3", "r_precision"]), cv=KFold(3)
        )
        assert model.calls == ["predict_proba"] * 3
        assert {key for key in found if key.startswith("test_")} == {
            "test_map@10",
            "test_mrr",
            "test_ndcg@3",
            "test_r_precision",
        }

    def test_values(self):
        X, Y, train, test = ragged_problem()
        model = KNeighborsClassifier(3).fit(X[train], Y[train])
        scores = hand_aligned(model, X[test])
        found = rank_scorers(["map@2", "mrr", ("map@2", {"denominator": "k"}, "by k")], ties="first")(
            model, X[test], Y[test]
        )
        assert found == pytest.approx(
            {
                "map@2": map_at_k(Y[test], scores, 2, ties="first"),
                "mrr": mrr_at_k(Y[test], scores, ties="first"),
                "by k": map_at_k(Y[test], scores, 2, ties="first", denominator="k"),
            }
        )

    def test_refit(self):
        X, Y, _, _ = ragged_problem()
        search = GridSearchCV(
            KNeighborsClassifier(),
            {"n_neighbors": [1, 7]},
            scoring=rank_scorers(["map@10", "mrr@10"]),
            refit="map@10",
            cv=KFold(3),
        ).fit(X, Y)
        means = search.cv_results_["mean_test_map@10"]
        assert search.best_score_ == means.max() > means.min()
        assert search.best_params_ == {"n_neighbors": [1, 7][int(np.argmax(means))]}
        alone = cross_val_score(search.best_estimator_, X, Y, scoring=mrr_at_k_scorer, cv=KFold(3)).mean()
        assert search.cv_results_["mean_test_mrr@10"][search.best_index_] == pytest.approx(alone)

    def test_refit_true_is_scikit_learns_error(self):
        X, Y, _, _ = ragged_problem()
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]}, scoring=rank_scorers(["map@10"]), cv=3)
        with pytest.raises(
            ValueError, match="For multi-metric scoring, the parameter refit must be set to a scorer key"
        ):
            search.fit(X, Y)

    def test_cross_val_score_wants_one_number(self):
        X, Y, _, _ = ragged_problem()
        with pytest.raises(ValueError, match=r"scoring must return a number, got \{'map@10': .*dict"):
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=rank_scorers(["map@10"]))

    def test_permutation_importance(self):
        X, Y, _, _ = ragged_problem(0)
        model = KNeighborsClassifier(3).fit(X, Y)
        found = permutation_importance(
            model, X, Y, scoring=rank_scorers(["map@10", "mrr@10"]), n_repeats=2, random_state=0
        )
        alone = permutation_importance(model, X, Y, scoring=map_at_k_scorer, n_repeats=2, random_state=0)
        np.testing.assert_array_equal(found["map@10"].importances, alone.importances)


class TestMessages:
    """Called with the wrong thing, the first line says the right thing."""

    @pytest.mark.parametrize("metric", [metric.function for metric in METRICS.values()], ids=lambda f: f.__name__)
    def test_metric_as_scoring(self, metric):
        X, Y, _, _ = ragged_problem()
        with pytest.raises((TypeError, ValueError)) as caught:
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=metric, error_score="raise")
        assert f"scoring={metric.__name__}_scorer" in str(caught.value).splitlines()[0]

    def test_metric_as_scoring_under_the_default_error_score(self):
        X, Y, _, _ = ragged_problem()
        with pytest.warns(UserWarning, match="Scoring failed") as caught:
            scores = cross_val_score(KNeighborsClassifier(), X, Y, scoring=map_at_k)
        assert np.isnan(scores).all()
        error = next(line for line in str(caught[0].message).splitlines() if line.startswith("TypeError"))
        assert "scoring=map_at_k_scorer" in error

    def test_plain_make_scorer_on_a_ragged_fold(self):
        X, Y, train, test = ragged_problem()
        folds = [(np.arange(40)[train], np.arange(40)[test])]
        plain = make_scorer(map_at_k, response_method="predict_proba")
        with pytest.raises(ValueError, match=r"^`y_scores` is a list of 2-D arrays.*make_rank_scorer"):
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=plain, cv=folds, error_score="raise")
        with pytest.warns(UserWarning, match=r"Scoring failed[\s\S]*make_rank_scorer"):
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=plain, cv=folds)

    def test_plain_make_scorer_on_two_labels(self):
        X, Y, _, _ = ragged_problem(0)
        plain = make_scorer(map_at_k, response_method="predict_proba")
        model = OneVsRestClassifier(LogisticRegression()).fit(X, Y[:, :2])
        with pytest.raises(
            ValueError, match=r"^`y_true` and `y_scores` do not match.*\(40, 2\).*\(40,\).*make_rank_scorer"
        ):
            plain(model, X, Y[:, :2])

    def test_plain_make_scorer_on_a_fold_that_lacks_a_class(self):
        model = KNeighborsClassifier(1).fit(LINE, [0, 1, 2])
        plain = make_scorer(map_at_k, response_method="predict_proba")
        with pytest.raises(ValueError, match=r"`y_scores` has 3 columns but `y_true` holds 2 labels.*make_rank_scorer"):
            plain(model, LINE[:2], [0, 1])

    def test_plain_make_scorer_works_on_a_right_matrix(self):
        X, Y, _, _ = ragged_problem(0)
        plain = make_scorer(map_at_k, response_method="predict")
        expected = map_at_k_scorer(Ridge().fit(X, Y), X, Y)
        assert make_rank_scorer("map", None)(Ridge().fit(X, Y), X, Y) == plain(Ridge().fit(X, Y), X, Y) == expected
