"""First guesses: how likely a move is, how much work a position is. They steer, and decide nothing.

This is where a network will speak later: a function from positions to the two numbers of `estimate`.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import EMPTY, OFF
from miai.go.kernels.arrays import IMMORTAL, STRIDE, side
from miai.kernel import kernel
from miai.life.space import ATTACKER, DEFENDER, POINTS, TURN
from miai.life.tree import EYE, LIBERTY, NEED, ROOM, UNIT


@kernel
def penalty(s, point):  # type: ignore[no-untyped-def]
    """How unlikely the side to move is to need this move: 0 for the likely ones."""
    a = s.board
    colour = s.facts[TURN]
    stride = a.state[STRIDE]
    empty = own = 0
    walled = False
    rescue = capture = False
    own_liberties = 0
    for direction in range(4):
        neighbour = point + side(stride, direction)
        content = a.colour[neighbour]
        if content == EMPTY:
            empty += 1
        elif content == OFF:
            own += 1
        elif content == colour:
            own += 1
            liberties = a.libs[a.head[neighbour]]
            own_liberties = max(own_liberties, liberties)
            if liberties == 1:
                rescue = True
        else:
            if a.libs[a.head[neighbour]] == 1:
                capture = True
        if content == s.facts[ATTACKER] and a.libs[a.head[neighbour]] >= IMMORTAL:
            walled = True
    cost = 0
    if capture:
        return 0
    if walled and not rescue and (colour == s.facts[DEFENDER] or empty > 1):
        cost += 1  # no eye can come of it, and nothing is lost by waiting
    if own == 4:
        cost += 3  # fills a point of its own
    elif empty == 0 and own_liberties <= 2:
        cost += 2 if colour == s.facts[DEFENDER] else 1  # puts itself into atari
    elif empty == 1 and own_liberties == 0:
        cost += 1
    if rescue:
        cost -= 1
    distance = s.near[point]
    if distance > 2:
        cost += min(distance - 2, 4)
    return max(cost, 0)


@kernel
def estimate(s, t, eyes):  # type: ignore[no-untyped-def]
    """A first guess at the work to capture the target and at the work to save it.

    `eyes` is the number of closed areas.
    """
    a = s.board
    facts = s.facts
    stride = a.state[STRIDE]
    attacker = facts[ATTACKER]
    room = 0
    liberties = 0
    for bit in range(facts[POINTS]):
        point = s.point[bit]
        if a.colour[point] == EMPTY:
            free = True
            close = False
            for direction in range(4):
                content = a.colour[point + side(stride, direction)]
                if content == attacker:
                    free = False
                elif content == facts[DEFENDER]:
                    close = True
            if free and close:
                room += 1
        elif s.marked[point] == 1:
            liberties = max(liberties, a.libs[a.head[point]])
    promise = t.settings[EYE] * eyes + t.settings[ROOM] * room
    capture = 1 + (4 + promise + t.settings[LIBERTY] * min(liberties, 12)) * UNIT // 4
    live = 1 + (4 + max(0, t.settings[NEED] - promise)) * UNIT // 4
    return np.int64(capture), np.int64(live)
