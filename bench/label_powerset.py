"""Label powerset by scikit-learn on given folds: what arbormix's default is measured against.

    python bench/label_powerset.py DATA FOLDS CELLS NAME...

Peers: 200 extra-trees; an RBF-SVM with C = 1 (z-scored features, sparse ones as they are). DATA holds NAME.arff or
NAME.arff.gz and NAME.xml, FOLDS holds NAME.txt with one fold id per row (for NAME-top10 too). Every finished fold is a
JSON file in CELLS; the same command begun again goes on from there. `scripts/beside-peers` lays them beside ours.

The measures are worked out here and share no code with arbormix. Extra-trees give an unseen label set probability 0 and
an infinite loss; `cll_loss` lends them arbormix's own remedy (a share for unseen sets by Good and Turing, spread over
independent labels). The SVM has no probabilities that scikit-learn vouches for, so it has no such figures.
"""

import gzip
import json
import os
import pathlib
import re
import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

BINS = 10


def svm(x):
    return SVC() if sp.issparse(x) else make_pipeline(StandardScaler(), SVC())


MODELS = {
    "lp-extra-trees": lambda x: ExtraTreesClassifier(200, n_jobs=1, random_state=0),
    "lp-svm": svm,
}


def load(folder, name):
    """Features and labels of a dense or sparse ARFF file whose labels the Mulan file beside it names."""
    path = folder / f"{name}.arff.gz"
    text = gzip.open(path, "rt").read() if path.exists() else (folder / f"{name}.arff").read_text()
    wanted = re.findall(r'label name="([^"]+)"', (folder / f"{name}.xml").read_text())
    head, body = re.split(r"(?i)@data[^\n]*\n", text, maxsplit=1)
    attributes = re.findall(r"(?im)^@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", head)
    columns = [column.strip("'\"") for column in attributes]
    rows = [line.strip() for line in body.splitlines() if line.strip() and not line.startswith("%")]
    labels = [columns.index(label) for label in wanted]
    if not rows[0].startswith("{"):
        cells = np.array([[float(cell) for cell in row.split(",")] for row in rows])
        return np.delete(cells, labels, axis=1), cells[:, labels].astype(int)
    pairs = [[pair.split() for pair in row.strip("{} ").split(",") if pair.strip()] for row in rows]
    starts = np.cumsum([0] + [len(row) for row in pairs])
    places = [int(place) for row in pairs for place, _ in row]
    values = [float(value) for row in pairs for _, value in row]
    cells = sp.csr_matrix((values, places, starts), shape=(len(rows), len(columns))).tocsc()
    rest = np.setdiff1d(np.arange(len(columns)), labels)
    return cells[:, rest].tocsr(), cells[:, labels].toarray().astype(int)


def calibration_error(said, true):
    """Expected calibration error over bins of equal width."""
    place = np.minimum((said * BINS).astype(int), BINS - 1)
    gaps = [abs(said[place == b].sum() - true[place == b].sum()) for b in range(BINS)]
    return sum(gaps) / len(said)


def f1(both, total):
    return np.divide(2 * both, total, out=np.zeros(len(total)), where=total > 0)


def measures(truth, said):
    both, total = truth & said, truth.sum(axis=1) + said.sum(axis=1)
    rows = np.where(total > 0, f1(both.sum(axis=1), total), 1.0)
    return {
        "exact_match": float(np.mean((truth == said).all(axis=1))),
        "hamming_loss": float(np.mean(truth != said)),
        "example_f1": float(rows.mean()),
        "micro_f1": float(2 * both.sum() / max(total.sum(), 1)),
        "macro_f1": float(f1(both.sum(axis=0), truth.sum(axis=0) + said.sum(axis=0)).mean()),
    }


def probabilities(model, x, truth, sets, seen_labels, seen_classes):
    """Loss and calibration of a model that says P(label set)."""
    shares = model.predict_proba(x)
    members = sets[model.classes_]
    count = np.bincount(seen_classes)
    rows = len(seen_classes)
    unseen = (np.sum(count == 1) + 0.5) / (rows + 1)
    rate = (seen_labels.sum(axis=0) + 0.5) / (rows + 1)
    alone = np.where(truth == 1, rate, 1 - rate).prod(axis=1)
    own = (shares * (members[None, :, :] == truth[:, None, :]).all(axis=2)).sum(axis=1)
    best = shares.argmax(axis=1)
    return {
        "cll_loss": float(-np.log((1 - unseen) * own + unseen * alone).sum()),
        "set_calibration_error": calibration_error(shares.max(axis=1), (members[best] == truth).all(axis=1)),
        "marginal_calibration_error": calibration_error((shares @ members).ravel(), truth.ravel()),
    }


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    data, folds, cells = map(pathlib.Path, sys.argv[1:4])
    cells.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[4:]:
        x, y = load(data, name)
        sets, classes = np.unique(y, axis=0, return_inverse=True)
        classes = classes.ravel()
        fold = np.loadtxt(folds / f"{name.removesuffix('-top10')}.txt", dtype=int)
        for title, make in MODELS.items():
            for k in range(fold.max() + 1):
                cell = cells / f"{name}-{title}-{k}.json"
                if cell.exists():
                    continue
                seen, held = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
                begun = time.process_time()
                model = make(x).fit(x[seen], classes[seen])
                found = {"data": name, "method": title, "fold": k, "fit_cpu_seconds": time.process_time() - begun}
                begun = time.process_time()
                said = sets[model.predict(x[held])]
                found["predict_cpu_seconds"] = time.process_time() - begun
                found |= measures(y[held], said)
                if hasattr(model, "predict_proba"):
                    found |= probabilities(model, x[held], y[held], sets, y[seen], classes[seen])
                partial = cell.with_suffix(".part")
                partial.write_text(json.dumps(found, indent=1) + "\n")
                os.replace(partial, cell)
                print(f"{name} {title} fold {k}: exact match {found['exact_match']:.3f}, "
                      f"fit {found['fit_cpu_seconds']:.1f} CPU s", flush=True)


if __name__ == "__main__":
    main()
