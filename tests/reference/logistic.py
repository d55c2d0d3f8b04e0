"""Optima of L2 logistic regressions and softmax regressions on small data -> logistic.json

    python tests/reference/logistic.py

Layout of the file:

    {"binary": [{"name": str,
                 "sparse": bool,             # a hint to test the sparse code path; x is written densely all the same
                 "x": [[float; m]; N],       # without the constant feature
                 "y": [+1 or -1; N],
                 "weights": [float; N] or null,      # s, all 1 when null; some are 0
                 "problems": [{"cost": float,        # C
                               "bias": "penalised" or "free",
                               "objective": float,   # at the optimum
                               "solution": [float; m + 1]}]}],   # feature weights, then the bias
     "softmax": [{"name": str,
                  "x": [[float; m]; N],      # without the constant feature
                  "targets": [[float; K]; N],        # h, rows sum to 1
                  "problems": [{"penalty": float,    # lambda
                                "objective": float,
                                "solution": [[float; m + 1]; K]}]}]}   # per class: feature weights, then the bias

Objectives, with x the row and z = w.x + b:

    binary:   1/2 |w|^2 (+ 1/2 b^2 when the bias is penalised) + C sum_n s_n log(1 + exp(-y_n z_n))
    softmax:  -sum_n sum_k h_nk log g_k(x_n) + lambda/2 (|theta|^2, biases included)

Binary optima come from scikit-learn (every solver that can pose the problem, tight tolerance); the best is polished
with Newton steps, and the script fails if the polished objective is not within 1e-9 of scikit-learn's. Softmax
optima come from scipy's L-BFGS, polished with Newton steps.
"""

import warnings

import numpy as np
from scipy import optimize, special
from sklearn.linear_model import LogisticRegression

from store import store


def with_constant(x):
    return np.hstack([x, np.ones((len(x), 1))])


def binary_objective(w, x, y, s, cost, penalised):
    """Value, gradient and Hessian; x has the constant feature last, `penalised` is a 0/1 vector over features."""
    margin = y * (x @ w)
    value = 0.5 * np.sum(penalised * w * w) + cost * np.sum(s * np.logaddexp(0, -margin))
    gradient = penalised * w - cost * (x.T @ (s * y * special.expit(-margin)))
    curvature = cost * s * special.expit(margin) * special.expit(-margin)
    hessian = np.diag(penalised) + (x.T * curvature) @ x
    return value, gradient, hessian


def polish(w, evaluate):
    """Newton steps for as long as the gradient shrinks; `evaluate` gives value, gradient, Hessian."""
    value, gradient, hessian = evaluate(w)
    for _ in range(50):
        step = np.linalg.solve(hessian, gradient)
        next_value, next_gradient, next_hessian = evaluate(w - step)
        if not np.linalg.norm(next_gradient) < np.linalg.norm(gradient):
            break
        w, value, gradient, hessian = w - step, next_value, next_gradient, next_hessian
    return w, value, gradient


def scikit_learn_optima(x, y, s, cost, bias):
    """(w, b) of every scikit-learn solver that can pose the problem."""
    free = bias == "free"
    # Only liblinear penalises its intercept; for the other solvers the constant is a feature like any other.
    tries = [(solver, x if free else with_constant(x), free) for solver in ("lbfgs", "newton-cholesky")]
    if not free:
        tries.append(("liblinear", x, True))
    for solver, features, intercept in tries:
        model = LogisticRegression(C=cost, solver=solver, fit_intercept=intercept, tol=1e-13, max_iter=20_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a tolerance below rounding is asked for on purpose
            model.fit(features, y, sample_weight=s)
        yield np.append(model.coef_[0], model.intercept_) if intercept else model.coef_[0]


def binary_optimum(x, y, s, cost, bias):
    features = with_constant(x)
    penalised = np.ones(features.shape[1])
    penalised[-1] = bias == "penalised"

    def evaluate(w):
        return binary_objective(w, features, y, s, cost, penalised)

    best = min(scikit_learn_optima(x, y, s, cost, bias), key=lambda w: evaluate(w)[0])
    w, value, gradient = polish(best, evaluate)
    assert abs(value - evaluate(best)[0]) <= 1e-9 * (1 + abs(value)), (value, evaluate(best)[0])
    assert np.linalg.norm(gradient) < 1e-9 * (1 + cost * len(y)), np.linalg.norm(gradient)
    return w, value


def softmax_objective(flat, x, targets, penalty):
    """Value, gradient and Hessian over theta, classes x features, flattened; x has the constant feature last."""
    theta = flat.reshape(targets.shape[1], x.shape[1])
    log_gate = special.log_softmax(x @ theta.T, axis=1)
    gate = np.exp(log_gate)
    value = -np.sum(targets * log_gate) + 0.5 * penalty * np.sum(flat * flat)
    gradient = ((gate - targets).T @ x).ravel() + penalty * flat
    spread = np.einsum("nk,kl->nkl", gate, np.eye(gate.shape[1])) - np.einsum("nk,nl->nkl", gate, gate)
    hessian = np.einsum("nkl,ni,nj->kilj", spread, x, x).reshape(flat.size, flat.size) + penalty * np.eye(flat.size)
    return value, gradient, hessian


def softmax_optimum(x, targets, penalty):
    features = with_constant(x)

    def evaluate(flat):
        return softmax_objective(flat, features, targets, penalty)

    start = np.zeros(targets.shape[1] * features.shape[1])
    found = optimize.minimize(
        lambda flat: evaluate(flat)[:2], start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "gtol": 1e-10}
    )
    flat, value, gradient = polish(found.x, evaluate)
    assert np.linalg.norm(gradient) < 1e-10 * len(x), np.linalg.norm(gradient)
    return flat.reshape(targets.shape[1], -1), value


