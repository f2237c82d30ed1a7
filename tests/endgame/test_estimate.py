"""Estimates: against exact answers with judges that are known to be right, and their promises kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from miai.endgame.estimate import TreeNode, estimate_region
from miai.endgame.judge import Mask, Said, load_judge
from miai.endgame.local import RegionError, local_game
from miai.go import sgf
from miai.go.board import Board
from miai.go.coords import BLACK, WHITE
from miai.go.game import Game
from miai.go.scoring import owners
from miai.nets import registry
from miai.nets.positions import legal_mask
from miai.nets.registry import NetworkError

WALLS = """
X X . . O O .
. X X X O . O
X X X X O O O
. X X X O . O
X X X X O O O
X X X X O O O
X X X X O O O
"""
CORRIDOR = ("C7", "D7")  # Black blocks for one point, or White pushes and leaves a dame


def board_of(diagram: str) -> Board:
    rows = [line.split() for line in diagram.strip().splitlines()]
    board = Board(len(rows[0]), len(rows))
    stones: dict[str, list[int]] = {"X": [], "O": []}
    for r, row in enumerate(rows):
        for c, sign in enumerate(row):
            if sign in stones:
                stones[sign].append(board.grid.point(r, c))
    board.setup(black=stones["X"], white=stones["O"])
    return board


class Plain:
    """Knows who surrounds an empty point, and nothing else; thinks all legal moves alike."""

    name = "plain"

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, boards: Sequence[Board], mask: Mask) -> list[Said]:
        self.asked += len(boards)
        return [self.say(board, mask) for board in boards]

    def say(self, board: Board, mask: Mask) -> Said:
        owner, _ = owners(board.arrays.colour, board.grid.stride)
        view = {BLACK: 1.0, WHITE: -1.0}
        owned = np.array([view.get(int(owner[p]), 0.0) for p in board.grid.points], np.float32)
        chances = []
        for colour in (BLACK, WHITE):
            twin = board.copy()
            twin.to_move = colour
            chance = (legal_mask(twin)[:-1] & mask).astype(np.float32)
            chances.append(chance / max(float(chance.sum()), 1.0))
        return Said(np.stack([owned, owned]), *chances)

    def next(self, board: Board, mask: Mask) -> tuple[float, float, float]:
        return 0.5, 0.25, 0.25


class Doubtful(Plain):
    """Is sure of nothing: everything is left to the exact engine."""

    def say(self, board: Board, mask: Mask) -> Said:
        said = super().say(board, mask)
        return Said(np.zeros_like(said.ownership), said.black, said.white)


def corridor() -> tuple[Board, list[int]]:
    board = board_of(WALLS)
    return board, [board.grid.parse(name) for name in CORRIDOR]


def test_a_tree_without_the_exact_engine_finds_the_corridor() -> None:
    board, region = corridor()
    exact = local_game(board, region)
    found = estimate_region(board, region, network=Plain(), exact_below=0, seconds=30)
    assert (
        (found.count, found.miai_value) == (exact.count, exact.miai_value) == (Fraction(1, 2), Fraction(1, 2))
    )
    assert found.low <= found.count <= found.high
    assert found.exact_positions == 0
    assert found.value.black_moves == exact.value.black_moves


def test_small_positions_go_to_the_exact_engine() -> None:
    board, region = corridor()
    found = estimate_region(board, region, network=Doubtful(), seconds=30)
    assert found.exact_positions == found.positions == 1
    assert found.low == found.high == found.count == Fraction(1, 2)
    assert found.value.type is local_game(board, region).value.type


def test_an_estimate_never_calls_itself_exact() -> None:
    board, region = corridor()
    found = estimate_region(board, region, network=Doubtful(), seconds=30)
    assert not found.value.exact
    assert "estimate" in found.value.assumptions[0]
    told = json.loads(json.dumps(found.to_json()))
    assert told["interval"] == ["1/2", "1/2"] and told["next_black"] == 0.5


def test_colours_exchanged() -> None:
    board, region = corridor()
    swapped = Board(7)
    swapped.setup(black=board.stones(WHITE), white=board.stones(BLACK))
    found = estimate_region(board, region, network=Plain(), exact_below=0, seconds=30)
    other = estimate_region(swapped, region, network=Plain(), exact_below=0, seconds=30)
    assert other.count == -found.count and other.miai_value == found.miai_value
    assert (other.low, other.high) == (-found.high, -found.low)


def test_the_tree_tells_counts_along_the_way() -> None:
    board, region = corridor()
    tree = estimate_region(board, region, network=Plain(), exact_below=0, seconds=30).tree
    assert (tree.point, tree.count, tree.temperature) == (None, Fraction(1, 2), Fraction(1, 2))
    after = {(child.black, board.grid.name(child.point or 0)): child for child in tree.children}
    assert after[True, "D7"].count == 1  # a stone played is no point
    assert after[False, "D7"].count == 0

    def depth(node: TreeNode) -> int:
        return 1 + max((depth(child) for child in node.children), default=0)

    assert depth(tree) >= 3
    assert tree.to_json(board.grid)["children"][0]["colour"] == "B"


def test_the_budget_is_kept() -> None:
    board, region = corridor()
    judge = Plain()
    found = estimate_region(board, region, network=judge, exact_below=0, positions=1, seconds=30)
    assert found.positions == judge.asked == 1
    assert found.high > found.low


@pytest.mark.parametrize("region", [[], [3], "all"], ids=["empty", "off the board", "everything"])
def test_what_is_no_region(region: list[int] | str) -> None:
    board, _ = corridor()
    points = [int(p) for p in board.grid.points] if region == "all" else region
    with pytest.raises(RegionError):
        estimate_region(board, points, network=Plain())  # type: ignore[arg-type]


def test_a_network_that_is_not_there() -> None:
    board, region = corridor()
    with pytest.raises(NetworkError, match="no network has this name"):
        estimate_region(board, region, network="nowhere")


def test_the_worked_examples(data: Path) -> None:
    """With everything left to the exact engine, estimates are the published answers, kos included."""
    for line in (data / "endgame" / "positions.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["n_empty"] > 7:
            continue
        board = Game(sgf.parse(row["sgf"]).games[0]).board_at(0)
        region = [board.grid.parse_sgf(letters) for letters in row["region"]]
        found = estimate_region(board, region, network=Doubtful(), exact_below=9, seconds=20)
        assert str(found.count) == row["count"], row["id"]
        assert str(found.miai_value) == row["miai_value"], row["id"]


@pytest.mark.skipif("endgame" not in registry.shipped(), reason="the endgame network is not in this copy")
def test_the_shipped_network_answers() -> None:
    board, region = corridor()
    judge = load_judge("endgame", threads=1)
    mask = np.isin(board.grid.points, region)
    said = judge.judge([board], mask)[0]
    assert said.ownership.shape == (2, 49)
    assert np.abs(said.ownership).max() <= 1
    for chance in (said.black, said.white):
        assert chance[~mask].sum() == 0
        assert chance.sum() == pytest.approx(1, abs=1e-4)
    assert sum(judge.next(board, mask)) == pytest.approx(1, abs=1e-4)
    assert said.ownership[:, board.grid.points.tolist().index(board.grid.parse("A6"))].min() > 0
    found = estimate_region(board, region, network=judge, seconds=5)
    assert found.low <= found.count <= found.high
