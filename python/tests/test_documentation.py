"""The quick start and the examples run as they stand."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

pytest.importorskip("sklearn")
pytest.importorskip("pandas")


def run(*words, **options):
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_quick_start_runs(tmp_path):
    text = (ROOT / "docs/python/quickstart.md").read_text()
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code) == 6
    (tmp_path / "quickstart.py").write_text("\n".join(code))
    assert "expert" in run(tmp_path / "quickstart.py", cwd=tmp_path)


@pytest.mark.parametrize("name", sorted(os.listdir(ROOT / "python/examples")))
def test_the_examples_run(name, tmp_path):
    assert len(run(ROOT / "python/examples" / name, cwd=tmp_path).splitlines()) >= 4


def test_the_table_of_equivalents_names_what_there_is():
    import arbormix

    text = (ROOT / "docs/python/coming-from.md").read_text()
    for path in set(re.findall(r"arbormix\.([A-Za-z_.]+)\(", text)):
        target = arbormix
        for name in path.split("."):
            target = getattr(target, name)
    calls = re.findall(r"arbormix\.(BinaryRelevance|ClassifierChain|EnsembleOfChains|MLKNN)\(([^)`]*)\)", text)
    assert len(calls) >= 5
    for name, arguments in calls:
        eval(f"arbormix.{name}({arguments})", {"arbormix": arbormix})
