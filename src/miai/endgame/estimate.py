"""What a region is worth where exact search does not reach: a tree grown by a network, with an interval.

    found = estimate_region(board, region, seconds=5)
    found.count, (found.low, found.high), found.miai_value, found.value.type

A network says whose points they are and where each side would play (`judge`). The tree of these moves
grows where the value is still in doubt, and leaves that have become small go to the exact engine
(`estimate_tree`). The value is that of the tree's root by thermographs, kos included, as if the leaves
were right; the interval says how it moves when all leaves are off by their doubt, one way or the other.
It is an estimate: moves that the network does not think of are not in the tree.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from miai.endgame.estimate_tree import Tree
from miai.endgame.graph import Graph
from miai.endgame.judge import Judge, load_judge
from miai.endgame.kos import Solution, solve
from miai.endgame.local import RegionError, compiled
from miai.endgame.local_space import make_space
from miai.endgame.thermograph import freeze, highest, lowest
from miai.endgame.values import TERRITORY_TAX, RegionValue, kos_matter, options_of, region_value
from miai.go.board import Board
from miai.go.coords import BLACK, Grid
from miai.nets.registry import NetworkError

SECONDS = 5.0
EXACT_BELOW = 10
POSITIONS = 400
AT_A_TIME = 6  # leaves that are opened before the values are computed again
SHOWN_DEPTH = 12
SHOWN_NODES = 2000


class EstimateError(ValueError):
    """An estimate that cannot be made, in one sentence."""


@dataclass(frozen=True)
class TreeNode:
    """A position of the tree, for export. Count and temperature in territory points, Black's side."""

    point: int | None  # the move that led here; None at the root
    black: bool | None  # whose move it was
    count: Fraction
    temperature: Fraction
    exact: bool  # solved exactly from here on, given the network's opinion of what is settled
    children: tuple[TreeNode, ...] = ()

    def to_json(self, grid: Grid) -> dict[str, Any]:
        return {
            "move": None if self.point is None else grid.name(self.point),
            "colour": None if self.black is None else "B" if self.black else "W",
            "count": str(self.count),
            "temperature": str(self.temperature),
            "exact": self.exact,
            "children": [child.to_json(grid) for child in self.children],
        }


@dataclass(frozen=True)
class Estimate:
    """The estimate for one region; points of territory from Black's side."""

    value: RegionValue  # count, miai value, type, moves, stops, next_…; exact is False, assumptions say why
    low: Fraction  # the count is between these, if the leaves are no further off than their doubt
    high: Fraction
    temperature_low: Fraction  # and the miai value between these
    temperature_high: Fraction
    tree: TreeNode
    graph: Graph  # by area; node 0 is the position, for `values.value_of` and `orthodox`
    positions: int  # looked at by the network
    exact_positions: int  # solved exactly below
    network: str
    seconds: float

    @property
    def count(self) -> Fraction:
        return self.value.count

    @property
    def miai_value(self) -> Fraction:
        return self.value.miai_value

    temperature = miai_value

    @property
    def next_black(self) -> float:
        """How likely it is that Black plays here next, the network says."""
        return self.value.next_black or 0.0

    @property
    def next_white(self) -> float:
        return self.value.next_white or 0.0

    @property
    def next_nobody(self) -> float:
        return self.value.next_nobody or 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            **self.value.to_json(),
            "interval": [str(self.low), str(self.high)],
            "miai_interval": [str(self.temperature_low), str(self.temperature_high)],
            "network": self.network,
            "positions": self.positions,
            "exact_positions": self.exact_positions,
        }


def estimate_region(
    board: Board,
    region: Iterable[int],
    *,
    network: str | Judge | None = None,
    seconds: float = SECONDS,
    exact_below: int = EXACT_BELOW,
    positions: int = POSITIONS,
) -> Estimate:
    """Estimate what `region` (points of board.grid) is worth.

    `network`      None for the shipped endgame network, or the default one where that is missing; a name or
                   a file (an endgame network, or any network with an ownership head); or a `Judge`
    `seconds`      after which the tree stops growing; the first look is always taken
    `exact_below`  positions with at most so many undecided empty points go to the exact engine
    `positions`    at most about so many are shown to the network

    Raises RegionError for a region that is none (as `local_game` does), EstimateError or NetworkError where
    no network can be asked.
    """
    began = time.perf_counter()
    points = [int(point) for point in region]
    assumptions = _check(board, points)
    judge = _judge(network)
    black, white, nobody = judge.next(board, np.isin(board.grid.points, points))
    compiled()
    deadline = time.perf_counter() + seconds  # what had to be loaded and compiled first does not count
    tree = Tree(board, points, judge, exact_below=exact_below, deadline=deadline)
    while len(tree.nodes) < positions and time.perf_counter() < deadline and tree.grow(AT_A_TIME):
        pass
    value = _value(tree, assumptions)
    low, high, coolest, hottest = _interval(tree, value)
    seconds_used = time.perf_counter() - began
    value = replace(value, next_black=black, next_white=white, next_nobody=nobody, seconds=seconds_used)
    return Estimate(
        value=value,
        low=low,
        high=high,
        temperature_low=coolest,
        temperature_high=hottest,
        tree=_shown(tree),
        graph=tree.graph(),
        positions=len(tree.nodes),
        exact_positions=sum(node.exact is not None for node in tree.nodes),
        network=judge.name,
        seconds=seconds_used,
    )


