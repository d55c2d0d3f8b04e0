"""The classes of the methods, made from the library's registry, and models from files."""

from __future__ import annotations

import difflib
import inspect
import json
import os
from typing import Any

import numpy as np

from . import _core, _params
from ._estimators import MultiLabelClassifier
from ._targets import ZERO_ONE, Targets


def _make(method: _params.Method) -> type[MultiLabelClassifier]:
    """The class of a method: its ``__init__`` has the registry's parameters and defaults."""
    defaults = {name: parameter.default for name, parameter in method.parameters.items()}
    defaults |= {"expert": None, "verbose": False}
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default) for name, default in defaults.items()
    ]
    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    name = method.class_name

    def __init__(self: Any, **params: Any) -> None:
        unknown = [word for word in params if word not in defaults]
        if unknown:
            raise TypeError(_unexpected(name, method, unknown[0], list(defaults)))
        for word, default in defaults.items():
            setattr(self, word, params.get(word, default))

    __init__.__signature__ = inspect.Signature([self_parameter, *parameters])  # type: ignore[attr-defined]
    body = {"__init__": __init__, "_method": method, "__doc__": _doc(method, name), "__module__": "arbormix"}
    return type(name, (MultiLabelClassifier,), body)


def _unexpected(name: str, method: _params.Method, word: str, known: list[str]) -> str:
    """What to say about an argument that a class does not have."""
    text = f"{name}() got an unexpected keyword argument {word!r}"
    by_path = {parameter.path.replace(".", "_"): argument for argument, parameter in method.parameters.items()}
    experts = {path.replace(".", "_"): path for path in method.expert}
    if word in by_path:
        return f"{text}; it is called {by_path[word]!r} here"
    if word in experts:
        return f"{text}; write expert={{{experts[word]!r}: ...}}"
    near = difflib.get_close_matches(word, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{text}{hint}; known: {', '.join(known)}"


def _doc(method: _params.Method, name: str) -> str:
    lines = [f"{method.title}: {method.summary}.", "", f"On the command line and in messages it is ``{method.name}``."]
    lines += ["", "Parameters", "----------"]
    for parameter in method.parameters.values():
        lines += _about(parameter, name)
    if method.expert:
        lines.append("expert : dict, default None")
        lines.append(f"    Parameters for experts, by the library's dotted names: the {len(method.expert)} listed under Notes.")
    lines += ["verbose : default False", "    Show how far a fit is."]
    if method.expert:
        lines += ["", "Notes", "-----", "Parameters for experts:", ""]
        for parameter in method.expert.values():
            lines.append(f"- ``{parameter.name}`` (default {parameter.default!r}): {parameter.meaning}")
    lines += ["", "Examples", "--------"]
    lines += [
        ">>> import arbormix, numpy as np",
        ">>> X = np.random.default_rng(0).normal(size=(60, 3))",
        ">>> Y = (X[:, :2] + X[:, 2:] > 0).astype(int)",
        f">>> model = arbormix.{name}().fit(X, Y)",
        ">>> model.predict_proba(X).shape",
        "(60, 2)",
    ]
    return "\n".join(lines)


def _about(parameter: _params.Parameter, name: str) -> list[str]:
    lines = [f"{parameter.name} : default {parameter.default!r}", f"    {parameter.meaning}"]
    lines += [f"    - {word}: {meaning}" for word, meaning in parameter.words.items()]
    if parameter.allowed:
        lines.append(f"    It {parameter.allowed}.")
    if parameter.paper != parameter.default:
        lines.append(f"    In the paper {parameter.paper!r} (``{name}.paper()``).")
    return lines


CLASSES: dict[str, type[MultiLabelClassifier]] = {name: _make(method) for name, method in _params.methods().items()}


def load(path: str | os.PathLike[str]) -> MultiLabelClassifier:
    """Reads a model file, written here, by the command line or by Rust, as an estimator of its method."""
    model = _core.Model.load(os.fspath(path))
    cls = CLASSES[model.method]
    estimator = cls(**cls._method.arguments(json.loads(model.describe())["params"]))
    names = [name for name, _ in model.columns]
    estimator.n_features_in_ = len(names)
    if names != [f"x{place}" for place in range(len(names))]:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.gate_use_ = None
    estimator._adopt(model, Targets(tuple(model.label_names), (ZERO_ONE,) * len(model.label_names)))
    return estimator


__all__ = ["CLASSES", "load"]
