"""Combinatorial games: canonical forms, order, sums, names."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given

from endgame.trees import canonical, plus, read, trees, with_numbers
from miai.endgame.games import add, game, left_stop, negate, number, right_stop, simplest_number
from miai.endgame.names import DOWN, STAR, UP, ZERO, UnknownGame, miny, name, nimber, parse, switch, tiny, ups
from miai.endgame.thermograph import cool


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{0|0}", "star"),
        ("{0,star|0,star}", "star2"),
        ("{0|star}", "up"),
        ("{star|0}", "down"),
        ("{0,star|0}", "upstar"),
        ("{0|{0,star|0}}", "up2"),
        ("{0|up}", "up2star"),
        ("up + up + up", "up3"),
        ("{0|{0|-4}}", "tiny(4)"),
        ("{{4|0}|0}", "miny(4)"),
        ("{4|-2}", "1 +- 3"),
        ("{3|-3}", "+-3"),
        ("{2|2}", "2 + star"),
        ("{0|1}", "1/2"),
        ("{0|1/2}", "1/4"),
        ("{-5|5}", "0"),
        ("{2|7}", "3"),
        ("{3|{3|-1}}", "3 + tiny(4)"),
        ("{1/2|{1/2|1/2}}", "1/2 + up"),
        ("{star|star}", "0"),  # every move is answered
        ("{{2|0}|star}", "0"),  # both reversible
        ("{up|down}", "star"),  # reversible through star's options
        ("{1,-1|-1}", "+-1"),  # dominated
        ("{9|{4|0}}", "{9|{4|0}}"),  # no name
    ],
)
def test_names(text: str, expected: str) -> None:
    assert name(parse(text)) == expected
    assert parse(expected) is parse(text)


def test_small_values_and_their_order() -> None:
    assert add(STAR, STAR) is ZERO
    assert add(nimber(1), nimber(2)) is nimber(3)
    assert add(UP, DOWN) is ZERO
    assert add(ups(2), STAR) is ups(2, star=True)
    assert UP > ZERO and tiny(3) > ZERO and tiny(3) < UP and tiny(1) > tiny(2)
    assert not UP >= STAR and not STAR >= UP and ups(2) > STAR
    assert miny(5) is negate(tiny(5))
    assert switch(3, 1) > number(0) and not switch(3, 1) >= number(2) and not switch(3, 1) <= number(2)
    assert number(Fraction(1, 1024)) > ups(20)


@pytest.mark.parametrize(
    ("low", "low_fits", "high", "high_fits", "expected"),
    [
        (0, False, 1, False, "1/2"),
        (0, True, 1, False, "0"),
        (-7, False, -2, False, "-3"),
        ("1/4", False, "5/16", False, "9/32"),
        ("1/4", False, "5/16", True, "5/16"),
        ("1/3", True, "1/3", True, "1/3"),
        ("5/2", False, 9, False, "3"),
        (-1, False, 4, False, "0"),
    ],
)
def test_simplest_number(low: str, low_fits: bool, high: str, high_fits: bool, expected: str) -> None:
    assert simplest_number(Fraction(low), low_fits, Fraction(high), high_fits) == Fraction(expected)


@pytest.mark.parametrize("text", ["", "{1|", "{1|2", "1 2", "{|}", "up down", "wrong", "+", "{1|2}}"])
def test_what_is_not_a_game(text: str) -> None:
    with pytest.raises(UnknownGame):
        parse(text)


def test_options_on_both_sides() -> None:
    with pytest.raises(ValueError, match="both sides"):
        game([number(1)], [])


@given(trees(), trees())
def test_sums(a: object, b: object) -> None:
    g, h = canonical(a), canonical(b)
    total = add(g, h)
    assert total is add(h, g)
    assert total is canonical(plus(with_numbers(a), with_numbers(b)))
    assert add(total, negate(h)) is g
    assert add(g, negate(g)) is ZERO


@given(trees(), trees())
def test_order(a: object, b: object) -> None:
    g, h = canonical(a), canonical(b)
    difference = add(g, negate(h))
    assert (g <= h) == (difference <= ZERO)
    assert (g >= h) == (difference >= ZERO)
    assert (g <= h and h <= g) == (g is h)
    assert left_stop(g) >= right_stop(g)


@given(trees())
def test_text_and_back(a: object) -> None:
    g = canonical(a)
    assert parse(str(g)) is g
    assert parse(name(g)) is g
    assert canonical(read(str(g))) is g


def test_worked_examples(data: Path) -> None:
    checked = 0
    for line in (data / "endgame" / "positions.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["chilled"] is None or record["ko"]:
            continue
        chilled = cool(parse(record["theory"]), 1)
        assert name(chilled) == record["chilled"], record["id"]
        assert parse(record["chilled"]) is chilled, record["id"]
        checked += 1
    assert checked >= 10
