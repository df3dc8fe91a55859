"""What users and tools see of the package: names, signatures, docstrings, and which module knows which."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

import sklearn_rank
from sklearn_rank.metrics._registry import METRICS

PACKAGE = Path(sklearn_rank.__file__).parent
MODULES = {
    path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", "."): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}
PUBLIC = {name: getattr(sklearn_rank, name) for name in sklearn_rank.__all__}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
SCORERS = {name: thing for name, thing in PUBLIC.items() if name.endswith("_scorer") and name not in FUNCTIONS}

# Each room may import those before it.
ROOMS = ["_options", "inputs", "ranking", "metrics", "estimators", "comparison"]
IMPORTED_LATE: dict[str, set[str]] = {}
WITHOUT_THE_PACKAGE = {"_options", "metrics._kernels"}
# Ids are put into order in inputs; groups by their length, rows of X and p-values elsewhere; str.partition is no sort.
SORT_NO_SCORES = {
    "metrics._kernels",
    "metrics._registry",
    "estimators._rankers",
    "comparison._models",
    "comparison._resampling",
}
MAY_USE_PRIVATE_NAMES = {"estimators._scorers", "estimators._response"}


def imports_of(tree, *, at_run_time=True):
    """(module, name) of all imports; without those for the type checker alone."""
    found = []
    for node in tree.body if at_run_time else ast.walk(tree):
        if isinstance(node, ast.If) and at_run_time:
            assert ast.unparse(node.test) == "TYPE_CHECKING"
            continue
        for part in ast.walk(node) if at_run_time else [node]:
            if isinstance(part, ast.Import):
                found += [(alias.name, None) for alias in part.names]
            elif isinstance(part, ast.ImportFrom):
                assert part.level == 0, "imports are absolute"
                found += [(part.module, alias.name) for alias in part.names]
    return found


def own_imports(tree):
    """The modules of the package that a module imports at run time, as in "inputs._ids"."""
    names = set()
    for module, name in imports_of(tree):
        if module in {"sklearn_rank", *(f"sklearn_rank.{room}" for room in ROOMS if room != "_options")}:
            names.add(f"{module}.{name}".removeprefix("sklearn_rank."))
        elif module.startswith("sklearn_rank."):
            names.add(module.removeprefix("sklearn_rank."))
    return names


def sections_of(docstring):
    """Title → text of the sections of a numpydoc docstring, in order; the summary under ''."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def documented_parameters(section):
    names = [line.split(" : ")[0] for line in section.splitlines() if re.match(r"[\w*]", line)]
    return [name.lstrip("*") for line in names for name in line.split(", ")]


class TestNames:
    def test_all_is_sorted_and_complete(self):
        assert sklearn_rank.__all__ == sorted(set(sklearn_rank.__all__))
        rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
        visible = {name for name in vars(sklearn_rank) if not name.startswith("_")} - rooms
        assert visible - set(sklearn_rank.__all__) == set()
        assert set(sklearn_rank.__all__) - visible == set()

    def test_every_name_is_of_a_known_kind(self):
        assert set(PUBLIC) == set(FUNCTIONS) | set(CLASSES) | set(SCORERS)
        assert all(callable(scorer) and repr(scorer).startswith("make_rank_scorer(") for scorer in SCORERS.values())

    @pytest.mark.parametrize("name", sorted(METRICS))
    def test_every_metric_has_its_function_and_its_scorer(self, name):
        function = METRICS[name].function.__name__
        assert FUNCTIONS[function] is METRICS[name].function
        if METRICS[name].from_data or METRICS[name].needs:
            assert f"{function}_scorer" not in PUBLIC  # each use has to name that option
            return
        shown = f"{name}@10" if METRICS[name].takes_k else name
        assert repr(SCORERS[f"{function}_scorer"]) == f"make_rank_scorer({shown!r})"

    def test_no_other_metric_or_scorer(self):
        of_registry = {metric.function.__name__ for metric in METRICS.values()}
        fixed = {metric.function.__name__ for metric in METRICS.values() if not (metric.from_data or metric.needs)}
        assert {f"{name}_scorer" for name in fixed} == set(SCORERS)
        shared = {"ties", "zero_division", "average"}
        with_rows = {name for name in FUNCTIONS if shared <= inspect.signature(FUNCTIONS[name]).parameters.keys()}
        assert of_registry == with_rows - {"evaluate"}

    def test_contents_name_everything(self):
        text = sklearn_rank.__doc__
        for name in set(PUBLIC) - set(SCORERS):
            assert re.search(rf"\b{name}\b", text), name

    def test_names_come_from_private_modules(self):
        files = {path.stem for path in PACKAGE.rglob("*.py")} - {"__init__"}
        assert all(name.startswith("_") for name in files)

    def test_version(self):
        assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|(a|b|rc)\d+)?", sklearn_rank.__version__)

    def test_types_are_announced(self):
        assert (PACKAGE / "py.typed").is_file()


