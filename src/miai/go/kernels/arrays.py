"""A board as flat arrays, and the steps from a point to its neighbours: what every kernel here works on.

A chain is a ring of stones through `next`; `head` names each stone's chain, and `libs` and `size` are kept
at the head only, zero elsewhere. Next: `moves`.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.go.coords import EMPTY, MAX_SIDE, NO_POINT, OFF, Grid
from miai.kernel import inlined, leaf

# places in `state`
STRIDE, KO, KO_COLOUR, LOG_TOP, MOVES, EPOCH, CAPTURED_BY = 0, 1, 2, 3, 4, 5, 6  # CAPTURED_BY + colour
CAPTURED_AT = 9  # and on: a bit for each point where a stone was ever captured; not taken back
STATE_LENGTH = CAPTURED_AT + ((MAX_SIDE + 2) * (MAX_SIDE + 1) + 1 + 63) // 64

# A chain with this many liberties or more is never captured: `setup_stone(immortal=True)` gives them.
IMMORTAL = 1 << 20

LOG_PER_MOVE = 23  # the most one move writes, not counting the stones it captures


class Arrays(NamedTuple):
    """A board, as the kernels see it. `length` is the padded line of `coords.Grid`."""

    colour: npt.NDArray[np.int8]  # [length] EMPTY, BLACK, WHITE, OFF
    head: npt.NDArray[np.uint32]  # [length] a stone's chain; 0 where there is no stone
    next: npt.NDArray[np.uint32]  # [length] next stone of the ring; 0 where there is no stone
    libs: npt.NDArray[np.int32]  # [length] liberties, at heads
    size: npt.NDArray[np.int32]  # [length] stones, at heads
    mark: npt.NDArray[np.int64]  # [length] scratch: a point is marked when it holds state[EPOCH]
    keys: npt.NDArray[np.uint64]  # [3, length] Zobrist keys by colour; row 0 is unused
    hash: npt.NDArray[np.uint64]  # [1] of the stones
    state: npt.NDArray[np.int64]  # [STATE_LENGTH]
    log: npt.NDArray[np.int32]  # [growing] what `take_back` needs
    history: npt.NDArray[np.uint64]  # [growing] hash before each move, and in the top bit who moved


@cache
def zobrist_keys(grid: Grid) -> npt.NDArray[np.uint64]:
    """Fixed random keys, the same in every run and on every machine."""
    seed = 0x6D696169 + grid.width * 100 + grid.height
    generator = np.random.Generator(np.random.PCG64(seed))
    return generator.integers(1, 2**63, size=(3, grid.length), dtype=np.uint64)


@cache
def _blank(grid: Grid) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """`colour` and `state` of the empty board."""
    colour = np.full(grid.length, OFF, dtype=np.int8)
    colour[grid.points] = EMPTY
    state = np.zeros(STATE_LENGTH, dtype=np.int64)
    state[STRIDE] = grid.stride
    state[KO] = NO_POINT
    return colour, state


def empty_arrays(grid: Grid) -> Arrays:
    """The empty board, with room to play a game of usual length. Takes a few microseconds."""
    colour, state = _blank(grid)
    rings = np.zeros((2, grid.length), dtype=np.uint32)
    counts = np.zeros((2, grid.length), dtype=np.int32)
    return Arrays(
        colour.copy(),
        rings[0],
        rings[1],
        counts[0],
        counts[1],
        np.zeros(grid.length, dtype=np.int64),
        zobrist_keys(grid),
        np.zeros(1, dtype=np.uint64),
        state.copy(),
        np.empty(log_room(grid.area, grid.length), dtype=np.int32),
        np.empty(grid.area + 2, dtype=np.uint64),
    )


def log_room(moves: int, length: int) -> int:
    """What the log must hold for `moves` moves on a padded line of `length`.

    A stone is captured once for each time it is played, and those there already once more.
    """
    return (LOG_PER_MOVE + 1) * (moves + 1) + 2 * length


@leaf
def clear(a):  # type: ignore[no-untyped-def]
    """Take everything off the board and forget what was played."""
    for point in range(a.colour.size):
        if a.colour[point] != OFF:
            a.colour[point] = EMPTY
        a.head[point] = a.next[point] = 0
        a.libs[point] = a.size[point] = 0
    a.hash[0] = 0
    a.state[KO] = NO_POINT
    a.state[KO_COLOUR] = EMPTY
    a.state[LOG_TOP] = a.state[MOVES] = 0
    for i in range(CAPTURED_BY, STATE_LENGTH):
        a.state[i] = 0


@inlined
def side(stride, direction):  # type: ignore[no-untyped-def]
    """The step to one of the four neighbours: 0 up, 1 left, 2 right, 3 down."""
    if direction == 0:
        return -stride
    if direction == 1:
        return np.int64(-1)
    if direction == 2:
        return np.int64(1)
    return stride


@inlined
def index(point):  # type: ignore[no-untyped-def]
    """A point to index with. Numba looks whether a signed index counts from the end, each time.

    Do no arithmetic with the result: Numba makes a float of unsigned and signed.
    """
    return np.uintp(point)


@inlined
def beside(point, stride, direction):  # type: ignore[no-untyped-def]
    """One of the four neighbours, to index with."""
    return index(np.intp(point) + side(stride, direction))
