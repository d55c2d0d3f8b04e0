"""Measures of small predictions by scikit-learn -> measures.json

    python tests/reference/measures.py

Layout of the file:

    {"cases": [{"name": str,
                "truth": [[0 or 1; d]; N], "predicted": [[0 or 1; d]; N], "marginals": [[float; d]; N],
                "zero_division": {"0": {measure: value}, "1": {measure: value}},   # depend on the policy
                "values": {measure: value}}]}                                      # do not

Every value is scikit-learn's except those under `by_enumeration` (precision and recall among the first k labels and
the one-error: the average over all orders of the labels that agree with the scores) and `macro_f1_of_means` (numpy).
Marginals are multiples of 1/8, so ties are common.
"""

import warnings
from itertools import permutations

import numpy as np
from sklearn import metrics
from sklearn.calibration import calibration_curve

from store import store

AT = (1, 3, 5)
BINS = 10


def by_enumeration(truth, marginals, k):
    """Mean precision@k, and recall@k per row (None without labels), averaged over orders that break ties."""
    hits = []
    for labels, scores in zip(truth, marginals):
        orders = [o for o in permutations(range(len(scores))) if all(np.diff(scores[list(o)]) <= 0)]
        hits.append(np.mean([labels[list(o[:k])].sum() for o in orders]))
    counts = truth.sum(axis=1)
    recalls = [hit / count if count else None for hit, count in zip(hits, counts)]
    return np.mean(hits) / k, recalls


def f1_of_means(truth, predicted):
    precisions, recalls = [], []
    for y, p in zip(truth.T, predicted.T):
        precisions.append((y & p).sum() / p.sum() if p.any() else 1.0)
        recalls.append((y & p).sum() / y.sum() if y.any() else 1.0)
    precision, recall = np.mean(precisions), np.mean(recalls)
    return 2 * precision * recall / (precision + recall)


def expected_calibration_error(y, p):
    true_share, mean_p = calibration_curve(y, p, n_bins=BINS, strategy="uniform")
    bins = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], p)
    counts = np.bincount(bins, minlength=BINS)
    counts = counts[counts > 0]
    return np.sum(counts * np.abs(true_share - mean_p)) / len(p)


def with_policy(truth, predicted, marginals, zero):
    values = {
        "micro_f1": metrics.f1_score(truth, predicted, average="micro", zero_division=zero),
        "macro_f1": metrics.f1_score(truth, predicted, average="macro", zero_division=zero),
        "example_f1": metrics.f1_score(truth, predicted, average="samples", zero_division=zero),
        "jaccard": metrics.jaccard_score(truth, predicted, average="samples", zero_division=zero),
    }
    for k in AT:
        if k <= truth.shape[1]:
            recalls = by_enumeration(truth, marginals, k)[1]
            values[f"recall_at_{k}"] = np.mean([zero if recall is None else recall for recall in recalls])
    return {name: float(value) for name, value in values.items()}


def without_policy(truth, predicted, marginals):
    flat_truth, flat = truth.ravel(), marginals.ravel()
    both = [label for label in range(truth.shape[1]) if 0 < truth[:, label].sum() < len(truth)]
    values = {
        "exact_match": metrics.accuracy_score(truth, predicted),
        "hamming_loss": metrics.hamming_loss(truth, predicted),
        "macro_f1_of_means": f1_of_means(truth, predicted),
        "ranking_loss": metrics.label_ranking_loss(truth, marginals),
        "coverage": metrics.coverage_error(truth, marginals),
        "average_precision": metrics.label_ranking_average_precision_score(truth, marginals),
        "one_error": 1 - by_enumeration(truth, marginals, 1)[0],
        "brier": metrics.brier_score_loss(flat_truth, flat),
        "calibration_error": expected_calibration_error(flat_truth, flat),
    }
    if both:
        areas = [metrics.roc_auc_score(truth[:, label], marginals[:, label]) for label in both]
        values["macro_auc"] = np.mean(areas)
        values["micro_auc"] = metrics.roc_auc_score(flat_truth, flat)
    for k in AT:
        if k <= truth.shape[1]:
            values[f"precision_at_{k}"] = by_enumeration(truth, marginals, k)[0]
            values[f"ndcg_at_{k}"] = metrics.ndcg_score(truth, marginals, k=k)
    return {name: float(value) for name, value in values.items()}


def predictions(rng, rows, labels):
    """Marginals that know something, and sets that mostly follow them."""
    truth = (rng.random((rows, labels)) < rng.random(labels)).astype(int)
    signal = 0.3 * (2 * truth - 1) * rng.random(truth.shape)
    noise = 0.2 * rng.normal(size=truth.shape)
    marginals = np.round(8 * np.clip(0.5 + signal + noise, 0, 1)) / 8
    predicted = np.where(rng.random(truth.shape) < 0.1, 1 - truth, marginals >= 0.5).astype(int)
    return truth, predicted, marginals


def cases(rng):
    yield "general", *predictions(rng, 20, 5)
    truth, predicted, marginals = predictions(rng, 16, 5)
    truth[:4] = 0
    predicted[2:6] = 0
    truth[6] = 1
    yield "empty and full rows", truth, predicted, marginals
    truth, predicted, marginals = predictions(rng, 12, 5)
    truth[:, 0] = predicted[:, 0] = 0
    truth[:, 1] = 0
    predicted[:, 2] = 0
    truth[:, 3] = 1
    yield "labels never seen, never predicted, always there", truth, predicted, marginals
    truth, predicted, _ = predictions(rng, 10, 4)
    yield "every score equal", truth, predicted, np.full(truth.shape, 0.5)
    truth, _, _ = predictions(rng, 10, 3)
    yield "perfect", truth, truth, truth.astype(float)
    yield "all wrong", truth, 1 - truth, 1.0 - truth
    yield "one row", *predictions(rng, 1, 5)


def main():
    rng = np.random.default_rng(2011)
    out = []
    for name, truth, predicted, marginals in cases(rng):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an undefined value must not slip into the file
            policies = {str(zero): with_policy(truth, predicted, marginals, zero) for zero in (0, 1)}
            values = without_policy(truth, predicted, marginals)
        data = {"truth": truth.tolist(), "predicted": predicted.tolist(), "marginals": marginals.tolist()}
        out.append({"name": name} | data | {"zero_division": policies, "values": values})
    store("measures.json", {"cases": out})


if __name__ == "__main__":
    main()
