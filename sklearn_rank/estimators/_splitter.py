"""Folds of whole groups, whose ids are a column of X."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from sklearn_rank._options import name_of
from sklearn_rank.inputs._containers import column_of
from sklearn_rank.inputs._ids import group_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class GroupedSplitter(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A cross-validator that hands the groups in a column of X to the one inside.

    Nested searches, successive halving and tools that pass no groups on split whole queries this way,
    with metadata routing on and off: each call finds the groups of the rows that it is given.

    Parameters
    ----------
    splitter : cross-validator
        One that takes groups: `GroupKFold`, `GroupShuffleSplit`, `StratifiedGroupKFold`, `LeaveOneGroupOut`.
    groups : str or int, default="qid"
        The column of X that holds the ids, by name or position. X itself is left as it is.

    See Also
    --------
    GroupedRanker : Takes the same column away before the ranker sees X.
    make_rank_scorer : Scores query by query with the ids of the same column.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import LeaveOneGroupOut
    >>> from sklearn_rank import GroupedSplitter
    >>> X = np.array([[7, 0.2], [8, 0.1], [7, 0.5]])
    >>> cv = GroupedSplitter(LeaveOneGroupOut(), groups=0)
    >>> [(train.tolist(), test.tolist()) for train, test in cv.split(X)]
    [([1], [0, 2]), ([0, 2], [1])]
    """

    # The groups are in X: metadata routing has nothing to bring.
    __metadata_request__split = {"groups": UNUSED}  # noqa: RUF012  read by scikit-learn on the class

    def __init__(self, splitter: Any, groups: Any = "qid") -> None:
        self.splitter = splitter
        self.groups = groups

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the rows of each fold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Features, and the ids in one column.
        y : array-like of shape (n_samples,), default=None
            Handed on; `StratifiedGroupKFold` reads it.
        groups : None
            There for compatibility: the groups are in X.

        Yields
        ------
        train, test : ndarray of int
            Positions of rows.

        Raises
        ------
        ValueError
            If the column is not there or has missing ids, or `groups` is given beside it.
        TypeError
            If `splitter` does not split or `groups` names no column.
        """
        self._check(groups)
        yield from self.splitter.split(X, y, groups=self._ids(X))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many folds there are.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Needed where the number depends on the groups.
        y : array-like of shape (n_samples,), default=None
            Handed on.
        groups : None
            There for compatibility: the groups are in X.

        Returns
        -------
        int
            The number of folds.
        """
        self._check(groups)
        return int(self.splitter.get_n_splits(X, y, None if X is None else self._ids(X)))

    @property
    def shuffle(self) -> Any:
        """Whether the splitter inside shuffles: successive halving refuses other folds at each call."""
        return self.splitter.shuffle

    @property
    def random_state(self) -> Any:
        """The seed of the splitter inside, which successive halving asks for."""
        return self.splitter.random_state

    def _check(self, groups: Any) -> None:
        if isinstance(self.splitter, (type, str, bytes)) or not hasattr(self.splitter, "get_n_splits"):
            message = f"`splitter` must be a cross-validator such as GroupKFold(5), got {self.splitter!r}."
            raise TypeError(message)
        if groups is not None:
            message = (
                f"`groups` was given ({name_of(groups)}), but the ids are column {self.groups!r} of X: use one of them."
            )
            raise ValueError(message)

    def _ids(self, X: Any) -> NDArray[Any]:
        """(n_samples,) ids as scikit-learn can sort them."""
        ids = column_of(X, self.groups)
        codes, _ = group_codes(ids, len(ids))  # which refuses missing ones
        try:
            np.unique(ids)
        except TypeError:  # ids of several types
            return codes
        return ids
