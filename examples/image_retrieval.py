"""Image retrieval: more like this one
===================================

Each digit of a sample asks for the images that show the same digit. An image is no answer to itself: -inf takes it out
of the ranking. The number of right answers differs from query to query, so the list is cut at R, the query's own.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import train_test_split

from sklearn_rank import compare, precision_at_k, top_k


def main() -> None:
    X, y = load_digits(return_X_y=True)
    X_train, X, y_train, y = train_test_split(X, y, test_size=600, random_state=0)
    features = {"pixels": X, "discriminants": LinearDiscriminantAnalysis().fit(X_train, y_train).transform(X)}
    relevant = (y[:, None] == y).astype(int)
    scores = {}
    for name, points in features.items():
        scores[name] = -euclidean_distances(points)
        np.fill_diagonal(scores[name], -np.inf)
    # The image itself is not an answer that could have been found.
    np.fill_diagonal(relevant, 0)

    print(compare(relevant, scores, ["precision@10", "map@R", "r_precision"], random_state=0))

    # The four queries that gain the most.
    found = {name: precision_at_k(relevant, of_features, 8, average=None) for name, of_features in scores.items()}
    queries = np.argsort(found["pixels"] - found["discriminants"], kind="stable")[:4]
    answers = {name: top_k(of_features[queries], 8) for name, of_features in scores.items()}
    figure, grid = plt.subplots(len(queries), 18, figsize=(10, 2.8), layout="constrained")
    for row, query in enumerate(queries):
        shown = [query, *answers["pixels"][row], None, *answers["discriminants"][row]]
        for axes, image in zip(grid[row], shown, strict=True):
            axes.set(xticks=[], yticks=[])
            if image is None:
                axes.axis("off")
                continue
            axes.imshow(X[image].reshape(8, 8), cmap="gray_r")
            right = "tab:blue" if image == query else "tab:green" if y[image] == y[query] else "tab:red"
            axes.spines[:].set(color=right, linewidth=2)
    figure.suptitle("query, eight answers by pixels, eight by discriminants; red ones are wrong")
    plt.show()


if __name__ == "__main__":
    main()
