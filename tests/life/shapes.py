"""Eye spaces of every shape up to six points, walled in: in the corner, on the side, in the centre.

`polyominoes(n)` are the free shapes; `placed` turns one every way and puts it somewhere; `walled` makes
the problem, with a solid ring of the defender's around the space, so that no eye of it is false.
"""

from __future__ import annotations

from collections.abc import Iterator

from miai.go.board import Board
from miai.go.coords import BLACK, WHITE
from miai.life.problem import Problem

Shape = frozenset[tuple[int, int]]  # (row, column)
SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
SIZE = 13
AROUND = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]


def normal(shape: Shape) -> Shape:
    top, left = min(r for r, _ in shape), min(c for _, c in shape)
    return frozenset((r - top, c - left) for r, c in shape)


def turned(shape: Shape) -> list[Shape]:
    """The shape in every orientation, each once, in a fixed order."""
    found = []
    for mirrored in (False, True):
        for _ in range(4):
            shape = normal(frozenset((c, -r) for r, c in shape))
            found.append(shape)
        if not mirrored:
            shape = normal(frozenset((r, -c) for r, c in shape))
    return sorted(set(found), key=sorted)


def polyominoes(size: int) -> list[Shape]:
    """Every free shape of that many points."""
    if size == 1:
        return [frozenset({(0, 0)})]
    grown = set()
    for shape in polyominoes(size - 1):
        for r, c in shape:
            for dr, dc in SIDES:
                if (r + dr, c + dc) not in shape:
                    grown.add(turned(normal(shape | {(r + dr, c + dc)}))[0])
    return sorted(grown, key=sorted)


def drawn(text: str) -> Shape:
    """A shape from a drawing with # for its points, in its first orientation."""
    rows = text.split("/")
    points = {(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#"}
    return turned(normal(frozenset(points)))[0]


def placed(shape: Shape, place: str) -> Iterator[Shape]:
    """The shape in a place, every way that differs: corner is the top left one, side the top."""
    seen = set()
    for way in turned(shape):
        row, column = {"corner": (0, 0), "side": (0, 3), "centre": (3, 3)}[place]
        mirror = normal(frozenset((c, r) if place != "side" else (r, -c) for r, c in way))
        if way in seen or mirror in seen or (place == "centre" and seen):
            continue
        seen.add(way)
        space = frozenset((r + row, c + column) for r, c in way)
        if connected(ring(set(space))):  # else the space cuts the board's corner off
            yield space


def ring(points: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The points around some, diagonals included."""
    near = {(r + dr, c + dc) for r, c in points for dr, dc in AROUND}
    return {(r, c) for r, c in near if 0 <= r < SIZE and 0 <= c < SIZE} - points


def connected(points: set[tuple[int, int]]) -> bool:
    found = {min(points)}
    while near := {(r + dr, c + dc) for r, c in found for dr, dc in SIDES} & points - found:
        found |= near
    return found == points


def walled(space: Shape, outside: int = 0) -> Problem:
    """The problem of a white ring around the space, with that many outside liberties, Black to move."""
    board = Board(SIZE)
    grid = board.grid
    white = ring(set(space))
    wall = ring(set(space) | white)
    joins = sorted(p for p in wall if any((p[0] + dr, p[1] + dc) in white for dr, dc in SIDES))
    free = set(joins[:: max(1, len(joins) // outside)][:outside]) if outside else set()
    black = (wall - free) | (ring(free) - white - set(space) - free)
    points = [grid.point(r, c) for r, c in set(space) | white | free]
    stones = {WHITE: [grid.point(*p) for p in sorted(white)], BLACK: [grid.point(*p) for p in sorted(black)]}
    board.setup(black=stones[BLACK], white=stones[WHITE])
    return Problem(board, tuple(sorted(stones[WHITE])), tuple(sorted(points)), BLACK)
