"""A first guess at how much work a position is. It steers, and decides nothing.

This is where a network will speak later: a function from positions to the two numbers of `estimate`.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import EMPTY
from miai.go.kernels.arrays import STRIDE, side
from miai.kernel import leaf
from miai.life.space import ATTACKER, DEFENDER, POINTS
from miai.life.tree import EYE, LIBERTY, NEED, ROOM, UNIT


@leaf
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
