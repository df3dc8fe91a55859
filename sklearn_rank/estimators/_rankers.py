"""One way to give query ids to rankers that each have their own."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from sklearn_rank._options import check_number, name_of
from sklearn_rank.inputs._containers import column_of, is_frame, rows_of, to_numpy, without_column
from sklearn_rank.inputs._ids import group_codes, group_means
from sklearn_rank.inputs._weights import check_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Keywords of `fit` that GroupedRanker fills in itself, and what to pass to it instead.
FILLED_IN = {
    **dict.fromkeys(("group", "qid", "group_id"), "`groups`"),
    **dict.fromkeys(("eval_group", "eval_qid"), "`eval_groups`"),
    **dict.fromkeys(("eval_set", "eval_X", "eval_y"), "`eval_set`"),
    **dict.fromkeys(("sample_weight", "group_weight"), "`sample_weight`"),
    **dict.fromkeys(("pairs", "graph"), "nothing, since they count rows, which are sorted here"),
}
# Keywords with an entry per column, never one per row.
PER_COLUMN = {
    "cat_features",
    "categorical_feature",
    "embedding_features",
    "feature_name",
    "feature_weights",
    "text_features",
}


class GroupedRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A ranker that takes query ids, whatever the ranker inside calls them.

    Rows may stand in any order. They are sorted by query for the ranker, which gets sizes or ids as its
    `fit` asks for: `group` (LightGBM), `qid` (XGBoost) or `group_id` (CatBoost). Weights and the rows
    for early stopping are handed over in the form of the same library.

    Parameters
    ----------
    ranker : estimator
        An XGBRanker, LGBMRanker, CatBoostRanker, another estimator whose `fit` takes `qid`, `group_id`
        or `group`, or a pipeline that ends in one.
    groups : str or int, default=None
        The column of X that holds the query ids, by name or position. It is removed before the
        ranker sees X, in `fit` and in `predict`. None: the ids are the `groups` of `fit`, by metadata
        routing with ``set_fit_request(groups=True)``.
    validation_fraction : float, default=None
        The share of the queries, 0 < share < 1, rounded up, that is held out of the training rows and
        given to the ranker as its eval set, so that it can stop early inside a search. None: no query.
    random_state : int, RandomState instance or None, default=None
        Decides which queries are held out.

    Attributes
    ----------
    ranker_ : estimator
        The fitted ranker.
    n_features_in_ : int
        Number of columns of X, the ids included.
    feature_names_in_ : ndarray of shape (n_columns,)
        Names of the columns of X, where it has names.
    feature_importances_ : ndarray of shape (n_features,)
        Those of the ranker, if it has any; the column of ids is none of its features.
    best_iteration_ : int
        The ranker's, if it was given rows to stop by: counted from 1 by LightGBM, from 0 by XGBoost and CatBoost.

    See Also
    --------
    GroupedSplitter : Folds of whole queries from the same column.
    make_eval_metric : Early stopping by a metric of this package.
    make_rank_scorer : Scorers that take the query ids from the same column.

    Notes
    -----
    Columns reach the ranker in the dtype they have: text, categories and nullable numbers of a frame,
    and objects of an array, are untouched.

    A pipeline is fitted step by step: the rows held out, and those of `eval_set`, pass the steps before the
    ranker as rows to predict do.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from sklearn_rank import GroupedRanker
    >>> class Sizes(BaseEstimator):
    ...     def fit(self, X, y, group=None):
    ...         self.group_ = group
    ...         return self
    ...     def predict(self, X):
    ...         return X[:, 0]
    >>> X = np.array([[7, 0.2], [8, 0.1], [7, 0.5]])
    >>> model = GroupedRanker(Sizes(), groups=0).fit(X, [0, 1, 1])
    >>> model.ranker_.group_, model.predict(X)
    (array([2, 1]), array([0.2, 0.1, 0.5]))
    """

    def __init__(
        self, ranker: Any, *, groups: Any = None, validation_fraction: Any = None, random_state: Any = None
    ) -> None:
        self.ranker = ranker
        self.groups = groups
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        *,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_groups: Any = None,
        **fit_params: Any,
    ) -> GroupedRanker:
        """Fit the ranker on rows sorted by query.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features, and the query ids if `groups` names their column.
        y : array-like of shape (n_samples,)
            Relevance.
        groups : array-like of shape (n_samples,), default=None
            The query id of each row, unless X holds them.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight per row, which LightGBM takes as it is; for XGBoost and CatBoost a query weighs the
            mean of its rows.
        eval_set : (X, y) or list of (X, y), default=None
            Rows to stop early by, in any order; X has the columns of the training rows.
        eval_groups : array-like or list of array-like, default=None
            The query ids of the rows of `eval_set`, unless its X holds them.
        **fit_params
            Other keywords of the ranker's `fit` (of a pipeline's, with the names of the steps). What has an
            entry per row, or in a list an entry per row of each eval set, is sorted as the rows are.

        Returns
        -------
        self : GroupedRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If there are no groups, two of them, or missing ids; or if `validation_fraction` is no share,
            stands beside `eval_set`, or leaves no query to train on.
        TypeError
            If the `fit` of the ranker takes none of qid, group_id and group, or lacks what is to be handed over.
        """
        if y is None:
            message = "GroupedRanker requires y to be passed, but the target y is None."
            raise ValueError(message)
        if isinstance(self.ranker, type) or not hasattr(self.ranker, "fit"):
            message = f"`ranker` must be an estimator such as LGBMRanker(), got {self.ranker!r}."
            raise TypeError(message)
        share = None if self.validation_fraction is None else _check_share(self.validation_fraction)
        if share is not None and eval_set is not None:
            message = (
                "`validation_fraction` makes an eval set of training rows, and `eval_set` was given: use one of them."
            )
            raise ValueError(message)
        prefix, final = _last_step(clone(self.ranker))
        form = _form_of(final)
        own = _own_params(fit_params, prefix)
        train = self._rows(X, y, groups, reset=True)
        if sample_weight is not None:
            train = replace(train, weights=check_weights(sample_weight, len(train.y)))
        sets = self._eval_rows(eval_set, eval_groups)
        if form.eval_weights in own:
            sets = _with_weights(sets, fit_params.pop(prefix + form.eval_weights), form.eval_weights)
        if share is not None:
            _refuse_per_row(fit_params, len(train.y))
            train, held = self._held_out(train, share)
            sets = [held]
        orders = [rows.order() for rows in (train, *sets)]
        fit_params = {name: _follow(name, value, orders) for name, value in fit_params.items()}
        train, *sets = (rows.taken(order) for rows, order in zip((train, *sets), orders, strict=True))
        self.ranker_ = clone(self.ranker)
        # The ranker's own way of routing does not matter here: what it needs is handed over by name.
        with config_context(enable_metadata_routing=False):
            _fit_steps(self.ranker_, train, sets, fit_params)
        return self

    def predict(self, X: Any) -> Any:
        """Scores of the rows of X, in their order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            As in `fit`, with the column of ids if it was there.

        Returns
        -------
        ndarray of shape (n_samples,)
            The greater, the better within a query.
        """
        check_is_fitted(self)
        X = self._table(X, reset=False)
        return self.ranker_.predict(self._features(X))

    @property
    def feature_importances_(self) -> Any:
        """The importances that the ranker gives to its features."""
        return self._of_ranker("feature_importances_")

    @property
    def best_iteration_(self) -> Any:
        """The iteration that early stopping chose, counted as the ranker counts."""
        return self._of_ranker("best_iteration_", "best_iteration")

    def _of_ranker(self, *names: str) -> Any:
        check_is_fitted(self)
        final = _last_step(self.ranker_)[1]
        values = [getattr(final, name, None) for name in names]
        value = next((value for value in values if value is not None), None)
        # LightGBM counts iterations from 1 and says 0 where there was nothing to stop by.
        if value is None or (names[0] == "best_iteration_" and _form_of(final).ids == "group" and value < 1):
            message = f"{name_of(final)} has no {names[0]}."
            raise AttributeError(message)
        return value

    def _rows(self, X: Any, y: Any, groups: Any, *, reset: bool) -> _Rows:
        """Features, grades and codes of the queries, in the order given."""
        X = self._table(X, reset=reset)
        y = to_numpy(y, "y")
        try:
            y = column_or_1d(y)
            check_consistent_length(X, y)
        except ValueError as error:
            message = f"`y` must have one grade per row of X. {error}"
            raise ValueError(message) from error
        if self.groups is not None:
            if groups is not None:
                message = f"`groups` was given to fit, but the ids are column {self.groups!r} of X: use one of them."
                raise ValueError(message)
            groups = column_of(X, self.groups)
        elif groups is None:
            message = (
                "A ranker needs to know its queries: pass `groups` to fit (inside cross-validation by metadata "
                "routing, set_fit_request(groups=True)), or GroupedRanker(ranker, groups='qid') for a column of X."
            )
            raise ValueError(message)
        return _Rows(self._features(X), y, group_codes(groups, len(y))[0])

    def _eval_rows(self, eval_set: Any, eval_groups: Any) -> list[_Rows]:
        """The rows of each eval set."""
        if eval_set is None:
            if eval_groups is not None:
                message = "`eval_groups` was given without `eval_set`, whose ids they are."
                raise ValueError(message)
            return []
        pairs = _pairs(eval_set)
        if self.groups is not None:
            if eval_groups is not None:
                message = f"`eval_groups` was given, but the ids are column {self.groups!r} of X: use one of them."
                raise ValueError(message)
            ids = [None] * len(pairs)
        elif eval_groups is None:
            message = "`eval_set` needs its query ids: pass `eval_groups`, or GroupedRanker(ranker, groups='qid')."
            raise ValueError(message)
        else:
            ids = _per_set(eval_groups, len(pairs))
        sets = []
        for (X, y), groups in zip(pairs, ids, strict=True):
            try:
                sets.append(self._rows(X, y, groups, reset=False))
            except (TypeError, ValueError) as error:
                message = f"`eval_set` with its `eval_groups`: {error}"
                raise type(error)(message) from error
        return sets

    def _held_out(self, rows: _Rows, share: Fraction) -> tuple[_Rows, _Rows]:
        """The rows to train on, and those of the queries that are held out."""
        n_queries = int(rows.codes.max()) + 1
        n_held = ceil(share * n_queries)
        if n_held == n_queries:
            message = (
                f"`validation_fraction`={self.validation_fraction} of {n_queries} queries, rounded up, leaves none to "
                "train on."
            )
            raise ValueError(message)
        try:
            generator = check_random_state(self.random_state)
        except ValueError as error:
            message = f"`random_state` must be an integer, a RandomState or None, got {self.random_state!r}."
            raise ValueError(message) from error
        held = np.zeros(n_queries, dtype=bool)
        held[generator.permutation(n_queries)[:n_held]] = True
        held_rows = held[rows.codes]
        return rows.taken(np.flatnonzero(~held_rows)), rows.taken(np.flatnonzero(held_rows))

    def _table(self, X: Any, *, reset: bool) -> Any:
        """X as it is, but for its shape and names unchecked: its values are the ranker's affair."""
        if is_frame(X) or hasattr(X, "tocsr"):
            validate_data(self, X=X, reset=reset, skip_check_array=True)
            return X
        table = to_numpy(X, "X")
        if table.dtype.kind in "US" and isinstance(X, (list, tuple)):
            table = np.asarray(X, dtype=object)  # beside text NumPy turns numbers into text, too
        return validate_data(self, X=table, reset=reset, dtype=None, ensure_all_finite=False)

    def _features(self, X: Any) -> Any:
        """What the ranker sees of X."""
        if self.groups is None:
            return X
        if X.shape[1] == 1:
            message = "X has 1 feature(s), the ids of the groups: nothing is left to rank by."
            raise ValueError(message)
        return without_column(X, self.groups)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if hasattr(self.ranker, "__sklearn_tags__"):
            inner = self.ranker.__sklearn_tags__()
            tags.input_tags = inner.input_tags
            tags.non_deterministic = inner.non_deterministic
        return tags


