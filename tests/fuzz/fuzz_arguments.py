"""Hostile values for each argument of each public callable: a documented return, or an error that names the argument."""

from __future__ import annotations

import inspect
import math
import os
import pickle
import select
import signal
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import StringIO

import fuzzing
import numpy as np
from fuzzing import Fault, fingerprint, general, run, shown, usable, where
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import KFold

import sklearn_rank as sr
from sklearn_rank.metrics._registry import METRICS

# ---- calls that are right, an argument at a time is then replaced

GOOD = {
    "y_true": "np.array([[1, 0, 1], [0, 1, 0]])",
    "y_scores": "np.array([[0.5, 0.5, 0.1], [0.2, 0.3, 0.4]])",
    "k": "2",
    "metric": "'map@2'",
    "metrics": "['map@2', 'mrr']",
    "ties": "'average'",
    "zero_division": "0.0",
    "average": "'samples'",
    "sample_weight": "[1.0, 2.0]",
    "labels": "None",
    "groups": "None",
    "n_jobs": "None",
    "compute": "True",
    "relevance_threshold": "1",
    "denominator": "'relevant'",
    "gain": "'linear'",
    "max_grade": "3",
    "p": "0.5",
    "propensity": "[0.5, 0.25, 1.0]",
    "actual": "[['a', 'b'], ['c']]",
    "predicted": "[['b', 'x'], ['c', 'd']]",
    "qrels": "{'q': {'a': 1, 'b': 0}, 'r': {'c': 2}}",
    "run": "{'q': {'a': 0.5, 'b': 0.25}, 'r': {'d': 1.0}}",
    "item_order": "'descending'",
    "unjudged": "'keep'",
    "n_items": "3",
    "baseline": "None",
    "confidence_level": "0.9",
    "n_resamples": "20",
    "random_state": "0",
    "pairs": "'baseline'",
    "test": "'sign-flip'",
    "correction": "'holm'",
    "clusters": "None",
    "response_method": "('predict_proba', 'decision_function', 'predict')",
    "pos_label": "None",
    "batch_size": "None",
    "one_ranking": "False",
    "estimator": "Fixed(np.array([[0.5, 0.5, 0.1], [0.2, 0.3, 0.4]]))",
    "X": "np.arange(2)[:, None]",
    "y": "np.array([[1, 0, 1], [0, 1, 0]])",
    "cv": "2",
    "params": "None",
    "ranker": "Fixed(np.array([[0.5, 0.5, 0.1], [0.2, 0.3, 0.4]]))",
    "ks": "[1, 2]",
    "verbose": "False",
    "splitter": "KFold(2)",
    "validation_fraction": "None",
    "library": "'lightgbm'",
    "truth": "{'q': [1, 1, 2], 'i': ['a', 'b', 'a'], 'g': [1, 0, 1]}",
    "predictions": "{'q': [1, 1, 2], 'i': ['b', 'a', 'c'], 's': [0.5, 0.25, 1.0]}",
    "query": "'q'",
    "item": "'i'",
    "relevance": "'g'",
    "score": "'s'",
    "rank": "None",
    "path": "StringIO('q 0 a 1')",
    "a": "0.5",
    "b": "1.5",
}  # a name that no callable has yet does no harm


@dataclass(frozen=True)
class Call:
    """A public callable as code, and good code for each of its arguments."""

    name: str
    code: str
    arguments: dict[str, str]
    skip: tuple[str, ...] = ()  # arguments that belong to somebody else: estimators, matplotlib
    needed: tuple[str, ...] | None = None  # the arguments to give at least; all if None


