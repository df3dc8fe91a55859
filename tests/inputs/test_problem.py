"""Bad input and what is said about it; odd input that has to work."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank import (
    dcg_at_k,
    evaluate,
    map_at_k,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
)
from sklearn_rank.metrics._registry import METRICS

FUNCTIONS = {metric.function.__name__: metric.function for metric in METRICS.values()}
WITH_K = sorted(metric.function.__name__ for metric in METRICS.values() if metric.takes_k)
GRADED = sorted(metric.function.__name__ for metric in METRICS.values() if metric.graded)
BINARY = sorted(set(FUNCTIONS) - set(GRADED))

Y = [[1, 0, 0], [0, 1, 1]]
S = [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
LABELS = ["a", "b", "c"]
CLASSES = (["a", "b", "c"], np.eye(3))
RANKING = ([0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0])


def frame(values, columns):
    return pd.DataFrame(values, columns=list(columns))


def bad(error, message, *args, metric=map_at_k, name=None, **options):
    """A call that fails with this error and a message that matches."""
    return pytest.param(metric, args, options, error, message, id=name or message)


class TestBadInput:
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
                r"`average` must be 'samples' or None, got 'macro'; map_at_k\(Y\.T, S\.T\) ranks the samples",
                Y,
                S,
                average="macro",
            ),
            bad(ValueError, r"got 'macro'; map_at_k\(Y\.T, S\.T\)", Y, S, average="macro", metric=ndcg_at_k),
            bad(ValueError, r"`average` must be 'samples' or None, got 'micro'\.", Y, S, average="micro"),
            bad(ValueError, r"`average` must be 'samples' or None, got True", Y, S, average=True),
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
                r"`gain` must be one of 'linear', 'exponential', got 'log'",
                Y,
                S,
                gain="log",
                metric=dcg_at_k,
            ),
            bad(ValueError, r"`gain` must be one of 'linear', 'exponential', got 2", Y, S, gain=2, metric=ndcg_at_k),
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
            # labels
            bad(
                ValueError,
                r"`y_true` holds labels that are not in `labels`: \['d'\]",
                ["a", "d", "c"],
                np.eye(3),
                labels=LABELS,
            ),
            bad(ValueError, r"`labels` repeats 'a'", *CLASSES, labels=["a", "b", "a"]),
            bad(ValueError, r"`labels` has 2 entries for 3 columns", *CLASSES, labels=["a", "b"]),
            bad(ValueError, r"`labels` has 4 entries for 3 columns", *CLASSES, labels=["a", "b", "c", "d"]),
            bad(
                ValueError,
                r"`y_scores` has 3 columns but `y_true` holds 2 labels: pass `labels=`.*make_rank_scorer",
                ["a", "b", "a"],
                np.eye(3),
            ),
            bad(ValueError, r"`y_scores` has 2 columns but `y_true` holds 3 labels", ["a", "b", "c"], np.ones((3, 2))),
            bad(TypeError, r"`labels` must be an array or a list", *CLASSES, labels="abc"),
            bad(ValueError, r"`labels` must be a list of the classes of the columns, got shape \(1, 3\)", *CLASSES, labels=[LABELS]),
            bad(ValueError, r"`labels` does not go with a matrix `y_true` of shape \(2, 3\)", Y, S, labels=LABELS),
            bad(
                ValueError,
                r"`labels` does not go with a matrix `y_true`",
                sparse.csr_matrix(Y),
                S,
                labels=LABELS,
                name="labels beside sparse y_true",
            ),
            bad(
                ValueError,
                r"`labels` does not go with a matrix `y_true`",
                Y,
                sparse.csr_matrix(S),
                labels=LABELS,
                name="labels beside sparse y_scores",
            ),
            bad(ValueError, r"`labels` names the columns of `y_scores`, which needs shape", *RANKING, labels=[0, 1]),
            bad(
                ValueError, r"`y_true` has a missing label, first at row 1", ["a", None, "c"], np.eye(3), labels=LABELS
            ),
            bad(ValueError, r"`y_true` has a missing label, first at row 2", [0.0, 1.0, np.nan], np.eye(3)),
            bad(
                TypeError,
                r"`y_true` mixes labels of types \['int', 'str'\]",
                np.array(["a", 1, "c"], object),
                np.eye(3),
            ),
            # groups
            bad(
                ValueError,
                r"`groups` needs one id per row: it has 2 entries but `y_true` has 4; these look like group sizes",
                *RANKING,
                groups=[3, 1],
            ),
            bad(
                ValueError,
                r"`groups` needs one id per row: it has 3 entries but `y_true` has 4\.",
                *RANKING,
                groups=[1, 1, 1],
            ),
            bad(
                ValueError,
                r"`groups` needs one id per row: it has shape \(4, 1\)",
                *RANKING,
                groups=[[1], [1], [2], [2]],
            ),
            bad(
                ValueError,
                r"`groups` contains missing ids \(None or NaN\) in 1 rows: 2",
                *RANKING,
                groups=[1, 1, None, 2],
            ),
            bad(
                ValueError,
                r"`groups` contains missing ids \(None or NaN\) in 2 rows: 0, 3",
                *RANKING,
                groups=[np.nan, 1, 2, np.nan],
            ),
            bad(
                ValueError,
                r"`groups` contains missing ids \(None or NaN\) in 6 rows: 0, 1, 2, 3, 4, \.\.\.",
                [1] * 6,
                [1] * 6,
                groups=[None] * 6,
            ),
            bad(
                ValueError,
                r"`groups` contains missing ids",
                *RANKING,
                groups=np.array(["2020", "NaT", "2020", "2020"], "M8[Y]"),
                name="NaT as id",
            ),
            bad(
                ValueError,
                r"`groups` contains missing ids",
                *RANKING,
                groups=pd.Series([1, pd.NA, 1, 2], dtype="Int64"),
                name="pandas.NA as id",
            ),
            bad(
                ValueError,
                r"`groups` contains missing ids",
                *RANKING,
                groups=pd.Series(["a", None, "a", "b"]).astype("category"),
                name="missing category",
            ),
            bad(
                ValueError,
                r"`groups` contains missing ids",
                *RANKING,
                groups=np.ma.masked_array([1, 1, 2, 2], [False, True, False, False]),
                name="masked id",
            ),
            bad(
                TypeError,
                r"`groups` must hold hashable ids: .*list",
                *RANKING,
                groups=np.array([[1], [2, 3], [1], [2, 3]], dtype=object),
            ),
            bad(TypeError, r"`groups` must be an array or a list", *RANKING, groups="qid"),
            bad(ValueError, r"`groups` does not go with a matrix `y_true` of shape \(2, 3\)", Y, S, groups=[0, 1]),
            bad(
                ValueError,
                r"`groups` does not go with a matrix `y_true`",
                sparse.csr_matrix(Y),
                sparse.csr_matrix(S),
                groups=[0, 1],
                name="groups beside sparse matrices",
            ),
            bad(
                ValueError,
                r"`groups` does not go with class labels and `y_scores` of shape \(3, 3\)",
                *CLASSES,
                groups=[0, 1, 1],
            ),
            # sample_weight
            bad(ValueError, r"`sample_weight` has 3 entries for 2 rows", Y, S, sample_weight=[1, 1, 1]),
            bad(ValueError, r"`sample_weight` has shape \(2, 1\) for 2 rows", Y, S, sample_weight=[[1], [1]]),
            bad(
                ValueError,
                r"`sample_weight` has 2 entries for 4 rows",
                *RANKING,
                groups=[0, 0, 1, 1],
                sample_weight=[1, 1],
            ),
            bad(ValueError, r"`sample_weight` holds negative values, first -2", Y, S, sample_weight=[1, -2]),
            bad(ValueError, r"`sample_weight` sums to zero", Y, S, sample_weight=[0, 0]),
            bad(
                ValueError,
                r"`sample_weight` sums to zero",
                Y,
                S,
                sample_weight=[0, 0],
                average=None,
                name="zero, average=None",
            ),
            bad(ValueError, r"`sample_weight` must be finite", Y, S, sample_weight=[1, np.nan]),
            bad(ValueError, r"`sample_weight` must be finite", Y, S, sample_weight=[1, np.inf], name="infinite weight"),
            bad(ValueError, r"`sample_weight` must be numeric, got 'one'", Y, S, sample_weight=["one", "two"]),
            bad(TypeError, r"`sample_weight` must be an array or a list", Y, S, sample_weight=2.0),
            bad(
                TypeError,
                r"`sample_weight` must be an array or a list",
                Y,
                S,
                sample_weight="balanced",
                name="balanced",
            ),
            # sparse scores and frames
            bad(
                ValueError,
                r"`y_scores` stores a cell more than once.*sum_duplicates",
                [[1, 0]],
                sparse.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), shape=(1, 2)),
            ),
            bad(
                ValueError,
                r"`y_scores` stores a cell more than once",
                [[1, 0]],
                sparse.csr_matrix(([1.0, 2.0], [1, 1], [0, 2]), shape=(1, 2)),
                name="repeated in CSR",
            ),
            bad(
                ValueError,
                r"`y_scores` stores a cell more than once",
                [[1, 0]],
                sparse.csc_array(([1.0, 2.0], [0, 0], [0, 2, 2]), shape=(1, 2)),
                name="repeated in CSC",
            ),
            bad(
                ValueError,
                r"must carry the same names: \['c'\] only in `y_true`, \['d'\] only in `y_scores`.*\.to_numpy\(\)",
                frame(Y, "abc"),
                frame(S, "abd"),
            ),
            bad(
                ValueError,
                r"must carry the same names: \['c'\] only in `y_true`, none only in `y_scores`",
                frame(Y, "abc"),
                frame([[1, 2], [2, 1]], "ab"),
            ),
            bad(
                ValueError,
                r"repeat names and cannot be aligned; pass arrays",
                frame([[1, 0, 1]], "aab"),
                frame([[1, 2, 3]], "aba"),
            ),
            bad(
                ValueError,
                r"`y_true` .*2.*relevance_threshold",
                [[0, 0, 0], [0, 2, 0]],
                S,
                sample_weight=[1, 0],
                name="wrong grade in a row of no weight",
            ),
        ],
    )
    def test_message(self, metric, args, options, error, message):
        with pytest.raises(error, match=message):
            metric(*args, **options)

    @pytest.mark.parametrize("name", WITH_K)
    @pytest.mark.parametrize(
        ("k", "error", "shown"),
        [
            (0, ValueError, "0"),
            (-1, ValueError, "-1"),
            (np.int64(0), ValueError, "0"),
            (2.0, TypeError, r"2\.0 \(float\)"),
            (np.float64(2), TypeError, r"2\.0.*float64"),
            (True, TypeError, r"True \(bool\)"),
            (np.True_, TypeError, "True"),
            ("3", TypeError, r"'3' \(str\)"),
            ([1, 3], TypeError, r"\[1, 3\] \(list\).*evaluate or rank_scorers"),
            ((5,), TypeError, r"\(5,\) \(tuple\).*evaluate"),
            (np.nan, TypeError, r"nan \(float\)"),
        ],
        ids=repr,
    )
    def test_k(self, name, k, error, shown):
        with pytest.raises(error, match=rf"`k` must be an integer of at least 1 or None, got .*{shown}"):
            FUNCTIONS[name](Y, S, k)

    @pytest.mark.parametrize("name", sorted(FUNCTIONS))
    def test_every_metric_checks_alike(self, name):
        metric = FUNCTIONS[name]
        for options, message in (
            ({"ties": "random"}, "`ties` must be one of"),
            ({"average": "macro"}, r"'macro'; map_at_k\(Y\.T, S\.T\)"),
            ({"zero_division": np.inf}, "`zero_division` must be"),
            ({"sample_weight": [-1, 1]}, "`sample_weight` holds negative values"),
            ({"labels": LABELS}, "`labels` does not go with a matrix"),
            ({"groups": [0, 1]}, "`groups` does not go with a matrix"),
        ):
            with pytest.raises(ValueError, match=message):
                metric(Y, S, **options)
        with pytest.raises(ValueError, match=r"`y_scores` .*NaN"):
            metric(Y, np.full((2, 3), np.nan))
        with pytest.raises(TypeError, match="positional argument"):
            metric(Y, S, 2, "first")

    @pytest.mark.parametrize("name", BINARY)
    def test_binary_metrics_want_a_threshold_for_grades(self, name):
        with pytest.raises(ValueError, match=r"`y_true` .*0.*1.*relevance_threshold"):
            FUNCTIONS[name]([[3, 0, 1], [0, 1, 2]], S)
        expected = FUNCTIONS[name]([[1, 0, 0], [0, 0, 1]], S)
        assert FUNCTIONS[name]([[3, 0, 1], [0, 1, 2]], S, relevance_threshold=2) == expected

    @pytest.mark.parametrize("name", GRADED)
    def test_graded_metrics_take_grades(self, name):
        with pytest.raises(ValueError, match=r"`y_true` .*negative"):
            FUNCTIONS[name]([[3, 0, 1], [0, 1, -2]], S)
        assert FUNCTIONS[name]([[3, 0, 1], [0, 1, 2]], S) > 0

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


# Hits at ranks 1 and 4, and at rank 2: AP (1/1 + 2/4) / 2 and 1/2.
TRUTH = np.array([[1, 0, 0, 1], [0, 1, 0, 0]])
SCORES = np.array([[9, 6, 5, 1], [8, 7, 2, 1]])
MAP = (3 / 4 + 1 / 2) / 2


def good(name, y_true, y_scores, expected=MAP, **options):
    """A call of map_at_k that gives the expected number."""
    return pytest.param(y_true, y_scores, options, expected, id=name)


def memmap(tmp_path, values, dtype):
    """A read-only file mapped into memory."""
    array = np.asarray(values, dtype)
    array.tofile(tmp_path / "values")
    return np.memmap(tmp_path / "values", dtype, "r", shape=array.shape)


class TestOddInput:
    @pytest.mark.parametrize(
        ("y_true", "y_scores", "options", "expected"),
        [
            good("tuples", tuple(map(tuple, TRUTH.tolist())), tuple(map(tuple, SCORES.tolist()))),
            good("lists of arrays", list(TRUTH), list(SCORES)),
            good("booleans", TRUTH.astype(bool), SCORES),
            good("objects", TRUTH.astype(object), SCORES.astype(object)),
            good(
                "objects of several types",
                np.array([[True, 0, np.int8(0), 1.0]], object),
                np.array([[Fraction(9, 2), 4.25, np.float32(4), 1]], object),
                3 / 4,
            ),
            good("fortran order", np.asfortranarray(TRUTH), np.asfortranarray(SCORES)),
            good("strides", np.repeat(TRUTH, 2, axis=1)[:, ::2], np.repeat(SCORES, 2, axis=0)[::2]),
            good("negative strides", TRUTH[:, ::-1], SCORES[:, ::-1]),
            good("big-endian", TRUTH.astype(">i4"), SCORES.astype(">f8")),
            good("big-endian integers", TRUTH.astype(">u2"), SCORES.astype(">i2")),
            good("CSR", sparse.csr_array(TRUTH), SCORES),
            good("lil and dok", sparse.lil_matrix(TRUTH), sparse.dok_matrix(SCORES)),
            good("boolean sparse", sparse.csr_array(TRUTH.astype(bool)), SCORES),
            good("masked arrays without a mask", np.ma.masked_array(TRUTH), np.ma.masked_array(SCORES)),
            # The item at rank 1 of the first row was not retrieved: a miss that counts in R, the other hit has rank 3.
            good(
                "a masked score", TRUTH, np.ma.masked_array(SCORES, [[1, 0, 0, 0], [0, 0, 0, 0]]), (1 / 6 + 1 / 2) / 2
            ),
            good(
                "a masked fraction",
                TRUTH,
                np.ma.masked_array(SCORES / 2, [[1, 0, 0, 0], [0, 0, 0, 0]]),
                (1 / 6 + 1 / 2) / 2,
            ),
            # What a mask hides may be anything.
            good("masked nan", [[1, 0]], np.ma.masked_invalid([[np.nan, 1.0]]), 0.0),
            good("everything masked", [[1, 0]], np.ma.masked_all((1, 2)), 0.0),
            good("nullable frame", pd.DataFrame(TRUTH).astype("Int8"), pd.DataFrame(SCORES).astype("Float32")),
            good("nullable boolean frame", pd.DataFrame(TRUTH).astype("boolean"), pd.DataFrame(SCORES).astype("Int64")),
            good("frame beside array", pd.DataFrame(TRUTH), SCORES),
            good(
                "frames with other indices",
                pd.DataFrame(TRUTH, index=["x", "y"]),
                pd.DataFrame(SCORES, index=["y", "x"]),
            ),
            good("frames with columns in another order", frame(TRUTH, "abcd"), frame(SCORES[:, [2, 0, 3, 1]], "cadb")),
            good("sparse frame", pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(TRUTH)), SCORES),
            good("infinite score", [[0, 1]], [[1.0, np.inf]], 1.0),
            good("never retrieved", [[0, 1]], [[1.0, -np.inf]], 0.0),
            good("k beyond the row", TRUTH, SCORES, k=99),
            good("k of numpy", TRUTH, SCORES, (1 / 2 + 1 / 2) / 2, k=np.uint8(2)),
            # ids and labels
            good("labels of any dtype", np.array(["b", "a", "c"], object), [[1, 2, 0]] * 3, (1 + 1 / 2 + 1 / 3) / 3),
            good("labels of bytes", np.array([b"b", b"a", b"c"]), [[1, 2, 0]] * 3, (1 + 1 / 2 + 1 / 3) / 3),
            good("dates as labels", np.array(["2020", "2021", "2022"], "M8[Y]"), [[1, 2, 0]] * 3, (1 / 2 + 1 + 1 / 3) / 3),
            good("categories", pd.Series(["b", "a", "c"]).astype("category"), [[1, 2, 0]] * 3, (1 + 1 / 2 + 1 / 3) / 3),
            good("text of pandas", pd.Series(["b", "a", "c"], dtype="string"), [[1, 2, 0]] * 3, (1 + 1 / 2 + 1 / 3) / 3),
            good("labels of numpy and Python", np.array(["b"]), [[0, 1]], 1.0, labels=["a", "b"]),
            good("numbers that are equal", np.array([1.0, 2.0]), [[0, 1], [0, 1]], (1 / 2 + 1) / 2, labels=[1, 2]),
            good("labels in an index", ["b", "a"], [[0, 1], [0, 1]], (1 + 1 / 2) / 2, labels=pd.Index(["a", "b"])),
            good("columns of a frame are labels", ["b", "b"], frame([[0, 1], [1, 0]], "ab"), (1 + 1 / 2) / 2),
            # Group p holds scores 4, 2 with its hit last; group q scores 3, 1 with its hit first.
            good("groups of text", [0, 1, 1, 0], [4, 3, 2, 1], (1 / 2 + 1) / 2, groups=["p", "q", "p", "q"]),
            good(
                "groups of tuples",
                [0, 1, 1, 0],
                [4, 3, 2, 1],
                (1 / 2 + 1) / 2,
                groups=pd.Series([("p", 1), ("q", 1), ("p", 1), ("q", 1)]),
            ),
            good(
                "groups of dates",
                [0, 1, 1, 0],
                [4, 3, 2, 1],
                (1 / 2 + 1) / 2,
                groups=np.array(["2020", "2021", "2020", "2021"], "M8[Y]"),
            ),
            good(
                "groups of several types",
                [0, 1, 1, 0],
                [4, 3, 2, 1],
                (1 / 2 + 1) / 2,
                groups=np.array(["p", 7, "p", 7], object),
            ),
            good(
                "series",
                pd.Series([0, 1, 1, 0]),
                pd.Series([4, 3, 2, 1], index=[3, 2, 1, 0]),
                (1 / 2 + 1) / 2,
                groups=pd.Series([8, 9, 8, 9], index=[5, 6, 7, 8]),
            ),
            good(
                "weights of pandas",
                TRUTH,
                SCORES,
                (3 * 3 / 4 + 1 / 2) / 4,
                sample_weight=pd.Series([3, 1], dtype="Int64"),
            ),
            good("weights of booleans", TRUTH, SCORES, 3 / 4, sample_weight=[True, False]),
            good("huge weights", TRUTH, SCORES, MAP, sample_weight=[1e308, 1e308]),
        ],
    )
    def test_value(self, y_true, y_scores, options, expected):
        assert map_at_k(y_true, y_scores, **options) == pytest.approx(expected, rel=1e-14)

    @pytest.mark.parametrize(
        "dtype",
        [
            "bool",
            "int8",
            "uint8",
            "int16",
            "uint16",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "float16",
            "float32",
            "float64",
            "longdouble",
        ],
    )
    def test_dtypes(self, dtype):
        scores = np.array([[1, 0, 0, 0], [1, 1, 0, 0]], dtype)
        # First row: the hit at rank 1, the other among ranks 2 to 4. Second row: the hit on rank 1 or 2.
        expected = ((1 + (2 / 2 + 2 / 3 + 2 / 4) / 3) / 2 + (1 + 1 / 2) / 2) / 2
        assert map_at_k(TRUTH, scores) == pytest.approx(expected, rel=1e-14)
        assert map_at_k(TRUTH.astype(dtype), scores, 4) == pytest.approx(expected, rel=1e-14)

    @pytest.mark.parametrize("k", [1, 3, None])
    @pytest.mark.parametrize("n_copies", [1, 40])
    @pytest.mark.parametrize(
        "values",
        [
            np.array([-128, 127, 0], "int8"),
            np.array([0, 255, 1], "uint8"),
            np.array([-(2**63), 2**63 - 1, 2**63 - 2], "int64"),
            np.array([0, 2**64 - 1, 2**64 - 2], "uint64"),
            np.array([-65504, 65504, 0], "float16"),
            np.array([0, np.nextafter(np.longdouble(1), 2), 1], "longdouble"),
            np.array([0, 2**53 + 1, 2**53], "int64"),
            np.array([0, np.finfo("float64").tiny * 2**-52, -0.0]),
        ],
        ids=lambda values: f"{values.dtype} {values.max()}",
    )
    def test_extremes_are_ranked_as_they_are(self, values, n_copies, k):
        # The greatest value is the second; with many columns the chunks of a wide row see it, too.
        scores = np.tile(values, (2, 1))
        scores = np.hstack((scores, np.full((2, 3 * n_copies), values[0], values.dtype)))
        truth = np.zeros(scores.shape, int)
        truth[:, 1] = 1
        assert mrr_at_k(truth, scores, k) == 1.0
        if values[2] > values[0]:
            truth = np.roll(truth, 1, axis=1)
            assert mrr_at_k(truth, scores, k) == (0.0 if k == 1 else 1 / 2)

    def test_python_integers_above_int64(self):
        # One list holds them as Python's own numbers, which no cast may round.
        assert mrr_at_k([[1, 0]], [[2**63 + 1, 2**63]]) == 1.0
        assert mrr_at_k([[0, 1]], [[2**63 + 1, 2**63]]) == 1 / 2

    def test_memmap(self, tmp_path):
        scores = memmap(tmp_path, SCORES, "float32")
        assert map_at_k(TRUTH, scores) == pytest.approx(MAP)
        assert map_at_k(TRUTH, scores, 2) == pytest.approx(1 / 2)
        truth = memmap(tmp_path, TRUTH, "int8")
        assert map_at_k(truth, SCORES) == pytest.approx(MAP)

    def test_polars(self):
        polars = pytest.importorskip("polars")
        columns = list("abcd")
        truth, scores = polars.DataFrame(TRUTH, schema=columns), polars.DataFrame(SCORES, schema=columns)
        assert map_at_k(truth, scores) == pytest.approx(MAP)
        assert map_at_k(truth, scores[["c", "a", "d", "b"]]) == pytest.approx(MAP)
        assert map_at_k(polars.Series([0, 1]), polars.Series([1.0, 2.0]), groups=polars.Series(["q", "q"])) == 1.0
        with pytest.raises(ValueError, match="must carry the same names"):
            map_at_k(truth, scores.rename({"a": "x"}))

    def test_arrow_backed_frames(self):
        pytest.importorskip("pyarrow")
        truth, scores = pd.DataFrame(TRUTH).astype("int8[pyarrow]"), pd.DataFrame(SCORES).astype("double[pyarrow]")
        assert map_at_k(truth, scores) == pytest.approx(MAP)
        labels = pd.Series(["b", "a"], dtype="string[pyarrow]")
        assert map_at_k(labels, [[0, 1], [0, 1]], labels=["a", "b"]) == pytest.approx(3 / 4)
        groups = pd.Series([8, 9, 8, 9], dtype="int64[pyarrow]")
        assert map_at_k([0, 1, 1, 0], [4, 3, 2, 1], groups=groups) == pytest.approx(3 / 4)
        missing = pd.Series([8, None, 8, 9], dtype="int64[pyarrow]")
        with pytest.raises(ValueError, match="`groups` contains missing ids"):
            map_at_k([0, 1, 1, 0], [4, 3, 2, 1], groups=missing)

    def test_missing_values_of_frames_are_said_to_be_missing(self):
        with pytest.raises(ValueError, match=r"`y_scores` .*NaN"):
            map_at_k([[1, 0]], pd.DataFrame({"a": [1.0], "b": [pd.NA]}))
        with pytest.raises(ValueError, match=r"`y_scores` .*NaN"):
            map_at_k([[1, 0]], pd.DataFrame({"a": [1], "b": [None]}).astype("Int64"))

    @pytest.mark.parametrize("k", [None, 2])
    @pytest.mark.parametrize("name", sorted(FUNCTIONS))
    def test_nothing_is_written_to(self, name, k, read_only):
        scores = read_only(np.where(SCORES == 5, -np.inf, SCORES), "float64")
        options = {} if k is None or name not in WITH_K else {"k": k}
        for truth in (read_only(TRUTH), sparse.csr_array(TRUTH)):
            expected = FUNCTIONS[name](TRUTH.copy(), scores.copy(), **options)
            assert FUNCTIONS[name](truth, scores, **options, sample_weight=read_only([1.0, 1.0])) == expected

    def test_matrices_that_are_not_canonical_stay_so(self):
        truth = sparse.csr_array((np.array([1, 1]), np.array([3, 0]), np.array([0, 2])), shape=(1, 4))
        scores = sparse.csr_array((np.array([1.0, 9.0, 6.0]), np.array([3, 0, 1]), np.array([0, 3])), shape=(1, 4))
        assert map_at_k(truth, scores) == pytest.approx((1 + 2 / 3) / 2)
        assert truth.indices.tolist() == [3, 0]
        assert scores.indices.tolist() == [3, 0, 1]

    def test_repeated_cells_of_y_true_are_added_up(self):
        truth = sparse.coo_array((np.array([1, 1]), (np.array([0, 0]), np.array([1, 1]))), shape=(1, 2))
        assert ndcg_at_k(truth, [[2, 1]]) == pytest.approx(1 / np.log2(3))
        with pytest.raises(ValueError, match=r"`y_true` .*2.*relevance_threshold"):
            map_at_k(truth, [[2, 1]])

    def test_precision_of_a_row_shorter_than_k(self):
        assert precision_at_k([[1, 1]], [[2, 1]], 4) == 1 / 2
        assert recall_at_k([[1, 1]], [[2, 1]], 4) == 1.0

    def test_evaluate_checks_like_the_functions(self):
        with pytest.raises(ValueError, match="`ties` must be one of"):
            evaluate(Y, S, ["map"], ties="random")
        with pytest.raises(ValueError, match=r"'macro'; map_at_k\(Y\.T, S\.T\)"):
            evaluate(Y, S, ["map"], average="macro")
        with pytest.raises(ValueError, match="do not match"):
            evaluate(Y, [[1, 2], [2, 1]], ["map"])
