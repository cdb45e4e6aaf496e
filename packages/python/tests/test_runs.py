"""Training runs, and data sets."""

import os
import subprocess
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
