"""A small run of both fuzzers, the same every time; `make fuzz` runs them for minutes."""

from __future__ import annotations

import random
from fractions import Fraction

import fuzz_arguments
import fuzz_problems
import fuzz_values
import oracles
import pytest
from fuzzing import SIZES, _constants, block_sizes, fingerprint, run, search


class TestValues:
    @pytest.mark.parametrize("kind", fuzz_problems.PROBLEMS)
    def test_against_the_loops(self, kind):
        """The loops give the same figure, whatever the container, the dtype and the way in which it is asked."""
        if kind == "named":
            pytest.importorskip("pandas")
        faults = search(fuzz_values.check, fuzz_values.cases((kind,)), examples=60, number=1)
        assert not faults, "\n\n".join(fault.text for fault in faults)

    @pytest.mark.parametrize("hand", ["function", "rows", "evaluate", "accumulator", "parts", "batches", "comparison"])
    def test_a_wrong_value_is_found(self, monkeypatch, hand):
        problem = fuzz_problems.Problem("np.eye(2)", "np.eye(2)", [[1, 0], [0, 1]], [[1.0, 0.0], [0.0, 1.0]])
        case = fuzz_values.Case(problem, "mrr", 1, {}, {"ties": "average"}, 1, None, hand, {}, 1)
        assert fuzz_values.check(case) is None
        monkeypatch.setitem(oracles.ORACLES, "mrr", lambda ranked, row, k: Fraction(1, 3))
        assert fuzz_values.check(case).kind.startswith("value")

    def test_block_sizes(self):
        """Sizes are found by name, set where they are used, and put back."""
        assert "BLOCK_CELLS" in SIZES
        before = _constants()
        with block_sizes(dict.fromkeys(SIZES, 1)):
            assert {value for _, _, value in _constants()} == {1}
        assert _constants() == before

    @pytest.mark.parametrize(
        "code", ["np.zeros(2)", "[np.zeros(2)]", "sparse.csr_array([[1.0]])", "{'a': np.zeros(2)}"]
    )
    def test_written_input_is_seen(self, code):
        value = run(code)
        before = fingerprint(value)
        part = {"n": lambda: value, "[": lambda: value[0], "s": lambda: value.data, "{": lambda: value["a"]}[code[0]]()
        part[0] = 7
        assert fingerprint(value) != before


class TestArguments:
    def test_every_argument_is_attacked(self):
        """A new public name or argument has to be added to the table of good values."""
        assert fuzz_arguments.unknown() == []

    def test_good_calls(self):
        assert fuzz_arguments.failing() == []

    def test_hostile_values(self):
        attacks = [attack for attack in fuzz_arguments.attacks() if not attack.isolated]
        faults = {}
        for attack in random.Random(1).sample(attacks, 800):
            fault = fuzz_arguments.check(attack)
            if fault is not None:
                faults[fault.kind] = fault.text
        assert not faults, "\n\n".join(faults.values())
