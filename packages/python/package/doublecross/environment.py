"""Dots and Boxes as an environment of PettingZoo (AEC).

>>> from doublecross import environment
>>> env = environment.env(board="3x3")
>>> env.reset()
"""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from ._extras import extra
from ._native import Position

with extra("pettingzoo", "doublecross.environment"):
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

    from ._spaces import RENDER_MODES, action_mask, edge_of, empty_board, plane_space, render, result_of


class Observation(TypedDict):
    """What a player sees."""

    #: The planes of `Position.planes`: drawn edges, boxes of the player, and boxes of the opponent.
    observation: NDArray[np.float32]
    #: 1 for each edge that the player may draw.
    action_mask: NDArray[np.int8]


def env(board: str = "5x5", render_mode: str | None = None) -> AECEnv[str, Observation, int | None]:
    """Return the environment with the usual checks: illegal actions end the game with a loss."""
    game: AECEnv[str, Observation, int | None] = raw_env(board=board, render_mode=render_mode)
    game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    game = wrappers.AssertOutOfBoundsWrapper(game)
    return wrappers.OrderEnforcingWrapper(game)


class raw_env(AECEnv[str, Observation, int | None]):
    """The environment.

    An action is an edge. A player who takes a box moves again. An observation is a dictionary, an `Observation`. The
    reward comes at the end: 1 to the winner, -1 to the loser, 0 for a tie.
    """

    metadata: dict[str, Any] = {
        "render_modes": RENDER_MODES,
        "name": "dots_and_boxes_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, board: str = "5x5", render_mode: str | None = None) -> None:
        super().__init__()
        self._start = empty_board(board, render_mode)
        self.position = self._start
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        space: Any = spaces.Dict({
            "observation": plane_space(self._start),
            "action_mask": spaces.Box(0, 1, (self._start.edges,), np.int8),
        })
        self.observation_spaces: dict[str, spaces.Space[Any]] = {agent: space for agent in self.possible_agents}
        actions: Any = spaces.Discrete(self._start.edges)
        self.action_spaces: dict[str, spaces.Space[Any]] = {agent: actions for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Nothing is random."""
        self.position = self._start
        self.agents = list(self.possible_agents)
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.position.mover]

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent."""
        seat = self.possible_agents.index(agent)
        # Who is not to move may do nothing.
        mask = action_mask(self.position) if seat == self.position.mover else np.zeros(self.position.edges, np.int8)
        return {"observation": self.position.planes(seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Draw an edge for the player to move.

        Raises `ValueError` if the edge is drawn already or the board has no such edge.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        after = self.position.after(edge_of(self.position, action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.position = after
        if self.position.is_over:
            result = result_of(self.position, 0)
            self.rewards = {self.possible_agents[0]: result, self.possible_agents[1]: -result}
            self.terminations = {agent: True for agent in self.agents}
            self.agent_selection = self.possible_agents[1 - self.possible_agents.index(agent)]
        else:
            self.agent_selection = self.possible_agents[self.position.mover]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return a drawing of the board, as text or as pixels, or print it where the render mode is `human`."""
        return render(self.position, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
