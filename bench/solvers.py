#!/usr/bin/env python3
"""Compares three ways to solve many logistic regressions that share their rows, all written here on one matrix product.

    bench/solvers.py DATA NAME... [--cost 1]

DATA holds NAME.arff or NAME.arff.gz with NAME.xml, dense. The regressions are those of all labels, once alone and once for
each value of another label (the edges of a structure search), features scaled to [0, 1], bias penalised, to arbormix's stop rule
‖∇f‖² ≤ 2 ε f with its tolerances: 1e-6, and 1e-4 for edges.

- newton-cg: truncated Newton with conjugate gradients, preconditioned by the Hessian's diagonal (what arbormix does)
- lbfgs: ten pairs per regression, two-loop recursion batched over the regressions, scaled by the same diagonal at the start
- newton-cholesky: the whole Hessian of every regression, factorised

each in the features as they are and turned to their principal axes. One thread. Passes are products of all rows with one
regression's vector, in either direction; a Hessian counts as its r/2 passes.
"""

import argparse
import os
import pathlib
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

from label_powerset import load

LIMIT = 500


class Problems:
    """Σ C sₙ log(1 + exp(−yₙ x·w)) + ½‖w‖² for every column of targets (±1) and weights s; counts its passes."""

    def __init__(self, x, targets, weights, cost, tolerance):
        self.x, self.signed, self.mass, self.tolerance = x, targets, cost * weights, tolerance
        self.passes = 0

    def product(self, w):
        self.passes += w.shape[1]
        return self.x @ w

    def transposed(self, u):
        self.passes += u.shape[1]
        return self.x.T @ u

    def value(self, w, z, at):
        losses = self.mass[:, at] * np.logaddexp(0.0, -self.signed[:, at] * z)
        return losses.sum(axis=0) + 0.5 * (w * w).sum(axis=0)

    def slopes(self, z, at):
        """What Xᵀ is multiplied with for the gradient, and the curvatures."""
        p = 1.0 / (1.0 + np.exp(self.signed[:, at] * z))
        return -self.mass[:, at] * self.signed[:, at] * p, self.mass[:, at] * p * (1.0 - p)

    def done(self, gradient, value):
        return (gradient * gradient).sum(axis=0) <= 2.0 * self.tolerance * value

    def diagonal(self, bend):
        self.passes += bend.shape[1]
        return (self.x * self.x).T @ bend + 1.0


def halved(problems, w, z, value, direction, along, slope, at):
    """The step of every regression, halved until its value falls enough."""
    length = np.ones(w.shape[1])
    for _ in range(40):
        moved, there = w + length * direction, z + length * along
        values = problems.value(moved, there, at)
        poor = values > value + 1e-4 * length * slope
        if not poor.any():
            break
        length[poor] *= 0.5
    return moved, there, values


def newton(problems, direction_of):
    """Damped Newton steps; `direction_of(bend, gradient, at)` gives the directions and their products with the rows."""
    count = problems.signed.shape[1]
    at, final = np.arange(count), np.zeros(count)
    w, z = np.zeros((problems.x.shape[1], count)), np.zeros_like(problems.signed)
    value = problems.value(w, z, at)
    for _ in range(LIMIT):
        inner, bend = problems.slopes(z, at)
        gradient = problems.transposed(inner) + w
        done = problems.done(gradient, value)
        final[at[done]] = value[done]
        if done.all():
            return final.sum()
        keep = ~done
        at, w, z, value, gradient, bend = at[keep], w[:, keep], z[:, keep], value[keep], gradient[:, keep], bend[:, keep]
        direction, along = direction_of(problems, bend, gradient, value)
        slope = (gradient * direction).sum(axis=0)
        w, z, value = halved(problems, w, z, value, direction, along, slope, at)
    raise RuntimeError("a limit was reached")


def by_conjugate_gradients(problems, bend, gradient, value):
    diagonal = problems.diagonal(bend)
    norm = np.sqrt((gradient * gradient).sum(axis=0))
    goal = np.maximum(0.1 * norm, 0.3 * np.sqrt(2.0 * problems.tolerance * value))
    solution, along = np.zeros_like(gradient), np.zeros_like(bend)
    residual = -gradient
    direction = residual / diagonal
    energy = (residual * direction).sum(axis=0)
    at = np.arange(gradient.shape[1])
    for _ in range(50):
        image = problems.product(direction[:, at])
        product = problems.transposed(bend[:, at] * image) + direction[:, at]
        step = energy[at] / (direction[:, at] * product).sum(axis=0)
        solution[:, at] += step * direction[:, at]
        along[:, at] += step * image
        residual[:, at] -= step * product
        left = np.sqrt((residual[:, at] ** 2).sum(axis=0)) > goal[at]
        at = at[left]
        if len(at) == 0:
            break
        scaled = residual[:, at] / diagonal[:, at]
        new = (residual[:, at] * scaled).sum(axis=0)
        direction[:, at] = scaled + new / energy[at] * direction[:, at]
        energy[at] = new
    return solution, along


