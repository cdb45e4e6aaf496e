"""Training runs, and data sets."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import doublecross
from support import REPOSITORY, SMOKE


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
        drawn[index, position.drawn()] = True
        policy[index, solution.best] = 1
    margin = [solution.margin for solution in solutions]
    data_set = doublecross.DataSet(tmp_path / "labels", "2x3")
    data_set.add(drawn=drawn, margin=margin, is_exact=[True] * 3, policy=policy)
    assert len(data_set) == len(doublecross.DataSet(tmp_path / "labels")) == 1 and data_set.board == "2x3"
    kept = data_set[0]
    assert np.array_equal(kept["drawn"], drawn) and kept["margin"].tolist() == [[value, value] for value in margin]
    assert np.allclose(kept["policy"], policy / policy.sum(1, keepdims=True), atol=1e-3)
    assert kept["is_exact"].all() and np.isnan(kept["edge_margins"]).all()
    with pytest.raises(ValueError, match="sample 1: margin -?[13] is odd; with 6 open boxes a margin is even"):
        data_set.add(drawn=drawn, margin=[margin[0], margin[1] + 1, margin[2]], is_exact=[True] * 3, policy=policy)
    with pytest.raises(ValueError, match="whole boxes"):
        data_set.add(drawn=drawn, margin=np.array(margin) + 0.5, is_exact=[True] * 3, policy=policy)
    with pytest.raises(ValueError, match="policy has the shape"):
        data_set.add(drawn=drawn, margin=margin, is_exact=[True] * 3, policy=policy[:, :5])
    with pytest.raises(IndexError):
        data_set[1]
    settings = {"labeled.data": str(tmp_path / "labels"), "selfplay.games": 0, "generations": 1, "suite.positions": 0}
    settings |= {"network.channels": 16, "network.blocks": 1, "finish.games": 0}
    run = doublecross.train("2x3", tmp_path / "run", settings=settings)
    assert run.progress()[0]["samples"] == 3


ADD = """
import sys, doublecross
data_set = doublecross.DataSet(sys.argv[1], "1x1")
added = 0
while added < 20:
    try:
        data_set.add(drawn=[[0] * 4], margin=[-1], is_exact=[True], policy=[[1] * 4])
        added += 1
    except ValueError as error:
        assert "being worked on by another process" in str(error), error
