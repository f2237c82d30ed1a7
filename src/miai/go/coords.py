"""Points and their names: the only place that reads "C3" or "cc".

A board is stored in one padded line of ints, row by row from the top, with a border of OFF points:
for width w a row takes w + 1 places, so that the border right of one row is the border left of the
next. A point is an index into that line. Everything past this module deals in points.

    index = (row + 1) * (width + 1) + column + 1        row 0 is the top row, as in SGF
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

NO_POINT = -1
PASS = 0  # index 0 is a border point on every board, so no stone can stand there

EMPTY, BLACK, WHITE, OFF = 0, 1, 2, 3

MAX_SIDE = 25
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # GTP leaves out I
SGF_LETTERS = "abcdefghijklmnopqrstuvwxy"

COLOUR_LETTERS = {BLACK: "B", WHITE: "W"}


class CoordinateError(ValueError):
    """A name that is not a point of this board."""


def opponent(colour: int) -> int:
    """The other player's colour."""
    return BLACK + WHITE - colour


def colour_of(letter: str) -> int:
    """BLACK or WHITE from "B", "w", "black" …"""
    match letter.strip().lower():
        case "b" | "black":
            return BLACK
        case "w" | "white":
            return WHITE
    raise CoordinateError(f"{letter!r} is not a colour: write B or W")


class Grid:
    """The geometry of a board of `width` × `height` points. Get one from `grid()`, which caches."""

    def __init__(self, width: int, height: int) -> None:
        if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
            raise CoordinateError(f"a board of {width}×{height}: sides go from 1 to {MAX_SIDE}")
        self.width = width
        self.height = height
        self.stride = width + 1
        self.length = (height + 2) * self.stride + 1  # of the padded line
        self.area = width * height

    @cached_property
    def points(self) -> npt.NDArray[np.int32]:
        """Every point of the board, row by row from the top."""
        rows = np.arange(1, self.height + 1, dtype=np.int32)[:, None] * self.stride
        return (rows + np.arange(1, self.width + 1, dtype=np.int32)[None, :]).ravel()

    def point(self, row: int, column: int) -> int:
        """The point at a row from the top and a column from the left, both from 0."""
        if not (0 <= row < self.height and 0 <= column < self.width):
            raise CoordinateError(f"row {row}, column {column} is off this {self} board")
        return (row + 1) * self.stride + column + 1

    def row_column(self, point: int) -> tuple[int, int]:
        """The inverse of `point()`."""
        row, column = divmod(point, self.stride)
        return row - 1, column - 1

    def on_board(self, point: int) -> bool:
        row, column = self.row_column(point)
        return 0 <= row < self.height and 0 <= column < self.width

    def neighbours(self, point: int) -> tuple[int, ...]:
        """The two to four points next to `point`."""
        return self._neighbours[point]

    @cached_property
    def _neighbours(self) -> list[tuple[int, ...]]:
        """By place of the padded line: the points of the board next to it."""
        on_board = set(self.points.tolist())
        sides = (-self.stride, -1, 1, self.stride)
        return [tuple(p + step for step in sides if p + step in on_board) for p in range(self.length)]

    # names -------------------------------------------------------------------------------------

    def name(self, point: int) -> str:
        """The GTP name: "Q16", or "pass"."""
        if point == PASS:
            return "pass"
        row, column = self.row_column(point)
        return f"{COLUMNS[column]}{self.height - row}"

    def names(self, points: npt.NDArray[np.integer] | list[int]) -> list[str]:
        return [self.name(int(point)) for point in points]

    def parse(self, name: str) -> int:
        """A point from its GTP name, in either case; "pass" gives PASS."""
        text = name.strip().upper()
        if text == "PASS":
            return PASS
        column = COLUMNS.find(text[:1]) if text else -1
        if column < 0 or not text[1:].isdecimal():
            raise CoordinateError(f"{name!r} is not a point: write a column letter and a row, like C3")
        row = self.height - int(text[1:])
        if column >= self.width or not 0 <= row < self.height:
            raise CoordinateError(f"{name} is off this {self} board")
        return self.point(row, column)

    def sgf(self, point: int) -> str:
        """The SGF letters: "pd"; a pass is the empty string."""
        if point == PASS:
            return ""
        row, column = self.row_column(point)
        return SGF_LETTERS[column] + SGF_LETTERS[row]

    def parse_sgf(self, letters: str) -> int:
        """A point from SGF letters; "" is a pass, and so is "tt" on boards up to 19×19."""
        if letters == "" or (letters == "tt" and self.width <= 19 and self.height <= 19):
            return PASS
        column = SGF_LETTERS.find(letters[:1])
        row = SGF_LETTERS.find(letters[1:2])
        if len(letters) != 2 or not (0 <= column < self.width and 0 <= row < self.height):
            raise CoordinateError(f"{letters!r} is not a point of this {self} board")
        return self.point(row, column)

    def __repr__(self) -> str:
        return f"Grid({self.width}, {self.height})"

    def __str__(self) -> str:
        return f"{self.width}×{self.height}"


class Size(NamedTuple):
    """Columns and rows of a board."""

    width: int
    height: int


@cache
def grid(width: int = 19, height: int | None = None) -> Grid:
    """The geometry of a board; square when only one side is given."""
    return Grid(width, width if height is None else height)
