"""Training."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ._native import train as _train
from ._run import GenerationFigures, Run


def train(
    config: str | PathLike[str],
    folder: str | PathLike[str],
    *,
    settings: Mapping[str, Any] | None = None,
    start: str | PathLike[str] | None = None,
    progress: Callable[[GenerationFigures], object] | None = None,
) -> Run:
    """Train a network by self-play, and return the `Run` in `folder`.

    `config` is a config file, the name of a built-in one, any board, as in "6x6", or the folder of a run
    to go on with. Built in are "3x3", "4x4", "5x5", "any" for several boards, "smoke", which
    takes seconds, and "3x3-alone", which learns without the solver. `settings` overrides keys of it: `{"generations": 10, "learn.batch": 64}`.
    `start` is a checkpoint to begin from. `progress` is called after each generation with its
    figures, a dictionary as in `Run.progress`, on a thread of its own, while the caller waits.

    A run takes from seconds to hours, on all cores unless `settings` has `threads`. Ctrl-C ends it,
    at the latest after the generation at work, and the same call goes on with it. The keys of a
    config are those of the program `doublecross`. The match that ends a run of the program is not
    played.

    Raises `ValueError` for a config or a folder that cannot be used, `FileNotFoundError` for one that
    is missing, another `OSError` for a file that cannot be read or written, `MemoryError` if there is
    too little memory, `RuntimeError` if learning diverges, and what `progress` raises, which ends the
    run.
    """
    report = None if progress is None else lambda row: progress(json.loads(row))
    if isinstance(settings, (str, list, tuple)):
        raise TypeError(f'settings are {settings!r}; expected a dictionary, as in {{"generations": 10}}')
    texts = [f"{key}={_text(value)}" for key, value in (settings or {}).items()]
    if Path(config).is_dir():
        config = Path(config) / "config.toml"
    _train(config, folder, texts, start, report)
    return Run(folder)


def _text(value: Any) -> str:
    """Return a value as a config has it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)):
        return json.dumps(list(value))
    if hasattr(value, "item"):  # a number of numpy
        value = value.item()
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"{value!r} is no value of a config; expected a text, a number, True or False, "
                        "or a list; a key of a table is written as \"learn.batch\"")
    return json.dumps(value)
