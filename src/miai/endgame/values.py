"""What a region is worth to a player: count, miai value, sente or gote, and which moves are correct.

Thermographs come in counted by area, with the options of both sides (`Option`); `region_value` turns
them into a `RegionValue` in territory points, by the rules in its fields' comments. `value_of` does it
for a whole `Graph`. For several regions together see `board.py`.

Everything is counted from Black's side. Territory is area with a tax of one point a move: the area
thermograph cooled by one, less the stones that stood in the region to begin with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

from miai.endgame.graph import NO_LABEL, Graph
from miai.endgame.kos import Solution, components, solve
from miai.endgame.thermograph import Thermograph, Wall
from miai.endgame.turns import Threats
from miai.endgame.zero import Endless
from miai.go.coords import Grid

TERRITORY_TAX = 1
"""A stone played is a point by area and none by territory."""

REPETITION = "Endless repetition is counted as the position stands."


class Type(Enum):
    """What sort of move a region holds."""

    GOTE = "gote"
    BLACK_SENTE = "black_sente"  # and White's reverse sente
    WHITE_SENTE = "white_sente"
    DOUBLE_SENTE = "double_sente"
    AMBIGUOUS = "ambiguous"
    KO = "ko"
    DAME = "dame"
    SETTLED = "settled"


class Heat(Enum):
    """How hot a side's correct moves leave the region, against its own temperature."""

    NONE = "no correct move"
    COOLER = "gote"
    SAME = "border"
    HOTTER = "sente"


@dataclass(frozen=True, slots=True)
class Option:
    """One move of one side, by area: what it leaves."""

    label: int  # the point played, or NO_LABEL
    wall: Wall  # what it leaves to the opponent, a ko ban included
    leaves: Thermograph  # the position it leaves, no ban standing
    ko: bool = False  # it is a ko capture


@dataclass(frozen=True, slots=True)
class RegionValue:
    """The answer for one region. Points are ints of `grid`; fractions are exact."""

    count: Fraction  # territory: expected local score, Black's minus White's
    miai_value: Fraction  # territory: what a gote or reverse sente move gains; 0 for dame and settled
    type: Type
    accept_types: tuple[Type, ...]  # `type` first, then what it borders on
    black_moves: tuple[int, ...]  # all moves correct at the ambient temperature `miai_value`; none in
    white_moves: tuple[int, ...]  # a ko, a dame or a settled region
    left_stop: Fraction  # territory if Black moves first and everything is answered
    right_stop: Fraction
    area_count: Fraction
    area_temperature: Fraction
    thermograph: Thermograph  # of the territory game
    ko_black_moves: tuple[int, ...] = ()  # the correct moves where the region is a ko
    ko_white_moves: tuple[int, ...] = ()
    region: tuple[int, ...] = ()
    grid: Grid | None = None
    next_black: float | None = None  # a network's opinion: who plays here next, with what probability
    next_white: float | None = None
    next_nobody: float | None = None
    exact: bool = True
    assumptions: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def deiri_value(self) -> Fraction:
        """The swing between Black and White moving first: twice the miai value."""
        return 2 * self.miai_value

    def role(self, black: bool) -> str:
        """What a move here is for one side: "sente", "reverse sente", "gote", "ko", "dame", …"""
        own, other = (Type.BLACK_SENTE, Type.WHITE_SENTE) if black else (Type.WHITE_SENTE, Type.BLACK_SENTE)
        names = {own: "sente", other: "reverse sente", Type.DOUBLE_SENTE: "double sente"}
        return names.get(self.type, self.type.value)

    def moves(self, black: bool) -> tuple[int, ...]:
        """The correct moves of one side, those of a ko included."""
        if black:
            return self.black_moves or self.ko_black_moves
        return self.white_moves or self.ko_white_moves

    def to_json(self) -> dict[str, Any]:
        """Plain data: GTP names (numbers without a grid), fractions as strings."""
        return {
            "region": self.names(self.region),
            "count": str(self.count),
            "miai_value": str(self.miai_value),
            "deiri_value": str(self.deiri_value),
            "type": self.type.value,
            "accept_types": [kind.value for kind in self.accept_types],
            "black_moves": self.names(self.black_moves),
            "white_moves": self.names(self.white_moves),
            "ko_black_moves": self.names(self.ko_black_moves),
            "ko_white_moves": self.names(self.ko_white_moves),
            "left_stop": str(self.left_stop),
            "right_stop": str(self.right_stop),
            "area_count": str(self.area_count),
            "area_temperature": str(self.area_temperature),
            "next_black": self.next_black,
            "next_white": self.next_white,
            "next_nobody": self.next_nobody,
            "exact": self.exact,
            "assumptions": list(self.assumptions),
            "seconds": round(self.seconds, 3),
        }

    def names(self, points: tuple[int, ...]) -> list[str]:
        if self.grid is None:
            return [str(point) for point in points]
        return self.grid.names(list(points))


def correct(area: Thermograph, options: Sequence[Option], black: bool) -> list[Option]:
    """The moves that lose nothing when the temperature elsewhere is the region's own."""
    t = area.temperature
    best = (area.left if black else area.right).at(t)
    tax = -t if black else t
    return [option for option in options if option.wall.at(t) + tax == best]


def heat(area: Thermograph, moves: Sequence[Option]) -> Heat:
    """Whether correct moves leave the region hotter than it is: then they are sente."""
    t = area.temperature
    left = [move.leaves.temperature for move in moves]
    if not left:
        return Heat.NONE
    if all(temperature < t for temperature in left):
        return Heat.COOLER
    if all(temperature > t for temperature in left):
        return Heat.HOTTER
    return Heat.SAME


