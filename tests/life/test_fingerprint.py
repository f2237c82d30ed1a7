"""The fingerprint of the search: all nodes over a fixed set of positions, to the last one.

A change that was meant to leave the search alone, and does not, shows here first. After one that was
meant to change it, run `python tests/life/test_fingerprint.py` and put what it prints into NODES. The
clock plays no part, and the tables are small and of one size, so the number is the same everywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from life.shapes import drawn, placed, polyominoes, walled
from life.test_shapes import DOUBLE_KO, SHAPES, problem_from_shape
from miai.life.problem import Problem
from miai.life.search import ENDLESS, Goal, Prover, Winner

NODES = 241_679

NAMED = (  # of the table of shapes, which may grow without changing the number
    "L group",
    "L+1 group, leg on the long side",
    "L+1 group, leg on the short side",
    "carpenter's square",
    "bent four in the corner",
    "seki: five in a row, three of them taken",
)
ROOMS = ("####/####", "###/###/###", "#####/####.", "####/###./#...", "####/##../##../#...")
QUESTIONS = [  # attacker's and defender's ko threats, and what the defender has to reach
    ((ENDLESS, 0), Goal.SURVIVE),
    ((0, ENDLESS), Goal.SURVIVE),
    ((ENDLESS, 0), Goal.TWO_EYES),
]


def problems() -> Iterator[Problem]:
    """Shapes with names, eye spaces of six points in the corner, and larger rooms on the side."""
    diagrams = {name: diagram for name, diagram, *_ in SHAPES}
    for name in NAMED:
        yield problem_from_shape(diagrams[name])
    yield problem_from_shape(DOUBLE_KO)
    for shape in polyominoes(6):
        for space in placed(shape, "corner"):
            yield walled(space, outside=1)
    for room in ROOMS:
        for place in ("corner", "side"):
            yield walled(next(placed(drawn(room), place)), outside=2)


def total_nodes() -> int:
    nodes = 0
    for problem in problems():
        for threats, goal in QUESTIONS:
            prover = Prover(problem, threats=threats, goal=goal, memory=4)
            for first in (problem.attacker, problem.defender):
                answer = prover.ask(first)
                assert answer.winner is not Winner.UNKNOWN
                nodes += answer.nodes
    return nodes


def test_fingerprint() -> None:
    assert total_nodes() == NODES


if __name__ == "__main__":
    print(f"NODES = {total_nodes():_}")
