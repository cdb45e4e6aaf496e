"""Suites of positions with exact answers."""

import json

from . import _native


class Suite(_native.Suite):
    """Positions of one board with their margins and best edges.

    `Suite("5x5.tsv")` reads a file as `doublecross suite` draws it. `suite[0]` is the first position
    with its margin, for the player to move, and the names of all best edges.
    """

    def score(self, network, *, simulations=100, nodes=0):
        """Score a network, and return a dictionary for each number of undrawn edges and for all.

        `policy_optimal` is the share of positions where its likeliest edge is one of the best,
        `search_optimal` where the edge is that it finds by `simulations` simulations with `nodes`
        nodes of the exact solver, each as `share`, `low` and `high` (95 %). `margin_error` is the
        mean error of its expected margin, in boxes.
        """
        return json.loads(self._score(network, simulations=simulations, nodes=nodes))
