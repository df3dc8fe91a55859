"""Curves: what they show, how they are labelled, and that they can be drawn."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier

from sklearn_rank import (
    RankingCurveDisplay,
    err_at_k,
    evaluate,
    expected_random,
    from_lists,
    hit_rate_at_k,
    make_rank_scorer,
)
from sklearn_rank.comparison._curves import check_cutoffs, cutoff_text

pytest.importorskip("matplotlib").use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture
def scores(rng):
    y_true = (rng.random((40, 6)) < 0.3).astype(int)
    return y_true, rng.random(y_true.shape) + 0.5 * y_true


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 4))
    return X, np.array(["x", "y", "z"])[np.argmax(X[:, :3] + rng.normal(size=(60, 3)), axis=1)]


def drawn(display, path):
    """The size of the picture in bytes; an empty one has less than 8000."""
    display.figure_.savefig(path / "picture.png")
    return (path / "picture.png").stat().st_size


def texts(display):
    legend = display.ax_.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


class TestFromPredictions:
    def test_values_intervals_and_chance(self, scores, tmp_path):
        y_true, y_scores = scores
        display = RankingCurveDisplay.from_predictions(y_true, y_scores, "recall", random_state=0)
        assert display.ks.tolist() == [1, 2, 3, 4, 5, 6]
        expected = evaluate(y_true, y_scores, [f"recall@{k}" for k in range(1, 7)])
        assert display.values["recall"] == pytest.approx(list(expected.values()), rel=1e-12)
        low, high = display.intervals["recall"]
        assert (low <= display.values["recall"]).all()
        assert (high >= display.values["recall"]).all()
        chance = [expected_random(y_true, "recall", k=k) for k in range(1, 7)]
        assert display.chance["recall"] == pytest.approx(chance, rel=1e-12)
        assert display.lines_[0].get_ydata() == pytest.approx(display.values["recall"])
        assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("k", "recall@k")
        assert texts(display) == ["recall", "chance"]
        assert drawn(display, tmp_path) > 15_000

    def test_several_metrics(self, scores, tmp_path):
        display = RankingCurveDisplay.from_predictions(*scores, ["precision", "map"], ks=[5, 1, 3, 3], random_state=0)
        assert display.ks.tolist() == [1, 3, 5]
        assert texts(display) == ["precision", "map", "chance, precision", "chance, map"]
        assert display.ax_.get_ylabel() == "value"
        colors = [line.get_color() for line in display.lines_]
        assert colors == [line.get_color() for line in display.chance_lines_]
        assert len(set(colors)) == 2
        assert drawn(display, tmp_path) > 15_000

    def test_several_models(self, scores, tmp_path):
        y_true, y_scores = scores
        both = {"first": y_scores, "second": -y_scores}
        display = RankingCurveDisplay.from_predictions(y_true, both, "ndcg", random_state=0, confidence_level=None)
        assert list(display.values) == ["first", "second"]
        assert display.intervals is None
        assert display.bands_ == []
        assert display.values["second"] == pytest.approx(
            [evaluate(y_true, -y_scores, [f"ndcg@{k}"])[f"ndcg@{k}"] for k in range(1, 7)]
        )
        assert drawn(display, tmp_path) > 15_000
        # Four curves and two levels: the legend stands beside.
        display = RankingCurveDisplay.from_predictions(y_true, both, ["ndcg", "mrr"], n_resamples=9)
        assert list(display.values) == ["first, ndcg", "first, mrr", "second, ndcg", "second, mrr"]
        box = display.ax_.get_legend().get_bbox_to_anchor().transformed(display.ax_.transAxes.inverted())
        assert box.x0 > 1

    def test_looks(self, scores):
        _, ax = plt.subplots()
        display = RankingCurveDisplay.from_predictions(
            *scores,
            "map",
            ax=ax,
            name="mine",
            curve_kwargs={"color": "red", "marker": "x"},
            chance_level_kw={"color": "blue"},
            n_resamples=9,
        )
        assert display.ax_ is ax
        assert (display.lines_[0].get_color(), display.lines_[0].get_marker()) == ("red", "x")
        assert display.chance_lines_[0].get_color() == "blue"
        assert texts(display) == ["mine", "chance"]
        again = display.plot(name=["other"], plot_chance_level=False, curve_kwargs=[{"linestyle": ":"}])
        assert again is display
        assert display.ax_ is not ax
        assert (display.chance_lines_, texts(display)) == ([], ["other"])
        assert display.lines_[0].get_linestyle() == ":"
        assert RankingCurveDisplay.from_predictions(*scores, n_resamples=9, plot_chance_level=False).chance is None

    def test_a_name_is_kept_and_shown(self, scores):
        display = RankingCurveDisplay.from_predictions(*scores, name="mine", plot_chance_level=False, n_resamples=9)
        assert (display.name, texts(display)) == ("mine", ["mine"])
        assert texts(display.plot()) == ["mine"]
        assert texts(display.plot(name="yours")) == ["yours"]
        assert texts(display.plot()) == ["mine"]
        plain = RankingCurveDisplay.from_predictions(*scores, plot_chance_level=False, n_resamples=9)
        assert texts(plain) == []  # one curve without a name needs no legend

    def test_short_keywords_of_matplotlib(self, scores):
        display = RankingCurveDisplay.from_predictions(
            *scores,
            "map",
            n_resamples=9,
            chance_level_kw={"lw": 4, "ls": "-", "c": "red"},
            curve_kwargs={"ms": 9, "lw": 3, "c": "green", "alpha": 0.5},
        )
        line, chance = display.lines_[0], display.chance_lines_[0]
        assert (line.get_markersize(), line.get_linewidth(), line.get_color()) == (9, 3, "green")
        assert (chance.get_linewidth(), chance.get_linestyle(), chance.get_color()) == (4, "-", "red")

    def test_despine(self, scores):
        for despine in (True, False):
            display = RankingCurveDisplay.from_predictions(*scores, n_resamples=9, despine=despine)
            assert display.ax_.spines["top"].get_visible() is not despine
            assert display.ax_.spines["right"].get_visible() is not despine
            assert display.ax_.spines["left"].get_visible()

    def test_a_single_ranking_has_no_band(self, scores):
        display = RankingCurveDisplay.from_predictions([0, 1, 0], [1, 2, 3], "mrr")
        assert (display.intervals, display.bands_) == (None, [])
        assert display.values["mrr"].tolist() == [0, 1 / 2, 1 / 2]
        weights = np.r_[1, np.zeros(39)]
        assert RankingCurveDisplay.from_predictions(*scores, sample_weight=weights).intervals is None

    def test_rankings_that_are_undefined(self):
        y_true, y_scores = [[0, 0], [0, 1], [1, 0]], [[1, 2]] * 3
        display = RankingCurveDisplay.from_predictions(y_true, y_scores, "mrr", zero_division=np.nan, n_resamples=9)
        assert display.values["mrr"].tolist() == [1 / 2, 3 / 4]
        with pytest.warns(UndefinedMetricWarning, match="is nan"):  # of chance
            display = RankingCurveDisplay.from_predictions([[0, 0]] * 2, [[1, 2]] * 2, zero_division=np.nan)
        assert np.isnan(display.values["map"]).all()

    def test_without_matplotlib(self, scores, monkeypatch):
        display = RankingCurveDisplay([1, 2], {"map": np.array([0.1, 0.2])})
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
        with pytest.raises(ImportError, match=r"pip install 'sklearn-rank\[plot\]'"):
            display.plot()

    def test_models_with_columns_of_their_own(self):
        actual = [["a"], ["b"], ["c"]]
        pairs = {
            "one": from_lists(actual, [["a", "x"], ["b", "x"], ["x", "c"]]),
            "two": from_lists(actual, [["x", "y", "a"], ["x", "b"], ["x", "c"]]),
        }
        truth, scores = ({name: pair[part] for name, pair in pairs.items()} for part in (0, 1))
        display = RankingCurveDisplay.from_predictions(truth, scores, "hit_rate", ks=[1, 2, 3], n_resamples=9)
        assert display.values["one"].tolist() == [2 / 3, 1, 1]
        assert display.values["two"].tolist() == [0, 2 / 3, 1]

    def test_qrels_and_runs(self):
        qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
        runs = {"bm25": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}, "none": {"q1": {"d3": 1.0}}}
        display = RankingCurveDisplay.from_predictions(qrels, runs, "recall", ks=[1, 2], n_resamples=9)
        assert {name: curve.tolist() for name, curve in display.values.items()} == {"bm25": [1 / 2, 1], "none": [0, 0]}

    def test_models_drawn_one_after_the_other_share_the_level_of_chance(self, scores):
        y_true, y_scores = scores
        _, ax = plt.subplots()
        for name, model in {"a": y_scores, "b": -y_scores, "c": y_scores**2}.items():
            display = RankingCurveDisplay.from_predictions(y_true, model, "map", ax=ax, name=name, n_resamples=9)
        assert texts(display) == ["a", "chance", "b", "c"]
        display = RankingCurveDisplay.from_predictions(y_true[:9], y_scores[:9], "map", ax=ax, name="d", n_resamples=9)
        assert texts(display)[-2:] == ["d", "chance"]  # other rows, another level
        box = ax.get_legend().get_bbox_to_anchor().transformed(ax.transAxes.inverted())
        assert box.x0 == pytest.approx(0)

    def test_shares_on_the_axis(self):
        display = RankingCurveDisplay([0.05, 0.125], {"precision": [0.4, 0.3]}).plot()
        assert display.ax_.get_xlabel() == "k, share of the items retrieved"
        assert display.ax_.xaxis.get_major_formatter()(0.05).strip() in ("5%", "5.0%")
        assert [cutoff_text(k) for k in (0.05, 0.125, 0.1, 1e-4, 10)] == ["5%", "12.5%", "10%", "0.01%", "10"]
        assert check_cutoffs([0.5, 0.1, 0.1], None, None) == [0.1, 0.5]

    def test_shares_of_what_each_row_retrieved(self, scores):
        display = RankingCurveDisplay.from_predictions(*scores, "precision", ks=[0.5, 0.2], n_resamples=9)
        # Half of six items are three, a fifth of six are two (rounded up).
        expected = evaluate(*scores, ["precision@2", "precision@3"])
        assert display.ks.tolist() == [0.2, 0.5]
        assert display.values["precision"] == pytest.approx(list(expected.values()), rel=1e-12)

    def test_micro_averages(self, scores):
        y_true = scores[0]
        display = RankingCurveDisplay.from_predictions(*scores, "recall", ks=[2], average="micro", n_resamples=9)
        relevant = y_true.sum(axis=1)
        hits = evaluate(*scores, ["recall@2"], average=None)["recall@2"] * relevant
        assert display.values["recall"] == pytest.approx([hits.sum() / relevant.sum()], rel=1e-12)
        assert display.chance["recall"] == pytest.approx([2 / 6], rel=1e-12)  # of any row

    def test_many_cutoffs_have_no_markers(self, rng):
        y_true, y_scores = rng.random((9, 50)) < 0.2, rng.random((9, 50))
        display = RankingCurveDisplay.from_predictions(y_true, y_scores, "mrr", ks=range(1, 41), n_resamples=9)
        assert display.lines_[0].get_marker() == "None"
        assert RankingCurveDisplay.from_predictions(y_true, y_scores, "mrr", n_resamples=9).ks.tolist() == [
            *range(1, 21)
        ]

    def test_options_and_weights(self, scores):
        y_true, y_scores = scores
        weights = np.arange(40.0)
        display = RankingCurveDisplay.from_predictions(
            3 * y_true, y_scores, "err", max_grade=4, ks=[2], sample_weight=weights, ties="worst", n_resamples=9
        )
        expected = err_at_k(3 * y_true, y_scores, 2, max_grade=4, sample_weight=weights, ties="worst")
        assert display.values["err"] == pytest.approx(expected, rel=1e-12)
        assert display.chance["err"] == pytest.approx(
            expected_random(3 * y_true, "err@2", max_grade=4, sample_weight=weights), rel=1e-12
        )

    def test_chance_of_what_each_model_retrieves(self):
        y_true = np.array([[0, 0, 0, 1]] * 3)
        every, masked = np.tile([4.0, 3, 2, 1], (3, 1)), np.tile([-np.inf, -np.inf, 2, 1], (3, 1))
        one = RankingCurveDisplay.from_predictions(y_true, masked, "recall", ks=[1, 2, 3], confidence_level=None)
        assert one.chance["recall"].tolist() == [1 / 2, 1, 1]
        both = {"all": every, "masked": masked}
        display = RankingCurveDisplay.from_predictions(y_true, both, "recall", ks=[1, 2], confidence_level=None)
        assert {name: level.tolist() for name, level in display.chance.items()} == {
            "all": [1 / 4, 2 / 4],
            "masked": [1 / 2, 1],
        }
        assert texts(display) == ["all", "masked", "chance, all", "chance, masked"]
        display = RankingCurveDisplay.from_predictions(y_true, both, ["recall", "mrr"], ks=[1], confidence_level=None)
        assert list(display.chance) == ["all, recall", "all, mrr", "masked, recall", "masked, mrr"]

    def test_groups_and_labels(self, scores, data):
        y_true, y_scores = scores
        groups = np.repeat(np.arange(40), 6)
        whole = RankingCurveDisplay.from_predictions(y_true, y_scores, n_resamples=9, random_state=0)
        by_group = RankingCurveDisplay.from_predictions(
            y_true.ravel(), y_scores.ravel(), groups=groups, n_resamples=9, random_state=0, ks=range(1, 7)
        )
        assert by_group.values["map"] == pytest.approx(whole.values["map"])
        assert by_group.chance["map"] == pytest.approx(whole.chance["map"])
        by_list = RankingCurveDisplay.from_predictions(
            ["a", "b"], [[0.9, 0.1], [0.8, 0.2]], "hit_rate", labels=["a", "b"], n_resamples=9
        )
        assert by_list.values["hit_rate"].tolist() == [0.5, 1]
        assert by_list.chance["hit_rate"].tolist() == [0.5, 1]
        one = RankingCurveDisplay.from_predictions([0, 1, 0], [1, 2, 3], "mrr", confidence_level=None)
        assert one.values["mrr"].tolist() == [0, 0.5, 0.5]

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"metric": "map@3"}, ValueError, r"`metric` must be one that takes a cutoff, without it.* got 'map@3'"),
            ({"metric": "r_precision"}, ValueError, r"takes a cutoff, without it, .* got 'r_precision'"),
            ({"ks": []}, TypeError, r"`ks` must be a list of cutoffs such as \[1, 3, 10\], got \[\]"),
            (
                {"metric": err_at_k},
                TypeError,
                r"`metric` must be a text such as 'map' or a list of them, got <function",
            ),
            ({"metric": []}, TypeError, r"`metric` must be a text such as 'map' or a list of them, got \[\]"),
            ({"ks": 3}, TypeError, r"`ks` must be a list of cutoffs such as \[1, 3, 10\], got 3"),
            ({"ks": [0.5, 1.5]}, ValueError, r"`ks` must be integers or shares between 0 and 1, got 1.5"),
            ({"ks": [0.5, 2]}, TypeError, r"`ks` must be an integer of at least 1, got 0.5"),
            ({"ks": [0]}, ValueError, r"`ks` must be an integer of at least 1, got 0"),
            ({"confidence_level": 2}, ValueError, r"`confidence_level` must be a number between 0 and 1, or None"),
            ({"n_resamples": 0}, ValueError, r"`n_resamples` must be"),
            ({"name": 3}, TypeError, r"`name` must be a text or a list of them, got 3"),
            ({"curve_kwargs": "red"}, TypeError, r"`curve_kwargs` must be a dict or a list of them, got 'red'"),
            ({"chance_level_kw": 4}, TypeError, r"`chance_level_kw` must be a dict or a list of them, got 4"),
            ({"name": ["a", "b"]}, ValueError, r"`name` must have an entry for each of the 1 curves, got 2"),
            ({"curve_kwargs": [{}, {}]}, ValueError, r"`curve_kwargs` must have an entry for each of the 1 curves"),
        ],
    )
    def test_errors(self, scores, arguments, error, message):
        with pytest.raises(error, match=message):
            RankingCurveDisplay.from_predictions(*scores, **arguments)


def test_models_need_names():
    with pytest.raises(TypeError, match="names of models"):
        RankingCurveDisplay.from_predictions([[0, 1]] * 2, {1: [[1, 2]] * 2})
    with pytest.raises(TypeError, match="`y_scores` must be a dict with the scores of each model"):
        RankingCurveDisplay.from_predictions([[0, 1]] * 2, {})


class TestFromEstimator:
    def test_classes(self, data, tmp_path):
        X, y = data
        model = LogisticRegression().fit(X, y)
        display = RankingCurveDisplay.from_estimator(model, X, y, "hit_rate", random_state=0)
        expected = [make_rank_scorer("hit_rate", k)(model, X, y) for k in (1, 2, 3)]
        assert display.values["hit_rate"] == pytest.approx(expected, rel=1e-12)
        assert display.chance["hit_rate"] == pytest.approx([1 / 3, 2 / 3, 1])
        assert texts(display) == ["LogisticRegression", "chance"]
        assert drawn(display, tmp_path) > 15_000
        several = RankingCurveDisplay.from_estimator(model, X, y, ["hit_rate", "map"], n_resamples=9)
        assert texts(several)[:2] == ["hit_rate", "map"]

    def test_groups(self, data):
        X, y = data
        X = np.column_stack([X, np.repeat(np.arange(12), 5)])
        relevant = (y == "x").astype(int)
        model = Ridge().fit(X, relevant)
        display = RankingCurveDisplay.from_estimator(model, X, relevant, "map", groups=4, ks=[3], n_resamples=9)
        assert display.values["map"] == pytest.approx(make_rank_scorer("map@3", groups=4)(model, X, relevant))
        ids = RankingCurveDisplay.from_estimator(model, X, relevant, "map", groups=X[:, 4], ks=[3], n_resamples=9)
        assert ids.values["map"] == display.values["map"]
        with pytest.raises(ValueError, match="without groups"):
            RankingCurveDisplay.from_estimator(model, X, relevant)


class Fixed(BaseEstimator):
    """Its scores are X."""

    def predict(self, X):
        return X


class TestRepeats:
    """What stands in several test folds is one unit of the bootstrap: repeats are no new data."""

    def drawn(self, folds, X, y, **options):
        results = {"estimator": [Fixed()] * len(folds), "indices": {"test": folds}}
        return RankingCurveDisplay.from_cv_results(
            results, X, y, "recall", ks=[2], random_state=0, n_resamples=2999, **options
        )

    def width(self, display):
        ((low, high),) = display.intervals.values()
        return float(high[0] - low[0])

    def test_of_rows(self, rng):
        y = (rng.random((45, 7)) < 0.3).astype(int)
        X = rng.random((45, 7))
        folds = np.array_split(np.arange(45), 3)
        once, four = (self.drawn(folds * repeats, X, y) for repeats in (1, 4))
        assert next(iter(four.values.values())) == pytest.approx(next(iter(once.values.values())))
        assert self.width(four) == pytest.approx(self.width(once), rel=0.08)
        # As single rows the 180 would halve it: what the test has to tell apart.
        assert self.width(self.drawn([np.arange(180)], np.tile(X, (4, 1)), np.tile(y, (4, 1)))) < 0.6 * self.width(once)

    def test_of_queries(self, rng):
        y, X = (rng.random(160) < 0.3).astype(int), rng.random(160)
        groups = np.repeat(np.arange(40), 4)
        folds = [np.flatnonzero(groups % 2 == part) for part in (0, 1)]
        once, four = (self.drawn(folds * repeats, X, y, groups=groups) for repeats in (1, 4))
        assert self.width(four) == pytest.approx(self.width(once), rel=0.08)

    def test_of_whole_folds(self, rng):
        # A fold of samples is one ranking; rankings of two repeats share samples and cannot be told apart.
        y, X = np.arange(30) % 2, rng.random((30, 2))
        results = cross_validate(LogisticRegression(), X, y, cv=3, return_estimator=True, return_indices=True)
        assert RankingCurveDisplay.from_cv_results(results, X, y, "map", ks=[2]).intervals is not None
        again = cross_validate(
            LogisticRegression(),
            X,
            y,
            cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
            return_estimator=True,
            return_indices=True,
        )
        assert RankingCurveDisplay.from_cv_results(again, X, y, "map", ks=[2]).intervals is None


class TestFromCvResults:
    @pytest.fixture
    def results(self, data):
        X, y = data
        return cross_validate(KNeighborsClassifier(4), X, y, cv=4, return_estimator=True, return_indices=True)

    def test_pools_the_test_folds(self, results, data, tmp_path):
        X, y = data
        display = RankingCurveDisplay.from_cv_results(results, X, y, "hit_rate", random_state=0)
        rows = [
            hit_rate_at_k(y[test], model.predict_proba(X[test]), 2, labels=model.classes_, average=None)
            for model, test in zip(results["estimator"], results["indices"]["test"], strict=True)
        ]
        assert display.values["KNeighborsClassifier"][1] == pytest.approx(np.concatenate(rows).mean(), rel=1e-12)
        assert display.chance["hit_rate"] == pytest.approx([1 / 3, 2 / 3, 1])
        assert texts(display) == ["KNeighborsClassifier", "chance", "folds"]
        assert len(display.ax_.lines) == 2 + 4
        assert drawn(display, tmp_path) > 15_000

    def test_two_models_in_one_picture(self, results, data):
        _, ax = plt.subplots()
        for name in ("a", "b"):
            display = RankingCurveDisplay.from_cv_results(results, *data, "map", name=name, ax=ax, n_resamples=9)
        assert texts(display) == ["a", "chance", "folds", "b"]

    def test_micro_averages_pool_the_folds(self, rng):
        y_true = (rng.random((12, 5)) < 0.4).astype(int)
        X, folds = rng.random((12, 5)), [np.arange(8), np.arange(8, 12)]
        results = {"estimator": [Fixed()] * 2, "indices": {"test": folds}}
        display = RankingCurveDisplay.from_cv_results(
            results, X, y_true, "recall", ks=[2], average="micro", n_resamples=9
        )
        expected = evaluate(y_true, X, [("recall@2", {"average": "micro"}, "it")])["it"]
        assert display.values["Fixed"] == pytest.approx([expected], rel=1e-12)
        assert display.chance["recall"] == pytest.approx([2 / 5], rel=1e-12)

    def test_folds_without_a_relevant_item(self):
        results = {"estimator": [Fixed()] * 2, "indices": {"test": [np.arange(2), np.arange(2, 4)]}}
        y_true = [[0, 1], [1, 0], [0, 0], [0, 0]]
        display = RankingCurveDisplay.from_cv_results(
            results, np.tile([2.0, 1.0], (4, 1)), np.array(y_true), "mrr", zero_division=np.nan, n_resamples=9
        )
        assert display.values["Fixed"].tolist() == [1 / 2, 3 / 4]
        assert [np.isnan(line.get_ydata()).all() for line in display.ax_.lines[-2:]] == [False, True]

    def test_looks(self, results, data):
        display = RankingCurveDisplay.from_cv_results(
            results,
            *data,
            name="mine",
            plot_folds=False,
            plot_chance_level=False,
            ks=[1, 2],
            n_resamples=9,
            curve_kwargs={"color": "green"},
        )
        assert list(display.values) == ["mine"]
        assert len(display.ax_.lines) == 1
        assert display.lines_[0].get_color() == "green"

    def test_groups(self, data):
        X, y = data
        X = np.column_stack([X, np.repeat(np.arange(12), 5)])
        relevant = (y == "x").astype(int)
        results = cross_validate(Ridge(), X, relevant, cv=4, return_estimator=True, return_indices=True)
        shown = [
            RankingCurveDisplay.from_cv_results(results, X, relevant, groups=groups, ks=[2], n_resamples=9)
            for groups in (4, X[:, 4])
        ]
        assert shown[0].values["Ridge"] == shown[1].values["Ridge"]

    def test_errors(self, results, data):
        with pytest.raises(ValueError, match=r"return_estimator=True, return_indices=True"):
            RankingCurveDisplay.from_cv_results({"estimator": results["estimator"]}, *data)
        with pytest.raises(ValueError, match=r"err needs `max_grade` here"):
            RankingCurveDisplay.from_cv_results(results, *data, "err")
        with pytest.raises(ValueError, match=r"`metric` must be one metric here, got \['map', 'mrr'\]"):
            RankingCurveDisplay.from_cv_results(results, *data, ["map", "mrr"])
