"""Unconditional life inside a problem, and the zone it rests on.

Benson's test on the region: a chain of the defender's lives when two areas are *vital* to it (each
empty point of the area is its liberty) and every chain around those areas lives in the same way. An
area that reaches past the region is never vital: the stones out there cannot be captured, so filling
it is no suicide. A chain that holds an immortal stone lives without eyes.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import EMPTY, OFF
from miai.go.kernels.arrays import IMMORTAL, STRIDE, side
from miai.go.kernels.chains import touches
from miai.kernel import leaf
from miai.life.space import ATTACKER, DEFENDER, LENGTH, POINTS, TARGETS, TURN
from miai.life.zones import add, add_chain

LARGEST_AREA = 48  # points; a larger one is not looked at as an eye

# Scratch for the test. An area is a connected piece of the region without defending stones, next to some.
AREAS = np.dtype(
    [
        ("before", np.int64, 1),  # numbers in `area` and `listed` up to this are of earlier calls
        ("area", np.int64, LENGTH),  # `before` and the number of a point's area, from 1
        ("listed", np.int64, LENGTH),  # above `before` at the points of `rim`
        ("rim", np.int64, LENGTH),  # empty points next to defending stones
        ("rims", np.int64, 1),  # how many
        ("start", np.int64, LENGTH + 2),  # [areas + 2] where an area's points begin in `points`
        ("points", np.int64, LENGTH),  # points, area by area
        ("bad", np.uint8, LENGTH + 2),  # [areas + 1] 1 if the area cannot hold an eye
        ("lives", np.uint8, LENGTH),  # at heads: 1 while the chain may live, 2 once explained
        ("vital", np.int32, LENGTH),  # at heads: vital areas found
        ("heads", np.int64, LENGTH),  # the defending chains of the region
        ("queue", np.int64, LENGTH),  # chains still to explain
    ],
    align=True,
)


@leaf
def find_areas(s, f):  # type: ignore[no-untyped-def]
    """Number the areas, and list the rim; returns how many areas there are.

    An area that cannot hold an eye is left as soon as that is seen, and so may get several numbers.
    """
    a = s.board
    defender = s.facts[DEFENDER]
    stride = a.state[STRIDE]
    f.before[0] += LENGTH
    before = f.before[0]
    number = 0
    filled = 0
    rims = 0
    for bit in range(s.facts[POINTS]):
        stone = s.point[bit]
        if a.colour[stone] != defender:
            continue
        for side_of_stone in range(4):
            first = stone + side(stride, side_of_stone)
            if s.bit[first] < 0 or a.colour[first] == defender:
                continue
            if a.colour[first] == EMPTY and f.listed[first] <= before:
                f.listed[first] = before + 1
                f.rim[rims] = first
                rims += 1
            if f.area[first] > before:
                continue
            number += 1
            f.start[number] = filled
            filled = flood(s, f, number, first, filled)
    f.start[number + 1] = filled
    f.rims[0] = rims
    return number


@leaf
def flood(s, f, number, first, filled):  # type: ignore[no-untyped-def]
    """Let the area `number` grow from its `first` point; returns how many points are in areas now."""
    a = s.board
    stride = a.state[STRIDE]
    own = f.before[0] + number
    f.bad[number] = 0
    f.area[first] = own
    f.points[filled] = first
    reading = filled
    end = filled + LARGEST_AREA
    filled += 1
    while reading < filled:
        point = f.points[reading]
        reading += 1
        for direction in range(4):
            neighbour = point + side(stride, direction)
            content = a.colour[neighbour]
            if content == OFF or content == s.facts[DEFENDER]:
                continue
            seen = f.area[neighbour]
            if seen == own:
                continue
            # past the region, or in an area that was left: those were all bad
            if s.bit[neighbour] < 0 or seen > f.before[0] or filled == end:
                f.bad[number] = 1
                return filled
            f.area[neighbour] = own
            f.points[filled] = neighbour
            filled += 1
    return filled


@leaf
def closed_areas(f, areas):  # type: ignore[no-untyped-def]
    """How many of the areas could hold an eye."""
    closed = 0
    for number in range(1, areas + 1):
        closed += 1 - f.bad[number]
    return closed


@leaf
def is_vital(s, f, number, head):  # type: ignore[no-untyped-def]
    """Is the area vital to the chain: are all its empty points, at least one, liberties of it?"""
    some = False
    for i in range(f.start[number], f.start[number + 1]):
        point = f.points[i]
        if s.board.colour[point] == EMPTY:
            if not touches(s.board, point, head):
                return False
            some = True
    return some


@leaf
def first_empty(s, f, number):  # type: ignore[no-untyped-def]
    """An empty point of the area, or 0. Only chains next to it can have the area as vital."""
    for i in range(f.start[number], f.start[number + 1]):
        if s.board.colour[f.points[i]] == EMPTY:
            return f.points[i]
    return 0


@leaf
def touches_dead(s, f, number):  # type: ignore[no-untyped-def]
    """Is a defending chain that does not live next to the area?"""
    a = s.board
    for i in range(f.start[number], f.start[number + 1]):
        for direction in range(4):
            neighbour = f.points[i] + side(a.state[STRIDE], direction)
            if a.colour[neighbour] == s.facts[DEFENDER] and not f.lives[a.head[neighbour]]:
                return True
    return False


@leaf
def alive(s, f, areas, zone):  # type: ignore[no-untyped-def]
    """Does a target stone live unconditionally? If so, `zone` gets what that rests on.

    `f` holds the `areas` that `find_areas` has just found.
    """
    a = s.board
    defender = s.facts[DEFENDER]
    stride = a.state[STRIDE]
    points = s.facts[POINTS]
    for i in range(s.facts[TARGETS]):
        stone = s.target[i]
        if s.marked[stone] == 1 and a.libs[a.head[stone]] >= IMMORTAL:
            add_chain(s, zone, a.head[stone])
            return True
    if closed_areas(f, areas) < 2:
        return False
    chains = 0
    for bit in range(points):
        stone = s.point[bit]
        if a.colour[stone] == defender and not f.lives[a.head[stone]]:
            f.lives[a.head[stone]] = 1
            f.heads[chains] = a.head[stone]
            chains += 1
    while True:
        for i in range(chains):
            f.vital[f.heads[i]] = 0
        for number in range(1, areas + 1):
            empty = 0 if f.bad[number] else first_empty(s, f, number)
            if empty == 0:
                continue
            for direction in range(4):
                head = a.head[empty + side(stride, direction)]
                seen = a.colour[head] != defender if head else True
                for earlier in range(direction):
                    if a.head[empty + side(stride, earlier)] == head:
                        seen = True
                if not seen and is_vital(s, f, number, head):
                    f.vital[head] += 1
        changed = False
        for i in range(chains):
            head = f.heads[i]
            if f.lives[head] and f.vital[head] < 2 and a.libs[head] < IMMORTAL:
                f.lives[head] = 0
                changed = True
        if not changed:
            break
        for number in range(1, areas + 1):
            if not f.bad[number] and touches_dead(s, f, number):
                f.bad[number] = 1
    living = False
    for i in range(s.facts[TARGETS]):
        stone = s.target[i]
        if not living and s.marked[stone] == 1 and f.lives[a.head[stone]]:
            explain(s, f, areas, a.head[stone], zone)
            living = True
    for i in range(chains):
        f.lives[f.heads[i]] = 0
    return living


@leaf
def explain(s, f, areas, head, zone):  # type: ignore[no-untyped-def]
    """Collect two vital areas of a living chain, the chains around those, their areas, and so on."""
    a = s.board
    f.queue[0] = head
    f.lives[head] = 2
    waiting = 1
    while waiting:
        waiting -= 1
        chain = f.queue[waiting]
        add_chain(s, zone, chain)
        if a.libs[chain] >= IMMORTAL:
            continue
        needed = 2
        for number in range(1, areas + 1):
            if needed == 0 or f.bad[number] or not is_vital(s, f, number, chain):
                continue
            needed -= 1
            for i in range(f.start[number], f.start[number + 1]):
                add(zone, s.bit[f.points[i]])
                for direction in range(4):
                    neighbour = f.points[i] + side(a.state[STRIDE], direction)
                    if a.colour[neighbour] == s.facts[DEFENDER] and f.lives[a.head[neighbour]] == 1:
                        f.lives[a.head[neighbour]] = 2
                        f.queue[waiting] = a.head[neighbour]
                        waiting += 1


NOT_KNOWN, NO_MOVE_NEEDED = 0, 1  # answers of `hopeless`; any other is a point
MOST_INNER = 5


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
    a = s.board
    facts = s.facts
    stride = a.state[STRIDE]
    attacker = facts[ATTACKER]
    head = np.int64(0)
    for i in range(facts[TARGETS]):
        stone = s.target[i]
        if s.marked[stone] == 1:
            if head == 0:
                head = np.int64(a.head[stone])
            elif a.head[stone] != head:
                return NOT_KNOWN
    if a.size[head] < 2 or a.libs[head] >= IMMORTAL:
        return NOT_KNOWN
    f.before[0] += LENGTH
    before = f.before[0]
    inner = 0
    alone = True
    filled = 1
    reading = 0
    f.points[0] = head
    f.area[head] = before + 1
    while reading < filled:
        point = f.points[reading]
        reading += 1
        by_wall = False
        for direction in range(4):
            neighbour = point + side(stride, direction)
            content = a.colour[neighbour]
            if content == OFF:
                continue
            if content == attacker and a.libs[a.head[neighbour]] >= IMMORTAL:
                by_wall = True
            elif s.bit[neighbour] < 0:
                return NOT_KNOWN  # a liberty or a friend outside the region
            elif f.area[neighbour] <= before:
                f.area[neighbour] = before + 1
                f.points[filled] = neighbour
                filled += 1
        if a.head[point] != head:
            if a.colour[point] == facts[DEFENDER]:
                alone = False
            if not by_wall:
                if inner == MOST_INNER:
                    return NOT_KNOWN
                f.heads[inner] = point
                inner += 1
    answer = NO_MOVE_NEEDED
    if inner > 2:
        answer = taken_heart(s, f, head, inner) if alone else NOT_KNOWN
        if answer == NOT_KNOWN:
            return NOT_KNOWN
    else:
        for i in range(inner):
            if not touches(a, f.heads[i], head):
                return NOT_KNOWN
        if inner == 2:
            step = abs(f.heads[0] - f.heads[1])
            if step != 1 and step != stride:
                return NOT_KNOWN
    for i in range(filled):
        point = f.points[i]
        add(zone, s.bit[point])
        for direction in range(4):
            neighbour = point + side(stride, direction)
            if a.colour[neighbour] == attacker and s.bit[neighbour] >= 0 and f.area[neighbour] <= before:
                f.area[neighbour] = before + 1
                add_chain(s, zone, a.head[neighbour])
    return answer


@leaf
def taken_heart(s, f, head, inner):  # type: ignore[no-untyped-def]
    """Are the inner points in `f.heads` a star in the attacker's hand? An answer as of `hopeless`."""
    a = s.board
    stride = a.state[STRIDE]
    for i in range(inner):
        heart = f.heads[i]
        leaves = 0
        open_leaf = False
        for direction in range(4):
            neighbour = heart + side(stride, direction)
            content = a.colour[neighbour]
            if content == OFF or a.head[neighbour] == head:
                continue
            leaf = False
            for j in range(inner):
                leaf = leaf or f.heads[j] == neighbour
            if not leaf or not touches(a, neighbour, head):
                leaves = -MOST_INNER
                break
            for further in range(4):
                beyond = neighbour + side(stride, further)
                if beyond != heart and a.colour[beyond] != OFF and a.head[beyond] != head:
                    leaves = -MOST_INNER
            leaves += 1
            open_leaf = open_leaf or content == EMPTY
        if leaves == inner - 1:
            if a.colour[heart] == s.facts[ATTACKER]:
                return NO_MOVE_NEEDED
            if a.colour[heart] == EMPTY and open_leaf and s.facts[TURN] == s.facts[ATTACKER]:
                return heart
            return NOT_KNOWN
    return NOT_KNOWN
