"""Out of core: a score matrix that does not fit into memory
=========================================================

Out of core: MAP@10 of a score matrix that does not fit into memory.

The scores lie in a file, users by items, written and read a block of users at a time. What is relevant is a sparse
matrix, which is small. Two ways to the same number:

- `RankingAccumulator` takes batches as they are read, from wherever they come;
- `map_at_k` takes the file as a `numpy.memmap` and goes through it in blocks by itself.

What they need is measured in two ways. `tracemalloc` counts what Python and numpy allocate. The resident memory of the
process counts everything, but for a memory map it also counts the pages of the file that the system happens to keep:
they are as many as there is memory free, and are dropped as soon as it is wanted elsewhere. So the part of it that is
anonymous, that is not such pages, is what a limit has to allow (Linux tells it; sampled while the work is done)::

    python examples/batches.py                              a few seconds' worth
    python examples/batches.py --full                       60,000 x 20,000 scores, 4.8 GB
    python examples/batches.py --rows 2000 --items 500
"""

import argparse
import shutil
import sys
import tempfile
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
from scipy import sparse

from sklearn_rank import RankingAccumulator, map_at_k

RELEVANT = 20  # items of each user
STATUS = Path("/proc/self/status")


def write_scores(path: Path, n_rows: int, n_items: int, batch: int) -> sparse.csr_array:
    """A file of (n_rows, n_items) float32 scores, by a model of a few factors, and what is relevant."""
    rng = np.random.default_rng(0)
    items = rng.standard_normal((4, n_items), dtype=np.float32)
    columns = np.empty((n_rows, RELEVANT), np.int32)
    with path.open("wb") as file:
        for start in range(0, n_rows, batch):
            n = min(batch, n_rows - start)
            scores = rng.standard_normal((n, 4), dtype=np.float32) @ items
            relevant = rng.integers(0, n_items, (n, RELEVANT), dtype=np.int32)
            relevant.sort(axis=1)
            scores[np.arange(n)[:, None], relevant] += 4  # the model knows something
            scores.tofile(file)
            columns[start : start + n] = relevant
    # An item that was drawn twice is stored once, as relevant as the others.
    first = np.column_stack([np.ones(n_rows, bool), columns[:, 1:] != columns[:, :-1]])
    indptr = np.concatenate([[0], np.cumsum(first.sum(axis=1))])
    return sparse.csr_array((np.ones(indptr[-1], np.int8), columns[first], indptr), shape=(n_rows, n_items))


def by_batches(y_true: sparse.csr_array, path: Path, batch: int) -> float:
    """MAP@10 of blocks that are read one after the other."""
    n_rows, n_items = y_true.shape
    accumulator = RankingAccumulator(["map@10"])
    with path.open("rb") as file:
        for start in range(0, n_rows, batch):
            rows = slice(start, min(start + batch, n_rows))
            scores = np.fromfile(file, np.float32, (rows.stop - rows.start) * n_items).reshape(-1, n_items)
            accumulator.update(y_true[rows], scores)
    return accumulator.result()["map@10"]


def by_memory_map(y_true: sparse.csr_array, path: Path) -> float:
    """MAP@10 of the file as if it were an array."""
    return map_at_k(y_true, np.memmap(path, np.float32, "r", shape=y_true.shape), 10)


def anonymous_memory() -> int:
    """Bytes of this process that are no pages of a file; 0 where the system does not tell."""
    if not STATUS.exists():
        return 0
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(lines.get("RssAnon", "0 kB").split()[0]) * 1024


def peak_resident_memory() -> int:
    """The most bytes that this process has had in memory, pages of files included; 0 where nothing tells."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measured(name, function, *args):
    """The result of a call, with a line on time and memory."""
    most, done = [anonymous_memory()], threading.Event()

    def sample():
        while not done.wait(0.02):
            most[0] = max(most[0], anonymous_memory())

    watch = threading.Thread(target=sample)
    watch.start()
    tracemalloc.start()
    begin = time.perf_counter()
    try:
        value = function(*args)
    finally:
        seconds = time.perf_counter() - begin
        allocated = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        done.set()
        watch.join()
    print(
        f"{name:20} {seconds:6.1f} s, peaks: allocated {allocated / 1e6:.0f} MB, "
        f"anonymous {most[0] / 1e6:.0f} MB, resident with pages of the file {peak_resident_memory() / 1e6:.0f} MB"
    )
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=1000, help="rows that are in memory together")
    parser.add_argument("--full", action="store_true", help="60,000 rows and 20,000 items, 4.8 GB of disk")
    options = parser.parse_args()
    n_rows, n_items = (60_000, 20_000) if options.full else (options.rows, options.items)
    size = 4 * n_rows * n_items
    with tempfile.TemporaryDirectory() as folder:
        if shutil.disk_usage(folder).free < 1.1 * size:
            sys.exit(f"{folder} has no room for {size / 1e9:.1f} GB; TMPDIR names another place.")
        path = Path(folder) / "scores.f32"
        print(f"{n_rows} x {n_items} scores, {size / 1e9:.2f} GB")
        y_true = measured("written", write_scores, path, n_rows, n_items, options.batch)
        # In this order, since the peak of resident memory never falls.
        in_parts = measured("RankingAccumulator", by_batches, y_true, path, options.batch)
        whole = measured("map_at_k of a memmap", by_memory_map, y_true, path)
    print(f"MAP@10 in batches {in_parts:.12f}, as a whole {whole:.12f}")
    if abs(in_parts - whole) > 1e-12:
        sys.exit("They differ.")


if __name__ == "__main__":
    main()
