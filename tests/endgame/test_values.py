"""From thermographs to what players ask: count, miai value, sente or gote, correct moves, the whole board."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from endgame.plain_go import BLACK, WHITE, Region
from endgame.trees import Tree, graph, is_leaf, plus, read, with_numbers
from miai.endgame.board import BoardValue, board_value, forecast
from miai.endgame.graph import Graph, graph_of
from miai.endgame.kos import solve
from miai.endgame.orthodox import Place, choose, play_out, search
from miai.endgame.values import Heat, RegionValue, Type, region_type, value_of
from miai.go.coords import grid


def of(text: str) -> RegionValue:
    """The value of a territory game, through its area graph."""
    return value_of(graph(read(text), per_move=1))


def ko(won: int, lost: int, holder: str) -> Graph:
    """A simple ko by area, from its results in territory: Black needs two moves from White's hold, and so on.

    Labels: 0 is the taking or winning move of Black, 1 of White.
    """
    to_win, to_lose = (2, 1) if holder == "W" else (1, 2)
    left = {1: [(2, True, 0)], 2: [(3, False, 0)]}
    right = {2: [(1, True, 1)], 1: [(0, False, 1)]}
    scores = [lost - to_lose, lost - to_lose, won + to_win, won + to_win]
    return graph_of(scores, left, right, root=1 if holder == "W" else 2)


@pytest.mark.parametrize(
    ("text", "kind", "count", "miai"),
    [
        ("{4|-2}", "gote", "1", "3"),
        ("{9|{4|0}}", "gote", "11/2", "7/2"),
        ("{{0|-10}|-13}", "black_sente", "-10", "3"),
        ("{13|{10|0}}", "white_sente", "10", "3"),
        ("{10|{7|{2|0}}}", "ambiguous", "7", "3"),
        ("{0|0}", "dame", "0", "0"),
        ("{1|1}", "dame", "1", "0"),
        ("4", "settled", "4", "0"),
        ("{-3|3}", "settled", "0", "0"),
        ("{0|1}", "dame", "1/2", "0"),  # half a point by area, for whoever moves
    ],
)
def test_types(text: str, kind: str, count: str, miai: str) -> None:
    value = of(text)
    assert (value.type.value, str(value.count), str(value.miai_value)) == (kind, count, miai)
    assert value.deiri_value == 2 * value.miai_value
    assert value.exact


def test_roles_and_moves() -> None:
    value = of("{{0|-10},-11|-13,-12}")
    assert value.type is Type.BLACK_SENTE
    assert (value.role(True), value.role(False)) == ("sente", "reverse sente")
    assert (value.black_moves, value.white_moves) == ((0,), (0,))
    equal = of("{5,5,3|-1,-1}")
    assert (equal.black_moves, equal.white_moves) == ((0, 1), (0, 1))


def test_what_borders_on_what() -> None:
    assert region_type(Heat.COOLER, Heat.SAME) == (Type.AMBIGUOUS, Type.GOTE, Type.WHITE_SENTE)
    assert region_type(Heat.SAME, Heat.COOLER) == (Type.AMBIGUOUS, Type.GOTE, Type.BLACK_SENTE)
    assert region_type(Heat.HOTTER, Heat.HOTTER) == (Type.DOUBLE_SENTE,)
    assert len(region_type(Heat.SAME, Heat.SAME)) == 5


def test_ko_values() -> None:
    value = value_of(ko(5, -1, "B"), stones=0)
    assert value.type is Type.KO and value.accept_types == (Type.KO,)
    assert (value.black_moves, value.white_moves) == ((), ())
    assert (value.moves(True), value.moves(False)) == ((0,), (1,))
    assert (value.count, value.miai_value) == (3, 2)


def test_a_ko_that_does_not_matter_is_no_ko() -> None:
    """Black may start a ko in the dead stone's favour, and loses by it; White then wins at once."""
    left = {0: [(1, False, 7), (2, True, 8)]}
    right = {0: [(3, False, 9)], 2: [(0, True, 9), (4, False, 9)]}
    value = value_of(graph_of([0, 6, -20, -6, -20], left, right))
    assert value.type is Type.GOTE and value.black_moves == (7,)


