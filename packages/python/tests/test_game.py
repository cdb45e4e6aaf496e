"""The package against OpenSpiel, plain Python and itself."""

import copy
import doctest
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import doublecross
from doublecross import openspiel

REPOSITORY = Path(__file__).parents[3]


def random_position(board, drawn, seed):
    choose = random.Random(seed)
    position = doublecross.Position(board)
    for _ in range(drawn):
        position = position.after(choose.choice(position.legal()))
    return position


def best_margin(position, known):
    """The margin for the player to move by the rules alone."""
    if position.is_over:
        return 0
    key = str(position)
    if key not in known:
        values = []
        for edge in position.legal():
            taken = position.captures(edge)
            after = best_margin(position.after(edge), known)
            values.append(taken + after if taken else -after)
        known[key] = max(values)
    return known[key]


def test_positions_are_played_and_read():
    position = doublecross.Position("1x2 H0,0 H1,0 V0,0")
    assert (position.board, position.rows, position.cols, position.edges, position.boxes) == ("1x2", 1, 2, 7, 2)
    assert position.captures("V0,1") == 1 and position.mover == 1
    after = position.after("V0,1")
    assert (after.scores, after.mover, after.owner(0), after.owner(1)) == ((0, 1), 1, 1, None)
    assert position.scores == (0, 0), "positions do not change"
    assert after == position.after(position.index("V0,1")) and hash(after) == hash(position.after("V0,1"))
    assert [position.name(edge) for edge in position.legal()] == position.undrawn()
    assert sorted(position.drawn() + position.undrawn()) == sorted(position.name(edge) for edge in range(7))
    assert "1x2" in repr(position) and "+" in position.draw()
    loop = doublecross.Position("2x2 H0,0 H0,1 H2,0 H2,1 V0,0 V1,0 V0,2 V1,2")
    assert loop.chains() == [([0, 1, 2, 3], True)] and loop.safe() == []


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
    position = doublecross.Position("2x2 H0,0")
    for call in [
        lambda: position.after("H0,0"), lambda: position.after(99), lambda: position.captures(0),
        lambda: position.owner(4), lambda: position.name(12), lambda: position.after(-1),
        lambda: doublecross.search(position, doublecross.Network(), nodes=10**12), lambda: position.index("X1,1"),
        lambda: doublecross.Position("1x1 H0,0 H1,0 V0,0").chains(),
        lambda: doublecross.Solver("2x2").solve(doublecross.Position("2x3")),
        lambda: doublecross.Solver("2x2", memory=0), lambda: doublecross.Solver("2x2", threads=0),
        lambda: doublecross.Solver("2x2").solve(position, seconds=-1.0),
        lambda: doublecross.Bot("nobody"), lambda: doublecross.Bot("exec:true"),
        lambda: doublecross.Bot("greedy").choose(random_position("1x1", 4, 0)),
        lambda: doublecross.match("greedy", "first", board="99x99"),
        lambda: doublecross.Network("nowhere"), lambda: doublecross.Suite("nowhere"),
        lambda: doublecross.Network().evaluate([]),
        lambda: doublecross.Network().evaluate([position, doublecross.Position("3x3")]),
        lambda: doublecross.search(random_position("1x1", 4, 0), doublecross.Network()),
    ]:
        with pytest.raises(ValueError) as error:
            call()
        assert str(error.value)
    for wrong in [None, 1.5, b"H0,0", [], 10**30]:
        with pytest.raises((TypeError, OverflowError)):
            position.after(wrong)
    with pytest.raises(MemoryError):
        doublecross.Solver("5x5", memory=1 << 20)
    with pytest.raises(FileNotFoundError):
        doublecross.Run("nowhere")


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


def test_docstrings_are_true():
    assert doctest.testmod(doublecross).failed == 0


