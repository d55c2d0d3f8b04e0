"""Parameters of the methods: nested in the library, flat keyword arguments here.

A group's name and a parameter's name are joined by one underscore: ``em.max_iterations`` is ``em_max_iterations``. (Two
underscores belong to scikit-learn, which reaches into the parts of a pipeline with them.) A parameter that is one of
several words, some with numbers of their own, is written like a call: ``"exact(node_limit=1000)"``, ``"folds(3)"``; a
dict as in the library's JSON, ``{"folds": 3}``, does too.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from . import _core
from ._meanings import MEANINGS


@dataclass(frozen=True)
class Parameter:
    """One keyword argument."""

    name: str
    path: tuple[str, ...]
    default: Any
    paper: Any
    choices: tuple[str, ...]
    #: What it means; the words of a choice follow, one on a line.
    meaning: str


@dataclass(frozen=True)
class Method:
    """One method of the library's registry."""

    name: str
    title: str
    summary: str
    parameters: Mapping[str, Parameter]


@cache
def methods() -> Mapping[str, Method]:
    """All methods of the registry, by name."""
    return {entry["name"]: _method(entry) for entry in json.loads(_core.methods())}


def _method(entry: dict[str, Any]) -> Method:
    choices = {tuple(path.split(".")): tuple(words) for path, words in entry["choices"].items()}
    parameters: dict[str, Parameter] = {}
    for path, default in _leaves(entry["default"], set(choices)):
        name = "_".join(path)
        if name in parameters:
            raise RuntimeError(f"{entry['name']}: two parameters would be called {name}")
        paper = _at(entry["paper"], path)
        meaning = MEANINGS.get(f"{entry['name']}.{name}", MEANINGS.get(name, ""))
        parameters[name] = Parameter(name, path, shown(default), shown(paper), choices.get(path, ()), meaning)
    return Method(entry["name"], entry["title"], entry["summary"], parameters)


def _leaves(value: Any, choices: set[tuple[str, ...]], path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and path not in choices:
        return [leaf for name, inner in value.items() for leaf in _leaves(inner, choices, (*path, name))]
    return [(path, value)]


def _at(params: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        params = params[name]
    return params


def shown(value: Any) -> Any:
    """A value of the library's JSON as a keyword argument."""
    if isinstance(value, list):
        return tuple(shown(part) for part in value)
    if isinstance(value, dict):
        if len(value) != 1:
            return value  # a group that may be absent, such as features_nystrom
        [(word, inner)] = value.items()
        if isinstance(inner, dict):
            return f"{word}({', '.join(f'{name}={number!r}' for name, number in inner.items())})"
        return f"{word}({inner!r})"
    return value


def flat(method: Method, params: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments that stand for parameters of the library."""
    return {name: shown(_at(params, parameter.path)) for name, parameter in method.parameters.items()}


def nested(method: Method, arguments: Mapping[str, Any]) -> str:
    """The library's JSON for keyword arguments."""
    out: dict[str, Any] = {}
    for name, value in arguments.items():
        parameter = method.parameters[name]
        place = out
        for part in parameter.path[:-1]:
            place = place.setdefault(part, {})
        place[parameter.path[-1]] = _plain(name, value, parameter)
    return json.dumps(out)


def _plain(name: str, value: Any, parameter: Parameter) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if value is None and parameter.default is not None:
        raise ValueError(f"parameter {name} = None: needs a value; the default is {parameter.default!r}")
    if any(isinstance(part, float) and not np.isfinite(part) for part in np.ravel(np.array(value, dtype=object))):
        raise ValueError(f"parameter {name} = {value!r}: must be finite")
    if isinstance(value, str) and parameter.choices:
        return _choice(name, value, parameter)
    if isinstance(value, list | tuple):
        return [part.item() if isinstance(part, np.generic) else part for part in value]
    return value


def in_our_words(message: str) -> str:
    """A refusal of the library with the parameter's name as it is here: ``logistic.costs`` is ``logistic_costs``."""
    return re.sub(r"^parameter ([\w.]+)", lambda found: found[0].replace(".", "_"), message)


def _choice(name: str, text: str, parameter: Parameter) -> Any:
    """A word, or a word with numbers: ``folds(3)``, ``exact(node_limit=1000)``."""
    called = re.fullmatch(r"\s*([\w-]+)\s*\((.*)\)\s*", text, re.DOTALL)
    if called is None:
        # The word alone of a choice that has numbers means those of the defaults.
        for known in (parameter.default, parameter.paper):
            if isinstance(known, str) and known.startswith(f"{text}("):
                return _choice(name, known, parameter)
        return text
    word, inside = called.groups()
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        assert isinstance(call, ast.Call)
        numbers = [ast.literal_eval(argument) for argument in call.args]
        named = {str(argument.arg): ast.literal_eval(argument.value) for argument in call.keywords}
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"parameter {name} = {text!r}: cannot be read; write e.g. {parameter.default!r}") from error
    if named and not numbers:
        return {word: named}
    if len(numbers) == 1 and not named:
        return {word: numbers[0]}
    raise ValueError(f"parameter {name} = {text!r}: give one value or named ones, e.g. {parameter.default!r}")
