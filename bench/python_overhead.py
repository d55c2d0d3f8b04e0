"""What Python adds to Rust: fit and predict on scene here and on the command line, and the time of one row.

    python bench/python_overhead.py DATA [COMMAND]

DATA holds scene.arff.gz and scene.xml; COMMAND is the command line, target/release/arbormix by default. The command
line's times are those of the whole program less the time of reading the file, which is measured with the same reader
here. Every time is the best of several runs.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import arbormix


def best(work, runs=3):
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    built = pathlib.Path(__file__).parents[1] / "target/release/arbormix"
    command = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else built).resolve()
    path = folder / "scene.arff.gz"
    data = arbormix.load_arff(path)
    reading = best(lambda: arbormix._core.read(str(path)))

    with tempfile.TemporaryDirectory() as home:

        def run(*words):
            subprocess.run([command, *words, "--quiet"], cwd=home, check=True, capture_output=True)

        print("| work on scene | Rust (command line) | Python | overhead |")
        print("|---|---|---|---|")
        for method, cls in (("ctbn", arbormix.CTBN), ("mlme", arbormix.MLME)):
            estimator = cls()
            model = str(pathlib.Path(home) / method)
            rust = best(lambda: run("fit", str(path), "--method", method, "-o", model)) - reading
            here = best(lambda: estimator.fit(data.X, data.y))
            print(f"| fit {method} | {rust:.3f} s | {here:.3f} s | {100 * (here / rust - 1):+.1f} % |", flush=True)
            rust = best(lambda: run("predict", model, str(path), "-o", "out.csv"), 5) - reading
            here = best(lambda: (estimator.predict(data.X), estimator.predict_proba(data.X)), 5)
            print(f"| predict {method} | {rust:.3f} s | {here:.3f} s | {100 * (here / rust - 1):+.1f} % |", flush=True)
            row = data.X[:1]
            for name, ask in (("predict", estimator.predict), ("predict_proba", estimator.predict_proba)):
                alone = best(lambda: ask(row), 500)
                print(f"| {name} of one row, {method} | | {1e6 * alone:.0f} µs | |", flush=True)


main()
