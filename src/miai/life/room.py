"""Death for want of room: positions in which the target is lost, as is seen without search."""

from __future__ import annotations

from miai.kernel import leaf
from miai.life.eyes import (
    CHAIN,
    FOE,
    FREE,
    NOWHERE,
    OPEN,
    OTHER,
    OWN,
    REST,
    SPARE,
    STOP,
    grow,
    only_lowest,
    spread,
)
from miai.life.sets import VOID, bit_in_word, how_many, lowest, without_lowest
from miai.life.space import ATTACKER, TURN, WORDS

NOT_KNOWN, NO_MOVE_NEEDED = 0, 1  # answers of `hopeless`; any other is a point
MOST_INNER = 5

# what the rows of the scratch mean here
TARGET, AROUND_TARGET = CHAIN, CHAIN + 1
SAFE, BY_WALL = SPARE, OTHER  # immortal attacking stones of the region, and the points next to such
REACHED, AROUND_REACHED, INNER = OPEN, STOP, REST
BY_INNER = CHAIN + 2


@leaf
def hopeless(s, f, zone):  # type: ignore[no-untyped-def]
    """Is the target dead for want of room? If so, `zone` gets what that rests on.

    The answer is NOT_KNOWN, NO_MOVE_NEEDED if the target is dead whoever moves, or the point that the
    attacker, to move, must take first.

    Let the target be one chain T of two stones or more, and C the part of the region that it can reach
    without crossing immortal attacking stones. A point of C next to an immortal attacking stone is the
    attacker's to fill whenever he likes: the stone there is immortal too. The other points of C outside
    T are the inner ones.

    At most two inner points, next to each other and to T: the attacker fills all the rest and then takes
    T. With no inner point T is out of liberties; one is its last liberty; of two, he plays either, and if
    T captures that stone, T has no more than the one point again. The capturing stone joins T, so no ko
    ban arises. Only attacking stones on inner points can be captured meanwhile.

    A star: three to five inner points, a heart and the leaves around it, each next to the heart, T and
    nothing else; C holds no other defending stones. With the attacker on the heart T is dead. He fills
    the outside, and answers one thing only: where T has filled the last empty leaf and so captured the
    heart with two leaves or more, he takes the heart again. That is a star with fewer leaves, and with
    less than two leaves it is the case above. When nothing is left outside, he plays the leaves: the
    last one captures T, and if T captures first, by the last leaf but one, that is the case answered
    already. Each step makes the star smaller or takes a liberty away, and T, which joins every stone it
    plays, never captures by ko. With the heart empty and a leaf too, the attacker to move takes the heart.
    """
    words = s.facts[WORDS]
    if not target_is_one_chain(s, f):
        return NOT_KNOWN
    some = VOID
    for w in range(words):
        f.sets[SAFE, w] = f.sets[FOE, w] & s.by_foe[w]
        some |= f.sets[SAFE, w]
    if some != VOID:
        grow(s, f, SAFE, FOE, BY_WALL, NOWHERE, 64 * words)
    for w in range(words):
        f.sets[BY_WALL, w] = s.by_foe[w] | (f.sets[BY_WALL, w] if some != VOID else VOID)
        f.sets[REACHED, w] = f.sets[TARGET, w]
        f.sets[INNER, w] = s.inside[w] & ~f.sets[SAFE, w]  # where it may spread, until that is done
    grow(s, f, REACHED, INNER, AROUND_REACHED, NOWHERE, 64 * words)
    inner = 0
    alone = True
    for w in range(words):
        if f.sets[REACHED, w] & (s.by_void[w] | s.by_friend[w]) != VOID:
            return NOT_KNOWN  # a liberty or a friend outside the region
        others = f.sets[REACHED, w] & ~f.sets[TARGET, w]
        alone = alone and others & f.sets[OWN, w] == VOID
        f.sets[INNER, w] = others & ~f.sets[BY_WALL, w]
        inner += how_many(f.sets[INNER, w])
    if inner > MOST_INNER:
        return NOT_KNOWN
    answer = NO_MOVE_NEEDED
    if inner > 2:
        answer = taken_heart(s, f) if alone else NOT_KNOWN
        if answer == NOT_KNOWN:
            return NOT_KNOWN
    else:
        for w in range(words):
            if f.sets[INNER, w] & ~f.sets[AROUND_TARGET, w] != VOID:
                return NOT_KNOWN
        if inner == 2 and not side_by_side(s, f):
            return NOT_KNOWN
    for w in range(words):
        zone[w] |= f.sets[REACHED, w]
        f.sets[BY_WALL, w] = f.sets[AROUND_REACHED, w] & f.sets[SAFE, w]
    grow(s, f, BY_WALL, FOE, REACHED, NOWHERE, 64 * words)
    for w in range(words):
        zone[w] |= f.sets[BY_WALL, w]
    return answer


@leaf
def target_is_one_chain(s, f):  # type: ignore[no-untyped-def]
    """Are all target stones of one chain, of two stones or more, that can be captured? It is TARGET then."""
    words = s.facts[WORDS]
    for w in range(words):
        f.sets[REST, w] = s.left[w]
    only_lowest(f, TARGET, REST, words)
    grow(s, f, TARGET, OWN, AROUND_TARGET, NOWHERE, 64 * words)
    stones = 0
    for w in range(words):
        if s.left[w] & ~f.sets[TARGET, w] != VOID or f.sets[TARGET, w] & s.by_friend[w] != VOID:
            return False
        stones += how_many(f.sets[TARGET, w])
    return stones >= 2


@leaf
def side_by_side(s, f):  # type: ignore[no-untyped-def]
    """Are the two inner points next to each other?"""
    words = s.facts[WORDS]
    spread(s, f, INNER, BY_INNER)
    for w in range(words):
        if f.sets[INNER, w] & ~f.sets[BY_INNER, w] != VOID:
            return False
    return True


@leaf
def taken_heart(s, f):  # type: ignore[no-untyped-def]
    """Are the inner points a star in the attacker's hand? An answer as of `hopeless`."""
    words = s.facts[WORDS]
    for w in range(words):
        rest = f.sets[INNER, w]
        while rest != VOID:
            heart = 64 * w + lowest(rest)
            rest = without_lowest(rest)
            if is_star(s, f, heart):
                here = bit_in_word(heart)
                if f.sets[FOE, w] & here != VOID:
                    return NO_MOVE_NEEDED
                open_leaf = False
                for v in range(words):
                    leaves = f.sets[INNER, v] & ~here if v == w else f.sets[INNER, v]
                    open_leaf = open_leaf or leaves & f.sets[FREE, v] != VOID
                if open_leaf and s.facts[TURN] == s.facts[ATTACKER]:
                    return s.point[heart]
                return NOT_KNOWN
    return NOT_KNOWN


@leaf
def is_star(s, f, heart):  # type: ignore[no-untyped-def]
    """Are the inner points this one and its neighbours, each of them next to the target and nothing else?"""
    words = s.facts[WORDS]
    for w in range(words):
        here = bit_in_word(heart) if w == heart >> 6 else VOID
        leaves = f.sets[INNER, w] & ~here
        if s.around[heart, w] & ~f.sets[TARGET, w] != leaves or leaves & ~f.sets[AROUND_TARGET, w] != VOID:
            return False
        while leaves != VOID:
            leaf_bit = 64 * w + lowest(leaves)
            leaves = without_lowest(leaves)
            for v in range(words):
                there = bit_in_word(heart) if v == heart >> 6 else VOID
                if s.around[leaf_bit, v] & ~f.sets[TARGET, v] & ~there != VOID:
                    return False
    return True
