"""How time and memory grow, and the large planted problem."""

import json
import math

from .processes import answer_of

# EM takes a fixed number of steps: a stop rule would compare different amounts of work.
MIXTURE = {
    "logistic": {"costs": [1.0]},
    "gate": {"penalties": [1.0]},
    "em": {"max_iterations": 8, "tolerance": 0.0},
    "validation": {"early_stopping": False},
}
TREE = {"logistic": {"costs": [1.0]}}
BASE = {"rows": 2000, "features": 40, "labels": 12, "true-experts": 3}
SPARSE_BASE = {**BASE, "features": 4000, "non-zeros": 20}
MANY_LABELS = {**BASE, "rows": 1000, "features": 20}


def axes(bench):
    """Name, what is doubled, the base, method, parameters (a function of the doubled value), and the aim."""
    mixture = {**MIXTURE, "experts": 3}
    exact = {**TREE, **bench.settings.get("exact", {})}
    yield "rows N", "rows", BASE, "mlme", lambda _: mixture, 1.1
    yield "features m", "features", BASE, "mlme", lambda _: mixture, 1.2
    yield "non-zeros, sparse", "non-zeros", SPARSE_BASE, "mlme", lambda _: mixture, 1.1
    yield "labels d, exact", "labels", MANY_LABELS, "ctbn", lambda _: exact, 2.1
    if bench.settings.get("screened"):
        screened = {**TREE, **bench.settings["screened"]}
        yield "labels d, screened", "labels", {**MANY_LABELS, "labels": 48}, "ctbn", lambda _: screened, 1.3
    yield "experts K", "experts", {**BASE, "true-experts": 4}, "mlme", lambda k: {**MIXTURE, "experts": k}, 1.2


def size_words(size):
    return [word for name, value in size.items() if name != "experts" for word in (f"--{name}", value)]


def growth(bench):
    for axis in axes(bench):
        yield "growth-" + axis[0].replace(",", "").replace(" ", "-"), lambda axis=axis: exponent(bench, *axis)
    if not bench.settings.get("screened"):
        print("this build has no screening of edges: that line is left out")
    yield "memory-dense", lambda: memory(bench, "dense", {"rows": 40_000, "features": 200, "labels": 8}, "ctbn", TREE)
    size = {"rows": 100_000, "features": 20_000, "labels": 8, "non-zeros": 60}
    yield "memory-sparse", lambda: memory(bench, "sparse", size, "ctbn", TREE)


def exponent(bench, name, field, base, method, params, aim):
    """The slope of log time over log size, from the base, its double and its double again."""
    first = base.get(field, 3)
    sizes = [first, 2 * first, 4 * first]
    answers = []
    for value in sizes:
        words = [method, *size_words({**base, field: value}), "--set", json.dumps(params(value))]
        answers.append([answer_of("planted", *words) for _ in range(bench.rounds)])
    seconds = [min(answer["cpu"] for answer in runs) for runs in answers]
    slope = math.log(seconds[2] / seconds[0]) / math.log(4)
    last = math.log(seconds[2] / seconds[1]) / math.log(2)
    return {
        "line": "growth (exponent of CPU seconds)",
        "data": f"{name}: {', '.join(map(str, sizes))}",
        "against": "–",
        "aim": aim,
        "at_most": True,
        "ratio": slope,
        "unit": "exponent",
        "ours": {"cpu": seconds, "wall": [min(answer["wall"] for answer in runs) for runs in answers]},
        "same": True,
        "says": f"{method} on planted rows, fixed EM steps; {', '.join(f'{s:.3f}' for s in seconds)} s; "
        f"{last:.2f} for the last doubling",
        "peak_bytes": [runs[0]["peak_bytes"] for runs in answers],
    }


def memory(bench, name, size, method, params):
    size = {**size, "rows": size["rows"] // 10} if bench.quick else size
    answer = answer_of("planted", method, *size_words(size), "--set", json.dumps(params))
    return {
        "line": "peak memory over data + model",
        "data": f"{name}, {answer['data_bytes'] / 1e6:.0f} MB",
        "against": "–",
        "aim": 3,
        "at_most": True,
        "ratio": answer["memory_ratio"],
        "unit": "×",
        "ours": {"cpu": [answer["cpu"]], "wall": [answer["wall"]]},
        "same": True,
        "says": f"{method}; peak {answer['peak_bytes'] / 1e6:.0f} MB, model {answer['model_bytes'] / 1e6:.1f} MB",
    }


def large(bench):
    if bench.large:
        yield "large", lambda: large_problem(bench)


def large_problem(bench):
    size = {"rows": 200_000, "features": 50_000, "labels": 200, "non-zeros": 100, "true-experts": 3}
    if bench.quick:
        size = {**size, "rows": 5_000, "features": 5_000, "labels": 20, "non-zeros": 50}
    screened = bench.settings.get("screened", {})
    params = {**MIXTURE, **screened, "experts": 3}
    words = ["mlme", *size_words(size), "--set", json.dumps(params)]
    answer = answer_of("planted", *words, threads=2)
    gib = answer["peak_bytes"] / 2**30
    return {
        "line": "a large planted problem, K = 3",
        "data": "N = {rows:,}, m = {features:,}, d = {labels}, {non-zeros} non-zeros a row".format(**size),
        "against": "–",
        "aim": 30,
        "at_most": True,
        "ratio": answer["wall"] / 60,
        "unit": "minutes",
        "ours": {"cpu": [answer["cpu"]], "wall": [answer["wall"]]},
        "same": gib <= 8,
        "says": f"2 threads, peak {gib:.2f} GiB (at most 8)" + ("" if screened else "; not screened"),
    }
