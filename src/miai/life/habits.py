"""What a move looks like, in a few small classes, and how often such a move is the one that wins.

`describe` puts a move into one class of each group of FEATURES: what is next to it, how near it is to the
edge, to the target and to the last moves, what it captures, saves and cuts. The weights were learned
from searches (`learn_habits`), one set for the attacker and one for the defender; `likelihood` adds them
up. They decide in what order moves are tried, and nothing else.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import EMPTY, OFF
from miai.go.kernels import IMMORTAL, STRIDE, side
from miai.kernel import kernel
from miai.life.ahead import parts
from miai.life.habit_weights import WEIGHTS
from miai.life.space import ATTACKER, TURN

SIDES, CORNERS = 330, 35  # unordered choices of 4 out of 8 and out of 4 classes, repetition allowed
GROUPS = (SIDES, CORNERS, 10, 15, 8, 8, 8, 8, 3, 4, 3)
STARTS = tuple(int(n) for n in np.cumsum((0, *GROUPS)))
FEATURES = len(GROUPS)
CLASSES = STARTS[-1]


def _unordered(classes: int) -> np.ndarray:
    """The number of each unordered choice of four classes, at every way to write it."""
    numbers: dict[tuple[int, ...], int] = {}
    table = np.zeros((classes,) * 4, dtype=np.int16)
    for choice in np.ndindex(table.shape):
        table[choice] = numbers.setdefault(tuple(sorted(choice)), len(numbers))
    return table


SIDE_NUMBER = _unordered(8)
CORNER_NUMBER = _unordered(4)


@kernel
def class_of_neighbour(s, neighbour, colour):  # type: ignore[no-untyped-def]
    """0 edge, 1 empty, 2–4 own, 5–7 the opponent's: by liberties, with immortal stones as the strongest."""
    content = s.board.colour[neighbour]
    if content == OFF:
        return 0
    if content == EMPTY:
        return 1
    liberties = s.board.libs[s.board.head[neighbour]]
    if content == colour:
        return 2 if liberties <= 2 else 4 if liberties >= IMMORTAL else 3
    return 5 if liberties <= 2 else 7 if liberties >= IMMORTAL else 6


@kernel
def class_of_corner(s, corner, colour):  # type: ignore[no-untyped-def]
    content = s.board.colour[corner]
    return 0 if content == OFF else 1 if content == EMPTY else 2 if content == colour else 3


@kernel
def relation(s, point, other):  # type: ignore[no-untyped-def]
    """How a point lies to another: 0 there is none, 1 next to it, … 7 far."""
    if other <= 0:
        return 0
    stride = s.board.state[STRIDE]
    rows = abs(point // stride - other // stride)
    columns = abs(point % stride - other % stride)
    small, large = min(rows, columns), max(rows, columns)
    if large == 0:
        return 7
    if large == 1:
        return 1 + small
    if large == 2:
        return 3 + small
    return 6 if large == 3 else 7


@kernel
def line(s, step, point):  # type: ignore[no-untyped-def]
    """How many steps this way lead off the board, up to 5."""
    steps = 1
    point += step
    while steps < 5 and s.board.colour[point] != OFF:
        steps += 1
        point += step
    return steps


@kernel
def describe(s, point, last, before, out):  # type: ignore[no-untyped-def]
    """The class of a legal move of the side to move in each group; `last` and `before` are the last moves."""
    a = s.board
    colour = s.facts[TURN]
    stride = a.state[STRIDE]
    out[0] = SIDE_NUMBER[
        class_of_neighbour(s, point - stride, colour),
        class_of_neighbour(s, point + stride, colour),
        class_of_neighbour(s, point - 1, colour),
        class_of_neighbour(s, point + 1, colour),
    ]
    out[1] = CORNER_NUMBER[
        class_of_corner(s, point - stride - 1, colour),
        class_of_corner(s, point - stride + 1, colour),
        class_of_corner(s, point + stride - 1, colour),
        class_of_corner(s, point + stride + 1, colour),
    ]
    empty = strongest = weakest = 0
    threatened = captured = saved = 0
    first = 0
    joined = False
    for direction in range(4):
        neighbour = point + side(stride, direction)
        content = a.colour[neighbour]
        if content == EMPTY:
            empty += 1
        elif content != OFF:
            head = a.head[neighbour]
            liberties = a.libs[head]
            if content == colour:
                strongest = max(strongest, liberties)
                if liberties == 1:
                    saved = max(saved, 1 if a.size[head] == 1 else 2)
                joined = joined or (first != 0 and first != head)
                first = head
            elif liberties == 1:
                captured = max(captured, 1 if a.size[head] == 1 else 2)
            elif liberties == 2:
                weakest += 1
                threatened = max(threatened, 1 if a.size[head] == 1 else 2)
    out[2] = parts(s, point) * 2 + joined
    across = min(line(s, -1, point), line(s, 1, point))
    up = min(line(s, -stride, point), line(s, stride, point))
    low, high = min(across, up) - 1, max(across, up) - 1
    out[3] = high * (high + 1) // 2 + low
    out[4] = min(s.near[point], 7)
    out[5] = relation(s, point, last)
    out[6] = relation(s, point, before)
    out[7] = min(empty + max(0, min(strongest, 8) - 1) + (1 if captured else 0), 7)
    out[8] = captured
    out[9] = threatened + (1 if weakest > 1 else 0)
    out[10] = saved


@kernel
def likelihood(s, point, last, before, out):  # type: ignore[no-untyped-def]
    """How likely the move is the one that wins: a logarithm, in sixteenths."""
    describe(s, point, last, before, out)
    player = 1 if s.facts[TURN] == s.facts[ATTACKER] else 0
    total = np.int64(0)
    for group in range(FEATURES):
        total += WEIGHTS[player, STARTS[group] + out[group]]
    return total