SHARED = {
    "ties": "average",
    "zero_division": 0.0,
    "average": "samples",
    "sample_weight": None,
    "labels": None,
    "groups": None,
    "n_jobs": None,
}
THRESHOLD = {"relevance_threshold": None}
REQUIRED = inspect.Parameter.empty
# What stands behind `y_true, y_scores` and, where there is one, `k`.
KEYWORDS = {
    "bpref": {**THRESHOLD, **SHARED},
    "dcg_at_k": {"gain": "linear", **SHARED},
    "err_at_k": {"max_grade": None, **SHARED},
    "f1_at_k": {**THRESHOLD, **SHARED},
    "hit_rate_at_k": {**THRESHOLD, **SHARED},
    "judged_at_k": {**THRESHOLD, **SHARED},
    "map_at_k": {"denominator": "attainable", **THRESHOLD, **SHARED},
    "mrr_at_k": {**THRESHOLD, **SHARED},
    "ndcg_at_k": {"gain": "linear", **SHARED},
    "precision_at_k": {**THRESHOLD, **SHARED},
    "psndcg_at_k": {"propensity": REQUIRED, **THRESHOLD, **SHARED, "average": "micro"},
    "psprecision_at_k": {"propensity": REQUIRED, **THRESHOLD, **SHARED, "average": "micro"},
    "psrecall_at_k": {"propensity": REQUIRED, **THRESHOLD, **SHARED, "average": "micro"},
    "r_precision": {**THRESHOLD, **SHARED},
    "rbp": {"p": 0.8, **THRESHOLD, **SHARED},
    "recall_at_k": {"denominator": "relevant", **THRESHOLD, **SHARED},
    "roc_auc": {**THRESHOLD, **SHARED},
}
WITHOUT_K = {"bpref", "r_precision", "rbp", "roc_auc"}
SCORER_KEYWORDS = {
    "response_method": ("predict_proba", "decision_function", "predict"),
    "pos_label": None,
    "labels": None,
    "groups": None,
    "batch_size": None,
    "one_ranking": False,
}


