"""Which position of a best-first search to open next: the descents of `local_dig`.

A descent from the first position follows the guessed values: at the temperature where a position's walls
meet both sides' moves matter; below it only the moves of the side whose turn it is, at the temperature
that was brought along. A move that at its best is below what another one is at its worst is never
followed. The position at the end is opened, and bounds and guesses are corrected on the way back.

Looking for the way down is half of the work, so not every descent begins at the top: on its way back the
search goes down again from a position i steps above the last end, once in i + 1 times. That is about one
fresh look a step, and ten positions opened for one descent from the top.
"""

from __future__ import annotations

import numpy as np

from miai.endgame.local_dig import (
    FAILED,
    SEED,
    UNOPENED,
    alike,
    correct_all,
    no_room,
    open_node,
)
from miai.endgame.local_moves import MOVE_LENGTH, STATE_LENGTH
from miai.endgame.local_thermo import ban_of
from miai.endgame.local_walls import SCALE
from miai.kernel import inlined, kernel, leaf

DEEPEST = 120
BOTH, BLACK_TURN, WHITE_TURN = 0, 1, 2
EXPLORING, FOR_BLACK, FOR_WHITE = 0, 1, 2  # what a descent is for
AIMS = 3
EXPLORE = 1.0  # points that a move never tried is better than it looks
TRY_OTHER = 4  # one descent in so many looks at another temperature

# what `dig_on` answers
DONE, FULL = 0, 1


@inlined
def height(shapes, shape):  # type: ignore[no-untyped-def]
    """The temperature of a stored thermograph."""
    middle = shapes.start[shape] + shapes.left[shape]
    return max(shapes.t[middle - 1], shapes.t[middle + shapes.right[shape] - 1])


@inlined
def wall_at(shapes, shape, at, left_wall, when):  # type: ignore[no-untyped-def]
    """The value of a stored wall at a temperature."""
    first, corners = shapes.start[shape], np.int64(shapes.left[shape])
    if not left_wall:
        first += corners
        corners = np.int64(shapes.right[shape])
    t, v = shapes.t, shapes.v
    for i in range(first + 1, first + corners):
        if t[i] > when:
            return at + v[i - 1] + (v[i] - v[i - 1]) // (t[i] - t[i - 1]) * (when - t[i - 1])
    return at + v[first + corners - 1]


@inlined
def edge_value(graphs, bound, shapes, edge, black, when):  # type: ignore[no-untyped-def]
    """What a move leaves at a temperature, the opponent to move."""
    ban = ban_of(graphs, edge)
    if ban >= 0:
        shape, at = bound.ban_shape[ban], bound.ban_at[ban]
    else:
        child = graphs.to[edge]
        shape, at = bound.shape[child], bound.at[child]
    return wall_at(shapes, shape, at + graphs.gain[edge] * SCALE, not black, when)


@inlined
def random(facts):  # type: ignore[no-untyped-def]
    """The next of a sequence of numbers that look random, below 2**31."""
    facts[SEED] = (facts[SEED] * 1103515245 + 12345) & 0x7FFFFFFFFFFF
    return facts[SEED] >> 16


@leaf
def explore(dig, node, black, when, path, depth, shapes):  # type: ignore[no-untyped-def]
    """The move of one side to look at next at a temperature, or -1 where none can change the value there."""
    graphs = dig.graphs
    begin, end = graphs.start[node], graphs.middle[node]
    if not black:
        begin, end = end, graphs.end[node]
    sign = 1 if black else -1
    worst = dig.low if black else dig.high  # for the mover
    best = dig.high if black else dig.low
    sure = np.int64(-(1 << 60))
    for edge in range(begin, end):
        sure = max(sure, sign * edge_value(graphs, worst, shapes, edge, black, when))
    chosen, top = np.int64(-1), -1e300
    share = EXPLORE * SCALE * np.sqrt(np.float64(1 + dig.visits[node]))
    for edge in range(begin, end):
        child = graphs.to[edge]
        if alike(dig.low, dig.high, child) or on_path(path, depth, child):
            continue
        most = sign * edge_value(graphs, best, shapes, edge, black, when)
        if most < sure or (most == sure and node != 0):
            continue
        if most == sign * edge_value(graphs, worst, shapes, edge, black, when):
            continue
        value = sign * edge_value(graphs, dig.guess, shapes, edge, black, when)
        value += share / (1 + dig.visits[child])
        if value > top:
            chosen, top = np.int64(edge), value
    return chosen


@inlined
def on_path(path, depth, node):  # type: ignore[no-untyped-def]
    for i in range(depth):
        if path[i] == node:
            return True
    return False


