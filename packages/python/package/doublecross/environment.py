"""Dots and Boxes as an environment of PettingZoo (AEC).

>>> from doublecross import environment
>>> env = environment.env(board="3x3")
>>> env.reset()
"""

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ._native import Position


def env(board="5x5", render_mode=None):
    """Return the environment with the usual checks: illegal actions end the game with a loss."""
    game = raw_env(board=board, render_mode=render_mode)
    game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    game = wrappers.AssertOutOfBoundsWrapper(game)
    return wrappers.OrderEnforcingWrapper(game)


class raw_env(AECEnv):
    """The environment.

    An action is the index of an edge. A player who takes a box moves again. An observation is a
    dictionary: `observation` has 1 for each drawn edge by its index, then the boxes of the player and
    those of the opponent divided by the number of boxes, as float32; `action_mask` has 1 for each
    edge that may be drawn. The reward comes at the end: 1 to the winner, -1 to the loser, 0 for a tie.
    """

    metadata = {"render_modes": ["ansi", "human"], "name": "dots_and_boxes_v0", "is_parallelizable": False}

    def __init__(self, board="5x5", render_mode=None):
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode = {render_mode!r}; expected None, 'ansi' or 'human'")
        self._start = Position(board)
        if self._start.drawn():
            raise ValueError(f"board = {board!r}; expected an empty board, as in '5x5'")
        self.position = self._start
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        edges = self._start.edges
        space = gymnasium.spaces.Dict({
            "observation": gymnasium.spaces.Box(0.0, 1.0, (edges + 2,), np.float32),
            "action_mask": gymnasium.spaces.Box(0, 1, (edges,), np.int8),
        })
        self.observation_spaces = {agent: space for agent in self.possible_agents}
        self.action_spaces = {agent: gymnasium.spaces.Discrete(edges) for agent in self.possible_agents}

    def observation_space(self, agent):
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent):
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        """Begin a game. Nothing is random."""
        self.position = self._start
        self.agents = list(self.possible_agents)
        self.rewards = {agent: 0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.position.mover]

    def observe(self, agent):
        """Return the observation of an agent."""
        seat = self.possible_agents.index(agent)
        edges, boxes = self.position.edges, self.position.boxes
        legal = self.position.legal()
        observation = np.ones(edges + 2, np.float32)
        observation[legal] = 0.0
        scores = self.position.scores
        observation[edges:] = scores[seat] / boxes, scores[1 - seat] / boxes
        mask = np.zeros(edges, np.int8)
        # Who is not to move may do nothing.
        if seat == self.position.mover and not self.position.is_over:
            mask[legal] = 1
        return {"observation": observation, "action_mask": mask}

    def step(self, action):
        """Draw an edge for the player to move."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.position = self.position.after(int(action))
        if self.position.is_over:
            first, second = self.position.scores
            sign = (first > second) - (first < second)
            self.rewards = {self.possible_agents[0]: sign, self.possible_agents[1]: -sign}
            self.terminations = {agent: True for agent in self.agents}
            self.agent_selection = self.possible_agents[1 - self.possible_agents.index(agent)]
        else:
            self.agent_selection = self.possible_agents[self.position.mover]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self):
        """Return a drawing of the board, or print it where the render mode is `human`."""
        if self.render_mode is None:
            gymnasium.logger.warn("the environment was made without a render mode")
            return None
        if self.render_mode == "human":
            print(self.position.draw())
            return None
        return self.position.draw()

    def close(self):
        """Do nothing: there is nothing to close."""
