"""Which MAP is this: four divisors side by side
=============================================

The same scores, and four figures that are all called MAP@k. They differ by what average precision is divided by: the
relevant items that fit into k places, all relevant items, k, or the hits alone.

The data are scikit-learn's ``make_multilabel_classification``: 1000 rows, half of them for training, with 20 labels of
which a row has 4 on average.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from sklearn_rank import map_at_k

DIVISORS = {"attainable": "min(R, k)", "relevant": "R", "k": "k", "hits": "hits"}
DEPTHS = range(1, 21)


def main() -> None:
    X, Y = make_multilabel_classification(1000, n_classes=20, n_labels=4, allow_unlabeled=False, random_state=0)
    model = OneVsRestClassifier(LogisticRegression(max_iter=500)).fit(X[:500], Y[:500])
    y_true, y_scores = Y[500:], model.predict_proba(X[500:])
    figures = {name: [map_at_k(y_true, y_scores, k, denominator=name) for k in DEPTHS] for name in DIVISORS}

    print("k   " + "  ".join(f"{divisor:>9}" for divisor in DIVISORS.values()))
    for k in (1, 3, 5, 10, 20):
        print(f"{k:<3} " + "  ".join(f"{figures[name][k - 1]:9.3f}" for name in DIVISORS))

    _, axes = plt.subplots(layout="constrained")
    for name, divisor in DIVISORS.items():
        axes.plot(DEPTHS, figures[name], marker=".", label=f'"{name}": divided by {divisor}')
    axes.set(xlabel="k", ylabel="MAP@k", xticks=[1, 5, 10, 15, 20])
    axes.legend()
    plt.show()


if __name__ == "__main__":
    main()
