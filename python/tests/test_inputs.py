"""Every form of the same data gives the same model, byte by byte."""

import numpy as np
import pytest

import arbormix

FEATURES = ["a", "b", "c", "d", "e"]
LABELS = ["p", "q", "r", "s"]


def model_bytes(X, y, **options):
    return arbormix.BinaryRelevance(costs=(1.0,), **options).fit(X, y).model_.to_bytes()


def test_layouts_and_types_of_arrays(data):
    X, y = data
    X = X.astype(np.float32)
    expected = model_bytes(X.astype(float), y)
    for other in (X, np.asfortranarray(X.astype(float)), np.repeat(X, 2, axis=1)[:, ::2], X.tolist()):
        assert model_bytes(other, y) == expected
    for other in (y.astype(bool), y.astype(float), np.asfortranarray(y.astype(np.int8)), y.tolist()):
        assert model_bytes(X, other) == expected


def test_sparse_features_and_labels(data):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = data
    X = np.where(X > 0.5, X, 0)
    csr = sparse.csr_matrix(X)
    expected = model_bytes(csr, y)
    backwards = csr.copy()
    for row in range(3):
        inside = slice(*backwards.indptr[row : row + 2])
        backwards.indices[inside], backwards.data[inside] = csr.indices[inside][::-1], csr.data[inside][::-1]
    backwards.has_sorted_indices = False
    for other in (csr.tocsc(), csr.tocoo(), sparse.csr_array(X), backwards):
        assert model_bytes(other, y) == expected
    assert model_bytes(csr, sparse.csr_matrix(y)) == expected
    # Zeros that are not stored are still zeros.
    dense = arbormix.BinaryRelevance(scaling="none").fit(X, y).predict_proba(X)
    loose = arbormix.BinaryRelevance(scaling="none").fit(csr, y).predict_proba(csr)
    np.testing.assert_allclose(loose, dense, atol=2e-3)


def frames(kind, X, y):
    library = pytest.importorskip(kind)
    columns = dict(zip(FEATURES, X.T, strict=True)), dict(zip(LABELS, y.T, strict=True))
    make = library.table if kind == "pyarrow" else library.DataFrame
    return make(columns[0]), make(columns[1])


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_data_frames_keep_their_names(kind, data):
    X, y = data
    table, labels = frames(kind, X, y)
    model = arbormix.BinaryRelevance().fit(table, labels)
    assert list(model.feature_names_in_) == FEATURES and list(model.label_names_) == LABELS
    np.testing.assert_array_equal(model.predict_proba(table), arbormix.BinaryRelevance().fit(X, y).predict_proba(X))
    assert model.score(table, labels) == (model.predict(table) == y).all(axis=1).mean()


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_columns_in_another_order_are_refused(kind, data):
    X, y = data
    table, _ = frames(kind, X, y)
    model = arbormix.BinaryRelevance().fit(table, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table.select(FEATURES[::-1]) if kind != "pandas" else table[FEATURES[::-1]])


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_categories_are_matched_by_name(kind, data):
    X, y = data
    library = pytest.importorskip(kind)
    words = np.array(["red", "green", "blue"])[np.digitize(X[:, 0], [-0.5, 0.5])]

    def table(words):
        if kind == "pandas":
            return library.DataFrame({"colour": library.Categorical(words), "b": X[: len(words), 1]})
        if kind == "polars":
            return library.DataFrame(
                {"colour": library.Series(words, dtype=library.Categorical), "b": X[: len(words), 1]}
            )
        return library.table({"colour": library.array(words).dictionary_encode(), "b": X[: len(words), 1]})

    model = arbormix.BinaryRelevance().fit(table(words), y)
    assert model.n_features_in_ == 2
    proba = model.predict_proba(table(words))
    # The categories of the first rows alone are fewer, and come in another order.
    np.testing.assert_allclose(model.predict_proba(table(words[:2])), proba[:2], rtol=1e-12)
    with pytest.raises(ValueError, match="black"):
        model.predict(table(np.array(["black", "red"])))


def test_words_that_are_no_categories_are_refused(data):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="'colour'.*astype"):
        arbormix.BinaryRelevance().fit(pandas.DataFrame({"colour": ["red", "blue"]}), [[0], [1]])


def test_lists_of_labels(data):
    X, y = data
    names = np.array(LABELS)
    lists = [list(names[row == 1]) for row in y]
    model = arbormix.BinaryRelevance().fit(X, lists)
    assert list(model.label_names_) == LABELS
    np.testing.assert_array_equal(model.predict(X), arbormix.BinaryRelevance().fit(X, y).predict(X))
    assert model.score(X, lists) == model.score(X, y) == model.score(X, [set(row) for row in lists])
    assert model.predict_labels(X[:1]) == [list(names[model.predict(X[:1])[0] == 1])]
    with pytest.raises(ValueError, match="row 0 of y has the label 'zebra'"):
        model.score(X[:1], [["zebra"]])


