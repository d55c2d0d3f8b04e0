"""What ``y`` held at fit, so that predictions come back in the same form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ._input import (
    Labels,
    column_names,
    columns_of_labels,
    frame_kind,
    in_order,
    is_label_lists,
    is_sparse,
    labels_of,
)

ZERO_ONE = np.array([0, 1])


@dataclass(frozen=True)
class Targets:
    """Names, the two classes of every label, and whether ``y`` was one-dimensional.

    Labels are 0 and 1 almost always. As scikit-learn expects of a classifier, any two values per label will do: the
    smaller is absent, the larger present, and predictions hold the same two.
    """

    names: tuple[str, ...]
    classes: tuple[npt.NDArray[Any], ...]
    flat: bool = False
    dtype: Any = np.int8

    @staticmethod
    def learn(y: Any) -> tuple[Labels, Targets]:
        """The cells of ``y``, and how they were meant."""
        if is_sparse(y) or is_label_lists(y):
            cells, names = labels_of(y)
            return cells, Targets(_named(names, cells), (ZERO_ONE,) * cells.shape[1], dtype=_whole(y))
        framed = frame_kind(y) is not None
        names = [str(name) for name in column_names(y)] if framed else None
        array, flat = _two_dimensional(columns_of_labels(y) if framed else y)
        if _is_zero_one(array):
            cells, _ = labels_of(array)
            return cells, Targets(_named(names, cells), (ZERO_ONE,) * cells.shape[1], flat, _whole(array))
        classes = tuple(_classes(array[:, label], flat) for label in range(array.shape[1]))
        cells = _coded(array, classes)
        return cells, Targets(_named(names, cells), classes, flat, array.dtype)

    def shown(self) -> Any:
        """As the attribute ``classes_``: an array, labels × 2, which scikit-learn reads as multi-label."""
        if self.flat:
            return self.classes[0]
        return np.stack(self.classes) if all(len(pair) == 2 for pair in self.classes) else list(self.classes)

    def encode(self, y: Any) -> Labels:
        """The cells of another ``y`` of the same form."""
        if is_sparse(y) or is_label_lists(y):
            return labels_of(y, self.names)[0]
        array, _ = _two_dimensional(in_order(y, self.names) if frame_kind(y) is not None else y)
        if array.shape[1] != len(self.classes):
            raise ValueError(f"y has {array.shape[1]} labels, the model {len(self.classes)}")
        return labels_of(array)[0] if self._zero_one else _coded(array, self.classes)

    @cached_property
    def _zero_one(self) -> bool:
        return all(np.array_equal(pair, ZERO_ONE) for pair in self.classes)

    def decode(self, cells: Labels) -> npt.NDArray[Any]:
        """Predictions in the form of ``y``."""
        values = self.values(cells)
        return values[:, 0] if self.flat else values

    def values(self, cells: Labels) -> npt.NDArray[Any]:
        """Predictions with the values of ``y``, always rows × labels."""
        if self._zero_one:
            return cells.astype(self.dtype, copy=False)
        columns = [pair[np.minimum(cells[:, label], len(pair) - 1)] for label, pair in enumerate(self.classes)]
        return np.column_stack(columns)


def _named(names: list[str] | None, cells: Labels) -> tuple[str, ...]:
    return tuple(f"y{place}" for place in range(cells.shape[1])) if names is None else tuple(names)


def _whole(y: Any) -> Any:
    """The type of predictions: that of ``y`` if it is of whole numbers."""
    dtype = getattr(y, "dtype", None)
    return dtype if isinstance(dtype, np.dtype) and dtype.kind in "bui" else np.dtype(np.int8)


def _two_dimensional(y: Any) -> tuple[npt.NDArray[Any], bool]:
    array = np.asarray(y)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if array.ndim not in (1, 2):
        raise ValueError(f"y has {array.ndim} dimensions, labels need rows × labels")
    return (array.reshape(-1, 1), True) if array.ndim == 1 else (array, False)


def _is_zero_one(array: npt.NDArray[Any]) -> bool:
    if array.dtype.kind == "O":
        return all(cell is None or cell in (0, 1) or cell != cell for cell in array.ravel())
    return array.dtype.kind in "buif" and bool(np.isin(array[array == array], (0, 1)).all())


def _classes(column: npt.NDArray[Any], flat: bool) -> npt.NDArray[Any]:
    known = column[column == column] if column.dtype.kind == "f" else column
    if column.dtype.kind == "f" and np.isinf(known).any():
        raise ValueError("Input y contains infinity; labels are two values, and NaN where unknown")
    if column.dtype.kind == "f" and (known != np.floor(known)).any():
        raise ValueError("Unknown label type: continuous. Labels are two values, 0 and 1 at best")
    values = np.unique(known.astype(str) if column.dtype.kind == "O" else known)
    if len(values) > 2:
        kind = "multiclass" if flat else "multiclass-multioutput"
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}: "
            f"a label has {len(values)} values, {', '.join(map(repr, values[:4].tolist()))}…; "
            "labels have two, 0 and 1 at best. Unknown label type: one label per class is what arbormix takes"
        )
    return values.astype(object) if column.dtype.kind == "O" else values


def _coded(array: npt.NDArray[Any], classes: tuple[npt.NDArray[Any], ...]) -> Labels:
    cells = np.zeros(array.shape, dtype=np.int8)
    for label, pair in enumerate(classes):
        column = array[:, label].astype(str).astype(object) if array.dtype.kind == "O" else array[:, label]
        unknown = column != column
        wrong = ~np.isin(column, pair) & ~unknown
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ValueError(
                f"y holds {column.tolist()[row]!r} in row {row}, label {label}; this label has {pair.tolist()}"
            )
        cells[:, label] = np.where(unknown, -1, (column == pair[-1]) & (len(pair) == 2))
    return cells
