"""One way to give query ids to rankers that each have their own."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from sklearn_rank._options import name_of
from sklearn_rank.inputs._containers import column_of, is_frame, rows_of, to_numpy, without_column
from sklearn_rank.inputs._ids import group_codes

# What rankers call the ids of rows sorted by query (XGBoost, CatBoost), or the sizes of the queries (LightGBM).
KEYWORDS = ("qid", "group_id", "group")


class GroupedRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A ranker that takes query ids, whatever the ranker inside calls them.

    Rows may stand in any order. They are sorted by query for the ranker, which gets sizes or ids as its
    `fit` asks for: `group` (LightGBM), `qid` (XGBoost) or `group_id` (CatBoost).

    Parameters
    ----------
    ranker : estimator
        An XGBRanker, LGBMRanker, CatBoostRanker, another estimator whose `fit` takes `qid`, `group_id`
        or `group`, or a pipeline that ends in one.
    groups : str or int, default=None
        The column of X that holds the query ids, by name or position. It is removed before the
        ranker sees X, in `fit` and in `predict`. None: the ids are the `groups` of `fit`, by metadata
        routing with ``set_fit_request(groups=True)``.

    Attributes
    ----------
    ranker_ : estimator
        The fitted ranker.
    n_features_in_ : int
        Number of columns of X, the ids included.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where it has names.

    See Also
    --------
    make_rank_scorer : Scorers that take the query ids from the same column.

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

    def __init__(self, ranker: Any, *, groups: Any = None) -> None:
        self.ranker = ranker
        self.groups = groups

    def fit(self, X: Any, y: Any, groups: Any = None) -> GroupedRanker:
        """Fit the ranker on rows sorted by query.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features, and the query ids if `groups` names their column.
        y : array-like of shape (n_samples,)
            Relevance.
        groups : array-like of shape (n_samples,), default=None
            The query id of each row, unless X holds them.

        Returns
        -------
        self : GroupedRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If there are no groups, two of them, or missing ids.
        TypeError
            If the `fit` of the ranker takes none of qid, group_id and group.
        """
        if y is None:
            message = "GroupedRanker requires y to be passed, but the target y is None."
            raise ValueError(message)
        if isinstance(self.ranker, type) or not hasattr(self.ranker, "fit"):
            message = f"`ranker` must be an estimator such as LGBMRanker(), got {self.ranker!r}."
            raise TypeError(message)
        X = self._table(X, reset=True)
        y = column_or_1d(y)
        check_consistent_length(X, y)
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
        codes, n_groups = group_codes(groups, len(y))
        X = self._features(X)
        if np.any(codes[1:] < codes[:-1]):
            order = np.argsort(codes, kind="stable")
            X, y, codes = rows_of(X, order), y[order], codes[order]
        self.ranker_ = clone(self.ranker)
        name, keyword = _group_keyword(self.ranker_)
        value = np.bincount(codes, minlength=n_groups) if keyword == "group" else codes
        # The ranker's own way of routing does not matter here: what it needs is handed over by name.
        with config_context(enable_metadata_routing=False):
            self.ranker_.fit(X, y, **{name: value})
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


def _group_keyword(ranker: Any) -> tuple[str, str]:
    """What `fit` calls the groups, with the name of its step in a pipeline, and alone."""
    prefix = ""
    final = ranker
    while hasattr(final, "steps"):
        step, final = final.steps[-1]
        prefix += f"{step}__"
    known = inspect.signature(final.fit).parameters
    for keyword in KEYWORDS:
        if keyword in known:
            return prefix + keyword, keyword
    message = f"The fit of {name_of(final)} takes none of {', '.join(KEYWORDS)}: GroupedRanker is for rankers."
    raise TypeError(message)
