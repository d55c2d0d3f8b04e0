"""Fits and comparisons spread over processes: equal bytes, whatever happens to the workers."""

import os
import pathlib
import signal
import sys
import threading
import time

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import arbormix
from arbormix import _crew

QUICK = {"costs": (0.1, 1.0)}


def estimators():
    return [arbormix.CTBN(**QUICK), arbormix.MLME(n_experts=2, max_iter=3, **QUICK)]


def bytes_of(estimator, *data, **options):
    return estimator.fit(*data, **options).model_.to_bytes()


def test_local_processes_give_the_same_bytes(data):
    X, y = data
    unknown = y.astype(float)
    unknown[::7, 1] = np.nan
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=pd.Categorical(np.where(X[:, 0] > 0, "u", "v")))
    weights = np.linspace(0.5, 2, len(X))
    with joblib.parallel_config(backend="loky", n_jobs=2):
        for estimator in estimators():
            assert bytes_of(estimator, X, y, distributed=True) == bytes_of(estimator, X, y)
        tree = estimators()[0]
        for rows, labels in ((scipy.sparse.csr_matrix(X * (X > 0)), y), (frame, y), (X, unknown)):
            there = bytes_of(tree, rows, labels, weights, distributed=True)
            assert there == bytes_of(tree, rows, labels, weights)


def test_without_a_backend_the_units_run_here(data):
    for estimator in estimators():
        assert bytes_of(estimator, *data, distributed=True) == bytes_of(estimator, *data)


def test_methods_without_units_and_errors_of_workers_are_raised(data):
    with pytest.raises(NotImplementedError, match="br cannot give a distributed fit"):
        arbormix.BinaryRelevance().fit(*data, distributed=True)
    crew = _crew.Crew("data", str, n_jobs=2)
    with pytest.raises(ZeroDivisionError):
        crew.do(divided, [(1,), (0,)])


def divided(data, number):
    return 1 / number


def visitor(data, number):
    return os.getpid(), len(data), number


def test_data_travel_once_per_process(monkeypatch):
    """Later rounds carry no data, and a process that has none gets them."""
    sent = []
    parallel = joblib.Parallel

    class Watched(parallel):
        def __call__(self, calls):
            calls = list(calls)
            sent.append(sum(call[1][1] is not None for call in calls))
            return super().__call__(calls)

    crew = _crew.Crew("payload", str, n_jobs=1)
    monkeypatch.setattr(joblib, "Parallel", Watched)
    assert [number for *_, number in crew.do(visitor, [(1,), (2,), (3,)])] == [1, 2, 3]
    crew.do(visitor, [(4,), (5,)])
    _crew._kept.clear()
    assert crew.do(visitor, [(6,)]) == [(os.getpid(), 7, 6)]
    assert sent == [1, 0, 0, 1]


def test_units_are_bundled_by_their_pace(monkeypatch):
    helpers = _crew.Helpers("nothing")
    sizes = []
    monkeypatch.setattr(helpers._crew, "workers", lambda: 2)
    monkeypatch.setattr(helpers._crew, "do", lambda act, tasks: [done(sizes, units) for _, units in tasks])
    assert helpers(b"edges\n{}", [bytes([number]) for number in range(100)]) == [bytes([n]) for n in range(100)]
    assert sizes == [13] * 7 + [9]
    sizes.clear()
    # A unit takes 1/20 s: a task of a second has 20.
    helpers(b"edges\n{}", [b""] * 100)
    assert sizes == [20] * 5


def done(sizes, units):
    sizes.append(len(units))
    return units, len(units) / 20


distributed = pytest.importorskip("distributed", reason="tests on a cluster need dask[distributed]")


