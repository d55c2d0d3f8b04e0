"""What people have, numpy arrays, scipy matrices, DataFrames, lists of labels, as what the extension takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.int8]
#: A column's name, and its categories unless it is numeric.
Column = tuple[str, list[str] | None]
Csr = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64], int]

UNKNOWN = -1


def is_sparse(value: Any) -> bool:
    """Whether it is a matrix of scipy, without importing scipy."""
    return hasattr(value, "tocsr")


def frame_kind(value: Any) -> str | None:
    """The library a DataFrame is of."""
    if not hasattr(value, "columns") and not hasattr(value, "column_names"):
        return None
    root = type(value).__module__.split(".")[0]
    return root if root in ("pandas", "polars", "pyarrow") else None


def column_names(frame: Any) -> list[Any]:
    """The names of a DataFrame's columns."""
    return list(frame.column_names if frame_kind(frame) == "pyarrow" else frame.columns)


def columns_of(frame: Any) -> tuple[npt.NDArray[np.float64], list[Column]]:
    """The cells of a DataFrame as numbers, and its columns; categories become their places, missing cells NaN."""
    names = column_names(frame)
    kind = frame_kind(frame)
    cells = np.empty((len(frame), len(names)), dtype=np.float64)
    columns: list[Column] = []
    for place, name in enumerate(names):
        # By place in pandas: two columns may have one name there, which the library then refuses by name.
        series = frame.iloc[:, place] if kind == "pandas" else frame[name]
        categories = _categories(series)
        if categories is None:
            cells[:, place] = _numbers(series, name)
            columns.append((str(name), None))
        else:
            words, codes = categories
            cells[:, place] = codes
            columns.append((str(name), words))
    return cells, columns


def _categories(series: Any) -> tuple[list[str], npt.NDArray[np.float64]] | None:
    """Categories and the place of each cell's, if the column is categorical."""
    if hasattr(series, "cat") and hasattr(series.cat, "codes"):
        codes = np.asarray(series.cat.codes, dtype=np.float64)
        return [str(word) for word in series.cat.categories], np.where(codes < 0, np.nan, codes)
    if type(series).__module__.startswith("pyarrow") and str(series.type).startswith("dictionary"):
        coded = series.unify_dictionaries().combine_chunks()
        codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.float64)
        return [str(word) for word in coded.dictionary.to_pylist()], codes
    if type(series).__module__.startswith("polars") and str(series.dtype).startswith(("Categorical", "Enum")):
        cells = series.cast(str).to_list()
        # Only an Enum has a list of its own; the categories of a Categorical are those that occur.
        words = list(getattr(series.dtype, "categories", None) or dict.fromkeys(c for c in cells if c is not None))
        place = {word: float(number) for number, word in enumerate(words)}
        return words, np.array([place.get(cell, np.nan) for cell in cells], dtype=np.float64)
    return None


def _numbers(series: Any, name: Any) -> npt.NDArray[np.float64]:
    try:
        if hasattr(series, "to_numpy"):
            values = series.to_numpy()
            if values.dtype.kind in "mM":
                raise TypeError("it holds dates or times; subtract a day of your choice and divide by a unit")
            if values.dtype == object:
                values = np.array([np.nan if _missing(cell) else cell for cell in values])
            return np.asarray(values).astype(np.float64)
        return np.asarray(series, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"column {name!r} cannot be read as numbers ({error}); words can be made categorical, "
            f"e.g. X[{name!r}].astype('category') in pandas; or leave it out"
        ) from error


def _missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and np.isnan(cell))


def csr_parts(matrix: Any) -> Csr:
    """The parts of a scipy matrix: at most one copy."""
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        if csr is matrix:
            csr = csr.copy()
        csr.sum_duplicates()
    values = np.ascontiguousarray(csr.data, dtype=np.float64)
    return values, csr.indices.astype(np.int64, copy=False), csr.indptr.astype(np.int64, copy=False), int(csr.shape[1])


