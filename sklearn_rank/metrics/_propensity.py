"""Metrics that weigh hits by how likely their item was to be labelled at all, and these chances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sklearn_rank._options import check_number
from sklearn_rank.inputs._containers import numeric, to_numpy
from sklearn_rank.inputs._ids import class_codes
from sklearn_rank.inputs._sparse import grades_in_csr

if TYPE_CHECKING:
    from numpy.typing import NDArray


def label_propensities(y: Any, a: float = 0.55, b: float = 1.5) -> NDArray[np.float64]:
    """The chance of each label to be recorded where it is true, estimated from how often it was.

    A label that N_l of the N training rows carry has the propensity p_l = 1 / (1 + C (N_l + b)^-a), where
    C = (ln N - 1) (b + 1)^a [1]_: rare labels are missed more often than frequent ones.

    Parameters
    ----------
    y : array-like or sparse matrix of shape (n_samples, n_items), or array-like of shape (n_samples,)
        The training labels: a matrix of 0 and 1, or one class label per row.
    a : float, default=0.55
        How fast the propensity rises with the frequency, at least 0; [1]_ uses 0.5 for Wikipedia and 0.6 for Amazon.
    b : float, default=1.5
        What is added to each frequency, above 0; [1]_ uses 0.4 for Wikipedia and 2.6 for Amazon.

    Returns
    -------
    ndarray of shape (n_items,) or (n_classes,)
        Values in (0, 1), one per column, or of class labels one per class in the order of ``numpy.unique(y)``.

    Raises
    ------
    ValueError
        If `y` has fewer than three rows (ln N - 1 is below 0), no column, a value other than 0 and 1 in a matrix, or a
        missing label; if `a` or `b` is out of range.
    TypeError
        If `y` is no array or its labels have no common order; if `a` or `b` is no number.

    See Also
    --------
    psprecision_at_k : Weighs hits by them.
    precision_at_k : Counts each hit alike.

    Notes
    -----
    Where a metric takes `propensity` beside `labels`, it belongs to the classes in the order of `labels`: with
    ``labels=numpy.unique(y)``, the classes that training saw, the result fits as it is; for another order take
    ``p[numpy.searchsorted(numpy.unique(y), labels)]``.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma (2016). Extreme multi-label loss functions for recommendation, tagging, ranking
       & other missing label applications. KDD, 935-944, section 5.

    Examples
    --------
    Of eight rows all carry the first label and one the second. With a = b = 1, C = 2 (ln 8 - 1) = 2.159, so the
    propensities are 1 / (1 + 2.159 / 9) and 1 / (1 + 2.159 / 2):

    >>> from sklearn_rank import label_propensities
    >>> y = [[1, 1]] + 7 * [[1, 0]]
    >>> label_propensities(y, a=1, b=1).round(4)
    array([0.8065, 0.4809])

    Class labels are counted per class, here "bird" twice and "cat" once:

    >>> label_propensities(["cat", "bird", "bird"], a=1, b=1).round(4)
    array([0.9383, 0.9102])
    """
    a = check_number("a", a, "a finite number of at least 0", low=-np.finfo(np.float64).smallest_subnormal)
    b = check_number("b", b, "a finite number above 0", low=0)
    n_rows, counts = _label_counts(y)
    if n_rows < 3:
        message = f"`y` needs at least three rows, since ln N - 1 must be above 0, got N = {n_rows}."
        raise ValueError(message)
    with np.errstate(over="ignore"):  # whose inverse is 0
        odds = (np.log(n_rows) - 1) * ((b + 1) / (counts + b)) ** a
    return np.asarray(1 / (1 + odds))


def _label_counts(y: Any) -> tuple[int, NDArray[np.intp]]:
    """The number of rows, and of rows with each label."""
    if sparse.issparse(y):
        csr = grades_in_csr(y, "y")
        _check_binary(csr.data)
        n_rows, n_columns = csr.shape
        counts = np.bincount(csr.indices[csr.data != 0], minlength=n_columns)
    else:
        y = to_numpy(y, "y")
        if y.ndim == 1:
            return len(y), np.bincount(class_codes(y, "y")[1])
        if np.ma.is_masked(y):
            message = "`y` must not be masked: each label is there or it is not."
            raise ValueError(message)
        if y.ndim != 2:
            message = (
                f"`y` must be a label matrix (n_samples, n_items) or class labels (n_samples,), got shape {y.shape}."
            )
            raise ValueError(message)
        y = numeric(np.asarray(y), "y")
        _check_binary(y)
        n_rows, n_columns = y.shape
        counts = np.count_nonzero(y, axis=0)
    if not n_columns:
        message = f"`y` needs at least one column, got shape {(n_rows, n_columns)}."
        raise ValueError(message)
    return n_rows, counts


def _check_binary(values: NDArray[Any]) -> None:
    other = values[(values != 0) & (values != 1)]
    if other.size:
        message = (
            f"`y` must be a label matrix of 0 and 1 and holds the value {other[0]}; of grades pass `y >= threshold`, "
            "class labels as one vector."
        )
        raise ValueError(message)
