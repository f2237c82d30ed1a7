"""Plane sets as data: their names, their planes in order, and what each plane means.

A network names the plane set that it reads, and `plane_set` finds it here. How the numbers are made is
in `deepgo`, `darkforest` and `katago`; `encode` calls those.

"Own" is the side to move, "opponent" the other. A plane has one number for each point; a scalar is one
number for the whole position. Where nothing else is said, a plane is 1 where its meaning holds and 0
elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass


class UnknownPlaneSet(ValueError):
    """A plane set that this program does not have."""


@dataclass(frozen=True)
class Plane:
    """One plane, or one scalar."""

    name: str
    meaning: str


@dataclass(frozen=True)
class PlaneSet:
    """What a network reads: planes [spatial, height, width] and numbers [scalars]."""

    name: str
    version: int  # goes up when the same position would give other numbers
    spatial: tuple[Plane, ...]
    scalars: tuple[Plane, ...] = ()

    def plane(self, name: str) -> int:
        """The index of the plane of that name."""
        return [plane.name for plane in self.spatial].index(name)

    def scalar(self, name: str) -> int:
        """The index of the scalar of that name."""
        return [scalar.name for scalar in self.scalars].index(name)


def _planes(*rows: tuple[str, str]) -> tuple[Plane, ...]:
    return tuple(Plane(name, meaning) for name, meaning in rows)


_LIBERTIES = tuple(
    Plane(f"{who}-{count}", f"{whose} stones of chains with {liberties}")
    for who, whose in (("own", "own"), ("opponent", "the opponent's"))
    for count, liberties in (("1", "1 liberty"), ("2", "2 liberties"), ("3+", "3 liberties or more"))
)
_KO = Plane("ko", "where the ko rule forbids the side to move to play")
_BORDER = Plane("border", "the points on the edge of the board")

DEEPGO8 = PlaneSet("deepgo8", 1, (*_LIBERTIES, _KO, _BORDER))

DARKFOREST25 = PlaneSet(
    "darkforest25",
    1,
    (
        *_LIBERTIES,
        _KO,
        *_planes(
            ("own", "own stones"),
            ("opponent", "the opponent's stones"),
            ("empty", "empty points"),
            ("own-history", "exp(-0.1 t) on own stones, played t moves ago: 1 for the last move"),
            ("opponent-history", "the same on the opponent's stones"),
            *(
                (f"rank-{dan}", f"1 everywhere when the opponent's rank is {dan} dan, else 0")
                for dan in range(1, 10)
            ),
        ),
        _BORDER,
        *_planes(
            ("position", "exp(-d²/2), d = distance to the centre in points"),
            ("own-closest", "own stones are nearer than the opponent's, in steps along the lines"),
            ("opponent-closest", "the opponent's stones are nearer than own ones"),
        ),
    ),
)

KATAGO7 = PlaneSet(
    "katago7",
    7,
    _planes(
        ("board", "every point of the board"),
        ("own", "own stones"),
        ("opponent", "the opponent's stones"),
        ("1-liberty", "stones of either side in chains with 1 liberty"),
        ("2-liberties", "… with 2 liberties"),
        ("3-liberties", "… with 3 liberties"),
        ("ko", "where ko or superko forbids a move"),
        ("ko-recapture", "retaking forbidden in the encore; always 0 here, where encores are not played"),
        ("unused", "always 0"),
        ("last-1", "the last move, if the opponent made it"),
        ("last-2", "the move before it, if own"),
        ("last-3", "the move before that, if the opponent's, and so on in turn"),
        ("last-4", "four moves ago"),
        ("last-5", "five moves ago"),
        ("ladder", "stones in chains that a ladder captures, whoever is to move when they are in atari"),
        ("ladder-before-1", "the same, one move ago"),
        ("ladder-before-2", "the same, two moves ago"),
        ("ladder-move", "moves that start a working ladder against the opponent's chains with 2 liberties"),
        ("own-area", "own area if the game ended now, pass-alive groups known; 0 under territory counting"),
        ("opponent-area", "the opponent's area, likewise"),
        ("own-encore", "own stones at the start of the second encore; always 0 here"),
        ("opponent-encore", "the opponent's, likewise"),
    ),
    _planes(
        ("pass-1", "the last move was a pass"),
        ("pass-2", "so was the move before it"),
        ("pass-3", "three moves ago"),
        ("pass-4", "four moves ago"),
        ("pass-5", "five moves ago"),
        (
            "komi",
            "what the side to move is given, in points / 20; prisoners folded in under territory counting",
        ),
        ("superko", "1 under superko"),
        ("superko-kind", "0.5 positional, -0.5 situational"),
        ("suicide", "1 where suicide is allowed"),
        ("territory", "1 under territory counting"),
        ("tax-seki", "1 where eyes in seki do not count"),
        ("tax-all", "1 under group tax; always 0 here"),
        ("encore-1", "always 0 here"),
        ("encore-2", "always 0 here"),
        ("pass-ends", "a pass would end the game"),
        ("doubling", "unequal playouts; always 0 here"),
        ("doubling-by", "always 0 here"),
        ("button", "the button is to be had; always 0 here"),
        ("komi-parity", "a triangle wave of komi with period 2: which komi can give a draw"),
    ),
)

PLANE_SETS = {planes.name: planes for planes in (DEEPGO8, DARKFOREST25, KATAGO7)}


def plane_set(name: str) -> PlaneSet:
    """The plane set of that name."""
    if name not in PLANE_SETS:
        raise UnknownPlaneSet(f"no plane set is called {name!r}: there are {', '.join(PLANE_SETS)}")
    return PLANE_SETS[name]
