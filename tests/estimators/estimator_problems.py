"""Small problems and estimators with fixed answers, for the tests of scorers."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin

from sklearn_rank import (
    hit_rate_at_k,
    make_rank_scorer,
)

CONSTANT_LABEL = "ignore:Label (not )?. is present in all training examples:UserWarning"
COLUMN_VECTOR = "ignore:A column-vector y was passed:sklearn.exceptions.DataConversionWarning"

# On a line: label 1 is on in no training row, label 3 in all of them.
LINE = np.array([[0.0], [1.0], [2.0]])
LINE_Y = np.array([[1, 0, 0, 1], [0, 0, 1, 1], [1, 0, 1, 1]])


def ragged_problem(n_train=24, n=40):
    """X, Y and a training fold in which label 1 is never on and label 3 always."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, 5)) + rng.normal(size=(n, 5)) > 0.3).astype(int)
    Y[:n_train, 1] = 0
    Y[:n_train, 3] = 1
    return X, Y, slice(n_train), slice(n_train, n)


def hand_aligned(model, X):
    """The probability that each label is 1, read off `classes_` one label at a time."""
    columns = []
    for probabilities, classes in zip(model.predict_proba(X), model.classes_, strict=True):
        column = np.zeros(len(X))
        for j, label in enumerate(classes):
            if label == 1:
                column = probabilities[:, j]
        columns.append(column)
    return np.transpose(columns)


class Answers(BaseEstimator):
    """A fitted estimator that gives fixed answers: Answers(predict_proba=..., classes_=...)."""

    def __init__(self, **answers):
        for name, answer in answers.items():
            setattr(self, name, answer if name.endswith("_") else lambda X, answer=answer: answer)


class FirstColumn(RegressorMixin, BaseEstimator):
    """A ranker that reads its scores from the first column of X, and wants X whole."""

    def __init__(self, n_columns=2):
        self.n_columns = n_columns

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def predict(self, X):
        if X.shape[1] != self.n_columns:
            message = f"X has {X.shape[1]} columns"
            raise AssertionError(message)
        if sparse.issparse(X):
            X = X.toarray()
        return np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)[:, 0].astype(float)


def hit_rate_scorer_at(k):
    return make_rank_scorer(hit_rate_at_k, k)


def queries():
    """Scores, grades and query ids of three queries whose rows are mixed: reciprocal ranks 1/4, 1 and 1/2."""
    scores = np.array([9, 5, 8, 4, 7, 3, 6, 2, 1], dtype=float)
    query = np.array([10, 20, 10, 30, 10, 20, 10, 30, 30])
    relevant = np.array([0, 1, 0, 0, 0, 0, 1, 1, 0])
    return scores, query, relevant


RECIPROCAL_RANKS = (1 / 4 + 1 + 1 / 2) / 3
