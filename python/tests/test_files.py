"""Files: data in, models in and out, the same for the command line."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest
from conftest import ROOT

import arbormix

ARFF = """@relation 'photos: -C 2'
@attribute cat {0,1}
@attribute pet {0,1}
@attribute size numeric
@attribute colour {red,green,blue}
@data
1,1,0.5,red
0,?,?,blue
0,0,-2,green
"""


def test_arff(tmp_path):
    path = tmp_path / "photos.arff"
    path.write_text(ARFF)
    data = arbormix.load_arff(path)
    assert (data.name, data.feature_names, data.label_names) == ("photos", ["size", "colour"], ["cat", "pet"])
    np.testing.assert_array_equal(data.X, [[0.5, 0], [np.nan, 2], [-2, 1]])
    np.testing.assert_array_equal(data.y, [[1, 1], [0, np.nan], [0, 0]])
    assert data.categories == {"colour": ["red", "green", "blue"]} and "3 rows" in repr(data)
    pytest.importorskip("pandas")
    X, y = data.frames()
    assert list(X["colour"]) == ["red", "blue", "green"] and list(y.columns) == ["cat", "pet"]


def test_libsvm_and_csv(tmp_path):
    pytest.importorskip("scipy")
    path = tmp_path / "rows.svm"
    path.write_text("0,2 1:0.5 3:1\n 2:2\n")
    data = arbormix.load_libsvm(path)
    np.testing.assert_array_equal(data.X.toarray(), [[0.5, 0, 1], [0, 2, 0]])
    assert data.y.tolist() == [[1, 1], [0, 0]] and data.label_names == ["0", "2"]
    path = tmp_path / "table.csv"
    path.write_text("size;tag_a;tag_b\n1;yes;no\n2;no;no\n")
    for labels in ("prefix:tag_", 2, ["tag_a", "tag_b"]):
        assert arbormix.load_csv(path, labels=labels).y.tolist() == [[1, 0], [0, 0]]


def test_errors_name_the_place(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.arff"):
        arbormix.load_arff(tmp_path / "nowhere.arff")
    path = tmp_path / "bad.arff"
    path.write_text(ARFF.replace("-2", "two"))
    with pytest.raises(ValueError, match="bad.arff, line 9, column 5"):
        arbormix.load_arff(path)
    path.write_text("no model")
    with pytest.raises(ValueError, match=r"bad\.arff.*model"):
        arbormix.load(path)


def test_saved_models_come_back(tmp_path, mixture, data):
    X, y = data
    mixture.save(tmp_path / "m.model")
    again = arbormix.load(tmp_path / "m.model")
    assert type(again) is arbormix.MLME and again.get_params() == mixture.get_params()
    np.testing.assert_array_equal(again.predict_proba(X), mixture.predict_proba(X))
    assert again.n_features_in_ == 5 and again.score(X, y) == mixture.score(X, y)
    assert (tmp_path / "m.model").read_bytes() == mixture.model_.to_bytes()
    with pytest.raises(ValueError, match="holds a model of MLME, not of CTBN"):
        arbormix.CTBN.load(tmp_path / "m.model")


def test_the_default_reads_what_it_chose(tmp_path, data):
    X, y = data
    chosen = arbormix.AutoMixture(budget=7).fit(X, y)
    chosen.save(tmp_path / "auto.model")
    again = arbormix.AutoMixture.load(tmp_path / "auto.model")
    assert type(again) is arbormix.AutoMixture and again.budget == 7 and again.choice_ == chosen.choice_
    np.testing.assert_array_equal(again.predict_proba(X), chosen.predict_proba(X))
    assert again.explain(X, 0)["reasons"]


@pytest.fixture(scope="module")
def command():
    found = os.environ.get("ARBORMIX_COMMAND") or shutil.which("arbormix") or ROOT / "target/release/arbormix"
    if not os.path.exists(found):
        pytest.skip("the command line is not built: cargo build --release, or set ARBORMIX_COMMAND")
    return str(found)


def test_the_command_line_gives_the_same_bits(tmp_path, command, benchmarks):
    """Python's model of a file is the command line's, and each predicts from the other's model alike."""

    def run(*words):
        done = subprocess.run([command, *words, "--quiet"], cwd=tmp_path, check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    path = benchmarks / "emotions.arff"
    data = arbormix.load_arff(path)
    run("fit", str(path), "--method", "mlme", "--experts", "3", "-o", "theirs.model")
    X, y = data.frames()
    ours = arbormix.MLME(n_experts=3).fit(X, y)
    ours.save(tmp_path / "ours.model")
    theirs = arbormix.load(tmp_path / "theirs.model")
    np.testing.assert_array_equal(theirs.predict_proba(X), ours.predict_proba(X))
    for model in ("ours.model", "theirs.model"):
        lines = run("predict", model, str(path), "--json")
        assert [[name in line["labels"] for name in data.label_names] for line in lines] == ours.predict(X).tolist()
        assert [list(line["marginals"].values()) for line in lines] == [
            [row[place] for place in np.argsort(data.label_names)] for row in ours.predict_proba(X)
        ] or [line["marginals"] for line in lines] == [
            dict(zip(data.label_names, row, strict=True)) for row in ours.predict_proba(X).tolist()
        ]
        assert [line["log_probability"] for line in lines] == ours.map(X).log_probability.tolist()
