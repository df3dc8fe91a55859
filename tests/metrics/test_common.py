"""What holds for all metrics, one by one over the registry: completeness, options, weights, empty rows."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest
from oracles import ORACLES, VARIANTS
from over_registry import (
    NAN,
    SHARED,
    TIES,
    binary_metrics,
    every_metric,
    loops,
    measure_of,
    metrics_of_any_form,
    metrics_with_k,
    name_of,
    needed,
    only_graded,
    score,
    those,
    variants,
)
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_rank
from sklearn_rank.metrics._registry import METRICS

undefined_at_times = those(lambda metric: not measure_of(metric).always_defined)
ROOT = Path(__file__).parents[2]
CUTOFF = "`k` must be an integer of at least 1, a fraction between 0 and 1, 'relevant' or None, got "


def own_options(metric):
    return {name: value for name, value in metric.options.items() if name not in SHARED}


def classes_of_worked_examples():
    """The names of all classes of tests in this folder."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("test_*.py")]
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}


class TestCompleteness:
    """A metric that is missing somewhere fails here."""

    def test_every_public_metric_is_in_the_registry(self):
        functions = {
            value
            for name, value in vars(sklearn_rank).items()
            if inspect.isfunction(value)
            and {"ties", "zero_division", "average"} <= inspect.signature(value).parameters.keys()
        } - {sklearn_rank.evaluate}
        assert functions == {metric.function for metric in METRICS.values()}

    @every_metric
    def test_public_api(self, metric):
        name = metric.function.__name__
        assert name in sklearn_rank.__all__
        assert getattr(sklearn_rank, name) is metric.function

    @every_metric
    def test_oracle(self, metric):
        assert metric.name in ORACLES

    @every_metric
    def test_the_oracle_goes_through_its_options(self, metric):
        """Each keyword of its own has variants, the default among them."""
        variants = VARIANTS.get(metric.name, [{}])
        for option, default in own_options(metric).items():
            values = [variant[option] for variant in variants]
            # A row alone does not show what None would be, and what is needed has no default.
            assert default in values or option in (metric.from_data, metric.needs)
            assert len(values) > 1

    def test_there_is_no_oracle_without_a_metric(self):
        assert set(ORACLES) == set(METRICS)
        assert set(VARIANTS) <= set(METRICS)

    @every_metric
    def test_class_of_worked_examples(self, metric):
        name = "Test" + "".join(part.title() for part in metric.name.split("_"))
        assert name in classes_of_worked_examples()

    @every_metric
    def test_scorer(self, metric):
        name = f"{metric.function.__name__}_scorer"
        if metric.from_data is None and metric.needs is None:
            assert name in sklearn_rank.__all__
            assert callable(getattr(sklearn_rank, name))
        else:
            assert not hasattr(sklearn_rank, name)  # each use has to name that option

    @every_metric
    @pytest.mark.parametrize("page", ["README.md", "docs/conventions.md"])
    def test_pages(self, metric, page):
        assert f"`{metric.function.__name__}`" in (ROOT / page).read_text(encoding="utf-8")


