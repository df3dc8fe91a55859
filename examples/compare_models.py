"""Three classifiers of digits, compared and drawn
===============================================

Three classifiers of handwritten digits, compared by cross-validated rankings of the classes.

Draws with matplotlib; ``python examples/compare_models.py --save docs/images`` writes the pictures of the
documentation.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import RankingCurveDisplay, compare, out_of_fold_scores


def main(folder: str | None = None) -> None:
    X, y = load_digits(return_X_y=True)
    X = X[:, ::5]  # every fifth pixel: hard enough for differences
    models = {
        "naive Bayes": GaussianNB(),
        "3 neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)),
    }
    y_scores = {name: out_of_fold_scores(model, X, y, cv=5) for name, model in models.items()}
    comparison = compare(y, y_scores, ["map@3", "hit_rate@1"], random_state=0)
    print(comparison, end="\n\n")
    # Every two models, as a paper prints them: c is better than a and b where its value carries their letters.
    every_two = compare(y, y_scores, ["map@3", "hit_rate@1"], pairs="all", random_state=0)
    print(every_two.to_markdown())

    figures = {"comparison": comparison.plot()[0].figure, "pairs": every_two.plot()[0].figure}
    curves = RankingCurveDisplay.from_predictions(y, y_scores, "hit_rate", random_state=0, despine=True)
    figures["models"] = curves.figure_
    curves = RankingCurveDisplay.from_predictions(
        y, y_scores["logistic"], ["precision", "recall", "map"], random_state=0, ks=range(1, 6)
    )
    figures["metrics"] = curves.figure_
    results = cross_validate(models["logistic"], X, y, cv=5, return_estimator=True, return_indices=True)
    curves = RankingCurveDisplay.from_cv_results(results, X, y, "hit_rate", name="logistic", random_state=0)
    figures["folds"] = curves.figure_
    if folder is None:
        plt.show()
    else:
        for name, figure in figures.items():
            figure.savefig(Path(folder) / f"{name}.png", dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", metavar="FOLDER")
    main(parser.parse_args().save)
