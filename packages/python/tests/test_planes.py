"""What networks see."""

import numpy as np
import pytest

from doublecross import Position, input_planes


def random_states(board, count, seed=1):
    """The drawn edges of positions of random games without a box on offer."""
    generator = np.random.default_rng(seed)
    drawn = []
    while len(drawn) < count:
        position = Position(board)
        for _ in range(generator.integers(position.edges)):
            position = position.after(int(generator.choice(position.undrawn())))
        if position.is_capture_free:
            drawn.append([edge in position.drawn() for edge in range(position.edges)])
    return np.array(drawn)


def test_planes_are_those_of_the_documents():
    rows, cols = 2, 3
    drawn = random_states("2x3", 100)
    planes = input_planes("2x3", drawn)
    assert planes.shape == (100, 20, rows + 1, cols + 1) and planes.dtype == np.float32
    horizontal = drawn[:, : (rows + 1) * cols].reshape(-1, rows + 1, cols)
    vertical = drawn[:, (rows + 1) * cols :].reshape(-1, rows, cols + 1)
    np.testing.assert_array_equal(planes[:, 0, :, :-1], ~horizontal)
    np.testing.assert_array_equal(planes[:, 1, :-1, :], ~vertical)
    np.testing.assert_array_equal(planes[:, 2, :, :-1], horizontal)
    np.testing.assert_array_equal(planes[:, 3, :-1, :], vertical)
    sides = 4 - (horizontal[:, :-1].astype(int) + horizontal[:, 1:] + vertical[:, :, :-1] + vertical[:, :, 1:])
    for plane, undrawn in [(7, 0), (8, 2), (9, 3), (10, 4)]:
        np.testing.assert_array_equal(planes[:, plane, :-1, :-1], sides == undrawn)
    odd = (sides > 0).sum((1, 2)) % 2
    np.testing.assert_array_equal(planes[:, 14], np.broadcast_to(odd[:, None, None], planes[:, 14].shape))
    np.testing.assert_allclose(planes[:, 15, 0, 0], (~drawn).mean(1), rtol=1e-6)


def test_impossible_states_are_refused():
    with pytest.raises(ValueError, match="box on offer"):
        input_planes("1x1", [[True, True, True, False]])
    with pytest.raises(ValueError, match=r"expected \(states, 4\)"):
        input_planes("1x1", [True, True, False, False])


def test_drawn_edges_are_truth_values():
    for drawn in [[[1, 0, 0, 1]], [[1.0, 0.0, 0.0, 1.0]], np.array([[1, 0, 0, 1]], np.uint8)]:
        np.testing.assert_array_equal(input_planes("1x1", drawn), input_planes("1x1", [[True, False, False, True]]))
    for wrong in [0.5, 2, -1, np.nan, "yes", None]:
        with pytest.raises(ValueError, match="drawn has .*; expected True or False, or 1 or 0"):
            input_planes("1x1", np.array([[wrong, 0, 0, 0]]))
