"""The network's advice: what it is shown of a problem, and that it is asked and heeded."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, NO_POINT, WHITE
from miai.go.diagram import parse_marked
from miai.life import search, tree
from miai.life.advice import Positions
from miai.life.policy import PolicyAdviser, View, policy_adviser, span, widened
from miai.life.problem import Problem, problem_from_board
from miai.life.search import ENDLESS, Budget, Memory, Prover, Winner
from miai.life.solve import read_problem

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "corner.sgf"

# Black lives by taking the point in the middle, and dies if White does: any player sees it at once.
THREE_IN_A_ROW = """
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . . . . . . . . . . .
    . . . O O O O O O O . . .
    . . . O X X X X X O . . .
    . . . O X . . . X O . . ."""


def problem() -> Problem:
    board, _ = parse_marked(THREE_IN_A_ROW)
    return problem_from_board(board, board.grid.parse("E1"), to_move=BLACK)


def points_of(problem: Problem) -> list[int]:
    memory = Memory(problem, 8)
    return [int(p) for p in memory.layout[0]["point"][: len(problem.region)]]


@pytest.mark.parametrize(
    ("lines", "length", "shown", "nine"),
    [
        ([0, 3], 19, range(6), range(9)),  # an edge of the board stays one
        ([15, 18], 19, range(13, 19), range(10, 19)),
        ([8, 10], 19, range(6, 13), range(5, 14)),
        ([2, 4], 5, range(5), range(5)),  # the board has no more
        ([3, 8], 10, range(1, 10), range(1, 10)),
    ],
)
def test_the_lines_that_are_shown(lines: list[int], length: int, shown: range, nine: range) -> None:
    assert span(lines, length) == shown
    assert widened(shown, 9, length) == nine


def test_the_view_shows_the_stones_and_the_frame_where_they_are() -> None:
    asked = problem()
    points = points_of(asked)
    view = View(asked, points)
    grid = asked.board.grid
    assert view.height == view.width >= 9
    for point, place in view.place_of.items():
        assert view.stones[place] == asked.colour_at(point)
    assert [list(view.place_of)[place] for place in view.places] == points
    rows = {grid.row_column(point)[0] for point in view.place_of}
    assert max(rows) == 12, "the lower edge is the board's"
    assert {asked.colour_at(point) for point in asked.frame.fence} == {WHITE}
    assert view.place(NO_POINT) == view.place(0) == -1


def test_the_network_sees_the_vital_point() -> None:
    asked = problem()
    points = points_of(asked)
    adviser = policy_adviser(asked, points)
    assert isinstance(adviser, PolicyAdviser)
    black = np.array([[asked.board[p] == BLACK for p in points]] * 2)
    white = np.array([[asked.board[p] == WHITE for p in points]] * 2)
    none = np.full(2, NO_POINT, dtype=np.int64)
    last = np.array([0, asked.board.grid.parse("F1")], dtype=np.int64)
    said = adviser(Positions(black, white, np.array([BLACK, WHITE]), none, last, np.zeros(2, np.int64)))
    free = np.array([asked.board[p] == EMPTY for p in points])
    best = [points[int(i)] for i in np.where(free, said, -np.inf).argmax(axis=1)]
    assert asked.board.grid.names(best) == ["G1", "G1"]


def test_boards_that_the_network_does_not_know_get_no_advice() -> None:
    board = Board(25, 4)
    parse = board.grid.parse
    board.setup(black=[parse("A2"), parse("B2"), parse("B1")], white=[parse("A3"), parse("B3"), parse("C2")])
    asked = problem_from_board(board, parse("A2"))
    assert policy_adviser(asked, points_of(asked)) is None
    assert Memory(asked, 8, advised=True).adviser is None


def test_advice_is_asked_for_once_a_position_is_dear_and_changes_no_answer() -> None:
    asked = read_problem(EXAMPLE)
    winners = []
    for advised in (False, True):
        memory = Memory(asked, 8, advised=advised)
        memory.tree[0]["settings"][tree.DEAR] = 20
        prover = Prover(asked, threats=(ENDLESS, 0), memory=memory)
        with mock.patch.object(search, "STRETCH", 16):
            found = [prover.ask(first, budget=Budget(nodes=200_000)) for first in (BLACK, WHITE)]
        winners.append([answer.winner for answer in found])
        assert bool(memory.table.advised) is advised
        assert not advised or memory.table.advice[0]["given"].any()
    assert winners == [[Winner.ATTACKER, Winner.DEFENDER]] * 2
