"""Dask on two worker processes of one machine: the values of the functions in memory, and no process left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from over_registry import needed
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier

from sklearn_rank import (
    evaluate,
    make_rank_scorer,
    map_at_k,
    mrr_at_k,
    ndcg_at_k,
)
from sklearn_rank.metrics._registry import METRICS

pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import dask
import dask.array as da
import distributed
import psutil
from cloudpickle import register_pickle_by_value, unregister_pickle_by_value
from test_dask import ITEMS, REQUESTS, asked, close, five_queries, rows_with_ties

from sklearn_rank.metrics import _dask


@pytest.fixture
def problem(rng):
    return rows_with_ties(rng)


@pytest.fixture
def queries(rng):
    return five_queries(rng)


def children():
    """Processes that this one has started; the resource tracker of multiprocessing ends with it."""
    return {
        child.pid
        for child in psutil.Process().children(recursive=True)
        if child.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in " ".join(child.cmdline())
    }


def ended(condition):
    """Whether it comes true within some seconds."""
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


@pytest.fixture(scope="module")
def cluster():
    before = children()
    register_pickle_by_value(sys.modules[__name__])  # workers need not find the tests
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as started:
        yield started
    unregister_pickle_by_value(sys.modules[__name__])
    assert ended(lambda: children() <= before)


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as connected:
        connected.wait_for_workers(2, timeout=30)
        yield connected


def noise(block, seed):
    return np.random.default_rng(seed).random(block.shape)


def die_once(block, marker):
    """The first worker that comes here dies with its process."""
    try:
        Path(marker).open("x").close()
    except FileExistsError:
        return block
    os._exit(1)


class TestCluster:
    """Two worker processes."""

    def test_workers_are_processes(self, client):
        pids = client.run(os.getpid).values()
        assert len({*pids, os.getpid()}) == 3

    def test_every_metric(self, client, problem):
        y_true, y_scores, weights = problem
        requests = [(name, needed(metric, ITEMS)) for name, metric in METRICS.items()] + REQUESTS[:1]
        lazy = da.from_array(y_true, chunks=(4, 5)), da.from_array(y_scores, chunks=(3, 9))
        for options in ({}, {"average": None}, {"sample_weight": weights, "zero_division": np.nan}):
            expected = evaluate(y_true, y_scores, requests, **options)
            for name, value in evaluate(*lazy, requests, **options).items():
                close(value, expected[name])
            (later,) = dask.compute(evaluate(*lazy, requests, compute=False, **options))
            for name, value in later.items():
                close(value, expected[name])

    def test_groups_and_labels(self, client, queries, rng):
        y_true, y_scores, weights, ids, chunks = queries
        lazy = da.from_array(y_true, chunks=7), da.from_array(y_scores, chunks=chunks)
        expected = ndcg_at_k(y_true, y_scores, groups=ids, sample_weight=weights)
        close(ndcg_at_k(*lazy, groups=da.from_array(ids, chunks=9), sample_weight=weights), expected)
        labels, matrix = rng.integers(0, 3, 10), rng.random((10, 3))
        expected = mrr_at_k(labels, matrix, labels=[2, 1, 0])
        close(mrr_at_k(da.from_array(labels, chunks=4), da.from_array(matrix, chunks=3), labels=[2, 1, 0]), expected)

    def test_errors_keep_their_kind(self, client, queries):
        y_scores = np.ones((12, 3))
        y_scores[8, 1] = np.nan
        with pytest.raises(ValueError, match="`y_scores` contains NaN, first at row 8, column 1"):
            map_at_k(np.ones((12, 3), int), da.from_array(y_scores, chunks=5))
        y_true, y_scores, _, ids, _ = queries
        with pytest.raises(ValueError, match="group 'q3' lie in more than one chunk"):
            asked(map_at_k, y_true, da.from_array(y_scores, chunks=((6, 14),)), groups=ids, compute=False).compute()

    def test_chunks_stay_where_they_are(self, client):
        n, m = 400, 500
        y_true = da.ones((n, m), chunks=(50, m)).map_blocks(noise, 0, dtype=float) < 0.1
        y_scores = da.ones((n, m), chunks=(50, m)).map_blocks(noise, 1, dtype=float)
        before = sum(client.run(sent).values())
        value = map_at_k(y_true, y_scores)
        later = asked(map_at_k, y_true, y_scores, compute=False).compute()
        after = sum(client.run(sent).values())
        # Row values go from worker to worker and to the client; the scores of one chunk alone are 200 kB.
        assert after - before < 50 * m * 8 / 4
        assert value == later
        block = np.empty((50, m))  # all chunks are alike
        close(value, map_at_k(noise(block, 0) < 0.1, noise(block, 1)))

    @pytest.mark.parametrize("compute", [True, False])
    def test_a_worker_dies(self, compute, client, problem, tmp_path):
        y_true, y_scores, _ = problem
        marker = tmp_path / "died"
        workers = set(client.run(os.getpid).values())
        dying = da.from_array(y_scores, chunks=(3, 9)).map_blocks(
            die_once, str(marker), dtype=float, meta=np.empty((0, 0))
        )
        found = asked(map_at_k, da.from_array(y_true, chunks=(3, 9)), dying, average=None, compute=compute)
        (found,) = dask.compute(found)
        assert marker.exists()
        close(found, map_at_k(y_true, y_scores, average=None))
        client.wait_for_workers(2, timeout=30)
        assert len(workers & set(client.run(os.getpid).values())) == 1

    def test_grid_search(self, client):
        X, Y = make_multilabel_classification(n_samples=60, n_classes=6, random_state=0)
        searches = [
            GridSearchCV(
                KNeighborsClassifier(),
                {"n_neighbors": [3, 7]},
                scoring=make_rank_scorer("map@3"),
                cv=KFold(3),
                n_jobs=n_jobs,
                error_score="raise",
            )
            for n_jobs in (None, 2)
        ]
        searches[0].fit(X, Y)
        with joblib.parallel_config(backend="dask"):
            searches[1].fit(X, Y)
        scores = [search.cv_results_["mean_test_score"] for search in searches]
        assert np.array_equal(*scores)
        assert 0 < searches[0].best_score_ == searches[1].best_score_ <= 1


def sent(dask_worker):
    """Bytes that a worker has sent to others."""
    return dask_worker.transfer_outgoing_bytes_total


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(_dask.__file__).parents[2])},
    ).stdout


class TestImports:
    def test_dask_is_imported_for_its_own_arrays_alone(self):
        program = (
            "import sys, numpy, scipy.sparse\n"
            "import sklearn_rank as s\n"
            "y = numpy.eye(3, dtype=int)\n"
            "s.evaluate(y, y, ['map', 'ndcg@2'], sample_weight=[1, 2, 3])\n"
            "s.map_at_k(scipy.sparse.csr_array(y), scipy.sparse.csr_array(y))\n"
            "s.mrr_at_k([0, 1, 2], y)\n"
            "s.mrr_at_k([0, 1, 1], [1, 2, 3], groups=[1, 1, 2])\n"
            "print(sorted(name for name in ('dask', 'distributed') if name in sys.modules))"
        )
        assert run(program).strip() == "[]"

    def test_distributed_is_not_needed(self):
        program = (
            "import sys\n"
            "sys.modules['distributed'] = None\n"
            "import dask.array as da, sklearn_rank as s\n"
            "print(s.mrr_at_k([[0, 1], [1, 0]], da.ones((2, 2), chunks=1)))"
        )
        assert run(program).strip() == "0.75"


def test_no_process_is_left():
    before = children()
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = set(client.run(os.getpid).values())
        assert pids <= children() - before
    assert ended(lambda: not any(psutil.pid_exists(pid) for pid in pids))
    assert ended(lambda: children() <= before)
