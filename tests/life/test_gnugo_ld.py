"""The open half of GNU Go's regression tests for life and death.

Its owl positions come from games: not enclosed, other groups around. `frame` closes them, and then the
question may be another one, so a proof of ours that contradicts an expectation is listed with the
reason rather than called an error. Unconditional life is the same thing for both.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from miai.go import sgf
from miai.go.benson import pass_alive
from miai.go.coords import BLACK, WHITE, colour_of
from miai.go.game import Game
from miai.life.problem import Problem, ProblemError, problem_from_node
from miai.life.search import ENDLESS, Budget, Prover, Winner

Test = dict[str, Any]
NODES = 20_000


def read(data: Path, name: str) -> list[Test]:
    path = data / "gnugo_ld" / name
    if not path.exists():
        pytest.skip(f"no {path}")
    return [json.loads(line) for line in path.read_text().splitlines()]


def root_of(test: Test) -> sgf.Node:
    return sgf.parse(test["sgf"], strict=True).games[0]


def test_every_position_becomes_a_problem(data: Path) -> None:
    refused = {}
    tests = read(data, "open.jsonl")
    for test in tests:
        try:
            problem = problem_from_node(root_of(test))
        except ProblemError as error:
            refused[test["id"]] = str(error)
        else:
            assert problem.defender == colour_of(test["target_color"]), test["id"]
            assert set(problem.target) <= set(problem.region), test["id"]
    assert refused == {}
