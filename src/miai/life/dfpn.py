"""Depth-first proof-number search with zones.

Read `search` first: one node, its children, the choice of the most promising one, and what is done
when a node is proved. Numbers are from the side to move: `phi` is the work left to win, `delta` the
work left to lose; (0, ENDLESS_WORK) is won, (ENDLESS_WORK, 0) lost.

The work of a move is that of the position it leads to and a toll, the higher the less likely the move is: so
an unlikely move that turns out no worse than the others still comes after them.

A node starts with a few likely moves. When all of them lose, the union of their zones says which
other moves could matter; those join, and when none is left the node is lost (see `zones`). So which
moves come first is a matter of speed, never of truth.

Passing. Endless play is won by one side, the looper. If the other side passes, the looper may pass
too, and nothing has changed but the ko ban; so that side never needs to pass unless it is under a
ban. For the looper a pass is a move like any other, and it is what shows which moves matter.

Repetition. A position that stands on the path already is the looper's. Such a result holds only
below the ancestor it repeats, and so do results that rest on it: `lo` and `hi` are the least and the
greatest depth of the ancestors a result rests on, and `table` believes it on that path only. Its zone
is the whole region, for a repetition is one of all stones.
"""

from __future__ import annotations

import numpy as np

from miai.addresses import record_at
from miai.go.coords import NO_POINT
from miai.kernel import kernel, leaf
from miai.life.advice import SAID, advice_on
from miai.life.children import (
    come_back,
    go_down,
    last_moves,
    list_first_moves,
    list_needed_moves,
    price,
    remember,
    take_result,
)
from miai.life.guess import estimate
from miai.life.hints import NOTHING, WON, hint
from miai.life.node import SETTLED, enter, finish, finish_lost, finish_won, is_open, seen_before, settled
from miai.life.replay import lead, replay
from miai.life.sets import merge
from miai.life.space import DEFENDER, GAME, MAX_DEPTH, PLIES, TURN, WORDS, play
from miai.life.table import ENTRY, UNCONDITIONAL, hints_of
from miai.life.tree import (
    CAPTURES,
    DEAR,
    ENDLESS_WORK,
    LARGE,
    MOST_BASE,
    NODE_LIMIT,
    NODES,
    REPLAY,
    TRUST_CAPTURE,
    TRUST_SURVIVAL,
    WIDEN,
)


