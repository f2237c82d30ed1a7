"""The eight symmetries: their tables, and that every plane set gives the turned planes of a turned board."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from miai.go.board import Board
from miai.go.coords import PASS
from miai.go.rules import CHINESE, JAPANESE, NEW_ZEALAND
from miai.nets.planes import (
    PLANE_SETS,
    SYMMETRIES,
    encode,
    encode_batch,
    inverse,
    permute,
    records_from_board,
    symmetry_table,
)


def turned(board: Board, symmetry: int) -> Board:
    """The same game on a board that is turned."""
    width, height = board.size
    table = symmetry_table(symmetry, width, height)
    record = records_from_board(board)
    twin = Board(*((height, width) if symmetry & 4 else (width, height)), rules=board.rules)
    for point, colour in zip(record.points.tolist(), record.colours.tolist(), strict=True):
        twin.play(PASS if point < 0 else int(twin.grid.points[table[point]]), colour)
    return twin


@st.composite
def games(draw: st.DrawFn) -> Board:
    """Games of random moves, many of them contacts and captures; sizes 7, 9, 13, 19 and a rectangle."""
    width, height = draw(st.sampled_from([(7, 7), (9, 9), (13, 13), (19, 19), (4, 7)]))
    board = Board(width, height, rules=draw(st.sampled_from([JAPANESE, CHINESE, NEW_ZEALAND])))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 2 * width * height // 3))):
        legal = board.legal_moves()
        board.play(legal[random.integers(len(legal))] if legal and random.random() < 0.98 else PASS)
    return board


@settings(max_examples=40)
@given(board=games(), symmetry=st.integers(1, SYMMETRIES - 1))
def test_planes_turn_with_the_board(board: Board, symmetry: int) -> None:
    for name in PLANE_SETS:
        spatial, scalars = encode(name, board)
        same, same_scalars = encode(name, turned(board, symmetry))
        np.testing.assert_array_equal(same, permute(symmetry, spatial), err_msg=name)
        np.testing.assert_array_equal(same_scalars, scalars, err_msg=name)
        by_kernel, _ = encode(name, board, symmetry=symmetry)
        np.testing.assert_array_equal(by_kernel, permute(symmetry, spatial), err_msg=name)


def test_a_batch_turns_each_position_its_own_way() -> None:
    board = Board(5)
    for name in ("A1", "B2", "E5"):
        board.play(board.grid.parse(name))
    records = records_from_board(board)
    spatial, _ = encode_batch("deepgo8", records, [0] * 8, [3] * 8, range(8))
    for symmetry in range(8):
        np.testing.assert_array_equal(spatial[symmetry], permute(symmetry, spatial[0]))


@pytest.mark.parametrize("symmetry", range(SYMMETRIES))
def test_tables(symmetry: int) -> None:
    """A table says where each point goes: the same as `permute`; and the inverse brings it back."""
    plane = np.arange(15).reshape(3, 5)  # 5 columns, 3 rows
    moved = permute(symmetry, plane)
    table = symmetry_table(symmetry, 5, 3)
    np.testing.assert_array_equal(moved.reshape(-1)[table], plane.reshape(-1))
    np.testing.assert_array_equal(permute(inverse(symmetry), moved), plane)
    back = symmetry_table(inverse(symmetry), *moved.shape[::-1])
    np.testing.assert_array_equal(back[table], np.arange(15))


def test_the_numbers_are_what_they_say() -> None:
    plane = np.array([[1, 2], [3, 4]])
    assert [permute(s, plane).reshape(-1).tolist() for s in range(8)] == [
        [1, 2, 3, 4],
        [3, 4, 1, 2],
        [2, 1, 4, 3],
        [4, 3, 2, 1],
        [1, 3, 2, 4],
        [3, 1, 4, 2],
        [2, 4, 1, 3],
        [4, 2, 3, 1],
    ]
    with pytest.raises(ValueError, match="from 0 to 7"):
        symmetry_table(8, 3, 3)
