"""Probabilistic multi-label classification: mixtures of conditional tree-structured Bayesian networks.

>>> import numpy as np, arbormix
>>> X = np.random.default_rng(0).normal(size=(80, 4))
>>> Y = (X[:, :3] + X[:, 3:] > 0).astype(int)
>>> model = arbormix.CTBN().fit(X, Y)
>>> model.predict(X).shape
(80, 3)
>>> bool(model.map(X).certified.all())
True

The classes of the methods are made from the library's registry: their parameters and defaults are the library's.
"""

from __future__ import annotations

from . import metrics
from ._classes import CLASSES, load
from ._compare import Comparison, compare
from ._core import __version__
from ._data import Data, load_arff, load_csv, load_libsvm
from ._estimators import MultiLabelClassifier
from ._explanation import Explanation
from ._queries import Given, questions
from ._results import BestSets, CredibleSets, Decisions, TopSets
from ._splits import IterativeStratification, stratified_holdout

globals().update({cls.__name__: cls for cls in CLASSES.values()})

__all__ = [
    "BestSets",
    "Comparison",
    "CredibleSets",
    "Data",
    "Decisions",
    "Explanation",
    "Given",
    "IterativeStratification",
    "MultiLabelClassifier",
    "TopSets",
    "__version__",
    "compare",
    "load",
    "load_arff",
    "load_csv",
    "load_libsvm",
    "metrics",
    "questions",
    "stratified_holdout",
    *(cls.__name__ for cls in CLASSES.values()),
]
