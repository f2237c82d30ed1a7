"""Every first move of a position: which ones win?

One search for all of them, in which two moves take turns and get as many nodes each. One is that which seems
cheapest to decide, for most others are decided sooner with what it taught. The other is that which seems
cheapest to win with, so that a budget that does not suffice for all of them goes to those one would play.
Each position is searched without the one before it on the path, so that what is found holds however it came
about.

In a large region neither is of use: there are too many moves to decide them all, and a wrong one may seem
easiest for long. So there each move may get its share, by how likely it is (`share_out`).
"""

from __future__ import annotations

import numpy as np

from miai.addresses import record_at
from miai.kernel import kernel
from miai.life.advice import NO_ADVICE, SAID, advice_on
from miai.life.children import bonus, come_back, go_down, times_rarer
from miai.life.dfpn import begin, search
from miai.life.habits import likelihood
from miai.life.hints import hint
from miai.life.space import GAME, MARKED, position_key
from miai.life.table import ENTRY, UNCONDITIONAL, find, hints_of
from miai.life.tree import ADVICE, ENDLESS_WORK, NODE_LIMIT, NODES

OPEN, WINS, LOSES = 0, 1, -1  # what is found out about a move
CHEAP, PROMISING = 0, 1  # the turns
EVENLY = 3  # how much the likelihood of a move counts for its share, in quarters
PATIENCE = 2  # how many times the numbers of its rival may cost a move before that has its turn


@kernel
def outcome(phi, delta):  # type: ignore[no-untyped-def]
    """What the numbers of the position after a move say about the move."""
    return LOSES if phi == 0 else WINS if delta == 0 else OPEN


@kernel
def look_up(s, t, table, moves, found):  # type: ignore[no-untyped-def]
    """What the table knows about each open move: the numbers of the position after it, and into `found`."""
    numbers = np.ones((moves.size, 2), dtype=np.int64)
    for i in range(moves.size):
        if found[i] != OPEN:
            continue
        go_down(s, t, moves[i])
        gone = s.facts[MARKED] == 0
        known = find(table, position_key(s), s.check[0], s.facts[GAME])
        come_back(s, t)
        if gone:  # the last of the target is captured
            found[i] = WINS
        elif known >= 0 and record_at(table.entry, known, ENTRY).lo == UNCONDITIONAL:
            entry = record_at(table.entry, known, ENTRY)
            numbers[i, 0], numbers[i, 1] = entry.phi, entry.delta
            found[i] = outcome(numbers[i, 0], numbers[i, 1])
    return numbers


@kernel
def weigh(s, t, table, moves, rarity):  # type: ignore[no-untyped-def]
    """How many times rarer each move is than the likeliest, in sixteenths: by habit, by advice, and by what
    became of it in a tighter frame."""
    heeded = NO_ADVICE
    if table.advised:
        heeded = advice_on(s, record_at(table.advice, 0, SAID), position_key(s), 0, 0)
    likely = np.zeros(moves.size, dtype=np.int64)
    for i in range(moves.size):
        likely[i] = likelihood(s, moves[i], 0, 0, t.classes)
        if heeded != NO_ADVICE:
            said = np.int64(record_at(table.advice, 0, SAID).likely[heeded, s.bit[moves[i]]])
            likely[i] += said * t.settings[ADVICE] // 8
        go_down(s, t, moves[i])
        said = hint(hints_of(table), position_key(s), s.check[0], s.facts[GAME])
        come_back(s, t)
        likely[i] += bonus(s, t, said)
    for i in range(moves.size):
        rarity[i] = times_rarer(t, (likely.max() - likely[i]) * EVENLY // 4)


@kernel
def share_out(spaces, trees, tables, moves, found, work, nodes):  # type: ignore[no-untyped-def]
    """Search for at most `nodes` more nodes the one open move that has had least of its share so far.

    `found` has what is known of each move, and gets what is found out; `work` counts the nodes that each has
    had. Returns how many moves are open.
    """
    s, guide, t, table = spaces[0], spaces[1], trees[0], tables[0]
    begin(t, nodes)
    look_up(s, t, table, moves, found)
    rarity = np.zeros(moves.size, dtype=np.int64)
    weigh(s, t, table, moves, rarity)
    best, still_open = -1, 0
    for i in range(moves.size):
        if found[i] == OPEN:
            still_open += 1
            if best < 0 or (work[i] + 1) * rarity[i] < (work[best] + 1) * rarity[best]:
                best = i
    if best < 0:
        return 0
    before = t.count[NODES]
    endless = np.int64(ENDLESS_WORK)
    go_down(s, t, moves[best])
    search(s, guide, t, table, np.int64(0), endless, endless)
    come_back(s, t)
    found[best] = outcome(t.result[0, 0], t.result[0, 1])
    work[best] += t.count[NODES] - before
    return still_open - (found[best] != OPEN)


@kernel
def decide_moves(spaces, trees, tables, moves, found, spent, nodes):  # type: ignore[no-untyped-def]
    """Search for at most `nodes` more nodes which moves of the side to move win; returns how many are open.

    `found` has what is known of each move, and gets what is found out; `spent` counts the nodes of the turns.
    """
    s, guide, t, table = spaces[0], spaces[1], trees[0], tables[0]
    begin(t, nodes)
    numbers = look_up(s, t, table, moves, found)
    while True:
        promising = spent[PROMISING] < spent[CHEAP]
        least = second = np.int64(ENDLESS_WORK)
        best, still_open = -1, 0
        for i in range(moves.size):
            if found[i] == OPEN:
                still_open += 1
                work = numbers[i, 1] if promising else min(numbers[i, 0], numbers[i, 1])
                if work < least:
                    least, second, best = work, least, i
                elif work < second:
                    second = work
        if still_open == 0 or t.count[NODES] >= t.count[NODE_LIMIT]:
            return still_open
        limit = min(PATIENCE * second + 1, np.int64(ENDLESS_WORK))
        most_phi, most_delta = limit, np.int64(ENDLESS_WORK)
        if promising or numbers[best, 1] < numbers[best, 0]:
            most_phi, most_delta = most_delta, most_phi
        before = t.count[NODES]
        go_down(s, t, moves[best])
        search(s, guide, t, table, np.int64(0), most_phi, most_delta)
        come_back(s, t)
        numbers[best, 0], numbers[best, 1] = t.result[0, 0], t.result[0, 1]
        found[best] = outcome(t.result[0, 0], t.result[0, 1])
        spent[PROMISING if promising else CHEAP] += t.count[NODES] - before
