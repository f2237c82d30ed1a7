"""What the search knows without searching: stars in the attacker's hand, and life by the next move."""

from __future__ import annotations

import pytest

from life.shapes import drawn, placed, walled
from miai.life.problem import Problem
from miai.life.search import ENDLESS, Answer, Prover, Winner
from miai.life.tree import LOOKAHEAD, WANT_OF_ROOM

STARS = {
    "straight three": drawn("###"),
    "bent three": drawn("##/#."),
    "pyramid four": drawn("###/.#."),
    "crossed five": drawn(".#./###/.#."),
}


def ask(problem: Problem, first: int, *, without: int | None = None) -> Answer:
    """The answer with the defender free of the ko ban, with one piece of knowledge taken away."""
    prover = Prover(problem, threats=(0, ENDLESS), memory=8)
    if without is not None:
        prover.tree[0]["settings"][without] = 0
    return prover.ask(first)


@pytest.mark.parametrize("outside", [0, 2])
@pytest.mark.parametrize("name", STARS)
def test_star_falls_to_the_heart_at_once(name: str, outside: int) -> None:
    problem = walled(next(iter(placed(STARS[name], "centre"))), outside)
    known = ask(problem, problem.attacker)
    searched = ask(problem, problem.attacker, without=WANT_OF_ROOM)
    assert known.winner is searched.winner is Winner.ATTACKER
    assert known.nodes == 1 < searched.nodes
    assert known.move == searched.move


@pytest.mark.parametrize(
    "name", [name for name in STARS if name != "crossed five"]
)  # its heart is far from T
def test_star_lives_by_the_heart_at_once(name: str) -> None:
    problem = walled(next(iter(placed(STARS[name], "centre"))), 0)
    known = ask(problem, problem.defender)
    searched = ask(problem, problem.defender, without=LOOKAHEAD)
    assert known.winner is searched.winner is Winner.DEFENDER
    assert known.nodes == 1 < searched.nodes


def test_other_shapes_are_searched() -> None:
    """The heart of a bulky five is no star's, and four in a row has none."""
    for shape in ("##./###", "####"):
        problem = walled(next(iter(placed(drawn(shape), "centre"))), 0)
        assert ask(problem, problem.attacker).nodes > 1
