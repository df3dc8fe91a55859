"""Both fuzzers for as many seconds as are given; each kind of fault is shown once, with code that shows it.

python tests/fuzz/fuzz_loop.py 600 [SEED]      (PYTHONPATH=tests:tests/fuzz comes from the Makefile)
"""

from __future__ import annotations

import itertools
import random
import sys
import time

import fuzz_arguments
import fuzz_problems
import fuzz_values
from fuzzing import search


def show(fault, known):
    """Print a fault unless its kind was seen."""
    if fault is not None and fault.kind not in known:
        known[fault.kind] = fault
        sys.stdout.write(f"\n---- {fault.kind}\n{fault.text}\n".encode(errors="backslashreplace").decode())
        sys.stdout.flush()


def main(seconds, number):
    """Values and arguments in turn; 1 if there was a fault."""
    end = time.monotonic() + seconds
    known = {}
    left = fuzz_arguments.attacks()
    random.Random(number).shuffle(left)
    total, cases = len(left), 0
    for turn in itertools.count(number):
        for kind in fuzz_problems.PROBLEMS:
            for fault in search(fuzz_values.check, fuzz_values.cases((kind,)), examples=200, number=turn, known=known):
                show(fault, known)
            cases += 200
        stop = time.monotonic() + 10
        while left and time.monotonic() < min(stop, end):
            show(fuzz_arguments.check(left.pop()), known)
        if time.monotonic() > end:
            break
    sys.stdout.write(
        f"\n{cases} cases, {total - len(left)} of {total} attacks, {len(known)} kinds of faults, seed {number}\n"
    )
    return int(bool(known))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)))
