"""Label powerset by scikit-learn (200 extra-trees; RBF-SVM with C = 1) on given folds: exact matches and CPU seconds.

    python bench/label_powerset.py DATA FOLDS NAME...

DATA holds NAME.arff or NAME.arff.gz and NAME.xml, FOLDS holds NAME.txt with one fold id per row; the same folds for
arbormix: `arbormix crossval DATA/NAME.arff --fold-file FOLDS/NAME.txt --methods lp,stack`. Needs scikit-learn; reads
dense ARFF files only. No CLL-loss: it is infinite as soon as a test row has a label set that training did not, or that
no tree votes for.
"""

import gzip
import pathlib
import re
import sys
import time

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

MODELS = {
    "extra-trees": lambda: ExtraTreesClassifier(200, n_jobs=1, random_state=0),
    "RBF-SVM": lambda: make_pipeline(StandardScaler(), SVC()),
}


def load(folder, name):
    """Features and labels of a dense ARFF file whose labels the Mulan file beside it names."""
    path = folder / f"{name}.arff.gz"
    text = gzip.open(path, "rt").read() if path.exists() else (folder / f"{name}.arff").read_text()
    wanted = re.findall(r'label name="([^"]+)"', (folder / f"{name}.xml").read_text())
    head, body = re.split(r"(?i)@data[^\n]*\n", text, maxsplit=1)
    columns = re.findall(r"(?im)^@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", head)
    columns = [column.strip("'\"") for column in columns]
    rows = [line for line in body.splitlines() if line.strip() and not line.startswith("%")]
    cells = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    labels = [columns.index(label) for label in wanted]
    return np.delete(cells, labels, axis=1), cells[:, labels].astype(int)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    data, folds = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for name in sys.argv[3:]:
        x, y = load(data, name)
        classes = np.unique(y, axis=0, return_inverse=True)[1].ravel()
        fold = np.loadtxt(folds / f"{name}.txt", dtype=int)
        for title, make in MODELS.items():
            matches, seconds = [], []
            for k in range(fold.max() + 1):
                begun = time.process_time()
                model = make().fit(x[fold != k], classes[fold != k])
                seconds.append(time.process_time() - begun)
                matches.append(np.mean(model.predict(x[fold == k]) == classes[fold == k]))
            error = np.std(matches, ddof=1) / np.sqrt(len(matches))
            print(f"{name} {title}: exact matches {np.mean(matches):.3f} ± {error:.3f}, "
                  f"{np.mean(seconds):.2f} CPU s per training", flush=True)


if __name__ == "__main__":
    main()
