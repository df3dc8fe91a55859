"""The examples run as programs and print what they claim; the long one is `make demo`, that of Spark `make spark`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = {path.stem for path in (ROOT / "examples").glob("*.py")}
RUN_ELSEWHERE = {"see_also", "spark_accumulator"}
QUIET = {
    "MPLBACKEND": "agg",
    "LOKY_MAX_CPU_COUNT": "1",  # joblib says so where a bare machine hides its processor
    "OMP_NUM_THREADS": "1",  # on a busy machine the threads of trees wait for one another
}


def output_of(name, *arguments):
    """What an example prints; it warns of nothing."""
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py", *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, **QUIET},
        timeout=180,
    )
    assert done.stderr == ""
    return done.stdout


def table_in(output):
    """Row of a printed table -> its numbers."""
    found = re.findall(r"^ *(\S.*?)  +(-?[\d.]+(?:  +-?[\d.]+)*)$", output, flags=re.MULTILINE)
    return {name: [float(number) for number in numbers.split()] for name, numbers in found}


def test_every_example_has_a_test():
    named = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert named >= EXAMPLES - RUN_ELSEWHERE
    assert len(EXAMPLES - RUN_ELSEWHERE) >= 10


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_begins_with_the_title_of_its_page(name):
    title, line, empty, *_ = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert title.startswith('"""')
    assert line == "=" * len(title.removeprefix('"""'))
    assert empty == ""


def test_digits_map3():
    output = output_of("digits_map3")
    found = re.search(r"Best is (\d+); on the other half MAP@3 (0\.\d{4})\nThe same by hand: (0\.\d{4})\n", output)
    best, by_scorer, by_hand = found.groups()
    assert by_scorer == by_hand
    # Nearly all digits come first: the score is close to the accuracy of nearest neighbours, 0.98.
    assert 0.97 < float(by_scorer) < 1
    candidates = dict(re.findall(r"^ ?(\d+) neighbours: MAP@3 (0\.\d{4})$", output, flags=re.MULTILINE))
    assert len(candidates) == 4
    assert best == max(candidates, key=lambda k: float(candidates[k]))


def test_compare_models(tmp_path, optional):
    optional("matplotlib")
    output = output_of("compare_models", "--save", tmp_path)
    assert "1797 rankings, baseline naive Bayes, 95% intervals, 9999 resamples" in output
    # Logistic regression is better than naive Bayes beyond doubt: the least p-value that 9999 flips can show.
    assert re.search(r"\nhit_rate@1 +logistic +0\.\d{4} .* \+0\.\d{4} .* 0\.0001 ", output)
    assert re.search(r"\n\| c logistic \| \*\*0\.\d{3}\*\*<sup>ab</sup> \|", output)
    for name in ("comparison", "pairs", "models", "metrics", "folds"):
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000


def test_recommender(optional):
    optional("matplotlib")
    optional("pandas")
    output = output_of("recommender")
    # Every tenth of 2000 users has nothing held out; as rows of 0 they would take a tenth off the mean.
    assert "1800 of 2000 users have held-out items." in output
    found = re.findall(r"^recall@50 of (\w+): (0\.\d{4}), others as 0: (0\.\d{4})$", output, flags=re.MULTILINE)
    values = {name: (float(value), float(with_others)) for name, value, with_others in found}
    assert all(abs(value * 0.9 - with_others) < 1e-4 for value, with_others in values.values())
    # The data have tastes, which factors find and popularity does not.
    assert values["factors"][0] > values["popularity"][0] + 0.1
    segments = re.findall(r"^(up to 15|16 to 25|more) +0\.\d+ +0\.\d+$", output, flags=re.MULTILINE)
    assert segments == ["up to 15", "16 to 25", "more"]
    shown = dict(re.findall(r"^(\w+): (\d+) of 600$", output, flags=re.MULTILINE))
    assert int(shown["factors"]) > int(shown["popularity"])
    assert re.search(r"^recall@50 +factors +0\.\d{4} ", output, flags=re.MULTILINE)


def test_retrieval(optional):
    optional("matplotlib")
    output = output_of("retrieval")
    rows = re.findall(r"^ *q\d+ +([01]\.\d{4}) +([01]\.\d{4}) +([+-]\d\.\d{4})$", output, flags=re.MULTILINE)
    assert len(rows) == 5
    assert all(abs(float(second) - float(first) - float(gap)) < 2e-4 for first, second, gap in rows)
    counts = re.search(r"^queries won by lsa, tied, lost: (\d+) (\d+) (\d+)$", output, flags=re.MULTILINE)
    assert sum(map(int, counts.groups())) == 60
    # The paper's table repeats the values of the comparison, one better one marked at least.
    value = re.search(r"^map\(denominator=relevant\) +lsa +(0\.\d{3})", output, flags=re.MULTILINE)[1]
    paper = re.search(r"^lsa & (0\.\d{3})(\*?) & .* \\\\$", output, flags=re.MULTILINE)
    assert abs(float(paper[1]) - float(value)) < 2e-3
    assert paper[2] == "*"


