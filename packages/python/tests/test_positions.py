"""Positions, and what is wrong."""

import copy
import doctest
import math
import pickle

import numpy as np
import pytest

import doublecross
from support import random_position


def test_positions_are_played_and_read():
    position = doublecross.Position("1x2 H0,0 H1,0 V0,0")
    assert (position.board, position.rows, position.cols, position.edges, position.boxes) == ("1x2", 1, 2, 7, 2)
    edge = position.index("V0,1")
    assert edge == 5 and position.name(edge) == "V0,1"
    assert position.captures(edge) == 1 and position.mover == 1
    after = position.after(edge)
    assert (after.scores, after.mover, after.owner(0), after.owner(1)) == ((0, 1), 1, 1, None)
    assert position.scores == (0, 0), "positions do not change"
    assert after == position.after(np.int64(edge)) and hash(after) == hash(position.after(edge))
    assert position.drawn() == [0, 2, 4] and position.undrawn() == [1, 3, 5, 6]
    assert "1x2" in repr(position) and "+" in position.draw()
    assert doublecross.Position("1x2 H0,0 H1,0").safe() == [1, 3, 6]
    loop = doublecross.Position("2x2 H0,0 H0,1 H2,0 H2,1 V0,0 V1,0 V0,2 V1,2")
    assert loop.chains() == [([0, 1, 2, 3], True)] and loop.safe() == []


def test_planes_show_a_position_to_each_player():
    position = doublecross.Position("1x2 H0,0 H1,0 V0,0 V0,1")
    for player in (0, 1):
        drawn, own, other = position.planes(player)
        assert drawn.tolist() == [[0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0]]
        taken = [[0] * 5, [0, 1, 0, 0, 0], [0] * 5]
        nothing = [[0] * 5] * 3
        assert (own.tolist(), other.tolist()) == ((taken, nothing) if player == 1 else (nothing, taken))
    assert position.planes(0).dtype == np.float32
    with pytest.raises(ValueError, match="player 2"):
        position.planes(2)


def test_positions_are_copied_and_pickled():
    for seed in range(20):
        position = random_position("2x3", seed % 18, seed)
        for copied in [copy.copy(position), copy.deepcopy(position), pickle.loads(pickle.dumps(position))]:
            assert copied == position and hash(copied) == hash(position)
            assert (copied.scores, copied.mover) == (position.scores, position.mover)
    for text, owners, mover in [("1x1", [0], 0), ("1x1:0xf", [2], 0), ("1x1:0xf", [0], 2), ("1x1:0xf", [], 0)]:
        with pytest.raises(ValueError):
            doublecross.Position.with_owners(text, owners, mover)


@pytest.mark.parametrize("text", ["", "5", "0x3", "10x10", "2x2 H9,9", "2x2 H0,0 H0,0", "2x2:0xfffff", "2x2:zz", "💥"])
def test_what_is_no_position_is_a_value_error(text):
    with pytest.raises(ValueError):
        doublecross.Position(text)


