# Made by scripts/python-reference from the registry of methods.
from collections.abc import Sequence
from typing import Any

from . import metrics as metrics
from ._classes import load as load
from ._compare import Comparison as Comparison
from ._compare import compare as compare
from ._core import __version__ as __version__
from ._data import Data as Data
from ._data import load_arff as load_arff
from ._data import load_csv as load_csv
from ._data import load_libsvm as load_libsvm
from ._estimators import MultiLabelClassifier as MultiLabelClassifier
from ._explanation import Explanation as Explanation
from ._queries import Given as Given
from ._queries import questions as questions
from ._results import BestSets as BestSets
from ._results import CredibleSets as CredibleSets
from ._results import Decisions as Decisions
from ._results import TopSets as TopSets
from ._splits import IterativeStratification as IterativeStratification
from ._splits import stratified_holdout as stratified_holdout

class AutoMixture(MultiLabelClassifier):
    def __init__(
        self,
        *,
        budget: float = ...,
        candidates: Sequence[str] = ...,
        clear_lead: float = ...,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        held_out_rows: int | str = ...,
        max_race_rows: int | str = ...,
        min_race_rows: int | str = ...,
        race_share: float = ...,
        seed: int | str = ...,
        verbose: bool = ...,
    ) -> None: ...

class MLME(MultiLabelClassifier):
    def __init__(
        self,
        *,
        em_max_iterations: int | str = ...,
        em_responsibilities: str | dict[str, Any] = ...,
        em_solver_max_iterations: int | str = ...,
        em_solver_tolerance: float = ...,
        em_tolerance: float = ...,
        experts: int | str = ...,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        gate_penalties: Sequence[float] = ...,
        gate_solver_max_iterations: int | str = ...,
        gate_solver_tolerance: float = ...,
        inference: str | dict[str, Any] = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        max_experts: int | str = ...,
        min_experts: int | str = ...,
        nodes_kind: str | dict[str, Any] = ...,
        nodes_min_rows: int | str = ...,
        refinements: int | str = ...,
        restarts: int | str = ...,
        seed: int | str = ...,
        start: str | dict[str, Any] = ...,
        structure_candidates: str | dict[str, Any] = ...,
        structure_cost: float = ...,
        structure_max_rows: int | str = ...,
        structure_min_gain: float = ...,
        structure_min_rows: int | str = ...,
        structure_scoring: str | dict[str, Any] = ...,
        validation_early_stopping: bool = ...,
        validation_share: float = ...,
        verbose: bool = ...,
    ) -> None: ...

class StackedMixture(MultiLabelClassifier):
    def __init__(
        self,
        *,
        blend_clip: float = ...,
        blend_intercept_ridge: float = ...,
        blend_slope_ridge: float = ...,
        chain_cells: int | str = ...,
        chain_ridge: float = ...,
        chain_rows: int | str = ...,
        chain_width: int | str = ...,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        folds: int | str = ...,
        forest_min_split_rows: int | str = ...,
        forest_split_features: int | str = ...,
        forest_trees: int | str = ...,
        gate_penalties: Sequence[float] = ...,
        gate_solver_max_iterations: int | str = ...,
        gate_solver_tolerance: float = ...,
        held_out_rows: int | str = ...,
        held_out_trees: int | str = ...,
        inference: str | dict[str, Any] = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        map_choice_cost: float = ...,
        map_choice_landmarks: int | str = ...,
        map_choice_rows: int | str = ...,
        map_clear_lead: float = ...,
        map_components: int | str = ...,
        map_dense_from: float = ...,
        map_landmark_cells: int | str = ...,
        map_landmarks: int | str = ...,
        map_squared_norm: float = ...,
        map_widths: Sequence[float] = ...,
        pool_forest_floor: float = ...,
        pool_ridge: float = ...,
        pool_sets: int | str = ...,
        pool_tied_floor: float = ...,
        refit_forest: bool = ...,
        seed: int | str = ...,
        structure_edge_cost: float = ...,
        structure_intercept_ridge: float = ...,
        structure_parent_ridge: float = ...,
        structure_parents: int | str = ...,
        structure_slope_ridge: float = ...,
        tied_cells: int | str = ...,
        tied_clustered_sets: int | str = ...,
        tied_experts: int | str = ...,
        tied_factors_count: int | str = ...,
        tied_factors_iterations: int | str = ...,
        tied_factors_ridge: float = ...,
        tied_intercept_ridges: Sequence[float] = ...,
        tied_iterations: int | str = ...,
        tied_newton_steps: int | str = ...,
        tied_own_share: float = ...,
        tied_slope_ridge: float = ...,
        verbose: bool = ...,
    ) -> None: ...