def test_learning_to_rank(optional):
    optional("matplotlib")
    optional("pandas")
    output = output_of("learning_to_rank")
    found = re.findall(r"^(\w+) +nDCG@10 (0\.\d{4}), MAP@10 .* after \d+ rounds\)$", output, re.MULTILINE)
    skipped = re.findall(r"^(\w+) is skipped: .+$", output, re.MULTILINE)
    assert sorted([name for name, _ in found] + skipped) == ["CatBoostRanker", "LGBMRanker", "XGBRanker"]
    assert all(float(figure) > 0.75 for _, figure in found)  # documents in random order have 0.43
    same = re.findall(r"by routing (0\.\d{6}), by a column of X (0\.\d{6})", output)
    assert len(same) == min(1, len(found))
    assert all(one == other for one, other in same)


def test_contest_map3():
    output = output_of("contest_map3")
    (test_rows,) = re.findall(
        r"^with_scikit_learn +stopped after .*: MAP@3 of the test rows (0\.\d{4})$", output, re.MULTILINE
    )
    assert re.search(rf"The organiser's figure: {test_rows}$", output, re.MULTILINE)
    assert len(re.findall(r"^with_\w+ +(stopped after|skipped:)", output, re.MULTILINE)) == 4
    assert len(re.findall(r"^[012],\S+ \S+ \S+$", output, re.MULTILINE)) == 3


def test_leads(optional):
    optional("matplotlib")
    output = output_of("leads")
    (precision,) = re.findall(r"top +5%: precision (0\.\d{3})", output)
    assert re.search(rf"90 leads, {precision} of them convert", output)
    probability, value, best = map(int, re.search(r"calls: (\d+) by .*, (\d+) by .*, (\d+) at best", output).groups())
    assert probability < value < best


def test_batches():
    output = output_of("batches", "--rows", "1500", "--items", "500")
    in_batches, whole = re.search(
        r"^MAP@10 in batches (0\.\d{12}), as a whole (0\.\d{12})$", output, re.MULTILINE
    ).groups()
    assert in_batches == whole


def test_ties_forest(optional):
    optional("matplotlib")
    table = table_in(output_of("ties_forest"))
    assert list(table)[-7:] == ["1", "2", "4", "8", "16", "32", "64"]
    for best, average, first, reversed_columns, worst in table.values():
        assert worst <= min(first, average, reversed_columns) <= max(first, average, reversed_columns) <= best
    # One tree of pure leaves has ties nearly everywhere; of 64 trees hardly any are left.
    assert table["1"][0] - table["1"][4] > 0.1
    assert table["64"][0] - table["64"][4] < 0.005
    assert table["1"][2] != table["1"][3]


def test_denominators(optional):
    optional("matplotlib")
    table = table_in(output_of("denominators"))
    assert list(table) == ["1", "3", "5", "10", "20"]
    for attainable, relevant, by_k, hits in table.values():
        assert max(relevant, by_k) <= attainable <= hits  # max(R, k) >= min(R, k) >= hits
    # At 20 of 20 labels min(R, k) is R, and all relevant ones are hits.
    assert table["20"][0] == table["20"][1] == table["20"][3] > table["20"][2]
    # One rank: min(R, 1), 1 and the hits are the same divisor.
    assert table["1"][0] == table["1"][2] == table["1"][3] > table["1"][1]


def test_screening(optional):
    optional("matplotlib")
    table = table_in(output_of("screening"))
    # 212 of 569 are malignant; the tenth of all, rounded up, is 57.
    share = 212 / 569
    assert table["chance"] == pytest.approx([share, 57 / 569, share, 0.5], abs=5e-4)
    assert all(value > chance for value, chance in zip(table["tree"], table["chance"], strict=True))
    assert table["logistic"][1] == pytest.approx(table["logistic"][0] * 57 / 212, abs=1e-3)


def test_image_retrieval(optional):
    optional("matplotlib")
    output = output_of("image_retrieval")
    assert "600 rankings, baseline pixels" in output
    figures = re.findall(r"^(\S+) +(pixels|discriminants) +(0\.\d{4}) ", output, re.MULTILINE)
    values = {(metric, model): float(value) for metric, model, value in figures}
    for metric in ("precision@10", "map@R", "r_precision"):
        assert values[metric, "discriminants"] > values[metric, "pixels"]
    # MAP cut at R divides by R, and no precision@i exceeds 1: it stays below the share of hits.
    assert values["map@R", "pixels"] < values["r_precision", "pixels"]


def test_monitoring(optional):
    optional("matplotlib")
    output = output_of("monitoring")
    days = [(int(n), float(value)) for n, value in re.findall(r"^ +\d  +(\d+)  (0\.\d{4})$", output, re.MULTILINE)]
    week, whole = re.search(r"^week (0\.\d{10}), from all the data (0\.\d{10});", output, re.MULTILINE).groups()
    assert week == whole
    # The figure of the week is the mean of the days by their images, up to the rounding of what is printed.
    assert len(days) == 7
    assert abs(sum(n * value for n, value in days) / sum(n for n, _ in days) - float(week)) < 1e-4
    assert days[6][1] < days[0][1] - 0.05


def test_rare_labels(optional):
    optional("matplotlib")
    table = table_in(output_of("rare_labels"))
    # Popularity alone loses more under propensities than a model that knows the row.
    frequent, ridge, weighted = table["most frequent"], table["ridge"], table["ridge / p"]
    assert frequent[1] / frequent[0] < ridge[1] / ridge[0] < weighted[1] / weighted[0]
