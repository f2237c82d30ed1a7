"""Counting: a table of finished games, the marks of dead stones, and laws between ways of counting."""

from __future__ import annotations

import json
import random

import pytest

from miai.go.board import Board
from miai.go.coords import BLACK, PASS, WHITE
from miai.go.diagram import parse_diagram
from miai.go.rules import AGA, CHINESE, JAPANESE, KOREAN, NEW_ZEALAND, RULESETS, TROMP_TAYLOR, Count, Rules
from miai.go.scoring import dead_stones, score

WALLS = """
    . X O . .
    . X O . .
    X X O O .
    . X X O .
    . . X O .
"""
DEAD_INSIDE = """
    . X X O .
    O . X O O
    . O X O .
    X X X O X
    . . X O .
"""
OPEN_DAME = """
    . . X . O . .
    . . X . O . .
    . . X . O . .
    . . X . O . .
"""
SEKI_WITH_EYES = """
    . O O X X X . O O O X X .
    O O O X . X . O . O X X X
    . O O X X X . O O O X X .
"""
SEKI_WITHOUT_EYES = """
    . O O X . O X X .
    O . O X . O X . X
"""


@pytest.mark.parametrize(
    ("name", "position", "dead", "rules", "result"),
    [
        # area: 7 stones and 5 points against 6 and 7; territory: the points alone
        ("walls", WALLS, "", CHINESE, "W+8.5"),
        ("walls", WALLS, "", JAPANESE, "W+8.5"),
        ("walls", WALLS, "", NEW_ZEALAND, "W+8"),
        # two white stones are dead on the left, one black on the right:
        # area 8 + 7 against 6 + 4; territory 7 + 2 against 4 + 1
        ("dead stones", DEAD_INSIDE, "A4 E2", CHINESE, "W+2.5"),
        ("dead stones", DEAD_INSIDE, "A4 E2", JAPANESE, "W+2.5"),
        # area 9 + 2 against 8 + 1, the rest touches both
        ("nothing marked", DEAD_INSIDE, "", CHINESE, "W+5.5"),
        # eight points each, and the middle nobody's
        ("dame left open", OPEN_DAME, "", CHINESE, "W+7.5"),
        ("dame left open", OPEN_DAME, "", JAPANESE, "W+6.5"),
        ("seki, an eye each", SEKI_WITH_EYES, "", CHINESE, "W+7.5"),
        ("seki, an eye each", SEKI_WITH_EYES, "", JAPANESE, "W+6.5"),
        ("seki without eyes", SEKI_WITHOUT_EYES, "", TROMP_TAYLOR, "W+7.5"),
        ("seki without eyes", SEKI_WITHOUT_EYES, "", KOREAN, "W+6.5"),
        ("the empty board", ". .\n. .", "", CHINESE, "W+7.5"),
        ("one stone owns an empty board", ". .\n. X", "", CHINESE, "W+3.5"),
    ],
)
def test_results(name: str, position: str, dead: str, rules: Rules, result: str) -> None:
    board = parse_diagram(position)
    assert score(board, rules, dead=[board.grid.parse(n) for n in dead.split()]).result == result


def owner_map(position: str, rules: Rules, dead: str = "") -> list[str]:
    board = parse_diagram(position)
    return score(board, rules, dead=[board.grid.parse(n) for n in dead.split()]).to_json()["owner"]


def test_who_owns_what() -> None:
    assert owner_map(DEAD_INSIDE, CHINESE, "A4 E2") == ["BBBWW", "BBBWW", "BBBWW", "BBBWW", "BBBWW"]
    assert owner_map(OPEN_DAME, JAPANESE) == ["BBB.WWW"] * 4
    assert owner_map(SEKI_WITH_EYES, CHINESE) == ["WWWBBB.WWWBBB"] * 3
    seki = ["WWWBBB.WWWBBB", "WWWB.B.W.WBBB", "WWWBBB.WWWBBB"]
    assert owner_map(SEKI_WITH_EYES, JAPANESE) == owner_map(SEKI_WITH_EYES, KOREAN) == seki


