"""Training runs."""

import json
import operator
from pathlib import Path

from ._native import Network, read_shard


class Run:
    """The folder of a training run, as `doublecross train` writes it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not (self.folder / "config.toml").is_file():
            raise FileNotFoundError(f"{self.folder} is not the folder of a run, which has a config.toml")

    def progress(self):
        """Return the figures of each generation, as dictionaries in ascending order.

        A line that is being written is left out. Of several lines of a generation the last counts.
        """
        path = self.folder / "progress.jsonl"
        rows = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(row, dict) and isinstance(row.get("generation"), int):
                rows[row["generation"]] = row
        return [rows[generation] for generation in sorted(rows)]

    def curve(self, field):
        """Return the generations that have a figure, and the figure in each, as two lists.

        Both are empty while no generation has the figure yet, as scores of the suite before the first
        ones. Raises `KeyError` for a name that is none of a figure's.
        """
        rows = self.progress()
        found = [row for row in rows if row.get(field) is not None]
        names = {name: None for row in rows for name in row}
        # The first scores have not come yet.
        is_early = field.startswith("suite_") and not any(name.startswith("suite_") for name in names)
        if rows and field not in names and not is_early:
            raise KeyError(f"no generation has {field!r}; expected one of {', '.join(names)}")
        return [row["generation"] for row in found], [row[field] for row in found]

    def samples(self, generation):
        """Return the training samples of a generation as arrays by their names.

        `drawn` is `[samples, edges]`, whether each edge is drawn; `margin` `[samples, 2]`, the boxes
        that the player to move got, or gets with best play where `is_exact`, less those of the
        opponent: the lowest and the highest, which differ where only bounds are proved; `policy` `[samples, edges]`, shares of the edges; `edge_margins` `[samples, edges]`,
        what each edge is worth, nan where it is not known. `board` is the board.
        """
        return read_shard(self._of(generation, "shards", ".shard"))

    def network(self, generation=None):
        """Return the network of a generation that has a checkpoint, the newest one unless told."""
        if generation is None:
            return Network(self.folder)
        return Network(self._of(generation, "checkpoints", ""))

    def _of(self, generation, folder, end):
        path = self.folder / folder / f"gen-{operator.index(generation):06}{end}"
        if not path.exists():
            raise FileNotFoundError(f"there is no {path}")
        return path

    def __repr__(self):
        return f"<Run {self.folder}>"
