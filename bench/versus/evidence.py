"""Whether both sides solved the same problem. Everything is worked out here, from weights and predictions."""

import json
import pathlib

import numpy as np
from scipy import sparse

# Our solver proves a relative accuracy of 1e-6; above theirs by more than that would be another problem.
ACCURACY = 1e-6


def objectives(x, targets, weights, biases, bias_penalised, costs=1.0):
    """C Σ log(1 + exp(−y z)) + ½‖w‖² (+ ½ b²) of every column of targets, as LIBLINEAR and scikit-learn write it."""
    margins = np.asarray(x @ weights.T) + biases
    losses = np.logaddexp(0.0, np.where(targets == 1, -margins, margins)).sum(axis=0)
    penalty = 0.5 * (weights**2).sum(axis=1) + (0.5 * biases**2 if bias_penalised else 0.0)
    return np.asarray(costs) * losses + penalty


def proven_costs(x, targets, weights, biases, bias_penalised, costs):
    """The one of the costs at which each column of weights is proven optimal within ACCURACY; NaN if at none.

    The penalty makes the objective f strongly convex: ‖∇f‖² ≤ 2 ε f proves that f is within ε f of its optimum. A bias
    without a penalty is measured by its own curvature; it may belong to centred features, which have the same optimum.
    """
    margins = np.asarray(x @ weights.T) + biases
    rates = 1.0 / (1.0 + np.exp(-margins))
    errors, bend = rates - targets, (rates * (1 - rates)).sum(axis=0)
    slopes = np.asarray(x.T @ errors).T
    centred = slopes - np.outer(errors.sum(axis=0), np.asarray(x.mean(axis=0)).ravel())
    found = np.full(len(biases), np.nan)
    for cost in costs:
        slope = cost * errors.sum(axis=0)
        gradient = ((weights + cost * slopes) ** 2).sum(axis=1)
        if bias_penalised:
            gradient += (biases + slope) ** 2
        else:
            gradient = np.minimum(gradient, ((weights + cost * centred) ** 2).sum(axis=1)) + slope**2 / (cost * bend)
        bound = 2 * ACCURACY * objectives(x, targets, weights, biases, bias_penalised, cost)
        # Weights lose a few digits on their way back from the solver's coordinates.
        found[gradient <= 1.01 * bound] = cost
    return found


def with_labels(x, labels):
    """The features with labels as last columns."""
    if labels.shape[1] == 0:
        return x
    return sparse.hstack([x, labels]).tocsr() if sparse.issparse(x) else np.hstack([x, labels])


class ModelFile:
    """The tensors and facts of a model file, which has the safetensors layout."""

    def __init__(self, path):
        content = pathlib.Path(path).read_bytes()
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        metadata = header.pop("__metadata__")
        self.facts = json.loads(metadata["facts"])
        self.tensors = {}
        for name, tensor in header.items():
            begin, end = (8 + length + offset for offset in tensor["data_offsets"])
            self.tensors[name] = np.frombuffer(content[begin:end]).reshape(tensor["shape"])


def excess(ours, theirs):
    """How far our objective is above theirs, relatively; below 0 if ours is better."""
    return (sum(ours) - sum(theirs)) / sum(theirs)


def same_objective(ours, theirs):
    above = excess(ours, theirs)
    words = "above theirs" if above > 0 else "below theirs"
    return bool(above <= ACCURACY), f"our objective is {abs(above):.1e} {words}, relatively"


def tree_problems(model, y):
    """Rows, label and regression of every node of a CTBN: (mask of rows, label, regression)."""
    parents = model.facts["parents"]
    parents = parents.get("parents", parents) if isinstance(parents, dict) else parents
    for label, (parent, columns) in enumerate(zip(parents, model.facts["columns"])):
        if parent is None:
            yield np.ones(len(y), bool), label, columns[0]
        elif columns[0] != columns[1]:
            for value in (0, 1):
                yield y[:, parent] == value, label, columns[value]
