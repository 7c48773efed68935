"""The space of a vector. Gymnasium's Box where Gymnasium is installed, otherwise the part of it that programs use."""
from typing import Any, Optional, Tuple

import numpy as np


class Box:
    """Vectors between low and high."""

    def __init__(self, low: "np.ndarray", high: "np.ndarray", dtype: Any = np.float64) -> None:
        self.low, self.high, self.dtype = np.asarray(low, dtype), np.asarray(high, dtype), np.dtype(dtype)
        self.shape: Tuple[int, ...] = self.low.shape
        self._random = np.random.default_rng()

    def seed(self, seed: Optional[int] = None) -> None:
        self._random = np.random.default_rng(seed)

    def sample(self) -> "np.ndarray":
        """Uniform where both limits are finite, otherwise normal, moved inside."""
        finite = np.isfinite(self.low) & np.isfinite(self.high)
        normal = np.clip(self._random.standard_normal(self.shape), self.low, self.high)
        even = self._random.uniform(np.where(finite, self.low, 0), np.where(finite, self.high, 1))
        return np.where(finite, even, normal).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        value = np.asarray(x)
        return value.shape == self.shape and bool(np.all(value >= self.low) and np.all(value <= self.high))

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)

    def __repr__(self) -> str:
        return f"Box(shape={self.shape}, dtype={self.dtype})"


def make_box(low: "np.ndarray", high: "np.ndarray") -> Any:
    try:
        from gymnasium.spaces import Box as GymnasiumBox
    except ImportError:
        return Box(low, high)
    return GymnasiumBox(low, high, dtype=np.float64)
