"""Times of the ways in which places are found, and of every form of scores. `make bench`."""

import numpy as np
import pytest

from sklearn_rank import map_at_k

# The shapes that _ranking's ways serve: (rows, items, relevant a row, k).
ROUTES = {
    "counted along the long axis": (20_000, 50, 2, 10),
    "counted in rows": (20_000, 200, 1, 10),
    "counted in chunks": (20_000, 1000, 5, 10),
    "contenders, then counted": (20_000, 1000, 200, 10),
    "sorted and searched": (5000, 1000, 50, None),
}
FORMS = {
    "float64": lambda s: s,
    "float32": lambda s: s.astype(np.float32),
    "float16": lambda s: s.astype(np.float16),
    "int64": lambda s: (s * 1e6).astype(np.int64),
    "uint8": lambda s: np.clip(s * 20 + 128, 0, 255).astype(np.uint8),
    "Fortran order": np.asfortranarray,
    "every other column": lambda s: np.repeat(s, 2, axis=1)[:, ::2],
    "backwards": lambda s: s[:, ::-1].copy()[:, ::-1],
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_routes(benchmark, problem, route, n_jobs):
    rows, items, relevant, k = ROUTES[route]
    y_true, y_scores = problem(rows, items, relevant)
    benchmark.group = f"{route}, {rows}x{items}, {relevant} relevant, k={k}"
    assert 0 < benchmark.pedantic(map_at_k, (y_true, y_scores, k), {"n_jobs": n_jobs}, rounds=5, warmup_rounds=1) < 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [10, None])
def test_forms(benchmark, problem, peak, form, k):
    y_true, y_scores = problem(10_000, 1000, 5)
    y_scores = FORMS[form](y_scores)
    benchmark.group = f"forms of scores, 10000x1000, k={k}"
    benchmark.extra_info["memory of the input"] = peak(map_at_k, y_true, y_scores, k) / (
        y_true.nbytes + y_scores.nbytes
    )
    benchmark.pedantic(map_at_k, (y_true, y_scores, k), rounds=3, warmup_rounds=1)


def test_memory_mapped(benchmark, problem, tmp_path):
    y_true, y_scores = problem(10_000, 1000, 5)
    y_scores.tofile(tmp_path / "scores")
    mapped = np.memmap(tmp_path / "scores", dtype=y_scores.dtype, mode="r", shape=y_scores.shape)
    benchmark.group = "forms of scores, 10000x1000, k=10"
    benchmark.pedantic(map_at_k, (y_true, mapped, 10), rounds=3, warmup_rounds=1)
