"""MLkNN by scikit-multilearn -> mlknn.json

    python tests/reference/mlknn.py

scikit-multilearn needs three corrections, all made from outside:

- It counts a training row among its own neighbours, a label leak. `ignore_first_neighbours=1` drops the nearest row found,
  which is the row itself (no two rows of these cases are equal); but it would drop a *test* row's nearest neighbour too,
  so it is set back to 0 before predicting.
- Its "probabilities" are P(y = 1) P(j | y = 1) without the normaliser. The other half comes from the same code with the
  tables of both values exchanged, and the two are normalised here.
- It passes the number of neighbours to scikit-learn by position, which scikit-learn no longer takes.

Columns differ in scale by up to a factor of 100, so that raw and min-max scaled distances find other neighbours.

Layout of the file:

    {"cases": [{"x": [[float; m]; N],          # training rows
                "y": [[0 or 1; d]; N],
                "neighbours": int,             # k
                "smoothing": float,            # s
                "test": [[float; m]; T],
                "raw": [[float; d]; T],        # P(y = 1) with distances between the rows as they are
                "minmax": [[float; d]; T]}]}   # with columns scaled to [0, 1] by the training rows
"""

import numpy as np
import skmultilearn.adapt.mlknn as mlknn
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import MinMaxScaler

from store import store

CASES = [(1, 40, 3, 4, 5, 1.0), (2, 60, 4, 3, 10, 0.5), (3, 30, 2, 5, 3, 2.0)]

mlknn.NearestNeighbors = lambda count: NearestNeighbors(n_neighbors=count, algorithm="brute")


def posteriors(x, y, test, neighbours, smoothing):
    model = mlknn.MLkNN(k=neighbours, s=smoothing, ignore_first_neighbours=1).fit(x, sparse.csr_matrix(y))
    model.ignore_first_neighbours = 0
    on = model.predict_proba(test).toarray()
    model._prior_prob_true, model._cond_prob_true = model._prior_prob_false, model._cond_prob_false
    off = model.predict_proba(test).toarray()
    return on / (on + off)


def main():
    cases = []
    for seed, rows, features, labels, neighbours, smoothing in CASES:
        rng = np.random.default_rng(seed)
        x = np.round(rng.normal(size=(rows + 15, features)) * 10.0 ** rng.uniform(-1, 1, size=features), 4)
        assert len(np.unique(x, axis=0)) == len(x), "a row's nearest row must be itself"
        score = x / x.std(axis=0) @ rng.normal(size=(features, labels))
        y = (score + rng.normal(size=score.shape) > 0.3).astype(int)
        test, x, y = x[rows:], x[:rows], y[:rows]
        scaler = MinMaxScaler().fit(x)
        raw = posteriors(x, y, test, neighbours, smoothing)
        minmax = posteriors(scaler.transform(x), y, scaler.transform(test), neighbours, smoothing)
        assert np.abs(raw - minmax).max() > 0.05, "the scaling must matter"
        cases.append(
            {
                "x": x.tolist(),
                "y": y.tolist(),
                "neighbours": neighbours,
                "smoothing": smoothing,
                "test": test.tolist(),
                "raw": raw.tolist(),
                "minmax": minmax.tolist(),
            }
        )
    store("mlknn.json", {"cases": cases})


if __name__ == "__main__":
    main()
