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
from sklearn_rank._registry import METRICS

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
            bad(ValueError, r"`ties` must be one of 'average', 'first', 'best', 'worst', got 'random'", Y, S, ties="random"),
            bad(ValueError, r"`ties` must be one of .*, got None", Y, S, ties=None),
            bad(ValueError, r"`ties` must be one of .*, got \['first'\]", Y, S, ties=["first"]),
            bad(ValueError, r"`average` must be 'samples' or None, got 'macro'; map_at_k\(Y\.T, S\.T\) ranks the samples",
                Y, S, average="macro"),
            bad(ValueError, r"got 'macro'; ndcg_at_k\(Y\.T, S\.T\)", Y, S, average="macro", metric=ndcg_at_k),
            bad(ValueError, r"`average` must be 'samples' or None, got 'micro'\.", Y, S, average="micro"),
            bad(ValueError, r"`average` must be 'samples' or None, got True", Y, S, average=True),
            bad(TypeError, r"`zero_division` must be a finite number or nan, got 'warn' \(str\)", Y, S, zero_division="warn"),
            bad(TypeError, r"`zero_division` must be a finite number or nan, got None", Y, S, zero_division=None),
            bad(ValueError, r"`zero_division` must be a finite number or nan, got inf", Y, S, zero_division=np.inf),
            bad(TypeError, r"`relevance_threshold` must be a finite number or None, got '2' \(str\)", Y, S,
                relevance_threshold="2"),
            bad(ValueError, r"`relevance_threshold` must be a finite number or None, got nan", Y, S,
                relevance_threshold=np.nan),
            bad(ValueError, r"`relevance_threshold` must be a finite number or None, got inf", Y, S,
                relevance_threshold=np.inf),
            bad(ValueError, r"`relevance_threshold` must be above 0 for a sparse `y_true` or class labels, got 0",
                sparse.csr_matrix(Y), S, relevance_threshold=0),
            bad(ValueError, r"`denominator` must be one of 'attainable', 'relevant', 'k', 'hits', got 'R'", Y, S,
                denominator="R"),
            bad(ValueError, r"`denominator` must be one of 'relevant', 'attainable', got 'k'", Y, S, denominator="k",
                metric=recall_at_k),
            bad(ValueError, r"`gain` must be one of 'linear', 'exponential', got 'log'", Y, S, gain="log", metric=dcg_at_k),
            bad(ValueError, r"`gain` must be one of 'linear', 'exponential', got 2", Y, S, gain=2, metric=ndcg_at_k),
            bad(TypeError, r"unexpected keyword argument 'k'", Y, S, k=3, metric=r_precision),
            bad(TypeError, r"unexpected keyword argument 'relevance_threshold'", Y, S, relevance_threshold=1,
                metric=ndcg_at_k),
            # y_true
            bad(ValueError, r"`y_true` .*2.*relevance_threshold", [[2, 0, 1]], [[3, 2, 1]]),
            bad(ValueError, r"`y_true` .*0\.5.*relevance_threshold", [[0.5, 0, 1]], [[3, 2, 1]]),
            bad(ValueError, r"`y_true` .*-1.*relevance_threshold", [[-1, 0, 1]], [[3, 2, 1]]),
            bad(ValueError, r"`y_true` .*3.*relevance_threshold", sparse.csr_matrix([[3, 0, 1]]), [[3, 2, 1]], name="sparse"),
            bad(ValueError, r"`y_true` .*2.*relevance_threshold", [0, 2, 1], [3, 2, 1], name="one ranking of grades"),
            bad(ValueError, r"`y_true` .*negative.*-1", [[-1, 0, 1]], [[3, 2, 1]], metric=ndcg_at_k),
            bad(ValueError, r"`y_true` .*negative.*-2", [[-2, 0, 1]], [[3, 2, 1]], metric=dcg_at_k),
            bad(ValueError, r"`y_true` .*(NaN|nan)", [[np.nan, 0, 1]], [[3, 2, 1]], name="nan in y_true"),
            bad(ValueError, r"`y_true` .*(NaN|nan)", [[np.nan, 0, 1]], [[3, 2, 1]], metric=ndcg_at_k, name="nan grade"),
            bad(ValueError, r"`y_true` .*(NaN|nan)", [[np.nan, 0, 1]], [[3, 2, 1]], relevance_threshold=1,
                name="nan and threshold"),
            bad(ValueError, r"`y_true` .*(NaN|nan)", [[None, 0, 1]], [[3, 2, 1]], name="None in y_true"),
            bad(ValueError, r"`y_true` .*inf", [[np.inf, 0, 1]], [[3, 2, 1]], metric=ndcg_at_k, name="infinite grade"),
            bad(ValueError, r"`y_true` must be numeric, got 'yes'", [["yes", "no"]], [[2, 1]]),
            bad(ValueError, r"`y_true` must be numeric and holds 'yes'", np.array([["yes", 1]], object), [[2, 1]]),
            bad(ValueError, r"`y_true` must not be masked", np.ma.masked_array([[1, 0]], [[False, True]]), [[2, 1]]),
            bad(ValueError, r"`y_true` must not be masked", np.ma.masked_array([1, 0], [False, True]), [2, 1],
                name="masked ranking"),
            bad(ValueError, r"`y_true` must not be masked", np.ma.masked_array([1, 0], [False, True]), [[2, 1], [1, 2]],
                name="masked labels"),
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
            bad(ValueError, r"`y_scores` must be numeric, got dtype datetime64", [[1, 0]],
                np.array([["2020-01-01", "2021-01-01"]], "datetime64[D]")),
            bad(ValueError, r"`y_scores` must be numeric, got dtype timedelta64", [[1, 0]], np.array([[1, 2]], "m8[s]")),
            bad(ValueError, r"`y_scores` must be numeric and holds datetime", [[1, 0]],
                np.array([[datetime(2020, 1, 1), datetime(2021, 1, 1)]], object)),  # noqa: DTZ001
            bad(ValueError, r"`y_scores` must be numeric and holds \(1\+0j\)", [[1, 0]], np.array([[1 + 0j, 2]], object)),
            bad(ValueError, r"`y_scores` is a list of 2-D arrays, one per label.*make_rank_scorer", Y, [np.eye(2), np.eye(2)]),
            bad(ValueError, r"`y_scores` is a list of 2-D arrays", Y, (np.ones((2, 1)), np.eye(2)), name="ragged list"),
            bad(TypeError, r"`y_scores` must be an array or a list of rows, got None", Y, None),
            bad(TypeError, r"`y_scores` must be an array or a list of rows, got 0\.5", Y, 0.5),
            # shapes
            bad(ValueError, r"do not match: ndarray of shape \(2, 3\) and ndarray of shape \(2, 2\).*make_rank_scorer", Y,
                [[1, 2], [2, 1]]),
            bad(ValueError, r"do not match: .*\(2, 3\) and .*\(2,\)", Y, [1, 2]),
            bad(ValueError, r"do not match: .*\(3, 3\) and .*\(2, 3\)", [*Y, Y[0]], S),
            bad(ValueError, r"do not match: .*\(3,\) and .*\(2,\)", [1, 0, 0], [1, 2]),
            bad(ValueError, r"do not match: .*\(3,\) and .*\(2, 3\)", ["a", "b", "c"], S),
            bad(ValueError, r"do not match: .*\(1, 2, 3\) and .*\(1, 2, 3\)", [Y], [S]),
            bad(ValueError, r"do not match: .*\(1, 2, 3\) and .*\(2, 3\)", np.array([Y]), S),
            bad(ValueError, r"do not match: .*\(2, 3\) and .*\(2, 2\)", sparse.csr_matrix(Y), sparse.csr_matrix([[1, 2]] * 2),
                name="two sparse"),
            bad(ValueError, r"do not match: .*\(2, 3\) and .*\(2, 2\)", sparse.csr_matrix(Y), [[1, 2]] * 2, name="sparse, dense"),
            bad(ValueError, r"do not match: .*\(2, 3\) and .*\(2, 2\)", Y, sparse.csr_matrix([[1, 2]] * 2), name="dense, sparse"),
            bad(ValueError, r"`y_true` of shape \(2,\) beside sparse `y_scores`: pass class labels with dense", ["a", "b"],
                sparse.csr_matrix(np.eye(2))),
            bad(ValueError, r"The rows of `y_true` differ in length \(1 and 2\).*`groups=`.*`from_lists`", [[1], [1, 0]], S),
            bad(ValueError, r"The rows of `y_scores` differ in length \(2 and 3\).*`from_qrels`", Y, [[1, 2, 3], [1, 2]]),
            bad(ValueError, r"The rows of `y_true` differ in length \(2 and a single value\)", [[1, 0], 1], S),
            bad(ValueError, r"At least one row is required, got .* of shape \(0, 3\)", np.empty((0, 3)), np.empty((0, 3))),
            bad(ValueError, r"At least one column is required, got .* of shape \(3, 0\)", np.empty((3, 0)), np.empty((3, 0))),
            bad(ValueError, r"At least one row is required, got .* of shape \(0,\)", [], []),
            bad(ValueError, r"At least one row is required", np.empty(0), np.empty((0, 3)), name="no labels"),
            bad(ValueError, r"At least one row is required", sparse.csr_matrix((0, 3)), np.empty((0, 3)), name="empty sparse"),
            bad(ValueError, r"At least one column is required", sparse.csr_matrix((3, 0)), sparse.csr_matrix((3, 0)),
                name="sparse without columns"),
            bad(ValueError, r"At least one column is required", [[]], [[]], name="an empty row"),
            # labels
            bad(ValueError, r"`y_true` holds labels that are not in `labels`: \['d'\]", ["a", "d", "c"], np.eye(3), labels=LABELS),
            bad(ValueError, r"`labels` repeats 'a'", *CLASSES, labels=["a", "b", "a"]),
            bad(ValueError, r"`labels` has 2 entries for 3 columns", *CLASSES, labels=["a", "b"]),
            bad(ValueError, r"`labels` has 4 entries for 3 columns", *CLASSES, labels=["a", "b", "c", "d"]),
            bad(ValueError, r"`y_scores` has 3 columns but `y_true` holds 2 labels: pass `labels=`.*make_rank_scorer",
                ["a", "b", "a"], np.eye(3)),
            bad(ValueError, r"`y_scores` has 2 columns but `y_true` holds 3 labels", ["a", "b", "c"], np.ones((3, 2))),
            bad(TypeError, r"`labels` must be an array or a list", *CLASSES, labels="abc"),
            bad(ValueError, r"Class labels must be 1-D, got shape \(1, 3\)", *CLASSES, labels=[LABELS]),
            bad(ValueError, r"`labels` does not go with a matrix `y_true` of shape \(2, 3\)", Y, S, labels=LABELS),
            bad(ValueError, r"`labels` does not go with a matrix `y_true`", sparse.csr_matrix(Y), S, labels=LABELS,
                name="labels beside sparse y_true"),
            bad(ValueError, r"`labels` does not go with a matrix `y_true`", Y, sparse.csr_matrix(S), labels=LABELS,
                name="labels beside sparse y_scores"),
            bad(ValueError, r"`labels` names the columns of `y_scores`, which needs shape", *RANKING, labels=[0, 1]),
            bad(ValueError, r"`y_true` has a missing label, first at row 1", ["a", None, "c"], np.eye(3), labels=LABELS),
            bad(ValueError, r"`y_true` has a missing label, first at row 2", [0.0, 1.0, np.nan], np.eye(3)),
            bad(TypeError, r"`y_true` mixes labels of types \['int', 'str'\]", np.array(["a", 1, "c"], object), np.eye(3)),
            # groups
            bad(ValueError, r"`groups` needs one id per row: it has 2 entries but `y_true` has 4; these look like group sizes",
                *RANKING, groups=[3, 1]),
            bad(ValueError, r"`groups` needs one id per row: it has 3 entries but `y_true` has 4\.", *RANKING, groups=[1, 1, 1]),
            bad(ValueError, r"`groups` needs one id per row: it has shape \(4, 1\)", *RANKING, groups=[[1], [1], [2], [2]]),
            bad(ValueError, r"`groups` contains missing ids \(None or NaN\) in 1 rows: 2", *RANKING, groups=[1, 1, None, 2]),
            bad(ValueError, r"`groups` contains missing ids \(None or NaN\) in 2 rows: 0, 3", *RANKING,
                groups=[np.nan, 1, 2, np.nan]),
            bad(ValueError, r"`groups` contains missing ids \(None or NaN\) in 6 rows: 0, 1, 2, 3, 4, \.\.\.", [1] * 6, [1] * 6,
                groups=[None] * 6),
            bad(ValueError, r"`groups` contains missing ids", *RANKING, groups=np.array(["2020", "NaT", "2020", "2020"], "M8[Y]"),
                name="NaT as id"),
            bad(ValueError, r"`groups` contains missing ids", *RANKING, groups=pd.Series([1, pd.NA, 1, 2], dtype="Int64"),
                name="pandas.NA as id"),
            bad(ValueError, r"`groups` contains missing ids", *RANKING, groups=pd.Series(["a", None, "a", "b"]).astype("category"),
                name="missing category"),
            bad(ValueError, r"`groups` contains missing ids", *RANKING,
                groups=np.ma.masked_array([1, 1, 2, 2], [False, True, False, False]), name="masked id"),
            bad(TypeError, r"`groups` must hold hashable ids: .*list", *RANKING,
                groups=np.array([[1], [2, 3], [1], [2, 3]], dtype=object)),
            bad(TypeError, r"`groups` must be an array or a list", *RANKING, groups="qid"),
            bad(ValueError, r"`groups` does not go with a matrix `y_true` of shape \(2, 3\)", Y, S, groups=[0, 1]),
            bad(ValueError, r"`groups` does not go with a matrix `y_true`", sparse.csr_matrix(Y), sparse.csr_matrix(S),
                groups=[0, 1], name="groups beside sparse matrices"),
            bad(ValueError, r"`groups` does not go with class labels and `y_scores` of shape \(3, 3\)", *CLASSES, groups=[0, 1, 1]),
            # sample_weight
            bad(ValueError, r"`sample_weight` has 3 entries for 2 rows", Y, S, sample_weight=[1, 1, 1]),
            bad(ValueError, r"`sample_weight` has shape \(2, 1\) for 2 rows", Y, S, sample_weight=[[1], [1]]),
            bad(ValueError, r"`sample_weight` has 2 entries for 4 rows", *RANKING, groups=[0, 0, 1, 1], sample_weight=[1, 1]),
            bad(ValueError, r"`sample_weight` holds negative values, first -2", Y, S, sample_weight=[1, -2]),
            bad(ValueError, r"`sample_weight` sums to zero", Y, S, sample_weight=[0, 0]),
            bad(ValueError, r"`sample_weight` sums to zero", Y, S, sample_weight=[0, 0], average=None, name="zero, average=None"),
            bad(ValueError, r"`sample_weight` must be finite", Y, S, sample_weight=[1, np.nan]),
            bad(ValueError, r"`sample_weight` must be finite", Y, S, sample_weight=[1, np.inf], name="infinite weight"),
            bad(ValueError, r"`sample_weight` must be numeric, got 'one'", Y, S, sample_weight=["one", "two"]),
            bad(TypeError, r"`sample_weight` must be an array or a list", Y, S, sample_weight=2.0),
            bad(TypeError, r"`sample_weight` must be an array or a list", Y, S, sample_weight="balanced", name="balanced"),
            # sparse scores and frames
            bad(ValueError, r"`y_scores` stores a cell more than once.*sum_duplicates", [[1, 0]],
                sparse.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), shape=(1, 2))),
            bad(ValueError, r"`y_scores` stores a cell more than once", [[1, 0]],
                sparse.csr_matrix(([1.0, 2.0], [1, 1], [0, 2]), shape=(1, 2)), name="repeated in CSR"),
            bad(ValueError, r"`y_scores` stores a cell more than once", [[1, 0]],
                sparse.csc_array(([1.0, 2.0], [0, 0], [0, 2, 2]), shape=(1, 2)), name="repeated in CSC"),
            bad(ValueError, r"must carry the same names: \['c'\] only in `y_true`, \['d'\] only in `y_scores`.*\.to_numpy\(\)",
                frame(Y, "abc"), frame(S, "abd")),
            bad(ValueError, r"must carry the same names: \['c'\] only in `y_true`, none only in `y_scores`", frame(Y, "abc"),
                frame([[1, 2], [2, 1]], "ab")),
            bad(ValueError, r"repeat names and cannot be aligned; pass arrays", frame([[1, 0, 1]], "aab"),
                frame([[1, 2, 3]], "aba")),
            bad(ValueError, r"`y_true` .*2.*relevance_threshold", [[0, 0, 0], [0, 2, 0]], S, sample_weight=[1, 0],
                name="wrong grade in a row of no weight"),
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
            ({"average": "macro"}, rf"'macro'; {name}\(Y\.T, S\.T\)"),
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
        assert dcg_at_k([[1023]], [[1.0]], gain="exponential") == 2.0**1023
        with pytest.raises(ValueError, match=r"`y_true` .*1024"):
            dcg_at_k([[1024]], [[1.0]], gain="exponential")

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


def good(name, y_true, y_scores, expected=5 / 12, **options):
    return pytest.param(y_true, y_scores, options, expected, id=name)


# The hits of the first row have ranks 1 and 4, so AP = (1 + 2/4) / 2 = 3/4; the second row's hit has rank 12/... see
# HITS: a plain problem whose MAP is (3/4 + 1/12... ) is not needed; all containers below hold this one:
TRUTH = [[1, 0, 0, 1], [0, 1, 0, 0]]
SCORES = [[9, 6, 5, 1], [8, 7, 2, 1]]
MAP = (3 / 4 + 1 / 2) / 2
