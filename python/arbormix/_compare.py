"""Comparisons: methods on the same folds, with tests of significance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _params
from ._crew import Crew
from ._data import Data
from ._estimators import MultiLabelClassifier

Folds = npt.NDArray[np.int64]


class Comparison:
    """What :func:`compare` found; everything is a DataFrame of pandas.

    ``folds`` has a row for every data set, method and fold: all measures, the seconds of fitting and testing, and why
    a fold failed, if it did. ``measures`` lists the measures, ``reference`` is the method the others are tested against.
    """

    def __init__(self, report: dict[str, Any]) -> None:
        import pandas

        self._report = report
        self.reference: str = report["reference"]
        self.measures: list[str] = list(report["measures"])
        data = [entry["name"] for entry in report["data"]]
        methods = [entry["name"] for entry in report["methods"]]
        rows = []
        for cell in report["cells"]:
            place = next(entry for entry in report["data"] if entry["name"] == cell["data"])["folds"].index(cell["fold"])
            row = {name: cell[name] for name in ("data", "method", "fold")}
            for measure, found in report["measures"].items():
                entry = found["entries"][data.index(cell["data"])][methods.index(cell["method"])]
                row[measure] = None if entry is None else entry["folds"][place]
            row |= {name: cell.get(name) for name in ("fit_seconds", "test_seconds", "failure")}
            rows.append(row)
        numbers = [*self.measures, "fit_seconds", "test_seconds"]
        self.folds = pandas.DataFrame(rows).astype(dict.fromkeys(numbers, float))

    def _of(self, kind: str, measure: str) -> dict[str, Any]:
        if measure not in self.measures:
            raise ValueError(f"measure {measure!r}; known: {', '.join(self.measures)}")
        found: dict[str, Any] = self._report[kind][measure]
        return found

    def table(self, measure: str = "exact_match") -> Any:
        """Mean ± standard error of each method on each data set, and average ranks.

        ``∗`` marks methods that the reference is significantly better than, ``⊛`` those it is worse than.
        """
        import pandas

        table = self._of("tables", measure)
        frame = pandas.DataFrame(table["rows"], columns=table["header"]).set_index(table["header"][0])
        frame.attrs["notes"] = table["notes"]
        return frame

    def notes(self, measure: str = "exact_match") -> list[str]:
        """What belongs under the table: the markers, tests over all data sets, why folds failed."""
        return list(self._of("tables", measure)["notes"])

    def tests(self, measure: str = "exact_match") -> Any:
        """A row for every data set and method: mean, standard error, and the test of the reference against it.

        ``statistic`` is the t of reference − method, ``verdict`` says how the reference does at the level .05:
        superior, inferior or tied.
        """
        import pandas

        found = self._of("measures", measure)
        rows = []
        for data, entries in zip(self._report["data"], found["entries"], strict=True):
            for method, entry in zip(self._report["methods"], entries, strict=True):
                entry = entry or {}
                test = entry.get("test") or {}
                rows.append(
                    {"data": data["name"], "method": method["name"]}
                    | {name: entry.get(name) for name in ("mean", "standard_error")}
                    | {name: test.get(name) for name in ("statistic", "degrees", "p_value")}
                    | {"verdict": entry.get("verdict")}
                )
        numbers = ("mean", "standard_error", "statistic", "degrees", "p_value")
        return pandas.DataFrame(rows).astype(dict.fromkeys(numbers, float))

    def plot(self, measure: str = "exact_match", ax: Any = None) -> Any:
        """Means with their standard errors, one group per data set; needs matplotlib. Returns the axes."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("plots need matplotlib; run: pip install matplotlib") from error
        if ax is None:
            ax = plt.subplots(layout="constrained")[1]
        tests = self.tests(measure)
        data = [entry["name"] for entry in self._report["data"]]
        methods = [entry["name"] for entry in self._report["methods"]]
        for place, method in enumerate(methods):
            rows = tests[tests["method"] == method]
            shift = 0.6 * ((place + 0.5) / len(methods) - 0.5)
            ax.errorbar(np.arange(len(data)) + shift, rows["mean"], yerr=rows["standard_error"], fmt="o", label=method)
        ax.set_xticks(range(len(data)), data)
        ax.set_ylabel(self._of("tables", measure)["title"])
        ax.legend()
        return ax

    def __repr__(self) -> str:
        measure = self._headline()
        return "\n".join([self._of("tables", measure)["title"], str(self.table(measure)), *self.notes(measure)])

    def _repr_html_(self) -> str:
        measure = self._headline()
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes(measure))
        return f"<p>{escape(self._of('tables', measure)['title'])}</p>{self.table(measure).to_html()}{notes}"

    def _headline(self) -> str:
        return "exact_match" if "exact_match" in self.measures else self.measures[0]


