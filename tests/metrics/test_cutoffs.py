"""k as a fraction of what a row retrieved and as its R: worked examples, decimals, texts, keys, errors."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from over_registry import call, metrics_with_k
from scipy import sparse

from sklearn_rank import (
    evaluate,
    f1_at_k,
    hit_rate_at_k,
    map_at_k,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
)

NEVER = -np.inf
# Row 0: four retrieved, hits at ranks 1 and 4. Row 1: two of four retrieved, a hit at rank 2. R = 2 and 2.
Y = [[1, 0, 0, 1], [0, 1, 1, 0]]
S = [[4.0, 3.0, 2.0, 1.0], [2.0, 1.0, NEVER, NEVER]]


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0)


def ranks_seen(k, n, dtype=float):
    """How many of n ranks a cutoff sees: precision's divisor."""
    return round(1 / precision_at_k([[1] + [0] * (n - 1)], [list(range(n, 0, -1))], dtype(k)))


class TestFractions:
    @pytest.mark.parametrize(
        ("metric", "expected"),
        [
            # A half: two ranks of row 0, one of row 1.
            (precision_at_k, [1 / 2, 0]),
            (recall_at_k, [1 / 2, 0]),
            (f1_at_k, [2 / (2 + 2), 0]),
            (hit_rate_at_k, [1, 0]),
            (mrr_at_k, [1, 0]),
            (map_at_k, [1 / 2, 0]),
        ],
    )
    def test_of_what_each_row_retrieved(self, metric, expected):
        assert metric(Y, S, 0.5, average=None) == exactly(expected)

    @pytest.mark.parametrize(
        ("k", "seen"), [(0.2, (1, 1)), (0.25, (1, 1)), (0.26, (2, 1)), (0.5, (2, 1)), (0.75, (3, 2))]
    )
    def test_rounded_up(self, k, seen):
        hits = [1, [0, 1][seen[1] > 1]]
        assert precision_at_k(Y, S, k, average=None) == exactly([hits[0] / seen[0], hits[1] / seen[1]])

    @pytest.mark.parametrize(
        ("k", "n", "seen"),
        [
            (0.1, 30, 3),  # the double is above 1/10
            (0.07, 100, 7),  # 0.07 * 100 is 7.000000000000001
            (0.29, 100, 29),  # 0.29 * 100 is 28.999999999999996
            (0.57, 100, 57),
            (0.3, 10, 3),
            (1e-9, 50, 1),
            (0.999999999, 50, 50),
            (0.3333333333333333, 3, 1),
            (0.33333333333333337, 3, 2),
            (5e-324, 4, 1),
        ],
    )
    def test_on_the_decimal_that_is_shown(self, k, n, seen):
        assert ranks_seen(k, n) == seen

    def test_short_floats_are_the_decimals_that_they_show(self):
        assert ranks_seen(0.1, 30, np.float32) == 3
        assert ranks_seen(0.07, 100, np.float16) == 7
        assert ranks_seen(0.1, 30, np.float64) == 3

    def test_each_ranking_of_a_collection_has_its_own(self):
        y_true, y_scores = [1, 0, 0, 1, 0, 1], [6, 5, 4, 3, 2, 1]
        # Three ranks of four; one of two.
        values = precision_at_k(y_true, y_scores, 0.5, groups=list("aaaabb"), average=None)
        assert values == exactly([1 / 2, 0])
        assert precision_at_k(y_true, y_scores, 0.75, groups=list("aaaabb"), average=None) == exactly([1 / 3, 1 / 2])

    def test_stored_scores_are_what_was_retrieved(self):
        scores = sparse.csr_array(
            ([4.0, 3.0, 2.0, 1.0, 2.0, 1.0], ([0, 0, 0, 0, 1, 1], [0, 1, 2, 3, 0, 1])), shape=(2, 4)
        )
        assert precision_at_k(Y, scores, 0.5, average=None) == exactly([1 / 2, 0])

    @metrics_with_k
    def test_nothing_retrieved(self, metric):
        assert call(metric, [[1, 0]], [[NEVER, NEVER]], 0.5, average=None).tolist() == [0]

    def test_ties_across_the_cut(self):
        # Two of four equal ranks, one of four items relevant.
        assert precision_at_k([[0, 1, 0, 0]], [[1, 1, 1, 1]], 0.5) == exactly(1 / 4)
        assert recall_at_k([[0, 1, 0, 0]], [[1, 1, 1, 1]], 0.5) == exactly(1 / 2)


