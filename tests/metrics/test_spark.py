"""The Spark example runs and agrees with Spark's own evaluator; it needs pyspark and Java."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "spark_accumulator.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("spark_accumulator", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*arguments, **options):
    command = [sys.executable, EXAMPLE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300, **options)


def test_agrees_with_spark(example):
    reason = example.what_is_missing()
    if reason is not None:
        pytest.skip(reason)
    done = run("--rows", "20020")  # the last query has fewer items
    assert done.returncode == 0, done.stderr
    assert "20020 rows, 401 queries" in done.stdout
    assert "They agree to 1e-9." in done.stdout
    pairs = re.findall(r"^\S+ +(0\.\d{12})  Spark (0\.\d{12})$", done.stdout, flags=re.MULTILINE)
    assert len(pairs) == 4
    assert all(abs(float(ours) - float(theirs)) < 1e-9 for ours, theirs in pairs)


def test_says_why_it_does_not_run(example, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["spark_accumulator.py"])
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    example.main()
    assert re.fullmatch(r"Not run: (\w+ is not installed|JAVA_HOME=.* has no bin/java)\.\n", capsys.readouterr().out)


def test_queries_that_are_cut_by_frames(example):
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"query": [1, 1, 1, 2, 2, 3], "relevant": [0, 0, 1, 1, 0, 1], "score": [3, 2, 1, 2, 1, 1]})
    expected = (1 / 3 + 1 + 1) / 3
    for bounds in ([0, 6], [0, 2, 2, 4, 6], range(7)):
        frames = [rows[start:stop] for start, stop in pairwise(bounds)]
        (out,) = example.score_partition(iter(frames))
        accumulator = example.pickle.loads(out["state"][0])
        assert accumulator.result()["mrr"] == pytest.approx(expected, rel=1e-15)
    (out,) = example.score_partition(iter([]))
    assert accumulator.merge(example.pickle.loads(out["state"][0])).result()["mrr"] == pytest.approx(
        expected, rel=1e-15
    )
