"""Classifier chains by scikit-learn -> chain.json

    python tests/reference/chain.py

Layout of the file:

    {"cases": [{"x": [[float; m]; N],          # training rows
                "y": [[0 or 1; d]; N],
                "order": [int; d],             # label at each place of the chain
                "cost": float,                 # C; the intercept is not penalised
                "test": [[float; m]; T],
                "truth": [[0 or 1; d]; T],
                "predicted": [[0 or 1; d]; T],         # greedy, in the labels' own order
                "probabilities": [[float; d]; T],      # given the greedy predictions, in the labels' own order
                "teacher_forced": [float; T],          # log P(truth), each label given the true earlier ones
                "greedy_path": [float; T]}]}           # log P(truth), each label given the predicted earlier ones
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain

from store import store

CASES = [(1, 40, 3, 3, 1.0), (2, 60, 4, 5, 0.1), (3, 60, 2, 4, 10.0)]


def labels_of(rng, x, size):
    """Labels that depend on the row and on the label before."""
    weights = rng.normal(size=(x.shape[1], size))
    y = np.zeros((len(x), size), dtype=int)
    for label in range(size):
        score = x @ weights[:, label] + (1.5 * (2 * y[:, label - 1] - 1) if label else 0)
        y[:, label] = rng.random(len(x)) < 1 / (1 + np.exp(-score))
    return y


def log_likelihoods(chain, x, truth, path):
    total = np.zeros(len(x))
    for place, label in enumerate(chain.order_):
        rows = np.hstack([x, path[:, chain.order_[:place]]])
        logs = chain.estimators_[place].predict_log_proba(rows)
        total += logs[np.arange(len(x)), truth[:, label]]
    return total


def main():
    cases = []
    for seed, rows, features, size, cost in CASES:
        rng = np.random.default_rng(seed)
        x = np.round(rng.normal(size=(rows + 20, features)), 3)
        y = labels_of(rng, x, size)
        order = rng.permutation(size)
        base = LogisticRegression(C=cost, tol=1e-12, max_iter=10_000, solver="newton-cholesky")
        chain = ClassifierChain(base, order=order).fit(x[:rows], y[:rows])
        test, truth = x[rows:], y[rows:]
        predicted = chain.predict(test).astype(int)
        cases.append(
            {
                "x": x[:rows].tolist(),
                "y": y[:rows].tolist(),
                "order": order.tolist(),
                "cost": cost,
                "test": test.tolist(),
                "truth": truth.tolist(),
                "predicted": predicted.tolist(),
                "probabilities": chain.predict_proba(test).tolist(),
                "teacher_forced": log_likelihoods(chain, test, truth, truth).tolist(),
                "greedy_path": log_likelihoods(chain, test, truth, predicted).tolist(),
            }
        )
    store("chain.json", {"cases": cases})


if __name__ == "__main__":
    main()
