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

        index = rows.index if rows is not None and frame_kind(rows) == "pandas" else None
        return pandas.DataFrame(values, columns=list(columns), index=index)
    if frame == "polars":
        import polars

        return polars.DataFrame({name: values[:, place] for place, name in enumerate(columns)})
    raise ValueError(f"frame = {frame!r}; known: 'pandas', 'polars', or None for an array")


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

    def to_frame(self, frame: str = "pandas") -> Any:
        """One row per row: the labels, then probability, bound, certified, nodes."""
        names = (*self.label_names, "probability", "bound", "certified", "nodes")
        more = (np.exp(self.log_probability), np.exp(self.log_bound), self.certified, self.nodes)
        return _columns(names, [*self.labels.T, *more], frame)


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


@dataclass(frozen=True)
class CredibleSets:
    """The most probable label sets of one row that together have a probability."""

    #: 0/1, sets × labels.
    labels: npt.NDArray[np.int8]
    log_probability: Floats
    #: Whether they have it; if not, the limit on their number was met first.
    reached: bool


def _columns(names: Sequence[str], columns: Sequence[Any], frame: str) -> Any:
    table = dict(zip(names, columns, strict=True))
    if len(table) < len(names):
        raise ValueError("a label has the name of a column of this table; rename it, or use the arrays")
    if frame == "pandas":
        import pandas

        return pandas.DataFrame(table)
    if frame == "polars":
        import polars

        return polars.DataFrame(table)
    raise ValueError(f"frame = {frame!r}; known: 'pandas', 'polars'")
