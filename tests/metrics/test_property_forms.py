"""What holds for every metric of the registry, whatever the container or form of its input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from over_registry import TIES, judged_only
from scipy import sparse
from test_properties import (
    NEVER,
    SPARSE,
    every_metric,
    integers,
    metrics_of_any_form,
    problems,
    same,
    seeds,
    shuffled,
)

from sklearn_rank import from_lists, from_qrels
from sklearn_rank.metrics._registry import METRICS


class TestContainers:
    """What holds the same numbers scores the same."""

    @every_metric
    @settings(max_examples=10)
    @given(data=st.data())
    def test_dense(self, name, data):
        problem = data.draw(problems(name))
        y_true, y_scores, expected = problem.y_true, problem.y_scores, problem.values
        wide = np.zeros((2 * len(y_true), 2 * y_true.shape[1]))
        wide[::2, ::-2] = y_scores
        read_only = y_scores.copy()
        read_only.flags.writeable = False
        for scores in (
            y_scores.tolist(),
            tuple(map(tuple, y_scores)),
            list(y_scores),
            y_scores.astype(np.float32),
            y_scores.astype(object),
            np.asfortranarray(y_scores),
            np.ma.masked_array(y_scores),
            wide[::2, ::-2],
            read_only,
        ):
            assert (problem.with_(y_scores=scores) == expected).all()
        read_only_truth = y_true.copy()
        read_only_truth.flags.writeable = False
        truths = [
            y_true.tolist(),
            y_true.astype(float),
            y_true.astype(object),
            np.asfortranarray(y_true),
            read_only_truth,
        ]
        if not np.isnan(y_true).any():
            truths.append(y_true.astype(np.uint8))
        for truth in truths:
            assert (problem.with_(truth) == expected).all()
        if y_true.max() <= 1:
            assert (problem.with_(y_true.astype(bool)) == expected).all()

    @every_metric
    @settings(max_examples=10)
    @given(data=st.data())
    def test_frames(self, name, data):
        pd = pytest.importorskip("pandas")
        problem = data.draw(problems(name))
        names = [f"item {column}" for column in range(problem.y_true.shape[1])]
        truth = pd.DataFrame(problem.y_true, columns=names)
        scores = pd.DataFrame(problem.y_scores, columns=names, index=np.arange(len(truth))[::-1])
        assert (problem.with_(truth, scores[names[::-1]]) == problem.values).all()  # columns are those of y_true
        assert (problem.with_(truth, problem.y_scores) == problem.values).all()
        assert (problem.with_(problem.y_true, scores) == problem.values).all()

    @every_metric
    @given(data=st.data())
    def test_masked_is_never_retrieved(self, name, data):
        problem = data.draw(problems(name))
        never = problem.y_scores == NEVER
        scores = np.ma.masked_array(np.where(never, 99.0, problem.y_scores), mask=never)
        assert (problem.with_(y_scores=scores) == problem.values).all()

    @every_metric
    @settings(max_examples=10)
    @given(data=st.data())
    def test_inputs_are_never_written_to(self, name, data):
        problem = data.draw(problems(name))
        arrays = [problem.y_true.copy(), problem.y_scores.copy(), np.ones(len(problem.y_true))]
        before = [array.tobytes() for array in arrays]
        problem.with_(*arrays[:2], sample_weight=arrays[2])
        assert [array.tobytes() for array in arrays] == before


class TestForms:
    """One problem in every form that the input can take."""

    @every_metric
    @given(data=st.data(), to=st.sampled_from(SPARSE))
    def test_sparse_truth(self, name, data, to):
        problem = data.draw(problems(name))
        truth = to(problem.sparse_truth)
        if truth.nnz == problem.sparse_truth.nnz:  # not each format keeps zeros
            assert problem.with_(truth) == same(problem.values)

    @every_metric
    @given(data=st.data(), to=st.sampled_from(SPARSE))
    def test_sparse_pair(self, name, data, to):
        problem = data.draw(problems(name))
        scores = to(stored(problem.y_scores))
        if scores.nnz == (problem.y_scores > NEVER).sum():  # not each format keeps zeros, or only them
            assert problem.with_(problem.sparse_truth, scores) == same(problem.values)
            assert problem.with_(y_scores=scores) == same(problem.values)

    @every_metric
    @given(data=st.data(), seed=seeds)
    def test_entries_of_a_sparse_matrix_in_any_order(self, name, data, seed):
        problem = data.draw(problems(name))
        scores = stored(problem.y_scores)
        order = shuffled(scores.nnz, seed)
        mixed = sparse.coo_array((scores.data[order], (scores.row[order], scores.col[order])), shape=scores.shape)
        assert problem.with_(y_scores=mixed) == same(problem.values)
        rows = np.argsort(mixed.row, kind="stable")  # CSR whose columns do not ascend
        indptr = np.concatenate(([0], np.cumsum(np.bincount(mixed.row, minlength=scores.shape[0]))))
        unsorted = sparse.csr_array((mixed.data[rows], mixed.col[rows], indptr), shape=scores.shape)
        columns = unsorted.indices.copy()
        assert problem.with_(y_scores=unsorted) == same(problem.values)
        assert (unsorted.indices == columns).all()

    @metrics_of_any_form
    @given(data=st.data())
    def test_groups(self, name, data):
        problem = data.draw(problems(name))
        n, m = problem.y_true.shape
        groups = np.repeat(np.arange(n)[::-1], m)
        assert problem.with_(problem.y_true.ravel(), problem.y_scores.ravel(), groups=groups) == same(problem.values)

    @metrics_of_any_form
    @given(data=st.data())
    def test_groups_with_rows_anywhere(self, name, data):
        """Item after item, so that no two rows of a group are neighbours."""
        problem = data.draw(problems(name))
        n, m = problem.y_true.shape
        groups = [f"query {row}" for row in range(n)] * m
        assert problem.with_(problem.y_true.T.ravel(), problem.y_scores.T.ravel(), groups=groups) == same(
            problem.values
        )

    @metrics_of_any_form
    @given(data=st.data(), seed=seeds)
    def test_a_group_weighs_the_mean_of_its_rows(self, name, data, seed):
        problem = data.draw(problems(name))
        n, m = problem.y_true.shape
        groups, order = np.repeat(np.arange(n), m), shuffled(n * m, seed)
        weights = np.random.default_rng(seed).integers(0, 4, (n, m)) + 0.5
        value = problem.with_(
            problem.y_true.ravel()[order],
            problem.y_scores.ravel()[order],
            groups=groups[order],
            sample_weight=weights.ravel()[order],
            average="samples",
            ties="average",  # the order of the rows would decide `first`
        )
        assert value == same(problem.with_(sample_weight=weights.mean(axis=1), average="samples", ties="average"))

    @metrics_of_any_form
    @given(data=st.data())
    def test_groups_without_the_items_never_retrieved(self, name, data):
        """An irrelevant item that was never retrieved need not be there at all; rows then differ in length."""
        problem = data.draw(problems(name))
        row, column = np.nonzero((problem.y_scores > NEVER) | (problem.y_true >= (0 if problem.metric.judged else 1)))
        there = np.unique(row)
        if len(row):
            values = problem.with_(problem.y_true[row, column], problem.y_scores[row, column], groups=row)
            assert values == same(problem.values[there])

    @metrics_of_any_form
    @given(data=st.data())
    def test_one_vector(self, name, data):
        problem = data.draw(problems(name))
        assert problem.with_(problem.y_true[0], problem.y_scores[0]) == same(problem.values[:1])

    @every_metric
    @given(data=st.data())
    def test_labels(self, name, data):
        problem = data.draw(problems(name, labels=True))
        names = np.array(list("febdca"))[: problem.y_true.shape[1]]
        truth = names[problem.y_true.argmax(axis=1)]
        assert problem.with_(truth, problem.y_scores, labels=names) == same(problem.values)

    @metrics_of_any_form
    @given(data=st.data())
    def test_qrels(self, name, data):
        problem = data.draw(problems(name))
        qrels, run = {}, {}
        for query, (truth, scores) in enumerate(zip(problem.y_true, problem.y_scores, strict=True)):
            judged = [item for item, grade in enumerate(truth) if grade > 0 or not np.isnan(grade)]
            known = {item: int(truth[item]) for item in judged if truth[item] or item % 2 or problem.metric.judged}
            qrels[query] = known
            run[query] = {item: score for item, score in enumerate(scores.tolist()) if score > NEVER}
        for item_order in ("ascending", "input"):
            assert problem.with_(*from_qrels(qrels, run, item_order)) == same(problem.values)

    @pytest.mark.parametrize(
        "name",
        [name for name, metric in METRICS.items() if not metric.graded and metric.needs is None and not metric.judged],
    )
    @given(data=st.data())
    def test_lists(self, name, data):
        """Ids in a list have no ties: they stand as `first` ranks them."""
        problem = data.draw(problems(name, ties=("first",)))
        actual = [np.flatnonzero(truth) for truth in problem.y_true]
        predicted = [
            [column for column in np.argsort(-scores, kind="stable") if scores[column] > NEVER]
            for scores in problem.y_scores
        ]
        for ties in TIES:
            assert problem.with_(*from_lists(actual, predicted), ties=ties) == same(problem.values)

    @pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if not metric.graded])
    @given(data=st.data(), threshold=st.sampled_from([1, 2, 2.5, 3]))
    def test_a_threshold_makes_grades_binary(self, name, data, threshold):
        problem = data.draw(problems(name))
        grades = data.draw(integers(problem.y_true.shape, 6)) - 1
        relevant = (grades >= threshold).astype(int)
        unjudged = problem.metric.judged & (grades < 0)
        expected = problem.with_(np.where(unjudged, np.nan, relevant) if unjudged.any() else relevant)
        of_cells = judged_only(grades) if problem.metric.judged else sparse.csr_array(grades)
        for truth in (grades, of_cells, grades.astype(float)):
            assert problem.with_(truth, relevance_threshold=threshold) == same(expected)


def stored(y_scores):
    """A COO array that stores what was retrieved, zeros included."""
    row, column = np.nonzero(y_scores > NEVER)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return sparse.coo_array((y_scores[row, column], (row, column)), shape=y_scores.shape)
