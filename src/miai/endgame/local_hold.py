"""Is a part of a region that only one side's safe stones touch surely all that side's?

`local_moves.settle` knows the parts with at most one point away from the owner's safe stones. Here the
question is searched: the invader moves or passes, the owner answers, and every line must end in parts
that `belongs` knows, or with no invading stone left and the invader passing. What is proved is worth
exactly its number of points, at every temperature, by the argument in `local_moves`: the owner loses
nothing by always answering, and gains nothing by moving first.

The owner never takes a ko, the invader may take and retake any; a line that gets too long or a search
that gets too large proves nothing. So an answer True does not depend on any ko, and False only means
that nothing is known. Parts are remembered in a table; `settle_all` is `settle` with this added. For a
guess (`SENSIBLE`) it also takes out parts that are too small for an invader who is not there yet.
"""

from __future__ import annotations

import numpy as np

from miai.endgame.local_moves import (
    BLACKS,
    DAME_BIT,
    FREE,
    NEAR_B,
    NEAR_W,
    OPEN,
    SCORE,
    SENSIBLE,
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

SLOTS = 1 << 18
KEY_LENGTH = 5  # part, own, other, near, answer
UNKNOWN, YES, NO = 0, 1, 2
MOST_INNER = 5  # points away from safe stones: with more, an invader often lives
WORK = 60  # positions that one question may take
DEEPEST = 14  # answers in a row
TOO_SMALL = 7  # points away from safe stones in which nobody is thought to live, where a guess will do


def make_table() -> Array:
    return np.zeros((SLOTS, KEY_LENGTH), dtype=np.int64)


@inlined
def slot_of(part, own, other, near):  # type: ignore[no-untyped-def]
    h = np.uint64(part) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(31)) ^ np.uint64(own)) * np.uint64(0xD6E8FEB86659FD93)
    h = (h ^ (h >> np.uint64(29)) ^ np.uint64(other)) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(31)) ^ np.uint64(near)) * np.uint64(0xD6E8FEB86659FD93)
    return (h >> np.uint64(32)) & np.uint64(SLOTS - 1)


@kernel
def holds(beside, part, own, other, near, table, work, depth):  # type: ignore[no-untyped-def]
    """Does the owner get all of a connected part, the invader to move?"""
    if belongs(beside, part, near):
        return True
    if depth <= 0 or work[0] <= 0 or count(part & ~near) > MOST_INNER:
        return False
    slot = slot_of(part, own, other, near)
    if (
        table[slot, 0] == part
        and table[slot, 1] == own
        and table[slot, 2] == other
        and table[slot, 3] == near
        and table[slot, 4] != UNKNOWN
    ):
        return table[slot, 4] == YES
    work[0] -= 1
    empty = part & ~own & ~other
    good = True
    # The invader passes, then moves away from safe stones, where he lives, if anywhere; then beside them.
    passes = other != 0
    rest, later = empty & ~near, empty & near
    while good and (passes or rest or later):
        move = part & 0
        if passes:
            passes = False
        else:
            if rest == 0:
                rest, later = later, rest
            move = rest & -rest
            rest &= rest - 1
        mine, theirs, open_points = own, other, empty
        if move:
            open_points = empty & ~move
            taken = without_liberties(beside, move, own, open_points)
            theirs = other | move
            if taken == 0 and around(beside, fill(beside, move, theirs)) & open_points == 0:
                continue  # suicide
            mine = own & ~taken
            open_points |= taken
        good = False
        close = around(beside, move) if move else around(beside, theirs)
        for turn in range(4):
            answers = close if turn < 2 else ~close
            answers &= ~near if turn % 2 == 0 else near
            answers &= open_points
            while answers and not good and work[0] > 0:
                answer = answers & -answers
                answers &= answers - 1
                free = open_points & ~answer
                caught = without_liberties(beside, answer, theirs, free)
                ours = mine | answer
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
                still = part & ~safe
                now_near = (near | around(beside, safe)) & still
                good = True
                left = still
                while left and good:
                    piece = fill(beside, left & -left, still)
                    left &= ~piece
                    good = holds(
                        beside,
                        piece,
                        ours & piece,
                        theirs & ~caught & piece,
                        now_near & piece,
                        table,
                        work,
                        depth - 1,
                    )
    table[slot, 0], table[slot, 1], table[slot, 2], table[slot, 3] = part, own, other, near
    table[slot, 4] = YES if good else NO
    return good


@kernel
def settle_all(beside, s, table, work):  # type: ignore[no-untyped-def]
    """Take out of a settled position the parts that are proved to be one side's; adds to s[SCORE]."""
    # np.int64(DEEPEST): a recursive kernel compiled for two signatures crashes when it comes out of
    # Numba's cache (numba issue 6061)
    still = s[OPEN] & ~DAME_BIT
    free = beside[FREE]
    rest = still
    gone = still & 0
    while rest:
        part = fill(beside, rest & -rest, still)
        rest &= ~part
        for_b, for_w = part & (s[NEAR_B] | free), part & (s[NEAR_W] | free)
        work[0] = WORK
        if beside[SENSIBLE] and (for_b == 0) != (for_w == 0):
            theirs = s[WHITES] if for_b else s[BLACKS]
            if theirs & part == 0 and count(part & ~(for_b | for_w)) <= TOO_SMALL:
                s[SCORE] += count(part) if for_b else -count(part)
                gone |= part
                continue
        if for_w == 0 and for_b != 0:
            if holds(beside, part, s[BLACKS] & part, s[WHITES] & part, for_b, table, work, np.int64(DEEPEST)):
                s[SCORE] += count(part)
                gone |= part
        elif (
            for_b == 0
            and for_w != 0
            and holds(beside, part, s[WHITES] & part, s[BLACKS] & part, for_w, table, work, np.int64(DEEPEST))
        ):
            s[SCORE] -= count(part)
            gone |= part
    if gone:
        for i in (OPEN, BLACKS, WHITES, NEAR_B, NEAR_W):
            s[i] &= ~gone


__all__ = ["make_table", "settle_all"]
