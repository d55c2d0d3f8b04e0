"""Answers with more than one part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._input import frame_kind

Floats = npt.NDArray[np.float64]


def framed(values: Any, columns: Sequence[str], frame: str, rows: Any = None) -> Any:
    """A table as a DataFrame of "pandas" (with the index of ``rows`` if they have one) or "polars"."""
    if frame == "pandas":
        import pandas

        return pandas.DataFrame(values, columns=list(columns), index=index_of(rows))
    if frame == "polars":
        import polars

        return polars.DataFrame({name: values[:, place] for place, name in enumerate(columns)})
    raise ValueError(f"frame = {frame!r}; known: 'pandas', 'polars', or None for an array")


def index_of(rows: Any) -> Any:
    """The index of a DataFrame of pandas; None for other rows."""
    return rows.index if frame_kind(rows) == "pandas" else None


def pair_table(both: Floats, names: Sequence[str], frame: str) -> Any:
    """One row per row and pair of labels: ``row``, ``label``, ``other``, ``probability``."""
    rows, labels = both.shape[:2]
    first, second = np.triu_indices(labels, 1)
    words = np.array(names, dtype=object)
    columns = [np.repeat(np.arange(rows), len(first)), np.tile(words[first], rows), np.tile(words[second], rows)]
    return _columns(("row", "label", "other", "probability"), [*columns, both[:, first, second].ravel()], frame)


def draw_table(draws: npt.NDArray[np.int8], names: Sequence[str], frame: str) -> Any:
    """One row per row and draw: ``row``, ``draw``, the labels."""
    rows, count, labels = draws.shape
    columns = [np.repeat(np.arange(rows), count), np.tile(np.arange(count), rows)]
    return _columns(("row", "draw", *names), [*columns, *draws.reshape(rows * count, labels).T], frame)


@dataclass(frozen=True)
class BestSets:
    """The most probable label set of each row, and what is proven about it."""

    #: 0/1, rows × labels.
    labels: npt.NDArray[np.int8]
    #: Its log-probability; NaN for methods without joint probabilities.
    log_probability: Floats
    #: No label set has a log-probability above this; NaN without a search.
    log_bound: Floats
    #: Whether it is proven to be the most probable set.
    certified: npt.NDArray[np.bool_]
    #: Search nodes looked at.
    nodes: npt.NDArray[np.int64]
    label_names: tuple[str, ...]
    #: The index of the rows, if they were a DataFrame of pandas.
    index: Any = None

    def to_frame(self, frame: str = "pandas") -> Any:
        """One row per row: the labels, then probability, bound, certified, nodes."""
        names = (*self.label_names, "probability", "bound", "certified", "nodes")
        more = (np.exp(self.log_probability), np.exp(self.log_bound), self.certified, self.nodes)
        return _columns(names, [*self.labels.T, *more], frame, self.index)


@dataclass(frozen=True)
class TopSets:
    """The k most probable label sets of each row, best first."""

    #: 0/1, rows × k × labels.
    labels: npt.NDArray[np.int8]
    #: rows × k; −∞ where a row has fewer sets.
    log_probability: Floats
    label_names: tuple[str, ...]

    def to_frame(self, frame: str = "pandas") -> Any:
        """One row per row and rank: ``row``, ``rank``, the labels, ``probability``."""
        rows, count, labels = self.labels.shape
        cells = self.labels.reshape(rows * count, labels).T
        names = ("row", "rank", *self.label_names, "probability")
        columns = [np.repeat(np.arange(rows), count), np.tile(np.arange(count), rows), *cells]
        return _columns(names, [*columns, np.exp(self.log_probability.ravel())], frame)


@dataclass(frozen=True)
class Decisions:
    """The best decision of each row for a loss."""

    #: 0/1, rows × labels.
    labels: npt.NDArray[np.int8]
    #: 1 where nothing is said; only rules that may abstain have any.
    open: npt.NDArray[np.int8]
    #: Expected value or loss under the model.
    expected: Floats
    #: Labels in order of relevance, rows × labels, where the rule ranks.
    ranking: npt.NDArray[np.int64] | None
    label_names: tuple[str, ...]
    #: The index of the rows, if they were a DataFrame of pandas.
    index: Any = None

    def to_frame(self, frame: str = "pandas") -> Any:
        """One row per row: the labels, NaN where nothing is said, then the expected value or loss."""
        cells = np.where(self.open == 1, np.nan, self.labels) if self.open.any() else self.labels
        return _columns((*self.label_names, "expected"), [*cells.T, self.expected], frame, self.index)


@dataclass(frozen=True)
class CredibleSets:
    """The most probable label sets of one row that together have a probability."""

    #: 0/1, sets × labels.
    labels: npt.NDArray[np.int8]
    log_probability: Floats
    #: Whether they have it; if not, the limit on their number was met first.
    reached: bool
    label_names: tuple[str, ...]

    def to_frame(self, frame: str = "pandas") -> Any:
        """One row per set: the labels and its probability."""
        names = (*self.label_names, "probability")
        return _columns(names, [*self.labels.T, np.exp(self.log_probability)], frame)


def _columns(names: Sequence[str], columns: Sequence[Any], frame: str, index: Any = None) -> Any:
    table = dict(zip(names, columns, strict=True))
    if len(table) < len(names):
        raise ValueError("a label has the name of a column of this table; rename it, or use the arrays")
    if frame == "pandas":
        import pandas

        return pandas.DataFrame(table, index=index)
    if frame == "polars":
        import polars

        return polars.DataFrame(table)
    raise ValueError(f"frame = {frame!r}; known: 'pandas', 'polars'")