def triple_ko(root: int, *, first: int | None = None) -> Graph:
    """Each capture threatens to win 30. `first`: with a node before it, worth that much to White at once."""
    left: dict[int, list[int | tuple[int, bool]]] = {}
    right: dict[int, list[int | tuple[int, bool]]] = {}
    for held in range(8):  # one bit for each ko that Black holds
        left[held] = [(held | 1 << i, True) for i in range(3) if not held >> i & 1]
        right[held] = [(held & ~(1 << i), True) for i in range(3) if held >> i & 1]
        (left if held.bit_count() >= 2 else right)[held].append((8 if held.bit_count() >= 2 else 9, False))
    scores = [0] * 8 + [30, -30]
    if first is not None:
        root = len(scores)
        scores += [0, first, 40]
        left[root], right[root] = [1, root + 2], [root + 1]
    return graph_of(scores, left, right, root=root)


def test_triple_ko_is_not_called_exact() -> None:
    value = value_of(triple_ko(1))
    assert not value.exact and "repetition" in value.assumptions[-1]


def test_a_repetition_that_nobody_wants_leaves_the_answer_exact() -> None:
    """Black could go into the triple ko instead of taking 40 points."""
    value = value_of(triple_ko(0, first=-40))
    assert value.exact and not value.assumptions
    assert (value.count, value.type) == (0, Type.GOTE)


def test_json() -> None:
    board = grid(9)
    value = value_of(graph(read("{9|{4|0}}"), per_move=1), region=(board.parse("C3"),), grid=board)
    found = json.loads(json.dumps(value.to_json()))
    assert found["region"] == ["C3"] and found["count"] == "11/2" and found["deiri_value"] == "7"
    assert found["type"] == "gote" and found["exact"] is True and found["area_temperature"] == "9/2"
    wanted = "region count miai_value deiri_value type black_moves white_moves left_stop right_stop"
    wanted += " area_count area_temperature next_black next_white next_nobody exact assumptions seconds"
    assert set(wanted.split()) <= set(found)


def territory_tree(theory: str) -> Tree:
    total: Tree = 0
    for part in theory.split(" + "):
        total = plus(total, read(part))
    return total


def test_worked_examples(data: Path) -> None:
    for line in (data / "endgame" / "positions.jsonl").read_text().splitlines():
        record: dict[str, Any] = json.loads(line)
        stones = Fraction(record["area_count"]) - Fraction(record["count"])
        if record["ko"]:
            words = dict(word.split("=") for word in record["theory"].split()[1:])
            shape = ko(int(words["l"]), int(words["r"]), words["holder"])
        else:
            shape = graph(territory_tree(record["theory"]), per_move=1)
        value = value_of(shape)
        found = value.to_json()
        for key in ("count", "miai_value", "left_stop", "right_stop", "area_temperature"):
            assert found[key] == record[key], (record["id"], key)
        assert value.area_count + stones == Fraction(record["area_count"])
        if record["family"] == "first-line hane":  # `theory` is not the whole tree
            assert found["type"] in record["accept_types"]
        else:
            assert found["type"] == record["type"], record["id"]
            assert sorted(found["accept_types"]) == sorted(record["accept_types"]), record["id"]


def test_worked_examples_from_the_rules_of_go(data: Path) -> None:
    """Every legal move of every region, loops included: all fields, the moves too."""
    records = [json.loads(line) for line in (data / "endgame" / "positions.jsonl").read_text().splitlines()]
    for record in records:
        region = Region(record["sgf"])
        stones = region.start.count(BLACK) - region.start.count(WHITE)
        value = value_of(region.graph(), stones=stones)
        found = value.to_json()
        for key in ("black_moves", "white_moves"):
            found[key] = sorted(record["region"][int(label)] for label in found[key])
        found["accept_types"].sort()
        for key in set(found) & set(record) - {"region"}:
            expected = sorted(record[key]) if isinstance(record[key], list) else record[key]
            assert found[key] == expected, (record["id"], key)
        assert value.exact


# ---------------------------------------------------------------------------------- the whole board


def places(*texts: str) -> list[Place]:
    return [Place(solve(shape), shape.root) for shape in (graph(read(text)) for text in texts)]


