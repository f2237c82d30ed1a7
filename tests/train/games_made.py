"""Games of our own making, and configurations as files, for the tests of training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from miai.go.board import Board
from miai.go.coords import BLACK
from miai.go.rules import JAPANESE


def random_game(seed: int, size: int = 9, moves: int = 40) -> str:
    """A game of random legal moves, with a result."""
    random = np.random.default_rng(seed)
    board = Board(size, rules=JAPANESE)
    text = f"(;GM[1]FF[4]SZ[{size}]KM[6.5]RE[{'BW'[seed % 2]}+R]"
    for _ in range(moves):
        point = int(random.choice(board.legal_moves()))
        letter = "B" if board.to_move == BLACK else "W"
        text += f";{letter}[{board.grid.sgf(point)}]"
        board.play(point)
    return text + ")"


def toml(table: dict[str, dict[str, Any]], path: Path) -> Path:
    """Write a configuration."""
    lines: list[str] = []
    for section, values in table.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    path.write_text("\n".join(lines))
    return path
