"""From files and boards to problems, and what bad ones are told."""

from __future__ import annotations

import pytest

from miai.go import sgf
from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, NO_POINT, WHITE
from miai.go.diagram import parse_diagram, parse_marked
from miai.life.problem import ProblemError, guess_target, problem_from_board, problem_from_node

CORNER = "SZ[9]AB[ae][be][ce][de][ee][ef][eg][eh][ei]AW[af][bf][cf][df][dg][dh][di]"


def node(text: str) -> sgf.Node:
    return sgf.parse(f"(;{text})").games[0]


def names(board: Board, points: tuple[int, ...]) -> list[str]:
    return board.grid.names(list(points))


def test_marked_stones_are_the_target_as_given() -> None:
    problem = problem_from_node(node(f"{CORNER}MA[af][df]PL[W]GN[a corner]"))
    assert names(problem.board, problem.target) == ["A4", "D4"]
    assert (problem.defender, problem.attacker, problem.to_move) == (WHITE, BLACK, WHITE)
    assert (problem.name, problem.guessed) == ("a corner", False)
    inside = {problem.board.grid.parse(name) for name in ("A1", "A3", "C3", "C1")}
    assert inside <= set(problem.region)
    assert problem.framed


def test_a_named_or_clicked_stone_means_its_chain() -> None:
    problem = problem_from_node(node(CORNER), target=["D1"])
    assert len(problem.target) == 7
    board = problem.board
    assert problem_from_board(board, board.grid.parse("B4")).target == problem.target


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("PL[W];B[ai]", BLACK, BLACK),
        ("PL[W];B[ai]", None, WHITE),
        (";W[ai]", None, WHITE),
        ("", None, BLACK),
    ],
    ids=["as asked", "PL", "who plays in the file", "the attacker"],
)
def test_who_moves(text: str, given: int | None, expected: int) -> None:
    assert problem_from_node(node(f"{CORNER}MA[af]{text}"), to_move=given).to_move == expected


def test_a_given_region_is_closed_by_the_attacker() -> None:
    problem = problem_from_node(node("SZ[5]AW[ba][bb]AB[ca]MA[ba]SQ[aa:bc]"))
    grid = problem.board.grid
    assert problem.region == tuple(sorted(grid.parse(n) for n in ("A5", "B5", "A4", "B4", "A3", "B3")))
    assert set(grid.names(sorted(problem.frame.fence))) == {"A2", "B2", "C4", "C3"}
    assert problem.colour_at(grid.parse("C4")) == BLACK
    assert problem.board[grid.parse("C4")] == EMPTY
    named = problem_from_node(node("SZ[5]AW[ba][bb]AB[ca]"), target=["B5"], region=["A5:B3"])
    assert named.region == problem.region


def test_position_to_play_on() -> None:
    """The frame stands there, and what is outside the region is never captured."""
    problem = problem_from_node(node("SZ[5]AW[ba][bb]AB[ca]MA[ba]SQ[aa:bc]"))
    board = problem.position()
    fence = board.grid.parse("A2")
    assert board[fence] == BLACK
    assert board.liberties(fence) > board.grid.area


def test_after_moves_of_a_game() -> None:
    """The position after a ko was taken: the ban comes with it."""
    root = node("SZ[4]AB[ba][ab][bc]AW[ca][db][cc]PL[B];B[cb];W[bb]MA[ba];B[aa]")
    problem = problem_from_node(root, move=2)
    assert problem.to_move == BLACK
    assert problem.board.grid.name(problem.ban) == "C3"
    assert names(problem.board, problem.target) == ["B4"]
    assert problem_from_node(root, move=2, to_move=WHITE).ban == NO_POINT


GUESSES = [
    (
        """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . X X X . . . . . .
        X . O O O X . . . . .
        . O . . O X . . . . .
        . O . . O X . . . . .""",
        {"C3", "D3", "E3", "E2", "E1"},
    ),
    (
        """
        . . . . . . .
        . O O O O . .
        O O X X O . .
        O X . X O . .
        . X . X O . .""",
        {"C3", "D3", "D2", "D1"},
    ),
]


@pytest.mark.parametrize(("diagram", "expected"), GUESSES)
def test_the_group_in_question(diagram: str, expected: set[str]) -> None:
    board = parse_diagram(diagram)
    assert set(names(board, guess_target(board))) == expected
    assert problem_from_board(board).guessed


def test_guesses_agree_with_books(data: object) -> None:
    """Colour and chain that the corpora mark, from the stones alone."""
    games = sgf.parse((data / "tsumego" / "cho-elementary.sgf").read_bytes()).games  # type: ignore[operator]
    problems = [problem_from_node(root) for root in games]
    guesses = [guess_target(problem.board) for problem in problems]
    pairs = list(zip(problems, guesses, strict=True))
    assert sum(p.board[guess[0]] == p.defender for p, guess in pairs) >= 0.98 * len(pairs)
    assert sum(set(guess) == set(p.target) for p, guess in pairs) >= 0.9 * len(pairs)


BAD = [
    ("SZ[9]", {}, "no stones"),
    ("SZ[9]AB[aa]", {}, "no group is enclosed"),
    ("SZ[9]AB[aa]AW[aa]", {}, "AB and AW both put a stone on A9"),
    (f"{CORNER}MA[aa]", {}, "MA marks A9, which is empty"),
    (f"{CORNER}MA[af][ae]", {}, "both colours, A5 and A4"),
    (f"{CORNER}MA[zz]", {}, "MA\\[zz\\]"),
    (f"{CORNER}", {"target": ["A9"]}, "no stone on A9"),
    (f"{CORNER}", {"target": ["Z9"]}, "target: Z9 is off this 9×9 board"),
    (f"{CORNER}", {"target": ["7"]}, "is not a point"),
    (f"{CORNER}", {"target": ["pass"]}, "a pass is not a point"),
    (f"{CORNER}MA[af]SQ[aa]", {}, "the region is the one point A9"),
    (f"{CORNER}MA[af]SQ[aa:ab]", {}, "stone on A4 is not in the region"),
    (f"{CORNER}MA[af]PL[green]", {}, "PL"),
    (f"{CORNER}MA[af]", {"move": 3}, "no move 3: the game has 0"),
    ("SZ[9]AB[aa]AW[ab][ba]MA[aa]", {}, "no liberty"),
    ("SZ[99]AB[aa]", {}, "SZ"),
]


@pytest.mark.parametrize(("text", "options", "complaint"), BAD)
def test_bad_problems(text: str, options: dict, complaint: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ProblemError, match=complaint):
        problem_from_node(node(text), **options)


def test_bad_boards() -> None:
    board, _ = parse_marked(". X .\n. . .\n. . .")
    with pytest.raises(ProblemError, match="off the board"):
        problem_from_board(board, 0)
    with pytest.raises(ProblemError, match="no stone on A1"):
        problem_from_board(board, board.grid.parse("A1"))
