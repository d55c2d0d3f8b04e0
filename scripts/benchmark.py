"""What the scripts for docs/results share: data by folds, the binary run in a folder, work that is kept."""

import gzip
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def kept(path, make):
    """What ROOT/target/PATH holds as JSON; made first if it is not there."""
    file = ROOT / "target" / path
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(make()))
        part.rename(file)
    return json.loads(file.read_text())


def chosen(words):
    """(name, methods) of words like emotions:ctbn,mlme."""
    for word in words:
        name, colon, methods = word.partition(":")
        if not colon:
            sys.exit(f"{word}: name methods after a colon, as in {word}:ctbn,mlme")
        yield name, methods.split(",")


def mean_and_error(values):
    """Mean, and its standard error from the sample variance."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(variance / len(values))


class Benchmark:
    """The rows of DATA/NAME.arff (or .gz) with NAME.xml, and their folds from FOLDS/NAME.txt (none without FOLDS).

    Variants of a data set have the same rows, so they may share folds: those of rcv1subset1-top10 are in rcv1subset1.txt
    unless they have a file of their own.
    """

    def __init__(self, data, folds, name):
        path = data / f"{name}.arff"
        if not path.exists():
            path = data / f"{name}.arff.gz"
        with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
            lines = [line for line in file.read().splitlines() if line.strip() and not line.startswith("%")]
        at = next(i for i, line in enumerate(lines) if line.strip().lower() == "@data") + 1
        self.name, self.header, self.rows = name, lines[:at], lines[at:]
        self.xml = str((data / f"{name}.xml").resolve())
        if folds is None:
            return
        fold_file = folds / f"{name}.txt"
        if not fold_file.exists():
            fold_file = folds / f"{name.split('-')[0]}.txt"
        self.fold_of = [int(word) for word in fold_file.read_text().split()]
        if len(self.fold_of) != len(self.rows):
            sys.exit(f"{name}: {len(self.fold_of)} folds for {len(self.rows)} rows")
        self.folds = sorted(set(self.fold_of))

    def part(self, fold, inside):
        """The rows of a fold, or of all others."""
        return [row for row, f in zip(self.rows, self.fold_of) if (f == fold) == inside]

    def text(self, rows):
        return "\n".join(self.header + rows) + "\n"

    def label_columns(self):
        """Places of the labels among the columns of a dense file."""
        names = set(re.findall(r'<label name="([^"]*)"', pathlib.Path(self.xml).read_text()))
        attributes = [line.split(None, 1)[1] for line in self.header if line.lower().startswith("@attribute")]
        columns = [re.match(r"'[^']*'|\"[^\"]*\"|\S+", text)[0].strip("'\"") for text in attributes]
        return [place for place, column in enumerate(columns) if column in names]


class Folder:
    """A temporary folder in which the binary runs."""

    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)

    def write(self, name, text):
        (self.path / name).write_text(text)

    def run(self, *words):
        """The JSON lines, or the JSON document, that a command prints."""
        done = subprocess.run([self.binary, *words, "--quiet"], cwd=self.path, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"arbormix {' '.join(words)}: {done.stderr}")
        if done.stdout.startswith("{\n"):
            return json.loads(done.stdout)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
