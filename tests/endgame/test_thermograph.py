"""Walls and thermographs: the laws they obey, and the worked examples."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame.trees import canonical, graph, minimax, read, trees
from miai.endgame.games import add, negate, number
from miai.endgame.kos import solve
from miai.endgame.names import parse
from miai.endgame.plot import svg
from miai.endgame.thermograph import Wall, cool, freeze, lower, mast, thermograph, upper, wall_through

NUMBERS = st.integers(-54, 54).map(lambda n: Fraction(n, 6))
TEMPERATURES = st.integers(0, 72).map(lambda n: Fraction(n, 6))
STEEPEST = 3


@st.composite
def walls(draw: st.DrawFn) -> Wall:
    slopes = draw(st.lists(st.integers(-STEEPEST, STEEPEST), min_size=1, max_size=5))
    t, v = Fraction(0), draw(NUMBERS)
    corners = [(t, v)]
    for slope in slopes[:-1]:
        step = Fraction(draw(st.integers(1, 9)), 4)
        t, v = t + step, v + slope * step
        corners.append((t, v))
    return wall_through(corners, slopes[-1])


@given(walls(), walls(), st.lists(TEMPERATURES, min_size=1))
def test_upper_and_lower(f: Wall, g: Wall, temperatures: list[Fraction]) -> None:
    high, low = upper(f, g), lower(f, g)
    for t in temperatures:
        assert high.at(t) == max(f.at(t), g.at(t))
        assert low.at(t) == min(f.at(t), g.at(t))


@given(walls(), TEMPERATURES, TEMPERATURES, st.integers(-2, 2))
def test_wall_arithmetic(f: Wall, s: Fraction, t: Fraction, rate: int) -> None:
    assert f.cooled(s).at(t) == f.at(s + t)
    assert f.taxed(rate).at(t) == f.at(t) + rate * t
    assert f.plus(s).at(t) == f.at(t) + s
    assert (-f).at(t) == -f.at(t)


@settings(max_examples=40)
@given(walls(), walls(), NUMBERS)
def test_freeze_is_play_with_coupons(black: Wall, white: Wall, stop: Fraction) -> None:
    """A turn is worth the better of moving now and of what waiting was worth a coupon further down."""
    found = freeze(black, white, stop)
    per_point = 40
    left = max(black.at(0), min(white.at(0), stop))
    right = min(white.at(0), max(black.at(0), stop))
    for i in range(10 * per_point):
        t = Fraction(i, per_point)
        left, right = max(black.at(t), right), min(white.at(t), left)
        assert abs(found.left.at(t) - left) <= Fraction(4 * STEEPEST, per_point)
        assert abs(found.right.at(t) - right) <= Fraction(4 * STEEPEST, per_point)


@pytest.mark.parametrize(
    ("text", "mean", "temperature", "left", "right"),
    [
        ("5", "5", "0", "5", "5"),
        ("{4|-2}", "1", "3", "4", "-2"),
        ("{9|{4|0}}", "11/2", "7/2", "9", "4"),
        ("{{0|-10}|-13}", "-10", "3", "-10", "-13"),
        ("{{20|2}|{0|-20}}", "1/2", "21/2", "2", "0"),
        ("star", "0", "0", "0", "0"),
        ("{10|{7|{2|0}}}", "7", "3", "10", "7"),
        ("{6|{5|{4|-12}}}", "5", "1", "6", "5"),
    ],
)
def test_textbook(text: str, mean: str, temperature: str, left: str, right: str) -> None:
    t = thermograph(parse(text))
    assert [str(x) for x in (t.mean, t.temperature, t.left_stop, t.right_stop)] == [
        mean,
        temperature,
        left,
        right,
    ]


@given(trees(), trees())
def test_means_add_and_sums_are_no_hotter(a: object, b: object) -> None:
    g, h = canonical(a), canonical(b)
    total = thermograph(add(g, h))
    assert total.mean == thermograph(g).mean + thermograph(h).mean
    assert total.temperature <= max(thermograph(g).temperature, thermograph(h).temperature)


@given(trees(), TEMPERATURES)
def test_walls_of_a_sum_lie_between_sums_of_walls(a: object, t: Fraction) -> None:
    g, h = canonical(a), canonical(((4,), (-3,)))
    total, tg, th = thermograph(add(g, h)), thermograph(g), thermograph(h)
    assert tg.left.at(t) + th.left.at(t) >= total.left.at(t) >= tg.left.at(t) + th.right.at(t)
    assert tg.right.at(t) + th.right.at(t) <= total.right.at(t) <= tg.right.at(t) + th.left.at(t)


@given(trees())
def test_negation(a: object) -> None:
    g = canonical(a)
    assert thermograph(negate(g)) == -thermograph(g)


@given(trees(), NUMBERS)
def test_numbers_only_move_it(a: object, x: Fraction) -> None:
    g = canonical(a)
    assert thermograph(add(g, number(x))) == thermograph(g).plus(x)


@given(trees(max_leaves=9))
def test_canonical_form_keeps_the_thermograph(a: object) -> None:
    assert solve(graph(a)).of(0) == thermograph(canonical(a))


@given(
    trees(),
    TEMPERATURES,
    st.sampled_from([0, 1, Fraction(1, 2)]),
)
def test_cooling(a: object, s: Fraction, t: Fraction) -> None:
    g = canonical(a)
    assert thermograph(cool(g, s)) == thermograph(g).cooled(s)
    assert cool(cool(g, s), t) is cool(g, s + t)
    assert cool(add(g, g), s) is add(cool(g, s), cool(g, s))


@given(trees(max_leaves=9))
def test_area_is_territory_warmed_by_one(a: object) -> None:
    area, territory = solve(graph(a, per_move=1)).of(0), solve(graph(a)).of(0)
    assert area.cooled(1) == territory
    assert area.mean == territory.mean
    if territory.temperature > 0:
        assert area.temperature == territory.temperature + 1


def test_stops_of_a_hot_tree_are_alternating_play() -> None:
    tree = read("{30,{20|0}|{9|-4}}")
    t = thermograph(canonical(tree))
    assert (t.left_stop, t.right_stop) == (minimax(tree, True), minimax(tree, False))


def test_negative_temperatures_are_refused() -> None:
    with pytest.raises(ValueError, match="start at 0"):
        mast(3).at(-1)
    with pytest.raises(ValueError, match="negative"):
        cool(parse("{4|0}"), -1)


def test_plot_is_an_svg_that_says_what_it_shows() -> None:
    t = thermograph(parse("{9|{4|0}}"))
    picture = svg(t, title="{9|{4|0}} <&>")
    assert picture == svg(t, title="{9|{4|0}} <&>")
    assert "count 11/2, temperature 7/2" in picture and "&lt;&amp;&gt;" in picture
    assert picture.count("<polyline") == 3 and picture.rstrip().endswith("</svg>")
    assert "<polyline" in svg(thermograph(parse("4")))  # a bare mast


@settings(max_examples=30)
@given(trees())
def test_every_thermograph_can_be_drawn(a: object) -> None:
    assert svg(thermograph(canonical(a))).startswith("<svg")


def test_worked_examples(data: Path) -> None:
    for line in (data / "endgame" / "positions.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["ko"]:
            continue
        t = thermograph(parse(record["theory"]))
        found = [str(x) for x in (t.mean, t.temperature, t.left_stop, t.right_stop)]
        assert found == [record[key] for key in ("count", "miai_value", "left_stop", "right_stop")], record[
            "id"
        ]