def test_threads_share_a_solver():
    solver, position, margins = doublecross.Solver("3x3"), random_position("3x3", 6, 1), []
    threads = [threading.Thread(target=lambda: margins.append(solver.solve(position).margin)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(margins) == 4 and len(set(margins)) == 1


def test_limits_leave_bounds():
    solution = doublecross.Solver("5x5").solve(doublecross.Position("5x5"), nodes=1000)
    assert solution.margin is None and solution.best == [] and solution.lower < solution.upper
    assert doublecross.Solver("3x3").controls(doublecross.Position("3x3")) is not None


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_long_calls():
    for call in ["Solver('5x5', memory=16).solve(Position('5x5'))", "match('mcts:2000', 'mcts:2000', games=100000)",
                 "search(Position('5x5'), Network(), simulations=1000000)"]:
        code = f"from doublecross import *\ntry:\n    print('begins', flush=True); {call}\nexcept KeyboardInterrupt: print('ended')"
        running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert running.stdout.readline() == "begins\n"
        time.sleep(1.0)
        running.send_signal(signal.SIGINT)
        assert running.communicate(timeout=30)[0] == "ended\n", call


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


def test_the_interpreter_is_free_while_a_call_takes_long():
    count, ends = [0], [False]

    def tick():
        while not ends[0]:
            count[0] += 1
            time.sleep(0.001)

    ticking = threading.Thread(target=tick)
    ticking.start()
    doublecross.Solver("5x5", memory=16).solve(doublecross.Position("5x5"), seconds=0.5)
    ends[0] = True
    ticking.join()
    assert count[0] > 20


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
        drawn = [position.index(edge) for edge in position.drawn()]
        assert (row[drawn] == 0).all() and (row[position.legal()] > 0).all()
    policy[0] = 0.0  # The arrays are the caller's own.
    for board in ["2x5", "9x9"]:
        assert network.evaluate([doublecross.Position(board)])[0].shape[1] == doublecross.Position(board).edges
    small = doublecross.Network(REPOSITORY / "checkpoints/3x3")
    assert small.board == "3x3"
    with pytest.raises(ValueError, match="plays 3x3"):
        small.evaluate(positions)
    with pytest.raises(ValueError, match="taken at once"):
        network.evaluate([doublecross.Position("1x1 H0,0 H1,0 V0,0")])


def test_search_finds_what_the_solver_proves():
    network, solver = doublecross.Network(), doublecross.Solver("3x3")
    for seed in range(5):
        position = random_position("3x3", 8, seed)
        result = doublecross.search(position, network, simulations=100, nodes=10_000)
        assert result.edge in solver.solve(position).best
        assert result.proved is None or result.edge in result.proved
    offer = doublecross.Position("3x3 H0,0 V0,0 H1,0")
    result = doublecross.search(offer, network, simulations=50, nodes=0)
    assert result.edge == "V0,1" and (not result.policy or result.edge in result.policy)
    result = doublecross.search(doublecross.Position("5x5"), network, simulations=50, nodes=0)
    assert result.simulations > 0 and result.edge in result.policy and abs(sum(result.policy.values()) - 1) < 1e-3


def test_bots_play_matches():
    assert doublecross.Bot("greedy").choose(doublecross.Position("1x1 H0,0 H1,0 V0,0")) == "V0,1"
    result = doublecross.match("chains", "random", board="3x3", games=20, seed=7)
    assert result["games"] == result["wins_a"] + result["losses_a"] + result["ties"] == 20
    assert result["wins_a"] > 15 and result == doublecross.match("chains", "random", board="3x3", games=20, seed=7)


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


def test_runs_are_read(tmp_path):
    program = os.environ.get("DOUBLECROSS_PROGRAM")
    if program is None:
        pytest.skip("DOUBLECROSS_PROGRAM names no program to train with")
    settings = ["generations=2", "finish.games=0", "selfplay.games=20"]
    arguments = [argument for setting in settings for argument in ("--set", setting)]
    subprocess.run([Path(program).resolve(), "train", str(REPOSITORY / "configs/smoke.toml"), "--run", "run", "-q", *arguments],
                   cwd=tmp_path, check=True, capture_output=True)
    run = doublecross.Run(tmp_path / "run")
    assert [row["generation"] for row in run.progress()] == [1, 2]
    generations, losses = run.curve("policy_loss")
    assert generations == [1, 2] and all(loss > 0 for loss in losses)
    samples = run.samples(2)
    count, edges = samples["drawn"].shape
    assert samples["policy"].shape == samples["edge_margins"].shape == (count, edges) and samples["margin"].shape == (count, 2)
    assert np.allclose(samples["policy"].sum(1), 1, atol=1e-3) and not samples["policy"][samples["drawn"]].any()
    assert run.network().board == samples["board"] == run.network(1).board
    with pytest.raises(FileNotFoundError):
        run.samples(3)
    with pytest.raises(TypeError):
        run.network("1")
    with pytest.raises(KeyError, match="policy_loss"):
        run.curve("policy_los")


def test_samples_from_elsewhere_are_learned_from(tmp_path):
    solver = doublecross.Solver("2x3")
    positions = [doublecross.Position("2x3 " + edges) for edges in ("", "H0,1", "H0,0 V1,2")]
    solutions = [solver.solve(position) for position in positions]
    drawn, policy = np.zeros((3, 17), bool), np.zeros((3, 17))
    for index, (position, solution) in enumerate(zip(positions, solutions)):
        drawn[index, [position.index(edge) for edge in position.drawn()]] = True
        policy[index, [position.index(edge) for edge in solution.best]] = 1
    margin = [solution.margin for solution in solutions]
    data_set = doublecross.DataSet(tmp_path / "labels", "2x3")
    data_set.add(drawn=drawn, margin=margin, is_exact=[True] * 3, policy=policy)
    assert len(data_set) == len(doublecross.DataSet(tmp_path / "labels")) == 1 and data_set.board == "2x3"
    kept = data_set[0]
    assert np.array_equal(kept["drawn"], drawn) and kept["margin"].tolist() == [[value, value] for value in margin]
    assert np.allclose(kept["policy"], policy / policy.sum(1, keepdims=True), atol=1e-3)
    assert kept["is_exact"].all() and np.isnan(kept["edge_margins"]).all()
    with pytest.raises(ValueError, match="sample 1 is impossible"):
        data_set.add(drawn=drawn, margin=[margin[0], margin[1] + 1, margin[2]], is_exact=[True] * 3, policy=policy)
    with pytest.raises(ValueError, match="whole boxes"):
        data_set.add(drawn=drawn, margin=np.array(margin) + 0.5, is_exact=[True] * 3, policy=policy)
    with pytest.raises(ValueError, match="policy has the shape"):
        data_set.add(drawn=drawn, margin=margin, is_exact=[True] * 3, policy=policy[:, :5])
    with pytest.raises(ValueError, match="no data set"):
        doublecross.DataSet(tmp_path)
    with pytest.raises(IndexError):
        data_set[1]
    settings = {"labeled.data": str(tmp_path / "labels"), "selfplay.games": 0, "generations": 1, "suite.positions": 0}
    settings |= {"network.channels": 16, "network.blocks": 1, "finish.games": 0}
    run = doublecross.train("2x3", tmp_path / "run", settings=settings)
    assert run.progress()[0]["samples"] == 3


def test_a_young_run_has_no_scores_yet(tmp_path):
    (tmp_path / "config.toml").write_text("")
    (tmp_path / "progress.jsonl").write_text('{"generation": 1, "policy_loss": 2.5}\n')
    run = doublecross.Run(tmp_path)
    assert run.curve("policy_loss") == ([1], [2.5]) and run.curve("suite_search_optimal") == ([], [])
    (tmp_path / "progress.jsonl").write_text('{"generation": 1, "suite_search_optimal": 0.5}\n')
    with pytest.raises(KeyError, match="suite_search_optimal"):
        run.curve("suite_search")


SMOKE = REPOSITORY / "configs/smoke.toml"


def test_networks_are_trained_and_runs_go_on(tmp_path):
    rows, settings = [], {"generations": 2, "selfplay.games": 20, "board": "2x2"}
    run = doublecross.train(SMOKE, tmp_path / "run", settings=settings, progress=rows.append)
    assert [row["generation"] for row in rows] == [1, 2] and rows == run.progress()
    assert run.network().board == "2x2"
    doublecross.train(tmp_path / "run", tmp_path / "run", settings={"generations": 3}, progress=rows.append)
    assert [row["generation"] for row in rows] == [1, 2, 3]
    generations, scores = run.curve("suite_search_optimal")
    assert generations[-1] == 3 and all(0 <= score <= 1 for score in scores)
    other = doublecross.train("3x3", tmp_path / "other", start=tmp_path / "run",
                              settings={"generations": 1, "selfplay.games": 4, "labeled.positions": 0, "suite.positions": 20})
    assert other.network().board == "3x3"


def test_training_says_what_is_wrong(tmp_path):
    with pytest.raises(ValueError, match="Built in are smoke"):
        doublecross.train("nowhere", tmp_path / "run")
    with pytest.raises(ValueError, match="nowhere/config.toml: .*Built in are smoke"):
        doublecross.train("nowhere/config.toml", tmp_path / "run")
    for settings in [["generations=3"], "generations=3", {"learn": {"batch": 64}}]:
        with pytest.raises(TypeError, match="expected"):
            doublecross.train(SMOKE, tmp_path / "run", settings=settings)
    with pytest.raises(TypeError, match="None"):
        doublecross.train(SMOKE, tmp_path / "run", settings={"generations": None})
    with pytest.raises(ValueError, match="did you mean"):
        doublecross.train(SMOKE, tmp_path / "run", settings={"selfplay.game": 20})
    settings = {"generations": 3, "selfplay.games": 20}

    def fails(row):
        raise ZeroDivisionError(row["generation"])

    with pytest.raises(ZeroDivisionError, match="1"):
        doublecross.train(SMOKE, tmp_path / "run", settings=settings, progress=fails)
    assert len(doublecross.Run(tmp_path / "run").progress()) == 1
    with pytest.raises(ValueError, match="other settings"):
        doublecross.train(SMOKE, tmp_path / "run", settings={**settings, "seed": 2})
    assert len(doublecross.train(SMOKE, tmp_path / "run", settings=settings).progress()) == 3


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_training_and_nothing_is_lost(tmp_path):
    code = """
import doublecross, sys
print("begins", flush=True)
try:
    doublecross.train("5x5", sys.argv[1], settings={"selfplay.games": 100000, "suite.positions": 0})
except KeyboardInterrupt:
    print("ended")
"""
    running = subprocess.Popen([sys.executable, "-c", code, tmp_path / "run"], stdout=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "begins\n"
    shards = tmp_path / "run/shards"
    for _ in range(600):
        if shards.exists() and any(part.stat().st_size > 100 for part in shards.iterdir()):
            break
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=60)[0] == "ended\n"
    assert any(part.stat().st_size > 100 for part in shards.iterdir()), list(shards.iterdir())


def test_openspiel_agrees_move_by_move():
    pyspiel = pytest.importorskip("pyspiel")
    for rows, cols in [(1, 1), (1, 3), (2, 2), (2, 3), (3, 2)]:
        theirs = pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={cols})")
        ours = openspiel.Game(rows, cols)
        assert ours.num_distinct_actions() == theirs.num_distinct_actions()
        # OpenSpiel's own max_game_length counts edges that a board which is no square lacks.
        assert ours.max_game_length() == ours.num_distinct_actions() and ours.num_players() == theirs.num_players()
        for seed in range(20):
            choose = random.Random(seed)
            a, b = ours.new_initial_state(), theirs.new_initial_state()
            while not b.is_terminal():
                assert not a.is_terminal() and a.current_player() == b.current_player()
                assert a.legal_actions() == b.legal_actions() and a.legal_actions_mask() == b.legal_actions_mask()
                assert a.returns() == b.returns() == [0.0, 0.0]
                action = choose.choice(b.legal_actions())
                assert a.child(action).history() == a.history() + [action]
                a.apply_action(action)
                b.apply_action(action)
            assert a.is_terminal() and a.current_player() == b.current_player() == openspiel.TERMINAL
            assert a.returns() == b.returns() and a.history() == b.history() and a.legal_actions() == []


def test_pettingzoo_accepts_the_environment():
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, render_test, seed_test

    from doublecross import environment

    for board in ["1x1", "2x3", "5x5"]:
        api_test(environment.env(board=board), num_cycles=300)
    seed_test(environment.env)
    for wrong in [{"render_mode": "foo"}, {"board": "3x3 H0,0"}, {"board": "no"}]:
        with pytest.raises(ValueError):
            environment.env(**wrong)
    render_test(environment.env)


def test_the_environment_rewards_the_winner():
    pytest.importorskip("pettingzoo")
    from doublecross import environment

    for seed in range(10):
        env = environment.raw_env(board="2x2")
        env.reset()
        choose, totals = random.Random(seed), {agent: 0 for agent in env.possible_agents}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            mask = np.flatnonzero(observation["action_mask"])
            env.step(None if terminated or truncated else int(choose.choice(list(mask))))
        first, second = env.position.scores
        sign = (first > second) - (first < second)
        assert totals == {"player_0": sign, "player_1": -sign}
