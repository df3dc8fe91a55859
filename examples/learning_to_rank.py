"""Learning to rank: three boosting libraries
==========================================

Tune three gradient boosting rankers by nDCG@10 and MAP@10, query by query, with early stopping in each fold.

The data are made, by this recipe: 120 queries with 5 to 40 documents each; six features a document,
of which the first four and a product of two decide a hidden utility, a query shifts all its documents
by the same amount; the grade is 0 to 3 by the utility's place in the query plus noise. The rows of
the queries are mixed, as rows of a table often are.

Takes those of catboost, lightgbm and xgboost-cpu (the extra `rankers`) that load.
"""

import importlib
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import GroupedRanker, GroupedSplitter, make_rank_scorer, rank_scorers


def make_queries(n_queries: int = 120, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A table with a column of query ids, and grades from 0 to 3."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(5, 41, n_queries)
    qid = np.repeat(np.arange(n_queries), sizes)
    X = rng.standard_normal((len(qid), 6))
    utility = X[:, :4] @ [1.0, 0.7, 0.5, -0.5] + X[:, 0] * X[:, 1] + rng.standard_normal(len(qid))
    place = pd.Series(utility).groupby(qid).rank(pct=True).to_numpy()
    grades = np.digitize(place, [0.6, 0.8, 0.95])
    X += 0.3 * rng.standard_normal(n_queries)[qid, None]
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(6)]).assign(qid=[f"q{q:03}" for q in qid])
    order = rng.permutation(len(frame))
    return frame.iloc[order].reset_index(drop=True), grades[order]


# Where each is, its settings, and what it calls the depth of a tree.
RANKERS = {
    "XGBRanker": ("xgboost", {"n_estimators": 200, "early_stopping_rounds": 5, "n_jobs": 1}, "max_depth"),
    "LGBMRanker": (
        "lightgbm",
        {"n_estimators": 200, "early_stopping_round": 5, "n_jobs": 1, "verbose": -1},
        "max_depth",
    ),
    "CatBoostRanker": (
        "catboost",
        {
            "iterations": 200,
            "early_stopping_rounds": 5,
            "thread_count": 1,
            "verbose": False,
            "allow_writing_files": False,
        },
        "depth",
    ),
}


def rankers() -> dict[str, tuple[Any, str]]:
    """The rankers that load, each with the name of its depth; of the others the reason is printed."""
    loaded = {}
    for name, (package, settings, depth) in RANKERS.items():
        try:
            kind = getattr(importlib.import_module(package), name)
        except (ImportError, OSError, ValueError) as error:  # absent, or a library of the system is (libgomp)
            print(f"{name} is skipped: {error}")
        else:
            loaded[name] = (kind(**settings), depth)
    return loaded


def main() -> None:
    X, y = make_queries()
    found = rankers()
    print(f"{X['qid'].nunique()} queries, {len(X)} documents\n")

    # The ids are a column of X: GroupedRanker takes it out and hands the ranker ids or sizes, whichever it wants;
    # the splitter keeps queries whole and the scorer scores query by query by the same column. No routing is needed.
    scorer = make_rank_scorer("ndcg@10", groups="qid")
    both = rank_scorers(["ndcg@10", "map@10"], groups="qid", relevance_threshold=2)
    folds = GroupedSplitter(GroupKFold(3), groups="qid")
    by_fold = {}
    for name, (ranker, depth) in found.items():
        inside = make_pipeline(StandardScaler(), ranker).set_output(transform="pandas")
        # In each fold a fifth of the training queries decide when to stop.
        model = GroupedRanker(inside, groups="qid", validation_fraction=0.2, random_state=0)
        grid = {f"ranker__{name.lower()}__{depth}": [2, 4]}
        search = GridSearchCV(model, grid, scoring=scorer, cv=folds)
        nested = cross_validate(search, X, y, cv=folds, scoring=both, return_estimator=True)
        by_fold[name] = nested["test_ndcg@10"]
        chosen = [
            f"{depth} {next(iter(fold.best_params_.values()))} after {fold.best_estimator_.best_iteration_} rounds"
            for fold in nested["estimator"]
        ]
        print(
            f"{name:15} nDCG@10 {nested['test_ndcg@10'].mean():.4f}, "
            f"MAP@10 of grades >= 2 {nested['test_map@10'].mean():.4f} ({'; '.join(chosen)})"
        )

    # The same by metadata routing, with the ids beside X: the same numbers.
    ids, features = X["qid"], X.drop(columns="qid")
    for name, (ranker, _) in list(found.items())[:1]:
        model = GroupedRanker(ranker, validation_fraction=0.2, random_state=0)
        with config_context(enable_metadata_routing=True):
            routed = cross_validate(
                model.set_fit_request(groups=True),
                features,
                y,
                cv=GroupKFold(3),
                params={"groups": ids},
                scoring=make_rank_scorer("ndcg@10").set_score_request(groups=True),
            )
        by_column = cross_validate(model.set_params(groups="qid"), X, y, cv=folds, scoring=scorer)
        print(
            f"\n{name} by routing {routed['test_score'].mean():.6f}, "
            f"by a column of X {by_column['test_score'].mean():.6f}"
        )

    _, axes = plt.subplots(figsize=(6, 1 + 0.6 * len(by_fold)), layout="constrained")
    for i, figures in enumerate(by_fold.values()):
        axes.plot(figures, [i] * len(figures), "o", color="tab:blue", alpha=0.5)
        axes.plot(figures.mean(), i, "|", color="black", markersize=20)
    axes.set(xlabel="nDCG@10 of the folds, and their mean", yticks=range(len(by_fold)), yticklabels=by_fold)
    axes.margins(y=0.3)
    plt.show()


if __name__ == "__main__":
    main()