class CTBN(MultiLabelClassifier):
    def __init__(
        self,
        *,
        completion_max_iterations: int | str = ...,
        completion_tolerance: float = ...,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        nodes_kind: str | dict[str, Any] = ...,
        nodes_min_rows: int | str = ...,
        seed: int | str = ...,
        structure_candidates: str | dict[str, Any] = ...,
        structure_cost: float = ...,
        structure_max_rows: int | str = ...,
        structure_min_gain: float = ...,
        structure_min_rows: int | str = ...,
        structure_scoring: str | dict[str, Any] = ...,
        verbose: bool = ...,
    ) -> None: ...

class BinaryRelevance(MultiLabelClassifier):
    def __init__(
        self,
        *,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        seed: int | str = ...,
        verbose: bool = ...,
    ) -> None: ...

class ClassifierChain(MultiLabelClassifier):
    def __init__(
        self,
        *,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        order: Any = ...,
        scoring: str | dict[str, Any] = ...,
        seed: int | str = ...,
        verbose: bool = ...,
    ) -> None: ...

class ProbabilisticChain(MultiLabelClassifier):
    def __init__(
        self,
        *,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        inference: str | dict[str, Any] = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        order: Any = ...,
        samples: int | str = ...,
        seed: int | str = ...,
        verbose: bool = ...,
    ) -> None: ...

class EnsembleOfChains(MultiLabelClassifier):
    def __init__(
        self,
        *,
        chains: int | str = ...,
        combination: str | dict[str, Any] = ...,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        sampling: str | dict[str, Any] = ...,
        seed: int | str = ...,
        threshold: str | dict[str, Any] = ...,
        verbose: bool = ...,
    ) -> None: ...

class MLKNN(MultiLabelClassifier):
    def __init__(
        self,
        *,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        neighbours: int | str = ...,
        smoothing: float = ...,
        verbose: bool = ...,
    ) -> None: ...

class IBLR(MultiLabelClassifier):
    def __init__(
        self,
        *,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        neighbours: int | str = ...,
        plus: bool = ...,
        seed: int | str = ...,
        share_scale: float = ...,
        verbose: bool = ...,
    ) -> None: ...

class CHF(MultiLabelClassifier):
    def __init__(
        self,
        *,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        folds: int | str = ...,
        hard: bool = ...,
        in_sample: bool = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        seed: int | str = ...,
        verbose: bool = ...,
    ) -> None: ...

class MMOC(MultiLabelClassifier):
    def __init__(
        self,
        *,
        balance: float = ...,
        bulge: float = ...,
        costs: Sequence[float] = ...,
        decoding: str | dict[str, Any] = ...,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        held_out: float = ...,
        logistic_bias: str | dict[str, Any] = ...,
        logistic_costs: Sequence[float] = ...,
        logistic_criterion: str | dict[str, Any] = ...,
        logistic_folds: int | str = ...,
        logistic_solver_max_iterations: int | str = ...,
        logistic_solver_tolerance: float = ...,
        ridges: Sequence[float] = ...,
        seed: int | str = ...,
        solver_max_iterations: int | str = ...,
        solver_tolerance: float = ...,
        variances: str | dict[str, Any] = ...,
        verbose: bool = ...,
    ) -> None: ...

class LabelPowerset(MultiLabelClassifier):
    def __init__(
        self,
        *,
        base: str | dict[str, Any] = ...,
        features_nystrom: Any = ...,
        features_scaling: str | dict[str, Any] = ...,
        forest_min_split_rows: int | str = ...,
        forest_split_features: int | str = ...,
        forest_trees: int | str = ...,
        gate_penalty: float = ...,
        gate_solver_max_iterations: int | str = ...,
        gate_solver_tolerance: float = ...,
        seed: int | str = ...,
        unseen: Any = ...,
        verbose: bool = ...,
    ) -> None: ...
