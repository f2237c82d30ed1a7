"""From bounds on every position of a region to its answer: value, correct moves, whether kos matter.

Used for the whole graph (`local_graph`) and for the part of it that `local_lazy` opens. There bounds need
to agree only from the temperature on at which territory begins (`in_territory`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from miai.endgame.graph import Graph
from miai.endgame.kos import solve
from miai.endgame.local_graph import OutOfBudget, find
from miai.endgame.local_hold import settle_all
from miai.endgame.local_moves import (
    BLACKS,
    DAME_BIT,
    KO_CAPTURE,
    MOVE_LENGTH,
    OPEN,
    SCORE,
    SENSIBLE,
    WHITES,
    play,
    sensible,
)
from miai.endgame.local_reduce import RootMoves
from miai.endgame.local_space import Space
from miai.endgame.local_thermo import Values, thermographs
from miai.endgame.local_walls import Array
from miai.endgame.thermograph import Thermograph
from miai.endgame.values import TERRITORY_TAX, Option, in_doubt, kos_matter, options_of, region_value


@dataclass(frozen=True)
class Answer:
    """What a region is worth by area, and the moves that are or may be correct."""

    area: Thermograph
    black: tuple[Option, ...]
    white: tuple[Option, ...]
    kos_matter: bool
    exact: bool = True
    said: tuple[str, ...] = ()  # what is not proved


def root_moves(space: Space, first: Array, p, table: Array | None = None) -> RootMoves:  # type: ignore[no-untyped-def]
    """Both sides' first moves on open points: where they lead, what they settle, ko, the point.

    `p` holds the positions (state, slots, facts); `table` is given if they are settled by `settle_all`.
    """
    found: RootMoves = ([], [])
    after = np.zeros(MOVE_LENGTH, dtype=np.int64)
    work = np.zeros(2, dtype=np.int64)
    open_points = int(first[OPEN] & ~first[BLACKS] & ~first[WHITES]) & ~DAME_BIT
    looked_at = [
        open_points & (int(sensible(space.beside, first, black)) if space.beside[SENSIBLE] else -1)
        for black in (True, False)
    ]
    for i, point in enumerate(space.points):
        for black, moves, points in zip((True, False), found, looked_at, strict=True):
            if points >> i & 1 and play(space.beside, first, 1 << i, black, after):
                if table is not None:
                    settle_all(space.beside, after, table, work)
                node = int(find(p.state, p.slots, p.facts, after))
                moves.append((node, int(after[SCORE]), int(after[KO_CAPTURE]), point))
    return found


def same(a: Thermograph, b: Thermograph) -> bool:
    """Are two bounds one in territory points?"""
    return a == b or a.cooled(TERRITORY_TAX) == b.cooled(TERRITORY_TAX)


def agreed(low: Thermograph, high: Thermograph) -> bool:
    """Do bounds give one answer, the temperature by area included?"""
    return low == high or (low.temperature > TERRITORY_TAX and same(low, high))


def undecided(values: Values, moves: RootMoves, shift: int) -> list[tuple[int, bool]]:
    """The nodes after first moves that may be correct, with too little known; whose move it was."""
    area = values.bounds(0, shift)[1]
    if area.temperature <= TERRITORY_TAX:
        return []
    return [
        (node, black)
        for black in (True, False)
        for node, known in _judged(values, moves, shift, area, black, in_territory=True)
        if not known
    ]


def _judged(
    values: Values, moves: RootMoves, shift: int, area: Thermograph, black: bool, *, in_territory: bool
) -> list[tuple[int, Option | None]]:
    """A side's moves that may be correct: the node, and the option if enough is known about it.

    In territory that is its value at the region's temperature, and whether it leaves more or less heat.
    """
    t = area.temperature
    found: list[tuple[int, Option | None]] = []
    best = area.left.at(t) + t if black else area.right.at(t) - t
    for node, gain, ko, label in moves[0] if black else moves[1]:
        low, high = values.bounds(node, shift + gain)
        after_low, after_high = values.after(0, node, gain, ko, shift)
        least, most = (after_low.right, after_high.right) if black else (after_low.left, after_high.left)
        if low == high and after_low == after_high:
            found.append((node, Option(label, most, high, bool(ko))))
            continue
        if (most.at(t) < best) if black else (least.at(t) > best):
            continue
        known = (
            in_territory
            and t > TERRITORY_TAX
            and least.at(t) == most.at(t)
            and (same(low, high) or heat_known(low, high, t))
        )
        found.append((node, Option(label, most, low, bool(ko)) if known else None))
    return found


def heat_known(low: Thermograph, high: Thermograph, t: Fraction) -> bool:
    """Do bounds say if a position is hotter than `t` > 0, cooler, or just that? The lower one is so, too."""
    if low.left.at(t) > high.right.at(t):
        return True  # it is hot at t
    corners = {Fraction(c) for wall in (low.left, low.right, high.left, high.right) for c, _ in wall.points}
    above = {t, *(c for c in corners if c > t)}
    if any(high.left.at(c) != low.right.at(c) for c in above):
        return False
    below = (max(c for c in corners if c < t) + t) / 2  # all walls are straight from there to t
    return high.left.at(below) == low.right.at(below) or low.left.at(below) > high.right.at(below)


def without_search(
    values: Values,
    moves: RootMoves,
    shift: int,
    decides: Callable[[], bool],
    *,
    in_territory: bool = False,
) -> Answer | None:
    """The answer where the bounds agree, down to which moves are correct; None where they do not.

    `decides` is asked whether kos matter where a correct move takes one.
    """
    low, area = values.bounds(0, shift)
    if low != area and not (in_territory and agreed(low, area)):
        return None
    t = area.temperature
    sides: list[tuple[Option, ...]] = []
    takes_ko = False
    for black in (True, False):
        judged = [
            option for _, option in _judged(values, moves, shift, area, black, in_territory=in_territory)
        ]
        options = tuple(option for option in judged if option is not None)
        if len(options) < len(judged) and not (in_territory and t <= TERRITORY_TAX):
            return None
        best = area.left.at(t) + t if black else area.right.at(t) - t
        takes_ko |= any(option.ko and option.wall.at(t) == best for option in options)
        sides.append(options)
    return Answer(area, sides[0], sides[1], kos_matter=takes_ko and decides())


def kos_decide(low_net, high_net, here: Thermograph, deadline: float) -> bool:  # type: ignore[no-untyped-def]
    """Does the answer in territory points change when one side may retake every ko at once?

    The nets are one and the same, or what was opened of it with all the rest given to White, and to Black.
    Raises OutOfBudget where they do not decide it.
    """
    here = here.cooled(TERRITORY_TAX)
    for black_barred in (True, False):
        bounds = []
        for net, side in ((low_net, 0), (high_net, 1)):
            monster = thermographs(
                net, deadline=deadline, black_barred=black_barred, white_barred=not black_barred
            )
            bounds.append([bound.cooled(TERRITORY_TAX) for bound in monster.bounds(0)])
            if side == 0 and high_net is low_net:
                bounds.append(bounds[0])
                break
        low, high = bounds[0][0], bounds[1][1]
        if low == high == here:
            continue
        if high_net is low_net or exceeds(low, here) or exceeds(here, high):
            return True
        raise OutOfBudget("whether a ko matters is still open")
    return False


def exceeds(a: Thermograph, b: Thermograph) -> bool:
    """Is a wall of `a` above the same wall of `b` somewhere?"""
    for one, other in ((a.left, b.left), (a.right, b.right)):
        corners = {t for t, _ in one.points} | {t for t, _ in other.points}
        if any(one.at(t) > other.at(t) for t in corners):
            return True
    return False


def with_kos(graph: Graph) -> Answer:
    """The answer by extended thermography."""
    solution = solve(graph)
    area = solution.of(graph.root)
    return Answer(
        area,
        tuple(options_of(solution, graph.root, True)),
        tuple(options_of(solution, graph.root, False)),
        kos_matter=kos_matter(graph, area),
        exact=not in_doubt(solution),
    )


def alike(one: Answer, other: Answer) -> bool:
    """Do two answers say the same in territory points, correct moves and type included?"""
    if not (one.exact and other.exact and agreed(one.area, other.area)):
        return False
    a, b = (region_value(x.area, x.black, x.white, kos_matter=x.kos_matter) for x in (one, other))
    return (a.accept_types, a.moves(True), a.moves(False)) == (b.accept_types, b.moves(True), b.moves(False))
