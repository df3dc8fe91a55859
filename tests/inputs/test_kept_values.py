"""No container, id, threshold or weight changes its value on the way in."""

from __future__ import annotations

import importlib.util
import threading
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import (
    RankingAccumulator,
    dcg_at_k,
    evaluate,
    map_at_k,
    mrr_at_k,
    ndcg_at_k,
    rbp,
)
from sklearn_rank._options import Options
from sklearn_rank.inputs._ids import label_codes


class TestFrames:
    def test_integers_that_a_common_dtype_would_round(self):
        # 2**53 + 1 > 2**53, which are one number as floats.
        frame = pd.DataFrame({"a": [2**53 + 1], "b": [2**53], "c": [5]}).astype({"c": "int8"})
        assert mrr_at_k([[1, 0, 0]], frame) == 1
        unsigned = pd.DataFrame({"a": np.array([2**63], "u8"), "b": np.array([2**63 - 1], "i8")})
        assert mrr_at_k([[1, 0]], unsigned) == 1

    def test_small_integers_beside_fractions(self):
        frame = pd.DataFrame({"a": [2], "b": [0.5]})
        assert mrr_at_k([[0, 1]], frame) == 1 / 2

    def test_large_integers_beside_fractions_are_refused(self):
        frame = pd.DataFrame({"a": [2**53 + 1], "b": [2**53], "c": [0.5]})
        with pytest.raises(ValueError, match=r"`y_scores` mixes fractions with integers above"):
            mrr_at_k([[1, 0, 0]], frame)

    def test_columns_named_by_truth_values(self):
        y_true = pd.DataFrame([[1, 0]], columns=[True, False])
        assert mrr_at_k(y_true, pd.DataFrame([[1, 2]], columns=[False, True])) == 1

    def test_columns_named_by_integers_on_purpose_name_classes(self):
        named = pd.DataFrame(np.eye(3)[[0, 2, 2]], columns=np.array([0, 1, 2]))
        assert mrr_at_k([0, 2, 2], named) == 1
        with pytest.raises(ValueError, match=r"pass `labels=`"):
            mrr_at_k([0, 2, 2], pd.DataFrame(np.eye(3)[[0, 2, 2]]))


class TestLists:
    def test_numbers_in_arrays_without_a_dimension(self):
        assert mrr_at_k([np.array(0), np.array(1)], [np.array(0.3), np.array(0.1)]) == 1 / 2
        huge = [[np.array(2**60), np.array(2**60 + 1), np.array(-np.inf)]]
        with pytest.raises(ValueError, match=r"`y_scores` mixes fractions with integers above"):
            mrr_at_k([[1, 0, 0]], huge)

    def test_bfloat16(self):
        class Tensor:
            dtype = "torch.bfloat16"
            ndim = 1

            def __len__(self):
                return 2

            def __array__(self, *args, **options):
                message = "Got unsupported ScalarType BFloat16"
                raise TypeError(message)

        for y_scores in (Tensor(), [Tensor()]):
            with pytest.raises(TypeError, match=r"`y_scores` .*\.float\(\)"):
                map_at_k([[1, 0]], y_scores)

    def test_sets(self):
        with pytest.raises(TypeError, match=r"`y_true` is a list that holds a set.*MultiLabelBinarizer"):
            map_at_k([{"a"}, {"b"}], [[2, 1], [1, 2]])

    @pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="pyarrow is not installed")
    def test_pyarrow(self):
        import pyarrow as pa

        y_true, y_scores = pa.array([1, 0, 0, 1]), pa.chunked_array([[4.0, 3.0], [2.0, 1.0]])
        for ids in (pa.array(["a", "a", "b", "b"]), pa.array(["a", "a", "b", "b"]).dictionary_encode()):
            assert mrr_at_k(y_true, y_scores, groups=ids) == (1 + 1 / 2) / 2

    def test_dlpack_alone(self):
        class Array:
            def __init__(self, values):
                self.values = np.asarray(values)

            def __dlpack__(self, **options):
                return self.values.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.values.__dlpack_device__()

        assert mrr_at_k([[0, 1]], Array([[0.5, 0.25]])) == 1 / 2

    def test_categories_of_any_library(self):
        class Coded:
            """As pyarrow's dictionary arrays."""

            def dictionary_decode(self):
                return np.array(["a", "a", "b"])

        assert mrr_at_k([1, 0, 1], [3, 2, 1], groups=Coded()) == 1


