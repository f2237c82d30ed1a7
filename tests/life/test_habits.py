"""What the search adds up quickly is what `describe` says slowly."""

from __future__ import annotations

import random

import numpy as np

from life.test_shapes import SHAPES, problem_from_shape
from miai.go.coords import EMPTY
from miai.kernel import kernel
from miai.life.habits import GROUPS, PATTERN, PATTERN_NUMBER, STARTS, WEIGHTS, describe, likelihood
from miai.life.space import ATTACKER, POINTS, TURN, back_to_start, lay_out, legal, make_space, play


@kernel
def play_at_random(spaces, dice, sums, classes, moves):  # type: ignore[no-untyped-def]
    """Play random moves; the likelihood and the player of every legal move on the way, and its classes."""
    s = spaces[0]
    found = np.zeros(len(GROUPS), dtype=np.int64)
    count = last = before = 0
    for turn in range(len(dice)):
        legal_moves = 0
        for bit in range(s.facts[POINTS]):
            point = s.point[bit]
            if s.board.colour[point] == EMPTY and legal(s, point) and count < len(sums):
                sums[count, 0] = likelihood(s, point, last, before, found)
                sums[count, 1] = 1 if s.facts[TURN] == s.facts[ATTACKER] else 0
                describe(s, point, last, before, classes[count])
                count += 1
                moves[legal_moves] = point
                legal_moves += 1
        if legal_moves == 0:
            break
        before, last = last, moves[dice[turn] % legal_moves]
        play(s, last)
    back_to_start(spaces)
    return count


def test_the_sum_is_that_of_the_classes() -> None:
    dice = random.Random(3)
    seen = 0
    for _, diagram, *_ in SHAPES:
        problem = problem_from_shape(diagram)
        for first in (problem.attacker, problem.defender):
            threats = {problem.attacker: 0, problem.defender: 0}
            spaces = make_space(lay_out(problem), first=first, threats=threats, looper=problem.defender)
            sums, classes = np.zeros((200, 2), dtype=np.int64), np.zeros((200, len(GROUPS)), dtype=np.int64)
            throws = np.array([dice.randrange(1000) for _ in range(12)])
            count = play_at_random(spaces, throws, sums, classes, np.zeros(400, dtype=np.int64))
            columns = classes[:count] + np.array(STARTS[:-1])
            assert (classes[:count] < np.array(GROUPS)).all()
            assert (sums[:count, 0] == WEIGHTS[sums[:count, 1:], columns].sum(axis=1)).all()
            seen += count
    assert seen > 1000


def test_there_is_a_weight_for_every_class() -> None:
    assert WEIGHTS.shape == (2, sum(GROUPS))
    assert np.abs(WEIGHTS).max() > 0


def test_a_pattern_turned_or_reflected_is_the_same_pattern() -> None:
    dice = random.Random(4)
    for _ in range(200):
        around = [dice.randrange(4) for _ in range(8)]
        views = [around[k:] + around[:k] for k in (0, 2, 4, 6)]
        views += [[view[(8 - k) % 8] for k in range(8)] for view in views]
        numbers = {int(PATTERN_NUMBER[sum(c << (2 * k) for k, c in enumerate(view))]) for view in views}
        assert len(numbers) == 1
    assert GROUPS[PATTERN] == len(set(PATTERN_NUMBER.tolist()))
