"""Calls a second of the package for Python, to compare with `--bin calls`: python3 experiments/calls.py FILE.

FILE holds the positions that the program has written. It needs the package `doublecross`.
"""

import random
import sys
import time

import doublecross

GAMES, EVALUATIONS, BATCH = 5_000, 8_192, 256


def rate(name, count, work):
    """Print how often a second something was done."""
    start = time.perf_counter()
    work()
    print(f"{name} {count / (time.perf_counter() - start):.0f}")


def steps():
    shuffled = random.Random(2)
    for _ in range(GAMES):
        edges = list(range(60))
        shuffled.shuffle(edges)
        position = doublecross.Position("5x5")
        for edge in edges:
            position = position.after(edge)


positions = [doublecross.Position(line.strip()) for line in open(sys.argv[1])]
judged, solved = positions[:EVALUATIONS], positions[EVALUATIONS:]
network = doublecross.Network()
solver = doublecross.Solver("5x5", memory=8)

rate("steps", GAMES * 60, steps)
rate("evaluations, in batches", EVALUATIONS,
     lambda: [network.evaluate(judged[at:at + BATCH]) for at in range(0, EVALUATIONS, BATCH)])
rate("evaluations, one by one", EVALUATIONS, lambda: [network.evaluate([position]) for position in judged])
rate("solves", len(solved), lambda: [solver.solve(position) for position in solved])
