"""Ties: what equal scores do to a forest
======================================

A forest of few trees gives masses of equal probabilities. Any fixed order of equals then measures the order of the
columns; the mean over all orders does not. Digits, half of them for training, MAP@3 of the others.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from sklearn_rank import map_at_k

SIZES = [1, 2, 4, 8, 16, 32, 64]


def main() -> None:
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    figures: dict[str, list[float]] = {
        name: [] for name in ("best", "average", "first", "first, columns reversed", "worst")
    }
    for n_trees in SIZES:
        forest = RandomForestClassifier(n_trees, random_state=0).fit(X, y)
        scores, classes = forest.predict_proba(X_test), forest.classes_
        for ties in ("best", "average", "first", "worst"):
            figures[ties].append(map_at_k(y_test, scores, 3, labels=classes, ties=ties))
        # The same probabilities of the same classes, written down from 9 to 0.
        reversed_columns = map_at_k(y_test, scores[:, ::-1], 3, labels=classes[::-1], ties="first")
        figures["first, columns reversed"].append(reversed_columns)

    print(f"trees  {'  '.join(name.rjust(5) for name in figures)}")
    for i, n_trees in enumerate(SIZES):
        print(f"{n_trees:5}  {'  '.join(f'{values[i]:{max(len(name), 5)}.3f}' for name, values in figures.items())}")

    _, axes = plt.subplots(layout="constrained")
    axes.fill_between(SIZES, figures["worst"], figures["best"], alpha=0.2, label="between worst and best")
    axes.plot(SIZES, figures["average"], marker="o", label="average")
    axes.plot(SIZES, figures["first"], "--", label="first")
    axes.plot(SIZES, figures["first, columns reversed"], ":", label="first, columns reversed")
    axes.set(xscale="log", xticks=SIZES, xticklabels=SIZES, xlabel="trees", ylabel="MAP@3")
    axes.minorticks_off()
    axes.legend()
    plt.show()


if __name__ == "__main__":
    main()
