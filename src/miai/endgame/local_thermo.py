"""Thermographs of a whole graph of positions, kos included, in compiled loops.

Positions without loops below them get their thermograph. Inside a loop every position gets two, a
lower and an upper one, which the moves then correct in turn: the lower from "White owns everything",
the upper from "Black owns everything". Why these are bounds: a wall of a position rises or stays when
walls of its options rise (where both wait, the value is the middle one of three numbers), so what is
above every solution of the equations stays above them, however often it is corrected. The search may
stop anywhere; where both bounds are the same, the equations have one solution, and that is it.

The equations are those of extended thermography, as in `turns.py` for a neutral threat environment:
after a ko capture the opponent may not answer back, but make another move, or play elsewhere, which
leaves the turn to the capturer with no ban standing. The turn under a ban is a wall of its own.

Where whole numbers do not suffice (`local_walls`), a position keeps the bounds it had.

`thermographs` does it all; `local_graph` makes what it reads; `local_reduce` goes on where bounds
differ at the root; `local` is for people.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from miai.endgame.local_graph import Net, OutOfBudget, Positions, components
from miai.endgame.local_walls import (
    LEFT_MAX,
    LEFT_MIN,
    NEXT,
    RIGHT_MAX,
    RIGHT_MIN,
    ROW,
    SCALE,
    Array,
    Shapes,
    freeze,
    grown,
    intern,
    load,
    lowest_of,
    make_scratch,
    make_shapes,
    push,
    short_of_room,
    thermograph_of,
    upper,
)
from miai.endgame.thermograph import Thermograph
from miai.kernel import inlined, kernel, leaf

SWEEPS = 40  # over the positions of a loop, at most
WORK_PER_LOOP = 6_000_000  # positions times sweeps, at most
CHUNK = 50_000  # positions between two looks at the clock

# what `work_through` answers
DONE, FULL, MORE = 0, 1, 2


class Graphs(NamedTuple):
    """The arrays of a net, and which edges stand under a ban."""

    score: Array
    room: Array
    start: Array  # [node] where its moves begin: Black's, from `middle` on White's, up to `end`
    middle: Array
    end: Array
    to: Array
    gain: Array
    ko: Array
    group: Array  # [node] int32: the loop it belongs to
    order: Array  # [node] int32: what a move leads to before what it leads from
    ban: Array  # [ban] int64: edges after which the opponent may not go back, rising
    ban_from: Array  # [ban] int32: the node to which he may not go back


class Bound(NamedTuple):
    """One bound for every node and every ban: a shape and the value of its mast."""

    shape: Array  # [node] int32
    at: Array  # [node] int64
    ban_shape: Array  # [ban] int32: both walls of it are the wall of the turn under the ban
    ban_at: Array  # [ban] int64


@dataclass(frozen=True)
class Values:
    """Bounds for each node."""

    graphs: Graphs
    shapes: Shapes
    low: Bound
    high: Bound

    def __len__(self) -> int:
        return len(self.low.shape)

    def exact(self, node: int) -> bool:
        low, high = self.low, self.high
        return bool(low.shape[node] == high.shape[node] and low.at[node] == high.at[node])

    def bounds(self, node: int, shift: int = 0) -> tuple[Thermograph, Thermograph]:
        """The lower and the upper thermograph of a node, `shift` points added."""
        low, high = (
            thermograph_of(self.shapes, int(bound.shape[node]), int(bound.at[node]) + shift * SCALE)
            for bound in (self.low, self.high)
        )
        return low, high

    def after(self, node: int, to: int, gain: int, ko: int, shift: int) -> tuple[Thermograph, Thermograph]:
        """Bounds for what a move leaves to the opponent: both walls are that wall if a ban stands."""
        graphs = self.graphs
        if ko:
            for ban in np.flatnonzero(graphs.ban_from == node):
                if graphs.to[graphs.ban[ban]] == to:
                    low, high = (
                        thermograph_of(
                            self.shapes, int(b.ban_shape[ban]), int(b.ban_at[ban]) + (shift + gain) * SCALE
                        )
                        for b in (self.low, self.high)
                    )
                    return low, high
        return self.bounds(to, shift + gain)


def thermographs(
    net: Net, *, deadline: float = float("inf"), black_barred: bool = True, white_barred: bool = True
) -> Values:
    """Bounds for every position of a graph. Raises OutOfBudget past the `deadline`.

    A side that is not `barred` may retake every ko at once.
    """
    nodes = len(net) if isinstance(net, Positions) else len(net.score)
    order, group = np.zeros(nodes, dtype=np.int32), np.zeros(nodes, dtype=np.int32)
    components(net.start, net.to, nodes, order, group)
    bans = np.zeros(int(np.count_nonzero(net.ko[: net.start[nodes]])), dtype=np.int64)
    ban_from = np.zeros(len(bans), dtype=np.int32)
    count = find_bans(
        net.start, net.middle, net.to, net.ko, group, nodes, black_barred, white_barred, bans, ban_from
    )
    graphs = Graphs(
        net.score, net.room, net.start[:nodes], net.middle[:nodes], net.start[1 : nodes + 1],
        net.to, net.gain, net.ko, group, order, bans[:count], ban_from[:count],
    )  # fmt: skip
    low, high = (
        Bound(
            np.zeros(nodes, dtype=np.int32),
            np.zeros(nodes, dtype=np.int64),
            np.zeros(count, dtype=np.int32),
            np.zeros(count, dtype=np.int64),
        )
        for _ in range(2)
    )
    shapes, scratch = make_shapes(), make_scratch()
    while True:
        answer = work_through(graphs, low, high, shapes, scratch, CHUNK)
        if answer == DONE:
            return Values(graphs, shapes, low, high)
        if time.perf_counter() > deadline:
            raise OutOfBudget(f"out of time at the thermographs of {nodes:,} positions")
        if answer == FULL:
            shapes = grown(shapes)


@kernel
def find_bans(start, middle, to, ko, group, nodes, black_barred, white_barred, bans, ban_from):  # type: ignore[no-untyped-def]
    """List the ko captures that the opponent could take back, were it not for the ban."""
    count = 0
    for node in range(nodes):
        for edge in range(start[node], start[node + 1]):
            if not ko[edge] or group[to[edge]] != group[node]:
                continue
            child = to[edge]
            if edge < middle[node]:
                if not white_barred:
                    continue
                begin, end = middle[child], start[child + 1]
            else:
                if not black_barred:
                    continue
                begin, end = start[child], middle[child]
            for back in range(begin, end):
                if to[back] == node:
                    bans[count] = edge
                    ban_from[count] = node
                    count += 1
                    break
    return count


@inlined
def ban_of(graphs, edge):  # type: ignore[no-untyped-def]
    """The number of the ban that stands after a move, or -1."""
    if not graphs.ko[edge]:
        return -1
    low, high = 0, graphs.ban.size
    while low < high:
        half = (low + high) >> 1
        if graphs.ban[half] < edge:
            low = half + 1
        else:
            high = half
    return low if low < graphs.ban.size and graphs.ban[low] == edge else -1


@inlined
def leaves(graphs, bound, edge):  # type: ignore[no-untyped-def]
    """The shape and the mast of what a move leaves to the opponent."""
    ban = ban_of(graphs, edge)
    if ban >= 0:
        return bound.ban_shape[ban], bound.ban_at[ban] + graphs.gain[edge] * SCALE
    child = graphs.to[edge]
    return bound.shape[child], bound.at[child] + graphs.gain[edge] * SCALE


@inlined
def scaffold(graphs, bound, begin, end, but, black, shapes, a, b, spare, t, v):  # type: ignore[no-untyped-def]
    """The best of some moves before tax, except those to node `but`; for White with the sign turned.

    Built in the rows a, b and `spare`. Returns the row and its corners: 0 without moves, -1 on trouble.
    """
    sign = 1 if black else -1
    # Begin with the move whose worst is best: most others are then below it throughout.
    chosen, least = np.int64(-1), np.int64(0)
    for edge in range(begin, end):
        if graphs.to[edge] == but:
            continue
        shape, shift = leaves(graphs, bound, edge)
        worst = shift + shapes.span[shape, RIGHT_MIN] if black else -shift - shapes.span[shape, LEFT_MAX]
        if chosen < 0 or worst > least:
            chosen, least = np.int64(edge), worst
    if chosen < 0:
        return a, np.int64(0)
    shape, shift = leaves(graphs, bound, chosen)
    n = load(shapes, shape, shift, not black, sign, t, v, a)
    for edge in range(begin, end):
        if edge == chosen or graphs.to[edge] == but:
            continue
        shape, shift = leaves(graphs, bound, edge)
        best = shift + shapes.span[shape, RIGHT_MAX] if black else -shift - shapes.span[shape, LEFT_MIN]
        if best <= least:
            continue
        corners = load(shapes, shape, shift, not black, sign, t, v, spare)
        n = upper(t, v, a, n, spare, corners, b)
        if n < 0:
            return a, n
        a, b = b, a
        least = lowest_of(v, a, n)
    return a, n


@inlined
def evaluate(graphs, bound, node, shapes, scratch, out):  # type: ignore[no-untyped-def]
    """The thermograph of a node from what its moves leave: `out` gets its shape and its mast.

    Returns False where whole numbers do not suffice.
    """
    t, v = scratch.t, scratch.v
    first, middle, last = graphs.start[node], graphs.middle[node], graphs.end[node]
    f, n = scaffold(graphs, bound, first, middle, -1, True, shapes, ROW[0], ROW[1], ROW[6], t, v)
    if n < 0:
        return False
    g, m = scaffold(graphs, bound, middle, last, -1, False, shapes, ROW[2], ROW[3], ROW[6], t, v)
    if m < 0:
        return False
    left, right = freeze(f, n, g, m, np.int64(graphs.score[node]) * SCALE, t, v, ROW[4], ROW[5])
    if left < 0:
        return False
    out[0] = intern(shapes, t, v, ROW[4], left, ROW[5], right)
    out[1] = v[ROW[4] + left - 1]
    return True


@inlined
def evaluate_ban(graphs, bound, ban, shapes, scratch, out):  # type: ignore[no-untyped-def]
    """The wall of the turn under a ban: another move, or the capturer's turn after one elsewhere."""
    t, v = scratch.t, scratch.v
    edge = graphs.ban[ban]
    origin, node = graphs.ban_from[ban], graphs.to[edge]
    black = edge >= graphs.middle[origin]  # White captured, Black is barred
    if black:
        begin, end = graphs.start[node], graphs.middle[node]
    else:
        begin, end = graphs.middle[node], graphs.end[node]
    f, n = scaffold(graphs, bound, begin, end, origin, black, shapes, ROW[0], ROW[1], ROW[6], t, v)
    if n < 0:
        return False
    sign = 1 if black else -1
    for i in range(f, f + n):
        v[i] -= t[i]  # the tax
    row = ROW[2]
    m = load(shapes, bound.shape[node], bound.at[node], not black, sign, t, v, row)
    if n:
        # The wall goes on falling above its last corner: give it one more, out of reach.
        k = f + n - 1
        far = max(t[k], t[row + m - 1]) + 1024 * SCALE
        n = push(t, v, f, n, far, v[k] - (far - t[k]))
        m = upper(t, v, f, n, row, m, ROW[3])
        if m < 0:
            return False
        row = ROW[3]
    for i in range(row, row + m):
        v[i] *= sign
    out[0] = intern(shapes, t, v, row, m, row, m)
    out[1] = v[row + m - 1]
    return True


