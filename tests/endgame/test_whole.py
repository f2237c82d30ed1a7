"""A whole board: the worked examples through `analyse`, sums of regions, settled points, what is exact."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from miai.endgame.answers import Method, Mode, Worker
from miai.endgame.drawing import picture, summary, text
from miai.endgame.local import RegionError
from miai.endgame.ownership import by_ownership
from miai.endgame.tree_sgf import tree
from miai.endgame.whole import Analysis, AnalysisError, analyse, settled_points
from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, WHITE
from miai.go.diagram import parse_diagram, parse_marked
from miai.go.game import Game
from miai.go.rules import CHINESE, JAPANESE, TROMP_TAYLOR, Count
from miai.go.sgf import parse, serialise
from miai.nets.runtime import Evaluation, load

FIELDS = ("count", "miai_value", "left_stop", "right_stop", "area_count", "area_temperature")
ISSUE_FIELDS = [
    "region", "count", "miai_value", "deiri_value", "type", "black_moves", "white_moves", "left_stop",
    "right_stop", "area_count", "area_temperature", "next_black", "next_white", "next_nobody", "exact",
    "assumptions", "seconds",
]  # fmt: skip

# Black left, White right, all alive; a corridor of two at D2, a dame at E6.
BOARD = """
    . X . X . O . O .
    X X X X O O O O O
    . X . X O O . O .
    X X X X O O O O O
    X X X . . O . O O
    X X X X X O O O O
