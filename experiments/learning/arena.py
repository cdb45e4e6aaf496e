"""A bot of the JSON protocol (docs/protocol.md) around a program that chooses an edge."""

import json
import sys


def play(board, choose):
    """Answer observations until there are no more.

    `choose` takes the mask of drawn edges and the lead of the player to move, in boxes, and returns an edge.
    """
    for line in sys.stdin:
        observation = json.loads(line)
        size = (observation["rows"], observation["cols"])
        if size != (board.rows, board.cols):
            sys.exit(f"the network plays {board.rows}x{board.cols}, not {size[0]}x{size[1]}")
        mask, edge = drawn_edges(observation), 0
        you = observation["you"]
        if mask != board.full and you == observation["to_move"]:
            scores = observation["scores"]
            edge = choose(mask, scores[you] - scores[1 - you])
        print(json.dumps(action(board, edge)), flush=True)


def drawn_edges(observation):
    """Return the mask of drawn edges."""
    sides = [is_drawn for name in ("h", "v") for row in observation[name] for is_drawn in row]
    return sum(1 << edge for edge, is_drawn in enumerate(sides) if is_drawn)


def action(board, edge):
    """Return an edge as the protocol writes it."""
    across = edge < board.horizontal
    row, col = divmod(edge, board.cols) if across else divmod(edge - board.horizontal, board.cols + 1)
    return {"orient": "H" if across else "V", "r": row, "c": col}