"""


def test_two_processes_that_add_to_a_data_set_lose_nothing(tmp_path):
    doublecross.DataSet(tmp_path / "labels", "1x1")
    adders = [subprocess.Popen([sys.executable, "-c", ADD, tmp_path / "labels"]) for _ in range(2)]
    assert [adder.wait() for adder in adders] == [0, 0]
    data_set = doublecross.DataSet(tmp_path / "labels")
    assert len(data_set) == 40 and all(len(data_set[shard]["drawn"]) == 1 for shard in range(40))


def test_nothing_is_added_to_labels_of_the_solver(tmp_path):
    data_set = doublecross.DataSet(tmp_path / "labels", "1x1")
    contents = tmp_path / "labels/dataset.json"
    contents.write_text(contents.read_text().replace('"positions": 0', '"positions": 10'))
    with pytest.raises(ValueError, match="labels holds labels of the solver"):
        data_set.add(drawn=[[0] * 4], margin=[-1], is_exact=[True], policy=[[1] * 4])


def test_samples_that_no_game_has_are_refused_by_the_rule_that_they_break(tmp_path):
    data_set, nan = doublecross.DataSet(tmp_path / "labels", "2x2"), np.nan
    # The first edge is drawn, and four boxes are open.
    sample = {"drawn": [1, *[0] * 11], "margin": [0, 0], "is_exact": True, "policy": [0, 2, *[1] * 10], "edge_margins": [nan] * 12}
    corner = [1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0]

    def add(**changes):
        samples = [sample, sample | changes]
        data_set.add(**{name: [each[name] for each in samples] for name in sample})

    def at(edge, value, others):
        return [value if index == edge else other for index, other in enumerate(others)]

    policy, values = sample["policy"], sample["edge_margins"]
    for changes, words in [
        ({"drawn": [1] * 12}, "the game is over"),
        ({"drawn": corner, "policy": [0, 1, *[0] * 10]}, r"edge 2 \(H1,0\) takes a box"),
        ({"policy": at(3, -0.5, policy)}, r"policy of edge 3 \(H1,1\) is -0.5; expected a share from 0 on"),
        ({"policy": at(3, nan, policy)}, r"policy of edge 3 \(H1,1\) is NaN"),
        ({"policy": at(3, np.inf, policy)}, r"policy of edge 3 \(H1,1\) is inf"),
        ({"policy": at(0, 1, policy)}, r"policy of edge 0 \(H0,0\) is 1, and the edge is drawn"),
        ({"policy": [0] * 12}, "its policy is 0 for every edge"),
        ({"margin": [1, 1]}, "margin 1 is odd; with 4 open boxes a margin is even"),
        ({"margin": [6, 6]}, "margin 6 is more than the 4 open boxes"),
        ({"margin": [-128, -128]}, "margin -128 is more than the 4 open boxes"),
        ({"margin": [300, 300]}, "margin 300 is not of whole boxes from -128 to 127"),
        ({"margin": [0, 0.5]}, "margin 0.5 is not of whole boxes"),
        ({"margin": [0, nan]}, "margin nan is not of whole boxes"),
        ({"margin": [2, -2], "is_exact": False}, "its lowest margin 2 is above its highest -2"),
        ({"margin": [-2, 2]}, "is_exact is True, and its margins -2 and 2 differ"),
        ({"edge_margins": at(0, 2, values)}, r"edge_margins of edge 0 \(H0,0\): 2, and the edge is drawn"),
        ({"edge_margins": at(1, 1, values)}, r"edge_margins of edge 1 \(H0,1\): 1 is odd"),
        ({"edge_margins": at(1, 6, values)}, r"edge_margins of edge 1 \(H0,1\): 6 is more than the 4 open boxes"),
        ({"edge_margins": at(1, -np.inf, values)}, r"edge_margins of edge 1 \(H0,1\): -inf is more"),
        ({"edge_margins": at(1, 0.5, values)}, r"edge_margins of edge 1 \(H0,1\): 0.5 is not of whole boxes"),
    ]:
        with pytest.raises(ValueError, match="^sample 1: .*" + words):
            add(**changes)
    for changes, words in [
        ({"drawn": at(0, 0.5, sample["drawn"])}, "drawn has 0.5; expected True or False, or 1 or 0"),
        ({"drawn": at(0, 2, sample["drawn"])}, "drawn has 2"),
        ({"drawn": at(0, nan, sample["drawn"])}, "drawn has nan"),
        ({"is_exact": 0.5}, "is_exact has 0.5"),
        ({"is_exact": "no"}, "is_exact has 'True'"),
        ({"margin": [None, None]}, "margin has the type object; expected whole numbers"),
    ]:
        with pytest.raises(ValueError, match=words):
            add(**changes)
    with pytest.raises(ValueError, match=r"drawn has the shape \(1, 5\); expected \(samples, 12\) on 2x2"):
        data_set.add(drawn=[[0] * 5], margin=[0], is_exact=[True], policy=[[1] * 5])
    assert len(data_set) == 0
    add(margin=[-2, 2], is_exact=False, edge_margins=at(1, -4, values))
    kept = data_set[0]
    assert kept["margin"].tolist() == [[0, 0], [-2, 2]] and kept["is_exact"].tolist() == [True, False]
    assert kept["edge_margins"][1, 1] == -4 and np.isnan(kept["edge_margins"]).sum() == 23
    assert np.allclose(kept["policy"][1], np.array(policy) / 12, atol=1e-4)


def test_what_is_missing_is_a_file_not_found_error(tmp_path):
    nowhere = tmp_path / "nowhere"
    (tmp_path / "config.toml").write_text("")
    run = doublecross.Run(tmp_path)
    for call in [
        lambda: doublecross.Run(nowhere), lambda: run.network(), lambda: run.network(999), lambda: run.samples(999),
        lambda: doublecross.Network(nowhere), lambda: doublecross.Network(tmp_path), lambda: doublecross.Suite(nowhere),
        lambda: doublecross.DataSet(nowhere), lambda: doublecross.DataSet(tmp_path), lambda: doublecross.Game.read_log(nowhere),
        lambda: doublecross.Bot(f"net:{nowhere}"), lambda: doublecross.match("greedy", f"net:{nowhere}", games=2),
        lambda: doublecross.train(nowhere, tmp_path / "run"), lambda: doublecross.train("nowhere", tmp_path / "run"),
        lambda: doublecross.train(SMOKE, tmp_path / "run", start=nowhere),
        lambda: doublecross.train(SMOKE, tmp_path / "other", settings={"labeled.data": str(nowhere)}),
    ]:
        with pytest.raises(FileNotFoundError) as error:
            call()
        assert "--" not in str(error.value), error
    data_set = doublecross.DataSet(tmp_path / "labels", "1x1")
    data_set.add(drawn=[[0] * 4], margin=[-1], is_exact=[True], policy=[[1] * 4])
    (tmp_path / "labels/labels-000001.shard").unlink()
    with pytest.raises(FileNotFoundError, match="cannot read .*labels-000001.shard"):
        data_set[0]
    (tmp_path / "damaged").write_text("no network")
    for call in [doublecross.Network, doublecross.Suite]:
        with pytest.raises(ValueError, match="damaged"):
            call(tmp_path / "damaged")


def test_messages_have_no_options_of_the_program(tmp_path):
    settings = {"generations": 2, "selfplay.games": 10, "board": "2x2", "finish.games": 0, "suite.positions": 0}
    doublecross.train(SMOKE, tmp_path / "run", settings=settings)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/text").write_text("")
    doublecross.DataSet(tmp_path / "labels", "2x3")
    data = {"labeled.data": str(tmp_path / "labels")}
    for folder, changes, words in [
        ("run", {"board": "2x3"}, "holds a run with other settings: board is .*2x2.*name another folder"),
        ("run", {"generations": 1}, "set it to 2 or more"),
        ("full", {}, r"name a new or an empty folder"),
        ("new", {"selfplay.game": 3}, "^setting selfplay.game=3: unknown key"),
        ("new", data, "holds samples on 2x3, and 2x2 was asked for"),
        ("new", data | {"board": "2x3"}, "labels is no data set: it has no shard yet$"),
    ]:
        with pytest.raises(ValueError, match=words) as error:
            doublecross.train(SMOKE, tmp_path / folder, settings=settings | changes)
        assert "--" not in str(error.value), error
    with pytest.raises(ValueError, match="resume it without `start`"):
        doublecross.train(SMOKE, tmp_path / "run", settings=settings, start=tmp_path / "run")
    with pytest.raises(ValueError, match="holds samples on 2x3, and 3x3 was asked for"):
        doublecross.DataSet(tmp_path / "labels", "3x3")
    (tmp_path / "labels/dataset.json").write_text("{}")
    with pytest.raises(ValueError, match="labels is no data set: dataset.json: missing field") as error:
        doublecross.DataSet(tmp_path / "labels")
    assert "--" not in str(error.value)


def test_a_young_run_has_no_scores_yet(tmp_path):
    (tmp_path / "config.toml").write_text("")
    (tmp_path / "progress.jsonl").write_text('{"generation": 1, "policy_loss": 2.5}\n')
    run = doublecross.Run(tmp_path)
    assert run.curve("policy_loss") == ([1], [2.5]) and run.curve("suite_search_optimal") == ([], [])
    (tmp_path / "progress.jsonl").write_text('{"generation": 1, "suite_search_optimal": 0.5}\n')
    with pytest.raises(KeyError, match="suite_search_optimal"):
        run.curve("suite_search")


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
    with pytest.raises(FileNotFoundError, match="Built in are smoke"):
        doublecross.train("nowhere", tmp_path / "run")
    with pytest.raises(FileNotFoundError, match="nowhere/config.toml: .*Built in are smoke"):
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


def test_what_is_not_installed_is_named_with_its_extra(tmp_path):
    (tmp_path / "config.toml").write_text("")
    for module, call, extra in [
        ("gymnasium", "import doublecross.gym", "gymnasium"), ("pettingzoo", "import doublecross.environment", "pettingzoo"),
        ("gymnasium", "import doublecross.environment", "pettingzoo"), ("pyspiel", "import doublecross.openspiel", "openspiel"),
        ("pandas", "doublecross.Run(sys.argv[1]).frame()", "notebook"),
        ("matplotlib", "doublecross.Run(sys.argv[1]).plot()", "notebook"),
    ]:
        code = f"import sys; sys.modules[{module!r}] = None; import doublecross\ntry: {call}\nexcept ImportError as error: print(error)"
        printed = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True).stdout
        assert f"needs {module}" in printed and f'pip install "doublecross[{extra}]"' in printed


def test_runs_are_data_frames(tmp_path):
    pytest.importorskip("pandas")
    (tmp_path / "config.toml").write_text("")
    run = doublecross.Run(tmp_path)
    assert run.frame().empty and run.frame().index.name == "generation"
    rows = ['{"generation": 2, "policy_loss": 2.5, "suite_search_optimal": 0.5}', '{"generation": 1, "policy_loss": 3}']
    (tmp_path / "progress.jsonl").write_text("\n".join(rows))
    frame = run.frame()
    assert list(frame.index) == [1, 2] and list(frame["policy_loss"]) == [3.0, 2.5]
    assert np.isnan(frame.loc[1, "suite_search_optimal"])


def test_figures_have_the_keys_of_their_type(tmp_path):
    rows = []
    settings = {"generations": 1, "selfplay.games": 10, "board": "2x2", "finish.games": 0}
    doublecross.train(SMOKE, tmp_path / "run", settings=settings, progress=rows.append)
    figures = doublecross.GenerationFigures
    assert figures.__required_keys__ <= rows[0].keys() <= figures.__required_keys__ | figures.__optional_keys__
