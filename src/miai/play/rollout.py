"""Random games to the end: the cheapest player there is, and a stress test of the rules.

Each move is drawn uniformly from the legal moves that do not fill an eye of one's own; a player with
none passes. A game ends with two passes or after 3 × area moves, and is counted by area. Ko is the
simple-ko ban, suicide is forbidden, komi is left out.

The draw needs no list of legal moves: it takes a random empty point, and when that will not do, sets
it aside for this move and draws again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, OFF, PASS, WHITE
from miai.go.kernels.arrays import KO, KO_COLOUR, LOG_TOP, MOVES, STRIDE, empty_arrays, side
from miai.go.kernels.legality import LEGAL, SIMPLE_KO, why_illegal
from miai.go.kernels.moves import place
from miai.go.scoring import owners_kernel
from miai.kernel import kernel, leaf


def rollouts(board: Board, count: int = 1, *, seed: int) -> npt.NDArray[np.int32]:
    """Black's area less White's at the end of `count` random games from `board`.

    The same seed gives the same games on every machine. The board is left as it is.
    """
    margins = np.empty(count, dtype=np.int32)
    scratch = empty_arrays(board.grid)
    rollouts_kernel(board.arrays, scratch, board.to_move, board.grid.area, seeded(seed), margins)
    return margins


def seeded(seed: int) -> npt.NDArray[np.uint64]:
    """The state of `draw`, uint64 [1], well mixed: seeds that are alike would give alike first draws."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1)  # 0 would stay 0


@kernel
def rollouts_kernel(a, scratch, to_move, area, random, margins):  # type: ignore[no-untyped-def]
    """Fill `margins`, playing on `scratch`, the arrays of any board of the same size."""
    empties = np.empty(area, dtype=np.int32)
    owner = np.empty(a.colour.size, dtype=np.int8)
    region = np.empty(a.colour.size, dtype=np.int32)
    queue = np.empty(a.colour.size, dtype=np.int32)
    for i in range(margins.size):
        copy_position(a, scratch)
        play_out(scratch, to_move, 3 * area, random, empties)
        margins[i] = owners_kernel(scratch.colour, scratch.state[STRIDE], owner, region, queue)


@kernel
def copy_position(a, to):  # type: ignore[no-untyped-def]
    """Copy stones and ko, but not the log, the history and the scratch marks."""
    to.colour[:] = a.colour
    to.head[:] = a.head
    to.next[:] = a.next
    to.libs[:] = a.libs
    to.size[:] = a.size
    to.hash[0] = a.hash[0]
    to.state[KO] = a.state[KO]
    to.state[KO_COLOUR] = a.state[KO_COLOUR]


@kernel
def play_out(a, to_move, most_moves, random, empties):  # type: ignore[no-untyped-def]
    """Play one game to its end on `a`, whose log and history are lost; returns the number of moves."""
    state, log = a.state, a.log
    count = 0
    for point in range(a.colour.size):
        if a.colour[point] == EMPTY:
            empties[count] = point
            count += 1
    passes = moves = 0
    while passes < 2 and moves < most_moves:
        state[LOG_TOP] = state[MOVES] = 0  # nothing is taken back
        untried, chosen = count, PASS
        while untried > 0:
            i = draw(random, untried)
            point = empties[i]
            untried -= 1
            empties[i], empties[untried] = empties[untried], point
            if not is_eye(a, point, to_move) and why_illegal(a, point, to_move, False, SIMPLE_KO) == LEGAL:
                chosen = point
                break
        place(a, chosen, to_move)
        passes += 1
        if chosen != PASS:
            passes = 0
            count -= 1
            empties[untried] = empties[count]
            end = state[LOG_TOP] - 7  # of the captured chains, each logged as its stones and their number
            for _ in range(log[end]):
                end -= 1
                for stone in log[end - log[end] : end]:
                    empties[count] = stone
                    count += 1
                end -= log[end]
        to_move = BLACK + WHITE - to_move
        moves += 1
    return moves


@leaf
def is_eye(a, point, colour):  # type: ignore[no-untyped-def]
    """Is this empty point an eye of `colour`, by the look of it?

    Its neighbours are all of that colour, and of the diagonal points the enemy has at most one, or
    none at the edge of the board.
    """
    stride = a.state[STRIDE]
    for direction in range(4):
        content = a.colour[point + side(stride, direction)]
        if content != colour and content != OFF:
            return False
    enemies = edge = 0
    enemy = BLACK + WHITE - colour
    for vertical in (-stride, stride):
        for horizontal in (-1, 1):
            content = a.colour[point + vertical + horizontal]
            enemies += content == enemy
            edge |= content == OFF
    return enemies + edge <= 1


@leaf
def draw(random, below):  # type: ignore[no-untyped-def]
    """A number from 0 to `below` - 1, and the next state: xorshift with shifts 13, 7 and 17."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return np.int64(((x >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32))
