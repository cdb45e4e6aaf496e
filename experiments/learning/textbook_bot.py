"""A bot that plays with a network of textbook.py, by the JSON protocol (docs/protocol.md).

    doublecross match "exec:python textbook_bot.py textbook-1.pt" net:ours-1,sims=100,nodes=0 --board 3x3 --games 40
"""

import argparse
import json
import sys

import numpy as np
import torch

from textbook import load


def drawn_edges(board, observation):
    """Return the mask of drawn edges."""
    sides = [is_drawn for name in ("h", "v") for row in observation[name] for is_drawn in row]
    return sum(1 << edge for edge, is_drawn in enumerate(sides) if is_drawn)


def action(board, edge):
    """Return an edge as the protocol writes it."""
    across = edge < board.horizontal
    row, col = divmod(edge, board.cols) if across else divmod(edge - board.horizontal, board.cols + 1)
    return {"orient": "H" if across else "V", "r": row, "c": col}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", help="the file that textbook.py wrote")
    parser.add_argument("--simulations", type=int, default=100)
    options = parser.parse_args()
    torch.set_num_threads(1)
    trees = load(options.network)
    board = trees.board
    for line in sys.stdin:
        observation = json.loads(line)
        size = (observation["rows"], observation["cols"])
        if size != (board.rows, board.cols):
            sys.exit(f"the network plays {board.rows}x{board.cols}, not {size[0]}x{size[1]}")
        mask = drawn_edges(board, observation)
        edge = 0
        if mask != board.full and observation["you"] == observation["to_move"]:
            (root,) = trees.roots([mask])
            trees.search([root], options.simulations, noise=False)
            edge = root.edges[int(np.argmax(root.visits))]
        print(json.dumps(action(board, edge)), flush=True)


if __name__ == "__main__":
    main()
