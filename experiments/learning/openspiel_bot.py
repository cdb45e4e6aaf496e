"""A bot that plays with a network of openspiel.py, 100 simulations a move.

    doublecross match "exec:python openspiel_bot.py openspiel-1.npz" net:ours-1,sims=100,nodes=0 --board 3x3 --timeout 120000

The first answer takes some seconds, in which the network is compiled.
"""

import argparse

from arena import play
from openspiel import load, state_of


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", help="the file that openspiel.py wrote")
    options = parser.parse_args()
    board, game, bot = load(options.network)
    play(board, lambda mask, lead: bot.mcts_search(state_of(game, board, mask, lead)).best_child().action)


if __name__ == "__main__":
    main()
