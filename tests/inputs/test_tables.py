"""Long tables with a row per query and item."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from containers import arrow_table, of_arrow, of_pandas_by_arrow, of_polars, pandas_frame, polars_frame, series

from sklearn_rank import from_frames, from_qrels, map_at_k, mrr_at_k, ndcg_at_k, recall_at_k
from sklearn_rank.inputs._marks import belong_together

TRUTH = {"user": ["u", "u", "v", "w"], "item": ["a", "c", "b", "a"]}
RECOMMENDED = {
    "user": ["v", "u", "u", "u", "v", "x"],
    "item": ["b", "b", "a", "c", "a", "a"],
    "score": [0.2, 0.9, 0.8, 0.1, 0.7, 1.0],
}
# u: b, a, c with hits at 2 and 3; v: a, b with one at 2; w retrieves nothing; nobody asked for x.
MAPS = [(1 / 2 + 2 / 3) / 2, 1 / 2, 0]


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0)


def pair(truth, predictions, **options):
    return from_frames(truth, predictions, **{"query": "user", "item": "item", "score": "score", **options})


def maps(truth, predictions, **options):
    return map_at_k(*pair(truth, predictions, **options), average=None)


def arrays(columns):
    return {name: np.array(values) for name, values in columns.items()}


def objects(columns):
    return {name: np.array(values, object) for name, values in columns.items()}


TABLES = [dict, arrays, objects, pandas_frame, polars_frame, arrow_table]
each_table = pytest.mark.parametrize("table", TABLES)


class TestTables:
    @each_table
    def test_rows_in_order_of_first_appearance_in_the_truth(self, table):
        assert maps(table(TRUTH), table(RECOMMENDED)) == exactly(MAPS)

    @each_table
    @pytest.mark.parametrize("other", [dict, pandas_frame, polars_frame, arrow_table])
    def test_the_sides_may_be_of_different_libraries(self, table, other):
        assert maps(table(TRUTH), other(RECOMMENDED)) == exactly(MAPS)

    @each_table
    def test_an_empty_side(self, table):
        nothing = {"user": [], "item": [], "score": []}
        assert maps(table(TRUTH), table(nothing)) == exactly([0, 0, 0])
        with pytest.raises(ValueError, match="`truth` must have at least one row"):
            maps(table(nothing), table(RECOMMENDED))

    def test_an_index_of_pandas_plays_no_part(self):
        pd = pytest.importorskip("pandas")
        truth, predictions = (
            pd.DataFrame(TRUTH, index=[9, 3, 3, 1]),
            pd.DataFrame(RECOMMENDED, index=[0, 0, 1, 1, 2, 2]),
        )
        before = truth.copy(), predictions.copy()
        assert maps(truth, predictions) == exactly(MAPS)
        pd.testing.assert_frame_equal(truth, before[0])
        pd.testing.assert_frame_equal(predictions, before[1])
        numbered = pd.DataFrame(list(zip(*RECOMMENDED.values(), strict=True)))  # columns 0, 1, 2
        truth = {0: TRUTH["user"], 1: TRUTH["item"]}
        assert map_at_k(*from_frames(truth, numbered, query=0, item=1, score=2), average=None) == exactly(MAPS)

    def test_a_batch_of_pyarrow(self):
        pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)
        assert maps(pyarrow.record_batch(TRUTH), pyarrow.record_batch(RECOMMENDED)) == exactly(MAPS)

    def test_the_pair_is_marked(self):
        (y1, s1), (_, s2) = pair(TRUTH, RECOMMENDED), pair(TRUTH, RECOMMENDED)
        assert belong_together(y1, s1) is True
        assert belong_together(y1, s2) is False

    @pytest.mark.parametrize("item_order", ["descending", "ascending", "input"])
    @pytest.mark.parametrize("unjudged", ["keep", "drop"])
    @pytest.mark.parametrize("seed", range(4))
    def test_the_same_as_dictionaries(self, item_order, unjudged, seed):
        rng = np.random.default_rng(seed)
        cells = [np.unravel_index(rng.choice(15 * 30, n, replace=False), (15, 30)) for n in (60, 200)]
        (true_users, true_items), (users, items) = (
            (rows.tolist(), (columns * 10**seed * 7).tolist())
            for rows, columns in cells  # also ids far apart
        )
        grades, scores = rng.integers(-1, 4, 60).tolist(), rng.integers(0, 5, 200).tolist()
        qrels, run = {}, {}
        for user, item, grade in zip(true_users, true_items, grades, strict=True):
            qrels.setdefault(user, {})[item] = grade
        for user, item, score in zip(users, items, scores, strict=True):
            run.setdefault(user, {})[item] = score
        expected = from_qrels(qrels, run, item_order, unjudged=unjudged)
        truth = {"user": true_users, "item": true_items, "grade": grades}
        predictions = {"user": users, "item": items, "score": scores}
        found = pair(truth, predictions, relevance="grade", item_order=item_order, unjudged=unjudged)
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.shape == theirs.shape
            for name in ("indptr", "indices", "data"):
                assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()


class TestRanking:
    def test_grades(self):
        truth = {"user": [1, 1, 1], "item": ["a", "b", "c"], "grade": [0, 2, 1]}
        predictions = {"user": [1, 1, 1], "item": ["c", "a", "b"], "score": [3, 2, 1]}
        found = pair(truth, predictions, relevance="grade")
        assert ndcg_at_k(*found) == exactly((1 + 2 / math.log2(4)) / (2 + 1 / math.log2(3)))
        assert map_at_k(*found, relevance_threshold=1) == exactly((1 + 2 / 3) / 2)
        assert map_at_k(*pair(truth, predictions)) == 1  # all three are relevant

    @pytest.mark.parametrize("dtype", [int, float, np.uint8, np.uint64, np.float32])
    def test_ranks(self, dtype):
        truth = {"user": [1, 2], "item": ["a", "b"]}
        predictions = {"user": [2, 1, 1, 2], "item": ["c", "b", "a", "b"], "rank": np.array([2, 1, 2, 1], dtype)}
        assert mrr_at_k(*pair(truth, predictions, score=None, rank="rank"), average=None) == exactly([1 / 2, 1])

    def test_the_order_of_the_rows(self):
        truth, predictions = {"user": [1, 2], "item": ["a", "b"]}, {"user": [2, 1, 1, 2], "item": ["c", "b", "a", "b"]}
        for item_order in ("descending", "ascending", "input"):
            found = pair(truth, predictions, score=None, item_order=item_order)
            assert mrr_at_k(*found, average=None) == exactly([1 / 2, 1 / 2])

    def test_ranks_beyond_integers(self):
        with pytest.raises(ValueError, match=r"`rank`: column 'rank' of `predictions` .* beyond 2\*\*63"):
            pair(TRUTH, {**RECOMMENDED, "rank": [2**63] * 6}, score=None, rank="rank")

    def test_score_beside_rank(self):
        with pytest.raises(ValueError, match=r"`score` .* and `rank` .* both"):
            pair(TRUTH, RECOMMENDED, rank="score")

    @pytest.mark.parametrize(
        ("item_order", "scores", "grades"),
        [
            ("descending", [0.3, 0.2, 0.1], [0, 0, 2, 3]),
            ("ascending", [0.1, 0.2, 0.3], [2, 0, 0, 3]),
            ("input", [0.1, 0.3, 0.2], [2, 0, 0, 3]),
        ],
    )
    def test_slots(self, item_order, scores, grades):
        # Items 10, 30, 20 in this order; 99 was not retrieved; 30 is not judged, 20 is judged 0.
        truth = {"user": [1, 1, 1], "item": [20, 99, 10], "grade": [0, 3, 2]}
        predictions = {"user": [1, 1, 1], "item": [10, 30, 20], "score": [0.1, 0.3, 0.2]}
        y_true, y_scores = pair(truth, predictions, relevance="grade", item_order=item_order)
        assert y_scores.toarray()[0, :3].tolist() == scores
        slot = {"descending": 1, "ascending": 1, "input": 2}[item_order]
        assert y_true.toarray().tolist() == [grades]
        assert (y_true.nnz, y_scores.nnz) == (3, 3)
        assert slot in y_true.indices

    def test_equal_scores(self):
        truth, predictions = {"user": [1], "item": ["b"]}, {"user": [1, 1], "item": ["a", "b"], "score": [5, 5]}
        assert mrr_at_k(*pair(truth, predictions)) == exactly((1 + 1 / 2) / 2)
        for item_order, expected in (("descending", 1), ("ascending", 1 / 2), ("input", 1 / 2)):
            assert mrr_at_k(*pair(truth, predictions, item_order=item_order), ties="first") == exactly(expected)

    def test_items_never_retrieved(self):
        truth = {"user": [1, 1, 1], "item": ["a", "b", "c"]}
        assert recall_at_k(*pair(truth, {"user": [1], "item": ["a"], "score": [1]})) == exactly(1 / 3)

    def test_condensed_lists(self):
        truth = {"user": [1, 1, 2], "item": ["a", "c", "x"], "grade": [1, 0, 1]}
        predictions = {"user": [1, 1, 1, 2], "item": ["x", "a", "c", "c"], "score": [3, 2, 1, 1]}
        options = {"relevance": "grade"}
        values = mrr_at_k(*pair(truth, predictions, **options), relevance_threshold=1, average=None)
        assert values == exactly([1 / 2, 0])
        condensed = pair(truth, predictions, **options, unjudged="drop")
        assert mrr_at_k(*condensed, relevance_threshold=1, average=None) == exactly([1, 0])
        assert condensed[1].nnz == 2

    def test_scores_keep_their_dtype(self):
        scores = np.array([0.1, 0.1 + 1e-12], np.float32)  # equal as float32
        found = pair({"user": [1], "item": ["b"]}, {"user": [1, 1], "item": ["a", "b"], "score": scores})
        assert found[1].dtype == np.float32
        assert mrr_at_k(*found) == exactly(3 / 4)
        scores = [2**53, 2**53 + 1]
        found = pair({"user": [1], "item": ["b"]}, {"user": [1, 1], "item": ["a", "b"], "score": scores})
        assert mrr_at_k(*found) == 1

    def test_negative_grades_and_truth_values(self):
        predictions = {"user": [1, 1], "item": ["a", "b"], "score": [2, 1]}
        found = pair({"user": [1, 1], "item": ["a", "b"], "grade": [-1, 1]}, predictions, relevance="grade")
        assert mrr_at_k(*found, relevance_threshold=1) == exactly(1 / 2)
        found = pair({"user": [1, 1], "item": ["a", "b"], "grade": [False, True]}, predictions, relevance="grade")
        assert mrr_at_k(*found) == exactly(1 / 2)

    @each_table
    def test_several_columns_of_the_query(self, table):
        truth = {"day": [1, 1, 2], "user": ["u", "v", "u"], "item": [5, 6, 7]}
        predictions = {"day": [1, 2, 1, 2, 2], "user": list("uuvuv"), "item": [5, 5, 9, 7, 7], "score": [1, 2, 3, 1, 1]}
        found = pair(table(truth), table(predictions), query=["day", "user"])
        assert mrr_at_k(*found, average=None) == exactly([1, 0, 1 / 2])

    def test_queries_are_not_glued_together(self):
        truth = {"site": ["a", "ab"], "user": ["bc", "c"], "item": [1, 1]}
        predictions = {"site": ["ab", "a", "a"], "user": ["c", "bc", "bc"], "item": [1, 2, 1], "score": [1, 2, 1]}
        assert mrr_at_k(*pair(truth, predictions, query=["site", "user"]), average=None) == exactly([1 / 2, 1])
        one = pair({"user": [1], "item": [1]}, {"user": [1, 1], "item": [2, 1], "score": [2, 1]}, query=["user"])
        assert mrr_at_k(*one) == exactly(1 / 2)

    def test_columns_of_many_values_together(self):
        # 3 columns of ids up to 10**6: their product is beyond int64 and has to be counted anew on the way.
        days = [0, 10**6, 7]
        truth = {"a": days, "b": days, "c": days, "item": [1, 1, 1]}
        predictions = {"a": days[::-1], "b": days[::-1], "c": days[::-1], "item": [1, 2, 1], "score": [1, 1, 1]}
        assert mrr_at_k(*pair(truth, predictions, query=["a", "b", "c"]), average=None) == exactly([1, 0, 1])


class TestBadTables:
    def test_a_pair_twice(self):
        twice = {name: [*values, values[1]] for name, values in RECOMMENDED.items()}
        with pytest.raises(ValueError, match=r"`predictions` has .* twice: user='u', item='b' in rows 1 and 6"):
            maps(TRUTH, twice)
        with pytest.raises(ValueError, match=r"`truth` has .* twice: user='u', item='a' in rows 0 and 4"):
            maps({"user": [*TRUTH["user"], "u"], "item": [*TRUTH["item"], "a"]}, RECOMMENDED)

    @pytest.mark.parametrize("table", [pandas_frame, polars_frame, arrow_table])
    def test_ids_of_each_library_are_shown(self, table):
        with pytest.raises(ValueError, match=r"user='u', item='b' in rows 1 and 2"):
            maps(TRUTH, table({"user": ["v", "u", "u"], "item": ["a", "b", "b"], "score": [1, 2, 3]}))

    def test_twice_where_nobody_asked(self):
        with pytest.raises(ValueError, match="`predictions` has an item of a query twice"):
            maps(TRUTH, {"user": ["x", "x"], "item": ["a", "a"], "score": [1, 2]})

    @pytest.mark.parametrize("side", ["truth", "predictions"])
    @pytest.mark.parametrize(
        "column",
        [
            lambda: ["a", None],
            lambda: [1.0, math.nan],
            lambda: np.array([1.0, np.nan]),
            lambda: np.array(["2026-01-01", "NaT"], "M8[s]"),
            lambda: np.ma.masked_array([1, 2], [False, True]),
            lambda: series(["a", None]),
            lambda: series(["a", None], dtype=object),
            lambda: series(["a", None], dtype="category"),
            lambda: series([1, None], dtype="Int64"),
            lambda: series([1, None]),
            lambda: of_polars(["a", None]),
            lambda: of_polars([1.0, math.nan]),
            lambda: of_polars(["a", None], "categorical"),
            lambda: of_arrow(["a", None]),
            lambda: of_arrow([1, None]),
        ],
        ids=[
            "None",
            "nan",
            "NaN",
            "NaT",
            "masked",
            "pandas",
            "object",
            "category",
            "Int64",
            "float",
            "polars",
            "polars nan",
            "polars categorical",
            "pyarrow",
            "pyarrow integers",
        ],
    )
    def test_missing_ids(self, side, column):
        good = {"user": [1, 2], "item": [1, 2], "score": [1, 2]}
        for name, argument in (("user", "query"), ("item", "item")):
            sides = {"truth": good, "predictions": good, side: {**good, name: column()}}
            with pytest.raises(
                ValueError, match=rf"`{argument}`: column '{name}' of `{side}` has a missing id in row 1"
            ):
                pair(sides["truth"], sides["predictions"])

    @pytest.mark.parametrize(
        "column",
        [
            lambda: [1.0, math.nan],
            lambda: [1, None],
            lambda: np.ma.masked_array([1, 2], [False, True]),
            lambda: series([1, None], dtype="Int64"),
            lambda: series([1.0, math.nan]),
            lambda: of_polars([1.5, None]),
            lambda: of_arrow([1, None]),
        ],
        ids=["nan", "None", "masked", "Int64", "pandas", "polars", "pyarrow"],
    )
    def test_missing_numbers(self, column):
        good = {"user": ["u", "v"], "item": ["a", "b"], "score": [1, 2]}
        for side, argument in (("predictions", "score"), ("predictions", "rank"), ("truth", "relevance")):
            sides = {"truth": good, "predictions": good, side: {**good, "bad": column()}}
            options = {"score": None, argument: "bad"}
            found = rf"`{argument}`: column 'bad' of `{side}` has no number in row 1 \(user='v', item='b'\)"
            with pytest.raises(ValueError, match=found):
                pair(sides["truth"], sides["predictions"], **options)

    @pytest.mark.parametrize(
        "column",
        [
            lambda: [1, 2],
            lambda: series([1, 2], dtype="Int64"),
            lambda: of_polars([1.5, 2.5]),
            lambda: of_arrow([1, 2]),
            lambda: of_pandas_by_arrow([1, 2], "int64[pyarrow]"),
        ],
        ids=["list", "Int64", "polars", "pyarrow", "int64[pyarrow]"],
    )
    def test_numbers_of_each_library(self, column):
        predictions = {"user": [1, 1], "item": ["a", "b"], "score": column()}
        assert mrr_at_k(*pair({"user": [1], "item": ["a"]}, predictions)) == exactly(1 / 2)

    def test_what_is_no_number(self):
        with pytest.raises(ValueError, match=r"`predictions\['score'\]` must be numeric"):
            pair({"user": [1], "item": [1]}, {"user": [1], "item": [1], "score": ["high"]})

    @each_table
    def test_columns_that_are_not_there(self, table):
        with pytest.raises(ValueError, match="`query`: column 'uid' of `truth` is not there; it has 'user', 'item'"):
            maps(table(TRUTH), table(RECOMMENDED), query="uid")
        with pytest.raises(ValueError, match=r"`score`: column 'points' of `predictions` is not there; .*'score'"):
            maps(table(TRUTH), table(RECOMMENDED), score="points")
        with pytest.raises(ValueError, match="`relevance`: column 'grade' of `truth` is not there"):
            maps(table(TRUTH), table(RECOMMENDED), relevance="grade")

    @pytest.mark.parametrize("name", [["user"], [], np.array(["user"]), {"user": 1}])
    def test_names_that_are_none(self, name):
        with pytest.raises(TypeError, match="`item` must be the name of a column"):
            maps(TRUTH, RECOMMENDED, item=name)

    def test_no_query_column(self):
        with pytest.raises(TypeError, match="`query` must be the name of a column, got"):
            maps(TRUTH, RECOMMENDED, query=[])
        with pytest.raises(ValueError, match="`query`: column None of `truth` is not there"):
            maps(TRUTH, RECOMMENDED, query=None)

    def test_a_name_twice(self):
        pd = pytest.importorskip("pandas")
        with pytest.raises(ValueError, match="`item`: column 'item' of `truth` stands more than once"):
            maps(pd.DataFrame([["u", "a", "b"]], columns=["user", "item", "item"]), RECOMMENDED)

    def test_columns_of_other_lengths(self):
        with pytest.raises(ValueError, match="`item`: column 'item' of `truth` has 1 rows, but column 'user' has 2"):
            maps({"user": [1, 2], "item": [1]}, RECOMMENDED)

    @pytest.mark.parametrize("column", ["ab", b"cd", {"a", "b"}, {"a": 1}, 3, None, np.zeros((2, 2)), np.array(3)])
    def test_columns_that_are_none(self, column):
        with pytest.raises(TypeError, match="`item`: column 'item' of `truth` must be a 1-D array or a list"):
            maps({"user": [1, 2], "item": column}, RECOMMENDED)

    @pytest.mark.parametrize(
        "ids", [lambda: [3, [2]], lambda: [3, {"a": 1}], lambda: of_arrow([[], [2]])], ids=["list", "dict", "pyarrow"]
    )
    def test_unhashable_ids(self, ids):
        with pytest.raises(
            TypeError, match=r"`item`: column 'item' of `truth` must hold hashable ids, and row [01] has"
        ):
            maps({"user": [1, 2], "item": ids()}, RECOMMENDED)

    @pytest.mark.parametrize("side", ["truth", "predictions"])
    @pytest.mark.parametrize("thing", [[1], None, 3, "text", np.zeros((2, 2))])
    def test_what_is_no_table(self, side, thing):
        sides = {"truth": TRUTH, "predictions": RECOMMENDED, side: thing}
        with pytest.raises(
            TypeError, match=f"`{side}` must be a table of pandas, polars or pyarrow, or a dict of columns"
        ):
            maps(sides["truth"], sides["predictions"])

    def test_a_lazy_frame(self):
        with pytest.raises(TypeError, match=r"got LazyFrame; collect\(\) makes one"):
            maps(polars_frame(TRUTH).lazy(), RECOMMENDED)

    def test_options(self):
        with pytest.raises(ValueError, match=r"`item_order` must be one of .*, got 'random'"):
            maps(TRUTH, RECOMMENDED, item_order="random")
        with pytest.raises(ValueError, match=r"`unjudged` must be one of .*, got 'skip'"):
            maps(TRUTH, RECOMMENDED, unjudged="skip")

    def test_items_without_a_common_order(self):
        truth, predictions = {"user": [1, 1], "item": ["a", 2]}, {"user": [1, 1], "item": ["a", 2], "score": [1, 2]}
        with pytest.raises(TypeError, match=r"column 'item', have no common order .*item_order='input'"):
            maps(truth, predictions)
        assert mrr_at_k(*pair(truth, predictions, item_order="input")) == 1
        one = {"user": [1], "item": [2], "score": [1]}
        assert recall_at_k(*pair(truth, one)) == exactly(1 / 2)  # a truth of any types


class TestStrangers:
    def test_ids_of_other_types(self):
        numbers, text = {"user": [1], "item": [1], "score": [1]}, {"user": ["1"], "item": ["1"], "score": [1]}
        with pytest.warns(
            UserWarning, match=r"Column 'user' has no type of id in common .*\(int against str\)"
        ) as caught:
            pair(numbers, {**text, "item": [1]})
        assert caught[0].filename == __file__
        with pytest.warns(UserWarning, match=r"Column 'item' has no type of id in common"):
            pair(numbers, {**text, "user": [1]})

    def test_several_columns(self):
        truth = {"day": [1], "user": ["u"], "item": [1]}
        with pytest.warns(UserWarning, match="Column 'user' has no type of id in common"):
            pair(truth, {"day": [1], "user": [5], "item": [1], "score": [1]}, query=["day", "user"])

    def test_no_query_in_common(self):
        with pytest.warns(UserWarning, match="no query in common .*'user'"):
            pair(TRUTH, {"user": ["U"], "item": ["a"], "score": [1]})

    @pytest.mark.parametrize("items", [[], ["b"], ["x"]])
    def test_no_reason_to_warn(self, items):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pair(TRUTH, {"user": ["u"] * len(items), "item": items, "score": [1] * len(items)})
