"""Recommenders: from tables to a comparison
=========================================

Recommendations of two models for the same users: from interactions in a table to a comparison.

Recipe of the data: 2000 users with a mixture of 5 tastes, 600 items of one taste each whose popularity falls as
1 / rank. Every user takes 10 to 40 different items, an item as likely as its popularity times the square of the
user's taste for it. A fifth of what a user took, at least one, is held out, but nothing of every tenth user.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD

from sklearn_rank import RankingCurveDisplay, compare, evaluate, from_frames, recall_at_k

N_USERS, N_ITEMS, N_TASTES = 2000, 600, 5


def interactions(random):
    """Two tables (user, item): what was seen and what was held out, in the order of the users."""
    taste = random.dirichlet(np.full(N_TASTES, 0.3), N_USERS)
    kind, popularity = random.integers(0, N_TASTES, N_ITEMS), 1 / np.arange(1, N_ITEMS + 1)
    weights = popularity * (taste[:, kind] + 0.02) ** 2
    # The largest of log weights plus Gumbel noise are a sample without replacement.
    order = np.argsort(-np.log(weights) - random.gumbel(size=weights.shape), axis=1)
    seen, held_out = [], []
    for user, n_taken in enumerate(random.integers(10, 41, N_USERS)):
        n_held_out = 0 if user % 10 == 9 else max(1, n_taken // 5)
        taken = random.permutation(order[user, :n_taken])
        held_out += [(user, item) for item in taken[:n_held_out]]
        seen += [(user, item) for item in taken[n_held_out:]]
    return pd.DataFrame(seen, columns=["user", "item"]), pd.DataFrame(held_out, columns=["user", "item"])


def recommend(scores, seen, k=50):
    """A table with the k best items of each user that the user has not seen."""
    scores = scores.copy()
    scores[seen["user"], seen["item"]] = -np.inf
    best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    users = np.repeat(np.arange(len(scores)), k)
    return pd.DataFrame({"user": users, "item": best.ravel(), "score": scores[users, best.ravel()]})


def main():
    random = np.random.default_rng(0)
    seen, held_out = interactions(random)
    matrix = np.zeros((N_USERS, N_ITEMS))
    matrix[seen["user"], seen["item"]] = 1
    factors = TruncatedSVD(10, random_state=0)
    models = {
        "popularity": np.tile(matrix.sum(axis=0), (N_USERS, 1)),
        "factors": factors.inverse_transform(factors.fit_transform(matrix)),
    }
    tables = {name: recommend(scores, seen) for name, scores in models.items()}
    columns = {"query": "user", "item": "item"}
    pairs = {name: from_frames(held_out, table, score="score", **columns) for name, table in tables.items()}
    metrics = ["map@10", "ndcg@10", "recall@50", "hit_rate@10"]

    print(pd.DataFrame({name: evaluate(*pair, metrics) for name, pair in pairs.items()}).T.round(4), "\n")

    # Rows are the users of `held_out` in order of first appearance. Users without held-out items are not among
    # them; counted as rows with nothing to find, each would bring a 0.
    users = held_out["user"].unique()
    print(f"{len(users)} of {N_USERS} users have held-out items.")
    for name, pair in pairs.items():
        print(
            f"recall@50 of {name}: {recall_at_k(*pair, 50):.4f}, others as 0: "
            f"{recall_at_k(*pair, 50) * len(users) / N_USERS:.4f}"
        )

    # Row by row the values lie beside the ids, so that any property of a user gives segments.
    rows = pd.DataFrame({name: recall_at_k(*pair, 50, average=None) for name, pair in pairs.items()}, index=users)
    n_seen = seen.groupby("user").size().reindex(users)
    rows["history"] = pd.cut(n_seen, [0, 15, 25, 40], labels=["up to 15", "16 to 25", "more"])
    print("\nrecall@50 by length of the history")
    print(rows.groupby("history", observed=True).mean().round(4))

    print("\nitems that anybody is shown among the first 10")
    for name, table in tables.items():
        shown = table.groupby("user").head(10)["item"].nunique()
        print(f"{name}: {shown} of {N_ITEMS}")

    # The slots of each table are its own, so each model brings its own y_true.
    y_true, y_scores = ({name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
    print()
    print(compare(y_true, y_scores, ["map@10", "recall@50"], random_state=0))

    RankingCurveDisplay.from_predictions(
        y_true, y_scores, "recall", ks=range(1, 51), random_state=0, plot_chance_level=False
    )
    plt.show()


if __name__ == "__main__":
    main()
