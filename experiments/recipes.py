#!/usr/bin/env python3
"""Which recipe of training comes furthest in a given time?

python3 experiments/recipes.py PROGRAM CONFIG SUITE MINUTES SEEDS [NAME ...]

Every variant of the config is trained for the same wall-clock time: a few generations tell how long one takes, and as
many are asked for as fit, so that each learning rate falls to its end. One seed after the other, so that whatever else
the machine does comes to all of them. The result is scored without a solver on positions with exact answers.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

VARIANTS = {
    "as configured": [],
    "16 simulations": ["selfplay.simulations=16"],
    "200 simulations": ["selfplay.simulations=200"],
    "200 for a quarter of the moves, else 16": ["selfplay.simulations=200", "selfplay.full_share=0.25"],
    "64 for a half of the moves, else 16": ["selfplay.full_share=0.5"],
    "the result alone": ["selfplay.margin_weight=0"],
    "the margin alone": ["selfplay.margin_weight=1"],
    "2 passes": ["learn.passes=2"],
    "8 passes": ["learn.passes=8"],
    "averaging 0.9": ["learn.averaging=0.9"],
    "averaging 0.997": ["learn.averaging=0.997"],
    "exact rows near the reach alone": ["selfplay.band_undrawn=20"],
    "no solver at leaves": ["selfplay.leaf_undrawn=0"],
    "half the openings safe, of up to 18": ["selfplay.opening_edges=18", "selfplay.opening_safe=0.5"],
    "reach of 28": ["selfplay.root_undrawn=28", "selfplay.leaf_undrawn=22"],
    "openings of up to 18": ["selfplay.opening_edges=18"],
    "reach of 28, openings of up to 18": [
        "selfplay.root_undrawn=28",
        "selfplay.leaf_undrawn=22",
        "selfplay.opening_edges=18",
    ],
}
PROBE = 4


def train(program, config, folder, settings):
    """The cumulative seconds of each generation."""
    command = [program, "train", config, "--run", str(folder), "--set", "finish.games=0"]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = (folder / "progress.jsonl").read_text().splitlines()
    return [json.loads(line)["seconds"] for line in lines]


def score(program, folder, suite):
    """How many of the suite's positions: all, raw policy optimal, searched edge optimal."""
    command = [program, "eval", str(folder), "--suite", suite, "--no-solver", "--json"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    bands = [band for band in json.loads(answer)["bands"] if band["undrawn"] > 0]
    count = lambda field: sum(round(band[field]["share"] * band["positions"]) for band in bands)
    return sum(band["positions"] for band in bands), count("policy_optimal"), count("search_optimal")


def main():
    program, config, suite, minutes, seeds = sys.argv[1:6]
    names = sys.argv[6:] or list(VARIANTS)
    found = {name: [] for name in names}
    for seed in range(1, int(seeds) + 1):
        for name in names:
            with tempfile.TemporaryDirectory() as scratch:
                settings = VARIANTS[name] + [f"seed={seed}"]
                probe = train(program, config, Path(scratch) / "probe", settings + [f"generations={PROBE}"])
                each = (probe[-1] - probe[0]) / (PROBE - 1)
                generations = max(PROBE, round((float(minutes) * 60 - probe[0]) / each))
                folder = Path(scratch) / "run"
                seconds = train(program, config, folder, settings + [f"generations={generations}"])
                result = score(program, folder, suite)
                found[name].append(result)
                print(f"seed {seed}, {name}: {generations} generations, {seconds[-1]:.0f} s, {result}", flush=True)
    print("| variant | raw policy | searched |\n|---|---|---|")
    for name, results in found.items():
        positions = sum(result[0] for result in results)
        cells = []
        for column in (1, 2):
            share = sum(result[column] for result in results) / positions
            # Seeds share the positions: what is given is the spread of one seed's share as positions make it.
            error = 1.96 * math.sqrt(share * (1 - share) / positions)
            cells.append(f"{100 * share:.1f} +- {100 * error:.1f}")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
