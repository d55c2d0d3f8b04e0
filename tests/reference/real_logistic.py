"""Optimal objectives of L2 logistic regressions on real data -> real_logistic.json

    python tests/reference/real_logistic.py FOLDER

FOLDER holds emotions.arff, scene.arff.gz and yeast.arff.gz with their Mulan XML files. Only the objectives are
stored: the data belong to their authors. Layout of the file:

    {"datasets": [{"name": "emotions",
                   "rows": int, "features": int,
                   "cost": 1.0,                      # C
                   "bias": "penalised",
                   "labels": [str; d],               # in the order of the ARFF file
                   "positives": [int; d],
                   "objectives": [float; d]}]}       # one problem per label

Every feature is scaled to [0, 1] by its smallest and largest value over all rows (a constant feature becomes 0), all
rows are used with weight 1, and the objective is that of logistic.py with the bias penalised.
"""

import gzip
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

from logistic import binary_optimum
from store import store


def load(folder, name):
    """Features, labels (0/1) and label names in the file's order."""
    root = ElementTree.parse(folder / f"{name}.xml").getroot()
    listed = {node.get("name") for node in root.iter() if node.tag.endswith("}label") or node.tag == "label"}
    plain = folder / f"{name}.arff"
    text = plain.read_text() if plain.exists() else gzip.open(f"{plain}.gz", "rt").read()
    header, _, body = text.partition("@data")
    names = [line.split()[1].strip("'\"") for line in header.splitlines() if line.lower().startswith("@attribute")]
    cells = np.array([line.split(",") for line in body.splitlines() if line.strip()], dtype=float)
    is_label = np.array([attribute in listed for attribute in names])
    assert is_label.sum() == len(listed), "every label of the XML is an attribute"
    labels = [attribute for attribute in names if attribute in listed]
    return cells[:, ~is_label], cells[:, is_label], labels


def scaled(x):
    low, high = x.min(axis=0), x.max(axis=0)
    return (x - low) / np.where(high > low, high - low, 1.0)


def main(folder):
    datasets = []
    for name in ("emotions", "scene", "yeast"):
        x, labels, names = load(folder, name)
        x = scaled(x)
        ones = np.ones(len(x))
        objectives = [
            binary_optimum(x, np.where(column > 0, 1, -1), ones, 1.0, "penalised")[1] for column in labels.T
        ]
        sizes = {"name": name, "rows": x.shape[0], "features": x.shape[1], "cost": 1.0, "bias": "penalised"}
        positives = labels.sum(axis=0).astype(int).tolist()
        datasets.append(sizes | {"labels": names, "positives": positives, "objectives": objectives})
    store("real_logistic.json", {"datasets": datasets})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
