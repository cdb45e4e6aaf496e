"""OpenSpiel's AlphaZero on Dots and Boxes, judged like textbook.py.

    python openspiel.py --suite 3x3.tsv --minutes 15 --seed 1 --out openspiel-1.jsonl

The network is kept in openspiel-1.npz, and plays as openspiel_bot.py. The parts are the package's own: its search, its window of samples, its model and its way to play a game,
with the settings of its example but for the network's width. They run in one process here, so that
all of the time is counted, and the model's inference is compiled, which makes it many times as fast
as the package has it.
"""

import contextlib
import io
import os
import pathlib
import random
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
from flax import nnx
from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator, replay_buffer, utils
from open_spiel.python.algorithms.alpha_zero.model_nnx import Model

from board import Board, read_suite, shares
from curve import Curve, trainer_options


@jax.jit(static_argnums=0)
def infer(graph, parameters, statistics, observation, legal):
    """Return the value and the policy of one position."""
    model = nnx.merge(graph, parameters, statistics)
    model.eval()
    logits, value = model(observation)
    return value, nnx.softmax(jnp.where(legal, logits, jnp.finfo(jnp.float32).min))


class CompiledModel(Model):
    """The package's model with compiled inference."""

    def inference(self, observation, legals_mask):
        state = self._state
        observation, legal = np.asarray(observation, np.float32), np.asarray(legals_mask, bool)
        value, policy = infer(state.graphdef, state.params, state.batch_stats, observation, legal)
        return np.asarray(value), np.asarray(policy)


class Silent:
    """A logger that says nothing."""

    def print(self, *_):
        """Say nothing."""

    opt_print = print


def game_of(board):
    """Return the package's game on a board."""
    return pyspiel.load_game(f"dots_and_boxes(num_rows={board.rows},num_cols={board.cols})")


def config_of(game, board, width):
    """Return the settings of the package's example, with a network of another width."""
    return alpha_zero.Config(
        game=str(game), path="", learning_rate=1e-3, weight_decay=1e-4, decouple_weight_decay=False,
        train_batch_size=2**7, replay_buffer_size=2**13, replay_buffer_reuse=4, max_steps=0, checkpoint_freq=0,
        actors=1, evaluators=0, evaluation_window=1, eval_levels=1, uct_c=1.41, max_simulations=40,
        policy_alpha=1.0, policy_epsilon=0.25, temperature=1, temperature_drop=board.edges // 3,
        nn_model="resnet", nn_width=width, nn_depth=2,
        observation_shape=game.observation_tensor_shape(), output_size=game.num_distinct_actions(),
        verbose=False, quiet=True,
    )


def model_of(config, seed=0):
    """Return a network with random weights."""
    return CompiledModel.build_model(
        config.nn_model, config.observation_shape, config.output_size, config.nn_width, config.nn_depth,
        config.weight_decay, config.learning_rate, None, seed=seed,
    )


def save(path, model, board, width):
    """Write a network's weights and what `load` needs to build it."""
    weights = jax.tree.leaves((model._state.params, model._state.batch_stats))
    np.savez(path, np.array([board.rows, board.cols, width]), *weights)


def load(path):
    """Return the board and the game of a network that `save` wrote, and a bot that searches with it."""
    saved = np.load(path)
    rows, cols, width = (int(size) for size in saved["arr_0"])
    board = Board(rows, cols)
    game = game_of(board)
    config = config_of(game, board, width)
    model = model_of(config)
    parts = (model._state.params, model._state.batch_stats)
    leaves = [saved[f"arr_{number}"] for number in range(1, len(jax.tree.leaves(parts)) + 1)]
    params, batch_stats = jax.tree.unflatten(jax.tree.structure(parts), leaves)
    model._state = model._state.replace(params=params, batch_stats=batch_stats)
    return board, game, searching(config, game, evaluator.AlphaZeroEvaluator(game, model))


def searching(config, game, evaluating):
    """Return a bot that searches with 100 simulations, without noise."""
    return alpha_zero._init_bot(config.replace(max_simulations=100), game, evaluating, True)


def state_of(game, board, mask, wanted=0):
    """Return a state with these drawn edges.

    Its score, seen by the player to move, is as near to the one wanted as any of 20 random orders brings it.
    """
    drawn = [edge for edge in range(board.edges) if mask >> edge & 1]
    found, least = None, None
    for _ in range(20):
        random.shuffle(drawn)
        state, at, player, lead = game.new_initial_state(), 0, 0, 0
        for edge in drawn:
            at, closed = board.draw(at, edge)
            lead += closed if player == 0 else -closed
            state.apply_action(edge)
            player = player if closed else 1 - player
        assert state.is_terminal() or state.current_player() == player
        off = abs((lead if player == 0 else -lead) - wanted)
        if found is None or off < least:
            found, least = state, off
    return found


def judge(config, game, board, evaluating, questions):
    """Return the shares of positions where the policy's and the searched edge is best."""
    bot = searching(config, game, evaluating)
    by_policy, searched = [], []
    for question in questions:
        state = state_of(game, board, question.mask)
        by_policy.append(max(evaluating.prior(state), key=lambda pair: pair[1])[0])
        searched.append(bot.mcts_search(state).best_child().action)
    return {"policy": shares(questions, by_policy), "search": shares(questions, searched)}


def main():
    parser = trainer_options(__doc__)
    parser.add_argument("--width", type=int, default=64, help="width of the network (64; the example has 256)")
    options = parser.parse_args()
    np.random.seed(options.seed)
    random.seed(options.seed)
    board, questions = read_suite(options.suite)
    game = game_of(board)
    config = config_of(game, board, options.width)
    model = model_of(config, options.seed)
    evaluating = evaluator.AlphaZeroEvaluator(game, model)
    bots = [alpha_zero._init_bot(config, game, evaluating, False) for _ in range(2)]
    buffer = replay_buffer.Buffer(config.replay_buffer_size, seed=options.seed)
    games, trained = 0, 0.0
    with open(options.out, "w", encoding="utf-8") as out:
        curve = Curve(out)
        while trained < 60 * options.minutes:
            start, states = time.process_time(), 0
            # As many new states as the package's learner collects between two times of learning.
            while states < config.replay_buffer_size // config.replay_buffer_reuse:
                with contextlib.redirect_stdout(io.StringIO()):
                    played = alpha_zero._play_game(Silent(), games, game, bots, config.temperature, config.temperature_drop)
                games += 1
                states += len(played.states)
                for state in played.states:
                    buffer.append(utils.TrainInput(
                        observation=jnp.asarray(state.observation, jnp.float32),
                        legals_mask=jnp.asarray(state.legals_mask, bool),
                        policy=jnp.asarray(state.policy, jnp.float32),
                        value=jnp.asarray(played.returns[0], jnp.float32),
                    ))
            for _ in range(int(len(buffer)) // config.train_batch_size):
                model.update(buffer.sample(config.train_batch_size))
            evaluating._cache.clear()
            trained += time.process_time() - start
            # Judgments take no part of the time.
            if curve.is_due(trained) or trained >= 60 * options.minutes:
                curve.add(trained, games, judge(config, game, board, evaluating, questions))
    save(pathlib.Path(options.out).with_suffix(".npz"), model, board, options.width)


if __name__ == "__main__":
    main()
