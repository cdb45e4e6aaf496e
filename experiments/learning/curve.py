"""The learning curve of a trainer: a line of JSON for each judgment."""

import argparse
import json


class Curve:
    """A file of judgments, which come more seldom the longer training has taken."""

    def __init__(self, out):
        self.out, self.judged = out, 0.0

    def is_due(self, seconds):
        """Return whether a judgment is due after so many processor seconds of training."""
        return seconds >= 1.15 * self.judged

    def add(self, seconds, games, scores):
        """Write a judgment."""
        self.judged = seconds
        line = {"processor_seconds": round(seconds, 2), "games": games, **scores}
        print(json.dumps(line), file=self.out, flush=True)


def trainer_options(description):
    """Return a parser of the options that all trainers have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", required=True, help="the positions to judge by, as `doublecross suite` draws them")
    parser.add_argument("--minutes", type=float, default=15.0, help="processor time of training (15)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True, help="the file to write a line to after each judgment")
    return parser
