"""A local game as a finite graph in flat arrays: what the local engine hands to the thermographs.

A node is a position of the region (stones only: neither the player to move nor a ko ban belongs to
it). Every node has Black's moves and White's moves, since either side may move at any time, and the
score if both sides leave it as it is. Loops are allowed. The one ko rule is on the edges: a move
marked as a **ko capture** from x to y forbids the opponent, on his very next turn, to answer from y
back to x. A turn spent elsewhere lifts the ban.

Scores are counted by area (Black's points minus White's), because by area a position is worth the
same whichever way it came about; territory is the same game with a tax of one point a move, which
`values.py` takes. Read `games.py` for games as trees, `kos.py` for what is computed on a graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

NO_LABEL = -1
"""The label of an edge that stands for no point of the board."""

Ints = npt.NDArray[np.integer]
Number = int | Fraction


class GraphError(ValueError):
    """The arrays of a graph do not fit together; the message says which."""


def _empty() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Graph:
    """Positions and moves in compressed rows: Black's moves of node `v` are the edges
    `left_start[v]` to `left_start[v + 1]` of `left_to`; White's likewise in `right_…`.

    The last four arrays may be left empty: then no edge is a ko capture, no edge has a label.
    """

    score: Sequence[Number] | Ints  # [node] Black's area minus White's if both sides stop here
    left_start: Ints  # [node + 1] int
    left_to: Ints  # [Black's edge] int: the node a move of Black leads to
    right_start: Ints  # [node + 1] int
    right_to: Ints  # [White's edge] int
    left_ko: Ints = field(default_factory=_empty)  # [Black's edge] 0 or 1: a ko capture
    right_ko: Ints = field(default_factory=_empty)  # [White's edge] 0 or 1
    left_label: Ints = field(default_factory=_empty)  # [Black's edge] int: point played, or NO_LABEL
    right_label: Ints = field(default_factory=_empty)  # [White's edge] int
    root: int = 0  # the node that the question is about

    def __post_init__(self) -> None:
        nodes = len(self.score)
        if not 0 <= self.root < nodes:
            raise GraphError(f"the root {self.root} is not one of the {nodes} nodes")
        for side in ("left", "right"):
            start, to = getattr(self, f"{side}_start"), getattr(self, f"{side}_to")
            if len(start) != nodes + 1 or start[0] != 0 or start[-1] != len(to) or np.any(np.diff(start) < 0):
                raise GraphError(
                    f"{side}_start must rise from 0 to the number of edges, one entry a node and one more"
                )
            if len(to) and not (np.min(to) >= 0 and np.max(to) < nodes):
                raise GraphError(f"{side}_to points outside the {nodes} nodes")
            for name in (f"{side}_ko", f"{side}_label"):
                if len(getattr(self, name)) not in (0, len(to)):
                    raise GraphError(
                        f"{name} must have one entry for each entry of {side}_to, or none at all"
                    )

    def __len__(self) -> int:
        return len(self.score)

    def left(self, node: int) -> list[int]:
        """Where Black can go from `node`."""
        return [int(v) for v in self.left_to[self.left_start[node] : self.left_start[node + 1]]]

    def right(self, node: int) -> list[int]:
        """Where White can go from `node`."""
        return [int(v) for v in self.right_to[self.right_start[node] : self.right_start[node + 1]]]

    def edges(self, node: int, black: bool) -> list[tuple[int, bool, int]]:
        """Black's or White's moves from `node`: (where to, is it a ko capture, label)."""
        if black:
            start, to, ko, label = self.left_start, self.left_to, self.left_ko, self.left_label
        else:
            start, to, ko, label = self.right_start, self.right_to, self.right_ko, self.right_label
        return [
            (int(to[e]), bool(len(ko) and ko[e]), int(label[e]) if len(label) else NO_LABEL)
            for e in range(int(start[node]), int(start[node + 1]))
        ]


Move = int | tuple[int, bool] | tuple[int, bool, int]
"""A move for `graph_of`: where to; or with "is a ko capture"; or with a label too."""


def graph_of(
    scores: Sequence[Number],
    left: Mapping[int, Iterable[Move]],
    right: Mapping[int, Iterable[Move]],
    *,
    root: int = 0,
) -> Graph:
    """Build a graph from adjacency lists, for people and tests: `graph_of([0, 1], {0: [1]}, {})`."""

    def rows(moves: Mapping[int, Iterable[Move]]) -> tuple[Ints, Ints, Ints, Ints]:
        start, to, ko, label = [0], [], [], []
        for node in range(len(scores)):
            for move in moves.get(node, ()):
                entry = (move, False, NO_LABEL) if isinstance(move, int) else (*move, NO_LABEL)[:3]
                to.append(entry[0])
                ko.append(int(entry[1]))
                label.append(entry[2])
            start.append(len(to))
        as_ints = [np.array(column, dtype=np.int64) for column in (start, to, ko, label)]
        return as_ints[0], as_ints[1], as_ints[2], as_ints[3]

    left_start, left_to, left_ko, left_label = rows(left)
    right_start, right_to, right_ko, right_label = rows(right)
    return Graph(
        score=list(scores),
        left_start=left_start,
        left_to=left_to,
        right_start=right_start,
        right_to=right_to,
        left_ko=left_ko,
        right_ko=right_ko,
        left_label=left_label,
        right_label=right_label,
        root=root,
    )


def negative(graph: Graph) -> Graph:
    """The same local game with the colours exchanged."""
    return Graph(
        score=[-score for score in graph.score],
        left_start=graph.right_start,
        left_to=graph.right_to,
        right_start=graph.left_start,
        right_to=graph.left_to,
        left_ko=graph.right_ko,
        right_ko=graph.left_ko,
        left_label=graph.right_label,
        right_label=graph.left_label,
        root=graph.root,
    )


def sum_of(g: Graph, h: Graph) -> Graph:
    """Two local games side by side as one: a move is a move in one of them. Labels are kept."""
    width = len(h)
    moves: tuple[dict[int, list[Move]], dict[int, list[Move]]] = ({}, {})
    for x in range(len(g)):
        for y in range(width):
            for black, rows in ((True, moves[0]), (False, moves[1])):
                in_g: list[Move] = [(to * width + y, ko, label) for to, ko, label in g.edges(x, black)]
                in_h: list[Move] = [(x * width + to, ko, label) for to, ko, label in h.edges(y, black)]
                rows[x * width + y] = in_g + in_h
    scores = [a + b for a in map(as_number, g.score) for b in map(as_number, h.score)]
    return graph_of(scores, moves[0], moves[1], root=g.root * width + h.root)


def as_number(x: Number) -> Number:
    """A score as a Python number, so that nothing overflows and Fractions work."""
    return x if isinstance(x, Fraction) else int(x)
