"""Random enclosed positions, the same for the same seed: food for the solver and for the judge.

`positions(seed, count)` yields `Position`s. Three families, in corner, side and centre alike: an eye
space inside a ring of the target's stones, with stones of both colours thrown in and sometimes a hole
in the ring; the same with outside liberties; and a small patch of mere noise, which is where the
strange kos and sekis are. Outside stands the attacker's wall, here and there with an open point in it
(a liberty nobody can fill) or a safe stone of the defender's.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from life.judge import ATTACKER, DEFENDER, Judge, Point

MOST_EMPTY = 8


@dataclass(frozen=True)
class Position:
    """A problem in plain sets of (row, column)."""

    width: int
    height: int
    attacker: frozenset[Point]
    defender: frozenset[Point]
    region: frozenset[Point]
    target: frozenset[Point]

    @property
    def empty(self) -> frozenset[Point]:
        return self.region - self.attacker - self.defender

    def judge(self, most_states: int = 200_000) -> Judge:
        return Judge(
            self.width,
            self.height,
            attacker=self.attacker,
            defender=self.defender,
            region=self.region,
            target=self.target,
            most_states=most_states,
        )

    def with_stones(self, attacker: set[Point], defender: set[Point]) -> Position:
        """The same wall, region and target around other stones."""
        outside = frozenset(self.attacker - self.region), frozenset(self.defender - self.region)
        return replace(self, attacker=outside[0] | attacker, defender=outside[1] | defender)

    def at(self, judge: Judge, number: int) -> Position:
        """The position that a judge of this wall, region and target has under a number."""
        attacker, defender, _ = judge.boards[number]
        inside = {point: judge.bit(point) for point in self.region}
        return self.with_stones(
            {point for point, bit in inside.items() if attacker & bit},
            {point for point, bit in inside.items() if defender & bit},
        )

    def __str__(self) -> str:
        """X attacks, O defends, o is the target; `:` is empty in the region."""
        signs = {p: "." for p in points(self.width, self.height)}
        signs |= dict.fromkeys(self.region, ":") | dict.fromkeys(self.attacker, "X")
        signs |= dict.fromkeys(self.defender, "O") | dict.fromkeys(self.target, "o")
        rows = ["  " + " ".join("ABCDEFGHJKLMN"[: self.width])]
        for row in range(self.height):
            line = " ".join(signs[row, column] for column in range(self.width))
            rows.append(f"{self.height - row} {line}")
        inner = [f"{'ABCDEFGHJKLMN'[c]}{self.height - r}" for r, c in sorted(self.region)]
        return "\n".join(rows) + "\nregion " + ",".join(inner)


def points(width: int, height: int) -> list[Point]:
    return [(row, column) for row in range(height) for column in range(width)]


def neighbours(size: tuple[int, int], point: Point) -> list[Point]:
    """The points next to one on a board of this width and height."""
    row, column = point
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [(r, c) for r, c in around if 0 <= r < size[1] and 0 <= c < size[0]]


def ring(size: tuple[int, int], inside: set[Point]) -> set[Point]:
    return {near for point in inside for near in neighbours(size, point)} - inside


def blob(dice: random.Random, size: tuple[int, int], count: int) -> set[Point]:
    """A connected shape of `count` points that starts in a corner, on a side, or off both."""
    width, height = size
    place = dice.choice(("corner", "corner", "side", "side", "centre"))
    row = 0 if place != "centre" else dice.randrange(2, height - 2)
    column = 0 if place == "corner" else dice.randrange(1 if place == "side" else 2, width - 2)
    shape = {(row, column)}
    while len(shape) < count:
        # points that touch the shape twice come more often: shapes like those of books
        around = [near for point in sorted(shape) for near in neighbours(size, point) if near not in shape]
        shape.add(dice.choice(around))
    return shape


def chains(size: tuple[int, int], stones: set[Point]) -> list[set[Point]]:
    found, left = [], set(stones)
    while left:
        chain, waiting = set(), [left.pop()]
        while waiting:
            stone = waiting.pop()
            chain.add(stone)
            for near in neighbours(size, stone):
                if near in left:
                    left.discard(near)
                    waiting.append(near)
        found.append(chain)
    return found


def legal(position: Position) -> bool:
    """Has every chain on the whole board a liberty?"""
    size = position.width, position.height
    taken = position.attacker | position.defender
    return all(
        ring(size, chain) - taken
        for side in (position.attacker, position.defender)
        for chain in chains(size, set(side))
    )


def scatter(dice: random.Random, inside: set[Point], share: float) -> tuple[set[Point], set[Point]]:
    """Throw stones of both colours on a part of the points."""
    attacker, defender = set(), set()
    balance = dice.choice((0.5, 0.5, 0.2, 0.8))
    for point in sorted(inside):
        if dice.random() < share:
            (attacker if dice.random() < balance else defender).add(point)
    return attacker, defender


def surrounded(dice: random.Random, size: tuple[int, int], most_empty: int) -> Position:
    """An eye space inside a ring of the target's stones."""
    inside = blob(dice, size, dice.randint(2, 9))
    wall_of_target = ring(size, inside)
    attacker, defender = scatter(dice, inside, dice.choice((0.0, 0.2, 0.4, 0.6)))
    holes = {point for point in sorted(wall_of_target) if dice.random() < dice.choice((0.0, 0.0, 0.1))}
    stones = wall_of_target - holes
    region = inside | wall_of_target
    if dice.random() < 0.5:  # outside liberties, or attacking stones that can be captured
        beyond = sorted(ring(size, region))
        for point in dice.sample(beyond, min(len(beyond), dice.randint(1, 3))):
            region.add(point)
            if dice.random() < 0.3:
                attacker.add(point)
    return enclose(dice, size, region, attacker, defender | stones, stones)


