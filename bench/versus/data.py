"""The benchmark's data: files, and the encoded rows that both sides are handed."""

import gzip
import hashlib
import json
import os
import pathlib
import shutil

import numpy as np
from scipy import sparse

from .processes import ROOT, answer_of

# Sizes of the planted rows that stand in where there are no real ones: N, m, d, non-zeros of a row (None: dense).
SIZES = {
    "scene": (2407, 294, 6, None),
    "yeast": (2417, 103, 14, None),
    "image": (2000, 135, 5, None),
    "enron": (1702, 1001, 53, 60),
    "rcv1subset1-top10": (6000, 8394, 10, 70),
}


class Data:
    """Where the files are, and where encoded rows are kept."""

    def __init__(self, folder, home):
        self.real = folder is not None
        self.folder = folder if self.real else home / "planted"
        if not self.real:
            self.folder.mkdir(parents=True, exist_ok=True)
        # Files of the same names in another folder are other data.
        self.home = home / "rows" / hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]

    def path(self, name):
        """The data file, made if real ones are absent."""
        for ending in (".arff", ".arff.gz"):
            if (self.folder / (name + ending)).exists():
                return self.folder / (name + ending)
        if self.real:
            raise FileNotFoundError(f"{self.folder} has no {name}.arff")
        rows, features, labels, non_zeros = SIZES[name]
        words = ["--rows", rows, "--features", features, "--labels", labels]
        words += [] if non_zeros is None else ["--non-zeros", non_zeros]
        path = self.folder / f"{name}.arff"
        answer_of("generate", *words, "--to", path)
        return path

    def plain(self, name):
        """The data file without compression, with its label file beside it."""
        path = self.path(name)
        if path.suffix != ".gz":
            return path
        folder = self.home / "plain"
        folder.mkdir(parents=True, exist_ok=True)
        plain = folder / f"{name}.arff"
        if not plain.exists():
            with gzip.open(path) as source, open(folder / "part", "wb") as target:
                shutil.copyfileobj(source, target)
            (folder / "part").rename(plain)
            shutil.copy(path.parent / f"{name}.xml", folder)
        return plain

    def rows(self, name, *split):
        """The folder with the encoded rows, as our side encodes them."""
        folder = self.home / "-".join([name, *(str(word).strip("-") for word in split)])
        if not (folder / "facts.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            facts = answer_of("export", self.path(name), *split, "--to", folder)
            (folder / "facts.json").write_text(json.dumps(facts))
        return folder


def find(given):
    """The folder of the data: as given, by $ARBORMIX_DATA, beside the repository; None if there is none."""
    if given:
        folder = pathlib.Path(given)
        if not folder.is_dir():
            raise SystemExit(f"bench/run: {folder} is no folder")
        return folder.resolve()
    folder = pathlib.Path(os.environ.get("ARBORMIX_DATA", ROOT.parent / "shared/data"))
    return folder.resolve() if folder.is_dir() else None


class Rows:
    """Encoded rows and their labels, with the digest that our side reports of its own."""

    def __init__(self, folder, part):
        def load(name):
            return np.load(pathlib.Path(folder) / f"{part}-{name}.npy")

        self.y = load("labels")
        if (pathlib.Path(folder) / f"{part}-features.npy").exists():
            self.x = load("features")
            arrays = [self.x]
        else:
            arrays = [load(name) for name in ("starts", "columns", "values", "width")]
            starts, columns, values, width = arrays
            shape = (len(starts) - 1, int(width[0]))
            # scikit-learn's solvers want 32-bit indices.
            self.x = sparse.csr_matrix((values, columns.astype(np.int32), starts.astype(np.int32)), shape=shape)
        digest = hashlib.sha256()
        for array in [*arrays, self.y]:
            digest.update(array.tobytes())
        self.digest = digest.hexdigest()
