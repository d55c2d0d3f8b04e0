"""Sparse text: TfidfVectorizer in a pipeline, tags as lists of words.

python python/examples/text.py
"""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

import arbormix

WORDS = {
    "sport": "match goal team coach league player season win",
    "health": "doctor injury knee recovery hospital surgery pain",
    "money": "market price million contract bank budget deal",
}


def articles(rows: int, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Articles about one or two of three subjects, with those as tags, and "transfer" where sport meets money."""
    draws = np.random.default_rng(seed)
    texts, tags = [], []
    for _ in range(rows):
        subjects = list(draws.choice(list(WORDS), size=draws.integers(1, 3), replace=False))
        pool = " ".join(WORDS[subject] for subject in subjects).split() + "the a of and to in".split()
        texts.append(" ".join(draws.choice(pool, size=25)))
        tags.append([*subjects, "transfer"] if {"sport", "money"} <= set(subjects) else subjects)
    return texts, tags


texts, tags = articles(500)
texts_test, tags_test = articles(200, seed=1)

# The features stay sparse all the way into the solver.
pipe = make_pipeline(TfidfVectorizer(), arbormix.CTBN(scaling="none")).fit(texts, tags)
model = pipe[-1]
print("labels:", list(model.label_names_))
print("parents in the tree:", model.trees_[0])

X_test = pipe[:-1].transform(texts_test)
print("exact matches:", model.score(X_test, tags_test))
for text, found in zip(texts_test[:3], model.predict_labels(X_test[:3]), strict=True):
    print(found, "<-", text[:60])
measures = arbormix.metrics.evaluate(tags_test, model.predict_labels(X_test), model.predict_proba(X_test))
print("micro-F1:", measures["micro_f1"], "ranking loss:", measures["ranking_loss"])
