"""Data sets: samples to learn from, in shards."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._arrays import booleans
from ._native import Position, add_shard, open_data_set, read_shard
from ._run import Samples

ARRAYS: dict[str, DTypeLike] = {
    "drawn": bool, "margin": np.int8, "is_exact": bool, "policy": "<f4", "edge_margins": "<f4",
}


class DataSet:
    """A folder of samples, as `doublecross label` makes it and `doublecross learn` learns from it.

    Opens the data set in a folder. With a board, as in "5x5", begins one where there is none, for samples that
    are made elsewhere. Its length is the number of shards, and its items are those of a run's `samples`.

    Raises `FileNotFoundError` if the folder has no data set and no board is given, and `ValueError` if it has one of
    another board or other files, or if another process begins one there.
    """

    def __init__(self, folder: str | PathLike[str], board: str | None = None) -> None:
        self.folder = Path(folder)
        self.board, _, _ = open_data_set(self.folder, board)

    def __len__(self) -> int:
        _, shards, _ = open_data_set(self.folder, None)
        return shards

    def __getitem__(self, shard: int) -> Samples:
        count = len(self)
        if not -count <= shard < count:
            raise IndexError(f"shard {shard} of {count}")
        return cast(Samples, read_shard(self.folder / f"labels-{shard % count + 1:06}.shard"))

    def add(
        self,
        *,
        drawn: ArrayLike,
        margin: ArrayLike,
        is_exact: ArrayLike,
        policy: ArrayLike,
        edge_margins: ArrayLike | None = None,
    ) -> None:
        """Add a shard of samples, given as arrays of the shapes that `Run.samples` has.

        `margin` may be `[samples]`, and `edge_margins` may be left out. Shares of the policy are scaled to a sum
        of 1. Raises `ValueError` for a sample that no game has, and names the rule that it breaks: no box is on
        offer; shares of the policy are numbers from 0 on, 0 for drawn edges, and not all 0; margins are whole, of the
        parity of the open boxes and no more than these, the lowest one first; both are the same where `is_exact`.

        Raises `ValueError` also if the folder holds labels of `doublecross label`, or if another process is adding to
        it at this moment; try again then.
        """
        edges = Position(self.board).edges
        drawn = booleans("drawn", drawn)
        if drawn.ndim != 2 or drawn.shape[1] != edges:
            raise ValueError(f"drawn has the shape {drawn.shape}; expected (samples, {edges}) on {self.board}")
        margin = np.asarray(margin)
        if margin.ndim == 1:
            margin = np.stack([margin, margin], axis=1)
        if edge_margins is None:
            edge_margins = np.full(drawn.shape, np.nan)
        shapes: dict[str, tuple[int, ...]] = {
            "margin": (len(drawn), 2), "is_exact": (len(drawn),), "policy": drawn.shape, "edge_margins": drawn.shape,
        }
        given = {
            "margin": margin, "is_exact": booleans("is_exact", is_exact), "policy": policy, "edge_margins": edge_margins,
        }
        for name, shape in shapes.items():
            if np.shape(given[name]) != shape:
                raise ValueError(f"{name} has the shape {np.shape(given[name])}; expected {shape}")
        if margin.dtype.kind not in "iuf":
            raise ValueError(f"margin has the type {margin.dtype}; expected whole numbers")
        wrong = np.argwhere(margin != np.clip(np.trunc(margin), -128, 127))
        if len(wrong):
            sample, column = wrong[0]
            raise ValueError(f"sample {sample}: margin {margin[sample, column]} is not of whole boxes from -128 to 127")
        arrays = {name: np.ascontiguousarray(values, ARRAYS[name]) for name, values in given.items()}
        arrays["drawn"] = drawn
        add_shard(self.folder, self.board, *(arrays[name].tobytes() for name in ARRAYS))

    def __repr__(self) -> str:
        return f"<DataSet {self.folder}, {self.board}>"
