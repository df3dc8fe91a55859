"""Model selection by ranking metrics for scikit-learn.

Metrics: precision_at_k, recall_at_k, f1_at_k, hit_rate_at_k, map_at_k, mrr_at_k, dcg_at_k, ndcg_at_k,
err_at_k, r_precision, rbp, roc_auc, bpref, judged_at_k, psprecision_at_k, psrecall_at_k, psndcg_at_k; evaluate for
many at once, expected_random for the level of chance; apk and mapk for lists of ids.
The best items themselves: top_k; how likely labels are recorded: label_propensities.
Scorers: map_at_k_scorer and its siblings, make_rank_scorer, rank_scorers.
Comparison of models: compare and its Comparison, out_of_fold_scores, RankingCurveDisplay.
Parts: RankingAccumulator, and dask arrays in every function.
Inputs: from_frames, from_lists, from_qrels, read_qrels, read_run.
Learning to rank: GroupedRanker, GroupedSplitter, make_eval_metric.
"""

from sklearn import metrics as _sklearn_metrics  # noqa: F401  first: after other parts of SciPy it takes 0.1 s longer

from sklearn_rank.comparison._compare import compare
from sklearn_rank.comparison._comparison import Comparison
from sklearn_rank.comparison._display import RankingCurveDisplay
from sklearn_rank.estimators._boosting import make_eval_metric
from sklearn_rank.estimators._cross_val import out_of_fold_scores
from sklearn_rank.estimators._rankers import GroupedRanker
from sklearn_rank.estimators._scorers import (
    bpref_scorer,
    dcg_at_k_scorer,
    f1_at_k_scorer,
    hit_rate_at_k_scorer,
    judged_at_k_scorer,
    make_rank_scorer,
    map_at_k_scorer,
    mrr_at_k_scorer,
    ndcg_at_k_scorer,
    precision_at_k_scorer,
    r_precision_scorer,
    rank_scorers,
    rbp_scorer,
    recall_at_k_scorer,
    roc_auc_scorer,
)
from sklearn_rank.estimators._splitter import GroupedSplitter
from sklearn_rank.inputs._lists import apk, from_lists, mapk
from sklearn_rank.inputs._qrels import from_qrels
from sklearn_rank.inputs._tables import from_frames
from sklearn_rank.inputs._trec import read_qrels, read_run
from sklearn_rank.metrics._accumulate import RankingAccumulator
from sklearn_rank.metrics._binary import (
    f1_at_k,
    hit_rate_at_k,
    map_at_k,
    mrr_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
    roc_auc,
)
from sklearn_rank.metrics._chance import expected_random
from sklearn_rank.metrics._evaluate import evaluate
from sklearn_rank.metrics._graded import dcg_at_k, err_at_k, ndcg_at_k, rbp
from sklearn_rank.metrics._judged import bpref, judged_at_k
from sklearn_rank.metrics._propensity import label_propensities
from sklearn_rank.metrics._propensity_metrics import psndcg_at_k, psprecision_at_k, psrecall_at_k
from sklearn_rank.ranking._top import top_k

__version__ = "0.1.0.dev0"

__all__ = [
    "Comparison",
    "GroupedRanker",
    "GroupedSplitter",
    "RankingAccumulator",
    "RankingCurveDisplay",
    "apk",
    "bpref",
    "bpref_scorer",
    "compare",
    "dcg_at_k",
    "dcg_at_k_scorer",
    "err_at_k",
    "evaluate",
    "expected_random",
    "f1_at_k",
    "f1_at_k_scorer",
    "from_frames",
    "from_lists",
    "from_qrels",
    "hit_rate_at_k",
    "hit_rate_at_k_scorer",
    "judged_at_k",
    "judged_at_k_scorer",
    "label_propensities",
    "make_eval_metric",
    "make_rank_scorer",
    "map_at_k",
    "map_at_k_scorer",
    "mapk",
    "mrr_at_k",
    "mrr_at_k_scorer",
    "ndcg_at_k",
    "ndcg_at_k_scorer",
    "out_of_fold_scores",
    "precision_at_k",
    "precision_at_k_scorer",
    "psndcg_at_k",
    "psprecision_at_k",
    "psrecall_at_k",
    "r_precision",
    "r_precision_scorer",
    "rank_scorers",
    "rbp",
    "rbp_scorer",
    "read_qrels",
    "read_run",
    "recall_at_k",
    "recall_at_k_scorer",
    "roc_auc",
    "roc_auc_scorer",
    "top_k",
]
