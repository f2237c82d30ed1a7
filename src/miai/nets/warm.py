"""What `miai warmup` runs in this room: see `miai.go.warm`."""

from __future__ import annotations

from functools import partial

from miai.go.board import Board
from miai.nets.planes import PLANE_SETS, encode


def planes(name: str) -> None:
    board = Board(5)
    for point in board.legal_moves()[:4]:
        board.play(point)
    encode(name, board)


STEPS = {f"planes of {name}": partial(planes, name) for name in PLANE_SETS}
