"""Positions as text, both ways, and the marks that go on top; `svg` draws the same as a picture.

    board = parse_diagram('''
        . X O .
        X . X O
        . X O .''')
    print(text(board, Markup(last_move=board.grid.parse("B3"))))

Signs, in what we read and in what we print:

    X ●   a black stone          x ▲   a black stone that is marked
    O ○   a white stone          o △   a white stone that is marked
    . ·   empty                  + ,   empty, a hoshi
    :     empty, in the region   (X)   the last move
    *     empty, marked          any other letter or digit: an empty point with that label

Spaces between points may be left out. Coordinates, when there are any, are a first line `A B C …`
and the row number before each row; the same after the board are read over.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any, Literal, NamedTuple

from miai.go.board import Board, Chain
from miai.go.coords import (
    BLACK,
    COLOUR_LETTERS,
    COLUMNS,
    EMPTY,
    NO_POINT,
    WHITE,
    CoordinateError,
    Grid,
)
from miai.go.rules import CHINESE, Rules

Shape = Literal["triangle", "square", "circle", "cross"]


class DiagramError(ValueError):
    """Text that is not a diagram."""


@dataclass(frozen=True)
class Markup:
    """What is drawn on top of a position. Text has one sign a point, so heat shows in SVG only."""

    labels: Mapping[int, str] = field(default_factory=dict)  # in text only on empty points
    marks: Mapping[int, Shape] = field(default_factory=dict)  # in text all shapes look the same
    heat: Mapping[int, float] = field(default_factory=dict)  # 0 red … 1 green
    region: Collection[int] = ()
    last_move: int = NO_POINT


PLAIN = Markup()


# geometry that text and SVG share ---------------------------------------------------------------


class View(NamedTuple):
    """The part of a board that is shown: rows from the top and columns from the left, ends included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def rows(self) -> range:
        return range(self.top, self.bottom + 1)

    @property
    def columns(self) -> range:
        return range(self.left, self.right + 1)


NEAR_EDGE = 3  # an edge with no more lines than this between it and a view belongs to the view


def view_of(grid: Grid, points: Iterable[int] | None, margin: int = 1) -> View:
    """The box around `points` with a margin, out to edges that are near; the whole board for None."""
    places = [grid.row_column(int(point)) for point in points or ()]
    if not places:
        return View(0, 0, grid.height - 1, grid.width - 1)

    def span(lines: list[int], side: int) -> tuple[int, int]:
        low, high = min(lines) - margin, max(lines) + margin
        return (0 if low <= NEAR_EDGE else low, side - 1 if high >= side - 1 - NEAR_EDGE else high)

    top, bottom = span([row for row, _ in places], grid.height)
    left, right = span([column for _, column in places], grid.width)
    return View(top, left, bottom, right)