LAYOUTS = {
    "matrix": {},
    "labels": {"y_true": "['b', 'a']", "labels": "['a', 'b', 'c']"},
    "groups": {"y_true": "[1, 0, 0, 1]", "y_scores": "[4, 3, 2, 1]", "groups": "['q', 'q', 'r', 'r']", "sample_weight": "[1, 2, 3, 4]"},
    "sparse": {"y_true": "sparse.csr_array([[1, 0, 1], [0, 1, 0]])", "y_scores": "sparse.csr_array([[0.5, 0.5, 0.1], [0.2, 0.3, 0.4]])"},
}  # fmt: skip
MODELS = "{'one': [[0.5, 0.5, 0.1], [0.2, 0.3, 0.4]], 'two': [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]}"
SCORER_X = {"y_true": GOOD["y"]}
COLUMN = "np.array([[0.0, 1], [0.0, 2], [1.0, 3], [1.0, 4]])"
REGRESSOR = "LinearRegression()"

NOT_TAKEN = {"make_eval_metric": {"average"}}  # of the keywords that metrics share
# What a callable wants beside GOOD, and what of its arguments is not ours to check.
OWN = {
    "apk": {"actual": "['a', 'b']", "predicted": "['b', 'x']"},
    "compare": {"y_scores": MODELS, "baseline": "'one'"},
    "expected_random": {"n_items": "None"},
    "read_run": {"path": "StringIO('q Q0 a 1 0.5 t')"},
    "GroupedSplitter": {"groups": "0"},
    "label_propensities": {"y": "np.array([[1, 0, 1], [0, 1, 0], [0, 1, 1]])"},
    "make_rank_scorer": {"groups": "None"},
}
SKIPPED = {
    "Comparison": "*", "RankingCurveDisplay": "*",  # made by compare and by from_...
    "out_of_fold_scores": ("X", "estimator", "cv", "params"),
    "GroupedRanker": ("ranker",), "GroupedSplitter": ("splitter",), "GroupedRanker.fit": ("X",),
}  # fmt: skip
METHODS = {
    "RankingAccumulator.update": ("sr.RankingAccumulator(['map@2', 'mrr'], relevance_threshold=1).update", {}),
    "RankingAccumulator.merge": ("sr.RankingAccumulator(['mrr']).merge", {"other": "sr.RankingAccumulator(['mrr'])"}),
    "GroupedRanker.fit": (
        "sr.GroupedRanker(Ranker()).fit",
        {"X": COLUMN, "y": "[1, 0, 0, 1]", "groups": "[0, 0, 1, 1]"},
    ),
}


def arguments_of(function):
    """The names of the parameters; `**options` are the keywords that all metrics have."""
    names = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            names += ["zero_division", "relevance_threshold", "average", "n_jobs"]
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            names.append(name)
    return names


def calls():
    """Every public callable in each layout of its data."""
    out = []
    for name in sr.__all__:
        function = getattr(sr, name)
        if SKIPPED.get(name) == "*":
            continue
        if name.endswith("_scorer") and not inspect.isfunction(function):
            good = {
                "estimator": GOOD["estimator"],
                "X": GOOD["X"],
                "y_true": GOOD["y"],
                "sample_weight": "[1.0, 2.0]",
                "groups": "None",
            }
            out.append(Call(name, f"sr.{name}", good, ("estimator", "X")))
            continue
        names = [argument for argument in arguments_of(function) if argument in {**GOOD, **OWN.get(name, {})}]
        names = [argument for argument in names if argument not in NOT_TAKEN.get(name, ())]
        good = {argument: OWN.get(name, {}).get(argument, GOOD[argument]) for argument in names}
        needed = {
            key
            for key, parameter in inspect.signature(function).parameters.items()
            if parameter.default is parameter.empty
        }
        layouts = {key: value for key, value in LAYOUTS.items() if key != "groups" or "propensity" not in names}
        layouts = layouts if {"y_true", "y_scores"} <= set(names) and name != "compare" else {"matrix": {}}
        for layout, changed in layouts.items():
            arguments = good | {key: value for key, value in changed.items() if key in good}
            label = f"{name} ({layout})" if layout != "matrix" else name
            needed_here = needed | ({"labels", "groups"} & set(changed)) | ({"n_resamples", "cv"} & set(good))
            out.append(Call(label, f"sr.{name}", arguments, SKIPPED.get(name, ()), tuple(needed_here)))
    for name, (code, changed) in METHODS.items():
        owner, method = name.split(".")
        names = [argument for argument in arguments_of(getattr(getattr(sr, owner), method)) if argument != "self"]
        good = {argument: changed.get(argument, GOOD.get(argument)) for argument in names}
        if None not in good.values():
            out.append(Call(name, code, good, SKIPPED.get(name, ())))
    return out


