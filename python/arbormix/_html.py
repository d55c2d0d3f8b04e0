"""Models and explanations as HTML for notebooks; trees as SVG."""

from __future__ import annotations

from html import escape
from typing import Any

#: Sizes of the drawing, in pixels; a letter's width is a guess that is on the wide side.
LETTER, GAP, BOX, LEVEL = 7.5, 14, 24, 54


def tree_svg(parents: dict[str, str | None]) -> str:
    """A label tree, or a forest, as SVG: every label stands over the middle of its children."""
    children: dict[str | None, list[str]] = {}
    for label, parent in parents.items():
        children.setdefault(parent, []).append(label)
    width = {label: max(len(label) * LETTER + 12, 30) for label in parents}
    middle: dict[str, float] = {}
    depth: dict[str, int] = {}
    right = 0.0
    # Depth first with a stack of our own: a chain of labels may be deeper than Python's recursion.
    waiting = [(label, 0, False) for label in reversed(children.get(None, []))]
    while waiting:
        label, level, done = waiting.pop()
        below = children.get(label, [])
        if not done and below:
            waiting.append((label, level, True))
            waiting += [(child, level + 1, False) for child in reversed(below)]
            continue
        depth[label] = level
        if below:
            middle[label] = (middle[below[0]] + middle[below[-1]]) / 2
            right = max(right, middle[label] + width[label] / 2 + GAP)
        else:
            middle[label] = right + width[label] / 2
            right += width[label] + GAP
    # A label that is wider than its children may stick out on the left.
    shift = -min([0.0, *(middle[label] - width[label] / 2 for label in middle)])
    parts = []
    for label, parent in parents.items():
        x, y = middle[label] + shift, depth[label] * LEVEL
        if parent is not None:
            top = depth[parent] * LEVEL + BOX
            parts.append(f'<line x1="{middle[parent] + shift:.1f}" y1="{top}" x2="{x:.1f}" y2="{y}" stroke="#888"/>')
        box = f'x="{x - width[label] / 2:.1f}" y="{y}" width="{width[label]:.1f}" height="{BOX}" rx="5"'
        parts.append(f'<rect {box} fill="#eef4ea" stroke="#587b48"/>')
        place = f'x="{x:.1f}" y="{y + 16}" text-anchor="middle" font-size="12" font-family="sans-serif" fill="#222"'
        parts.append(f"<text {place}>{escape(label)}</text>")
    height = (max(depth.values(), default=0) + 1) * LEVEL
    size = f'width="{right + shift:.0f}" height="{height}" viewBox="-1 -1 {right + shift + 2:.0f} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'


def estimator(model: Any) -> str:
    """A fitted estimator: sizes, use of the gate, trees."""
    head = (
        f"<b>{escape(type(model).__name__)}</b>, fitted: {model.n_features_in_} features, "
        f"{len(model.label_names_)} labels" + ("" if model.report_["converged"] else ", not converged")
    )
    parts = [f"<div>{head}</div>"]
    trees = model.trees_ if any(parent for tree in model.trees_ for parent in tree.values()) else []
    for number, tree in enumerate(trees, start=1):
        share = "" if model.gate_use_ is None else f": {100 * model.gate_use_[number - 1]:.1f} % of the gate"
        shown = " open" if number <= 3 else ""
        title = f"tree {number} of {len(trees)}{share}"
        parts.append(f"<details{shown}><summary>{title}</summary>{tree_svg(tree)}</details>")
    if not trees and model.gate_use_ is not None:
        shares = ", ".join(f"{100 * share:.1f} %" for share in model.gate_use_)
        parts.append(f"<div>{len(model.gate_use_)} experts, shares of the gate: {shares}; no label has a parent</div>")
    return "".join(parts)


def explanation(why: dict[str, Any]) -> str:
    """An explanation as a table."""
    said = ", ".join(why["labels"]) or "no label"
    head = f"<b>{escape(said)}</b>, probability {why['probability']:.4f}; expert {why['expert']} of {len(why['gate'])}"
    rows = []
    for reason in why["reasons"]:
        times, parent = reason["times_less_probable_otherwise"], reason["parent"]
        after = "" if parent is None else ("" if parent["present"] else "no ") + parent["label"]
        tipped = " (tipped)" if parent is not None and parent["tipped"] else ""
        features = ", ".join(f"{push['feature']} {push['log_odds']:+.2f}" for push in reason["features"])
        cells = [
            reason["label"],
            "yes" if reason["present"] else "no",
            f"{reason['marginal']:.4f}",
            "never" if times is None else f"1/{times:.1f}",
            after + tipped,
            f"{reason['log_odds']:+.2f}",
            features,
        ]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    names = ("label", "said", "P", "otherwise", "parent", "log-odds", "features")
    header = "".join(f"<th>{name}</th>" for name in names)
    return f"<div>{head}</div><table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
