"""What of scikit-learn's own checks cannot apply to the estimators, and why; scripts/python-checks shows it."""

import arbormix

CLASSES = list(arbormix._classes.CLASSES.values())

_SHAPE = "of one binary label it wants probabilities (n, 2); here they are always (n, labels)"
_FOLDS = "costs and trees are chosen by folds of rows, and a row of weight 2 is in one fold, two equal rows need not be"
_EVERYWHERE = {
    "check_estimator_sparse_array": _SHAPE,
    "check_estimator_sparse_matrix": _SHAPE,
    "check_classifiers_train": _SHAPE + ", and predictions in the form of y",
    "check_sample_weight_equivalence_on_dense_data": _FOLDS,
    "check_sample_weight_equivalence_on_sparse_data": _FOLDS,
}
_SEARCH = {"check_classifier_multioutput": "predict gives the most probable set, or votes, not the labels with P > 1/2"}
_VOTES = {"check_classifiers_multilabel_output_format_predict_proba": "shares of votes may be 0 and 1"}
_NEIGHBOURS = {"check_fit2d_1sample": "one row has no neighbours; the error says so in other words than the check's"}
_HELD_OUT = {"check_fit2d_1sample": "one row cannot be held out; the error says so in other words than the check's"}
_OF_CLASS = {
    "ProbabilisticChain": _SEARCH,
    "EnsembleOfChains": _SEARCH | _VOTES,
    "MLKNN": _NEIGHBOURS,
    "IBLR": _NEIGHBOURS,
    "StackedMixture": _HELD_OUT,
}
# The checks fit as few as ten rows.
_FEW_ROWS = {"MLKNN": {"n_neighbors": 2}, "IBLR": {"n_neighbors": 2}}


def checked():
    """One estimator of every class, as it is checked."""
    return [cls(**_FEW_ROWS.get(cls.__name__, {})) for cls in CLASSES]


def inapplicable(estimator):
    """Names of checks that cannot apply, with the reasons."""
    return _EVERYWHERE | _OF_CLASS.get(type(estimator).__name__, {})
