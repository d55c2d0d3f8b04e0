"""What the units of a distributed fit cost, by stage: processor time, bytes sent and bytes returned.

    RAYON_NUM_THREADS=1 python bench/distributed_costs.py

Processor time is that of this process, which does all units itself on one thread, so other programs on the machine
matter little. The last columns divide by the size of the work: nanoseconds per regression, row and non-zero feature,
a regression on part of the rows counting for that part.
"""

import os
import time

import numpy as np
import scipy.sparse

import arbormix
from arbormix import _core


def planted(rows, features, labels, filled):
    """Labels that depend on the features and on the label before; `filled` of the features of a row are not zero."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(rows, features))
    if filled < features:
        X *= draws.random((rows, features)) < filled / features
    z = X @ draws.normal(size=(features, labels)) / np.sqrt(filled) + draws.normal(size=(rows, labels))
    y = z > 0.5
    for label in range(1, labels):
        y[:, label] = z[:, label] + y[:, label - 1] > 0.9
    return (scipy.sparse.csr_matrix(X) if filled < features else X), y.astype(np.int8)


class Meter:
    """Does units, and keeps account."""

    def __init__(self, helper):
        self.helper, self.stages = helper, {}

    def __call__(self, stage, units):
        begun = time.process_time()
        answers = self.helper.answer(stage, units)
        spent = time.process_time() - begun
        row = self.stages.setdefault(stage.split(b"\n")[0].decode(), np.zeros(4))
        row += [len(units), spent, len(stage) + sum(map(len, units)), sum(map(len, answers))]
        return answers


def main():
    if os.environ.get("RAYON_NUM_THREADS") != "1":
        raise SystemExit(__doc__)
    print("| features | rows × features × labels | stage | units | s per unit | MB sent | MB back | ns |")
    print("|---|---|---|---|---|---|---|---|")
    for rows, features, labels, filled in (
        (4000, 100, 20, 100),
        (8000, 100, 20, 100),
        (4000, 100, 40, 100),
        (8000, 2000, 20, 50),
    ):
        estimator = arbormix.CTBN()
        (parts, _), overrides = estimator._parts(*planted(rows, features, labels, filled)), estimator._overrides()
        data = _core.Dataset("planted", *parts)
        meter = Meter(_core.UnitHelper("ctbn", "default", overrides, data))
        _core.fit("ctbn", "default", overrides, data, None, None, meter)
        folds, costs = estimator.logistic_folds, len(estimator.logistic_costs)
        # Regressions on all rows that a stage amounts to: folds train on a share of the rows, and the two values of a
        # parent divide them.
        share = (folds - 1) / folds
        amount = {
            "alone": share * 3 * labels,
            "edges": share * 3 * labels * (labels - 1),
            "costs": share * folds * costs * labels,
            "nodes": labels,
        }
        for stage, (units, spent, sent, back) in meter.stages.items():
            per = 1e9 * spent / (amount[stage] * rows * filled)
            size = f"{rows} × {features} × {labels}"
            kind = "dense" if filled == features else f"{filled} per row"
            print(
                f"| {kind} | {size} | {stage} | {units:.0f} | {spent / units:.3f} | {sent / 1e6:.2f} | "
                f"{back / 1e6:.2f} | {per:.1f} |",
                flush=True,
            )


main()
