"""A whole board: every region valued, the rest counted, and what that means for the players.

    found = analyse(board, network=load("default"), komi=6.5)
    found.count, found.regions[0].value.miai_value, found.to_json()

`regions.divide` says where the board is open. `answers` values each region: by exact search (`local`)
within its share of the time, with as wide a mask as that allows, else by the network (`estimate`).
The regions' counts, the settled points and komi make the count; the order of moves and the results
come from `board.py` and `orthodox.py`. A region named by hand needs no network.

`exact` is kept for values that rest on the rules of Go alone. Where walls are not unconditionally
alive, or an edge had to be closed, the same search gives an answer that holds if they stand: it is
marked as not exact and says what was assumed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from miai.endgame.answers import Method, Mode, RegionAnswer, Undecided, Worker, with_next
from miai.endgame.board import BoardValue, board_value, forecast
from miai.endgame.judge import Judge, PlainJudge
from miai.endgame.orthodox import Place, play_out, search
from miai.endgame.regions import (
    THRESHOLD,
    Division,
    LocalPosition,
    Owners,
    checked,
    divide,
    settled,
    settled_by_rule,
)
from miai.endgame.values import TERRITORY_TAX
from miai.go.board import Board
from miai.go.coords import BLACK, COLOUR_LETTERS, EMPTY, WHITE
from miai.go.rules import Count, HandicapBonus
from miai.nets.runtime import Network

SECONDS = 3.0
SECONDS_FOR_ONE = 20.0  # where one region is named
FOR_REGIONS = 0.8  # of the time; all of it where regions are named and no network is asked about them
FOR_NEXT = 0.9  # of the time, until when the network is asked who plays where; the rest is for the sum
SYMMETRIES = 8
MOST_NODES = 300  # of all regions' graphs together, to play the board out
MOST_TO_SEARCH = 5_000  # combinations of the regions' positions, to search the board

SETTLED = (
    "Points that the network gives to one side with {share:.2f} or more are that side's, dead stones too."
)


class AnalysisError(ValueError):
    """A board that cannot be analysed as asked, in one sentence."""


@dataclass(frozen=True)
class Analysis:
    """A board's regions and their sum. Points are Black's minus White's, counted as the rules count."""

    board: Board
    regions: tuple[RegionAnswer, ...]  # the largest miai value first
    undecided: tuple[Undecided, ...]
    owner: Owners  # of settled points
    dead: tuple[int, ...]
    value: BoardValue  # the same in territory points: order of moves, temperature
    counting: Count
    komi: Fraction  # with White's compensation for a handicap
    settled: Fraction | None  # sure points and prisoners; None where part of the board was left out
    count: Fraction | None  # what is expected at the end, komi included
    black_first: Fraction | None  # the result of correct play if Black moves next
    white_first: Fraction | None
    method: str  # of those two: "search", "orthodox" or "forecast"
    assumptions: tuple[str, ...]
    network: str | None
    seconds: float

    @property
    def exact(self) -> bool:
        """Does everything rest on the rules alone?"""
        return not self.assumptions and not self.undecided and all(r.value.exact for r in self.regions)

    @property
    def result(self) -> Fraction | None:
        """The result of correct play from here, the side to move beginning."""
        return self.black_first if self.board.to_move == BLACK else self.white_first

    def to_json(self) -> dict[str, Any]:
        """`{"regions": […], "board": {…}}`: see docs/endgame.md."""
        said = self.value.to_json()["board"]
        names = self.board.grid.names
        black = self.board.to_move == BLACK
        return {
            "regions": [region.to_json() for region in self.regions],
            "board": {
                "count": _text(self.count),
                "temperature": said["temperature"],
                "to_move": COLOUR_LETTERS[self.board.to_move],
                "result": _text(self.result),
                "ahead": leader(self.result),
                "black_first": _text(self.black_first),
                "white_first": _text(self.white_first),
                "ahead_black_to_move": leader(self.black_first),
                "ahead_white_to_move": leader(self.white_first),
                "method": self.method,
                "black_order": said["black_order"],
                "white_order": said["white_order"],
                "sente_first": said["black_sente_first" if black else "white_sente_first"],
                "black_sente_first": said["black_sente_first"],
                "white_sente_first": said["white_sente_first"],
                "counting": self.counting.value,
                "komi": str(self.komi),
                "settled": _text(self.settled),
                "dead": names(list(self.dead)),
                "undecided": [
                    {"region": names(list(each.region)), "reason": each.reason} for each in self.undecided
                ],
                "exact": self.exact,
                "assumptions": list(self.assumptions),
                "network": self.network,
                "seconds": round(self.seconds, 3),
            },
        }


def leader(result: Fraction | None) -> str | None:
    """Who is ahead by a result: "black", "white" or "even"; None if it is not known."""
    if result is None:
        return None
    return "black" if result > 0 else "white" if result < 0 else "even"


def _text(number: Fraction | None) -> str | None:
    return None if number is None else str(number)


# the analysis -----------------------------------------------------------------------------------


