#!/usr/bin/env python3
"""Prints COUNT positions of the games in a match log that have N undrawn edges and no box on offer, each once.

python3 experiments/positions.py LOG N COUNT

A position is printed as `RxC:0xMASK`, as `prove` takes it. Games in which a box was taken before are passed over.
"""

import json
import sys
from itertools import islice


def boxes(rows, columns):
    """Returns the edges of each box: first the horizontal ones of the board are numbered, then the vertical ones."""
    vertical = (rows + 1) * columns
    for row in range(rows):
        for column in range(columns):
            left = vertical + row * (columns + 1) + column
            yield row * columns + column, (row + 1) * columns + column, left, left + 1


def positions(path, undrawn):
    """Returns the positions, in the order of the games."""
    seen = set()
    for line in open(path):
        game = json.loads(line)
        rows, columns = map(int, game["board"].split("x"))
        edges = (rows + 1) * columns + rows * (columns + 1)
        drawn = set(game["moves"][: edges - undrawn])
        if any(sum(edge in drawn for edge in box) >= 3 for box in boxes(rows, columns)):
            continue
        position = f"{game['board']}:{sum(1 << edge for edge in drawn):#x}"
        if position not in seen:
            seen.add(position)
            yield position


if __name__ == "__main__":
    log, undrawn, count = sys.argv[1:]
    print("\n".join(islice(positions(log, int(undrawn)), int(count))))
