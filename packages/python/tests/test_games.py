"""Bots, matches, and games in their notations and logs."""

import copy
import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import doublecross
from doublecross import Game


def test_bots_play_matches():
    offer = doublecross.Position("1x1 H0,0 H1,0 V0,0")
    assert doublecross.Bot("greedy").choose(offer) == offer.index("V0,1")
    result = doublecross.match("chains", "random", board="3x3", games=20, seed=7)
    assert len(result.games) == result.wins_a + result.losses_a + result.ties == 20
    again = doublecross.match("chains", "random", board="3x3", games=20, seed=7)
    assert result.wins_a > 15 and result == again
    assert (result.a, result.b, result.distinct_pairs) == ("chains", "random", 10)


def test_matches_return_their_games():
    result = doublecross.match("chains", "greedy", board="3x3", games=8, opening=4)
    seats = [game.log["bots"].index("chains") for game in result.games]
    assert seats == [0, 1] * 4
    margins = []
    for game, seat in zip(result.games, seats):
        scores = game.position.scores
        margins.append(scores[seat] - scores[1 - seat])
        assert game.position.is_over and len(game) == 24 and game.log["opening"] == 4
        assert game.winner == (None if margins[-1] == 0 else seat if margins[-1] > 0 else 1 - seat)
    assert result.wins_a == sum(margin > 0 for margin in margins) and result.mean_margin_a == np.mean(margins)
    for one, other in zip(result.games[::2], result.games[1::2]):
        assert one.moves[:4] == other.moves[:4]
    assert [len(doublecross.match("greedy", "first", board="2x2", games=games).games) for games in (1, 2, 3)] == [2, 2, 4]


def test_games_are_played_and_taken_back():
    game = Game("1x2")
    assert (game.board, len(game), game.moves, game.winner) == ("1x2", 0, [], None)
    assert [game.push(edge) for edge in (0, 2, 4, np.int64(5), 1, 3)] == [0, 0, 0, 1, 0, 0]
    assert not game.position.is_over and game.position.mover == 1
    assert game.push(6) == 1 and game.position.scores == (0, 2) and game.winner == 1
    assert [len(position.drawn()) for position in game.positions] == list(range(8))
    with pytest.raises(ValueError):
        game.push(6)
    assert game.moves == [0, 2, 4, 5, 1, 3, 6], "an illegal move changes nothing"
    copied = copy.copy(game)
    assert copied == game and copied.pop() == 6 and copied != game and len(game) == 7
    assert pickle.loads(pickle.dumps(game)) == game
    while game.moves:
        game.pop()
    assert game == Game("1x2") and game.position == doublecross.Position("1x2")
    with pytest.raises(IndexError):
        game.pop()


NOTATIONS = {
    "names": "1x2 H1,0 H0,0 V0,0 V0,1 H1,1 H0,1",
    "cells": "1x2 b1b3a2c2d1d3",
    "dots": "1x2 1. a1-b1 2. a2-b2 3. a1-a2 4. b1-b2, b1-c1 5. b2-c2",
}


def test_games_are_read_and_written_in_the_notations_of_players():
    for notation, text in NOTATIONS.items():
        game = Game(text)
        assert game == Game(NOTATIONS["names"]) and game.text(notation) == text
    assert str(game) == game.text() == NOTATIONS["names"] and eval(repr(game)) == game
    assert Game("https://littlegolem.net/#3,b7a6").text() == "3x3 H0,0 V0,0"
    assert Game("4x4 4. b4-b5, d3-e3").moves == [Game("4x4").position.index(name) for name in ("V0,1", "H2,3")]
    for text in ["", "1x2 H0,0 H0,0", "1x2 b1b1", "1x2 z9", "2x2:0x1"]:
        with pytest.raises(ValueError):
            Game(text)
    with pytest.raises(ValueError, match="names"):
        game.text("letters")
    with pytest.raises(ValueError, match="too wide"):
        Game("1x30 H0,0").text("dots")


def test_games_are_logged(tmp_path):
    games = doublecross.match("chains", "random", board="2x2", games=4).games
    log = tmp_path / "games.jsonl"
    log.write_text("".join(game.to_log() + "\n" for game in games) + '{"board":"2x2","bo')
    read = Game.read_log(log)
    assert read == games and [game.log for game in read] == [game.log for game in games]
    assert Game.from_log(games[0].to_log()) == games[0]
    games[0].pop()
    assert games[0].log == {}
    with pytest.raises(ValueError, match="goes on"):
        games[0].to_log()
    line = json.loads(games[1].to_log())
    for wrong in [{"scores": [9, 9]}, {"moves": [0, 0]}, {"board": "0x0"}, {"bots": 1}]:
        with pytest.raises(ValueError, match="line 1"):
            Game.from_log(json.dumps(line | wrong))
    with pytest.raises(ValueError):
        Game.from_log("")


def test_the_program_replays_logs_of_the_package(tmp_path):
    program = os.environ.get("DOUBLECROSS_PROGRAM")
    if program is None:
        pytest.skip("DOUBLECROSS_PROGRAM names no program")
    log = tmp_path / "games.jsonl"
    games = doublecross.match("chains", "greedy", board="3x3", games=6).games
    log.write_text("".join(game.to_log() + "\n" for game in games))
    replayed = subprocess.run([os.path.abspath(program), "replay", log], capture_output=True, text=True)
    assert replayed.returncode == 0 and "6 games" in replayed.stdout + replayed.stderr
    log.unlink()
    arguments = ["match", "chains", "greedy", "--board", "3x3", "--games", "6", "--log", log, "--quiet"]
    subprocess.run([os.path.abspath(program), *arguments], check=True, capture_output=True)
    assert Game.read_log(log) == games
