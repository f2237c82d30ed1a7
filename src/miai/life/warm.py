"""What `miai warmup` runs in this room: see `miai.go.warm`."""

from __future__ import annotations

from miai.go.diagram import parse_marked
from miai.life.compiling import compile_first
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
    target, everywhere = board.grid.parse("A3"), board.grid.points.tolist()
    Solver(problem_from_board(board, target), nodes=500, memory=8).verdict()
    compile_first(problem_from_board(board, target, region=everywhere))


STEPS = {"solving": solving}
