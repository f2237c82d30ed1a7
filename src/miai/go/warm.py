"""What `miai warmup` runs in this room: each step calls some kernels once, with the types of real use.

A room with kernels has a module `warm` with a `STEPS` like the one below, and `miai warmup` finds it.
"""

from __future__ import annotations

from miai.go import sgf
from miai.go.benson import pass_alive
from miai.go.board import Board
from miai.go.coords import BLACK
from miai.go.diagram import parse_diagram, summary
from miai.go.game import Game
from miai.go.scoring import score

# A set-up, a capture, variations and a pass.
RECORD = b"(;SZ[5]AB[aa]AW[ba](;B[cc];W[ab];B[dd];W[])(;B[bb];W[dd]))"


def records() -> None:
    for root in sgf.parse(RECORD).games:
        Game(root).board_at(2)


def rules() -> None:
    board = Board(5)
    for point in board.legal_moves()[:4]:
        board.play(point)
    board.undo()
    summary(board, move=3)


def counting() -> None:
    board = parse_diagram(".X.XX\nXXXXX\n.....\nOOOOO\nO.O.O")
    pass_alive(board, BLACK)
    score(board)


STEPS = {"records": records, "rules": rules, "counting": counting}
