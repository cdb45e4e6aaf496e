"""Games."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any, Literal, SupportsIndex

from . import _drawing
from ._native import Position, parse_game, parse_log, write_game


class Game:
    """A game: a board and the moves that were played on it.

    >>> game = Game("1x1 1. a1-b1 2. a2-b2")
    >>> game.push(game.position.index("V0,0")), game.push(3), game.winner
    (0, 1, 1)
    >>> game.text("dots")
    '1x1 1. a1-b1 2. a2-b2 3. a1-a2 4. b1-b2'
    >>> game.pop()
    3

    `Game("5x5")` is at its beginning. Moves come after the board, by the names of edges or in a notation of players, and
    a link to a game of players, as in `https://littlegolem.net/#5,b11d9`, is a game too.

    `log` has what a log of games says beside the moves: the names of the `bots`, their `nonce`, the number of
    moves of the `opening`, and `faults`, `seconds` and `longest` of both seats. It is empty for other games, and
    after `push` and `pop`.
    """

    __slots__ = ("_board", "_moves", "_positions", "log")

    def __init__(self, text: str = "5x5") -> None:
        board, moves = parse_game(text)
        self._begin(board, moves)
        self._play()

    def _begin(self, board: str, moves: list[int]) -> None:
        self._board = board
        self._moves = bytearray(moves)
        self._positions: list[Position] = []
        self.log: dict[str, Any] = {}

    def _play(self) -> list[Position]:
        """Return the positions from the first to the present one."""
        if not self._positions:
            self._positions.append(Position(self._board))
        for edge in self._moves[len(self._positions) - 1 :]:
            self._positions.append(self._positions[-1].after(edge))
        return self._positions

    @property
    def board(self) -> str:
        """The board, as in `"5x5"`."""
        return self._board

    @property
    def moves(self) -> list[int]:
        """The edges that were drawn, in turn."""
        return list(self._moves)

    @property
    def position(self) -> Position:
        """The present position."""
        return self._play()[-1]

    @property
    def positions(self) -> list[Position]:
        """The positions from the empty board to the present one."""
        return list(self._play())

    @property
    def winner(self) -> int | None:
        """The player with more boxes at the end, or `None` for a tie and a game that goes on."""
        first, second = self.position.scores
        return int(second > first) if self.position.is_over and first != second else None

    def push(self, edge: SupportsIndex) -> int:
        """Draw an edge, and return the number of boxes that it takes.

        Raises `ValueError` if the edge is drawn already.
        """
        before = self.position
        captured = before.captures(edge)
        self._positions.append(before.after(edge))
        self._moves.append(edge.__index__())
        self.log = {}
        return captured

    def pop(self) -> int:
        """Take the last move back, and return its edge.

        Raises `IndexError` if there is none.
        """
        if not self._moves:
            raise IndexError("the game has no move to take back")
        self._play().pop()
        self.log = {}
        return self._moves.pop()

    def copy(self) -> Game:
        """Return a copy, which changes by itself."""
        game = Game.__new__(Game)
        game._begin(self._board, self.moves)
        game.log = dict(self.log)
        return game

    __copy__ = copy

    def text(self, notation: Literal["names", "cells", "dots"] = "names") -> str:
        """Return the board and the moves as a text.

        `"names"` are those of edges, as in `5x5 H0,0 V1,2`; `"cells"` those of players on Little Golem and trmph, as in
        `5x5 b11e8`; `"dots"` numbers the turns and names the dots of edges, as in `5x5 1. a6-b6 2. c4-c5`.
        """
        return f"{self._board} {write_game(self._board, self._moves, notation)}".strip()

    @staticmethod
    def from_log(line: str | bytes) -> Game:
        """Return the game of a line of a log of games, which the program's `doublecross match --log` writes.

        Raises `ValueError` if the line is no whole game.
        """
        lines = parse_log(line.encode() if isinstance(line, str) else line)
        if len(lines) != 1:
            raise ValueError(f"{len(lines)} games; expected the line of one")
        return Game._of_line(lines[0])

    @staticmethod
    def read_log(path: str | PathLike[str]) -> list[Game]:
        """Return the games of a log. A line that is cut short, as a kill leaves it, is passed over.

        Raises `ValueError` for another line that is no whole game, and `FileNotFoundError` if there is no such file.
        """
        return [Game._of_line(line) for line in parse_log(Path(path).read_bytes())]

    @staticmethod
    def _of_line(line: str) -> Game:
        fields = json.loads(line)
        game = Game.__new__(Game)
        game._begin(fields.pop("board"), fields.pop("moves"))
        del fields["scores"]
        game.log = fields
        return game

    def to_log(self) -> str:
        """Return the line of a log for the game, which the program's `doublecross replay` reads.

        Raises `ValueError` if the game is not over.
        """
        if not self.position.is_over:
            raise ValueError("the game goes on; a log has games that are over")
        fields = {"board": self._board, "bots": ["", ""], "moves": self.moves, "scores": self.position.scores}
        return parse_log(json.dumps(fields | self.log).encode())[0]

    def svg(self) -> str:
        """Return a drawing of the present position as SVG, with each line in its player's color and the last one wide."""
        positions = self._play()
        drawers = {edge: position.mover for edge, position in zip(self._moves, positions)}
        return _drawing.svg(self.position, drawers=drawers, last=self._moves[-1] if self._moves else None)

    _repr_svg_ = svg

    def __len__(self) -> int:
        return len(self._moves)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self._board, self._moves) == (other._board, other._moves)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Game({self.text()!r})"
