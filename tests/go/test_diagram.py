"""Diagrams: what is printed is read back, marks land where they should, pictures are sound XML."""

from __future__ import annotations

import random
from textwrap import dedent
from xml.etree import ElementTree

import pytest

from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, NO_POINT, WHITE, grid
from miai.go.diagram import (
    DiagramError,
    Markup,
    hoshi,
    parse_diagram,
    parse_marked,
    summary,
    text,
    to_json,
    view_of,
)
from miai.go.svg import svg

SIZES = [(1, 1), (1, 2), (2, 1), (3, 3), (9, 9), (6, 8), (13, 13), (19, 19), (19, 13), (7, 25), (25, 25)]


def random_board(width: int, height: int, seed: int = 0) -> tuple[Board, int]:
    """A board after random moves, and the last of them."""
    dice = random.Random(seed)
    board, last = Board(width, height), NO_POINT
    for _ in range(dice.randrange(width * height)):
        if moves := board.legal_moves():
            last = dice.choice(moves)
            board.play(last)
    return board, last


def drawn(diagram: str) -> str:
    return dedent(diagram).strip("\n")


# text -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("coordinates", [True, False])
def test_what_we_print_we_read(width: int, height: int, unicode: bool, coordinates: bool) -> None:
    for seed in range(5):
        board, last = random_board(width, height, seed)
        for markup in (Markup(), Markup(last_move=last)):
            assert parse_diagram(text(board, markup, unicode=unicode, coordinates=coordinates)) == board


def test_a_board_in_text() -> None:
    board = parse_diagram("XO.\n.X.")
    last = board.grid.parse("B2")
    assert text(board, Markup(last_move=last), unicode=False) == "   A B C\n 2 X(O). 2\n 1 . X . 1\n   A B C"
    assert text(board, coordinates=False) == "● ○ ·\n· ● ·"


def test_marks_in_text() -> None:
    diagram = drawn(
        """
        . a : :
        x X o *
        . . 1 ."""
    )
    board, marks = parse_marked(diagram)
    named = {sign: board.grid.names(points) for sign, points in marks.items()}
    assert named == {"a": ["B3"], ":": ["C3", "D3"], "x": ["A2"], "o": ["C2"], "*": ["D2"], "1": ["C1"]}
    markup = Markup(
        labels={marks[label][0]: label for label in "a1"},
        marks=dict.fromkeys(marks["x"] + marks["o"] + marks["*"], "triangle"),
        region=marks[":"],
    )
    assert text(board, markup, unicode=False, coordinates=False) == diagram
    assert parse_marked(text(board, markup)) == (board, marks)


def test_long_labels_widen_the_board() -> None:
    board = Board(3, 1)
    shown = text(board, Markup(labels={board.grid.parse("B1"): "10"}), unicode=False, coordinates=False)
    assert shown.split() == [".", "10", "."]
    assert len(shown) == 7


def test_cropped_text_has_the_names_of_the_whole_board() -> None:
    board = Board(19)
    board.play(board.grid.parse("R3"))
    lines = text(board, unicode=False, crop=board.stones(BLACK)).splitlines()
    assert lines[0].split() == ["Q", "R", "S", "T"]
    assert [line.split()[0] for line in lines[1:-1]] == ["4", "3", "2", "1"]
    assert lines[2] == " 3 . X . . 3"


def test_view_of_no_points_is_the_whole_board() -> None:
    assert view_of(grid(9), None) == view_of(grid(9), []) == (0, 0, 8, 8)


@pytest.mark.parametrize(
    ("width", "height", "names"),
    [
        (1, 1, "A1"),
        (4, 4, ""),
        (5, 5, "C3"),
        (9, 9, "C7 G7 E5 C3 G3"),
        (13, 13, "D10 K10 G7 D4 K4"),
        (19, 19, "D16 K16 Q16 D10 K10 Q10 D4 K4 Q4"),
        (13, 9, "D7 K7 G5 D3 K3"),
        (8, 8, "C6 F6 C3 F3"),
    ],
)
def test_hoshi(width: int, height: int, names: str) -> None:
    board = grid(width, height)
    assert board.names(sorted(hoshi(board))) == names.split()


