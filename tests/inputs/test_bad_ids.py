"""Bad labels, groups, weights and columns, and what is said about them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from calls import CLASSES, LABELS, RANKING, S, Y, bad, frame
from scipy import sparse


class TestBadIds:
    @pytest.mark.parametrize(
        ("metric", "args", "options", "error", "message"),
        [
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
            bad(
                ValueError,
                r"`labels` must be a list of the classes of the columns, got shape \(1, 3\)",
                *CLASSES,
                labels=[LABELS],
            ),
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
