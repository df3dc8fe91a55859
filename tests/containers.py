"""Tables and columns of optional libraries, for tests; the test is skipped where the library is not there."""

from __future__ import annotations

import pytest


def pandas_frame(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def polars_frame(columns):
    return pytest.importorskip("polars", exc_type=ImportError).DataFrame(columns)


def arrow_table(columns):
    return pytest.importorskip("pyarrow", exc_type=ImportError).table(columns)


def series(*arguments, **options):
    return pytest.importorskip("pandas").Series(*arguments, **options)


def of_polars(values, dtype=None):
    polars = pytest.importorskip("polars", exc_type=ImportError)
    dtypes = {"categorical": lambda: polars.Categorical, "enum": lambda: polars.Enum(["z", "b", "a"])}
    return polars.Series(values, dtype=dtypes[dtype]() if dtype else None)


def of_arrow(values, name=None):
    pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)
    if name == "dictionary":
        return pyarrow.chunked_array([values[:1], values[1:]]).dictionary_encode()
    if name == "dictionaries":
        return pyarrow.chunked_array([pyarrow.array([value]).dictionary_encode() for value in values])
    return pyarrow.array(values, getattr(pyarrow, name)() if name else None)


def of_pandas_by_arrow(values, dtype):
    pytest.importorskip("pyarrow", exc_type=ImportError)
    return series(values, dtype=dtype)
