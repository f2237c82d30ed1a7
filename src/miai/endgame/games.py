"""Combinatorial games as values: canonical forms, sums, comparison, cooling.

Left is Black, Right is White. `Game` objects are made by `number` and `game` only, always in
canonical form, and there is one object for each value: two games are equal exactly when they are
the same object. Numbers are leaves and may be any fraction, so that counts in thirds fit in.

Names of games, and reading them back, are in `names.py`; their thermographs in `thermograph.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from weakref import WeakValueDictionary

Number = int | Fraction


class Game:
    """A game in canonical form: a number, or Black's options and White's options."""

    __slots__ = ("__weakref__", "left", "number", "right")

    number: Fraction | None  # None: not a number
    left: tuple[Game, ...]  # Black's options; empty for a number
    right: tuple[Game, ...]

    def __init__(self, number: Fraction | None, left: tuple[Game, ...], right: tuple[Game, ...]) -> None:
        self.number, self.left, self.right = number, left, right

    def __add__(self, other: Game) -> Game:
        return add(self, other)

    def __neg__(self) -> Game:
        return negate(self)

    def __sub__(self, other: Game) -> Game:
        return add(self, negate(other))

    def __le__(self, other: Game) -> bool:
        return at_most(self, other)

    def __ge__(self, other: Game) -> bool:
        return at_most(other, self)

    def __lt__(self, other: Game) -> bool:
        return self is not other and at_most(self, other)

    def __gt__(self, other: Game) -> bool:
        return self is not other and at_most(other, self)

    def __str__(self) -> str:
        return braces(self)

    def __repr__(self) -> str:
        return f"<Game {braces(self)}>"


_numbers: WeakValueDictionary[Fraction, Game] = WeakValueDictionary()
_games: WeakValueDictionary[tuple[frozenset[int], frozenset[int]], Game] = WeakValueDictionary()


def number(x: Number) -> Game:
    """The game worth exactly `x` points, in which nobody wants to move."""
    key = Fraction(x)
    found = _numbers.get(key)
    if found is None:
        found = _numbers[key] = Game(key, (), ())
    return found


def _interned(left: Iterable[Game], right: Iterable[Game]) -> Game:
    left, right = tuple(left), tuple(right)
    key = frozenset(map(id, left)), frozenset(map(id, right))  # options live as long as their game
    found = _games.get(key)
    if found is None:
        found = _games[key] = Game(None, left, right)
    return found


def braces(g: Game) -> str:
    """The game written out: `{9|{4|0}}`, options separated by commas."""
    if g.number is not None:
        return str(g.number)
    return "{" + ",".join(map(braces, g.left)) + "|" + ",".join(map(braces, g.right)) + "}"


@lru_cache(maxsize=1 << 18)
def at_most(g: Game, h: Game) -> bool:
    """Whether g ≤ h: having h instead of g never hurts Black."""
    if g is h:
        return True
    if g.number is not None and h.number is not None:
        return g.number <= h.number
    # Number avoidance: beside something that is no number nobody need move in a number.
    return not any(at_most(h, left) for left in g.left) and not any(at_most(right, g) for right in h.right)


def game(left: Iterable[Game], right: Iterable[Game]) -> Game:
    """The canonical form of the game with these options (neither side may be empty)."""
    lefts, rights = list(dict.fromkeys(left)), list(dict.fromkeys(right))
    if not lefts or not rights:
        raise ValueError("a game needs options for both sides; a position without moves is a number")
    while True:
        simplest = _number_between(lefts, rights)
        if simplest is not None:
            return number(simplest)
        lefts = [g for g in lefts if not any(g is not h and at_most(g, h) for h in lefts)]
        rights = [g for g in rights if not any(g is not h and at_most(h, g) for h in rights)]
        bypassed = _bypass(lefts, rights)
        if bypassed == (lefts, rights):
            return _interned(lefts, rights)
        lefts, rights = bypassed


def _bypass(lefts: list[Game], rights: list[Game]) -> tuple[list[Game], list[Game]]:
    """Replace each reversible option by what its answer leads on to; one round for both sides."""

    def up_to(g: Game) -> bool:  # g ≤ {lefts|rights}
        return not any(down_to(left) for left in g.left) and not any(at_most(right, g) for right in rights)

    def down_to(g: Game) -> bool:  # {lefts|rights} ≤ g
        return not any(up_to(right) for right in g.right) and not any(at_most(g, left) for left in lefts)

    new_lefts: list[Game] = []
    for option in lefts:
        answer = next((answer for answer in option.right if up_to(answer)), None)
        new_lefts += [option] if answer is None else answer.left
    new_rights: list[Game] = []
    for option in rights:
        answer = next((answer for answer in option.left if down_to(answer)), None)
        new_rights += [option] if answer is None else answer.right
    return list(dict.fromkeys(new_lefts)), list(dict.fromkeys(new_rights))


def left_stop(g: Game) -> Fraction:
    """The number reached when Black moves first and both play on until there is one."""
    return g.number if g.number is not None else max(map(right_stop, g.left))


def right_stop(g: Game) -> Fraction:
    """The number reached when White moves first and both play on until there is one."""
    return g.number if g.number is not None else min(map(left_stop, g.right))


def _number_between(lefts: list[Game], rights: list[Game]) -> Fraction | None:
    """The number that {lefts|rights} is equal to, if it is one: the simplest that fits between."""
    low, high = max(map(right_stop, lefts)), min(map(left_stop, rights))
    low_fits = not any(at_most(number(low), option) for option in lefts)
    high_fits = not any(at_most(option, number(high)) for option in rights)
    if low > high or (low == high and not (low_fits and high_fits)):
        return None
    return simplest_number(low, low_fits, high, high_fits)


def simplest_number(low: Fraction, low_fits: bool, high: Fraction, high_fits: bool) -> Fraction:
    """The number born first between `low` and `high`; the ends count if they fit.

    The whole number nearest to 0, else the fraction with the smallest power of two below the line.
    """
    if low == high:
        return low
    scale = 1
    while True:
        least = ceil(low * scale) if low_fits else floor(low * scale) + 1
        most = floor(high * scale) if high_fits else ceil(high * scale) - 1
        if least <= most:
            nearest = max(least, min(0, most)) if least > 0 or most < 0 else 0
            return Fraction(nearest, scale)
        scale *= 2


@lru_cache(maxsize=1 << 16)
def add(g: Game, h: Game) -> Game:
    """The sum: a move is a move in one of the two."""
    if g.number is not None and h.number is not None:
        return number(g.number + h.number)
    if g.number is not None or h.number is not None:
        x, hot = (g, h) if g.number is not None else (h, g)
        return _interned([add(x, option) for option in hot.left], [add(x, option) for option in hot.right])
    return game(
        [add(left, h) for left in g.left] + [add(g, left) for left in h.left],
        [add(right, h) for right in g.right] + [add(g, right) for right in h.right],
    )


@lru_cache(maxsize=1 << 16)
def negate(g: Game) -> Game:
    """The same game with the colours exchanged."""
    if g.number is not None:
        return number(-g.number)
    return _interned(map(negate, g.right), map(negate, g.left))
