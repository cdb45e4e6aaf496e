"""A user's program, which mypy and pyright check in their strict modes. Each annotation is of what a call returns."""

# pyright: strict
# The libraries around have no types of their own.
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportMissingModuleSource=false

from pathlib import Path

import gymnasium
import numpy as np
from numpy.typing import NDArray

import doublecross
from doublecross import environment, gym, openspiel

position = doublecross.Position("3x3 H0,0")
edges: list[int] = position.undrawn() + position.drawn() + position.safe()
edge: int = position.index("V0,0")
name: str = position.name(edge)
after: doublecross.Position = position.after(edge).after(np.int64(3))
planes: NDArray[np.float32] = position.planes(0)

solver = doublecross.Solver("3x3", memory=16)
solution: doublecross.Solution = solver.solve(position, seconds=1.0)
margin: int | None = solution.margin
best: list[int] = solution.best
values: dict[int, tuple[int, int]] = solver.edge_values(position)

network = doublecross.Network()
arrays: tuple[NDArray[np.float32], NDArray[np.float32]] = network.evaluate([position], offers="nan")
found: doublecross.SearchResult = doublecross.search(position, network, simulations=10)
policy: dict[int, float] = found.policy
drawing: str = position.svg(values=values, policy=arrays[0][0], chains=True)
drawing = position.svg(values={edge: 1.5}, policy=policy)

game = doublecross.Game("3x3")
captured: int = game.push(found.edge) + game.push(doublecross.Bot("greedy").choose(game.position))
moves: list[int] = game.moves + [game.pop()]
text: str = game.text("dots") + doublecross.Game.from_log('{"board": "1x1"}').to_log()

result: doublecross.Match = doublecross.match("chains", "greedy", board="3x3", games=2)
games: list[doublecross.Game] = result.games
elo: float | None = result.elo_a

bands: list[doublecross.Band] = doublecross.Suite("3x3.tsv").score(network)
share: float = bands[-1]["search_optimal"]["share"]


def report(row: doublecross.GenerationFigures) -> None:
    """Print a loss."""
    print(row["generation"], row["policy_loss"])


run: doublecross.Run = doublecross.train("3x3", Path("run"), settings={"generations": 1}, progress=report)
curve: tuple[list[int], list[float]] = run.curve("policy_loss")
samples: doublecross.Samples = run.samples(1)
drawn: NDArray[np.bool_] = samples["drawn"]
data_set = doublecross.DataSet("labels", "3x3")
data_set.add(drawn=drawn, margin=samples["margin"], is_exact=[True] * len(drawn), policy=samples["policy"])

env = environment.raw_env("3x3", render_mode="rgb_array")
env.reset(seed=1)
observation: environment.Observation = env.observe("player_0")
mask: NDArray[np.int8] = observation["action_mask"]
env.step(3)

against: gymnasium.Env[gym.Planes, np.int64] = gym.BotEnv("3x3", opponent="level:3", seat=1)
seen: gym.Planes = against.reset(seed=1)[0]
reward: float = float(against.step(np.int64(1))[1])

state: openspiel.State = openspiel.Game({"num_rows": 3, "num_cols": 3}).new_initial_state()
start: doublecross.Position = state.position
prior: list[tuple[int, float]] = openspiel.NetworkEvaluator(network).prior(state)