# ---- rows and the order that rankers want them in


@dataclass(frozen=True)
class _Rows:
    """Rows of queries: features (n, m), grades (n,), codes of the queries (n,), weights (n,) or None."""

    X: Any
    y: NDArray[Any]
    codes: NDArray[np.intp]
    weights: NDArray[np.float64] | None = None

    def order(self) -> NDArray[np.intp]:
        """The places of the rows, query by query."""
        return np.argsort(self.codes, kind="stable")

    def taken(self, order: NDArray[np.intp]) -> _Rows:
        """Some rows, in that order; the codes of their queries count from 0."""
        if len(order) == len(self.y) and np.array_equal(order, np.arange(len(order))):
            return self
        codes, _ = group_codes(self.codes[order], len(order))
        weights = None if self.weights is None else self.weights[order]
        return _Rows(rows_of(self.X, order), self.y[order], codes, weights)


def _follow(name: str, value: Any, orders: list[NDArray[np.intp]]) -> Any:
    """A keyword of `fit` in the new order of the rows, if it has an entry per row."""
    if _is_per_row(name, value, len(orders[0])):
        return rows_of(value, orders[0])
    sets = orders[1:]
    if sets and isinstance(value, (list, tuple)) and len(value) == len(sets):
        return [_follow(name, part, [order]) for part, order in zip(value, sets, strict=True)]
    return value