@inlined
def stale(graphs, node, changed, looked):  # type: ignore[no-untyped-def]
    """Has anything in the loop changed that a node's walls and the bans after its moves rest on?"""
    group = graphs.group
    for edge in range(graphs.start[node], graphs.end[node]):
        child = graphs.to[edge]
        if group[child] != group[node]:
            continue
        if changed[child] > looked:
            return True
        if ban_of(graphs, edge) >= 0:
            for further in range(graphs.start[child], graphs.end[child]):
                grandchild = graphs.to[further]
                if group[grandchild] == group[node] and changed[grandchild] > looked:
                    return True
    return False


@kernel
def work_through(graphs, low, high, shapes, scratch, chunk):  # type: ignore[no-untyped-def]
    """Go through the nodes in order, from `facts[NEXT]` on; stops with FULL where shapes need room."""
    facts, order, group = shapes.facts, graphs.order, graphs.group
    nodes = order.size
    out = np.zeros(2, dtype=np.int64)
    until = facts[NEXT] + chunk
    changed = np.zeros(nodes, dtype=np.int32)  # in a loop: when its bound or a ban after its moves changed
    looked = np.zeros(nodes, dtype=np.int32)  # … and when it was last computed
    while facts[NEXT] < nodes:
        begin = facts[NEXT]
        if begin >= until:
            return MORE
        end = begin + 1
        while end < nodes and group[order[end]] == group[order[begin]]:
            end += 1
        if short_of_room(shapes):
            return FULL
        scratch.t[0] = scratch.v[0] = 0
        straight = intern(shapes, scratch.t, scratch.v, 0, 1, 0, 1)
        for i in range(begin, end):
            node = order[i]
            most = np.int64(graphs.room[node]) * SCALE
            low.shape[node] = high.shape[node] = straight
            low.at[node], high.at[node] = -most, most
        if end - begin == 1:
            node = order[begin]
            loopy = not evaluate(graphs, low, node, shapes, scratch, out)
            if not loopy:
                low.shape[node], low.at[node] = out[0], out[1]
            for edge in range(graphs.start[node], graphs.end[node]):
                child = graphs.to[edge]
                loopy |= low.shape[child] != high.shape[child] or low.at[child] != high.at[child]
            if not loopy or evaluate(graphs, high, node, shapes, scratch, out):
                high.shape[node], high.at[node] = out[0], out[1]
        else:
            for which in range(2):
                bound = low if which == 0 else high
                if not go_round(graphs, bound, begin, end, straight, shapes, scratch, changed, looked, out):
                    return FULL
        facts[NEXT] = end
    return DONE