def planted(rng, rows, features, noise):
    """Rows rounded to four decimals (the file stays small) with signs from a noisy plane; both classes occur."""
    x = np.round(rng.normal(size=(rows, features)), 4)
    plane = rng.normal(size=features)
    y = np.where(x @ plane + 0.3 + noise * rng.logistic(size=rows) > 0, 1, -1)
    y[:2] = [1, -1]
    return x, y


def binary_data(rng):
    """name, sparse, x, y, weights, costs."""
    every_cost = [1e-3, 0.1, 1.0, 100.0]
    x, y = planted(rng, 60, 4, 1.0)
    yield "planted", False, x, y, None, every_cost
    x, y = planted(rng, 80, 6, 0.5)
    s = np.round(rng.gamma(1.0, size=80), 3)
    s[::7] = 0.0  # rows that must not count at all
    yield "weighted", False, x, y, s, every_cost
    x, _ = planted(rng, 40, 3, 0.0)
    y = np.where(x[:, 0] > 0, 1, -1)
    yield "separable", False, x, y, None, every_cost
    x, y = planted(rng, 12, 6, 1.0)
    yield "few rows, large values", False, np.round(50 * x, 2), y, None, [1e-3, 1.0]
    x, _ = planted(rng, 50, 3, 1.0)
    y = np.full(50, -1)
    y[[4, 31]] = 1
    yield "two positives", False, x, y, None, [0.1, 100.0]
    x, y = planted(rng, 70, 6, 0.7)
    x[rng.random(x.shape) < 0.75] = 0.0
    yield "sparse", True, np.abs(x), y, None, every_cost
    x, y = planted(rng, 30, 3, 1.0)
    yield "repeated columns", False, x[:, [0, 1, 2, 0]], y, np.round(rng.random(30) + 0.01, 3), [0.1, 100.0]


def softmax_data(rng):
    """name, x, targets, penalties."""
    for name, rows, features, classes in [("two experts", 40, 3, 2), ("five experts", 60, 4, 5)]:
        x = np.round(rng.normal(size=(rows, features)), 4)
        scores = x @ rng.normal(size=(features, classes)) + rng.normal(size=(rows, classes))
        # Multiples of 1/1024 are exact in JSON and sum to exactly 1.
        counts = np.floor(1024 * special.softmax(2 * scores, axis=1))
        counts[:, 0] += 1024 - counts.sum(axis=1)
        yield name, x, counts / 1024, [0.01, 1.0]
    x = np.round(rng.normal(size=(45, 2)), 4)
    yield "hard targets", x, np.eye(3)[np.argmax(x @ rng.normal(size=(2, 3)), axis=1)], [0.1]
    targets = np.zeros((30, 3))
    targets[:, 0] = 1.0
    yield "one expert takes all", np.round(rng.normal(size=(30, 2)), 4), targets, [1.0]


def main():
    rng = np.random.default_rng(20_140_824)
    binary, softmax = [], []
    for name, sparse, x, y, weights, costs in binary_data(rng):
        s = np.ones(len(y)) if weights is None else weights
        problems = []
        for cost in costs:
            for bias in ("penalised", "free"):
                solution, objective = binary_optimum(x, y, s, cost, bias)
                problems.append({"cost": cost, "bias": bias, "objective": objective, "solution": solution.tolist()})
        weights = None if weights is None else weights.tolist()
        data = {"name": name, "sparse": sparse, "x": x.tolist(), "y": y.tolist(), "weights": weights}
        binary.append(data | {"problems": problems})
    for name, x, targets, penalties in softmax_data(rng):
        problems = []
        for penalty in penalties:
            solution, objective = softmax_optimum(x, targets, penalty)
            problems.append({"penalty": penalty, "objective": objective, "solution": solution.tolist()})
        softmax.append({"name": name, "x": x.tolist(), "targets": targets.tolist(), "problems": problems})
    store("logistic.json", {"binary": binary, "softmax": softmax})


if __name__ == "__main__":
    main()
