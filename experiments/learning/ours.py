"""The learning curve of a run of doublecross, in the form that textbook.py writes.

    doublecross train 3x3 --run ours-1 --set resources.threads=1 --set seed=1
    python ours.py ours-1 --suite 3x3.tsv --out ours-1.jsonl

Each line has the processor seconds so far and the share of the suite's positions where the policy's
and the searched edge is best, without the solver.
"""

import argparse
import json
import pathlib
import subprocess

from curve import Curve


def judge(program, checkpoint, suite):
    """Return the shares of positions where the policy's and the searched edge is best."""
    command = [program, "eval", checkpoint, "--suite", suite, "--no-solver", "--sims", "100", "--json", "--quiet"]
    bands = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["bands"]
    everything = bands[-1]
    free = next((band for band in bands if band["is_capture_free"]), everything)
    shares = {"policy": "policy_optimal", "search": "search_optimal"}
    return {
        name: {"all": everything[figure]["share"], "capture_free": free[figure]["share"]}
        for name, figure in shares.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="the folder of a run with one thread")
    parser.add_argument("--suite", required=True, help="the positions to judge by, as `doublecross suite` draws them")
    parser.add_argument("--out", required=True, help="the file to write a line to for each generation judged")
    parser.add_argument("--program", default="doublecross", help="the program (doublecross)")
    options = parser.parse_args()
    lines = (options.run / "progress.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    with open(options.out, "w", encoding="utf-8") as out:
        curve = Curve(out)
        for record in records:
            seconds = record["processor_seconds"]
            if curve.is_due(seconds) or record is records[-1]:
                checkpoint = options.run / "checkpoints" / f"gen-{record['generation']:06}"
                curve.add(seconds, record["games"], judge(options.program, str(checkpoint), options.suite))


if __name__ == "__main__":
    main()
