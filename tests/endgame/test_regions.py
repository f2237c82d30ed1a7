"""Where a board is open: cutting it into regions, closing their edges, masks by hand."""

from __future__ import annotations

import numpy as np
import pytest

from miai.endgame.local import RegionError
from miai.endgame.regions import (
    THRESHOLD,
    Division,
    checked,
    divide,
    framed,
    hand_mask,
    settled,
    settled_by_rule,
)
from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, WHITE
from miai.go.diagram import parse_diagram, parse_marked

# Both sides live on the edge; between them a corridor at the bottom and a dame at the top.
HALVES = """
    . X . X 1 O . O .
    X X X X O O O O O
    . X . X O O . O .
    X X X X O O O O O
    X X X . . . . O O
    X X X X O O O O O
"""


def owned(board: Board, open_points: list[int], share: float = 0.98) -> np.ndarray:
    """Ownership as a network would give it: each stone and hole its side's, some points nobody's."""
    found = np.zeros((board.grid.height, board.grid.width), np.float32)
    for p in board.grid.points.tolist():
        row, column = board.grid.row_column(p)
        found[row, column] = share if column < board.grid.width / 2 else -share
        if board[p] != EMPTY:
            found[row, column] = share if board[p] == BLACK else -share
        if p in open_points:
            found[row, column] = 0.1
    return found


def names(board: Board, division: Division) -> list[list[str]]:
    return [board.grid.names(list(region.masks[-1])) for region in division.regions]


def halves() -> tuple[Board, list[int]]:
    board, marks = parse_marked(HALVES)
    corridor = [board.grid.parse(name) for name in ("D2", "E2", "F2", "G2")]
    return board, [*marks["1"], *corridor]


def test_open_points_become_regions():
    board, open_points = halves()
    division = divide(board, owned(board, open_points))
    assert names(board, division) == [["E6"], ["D2", "E2", "F2", "G2"]]


def test_what_lives_for_certain_needs_no_network():
    board, _ = halves()
    division = divide(board, np.zeros((6, 9), np.float32))
    assert names(board, division) == [["E6"], ["D2", "E2", "F2", "G2"]]
    assert division.proved.sum() == 6 * 9 - 5 + np.sum(division.owner == 3)


def test_regions_take_in_settled_points_next_to_them_layer_by_layer():
    board, open_points = halves()
    division = divide(board, owned(board, open_points[:2]))
    # the corridor is sure but for one point, by the network: its rest comes in a point at a time
    bottom = division.regions[1]
    assert [board.grid.names(list(mask)) for mask in bottom.masks][-1] == ["D2", "E2", "F2", "G2"]


@pytest.mark.parametrize("share, settled_too", [(0.95, True), (0.85, False)])
def test_threshold(share: float, settled_too: bool):
    board = Board(9)
    board.setup(black=[board.grid.parse("C3")])
    ownership = np.full((9, 9), share, np.float32)
    owner = settled(board, ownership, THRESHOLD)
    assert (owner[board.grid.points] == BLACK).all() == settled_too
    with pytest.raises(RegionError, match="threshold"):
        settled(board, ownership, 1.5)


def test_a_chain_is_judged_as_a_whole():
    board = parse_diagram("""
        . . . . .
        . X X X .
        . . . . .
    """)
    ownership = np.full((3, 5), 0.99, np.float32)
    ownership[1, 1] = 0.2
    owner = settled(board, ownership)
    assert {int(owner[p]) for p in board.stones(BLACK)} == {EMPTY}


def test_chains_short_of_liberties_belong_to_the_region():
    """Two chains that share their last two liberties: seki, all of it one region."""
    board = parse_diagram("""
        X X . O X .
        X X . O X X
        X X O O X X
        O O O O X X
        X X X X X X
        . X . X X .
    """)
    ownership = np.zeros((6, 6), np.float32)
    for p in board.grid.points.tolist():
        ownership[board.grid.row_column(p)] = {BLACK: 1.0, WHITE: -1.0}.get(board[p], 1.0)
    for name in ("C6", "C5"):
        ownership[board.grid.row_column(board.grid.parse(name))] = 0.0
    division = divide(board, ownership)
    assert len(division.regions) == 1
    region = set(division.regions[0].masks[-1])
    assert region >= {board.grid.parse(name) for name in ("C6", "C5", "D6", "A3", "D3", "B6", "A5")}


def test_ownership_must_fit():
    with pytest.raises(RegionError, match="not for this 9×9 board"):
        divide(Board(9), np.zeros((19, 19), np.float32))


def test_dead_stones_are_listed():
    board, open_points = halves()
    board.setup(white=[board.grid.parse("C4")], empty=[board.grid.parse("C5")])
    ownership = owned(board, open_points)
    ownership[board.grid.row_column(board.grid.parse("C4"))] = 0.98
    division = divide(board, ownership)
    assert board.grid.names(division.dead(board)) == ["C4"]


# frames -----------------------------------------------------------------------------------------


def test_frame_leaves_a_closed_region_alone():
    board, open_points = halves()
    frame = framed(board, open_points[1:], settled_by_rule(board))
    assert frame is not None and frame[0] is board and frame[1] == []


def test_frame_closes_an_edge_with_its_owner():
    board = parse_diagram("""
        . . X . O .
        . X X . O .
        . . X . O .
    """)
    owner = settled(board, np.array([[1, 1, 1, 0, -1, -1]] * 3, np.float32))
    mask = [board.grid.parse(name) for name in ("B1", "D1", "D2", "D3")]
    frame = framed(board, mask, owner)
    assert frame is not None
    assert board.grid.names(frame[1]) == ["A1"]
    assert frame[0][board.grid.parse("A1")] == BLACK
    assert board[board.grid.parse("A1")] == EMPTY  # the position itself stays


def test_frame_gives_dead_stones_to_their_captor():
    board = parse_diagram("""
        . O X . O .
        . O X . O .
        . . X . O .
    """)
    ownership = np.array([[1, 1, 1, 0, -1, -1]] * 3, np.float32)
    owner = settled(board, ownership)
    mask = [board.grid.parse(name) for name in ("B1", "A1")]
    frame = framed(board, mask, owner)
    assert frame is not None
    assert frame[0][board.grid.parse("B2")] == BLACK


# masks by hand ----------------------------------------------------------------------------------


def test_points_and_rectangles():
    board = Board(9)
    found = hand_mask(board, ["c3", "A1:B2", " J9 "])
    assert sorted(board.grid.names(list(found))) == ["A1", "A2", "B1", "B2", "C3", "J9"]


@pytest.mark.parametrize(
    "words, reason",
    [
        ([""], "empty"),
        (["K3"], "off this 9×9 board"),
        (["A1:K3"], "off this 9×9 board"),
        (["hello"], "is not a point"),
        (["pass"], "not a point"),
        (["A1:J9"], "covers the whole board"),
    ],
)
def test_bad_masks(words: list[str], reason: str):
    with pytest.raises(RegionError, match=reason):
        hand_mask(Board(9), words)


def test_a_region_without_an_empty_point():
    board, _ = halves()
    with pytest.raises(RegionError, match="no empty point"):
        checked(board, [board.grid.parse("B6")])