def hoshi(grid: Grid) -> set[int]:
    """The star points: corners from 7 lines on, the centre of odd boards, side middles from 15 lines on."""

    def lines(side: int) -> list[int]:
        if side < 7:
            return [side // 2] if side % 2 else []
        edge = 3 if side >= 13 else 2
        return [edge, side - 1 - edge, *([side // 2] if side % 2 else [])]

    rows, columns = lines(grid.height), lines(grid.width)
    middles_too = min(grid.width, grid.height) >= 15
    return {
        grid.point(row, column)
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
        if middles_too or (i == 2) == (j == 2) or len(rows) == 1 or len(columns) == 1
    }


# printing ---------------------------------------------------------------------------------------

_ASCII = {BLACK: "X", WHITE: "O", EMPTY: "."}
_ASCII_MARKED = {BLACK: "x", WHITE: "o", EMPTY: "*"}
_UNICODE = {BLACK: "●", WHITE: "○", EMPTY: "·"}
_UNICODE_MARKED = {BLACK: "▲", WHITE: "△", EMPTY: "*"}


def text(
    board: Board,
    markup: Markup = PLAIN,
    *,
    unicode: bool = True,
    coordinates: bool = True,
    crop: Iterable[int] | None = None,
) -> str:
    """The position as lines of text. `parse_diagram` reads it back, if nothing but the last move is marked.

    `crop` shows only the part around some points.
    """
    grid = board.grid
    view = view_of(grid, crop)
    plain, marked = (_UNICODE, _UNICODE_MARKED) if unicode else (_ASCII, _ASCII_MARKED)
    stars, region = hoshi(grid), set(markup.region)

    def sign(point: int) -> str:
        colour = board[point]
        if colour == EMPTY and point in markup.labels:
            return markup.labels[point]
        if point in markup.marks:
            return marked[colour]
        if colour == EMPTY and point in region:
            return ":"
        return "+" if colour == EMPTY and point in stars else plain[colour]

    rows = {row: [grid.point(row, column) for column in view.columns] for row in view.rows}
    width = max(len(sign(point)) for points in rows.values() for point in points)
    lines = []
    for row, points in rows.items():
        gaps = [" "] * (len(points) + 1)
        if markup.last_move in points:
            at = points.index(markup.last_move)
            gaps[at : at + 2] = "(", ")"
        line = "".join(gap + sign(point).rjust(width) for gap, point in zip(gaps, points, strict=False))
        number = grid.height - row
        lines.append(f"{number:2}{line}{gaps[-1]}{number}" if coordinates else line + gaps[-1].rstrip())
    if not coordinates:
        return dedent("\n".join(lines))
    header = "  " + "".join(" " + COLUMNS[column].rjust(width) for column in view.columns)
    return "\n".join([header, *lines, header])


NAMES = {BLACK: "Black", WHITE: "White"}


def summary(board: Board, *, move: int, last: tuple[int, int] | None = None) -> str:
    """What a diagram cannot show: a line with move, side to move, captures and ko; then chains in atari.

    `last` is the colour and the point of the last move.
    """
    grid = board.grid
    played = f": {NAMES[last[0]]} {grid.name(last[1])}" if last else ""
    taken = ", ".join(f"{NAMES[colour]} {count}" for colour, count in board.captures.items())
    ko = "none" if board.ko_point == NO_POINT else grid.name(board.ko_point)
    lines = [f"Move {move}{played}. {NAMES[board.to_move]} to move. Captures: {taken}. Ko: {ko}."]
    in_atari = [chain for chain in board.chains() if len(chain.liberties) == 1]
    for colour, name in NAMES.items():
        chains = [
            f"{grid.name(chain.stones[0])}{_count(chain)} at {grid.name(chain.liberties[0])}"
            for chain in in_atari
            if chain.colour == colour
        ]
        if chains:
            lines.append(f"{name} in atari: {', '.join(chains)}")
    return "\n".join(lines)


def _count(chain: Chain) -> str:
    return f" ({len(chain.stones)} stones)" if len(chain.stones) > 1 else ""


def to_json(board: Board, *, move: int) -> dict[str, Any]:
    """The position as plain data, with GTP names; `move` is how many moves led to it."""
    grid = board.grid
    return {
        "size": list(board.size),
        "black": grid.names(board.stones(BLACK)),
        "white": grid.names(board.stones(WHITE)),
        "to_move": COLOUR_LETTERS[board.to_move],
        "captures": {COLOUR_LETTERS[colour]: count for colour, count in board.captures.items()},
        "ko": None if board.ko_point == NO_POINT else grid.name(board.ko_point),
        "move": move,
        "hash": f"{board.hash:016x}",
    }


# reading ----------------------------------------------------------------------------------------

_COLOURS = {"X": BLACK, "●": BLACK, "x": BLACK, "▲": BLACK, "O": WHITE, "○": WHITE, "o": WHITE, "△": WHITE}
_MARKED_STONES = {"x": "x", "▲": "x", "o": "o", "△": "o"}
_EMPTY = ".·+,"
_NUMBERED_ROW = re.compile(r"(\d+)[\s(](.+)")


def parse_diagram(text: str, *, to_move: int = BLACK, rules: Rules = CHINESE) -> Board:
    """A board from a diagram. Labels and marks are an error here: `parse_marked` reads those."""
    board, marks = parse_marked(text, to_move=to_move, rules=rules)
    if marks:
        raise DiagramError(f"{next(iter(marks))!r} is neither a stone nor an empty point: write X, O or .")
    return board


def parse_marked(
    text: str, *, to_move: int = BLACK, rules: Rules = CHINESE
) -> tuple[Board, dict[str, list[int]]]:
    """A board from a diagram, and the points under each mark in board order.

    Marked stones are under "x" and "o", other signs (see the top of this file) under themselves.
    """
    rows = _rows(text)
    try:
        board = Board(len(rows[0]), len(rows), rules=rules)
    except CoordinateError as error:
        raise DiagramError(str(error)) from None
    board.to_move = to_move
    stones: dict[int, list[int]] = {BLACK: [], WHITE: []}
    marks: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        if len(row) != board.grid.width:
            raise DiagramError(f"row {number + 1} has {len(row)} points, the first has {board.grid.width}")
        for column, sign in enumerate(row):
            point = board.grid.point(number, column)
            if sign in _COLOURS:
                stones[_COLOURS[sign]].append(point)
            if sign in _MARKED_STONES or (sign not in _COLOURS and sign not in _EMPTY):
                marks.setdefault(_MARKED_STONES.get(sign, sign), []).append(point)
    board.setup(black=stones[BLACK], white=stones[WHITE])
    return board, marks


def _rows(text: str) -> list[str]:
    """The rows of a diagram, a character a point, without spaces and coordinates."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise DiagramError("there is no diagram: it has no rows")
    header = re.sub(r"\s", "", lines[0])
    body = [line for line in lines[1:] if re.sub(r"\s", "", line) != header]
    numbered = [_NUMBERED_ROW.fullmatch(line) for line in body]
    if not (body and COLUMNS.startswith(header) and all(numbered)):
        return [re.sub(r"[\s()]", "", line) for line in lines]
    rows = []
    for match in filter(None, numbered):
        row = re.sub(r"[\s()]", "", match[2])
        rows.append(row[: len(header)] if row[len(header) :] == match[1] else row)
    return rows
