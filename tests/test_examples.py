"""The short example runs as a program; the long one is `make demo`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_rank

ROOT = Path(__file__).parent.parent


def test_digits():
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "digits_map3.py"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "LOKY_MAX_CPU_COUNT": "1"},  # joblib says so where a bare machine hides its processor
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
    assert re.search(r"\nhit_rate@1 +logistic +0\.\d{4} .* \+0\.\d{4} .* 0\.0001 ", done.stdout)
    assert re.search(r"\n\| c logistic \| \*\*0\.\d{3}\*\*<sup>ab</sup> \|", done.stdout)
    for name in ("comparison", "pairs", "models", "metrics", "folds"):
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000


def test_recommender():
    pytest.importorskip("pandas")
    command = [sys.executable, ROOT / "examples" / "recommender.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=120)
    assert done.stderr == ""
    # Every tenth of 2000 users has nothing held out; as rows of 0 they would take a tenth off the mean.
    assert "1800 of 2000 users have held-out items." in done.stdout
    found = re.findall(r"^recall@50 of (\w+): (0\.\d{4}), others as 0: (0\.\d{4})$", done.stdout, flags=re.MULTILINE)
    values = {name: (float(value), float(with_others)) for name, value, with_others in found}
    assert all(abs(value * 0.9 - with_others) < 1e-4 for value, with_others in values.values())
    # The data have tastes, which factors find and popularity does not.
    assert values["factors"][0] > values["popularity"][0] + 0.1
    segments = re.findall(r"^(up to 15|16 to 25|more) +0\.\d+ +0\.\d+$", done.stdout, flags=re.MULTILINE)
    assert segments == ["up to 15", "16 to 25", "more"]
    shown = dict(re.findall(r"^(\w+): (\d+) of 600$", done.stdout, flags=re.MULTILINE))
    assert int(shown["factors"]) > int(shown["popularity"])
    assert re.search(r"^recall@50 +factors +0\.\d{4} ", done.stdout, flags=re.MULTILINE)


def test_retrieval():
    command = [sys.executable, ROOT / "examples" / "retrieval.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=120)
    assert done.stderr == ""
    rows = re.findall(r"^ *q\d+ +([01]\.\d{4}) +([01]\.\d{4}) +([+-]\d\.\d{4})$", done.stdout, flags=re.MULTILINE)
    assert len(rows) == 5
    assert all(abs(float(second) - float(first) - float(gap)) < 2e-4 for first, second, gap in rows)
    counts = re.search(r"^queries won by lsa, tied, lost: (\d+) (\d+) (\d+)$", done.stdout, flags=re.MULTILINE)
    assert sum(map(int, counts.groups())) == 60
    # The paper's table repeats the values of the comparison, one better one marked at least.
    value = re.search(r"^map\(denominator=relevant\) +lsa +(0\.\d{3})", done.stdout, flags=re.MULTILINE)[1]
    paper = re.search(r"^lsa & (0\.\d{3})(\*?) & .* \\\\$", done.stdout, flags=re.MULTILINE)
    assert abs(float(paper[1]) - float(value)) < 2e-3
    assert paper[2] == "*"


def output_of(name):
    # One thread: on a busy machine those of scikit-learn's trees wait for one another.
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / name],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.stderr == ""
    return done.stdout


def test_learning_to_rank():
    found = re.findall(
        r"^(\w+) +nDCG@10 (0\.\d{4}), MAP@10 .* after \d+ rounds\)$",
        output := output_of("learning_to_rank.py"),
        re.MULTILINE,
    )
    skipped = re.findall(r"^(\w+) is skipped: .+$", output, re.MULTILINE)
    assert sorted([name for name, _ in found] + skipped) == ["CatBoostRanker", "LGBMRanker", "XGBRanker"]
    assert all(float(figure) > 0.75 for _, figure in found)  # documents in random order have 0.43
    same = re.findall(r"by routing (0\.\d{6}), by a column of X (0\.\d{6})", output)
    assert len(same) == min(1, len(found))
    assert all(one == other for one, other in same)


@pytest.mark.skipif(not hasattr(sklearn_rank, "top_k"), reason="top_k is not there")
def test_contest():
    output = output_of("contest_map3.py")
    (test_rows,) = re.findall(
        r"^with_scikit_learn +stopped after .*: MAP@3 of the test rows (0\.\d{4})$", output, re.MULTILINE
    )
    assert re.search(rf"The organiser's figure: {test_rows}$", output, re.MULTILINE)
    assert len(re.findall(r"^with_\w+ +(stopped after|skipped:)", output, re.MULTILINE)) == 4
    assert len(re.findall(r"^[012],\S+ \S+ \S+$", output, re.MULTILINE)) == 3


def test_leads():
    output = output_of("leads.py")
    (precision,) = re.findall(r"top +5%: precision (0\.\d{3})", output)
    assert re.search(rf"90 leads, {precision} of them convert", output)
    probability, value, best = map(int, re.search(r"calls: (\d+) by .*, (\d+) by .*, (\d+) at best", output).groups())
    assert probability < value < best
