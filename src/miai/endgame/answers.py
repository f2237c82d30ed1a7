"""The value of one region after the other: exact search for its share of the time, else the network.

A `Worker` takes the regions of a `Division` and gives each an answer. Masks are searched from tight to
wide, on a board whose edge is closed with walls of the owners; the widest that got through counts. A
search that rests on assumed walls, or a tree that a network grew, and that is far from what the
network's ownership adds up to is not believed: then the ownership itself is the answer. `whole.py` puts
the answers together.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from miai.endgame.estimate import Estimate, EstimateError, estimate_region
from miai.endgame.judge import Judge
from miai.endgame.local import LocalGame, OutOfBudget, RegionError, RegionTooLarge, local_game
from miai.endgame.ownership import by_ownership
from miai.endgame.regions import Division, LocalPosition, framed
from miai.endgame.values import RegionValue
from miai.go.board import Board
from miai.go.coords import EMPTY
from miai.nets.runtime import Network

MOST_EMPTY = 22  # empty points from which on an exact search is not begun
OFF, FAR_OFF = 2, 4  # points between a tree or a search and the network's ownership that are too many
SEARCH_SHARE = 0.7  # of a region's time, where the network can take over
LEAST_TO_GROW = 0.25  # seconds; with less a network grows no tree worth having
MOST_TO_GROW = 40  # points of a region: beyond that a tree says less than the ownership, and takes long
GROW_SHARE = 0.5  # of what is left: the last batch of a tree takes longer than asked

SUICIDE = "Nobody plays suicide in the region, though the rules allow it."
WALLS = "What lies outside the region is settled as the network's ownership says, and its stones are safe."


class Mode(Enum):
    """What may be used for a region."""

    AUTO = "search, else the network"
    EXACT = "search only"
    ESTIMATE = "the network only"


class Method(Enum):
    """How a value was found."""

    SEARCH = "search"
    ESTIMATE = "estimate"  # a tree grown by the network
    OWNERSHIP = "ownership"  # the network's ownership added up


@dataclass(frozen=True)
class RegionAnswer:
    """A region and its value, with what it was found from."""

    value: RegionValue
    method: Method
    board: Board  # what was searched: the position, its edge closed where it was open
    game: LocalGame | None = None
    estimate: Estimate | None = None

    def to_json(self) -> dict[str, Any]:
        found = {**self.value.to_json(), "method": self.method.value}
        if self.estimate is not None:
            found["count_interval"] = [str(self.estimate.low), str(self.estimate.high)]
            found["miai_value_interval"] = [
                str(self.estimate.temperature_low),
                str(self.estimate.temperature_high),
            ]
        return found


@dataclass(frozen=True)
class Undecided:
    """A region that got no value, and why."""

    region: tuple[int, ...]
    reason: str


@dataclass(frozen=True)
class Worker:
    """What is needed to value regions."""

    board: Board
    division: Division
    ownership: npt.NDArray[np.float32] | None
    network: Network | None
    judge: Judge | None  # grows trees
    mode: Mode
    by_hand: bool

    def all(self, deadline: float) -> tuple[list[RegionAnswer], list[Undecided]]:
        """Every region, the smallest first, so that time they leave goes to the large ones."""
        answers: list[RegionAnswer] = []
        undecided: list[Undecided] = []
        if any(len(region.core) == self.board.grid.area for region in self.division.regions):
            raise RegionError("nothing on this board is settled yet: take a later move, or name a --region")
        waiting = sorted(self.division.regions, key=lambda region: (self.empty(region.masks[0]), region.core))
        for i, region in enumerate(waiting):
            share = max(0.02, (deadline - time.perf_counter()) / (len(waiting) - i))
            found = self.answer(region, share)
            if isinstance(found, RegionAnswer):
                answers.append(found)
            else:
                undecided.append(found)
        answers.sort(
            key=lambda answer: (-answer.value.miai_value, -answer.value.area_temperature, answer.value.region)
        )
        return answers, undecided

    def empty(self, mask: Sequence[int]) -> int:
        return sum(1 for p in mask if self.board[p] == EMPTY)

    def answer(self, region: LocalPosition, seconds: float) -> RegionAnswer | Undecided:
        """One region within `seconds`."""
        began = time.perf_counter()
        reason = ""
        if self.mode is not Mode.ESTIMATE:
            wait = seconds if self.mode is Mode.EXACT or self.network is None else SEARCH_SHARE * seconds
            found, reason = self.searched(region, began + wait)
            if found is not None and (
                self.by_hand or self.mode is Mode.EXACT or self.agrees(found.value, FAR_OFF)
            ):
                return found
            reason = reason or "the walls do not seem to hold: search and network are far apart"
        if self.mode is Mode.EXACT or self.network is None:
            return Undecided(region.core, f"exact search did not get through: {reason}")
        return self.estimated(region, max(0.02, began + seconds - time.perf_counter()), reason)

    def agrees(self, value: RegionValue, margin: int) -> bool:
        """Is a value what the network's ownership adds up to, give or take a move and a margin?"""
        if value.exact or self.ownership is None:
            return True
        places = [self.board.grid.row_column(p) for p in value.region]
        owned = sum(float(self.ownership[place]) for place in places)
        return abs(owned - float(value.area_count)) <= float(value.area_temperature) + margin

    def searched(self, region: LocalPosition, deadline: float) -> tuple[RegionAnswer | None, str]:
        """Search one mask after the other, from tight to wide; the last that got through counts."""
        best: RegionAnswer | None = None
        reason = ""
        for mask in region.masks:
            spent = best.value.seconds if best is not None else 0.0
            left = deadline - time.perf_counter()
            if left <= spent and best is not None:
                break
            most = MOST_EMPTY if not self.by_hand else self.board.grid.area
            if (empty := self.empty(mask)) > most:
                reason = f"{empty} empty points are too many for a search"
                break
            try:
                best = self.search(mask, left)
            except (OutOfBudget, RegionTooLarge) as trouble:
                reason = str(trouble).removesuffix(".")
                break
        return best, reason

    def search(self, mask: Sequence[int], seconds: float) -> RegionAnswer:
        """Search one mask. Raises what `local_game` raises."""
        board, fence = self.board, list[int]()
        if not self.by_hand:
            if (frame := framed(self.board, mask, self.division.owner)) is None:
                raise OutOfBudget("walls around the region cannot be drawn")
            board, fence = frame
        # a mask given by hand says what is asked: there a search cut short knows more than the network
        guess = self.by_hand and self.mode is Mode.AUTO
        game = local_game(board, mask, seconds=seconds, guess=guess)
        assumed = game.assumptions
        if fence or (assumed and not self.by_hand):
            assumed = (WALLS, *assumed)
        if self.board.rules.suicide:
            assumed = (*assumed, SUICIDE)
        value = replace(game.value, exact=game.exact and not assumed, assumptions=assumed)
        return RegionAnswer(value, Method.SEARCH, board, game=game)

    def estimated(self, region: LocalPosition, seconds: float, reason: str) -> RegionAnswer:
        """Ask the network."""
        assert self.network is not None
        why = (f"Estimated: {reason}.",) if reason else ()
        mask = region.core
        found = None
        if self.by_hand or (seconds >= LEAST_TO_GROW and len(mask) <= MOST_TO_GROW):
            share = 1.0 if self.by_hand else GROW_SHARE
            try:
                found = estimate_region(self.board, mask, network=self.judge, seconds=share * seconds)
            except EstimateError:
                found = None
        if found is not None and (self.by_hand or self.agrees(found.value, OFF)):
            value = replace(found.value, assumptions=(*why, *found.value.assumptions))
            return RegionAnswer(value, Method.ESTIMATE, self.board, estimate=found)
        value = by_ownership(self.board, mask, self.network)
        value = replace(value, assumptions=(*why, *value.assumptions))
        return RegionAnswer(value, Method.OWNERSHIP, self.board)


def with_next(answers: list[RegionAnswer], board: Board, judge: Judge, deadline: float) -> list[RegionAnswer]:
    """The answers with the network's opinion who plays there next, as far as the time goes."""
    found = []
    for answer in answers:
        value = answer.value
        if value.next_nobody is None and value.area_temperature > 0 and time.perf_counter() < deadline:
            black, white, nobody = judge.next(board, np.isin(board.grid.points, value.region))
            value = replace(value, next_black=black, next_white=white, next_nobody=nobody)
        found.append(replace(answer, value=value))
    return found
