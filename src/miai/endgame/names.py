"""The usual names of small games, and reading games from text.

`name` knows numbers, star and nimbers, ups and downs (with star), tiny and miny, switches, each with
a number in front of it: `4 + up3`, `-1 + star`, `-6 + miny(4)`, `1 +- 2`. Anything else is written out
in braces. `parse` reads braces, numbers, names, and sums of them.
"""

from __future__ import annotations

import re
from fractions import Fraction

from miai.endgame.games import Game, add, game, left_stop, negate, number, right_stop

ZERO = number(0)
STAR = game([ZERO], [ZERO])
UP = game([ZERO], [STAR])
DOWN = negate(UP)

MOST_UPS = 64
"""Names stop here: nobody counts further than up64."""


class UnknownGame(ValueError):
    """The text is not a game; the message says where."""


def nimber(n: int) -> Game:
    """Star n: both sides may move to any smaller nimber. `nimber(1)` is star."""
    found = [ZERO]
    while len(found) <= n:
        found.append(game(found, found))
    return found[n]


def ups(n: int, star: bool = False) -> Game:
    """The sum of n ups (downs where n < 0), with a star or without."""
    total = STAR if star else ZERO
    for _ in range(abs(n)):
        total = add(total, UP if n > 0 else DOWN)
    return total


def tiny(x: Fraction | int | Game) -> Game:
    """{0|{0|-x}}: positive, but smaller than any up."""
    x = x if isinstance(x, Game) else number(x)
    return game([ZERO], [game([ZERO], [negate(x)])])


def miny(x: Fraction | int | Game) -> Game:
    """{{x|0}|0}: the negative of tiny x."""
    return negate(tiny(x))


def switch(high: Fraction | int, low: Fraction | int) -> Game:
    """{high|low}."""
    return game([number(high)], [number(low)])


def name(g: Game) -> str:
    """The game by its usual name, or in braces where it has none."""
    if g.number is not None:
        return str(g.number)
    if len(g.left) == len(g.right) == 1 and g.left[0].number is not None and g.right[0].number is not None:
        high, low = g.left[0].number, g.right[0].number
        if high > low:
            middle, half = (high + low) / 2, (high - low) / 2
            return f"+-{half}" if middle == 0 else f"{middle} +- {half}"
    stop = left_stop(g)
    if stop == right_stop(g):
        small = _infinitesimal(add(g, number(-stop)))
        if small is not None:
            return small if stop == 0 else f"{stop} + {small}"
    return str(g)


def _infinitesimal(g: Game) -> str | None:
    """The name of a game whose stops are both 0, if it has one."""
    if len(g.left) == len(g.right) and set(g.left) == set(g.right):
        n = len(g.left)
        if n <= MOST_UPS and g is nimber(n):
            return "star" if n == 1 else f"star{n}"
    if g > ZERO:
        return _positive(g, "up", "tiny")
    if g < ZERO:
        return _positive(negate(g), "down", "miny")
    for n in (1, -1):  # up star and down star are the ones confused with 0
        if g is ups(n, star=True):
            return "upstar" if n == 1 else "downstar"
    return None


def _positive(g: Game, up: str, small: str) -> str | None:
    if g.left == (ZERO,) and len(g.right) == 1:
        threat = g.right[0]
        if threat.left == (ZERO,) and len(threat.right) == 1:
            loss = threat.right[0].number
            if loss is not None and loss < 0:
                return f"{small}({-loss})"
    for n in range(1, MOST_UPS + 1):
        if ups(n) is g:
            return up if n == 1 else f"{up}{n}"
        if ups(n, star=True) is g:
            return f"{up}{'' if n == 1 else n}star"
        if not g >= ups(n - 1):
            return None
    return None


_TOKEN = re.compile(
    r"\s*(?:(?P<number>-?\d+(?:/\d+)?)|(?P<name>tiny|miny)\((?P<size>\d+(?:/\d+)?)\)"
    r"|(?P<ups>up|down)(?P<n>\d*)(?P<star>star)?|(?P<nimber>star)(?P<m>\d*)|(?P<sign>\+-|[{}|,+]))"
)


def parse(text: str) -> Game:
    """Read a game: `{1|{0|0}} + {1|{0|0}}`, `4 + up3`, `-6 + miny(4)`, `1 +- 2`."""
    tokens = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise UnknownGame(f"{text!r} is not a game: cannot read it from character {at + 1} on")
        tokens.append(match)
        at = match.end()
    reader = _Reader(text, tokens)
    total = reader.sum()
    if reader.at < len(tokens):
        raise UnknownGame(f"{text!r} is not a game: something is left over after {total}")
    return total


class _Reader:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, tokens: list[re.Match[str]]) -> None:
        self.text, self.tokens, self.at = text, tokens, 0

    def next_sign(self) -> str | None:
        return self.tokens[self.at]["sign"] if self.at < len(self.tokens) else None

    def expect(self, sign: str) -> None:
        if self.next_sign() != sign:
            raise UnknownGame(f"{self.text!r} is not a game: {sign!r} is missing")
        self.at += 1

    def sum(self) -> Game:
        total = ZERO if self.next_sign() == "+-" else self.term()
        while (sign := self.next_sign()) in ("+", "+-"):
            self.at += 1
            term = self.term()
            if sign == "+-":
                term = game([term], [negate(term)])
            total = add(total, term)
        return total

    def options(self) -> list[Game]:
        found = [self.sum()]
        while self.next_sign() == ",":
            self.at += 1
            found.append(self.sum())
        return found

    def term(self) -> Game:
        if self.next_sign() == "{":
            self.at += 1
            left = self.options()
            self.expect("|")
            right = self.options()
            self.expect("}")
            return game(left, right)
        if self.at == len(self.tokens) or self.next_sign() is not None:
            raise UnknownGame(f"{self.text!r} is not a game: a number, a name or {{…|…}} is missing")
        token = self.tokens[self.at]
        self.at += 1
        if token["number"]:
            return number(Fraction(token["number"]))
        if token["name"]:
            return (tiny if token["name"] == "tiny" else miny)(Fraction(token["size"]))
        if token["nimber"]:
            return nimber(int(token["m"] or 1))
        n = int(token["n"] or 1)
        return ups(n if token["ups"] == "up" else -n, star=bool(token["star"]))
