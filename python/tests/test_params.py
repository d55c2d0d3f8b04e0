"""Keyword arguments are the registry's parameters."""

import inspect
import json
import re

import numpy as np
import pytest

import arbormix
from arbormix import _core, _params


def test_every_method_has_a_class_and_the_library_takes_its_defaults():
    for entry in json.loads(_core.methods()):
        cls = arbormix._classes.CLASSES[entry["name"]]
        assert getattr(arbormix, cls.__name__) is cls and cls.__name__ in arbormix.__all__
        arguments = {name: p.default for name, p in inspect.signature(cls).parameters.items() if name != "verbose"}
        assert cls._method.arguments(entry["default"]) == arguments
        assert cls._method.arguments(entry["paper"]) == cls._method.paper()
        for preset in ("default", "paper"):
            every = {path: _params.shown(_params._at(entry[preset], path)) for path in cls._method.expert}
            everything = {**cls._method.arguments(entry[preset]), "expert": every}
            assert json.loads(_params.nested(cls._method, everything)) == entry[preset]


def test_the_parameters_that_matter_are_few_and_come_first():
    for cls in arbormix._classes.CLASSES.values():
        main = list(cls._method.parameters)
        assert 1 <= len(main) <= 8, cls
        assert list(inspect.signature(cls).parameters) == [*main, "expert", "verbose"]
    assert len(arbormix.StackedMixture._method.expert) > 40


@pytest.mark.parametrize(
    ("argument", "value", "nested"),
    [
        ("max_iter", np.int64(3), {"em": {"max_iterations": 3}}),
        ("costs", np.array([0.5, 2.0]), {"logistic": {"costs": [0.5, 2.0]}}),
        ("expert", {"structure.scoring": "holdout(0.25)"}, {"structure": {"scoring": {"holdout": 0.25}}}),
        ("expert", {"structure.scoring": {"folds": 4}}, {"structure": {"scoring": {"folds": 4}}}),
        ("inference", "exact", {"inference": {"exact": {"node_limit": 100000}}}),
        ("inference", "annealing", {"inference": {"annealing": {"iterations": 150, "seed": 0}}}),
        ("inference", "best-expert", {"inference": "best-expert"}),
        ("inference", "exact(node_limit=7)", {"inference": {"exact": {"node_limit": 7}}}),
        ("scaling", "none", {"features": {"scaling": "none"}}),
    ],
)
def test_flat_names_reach_their_place(argument, value, nested):
    assert json.loads(_params.nested(arbormix.MLME._method, {argument: value})) == nested


def test_parameters_arrive(data):
    X, y = data
    model = arbormix.MLME(n_experts=2, max_iter=2, expert={"structure.scoring": "folds(2)"}).fit(X, y)
    params = json.loads(model.model_.describe())["params"]
    assert (params["experts"], params["em"]["max_iterations"], params["structure"]["scoring"]) == (2, 2, {"folds": 2})
    assert len(model.trees_) == 2
    assert max(step["iteration"] for step in model.report_["trace"]) <= 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"expert": {"structure.scoring": "folds(1)"}}, "folds must be at least 2"),
        ({"expert": {"structure.scoring": "folds(1, 2)"}}, "give one value or named ones"),
        ({"expert": {"structure.scoring": "folds(x)"}}, "cannot be read"),
        ({"inference": "guess"}, "exact"),
        ({"costs": ("a",)}, "parameter costs: expected a number"),
        ({"expert": {"em.tolerence": 1.0}}, 'did you mean "em.tolerance"'),
        ({"expert": {"experts": 2}}, "is the argument n_experts"),
        ({"expert": 3}, "needs a dict"),
    ],
)
def test_values_that_cannot_be_are_named(params, message, data):
    with pytest.raises(ValueError, match=message):
        arbormix.MLME(**params).fit(*data)


def test_every_parameter_says_what_it_means():
    for method in _params.methods().values():
        for parameter in [*method.parameters.values(), *method.expert.values()]:
            assert parameter.meaning, f"{method.name}.{parameter.name}"
    text = arbormix.MLME.__doc__
    assert "Where EM starts." in text and "- regions: Experts for random regions" in text and "- auto: As many as pay" in text


def test_refusals_name_parameters_as_they_are_here(data):
    for wrong, message in (
        ({"costs": (-1.0,)}, "parameter costs = "),
        ({"costs": (float("nan"),)}, "parameter costs = .*must be finite"),
        ({"random_state": None}, "parameter random_state = None: needs a value; the default is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            arbormix.CTBN(**wrong).fit(*data)


def test_other_names_are_answered_with_ours():
    for wrong, message in (
        ({"seed": 1}, "it is called 'random_state' here"),
        ({"em_tolerance": 1.0}, "write expert={'em.tolerance': ...}"),
        ({"n_expert": 1}, "did you mean 'n_experts'"),
    ):
        with pytest.raises(TypeError, match=re.escape(message)):
            arbormix.MLME(**wrong)
