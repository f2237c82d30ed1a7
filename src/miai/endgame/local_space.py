"""From a board and a region to the first position of a local game, and what had to be assumed for it.

Everything outside the region is taken as settled and safe. Where the outside does not make that sure,
the result says so in `assumptions`: an outside chain that is not pass-alive once the enemy owns the
region, or an empty point outside that touches the region. Such a point counts as a wall of the side
that is nearer to it. Where both are as near it is played on as if it were in the region; empty points
still further out that are as near to both are liberties that nobody can fill.

A wall that is an empty point is a strong assumption: a chain beside it cannot be caught. A space of a wide
reach also plays on the empty points around, so that the walls are one step further out, or two; in the
count they stand for what the nearer side would have there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from miai.endgame.local_moves import (
    BLACKS,
    EDGE,
    FREE,
    MAX_POINTS,
    MOVE_LENGTH,
    NEAR_B,
    NEAR_W,
    OPEN,
    SENSIBLE,
    SHAPE_LENGTH,
    WHITES,
)
from miai.go.benson import ALIVE, WORK_PER_POINT, benson_kernel
from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, OFF, WHITE, opponent

MAX_NAMED = 6  # points in a sentence


class RegionError(ValueError):
    """A region that is no region: off the board, empty, or everything."""


class RegionTooLarge(RegionError):
    """More open points than an exact search can hold."""


@dataclass(frozen=True)
class Space:
    """A region laid out for the search."""

    region: tuple[int, ...]  # the mask, in board order
    points: tuple[int, ...]  # the points that can change; the search numbers them from 0
    beside: npt.NDArray[np.int64]  # [SHAPE_LENGTH] neighbours of each as bits; see `local_moves`
    first: npt.NDArray[np.int64]  # [MOVE_LENGTH] the position, not settled; SCORE has the rest of the region
    settled: int  # Black's area minus White's in the part of the region that cannot change, less `added`
    stones: int  # Black's stones minus White's in the whole region
    assumptions: tuple[str, ...]

    @property
    def empty(self) -> int:
        """How many empty points can change."""
        s = self.first
        return int(s[OPEN] & ~s[BLACKS] & ~s[WHITES]).bit_count()

    @property
    def for_a_guess(self) -> bool:
        """Is it one that `sensible` made?"""
        return bool(self.beside[SENSIBLE])

    def sensible(self) -> Space:
        """The same for a guess: only moves that look sensible, and nobody lives in a small place."""
        beside = self.beside.copy()
        beside[SENSIBLE] = 1
        return replace(self, beside=beside)


class Reach(Enum):
    """Which empty points just outside a region are played on, too."""

    FAR = "those around its open points, and those around these"
    WIDE = "those around its open points"
    TIES = "those as near to Black as to White"
    NONE = "none"


def make_space(board: Board, region: Iterable[int], reach: Reach = Reach.TIES) -> Space:
    """Lay out `region` of `board`. Raises RegionError."""
    grid = board.grid
    mask = sorted(set(int(p) for p in region))
    if not mask:
        raise RegionError("The region is empty: mark the points whose value is asked.")
    for p in mask:
        if not (0 <= p < grid.length and grid.on_board(p)):
            raise RegionError(f"A point of the region ({p}) is off this {grid.width}×{grid.height} board.")
    if len(mask) == grid.area:
        raise RegionError("The region covers the whole board: leave the settled stones around it outside.")
    colour = board.arrays.colour
    for chain in board.chains():
        if not chain.liberties:
            raise RegionError(f"The chain at {grid.name(chain.stones[0])} has no liberty.")
    inside = set(mask)
    asked = tuple(mask)
    added = set() if reach is Reach.NONE else between(board, inside)
    if reach in (Reach.WIDE, Reach.FAR):
        added |= rim(board, inside)
    if reach is Reach.FAR:
        added |= rim(board, inside | added)
    inside |= added
    wall, said = walls(board, inside)
    assumptions = weak_walls(board, inside) + said
    if added:
        names = _named(board, sorted(added))
        assumptions.append(f"The region is open; the empty points outside at {names} count as part of it.")
    mask = sorted(inside)
    # Stones of the region that are joined to a wall of their colour can never be captured.
    safe: set[int] = set()
    fresh = [
        p
        for p in mask
        if colour[p] != EMPTY and any(wall.get(q) in (colour[p], OFF) for q in grid.neighbours(p))
    ]
    while fresh:
        stone = fresh.pop()
        if stone in safe:
            continue
        safe.add(stone)
        fresh += [q for q in grid.neighbours(stone) if q in inside and colour[q] == colour[stone]]
    for p in safe:
        wall[p] = int(colour[p])
    points = [p for p in mask if p not in safe]
    if len(points) > MAX_POINTS:
        raise RegionTooLarge(f"The region has {len(points)} open points; an exact search holds {MAX_POINTS}.")
    number = {p: i for i, p in enumerate(points)}
    beside = np.zeros(SHAPE_LENGTH, dtype=np.int64)
    first = np.zeros(MOVE_LENGTH, dtype=np.int64)
    for p, i in number.items():
        bit = 1 << i
        first[OPEN] |= bit
        if len(grid.neighbours(p)) < 4:
            beside[EDGE] |= bit
        if colour[p] == BLACK:
            first[BLACKS] |= bit
        elif colour[p] == WHITE:
            first[WHITES] |= bit
        for q in grid.neighbours(p):
            if q in number:
                beside[i] |= 1 << number[q]
            elif wall[q] == BLACK:
                first[NEAR_B] |= bit
            elif wall[q] == WHITE:
                first[NEAR_W] |= bit
            else:
                beside[FREE] |= bit
    balance = {BLACK: 1, WHITE: -1, EMPTY: 0}
    return Space(
        region=asked,
        points=tuple(points),
        beside=beside,
        first=first,
        settled=sum(balance[int(colour[p])] for p in safe) - nearer(board, added),
        stones=sum(balance[int(colour[p])] for p in mask),
        assumptions=tuple(assumptions),
    )


def weak_walls(board: Board, inside: set[int]) -> list[str]:
    """A sentence for the outside chains next to the region that are not surely alive without it."""
    grid = board.grid
    colour = board.arrays.colour.copy()
    colour[sorted(inside)] = OFF
    out = np.empty(grid.length, dtype=np.int8)
    work = np.empty(WORK_PER_POINT * grid.length, dtype=np.int32)
    weak: dict[int, list[int]] = {BLACK: [], WHITE: []}
    for who in (BLACK, WHITE):
        benson_kernel(colour, grid.stride, who, board.rules.suicide, out, work)
        seen: set[int] = set()
        for p in sorted(inside):
            for q in grid.neighbours(p):
                if q in seen or colour[q] != who or out[q] == ALIVE:
                    continue
                weak[who].append(q)
                chain = [q]
                while chain:
                    stone = chain.pop()
                    if stone not in seen:
                        seen.add(stone)
                        chain += [r for r in grid.neighbours(stone) if colour[r] == who]
    names = {BLACK: "black", WHITE: "white"}
    return [
        f"The {names[who]} stones outside at {_named(board, weak[who])} are safe."
        for who in (BLACK, WHITE)
        if weak[who]
    ]


def between(board: Board, inside: set[int]) -> set[int]:
    """The empty points just outside the region that are as near to Black as to White."""
    gaps = {q for p in inside for q in board.grid.neighbours(p) if q not in inside and board[q] == EMPTY}
    if not gaps:
        return set()
    black, white = _steps(board, BLACK), _steps(board, WHITE)
    return {q for q in gaps if q in black and black[q] == white.get(q)}


def rim(board: Board, inside: set[int]) -> set[int]:
    """The empty points just outside the region that an open point of it touches: a chain may need them.

    Points that only touch stones joined to chains outside are left out: those stones are safe anyway.
    """
    grid = board.grid
    safe: set[int] = set()
    fresh = [p for p in inside if any(q not in inside and board[q] == board[p] for q in grid.neighbours(p))]
    fresh = [p for p in fresh if board[p] != EMPTY]
    while fresh:
        stone = fresh.pop()
        if stone not in safe:
            safe.add(stone)
            fresh += [q for q in grid.neighbours(stone) if q in inside and board[q] == board[stone]]
    return {q for p in inside - safe for q in grid.neighbours(p) if q not in inside and board[q] == EMPTY}


def nearer(board: Board, points: set[int]) -> int:
    """How many of these empty points are nearer to Black minus how many are nearer to White."""
    if not points:
        return 0
    far = board.grid.length
    black, white = _steps(board, BLACK), _steps(board, WHITE)
    return sum(
        (black.get(p, far) < white.get(p, far)) - (white.get(p, far) < black.get(p, far)) for p in points
    )


def walls(board: Board, inside: set[int]) -> tuple[dict[int, int], list[str]]:
    """What each outside point next to the region acts as: BLACK, WHITE, or OFF for a liberty for ever."""
    grid = board.grid
    wall: dict[int, int] = {}
    gaps: list[int] = []
    for p in sorted(inside):
        for q in grid.neighbours(p):
            if q in inside or q in wall:
                continue
            wall[q] = board[q]
            if board[q] == EMPTY:
                gaps.append(q)
    if not gaps:
        return wall, []
    steps = {who: _steps(board, who) for who in (BLACK, WHITE)}
    owned: dict[int, list[int]] = {BLACK: [], WHITE: [], OFF: []}
    for q in gaps:
        near, far = steps[BLACK].get(q), steps[WHITE].get(q)
        if near == far:
            wall[q] = OFF
        else:
            wall[q] = BLACK if far is None or (near is not None and near < far) else WHITE
        owned[wall[q]].append(q)
    said = []
    for who, name in ((BLACK, "Black's"), (WHITE, "White's")):
        if owned[who]:
            said.append(
                f"The region is open; the empty points outside at {_named(board, owned[who])} are {name}."
            )
    if owned[OFF]:
        said.append(
            f"The region is open; the empty points outside at {_named(board, owned[OFF])} stay empty, as"
            " liberties for both."
        )
    return wall, said


def _steps(board: Board, who: int) -> dict[int, int]:
    """How many steps over points without enemy stones each point is away from the stones of `who`."""
    steps = dict.fromkeys(board.stones(who), 0)
    line = list(steps)
    for p in line:
        for q in board.grid.neighbours(p):
            if q not in steps and board[q] != opponent(who):
                steps[q] = steps[p] + 1
                line.append(q)
    return steps


def _named(board: Board, points: list[int]) -> str:
    names = board.grid.names(sorted(points))
    if len(names) <= MAX_NAMED:
        return ", ".join(names)
    return ", ".join(names[:MAX_NAMED]) + f" and {len(names) - MAX_NAMED} more"


__all__ = ["Reach", "RegionError", "RegionTooLarge", "Space", "make_space"]
