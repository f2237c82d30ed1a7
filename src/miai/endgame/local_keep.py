"""What a side surely keeps of a part that both sides touch: bounds that need no search of the whole part.

A side, the owner, concedes the points near the enemy: they are taken to be enemy stones that nobody can
capture. What it keeps of the rest by answering every move there is found by a small search, which is
remembered: far from the enemy the rest is the same in many positions. `kept` gives the points that the
owner gets at least, whoever moves first, at every temperature and with every ko lost.

Why conceding is sound. The owner plays by the strategy that the small search found on an imagined board,
where the conceded points are such stones; a chain of its own that has no liberty there is conceded, too.
There the owner never takes a ko, and a line in which one of its stones is captured proves nothing, so its
stones outside what is conceded are the same on both boards. Enemy stones on the real board are also on the
imagined one. Those that are only on the imagined one were captured on the real board, and belong to chains
that nobody can capture on the imagined one: a chain that can has the same liberties on both. So

* a move of the enemy on the real board is legal on the imagined one, or changes nothing there, and then
  needs no answer: a liberty that it has is a liberty there, or a stone of a chain that lasts;
* it captures nothing of the owner's: liberties on the imagined board are liberties on the real one;
* the owner's answer is legal on the real board: what it captures on the imagined one it captures, its
  liberties there are liberties, and it takes no ko, since a stone captured only on the real board
  leaves it another liberty.

Lines end in parts that `local_hold` knows, where both boards are the same, or in what is conceded, or
with a point for every other one beside safe stones, which the owner takes in turn with the enemy. That
answers win at every temperature is said in `local_moves`.
"""

from __future__ import annotations

import numpy as np

from miai.endgame.local_hold import WORK, holds
from miai.endgame.local_moves import (
    BLACKS,
    DAME_BIT,
    FREE,
    NEAR_B,
    NEAR_W,
    OPEN,
    WHITES,
    around,
    belongs,
    count,
    fill,
    lowest,
    without_liberties,
)
from miai.endgame.local_walls import Array
from miai.kernel import inlined, kernel

SLOTS = 1 << 19
KEY_LENGTH = 7  # part, own, other, near, hostile, 1 + the least loss proved, 1 + the largest not proved
HOLD, KEEP = 0, 1  # places in `work`: what `local_hold` may still look at, and this search
KEEP_WORK = 40  # positions that one part may take
DEEPEST = 10  # answers in a row
MOST_EMPTY = 16  # empty points of a part that is searched
MOST_LOST = 8  # points lost at most that are asked about
STEPS = 3  # how far from the enemy points are conceded, at most


def make_keep_table() -> Array:
    return np.zeros((SLOTS, KEY_LENGTH), dtype=np.int64)


@inlined
def slot_of(part, own, other, near, hostile):  # type: ignore[no-untyped-def]
    h = np.uint64(part) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(31)) ^ np.uint64(own)) * np.uint64(0xD6E8FEB86659FD93)
    h = (h ^ (h >> np.uint64(29)) ^ np.uint64(other)) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(31)) ^ np.uint64(near)) * np.uint64(0xD6E8FEB86659FD93)
    h = (h ^ (h >> np.uint64(29)) ^ np.uint64(hostile)) * np.uint64(0x9E3779B97F4A7C15)
    return (h >> np.uint64(32)) & np.uint64(SLOTS - 1)


