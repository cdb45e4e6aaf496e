"""Suites of positions with exact answers."""

from __future__ import annotations

import json
from typing import TypedDict

from . import _native


class Interval(TypedDict):
    """A share with its 95 % interval."""

    share: float
    low: float
    high: float


class Band(TypedDict):
    """The score of a network on the positions of a suite with one number of undrawn edges, or on all."""

    suite: str
    #: The number of undrawn edges, or 0 for those of any number.
    undrawn: int
    #: True if these are the positions alone in which no box can be taken at once.
    is_capture_free: bool
    positions: int
    policy_optimal: Interval
    search_optimal: Interval
    #: In boxes.
    margin_error: float
    sign_agreement: Interval


class Suite(_native.Suite):
    """Positions of one board with their margins and best edges.

    `Suite("5x5.tsv")` reads a file as `doublecross suite` draws it. `suite[0]` is the first position with its
    margin, for the player to move, and all best edges.
    """

    def score(self, network: _native.Network, *, simulations: int = 100, nodes: int = 0) -> list[Band]:
        """Score a network, and return a dictionary for each number of undrawn edges and for all.

        `policy_optimal` is the share of positions where its likeliest edge is one of the best,
        `search_optimal` where the edge is that it finds by `simulations` simulations with `nodes` nodes of the
        exact solver. `margin_error` is the mean error of its expected margin, and `sign_agreement` the share
        of positions, of those with a winner, where this margin has the right sign.
        """
        bands: list[Band] = json.loads(self._score(network, simulations=simulations, nodes=nodes))
        return bands
