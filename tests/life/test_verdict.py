"""What a verdict says, on positions small enough to see it, and that it keeps to its budget."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import miai
from life.judge import ATTACKER, DEFENDER, ENDLESS
from life.positions import Position, positions
from life.test_shapes import SHAPES, problem_from_shape
from miai.go.board import Board
from miai.go.coords import BLACK, PASS
from miai.go.diagram import parse_diagram
from miai.life.problem import Problem, ProblemError
from miai.life.solve import solve
from miai.life.verdict import First, KoRule, Result, Solver, Status, combine
from miai.life.words import remarks, sentence

KEYS = [
    "name",
    "size",
    "defender",
    "target",
    "region",
    "framed",
    "to_move",
    "status",
    "attacker_first",
    "defender_first",
    "moves",
    "line",
    "nodes",
    "seconds",
]
UNSETTLED = """
    X X X X X .
    o o o o X .
    . . . o X ."""


def unsettled() -> Problem:
    return problem_from_shape(UNSETTLED)


def test_a_verdict_and_its_json() -> None:
    verdict = Solver(unsettled(), seconds=30, memory=16).verdict()
    grid = verdict.board.grid
    assert verdict.status is Status.UNSETTLED
    assert (verdict.attacker_first.result, verdict.defender_first.result) == (Result.DEAD, Result.ALIVE)
    assert grid.names(list(verdict.moves)) == ["B1"]
    assert grid.names(list(verdict.defender_first.moves)) == ["B1"]
    found = json.loads(json.dumps(verdict.to_json()))
    assert list(found) == KEYS
    assert found["attacker_first"] == {"result": "dead", "moves": ["B1"], "ko": None}
    assert (found["size"], found["defender"], found["to_move"]) == ([6, 3], "W", "B")
    assert found["line"][0] == "B1"
    assert sentence(verdict) == "White is dead if Black plays B1; if White moves first, B1 makes life."


def test_solve_takes_files_bytes_text_and_boards(tmp_path: Path) -> None:
    text = "(;SZ[6:3]AB[aa][ba][ca][da][ea][eb][ec]AW[ab][bb][cb][db][dc]MA[ab]SQ[ab:db][ac:dc])"
    file = tmp_path / "three.sgf"
    file.write_text(text)
    board = parse_diagram(UNSETTLED.replace("o", "O"))
    region = ["A2:D1"]
    assert solve(board, "A2", region=[p for n in ("ABCD") for p in (f"{n}1", f"{n}2")]).status == "unsettled"
    for source in (file, str(file), text, text.encode()):
        assert miai.solve(source, seconds=30, memory=16).status == "unsettled"
    assert solve(text, ["A2"], region=region, to_move=2, memory=16).problem.to_move == 2
    with pytest.raises(ProblemError, match="no game 2"):
        solve(text, game=2)
    with pytest.raises(FileNotFoundError):
        solve(tmp_path / "none.sgf")
    with pytest.raises(AttributeError, match="no attribute 'dissolve'"):
        miai.dissolve  # noqa: B018


def test_ko_threats_are_counted() -> None:
    """Bent four in the corner: Black can start the ko at leisure, and takes first."""
    diagram = next(shape[1] for shape in SHAPES if shape[0] == "bent four in the corner")
    verdict = Solver(problem_from_shape(diagram), seconds=30, memory=16).verdict()
    ko = verdict.attacker_first.ko
    assert ko is not None
    assert (ko.favoured, ko.threats, ko.kind) == (BLACK, 1, "direct")
    assert verdict.to_json()["attacker_first"]["ko"] == {
        "kind": "direct",
        "takes_first": "B",
        "needs_threats": "W",
        "threats": 1,
        "moves": ["pass", "A3", "C1"],
    }
    assert sentence(verdict) == (
        "It is ko, whoever moves first (Black takes first and White needs one threat more)."
    )


@pytest.mark.parametrize(("rule", "result"), [(KoRule.ATTACKER, "dead"), (KoRule.DEFENDER, "alive")])
def test_one_ko_assumption(rule: KoRule, result: str) -> None:
    diagram = next(shape[1] for shape in SHAPES if shape[0] == "bent four in the corner")
    verdict = Solver(problem_from_shape(diagram), ko=rule, seconds=30, memory=16).verdict()
    assert verdict.attacker_first.survives == (result == "alive")
    assert verdict.attacker_first.ko is None


def test_budgets() -> None:
    """Nothing is decided by no nodes; and with few, what is said is still right."""
    verdict = Solver(unsettled(), nodes=1, memory=16).verdict()
    assert verdict.status is Status.UNKNOWN
    assert verdict.nodes <= 20
    assert "not decided" in sentence(verdict).lower()
    full = Solver(unsettled(), seconds=30, memory=16).verdict()
    for nodes in (10, 30, 100, 300):
        part = Solver(unsettled(), nodes=nodes, memory=16).verdict()
        assert part.status in (Status.UNKNOWN, full.status)
        assert (
            set(part.moves)
            <= set(full.moves)
            <= set(part.moves)
            | set(part.first.undecided)
            | {move for move in full.moves if part.first.result is Result.UNKNOWN}
        )


def test_the_same_question_gets_the_same_answer() -> None:
    one, two = (Solver(unsettled(), nodes=5000, memory=16).verdict() for _ in range(2))
    assert (one.nodes, one.line, one.moves) == (two.nodes, two.line, two.moves)


RESULTS = [
    ("alive", "alive", "alive"),
    ("seki", "seki", "seki"),
    ("seki", "alive", "seki"),
    ("dead", "alive", "unsettled"),
    ("dead", "seki", "unsettled"),
    ("dead", "dead", "dead"),
    ("dead", "ko", "ko"),
    ("ko", "alive", "ko"),
    ("ko", "ko", "ko"),
    ("dead", "unknown", "unknown"),
    ("unknown", "alive", "unknown"),
]


@pytest.mark.parametrize(("attack", "defence", "status"), RESULTS)
def test_status(attack: str, defence: str, status: str) -> None:
    survives = {"alive": True, "seki": True, "dead": False}.get
    a, d = (First(BLACK, Result(r), survives=survives(r)) for r in (attack, defence))
    assert combine(a, d).value == status


def as_problem(position: Position) -> Problem:
    board = Board(position.width, position.height)

    def points(places: frozenset[tuple[int, int]]) -> list[int]:
        return sorted(board.grid.point(*place) for place in places)

    board.setup(black=points(position.attacker), white=points(position.defender))
    return Problem(board, tuple(points(position.target)), tuple(points(position.region)), BLACK)


def small_positions(seed: int, count: int) -> Iterator[Position]:
    """Those that the judge is done with in a moment."""
    return (position for position in positions(seed, count) if len(position.region) <= 12)


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_and_moves_agree_with_the_judge(seed: int) -> None:
    """Results of both sides, and every first move, on random positions."""
    for position in small_positions(100 + seed, 60):
        judge = position.judge()
        verdict = Solver(as_problem(position), seconds=60, memory=16).verdict()
        grid = verdict.board.grid
        for side, first in ((ATTACKER, verdict.attacker_first), (DEFENDER, verdict.defender_first)):
            hard = not judge.captures(judge.start, side, threats=(ENDLESS, 0))
            easy = not judge.captures(judge.start, side, threats=(0, ENDLESS))
            expected = "ko" if hard != easy else "dead" if not hard else None
            if expected is None:
                eyes = judge.makes_eyes(judge.start, side, threats=(ENDLESS, 0))
                expected = "alive" if eyes or first.double_ko else "seki"
            assert first.result.value == expected, str(position)
            assert not first.undecided
            if expected not in ("dead", "ko") or (expected == "dead" and side == DEFENDER):
                continue  # moves between two eyes and seki are checked below
            threats = (
                (0, ENDLESS) if expected == "dead" else (ENDLESS, 0) if side == ATTACKER else (0, ENDLESS)
            )
            winning = set()
            for point, after, ban in judge.moves(judge.start, side):
                exempt = threats[1 - side] == ENDLESS
                captured = judge.captures(after, 1 - side, threats=threats, ban=0 if exempt else ban)
                if captured == (side == ATTACKER):
                    row, column = divmod(point.bit_length() - 1, judge.line)
                    winning.add(grid.point(row, column))
            assert set(first.moves) - {PASS} == winning, str(position)


def test_defenders_moves_to_life_agree_with_the_judge() -> None:
    for position in small_positions(7, 150):
        judge = position.judge()
        verdict = Solver(as_problem(position), seconds=60, memory=16).verdict()
        first = verdict.defender_first
        if first.result is not Result.ALIVE or first.double_ko:
            continue
        winning = set()
        for point, after, _ in judge.moves(judge.start, DEFENDER):
            if judge.makes_eyes(after, ATTACKER, threats=(ENDLESS, 0)):
                row, column = divmod(point.bit_length() - 1, judge.line)
                winning.add(verdict.board.grid.point(row, column))
        assert set(first.moves) - {PASS} == winning, str(position)


def test_remarks() -> None:
    board = parse_diagram(
        """
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
        X X X X X . . . . . . . .
        O O O O X . . . . . . . .
        . . . O X . . . . . . . ."""
    )
    verdict = solve(board, memory=16)
    assert verdict.status is Status.UNSETTLED
    said = remarks(verdict)
    assert said[0].startswith("Line: B B1")
    assert said[1] == "Nothing is marked: White's chain at A2 was taken as the target."
    assert said[2] == "Points marked #, and all beyond, are taken to be Black's."


def test_a_few_open_moves_are_named_and_many_are_counted() -> None:
    problem = unsettled()
    verdict = Solver(problem, nodes=100_000).verdict()
    side = "attacker_first" if problem.to_move == problem.attacker else "defender_first"
    points = [int(point) for point in problem.board.grid.points]
    names = problem.board.grid.names(points)

    def said(count: int) -> str:
        first = replace(verdict.first, undecided=tuple(points[:count]))
        return " ".join(remarks(replace(verdict, **{side: first})))

    assert f"Not decided within the budget: {names[0]}, {names[1]}." in said(2)
    assert "Not decided within the budget: 9 other moves." in said(9)
    assert "Not decided" not in said(0)
