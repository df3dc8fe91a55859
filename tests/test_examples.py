"""The short example runs as a program; the long one is `make demo`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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