@leaf
def prove(dig, node, black, for_black, when, path, depth, shapes):  # type: ignore[no-untyped-def]
    """The move to follow to bring one side's bound up to the guess, or -1 where it is there.

    The side whose bound it is follows the move that is guessed best; the other one the move that the
    bound says least about.
    """
    graphs = dig.graphs
    begin, end = graphs.start[node], graphs.middle[node]
    if not black:
        begin, end = end, graphs.end[node]
    sign = 1 if for_black else -1
    bound = dig.low if for_black else dig.high
    chosen = np.int64(-1)
    top = next_top = np.int64(0)
    target = np.int64(0)
    first = True
    for edge in range(begin, end):
        child = graphs.to[edge]
        hoped = sign * edge_value(graphs, dig.guess, shapes, edge, black, when)
        if first or (hoped > target) == (black == for_black):
            target = hoped
        first = False
        sure = sign * edge_value(graphs, bound, shapes, edge, black, when)
        if on_path(path, depth, child):
            continue
        if black == for_black:
            better = hoped > top or (hoped == top and sure > next_top)
        else:
            if alike(dig.low, dig.high, child):
                continue
            better = sure < top
        if chosen < 0 or better:
            chosen = np.int64(edge)
            top, next_top = (hoped, sure) if black == for_black else (sure, hoped)
    if chosen < 0 or alike(dig.low, dig.high, graphs.to[chosen]):
        return np.int64(-1)
    if sign * edge_value(graphs, bound, shapes, chosen, black, when) >= target:
        return np.int64(-1)
    return chosen


@inlined
def choose(dig, node, black, aim, when, path, depth, shapes):  # type: ignore[no-untyped-def]
    if aim == EXPLORING:
        return explore(dig, node, black, when, path, depth, shapes)
    return prove(dig, node, black, aim == FOR_BLACK, when, path, depth, shapes)


@leaf
def descend(dig, path, turns, whens, stale, depth, aim, shapes, scratch, s, after, out):  # type: ignore[no-untyped-def]
    """Go down from the place `depth` of a path to a position to open; returns the place where it ended,
    or -1 - place where nothing was opened."""
    graphs, facts = dig.graphs, dig.facts
    node, turn, when = path[depth], turns[depth], whens[depth]
    while True:
        dig.visits[node] += 1
        stale[depth] = False
        if graphs.start[node] == UNOPENED:
            if node == 0 or not alike(dig.low, dig.high, node):
                open_node(dig, node, shapes, scratch, s, after, out)
                stale[depth] = True
                return depth
            return -1 - depth
        if depth >= DEEPEST or alike(dig.low, dig.high, node):
            return -1 - depth
        turns[depth], whens[depth] = turn, when
        meets = height(shapes, dig.guess.shape[node])
        edge, black = np.int64(-1), True
        if turn == BOTH or when >= meets:
            when = meets
            if random(facts) % TRY_OTHER == 0:
                top = max(height(shapes, dig.low.shape[node]), height(shapes, dig.high.shape[node]))
                when = (random(facts) % 1024) * (max(top, meets) // 1024)
            black = random(facts) % 2 == 0
        else:
            black = turn == BLACK_TURN
        edge = choose(dig, node, black, aim, when, path, depth + 1, shapes)
        if edge < 0:  # whether both wait there depends on the other side's moves, too
            black = not black
            edge = choose(dig, node, black, aim, when, path, depth + 1, shapes)
        if edge < 0:
            return -1 - depth
        turn = WHITE_TURN if black else BLACK_TURN
        if graphs.ko[edge]:
            turn = BOTH
        node = np.int64(graphs.to[edge])
        depth += 1
        path[depth] = node


@kernel
def dig_on(dig, shapes, scratch, roots, descents):  # type: ignore[no-untyped-def]
    """Make descents from `roots`, [any, 3]: node 0 or what a move of it leads to, turn, temperature.

    FULL where the arrays want to grow first.
    """
    graphs, facts = dig.graphs, dig.facts
    path = np.zeros(DEEPEST + 1, dtype=np.int64)
    turns = np.zeros(DEEPEST + 1, dtype=np.int64)  # whose turn it was there, and at which temperature
    whens = np.zeros(DEEPEST + 1, dtype=np.int64)
    stale = np.zeros(DEEPEST + 1, dtype=np.bool_)  # something below has changed
    s, after = np.zeros(STATE_LENGTH, dtype=np.int64), np.zeros(MOVE_LENGTH, dtype=np.int64)
    out = np.zeros(2, dtype=np.int64)
    for _ in range(descents):
        if no_room(dig, shapes):
            return FULL
        begin = random(facts) % roots.shape[0]
        node, depth = roots[begin, 0], 0
        path[0] = 0
        if node != 0:
            depth = 1
            path[1] = node
        top = depth
        turns[depth], whens[depth] = roots[begin, 1], roots[begin, 2]
        aim = random(facts) % AIMS
        while depth >= 0:
            bottom = descend(dig, path, turns, whens, stale, depth, aim, shapes, scratch, s, after, out)
            failed = bottom < 0
            if failed:
                bottom = -bottom - 1
            facts[FAILED] = facts[FAILED] + 1 if failed else 0
            depth = bottom
            while depth >= 0:
                node = path[depth]
                if no_room(dig, shapes):
                    return FULL
                changed = False
                if graphs.start[node] != UNOPENED and (stale[depth] or failed):
                    changed = correct_all(dig, node, shapes, scratch, out)
                stale[depth] = False
                if depth and changed:
                    stale[depth - 1] = True
                again = not failed and top <= depth < bottom and random(facts) % (bottom - depth + 1) == 0
                if again and not no_room(dig, shapes):
                    break
                depth -= 1
        if roots[0, 0] == 0 and alike(dig.low, dig.high, 0):
            return DONE
    return DONE


__all__ = ["BLACK_TURN", "BOTH", "FULL", "WHITE_TURN", "dig_on"]
