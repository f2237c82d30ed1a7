"""Unconditional life inside a problem, and the zone it rests on.

Benson's test on the region: a chain of the defender's lives when two areas are *vital* to it (each
empty point of the area is its liberty) and every chain around those areas lives in the same way. An
area that reaches past the region is never vital: the stones out there cannot be captured, so filling
it is no suicide. A chain that holds an immortal stone lives without eyes.

All of it is done on sets of points (`sets`), the rows of a scratch record: `look` writes the stones there,
`find_areas` what they enclose, `alive` which chains live. `room` is about the opposite.
"""

from __future__ import annotations

import numpy as np

from miai.kernel import inlined, leaf
from miai.life.sets import VOID, bit_in_word, lowest, without_lowest
from miai.life.space import ATTACKER, DEFENDER, MAX_WORDS, WORDS

LARGEST_AREA = 48  # points; a larger one is not looked at as an eye
MOST_AREAS = 24  # that are looked at; a position with more of them is only judged too carefully
MOST_CHAINS = 48  # likewise

# rows of `sets`
OWN, FOE, FREE = 0, 1, 2  # the defender's stones, the attacker's, and the empty points
RIM = 3  # empty points next to defending stones
OPEN, STOP, REST, FRONT, NOWHERE, SPARE, OTHER = 4, 5, 6, 7, 8, 9, 10  # scratch; NOWHERE stays empty
AREA = 11  # + number: the areas that could hold an eye
AROUND_AREA = AREA + MOST_AREAS  # + number: the points next to them, and they themselves
CHAIN = AROUND_AREA + MOST_AREAS  # + number: the defending chains around those areas
AROUND_CHAIN = CHAIN + MOST_CHAINS
ROWS = AROUND_CHAIN + MOST_CHAINS

# Scratch for the test. An area is a connected piece of the region without defending stones, next to some.
AREAS = np.dtype(
    [
        ("sets", np.uint64, (ROWS, MAX_WORDS)),
        ("bad", np.uint8, MOST_AREAS),  # 1 if the area is no eye after all
        ("lives", np.uint8, MOST_CHAINS),  # 1 while the chain may live, 2 once explained
        ("immortal", np.uint8, MOST_CHAINS),
        ("queue", np.int64, MOST_CHAINS),  # chains still to explain
    ],
    align=True,
)


@leaf
def look(s, f):  # type: ignore[no-untyped-def]
    """Write the stones on the board to the scratch."""
    own, foe = s.facts[DEFENDER], s.facts[ATTACKER]
    for w in range(s.facts[WORDS]):
        f.sets[OWN, w] = s.stones[own, w]
        f.sets[FOE, w] = s.stones[foe, w]
        f.sets[FREE, w] = s.inside[w] & ~(s.stones[own, w] | s.stones[foe, w])


@leaf
def look_after(s, f, point):  # type: ignore[no-untyped-def]
    """The same as if a defending stone that captures nothing stood on this empty point."""
    look(s, f)
    bit = s.bit[point]
    f.sets[OWN, bit >> 6] |= bit_in_word(bit)
    f.sets[FREE, bit >> 6] &= ~bit_in_word(bit)


@leaf
def grow(s, f, row, within, around, stop, most):  # type: ignore[no-untyped-def]
    """Let the set `row` spread over the set `within`; `around` gets the points next to it, and it itself.

    Returns False, and leaves off, where it comes to a point of the set `stop` or has more than `most` points.
    """
    words = s.facts[WORDS]
    if words == 1:
        return grow_in_word(s, f, row, within, around, stop, most)
    for w in range(words):
        f.sets[FRONT, w] = f.sets[row, w]
        f.sets[around, w] = f.sets[row, w]
        if f.sets[row, w] & f.sets[stop, w] != VOID:
            return False
    waiting = True
    while waiting:
        waiting = False
        for w in range(words):
            rest = f.sets[FRONT, w]
            f.sets[FRONT, w] = VOID
            while rest != VOID:
                bit = 64 * w + lowest(rest)
                rest = without_lowest(rest)
                most -= 1
                for v in range(words):
                    near = s.around[bit, v]
                    f.sets[around, v] |= near
                    new = near & f.sets[within, v] & ~f.sets[row, v]
                    if new == VOID:
                        continue
                    f.sets[row, v] |= new
                    if new & f.sets[stop, v] != VOID or most < 0:
                        return False
                    if v == w:
                        rest |= new
                    else:
                        f.sets[FRONT, v] |= new
                        waiting = True
    return True


