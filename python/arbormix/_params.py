"""Parameters of the methods, as the library declares them.

The few that matter are keyword arguments, named as scikit-learn names such things (``random_state``, ``n_neighbors``,
``max_iter``). All others are behind one argument, ``expert``: a dict from the library's dotted names to values, such as
``expert={"em.tolerance": 1e-5}``; the reference lists them. A parameter that is one of several words, some with numbers of
their own, is written like a call: ``"exact(node_limit=1000)"``, ``"folds(3)"``; a dict as in the library's JSON,
``{"folds": 3}``, does too.
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


@dataclass(frozen=True)
class Parameter:
    """One parameter of a method."""

    #: The keyword argument, or the dotted name for experts.
    name: str
    #: The library's dotted name.
    path: str
    default: Any
    paper: Any
    choices: tuple[str, ...]
    #: The words of a choice with what each means.
    words: Mapping[str, str]
    meaning: str
    #: What is allowed, in words; empty if everything is.
    allowed: str
    kind: Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """One method of the library's registry."""

    name: str
    title: str
    #: Name of its class.
    class_name: str
    summary: str
    #: Those for everyone, by keyword argument.
    parameters: Mapping[str, Parameter]
    #: Those for experts, by dotted name.
    expert: Mapping[str, Parameter]

    def arguments(self, params: dict[str, Any]) -> dict[str, Any]:
        """The keyword arguments that stand for parameters of the library."""
        main = {name: shown(_at(params, parameter.path)) for name, parameter in self.parameters.items()}
        others = {path: shown(_at(params, path)) for path in self.expert}
        changed = {path: value for path, value in others.items() if value != self.expert[path].default}
        return {**main, "expert": changed or None}

    def paper(self) -> dict[str, Any]:
        """The keyword arguments with every choice as in the paper."""
        main = {name: parameter.paper for name, parameter in self.parameters.items()}
        changed = {path: p.paper for path, p in self.expert.items() if p.paper != p.default}
        return {**main, "expert": changed or None}


@cache
def methods() -> Mapping[str, Method]:
    """All methods of the registry, by name."""
    return {entry["name"]: _method(entry) for entry in json.loads(_core.methods())}


def _method(entry: dict[str, Any]) -> Method:
    main: dict[str, Parameter] = {}
    expert: dict[str, Parameter] = {}
    for declared in entry["parameters"]:
        is_main = declared["level"] == "main"
        name = declared["python"] if is_main else declared["name"]
        place = main if is_main else expert
        if name in place:
            raise RuntimeError(f"{entry['name']}: two parameters would be called {name}")
        words = _words(declared["kind"])
        place[name] = Parameter(
            name,
            declared["name"],
            shown(declared["default"]),
            shown(declared["paper"]),
            tuple(words),
            words,
            _in_python(declared["meaning"]),
            declared["allowed"] or "",
            declared["kind"],
        )
    return Method(entry["name"], entry["title"], entry["class"], entry["summary"], main, expert)


def _words(kind: Mapping[str, Any]) -> dict[str, str]:
    """The words that may stand for a value, with their meanings."""
    match kind["is"]:
        case "choice":
            return {variant["word"]: _in_python(variant["meaning"]) for variant in kind["of"]}
        case "either":
            return {word: meaning for inner in kind["of"] for word, meaning in _words(inner).items()}
        case _:
            return {}


def _in_python(text: str) -> str:
    """Words of code as reStructuredText has them."""
    return re.sub(r"`([^`]+)`", r"``\1``", text).replace("``null``", "``None``")


def _at(params: Any, path: str) -> Any:
    for name in path.split("."):
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


def nested(method: Method, arguments: Mapping[str, Any]) -> str:
    """The library's JSON for keyword arguments."""
    out: dict[str, Any] = {}
    for name, value in arguments.items():
        if name == "expert":
            for path, inner in _experts(method, value).items():
                _put(out, path, _plain(path, inner, method.expert.get(path)))
        else:
            _put(out, method.parameters[name].path, _plain(name, value, method.parameters[name]))
    return json.dumps(out)


def _experts(method: Method, given: Any) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"parameter expert = {given!r}: needs a dict such as {{'logistic.folds': 5}}")
    mains = {parameter.path: name for name, parameter in method.parameters.items()}
    for path in given:
        if path in mains:
            raise ValueError(f"parameter expert: {path!r} is the argument {mains[path]}; set it there")
    return given


def _put(out: dict[str, Any], path: str, value: Any) -> None:
    *groups, last = path.split(".")
    for group in groups:
        out = out.setdefault(group, {})
    out[last] = value


def _plain(name: str, value: Any, parameter: Parameter | None) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if parameter is not None and value is None and parameter.kind["is"] != "optional":
        raise ValueError(f"parameter {name} = None: needs a value; the default is {parameter.default!r}")
    if any(isinstance(part, float) and not np.isfinite(part) for part in np.ravel(np.array(value, dtype=object))):
        raise ValueError(f"parameter {name} = {value!r}: must be finite")
    if parameter is not None and isinstance(value, str) and parameter.choices:
        return _choice(name, value, parameter)
    if isinstance(value, list | tuple):
        return [part.item() if isinstance(part, np.generic) else part for part in value]
    return value


def in_our_words(method: Method, message: str) -> str:
    """A refusal of the library with the parameter's name as it is here: ``em.max_iterations`` is ``max_iter``."""
    names = {parameter.path: name for name, parameter in method.parameters.items()}

    def ours(found: re.Match[str]) -> str:
        return f"parameter {names[found[1]]}" if found[1] in names else found[0]

    return re.sub(r"^parameter ([\w.]+)", ours, message)


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
