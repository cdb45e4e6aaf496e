"""Input planes of networks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._arrays import booleans


def input_planes(board: str, drawn: ArrayLike) -> NDArray[np.float32]:
    """Return the input planes of states, `[states, 20, rows + 1, cols + 1]`, as a network takes them.

    `drawn` is True for each drawn edge, `[states, edges]`. The planes are described in docs/formats.md. Raises
    `ValueError` for a state with a box on offer, which networks do not see, and for numbers other than 0 and 1.
    """
    edges = _native.Position(board).edges
    drawn = booleans("drawn", drawn)
    if drawn.ndim != 2 or drawn.shape[1] != edges:
        raise ValueError(f"drawn has the shape {drawn.shape}; expected (states, {edges})")
    return _native.input_planes(board, drawn.tobytes())
