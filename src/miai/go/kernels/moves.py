"""Moves: a stone comes down, chains join, captures leave; and the exact reverse.

`place` plays a move and `take_back` undoes it. Everything `place` cannot reverse by itself it writes to
`log`, from the bottom up:

    for each chain that joined:    head, libs, size        (the chain that stays comes first)
    for each chain captured:       its stones in ring order, their number
    the move:                      chains captured, chains joined, suicide, ko point, ko colour,
                                   colour, point
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import BLACK, EMPTY, NO_POINT, PASS, WHITE
from miai.go.kernels.arrays import (
    CAPTURED_BY,
    IMMORTAL,
    KO,
    KO_COLOUR,
    LOG_TOP,
    MOVES,
    STRIDE,
    beside,
    index,
    side,
)
from miai.go.kernels.chains import change_liberties_around, join, part, remove_chain, restore_chain, touches
from miai.kernel import inlined, leaf


@inlined
def place(a, point, colour):  # type: ignore[no-untyped-def]
    """Play a stone, or PASS. Checks nothing: ask `why_illegal` first. Returns stones captured."""
    state, log = a.state, a.log
    a.history[index(state[MOVES])] = situation(a.hash[0], colour)
    state[MOVES] += 1
    old_ko, old_ko_colour = state[KO], state[KO_COLOUR]
    state[KO] = NO_POINT
    state[KO_COLOUR] = EMPTY
    joined = captured_chains = captured = suicide = 0
    if point != PASS:
        stride = state[STRIDE]
        here = index(point)
        a.colour[here] = colour
        a.hash[0] ^= a.keys[index(colour), here]
        change_liberties_around(a, point, -1)

        # join own chains, into the largest
        root, empty, own = index(0), 0, 0
        for direction in range(4):
            neighbour = beside(point, stride, direction)
            empty += a.colour[neighbour] == EMPTY
            head = index(a.head[neighbour]) if a.colour[neighbour] == colour else index(0)
            own += head != 0
            root = head if a.size[head] > a.size[root] else root
        if own == 0:
            root = here
            a.head[here] = a.next[here] = here
            a.size[here] = 1
            a.libs[here] = empty
        else:
            log_chain(a, root)
            joined = 1
            for direction in range(4):
                neighbour = beside(point, stride, direction)
                is_empty = a.colour[neighbour] == EMPTY
                a.libs[root] += is_empty & ~touches(a, neighbour if is_empty else here, root)
            a.head[here] = root
            a.next[here] = a.next[root]
            a.next[root] = here
            a.size[root] += 1
            if own > 1:
                for direction in range(4):
                    other = a.head[beside(point, stride, direction)]
                    if other and other != root and a.colour[other] == colour:
                        log_chain(a, other)
                        joined += 1
                        join(a, root, other)

        takes = False
        for direction in range(4):
            neighbour = beside(point, stride, direction)
            enemy = a.colour[neighbour] == BLACK + WHITE - colour
            takes |= enemy & (a.libs[a.head[neighbour]] == 0)
        if takes:
            taken = index(0)
            for direction in range(4):
                neighbour = beside(point, stride, direction)
                head = index(a.head[neighbour])
                if head and a.colour[neighbour] != colour and a.libs[head] == 0:
                    captured += remove_chain(a, head)
                    captured_chains += 1
                    taken = neighbour
            state[CAPTURED_BY + colour] += captured
            if captured == 1 and a.size[root] == 1 and a.libs[root] == 1:
                state[KO] = taken
                state[KO_COLOUR] = BLACK + WHITE - colour
        elif a.libs[root] == 0:
            state[CAPTURED_BY + BLACK + WHITE - colour] += remove_chain(a, root)
            suicide = 1
    top = state[LOG_TOP]
    log[index(top)] = captured_chains
    log[index(top + 1)] = joined
    log[index(top + 2)] = suicide
    log[index(top + 3)] = old_ko
    log[index(top + 4)] = old_ko_colour
    log[index(top + 5)] = colour
    log[index(top + 6)] = point
    state[LOG_TOP] = top + 7
    return captured


@inlined
def log_chain(a, head):  # type: ignore[no-untyped-def]
    """Write to the log what a chain is before it joins another."""
    top = a.state[LOG_TOP]
    a.log[index(top)] = head
    a.log[index(top + 1)] = a.libs[head]
    a.log[index(top + 2)] = a.size[head]
    a.state[LOG_TOP] = top + 3


@leaf
def take_back(a):  # type: ignore[no-untyped-def]
    """Undo the last `place`: every array is as it was, scratch apart. Returns the point."""
    state, log = a.state, a.log
    top = state[LOG_TOP] - 7
    captured_chains, joined, suicide = log[top], log[top + 1], log[top + 2]
    colour, point = log[top + 5], log[top + 6]
    enemy = BLACK + WHITE - colour
    state[KO] = log[top + 3]
    state[KO_COLOUR] = log[top + 4]
    state[LOG_TOP] = top
    state[MOVES] -= 1
    if point == PASS:
        return point
    if suicide:
        state[CAPTURED_BY + enemy] -= restore_chain(a, colour)
    for _ in range(captured_chains):
        state[CAPTURED_BY + colour] -= restore_chain(a, enemy)
    if joined:
        bottom = state[LOG_TOP] - 3 * joined
        root = log[bottom]
        for i in range(joined - 1, 0, -1):
            entry = bottom + 3 * i
            part(a, root, log[entry], log[entry + 1], log[entry + 2])
        part(a, root, point, 0, 1)
        a.libs[root] = log[bottom + 1]
        state[LOG_TOP] = bottom
    a.colour[point] = EMPTY
    a.hash[0] ^= a.keys[colour, point]
    a.head[point] = 0
    a.next[point] = 0
    a.libs[point] = 0
    a.size[point] = 0
    change_liberties_around(a, point, 1)
    return point


@inlined
def situation(stones, to_move):  # type: ignore[no-untyped-def]
    """The hash of stones with, in the bit that no key has, the player to move."""
    return stones | (np.uint64(to_move == WHITE) << np.uint64(63))


@leaf
def setup_stone(a, point, colour, immortal):  # type: ignore[no-untyped-def]
    """Put a stone on an empty point without capturing: chains may be left without liberties.

    An immortal stone, and every chain that it joins, is safe from capture for good.

    Writes nothing to the log: what is set up is not taken back.
    """
    stride = a.state[STRIDE]
    a.colour[point] = colour
    a.hash[0] ^= a.keys[colour, point]
    change_liberties_around(a, point, -1)
    a.head[point] = point
    a.next[point] = point
    a.size[point] = 1
    a.libs[point] = IMMORTAL if immortal else 0
    for direction in range(4):
        neighbour = point + side(stride, direction)
        if a.colour[neighbour] == EMPTY:
            a.libs[point] += 1
    for direction in range(4):
        neighbour = point + side(stride, direction)
        if a.colour[neighbour] == colour and a.head[neighbour] != a.head[point]:
            join(a, a.head[point], a.head[neighbour])
