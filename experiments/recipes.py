#!/usr/bin/env python3
"""Which recipe of training comes furthest in a given time?

python3 experiments/recipes.py PROGRAM CONFIG SUITE MINUTES SEEDS [NAME ...]

Every variant of the config is trained for the same time of one core, in MINUTES, so that what else the machine does
takes nothing from it: a few generations tell what one takes, and as many are asked for as fit, so that each learning rate
falls to its end. The result is scored without a solver on positions with exact answers.
"""

import json
import resource
import statistics
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
    "by Muon": ["learn.optimizer=muon"],
    "half the learning rate": ["learn.learning_rate=0.002"],
    "c_visit 10": ["selfplay.c_visit=10"],
    "averaging 0.9": ["learn.ema_decay=0.9"],
    "averaging 0.997": ["learn.ema_decay=0.997"],
    "exact rows near the reach alone": ["selfplay.band_undrawn=20"],
    "no solver at leaves": ["selfplay.leaf_undrawn=0"],
    "labelled backwards, 5,000 nodes": ["selfplay.relabel_nodes=5000"],
    "labelled backwards, 50,000 nodes": ["selfplay.relabel_nodes=50000"],
    "a quarter of the games from stored positions": ["selfplay.start_share=0.25"],
    "three quarters from stored positions": ["selfplay.start_share=0.75"],
    "half the rows by surprise": ["selfplay.surprise_share=0.5"],
    "noise for six moves": ["selfplay.noisy_moves=6"],
    "500 studied positions": ["labelled.positions=500"],
    "what each edge is worth": ["learn.edge_loss=1"],
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
    """Minutes of one core that a run takes."""
    command = [program, "train", config, "--run", str(folder), "--set", "finish.games=0"]
    for setting in settings:
        command += ["--set", setting]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 60


def score(program, folder, suite):
    """Shares of the suite's positions: raw policy optimal, searched edge optimal; and the mean error of the margin."""
    command = [program, "eval", str(folder), "--suite", suite, "--no-solver", "--json"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    bands = [band for band in json.loads(answer)["bands"] if band["undrawn"] > 0]
    positions = sum(band["positions"] for band in bands)
    mean = lambda of: sum(of(band) * band["positions"] for band in bands) / positions
    policy, searched = (mean(lambda band: 100 * band[field]["share"]) for field in ("policy_optimal", "search_optimal"))
    return policy, searched, mean(lambda band: band["margin_error"])


def main():
    program, config, suite, minutes, seeds = sys.argv[1:6]
    names = sys.argv[6:] or list(VARIANTS)
    found = {name: [] for name in names}
    for seed in range(1, int(seeds) + 1):
        for name in names:
            with tempfile.TemporaryDirectory() as scratch:
                settings = VARIANTS[name] + [f"seed={seed}"]
                probe = train(program, config, Path(scratch) / "probe", settings + [f"generations={PROBE}"])
                generations = max(PROBE, round(float(minutes) * PROBE / probe))
                folder = Path(scratch) / "run"
                taken = train(program, config, folder, settings + [f"generations={generations}"])
                result = score(program, folder, suite)
                found[name].append((taken, generations, *result))
                print(
                    f"seed {seed}, {name}: {generations} generations, {taken:.2f} minutes, "
                    f"policy {result[0]:.1f} %, searched {result[1]:.1f} %, margin error {result[2]:.3f}",
                    flush=True,
                )
    print("| variant | minutes | generations | raw policy, % | searched, % | margin error |\n|---|---|---|---|---|---|")
    for name, results in found.items():
        cells = [f"{statistics.mean(column):.{digits}f}" for column, digits in zip(zip(*results), (2, 0, 1, 1, 3))]
        print(f"| {name} | " + " | ".join(cells) + " |")
    if int(seeds) > 1:
        # Variants share the seeds' noise only in part: how far seeds of one variant are apart tells what a difference is
        # worth.
        for column, label in ((2, "raw policy"), (3, "searched"), (4, "margin error")):
            variances = [statistics.variance(result[column] for result in results) for results in found.values()]
            error = (statistics.mean(variances) / int(seeds)) ** 0.5
            print(f"standard error of a variant's {label}: {error:.3f}")


if __name__ == "__main__":
    main()
