"""The solver against the rules alone."""

import random

import pytest

import doublecross
from support import random_position


def best_margin(position, known):
    """The margin for the player to move by the rules alone."""
    if position.is_over:
        return 0
    key = str(position)
    if key not in known:
        values = []
        for edge in position.undrawn():
            taken = position.captures(edge)
            after = best_margin(position.after(edge), known)
            values.append(taken + after if taken else -after)
        known[key] = max(values)
    return known[key]


@pytest.mark.parametrize("board", ["1x3", "2x2", "2x3"])
def test_the_solver_agrees_with_the_rules_alone(board):
    known, solver = {}, doublecross.Solver(board, memory=1)
    edges = doublecross.Position(board).edges
    for seed in range(40):
        position = random_position(board, seed % (edges - 5) + 5, seed)
        solution = solver.solve(position)
        assert solution.margin == solution.lower == solution.upper == best_margin(position, known)
        values = solver.edge_values(position)
        assert set(values) == set(position.undrawn())
        for edge, (lower, upper) in values.items():
            taken, after = position.captures(edge), best_margin(position.after(edge), known)
            assert lower == upper == (taken + after if taken else -after)
        best = [edge for edge, (lower, _) in values.items() if lower == solution.margin]
        assert sorted(solution.best) == sorted(best)


def test_best_edges_are_proved_however_soon_the_margin_is():
    solver, shuffled, drawn_out = doublecross.Solver("4x4"), random.Random(5), 0
    for _ in range(150):
        position = doublecross.Position("4x4")
        while len(position.undrawn()) > 27 and position.safe():
            position = position.after(shuffled.choice(position.safe()))
        solution = doublecross.Solver("4x4", memory=1).solve(position)
        drawn_out += solution.nodes > 2000
        values = solver.edge_values(position)
        assert solution.best == [edge for edge in position.undrawn() if values[edge] == (solution.margin,) * 2]
    assert drawn_out > 10


def test_limits_leave_bounds():
    solution = doublecross.Solver("5x5").solve(doublecross.Position("5x5"), nodes=1000)
    assert solution.margin is None and solution.best == [] and solution.lower < solution.upper
    assert doublecross.Solver("3x3").controls(doublecross.Position("3x3")) is not None
