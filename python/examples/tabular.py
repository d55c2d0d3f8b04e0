"""A table of numbers and categories: fit, predict, ask why.

python python/examples/tabular.py
"""

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_validate

import arbormix


def photos(rows: int, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Photos with tags that depend on each other: cats are pets, and pets are indoors unless the sun shines."""
    draws = np.random.default_rng(seed)
    light = draws.normal(size=rows)
    fur = draws.normal(size=rows)
    weather = draws.choice(["sun", "rain", "snow"], size=rows)
    cat = fur + 0.5 * draws.normal(size=rows) > 0.8
    dog = ~cat & (fur + 0.5 * draws.normal(size=rows) > 0.4)
    pet = (cat | dog) & (draws.random(rows) < 0.9)
    indoor = np.where(weather == "sun", light < -0.5, pet | (light < 0))
    X = pd.DataFrame({"light": light, "fur": fur, "weather": pd.Categorical(weather)})
    y = pd.DataFrame({"cat": cat, "dog": dog, "pet": pet, "indoor": indoor})
    return X, y


X, y = photos(600)
X_test, y_test = photos(200, seed=1)

model = arbormix.MLME(n_experts=3).fit(X, y)
print("exact matches:", model.score(X_test, y_test))
print("binary relevance:", arbormix.BinaryRelevance().fit(X, y).score(X_test, y_test))

best = model.map(X_test)
print("proven to be the most probable sets:", int(best.certified.sum()), "of", len(X_test))
print(model.predict_proba(X_test.head(3), frame="pandas"))
print("best tags for F1:", model.predict(X_test.head(3), loss="f1").tolist())
print("a pet outdoors:", model.event(X_test.head(3), "pet & !indoor"))
print(model.explain(X_test, 0))

folds = arbormix.IterativeStratification(3)
scores = cross_validate(arbormix.CTBN(), X, y, cv=folds, scoring=arbormix.metrics.scorer("example_f1"))
print("CTBN, F1 of three folds:", scores["test_score"])
