"""Dots and Boxes with the methods of a game and a state of OpenSpiel, without OpenSpiel.

Actions count edges as OpenSpiel's `dots_and_boxes` does: the horizontal ones row by row, then the
vertical ones, which is also how `Position` counts them.
"""

from ._native import Position

#: The player of a state that is over, as in OpenSpiel.
TERMINAL = -4


class Game:
    """A game on a board, as in `Game(num_rows=2, num_cols=3)`."""

    def __init__(self, num_rows=2, num_cols=2):
        self._start = Position(f"{num_rows}x{num_cols}")

    def new_initial_state(self):
        """Return the state at the beginning."""
        return State(self._start)

    def num_players(self):
        """Return 2."""
        return 2

    def num_distinct_actions(self):
        """Return the number of edges."""
        return self._start.edges

    def max_game_length(self):
        """Return the number of edges."""
        return self._start.edges

    def min_utility(self):
        """Return the return of a loss."""
        return -1.0

    def max_utility(self):
        """Return the return of a win."""
        return 1.0

    def utility_sum(self):
        """Return the sum of both returns."""
        return 0.0


class State:
    """A state, which `apply_action` changes."""

    def __init__(self, position):
        self.position = position
        self._history = []

    def current_player(self):
        """Return the player to move, or `TERMINAL`."""
        return TERMINAL if self.position.is_over else self.position.mover

    def is_terminal(self):
        """Return True if the game is over."""
        return self.position.is_over

    def is_chance_node(self):
        """Return False."""
        return False

    def legal_actions(self, player=None):
        """Return the edges that may be drawn; none for a player who is not to move."""
        is_other = player is not None and player != self.current_player()
        return [] if is_other else self.position.legal()

    def legal_actions_mask(self, player=None):
        """Return 1 for each edge that may be drawn, and 0 for the others."""
        mask = [0] * self.position.edges
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def apply_action(self, action):
        """Draw an edge.

        Raises `ValueError` if it is drawn already.
        """
        self.position = self.position.after(action)
        self._history.append(action)

    def child(self, action):
        """Return the state after an edge is drawn."""
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self):
        """Return a copy."""
        copy = State(self.position)
        copy._history = list(self._history)
        return copy

    def history(self):
        """Return the edges that were drawn, in turn."""
        return list(self._history)

    def returns(self):
        """Return 1 for the winner, -1 for the loser and 0 for a tie or while the game goes on."""
        if not self.position.is_over:
            return [0.0, 0.0]
        first, second = self.position.scores
        sign = float((first > second) - (first < second))
        return [sign, -sign]

    def player_return(self, player):
        """Return the return of a player."""
        return self.returns()[player]

    def action_to_string(self, player, action):
        """Return the name of an edge."""
        return self.position.name(action)

    def __str__(self):
        return self.position.draw()
