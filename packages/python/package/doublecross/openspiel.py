"""Dots and Boxes as a game of OpenSpiel, and networks as evaluators of its tree search.

>>> import pyspiel
>>> from doublecross import openspiel
>>> game = pyspiel.load_game("doublecross(num_rows=2,num_cols=3)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.string_to_action("H0,1"))

Actions are the edges of `Position`, in the order of OpenSpiel's own `dots_and_boxes`. The utility is 1 to the winner,
or the margin in boxes with `utility_margin=true`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._extras import extra
from ._native import Network, Position

with extra("openspiel", "doublecross.openspiel"):
    import pyspiel
    from open_spiel.python.algorithms import mcts
    from open_spiel.python.observation import IIGObserverForPublicInfoGame

PARAMETERS = {"num_rows": 2, "num_cols": 2, "utility_margin": False}

GAME_TYPE = pyspiel.GameType(
    short_name="doublecross",
    long_name="Dots and Boxes by doublecross",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)


class Game(pyspiel.Game):
    """A game on a board."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**PARAMETERS, **(params or {})}
        self.start = Position(f"{given['num_rows']}x{given['num_cols']}")
        self.has_margins = bool(given["utility_margin"])
        most = float(self.start.boxes) if self.has_margins else 1.0
        info = pyspiel.GameInfo(
            num_distinct_actions=self.start.edges,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=self.start.edges,
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self) -> State:
        """Return the state at the beginning."""
        return State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        """Return an observer of states."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self.start, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class State(pyspiel.State):
    """A state, whose `position` is a `Position`."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.position = game.start
        self.has_margins = game.has_margins

    def current_player(self) -> int:
        """Return the player to move, or `pyspiel.PlayerId.TERMINAL`."""
        return int(pyspiel.PlayerId.TERMINAL) if self.position.is_over else self.position.mover

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.undrawn()

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.name(action)

    def is_terminal(self) -> bool:
        """Return `True` if the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """Return the utilities at the end, and zeros before."""
        if not self.position.is_over:
            return [0.0, 0.0]
        first, second = self.position.scores
        utility = float(first - second if self.has_margins else np.sign(first - second))
        return [utility, -utility]

    def __str__(self) -> str:
        first, second = self.position.scores
        return f"{self.position.draw()}{first}-{second}, player {self.position.mover} to move"


class Observer:
    """The position as the planes of `Position.planes`, and as its drawing."""

    def __init__(self, start: Position, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"parameters of observations are not supported; passed {params}")
        planes = start.planes(0)
        self.tensor = planes.reshape(-1)
        self.dict = {"planes": planes}

    def set_from(self, state: State, player: int) -> None:
        """Observe a state as a player sees it."""
        self.dict["planes"][:] = state.position.planes(player)

    def string_from(self, state: State, player: int) -> str:
        """Return the drawing of a state."""
        return str(state)


class NetworkEvaluator(mcts.Evaluator):
    """A network for `mcts.MCTSBot`: `MCTSBot(game, 2.0, 100, NetworkEvaluator(), child_selection_fn=SearchNode.puct_value)`.

    States have to be of the game `doublecross`. Those in which boxes can be taken are resolved as by
    `Network.evaluate`.
    """

    def __init__(self, network: Network | None = None) -> None:
        if network is not None and not isinstance(network, Network):
            raise TypeError(f"network = {network!r}; expected a doublecross.Network, or None for the pretrained ones")
        self.network = network or Network()
        self._last: tuple[Position, NDArray[np.float32], NDArray[np.float32]] | None = None

    @staticmethod
    def _position_of(state: State) -> Position:
        if not isinstance(state, State):
            name = state.get_game().get_type().short_name if isinstance(state, pyspiel.State) else repr(state)
            raise TypeError(
                f"the state is of {name}; expected one of doublecross, as of "
                'pyspiel.load_game("doublecross(num_rows=3,num_cols=3)")'
            )
        return state.position

    def _evaluated(self, position: Position) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        # The search asks for the value and then for the prior of a state.
        if self._last is None or self._last[0] != position:
            policy, margins = self.network.evaluate([position])
            self._last = position, policy[0], margins[0]
        return self._last[1], self._last[2]

    def evaluate(self, state: State) -> NDArray[np.float64]:
        """Return the expected utilities of both players."""
        position = self._position_of(state)
        if state.is_terminal():
            return np.array(state.returns())
        _, margins = self._evaluated(position)
        lead = position.scores[position.mover] - position.scores[1 - position.mover]
        final = lead + np.arange(-position.boxes, position.boxes + 1)
        value = float(margins @ (final if state.has_margins else np.sign(final)))
        return np.array([value, -value] if position.mover == 0 else [-value, value])

    def prior(self, state: State) -> list[tuple[int, float]]:
        """Return the legal actions with their probabilities by the policy."""
        position = self._position_of(state)
        policy, _ = self._evaluated(position)
        return [(edge, float(policy[edge])) for edge in position.undrawn()]


pyspiel.register_game(GAME_TYPE, Game)
