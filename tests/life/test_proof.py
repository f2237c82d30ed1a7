"""The proof tree: readable by others, legal, and small."""

from __future__ import annotations

from sgfmill import sgf as sgfmill

from life.test_shapes import problem_from_shape
from miai.go import sgf
from miai.go.game import Game
from miai.life.proof import proof_tree
from miai.life.verdict import Solver

CORNER = """
    X X X X X .
    o o o o X .
    . . . o X ."""


def tree(diagram: str = CORNER, **limits: int) -> sgf.Node:
    solver = Solver(problem_from_shape(diagram), seconds=30, memory=16)
    data = sgf.serialise(proof_tree(solver, solver.verdict(), **limits))
    assert sgfmill.Sgf_game.from_bytes(data).get_size() if b"SZ[6]" in data else data
    return sgf.parse(data, strict=True).games[0]


def test_good_and_bad_first_moves() -> None:
    root = tree()
    assert root.get_text("PL") == "B"
    assert len(root["MA"]) == 5
    assert root.get_text("C").startswith("White is dead if Black plays B1")
    good = [child for child in root.children if "TE" in child]
    bad = [child for child in root.children if "BM" in child]
    assert [child["B"] for child in good] == [[b"bc"]]
    assert "kills" in good[0].get_text("C")
    assert bad
    assert all(child.children and "W" in child.children[0] for child in bad if child["B"] != [b"bc"])


def test_every_line_is_legal() -> None:
    for game in Game(tree()).variations():
        assert game.stopped is None


def test_limits() -> None:
    small, large = tree(depth=2, width=1), tree(depth=8, width=4)
    assert max(len(node.path()) for node in small.walk()) <= 3
    assert len(list(small.walk())) <= 5
    assert len(list(small.walk())) < len(list(large.walk())) < 500


def test_a_settled_group_has_tries_only() -> None:
    root = tree(
        """
        X X X X X X .
        o o o o o X .
        . . . . o X ."""
    )
    assert "is alive" in root.get_text("C")
    assert all("BM" in child for child in root.children)
