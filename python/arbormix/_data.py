"""Data files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._results import framed

PathLike = str | os.PathLike[str]
LabelChoice = int | str | Sequence[str] | None


class Data:
    """What a data file holds: ``X``, ``y`` and the names of their columns.

    ``X`` is an array, or a scipy CSR matrix where the file is sparse; missing cells are NaN, and a cell of a nominal
    column is the place of its category in ``categories``. ``y`` holds 0 and 1, and NaN where a cell is unknown.
    """

    def __init__(self, dataset: _core.Dataset) -> None:
        self.name = dataset.name
        self.feature_names = [name for name, _ in dataset.columns]
        #: Categories of the nominal columns, by name.
        self.categories = {name: words for name, words in dataset.columns if words is not None}
        self.label_names = dataset.label_names
        self.X: Any = _features(dataset)
        labels = dataset.labels()
        self.y: Any = np.where(labels < 0, np.nan, labels) if (labels < 0).any() else labels

    def __repr__(self) -> str:
        rows, labels = self.y.shape
        return f"<Data {self.name!r}: {rows} rows, {len(self.feature_names)} features, {labels} labels>"

    def frames(self) -> tuple[Any, Any]:
        """``X`` and ``y`` as DataFrames of pandas, nominal columns as categoricals; sparse ``X`` becomes dense."""
        import pandas

        X = framed(self.X.toarray() if hasattr(self.X, "toarray") else self.X, self.feature_names, "pandas")
        for name, words in self.categories.items():
            codes = X[name].fillna(-1).astype(int)
            X[name] = pandas.Categorical.from_codes(codes, categories=words)
        return X, framed(self.y, self.label_names, "pandas")


def _features(dataset: _core.Dataset) -> Any:
    features = dataset.features()
    if isinstance(features, np.ndarray):
        return features
    from scipy.sparse import csr_matrix

    values, indices, starts, width = features
    return csr_matrix((values, indices, starts), shape=(len(starts) - 1, width))


def load_arff(
    path: PathLike, *, labels: LabelChoice = None, xml: PathLike | None = None, drop: Sequence[str] = ()
) -> Data:
    """Reads ARFF, dense or sparse, gzipped or not.

    Labels are those of a Mulan XML (``xml``, or ``NAME.xml`` beside the file), of MEKA's ``-C`` in the relation's name,
    or ``labels``: a number (the last so many columns), a list of names, ``"first:6"``, ``"last:6"``, ``"prefix:tag_"``.
    """
    return _read(path, "arff", labels=labels, xml=None if xml is None else os.fspath(xml), drop=list(drop))


def load_libsvm(path: PathLike, *, first_index: int | None = None) -> Data:
    """Reads multi-label LIBSVM rows, ``label,label index:value …``, gzipped or not.

    ``first_index`` is the number of the first feature, 0 or 1; by default 0 if that index occurs.
    """
    return _read(path, "libsvm", first_index=first_index)


def load_csv(
    path: PathLike,
    *,
    labels: LabelChoice,
    delimiter: str | None = None,
    positive: str | None = None,
    drop: Sequence[str] = (),
    nominal: Sequence[str] = (),
) -> Data:
    """Reads CSV or TSV with a header, gzipped or not.

    ``labels`` as in :func:`load_arff`; ``positive`` is the word for "present" if it is an unusual one; columns in
    ``nominal`` hold categories although they look like numbers.
    """
    options = {"delimiter": delimiter, "positive": positive, "drop": list(drop), "nominal": list(nominal)}
    name = os.fspath(path).lower().removesuffix(".gz")
    return _read(path, "tsv" if name.endswith((".tsv", ".tab")) else "csv", labels=labels, **options)


def _read(path: PathLike, format: str, labels: LabelChoice = None, **options: Any) -> Data:
    chosen = list(labels) if isinstance(labels, Sequence) and not isinstance(labels, str) else labels
    return Data(_core.read(os.fspath(path), format=format, labels=chosen, **options))