def test_mistakes_are_exceptions():
    position, network = doublecross.Position("2x2 H0,0"), doublecross.Network()
    for call in [
        lambda: position.after(0), lambda: position.after(99), lambda: position.captures(0), lambda: position.after(-1),
        lambda: position.after(True), lambda: position.after(10**30), lambda: position.name(False),
        lambda: position.owner(4), lambda: position.owner(-1), lambda: position.owner(10**30), lambda: position.planes(-1),
        lambda: doublecross.Position.with_owners("1x1:0xf", [-1]), lambda: doublecross.Position.with_owners("1x1:0xf", [0], -1),
        lambda: position.name(12), lambda: position.index("X1,1"),
        lambda: doublecross.search(position, network, nodes=10**12),
        lambda: doublecross.search(position, network, simulations=True),
        lambda: doublecross.Position("1x1 H0,0 H1,0 V0,0").chains(),
        lambda: doublecross.Solver("2x2").solve(doublecross.Position("2x3")),
        lambda: doublecross.Solver("2x2", memory=0), lambda: doublecross.Solver("2x2", threads=0),
        lambda: doublecross.Solver("2x2").solve(position, seconds=-1.0),
        lambda: doublecross.Solver("2x2").solve(position, seconds=math.nan),
        lambda: doublecross.Bot("nobody"), lambda: doublecross.Bot("exec:true"),
        lambda: doublecross.Bot("greedy").choose(random_position("1x1", 4, 0)),
        lambda: doublecross.match("greedy", "first", board="99x99"),
        lambda: doublecross.match("greedy", "first", games=0), lambda: doublecross.match("greedy", "first", games=True),
        lambda: network.evaluate([]), lambda: network.evaluate([position], offers="no"),
        lambda: network.evaluate([position, doublecross.Position("3x3")]),
        lambda: network.evaluate([random_position("1x1", 4, 0)]),
        lambda: doublecross.search(random_position("1x1", 4, 0), network),
    ]:
        with pytest.raises(ValueError) as error:
            call()
        assert str(error.value)
    with pytest.raises(ValueError, match="box -1: 2x2 has boxes 0 to 3"):
        position.owner(-1)
    for seconds in ["-1", "nan"]:
        with pytest.raises(ValueError, match=f"(?i)seconds = {seconds} is out of range; expected a number from 0 on"):
            doublecross.Solver("2x2").solve(position, seconds=float(seconds))
    for endless in [math.inf, 1e300]:
        assert doublecross.Solver("2x2").solve(position, seconds=endless).margin is not None
    for wrong in [position, "2x2", None]:
        with pytest.raises(TypeError, match=r"evaluate takes a list of positions, not .* \(pass \[position\]\)"):
            network.evaluate(wrong)
    for wrong in [None, 1.5, b"H0,0", []]:
        with pytest.raises(TypeError):
            position.after(wrong)
    with pytest.raises(TypeError, match="`index` returns the number of a name"):
        position.after("H0,1")
    with pytest.raises(MemoryError):
        doublecross.Solver("5x5", memory=1 << 20)


def test_what_was_meant_is_named():
    position = doublecross.Position("3x3")
    for call, meant in [
        (lambda: doublecross.Position("3X3"), '"3X3": did you mean "3x3"?'),
        (lambda: doublecross.Position("3x3 h0,0 V1,2"), '"3x3 h0,0 V1,2": did you mean "3x3 H0,0 V1,2"?'),
        (lambda: doublecross.Position("3X3:0x1f"), '"3X3:0x1f": did you mean "3x3:0x1f"?'),
        (lambda: doublecross.Game("3x3 v0,0"), '"3x3 v0,0": did you mean "3x3 V0,0"?'),
        (lambda: doublecross.Solver("3X3"), '"3X3": did you mean "3x3"?'),
        (lambda: position.index("h0,0"), '"h0,0": did you mean "H0,0"?'),
    ]:
        with pytest.raises(ValueError) as error:
            call()
        assert str(error.value) == meant
    with pytest.raises(ValueError, match="unknown board 3X30"):
        doublecross.Position("3X30")
    assert str(position) == "3x3:0x0" and "`str(position)` is the state alone" in doublecross.Position.__doc__


def test_negative_counts_are_value_errors():
    position, solver, network = doublecross.Position("2x2"), doublecross.Solver("2x2"), doublecross.Network()
    calls = [
        lambda: solver.solve(position, nodes=-1),
        lambda: solver.edge_values(position, nodes=-1),
        lambda: solver.controls(position, nodes=-1),
        lambda: doublecross.search(position, network, simulations=-1),
        lambda: doublecross.search(position, network, nodes=-1),
        lambda: doublecross.match("greedy", "chains", games=-1),
        lambda: doublecross.match("greedy", "chains", seed=-1),
        lambda: doublecross.match("greedy", "chains", opening=-1),
        lambda: doublecross.Solver("2x2", memory=-1),
        lambda: doublecross.Bot("greedy").choose(position, -1),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="-1 is negative; expected a whole number from 0 on"):
            call()
    with pytest.raises(ValueError, match="too large"):
        solver.solve(position, nodes=1 << 70)
    with pytest.raises(ValueError, match="opening of 25 edges"):
        doublecross.match("greedy", "chains", board="3x3", opening=25)


def test_docstrings_are_true():
    assert doctest.testmod(doublecross).failed == 0
