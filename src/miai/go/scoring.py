"""Counting the end of a game: `score(board, rules, dead=…)`.

The players say which stones are dead; nothing here guesses it. Marking one stone marks what a click
in a game client marks, see `dead_stones`. The dead come off the board, and an empty region that
touches one colour only is that colour's; a region that touches both is neutral (dame).

Area counting: living stones and owned points. Territory counting: owned points, dead enemy stones
and prisoners. What else a ruleset asks for is read from its row in `rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from miai.go.benson import pass_alive
from miai.go.board import Board
from miai.go.coords import BLACK, COLOUR_LETTERS, EMPTY, WHITE, opponent
from miai.go.kernels.arrays import side
from miai.go.rules import Count, HandicapBonus, Rules
from miai.kernel import kernel

Line = npt.NDArray[np.int8]  # one value for each place of the padded line

_BONUS_STONES_OFF = {HandicapBonus.STONES: 0, HandicapBonus.STONES_LESS_ONE: 1}


@dataclass(frozen=True)
class Tally:
    """Where one player's points come from. What the counting method does not count is 0."""

    stones: int  # living stones on the board, area counting
    territory: int  # owned points, those under dead enemy stones among them
    prisoners: int  # stones captured, dead and handed over with passes, territory counting
    bonus: float  # komi and handicap compensation

    @property
    def total(self) -> float:
        return self.stones + self.territory + self.prisoners + self.bonus


@dataclass(frozen=True)
class Score:
    """The count of a finished game."""

    rules: str
    black: Tally
    white: Tally
    owner: tuple[tuple[int, ...], ...]  # [row][column] BLACK, WHITE, or EMPTY for neutral points
    dead: tuple[str, ...]  # GTP names of every stone taken off before counting

    @property
    def margin(self) -> float:
        """Black's points less White's."""
        return self.black.total - self.white.total

    @property
    def result(self) -> str:
        """As SGF writes it: "B+3.5", "W+0.5", "Draw"."""
        if self.margin == 0:
            return "Draw"
        return f"{'B' if self.margin > 0 else 'W'}+{abs(self.margin):g}"

    def to_json(self) -> dict[str, Any]:
        def tally(t: Tally) -> dict[str, float]:
            return {**t.__dict__, "total": t.total}

        return {
            "rules": self.rules,
            "result": self.result,
            "margin": self.margin,
            "black": tally(self.black),
            "white": tally(self.white),
            "owner": ["".join(COLOUR_LETTERS.get(owner, ".") for owner in row) for row in self.owner],
            "dead": list(self.dead),
        }


def score(
    board: Board,
    rules: Rules | None = None,
    *,
    dead: Iterable[int] = (),
    whole_region: bool = True,
    komi: float | None = None,
    handicap: int = 0,
    count: Count | None = None,
    passes: Mapping[int, int] | None = None,
) -> Score:
    """Count `board` by `rules`, by default those of the board.

    `dead`          stones to take off; `whole_region` is explained at `dead_stones`
    `komi`          by default the ruleset's, whatever the handicap
    `handicap`      the number of Black's handicap stones, for White's compensation under area counting
    `count`         overrules the ruleset's way of counting: AGA players may use either
    `passes`        how often each colour passed: where rules hand over a stone for a pass, these
                    are prisoners in territory counting (area counting needs no such correction)

    Under rules without points in seki, a group that is in seki has no territory: see `in_seki`.
    """
    rules = board.rules if rules is None else rules
    count = rules.count if count is None else count
    komi = rules.komi if komi is None else komi
    removed = dead_stones(board, dead, whole_region=whole_region)
    living = board.arrays.colour.copy()
    living[removed] = EMPTY
    owner, region = owners(living, board.grid.stride)
    if not rules.seki_territory:
        owner[in_seki(living, board.grid.stride, owner, region)] = EMPTY

    bonus = {BLACK: 0.0, WHITE: float(komi)}
    if count is Count.AREA and handicap and rules.handicap_bonus in _BONUS_STONES_OFF:
        bonus[WHITE] += handicap - _BONUS_STONES_OFF[rules.handicap_bonus]
    tallies = {}
    for colour in (BLACK, WHITE):
        enemy = opponent(colour)
        prisoners = board.captures[colour] + int(np.sum(board.arrays.colour[removed] == enemy))
        if rules.pass_stones and passes is not None:
            prisoners += passes.get(enemy, 0)
        tallies[colour] = Tally(
            stones=int(np.sum(living == colour)) if count is Count.AREA else 0,
            territory=int(np.sum((owner == colour) & (living == EMPTY))),
            prisoners=prisoners if count is Count.TERRITORY else 0,
            bonus=bonus[colour],
        )
    rows = owner[board.grid.points].reshape(board.grid.height, board.grid.width)
    return Score(
        rules=rules.name,
        black=tallies[BLACK],
        white=tallies[WHITE],
        owner=tuple(tuple(int(colour) for colour in row) for row in rows),
        dead=tuple(board.grid.names(removed)),
    )


