"""The features of an estimator's rows: checked, named, and as the extension takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _base
from ._input import Column, Csr, column_names, columns_of, csr_parts, frame_kind, is_sparse

Features = npt.NDArray[np.float64] | Csr


def features_of(estimator: Any, X: Any, *, reset: bool) -> tuple[Features, list[Column] | None]:
    """Cells, and columns if ``X`` has names. ``reset`` is for fit: then the estimator learns number and names."""
    if reset:
        # Names of an earlier fit must not outlive it.
        estimator.__dict__.pop("feature_names_in_", None)
    elif _is_plain(estimator, X):
        return X, None
    kind = frame_kind(X)
    if kind is not None:
        cells, columns = columns_of(X)
        if cells.shape[0] == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={cells.shape}) while a minimum of 1 is required.")
        if _base.HAS_SKLEARN and kind == "pandas":
            _base.validate_data(estimator, X, reset=reset, skip_check_array=True)
        else:
            _check_names(estimator, [str(name) for name in column_names(X)], reset)
            _check_width(estimator, cells.shape[1], reset)
        words = all(isinstance(name, str) for name in column_names(X))
        return cells, columns if words else [(f"x{i}", words_) for i, (_, words_) in enumerate(columns)]
    if _base.HAS_SKLEARN:
        cells = _base.validate_data(
            estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan"
        )
    else:
        cells = X if is_sparse(X) else np.asarray(X, dtype=np.float64)
        if cells.ndim != 2:
            raise ValueError(f"Expected 2D array, got {cells.ndim}D array instead. Reshape your data: rows × features")
        _check_width(estimator, int(cells.shape[1]), reset)
    return (csr_parts(cells) if is_sparse(cells) else cells), None


def _is_plain(estimator: Any, X: Any) -> bool:
    """Whether nothing is left to check: one row must not wait for scikit-learn. The library refuses infinities."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.shape[0] > 0
        and X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
    )


def _check_names(estimator: Any, names: list[str], reset: bool) -> None:
    if reset:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_") and list(estimator.feature_names_in_) != names:
        raise ValueError(
            "The feature names should match those that were passed during fit, in the same order: "
            f"{list(estimator.feature_names_in_)[:5]}… against {names[:5]}…"
        )


def _check_width(estimator: Any, width: int, reset: bool) -> None:
    if reset:
        estimator.n_features_in_ = width
    elif width != estimator.n_features_in_:
        raise ValueError(
            f"X has {width} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )


def weights_of(sample_weight: Any, rows: int) -> npt.NDArray[np.float64] | None:
    """The weight of each row, one number for all of them included."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight = {sample_weight!r:.60} cannot be read as a number per row") from error
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim != 1 or len(weights) != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({rows},)!")
    return np.ascontiguousarray(weights)
