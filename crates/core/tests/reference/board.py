"""The rules of Dots and Boxes on named edges and boxes, written for plainness.

An edge is `("H", row, column)` or `("V", row, column)`, a box is `(row, column)`, and a position is
the frozenset of its undrawn edges. Who owns which box is left out: only boxes still to come matter.

    python3 board.py                 compares the moves that the search uses with minimax over
                                     single edges, on every position of some small boards
    python3 board.py ROWS COLUMNS    does so on this board
"""

import sys
from collections import namedtuple
from functools import cache
from itertools import combinations

# The number of boxes that can be captured one after another, the position when all of them are, and
# the cost of keeping control: twice the boxes handed to the opponent, 0 where that is impossible.
Offer = namedtuple("Offer", "taken rest price")

# A chain or loop that can be opened: its best edges, and what any one of them offers the opponent.
Opening = namedtuple("Opening", "edges offer")


class Board:
    """A board of `rows` x `columns` boxes. Edges are numbered row by row, horizontal ones first."""

    def __init__(self, rows, columns):
        horizontal = [("H", r, c) for r in range(rows + 1) for c in range(columns)]
        vertical = [("V", r, c) for r in range(rows) for c in range(columns + 1)]
        self.edges = horizontal + vertical
        self.number = {edge: index for index, edge in enumerate(self.edges)}
        self.boxes = [(r, c) for r in range(rows) for c in range(columns)]
        self.sides = {
            (r, c): {("H", r, c), ("H", r + 1, c), ("V", r, c), ("V", r, c + 1)}
            for r, c in self.boxes
        }
        self.beside = {
            edge: [box for box in self.boxes if edge in self.sides[box]] for edge in self.edges
        }

    def position(self, drawn):
        """The position whose drawn edges are the bits of a number."""
        return frozenset(edge for edge in self.edges if not drawn >> self.number[edge] & 1)

    def drawn(self, undrawn):
        """The drawn edges of a position as the bits of a number."""
        return sum(1 << self.number[edge] for edge in self.edges if edge not in undrawn)

    def left(self, undrawn, box):
        """The undrawn sides of a box."""
        return self.sides[box] & undrawn

    def open_boxes(self, undrawn):
        """The number of boxes with an undrawn side."""
        return sum(1 for box in self.boxes if self.left(undrawn, box))

    def captures(self, undrawn, edge):
        """The number of boxes that drawing an edge closes."""
        return sum(1 for box in self.beside[edge] if self.left(undrawn, box) == {edge})

    def on_offer(self, undrawn):
        """The boxes with exactly one undrawn side."""
        return [box for box in self.boxes if len(self.left(undrawn, box)) == 1]

    def take_all(self, undrawn):
        """Captures boxes until none is on offer. Returns their number and the position left."""
        rest = undrawn
        while offered := self.on_offer(rest):
            rest = rest - self.left(rest, offered[0])
        return self.open_boxes(undrawn) - self.open_boxes(rest), rest

    def offer(self, undrawn):
        """The offer that a position makes to its player to move."""
        taken, rest = self.take_all(undrawn)
        handed = self.fewest_handed(undrawn, taken, rest)
        return Offer(taken, rest, 2 * handed if handed else 0)

    def fewest_handed(self, undrawn, taken, rest):
        """The fewest boxes that make the opponent move in `rest`, or `None` where none do.

        Tries every sequence of captures and every edge that ends the turn. The boxes handed over
        have to be double crosses, two boxes closed by one edge, so that the opponent in turn has
        nothing to keep control with.
        """
        fewest, seen, waiting = None, {undrawn}, [undrawn]
        while waiting:
            here = waiting.pop()
            for edge in here:
                after = here - {edge}
                if self.captures(here, edge):
                    if after not in seen:
                        seen.add(after)
                        waiting.append(after)
                elif self.offers_double_crosses_only(after):
                    handed, left = self.take_all(after)
                    if handed and left == rest:
                        fewest = handed if fewest is None else min(fewest, handed)
        assert fewest is None or fewest <= taken
        return fewest

    def offers_double_crosses_only(self, undrawn):
        """Whether every box on offer shares its last side with another box on offer."""
        last_sides = [edge for box in self.on_offer(undrawn) for edge in self.left(undrawn, box)]
        return all(self.captures(undrawn, edge) == 2 for edge in last_sides)

    def safe_edges(self, undrawn):
        """The undrawn edges that put no box on offer, of a position with none on offer.

        They come in ascending order, as lists of interchangeable edges: the border edges of the
        same box are alike, every other edge is alone.
        """
        groups = {}
        for edge in sorted(undrawn, key=self.number.get):
            boxes = self.beside[edge]
            if all(len(self.left(undrawn, box)) > 2 for box in boxes):
                alike = boxes[0] if len(boxes) == 1 else edge
                groups.setdefault(alike, []).append(edge)
        return list(groups.values())

    def openings(self, undrawn):
        """The openings of a position with none on offer: one for each chain or loop, by first box.

        All edges of a chain offer the same boxes, but a chain of two has a price at its ends and
        none in the middle. Only the edges with the lowest price are kept.
        """
        openings, listed = [], set()
        for first in self.boxes:
            if len(self.left(undrawn, first)) != 2 or first in listed:
                continue
            chain = self.chain_of(undrawn, first)
            listed |= chain
            edges = sorted(
                {edge for box in chain for edge in self.left(undrawn, box)}, key=self.number.get
            )
            offers = {edge: self.offer(undrawn - {edge}) for edge in edges}
            assert len({(offer.taken, offer.rest) for offer in offers.values()}) == 1
            best = min(offers.values(), key=lambda offer: offer.price)
            openings.append(Opening([edge for edge in edges if offers[edge] == best], best))
        return openings

    def chain_of(self, undrawn, box):
        """The boxes with two undrawn sides that hang together with a box of that kind."""
        chain, waiting = {box}, [box]
        while waiting:
            for edge in self.left(undrawn, waiting.pop()):
                for other in self.beside[edge]:
                    if other not in chain and len(self.left(undrawn, other)) == 2:
                        chain.add(other)
                        waiting.append(other)
        return chain


