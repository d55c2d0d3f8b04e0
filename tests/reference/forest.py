"""Class probabilities by scikit-learn's ExtraTreesClassifier -> forest.json

    python tests/reference/forest.py

Many trees, so that the probabilities of two forests with other random numbers agree to about two digits.

Layout of the file:

    {"cases": [{"x": [[float; m]; N],             # training rows
                "classes": [int; N],
                "weights": [float; N],
                "split_features": int,            # features a split looks at
                "test": [[float; m]; T],
                "plain": [[float; C]; T],         # probabilities, all weights 1
                "weighted": [[float; C]; T]}]}    # with the weights
"""

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from store import store


def main():
    rng = np.random.default_rng(5)
    x = np.round(rng.normal(size=(75, 5)), 3)
    x[:, 4] = 1.0  # a constant feature is drawn like the others but cannot split
    classes = np.digitize(x[:, 0] + x[:, 1] * x[:, 2] + 0.7 * rng.normal(size=75), [-0.8, 0.5])
    test, x, classes = x[60:], x[:60], classes[:60]
    weights = np.round(rng.uniform(0.2, 3.0, size=60), 2)

    def probabilities(weights):
        forest = ExtraTreesClassifier(5000, max_features=2, random_state=1).fit(x, classes, weights)
        return np.round(forest.predict_proba(test), 4).tolist()

    case = {
        "x": x.tolist(), "classes": classes.tolist(), "weights": weights.tolist(), "split_features": 2,
        "test": test.tolist(), "plain": probabilities(None), "weighted": probabilities(weights),
    }
    store("forest.json", {"cases": [case]})


if __name__ == "__main__":
    main()
