"""The whole-number walls of the engine against walls in fractions."""

from __future__ import annotations

import random
from fractions import Fraction

from miai.endgame import thermograph as fractions
from miai.endgame.local_walls import (
    ROW,
    SCALE,
    Scratch,
    freeze,
    intern,
    make_scratch,
    make_shapes,
    thermograph_of,
    upper,
)
from miai.endgame.thermograph import Wall, mast, wall_through


def random_wall(rng: random.Random) -> Wall:
    """A wall with slopes from -2 to 2, level at the top, corners at halves and thirds."""
    t, v = Fraction(0), Fraction(rng.randint(-5, 5))
    points: list[tuple[Fraction, Fraction]] = [(t, v)]
    for _ in range(rng.randint(0, 4)):
        step = Fraction(rng.randint(1, 6), rng.choice([1, 2, 3]))
        t, v = t + step, v + step * rng.choice([-2, -1, -1, 0, 0, 1, 1, 2])
        points.append((t, v))
    return wall_through(points)


def put(scratch: Scratch, row: int, wall: Wall, sign: int = 1) -> int:
    for i, (t, v) in enumerate(wall.points):
        scratch.t[row + i] = int(t * SCALE)
        scratch.v[row + i] = sign * int(v * SCALE)
    return len(wall.points)


def got(scratch: Scratch, row: int, corners: int) -> Wall:
    return wall_through(
        [
            (Fraction(int(scratch.t[i]), SCALE), Fraction(int(scratch.v[i]), SCALE))
            for i in range(row, row + corners)
        ]
    )


def test_upper() -> None:
    rng = random.Random(1)
    scratch = make_scratch()
    for _ in range(500):
        f, g = random_wall(rng), random_wall(rng)
        n, m = put(scratch, ROW[0], f), put(scratch, ROW[1], g)
        corners = upper(scratch.t, scratch.v, ROW[0], n, ROW[1], m, ROW[2])
        if corners < 0:  # a crossing at quarters of thirds or so does not occur here
            raise AssertionError((f, g))
        assert got(scratch, ROW[2], corners) == fractions.upper(f, g)


def test_freeze_with_hills_and_caves() -> None:
    rng = random.Random(2)
    scratch = make_scratch()
    hot = 0
    for _ in range(800):
        f = random_wall(rng) if rng.random() < 0.9 else None
        g = random_wall(rng) if rng.random() < 0.9 else None
        stop = rng.randint(-6, 6)
        n = put(scratch, ROW[0], f) if f else 0
        m = put(scratch, ROW[2], g, -1) if g else 0
        left, right = freeze(ROW[0], n, ROW[2], m, stop * SCALE, scratch.t, scratch.v, ROW[4], ROW[5])
        want = fractions.freeze(f and f.taxed(-1), g and g.taxed(1), stop)
        if left < 0:
            assert want.left.slope != 0 or any(
                (Fraction(t) * SCALE).denominator != 1 for w in (want.left, want.right) for t, _ in w.points
            )
            continue
        assert got(scratch, ROW[4], left) == want.left
        assert got(scratch, ROW[5], right) == want.right
        hot += want.temperature > 0
    assert hot > 300


def test_a_division_with_a_remainder_is_reported() -> None:
    scratch = make_scratch()
    f, g = mast(3), mast(0)
    n, m = put(scratch, ROW[0], f), put(scratch, ROW[2], g, -1)
    scratch.v[ROW[0]] += 1  # the mean would be half a unit
    assert freeze(ROW[0], n, ROW[2], m, 0, scratch.t, scratch.v, ROW[4], ROW[5])[0] == -1


def test_equal_shapes_are_stored_once() -> None:
    scratch, shapes = make_scratch(), make_shapes()
    numbers = set()
    for value in (3, 5):
        n, m = put(scratch, ROW[0], mast(value)), put(scratch, ROW[2], mast(value - 4), -1)
        left, right = freeze(ROW[0], n, ROW[2], m, 0, scratch.t, scratch.v, ROW[4], ROW[5])
        shape = intern(shapes, scratch.t, scratch.v, ROW[4], left, ROW[5], right)
        numbers.add(int(shape))
        back = thermograph_of(shapes, int(shape), int(scratch.v[ROW[4] + left - 1]))
        assert (back.mean, back.temperature) == (value - 2, 2)
    assert len(numbers) == 1