def test_order_of_moves() -> None:
    texts = ["{2|0}", "{{0|-10}|-13}", "{4|-2}", "5", "{1|{-2|-20}}"]
    board = board_value([of(text) for text in texts], settled=3, komi=6.5)
    assert [move.region for move in board.black_order] == [1, 2, 4, 0]  # sente first among equals
    assert [move.region for move in board.white_order] == [4, 1, 2, 0]
    assert [move.region for move in board.sente_first(True)] == [1]
    assert [move.region for move in board.sente_first(False)] == [4]
    assert board.count == sum(of(text).count for text in texts) + 3 - Fraction(13, 2)
    assert board.temperature == 3
    assert board.leader(True) == "white" and board.method == "forecast"
    found = json.loads(json.dumps(board.to_json()))
    assert set(found) == {"regions", "board"} and len(found["regions"]) == 5


def test_forecast_of_gote_moves_is_taking_turns() -> None:
    values = [of("{4|-4}"), of("{3|-3}"), of("{1|-1}")]
    assert forecast(values, True) == 4 - 3 + 1
    assert forecast(values, False) == -2


def played(texts: list[str]) -> BoardValue:
    shapes = [graph(read(text), per_move=1) for text in texts]
    spots = [Place(solve(shape), 0) for shape in shapes]
    return board_value([value_of(shape) for shape in shapes], places=spots, stones=[0] * len(shapes))


def test_results_are_played_out() -> None:
    board = played(["{4|-4}", "{{0|-10}|-13}", "{2|0}"])
    assert board.method == "search"
    # Black: his sente first (-10), then 4, White 0. White: -4, Black's sente, Black 2.
    assert board.black_first == -10 + 4 + 0
    assert board.white_first == -4 + 2 - 10


def test_too_much_to_search_is_played_by_temperature() -> None:
    assert search([Place(solve(ko(11, 0, "W")), 1)], True) is None  # a loop
    spots = places(*["{9|{5,4|{3,2|0}}}"] * 8)
    assert search(spots, True) is None


def test_answers_to_sente() -> None:
    """White has pushed: the threat of 20 is hotter than the 4 elsewhere."""
    spots = places("{20|0}", "{4|-4}")
    move, ambient = choose(spots, True, ambient=Fraction(4), last=0)
    assert move is not None and move.answers and move.place == 0 and ambient == 4
    move, _ = choose(spots, True, ambient=Fraction(12), last=1)
    assert move is not None and not move.answers and move.place == 0
    assert choose(places("3", "{0|1}"), True)[0] is None


def test_ko_fight_is_played_with_the_ban() -> None:
    """Black takes, White plays elsewhere, Black wins the ko."""
    ko_place = Place(solve(ko(11, 0, "W")), 1)
    result, moves = play_out([ko_place, *places("{3|-3}")], True)
    assert [(black, move.place) for black, move in moves] == [(True, 0), (False, 1), (True, 0)]
    assert result == 13 - 3


@cache
def best(tree: Tree, black: bool) -> Fraction:
    """Alternating play to the end, numbers left alone."""
    if is_leaf(tree):
        return Fraction(tree)
    results = [best(t, not black) for t in tree[0 if black else 1]]
    return max(results) if black else min(results)


def random_tree(rng: random.Random, depth: int) -> Tree:
    if depth == 0 or rng.random() < 0.25:
        return rng.randint(-9, 9)
    return (random_tree(rng, depth - 1),), (random_tree(rng, depth - 1),)


def test_orthodox_play_against_exhaustive_search() -> None:
    """Sums of two to three small regions: seldom worse than perfect, then by little."""
    rng = random.Random(5)
    perfect = games = 0
    while games < 150:
        regions = [with_numbers(random_tree(rng, 2)) for _ in range(rng.choice([2, 3]))]
        if sum(not is_leaf(tree) for tree in regions) < 2:
            continue
        total: Tree = 0
        for tree in regions:
            total = plus(total, tree)
        spots = [Place(solve(shape), 0) for shape in map(graph, regions)]
        hottest = max(spot.temperature for spot in spots)
        for black in (True, False):
            games += 1
            exact = best(total, black)
            assert search(spots, black) == exact
            error = abs(play_out(spots, black)[0] - exact)
            perfect += error == 0
            assert error <= hottest
    assert perfect >= 0.92 * games, f"{perfect} of {games}"