def test_where_the_points_come_from() -> None:
    board = parse_diagram(DEAD_INSIDE)
    dead = [board.grid.parse("A4"), board.grid.parse("E2")]
    by_territory, by_area = score(board, JAPANESE, dead=dead), score(board, CHINESE, dead=dead)
    assert by_territory.black.__dict__ == {"stones": 0, "territory": 7, "prisoners": 2, "bonus": 0.0}
    assert by_territory.white.__dict__ == {"stones": 0, "territory": 4, "prisoners": 1, "bonus": 6.5}
    assert by_area.black.__dict__ == {"stones": 8, "territory": 7, "prisoners": 0, "bonus": 0.0}
    assert by_area.white.__dict__ == {"stones": 6, "territory": 4, "prisoners": 0, "bonus": 7.5}
    assert by_area.dead == ("A4", "B3", "E2")
    assert json.loads(json.dumps(by_area.to_json()))["black"]["total"] == 15


def test_prisoners_captured_in_play_count_as_territory_only() -> None:
    board = parse_diagram("O . .\nX . .\n. . .")
    board.play(board.grid.parse("B3"))
    assert score(board, JAPANESE, komi=0).black.__dict__ == {
        "stones": 0,
        "territory": 7,
        "prisoners": 1,
        "bonus": 0.0,
    }
    assert score(board, CHINESE, komi=0).margin == 9


@pytest.mark.parametrize(
    ("rules", "handicap", "bonus"),
    [(CHINESE, 4, 4), (AGA, 4, 3), (NEW_ZEALAND, 4, 0), (JAPANESE, 4, 0), (CHINESE, 0, 0), (AGA, 0, 0)],
)
def test_handicap_bonus(rules: Rules, handicap: int, bonus: int) -> None:
    assert score(Board(5), rules, komi=0.5, handicap=handicap).white.bonus == 0.5 + bonus
    assert score(Board(5), rules, handicap=handicap, count=Count.TERRITORY).white.bonus == rules.komi


def test_a_drawn_game() -> None:
    assert score(Board(5), NEW_ZEALAND, komi=0).result == "Draw"
    assert score(Board(5), komi=-2).result == "B+2"


# dead stones ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "position", "marked", "whole_region", "wanted"),
    [
        ("one of two marks both", DEAD_INSIDE, "A4", True, "A4 B3"),
        ("only the chain", DEAD_INSIDE, "A4", False, "A4"),
        ("the other colour in the region stays", DEAD_INSIDE, "E2", True, "E2"),
        ("the whole chain", ". X X\nO O X\nX X X", "A2", False, "A2 B2"),
        # the white chain at the top lives whatever happens: a mark below does not reach it
        ("life is not swept away", ". O . O .\nO O O O .\n. . . . .\nO . . . X", "A1", True, "A1"),
        ("unless it is marked itself", ". O . O .\nO O O O .\n. . . . X", "B3", True, "B3 D3 A2 B2 C2 D2"),
        ("nothing marked", WALLS, "", True, ""),
    ],
)
def test_marking(name: str, position: str, marked: str, whole_region: bool, wanted: str) -> None:
    board = parse_diagram(position)
    points = [board.grid.parse(n) for n in marked.split()]
    assert board.grid.names(dead_stones(board, points, whole_region=whole_region)) == wanted.split()


def test_marking_nothing_is_an_error() -> None:
    board = parse_diagram(WALLS)
    with pytest.raises(ValueError, match="no stone on A5"):
        score(board, dead=[board.grid.parse("A5")])


# laws -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_aga_area_and_territory_agree(seed: int) -> None:
    """The promise of pass stones: players who moved equally often, White last, may count either way."""
    board, choose, passes = Board(5, rules=AGA), random.Random(seed), {BLACK: 0, WHITE: 0}
    for _ in range(2 * choose.randint(5, 60)):
        point = choose.choice([*board.legal_moves(), PASS])
        passes[board.to_move] += point == PASS
        board.play(point)
    stones = [*board.stones(BLACK), *board.stones(WHITE)]
    dead = choose.sample(stones, k=min(len(stones), choose.randint(0, 2)))
    by_area = score(board, dead=dead, komi=7.5)
    by_territory = score(board, dead=dead, komi=7.5, count=Count.TERRITORY, passes=passes)
    assert by_area.margin == by_territory.margin


@pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))
def test_colours_exchanged_exchange_the_score(rules: Rules) -> None:
    for position in (WALLS, DEAD_INSIDE, OPEN_DAME, SEKI_WITH_EYES, SEKI_WITHOUT_EYES):
        exchanged = position.translate(str.maketrans("XO", "OX"))
        margin = score(parse_diagram(position), rules, komi=0).margin
        assert score(parse_diagram(exchanged), rules, komi=0).margin == -margin