class TestIds:
    def test_what_numpy_merges(self):
        assert mrr_at_k([0, 1], [2, 1], groups=["a", "a\0"], average=None).tolist() == [0, 1]
        assert mrr_at_k([0, 1], [2, 1], groups=[b"a", "a"], average=None).tolist() == [0, 1]
        assert mrr_at_k(["a"], [[3, 2, 1]], labels=["a", "a\0", "b"]) == 1

    def test_tuples(self):
        assert mrr_at_k([1, 0, 0, 1], [4, 3, 2, 1], groups=[("s", 1), ("s", 1), ("s",), ("s",)]) == (1 + 1 / 2) / 2

    def test_long_integers_as_labels(self):
        labels = [2**53, 2**53 + 1]
        assert mrr_at_k(np.array(labels, "u8"), np.eye(2), labels=labels) == 1
        assert map_at_k([2**63 + 1] * 2, np.ones((2, 3)), 1, labels=[2**63 + 1, 1, 2**63], ties="first") == 1

    def test_labels_that_cannot_be_told_apart(self):
        lists = np.empty(2, object)
        lists[:] = [[1], [2]]
        with pytest.raises(TypeError, match=r"`labels` must hold hashable labels"):
            mrr_at_k([0, 1], np.eye(2), labels=lists)
        with pytest.raises(TypeError, match=r"`y_true` must hold hashable labels"):
            mrr_at_k(lists, np.eye(2), labels=[0, 1])
        with pytest.raises(ValueError, match=r"`y_true` must hold class labels \(n_samples,\), got shape"):
            label_codes(np.eye(2), None, 2)

    def test_weights_beside_groups_are_one_per_row(self):
        with pytest.raises(ValueError, match=r"2 entries for 5 rows; beside `groups`, too, each row has its own"):
            mrr_at_k([1, 0, 0, 1, 0], [4, 3, 2, 1, 0], groups=[1, 1, 2, 2, 2], sample_weight=[1, 2])


class TestGrades:
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    @pytest.mark.parametrize("metric", [ndcg_at_k, dcg_at_k, rbp])
    def test_infinity(self, metric, dtype):
        with pytest.raises(ValueError, match=r"`y_true` .*inf"):
            metric(np.array([[0, np.inf]], dtype), [[2, 1]])

    @pytest.mark.parametrize(
        ("grades", "threshold", "rank"),
        [
            (np.array([0, 0, 1], "f4"), 1e-46, 3),  # which float32 takes for 0
            (np.array([0, 0, 1], "f2"), 1e-30, 3),
            (np.array([9, 9, 60000], "f2"), 59999.9, 3),
            (np.array([1, 2, 3], "f2"), 1e6, None),  # which float16 takes for infinity
            (np.array([0.7, 0], "f4"), 0.7, 1),  # 0.7 is the float32 next to it
            (np.array([2**53, 2**53 + 1]), 2**53 + 1, 2),
            (np.array([2.0**53, 2.0**53 + 2]), 2**53 + 1, 2),
            (np.array([1, 2, 3], "u1"), 1.5, 2),
            (np.array([1, 2, 3], "i1"), 300, None),
        ],
    )
    def test_thresholds(self, grades, threshold, rank):
        scores = np.arange(len(grades), 0, -1)
        assert mrr_at_k(grades, scores, relevance_threshold=threshold) == (0 if rank is None else 1 / rank)

    def test_a_threshold_beyond_floats(self):
        with pytest.raises(ValueError, match=r"`relevance_threshold` .* beyond the range of floats"):
            map_at_k([[1, 0]], [[2, 1]], relevance_threshold=10**400)


class TestOptions:
    def test_equal_with_nan(self):
        assert Options(zero_division=float("nan")) == Options(zero_division=np.nan) != Options()
        assert hash(Options(zero_division=float("nan"))) == hash(Options(zero_division=np.nan))
        assert Options() != "average"


def caught(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [warning for warning in seen if issubclass(warning.category, UndefinedMetricWarning)]


class TestWarnings:
    """They name the line that called the package."""

    EMPTY = ([[0, 0]], [[1, 2]])

    @pytest.mark.parametrize(
        "call",
        [
            lambda: map_at_k(*TestWarnings.EMPTY, zero_division=np.nan),
            lambda: evaluate(*TestWarnings.EMPTY, ["map"], zero_division=np.nan),
            lambda: RankingAccumulator(["map"], zero_division=np.nan).update(*TestWarnings.EMPTY).result(),
        ],
        ids=["metric", "evaluate", "accumulator"],
    )
    def test_of_the_caller(self, call):
        (warning,) = caught(call)
        assert warning.filename == __file__

    def test_where_nobody_else_called(self):
        """A thread of the standard library has no line of a user below it: the nearest one stands for it."""
        seen = []

        def run():
            seen.extend(caught(thread_alone))

        def thread_alone():
            target = partial(map_at_k, *self.EMPTY, zero_division=np.nan)
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()

        run()
        assert [warning.filename for warning in seen] == [threading.__file__]