class TestSignature:
    @every_metric
    def test_order_of_parameters(self, metric):
        names = list(inspect.signature(metric.function).parameters)
        assert names[:3] == ["y_true", "y_scores", "k"] if metric.takes_k else names[:2] == ["y_true", "y_scores"]

    @every_metric
    def test_keywords_that_all_share(self, metric):
        assert SHARED - set(metric.options) == ({"relevance_threshold"} if only_graded(metric) else set())

    @every_metric
    def test_defaults(self, metric):
        defaults = {name: value for name, value in metric.options.items() if name in SHARED}
        wanted = dict.fromkeys(SHARED, None) | {
            "ties": "average",
            "zero_division": 0.0,
            "average": measure_of(metric).average,
        }
        if only_graded(metric):
            del wanted["relevance_threshold"]
        assert defaults == wanted

    @every_metric
    def test_everything_after_k_goes_by_name(self, metric, two_rows):
        with pytest.raises(TypeError, match="positional"):
            metric.function(*two_rows, *([2] if metric.takes_k else []), "average")

    @metrics_with_k
    def test_k_by_position_and_by_name(self, metric, two_rows):
        # The default is the whole ranking: four items.
        needs = needed(metric, 4)
        assert metric.function(*two_rows, 1, **needs) == metric.function(*two_rows, k=1, **needs)
        assert metric.function(*two_rows, None, **needs) == metric.function(*two_rows, 4, **needs)

    @every_metric
    def test_returns_a_python_float_or_an_array_of_floats(self, metric, two_rows):
        assert type(score(metric, *two_rows)) is float
        values = score(metric, *two_rows, average=None)
        assert isinstance(values, np.ndarray)
        assert values.shape == (2,)
        assert values.dtype == np.float64

    @every_metric
    def test_unknown_keywords(self, metric, two_rows):
        with pytest.raises(TypeError, match="tie"):
            score(metric, *two_rows, tie="first")


class TestOptions:
    @metrics_with_k
    @pytest.mark.parametrize("k", [0, -3, np.int64(0)], ids=repr)
    def test_k_below_one_is_shown(self, metric, two_rows, k):
        with pytest.raises(ValueError, match=f"{CUTOFF}{int(k)}"):
            score(metric, *two_rows, k)

    @metrics_with_k
    @pytest.mark.parametrize("k", [1.0, 0.0, -0.1, 2.0, np.float64(2), np.float32(1.5), np.nan, np.inf], ids=repr)
    def test_k_that_is_no_fraction_is_shown(self, metric, two_rows, k):
        with pytest.raises(ValueError, match=f"{CUTOFF}{k}"):
            score(metric, *two_rows, k)

    @metrics_with_k
    @pytest.mark.parametrize(
        "k", [True, "3", "R", "5%", "Relevant", np.bool_(True), np.timedelta64(2, "s"), 1j], ids=repr
    )
    def test_k_of_another_type_is_shown(self, metric, two_rows, k):
        with pytest.raises(TypeError, match=CUTOFF) as caught:
            score(metric, *two_rows, k)
        assert repr(k) in str(caught.value)

    @metrics_with_k
    def test_several_k_name_evaluate(self, metric, two_rows):
        with pytest.raises(TypeError, match="evaluate"):
            score(metric, *two_rows, [1, 2])

    @metrics_with_k
    @pytest.mark.parametrize("dtype", [np.int8, np.uint64])
    def test_k_of_numpy(self, metric, two_rows, dtype):
        assert score(metric, *two_rows, dtype(2)) == score(metric, *two_rows, 2)

    @every_metric
    @pytest.mark.parametrize("ties", ["mean", "last", None, 1])
    def test_unknown_ties(self, metric, two_rows, ties):
        with pytest.raises(ValueError, match="`ties` must be one of 'average', 'first', 'best', 'worst'"):
            score(metric, *two_rows, ties=ties)

    @every_metric
    @pytest.mark.parametrize("average", ["weighted", True, 1, ["micro"]], ids=repr)
    def test_unknown_average(self, metric, two_rows, average):
        with pytest.raises(ValueError, match="`average` must be 'samples', 'micro', 'macro' or None, got"):
            score(metric, *two_rows, average=average)

    @those(lambda metric: measure_of(metric).denominator is None)
    def test_micro_average_wants_a_denominator(self, metric, two_rows):
        with pytest.raises(ValueError, match=f"`average`='micro' .*{name_of(metric)}"):
            score(metric, *two_rows, average="micro")

    @those(lambda metric: not measure_of(metric).per_label)
    def test_macro_average_says_how_to_rank_by_label(self, metric, two_rows):
        says = r"map_at_k\(Y\.T, S\.T\) ranks the samples of each label"
        with pytest.raises(ValueError, match=f"`average`='macro' .*{name_of(metric)}.*{says}"):
            score(metric, *two_rows, average="macro")

    @every_metric
    def test_own_options_refuse_what_they_do_not_know(self, metric, two_rows):
        for option, default in own_options(metric).items():
            if isinstance(default, str):
                with pytest.raises(ValueError, match=f"`{option}` must be .*'{default}'.*, got 'other'"):
                    score(metric, *two_rows, **{option: "other"})

    @binary_metrics
    def test_grades_need_a_threshold(self, metric):
        y_true, y_scores = [[2, 0, 1]], [[3, 2, 1]]
        with pytest.raises(ValueError, match=r"`y_true` must be binary.*relevance_threshold="):
            score(metric, y_true, y_scores)
        at_two = score(metric, [[1, 0, 0]], y_scores)
        assert score(metric, y_true, y_scores, relevance_threshold=2) == at_two

    @those(lambda metric: not metric.judged)
    def test_negative_grades(self, metric):
        with pytest.raises(ValueError, match="-1"):
            score(metric, [[1, -1]], [[2, 1]])

    @those(lambda metric: metric.needs is not None)
    def test_what_is_needed(self, metric, two_rows):
        with pytest.raises(TypeError, match=f"missing .*'{metric.needs}'"):
            metric.function(*two_rows)
        with pytest.raises(TypeError, match=f"`{metric.needs}` is required"):
            metric.function(*two_rows, **{metric.needs: None})

    @every_metric
    @pytest.mark.parametrize("wrong", [np.inf, "high", None, [1]])
    def test_zero_division_is_a_number(self, metric, two_rows, wrong):
        with pytest.raises((TypeError, ValueError), match="`zero_division` must be a finite number or nan"):
            score(metric, *two_rows, zero_division=wrong)


