"""Why a label set was predicted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ._html import explanation


class Explanation(Mapping[str, Any]):
    """The most probable label set of a row and what speaks for each of its labels, by name.

    ``labels``, ``probability``, ``expert`` (from 1), ``gate``, ``responsibilities``, and ``reasons``, one per label:
    ``label``, ``present``, ``marginal``, ``times_less_probable_otherwise``, ``best_otherwise``, ``log_odds``,
    ``parent`` (``label``, ``present``, ``log_odds_otherwise``, ``tipped``), ``features`` (``feature``, ``log_odds``).
    """

    def __init__(self, parts: dict[str, Any]) -> None:
        self._parts = parts

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __str__(self) -> str:
        said = ", ".join(self["labels"]) or "no label"
        lines = [f"{said}, probability {self['probability']:.4f}; expert {self['expert']} of {len(self['gate'])} spoke"]
        for reason in self["reasons"]:
            times = reason["times_less_probable_otherwise"]
            features = ", ".join(f"{push['feature']} {push['log_odds']:+.2f}" for push in reason["features"])
            parent = reason["parent"]
            after = "" if parent is None else f" after {'' if parent['present'] else 'no '}{parent['label']}"
            otherwise = "never" if times is None else f"1/{times:.1f}"
            word = "yes" if reason["present"] else "no"
            lines.append(f"  {reason['label']}: {word}, otherwise {otherwise}{after}; {features}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return explanation(self._parts)
