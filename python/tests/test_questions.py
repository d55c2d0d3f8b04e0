"""The joint questions against enumeration of all 2^d label sets by ``log_prob``."""

import itertools

import numpy as np
import pytest

import arbormix

SETS = np.array(list(itertools.product([0, 1], repeat=4)))


@pytest.fixture(scope="module")
def joint(mixture, data):
    """P(set | x) of the first rows, rows × 16."""
    X = data[0][:20]
    return np.exp(np.column_stack([mixture.log_prob(X, np.tile(s, (20, 1))) for s in SETS]))


@pytest.fixture(scope="module")
def X(data):
    return data[0][:20]


def test_it_is_a_distribution(joint):
    np.testing.assert_allclose(joint.sum(axis=1), 1)


def test_marginals_pairs_and_counts(mixture, joint, X):
    np.testing.assert_allclose(mixture.predict_proba(X), joint @ SETS)
    pairs = np.einsum("rs,si,sj->rij", joint, SETS, SETS)
    np.testing.assert_allclose(mixture.pairwise(X), pairs, atol=1e-12)
    sizes = np.eye(5)[SETS.sum(axis=1)]
    np.testing.assert_allclose(mixture.counts(X), joint @ sizes, atol=1e-12)
    with_label = np.einsum("rs,si,sn->rin", joint, SETS, sizes)
    np.testing.assert_allclose(mixture.label_counts(X), with_label, atol=1e-12)


def test_who_speaks_for_a_set(mixture, joint, X):
    shares = [mixture.responsibilities(X, np.tile(s, (20, 1))) for s in SETS]
    assert all(np.allclose(share.sum(axis=1), 1) for share in shares)
    # Over all sets, weighed by their probabilities, they are the gate.
    np.testing.assert_allclose(np.einsum("rs,srk->rk", joint, np.array(shares)), mixture.gate(X), atol=1e-12)
    with pytest.raises(ValueError, match="1 cells of y are unknown"):
        mixture.responsibilities(X[:1], [[0, 1, np.nan, 0]])


def test_best_sets(mixture, joint, X):
    best = mixture.map(X)
    assert best.certified.all() and best.labels.dtype == np.int8
    np.testing.assert_array_equal(best.labels, SETS[joint.argmax(axis=1)])
    np.testing.assert_array_equal(best.labels, mixture.predict(X))
    np.testing.assert_allclose(np.exp(best.log_probability), joint.max(axis=1))
    top = mixture.top_k(X, 20)
    np.testing.assert_allclose(np.exp(top.log_probability[:, :16]), -np.sort(-joint, axis=1), rtol=1e-9)
    assert (top.log_probability[:, 16:] == -np.inf).all()
    np.testing.assert_array_equal(top.labels[:, 0], best.labels)


def test_events(mixture, joint, X):
    holds = (SETS[:, 0] & ~SETS[:, 1] & 1) | SETS[:, 3]
    np.testing.assert_allclose(mixture.event(X, "y0 & !y1 | y3"), joint @ holds)
    with pytest.raises(ValueError, match='no label is called "z"'):
        mixture.event(X, "y0 & z")


def test_decisions(mixture, joint, X):
    def f1(said, true):
        both = said.sum() + true.sum()
        return 1.0 if both == 0 else 2 * (said & true).sum() / both

    values = np.array([[f1(said, true) for true in SETS] for said in SETS])
    expected = joint @ values.T
    decision = mixture.decide(X, "f1")
    np.testing.assert_allclose(decision.expected, expected.max(axis=1))
    np.testing.assert_array_equal(mixture.predict(X, loss="f1"), decision.labels)
    np.testing.assert_array_equal(decision.labels, SETS[expected.argmax(axis=1)])
    np.testing.assert_array_equal(mixture.predict(X, loss="hamming"), mixture.predict_proba(X) > 0.5)
    assert (mixture.decide(X, "abstain=0.1").open == (np.abs(mixture.predict_proba(X) - 0.5) < 0.4)).all()
    assert (np.sort(mixture.decide(X, "rank").ranking, axis=1) == np.arange(4)).all()
    with pytest.raises(ValueError, match="no such rule"):
        mixture.predict(X, loss="f7")


