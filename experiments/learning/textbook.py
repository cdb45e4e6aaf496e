"""AlphaZero as the textbook has it, for Dots and Boxes: a yardstick for learning speed.

PUCT search with Dirichlet noise (Silver et al., A general reinforcement learning algorithm that
masters chess, shogi and Go through self-play, 2018), a residual network in PyTorch, no solver, no
rule but those of the game. It is given what is kind to it: games are played side by side, so that
the network evaluates batches; positions are augmented by symmetry; the value is the margin to come,
by which the suite judges; a position and its value do not depend on the score.

    python textbook.py --suite 3x3.tsv --minutes 15 --seed 1 --out textbook-1.jsonl

Minutes are processor time. Each line of the output has the processor seconds so far and the share of
the suite's positions where the policy's and the searched edge is best. The network is kept beside it,
in textbook-1.pt, and plays as textbook_bot.py.
"""

import math
import pathlib
import random
import time
from collections import deque

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from board import Board, read_suite, shares
from curve import Curve, trainer_options


class Block(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x):
        y = functional.relu(self.norms[0](self.first(x)))
        return functional.relu(x + self.norms[1](self.second(y)))


class Network(nn.Module):
    """A residual tower over the lattice of dots, edges and boxes, with a policy and a value head."""

    def __init__(self, board, channels, blocks):
        super().__init__()
        cells = board.height * board.width
        self.stem = nn.Sequential(nn.Conv2d(2, channels, 3, padding=1), nn.ReLU())
        self.tower = nn.Sequential(*(Block(channels) for _ in range(blocks)))
        self.policy = nn.Sequential(nn.Conv2d(channels, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * cells, board.edges))
        value = [nn.Conv2d(channels, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(2 * cells, 64), nn.ReLU()]
        self.value = nn.Sequential(*value, nn.Linear(64, 1), nn.Tanh())

    def forward(self, planes):
        x = self.tower(self.stem(planes))
        return self.policy(x), self.value(x).squeeze(1)


class Node:
    """A position in a search tree. Values are for its player to move, in shares of all boxes."""

    __slots__ = ("mask", "edges", "prior", "visits", "total", "children")

    def __init__(self, mask):
        self.mask, self.edges, self.children = mask, None, {}

    def expand(self, edges, logits):
        self.edges = edges
        prior = np.exp(logits[edges] - logits[edges].max())
        self.prior = prior / prior.sum()
        self.visits, self.total = np.zeros(len(edges)), np.zeros(len(edges))

    def select(self):
        """Return the index of the edge with the highest upper bound (PUCT)."""
        value = self.total / np.maximum(self.visits, 1)
        return int(np.argmax(value + 1.5 * self.prior * math.sqrt(self.visits.sum() + 1) / (1 + self.visits)))

    def add_noise(self, random_numbers):
        noise = random_numbers.dirichlet([10 / len(self.edges)] * len(self.edges))
        self.prior = 0.75 * self.prior + 0.25 * noise


class Trees:
    """Searches many positions side by side, so that the network evaluates their leaves together."""

    def __init__(self, board, network, random_numbers):
        self.board, self.network, self.random = board, network, random_numbers
        rows, cols = zip(*board.places)
        self.rows, self.cols = np.array(rows), np.array(cols)

    def planes(self, masks):
        bits = np.array([[mask >> edge & 1 for edge in range(self.board.edges)] for mask in masks], np.float32)
        planes = np.zeros((len(masks), 2, self.board.height, self.board.width), np.float32)
        planes[:, 0, self.rows, self.cols] = bits
        planes[:, 1, self.rows, self.cols] = 1 - bits
        return torch.from_numpy(planes)

    @torch.inference_mode()
    def evaluate(self, masks):
        self.network.eval()
        logits, values = self.network(self.planes(masks))
        return logits.numpy(), values.numpy()

    def roots(self, masks):
        nodes = [Node(mask) for mask in masks]
        for node, logits in zip(nodes, self.evaluate(masks)[0]):
            node.expand(self.board.undrawn(node.mask), logits)
        return nodes

    def search(self, roots, simulations, noise):
        """Grow the tree of each root by simulations."""
        if noise:
            for root in roots:
                root.add_noise(self.random)
        for _ in range(simulations):
            paths = [self.descend(root) for root in roots]
            leaves = [leaf for _, leaf in paths if leaf.mask != self.board.full]
            logits, values = self.evaluate([leaf.mask for leaf in leaves]) if leaves else ([], [])
            for leaf, of_leaf in zip(leaves, logits):
                leaf.expand(self.board.undrawn(leaf.mask), of_leaf)
            values = iter(values)
            for path, leaf in paths:
                self.back_up(path, 0.0 if leaf.mask == self.board.full else float(next(values)))

    def descend(self, node):
        path = []
        while node.edges is not None:
            index = node.select()
            if index not in node.children:
                mask, closed = self.board.draw(node.mask, node.edges[index])
                node.children[index] = (Node(mask), closed)
            child, closed = node.children[index]
            path.append((node, index, closed))
            node = child
        return path, node

    def back_up(self, path, value):
        for node, index, closed in reversed(path):
            # Whoever closes a box moves again.
            value = closed / self.board.boxes + (value if closed else -value)
            node.visits[index] += 1
            node.total[index] += value


def play_games(trees, games, simulations):
    """Play games side by side, and return their samples: mask, policy over edges, margin to come."""
    board = trees.board
    histories, masks = [[] for _ in range(games)], [0] * games
    roots = trees.roots(masks)
    while True:
        playing = [game for game in range(games) if masks[game] != board.full]
        if not playing:
            break
        trees.search([roots[game] for game in playing], simulations, noise=True)
        for game in playing:
            root = roots[game]
            policy = root.visits / root.visits.sum()
            # The first moves vary, the later ones are the best.
            is_early = len(histories[game]) < board.edges // 3
            index = trees.random.choice(len(policy), p=policy) if is_early else int(np.argmax(policy))
            masks[game], closed = board.draw(root.mask, root.edges[index])
            of_edges = np.zeros(board.edges, np.float32)
            of_edges[root.edges] = policy
            histories[game].append((root.mask, of_edges, closed))
            kept = root.children.get(index)
            roots[game] = kept[0] if kept and kept[0].edges is not None else None
        fresh = [game for game in playing if roots[game] is None and masks[game] != board.full]
        for game, node in zip(fresh, trees.roots([masks[game] for game in fresh]) if fresh else []):
            roots[game] = node
    samples = []
    for history in histories:
        margin = 0
        for mask, policy, closed in reversed(history):
            margin = closed + (margin if closed else -margin)
            samples.append((mask, policy, margin / board.boxes))
    return samples


def learn(trees, optimizer, window, steps, batch):
    """Take steps on batches from the window, each sample under a random symmetry."""
    trees.network.train()
    symmetries = [np.array(symmetry) for symmetry in trees.board.symmetries()]
    for _ in range(steps):
        masks, policies, margins = [], [], []
        for mask, policy, margin in random.choices(window, k=batch):
            symmetry = random.choice(symmetries)
            masks.append(sum(1 << int(image) for edge, image in enumerate(symmetry) if mask >> edge & 1))
            turned = np.empty_like(policy)
            turned[symmetry] = policy
            policies.append(turned)
            margins.append(margin)
        logits, values = trees.network(trees.planes(masks))
        undrawn = torch.tensor([[mask >> edge & 1 == 0 for edge in range(trees.board.edges)] for mask in masks])
        logs = functional.log_softmax(logits.masked_fill(~undrawn, -1e9), dim=1)
        policy_loss = -(torch.from_numpy(np.stack(policies)) * logs).sum(1).mean()
        loss = policy_loss + functional.mse_loss(values, torch.tensor(margins, dtype=torch.float32))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def judge(trees, questions, simulations):
    """Return the shares of positions where the policy's and the searched edge is best."""
    roots = trees.roots([question.mask for question in questions])
    by_policy = [root.edges[int(np.argmax(root.prior))] for root in roots]
    trees.search(roots, simulations, noise=False)
    searched = [root.edges[int(np.argmax(root.visits))] for root in roots]
    return {"policy": shares(questions, by_policy), "search": shares(questions, searched)}


def save(path, network, board, options):
    """Write a network with what it takes to build it."""
    sizes = {"board": (board.rows, board.cols), "channels": options.channels, "blocks": options.blocks}
    torch.save({**sizes, "weights": network.state_dict()}, path)


def load(path):
    """Return the trees of a network that `save` wrote."""
    saved = torch.load(path, weights_only=True)
    board = Board(*saved["board"])
    network = Network(board, saved["channels"], saved["blocks"])
    network.load_state_dict(saved["weights"])
    return Trees(board, network, np.random.default_rng())


def main():
    parser = trainer_options(__doc__)
    parser.add_argument("--games", type=int, default=64, help="games of an iteration (64)")
    parser.add_argument("--simulations", type=int, default=50, help="simulations of a search in training (50)")
    parser.add_argument("--window", type=int, default=20, help="iterations that are learned from (20)")
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--blocks", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    random.seed(options.seed)
    board, questions = read_suite(options.suite)
    network = Network(board, options.channels, options.blocks)
    trees = Trees(board, network, np.random.default_rng(options.seed))
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=1e-4)
    window, batch, games, trained = deque(maxlen=options.window), 128, 0, 0.0
    with open(options.out, "w", encoding="utf-8") as out:
        curve = Curve(out)
        while trained < 60 * options.minutes:
            start = time.process_time()
            window.append(play_games(trees, options.games, options.simulations))
            games += options.games
            # Each sample is learned from some four times.
            learn(trees, optimizer, [sample for part in window for sample in part], 4 * len(window[-1]) // batch, batch)
            trained += time.process_time() - start
            # Judgments take no part of the time.
            if curve.is_due(trained) or trained >= 60 * options.minutes:
                curve.add(trained, games, judge(trees, questions, 100))
    save(pathlib.Path(options.out).with_suffix(".pt"), network, board, options)


if __name__ == "__main__":
    main()
