"""Walls of thermographs in whole numbers: the arithmetic under `local_thermo`.

Values and temperatures are multiples of 1 / SCALE, held in 64 bits. SCALE has many twos, for means of
games without loops, and threes, for kos. Slopes are whole numbers. Nothing is ever rounded: where a
division leaves a remainder, or a wall has too many corners, the functions report it.

A wall is a list of corners (t, v), the first at temperature 0, level above the last one. Walls under
construction are rows of a `Scratch`; finished pairs are kept in `Shapes`, every different one once
and with its last value at 0, so that a thermograph is a number and the value of its mast.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.endgame.thermograph import Thermograph, Wall, wall_through
from miai.kernel import inlined, leaf

Array = npt.NDArray[np.integer]

SCALE = 2**30 * 3**12  # about 2**49; scores stay below 2**7
CORNERS = 256  # room for the corners of one wall while it is being built
ROWS = 10  # of a Scratch
ROW = tuple(CORNERS * i for i in range(ROWS))  # where each begins

# `facts` of the shapes
SHAPES, POINTS, NEXT, FACTS_LENGTH = 0, 1, 2, 3
# columns of `span`: the smallest and the largest value of the left and the right wall
LEFT_MIN, LEFT_MAX, RIGHT_MIN, RIGHT_MAX = 0, 1, 2, 3


class Shapes(NamedTuple):
    """Different thermographs, each stored once."""

    t: Array  # [point] int64: temperatures of corners, left wall then right wall
    v: Array  # [point] int64: values there
    start: Array  # [shape] int64
    left: Array  # [shape] int32: corners of the left wall
    right: Array  # [shape] int32
    span: Array  # [shape, 4] int64
    slots: Array  # [power of two] int32: hash table
    facts: Array  # [FACTS_LENGTH] int64


class Scratch(NamedTuple):
    """Walls under construction. A row begins at a multiple of CORNERS; functions take its place."""

    t: Array  # [ROWS * CORNERS] int64
    v: Array  # [ROWS * CORNERS] int64


def make_scratch() -> Scratch:
    return Scratch(np.zeros(ROWS * CORNERS, dtype=np.int64), np.zeros(ROWS * CORNERS, dtype=np.int64))


def make_shapes(room: int = 1 << 10) -> Shapes:
    return Shapes(
        t=np.zeros(8 * room, dtype=np.int64),
        v=np.zeros(8 * room, dtype=np.int64),
        start=np.zeros(room, dtype=np.int64),
        left=np.zeros(room, dtype=np.int32),
        right=np.zeros(room, dtype=np.int32),
        span=np.zeros((room, 4), dtype=np.int64),
        slots=np.full(4 * room, -1, dtype=np.int32),
        facts=np.zeros(FACTS_LENGTH, dtype=np.int64),
    )


def grown(shapes: Shapes) -> Shapes:
    """The same shapes with twice the room."""
    larger = make_shapes(2 * len(shapes.start))
    for name in ("t", "v", "start", "left", "right", "span", "facts"):
        array = getattr(shapes, name)
        getattr(larger, name)[: len(array)] = array
    enter_all(larger)
    return larger


def thermograph_of(shapes: Shapes, shape: int, at: int) -> Thermograph:
    """A stored thermograph in fractions, its mast at `at` / SCALE."""
    first, left, right = int(shapes.start[shape]), int(shapes.left[shape]), int(shapes.right[shape])
    return Thermograph(_wall(shapes, first, left, at), _wall(shapes, first + left, right, at))


def _wall(shapes: Shapes, first: int, corners: int, at: int) -> Wall:
    t, v = shapes.t[first : first + corners].tolist(), shapes.v[first : first + corners].tolist()
    return wall_through([(_plain(x), _plain(y + at)) for x, y in zip(t, v, strict=True)])


def _plain(scaled: int) -> int | Fraction:
    x = Fraction(scaled, SCALE)
    return x.numerator if x.denominator == 1 else x


@inlined
def push(t, v, row, n, new_t, new_v):  # type: ignore[no-untyped-def]
    """Add a corner to a wall of `n`; drop the one before if it is none. Returns how many there are."""
    k = row + n
    if n and t[k - 1] == new_t:
        return n
    if n >= 2 and (v[k - 1] - v[k - 2]) // (t[k - 1] - t[k - 2]) == (new_v - v[k - 1]) // (new_t - t[k - 1]):
        k -= 1  # slopes are whole numbers
        n -= 1
    t[k] = new_t
    v[k] = new_v
    return n + 1


@inlined
def trimmed(v, row, n):  # type: ignore[no-untyped-def]
    """A wall is level above its last corner: drop corners that are level with the one before."""
    while n >= 2 and v[row + n - 1] == v[row + n - 2]:
        n -= 1
    return n


@inlined
def slope_at(t, v, row, n, i):  # type: ignore[no-untyped-def]
    """The slope of a wall above its corner i."""
    if i + 1 < n:
        k = row + i
        return (v[k + 1] - v[k]) // (t[k + 1] - t[k])
    return np.int64(0)


@leaf
def value_at(t, v, row, n, when):  # type: ignore[no-untyped-def]
    """The value of a wall at a temperature."""
    for i in range(row + 1, row + n):
        if t[i] > when:
            return v[i - 1] + (v[i] - v[i - 1]) // (t[i] - t[i - 1]) * (when - t[i - 1])
    return v[row + n - 1]


@inlined
def lowest_of(v, row, n):  # type: ignore[no-untyped-def]
    least = v[row]
    for i in range(row + 1, row + n):
        least = min(least, v[i])
    return least


@inlined
def load(shapes, shape, shift, left_wall, sign, t, v, row):  # type: ignore[no-untyped-def]
    """Write `sign` × (a stored wall + `shift`) to a row; returns its corners."""
    first, corners = shapes.start[shape], shapes.left[shape]
    if not left_wall:
        first += corners
        corners = shapes.right[shape]
    for i in range(corners):
        t[row + i] = shapes.t[first + i]
        v[row + i] = sign * (shapes.v[first + i] + shift)
    return np.int64(corners)


@leaf
def upper(t, v, a_row, n, b_row, m, out):  # type: ignore[no-untyped-def]
    """The larger of two walls at every temperature, into row `out`. Returns its corners, -1 on trouble."""
    i, j, k = a_row, b_row, np.int64(0)
    last_a, last_b = a_row + n - 1, b_row + m - 1
    now = np.int64(0)
    while True:
        if k + 3 > CORNERS:
            return np.int64(-1)
        more_a, more_b = i < last_a, j < last_b
        slope_a = slope_b = np.int64(0)
        if more_a:
            slope_a = (v[i + 1] - v[i]) // (t[i + 1] - t[i])
        if more_b:
            slope_b = (v[j + 1] - v[j]) // (t[j + 1] - t[j])
        a, b = v[i] + slope_a * (now - t[i]), v[j] + slope_b * (now - t[j])
        k = push(t, v, out, k, now, max(a, b))
        if not more_a and not more_b:
            return trimmed(v, out, k)
        if more_a and (not more_b or t[i + 1] <= t[j + 1]):
            end = t[i + 1]
        else:
            end = t[j + 1]
        gap, closing = a - b, slope_b - slope_a
        if gap != 0 and closing != 0 and (gap > 0) == (closing > 0) and abs(gap) < abs(closing) * (end - now):
            if gap % closing != 0:
                return np.int64(-1)
            cross = now + gap // closing
            k = push(t, v, out, k, cross, a + slope_a * (cross - now))
        if more_a and t[i + 1] == end:
            i += 1
        if more_b and t[j + 1] == end:
            j += 1
        now = end


@leaf
def freeze(f, n, g, m, stop, t, v, left_row, right_row):  # type: ignore[no-untyped-def]
    """The walls of a position, in rows `left_row` and `right_row`, from its best options.

    Black's, before tax, are in row f (n corners), White's with the sign turned in row g (m corners).
    Where Black's scaffold, f - t, is above White's, t - g, the position is hot and both move. Elsewhere
    both wait: the value from further down stays, and is pushed only by a scaffold, which only kos can
    do. (This is `thermograph.freeze`.) Returns the corners of both walls, or -1 twice.
    """
    left = right = np.int64(0)
    if n == 0 and m == 0:
        left = push(t, v, left_row, left, 0, stop)
        right = push(t, v, right_row, right, 0, stop)
        return left, right
    rest = stop
    if m:
        rest = min(rest, -v[g])
    if n:
        rest = max(rest, v[f])
    i = j = 0
    now = np.int64(0)
    far = np.int64(1) << 60
    while True:
        if max(left, right) + 4 > CORNERS:
            return np.int64(-1), np.int64(-1)
        end = far
        a, slope_a, b, slope_b = -far, np.int64(0), far, np.int64(0)
        if n:
            slope_a = slope_at(t, v, f, n, i) - 1
            a = v[f + i] - now + (slope_a + 1) * (now - t[f + i])
            if i + 1 < n:
                end = t[f + i + 1]
        if m:
            slope_b = 1 - slope_at(t, v, g, m, j)
            b = -v[g + j] + now - (1 - slope_b) * (now - t[g + j])
            if j + 1 < m:
                end = min(end, t[g + j + 1])
        hot = n > 0 and m > 0 and (a > b or (a == b and slope_a > slope_b))
        until = end  # of this piece: where the scaffolds cross, if they do before `end`
        if n and m:
            gap, closing = a - b, slope_b - slope_a
            meet = gap != 0 and closing != 0 and (gap > 0) == (closing > 0)
            if meet and (end == far or abs(gap) < abs(closing) * (end - now)):
                if gap % closing != 0:
                    return np.int64(-1), np.int64(-1)
                until = now + gap // closing
        if hot:
            left = push(t, v, left_row, left, now, a)
            right = push(t, v, right_row, right, now, b)
            if until == far:
                return np.int64(-1), np.int64(-1)  # hot for ever: no such thing in a finite region
            rest = a + slope_a * (until - now)
        else:
            rest = max(a, min(b, rest))
            left = push(t, v, left_row, left, now, rest)
            right = push(t, v, right_row, right, now, rest)
            hit, slope = far, np.int64(0)
            if n and slope_a > 0:
                if (rest - a) % slope_a != 0:
                    return np.int64(-1), np.int64(-1)
                hit, slope = now + (rest - a) // slope_a, slope_a
            if m and slope_b < 0:
                if (rest - b) % slope_b != 0:
                    return np.int64(-1), np.int64(-1)
                other = now + (rest - b) // slope_b
                if other < hit or (other == hit and slope_b < slope):
                    hit, slope = other, slope_b
            if hit < until:
                if until == far:
                    return np.int64(-1), np.int64(-1)
                left = push(t, v, left_row, left, hit, rest)
                right = push(t, v, right_row, right, hit, rest)
                rest += slope * (until - hit)
            elif until == far:
                return trimmed(v, left_row, left), trimmed(v, right_row, right)
        if n and i + 1 < n and t[f + i + 1] == until:
            i += 1
        if m and j + 1 < m and t[g + j + 1] == until:
            j += 1
        now = until


@leaf
def digest(t, v, first, n, shift, h):  # type: ignore[no-untyped-def]
    for i in range(first, first + n):
        h = (h ^ np.uint64(t[i])) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(31)
        h = (h ^ np.uint64(v[i] - shift)) * np.uint64(0xD6E8FEB86659FD93)
        h ^= h >> np.uint64(29)
    return h


@leaf
def enter_all(shapes):  # type: ignore[no-untyped-def]
    """Fill an empty table with all shapes."""
    last = np.uint64(shapes.slots.size - 1)
    for shape in range(shapes.facts[SHAPES]):
        first, left, right = shapes.start[shape], shapes.left[shape], shapes.right[shape]
        h = digest(shapes.t, shapes.v, first, left, 0, np.uint64(left))
        at = digest(shapes.t, shapes.v, first + left, right, 0, h) & last
        while shapes.slots[at] >= 0:
            at = (at + np.uint64(1)) & last
        shapes.slots[at] = shape


@leaf
def intern(shapes, t, v, left_row, n, right_row, m):  # type: ignore[no-untyped-def]
    """The number of the shape with these walls, whose last values are one. There must be room."""
    last = np.uint64(shapes.slots.size - 1)
    mast = v[left_row + n - 1]
    h = digest(t, v, left_row, n, mast, np.uint64(n))
    at = digest(t, v, right_row, m, mast, h) & last
    while shapes.slots[at] >= 0:
        shape = shapes.slots[at]
        if shapes.left[shape] == n and shapes.right[shape] == m:
            first = shapes.start[shape]
            equal = True
            for i in range(n):
                equal &= shapes.t[first + i] == t[left_row + i]
                equal &= shapes.v[first + i] == v[left_row + i] - mast
            for i in range(m):
                equal &= shapes.t[first + n + i] == t[right_row + i]
                equal &= shapes.v[first + n + i] == v[right_row + i] - mast
            if equal:
                return shape
        at = (at + np.uint64(1)) & last
    shape = np.int32(shapes.facts[SHAPES])
    first = shapes.facts[POINTS]
    shapes.slots[at] = shape
    shapes.start[shape] = first
    shapes.left[shape] = n
    shapes.right[shape] = m
    for i in range(4):
        shapes.span[shape, i] = 0
    for i in range(n):
        value = v[left_row + i] - mast
        shapes.t[first + i] = t[left_row + i]
        shapes.v[first + i] = value
        shapes.span[shape, LEFT_MIN] = min(shapes.span[shape, LEFT_MIN], value)
        shapes.span[shape, LEFT_MAX] = max(shapes.span[shape, LEFT_MAX], value)
    for i in range(m):
        value = v[right_row + i] - mast
        shapes.t[first + n + i] = t[right_row + i]
        shapes.v[first + n + i] = value
        shapes.span[shape, RIGHT_MIN] = min(shapes.span[shape, RIGHT_MIN], value)
        shapes.span[shape, RIGHT_MAX] = max(shapes.span[shape, RIGHT_MAX], value)
    shapes.facts[SHAPES] += 1
    shapes.facts[POINTS] += n + m
    return shape


@inlined
def short_of_room(shapes):  # type: ignore[no-untyped-def]
    facts = shapes.facts
    return facts[SHAPES] + 2 >= shapes.start.size or facts[POINTS] + 4 * CORNERS >= shapes.t.size
