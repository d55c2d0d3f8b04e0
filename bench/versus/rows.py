"""The comparisons, one function per line of the table; each gives the parts of that line, one per data set."""

import csv
import json
import statistics

import numpy as np

from . import evidence
from .data import SIZES, Rows
from .processes import Failed, answer_of, in_turns, median, ours, theirs

DENSE = ["scene", "yeast", "image"]
SPARSE = ["enron", "rcv1subset1-top10"]
COSTS = [1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2]


def fixed_cost(bias="penalised", **more):
    return {"logistic": {"costs": [1.0], "bias": bias}, **more}


def bias_of(solver):
    """scikit-learn's liblinear penalises the bias, its other solvers do not; ours does as the one it is compared with."""
    return "penalised" if solver == "liblinear" else "free"


def fit_words(bench, method, data, params, *more):
    return [method, bench.data.path(data), "--set", json.dumps(params), *more]


def solvers(data):
    # newton-cholesky forms the Hessian: not for sparse rows.
    return ["lbfgs", "liblinear", "newton-cg"] + (["newton-cholesky"] if data in DENSE else [])


def times(answers):
    return {clock: [answer[clock] for answer in answers] for clock in ("wall", "cpu")}


def ratio_of(mine, other, clock="cpu"):
    return median(other, clock) / median(mine, clock)


def two_threads(bench, job, words, single):
    """Our wall seconds on two threads, and how many times faster that is than one."""
    with ours(job, *words, threads=2) as side:
        answers = in_turns(bench.rounds, side)[0]
    return {"wall": median(answers, "wall"), "speed_up": median(single, "wall") / median(answers, "wall")}


def scout(bench, work, candidates, **options):
    """One run of every candidate: {solver: answer}, and the fastest."""
    found = {}
    for solver in candidates:
        with theirs(work, solver=solver, **options) as side:
            found[solver] = side.run()
    return found, min(found, key=lambda solver: found[solver]["cpu"])


def require_same_rows(mine, other, part="train"):
    if mine.prepared[f"{part}_digest"] != other.prepared["digest"]:
        raise Failed("the two sides have different rows")


def br(bench):
    for data in DENSE + SPARSE:
        yield f"br-{data}", lambda data=data: br_on(bench, data)


def br_on(bench, data):
    folder = bench.data.rows(data)
    rows = Rows(folder, "train")
    scouted, fastest = scout(bench, "logistic", solvers(data), folder=str(folder))
    objectives = {}
    for bias in ("penalised", "free"):
        model = bench.scratch / f"br-{bias}.model"
        with ours("fit", *fit_words(bench, "br", data, fixed_cost(bias), "--model", model)) as side:
            side.run()
        tensors = evidence.ModelFile(model).tensors
        objectives[bias] = evidence.objectives(
            rows.x, rows.y, tensors["weights"], tensors["biases"], bias == "penalised"
        ).tolist()
    words = fit_words(bench, "br", data, fixed_cost(bias_of(fastest)))
    with ours("fit", *words) as mine, theirs("logistic", folder=str(folder), solver=fastest) as other:
        require_same_rows(mine, other)
        my_answers, their_answers = in_turns(bench.rounds_for(scouted[fastest]["wall"]), mine, other)
    same, says = evidence.same_objective(objectives[bias_of(fastest)], scouted[fastest]["objectives"])
    with theirs("logistic", folder=str(folder), solver=fastest, jobs=2) as other:
        parallel = in_turns(2, other)[0][-1]["wall"]
    threads = two_threads(bench, "fit", words, my_answers)
    return {
        "line": "BR, C = 1",
        "data": data,
        "against": f"scikit-learn, {fastest}",
        "aim": 10 if data in DENSE else 5,
        "ratio": ratio_of(my_answers, their_answers),
        "ours": times(my_answers),
        "theirs": times(their_answers),
        "two_threads": {**threads, "theirs_wall": parallel, "ratio": parallel / threads["wall"]},
        "same": same,
        "says": f"same rows, C, bias {bias_of(fastest)}; {says}",
        "candidates": {
            solver: {
                "cpu": answer["cpu"],
                "our_excess": evidence.excess(objectives[bias_of(solver)], answer["objectives"]),
            }
            for solver, answer in scouted.items()
        },
    }


