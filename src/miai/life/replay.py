"""Replaying a refutation: what refuted one move is tried, move for move, against another.

The side to move has lost by one of its moves. Most of its other moves lose to the same answers, and to
check that costs as many nodes as the proof has, where a search would spend many times that. So two
boards run side by side: `guide` goes down the proof that is in the table, `s` shows the position to be
proved; the winner copies the guide's move, the loser tries everything. The replay ends at the first
position where the guide has no answer. Whatever it proves is proved like everything else: by `settled`,
by the zones, by the table. The guide only says which move the winner tries.
"""

from __future__ import annotations

import numpy as np

from miai.addresses import record_at
from miai.go.coords import EMPTY, PASS
from miai.go.kernels.arrays import EPOCH
from miai.kernel import kernel, leaf
from miai.life.children import (
    come_back,
    go_down,
    list_first_moves,
    list_move,
    list_needed_moves,
    take_result,
)
from miai.life.node import SETTLED, enter, finish_lost, finish_won, is_open, seen_before, settled
from miai.life.sets import merge
from miai.life.space import GAME, LOOPER, MAX_DEPTH, PLIES, TURN, WORDS, legal, play, position_key, unplay
from miai.life.table import ENTRY, find
from miai.life.tree import NODE_LIMIT, NODES


@kernel
def lead(s, guide):  # type: ignore[no-untyped-def]
    """Let the guide show the position of `s`. It can go on from there, and back to there, no further."""
    a, b = s.board, guide.board
    epoch = max(a.state[EPOCH], b.state[EPOCH])
    b.colour[:] = a.colour
    b.head[:] = a.head
    b.next[:] = a.next
    b.libs[:] = a.libs
    b.size[:] = a.size
    b.hash[:] = a.hash
    b.state[:] = a.state
    b.state[EPOCH] = epoch
    guide.marked[:] = s.marked
    guide.stones[:] = s.stones
    guide.left[:] = s.left
    guide.facts[:] = s.facts
    guide.check[:] = s.check


@leaf
def refuted(guide, table):  # type: ignore[no-untyped-def]
    """The entry of the guide's position, if the side to move wins there; else -1."""
    found = find(table, position_key(guide), guide.check[0], guide.facts[GAME])
    return found if found >= 0 and record_at(table.entry, found, ENTRY).phi == 0 else -1


@leaf
def follow(guide, table, point):  # type: ignore[no-untyped-def]
    """Let the loser play here, or pass, on the guide's board, if the table has the answer to it."""
    for move in (point, PASS):
        if move != PASS and not (guide.board.colour[move] == EMPTY and legal(guide, move)):
            continue
        play(guide, move)
        if refuted(guide, table) >= 0:
            return True
        unplay(guide)
    return False


@kernel
def replay(s, guide, t, table, depth):  # type: ignore[no-untyped-def]
    """Does the position of `s` fall as the guide's does? Then its result is stored as by `search`."""
    facts = s.facts
    words = facts[WORDS]
    start = t.count[NODES]
    if facts[PLIES] >= MAX_DEPTH or start >= t.count[NODE_LIMIT]:
        return False
    t.count[NODES] = start + 1
    winning = refuted(guide, table)
    known = enter(s, t, table, depth)
    done = not is_open(table, known) and settled(s, t, table, depth) == SETTLED
    if done or seen_before(s, t, table, depth):
        return t.result[depth, 0 if winning >= 0 else 1] == 0
    if winning >= 0:
        move = np.int64(record_at(table.entry, winning, ENTRY).move)
        if move == PASS:
            if facts[TURN] != facts[LOOPER]:
                return False
        elif s.board.colour[move] != EMPTY or not legal(s, move):
            return False
        list_move(s, t, table, depth, move, 0)
        if t.phi[depth, 0] == 0:
            return False
        if t.delta[depth, 0] > 0:
            play(guide, move)
            go_down(s, t, move)
            done = replay(s, guide, t, table, depth + 1)
            come_back(s, t)
            unplay(guide)
            if not done:
                return False
            take_result(s, t, depth, 1, 0)
        finish_won(s, t, table, depth, move, start)
        return True
    merge(t.zone[depth], t.must[depth], words)
    merge(t.cut[depth], t.stop[depth], words)
    count = list_first_moves(s, t, table, depth)
    tried = 0
    while True:
        while tried < count:
            if t.delta[depth, tried] == 0:
                return False
            if t.phi[depth, tried] > 0:
                move = np.int64(t.move[depth, tried])
                if not follow(guide, table, move):
                    return False
                go_down(s, t, move)
                done = replay(s, guide, t, table, depth + 1)
                come_back(s, t)
                unplay(guide)
                if not done:
                    return False
                take_result(s, t, depth, count, tried)
            tried += 1
        count = list_needed_moves(s, t, table, depth, count)
        if count == tried or t.phi[depth, count - 1] == 0:
            finish_lost(s, t, table, depth, start)
            return True
