"""What notebooks show."""

import xml.etree.ElementTree as tree

import numpy as np
import pytest

import arbormix
from arbormix import _html

SVG = "{http://www.w3.org/2000/svg}"


def boxes(parents):
    picture = tree.fromstring(_html.tree_svg(parents))
    rects, texts = picture.findall(f"{SVG}rect"), picture.findall(f"{SVG}text")
    places = {
        t.text: (float(r.get("x")), float(r.get("y")), float(r.get("width"))) for t, r in zip(texts, rects, strict=True)
    }
    return places, picture


def test_trees_are_drawn_without_overlap():
    parents = {
        "animal <&>": None,
        "cat": "animal <&>",
        "dog": "animal <&>",
        "a very long name of a label": "cat",
        "car": None,
    }
    places, picture = boxes(parents)
    assert set(places) == set(parents)
    assert len(picture.findall(f"{SVG}line")) == 3
    for label, parent in parents.items():
        if parent:
            assert places[label][1] > places[parent][1]
    for label, (x, y, width) in places.items():
        assert x >= 0 and x + width <= float(picture.get("width"))
        for other, (left, level, _) in places.items():
            assert other == label or level != y or left >= x + width or left < x


def test_long_chains_and_wide_parents():
    chain = {f"n{i}": f"n{i - 1}" if i else None for i in range(3000)}
    assert len(boxes(chain)[0]) == 3000
    places, _ = boxes({"a parent with a very long name": None, "x": "a parent with a very long name"})
    assert min(x for x, _, _ in places.values()) >= 0


def test_fitted_models_show_trees_and_gate(mixture):
    shown = mixture._repr_html_()
    assert shown.count("<svg") == 2 and "% of the gate" in shown and "5 features, 4 labels" in shown
    assert "<svg" not in arbormix.MLME()._repr_html_() and "MLME" in arbormix.MLME()._repr_html_()
    assert mixture._repr_mimebundle_()["text/html"] == shown
    assert mixture.gate_use_.sum() == pytest.approx(1)


def test_experts_without_edges_show_their_gate():
    draws = np.random.default_rng(0)
    X = draws.normal(size=(120, 3))
    y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    shown = arbormix.MLME(n_experts=2, costs=(1.0,), expert={"structure.min_gain": 1e9}).fit(X, y)._repr_html_()
    assert "<svg" not in shown and shown.count(" %") == 2 and "no label has a parent" in shown


def test_explanations_are_tables(mixture, data):
    why = mixture.explain(data[0])
    assert why._repr_html_().count("<tr>") == 5
    assert len(why) == 6 and set(why) >= {"labels", "reasons"}