def test_decisions_by_thresholds(mixture, data, X):
    stack = arbormix.StackedMixture().fit(*data)
    for loss in ["macro-f1", "micro-f1"]:
        decision = stack.decide(X, loss)
        np.testing.assert_array_equal(stack.predict(X, loss=loss), decision.labels)
        # Somewhere between the marginals that are above and those that are not.
        marginals, said = stack.predict_proba(X), decision.labels == 1
        for label in range(4):
            assert marginals[said[:, label], label].min(initial=1) > marginals[~said[:, label], label].max(initial=0)
        assert 0.5 < decision.expected[0] <= 1
    with pytest.raises(ValueError, match="no thresholds"):
        mixture.predict(X, loss="macro-f1")


def test_given(mixture, joint, X):
    fits = (SETS[:, 1] == 1) & (SETS[:, 2] == 0)
    rest = joint * fits / (joint @ fits)[:, None]
    given = mixture.given({"y1": 1, "y2": 0, "y3": None})
    np.testing.assert_allclose(np.exp(given.log_known(X)), joint @ fits)
    np.testing.assert_allclose(given.marginals(X), rest @ SETS, atol=1e-12)
    np.testing.assert_array_equal(given.predict(X), SETS[rest.argmax(axis=1)])
    np.testing.assert_array_equal(given.map(X).labels, given.top_k(X, 1).labels[:, 0])
    known = np.full((20, 4), np.nan)
    known[:, 1], known[:, 2] = 1, 0
    np.testing.assert_array_equal(mixture.given(known).predict_proba(X), given.predict_proba(X))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(known[:, [2, 1]], columns=["y2", "y1"])
    np.testing.assert_array_equal(mixture.given(frame).predict_proba(X), given.predict_proba(X))


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"zebra": 1}, "'zebra' is not one of"),
        ({"y1": 2}, "0 or 1"),
        (np.zeros((3, 4)), r"\(3, 4\), rows × labels are \(20, 4\)"),
    ],
)
def test_what_cannot_be_known_is_named(mixture, X, known, message):
    with pytest.raises(ValueError, match=message):
        mixture.given(known).predict(X)


def test_samples(mixture, joint, X):
    drawn = mixture.sample(X, 4000, seed=1)
    assert drawn.shape == (20, 4000, 4)
    places = drawn @ [8, 4, 2, 1]
    shares = np.stack([np.bincount(row, minlength=16) / 4000 for row in places])
    np.testing.assert_allclose(shares, joint, atol=0.04)
    np.testing.assert_array_equal(drawn, mixture.sample(X, 4000, seed=1))
    assert (drawn != mixture.sample(X, 4000, seed=2)).any()


def test_credible_sets(mixture, joint, X):
    for row, found in zip(joint, mixture.credible_sets(X, 0.8), strict=True):
        assert found.reached
        masses = np.cumsum(-np.sort(-row))
        assert len(found.labels) == np.searchsorted(masses, 0.8) + 1


def test_gate_and_trees(mixture, X):
    np.testing.assert_allclose(mixture.gate(X).sum(axis=1), 1)
    assert len(mixture.trees_) == 2 and all(list(tree) == ["y0", "y1", "y2", "y3"] for tree in mixture.trees_)


def test_explanations(mixture, joint, X):
    why = mixture.explain(X, 3, features=2)
    assert why["probability"] == pytest.approx(joint[3].max())
    for label, reason in enumerate(why["reasons"]):
        other = joint[3][SETS[:, label] != reason["present"]].max()
        assert reason["times_less_probable_otherwise"] == pytest.approx(joint[3].max() / other)
        assert len(reason["features"]) == 2
    assert str(why).startswith(", ".join(why["labels"]))
    with pytest.raises(IndexError, match="row 20: X has 20 rows"):
        mixture.explain(X, 20)