@pytest.fixture
def cluster(tmp_path):
    """Two workers, each a process of its own."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_dask_cluster_gives_the_same_bytes(cluster, data):
    here = [bytes_of(estimator, *data) for estimator in estimators()]
    methods = [arbormix.MLKNN(), arbormix.CTBN(costs=(1.0,))]
    cells = arbormix.compare(methods, data, cv=3).folds
    with joblib.parallel_config(backend="dask"):
        there = [bytes_of(estimator, *data, distributed=True) for estimator in estimators()]
        far = arbormix.compare(methods, data, cv=3).folds
    assert there == here
    times = ["fit_seconds", "test_seconds"]
    pd.testing.assert_frame_equal(cells.drop(columns=times), far.drop(columns=times))
    assert len(cluster.run(pids_with_data)) == 2


def pids_with_data():
    return os.getpid(), len(_crew._kept)


def kill_a_worker(client, log):
    """Waits until a worker has tasks, and kills it."""
    pids = client.run(os.getpid)
    while True:
        for address, tasks in client.processing().items():
            if tasks:
                os.kill(pids[address], signal.SIGKILL)
                log.append(pids[address])
                print(f"killed worker {address} (process {pids[address]}) while it had {len(tasks)} tasks")
                return
        time.sleep(0.005)


def test_a_worker_killed_in_the_middle_changes_nothing(cluster, monkeypatch):
    draws = np.random.default_rng(0)
    X = draws.normal(size=(1500, 40))
    y = (X[:, :12] + X[:, 12:24] + draws.normal(size=(1500, 12)) > 0).astype(int)
    estimator = arbormix.CTBN(costs=(1.0,))
    killed, stages = [], []
    call = _crew.Helpers.__call__

    def watched(self, stage, units):
        stages.append(stage.split(b"\n")[0].decode())
        if stages[-1] == "edges":
            killer = threading.Thread(target=kill_a_worker, args=(cluster, killed))
            killer.start()
            answers = call(self, stage, units)
            killer.join()
            return answers
        return call(self, stage, units)

    monkeypatch.setattr(_crew.Helpers, "__call__", watched)
    with joblib.parallel_config(backend="dask"):
        there = bytes_of(estimator, X, y, distributed=True)
    assert len(killed) == 1 and stages == ["alone", "edges", "costs", "nodes"]
    assert there == bytes_of(estimator, X, y)


def leave_memory(count):
    """Lets this process have so many bytes more than it has."""
    import resource

    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + count
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def squander(data, number):
    return len(bytes(300_000_000)) + number


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of a process by means of Linux")
def test_workers_with_too_little_memory_are_an_error_that_says_so(cluster):
    crew = _crew.Crew("data", str)
    with joblib.parallel_config(backend="dask"):
        assert crew.do(squander, [(1,), (2,)]) == [300_000_001, 300_000_002]
        cluster.run(leave_memory, 200_000_000)
        with pytest.raises(RuntimeError, match="2 of 2 tasks .* ran out of memory .MemoryError") as raised:
            crew.do(squander, [(1,), (2,)])
    print(raised.value)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of a process by means of Linux")
def test_a_fit_goes_on_without_a_worker_that_has_too_little_memory(cluster):
    """Memory that runs out inside the library ends the process; its nanny starts another, which does the work."""
    X = np.random.default_rng(0).normal(size=(2000, 600))
    y = (X[:, :3] > 0).astype(int)
    estimator = arbormix.CTBN(costs=(1.0,))
    pids = cluster.run(os.getpid)
    cluster.run(leave_memory, 35_000_000, workers=[next(iter(pids))])
    with joblib.parallel_config(backend="dask"):
        there = bytes_of(estimator, X, y, distributed=True)
    assert there == bytes_of(estimator, X, y)
    print(f"workers before {sorted(pids.values())} and after {sorted(cluster.run(os.getpid).values())}")


def test_ray_gives_the_same_bytes(data):
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray to test with it")
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        with joblib.parallel_config(backend="ray", n_jobs=2):
            there = bytes_of(estimators()[0], *data, distributed=True)
    finally:
        ray.shutdown()
    assert there == bytes_of(estimators()[0], *data)
