"""The estimators, one class per method, made from the library's registry."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
from html import escape
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from . import _core, _html, _params
from ._base import HAS_SKLEARN, BaseEstimator, ClassifierMixin, NotFittedError
from ._crew import Helpers
from ._explanation import Explanation
from ._input import Column, Labels
from ._progress import Bar
from ._queries import Given, Queries
from ._results import Floats
from ._rows import Features, features_of, weights_of
from ._targets import ZERO_ONE, Targets


class MultiLabelClassifier(Queries, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What all methods share; see the classes of the methods."""

    _method: ClassVar[_params.Method]

    model_: _core.Model
    n_features_in_: int
    classes_: list[npt.NDArray[Any]] | npt.NDArray[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, distributed: bool = False) -> MultiLabelClassifier:
        """Learns from rows ``X`` and their labels ``y``.

        Parameters
        ----------
        X : array (rows × features), scipy sparse matrix, or DataFrame of pandas, polars or pyarrow
            NaN is a missing cell. Categorical columns of DataFrames are one-hot coded.
        y : 0/1 array (rows × labels), scipy sparse matrix, DataFrame, or list of lists of labels
            NaN is an unknown cell; methods that need every cell say so. Rows that are sets, hold words or differ in
            length are lists of labels, everything else is cells. Two other values than 0 and 1 come back as they were.
        sample_weight : array (rows), optional
            Weight of each row.
        distributed : bool, default False
            Cut the work into units that run through joblib (``MLME`` and ``CTBN`` only), for example on a Dask
            cluster inside ``joblib.parallel_config(backend="dask")``. The model is the same, bit by bit.
        """
        parts, targets = self._parts(X, y)
        data = _core.Dataset("python", *parts)
        weights = weights_of(sample_weight, data.rows)
        method, overrides = self._method.name, self._overrides()
        helpers = Helpers(method, overrides, *parts, weights) if distributed else None
        with Bar() if self.verbose else contextlib.nullcontext() as bar:
            model = _core.fit(method, "default", overrides, data, weights, bar, helpers)
        self._adopt(model, targets)
        gate = model.ask(data).gate()
        self.gate_use_ = None if gate is None else gate.mean(axis=0)
        return self

    def _parts(self, X: Any, y: Any) -> tuple[tuple[Any, ...], Targets]:
        """Features, columns, labels and names for the extension, checked; the estimator learns what X is like."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        features, columns = features_of(self, X, reset=True)
        labels, targets = Targets.learn(y)
        columns = [(f"x{place}", None) for place in range(self.n_features_in_)] if columns is None else columns
        rows = len(features) if isinstance(features, np.ndarray) else len(features[2]) - 1
        if rows != len(labels):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(labels)]}")
        return (features, columns, labels, targets.names), targets

    def _overrides(self) -> str:
        """The parameters as the library's JSON."""
        return _params.nested(self._method, {name: getattr(self, name) for name in self._method.parameters})

    def _adopt(self, model: _core.Model, targets: Targets) -> None:
        """Takes a fitted model over."""
        self.model_ = model
        self._targets = targets
        self.label_names_ = np.array(model.label_names, dtype=object)
        self.classes_ = targets.shown()
        facts = json.loads(model.describe())
        self.report_ = facts["report"]
        self.choice_ = facts["choice"]
        self.notes_ = facts["feature_notes"] + facts["report"]["notes"]

    def _checked(self, X: Any) -> tuple[Features, list[Column] | None]:
        """Features, and their columns if those have categories."""
        if not hasattr(self, "model_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        features, columns = features_of(self, X, reset=False)
        return features, None if columns is None or all(words is None for _, words in columns) else columns

    def _dataset(self, features: Features, columns: list[Column]) -> _core.Dataset:
        # Categories are matched by name: those of X may be others, or in another order.
        return _core.Dataset("rows", features, columns, None, list(self.label_names_))

    def _rows(self, X: Any) -> _core.Dataset:
        features, columns = self._checked(X)
        return self.model_.rows(features) if columns is None else self._dataset(features, columns)

    def _ask(self, X: Any) -> _core.Questions:
        features, columns = self._checked(X)
        if columns is None:
            return self.model_.ask_cells(features)
        return self.model_.ask(self._dataset(features, columns))

    def _encode(self, y: Any) -> Labels:
        return self._targets.encode(y)

    def predict(self, X: Any, *, loss: str | None = None, frame: str | None = None) -> Any:
        """Label sets, 0/1, rows × labels.

        Without a ``loss`` as the method predicts, which for ``MLME``, ``CTBN``, ``BinaryRelevance`` and
        ``ProbabilisticChain`` is the most probable set. With a loss, ``"f1"`` for example, the best decision for it
        (see :meth:`decide`). ``frame="pandas"`` or ``"polars"`` gives a DataFrame.
        """
        labels = self._ask(X).predict()[0] if loss is None else self.decide(X, loss).labels
        if frame is not None:
            return self._table(labels, X, frame)
        return self._targets.decode(labels)

    def predict_proba(self, X: Any, *, frame: str | None = None) -> Any:
        """P(label = 1 | x), always rows × labels."""
        return self.marginals(X, frame=frame)

    def predict_labels(self, X: Any) -> list[list[str]]:
        """The names of each row's predicted labels."""
        return [[str(name) for name in self.label_names_[row == 1]] for row in self._ask(X).predict()[0]]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Exact match accuracy: the share of rows whose whole label set is right."""
        predicted = self._ask(X).predict()[0]
        truth = self._encode(y)
        if (truth < 0).any():
            raise ValueError(f"{int((truth < 0).sum())} cells of y are unknown; arbormix.metrics.evaluate takes such y")
        if len(predicted) != len(truth):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[len(predicted), len(truth)]}"
            )
        right = (predicted == truth).all(axis=1)
        return float(np.average(right, weights=weights_of(sample_weight, len(truth))))

    def given(self, known: Any) -> Given:
        """Everything again when some labels are known.

        ``known`` is a mapping ``{"cat": 1, "dog": 0}``, the same for all rows, or an array or DataFrame with a row per
        row and NaN for unknown; columns of a DataFrame are matched by name and need not be all labels.
        """
        if not hasattr(self, "model_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        return Given(self, known)

    def explain(self, X: Any, row: int = 0, *, features: int = 3) -> Explanation:
        """Why the model predicts what it does for a row of ``X``, with this many features per label."""
        rows = self._rows(X)
        if not 0 <= row < rows.rows:
            raise IndexError(f"row {row}: X has {rows.rows} rows, and the first is row 0")
        return Explanation(json.loads(self.model_.explain(rows, row, features)))

    def gate(self, X: Any) -> Floats | None:
        """Weights of the experts, rows × experts; None for methods without a gate."""
        return self._ask(X).gate()

    @property
    def trees_(self) -> list[dict[str, str | None]]:
        """The label trees, one per expert: each label's parent, or None."""
        names = self._names()
        parents = [[None if parent is None else names[parent] for parent in tree] for tree in self.model_.trees]
        return [dict(zip(names, tree, strict=True)) for tree in parents]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the command line and Rust read too."""
        if not hasattr(self, "model_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MultiLabelClassifier:
        """Reads a model file of this method; :func:`arbormix.load` reads one of any."""
        estimator = load(path)
        if not isinstance(estimator, cls):
            raise ValueError(f"{os.fspath(path)} holds a model of {type(estimator).__name__}, not of {cls.__name__}")
        return estimator

    @classmethod
    def paper(cls, **params: Any) -> MultiLabelClassifier:
        """An estimator with every choice as in the ML-ME paper, but for those given."""
        return cls(**{name: p.paper for name, p in cls._method.parameters.items()} | params)

    def _repr_html_(self) -> str:
        if hasattr(self, "model_"):
            return _html.estimator(self)
        return f"<pre>{escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    if HAS_SKLEARN:

        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = True
            tags.input_tags.allow_nan = True
            tags.target_tags.required = True
            tags.target_tags.one_d_labels = False
            tags.target_tags.two_d_labels = True
            tags.target_tags.multi_output = True
            tags.target_tags.single_output = False
            tags.classifier_tags.multi_class = False
            tags.classifier_tags.multi_label = True
            return tags


#: Class of each method of the registry. A method that is not here gets its title as a name.
CLASS_NAMES = {
    "auto": "AutoMixture",
    "mlme": "MLME",
    "stack": "StackedMixture",
    "ctbn": "CTBN",
    "br": "BinaryRelevance",
    "chf": "CHF",
    "mlknn": "MLKNN",
    "iblr": "IBLR",
    "cc": "ClassifierChain",
    "ecc": "EnsembleOfChains",
    "pcc": "ProbabilisticChain",
    "mmoc": "MMOC",
    "lp": "LabelPowerset",
}


def _make(method: _params.Method) -> type[MultiLabelClassifier]:
    """The class of a method: its ``__init__`` has the registry's parameters and defaults."""
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=parameter.default)
        for name, parameter in method.parameters.items()
    ]
    parameters.append(inspect.Parameter("verbose", inspect.Parameter.KEYWORD_ONLY, default=False))
    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    name = CLASS_NAMES.get(method.name, "".join(c for c in method.title if c.isalnum()))

    def __init__(self: Any, **params: Any) -> None:
        unknown = [word for word in params if word not in method.parameters and word != "verbose"]
        if unknown:
            known = ", ".join(method.parameters)
            raise TypeError(f"{name}() got an unexpected keyword argument {unknown[0]!r}; known: {known}, verbose")
        for parameter in parameters:
            setattr(self, parameter.name, params.get(parameter.name, parameter.default))

    __init__.__signature__ = inspect.Signature([self_parameter, *parameters])  # type: ignore[attr-defined]
    body = {"__init__": __init__, "_method": method, "__doc__": _doc(method, name), "__module__": "arbormix"}
    return type(name, (MultiLabelClassifier,), body)


