"""Ladders as KataGo's networks expect them: which chains are caught by one atari after another.

The attacker plays on the two liberties of a chain, the defender extends or captures a chain next to
it. The reading is KataGo's, with its short cuts, because a network is used to those answers:
the defender wins every ko, except that a chain whose two liberties are both ko mouths is caught; a
search of more than NODES moves finds nothing. In one case the two may differ: where the defender's
liberty also captures, and there are other captures, KataGo counts the liberties of whichever capture
its chain lists last; here it is always the liberty, so that a turned board has the same ladders.

`read_ladders` marks a whole board; it plays on the board's own arrays and takes everything back.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import BLACK, EMPTY, NO_POINT, OFF, WHITE
from miai.go.kernels.arrays import EPOCH, KO, KO_COLOUR, STRIDE, beside, index
from miai.go.kernels.moves import place, take_back
from miai.kernel import inlined, leaf

NODES = 25_000

# bits that `read_ladders` writes
CAUGHT = 1  # on stones
CATCHES_BLACK, CATCHES_WHITE = 2, 4  # on empty points: the first move of a ladder against that colour

# what a look at a position says, before any move
OPEN, SAFE, TAKEN = 0, 1, 2

START, COUNT, CURRENT, FRAME = 0, 1, 2, 3  # in `work`, for each move of the line being read


def depth_limit(area: int) -> int:
    """How long a line of play may become; longer ones count as caught."""
    return area * 3 // 2


def work_size(area: int) -> int:
    """How many ints of scratch `read_ladders` needs on a board of `area` points."""
    return FRAME * (depth_limit(area) + 2) + 8 * depth_limit(area) + area


@inlined
def may_play(a, point, colour):  # type: ignore[no-untyped-def]
    """Neither ko, for whomever, nor suicide."""
    if point == a.state[KO]:
        return False
    fine = False
    for direction in range(4):
        neighbour = beside(point, a.state[STRIDE], direction)
        content, libs = a.colour[neighbour], a.libs[index(a.head[neighbour])]
        fine |= (content == EMPTY) | ((content == colour) & (libs > 1))
        fine |= (content == BLACK + WHITE - colour) & (libs == 1)
    return fine


@inlined
def empty_beside(a, point):  # type: ignore[no-untyped-def]
    """How many of the four neighbours are empty."""
    count = 0
    for direction in range(4):
        count += a.colour[beside(point, a.state[STRIDE], direction)] == EMPTY
    return count


@leaf
def list_liberties(a, stone, work, first, end):  # type: ignore[no-untyped-def]
    """Append the liberties of a chain to work[first:end], each once; returns the new end."""
    head = index(a.head[index(stone)])
    wanted = a.libs[head]
    here, found = index(stone), 0
    while True:
        for direction in range(4):
            point = beside(here, a.state[STRIDE], direction)
            if a.colour[point] == EMPTY:
                new = True
                for i in range(end - 1, first - 1, -1):
                    new &= work[index(i)] != np.int32(point)
                if new:
                    work[index(end)] = point
                    end += 1
                    found += 1
        here = index(a.next[here])
        if here == index(stone) or found == wanted:
            break
    return end


@leaf
def list_captures(a, stone, work, first, end):  # type: ignore[no-untyped-def]
    """Append to work[first:end] the moves that capture a chain next to this one; returns the new end."""
    a.state[EPOCH] += 1
    epoch = a.state[EPOCH]
    enemy = BLACK + WHITE - a.colour[index(stone)]
    here = index(stone)
    while True:
        for direction in range(4):
            point = beside(here, a.state[STRIDE], direction)
            head = index(a.head[point])
            if a.colour[point] == enemy and a.libs[head] == 1 and a.mark[head] != epoch:
                a.mark[head] = epoch
                end = list_liberties(a, np.int64(head), work, first, end)
        here = index(a.next[here])
        if here == index(stone):
            break
    return end


@leaf
def has_captures(a, stone):  # type: ignore[no-untyped-def]
    """Is a chain next to this one in atari?"""
    enemy = BLACK + WHITE - a.colour[index(stone)]
    here = index(stone)
    while True:
        for direction in range(4):
            point = beside(here, a.state[STRIDE], direction)
            if a.colour[point] == enemy and a.libs[index(a.head[point])] == 1:
                return True
        here = index(a.next[here])
        if here == index(stone):
            return False


@leaf
def ko_mouth(a, point, colour):  # type: ignore[no-untyped-def]
    """Would `colour` take exactly one stone here, and be surrounded by the enemy alone?"""
    taken = 0
    for direction in range(4):
        neighbour = beside(point, a.state[STRIDE], direction)
        content, head = a.colour[neighbour], index(a.head[neighbour])
        if content == OFF:
            continue
        if content != BLACK + WHITE - colour:
            return False
        if a.libs[head] == 1:
            taken += 1
            if a.size[head] != 1:
                return False
    return taken == 1


@leaf
def play(a, point, colour):  # type: ignore[no-untyped-def]
    """`place` where speed is not everything: it is long, and copied into whatever calls it."""
    return place(a, point, colour)


@leaf
def liberties_after(a, point, colour):  # type: ignore[no-untyped-def]
    """Liberties, as far as 3, of the chain that a stone of `colour` here would be part of."""
    play(a, point, colour)
    liberties = min(a.libs[index(a.head[index(point)])], 3)
    take_back(a)
    return liberties


@leaf
def two_kos(a, stone, one, two):  # type: ignore[no-untyped-def]
    """Are both liberties of a chain ko mouths, and does filling either, or a capture, not help it?"""
    defender = np.int64(a.colour[index(stone)])
    attacker = BLACK + WHITE - defender
    return (
        ko_mouth(a, one, attacker)
        and ko_mouth(a, two, attacker)
        and liberties_after(a, one, defender) <= 2
        and liberties_after(a, two, defender) <= 2
        and not has_captures(a, stone)
    )


@inlined
def look_as_defender(a, stone, work, first):  # type: ignore[no-untyped-def]
    """The moves to try, the liberty and captures, in work[first:end]: returns verdict and end."""
    colour = a.colour[index(stone)]
    end = list_captures(a, stone, work, first, list_liberties(a, stone, work, first, first))
    point = work[index(first)]
    empty = captures = stones_taken = joined = most_joined = 0
    for direction in range(4):
        neighbour = beside(point, a.state[STRIDE], direction)
        content, head = a.colour[neighbour], index(a.head[neighbour])
        if content == EMPTY:
            empty += 1
        elif content == colour:
            joined += a.libs[head] - 1
            most_joined = max(most_joined, a.libs[head] - 1)
        elif content != OFF and a.libs[head] == 1:
            captures += 1
            stones_taken += a.size[head]
    verdict = OPEN
    if captures + max(most_joined, empty) >= 3:
        verdict = SAFE
    elif end - first == 1 and empty + stones_taken + joined <= 1:
        verdict = TAKEN
    return verdict, end


@inlined
def promise(a, point, defender):  # type: ignore[no-untyped-def]
    """How much the defender would gain here: what the attacker tries first."""
    total = 2 * empty_beside(a, point)
    for direction in range(4):
        neighbour = beside(point, a.state[STRIDE], direction)
        libs = a.libs[index(a.head[neighbour])]
        if a.colour[neighbour] == defender and libs > 1:
            total += 2 * libs - 3
    return total


@inlined
def look_as_attacker(a, stone, work, first):  # type: ignore[no-untyped-def]
    """The moves to try, of the chain's two liberties, in work[first:end]: returns verdict and end."""
    defender = a.colour[index(stone)]
    end = list_liberties(a, stone, work, first, first)
    one, two = np.int64(work[index(first)]), np.int64(work[index(first + 1)])
    room_one, room_two = empty_beside(a, one), empty_beside(a, two)
    verdict = OPEN
    if room_one + room_two == 0 and two_kos(a, stone, one, two):
        verdict = TAKEN
    if verdict == OPEN:
        step = abs(one - two)
        beside_each_other = step == 1 or step == a.state[STRIDE]
        if not beside_each_other and room_one >= 3 and room_two >= 3:
            verdict = SAFE
        elif not beside_each_other and room_one >= 3:
            end = first + 1
        elif not beside_each_other and room_two >= 3:
            work[index(first)] = two
            end = first + 1
        elif promise(a, two, defender) > promise(a, one, defender):
            work[index(first)], work[index(first + 1)] = two, one
    return verdict, end


