"""Digits by MAP@3: one class a row
================================

Digits by MAP@3: how far up is the right one of ten classes.

One class per sample needs no indicator matrix: y stays as it is, and a sample scores 1, 1/2 or 1/3 where its digit
has rank 1, 2 or 3 by predict_proba, else 0.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from sklearn_rank import make_rank_scorer, map_at_k


def main() -> None:
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    map3 = make_rank_scorer("map@3")
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 10, 30]}, scoring=map3, cv=5).fit(X, y)
    for k, score in zip([1, 3, 10, 30], search.cv_results_["mean_test_score"], strict=True):
        print(f"{k:2} neighbours: MAP@3 {score:.4f}")

    # On new data: the scorer, and the metric itself with the classes of the columns.
    print(f"Best is {search.best_params_['n_neighbors']}; on the other half MAP@3 {map3(search, X_test, y_test):.4f}")
    scores = search.predict_proba(X_test)
    print(f"The same by hand: {map_at_k(y_test, scores, 3, labels=search.classes_):.4f}")


if __name__ == "__main__":
    main()