class TestZeroDivision:
    @undefined_at_times
    def test_default_is_zero(self, metric, with_empty):
        assert score(metric, *with_empty, average=None)[1] == 0

    @undefined_at_times
    @pytest.mark.parametrize("value", [1, 0.5, -1.0, np.float32(0.25)])
    def test_value_of_a_row_without_a_relevant_item(self, metric, with_empty, value):
        first = score(metric, *with_empty, average=None)[0]
        assert score(metric, *with_empty, average=None, zero_division=value)[1] == value
        assert score(metric, *with_empty, zero_division=value) == pytest.approx((first + value) / 2, rel=1e-15)

    @undefined_at_times
    def test_nan_leaves_the_row_out(self, metric, with_empty):
        values = score(metric, *with_empty, average=None, zero_division=np.nan)
        assert np.isnan(values).tolist() == [False, True]
        assert score(metric, *with_empty, zero_division=np.nan) == values[0]

    @undefined_at_times
    def test_nan_leaves_the_weight_out(self, metric):
        y_true, y_scores = [[0, 1], [0, 0], [1, 0]], [[2, 1]] * 3
        first, _, last = score(metric, y_true, y_scores, average=None)
        value = score(metric, y_true, y_scores, zero_division=np.nan, sample_weight=[1, 100, 3])
        assert value == pytest.approx((first + 3 * last) / 4, rel=1e-15)

    @undefined_at_times
    def test_nan_with_no_row_left_is_nan_with_a_warning(self, metric):
        with pytest.warns(UndefinedMetricWarning, match="No row has a relevant item") as caught:
            value = score(metric, [[0, 0]], [[2, 1]], zero_division=np.nan)
        assert type(value) is float
        assert np.isnan(value)
        assert len(caught) == 1

    @undefined_at_times
    def test_nan_with_only_zero_weights_left(self, metric, with_empty):
        with pytest.warns(UndefinedMetricWarning, match="No row has a relevant item"):
            value = score(metric, *with_empty, zero_division=np.nan, sample_weight=[0, 1])
        assert np.isnan(value)

    @undefined_at_times
    def test_row_values_do_not_warn(self, metric):
        assert np.isnan(score(metric, [[0, 0]], [[2, 1]], zero_division=np.nan, average=None)).all()

    @every_metric
    @pytest.mark.parametrize("scores", [[-np.inf, -np.inf], [-np.inf, 1.0]], ids=repr)
    def test_relevant_but_not_retrieved(self, metric, scores):
        for options in variants(metric):
            expected = loops(metric, [[1, 0]], [scores], undefined=0.5, **options)
            assert score(metric, [[1, 0]], [scores], zero_division=0.5, **options) == expected[0]

    @those(lambda metric: measure_of(metric).always_defined)
    @pytest.mark.parametrize("zero_division", [0.5, np.nan])
    def test_some_metrics_are_always_defined(self, metric, with_empty, zero_division):
        values = score(metric, *with_empty, average=None, zero_division=zero_division)
        assert values.tolist() == loops(metric, *with_empty)

    @undefined_at_times
    def test_of_sparse_inputs(self, metric):
        pair = sparse.csr_array([[0, 1], [0, 0]]), sparse.csr_array([[2, 1], [2, 1]])
        assert score(metric, *pair, zero_division=0.5, average=None)[1] == 0.5

    @those(lambda metric: metric.needs is None and not measure_of(metric).always_defined)
    def test_of_groups(self, metric):
        values = score(metric, [1, 0, 0], [3, 2, 1], groups=["a", "b", "b"], zero_division=0.5, average=None)
        assert values[1] == 0.5