def failing():
    """Calls whose arguments are all good, and which fail none the less: attacks on them would show nothing."""
    out = []
    for call in calls():
        try:
            run(f"{call.code}({', '.join(f'{name}={value}' for name, value in call.arguments.items())})")
        except Exception as error:  # noqa: BLE001  reported by the test
            out.append(f"{call.name}: {shown(error)}")
    return out


def unknown():
    """Parameters of public callables for which no good value is known: a new name has to be added above."""
    lacking = []
    for name in sr.__all__:
        function = getattr(sr, name)
        if SKIPPED.get(name) != "*" and (inspect.isfunction(function) or inspect.isclass(function)):
            known = {**GOOD, **OWN.get(name, {})}
            lacking += [f"{name}({argument}=)" for argument in arguments_of(function) if argument not in known]
    return lacking


# ---- values that no argument expects


class Broken:
    """An object whose method raises an ordinary error."""

    def __init__(self, method, error):
        self.__class__ = type(
            f"Broken{method}", (), {method: self._raise(error), "__repr__": lambda _: f"Broken({method})"}
        )

    @staticmethod
    def _raise(error):
        def method(*args, **options):
            message = "broken"
            raise error(message)

        return method


def damaged(fmt, part, values, data=None):
    """A sparse matrix of which a part was overwritten."""
    matrix = sparse.csr_array(np.array([[1.0, 0, 1], [0, 1, 0]])).asformat(fmt)
    setattr(matrix, part, np.array(values))
    return matrix


class Ranker:
    """A ranker that takes groups."""

    def fit(self, X, y, qid=None):
        return self

    def predict(self, X):
        return np.zeros(len(X))

    def get_params(self, deep=True):
        return {}


fuzzing.NAMES.update(Broken=Broken, damaged=damaged, Ranker=Ranker, KFold=KFold, StringIO=StringIO)

