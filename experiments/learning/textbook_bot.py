"""A bot that plays with a network of textbook.py.

    doublecross match "exec:python textbook_bot.py textbook-1.pt" net:ours-1,sims=100,nodes=0 --board 3x3 --games 40
"""

import argparse

import numpy as np
import torch

from arena import play
from textbook import load


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", help="the file that textbook.py wrote")
    parser.add_argument("--simulations", type=int, default=100)
    options = parser.parse_args()
    torch.set_num_threads(1)
    trees = load(options.network)

    def choose(mask, _):
        (root,) = trees.roots([mask])
        trees.search([root], options.simulations, noise=False)
        return root.edges[int(np.argmax(root.visits))]

    play(trees.board, choose)


if __name__ == "__main__":
    main()
