"""Which moves the rules allow, and records played as far as they do."""

from __future__ import annotations

import numpy as np

from miai.go.coords import BLACK, EMPTY, OFF, PASS, WHITE
from miai.go.kernels.arrays import (
    CAPTURED_AT,
    KO,
    KO_COLOUR,
    LOG_PER_MOVE,
    LOG_TOP,
    MOVES,
    STRIDE,
    beside,
    clear,
    index,
)
from miai.go.kernels.moves import place, situation
from miai.kernel import inlined, leaf

# `ko_rule` of the kernels
SIMPLE_KO, POSITIONAL_SUPERKO, SITUATIONAL_SUPERKO = 0, 1, 2

# answers of `why_illegal`
LEGAL, OCCUPIED, OFF_BOARD, KO_BAN, SUICIDE, SUPERKO = 0, 1, 2, 3, 4, 5


@inlined
def why_illegal(a, point, colour, suicide_allowed, ko_rule):  # type: ignore[no-untyped-def]
    """LEGAL, or the rule this move breaks."""
    if point == PASS:
        return LEGAL
    if a.colour[index(point)] != EMPTY:
        return OFF_BOARD if a.colour[index(point)] == OFF else OCCUPIED
    if point == a.state[KO] and colour == a.state[KO_COLOUR]:
        return KO_BAN
    captures = breathes = False
    for direction in range(4):
        neighbour = beside(point, a.state[STRIDE], direction)
        content = a.colour[neighbour]
        libs = a.libs[a.head[neighbour]]
        breathes |= (content == EMPTY) | ((content == colour) & (libs > 1))
        captures |= (content == BLACK + WHITE - colour) & (libs == 1)
    suicide = not (captures or breathes)
    if suicide and not suicide_allowed:
        return SUICIDE
    # A position comes back when stones leave, or when one is put back where it was captured.
    may_repeat = ko_rule != SIMPLE_KO and (captures or suicide or captured_at(a, point))
    if may_repeat and would_repeat(a, point, colour, suicide, ko_rule):
        return SUPERKO
    return LEGAL


@inlined
def captured_at(a, point):  # type: ignore[no-untyped-def]
    """Was a stone ever captured on this point?"""
    return (a.state[CAPTURED_AT + (point >> 6)] >> (point & 63)) & 1 != 0


@leaf
def would_repeat(a, point, colour, suicide, ko_rule):  # type: ignore[no-untyped-def]
    """Would this move bring back an earlier position (with the same player to move)?"""
    enemy = BLACK + WHITE - colour
    gone = colour if suicide else enemy
    here = a.hash[0]
    if not suicide:
        here ^= a.keys[colour, point]
    stride = a.state[STRIDE]
    for direction in range(4):
        head = a.head[beside(point, stride, direction)]
        new = head != 0 and a.colour[head] == gone and a.libs[head] == 1
        for earlier in range(direction):
            new = new and a.head[beside(point, stride, earlier)] != head
        if new:
            stone = head
            while True:
                here ^= a.keys[gone, stone]
                stone = a.next[stone]
                if stone == head:
                    break
    stones_only = np.uint64(2**63 - 1)
    repeats = False
    if ko_rule == POSITIONAL_SUPERKO:
        repeats = here == a.hash[0]
        for i in range(a.state[MOVES]):
            repeats |= (a.history[i] & stones_only) == here
    else:
        here = situation(here, enemy)
        for i in range(a.state[MOVES]):
            repeats |= a.history[i] == here
    return repeats


@leaf
def legal_points(a, colour, suicide_allowed, ko_rule, out):  # type: ignore[no-untyped-def]
    """Write every legal move but the pass to `out`; returns how many."""
    count = 0
    for point in range(a.colour.size):
        if a.colour[point] == EMPTY and why_illegal(a, point, colour, suicide_allowed, ko_rule) == LEGAL:
            out[count] = point
            count += 1
    return count


@inlined
def replay(a, points, colours, start, end, suicide_allowed, ko_rule):  # type: ignore[no-untyped-def]
    """Play moves `start` to `end` of a record, or to the first illegal one; returns the index reached.

    Also stops when the log or the history is full: the caller makes room and calls again.
    """
    area = a.colour.size
    for i in range(start, end):
        full = a.state[LOG_TOP] + LOG_PER_MOVE + area > a.log.size or a.state[MOVES] + 1 >= a.history.size
        point, colour = points[index(i)], colours[index(i)]
        if full or why_illegal(a, point, colour, suicide_allowed, ko_rule) != LEGAL:
            return i
        place(a, point, colour)
    return end


@leaf
def replay_games(a, points, colours, starts, suicide_allowed, ko_rule, played):  # type: ignore[no-untyped-def]
    """Replay game after game, each from the empty board, and write how many moves of each were played.

    `starts` is [game + 1] where each game's moves begin; `a` must have room for the longest.
    """
    for game in range(starts.size - 1):
        clear(a)
        start, end = starts[game], starts[game + 1]
        played[game] = replay(a, points, colours, start, end, suicide_allowed, ko_rule) - start
