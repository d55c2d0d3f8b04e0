"""The estimators among scikit-learn's own."""

import pickle

import numpy as np
import pytest

import arbormix

pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from conventions import CLASSES, checked, inapplicable  # noqa: E402


@parametrize_with_checks(checked(), expected_failed_checks=inapplicable)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", CLASSES)
def test_every_method_is_an_estimator(cls, data):
    X, y = data
    model = cls()
    assert is_classifier(model) and model.get_params() == clone(model).get_params()
    proba = model.fit(X, y).predict_proba(X)
    assert proba.shape == y.shape and ((proba >= 0) & (proba <= 1 + 1e-9)).all()
    assert model.predict(X).shape == y.shape
    assert model.score(X, y) == (model.predict(X) == y).all(axis=1).mean() > 0.2
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), proba)
    paper = cls.paper(verbose=True)
    assert paper.verbose and paper.get_params() == cls._method.paper() | {"verbose": True}


def test_pipeline_with_named_columns(data):
    pandas = pytest.importorskip("pandas")
    X, y = data
    table = pandas.DataFrame(X, columns=list("abcde"))
    pipe = make_pipeline(StandardScaler(), arbormix.CTBN()).set_output(transform="pandas").fit(table, y)
    assert list(pipe[-1].feature_names_in_) == list("abcde")
    assert pipe.predict(table).shape == y.shape and pipe.score(table, y) > 0.3
    sparse_pipe = make_pipeline(StandardScaler(), arbormix.CTBN()).set_output(transform="default").fit(X, y)
    np.testing.assert_array_equal(sparse_pipe.predict(X), pipe.predict(table))


def test_grid_search(data):
    X, y = data
    grid = {"costs": [(0.01,), (1.0,)], "expert": [{"nodes.kind": "switching"}, {"nodes.kind": "parent-feature"}]}
    search = GridSearchCV(arbormix.CTBN(), grid, scoring=arbormix.metrics.scorer("cll_loss_mean"), cv=3).fit(X, y)
    assert search.best_params_["costs"] == (1.0,)
    assert search.predict(X).shape == y.shape
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all() and len(set(scores)) == 4


def test_cross_validation(data):
    X, y = data
    folds = arbormix.IterativeStratification(3)
    scoring = ["accuracy", "f1_macro", "roc_auc", "average_precision"]
    found = cross_validate(arbormix.BinaryRelevance(), X, y, cv=folds, scoring=scoring, error_score="raise")
    assert all(len(found[f"test_{name}"]) == 3 and found[f"test_{name}"].min() > 0.15 for name in scoring)
    own = cross_validate(arbormix.BinaryRelevance(), X, y, cv=folds, error_score="raise")
    np.testing.assert_allclose(own["test_score"], found["test_accuracy"])
    assert cross_val_predict(arbormix.BinaryRelevance(), X, y, cv=3).shape == y.shape
    proba = cross_val_predict(arbormix.BinaryRelevance(), X, y, cv=3, method="predict_proba")
    assert np.asarray(proba).shape == y.shape


def test_workers_of_joblib(data):
    joblib = pytest.importorskip("joblib")
    X, y = data
    alone = cross_val_predict(arbormix.CTBN(), X, y, cv=3)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        np.testing.assert_array_equal(cross_val_predict(arbormix.CTBN(), X, y, cv=3), alone)


def test_not_fitted():
    from sklearn.exceptions import NotFittedError

    model = arbormix.MLME()
    for ask in (model.predict, model.predict_proba, model.map, model.counts):
        with pytest.raises(NotFittedError):
            ask(np.zeros((1, 2)))
    with pytest.raises(NotFittedError):
        model.save("nowhere")


def test_wrong_parameters_are_named(data):
    with pytest.raises(TypeError, match="'experts'; it is called 'n_experts' here"):
        arbormix.MLME(experts=3)
    with pytest.raises(ValueError, match="experts"):
        arbormix.MLME(n_experts=0).fit(*data)
    with pytest.raises(ValueError, match="Invalid parameter"):
        arbormix.MLME().set_params(experts=3)
