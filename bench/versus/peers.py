"""What the others do, timed: `python -m versus.peers WORK OPTIONS`, run by processes.theirs."""

import json
import sys
import tempfile

import numpy as np

from . import evidence
from .data import Rows
from .processes import timed


def regression(solver, **options):
    from sklearn.linear_model import LogisticRegression

    # Enough iterations to reach the solver's own default tolerance.
    return LogisticRegression(C=1.0, solver=solver, max_iter=2000, **options)


def fit_one(solver, x, y):
    return regression(solver).fit(x, y)


def warm_up(solver):
    """Imports, and whatever else happens at a first fit alone: none of it is work to be timed."""
    from sklearn.multioutput import ClassifierChain

    random = np.random.default_rng(0)
    x, y = random.normal(size=(40, 2)), random.integers(2, size=(40, 2))
    ClassifierChain(regression(solver)).fit(x, y).predict(x)


def prepared_logistic(folder, solver, jobs=1, labels=None):
    """Binary relevance: a LogisticRegression per label, or per listed label."""
    from joblib import Parallel, delayed

    warm_up(solver)
    rows = Rows(folder, "train")
    columns = range(rows.y.shape[1]) if labels is None else labels

    def work():
        if jobs == 1:
            return [fit_one(solver, rows.x, rows.y[:, label]) for label in columns]
        return Parallel(n_jobs=jobs)(delayed(fit_one)(solver, rows.x, rows.y[:, label]) for label in columns)

    def run():
        fitted, answer = timed(work)
        weights = np.vstack([model.coef_[0] for model in fitted])
        biases = np.array([model.intercept_[0] for model in fitted])
        targets = rows.y[:, list(columns)]
        answer["objectives"] = evidence.objectives(rows.x, targets, weights, biases, solver == "liblinear").tolist()
        return answer

    return {"digest": rows.digest}, run


def prepared_logistic_cv(folder, solver, costs, labels):
    """LogisticRegressionCV per label: three folds, the cost by held-out likelihood."""
    from sklearn.linear_model import LogisticRegressionCV

    warm_up(solver)
    rows = Rows(folder, "train")
    words = {"Cs": costs, "cv": 3, "scoring": "neg_log_loss", "solver": solver, "max_iter": 2000}

    def run():
        fitted, answer = timed(lambda: [LogisticRegressionCV(**words).fit(rows.x, rows.y[:, i]) for i in labels])
        answer["costs"] = [float(np.ravel(model.C_)[0]) for model in fitted]
        weights = np.vstack([model.coef_[0] for model in fitted])
        biases = np.array([model.intercept_[0] for model in fitted])
        found = evidence.objectives(rows.x, rows.y[:, labels], weights, biases, solver == "liblinear", answer["costs"])
        answer["objectives"] = found.tolist()
        return answer

    return {"digest": rows.digest}, run


def chain_of(rows, solver):
    from sklearn.multioutput import ClassifierChain

    return ClassifierChain(regression(solver)).fit(rows.x, rows.y)


def prepared_chain(folder, solver):
    """ClassifierChain in the order of the labels."""
    warm_up(solver)
    rows = Rows(folder, "train")

    def run():
        fitted, answer = timed(lambda: chain_of(rows, solver))
        total = 0.0
        for place, model in enumerate(fitted.estimators_):
            x = evidence.with_labels(rows.x, rows.y[:, :place])
            found = evidence.objectives(x, rows.y[:, [place]], model.coef_, model.intercept_, solver == "liblinear")
            total += found.sum()
        answer["objectives"] = [total]
        return answer

    return {"digest": rows.digest}, run


def prepared_chain_predict(folder, solver):
    """ClassifierChain.predict of all rows."""
    rows, test = Rows(folder, "train"), Rows(folder, "test")
    fitted = chain_of(rows, solver)
    return {"digest": test.digest}, lambda: timed(lambda: fitted.predict(test.x))[1]


def prepared_neighbours(folder):
    """MLkNN of scikit-multilearn-ng, fit and predict."""
    from scipy import sparse
    from skmultilearn.adapt import MLkNN

    rows, test = Rows(folder, "train"), Rows(folder, "test")
    labels = sparse.csr_matrix(rows.y)

    def work():
        # A training row is none of its own neighbours; a test row's nearest must not be dropped.
        model = MLkNN(k=10, s=1.0, ignore_first_neighbours=1).fit(rows.x, labels)
        model.ignore_first_neighbours = 0
        return model.predict(test.x).toarray()

    def run():
        predicted, answer = timed(work)
        answer["predictions"] = predicted.astype(int).tolist()
        return answer

    return {"digest": rows.digest}, run


def prepared_structure(folder, solver, count, seed=0):
    """A sample of the fits of a structure search: label i on the training rows of a fold with one value of label j.

    Cutting out the rows is not in the measure. A sampled fit that needs none (too few rows, one class) takes no time.
    """
    warm_up(solver)
    rows = Rows(folder, "train")
    labels = rows.y.shape[1]
    random = np.random.default_rng(seed)
    fold = random.permutation(len(rows.y)) % 3
    total = 3 * (labels + 2 * labels * (labels - 1))
    sample = []
    for _ in range(count):
        child, parent = random.choice(labels, 2, replace=False)
        chosen = (fold != random.integers(3)) & (rows.y[:, parent] == random.integers(2))
        y = rows.y[chosen, child]
        if chosen.sum() >= 5 and y.min() != y.max():
            sample.append((rows.x[chosen], y))

    def run():
        _, answer = timed(lambda: [fit_one(solver, x, y) for x, y in sample])
        for clock in ("wall", "cpu"):
            answer[clock] *= total / count
        return {**answer, "fits": total, "sampled": count, "empty": count - len(sample)}

    return {"digest": rows.digest}, run


def prepared_napkinxc(folder):
    """BR of napkinXC with C = 1, its other settings as they come."""
    from napkinxc.models import BR
    from scipy import sparse

    rows = Rows(folder, "train")
    x = sparse.csr_matrix(rows.x)
    labels = [np.flatnonzero(row).tolist() for row in rows.y]

    def run():
        with tempfile.TemporaryDirectory() as home:

            def work():
                return BR(home, loss="log", solver="L2R_LR_DUAL", liblinear_c=1.0, threads=1, verbose=0).fit(x, labels)

            return timed(work)[1]

    return {"digest": rows.digest}, run


def contents(rows, features, total):
    return {"rows": rows, "features": features, "sum_of_features": total}


def prepared_liac(path, features, is_sparse):
    """liac-arff; rows of a sparse file as dictionaries, as it recommends."""
    import arff

    def work():
        with open(path) as file:
            return arff.load(file, return_type=arff.LOD if is_sparse else arff.DENSE)

    data = work()["data"]
    if is_sparse:
        total = sum(float(value) for row in data for column, value in row.items() if column < features)
    else:
        total = sum(float(value) for row in data for value in row[:features])
    return contents(len(data), features, total), lambda: timed(work)[1]


def prepared_scipy_arff(path, features):
    """scipy.io.arff, which reads dense files."""
    from scipy.io import arff

    def work():
        return arff.loadarff(path)[0]

    data = work()
    total = sum(float(data[name].sum()) for name in data.dtype.names[:features])
    return contents(len(data), features, total), lambda: timed(work)[1]


def main():
    prepared, run = globals()[f"prepared_{sys.argv[1]}"](**json.loads(sys.argv[2]))
    # Libraries print; the answers need standard output for themselves.
    out, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps(prepared), file=out, flush=True)
    for _ in sys.stdin:
        print(json.dumps(run()), file=out, flush=True)


if __name__ == "__main__":
    main()