class TestRelevant:
    @pytest.mark.parametrize(
        ("metric", "expected"),
        [
            # R = 2 and R = 3: hits at rank 1; at ranks 2 and 3.
            (precision_at_k, [1 / 2, 2 / 3]),
            (recall_at_k, [1 / 2, 2 / 3]),
            (f1_at_k, [1 / 2, 2 / 3]),
            (map_at_k, [1 / 2, (1 / 2 + 2 / 3) / 3]),
            (mrr_at_k, [1, 1 / 2]),
            (hit_rate_at_k, [1, 1]),
        ],
    )
    def test_each_row_is_cut_at_its_own_r(self, metric, expected):
        y_true, y_scores = [[1, 0, 0, 1], [0, 1, 1, 1]], [[4, 3, 2, 1]] * 2
        assert metric(y_true, y_scores, "relevant", average=None) == exactly(expected)

    def test_precision_is_r_precision(self, rng):
        y_true, y_scores = rng.integers(0, 2, (30, 8)), rng.integers(0, 5, (30, 8)).astype(float)
        y_scores[rng.random((30, 8)) < 0.2] = NEVER
        expected = r_precision(y_true, y_scores, average=None)
        assert precision_at_k(y_true, y_scores, "relevant", average=None) == exactly(expected)

    def test_items_never_retrieved_are_in_r(self):
        assert precision_at_k([[1, 0, 1, 1]], [[2.0, 1.0, NEVER, NEVER]], "relevant") == exactly(1 / 3)

    def test_grades_above_zero_are_relevant(self):
        # Grades 1, 3 of three items: the first two ranks.
        log3 = np.log2(3)
        assert ndcg_at_k([[0, 1, 3]], [[3, 2, 1]], "relevant") == exactly((1 / log3) / (3 + 1 / log3))

    def test_grades_that_reach_the_threshold_are(self):
        assert precision_at_k([[3, 1, 2]], [[1, 3, 2]], "relevant", relevance_threshold=2) == exactly(1 / 2)

    def test_a_row_without_a_relevant_item(self):
        assert precision_at_k([[0, 0]], [[2, 1]], "relevant", zero_division=0.25) == 0.25

    @pytest.mark.parametrize("denominator", ["attainable", "relevant", "k"])
    def test_the_denominators_of_map_are_one(self, denominator):
        assert map_at_k([[0, 1, 1]], [[3, 2, 1]], "relevant", denominator=denominator) == exactly(1 / 2 / 2)


class TestTexts:
    def test_percentages_and_r(self):
        found = evaluate(Y, S, ["precision@50%", "map@R", "recall@25%", "ndcg@12.5%", "mrr@R", "precision@100"])
        assert found == exactly(
            {
                "precision@50%": precision_at_k(Y, S, 0.5),
                "map@R": map_at_k(Y, S, "relevant"),
                "recall@25%": recall_at_k(Y, S, 0.25),
                "ndcg@12.5%": ndcg_at_k(Y, S, 0.125),
                "mrr@R": mrr_at_k(Y, S, "relevant"),
                "precision@100": precision_at_k(Y, S, 100),
            }
        )
        assert found["precision@50%"] == 1 / 4
        assert found["map@R"] == exactly((1 / 2 + 1 / 4) / 2)

    @pytest.mark.parametrize(
        ("text", "n", "seen"), [("7%", 100, 7), ("0.1%", 3000, 3), ("10%", 30, 3), ("99.9%", 4, 4), ("010%", 30, 3)]
    )
    def test_decimals(self, text, n, seen):
        y_true, y_scores = [[1] + [0] * (n - 1)], [list(range(n, 0, -1))]
        assert evaluate(y_true, y_scores, [f"precision@{text}"])[f"precision@{text}"] == exactly(1 / seen)

    @pytest.mark.parametrize(
        "cutoff",
        [
            "0%",
            "0.0%",
            "100%",
            "100.0%",
            "250%",
            "-5%",
            "5 %",
            "%",
            ".5%",
            "5.%",
            "1e1%",
            "٥%",
            "r",
            "R ",
            "RR",
            "0.5",
            "relevant",
            "",
            "0",
            "-1",
            "+1",
            "1_0",
            "None",
            "5%%",
        ],
    )
    def test_errors(self, cutoff):
        with pytest.raises(ValueError, match="an integer of at least 1, a percentage below 100% or R, got") as caught:
            evaluate(Y, S, [f"map@{cutoff}"])
        assert repr(f"map@{cutoff}") in str(caught.value)
        assert repr(cutoff) in str(caught.value)

    @pytest.mark.parametrize("text", ["r_precision@R", "rbp@5%", "roc_auc@R", "bpref@10%"])
    def test_metrics_without_a_cutoff(self, text):
        with pytest.raises(ValueError, match=f"takes no k, got '{text}'"):
            evaluate(Y, S, [text])

    def test_one_ranking_for_cutoffs_of_every_kind(self):
        report = ["precision@1", "precision@50%", "precision@R", "precision", "map@R", "ndcg@50%"]
        alone = {text: evaluate(Y, S, [text])[text] for text in report}
        assert evaluate(Y, S, report) == alone


class TestErrors:
    @metrics_with_k
    @pytest.mark.parametrize(
        ("k", "error"),
        [
            (1.0, ValueError),
            (0.0, ValueError),
            (-0.0, ValueError),
            (-0.1, ValueError),
            (1.5, ValueError),
            (np.nan, ValueError),
            (np.float32(1), ValueError),
            ("R", TypeError),
            ("5%", TypeError),
            (True, TypeError),
            (False, TypeError),
            (Fraction(1, 2), TypeError),
            (Decimal("0.5"), TypeError),
            (b"relevant", TypeError),
            ([0.5], TypeError),
            (np.array(0.5), TypeError),
            (0.5j, TypeError),
        ],
        ids=repr,
    )
    def test_k(self, metric, k, error):
        expected = "`k` must be an integer of at least 1, a fraction between 0 and 1, 'relevant' or None, got "
        with pytest.raises(error, match=expected) as caught:
            call(metric, Y, S, k)
        assert (repr(k) if error is TypeError else str(k)) in str(caught.value)
