"""A plain tree search for Dots and Boxes, written recursively from its definition.

The formulas are those of Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning
with Gumbel" (ICLR 2022), called "the paper" below, and of PUCT (Rosin 2011; Silver et al. 2017).
All numbers are double precision.
"""

from collections import namedtuple
from functools import partial
from math import ceil, exp, inf, log, log2, sqrt

C_VISIT, C_SCALE = 50, 1
MARGIN_WEIGHT = 0.5
# PUCT plays an action with at least so many tenths of the visits of the most visited one.
ENOUGH_TENTHS = 3

# The simulations, how many actions sequential halving considers at most (0: it is not used), and
# PUCT's factor, or `None` for the selection of the paper.
Settings = namedtuple("Settings", "simulations max_considered exploration")


class Node:
    """A position without a box on offer, or the choice between the two answers to an offer.

    All values are those of the player to move, who is `lead` boxes ahead. `lower` and `upper` are
    proved bounds of the margin still to come, `own` is the node's own evaluation.
    """

    def __init__(self, lead, open_boxes):
        self.lead, self.lower, self.upper = lead, -open_boxes, open_boxes
        self.own, self.visits, self.total = 0.0, 0, 0.0
        self.actions = []

    def is_proved(self):
        """Whether the margin still to come is known."""
        return self.lower == self.upper


class Action:
    """A move or answer at a node.

    `gain` is the number of boxes that the player gets by it, less those the opponent gets before
    the child's position; `open_boxes` is the number still open there. `grow` makes the child.
    """

    def __init__(self, edges, logit, gain, open_boxes, same_mover, grow):
        self.edges, self.logit, self.gain, self.open_boxes = edges, logit, gain, open_boxes
        self.same_mover, self.grow = same_mover, grow
        self.child, self.visits = None, 0

    def bounds(self):
        """Proved bounds of the margin still to come when this action is chosen."""
        lower, upper = -self.open_boxes, self.open_boxes
        if self.child:
            lower, upper = self.child.lower, self.child.upper
        if self.same_mover:
            return self.gain + lower, self.gain + upper
        return self.gain - upper, self.gain - lower