def positional_and_keywords(function):
    positional, keywords = {}, {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            positional[name] = parameter.default
        elif parameter.kind is parameter.KEYWORD_ONLY:
            keywords[name] = parameter.default
    return positional, keywords


def with_what_it_needs(name, n_columns):
    """A metric that can be called with `y_true` and `y_scores` alone."""
    needed = [option for option, default in KEYWORDS[name].items() if default is REQUIRED]
    return partial(FUNCTIONS[name], **dict.fromkeys(needed, [1 / 2] * n_columns))


class TestSignatures:
    def test_table_is_complete(self):
        assert set(KEYWORDS) == {metric.function.__name__ for metric in METRICS.values()}

    @pytest.mark.parametrize("name", sorted(KEYWORDS))
    def test_metrics(self, name):
        positional, keywords = positional_and_keywords(FUNCTIONS[name])
        k = {} if name in WITHOUT_K else {"k": None}
        assert list(positional.items()) == list({"y_true": REQUIRED, "y_scores": REQUIRED, **k}.items())
        assert keywords == KEYWORDS[name]

    def test_scorers_and_evaluate(self):
        positional, keywords = positional_and_keywords(sklearn_rank.make_rank_scorer)
        assert list(positional) == ["metric", "k"]
        assert positional["k"] == 10
        assert repr(positional["k"]) == "10"
        assert keywords == SCORER_KEYWORDS
        positional, keywords = positional_and_keywords(sklearn_rank.rank_scorers)
        assert list(positional) == ["metrics"]
        assert keywords == SCORER_KEYWORDS
        positional, keywords = positional_and_keywords(sklearn_rank.evaluate)
        assert list(positional) == ["y_true", "y_scores", "metrics"]
        assert keywords == {**THRESHOLD, **SHARED, "compute": True}

    def test_lists_of_ids(self):
        for name in ("apk", "mapk"):
            assert positional_and_keywords(FUNCTIONS[name]) == (
                {"actual": REQUIRED, "predicted": REQUIRED, "k": 10},
                {},
            )
        assert positional_and_keywords(sklearn_rank.top_k) == ({"y_scores": REQUIRED, "k": REQUIRED}, {"labels": None})
        assert list(inspect.signature(sklearn_rank.from_lists).parameters) == ["actual", "predicted"]
        positional, keywords = positional_and_keywords(sklearn_rank.from_qrels)
        assert positional == {"qrels": REQUIRED, "run": REQUIRED, "item_order": "descending"}
        assert keywords == {"unjudged": "keep"}
        positional, keywords = positional_and_keywords(sklearn_rank.from_frames)
        assert positional == {"truth": REQUIRED, "predictions": REQUIRED}
        columns = {"query": REQUIRED, "item": REQUIRED, "relevance": None, "score": None, "rank": None}
        assert keywords == {**columns, "item_order": "descending", "unjudged": "keep"}
        for name in ("read_qrels", "read_run"):
            assert positional_and_keywords(FUNCTIONS[name]) == ({"path": REQUIRED}, {})

    def test_grouped_ranker(self):
        assert issubclass(sklearn_rank.GroupedRanker, BaseEstimator)
        positional, keywords = positional_and_keywords(sklearn_rank.GroupedRanker)
        assert list(positional) == ["ranker"]
        assert keywords == {"groups": None, "validation_fraction": None, "random_state": None}
        positional, keywords = positional_and_keywords(sklearn_rank.GroupedRanker.fit)
        assert list(positional) == ["self", "X", "y", "groups"]
        assert keywords == {"sample_weight": None, "eval_set": None, "eval_groups": None}

    def test_grouped_splitter(self):
        assert positional_and_keywords(sklearn_rank.GroupedSplitter) == ({"splitter": REQUIRED, "groups": "qid"}, {})

    def test_make_eval_metric(self):
        positional, keywords = positional_and_keywords(sklearn_rank.make_eval_metric)
        assert positional == {"metric": REQUIRED, "k": 10}
        assert keywords == {"library": REQUIRED, "labels": None, "one_ranking": False}

    def test_propensities_and_top_k(self):
        assert positional_and_keywords(sklearn_rank.label_propensities) == ({"y": REQUIRED, "a": 0.55, "b": 1.5}, {})
        assert positional_and_keywords(sklearn_rank.top_k) == ({"y_scores": REQUIRED, "k": REQUIRED}, {"labels": None})

    @pytest.mark.parametrize("name", sorted(set(KEYWORDS) - WITHOUT_K))
    def test_k_by_position_and_by_name(self, name):
        metric = with_what_it_needs(name, 3)
        y_true, y_scores = sparse.csr_array([[0, 1, 1]]), [[3, 2, 1]]  # the first item is irrelevant, or unjudged
        assert (
            metric(y_true, y_scores, 2) == metric(y_true=y_true, y_scores=y_scores, k=2) != metric(y_true, y_scores, 1)
        )

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("r_precision", 1 / 2),
            ("rbp", 0.2 * (0.8 + 0.8**2)),
            ("roc_auc", 0),
            ("bpref", 0),
        ],
    )
    def test_without_a_k(self, name, expected):
        assert FUNCTIONS[name](y_true=[[0, 1, 1]], y_scores=[[3, 2, 1]]) == pytest.approx(expected, rel=1e-15)

    @pytest.mark.parametrize("name", sorted(KEYWORDS))
    def test_what_is_returned(self, name):
        metric = with_what_it_needs(name, 2)
        assert type(metric([[0, 1]], [[2, 1]])) is float
        values = metric([[0, 1]], [[2, 1]], average=None)
        assert isinstance(values, np.ndarray)
        assert values.dtype == np.float64
        assert values.shape == (1,)


