"""make_eval_metric: what the libraries hand over, and real fits where they load."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.model_selection import GridSearchCV, cross_val_score

from sklearn_rank import err_at_k, make_eval_metric, make_rank_scorer, map_at_k

LIBRARIES = ("lightgbm", "xgboost", "catboost")
# What the libraries warn about is their affair: arguments on their way out, numba that is not there.
QUIET = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore:Failed to import numba:UserWarning"
)

# Labels 1, 0, 2: the first row's class ties with another on ranks 2 and 3, the second is first, the third on 3.
Y = np.array([1, 0, 2], np.float32)
P = np.array([[0.2, 0.2, 0.6], [0.5, 0.3, 0.2], [0.4, 0.35, 0.25]], np.float32)
TIED = (1 / 2 + 1 / 3) / 2
TIED_TOP_2 = (1 / 2 + 0) / 2


def value_of(library, metric, y, scores, weight=None):
    """The figure of rows of scores by the protocol of each library."""
    if library == "lightgbm":
        return metric(y, scores, weight, None)[1]
    if library == "xgboost":
        return 1 - (metric(y, scores) if weight is None else metric(y, scores, sample_weight=weight))
    return metric.get_final_error(*metric.evaluate(tuple(np.asarray(scores, float).T), np.asarray(y), weight))


@pytest.mark.parametrize("library", LIBRARIES)
class TestProtocol:
    @pytest.mark.parametrize(
        ("metric", "k", "options", "want"),
        [
            ("mrr@3", 10, {}, (TIED + 1 + 1 / 3) / 3),
            ("mrr", 3, {}, (TIED + 1 + 1 / 3) / 3),
            ("mrr", None, {}, (TIED + 1 + 1 / 3) / 3),
            (map_at_k, 2, {}, (1 / 2 / 2 + 1 + 0) / 3),
            (map_at_k, np.int64(2), {"ties": "worst"}, (0 + 1 + 0) / 3),
            ("map@2", 2, {"ties": "best", "denominator": "k"}, (1 / 4 + 1 / 2 + 0) / 3),
            ("r_precision", 10, {}, 1 / 3),
            ("err@3", 10, {"max_grade": 1}, (TIED / 2 + 1 / 2 + 1 / 6) / 3),
        ],
    )
    def test_rows_of_scores(self, library, metric, k, options, want):
        made = make_eval_metric(metric, k, library=library, **options)
        assert value_of(library, made, Y, P) == pytest.approx(want, rel=1e-12)

    def test_weights_of_rows(self, library):
        made = make_eval_metric("mrr@3", library=library)
        weight = np.array([1, 2, 3], np.float32)
        assert value_of(library, made, Y, P, weight) == pytest.approx((TIED + 2 * 1 + 3 * (1 / 3)) / 6, rel=1e-12)

    def test_columns_that_no_row_has_and_columns_with_names(self, library):
        made = make_eval_metric("mrr@3", library=library)
        assert value_of(library, made, Y[1:2], P[1:2]) == 1  # one label of three
        named = make_eval_metric("mrr@3", library=library, labels=[7, 5, 9])
        assert value_of(library, named, [5, 7, 9], P) == pytest.approx((TIED + 1 + 1 / 3) / 3, rel=1e-12)

    def test_one_ranking(self, library):
        made = make_eval_metric("precision@2", library=library, one_ranking=True)
        y, scores, weight = np.array([1, 0, 0, 1]), np.array([[0.9], [0.8], [0.1], [0.2]]), np.arange(4.0)
        scores = scores if library == "catboost" else scores[:, 0]
        assert value_of(library, made, y, scores, weight) == 1 / 2
        with pytest.raises(ValueError, match="`one_ranking` means one score per row, and there are 3 scores per row"):
            value_of(library, made, Y, P)

    def test_name_and_repr(self, library):
        made = make_eval_metric(map_at_k, 3, library=library, ties="worst")
        name = {
            "lightgbm": lambda: made(Y, P, None, None)[0],
            "xgboost": lambda: made.__name__.removeprefix("1-"),
            "catboost": lambda: type(made).__name__,
        }[library]()
        assert name == "map@3"
        assert repr(made) == f"make_eval_metric('map@3', library='{library}', ties='worst')"
        shown = repr(make_eval_metric("mrr", None, library=library, labels=[2, 1], one_ranking=True))
        assert shown == f"make_eval_metric('mrr', library='{library}', labels=[2, 1], one_ranking=True)"

    @pytest.mark.parametrize(
        ("metric", "k", "text", "want"),
        [
            ("map@R", 10, "map@R", 1 / 3),
            ("map", "relevant", "map@R", 1 / 3),
            ("mrr@34%", 10, "mrr@34%", (TIED_TOP_2 + 1 + 0) / 3),  # 34 % of 3 columns, rounded up, are 2
        ],
    )
    def test_shares_and_depths_of_each_row(self, library, metric, k, text, want):
        made = make_eval_metric(metric, k, library=library)
        assert value_of(library, made, Y, P) == pytest.approx(want, rel=1e-12)
        assert repr(made) == f"make_eval_metric({text!r}, library='{library}')"
        assert repr(pickle.loads(pickle.dumps(made))) == repr(made)
        share = make_eval_metric("mrr", 0.34, library=library)
        assert value_of(library, share, Y, P) == pytest.approx((TIED_TOP_2 + 1 + 0) / 3, rel=1e-12)

    def test_pickles_and_copies(self, library):
        made = make_eval_metric("map@2", library=library, labels=[7, 5, 9], ties="best", denominator="k")
        assert copy.deepcopy(made) is made
        assert clone(made, safe=False) is made
        twin = pickle.loads(pickle.dumps(made))
        assert repr(twin) == repr(made)
        want = (1 / 4 + 1 / 2 + 0) / 3
        assert value_of(library, twin, [5, 7, 9], P) == pytest.approx(want, rel=1e-12)

    @pytest.mark.parametrize(
        ("metric", "k", "options", "error", "message"),
        [
            ("map@3", 5, {}, ValueError, "names its own k, got k=5"),
            ("mapp@3", 10, {}, ValueError, "Unknown metric 'mapp@3'"),
            (3, 10, {}, TypeError, "`metric` must be a function"),
            ("map", 0, {}, ValueError, "`k` must be"),
            ("map", "3", {}, TypeError, "`k` must be"),
            ("map", True, {}, TypeError, "`k` must be"),
            ("map", [1, 2], {}, TypeError, "`k` must be"),
            ("r_precision", 5, {}, ValueError, "takes no k"),
            ("map", 10, {"denominater": "k"}, TypeError, "no keyword denominater"),
            ("map", 10, {"response_method": "predict"}, TypeError, "no keyword response_method"),
            ("map", 10, {"denominator": "all"}, ValueError, "`denominator`"),
            ("map", 10, {"ties": "first of all"}, ValueError, "`ties`"),
            ("map", 10, {"zero_division": "none"}, TypeError, "`zero_division`"),
            ("map", 10, {"groups": [1]}, TypeError, "`groups` is no option of an eval metric: the library hands"),
            ("map", 10, {"average": "samples"}, TypeError, "`average` is no option of an eval metric"),
            ("map", 10, {"sample_weight": [1]}, TypeError, "`sample_weight` is no option of an eval metric"),
            ("map", 10, {"one_ranking": "yes"}, TypeError, "`one_ranking` must be True or False, got 'yes'"),
            (err_at_k, 10, {}, ValueError, "max_grade"),
            ("map", 10, {"labels": "abc"}, TypeError, "`labels` must be"),
            ("map", 10, {"labels": []}, ValueError, "`labels` must be 1-D with a different label for each column"),
            ("map", 10, {"labels": [[1, 2]]}, ValueError, "`labels` must be 1-D"),
            ("map", 10, {"labels": [1, 1]}, ValueError, "`labels` must be 1-D with a different label"),
            ("map", 10, {"labels": np.array([{}, {}], dtype=object)}, ValueError, "`labels` must be 1-D"),
            ("map", 10, {"labels": [1, np.nan]}, ValueError, "`labels` must be 1-D"),
        ],
    )
    def test_what_is_refused_when_it_is_made(self, library, metric, k, options, error, message):
        with pytest.raises(error, match=message):
            make_eval_metric(metric, k, library=library, **options)


class TestLibrary:
    @pytest.mark.parametrize("library", ["xgbost", None, 3, ["xgboost"]], ids=str)
    def test_one_that_is_none_of_the_three(self, library):
        with pytest.raises(ValueError, match="`library` must be one of 'lightgbm', 'xgboost', 'catboost', got"):
            make_eval_metric("map@3", library=library)

    def test_groups_of_lightgbm(self):
        # Queries of 2 and 3 rows: the hits have ranks 2 and 1; rows weigh 1, 1 and 2, 3, 4, so queries 1 and 3.
        y, scores = np.array([1, 0, 0, 1, 0]), np.array([0.1, 0.2, 0.3, 0.9, 0.4])
        metric = make_eval_metric("mrr@2", library="lightgbm")
        assert metric(y, scores, None, np.array([2, 3]))[1] == pytest.approx((1 / 2 + 1) / 2)
        assert metric(y, scores, np.array([1, 1, 2, 3, 4]), np.array([2, 3]))[1] == pytest.approx((1 / 2 + 3) / 4)
        # Without groups the rows are one ranking, whatever they weigh: its first row is a hit.
        assert metric(y, scores, np.array([1, 1, 2, 3, 4]), None)[1] == 1
        with pytest.raises(
            ValueError, match="`one_ranking` means that all rows are one ranking, and the library hands"
        ):
            make_eval_metric("mrr@2", library="lightgbm", one_ranking=True)(y, scores, None, np.array([2, 3]))

    def test_catboost_hands_no_groups_over(self):
        metric = make_eval_metric("map@5", library="catboost")
        assert metric.is_max_optimal() is True
        with pytest.raises(ValueError, match=r"CatBoost hands one score per row and no groups over.*one_ranking=True"):
            metric.evaluate((np.array([0.1, 0.2]),), np.array([0, 1]), None)

    def test_label_matrices(self):
        # The rows have their hits at ranks 1 and 3, and 2: average precisions (1 + 2/3) / 2 and 1/2.
        y, scores = np.array([[1, 0, 1], [0, 1, 0]]), np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1]])
        want = ((1 + 2 / 3) / 2 + 1 / 2) / 2
        assert 1 - make_eval_metric("map@3", library="xgboost")(y, scores) == pytest.approx(want, rel=1e-12)
        metric = make_eval_metric("map@3", library="catboost")
        assert metric.evaluate(tuple(scores.T), tuple(y.T), None) == (pytest.approx(2 * want, rel=1e-12), 2)
        assert metric.evaluate(tuple(scores.T), tuple(y.T), np.array([3.0, 1.0])) == (
            pytest.approx(3 * (1 + 2 / 3) / 2 + 1 / 2, rel=1e-12),
            4,
        )


# ---- real fits


def one_class(y, scores, rule, k):
    """The mean over rows of `rule` at the rank of the row's class, over the ranks that its equals leave to it."""
    values = []
    for column, row in zip(np.asarray(y, int), np.asarray(scores), strict=True):
        above, equal = int((row > row[column]).sum()), int((row == row[column]).sum())
        values.append(sum(rule(i) for i in range(above + 1, above + equal + 1) if i <= k) / equal)
    return np.mean(values)


