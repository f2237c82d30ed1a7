"""Depth-first proof-number search with zones.

Read `search` first: one node, its children, the choice of the most promising one, and what is done
when a node is proved. Numbers are from the side to move: `phi` is the work left to win, `delta` the
work left to lose; (0, ENDLESS_WORK) is won, (ENDLESS_WORK, 0) lost.

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

from miai.go.coords import NO_POINT, PASS
from miai.go.kernels import chain_liberties
from miai.kernel import kernel
from miai.life.ahead import lives_at_once, where_to_stop_it
from miai.life.children import list_first_moves, list_needed_moves, lose_child
from miai.life.eyes import NO_MOVE_NEEDED, NOT_KNOWN, alive, closed_areas, find_areas, hopeless
from miai.life.guess import estimate
from miai.life.space import (
    ATTACKER,
    DEFENDER,
    LOOPER,
    MAX_DEPTH,
    PLIES,
    POINTS,
    TURN,
    WORDS,
    legal,
    play,
    position_key,
    unplay,
)
from miai.life.table import UNCONDITIONAL, find, place_for
from miai.life.tree import (
    CAPTURES,
    ENDLESS_WORK,
    LARGE,
    LOOKAHEAD,
    NODE_LIMIT,
    NODES,
    STORED,
    WANT_OF_ROOM,
    WIDEN,
)
from miai.life.zones import add_chain_and_surroundings, add_winning_move, clear, merge

SETTLED = -1  # answer of `settled`


@kernel
def target_in_atari(s):  # type: ignore[no-untyped-def]
    """The head of the only chain that holds target stones, if it has one liberty; else 0."""
    a = s.board
    head = 0
    for bit in range(s.facts[POINTS]):
        stone = s.point[bit]
        if s.marked[stone] == 1:
            if head == 0:
                head = a.head[stone]
                if a.libs[head] != 1:
                    return 0
            elif a.head[stone] != head:
                return 0
    return head


@kernel
def finish(s, t, table, depth, phi, delta, lo, hi, best, work):  # type: ignore[no-untyped-def]
    """Store a node's result in the table and for its parent. Its zone is in `t.zone[depth]`."""
    if hi >= depth:  # a repetition of this very node binds nobody above it
        if lo >= depth:
            lo = hi = UNCONDITIONAL
        else:
            hi = depth - 1
    t.result[depth, 0] = phi
    t.result[depth, 1] = delta
    t.result[depth, 2] = lo
    t.result[depth, 3] = hi
    t.result[depth, 4] = best
    key, check = t.key[depth, 0], t.key[depth, 1]
    place = place_for(table, key, check)
    entry = table.entry[place]
    same = entry.key == key and entry.check == check
    if entry.key == np.uint64(0):
        t.count[STORED] += 1
    entry.work = min(LARGE, work + (entry.work if same else 0))
    entry.key, entry.check = key, check
    entry.phi, entry.delta = phi, delta
    entry.move = best
    entry.lo, entry.hi = lo, hi
    if hi != UNCONDITIONAL:
        entry.path = t.path[hi]
    if phi == 0 or delta == 0:
        for w in range(s.facts[WORDS]):
            table.zone[place, w] = t.zone[depth, w]
    else:
        for w in range(s.facts[WORDS]):
            table.zone[place, w] = t.must[depth, w]
            table.stop[place, w] = t.stop[depth, w]


@kernel
def settled(s, t, table, depth):  # type: ignore[no-untyped-def]
    """Is the position decided without search? Then its result is stored, and the answer is SETTLED.

    Else the answer is how many closed areas the defender has, for `estimate`.
    """
    facts = s.facts
    areas = find_areas(s, t.areas)
    closed = closed_areas(t.areas, areas)
    # where endless play is not enough, the defender needs no move once he is alive
    needs_eyes = facts[TURN] == facts[DEFENDER] and facts[LOOPER] == facts[ATTACKER]
    if needs_eyes and alive(s, t.areas, areas, t.zone[depth]):
        finish(s, t, table, depth, 0, ENDLESS_WORK, UNCONDITIONAL, UNCONDITIONAL, PASS, 1)
        return SETTLED
    if facts[TURN] == facts[ATTACKER]:
        if alive(s, t.areas, areas, t.zone[depth]):
            finish(s, t, table, depth, ENDLESS_WORK, 0, UNCONDITIONAL, UNCONDITIONAL, PASS, 1)
            return SETTLED
        head = target_in_atari(s)
        if head:
            liberty = t.areas.queue  # scratch
            chain_liberties(s.board, head, liberty)
            if s.bit[liberty[0]] >= 0 and legal(s, liberty[0]):
                add_chain_and_surroundings(s, t.zone[depth], head)
                finish(s, t, table, depth, 0, ENDLESS_WORK, UNCONDITIONAL, UNCONDITIONAL, liberty[0], 1)
                return SETTLED
    if t.settings[WANT_OF_ROOM] and facts[LOOPER] == facts[DEFENDER]:
        answer = hopeless(s, t.areas, t.zone[depth])
        if answer != NOT_KNOWN:
            if facts[TURN] == facts[ATTACKER]:
                move = PASS if answer == NO_MOVE_NEEDED else answer
                finish(s, t, table, depth, 0, ENDLESS_WORK, UNCONDITIONAL, UNCONDITIONAL, move, 1)
            else:
                finish(s, t, table, depth, ENDLESS_WORK, 0, UNCONDITIONAL, UNCONDITIONAL, NO_POINT, 1)
            return SETTLED
    if t.settings[LOOKAHEAD]:
        if facts[TURN] == facts[DEFENDER]:
            move = lives_at_once(s, t, closed, t.zone[depth])
            if move:
                finish(s, t, table, depth, 0, ENDLESS_WORK, UNCONDITIONAL, UNCONDITIONAL, move, 1)
                return SETTLED
        else:
            where_to_stop_it(s, t, closed, t.must[depth], t.stop[depth])
    return closed


