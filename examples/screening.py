"""Screening: who is examined first
================================

With room for a tenth of the patients, what counts is whom a model puts first. Breast cancer data of scikit-learn:
569 patients, malignant is what has to be found. All of them are one ranking, by probabilities from cross-validation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_rank import evaluate, expected_random, recall_at_k

SHARES = np.round(np.arange(0.02, 0.99, 0.02), 2)


def main() -> None:
    data = load_breast_cancer()
    X, malignant = data.data[:, :5], (data.target == 0).astype(int)  # five of thirty measurements: hard enough
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = {
        name: cross_val_predict(model, X, malignant, cv=folds, method="predict_proba")[:, 1]
        for name, model in models.items()
    }

    metrics = ["precision@10%", "recall@10%", "recall@R", "roc_auc"]
    print("         " + "  ".join(f"{metric:>13}" for metric in metrics))
    for name, of_model in scores.items():
        values = evaluate(malignant, of_model, metrics)
        print(f"{name:9}" + "  ".join(f"{value:13.3f}" for value in values.values()))
    chance = [expected_random(malignant, metric) for metric in metrics]
    print("chance   " + "  ".join(f"{value:13.3f}" for value in chance))

    _, axes = plt.subplots(layout="constrained")
    for name, of_model in scores.items():
        axes.plot(SHARES, [recall_at_k(malignant, of_model, float(share)) for share in SHARES], label=name)
    axes.plot([0, 1], [0, 1], "k--", linewidth=1, label="chance")
    best = np.minimum(SHARES / malignant.mean(), 1)
    axes.plot(SHARES, best, color="gray", linestyle=":", label="the best there can be")
    axes.set(xlabel="share of the patients examined", ylabel="share of the malignant cases found")
    axes.legend()
    plt.show()


if __name__ == "__main__":
    main()
