"""Retrieval: two TREC runs
========================

From files to values by query, a test, and a table for a paper.

Recipe of the data: 1500 documents of 60 words and 60 queries of 4, from a vocabulary of 2000 words that falls into
40 topics. Half of the words are of any topic; of the others a document takes three quarters from its first topic
and a quarter from its second, a query all from one. A document is judged 2 by its first topic, 1 by its second,
and for one in ten of the others a 0 is noted. The first run ranks by tf-idf, the second by latent semantic analysis.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from sklearn_rank import compare, evaluate, from_qrels, ndcg_at_k, read_qrels, read_run

N_DOCUMENTS, N_QUERIES, N_WORDS, N_TOPICS = 1500, 60, 2000, 40


def bags(random, topics, n_words):
    """(n, N_WORDS) counts of words, half of any topic, half of the row's topics with weights 3 to 1."""
    counts = np.zeros((len(topics), N_WORDS))
    for row, pair in enumerate(topics):
        drawn = np.where(random.random(n_words) < 0.75, pair[0], pair[-1])
        drawn = np.where(random.random(n_words) < 0.5, random.integers(0, N_TOPICS, n_words), drawn)
        # Within a topic words are as frequent as 1 / rank.
        ranks = np.minimum(random.zipf(1.5, n_words), N_WORDS // N_TOPICS) - 1
        np.add.at(counts[row], drawn + N_TOPICS * ranks, 1)
    return counts


def write_files(folder, random):
    """Writes qrels.txt, tfidf.run and lsa.run."""
    topics = np.array([random.choice(N_TOPICS, 2, replace=False) for _ in range(N_DOCUMENTS)])
    asked = random.integers(0, N_TOPICS, (N_QUERIES, 1))
    grades = 2 * (topics[:, 0] == asked) + (topics[:, 1] == asked)
    judged = (grades > 0) | (random.random(grades.shape) < 0.1)
    with (folder / "qrels.txt").open("w") as file:
        for query, document in np.argwhere(judged):
            file.write(f"q{query} 0 d{document} {grades[query, document]}\n")

    weights = TfidfTransformer(sublinear_tf=True)
    documents = weights.fit_transform(bags(random, topics, 60))
    queries = weights.transform(bags(random, asked, 4))
    reduced = TruncatedSVD(40, random_state=0)
    scores = {
        "tfidf": (queries @ documents.T).toarray(),
        "lsa": normalize(reduced.fit(documents).transform(queries)) @ normalize(reduced.transform(documents)).T,
    }
    for name, of_run in scores.items():
        with (folder / f"{name}.run").open("w") as file:
            for query, row in enumerate(of_run):
                for rank, document in enumerate(np.argsort(-row, kind="stable")[:100], 1):
                    file.write(f"q{query} Q0 d{document} {rank} {row[document]:.6f} {name}\n")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, np.random.default_rng(0))
        qrels = read_qrels(folder / "qrels.txt")
        runs = {name: read_run(folder / f"{name}.run") for name in ("tfidf", "lsa")}

    # trec_eval takes 1 and above for relevant, divides MAP by all relevant documents and puts the greater id
    # first among equal scores.
    options = {"relevance_threshold": 1, "ties": "first"}
    metrics = [("map", {"denominator": "relevant"}), "precision@10", "recall@100", "mrr"]
    values, by_query = {}, {}
    for name, run in runs.items():
        y_true, y_scores = from_qrels(qrels, run)
        values[name] = evaluate(y_true, y_scores, metrics, **options)
        by_query[name] = ndcg_at_k(y_true, y_scores, 10, ties="first", average=None)

    # Rows are the queries of the qrels in their order.
    print("nDCG@10 by query, where the runs differ most")
    difference = by_query["lsa"] - by_query["tfidf"]
    queries = list(qrels)
    for row in np.argsort(-np.abs(difference), kind="stable")[:5]:
        print(f"{queries[row]:>4}  {by_query['tfidf'][row]:.4f}  {by_query['lsa'][row]:.4f}  {difference[row]:+.4f}")

    print("\nqueries won by lsa, tied, lost:", *((np.sign(difference) == sign).sum() for sign in (1, 0, -1)))

    comparison = compare(qrels, runs, metrics, random_state=0, **options)
    print()
    print(comparison)

    print("\nfor a paper; * differs from tfidf at 0.05 after Holm's correction")
    better = {(row.model, row.metric): row.p_adjusted < 0.05 for row in comparison.rows}
    print(" & ".join(["run", *values["tfidf"]]), r"\\")
    for name, row in values.items():
        cells = [f"{value:.3f}{'*' if better[name, metric] else ''}" for metric, value in row.items()]
        print(" & ".join([name, *cells]), r"\\")

    _, axes = plt.subplots(figsize=(8, 3), layout="constrained")
    falling = np.sort(difference)[::-1]
    axes.bar(range(len(falling)), falling, color=np.where(falling > 0, "tab:blue", "tab:orange"))
    axes.set(xlabel="queries", ylabel="nDCG@10, lsa - tfidf")
    plt.show()


if __name__ == "__main__":
    main()
