"""Monitoring: a figure a day, and of the week
===========================================

A model in use gets data day by day. Each day keeps a pickled `RankingAccumulator` of a few hundred bytes; those of a
week are merged into the exact figure of the week. The data are digits; from the fourth day on a faulty camera adds
noise.
"""

import pickle

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from sklearn_rank import RankingAccumulator, map_at_k

DAYS = 7
NOISE = [0, 0, 0, 4, 5, 6, 7]


def main() -> None:
    rng = np.random.default_rng(0)
    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.7, random_state=0)
    model = GaussianNB(var_smoothing=0.1).fit(X, y)

    stored, kept = [], []
    print("day  images  MAP@3")
    for day, (images, digits) in enumerate(zip(np.array_split(X_new, DAYS), np.array_split(y_new, DAYS), strict=True)):
        today = RankingAccumulator(["map@3", "hit_rate@1"], labels=model.classes_)
        for start in range(0, len(images), 50):  # as they come
            batch = slice(start, start + 50)
            scores = model.predict_proba(images[batch] + NOISE[day] * rng.standard_normal(images[batch].shape))
            today.update(digits[batch], scores)
            kept.append((digits[batch], scores))
        print(f"{day + 1:3}  {len(images):6}  {today.result()['map@3']:.4f}")
        stored.append(pickle.dumps(today))

    days = [pickle.loads(state) for state in stored]
    by_day = [day.result() for day in days]
    week = days[0]
    for day in days[1:]:
        week = week.merge(day)
    whole = map_at_k(
        np.concatenate([y for y, _ in kept]), np.concatenate([s for _, s in kept]), 3, labels=model.classes_
    )
    print(f"\nweek {week.result()['map@3']:.10f}, from all the data {whole:.10f}; {len(stored[0])} bytes a day")

    _, axes = plt.subplots(layout="constrained")
    for metric in ("map@3", "hit_rate@1"):
        axes.plot(range(1, DAYS + 1), [figures[metric] for figures in by_day], marker="o", label=metric)
    axes.axvline(3.5, color="gray", linestyle=":", label="the camera fails")
    axes.set(xlabel="day", ylabel="figure of the day", ylim=(0, 1))
    axes.legend()
    plt.show()


if __name__ == "__main__":
    main()
