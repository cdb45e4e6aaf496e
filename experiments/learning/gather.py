"""One table of several curves: python gather.py textbook-*.jsonl ours-*.jsonl > ../../docs/pictures/data/learning.tsv

Each file is named after its trainer and its seed.
"""

import json
import pathlib
import sys


def main():
    print("# Best moves on a suite of 3x3 by processor seconds of training (experiments/learning), in percent.")
    print("trainer\tseed\tseconds\tgames\tpolicy\tsearch\tpolicy_capture_free\tsearch_capture_free")
    for path in map(pathlib.Path, sys.argv[1:]):
        trainer, seed = path.stem.rsplit("-", 1)
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            shares = [line[by][of] for of in ["all", "capture_free"] for by in ["policy", "search"]]
            numbers = [f"{100 * share:.1f}" for share in shares]
            print(trainer, seed, line["processor_seconds"], line["games"], *numbers, sep="\t")


if __name__ == "__main__":
    main()
