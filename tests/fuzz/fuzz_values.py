"""Random problems in random containers against the plain loops of tests/oracles.py."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
from fuzz_problems import NAMES, PROBLEMS, TIES, Case
from fuzzing import SIZES, Fault, block_sizes, fingerprint, general, run, shown, usable, where
from hypothesis import assume
from hypothesis import strategies as st
from oracles import DENOMINATORS, VARIANTS, fitted, macro, micro, row_values
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics._registry import METRICS

# ---- cases


def accepted(k):
    """Whether functions take such a cutoff."""
    try:
        METRICS["precision"].function([[1, 0]], [[2, 1]], k)
    except (TypeError, ValueError):
        return False
    return True


LOOSE = ("grouped", "tables")  # columns are no items there, so that nothing belongs to them
WITHOUT_COLUMNS = [name for name in NAMES if METRICS[name].needs is None]
SHARES = [k for k in (0.1, 0.3, 0.5, "relevant") if accepted(k)]
WEIGHTS = [0, 1, 2, 3, 0.1, 5e-324, 1e-300, 1e300, 1.7e308]


@st.composite
def averages(draw, metric, own, columns):
    """`average` as an option, or nothing; "macro" where columns are items."""
    choices = [{"average": "samples"} if metric.needs else {}]
    if metric.name in DENOMINATORS and own.get("denominator") != "hits":
        choices.append({"average": "micro"})
    if metric.name in ("precision", "recall", "f1") and columns and own.get("denominator") in (None, "relevant"):
        choices.append({"average": "macro"})
    return draw(st.sampled_from(choices))


@st.composite
def cases(draw, kinds=tuple(PROBLEMS)):
    name = draw(st.sampled_from(NAMES if kinds[0] not in LOOSE else WITHOUT_COLUMNS))
    metric = METRICS[name]
    binary_names = not metric.graded or metric.name == "rbp"
    kind = draw(st.sampled_from([kind for kind in kinds if kind != "named" or usable("pd.")]))
    graded = metric.graded or draw(st.booleans())
    problem = draw(PROBLEMS[kind]("judged" if metric.judged else "graded" if graded else "binary"))
    threshold = None
    if (
        binary_names
        and kind != "labels"
        and ((graded and not metric.graded and not metric.judged) or draw(st.booleans()))
    ):
        threshold = draw(
            st.sampled_from([1, 2, 3, 0.7, 2.5, 1e-46] + ([0, -1] if problem.complete and not metric.judged else []))
        )
    if problem.tied and kind == "wide":
        k = draw(st.sampled_from([1, 2, 3, 5]))
    else:
        k = draw(st.sampled_from([None, 1, 2, 3, 5, 7, 10**20, *SHARES]))
    k = k if metric.takes_k else None
    assume(metric.needs is None or problem.owner is None)
    columns = None if problem.owner is not None or problem.pair is not None else len(problem.truth[0])
    ties = draw(st.sampled_from(TIES if (problem.tied and kind != "wide") or k is not None else TIES[1:]))
    shared = {"ties": ties}
    if draw(st.booleans()):
        shared["zero_division"] = draw(st.sampled_from([1.0, 0.5, math.nan]))
    weights = None
    if draw(st.booleans()) and not (kind == "wide" and problem.owner is not None):
        size = len(problem.truth) if problem.owner is None else len(problem.owner)
        entries = draw(st.lists(st.sampled_from(WEIGHTS), min_size=size, max_size=size))
        if any(entries):
            made = draw(
                st.sampled_from(
                    [
                        kind
                        for kind in ("{L}", "np.array({L})", "pd.Series({L})", "pa.array({L})", "tuple({L})")
                        if usable(kind)
                    ]
                )
            )
            weights = made.format(L=entries)
            if "pa." in made:
                weights = made.format(L=[float(x) for x in entries])
    sizes = {}
    if draw(st.booleans()):
        sizes = draw(st.dictionaries(st.sampled_from(SIZES), st.sampled_from([1, 2, 5, 64, 300]), max_size=len(SIZES)))
    own = draw(st.sampled_from(VARIANTS.get(name, [{}])))
    own = {**own, **draw(averages(metric, own, columns))}
    if columns is not None:
        own = fitted(own, len(problem.truth[0]))
    hand = draw(st.sampled_from(HANDS if own.get("average") != "macro" else HANDS[:-1]))
    return Case(problem, name, k, own, shared, threshold, weights, hand, sizes, draw(st.integers(0, 10)))


# ---- what is right


def rounded(threshold, dtype):
    """A threshold beside short floats is rounded to their dtype, unless that makes 0 or infinity of it."""
    if dtype not in ("float16", "float32"):
        return threshold
    with np.errstate(over="ignore"):
        short = float(np.dtype(dtype).type(threshold))
    return threshold if math.isinf(short) or (short == 0 and threshold != 0) else short


def truth_for_loops(case):
    """The grades as the loops read them: 1 from the threshold on, below 0 where a metric tells unjudged items."""
    truth = case.problem.truth
    if METRICS[case.name].judged and case.problem.pair is None:
        truth = [[-1 if math.isnan(grade) or grade < 0 else grade for grade in row] for row in truth]
        names = setup_of(case)
        made = run(names["y_true"])
        if sparse.issparse(made):
            kept = stored(made)
            truth = [[grade if (i, j) in kept else -1 for j, grade in enumerate(row)] for i, row in enumerate(truth)]
    if case.threshold is not None:
        at = rounded(case.threshold, case.problem.short)
        truth = [[grade if grade < 0 else int(grade >= at) for grade in row] for row in truth]
    return truth


def stored(matrix):
    """The places of the entries that a sparse matrix holds, zeros included."""
    if matrix.format == "dia":
        n, m = matrix.shape
        return {
            (j - offset, j)
            for offset, diagonal in zip(matrix.offsets.tolist(), matrix.data, strict=True)
            for j in range(min(m, len(diagonal)))
            if 0 <= j - offset < n
        }
    return set(zip(*(part.tolist() for part in matrix.tocoo().coords), strict=True))


def right_value(case):
    """The figure by plain loops: a value per ranking, or one for all."""
    average = case.own.get("average", "samples")
    undefined, ties = case.shared.get("zero_division", 0.0), case.shared["ties"]
    own = {name: value for name, value in case.own.items() if name != "average"}
    arguments = (case.name, truth_for_loops(case), case.problem.scores, case.k, ties, undefined)
    if case.hand == "rows":
        return row_values(*arguments, **own)
    if average == "samples":
        return right_mean(case, row_values(*arguments, **own))
    weights = right_weights(case)
    if not any(weights):
        return math.nan
    if average == "macro":
        return float(macro(*arguments, weights))
    return float(micro(*arguments, weights, **own))


def right_weights(case):
    """The weight of each ranking as a fraction."""
    if case.weights is None:
        return [Fraction(1)] * len(case.problem.truth)
    entries = run(case.weights)
    entries = [Fraction(float(x)) for x in (entries.tolist() if hasattr(entries, "tolist") else entries)]
    owner = case.problem.owner
    if owner is None:
        return entries
    return [
        sum(w for w, at in zip(entries, owner, strict=True) if at == row) / owner.count(row)
        for row in range(len(case.problem.truth))
    ]


def right_mean(case, values):
    """The weighted mean in exact arithmetic."""
    weights = right_weights(case)
    counted = [(Fraction(v), w) for v, w in zip(values, weights, strict=True) if not math.isnan(v)]
    total = sum(w for _, w in counted)
    return float(sum(v * w for v, w in counted) / total) if total else math.nan


# ---- the hands that a figure goes through; {data} is y_true, y_scores and what stands beside them


def _text(case):
    if case.k == "relevant":
        return f"{case.name}@R"
    cutoff = f"{case.k:.0%}" if isinstance(case.k, float) else case.k
    return case.name if case.k is None else f"{case.name}@{cutoff}"


def _options(case):
    own = dict(case.own)
    shared = dict(case.shared)
    if case.threshold is not None:
        shared["relevance_threshold"] = case.threshold
    return own, shared


def _spelled(**options):
    return "".join(f", {name}={value!r}" for name, value in options.items())


def _weight(case):
    return ", sample_weight=weights" if case.weights is not None else ""


def by_function(case):
    own, shared = _options(case)
    function = METRICS[case.name].function.__name__
    cut = f", k={case.k!r}" if METRICS[case.name].takes_k and case.k is not None else ""
    return f"sr.{function}({case.problem.code}{cut}{_spelled(**own, **shared)}{_weight(case)})"


def by_rows(case):
    return by_function(replace(case, own={**case.own, "average": None}))


def by_threads(case):
    return by_function(case)[:-1] + ", n_jobs=2)"


def by_evaluate(case):
    own, shared = _options(case)
    others = "'precision@1', 'map', 'rbp', 'r_precision'" if case.threshold is not None else "'dcg@2', 'ndcg'"
    others = {"judged": "'judged@2', 'judged@3'", "bpref": "'bpref', 'judged'"}.get(case.name, others)
    requests = f"[{others}, ({_text(case)!r}, {own!r}, 'asked')]"
    return f"sr.evaluate({case.problem.code}, metrics={requests}{_spelled(**shared)}{_weight(case)})['asked']"


def _accumulator(case):
    own, shared = _options(case)
    labels = ", labels=labels" if "labels" in case.problem.beside else ""
    return f"sr.RankingAccumulator([({_text(case)!r}, {own!r}, 'asked')]{_spelled(**shared)}{labels})"


def by_accumulator(case):
    groups = ", groups=groups" if "groups" in case.problem.beside else ""
    return f"{_accumulator(case)}.update(y_true, y_scores{_weight(case)}{groups}).result()['asked']"


def by_parts(case):
    """Two accumulators, merged; a cut between any two rows."""
    cut = case.split % (len(case.problem.truth) + 1)
    parts = []
    for rows in (f"[:{cut}]", f"[{cut}:]"):
        weight = f", sample_weight=weights{rows}" if case.weights is not None else ""
        parts.append(f"{_accumulator(case)}.update(y_true{rows}, y_scores{rows}{weight})")
    return f"{parts[0]}.merge({parts[1]}).result()['asked']"


def by_batches(case):
    own, shared = _options(case)
    problem = case.problem
    labels = ", labels=labels" if "labels" in problem.beside else ""
    cut = f", k={case.k!r}" if METRICS[case.name].takes_k else ""
    scorer = (
        f"sr.make_rank_scorer({case.name!r}{cut}, batch_size={case.split % 4 + 1}{_spelled(**own, **shared)}{labels})"
    )
    return f"{scorer}(Fixed(y_scores), np.arange({len(problem.truth)})[:, None], y_true{_weight(case)})"


def by_comparison(case):
    own, shared = _options(case)
    problem = case.problem
    beside = "".join(f", {name}={name}" for name in problem.beside)
    first = "judged@1" if METRICS[case.name].judged else "mrr@1"
    return (
        f"sr.compare(y_true, {{'one': y_scores}}, [{first!r}, ({_text(case)!r}, {own!r}, 'asked')]{beside}"
        f"{_spelled(**shared)}{_weight(case)}, n_resamples=20).rows[1].value"
    )


HANDS = {
    "function": by_function, "rows": by_rows, "threads": by_threads, "evaluate": by_evaluate,
    "accumulator": by_accumulator, "parts": by_parts, "batches": by_batches, "comparison": by_comparison,
}  # fmt: skip


SPELLED = HANDS
HANDS = tuple(HANDS)
UNSLICED = ("pair", "da.", "sparse.", "pd.", "pl.", "pa.", "xp.", "list(", "tuple(", "[[", "[np", ".tolist()")


def applies(case):
    """Whether the case can be asked in this way."""
    problem, hand = case.problem, case.hand
    code = " ".join([problem.y_true, problem.y_scores, *problem.beside.values()])
    if hand in ("accumulator", "comparison") and "da." in code:
        return False
    if hand in ("parts", "batches"):
        whole = problem.owner is None and not any(part in problem.y_true + problem.y_scores for part in UNSLICED)
        return whole and not (case.weights or "").startswith(("pd.", "pa."))
    if hand == "evaluate":
        return case.threshold is not None or METRICS[case.name].graded or METRICS[case.name].judged
    if hand == "comparison":
        return case.threshold is not None and len(problem.truth) > 1
    return True


def setup_of(case):
    """The variables that the code of a case uses."""
    setup = {} if case.problem.pair is None else {"pair": case.problem.pair}
    setup |= {"y_true": case.problem.y_true, "y_scores": case.problem.y_scores, **case.problem.beside}
    return setup | ({"weights": case.weights} if case.weights is not None else {})


def check(case):
    """None, or the fault of a case."""
    if not applies(case):
        return None
    problem, setup, code = case.problem, setup_of(case), SPELLED[case.hand](case)
    right = right_value(case)
    lines = [f"# {name} = {value}" for name, value in case.sizes.items()]
    lines += [f"{name} = {value}" for name, value in setup.items()]
    tag = problem.tag + " threshold" * (case.threshold is not None) + " weights" * (case.weights is not None)

    def fault(kind, got):
        return Fault(kind, "\n".join([*lines, code, f"# right: {right!r}", f"# got: {got}"]))

    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, value in setup.items():
            try:
                names[name] = run(value, names)
            except Exception as error:  # noqa: BLE001  of what makes a pair
                ours = where(error) != "outside the package"  # else a container that does not take such values
                return fault(f"error in {where(error)}: {general(error)}", shown(error)) if ours else None
    before = fingerprint(names)
    with block_sizes(case.sizes), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            got = run(code, names)
        except Exception as error:  # noqa: BLE001  whatever comes is looked at
            return (
                None if may_refuse(case, error) else fault(f"error in {where(error)}: {general(error)}", shown(error))
            )
    got = got.tolist() if hasattr(got, "tolist") else got
    if fingerprint(names) != before:
        return fault(f"input written to: {tag}", repr(got))
    wrong = [warning for warning in seen if not expected_warning(case, warning, got)]
    if wrong:
        return fault(f"warning: {general(wrong[0].message)}", f"{got!r} and {shown(wrong[0].message)}")
    if not same(got, right):
        return fault(f"value: {tag}", repr(got))
    bound = METRICS[case.name].greatest
    if bound is not None and np.fmax.reduce(np.ravel(got), initial=0) > bound:
        return fault(f"beyond {bound}: {case.name}", repr(got))
    return None


def may_refuse(case, error):
    """Whether an error is as right as the value."""
    text = str(error)
    if case.hand == "comparison" and text.startswith("Resampling needs at least two rankings"):
        return True
    if isinstance(error, (TypeError, ValueError)) and ("rechunk" in text or "does not convert" in text):  # 128 bits
        return True
    named = any(f"`{name}`" in text for name in ("y_true", "y_scores", "groups", "labels", "sample_weight"))
    return case.problem.refusable and named and isinstance(error, (ValueError, TypeError))


def expected_warning(case, warning, got):
    """Warnings that are documented: nothing is left to be averaged, or weights that can change nothing."""
    if issubclass(warning.category, UndefinedMetricWarning):
        # A macro average has labels left where the figures of rows beside it have none.
        beside = case.hand == "evaluate" and case.own.get("average") == "macro"
        return beside or (isinstance(got, float) and math.isnan(got))
    return warning.category is UserWarning and "sample_weight" in str(warning.message)


def same(got, right):
    if isinstance(right, list):
        return isinstance(got, list) and len(got) == len(right) and all(map(same, got, right))
    if not isinstance(got, float):
        return False
    return (
        (math.isnan(got) and math.isnan(right))
        or got == right
        or math.isclose(got, right, rel_tol=1e-12, abs_tol=1e-15)
    )
