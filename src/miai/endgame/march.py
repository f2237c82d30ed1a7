"""The walls of kos, from temperature 0 upwards: an exact simulation of the coupon stack.

Given the values of all turns of one strongly connected part at some temperature, the slopes of their
walls just above it are found, and followed to the next temperature at which another option becomes as
good as the chosen one; there again, and so on. That is how a mast gets its history: what a position
is worth at t depends on what it is worth at t - δ, when a coupon more is gone.

The slopes are those of a game played on the tight options, the ones that lose nothing: at the j-th
coupon above the present temperature a move costs j more than now, a turn elsewhere goes on at
coupon j - 1. After some turns the values of that game rise evenly, and the slope can be read off.
`kos.py` uses this for parts with loops; without loops `thermograph.freeze` does the same in one step.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from miai.endgame.thermograph import Number, Point, Wall, plain, ratio, wall_through
from miai.endgame.turns import Rules, Turn

PERIOD = 24  # turns; loops of 2, 4, 6, 8, 12 turns come round in it
PATIENCE = 200  # periods until the slopes must be even
MOST_EVENTS = 20_000

Ints = npt.NDArray[np.int64]
BigInts = npt.NDArray[np.object_]  # Python's ints: exact however large


class _Options:
    """The options of all turns of a part, those of one turn after each other. Turns come first, then
    the turns outside that options lead to."""

    def __init__(self, rules: Rules, outside: list[Turn]) -> None:
        every = rules.all()
        self.turns = [rule.turn for rule in every]
        at = {turn: i for i, turn in enumerate([*self.turns, *outside])}
        owner, to, tax = [], [], []
        for i, rule in enumerate(every):
            leads = [(at[turn], -1 if rule.turn.black else 1) for turn in rule.moves]
            leads += [] if rule.elsewhere is None else [(at[rule.elsewhere], 0)]
            owner += [i] * len(leads)
            to += [turn for turn, _ in leads]
            tax += [cost for _, cost in leads]
        self.owner: Ints = np.array(owner, dtype=np.int64)  # [option] whose it is
        self.to: Ints = np.array(to, dtype=np.int64)  # [option] where it leads
        self.tax: Ints = np.array(tax, dtype=np.int64)  # [option] -1 or +1 for a move, 0 elsewhere
        self.side: Ints = np.array([1 if turn.black else -1 for turn in self.turns], dtype=np.int64)  # [turn]


def march(rules: Rules, outside: dict[Turn, Wall], foot: dict[Turn, Number]) -> dict[Turn, Wall] | None:
    """The walls of all turns of a part from their values at temperature 0; None if there is no end."""
    options = _Options(rules, list(outside))
    n = len(options.turns)
    beyond = [_segments(wall) for wall in outside.values()]
    feet = [foot[turn] for turn in options.turns] + [wall.points[0][1] for wall in outside.values()]
    unit = lcm(*(Fraction(value).denominator for value in feet))  # values and t are counted in 1 / unit
    values: BigInts = np.array([int(value * unit) for value in feet] + [0], dtype=object)[:-1]
    t = 0
    corners: list[list[Point]] = [[] for _ in options.turns]
    rising: Ints | None = None
    old_grain = 1
    for _ in range(MOST_EVENTS):
        for pieces in beyond:
            while len(pieces) > 1 and pieces[1][0] * unit <= t:
                pieces.pop(0)
        gaps = options.side[options.owner] * (values[options.owner] - values[options.to] - options.tax * t)
        found = _slopes(options, gaps == 0, [pieces[0][1] for pieces in beyond])
        if found is None:
            return None
        slopes, grain = found  # slopes are counted in 1 / grain
        changed = range(n) if rising is None else np.flatnonzero(slopes[:n] * old_grain != rising[:n] * grain)
        for i in changed:
            corners[i].append((plain(Fraction(t, unit)), plain(Fraction(values[i], unit))))
        rising, old_grain = slopes, grain
        steps = [pieces[1][0] - Fraction(t, unit) for pieces in beyond if len(pieces) > 1]
        catching_up = _first_to_catch_up(options, gaps, slopes, grain)
        if catching_up is not None:
            steps.append(catching_up / unit)
        if not steps:
            tops = [ratio(int(slope), grain) for slope in slopes[:n]]
            return {turn: wall_through(corners[i], tops[i]) for i, turn in enumerate(options.turns)}
        step = min(steps)
        finer = lcm(unit, grain * step.denominator)
        values = values * (finer // unit) + slopes.astype(object) * (
            step.numerator * (finer // (grain * step.denominator))
        )
        t = t * (finer // unit) + step.numerator * (finer // step.denominator)
        shared = gcd(finer, t, *values)
        values, t, unit = values // shared, t // shared, finer // shared
    return None


def _segments(wall: Wall) -> list[tuple[Number, Number]]:
    """Where each straight piece of a wall begins, and its slope."""
    ends = zip(wall.points, wall.points[1:], strict=False)
    slopes = [ratio(v1 - v0, t1 - t0) for (t0, v0), (t1, v1) in ends] + [wall.slope]
    return [(t, slope) for (t, _), slope in zip(wall.points, slopes, strict=True)]


def _slopes(options: _Options, tight: npt.NDArray[np.bool_], beyond: list[Number]) -> tuple[Ints, int] | None:
    """The slopes just above the present temperature, and their denominator; those outside are given.

    None: they never become even, or the values did not fit together to begin with.
    """
    n = len(options.turns)
    owner = options.owner[tight]
    starts = np.searchsorted(owner, np.arange(n))
    if len(np.unique(owner)) < n:
        return None
    scale = lcm(PERIOD, *(slope.denominator for slope in beyond))
    given = np.array([int(slope * scale) for slope in beyond], dtype=np.int64)
    to, tax, side = options.to[tight], options.tax[tight] * scale, options.side[owner]
    now = np.zeros(n + len(beyond), dtype=np.int64)
    before, last_rise = now[:n].copy(), None
    for j in range(1, PERIOD * PATIENCE + 1):
        now[:n] = options.side * np.maximum.reduceat(side * (now[to] + j * tax), starts)
        now[n:] = j * given
        if j % PERIOD == 0:
            rise = now[:n] - before
            if last_rise is not None and np.array_equal(rise, last_rise):
                return np.concatenate([rise, given * PERIOD]), scale * PERIOD
            before, last_rise = now[:n].copy(), rise
    return None


def _first_to_catch_up(options: _Options, gaps: BigInts, slopes: Ints, grain: int) -> Fraction | None:
    """How far up an option that is now worse becomes as good as the chosen one, in units of the gaps."""
    closing = slopes[options.to] + options.tax * grain - slopes[options.owner]
    closing *= options.side[options.owner]
    catching = np.flatnonzero((closing > 0) & (gaps > 0))
    if not len(catching):
        return None
    # Rounded first, to find the few that come into question; then exactly.
    rounded = gaps[catching].astype(float) / closing[catching]
    first = catching[rounded <= rounded.min() * (1 + 1e-9)]
    return min(Fraction(int(gaps[i]) * grain, int(closing[i])) for i in first)