@inlined
def grow_in_word(s, f, row, within, around, stop, most):  # type: ignore[no-untyped-def]
    """`grow` in a region of at most 64 points, which most are."""
    grown = front = beside = f.sets[row, 0]
    allowed, end = f.sets[within, 0], f.sets[stop, 0]
    while front != VOID and grown & end == VOID and most >= 0:
        near = s.around[lowest(front), 0]
        beside |= near
        new = near & allowed & ~grown
        grown |= new
        front = without_lowest(front) | new
        most -= 1
    f.sets[row, 0], f.sets[around, 0] = grown, beside
    return front == VOID and grown & end == VOID


@leaf
def spread(s, f, row, into):  # type: ignore[no-untyped-def]
    """Set `into` to the points next to those of the set `row`."""
    words = s.facts[WORDS]
    for w in range(words):
        f.sets[into, w] = VOID
    for w in range(words):
        rest = f.sets[row, w]
        while rest != VOID:
            bit = 64 * w + lowest(rest)
            rest = without_lowest(rest)
            for v in range(words):
                f.sets[into, v] |= s.around[bit, v]


@leaf
def only_lowest(f, row, of, words):  # type: ignore[no-untyped-def]
    """Let the set `row` be the first point of the set `of`, which is not empty; returns it."""
    bit = -1
    for w in range(words):
        f.sets[row, w] = VOID
        if bit < 0 and f.sets[of, w] != VOID:
            bit = 64 * w + lowest(f.sets[of, w])
            f.sets[row, w] = bit_in_word(bit)
    return bit


@leaf
def is_void(f, row, words):  # type: ignore[no-untyped-def]
    for w in range(words):
        if f.sets[row, w] != VOID:
            return False
    return True


@leaf
def meet(f, row, other, words):  # type: ignore[no-untyped-def]
    """Have the two sets a point in common?"""
    for w in range(words):
        if f.sets[row, w] & f.sets[other, w] != VOID:
            return True
    return False


@leaf
def find_areas(s, f):  # type: ignore[no-untyped-def]
    """Find the rim, and the areas that could hold an eye; returns how many of these there are."""
    words = s.facts[WORDS]
    spread(s, f, OWN, REST)
    for w in range(words):
        edge = s.by_foe[w] | s.by_void[w]
        f.sets[OPEN, w] = s.inside[w] & ~f.sets[OWN, w]
        f.sets[RIM, w] = f.sets[REST, w] & f.sets[FREE, w]
        f.sets[REST, w] &= f.sets[OPEN, w] & ~edge
        f.sets[STOP, w] = edge
    count = 0
    while not is_void(f, REST, words):
        area = AREA + count
        only_lowest(f, area, REST, words)
        closed = grow(s, f, area, OPEN, AROUND_AREA + count, STOP, LARGEST_AREA)
        for w in range(words):
            f.sets[REST, w] &= ~f.sets[area, w]
            if not closed:  # nor is what comes to it from elsewhere
                f.sets[STOP, w] |= f.sets[area, w]
        if closed:
            f.bad[count] = 0
            count += 1
            if count == MOST_AREAS:
                break
    return count


@leaf
def is_vital(f, area, chain, words):  # type: ignore[no-untyped-def]
    """Is the area vital to the chain: are all its empty points, at least one, liberties of it?"""
    some = False
    for w in range(words):
        empty = f.sets[AREA + area, w] & f.sets[FREE, w]
        if empty & ~f.sets[AROUND_CHAIN + chain, w] != VOID:
            return False
        some = some or empty != VOID
    return some


