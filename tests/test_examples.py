"""The short example runs as a program; the long one is `make demo`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_digits():
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "digits_map3.py"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=None,
        timeout=60,
    )
    assert done.stderr == ""
    found = re.search(r"Best is (\d+); on the other half MAP@3 (0\.\d{4})\nThe same by hand: (0\.\d{4})\n", done.stdout)
    best, by_scorer, by_hand = found.groups()
    assert by_scorer == by_hand
    # Nearly all digits come first: the score is close to the accuracy of nearest neighbours, 0.98.
    assert 0.97 < float(by_scorer) < 1
    candidates = dict(re.findall(r"^ ?(\d+) neighbours: MAP@3 (0\.\d{4})$", done.stdout, flags=re.MULTILINE))
    assert len(candidates) == 4
    assert best == max(candidates, key=lambda k: float(candidates[k]))


def test_compare_models(tmp_path):
    pytest.importorskip("matplotlib")
    command = [sys.executable, ROOT / "examples" / "compare_models.py", "--save", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=120)
    assert "1797 rankings, baseline naive Bayes, 95% intervals, 9999 resamples" in done.stdout
    # Logistic regression is better than naive Bayes beyond doubt: the least p-value that 9999 flips can show.
    last = done.stdout.strip().splitlines()[-1]
    assert re.search(r"hit_rate@1 +logistic +0\.\d{4} .* \+0\.\d{4} .* 0\.0001 ", last)
    for name in ("comparison", "models", "metrics", "folds"):
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000
