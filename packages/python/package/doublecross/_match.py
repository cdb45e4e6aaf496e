"""Matches between bots."""

import json

from ._native import play_match


def match(first, second, *, board="5x5", games=100, opening=None, seed=1):
    """Play games of two bots and return the result as a dictionary.

    Bots are given by their names. Games come in pairs, so that an odd number is rounded up: both
    begin with the same `opening` random edges (6 by default; more than the board has are a
    `ValueError`), with the bots' seats swapped. The same seed plays the same games. The result has
    `games`, `wins_a`, `losses_a`, `ties`, `mean_margin_a` in boxes, and `elo_a` with its 95 %
    interval, `elo_low` to `elo_high` (`None` where there is no such number). `distinct_pairs` is the
    number of pairs that differ from all others. Ctrl-C ends the call.
    """
    return json.loads(play_match(first, second, board=board, games=games, opening=opening, seed=seed))
