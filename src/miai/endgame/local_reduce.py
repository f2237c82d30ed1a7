"""The part of a large graph of positions that its value rests on, as a small `Graph`.

Where the two bounds of `local_thermo` differ, kos matter, and extended thermography (`kos`) has to
decide. It works in fractions and wants a small graph. The bounds make it small; a move is left out

* when other moves that lead out of the loop are, at their worst, at least as good as it is at its
  best, at every temperature at which the position can be hot, and it cannot move the mast above that
  either. Moves inside the loop do not count as better ones: their value may rest on the very move
  that is being left out.
* when at its best it stays below the lower bound of the wall it would have to make, all the way.

(At the root both must hold strictly, so that every correct move stays.) Without those moves loops
fall apart, bounds get closer, and the next round leaves out more. Then all positions with the same
known thermograph that are in no loop share one node, and a position where it is known that nobody
gains by moving becomes a leaf with its value as score.

The same small graph is what a tree for export is drawn from. `local` calls `reduced`.
"""

from __future__ import annotations

import numpy as np

from miai.endgame.graph import NO_LABEL, Graph
from miai.endgame.local_graph import Net, OutOfBudget
from miai.endgame.local_thermo import Values, leaves, scaffold, thermographs
from miai.endgame.local_walls import ROW, SCALE, Array, load, lowest_of, make_scratch, upper, value_at
from miai.kernel import kernel, leaf

ROUNDS = 6

RootMoves = tuple[list[tuple[int, int, int, int]], list[tuple[int, int, int, int]]]
"""Black's and White's first moves: node, gain, ko, label."""


def reduced(p: Net, values: Values, root: RootMoves, shift: int, *, limit: int) -> Graph:
    """The graph that the value of node 0 rests on, with `shift` points added to every score.

    Raises OutOfBudget where the graph has more than `limit` nodes.
    """
    net = p
    for _ in range(ROUNDS):
        before = len(net.to)
        net, new_name = smaller(net, values)
        root = tuple(  # type: ignore[assignment]
            [(int(new_name[to]), gain, ko, label) for to, gain, ko, label in side if new_name[to] >= 0]
            for side in root
        )
        values = thermographs(net)
        if len(net.to) == before:
            break
    return as_graph(net, values, root, shift, limit)


def smaller(p: Net, values: Values) -> tuple[Net, Array]:
    """Only the moves that can matter, and what they lead to; with each node's new number, or -1."""
    nodes = len(values)
    keep = np.zeros(int(p.start[nodes]), dtype=np.int8)
    number = np.full(nodes, -1, dtype=np.int32)
    line = np.zeros(nodes, dtype=np.int32)
    count = select(values.graphs, values.low, values.high, values.shapes, make_scratch(), keep, number, line)
    old = line[:count]
    first = [np.cumsum([0, *(int(keep[p.start[v] : p.start[v + 1]].sum()) for v in old)])]
    edges = np.concatenate([np.flatnonzero(keep[p.start[v] : p.start[v + 1]]) + p.start[v] for v in old])
    middle = first[0][:-1] + [int(keep[p.start[v] : p.middle[v]].sum()) for v in old]
    score = p.score[old].copy()
    for i, v in enumerate(old):
        if first[0][i] == first[0][i + 1] and values.exact(int(v)):
            score[i] = values.low.at[v] // SCALE
    net = Net(
        score=score,
        room=p.room[old],
        start=first[0].astype(np.int64),
        middle=middle.astype(np.int64),
        to=number[p.to[edges]],
        gain=p.gain[edges],
        ko=p.ko[edges],
    )
    return net, number


