"""The questions a model answers, for estimators and for what they give when labels are known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._input import Labels, column_names, frame_kind, labels_of
from ._results import (
    BestSets,
    CredibleSets,
    Decisions,
    Floats,
    TopSets,
    draw_table,
    framed,
    index_of,
    pair_table,
)

#: Search nodes after which an exact search gives up unless told otherwise, as in the library.
NODE_LIMIT = 100_000


def questions() -> list[dict[str, Any]]:
    """The questions of :meth:`MLME.ask`: of each its ``name``, ``meaning``, what it ``needs``, and its ``arguments``.

    An argument has a ``name``, a ``kind``, whether it is ``required``, its ``default`` and its ``meaning``.
    """
    return json.loads(_core.questions())  # type: ignore[no-any-return]


@cache
def _label_sets(question: str) -> frozenset[str]:
    """The arguments of a question that are label sets."""
    asked = [declared for declared in questions() if declared["name"] == question]
    arguments = [argument for declared in asked for argument in declared["arguments"]]
    return frozenset(argument["name"] for argument in arguments if argument["kind"] == "label sets")


class Queries:
    """Questions about rows ``X``, answered exactly from the joint distribution P(y | x).

    ``MLME``, ``CTBN`` and ``BinaryRelevance`` answer all of them. Other methods answer those they have numbers for and
    raise ``NotImplementedError`` for the rest.
    """

    label_names_: npt.NDArray[np.object_]

    def _ask(self, X: Any) -> _core.Questions:
        raise NotImplementedError

    def _encode(self, y: Any) -> Labels:
        raise NotImplementedError

    def _names(self) -> tuple[str, ...]:
        return tuple(self.label_names_)

    def _table(self, values: Any, X: Any, frame: str | None) -> Any:
        return values if frame is None else framed(values, self._names(), frame, X)

    def ask(self, X: Any, question: str, given: Any = None, **arguments: Any) -> Any:
        """The answers to any question of :func:`arbormix.questions`, by its name and with its arguments.

        An array whose first axis is the row, or a dictionary of such arrays. In ``credible`` rows have different numbers
        of sets: these stand one after the other, and row ``i`` has those from ``starts[i]`` to ``starts[i + 1]``.
        ``given`` are known labels, see :meth:`given`.
        """
        if given is not None:
            return self._when_known(given).ask(X, question, **arguments)
        for name in _label_sets(question) & arguments.keys():
            arguments[name] = self._whole(arguments[name])
        return self._ask(X).ask(question, **arguments)

    def _when_known(self, known: Any) -> Given:
        raise NotImplementedError

    def map(self, X: Any, *, node_limit: int = NODE_LIMIT) -> BestSets:
        """The most probable label set of each row, with a certificate.

        ``node_limit`` is the number of search nodes after which a row is given up unproven; 0: never.
        """
        return BestSets(**self.ask(X, "map", node_limit=node_limit), label_names=self._names(), index=index_of(X))

    def top_k(self, X: Any, k: int) -> TopSets:
        """The k most probable label sets of each row."""
        if k < 1:
            raise ValueError(f"k = {k}: must be at least 1")
        best = self.ask(X, "top", count=k)
        return TopSets(best["labels"], best["log_probability"], self._names())

    def marginals(self, X: Any, *, frame: str | None = None) -> Any:
        """P(label = 1 | x), rows × labels; ``frame="pandas"`` or ``"polars"`` for a DataFrame."""
        return self._table(self._ask(X).marginals(), X, frame)

    def log_prob(self, X: Any, y: Any) -> Floats:
        """log P(y | x) of one whole label set per row."""
        return self.ask(X, "log_prob", labels=y)  # type: ignore[no-any-return]

    def responsibilities(self, X: Any, y: Any) -> Floats:
        """P(expert | x, y) of one whole label set per row, rows × experts: who speaks for it."""
        return self.ask(X, "responsibilities", labels=y)  # type: ignore[no-any-return]

    def _whole(self, y: Any) -> Labels:
        cells = self._encode(y)
        unknown = int((cells < 0).sum())
        if unknown:
            raise ValueError(f"{unknown} cells of y are unknown; given(y).log_known(X) is of the known cells alone")
        return cells

    def pairwise(self, X: Any, *, frame: str | None = None) -> Any:
        """P(both labels = 1 | x), rows × labels × labels; the diagonal holds the marginals.

        As a DataFrame: a row per row of ``X`` and pair of labels.
        """
        both = self.ask(X, "pairs")
        return both if frame is None else pair_table(both, self._names(), frame)

    def counts(self, X: Any, *, frame: str | None = None) -> Any:
        """P(that many labels are present | x), rows × (labels + 1)."""
        shares = self.ask(X, "counts")
        return shares if frame is None else framed(shares, [str(n) for n in range(shares.shape[1])], frame, X)

    def label_counts(self, X: Any) -> Floats:
        """P(label = 1 and that many labels are present | x), rows × labels × (labels + 1)."""
        return self.ask(X, "label_counts")  # type: ignore[no-any-return]

    def event(self, X: Any, event: str) -> Floats:
        """P(event | x) of a Boolean expression over labels: ``"cat & !pet | dog"``; names with spaces in ``"``."""
        return self.ask(X, "events", expression=event)  # type: ignore[no-any-return]

    def sample(self, X: Any, n: int = 1, *, seed: int = 0, frame: str | None = None) -> Any:
        """Label sets drawn from P(y | x), rows × n × labels; as a DataFrame a row per row of ``X`` and draw."""
        if n < 1 or seed < 0:
            raise ValueError(f"n = {n}, seed = {seed}: n must be at least 1, and seed not negative")
        draws = self.ask(X, "samples", count=n, seed=seed)
        return draws if frame is None else draw_table(draws, self._names(), frame)

    def decide(self, X: Any, loss: str) -> Decisions:
        """The best decision for a loss, and its expected value.

        ``subset``, ``hamming``, ``f1``, ``fbeta=B``, ``jaccard``, ``rank``, ``precision@K``, ``recall@K``,
        ``cost=FP:FN``, ``cost=FILE`` (CSV: label, false_positive, false_negative), ``abstain=C``; ``macro-f1`` and
        ``micro-f1``, if the model has thresholds for them: those of ``StackedMixture`` do.
        """
        # Rules that do not rank give no order.
        parts = {"ranking": None} | self.ask(X, "decision", rule=loss)
        return Decisions(**parts, label_names=self._names(), index=index_of(X))

    def _decided(self, X: Any, loss: str) -> Labels:
        if loss.startswith("abstain"):
            raise ValueError(f"loss = {loss!r} leaves labels open, which label sets cannot show; ask decide(X, {loss!r})")
        return self.decide(X, loss).labels

    def credible_sets(self, X: Any, mass: float, *, limit: int = 1000) -> list[CredibleSets]:
        """For each row the most probable label sets that together have the probability ``mass``, at most ``limit``."""
        if not 0 < mass <= 1:
            raise ValueError(f"mass = {mass}: must be above 0 and at most 1")
        found = self.ask(X, "credible", mass=mass, limit=limit)
        ends = found["starts"][1:-1]
        sets, logs = np.split(found["labels"], ends), np.split(found["log_probability"], ends)
        rows = zip(sets, logs, found["reached"], strict=True)
        return [CredibleSets(labels, log, bool(reached), self._names()) for labels, log, reached in rows]