@leaf
def find_chains(s, f, areas):  # type: ignore[no-untyped-def]
    """Find the defending chains around the areas; returns how many, or -1 if they are too many."""
    words = s.facts[WORDS]
    for w in range(words):
        stones = VOID
        for area in range(areas):
            stones |= f.sets[AROUND_AREA + area, w]
        f.sets[REST, w] = stones & f.sets[OWN, w]
    count = 0
    while not is_void(f, REST, words):
        if count == MOST_CHAINS:
            return -1
        chain = CHAIN + count
        only_lowest(f, chain, REST, words)
        grow(s, f, chain, OWN, AROUND_CHAIN + count, NOWHERE, 64 * words)
        f.lives[count], f.immortal[count] = 1, 0
        for w in range(words):
            f.sets[REST, w] &= ~f.sets[chain, w]
            if f.sets[chain, w] & s.by_friend[w] != VOID:
                f.immortal[count] = 1
        count += 1
    return count


@leaf
def has_friend(s, f, zone):  # type: ignore[no-untyped-def]
    """Is a target stone joined to a safe one outside? Then `zone` gets the stones that join them."""
    words = s.facts[WORDS]
    some = VOID
    for w in range(words):
        f.sets[SPARE, w] = f.sets[OWN, w] & s.by_friend[w]
        some |= f.sets[SPARE, w]
    if some == VOID:
        return False
    grow(s, f, SPARE, OWN, OTHER, NOWHERE, 64 * words)
    for w in range(words):
        f.sets[SPARE, w] &= s.left[w]
    if is_void(f, SPARE, words):
        return False
    only_lowest(f, OTHER, SPARE, words)
    grow(s, f, OTHER, OWN, SPARE, NOWHERE, 64 * words)
    for w in range(words):
        zone[w] |= f.sets[OTHER, w]
    return True


@leaf
def alive(s, f, areas, zone):  # type: ignore[no-untyped-def]
    """Does a target stone live unconditionally? If so, `zone` gets what that rests on.

    `f` holds the `areas` that `find_areas` has just found.
    """
    if has_friend(s, f, zone):
        return True
    chains = find_chains(s, f, areas) if areas >= 2 else -1
    if chains < 0:
        return False
    words = s.facts[WORDS]
    changed = True
    while changed:
        changed = False
        for chain in range(chains):
            if f.lives[chain] == 0 or f.immortal[chain]:
                continue
            vital = 0
            for area in range(areas):
                vital += not f.bad[area] and is_vital(f, area, chain, words)
            if vital < 2:
                f.lives[chain] = 0
                changed = True
                for area in range(areas):
                    if meet(f, AROUND_AREA + area, CHAIN + chain, words):
                        f.bad[area] = 1
    for chain in range(chains):
        if f.lives[chain]:
            for w in range(words):
                if f.sets[CHAIN + chain, w] & s.left[w] != VOID:
                    explain(s, f, areas, chains, chain, zone)
                    return True
    return False


@leaf
def explain(s, f, areas, chains, chain, zone):  # type: ignore[no-untyped-def]
    """Collect two vital areas of a living chain, the chains around those, their areas, and so on."""
    words = s.facts[WORDS]
    f.queue[0] = chain
    f.lives[chain] = 2
    waiting = 1
    while waiting:
        waiting -= 1
        chain = f.queue[waiting]
        for w in range(words):
            zone[w] |= f.sets[CHAIN + chain, w]
        needed = 0 if f.immortal[chain] else 2
        for area in range(areas):
            if needed == 0 or f.bad[area] or not is_vital(f, area, chain, words):
                continue
            needed -= 1
            for w in range(words):
                zone[w] |= f.sets[AREA + area, w]
            for other in range(chains):
                if f.lives[other] == 1 and meet(f, AROUND_AREA + area, CHAIN + other, words):
                    f.lives[other] = 2
                    f.queue[waiting] = other
                    waiting += 1
