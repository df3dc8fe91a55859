"""Whatever is passed: a result, or a ValueError or TypeError that names the argument."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_validate

from sklearn_rank import RankingCurveDisplay, compare, expected_random

Y = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1]])
SCORES = {"a": [[3, 2, 1]] * 4, "b": [[1, 2, 3]] * 4}
ODD = {
    "none": None,
    "zero": 0,
    "minus": -1,
    "fraction": 2.5,
    "nan": np.nan,
    "inf": np.inf,
    "true": True,
    "text": "x",
    "bytes": b"x",
    "empty": [],
    "ragged": [[1, 2], [3]],
    "dict": {"a": 1},
    "set": {1},
    "sets": [{1}] * 4,
    "nones": [None] * 4,
    "texts": ["a"] * 4,
    "short": [1, 2],
    "no dimension": np.array(3),
    "cube": np.ones((2, 2, 2)),
    "array of texts": np.array(["a", "b"]),
    "object": object(),
    "function": len,
    "generator": (i for i in range(4)),
    "series": pd.Series([1, 2, 3, 4]),
    "frame": pd.DataFrame(np.ones((4, 2))),
    "sparse": sparse.csr_array(np.ones((4, 2))),
    "date": np.datetime64("2020-01-01"),
    "complex": 1 + 2j,
    "missing": pd.NA,
    "masked": np.ma.masked_equal([1, 2, 3, 4], 3),
}


def named_or_fine(argument, call):
    for name, value in ODD.items():
        try:
            call(value)
        except (ValueError, TypeError) as error:
            assert f"`{argument}`" in str(error), (name, str(error))  # noqa: PT017  what is refused is not known


@pytest.mark.filterwarnings("ignore")  # of dtypes and types that are not what the test is about
class TestArguments:
    @pytest.mark.parametrize(
        "argument",
        [
            "y_scores",
            "baseline",
            "pairs",
            "test",
            "correction",
            "clusters",
            "confidence_level",
            "n_resamples",
            "random_state",
            "ties",
            "sample_weight",
            "labels",
            "groups",
            "verbose",
        ],
    )
    def test_compare(self, argument):
        given = {"y_true": Y, "y_scores": SCORES, "metrics": ["mrr"], "n_resamples": 9}
        named_or_fine(argument, lambda value: compare(**{**given, argument: value}))

    @pytest.mark.parametrize("argument", ["n_items", "y_scores", "labels", "groups", "k", "sample_weight"])
    def test_expected_random(self, argument):
        named_or_fine(argument, lambda value: expected_random(Y, "map", **{argument: value}))

    @pytest.mark.parametrize("argument", ["rows", "test", "correction", "confidence_level", "ax", "digits", "alpha"])
    def test_comparison(self, argument):
        mpl = pytest.importorskip("matplotlib")
        mpl.use("agg")
        plt = pytest.importorskip("matplotlib.pyplot")
        found = compare(Y, SCORES, ["mrr"], n_resamples=9)
        calls = {"ax": found.plot, "digits": found.to_latex, "alpha": found.to_markdown}
        call = calls.get(argument, lambda **given: type(found)(**{**vars(found), **given}))
        named_or_fine(argument, lambda value: call(**{argument: value}))
        plt.close("all")

    @pytest.mark.parametrize(
        "argument",
        [
            "y_scores",
            "ks",
            "confidence_level",
            "n_resamples",
            "random_state",
            "sample_weight",
            "ax",
            "name",
            "plot_chance_level",
            "chance_level_kw",
            "curve_kwargs",
            "despine",
        ],
    )
    def test_curves(self, argument):
        pytest.importorskip("matplotlib").use("agg")
        plt = pytest.importorskip("matplotlib.pyplot")
        given = {"y_true": Y, "y_scores": SCORES["a"], "n_resamples": 9}
        named_or_fine(argument, lambda value: RankingCurveDisplay.from_predictions(**{**given, argument: value}))
        plt.close("all")

    @pytest.mark.parametrize("argument", ["values", "intervals", "chance", "metric_name", "name"])
    def test_display(self, argument):
        given = {"ks": [1, 2], "values": {"map": [0.1, 0.2]}}
        named_or_fine(argument, lambda value: RankingCurveDisplay(**{**given, argument: value}))

    @pytest.mark.parametrize("argument", ["cv_results", "name", "plot_folds", "groups", "response_method"])
    def test_folds(self, argument):
        pytest.importorskip("matplotlib").use("agg")
        plt = pytest.importorskip("matplotlib.pyplot")
        X = np.arange(8.0).reshape(4, 2)
        results = cross_validate(LinearRegression(), X, Y, cv=2, return_estimator=True, return_indices=True)
        given = {"cv_results": results, "X": X, "y": Y, "n_resamples": 9}
        named_or_fine(argument, lambda value: RankingCurveDisplay.from_cv_results(**{**given, argument: value}))
        plt.close("all")

    @pytest.mark.parametrize("argument", ["estimator", "response_method"])
    def test_estimator(self, argument):
        pytest.importorskip("matplotlib").use("agg")
        plt = pytest.importorskip("matplotlib.pyplot")
        X = np.arange(8.0).reshape(4, 2)
        given = {"estimator": LinearRegression().fit(X, Y), "X": X, "y": Y, "n_resamples": 9}
        named_or_fine(argument, lambda value: RankingCurveDisplay.from_estimator(**{**given, argument: value}))
        plt.close("all")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"pairs": "every"}, ValueError, "`pairs` must be one of 'baseline', 'all', got 'every'"),
        ({"pairs": "all", "baseline": "a"}, ValueError, "`baseline` has no meaning beside pairs='all'"),
        ({"test": "wilcoxon"}, ValueError, "`test` must be one of 'sign-flip', 't', got 'wilcoxon'"),
        ({"correction": "sidak"}, ValueError, "`correction` must be one of 'holm', 'bonferroni', 'fdr_bh'"),
        ({"baseline": np.array(["a"])}, TypeError, "`baseline` must be one of the models"),
        ({"n_resamples": 10**8}, ValueError, r"`n_resamples` must be at most 10000000, got 1e\+08"),
        ({"verbose": -1}, ValueError, "`verbose` must be an integer of at least 0, got -1"),
        ({"verbose": "x"}, TypeError, r"`verbose` must be an integer of at least 0, got 'x' \(str\)"),
    ],
)
def test_options_of_compare(arguments, error, message):
    # The scores could not be ranked: options are looked at before.
    with pytest.raises(error, match=message):
        compare(**{"y_true": Y, "y_scores": {"a": [[np.nan] * 3] * 4}, "metrics": ["mrr"], **arguments})


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"ks": [[1, 2]]}, ValueError, "`ks` must be a list of numbers, got shape"),
        ({"values": {"map": [0.1]}}, ValueError, r"`values` must be a list of 2 numbers, got shape \(1,\)"),
        ({"values": {}}, TypeError, "`values` must be a dict with 2 numbers for each name"),
        ({"intervals": {"map": ([0.1, 0.2],)}}, ValueError, "`intervals` must hold two lists of 2 numbers"),
        ({"intervals": {"mrr": ([0.1, 0.2], [0.1, 0.2])}}, ValueError, "`intervals` must have the names of the curves"),
        ({"chance": {"map": ["x", "y"]}}, ValueError, "`chance` must be numeric"),
    ],
)
def test_parts_of_a_display(arguments, error, message):
    with pytest.raises(error, match=message):
        RankingCurveDisplay(**{"ks": [1, 2], "values": {"map": [0.1, 0.2]}, **arguments})


def test_rows_of_folds():
    results = {"estimator": [LinearRegression()], "indices": {"test": [np.arange(4)]}}
    with pytest.raises(ValueError, match="`X` must have 4 rows, got 2"):
        RankingCurveDisplay.from_cv_results(results, np.ones((2, 2)), Y)
    with pytest.raises(TypeError, match="`y` must be an array, a frame or a list of rows, got dict"):
        RankingCurveDisplay.from_cv_results(results, np.ones((4, 2)), {})


def test_n_items_beyond_floats():
    with pytest.raises(ValueError, match=r"`n_items` must be at most 2\*\*53, got 1e\+60"):
        expected_random([[0, 1]], "map", n_items=10**60)
    assert expected_random([[0, 1]], "recall", k=10**60, n_items=2**53) == 1


class TestDictionariesOfKeys:
    @pytest.mark.parametrize("kind", [sparse.dok_matrix, sparse.dok_array])
    def test_truth(self, kind):
        """SciPy's format of that name may be a dict, but no judgements of queries; RR is 1 and 1 / 2."""
        found = compare(kind(np.eye(2)), {"one": np.array([[2, 1], [2, 1]])}, ["mrr"], n_resamples=20)
        assert found.rows[0].value == (1 + 1 / 2) / 2
