"""A contest judged by MAP@3
=========================

Early stopping by MAP@3, cross-validation, and the three best classes of each row to submit.

The data are made, by this recipe: 4000 rows, of which 1000 are the test set, with 10 features (7 of them informative)
of 7 classes, scikit-learn's `make_classification` with a fifth of the labels at random. The classes are names, as in
contests, and a submission has three of them a row, the best first.

HistGradientBoostingClassifier comes with scikit-learn; XGBoost, LightGBM and CatBoost are tried where they load.
"""

import importlib
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split

from sklearn_rank import make_eval_metric, make_rank_scorer, map_at_k, mapk, top_k

NAMES = np.array(["14-35-14", "17-17-17", "20-20", "28-28", "DAP", "MOP", "Urea"])
map3 = make_rank_scorer("map@3")
# What the libraries say of themselves: an argument on its way out, numba that is not there.
warnings.filterwarnings("ignore", module="lightgbm|catboost")


def make_contest(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Features and names of the training rows, and of the test rows, whose names nobody but the organiser has."""
    X, y = make_classification(
        4000, n_features=10, n_informative=7, n_classes=len(NAMES), flip_y=0.2, class_sep=1.0, random_state=seed
    )
    X, X_test, y, y_test = train_test_split(X, NAMES[y], test_size=1000, stratify=y, random_state=seed)
    return X, y, X_test, y_test


def with_scikit_learn(X: np.ndarray, y: np.ndarray) -> Any:
    """The scorer decides itself when to stop: on rows that the estimator holds out."""
    return HistGradientBoostingClassifier(
        max_iter=100,
        learning_rate=0.2,
        max_leaf_nodes=8,
        scoring=map3,
        early_stopping=True,
        n_iter_no_change=8,
        random_state=0,
    ).fit(X, y)


def with_xgboost(X: np.ndarray, y: np.ndarray) -> Any:
    """XGBoost wants codes instead of names, and logs 1 - MAP@3."""
    xgboost = importlib.import_module("xgboost")
    codes = np.searchsorted(NAMES, y)
    X, X_stop, codes, codes_stop = train_test_split(X, codes, test_size=0.15, stratify=codes, random_state=0)
    return xgboost.XGBClassifier(
        n_estimators=100,
        max_depth=3,
        early_stopping_rounds=8,
        disable_default_eval_metric=True,
        n_jobs=1,
        eval_metric=make_eval_metric("map@3", library="xgboost"),
    ).fit(X, codes, eval_set=[(X_stop, codes_stop)], verbose=False)


def with_lightgbm(X: np.ndarray, y: np.ndarray) -> Any:
    """metric="None" leaves LightGBM's own log loss away, by which it would stop, too."""
    lightgbm = importlib.import_module("lightgbm")
    X, X_stop, y, y_stop = train_test_split(X, y, test_size=0.15, stratify=y, random_state=0)
    return lightgbm.LGBMClassifier(
        n_estimators=100, num_leaves=8, early_stopping_round=8, metric="None", n_jobs=1, verbose=-1
    ).fit(X, y, eval_set=[(X_stop, y_stop)], eval_metric=make_eval_metric("map@3", library="lightgbm"))


def with_catboost(X: np.ndarray, y: np.ndarray) -> Any:
    """CatBoost takes an object that it asks for the figure."""
    catboost = importlib.import_module("catboost")
    X, X_stop, y, y_stop = train_test_split(X, y, test_size=0.15, stratify=y, random_state=0)
    return catboost.CatBoostClassifier(
        iterations=100,
        depth=4,
        early_stopping_rounds=8,
        eval_metric=make_eval_metric("map@3", library="catboost"),
        thread_count=1,
        random_seed=0,
        verbose=0,
        allow_writing_files=False,
    ).fit(X, y, eval_set=(X_stop, y_stop))


def trees_of(model: Any) -> int:
    """How many rounds of boosting a model kept."""
    if hasattr(model, "n_iter_"):
        return int(model.n_iter_)
    if hasattr(model, "best_iteration_"):
        return int(model.best_iteration_) + (type(model).__name__ == "CatBoostClassifier")  # counted from 0
    return int(model.best_iteration) + 1


def main() -> None:
    X, y, X_test, y_test = make_contest()
    print(f"{len(X)} training rows, {len(X_test)} test rows, {len(NAMES)} classes\n")
    for fit in (with_scikit_learn, with_xgboost, with_lightgbm, with_catboost):
        try:
            model = fit(X, y)
        except (ImportError, OSError, ValueError) as error:  # absent, or a library of the system is (libgomp)
            print(f"{fit.__name__:17} skipped: {error}")
            continue
        score = map_at_k(y_test, model.predict_proba(X_test), 3, labels=NAMES)
        print(f"{fit.__name__:17} stopped after {trees_of(model):2} rounds: MAP@3 of the test rows {score:.4f}")

    # What to expect of the leaderboard: the spread over folds says which differences mean anything.
    model = with_scikit_learn(X, y)
    scores = cross_val_score(model, X, y, scoring=map3, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    print(f"\nMAP@3 in cross-validation {scores.mean():.4f}, from {scores.min():.4f} to {scores.max():.4f}")

    # The submission: three names a row, the best first.
    best = top_k(model.predict_proba(X_test), 3, labels=model.classes_)
    print("\nid,fertilizer")
    for row, names in enumerate(best[:3]):
        print(f"{row},{' '.join(names)}")
    # The organiser scores lists of names against the one right name.
    print(f"\nThe organiser's figure: {mapk([[name] for name in y_test], best.tolist(), 3):.4f}")


if __name__ == "__main__":
    main()
