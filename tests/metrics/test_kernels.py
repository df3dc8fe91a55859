"""RankedGains and its groups of equal scores, made by hand, and what kernels read from them."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from oracles import NEVER, cutoff, hits, micro, row_value

from sklearn_rank._options import Options
from sklearn_rank.inputs._weights import Weights
from sklearn_rank.metrics import _kernels
from sklearn_rank.metrics._averaging import over_rows
from sklearn_rank.ranking._gains import RankedGains


@pytest.fixture
def ranked():
    """Two rows.

    Row 0: a relevant item at rank 1; then four equal scores with two relevant items; R = 4, one of
    them never retrieved. Row 1: nothing relevant was retrieved, R = 1.
    """
    return RankedGains(
        n_rows=2,
        k=None,
        row=np.array([0, 0, 0]),
        before=np.array([0, 1, 1]),
        n_tied=np.array([1, 4, 4]),
        gain=np.array([2.0, 3.0, 1.0]),
        all_row=np.array([0, 0, 0, 0, 1]),
        all_gain=np.array([2.0, 3.0, 1.0, 4.0, 1.0]),
        n_retrieved=np.array([5, 3]),
    )


class TestRankedGains:
    def test_relevant_items_of_the_whole_row(self, ranked):
        assert ranked.n_relevant.tolist() == [4, 1]

    def test_depth_is_what_was_retrieved_without_a_k(self, ranked):
        assert np.asarray(ranked.depth).tolist() == [5, 3]
        assert ranked.at(2).depth == 2

    def test_groups(self, ranked):
        groups = ranked.groups
        assert groups.row.tolist() == [0, 0]
        assert groups.before.tolist() == [0, 1]
        assert groups.size.tolist() == [1, 4]
        assert groups.hits.tolist() == [1, 2]
        assert groups.hits_before.tolist() == [0, 1]
        assert groups.inside.tolist() == [1, 4]

    def test_a_cut_through_a_group_keeps_its_items(self, ranked):
        groups = ranked.at(3).groups
        assert groups.hits.tolist() == [1, 2]
        assert groups.inside.tolist() == [1, 2]

    def test_a_cut_ahead_of_a_group_drops_it(self, ranked):
        cut = ranked.at(1)
        assert cut.row.tolist() == [0]
        assert cut.groups.hits.tolist() == [1]
        assert cut.n_relevant.tolist() == [4, 1]

    def test_cutting_twice_is_cutting_once(self, ranked):
        assert ranked.at(4).at(1).before.tolist() == ranked.at(1).before.tolist()

    def test_the_original_stays_as_it_was(self, ranked):
        ranked.at(1)
        assert ranked.k is None
        assert len(ranked.row) == 3

    def test_the_ideal_order_holds_what_was_never_retrieved(self, ranked):
        row, place, grade = ranked.ideal
        assert row.tolist() == [0, 0, 0, 0, 1]
        assert place.tolist() == [0, 1, 2, 3, 0]
        assert grade.tolist() == [4, 3, 2, 1, 1]


class TestKernels:
    """At k = 3: rank 1 is a hit, ranks 2 and 3 go to two of the four equals."""

    def test_expected_hits(self, ranked):
        assert _kernels.precision(ranked.at(3)) == pytest.approx([(1 + 2 * 2 / 4) / 3, 0])
        assert _kernels.recall(ranked.at(3), "relevant") == pytest.approx([2 / 4, 0])
        assert _kernels.recall(ranked.at(3), "attainable") == pytest.approx([2 / 3, 0])

    def test_hits_in_the_top_r(self, ranked):
        # R = 4: rank 1 and three of the four equals.
        assert _kernels.r_precision(ranked) == pytest.approx([(1 + 3 * 2 / 4) / 4, 0])

    def test_gains_share_ranks(self, ranked):
        expected = 2 + (3 + 1) / 4 * (1 / np.log2(3) + 1 / np.log2(4))
        assert _kernels.dcg(ranked.at(3), "linear") == pytest.approx([expected, 0])

    def test_no_hits_at_all(self):
        nothing = np.empty(0, np.intp)
        ranked = RankedGains(2, 3, nothing, nothing, nothing, np.empty(0), np.array([1]), np.ones(1), np.array([0, 0]))
        for values in (
            _kernels.precision(ranked),
            _kernels.average_precision(ranked, "attainable"),
            _kernels.average_precision(ranked, "hits"),
            _kernels.reciprocal_rank(ranked),
            _kernels.hit_rate(ranked),
            _kernels.dcg(ranked, "linear"),
        ):
            assert values.tolist() == [0, 0]


def gains_of(truths, scores, k=None):
    """RankedGains of grades above 0, by counting."""
    items = []
    for row, (truth, line) in enumerate(zip(truths, scores, strict=True)):
        for grade, score in zip(truth, line, strict=True):
            if grade > 0 and score != NEVER:
                items.append((row, sum(other > score for other in line), line.count(score), float(grade)))
    items.sort(key=lambda item: item[:2])
    row, before, tied, gain = (np.array([item[i] for item in items]) for i in range(4))
    relevant = [(row, float(grade)) for row, truth in enumerate(truths) for grade in truth if grade > 0]
    return RankedGains(
        n_rows=len(truths),
        k=None,
        row=row.astype(int),
        before=before.astype(int),
        n_tied=tied.astype(int),
        gain=gain.astype(float),
        all_row=np.array([row for row, _ in relevant], int),
        all_gain=np.array([grade for _, grade in relevant], float),
        n_retrieved=retrieved(scores),
    ).at(k)


def judgements_of(truths, scores, k=None):
    """The groups of equal scores that hold judged items, by counting; grades below 0 are unjudged."""
    groups = []
    for row, (truth, line) in enumerate(zip(truths, scores, strict=True)):
        for score in sorted(set(line) - {NEVER}, reverse=True):
            grades = [grade for grade, other in zip(truth, line, strict=True) if other == score]
            above = [grade for grade, other in zip(truth, line, strict=True) if other > score]
            if max(grades) >= 0:
                groups.append((row, len(above), len(grades), hits(grades), grades.count(0), above.count(0)))
    names = ("row", "before", "size", "hits", "misses", "misses_before")
    return SimpleNamespace(
        n_rows=len(truths),
        k=k,
        n_retrieved=retrieved(scores),
        depth=retrieved(scores) if k is None else k,
        n_relevant=np.array([hits(truth) for truth in truths]),
        n_misses=np.array([truth.count(0) for truth in truths]),
        groups=SimpleNamespace(**dict(zip(names, np.array(groups, int).reshape(-1, 6).T, strict=True))),
    )


def retrieved(scores):
    return np.array([sum(score != NEVER for score in line) for line in scores])


def problem(seed, grades, n_rows=40, n_items=6):
    """Rows with few scores, hence ties; items and a whole row never retrieved, rows of one kind of items."""
    rng = np.random.default_rng(seed)
    truths = np.array(grades, float)[rng.integers(0, len(grades), (n_rows, n_items))]
    scores = rng.integers(0, rng.choice([1, 2, 3, 9], (n_rows, 1)), (n_rows, n_items)).astype(float)
    scores[rng.random(scores.shape) < 0.15] = NEVER
    scores[3] = NEVER
    truths[4], truths[5] = 0, max(grades)
    return truths.tolist(), scores.tolist()


# Name of the loops → grades, what is read of them, kernel, denominator of the micro average.
BINARY, GRADED, JUDGED, WEIGHED = (0, 0, 1), (0, 0, 1, 2, 3), (-1, 0, 0, 1), (0, 0, 1.25, 2, 6.5)
KERNELS = {
    "precision": (BINARY, gains_of, _kernels.precision, _kernels.ranks),
    "recall": (BINARY, gains_of, partial(_kernels.recall, denominator="relevant"), _kernels.relevant_items),
    "f1": (BINARY, gains_of, _kernels.f1, _kernels.ranks_and_relevant_items),
    "hit_rate": (BINARY, gains_of, _kernels.hit_rate, None),
    "mrr": (BINARY, gains_of, _kernels.reciprocal_rank, None),
    "map": (
        BINARY,
        gains_of,
        partial(_kernels.average_precision, denominator="attainable"),
        partial(_kernels.relevant_items, denominator="attainable"),
    ),
    "ndcg": (GRADED, gains_of, partial(_kernels.ndcg, gain="linear"), _kernels.ideal_dcg),
    "dcg": (GRADED, gains_of, partial(_kernels.dcg, gain="linear"), None),
    "judged": (JUDGED, judgements_of, _kernels.judged, _kernels.ranks),
    "psprecision": (WEIGHED, gains_of, _kernels.gained, _kernels.best_gain_per_rank),
    "psrecall": (WEIGHED, gains_of, _kernels.gained, _kernels.best_gain_per_relevant_item),
    "psndcg": (WEIGHED, gains_of, partial(_kernels.ndcg, gain="linear"), _kernels.ideal_dcg_of_hits),
}
WHOLE = {
    "roc_auc": (BINARY, gains_of, _kernels.roc_auc, _kernels.pairs),
    "bpref": (JUDGED, judgements_of, _kernels.bpref, _kernels.relevant_items),
    "r_precision": (BINARY, gains_of, _kernels.r_precision, _kernels.relevant_items),
}
CASES = [(name, k) for name in KERNELS for k in (1, 2, 4, 6, 9, None, 0.5, 0.15, "relevant")]
CASES += [(name, None) for name in WHOLE]


class TestAgainstLoops:
    """Values and micro averages, at one cutoff and at a cutoff of each row's own."""

    @pytest.mark.parametrize(("name", "k"), CASES)
    def test_values(self, name, k):
        grades, view, kernel, denominator = {**KERNELS, **WHOLE}[name]
        truths, scores = problem(7, grades)
        expected = [
            float(row_value(name, truth, line, k, undefined=0.25)) for truth, line in zip(truths, scores, strict=True)
        ]
        depth = k
        if isinstance(k, (float, str)):
            depth = np.array([cutoff(k, truth, line) for truth, line in zip(truths, scores, strict=True)])
        ranked = view(truths, scores, depth)
        values = kernel(ranked)
        if name != "judged":
            values = np.where(ranked.n_relevant > 0, values, np.nan)
        assert np.where(np.isnan(values), 0.25, values) == pytest.approx(expected, rel=1e-13, abs=0)
        if denominator is not None:
            weights = np.random.default_rng(0).integers(0, 4, len(truths)) / 2
            for undefined in (0.0, 1.0, np.nan):
                options = Options(average="micro", zero_division=undefined)
                value = over_rows(values, denominator(ranked), Weights.of(weights), options)
                expected = float(micro(name, truths, scores, k, undefined=undefined, weights=weights.tolist()))
                assert value == pytest.approx(expected, rel=1e-13, abs=0)

    def test_bpref_of_few_judged_items(self):
        """Only relevant ones, one irrelevant one, and more of either than of the other."""
        truths = [[1, 1, -1, 1], [1, 0, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]]
        scores = [[1.0, 1, 1, 1], [1.0, 1, 1, 0], [1.0, 1, 1, NEVER], [1.0, 1, 1, 1]]
        # Row 1: of min(1, 3) irrelevant items one stands above two of them with chance 1/2, and above the last surely.
        # Row 2: 0, 1 or 2 of 3 stand above, of which min(3, 1) = 1 counts: 1/3.
        values = _kernels.bpref(judgements_of(truths, scores))
        assert values.tolist() == [1, (1 / 2 + 1 / 2 + 0) / 3, 1 / 3, 0]

    def test_bpref_below_more_irrelevant_items_than_r(self):
        """Three stand above the only relevant item, or three and its equal; one of them costs all."""
        truths, scores = [[0, 0, 0, 1, 0]] * 2, [[5.0, 4, 3, 2, 1], [5.0, 4, 3, 2, 2]]
        assert _kernels.bpref(judgements_of(truths, scores)).tolist() == [0, 0]