def as_graph(p: Net, values: Values, root: RootMoves, shift: int, limit: int) -> Graph:
    """A net as a `Graph`: every node with every score of what is settled around it."""
    low, group = values.low, values.graphs.group
    sizes = np.bincount(group)
    # Of the known positions with one thermograph, up to whole points, the one that all moves of the
    # others lead back to in `order` stands for all: so no new loop arises.
    stands: dict[tuple[int, int], int] = {}
    for v in map(int, values.graphs.order):
        if values.exact(v) and sizes[group[v]] == 1:
            stands.setdefault((int(low.shape[v]), int(low.at[v]) % SCALE), v)
    names: dict[tuple[int, int], int] = {}
    line: list[tuple[int, int]] = []  # node and score of what is settled

    def name(node: int, settled: int) -> int:
        if values.exact(node) and sizes[group[node]] == 1:
            other = stands[int(low.shape[node]), int(low.at[node]) % SCALE]
            settled += int(low.at[node] - low.at[other]) // SCALE
            node = other
        if (node, settled) not in names:
            names[node, settled] = len(line)
            line.append((node, settled))
        return names[node, settled]

    names[0, shift] = 0
    line.append((0, shift))
    score: list[int] = []
    rows: tuple[_Rows, _Rows] = (_Rows(), _Rows())
    for node, settled in line:  # grows meanwhile
        if len(line) > limit:
            raise OutOfBudget(f"what matters are more than {limit:,} positions")
        score.append(settled + int(p.score[node]))
        first, middle, last = int(p.start[node]), int(p.middle[node]), int(p.start[node + 1])
        for row, begin, end, moves in zip(rows, (first, middle), (middle, last), root, strict=True):
            for edge in range(begin, end):
                to, gain, ko = int(p.to[edge]), int(p.gain[edge]), int(p.ko[edge])
                labels = [m[3] for m in moves if m[:3] == (to, gain, ko)] if len(score) == 1 else []
                for label in labels or [NO_LABEL]:
                    row.add(name(to, settled + gain), ko, label)
            row.close()
    return Graph(
        score=score,
        left_start=np.array(rows[0].start),
        left_to=np.array(rows[0].to, dtype=np.int64),
        right_start=np.array(rows[1].start),
        right_to=np.array(rows[1].to, dtype=np.int64),
        left_ko=np.array(rows[0].ko, dtype=np.int64),
        right_ko=np.array(rows[1].ko, dtype=np.int64),
        left_label=np.array(rows[0].label, dtype=np.int64),
        right_label=np.array(rows[1].label, dtype=np.int64),
    )


class _Rows:
    """One side's edges, as they come."""

    def __init__(self) -> None:
        self.start = [0]
        self.to: list[int] = []
        self.ko: list[int] = []
        self.label: list[int] = []

    def add(self, to: int, ko: int, label: int) -> None:
        self.to.append(to)
        self.ko.append(ko)
        self.label.append(label)

    def close(self) -> None:
        self.start.append(len(self.to))


@leaf
def reaches(t, v, a, n, b, m, since, until, strictly):  # type: ignore[no-untyped-def]
    """Does the wall in row a rise above the one in b anywhere from temperature `since` to `until`? With
    `strictly` equal is enough. Both are straight between corners, so looking there will do."""
    for k in range(n + m + 2):
        if k < n:
            when = t[a + k]
        elif k < n + m:
            when = t[b + k - n]
        else:
            when = since if k == n + m else until
        if since <= when <= until:
            gap = value_at(t, v, a, n, when) - value_at(t, v, b, m, when)
            if gap > 0 or (strictly and gap == 0):
                return True
    return False


@leaf
def hot_until(t, v, f, n, g, m):  # type: ignore[no-untyped-def]
    """A temperature above which Black's scaffold f - t stays at or below White's t - g."""
    top = max(t[f + n - 1], t[g + m - 1])
    gap = v[f + n - 1] + v[g + m - 1] - 2 * top
    if gap > 0:
        return top + (gap + 1) // 2
    while True:
        below = np.int64(-1)  # the next corner
        for i in range(f, f + n):
            if t[i] < top:
                below = max(below, t[i])
        for j in range(g, g + m):
            if t[j] < top:
                below = max(below, t[j])
        if below < 0 or value_at(t, v, f, n, below) + value_at(t, v, g, m, below) - 2 * below > 0:
            return top
        top = below


