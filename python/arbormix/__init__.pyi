# Made by scripts/python-reference from the registry of methods.
from collections.abc import Mapping, Sequence
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
        scaling: str = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class MLME(MultiLabelClassifier):
    def __init__(
        self,
        *,
        n_experts: int | str = ...,
        start: str = ...,
        max_iter: int = ...,
        scaling: str = ...,
        inference: str | dict[str, Any] = ...,
        costs: Sequence[float] = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class StackedMixture(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        n_estimators: int = ...,
        folds: int = ...,
        inference: str | dict[str, Any] = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class CTBN(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        costs: Sequence[float] = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class BinaryRelevance(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        costs: Sequence[float] = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class ClassifierChain(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        costs: Sequence[float] = ...,
        order: str | Sequence[int] = ...,
        scoring: str = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class ProbabilisticChain(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        costs: Sequence[float] = ...,
        order: str | Sequence[int] = ...,
        inference: str | dict[str, Any] = ...,
        n_samples: int = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class EnsembleOfChains(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        costs: Sequence[float] = ...,
        n_chains: int = ...,
        sampling: str | dict[str, Any] = ...,
        combination: str = ...,
        threshold: str = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class MLKNN(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        n_neighbors: int = ...,
        smoothing: float = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class IBLR(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        costs: Sequence[float] = ...,
        n_neighbors: int = ...,
        plus: bool = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class CHF(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        costs: Sequence[float] = ...,
        in_sample: bool = ...,
        layer_folds: int = ...,
        hard: bool = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class MMOC(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        costs: Sequence[float] = ...,
        ridges: Sequence[float] = ...,
        balance: float = ...,
        decoding: str = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class LabelPowerset(MultiLabelClassifier):
    def __init__(
        self,
        *,
        scaling: str = ...,
        base: str = ...,
        n_estimators: int = ...,
        unseen: float | None = ...,
        random_state: int = ...,
        expert: Mapping[str, Any] | None = ...,
        verbose: bool = ...,
    ) -> None: ...
