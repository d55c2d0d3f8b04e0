"""Data that the tests share."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest

import arbormix

ROOT = pathlib.Path(__file__).resolve().parents[2]


def planted(rows: int = 150, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Four labels that depend on five features and on each other."""
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, 5))
    noise = draws.normal(size=(rows, 4))
    y = np.zeros((rows, 4), dtype=int)
    y[:, 0] = X[:, 0] + 0.5 * noise[:, 0] > 0
    y[:, 1] = X[:, 1] + 1.5 * y[:, 0] + noise[:, 1] > 0.7
    y[:, 2] = X[:, 2] - 2 * y[:, 1] + noise[:, 2] > -1
    y[:, 3] = X[:, 3] * (2 * y[:, 0] - 1) + noise[:, 3] > 0
    return X, y


@pytest.fixture(scope="session")
def data() -> tuple[np.ndarray, np.ndarray]:
    return planted()


@pytest.fixture(scope="session")
def mixture(data: tuple[np.ndarray, np.ndarray]) -> arbormix.MultiLabelClassifier:
    return arbormix.MLME(n_experts=2).fit(*data)


@pytest.fixture(scope="session")
def benchmarks() -> pathlib.Path:
    """The folder of the benchmark data, if it is there."""
    folder = pathlib.Path(os.environ.get("ARBORMIX_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "emotions.arff").exists():
        pytest.skip(f"the benchmark data are not in {folder}; set ARBORMIX_DATA")
    return folder
