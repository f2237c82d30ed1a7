"""Moves that need not be looked at because another one does as well.

`left_out` says so of a move, and the argument is at `outer_liberty_of`: of the outer liberties of a chain
only the number counts.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import EMPTY, OFF
from miai.go.kernels.arrays import IMMORTAL, STRIDE, side
from miai.go.kernels.chains import touches
from miai.kernel import kernel, leaf
from miai.life.sets import add
from miai.life.space import ATTACKER, DEFENDER, LOOPER, TURN
from miai.life.tree import DOMINANCE
from miai.life.zones import add_chain


@leaf
def outer_liberty_of(s, point):  # type: ignore[no-untyped-def]
    """The chain H of the defender's to which this point is a liberty and nothing else; or 0.

    So it is where every neighbour is off the board, an immortal attacking stone, a stone of H, or an
    empty point that is itself next to H and to an immortal attacking stone. Such a point makes no eye,
    no connection and no capture possible, for itself or for its neighbours: only the number of such
    points that H has counts, not which are filled. Two rules follow (`settings[DOMINANCE]`):

    The defender need not play there where a pass is free for him, which endless play makes it. Suppose
    the move wins. Then the pass wins: play on as if the stone were there. H has one liberty more until
    the attacker fills the point, and when he does, a pass in answer gives the liberties of the line
    that wins. H must have two stones, so that none of this looks like a ko.

    The attacker need look at only one such point of H: any other leads to the same game.
    """
    a = s.board
    facts = s.facts
    stride = a.state[STRIDE]
    chain = np.int64(0)
    for direction in range(4):
        neighbour = point + side(stride, direction)
        content = a.colour[neighbour]
        if content == facts[DEFENDER]:
            head = np.int64(a.head[neighbour])
            if chain != 0 and head != chain:
                return 0
            chain = head
        elif content == facts[ATTACKER] and a.libs[a.head[neighbour]] < IMMORTAL:
            return 0
    if chain == 0 or a.size[chain] < 2 or a.libs[chain] >= IMMORTAL:
        return 0
    for direction in range(4):
        neighbour = point + side(stride, direction)
        if a.colour[neighbour] == EMPTY and not (
            s.bit[neighbour] >= 0 and touches(a, neighbour, chain) and by_wall(s, neighbour)
        ):
            return 0
    return chain


@leaf
def by_wall(s, point):  # type: ignore[no-untyped-def]
    """Is an immortal attacking stone next to the point?"""
    a = s.board
    for direction in range(4):
        neighbour = point + side(a.state[STRIDE], direction)
        if a.colour[neighbour] == s.facts[ATTACKER] and a.libs[a.head[neighbour]] >= IMMORTAL:
            return True
    return False


@leaf
def add_around(s, zone, point):  # type: ignore[no-untyped-def]
    """What `outer_liberty_of` looked at, so that it holds wherever the zone does."""
    a = s.board
    stride = a.state[STRIDE]
    add(zone, s.bit[point])
    for direction in range(4):
        neighbour = point + side(stride, direction)
        if a.colour[neighbour] == EMPTY:
            add(zone, s.bit[neighbour])
            for further in range(4):
                beyond = neighbour + side(stride, further)
                if a.colour[beyond] == s.facts[ATTACKER] and a.libs[a.head[beyond]] >= IMMORTAL:
                    add_chain(s, zone, a.head[beyond])
        elif a.colour[neighbour] != OFF:
            add_chain(s, zone, a.head[neighbour])


@kernel
def left_out(s, t, depth, point):  # type: ignore[no-untyped-def]
    """Need this move not be looked at, because another one that is listed does as well? If it must be, it
    is listed next."""
    facts = s.facts
    if not t.settings[DOMINANCE] or facts[LOOPER] != facts[DEFENDER]:
        return False
    chain = outer_liberty_of(s, point)
    if chain == 0:
        return False
    if facts[TURN] == facts[DEFENDER]:
        return True  # a pass does
    if not by_wall(s, point):
        return False
    outer = t.outer[depth]
    for i in range(1, 1 + outer[0]):
        if outer_liberty_of(s, outer[i]) == chain:
            add_around(s, t.zone[depth], outer[i])
            return True
    if outer[0] < outer.size - 1:
        outer[0] += 1
        outer[outer[0]] = point
    return False