ERRORS = ("ValueError", "TypeError", "RuntimeError", "KeyError", "AttributeError", "IndexError", "OverflowError")
HOSTILE = [
    "None", "True", "False", "0", "1", "-1", "2", "3", "0.5", "1.5", "-0.5", "2.0", "10**20", "-10**20", "10**400", "-10**400", "1e308",
    "nan", "inf", "-inf", "1j", "''", "'a'", "'map'", "'samples'", "'average'", "'2'", "b'a'", "b''", "()", "[]", "{}", "set()", "[None]",
    "[nan, 1.0]", "{1, 2}", "frozenset('ab')", "{'a': 1}", "{'a': [1, 2]}", "{1: 2}", "[{'a'}, {'b'}]", "[{'a': 1}, {'b': 2}]",
    "['a', 'b']", "[1, 0]", "[0.5, 0.25]", "[1, 2, 3]", "[[1, 0], [0, 1]]", "[[1, 0, 1], [0, 1, 0]]", "[[1, 0], [0]]", "[[], []]", "[[]]",
    "[[[1]]]", "[1, [2]]", "['map@2', 3]", "[('map@2', {1: 2})]", "[('map@2', {'k': 3})]", "[('map@2',)]", "['map@0']", "['map@x']", "'map@-1'",
    "'ndcg@2'", "'dcg@99999999999999999999999'", "'err'", "[10**400, 1]", "[-10**400, 2]", "[10**20, 1]", "[2**63, -1]", "[True, None]",
    "(1, 2)", "('a', 'b')", "range(2)", "range(3)", "range(0)", "(x for x in [1, 2])", "iter([])", "map(str, [1, 2])", "zip([1], [2])", "object()",
    "int", "len", "lambda *a: 1", "Ellipsis", "NotImplemented", "slice(None)", "memoryview(b'ab')", "bytearray(b'ab')", "Fraction(1, 3)", "Decimal('0.5')",
    "Decimal('nan')", "Fraction(10**400)", "datetime(2020, 1, 1)", "timedelta(1)", "[datetime(2020, 1, 1), datetime(2020, 1, 2)]", "[Decimal('1'), Decimal('0')]",
    "[Fraction(1, 3), Fraction(10**400)]", "[1j, 2j]", "np.array(1)", "np.array(0.5)", "np.array('samples')", "np.array(['samples'])", "np.array(['a', 'b'])",
    "np.array([])", "np.array([1])", "np.array([1, 0])", "np.array([[1, 0, 1], [0, 1, 0]])", "np.zeros((2, 3, 2))", "np.zeros((0, 3))", "np.zeros((2, 0))",
    "np.zeros((0, 0))", "np.zeros((2, 3), complex)", "np.zeros((2, 3), 'M8[s]')", "np.zeros((2, 3), 'm8[s]')", "np.array(['NaT', 'NaT'], 'M8[s]')", "np.zeros(2, 'f4,i4')",
    "np.zeros((2, 3), 'f4,i4')", "np.zeros((2, 3), 'V4')", "np.array([['a', 'b', 'c']] * 2)", "np.array([[None] * 3] * 2)", "np.full((2, 3), nan)", "np.full((2, 3), inf)",
    "np.full((2, 3), -inf)", "np.full((2, 3), -1)", "np.full((2, 3), 1e308)", "np.full((2, 3), 10**400, object)", "np.full((2, 3), np.longdouble('1e4000'))",
    "np.full((2, 3), np.longdouble(1))", "np.ma.masked", "np.ma.array([1, 0], mask=True)", "np.ma.array([[1, 0, 1]] * 2, mask=True)", "np.float64(nan)", "np.float32(0.1)", "np.int8(2)",
    "np.uint64(2**63)", "np.bool_(True)", "np.str_('samples')", "np.datetime64('NaT')", "np.timedelta64(1, 's')", "np.longdouble(0.5)", "np.random.default_rng(0)", "np.dtype('f4')",
    "sparse.csr_array([[1, 0, 1], [0, 1, 0]])", "sparse.csr_array((2, 3))", "sparse.csr_array([[1j, 0, 1], [0, 1, 0]])", "sparse.csr_array((0, 3))", "sparse.coo_array([1, 0])",
    "sparse.csr_array([[nan, 0, inf], [0, -inf, 0]])", "sparse.coo_array(np.ones((2, 3, 2)))", "sparse.eye(3)", "sparse.csc_matrix([[1, 0, 1], [0, 1, 0]])", "[sparse.csr_array([[1]])] * 2",
    "damaged('csr', 'indices', [0, 5, 1])", "damaged('csr', 'indices', [0, -1, 1])", "damaged('csr', 'indptr', [0, 3, 2])", "damaged('csr', 'indptr', [0, 2])",
    "damaged('csr', 'indptr', [0, 2, 9])", "damaged('csr', 'indptr', [1, 2, 3])", "damaged('csr', 'indptr', [0.0, 2.0, 3.0])", "damaged('csr', 'data', [1.0])", "damaged('csr', 'data', [[1.0]])",
    "damaged('csr', 'indices', [0])", "damaged('csc', 'indices', [0, 5, 1])", "damaged('csc', 'indptr', [0, 3, 2, 1])", "damaged('csc', 'indices', [0, -2, 1])", "damaged('coo', 'coords', (0, 1))",
    "damaged('coo', 'data', [1.0])", "damaged('bsr', 'indices', [7])", "damaged('bsr', 'indptr', [0, 9, 1])", "damaged('dia', 'offsets', [9, 0])", "damaged('dia', 'data', [1.0])", "damaged('lil', 'rows', [[0], [9]])",
    "damaged('lil', 'data', [[1.0], [2.0]])", "pd.DataFrame([[1, 0, 1], [0, 1, 0]])", "pd.DataFrame([[1, 0, 1], [0, 1, 0]], columns=list('abc'))", "pd.DataFrame([[1, 0, 1]] * 2, columns=list('aab'))", "pd.DataFrame()",
    "pd.DataFrame([[pd.NA, 1, 2]] * 2)", "pd.DataFrame([['x', 1, 2]] * 2)", "pd.Series([1, 0])", "pd.Series(['a', None])", "pd.Series([1, pd.NA], dtype='Int64')", "pd.Series([], dtype=float)", "pd.Timestamp('2020')", "pd.NaT",
    "pd.NA", "pd.Categorical(['a', 'b'])", "pd.MultiIndex.from_tuples([(1, 2), (3, 4)])", "pl.DataFrame({'a': [1, 0], 'b': [0, 1], 'c': [1, 0]})", "pl.Series([1, 0])", "pl.Series(['a', None])", "pl.LazyFrame({'a': [1]})",
    "pa.table({'a': [1, 0]})", "pa.array([1, 0])", "pa.array([1, None])", "pa.array(['a', 'b'])", "pa.array([[1, 0], [0, 1]])", "pa.scalar(1)", "da.from_array(np.array([[1, 0, 1], [0, 1, 0]]), chunks=1)", "da.from_array(np.array([1, 0]), chunks=1)",
    "[np.array([1, 0]), np.array([0, 1])]", "[np.array(1), np.array(0)]", "np.array([{1}, {2}], object)", "np.array([[1, 2], 3], object)", "np.array([None, None], object)", "sr", "sr.map_at_k", "sr.map_at_k_scorer", "type('New', (), {})()",
    *(f"Broken('{method}', {error})" for method, error in zip(
        ("__array__", "__len__", "__iter__", "__eq__", "__bool__", "__hash__", "__float__", "__index__", "__getitem__", "__getattr__", "to_numpy", "tolist", "__lt__", "shape", "columns", "__dlpack__") * 2,
        ERRORS * 5, strict=False)),
    "[Broken('__eq__', ValueError), 1]", "[Broken('__hash__', TypeError), 1]", "[Broken('__float__', RuntimeError), 1]", "[Broken('__array__', ValueError), 1]", "{'a': Broken('__array__', KeyError)}", "'\\ud800'", "'a\\0'", "['a\\0', 'a']",
]  # fmt: skip
DATA = {"y_true", "y_scores", "y", "sample_weight", "groups", "labels", "actual", "predicted", "X"}
TOO_MUCH = {"n_resamples", "n_items", "ks", "n_jobs"}  # a great number is honoured, and takes for ever


