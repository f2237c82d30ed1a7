"""Who owns what if the game ended now, as KataGo's networks are told.

Pass-alive chains and their territory come from `miai.go.benson`. Empty regions that only one colour
touches are that colour's, too, unless the other holds them pass-alive; and a stone that nothing else
decides belongs to its own side. Where eyes in seki do not count, areas that touch a neutral point or
hold a stone in atari keep their stones only.
"""

from __future__ import annotations

import numpy as np

from miai.go.benson import ALIVE, WORK_PER_POINT, benson_kernel
from miai.go.benson import OPEN as UNDECIDED
from miai.go.coords import BLACK, EMPTY, OFF, WHITE
from miai.go.kernels.arrays import STRIDE, side
from miai.kernel import kernel, leaf


def work_size(length: int) -> int:
    """How many ints of scratch `area_now` needs for a padded line of `length`."""
    return WORK_PER_POINT * length


@kernel
def area_now(a, suicide, seki_counts, owner, certain, work):  # type: ignore[no-untyped-def]
    """Write to owner [length] BLACK, WHITE or EMPTY for each place of the padded line.

    `certain` is int8 [length] and `work` int32 [work_size], scratch both.
    """
    stride = a.state[STRIDE]
    owner[:] = EMPTY
    for colour in (BLACK, WHITE):
        if benson_kernel(a.colour, stride, colour, suicide, certain, work) > 0:
            for point in range(certain.size):
                if certain[point] != UNDECIDED:
                    owner[point] = colour
    claim_regions(a.colour, stride, owner, certain, work)
    for point in range(owner.size):
        if owner[point] == EMPTY and a.colour[point] != OFF:
            owner[point] = a.colour[point]
    if not seki_counts:
        drop_seki(a, stride, owner, certain, work)


@leaf
def claim_regions(colour, stride, owner, seen, queue):  # type: ignore[no-untyped-def]
    """Give each empty region that one colour alone touches to that colour, where nobody has it yet."""
    for point in range(seen.size):
        seen[point] = 0
    for start in range(seen.size):
        if colour[start] != EMPTY or seen[start]:
            continue
        touched = 0
        queue[0] = start
        seen[start] = 1
        count, done = 1, 0
        while done < count:
            for direction in range(4):
                point = queue[done] + side(stride, direction)
                if colour[point] == EMPTY:
                    if not seen[point]:
                        seen[point] = 1
                        queue[count] = point
                        count += 1
                elif colour[point] != OFF:
                    touched |= colour[point]
            done += 1
        if touched == BLACK or touched == WHITE:
            for i in range(count):
                if owner[queue[i]] == EMPTY:
                    owner[queue[i]] = touched


@leaf
def drop_seki(a, stride, owner, seki, queue):  # type: ignore[no-untyped-def]
    """Leave to areas in seki only their stones."""
    for point in range(seki.size):
        seki[point] = 0
    for start in range(seki.size):
        if owner[start] == EMPTY or seki[start]:
            continue
        doubtful = a.colour[start] == owner[start] and a.libs[a.head[start]] == 1
        for direction in range(4):
            point = start + side(stride, direction)
            doubtful |= a.colour[point] == EMPTY and owner[point] == EMPTY
        if not doubtful:
            continue
        queue[0] = start
        seki[start] = 1
        count, done = 1, 0
        while done < count:
            for direction in range(4):
                point = queue[done] + side(stride, direction)
                if owner[point] == owner[start] and not seki[point]:
                    seki[point] = 1
                    queue[count] = point
                    count += 1
            done += 1
    for point in range(seki.size):
        if seki[point]:
            owner[point] = np.int8(EMPTY) if a.colour[point] != owner[point] else owner[point]


__all__ = ["ALIVE", "area_now", "work_size"]
