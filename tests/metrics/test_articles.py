"""Numbers from articles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import (
    apk,
    from_lists,
    map_at_k,
    mapk,
    mrr_at_k,
    precision_at_k,
)

NEVER = -np.inf


def exactly(value):
    """Equal but for the rounding of a few operations."""
    return pytest.approx(value, rel=1e-13, abs=0, nan_ok=True)


def log2(x):
    return math.log2(x)


class TestSeeds:
    """Numbers that articles and notebooks give."""

    def test_kaggle_map_of_ten(self):
        relevance = [1, 0, 1, 0, 0, 1, 0, 0, 1, 1]
        assert map_at_k([relevance], [range(10, 0, -1)], 10) == exactly(28 / 45)

    def test_kaggle_apk_of_ten(self):
        actual = ["r1", "r3", "r6", "r9", "r10"]
        predicted = [f"r{i}" for i in range(1, 11)]
        assert apk(actual, predicted, k=10) == exactly(28 / 45)
        assert mapk([actual], [predicted], k=10) == exactly(28 / 45)

    @pytest.mark.parametrize(
        ("relevance", "expected"), [([1, 0, 0, 0, 0, 1, 1], 37 / 21 / 7), ([1, 1, 1, 0, 0, 0, 0], 3 / 7)]
    )
    def test_kaggle_eight_relevant_at_seven(self, relevance, expected):
        # Five of the eight are not in the list.
        y_true = [relevance + [1] * 5]
        y_scores = [[7, 6, 5, 4, 3, 2, 1] + [NEVER] * 5]
        assert map_at_k(y_true, y_scores, 7) == exactly(expected)

    @pytest.mark.parametrize(
        ("relevance", "expected"), [([1, 0, 0, 0, 0, 1, 1], 37 / 21 / 7), ([1, 1, 1, 0, 0, 0, 0], 3 / 7)]
    )
    def test_kaggle_apk_eight_relevant_at_seven(self, relevance, expected):
        predicted = list(range(7))
        actual = [i for i in predicted if relevance[i]] + [100, 101, 102, 103, 104]
        assert apk(actual, predicted, k=7) == exactly(expected)
        assert mapk([actual, actual], [predicted, predicted], k=7) == exactly(expected)

    map_article = (
        # Scores of items 0 to 3, by query.
        [[1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0]],
        [[0.8, 0.6, 0.4, 0.2], [0.5, 0.3, 0.7, 0.9], [0.8, 0.7, 0.9, 0.1]],
    )

    @pytest.mark.parametrize("denominator", ["attainable", "relevant", "hits"])
    def test_map_article(self, denominator):
        values = map_at_k(*self.map_article, average=None, denominator=denominator)
        assert values == exactly([5 / 6, 1, 7 / 12])
        assert map_at_k(*self.map_article, denominator=denominator) == exactly(29 / 36)

    def test_map_article_by_groups(self):
        # The pairs as the article lists them, best first.
        items = [0, 1, 2, 3, 3, 2, 0, 1, 2, 0, 1, 3]
        y_scores = [0.8, 0.6, 0.4, 0.2, 0.9, 0.7, 0.5, 0.3, 0.9, 0.8, 0.7, 0.1]
        queries = np.repeat(["q1", "q2", "q3"], 4)
        y_true = [self.map_article[0][row // 4][item] for row, item in enumerate(items)]
        assert map_at_k(y_true, y_scores, groups=queries) == exactly(29 / 36)

    speed_notebook = (
        1,
        1,
        1,
        3 / 4,
        19 / 25,
        139 / 180,
        139 / 210,
        139 / 240,
        139 / 270,
        157 / 300,
        157 / 330,
        349 / 720,
    )

    @pytest.mark.parametrize(("k", "expected"), list(enumerate(speed_notebook, start=1)))
    def test_speed_notebook(self, k, expected):
        actual, predicted = list("abcdefhijklm"), list("afcgbkonxlqi")
        assert apk(actual, predicted, k) == exactly(expected)
        y_true, y_scores = from_lists([actual], [predicted])
        assert map_at_k(y_true, y_scores, k) == exactly(expected)
        assert map_at_k(y_true, y_scores, k, denominator="k") == exactly(expected)

    precision_article = ([[0, 1, 0, 0, 1]], [[5, 4, 3, 2, 1]])  # [A, B, C, D, E] with relevant B, E

    def test_precision_article(self):
        assert precision_at_k(*self.precision_article, 3) == exactly(1 / 3)

    def test_precision_article_average_precision(self):
        assert map_at_k(*self.precision_article, 5, denominator="hits") == exactly(0.45)

    def test_precision_article_mean(self):
        # 0.70 is (1/1 + 2/5) / 2: hits at A and E.
        y_true = [[0, 1, 0, 0, 1], [1, 0, 0, 0, 1]]
        y_scores = [[5, 4, 3, 2, 1]] * 2
        assert map_at_k(y_true, y_scores, 5, denominator="hits", average=None) == exactly([0.45, 0.70])
        assert map_at_k(y_true, y_scores, 5, denominator="hits") == exactly(0.575)

    @pytest.mark.parametrize("denominator", ["attainable", "relevant", "k", "hits"])
    def test_precision_article_without_a_relevant_item(self, denominator):
        assert map_at_k([[0, 0, 0]], [[3, 2, 1]], 3, denominator=denominator) == 0
        assert precision_at_k([[0, 0, 0]], [[3, 2, 1]], 3) == 0

    japanese_article = ([[0, 0, 1, 1], [0, 0, 0, 0]], [[0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.5, 0.1]])

    def test_japanese_article_map(self):
        assert map_at_k(*self.japanese_article, k=None) == exactly(5 / 12)

    def test_japanese_article_mrr(self):
        assert mrr_at_k(*self.japanese_article, k=None) == exactly(1 / 2)

    def test_japanese_article_mrr_at_three(self):
        y_true = [[0, 0, 1, 1], [0, 0, 0, 1]]
        y_scores = [[0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.5, 0.9]]
        assert mrr_at_k(y_true, y_scores, k=3) == 1

    def test_japanese_article_k_by_position(self):
        # At k=1 the second hit of row 1 is out of sight.
        assert map_at_k(*self.japanese_article, 1, denominator="relevant") == exactly(1 / 2 / 2)
        assert map_at_k(*self.japanese_article, 3) == exactly(5 / 12)