def test_frames(mixture, X):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, index=range(100, 120))
    proba = mixture.predict_proba(table, frame="pandas")
    assert list(proba.columns) == list(mixture.label_names_) and list(proba.index) == list(table.index)
    np.testing.assert_array_equal(proba, mixture.predict_proba(X))
    best = mixture.map(X).to_frame()
    assert list(best.columns) == ["y0", "y1", "y2", "y3", "probability", "bound", "certified", "nodes"]
    top = mixture.top_k(X, 2).to_frame()
    assert len(top) == 40 and list(top["rank"][:2]) == [0, 1]
    polars = pytest.importorskip("polars")
    assert mixture.predict(X, frame="polars").shape == (20, 4)
    assert isinstance(mixture.map(X).to_frame("polars"), polars.DataFrame)
    with pytest.raises(ValueError, match="frame = 'R'"):
        mixture.predict(X, frame="R")


def test_methods_without_a_joint_distribution_say_so(data):
    X, y = data
    model = arbormix.ClassifierChain().fit(X, y)
    assert model.predict_proba(X).shape == y.shape and model.gate(X) is None
    with pytest.raises(NotImplementedError, match="use mlme or ctbn"):
        model.pairwise(X)


def test_many_rows_are_one_call(mixture, data):
    """Blocks of rows are joined in order."""
    X = np.tile(data[0], (5, 1))
    np.testing.assert_array_equal(mixture.predict(X), np.tile(mixture.predict(data[0]), (5, 1)))
    np.testing.assert_array_equal(mixture.map(X).labels, mixture.predict(X))
    with pytest.raises(ValueError, match="k = 0"):
        mixture.top_k(X, 0)


def test_answers_as_data_frames(mixture, data):
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame(data[0][:3], index=["u", "v", "w"])
    best, decided = mixture.map(rows), mixture.decide(rows, "abstain=0.4")
    assert list(best.to_frame().index) == list(decided.to_frame().index) == ["u", "v", "w"]
    table = decided.to_frame()
    np.testing.assert_array_equal(table[list(decided.label_names)].isna(), decided.open == 1)
    np.testing.assert_array_equal(table["expected"], decided.expected)
    both = mixture.pairwise(rows)
    pairs = mixture.pairwise(rows, frame="pandas")
    assert len(pairs) == 3 * 6 and pairs.columns.tolist() == ["row", "label", "other", "probability"]
    last = pairs.iloc[-1]
    names = list(mixture.label_names_)
    assert last["probability"] == both[2, names.index(last["label"]), names.index(last["other"])]
    counts = mixture.counts(rows, frame="pandas")
    assert list(counts.index) == ["u", "v", "w"] and list(counts.columns) == ["0", "1", "2", "3", "4"]
    draws = mixture.sample(rows, 2, seed=3)
    table = mixture.sample(rows, 2, seed=3, frame="pandas")
    np.testing.assert_array_equal(table[names].to_numpy().reshape(draws.shape), draws)
    sets = mixture.credible_sets(rows, 0.5)[0]
    np.testing.assert_array_equal(sets.to_frame()["probability"], np.exp(sets.log_probability))
    known = mixture.given({names[0]: 1})
    assert list(known.predict(rows, frame="pandas").index) == ["u", "v", "w"]
    np.testing.assert_array_equal(known.predict_proba(rows, frame="pandas"), known.predict_proba(rows))


def test_data_frames_hold_the_values_of_y(data):
    pytest.importorskip("pandas")
    X, y = data
    signed = arbormix.BinaryRelevance().fit(X, 2 * y - 1)
    np.testing.assert_array_equal(signed.predict(X, frame="pandas"), signed.predict(X))


