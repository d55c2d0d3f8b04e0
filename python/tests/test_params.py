"""Keyword arguments are the registry's parameters."""

import inspect
import json

import numpy as np
import pytest

import arbormix
from arbormix import _core, _params


def test_every_method_has_a_class_and_the_library_takes_its_defaults():
    for entry in json.loads(_core.methods()):
        cls = arbormix._classes.CLASSES[entry["name"]]
        assert getattr(arbormix, cls.__name__) is cls and cls.__name__ in arbormix.__all__
        arguments = {name: p.default for name, p in inspect.signature(cls).parameters.items() if name != "verbose"}
        assert json.loads(_params.nested(cls._method, arguments)) == entry["default"]
        paper = {name: p.paper for name, p in cls._method.parameters.items()}
        assert json.loads(_params.nested(cls._method, paper)) == entry["paper"]
        assert _params.flat(cls._method, entry["default"]) == arguments


@pytest.mark.parametrize(
    ("argument", "value", "nested"),
    [
        ("em_max_iterations", np.int64(3), {"em": {"max_iterations": 3}}),
        ("logistic_costs", np.array([0.5, 2.0]), {"logistic": {"costs": [0.5, 2.0]}}),
        ("structure_scoring", "holdout(0.25)", {"structure": {"scoring": {"holdout": 0.25}}}),
        ("structure_scoring", {"folds": 4}, {"structure": {"scoring": {"folds": 4}}}),
        ("inference", "exact", {"inference": {"exact": {"node_limit": 100000}}}),
        ("inference", "annealing", {"inference": {"annealing": {"iterations": 150, "seed": 0}}}),
        ("inference", "best-expert", {"inference": "best-expert"}),
        ("inference", "exact(node_limit=7)", {"inference": {"exact": {"node_limit": 7}}}),
        ("features_scaling", "none", {"features": {"scaling": "none"}}),
    ],
)
def test_flat_names_reach_their_place(argument, value, nested):
    assert json.loads(_params.nested(arbormix.MLME._method, {argument: value})) == nested


def test_parameters_arrive(data):
    X, y = data
    model = arbormix.MLME(experts=2, em_max_iterations=2, structure_scoring="folds(2)").fit(X, y)
    params = json.loads(model.model_.describe())["params"]
    assert (params["experts"], params["em"]["max_iterations"], params["structure"]["scoring"]) == (2, 2, {"folds": 2})
    assert len(model.trees_) == 2
    assert max(step["iteration"] for step in model.report_["trace"]) <= 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"structure_scoring": "folds(1)"}, "folds must be at least 2"),
        ({"structure_scoring": "folds(1, 2)"}, "give one value or named ones"),
        ({"structure_scoring": "folds(x)"}, "cannot be read"),
        ({"inference": "guess"}, "exact"),
        ({"logistic_costs": ("a",)}, "logistic.costs"),
    ],
)
def test_values_that_cannot_be_are_named(params, message, data):
    with pytest.raises(ValueError, match=message):
        arbormix.MLME(**params).fit(*data)


def test_every_parameter_says_what_it_means():
    for method in _params.methods().values():
        for parameter in method.parameters.values():
            assert parameter.meaning, f"{method.name}.{parameter.name}: run scripts/python-reference"
    text = arbormix.MLME.__doc__
    assert "Where EM starts." in text and "- regions: Experts for random regions" in text and "- auto: As many as pay" in text


def test_refusals_name_parameters_as_they_are_here(data):
    for wrong, message in (
        ({"logistic_costs": (-1.0,)}, "parameter logistic_costs = "),
        ({"logistic_costs": (float("nan"),)}, "parameter logistic_costs = .*must be finite"),
        ({"seed": None}, "parameter seed = None: needs a value; the default is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            arbormix.CTBN(**wrong).fit(*data)
