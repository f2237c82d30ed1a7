"""The lines that make the value of a region: correct moves with count and temperature at every node.

`lines` replays the search of `local` on real points, for export as a tree of variations. Of the moves
that are equally correct only the first is followed, except at the root; a position that nobody gains
by moving in ends its line.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from miai.endgame.local_dig import UNOPENED, Dig
from miai.endgame.local_graph import Positions, find
from miai.endgame.local_hold import settle_all
from miai.endgame.local_moves import BLACKS, DAME_BIT, KO_CAPTURE, MOVE_LENGTH, OPEN, SCORE, WHITES, play
from miai.endgame.local_space import Space
from miai.endgame.local_thermo import Values
from miai.endgame.local_walls import Array
from miai.endgame.values import TERRITORY_TAX


@dataclass(frozen=True)
class Search:
    """What `local_game` found, for those who want to look inside."""

    space: Space
    first: npt.NDArray[np.int64]  # the settled position of node 0
    positions: Positions | Dig
    values: Values
    table: Array | None = None  # where positions are settled by `settle_all`


@dataclass(frozen=True)
class Line:
    """A position after a move, and the correct moves from there."""

    point: int
    black: bool  # who played it
    count: Fraction  # territory, Black's minus White's, from here on
    miai_value: Fraction
    exact: bool  # False where a ko deeper down leaves only bounds: then the numbers are the lower ones
    next: tuple[Line, ...]


def lines(search: Search, *, depth: int = 8, limit: int = 500) -> tuple[Line, ...]:
    """The first moves that are correct for either side, with what follows, up to `limit` positions."""
    budget = [limit]
    shift = search.space.settled + int(search.first[SCORE]) - search.space.stones
    return _next(search, search.first, shift, depth, budget, at_root=True)


def _next(
    search: Search, here: npt.NDArray[np.int64], shift: int, depth: int, budget: list[int], *, at_root: bool
) -> tuple[Line, ...]:
    """The correct moves at a position; `shift` turns its values into territory points."""
    space, p, values = search.space, search.positions, search.values
    node = int(find(p.state, p.slots, p.facts, here))
    area = values.bounds(node)[0]
    t = area.temperature
    if t <= TERRITORY_TAX or depth == 0 or not values.exact(node) or values.graphs.start[node] == UNOPENED:
        return ()
    empty = int(here[OPEN] & ~here[BLACKS] & ~here[WHITES]) & ~DAME_BIT
    found: list[Line] = []
    for black in (True, False):
        best = area.left.at(t) + t if black else area.right.at(t) - t
        for i, point in enumerate(space.points):
            after = np.zeros(MOVE_LENGTH, dtype=np.int64)
            if not empty >> i & 1 or not play(space.beside, here, 1 << i, black, after):
                continue
            if search.table is not None:
                settle_all(space.beside, after, search.table, np.zeros(2, dtype=np.int64))
            child, gain = int(find(p.state, p.slots, p.facts, after)), int(after[SCORE])
            left = values.after(node, child, gain, int(after[KO_CAPTURE]), 0)[0]
            if (left.right if black else left.left).at(t) != best or budget[0] <= 0:
                continue
            budget[0] -= 1
            further = shift + gain + (-1 if black else 1)  # a stone played is no territory
            worth = values.bounds(child)[0]
            found.append(
                Line(
                    point,
                    black,
                    worth.mean + further,
                    max(Fraction(0), worth.temperature - TERRITORY_TAX),
                    values.exact(child),
                    _next(search, after, further, depth - 1, budget, at_root=False),
                )
            )
            if not at_root:
                break
    return tuple(found)