@kernel
def select(graphs, low, high, shapes, scratch, keep, number, line):  # type: ignore[no-untyped-def]
    """Follow the moves that can matter from node 0: marks them in `keep`, numbers the nodes in the
    order they are met and lists them in `line`. Returns how many there are."""
    number[0] = 0
    line[0] = 0
    count = 1
    done = 0
    while done < count:
        node = line[done]
        done += 1
        first, last = graphs.start[node], graphs.end[node]
        shape = low.shape[node]
        known = shape == high.shape[node] and low.at[node] == high.at[node]
        straight = shapes.left[shape] == 1 and shapes.right[shape] == 1
        if node != 0 and known and straight and low.at[node] % SCALE == 0:
            continue
        for edge in range(first, last):
            keep[edge] = 1
        choose(graphs, low, high, node, shapes, scratch, keep)
        for edge in range(first, last):
            child = graphs.to[edge]
            if keep[edge] and number[child] < 0:
                number[child] = count
                line[count] = child
                count += 1
    return count


@leaf
def choose(graphs, low, high, node, shapes, scratch, keep):  # type: ignore[no-untyped-def]
    """Clear `keep` for the moves of a node that cannot matter."""
    t, v = scratch.t, scratch.v
    first, middle, last = graphs.start[node], graphs.middle[node], graphs.end[node]
    at_root = node == 0
    if middle == first or last == middle:
        return  # only one side can move
    f, n = scaffold(graphs, high, first, middle, -1, True, shapes, ROW[0], ROW[1], ROW[6], t, v)
    g, m = scaffold(graphs, low, middle, last, -1, False, shapes, ROW[2], ROW[3], ROW[6], t, v)
    if n < 0 or m < 0:
        return
    top = hot_until(t, v, f, n, g, m)
    far = np.int64(1) << 58
    for side in range(2):
        black = side == 0
        sign = 1 if black else -1
        begin, end = (first, middle) if black else (middle, last)
        worst = low if black else high  # for the mover
        best = high if black else low
        # Row 7: the wall a move would have to make, at its worst, before tax. Row 8: its mast.
        need, still, own, spare = ROW[7], ROW[8], ROW[9], ROW[0]
        wall = load(shapes, worst.shape[node], worst.at[node], black, sign, t, v, need)
        rest = lowest_of(v, need, wall)
        for i in range(need, need + wall):
            v[i] += t[i]
        t[need + wall] = t[need + wall - 1] + 1024 * SCALE
        v[need + wall] = v[need + wall - 1] + 1024 * SCALE
        wall += 1
        t[still], v[still] = 0, rest
        t[still + 1], v[still + 1] = 1024 * SCALE, rest + 1024 * SCALE
        for edge in range(begin, end):
            shape, shift = leaves(graphs, best, edge)
            k = load(shapes, shape, shift, not black, sign, t, v, own)
            above = reaches(t, v, own, k, still, 2, top, far, at_root)  # it might move the mast
            if not above and not reaches(t, v, own, k, need, wall, 0, top, True):
                keep[edge] = 0
                continue
            a, b, n = ROW[4], ROW[5], np.int64(0)
            for other in range(begin, end):
                if other == edge or not keep[other] or graphs.group[graphs.to[other]] == graphs.group[node]:
                    continue
                shape, shift = leaves(graphs, worst, other)
                if n == 0:
                    n = load(shapes, shape, shift, not black, sign, t, v, a)
                    continue
                corners = load(shapes, shape, shift, not black, sign, t, v, spare)
                n = upper(t, v, a, n, spare, corners, b)
                if n < 0:
                    break
                a, b = b, a
            if n <= 0 or reaches(t, v, own, k, a, n, 0, top, at_root):
                continue
            if not above or not reaches(t, v, own, k, a, n, top, far, at_root):
                keep[edge] = 0