def best_of(values, rounds):
    """The best iteration, from 0, of a figure that has to grow within so many rounds."""
    best = 0
    for i, value in enumerate(values):
        if value > values[best]:
            best = i
        elif i - best >= rounds:
            break
    return best


RULES = {"mrr@3": (lambda i: 1 / i, 3), "hit_rate@2": (lambda i: 1, 2), "ndcg@3": (lambda i: 1 / np.log2(i + 1), 3)}


def fit(optional, library, text, X, y, Xv, yv, *, n=30, rounds=None):
    """(fitted classifier, figures that it logged, scores of the validation rows after each iteration)."""
    metric = make_eval_metric(text, library=library)
    package = optional(library)
    if library == "xgboost":
        model = package.XGBClassifier(
            n_estimators=n,
            learning_rate=0.9,
            max_depth=3,
            eval_metric=metric,
            early_stopping_rounds=rounds,
            n_jobs=1,
            disable_default_eval_metric=True,
        ).fit(X, y, eval_set=[(Xv, yv)], verbose=False)
        logged = 1 - np.array(model.evals_result()["validation_0"][f"1-{text}"])
        return model, logged, lambda i: model.predict_proba(Xv, iteration_range=(0, i + 1))
    if library == "lightgbm":
        model = package.LGBMClassifier(
            n_estimators=n,
            learning_rate=0.6,
            num_leaves=6,
            metric="None",
            verbose=-1,
            n_jobs=1,
            early_stopping_round=rounds or 0,
        ).fit(X, y, eval_set=[(Xv, yv)], eval_metric=metric)
        return model, model.evals_result_["valid_0"][text], lambda i: model.predict_proba(Xv, num_iteration=i + 1)
    model = package.CatBoostClassifier(
        iterations=n,
        learning_rate=0.9,
        depth=3,
        eval_metric=metric,
        verbose=0,
        allow_writing_files=False,
        random_seed=0,
        early_stopping_rounds=rounds,
        use_best_model=False if rounds is None else None,
        thread_count=2,
        boosting_type="Plain",
    ).fit(X, y, eval_set=(Xv, yv))
    scores = {"prediction_type": "RawFormulaVal"}
    return model, model.evals_result_["validation"][text], lambda i: model.predict(Xv, ntree_end=i + 1, **scores)