def compare(
    estimators: Mapping[str, MultiLabelClassifier] | Sequence[MultiLabelClassifier],
    data: Any,
    *,
    cv: Any = 10,
    seed: int = 0,
    reference: str | None = None,
    test: str = "paired",
    n_jobs: int | None = None,
) -> Comparison:
    """Compares methods on the same folds of one or more data sets.

    Parameters
    ----------
    estimators : mapping of names to estimators, or a list of estimators
        Estimators of arbormix, in the order of the tables; they are not fitted themselves.
    data : ``Data``, a pair ``(X, y)``, or a mapping of names to these
        As :meth:`MLME.fit` takes them.
    cv : number of folds, a splitter as scikit-learn has them, or the fold of each row
        A number shuffles by ``seed``, as the command line's ``arbormix compare --folds`` does.
    reference : name of the method that the others are tested against; ``"MLME"``, or else the first
    test : ``"paired"`` is the t-test of the ML-ME paper, ``"corrected"`` allows for overlapping training sets
    n_jobs : as joblib has it
        Folds × methods run through joblib: ``joblib.parallel_config(backend="dask")`` sends them to a cluster.

    Examples
    --------
    >>> import arbormix, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 3))
    >>> Y = (X[:, :2] + X[:, 2:] > 0).astype(int)
    >>> found = arbormix.compare([arbormix.CTBN(), arbormix.MLKNN()], (X, Y), cv=3)
    >>> found.folds[["method", "fold"]].shape
    (6, 2)
    >>> list(found.tests("hamming_loss")["method"])
    ['CTBN', 'MLKNN']
    """
    named = _named([estimators] if isinstance(estimators, MultiLabelClassifier) else estimators)
    if reference is None:
        reference = "MLME" if "MLME" in named else next(iter(named))
    if reference not in named:
        raise ValueError(f"reference = {reference!r}; the methods are {', '.join(named)}")
    methods = [(name, estimator._method.name, estimator._overrides()) for name, estimator in named.items()]
    sets = data if isinstance(data, Mapping) else {data.name if isinstance(data, Data) else "data": data}
    if not sets:
        raise ValueError("data is empty: nothing to compare on")
    probe = next(iter(named.values()))
    tasks = [_task(name, part, cv, seed, probe) for name, part in sets.items()]
    crew = Crew(tasks, _tasks, n_jobs)
    places = [
        (task, method, fold)
        for task, (_, folds) in enumerate(tasks)
        for method in methods
        for fold in range(int(folds.max()) + 1)
    ]
    cells = crew.do(_cell, places)
    return Comparison(json.loads(_core.compared(_tasks(tasks), methods, cells, reference, test)))


def _named(estimators: Any) -> dict[str, MultiLabelClassifier]:
    pairs = estimators.items() if isinstance(estimators, Mapping) else [(type(e).__name__, e) for e in estimators]
    named: dict[str, MultiLabelClassifier] = {}
    for name, estimator in pairs:
        if not isinstance(estimator, MultiLabelClassifier):
            raise TypeError(f"{name}: {estimator!r} is no estimator of arbormix")
        if name in named:
            raise ValueError(f"two estimators are called {name!r}; give a mapping with names of your own")
        named[name] = estimator
    if not named:
        raise ValueError("no estimators: nothing to compare")
    return named


def _task(name: str, part: Any, cv: Any, seed: int, probe: MultiLabelClassifier) -> tuple[tuple[Any, ...], Folds]:
    """The parts of a data set, and the fold of each row."""
    if isinstance(part, Data):
        X, y = part.frames() if part.categories else (part.X, part.y)
    elif isinstance(part, tuple | list) and len(part) == 2:
        X, y = part
    else:
        raise TypeError(f"{name}: a {type(part).__name__} is no data to compare on; give a pair (X, y) or Data")
    # An estimator of its own: checking the rows leaves their number of features behind.
    parts, _ = type(probe)()._parts(X, y)
    rows = len(parts[2])
    if isinstance(cv, int | np.integer):
        folds = _core.shuffled_folds(rows, int(cv), seed)
    elif hasattr(cv, "split"):
        folds = np.full(rows, -1, dtype=np.int64)
        for fold, (_, test) in enumerate(cv.split(X, y)):
            if (folds[test] >= 0).any():
                raise ValueError(f"cv = {cv!r}: a row is tested in two folds; the tests need folds without overlap")
            folds[test] = fold
        if (folds < 0).any():
            raise ValueError(f"cv = {cv!r}: {int((folds < 0).sum())} of {rows} rows are in no fold")
    else:
        folds = np.ascontiguousarray(cv, dtype=np.int64)
        if folds.shape != (rows,):
            raise ValueError(f"cv has the shape {folds.shape}; {name!r} needs the fold of each of its {rows} rows")
    return (name, *parts), folds


def _tasks(parts: list[tuple[tuple[Any, ...], Folds]]) -> list[tuple[_core.Dataset, Folds]]:
    return [(_core.Dataset(*part), folds) for part, folds in parts]


def _cell(tasks: list[tuple[_core.Dataset, Folds]], task: int, method: tuple[str, str, str], fold: int) -> str:
    data, folds = tasks[task]
    return _core.cell(data, folds, method, fold)


__all__ = ["Comparison", "compare"]