BROKEN = [
    ("", "no rows"),
    (" \n ", "no rows"),
    ("XO.\nX.", "row 2 has 2 points, the first has 3"),
    ("X?.", "'?'"),
    ("." * 26, "26×1"),
    ("x.", "'x'"),
]


@pytest.mark.parametrize(("diagram", "reason"), BROKEN)
def test_broken_diagrams(diagram: str, reason: str) -> None:
    with pytest.raises(DiagramError) as caught:
        parse_diagram(diagram)
    assert reason in str(caught.value)


def test_a_row_of_labels_is_not_a_row_of_coordinates() -> None:
    board, marks = parse_marked("ABC\n1..")
    assert board.size == (3, 2)
    assert board.grid.names([marks[sign][0] for sign in "ABC1"]) == ["A2", "B2", "C2", "A1"]


# words and JSON ---------------------------------------------------------------------------------


def test_summary_and_json() -> None:
    board = parse_diagram(
        """
        . X O .
        X . X O
        . X O .
        . . . ."""
    )
    board.to_move = WHITE
    board.play(board.grid.parse("B3"))
    assert summary(board, move=7, last=(WHITE, board.grid.parse("B3"))) == drawn(
        """
        Move 7: White B3. Black to move. Captures: Black 0, White 1. Ko: C3.
        Black in atari: B4 at A4
        White in atari: B3 at C3"""
    )
    assert to_json(board, move=7) == {
        "size": [4, 4],
        "black": ["B4", "A3", "B2"],
        "white": ["C4", "B3", "D3", "C2"],
        "to_move": "B",
        "captures": {"B": 0, "W": 1},
        "ko": "C3",
        "move": 7,
        "hash": f"{board.hash:016x}",
    }


# SVG --------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def shapes(picture: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter(SVG + tag))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_stone_is_drawn(width: int, height: int) -> None:
    board, _ = random_board(width, height)
    fills = [circle.get("fill") for circle in shapes(svg(board), "circle")]
    assert fills.count("url(#miai-black)") == len(board.stones(BLACK))
    assert fills.count("url(#miai-white)") == len(board.stones(WHITE))


def test_labels_are_readable_on_what_is_under_them() -> None:
    board = parse_diagram("X.O.")
    a, c, b, _ = board.grid.points.tolist()
    picture = svg(board, Markup(labels={a: "1", b: "2", c: "<&>"}), coordinates=False)
    inks = {label.text: label.get("fill") for label in shapes(picture, "text")}
    assert inks == {"1": "#fff", "2": "#111", "<&>": "#111"}


def test_heat_goes_from_red_to_green() -> None:
    board = Board(4, 1)
    heat = dict(zip(board.grid.points.tolist(), (0.0, 0.5, 1.0, 7.0), strict=True))
    colours = [rect.get("fill") for rect in shapes(svg(board, Markup(heat=heat)), "rect")[1:]]
    assert [colour.partition(",")[0] for colour in colours if colour] == [
        "hsl(0",
        "hsl(60",
        "hsl(120",
        "hsl(120",
    ]


def test_everything_at_once_is_sound_and_repeatable() -> None:
    board, last = random_board(19, 19, seed=3)
    points = board.grid.points.tolist()
    shapes_in_turn = ("triangle", "square", "circle", "cross")
    markup = Markup(
        labels={point: str(i) for i, point in enumerate(points[::7])},
        marks={point: shapes_in_turn[i % 4] for i, point in enumerate(points[1::7])},
        heat={point: i / 100 for i, point in enumerate(points[2::5])},
        region=points[:40],
        last_move=last,
    )
    for crop in (None, [last], board.stones(EMPTY)[:3]):
        picture = svg(board, markup, crop=crop, title="<all> & more")
        assert ElementTree.fromstring(picture).find(SVG + "title") is not None
        assert picture == svg(board, markup, crop=crop, title="<all> & more")
