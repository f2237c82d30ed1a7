"""Best-first search of a region that has too many positions to look at all: the compiled part.

Positions are opened one by one. Each has three thermographs: a lower and an upper bound, as in
`local_thermo`, and a guess. A position not opened yet is bounded by "all open points are one side's"
and guessed by nearness. A descent from the first position follows the guessed values: at the
temperature where a position's walls meet both sides' moves matter; below it only the moves of the side
whose turn it is, at the temperature that was brought along. A move that at its best is below what
another one is at its worst is never followed. The position at the end is opened, and the three
thermographs are corrected on the way back.

Why the bounds stay bounds in whatever order they are corrected is said in `local_thermo`. The guess
proves nothing. `local_lazy` drives this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from miai.endgame.local_graph import MOST_MOVES, find
from miai.endgame.local_hold import settle_all
from miai.endgame.local_moves import (
    BLACKS,
    DAME_BIT,
    FREE,
    KO_CAPTURE,
    MOVE_LENGTH,
    NEAR_B,
    NEAR_W,
    OPEN,
    SCORE,
    SENSIBLE,
    STATE_LENGTH,
    WHITES,
    around,
    count,
    fill,
    play,
    sensible,
    standing,
)
from miai.endgame.local_thermo import Bound, Graphs, ban_of, evaluate, evaluate_ban
from miai.endgame.local_walls import CORNERS, ROW, SCALE, Array, Scratch, Shapes, intern
from miai.kernel import inlined, kernel, leaf

# places in `facts`
NODES, OPENED, EDGES, BANS, SEED, FAILED, FACTS_LENGTH = 0, 1, 2, 3, 4, 5, 6

UNOPENED = -1
DEEPEST = 120
NEW_SHAPES = 3 * MOST_MOVES  # room that opening one position may need
BOTH, BLACK_TURN, WHITE_TURN = 0, 1, 2
EXPLORING, FOR_BLACK, FOR_WHITE = 0, 1, 2  # what a descent is for
GUESSED_HEAT = 1  # of a position not opened, besides what stands in atari
EXPLORE = 1.0  # points that a move never tried is better than it looks
TRY_OTHER = 4  # one descent in so many looks at another temperature

# what `dig` answers
DONE, FULL = 0, 1


class Dig(NamedTuple):
    """A search under way; the arrays are longer than what is filled."""

    beside: Array  # the region, see `local_moves`
    table: Array  # parts that hold, see `local_hold`
    state: Array  # [node, STATE_LENGTH]
    slots: Array  # hash table
    facts: Array  # [FACTS_LENGTH]
    graphs: Graphs  # start[node] is UNOPENED where there are no moves yet
    visits: Array  # [node] int32
    opened: Array  # [place] int32: the nodes in the order they were opened
    low: Bound
    guess: Bound
    high: Bound


@inlined
def alike(a, b, node):  # type: ignore[no-untyped-def]
    """Do two bounds agree at a node?"""
    return a.shape[node] == b.shape[node] and a.at[node] == b.at[node]


@inlined
def height(shapes, shape):  # type: ignore[no-untyped-def]
    """The temperature of a stored thermograph."""
    middle = shapes.start[shape] + shapes.left[shape]
    return max(shapes.t[middle - 1], shapes.t[middle + shapes.right[shape] - 1])


@leaf
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


@leaf
def edge_value(graphs, bound, shapes, edge, black, when):  # type: ignore[no-untyped-def]
    """What a move leaves at a temperature, the opponent to move."""
    ban = ban_of(graphs, edge)
    if ban >= 0:
        shape, at = bound.ban_shape[ban], bound.ban_at[ban]
    else:
        child = graphs.to[edge]
        shape, at = bound.shape[child], bound.at[child]
    return wall_at(shapes, shape, at + graphs.gain[edge] * SCALE, not black, when)


@leaf
def guessed(beside, s, out):  # type: ignore[no-untyped-def]
    """Points are the nearer side's, a chain in atari is nobody's: `out` gets the count and the heat."""
    still, free = s[OPEN] & ~DAME_BIT, beside[FREE]
    empty = still & ~s[BLACKS] & ~s[WHITES]
    total = still & 0
    heat = total
    alive_b = alive_w = total
    for side in range(2):
        rest = own = s[BLACKS] if side == 0 else s[WHITES]
        while rest:
            chain = fill(beside, rest & -rest, own)
            rest &= ~chain
            liberties = around(beside, chain) & empty
            if liberties & (liberties - 1) == 0:
                heat += count(chain)
            elif side == 0:
                alive_b |= chain
            else:
                alive_w |= chain
    total += count(alive_b) - count(alive_w)
    reach_b = (around(beside, alive_b) | s[NEAR_B] | free) & empty
    reach_w = (around(beside, alive_w) | s[NEAR_W] | free) & empty
    rest = empty
    while reach_b | reach_w:
        rest &= ~(reach_b | reach_w)
        only_b, only_w = reach_b & ~reach_w, reach_w & ~reach_b
        total += count(only_b) - count(only_w)
        reach_b = around(beside, only_b) & rest
        reach_w = around(beside, only_w) & rest
    out[0] = total
    out[1] = heat


@leaf
def secured(beside, s, out):  # type: ignore[no-untyped-def]
    """Bounds that need no search: `out` gets what White holds Black to and Black holds White to.

    In each part a side that answers every move there with a stone beside its safe stones, which is
    legal and safe, gets half of the empty points beside them, rounded down. Only for a guess: a search
    that ends sooner has opened too little to say whether kos matter.
    """
    still, free = s[OPEN] & ~DAME_BIT, beside[FREE]
    empty = still & ~s[BLACKS] & ~s[WHITES]
    low = high = count(s[OPEN])
    low = -low
    rest = still
    while rest:
        part = fill(beside, rest & -rest, still)
        rest &= ~part
        part &= empty
        low += count(part & (s[NEAR_B] | free)) & ~1
        high -= count(part & (s[NEAR_W] | free)) & ~1
    out[0] = low
    out[1] = high


@leaf
def enter(dig, node, shapes, scratch, out):  # type: ignore[no-untyped-def]
    """Bounds and guess of a new position."""
    t, v = scratch.t, scratch.v
    s = dig.state
    graphs = dig.graphs
    graphs.start[node] = graphs.middle[node] = graphs.end[node] = UNOPENED
    still = s[node, OPEN]
    most = count(still)
    graphs.room[node] = most
    dig.visits[node] = 0
    t[0] = v[0] = 0
    straight = intern(shapes, t, v, 0, 1, 0, 1)
    dig.low.shape[node] = dig.high.shape[node] = straight
    low, high = -most, most
    if dig.beside[SENSIBLE]:
        secured(dig.beside, s[node], out)
        low, high = out[0], out[1]
    dig.low.at[node], dig.high.at[node] = low * SCALE, high * SCALE
    guessed(dig.beside, s[node], out)
    x = min(high, max(low, out[0]))
    heat = min(GUESSED_HEAT + out[1], min(high - x, x - low))
    dig.guess.at[node] = x * SCALE
    if heat <= 0:
        dig.guess.shape[node] = straight
        return
    a, b = ROW[0], ROW[1]
    t[a] = t[b] = 0
    t[a + 1] = t[b + 1] = heat * SCALE
    v[a], v[b] = heat * SCALE, -heat * SCALE
    v[a + 1] = v[b + 1] = 0
    dig.guess.shape[node] = intern(shapes, t, v, a, 2, b, 2)


@inlined
def no_room(dig, shapes):  # type: ignore[no-untyped-def]
    """Could the next position not be opened?"""
    facts = dig.facts
    return (
        facts[NODES] + MOST_MOVES >= dig.visits.size
        or facts[EDGES] + MOST_MOVES >= dig.graphs.to.size
        or facts[BANS] + MOST_MOVES >= dig.graphs.ban.size
        or shapes.facts[0] + NEW_SHAPES >= shapes.start.size
        or shapes.facts[1] + 4 * NEW_SHAPES + 12 * CORNERS >= shapes.t.size
    )


@kernel
def open_node(dig, node, shapes, scratch, s, after, out):  # type: ignore[no-untyped-def]
    """Write the moves of a position. There must be room."""
    graphs, facts = dig.graphs, dig.facts
    for i in range(STATE_LENGTH):
        s[i] = dig.state[node, i]
    graphs.score[node] = standing(dig.beside, s)
    edge = facts[EDGES]
    graphs.start[node] = edge
    t, v = scratch.t, scratch.v
    for colour in range(2):
        first = edge
        empty = s[OPEN] & ~s[BLACKS] & ~s[WHITES]
        if dig.beside[SENSIBLE]:
            empty &= DAME_BIT | sensible(dig.beside, s, colour == 0)
        while empty:
            move = empty & -empty
            empty &= empty - 1
            if not play(dig.beside, s, move, colour == 0, after):
                continue
            settle_all(dig.beside, after, dig.table, out)
            before = facts[NODES]
            child = find(dig.state, dig.slots, facts, after)
            if child == before:
                enter(dig, child, shapes, scratch, out)
            twin = first
            while twin < edge and not (
                graphs.to[twin] == child
                and graphs.gain[twin] == after[SCORE]
                and graphs.ko[twin] == after[KO_CAPTURE]
            ):
                twin += 1
            if twin < edge:
                continue
            graphs.to[edge] = child
            graphs.gain[edge] = after[SCORE]
            graphs.ko[edge] = after[KO_CAPTURE]
            if after[KO_CAPTURE]:
                ban = facts[BANS]
                graphs.ban[ban] = edge
                graphs.ban_from[ban] = node
                t[0] = v[0] = 0
                straight = intern(shapes, t, v, 0, 1, 0, 1)
                for bound in (dig.low, dig.guess, dig.high):
                    bound.ban_shape[ban] = straight
                most = graphs.room[child] * SCALE
                dig.low.ban_at[ban], dig.high.ban_at[ban] = -most, most
                dig.guess.ban_at[ban] = dig.guess.at[child]
                facts[BANS] += 1
            edge += 1
        if colour == 0:
            graphs.middle[node] = edge
    graphs.end[node] = edge
    facts[EDGES] = edge
    dig.opened[facts[OPENED]] = node
    facts[OPENED] += 1


@kernel
def correct(graphs, bound, node, shapes, scratch, out):  # type: ignore[no-untyped-def]
    """Correct one bound of an opened position; True if it changed."""
    changed = False
    for edge in range(graphs.start[node], graphs.end[node]):
        if not graphs.ko[edge] or graphs.start[graphs.to[edge]] == UNOPENED:
            continue
        ban = ban_of(graphs, edge)
        if evaluate_ban(graphs, bound, ban, shapes, scratch, out):
            changed |= out[0] != bound.ban_shape[ban] or out[1] != bound.ban_at[ban]
            bound.ban_shape[ban], bound.ban_at[ban] = out[0], out[1]
    if evaluate(graphs, bound, node, shapes, scratch, out):
        changed |= out[0] != bound.shape[node] or out[1] != bound.at[node]
        bound.shape[node], bound.at[node] = out[0], out[1]
    return changed


@kernel
def correct_all(dig, node, shapes, scratch, out):  # type: ignore[no-untyped-def]
    """Correct bounds and guess of an opened position; True if any changed."""
    if alike(dig.low, dig.high, node):
        return False
    changed = correct(dig.graphs, dig.low, node, shapes, scratch, out)
    changed |= correct(dig.graphs, dig.high, node, shapes, scratch, out)
    if alike(dig.low, dig.high, node):
        dig.guess.shape[node], dig.guess.at[node] = dig.low.shape[node], dig.low.at[node]
    else:
        changed |= correct(dig.graphs, dig.guess, node, shapes, scratch, out)
    return changed


@inlined
def random(facts):  # type: ignore[no-untyped-def]
    """The next of a sequence of numbers that look random, below 2**31."""
    facts[SEED] = (facts[SEED] * 1103515245 + 12345) & 0x7FFFFFFFFFFF
    return facts[SEED] >> 16


@kernel
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


@kernel
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


@kernel
def dig_on(dig, shapes, scratch, roots, descents):  # type: ignore[no-untyped-def]
    """Make descents from `roots`, [any, 3]: node 0 or what a move of it leads to, turn, temperature.

    FULL where the arrays want to grow first.
    """
    graphs, facts = dig.graphs, dig.facts
    path = np.zeros(DEEPEST + 1, dtype=np.int64)
    s, after = np.zeros(STATE_LENGTH, dtype=np.int64), np.zeros(MOVE_LENGTH, dtype=np.int64)
    out = np.zeros(2, dtype=np.int64)
    for _ in range(descents):
        if no_room(dig, shapes):
            return FULL
        begin = random(facts) % roots.shape[0]
        node, depth, turn, when = roots[begin, 0], 0, roots[begin, 1], roots[begin, 2]
        path[0] = 0
        if node != 0:
            depth = 1
            path[1] = node
        failed = True
        aim = random(facts) % 3
        while True:
            dig.visits[node] += 1
            if graphs.start[node] == UNOPENED:
                if node == 0 or not alike(dig.low, dig.high, node):
                    open_node(dig, node, shapes, scratch, s, after, out)
                    failed = False
                break
            if depth >= DEEPEST or alike(dig.low, dig.high, node):
                break
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
                break
            turn = WHITE_TURN if black else BLACK_TURN
            if graphs.ko[edge]:
                turn = BOTH
            node = np.int64(graphs.to[edge])
            depth += 1
            path[depth] = node
        facts[FAILED] = facts[FAILED] + 1 if failed else 0
        while depth >= 0:
            node = path[depth]
            depth -= 1
            if graphs.start[node] == UNOPENED:
                continue
            if no_room(dig, shapes):
                return FULL
            if not correct_all(dig, node, shapes, scratch, out) and not failed:
                break
        if roots[0, 0] == 0 and alike(dig.low, dig.high, 0):
            return DONE
    return DONE


@kernel
def sweep(dig, shapes, scratch, begin, end):  # type: ignore[no-untyped-def]
    """Correct opened positions from place `begin` down to `end`; returns where it had to stop for room."""
    out = np.zeros(2, dtype=np.int64)
    for i in range(begin - 1, end - 1, -1):
        if no_room(dig, shapes):
            return i + 1
        correct_all(dig, dig.opened[i], shapes, scratch, out)
    return end


__all__ = ["Dig", "Scratch", "Shapes", "dig_on", "sweep"]