@leaf
def go_round(graphs, bound, begin, end, straight, shapes, scratch, changed, looked, out):  # type: ignore[no-untyped-def]
    """Correct the bound of all positions of a loop until nothing changes. False: shapes need room."""
    order = graphs.order
    for i in range(begin, end):
        node = order[i]
        changed[node] = 0
        looked[node] = -1
        for edge in range(graphs.start[node], graphs.end[node]):
            ban = ban_of(graphs, edge)
            if ban >= 0:
                bound.ban_shape[ban] = straight
                bound.ban_at[ban] = bound.at[graphs.to[edge]]
    now = 0
    for sweep in range(min(SWEEPS, 2 + WORK_PER_LOOP // (end - begin))):
        any_change = False
        for step in range(begin, end):
            # up and down in turns, so that news travels both ways
            node = order[step] if sweep % 2 == 0 else order[begin + end - 1 - step]
            if looked[node] >= 0 and not stale(graphs, node, changed, looked[node]):
                continue
            if short_of_room(shapes):
                return False
            now += 1
            looked[node] = now
            for edge in range(graphs.start[node], graphs.end[node]):
                ban = ban_of(graphs, edge)
                if ban < 0 or not evaluate_ban(graphs, bound, ban, shapes, scratch, out):
                    continue
                if out[0] != bound.ban_shape[ban] or out[1] != bound.ban_at[ban]:
                    changed[node] = now
                    bound.ban_shape[ban], bound.ban_at[ban] = out[0], out[1]
            fine = evaluate(graphs, bound, node, shapes, scratch, out)
            if fine and (out[0] != bound.shape[node] or out[1] != bound.at[node]):
                changed[node] = now
                bound.shape[node], bound.at[node] = out[0], out[1]
            any_change |= changed[node] == now
        if not any_change:
            break
    return True