def _is_per_row(name: str, value: Any, n_rows: int) -> bool:
    if name.rpartition("__")[2] in PER_COLUMN or isinstance(value, (str, bytes, dict)):
        return False
    shape = getattr(value, "shape", None)
    length = shape[0] if shape else len(value) if hasattr(value, "__len__") and shape is None else -1
    return bool(length == n_rows)


def _refuse_per_row(fit_params: dict[str, Any], n_rows: int) -> None:
    """Rows held out would need a keyword of their own."""
    name = next((name for name, value in fit_params.items() if _is_per_row(name, value, n_rows)), None)
    if name is not None:
        message = (
            f"`validation_fraction` holds rows out, and {name}, which has an entry per row, has no counterpart for "
            "them: "
            "pass `eval_set` instead."
        )
        raise ValueError(message)


# ---- eval sets and shares as users pass them


def _pairs(eval_set: Any) -> list[tuple[Any, Any]]:
    """One (X, y) or a list of them → a list."""
    if isinstance(eval_set, tuple) and len(eval_set) == 2 and not all(_is_pair(part) for part in eval_set):
        return [eval_set]
    if not isinstance(eval_set, (list, tuple)) or not eval_set or not all(_is_pair(part) for part in eval_set):
        found = name_of(eval_set)
        if isinstance(eval_set, (list, tuple)):
            found += f" of {', '.join(map(name_of, eval_set)) or 'nothing'}"
        message = f"`eval_set` must be a tuple (X, y) or a list of such tuples, got a {found}."
        raise TypeError(message)
    return list(eval_set)


