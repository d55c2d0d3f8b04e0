"""Optima of the stacked mixture's small problems by scipy, printed

    python tests/reference/stack.py

The numbers stand in crates/arbormix/src/mixture/stack/tests, which make the same rows by the same formulas.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm, qmc

np.set_printoptions(precision=12)
n = np.arange(40)
log_odds, other, parent = 2 * np.sin(1.3 * n), np.cos(0.7 * n), (n % 2).astype(float)
sign = np.where(np.sin(2.1 * n + 0.5) + 0.5 * log_odds > 0, 1.0, -1.0)
weight = 1 + (n % 3) / 2


def best(function, start):
    """The minimum: BFGS, then a simplex search from there that needs no gradient."""
    found = minimize(function, start, method="BFGS", options={"gtol": 1e-10, "maxiter": 10000})
    found = minimize(function, found.x, method="Nelder-Mead", options={"xatol": 1e-12, "fatol": 1e-14, "maxiter": 20000})
    return found.x, found.fun


def regression(inputs, centre, ridge):
    def loss(v):
        penalty = 0.5 * np.sum(ridge * (v - centre) ** 2)
        return np.sum(weight * np.logaddexp(0, -sign * (inputs @ v))) + penalty

    return best(loss, np.array(centre))


ones = np.ones_like(log_odds)
print("blend", *regression(np.stack([log_odds, other, ones], 1), np.array([0.5, 0.5, 0.0]), np.array([2, 2, 0.1])))
p, q = 1 / (1 + np.exp(-other)), 1 / (1 + np.exp(-np.cos(n)))
third = (np.sin(2.1 * n + 0.5) + 0.4 * np.cos(3.7 * n) > 0).astype(float)
edge = [log_odds, ones, parent - p, p]
print("edge", *regression(np.stack(edge, 1), np.array([1.0, 0, 0, 0]), np.array([1, 0.1, 0.5, 0.5])))
chain = [*edge, third - q, q]
print("chain", *regression(np.stack(chain, 1), np.array([1.0, 0, 0, 0, 0, 0]), np.array([1, 0.1, 1, 1, 1, 1])))

# The pool: 40 rows, 5 sets.
s = np.arange(5)
forest = np.log(0.3 + 0.29 * np.sin(n[:, None] * 1.7 + s))
tied = np.log(0.3 + 0.29 * np.cos(n[:, None] * 0.9 - 2 * s))
counts = np.log(np.array([1.5, 4.5, 2.5, 9.5, 1.5]))
own = np.argmax(forest + 0.3 * tied + 0.4 * counts + np.sin(5.0 * n[:, None] * (s + 1)), 1)


def pool(v):
    scores = v[0] * forest + v[1] * tied + v[2] * counts
    logs = scores - np.log(np.exp(scores).sum(1, keepdims=True))
    return -np.sum(weight * logs[n, own]) + 0.5 * np.sum((v - np.array([0.5, 0.5, 0])) ** 2)


print("pool", *best(pool, np.array([0.5, 0.5, 0])))

# One label of the tied trees: three experts with smooth responsibilities; half of the parent's probability (½) is taken off.
shares = np.exp(np.stack([np.sin(0.4 * n), np.cos(0.4 * n), np.sin(0.9 * n + 1)], 1))
shares /= shares.sum(1, keepdims=True)


def tied_label(v):
    margins = (v[0] * log_odds + v[1] * (parent - 0.25))[:, None] + v[2:]
    losses = weight[:, None] * shares * np.logaddexp(0, -sign[:, None] * margins)
    return losses.sum() + 0.5 * ((v[0] - 1) ** 2 + v[1] ** 2) + 0.05 * np.sum(v[2:] ** 2)


print("tied", *best(tied_label, np.array([1.0, 0, 0, 0, 0])))

# Weights of three parts: the logarithms of what they give to 40 rows, half a row added to each part.
parts = np.stack([0.4 + 0.39 * np.sin(1.1 * n), 0.3 + 0.29 * np.cos(n), 0.25 + 0.2 * np.sin(2 * n)], 1)
parts[::7, 0] = 0


def weights(v):
    w = np.exp(v - np.logaddexp.reduce(v))
    return -np.sum(weight * np.log(parts @ w)) - 0.5 * np.sum(np.log(w))


found, value = best(weights, np.zeros(3))
print("weights", np.exp(found - np.logaddexp.reduce(found)), value)

# Three labels that follow one factor, five experts: the penalised likelihood of all rows, from both directions of the factor.
z = norm.ppf(qmc.Halton(1, scramble=False).random(6)[1:, 0])
z = (z - z.mean()) / z.std()
print("points", z)
odds = np.stack([log_odds, other, 0 * other], 1)
signs = np.stack([sign, 2 * parent - 1, np.where(np.sin(2.1 * n + 0.5) + 0.4 * np.cos(3.7 * n) > 0, 1.0, -1.0)], 1)


def factor(v):
    slope, constant, loading = v.reshape(3, 3)
    margins = (slope * odds + constant)[:, None, :] + z[:, None] * loading
    logs = -np.logaddexp(0, -signs[:, None, :] * margins).sum(2) - np.log(len(z))
    penalty = 0.5 * np.sum((slope - 1) ** 2) + 0.5 * np.sum(constant**2) + 0.5 * np.sum(loading**2)
    return -np.sum(weight * np.logaddexp.reduce(logs, axis=1)) + penalty


for direction in (1.0, -1.0):
    found, value = best(factor, np.array([1.0] * 3 + [0.0] * 3 + [direction, 0.0, direction]))
    print("factor", found.reshape(3, 3), value)
