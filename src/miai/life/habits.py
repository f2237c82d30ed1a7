"""What a move looks like, in a few small classes, and how often such a move is the one that wins.

`describe` puts a move into one class of each group: what is around it, how near it is to the edge, to the
target and to the last moves, what it captures, threatens and saves. The weights in `habits.npz`, one set
for each side, were learned from proofs (`miai.train.habits`). `likelihood` is their sum, with all that
depends on the stones around added up beforehand. It says in what order moves are tried, and decides
nothing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from miai.go.coords import EMPTY, OFF, WHITE
from miai.go.kernels.arrays import IMMORTAL, STRIDE, side
from miai.kernel import kernel, leaf
from miai.life.space import ATTACKER, TURN

WEIGHTS_FILE = Path(__file__).with_name("habits.npz")


def unordered(classes: int) -> npt.NDArray[np.int64]:
    """The number of each unordered choice of four classes, at every way to write it."""
    numbers: dict[tuple[int, ...], int] = {}
    choices = np.ndindex((classes,) * 4)
    return np.array([numbers.setdefault(tuple(sorted(choice)), len(numbers)) for choice in choices])


def patterns() -> npt.NDArray[np.int64]:
    """The number of each pattern of the eight points around, the same for its turns and reflections.

    Two bits a point, clockwise from above: 0 empty, 1 own, 2 the opponent's, 3 off the board.
    """
    codes = np.arange(1 << 16)
    digits = np.stack([(codes >> (2 * k)) & 3 for k in range(8)])
    mirrored = digits[(8 - np.arange(8)) % 8]
    powers = 4 ** np.arange(8)
    turned = [powers @ np.roll(view, 2 * k, axis=0) for view in (digits, mirrored) for k in range(4)]
    return np.unique(np.min(turned, axis=0), return_inverse=True)[1].reshape(-1)


BESIDE_NUMBER = unordered(8)
PATTERN_NUMBER = patterns()

# The groups, and how many classes each has.
BESIDE, PATTERN, JOINS, EDGE, NEAR, AFTER_LAST, AFTER_OWN, LIBERTIES, CAPTURES, THREATENS, SAVES = range(11)
GROUPS = (int(BESIDE_NUMBER.max()) + 1, int(PATTERN_NUMBER.max()) + 1, 2, 15, 8, 8, 8, 8, 3, 4, 3)
FEATURES = len(GROUPS)
STARTS = tuple(int(n) for n in np.cumsum((0, *GROUPS)))


def read_weights() -> npt.NDArray[np.int16]:
    """[side, class], in sixteenths: first the defender's, then the attacker's."""
    with np.load(WEIGHTS_FILE) as file:
        return np.asarray(file["weights"], dtype=np.int16)


WEIGHTS = read_weights()
BESIDE_WEIGHTS = WEIGHTS[:, STARTS[BESIDE] + BESIDE_NUMBER]  # [side, number of `look_around`]
PATTERN_WEIGHTS = WEIGHTS[:, STARTS[PATTERN] + PATTERN_NUMBER]  # [side, number of `pattern`]


@leaf
def look_around(s, point, found):  # type: ignore[no-untyped-def]
    """The class in the groups JOINS, LIBERTIES, CAPTURES, THREATENS and SAVES, and what is BESIDE.

    That one is a number with an octal digit a side: 0 edge, 1 empty, 2–4 own, 5–7 the opponent's, by their
    liberties, with immortal stones as the strongest.
    """
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


@leaf
def pattern(s, point):  # type: ignore[no-untyped-def]
    """The eight points around as a number, as in `patterns`."""
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
    return code


@kernel
def describe(s, point, last, before, classes):  # type: ignore[no-untyped-def]
    """The class of a legal move of the side to move in each group.

    `last` and `before` are the last two moves, or less than 1 where there is none.
    """
    look_around(s, point, classes)
    classes[BESIDE] = BESIDE_NUMBER[classes[BESIDE]]
    classes[PATTERN] = PATTERN_NUMBER[pattern(s, point)]
    classes[EDGE] = s.edge[point]
    classes[NEAR] = min(s.near[point], 7)
    classes[AFTER_LAST] = s.relation[abs(point - last)] if last > 0 else 0
    classes[AFTER_OWN] = s.relation[abs(point - before)] if before > 0 else 0


@leaf
def likelihood(s, point, last, before, found):  # type: ignore[no-untyped-def]
    """How likely the move is the one that wins: a logarithm, in sixteenths. `found` is scratch."""
    player = 1 if s.facts[TURN] == s.facts[ATTACKER] else 0
    look_around(s, point, found)
    total = np.int64(BESIDE_WEIGHTS[player, found[BESIDE]]) + PATTERN_WEIGHTS[player, pattern(s, point)]
    total += (
        WEIGHTS[player, STARTS[JOINS] + found[JOINS]] + WEIGHTS[player, STARTS[LIBERTIES] + found[LIBERTIES]]
    )
    total += (
        WEIGHTS[player, STARTS[CAPTURES] + found[CAPTURES]]
        + WEIGHTS[player, STARTS[THREATENS] + found[THREATENS]]
    )
    total += WEIGHTS[player, STARTS[SAVES] + found[SAVES]] + WEIGHTS[player, STARTS[EDGE] + s.edge[point]]
    total += WEIGHTS[player, STARTS[NEAR] + min(s.near[point], 7)]
    total += WEIGHTS[player, STARTS[AFTER_LAST] + (s.relation[abs(point - last)] if last > 0 else 0)]
    total += WEIGHTS[player, STARTS[AFTER_OWN] + (s.relation[abs(point - before)] if before > 0 else 0)]
    return total
