"""Thermographs: what a local position is worth to each side at every temperature, exactly.

A `Wall` is a piecewise linear function of the temperature t ≥ 0; a `Thermograph` is two of them, the
result when Black moves first and when White moves first, each move paying t. `freeze` makes the
walls of a position from the walls of its options. Inside, numbers are ints where they are whole and
Fractions where not; everything public is a Fraction.

Games as trees are in `games.py`, graphs with kos in `kos.py`, meaning for players in `values.py`,
pictures in `plot.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from weakref import WeakKeyDictionary

from miai.endgame.games import Game, number
from miai.endgame.games import game as canonical

Number = int | Fraction
Point = tuple[Number, Number]  # temperature, value


def ratio(a: Number, b: Number) -> Number:
    """a / b, an int when it is whole: ints are many times quicker than Fractions."""
    if isinstance(a, int) and isinstance(b, int):
        whole, rest = divmod(a, b)
        return Fraction(a, b) if rest else whole
    return plain(Fraction(a) / b)


def plain(x: Number) -> Number:
    """The same number, as an int when it is whole."""
    return x.numerator if x.denominator == 1 else x


@dataclass(frozen=True, slots=True)
class Wall:
    """A continuous piecewise linear function of the temperature.

    `points` are its corners, the first at temperature 0; above the last one it goes on with `slope`
    (0 for the mast of an ordinary game). Build it with `wall_through`, which drops corners that are none.
    """

    points: tuple[Point, ...]
    slope: Number = 0

    def at(self, t: Number) -> Fraction:
        """The value at temperature `t` ≥ 0."""
        if t < 0:
            raise ValueError(f"temperature {t}: walls start at 0")
        return Fraction(self._at(t))

    def _at(self, t: Number) -> Number:
        before_t, before_v = self.points[0]
        for point_t, point_v in self.points:
            if point_t >= t:
                if point_t == t:
                    return point_v
                return before_v + ratio((point_v - before_v) * (t - before_t), point_t - before_t)
            before_t, before_v = point_t, point_v
        return before_v + self.slope * (t - before_t)

    def taxed(self, rate: int) -> Wall:
        """This wall plus `rate` times the temperature: what a move costs its player."""
        return Wall(tuple((t, v + rate * t) for t, v in self.points), self.slope + rate)

    def plus(self, x: Number) -> Wall:
        """This wall moved by `x` points."""
        return Wall(tuple((t, plain(v + x)) for t, v in self.points), self.slope)

    def __neg__(self) -> Wall:
        return Wall(tuple((t, -v) for t, v in self.points), -self.slope)

    def cooled(self, s: Number) -> Wall:
        """The wall from temperature `s` upwards, with `s` as the new zero."""
        points: list[Point] = [(0, plain(self._at(s)))]
        points += [(plain(t - s), v) for t, v in self.points if t > s]
        return wall_through(points, self.slope)


def wall_through(points: Sequence[Point], slope: Number = 0) -> Wall:
    """The wall with these corners (temperatures rising from 0), without the ones on a straight line."""
    kept: list[Point] = []
    for t, v in points:
        if kept and kept[-1][0] == t:
            continue
        while len(kept) >= 2:
            (t0, v0), (t1, v1) = kept[-2], kept[-1]
            if (v1 - v0) * (t - t1) != (v - v1) * (t1 - t0):
                break
            kept.pop()
        kept.append((t, v))
    while len(kept) >= 2:
        (t0, v0), (t1, v1) = kept[-2], kept[-1]
        if v1 - v0 != slope * (t1 - t0):
            break
        kept.pop()
    return Wall(tuple(kept), slope)


def mast(value: Number) -> Wall:
    """The wall that is `value` at every temperature."""
    return Wall(((0, plain(value)),))


def _pieces(f: Wall, g: Wall) -> list[tuple[Number, Number | None, Number, Number, Number, Number]]:
    """Both walls cut at every corner: (from, to or None at the top, f there, g there, slope f, slope g)."""
    corners_f, corners_g = f.points, g.points
    pieces = []
    i = j = 0
    t: Number = 0
    while True:
        next_f = corners_f[i + 1][0] if i + 1 < len(corners_f) else None
        next_g = corners_g[j + 1][0] if j + 1 < len(corners_g) else None
        slope_f = f.slope if next_f is None else _slope(corners_f[i], corners_f[i + 1])
        slope_g = g.slope if next_g is None else _slope(corners_g[j], corners_g[j + 1])
        at_f = corners_f[i][1] + slope_f * (t - corners_f[i][0])
        at_g = corners_g[j][1] + slope_g * (t - corners_g[j][0])
        end = next_f if next_g is None or (next_f is not None and next_f <= next_g) else next_g
        pieces.append((t, end, at_f, at_g, slope_f, slope_g))
        if end is None:
            return pieces
        i += next_f == end
        j += next_g == end
        t = end


def _slope(p: Point, q: Point) -> Number:
    return ratio(q[1] - p[1], q[0] - p[0])


def upper(f: Wall, g: Wall) -> Wall:
    """The larger of two walls at every temperature."""
    if f is g or f == g:
        return f
    points: list[Point] = []
    slope: Number = 0
    for t, end, at_f, at_g, slope_f, slope_g in _pieces(f, g):
        points.append((t, plain(max(at_f, at_g))))
        gap, closing = at_f - at_g, slope_g - slope_f
        if closing and gap and (gap > 0) == (closing > 0):
            cross = t + ratio(gap, closing)
            if end is None or cross < end:
                points.append((plain(cross), plain(at_f + slope_f * (cross - t))))
        if end is None:
            f_wins = slope_f > slope_g or (slope_f == slope_g and at_f > at_g)
            slope = slope_f if f_wins else slope_g
    return wall_through(points, slope)


def lower(f: Wall, g: Wall) -> Wall:
    """The smaller of two walls at every temperature."""
    return f if f is g or f == g else -upper(-f, -g)


def highest(walls: Iterable[Wall]) -> Wall | None:
    """The largest of several walls at every temperature; None of none."""
    found = list(walls)
    return reduce(upper, found) if found else None


def lowest(walls: Iterable[Wall]) -> Wall | None:
    """The smallest of several walls at every temperature; None of none."""
    found = [-wall for wall in walls]
    return -reduce(upper, found) if found else None


@dataclass(frozen=True, slots=True)
class Thermograph:
    """Two walls: `left` when Black moves first, `right` when White does. Black's side is positive.

    >>> from miai.endgame.names import parse
    >>> t = thermograph(parse("{9|{4|0}}"))
    >>> str(t.mean), str(t.temperature), str(t.left_stop), str(t.right_stop)
    ('11/2', '7/2', '9', '4')
    """

    left: Wall
    right: Wall

    @property
    def temperature(self) -> Fraction:
        """The lowest temperature above which nobody gains by moving and the mast stands upright."""
        top = self._top()
        return max(Fraction(0), Fraction(top))

    def _top(self) -> Number:
        if self.left == self.right:
            return self.left.points[-1][0]
        # above both last corners the walls agree, or the position is hot for ever (no end of kos)
        return max(self.left.points[-1][0], self.right.points[-1][0])

    @property
    def mean(self) -> Fraction:
        """The count: where the mast stands."""
        return Fraction(self.left._at(self._top()))

    @property
    def left_stop(self) -> Fraction:
        """The result when Black moves first and everything is answered."""
        return Fraction(self.left.points[0][1])

    @property
    def right_stop(self) -> Fraction:
        """The result when White moves first and everything is answered."""
        return Fraction(self.right.points[0][1])

    def cooled(self, s: Number) -> Thermograph:
        """The thermograph of the same game with a further tax of `s` ≥ 0 on every move."""
        return Thermograph(self.left.cooled(s), self.right.cooled(s))

    def plus(self, x: Number) -> Thermograph:
        """The same position with `x` more points for Black."""
        return Thermograph(self.left.plus(x), self.right.plus(x))

    def __neg__(self) -> Thermograph:
        """The same position with the colours exchanged."""
        return Thermograph(-self.right, -self.left)

    def to_json(self) -> dict[str, object]:
        def corners(wall: Wall) -> list[list[str]]:
            return [[str(Fraction(t)), str(Fraction(v))] for t, v in wall.points]

        return {
            "mean": str(self.mean),
            "temperature": str(self.temperature),
            "left": corners(self.left),
            "right": corners(self.right),
        }


def _running_max(f: Wall, least: Number) -> Wall:
    """The largest value of `f` up to each temperature, and at least `least`."""
    best = max(f.points[0][1], least)
    points: list[Point] = [(0, best)]
    slope: Number = 0
    for t, end, at_f, _, rising, _ in _pieces(f, f):
        if rising > 0:
            hit = t if at_f >= best else plain(t + ratio(best - at_f, rising))
            if end is None:
                points.append((hit, best))
                slope = rising
            elif hit < end:
                points.append((hit, best))
                best = plain(at_f + rising * (end - t))
                points.append((end, best))
    return wall_through(points, slope)


def _pieces_apart(a: Wall, b: Wall) -> list[tuple[Number, Number | None, Number, Number, Number, Number]]:
    """`_pieces`, cut once more where the walls cross, so that each piece is hot or cold throughout."""
    apart = []
    for t, end, at_a, at_b, slope_a, slope_b in _pieces(a, b):
        gap, closing = at_a - at_b, slope_b - slope_a
        cross = t + ratio(gap, closing) if closing and gap and (gap > 0) == (closing > 0) else None
        if cross is None or (end is not None and cross >= end):
            apart.append((t, end, at_a, at_b, slope_a, slope_b))
            continue
        meet = at_a + slope_a * (cross - t)
        apart.append((t, cross, at_a, at_b, slope_a, slope_b))
        apart.append((cross, end, meet, meet, slope_a, slope_b))
    return apart


def freeze(black: Wall | None, white: Wall | None, stop: Number) -> Thermograph:
    """The thermograph of a position from its scaffolds.

    `black` is the best result of a move by Black (tax paid), `white` of one by White, None where
    there is no move; `stop` is the result if nobody ever moves. Where Black's scaffold is above
    White's the position is hot and both move. Elsewhere both wait: the value found further down
    stays as it is (the mast), and moves only when a scaffold pushes it, which only kos can do.
    """
    if black is None or white is None:
        if black is not None:
            alone = _running_max(black, stop)
        elif white is not None:
            alone = -_running_max(-white, -stop)
        else:
            alone = mast(stop)
        return Thermograph(alone, alone)
    rest = max(black.points[0][1], min(white.points[0][1], stop))
    left: list[Point] = []
    right: list[Point] = []
    slopes: tuple[Number, Number] = (0, 0)
    for t, end, a, b, slope_a, slope_b in _pieces_apart(black, white):
        if a > b or (a == b and slope_a > slope_b):
            left.append((t, plain(a)))
            right.append((t, plain(b)))
            slopes = slope_a, slope_b
            if end is not None:
                rest = plain(a + slope_a * (end - t))
            continue
        rest = max(a, min(b, rest))
        pushes = [(t + ratio(rest - a, slope_a), slope_a)] if slope_a > 0 else []
        pushes += [(t + ratio(rest - b, slope_b), slope_b)] if slope_b < 0 else []
        left.append((t, plain(rest)))
        slopes = 0, 0
        if pushes:
            hit, slope = min(pushes)
            if end is None or hit < end:
                left.append((plain(hit), plain(rest)))
                slopes = slope, slope
                if end is not None:
                    rest = plain(rest + slope * (end - hit))
        right += left[-2:] if left[-1][0] != t else left[-1:]
    return Thermograph(wall_through(left, slopes[0]), wall_through(right, slopes[1]))


def thermograph(game: Game) -> Thermograph:
    """The thermograph of a combinatorial game, t ≥ 0."""
    known = _of_games.get(game)
    if known is None:
        if game.number is not None:
            known = Thermograph(mast(game.number), mast(game.number))
        else:
            black = highest(thermograph(option).right.taxed(-1) for option in game.left)
            white = lowest(thermograph(option).left.taxed(+1) for option in game.right)
            assert black is not None and white is not None, "only numbers lack options in canonical form"
            known = freeze(black, white, stop=black.points[0][1])
        _of_games[game] = known
    return known


_of_games: WeakKeyDictionary[Game, Thermograph] = WeakKeyDictionary()


def cool(game: Game, t: Number) -> Game:
    """The game with a tax of `t` on every move; once nobody would move any more, its mean."""
    if t < 0:
        raise ValueError(f"cooling by {t}: a tax cannot be negative")
    return _cooled(game, Fraction(t))


@lru_cache(maxsize=1 << 16)
def _cooled(game: Game, t: Fraction) -> Game:
    if game.number is not None or t == 0:
        return game
    graph = thermograph(game)
    if t > graph.temperature:
        return number(graph.mean)
    taxed = number(t)
    return canonical(
        [_cooled(option, t) - taxed for option in game.left],
        [_cooled(option, t) + taxed for option in game.right],
    )
