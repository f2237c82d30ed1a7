"""Draws every picture of the docs: `python docs/draw.py`. A test checks that they are up to date."""

from __future__ import annotations

from pathlib import Path

from miai.endgame.drawing import picture as values_drawn
from miai.endgame.names import parse
from miai.endgame.plot import svg as plot
from miai.endgame.thermograph import thermograph
from miai.endgame.whole import analyse
from miai.files import read_record, sources
from miai.go.board import Board
from miai.go.coords import BLACK, PASS
from miai.go.diagram import Markup, parse_marked
from miai.go.svg import svg
from miai.life.solve import solve
from miai.life.words import picture

PROJECT = Path(__file__).resolve().parent.parent
PICTURES = PROJECT / "docs" / "pictures"


def numbered(game_number: int, title: str) -> str:
    """A game of the example, with the number of its move on each stone."""
    game = read_record(sources(str(PROJECT / "examples" / "ladder.sgf")), game_number).play()
    labels = {move.point: str(move.number) for move in game.moves if move.point != PASS}
    return svg(game.board_at(), Markup(labels=labels), title=title)


def corner() -> str:
    """A problem, cropped to its corner: the region, the stones it is about, and two moves to choose from."""
    small, marks = parse_marked(
        """
        . . . . . . . . . .
        . X . . . . . . . .
        . . . X . X . . . .
        X X X X X . . . . .
        o o o o X . X . . .
        : a : o X . . . . .
        : b : o X . . . . ."""
    )
    board = Board(19)

    def across(points: list[int]) -> list[int]:
        """The same points in the lower left corner of the large board."""
        places = [small.grid.row_column(point) for point in points]
        return [board.grid.point(row + board.grid.height - small.grid.height, c) for row, c in places]

    board.setup(black=across(small.stones(BLACK)), white=across(marks["o"]))
    region = across(marks["a"] + marks["b"] + marks[":"])
    labels = {across(marks[letter])[0]: letter for letter in "ab"}
    markup = Markup(labels=labels, marks=dict.fromkeys(across(marks["o"]), "triangle"), region=region)
    return svg(board, markup, crop=board.stones(BLACK), title="White to play: a or b?")


def heat() -> str:
    """Colours: here, how near each empty point is to the centre."""
    board, _ = parse_marked(
        """
        . . . . . . .
        . . X . O . .
        . X . . . O .
        . . . . . . .
        . X . . . O .
        . . X . O . .
        . . . . . . ."""
    )
    centre = board.size.width // 2
    distance = {
        point: sum(abs(line - centre) for line in board.grid.row_column(point))
        for point in board.grid.points.tolist()
    }
    values = {point: 1 - steps / (2 * centre) for point, steps in distance.items()}
    return svg(board, Markup(heat=values))


def solved() -> str:
    """A problem with its answer."""
    return picture(solve(PROJECT / "examples" / "corner.sgf"))


def endgame() -> str:
    """The values of two corridors."""
    record = read_record(sources(str(PROJECT / "examples" / "endgame.sgf")), 1).play()
    board = record.board_at()
    corridors = (("C5", "D5", "E5"), ("F3", "G3", "H3"))
    return values_drawn(analyse(board, regions=[[board.grid.parse(n) for n in names] for names in corridors]))


def pictures() -> dict[str, str]:
    """Every picture, by file name."""
    return {
        "ladder.svg": numbered(1, "A ladder"),
        "breaker.svg": numbered(2, "A ladder breaker"),
        "corner.svg": corner(),
        "heat.svg": heat(),
        "solved.svg": solved(),
        "endgame.svg": endgame(),
        "thermograph.svg": plot(thermograph(parse("{1|{0|0}}")), title="{1|{0|0}}"),
    }


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (PICTURES / name).write_text(picture, encoding="utf-8")