"""


class Oracle:
    """Stands in for a network: says what it is told."""

    name = "oracle"
    heads = ("policy", "ownership")

    def __init__(self, ownership: np.ndarray) -> None:
        self.ownership = ownership.astype(np.float32)

    def evaluate_boards(self, boards, **_):
        height, width = self.ownership.shape
        n = len(boards)
        policy = np.full((n, 1, height * width + 1), 1 / (height * width + 1), np.float32)
        to_move = np.array([board.to_move for board in boards], np.int8)
        return Evaluation(width, height, to_move, policy, None, None, np.stack([self.ownership] * n))


class Mover(Oracle):
    """Gives the first point of the board to whoever is to move."""

    def evaluate_boards(self, boards, **_):
        said = super().evaluate_boards(boards)
        said.ownership[:, 0, 0] = [1 if board.to_move == BLACK else -1 for board in boards]
        return said


def stones_owned(board: Board, share: float = 1.0) -> np.ndarray:
    found = np.zeros((board.grid.height, board.grid.width))
    for p in board.grid.points.tolist():
        found[board.grid.row_column(p)] = {BLACK: share, WHITE: -share}.get(board[p], 0.0)
    return found


def examples(data: Path) -> list[dict]:
    with (data / "endgame" / "positions.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


def example(data: Path, number: int) -> tuple[Board, list[int], dict]:
    record = examples(data)[number - 1]
    board = Game.read(record["sgf"]).board_at()
    return board, [board.grid.parse_sgf(name) for name in record["region"]], record


@pytest.mark.parametrize("number", range(1, 16))
def test_worked_examples_without_a_network(data: Path, number: int):
    board, mask, record = example(data, number)
    found = analyse(board, regions=[mask])
    said = found.to_json()["regions"][0]
    assert [said[name] for name in FIELDS] == [record[name] for name in FIELDS]
    assert said["type"] in record["accept_types"]
    assert said["exact"] and not said["assumptions"]
    assert found.exact


def test_json_has_the_documented_fields(data: Path):
    board, mask, _ = example(data, 2)
    said = analyse(board, regions=[mask]).to_json()
    assert set(ISSUE_FIELDS) <= said["regions"][0].keys()
    assert {"count", "temperature", "ahead", "black_order", "white_order", "sente_first"} <= said[
        "board"
    ].keys()
    json.dumps(said)


def test_the_count_of_a_board_is_the_sum_of_its_parts():
    board = parse_diagram(BOARD, rules=JAPANESE)
    found = analyse(board, network=Oracle(stones_owned(board)), komi=0.5)
    # Black has four holes and White five; the corridor and the dame at the top are worth 1/2 and 0
    assert [(r.value.count, r.value.miai_value) for r in found.regions] == [
        (Fraction(1, 2), Fraction(1, 2)),
        (0, 0),
    ]
    assert found.settled == 4 - 5
    assert found.count == Fraction(1, 2) - 1 - Fraction(1, 2)
    assert found.black_first == -Fraction(1, 2)
    assert found.exact


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_what_the_network_adds_up_is_nobodys_turn(to_move: int) -> None:
    """A point that the mover gets counts 0 and is worth 1, whoever is to move."""
    board = Board(5)
    board.to_move = to_move
    value = by_ownership(board, [board.grid.parse("A5"), board.grid.parse("B5")], Mover(np.zeros((5, 5))))
    assert (value.area_count, value.miai_value) == (0, 1)


def test_the_shipped_network_adds_up() -> None:
    """Black left, White right, a line of neutral points between them: an even count."""
    board = Board(9)
    lines = [[board.grid.parse(f"{column}{row}") for row in range(1, 10)] for column in "DEF"]
    board.setup(black=lines[0], white=lines[2])
    value = by_ownership(board, lines[1], load("default"))
    assert abs(value.area_count) < 1 and not value.exact


def test_a_named_region_gets_all_the_time_if_no_network_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    board = parse_diagram(BOARD, rules=JAPANESE)
    until: list[float] = []
    work = Worker.all

    def watched(self, deadline):
        until.append(deadline - time.perf_counter())
        return work(self, deadline)

    monkeypatch.setattr(Worker, "all", watched)
    analyse(board, regions=[_open(board)], seconds=50)
    analyse(board, regions=[_open(board)], seconds=50, network=Oracle(stones_owned(board)))
    assert until[0] > 48 and until[1] < 42


def test_the_result_is_that_of_the_side_to_move():
    board = parse_diagram(BOARD, rules=CHINESE)
    for who, name in ((BLACK, "black_first"), (WHITE, "white_first")):
        board.to_move = who
        said = analyse(board, network=Oracle(stones_owned(board))).to_json()["board"]
        assert said["result"] == said[name]
    assert said["black_first"] != said["white_first"]


def test_area_and_territory_differ_by_stones_and_moves():
    by_area = parse_diagram(BOARD, rules=CHINESE)
    found = analyse(by_area, network=Oracle(stones_owned(by_area)))
    black, white = len(by_area.stones(BLACK)), len(by_area.stones(WHITE))
    territory = analyse(parse_diagram(BOARD, rules=JAPANESE), network=Oracle(stones_owned(by_area)))
    assert found.count == territory.count + black - white
    assert found.counting is Count.AREA


def test_who_plays_where_next_is_the_networks_opinion():
    board = parse_diagram(BOARD, rules=JAPANESE)
    value = analyse(board, network=Oracle(stones_owned(board))).regions[0].value
    assert value.next_black == pytest.approx(2 / 55)  # two of 54 points and the pass, all as likely
    assert value.next_black + value.next_white + value.next_nobody == pytest.approx(1)
    assert analyse(board, regions=[list(value.region)]).regions[0].value.next_black is None


def test_handicap_is_paid_back_where_the_rules_say_so():
    board = parse_diagram(BOARD, rules=CHINESE)
    plain = analyse(board, network=Oracle(stones_owned(board)))
    assert analyse(board, network=Oracle(stones_owned(board)), handicap=3).count == plain.count - 3


def test_dead_stones_count_twice_in_territory():
    board = parse_diagram(BOARD, rules=JAPANESE)
    before = settled_points(board, _owner(board), set(_open(board)), Count.TERRITORY)
    board.setup(white=[board.grid.parse("C4")], empty=[board.grid.parse("C5")])
    owner = _owner(board)
    owner[board.grid.parse("C4")] = BLACK
    assert settled_points(board, owner, set(_open(board)), Count.TERRITORY) == before + 1 + 1


def _open(board: Board) -> list[int]:
    return [board.grid.parse(name) for name in ("D2", "E2", "E6")]


def _owner(board: Board) -> np.ndarray:
    owner = board.arrays.colour.copy()
    for p in board.stones(EMPTY):
        owner[p] = BLACK if board.grid.row_column(p)[1] < 4 else WHITE
    return owner


# what is not exact ------------------------------------------------------------------------------

WEAK = """
    . . . . . . . . .
    X X X X X X X X X
    a a a . . . . . .
    O O O O O O O O O
    . . . . . . . . .
