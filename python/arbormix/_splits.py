"""Splits in which every label is spread evenly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._targets import Targets

Rows = npt.NDArray[np.int64]


class IterativeStratification:
    """Folds for cross-validation with every label spread evenly (Sechidis, Tsoumakas and Vlahavas 2011).

    A splitter as scikit-learn has them: give it as ``cv``. Unknown cells count as absent.

    >>> import numpy as np
    >>> y = np.repeat([[1, 0], [0, 1]], 10, axis=0)
    >>> [y[test].sum(axis=0).tolist() for _, test in IterativeStratification(5).split(y, y)]
    [[2, 2], [2, 2], [2, 2], [2, 2], [2, 2]]
    """

    def __init__(self, n_splits: int = 5, *, seed: int = 0) -> None:
        self.n_splits = n_splits
        self.seed = seed

    def __repr__(self) -> str:
        return f"IterativeStratification({self.n_splits}, seed={self.seed})"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Rows to train on and rows to test on, fold by fold; the labels ``y`` are needed, ``X`` is not."""
        if y is None:
            raise ValueError("y is None: folds with every label spread evenly need the labels")
        folds = _core.stratified_folds(Targets.learn(y)[0], self.n_splits, self.seed)
        for fold in range(self.n_splits):
            yield np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)


def stratified_holdout(y: Any, test_size: float = 0.25, *, seed: int = 0) -> tuple[Rows, Rows]:
    """Rows to train on and rows to test on, every label spread evenly over both.

    >>> import numpy as np
    >>> train, test = stratified_holdout(np.repeat([[1, 0], [0, 1]], 20, axis=0), 0.25)
    >>> len(train), len(test)
    (30, 10)
    """
    if not 0 < test_size < 1:
        raise ValueError(f"test_size = {test_size}: must lie between 0 and 1")
    return _core.stratified_holdout(Targets.learn(y)[0], test_size, seed)
