"""Random problems in random containers: their code, and the rows that the loops of tests/oracles.py read."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fuzzing import run, usable
from hypothesis import strategies as st
from oracles import NEVER, ORACLES

from sklearn_rank.metrics._registry import METRICS

TIES = ("average", "first", "best", "worst")
NAMES = sorted(set(METRICS) & set(ORACLES))

# Values that a dtype keeps apart and that a careless conversion would not.
LEVELS = {
    "bool": [False, True],
    **{
        f"int{b}": [-(2 ** (b - 1)), 1 - 2 ** (b - 1), -1, 0, 2 ** (b - 1) - 2, 2 ** (b - 1) - 1]
        for b in (8, 16, 32, 64)
    },
    **{f"uint{b}": [0, 1, 2 ** (b - 1) - 1, 2 ** (b - 1), 2**b - 2, 2**b - 1] for b in (8, 16, 32, 64)},
    "float16": [-math.inf, -65504, -0.5, 6e-8, 0.25, 0.25024, 65504, math.inf],
    "float32": [-math.inf, -3.4e38, -1.0, 1e-45, 0.5, 0.50000006, 3.4e38, math.inf],
    "float64": [-math.inf, -1.7e308, -1.0, 5e-324, 0.5, 0.5 + 2**-53, 1.7e308, math.inf],
}
PLAIN = [0.25, 0.5, 0.75, 1.0, 2.0]  # for containers that know no infinity or no zero

SPARSE = [
    f"sparse.{fmt}_{kind}" for fmt in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia") for kind in ("array", "matrix")
]
NULLABLE = {
    "bool": "boolean", "float32": "Float32", "float64": "Float64",
    **{f"{sign}{b}": f"{name}{b}" for sign, name in (("int", "Int"), ("uint", "UInt")) for b in (8, 16, 32, 64)},
}  # fmt: skip
ARROW = {"bool": "bool[pyarrow]", "float32": "float[pyarrow]", "float64": "double[pyarrow]"}

# Containers of an array that keep its dtype. {A} is the code of the array.
MATRICES = [
    "{A}",
    "list(map(list, {A}))",
    "tuple({A})",
    "[[np.array(x) for x in row] for row in {A}]",
    "np.asfortranarray({A})",
    "np.repeat({A}, 2, axis=1)[:, ::2]",
    "np.repeat({A}, 3, axis=0)[::3]",
    "{A}[::-1, ::-1].copy()[::-1, ::-1]",
    "frozen({A})",
    "{A}.astype({A}.dtype.newbyteorder())",
    "np.ma.array({A})",
    "memmap({A})",
    "pd.DataFrame({A})",
    "pl.DataFrame({A})",
    "xp.asarray({A})",
    "da.from_array({A}, chunks=(2, -1))",
    "da.from_array({A}, chunks=(1, 1))",
]
# Containers that keep the values, but not the dtype.
CONVERTED = [
    "{A}.tolist()",
    "{A}.astype(object)",
    "pd.DataFrame({A}).astype({{0: object}})",
    "[pa.array(row) for row in {A}]",
    "[pd.Series(row) for row in {A}]",
]
VECTORS = [
    "{A}",
    "list({A})",
    "{A}.tolist()",
    "[np.array(x) for x in {A}]",
    "np.repeat({A}, 2)[::2]",
    "frozen({A})",
    "{A}.astype({A}.dtype.newbyteorder())",
    "np.ma.array({A})",
    "memmap({A})",
    "{A}.astype(object)",
    "pd.Series({A})",
    "pd.Series({A}, index=np.arange(len({A}))[::-1])",
    "pl.Series({A})",
    "pa.array({A})",
    "pa.chunked_array([{A}])",
    "da.from_array({A}, chunks=-1)",
]


@dataclass(frozen=True)
class Problem:
    """Data as code, and the same in plain rows."""

    y_true: str
    y_scores: str
    truth: list[list[Any]] = field(repr=False)
    scores: list[list[Any]] = field(repr=False)
    beside: dict[str, str] = field(default_factory=dict)  # labels, groups
    owner: list[int] | None = None  # the ranking of each input row, with groups
    refusable: bool = False  # whether an error that names the argument is right, too
    tied: bool = True
    complete: bool = True  # whether y_true holds every cell
    short: str | None = None  # the dtype of y_true that rounds a threshold
    pair: str | None = None  # the call that makes both, as `pair`
    tag: str = ""  # what is special about it, by which faults are told apart

    @property
    def code(self):
        return ", ".join(["y_true", "y_scores", *(f"{name}={name}" for name in self.beside)])


@dataclass(frozen=True)
class Case:
    """A problem, a metric, its options and the way in which it is asked."""

    problem: Problem
    name: str
    k: int | None
    own: dict[str, Any]  # options of the metric, and `average` where it is not the mean of rows
    shared: dict[str, Any]
    threshold: float | None
    weights: str | None
    hand: str
    sizes: dict[str, int]
    split: int


def shape_of(code):
    """The code of a container without what is in it."""
    return re.sub(r"np\.array\(\[.*?\], '(\w+)'\)", r"\1", code)


def literal(values, dtype):
    return f"np.array({values!r}, {dtype!r})"


def plain(values, dtype):
    return np.array(values, dtype).tolist()


# ---- problems


@st.composite
def levels_of(draw, dtype):
    """A few values of the dtype, so that there are ties."""
    chosen = draw(st.lists(st.sampled_from(LEVELS[dtype]), min_size=1, max_size=4, unique=True))
    return plain(chosen, dtype)


def filled(draw, values, n, m):
    return [[draw(st.sampled_from(values)) for _ in range(m)] for _ in range(n)]


@st.composite
def container(draw, array, dtype, kinds=MATRICES, converted=CONVERTED):
    """(code, whether an error would do) of an array in some container."""
    choices = [kind for kind in kinds + converted if usable(kind)]
    extra = []
    if usable("pd.") and kinds is MATRICES:
        extra += [f"pd.DataFrame({{A}}).astype({NULLABLE[dtype]!r})"] if dtype in NULLABLE else []
        if usable("pa.") and dtype != "float16":
            extra.append(f"pd.DataFrame({{A}}).astype({ARROW.get(dtype, dtype + '[pyarrow]')!r})")
    kind = draw(st.sampled_from(choices + extra))
    if dtype == "float16" and ("pl." in kind or "pa." in kind or "xp." in kind):
        kind = "{A}"
    return kind.format(A=array), kind in converted or "object" in kind


@st.composite
def grades_of(draw, scale):
    """(grades that appear, dtype) of y_true."""
    if scale == "binary":
        return [0, 1], draw(st.sampled_from(sorted(LEVELS)))
    if scale == "judged":  # NaN and grades below 0 stand for items that nobody judged
        dtype = draw(st.sampled_from(sorted(LEVELS)))
        unjudged = {"f": [math.nan, -1], "i": [-1]}.get(np.dtype(dtype).kind, [])
        return [0, 1, *unjudged], dtype
    dtype = draw(st.sampled_from([name for name in sorted(LEVELS) if name != "bool"]))
    return [0, 1, 2, 3], dtype


@st.composite
def truth_of(draw, rows, dtype):
    """(code, complete) of y_true: dense or in any sparse format."""
    array = literal(rows, dtype)
    if dtype != "float16" and draw(st.booleans()):
        return f"{draw(st.sampled_from(SPARSE))}({array})", False
    return draw(container(array, dtype))[0], True


def both_frames(a, b):
    return (
        any(name in a for name in ("pd.D", "pl.D")) and any(name in b for name in ("pd.D", "pl.D")) and a[:3] != b[:3]
    )


@st.composite
def dense(draw, scale):
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    dtype = draw(st.sampled_from(sorted(LEVELS)))
    rows = filled(draw, draw(levels_of(dtype)), n, m)
    grades, truth_dtype = draw(grades_of(scale))
    truth = filled(draw, grades, n, m)
    y_scores, refusable = draw(container(literal(rows, dtype), dtype))
    y_true, complete = draw(truth_of(truth, truth_dtype))
    if both_frames(y_true, y_scores):
        y_true = literal(truth, truth_dtype)
    return Problem(
        y_true,
        y_scores,
        truth,
        rows,
        refusable=refusable,
        complete=complete,
        short=truth_dtype,
        tag=f"dense {shape_of(y_true)} {shape_of(y_scores)}",
    )


@st.composite
def masked(draw, scale):
    """Masked scores were never retrieved."""
    n, m = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    dtype = draw(st.sampled_from(sorted(LEVELS)))
    rows = filled(draw, draw(levels_of(dtype)), n, m)
    mask = filled(draw, [0, 1], n, m)
    grades, truth_dtype = draw(grades_of(scale))
    truth = filled(draw, grades, n, m)
    shown_rows = [[NEVER if out else x for x, out in zip(*both, strict=True)] for both in zip(rows, mask, strict=True)]
    y_true, complete = draw(truth_of(truth, truth_dtype))
    code = f"np.ma.array({literal(rows, dtype)}, mask={mask})"
    code = draw(st.sampled_from([code, f"list({code})"]))
    return Problem(
        y_true,
        code,
        truth,
        shown_rows,
        refusable=dtype in ("int64", "uint64"),
        complete=complete,
        short=truth_dtype,
        tag=f"masked {dtype}",
    )


@st.composite
def named_columns(draw, scale):
    """Two frames whose columns carry the same names in another order."""
    n, m = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    dtype = draw(st.sampled_from(["float64", "float32", "int64", "uint8", "bool"]))
    rows = filled(draw, draw(levels_of(dtype)), n, m)
    grades, truth_dtype = draw(grades_of(scale))
    truth = filled(draw, grades, n, m)
    names = draw(
        st.lists(
            st.sampled_from([0, 1, 2, "a", "b", "0", True, False, 0.5, ("a", 1), None]),
            min_size=m,
            max_size=m,
            unique=True,
        )
    )
    if any(names.count(name) > 1 for name in names):  # True is 1
        names = list("abcdef")[:m]
    if any(isinstance(name, tuple) for name in names) and all(isinstance(name, tuple) for name in names):
        names = list("abcdef")[:m]
    order = draw(st.permutations(range(m)))
    columns, shuffled = repr(names), repr([names[place] for place in order])
    frame = f"pd.DataFrame({literal(truth, truth_dtype)}, columns=pd.Index({columns}, dtype=object))"
    other = f"pd.DataFrame({literal([[row[place] for place in order] for row in rows], dtype)}, columns=pd.Index({shuffled}, dtype=object))"
    if draw(st.booleans()) and usable("pl.") and truth_dtype != "float16" and dtype != "float16":
        names = list("abcdef")[:m]
        shuffled = repr([names[place] for place in order])
        frame = f"pl.DataFrame({literal(truth, truth_dtype)}, schema={names!r})"
        other = f"pl.DataFrame({literal([[row[place] for place in order] for row in rows], dtype)}, schema={shuffled})"
    return Problem(frame, other, truth, rows, short=truth_dtype, tag=f"named {frame[:2]}")


@st.composite
def sparse_scores(draw, scale):
    """Only what is stored was retrieved, zeros included; DIA stores whole diagonals."""
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    kind = draw(st.sampled_from(SPARSE))
    dtype = draw(st.sampled_from([name for name in sorted(LEVELS) if name != "float16"]))
    values = draw(levels_of(dtype))
    cells = [(i, j) for i in range(n) for j in range(m) if draw(st.booleans())]
    stored = [draw(st.sampled_from(values)) for _ in cells]
    rows = [[NEVER] * m for _ in range(n)]
    for (i, j), value in zip(cells, stored, strict=True):
        rows[i][j] = value
    entries = f"({literal(stored, dtype)}, {tuple(map(list, zip(*cells, strict=True))) or ([], [])})"
    blocks = ", blocksize=(1, 1)" if "bsr" in kind else ""  # greater ones store zeros beside
    code = f"{kind}(sparse.coo_{kind[-5:] if 'array' in kind else kind[-6:]}({entries}, shape={(n, m)}){blocks})"
    if "dia" in kind:
        made = run(code)
        for offset, diagonal in zip(made.offsets.tolist(), made.data.tolist(), strict=True):
            for j, value in enumerate(diagonal[:m]):
                if 0 <= j - offset < n:
                    rows[j - offset][j] = value
    grades, truth_dtype = draw(grades_of(scale))
    truth = filled(draw, grades, n, m)
    y_true, _ = draw(truth_of(truth, truth_dtype))
    return Problem(
        y_true, code, truth, rows, complete=False, short=truth_dtype, tag=f"{kind} beside {shape_of(y_true)}"
    )


IDS = [
    [3, 1, 2], [-1, 2**62, 2**62 + 1], ["b", "a", "a\0"], ["a", "a ", "A"], [1.5, 0.5, math.inf], [True, False, "x"],
    [("a", 1), ("a", 2), ("b",)], [b"a", b"b", b"a\0"], ["1", 1, 2.5], [2**64, 2**64 + 1, 0], ["", "é", "é"],
    [2**53, 2**53 + 1, 2**53 + 2], [2**63, 2**63 + 1, 1], [0, 0.5, 2**53 + 1],
]  # fmt: skip
ID_VECTORS = [
    "{L}", "tuple({L})", "np.array({L})", "pd.Series({L})", "pd.Categorical({L})", "pd.Series({L}, dtype='category')",
    "pl.Series({L})", "pa.array({L})", "pa.array({L}).dictionary_encode()", "pd.Index({L})", "np.ma.array({L})",
    "da.from_array(np.array({L}), chunks=-1)", "np.array({L}, 'M8[D]')", "np.array({L}, 'u8')", "np.array({L}, 'S')",
    "pd.to_datetime(pd.Series({L}))", "np.array([*{L}, None], object)[:-1]",
]  # fmt: skip


@st.composite
def grouped(draw, scale):
    n = draw(st.integers(1, 9))
    dtype = draw(st.sampled_from(sorted(LEVELS)))
    flat = filled(draw, draw(levels_of(dtype)), 1, n)[0]
    grades, truth_dtype = draw(grades_of(scale))
    truth = filled(draw, grades, 1, n)[0]
    ids = draw(st.sampled_from(IDS))
    choices = filled(draw, ids, 1, n)[0]
    template = draw(st.sampled_from([kind for kind in ID_VECTORS if usable(kind)]))
    groups = template.format(L=choices)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = run(groups)
        kept = made.to_pylist() if "pa." in template else list(made.compute() if hasattr(made, "compute") else made)
        kept = [x.item() if isinstance(x, np.generic) and x.dtype.kind not in "mM" else x for x in kept]
        hash(tuple(kept))
        choices = kept
    except Exception:  # noqa: BLE001  the container does not take such ids
        groups = repr(choices)
    if len(choices) != n or any(isinstance(x, np.ndarray) or x is None or x != x for x in choices):
        groups, choices = repr(list(range(n))), list(range(n))
    place = {}
    owner = [place.setdefault(value, len(place)) for value in choices]
    rows, truths = [[] for _ in place], [[] for _ in place]
    for which, score, grade in zip(owner, flat, truth, strict=True):
        rows[which].append(score)
        truths[which].append(grade)
    y_scores, refusable = draw(container(literal(flat, dtype), dtype, VECTORS, []))
    y_true, _ = draw(container(literal(truth, truth_dtype), truth_dtype, VECTORS, []))
    return Problem(
        y_true,
        y_scores,
        truths,
        rows,
        {"groups": groups},
        owner,
        refusable=refusable,
        short=truth_dtype,
        tag=f"groups {ids} in {template}",
    )


LABELS = [
    ["ant", "bee", "cat"], [3, 1, 2], [-1, 0, 7], [0.5, 1.5, 2.0], [2**53, 2**53 + 1, 2**53 + 2], [b"a", b"b", b"c"],
    ["a", "a\0", "b"], [True, False], [2**63, 2**63 + 1, 1], ["b", "a"], [0, 1, 2],
]  # fmt: skip


@st.composite
def class_labels(draw, scale):
    names = draw(st.sampled_from(LABELS))
    names = draw(st.permutations(names))
    n, m = draw(st.integers(1, 4)), len(names)
    dtype = draw(st.sampled_from(sorted(LEVELS)))
    rows = filled(draw, draw(levels_of(dtype)), n, m)
    truth = filled(draw, names, 1, n)[0]
    y_scores, refusable = draw(container(literal(rows, dtype), dtype))
    vectors = [
        "{L}",
        "np.array({L})",
        "np.array({L}, object)",
        "pd.Series({L})",
        "pl.Series({L})",
        "pd.Categorical({L})",
    ]
    vectors = [kind for kind in vectors if usable(kind)]
    template = draw(st.sampled_from(vectors))
    y_true = template.format(L=truth)
    labels = draw(st.sampled_from(vectors)).format(L=list(names))
    for code, values in ((y_true, truth), (labels, list(names))):
        try:
            kept = [x.item() if isinstance(x, np.generic) else x for x in run(code)]
        except Exception:  # noqa: BLE001  nor such labels
            kept = None
        if kept != values:  # numpy has cut or merged them
            y_true, labels = repr(truth), repr(list(names))
    grades = [[int(name == label) for name in names] for label in truth]
    return Problem(
        y_true,
        y_scores,
        grades,
        rows,
        {"labels": labels},
        refusable=refusable,
        complete=False,
        tag=f"labels {sorted(names)}",
    )


@st.composite
def wide(draw, scale):
    """Rows that are much wider than k, which go other ways."""
    n, m = draw(st.integers(1, 5)), draw(st.sampled_from([63, 64, 65, 90, 130, 257, 300]))
    dtype = draw(st.sampled_from(sorted(LEVELS)))
    number = draw(st.integers(0, 10**6))
    kind = draw(st.sampled_from(["levels", "range", "untied"]))
    rng = f"np.random.default_rng({number})"
    if kind == "untied" and dtype in (
        "float64",
        "float32",
        "float16",
        "int16",
        "int32",
        "int64",
        "uint16",
        "uint32",
        "uint64",
    ):
        array = f"{rng}.permuted(np.tile(np.arange({m}), ({n}, 1)), axis=1).astype({dtype!r})"
    elif kind == "range" and dtype != "bool":
        array = f"{rng}.integers(0, {draw(st.sampled_from([3, 20, 100]))}, ({n}, {m})).astype({dtype!r})"
    else:
        array = f"{rng}.choice(np.array({LEVELS[dtype]}, {dtype!r}), ({n}, {m}))"
    density = draw(st.sampled_from([0.01, 0.05, 0.3, 0.9, "one"]))
    highest = 3 if scale == "graded" else 1
    truth_dtype = draw(st.sampled_from(["int8", "float64", "uint16"]))
    if density == "one":
        truth = f"np.eye({m}, dtype={truth_dtype!r})[{rng}.integers(0, {m}, {n})]"
    else:
        truth = f"(({rng}.random(({n}, {m})) < {density}) * {rng}.integers(1, {highest + 1}, ({n}, {m}))).astype({truth_dtype!r})"
    layout = draw(
        st.sampled_from(
            [
                "{A}",
                "np.asfortranarray({A})",
                "np.repeat({A}, 2, axis=1)[:, ::2]",
                "{A}[:, ::-1]",
                "{A}.astype({A}.dtype.newbyteorder())",
            ]
        )
    )
    code = layout.format(A=array)
    y_true, complete = truth, True
    if draw(st.booleans()):
        y_true, complete = f"sparse.csr_array({truth})", False
    rows, truths = run(code).tolist(), run(truth).astype(int).tolist()
    tied = any(len(set(row)) < len(row) for row in rows)
    if draw(st.booleans()):
        owner = np.repeat(np.arange(n), m).tolist()
        return Problem(
            f"{truth}.ravel()",
            f"{code}.ravel()",
            truths,
            rows,
            {"groups": f"np.repeat(np.arange({n}), {m})"},
            owner,
            tied=tied,
            tag=f"wide groups {kind}",
        )
    return Problem(y_true, code, truths, rows, complete=complete, tied=tied, tag=f"wide {kind} {layout}")


QUERIES = [["q", "r", "s"], [3, 1, 2], [2**63, 2**63 + 1, 1], ["a", "a\0", "b"]]
ITEMS = [["d", "a", "c", "b"], [10, 9, 2, 1], [2**53 + 1, 2**53, 1, 0], ["a", "a\0", "b", "B"], ["10", "9", "é", "z"]]
TABLES = ["{T}", "pd.DataFrame({T})", "pl.DataFrame({T})", "pa.table({T})"]


@st.composite
def tables(draw, scale):
    """Judgements and results by ids: dicts, long tables and, without grades and ties, lists."""
    names, items = draw(st.sampled_from(QUERIES)), draw(st.sampled_from(ITEMS))
    grades = st.integers(0, 3 if scale == "graded" else 1)
    queries = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    qrels = {query: draw(st.dictionaries(st.sampled_from(items), grades, min_size=1)) for query in queries}
    levels = st.sampled_from([0.5, 0.25, -1.0, 2.0, 5e-324])
    run_of = {
        query: draw(st.dictionaries(st.sampled_from(items), levels, min_size=query == queries[0])) for query in queries
    }
    order = draw(st.sampled_from(["descending", "ascending", "input"]))
    how = draw(st.sampled_from(["from_qrels", "from_frames", "from_lists"]))
    if how == "from_lists":
        lists = [sorted(result, key=lambda item, result=result: -result[item]) for result in run_of.values()]
        run_of = {
            query: {item: -place for place, item in enumerate(ids)} for query, ids in zip(queries, lists, strict=True)
        }
        qrels = {query: {item: 1 for item, grade in judged.items() if grade} for query, judged in qrels.items()}
        order = "input"
        pair = f"sr.from_lists({[list(judged) for judged in qrels.values()]}, {lists})"
    elif how == "from_qrels":
        pair = f"sr.from_qrels({qrels}, {run_of}, {order!r})"
    else:
        kinds = [kind for kind in TABLES if usable(kind)]
        sides = []
        for name, table in (("grade", qrels), ("score", run_of)):
            rows = [(query, item, value) for query, values in table.items() for item, value in values.items()]
            columns = {key: list(column) for key, column in zip(("q", "i", name), zip(*rows, strict=True), strict=True)}
            sides.append(draw(st.sampled_from(kinds)).format(T=columns))
        pair = f"sr.from_frames({sides[0]}, {sides[1]}, query='q', item='i', relevance='grade', score='score', item_order={order!r})"
    truth, scores = [], []
    for query in queries:
        judged, result = qrels[query], run_of[query]
        found = list(result) if order == "input" else sorted(result, reverse=order == "descending")
        slots = found + [item for item in judged if item not in result]
        truth.append([judged.get(item, 0 if scale != "judged" else -1) for item in slots])
        scores.append([result.get(item, NEVER) for item in slots])
    return Problem("pair[0]", "pair[1]", truth, scores, pair=pair, complete=False, tag=f"{how} {order}")


PROBLEMS = {
    "tables": tables, "dense": dense, "masked": masked, "named": named_columns, "sparse": sparse_scores, "grouped": grouped,
    "labels": class_labels, "wide": wide,
}  # fmt: skip
