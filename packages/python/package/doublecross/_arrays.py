"""Arrays as callers give them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def booleans(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    """Return an array of truth values, which callers may give as the numbers 0 and 1."""
    array = np.asarray(values)
    if array.dtype == bool or array.size == 0:
        return np.ascontiguousarray(array, bool)
    wrong = ~np.isin(array, (0, 1)) if array.dtype.kind in "iuf" else np.ones(array.shape, bool)
    if wrong.any():
        raise ValueError(f"{name} has {array[wrong].tolist()[0]!r}; expected True or False, or 1 or 0")
    return np.ascontiguousarray(array, bool)
