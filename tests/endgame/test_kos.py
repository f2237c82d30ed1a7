"""Kos: textbook values, the coupon stack played out, and laws."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame.coupons import coupon_walls
from endgame.trees import canonical, graph, trees
from miai.endgame.graph import Graph, GraphError, graph_of, negative, sum_of
from miai.endgame.kos import Solution, components, solve
from miai.endgame.thermograph import thermograph
from miai.endgame.turns import Threats, Turn

NEUTRAL, BLACK_MASTER, WHITE_MASTER = Threats.NEUTRAL, Threats.BLACK_MASTER, Threats.WHITE_MASTER
BLACK_MONSTER, WHITE_MONSTER = Threats.BLACK_MONSTER, Threats.WHITE_MONSTER
SWAPPED = {
    NEUTRAL: NEUTRAL,
    BLACK_MASTER: WHITE_MASTER,
    WHITE_MASTER: BLACK_MASTER,
    BLACK_MONSTER: WHITE_MONSTER,
    WHITE_MONSTER: BLACK_MONSTER,
}


def stages(n: int, won: int, lost: int = 0) -> Graph:
    """A ko of n stages: White has won, n + 1 positions each a ko capture apart, Black has won."""
    last = n + 2
    left = {i: [(i + 1, i + 1 < last)] for i in range(1, last)}
    right = {i: [(i - 1, i - 1 > 0)] for i in range(1, last)}
    return graph_of([lost] * last + [won], left, right, root=1)


def approach(won: int, lost: int, after_threat: int | None = None) -> Graph:
    """Black needs one more move to make the ko direct. Nodes: 1 White holds, 2 Black holds, 3 and 4 direct.

    `after_threat` is the result if White answers the direct ko by winning it; `lost` if he wins before.
    """
    end = lost if after_threat is None else after_threat
    left = {1: [(2, True)], 2: [3], 3: [5], 4: [(3, True)]}
    right = {1: [0], 2: [(1, True)], 3: [(4, True)], 4: [6]}
    return graph_of([lost] * 5 + [won, end], left, right, root=1)


def read(solution: Solution, node: int) -> tuple[Fraction, Fraction]:
    return solution.of(node).mean, solution.of(node).temperature


@pytest.mark.parametrize("threats", [NEUTRAL, BLACK_MASTER, WHITE_MASTER])
@pytest.mark.parametrize(("won", "lost"), [(12, 0), (5, -1), (2, -2), (1, 0)])
def test_simple_ko(threats: Threats, won: int, lost: int) -> None:
    """Three moves decide it, whoever is komaster: a third of the swing each."""
    solution = solve(stages(1, won, lost), threats)
    third = Fraction(won - lost, 3)
    assert read(solution, 1) == (lost + third, third)
    assert read(solution, 2) == (won - third, third)
    assert not solution.repetition and not solution.unsettled


def test_simple_ko_walls() -> None:
    """Taking and winning costs Black two moves, losing it White one."""
    w_holds = solve(stages(1, 12)).of(1)
    assert w_holds.left.points == ((0, 12), (4, 4)) and w_holds.right.points == ((0, 0), (4, 4))
    assert (w_holds.left_stop, w_holds.right_stop) == (12, 0)


def test_komonster_need_not_finish() -> None:
    solution = solve(stages(1, 12), BLACK_MONSTER)
    assert read(solution, 1) == (6, 6)
    assert read(solution, 2) == (12, 0)


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_multi_stage_ko(n: int) -> None:
    """n stages take n + 2 moves: 4 points in 4 moves for a two-stage ko, 7 in 5 for a three-stage one."""
    swing = 420
    solution = solve(stages(n, swing))
    move = Fraction(swing, n + 2)
    assert [read(solution, i) for i in range(1, n + 2)] == [(i * move, move) for i in range(1, n + 2)]


def test_approach_ko_with_komaster() -> None:
    """Berlekamp, Spight: four moves where the approaching side is komaster; else it was never a ko."""
    graph = approach(23, -18)
    assert read(solve(graph, BLACK_MASTER), 1) == (-18 + Fraction(41, 4), Fraction(41, 4))
    assert solve(graph, WHITE_MASTER).of(1).mean == -18
    assert solve(graph, NEUTRAL).of(1).mean == -18


def test_approach_ko_of_27_points() -> None:
    """The example at Sensei's Library: the approaching side komaster 8 1/4, miai value 6 3/4."""
    graph = negative(approach(12, -15))
    assert read(solve(graph, WHITE_MASTER), 1) == (Fraction(33, 4), Fraction(27, 4))
    # The other side komaster: approaching is sente that loses a point more, so the count is 14 or 15.
    losing_a_point = negative(approach(12, -15, after_threat=-14))
    assert solve(losing_a_point, BLACK_MASTER).of(1).mean == 14


