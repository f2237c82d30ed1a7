"""The exact local game of a region: what it is worth, and why, from the rules of Go alone.

    game = local_game(board, region)
    game.value.count, game.value.miai_value, game.value.type

Every sequence of local moves by either side, and playing elsewhere at any time, is looked at. The
score is counted by area with everything played out, which needs no rule about dead stones; territory
is the same game with a tax of one point a move (see `values`). The steps, a module each:

    local_space     the region as sets of bits; what had to be assumed about its surroundings
    local_moves     the rules on sets of bits; what is settled leaves the position
    local_graph     every position that can be reached, each once
    local_thermo    thermographs of all of them: exact, or two bounds where loops are in reach
    local_reduce    where the bounds differ, the small graph that kos are decided on, in `kos`
    local_lines     the correct moves and their answers, for export

A budget that runs out is an `OutOfBudget`; the caller may then estimate. `exact` is False, with the
reason among the assumptions, only where endless repetition itself has no result by the rules.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from miai.endgame.graph import Graph
from miai.endgame.kos import Solution, solve
from miai.endgame.local_graph import OutOfBudget, Positions, explore, find
from miai.endgame.local_lines import Line, Search, lines
from miai.endgame.local_moves import (
    BLACKS,
    DAME_BIT,
    KO_CAPTURE,
    MOVE_LENGTH,
    OPEN,
    SCORE,
    WHITES,
    play,
    settle,
)
from miai.endgame.local_reduce import RootMoves, reduced
from miai.endgame.local_space import RegionError, RegionTooLarge, Space, make_space
from miai.endgame.local_thermo import Values, thermographs
from miai.endgame.thermograph import Thermograph
from miai.endgame.values import (
    REPETITION,
    TERRITORY_TAX,
    Option,
    RegionValue,
    in_doubt,
    kos_matter,
    options_of,
    region_value,
)
from miai.go.board import Board
from miai.go.coords import Grid

NODE_LIMIT = 4_000_000
SECONDS = 60.0
KO_NODES = 1_500  # positions that a ko fight may range over that the bounds leave open
MOST_NODES = 50_000  # of a small graph whose value is known


@dataclass(frozen=True)
class LocalGame:
    """The answer for one region, by area and by territory, from Black's side."""

    grid: Grid
    region: tuple[int, ...]
    stones: int  # black stones minus white stones in the region as it stands
    area: Thermograph
    black: tuple[Option, ...]  # Black's moves: the point, what it leaves (by area). Moves that are
    white: tuple[Option, ...]  # surely not correct at the region's temperature may be missing
    kos_matter: bool  # the answer would change if one side won every ko
    graph: Graph  # the positions and moves the value rests on, node 0 first; scores by area
    exact: bool
    assumptions: tuple[str, ...]
    positions: int  # how many were looked at
    empty: int  # empty points of the region that can change
    seconds: float
    search: Search | None = None  # all positions, if they were to be kept

    @property
    def territory(self) -> Thermograph:
        return self.area.cooled(TERRITORY_TAX).plus(-self.stones)

    @property
    def count(self) -> Fraction:
        """The expected local score in territory points."""
        return self.territory.mean

    @property
    def miai_value(self) -> Fraction:
        """What a gote or reverse sente move gains, in territory points."""
        return max(Fraction(0), self.area.temperature - TERRITORY_TAX)

    def lines(self, *, depth: int = 8, limit: int = 500) -> tuple[Line, ...]:
        """The correct moves and what follows them, with count and miai value: see `local_lines`."""
        if self.search is None:
            raise ValueError("The positions were not kept: call local_game(…, keep=True).")
        return lines(self.search, depth=depth, limit=limit)

    @cached_property
    def solution(self) -> Solution:
        """Thermographs of all nodes of `graph`."""
        return solve(self.graph)

    @cached_property
    def value(self) -> RegionValue:
        """Count, miai value, type, correct moves, stops."""
        return region_value(
            self.area,
            self.black,
            self.white,
            stones=self.stones,
            kos_matter=self.kos_matter,
            region=self.region,
            grid=self.grid,
            exact=self.exact,
            assumptions=self.assumptions,
            seconds=self.seconds,
        )


