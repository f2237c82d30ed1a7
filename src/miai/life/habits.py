"""What a move looks like, in a few small classes, and how often such a move is the one that wins.

`describe` puts a move into one class of each group: what is beside it, how near it is to the edge, to
the target and to the last moves, what it captures, threatens, saves and divides. The weights were learned
from searches (`miai.train.habits`), one set for each side. `likelihood` is their sum, with everything
that depends on few stones added up beforehand. It says in what order moves are tried, and decides nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, EMPTY, OFF, WHITE
from miai.go.kernels.arrays import IMMORTAL, STRIDE, side
from miai.kernel import kernel
from miai.life.ahead import parts
from miai.life.habit_weights import WEIGHTS
from miai.life.space import ATTACKER, TURN

# The groups, and how many classes each has.
BESIDE = 0  # what is on the four sides: unordered choices of 4 out of 8 classes, repetition allowed
AT_CORNERS = 1  # … at the four corners: 4 out of 4
DIVIDES, JOINS, EDGE, NEAR, AFTER_LAST, AFTER_OWN, LIBERTIES, CAPTURES, THREATENS, SAVES = range(2, 12)
GROUPS = (330, 35, 5, 2, 15, 8, 8, 8, 8, 3, 4, 3)
STARTS = tuple(int(n) for n in np.cumsum((0, *GROUPS)))


def unordered(classes: int) -> npt.NDArray[np.int16]:
    """The number of each unordered choice of four classes, at every way to write it."""
    numbers: dict[tuple[int, ...], int] = {}
    table = np.zeros((classes,) * 4, dtype=np.int16)
    for choice in np.ndindex(table.shape):
        table[choice] = numbers.setdefault(tuple(sorted(choice)), len(numbers))
    return table


BESIDE_NUMBER = unordered(8)
CORNER_NUMBER = unordered(4)


@kernel
def class_beside(s, neighbour, colour):  # type: ignore[no-untyped-def]
    """0 edge, 1 empty, 2–4 own, 5–7 the opponent's: by liberties, with immortal stones as the strongest."""
    content = s.board.colour[neighbour]
    if content == OFF:
        return 0
    if content == EMPTY:
        return 1
    liberties = s.board.libs[s.board.head[neighbour]]
    strength = 0 if liberties <= 2 else 2 if liberties >= IMMORTAL else 1
    return (2 if content == colour else 5) + strength


@kernel
def class_at_corner(s, corner, colour):  # type: ignore[no-untyped-def]
    """0 edge, 1 empty, 2 own, 3 the opponent's."""
    content = s.board.colour[corner]
    return 0 if content == OFF else 1 if content == EMPTY else 2 if content == colour else 3


@kernel
def look_around(s, point, found):  # type: ignore[no-untyped-def]
    """The class in the groups JOINS, LIBERTIES, CAPTURES, THREATENS and SAVES, and what is BESIDE, as a
    number with one octal digit a side."""
    a = s.board
    colour = s.facts[TURN]
    beside = empty = strongest = in_danger = 0
    threatens = captures = saves = 0
    first = 0
    joins = 0
    for direction in range(4):
        neighbour = point + side(a.state[STRIDE], direction)
        content = a.colour[neighbour]
        kind = 0
        if content == EMPTY:
            empty += 1
            kind = 1
        elif content != OFF:
            head = a.head[neighbour]
            liberties = a.libs[head]
            how_large = 1 if a.size[head] == 1 else 2
            kind = 0 if liberties <= 2 else 2 if liberties >= IMMORTAL else 1
            if content == colour:
                kind += 2
                strongest = max(strongest, liberties)
                if first != 0 and first != head:
                    joins = 1
                first = head
                if liberties == 1:
                    saves = max(saves, how_large)
            else:
                kind += 5
                if liberties == 1:
                    captures = max(captures, how_large)
                elif liberties == 2:
                    in_danger += 1
                    threatens = max(threatens, how_large)
        beside = beside * 8 + kind
    found[BESIDE] = beside
    found[JOINS] = joins
    found[LIBERTIES] = min(empty + max(0, min(strongest, 8) - 1) + (1 if captures else 0), 7)
    found[CAPTURES] = captures
    found[THREATENS] = threatens + (1 if in_danger > 1 else 0)
    found[SAVES] = saves


