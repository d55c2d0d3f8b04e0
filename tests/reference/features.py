"""Imputed, one-hot coded and scaled features by scikit-learn -> features.json

    python tests/reference/features.py

Layout of the file (a missing cell is null, a nominal cell the index of its category):

    {"cases": [{"scaling": "minmax" | "standardize" | "maxabs" | "none",
                "categories": [null or [str]; columns],   # null: numeric
                "train": [[float or null]],
                "other": [[float or null]],               # rows the map was not fitted on
                "train_encoded": [[float; m]],
                "other_encoded": [[float; m]]}]}

Numeric columns: mean imputation; nominal ones: most frequent category (ties: the first), one-hot with all categories,
or one column for the second of two. Then every feature is scaled, indicator features included. Constant columns are
left out of the cases: scikit-learn does not map them to 0.
"""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler

from store import store

CATEGORIES = [None, ["no", "yes"], None, ["red", "green", "blue"], None]
SCALERS = {
    "minmax": MinMaxScaler,
    "standardize": StandardScaler,
    "maxabs": MaxAbsScaler,
    "none": FunctionTransformer,
}


def rows(rng, count, spread):
    cells = np.round(spread * rng.normal(loc=[1, 0, -200, 0, 1e-3], scale=[1, 1, 50, 1, 1e-3], size=(count, 5)), 6)
    for column, categories in enumerate(CATEGORIES):
        if categories:
            cells[:, column] = rng.integers(len(categories), size=count)
    cells[rng.random(cells.shape) < 0.2] = np.nan
    return cells


def encoder(scaling):
    coders = []
    for column, categories in enumerate(CATEGORIES):
        if categories is None:
            coder = SimpleImputer(strategy="mean")
        else:
            codes = [list(range(len(categories)))]
            one_hot = OneHotEncoder(categories=codes, drop="if_binary", sparse_output=False)
            coder = make_pipeline(SimpleImputer(strategy="most_frequent"), one_hot)
        coders.append((f"column {column}", coder, [column]))
    return make_pipeline(ColumnTransformer(coders, sparse_threshold=0), SCALERS[scaling]())


def plain(cells):
    return [[None if np.isnan(cell) else cell for cell in row] for row in cells.tolist()]


def main():
    rng = np.random.default_rng(7)
    cases = []
    for scaling in SCALERS:
        train, other = rows(rng, 15, 1.0), rows(rng, 6, 2.0)
        fitted = encoder(scaling)
        train_encoded, other_encoded = fitted.fit_transform(train), fitted.transform(other)
        cases.append({
            "scaling": scaling, "categories": CATEGORIES, "train": plain(train), "other": plain(other),
            "train_encoded": train_encoded.tolist(), "other_encoded": other_encoded.tolist(),
        })
    store("features.json", {"cases": cases})


if __name__ == "__main__":
    main()
