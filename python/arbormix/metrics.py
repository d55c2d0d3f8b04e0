"""All measures of multi-label predictions, computed by the library; their conventions are named in its documentation.

>>> import arbormix
>>> found = arbormix.metrics.evaluate([[1, 0], [1, 1]], [[1, 0], [1, 0]])
>>> found["exact_match"], found["micro_f1"]
(0.5, 0.8)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._targets import Targets

__all__ = ["Measures", "evaluate", "exact_match", "scorer"]


class Measures(Mapping[str, float]):
    """Measures by name, in the order of the report.

    ``better`` says for each whether "higher" or "lower" is better, ``absent`` why a measure is not there, ``per_label``
    holds precision, recall, F1, support and AUC of every label.
    """

    def __init__(self, report: dict[str, Any], label_names: Sequence[str]) -> None:
        self._values = {entry["name"]: entry["value"] for entry in report["measures"]}
        self.better: dict[str, str] = {entry["name"]: entry["better"] for entry in report["measures"]}
        self.absent: dict[str, str] = {entry["name"]: entry["reason"] for entry in report["absent"]}
        self.per_label: dict[str, dict[str, Any]] = dict(zip(label_names, report["per_label"], strict=True))
        self.rows: int = report["rows"]
        #: Rows without unknown cells: those that measures of whole sets use.
        self.full_rows: int = report["full_rows"]

    def __getitem__(self, name: str) -> float:
        if name in self.absent:
            raise KeyError(f"{name} is not defined here: {self.absent[name]}")
        if name not in self._values:
            raise KeyError(f"there is no measure {name!r}; known: {', '.join([*self._values, *self.absent])}")
        return float(self._values[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "\n".join(f"{name:20} {value:.4f}  ({self.better[name]} is better)" for name, value in self.items())


def evaluate(
    y_true: Any,
    y_pred: Any,
    y_proba: Any = None,
    log_prob: Any = None,
    *,
    zero_division: int = 0,
    at: Sequence[int] = (1, 3, 5),
    calibration_bins: int = 10,
) -> Measures:
    """Every measure that is defined for the predictions.

    Parameters
    ----------
    y_true : labels as in ``fit``
        Unknown cells (NaN) are left out of sums; measures of whole sets use rows without any.
    y_pred : predicted labels, of the same form
    y_proba : array (rows × labels), optional
        P(label = 1 | x), for ranking, areas and calibration.
    log_prob : array (rows), optional
        log P(y_true | x), for the CLL-loss.
    zero_division : 0 or 1
        What 0/0 counts as in precision, recall, F1 and Jaccard.
    at : the k of precision, recall and nDCG among the first k labels
    calibration_bins : number of bins of the calibration error
    """
    if zero_division not in (0, 1):
        raise ValueError(f"zero_division = {zero_division!r}: must be 0 or 1")
    truth, targets = Targets.learn(y_true)
    predicted = targets.encode(y_pred)
    options = {
        "zero_division": "one" if zero_division else "zero",
        "at": [int(k) for k in at],
        "calibration_bins": calibration_bins,
    }
    marginals = None if y_proba is None else np.ascontiguousarray(y_proba, dtype=np.float64)
    logs = None if log_prob is None else np.ascontiguousarray(log_prob, dtype=np.float64)
    return Measures(json.loads(_core.evaluate(truth, predicted, marginals, logs, json.dumps(options))), targets.names)


def exact_match(y_true: Any, y_pred: Any) -> float:
    """The share of rows whose whole label set is right."""
    return evaluate(y_true, y_pred)["exact_match"]


def scorer(name: str, **options: Any) -> Callable[[Any, Any, Any], float]:
    """A measure as scikit-learn's ``scoring``: higher is better, so losses are negated.

    The estimator is asked for probabilities, and for ``log_prob`` only where the measure needs it.

    >>> scorer("example_f1")  # doctest: +ELLIPSIS
    <arbormix.metrics.scorer('example_f1')...>
    """
    return _Scorer(name, options)


class _Scorer:
    """Picklable, for the workers of a grid search."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name = name
        self.options = options

    def __repr__(self) -> str:
        return f"<arbormix.metrics.scorer({self.name!r})>"

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        log_prob = estimator.log_prob(X, y) if self.name.startswith("cll_loss") else None
        found = evaluate(y, estimator.predict(X), estimator.predict_proba(X), log_prob, **self.options)
        value = found[self.name]
        return value if found.better[self.name] == "higher" else -value
