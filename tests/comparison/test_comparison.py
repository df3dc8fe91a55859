"""Comparison: how results are shown, as text, tables and pictures."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from sklearn_rank import Comparison, compare
from sklearn_rank.comparison._plots import _signed

COLUMNS = [
    "model",
    "other",
    "metric",
    "value",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "effect",
    "p_value",
    "p_adjusted",
    "wins",
    "ties",
    "losses",
    "n_rankings",
]


def models(rng, n=60, m=8, better=1.0):
    y_true = (rng.random((n, m)) < 0.3).astype(int)
    return y_true, {"plain": rng.random((n, m)), "good": rng.random((n, m)) + better * y_true}


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
            ["map@3", "plain"],
            ["map@3", "good"],
            ["mrr", "plain"],
            ["mrr", "good"],
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


class TestPapers:
    """Reciprocal ranks of ten rows: a has 1/2, b and c 1; precision@1 alike."""

    @pytest.fixture
    def scores(self):
        return {"a_1": [[2, 1]] * 10, "b|2": [[1, 2]] * 10, "c": [[0, 2]] * 10}

    def test_markdown_with_a_baseline(self, scores):
        result = compare([[0, 1]] * 10, scores, ["mrr", "precision@1"], random_state=0)
        assert result.to_markdown(digits=2).splitlines() == [
            "| model | mrr | precision@1 |",
            "| --- | ---: | ---: |",
            r"| a\_1 | 0.50 | 0.00 |",
            r"| b\|2 | **1.00**† | **1.00**† |",
            "| c | **1.00**† | **1.00**† |",
        ]
        worse = compare([[0, 1]] * 10, scores, ["mrr"], baseline="c", random_state=0)
        assert "| 0.500‡ |" in worse.to_markdown()
        assert "†" not in worse.to_markdown()
        assert "‡" not in worse.to_markdown(alpha=0.001)

    def test_latex_of_every_two(self, scores):
        result = compare([[0, 1]] * 10, scores, ["mrr"], pairs="all", random_state=0)
        assert result.to_latex(digits=1).splitlines() == [
            r"\begin{tabular}{lr}",
            r"\hline",
            r"model & mrr \\",
            r"\hline",
            r"a a\_1 & 0.5 \\",
            r"b b|2 & \textbf{1.0}$^{\mathrm{a}}$ \\",
            r"c c & \textbf{1.0}$^{\mathrm{a}}$ \\",
            r"\hline",
            r"\end{tabular}",
        ]

    def test_latex_with_a_baseline(self, scores):
        text = compare([[0, 1]] * 10, scores, ["mrr"], random_state=0).to_latex()
        assert r"\textbf{1.000}$^{\dagger}$" in text
        text = compare([[0, 1]] * 10, {**scores, "~^\\&%": scores["a_1"]}, ["mrr"], baseline="c").to_latex()
        assert r"\textasciitilde{}\textasciicircum{}\textbackslash{}\&\% & 0.500$^{\ddagger}$" in text

    def test_letters_go_on(self):
        scores = {f"m{i}": [[1, 2]] * 3 for i in range(28)}
        lines = compare([[0, 1]] * 3, scores, ["mrr"], pairs="all", n_resamples=9).to_markdown().splitlines()
        assert [lines[i].split()[1] for i in (2, 27, 28, 29)] == ["a", "z", "a1", "b1"]

    def test_needs_no_pandas(self, scores, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        result = compare([[0, 1]] * 10, scores, ["mrr"], n_resamples=9)
        assert result.to_markdown()
        assert result.to_latex()
        with pytest.raises(ImportError, match="to_frame needs pandas"):
            result.to_frame()


class TestEveryTwo:
    @pytest.fixture
    def result(self, rng):
        y_true, y_scores = models(rng, n=20)
        y_scores["third"] = rng.random(y_true.shape)
        clusters = np.arange(20) // 2
        return compare(
            y_true,
            y_scores,
            ["map@3", "mrr"],
            pairs="all",
            test="t",
            correction="fdr_bh",
            clusters=clusters,
            n_resamples=99,
            random_state=0,
        )

    def test_text(self, result):
        caption, _, head, *lines = str(result).splitlines()
        assert caption == "20 rankings in 10 clusters, every two models, 95% intervals, 99 resamples, paired t-test"
        assert head.split()[:4] == ["metric", "model", "other", "value"]
        assert "p (B-H)" in head
        assert [line.split()[1:3] for line in lines[:4]] == [
            ["plain", "-"],
            ["good", "plain"],
            ["third", "plain"],
            ["third", "good"],
        ]

    def test_frame(self, result):
        frame = result.to_frame()
        assert frame["other"].isna().sum() == 2
        assert len(frame) == 8

    def test_picture(self, result, tmp_path):
        pytest.importorskip("matplotlib").use("agg")
        plt = pytest.importorskip("matplotlib.pyplot")
        axes = result.plot()
        assert [ax.get_title() for ax in axes] == ["map@3", "mrr"]
        row = result.rows[1]  # good beside plain
        cell = f"{row.difference:+.3f}".replace("0.", ".") + "*" * (row.p_adjusted < 0.05)
        texts = {text.get_position(): text.get_text() for text in axes[0].texts}
        assert texts[0, 1] == cell
        assert texts[1, 0][0] == "-"
        assert texts[1, 1] == f"{row.value:.3f}"
        assert axes[0].images[0].get_array()[1, 0] == row.difference
        axes[0].figure.savefig(tmp_path / "pairs.png")
        assert (tmp_path / "pairs.png").stat().st_size > 8000
        plt.close("all")

    def test_differences_beyond_1_keep_their_digits(self):
        assert [_signed(value) for value in (0.0123, -0.5, 10.25)] == ["+.012", "-.500", "+10.250"]
