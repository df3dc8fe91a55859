"""Rare labels: what propensities change
=====================================

With many labels a model can score well by the common ones alone. Propensity-scored metrics count a hit of a rare label
for more, since rare labels are recorded less often than they apply.

The data are made, by this recipe: 3000 rows, 500 labels whose frequency falls as 1 / rank; a row has 5 labels, drawn
without replacement by frequency times how near row and label are in a space of 8 dimensions.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge

from sklearn_rank import label_propensities, precision_at_k, psprecision_at_k, psrecall_at_k

N_ROWS, N_LABELS, N_TRAIN = 3000, 500, 2000


def make_rows(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Features (3000, 8) and labels (3000, 500)."""
    rng = np.random.default_rng(seed)
    X, centers = rng.standard_normal((N_ROWS, 8)), rng.standard_normal((N_LABELS, 8))
    log_weight = X @ centers.T - np.log(np.arange(1, N_LABELS + 1))
    # The largest of log weights plus Gumbel noise are a sample without replacement.
    drawn = np.argsort(-(log_weight + rng.gumbel(size=log_weight.shape)), axis=1)[:, :5]
    Y = np.zeros((N_ROWS, N_LABELS), np.int8)
    np.put_along_axis(Y, drawn, 1, axis=1)
    return X, Y


def main() -> None:
    X, Y = make_rows()
    p = label_propensities(Y[:N_TRAIN])
    frequency = Y[:N_TRAIN].mean(axis=0)
    model = Ridge().fit(X[:N_TRAIN], Y[:N_TRAIN])
    predicted, y_true = model.predict(X[N_TRAIN:]), Y[N_TRAIN:]
    scores = {
        "most frequent": np.tile(frequency, (len(y_true), 1)),
        "ridge": predicted,
        "ridge / p": predicted / p,
    }

    table = {
        name: [
            precision_at_k(y_true, s, 5),
            psprecision_at_k(y_true, s, 5, propensity=p),
            psrecall_at_k(y_true, s, 5, propensity=p),
        ]
        for name, s in scores.items()
    }
    metrics = ["precision@5", "psprecision@5", "psrecall@5"]
    print(" " * 15 + "  ".join(f"{metric:>13}" for metric in metrics))
    for name, values in table.items():
        print(f"{name:15}" + "  ".join(f"{value:13.3f}" for value in values))

    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.loglog(np.arange(1, N_LABELS + 1), np.sort(p)[::-1])
    left.set(xlabel="label, the most frequent first", ylabel="propensity")
    for i, (name, values) in enumerate(table.items()):
        right.bar(np.arange(len(metrics)) + 0.27 * (i - 1), values, 0.25, label=name)
    right.set(xticks=range(len(metrics)), xticklabels=metrics)
    right.legend()
    plt.show()


if __name__ == "__main__":
    main()