@kernel
def search(s, t, table, depth, most_phi, most_delta):  # type: ignore[no-untyped-def]
    """Work on the node the board shows until phi or delta reaches its limit; result in `t.result`."""
    facts = s.facts
    words = facts[WORDS]
    start = t.count[NODES]
    t.count[NODES] = start + 1
    if facts[PLIES] >= MAX_DEPTH:  # too deep to go on: as good as hopeless for both, and not proved
        t.result[depth, 0] = t.result[depth, 1] = LARGE
        return
    t.key[depth, 0] = position_key(s)
    t.key[depth, 1] = s.check[0]
    above = t.path[depth - 1] if depth else np.uint64(0)
    t.path[depth] = (above ^ t.key[depth, 0]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(depth)
    clear(t.zone[depth], words)
    clear(t.listed[depth], words)
    clear(t.cut[depth], words)
    clear(t.must[depth], words)
    clear(t.stop[depth], words)
    t.lost_by[depth, 0] = t.lost_by[depth, 1] = UNCONDITIONAL

    closed = np.int64(0)
    known = find(table, t.key[depth, 0], t.key[depth, 1])
    looked_at = known >= 0 and table.entry[known].phi > 0 and table.entry[known].delta > 0
    if looked_at:
        merge(t.must[depth], table.zone[known], words)
        merge(t.stop[depth], table.stop[known], words)
    else:
        closed = settled(s, t, table, depth)
        if closed == SETTLED:
            return
    if known < 0:
        work_to_capture, work_to_live = estimate(s, t, closed)
        phi, delta = work_to_capture, work_to_live
        if facts[TURN] == facts[DEFENDER]:
            phi, delta = delta, phi
        if phi >= most_phi or delta >= most_delta:
            finish(s, t, table, depth, phi, delta, UNCONDITIONAL, UNCONDITIONAL, NO_POINT, 1)
            return
    merge(t.zone[depth], t.must[depth], words)
    merge(t.cut[depth], t.stop[depth], words)
    count = list_first_moves(s, t, table, depth)
    while True:
        phi = second = np.int64(ENDLESS_WORK)
        delta = np.int64(0)
        best = -1
        for i in range(count):
            delta += t.phi[depth, i]
            if t.delta[depth, i] < phi:
                second = phi
                phi = np.int64(t.delta[depth, i])
                best = i
            elif t.delta[depth, i] < second:
                second = np.int64(t.delta[depth, i])
        if phi == 0:
            move = t.move[depth, best]
            clear(t.zone[depth], words)
            merge(t.zone[depth], t.won[depth], words)
            if move != PASS:
                add_winning_move(s, t.zone[depth], move)
            lo, hi = np.int64(t.won_by[depth, 0]), np.int64(t.won_by[depth, 1])
            finish(s, t, table, depth, 0, ENDLESS_WORK, lo, hi, move, t.count[NODES] - start)
            return
        if phi >= ENDLESS_WORK:
            before = count
            count = list_needed_moves(s, t, table, depth, count)
            if count == before or t.phi[depth, count - 1] == 0:
                lo, hi = np.int64(t.lost_by[depth, 0]), np.int64(t.lost_by[depth, 1])
                finish(s, t, table, depth, ENDLESS_WORK, 0, lo, hi, NO_POINT, t.count[NODES] - start)
                return
            continue
        delta = min(delta, LARGE)
        phi = min(phi, LARGE)
        spent = t.count[NODES] >= t.count[NODE_LIMIT]
        if phi >= most_phi or delta >= most_delta or spent:
            break
        child_phi = most_delta - (delta - t.phi[depth, best])
        widened = second * t.settings[WIDEN] // 4 + 1
        child_delta = min(most_phi, widened)
        move = t.move[depth, best]
        captured = play(s, move)
        t.count[CAPTURES] += captured
        search(s, t, table, depth + 1, child_phi, child_delta)
        t.count[CAPTURES] -= captured
        unplay(s)
        child = t.result[depth + 1]
        t.phi[depth, best] = child[0]
        t.delta[depth, best] = child[1]
        if child[0] == 0:
            lose_child(s, t, depth, count, move, t.zone[depth + 1], child[2], child[3])
        elif child[1] == 0:
            clear(t.won[depth], words)
            merge(t.won[depth], t.zone[depth + 1], words)
            t.won_by[depth, 0], t.won_by[depth, 1] = child[2], child[3]
    best_move = t.move[depth, best] if best >= 0 else NO_POINT
    finish(s, t, table, depth, phi, delta, UNCONDITIONAL, UNCONDITIONAL, best_move, t.count[NODES] - start)


@kernel
def run(spaces, trees, table, nodes):  # type: ignore[no-untyped-def]
    """Search the position on the board for at most `nodes` more nodes: +1 won, -1 lost, 0 open."""
    s, t = spaces[0], trees[0]
    t.count[NODE_LIMIT] = t.count[NODES] + nodes
    t.count[CAPTURES] = 0
    # np.int64 and not literals: a recursive kernel compiled for two signatures crashes when it comes
    # out of Numba's cache (numba issue 6061)
    search(s, t, table, np.int64(0), np.int64(ENDLESS_WORK), np.int64(ENDLESS_WORK))
    if t.result[0, 0] == 0:
        return 1
    if t.result[0, 1] == 0:
        return -1
    return 0