"""


def test_walls_that_are_not_proved_alive_are_an_assumption():
    board, _ = parse_marked(WEAK.replace("a", "."))
    mask = [board.grid.parse(f"{column}3") for column in "ABCDEFGHJ"]
    found = analyse(board, regions=[mask])
    value = found.regions[0].value
    assert not value.exact and not found.exact
    assert any("safe" in sentence for sentence in value.assumptions)
    assert found.count is None  # nobody said whose the rest is


def test_rules_with_suicide_are_an_assumption(data: Path):
    board, mask, _ = example(data, 1)
    board.rules = TROMP_TAYLOR
    found = analyse(board, regions=[mask])
    assert not found.regions[0].value.exact
    assert "suicide" in found.regions[0].value.assumptions[-1]


def test_a_board_on_which_nothing_is_settled():
    with pytest.raises(RegionError, match="settled yet"):
        analyse(Board(5), network=Oracle(np.zeros((5, 5))))


def test_without_network_or_region():
    with pytest.raises(AnalysisError, match="--region"):
        analyse(Board(9))


def test_too_large_for_search_is_undecided_and_not_guessed():
    board = Board(9)
    board.setup(black=[board.grid.parse("E5")])
    mask = [p for p in board.grid.points.tolist() if board.grid.row_column(p)[0] < 8]
    found = analyse(board, regions=[mask], mode=Mode.EXACT, seconds=0.3)
    assert not found.regions and found.undecided[0].region == tuple(mask)
    assert found.count is None and not found.exact


def test_a_search_far_from_the_network_is_not_believed():
    """Walls that the network knows to be dead: the search, which takes them to be safe, gives way."""
    board = parse_diagram("""
        . . O . X .
        O O O . X .
        . . O . X .
        O O O . X .
        . . O . X .
    """)
    ownership = np.full((5, 6), -1.0)
    ownership[:, 3] = -0.85
    for r in (0, 2, 4):
        ownership[r, 3] = -0.8
    found = analyse(board, network=Oracle(ownership), seconds=2)
    assert all(not r.value.exact for r in found.regions)
    assert float(found.count) == pytest.approx(-30, abs=6)


# for people -------------------------------------------------------------------------------------


def corridor() -> Analysis:
    board = parse_diagram(BOARD, rules=JAPANESE)
    return analyse(board, network=Oracle(stones_owned(board)))


def test_text():
    said = text(corridor(), unicode=False)
    assert "a  1/2    +1/2   gote  E2" in said
    assert "Dame: b at E6." in said
    assert "Black plays E2 (1/2, gote)." in said


def test_picture_and_summary():
    found = corridor()
    drawn = picture(found)
    assert drawn.startswith("<svg") and ">1/2</text>" in drawn and ">b</text>" in drawn
    assert summary(found).startswith("Count: W+1/2 by territory, with komi 0; Black to move.")


def test_tree_has_count_and_temperature_at_every_node():
    root = parse(serialise(tree(corridor()))).games[0]
    moves = [node for node in root.walk() if node is not root]
    comments = [node.get_text("C") for node in moves]
    assert all("count" in comment and "temperature" in comment for comment in comments)
    assert sorted(comments) == [
        "Region a: count 0, temperature 0 (dame)",
        "Region a: count 1, temperature 0 (settled)",
    ]


def test_tree_of_a_ko_ends(data: Path):
    board, mask, _ = example(data, 12)
    root = tree(analyse(board, regions=[mask]))
    assert 2 <= sum(1 for _ in root.walk()) < 200


def test_prisoners_are_counted_along_the_tree(data: Path):
    """The count before Black's and White's best moves is between the counts after them."""
    board, mask, record = example(data, 9)
    found = analyse(board, regions=[mask])
    root = tree(found)
    counts = {}
    for child in root.children:
        words = child.get_text("C").split("count ")[1].split(",")[0]
        counts["B" if "B" in child else "W"] = Fraction(words)
    assert counts["B"] - counts["W"] == 2 * Fraction(record["miai_value"])
    assert found.regions[0].method is Method.SEARCH
