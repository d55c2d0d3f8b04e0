"""Comparisons: the same folds for all, tests of significance, tables and plots."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import arbormix

QUICK = {"costs": (1.0,)}
TIMES = ["fit_seconds", "test_seconds"]


@pytest.fixture(scope="module")
def found(data):
    estimators = {"tree": arbormix.CTBN(**QUICK), "alone": arbormix.BinaryRelevance(**QUICK), "near": arbormix.MLKNN()}
    return arbormix.compare(estimators, data, cv=4, seed=3)


def test_folds_are_those_of_a_loop_by_hand(data, found):
    X, y = data
    folds = arbormix._core.shuffled_folds(len(X), 4, 3)
    for fold in range(4):
        seen, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        model = arbormix.CTBN(**QUICK).fit(X[seen], y[seen])
        row = found.folds.query("method == 'tree' and fold == @fold").iloc[0]
        assert row["exact_match"] == model.score(X[held], y[held])
        assert row["data"] == "data" and row["fit_seconds"] > 0 and row["failure"] is None
    assert len(found.folds) == 12 and found.reference == "tree"


def test_the_tests_are_those_of_scipy(found):
    wide = found.folds.pivot(index="fold", columns="method", values="hamming_loss")
    tests = found.tests("hamming_loss").set_index("method")
    assert np.allclose(tests["mean"], wide.mean()[tests.index]) and np.allclose(
        tests["standard_error"], wide.sem()[tests.index]
    )
    for method in ("alone", "near"):
        expected = scipy.stats.ttest_rel(wide["tree"], wide[method])
        assert np.isclose(tests["statistic"][method], expected.statistic)
        assert np.isclose(tests["p_value"][method], expected.pvalue)
        verdict = "tied" if expected.pvalue >= 0.05 else "superior" if expected.statistic < 0 else "inferior"
        assert tests["verdict"][method] == verdict
    assert pd.isna(tests["p_value"]["tree"])


def test_tables_show_means_errors_and_markers(found):
    table, tests = found.table(), found.tests().set_index("method")
    assert list(table.columns) == ["tree", "alone", "near"] and list(table.index) == ["data", "average rank"]
    for method, cell in table.loc["data"].items():
        assert cell.startswith(f"{tests['mean'][method]:.3f} ± {tests['standard_error'][method]:.3f}")
        assert ("∗" in cell) == (tests["verdict"][method] == "superior")
    assert "<table" in found._repr_html_() and "exact_match" in repr(found)
    with pytest.raises(ValueError, match="known: average_precision, .*exact_match"):
        found.table("beauty")


def test_several_data_sets_and_splitters(data):
    X, y = data
    splitter = arbormix.IterativeStratification(3, seed=1)
    estimators = [arbormix.BinaryRelevance(**QUICK), arbormix.MLKNN(n_neighbors=5)]
    both = arbormix.compare(estimators, {"all": data, "half": (X[:75], y[:75])}, cv=splitter, test="corrected")
    assert list(both.table().index) == ["all", "half", "average rank"] and "Friedman" in " ".join(both.notes())
    ids = np.empty(len(X), dtype=int)
    for fold, (_, test) in enumerate(splitter.split(X, y)):
        ids[test] = fold
    again = arbormix.compare(estimators, {"all": data}, cv=ids, n_jobs=2)
    first = both.folds.query("data == 'all'").drop(columns=TIMES)
    pd.testing.assert_frame_equal(first, again.folds.drop(columns=TIMES))


def test_a_fold_that_fails_is_a_result(data):
    X, y = data[0], data[1].astype(float)
    y[0, 0] = np.nan
    found = arbormix.compare([arbormix.BinaryRelevance(**QUICK), arbormix.ClassifierChain(**QUICK)], (X, y), cv=2)
    failures = found.folds.set_index("method")["failure"]
    assert failures["BinaryRelevance"].isna().all() and failures["ClassifierChain"].str.contains("unknown").any()
    assert "[1]" in found.table()["ClassifierChain"]["data"] and "unknown" in found.notes()[-1] + found.notes()[0]


def test_plots_have_a_point_for_every_mean(found):
    matplotlib = pytest.importorskip("matplotlib", reason="plots need matplotlib")
    matplotlib.use("Agg")
    axes = found.plot("hamming_loss")
    points = [container.lines[0].get_ydata()[0] for container in axes.containers]
    assert np.allclose(points, found.tests("hamming_loss")["mean"])


def test_refusals_name_what_is_wrong(data):
    quick = arbormix.BinaryRelevance(**QUICK)
    for estimators, options, message in (
        ([quick, quick], {}, "two estimators are called 'BinaryRelevance'"),
        ([], {}, "nothing to compare"),
        ([quick], {"reference": "MLME"}, "the methods are BinaryRelevance"),
        ([quick], {"cv": np.zeros(3, dtype=int)}, "needs the fold of each of its 150 rows"),
        ([quick], {"cv": np.repeat([0, 2], 75)}, "none of fold 1"),
        ([quick], {"test": "hope"}, "known: paired, corrected"),
    ):
        with pytest.raises(ValueError, match=message):
            arbormix.compare(estimators, data, **{"cv": 2} | options)
    with pytest.raises(TypeError, match="no estimator of arbormix"):
        arbormix.compare([object()], data)


def test_one_estimator_and_wrong_data(data):
    alone = arbormix.compare(arbormix.MLKNN(), data, cv=2)
    assert list(alone.tests()["method"]) == ["MLKNN"]
    with pytest.raises(TypeError, match="data: a ndarray is no data to compare on; give a pair"):
        arbormix.compare([arbormix.MLKNN()], data[0])
