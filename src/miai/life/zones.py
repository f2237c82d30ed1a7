"""Zones: what a proof depends on.

Every proved result comes with a zone Z, a set of region points, and this promise: *in any position
that looks the same inside Z, with the same side to move and the same ko ban inside Z, the same side
wins*. Whatever stands outside does not matter. So when a side loses by passing, with zone Z, every
move of its outside Z loses too, and the search need not look at it.

The functions here keep the promise while results travel up the tree. `winner` made or answers the
moves of the proof, `loser` tries everything. The rules, and why:

* Where the winner plays m (`add_winning_move`): m must stay legal and must capture the same stones
  whatever stands outside. So Z takes m, its neighbours, the chains it captures with all that
  surrounds them, and each enemy chain it touches but does not capture with one liberty.
* Where the loser is to move (`close_for_loser`): no loser's move may capture a winner's chain of Z
  that it would not capture here. So each winner's chain that Z touches gets two liberties into Z; if
  it has only one, everything around it.
* What the loser captures in a line of the proof (`add_losing_move`), it must capture outside it too:
  those chains come with all that surrounds them.
* A move inside Z that is suicide for the loser must stay suicide: the chain it would make comes with
  all that surrounds it.
"""

from __future__ import annotations

from miai.go.coords import EMPTY, OFF
from miai.go.kernels.arrays import EPOCH, IMMORTAL, STRIDE, side
from miai.kernel import leaf
from miai.life.sets import VOID, add, has, lowest, without_lowest
from miai.life.space import TURN, WORDS


@leaf
def fill(s, zone):  # type: ignore[no-untyped-def]
    """Make the zone the whole region."""
    for w in range(s.facts[WORDS]):
        zone[w] = s.inside[w]


@leaf
def add_chain(s, zone, head):  # type: ignore[no-untyped-def]
    """The stones of a chain."""
    stone = head
    while True:
        add(zone, s.bit[stone])
        stone = s.board.next[stone]
        if stone == head:
            break


@leaf
def add_chain_and_surroundings(s, zone, head):  # type: ignore[no-untyped-def]
    """The stones of a chain and every point next to them."""
    stone = head
    while True:
        add(zone, s.bit[stone])
        for direction in range(4):
            add(zone, s.bit[stone + side(s.board.state[STRIDE], direction)])
        stone = s.board.next[stone]
        if stone == head:
            break


@leaf
def add_chain_with_liberties(s, zone, head, wanted, without):  # type: ignore[no-untyped-def]
    """The stones of a chain and at least `wanted` of its liberties, not counting the point `without`."""
    a = s.board
    add_chain(s, zone, head)
    if a.libs[head] >= IMMORTAL:
        return
    a.state[EPOCH] += 1
    epoch = a.state[EPOCH]
    for attempt in range(2):  # first count the ones the zone has already, then add
        stone = head
        while wanted > 0:
            for direction in range(4):
                point = stone + side(a.state[STRIDE], direction)
                if a.colour[point] != EMPTY or point == without or a.mark[point] == epoch or wanted == 0:
                    continue
                bit = s.bit[point]
                if attempt == 1 or bit < 0 or has(zone, bit):
                    a.mark[point] = epoch
                    add(zone, bit)
                    wanted -= 1
            stone = a.next[stone]
            if stone == head:
                break


@leaf
def add_winning_move(s, zone, point):  # type: ignore[no-untyped-def]
    """The winner, to move, plays `point`; `zone` holds what the position after it depends on."""
    a = s.board
    colour = s.facts[TURN]
    add(zone, s.bit[point])
    breathes = False
    own = 0
    for direction in range(4):
        neighbour = point + side(a.state[STRIDE], direction)
        content = a.colour[neighbour]
        if content == OFF:
            continue
        add(zone, s.bit[neighbour])
        if content == EMPTY:
            breathes = True
        elif content == colour:
            if a.libs[a.head[neighbour]] > 1:
                own = a.head[neighbour]
        elif a.libs[a.head[neighbour]] == 1:
            add_chain_and_surroundings(s, zone, a.head[neighbour])
            breathes = True
        else:
            add_chain_with_liberties(s, zone, a.head[neighbour], 1, point)
    if not breathes and own:
        add_chain_with_liberties(s, zone, own, 1, point)


@leaf
def add_losing_move(s, zone, point):  # type: ignore[no-untyped-def]
    """The loser, to move, plays `point`: what it captures here it must capture everywhere."""
    a = s.board
    colour = s.facts[TURN]
    for direction in range(4):
        neighbour = point + side(a.state[STRIDE], direction)
        content = a.colour[neighbour]
        if content != EMPTY and content != OFF and content != colour and a.libs[a.head[neighbour]] == 1:
            add_chain_and_surroundings(s, zone, a.head[neighbour])


@leaf
def add_suicide(s, zone, point):  # type: ignore[no-untyped-def]
    """The loser, to move, may not play `point` because it is suicide: keep it so."""
    a = s.board
    colour = s.facts[TURN]
    for direction in range(4):
        neighbour = point + side(a.state[STRIDE], direction)
        add(zone, s.bit[neighbour])
        if a.colour[neighbour] == colour:
            add_chain_and_surroundings(s, zone, a.head[neighbour])


@leaf
def close_for_loser(s, zone, winner):  # type: ignore[no-untyped-def]
    """The loser is to move: give every chain of the winner's that the zone touches its liberties."""
    a = s.board
    s.seen[0] += 1  # a number of its own, for `seen` marks the heads done in this call
    for w in range(s.facts[WORDS]):
        rest = zone[w] & s.stones[winner, w]
        while rest != VOID:
            head = a.head[s.point[64 * w + lowest(rest)]]
            rest = without_lowest(rest)
            if s.seen[head] == s.seen[0]:
                continue
            s.seen[head] = s.seen[0]
            if a.libs[head] == 1:
                add_chain_and_surroundings(s, zone, head)
            else:
                add_chain_with_liberties(s, zone, head, 2, 0)
