"""Training."""

import json

from ._native import train as _train
from ._run import Run


def train(config, folder, *, settings=None, start=None, progress=None):
    """Train a network by self-play, and return the `Run` in `folder`.

    `config` is a config file or the name of a built-in one: "3x3", "4x4", "5x5" or "any". `settings`
    overrides keys of it: `{"generations": 10, "learn.batch": 64}`. `start` is a checkpoint to begin
    from. `progress` is called after each generation with its figures, a dictionary as in
    `Run.progress`.

    A run takes from seconds to hours, on all cores unless `settings` has `threads`. Ctrl-C ends it,
    at the latest after the generation at work, and the same call goes on with it. The keys of a
    config are those of the program `doublecross`. The match that ends a run of the program is not
    played.

    Raises `ValueError` for a config or a folder that cannot be used, `OSError` for a file that cannot
    be written, `RuntimeError` if learning diverges, and whatever `progress` raises, which ends the
    run.
    """
    report = None if progress is None else lambda row: progress(json.loads(row))
    texts = [f"{key}={_text(value)}" for key, value in (settings or {}).items()]
    _train(config, folder, texts, start, report)
    return Run(folder)


def _text(value):
    """Return a value as a config has it."""
    return json.dumps(value) if isinstance(value, (bool, int, float, list)) else str(value)