def local_game(
    board: Board,
    region: Iterable[int],
    *,
    node_limit: int = NODE_LIMIT,
    seconds: float = SECONDS,
    ko_nodes: int = KO_NODES,
    keep: bool = False,
) -> LocalGame:
    """The exact game of `region`; stones outside it are safe and everything outside is settled.

    Raises RegionError for a region that is none, RegionTooLarge where it cannot be held at all, and
    OutOfBudget where `node_limit` positions or `seconds` did not suffice. With `keep` the result holds on
    to all positions, which `lines` needs.
    """
    compiled()
    began = time.perf_counter()
    space = make_space(board, region)
    first = space.first.copy()
    settle(space.beside, first)
    p = explore(space.beside, first, node_limit=node_limit, deadline=began + seconds)
    values = thermographs(p, deadline=began + seconds)
    shift = space.settled + int(first[SCORE])
    moves = root_moves(space, first, p)
    deadline = began + seconds
    answer = _without_search(values, moves, shift, lambda: _kos_decide(p, values, deadline))
    graph = reduced(p, values, moves, shift, limit=MOST_NODES if answer else ko_nodes)
    answer = answer or _with_kos(graph)
    return LocalGame(
        grid=board.grid,
        region=space.region,
        stones=space.stones,
        area=answer.area,
        black=answer.black,
        white=answer.white,
        kos_matter=answer.kos_matter,
        graph=graph,
        exact=answer.exact,
        assumptions=space.assumptions + (() if answer.exact else (REPETITION,)),
        positions=len(p),
        empty=space.empty,
        seconds=time.perf_counter() - began,
        search=Search(space, first, p, values) if keep else None,
    )


@cache
def compiled() -> None:
    """See to it that a compiler does not eat the time of a region: a ko of two points, all the way."""
    board = Board(4)
    points = {name: board.grid.parse(name) for name in ("B4", "B3", "A2", "A3", "C4", "A4")}
    board.setup(black=[points["B3"], points["A2"]], white=[points["A3"], points["C4"]])
    space = make_space(board, [points["A4"], points["A3"], points["B4"]])
    first = space.first.copy()
    settle(space.beside, first)
    p = explore(space.beside, first, node_limit=100, deadline=float("inf"))
    values = thermographs(p)
    reduced(p, values, root_moves(space, first, p), 0, limit=100)


@dataclass(frozen=True)
class _Answer:
    area: Thermograph
    black: tuple[Option, ...]
    white: tuple[Option, ...]
    kos_matter: bool
    exact: bool = True


def root_moves(space: Space, first: np.ndarray, p: Positions) -> RootMoves:
    """Both sides' first moves on open points: where they lead, what they settle, ko, the point."""
    found: RootMoves = ([], [])
    after = np.zeros(MOVE_LENGTH, dtype=np.int64)
    open_points = int(first[OPEN] & ~first[BLACKS] & ~first[WHITES]) & ~DAME_BIT
    for i, point in enumerate(space.points):
        for black, moves in zip((True, False), found, strict=True):
            if open_points >> i & 1 and play(space.beside, first, 1 << i, black, after):
                node = int(find(p.state, p.slots, p.facts, after))
                moves.append((node, int(after[SCORE]), int(after[KO_CAPTURE]), point))
    return found


def _without_search(
    values: Values, moves: RootMoves, shift: int, decides: Callable[[], bool]
) -> _Answer | None:
    """The answer where the bounds agree, down to which moves are correct; None where they do not.

    `decides` is asked whether kos matter where a correct move takes one.
    """
    low, area = values.bounds(0, shift)
    if low != area:
        return None
    t = area.temperature
    sides: list[tuple[Option, ...]] = []
    takes_ko = False
    for black, row in zip((True, False), moves, strict=True):
        best = area.left.at(t) + t if black else area.right.at(t) - t
        options = []
        for node, gain, ko, label in row:
            worst, leaves = values.bounds(node, shift + gain)
            after_worst, after_best = values.after(0, node, gain, ko, shift)
            wall = after_best.right if black else after_best.left
            if worst != leaves or after_worst != after_best:
                at_best = wall.at(t) if black else after_worst.left.at(t)
                if (at_best >= best) if black else (at_best <= best):
                    return None
                continue
            takes_ko |= bool(ko) and wall.at(t) == best
            options.append(Option(label, wall, leaves, bool(ko)))
        sides.append(tuple(options))
    return _Answer(area, sides[0], sides[1], kos_matter=takes_ko and decides())


def _kos_decide(p: Positions, values: Values, deadline: float) -> bool:
    """Does the answer in territory points change when one side may retake every ko at once?"""
    here = values.bounds(0)[0].cooled(TERRITORY_TAX)
    for black_barred in (True, False):
        monster = thermographs(p, deadline=deadline, black_barred=black_barred, white_barred=not black_barred)
        if any(bound.cooled(TERRITORY_TAX) != here for bound in monster.bounds(0)):
            return True
    return False


def _with_kos(graph: Graph) -> _Answer:
    """The answer by extended thermography."""
    solution = solve(graph)
    area = solution.of(graph.root)
    return _Answer(
        area,
        tuple(options_of(solution, graph.root, True)),
        tuple(options_of(solution, graph.root, False)),
        kos_matter=kos_matter(graph, area),
        exact=not in_doubt(solution),
    )


__all__ = [
    "LocalGame",
    "OutOfBudget",
    "RegionError",
    "RegionTooLarge",
    "local_game",
]