@dataclass(frozen=True)
class Attack:
    """A call with one hostile argument."""

    call: Call
    argument: str
    value: str

    @property
    def isolated(self):
        return self.value.startswith("damaged") or self.argument == "path"

    @property
    def arguments(self):
        """The code of each argument; none that could be left out, so that what is reported is small."""
        good, needed = self.call.arguments, self.call.needed
        return {key: good[key] for key in good if needed is None or key in needed} | {self.argument: self.value}

    @property
    def code(self):
        return f"{self.call.code}({', '.join(f'{name}={value}' for name, value in self.arguments.items())})"


def attacks(only=None):
    """Every pair of an argument and a hostile value."""
    values = [value for value in HOSTILE if usable(value)]
    return [
        Attack(call, argument, value)
        for call in calls()
        for argument in call.arguments
        if argument not in call.skip and (only is None or only in f"{call.name}.{argument}")
        for value in values
        if not (value.startswith("damaged") and argument not in DATA)
        and not (argument in TOO_MUCH and any(big in value for big in ("10**", "1e308", "2**63", "inf")))
    ]


@contextmanager
def time_limit(seconds=20):
    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


SAME_AS = {
    "metrics": ("metric", "request", "the k of", "has no keyword"), "metric": ("metric", "request", "the k of", "has no keyword"),
    "run": ("`run`", "run"), "qrels": ("`qrels`", "qrels"),
    "y": ("`y`", "`y_true`", "returned shape"), "labels": ("`labels", "`groups` does not go with class labels", "`y_true` must be numeric"), "actual": ("`actual`",), "predicted": ("`predicted`",),
}  # fmt: skip


