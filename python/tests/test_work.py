"""Long work: progress, interrupts, and life without scikit-learn."""

import subprocess
import sys
import textwrap

import pytest

import arbormix


# What is started in the background by a shell, or by nohup, ignores interrupts, and so do its children.
HEARS_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def python(code, **options):
    code = HEARS_INTERRUPTS + textwrap.dedent(code)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **options)


@pytest.mark.parametrize(
    "work", ["MLME().fit(X, y)", "CTBN().fit(X, y, distributed=True)", "compare([arbormix.MLME()], (X, y), cv=2)"]
)
def test_an_interrupt_stops_long_work(work):
    """The work would take many minutes; a KeyboardInterrupt is raised where it was called, and the next fit works."""
    done = python(
        f"""
        import os, signal, threading, numpy as np, arbormix
        draws = np.random.default_rng(0)
        X, y = draws.normal(size=(20000, 200)), draws.integers(0, 2, size=(20000, 40))
        threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            arbormix.{work}
            print("finished")
        except KeyboardInterrupt:
            print("interrupted")
        print(arbormix.BinaryRelevance(costs=(1.0,)).fit(X[:50], y[:50, :2]).predict(X[:1]).shape)
        """,
        timeout=300,
    )
    assert done.stdout.split("\n")[:2] == ["interrupted", "(1, 2)"], done.stderr


def test_an_interrupt_ends_the_work_inside_a_solver():
    """One batch of regressions that takes minutes: soon after the interrupt nothing is computed any more."""
    done = python(
        """
        import os, signal, threading, time, numpy as np, scipy.sparse, arbormix
        draws = np.random.default_rng(0)
        rows, columns = np.repeat(np.arange(20000), 100), draws.integers(0, 20000, size=2000000)
        X = scipy.sparse.csr_matrix((draws.random(2000000), (rows, columns)), shape=(20000, 20000))
        y = draws.integers(0, 2, size=(20000, 16))
        slow = {"expert": {"logistic.solver.tolerance": 1e-15, "logistic.solver.max_iterations": 10000}}
        threading.Timer(3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            arbormix.BinaryRelevance(costs=(1e6,), **slow).fit(X, y)
            print("finished")
        except KeyboardInterrupt:
            print("interrupted")
        for _ in range(10):
            before = time.process_time()
            time.sleep(2)
            if time.process_time() - before < 0.02:
                print("idle")
                break
        """,
        timeout=300,
    )
    assert done.stdout.split() == ["interrupted", "idle"], done.stdout + done.stderr


def test_progress_is_shown_on_request(capfd):
    import numpy as np

    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(30, 3)), draws.integers(0, 2, size=(30, 2))
    arbormix.CTBN(costs=(1.0,), verbose=True).fit(X, y)
    assert "choosing costs" in capfd.readouterr().err  # the last stage: the others may be over before anyone looks
    arbormix.CTBN(costs=(1.0,)).fit(X, y)
    assert capfd.readouterr() == ("", "")


def test_bars_are_redrawn_in_place(capsys, monkeypatch):
    monkeypatch.setattr("arbormix._progress._redraws", lambda: True)
    with arbormix._estimators.Bar() as bar:
        bar("scoring edges", 10, 5)
    shown = capsys.readouterr().err
    assert "scoring edges" in shown and "█" * 10 + "░" * 10 + " 5/10" in shown and shown.endswith("\r")


def test_it_works_without_scikit_learn():
    done = python(
        """
        import sys, pickle
        for name in ("sklearn", "scipy", "pandas"):
            sys.modules[name] = None
        import numpy as np, arbormix
        X = np.random.default_rng(0).normal(size=(60, 3))
        y = (X[:, :2] > 0).astype(int)
        model = arbormix.CTBN(costs=(1.0,)).fit(X, y)
        assert model.score(X, y) > 0.5 and pickle.loads(pickle.dumps(model)).score(X, y) == model.score(X, y)
        assert model.set_params(random_state=3).get_params()["random_state"] == 3
        print(repr(model))
        for wrong in (X[:, :2], X[0]):
            try:
                model.predict(wrong)
            except ValueError as error:
                print(error)
        """
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "CTBN(costs=(1.0,), random_state=3)"
    assert lines[1] == "X has 2 features, but CTBN is expecting 3 features as input" and "Expected 2D" in lines[2]
