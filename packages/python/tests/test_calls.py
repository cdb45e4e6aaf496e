"""Calls from several threads, and their ends by Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import doublecross
from support import random_position


def test_threads_share_a_solver():
    solver, position, margins = doublecross.Solver("3x3"), random_position("3x3", 6, 1), []
    threads = [threading.Thread(target=lambda: margins.append(solver.solve(position).margin)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(margins) == 4 and len(set(margins)) == 1


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


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_the_wait_for_a_solver_of_another_thread():
    code = """
import doublecross, os, threading
solver, position = doublecross.Solver("5x5", memory=16), doublecross.Position("5x5")
threading.Thread(target=lambda: solver.solve(position), daemon=True).start()
print("begins", flush=True)
try:
    solver.solve(position)
except KeyboardInterrupt:
    print("ended", flush=True)
os._exit(0)
"""
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "begins\n"
    time.sleep(1.0)
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=30)[0] == "ended\n"


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
