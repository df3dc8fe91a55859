"""Against scikit-learn, and against frozen figures of other tools."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from over_registry import call
from scipy import sparse
from sklearn.metrics import (
    dcg_score,
    label_ranking_average_precision_score,
    ndcg_score,
    roc_auc_score,
    top_k_accuracy_score,
)

import sklearn_rank
from sklearn_rank import (
    dcg_at_k,
    from_lists,
    from_qrels,
    hit_rate_at_k,
    map_at_k,
    ndcg_at_k,
    roc_auc,
)
from sklearn_rank.metrics._registry import METRICS

REFERENCE = Path(__file__).parents[1] / "reference"


def close(value, decimals=None):
    if decimals is not None:
        return pytest.approx(value, rel=0, abs=0.5 * 10**-decimals + 1e-9)
    return pytest.approx(value, rel=1e-12, abs=1e-15)


def load(name):
    return json.loads((REFERENCE / name).read_text(encoding="utf-8"))


class TestScikitLearn:
    @pytest.mark.parametrize("k", [1, 3, 8, 20, None])
    def test_dcg_and_ndcg_with_ties(self, rng, k):
        y_true = rng.integers(0, 5, (40, 8))
        y_scores = rng.integers(0, 4, (40, 8)).astype(float)
        assert dcg_at_k(y_true, y_scores, k) == close(dcg_score(y_true, y_scores, k=k))
        assert ndcg_at_k(y_true, y_scores, k) == close(ndcg_score(y_true, y_scores, k=k))

    def test_exponential_gains(self, rng):
        y_true = rng.integers(0, 5, (40, 8))
        y_scores = rng.integers(0, 4, (40, 8)).astype(float)
        gains = 2**y_true - 1
        assert dcg_at_k(y_true, y_scores, 5, gain="exponential") == close(dcg_score(gains, y_scores, k=5))
        assert ndcg_at_k(y_true, y_scores, 5, gain="exponential") == close(ndcg_score(gains, y_scores, k=5))

    def test_ndcg_with_weights_and_rows_without_gain(self, rng):
        y_true = rng.integers(0, 2, (30, 3)) * rng.integers(0, 2, (30, 3))
        assert (y_true.sum(axis=1) == 0).any()
        y_scores, weights = rng.random((30, 3)), rng.random(30)
        expected = ndcg_score(y_true, y_scores, sample_weight=weights)
        assert ndcg_at_k(y_true, y_scores, sample_weight=weights) == close(expected)

    @pytest.mark.parametrize("k", [1, 2, 4])
    def test_top_k_accuracy(self, rng, k):
        y_true, y_scores = rng.integers(0, 5, 60), rng.random((60, 5))
        weights = rng.random(60)
        expected = top_k_accuracy_score(y_true, y_scores, k=k, sample_weight=weights)
        assert hit_rate_at_k(y_true, y_scores, k, sample_weight=weights) == close(expected)

    def test_average_precision_of_whole_rankings(self, rng):
        y_true, y_scores = rng.integers(0, 2, (40, 7)), rng.random((40, 7))
        # scikit-learn gives 1 to rows in which nothing is relevant.
        expected = label_ranking_average_precision_score(y_true, y_scores)
        assert map_at_k(y_true, y_scores, zero_division=1.0) == close(expected)

    def test_average_precision_with_weights(self, rng):
        y_true, y_scores, weights = rng.integers(0, 2, (40, 7)), rng.random((40, 7)), rng.random(40)
        expected = label_ranking_average_precision_score(y_true, y_scores, sample_weight=weights)
        assert map_at_k(y_true, y_scores, zero_division=1.0, sample_weight=weights) == close(expected)

    def test_area_under_the_curve(self, rng):
        y_true, y_scores = rng.integers(0, 2, (40, 12)), rng.integers(0, 6, (40, 12))
        y_true[:, :2] = 0, 1
        expected = [roc_auc_score(truth, scores) for truth, scores in zip(y_true, y_scores, strict=True)]
        assert roc_auc(y_true, y_scores, average=None) == close(expected)
        weights = rng.random(40)
        assert roc_auc(y_true, y_scores, sample_weight=weights) == close(np.average(expected, weights=weights))


# ---- frozen figures


class TestEnumeratedTies:
    """Exact values over all orders of equal scores."""

    measures = {  # noqa: RUF012
        "precision": ("precision", {}),
        "recall": ("recall", {}),
        "f1": ("f1", {}),
        "hit": ("hit_rate", {}),
        "rr": ("mrr", {}),
        "ap_min": ("map", {"denominator": "attainable"}),
        "ap_R": ("map", {"denominator": "relevant"}),
        "ap_k": ("map", {"denominator": "k"}),
        "ap_hits": ("map", {"denominator": "hits"}),
        "dcg_lin": ("dcg", {"gain": "linear"}),
        "dcg_exp": ("dcg", {"gain": "exponential"}),
        "ndcg_lin": ("ndcg", {"gain": "linear"}),
        "ndcg_exp": ("ndcg", {"gain": "exponential"}),
    }

    @pytest.mark.parametrize("case", load("ties.json")["cases"], ids=lambda case: case["id"])
    def test_figures(self, case):
        compared = 0
        for k, figures in case["k"].items():
            for measure, statistics in figures.items():
                name, options = self.measures[measure]
                if not METRICS[name].graded:
                    options = {**options, "relevance_threshold": 1}
                for statistic, figure in statistics.items():
                    y_true, y_scores = case["y_true"], case["y_scores"]
                    if statistic == "last":  # the higher column first
                        y_true, y_scores = y_true[::-1], y_scores[::-1]
                    ties = {"mean": "average", "last": "first"}.get(statistic, statistic)
                    expected = figure
                    if isinstance(figure, str):
                        numerator, denominator = map(int, figure.split("/"))
                        expected = numerator / denominator
                    assert call(METRICS[name], [y_true], [y_scores], int(k), ties=ties, **options) == close(expected), (
                        measure,
                        k,
                        statistic,
                    )
                    compared += 1
        assert compared >= 20


class TestScikitLearnFigures:
    @pytest.mark.parametrize("case", load("sklearn.json")["cases"], ids=lambda case: case["id"])
    def test_figures(self, case):
        compared = 0
        for figure in case["calls"]:
            function = getattr(self, figure["function"])
            y_true, y_scores = case["y_true"], case["y_scores"]
            assert function(y_true, y_scores, **figure["params"]) == close(figure["value"]), figure
            for row, value in enumerate(figure.get("per_row", [])):
                one = function(y_true[row : row + 1], y_scores[row : row + 1], **figure["params"])
                assert one == close(value), (figure, row)
            compared += 1
        assert compared

    @staticmethod
    def dcg_score(y_true, y_scores, k=None, sample_weight=None, ignore_ties=False):
        ties = "first" if ignore_ties else "average"  # stored where any order gives the same
        return dcg_at_k(y_true, y_scores, k, ties=ties, sample_weight=sample_weight)

    @staticmethod
    def ndcg_score(y_true, y_scores, k=None, sample_weight=None, ignore_ties=False):
        ties = "first" if ignore_ties else "average"
        return ndcg_at_k(y_true, y_scores, k, ties=ties, sample_weight=sample_weight)

    @staticmethod
    def top_k_accuracy_score(y_true, y_scores, k=2, sample_weight=None, labels=None):
        # The higher column wins a tie there.
        labels = sorted(set(y_true)) if labels is None else labels
        mirrored = [row[::-1] for row in y_scores]
        return hit_rate_at_k(y_true, mirrored, k, labels=labels[::-1], ties="first", sample_weight=sample_weight)

    @staticmethod
    def label_ranking_average_precision_score(y_true, y_scores, sample_weight=None):
        return map_at_k(y_true, y_scores, zero_division=1.0, sample_weight=sample_weight)


class TestMlMetricsFigures:
    @pytest.mark.parametrize("case", load("ml_metrics.json")["cases"], ids=lambda case: case["id"])
    def test_figures(self, case):
        for figure in case["calls"]:
            k = figure["k"]
            assert sklearn_rank.mapk(case["actual"], case["predicted"], k) == close(figure["value"])
            rows = zip(case["actual"], case["predicted"], strict=True)
            assert [sklearn_rank.apk(truth, guess, k) for truth, guess in rows] == close(figure["per_row"])
            if "duplicate_actual" not in case["tags"]:  # counted once in a matrix
                pair = from_lists(case["actual"], case["predicted"])
                assert map_at_k(*pair, k, average=None) == close(figure["per_row"])


class TestPyltrFigures:
    """Equal scores in the worst order."""

    @pytest.mark.parametrize("case", load("pyltr.json")["cases"], ids=lambda case: case["id"])
    def test_figures(self, case):
        for figure in case["calls"]:
            params = dict(figure["params"])
            k = params.pop("k")
            if "gain" in params:
                params["gain"] = {"exp": "exponential", "lin": "linear"}[params["gain"]]
            if figure["function"] == "AP":
                params |= {"denominator": "relevant", "relevance_threshold": 1}
            name = {"AP": "map", "DCG": "dcg", "NDCG": "ndcg"}[figure["function"]]
            values = call(METRICS[name], case["y_true"], case["y_scores"], k, ties="worst", average=None, **params)
            assert values == close(figure["per_row"]), figure
            assert values.mean() == close(figure["value"]), figure


def by_query(name, qrels, run, k, item_order, **options):
    pair = from_qrels(qrels, run, item_order)
    values = call(METRICS[name], *pair, k, ties="first", average=None, **options)
    return dict(zip(qrels, values.tolist(), strict=True))


def compare(values, figure, decimals=None):
    for query, expected in figure["per_query"].items():
        assert values[query] == close(expected, decimals), (figure["measure"], figure.get("params"), query)
    mean = math.fsum(values.values()) / len(values)
    assert mean == close(figure["mean"], decimals), (figure["measure"], figure.get("params"))


class TestRanxFigures:
    """Equal scores in the order of the dictionary; gains below `rel_lvl` do not count."""

    measures = {  # noqa: RUF012
        "hit_rate": ("hit_rate", {}),
        "precision": ("precision", {}),
        "recall": ("recall", {}),
        "f1": ("f1", {}),
        "mrr": ("mrr", {}),
        "map": ("map", {"denominator": "relevant"}),
        "dcg": ("dcg", {}),
        "dcg_burges": ("dcg", {"gain": "exponential"}),
        "ndcg": ("ndcg", {}),
        "ndcg_burges": ("ndcg", {"gain": "exponential"}),
        "r-precision": ("r_precision", {}),
    }

    @pytest.mark.parametrize("case", load("ranx.json")["cases"], ids=lambda case: case["id"])
    def test_figures(self, case):
        for figure in case["values"]:
            name, options = self.measures[figure["measure"]]
            level = figure["params"].get("rel_lvl", 1)
            qrels = case["qrels"]
            if METRICS[name].graded:
                qrels = {
                    query: {item: grade if grade >= level else 0 for item, grade in grades.items()}
                    for query, grades in qrels.items()
                }
            else:
                options = {**options, "relevance_threshold": level}
            compare(by_query(name, qrels, case["run"], figure["params"].get("k"), "input", **options), figure)


class TestIrMeasuresFigures:
    measures = {  # noqa: RUF012
        ("pytrec_eval", "P"): ("precision", {}),
        ("pytrec_eval", "R"): ("recall", {}),
        ("pytrec_eval", "AP"): ("map", {"denominator": "relevant"}),
        ("pytrec_eval", "RR"): ("mrr", {}),
        ("pytrec_eval", "Rprec"): ("r_precision", {}),
        ("pytrec_eval", "Success"): ("hit_rate", {}),
        ("pytrec_eval", "nDCG"): ("ndcg", {}),
        ("pytrec_eval", "SetP"): ("precision", {}),
        ("pytrec_eval", "SetR"): ("recall", {}),
        ("msmarco", "RR"): ("mrr", {}),
        ("gdeval", "nDCG"): ("ndcg", {"gain": "exponential"}),
        ("cwl_eval", "P"): ("precision", {}),
        ("cwl_eval", "RR"): ("mrr", {}),
        ("cwl_eval", "AP"): ("map", {"denominator": "hits"}),  # the relevant items that were retrieved
    }
    orders = {"docid_desc": "descending", "docid_asc": "ascending", "input": "input"}  # noqa: RUF012

    @pytest.mark.parametrize("case", load("ir_measures.json")["cases"], ids=lambda case: case["id"])
    def test_figures(self, case):
        for figure in case["values"]:
            name, options = self.measures[figure["provider"], figure["measure"]]
            if not METRICS[name].graded:
                options = {**options, "relevance_threshold": figure["params"].get("rel", 1)}
            order = self.orders[figure.get("tie_rule", "input")]  # none stored: no ties
            values = by_query(name, case["qrels"], case["run"], figure["params"].get("cutoff"), order, **options)
            compare(values, figure, figure.get("decimals"))


class TestTrecFigures:
    """The test collection of trec_eval: three topics with 500 documents each, ten pairs of equal scores."""

    reference = load("trec.json")
    measures = {  # noqa: RUF012
        "P": ("precision", {}),
        "Rprec": ("r_precision", {}),
        "map": ("map", {"denominator": "relevant"}),
        "map_cut": ("map", {"denominator": "relevant"}),
        "ndcg": ("ndcg", {}),
        "ndcg_cut": ("ndcg", {}),
        "recall": ("recall", {}),
        "recip_rank": ("mrr", {}),
        "relative_P": ("recall", {"denominator": "attainable"}),
        "set_P": ("precision", {}),
        "set_recall": ("recall", {}),
        "success": ("hit_rate", {}),
    }

    @pytest.mark.parametrize(
        "result", reference["results"], ids=lambda result: f"{result['tool']}-{result['qrels']}-{result['level']}"
    )
    def test_figures(self, result):
        judged = self.reference[result["qrels"]]
        graded = {query: {item: max(grade, 0) for item, grade in grades.items()} for query, grades in judged.items()}
        for figure in result["values"]:
            name, options = self.measures[figure["measure"]]
            qrels = graded if METRICS[name].graded else judged
            if not METRICS[name].graded:
                options = {**options, "relevance_threshold": result["level"]}
            values = by_query(name, qrels, self.reference["run"], figure["params"].get("k"), "descending", **options)
            compare(values, figure, result.get("decimals"))


class TestCalls:
    """Rows and keywords as the package takes them; null is nan in y_true and never retrieved in y_scores."""

    families = ("auc", "unjudged", "propensity", "micro", "gain", "cutoff", "macro", "top_k")

    @staticmethod
    def pair(case):
        y_true, y_scores = filled(case.get("y_true"), np.nan), filled(case.get("y_scores"), -np.inf)
        form = case.get("form")
        if form == "sparse" and y_scores is None:
            y_true = stored(y_true, y_true != 0)
        elif form == "sparse":
            y_scores = stored(y_scores, np.isfinite(y_scores))
        elif form == "sparse_true":
            y_true = stored(y_true, ~np.isnan(y_true.astype(float)))
        return [argument for argument in (y_true, y_scores) if argument is not None]

    @pytest.mark.parametrize(
        ("family", "case"),
        [pytest.param(family, case, id=case["id"]) for family in families for case in load(f"{family}.json")["cases"]],
    )
    def test_figures(self, family, case):
        pair = self.pair(case)
        for figure in case["calls"]:
            options = {name: number(value) for name, value in figure["params"].items()}
            if isinstance(options.get("gain"), dict):
                options["gain"] = {int(grade): gain for grade, gain in options["gain"].items()}
            value = getattr(sklearn_rank, figure["function"])(*pair, **case.get("given", {}), **options)
            expected = number(figure["value"])
            if figure["function"] == "top_k":
                assert value.tolist() == expected
                continue
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True), figure


def number(value):
    """A figure of a file: a number, a fraction as text, nan, or a list of them."""
    if isinstance(value, list):
        return [number(one) for one in value]
    if isinstance(value, str) and "/" in value:
        numerator, denominator = value.split("/")
        return int(numerator) / int(denominator)
    return math.nan if value == "nan" else value


def filled(values, missing):
    """Rows or one ranking as an array, with what stands for null."""
    if values is None:
        return None
    cells = np.array(values, object)
    cells[cells == None] = missing
    return np.array(cells.tolist())


def stored(values, where):
    row, column = np.nonzero(where)
    return sparse.csr_array((values[row, column], (row, column)), shape=values.shape)


def test_each_reference_says_where_it_is_from():
    files = sorted(REFERENCE.glob("*.json"))
    assert len(files) == 15
    for file in files:
        meta = load(file.name)["meta"]
        assert {"tool", "version", "how"} <= meta.keys(), file.name
