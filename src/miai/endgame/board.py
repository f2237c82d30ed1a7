"""The whole board from its regions: moves in order of value, the count, who is ahead, which sente first.

`board_value` takes the `RegionValue` of each independent region and what is settled besides. Where
every region comes with its solved graph the results with either side to move are searched, or played
out where that is too much (`orthodox.py`); otherwise they are forecast from the miai values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from miai.endgame.orthodox import Place, play_out, search
from miai.endgame.values import TERRITORY_TAX, RegionValue, Type

ONE_SIDED = {Type.BLACK_SENTE: True, Type.WHITE_SENTE: False}  # whose sente
OWN_SENTE = ("sente", "double sente")


@dataclass(frozen=True, slots=True)
class BoardMove:
    """One region as a move for one side."""

    region: int  # index into the regions
    black: bool
    points: tuple[int, ...]  # any of them
    miai_value: Fraction
    role: str  # "gote", "sente", "reverse sente", "ko", …


@dataclass(frozen=True, slots=True)
class BoardValue:
    """The answer for a board. Everything is territory from Black's side, komi included."""

    regions: tuple[RegionValue, ...]
    count: Fraction  # sum of the counts, settled territory, prisoners and komi
    temperature: Fraction  # the largest miai value
    black_order: tuple[BoardMove, ...]  # Black's moves, the largest first, his sente before gote of its size
    white_order: tuple[BoardMove, ...]
    black_first: Fraction  # the result with correct play if Black moves next
    white_first: Fraction
    method: str  # how those two were found: "search" (perfect play), "orthodox" or "forecast"
    exact: bool  # every region's value is exact

    def leader(self, black_to_move: bool) -> str:
        """Who is ahead with correct play: "black", "white" or "even"."""
        result = self.black_first if black_to_move else self.white_first
        return "black" if result > 0 else "white" if result < 0 else "even"

    def sente_first(self, black: bool) -> tuple[BoardMove, ...]:
        """What one side can play before its largest gote, keeping the move: its own sente."""
        order = self.black_order if black else self.white_order
        return tuple(move for move in order if move.role in OWN_SENTE)

    def to_json(self) -> dict[str, Any]:
        """Plain data: `{"regions": […], "board": {…}}`, fractions as strings."""
        return {
            "regions": [region.to_json() for region in self.regions],
            "board": {
                "count": str(self.count),
                "temperature": str(self.temperature),
                "black_first": str(self.black_first),
                "white_first": str(self.white_first),
                "ahead_black_to_move": self.leader(True),
                "ahead_white_to_move": self.leader(False),
                "black_order": [self._move_json(move) for move in self.black_order],
                "white_order": [self._move_json(move) for move in self.white_order],
                "black_sente_first": [self._move_json(move) for move in self.sente_first(True)],
                "white_sente_first": [self._move_json(move) for move in self.sente_first(False)],
                "method": self.method,
                "exact": self.exact,
            },
        }

    def _move_json(self, move: BoardMove) -> dict[str, Any]:
        region = self.regions[move.region]
        return {
            "region": move.region,
            "points": region.names(move.points),
            "miai_value": str(move.miai_value),
            "role": move.role,
        }


def board_value(
    regions: Sequence[RegionValue],
    *,
    settled: Fraction | int = 0,
    komi: Fraction | int | float = 0,
    places: Sequence[Place] | None = None,
    stones: Sequence[int] | None = None,
) -> BoardValue:
    """Put independent regions together.

    `settled` is sure territory and prisoners outside them, Black's minus White's. `places` are the same
    regions as solved graphs, `stones` black minus white stones in each as it stands; with both, and
    everything exact, the results come from playing and not from a forecast.
    """
    base = Fraction(settled) - Fraction(komi)
    count = base + sum((region.count for region in regions), Fraction(0))
    exact = all(region.exact for region in regions)
    method = "forecast"
    results = [count + forecast(regions, black) for black in (True, False)]
    if exact and places is not None and stones is not None:
        start = base - sum(stones)
        found = [search(places, black, floor=TERRITORY_TAX) for black in (True, False)]
        method = "orthodox" if None in found else "search"
        results = [
            start + (play_out(places, black, floor=TERRITORY_TAX)[0] if result is None else result)
            for black, result in zip((True, False), found, strict=True)
        ]
    return BoardValue(
        regions=tuple(regions),
        count=count,
        temperature=max((region.miai_value for region in regions), default=Fraction(0)),
        black_order=_order(regions, True),
        white_order=_order(regions, False),
        black_first=results[0],
        white_first=results[1],
        method=method,
        exact=exact,
    )


def forecast(regions: Sequence[RegionValue], black: bool) -> Fraction:
    """What moving next is worth to Black, from the miai values alone.

    The sides take the open regions in turn, the largest first, each gaining its miai value. A sente is
    played and answered by its owner when the temperature comes down to it, and changes nothing;
    follow-ups are not looked at.
    """
    open_values = sorted(
        (region.miai_value for region in regions if region.type not in ONE_SIDED), reverse=True
    )
    gain = sum((-value if i % 2 else value for i, value in enumerate(open_values)), Fraction(0))
    return gain if black else -gain


def _order(regions: Sequence[RegionValue], black: bool) -> tuple[BoardMove, ...]:
    moves = [
        BoardMove(i, black, region.moves(black), region.miai_value, region.role(black))
        for i, region in enumerate(regions)
        if region.miai_value > 0
    ]
    return tuple(sorted(moves, key=lambda move: (-move.miai_value, move.role not in OWN_SENTE, move.region)))
