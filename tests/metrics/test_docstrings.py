"""Parameters that metrics share are described in one wording, which stands whole in each docstring."""

from __future__ import annotations

import inspect
import re

import pytest

from sklearn_rank.metrics._registry import METRICS

READ_IN_SEVERAL_WAYS = ("y_true", "relevance_threshold")  # binary, graded and judged metrics read grades differently


def described(function):
    """Parameter → its line in the docstring, and the text below."""
    text = re.search(r"\nParameters\n-+\n(.*?)\n\n[A-Z]", inspect.getdoc(function), re.DOTALL).group(1)
    entries = [entry.partition("\n") for entry in re.split(r"\n(?=\w)", text)]
    return {line.split(" : ")[0]: (line, " ".join(below.split())) for line, _, below in entries}


SHARED = sorted(set.intersection(*(set(described(metric.function)) for metric in METRICS.values())))


def test_what_all_metrics_share():
    assert set(SHARED) == {
        "average", "groups", "labels", "n_jobs", "sample_weight", "ties", "y_scores", "y_true", "zero_division"
    }  # fmt: skip


@pytest.mark.parametrize("name", [*SHARED, "k", "relevance_threshold"])
def test_one_wording(name):
    wordings = {}
    for metric in METRICS.values():
        parameters = described(metric.function)
        if name not in parameters:
            continue
        line, text = parameters[name]
        kind = (metric.graded, metric.judged) if name in READ_IN_SEVERAL_WAYS else None
        values = re.sub(r", default=.*", "", line)  # the metric's own default may be another
        assert wordings.setdefault((values, kind), text) == text, metric.name
    assert wordings
    if name not in ("average", *READ_IN_SEVERAL_WAYS):
        assert len(wordings) == 1
