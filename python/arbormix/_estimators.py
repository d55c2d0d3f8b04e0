"""What all estimators share."""

from __future__ import annotations

import contextlib
import json
import os
from html import escape
from typing import Any, ClassVar, Self

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
from ._targets import Targets


class MultiLabelClassifier(Queries, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What all methods share; see the classes of the methods."""

    _method: ClassVar[_params.Method]

    model_: _core.Model
    n_features_in_: int
    classes_: list[npt.NDArray[Any]] | npt.NDArray[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, distributed: bool = False) -> Self:
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
        # The library has its own copy: a DataFrame's cells, say, need not wait for the end of the fit.
        del parts
        with Bar() if self.verbose else contextlib.nullcontext() as bar:
            try:
                model = _core.fit(method, "default", overrides, data, weights, bar, helpers)
            except ValueError as error:
                if not str(error).startswith("parameter "):
                    raise
                raise ValueError(_params.in_our_words(self._method, str(error))) from None
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
        return _params.nested(self._method, {name: getattr(self, name) for name in [*self._method.parameters, "expert"]})

    def _adopt(self, model: _core.Model, targets: Targets) -> None:
        """Takes a fitted model over."""
        self.model_ = model
        self._targets = targets
        self.label_names_ = np.array(model.label_names, dtype=object)
        self.classes_ = targets.shown()
        facts = json.loads(model.describe())
        self.report_ = facts["report"]
        if self.report_["trace"]:
            # The last run of EM; a run that stops at its start counts as one.
            self.n_iter_ = max(1, self.report_["trace"][-1]["iteration"])
        self.choice_ = facts["choice"]
        self.notes_ = facts["feature_notes"] + facts["report"]["notes"]

    def _check_fitted(self) -> None:
        if not hasattr(self, "model_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")

    def _checked(self, X: Any) -> tuple[Features, list[Column] | None]:
        """Features, and their columns if those have categories."""
        self._check_fitted()
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
        labels = self._ask(X).predict()["labels"] if loss is None else self._decided(X, loss)
        if frame is not None:
            return self._table(self._targets.values(labels), X, frame)
        return self._targets.decode(labels)

    def predict_proba(self, X: Any, *, frame: str | None = None) -> Any:
        """P(label = 1 | x), always rows × labels."""
        return self.marginals(X, frame=frame)

    def predict_labels(self, X: Any) -> list[list[str]]:
        """The names of each row's predicted labels."""
        return [[str(name) for name in self.label_names_[row == 1]] for row in self._ask(X).predict()["labels"]]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Exact match accuracy: the share of rows whose whole label set is right."""
        predicted = self._ask(X).predict()["labels"]
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
        self._check_fitted()
        return Given(self, known)

    def _when_known(self, known: Any) -> Given:
        return self.given(known)

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
        self._check_fitted()
        names = self._names()
        parents = [[None if parent is None else names[parent] for parent in tree] for tree in self.model_.trees]
        return [dict(zip(names, tree, strict=True)) for tree in parents]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the command line and Rust read too.

        The file knows 0 and 1: of a ``y`` with two other values, or of one dimension, only a pickle keeps the form.
        """
        self._check_fitted()
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a model file of this method; :func:`arbormix.load` reads one of any."""
        # Here, since the classes are made from this one.
        from ._classes import load

        estimator = load(path)
        if cls._method.name == "auto" and estimator.choice_ is not None:
            # The file holds the winner; what is fitted is the same, and refits choose anew.
            chosen = cls(budget=estimator.choice_["budget"])
            chosen.__dict__.update({name: value for name, value in vars(estimator).items() if name not in estimator.get_params()})
            return chosen
        if not isinstance(estimator, cls):
            raise ValueError(f"{os.fspath(path)} holds a model of {type(estimator).__name__}, not of {cls.__name__}")
        return estimator

    @classmethod
    def paper(cls, **params: Any) -> Self:
        """An estimator with every choice as in the ML-ME paper, but for those given."""
        paper = cls._method.paper()
        expert = {**(paper["expert"] or {}), **(params.pop("expert", None) or {})}
        return cls(**{**paper, "expert": expert or None, **params})

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


__all__ = ["MultiLabelClassifier"]