@QUIET
@pytest.mark.parametrize("library", LIBRARIES)
class TestClassifiers:
    @pytest.mark.parametrize("text", RULES)
    def test_log_is_the_metric_and_training_stops_by_it(self, library, text, optional):
        X, y = make_classification(300, n_features=8, n_informative=5, n_classes=5, flip_y=0.3, random_state=1)
        data = X[:200], y[:200], X[200:], y[200:]
        _, logged, scores = fit(optional, library, text, *data)
        values = [one_class(y[200:], scores(i), *RULES[text]) for i in range(30)]
        np.testing.assert_allclose(logged, values, rtol=2e-6)
        stopped, _, _ = fit(optional, library, text, *data, rounds=4)
        # XGBoost compares in float32, where equal means of other rows may differ in the last digit.
        best = best_of(np.round(values, 6), 4)
        found = stopped.best_iteration if library == "xgboost" else stopped.best_iteration_
        assert found == (best + 1 if library == "lightgbm" else best)
        assert best < 25

    def test_validation_rows_that_lack_classes(self, library, optional):
        X, y = make_classification(300, n_features=8, n_informative=5, n_classes=5, flip_y=0.3, random_state=2)
        kept = np.flatnonzero((y[200:] != 4) & (y[200:] != 1)) + 200
        _, logged, scores = fit(optional, library, "mrr@3", X[:200], y[:200], X[kept], y[kept], n=4)
        values = [one_class(y[kept], scores(i), *RULES["mrr@3"]) for i in range(4)]
        np.testing.assert_allclose(logged, values, rtol=2e-6)


