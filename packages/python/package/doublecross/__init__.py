"""Exact solver, tree search, bots and trained networks for Dots and Boxes.

>>> import doublecross
>>> position = doublecross.Position("2x3 H0,0 V1,2 H2,1 V0,3")
>>> solution = doublecross.Solver("2x3").solve(position)
>>> solution.margin, "H0,1" in solution.best
(-2, True)

`Position` has the rules, `Solver` proves, `Network` guesses, `search` looks ahead with a network,
`Bot` plays by its name, `match` compares two bots, `Suite` scores a network, `train` trains one,
`Run` reads a training run, `DataSet` holds samples to learn from. `doublecross.environment` is the game for PettingZoo.
"""

from ._data_set import DataSet
from ._match import match
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
from ._run import Run
from ._suite import Suite
from ._train import train

__all__ = [
    "Bot",
    "DataSet",
    "Network",
    "Position",
    "Run",
    "SearchResult",
    "Solution",
    "Solver",
    "Suite",
    "__version__",
    "match",
    "search",
    "train",
]