class TestExactly:
    """Values that every order has come out as they are."""

    def test_all_pairs_won_and_lost(self):
        for m in (2, 3, 7, 50):
            truths, scores = [[1] * m + [0] * m, [0] * m + [1] * m], [[1.0] * m + [0.0] * m] * 2
            assert _kernels.roc_auc(gains_of(truths, scores)).tolist() == [1, 0]
            assert _kernels.bpref(judgements_of(truths, scores)).tolist() == [1, 0]
            assert _kernels.roc_auc(gains_of(truths, [[1.0] * (2 * m)] * 2)).tolist() == [1 / 2, 1 / 2]

    def test_gains_in_any_order(self):
        """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1, but their order within k does not matter."""
        gains = [0.1, 0.2, 0.3, 0.7, 1.1]
        for seed in range(50):
            order = np.random.default_rng(seed).permutation(5).astype(float)
            for scores in (order, order // 2, np.zeros(5)):
                row = [[*gains, 0.0]], [[*(scores + 1), 0.0]]
                for k in (5, 6, None):
                    assert _kernels.gained(gains_of(*row, k)).tolist() == [1]

    def test_one_gain_cut_anywhere(self):
        row = [[0.7, 0.7, 0.7, 0.1, 0.1, 0.1, 0.1]], [[2.0] * 3 + [1.0] * 4]
        for k in range(1, 9):
            assert _kernels.gained(gains_of(*row, k)).tolist() == [1]
            assert _kernels.ndcg(gains_of(*row, k), "linear").tolist() == [1]