def region_type(black: Heat, white: Heat) -> tuple[Type, ...]:
    """Sente or gote from how both sides' moves leave a region that is worth a move; borders follow."""
    if Heat.SAME in (black, white):
        borders = [Type.AMBIGUOUS]
        for b in (False, True) if black is Heat.SAME else (black is Heat.HOTTER,):
            for w in (False, True) if white is Heat.SAME else (white is Heat.HOTTER,):
                borders.append(_BY_SENTE[b, w])
        return tuple(borders)
    return (_BY_SENTE[black is Heat.HOTTER, white is Heat.HOTTER],)


_BY_SENTE = {
    (False, False): Type.GOTE,
    (True, False): Type.BLACK_SENTE,
    (False, True): Type.WHITE_SENTE,
    (True, True): Type.DOUBLE_SENTE,
}


def region_value(
    area: Thermograph,
    black: Sequence[Option],
    white: Sequence[Option],
    *,
    stones: int = 0,
    kos_matter: bool = False,
    region: tuple[int, ...] = (),
    grid: Grid | None = None,
    exact: bool = True,
    assumptions: tuple[str, ...] = (),
    seconds: float = 0.0,
) -> RegionValue:
    """Judge a region from its area thermograph and the options of both sides.

    `stones` is black stones minus white stones in the region as it stands. `kos_matter` says that the
    answer would change if every ko were given to one side; the region is then a ko if a correct move
    takes one.
    """
    temperature = area.temperature
    territory = area.cooled(TERRITORY_TAX).plus(-stones)
    black_moves: tuple[int, ...] = ()
    white_moves: tuple[int, ...] = ()
    ko_moves: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    if temperature <= TERRITORY_TAX:
        types: tuple[Type, ...] = (Type.DAME, Type.SETTLED) if temperature > 0 else (Type.SETTLED,)
    else:
        good_black, good_white = correct(area, black, True), correct(area, white, False)
        black_moves, white_moves = _labels(good_black), _labels(good_white)
        types = region_type(heat(area, good_black), heat(area, good_white))
        if kos_matter and any(option.ko for option in good_black + good_white):
            types = (Type.KO,)
            ko_moves, black_moves, white_moves = (black_moves, white_moves), (), ()
    return RegionValue(
        count=territory.mean,
        miai_value=max(Fraction(0), temperature - TERRITORY_TAX),
        type=types[0],
        accept_types=types,
        black_moves=black_moves,
        white_moves=white_moves,
        left_stop=territory.left_stop,
        right_stop=territory.right_stop,
        area_count=area.mean,
        area_temperature=temperature,
        thermograph=territory,
        ko_black_moves=ko_moves[0],
        ko_white_moves=ko_moves[1],
        region=region,
        grid=grid,
        exact=exact,
        assumptions=assumptions,
        seconds=seconds,
    )


def _labels(options: Sequence[Option]) -> tuple[int, ...]:
    return tuple(sorted({option.label for option in options if option.label != NO_LABEL}))


def options_of(solution: Solution, node: int, black: bool) -> list[Option]:
    """A side's moves from a node of a solved graph."""
    return [
        Option(label, solution.after(black, node, to, ko), solution.of(to), ko)
        for to, ko, label in solution.graph.edges(node, black)
    ]


def value_of(
    graph: Graph,
    *,
    stones: int = 0,
    threats: Threats = Threats.NEUTRAL,
    region: tuple[int, ...] = (),
    grid: Grid | None = None,
    assumptions: tuple[str, ...] = (),
) -> RegionValue:
    """Judge the root of a graph whose scores are counted by area."""
    solution = solve(graph, threats)
    area = solution.of(graph.root)
    doubtful = in_doubt(solution)
    if doubtful:
        assumptions = (*assumptions, REPETITION)
    return region_value(
        area,
        options_of(solution, graph.root, True),
        options_of(solution, graph.root, False),
        stones=stones,
        kos_matter=kos_matter(graph, area),
        region=region,
        grid=grid,
        exact=not doubtful,
        assumptions=assumptions,
    )


def kos_matter(graph: Graph, area: Thermograph) -> bool:
    """Whether the answer in territory points changes when one side may retake every ko at once."""
    if not np.any(graph.left_ko) and not np.any(graph.right_ko):
        return False
    if all(len(part) == 1 for part in components(graph)):
        return False
    here = area.cooled(TERRITORY_TAX)
    return any(
        solve(graph, monster).of(graph.root).cooled(TERRITORY_TAX) != here
        for monster in (Threats.BLACK_MONSTER, Threats.WHITE_MONSTER)
    )


def in_doubt(solution: Solution) -> bool:
    """Whether the root's answer in territory points hangs on how endless repetition is judged."""
    if not solution.repetition and not solution.unsettled:
        return False
    graph, threats = solution.graph, solution.threats
    if solution.unsettled:
        return bool(solution.unsettled & _reachable(graph))
    here = solution.of(graph.root).cooled(TERRITORY_TAX)
    return any(
        solve(graph, threats, endless).of(graph.root).cooled(TERRITORY_TAX) != here
        for endless in (Endless.FOR_BLACK, Endless.FOR_WHITE)
    )


def _reachable(graph: Graph) -> set[int]:
    found, todo = {graph.root}, [graph.root]
    while todo:
        node = todo.pop()
        for to in graph.left(node) + graph.right(node):
            if to not in found:
                found.add(to)
                todo.append(to)
    return found