def margin_by_edges(board):
    """The margin still to come for the player to move, by minimax over single edges."""

    @cache
    def margin(undrawn):
        def after(edge):
            gain = board.captures(undrawn, edge)
            return gain + margin(undrawn - {edge}) if gain else -margin(undrawn - {edge})

        return max(map(after, undrawn), default=0)

    return margin


def margin_by_offers(board):
    """The same margin, over the moves that the search uses.

    They are the safe edges, the openings, and the answers to an offer.
    """

    @cache
    def margin(undrawn):
        taken, rest, price = board.offer(undrawn)
        if taken:
            answers = [taken + margin(rest)]
            if price:
                answers.append(taken - price - margin(rest))
            return max(answers)
        moves = [undrawn - {group[0]} for group in board.safe_edges(undrawn)]
        moves += [undrawn - {opening.edges[0]} for opening in board.openings(undrawn)]
        return max((-margin(move) for move in moves), default=0)

    return margin


def check(rows, columns, is_border_drawn=False):
    """Compares both margins on every position of a board, or on those with the border drawn."""
    board = Board(rows, columns)
    plain, offers = margin_by_edges(board), margin_by_offers(board)
    edges = [edge for edge in board.edges if not is_border_drawn or len(board.beside[edge]) == 2]
    for count in range(len(edges) + 1):
        for undrawn in map(frozenset, combinations(edges, count)):
            if plain(undrawn) != offers(undrawn):
                sys.exit(f"{rows}x{columns} {board.drawn(undrawn):#x}: the margins differ")
    border = ", border drawn" if is_border_drawn else ""
    print(f"{rows}x{columns}{border}: {1 << len(edges)} positions agree")


def main():
    """Checks one board, or some of different shapes."""
    sys.stdout.reconfigure(newline="\n")
    if sys.argv[1:]:
        check(*map(int, sys.argv[1:]))
        return
    for size in [(1, 1), (1, 2), (1, 3), (2, 2)]:
        check(*size)
    # Positions in which the price of a loop matters.
    for size in [(2, 4), (3, 3)]:
        check(*size, is_border_drawn=True)


if __name__ == "__main__":
    main()
