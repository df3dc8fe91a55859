"""Every `scoring=` of scikit-learn: each gives the figure of a plain loop over the same folds, or an error of ours."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  makes the halving searches importable
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Ridge, RidgeClassifierCV, RidgeCV
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.discovery import all_estimators

import sklearn_rank
from sklearn_rank import make_rank_scorer, rank_scorers
from sklearn_rank.metrics._registry import METRICS

FOLDS = StratifiedKFold(3)
MODEL = LogisticRegression()

# ---- scorers: how each reads a fold, in plain code

OPTIONS = [
    {"ties": "first"},
    {"ties": "best"},
    {"ties": "worst"},
    {"zero_division": 1.0},
    {"denominator": "k"},
    {"denominator": "relevant"},
    {"denominator": "hits"},
    {"relevance_threshold": 1},
    {"n_jobs": 2},
    {"average": "samples"},
]
READY = [getattr(sklearn_rank, name) for name in sorted(sklearn_rank.__all__) if name.endswith("_scorer")]
READY = [scorer for scorer in READY if not inspect.isfunction(scorer)]
SCORERS = [
    *READY,
    make_rank_scorer("map", None),
    make_rank_scorer("map@3", batch_size=7),
    make_rank_scorer("map@3", response_method="decision_function"),
    make_rank_scorer("map@3", response_method="predict"),
    make_rank_scorer("map@3", pos_label=0),
    make_rank_scorer("map@3", labels=[0, 1, 2]),
    make_rank_scorer("map@3", one_ranking=True),
    make_rank_scorer("map@3", groups=0),
    make_rank_scorer("recall@3", denominator="attainable"),
    make_rank_scorer("ndcg@3", gain="exponential"),
    make_rank_scorer("err@3", max_grade=1),
    make_rank_scorer("rbp", p=0.5),
    *[make_rank_scorer("map@3", **options) for options in OPTIONS],
    rank_scorers(["map@3", "mrr"]),
    rank_scorers(["map@3"]),
]

# One of each kind for the slower tools; all go through cross_val_score.
KINDS = [
    sklearn_rank.map_at_k_scorer,
    make_rank_scorer("hit_rate@1", batch_size=7),
    make_rank_scorer("map@3", response_method="predict", ties="worst"),
    make_rank_scorer("map@3", pos_label=0),
    make_rank_scorer("map@3", labels=[0, 1, 2]),
    make_rank_scorer("map@3", one_ranking=True),
    make_rank_scorer("map@3", groups=0),
    rank_scorers(["map@3", "mrr"]),
]


def problem(kind):
    """45 rows with three features; the first has three values, as ids of queries have."""
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(45, 3)), 1)
    X[:, 0] = np.arange(45) % 3
    noisy = X[:, 1] + 0.5 * rng.normal(size=45)
    if kind == "binary":
        return X, (noisy > 0.2).astype(int)
    if kind == "classes":
        return X, np.digitize(noisy, [-0.5, 0.5])
    return X, (X @ rng.normal(size=(3, 4)) + rng.normal(size=(45, 4)) > 0.3).astype(int)


def shared_options(scorer, metric):
    """The keywords that the function has from those that all metrics share."""
    names = {"ties", "zero_division", "relevance_threshold"} & set(metric.options)
    return {name: getattr(scorer._options, name) for name in names}


def plain(scorer, fitted, X, y):
    """The figure by the public functions alone: no scorer is called."""
    reading, request = scorer._reading, scorer._requests[0]
    methods = reading.response_method
    methods = (methods,) if isinstance(methods, str) else methods
    method = next(name for name in methods if hasattr(fitted, name))
    scores = getattr(fitted, method)(X)
    options = {**shared_options(scorer, request.metric), **request.options}
    extra = {}
    binary = np.ndim(y) == 1 and len(fitted.classes_) == 2 if hasattr(fitted, "classes_") else False
    if not hasattr(fitted, "classes_"):
        if not reading.one_ranking and scorer._groups is None:
            return None  # refused
        extra = {} if scorer._groups is None else {"groups": X[:, scorer._groups]}
        y, scores = (1 - y, -scores) if reading.pos_label == 0 else (y, scores)
    elif binary and reading.labels is None:
        if method == "predict_proba":
            scores = scores[:, 1]
        if reading.pos_label == 0:
            y, scores = 1 - y, 1 - scores if method == "predict_proba" else -scores
        if scorer._groups is not None:
            extra["groups"] = X[:, scorer._groups]
    elif np.ndim(y) == 1:
        if method == "predict":
            scores = (scores[:, None] == fitted.classes_[None, :]).astype(int)
        elif scores.ndim == 1:
            scores = np.column_stack((-scores, scores))
        extra["labels"] = fitted.classes_
    k = (request.k,) if request.metric.takes_k else ()
    return request.metric.function(y, scores, *k, **options, **extra)


def loop(scorer, model, X, y, folds=None):
    return [
        plain(scorer, sklearn.clone(model).fit(X[train], y[train]), X[test], y[test])
        for train, test in (folds or FOLDS).split(X, y)
    ]


def ours(error):
    """Whether an error, or what scikit-learn made of it, says something that this package says."""
    text = str(error)
    said = (
        "not in `labels`",
        "must be binary (0/1)",
        "Only binary classification is supported",
        "one_ranking",
        "pos_label",
        "groups",
        "cannot be taken apart",
        "cv=5",
        "call the scorer as scorer(",
    )
    return any(words in text for words in said)


# ---- the tools: each answers with the figures of its folds and with those of the loop


def cross_val(scorer, X, y):
    return cross_val_score(MODEL, X, y, scoring=scorer, cv=FOLDS, error_score="raise"), loop(scorer, MODEL, X, y)


def cross_validated(scorer, X, y):
    found = cross_validate(MODEL, X, y, scoring=scorer, cv=FOLDS, error_score="raise")
    first = scorer._requests[0].key
    return found[f"test_{first}" if scorer._several else "test_score"], loop(scorer, MODEL, X, y)


def learning(scorer, X, y):
    _, _, found = learning_curve(MODEL, X, y, scoring=scorer, cv=FOLDS, train_sizes=[30], error_score="raise")
    return found[0], loop(scorer, MODEL, X, y)


def validation(scorer, X, y):
    _, found = validation_curve(
        MODEL, X, y, param_name="C", param_range=[0.1], scoring=scorer, cv=FOLDS, error_score="raise"
    )
    return found[0], loop(scorer, LogisticRegression(C=0.1), X, y)


def permutation_test(scorer, X, y):
    found, _, _ = permutation_test_score(MODEL, X, y, scoring=scorer, cv=FOLDS, n_permutations=1)
    return found, np.mean(loop(scorer, MODEL, X, y))


def importance(scorer, X, y):
    """What is left of the figure once a column is shuffled as scikit-learn shuffles it."""
    fitted = sklearn.clone(MODEL).fit(X, y)
    found = permutation_importance(fitted, X, y, scoring=scorer, n_repeats=1, random_state=0)
    found = found[scorer._requests[0].key] if scorer._several else found
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max + 1)
    expected = []
    for column in range(X.shape[1]):
        shuffled, order = X.copy(), np.arange(len(X))
        np.random.RandomState(seed).shuffle(order)
        shuffled[:, column] = X[order, column]
        expected.append(plain(scorer, fitted, X, y) - plain(scorer, fitted, shuffled, y))
    return found.importances[:, 0], expected


def _search(kind, scorer, X, y, *args, **options):
    refit = scorer._requests[0].key if scorer._several else True
    found = kind(MODEL, *args, scoring=scorer, cv=FOLDS, refit=refit, error_score="raise", **options).fit(X, y)
    results = found.cv_results_
    last = np.flatnonzero(results["n_resources"] == len(X)) if "n_resources" in results else np.arange(1)
    name = f"_{refit}" if scorer._several else "_score"
    i = last[0]
    return [results[f"split{j}_test{name}"][i] for j in range(3)], loop(
        scorer, LogisticRegression(**results["params"][i]), X, y
    )


def grid(scorer, X, y):
    return _search(GridSearchCV, scorer, X, y, {"C": [0.1, 1]})


def randomized(scorer, X, y):
    return _search(RandomizedSearchCV, scorer, X, y, {"C": [0.1, 1]}, n_iter=1, random_state=0)


def halving(scorer, X, y):
    return _search(HalvingGridSearchCV, scorer, X, y, {"C": [0.1, 1]}, min_resources=len(X), factor=2)


def halving_randomized(scorer, X, y):
    options = {"n_candidates": 2, "min_resources": len(X), "factor": 2, "random_state": 0}
    return _search(HalvingRandomSearchCV, scorer, X, y, {"C": [0.1, 1]}, **options)


def elimination(scorer, X, y):
    found = RFECV(MODEL, scoring=scorer, cv=FOLDS).fit(X, y).cv_results_  # the last step has all columns
    return [found[f"split{j}_test_score"][-1] for j in range(3)], loop(scorer, MODEL, X, y)


def selection(scorer, X, y):
    found = SequentialFeatureSelector(MODEL, n_features_to_select=1, scoring=scorer, cv=FOLDS).fit(X, y)
    alone = [np.mean(loop(scorer, MODEL, X[:, [j]], y)) for j in range(3)]
    return alone[int(np.argmax(found.get_support()))], max(alone)


def logistic_cv(scorer, X, y):
    options = {"Cs": [0.1], "scoring": scorer, "cv": FOLDS}
    if "use_legacy_attributes" in inspect.signature(LogisticRegressionCV).parameters:
        options |= {"use_legacy_attributes": False, "l1_ratios": (0,)}
    found = LogisticRegressionCV(**options).fit(X, y).scores_
    found = next(iter(found.values())) if isinstance(found, dict) else found
    return np.ravel(found), loop(scorer, LogisticRegression(C=0.1), X, y)


def threshold(scorer, X, y):
    found = TunedThresholdClassifierCV(MODEL, scoring=scorer, thresholds=[0.3, 0.6], cv=FOLDS, store_cv_results=True)
    found = found.fit(X, y).cv_results_["scores"]
    expected = []
    for cut in (0.3, 0.6):
        values = []
        for train, test in FOLDS.split(X, y):
            fitted = sklearn.clone(MODEL).fit(X[train], y[train])
            labels = (fitted.predict_proba(X[test])[:, 1] >= cut).astype(int)
            labelled = type(
                "Labelled", (), {"classes_": fitted.classes_, "predict": lambda _, X, labels=labels: labels}
            )
            values.append(plain_predicted(scorer, labelled(), X[test], y[test]))
        expected.append(np.mean(values))
    return found, expected


def plain_predicted(scorer, fitted, X, y):
    return plain(make_rank_scorer_of(scorer), fitted, X, y)


def make_rank_scorer_of(scorer):
    """The same scorer, asking for labels."""
    twin = sklearn.clone(scorer, safe=False)
    twin._reading = twin._reading._replace(response_method="predict")
    return twin


def _boosting(kind, scorer, X, y):
    """What is asked for at each iteration, beside the figure of the model as it was then."""
    found, expected = [], []

    def recorded(fitted, X, y):
        value = scorer(fitted, X, y)
        found.append(value[scorer._requests[0].key] if scorer._several else value)
        expected.append(plain(scorer, fitted, X, y))
        return value

    kind(max_iter=3, early_stopping=True, validation_fraction=0.4, scoring=recorded, random_state=0).fit(X, y)
    assert found
    return found, expected


def boosting_classifier(scorer, X, y):
    return _boosting(HistGradientBoostingClassifier, scorer, X, y)


def boosting_regressor(scorer, X, y):
    return _boosting(HistGradientBoostingRegressor, scorer, X, y)


def ridge_cv(scorer, X, y):
    found = RidgeCV(alphas=[0.5, 1], scoring=scorer, cv=KFold(3)).fit(X, y)
    means = [np.mean(loop(scorer, Ridge(alpha), X, y, KFold(3))) for alpha in (0.5, 1)]
    return found.best_score_, max(means)


def ridge_classifier_cv(scorer, X, y):
    found = RidgeClassifierCV(alphas=[0.5], scoring=scorer).fit(X, y)
    return found.best_score_, None  # of cv=None: always refused


TOOLS = {
    "cross_val_score": cross_val,
    "cross_validate": cross_validated,
    "learning_curve": learning,
    "validation_curve": validation,
    "permutation_test_score": permutation_test,
    "permutation_importance": importance,
    "GridSearchCV": grid,
    "RandomizedSearchCV": randomized,
    "HalvingGridSearchCV": halving,
    "HalvingRandomSearchCV": halving_randomized,
    "RFECV": elimination,
    "SequentialFeatureSelector": selection,
    "LogisticRegressionCV": logistic_cv,
    "TunedThresholdClassifierCV": threshold,
    "HistGradientBoostingClassifier": boosting_classifier,
    "HistGradientBoostingRegressor": boosting_regressor,
    "RidgeCV": ridge_cv,
    "RidgeClassifierCV": ridge_classifier_cv,
}

TAKE_A_DICT = {cross_validated, importance, grid, randomized}


def test_no_tool_is_missing():
    found = {name for name, kind in all_estimators() if "scoring" in inspect.signature(kind.__init__).parameters}
    for module in (sklearn.model_selection, sklearn.inspection):
        for name in module.__all__:
            tool = getattr(module, name)
            if callable(tool) and "scoring" in inspect.signature(tool).parameters:
                found.add(name)
    assert found == set(TOOLS)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
@pytest.mark.parametrize("kind", ["binary", "classes"])
def test_the_figure_of_a_plain_loop_or_an_error_of_ours(tool, kind):
    X, y = problem(kind)
    right = 0
    for scorer in SCORERS if tool is cross_val else KINDS:
        try:
            found, expected = tool(scorer, X, y)
        except Exception as error:  # noqa: BLE001  the kinds of scikit-learn's own errors differ
            # The other tools want one number; the error for a dict is scikit-learn's.
            assert ours(error) or (scorer._several and tool not in TAKE_A_DICT), (scorer, error)  # noqa: PT017
            continue
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=repr(scorer))
        right += 1
    refuses_all = {ridge_classifier_cv} | ({threshold, ridge_cv, boosting_regressor} if kind == "classes" else set())
    assert (right == 0) == (tool in refuses_all)


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_parts_are_the_scorer(scorer):
    rng = np.random.default_rng(0)
    S, Y = np.round(rng.random((20, 6)), 1), rng.integers(0, 2, (20, 6))

    def parts(y, scores):
        return scorer._sign * scorer._score_func(y, scores, **scorer._kwargs)

    request = scorer._requests[0]
    reading = scorer._reading
    whole = scorer._several or reading.one_ranking or reading.labels is not None or reading.pos_label is not None
    if whole or scorer._groups is not None:
        with pytest.raises(ValueError, match="cannot be taken apart"):
            parts(Y, S)
        return
    k = (request.k,) if request.metric.takes_k else ()
    options = {name: getattr(scorer._options, name) for name in ("ties", "zero_division")} | request.options
    right = request.metric.function(Y, S, *k, **options)
    assert parts(Y, S) == pytest.approx(right)
    # One ranking: a vector, the two columns of a binary classifier, other codes of the same labels.
    y, s = Y[:, 0], S[:, 0]
    right = request.metric.function(y, s, *k, **options)
    for truth in (y, 2 * y - 1, y == 1, y.tolist()):
        assert parts(truth, s) == pytest.approx(right)
        assert parts(truth, np.column_stack((1 - s, s))) == pytest.approx(right)
    for truth in (y + 1, np.where(y == 1, "yes", "no")):
        with pytest.raises(ValueError, match=r"call the scorer as scorer\(estimator, X, y\)"):
            parts(truth, s)
    # Classes: a row per sample.
    codes = np.arange(20) % 6
    assert parts(codes, S) == pytest.approx(request.metric.function(codes, S, *k, **options))


def test_every_metric_has_its_ready_scorer():
    names = {scorer._requests[0].metric.name for scorer in READY}
    assert names == {name for name in METRICS if f"{METRICS[name].function.__name__}_scorer" in sklearn_rank.__all__}


def test_a_regressor_with_one_ranking():
    X, y = problem("binary")
    scorer = make_rank_scorer("map@5", one_ranking=True)
    for model in (Ridge(), DecisionTreeRegressor(max_depth=2, random_state=0)):
        found = cross_val_score(model, X, y, scoring=scorer, cv=FOLDS, error_score="raise")
        np.testing.assert_allclose(found, loop(scorer, model, X, y))
