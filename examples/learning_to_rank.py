"""Tune three gradient boosting rankers by nDCG@10 and MAP@10, query by query.

The data are made, by this recipe: 120 queries with 5 to 40 documents each; six features a document,
of which the first four and a product of two decide a hidden utility, a query shifts all its documents
by the same amount; the grade is 0 to 3 by the utility's place in the query plus noise. The rows of
the queries are mixed, as rows of a table often are.

Needs the extra `rankers`: catboost, lightgbm, xgboost-cpu.
"""

import numpy as np
import pandas as pd
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker

from sklearn_rank import GroupedRanker, make_rank_scorer, rank_scorers


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


RANKERS = {
    "XGBRanker": (XGBRanker(n_estimators=30, n_jobs=1, random_state=0), "max_depth"),
    "LGBMRanker": (LGBMRanker(n_estimators=30, n_jobs=1, random_state=0, verbose=-1), "max_depth"),
    "CatBoostRanker": (
        CatBoostRanker(iterations=30, thread_count=1, random_seed=0, verbose=False, allow_writing_files=False), "depth"),
}


def main() -> None:
    X, y = make_queries()
    folds = GroupKFold(4)
    print(f"{X['qid'].nunique()} queries, {len(X)} documents\n")

    # The ids are a column of X. GroupedRanker takes it out, sorts the rows for the ranker and hands it ids or
    # sizes, whichever it wants; the scorer reads the same column. No routing is needed.
    scorer = make_rank_scorer("ndcg@10", groups="qid")
    for name, (ranker, depth) in RANKERS.items():
        model = GroupedRanker(make_pipeline(StandardScaler(), ranker).set_output(transform="pandas"), groups="qid")
        grid = {f"ranker__{name.lower()}__{depth}": [2, 4]}
        search = GridSearchCV(model, grid, scoring=scorer, cv=folds).fit(X, y, groups=X["qid"])
        both = rank_scorers(["ndcg@10", "map@10"], groups="qid", relevance_threshold=2)
        nested = cross_validate(search.best_estimator_, X, y, groups=X["qid"], cv=folds, scoring=both)
        print(f"{name:15} {depth} {search.best_params_.popitem()[1]}: nDCG@10 {search.best_score_:.4f}, "
              f"MAP@10 of grades >= 2 {nested['test_map@10'].mean():.4f}")

    # The same by metadata routing, with the ids beside X: the same numbers.
    ids, features = X["qid"], X.drop(columns="qid")
    with config_context(enable_metadata_routing=True):
        model = GroupedRanker(RANKERS["LGBMRanker"][0]).set_fit_request(groups=True)
        scorer = make_rank_scorer("ndcg@10").set_score_request(groups=True)
        result = cross_validate(model, features, y, cv=folds, scoring=scorer, params={"groups": ids})
    by_column = cross_validate(GroupedRanker(RANKERS["LGBMRanker"][0], groups="qid"), X, y, groups=ids, cv=folds,
                               scoring=make_rank_scorer("ndcg@10", groups="qid"))
    print(f"\nLGBMRanker by routing {result['test_score'].mean():.6f}, "
          f"by a column of X {by_column['test_score'].mean():.6f}")


if __name__ == "__main__":
    main()