def noise(dice: random.Random, size: tuple[int, int], most_empty: int) -> Position:
    """A patch of random stones."""
    region = blob(dice, size, dice.randint(4, 11))
    share = 1 - dice.uniform(0.3, 0.9) * min(1.0, most_empty / len(region))
    attacker, defender = scatter(dice, region, share)
    return enclose(dice, size, region, attacker, defender, defender)


def enclose(
    dice: random.Random,
    size: tuple[int, int],
    region: set[Point],
    attacker: set[Point],
    defender: set[Point],
    candidates: set[Point],
) -> Position:
    """Build the wall and choose the target among the candidates: one chain or two."""
    wall = ring(size, region)
    faults = dice.choice(("", "", "", "", "", "open", "safe"))
    safe: set[Point] = set()
    if faults and wall:
        point = dice.choice(sorted(wall))
        wall.discard(point)
        if faults == "safe":
            safe.add(point)
    groups = sorted(chains(size, candidates), key=len)
    target: set[Point] = set()
    for _ in range(dice.choice((1, 1, 2))):
        if groups:
            # the largest, mostly
            target |= groups.pop(-1 if dice.random() < 0.7 else dice.randrange(len(groups)))
    if target and dice.random() < 0.2:  # a part of the stones only
        target = set(dice.sample(sorted(target), dice.randint(1, len(target))))
    return Position(
        width=size[0],
        height=size[1],
        attacker=frozenset(attacker | wall),
        defender=frozenset(defender | safe),
        region=frozenset(region),
        target=frozenset(target),
    )


def positions(seed: int, count: int, *, fewest: int = 0, most: int = MOST_EMPTY) -> Iterator[Position]:
    """`count` legal positions with `fewest` to `most` empty points in the region."""
    dice = random.Random(seed)
    found = 0
    while found < count:
        size = dice.choice(((7, 7), (7, 7), (6, 7), (8, 6)))
        family = surrounded if dice.random() < 0.65 else noise
        position = family(dice, size, most)
        if not position.target or not fewest <= len(position.empty) <= most or not position.empty:
            continue
        if not legal(position):
            continue
        found += 1
        yield position


__all__ = ["ATTACKER", "DEFENDER", "Position", "legal", "positions"]
