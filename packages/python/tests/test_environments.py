"""The environments of PettingZoo and Gymnasium, by their own checks."""

import os
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

import doublecross

try:
    import gymnasium
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, render_test, seed_test

    from doublecross import environment
except ImportError:
    if os.environ.get("DOUBLECROSS_REQUIRE_TOOLS") == "1":
        raise
    pytest.skip("PettingZoo is not installed", allow_module_level=True)


@pytest.mark.filterwarnings("ignore:Observation")
def test_pettingzoo_accepts_the_environment():
    for board in ["1x1", "2x3", "5x5"]:
        api_test(environment.env(board=board), num_cycles=300)
    seed_test(environment.env)
    for wrong in [{"render_mode": "foo"}, {"board": "3x3 H0,0"}, {"board": "no"}]:
        with pytest.raises(ValueError):
            environment.env(**wrong)
    render_test(environment.env)


def test_the_environment_rewards_the_winner():
    for seed in range(10):
        env = environment.raw_env(board="2x2")
        env.reset()
        choose, totals = random.Random(seed), {agent: 0 for agent in env.possible_agents}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            assert (observation["observation"] == env.position.planes(int(agent[-1]))).all()
            mask = np.flatnonzero(observation["action_mask"])
            env.step(None if terminated or truncated else int(choose.choice(list(mask))))
        first, second = env.position.scores
        sign = (first > second) - (first < second)
        assert totals == {"player_0": sign, "player_1": -sign}


def test_environments_are_drawn_as_pixels():
    env = environment.env(board="2x3", render_mode="rgb_array")
    env.reset()
    empty = env.render()
    assert empty.shape == (109, 149, 3) and empty.dtype == np.uint8
    env.step(0)
    assert (env.render() != empty).any() and (env.render() == doublecross._drawing.image(env.unwrapped.position)).all()


@pytest.mark.parametrize("render_mode", ["ansi", "rgb_array", None])
def test_gymnasium_accepts_the_environment(render_mode):
    env = gymnasium.make("doublecross/3x3-v0", opponent="level:3", render_mode=render_mode)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=render_mode is None)


def play(env, seed):
    """Return the moves of a game of a random player, its reward and its seat."""
    choose, (_, info) = random.Random(seed), env.reset(seed=seed)
    while True:
        action = choose.choice(list(np.flatnonzero(info["action_mask"])))
        assert (env.unwrapped.action_masks() == info["action_mask"]).all()
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated:
            position = env.unwrapped.position
            assert (observation == position.planes(info["seat"])).all() and not truncated
            return position, reward, info["seat"]
        assert reward == 0


def test_games_against_a_bot_are_rewarded_and_repeat_by_their_seed():
    env = gymnasium.make("doublecross/2x2-v0", opponent="level:3")
    games = [play(env, seed) for seed in range(20)]
    assert games == [play(env, seed) for seed in range(20)]
    assert {seat for _, _, seat in games} == {0, 1}
    for position, reward, seat in games:
        margin = position.scores[seat] - position.scores[1 - seat]
        assert position.is_over and reward == (margin > 0) - (margin < 0)
    assert sum(reward for _, reward, _ in games) < 0
    for seat in (0, 1):
        env = gymnasium.make("doublecross/5x5-v0", board="2x3", opponent="greedy", seat=seat)
        assert play(env, 1)[2] == seat and env.unwrapped.position.board == "2x3"


def test_an_illegal_action_ends_the_game_with_a_loss():
    env = gymnasium.make("doublecross/3x3-v0", opponent="first", seat=0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.unwrapped.step(5)
    env.reset()
    assert env.step(5)[1:3] == (0.0, False)
    assert env.step(np.array(5))[1:3] == (-1.0, True)
    for action in [5, 6]:
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\)"):
            env.step(action)
    env.reset()
    assert env.step(5)[1:3] == (0.0, False)
    env = gymnasium.make("doublecross/3x3-v0", board="1x1", opponent="first")
    play(env, 1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    for wrong in [{"opponent": "nobody"}, {"seat": 2}, {"board": "3x3 H0,0"}]:
        with pytest.raises(ValueError):
            gymnasium.make("doublecross/3x3-v0", **wrong)


def test_what_is_no_edge_is_no_action():
    env, raw = gymnasium.make("doublecross/3x3-v0", opponent="first", seat=0), environment.raw_env(board="3x3")
    for game in (env, raw):
        game.reset()
        for kind, actions in [(ValueError, [24, 99, -1]), (TypeError, [1.5, "H0,0", None, True, [3]])]:
            for action in actions:
                with pytest.raises(kind, match="action = .*; expected the number of an edge, 0 to 23"):
                    game.step(action)
        assert game.unwrapped.position.drawn() == []
        game.step(np.int64(3))
        assert 3 in game.unwrapped.position.drawn()


@pytest.mark.parametrize("imports", ["doublecross, gymnasium", "gymnasium, doublecross"])
def test_importing_the_package_registers_the_environments(imports):
    code = f"import {imports}; print(gymnasium.make('doublecross/5x5-v0').unwrapped.position.board)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "5x5\n"