class TestWeights:
    @every_metric
    def test_weighted_mean(self, metric, two_rows):
        first, second = score(metric, *two_rows, average=None)
        value = score(metric, *two_rows, sample_weight=[3, 1])
        assert value == pytest.approx((3 * first + second) / 4, rel=1e-15)

    @every_metric
    def test_zero_weight_removes_a_row_but_not_its_value(self, metric, two_rows):
        values = score(metric, *two_rows, average=None)
        assert score(metric, *two_rows, sample_weight=[0, 2]) == values[1]
        assert score(metric, *two_rows, sample_weight=[0, 2], average=None).tolist() == values.tolist()

    @every_metric
    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([1], "`sample_weight` has 1 entries for 2 rows"),
            ([1, 2, 3], "`sample_weight` has 3 entries for 2 rows"),
            ([[1, 1], [1, 1]], r"`sample_weight` has shape \(2, 2\)"),
            ([1, -0.5], "negative values, first -0.5"),
            ([0, 0], "sums to zero"),
            ([1, np.nan], "finite"),
            ([1, np.inf], "finite"),
            (["a", "b"], "`sample_weight` must be numeric"),
        ],
    )
    def test_wrong_weights(self, metric, two_rows, weights, message):
        for average in ("samples", None):
            with pytest.raises(ValueError, match=message):
                score(metric, *two_rows, sample_weight=weights, average=average)

    @every_metric
    def test_a_scalar_is_no_weight(self, metric, two_rows):
        with pytest.raises(TypeError, match="`sample_weight` must be an array"):
            score(metric, *two_rows, sample_weight=1.0)

    @metrics_of_any_form
    def test_one_weight_a_row_of_the_input_with_groups(self, metric):
        y_true, y_scores, groups = [1, 0, 0, 1, 0], [2, 1, 2, 1, 0], ["b", "b", "a", "a", "a"]
        first, second = score(metric, y_true, y_scores, groups=groups, average=None)
        value = score(metric, y_true, y_scores, groups=groups, sample_weight=[1, 3, 1, 2, 0])
        assert value == pytest.approx((2 * first + second) / 3, rel=1e-15)
        with pytest.raises(ValueError, match="`sample_weight` has 2 entries for 5 rows"):
            score(metric, y_true, y_scores, groups=groups, sample_weight=[1, 2])

    @every_metric
    @pytest.mark.parametrize("container", [tuple, np.array, lambda w: np.array(w, dtype=np.float32)])
    def test_containers_of_weights(self, metric, two_rows, container):
        expected = score(metric, *two_rows, sample_weight=[3, 1])
        assert score(metric, *two_rows, sample_weight=container([3, 1])) == expected

    @every_metric
    def test_a_series_of_weights_by_position(self, metric, two_rows):
        pd = pytest.importorskip("pandas")
        expected = score(metric, *two_rows, sample_weight=[3, 1])
        assert score(metric, *two_rows, sample_weight=pd.Series([3, 1], index=[1, 0])) == expected