@kernel
def first_numbers(s, t, table, depth, promise):  # type: ignore[no-untyped-def]
    """The numbers a position starts with, kept in `t.base` as the scale for those of its moves."""
    work_to_capture, work_to_live = estimate(s, t, promise)
    phi, delta = work_to_capture, work_to_live
    if s.facts[TURN] == s.facts[DEFENDER]:
        phi, delta = delta, phi
    said = hint(hints_of(table), t.key[depth, 0], t.key[depth, 1], s.facts[GAME])
    if said != NOTHING:
        survival = (said == WON) == (s.facts[TURN] == s.facts[DEFENDER])
        trust = t.settings[TRUST_SURVIVAL if survival else TRUST_CAPTURE]
        if said == WON:
            phi, delta = max(1, phi // trust), delta * trust
        else:
            phi, delta = phi * trust, max(1, delta // trust)
    t.base[depth, 0], t.base[depth, 1] = min(phi, MOST_BASE), min(delta, MOST_BASE)
    return phi, delta


@kernel
def replay_against_others(s, guide, t, table, depth, count, lost):  # type: ignore[no-untyped-def]
    """The move `lost` was just refuted: do the same answers refute the node's other moves?"""
    lead(s, guide)
    play(guide, lost)
    for i in range(count):
        if t.phi[depth, i] > 0 and t.delta[depth, i] > 0:
            go_down(s, t, t.move[depth, i])
            done = replay(s, guide, t, table, depth + 1)
            come_back(s, t)
            if done:
                take_result(s, t, depth, count, i)


@kernel
def search(s, guide, t, table, depth, most_phi, most_delta):  # type: ignore[no-untyped-def]
    """Work on the node the board shows until phi or delta reaches its limit; result in `t.result`."""
    facts = s.facts
    words = facts[WORDS]
    start = t.count[NODES]
    t.count[NODES] = start + 1
    if facts[PLIES] >= MAX_DEPTH:  # too deep to go on: as good as hopeless for both, and not proved
        t.result[depth, 0] = t.result[depth, 1] = LARGE
        return
    promise = np.int64(0)
    known = enter(s, t, table, depth)
    if not is_open(table, known):
        promise = settled(s, t, table, depth)
        if promise == SETTLED:
            return
    if known < 0:
        phi, delta = first_numbers(s, t, table, depth, promise)
        if phi >= most_phi or delta >= most_delta:
            finish(s, t, table, depth, phi, delta, UNCONDITIONAL, UNCONDITIONAL, 0, NO_POINT, 1)
            return
    if seen_before(s, t, table, depth):
        return
    if table.advised and known >= 0 and record_at(table.entry, known, ENTRY).work >= t.settings[DEAR]:
        last, before = last_moves(t, depth)
        t.advised[depth] = advice_on(s, record_at(table.advice, 0, SAID), t.key[depth, 0], last, before)
    merge(t.zone[depth], t.must[depth], words)
    merge(t.cut[depth], t.stop[depth], words)
    count = list_first_moves(s, t, table, depth)
    price(t, depth, 0, count)
    while True:
        phi = second = np.int64(ENDLESS_WORK)
        delta = np.int64(0)
        best = -1
        for i in range(count):
            delta += t.phi[depth, i]
            cost = np.int64(t.delta[depth, i])
            if cost > 0 and cost < ENDLESS_WORK:
                cost += t.toll[depth, i]
            if cost < phi:
                second = phi
                phi = cost
                best = i
            elif cost < second:
                second = cost
        if phi == 0:
            remember(s, t, table, depth, t.move[depth, best], 1)
            finish_won(s, t, table, depth, t.move[depth, best], start)
            return
        if phi >= ENDLESS_WORK:
            before = count
            count = list_needed_moves(s, t, table, depth, count)
            price(t, depth, before, count)
            if count == before or t.phi[depth, count - 1] == 0:
                finish_lost(s, t, table, depth, start)
                return
            continue
        delta = min(delta, LARGE)
        phi = min(phi, LARGE)
        spent = t.count[NODES] >= t.count[NODE_LIMIT]
        if phi >= most_phi or delta >= most_delta or spent:
            break
        child_phi = most_delta - (delta - t.phi[depth, best])
        widened = second * t.settings[WIDEN] // 4 + 1
        child_delta = min(most_phi, widened) - t.toll[depth, best]
        move = t.move[depth, best]
        t.played[depth] = move
        go_down(s, t, move)
        search(s, guide, t, table, depth + 1, child_phi, child_delta)
        come_back(s, t)
        take_result(s, t, depth, count, best)
        if t.phi[depth, best] == 0:
            remember(s, t, table, depth, move, 0)
        if t.phi[depth, best] == 0 and t.settings[REPLAY]:
            replay_against_others(s, guide, t, table, depth, count, move)
    best_move = t.move[depth, best] if best >= 0 else NO_POINT
    work = t.count[NODES] - start
    finish(s, t, table, depth, phi, delta, UNCONDITIONAL, UNCONDITIONAL, 0, best_move, work)


@leaf
def begin(t, nodes):  # type: ignore[no-untyped-def]
    """A search of at most so many nodes more begins; nothing was captured on its path yet."""
    t.count[NODE_LIMIT] = t.count[NODES] + nodes
    t.count[CAPTURES] = 0


@kernel
def run(spaces, trees, tables, nodes):  # type: ignore[no-untyped-def]
    """Search the position on the board for at most `nodes` more nodes: +1 won, -1 lost, 0 open."""
    s, guide, t, table = spaces[0], spaces[1], trees[0], tables[0]
    begin(t, nodes)
    # np.int64 and not literals: a recursive kernel compiled for two signatures crashes when it comes
    # out of Numba's cache (numba issue 6061)
    search(s, guide, t, table, np.int64(0), np.int64(ENDLESS_WORK), np.int64(ENDLESS_WORK))
    if t.result[0, 0] == 0:
        return 1
    if t.result[0, 1] == 0:
        return -1
    return 0