def test_thousand_year_ko() -> None:
    """Either side may turn it into a ko which the other takes first, White may also make seki (0)."""
    left = {0: [6], 1: [(2, True)], 2: [3], 6: [3], 7: [(6, True)]}
    right = {0: [1, 5], 1: [4], 2: [(1, True)], 6: [(7, True)], 7: [4]}
    graph = graph_of([0, 0, 0, 18, -10, 0, 0, 0], left, right)
    assert read(solve(graph, NEUTRAL), 0) == (0, 0)  # without threats nobody starts it
    assert read(solve(graph, BLACK_MASTER), 0) == (6, 6)  # three moves between seki and winning the ko
    assert solve(graph, WHITE_MASTER).of(0).mean == Fraction(-2, 3)


def double_ko(stops: tuple[int, int, int, int] = (-20, -20, -20, -20)) -> Graph:
    """White lives by two kos: Black kills with a move when he holds both. Nodes: WB, BB, BW, WW, dead."""
    left = {0: [(1, True)], 1: [4], 2: [(1, True)], 3: [(0, True), (2, True)]}
    right = {0: [(3, True)], 1: [(2, True), (0, True)], 2: [(3, True)]}
    return graph_of([*stops, 20], left, right)


@pytest.mark.parametrize("threats", list(Threats))
def test_double_ko_is_life(threats: Threats) -> None:
    solution = solve(double_ko(), threats)
    assert [read(solution, node) for node in (0, 2, 3)] == [(-20, 0)] * 3
    assert read(solution, 1) == (0, 20)  # where both are taken, a move decides
    assert not solution.unsettled
    if threats is NEUTRAL:
        assert not solution.repetition


@pytest.mark.parametrize("threats", list(Threats))
def test_triple_ko_ends_and_is_reported(threats: Threats) -> None:
    """Each capture threatens to win: endless without a turn elsewhere. The rules of Go give no result."""
    left: dict[int, list[tuple[int, bool]]] = {}
    right: dict[int, list[tuple[int, bool]]] = {}
    for held in range(8):  # one bit for each ko that Black holds
        left[held] = [(held | 1 << i, True) for i in range(3) if not held >> i & 1]
        right[held] = [(held & ~(1 << i), True) for i in range(3) if held >> i & 1]
        (left if held.bit_count() >= 2 else right)[held].append((8 if held.bit_count() >= 2 else 9, False))
    solution = solve(graph_of([0] * 8 + [30, -30], left, right, root=1), threats)
    assert solution.repetition == {1, 2, 3, 4, 5, 6} and not solution.unsettled
    one, two = solution.of(1), solution.of(3)
    assert (one.left_stop, one.right_stop, two.left_stop, two.right_stop) == (0, -30, 30, 0)
    assert one.mean == -two.mean and -30 < one.mean < 0


def test_branching_ko() -> None:
    """Holding the first ko Black may go on to a small one or a large one, which White takes first."""

    def with_ends(ends: list[tuple[int, int]]) -> Graph:
        scores: list[int] = [-9, 0, 0]
        left: dict[int, list[int | tuple[int, bool]]] = {1: [(2, True)], 2: []}
        right: dict[int, list[int | tuple[int, bool]]] = {1: [0], 2: [(1, True)]}
        for won, lost in ends:
            b = len(scores)  # a ko that Black holds, then White; won; lost
            scores += [0, 0, won, lost]
            left |= {b: [b + 2], b + 1: [(b, True)]}
            right |= {b: [(b + 1, True)], b + 1: [b + 3]}
            left[2].append(b)
        return graph_of(scores, left, right, root=1)

    graph = with_ends([(6, 0), (30, -3)])
    both, small, large = (solve(with_ends(ends)).of(1) for ends in ([(6, 0), (30, -3)], [(6, 0)], [(30, -3)]))
    assert both != small and both != large
    played = coupon_walls(graph, NEUTRAL, up_to=14, per_point=60)
    assert played is not None
    for t in range(15):
        assert both.left.at(t) >= max(small.left.at(t), large.left.at(t))
        assert abs(both.left.at(t) - played[60 * t][True, 1, None]) < 0.1
        assert abs(both.right.at(t) - played[60 * t][False, 1, None]) < 0.1


def test_two_kos_and_a_ko_with_threats() -> None:
    ko = stages(1, 2, -2)
    twice = solve(sum_of(ko, ko)).of(sum_of(ko, ko).root)
    assert (twice.mean, twice.temperature) == (2 * Fraction(-2, 3), Fraction(4, 3))
    # A threat of Black's beside the ko: {{40|0}|0}. It does not change who pays what at the ko's
    # temperature, but with no coupons left Black can now win the ko although White holds two of them.
    threat = graph_of([0, 20, 40, 0, 0], {0: [1], 1: [2]}, {0: [4], 1: [3]})
    beside = sum_of(stages(1, 12), threat)
    held_by_black = 2 * len(threat)
    plain_right = solve(stages(1, 12)).of(2).right_stop
    assert plain_right == 0 and solve(beside).of(held_by_black).right_stop == 12


