"""The open half of GNU Go's regression tests for life and death.

Its owl positions come from games: not enclosed, other groups around. `frame` closes them, and then the
question may be another one, so a proof of ours that contradicts an expectation is listed with the
reason rather than called an error. Unconditional life means more to GNU Go than to Benson, never less.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from miai.go import sgf
from miai.go.benson import pass_alive
from miai.go.coords import BLACK, EMPTY, WHITE, colour_of
from miai.go.game import Game
from miai.life.problem import Problem, problem_from_node
from miai.life.verdict import Solver

Test = dict[str, Any]

# GNU Go also calls alive, or territory, what stays connected or hopeless by an answer to each move: three
# large positions of its suite, of which Benson leaves this much open.
BEYOND_BENSON = {
    f"unconditional:{number}"
    for number in (
        *(401, 402, 404, 405, 408, 409, 411, 412, 413, *range(415, 423), *range(424, 428)),
        *(*range(917, 922), *range(931, 936), *range(950, 959)),
    )
}

# Owl tests that take less than NODES to prove.
NODES = 20_000
FEWEST_PROVED = 45  # of these; a search that became slower may miss a few
OWL_TESTS = {
    "auto02": [3],
    "ld_owl": [157, 158, *range(164, 173), 196, 197, 201, 300, 301, 307, 309, 311, 313, 326, 327, 329],
    "neurogo": [19, 22, 23, 26],
    "owl": [1, 2, 17, 36, 37, 40, 42, 43, 56, 61, 75, 87, 116, 119, 138, 155, 158, 239, 242, 257],
    "owl1": [268, 271, 279, 295, 317, 369],
    "trevor": [450, 600, 630, 640, 650, 660, 740],
    "vie": [29, 35, 37, 38, 39],
}
# What GNU Go's developers expect and a proof of ours contradicts, and why.
CUT_OFF = "a stone in the open: the frame takes away the friends that it could join"
CONTRADICTED = {
    "auto02:3": CUT_OFF,
    "neurogo:23": CUT_OFF,
    "owl:158": "the frame closes the side to which the corner could run",
    "owl:257": "the frame closes the centre; GNU Go, too, finds the kill that it is not to find",
    "trevor:650": "the expected move E1, which makes ko, is under the frame's fence, and so F1 kills",
}


def read(data: Path, name: str) -> list[Test]:
    path = data / "gnugo_ld" / name
    if not path.exists():
        pytest.skip(f"no {path}")
    return [json.loads(line) for line in path.read_text().splitlines()]


def problem_of(test: Test) -> Problem:
    return problem_from_node(sgf.parse(test["sgf"], strict=True).games[0])


def test_every_position_becomes_a_problem(data: Path) -> None:
    for test in read(data, "open.jsonl"):
        problem = problem_of(test)
        assert problem.defender == colour_of(test["target_color"]), test["id"]
        assert problem.board.grid.parse(test["target"]) in problem.target, test["id"]
        assert set(problem.target) <= set(problem.region), test["id"]
        if test["side_to_move"]:
            assert problem.to_move == colour_of(test["side_to_move"]), test["id"]


def unconditional_status(test: Test) -> str:
    board = Game(sgf.parse(test["sgf"], strict=True).games[0]).board_at(0)
    point = board.grid.parse(test["target"])
    for colour, name in ((BLACK, "black"), (WHITE, "white")):
        safe = pass_alive(board, colour)
        if point in safe.stones:
            return "alive"
        if point in safe.territory:
            return f"{name}_territory" if board[point] == EMPTY else "dead"
    return "undecided"


def test_unconditional_status(data: Path) -> None:
    found = 0
    for test in read(data, "open_static_and_seki.jsonl"):
        if test["query"] == "unconditional_status":
            expected = "undecided" if test["id"] in BEYOND_BENSON else test["expected_status"]
            assert unconditional_status(test) == expected, test["id"]
            found += 1
    assert found == 106


def proved_results(test: Test) -> set[str]:
    """What the side to move gets, in GNU Go's words: `wins`, `ko` or `fails`; nothing if it is not proved.

    A ko that only threats without end would turn is as good as no ko: either word will do.
    """
    problem = problem_of(test)
    player = problem.to_move
    solver = Solver(problem, nodes=NODES, memory=16)
    solver.settle(player, share=1.0)
    survives, is_ko = solver.outcome(player)
    if is_ko:
        ko = solver.count_threats(player)
        if ko.kind == "endless":
            return {"ko", "wins" if ko.favoured == player else "fails"}
        return set() if ko.kind == "undecided" else {"ko"}
    if survives is None:
        return set()
    return {"wins" if survives == (player == problem.defender) else "fails"}


def test_owl(data: Path) -> None:
    wanted = {f"{name}:{number}" for name, numbers in OWL_TESTS.items() for number in numbers}
    words = {0: "fails", 1: "wins", 2: "ko", 3: "ko"}
    proved, contradicted = 0, set()
    for test in read(data, "open.jsonl"):
        if test["id"] in wanted and (results := proved_results(test)):
            proved += 1
            if results.isdisjoint(words[code] for code in test["expected_codes"]):
                contradicted.add(test["id"])
    assert contradicted <= set(CONTRADICTED)
    assert proved >= FEWEST_PROVED