def dead_stones(board: Board, marked: Iterable[int], *, whole_region: bool = True) -> list[int]:
    """Every stone that is dead when `marked` stones are, in board order.

    Each stone takes its chain with it, and every chain of its colour that can be reached from there
    over empty points and stones of that colour: all that shares its enclosure of enemy stones. Chains
    that are unconditionally alive are left out, unless one of their stones is marked itself. With
    `whole_region=False` only the chains go: for lists that name every dead stone, as GTP's do.
    """
    a = board.arrays
    dead: set[int] = set()
    safe: dict[int, set[int]] = {}
    for point in marked:
        chain = board.chain(point)
        if point in dead:
            continue
        reached = set(chain.stones)
        if whole_region:
            if chain.colour not in safe:
                safe[chain.colour] = set(pass_alive(board, chain.colour).stones)
            to_visit = list(chain.stones)
            while to_visit:
                for neighbour in board.grid.neighbours(to_visit.pop()):
                    if a.colour[neighbour] not in (EMPTY, chain.colour):
                        continue
                    if neighbour not in reached and neighbour not in safe[chain.colour]:
                        reached.add(neighbour)
                        to_visit.append(neighbour)
        dead.update(p for p in reached if a.colour[p] == chain.colour)
    return sorted(dead)


def owners(colour: Line, stride: int) -> tuple[Line, npt.NDArray[np.int32]]:
    """For each place of the padded line who owns it, and which empty region it is in (from 1, or 0).

    EMPTY owns neutral points, OFF the border.
    """
    owner = np.empty_like(colour)
    region = np.empty(colour.size, dtype=np.int32)
    owners_kernel(colour, stride, owner, region, np.empty(colour.size, dtype=np.int32))
    return owner, region


@kernel
def owners_kernel(colour, stride, owner, region, queue):  # type: ignore[no-untyped-def]
    """See `owners`. Returns Black's points less White's; `queue` is int32 [length] of scratch."""
    region[:] = 0
    regions = margin = 0
    for start in range(colour.size):
        content = colour[start]
        if content != EMPTY:
            owner[start] = content
            margin += 1 if content == BLACK else -1 if content == WHITE else 0
        if content != EMPTY or region[start] != 0:
            continue
        regions += 1
        region[start] = regions
        queue[0] = start
        count, done, touched = 1, 0, 0
        while done < count:
            for direction in range(4):
                point = queue[done] + side(stride, direction)
                if colour[point] == BLACK or colour[point] == WHITE:
                    touched |= colour[point]
                elif colour[point] == EMPTY and region[point] == 0:
                    region[point] = regions
                    queue[count] = point
                    count += 1
            done += 1
        mine = touched if touched == BLACK or touched == WHITE else EMPTY
        for i in range(count):
            owner[queue[i]] = mine
        margin += count if mine == BLACK else -count if mine == WHITE else 0
    return margin


def in_seki(colour: Line, stride: int, owner: Line, region: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """The owned empty points that are eyes of groups in seki, where `colour` has no dead stones left.

    A group is the chains of one colour that are tied together by the regions they own. It is in seki
    when one of its stones is next to a neutral point and its regions make fewer than two eyes; a
    region of four points or more makes two. By the letter of the rules any neutral point means seki,
    because all others have been filled before the count; asking for eyes as well keeps the score of
    games right whose players left them open.
    """
    # one flood over stones and owned regions of a colour collects a group and all its eyes
    seki = np.zeros(colour.size, dtype=np.bool_)
    seen = np.zeros(colour.size, dtype=np.bool_)
    sizes = np.bincount(region)
    for start in np.flatnonzero((owner == BLACK) | (owner == WHITE)):
        if seen[start]:
            continue
        seen[start] = True
        group, touches_dame = [int(start)], False
        for point in group:
            for neighbour in (point - stride, point - 1, point + 1, point + stride):
                if owner[neighbour] == EMPTY:
                    touches_dame = True
                elif owner[neighbour] == owner[start] and not seen[neighbour]:
                    seen[neighbour] = True
                    group.append(neighbour)
        eyes = sum(2 if sizes[r] >= 4 else 1 for r in set(region[group]) - {0})
        if touches_dame and eyes < 2:
            seki[[p for p in group if colour[p] == EMPTY]] = True
    return seki