def _check(board: Board, points: list[int]) -> tuple[str, ...]:
    """Complain about what is no region; returns what is assumed about its surroundings."""
    try:
        return make_space(board, points).assumptions
    except RegionError as error:
        if type(error) is RegionError:
            raise
        return ()  # too large for an exact search, which is why we are here


def _judge(network: str | Judge | None) -> Judge:
    if network is None or isinstance(network, str):
        try:
            return load_judge(network)
        except NetworkError as error:
            if network is not None:
                raise
            raise EstimateError(
                f"there is no network to estimate with ({error}): name one, for example KataGo's .bin.gz"
            ) from error
    return network


def _value(tree: Tree, assumptions: tuple[str, ...]) -> RegionValue:
    solution = tree.solved()
    area = solution.of(0)
    reasons = [
        f"The value is an estimate: {len(tree.nodes)} positions, judged by the network {tree.judge.name}."
    ]
    if any(node.exact is not None for node in tree.nodes):
        reasons.append(
            "Where little is left open, the rest is counted as the network says, and searched exactly."
        )
    return region_value(
        area,
        options_of(solution, 0, True),
        options_of(solution, 0, False),
        stones=tree.stones,
        kos_matter=kos_matter(solution.graph, area),
        region=tuple(tree.region),
        grid=tree.grid,
        exact=False,
        assumptions=(*reasons, *assumptions),
    )


def _interval(tree: Tree, value: RegionValue) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Least and greatest count, coolest and hottest miai value, with all leaves off by their doubt.

    The count is least when all are off in White's favour; the region is hottest when those after Black's move
    are off in Black's favour and those after White's move in White's.
    """
    counts, temperatures = [value.count], [value.miai_value]
    if any(node.doubt and not node.grown for node in tree.nodes):
        off = {way: solve(tree.graph(way)) for way in (-1, 1)}
        for way in (-1, 1):
            counts.append(off[way].of(0).cooled(TERRITORY_TAX).mean - tree.stones)
            black = highest(move.wall.taxed(-1) for move in options_of(off[way], 0, True))
            white = lowest(move.wall.taxed(+1) for move in options_of(off[-way], 0, False))
            temperature = freeze(black, white, tree.nodes[0].stop).temperature
            temperatures.append(max(Fraction(0), temperature - TERRITORY_TAX))
    return min(counts), max(counts), min(temperatures), max(temperatures)


def _shown(tree: Tree) -> TreeNode:
    """The tree as it was grown, each position once on a line, its likeliest lines first."""
    solution = tree.solved()
    budget = [SHOWN_NODES]

    def show(at: int, point: int | None, black: bool | None, moves: int, path: frozenset[int]) -> TreeNode:
        node = tree.nodes[at]
        children = []
        if len(path) < SHOWN_DEPTH:
            for colour, place, to, _ in node.moves:
                if to in path or budget[0] <= 0:
                    continue
                budget[0] -= 1
                mover = colour == BLACK
                children.append(show(to, place, mover, moves + (1 if mover else -1), path | {to}))
        count, temperature = _territory(solution, at, tree.stones + moves)
        return TreeNode(point, black, count, temperature, node.exact is not None, tuple(children))

    return show(0, None, None, 0, frozenset({0}))


def _territory(solution: Solution, node: int, stones: int) -> tuple[Fraction, Fraction]:
    """Count and temperature of a node in territory points; `stones` played since are no points."""
    area = solution.of(node)
    cooled = area.cooled(TERRITORY_TAX)
    return cooled.mean - stones, max(Fraction(0), area.temperature - TERRITORY_TAX)


__all__ = ["Estimate", "EstimateError", "TreeNode", "estimate_region"]