def labels_of(y: Any, names: Sequence[str] | None = None) -> tuple[Labels, list[str] | None]:
    """Labels as 1, 0 and −1 for unknown, and their names if ``y`` has any.

    ``names`` are the labels of a model: then the answer is in their order, and label lists may hold no other.
    """
    if y is None:
        raise ValueError(
            "the labels y are None; give a 0/1 array (rows × labels), a DataFrame or a list of label lists"
        )
    if frame_kind(y) is not None:
        names = [str(name) for name in column_names(y)] if names is None else names
        return _cells(in_order(y, names)), list(names)
    if is_sparse(y):
        return _cells(np.asarray(y.toarray())), None
    if is_label_lists(y):
        return _from_lists(_listed(y), names)
    return _cells(y), None


def in_order(frame: Any, names: Sequence[str]) -> npt.NDArray[np.float64]:
    """The label columns of a DataFrame in the order of a model's labels."""
    found = [str(name) for name in column_names(frame)]
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"y lacks {len(missing)} of the model's {len(names)} labels: {missing[:5]}")
    return columns_of_labels(frame)[:, [found.index(name) for name in names]]


def columns_of_labels(frame: Any) -> npt.NDArray[np.float64]:
    """The label columns of a DataFrame as numbers."""
    cells, columns = columns_of(frame)
    for name, words in columns:
        if words is not None:
            raise ValueError(f"label column {name!r} is categorical ({words[:3]}…); labels are 0 and 1, or booleans")
    return cells


def is_label_lists(y: Any) -> bool:
    """Whether rows are collections of labels rather than cells: sets, or lists that hold words or differ in length."""
    if isinstance(y, np.ndarray) and y.dtype != object:
        return False
    if isinstance(y, np.ndarray) and y.ndim != 1:
        return False
    if not isinstance(y, Iterable) or isinstance(y, str | bytes | Mapping):
        return False
    rows = _listed(y)
    if not rows or not all(isinstance(row, list | tuple | set | frozenset | np.ndarray) for row in rows):
        return False
    if any(isinstance(row, set | frozenset) or any(isinstance(cell, str) for cell in row) for row in rows):
        return True
    return len({len(row) for row in rows}) > 1


def _listed(y: Any) -> list[Any]:
    """The rows as Python has them; columns of lists of polars and pyarrow included."""
    for lister in ("to_pylist", "to_list"):
        if hasattr(y, lister):
            return list(getattr(y, lister)())
    return list(y)


def _from_lists(rows: list[Any], names: Sequence[str] | None) -> tuple[Labels, list[str]]:
    for number, row in enumerate(rows):
        if any(_missing(label) for label in row):
            raise ValueError(
                f"row {number} of y, a list of labels, holds None or NaN; cells hold those, not lists of labels"
            )
    found = sorted({label for row in rows for label in row}, key=lambda label: (str(type(label)), label))
    order = [str(label) for label in found] if names is None else list(names)
    place = {name: number for number, name in enumerate(order)}
    cells = np.zeros((len(rows), len(order)), dtype=np.int8)
    for number, row in enumerate(rows):
        for label in row:
            if str(label) not in place:
                raise ValueError(f"row {number} of y has the label {str(label)!r}, which the model does not know")
            cells[number, place[str(label)]] = 1
    return cells, order


def _cells(y: Any) -> Labels:
    array = np.asarray(y)
    if array.ndim != 2:
        raise ValueError(
            f"y has {array.ndim} dimension(s), labels need rows × labels; for lists of labels give lists of names"
        )
    if array.dtype == bool or array.dtype == np.int8 and array.size and 0 <= array.min() and array.max() <= 1:
        return np.ascontiguousarray(array, dtype=np.int8)
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y cannot be read as 0, 1 or NaN for unknown: {error}. Unknown label type") from error
    unknown = np.isnan(numbers)
    wrong = ~unknown & (numbers != 0) & (numbers != 1)
    if wrong.any():
        row, label = np.argwhere(wrong)[0]
        raise ValueError(
            f"y holds {array[row, label]!r} in row {row}, label {label} (counted from 0); "
            "labels are 0 or 1, and NaN where unknown. Unknown label type"
        )
    return np.where(unknown, UNKNOWN, numbers).astype(np.int8)