def _doc(method: _params.Method, name: str) -> str:
    lines = [f"{method.title}: {method.summary}.", "", "Parameters", "----------"]
    for parameter in method.parameters.values():
        lines.append(f"{parameter.name} : default {parameter.default!r}")
        if parameter.choices:
            lines.append(f"    One of {', '.join(parameter.choices)}.")
        if parameter.paper != parameter.default:
            lines.append(f"    In the paper {parameter.paper!r} (``{name}.paper()``).")
    lines += ["verbose : default False", "    Show how far a fit is.", "", "Examples", "--------"]
    lines += [
        ">>> import arbormix, numpy as np",
        ">>> X = np.random.default_rng(0).normal(size=(60, 3))",
        ">>> Y = (X[:, :2] + X[:, 2:] > 0).astype(int)",
        f">>> model = arbormix.{name}().fit(X, Y)",
        ">>> model.predict_proba(X).shape",
        "(60, 2)",
    ]
    return "\n".join(lines)


CLASSES: dict[str, type[MultiLabelClassifier]] = {name: _make(method) for name, method in _params.methods().items()}


def load(path: str | os.PathLike[str]) -> MultiLabelClassifier:
    """Reads a model file, written here, by the command line or by Rust, as an estimator of its method."""
    model = _core.Model.load(os.fspath(path))
    cls = CLASSES[model.method]
    estimator = cls(**_params.flat(cls._method, json.loads(model.describe())["params"]))
    names = [name for name, _ in model.columns]
    estimator.n_features_in_ = len(names)
    if names != [f"x{place}" for place in range(len(names))]:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.gate_use_ = None
    estimator._adopt(model, Targets(tuple(model.label_names), (ZERO_ONE,) * len(model.label_names)))
    return estimator


__all__ = ["CLASSES", "CLASS_NAMES", "MultiLabelClassifier", "load"]
