"""The game of OpenSpiel, by OpenSpiel's own algorithms and checks."""

import os
import random
import unittest

import numpy as np
import pytest

import doublecross

try:
    import pyspiel
    from open_spiel.integration_tests import api_test
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import evaluate_bots, generate_playthrough, mcts, minimax
    from open_spiel.python.tests import games_sim_test

    from doublecross import openspiel
except ImportError:
    if os.environ.get("DOUBLECROSS_REQUIRE_TOOLS") == "1":
        raise
    pytest.skip("OpenSpiel is not installed", allow_module_level=True)

GAMES = ["doublecross", "doublecross(num_rows=2,num_cols=3)", "doublecross(num_rows=1,num_cols=3,utility_margin=true)"]


def load(rows, cols, utility_margin=False):
    return pyspiel.load_game("doublecross", {"num_rows": rows, "num_cols": cols, "utility_margin": utility_margin})


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 3), (2, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("utility_margin", [False, True])
def test_it_is_their_own_game(rows, cols, utility_margin):
    parameters = {"num_rows": rows, "num_cols": cols, "utility_margin": utility_margin}
    theirs, ours = pyspiel.load_game("dots_and_boxes", parameters), load(rows, cols, utility_margin)
    for what in ("num_distinct_actions", "num_players", "min_utility", "max_utility", "utility_sum"):
        assert getattr(ours, what)() == getattr(theirs, what)(), what
    # OpenSpiel's own max_game_length counts edges that a board which is no square lacks.
    assert ours.max_game_length() == ours.num_distinct_actions()
    for seed in range(20):
        choose = random.Random(seed)
        a, b = ours.new_initial_state(), theirs.new_initial_state()
        while not b.is_terminal():
            assert a.current_player() == b.current_player() and a.get_type() == b.get_type()
            assert a.legal_actions() == b.legal_actions() and a.legal_actions_mask() == b.legal_actions_mask()
            assert a.returns() == a.rewards() == b.returns() == [0.0, 0.0]
            action = choose.choice(b.legal_actions())
            assert a.child(action).history() == a.history() + [action]
            a.apply_action(action)
            b.apply_action(action)
        assert a.is_terminal() and a.current_player() == pyspiel.PlayerId.TERMINAL and a.legal_actions() == []
        assert a.returns() == a.rewards() == b.returns() and a.history() == b.history()


@pytest.mark.parametrize("name", GAMES)
def test_their_simulations_pass(name):
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
    games_sim_test.GamesSimTest().sim_game(game)


def test_their_checks_of_the_interface_pass():
    class PartialTree(api_test.EnforceAPIOnPartialTreeBase):
        game_name, game = "doublecross", load(2, 2)

    class FullTree(api_test.EnforceAPIOnFullTreeBase):
        game_name, game = "doublecross", load(1, 2)

        # These need a tensor of all moves, which the game has not, or a count of their own.
        test_current_player_infosets_no_overlap_between_players = None
        test_game_is_perfect_recall = None
        test_number_of_nodes = None

    loader = unittest.defaultTestLoader
    checks = unittest.TestSuite(loader.loadTestsFromTestCase(checks) for checks in (PartialTree, FullTree))
    result = unittest.TestResult()
    checks.run(result)
    assert result.testsRun == 10 and result.errors == result.failures == result.skipped == []


def test_playthroughs_repeat():
    played = [generate_playthrough.playthrough("doublecross(num_rows=1,num_cols=2)", [0, 2, 4, 5, 1, 3, 6]) for _ in "ab"]
    assert played[0] == played[1] and "ObservationTensor(0)" in played[0] and "Returns() = [-1, 1]" in played[0]


@pytest.mark.parametrize("rows, cols", [(1, 2), (1, 3), (2, 2)])
def test_alpha_beta_search_agrees_with_the_solver(rows, cols):
    game = load(rows, cols, utility_margin=True)
    state = game.new_initial_state()
    for action in range(max(0, state.num_distinct_actions() - 8)):
        state.apply_action(action)
    position, mover = state.position, state.current_player()
    solution = doublecross.Solver(f"{rows}x{cols}").solve(position)
    value, action = minimax.alpha_beta_search(game, state=state)
    assert value == position.scores[mover] - position.scores[1 - mover] + solution.margin and action in solution.best


def test_their_environment_plays_a_game():
    environment = rl_environment.Environment("doublecross", num_rows=2, num_cols=3, include_full_state=True)
    assert environment.observation_spec()["info_state"] == (3 * 5 * 7,) and environment.action_spec()["num_actions"] == 17
    choose, step, turns = random.Random(3), environment.reset(), 0
    while not step.last():
        player = step.current_player()
        assert np.reshape(step.observations["info_state"][player], (3, 5, 7))[0].sum() == turns
        step, turns = environment.step([choose.choice(step.observations["legal_actions"][player])]), turns + 1
    assert turns == 17 and sorted(step.rewards) == [-1.0, 1.0] and step.observations["serialized_state"]


def test_a_network_guides_their_tree_search():
    game, random_state = load(3, 3), np.random.RandomState(1)
    evaluator = openspiel.NetworkEvaluator()
    ours = mcts.MCTSBot(
        game, 1.0, 30, evaluator, random_state=random_state, child_selection_fn=mcts.SearchNode.puct_value, solve=False
    )
    theirs = mcts.MCTSBot(game, 1.0, 30, mcts.RandomRolloutEvaluator(1, random_state), random_state=random_state)
    won = sum(evaluate_bots.evaluate_bots(game.new_initial_state(), [ours, theirs], random_state)[0] for _ in range(6))
    assert won >= 4


def test_an_evaluator_says_what_it_takes():
    with pytest.raises(TypeError, match="network = 'nope'; expected a doublecross.Network"):
        openspiel.NetworkEvaluator("nope")
    evaluator, theirs = openspiel.NetworkEvaluator(doublecross.Network()), pyspiel.load_game("dots_and_boxes")
    for call in (evaluator.evaluate, evaluator.prior):
        with pytest.raises(TypeError, match=r"of dots_and_boxes; .*load_game\(\"doublecross\("):
            call(theirs.new_initial_state())


@pytest.mark.parametrize("utility_margin", [False, True])
def test_an_evaluator_judges_for_both_players(utility_margin):
    game, evaluator = load(2, 3, utility_margin), openspiel.NetworkEvaluator()
    for seed in range(10):
        choose, state = random.Random(seed), game.new_initial_state()
        while not state.is_terminal():
            values, prior = evaluator.evaluate(state), evaluator.prior(state)
            assert values.sum() == 0 and game.min_utility() - 1e-4 <= values[0] <= game.max_utility() + 1e-4
            assert [action for action, _ in prior] == state.legal_actions()
            assert abs(sum(share for _, share in prior) - 1) < 1e-4
            last = values
            state.apply_action(choose.choice(state.legal_actions()))
        assert list(evaluator.evaluate(state)) == state.returns()
        # The last edge takes a box or two.
        assert np.allclose(last, state.returns(), atol=1e-4)