@kernel
def describe(s, point, last, before, classes):  # type: ignore[no-untyped-def]
    """The class of a legal move of the side to move in each group.

    `last` and `before` are the last two moves, or less than 1 where there is none.
    """
    stride = s.board.state[STRIDE]
    colour = s.facts[TURN]
    look_around(s, point, classes)
    classes[BESIDE] = BESIDE_NUMBER.ravel()[classes[BESIDE]]
    classes[AT_CORNERS] = CORNER_NUMBER[
        class_at_corner(s, point - stride - 1, colour),
        class_at_corner(s, point - stride + 1, colour),
        class_at_corner(s, point + stride - 1, colour),
        class_at_corner(s, point + stride + 1, colour),
    ]
    classes[DIVIDES] = parts(s, point)
    classes[EDGE] = s.edge[point]
    classes[NEAR] = min(s.near[point], 7)
    classes[AFTER_LAST] = s.relation[abs(point - last)] if last > 0 else 0
    classes[AFTER_OWN] = s.relation[abs(point - before)] if before > 0 else 0


# what is added up beforehand -------------------------------------------------------------------


def beside_weights() -> npt.NDArray[np.int16]:
    """[side, octal number of `look_around`]"""
    return WEIGHTS[:, STARTS[BESIDE] + BESIDE_NUMBER.ravel()]


def around_weights() -> npt.NDArray[np.int16]:
    """[side, colours of the eight points around]: the corners, and into how many parts a stone divides.

    Two bits a point, clockwise from above: 0 empty, 1 own, 2 the opponent's, 3 off the board.
    """
    codes = np.arange(1 << 16)
    content = [(codes >> (2 * k)) & 3 for k in range(8)]
    number = CORNER_NUMBER[tuple(np.array([1, 2, 3, 0])[content[k]] for k in (1, 3, 5, 7))]
    weights = np.zeros((2, codes.size), dtype=np.int16)
    for player, defending in ((0, 1), (1, 2)):
        free = [(c != defending) & (c != 3) for c in content]
        pieces = sum(
            (free[k] & ~(free[k + 1] & free[(k + 2) % 8])).astype(np.int16) for k in range(0, 8, 2)
        )
        weights[player] = (
            WEIGHTS[player, STARTS[AT_CORNERS] + number] + WEIGHTS[player, STARTS[DIVIDES] + pieces]
        )
    return weights


BESIDE_WEIGHTS = beside_weights()
AROUND_WEIGHTS = around_weights()


@kernel
def likelihood(s, point, last, before, found):  # type: ignore[no-untyped-def]
    """How likely the move is the one that wins: a logarithm, in sixteenths. `found` is scratch."""
    colour = s.board.colour
    stride = s.board.state[STRIDE]
    code = (
        np.int64(colour[point - stride])
        | np.int64(colour[point - stride + 1]) << 2
        | np.int64(colour[point + 1]) << 4
        | np.int64(colour[point + stride + 1]) << 6
        | np.int64(colour[point + stride]) << 8
        | np.int64(colour[point + stride - 1]) << 10
        | np.int64(colour[point - 1]) << 12
        | np.int64(colour[point - stride - 1]) << 14
    )
    if s.facts[TURN] == WHITE:  # its own stones are 1
        code ^= ((code ^ (code >> 1)) & 0x5555) * 3
    player = 1 if s.facts[TURN] == s.facts[ATTACKER] else 0
    look_around(s, point, found)
    w = WEIGHTS[player]
    total = np.int64(BESIDE_WEIGHTS[player, found[BESIDE]]) + AROUND_WEIGHTS[player, code]
    total += w[STARTS[JOINS] + found[JOINS]] + w[STARTS[LIBERTIES] + found[LIBERTIES]]
    total += w[STARTS[CAPTURES] + found[CAPTURES]] + w[STARTS[THREATENS] + found[THREATENS]]
    total += w[STARTS[SAVES] + found[SAVES]] + w[STARTS[EDGE] + s.edge[point]]
    total += w[STARTS[NEAR] + min(s.near[point], 7)]
    total += w[STARTS[AFTER_LAST] + (s.relation[abs(point - last)] if last > 0 else 0)]
    total += w[STARTS[AFTER_OWN] + (s.relation[abs(point - before)] if before > 0 else 0)]
    return total
