"""Dots and Boxes against a bot as environments of Gymnasium.

>>> import doublecross, gymnasium
>>> env = gymnasium.make("doublecross/3x3-v0", opponent="level:3")
>>> observation, info = env.reset(seed=1)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._extras import extra
from ._native import Bot

with extra("gymnasium", "doublecross.gym"):
    import gymnasium
    from gymnasium import spaces

    from ._spaces import RENDER_MODES, action_mask, edge_of, empty_board, plane_space, render, result_of

Planes = NDArray[np.float32]


class BotEnv(gymnasium.Env[Planes, np.int64]):
    """A game against a bot.

    An action is an edge. An observation has the planes of `Position.planes`. `info["action_mask"]` and
    `action_masks()` have 1 for each edge that may be drawn; drawing one that is drawn already ends the game with a loss.
    The reward comes at the end: 1 for a win, -1 for a loss, 0 for a tie.

    `opponent` is the name of a bot. `seat` is the player's: 0 begins, 1 is second, and `None` draws lots
    for each game. The seed of `reset` determines the lots and how the bot varies its play.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self, board: str = "5x5", opponent: str = "level:3", seat: int | None = None, render_mode: str | None = None
    ) -> None:
        self._start = empty_board(board, render_mode)
        if seat not in (None, 0, 1):
            raise ValueError(f"seat = {seat!r}; expected 0, 1 or None")
        self._bot, self._seat = Bot(opponent), seat
        self.render_mode = render_mode
        self.observation_space = plane_space(self._start)
        self.action_space = spaces.Discrete(self._start.edges)
        self.position = self._start
        self.seat = seat or 0
        self._nonce = 0
        self._goes_on = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Begin a game, and return the observation of the player's first turn."""
        super().reset(seed=seed)
        self._nonce = int(self.np_random.integers(1 << 63))
        self.seat = int(self.np_random.integers(2)) if self._seat is None else self._seat
        self.position = self._start
        self._goes_on = True
        self._let_opponent_move()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Draw an edge, and let the bot draw until the player is to move again.

        Raises `TypeError` or `ValueError` for an action that is no edge, and gymnasium's `ResetNeeded` before the first
        `reset` and after the end of the game.
        """
        if not self._goes_on:
            raise gymnasium.error.ResetNeeded("no game goes on: call reset() before the next step()")
        edge = edge_of(self.position, action)
        if not self.action_masks()[edge]:
            self._goes_on = False
            return self._observation(), -1.0, True, False, self._info()
        self.position = self.position.after(edge)
        self._let_opponent_move()
        if self.render_mode == "human":
            self.render()
        is_over = self.position.is_over
        self._goes_on = not is_over
        reward = result_of(self.position, self.seat) if is_over else 0.0
        return self._observation(), reward, is_over, False, self._info()

    def action_masks(self) -> NDArray[np.int8]:
        """Return 1 for each edge that may be drawn, as `MaskablePPO` of sb3-contrib asks for."""
        return action_mask(self.position)

    def render(self) -> Any:
        """Return a drawing of the board, as text or as pixels, or print it where the render mode is `human`."""
        return render(self.position, self.render_mode)

    def _let_opponent_move(self) -> None:
        while not self.position.is_over and self.position.mover != self.seat:
            self.position = self.position.after(self._bot.choose(self.position, self._nonce))

    def _observation(self) -> Planes:
        return self.position.planes(self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "seat": self.seat}


for _board in (f"{side}x{side}" for side in range(2, 10)):
    gymnasium.register(f"doublecross/{_board}-v0", entry_point="doublecross.gym:BotEnv", kwargs={"board": _board})
