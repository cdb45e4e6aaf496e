"""Networks, search and suites."""

import numpy as np
import pytest

import doublecross
from support import REPOSITORY, random_position


def test_networks_judge_positions_in_batches():
    network = doublecross.Network()
    assert network.board is None and network.is_trained_on("5x5") and not network.is_trained_on("8x8")
    positions = [random_position("5x5", 12, seed) for seed in range(20)]
    positions = [position for position in positions if position.is_capture_free]
    policy, margins = network.evaluate(positions)
    assert policy.shape == (len(positions), 60) and margins.shape == (len(positions), 51)
    assert policy.dtype == margins.dtype == np.float32
    assert np.allclose(policy.sum(1), 1, atol=1e-4) and np.allclose(margins.sum(1), 1, atol=1e-4)
    for position, row in zip(positions, policy):
        assert (row[position.drawn()] == 0).all() and (row[position.undrawn()] > 0).all()
    policy[0] = 0.0  # The arrays are the caller's own.
    for board in ["2x5", "9x9"]:
        assert network.evaluate([doublecross.Position(board)])[0].shape[1] == doublecross.Position(board).edges
    small = doublecross.Network(REPOSITORY / "checkpoints/3x3")
    assert small.board == "3x3"
    with pytest.raises(ValueError, match="plays 3x3"):
        small.evaluate(positions)


def test_search_finds_what_the_solver_proves():
    network, solver = doublecross.Network(), doublecross.Solver("3x3")
    for seed in range(5):
        position = random_position("3x3", 8, seed)
        result = doublecross.search(position, network, simulations=100, nodes=10_000)
        assert result.edge in solver.solve(position).best
        assert result.proved is None or result.edge in result.proved
    offer = doublecross.Position("3x3 H0,0 V0,0 H1,0")
    result = doublecross.search(offer, network, simulations=50, nodes=0)
    assert result.edge == offer.index("V0,1") and (not result.policy or result.edge in result.policy)
    result = doublecross.search(doublecross.Position("5x5"), network, simulations=50, nodes=0)
    assert result.simulations > 0 and result.edge in result.policy and abs(sum(result.policy.values()) - 1) < 1e-3


def test_suites_score_networks():
    suite = doublecross.Suite(REPOSITORY / "tests/data/suites/3x3.tsv")
    position, margin, best = suite[0]
    assert suite.board == "3x3" and len(suite) > 100 and doublecross.Solver("3x3").solve(position).margin == margin
    assert set(best) <= set(position.undrawn())
    bands = suite.score(doublecross.Network(), simulations=20)
    assert bands[-1]["positions"] == len(suite) and bands[-1]["search_optimal"]["share"] > 0.9
    assert suite[-1] == suite[len(suite) - 1] and len(list(suite)) == len(suite)
    for index in [len(suite), -len(suite) - 1]:
        with pytest.raises(IndexError):
            suite[index]


def test_offers_are_judged_as_a_search_resolves_them():
    network, offers, kept = doublecross.Network(), 0, 0
    for seed in range(200):
        position = random_position("3x3", 8 + seed % 15, seed)
        if position.is_over or position.is_capture_free:
            continue
        rest, taken = position, 0
        while capturing := [edge for edge in rest.undrawn() if rest.captures(edge)]:
            taken += rest.captures(capturing[0])
            rest = rest.after(capturing[0])
        (policy,), (margins,) = network.evaluate([position])
        result = doublecross.search(position, network, simulations=0, nodes=0)
        assert policy.sum() == policy[result.edge] == 1
        expected = margins @ np.arange(-9, 10)
        after = 0.0 if rest.is_over else network.evaluate([rest])[1][0] @ np.arange(-9, 10)
        worths = {"all": taken + after, "control": taken - 4 - after, "control of loops": taken - 8 - after}
        choice = min(worths, key=lambda name: abs(worths[name] - expected))
        assert abs(worths[choice] - expected) < 1e-4 and expected > worths["all"] - 1e-4
        offers, kept = offers + 1, kept + (choice != "all")
    assert offers > 100 and kept > 3


def test_offers_may_be_nan():
    network = doublecross.Network()
    positions = [doublecross.Position("2x2"), doublecross.Position("2x2 H0,0 H1,0 V0,0"), doublecross.Position("2x2 H0,0")]
    for resolved, bare in zip(network.evaluate(positions), network.evaluate(positions, offers="nan")):
        assert np.isnan(bare[1]).all() and (resolved[[0, 2]] == bare[[0, 2]]).all() and np.isfinite(resolved).all()
