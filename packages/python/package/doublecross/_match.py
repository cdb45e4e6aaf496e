"""Matches between bots."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from ._game import Game
from ._native import play_match


@dataclass(frozen=True)
class Match:
    """The result of a match between the bots `a` and `b`."""

    a: str
    b: str
    wins_a: int
    losses_a: int
    ties: int
    #: The number of pairs of games that differ from all others.
    distinct_pairs: int
    #: In boxes.
    mean_margin_a: float
    #: The Elo difference with its 95 % interval, `elo_low` to `elo_high`; `None` where there is no such number.
    elo_a: float | None
    elo_low: float | None
    elo_high: float | None
    #: In the order in which they were begun: two with each opening.
    games: list[Game] = field(repr=False)


def match(
    first: str, second: str, *, board: str = "5x5", games: int = 100, opening: int | None = None, seed: int = 1
) -> Match:
    """Play games of two bots, given by their names.

    Games come in pairs, so that an odd number is rounded up: both begin with the same `opening` random edges (6
    by default; more than the board has are a `ValueError`), with the bots' seats swapped. The same seed plays
    the same games. Ctrl-C ends the call.
    """
    result, lines = play_match(first, second, board=board, games=games, opening=opening, seed=seed)
    fields = json.loads(result)
    fields["games"] = [Game._of_line(line) for line in lines]
    return Match(**{name: fields[name] for name in Match.__dataclass_fields__})
