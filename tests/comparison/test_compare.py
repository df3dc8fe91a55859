"""compare: values, intervals and paired tests; what goes in."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import ttest_1samp, ttest_rel

from sklearn_rank import compare, evaluate, from_lists
from sklearn_rank.comparison import _resampling
from sklearn_rank.comparison._figures import Figures
from sklearn_rank.comparison._models import RankedModels
from sklearn_rank.comparison._resampling import Draws


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
        assert np.isfinite(huge.rows[1][3:12]).all()
        assert huge.rows[1].value == pytest.approx(evaluate(y_true, y_scores["good"], ["mrr"])["mrr"])
        weights = np.r_[1e308, 1e308, np.full(18, 1e-200)]  # all but two count for nothing beside them
        apart = compare(y_true, y_scores, ["mrr"], sample_weight=weights, n_resamples=99)
        assert apart.n_rankings == 2
        assert np.isfinite(apart.rows[1][3:12]).all()

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
            ({"n_resamples": None}, TypeError, r"`n_resamples` must be an integer of at least 1, got None"),
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


def reciprocal_ranks(y_true, y_scores):
    """(n,) in plain loops; the scores have no ties."""
    out = []
    for truth, scores in zip(np.asarray(y_true), np.asarray(y_scores), strict=True):
        ranks = [1 + sum(scores > score) for score, relevant in zip(scores, truth, strict=True) if relevant]
        out.append(max((1 / rank for rank in ranks), default=0.0))
    return np.array(out)


def flips(sums):
    """The p-value over all signs, one by one."""
    signs = np.array(list(product((1, -1), repeat=len(sums))))
    return np.mean(np.abs(signs @ sums) >= abs(sum(sums)) - 1e-12)


@pytest.fixture
def three(rng):
    y_true = (rng.random((11, 6)) < 0.3).astype(int)
    y_true[:, 0] = 1
    return y_true, {name: rng.random((11, 6)) + bonus * y_true for name, bonus in (("a", 0), ("b", 0.2), ("c", 0.5))}


class TestPairs:
    def test_every_two_models(self, three):
        y_true, y_scores = three
        result = compare(y_true, y_scores, ["mrr", "precision@1"], pairs="all", random_state=0)
        assert result.baseline is None
        named = [("a", None), ("b", "a"), ("c", "a"), ("c", "b")]
        assert [(row.metric, row.model, row.other) for row in result.rows] == [
            (metric, *names) for metric in ("mrr", "precision@1") for names in named
        ]
        rows = {name: reciprocal_ranks(y_true, scores) for name, scores in y_scores.items()}
        for row in result.rows[1:4]:
            differences = rows[row.model] - rows[row.other]
            assert row.value == pytest.approx(rows[row.model].mean(), rel=1e-14)
            assert row.difference == pytest.approx(differences.mean(), rel=1e-12)
            assert row.effect == pytest.approx(differences.mean() / differences.std(ddof=1), rel=1e-12)
            assert row.p_value == flips(differences)
            assert (row.wins, row.ties, row.losses) == tuple(
                int((np.sign(differences) == sign).sum()) for sign in (1, 0, -1)
            )

    def test_figures_do_not_depend_on_what_stands_beside(self, three):
        y_true, y_scores = three
        y_true, y_scores = np.tile(y_true, (4, 1)), {name: np.tile(scores, (4, 1)) for name, scores in y_scores.items()}
        y_true[3] = 0
        options = {"random_state": 3, "n_resamples": 199, "zero_division": np.nan}
        alone = compare(y_true, {name: y_scores[name] for name in "ac"}, ["mrr"], **options).rows
        hard = ("recall@2", {"zero_division": 1.0}, "hard")
        for more in ({}, {"pairs": "all"}, {"test": "t"}):
            rows = compare(y_true, y_scores, [hard, "mrr", "ndcg"], **options, **more).rows
            beside = {(row.model, row.other): row for row in rows if row.metric == "mrr"}
            for row in alone:
                same = beside[row.model, row.other]
                fields = ("value", "low", "high", "difference", "difference_low", "difference_high", "effect")
                for field in fields if "test" in more else (*fields, "p_value"):
                    assert getattr(same, field) == pytest.approx(getattr(row, field), rel=1e-12, nan_ok=True)

    def test_a_baseline_in_the_middle_stands_alone(self, three):
        result = compare(*three, ["mrr"], baseline="b", n_resamples=9)
        assert [(row.model, row.other) for row in result.rows] == [("a", "b"), ("b", None), ("c", "b")]
        assert np.isnan(result.rows[1].effect)


class TestTests:
    def test_t_test_is_that_of_scipy(self, three):
        y_true, y_scores = three
        result = compare(y_true, y_scores, ["mrr"], pairs="all", test="t", n_resamples=9)
        rows = {name: reciprocal_ranks(y_true, scores) for name, scores in y_scores.items()}
        for row in result.rows[1:]:
            assert row.p_value == pytest.approx(ttest_rel(rows[row.model], rows[row.other]).pvalue, rel=1e-9)
        assert result.test == "t"

    def test_constant_differences(self):
        y_scores = {"a": [[2, 1]] * 6, "same": [[4, 3]] * 6, "better": [[1, 2]] * 6}
        rows = compare([[0, 1]] * 6, y_scores, ["mrr"], test="t", n_resamples=9).rows
        assert [(row.p_value, row.effect) for row in rows[1:]] == [(1.0, 0.0), (0.0, np.inf)]

    def test_clusters_are_flipped_whole(self, three):
        y_true, y_scores = three
        clusters = np.array([0, 1, 2, 0, 1, 2, 3, 3, 4, 4, 0])
        weights = np.arange(1.0, 12)
        row = compare(y_true, y_scores, ["mrr"], clusters=clusters, sample_weight=weights).rows[2]
        differences = weights * (reciprocal_ranks(y_true, y_scores["c"]) - reciprocal_ranks(y_true, y_scores["a"]))
        assert row.p_value == flips(np.bincount(clusters, differences))
        assert row.difference == pytest.approx(differences.sum() / 66, rel=1e-12)

    def test_t_test_of_clusters_of_one_size_is_that_of_their_means(self, rng):
        y_true, y_scores = models(rng, n=24)
        clusters = rng.permutation(np.repeat(np.arange(6), 4))
        row = compare(y_true, y_scores, ["mrr"], test="t", clusters=clusters, n_resamples=9).rows[1]
        differences = reciprocal_ranks(y_true, y_scores["good"]) - reciprocal_ranks(y_true, y_scores["plain"])
        means = np.bincount(clusters, differences) / 4
        assert row.p_value == pytest.approx(ttest_1samp(means, 0).pvalue, rel=1e-9)

    @pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh", None])
    def test_corrections_are_over_all_pairs_and_metrics(self, three, correction):
        rows = compare(*three, ["mrr", "recall@2"], pairs="all", correction=correction, random_state=0).rows
        tested = [row for row in rows if row.other]
        p_values = sorted(row.p_value for row in tested)
        least = min(row.p_adjusted for row in tested)
        factor = {"holm": 6, "bonferroni": 6, "fdr_bh": None, None: 1}[correction]
        if factor is None:
            assert least == min(p * 6 / (place + 1) for place, p in enumerate(p_values))
        else:
            assert least == factor * p_values[0]


class TestReproducible:
    def test_whatever_n_jobs_and_blocks(self, rng, monkeypatch):
        y_true, y_scores = models(rng, n=5000, better=0.02)
        once = compare(y_true, y_scores, ["map@3"], random_state=5, n_resamples=60)
        assert compare(y_true, y_scores, ["map@3"], random_state=5, n_resamples=60, n_jobs=2).rows[1] == once.rows[1]
        for cells in (1, 1 << 24):  # 8 resamples at a time, or all
            monkeypatch.setattr(_resampling, "CELLS", cells)
            again = compare(y_true, y_scores, ["map@3"], random_state=5, n_resamples=60)
            assert again.rows[1].p_value == once.rows[1].p_value
            assert again.rows[1][3:] == pytest.approx(once.rows[1][3:], rel=1e-12)

    def test_progress_is_printed_on_request(self, rng, capsys):
        compare(*models(rng, n=50), ["map@3"], n_resamples=99)
        assert capsys.readouterr().out == ""
        compare(*models(rng, n=50, better=0.01), ["map@3"], n_resamples=99, verbose=1)
        first, *others = capsys.readouterr().out.splitlines()
        assert first == "[compare] ranked 2 models of 50 rankings under 1 metrics"
        assert [line.split(",")[0] for line in others] == [
            "[compare] bootstrap: 99 of 99 resamples",
            "[compare] sign flips: 99 of 99 resamples",
        ]


class TestPooled:
    """Rows that count for their denominators, as micro averages ask for."""

    def pooled(self, denominators):
        # Two models of four rows with hits 1, 0, 2, 1 and 1, 1, 3, 1 of 1, 2, 4, 1 relevant items.
        relevant = np.array([1.0, 2, 4, 1])
        values = np.array([[[1, 0, 2, 1] / relevant, [1, 1, 3, 1] / relevant]])
        return RankedModels(["a", "b"], ["recall@5"], values, denominators={0: np.array(denominators)})

    def test_value_and_flips(self):
        ranked = self.pooled([[1.0, 2, 4, 1]] * 2)
        figures = Figures(ranked, [(1, 0)], 0.95, Draws(199, 0))
        assert figures.interval(0, (0,))[0] == pytest.approx(4 / 8, rel=1e-15)
        assert figures.interval(0, (1, 0))[0] == pytest.approx(2 / 8, rel=1e-15)
        sample = figures.sample(0, (1, 0))
        # In the proportions of the denominators, the hits differ by 0, 1, 1, 0.
        assert (sample.weights * figures.differences(0, (1, 0)) * 8).tolist() == pytest.approx([0, 1, 1, 0], rel=1e-15)

    def test_other_denominators_have_no_paired_difference(self):
        ranked = self.pooled([[1.0, 2, 4, 1], [1.0, 2, 3, 1]])
        assert Figures(ranked, [], 0.95, Draws(19, 0)).interval(0, (1,))[0] == pytest.approx((1 + 1 + 9 / 4 + 1) / 7)
        with pytest.raises(
            ValueError, match=r"micro average of 'recall@5' has no paired difference between 'b' and 'a'"
        ):
            Figures(ranked, [(1, 0)], 0.95, Draws(19, 0))

    def test_micro_averages_of_a_request(self, rng):
        y_true, y_scores = models(rng, n=9)
        relevant = y_true.sum(axis=1)
        hits = {
            name: evaluate(y_true, scores, ["recall@2"], average=None)["recall@2"] * relevant
            for name, scores in y_scores.items()
        }
        micro = ("recall@2", {"average": "micro"}, "micro")
        rows = {(row.metric, row.model): row for row in compare(y_true, y_scores, [micro, "recall@2"]).rows}
        assert rows["micro", "good"].value == pytest.approx(hits["good"].sum() / relevant.sum(), rel=1e-14)
        difference = hits["good"] - hits["plain"]
        assert rows["micro", "good"].difference == pytest.approx(difference.sum() / relevant.sum(), rel=1e-13)
        assert rows["micro", "good"].p_value == flips(difference)
        assert rows["recall@2", "good"].value == evaluate(y_true, y_scores["good"], ["recall@2"])["recall@2"]

    def test_averages_that_are_no_means_of_rows(self, rng):
        y_true, y_scores = models(rng)
        with pytest.raises(ValueError, match=r"`average`='macro' is a mean over labels, and 'precision@2.*row by row"):
            compare(y_true, y_scores, [("precision@2", {"average": "macro"})])
        masked = {**y_scores, "masked": np.where(rng.random(y_true.shape) < 0.5, -np.inf, y_scores["good"])}
        with pytest.raises(ValueError, match=r"no paired difference between 'masked' and 'plain'"):
            compare(y_true, masked, [("precision", {"average": "micro"})], n_resamples=9)

    def test_micro_averages_of_dask_arrays(self, rng):
        array = pytest.importorskip("dask.array")
        y_true, y_scores = models(rng)
        chunks = {name: array.from_array(scores, chunks=(20, 8)) for name, scores in y_scores.items()}
        given = array.from_array(y_true, chunks=(20, 8)), chunks
        with pytest.raises(ValueError, match=r"`average`='micro' is not compared for dask arrays"):
            compare(*given, [("recall@2", {"average": "micro"})])
        found, same = (
            compare(*args, ["recall@2"], n_resamples=9, random_state=0) for args in (given, (y_true, y_scores))
        )
        assert found.rows[1] == same.rows[1]
