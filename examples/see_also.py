"""Tags: the "See Also" links of scikit-learn
==========================================

Which functions and classes does a page of scikit-learn's reference point to? Tune two models by MAP@10.

Each public class and function of the installed scikit-learn is a document: its docstring without the
"See Also" section. The names in that section are its relevant items. A good model ranks them first.
"""

import inspect
import re
import textwrap
import warnings

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.discovery import all_displays, all_estimators, all_functions

from sklearn_rank import map_at_k, map_at_k_scorer, rank_scorers


def read_reference() -> tuple[list[str], list[str], list[set[str]]]:
    """Names, texts and links of the documents that link to another one."""
    pages = {name: inspect.getdoc(page) or "" for name, page in all_estimators() + all_functions() + all_displays()}
    names, texts, links = [], [], []
    for name, page in sorted(pages.items()):
        sections = re.split(r"\n(?=\S.*\n-{3,}\n)", page)  # a title with a line of dashes below it
        see_also = [section for section in sections if section.startswith("See Also")]
        # Entries start a line, "Ridge : Ridge regression."; their descriptions may go on, indented.
        entries = re.findall(r"^([\w.]+(?:, [\w.]+)*)", "\n".join(see_also), flags=re.MULTILINE)
        linked = {entry.rpartition(".")[2] for line in entries for entry in line.split(", ")} & set(pages) - {name}
        if linked:
            names.append(name)
            texts.append("\n".join(section for section in sections if section not in see_also))
            links.append(linked)
    return names, texts, links


def print_candidates(search: GridSearchCV) -> None:
    """A line for each candidate, the best first."""
    results = search.cv_results_
    for i in np.argsort(results["rank_test_map@10"], kind="stable"):
        settings = ", ".join(f"{name.partition('__')[2]}={value}" for name, value in results["params"][i].items())
        print(f"  {results['mean_test_map@10'][i]:.3f}   {results['mean_test_mrr@10'][i]:.3f}   {settings}")


def main() -> None:
    names, texts, links = read_reference()
    binarizer = MultiLabelBinarizer()
    Y = binarizer.fit_transform(links)  # a row per document, a column per item, 1 where it is linked
    items = binarizer.classes_
    print(
        f"{len(names)} documents link to {Y.shape[1]} items, {np.mean(Y.sum(axis=0) <= 2):.0%} of which "
        "have one or two links:\nmost training folds lack some of them altogether.\n"
    )

    # The last quarter of the documents, in random order, is kept for the end.
    train, test = train_test_split(np.arange(len(names)), test_size=0.25, random_state=0)
    X_train, Y_train = [texts[i] for i in train], Y[train]
    X_test, Y_test = [texts[i] for i in test], Y[test]
    folds = KFold(4, shuffle=True, random_state=0)
    nearest = make_pipeline(TfidfVectorizer(sublinear_tf=True), KNeighborsClassifier(metric="cosine"))
    grid = {
        "kneighborsclassifier__n_neighbors": [2, 4, 8, 16],
        "kneighborsclassifier__weights": ["uniform", "distance"],
    }

    # 1. The shortest way: a ready scorer, MAP@10.
    search = GridSearchCV(nearest, grid, scoring=map_at_k_scorer, cv=folds, n_jobs=2).fit(X_train, Y_train)
    best = {name.partition("__")[2]: value for name, value in search.best_params_.items()}
    print(f"1. Nearest neighbours tuned by map_at_k_scorer: {best}, MAP@10 {search.best_score_:.3f}\n")

    # 2. Two metrics from one prediction and one ranking a fold; MAP@10 chooses. Ridge predicts a score per item.
    linear = make_pipeline(TfidfVectorizer(), Ridge(solver="sparse_cg"))
    searches = {}
    print("2. All candidates\n  MAP@10  MRR@10")
    for model, its_grid in (
        (nearest, grid),
        (linear, {"tfidfvectorizer__sublinear_tf": [False, True], "ridge__alpha": [0.1, 1.0, 10.0]}),
    ):
        both = GridSearchCV(
            model, its_grid, scoring=rank_scorers(["map@10", "mrr@10"]), refit="map@10", cv=folds, n_jobs=2
        ).fit(X_train, Y_train)
        name = type(model[-1]).__name__
        searches[name] = both
        print(name)
        print_candidates(both)

    # 3. What the best of each grid is worth on documents that took no part: a scorer is called with model, X, Y.
    print(f"\n3. MAP@10 of the {len(test)} documents kept apart")
    for name, both in searches.items():
        print(f"  {map_at_k_scorer(both.best_estimator_, X_test, Y_test):.3f}   {name}")

    # 4. Its answers. predict of Ridge has a column per item, so a sort of each row is the ranking. No page links
    #    to itself: -inf takes an item out of a ranking, here and in the metrics.
    scores = searches["Ridge"].predict(X_test)
    scores[np.array(names)[test, None] == items] = -np.inf
    print(
        f"\n4. Without links to the page itself Ridge has {map_at_k(Y_test, scores, 10):.3f}. "
        "Its first five answers, * marks right ones"
    )
    for row, its_scores in list(zip(test, scores, strict=True))[:6]:
        top = [f"{'*' * Y[row, j]}{items[j]}" for j in np.argsort(-its_scores)[:5]]
        print(f"  {names[row]} (links: {Y[row].sum()}): {', '.join(top)}")

    # 5. The same grid with make_scorer. predict_proba of nearest neighbours is a list with an array for each
    #    item, of one column where all training rows agree; only the estimator knows whether that is 0 or 1.
    plain = make_scorer(map_at_k, response_method="predict_proba", k=10)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search = GridSearchCV(nearest, grid, scoring=plain, cv=folds, refit=False).fit(X_train, Y_train)
    print(f"\n5. The nearest neighbours again, by make_scorer(map_at_k): {search.cv_results_['mean_test_score']}")
    message = str(caught[0].message).strip().splitlines()[-1]
    print(f"   {len(caught)} warnings, the first of which says")
    print(textwrap.indent(textwrap.fill(message, 100), "   "))


if __name__ == "__main__":
    main()