@QUIET
class TestRankers:
    def test_lightgbm_logs_the_mean_over_queries(self, optional):
        sizes = np.tile([3, 5, 8], 10)
        rng = np.random.default_rng(0)
        X = rng.standard_normal((sizes.sum(), 4))
        y = (X[:, 0] + rng.standard_normal(len(X)) > 0.5).astype(int)
        ranker = optional("lightgbm").LGBMRanker(
            n_estimators=8, min_child_samples=2, verbose=-1, n_jobs=1, metric="None"
        )
        metric = make_eval_metric("hit_rate@1", library="lightgbm", ties="worst")
        ranker.fit(X, y, group=sizes, eval_set=[(X, y)], eval_group=[sizes], eval_metric=metric)
        for i, logged in enumerate(ranker.evals_result_["training"]["hit_rate@1"]):
            parts = np.split(np.arange(len(X)), sizes.cumsum()[:-1])
            scores = ranker.predict(X, num_iteration=i + 1)
            hits = [y[rows][scores[rows] == scores[rows].max()].min() for rows in parts]  # all that tie for the top
            assert logged == pytest.approx(np.mean(hits), rel=1e-12)

    def test_xgboost_asks_query_by_query_and_weighs_them_by_their_rows(self, optional):
        rng = np.random.default_rng(1)
        qid = np.repeat(np.arange(20), [2, 6] * 10)
        X = rng.standard_normal((80, 4))
        y = (X[:, 0] + rng.standard_normal(80) > 0).astype(int)
        metric = make_eval_metric("hit_rate@1", library="xgboost", ties="worst")
        # One tree: of several, XGBoost adds up the leaves in another order when it predicts, and ties may come apart.
        ranker = (
            optional("xgboost")
            .XGBRanker(n_estimators=1, n_jobs=1, eval_metric=metric, disable_default_eval_metric=True)
            .fit(X, y, qid=qid, eval_set=[(X, y)], eval_qid=[qid], verbose=False)
        )
        (logged,) = ranker.evals_result()["validation_0"]["1-hit_rate@1"]
        scores = ranker.predict(X)
        hits = [y[qid == q][scores[qid == q] == scores[qid == q].max()].min() for q in range(20)]
        assert 1 - logged == pytest.approx(np.average(hits, weights=[2, 6] * 10), rel=1e-6)
        assert abs(1 - logged - np.mean(hits)) > 0.01

    def test_catboost_refuses_a_ranker(self, optional):
        catboost = optional("catboost")
        ranker = catboost.CatBoostRanker(
            iterations=2,
            verbose=0,
            allow_writing_files=False,
            eval_metric=make_eval_metric("map@5", library="catboost"),
        )
        X, y, qid = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1]
        with pytest.raises(Exception, match="CatBoost hands one score per row and no groups over"):
            ranker.fit(X, y, group_id=qid, eval_set=catboost.Pool(X, y, group_id=qid))