def test_graphs_that_do_not_fit_together() -> None:
    good = stages(1, 3)
    with pytest.raises(GraphError, match="root"):
        graph_of([1], {}, {}, root=1)
    with pytest.raises(GraphError, match="left_to"):
        graph_of([1], {0: [7]}, {})
    with pytest.raises(GraphError, match="left_ko"):
        Graph(good.score, good.left_start, good.left_to, good.right_start, good.right_to, good.left_ko[:1])


def test_components_come_after_what_they_lead_to() -> None:
    graph = approach(12, 0)
    parts = [sorted(part) for part in components(graph)]
    assert sorted(parts) == [[0], [1, 2], [3, 4], [5], [6]]
    assert parts.index([3, 4]) < parts.index([1, 2])


def random_graph(seed: int, most: int = 7) -> Graph:
    """A random game with some ko pairs in it, and now and then a loop of another kind."""
    rng = random.Random(seed)
    n = rng.randint(2, most)
    left: dict[int, list[int | tuple[int, bool]]] = {i: [] for i in range(n)}
    right: dict[int, list[int | tuple[int, bool]]] = {i: [] for i in range(n)}
    for i in range(1, n):
        for side in (left, right):
            side[i] += [rng.randrange(i) for _ in range(rng.choice([0, 1, 1, 2]))]
    for _ in range(rng.randint(1, 1 + n // 3)):
        x, y = rng.sample(range(n), 2)
        left[x].append((y, True))
        right[y].append((x, True))
    if rng.random() < 0.3:
        x, y = rng.sample(range(n), 2)
        rng.choice([left, right])[x].append(y)
    return graph_of([rng.randint(-8, 8) for _ in range(n)], left, right, root=n - 1)


def test_against_the_coupon_stack() -> None:
    """Walls are what playing with coupons gives, up to the size of a coupon times the length of play."""
    per_point, compared = 24, 0
    for seed in range(110):
        graph = random_graph(seed)
        threats = (NEUTRAL, BLACK_MONSTER, WHITE_MONSTER)[seed % 3]
        played = coupon_walls(graph, threats, up_to=9, per_point=per_point)
        solution = solve(graph, threats)
        assert not solution.unsettled, seed
        if played is None:
            continue
        compared += 1
        for coupon in range(0, len(played), 12):
            for node in range(len(graph)):
                for black in (True, False):
                    exact = solution.walls[Turn(black, node)].at(Fraction(coupon, per_point))
                    assert abs(exact - played[coupon][black, node, None]) < 0.4, (seed, node, coupon)
    assert compared >= 25


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(list(Threats)))
def test_colours_reversed(seed: int, threats: Threats) -> None:
    graph = random_graph(seed)
    solution, mirrored = solve(graph, threats), solve(negative(graph), SWAPPED[threats])
    if not solution.repetition and not mirrored.repetition:
        for node in range(len(graph)):
            assert mirrored.of(node) == -solution.of(node)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_more_threats_never_hurt(seed: int) -> None:
    graph = random_graph(seed)
    order = [solve(graph, t) for t in (WHITE_MONSTER, WHITE_MASTER, NEUTRAL, BLACK_MASTER, BLACK_MONSTER)]
    if any(solution.repetition for solution in order):
        return
    for worse, better in pairwise(order):
        for t in (0, 1, Fraction(7, 3), 4, 9):
            for turn in (Turn(black, node) for node in range(len(graph)) for black in (True, False)):
                assert worse.walls[turn].at(t) <= better.walls[turn].at(t)


@given(trees(max_leaves=8), st.sampled_from(list(Threats)))
def test_without_loops_it_is_the_ordinary_thermograph(tree: object, threats: Threats) -> None:
    assert solve(graph(tree), threats).of(0) == thermograph(canonical(tree))


@settings(max_examples=40)
@given(trees(max_leaves=5), st.integers(1, 9))
def test_a_harmless_loop_changes_nothing(tree: object, loss: int) -> None:
    """A ko that both sides lose by starting, beside the root of an ordinary game."""
    plain = graph(tree)
    n = len(plain)
    left = {node: [*plain.edges(node, True)] for node in range(n)}
    right = {node: [*plain.edges(node, False)] for node in range(n)}
    left[0].append((n, True, 99))
    right[n] = [(0, True, 99), (n + 1, False, 0)]
    worst = min(plain.score) - loss
    with_loop = solve(graph_of([*plain.score, worst, worst], left, right)).of(0)
    assert with_loop == solve(plain).of(0)