def names_it(argument, text):
    """Whether the text of an error names the argument."""
    if argument in ("y_true", "y_scores"):  # of two that do not match either may be the wrong one
        return any(f"`{name}`" in text for name in ("y_true", "y_scores", "y", "groups"))
    return any(
        word in text.lower()
        for word in SAME_AS.get(
            argument, (f"`{argument}`", f"`{argument}=", f" {argument}=", f"'{argument}' parameter")
        )
    )


def check(attack):
    """None, or the fault of an attack; what may kill the process (a damaged matrix, a file descriptor) has its own."""
    if not attack.isolated:
        return check_here(attack)
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of forks beside threads
        child = os.fork()
    if not child:
        try:
            os.write(writing, pickle.dumps(check_here(attack)))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        answer = file.read() if select.select([file], [], [], 30)[0] else b""
    if not answer:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if answer:
        return pickle.loads(answer)
    return Fault(f"{attack.argument}: the process dies", f"{attack.code}\n# got: the end of the process, or no end")


def made(arguments):
    """The values of some code by name; None where this version of a package does not make one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return {name: run(value) for name, value in arguments.items()}
        except Exception:  # noqa: BLE001  whatever the package says
            return None


def check_here(attack):
    """None, or the fault of an attack, in this process."""
    arguments = attack.arguments
    code = f"{attack.call.code}({', '.join(f'{name}={name}' for name in arguments)})"
    what = f"{attack.call.name.split(' ')[0]} {attack.argument}"

    def fault(kind, got):
        return Fault(kind, f"{attack.code}\n# got: {got}")

    names = made(arguments)
    if names is None:
        return None
    before = {name: _safely(fingerprint, value) for name, value in names.items()}
    with warnings.catch_warnings(record=True) as seen, time_limit():
        warnings.simplefilter("always")
        try:
            got = run(code, names)
        except (ValueError, TypeError) as error:
            if names_it(attack.argument, str(error)):
                return None
            return fault(f"{attack.argument} is not named by {type(error).__name__} in {where(error)}", shown(error))
        except (MemoryError, OSError) as error:  # a timeout is an OSError
            fits = attack.argument == "path" and not isinstance(error, (TimeoutError, MemoryError))
            return None if fits else fault(f"{what}: {type(error).__name__}", shown(error))
        except Exception as error:  # noqa: BLE001  that is what is looked for
            return fault(f"{attack.argument}: {type(error).__name__} in {where(error)}", shown(error))
    after = {name: _safely(fingerprint, value) for name, value in names.items()}
    if before != after:
        return fault(f"{what}: input written to", "")
    for warning in seen:
        if not issubclass(warning.category, (UserWarning, FutureWarning, UndefinedMetricWarning)):
            return fault(f"{attack.argument}: warning {general(warning.message)}", shown(warning.message))
    wrong = wrong_kind(attack, got, names)
    return fault(f"{attack.argument}: returns {wrong}", repr(got)[:200]) if wrong else None


def _safely(function, value):
    try:
        return function(value)
    except Exception:  # noqa: BLE001  broken objects are broken for us, too
        return None


def wrong_kind(attack, got, names):
    """What is wrong with a value that was returned, or nothing."""
    name = attack.call.name.split(" ")[0]
    if type(got).__module__.startswith("dask") or not names.get("compute", True):
        return ""
    if "average" in names and names["average"] is None:
        return "" if isinstance(got, (np.ndarray, dict)) else f"a {type(got).__name__}"
    if name == "evaluate" or (name == "expected_random" and isinstance(got, dict)):
        wrong = [value for value in got.values() if not isinstance(value, float)]
        return f"a {type(wrong[0]).__name__} in a dict" if wrong else ""
    figures = {metric.function.__name__ for metric in METRICS.values()} | {"apk", "mapk", "expected_random"}
    figure = name in figures or (name.endswith("_scorer") and name != "make_rank_scorer")
    if figure and not (isinstance(got, float) and (attack.argument == "zero_division" or not math.isinf(got))):
        return f"a {type(got).__name__} in the place of a figure"
    return ""
