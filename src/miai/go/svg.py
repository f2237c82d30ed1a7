"""Positions as pictures: one self-contained SVG, the same for the same position.

`svg` draws in layers from the wood up: lines and hoshi, region, heat, stones, marks, labels. What
goes on top of the stones is a `diagram.Markup`, as for text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from miai.go.board import Board
from miai.go.coords import BLACK, COLUMNS, EMPTY, WHITE
from miai.go.diagram import PLAIN, Markup, View, hoshi, view_of

CELL = 32  # pixels from line to line; every other length follows from it
STONE = 0.475 * CELL  # radius
WOOD, LINE = "#e4bb78", "#5b421d"
REGION, REGION_EDGE = "#eccfa1", "#2f6fb5"  # REGION is the wood under 30 % white

# The same ids in every picture mean the same gradients, so pictures can share a page.
DEFS = (
    '<defs><radialGradient id="miai-black" cx=".35" cy=".3" r=".75">'
    '<stop offset="0" stop-color="#6b6b6b"/><stop offset=".55" stop-color="#222"/>'
    '<stop offset="1" stop-color="#060606"/></radialGradient>'
    '<radialGradient id="miai-white" cx=".38" cy=".33" r=".8">'
    '<stop offset="0" stop-color="#fff"/><stop offset=".65" stop-color="#f3f1ec"/>'
    '<stop offset="1" stop-color="#c9c5bb"/></radialGradient></defs>'
)
FILL = {BLACK: "url(#miai-black)", WHITE: "url(#miai-white)"}
INK = {BLACK: "#fff", WHITE: "#111", EMPTY: "#111"}  # what can be read on each


def svg(
    board: Board,
    markup: Markup = PLAIN,
    *,
    crop: Iterable[int] | None = None,
    title: str | None = None,
    coordinates: bool = True,
) -> str:
    """The position as an SVG document. `crop` shows only the part around some points."""
    view = view_of(board.grid, crop)
    border = CELL * (1.25 if coordinates else 0.75)
    top = border + (0.75 * CELL if title else 0)
    drawing = _Drawing(board, markup, view, border, top)
    width = 2 * border + (len(view.columns) - 1) * CELL
    height = top + border + (len(view.rows) - 1) * CELL
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(height)}" '
        f'viewBox="0 0 {_n(width)} {_n(height)}" font-family="Helvetica, Arial, sans-serif" '
        'text-anchor="middle">',
        f"<title>{escape(title)}</title>" if title else "",
        DEFS,
        f'<rect width="{_n(width)}" height="{_n(height)}" rx="{_n(CELL / 6)}" fill="{WOOD}"/>',
        _text(width / 2, 0.6 * CELL, title, 0.5 * CELL, INK[EMPTY], "bold") if title else "",
        *drawing.lines(),
        *(drawing.coordinates() if coordinates else ()),
        *drawing.region(),
        *drawing.heat(),
        *drawing.stones(),
        *drawing.marks(),
        *drawing.labels(),
        "</svg>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


class _Drawing:
    """The layers of one picture."""

    def __init__(self, board: Board, markup: Markup, view: View, left: float, top: float) -> None:
        self.board, self.markup, self.view = board, markup, view
        self.left, self.top = left, top
        grid = board.grid
        self.points = [grid.point(row, column) for row in view.rows for column in view.columns]

    def x(self, column: float) -> float:
        return self.left + (column - self.view.left) * CELL

    def y(self, row: float) -> float:
        return self.top + (row - self.view.top) * CELL

    def place(self, point: int) -> tuple[float, float]:
        row, column = self.board.grid.row_column(point)
        return self.x(column), self.y(row)

    def lines(self) -> Iterator[str]:
        grid, view = self.board.grid, self.view
        # where the board goes on, the lines run on for half a cell
        first, last = view.left - 0.5 * (view.left > 0), view.right + 0.5 * (view.right < grid.width - 1)
        path = [
            f"M{_n(self.x(first))} {_n(self.y(row))}H{_n(self.x(last))}" for row in view.rows if first < last
        ]
        first, last = view.top - 0.5 * (view.top > 0), view.bottom + 0.5 * (view.bottom < grid.height - 1)
        path += [
            f"M{_n(self.x(column))} {_n(self.y(first))}V{_n(self.y(last))}"
            for column in view.columns
            if first < last
        ]
        yield f'<path d="{"".join(path)}" stroke="{LINE}" stroke-width="1.2" stroke-linecap="square"/>'
        stars = hoshi(grid)
        for point in self.points:
            if point in stars and self.board[point] == EMPTY:
                yield self.circle(point, 0.11 * CELL, f'fill="{LINE}"')

    def coordinates(self) -> Iterator[str]:
        size, gap = 0.38 * CELL, 0.82 * CELL
        for column in self.view.columns:
            for y in (self.y(self.view.top) - gap, self.y(self.view.bottom) + gap):
                yield _text(self.x(column), y, COLUMNS[column], size, LINE)
        for row in self.view.rows:
            for x in (self.x(self.view.left) - gap, self.x(self.view.right) + gap):
                yield _text(x, self.y(row), str(self.board.grid.height - row), size, LINE)

    def region(self) -> Iterator[str]:
        """A lighter floor and a dashed line around it."""
        region = set(self.markup.region).intersection(self.points)
        stride, half = self.board.grid.stride, CELL / 2
        outline = []
        for point in sorted(region):
            yield self.square(point, CELL, 'fill="#fff" fill-opacity=".3"')
            x, y = self.place(point)
            edges = {
                -stride: (-half, -half, f"h{CELL}"),
                stride: (-half, half, f"h{CELL}"),
                -1: (-half, -half, f"v{CELL}"),
                1: (half, -half, f"v{CELL}"),
            }
            for step, (dx, dy, line) in edges.items():
                if point + step not in region:
                    outline.append(f"M{_n(x + dx)} {_n(y + dy)}{line}")
        if outline:
            pen = f'stroke="{REGION_EDGE}" stroke-width="1.6" stroke-dasharray="4"'
            yield f'<path d="{"".join(outline)}" {pen}/>'

    def heat(self) -> Iterator[str]:
        for point in self.points:
            if point in self.markup.heat and self.board[point] == EMPTY:
                yield self.square(
                    point, 0.9 * CELL, f'fill="{_heat(self.markup.heat[point])}" fill-opacity=".8"'
                )

    def stones(self) -> Iterator[str]:
        for point in self.points:
            colour = self.board[point]
            if colour == EMPTY:
                continue
            x, y = self.place(point)
            yield f'<circle cx="{_n(x + 1)}" cy="{_n(y + 1.6)}" r="{_n(STONE)}" fill-opacity=".28"/>'
            yield self.circle(point, STONE, f'fill="{FILL[colour]}"')
            if point in self.markup.heat:  # the stone stays visible around it
                yield self.square(point, 0.4 * CELL, f'fill="{_heat(self.markup.heat[point])}"')

    def marks(self) -> Iterator[str]:
        for point in self.points:
            ink = INK[self.board[point]]
            pen = f'fill="none" stroke="{ink}" stroke-width="2"'
            x, y = self.place(point)
            match self.markup.marks.get(point):
                case "triangle":
                    r = 0.3 * CELL
                    path = f"M{_n(x)} {_n(y - r)}l{_n(0.87 * r)} {_n(1.5 * r)}h{_n(-1.74 * r)}z"
                    yield f'<path d="{path}" {pen} stroke-linejoin="round"/>'
                case "square":
                    yield self.square(point, 0.42 * CELL, pen)
                case "circle":
                    yield self.circle(point, 0.24 * CELL, pen)
                case "cross":
                    r = 0.2 * CELL
                    down = f"M{_n(x - r)} {_n(y - r)}L{_n(x + r)} {_n(y + r)}"
                    path = f"{down}M{_n(x - r)} {_n(y + r)}L{_n(x + r)} {_n(y - r)}"
                    yield f'<path d="{path}" {pen} stroke-linecap="round"/>'
                case None if point == self.markup.last_move and point not in self.markup.labels:
                    yield self.circle(point, 0.13 * CELL, f'fill="{ink}"')

    def labels(self) -> Iterator[str]:
        for point in self.points:
            label = self.markup.labels.get(point)
            if not label:
                continue
            colour = self.board[point]
            if colour == EMPTY and point not in self.markup.heat:  # keep the lines out of the letters
                floor = REGION if point in self.markup.region else WOOD
                yield self.circle(point, 0.36 * CELL, f'fill="{floor}"')
            last = point == self.markup.last_move
            ink = {BLACK: "#ff8a75", WHITE: "#c41e0a"}.get(colour, INK[colour]) if last else INK[colour]
            size = CELL * (0.56, 0.48, 0.38)[min(len(label), 3) - 1]
            yield _text(*self.place(point), label, size, ink, "bold")

    def circle(self, point: int, radius: float, style: str) -> str:
        x, y = self.place(point)
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" {style}/>'

    def square(self, point: int, side: float, style: str) -> str:
        x, y = self.place(point)
        corner = f'x="{_n(x - side / 2)}" y="{_n(y - side / 2)}"'
        return f'<rect {corner} width="{_n(side)}" height="{_n(side)}" {style}/>'


def _text(x: float, y: float, text: str, size: float, ink: str, weight: str = "normal") -> str:
    """Text centred on a place. The shift down is by hand: not every viewer knows `dominant-baseline`."""
    return (
        f'<text x="{_n(x)}" y="{_n(y + 0.36 * size)}" font-size="{_n(size)}" font-weight="{weight}" '
        f'fill="{ink}">{escape(text)}</text>'
    )


def _heat(value: float) -> str:
    """Red over yellow to green; values outside 0 … 1 get the end colours."""
    value = min(max(value, 0.0), 1.0)
    return f"hsl({round(120 * value)},70%,{round(52 - 8 * value)}%)"


def _n(number: float) -> str:
    """Short numbers: two decimals at most."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
