"""A first guess at how much work a position is. It steers, and decides nothing.

This is where a network will speak later: a function from positions to the two numbers of `estimate`.
"""

from __future__ import annotations

import numpy as np

from miai.kernel import leaf
from miai.life.eyes import FOE, FREE, OTHER, RIM, spread
from miai.life.sets import VOID, how_many, lowest, without_lowest
from miai.life.space import TARGETS, WORDS
from miai.life.tree import EYE, LIBERTY, NEED, ROOM, SNUG, UNIT


@leaf
def promise_of(s, t, eyes):  # type: ignore[no-untyped-def]
    """How much the position promises the defender: eyes, and room for them.

    `eyes` is the number of areas that could hold one. Of the rim, which must be that of this position, the
    points that the attacker does not touch are room; they are snug by the walls they have beyond the first,
    for a point in the open is not half an eye.
    """
    f = t.areas
    words = s.facts[WORDS]
    room = snug = 0
    spread(s, f, FOE, OTHER)
    for w in range(words):
        rest = f.sets[RIM, w] & ~(f.sets[OTHER, w] | s.by_foe[w])
        while rest != VOID:
            bit = 64 * w + lowest(rest)
            rest = without_lowest(rest)
            room += 1
            snug += 3
            for v in range(words):
                snug -= how_many(s.around[bit, v] & f.sets[FREE, v])
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
