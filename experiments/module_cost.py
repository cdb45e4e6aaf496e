#!/usr/bin/env python3
"""What does a move of an exported module cost?

    pip install wasmtime
    python3 experiments/module_cost.py PROGRAM CHECKPOINT

Asks the module for a move in 40 positions of careful play on 5x5 with 0 to 39 edges drawn, with several budgets: instructions
as wasmtime counts them, which are the same everywhere, and milliseconds under node.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SIZE = 5
BUDGETS = [(50, 20_000), (200, 20_000), (200, 200_000), (800, 200_000)]
HOSTS = Path(__file__).parent.parent / "tests" / "data"


def sides(h, v):
    """Drawn sides of each box."""
    return [[h[r][c] + h[r + 1][c] + v[r][c] + v[r][c + 1] for c in range(SIZE)] for r in range(SIZE)]


def careful(drawn, numbers):
    """So many edges drawn at random, none a third side while another will do, and nothing taken."""
    while True:
        h = [[False] * SIZE for _ in range(SIZE + 1)]
        v = [[False] * (SIZE + 1) for _ in range(SIZE)]
        for _ in range(drawn):
            choices = []
            for lines in (h, v):
                for row in lines:
                    for c, line in enumerate(row):
                        if not line:
                            row[c] = True
                            choices.append((max(2, *map(max, sides(h, v))), numbers.random(), row, c))
                            row[c] = False
            _, _, row, c = min(choices)
            row[c] = True
        if max(map(max, sides(h, v))) < 4:
            return {
                "you": 0, "to_move": 0, "rows": SIZE, "cols": SIZE, "h": h, "v": v,
                "owner": [[-1] * SIZE for _ in range(SIZE)], "scores": [0, 0], "turn": drawn, "nonce": 1,
            }


def figures(command, text):
    """What a host says of each move on stderr: median and most."""
    told = subprocess.run(command, input=text, check=True, capture_output=True, text=True).stderr
    numbers = [float(line) for line in told.split()]
    return statistics.median(numbers), max(numbers)


def main():
    program, checkpoint = sys.argv[1:3]
    numbers = random.Random(1)
    text = "".join(json.dumps(careful(drawn, numbers)) + "\n" for drawn in range(40))
    print("| simulations | solver nodes | million instructions: median, most | milliseconds under node: median, most |")
    print("|---|---|---|---|")
    for simulations, nodes in BUDGETS:
        with tempfile.TemporaryDirectory() as scratch:
            budget = ["--sims", str(simulations), "--solver-nodes", str(nodes)]
            export = [program, "export", checkpoint, "--to", scratch, "--form", "wasm", *budget]
            subprocess.run(export, check=True, capture_output=True)
            module = str(Path(scratch) / "bot.wasm")
            fuel = figures([sys.executable, str(HOSTS / "play_module.py"), module], text)
            time = figures(["node", str(HOSTS / "play_module.mjs"), module], text)
        cells = [f"{simulations:,}", f"{nodes:,}", ", ".join(f"{x / 1e6:,.0f}" for x in fuel), ", ".join(f"{x:.0f}" for x in time)]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
