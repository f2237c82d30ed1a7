"""Unconditional life: chains that nobody can capture though their owner never plays again.

This is Benson's algorithm. Take the chains of one colour, and the regions that they cut the rest of
the board into (empty points and enemy stones together). A region is vital to a chain when each of
its empty points is a liberty of that chain: the enemy cannot fill the last one without dying there.
Strike out chains with fewer than two vital regions, then regions that border a struck chain, and
again until nothing changes. What is left is alive.

Where suicide is allowed the enemy can empty a region of its own stones and come back to make an eye
there. A region is then vital only if its points under enemy stones, too, are next to the chain.

`pass_alive` is for people; a search calls `benson_kernel` on the padded line of a board.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from miai.go.board import Board, Chain
from miai.go.coords import EMPTY, NO_POINT, OFF
from miai.go.kernels.arrays import side
from miai.kernel import kernel, leaf

# what `benson_kernel` writes for each point
OPEN, ALIVE, TERRITORY = 0, 1, 2

WORK_PER_POINT = 12  # ints of scratch that `benson_kernel` needs for each place of the padded line


@dataclass(frozen=True)
class Alive:
    """What one colour owns for certain; points in board order."""

    colour: int
    chains: tuple[Chain, ...]  # unconditionally alive
    territory: tuple[int, ...]  # see `pass_alive`

    @property
    def stones(self) -> tuple[int, ...]:
        return tuple(sorted(stone for chain in self.chains for stone in chain.stones))


def pass_alive(board: Board, colour: int) -> Alive:
    """The chains of `colour` that live even if it always passes, and the territory that is safe with them.

    By the board's rules: where suicide is allowed a little less is certain.

    A region is safe territory when only such chains border it and at most one of its points, empty
    or under an enemy stone, is not next to one of them. The enemy cannot live there: an eye needs a
    point away from those stones, and two eyes need two. Larger regions may be safe too, but not
    without an answer to some move, and so do not count. Enemy stones in safe territory are dead.
    """
    a = board.arrays
    out = np.empty(board.grid.length, dtype=np.int8)
    work = np.empty(WORK_PER_POINT * board.grid.length, dtype=np.int32)
    benson_kernel(a.colour, board.grid.stride, colour, board.rules.suicide, out, work)
    heads = dict.fromkeys(int(head) for head in a.head[out == ALIVE])
    return Alive(
        colour, tuple(board.chain(h) for h in heads), tuple(int(p) for p in np.flatnonzero(out == TERRITORY))
    )


@leaf
def flood(colour, stride, start, own, label, name, queue):  # type: ignore[no-untyped-def]
    """Label the part of the board around `start` that is all `own` stones, or all without.

    Writes the points to `queue`; returns how many.
    """
    who = colour[start]
    label[start] = name
    queue[0] = start
    count, done = 1, 0
    while done < count:
        for direction in range(4):
            point = queue[done] + side(stride, direction)
            if label[point] == 0 and colour[point] != OFF and (colour[point] == own) == (who == own):
                label[point] = name
                queue[count] = point
                count += 1
        done += 1
    return count


@kernel
def benson_kernel(colour, stride, who, suicide, out, work):  # type: ignore[no-untyped-def]
    """Write ALIVE, TERRITORY or OPEN for each place of the padded line; returns how many chains live.

    `out` is int8 [length], `work` int32 [WORK_PER_POINT * length]; neither needs clearing.
    """
    length = colour.size
    label = work[:length]  # [point] its chain; for the rest of the board 1 + chains or more
    members = work[length : 2 * length]  # points, region by region
    members_end = work[2 * length : 3 * length]  # [region]
    border_end = work[3 * length : 4 * length]  # [region]
    inner = work[4 * length : 5 * length]  # [region] points that are next to none of the chains
    seen_region = work[5 * length : 6 * length]  # [chain] the last region found next to it
    seen_point = work[6 * length : 7 * length]  # [chain] the last point found next to it
    touched = work[7 * length : 8 * length]  # [chain] points of that region that count and are next to it
    vital = work[8 * length : 9 * length]  # [chain] its vital regions
    struck = work[9 * length : 10 * length]  # [chain] 1 when it is not alive
    # Chains and regions make a planar map of two colours: it has fewer borders than twice its parts.
    border = work[10 * length :]  # chains, region by region; negative where the region is vital
    label[:] = 0
    out[:] = OPEN

    chains = 0
    for point in range(length):
        if colour[point] == who and label[point] == 0:
            chains += 1
            flood(colour, stride, point, who, label, chains, members)
            seen_region[chains] = seen_point[chains] = NO_POINT
            struck[chains] = 0

    # the regions, the chains that border each, and to which of these it is vital
    regions = filled = borders = 0
    for start in range(length):
        if colour[start] == OFF or label[start] != 0:
            continue
        first, count = borders, flood(colour, stride, start, who, label, chains + 1, members[filled:])
        inner[regions] = counting = 0
        for point in members[filled : filled + count]:
            counts = suicide or colour[point] == EMPTY
            counting += counts
            alone = True
            for direction in range(4):
                neighbour = point + side(stride, direction)
                if colour[neighbour] != who:
                    continue
                alone = False
                chain = label[neighbour]
                if seen_region[chain] != regions:
                    seen_region[chain] = regions
                    touched[chain] = 0
                    border[borders] = chain
                    borders += 1
                if seen_point[chain] != point:
                    seen_point[chain] = point
                    touched[chain] += counts
            inner[regions] += alone
        for i in range(first, borders):
            if touched[border[i]] == counting:
                border[i] = -border[i]
        filled += count
        members_end[regions] = filled
        border_end[regions] = borders
        regions += 1

    alive, before = chains, -1
    while alive != before:
        before = alive
        vital[: chains + 1] = 0
        first = 0
        for region in range(regions):
            around = border[first : border_end[region]]
            first = border_end[region]
            if not any_struck(around, struck):
                for chain in around:
                    if chain < 0:
                        vital[-chain] += 1
        for chain in range(1, chains + 1):
            if struck[chain] == 0 and vital[chain] < 2:
                struck[chain] = 1
                alive -= 1

    if alive == 0:
        return 0
    for point in range(length):
        if colour[point] == who and struck[label[point]] == 0:
            out[point] = ALIVE
    filled = first = 0
    for region in range(regions):
        if inner[region] <= 1 and not any_struck(border[first : border_end[region]], struck):
            out[members[filled : members_end[region]]] = TERRITORY
        filled, first = members_end[region], border_end[region]
    return alive


@leaf
def any_struck(around, struck):  # type: ignore[no-untyped-def]
    """Was one of the chains around a region struck out?"""
    for chain in around:
        if struck[abs(chain)]:
            return True
    return False