def _is_pair(part: Any) -> bool:
    return isinstance(part, tuple) and len(part) == 2


def _per_set(values: Any, n_sets: int, name: str = "eval_groups") -> list[Any]:
    """What belongs to each eval set; of one set it may stand alone."""
    listed = isinstance(values, (list, tuple)) and all(
        hasattr(part, "__len__") and not isinstance(part, (str, bytes)) for part in values
    )
    if listed and len(values) == n_sets:
        return list(values)
    if n_sets == 1 and not (listed and len(values) > 1):
        return [values]
    found = f"{len(values)}" if listed else name_of(values)
    message = f"`{name}` must be a list with an array for each of {n_sets} eval sets, got {found}."
    raise ValueError(message)


def _with_weights(sets: list[_Rows], weights: Any, name: str) -> list[_Rows]:
    try:
        parts = _per_set(weights, len(sets), name)
        return [replace(rows, weights=check_weights(part, len(rows.y))) for rows, part in zip(sets, parts, strict=True)]
    except (TypeError, ValueError) as error:
        message = f"`{name}` has a weight per row of each eval set: {error}"
        raise type(error)(message) from error


def _check_share(share: Any) -> Fraction:
    """The share of the queries, as the decimal that is written."""
    number = check_number("validation_fraction", share, "a number between 0 and 1 or None", low=0, high=1)
    return Fraction(repr(number))


# ---- what the ranker's `fit` calls things


