"""Closing the surroundings of a problem.

Most problems in books leave the outside open: it goes without saying that it is the attacker's. The
search wants that said. `close` finds the outside, gives it to the attacker as stones that can never
be captured, and returns what is left as the region. Nothing outside can then help either side.

The outside is what can be reached from far away without coming next to an attacking stone; if that
reaches the target, the wall has a wider gap, and attacking stones are given a longer reach. So the
wall itself, its gaps, and a margin behind it stay in the region: a defender who breaks through a gap
runs into the attacker a few steps further on.

How few is a matter of judgement. A fence that stands close lends the wall liberties it may not have, and
one that stands far off costs much to search. So there are several `ROOMS`, from tight to wide; `solve`
asks within each in turn, and the widest that gives an answer counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from miai.go.board import Board
from miai.go.coords import EMPTY, Grid, opponent

FAR = 4  # an empty point this many steps from every stone is outside
LONGEST_REACH = 5
STEPS_TO_CAPTURE = 2  # steps that count as made by who captures a piece of the wall


class Room(NamedTuple):
    """How much room there is between the wall and the fence."""

    run: int  # steps into the open that the defender is given
    weak: int  # a piece of the wall with so few liberties may be captured from outside


ROOMS = (Room(2, 2), Room(3, 3), Room(5, 3))  # from tight to wide


@dataclass(frozen=True)
class Frame:
    """What was assumed about the surroundings of a problem."""

    fence: frozenset[int] = frozenset()  # points given to the attacker, as stones that stay for good
    removed: frozenset[int] = frozenset()  # defending stones outside that no longer count
    reach: int = 0  # how wide a gap had to be closed; 0 if the wall had none
    room: Room | None = None  # None where the region was given


NO_FRAME = Frame()


def close(board: Board, target: tuple[int, ...], room: Room) -> tuple[tuple[int, ...], Frame]:
    """Close the surroundings of `target`; returns the region and what was assumed to get it."""
    defender = board[target[0]]
    grid = board.grid
    seeds = set(far_points(board) or beyond_walls(board, target))
    outside, reach = find_outside(board, target, seeds)
    outside = advance(board, target, outside, room, seeds)
    region = flood(grid, target, outside)
    beyond = {int(p) for p in grid.points} - region
    removed = frozenset(p for p in beyond if board[p] == defender)
    fence = frozenset(p for p in dilate(grid, region, 1) & beyond if board[p] == EMPTY or p in removed)
    return tuple(sorted(region)), Frame(fence, removed, reach, room)


def find_outside(board: Board, target: tuple[int, ...], seeds: set[int]) -> tuple[set[int], int]:
    """What `seeds` grow to, and how far attacking stones had to reach to keep that away from the target."""
    grid = board.grid
    walls = board.stones(opponent(board[target[0]]))
    near = dilate(grid, target, 1)
    for reach in range(LONGEST_REACH + 1):
        blocked = dilate(grid, walls, reach)
        outside = flood(grid, seeds, blocked)
        if not outside & near:
            return outside, reach
    return set(), LONGEST_REACH


def advance(
    board: Board, target: tuple[int, ...], outside: set[int], room: Room, seeds: set[int]
) -> set[int]:
    """The outside, moved up to where the defender could run to in a few steps, and no closer."""
    grid = board.grid
    defender = board[target[0]]
    walls = set(board.stones(opponent(defender)))
    friends = set(board.stones(defender))
    # every defending stone inside counts, not only the target: its friends may come to its help;
    # so do those that help to capture a weak piece of the wall, and the points where that is done
    inside = flood(grid, target, outside)
    reachable = inside & friends
    contested: set[int] = set()
    for chain in board.chains():
        weak = chain.colour != defender and len(chain.liberties) <= room.weak
        if weak and not inside.isdisjoint(chain.stones):
            around = dilate(grid, chain.stones, 1)
            reachable |= flood(grid, around & friends, {int(p) for p in grid.points} - friends)
            contested |= set(chain.liberties)
    frontier = set(reachable)
    for step in range(room.run):
        if step == STEPS_TO_CAPTURE:
            frontier |= contested
        # one step to empty points; friends next to those come along free
        frontier = {q for p in frontier for q in grid.neighbours(p)} - walls - reachable
        frontier |= flood(grid, frontier, {int(p) for p in grid.points} - friends - frontier) - reachable
        reachable |= frontier
    reachable |= contested
    free = (set(board.stones(EMPTY)) | outside) - reachable
    # from far away: a pocket behind the points within reach is no place for the attacker's fence
    start = (seeds & outside) - reachable or outside - reachable
    return flood(grid, start, {int(p) for p in grid.points} - free)


def far_points(board: Board) -> list[int]:
    """Empty points at least FAR steps, diagonal ones included, from every stone."""
    points = board.grid.points.reshape(board.size.height, board.size.width)
    near = board.arrays.colour[points] != EMPTY
    for _ in range(FAR - 1):
        wider = near.copy()
        wider[1:] |= near[:-1]
        wider[:-1] |= near[1:]
        near = wider.copy()
        near[:, 1:] |= wider[:, :-1]
        near[:, :-1] |= wider[:, 1:]
    return [int(point) for point in points[~near]]


def beyond_walls(board: Board, target: tuple[int, ...]) -> list[int]:
    """Empty points that cannot be reached from the target: the outside, on a board too small for more."""
    walls = set(board.stones(opponent(board[target[0]])))
    inside = flood(board.grid, target, walls)
    return [p for p in board.stones(EMPTY) if p not in inside]


def dilate(grid: Grid, points: Iterable[int], steps: int) -> set[int]:
    """The points within that many steps."""
    found = set(points)
    for _ in range(steps):
        found |= {q for p in found for q in grid.neighbours(p)}
    return found


def flood(grid: Grid, start: Iterable[int], blocked: set[int]) -> set[int]:
    """What can be reached from `start` step by step without entering `blocked`."""
    found = {p for p in start if p not in blocked}
    frontier = list(found)
    while frontier:
        for q in grid.neighbours(frontier.pop()):
            if q not in found and q not in blocked:
                found.add(q)
                frontier.append(q)
    return found