@leaf
def is_caught(a, stone, limit, work):  # type: ignore[no-untyped-def]
    """Is the chain of `stone` captured by atari after atari, its owner to move? False unless in atari."""
    if a.libs[index(a.head[index(stone)])] > 1:
        return False
    defender = np.int64(a.colour[index(stone)])
    ko, ko_colour = a.state[KO], a.state[KO_COLOUR]
    a.state[KO] = NO_POINT  # the defender wins every ko
    depth = nodes = 0
    caught = answered = False  # answered: `caught` is what the move of this depth led to
    work[START] = FRAME * (limit + 2)
    while depth >= 0:
        frame = FRAME * depth
        defending = depth & 1 == 0
        first = np.int64(work[index(frame + START)])
        if answered:
            take_back(a)
            if caught != defending:  # a way out for the defender, or a way in for the attacker
                depth -= 1
                continue
            work[index(frame + CURRENT)] += 1
        else:
            libs = a.libs[index(a.head[index(stone)])]
            verdict, end = OPEN, first
            if depth >= limit or (not defending and libs <= 1):
                verdict = TAKEN
            elif libs >= 3 or (defending and (libs == 2 or a.state[KO] != NO_POINT)):
                verdict = SAFE
            elif first + limit > work.size:  # no room for more moves
                nodes = NODES
            elif defending:
                verdict, end = look_as_defender(a, stone, work, first)
            else:
                verdict, end = look_as_attacker(a, stone, work, first)
            if verdict != OPEN:
                caught = verdict == TAKEN
                answered = True
                depth -= 1
                continue
            work[index(frame + COUNT)] = end - first
            work[index(frame + CURRENT)] = 0
        colour = defender if defending else BLACK + WHITE - defender
        count, current = work[index(frame + COUNT)], work[index(frame + CURRENT)]
        while current < count and not may_play(a, np.int64(work[index(first + current)]), colour):
            current += 1
        if nodes >= NODES:
            for _ in range(depth):
                take_back(a)
            caught = False
            break
        if current >= count:
            caught = defending
            answered = True
            depth -= 1
            continue
        work[index(frame + CURRENT)] = current
        place(a, np.int64(work[index(first + current)]), colour)
        nodes += 1
        depth += 1
        work[index(FRAME * depth + START)] = first + count
        answered = False
    a.state[KO], a.state[KO_COLOUR] = ko, ko_colour
    return caught


