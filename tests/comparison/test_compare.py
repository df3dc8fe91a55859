"""compare: values, intervals, paired tests, and how they are shown."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import permutation_test

from sklearn_rank import Comparison, compare, evaluate, from_lists
from sklearn_rank.comparison._compare import bootstrap_intervals, holm, sign_flip_test

COLUMNS = [
    "model", "metric", "value", "low", "high", "difference", "difference_low", "difference_high", "p_value",
    "p_adjusted", "wins", "ties", "losses",
]


def models(rng, n=60, m=8, better=1.0):
    y_true = (rng.random((n, m)) < 0.3).astype(int)
    return y_true, {"plain": rng.random((n, m)), "good": rng.random((n, m)) + better * y_true}


class TestResult:
    def test_values_are_those_of_evaluate(self, rng):
        y_true, y_scores = models(rng)
        metrics = ["map@3", ("ndcg@5", {"gain": "exponential"}, "exp"), "mrr"]
        result = compare(y_true, y_scores, metrics, n_resamples=99, random_state=0, zero_division=1.0, ties="worst")
        assert [(row.metric, row.model) for row in result.rows] == list(product(["map@3", "exp", "mrr"], y_scores))
        for row in result.rows:
            report = evaluate(y_true, y_scores[row.model], metrics, zero_division=1.0, ties="worst")
            assert row.value == pytest.approx(report[row.metric], rel=1e-12)
            assert row.low <= row.value <= row.high

    def test_differences_and_signs(self):
        # Reciprocal ranks: a has 1, 1/2, 1, 1; b has 1, 1, 1/2, 1; c has 1/2 everywhere.
        y_true = [[1, 0]] * 4
        first, second = [2, 1], [1, 2]
        y_scores = {"a": [first, second, first, first], "b": [first, first, second, first], "c": [second] * 4}
        a, b, c = compare(y_true, y_scores, ["mrr"], n_resamples=99, random_state=0).rows
        assert (a.value, b.value, c.value) == (7 / 8, 7 / 8, 1 / 2)
        assert np.isnan([a.difference, a.difference_low, a.difference_high, a.p_value, a.p_adjusted]).all()
        assert (a.wins, a.ties, a.losses) == (0, 4, 0)
        assert (b.difference, b.wins, b.ties, b.losses) == (0, 1, 2, 1)
        assert (c.difference, c.wins, c.ties, c.losses) == (-3 / 8, 0, 1, 3)
        # Two rows of b differ: all of 2^2 flips are as extreme as 0; of the 2^3 of c two are.
        assert (b.p_value, c.p_value) == (1.0, 2 / 8)
        assert (b.p_adjusted, c.p_adjusted) == (1.0, 4 / 8)

    def test_another_baseline(self, rng):
        y_true, y_scores = models(rng)
        forth = compare(y_true, y_scores, ["map@3"], n_resamples=99, random_state=0)
        back = compare(y_true, y_scores, ["map@3"], n_resamples=99, random_state=0, baseline="good")
        assert (forth.baseline, back.baseline) == ("plain", "good")
        assert back.rows[0].difference == pytest.approx(-forth.rows[1].difference, rel=1e-12)
        assert back.rows[0].p_value == forth.rows[1].p_value
        assert (back.rows[0].wins, back.rows[0].losses) == (forth.rows[1].losses, forth.rows[1].wins)

    def test_one_model(self, rng):
        y_true, y_scores = models(rng)
        (row,) = compare(y_true, {"good": y_scores["good"]}, ["map@3"], n_resamples=99, random_state=0).rows
        assert np.isnan(row.p_adjusted)

    def test_equal_models(self, rng):
        y_true, y_scores = models(rng)
        row = compare(y_true, {"a": y_scores["good"], "b": y_scores["good"]}, ["map"], n_resamples=99).rows[1]
        assert (row.difference, row.difference_low, row.difference_high, row.p_value) == (0, 0, 0, 1)
        assert (row.wins, row.ties, row.losses) == (0, len(y_true), 0)

    @pytest.mark.parametrize("kind", [int, np.random.default_rng, np.random.RandomState])
    def test_reproducible(self, rng, kind):
        y_true, y_scores = models(rng, better=0.1)
        one, two = (
            str(compare(y_true, y_scores, ["map"], n_resamples=199, random_state=kind(seed))) for seed in (3, 3)
        )
        assert one == two

    def test_planted_difference_is_found(self, rng):
        y_true, y_scores = models(rng, n=200, better=0.4)
        row = compare(y_true, y_scores, ["map@5"], random_state=0).rows[1]
        assert row.p_value == 1e-4  # (0 + 1) / (9999 + 1)
        assert row.difference_low > 0


class TestInputs:
    def test_weights(self, rng):
        y_true, y_scores = models(rng, n=30)
        weights = rng.integers(0, 3, 30)
        result = compare(y_true, y_scores, ["map@3"], sample_weight=weights, n_resamples=99, random_state=0)
        assert result.n_rankings == (weights > 0).sum()
        for row in result.rows:
            expected = evaluate(y_true, y_scores[row.model], ["map@3"], sample_weight=weights)["map@3"]
            assert row.value == pytest.approx(expected, rel=1e-12)

    def test_undefined_rows_are_left_out_or_count(self, rng):
        y_true, y_scores = models(rng, n=30)
        y_true[:10] = 0
        assert compare(y_true, y_scores, ["map"], n_resamples=9).n_rankings == 30
        defined = y_true.any(axis=1)
        result = compare(y_true, y_scores, ["map"], n_resamples=9, zero_division=np.nan)
        assert result.n_rankings == defined.sum()
        expected = evaluate(y_true[defined], y_scores["good"][defined], ["map"])["map"]
        assert result.rows[1].value == pytest.approx(expected, rel=1e-12)

    def test_groups_are_what_is_resampled(self, rng):
        y_true, y_scores = models(rng, n=20)
        groups = np.repeat(np.arange(20), 8)
        flat = {name: scores.ravel() for name, scores in y_scores.items()}
        by_row = compare(y_true, y_scores, ["map@3"], n_resamples=99, random_state=0)
        by_group = compare(y_true.ravel(), flat, ["map@3"], groups=groups, n_resamples=99, random_state=0)
        assert by_row.rows == by_group.rows or str(by_row) == str(by_group)
        weights = np.arange(160.0)
        weighted = compare(y_true.ravel(), flat, ["map@3"], groups=groups, sample_weight=weights, n_resamples=9)
        expected = evaluate(y_true.ravel(), flat["good"], ["map@3"], groups=groups, sample_weight=weights)["map@3"]
        assert weighted.rows[1].value == pytest.approx(expected, rel=1e-12)

    def test_labels_and_sparse(self, rng):
        y_true = rng.choice(["a", "b", "c"], 25)
        y_scores = {"one": rng.random((25, 3)), "two": rng.random((25, 3))}
        matrix = (y_true[:, None] == ["a", "b", "c"]).astype(int)
        by_label = compare(y_true, y_scores, ["mrr"], n_resamples=99, random_state=0)
        by_matrix = compare(sparse.csr_array(matrix), y_scores, ["mrr"], n_resamples=99, random_state=0)
        assert str(by_label) == str(by_matrix)

    def test_lists_of_two_recommenders_have_columns_of_their_own(self):
        actual = [["a"], ["b"], ["c"]]
        first = from_lists(actual, [["a", "x"], ["b", "x"], ["c", "x"]])
        second = from_lists(actual, [["x", "y", "a"], ["x", "b"], ["x", "c"]])
        truth, scores = ({"first": first[part], "second": second[part]} for part in (0, 1))
        one, two = compare(truth, scores, ["mrr"], n_resamples=9).rows
        assert (one.value, two.value) == pytest.approx((1, (1 / 3 + 1 / 2 + 1 / 2) / 3), rel=1e-15)
        assert (two.wins, two.losses) == (0, 3)
        with pytest.raises(ValueError, match=r"must name the same models, got \['first'\] and \['first', 'second'\]"):
            compare({"first": first[0]}, scores, ["mrr"])
        with pytest.raises(ValueError, match=r"The models must rank the same rows, got \[3, 2\] rankings"):
            compare({**truth, "second": second[0][:2]}, {**scores, "second": second[1][:2]}, ["mrr"])

    def test_weights_of_any_size(self, rng):
        y_true, y_scores = models(rng, n=20)
        groups = np.repeat(np.arange(20), 8)
        flat = {name: scores.ravel() for name, scores in y_scores.items()}
        huge = compare(y_true.ravel(), flat, ["mrr"], groups=groups, sample_weight=np.full(160, 1e308), n_resamples=99)
        assert np.isfinite(huge.rows[1][2:10]).all()
        assert huge.rows[1].value == pytest.approx(evaluate(y_true, y_scores["good"], ["mrr"])["mrr"])
        weights = np.r_[1e308, 1e308, np.full(18, 1e-200)]  # all but two count for nothing beside them
        apart = compare(y_true, y_scores, ["mrr"], sample_weight=weights, n_resamples=99)
        assert apart.n_rankings == 2
        assert np.isfinite(apart.rows[1][2:10]).all()

    def test_errors_name_the_model(self):
        with pytest.raises(ValueError, match=r"do not match: .* \(Model 'b'\.\)"):
            compare([[0, 1]] * 2, {"a": [[1, 2]] * 2, "b": [[1, 2, 3]] * 2}, ["map"])

    @pytest.mark.parametrize(
        ("changes", "error", "message"),
        [
            ({"y_scores": [[1, 2]]}, TypeError, r"`y_scores` must be a dict with the scores of each model.* got list"),
            ({"y_scores": {}}, TypeError, r"`y_scores` must be a dict"),
            ({"y_scores": {1: [[1, 2]] * 3}}, TypeError, r"names of models in `y_scores` must be text, got \[1\]"),
            ({"baseline": "c"}, ValueError, r"`baseline` must be one of the models \['a', 'b'\], got 'c'"),
            ({"confidence_level": 1}, ValueError, r"`confidence_level` must be a number between 0 and 1, got 1"),
            ({"n_resamples": 0}, ValueError, r"`n_resamples` must be an integer of at least 1, got 0"),
            ({"n_resamples": None}, ValueError, r"`n_resamples` must be an integer of at least 1, got None"),
            ({"n_resamples": 9.0}, TypeError, r"`n_resamples` must be an integer of at least 1, got 9.0"),
            ({"metrics": ["nmap"]}, ValueError, r"Unknown metric 'nmap'"),
            ({"metrics": "map"}, TypeError, r"`metrics` must be a list"),
            ({"sample_weight": [1, 0, 0]}, ValueError, r"at least two rankings that count, got 1 of 3"),
        ],
    )
    def test_errors(self, changes, error, message):
        arguments = {"y_scores": {"a": [[1, 2]] * 3, "b": [[2, 1]] * 3}, "metrics": ["map"], **changes}
        with pytest.raises(error, match=message):
            compare([[0, 1]] * 3, **arguments)

    def test_one_ranking_cannot_be_resampled(self):
        with pytest.raises(ValueError, match=r"at least two rankings .* got 1 of 1.*`groups` tells the rankings apart"):
            compare([0, 1], {"a": [1, 2]}, ["map"])


class TestShown:
    @pytest.fixture
    def result(self, rng):
        y_true, y_scores = models(rng, n=20)
        return compare(y_true, y_scores, ["map@3", "mrr"], n_resamples=99, random_state=0)

    def test_text(self, result):
        caption, empty, head, *lines = str(result).splitlines()
        assert caption == "20 rankings, baseline plain, 95% intervals, 99 resamples"
        assert empty == ""
        assert head.split()[:3] == ["metric", "model", "value"]
        assert [line.split()[:2] for line in lines] == [
            ["map@3", "plain"], ["map@3", "good"], ["mrr", "plain"], ["mrr", "good"]
        ]
        assert repr(result) == str(result)

    def test_confidence_level_is_shown_as_it_is(self):
        result = compare([[0, 1]] * 3, {"a": [[1, 2]] * 3}, ["map"], n_resamples=99, confidence_level=0.999)
        assert "99.9% intervals" in str(result)

    def test_html(self, result):
        html = result._repr_html_()
        assert html.count("<tr>") == 5
        odd = compare([[0, 1]] * 3, {"<b>": [[1, 2]] * 3}, ["map"], n_resamples=9)._repr_html_()
        assert "&lt;b&gt;" in odd
        assert "<b>" not in odd

    def test_frame(self, result):
        frame = result.to_frame()
        assert list(frame.columns) == COLUMNS
        assert len(frame) == 4
        assert frame.set_index(["model", "metric"]).loc[("good", "mrr"), "value"] == result.rows[3].value

    def test_picture(self, result, tmp_path):
        mpl = pytest.importorskip("matplotlib")
        mpl.use("agg")
        axes = result.plot()
        assert [ax.get_title() for ax in axes] == ["map@3", "mrr"]
        axes[0].figure.savefig(tmp_path / "comparison.png")
        assert (tmp_path / "comparison.png").stat().st_size > 5000
        assert list(result.plot(ax=axes)) == list(axes)
        with pytest.raises(ValueError, match=r"`ax` must have one Axes for each of the 2 metrics, got 1"):
            result.plot(ax=axes[0])
        plt = pytest.importorskip("matplotlib.pyplot")
        plt.close("all")

    def test_pandas_and_matplotlib_come_late(self):
        code = (
            "import sys; from sklearn_rank import compare; compare([[0, 1]] * 3, {'a': [[1, 2]] * 3}, ['map'], "
            "n_resamples=9); sys.exit('matplotlib' in sys.modules)"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

    def test_is_a_comparison(self, result):
        assert isinstance(result, Comparison)


class TestStatistics:
    @pytest.mark.parametrize("n", [3, 8, 12])
    def test_exact_sign_flips_are_those_of_scipy(self, rng, n):
        difference = rng.normal(0.3, 1, n)
        expected = permutation_test((difference,), np.sum, permutation_type="samples", n_resamples=np.inf).pvalue
        assert sign_flip_test(difference[None], 9999, rng) == pytest.approx(expected, rel=1e-12)

    def test_sampled_sign_flips_come_near_all(self, rng):
        difference = rng.normal(0.4, 1, 13)
        exact = sign_flip_test(difference[None], 2**13, rng)[0]
        sampled = sign_flip_test(difference[None], 2**13 - 1, rng)[0]
        assert sampled != exact
        assert sampled == pytest.approx(exact, abs=4 * np.sqrt(exact / 2**13))

    def test_flips_of_rows_that_do_not_differ_change_nothing(self, rng):
        padded = np.concatenate(([0.5, -0.2, 0.4], np.zeros(50)))
        assert sign_flip_test(padded[None], 99, rng) == 2 / 8 + 2 / 8  # |0.7| of 1.1, 0.7, 0.3, 0.1 twice each

    def test_rounding_is_no_difference(self, rng):
        # 0.1 + 0.2 and 0.3 are one sum, whatever their last bit says.
        assert sign_flip_test(np.array([[0.1, 0.2, -0.3]]), 99, rng) == 1

    def test_holm(self):
        # Sorted .01 · 4, .02 · 3, .03 · 2, .5 · 1; never less than the one before.
        assert holm(np.array([[0.03, 0.01], [0.5, 0.02]])) == pytest.approx(np.array([[0.06, 0.04], [0.5, 0.06]]))

    def test_interval_of_a_mean(self, rng):
        values = rng.normal(2, 1, 400)
        low, high = bootstrap_intervals(values, np.ones(400), 0.95, 4999, rng)
        half = 1.96 * values.std() / np.sqrt(400)
        assert low == pytest.approx(values.mean() - half, abs=0.01)
        assert high == pytest.approx(values.mean() + half, abs=0.01)

    def test_interval_of_a_weighted_mean(self, rng):
        # A row of weight 3 is not three rows: what is drawn is the row.
        values, weights = np.array([0.0, 1.0]), np.array([3.0, 1.0])
        low, high = bootstrap_intervals(values, weights, 0.9, 999, rng)
        assert (low, high) == (0, 1)