class _Form(NamedTuple):
    """How a library's `fit` calls ids (or sizes) and weights, and those of the rows to stop by."""

    ids: str
    weights: str
    eval_ids: str
    eval_weights: str

    def ids_of(self, rows: _Rows) -> NDArray[Any]:
        """The size of each query for LightGBM, for the others the id of each row."""
        return np.bincount(rows.codes) if self.ids == "group" else rows.codes

    def weights_of(self, rows: _Rows) -> Any:
        """A weight per row for LightGBM, per query for XGBoost, and that of its query per row for CatBoost."""
        if rows.weights is None or self.ids == "group":
            return rows.weights
        means = group_means(rows.codes, rows.weights)
        return means if self.ids == "qid" else means[rows.codes]

    def keywords(self, final: Any, rows: _Rows, sets: list[_Rows], params: dict[str, Any]) -> dict[str, Any]:
        """What `fit` is to be called with besides X and y."""
        known = _parameters(final)
        out: dict[str, Any] = {self.ids: self.ids_of(rows)}
        if rows.weights is not None:
            _require(final, known, self.weights, "sample_weight")
            out[self.weights] = self.weights_of(rows)
        if not sets:
            return out
        _require(final, known, "eval_set", "eval_set or validation_fraction")
        if self.ids == "group_id":
            return {**out, "eval_set": [self._pool(final, rows, params) for rows in sets]}
        if "eval_X" in known:  # LightGBM from 4.7 on, where eval_set is deprecated
            out |= {"eval_X": tuple(rows.X for rows in sets), "eval_y": tuple(rows.y for rows in sets)}
        else:
            out["eval_set"] = [(rows.X, rows.y) for rows in sets]
        out[self.eval_ids] = [self.ids_of(rows) for rows in sets]
        # Weights of rows held out are left away where the ranker has no use for them.
        if all(rows.weights is not None for rows in sets) and _takes(known, self.eval_weights):
            out[self.eval_weights] = [self.weights_of(rows) for rows in sets]
        return out

    def _pool(self, final: Any, rows: _Rows, params: dict[str, Any]) -> Any:
        """The rows in the form of CatBoost, which takes the ids of an eval set in no other."""
        own = final.get_params()
        kinds = {
            name: params.get(name, own.get(name)) for name in ("cat_features", "text_features", "embedding_features")
        }
        return import_module("catboost").Pool(
            rows.X, rows.y, group_id=rows.codes, group_weight=self.weights_of(rows), **kinds
        )


# XGBoost, which takes sizes, too, CatBoost and LightGBM.
FORMS = (
    _Form("qid", "sample_weight", "eval_qid", "sample_weight_eval_set"),
    _Form("group_id", "group_weight", "", ""),
    _Form("group", "sample_weight", "eval_group", "eval_sample_weight"),
)


def _parameters(final: Any) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(final.fit).parameters) if hasattr(final, "fit") else {}


def _takes(known: dict[str, inspect.Parameter], name: str) -> bool:
    return name in known or any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())


def _require(final: Any, known: dict[str, inspect.Parameter], name: str, argument: str) -> None:
    if not _takes(known, name):
        message = f"`{argument}` cannot be handed over: the fit of {name_of(final)} takes no {name}."
        raise TypeError(message)


def _form_of(final: Any) -> _Form:
    known = _parameters(final)
    for form in FORMS:
        if form.ids in known:
            return form
    keywords = ", ".join(form.ids for form in FORMS)
    message = f"The fit of {name_of(final)} takes none of {keywords}: GroupedRanker is for rankers."
    raise TypeError(message)


def _own_params(fit_params: dict[str, Any], prefix: str) -> set[str]:
    """The keywords of the ranker's own `fit`."""
    own = {name.removeprefix(prefix) for name in fit_params if name.startswith(prefix)}
    for name, instead in FILLED_IN.items():
        if name in own:
            message = f"`{prefix}{name}` of the ranker's fit is filled in here: pass {instead}."
            raise TypeError(message)
    return own


# ---- pipelines


def _last_step(ranker: Any) -> tuple[str, Any]:
    """The prefix of the keywords of the last step of a pipeline, and that step."""
    prefix = ""
    while hasattr(ranker, "steps"):
        step, ranker = ranker.steps[-1]
        prefix += f"{step}__"
    return prefix, ranker


def _fit_steps(ranker: Any, train: _Rows, sets: list[_Rows], params: dict[str, Any]) -> None:
    """Fit the steps of a pipeline one after the other, so that the rows to stop by pass them, too."""
    while hasattr(ranker, "steps"):
        name, last = ranker.steps[-1]
        inner = {key: value for key, value in params.items() if key.startswith(f"{name}__")}
        if len(ranker.steps) > 1:
            before = ranker[:-1]
            others = {key: value for key, value in params.items() if key not in inner}
            train = replace(train, X=before.fit_transform(train.X, train.y, **others))
            sets = [replace(rows, X=before.transform(rows.X)) for rows in sets]
            ranker.steps[:-1] = before.steps
        params = {key.removeprefix(f"{name}__"): value for key, value in inner.items()}
        ranker = last
    keywords = _form_of(ranker).keywords(ranker, train, sets, params)
    ranker.fit(train.X, train.y, **keywords, **params)
