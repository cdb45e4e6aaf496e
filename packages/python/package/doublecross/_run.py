"""Training runs."""

from __future__ import annotations

import io
import json
import operator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from ._extras import extra
from ._native import Network, read_shard

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class _Figures(TypedDict):
    """The figures that every generation has."""

    generation: int
    steps: int
    games: int
    samples: int
    played_samples: int
    positions: int
    evaluations: int
    seconds: float
    processor_seconds: float
    policy_loss: float
    margin_loss: float
    policy_entropy: float
    margin_error: float | None
    window_samples: int
    window_played: int
    learning_rate: float
    gradient_norm: float


class GenerationFigures(_Figures, total=False):
    """The figures of one generation. Counters cover the whole run so far."""

    board: str
    edge_loss: float
    suite_policy_optimal: float
    suite_search_optimal: float
    suite_margin_error: float
    suite_sign_agreement: float
    suite_boards: dict[str, float]
    games_per_second: float
    positions_per_second: float
    evaluations_per_second: float
    cache_hits: float
    share_network: float
    share_solver: float
    share_leaves: float
    share_search: float
    share_labeling: float
    share_learning: float


class Samples(TypedDict):
    """Training samples as arrays."""

    board: str
    #: `[samples, edges]`, whether each edge is drawn.
    drawn: NDArray[np.bool_]
    #: `[samples, 2]`, the boxes that the player to move got, or gets with best play where `is_exact`, less those of
    #: the opponent: the lowest and the highest, which differ where only bounds are proved.
    margin: NDArray[np.int8]
    is_exact: NDArray[np.bool_]
    #: `[samples, edges]`, the share of each edge.
    policy: NDArray[np.float32]
    #: `[samples, edges]`, the margin of each edge, nan where it is not known.
    edge_margins: NDArray[np.float32]


class Run:
    """The folder of a training run, as `doublecross train` writes it."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / "config.toml").is_file():
            raise FileNotFoundError(f"{self.folder} is not the folder of a run, which has a config.toml")

    def progress(self) -> list[GenerationFigures]:
        """Return the figures of each generation, as dictionaries in ascending order.

        A line that is being written is left out. Of several lines of a generation the last counts.
        """
        path = self.folder / "progress.jsonl"
        rows: dict[int, GenerationFigures] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(row, dict) and isinstance(row.get("generation"), int):
                rows[row["generation"]] = cast(GenerationFigures, row)
        return [rows[generation] for generation in sorted(rows)]

    def frame(self) -> pandas.DataFrame:
        """Return the figures of all generations as a data frame of pandas, which the extra `notebook` installs.

        Its index is `generation`. What a generation lacks is nan.
        """
        with extra("notebook", "Run.frame"):
            import pandas

        rows = self.progress()
        return pandas.DataFrame(rows, columns=None if rows else ["generation"]).set_index("generation")

    def curve(self, field: str) -> tuple[list[int], list[float]]:
        """Return the generations that have a figure, and the figure in each, as two lists.

        Both are empty while no generation has the figure yet, as scores of the suite before the first
        ones. Raises `KeyError` for a name that is none of a figure's.
        """
        rows = cast("list[dict[str, Any]]", self.progress())
        found = [row for row in rows if row.get(field) is not None]
        names = {name: None for row in rows for name in row}
        # The first scores have not come yet.
        is_early = field.startswith("suite_") and not any(name.startswith("suite_") for name in names)
        if rows and field not in names and not is_early:
            raise KeyError(f"no generation has {field!r}; expected one of {', '.join(names)}")
        return [row["generation"] for row in found], [row[field] for row in found]

    def plot(self, *fields: str, ax: Axes | None = None) -> Axes:
        """Draw curves with matplotlib, which the extra `notebook` installs, and return their axes.

        Without names, the curves are those of the suite: the shares of positions in which the network's
        first choice and its search find a best edge, or the losses while there are none.
        """
        if ax is None:
            with extra("notebook", "Run.plot"):
                from matplotlib import pyplot

            ax = pyplot.subplots(figsize=(6, 3.5))[1]
        if not fields:
            has_scores = bool(self.curve("suite_search_optimal")[0])
            fields = ("suite_policy_optimal", "suite_search_optimal") if has_scores else ("policy_loss", "margin_loss")
        for field in fields:
            ax.plot(*self.curve(field), marker=".", label=field)
        ax.set_xlabel("generation")
        ax.legend()
        return ax

    def _repr_svg_(self) -> str | None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return None
        # A figure of pyplot would be shown a second time.
        figure, text = Figure(figsize=(6, 3.5)), io.StringIO()
        self.plot(ax=figure.subplots())
        figure.savefig(text, format="svg", bbox_inches="tight")
        return text.getvalue()

    def samples(self, generation: SupportsIndex) -> Samples:
        """Return the training samples of a generation as arrays by their names."""
        return cast(Samples, read_shard(self._of(generation, "shards", ".shard")))

    def network(self, generation: SupportsIndex | None = None) -> Network:
        """Return the network of a generation that has a checkpoint, the newest one unless told."""
        if generation is None:
            return Network(self.folder)
        return Network(self._of(generation, "checkpoints", ""))

    def _of(self, generation: SupportsIndex, folder: str, end: str) -> Path:
        path = self.folder / folder / f"gen-{operator.index(generation):06}{end}"
        if not path.exists():
            raise FileNotFoundError(f"there is no {path}")
        return path

    def __repr__(self) -> str:
        return f"<Run {self.folder}>"
