"""Fixtures: a generator of its own for each test, small worked problems, read-only arrays, optional packages."""

from __future__ import annotations

import importlib

import numpy as np
import pytest


def load(name):
    """An optional package; without it, or where it does not load (LightGBM without libgomp), the test is skipped."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError, ValueError) as error:  # LightGBM: OSError, XGBoost: an error of its own, a ValueError
        pytest.skip(f"{name} does not load: {error}")


@pytest.fixture
def optional():
    return load


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def two_rows():
    """Hits at ranks 1 and 4, and at rank 2; no ties."""
    return [[1, 0, 0, 1], [0, 1, 0, 0]], [[0.9, 0.6, 0.5, 0.1], [0.8, 0.7, 0.2, 0.1]]


@pytest.fixture
def five_tied():
    """One relevant item, the third, among five equal scores."""
    return [[0, 0, 1, 0, 0]], [[1.0, 1.0, 1.0, 1.0, 1.0]]


@pytest.fixture
def straddling():
    """By rank: a hit, then four equal scores on ranks 2 to 5 of which two are hits."""
    return [[1, 0, 1, 1, 0]], [[9.0, 2.0, 2.0, 2.0, 2.0]]


@pytest.fixture
def with_empty():
    """A row with a hit at rank 2 and a row without a relevant item."""
    return [[0, 1, 0], [0, 0, 0]], [[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]]


@pytest.fixture
def read_only():
    """A function that makes an array which nobody can write to."""

    def frozen(values, dtype=None):
        array = np.array(values, dtype=dtype)
        array.flags.writeable = False
        return array

    return frozen


@pytest.fixture
def queries():
    """Feature table, grades and ids of 20 queries, rows mixed."""
    rng = np.random.default_rng(0)
    ids = rng.permutation(np.repeat([f"q{i}" for i in range(20)], 6))
    X = rng.standard_normal((120, 3))
    y = np.digitize(X @ [1.0, 0.5, 0.0] + rng.standard_normal(120), [0.5, 1.5])
    return X, y, ids
