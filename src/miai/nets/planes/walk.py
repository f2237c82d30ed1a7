"""Walking through records: what the kernels of every plane set share.

A kernel gets a batch sorted by game and move, and plays each game once, stopping at every position
that is asked for. `Walk` is the games as kernels see them; `begin` sets up the first position of one.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.go.coords import PASS, Grid
from miai.go.kernels.arrays import KO, KO_COLOUR, clear
from miai.go.kernels.moves import setup_stone
from miai.kernel import leaf


class Walk(NamedTuple):
    """Games on boards of one size, the positions wanted, and where to write them."""

    points: npt.NDArray[np.int16]  # [move] of `Records`
    colours: npt.NDArray[np.int8]  # [move]
    start: npt.NDArray[np.int64]  # [game + 1]
    to_move: npt.NDArray[np.int8]  # [game]
    setup_points: npt.NDArray[np.int16]  # [stone]
    setup_colours: npt.NDArray[np.int8]  # [stone]
    setup_start: npt.NDArray[np.int64]  # [game + 1]
    setup_ko: npt.NDArray[np.int16]  # [game]
    rows: npt.NDArray[np.int64]  # [position] which row of the output, sorted by game and move
    games: npt.NDArray[np.int64]  # [row]
    moves: npt.NDArray[np.int64]  # [row] after how many moves
    symmetries: npt.NDArray[np.int64]  # [row]
    place: npt.NDArray[np.int32]  # [row * width + column] the place in the padded line; at the end PASS
    turn: npt.NDArray[np.int32]  # [symmetry, row * width + column] where it goes in a plane of the output


@cache
def places(grid: Grid) -> npt.NDArray[np.int32]:
    """The table `Walk.place`: index -1, which stands for a pass in records, gives PASS."""
    return np.append(grid.points, np.int32(PASS)).astype(np.int32)


@leaf
def side_to_move(walk, game, move):  # type: ignore[no-untyped-def]
    """Whose turn it is after `move` moves of a game."""
    at = walk.start[game] + move
    return walk.colours[at] if at < walk.start[game + 1] else walk.to_move[game]


@leaf
def begin(a, walk, game):  # type: ignore[no-untyped-def]
    """The position before the first move of a game."""
    clear(a)
    for i in range(walk.setup_start[game], walk.setup_start[game + 1]):
        setup_stone(a, np.int64(walk.place[walk.setup_points[i]]), walk.setup_colours[i], False)
    if walk.setup_ko[game] >= 0:
        a.state[KO] = walk.place[walk.setup_ko[game]]
        a.state[KO_COLOUR] = side_to_move(walk, game, 0)
