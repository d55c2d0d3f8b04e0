"""What scikit-learn gives an estimator, and the little of it that is needed where it is not installed."""

from __future__ import annotations

import inspect
from typing import Any

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import validate_data

    HAS_SKLEARN = True
except ImportError:  # scikit-learn is missing, or older than 1.6
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The estimator has not been fitted."""

    class ClassifierMixin:  # type: ignore[no-redef]
        """Nothing of scikit-learn's."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name, as scikit-learn has them."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            return sorted(name for name in inspect.signature(cls).parameters)

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """The parameters and their values."""
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            """Sets parameters by name."""
            known = self._get_param_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}; known: {known}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self)).parameters
            changed = {
                k: v for k, v in self.get_params().items() if v is not defaults[k].default and v != defaults[k].default
            }
            return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in changed.items())})"


__all__ = ["HAS_SKLEARN", "BaseEstimator", "ClassifierMixin", "NotFittedError"]

if HAS_SKLEARN:
    __all__ += ["validate_data"]
