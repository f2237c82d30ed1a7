"""A first guess at how much work a position is. It steers, and decides nothing.

This is where a network will speak later: a function from positions to the two numbers of `estimate`.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import EMPTY
from miai.go.kernels.arrays import STRIDE, side
from miai.kernel import leaf
from miai.life.space import ATTACKER, TARGETS
from miai.life.tree import EYE, LIBERTY, NEED, ROOM, SNUG, UNIT


@leaf
def promise_of(s, t, eyes):  # type: ignore[no-untyped-def]
    """How much the position promises the defender; `eyes` is the number of closed areas.

    `t.areas.rim` is the one of this position.
    """
    a = s.board
    stride = a.state[STRIDE]
    room = snug = 0
    for i in range(t.areas.rims[0]):
        walls = -1
        for direction in range(4):
            content = a.colour[t.areas.rim[i] + side(stride, direction)]
            if content == s.facts[ATTACKER]:
                walls = -8
            elif content != EMPTY:
                walls += 1
        if walls >= 0:
            room += 1
            snug += walls
    return t.settings[EYE] * eyes + t.settings[ROOM] * room + t.settings[SNUG] * snug


@leaf
def estimate(s, t, promise):  # type: ignore[no-untyped-def]
    """A first guess at the work to capture the target and at the work to save it."""
    a = s.board
    liberties = 0
    for i in range(s.facts[TARGETS]):
        stone = s.target[i]
        if s.marked[stone] == 1:
            liberties = max(liberties, a.libs[a.head[stone]])
    capture = 1 + (4 + promise + t.settings[LIBERTY] * min(liberties, 12)) * UNIT // 4
    live = 1 + (4 + max(0, t.settings[NEED] - promise)) * UNIT // 4
    return np.int64(capture), np.int64(live)
