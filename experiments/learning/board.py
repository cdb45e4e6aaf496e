"""Boards of Dots and Boxes as bit masks of drawn edges, and suites of positions with exact answers.

Edges are numbered as in docs/rules.md: horizontal ones row by row, then vertical ones row by row.
"""

from dataclasses import dataclass


class Board:
    """A board of rows x cols boxes."""

    def __init__(self, rows, cols):
        self.rows, self.cols, self.boxes = rows, cols, rows * cols
        self.horizontal = (rows + 1) * cols
        self.edges = self.horizontal + rows * (cols + 1)
        self.full = (1 << self.edges) - 1
        masks = [self._box(row, col) for row in range(rows) for col in range(cols)]
        self.boxes_of = [[mask for mask in masks if mask >> edge & 1] for edge in range(self.edges)]
        # The place of each edge on the lattice of (2 rows + 1) x (2 cols + 1) points.
        across = [(2 * r, 2 * c + 1) for r in range(rows + 1) for c in range(cols)]
        down = [(2 * r + 1, 2 * c) for r in range(rows) for c in range(cols + 1)]
        self.places = across + down
        self.height, self.width = 2 * rows + 1, 2 * cols + 1

    def _box(self, row, col):
        top, left = row * self.cols + col, self.horizontal + row * (self.cols + 1) + col
        return 1 << top | 1 << top + self.cols | 1 << left | 1 << left + 1

    def draw(self, mask, edge):
        """Return the mask after an edge is drawn, and the number of boxes that it closes."""
        mask |= 1 << edge
        return mask, sum(mask & box == box for box in self.boxes_of[edge])

    def undrawn(self, mask):
        """Return the undrawn edges."""
        return [edge for edge in range(self.edges) if not mask >> edge & 1]

    def is_capture_free(self, mask):
        """Return whether no box is on offer."""
        return not any(self.draw(mask, edge)[1] for edge in self.undrawn(mask))

    def symmetries(self):
        """Return the symmetries, each as the list of where every edge goes."""
        numbers = {place: edge for edge, place in enumerate(self.places)}
        height, width = self.height - 1, self.width - 1
        maps = [lambda r, c: (r, c), lambda r, c: (height - r, c), lambda r, c: (r, width - c)]
        maps.append(lambda r, c: (height - r, width - c))
        if self.rows == self.cols:
            maps += [lambda r, c, turn=turn: turn(c, r) for turn in maps]
        return [[numbers[turn(*place)] for place in self.places] for turn in maps]


@dataclass
class Question:
    """A position of a suite with its best edges."""

    mask: int
    best: int
    is_capture_free: bool


def read_suite(path):
    """Return the board and the questions of a suite that `doublecross suite` drew."""
    board, questions = None, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                size, _, _, mask, _, best = line.split()
                board = board or Board(*map(int, size.split("x")))
                mask = int(mask, 16)
                questions.append(Question(mask, int(best, 16), board.is_capture_free(mask)))
    return board, questions


def shares(questions, edges):
    """Return the share of questions whose edge is best: of all, and of the capture-free ones."""
    right = [question.best >> edge & 1 for question, edge in zip(questions, edges, strict=True)]
    free = [hit for question, hit in zip(questions, right) if question.is_capture_free]
    return {"all": sum(right) / len(right), "capture_free": sum(free) / max(len(free), 1)}
