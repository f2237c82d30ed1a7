"""Every position that play in a region can reach, as a graph in flat arrays.

`expand` walks the positions in the order they were found and writes each one's moves; `Positions`
holds the arrays and lets them grow. `components` groups the positions into loops and puts them into
an order in which moves lead backwards, which is the order in which `local_thermo` computes values.

The moves are those of `local_moves`; two moves of a side to the same position are kept once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from miai.endgame.local_moves import (
    BLACKS,
    KO_CAPTURE,
    MOVE_LENGTH,
    NEAR_B,
    NEAR_W,
    OPEN,
    SCORE,
    STATE_LENGTH,
    WHITES,
    count,
    play,
    standing,
)
from miai.kernel import inlined, kernel, leaf

Array = npt.NDArray[np.integer]

FREE_SLOT = -1
CHUNK = 20_000  # positions between two looks at the clock
MOST_MOVES = 2 * 61  # of a position, both sides

# places in `facts`
NODES, DONE, EDGES, FACTS_LENGTH = 0, 1, 2, 3


class OutOfBudget(Exception):
    """The positions or the seconds that were allowed did not suffice."""


@dataclass
class Net:
    """Nodes and moves. Moves of node v: Black's are edges start[v] to middle[v], White's from there
    to start[v + 1]."""

    score: Array  # [node] int32: Black's area minus White's on open points as they stand
    room: Array  # [node] int16: neither side can get more than that on the open points
    start: Array  # [node + 1] int64
    middle: Array  # [node] int64
    to: Array  # [edge] int32
    gain: Array  # [edge] int16: what the move settled for Black
    ko: Array  # [edge] int8: 1 for a ko capture


@dataclass
class Positions(Net):
    """The graph of a region while it grows; the arrays are longer than what is filled."""

    state: Array  # [node, STATE_LENGTH] int64
    slots: Array  # [power of two] int32: the hash table
    facts: Array  # how many nodes, how many expanded, how many edges

    def __len__(self) -> int:
        return int(self.facts[NODES])


def explore(beside: Array, first: Array, *, node_limit: int, deadline: float) -> Positions:
    """All positions that can be reached from `first`. Raises OutOfBudget."""
    room = 1 << 12
    p = Positions(
        state=np.zeros((room, STATE_LENGTH), dtype=np.int64),
        score=np.zeros(room, dtype=np.int32),
        room=np.zeros(room, dtype=np.int16),
        start=np.zeros(room + 1, dtype=np.int64),
        middle=np.zeros(room, dtype=np.int64),
        to=np.zeros(8 * room + MOST_MOVES, dtype=np.int32),
        gain=np.zeros(8 * room + MOST_MOVES, dtype=np.int16),
        ko=np.zeros(8 * room + MOST_MOVES, dtype=np.int8),
        slots=np.full(4 * room, FREE_SLOT, dtype=np.int32),
        facts=np.zeros(FACTS_LENGTH, dtype=np.int64),
    )
    find(p.state, p.slots, p.facts, first)
    while p.facts[DONE] < p.facts[NODES]:
        expand(
            beside,
            p.state,
            p.score,
            p.room,
            p.start,
            p.middle,
            p.to,
            p.gain,
            p.ko,
            p.slots,
            p.facts,
            node_limit,
            CHUNK,
        )  # fmt: skip
        if p.facts[NODES] > node_limit:
            raise OutOfBudget(f"more than {node_limit:,} positions")
        if time.perf_counter() > deadline:
            raise OutOfBudget(f"out of time after {p.facts[NODES]:,} positions")
        if p.facts[NODES] + MOST_MOVES >= len(p.score):
            more = len(p.score)
            p.state = np.concatenate([p.state, np.zeros_like(p.state)])
            p.score = np.concatenate([p.score, np.zeros_like(p.score)])
            p.room = np.concatenate([p.room, np.zeros_like(p.room)])
            p.start = np.concatenate([p.start, np.zeros(more, dtype=np.int64)])
            p.middle = np.concatenate([p.middle, np.zeros_like(p.middle)])
            p.slots = np.full(2 * len(p.slots), FREE_SLOT, dtype=np.int32)
            rehash(p.state, p.slots, p.facts)
        if p.facts[EDGES] + MOST_MOVES >= len(p.to):
            for name in ("to", "gain", "ko"):
                array = getattr(p, name)
                setattr(p, name, np.concatenate([array, np.zeros_like(array)]))
    return p


@inlined
def spread(s):  # type: ignore[no-untyped-def]
    """A hash of a position."""
    h = np.uint64(0)
    for i in range(STATE_LENGTH):
        h = (h ^ np.uint64(s[i])) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
    return h


@leaf
def find(state, slots, facts, s):  # type: ignore[no-untyped-def]
    """The node of a position; a new one if it has none. There must be room."""
    last = np.uint64(slots.size - 1)
    at = spread(s) & last
    while slots[at] != FREE_SLOT:
        node = slots[at]
        if (
            state[node, BLACKS] == s[BLACKS]
            and state[node, WHITES] == s[WHITES]
            and state[node, OPEN] == s[OPEN]
            and state[node, NEAR_B] == s[NEAR_B]
            and state[node, NEAR_W] == s[NEAR_W]
        ):
            return node
        at = (at + np.uint64(1)) & last
    node = np.int32(facts[NODES])
    slots[at] = node
    for i in range(STATE_LENGTH):
        state[node, i] = s[i]
    facts[NODES] += 1
    return node


@kernel
def rehash(state, slots, facts):  # type: ignore[no-untyped-def]
    """Enter all nodes into an empty table."""
    last = np.uint64(slots.size - 1)
    for node in range(facts[NODES]):
        at = spread(state[node]) & last
        while slots[at] != FREE_SLOT:
            at = (at + np.uint64(1)) & last
        slots[at] = node


@kernel
def expand(beside, state, score, room, start, middle, to, gain, ko, slots, facts, node_limit, chunk):  # type: ignore[no-untyped-def]
    """Write the moves of up to `chunk` nodes; stops early where the arrays are nearly full."""
    after, s = np.zeros(MOVE_LENGTH, dtype=np.int64), np.zeros(STATE_LENGTH, dtype=np.int64)
    for _ in range(chunk):
        node = facts[DONE]
        if node >= facts[NODES] or facts[NODES] > node_limit:
            return
        if facts[NODES] + MOST_MOVES >= score.size or facts[EDGES] + MOST_MOVES >= to.size:
            return
        for i in range(STATE_LENGTH):
            s[i] = state[node, i]
        score[node] = standing(beside, s)
        room[node] = count(s[OPEN])
        edge = facts[EDGES]
        start[node] = edge
        for colour in range(2):
            first = edge
            empty = s[OPEN] & ~s[BLACKS] & ~s[WHITES]
            while empty:
                move = empty & -empty
                empty &= empty - 1
                if not play(beside, s, move, colour == 0, after):
                    continue
                child = find(state, slots, facts, after)
                twin = first
                while twin < edge and not (
                    to[twin] == child and gain[twin] == after[SCORE] and ko[twin] == after[KO_CAPTURE]
                ):
                    twin += 1
                if twin == edge:
                    to[edge] = child
                    gain[edge] = after[SCORE]
                    ko[edge] = after[KO_CAPTURE]
                    edge += 1
            if colour == 0:
                middle[node] = edge
        facts[EDGES] = edge
        facts[DONE] += 1
        start[facts[DONE]] = edge


@kernel
def components(start, to, nodes, order, group):  # type: ignore[no-untyped-def]
    """Tarjan's algorithm: `order` lists the nodes loop by loop, what a move leads to before what it
    leads from; `group[v]` is the number of v's loop. Returns how many groups there are."""
    seen = np.zeros(nodes, dtype=np.int32)  # 1 + when it was first met
    low = np.zeros(nodes, dtype=np.int32)
    stack = np.zeros(nodes, dtype=np.int32)
    path = np.zeros(nodes, dtype=np.int32)
    edge = np.zeros(nodes, dtype=np.int64)  # [depth of path] the next edge to look at
    group[:nodes] = -1
    clock = depth = height = listed = groups = 0
    for root in range(nodes):
        if seen[root] != 0:
            continue
        path[0] = root
        edge[0] = start[root]
        depth = 1
        clock += 1
        seen[root] = low[root] = clock
        stack[height] = root
        height += 1
        while depth:
            v = path[depth - 1]
            if edge[depth - 1] < start[v + 1]:
                child = to[edge[depth - 1]]
                edge[depth - 1] += 1
                if seen[child] == 0:
                    path[depth] = child
                    edge[depth] = start[child]
                    depth += 1
                    clock += 1
                    seen[child] = low[child] = clock
                    stack[height] = child
                    height += 1
                elif group[child] < 0:
                    low[v] = min(low[v], seen[child])
                continue
            depth -= 1
            if depth:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[v])
            if low[v] == seen[v]:
                while True:
                    height -= 1
                    member = stack[height]
                    group[member] = groups
                    order[listed] = member
                    listed += 1
                    if member == v:
                        break
                groups += 1
    return groups
