"""Odd input that has to work."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from calls import S, Y, frame
from over_registry import call, every_metric, judged_only
from scipy import sparse

from sklearn_rank import (
    evaluate,
    map_at_k,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
)

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
            good(
                "dates as labels", np.array(["2020", "2021", "2022"], "M8[Y]"), [[1, 2, 0]] * 3, (1 / 2 + 1 + 1 / 3) / 3
            ),
            good("categories", pd.Series(["b", "a", "c"]).astype("category"), [[1, 2, 0]] * 3, (1 + 1 / 2 + 1 / 3) / 3),
            good(
                "text of pandas", pd.Series(["b", "a", "c"], dtype="string"), [[1, 2, 0]] * 3, (1 + 1 / 2 + 1 / 3) / 3
            ),
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
    @every_metric
    def test_nothing_is_written_to(self, metric, k, read_only):
        scores = read_only(np.where(SCORES == 5, -np.inf, SCORES), "float64")
        stored = judged_only(TRUTH) if metric.judged else sparse.csr_array(TRUTH)
        for truth in (read_only(TRUTH), stored):
            expected = call(metric, TRUTH.copy(), scores.copy(), k)
            assert call(metric, truth, scores, k, sample_weight=read_only([1.0, 1.0])) == expected

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
        with pytest.raises(ValueError, match=r"`average`='macro' .*map_at_k\(Y\.T, S\.T\)"):
            evaluate(Y, S, ["map"], average="macro")
        with pytest.raises(ValueError, match="do not match"):
            evaluate(Y, [[1, 2], [2, 1]], ["map"])