def by_cholesky(problems, bend, gradient, _value):
    from scipy.linalg import cho_factor, cho_solve

    solution = np.empty_like(gradient)
    for p in range(gradient.shape[1]):
        root = problems.x * np.sqrt(bend[:, p])[:, None]
        hessian = root.T @ root
        hessian[np.diag_indices_from(hessian)] += 1.0
        solution[:, p] = -cho_solve(cho_factor(hessian), gradient[:, p])
        problems.passes += problems.x.shape[1] / 2
    return solution, problems.product(solution)


def lbfgs(problems, pairs=10):
    count = problems.signed.shape[1]
    at, final = np.arange(count), np.zeros(count)
    w, z = np.zeros((problems.x.shape[1], count)), np.zeros_like(problems.signed)
    value = problems.value(w, z, at)
    inner, bend = problems.slopes(z, at)
    diagonal = problems.diagonal(bend)
    gradient = problems.transposed(inner) + w
    history = []
    for _ in range(LIMIT):
        done = problems.done(gradient, value)
        final[at[done]] = value[done]
        if done.all():
            return final.sum()
        if done.any():
            keep = ~done
            at, w, z, value, gradient, diagonal = at[keep], w[:, keep], z[:, keep], value[keep], gradient[:, keep], diagonal[:, keep]
            history = [(s[:, keep], y[:, keep], r[keep]) for s, y, r in history]
        direction, alphas = gradient.copy(), []
        for s, y, r in reversed(history):
            alpha = r * (s * direction).sum(axis=0)
            direction -= alpha * y
            alphas.append(alpha)
        direction /= diagonal
        for (s, y, r), alpha in zip(history, reversed(alphas)):
            direction += (alpha - r * (y * direction).sum(axis=0)) * s
        direction = -direction
        slope = (gradient * direction).sum(axis=0)
        moved, z, value = halved(problems, w, z, value, direction, problems.product(direction), slope, at)
        inner, _ = problems.slopes(z, at)
        fresh = problems.transposed(inner) + moved
        s, y = moved - w, fresh - gradient
        product = (s * y).sum(axis=0)
        history.append((s, y, np.where(product > 0, 1.0 / np.where(product > 0, product, 1.0), 0.0)))
        history = history[-pairs:]
        w, gradient = moved, fresh
    raise RuntimeError("a limit was reached")


WAYS = {
    "newton-cg": lambda problems: newton(problems, by_conjugate_gradients),
    "lbfgs": lbfgs,
    "newton-cholesky": lambda problems: newton(problems, by_cholesky),
}


def tasks(labels):
    """Targets and row weights of the labels alone, and of some edges: every label for both values of the label before."""
    signed = np.where(labels == 1, 1.0, -1.0)
    usable = [i for i in range(labels.shape[1]) if 10 <= labels[:, i].sum() <= len(labels) - 10]
    yield "labels", signed[:, usable], np.ones((len(labels), len(usable))), 1e-6
    columns, weights = [], []
    for i, parent in zip(usable[1:], usable):
        for on in (0, 1):
            weight = (labels[:, parent] == on).astype(float)
            if 5 <= (weight * labels[:, i]).sum() <= weight.sum() - 5:
                columns.append(signed[:, i])
                weights.append(weight)
    yield "edges", np.stack(columns, axis=1), np.stack(weights, axis=1), 1e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--cost", type=float, default=1.0)
    args = parser.parse_args()
    print("| data | features | regressions | axes | way | CPU s | passes per regression | above the best objective |")
    print("|---|---:|---|---|---|---:|---:|---:|")
    for name in args.names:
        features, labels = load(args.data, name)
        features = features - features.min(axis=0)
        features = features / np.where(features.max(axis=0) > 0, features.max(axis=0), 1.0)
        x = np.hstack([features, np.ones((len(features), 1))])
        turned = x @ np.linalg.eigh(x.T @ x)[1]
        for what, signed, weights, tolerance in tasks(np.asarray(labels)):
            found = []
            for axes, rows in (("as they are", x), ("principal", turned)):
                for way, solve in WAYS.items():
                    problems = Problems(np.ascontiguousarray(rows), signed, weights, args.cost, tolerance)
                    begun = time.process_time()
                    value = solve(problems)
                    found.append((axes, way, time.process_time() - begun, problems.passes / signed.shape[1], value))
            best = min(value for *_, value in found)
            for axes, way, seconds, passes, value in found:
                print(f"| {name} | {x.shape[1] - 1} | {signed.shape[1]} {what} | {axes} | {way} | {seconds:.2f} | {passes:.0f} | "
                      f"{(value - best) / best:.0e} |", flush=True)


if __name__ == "__main__":
    main()
