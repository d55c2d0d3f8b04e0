"""Labels that are already known change the answers for the others.

python python/examples/partly_known.py
"""

import numpy as np
import pandas as pd

import arbormix

draws = np.random.default_rng(0)
X = draws.normal(size=(800, 4))
# Symptoms follow two hidden conditions; the features say little.
condition = (X[:, 0] + draws.normal(size=800) > 0).astype(int)
y = pd.DataFrame(
    {
        "fever": condition & (draws.random(800) < 0.9),
        "cough": condition & (draws.random(800) < 0.8),
        "rash": (1 - condition) & (draws.random(800) < 0.6),
        "tired": draws.random(800) < 0.3 + 0.4 * condition,
    }
).astype(int)
train, test = arbormix.stratified_holdout(y, 0.25)
model = arbormix.MLME(n_experts=2).fit(X[train], y.iloc[train])

print("nothing known:", model.predict_proba(X[test[:1]]).round(3))
print("fever known:  ", model.given({"fever": 1}).predict_proba(X[test[:1]]).round(3))

# A table of what is known: one column is asked of everybody, another of half the people, NaN where it is unknown.
known = y[["fever", "rash"]].iloc[test].astype(float)
known.loc[known.index[::2], "rash"] = np.nan
given = model.given(known)
print("log P(known | x):", given.log_known(X[test])[:3])

rest = ["cough", "tired"]
places = [list(y.columns).index(name) for name in rest]
truth = y[rest].iloc[test].to_numpy()
alone = (model.predict(X[test])[:, places] == truth).all(axis=1).mean()
informed = (given.predict(X[test])[:, places] == truth).all(axis=1).mean()
print(f"cough and tired right: {alone:.3f} without, {informed:.3f} with what is known")
assert informed > alone

# Labels may also be unknown in training; methods that need every cell say so.
holes = y.iloc[train].astype(float).mask(draws.random((len(train), 4)) < 0.2)
partial = arbormix.BinaryRelevance().fit(X[train], holes)
print("binary relevance, a fifth of the labels unknown:", partial.score(X[test], y.iloc[test]))
