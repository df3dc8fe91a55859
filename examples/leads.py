"""Leads: how many of the top 5 % convert
======================================

Sales can call one in twenty, so what counts is how many of the top 5 % by score convert.

The data are made, by this recipe: 6000 leads with 12 features (6 of them informative) of which 8 % convert,
scikit-learn's `make_classification` with a twentieth of the labels at random; what a converted lead brings is
log-normal around 200 and grows with the third feature, the others bring nothing.

All rows are one ranking here. Binary classifiers are read so by themselves; regressors and anomaly detectors say it
with `one_ranking=True`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate, train_test_split

from sklearn_rank import expected_random, make_rank_scorer, precision_at_k, rank_scorers, recall_at_k


def make_leads(n: int = 6000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, whether the lead converted, and what it brought."""
    X, converted = make_classification(
        n, n_features=12, n_informative=6, weights=[0.94], flip_y=0.05, class_sep=0.8, random_state=seed
    )
    noise = np.random.default_rng(seed).normal(0, 0.5, n)
    return X, converted, converted * 200 * np.exp(0.8 * X[:, 2] + noise)


def main() -> None:
    X, converted, revenue = make_leads()
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    top = make_rank_scorer("precision@5%")

    # Choose a model by the leads that will be called.
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.001, 0.1], "class_weight": [None, "balanced"]}, scoring=top, cv=folds
    ).fit(X, converted)
    for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        print(f"C={params['C']:<5} class_weight={params['class_weight'] or 'none':8}: precision@5% {score:.3f}")

    # Trees, grown as long as the held-out leads at the top get better; several figures from one prediction.
    trees = HistGradientBoostingClassifier(
        max_iter=60, max_leaf_nodes=8, scoring=top, early_stopping=True, random_state=0
    )
    several = rank_scorers(["precision@5%", "recall@5%", "recall@20%", "roc_auc"])
    result = cross_validate(trees, X, converted, scoring=several, cv=folds)
    print(
        "\nBoosted trees: "
        + ", ".join(
            f"{key} {result[f'test_{key}'].mean():.3f}"
            for key in ("precision@5%", "recall@5%", "recall@20%", "roc_auc")
        )
    )

    # Lift is precision over what a random list has: the share of leads that convert.
    X_train, X_test, y_train, y_test, brought_train, brought = train_test_split(
        X, converted, revenue, test_size=0.3, stratify=converted, random_state=0
    )
    scores = trees.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    chance = expected_random(y_test, "precision@5%")
    for share in (0.01, 0.05, 0.2):
        precision = precision_at_k(y_test, scores, share)
        print(
            f"top {share:4.0%}: precision {precision:.3f}, lift {precision / chance:5.2f}, "
            f"finds {recall_at_k(y_test, scores, share):.0%} of all that convert"
        )

    # The threshold is the score of the last lead that can be called: 5 % of the rows, rounded up.
    n_calls = int(np.ceil(len(scores) * 5 / 100))
    threshold = np.sort(scores)[-n_calls]
    called = scores >= threshold
    print(
        f"\nCall from a probability of {threshold:.3f} on: {called.sum()} leads, "
        f"{y_test[called].mean():.3f} of them convert (the same as above)"
    )

    # Rank by expected revenue instead: a regressor has one score per row and no classes, hence one_ranking.
    value = make_rank_scorer("ndcg@5%", one_ranking=True)
    regressor = HistGradientBoostingRegressor(
        loss="poisson", max_iter=60, max_leaf_nodes=8, scoring=value, early_stopping=True, random_state=0
    )
    regressor.fit(X_train, brought_train)
    predicted = regressor.predict(X_test)
    by_value = np.argsort(-predicted)[:n_calls]
    print(
        f"Revenue of the calls: {brought[called].sum():.0f} by probability, {brought[by_value].sum():.0f} by expected "
        f"revenue, {np.sort(brought)[-n_calls:].sum():.0f} at best"
    )
    print(f"nDCG@5% by expected revenue {value(regressor, X_test, brought):.3f}")

    _, axes = plt.subplots(layout="constrained")
    shares = np.arange(1, 100) / 100
    for name, of_model in {"probability": scores, "expected revenue": predicted}.items():
        axes.plot(
            100 * shares, [precision_at_k(y_test, of_model, share) / chance for share in shares.tolist()], label=name
        )
    axes.axhline(1, color="black", linestyle="--", linewidth=1, label="random list")
    axes.axvline(5, color="gray", linestyle=":", label="what can be called")
    axes.set(xscale="log", xlabel="percent of the leads called", ylabel="lift")
    axes.legend(title="ranked by")
    plt.show()


if __name__ == "__main__":
    main()
