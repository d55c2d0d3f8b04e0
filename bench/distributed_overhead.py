"""What a Dask cluster of two local processes adds to the work: the round trip of a stage, and the way of the data.

    python bench/distributed_overhead.py
"""

import time
import warnings

import distributed
import joblib

from arbormix import _crew

TASKS = [(number,) for number in range(8)]


def nothing(data, number):
    return number


def seconds(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main():
    # Dask warns of large tasks; that is what is measured.
    warnings.simplefilter("ignore")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        crew = _crew.Crew("data", str)
        crew.do(nothing, TASKS)
        best = min(seconds(lambda: crew.do(nothing, TASKS)) for _ in range(10))
        print(f"a stage of {len(TASKS)} empty tasks: {best:.2f} s")
        large = _crew.Crew(bytes(100_000_000), len)
        print(f"100 MB to both workers: {seconds(lambda: large.do(nothing, TASKS)):.1f} s")


if __name__ == "__main__":
    main()