def analyse(
    board: Board,
    *,
    network: Network | None = None,
    judge: Judge | None = None,
    regions: Sequence[Sequence[int]] | None = None,
    komi: float = 0.0,
    handicap: int = 0,
    mode: Mode = Mode.AUTO,
    threshold: float = THRESHOLD,
    seconds: float = SECONDS,
) -> Analysis:
    """Value the regions of `board`: those given, or all that the network finds.

    With `Mode.EXACT` and no network everything is open that is not unconditionally settled.

    `judge` grows the trees of estimates, by default `network` does. RegionError for a mask that is none,
    AnalysisError where the network is missing, NetworkError from the network.
    """
    began = time.perf_counter()
    if judge is None and network is not None and "ownership" in network.heads:
        judge = PlainJudge(network)
    ownership = None if network is None else look(network, board, komi)
    if regions is None:
        if ownership is None and mode is not Mode.EXACT:
            raise AnalysisError(
                "without a network the region must be named: use --region, or mark it with SQ"
            )
        nothing = np.zeros((board.grid.height, board.grid.width), np.float32)
        division = divide(board, nothing if ownership is None else ownership, threshold=threshold)
    else:
        owner = settled_by_rule(board) if ownership is None else settled(board, ownership, threshold)
        given = tuple(LocalPosition((checked(board, region),)) for region in regions)
        division = Division(owner, settled_by_rule(board) != EMPTY, given)
    worker = Worker(board, division, ownership, network, judge, mode, by_hand=regions is not None)
    for_regions = FOR_REGIONS if regions is None or judge is not None else 1.0
    answers, undecided = worker.all(began + for_regions * seconds)
    if judge is not None:
        answers = with_next(answers, board, judge, began + FOR_NEXT * seconds)
    return _put_together(board, division, answers, undecided, network, komi, handicap, threshold, began)


def look(network: Network, board: Board, komi: float) -> npt.NDArray[np.float32]:
    """The network's ownership of a board, from all sides: [height, width], 1 Black … -1 White."""
    said = network.evaluate_boards([board], komi=komi, symmetries=SYMMETRIES)
    if said.ownership is None:
        raise AnalysisError(f"the network {network.name} does not say who owns what: take another with --net")
    owned: npt.NDArray[np.float32] = said.ownership[0]
    return owned


# the sum ----------------------------------------------------------------------------------------


def settled_points(board: Board, owner: Owners, left_out: set[int], counting: Count) -> Fraction | None:
    """Sure points outside `left_out`, and prisoners, Black's minus White's; None where a point is open."""
    total = 0
    for p in board.grid.points.tolist():
        if p in left_out:
            continue
        if owner[p] == EMPTY:
            return None
        sign = 1 if owner[p] == BLACK else -1
        if counting is Count.AREA or board[p] == EMPTY:
            total += sign
        elif board[p] != owner[p]:
            total += 2 * sign  # a dead stone: the point and the prisoner
    if counting is Count.TERRITORY:
        total += board.captures[BLACK] - board.captures[WHITE]
    return Fraction(total)


def compensation(board: Board, handicap: int) -> int:
    """What White gets for Black's handicap stones by the board's rules."""
    rules = board.rules
    if handicap < 1 or rules.count is not Count.AREA:
        return 0
    return {HandicapBonus.STONES: handicap, HandicapBonus.STONES_LESS_ONE: handicap - 1}.get(
        rules.handicap_bonus, 0
    )


def _put_together(
    board: Board,
    division: Division,
    answers: list[RegionAnswer],
    undecided: list[Undecided],
    network: Network | None,
    komi: float,
    handicap: int,
    threshold: float,
    began: float,
) -> Analysis:
    counting = board.rules.count
    values = [answer.value for answer in answers]
    given = Fraction(komi) + compensation(board, handicap)
    inside = {p for value in values for p in value.region}
    sure = settled_points(board, division.owner, inside, counting)
    area = counting is Count.AREA
    count = first = second = None
    method = "forecast"
    if sure is not None and not undecided:
        base = sure - given
        count = base + sum((v.area_count if area else v.count for v in values), Fraction(0))
        gains, method = results(answers, area)
        first, second = (base + gain for gain in gains)
    by_network = ((division.owner != EMPTY) & ~division.proved)[board.grid.points]
    outside = np.array([p not in inside for p in board.grid.points.tolist()])
    assumed = (SETTLED.format(share=threshold),) if (by_network & outside).any() and count is not None else ()
    dead = tuple(p for p in division.dead(board) if p not in inside)
    return Analysis(
        board=board,
        regions=tuple(answers),
        undecided=tuple(undecided),
        owner=division.owner,
        dead=dead,
        value=board_value(values),
        counting=counting,
        komi=given,
        settled=sure,
        count=count,
        black_first=first,
        white_first=second,
        method=method,
        assumptions=assumed,
        network=None if network is None else network.name,
        seconds=time.perf_counter() - began,
    )


def results(answers: Sequence[RegionAnswer], area: bool) -> tuple[tuple[Fraction, Fraction], str]:
    """What the regions bring with correct play if Black moves next, and if White does; and how found.

    By area or by territory, settled points not included.
    """
    games = [answer.game for answer in answers if answer.game is not None]
    floor = 0 if area else TERRITORY_TAX
    if len(games) == len(answers) and sum(len(game.graph) for game in games) <= MOST_NODES:
        places = [Place(game.solution, game.graph.root) for game in games]
        less = 0 if area else sum(game.stones for game in games)
        combinations = 1
        for game in games:
            combinations *= len(game.graph)
        if combinations <= MOST_TO_SEARCH:
            found = [search(places, black, floor=floor) for black in (True, False)]
            if found[0] is not None and found[1] is not None:
                return (found[0] - less, found[1] - less), "search"
        played = [play_out(places, black, floor=floor)[0] - less for black in (True, False)]
        return (played[0], played[1]), "orthodox"
    values = [answer.value for answer in answers]
    if area:
        total = sum((value.area_count for value in values), Fraction(0))
        values = [replace(value, miai_value=value.area_temperature) for value in values]
    else:
        total = sum((value.count for value in values), Fraction(0))
    return (total + forecast(values, True), total + forecast(values, False)), "forecast"


__all__ = ["Analysis", "AnalysisError", "Method", "Mode", "RegionAnswer", "Undecided", "analyse", "look"]