def test_unknown_labels_are_passed_on(data):
    X, y = data
    y = y.astype(float)
    y[0, 1] = y[3, 2] = np.nan
    assert arbormix.BinaryRelevance().fit(X, y).predict(X).shape == y.shape
    partly = arbormix._core.Dataset(
        "d", X, [(f"x{i}", None) for i in range(5)], arbormix._input.labels_of(y)[0], LABELS
    )
    np.testing.assert_array_equal(partly.labels(), np.where(np.isnan(y), -1, y))


def test_many_rows_are_as_each_alone(data):
    """Many rows are encoded block by block; a refusal still counts them from the first."""
    X, y = data
    model = arbormix.CTBN(costs=(1.0,)).fit(X, y)
    many = np.tile(X, (7, 1))
    proba = model.predict_proba(many)
    np.testing.assert_array_equal(proba, model.predict_proba(np.asfortranarray(many)))
    np.testing.assert_array_equal(proba[::97], [model.predict_proba(row[None])[0] for row in many[::97]])
    many[700, 3] = np.inf
    with pytest.raises(ValueError, match='"x3" is inf in row 700'):
        model.predict(many)


def test_missing_features_are_imputed(data):
    X, y = data
    holes = X.copy()
    holes[0, 0] = np.nan
    filled = X.copy()
    filled[0, 0] = X[1:, 0].mean()
    np.testing.assert_allclose(
        arbormix.BinaryRelevance().fit(holes, y).predict_proba(holes),
        arbormix.BinaryRelevance().fit(filled, y).predict_proba(filled),
        rtol=1e-6,
    )


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros((3, 1, 1)), "y has 3 dimensions"),
        ([[0, 1], [2, 0], [1, 1]], "a label has 3 values, 0, 1, 2"),
        ([[0.5], [0], [1]], "continuous"),
        ([["a"], ["b"]], r"inconsistent numbers of samples: \[3, 2\]"),
        ([[0, None], [1, 1], ["x", 0]], "row 0 of y, a list of labels, holds None"),
        (None, "requires y"),
    ],
)
def test_labels_that_cannot_be_are_named(y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        arbormix.BinaryRelevance().fit(np.zeros((3, 2)), y)


def test_weights_are_repetitions(data):
    X, y = data
    weights = np.random.default_rng(1).integers(0, 3, size=len(X))
    options = {"costs": (1.0,), "scaling": "none"}
    weighted = arbormix.BinaryRelevance(**options).fit(X, y, sample_weight=weights)
    repeated = arbormix.BinaryRelevance(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights, axis=0))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=2e-3)


def test_two_other_values_come_back(data):
    """scikit-learn's form of a classifier: any two values, and one dimension in, one dimension out."""
    X, y = data
    plain = arbormix.BinaryRelevance().fit(X, y)
    signed = arbormix.BinaryRelevance().fit(X, 2 * y - 1)
    np.testing.assert_array_equal(signed.predict(X), 2 * plain.predict(X) - 1)
    assert signed.score(X, 2 * y - 1) == plain.score(X, y) and signed.classes_[0].tolist() == [-1, 1]
    words = np.array(["no", "yes"])[y[:, 0]]
    single = arbormix.BinaryRelevance().fit(X, words)
    np.testing.assert_array_equal(single.predict(X) == "yes", plain.predict(X)[:, 0] == 1)
    assert single.predict_proba(X).shape == (150, 1) and single.score(X, words) > 0.5
    p = single.predict_proba(X)[:, 0]
    np.testing.assert_allclose(np.exp(single.log_prob(X, words)), np.where(y[:, 0] == 1, p, 1 - p))
    with pytest.raises(ValueError, match="y holds 'maybe' in row 1"):
        single.score(X[:2], np.array(["no", "maybe"]))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_columns_of_lists_of_labels(kind, data):
    library = pytest.importorskip(kind)
    lists = [["cat", "pet"], ["dog"], []] * 50
    column = library.array(lists) if kind == "pyarrow" else library.Series(lists)
    expected = arbormix.BinaryRelevance().fit(data[0], lists)
    model = arbormix.BinaryRelevance().fit(data[0], column)
    assert list(model.label_names_) == ["cat", "dog", "pet"] and model.model_.to_bytes() == expected.model_.to_bytes()


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_dates_are_no_numbers(kind, data):
    library = pytest.importorskip(kind)
    day = np.datetime64("2020-02-29")
    with pytest.raises(ValueError, match="'day'.*dates or times"):
        arbormix.BinaryRelevance().fit(library.DataFrame({"day": np.full(150, day, dtype="datetime64[us]")}), data[1])


def test_weights_that_are_no_numbers_are_named(data):
    with pytest.raises(ValueError, match="sample_weight = 'balanced'"):
        arbormix.BinaryRelevance().fit(*data, sample_weight="balanced")
