"""What both fuzzers share: cases that are code, faults, and the search for them.

A case is a call written as source text, which is run as it stands; so what is reported can be pasted
into a file. A fault has a kind, by which it is reported once, and that text.
"""

from __future__ import annotations

import math
import re
import tempfile
import traceback
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from scipy import sparse
from sklearn.base import BaseEstimator

import sklearn_rank as sr
from sklearn_rank import ranking

PACKAGE = str(Path(sr.__file__).parent)


@dataclass(frozen=True)
class Fault:
    """Something that must not happen: of what kind, and the code that shows it."""

    kind: str
    text: str


# ---- the names that the code of cases may use


def _optional(name):
    """A module, or None where it is absent or does not load."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return __import__(name, fromlist=["_"])
    except (ImportError, OSError):
        return None


def frozen(array):
    """The array, which nobody can write to."""
    array = np.array(array)
    array.flags.writeable = False
    return array


def memmap(array):
    """The array in a file."""
    with tempfile.TemporaryFile() as file:
        out = np.memmap(file, dtype=array.dtype, mode="w+", shape=array.shape)
    out[...] = array
    return out


class Fixed(BaseEstimator):
    """A fitted estimator with fixed scores; X holds the numbers of the rows."""

    def __init__(self, scores=None):
        self.scores = scores

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return self.scores[np.asarray(X)[:, 0]]

    def __sklearn_is_fitted__(self):
        return True


NAMES = {
    "__name__": __name__, "np": np, "sparse": sparse, "sr": sr, "inf": math.inf, "nan": math.nan, "Fraction": Fraction, "Decimal": Decimal,
    "datetime": datetime, "timedelta": timedelta, "frozen": frozen, "memmap": memmap, "Fixed": Fixed,
    "pd": _optional("pandas"), "pl": _optional("polars"), "pa": _optional("pyarrow"), "da": _optional("dask.array"),
    "xp": _optional("array_api_strict"),
}  # fmt: skip


def usable(code):
    """Whether the packages that the code needs are here."""
    return all(NAMES[name] is not None for name in re.findall(r"\b(pd|pl|pa|da|xp)\.", code))


def run(code, variables=()):
    """The value of an expression of a case."""
    return eval(code, {**NAMES, **dict(variables)})


# ---- input that must stay as it is


def fingerprint(value):
    """All that a caller could see changed in a value, bytes included."""
    if isinstance(value, np.ma.MaskedArray):
        return "masked", fingerprint(value.data), fingerprint(np.ma.getmaskarray(value))
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()) if value.dtype.hasobject else value.tobytes()
        return value.dtype.str, value.shape, value.strides, content
    if sparse.issparse(value):
        parts = ("data", "indices", "indptr", "row", "col", "offsets", "rows", "coords", "_dict")
        return value.format, value.shape, *(fingerprint(getattr(value, part, None)) for part in parts)
    if hasattr(value, "to_numpy") and hasattr(value, "columns"):
        return type(value), list(value.columns), repr(value.to_numpy().tolist())
    if isinstance(value, dict):
        return tuple((repr(key), fingerprint(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return type(value), tuple(fingerprint(part) for part in value)
    if hasattr(value, "tolist") or isinstance(value, (set, frozenset)):
        return type(value), repr(value.tolist() if hasattr(value, "tolist") else sorted(map(repr, value)))
    return type(value)


# ---- block sizes of the routes


def _constants():
    """(module, name, value) of each number by which the ranking chooses sizes and ways, wherever it stands."""
    modules = [import_module(f"{ranking.__name__}.{info.name}") for info in iter_modules(ranking.__path__)]
    return [
        (module, name, value)
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and type(value) is int and value < 2**62
    ]


SIZES = sorted({name for _, name, _ in _constants()})


@contextmanager
def block_sizes(sizes):
    """The ranking with some of its `SIZES` set to other values."""
    before = [constant for constant in _constants() if constant[1] in sizes]
    for module, name, _ in before:
        setattr(module, name, sizes[name])
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


# ---- the search


@cache
def _failure(kind):
    """An exception class of its own for each kind, by which hypothesis keeps faults apart."""
    return type("Failure", (AssertionError,), {"kind": kind})


def search(check, strategy, *, examples, number=None, known=(), shrink=True):
    """The faults that `check` finds in cases of the strategy, each as small as hypothesis makes it."""

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=number is None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink][: 1 + shrink],
        report_multiple_bugs=True,
    )
    @given(strategy)
    def body(case):
        fault = check(case)
        if fault is not None and fault.kind not in known:
            raise _failure(fault.kind)(fault)

    if number is not None:
        body = seed(number)(body)
    try:
        body()
    except BaseExceptionGroup as group:
        return [error.args[0] for error in group.exceptions if isinstance(error, AssertionError)]
    except AssertionError as error:
        if not hasattr(error, "kind"):
            raise
        return [error.args[0]]
    return []


def where(error):
    """The innermost function of the package that an exception went through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(PACKAGE)]
    if not frames:
        return "outside the package"
    return f"{Path(frames[-1].filename).stem}.{frames[-1].name}"


def general(error):
    """An error or a warning without what differs from case to case."""
    words = re.findall(r"[a-z_`]{2,}", re.sub(r"'.*?'|\".*?\"|\(.*?\)|array.*|\[.*", "", str(error)), re.IGNORECASE)
    return f"{type(error).__name__} {' '.join(words[:5])}"


def shown(error):
    """An error or a warning in a line."""
    return f"{type(error).__name__}: {str(error)[:200]}"
