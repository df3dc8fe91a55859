"""RankedGains and its groups of equal scores, made by hand, and what kernels read from them."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_rank.metrics import _kernels
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
        tied=np.array([1, 4, 4]),
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