class TestInputs:
    @every_metric
    def test_read_only_arrays(self, metric, two_rows, read_only):
        y_true, y_scores = two_rows
        frozen = read_only(y_true), read_only(y_scores)
        for ties in TIES:
            value = score(metric, *frozen, ties=ties, sample_weight=read_only([1.0, 1.0]))
            assert value == score(metric, y_true, y_scores, ties=ties)

    @metrics_of_any_form
    def test_read_only_vectors(self, metric, read_only):
        vectors = [0, 1, 1, 0], [1.0, 2.0, 1.0, 2.0]
        groups = [1, 0, 1, 0]
        expected = score(metric, *vectors, groups=groups)
        assert score(metric, *map(read_only, vectors), groups=read_only(groups)) == expected

    @every_metric
    def test_read_only_labels(self, metric, read_only):
        classes = [1, 0], [[0.5, 0.5], [0.25, 0.75]]
        expected = score(metric, *classes, labels=[1, 0])
        assert score(metric, *map(read_only, classes), labels=read_only([1, 0])) == expected

    @every_metric
    @pytest.mark.parametrize("ties", TIES)
    def test_sparse_inputs_are_never_written_to(self, metric, ties):
        # Columns that do not ascend, and an entry that is there twice in y_true.
        y_true = sparse.csr_array((np.array([1, 0, 0, 1]), np.array([2, 0, 0, 1]), np.array([0, 3, 4])), shape=(2, 3))
        y_scores = sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
        before = [a.tolist() for m in (y_true, y_scores) for a in (m.data, m.indices, m.indptr)]
        score(metric, y_true, y_scores, ties=ties)
        assert [a.tolist() for m in (y_true, y_scores) for a in (m.data, m.indices, m.indptr)] == before

    @every_metric
    @pytest.mark.parametrize("grade", [0, 1])
    def test_one_item(self, metric, grade):
        for options in variants(metric):
            assert score(metric, [[grade]], [[0.5]], **options) == pytest.approx(
                loops(metric, [[grade]], [[0.5]], **options)[0], rel=1e-15
            )

    @every_metric
    @pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
    def test_nothing_to_rank(self, metric, shape):
        with pytest.raises(ValueError, match=r"At least one (row|column) is required"):
            score(metric, np.zeros(shape, int), np.zeros(shape))

    @every_metric
    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("width", [3, 400])
    def test_nan_in_scores(self, metric, ties, width):
        y_true, y_scores = np.ones((3, width), int), np.zeros((3, width))
        y_scores[2, 1] = np.nan
        for k in {None, 1 if metric.takes_k else None}:
            with pytest.raises(ValueError, match=r"`y_scores` contains NaN.*row 2, column 1"):
                score(metric, y_true, y_scores, k, ties=ties)

    @those(lambda metric: not metric.judged)
    def test_nan_in_truth(self, metric):
        judged = " and ".join(name_of(metric) for metric in METRICS.values() if metric.judged)
        with pytest.raises(ValueError, match=f"`y_true` contains NaN, first in row 1: .*{judged} alone read NaN"):
            score(metric, [[0.0, 1.0], [NAN, 1.0]], [[2, 1], [2, 1]])

    @every_metric
    def test_an_estimator_in_the_place_of_y_true_names_the_scorer(self, metric):
        """scikit-learn calls what it gets as `scoring` with (estimator, X, y)."""
        from sklearn.dummy import DummyClassifier

        name = metric.function.__name__
        X, y = np.zeros((3, 2)), np.array([0, 1, 1])
        with pytest.raises(TypeError, match=f"scoring={name}_scorer instead of scoring={name}"):
            score(metric, DummyClassifier(), X, y)
