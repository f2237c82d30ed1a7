"""The plane set `darkforest25`, by the table of its paper and, where that is silent, by its authors' program.

From the program: distances to stones are counted in steps along the lines; a point as near to one side
as to the other has neither closest colour; the last move was one move ago; stones set up count as
played at the start.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from miai.go.coords import EMPTY, Grid
from miai.go.kernels.arrays import STRIDE, index
from miai.go.kernels.moves import place
from miai.kernel import inlined, kernel
from miai.nets.planes.deepgo import stones_by_liberties
from miai.nets.planes.walk import begin, side_to_move

OWN, OPPONENT, EMPTY_POINTS, HISTORY, RANK, BORDER, POSITION, CLOSEST, PLANES = (
    7,
    8,
    9,
    10,
    12,
    21,
    22,
    23,
    25,
)
RANKS = 9
FAR = 10_000


@cache
def decay(moves: int) -> npt.NDArray[np.float32]:
    """[t] exp(-0.1 t), for stones played t moves ago."""
    fading: npt.NDArray[np.float32] = np.exp(-0.1 * np.arange(moves + 1)).astype(np.float32)
    return fading


@cache
def position_mask(grid: Grid) -> npt.NDArray[np.float32]:
    """[row * width + column] exp(-d²/2), by the distance to the centre in points."""
    rows, columns = np.divmod(np.arange(grid.area), grid.width)
    squared = (rows - (grid.height - 1) / 2) ** 2 + (columns - (grid.width - 1) / 2) ** 2
    mask: npt.NDArray[np.float32] = np.exp(-0.5 * squared).astype(np.float32)
    return mask


@kernel
def darkforest_positions(a, walk, border, mask, fading, rank, since, near, out):  # type: ignore[no-untyped-def]
    """Write every position of `walk` to `out` [row, plane, point].

    `mask` and `fading` are `position_mask` and `decay`; `since` int32 [length] and `near` int32
    [2, length], all FAR, are scratch.
    """
    game, played = -1, 0
    for row in walk.rows:
        if walk.games[row] != game or walk.moves[row] < played:
            game, played = walk.games[row], 0
            begin(a, walk, game)
            since[:] = 0
        first = walk.start[game]
        while played < walk.moves[row]:
            point = walk.place[walk.points[first + played]]
            place(a, point, walk.colours[first + played])
            since[point] = played
            played += 1
        own = side_to_move(walk, game, played)
        symmetry = walk.symmetries[row]
        sheet, turn = out[row], walk.turn[symmetry]
        sheet[:PLANES] = 0
        stones_by_liberties(a, walk, own, row, symmetry, out)
        nearest(a, walk, own, near[0], near[1])
        ranked = index(RANK + rank - 1)
        for p in range(walk.place.size - 1):
            to, point = index(turn[index(p)]), index(walk.place[index(p)])
            colour = a.colour[point]
            if colour == EMPTY:
                sheet[EMPTY_POINTS, to] = 1
            else:
                theirs = np.intp(colour != own)
                sheet[index(OWN + theirs), to] = 1
                sheet[index(HISTORY + theirs), to] = fading[index(played - since[point])]
            sheet[ranked, to] = 1
            sheet[POSITION, to] = mask[index(p)]
            sheet[CLOSEST, to] = near[0, point] < near[1, point]
            sheet[CLOSEST + 1, to] = near[1, point] < near[0, point]
        for p in border:
            sheet[BORDER, turn[p]] = 1


@inlined
def nearest(a, walk, own, ours, theirs):  # type: ignore[no-untyped-def]
    """Steps to the nearest stone, own and the opponent's, for each point: there and back once.

    Going down the board, what is above and to the left is known; coming up, the rest.
    """
    stride = np.int64(a.state[STRIDE])
    last = walk.place.size - 2
    for p in range(last + 1):
        point = np.int64(walk.place[index(p)])
        colour = a.colour[index(point)]
        up, left = index(point - stride), index(point - 1)
        ours[index(point)] = 0 if colour == own else min(ours[up], ours[left]) + 1
        away = colour == own or colour == EMPTY
        theirs[index(point)] = min(theirs[up], theirs[left]) + 1 if away else 0
    for p in range(last, -1, -1):
        point = np.int64(walk.place[index(p)])
        down, right = index(point + stride), index(point + 1)
        ours[index(point)] = min(ours[index(point)], min(ours[down], ours[right]) + 1)
        theirs[index(point)] = min(theirs[index(point)], min(theirs[down], theirs[right]) + 1)
