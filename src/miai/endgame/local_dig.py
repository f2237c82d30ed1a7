"""Best-first search of a region that has too many positions to look at all: the compiled part.

Positions are opened one by one. Each has three thermographs: a lower and an upper bound, as in
`local_thermo`, and a guess. A position not opened yet is bounded by "all open points are one side's"
and guessed by nearness. Here positions are entered, opened and corrected; `local_descend` says which.

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
NEW_SHAPES = 3 * MOST_MOVES  # room that opening one position may need
GUESSED_HEAT = 1  # of a position not opened, besides what stands in atari


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


@leaf
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


@leaf
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


@leaf
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


@kernel
def sweep(dig, shapes, scratch, begin, end):  # type: ignore[no-untyped-def]
    """Correct opened positions from place `begin` down to `end`; returns where it had to stop for room."""
    out = np.zeros(2, dtype=np.int64)
    for i in range(begin - 1, end - 1, -1):
        if no_room(dig, shapes):
            return i + 1
        correct_all(dig, dig.opened[i], shapes, scratch, out)
    return end


__all__ = ["Dig", "Scratch", "Shapes", "correct_all", "enter", "no_room", "open_node", "sweep"]