@kernel
def keeps(beside, part, own, other, near, hostile, lose, table, held, work, depth):  # type: ignore[no-untyped-def]
    """Does the owner lose at most `lose` points of a connected part, the enemy to move?

    Enemy stones on `hostile` points can never be captured, the owner's on `near` points neither.
    """
    if lose >= count(part):
        return True
    if near == 0:
        return False
    empty = part & ~own & ~other
    if hostile == 0:
        if belongs(beside, part, near):
            return True
        work[HOLD] = WORK
        return holds(beside, part, own, other, near, held, work, np.int64(DEEPEST))
    if count(part) - (count(near & empty) >> 1) <= lose:
        return True
    if (lose == 0 and hostile & empty != 0) or depth <= 0 or count(empty) > MOST_EMPTY:
        return False
    slot = slot_of(part, own, other, near, hostile)
    row = table[slot]
    known = row[0] == part and row[1] == own and row[2] == other and row[3] == near and row[4] == hostile
    if known:
        if row[5] and row[5] - 1 <= lose:
            return True
        if lose <= row[6] - 1:
            return False
    if work[KEEP] <= 0:
        return False
    work[KEEP] -= 1
    good = True
    pushes, others, passes = empty & hostile, empty & ~hostile, True
    while good and (pushes or others or passes):
        move = part & 0
        if pushes:
            move = pushes & -pushes
            pushes &= pushes - 1
        elif others:
            move = others & -others
            others &= others - 1
        else:
            passes = False
        theirs, open_points, still, left, now_hostile = other, empty, part, lose, hostile
        if move:
            open_points = empty & ~move
            if without_liberties(beside, move, own, open_points) != 0:
                good = False
                break
            theirs = other | move
            chain = fill(beside, move, theirs)
            if chain & hostile:
                left -= count(chain)
                theirs &= ~chain
                still &= ~chain
                now_hostile = (hostile | around(beside, chain)) & still
            elif around(beside, chain) & open_points == 0:
                continue  # suicide
        if left < 0:
            good = False
            break
        good = still == 0
        close = around(beside, move) if move else part & 0
        for turn in range(3):
            answers = near if turn < 2 else ~near
            answers &= ~close if turn == 1 else close
            answers &= open_points
            while answers and not good and work[KEEP] > 0:
                answer = answers & -answers
                answers &= answers - 1
                free = open_points & ~answer
                caught = without_liberties(beside, answer, theirs, free)
                ours = own | answer
                chain = fill(beside, answer, ours)
                if chain & near == 0 and around(beside, chain) & (free | caught) == 0:
                    continue  # suicide
                if (
                    caught != 0
                    and caught & (caught - 1) == 0
                    and chain & near == 0
                    and chain == answer
                    and beside[lowest(answer)] & free == 0
                ):
                    continue  # takes a ko
                safe = fill(beside, ours & near, ours)
                rest = all_of_it = still & ~safe
                now_near = (near | around(beside, safe)) & rest
                budget = left
                good = True
                while rest and good:
                    piece = fill(beside, rest & -rest, all_of_it)
                    rest &= ~piece
                    loses = budget if rest == 0 else 0
                    good = False
                    while loses <= budget and not good:
                        good = keeps(
                            beside,
                            piece,
                            ours & piece,
                            theirs & ~caught & piece,
                            now_near & piece,
                            now_hostile & piece,
                            loses,
                            table,
                            held,
                            work,
                            depth - 1,
                        )
                        loses += 1
                    budget -= loses - 1
    row = table[slot]
    if not (row[0] == part and row[1] == own and row[2] == other and row[3] == near and row[4] == hostile):
        row[0], row[1], row[2], row[3], row[4], row[5], row[6] = part, own, other, near, hostile, 0, 0
    if good:
        row[5] = lose + 1 if row[5] == 0 else min(row[5], lose + 1)
    else:
        row[6] = max(row[6], lose + 1)
    return good


@kernel
def kept_of(beside, part, own, other, near, hostile, table, held, work):  # type: ignore[no-untyped-def]
    """How many points of a connected part the owner keeps at least."""
    size = count(part)
    empty = part & ~own & ~other
    half = count(near & empty) >> 1
    if near == 0:
        return half
    work[KEEP] = KEEP_WORK
    for lose in range(0 if hostile == 0 else 1, min(MOST_LOST + 1, size - half)):
        if keeps(
            beside, part, own, other, near, hostile, np.int64(lose), table, held, work, np.int64(DEEPEST)
        ):
            return size - lose
        if work[KEEP] <= 0:
            break
    return half


@kernel
def kept_beside(beside, part, conceded, own, other, near, hostile, table, held, work):  # type: ignore[no-untyped-def]
    """How many points of a part the owner keeps at least if it concedes some."""
    gates, area = hostile, part
    grows = True
    while grows:
        gates = around(beside, conceded) | hostile
        conceded |= fill(beside, other & area & gates & ~conceded, other & area)  # it lasts
        gates = around(beside, conceded) | hostile
        area = part & ~conceded
        grows = False
        rest = own & area
        while rest:  # a chain without a liberty would be captured already
            chain = fill(beside, rest & -rest, own & area)
            rest &= ~chain
            if around(beside, chain) & area & ~own & ~other == 0:
                conceded |= chain
                grows = True
    found = np.int64(count(conceded & near & ~own & ~other) >> 1)
    left = area
    while left:
        piece = fill(beside, left & -left, area)
        left &= ~piece
        found += kept_of(
            beside,
            piece,
            own & piece,
            other & piece,
            near & piece,
            gates & piece,
            table,
            held,
            work,
        )
    return found


@kernel
def kept(beside, s, for_black, table, held, work):  # type: ignore[no-untyped-def]
    """How many of the open points one side gets at least; a neutral point that stands apart not counted."""
    still, free = s[OPEN] & ~DAME_BIT, beside[FREE]
    if for_black:
        own, other, near, hostile = s[BLACKS], s[WHITES], s[NEAR_B] | free, s[NEAR_W] | free
    else:
        own, other, near, hostile = s[WHITES], s[BLACKS], s[NEAR_W] | free, s[NEAR_B] | free
    total = np.int64(0)
    rest = still
    while rest:
        part = fill(beside, rest & -rest, still)
        rest &= ~part
        empty = part & ~own & ~other
        best = np.int64(count(part & near & empty) >> 1)
        for stones in range(2):
            conceded = part & 0
            if stones:
                if other & part == 0:
                    break
                conceded |= part & (other | around(beside, other))
            for step in range(STEPS):
                if step == 1:
                    conceded |= part & hostile
                elif step > 1:
                    conceded |= around(beside, conceded) & part
                found = kept_beside(beside, part, conceded, own, other, near, hostile, table, held, work)
                best = max(best, found)
        total += best
    return total


__all__ = ["kept", "make_keep_table"]
