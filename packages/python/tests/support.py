"""What several tests use."""

import random
from pathlib import Path

import doublecross

REPOSITORY = Path(__file__).parents[3]
SMOKE = REPOSITORY / "configs/smoke.toml"


def random_position(board, drawn, seed):
    choose = random.Random(seed)
    position = doublecross.Position(board)
    for _ in range(drawn):
        position = position.after(choose.choice(position.undrawn()))
    return position