class TestDocstrings:
    ORDER = ("Parameters", "Attributes", "Returns", "Raises", "See Also", "Notes", "References", "Examples")

    @pytest.mark.parametrize("name", sorted(set(FUNCTIONS) | set(CLASSES)))
    def test_sections(self, name):
        sections = sections_of(PUBLIC[name].__doc__)
        titles = list(sections)[1:]
        required = {"Parameters", "Examples", "See Also"}
        if name in FUNCTIONS:
            required |= {"Returns", "Raises"}
        if name in KEYWORDS:
            required |= {"Notes", "References"}
        assert required <= set(titles)
        assert titles == [title for title in self.ORDER if title in titles]
        summary, _, _ = sections[""].partition("\n")
        assert summary.endswith(".")
        assert len(summary) <= 100

    @pytest.mark.parametrize("name", sorted(set(FUNCTIONS) | set(CLASSES)))
    def test_every_parameter_is_described(self, name):
        documented = documented_parameters(sections_of(PUBLIC[name].__doc__)["Parameters"])
        assert documented == list(inspect.signature(PUBLIC[name]).parameters)

    @pytest.mark.parametrize("name", sorted(FUNCTIONS))
    def test_errors_are_named_by_type(self, name):
        lines = sections_of(FUNCTIONS[name].__doc__)["Raises"].splitlines()
        assert {line for line in lines if line and not line.startswith(" ")} <= {"ValueError", "TypeError"}

    @pytest.mark.parametrize("name", sorted(FUNCTIONS))
    def test_examples_call_the_function(self, name):
        examples = sections_of(FUNCTIONS[name].__doc__)["Examples"]
        assert re.search(rf">>> .*\b{name}\(", examples)

    @pytest.mark.parametrize("name", sorted(set(FUNCTIONS) | set(CLASSES)))
    def test_see_also_names_things_that_exist(self, name):
        for line in sections_of(PUBLIC[name].__doc__)["See Also"].splitlines():
            if line and not line.startswith(" "):
                for other in line.split(" : ")[0].split(", "):
                    assert other in PUBLIC or other.startswith("sklearn."), other
                    assert other != name

    @pytest.mark.parametrize("name", sorted(MODULES))
    def test_modules_say_what_they_are_for(self, name):
        assert ast.get_docstring(MODULES[name]).splitlines()[0].endswith(".")


class TestModules:
    @pytest.mark.parametrize("name", sorted(set(MODULES) - {"__init__"}))
    def test_imports_go_one_way(self, name):
        room = name.split(".")[0]
        rooms = {other.split(".")[0] for other in own_imports(MODULES[name])}
        assert rooms <= set() if name in WITHOUT_THE_PACKAGE else rooms <= set(ROOMS[: ROOMS.index(room) + 1])

    def test_no_circle(self):
        left = {name: own_imports(tree) - IMPORTED_LATE.get(name, set()) for name, tree in MODULES.items()}
        del left["__init__"]
        while left:
            free = {name for name, known in left.items() if not known & set(left)}
            assert free, f"a circle among {sorted(left)}"
            left = {name: known for name, known in left.items() if name not in free}

    def test_kernels_import_numpy_only(self):
        assert {module for module, _ in imports_of(MODULES["metrics._kernels"])} <= {"__future__", "typing", "numpy"}

    @pytest.mark.parametrize("name", sorted(MODULES))
    def test_private_names_of_scikit_learn_stay_in_two_modules(self, name):
        private = [
            f"{module}.{attribute}"
            for module, attribute in imports_of(MODULES[name], at_run_time=False)
            if module.split(".")[0] in {"sklearn", "scipy", "joblib", "numpy"}
            and re.search(r"(^|\.)_", f"{module}.{attribute or ''}")
        ]
        assert private == [] or name in MAY_USE_PRIVATE_NAMES

    def test_init_has_no_logic(self):
        kinds = {type(node) for node in MODULES["__init__"].body}
        assert kinds == {ast.Expr, ast.ImportFrom, ast.Assign}
        assert {module.split(".")[0] for module, _ in imports_of(MODULES["__init__"])} <= {"sklearn", "sklearn_rank"}

    @pytest.mark.parametrize("name", sorted(MODULES))
    def test_scores_are_sorted_in_one_room(self, name):
        called = {
            node.func.attr
            for node in ast.walk(MODULES[name])
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        sorts = called & {"argpartition", "partition", "argsort", "lexsort", "sort"}
        assert not sorts or name.split(".")[0] in ("inputs", "ranking") or name in SORT_NO_SCORES

    @pytest.mark.parametrize("name", sorted(MODULES))
    def test_no_assert(self, name):
        assert not any(isinstance(node, ast.Assert) for node in ast.walk(MODULES[name]))

    def test_import_needs_and_brings_no_optional_package(self):
        # scikit-learn imports pandas where it is installed; None makes every import of a package fail.
        program = (
            "import sys\n"
            "optional = ['pandas', 'polars', 'pyarrow', 'matplotlib', 'dask', 'lightgbm', 'xgboost', 'catboost']\n"
            "sys.modules.update(dict.fromkeys(optional))\n"
            "import sklearn_rank\n"
            "print(sklearn_rank.map_at_k([[0, 1]], [[2, 1]]), [name for name in optional if sys.modules[name]])"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
        )
        assert done.stdout == "0.5 []\n"