class Given(Queries):
    """An estimator's answers when some labels are known; from :meth:`MLME.given`."""

    def __init__(self, estimator: Any, known: Any) -> None:
        self._estimator = estimator
        self._known = known
        self.label_names_ = estimator.label_names_

    def _encode(self, y: Any) -> Labels:
        return self._estimator._encode(y)  # type: ignore[no-any-return]

    def _when_known(self, known: Any) -> Given:
        raise ValueError("given: some labels are known already; say all of them at once")

    def __repr__(self) -> str:
        return f"{self._estimator!r}.given({self._known!r})"

    def _ask(self, X: Any) -> _core.Questions:
        rows = self._estimator._rows(X)
        known = known_cells(self._known, rows.rows, self._names())
        return self._estimator.model_.ask(rows, known)  # type: ignore[no-any-return]

    def predict(self, X: Any, *, loss: str | None = None, frame: str | None = None) -> Any:
        """The most probable sets that agree with what is known, or the best decisions for a loss."""
        labels = self.map(X).labels if loss is None else self._decided(X, loss)
        if frame is not None:
            return self._table(self._estimator._targets.values(labels), X, frame)
        return self._estimator._targets.decode(labels)

    def predict_proba(self, X: Any, *, frame: str | None = None) -> Any:
        """P(label = 1 | x, known), rows × labels."""
        return self.marginals(X, frame=frame)

    def log_known(self, X: Any) -> Floats:
        """log P(known | x)."""
        return self.ask(X, "log_known")  # type: ignore[no-any-return]


def known_cells(known: Any, rows: int, names: tuple[str, ...]) -> Labels:
    """What is known as 1, 0 and −1 for unknown, rows × labels.

    ``known`` is a mapping from names to values, the same for all rows; an array (rows × labels) or a DataFrame (columns
    named like labels, not necessarily all) with NaN for unknown.
    """
    cells = np.full((rows, len(names)), -1, dtype=np.int8)
    if isinstance(known, Mapping):
        strange = [name for name, value in known.items() if not (value is None or value in (0, 1) or value != value)]
        if strange:
            raise ValueError(f"known label {strange[0]!r}: values are 0 or 1, and NaN or None where unknown")
        parts = {
            str(name): np.full(rows, np.nan if value is None else value, dtype=float) for name, value in known.items()
        }
    elif frame_kind(known) is not None:
        found, _ = labels_of(known)
        parts = {
            str(name): np.where(found[:, at] < 0, np.nan, found[:, at]) for at, name in enumerate(column_names(known))
        }
    else:
        found, _ = labels_of(known)
        if found.shape != cells.shape:
            raise ValueError(f"known labels have the shape {found.shape}, rows × labels are {cells.shape}")
        return found
    for name, values in parts.items():
        if name not in names:
            raise ValueError(f"known label {name!r} is not one of the model's: {', '.join(names)}")
        if len(values) != rows:
            raise ValueError(f"known labels of {len(values)} rows for {rows} rows of X")
        cells[:, names.index(name)] = np.where(np.isnan(values), -1, values)
    return cells
