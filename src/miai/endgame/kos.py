"""Thermographs on a graph with loops: kos of every kind, by extended thermography.

The model is the coupon stack. Besides the local position there is a stack of coupons worth t,
t - δ, t - 2δ, … for a vanishing δ; a player either moves locally or takes the top coupon. Taking a
coupon is playing elsewhere: it lifts a ko ban, and it cools the environment by a hair. So a side
that cannot retake a ko gains t and the other side may finish, and no loop with a turn elsewhere in
it can go on for ever. Without loops this is ordinary thermography. `Threats` says who has ko threats.

Parts of the graph without loops get their thermographs from their options; a strongly connected part
is followed from temperature 0 upwards as a whole (`zero.py`, `march.py`). Where the parties could go
round at temperature 0 for ever without a turn elsewhere (a triple ko, say) the rules of Go give no
result; such play is counted as the position stands, and the nodes are listed in `repetition`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from miai.endgame.graph import Graph
from miai.endgame.march import march
from miai.endgame.thermograph import Thermograph, Wall, freeze, highest, lowest, mast
from miai.endgame.turns import Ban, Threats, Turn, rules_of
from miai.endgame.zero import Endless, foot


@dataclass(frozen=True, slots=True)
class Solution:
    """The thermographs of a graph's nodes."""

    graph: Graph
    threats: Threats
    walls: dict[Turn, Wall]
    repetition: frozenset[int]  # nodes whose value hangs on how endless repetition is judged
    unsettled: frozenset[int]  # nodes whose walls were not found: they are given as at temperature 0

    def of(self, node: int) -> Thermograph:
        """The thermograph of a node, no ko ban standing."""
        return Thermograph(self.walls[Turn(True, node)], self.walls[Turn(False, node)])

    def after(self, black: bool, node: int, to: int, ko: bool) -> Wall:
        """The wall that a move from `node` to `to` leaves to the opponent, the ban included."""
        return self.walls[self.turn_after(black, node, to, ko)]

    def turn_after(self, black: bool, node: int, to: int, ko: bool) -> Turn:
        """The opponent's turn after a move."""
        if ko:
            for ban in (Ban.BARRED, Ban.LICENSED):
                turn = Turn(not black, to, node, ban)
                if turn in self.walls:
                    return turn
        return Turn(not black, to)


def solve(
    graph: Graph, threats: Threats = Threats.NEUTRAL, endless: Endless = Endless.AS_IT_STANDS
) -> Solution:
    """The thermographs of all nodes of `graph` (scores as they are: by area for a game of Go)."""
    solver = _Solver(graph, threats, endless)
    for part in components(graph):
        solver.solve(part)
    return Solution(graph, threats, solver.walls, frozenset(solver.repetition), frozenset(solver.unsettled))


def components(graph: Graph) -> Iterator[list[int]]:
    """Strongly connected parts of the graph, each after all the parts it leads to (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    open_nodes: set[int] = set()
    for root in range(len(graph)):
        if root in index:
            continue
        work = [(root, iter(graph.left(root) + graph.right(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        open_nodes.add(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    open_nodes.add(successor)
                    work.append((successor, iter(graph.left(successor) + graph.right(successor))))
                    break
                if successor in open_nodes:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    part: list[int] = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        open_nodes.discard(part[-1])
                    yield part


@dataclass(slots=True)
class _Solver:
    graph: Graph
    threats: Threats
    endless: Endless
    walls: dict[Turn, Wall] = field(default_factory=dict)
    repetition: set[int] = field(default_factory=set)
    unsettled: set[int] = field(default_factory=set)

    def solve(self, part: list[int]) -> None:
        """Find the walls of one strongly connected part; what it leads to is known already."""
        rules = rules_of(self.graph, self.threats, part)
        inside = {rule.turn for rule in rules.all()}
        reached = dict.fromkeys(turn for rule in rules.all() for turn in rule.moves)
        outside = {turn: self.walls[turn] for turn in reached if turn not in inside}
        if len(outside) == len(reached):
            for black, white, stop in rules.pairs:
                moving = highest(self.walls[turn].taxed(-1) for turn in black.moves)
                answering = lowest(self.walls[turn].taxed(+1) for turn in white.moves)
                found = freeze(moving, answering, stop)
                self.walls |= {black.turn: found.left, white.turn: found.right}
            return
        feet = {turn: wall.points[0][1] for turn, wall in outside.items()}
        values, repetition = foot(rules, feet, self.endless)
        self.repetition |= repetition
        walls = march(rules, outside, values)
        if walls is None:
            self.unsettled |= set(part)
            walls = {turn: mast(value) for turn, value in values.items()}
        self.walls |= walls
