"""Names to points and back, on every size of board."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from miai.go.coords import (
    BLACK,
    MAX_SIDE,
    PASS,
    WHITE,
    CoordinateError,
    Grid,
    colour_of,
    grid,
    opponent,
)

sides = st.integers(1, MAX_SIDE)


@given(sides, sides)
def test_every_point_has_names_that_lead_back(width: int, height: int) -> None:
    g = grid(width, height)
    assert len(set(g.points.tolist())) == width * height == g.area
    for point in map(int, g.points):
        assert g.on_board(point)
        assert g.parse(g.name(point)) == g.parse(g.name(point).lower()) == point
        assert g.parse_sgf(g.sgf(point)) == (
            PASS if g.sgf(point) == "tt" and max(width, height) <= 19 else point
        )
        assert g.point(*g.row_column(point)) == point
        assert all(g.on_board(n) and point in g.neighbours(n) for n in g.neighbours(point))


@given(sides, sides)
def test_the_border_keeps_neighbours_apart(width: int, height: int) -> None:
    """Whatever is one step (or one diagonal step) off the board is in the padded line and off the board."""
    g = Grid(width, height)
    on_board = set(g.points.tolist())
    for point in on_board:
        for row_step in (-g.stride, 0, g.stride):
            for step in (-1, 0, 1):
                other = point + row_step + step
                assert 0 <= other < g.length
                row, column = g.row_column(point)
                wanted = 0 <= row + row_step // g.stride < height and 0 <= column + step < width
                assert (other in on_board) == wanted


@pytest.mark.parametrize(
    ("size", "gtp", "sgf"),
    [
        ((19, 19), "A19", "aa"),
        ((19, 19), "T1", "ss"),
        ((19, 19), "J10", "ij"),  # no I column
        ((19, 19), "Q16", "pd"),
        ((9, 9), "E5", "ee"),
        ((25, 25), "Z25", "ya"),
        ((19, 13), "T13", "sa"),
        ((13, 19), "N1", "ms"),
        ((1, 1), "A1", "aa"),
    ],
)
def test_known_names(size: tuple[int, int], gtp: str, sgf: str) -> None:
    g = grid(*size)
    assert g.parse(gtp) == g.parse_sgf(sgf)
    assert (g.name(g.parse(gtp)), g.sgf(g.parse(gtp))) == (gtp, sgf)


def test_passes() -> None:
    assert grid(19).parse("pass") == grid(19).parse("PASS") == PASS
    assert grid(19).parse_sgf("") == grid(19).parse_sgf("tt") == PASS
    assert grid(21).name(grid(21).parse_sgf("tt")) == "U2"  # a point on larger boards
    assert (grid(19).name(PASS), grid(19).sgf(PASS)) == ("pass", "")


@pytest.mark.parametrize("name", ["", " ", "I5", "A0", "A20", "U1", "5", "AA", "A-1", "A1.5", "A 1"])
def test_names_that_are_no_points(name: str) -> None:
    with pytest.raises(CoordinateError):
        grid(19).parse(name)


@pytest.mark.parametrize("letters", ["a", "aaa", "AA", "zz", "at", "ta", "1a"])
def test_letters_that_are_no_points(letters: str) -> None:
    with pytest.raises(CoordinateError):
        grid(19).parse_sgf(letters)


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (26, 26), (-1, 3)])
def test_boards_that_cannot_be(size: tuple[int, int]) -> None:
    with pytest.raises(CoordinateError, match="sides go from 1 to 25"):
        grid(*size)


def test_colours() -> None:
    assert [colour_of(c) for c in ("B", "w", "black", " White ")] == [BLACK, WHITE, BLACK, WHITE]
    assert (opponent(BLACK), opponent(WHITE)) == (WHITE, BLACK)
    with pytest.raises(CoordinateError):
        colour_of("red")
