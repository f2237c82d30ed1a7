"""Chains: which stones touch, how liberties change, two chains that become one and part again.

Joining two rings is one swap of `next`, and the same swap parts them again, which is what makes taking
back cheap. `moves` puts these together.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import EMPTY
from miai.go.kernels.arrays import CAPTURED_AT, EPOCH, IMMORTAL, LOG_TOP, STRIDE, beside, index, side
from miai.kernel import inlined, leaf


@inlined
def touches(a, point, head):  # type: ignore[no-untyped-def]
    """Is a stone of the chain `head` next to `point`?"""
    stride = a.state[STRIDE]
    return (
        (a.head[beside(point, stride, 0)] == head)
        | (a.head[beside(point, stride, 1)] == head)
        | (a.head[beside(point, stride, 2)] == head)
        | (a.head[beside(point, stride, 3)] == head)
    )


@inlined
def change_liberties_around(a, point, change):  # type: ignore[no-untyped-def]
    """Add `change` to the liberties of every chain next to `point`, once for each chain.

    Without branches, which would go wrong half the time: where there is no chain, libs[0] gets it.
    """
    stride = a.state[STRIDE]
    up, left = a.head[beside(point, stride, 0)], a.head[beside(point, stride, 1)]
    right, down = a.head[beside(point, stride, 2)], a.head[beside(point, stride, 3)]
    a.libs[up] += change
    a.libs[left] += change * (left != up)
    a.libs[right] += change * ((right != up) & (right != left))
    a.libs[down] += change * ((down != up) & (down != left) & (down != right))
    a.libs[0] = 0


@leaf
def chain_liberties(a, head, out):  # type: ignore[no-untyped-def]
    """Write the liberties of a chain to `out`; returns how many."""
    a.state[EPOCH] += 1
    epoch = a.state[EPOCH]
    count = 0
    stone = head
    while True:
        for direction in range(4):
            point = stone + side(a.state[STRIDE], direction)
            if a.colour[point] == EMPTY and a.mark[point] != epoch:
                a.mark[point] = epoch
                out[count] = point
                count += 1
        stone = np.int64(a.next[stone])
        if stone == head:
            break
    return count


@leaf
def join(a, root, other):  # type: ignore[no-untyped-def]
    """Make the chain `other` part of the chain `root`."""
    a.state[EPOCH] += 1
    epoch = a.state[EPOCH]
    stride = a.state[STRIDE]
    stone = index(other)
    while True:
        for direction in range(4):
            point = beside(stone, stride, direction)
            if a.colour[point] == EMPTY and a.mark[point] != epoch:
                a.mark[point] = epoch
                if not touches(a, point, root):
                    a.libs[root] += 1
        stone = index(a.next[stone])
        if stone == other:
            break
    while True:
        a.head[stone] = root
        stone = index(a.next[stone])
        if stone == other:
            break
    if a.libs[other] >= IMMORTAL and a.libs[root] < IMMORTAL:
        a.libs[root] += IMMORTAL
    a.size[root] += a.size[other]
    a.libs[other] = 0
    a.size[other] = 0
    a.next[root], a.next[other] = a.next[other], a.next[root]


@leaf
def part(a, root, other, libs, size):  # type: ignore[no-untyped-def]
    """Undo `join`: give `other` its ring, its head and its numbers back."""
    a.next[root], a.next[other] = a.next[other], a.next[root]
    a.size[root] -= size
    a.libs[other] = libs
    a.size[other] = size
    stone = other
    while True:
        a.head[stone] = other
        stone = a.next[stone]
        if stone == other:
            break


@leaf
def remove_chain(a, head):  # type: ignore[no-untyped-def]
    """Take a chain off the board and log its stones; returns how many."""
    top = a.state[LOG_TOP]
    colour = a.colour[head]
    stone, count = index(head), 0
    while True:
        a.log[index(top + count)] = stone
        count += 1
        following = index(a.next[stone])
        a.colour[stone] = EMPTY
        a.hash[0] ^= a.keys[colour, stone]
        a.head[stone] = 0
        a.next[stone] = 0
        stone = following
        if stone == head:
            break
    a.libs[head] = 0
    a.size[head] = 0
    for i in range(count):
        point = np.int64(a.log[top + i])
        change_liberties_around(a, point, 1)
        a.state[CAPTURED_AT + (point >> 6)] |= 1 << (point & 63)
    a.log[top + count] = count
    a.state[LOG_TOP] = top + count + 1
    return count


@leaf
def restore_chain(a, colour):  # type: ignore[no-untyped-def]
    """Put back the chain that `remove_chain` logged last."""
    top = a.state[LOG_TOP] - 1
    count = a.log[top]
    start = top - count
    for i in range(start, top):
        change_liberties_around(a, a.log[i], -1)
    head = a.log[start]
    for i in range(start, top):
        stone = a.log[i]
        a.colour[stone] = colour
        a.hash[0] ^= a.keys[colour, stone]
        a.head[stone] = head
        a.next[stone] = a.log[i + 1] if i + 1 < top else head
    a.size[head] = count
    a.state[LOG_TOP] = start
    return count
