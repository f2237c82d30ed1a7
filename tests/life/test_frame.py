"""The frame: where the fence stands, and that a wider one goes before a tighter one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from miai.go.board import Board
from miai.go.coords import BLACK
from miai.go.diagram import parse_marked
from miai.life import solve as solve_module
from miai.life.climbing import climb
from miai.life.frame import ROOMS, advance, close, dilate
from miai.life.problem import Problem, problem_from_board
from miai.life.search import ENDLESS, Budget, Memory, Prover, Winner
from miai.life.solve import Course, contradicts, goes_before, solve
from miai.life.verdict import First, KoRule, Result, Solver, Status

# White's stone on D1 is all that keeps Black from getting out along the edge: with a fence on F1 it is
# tied to the outside, with room there it can be cut off
EDGE = """
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
    O O O O . . . . . . . . .
    X X X X . . . . . . . . .
    . . . O . . . . . . . . ."""


@pytest.fixture
def edge() -> Problem:
    board, _ = parse_marked(EDGE)
    return problem_from_board(board, board.grid.parse("A2"), to_move=BLACK)


def test_frames_grow(edge: Problem) -> None:
    regions = [set(close(edge.board, edge.target, room)[0]) for room in ROOMS]
    assert regions[0] < regions[1] < regions[2]
    wider = edge.widened()
    assert wider is not None and wider.frame.room == ROOMS[1] and set(wider.region) == regions[1]
    widest = wider.widened()
    assert widest is not None and widest.widened() is None


def test_a_closed_wall_leaves_nothing_to_widen() -> None:
    board, _ = parse_marked("""
        . . . . . . .
        . . . . . . .
        X X X X X . .
        O O O O X . .
        . . . O X . .""")
    assert problem_from_board(board, board.grid.parse("A2")).widened() is None


def test_the_widest_frame_that_decides_counts(edge: Problem) -> None:
    wider = edge.widened()
    assert wider is not None
    tight, wide = (Solver(problem, nodes=100_000).verdict() for problem in (edge, wider))
    assert (tight.first.result, wide.first.result) == (Result.DEAD, Result.KO)
    verdict = solve(edge, nodes=200_000)
    assert verdict.problem.frame.room in ROOMS[1:] and verdict.moves  # with more room still, E2 gets out
    assert verdict.nodes > tight.nodes + wide.nodes // 2  # of all frames together
    assert goes_before(wide.first, tight.first, Result.ALIVE)
    unknown = First(BLACK, Result.UNKNOWN)
    assert not goes_before(unknown, tight.first, Result.ALIVE)


def test_where_the_wider_frame_leaves_the_status_open_the_tighter_one_gives_it(
    edge: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = Course(KoRule.BOTH, Budget(nodes=200_000), memory=64)
    tight, wide = course.ask(edge, course.whole), course.ask(edge, course.whole)
    assert course.complete([tight, wide])[0] is wide
    wide = course.ask(edge, Budget(nodes=0))
    monkeypatch.setattr(solve_module, "FOR_THE_REST", 0.0)  # nothing for the wider frame
    solver, verdict = course.complete([tight, wide])
    assert solver is tight and verdict.status is not Status.UNKNOWN


def test_what_contradicts_a_tighter_frame() -> None:
    before = First(BLACK, Result.KO, moves=(5, 6))
    unknown = First(BLACK, Result.UNKNOWN)
    assert not contradicts(unknown, before, Result.ALIVE)  # nothing is known of any move
    assert not contradicts(replace(unknown, moves=(5,), undecided=(6, 7)), before, Result.ALIVE)
    seven = replace(unknown, moves=(7,), undecided=(5, 6))
    assert contradicts(seven, before, Result.ALIVE)  # 7 wins after all
    assert not contradicts(seven, replace(before, result=Result.ALIVE), Result.ALIVE)  # … but by ko, perhaps
    assert contradicts(replace(unknown, moves=(5,), undecided=(7,)), before, Result.ALIVE)  # 6 fails


def test_a_budget_that_is_spent_in_the_tight_frame_is_spent(edge: Problem) -> None:
    verdict = solve(edge, nodes=170)
    assert verdict.problem.region == edge.region and verdict.nodes <= 170


def test_a_pocket_is_no_place_for_the_fence() -> None:
    """G7 is three steps from every stone, but all its neighbours are within two."""
    board = Board(13)
    parse = board.grid.parse
    board.setup(black=[parse(name) for name in ("G10", "G4", "D7", "K7")])
    inside = dilate(board.grid, board.stones(BLACK), 3) - {parse("G7")}
    outside = {int(p) for p in board.grid.points} - inside
    moved = advance(board, (parse("G10"),), outside, ROOMS[0], {parse("A1")})
    assert parse("A1") in moved and parse("G7") not in moved


def test_frames_within_a_large_region_that_was_given(edge: Problem) -> None:
    everywhere = [int(p) for p in edge.board.grid.points]
    given = problem_from_board(edge.board, edge.target, region=everywhere, to_move=BLACK)
    assert given.widened() is None
    narrow = given.narrowed()
    assert [problem.frame.room for problem in narrow] == [*ROOMS, ROOMS[-1], ROOMS[-1]]
    assert set(narrow[0].region) == set(edge.region) and narrow[0].frame.fence
    assert all(set(tight.region) < set(wide.region) for tight, wide in pairwise([*narrow, given]))
    assert edge.narrowed() == []
    small = problem_from_board(edge.board, edge.target, region=edge.region, to_move=BLACK)
    assert small.narrowed() == []
    assert solve(given, nodes=30_000).problem == given


def test_life_that_is_proved_within_a_frame_costs_nothing_more_in_the_region(edge: Problem) -> None:
    board = Board(13)
    parse = board.grid.parse
    black = [parse(name) for name in ("A3", "B3", "C3", "D3", "D2")]
    white = [parse(name) for name in ("A4", "B4", "C4", "D4", "E4", "E3", "E2", "F1")]
    board.setup(black=black, white=white)
    everywhere = [int(p) for p in board.grid.points]
    given = problem_from_board(board, black, region=everywhere, to_move=BLACK)
    threats = (ENDLESS, 0)
    budget = Budget(nodes=200_000)
    learned = climb(given, KoRule.BOTH, budget, 64)
    assert learned is not None and 0 < budget.spent < budget.nodes
    memory = Memory(given, 64, tighter=learned)
    answer = Prover(given, threats=threats, memory=memory).ask(BLACK)
    assert answer.winner is Winner.DEFENDER
    assert answer.nodes < 10 < budget.spent
    assert climb(edge, KoRule.BOTH, budget, 64) is None


def test_nothing_is_carried_over_between_problems_that_are_not_the_same(edge: Problem) -> None:
    memory = Memory(edge, 8)
    Prover(edge, threats=(ENDLESS, 0), memory=memory).ask(edge.defender)
    assert memory.table.filled[0] > 0
    board = edge.board.copy()
    board.setup(white=[board.grid.parse("A1")])
    for other in (replace(edge, target=edge.target[:1]), replace(edge, board=board)):
        assert Memory(other, 8, tighter=memory).table.filled[0] == 0
    assert Memory(edge, 8, tighter=memory).table.filled[0] > 0
