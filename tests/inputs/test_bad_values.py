"""Bad options, values and shapes, and what is said about them."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from calls import LABELS, S, Y, bad
from over_registry import binary_metrics, call, every_metric, those
from scipy import sparse

from sklearn_rank import (
    dcg_at_k,
    map_at_k,
    mrr_at_k,
    ndcg_at_k,
    r_precision,
    recall_at_k,
)


class TestBadValues:
    @pytest.mark.parametrize(
        ("metric", "args", "options", "error", "message"),
        [
            # options
            bad(
                ValueError,
                r"`ties` must be one of 'average', 'first', 'best', 'worst', got 'random'",
                Y,
                S,
                ties="random",
            ),
            bad(ValueError, r"`ties` must be one of .*, got None", Y, S, ties=None),
            bad(ValueError, r"`ties` must be one of .*, got \['first'\]", Y, S, ties=["first"]),
            bad(
                ValueError,
                r"`average`='macro' .*, which map_at_k here has not; map_at_k\(Y\.T, S\.T\) ranks the samples",
                Y,
                S,
                average="macro",
            ),
            bad(
                ValueError, r"`average`='macro' .* ndcg_at_k .*map_at_k\(Y\.T", Y, S, average="macro", metric=ndcg_at_k
            ),
            bad(ValueError, r"`average`='micro' .*, and mrr_at_k has none", Y, S, average="micro", metric=mrr_at_k),
            bad(ValueError, r"map_at_k with denominator='hits' has none", Y, S, average="micro", denominator="hits"),
            bad(ValueError, r"`average` must be 'samples', 'micro', 'macro' or None, got True", Y, S, average=True),
            bad(
                TypeError,
                r"`zero_division` must be a finite number or nan, got 'warn' \(str\)",
                Y,
                S,
                zero_division="warn",
            ),
            bad(TypeError, r"`zero_division` must be a finite number or nan, got None", Y, S, zero_division=None),
            bad(ValueError, r"`zero_division` must be a finite number or nan, got inf", Y, S, zero_division=np.inf),
            bad(
                TypeError,
                r"`relevance_threshold` must be a finite number or None, got '2' \(str\)",
                Y,
                S,
                relevance_threshold="2",
            ),
            bad(
                ValueError,
                r"`relevance_threshold` must be a finite number or None, got nan",
                Y,
                S,
                relevance_threshold=np.nan,
            ),
            bad(
                ValueError,
                r"`relevance_threshold` must be a finite number or None, got inf",
                Y,
                S,
                relevance_threshold=np.inf,
            ),
            bad(
                ValueError,
                r"`relevance_threshold` must be above 0 for a sparse `y_true` or class labels, got 0",
                sparse.csr_matrix(Y),
                S,
                relevance_threshold=0,
            ),
            bad(
                ValueError,
                r"`denominator` must be one of 'attainable', 'relevant', 'k', 'hits', got 'R'",
                Y,
                S,
                denominator="R",
            ),
            bad(
                ValueError,
                r"`denominator` must be one of 'relevant', 'attainable', got 'k'",
                Y,
                S,
                denominator="k",
                metric=recall_at_k,
            ),
            bad(
                ValueError,
                r"`gain` must be 'linear', 'exponential', a dict .* or a list .*, got 'log'",
                Y,
                S,
                gain="log",
                metric=dcg_at_k,
            ),
            bad(TypeError, r"`gain` must be 'linear', .* or a list .*, got 2 \(int\)", Y, S, gain=2, metric=ndcg_at_k),
            bad(TypeError, r"unexpected keyword argument 'k'", Y, S, k=3, metric=r_precision),
            bad(
                TypeError,
                r"unexpected keyword argument 'relevance_threshold'",
                Y,
                S,
                relevance_threshold=1,
                metric=ndcg_at_k,
            ),
            # y_true
            bad(ValueError, r"`y_true` .*2.*relevance_threshold", [[2, 0, 1]], [[3, 2, 1]]),
            bad(ValueError, r"`y_true` .*0\.5.*relevance_threshold", [[0.5, 0, 1]], [[3, 2, 1]]),
            bad(ValueError, r"`y_true` .*-1.*relevance_threshold", [[-1, 0, 1]], [[3, 2, 1]]),
            bad(
                ValueError,
                r"`y_true` .*3.*relevance_threshold",
                sparse.csr_matrix([[3, 0, 1]]),
                [[3, 2, 1]],
                name="sparse",
            ),
            bad(ValueError, r"`y_true` .*2.*relevance_threshold", [0, 2, 1], [3, 2, 1], name="one ranking of grades"),
            bad(ValueError, r"`y_true` .*negative.*-1", [[-1, 0, 1]], [[3, 2, 1]], metric=ndcg_at_k),
            bad(ValueError, r"`y_true` .*negative.*-2", [[-2, 0, 1]], [[3, 2, 1]], metric=dcg_at_k),
            bad(ValueError, r"`y_true` .*(NaN|nan)", [[np.nan, 0, 1]], [[3, 2, 1]], name="nan in y_true"),
            bad(ValueError, r"`y_true` .*(NaN|nan)", [[np.nan, 0, 1]], [[3, 2, 1]], metric=ndcg_at_k, name="nan grade"),
            bad(
                ValueError,
                r"`y_true` .*(NaN|nan)",
                [[np.nan, 0, 1]],
                [[3, 2, 1]],
                relevance_threshold=1,
                name="nan and threshold",
            ),
            bad(ValueError, r"`y_true` .*(NaN|nan)", [[None, 0, 1]], [[3, 2, 1]], name="None in y_true"),
            bad(ValueError, r"`y_true` .*inf", [[np.inf, 0, 1]], [[3, 2, 1]], metric=ndcg_at_k, name="infinite grade"),
            bad(ValueError, r"`y_true` must be numeric, got 'yes'", [["yes", "no"]], [[2, 1]]),
            bad(ValueError, r"`y_true` must be numeric and holds 'yes'", np.array([["yes", 1]], object), [[2, 1]]),
            bad(ValueError, r"`y_true` must not be masked", np.ma.masked_array([[1, 0]], [[False, True]]), [[2, 1]]),
            bad(
                ValueError,
                r"`y_true` must not be masked",
                np.ma.masked_array([1, 0], [False, True]),
                [2, 1],
                name="masked ranking",
            ),
            bad(
                ValueError,
                r"`y_true` must not be masked",
                np.ma.masked_array([1, 0], [False, True]),
                [[2, 1], [1, 2]],
                name="masked labels",
            ),
            bad(ValueError, r"`y_true` must be numeric, got dtype complex128", np.array([[1j, 0]]), [[2, 1]]),
            bad(TypeError, r"`y_true` must be an array or a list of rows, got None", None, S),
            bad(TypeError, r"`y_true` must be an array or a list of rows, got 'abc' \(str\)", "abc", S),
            bad(TypeError, r"`y_true` must be an array or a list of rows, got 1 \(int\)", 1, S),
            bad(TypeError, r"`y_true` must be an array or a list of rows, got \{0: 1\} \(dict\)", {0: 1}, S),
            # y_scores
            bad(ValueError, r"`y_scores` .*NaN.*row 1.*column 2", Y, [[0.3, 0.2, 0.1], [0.1, 0.2, np.nan]]),
            bad(ValueError, r"`y_scores` .*NaN.*row 0", [[1, 0]], [[None, 1]], name="None in y_scores"),
            bad(ValueError, r"`y_scores` must be numeric and holds 'high'", [[1, 0]], np.array([["high", 1]], object)),
            bad(ValueError, r"`y_scores` must be numeric, got 'high'", [[1, 0]], [["high", "low"]]),
            bad(ValueError, r"`y_scores` must be numeric, got dtype complex", [[1, 0]], [[1j, 0]]),
            bad(
                ValueError,
                r"`y_scores` must be numeric, got dtype datetime64",
                [[1, 0]],
                np.array([["2020-01-01", "2021-01-01"]], "datetime64[D]"),
            ),
            bad(
                ValueError, r"`y_scores` must be numeric, got dtype timedelta64", [[1, 0]], np.array([[1, 2]], "m8[s]")
            ),
            bad(
                ValueError,
                r"`y_scores` must be numeric and holds datetime",
                [[1, 0]],
                np.array([[datetime(2020, 1, 1), datetime(2021, 1, 1)]], object),
            ),
            bad(
                ValueError, r"`y_scores` must be numeric and holds \(1\+0j\)", [[1, 0]], np.array([[1 + 0j, 2]], object)
            ),
            bad(
                ValueError,
                r"`y_scores` is a list of 2-D arrays, one per label.*make_rank_scorer",
                Y,
                [np.eye(2), np.eye(2)],
            ),
            bad(ValueError, r"`y_scores` is a list of 2-D arrays", Y, (np.ones((2, 1)), np.eye(2)), name="ragged list"),
            bad(TypeError, r"`y_scores` must be an array or a list of rows, got None", Y, None),
            bad(TypeError, r"`y_scores` must be an array or a list of rows, got 0\.5", Y, 0.5),
            # shapes
            bad(
                ValueError,
                r"do not match: ndarray of shape \(2, 3\) and ndarray of shape \(2, 2\).*make_rank_scorer",
                Y,
                [[1, 2], [2, 1]],
            ),
            bad(ValueError, r"do not match: .*\(2, 3\) and .*\(2,\)", Y, [1, 2]),
            bad(ValueError, r"do not match: .*\(3, 3\) and .*\(2, 3\)", [*Y, Y[0]], S),
            bad(ValueError, r"do not match: .*\(3,\) and .*\(2,\)", [1, 0, 0], [1, 2]),
            bad(ValueError, r"do not match: .*\(3,\) and .*\(2, 3\)", ["a", "b", "c"], S),
            bad(ValueError, r"do not match: .*\(1, 2, 3\) and .*\(1, 2, 3\)", [Y], [S]),
            bad(ValueError, r"do not match: .*\(1, 2, 3\) and .*\(2, 3\)", np.array([Y]), S),
            bad(
                ValueError,
                r"do not match: .*\(2, 3\) and .*\(2, 2\)",
                sparse.csr_matrix(Y),
                sparse.csr_matrix([[1, 2]] * 2),
                name="two sparse",
            ),
            bad(
                ValueError,
                r"do not match: .*\(2, 3\) and .*\(2, 2\)",
                sparse.csr_matrix(Y),
                [[1, 2]] * 2,
                name="sparse, dense",
            ),
            bad(
                ValueError,
                r"do not match: .*\(2, 3\) and .*\(2, 2\)",
                Y,
                sparse.csr_matrix([[1, 2]] * 2),
                name="dense, sparse",
            ),
            bad(
                ValueError,
                r"`y_true` of shape \(2,\) beside sparse `y_scores`: pass class labels with dense",
                ["a", "b"],
                sparse.csr_matrix(np.eye(2)),
            ),
            bad(
                ValueError,
                r"The rows of `y_true` differ in length \(1 and 2\).*`groups=`.*`from_lists`",
                [[1], [1, 0]],
                S,
            ),
            bad(
                ValueError, r"The rows of `y_scores` differ in length \(2 and 3\).*`from_qrels`", Y, [[1, 2, 3], [1, 2]]
            ),
            bad(ValueError, r"The rows of `y_true` differ in length \(2 and a single value\)", [[1, 0], 1], S),
            bad(
                ValueError,
                r"At least one row is required, got .* of shape \(0, 3\)",
                np.empty((0, 3)),
                np.empty((0, 3)),
            ),
            bad(
                ValueError,
                r"At least one column is required, got .* of shape \(3, 0\)",
                np.empty((3, 0)),
                np.empty((3, 0)),
            ),
            bad(ValueError, r"At least one row is required, got .* of shape \(0,\)", [], []),
            bad(ValueError, r"At least one row is required", np.empty(0), np.empty((0, 3)), name="no labels"),
            bad(
                ValueError,
                r"At least one row is required",
                sparse.csr_matrix((0, 3)),
                np.empty((0, 3)),
                name="empty sparse",
            ),
            bad(
                ValueError,
                r"At least one column is required",
                sparse.csr_matrix((3, 0)),
                sparse.csr_matrix((3, 0)),
                name="sparse without columns",
            ),
            bad(ValueError, r"At least one column is required", [[]], [[]], name="an empty row"),
        ],
    )
    def test_message(self, metric, args, options, error, message):
        with pytest.raises(error, match=message):
            metric(*args, **options)

    @every_metric
    def test_every_metric_checks_alike(self, metric):
        for options, message in (
            ({"ties": "random"}, "`ties` must be one of"),
            ({"average": "weighted"}, "`average` must be"),
            ({"zero_division": np.inf}, "`zero_division` must be"),
            ({"sample_weight": [-1, 1]}, "`sample_weight` holds negative values"),
            ({"labels": LABELS}, "`labels` does not go with a matrix"),
            ({"groups": [0, 1]}, "`groups` does not go with a matrix"),
        ):
            with pytest.raises(ValueError, match=message):
                call(metric, Y, S, **options)
        with pytest.raises(ValueError, match=r"`y_scores` .*NaN"):
            call(metric, Y, np.full((2, 3), np.nan))
        with pytest.raises(TypeError, match="positional argument"):
            metric.function(Y, S, 2, "first")

    @binary_metrics
    def test_binary_metrics_want_a_threshold_for_grades(self, metric):
        with pytest.raises(ValueError, match=r"`y_true` .*0.*1.*relevance_threshold"):
            call(metric, [[3, 0, 1], [0, 1, 2]], S)
        expected = call(metric, [[1, 0, 0], [0, 0, 1]], S)
        assert call(metric, [[3, 0, 1], [0, 1, 2]], S, relevance_threshold=2) == expected

    @those(lambda metric: metric.graded)
    def test_graded_metrics_take_grades(self, metric):
        with pytest.raises(ValueError, match=r"`y_true` .*negative"):
            call(metric, [[3, 0, 1], [0, 1, -2]], S)
        assert call(metric, [[3, 0, 1], [0, 1, 2]], S) > 0

    def test_exponential_gain_has_a_greatest_grade(self):
        assert dcg_at_k([[900]], [[1.0]], gain="exponential") == 2.0**900
        with pytest.raises(ValueError, match=r"`y_true` must hold grades from 0 to 900.*901"):
            dcg_at_k([[901]], [[1.0]], gain="exponential")
        assert dcg_at_k([[901]], [[1.0]]) == 901

    @pytest.mark.parametrize("k", [1, 2, None])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_nan_is_found_wherever_it_is(self, k, dtype):
        for row in range(3):
            for column in range(40):
                scores = np.tile(np.arange(40, dtype=dtype), (3, 1))
                scores[row, column] = np.nan
                truth = np.zeros((3, 40), int)
                truth[:, 5] = 1
                with pytest.raises(ValueError, match=rf"`y_scores` .*NaN.*row {row}, column {column}\b"):
                    map_at_k(truth, scores, k)

    def test_nan_in_one_ranking(self):
        with pytest.raises(ValueError, match=r"`y_scores` .*NaN.*2"):
            map_at_k([0, 1, 0, 1], [4, 3, np.nan, 1])
        with pytest.raises(ValueError, match=r"`y_scores` .*NaN.*2"):
            map_at_k([0, 1, 0, 1], [4, 3, np.nan, 1], groups=[0, 1, 0, 1])

    def test_nan_stored_in_a_sparse_matrix(self):
        with pytest.raises(ValueError, match=r"`y_scores` .*NaN.*row 1"):
            map_at_k(Y, sparse.csr_matrix([[0.3, 0, 0], [0, np.nan, 1]]))

    def test_fractions_beside_great_integers(self):
        with pytest.raises(ValueError, match=r"`y_scores` mixes fractions with integers above 2\*\*53"):
            map_at_k([[1, 0]], np.array([[2**60 + 1, 0.5]], dtype=object))

    def test_masked_great_integers(self):
        scores = np.ma.masked_array([[2**60 + 1, 2**60, 3]], [[False, False, True]])
        with pytest.raises(ValueError, match=r"`y_scores` holds masked integers above 2\*\*53"):
            map_at_k([[1, 0, 0]], scores)

    def test_object_on_another_device(self):
        class OnDevice:
            def __array__(self, dtype=None, copy=None):
                message = "can't convert cuda:0 device type tensor to numpy"
                raise TypeError(message)

        with pytest.raises(TypeError, match=r"`y_scores` \(OnDevice\) does not convert.*cuda:0.*moved to the CPU"):
            map_at_k(Y, OnDevice())