@leaf
def catching_move(a, stone, point, limit, work):  # type: ignore[no-untyped-def]
    """Does a ladder against a chain with two liberties work, if it begins at `point`?"""
    attacker = BLACK + WHITE - np.int64(a.colour[index(stone)])
    if not may_play(a, point, attacker):
        return False
    play(a, point, attacker)
    caught = is_caught(a, stone, limit, work)
    take_back(a)
    return caught


@leaf
def read_ladders(a, limit, marks, work):  # type: ignore[no-untyped-def]
    """Write to marks [length] what ladders there are: CAUGHT stones, and moves that catch.

    `limit` is `depth_limit` and `work` int32 [work_size]; the board's log and history must have room
    for `limit` moves more.
    """
    for point in range(a.colour.size):
        marks[point] = 0
    stride = a.state[STRIDE]
    for head in range(stride + 1, a.colour.size):
        if a.head[head] != head or a.libs[head] > 2:
            continue
        caught = False
        if a.libs[head] == 1:
            caught = is_caught(a, head, limit, work)
        elif a.libs[head] == 2:
            bit = CATCHES_BLACK if a.colour[head] == BLACK else CATCHES_WHITE
            list_liberties(a, head, work, 0, 0)
            one, two = np.int64(work[0]), np.int64(work[1])
            if catching_move(a, head, one, limit, work):
                marks[one] |= bit
                caught = True
            if catching_move(a, head, two, limit, work):
                marks[two] |= bit
                caught = True
        if caught:
            stone = index(head)
            while True:
                marks[stone] |= CAUGHT
                stone = index(a.next[stone])
                if stone == index(head):
                    break
