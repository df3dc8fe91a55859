"""Objects that fail when they are asked, and damaged matrices: refused by the name of the argument."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import sklearn_rank as sr
from sklearn_rank._options import attribute, shown

Y, S = [[1, 0, 1], [0, 1, 0]], [[0.5, 0.5, 0.1], [0.2, 0.3, 0.4]]
ERRORS = (RuntimeError, KeyError, IndexError, ValueError, AttributeError)


def failing(method, error):
    """An object whose method raises an ordinary error."""

    def raising(*args, **options):
        raise error

    return type("Failing", (), {method: raising})()


def damaged(fmt, part, values):
    """A sparse matrix of which a part was overwritten."""
    matrix = sparse.csr_array(np.array([[1.0, 0, 1], [0, 1, 0]])).asformat(fmt)
    setattr(matrix, part, np.array(values))
    return matrix


DAMAGED = [
    ("csc", "indices", [0, 5, 1]),
    ("csr", "indptr", [0, 2, 9]),
    ("csr", "indices", [0]),
    ("coo", "data", [1.0]),
    ("dia", "data", [1.0]),
    ("coo", "coords", (0, 1)),
    ("bsr", "indices", [7]),
]


@pytest.mark.parametrize("error", ERRORS)
class TestFailingObjects:
    @pytest.mark.parametrize("method", ["__getattr__", "__array__", "__len__", "__iter__"])
    @pytest.mark.parametrize("name", ["y_true", "y_scores", "sample_weight", "labels", "groups"])
    def test_data(self, name, method, error):
        data = {"y_true": Y, "y_scores": S}
        if name == "labels":
            data = {"y_true": ["a", "b"], "y_scores": S}
        if name == "groups":
            data = {"y_true": [1, 0], "y_scores": [1, 2]}
        with pytest.raises((TypeError, ValueError), match=f"`{name}`|`y_true` and `y_scores`"):
            sr.map_at_k(**{**data, name: failing(method, error)})

    @pytest.mark.parametrize("method", ["__getattr__", "__array__", "__len__"])
    def test_in_a_list(self, method, error):
        with pytest.raises((TypeError, ValueError), match="`y_scores`"):
            sr.map_at_k(Y, [[failing(method, error), 1, 2], [1, 2, 3]])

    @pytest.mark.parametrize("method", ["__iter__", "__getattr__", "tolist"])
    @pytest.mark.parametrize("name", ["actual", "predicted"])
    def test_lists(self, name, method, error):
        for function, ids in ((sr.apk, ["a", "b"]), (sr.mapk, [["a", "b"]]), (sr.from_lists, [["a", "b"]])):
            with pytest.raises(TypeError, match=f"`{name}`"):
                function(**{"actual": ids, "predicted": ids, name: failing(method, error)})

    def test_ids(self, error):
        with pytest.raises(TypeError, match="Ids must be hashable, and row 0 of `predicted` holds a Failing"):
            sr.mapk([["a"]], [[failing("__hash__", error)]])

    @pytest.mark.parametrize("method", ["__getattr__", "__hash__", "__eq__"])
    def test_tables(self, method, error):
        truth = {"q": [1, 1], "i": ["a", "b"]}
        with pytest.raises(TypeError, match="`truth` must be a table"):
            sr.from_frames(failing(method, error), truth, query="q", item="i")
        with pytest.raises((TypeError, ValueError), match="`item`"):
            sr.from_frames(truth, truth, query="q", item=failing(method, error))

    def test_files_and_numbers(self, error):
        with pytest.raises(TypeError, match="`path`"):
            sr.read_qrels(failing("__getattr__", error))
        models = {"one": S, "two": Y}
        with pytest.raises((TypeError, ValueError), match="`random_state`"):
            sr.compare(Y, models, ["mrr"], random_state=failing("__getattr__", error))

    def test_settings_of_scorers(self, error):
        with pytest.raises(TypeError, match="`response_method`"):
            sr.make_rank_scorer("map@2", response_method=failing("__iter__", error))
        with pytest.raises(TypeError, match="`labels`"):
            sr.make_rank_scorer("map@2", labels=failing("__array__", error))
        with pytest.raises(TypeError, match="`labels`"):
            sr.make_rank_scorer("map@2", labels=[failing("__hash__", error), 1])
        with pytest.raises(TypeError, match="`metrics`"):
            sr.rank_scorers(failing("__iter__", error))

    def test_attribute(self, error):
        assert attribute(failing("__getattr__", error), "shape", 3) == 3
        assert shown(failing("__repr__", error)) == "an object of the type Failing"


@pytest.mark.parametrize("part", DAMAGED, ids=str)
class TestDamagedMatrices:
    @pytest.mark.parametrize("name", ["actual", "predicted"])
    def test_lists(self, name, part):
        matrix = damaged(*part)
        for function, ids in ((sr.apk, ["a", "b"]), (sr.mapk, [["a", "b"]]), (sr.from_lists, [["a", "b"]])):
            with pytest.raises(TypeError, match=f"`{name}`"):
                function(**{"actual": ids, "predicted": ids, name: matrix})
        with pytest.raises(TypeError, match=f"Each row of `{name}` must be a list of ids: row 0 is a "):
            sr.mapk(**{"actual": [["a"]], "predicted": [["a"]], name: [matrix]})

    def test_settings_of_scorers(self, part):
        matrix = damaged(*part)
        for name in ("labels", "groups"):
            for make in (sr.make_rank_scorer, sr.rank_scorers):
                with pytest.raises(TypeError, match=f"`{name}`"):
                    make("map@2" if make is sr.make_rank_scorer else ["map@2"], **{name: matrix})


class TestValues:
    def test_float16_in_lists(self):
        """The limit of whole floats is beyond float16, and is not cast to it."""
        assert sr.mrr_at_k(list(map(list, np.array([[0, 1]], "f2"))), [[0.5, 0.25]]) == 1 / 2

    def test_paths(self):
        for path in ("a\0", "\ud800\0"):
            with pytest.raises(ValueError, match="`path` must be the path of a file"):
                sr.read_qrels(path)

    @pytest.mark.parametrize(
        "gain", [[-(10**400), 2], {0: 0, 1: 10**400}, [0, np.timedelta64(1, "s")], np.array([[0, 1], [0, 1]])], ids=repr
    )
    def test_gains(self, gain):
        with pytest.raises(ValueError, match="`gain` must hold finite numbers >= 0"):
            sr.dcg_at_k(Y, S, gain=gain)

    def test_a_gain_without_a_dimension(self):
        """A 0-d array is a table of the grade 0 alone."""
        with pytest.raises(ValueError, match="`gain` must give the grade 0 the gain 0, got 2"):
            sr.dcg_at_k(Y, S, gain=np.array(2))

    @pytest.mark.parametrize("labels", [(), 1, np.array("a")], ids=repr)
    def test_candidates_of_odd_labels(self, labels):
        with pytest.raises((TypeError, ValueError), match="`labels`"):
            sr.expected_random(["b", "a"], "map@2", labels=labels)

    @pytest.mark.parametrize("y_true", [object(), np.empty((0, 3))], ids=repr)
    def test_parts_of_odd_truths(self, y_true):
        with pytest.raises((TypeError, ValueError), match="`y_true`"):
            sr.RankingAccumulator(["mrr"]).update(y_true, S, sample_weight=[1, 2])

    @pytest.mark.parametrize("state", [np.timedelta64(1, "s"), "a", 1.5, -1, []], ids=repr)
    def test_random_states(self, state):
        with pytest.raises((TypeError, ValueError), match="`random_state` must be None, an integer of at least 0"):
            sr.compare(Y, {"one": S}, ["mrr"], random_state=state)

    def test_weights_that_leave_one_ranking(self):
        with pytest.raises(ValueError, match=r"got 1 of 2.* a `sample_weight` of 0 leaves one out"):
            sr.compare(Y, {"one": S}, ["mrr"], sample_weight=[1, 0])
