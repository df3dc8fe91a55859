"""Spark: one small state a partition
==================================

Ranking metrics of a million scored items of many queries.

Each partition feeds its queries into a `RankingAccumulator` and hands over one row, the pickled state; the driver
merges them. The sums are exact, so that the result does not depend on how Spark cuts the data. It is compared with
Spark's own `RankingEvaluator`, which collects the ranked items of each query into a list, where the definitions meet:
MAP@k, nDCG@k, precision@k and recall@k of relevance 0 and 1 without ties. `RankingAccumulator` takes ties, grades and
weights, too, and all metrics in one pass. Not run here::

    pip install pyspark pandas pyarrow        and Java 17 or later
    python examples/spark_accumulator.py
    python examples/spark_accumulator.py --rows 20000
"""

import argparse
import importlib.util
import os
import pickle
import shutil
import sys
import time
from functools import reduce
from pathlib import Path

from sklearn_rank import RankingAccumulator

K = 10
ITEMS = 50  # of each query
# Our name of what Spark calls otherwise.
SHARED = {
    f"map@{K}": "meanAveragePrecisionAtK",
    f"ndcg@{K}": "ndcgAtK",
    f"precision@{K}": "precisionAtK",
    f"recall@{K}": "recallAtK",
}
METRICS = [*SHARED, "mrr", "r_precision"]


def what_is_missing():
    """Why this cannot run here, or None."""
    for package in ("pyspark", "pandas", "pyarrow"):
        if importlib.util.find_spec(package) is None:
            return f"{package} is not installed"
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=str(Path(home) / "bin") if home else None) is None:
        return f"JAVA_HOME={home} has no bin/java" if home else "there is no java on the PATH, and JAVA_HOME is not set"
    return None


def score_partition(frames):
    """Frames of rows sorted by query -> one frame of one row, the pickled accumulator.

    Spark cuts a partition into frames wherever it likes, so the last query of a frame waits for the next one.
    """
    import pandas as pd

    accumulator = RankingAccumulator(METRICS)
    waiting = None
    for part in frames:
        frame = part if waiting is None else pd.concat([waiting, part])
        if frame.empty:
            continue
        unfinished = frame["query"] == frame["query"].iloc[-1]
        waiting, whole = frame[unfinished], frame[~unfinished]
        accumulator.update(whole["relevant"], whole["score"], groups=whole["query"])
    if waiting is not None:
        accumulator.update(waiting["relevant"], waiting["score"], groups=waiting["query"])
    yield pd.DataFrame({"state": [pickle.dumps(accumulator)]})


def scored_items(spark, n_rows):
    """Columns query, item, relevant and score; relevant items have somewhat greater scores."""
    from pyspark.sql import functions as F

    def uniform(seed):  # of 52 bits: no two items of a query get the same score
        return F.pmod(F.xxhash64(F.col("id"), F.lit(seed)), F.lit(2**52)) / F.lit(2.0**52)

    return (
        spark.range(n_rows)
        .withColumn("query", F.floor(F.col("id") / ITEMS))
        .withColumn("item", F.col("id") % ITEMS)
        .withColumn("relevant", (uniform(1) < 0.1).cast("int"))
        .withColumn("score", uniform(2) + 0.3 * F.col("relevant"))
    )


def by_accumulators(rows):
    """All metrics from one pass; a query stays within one partition."""
    partitions = rows.select("query", "relevant", "score").repartition("query").sortWithinPartitions("query")
    states = partitions.mapInPandas(score_partition, "state binary").collect()
    return reduce(RankingAccumulator.merge, [pickle.loads(row.state) for row in states])


def by_spark(rows):
    """Spark's own figures, from the ranked list and the relevant items of each query."""
    from pyspark.ml.evaluation import RankingEvaluator
    from pyspark.sql import functions as F

    ranked = F.sort_array(F.collect_list(F.struct("score", "item")), asc=False)
    lists = (
        rows.groupBy("query")
        .agg(
            F.transform(ranked, lambda pair: pair["item"].cast("double")).alias("prediction"),
            F.collect_list(F.when(F.col("relevant") == 1, F.col("item").cast("double"))).alias("label"),
        )
        .cache()
    )
    return {ours: RankingEvaluator(metricName=theirs, k=K).evaluate(lists) for ours, theirs in SHARED.items()}


def timed(name, function, *args):
    begin = time.perf_counter()
    value = function(*args)
    print(f"{name}: {time.perf_counter() - begin:.1f} s")
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    n_rows = parser.parse_args().rows
    reason = what_is_missing()
    if reason is not None:
        print(f"Not run: {reason}.")
        return
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("sklearn_rank")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")  # no warning for each query without a relevant item: 0 for both
    try:
        rows = scored_items(spark, n_rows)
        print(f"{n_rows} rows, {-(-n_rows // ITEMS)} queries, Spark {spark.version}")
        accumulator = timed("RankingAccumulator, all metrics", by_accumulators, rows)
        theirs = timed(f"RankingEvaluator, {len(SHARED)} metrics", by_spark, rows)
    finally:
        spark.stop()
    ours = accumulator.result()
    for name, value in ours.items():
        print(f"{name:12} {value:.12f}" + (f"  Spark {theirs[name]:.12f}" if name in theirs else ""))
    worst = max(abs(ours[name] - value) for name, value in theirs.items())
    if worst > 1e-9:
        sys.exit(f"They differ by up to {worst:.1e}.")
    print("They agree to 1e-9.")


if __name__ == "__main__":
    main()
