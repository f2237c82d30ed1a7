"""One move ahead: can the defender make unconditional life at once?

Cheaper than letting the search find out: the test is done once for each position, only moves that
can make the second eye are tried, and for the attacker the answer names the points where he must play.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import OFF, PASS
from miai.go.kernels.arrays import STRIDE, side
from miai.kernel import leaf
from miai.life.eyes import RIM, alive, find_areas, look, look_after
from miai.life.sets import VOID, add, clear, lowest, merge, size, without_lowest
from miai.life.space import DEFENDER, TARGETS, WORDS, captures_at, legal, play, unplay
from miai.life.zones import add_winning_move, close_for_loser


@leaf
def parts(s, point):  # type: ignore[no-untyped-def]
    """Into how many pieces a defending stone here cuts the points around it, as seen from close by."""
    a = s.board
    stride = a.state[STRIDE]
    defender = s.facts[DEFENDER]
    pieces = 0
    for turn in range(4):  # up, right, down, left, each with the corner that follows it
        if turn == 0:
            here, after, corner = -stride, 1, 1 - stride
        elif turn == 1:
            here, after, corner = 1, stride, stride + 1
        elif turn == 2:
            here, after, corner = stride, -1, stride - 1
        else:
            here, after, corner = -1, -stride, -stride - 1
        open_here = a.colour[point + here] != defender and a.colour[point + here] != OFF
        if not open_here:
            continue
        pieces += 1
        joined = a.colour[point + corner] != defender and a.colour[point + corner] != OFF
        if joined and a.colour[point + after] != defender and a.colour[point + after] != OFF:
            pieces -= 1
    return pieces


@leaf
def joins(s, point):  # type: ignore[no-untyped-def]
    """Does a defending stone here join two chains?"""
    a = s.board
    first = 0
    for direction in range(4):
        neighbour = point + side(a.state[STRIDE], direction)
        if a.colour[neighbour] == s.facts[DEFENDER]:
            if first and a.head[neighbour] != first:
                return True
            first = a.head[neighbour]
    return False


@leaf
def list_tries(s, t, closed):  # type: ignore[no-untyped-def]
    """The defender's moves that may make the eyes he needs, into `t.tries`; returns how many.

    `closed` is the number of areas that could hold an eye; the scratch must have the rim of this position.
    """
    count = 0
    for w in range(s.facts[WORDS]):
        rest = t.areas.sets[RIM, w]
        while rest != VOID:
            point = s.point[64 * w + lowest(rest)]
            rest = without_lowest(rest)
            pieces = parts(s, point)
            # one area becomes `pieces` areas, of which one stays open if it was open
            if closed + pieces < 3 or (pieces < 2 and not joins(s, point) and not captures_at(s, point)):
                continue
            if legal(s, point):
                t.tries[count] = point
                count += 1
    return count


@leaf
def lives_by(s, t, point, zone):  # type: ignore[no-untyped-def]
    """Does the defender, to move, make unconditional life here? Why, in `zone`."""
    clear(zone, s.facts[WORDS])
    if captures_at(s, point):
        play(s, point)
        look(s, t.areas)
        unplay(s)
    else:
        look_after(s, t.areas, point)
    if alive(s, t.areas, find_areas(s, t.areas), zone):
        add_winning_move(s, zone, point)
        return True
    return False


@leaf
def lives_at_once(s, t, closed, zone):  # type: ignore[no-untyped-def]
    """The defender, to move, makes unconditional life here: the move, its reasons in `zone`; or 0."""
    for i in range(list_tries(s, t, closed)):
        if lives_by(s, t, t.tries[i], zone):
            return np.int64(t.tries[i])
    clear(zone, s.facts[WORDS])
    return np.int64(0)


@leaf
def where_to_stop_it(s, t, closed, zone, stop):  # type: ignore[no-untyped-def]
    """The attacker is to move, and the defender would live at once were it his move.

    Then `stop` gets the points where the attacker must play, and `zone` what that rests on: a move that
    changes nothing in what a living move rests on does not prevent it. Both stay empty if there is no
    such threat.
    """
    words = s.facts[WORDS]
    found = False
    play(s, PASS)
    for i in range(list_tries(s, t, closed)):
        if not lives_by(s, t, t.tries[i], t.trial):
            continue
        close_for_loser(s, t.trial, s.facts[DEFENDER])
        for w in range(words):
            stop[w] = stop[w] & t.trial[w] if found else t.trial[w]
        merge(zone, t.trial, words)
        found = True
    unplay(s)
    if found and size(stop, words) == 0:  # nothing stops it: any stone will do to say so
        for i in range(s.facts[TARGETS]):
            if s.marked[s.target[i]] == 1:
                add(stop, s.bit[s.target[i]])
