"""Spaces, masks and drawings that the environments of PettingZoo and Gymnasium share."""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from . import _drawing
from ._native import Position

RENDER_MODES = ["ansi", "human", "rgb_array"]


def empty_board(board: str, render_mode: str | None) -> Position:
    """Return the first position of games on a board, and check the render mode."""
    if render_mode not in (None, *RENDER_MODES):
        raise ValueError(f"render_mode = {render_mode!r}; expected None, {', '.join(map(repr, RENDER_MODES))}")
    start = Position(board)
    if start.drawn():
        raise ValueError(f"board = {board!r}; expected an empty board, as in '5x5'")
    return start


def plane_space(start: Position) -> Any:
    """Return the space of `Position.planes`."""
    return spaces.Box(0.0, 1.0, start.planes(0).shape, np.float32)


def action_mask(position: Position) -> NDArray[np.int8]:
    """Return 1 for each undrawn edge."""
    mask = np.zeros(position.edges, np.int8)
    mask[position.undrawn()] = 1
    return mask


def edge_of(position: Position, action: Any) -> int:
    """Return the edge that an action is, drawn or not.

    Raises `TypeError` for what is no whole number, and `ValueError` for a number of no edge.
    """
    expected = f"expected the number of an edge, 0 to {position.edges - 1}"
    try:
        edge = None if isinstance(action, bool) else operator.index(action)
    except TypeError:
        edge = None
    if edge is None:
        raise TypeError(f"action = {action!r}; {expected}")
    if not 0 <= edge < position.edges:
        raise ValueError(f"action = {edge}; {expected}")
    return edge


def result_of(position: Position, seat: int) -> float:
    """Return 1 if a player has more boxes, -1 for fewer and 0 for as many."""
    return float(np.sign(position.scores[seat] - position.scores[1 - seat]))


def render(position: Position, render_mode: str | None) -> str | NDArray[np.uint8] | None:
    """Return or print the drawing of a render mode."""
    if render_mode is None:
        gymnasium.logger.warn("the environment was made without a render mode")
        return None
    if render_mode == "rgb_array":
        return _drawing.image(position)
    if render_mode == "human":
        print(position.draw())
        return None
    return position.draw()
