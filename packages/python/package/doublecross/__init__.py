"""Exact solver, tree search, bots and trained networks for Dots and Boxes.

>>> import doublecross
>>> position = doublecross.Position("2x3 H0,0 V1,2 H2,1 V0,3")
>>> solution = doublecross.Solver("2x3").solve(position)
>>> solution.margin, position.index("H0,1") in solution.best
(-2, True)

`Position` has the rules, `Game` is a game with its moves, `Solver` proves, `Network` guesses, `search` looks ahead
with a network, `Bot` plays by its name, `match` compares two bots, `Suite` scores a network, `train` trains one, `Run`
reads a training run, `DataSet` holds samples to learn from. Edges are numbers everywhere; `Position.name` and
`Position.index` convert them.

`doublecross.environment` is the game for PettingZoo, `doublecross.gym` against a bot for Gymnasium, and
`doublecross.openspiel` for OpenSpiel.
"""

from importlib.util import find_spec

from ._data_set import DataSet
from ._game import Game
from ._match import Match, match
from ._native import (
    Bot,
    Network,
    Position,
    SearchResult,
    Solution,
    Solver,
    __version__,
    search,
)
from ._planes import input_planes
from ._run import GenerationFigures, Run, Samples
from ._suite import Band, Interval, Suite
from ._train import train

if find_spec("gymnasium"):
    from . import gym as gym  # registers the environments

__all__ = [
    "Band",
    "Bot",
    "DataSet",
    "Game",
    "GenerationFigures",
    "Interval",
    "Match",
    "Network",
    "Position",
    "Run",
    "Samples",
    "SearchResult",
    "Solution",
    "Solver",
    "Suite",
    "__version__",
    "input_planes",
    "match",
    "search",
    "train",
]