def napkin(bench):
    for data in DENSE + SPARSE:
        yield f"napkin-{data}", lambda data=data: napkin_on(bench, data)


def napkin_on(bench, data):
    folder = bench.data.rows(data)
    words = fit_words(bench, "br", data, fixed_cost())
    with ours("fit", *words) as mine, theirs("napkinxc", folder=str(folder)) as other:
        require_same_rows(mine, other)
        my_answers, their_answers = in_turns(bench.rounds, mine, other)
    return {
        "line": "BR, C = 1",
        "data": data,
        "against": "napkinXC BR",
        "aim": 1,
        "ratio": ratio_of(my_answers, their_answers),
        "ours": times(my_answers),
        "theirs": times(their_answers),
        "same": None,
        "says": "same rows and C; its weights cannot be read, its own tolerance (eps = 0.1) is coarser",
    }


def brcv(bench):
    for data in DENSE + SPARSE:
        yield f"brcv-{data}", lambda data=data: brcv_on(bench, data)


def brcv_on(bench, data):
    folder = bench.data.rows(data)
    rows = Rows(folder, "train")
    # Each of their folds needs both classes; and of enron's labels a sample is enough to wait for.
    counts = rows.y.sum(axis=0)
    usable = [int(label) for label in np.flatnonzero(np.minimum(counts, len(rows.y) - counts) >= 10)]
    most = 2 if bench.quick else 6
    sample = usable[:: max(1, len(usable) // most)][:most]
    share = rows.y.shape[1] / len(sample)
    candidates = [solver for solver in solvers(data) if solver != "newton-cg"]
    scouted, fastest = scout(
        bench, "logistic_cv", candidates, folder=str(folder), costs=COSTS, labels=sample[: max(1, most // 3)]
    )
    bias = bias_of(fastest)
    model = bench.scratch / "brcv.model"
    words = fit_words(bench, "br", data, {"logistic": {"costs": COSTS, "folds": 3, "bias": bias}}, "--model", model)
    options = {"folder": str(folder), "solver": fastest, "costs": COSTS, "labels": sample}
    with ours("fit", *words) as mine, theirs("logistic_cv", **options) as other:
        require_same_rows(mine, other)
        my_answers, their_answers = in_turns(bench.rounds_for(scouted[fastest]["wall"] * 3), mine, other)
    # Our folds and theirs are drawn apart, so costs may differ; objectives are compared where they do not.
    tensors = evidence.ModelFile(model).tensors
    penalised, their_costs = bias == "penalised", their_answers[-1]["costs"]
    mine_of_sample = (rows.x, rows.y[:, sample], tensors["weights"][sample], tensors["biases"][sample], penalised)
    my_costs = evidence.proven_costs(*mine_of_sample, COSTS)
    equal = np.isclose(my_costs, their_costs)
    above = evidence.objectives(*mine_of_sample, their_costs)[equal] / np.array(their_answers[-1]["objectives"])[equal]
    same = not np.isnan(my_costs).any() and (above <= 1 + evidence.ACCURACY).all()
    for answer in their_answers:
        answer["cpu"] *= share
        answer["wall"] *= share
    sampled = "" if share == 1 else f", {len(sample)} of {rows.y.shape[1]} labels measured and extrapolated"
    threads = two_threads(bench, "fit", words, my_answers)
    return {
        "line": "BR with C by a 3-fold path over 6 values",
        "data": data,
        "against": f"LogisticRegressionCV, {fastest}{sampled}",
        "aim": 30,
        "ratio": ratio_of(my_answers, their_answers),
        "ours": times(my_answers),
        "theirs": times(their_answers),
        "two_threads": threads,
        "same": bool(same),
        "says": f"same rows, costs and number of folds (drawn apart); {(~np.isnan(my_costs)).sum()} of {len(sample)} of our "
        f"regressions proven optimal at their cost, {equal.sum()} have their cost and no higher objective",
        "candidates": {solver: {"cpu": answer["cpu"]} for solver, answer in scouted.items()},
    }


def cc(bench):
    for data in DENSE + SPARSE:
        yield f"cc-{data}", lambda data=data: cc_on(bench, data)


def cc_on(bench, data):
    folder = bench.data.rows(data)
    rows = Rows(folder, "train")
    scouted, fastest = scout(bench, "chain", solvers(data), folder=str(folder))
    bias = bias_of(fastest)
    model = bench.scratch / "cc.model"
    words = fit_words(bench, "cc", data, fixed_cost(bias), "--model", model)
    with ours("fit", *words) as mine, theirs("chain", folder=str(folder), solver=fastest) as other:
        require_same_rows(mine, other)
        my_answers, their_answers = in_turns(bench.rounds_for(scouted[fastest]["wall"]), mine, other)
    tensors = evidence.ModelFile(model).tensors
    total = 0.0
    for place in range(rows.y.shape[1]):
        weights = np.concatenate([tensors["chain.weights"][place], tensors["chain.links"][place, :place]])[None]
        x = evidence.with_labels(rows.x, rows.y[:, :place])
        biases = tensors["chain.biases"][[place]]
        total += evidence.objectives(x, rows.y[:, [place]], weights, biases, bias == "penalised").sum()
    same, says = evidence.same_objective([total], scouted[fastest]["objectives"])
    return {
        "line": "CC",
        "data": data,
        "against": f"ClassifierChain(LogisticRegression), {fastest}",
        "aim": 10,
        "ratio": ratio_of(my_answers, their_answers),
        "ours": times(my_answers),
        "theirs": times(their_answers),
        "two_threads": two_threads(bench, "fit", words, my_answers),
        "same": same,
        "says": f"same rows, C, order, bias {bias}; over the whole chain {says}",
        "candidates": {solver: {"cpu": answer["cpu"]} for solver, answer in scouted.items()},
    }


def mlknn(bench):
    for data in ["scene", "yeast"]:
        yield f"mlknn-{data}", lambda data=data: mlknn_on(bench, data)


def mlknn_on(bench, data):
    split = ["--test-every", 3]
    folder = bench.data.rows(data, *split)
    predictions = bench.scratch / "mlknn.npy"
    words = fit_words(bench, "mlknn", data, {}, *split, "--timed", "both", "--predictions", predictions)
    with ours("fit", *words) as mine, theirs("neighbours", folder=str(folder)) as other:
        require_same_rows(mine, other)
        my_answers, their_answers = in_turns(bench.rounds_for(10), mine, other)
    agreement = float((np.load(predictions) == np.array(their_answers[-1].pop("predictions"))).mean())
    return {
        "line": "MLKNN fit + predict",
        "data": data,
        "against": "scikit-multilearn-ng",
        "aim": 50,
        "ratio": ratio_of(my_answers, their_answers),
        "ours": times(my_answers),
        "theirs": times(their_answers),
        "two_threads": two_threads(bench, "fit", words, my_answers),
        "same": agreement >= 0.99,
        "says": f"same rows, k = 10, s = 1; {100 * agreement:.2f} % of the predicted cells agree",
    }


def structure(bench):
    for data in ["yeast", "enron"]:
        yield f"structure-{data}", lambda data=data: structure_on(bench, data)


def structure_on(bench, data):
    folder = bench.data.rows(data)
    rows = Rows(folder, "train")
    model_path = bench.scratch / "structure.model"
    words = fit_words(bench, "ctbn", data, fixed_cost(**exact(bench)), "--model", model_path)
    count = 40 if bench.quick else 200
    scouted, fastest = scout(bench, "structure", solvers(data), folder=str(folder), count=40)
    with ours("fit", *words) as mine, theirs("structure", folder=str(folder), solver=fastest, count=count) as other:
        require_same_rows(mine, other)
        my_answers, their_answers = in_turns(bench.rounds, mine, other)
    model = evidence.ModelFile(model_path)
    my_sum, their_sum, nodes = node_objectives(model, rows)
    same, says = evidence.same_objective([my_sum], [their_sum])
    fits, sampled = their_answers[-1]["fits"], their_answers[-1]["sampled"]
    return {
        "line": "one CTBN structure (all edges, 3 folds)",
        "data": data,
        "against": f"{fits} scikit-learn fits, {fastest} (extrapolated from {sampled})",
        "aim": 50,
        "ratio": ratio_of(my_answers, their_answers),
        "ours": times(my_answers),
        "theirs": times(their_answers),
        "two_threads": two_threads(bench, "fit", words, my_answers),
        "same": same,
        "says": f"same rows and C, ours with the tree's own regressions on top; over {nodes} of these {says}",
        "candidates": {solver: {"cpu": answer["cpu"]} for solver, answer in scouted.items()},
    }


def exact(bench):
    """Parameters of an exact search, where the library has another."""
    return bench.settings.get("exact", {})


def node_objectives(model, rows):
    """Our objectives of the found tree's regressions and scikit-learn's on the same rows, summed, and how many."""
    from .peers import fit_one

    weights, biases = model.tensors["weights"], model.tensors["biases"]
    mine, other, count = 0.0, 0.0, 0
    for mask, label, regression in evidence.tree_problems(model, rows.y):
        x, y = rows.x[mask], rows.y[mask][:, [label]]
        if y.min() == y.max():
            continue
        mine += evidence.objectives(x, y, weights[[regression]], biases[[regression]], True)[0]
        theirs_fit = fit_one("liblinear", x, y.ravel())
        other += evidence.objectives(x, y, theirs_fit.coef_, theirs_fit.intercept_, True)[0]
        count += 1
    return mine, other, count


def octave(bench):
    path = bench.reference and bench.reference / "authors-octave.csv"
    if not (path and path.exists() and bench.folds and bench.data.real):
        print("the authors' figures, the folds or the real data are absent: ML-ME against Octave is skipped")
        return
    with open(path) as file:
        lines = [line for line in csv.DictReader(file) if line["method"].startswith("ML-ME") and line["train_cpu_s"]]
    for data in ["scene", "yeast"]:
        chosen = [line for line in lines if line["dataset"] == data]
        yield f"octave-{data}", lambda data=data, chosen=chosen: octave_on(bench, data, chosen)


def octave_on(bench, data, lines):
    answers = {}
    for fold in sorted({int(line["fold"]) for line in lines}):
        split = ["--folds", bench.folds / f"{data}.txt", "--fold", fold]
        with ours("fit", *fit_words(bench, "mlme", data, {"experts": 5}, *split)) as side:
            answers[fold] = in_turns(bench.rounds_for(10), side)[0]
    runs = [
        {
            "fold": int(line["fold"]),
            "method": line["method"],
            "experts": int(line["experts"]),
            "cpu": float(line["train_cpu_s"]),
            "cll_loss": float(line["cll_loss"]),
            "our_cpu": median(answers[int(line["fold"])], "cpu"),
            "our_cll_loss": answers[int(line["fold"])][-1]["cll_loss"],
        }
        for line in lines
    ]
    ratios = [run["cpu"] / run["our_cpu"] for run in runs]
    better = sum(run["our_cll_loss"] <= run["cll_loss"] for run in runs)
    return {
        "line": "ML-ME fit, K = 5",
        "data": data,
        "against": f"the authors' code under Octave (its recorded CPU seconds, {len(runs)} runs)",
        "aim": 30,
        "ratio": statistics.median(ratios),
        "ours": {"cpu": [run["our_cpu"] for run in runs], "wall": [run["our_cpu"] for run in runs]},
        "theirs": {"cpu": [run["cpu"] for run in runs], "wall": [run["cpu"] for run in runs]},
        "same": better == len(runs),
        "says": f"same folds; CLL-loss not above theirs in {better} of {len(runs)} runs; ratios {min(ratios):.1f} to "
        f"{max(ratios):.1f}; their number of experts was {', '.join(str(run['experts']) for run in runs)}, their seconds "
        "are from another run",
        "runs": runs,
    }


def gemm(bench):
    for data in ["yeast", "scene"]:
        yield f"gemm-{data}", lambda data=data: gemm_on(bench, data)


def gemm_on(bench, data):
    with ours("gemm", bench.data.path(data)) as side:
        answers = in_turns(bench.rounds, side)[0]
    share = median(answers, "share_of_comparable")
    return {
        "line": "GEMM share over a whole dense structure search",
        "data": data,
        "against": f"faer's matmul of the same shapes, {median(answers, 'peak_comparable'):.1f} Gflop/s "
        f"(large square: {median(answers, 'peak_square'):.1f})",
        "aim": 0.5,
        "ratio": share,
        "unit": "share",
        "ours": times(answers),
        "same": True,
        "says": f"flops counted in the products; {median(answers, 'gigaflops'):.1f} Gflop/s, "
        f"{100 * median(answers, 'share_of_square'):.0f} % of the large square",
        "answers": answers,
    }


def predict(bench):
    for data in DENSE + SPARSE:
        yield f"predict-{data}", lambda data=data: predict_on(bench, data)


def predict_on(bench, data):
    folder = bench.data.rows(data)
    words = fit_words(bench, "mlme", data, fixed_cost(experts=5, gate={"penalties": [1.0]}), "--timed", "predict")
    solver = "liblinear"
    with ours("fit", *words) as mine, theirs("chain_predict", folder=str(folder), solver=solver) as other:
        require_same_rows(mine, other, "test")
        rows = mine.prepared["test_rows"]
        my_answers, their_answers = in_turns(bench.rounds, mine, other)
    threads = two_threads(bench, "fit", words, my_answers)
    speed = rows / median(my_answers, "wall")
    return {
        "line": "prediction, exact MAP of ML-ME (K = 5)",
        "data": data,
        "against": "ClassifierChain.predict",
        "aim": 20,
        "ratio": ratio_of(my_answers, their_answers),
        "ours": times(my_answers),
        "theirs": times(their_answers),
        "two_threads": threads,
        "same": True,
        "says": f"same rows; {speed:,.0f} rows/s on one thread, {rows / threads['wall']:,.0f} on two "
        "(aim on scene: 50,000); the two methods differ, as the aim says",
        "rows_per_second": {"one": speed, "two": rows / threads["wall"]},
    }


def load(bench):
    for data, library in [("scene", "liac"), ("scene", "scipy_arff"), ("enron", "liac"), ("rcv1subset1-top10", "liac")]:
        yield f"load-{data}-{library}", lambda data=data, library=library: load_on(bench, data, library)
    for ending in ["arff", "csv", "svm"]:
        yield f"load-large-{ending}", lambda ending=ending: load_large(bench, ending)


def load_on(bench, data, library):
    path = bench.data.plain(data)
    with ours("load", path) as mine:
        options = {"path": str(path), "features": mine.prepared["features"]}
        if library == "liac":
            options["is_sparse"] = data in SPARSE
        with theirs(library, **options) as other:
            my_answers, their_answers = in_turns(bench.rounds_for(5), mine, other)
            totals = [side.prepared["sum_of_features"] for side in (mine, other)]
            same = mine.prepared["rows"] == other.prepared["rows"]
    same = same and abs(totals[0] - totals[1]) <= 1e-9 * abs(totals[1])
    return {
        "line": "ARFF load",
        "data": data,
        "against": {"liac": "liac-arff", "scipy_arff": "scipy.io.arff"}[library],
        "aim": 30,
        "ratio": ratio_of(my_answers, their_answers),
        "ours": times(my_answers),
        "theirs": times(their_answers),
        "same": bool(same),
        "says": f"same file, rows and sum of features; {median(my_answers, 'megabytes_per_second'):.0f} MB/s",
    }


def load_large(bench, ending):
    """A planted file of about 200 MB (--quick: 20)."""
    rows = 5_000 if bench.quick else 50_000
    path = bench.home / f"large-{rows}.{ending}"
    if not path.exists():
        sparse = ["--features", 20000, "--non-zeros", 150] if ending == "svm" else ["--features", 200]
        answer_of("generate", "--rows", rows, "--labels", 10, *sparse, "--to", path)
    labels = ["--labels", "last:10"] if ending == "csv" else []
    with ours("load", path, *labels) as side:
        answers = in_turns(bench.rounds, side)[0]
        size = side.prepared["bytes"]
    return {
        "line": "load, large file",
        "data": f"{ending}, {size / 1e6:.0f} MB",
        "against": "–",
        "aim": 200,
        "ratio": median(answers, "megabytes_per_second"),
        "unit": "MB/s",
        "ours": times(answers),
        "same": True,
        "says": "planted rows; nobody else is measured",
    }