def test_questions_that_cannot_be_are_refused(mixture, data):
    X, y = data
    holes = y.astype(float)
    holes[0, 0] = np.nan
    name = mixture.label_names_[0]
    for ask, message in (
        (lambda: mixture.sample(X, -1), "n = -1"),
        (lambda: mixture.credible_sets(X, 2.0), "mass = 2.0"),
        (lambda: mixture.log_prob(X, holes), "1 cells of y are unknown"),
        (lambda: mixture.predict(X, loss="abstain=0.2"), "leaves labels open.*decide"),
        (lambda: mixture.given({name: 1}).predict(X, loss="abstain=0.2"), "leaves labels open"),
        (lambda: mixture.given({name: "yes"}).predict(X), "values are 0 or 1"),
    ):
        with pytest.raises(ValueError, match=message):
            ask()
    with pytest.raises(AttributeError, match="not fitted yet"):
        arbormix.MLME().trees_  # noqa: B018


def test_every_declared_question_can_be_asked(mixture, X):
    values = {"whole number": 2, "probability": 0.7, "decision rule": "f1", "event": "y0 & !y1"}
    for question in arbormix.questions():
        assert question["meaning"] and question["needs"] in ("marginals", "sets", "joint")
        needed = [argument for argument in question["arguments"] if argument["required"]]
        arguments = {
            argument["name"]: np.tile(SETS[5], (20, 1)) if argument["kind"] == "label sets" else values[argument["kind"]]
            for argument in needed
        }
        for given in (None, {"y3": 1}):
            answer = mixture.ask(X, question["name"], given=given, **arguments)
            parts = answer if isinstance(answer, dict) else {"": answer}
            of_rows = [part for name, part in parts.items() if "starts" not in parts or name in ("mass", "reached")]
            assert of_rows and all(len(part) == 20 for part in of_rows), question["name"]


def test_names_are_short_for_questions(mixture, X):
    known = {"y1": 0}
    given = mixture.given(known)
    np.testing.assert_array_equal(mixture.ask(X, "marginals"), mixture.predict_proba(X))
    np.testing.assert_array_equal(mixture.ask(X, "pairs", given=known), given.pairwise(X))
    np.testing.assert_array_equal(mixture.ask(X, "log_known", given=known), given.log_known(X))
    np.testing.assert_array_equal(mixture.ask(X, "map")["labels"], mixture.predict(X))
    np.testing.assert_array_equal(mixture.ask(X, "gate"), mixture.gate(X))
    drawn = mixture.ask(X, "samples", count=np.int64(3), seed=4)
    np.testing.assert_array_equal(drawn, mixture.sample(X, 3, seed=4))
    assert drawn.dtype == np.int8 and mixture.map(X).nodes.dtype == np.int64
    assert mixture.decide(X, "f1").ranking is None and mixture.decide(X, "rank").ranking.shape == (20, 4)
    found = mixture.ask(X, "credible", mass=0.8)
    assert [len(row.labels) for row in mixture.credible_sets(X, 0.8)] == np.diff(found["starts"]).tolist()
    for ask, message in (
        (lambda: mixture.ask(X, "nothing"), "no such question; known: map"),
        (lambda: mixture.ask(X, "counts", all=1), 'unknown parameter "all"'),
        (lambda: mixture.ask(X, "samples", count=-1), "not a whole number"),
        (lambda: mixture.ask(X, "decision"), "rule of the question decision: is missing"),
        (lambda: mixture.ask(X, "log_prob", labels=SETS), "16 against 20"),
        (lambda: given.ask(X, "counts", given=known), "known already"),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


def test_chains_decide_by_marginals(data):
    X, y = data
    model = arbormix.ClassifierChain().fit(X, y)
    np.testing.assert_array_equal(model.decide(X, "hamming").labels, model.predict_proba(X) > 0.5)
    np.testing.assert_array_equal(model.ask(X, "log_prob", labels=y), model.log_prob(X, y))
    with pytest.raises(NotImplementedError, match="use mlme or ctbn"):
        model.decide(X, "f1")