class Search:
    """Searches of one board with one evaluator.

    The evaluator is a function of a position: a logit for each edge, and a probability for each
    margin still to come.
    """

    def __init__(self, board, evaluate, settings):
        self.board, self.evaluate, self.settings = board, evaluate, settings

    # Values.

    def utility(self, margin):
        """The value of a final margin: half the result, half the margin. Every box counts."""
        sign = (margin > 0) - (margin < 0)
        return (1 - MARGIN_WEIGHT) * sign + MARGIN_WEIGHT * margin / len(self.board.boxes)

    def within_bounds(self, node, value):
        """The value nearest to this one that a node's bounds allow."""
        lowest, highest = self.utility(node.lead + node.lower), self.utility(node.lead + node.upper)
        return min(max(value, lowest), highest)

    def value(self, node):
        """A node's value: the mean of its simulations, within its bounds."""
        return self.within_bounds(node, node.total / node.visits if node.visits else node.own)

    def q(self, action):
        """An action's value for the player who chooses it, or `None` before it has a child."""
        if action.child:
            return self.value(action.child) if action.same_mover else -self.value(action.child)
        return None

    # New nodes.

    def position_node(self, undrawn, lead):
        """A node for a position without a box on offer."""
        open_boxes = self.board.open_boxes(undrawn)
        node = Node(lead, open_boxes)
        if not undrawn:
            node.own = self.utility(lead)
            return node
        logits, margins = self.evaluate(undrawn)
        node.own = sum(p * self.utility(lead + margin) for margin, p in margins.items())
        for edges in self.board.safe_edges(undrawn):
            grow = partial(self.position_node, undrawn - {edges[0]}, -lead)
            node.actions.append(Action(edges, joined(edges, logits), 0, open_boxes, False, grow))
        for edges, offer in self.board.openings(undrawn):
            if offer.price:
                lost, grow = 0, partial(self.answer_node, offer, -lead)
            else:
                # The opponent has nothing to decide: it takes the boxes and has to move.
                lost = offer.taken
                grow = partial(self.position_node, offer.rest, -(lead - lost))
            logit = joined(edges, logits)
            node.actions.append(Action(edges, logit, -lost, open_boxes - lost, False, grow))
        return node

    def answer_node(self, offer, lead):
        """A node for an offer with a price: take every box, or keep control.

        Both children are made at once, and the evaluation of each counts as its first visit.
        """
        left = self.board.open_boxes(offer.rest)
        node = Node(lead, left + offer.taken)
        for gain, same_mover in [(offer.taken, True), (offer.taken - offer.price, False)]:
            action = Action(None, 0.0, gain, left, same_mover, None)
            child_lead = lead + gain if same_mover else -(lead + gain)
            action.child = self.position_node(offer.rest, child_lead)
            action.child.visits, action.child.total = 1, action.child.own
            node.actions.append(action)
        node.own = max(self.q(action) for action in node.actions)
        tighten(node)
        return node

    # One simulation.

    def simulate(self, node, action):
        """Simulates an action of a node. Returns the simulation's value for the player to move."""
        child = action.child
        if child is None:
            child = action.child = action.grow()
            value = self.visit_leaf(child)
        elif child.is_proved():
            value = self.visit_leaf(child)
        else:
            value = self.simulate(child, self.select(child))
        action.visits += 1
        tighten(node)
        value = self.within_bounds(node, value if action.same_mover else -value)
        node.visits += 1
        node.total += value
        return value

    def visit_leaf(self, leaf):
        """Ends a simulation at a new or proved node. Returns its value for the player to move."""
        leaf.visits += 1
        leaf.total += leaf.own
        return self.value(leaf) if leaf.is_proved() else leaf.own

    def select(self, node):
        """The action of a node to simulate next."""
        total = sum(action.visits for action in node.actions)
        if self.settings.exploration is None:
            # The paper's equation 14.
            policy = softmax(self.improved_logits(node))
            scores = [p - a.visits / (1 + total) for p, a in zip(policy, node.actions)]
        else:
            priors = softmax([action.logit for action in node.actions])
            factor = self.settings.exploration * sqrt(1 + total)
            scores = [
                q + factor * p / (1 + action.visits)
                for q, p, action in zip(self.completed_q(node), priors, node.actions)
            ]
        return best(node.actions, scores, lambda action: is_open(node, action)) or node.actions[0]

    def completed_q(self, node):
        """The values of a node's actions; those without one get the mixed value (equation 33)."""
        qs = [self.q(action) for action in node.actions]
        known = [(exp(a.logit), q) for a, q in zip(node.actions, qs) if q is not None]
        missing = node.own
        if known:
            visits = sum(action.visits for action in node.actions)
            mean = sum(p * q for p, q in known) / sum(p for p, _ in known)
            missing = (node.own + visits * mean) / (1 + visits)
        return [missing if q is None else q for q in qs]

    def improved_logits(self, node):
        """The logits of the improved policy (equations 8 and 11)."""
        scale = (C_VISIT + max(action.visits for action in node.actions)) * C_SCALE
        return [a.logit + scale * q for a, q in zip(node.actions, self.completed_q(node))]

    # The root.

    def run(self, undrawn, lead, noise):
        """Searches a position without a box on offer. Returns the root and the action to play."""
        assert not self.board.on_offer(undrawn)
        root = self.position_node(undrawn, lead)
        for visits in self.schedule(len(root.actions)):
            if root.is_proved():
                break
            halved = visits is not None
            self.simulate(root, self.halve(root, noise, visits) if halved else self.select(root))
        return root, self.play(root, noise)

    def schedule(self, actions):
        """For each simulation the visits that sequential halving asks for at the root.

        `None` stands for a simulation whose action is selected as elsewhere in the tree.
        """
        simulations, considered, exploration = self.settings
        halved = simulations if exploration is None else simulations // 2
        sequence = []
        if considered:
            sequence = sequential_halving(min(actions, considered), halved)
        return sequence + [None] * (simulations - len(sequence))

    def noisy_scores(self, root, noise):
        """The scores of the root's actions: improved logits, and noise by their lowest edges."""
        return [
            score + noise[self.board.number[action.edges[0]]]
            for score, action in zip(self.improved_logits(root), root.actions)
        ]

    def halve(self, root, noise, visits):
        """The action with the best score among those with this many visits, or among all."""
        scores = self.noisy_scores(root, noise)
        useful = partial(is_useful, root)
        wanted = best(root.actions, scores, lambda a: a.visits == visits and useful(a))
        return wanted or best(root.actions, scores, useful) or root.actions[0]

    def policy(self, root):
        """The improved policy, over the actions that are not proved worse than another."""
        scores = zip(self.improved_logits(root), root.actions)
        return softmax([score if is_useful(root, action) else -inf for score, action in scores])

    def play(self, root, noise):
        """The action to play: the best score among those with enough visits or a known margin."""
        if root.is_proved():
            policy = self.policy(root)
            return best(root.actions, policy, lambda action: action.bounds()[0] >= root.lower)
        enough = max((a.visits for a in root.actions if is_useful(root, a)), default=0)
        if self.settings.exploration is not None:
            enough = ceil(enough * ENOUGH_TENTHS / 10)

        def is_judged(action):
            lower, upper = action.bounds()
            return is_useful(root, action) and (action.visits >= enough or lower == upper)

        return best(root.actions, self.noisy_scores(root, noise), is_judged)


def tighten(node):
    """Takes over the best bounds of a node's actions."""
    bounds = [action.bounds() for action in node.actions]
    node.lower = max(node.lower, max(lower for lower, _ in bounds))
    node.upper = min(node.upper, max(upper for _, upper in bounds))


def is_open(node, action):
    """Whether simulating an action can change what is known.

    It cannot where the action's margin is known, or proved to be no better than another's.
    """
    lower, upper = action.bounds()
    return lower < upper and node.lower < upper


def is_useful(root, action):
    """Whether the action may be worth as much as the root is proved to be."""
    return action.bounds()[1] >= root.lower


def best(actions, scores, is_eligible):
    """The eligible action with the highest score, the first of equals, or `None`."""
    eligible = [(action, score) for action, score in zip(actions, scores) if is_eligible(action)]
    return max(eligible, key=lambda pair: pair[1])[0] if eligible else None


def sequential_halving(considered, simulations):
    """For each simulation the visits that its action must have (the paper's algorithm 2).

    Every phase has the same share of the simulations, and half the actions of the one before, but
    at least two.
    """
    if considered <= 1:
        return list(range(simulations))
    phases = ceil(log2(considered))
    visits = [0] * considered
    sequence = []
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (phases * len(visits)))):
            sequence += visits
            visits = [count + 1 for count in visits]
        visits = visits[: max(2, len(visits) // 2)]
    return sequence[:simulations]


def joined(edges, logits):
    """The logit of an action. Its prior is the sum of its edges' priors."""
    return log(sum(exp(logits[edge]) for edge in edges))


def softmax(logits):
    """Probabilities in proportion to the exponentials."""
    largest = max(logits)
    weights = [exp(logit - largest) for logit in logits]
    return [weight / sum(weights) for weight in weights]
