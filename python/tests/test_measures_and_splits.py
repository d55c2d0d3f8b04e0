"""Measures against scikit-learn's, and even splits."""

import numpy as np
import pytest

import arbormix


def test_measures_are_scikit_learns(data, mixture):
    metrics = pytest.importorskip("sklearn.metrics")
    X, y = data
    said, proba = mixture.predict(X), mixture.predict_proba(X)
    found = arbormix.metrics.evaluate(y, said, proba, mixture.log_prob(X, y))
    expected = {
        "exact_match": metrics.accuracy_score(y, said),
        "hamming_loss": metrics.hamming_loss(y, said),
        "example_f1": metrics.f1_score(y, said, average="samples", zero_division=0),
        "micro_f1": metrics.f1_score(y, said, average="micro"),
        "macro_f1": metrics.f1_score(y, said, average="macro"),
        "jaccard": metrics.jaccard_score(y, said, average="samples", zero_division=0),
        "macro_auc": metrics.roc_auc_score(y, proba, average="macro"),
        "ranking_loss": metrics.label_ranking_loss(y, proba),
        "average_precision": metrics.label_ranking_average_precision_score(y, proba),
        "coverage": metrics.coverage_error(y, proba),
        "cll_loss": -mixture.log_prob(X, y).sum(),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value), name
    assert found.better["hamming_loss"] == "lower" and found.better["macro_f1"] == "higher"
    assert arbormix.metrics.exact_match(y, said) == mixture.score(X, y)
    precision, _, _, support = metrics.precision_recall_fscore_support(y, said)
    assert [label["support"] for label in found.per_label.values()] == support.tolist()
    np.testing.assert_allclose([label["precision"] for label in found.per_label.values()], precision)


def test_unknown_cells_are_left_out():
    found = arbormix.metrics.evaluate([[1, np.nan], [0, 1]], [[1, 1], [0, 0]])
    assert found["hamming_loss"] == pytest.approx(1 / 3) and (found.rows, found.full_rows) == (2, 1)
    with pytest.raises(KeyError, match="marginals"):
        found["brier"]


def test_conventions_are_passed_on():
    nothing = [[0, 0], [1, 0]]
    assert arbormix.metrics.evaluate(nothing, nothing)["example_f1"] == 0.5
    assert arbormix.metrics.evaluate(nothing, nothing, zero_division=1)["example_f1"] == 1
    assert "precision_at_2" in arbormix.metrics.evaluate(nothing, nothing, [[0.1, 0.2], [0.9, 0.3]], at=[2])
    with pytest.raises(ValueError, match="zero_division"):
        arbormix.metrics.evaluate(nothing, nothing, zero_division=3)
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        arbormix.metrics.evaluate(nothing, nothing, [[0.1, 2], [0.9, 0.3]])


def test_splits_are_even_and_by_seed(data):
    X, y = data
    folds = arbormix.IterativeStratification(5, seed=3)
    tests = [test for _, test in folds.split(X, y)]
    assert sorted(np.concatenate(tests)) == list(range(len(y))) and folds.get_n_splits() == 5
    for test in tests:
        np.testing.assert_allclose(y[test].mean(axis=0), y.mean(axis=0), atol=0.05)
    again = [test for _, test in arbormix.IterativeStratification(5, seed=3).split(X, y)]
    assert all((a == b).all() for a, b in zip(tests, again, strict=True))
    other = [test for _, test in arbormix.IterativeStratification(5, seed=4).split(X, y)]
    assert any(len(a) != len(b) or (a != b).any() for a, b in zip(tests, other, strict=True))
    train, test = arbormix.stratified_holdout(y, 0.2)
    assert len(test) == 30 and sorted([*train, *test]) == list(range(150))
    with pytest.raises(ValueError, match="at least 2"):
        next(arbormix.IterativeStratification(1).split(X, y))
    with pytest.raises(ValueError, match="test_size = 2"):
        arbormix.stratified_holdout(y, 2)


def test_one_label_and_other_values_than_zero_and_one(data):
    """As in fit: y may have one dimension, and any two values."""
    X, y = data
    words = np.where(y[:, 0] == 1, "yes", "no")
    folds = list(arbormix.IterativeStratification(3).split(X, words))
    for (_, test), (_, same) in zip(folds, arbormix.IterativeStratification(3).split(X, y[:, :1]), strict=True):
        np.testing.assert_array_equal(test, same)
    model = arbormix.BinaryRelevance().fit(X, words)
    found = arbormix.metrics.evaluate(words, model.predict(X), model.predict_proba(X))
    assert found["exact_match"] == model.score(X, words)
    assert arbormix.metrics.scorer("hamming_loss")(model, X, words) == -found["hamming_loss"]
    signed = arbormix.metrics.evaluate(2 * y - 1, 2 * y[::-1] - 1)
    assert dict(signed) == dict(arbormix.metrics.evaluate(y, y[::-1]))


def test_unknown_measures_and_absent_labels_are_named(data):
    X, y = data
    with pytest.raises(KeyError, match="there is no measure 'accuracy'; known: .*exact_match"):
        arbormix.metrics.scorer("accuracy")(arbormix.BinaryRelevance().fit(X, y), X, y)
    with pytest.raises(ValueError, match="y is None"):
        next(arbormix.IterativeStratification(3).split(X))
