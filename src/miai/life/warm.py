"""What `miai warmup` runs in this room: see `miai.go.warm`."""

from __future__ import annotations

from miai.go.diagram import parse_marked
from miai.life.problem import problem_from_board
from miai.life.verdict import Solver

SHAPE = """
    . . . . . .
    X X X X X .
    O O O O X .
    . . . O X .
    . . . O X ."""


def solving() -> None:
    board, _ = parse_marked(SHAPE)
    Solver(problem_from_board(board, board.grid.parse("A3")), nodes=500, memory=8).verdict()


STEPS = {"solving": solving}