@QUIET
class TestLabelMatrices:
    """Rows that have several labels: R-precision@3 in its simplest form, hits in the top 3 / 3."""

    def hits(self, Y, scores):
        top = np.argsort(-scores, kind="stable")[:, :3]
        assert all(len(set(row)) == len(row) for row in scores.tolist())  # nothing ties
        return np.take_along_axis(Y, top, 1).mean()

    @pytest.fixture
    def data(self):
        X, Y = make_multilabel_classification(300, n_classes=6, random_state=0)
        return X + np.random.default_rng(0).normal(0, 0.3, X.shape), Y

    def test_xgboost(self, data, optional):
        X, Y = data
        metric = make_eval_metric("precision@3", library="xgboost")
        model = (
            optional("xgboost")
            .XGBClassifier(n_estimators=40, n_jobs=1, max_depth=6, eval_metric=metric, disable_default_eval_metric=True)
            .fit(X[:200], Y[:200], eval_set=[(X[200:], Y[200:])], verbose=False)
        )
        scores = model.predict_proba(X[200:])
        assert 1 - model.evals_result()["validation_0"]["1-precision@3"][-1] == pytest.approx(
            self.hits(Y[200:], scores), rel=1e-6
        )

    def test_catboost_with_the_class_that_it_asks_for(self, data, optional):
        X, Y = data
        catboost = optional("catboost")
        metric = make_eval_metric("precision@3", library="catboost")

        class Precision(catboost.MultiTargetCustomMetric):
            evaluate, is_max_optimal, get_final_error = metric.evaluate, metric.is_max_optimal, metric.get_final_error

        model = catboost.CatBoostClassifier(
            iterations=20,
            loss_function="MultiLogloss",
            eval_metric=Precision(),
            verbose=0,
            allow_writing_files=False,
            use_best_model=False,
        ).fit(X[:200], Y[:200], eval_set=(X[200:], Y[200:]))
        scores = model.predict(X[200:], prediction_type="RawFormulaVal")
        logged = model.evals_result_["validation"]["Precision"][-1]
        assert logged == pytest.approx(self.hits(Y[200:], scores), rel=1e-12)


@QUIET
class TestModelSelection:
    def test_a_search_in_two_processes(self, optional):
        X, y = make_classification(200, n_features=8, n_informative=5, n_classes=4, flip_y=0.3, random_state=0)
        metric = make_eval_metric("map@3", library="xgboost")
        model = optional("xgboost").XGBClassifier(
            n_estimators=40,
            learning_rate=0.9,
            eval_metric=metric,
            early_stopping_rounds=3,
            n_jobs=1,
            disable_default_eval_metric=True,
        )
        ask = {"scoring": make_rank_scorer("map@3"), "cv": 2, "error_score": "raise"}
        one, two = (
            GridSearchCV(model, {"max_depth": [2, 3]}, n_jobs=n_jobs, **ask).fit(
                X[:150], y[:150], eval_set=[(X[150:], y[150:])], verbose=False
            )
            for n_jobs in (1, 2)
        )
        assert one.cv_results_["mean_test_score"].tolist() == two.cv_results_["mean_test_score"].tolist()
        assert one.best_estimator_.best_iteration < 39

    def test_catboost_is_cloned(self, optional):
        X, y = make_classification(120, n_features=8, n_informative=5, n_classes=3, random_state=0)
        options = {"iterations": 4, "depth": 3, "verbose": 0, "allow_writing_files": False, "random_seed": 0}
        kind = optional("catboost").CatBoostClassifier
        ask = {"cv": 2, "scoring": make_rank_scorer("map@2"), "error_score": "raise"}
        got = cross_val_score(kind(eval_metric=make_eval_metric("map@2", library="catboost"), **options), X, y, **ask)
        # Without an eval set the metric stops nothing, so that the models are those of any other metric.
        np.testing.assert_allclose(got, cross_val_score(kind(**options), X, y, **ask), rtol=1e-9)
